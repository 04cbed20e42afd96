/* Packing problems whose items lie in two or three bins, solved with a certificate in integers.
 *
 *     maximise  sum_j z_j   subject to   0 <= z_j <= upper_j,   sum over items j in row v of z_j <=
 * cap_v.
 *
 * Three parts that know nothing of each other: packing_solver.c proposes points (floating point,
 * untrusted), packing_descent.c proposes points at a proven rate (integers, slow), and
 * packing_certificate.c, the only one that is trusted, says in integers what a proposal proves. */
#ifndef PDPR_BLUEPRINT_PACKING_H
#define PDPR_BLUEPRINT_PACKING_H

#include "base/base.h"
#include "blueprint/interval.h"

#define PDPR_I_NO_ROW UINT32_MAX

/* Points are given on the grid 2^-40. */
enum { PDPR_I_PACKING_BITS = 40 };
#define PDPR_I_PACKING_ONE ((uint64_t)1 << PDPR_I_PACKING_BITS)

/* Bounds that keep all sums exact and the rate's proof valid (docs/proofs/triangle_cap.md). */
#define PDPR_I_PACKING_MOST_UPPER  ((uint64_t)1 << 20) /* upper_j and cap_v */
#define PDPR_I_PACKING_MOST_WEIGHT ((uint64_t)1 << 32) /* sum over rows of `weight` */

typedef struct {
    uint32_t num_rows, num_items;
    uint32_t *cap;      /* [num_rows], >= 1 */
    uint32_t (*row)[3]; /* [num_items]: different rows, PDPR_I_NO_ROW after the last */
    uint32_t *upper;    /* [num_items], >= 1 */
    uint64_t *start;    /* [num_rows + 1] */
    uint32_t *item;     /* items of row v: item[start[v] .. start[v + 1]) */
    uint64_t *weight;   /* [num_rows]: sum of upper over the row's items, cap if larger */
} pdpr_i_packing;

/* Fills start, item and weight from the other fields. Errors: PDPR_ENOMEM; PDPR_EFAILED if the
 * weights exceed PDPR_I_PACKING_MOST_WEIGHT. */
pdpr_status pdpr_i_packing_index(pdpr_context *ctx, pdpr_i_packing *p, pdpr_error *err);
void pdpr_i_packing_clear(pdpr_i_packing *p);

/* ---------------------------------------------------------------- certificate (trusted) */

/* Does z [num_items] satisfy every constraint? If so *value is its sum: a lower bound of the
 * optimum, in units of 2^-40. Exact. O(size). */
bool pdpr_i_packing_lower(const pdpr_i_packing *p, const uint64_t *z, pdpr_i_wide *value);

/* Is y [num_rows] within 0..2^40? If so *value = sum cap_v y_v + sum_j upper_j max(0, 1 - sum of
 * y over j's rows): an upper bound of the optimum by weak duality, in units of 2^-40. Exact. */
bool pdpr_i_packing_upper(const pdpr_i_packing *p, const uint64_t *y, pdpr_i_wide *value);

/* ---------------------------------------------------------------- proposals (untrusted) */

/* Turns any z with z_j <= upper_j into a feasible one: items of overfull rows shrink in
 * proportion, then what room is left is filled in order. The shrinking takes no more than the sum
 * of the rows' excess, up to rounding. scale and room are workspaces of num_rows. O(size). */
void pdpr_i_packing_repair(const pdpr_i_packing *p, uint64_t *z, double *scale, uint64_t *room);

/* The best bounds that any proposal proved so far. */
typedef struct {
    pdpr_i_wide lo, hi; /* units of 2^-40 */
} pdpr_i_packing_bounds;

/* Primal-dual iterations with restarts, in doubles: fast, proves nothing by itself. */
typedef struct pdpr_i_packing_solver pdpr_i_packing_solver;
pdpr_status pdpr_i_packing_solver_new(pdpr_context *ctx, const pdpr_i_packing *p,
                                      pdpr_i_packing_solver **out, pdpr_error *err);
void pdpr_i_packing_solver_free(pdpr_i_packing_solver *s);
/* Runs a fixed number of iterations, certifies what it found and tightens *bounds. */
pdpr_status pdpr_i_packing_solver_run(pdpr_i_packing_solver *s, pdpr_i_packing_bounds *bounds,
                                      pdpr_error *err);

/* Subgradient steps in integers. After 4^e steps of round e the bounds are at most
 * 2^-e * (sum of weights) + 2^-6 apart, on every input. */
typedef struct pdpr_i_packing_descent pdpr_i_packing_descent;
pdpr_status pdpr_i_packing_descent_new(pdpr_context *ctx, const pdpr_i_packing *p,
                                       pdpr_i_packing_descent **out, pdpr_error *err);
void pdpr_i_packing_descent_free(pdpr_i_packing_descent *d);
/* Makes `steps` steps and tightens *bounds where a round ends. */
void pdpr_i_packing_descent_run(pdpr_i_packing_descent *d, uint64_t steps,
                                pdpr_i_packing_bounds *bounds);

/* Bounds of the optimum at most `gap` apart (units of 2^-40, at least 2^-5). Ends on the
 * certificate only, and on every input. Errors: PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_packing_solve(pdpr_context *ctx, const pdpr_i_packing *p, pdpr_i_wide gap,
                                 pdpr_i_packing_bounds *out, pdpr_error *err);

#endif
