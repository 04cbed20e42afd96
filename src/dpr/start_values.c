/* Random start of weights and embedding.
 *
 * Rows are drawn in blocks of 1024, each from its own stream, so that threads do not matter.
 * Cost: O(1) a value, some 50 ns. */
#include "dpr/start_values.h"

#include <math.h>

double pdpr_i_start_normal(pdpr_i_stream *random)
{
    const double two_pi = 6.283185307179586;
    double u = 1 - pdpr_i_stream_unit(random); /* in (0, 1]: the logarithm is finite */
    double angle = two_pi * pdpr_i_stream_unit(random);
    return sqrt(-2 * log(u)) * cos(angle);
}

enum { BLOCK = 1024 };

typedef struct {
    const pdpr_i_key *key;
    uint32_t num_rows, cols;
    float *v;
} filling;

static pdpr_status fill_block(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    const filling *f = arg;
    uint64_t first = chunk * BLOCK, end = first + BLOCK < f->num_rows ? first + BLOCK : f->num_rows;
    double deviation = sqrt(2 / ((double)f->num_rows + f->cols));
    pdpr_i_stream random;
    (void)worker, (void)err;
    pdpr_i_stream_init(&random, f->key, PDPR_I_PURPOSE_EMBEDDING_START, chunk);
    for (uint64_t i = first * f->cols; i < end * f->cols; i++)
        f->v[i] = (float)(deviation * pdpr_i_start_normal(&random));
    pdpr_i_stream_wipe(&random);
    return PDPR_OK;
}

pdpr_status pdpr_i_start_embedding(pdpr_context *ctx, const pdpr_i_key *key, uint32_t num_rows,
                                   uint32_t cols, float *v, pdpr_error *err)
{
    filling f = {key, num_rows, cols, v};
    return pdpr_i_parallel(ctx, pdpr_i_chunks(num_rows, BLOCK), fill_block, &f, err);
}
