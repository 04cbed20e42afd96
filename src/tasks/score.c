/* How well an embedding predicts links and classes.
 *
 * Links: logistic regression on the entrywise product of two nodes' vectors (node2vec's best of
 * four operators; the paper names none, but it draws negative training pairs, so something is
 * trained), and beside it the inner product, which trains nothing. Nodes: logistic regression on
 * the vector. The penalty is chosen inside the training part, so that vectors without signal end at
 * the answer one gives without them: 0.5, or the commonest class. */
#include "tasks/tasks.h"
#include "generate/generate.h"

#include <string.h>

/* ---------------------------------------------------------------- links */

typedef struct {
    const uint32_t *pairs;
    pdpr_i_embedding_view v;
} pair_rows;

static void pair_row(const void *arg, uint64_t i, double *x)
{
    const pair_rows *p = arg;
    const float *u = p->v.v + (uint64_t)p->pairs[2 * i] * p->v.columns;
    const float *v = p->v.v + (uint64_t)p->pairs[2 * i + 1] * p->v.columns;
    for (uint32_t c = 0; c < p->v.columns; c++)
        x[c] = (double)u[c] * (double)v[c];
}

pdpr_status pdpr_i_link_score(pdpr_context *ctx, const pdpr_i_link_split *split,
                              pdpr_i_embedding_view v, double *auc, double *auc_inner,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_logistic model = {0};
    pdpr_i_scored *trained = NULL, *inner = NULL;
    uint32_t *label = NULL;
    double *x = NULL, penalty;
    const pair_rows train_rows = {split->train, v}, test_rows = {split->test, v};
    const pdpr_i_features train = {split->num_train, v.columns, pair_row, &train_rows};
    const pdpr_i_features test = {split->num_test, v.columns, pair_row, &test_rows};

    PDPR_TRY(pdpr_i_alloc(ctx, split->num_train, sizeof *label, "pairs", &label, err));
    PDPR_TRY(pdpr_i_alloc(ctx, split->num_test, sizeof *trained, "scores", &trained, err));
    PDPR_TRY(pdpr_i_alloc(ctx, split->num_test, sizeof *inner, "scores", &inner, err));
    PDPR_TRY(pdpr_i_alloc(ctx, v.columns, sizeof *x, "features", &x, err));
    for (uint64_t i = 0; i < split->num_train; i++)
        label[i] = i % 2 == 0;
    PDPR_TRY(pdpr_i_logistic_choose(ctx, &train, label, 2, &model, &penalty, err));
    for (uint64_t i = 0; i < split->num_test; i++) {
        trained[i].positive = inner[i].positive = i % 2 == 0;
        pdpr_i_logistic_logits(&model, &test, i, x, &trained[i].score);
        pair_row(&test_rows, i, x);
        inner[i].score = 0;
        for (uint32_t c = 0; c < v.columns; c++)
            inner[i].score += x[c];
    }
    *auc = pdpr_i_auc(trained, split->num_test);
    *auc_inner = pdpr_i_auc(inner, split->num_test);
done:
    pdpr_i_logistic_clear(&model);
    pdpr_free(trained);
    pdpr_free(inner);
    pdpr_free(label);
    pdpr_free(x);
    return s;
}

/* ---------------------------------------------------------------- nodes */

pdpr_status pdpr_i_node_split_make(pdpr_context *ctx, const pdpr_labels *labels,
                                   const pdpr_i_key *key, pdpr_i_node_split *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_node_split split = {.classes = labels->classes};
    pdpr_i_stream random;
    uint64_t count = 0;

    pdpr_i_stream_init(&random, key, PDPR_I_PURPOSE_TASK_SPLIT, 1);
    if (labels->labelled < 10) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "node classification: expected at least 10 nodes with a label, found "
                        "%" PRIu32,
                        labels->labelled);
        goto done;
    }
    PDPR_TRY(pdpr_i_alloc(ctx, labels->labelled, sizeof *split.node, "nodes", &split.node, err));
    PDPR_TRY(pdpr_i_alloc(ctx, labels->labelled, sizeof *split.label, "labels", &split.label, err));
    for (uint32_t u = 0; u < labels->num_nodes; u++)
        if (labels->label[u] >= 0)
            split.node[count++] = u;
    pdpr_i_draw_order(&random, split.node, count);
    for (uint64_t i = 0; i < count; i++)
        split.label[i] = (uint32_t)labels->label[split.node[i]];
    split.num_test = count / 10;
    split.num_train = count - split.num_test;
    *out = split;
    memset(&split, 0, sizeof split);
done:
    pdpr_i_stream_wipe(&random);
    pdpr_i_node_split_clear(&split);
    return s;
}

void pdpr_i_node_split_clear(pdpr_i_node_split *split)
{
    pdpr_free(split->node);
    pdpr_free(split->label);
    memset(split, 0, sizeof *split);
}

typedef struct {
    const uint32_t *node;
    pdpr_i_embedding_view v;
} node_rows;

static void node_row(const void *arg, uint64_t i, double *x)
{
    const node_rows *n = arg;
    const float *v = n->v.v + (uint64_t)n->node[i] * n->v.columns;
    for (uint32_t c = 0; c < n->v.columns; c++)
        x[c] = (double)v[c];
}

pdpr_status pdpr_i_node_score(pdpr_context *ctx, const pdpr_i_node_split *split,
                              pdpr_i_embedding_view v, double *f1, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_logistic model = {0};
    double *x = NULL, penalty;
    uint64_t right = 0;
    const node_rows rows = {split->node, v};
    const pdpr_i_features train = {split->num_train, v.columns, node_row, &rows};

    PDPR_TRY(
        pdpr_i_alloc(ctx, v.columns + (uint64_t)split->classes, sizeof *x, "features", &x, err));
    PDPR_TRY(
        pdpr_i_logistic_choose(ctx, &train, split->label, split->classes, &model, &penalty, err));
    for (uint64_t i = split->num_train; i < split->num_train + split->num_test; i++) {
        pdpr_i_logistic_logits(&model, &train, i, x, x + v.columns);
        right += pdpr_i_logistic_predict(&model, x + v.columns) == split->label[i];
    }
    *f1 = (double)right / (double)split->num_test;
done:
    pdpr_i_logistic_clear(&model);
    pdpr_free(x);
    return s;
}

double pdpr_i_node_majority(const pdpr_i_node_split *split)
{
    uint64_t most = 0, right = 0;
    uint32_t common = 0;
    for (uint32_t k = 0; k < split->classes; k++) {
        uint64_t count = 0;
        for (uint64_t i = 0; i < split->num_train; i++)
            count += split->label[i] == k;
        if (count > most) {
            most = count;
            common = k;
        }
    }
    for (uint64_t i = split->num_train; i < split->num_train + split->num_test; i++)
        right += split->label[i] == common;
    return (double)right / (double)split->num_test;
}
