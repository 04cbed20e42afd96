/* The clipped step: scale, truncate, certify in integers, add noise, count (PRIVACY section 5).
 *
 * Floating point is used to come close to the wanted clip and decides nothing: the norm of what is
 * noised is summed in 128-bit integers, and shrunk until it is at most K. Hence any two inputs give
 * vectors at most 2K apart, whatever their gradients, networks, degrees or bugs are.
 *
 * The floating-point sum is made of fixed blocks added in order, so that results do not depend on
 * the number of threads. Memory is sized by public numbers when the clip is made; a step allocates
 * nothing. Cost: three passes over the coordinates and the noise, all parallel.
 * Proof: docs/proofs/barrier.md. */
#include "dp/clip_value.h"
#include "dp/gaussian_rounded.h"

#include <sodium.h>
#include <string.h>

typedef pdpr_i_wide wide;

enum { BLOCK = PDPR_I_CLIP_BLOCK };
static const int64_t largest_radius = INT64_C(1) << 43;
static const uint64_t most_coordinates = UINT64_C(1) << 40; /* 2^40 * 2^86 fits 128 bits */

struct pdpr_i_clip {
    pdpr_context *ctx;
    pdpr_i_meter *meter;
    uint32_t charge;
    pdpr_i_clip_plan plan;
    uint64_t count, blocks;
    double *norms; /* [blocks]: private, as are the squares */
    wide *squares; /* [blocks] */

    /* of the step under way */
    const double *gradient;
    double factor;
    int64_t *out;
};

pdpr_status pdpr_i_clip_plan_make(double clip_l2, uint32_t steps, double mu, pdpr_i_clip_plan *out,
                                  pdpr_error *err)
{
    if (!(clip_l2 >= 0x1p-500 && clip_l2 <= 0x1p500 && mu > 0 && mu <= 0x1p12 && steps > 0))
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "clip: expected a radius in [2^-500, 2^500], mu in (0, 4096] and at "
                           "least one step, found %g, %g and %" PRIu32,
                           clip_l2, mu, steps);
    double z = sqrt(steps) / mu; /* noise multiplier: std / sensitivity */
    int k = ilogb(2 * clip_l2 * z) - 30;
    int k_radius = ilogb(clip_l2) - 16;
    if (k > k_radius)
        k = k_radius;
    pdpr_i_clip_plan plan = {.clip_l2 = clip_l2,
                             .mu = mu,
                             .steps = steps,
                             .exponent = k,
                             .radius = (int64_t)floor(ldexp(clip_l2, -k)),
                             .mu_step = mu / sqrt(steps)};
    plan.sigma = 2 * (double)plan.radius * z * (1 + 0x1p-40);
    if (!(plan.sigma < PDPR_I_SIGMA_LIMIT))
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "clip: expected noise below 2^42 grid steps, found %g; mu is too small "
                           "for %" PRIu32 " steps",
                           plan.sigma, steps);
    *out = plan;
    return PDPR_OK;
}

bool pdpr_i_sigma_suffices(uint64_t l2_sensitivity, double sigma, double mu)
{
    /* two roundings of 2^-53 each are less than what is taken off; NaN fails */
    return sigma >= PDPR_I_SIGMA_LEAST && sigma < PDPR_I_SIGMA_LIMIT && l2_sensitivity >= 1 &&
           l2_sensitivity <= UINT64_C(1) << 53 &&
           (double)l2_sensitivity <= sigma * mu * (1 - 0x1p-50);
}

pdpr_status pdpr_i_clip_check(const pdpr_i_meter *meter, const char *label,
                              const pdpr_i_clip_plan *plan, uint64_t count, uint32_t *number,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_charge *charge;

    PDPR_TRY(pdpr_i_meter_find(meter, label, PDPR_I_CHARGE_GAUSSIAN, number, &charge, err));
    if (plan->steps != charge->steps || plan->radius < 1 || plan->radius > largest_radius ||
        !pdpr_i_sigma_suffices(2 * (uint64_t)plan->radius, plan->sigma, charge->mu_step)) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "charge %s: radius %" PRId64 ", sigma %g and %" PRIu32
                        " steps do not fit its mu of %g a step for %" PRIu32 " steps",
                        label, plan->radius, plan->sigma, plan->steps, charge->mu_step,
                        charge->steps);
        goto done;
    }
    if (count > most_coordinates)
        s = pdpr_i_fail(err, PDPR_EUSAGE, "clip: expected at most 2^40 coordinates, found %" PRIu64,
                        count);
done:
    return s;
}

pdpr_status pdpr_i_clip_new(pdpr_context *ctx, pdpr_i_meter *meter, const char *label,
                            const pdpr_i_clip_plan *plan, uint64_t count, pdpr_i_clip **out,
                            pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_clip *clip = NULL;
    uint32_t number;

    PDPR_TRY(pdpr_i_clip_check(meter, label, plan, count, &number, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *clip, "clip", &clip, err));
    clip->ctx = ctx;
    clip->meter = meter;
    clip->charge = number;
    clip->plan = *plan;
    clip->count = count;
    clip->blocks = pdpr_i_chunks(count, BLOCK);
    PDPR_TRY(pdpr_i_zalloc(ctx, clip->blocks, sizeof *clip->norms, "clip", &clip->norms, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, clip->blocks, sizeof *clip->squares, "clip", &clip->squares, err));
    *out = clip;
    clip = NULL;
done:
    pdpr_i_clip_free(clip);
    return s;
}

void pdpr_i_clip_free(pdpr_i_clip *clip)
{
    if (!clip)
        return;
    if (clip->squares) { /* the last to be had */
        sodium_memzero(clip->norms, clip->blocks * sizeof *clip->norms);
        sodium_memzero(clip->squares, clip->blocks * sizeof *clip->squares);
    }
    pdpr_free(clip->norms);
    pdpr_free(clip->squares);
    pdpr_free(clip);
}

/* The coordinate after the last of a block. */
static uint64_t block_end(const pdpr_i_clip *clip, uint64_t block)
{
    uint64_t end = (block + 1) * BLOCK;
    return end < clip->count ? end : clip->count;
}

/* Square of the block's norm, in units of C. */
static pdpr_status measure_block(void *arg, uint64_t block, uint32_t worker, pdpr_error *err)
{
    (void)worker, (void)err;
    pdpr_i_clip *clip = arg;
    double sum = 0, scale = 1 / clip->plan.clip_l2;
    for (uint64_t i = block * BLOCK; i < block_end(clip, block); i++) {
        double x = pdpr_i_clip_tame(clip->gradient[i], clip->plan.clip_l2) * scale;
        sum += x * x;
    }
    clip->norms[block] = sum;
    return PDPR_OK;
}

/* To the grid, toward zero, within +-K; sums the squares. */
static pdpr_status quantise_block(void *arg, uint64_t block, uint32_t worker, pdpr_error *err)
{
    (void)worker, (void)err;
    pdpr_i_clip *clip = arg;
    wide sum = 0;
    for (uint64_t i = block * BLOCK; i < block_end(clip, block); i++) {
        clip->out[i] = pdpr_i_clip_quantise(clip->gradient[i], &clip->plan, clip->factor);
        sum += pdpr_i_clip_square(clip->out[i]);
    }
    clip->squares[block] = sum;
    return PDPR_OK;
}

/* One pass of shrinking; sums the squares again. */
static pdpr_status shrink_block(void *arg, uint64_t block, uint32_t worker, pdpr_error *err)
{
    (void)worker, (void)err;
    pdpr_i_clip *clip = arg;
    wide sum = 0;
    for (uint64_t i = block * BLOCK; i < block_end(clip, block); i++) {
        clip->out[i] = pdpr_i_clip_shrink(clip->out[i]);
        sum += pdpr_i_clip_square(clip->out[i]);
    }
    clip->squares[block] = sum;
    return PDPR_OK;
}

/* Writes a vector of integers with norm at most K: the gradient clipped to C, on the grid. */
static pdpr_status clip_to_grid(pdpr_i_clip *clip, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    double square = 0;
    wide limit = (wide)clip->plan.radius * (wide)clip->plan.radius;

    PDPR_TRY(pdpr_i_parallel(clip->ctx, clip->blocks, measure_block, clip, err));
    for (uint64_t b = 0; b < clip->blocks; b++)
        square += clip->norms[b];
    clip->factor = pdpr_i_clip_factor(&clip->plan, square);

    PDPR_TRY(pdpr_i_parallel(clip->ctx, clip->blocks, quantise_block, clip, err));
    for (;;) {
        wide sum = 0;
        for (uint64_t b = 0; b < clip->blocks; b++)
            sum += clip->squares[b];
        if (sum <= limit)
            break;
        PDPR_TRY(pdpr_i_parallel(clip->ctx, clip->blocks, shrink_block, clip, err));
    }
done:
    return s;
}

pdpr_status pdpr_i_clip_step(pdpr_i_clip *clip, const double *gradient, int64_t *out,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_key *root;
    uint64_t address;

    PDPR_TRY(pdpr_i_arithmetic_check(err));
    PDPR_TRY(pdpr_i_meter_spend(clip->meter, clip->charge, &root, &address, err));

    memset(out, 0, clip->count * sizeof *out); /* what an empty batch releases before its noise */
    clip->gradient = gradient;
    clip->out = out;
    if (gradient)
        PDPR_TRY(clip_to_grid(clip, err));
    s = pdpr_i_gaussian_add(clip->ctx, root, address, clip->plan.sigma, out, clip->count, err);
done:
    if (s != PDPR_OK)
        memset(out, 0, clip->count * sizeof *out); /* never leave a value without its noise */
    return s;
}
