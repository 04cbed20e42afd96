/* Largest fractional forests under degree caps, solved with a certificate in integers.
 *
 *     maximise  sum_e x_e   over the forest polytope of a graph (x(E[S]) <= |S| - 1 for every set S
 *     of nodes, x >= 0) with  sum over edges e at v of x_e <= cap_v  for the capped nodes v.
 *
 * As in packing.h, proposals (forest_exchange.c, forest_average.c, forest_descent.c:
 * untrusted) and the certificate
 * (forest_certificate.c: trusted) are kept apart. */
#ifndef PDPR_BLUEPRINT_FOREST_H
#define PDPR_BLUEPRINT_FOREST_H

#include "base/base.h"
#include "blueprint/interval.h"

/* Prices and points are given on the grid 2^-40. */
enum { PDPR_I_FOREST_BITS = 40 };
#define PDPR_I_FOREST_ONE ((uint64_t)1 << PDPR_I_FOREST_BITS)

/* Nodes 0..num_capped-1 have a cap, the rest have none. */
typedef struct {
    uint32_t num_nodes, num_capped, num_edges;
    uint32_t *cap;      /* [num_capped], >= 1 */
    uint32_t (*end)[2]; /* [num_edges]: different nodes, the first capped */
} pdpr_i_forest_problem;

void pdpr_i_forest_problem_clear(pdpr_i_forest_problem *p);

/* ---------------------------------------------------------------- certificate (trusted) */

/* Workspace of the functions below. */
typedef struct {
    uint32_t *parent;   /* [num_nodes] */
    uint64_t *weight;   /* [num_edges] */
    uint32_t *order[2]; /* [num_edges] each */
    pdpr_i_wide *load;  /* [num_capped] */
} pdpr_i_forest_work;

pdpr_status pdpr_i_forest_work_init(pdpr_context *ctx, const pdpr_i_forest_problem *p,
                                    pdpr_i_forest_work *out, pdpr_error *err);
void pdpr_i_forest_work_clear(pdpr_i_forest_work *w);

/* The heaviest forest for edge weights 1 - (prices of the capped ends), prices y [num_capped]
 * within 0..2^40: its edges go to edge [num_nodes], their number to *count. *value = sum cap_v y_v
 * + its weight: an upper bound of the optimum by weak duality, in units of 2^-40, exact. False if a
 * price is out of range. Equal weights are taken in the order of the edges. O(size). */
bool pdpr_i_forest_upper(const pdpr_i_forest_problem *p, const uint64_t *y, pdpr_i_forest_work *w,
                         uint32_t *edge, uint32_t *count, pdpr_i_wide *value);

/* A sum of forests: edge e stands in it count[e] times, `total` is their number. Its mean,
 * count[e] / total, lies in the forest polytope. */
typedef struct {
    uint64_t *count; /* [num_edges] */
    uint64_t total;
} pdpr_i_forest_sum;

/* Adds the forest of the given edges `times` times. False, and nothing changes, if the edges are
 * not edges of the problem, close a cycle, or the total would pass 2^62. */
bool pdpr_i_forest_sum_add(const pdpr_i_forest_problem *p, pdpr_i_forest_sum *sum,
                           const uint32_t *edge, uint32_t count, uint64_t times,
                           pdpr_i_forest_work *w);

/* Is z [num_edges] at most the sum's mean at every edge and within every cap? If so *value is its
 * sum: a lower bound of the optimum, in units of 2^-40. Exact. False for a sum without
 * forests. */
bool pdpr_i_forest_lower(const pdpr_i_forest_problem *p, const pdpr_i_forest_sum *sum,
                         const uint64_t *z, pdpr_i_forest_work *w, pdpr_i_wide *value);

/* ---------------------------------------------------------------- proposals (untrusted) */

/* The sum's mean, shrunk where caps are exceeded, by no more than the excess. Writes z [num_edges].
 */
void pdpr_i_forest_shrink(const pdpr_i_forest_problem *p, const pdpr_i_forest_sum *sum,
                          pdpr_i_forest_work *w, uint64_t *z);

/* The best bounds that any proposal proved so far, in units of 2^-40. */
typedef struct {
    pdpr_i_wide lo, hi;
} pdpr_i_forest_bounds;

/* One forest within the caps that exchanges cannot enlarge: its edges go to edge [num_nodes], their
 * number to *count. y [num_capped] is 1 on the set of nodes that stops it, 0 elsewhere. Errors:
 * PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_forest_exchange(pdpr_context *ctx, const pdpr_i_forest_problem *p,
                                   uint32_t *edge, uint32_t *count, uint64_t *y, pdpr_error *err);

/* Prices that follow the mean of the forests they asked for: fast, without a proven rate. `gain` is
 * the price of one edge too many. */
typedef struct pdpr_i_forest_average pdpr_i_forest_average;
pdpr_status pdpr_i_forest_average_new(pdpr_context *ctx, const pdpr_i_forest_problem *p,
                                      double gain, pdpr_i_forest_average **out, pdpr_error *err);
void pdpr_i_forest_average_free(pdpr_i_forest_average *a);
void pdpr_i_forest_average_run(pdpr_i_forest_average *a, uint64_t steps,
                               pdpr_i_forest_bounds *bounds);
/* The best lower bound that it proved itself. */
pdpr_i_wide pdpr_i_forest_average_lower(const pdpr_i_forest_average *a);

/* Subgradient steps in integers: after 4^e steps of round e the bounds are at most 2^-e * W +
 * W * 2^-39 + 2^-7 apart on every input, W = sum over capped nodes of the larger of cap and degree.
 */
typedef struct pdpr_i_forest_descent pdpr_i_forest_descent;
pdpr_status pdpr_i_forest_descent_new(pdpr_context *ctx, const pdpr_i_forest_problem *p,
                                      pdpr_i_forest_descent **out, pdpr_error *err);
void pdpr_i_forest_descent_free(pdpr_i_forest_descent *d);
void pdpr_i_forest_descent_run(pdpr_i_forest_descent *d, uint64_t steps,
                               pdpr_i_forest_bounds *bounds);

/* Bounds of the optimum at most `gap` apart (units of 2^-40, at least 2^-5). Ends on the
 * certificate only, and on every input. Errors: PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_forest_solve(pdpr_context *ctx, const pdpr_i_forest_problem *p, pdpr_i_wide gap,
                                pdpr_i_forest_bounds *out, pdpr_error *err);

#endif
