/* The methods privdpr (the paper's system, private) and dpr (the same without noise): deep PageRank
 * gives an embedding V, and graphs are sampled from the softmax of V V^T.
 *
 * Private side: training sees the graph; what leaves is V alone, a function of noisy gradients and
 * of randomness that does not depend on the graph (docs/proofs/barrier.md, Theorem 1; PRIVACY.md,
 * Theorem 2). Weights, losses, walks and counts stay in the trainer and die with it. Public side:
 * pdpr_i_reconstruct on V, or in the profile steered the blueprint's builder with V as a guide
 * (steered.c). DEVIATION(6): all score rounds use the final V. */
#include "method/dpr_setting.h"
#include "method/blueprint_part.h"
#include "method/steered.h"
#include "dpr/reconstruct.h"

#include <math.h>
#include <string.h>

static const char charge_label[] = "embedding";

/* ---------------------------------------------------------------- the perturbation */

/* What the callback needs: sized by public numbers. */
typedef struct {
    const pdpr_i_dpr_setting *setting;
    pdpr_i_clip *clip;
    double *gradient; /* [coordinates] */
    int64_t *noisy;   /* [coordinates] */
    double *rows;     /* [ROWS_AT_ONCE][columns] */
} barrier_step;

enum { ROWS_AT_ONCE = 64 };

/* Lays the summed gradient out on the public support (all N rows, or in `head` the b start rows:
 * what falls on other rows is dropped before the barrier), takes it through the barrier, and hands
 * on what comes out. */
static pdpr_status perturb(void *user, pdpr_context *ctx, const pdpr_i_embedding_gradient *g,
                           pdpr_i_row_sink sink, void *sink_arg, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    barrier_step *b = user;
    (void)ctx;
    uint32_t first = b->setting->head ? g->first_start : 0;
    uint32_t count = b->setting->head ? g->num_starts : g->num_nodes;

    memset(b->gradient, 0, (uint64_t)count * g->cols * sizeof *b->gradient);
    for (uint32_t i = 0; i < g->num_rows; i++) {
        uint32_t row = g->row[i];
        if (row >= first && row - first < count)
            memcpy(b->gradient + (uint64_t)(row - first) * g->cols,
                   g->gradient + (uint64_t)i * g->cols, g->cols * sizeof *b->gradient);
    }
    PDPR_TRY(pdpr_i_clip_step(b->clip, b->gradient, b->noisy, err));

    double unit = ldexp(1, b->setting->clip.exponent);
    for (uint32_t done_rows = 0; done_rows < count;) {
        uint32_t rows = count - done_rows < ROWS_AT_ONCE ? count - done_rows : ROWS_AT_ONCE;
        const int64_t *from = b->noisy + (uint64_t)done_rows * g->cols;
        for (uint64_t i = 0; i < (uint64_t)rows * g->cols; i++)
            b->rows[i] = (double)from[i] * unit;
        sink(sink_arg, first + done_rows, rows, b->rows);
        done_rows += rows;
    }
done:
    return s;
}

/* ---------------------------------------------------------------- fit */

/* Adds the public parameters to the header; false if memory is out. */
static bool describe(json_t *header, const pdpr_i_dpr_setting *p)
{
    const pdpr_i_train_options *t = &p->train;
    json_t *parameters =
        json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:f}", "columns",
                  (int)t->shape.inputs, "width", (int)t->shape.width, "layers",
                  (int)t->shape.layers, "epochs", (int)t->epochs, "batch", (int)t->walks.batch,
                  "walks", (int)t->walks.walks, "walk_length", (int)t->walks.length, "spectral",
                  t->shape.scale, "learning_rate", t->adam.rate, "damping", t->gamma);
    return parameters && json_object_set_new(header, "parameters", parameters) == 0 &&
           json_object_set_new(header, "rounds", json_integer((json_int_t)p->steps)) == 0 &&
           json_object_set_new(header, "edges",
                               p->steered ? json_string("measured")
                               : p->edges == UINT64_MAX
                                   ? json_string("score")
                                   : json_integer((json_int_t)p->edges)) == 0 &&
           (!p->steered || pdpr_i_steered_describe(header, p)) &&
           (!p->private_run ||
            (json_object_set_new(header, "epsilon", json_real(p->epsilon)) == 0 &&
             json_object_set_new(header, "delta", json_real(p->delta)) == 0 &&
             json_object_set_new(header, "mu", json_real(p->mu)) == 0 &&
             json_object_set_new(header, "clip", json_real(p->clip.clip_l2)) == 0));
}

static void add_parameters(pdpr_i_fit *fit, const pdpr_i_dpr_setting *p)
{
    const pdpr_i_train_options *t = &p->train;
    pdpr_i_fit_parameter(fit, "batch", "%" PRIu32, t->walks.batch);
    pdpr_i_fit_parameter(fit, "columns", "%" PRIu32, t->shape.inputs);
    pdpr_i_fit_parameter(fit, "damping", "%.17g", t->gamma);
    pdpr_i_fit_parameter(fit, "epochs", "%" PRIu32, t->epochs);
    pdpr_i_fit_parameter(fit, "layers", "%" PRIu32, t->shape.layers);
    pdpr_i_fit_parameter(fit, "learning_rate", "%.17g", t->adam.rate);
    pdpr_i_fit_parameter(fit, "optimiser", "adam");
    if (p->steered)
        pdpr_i_steered_parameters(fit, p);
    else
        pdpr_i_fit_parameter(fit, "reconstruction", "sum of scores, %" PRIu64 " rounds", p->steps);
    if (p->promise_paper)
        pdpr_i_fit_parameter(fit, "sensitivity_preset", "%.17g", p->paper.sensitivity);
    pdpr_i_fit_parameter(fit, "spectral", "%.17g", t->shape.scale);
    pdpr_i_fit_parameter(fit, "walk_length", "%" PRIu32, t->walks.length);
    pdpr_i_fit_parameter(fit, "walks", "%" PRIu32, t->walks.walks);
    pdpr_i_fit_parameter(fit, "width", "%" PRIu32, t->shape.width);
}

/* The private run of this setting, not started yet, and the key of what is random in training but
 * no noise. */
static pdpr_status open_run(pdpr_context *ctx, const pdpr_graph *g,
                            const pdpr_method_options *options, const pdpr_i_dpr_setting *p,
                            pdpr_ledger *ledger, const char *parameters, pdpr_i_private_run **run,
                            pdpr_i_key *key, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_charge charges[PDPR_I_BP_QUERIES + 1] = {{.label = charge_label,
                                                     .kind = PDPR_I_CHARGE_GAUSSIAN,
                                                     .mu_step = p->clip.mu_step,
                                                     .steps = (uint32_t)p->steps}};
    uint32_t queries = p->steered ? pdpr_i_bp_charges(&p->blueprint, charges + 1) : 0;
    const pdpr_i_promise promise = {.epsilon = p->epsilon,
                                    .delta = p->delta,
                                    .accept_large_delta = options->accept_large_delta,
                                    .method = p->method->info.name,
                                    .day = options->day,
                                    .dataset = options->dataset,
                                    .parameters = parameters,
                                    .charges = charges,
                                    .num_charges = 1 + queries,
                                    .seeded = options->seeded,
                                    .seed = options->seed};
    if (!ledger)
        return pdpr_i_fail(err, PDPR_EUSAGE, "method %s: expected a ledger", p->method->info.name);
    PDPR_TRY(pdpr_i_private_run_new(ctx, ledger, g, &promise, run, err));
    PDPR_TRY(pdpr_i_private_run_training_key(*run, key, err));
done:
    return s;
}

static pdpr_status fit(const pdpr_i_method *method, pdpr_context *ctx, const pdpr_graph *g,
                       const pdpr_method_options *options, pdpr_ledger *ledger, pdpr_i_fit *out,
                       pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_dpr_setting p;
    pdpr_i_trainer trainer = {0};
    pdpr_i_fit fitted = {0};
    barrier_step barrier = {.setting = &p};
    pdpr_i_key key = {{0}};
    pdpr_i_meter *meter = NULL;
    char *parameters = NULL;
    pdpr_graph *symmetric = NULL;

    PDPR_TRY(pdpr_i_dpr_setting_make(ctx, method, g->num_nodes, options, &p, err));
    if (p.edges == 0 && !p.steered) {
        s = pdpr_i_fail(
            err, PDPR_EUSAGE,
            "method %s does not measure the number of edges: declare one that is public "
            "(--edges M), or take the paper's rule (--edges score: nearly every pair)",
            method->info.name);
        goto done;
    }
    PDPR_TRY(pdpr_i_release_new(ctx, method, g, options, p.profile, &fitted.release, err));
    size_t length = describe(fitted.release->file.header, &p)
                        ? json_dumpb(fitted.release->file.header, NULL, 0, JSON_SORT_KEYS)
                        : 0;
    if (length == 0) {
        s = pdpr_i_fail(err, PDPR_ENOMEM, "release header: out of memory");
        goto done;
    }
    PDPR_TRY(pdpr_i_zalloc(ctx, length + 1, 1, "parameters", &parameters, err));
    json_dumpb(fitted.release->file.header, parameters, length, JSON_SORT_KEYS);

    bool symmetrise = p.steered || strcmp(p.profile, "learning") == 0;
    if (symmetrise && g->directed) { /* it learns on the symmetric graph, which queries are about */
        PDPR_TRY(pdpr_graph_undirected(ctx, g, &symmetric, err));
        g = symmetric;
    }
    if (p.private_run)
        PDPR_TRY(open_run(ctx, g, options, &p, ledger, parameters, &fitted.run, &key, err));
    else
        pdpr_i_key_from_seed(options->seed, &key);
    PDPR_TRY(pdpr_i_trainer_init(ctx, g, &p.train, &key, &trainer, err));
    if (p.private_run) {
        PDPR_TRY(pdpr_i_alloc(ctx, p.coordinates, sizeof *barrier.gradient, "gradient",
                              &barrier.gradient, err));
        PDPR_TRY(pdpr_i_alloc(ctx, p.coordinates, sizeof *barrier.noisy, "gradient", &barrier.noisy,
                              err));
        PDPR_TRY(pdpr_i_alloc(ctx, (uint64_t)ROWS_AT_ONCE * p.train.shape.inputs,
                              sizeof *barrier.rows, "gradient", &barrier.rows, err));
        PDPR_TRY(pdpr_i_private_run_start(fitted.run, &meter, err));
        PDPR_TRY(
            pdpr_i_clip_new(ctx, meter, charge_label, &p.clip, p.coordinates, &barrier.clip, err));
        trainer.perturb = perturb;
        trainer.perturb_user = &barrier;
    }
    PDPR_TRY(pdpr_i_trainer_run(ctx, &trainer, err));

    PDPR_TRY(pdpr_i_release_add(ctx, fitted.release, "embedding", PDPR_I_ARRAY_FLOAT32,
                                g->num_nodes, p.train.shape.inputs, trainer.v, err));
    trainer.v = NULL;
    add_parameters(&fitted, &p);
    fitted.has_embedding = p.private_run;
    fitted.whole_edge_set = p.private_run && !p.steered;
    fitted.edge_count = options->score_edges ? PDPR_I_EDGES_DERIVED : PDPR_I_EDGES_DECLARED;
    if (p.steered)
        PDPR_TRY(pdpr_i_bp_part_fit(ctx, g, &p.blueprint, meter, &fitted, err));
    fitted.embedding = (pdpr_i_certificate_embedding){.clip_l2 = p.clip.clip_l2,
                                                      .mu = p.mu,
                                                      .mu_step = p.clip.mu_step,
                                                      .sigma = p.clip.sigma,
                                                      .steps = p.steps,
                                                      .coordinates = p.coordinates,
                                                      .radius = p.clip.radius,
                                                      .exponent = p.clip.exponent};
    *out = fitted;
    memset(&fitted, 0, sizeof fitted);
done:
    pdpr_i_key_wipe(&key);
    pdpr_i_clip_free(barrier.clip);
    pdpr_free(barrier.gradient);
    pdpr_free(barrier.noisy);
    pdpr_free(barrier.rows);
    pdpr_i_trainer_clear(&trainer);
    pdpr_graph_free(symmetric);
    pdpr_free(parameters);
    pdpr_release_free(fitted.release);
    pdpr_i_private_run_free(fitted.run);
    return s;
}

/* ---------------------------------------------------------------- sample */

static pdpr_status sample(pdpr_context *ctx, const pdpr_release *release, const pdpr_i_key *key,
                          uint64_t index, pdpr_graph **out, pdpr_error *err)
{
    if (pdpr_i_steered_is(release))
        return pdpr_i_steered_sample(ctx, release, key, index, out, err);
    const pdpr_i_array *v = pdpr_i_release_file_find(&release->file, "embedding");
    json_t *header = release->file.header, *edges = json_object_get(header, "edges");
    json_int_t nodes = json_integer_value(json_object_get(header, "nodes"));
    json_int_t rounds = json_integer_value(json_object_get(header, "rounds"));
    if (!v || v->type != PDPR_I_ARRAY_FLOAT32 || v->columns == 0 || v->columns > UINT32_MAX ||
        v->rows != (uint64_t)nodes || rounds < 1 ||
        (json_is_integer(edges) && json_integer_value(edges) < 1))
        return pdpr_i_fail(err, PDPR_EINPUT, "release: its embedding is not as its header says");
    const pdpr_i_reconstruct_options options = {
        .rounds = (uint64_t)rounds,
        .num_edges = json_is_integer(edges) ? (uint64_t)json_integer_value(edges) : UINT64_MAX,
        .symmetrise = PDPR_I_SYMMETRISE_SUM, /* DEVIATION(7) */
        .sample = index};
    return pdpr_i_reconstruct(ctx, v->items, (uint32_t)v->rows, (uint32_t)v->columns, key, &options,
                              out, err);
}

/* ---------------------------------------------------------------- the two rows */

static pdpr_status plan_with(const pdpr_i_method *method, pdpr_context *ctx, uint32_t num_nodes,
                             const pdpr_method_options *options, pdpr_plan *out, pdpr_error *err)
{
    pdpr_i_dpr_setting setting;
    pdpr_status s = pdpr_i_dpr_setting_make(ctx, method, num_nodes, options, &setting, err);
    return s == PDPR_OK ? pdpr_i_dpr_plan(ctx, &setting, out, err) : s;
}

static pdpr_status plan_privdpr(pdpr_context *ctx, uint32_t num_nodes,
                                const pdpr_method_options *options, pdpr_plan *out, pdpr_error *err)
{
    return plan_with(&pdpr_i_method_privdpr, ctx, num_nodes, options, out, err);
}

static pdpr_status plan_dpr(pdpr_context *ctx, uint32_t num_nodes,
                            const pdpr_method_options *options, pdpr_plan *out, pdpr_error *err)
{
    return plan_with(&pdpr_i_method_dpr, ctx, num_nodes, options, out, err);
}

static pdpr_status fit_privdpr(pdpr_context *ctx, const pdpr_graph *g,
                               const pdpr_method_options *options, pdpr_ledger *ledger,
                               pdpr_i_fit *out, pdpr_error *err)
{
    return fit(&pdpr_i_method_privdpr, ctx, g, options, ledger, out, err);
}

static pdpr_status fit_dpr(pdpr_context *ctx, const pdpr_graph *g,
                           const pdpr_method_options *options, pdpr_ledger *ledger, pdpr_i_fit *out,
                           pdpr_error *err)
{
    return fit(&pdpr_i_method_dpr, ctx, g, options, ledger, out, err);
}

const pdpr_i_method pdpr_i_method_privdpr = {
    .info =
        {.name = "privdpr",
         .summary =
             "the paper's system: deep PageRank with noisy gradients, graphs from the embedding",
         .unit = "whole edge set, implies node-level",
         .profiles = "steered paper tight head"},
    .promises = true,
    .plan = plan_privdpr,
    .fit = fit_privdpr,
    .sample = sample,
};

const pdpr_i_method pdpr_i_method_dpr = {
    .info = {.name = "dpr",
             .summary = "privdpr without noise: NOT PRIVATE, for comparison only",
             .unit = "none",
             .profiles = "learning paper"},
    .promises = false,
    .plan = plan_dpr,
    .fit = fit_dpr,
    .sample = sample,
};
