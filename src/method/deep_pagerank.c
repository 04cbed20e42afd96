/* The methods privdpr (the paper's system, private) and dpr (the same without noise): deep PageRank
 * gives an embedding V, and graphs are sampled from the softmax of V V^T.
 *
 * Private side: training sees the graph; what leaves is V alone, a function of noisy gradients and
 * of randomness that does not depend on the graph (docs/proofs/barrier.md, Theorem 1; PRIVACY.md,
 * Theorem 2). Weights, losses, walks and counts stay in the trainer and die with it. Public side:
 * pdpr_i_reconstruct on V, or in the profile steered the blueprint's builder with V as a guide
 * (steered.c). DEVIATION(6): all score rounds use the final V. */
#include "method/dpr_run.h"
#include "method/blueprint_part.h"
#include "method/steered.h"
#include "dpr/reconstruct.h"

#include <string.h>

/* ---------------------------------------------------------------- fit */

/* Adds the public parameters to the header; false if memory is out. */
static bool describe(json_t *header, const pdpr_i_dpr_setting *p)
{
    const pdpr_i_train_options *t = &p->train;
    json_t *parameters =
        json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:f}", "pairing",
                  t->walks.pairing == PDPR_I_PAIRS_FROM_START ? "start" : "consecutive", "columns",
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
    pdpr_i_fit_parameter(
        fit, "walks", "%" PRIu32 "%s", t->walks.walks,
        t->walks.pairing == PDPR_I_PAIRS_FROM_START ? ", each node paired with the start" : "");
    pdpr_i_fit_parameter(fit, "width", "%" PRIu32, t->shape.width);
}

/* The private run of this setting, not started yet, and the key of what is random in training but
 * no noise. */
static pdpr_status open_run(pdpr_context *ctx, const pdpr_graph *g,
                            const pdpr_method_options *options, const pdpr_i_dpr_setting *p,
                            pdpr_ledger *ledger, const char *parameters,
                            pdpr_i_checkpoint *checkpoint, pdpr_i_private_run **run,
                            pdpr_i_key *key, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_charge charges[PDPR_I_BP_CHARGES + 1] = {{.label = pdpr_i_dpr_charge,
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
                                    .seed = options->seed,
                                    .checkpoint = checkpoint};
    if (!ledger)
        return pdpr_i_fail(err, PDPR_EUSAGE, "method %s: expected a ledger", p->method->info.name);
    PDPR_TRY(pdpr_i_private_run_new(ctx, ledger, g, &promise, run, err));
    PDPR_TRY(pdpr_i_private_run_training_key(*run, key, err));
done:
    return s;
}

/* Without privacy: the key of the seed, and a checkpoint that belongs to it, graph and parameters.
 */
static pdpr_status open_plain(const pdpr_graph *g, const pdpr_method_options *options,
                              const char *parameters, pdpr_i_checkpoint *checkpoint,
                              pdpr_i_key *key, pdpr_error *err)
{
    unsigned char digest[PDPR_I_DIGEST_BYTES];
    pdpr_i_key_from_seed(options->seed, key);
    if (!checkpoint)
        return PDPR_OK;
    pdpr_i_input_digest(g, "", digest);
    return pdpr_i_checkpoint_bind(checkpoint, key, digest, parameters, err);
}

static pdpr_status fit(const pdpr_i_method *method, pdpr_context *ctx, const pdpr_graph *g,
                       const pdpr_method_options *options, pdpr_ledger *ledger, pdpr_i_fit *out,
                       pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_dpr_setting p;
    pdpr_i_trainer trainer = {0};
    pdpr_i_fit fitted = {.checkpoint = out->checkpoint};
    pdpr_i_key key = {{0}};
    char *parameters = NULL;
    pdpr_graph *symmetric = NULL;
    pdpr_i_meter *meter = NULL;

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
    /* the release has the same bytes with the network run and without, a checkpoint has not */
    const char *training = p.train.skip_network ? " network proved away" : " network run";
    PDPR_TRY(pdpr_i_zalloc(ctx, length + strlen(training) + 1, 1, "parameters", &parameters, err));
    json_dumpb(fitted.release->file.header, parameters, length, JSON_SORT_KEYS);
    memcpy(parameters + length, training, strlen(training) + 1);

    bool symmetrise = p.steered || strcmp(p.profile, "learning") == 0;
    if (symmetrise && g->directed) { /* it learns on the symmetric graph, which queries are about */
        PDPR_TRY(pdpr_graph_undirected(ctx, g, &symmetric, err));
        g = symmetric;
    }
    if (p.steered)
        PDPR_TRY(pdpr_i_bp_find_room(ctx, g, &p.blueprint, err));
    if (p.private_run)
        PDPR_TRY(open_run(ctx, g, options, &p, ledger, parameters, fitted.checkpoint, &fitted.run,
                          &key, err));
    else
        PDPR_TRY(open_plain(g, options, parameters, fitted.checkpoint, &key, err));
    PDPR_TRY(pdpr_i_trainer_init(ctx, g, &p.train, &key, &trainer, err));
    PDPR_TRY(pdpr_i_dpr_train(ctx, &p, fitted.run, fitted.checkpoint, options->checkpoint_seconds,
                              &trainer, &meter, err));

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
    .embeds = true,
    .resumes = true,
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
    .embeds = true,
    .resumes = true,
    .plan = plan_dpr,
    .fit = fit_dpr,
    .sample = sample,
};
