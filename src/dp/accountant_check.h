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

/* Different sums of signed pure charges that it can list: those of any 14 charges, of many more if
 * they are equal. A run has at most 11. */
enum { PDPR_I_CHECK_LOSSES = 1 << 14 };

/* What pdpr_accountant_epsilon should have said, 2^-20 of delta kept back
 * included, to 1e-11 of it (tested; nothing is proved of its rounding), or no answer.
 * Errors: PDPR_EUSAGE (a zero denominator or step, mu or delta out of range, more than
 * PDPR_I_CHECK_LOSSES), PDPR_ENOMEM. Cost: 1 s for 11 charges and a Gaussian one, 5 s for 14. */
pdpr_status pdpr_i_check_epsilon(pdpr_context *ctx, const pdpr_i_check_list *list, double delta,
                                 double *out, pdpr_error *err);

/* Whether `claimed` is an epsilon for which this accountant found `epsilon`, within 1e-9. */
bool pdpr_i_check_agrees(double claimed, double epsilon);

#endif
