/* The spending meter: a table of charges, a count of releases for each, and the key.
 *
 * Invariants: used[i] <= charges[i].steps; `key` is NULL until the ledger has agreed; an address
 * (charge << 32 | step) is handed out once. Proof that addresses do not meet:
 * docs/proofs/random_streams.md. */
#include "dp/meter.h"

#include <math.h>
#include <string.h>

struct pdpr_i_meter {
    uint32_t count;
    pdpr_i_charge *charges; /* labels are copies */
    uint32_t *used;
    pdpr_i_noise_key *key; /* NULL: shut */
};

static const uint64_t largest_part = UINT64_C(1) << 32;

static pdpr_status check_charge(const pdpr_i_charge *c, pdpr_error *err)
{
    if (!c->label || !c->label[0])
        return pdpr_i_fail(err, PDPR_EUSAGE, "plan: a charge has no label");
    switch (c->kind) {
    case PDPR_I_CHARGE_PURE:
        if (c->epsilon.num < 1 || c->epsilon.num > largest_part || c->epsilon.den < 1 ||
            c->epsilon.den > largest_part || c->steps != 1)
            return pdpr_i_fail(err, PDPR_EUSAGE,
                               "charge %s: expected epsilon as a ratio of numbers in 1..2^32 and "
                               "one release, found %" PRIu64 "/%" PRIu64 " and %" PRIu32,
                               c->label, c->epsilon.num, c->epsilon.den, c->steps);
        return PDPR_OK;
    case PDPR_I_CHARGE_GAUSSIAN:
        if (!isfinite(c->mu_step) || c->mu_step <= 0 || c->steps < 1)
            return pdpr_i_fail(err, PDPR_EUSAGE,
                               "charge %s: expected mu > 0 and at least one step, found %g and "
                               "%" PRIu32,
                               c->label, c->mu_step, c->steps);
        return PDPR_OK;
    }
    return pdpr_i_fail(err, PDPR_EUSAGE, "charge %s: expected a pure or a Gaussian charge",
                       c->label);
}

pdpr_status pdpr_i_meter_new(pdpr_context *ctx, const pdpr_i_charge *charges, uint32_t count,
                             pdpr_i_meter **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_meter *meter = NULL;

    for (uint32_t i = 0; i < count; i++) {
        PDPR_TRY(check_charge(&charges[i], err));
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(charges[i].label, charges[j].label) == 0) {
                s = pdpr_i_fail(err, PDPR_EUSAGE, "plan: charge %s comes twice", charges[i].label);
                goto done;
            }
    }
    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *meter, "meter", &meter, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, count, sizeof *meter->charges, "meter", &meter->charges, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, count, sizeof *meter->used, "meter", &meter->used, err));
    for (; meter->count < count; meter->count++) {
        const char *label = charges[meter->count].label;
        char *copy = NULL;
        PDPR_TRY(pdpr_i_copy_text(ctx, label, strlen(label), &copy, err));
        meter->charges[meter->count] = charges[meter->count];
        meter->charges[meter->count].label = copy;
    }
    *out = meter;
    meter = NULL;
done:
    pdpr_i_meter_free(meter);
    return s;
}

void pdpr_i_meter_free(pdpr_i_meter *meter)
{
    if (!meter)
        return;
    for (uint32_t i = 0; i < meter->count; i++)
        pdpr_free((char *)(uintptr_t)meter->charges[i].label); /* ours, see pdpr_i_meter_new */
    pdpr_free(meter->charges);
    pdpr_free(meter->used);
    pdpr_i_noise_key_free(meter->key);
    pdpr_free(meter);
}

pdpr_status pdpr_i_meter_open(pdpr_i_meter *meter, pdpr_i_noise_key **key, pdpr_i_reserve reserve,
                              void *user, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_key *root;

    if (meter->key)
        return pdpr_i_fail(err, PDPR_EUSAGE, "meter: it is open already");
    PDPR_TRY(pdpr_i_noise_key_root(*key, &root, err));
    PDPR_TRY(reserve(user, meter->charges, meter->count, err));
    meter->key = *key;
    *key = NULL;
done:
    return s;
}

/* The root of the streams, if the meter is open and the key alive. */
static pdpr_status find_root(const pdpr_i_meter *meter, const pdpr_i_key **root, pdpr_error *err)
{
    if (!meter->key)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "meter: it is shut; the ledger has not reserved the plan of this run");
    return pdpr_i_noise_key_root(meter->key, root, err);
}

static pdpr_status find_label(const pdpr_i_meter *meter, const char *label, uint32_t *number,
                              pdpr_error *err)
{
    for (uint32_t i = 0; i < meter->count; i++)
        if (strcmp(meter->charges[i].label, label) == 0) {
            *number = i;
            return PDPR_OK;
        }
    return pdpr_i_fail(err, PDPR_EUSAGE, "charge %s: the plan of this run has none", label);
}

/* PDPR_EBUDGET unless `steps` more releases of a charge are left. */
static pdpr_status check_left(const pdpr_i_meter *meter, uint32_t number, uint32_t steps,
                              pdpr_error *err)
{
    const pdpr_i_charge *c = &meter->charges[number];
    uint32_t left = c->steps - meter->used[number];
    if (steps > left)
        return pdpr_i_fail(err, PDPR_EBUDGET,
                           "charge %s: %" PRIu32 " of its %" PRIu32
                           " releases are left, asked for %" PRIu32,
                           c->label, left, c->steps, steps);
    return PDPR_OK;
}

pdpr_status pdpr_i_meter_find(const pdpr_i_meter *meter, const char *label, pdpr_i_charge_kind kind,
                              uint32_t *number, const pdpr_i_charge **charge, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_key *root;
    uint32_t i = 0;

    PDPR_TRY(find_root(meter, &root, err));
    PDPR_TRY(find_label(meter, label, &i, err));
    if (meter->charges[i].kind != kind) {
        s = pdpr_i_fail(err, PDPR_EUSAGE, "charge %s: it pays for %s noise only", label,
                        kind == PDPR_I_CHARGE_PURE ? "Gaussian" : "pure");
        goto done;
    }
    *number = i;
    *charge = &meter->charges[i];
done:
    return s;
}

pdpr_status pdpr_i_meter_spend(pdpr_i_meter *meter, uint32_t number, const pdpr_i_key **root,
                               uint64_t *address, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    PDPR_TRY(find_root(meter, root, err));
    PDPR_TRY(check_left(meter, number, 1, err));
    *address = (uint64_t)number << 32 | meter->used[number];
    meter->used[number]++;
done:
    return s;
}

pdpr_status pdpr_i_meter_skip(pdpr_i_meter *meter, const char *label, uint32_t steps,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t number = 0;
    PDPR_TRY(find_label(meter, label, &number, err));
    PDPR_TRY(check_left(meter, number, steps, err));
    meter->used[number] += steps;
done:
    return s;
}

pdpr_status pdpr_i_meter_stream(const pdpr_i_meter *meter, pdpr_i_purpose purpose, uint64_t index,
                                pdpr_i_stream *out, pdpr_error *err)
{
    const pdpr_i_key *root = NULL;
    pdpr_status s = find_root(meter, &root, err);
    if (s != PDPR_OK)
        return s;
    if (purpose >= PDPR_I_PURPOSE_GAUSSIAN && purpose <= PDPR_I_PURPOSE_BOX)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "stream %d: it belongs to the barrier or is the key of others",
                           (int)purpose);
    pdpr_i_stream_init(out, root, purpose, index);
    return PDPR_OK;
}
