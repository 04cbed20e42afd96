/* From options to the numbers of a deep-PageRank run.
 *
 * Profiles of `privdpr` (docs/deviations.md lists what had to change in the paper's):
 *   steered a small embedding as in head, and a blueprint that decides the structure (steered.c)
 *   paper   the paper's depth (Eq. 13), preset sensitivity S, radius S/T, and noise by (eps/T,
 * delta/T) and the classical formula, with the factor 2 that replace-one needs; noise on all N r
 * coordinates. tight   public clip radius, exact Gaussian accounting, few layers; noise on all
 * coordinates. head    as tight, but only the rows of a step's public start nodes take gradient and
 * noise. Profiles of `dpr` (no privacy): learning (settings under which it learns) and paper.
 *
 * Nothing here sees data, so `plan` and `fit` cannot disagree. */
#include "method/dpr_setting.h"
#include "method/blueprint_part.h"
#include "method/dpr_cost.h"
#include "method/steered.h"
#include "dp/accountant.h"
#include "dpr/signal_bound.h"

#include <math.h>
#include <string.h>

/* V and its moments are floats, below 2^128. A noisy coordinate is below 2^51 steps of a grid that
 * is at most 2^-30 of the noise (barrier_clip.c), so its square stays below 2^122. A step of Adam
 * moves a coordinate by a few rates at most, so V stays near most_travel, and its products too are
 * floats. */
static const double most_noise = 0x1p40, most_travel = 0x1p40;

static uint32_t choose(uint32_t option, uint32_t profile)
{
    return option ? option : profile;
}

static double choose_real(double option, double profile)
{
    return option != 0 ? option : profile;
}

/* The network, walks and optimiser of the profile, with the options in their places. */
static pdpr_status set_training(uint32_t num_nodes, const pdpr_method_options *o,
                                pdpr_i_dpr_setting *s_, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    bool paper = strcmp(s_->profile, "paper") == 0;
    pdpr_i_train_options *t = &s_->train;

    if (paper)
        pdpr_i_train_options_paper(num_nodes, t);
    else
        pdpr_i_train_options_learning(num_nodes, t);
    if (!paper && s_->private_run) { /* the paper's pace: a private step sees mostly noise */
        t->adam.rate = 1e-3;
        t->epochs = 5;
    }
    if (s_->steered)
        pdpr_i_steered_training(t);
    t->shape.inputs = choose(o->columns, t->shape.inputs);
    t->shape.width = choose(o->width, t->shape.width);
    t->shape.scale = choose_real(o->spectral, t->shape.scale);
    t->walks.batch = choose(o->batch, t->walks.batch < num_nodes ? t->walks.batch : num_nodes);
    t->walks.walks = choose(o->walks, t->walks.walks);
    t->walks.length = choose(o->walk_length, t->walks.length);
    t->epochs = choose(o->epochs, t->epochs);
    if (o->pairing && strcmp(o->pairing, "start") == 0) {
        t->walks.pairing = PDPR_I_PAIRS_FROM_START;
    } else if (o->pairing && strcmp(o->pairing, "consecutive") != 0) {
        s = pdpr_i_fail(err, PDPR_EUSAGE, "pairing: expected consecutive or start, found \"%.40s\"",
                        o->pairing);
        goto done;
    }
    t->gamma = choose_real(o->damping, t->gamma);
    t->adam.rate = choose_real(o->rate, t->adam.rate);
    t->rows_on_demand = s_->head;

    pdpr_i_paper_setting *p = &s_->paper;
    pdpr_i_paper_setting_default(num_nodes, p);
    p->epochs = t->epochs;
    p->batch = t->walks.batch;
    p->walks = t->walks.walks;
    p->walk_length = t->walks.length;
    p->gamma = t->gamma;
    p->sensitivity = choose_real(o->sensitivity, p->sensitivity);
    if (paper) {
        p->scale = t->shape.scale;
        PDPR_TRY(pdpr_i_paper_setting_check(p, err));
        t->shape.layers =
            choose(o->layers, pdpr_i_paper_layers(p, pdpr_i_paper_pairs(p), pdpr_i_paper_steps(p)));
    } else {
        double scale = p->scale; /* s enters the paper's constants only, where it must exceed 1 */
        p->scale = t->shape.scale > 1 ? t->shape.scale : scale;
        PDPR_TRY(pdpr_i_paper_setting_check(p, err));
        p->scale = t->shape.scale;
        t->shape.layers = choose(o->layers, t->shape.layers);
    }
    s_->steps = pdpr_i_paper_steps(p);
    PDPR_TRY(pdpr_i_network_shape_check(&t->shape, err));
    PDPR_TRY(pdpr_i_adam_check(&t->adam, err));
    if (s_->steps == 0 || s_->steps > UINT32_MAX) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "%" PRIu64 " steps: expected from 1 to 2^32 - 1; change epochs or batch",
                        s_->steps);
        goto done;
    }
    if (t->adam.rate * (double)s_->steps > most_travel)
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "learning rate: expected at most %.3g for %" PRIu64 " steps, found %g",
                        most_travel / (double)s_->steps, s_->steps, t->adam.rate);
done:
    return s;
}

/* mu of the whole run, the clip radius, and the integers of the barrier. */
static pdpr_status set_noise(pdpr_context *ctx, const pdpr_method_options *o,
                             pdpr_i_dpr_setting *s_, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_accountant *others = NULL; /* charges beside the embedding's */
    double clip;

    s_->epsilon = o->epsilon;
    s_->delta = o->delta;
    PDPR_TRY(pdpr_i_budget_check(o->epsilon, o->delta, s_->paper.num_nodes, o->accept_large_delta,
                                 false, err));
    if (s_->promise_paper) { /* DEVIATION(1): radius S/T, sensitivity 2S/T */
        double z;
        PDPR_TRY(pdpr_i_noise_multiplier_paper(o->epsilon, o->delta, s_->steps, &z, err));
        s_->mu = sqrt((double)s_->steps) / z;
        clip = s_->paper.sensitivity / (double)s_->steps;
    } else {
        PDPR_TRY(pdpr_accountant_new(ctx, &others, err));
        if (s_->steered)
            PDPR_TRY(pdpr_i_bp_account(ctx, &s_->blueprint, others, err));
        PDPR_TRY(pdpr_i_accountant_mu_left(ctx, others, o->epsilon, o->delta, &s_->mu, err));
        /* gradients are of the order f f' ~ 1/N^2: a radius that the signal reaches */
        double n = s_->paper.num_nodes;
        clip = choose_real(o->clip, 0.1 / (n * n));
    }
    s_->coordinates =
        (uint64_t)s_->train.shape.inputs * (s_->head ? s_->train.walks.batch : s_->paper.num_nodes);
    PDPR_TRY(pdpr_i_clip_plan_make(clip, (uint32_t)s_->steps, s_->mu, &s_->clip, err));
    double largest = fmax(clip, ldexp(s_->clip.sigma, s_->clip.exponent));
    if (largest > most_noise) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "clip: expected a radius of at most %.3g at this budget and number of "
                        "steps, found %g",
                        clip * (most_noise / largest), clip);
        goto done;
    }
    s_->below_grid = pdpr_i_signal_is_below(&s_->paper, &s_->train.shape, s_->train.walks.pairing,
                                            ldexp(1, s_->clip.exponent));
    s_->train.skip_network = s_->below_grid && !o->full_training;
done:
    pdpr_accountant_free(others);
    return s;
}

pdpr_status pdpr_i_dpr_setting_make(pdpr_context *ctx, const pdpr_i_method *method,
                                    uint32_t num_nodes, const pdpr_method_options *options,
                                    pdpr_i_dpr_setting *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_dpr_setting setting = {.method = method, .private_run = method->promises};

    if (num_nodes < 2)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "method %s: expected a graph of at least 2 nodes, found %" PRIu32,
                           method->info.name, num_nodes);
    PDPR_TRY(pdpr_i_profile_find(method, options->profile, &setting.profile, err));
    setting.steered = strcmp(setting.profile, "steered") == 0;
    setting.head = setting.steered || strcmp(setting.profile, "head") == 0;
    setting.promise_paper = setting.private_run && strcmp(setting.profile, "paper") == 0;
    if (setting.promise_paper && options->clip != 0) {
        s = pdpr_i_fail(
            err, PDPR_EUSAGE,
            "profile paper: its radius is sensitivity / T; change the sensitivity, not the clip");
        goto done;
    }
    uint64_t most = (uint64_t)num_nodes * (num_nodes - 1) / 2;
    if (options->score_edges && options->edges) {
        s = pdpr_i_fail(err, PDPR_EUSAGE, "edges: expected a number or the score rule, found both");
        goto done;
    }
    if (options->edges > most) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "edges: %" PRIu32 " nodes have at most %" PRIu64 ", found %" PRIu64,
                        num_nodes, most, options->edges);
        goto done;
    }
    setting.edges = options->score_edges ? UINT64_MAX : options->edges;
    if (setting.steered)
        PDPR_TRY(pdpr_i_steered_plan(num_nodes, options, &setting, err));
    else if (options->embedding_share != 0) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "embedding share: expected with the profile steered only, found %g",
                        options->embedding_share);
        goto done;
    }
    PDPR_TRY(set_training(num_nodes, options, &setting, err));
    if (setting.private_run)
        PDPR_TRY(set_noise(ctx, options, &setting, err));
    *out = setting;
done:
    return s;
}

/* ---------------------------------------------------------------- the plan */

pdpr_status pdpr_i_dpr_plan(pdpr_context *ctx, const pdpr_i_dpr_setting *setting, pdpr_plan *out,
                            pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_accountant *a = NULL;
    const pdpr_i_paper_setting *p = &setting->paper;
    pdpr_plan plan = {
        .method = setting->method->info.name,
        .profile = setting->profile,
        .unit = setting->method->info.unit,
        .nodes = p->num_nodes,
        .steps = setting->steps,
        .pairs = pdpr_i_paper_pairs(p),
        .coordinates = setting->coordinates,
        .noise_values = setting->steps * setting->coordinates,
        .layers = setting->train.shape.layers,
        .gradient_bound = pdpr_i_paper_m(p),
        .signal = pdpr_i_paper_certified_radius(p, setting->train.shape.layers,
                                                setting->train.walks.pairing),
        .seconds = pdpr_i_dpr_seconds(setting, ctx->threads),
        .memory = pdpr_i_dpr_memory(setting, ctx->threads),
    };

    if (setting->private_run) {
        plan.epsilon = setting->epsilon;
        plan.delta = setting->delta;
        plan.mu = setting->mu;
        plan.clip = setting->clip.clip_l2;
        plan.noise = ldexp(setting->clip.sigma, setting->clip.exponent);
        plan.grid = ldexp(1, setting->clip.exponent);
        plan.below_grid = setting->below_grid;
        PDPR_TRY(pdpr_accountant_new(ctx, &a, err));
        PDPR_TRY(pdpr_accountant_add_gaussian(ctx, a, "embedding", setting->clip.mu_step,
                                              setting->steps, err));
        if (setting->steered) {
            plan.queries = pdpr_i_bp_count_queries(&setting->blueprint);
            plan.pure_epsilon = setting->blueprint.epsilon;
            plan.unit = pdpr_i_method_blueprint.info.unit;
            PDPR_TRY(pdpr_i_bp_account(ctx, &setting->blueprint, a, err));
        }
        PDPR_TRY(pdpr_accountant_epsilon(ctx, a, setting->delta, &plan.epsilon_spent, err));
        PDPR_TRY(pdpr_gdp_delta(setting->mu, 0, &plan.ceiling, err));
    }
    *out = plan;
done:
    pdpr_accountant_free(a);
    return s;
}
