/* The sigmoid 1 / (1 + e^-x) of many numbers, and which compiled form of it to use. */
#ifndef PDPR_DPR_SIGMOID_H
#define PDPR_DPR_SIGMOID_H

#include "base/base.h"

/* x[i] = 1 / (1 + exp(-x[i])) for i < count, within a relative 2^-51 of the true value where
 * |x| <= 700, and 1 / (1 + e^700) or 1 beyond; NaN gives a number in [0, 1]. All forms give
 * the same bits. */
typedef void pdpr_i_sigmoid(uint64_t count, double *x);

pdpr_i_sigmoid pdpr_i_sigmoid_portable;
#if defined(__x86_64__)
pdpr_i_sigmoid pdpr_i_sigmoid_avx2;
#endif
/* The form for the instruction set that ctx may use. */
pdpr_i_sigmoid *pdpr_i_sigmoid_choose(const pdpr_context *ctx);

#endif
