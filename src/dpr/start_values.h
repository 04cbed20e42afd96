/* Random start of weights and embedding. Part of the hidden randomness, never noise. */
#ifndef PDPR_DPR_START_VALUES_H
#define PDPR_DPR_START_VALUES_H

#include "base/base.h"
#include "dp/random_stream.h"

/* A standard normal in double precision (Box and Muller). For start values only: its low bits
 * betray it, so noise must come from src/dp. */
double pdpr_i_start_normal(pdpr_i_stream *random);

/* v[num_rows][cols] with the variance 2 / (num_rows + cols) of Glorot and Bengio (2010), which the
 * authors' script uses for V. The same for any number of threads. Errors: PDPR_ECANCELLED. */
pdpr_status pdpr_i_start_embedding(pdpr_context *ctx, const pdpr_i_key *key, uint32_t num_rows,
                                   uint32_t cols, float *v, pdpr_error *err);

#endif
