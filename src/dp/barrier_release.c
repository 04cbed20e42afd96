/* Releases of aggregate queries: integers on a public grid with a declared sensitivity.
 *
 * Each function checks everything that is public first (range, charge, scale against sensitivity),
 * then spends, then draws: a refused release costs nothing and draws nothing, and what has been
 * drawn has been paid. The check of the scale of Laplace noise is exact in integers; box noise has
 * no scale but what its epsilon and sensitivities give.
 *
 * Proofs: docs/proofs/discrete_laplace.md, certified_interval.md, box_noise.md,
 * permute_and_flip.md. */
#include "dp/barrier.h"
#include "dp/box_noise.h"
#include "dp/laplace_discrete.h"
#include "dp/permute_and_flip.h"

#include <fenv.h>
#include <sodium.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

static const uint64_t largest_part = UINT64_C(1) << 32;
static const uint64_t largest_sensitivity = UINT64_C(1) << 62;

pdpr_status pdpr_i_arithmetic_check(pdpr_error *err)
{
    if (fegetround() != FE_TONEAREST)
        return pdpr_i_fail(err, PDPR_EFAILED,
                           "noise: this thread does not round to nearest; its doubles cannot be "
                           "relied on");
    return PDPR_OK;
}

static int64_t clamp(int64_t value)
{
    if (value > PDPR_I_VALUE_LIMIT)
        return PDPR_I_VALUE_LIMIT;
    return value < -PDPR_I_VALUE_LIMIT ? -PDPR_I_VALUE_LIMIT : value;
}

/* ---------------------------------------------------------------- discrete Laplace */

pdpr_status pdpr_i_laplace_rate(pdpr_i_ratio epsilon, uint64_t sensitivity, pdpr_i_ratio *out,
                                pdpr_error *err)
{
    if (sensitivity < 1 || sensitivity > largest_part / 2 || epsilon.num < 1 ||
        epsilon.num > largest_part || epsilon.den < 1 || epsilon.den > largest_part)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "noise: expected a sensitivity in 1..2^31 and epsilon as a ratio of "
                           "numbers in 1..2^32, found %" PRIu64 " and %" PRIu64 "/%" PRIu64,
                           sensitivity, epsilon.num, epsilon.den);
    *out = (pdpr_i_ratio){epsilon.num, epsilon.den * sensitivity};
    return PDPR_OK;
}

pdpr_status pdpr_i_release_laplace(pdpr_i_meter *meter, const pdpr_i_laplace_request *request,
                                   const int64_t *values, uint64_t count, int64_t *out,
                                   pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_charge *charge;
    const pdpr_i_key *root;
    uint32_t number;
    uint64_t address;
    pdpr_i_laplace laplace;
    pdpr_i_stream stream;
    pdpr_i_ratio rate = request->rate;

    PDPR_TRY(pdpr_i_meter_find(meter, request->label, PDPR_I_CHARGE_PURE, &number, &charge, err));
    /* rate * sensitivity <= epsilon; the left side stays below 2^126, the right below 2^96 */
    if (request->l1_sensitivity < 1 || request->l1_sensitivity > largest_sensitivity ||
        rate.num > largest_part ||
        (wide)rate.num * request->l1_sensitivity * charge->epsilon.den >
            (wide)charge->epsilon.num * rate.den) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "charge %s: noise of rate %" PRIu64 "/%" PRIu64 " for sensitivity %" PRIu64
                        " costs more than its epsilon of %" PRIu64 "/%" PRIu64,
                        request->label, rate.num, rate.den, request->l1_sensitivity,
                        charge->epsilon.num, charge->epsilon.den);
        goto done;
    }
    PDPR_TRY(pdpr_i_laplace_init(&laplace, rate, err));
    PDPR_TRY(pdpr_i_meter_spend(meter, number, &root, &address, err));

    pdpr_i_stream_init(&stream, root, PDPR_I_PURPOSE_LAPLACE, address);
    for (uint64_t i = 0; i < count; i++)
        out[i] = clamp(values[i]) + pdpr_i_laplace_draw(&laplace, &stream);
    pdpr_i_stream_wipe(&stream);
done:
    return s;
}

/* ---------------------------------------------------------------- certified intervals */

pdpr_status pdpr_i_interval_value(const pdpr_i_interval_request *request, int64_t low, int64_t high,
                                  int64_t *value, uint64_t *steps, pdpr_error *err)
{
    if (request->units_per_step < 1 || request->units_per_step > largest_sensitivity ||
        request->sensitivity > largest_sensitivity || request->gap > largest_sensitivity)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "query %s: expected sensitivity, gap and units a step up to 2^62, "
                           "found %" PRIu64 ", %" PRIu64 " and %" PRIu64,
                           request->label, request->sensitivity, request->gap,
                           request->units_per_step);
    /* unsigned difference: right for every low <= high */
    if (high < low || (uint64_t)high - (uint64_t)low > request->gap)
        return pdpr_i_fail(err, PDPR_EFAILED,
                           "query %s: the certificate is refused, its interval is wider than the "
                           "declared gap; nothing was drawn for it",
                           request->label);
    int64_t step = (int64_t)request->units_per_step;
    *value = low / step - (low % step < 0); /* floor */
    *steps = pdpr_i_chunks(request->sensitivity + request->gap, request->units_per_step);
    return PDPR_OK;
}

/* ---------------------------------------------------------------- several at once */

pdpr_status pdpr_i_release_box(pdpr_i_meter *meter, const pdpr_i_box_request *request,
                               const int64_t *values, int64_t *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_charge *charge;
    const pdpr_i_key *root;
    uint32_t number;
    uint64_t address;
    pdpr_i_box box;
    pdpr_i_stream stream;
    int64_t noise[PDPR_I_BOX_MOST];

    PDPR_TRY(pdpr_i_meter_find(meter, request->label, PDPR_I_CHARGE_PURE, &number, &charge, err));
    PDPR_TRY(pdpr_i_box_init(&box, request->epsilon, request->sensitivity, request->count, err));
    if ((wide)request->epsilon.num * charge->epsilon.den >
        (wide)charge->epsilon.num * request->epsilon.den) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "charge %s: noise for an epsilon of %" PRIu64 "/%" PRIu64
                        " costs more than its own, %" PRIu64 "/%" PRIu64,
                        request->label, request->epsilon.num, request->epsilon.den,
                        charge->epsilon.num, charge->epsilon.den);
        goto done;
    }
    PDPR_TRY(pdpr_i_meter_spend(meter, number, &root, &address, err));

    pdpr_i_stream_init(&stream, root, PDPR_I_PURPOSE_BOX, address);
    pdpr_i_box_draw(&box, &stream, noise);
    for (uint32_t i = 0; i < request->count; i++)
        out[i] = clamp(values[i]) + noise[i];
    pdpr_i_stream_wipe(&stream);
    sodium_memzero(noise, sizeof noise);
done:
    return s;
}

/* ---------------------------------------------------------------- selection */

pdpr_status pdpr_i_release_selection(pdpr_context *ctx, pdpr_i_meter *meter, const char *label,
                                     uint64_t sensitivity, const int64_t *losses, uint32_t count,
                                     uint32_t *chosen, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_charge *charge;
    const pdpr_i_key *root;
    uint32_t number, *order = NULL;
    uint64_t address;
    pdpr_i_ratio rate = {0, 0};
    pdpr_i_flip_coins coins;
    pdpr_i_stream stream;

    PDPR_TRY(pdpr_i_meter_find(meter, label, PDPR_I_CHARGE_PURE, &number, &charge, err));
    if (count < 1 || sensitivity > largest_part) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "charge %s: expected a candidate and a sensitivity in 1..2^30, found "
                        "%" PRIu32 " candidates and %" PRIu64,
                        label, count, sensitivity);
        goto done;
    }
    PDPR_TRY(pdpr_i_laplace_rate(charge->epsilon, 2 * sensitivity, &rate, err));
    PDPR_TRY(pdpr_i_flip_coins_init(&coins, rate, err));
    PDPR_TRY(pdpr_i_alloc(ctx, count, sizeof *order, "selection", &order, err));
    PDPR_TRY(pdpr_i_meter_spend(meter, number, &root, &address, err));

    pdpr_i_stream_init(&stream, root, PDPR_I_PURPOSE_SELECTION, address);
    *chosen = pdpr_i_permute_and_flip(&coins, losses, count, order, &stream);
    pdpr_i_stream_wipe(&stream);
    sodium_memzero(order, count * sizeof *order);
done:
    pdpr_free(order);
    return s;
}
