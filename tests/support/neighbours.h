/* Pairs of neighbouring graphs for sensitivity checks: a base graph on nodes 0..n-1, and node n-1
 * with every (or a sampled) choice of edges. */
#ifndef PDPR_TESTS_NEIGHBOURS_H
#define PDPR_TESTS_NEIGHBOURS_H

#include "support/support.h"
#include "dp/random_stream.h"

/* A query under test. */
typedef struct {
    const char *name;
    uint32_t length; /* numbers it writes */
    /* Measures g; `seed` is public and the same for both graphs of a pair. */
    void (*measure)(pdpr_context *ctx, const pdpr_graph *g, uint64_t seed, int64_t *value);
    /* How far two answers are apart in units of the claimed sensitivity: never above 1. */
    double (*distance)(const int64_t *a, const int64_t *b);
    bool tight; /* some pair must reach exactly 1 */
} test_query;

/* A distance for queries that answer for caps 1..caps, each of sensitivity cap * unit + slack. */
double test_distance_by_cap(const int64_t *a, const int64_t *b, uint32_t caps, double unit,
                            double slack);

/* Small random stream for tests. */
void test_stream(pdpr_i_stream *random, uint64_t index);

/* The graph whose nodes 0..n-2 are joined by the bits of `base` (pairs in order (0,1), (0,2),
 * (1,2), …) and whose node n-1 is joined to the nodes in `row`. n <= 8. */
pdpr_graph *test_graph_of_bits(pdpr_context *ctx, uint32_t n, uint32_t base, uint32_t row);

/* g without the edges of node v. */
pdpr_graph *test_graph_without(pdpr_context *ctx, const pdpr_graph *g, uint32_t v);

/* Largest distance over pairs of neighbours: all bases and all rows for n <= all_up_to, then
 * `sampled` bases for each larger n <= most, with all rows for n <= 6 and 12 of them (the empty and
 * the full among them) beyond. Fails the test above 1, and below 1 if the query is tight. */
void test_sensitivity(pdpr_context *ctx, const test_query *query, uint32_t all_up_to, uint32_t most,
                      uint32_t sampled);

#endif
