/* A vector of rounded Gaussian noise: words from the stream, kernel, exact path for the few that
 * the kernel leaves open, all in parallel over blocks whose addresses depend on their number only.
 *
 * Coordinate i takes word i of stream (key, GAUSSIAN, address) and, if needed, page i of stream
 * (key, GAUSSIAN_REFINE, address). At sigma = 2^30 about two values in a million are left open, in
 * proportion to sigma: the exact path costs as much as the kernel at 2^36.
 *
 * Timing: every value takes one word and the same kernel work. The exact path is taken where
 * sigma * x is close to a half-integer, whatever its size, and beyond 4.9 sigma; so the time tells
 * at most how many values lie out there (one in a million does).
 * Proof: docs/proofs/rounded_gaussian.md. */
#include "dp/gaussian_rounded.h"

#include <mpfr.h>
#include <sodium.h>

enum { BLOCK = PDPR_I_GAUSSIAN_BLOCK, LANES = PDPR_I_GAUSSIAN_LANES };

_Static_assert(BLOCK % LANES == 0, "a block is whole groups of lanes");
_Static_assert(BLOCK * sizeof(uint64_t) % PDPR_I_STREAM_PAGE == 0, "a block is whole pages");

typedef struct {
    const pdpr_i_stream *words, *refine; /* at their beginning; copied, never advanced */
    pdpr_i_gaussian_kernel *kernel;
    double sigma;
    int64_t *values;
    uint64_t count;
} job;

static pdpr_i_gaussian_kernel *kernel_of(pdpr_cpu cpu)
{
    static pdpr_i_gaussian_kernel *const kernels[] = {
        [PDPR_CPU_AUTO] = pdpr_i_gaussian_kernel_portable,
        [PDPR_CPU_PORTABLE] = pdpr_i_gaussian_kernel_portable,
#if defined(__x86_64__)
        [PDPR_CPU_AVX2] = pdpr_i_gaussian_kernel_avx2,
        [PDPR_CPU_AVX512] = pdpr_i_gaussian_kernel_avx512,
#endif
    };
    return kernels[cpu];
}

static pdpr_status add_block(void *arg, uint64_t block, uint32_t worker, pdpr_error *err)
{
    (void)worker, (void)err;
    const job *j = arg;
    uint64_t words[BLOCK];
    int64_t noise[BLOCK];
    uint32_t doubtful[BLOCK];
    uint64_t first = block * BLOCK;
    uint32_t count = j->count - first < BLOCK ? (uint32_t)(j->count - first) : BLOCK;
    uint32_t padded = (uint32_t)pdpr_i_chunks(count, LANES) * LANES;

    pdpr_i_stream stream = *j->words;
    pdpr_i_stream_seek(&stream, first * sizeof *words / PDPR_I_STREAM_PAGE);
    pdpr_i_stream_words(&stream, words, padded);
    uint32_t open = j->kernel(words, padded, j->sigma, noise, doubtful);
    for (uint32_t i = 0; i < open; i++) {
        stream = *j->refine;
        pdpr_i_stream_seek(&stream, first + doubtful[i]);
        noise[doubtful[i]] = pdpr_i_gaussian_exact(words[doubtful[i]], j->sigma, &stream);
    }
    if (open > 0)
        mpfr_free_cache(); /* MPFR keeps constants for each thread */
    for (uint32_t i = 0; i < count; i++)
        j->values[first + i] += noise[i];

    pdpr_i_stream_wipe(&stream);
    sodium_memzero(words, sizeof *words * padded);
    sodium_memzero(noise, sizeof *noise * padded);
    return PDPR_OK;
}

pdpr_status pdpr_i_gaussian_add(pdpr_context *ctx, const pdpr_i_key *key, uint64_t address,
                                double sigma, int64_t *values, uint64_t count, pdpr_error *err)
{
    pdpr_i_stream words, refine;
    pdpr_i_stream_init(&words, key, PDPR_I_PURPOSE_GAUSSIAN, address);
    pdpr_i_stream_init(&refine, key, PDPR_I_PURPOSE_GAUSSIAN_REFINE, address);

    job j = {.words = &words,
             .refine = &refine,
             .kernel = kernel_of(ctx->cpu_used),
             .sigma = sigma,
             .values = values,
             .count = count};
    pdpr_status s = pdpr_i_parallel(ctx, pdpr_i_chunks(count, BLOCK), add_block, &j, err);

    pdpr_i_stream_wipe(&words);
    pdpr_i_stream_wipe(&refine);
    return s;
}
