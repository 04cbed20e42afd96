/* Algorithm 1 of the paper: walks, one pass through the network, Adam on W with the exact
 * gradient, Adam on V with what a callback makes of its gradient.
 *
 * T = epochs * floor(N / b) steps, fixed before the graph is looked at; a batch without pairs is
 * still a step (P-7). Both gradients are taken at the same (V, W), in one backward pass. The
 * constant divisor B of Eq. (9) is applied to both after the callback, which is why the callback
 * sees the plain sum that sensitivity is stated for.
 *
 * Nothing is allocated after the start, and all sizes follow from N, r, B (P-8). Cost of a step:
 * O(slots (r d + L d^2) + L d^3) and, unless rows are taken on demand, O(N r).
 *
 * The gradient without privacy goes the same way as a perturbed one, through the sink, in blocks
 * of rows, so that N r doubles never stand in memory. */
#include "dpr/train.h"

#include "dpr/start_values.h"

#include <math.h>
#include <string.h>

enum { BLOCK_ROWS = 256 };

void pdpr_i_train_options_paper(uint32_t num_nodes, pdpr_i_train_options *out)
{
    pdpr_i_paper_setting p;
    pdpr_i_paper_setting_default(num_nodes, &p);
    *out = (pdpr_i_train_options){
        .shape = {.inputs = 128, .width = 64, .biases = false, .scale = p.scale},
        .walks = {p.batch, p.walks, p.walk_length, PDPR_I_PAIRS_CONSECUTIVE},
        .epochs = p.epochs,
        .gamma = p.gamma};
    out->shape.layers = pdpr_i_paper_layers(&p, pdpr_i_paper_pairs(&p), pdpr_i_paper_steps(&p));
    pdpr_i_adam_default(&out->adam);
}

void pdpr_i_train_options_learning(uint32_t num_nodes, pdpr_i_train_options *out)
{
    pdpr_i_train_options_paper(num_nodes, out);
    out->shape =
        (pdpr_i_network_shape){.inputs = 32, .width = 128, .layers = 1, .biases = true, .scale = 1};
    out->start_at_mean = true;
    out->epochs = 40;
    out->adam.rate = 0.01;
    out->adam.epsilon = 1e-30; /* gradients are near 1e-12: the usual 1e-8 would freeze V */
}

/* ---------------------------------------------------------------- start and end */

static pdpr_status check_options(const pdpr_graph *g, const pdpr_i_train_options *o,
                                 pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    if (g->num_nodes < 2)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "deep PageRank: expected a graph of at least 2 nodes, found %" PRIu32,
                           g->num_nodes);
    if (o->epochs < 1)
        return pdpr_i_fail(err, PDPR_EUSAGE, "epochs: expected at least 1, found 0");
    if (!(o->gamma > 0 && o->gamma < 1))
        return pdpr_i_fail(err, PDPR_EUSAGE, "damping factor: expected between 0 and 1, found %g",
                           o->gamma);
    if (o->start_at_mean && !o->shape.biases)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "start of the output at 1/N: expected biases, found none");
    PDPR_TRY(pdpr_i_network_shape_check(&o->shape, err));
    PDPR_TRY(pdpr_i_adam_check(&o->adam, err));
done:
    return s;
}

/* The network with what its steps need, and its start values. */
static pdpr_status start_network(pdpr_context *ctx, pdpr_i_trainer *t, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_stream random;
    PDPR_TRY(pdpr_i_network_init(ctx, &t->options.shape, t->batch.max_slots, &t->net, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, t->net.num_parameters, sizeof(double), "weight moments",
                           &t->w_first, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, t->net.num_parameters, sizeof(double), "weight moments",
                           &t->w_second, err));
    PDPR_TRY(pdpr_i_alloc(ctx, t->batch.max_slots, sizeof(double), "output gradient",
                          &t->output_gradient, err));
    PDPR_TRY(pdpr_i_in_degrees(ctx, t->graph, &t->in_degree, err));

    pdpr_i_stream_init(&random, &t->key, PDPR_I_PURPOSE_WEIGHT_START, 0);
    pdpr_i_network_start(&t->net, &random);
    pdpr_i_stream_wipe(&random);
    if (t->options.start_at_mean)
        t->net.parameter[pdpr_i_network_output_bias(&t->net)] = -log(t->graph->num_nodes - 1.0);
done:
    return s;
}

pdpr_status pdpr_i_trainer_init(pdpr_context *ctx, const pdpr_graph *g,
                                const pdpr_i_train_options *options, const pdpr_i_key *key,
                                pdpr_i_trainer *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_trainer t = {
        .graph = g, .options = *options, .key = *key, .adam = pdpr_i_adam_choose(ctx)};
    uint64_t rows = g->num_nodes, cols = options->shape.inputs;

    PDPR_TRY(check_options(g, options, err));
    PDPR_TRY(pdpr_i_batch_init(ctx, g->num_nodes, &options->walks, &t.batch, err));
    PDPR_TRY(pdpr_i_alloc(ctx, rows * cols, sizeof(float), "embedding", &t.v, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, rows * cols, sizeof(float), "embedding moments", &t.v_first, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, rows * cols, sizeof(float), "embedding moments", &t.v_second, err));
    if (options->rows_on_demand)
        PDPR_TRY(pdpr_i_zalloc(ctx, rows, sizeof *t.row_step, "row steps", &t.row_step, err));
    PDPR_TRY(pdpr_i_alloc(ctx, (uint64_t)ctx->threads * BLOCK_ROWS * cols, sizeof(double),
                          "gradient block", &t.row_block, err));
    PDPR_TRY(pdpr_i_start_embedding(ctx, key, g->num_nodes, options->shape.inputs, t.v, err));
    if (!options->skip_network)
        PDPR_TRY(start_network(ctx, &t, err));
    t.num_steps = (uint64_t)options->epochs * (g->num_nodes / options->walks.batch);
    *out = t;
    t = (pdpr_i_trainer){0};
done:
    pdpr_i_trainer_clear(&t);
    return s;
}

void pdpr_i_trainer_clear(pdpr_i_trainer *t)
{
    pdpr_free(t->v);
    pdpr_free(t->v_first);
    pdpr_free(t->v_second);
    pdpr_free(t->row_step);
    pdpr_free(t->w_first);
    pdpr_free(t->w_second);
    pdpr_free(t->output_gradient);
    pdpr_free(t->in_degree);
    pdpr_free(t->row_block);
    pdpr_i_network_clear(&t->net);
    pdpr_i_batch_clear(&t->batch);
    pdpr_i_key_wipe(&t->key);
    t->v = t->v_first = t->v_second = NULL;
    t->row_step = t->in_degree = NULL;
    t->w_first = t->w_second = t->output_gradient = t->row_block = NULL;
}

/* ---------------------------------------------------------------- the embedding's half of a step
 */

/* The constant divisor of Eq. (9). */
static double divisor_of(const pdpr_i_trainer *t)
{
    return 1 / (double)t->batch.max_pairs;
}

/* A piece of V whose coordinates share a step count: of how many coordinates, and which step. Rows
 * on demand are a piece each, and counted here. */
static uint64_t next_piece(pdpr_i_trainer *t, uint32_t ahead, uint32_t row, uint32_t rows,
                           uint64_t *step)
{
    *step = t->row_step ? ++t->row_step[row] : t->step + ahead + 1;
    return (t->row_step ? 1 : (uint64_t)rows) * t->options.shape.inputs;
}

static void take_rows(void *sink_arg, uint32_t first, uint32_t count, const double *gradient)
{
    pdpr_i_trainer *t = sink_arg;
    uint64_t cols = t->options.shape.inputs, at = first * cols, end = at + count * cols, step;
    for (uint64_t piece; at < end; at += piece, gradient += piece) {
        piece = next_piece(t, 0, (uint32_t)(at / cols), count, &step);
        t->adam.embedding(&t->options.adam, step, piece, divisor_of(t), gradient, t->v + at,
                          t->v_first + at, t->v_second + at);
    }
    atomic_fetch_add(&t->rows_given, count);
}

void pdpr_i_trainer_take_grid(pdpr_i_trainer *t, uint32_t ahead, uint32_t first, uint32_t count,
                              double unit, const int64_t *gradient)
{
    uint64_t cols = t->options.shape.inputs, at = first * cols, end = at + count * cols, step;
    for (uint64_t piece; at < end; at += piece, gradient += piece) {
        piece = next_piece(t, ahead, (uint32_t)(at / cols), count, &step);
        t->adam.grid(&t->options.adam, step, piece, unit * divisor_of(t), gradient, t->v + at,
                     t->v_first + at, t->v_second + at);
    }
    atomic_fetch_add(&t->rows_given, count);
}

/* No privacy: the sum as it is, zero rows included unless rows are taken on demand. */
typedef struct {
    pdpr_i_trainer *t;
    const pdpr_i_embedding_gradient *g;
} plain_pass;

static pdpr_status give_plain_block(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    const plain_pass *p = arg;
    uint64_t cols = p->g->cols, first = chunk * BLOCK_ROWS;
    uint64_t count = p->g->num_nodes - first < BLOCK_ROWS ? p->g->num_nodes - first : BLOCK_ROWS;
    double *block = p->t->row_block + worker * BLOCK_ROWS * cols; /* [count][cols] */
    (void)err;
    memset(block, 0, count * cols * sizeof *block);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t slot = p->g->slot_of[first + i];
        if (slot != PDPR_I_NO_SLOT)
            memcpy(block + i * cols, p->g->gradient + slot * cols, cols * sizeof *block);
    }
    take_rows(p->t, (uint32_t)first, (uint32_t)count, block);
    return PDPR_OK;
}

static pdpr_status give_plain(pdpr_context *ctx, pdpr_i_trainer *t,
                              const pdpr_i_embedding_gradient *g, pdpr_error *err)
{
    plain_pass p = {t, g};
    if (t->row_step) {
        for (uint32_t i = 0; i < g->num_rows; i++)
            take_rows(t, g->row[i], 1, g->gradient + (uint64_t)i * g->cols);
        return PDPR_OK;
    }
    return pdpr_i_parallel(ctx, pdpr_i_chunks(g->num_nodes, BLOCK_ROWS), give_plain_block, &p, err);
}

/* ---------------------------------------------------------------- steps */

/* Walks from the start nodes, both gradients of the batch, and Adam on W. */
static pdpr_status learn_from_walks(pdpr_context *ctx, pdpr_i_trainer *t, uint32_t epoch,
                                    uint32_t first, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_train_options *o = &t->options;
    pdpr_i_batch *batch = &t->batch;
    pdpr_i_edge_loss loss = {t->graph->num_nodes, o->gamma};

    pdpr_i_batch_walk(batch, t->graph, t->in_degree, &o->walks, &t->key, epoch, first);
    PDPR_TRY(pdpr_i_network_prepare(ctx, &t->net, err));
    PDPR_TRY(pdpr_i_network_forward(ctx, &t->net, t->v, batch->node, batch->num_slots, err));
    t->last_loss =
        pdpr_i_edge_loss_sum(&loss, batch->pairs, batch->num_pairs, batch->num_slots, t->net.output,
                             batch->out_degree, batch->in_degree, t->output_gradient) /
        (double)(batch->num_pairs ? batch->num_pairs : 1);
    PDPR_TRY(pdpr_i_network_backward(ctx, &t->net, t->output_gradient, batch->num_slots, err));
    t->adam.weights(&o->adam, t->step + 1, t->net.num_parameters, divisor_of(t), t->net.gradient,
                    t->net.parameter, t->w_first, t->w_second);
done:
    return s;
}

/* How many rows a step must move: those of the perturbation's public support, so that none was
 * paid for in vain; without a perturbation and on demand, those that the walks met. */
static uint64_t rows_due(const pdpr_i_trainer *t, const pdpr_i_embedding_gradient *g)
{
    if (!t->options.rows_on_demand)
        return g->num_nodes;
    return t->perturb ? g->num_starts : g->num_rows;
}

pdpr_status pdpr_i_trainer_steps(pdpr_context *ctx, pdpr_i_trainer *t, uint32_t most,
                                 pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_train_options *o = &t->options;
    const pdpr_i_batch *batch = &t->batch;                   /* of no node, if nothing walks */
    uint64_t batches = t->graph->num_nodes / o->walks.batch; /* of an epoch */
    uint32_t first = (uint32_t)(t->step % batches) * o->walks.batch;

    uint64_t left = t->num_steps - t->step, steps = left < most ? left : most;
    if (!o->skip_network || o->rows_on_demand) /* each step has rows of its own */
        steps = 1;

    PDPR_TRY(pdpr_i_check_cancelled(ctx, err));
    if (!o->skip_network)
        PDPR_TRY(learn_from_walks(ctx, t, (uint32_t)(t->step / batches), first, err));

    pdpr_i_embedding_gradient g = {.step = t->step,
                                   .steps = (uint32_t)steps,
                                   .num_nodes = t->graph->num_nodes,
                                   .cols = o->shape.inputs,
                                   .first_start = first,
                                   .num_starts = o->walks.batch,
                                   .num_rows = batch->num_slots,
                                   .row = batch->node,
                                   .slot_of = batch->slot_of,
                                   .gradient = t->net.row_gradient};
    atomic_store(&t->rows_given, 0);
    if (t->perturb)
        PDPR_TRY(t->perturb(t->perturb_user, ctx, &g, take_rows, t, err));
    else
        PDPR_TRY(give_plain(ctx, t, &g, err));
    uint64_t given = atomic_load(&t->rows_given), due = rows_due(t, &g) * steps;
    if (given != due) {
        s = pdpr_i_fail(err, PDPR_EFAILED,
                        "perturbation: expected all %" PRIu64 " rows, found %" PRIu64, due, given);
        goto done;
    }
    t->step += steps;
done:
    return s;
}

uint32_t pdpr_i_trainer_parts(const pdpr_i_trainer *t,
                              pdpr_i_checkpoint_part parts[PDPR_I_TRAINER_PARTS])
{
    uint64_t rows = t->graph->num_nodes, cells = rows * t->options.shape.inputs * sizeof(float);
    uint64_t weights = t->net.num_parameters * sizeof(double);
    uint32_t count = 0;
    parts[count++] = (pdpr_i_checkpoint_part){t->v, cells};
    parts[count++] = (pdpr_i_checkpoint_part){t->v_first, cells};
    parts[count++] = (pdpr_i_checkpoint_part){t->v_second, cells};
    if (!t->options.skip_network) {
        parts[count++] = (pdpr_i_checkpoint_part){t->net.parameter, weights};
        parts[count++] = (pdpr_i_checkpoint_part){t->w_first, weights};
        parts[count++] = (pdpr_i_checkpoint_part){t->w_second, weights};
    }
    if (t->row_step)
        parts[count++] = (pdpr_i_checkpoint_part){t->row_step, rows * sizeof *t->row_step};
    return count;
}

pdpr_status pdpr_i_trainer_evaluate(pdpr_context *ctx, pdpr_i_trainer *t, double *f,
                                    pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    PDPR_TRY(pdpr_i_network_prepare(ctx, &t->net, err));
    PDPR_TRY(pdpr_i_network_evaluate(ctx, &t->net, t->v, t->graph->num_nodes, f, err));
done:
    return s;
}
