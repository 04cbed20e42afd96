/* A task, repeated: split, train the method's embedding, score it, and beside it three embeddings
 * or answers that know nothing.
 *
 *   method    the embedding of this method, trained on the training graph only (links) or on the
 *             whole graph (nodes)
 *   inner     links: the same embedding without a trained classifier, by inner product
 *   no edges  the same method, setting and seed on a graph with the same nodes and no edge: what it
 *             scores too is not learned from the edges
 *   random    vectors of independent normal values
 *   constant  one answer for all: 0.5, or the commonest class
 *
 * Repeat i draws its split, training and noise from seed + i. Scores are functions of the private
 * graph and of a seed: for the owner's eyes, no release. That is why only seeded runs are made here
 * and why the embeddings are not handed out. Cost: two fits of the method a repeat, and some
 * hundred passes over the examples. */
#include "tasks/tasks.h"
#include "dpr/start_values.h"
#include "method/method.h"

#include <math.h>
#include <string.h>

void pdpr_task_options_default(pdpr_task_options *options)
{
    *options = (pdpr_task_options){.struct_size = sizeof *options, .repeats = 5};
    pdpr_method_options_default(&options->method);
    options->method.method = "privdpr";
    options->method.seeded = true;
    options->method.seed = 1;
}

const char *pdpr_task_row_name(pdpr_task_row row)
{
    static const char *const names[PDPR_TASK_ROWS] = {"method", "inner", "no_edges", "random",
                                                      "constant"};
    return row < PDPR_TASK_ROWS ? names[row] : "unknown";
}

/* What the repeats have in common. */
typedef struct {
    pdpr_context *ctx;
    const pdpr_graph *g;
    const pdpr_labels *labels;
    const pdpr_i_method *method;
    pdpr_ledger *ledger;
    pdpr_task task;
} setting;

/* One repeat's split, of one kind or the other. */
typedef struct {
    pdpr_i_link_split link;
    pdpr_i_node_split node;
} split;

static pdpr_status score(const setting *t, const split *sp, pdpr_i_embedding_view v,
                         double *trained, double *inner, pdpr_error *err)
{
    *inner = NAN;
    return t->task == PDPR_TASK_LINK ? pdpr_i_link_score(t->ctx, &sp->link, v, trained, inner, err)
                                     : pdpr_i_node_score(t->ctx, &sp->node, v, trained, err);
}

/* Fits the method to `g` and scores its embedding, which dies here. */
static pdpr_status score_method(const setting *t, const split *sp, const pdpr_graph *g,
                                const pdpr_method_options *options, uint32_t *columns,
                                double *trained, double *inner, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_fit fit = {0};
    const pdpr_method_options settled = pdpr_i_settle_delta(t->method, g->num_nodes, options);
    PDPR_TRY(t->method->fit(t->ctx, g, &settled, t->ledger, &fit, err));
    const pdpr_i_array *v = pdpr_i_release_file_find(&fit.release->file, "embedding");
    if (!v || v->type != PDPR_I_ARRAY_FLOAT32 || v->rows != g->num_nodes || v->columns == 0) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "method %s makes a graph and no embedding of its nodes: link and node "
                        "tasks score embeddings (methods privdpr, dpr)",
                        t->method->info.name);
        goto done;
    }
    *columns = (uint32_t)v->columns;
    PDPR_TRY(score(t, sp, (pdpr_i_embedding_view){v->items, *columns}, trained, inner, err));
done:
    pdpr_release_free(fit.release);
    pdpr_i_private_run_free(fit.run);
    return s;
}

static pdpr_status score_random(const setting *t, const split *sp, const pdpr_i_key *key,
                                uint32_t columns, double *trained, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    float *v = NULL;
    double inner;
    pdpr_i_stream random;
    pdpr_i_key own; /* not the method's: its start values must not come back as noise */

    pdpr_i_stream_init(&random, key, PDPR_I_PURPOSE_TASK_NOISE, 0);
    pdpr_i_stream_bytes(&random, own.bytes, sizeof own.bytes);
    PDPR_TRY(
        pdpr_i_alloc(t->ctx, (uint64_t)t->g->num_nodes * columns, sizeof *v, "embedding", &v, err));
    PDPR_TRY(pdpr_i_start_embedding(t->ctx, &own, t->g->num_nodes, columns, v, err));
    PDPR_TRY(score(t, sp, (pdpr_i_embedding_view){v, columns}, trained, &inner, err));
done:
    pdpr_free(v);
    return s;
}

static pdpr_status repeat(const setting *t, const pdpr_method_options *options,
                          double value[PDPR_TASK_ROWS], uint64_t *num_train, uint64_t *num_test,
                          pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    split sp = {0};
    pdpr_graph *empty = NULL;
    pdpr_i_key key;
    uint32_t columns = 0;
    double unused;

    pdpr_i_key_from_seed(options->seed, &key);
    if (t->task == PDPR_TASK_LINK)
        PDPR_TRY(pdpr_i_link_split_make(t->ctx, t->g, &key, &sp.link, err));
    else
        PDPR_TRY(pdpr_i_node_split_make(t->ctx, t->labels, &key, &sp.node, err));
    *num_train = t->task == PDPR_TASK_LINK ? sp.link.num_train : sp.node.num_train;
    *num_test = t->task == PDPR_TASK_LINK ? sp.link.num_test : sp.node.num_test;

    PDPR_TRY(score_method(t, &sp, t->task == PDPR_TASK_LINK ? sp.link.graph : t->g, options,
                          &columns, &value[PDPR_TASK_METHOD], &value[PDPR_TASK_INNER], err));
    PDPR_TRY(pdpr_graph_from_pairs(t->ctx, t->g->num_nodes, NULL, 0, t->g->directed, &empty, err));
    PDPR_TRY(
        score_method(t, &sp, empty, options, &columns, &value[PDPR_TASK_NO_EDGES], &unused, err));
    PDPR_TRY(score_random(t, &sp, &key, columns, &value[PDPR_TASK_RANDOM], err));
    value[PDPR_TASK_CONSTANT] = t->task == PDPR_TASK_LINK ? 0.5 : pdpr_i_node_majority(&sp.node);
done:
    pdpr_i_link_split_clear(&sp.link);
    pdpr_i_node_split_clear(&sp.node);
    pdpr_graph_free(empty);
    return s;
}

static void summarise(pdpr_task_result *r)
{
    for (pdpr_task_row row = 0; row < PDPR_TASK_ROWS; row++) {
        double sum = 0, squares = 0, n = r->repeats;
        for (uint32_t i = 0; i < r->repeats; i++)
            sum += r->score[row][i];
        r->mean[row] = sum / n;
        for (uint32_t i = 0; i < r->repeats; i++)
            squares += (r->score[row][i] - r->mean[row]) * (r->score[row][i] - r->mean[row]);
        r->sd[row] = r->repeats > 1 ? sqrt(squares / (n - 1)) : NAN;
    }
}

static pdpr_status check(const pdpr_labels *labels, const pdpr_graph *g,
                         const pdpr_task_options *options, pdpr_error *err)
{
    if (options->task != PDPR_TASK_LINK && options->task != PDPR_TASK_NODE)
        return pdpr_i_fail(err, PDPR_EUSAGE, "task: expected link or node");
    if (options->repeats < 1 || options->repeats > PDPR_TASK_MOST_REPEATS)
        return pdpr_i_fail(err, PDPR_EUSAGE, "task: expected 1 to %d repeats, found %" PRIu32,
                           PDPR_TASK_MOST_REPEATS, options->repeats);
    if (!options->method.seeded)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "task: expected a seeded run: its scores come from the private graph "
                           "and carry no guarantee");
    if (options->task == PDPR_TASK_NODE && (!labels || labels->num_nodes != g->num_nodes))
        return pdpr_i_fail(err, PDPR_EUSAGE, "task: expected the labels of this graph's nodes");
    return PDPR_OK;
}

pdpr_status pdpr_task_run(pdpr_context *ctx, const pdpr_graph *g, const pdpr_labels *labels,
                          const pdpr_task_options *options, pdpr_ledger *ledger,
                          pdpr_task_result *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_task_result r = {.task = options->task, .repeats = options->repeats};
    setting t = {ctx, g, labels, NULL, ledger, options->task};
    pdpr_method_options how = options->method;

    PDPR_TRY(pdpr_i_method_find(how.method, &t.method, err));
    PDPR_TRY(check(labels, g, options, err));
    if (how.edges == 0 && !how.score_edges)
        how.edges = 1; /* of a graph that is never drawn */
    for (uint32_t i = 0; i < r.repeats; i++) {
        double value[PDPR_TASK_ROWS];
        how.seed = options->method.seed + i;
        PDPR_TRY(repeat(&t, &how, value, &r.train, &r.test, err));
        for (pdpr_task_row row = 0; row < PDPR_TASK_ROWS; row++)
            r.score[row][i] = value[row];
    }
    summarise(&r);
    *out = r;
done:
    return s;
}
