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
#include <string.h>

enum {
    BLOCK = PDPR_I_GAUSSIAN_BLOCK,
    PIECE = PDPR_I_GAUSSIAN_PIECE,
    LANES = PDPR_I_GAUSSIAN_LANES,
    WORDS_OF_PAGE = PDPR_I_STREAM_PAGE / sizeof(uint64_t)
};

_Static_assert(LANES % WORDS_OF_PAGE == 0, "a group of lanes is whole pages");
_Static_assert(PIECE % LANES == 0, "a piece is whole groups of lanes");
_Static_assert(BLOCK % PIECE == 0, "a block is whole pieces");

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

/* What pieces are drawn in, on the stack of whoever draws several. */
typedef struct {
    uint64_t words[PIECE];
    int64_t noise[PIECE];
    uint32_t doubtful[PIECE];
} piece_space;

/* At most PIECE values that lie in one piece of the stream, into out. They may begin within a page:
 * the words before them on that page are drawn and left out. */
static void draw_piece(const pdpr_i_gaussian_source *source, uint64_t first, uint32_t count,
                       piece_space *space, int64_t *out)
{
    uint32_t before = (uint32_t)(first % WORDS_OF_PAGE);
    uint32_t padded = (uint32_t)pdpr_i_chunks(before + count, LANES) * LANES;
    int64_t *noise = padded == count ? out : space->noise;
    const uint64_t *words = space->words;
    first -= before;

    pdpr_i_stream_pages(&source->words, source->cpu, first / WORDS_OF_PAGE, padded / WORDS_OF_PAGE,
                        space->words);
    uint32_t open = kernel_of(source->cpu)(words, padded, source->sigma, noise, space->doubtful);
    for (uint32_t i = 0; i < open; i++) {
        uint32_t at = space->doubtful[i];
        pdpr_i_stream stream = source->refine;
        pdpr_i_stream_seek(&stream, first + at);
        noise[at] = pdpr_i_gaussian_exact(words[at], source->sigma, &stream);
        pdpr_i_stream_wipe(&stream);
    }
    if (open > 0)
        mpfr_free_cache(); /* MPFR keeps constants for each thread */
    if (noise == space->noise) {
        memcpy(out, noise + before, count * sizeof *out);
        sodium_memzero(space->noise, sizeof *noise * padded);
    }
}

void pdpr_i_gaussian_source_init(const pdpr_context *ctx, const pdpr_i_key *key, uint64_t address,
                                 double sigma, pdpr_i_gaussian_source *out)
{
    pdpr_i_stream_init(&out->words, key, PDPR_I_PURPOSE_GAUSSIAN, address);
    pdpr_i_stream_init(&out->refine, key, PDPR_I_PURPOSE_GAUSSIAN_REFINE, address);
    out->cpu = ctx->cpu_used;
    out->sigma = sigma;
}

void pdpr_i_gaussian_source_wipe(pdpr_i_gaussian_source *source)
{
    pdpr_i_stream_wipe(&source->words);
    pdpr_i_stream_wipe(&source->refine);
}

void pdpr_i_gaussian_source_draw(const pdpr_i_gaussian_source *source, uint64_t first,
                                 uint64_t count, int64_t *out)
{
    piece_space space;
    while (count > 0) {
        uint64_t room = PIECE - first % PIECE;
        uint32_t piece = (uint32_t)(count < room ? count : room);
        draw_piece(source, first, piece, &space, out);
        first += piece;
        out += piece;
        count -= piece;
    }
    sodium_memzero(space.words, sizeof space.words);
}

/* ---------------------------------------------------------------- a whole vector */

typedef struct {
    pdpr_i_gaussian_source source;
    int64_t *values;
    uint64_t count;
} job;

static pdpr_status add_block(void *arg, uint64_t block, uint32_t worker, pdpr_error *err)
{
    (void)worker, (void)err;
    const job *j = arg;
    int64_t noise[PIECE];
    uint64_t end = (block + 1) * BLOCK < j->count ? (block + 1) * BLOCK : j->count;
    for (uint64_t first = block * BLOCK; first < end; first += PIECE) {
        uint64_t count = end - first < PIECE ? end - first : PIECE;
        int64_t *values = j->values + first;
        pdpr_i_gaussian_source_draw(&j->source, first, count, noise);
        for (uint64_t i = 0; i < count; i++)
            values[i] += noise[i];
    }
    sodium_memzero(noise, sizeof noise);
    return PDPR_OK;
}

pdpr_status pdpr_i_gaussian_add(pdpr_context *ctx, const pdpr_i_key *key, uint64_t address,
                                double sigma, int64_t *values, uint64_t count, pdpr_error *err)
{
    job j = {.values = values, .count = count};
    pdpr_i_gaussian_source_init(ctx, key, address, sigma, &j.source);
    pdpr_status s = pdpr_i_parallel(ctx, pdpr_i_chunks(count, BLOCK), add_block, &j, err);
    pdpr_i_gaussian_source_wipe(&j.source);
    return s;
}
