/* A second accountant for `verify`, independent of the first: other formulas, other arithmetic, no
 * shared code. It estimates to about 1e-12 and proves nothing about rounding; it is there to notice
 * a mistake in accountant.c, gdp*.c or in a certificate. */
#ifndef PDPR_DP_ACCOUNTANT_CHECK_H
#define PDPR_DP_ACCOUNTANT_CHECK_H

#include "base/base.h"

typedef struct {
    uint64_t numerator, denominator; /* epsilon of a pure charge */
} pdpr_i_check_pure;

typedef struct {
    double mu; /* of one step */
    uint64_t steps;
} pdpr_i_check_gaussian;

typedef struct {
    const pdpr_i_check_pure *pure;
    const pdpr_i_check_gaussian *gaussian;
    uint32_t pure_count, gaussian_count;
} pdpr_i_check_list;

/* What pdpr_accountant_epsilon and pdpr_accountant_delta should have said, 2^-20 of delta kept back
 * included. They agree to 1e-9 relative while the pure charges have at most 2^13 different losses
 * together. Beyond that this one joins close losses and is below, by 1e-3 at most as far as was
 * seen: a claim is wrong if it is below this value by more than 1e-9 of it.
 * Errors: PDPR_EUSAGE (a zero denominator or step, mu or delta or epsilon out of range),
 * PDPR_ENOMEM. Cost: 0.1 s, for long lists a few seconds. */
pdpr_status pdpr_i_check_epsilon(pdpr_context *ctx, const pdpr_i_check_list *list, double delta,
                                 double *out, pdpr_error *err);
pdpr_status pdpr_i_check_delta(pdpr_context *ctx, const pdpr_i_check_list *list, double epsilon,
                               double *out, pdpr_error *err);

/* Whether `claimed` is an epsilon for which this accountant found `epsilon`: at least that, and no
 * more, within what it can tell for so many pure charges (above). */
bool pdpr_i_check_agrees(uint32_t pure_count, double claimed, double epsilon);

/* What pdpr_gdp_mu should have said: nothing of delta is kept back. Errors: PDPR_EUSAGE. */
pdpr_status pdpr_i_check_mu(double epsilon, double delta, double *out, pdpr_error *err);

#endif
