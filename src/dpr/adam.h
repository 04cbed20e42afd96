/* Adam (Kingma and Ba 2015), in double precision for weights and single for embeddings. */
#ifndef PDPR_DPR_ADAM_H
#define PDPR_DPR_ADAM_H

#include "base/base.h"

typedef struct {
    double rate;         /* eta > 0 */
    double beta1, beta2; /* decay of the moments, 0 <= beta < 1 */
    double epsilon;      /* >= 0; added to the root of the second moment */
} pdpr_i_adam;

/* The paper's rate 1e-3; 0.9, 0.999, 1e-8 as Kingma and Ba recommend. */
void pdpr_i_adam_default(pdpr_i_adam *out);
/* Errors: PDPR_EUSAGE. */
pdpr_status pdpr_i_adam_check(const pdpr_i_adam *adam, pdpr_error *err);

/* One step (step = 1 is the first) on x[count] with moments first[count], second[count] and
 * gradient[count] * factor. A gradient that is no finite number counts as zero: private values
 * must not stop a run (P-25). Cost: one root and one quotient an entry. */
typedef void pdpr_i_adam_weights(const pdpr_i_adam *adam, uint64_t step, uint64_t count,
                                 double factor, const double *gradient, double *x, double *first,
                                 double *second);
/* The same with x and the moments kept in single precision. All forms give the same bits. */
typedef void pdpr_i_adam_embedding(const pdpr_i_adam *adam, uint64_t step, uint64_t count,
                                   double factor, const double *gradient, float *x, float *first,
                                   float *second);

/* The same for a gradient in units of a grid, as the barrier releases it: integers below 2^51 in
 * size. factor: the unit, a power of two, times the factor above; the bits are those of the
 * gradient in doubles. */
typedef void pdpr_i_adam_grid(const pdpr_i_adam *adam, uint64_t step, uint64_t count, double factor,
                              const int64_t *gradient, float *x, float *first, float *second);

pdpr_i_adam_weights pdpr_i_adam_weights_portable;
pdpr_i_adam_embedding pdpr_i_adam_embedding_portable;
pdpr_i_adam_grid pdpr_i_adam_grid_portable;
#if defined(__x86_64__)
pdpr_i_adam_weights pdpr_i_adam_weights_avx2;
pdpr_i_adam_embedding pdpr_i_adam_embedding_avx2;
pdpr_i_adam_grid pdpr_i_adam_grid_avx2;
#endif

typedef struct {
    pdpr_i_adam_weights *weights;
    pdpr_i_adam_embedding *embedding;
    pdpr_i_adam_grid *grid;
} pdpr_i_adam_forms;

/* The forms for the instruction set that ctx may use. */
pdpr_i_adam_forms pdpr_i_adam_choose(const pdpr_context *ctx);

/* ---------------------------------------------------------------- inside */

/* Corrections of a step: the rate and the factor under the root. */
typedef struct {
    double rate, root;
} pdpr_i_adam_corrections;

pdpr_i_adam_corrections pdpr_i_adam_corrections_of(const pdpr_i_adam *adam, uint64_t step);

#endif
