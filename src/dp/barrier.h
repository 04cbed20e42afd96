/* The barrier: the only functions that turn private values into public ones.
 *
 * Everything left of it may be wrong, hostile or full of NaN without harm to the guarantee: the
 * barrier bounds whatever arrives in integers, adds exact noise to every coordinate of a support
 * whose size is public, and counts the release on the meter first. It knows no graphs. No text of
 * an error here holds a private value, and after a failure the output is untouched or holds zeros.
 *
 * Neighbours below are whatever pair of inputs the caller's sensitivity was proved for; only the
 * clipped step needs no such proof (docs/proofs/barrier.md). */
#ifndef PDPR_DP_BARRIER_H
#define PDPR_DP_BARRIER_H

#include "dp/meter.h"

/* Private values are clamped to +-2^61 before noise; a clamp never raises a sensitivity. */
#define PDPR_I_VALUE_LIMIT (INT64_C(1) << 61)

/* PDPR_EFAILED unless doubles round to nearest. */
pdpr_status pdpr_i_arithmetic_check(pdpr_error *err);

/* ---------------------------------------------------------------- clipped vectors, T steps */

/* The public numbers of a sequence of T clipped steps (PRIVACY P-5). */
typedef struct {
    double clip_l2; /* C: radius, in the units of the gradient */
    double mu;      /* of all steps together */
    uint32_t steps; /* T */
    int exponent;   /* k: the grid is 2^k */
    int64_t radius; /* K = floor(C / 2^k) */
    double sigma;   /* of the noise in grid units: at least 2 K sqrt(T) / mu */
    double mu_step; /* of one step: mu / sqrt(T), for the plan's charge */
} pdpr_i_clip_plan;

/* k = min(floor(log2 tau) - 30, floor(log2 C) - 16) with tau = 2 C sqrt(T) / mu.
 * Rounding: sigma is 1 + 2^-40 times the formula, so never below its exact value.
 * Errors: PDPR_EUSAGE (C outside [2^-500, 2^500], T = 0, mu outside (0, 2^12], sigma >= 2^42). */
pdpr_status pdpr_i_clip_plan_make(double clip_l2, uint32_t steps, double mu, pdpr_i_clip_plan *out,
                                  pdpr_error *err);

/* Whether rounded Gaussian noise of this sigma pays for this L2 sensitivity, in 1..2^53:
 * sensitivity / sigma <= mu, on the safe side, with both in their ranges. */
bool pdpr_i_sigma_suffices(uint64_t l2_sensitivity, double sigma, double mu);

/* What the steps need beside the gradient, made before the first of them. This form, on whole
 * vectors, is the reference that the tests hold the rows below against; training uses the rows. */
typedef struct pdpr_i_clip pdpr_i_clip;

/* `count` <= 2^40 coordinates, the same in every step; the meter must outlive the result. Checks
 * plan against charge. Errors: PDPR_EUSAGE (they do not fit), PDPR_ENOMEM, and those of
 * pdpr_i_meter_find. */
pdpr_status pdpr_i_clip_new(pdpr_context *ctx, pdpr_i_meter *meter, const char *label,
                            const pdpr_i_clip_plan *plan, uint64_t count, pdpr_i_clip **out,
                            pdpr_error *err);
void pdpr_i_clip_free(pdpr_i_clip *clip);

/* One step: out = clip(gradient) + noise in units of 2^k, on all coordinates. gradient is
 * [count], NULL for an empty batch, which is treated as zeros and gets the same noise.
 *
 * Neighbours:    any two gradients, whatever they are.
 * Precondition:  none on the gradient; non-finite entries count as 0.
 * Guarantee:     mu_step-GDP; all T steps, adaptively chosen, mu-GDP.
 * Proof:         docs/proofs/barrier.md, Theorem 1.
 * Rounding:      the norm of what is noised is at most K, in integers; sigma is rounded up.
 *
 * Cost: 11 ns a coordinate on one core. Errors: PDPR_EBUDGET (all steps made), PDPR_EFAILED,
 * PDPR_ECANCELLED; a step that fails after the meter counted it stays counted. */
pdpr_status pdpr_i_clip_step(pdpr_i_clip *clip, const double *gradient, int64_t *out,
                             pdpr_error *err);

/* The same step for a gradient that is zero outside a few rows of a support of `rows` rows of
 * `cols`: the same integers as pdpr_i_clip_step on the vector that is laid out in full, and never
 * that vector in memory. */
typedef struct pdpr_i_row_clip pdpr_i_row_clip;

/* A gradient on the support. Private, but for the sizes that pdpr_i_row_clip_new was told. */
typedef struct {
    uint32_t num_rows;      /* <= most_rows */
    const double *gradient; /* [num_rows][cols] */
    const uint32_t *slot;   /* [rows]: the row of `gradient` that stands there; num_rows or more:
                               zeros */
} pdpr_i_row_gradient;

/* Takes rows first .. first + rows - 1 of what step `step` of a call releases, [rows][cols] in
 * units of 2^k. Called from several threads at once for disjoint rows, for one row in the order of
 * the steps; worker < threads of the context. */
typedef void (*pdpr_i_row_release)(void *user, uint32_t worker, uint32_t step, uint64_t first,
                                   uint64_t rows, const int64_t *noisy);

/* All the memory that the steps need, sized by public numbers: to be had before the ledger reserves
 * anything, so that no step can fail for want of it. 8 most_rows cols bytes, and 32 KB a thread (8
 * cols if that is more). Errors: PDPR_EUSAGE (sizes: 1 <= cols <= 2^20, 1 <= rows cols <= 2^40),
 * PDPR_ENOMEM. */
pdpr_status pdpr_i_row_clip_new(pdpr_context *ctx, uint64_t rows, uint64_t cols, uint32_t most_rows,
                                pdpr_i_row_clip **out, pdpr_error *err);
/* Names the charge that pays, and checks plan against charge; the meter must outlive the steps.
 * Allocates nothing. Errors: PDPR_EUSAGE (they do not fit), and those of pdpr_i_meter_find. */
pdpr_status pdpr_i_row_clip_open(pdpr_i_row_clip *clip, pdpr_i_meter *meter, const char *label,
                                 const pdpr_i_clip_plan *plan, pdpr_error *err);
void pdpr_i_row_clip_free(pdpr_i_row_clip *clip);

/* One step. Each of the rows is handed to `release` exactly once, with its noise.
 *
 * Neighbours, precondition, guarantee, rounding, errors: as pdpr_i_clip_step; PDPR_EUSAGE if there
 * are more than most_rows. After a failure some rows were handed over, all with their noise.
 * Proof: docs/proofs/barrier.md, Lemma 3 and Theorem 1. */
pdpr_status pdpr_i_row_clip_step(pdpr_i_row_clip *clip, const pdpr_i_row_gradient *gradient,
                                 pdpr_i_row_release release, void *user, pdpr_error *err);

enum { PDPR_I_ROW_CLIP_STEPS = 8 }; /* most that one call of the next function makes */

/* `steps` steps, at least one, of a gradient that is zero whatever the data: the integers, charges
 * and addresses of as many calls of pdpr_i_row_clip_step without a row. All of them are counted on
 * the meter before the first noise is drawn. A few rows are handed over with the noise of every
 * step, in order, before the next rows are begun, so that what receives them stays in the cache.
 *
 * Guarantee, errors: as that many steps. After PDPR_EBUDGET the steps that were left are counted
 * and nothing was handed over. */
pdpr_status pdpr_i_row_clip_idle(pdpr_i_row_clip *clip, uint32_t steps, pdpr_i_row_release release,
                                 void *user, pdpr_error *err);

/* ---------------------------------------------------------------- aggregate queries */

/* The rate of discrete Laplace noise for a sensitivity in grid units: epsilon / sensitivity.
 * Errors: PDPR_EUSAGE (sensitivity outside 1..2^31, parts of epsilon outside 1..2^32). */
pdpr_status pdpr_i_laplace_rate(pdpr_i_ratio epsilon, uint64_t sensitivity, pdpr_i_ratio *out,
                                pdpr_error *err);

typedef struct {
    const char *label;       /* of the charge that pays */
    uint64_t l1_sensitivity; /* of the whole vector, in grid units */
    pdpr_i_ratio rate;       /* of the noise; its scale is 1 / rate grid units */
} pdpr_i_laplace_request;

/* out = values + discrete Laplace noise, `count` integers in units of a public grid. out may be
 * values.
 *
 * Neighbours:    inputs for which the L1 distance of values is at most l1_sensitivity.
 * Precondition:  that; checked here: rate * l1_sensitivity <= epsilon of the charge.
 * Guarantee:     epsilon-DP, with delta (1 + e^epsilon) * count * 2^-126 for the sampler's tail.
 * Proof:         docs/proofs/discrete_laplace.md, Theorem 1.
 * Rounding:      integers only.
 *
 * Errors, before anything is drawn: PDPR_EUSAGE (noise too small for the charge, out of range),
 * PDPR_EBUDGET (the charge is used up), those of pdpr_i_meter_find. */
pdpr_status pdpr_i_release_laplace(pdpr_i_meter *meter, const pdpr_i_laplace_request *request,
                                   const int64_t *values, uint64_t count, int64_t *out,
                                   pdpr_error *err);

/* A value known to lie in [low, high]. Units: 1 / units_per_step of a grid step. */
typedef struct {
    const char *label;       /* of the query, for the error's text */
    uint64_t sensitivity;    /* of the exact value, in units */
    uint64_t gap;            /* declared: high - low never exceeds it, in units */
    uint64_t units_per_step; /* >= 1 */
} pdpr_i_interval_request;

/* *value = floor(low / units_per_step), still private, and the sensitivity with which it may be
 * released, *steps = ceil((sensitivity + gap) / units_per_step), both in grid steps.
 *
 * Neighbours:    inputs whose exact values differ by at most `sensitivity`.
 * Precondition:  low <= exact value <= high, certified in integers; checked here: high - low <=
 *                gap.
 * Guarantee:     *value differs by at most *steps between neighbours.
 * Proof:         docs/proofs/certified_interval.md, Theorem 1.
 * Rounding:      down, paid for in the sensitivity.
 *
 * Errors: PDPR_EUSAGE (units_per_step 0, one of the three beyond 2^62), PDPR_EFAILED (the
 * certificate is refused). */
pdpr_status pdpr_i_interval_value(const pdpr_i_interval_request *request, int64_t low, int64_t high,
                                  int64_t *value, uint64_t *steps, pdpr_error *err);

typedef struct {
    const char *label;           /* of the charge that pays */
    pdpr_i_ratio epsilon;        /* of the noise */
    uint32_t count;              /* integers that are released together */
    const uint64_t *sensitivity; /* [count] of each, in steps of its own grid */
} pdpr_i_box_request;

/* out = values + box noise (box_noise.h), `count` integers, each in units of its own public grid.
 * out may be values.
 *
 * Neighbours:    inputs for which values[i] differs by at most sensitivity[i], for every i.
 * Precondition:  that; checked here: the noise's epsilon is at most the charge's.
 * Guarantee:     epsilon-DP, with delta (1 + e^epsilon) 2^-126 for the sampler's tail.
 * Proof:         docs/proofs/box_noise.md, Theorem 1.
 * Rounding:      integers only.
 *
 * Errors, before anything is drawn: PDPR_EUSAGE (noise too small for the charge, out of the range
 * of pdpr_i_box_init), PDPR_EBUDGET (the charge is used up), those of pdpr_i_meter_find. */
pdpr_status pdpr_i_release_box(pdpr_i_meter *meter, const pdpr_i_box_request *request,
                               const int64_t *values, int64_t *out, pdpr_error *err);

/* Chooses one of `count` candidates, small losses first: permute-and-flip. A score on a grid 1/q
 * goes in as floor(q * score), with q times its sensitivity.
 *
 * Neighbours:    inputs for which no loss differs by more than `sensitivity` >= 1.
 * Precondition:  that.
 * Guarantee:     epsilon-DP, with delta (1 + e^epsilon) * count * 2^-249 for the coins.
 * Proof:         docs/proofs/permute_and_flip.md, Theorem 1.
 * Rounding:      integers only.
 *
 * Errors: PDPR_EUSAGE (no candidate, sensitivity outside 1..2^30), PDPR_EBUDGET, PDPR_ENOMEM, those
 * of pdpr_i_meter_find. */
pdpr_status pdpr_i_release_selection(pdpr_context *ctx, pdpr_i_meter *meter, const char *label,
                                     uint64_t sensitivity, const int64_t *losses, uint32_t count,
                                     uint32_t *chosen, pdpr_error *err);

#endif
