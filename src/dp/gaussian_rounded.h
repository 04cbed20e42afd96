/* Rounded Gaussian noise on the integers: Y = round(sigma * N(0,1)), exactly.
 *
 * The noise of coordinate i is a function of one uniform number, U_i, whose first 64 bits are word
 * i of a stream and whose further bits, hardly ever needed, are page i of a second stream:
 * Y_i = round(sigma * Phi^-1(U_i)) in the mathematical sense. Whatever computes it (kernel, table,
 * MPFR) can only decide it or leave it undecided, so that every machine, compiler, kernel and
 * number of threads gives the same integers.
 *
 * For the barrier only: nothing here counts what it costs. */
#ifndef PDPR_DP_GAUSSIAN_ROUNDED_H
#define PDPR_DP_GAUSSIAN_ROUNDED_H

#include "base/base.h"
#include "dp/random_stream.h"

/* sigma must lie in [2^-20, 2^42). */
#define PDPR_I_SIGMA_LEAST 0x1p-20
#define PDPR_I_SIGMA_LIMIT 0x1p42

/* values[i] += Y_i for every i < count, with the noise at `address` (meter.h).
 *
 * Neighbours:    any two vectors of integers.
 * Precondition:  their L2 distance is at most D; sigma in the range above; the address is used once
 *                under this key; values stay within 2^62.
 * Guarantee:     (D / sigma)-GDP.
 * Proof:         docs/proofs/rounded_gaussian.md, Theorem 1 (exactness) and 2 (privacy).
 * Rounding:      none: the law is that of the rounded Gaussian, given uniform bits.
 *
 * Cost: 7 ns a value on one core (bench/bench_noise.c). Memory: 30 KB of stack a thread.
 * Errors: PDPR_ECANCELLED, PDPR_EFAILED; some values may then have been changed. */
pdpr_status pdpr_i_gaussian_add(pdpr_context *ctx, const pdpr_i_key *key, uint64_t address,
                                double sigma, int64_t *values, uint64_t count, pdpr_error *err);

/* Writes Y for `count` words, a multiple of 256; where the table cannot decide, out is meaningless
 * and the position is put into doubtful[count]. Returns how many those are. */
typedef uint32_t pdpr_i_gaussian_kernel(const uint64_t *words, uint32_t count, double sigma,
                                        int64_t *out, uint32_t *doubtful);

/* The same noise a piece at a time, for whoever does not keep the whole vector. Holds sub-keys:
 * wipe it. Many threads may draw from one. */
typedef struct {
    pdpr_i_stream words, refine; /* at their beginning; copied, never advanced */
    pdpr_cpu cpu;
    double sigma;
} pdpr_i_gaussian_source;

void pdpr_i_gaussian_source_init(const pdpr_context *ctx, const pdpr_i_key *key, uint64_t address,
                                 double sigma, pdpr_i_gaussian_source *out);
void pdpr_i_gaussian_source_wipe(pdpr_i_gaussian_source *source);
/* out[i] = Y_(first + i) for every i < count. */
void pdpr_i_gaussian_source_draw(const pdpr_i_gaussian_source *source, uint64_t first,
                                 uint64_t count, int64_t *out);

/* ---------------------------------------------------------------- inside */

enum {
    PDPR_I_GAUSSIAN_LANES = 256,  /* kernels work on multiples of this */
    PDPR_I_GAUSSIAN_BLOCK = 4096, /* values of one chunk of the parallel loop */
    PDPR_I_GAUSSIAN_PIECE = 1024, /* values drawn at once, so that words and noise stay in L1 */
};

pdpr_i_gaussian_kernel pdpr_i_gaussian_kernel_portable, pdpr_i_gaussian_kernel_avx2,
    pdpr_i_gaussian_kernel_avx512;

/* The first pass of the kernel for AVX2 over 256 words: Y in out, but for the places in
 * refused[256], in order, whose number it returns. What it refuses is all within sigma times the
 * guard of a half-integer, and the tail. */
uint32_t pdpr_i_gaussian_quick_avx2(const uint64_t *words, double sigma, int64_t *out,
                                    uint32_t *refused);
#define PDPR_I_GAUSSIAN_QUICK_GUARD 0x1.1p-40
#define PDPR_I_GAUSSIAN_QUICK_TAIL  3.09

/* Y for one word by exact comparison, further bits of U from `refine`. 0.1 ms. Also the reference
 * that tests hold the kernels against. */
int64_t pdpr_i_gaussian_exact(uint64_t word, double sigma, pdpr_i_stream *refine);

#endif
