/* The clipped step on a few rows of a large support.
 *
 * A step of deep PageRank touches some hundred rows of V and must put noise on all N. Laid out in
 * full that is a double and an integer a coordinate, 16 N r bytes, written and read three times;
 * here clip and certificate look at the touched rows only, and the noise of the others is drawn a
 * few rows at a time and handed on while it is in the cache.
 *
 * The integers are those of barrier_clip.c: zeros add nothing to a sum, and the floating-point norm
 * is summed over the same blocks in the same order. What is certified is the sum over the rows of
 * the support, not over the rows of the gradient, so that a slot that stands nowhere counts for
 * nothing and one that stands twice counts twice: the certificate speaks of what is released.
 * Proof: docs/proofs/barrier.md, Lemma 3. Cost: O(touched) and the noise, the noise in parallel. */
#include "dp/clip_value.h"
#include "dp/gaussian_rounded.h"

#include <sodium.h>

enum {
    /* Coordinates handed over at once, if rows are short: still in the cache when the receiver
     * reads them. */
    BATCH = 2 * PDPR_I_GAUSSIAN_PIECE,
    MOST_COLS = 1 << 20
};
static const uint64_t most_coordinates = UINT64_C(1) << 40; /* as in barrier_clip.c */

struct pdpr_i_row_clip {
    pdpr_context *ctx;
    pdpr_i_meter *meter; /* NULL: not open yet, no step can be made */
    uint32_t charge, most_rows;
    pdpr_i_clip_plan plan;
    uint64_t rows, cols, batch; /* batch: rows handed over at once */
    int64_t *clipped;           /* [most_rows][cols]: private, as are the squares */
    pdpr_i_wide *square;        /* [most_rows] */
    int64_t *block;             /* [threads][batch][cols] */

    /* of the step under way */
    const pdpr_i_row_gradient *gradient; /* NULL: zero */
    uint32_t steps;
    pdpr_i_gaussian_source noise[PDPR_I_ROW_CLIP_STEPS]; /* of those steps */
    pdpr_i_row_release release;
    void *user;
};

pdpr_status pdpr_i_row_clip_new(pdpr_context *ctx, uint64_t rows, uint64_t cols, uint32_t most_rows,
                                pdpr_i_row_clip **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_row_clip *clip = NULL;

    if (rows < 1 || cols < 1 || cols > MOST_COLS || rows > most_coordinates / cols) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "clip: expected 1 to 2^20 columns and 1 to 2^40 coordinates, found %" PRIu64
                        " rows of %" PRIu64,
                        rows, cols);
        goto done;
    }
    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *clip, "clip", &clip, err));
    *clip = (pdpr_i_row_clip){.ctx = ctx,
                              .most_rows = most_rows,
                              .rows = rows,
                              .cols = cols,
                              .batch = cols < BATCH ? BATCH / cols : 1};
    PDPR_TRY(
        pdpr_i_zalloc(ctx, most_rows * cols, sizeof *clip->clipped, "clip", &clip->clipped, err));
    PDPR_TRY(pdpr_i_alloc(ctx, ctx->threads * clip->batch * cols, sizeof *clip->block, "clip",
                          &clip->block, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, most_rows, sizeof *clip->square, "clip", &clip->square, err));
    *out = clip;
    clip = NULL;
done:
    pdpr_i_row_clip_free(clip);
    return s;
}

pdpr_status pdpr_i_row_clip_open(pdpr_i_row_clip *clip, pdpr_i_meter *meter, const char *label,
                                 const pdpr_i_clip_plan *plan, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t number;
    PDPR_TRY(pdpr_i_clip_check(meter, label, plan, clip->rows * clip->cols, &number, err));
    clip->meter = meter;
    clip->charge = number;
    clip->plan = *plan;
done:
    return s;
}

void pdpr_i_row_clip_free(pdpr_i_row_clip *clip)
{
    if (!clip)
        return;
    if (clip->square) { /* the last to be had */
        sodium_memzero(clip->clipped, clip->most_rows * clip->cols * sizeof *clip->clipped);
        sodium_memzero(clip->square, clip->most_rows * sizeof *clip->square);
    }
    pdpr_free(clip->clipped);
    pdpr_free(clip->block);
    pdpr_free(clip->square);
    pdpr_free(clip);
}

/* Square of the norm in units of C: partial sums over the blocks of the full vector, added in
 * order. */
static double measure(const pdpr_i_row_clip *clip)
{
    double square = 0, sum = 0, scale = 1 / clip->plan.clip_l2;
    uint64_t block = 0;
    for (uint64_t row = 0; row < clip->rows; row++) {
        uint32_t slot = clip->gradient->slot[row];
        if (slot >= clip->gradient->num_rows)
            continue;
        const double *g = clip->gradient->gradient + slot * clip->cols;
        for (uint64_t i = 0; i < clip->cols; i++) {
            uint64_t now = (row * clip->cols + i) / PDPR_I_CLIP_BLOCK;
            if (now != block) {
                square += sum;
                sum = 0;
                block = now;
            }
            double x = pdpr_i_clip_tame(g[i], clip->plan.clip_l2) * scale;
            sum += x * x;
        }
    }
    return square + sum;
}

/* Sum of the squares of all that stands on the support. */
static pdpr_i_wide certified_sum(const pdpr_i_row_clip *clip)
{
    pdpr_i_wide sum = 0;
    for (uint64_t row = 0; row < clip->rows; row++)
        if (clip->gradient->slot[row] < clip->gradient->num_rows)
            sum += clip->square[clip->gradient->slot[row]];
    return sum;
}

/* Leaves integers whose norm on the support is at most K. */
static void clip_to_grid(pdpr_i_row_clip *clip)
{
    const uint64_t cols = clip->cols;
    const pdpr_i_wide limit = pdpr_i_clip_square(clip->plan.radius);
    double factor = pdpr_i_clip_factor(&clip->plan, measure(clip));

    for (uint64_t r = 0; r < clip->gradient->num_rows; r++) {
        clip->square[r] = 0;
        for (uint64_t i = r * cols; i < (r + 1) * cols; i++) {
            clip->clipped[i] =
                pdpr_i_clip_quantise(clip->gradient->gradient[i], &clip->plan, factor);
            clip->square[r] += pdpr_i_clip_square(clip->clipped[i]);
        }
    }
    while (certified_sum(clip) > limit)
        for (uint64_t r = 0; r < clip->gradient->num_rows; r++) {
            clip->square[r] = 0;
            for (uint64_t i = r * cols; i < (r + 1) * cols; i++) {
                clip->clipped[i] = pdpr_i_clip_shrink(clip->clipped[i]);
                clip->square[r] += pdpr_i_clip_square(clip->clipped[i]);
            }
        }
}

/* Adds what stands on these rows of the support. */
static void add_clipped(const pdpr_i_row_clip *clip, uint64_t first, uint64_t rows, int64_t *block)
{
    uint64_t cols = clip->cols;
    for (uint64_t i = 0; i < rows; i++) {
        uint32_t slot = clip->gradient->slot[first + i];
        if (slot >= clip->gradient->num_rows)
            continue;
        for (uint64_t k = 0; k < cols; k++)
            block[i * cols + k] += clip->clipped[slot * cols + k];
    }
}

/* A few rows: for each step what stands there, and noise on every coordinate of them. */
static pdpr_status release_rows(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    (void)err;
    const pdpr_i_row_clip *clip = arg;
    uint64_t cols = clip->cols, first = chunk * clip->batch;
    uint64_t rows = clip->rows - first < clip->batch ? clip->rows - first : clip->batch;
    int64_t *block = clip->block + worker * clip->batch * cols;

    for (uint32_t step = 0; step < clip->steps; step++) {
        pdpr_i_gaussian_source_draw(&clip->noise[step], first * cols, rows * cols, block);
        if (clip->gradient)
            add_clipped(clip, first, rows, block);
        clip->release(clip->user, worker, step, first, rows, block);
    }
    return PDPR_OK;
}

/* Pays for the steps, and then hands over what they release. */
static pdpr_status release_steps(pdpr_i_row_clip *clip, uint32_t steps,
                                 const pdpr_i_row_gradient *gradient, pdpr_i_row_release release,
                                 void *user, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_key *root;
    uint64_t address;

    clip->gradient = gradient;
    clip->release = release;
    clip->user = user;
    for (clip->steps = 0; clip->steps < steps; clip->steps++) {
        PDPR_TRY(pdpr_i_meter_spend(clip->meter, clip->charge, &root, &address, err));
        pdpr_i_gaussian_source_init(clip->ctx, root, address, clip->plan.sigma,
                                    &clip->noise[clip->steps]);
    }
    if (gradient)
        clip_to_grid(clip);
    s = pdpr_i_parallel(clip->ctx, pdpr_i_chunks(clip->rows, clip->batch), release_rows, clip, err);
done:
    for (uint32_t i = 0; i < clip->steps; i++)
        pdpr_i_gaussian_source_wipe(&clip->noise[i]);
    clip->gradient = NULL;
    return s;
}

/* What must hold before anything is spent. */
static pdpr_status check_ready(const pdpr_i_row_clip *clip, uint32_t num_rows, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    PDPR_TRY(pdpr_i_arithmetic_check(err));
    if (!clip->meter || num_rows > clip->most_rows)
        s = pdpr_i_fail(err, PDPR_EUSAGE, "clip: %s",
                        clip->meter ? "the gradient has more rows than its public bound"
                                    : "no charge pays for its steps yet");
done:
    return s;
}

pdpr_status pdpr_i_row_clip_step(pdpr_i_row_clip *clip, const pdpr_i_row_gradient *gradient,
                                 pdpr_i_row_release release, void *user, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    PDPR_TRY(check_ready(clip, gradient->num_rows, err));
    PDPR_TRY(release_steps(clip, 1, gradient, release, user, err));
done:
    return s;
}

pdpr_status pdpr_i_row_clip_idle(pdpr_i_row_clip *clip, uint32_t steps, pdpr_i_row_release release,
                                 void *user, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    PDPR_TRY(check_ready(clip, 0, err));
    if (steps < 1 || steps > PDPR_I_ROW_CLIP_STEPS) {
        s = pdpr_i_fail(err, PDPR_EUSAGE, "clip: expected 1 to %d steps at once, found %" PRIu32,
                        PDPR_I_ROW_CLIP_STEPS, steps);
        goto done;
    }
    PDPR_TRY(release_steps(clip, steps, NULL, release, user, err));
done:
    return s;
}
