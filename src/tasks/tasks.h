/* Tasks: what an embedding is good for. Link prediction and node classification as the paper scores
 * them, the logistic regression both use, and the labels of nodes.
 *
 * Everything here is for the owner's eyes: scores are computed from the private graph and are no
 * release. */
#ifndef PDPR_TASKS_TASKS_H
#define PDPR_TASKS_TASKS_H

#include "dp/random_stream.h"
#include "graph/graph.h"

/* ---------------------------------------------------------------- auc.c */

/* One scored example. */
typedef struct {
    double score;
    bool positive;
} pdpr_i_scored;

/* Area under the ROC curve: the chance that a positive scores above a negative, ties counting half.
 * Sorts `items`. NaN without both kinds. Cost: O(n log n). */
double pdpr_i_auc(pdpr_i_scored *items, uint64_t count);

/* ---------------------------------------------------------------- minimise.c */

/* Value of a smooth convex function at x[size]; writes its gradient. */
typedef pdpr_status (*pdpr_i_objective)(void *arg, const double *x, double *value, double *gradient,
                                        pdpr_error *err);

/* Moves x to the minimum: until no entry of the gradient is above `tolerance`, or rounding lets the
 * value fall no further. Errors: PDPR_EFAILED (not there after `most_steps`), PDPR_ENOMEM, those of
 * the objective. */
pdpr_status pdpr_i_minimise(pdpr_context *ctx, pdpr_i_objective objective, void *arg, uint64_t size,
                            double tolerance, uint32_t most_steps, double *x, pdpr_error *err);

/* ---------------------------------------------------------------- logistic.c */

/* Examples whose features are made when they are looked at: pairs of nodes need no table. */
typedef struct {
    uint64_t rows;
    uint32_t columns;
    void (*row)(const void *arg, uint64_t i, double *x); /* writes x[columns] */
    const void *arg;
} pdpr_i_features;

/* A fitted model. Two classes have one logit (that of class 1), more have one each. */
typedef struct {
    uint32_t columns, classes, logits;
    double *mean, *scale; /* [columns]: features enter as (x - mean) / scale */
    double *weight;       /* [logits][columns + 1], the intercept last */
} pdpr_i_logistic;

/* Minimises sum of log loss + penalty/2 |weights|^2 over the examples; intercepts are free, and
 * features are brought to mean 0 and deviation 1 first. A class without an example is never
 * predicted. Cost: some 50 to 300 passes over the examples, parallel. Same bytes for any thread
 * count. Errors: PDPR_EUSAGE (no rows, fewer than 2 classes), PDPR_EFAILED, PDPR_ENOMEM,
 * PDPR_ECANCELLED. */
pdpr_status pdpr_i_logistic_fit(pdpr_context *ctx, const pdpr_i_features *features,
                                const uint32_t *label, uint32_t classes, double penalty,
                                pdpr_i_logistic *out, pdpr_error *err);
void pdpr_i_logistic_clear(pdpr_i_logistic *model);
/* logit[logits] of an example; scratch holds x[columns]. */
void pdpr_i_logistic_logits(const pdpr_i_logistic *model, const pdpr_i_features *features,
                            uint64_t row, double *x, double *logit);
/* The likeliest class; of equal ones the first. */
uint32_t pdpr_i_logistic_predict(const pdpr_i_logistic *model, const double *logit);

/* As fit, with the penalty of 1, 10, ..., 10^4 that gives the smallest log loss on every fifth
 * example when fitted to the others. `label` and rows must stand in random order. */
pdpr_status pdpr_i_logistic_choose(pdpr_context *ctx, const pdpr_i_features *features,
                                   const uint32_t *label, uint32_t classes, pdpr_i_logistic *out,
                                   double *penalty, pdpr_error *err);

/* ---------------------------------------------------------------- link_split.c */

/* Pairs (u, v), u < v: an edge, then a pair without one, and so on, both in random order. */
typedef struct {
    uint32_t *train, *test;       /* [2 * pairs] */
    uint64_t num_train, num_test; /* pairs, edges and others together */
    pdpr_graph *graph;            /* what is left without the test edges, directed as g is */
} pdpr_i_link_split;

/* 80 % of the (undirected) edges for training, the rest for testing, and as many distinct pairs
 * without an edge beside each. Cost: O(N + m log d). Errors: PDPR_EUSAGE (fewer than 5 edges, or
 * fewer pairs without an edge than with), PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_link_split_make(pdpr_context *ctx, const pdpr_graph *g, const pdpr_i_key *key,
                                   pdpr_i_link_split *out, pdpr_error *err);
void pdpr_i_link_split_clear(pdpr_i_link_split *split);

/* ---------------------------------------------------------------- labels.c */

struct pdpr_labels {
    uint32_t num_nodes, classes, labelled;
    int32_t *label; /* [num_nodes]; -1: none */
};

/* ---------------------------------------------------------------- score.c */

/* An embedding: node u has v[u * columns ..]. */
typedef struct {
    const float *v;
    uint32_t columns;
} pdpr_i_embedding_view;

/* AUC of test pairs: of logistic regression on the products v_u * v_v entry by entry, and of the
 * inner product alone. */
pdpr_status pdpr_i_link_score(pdpr_context *ctx, const pdpr_i_link_split *split,
                              pdpr_i_embedding_view v, double *auc, double *auc_inner,
                              pdpr_error *err);

/* Labelled nodes in random order: the first num_train train, the rest test. */
typedef struct {
    uint32_t *node;  /* [num_train + num_test] */
    uint32_t *label; /* likewise */
    uint64_t num_train, num_test;
    uint32_t classes;
} pdpr_i_node_split;

/* 90 % of the labelled nodes for training. Errors: PDPR_EUSAGE (fewer than 10 labelled nodes),
 * PDPR_ENOMEM. */
pdpr_status pdpr_i_node_split_make(pdpr_context *ctx, const pdpr_labels *labels,
                                   const pdpr_i_key *key, pdpr_i_node_split *out, pdpr_error *err);
void pdpr_i_node_split_clear(pdpr_i_node_split *split);

/* Micro-F1 of test nodes, which for one label a node is the share of right answers. */
pdpr_status pdpr_i_node_score(pdpr_context *ctx, const pdpr_i_node_split *split,
                              pdpr_i_embedding_view v, double *f1, pdpr_error *err);
/* The same of the answer "the commonest class of the training nodes". */
double pdpr_i_node_majority(const pdpr_i_node_split *split);

#endif
