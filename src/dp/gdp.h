/* Gaussian differential privacy: the trade-off of N(0,1) against N(mu,1), and its inverse
 * functions.
 *
 * Everything the accountant says rests on one function, pdpr_i_gdp_delta_upper, which is proved to
 * err upwards only (docs/proofs/gaussian_dp.md). The inverses search for a number at which that
 * upper bound keeps the promise, so that they are on the safe side by construction. */
#ifndef PDPR_DP_GDP_H
#define PDPR_DP_GDP_H

#include "base/base.h"

#include <gmp.h>
#include <mpfr.h>

enum {
    PDPR_I_GDP_BITS = 96,      /* precision of results that stay in MPFR */
    PDPR_I_GDP_ROUGH_BITS = 64 /* the same where a coarse bound may do */
};

#define PDPR_I_GDP_MAX_MU \
    1e6 /* beyond it nothing is private; keeps exponents far from MPFR's end */

/* out := an upper bound of
 *   delta_mu(epsilon) = Phi(-epsilon/mu + mu/2) - e^epsilon Phi(-epsilon/mu - mu/2),
 * the least delta for which a mu-GDP mechanism is (epsilon, delta)-DP; epsilon may be negative.
 * Precondition:  0 <= mu <= PDPR_I_GDP_MAX_MU; mu = 0 stands for a part that reveals nothing.
 * Guarantee:     delta_mu(epsilon) <= out <= 1. Seen in tests, not needed for safety: with b bits
 * of precision in out, out < (1 + 2^(28-b)) delta_mu(epsilon). Proof: docs/proofs/gaussian_dp.md,
 * Theorems 3 and 4. Rounding:      up; the arguments are exact. */
void pdpr_i_gdp_delta_upper(mpfr_t out, double mu, const mpq_t epsilon);

/* A decreasing function of x >= 0, known by upper bounds: out := a bound of delta at x. */
typedef void (*pdpr_i_gdp_curve)(void *model, double x, mpfr_t out);

/* The smallest x >= 0, up to 2^-50 relative, at which the curve's upper bound is at most `delta`,
 * and INFINITY if x would pass 2^60. 0 < delta < 1; `start` > 0 is a guess, any is right.
 * Guarantee:     the returned x itself was tested: bound(x) <= delta. */
double pdpr_i_gdp_smallest(pdpr_i_gdp_curve curve, void *model, double delta, double start);

/* MPFR keeps constants per thread; whoever used it calls this at the end, so that nothing outlives
 * the call. */
void pdpr_i_gdp_forget(void);

#endif
