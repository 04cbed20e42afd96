/* The accountant's list: charges come in, are checked, and are kept with their labels.
 *
 * Composition of Gaussian charges is mu = sqrt(sum steps_i mu_i^2) (Dong, Roth, Su 2019, Corollary
 * 3.3), kept rounded up. Pure charges stay exact rationals.
 *
 * Invariants: every stored charge is valid; pure_count <= PDPR_I_MAX_PURE; mu is never below the
 * exact composition. */
#include "dp/accountant.h"

#include <math.h>
#include <string.h>

_Static_assert(sizeof(unsigned long) == sizeof(uint64_t), "GMP takes fractions as unsigned long");

pdpr_status pdpr_accountant_new(pdpr_context *ctx, pdpr_accountant **out, pdpr_error *err)
{
    return pdpr_i_zalloc(ctx, 1, sizeof **out, "accountant", out, err);
}

void pdpr_accountant_free(pdpr_accountant *a)
{
    if (!a)
        return;
    for (uint32_t i = 0; i < a->count; i++)
        pdpr_free(a->charges[i].label);
    pdpr_free(a->charges);
    pdpr_free(a);
}

/* Appends a checked charge, with a copy of its label. */
static pdpr_status append(pdpr_context *ctx, pdpr_accountant *a, const char *label,
                          pdpr_i_account_charge charge, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    if (a->count == a->capacity) {
        uint32_t more = a->capacity ? 2 * a->capacity : 16;
        PDPR_TRY(pdpr_i_resize(ctx, more, sizeof *a->charges, "privacy charges", &a->charges, err));
        a->capacity = more;
    }
    PDPR_TRY(pdpr_i_copy_text(ctx, label, strlen(label), &charge.label, err));
    a->charges[a->count++] = charge;
done:
    return s;
}

static pdpr_status check_label(const char *label, pdpr_error *err)
{
    if (!label || !*label)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "privacy charge: expected a label that says what it pays for");
    return PDPR_OK;
}

pdpr_status pdpr_accountant_add_pure(pdpr_context *ctx, pdpr_accountant *a, const char *label,
                                     uint64_t numerator, uint64_t denominator, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    PDPR_TRY(check_label(label, err));
    /* The quotient tells 50.0…1 from 50 only with the remainder. */
    uint64_t whole = denominator ? numerator / denominator : 0;
    if (numerator == 0 || denominator == 0 || whole > 50 ||
        (whole == 50 && numerator % denominator != 0)) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "charge \"%s\": expected a pure epsilon above 0 and at most 50, found "
                        "%" PRIu64 "/%" PRIu64,
                        label, numerator, denominator);
        goto done;
    }
    if (a->pure_count == PDPR_I_MAX_PURE) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "charge \"%s\": expected at most %d pure charges; add those of one run up "
                        "to one charge",
                        label, PDPR_I_MAX_PURE);
        goto done;
    }
    PDPR_TRY(append(
        ctx, a, label,
        (pdpr_i_account_charge){.pure = true, .numerator = numerator, .denominator = denominator},
        err));
    a->pure_count++;
done:
    return s;
}

/* sqrt(mu^2 + steps more^2), rounded up. A product of 53, 53 and 64 bits is exact in these 256, so
 * that one charge alone keeps its own mu. */
static double compose_mu(double mu, double more, uint64_t steps)
{
    mpfr_t sum, part;
    mpfr_inits2(256, sum, part, (mpfr_ptr)0);
    mpfr_set_d(part, more, MPFR_RNDU);
    mpfr_sqr(part, part, MPFR_RNDU);
    mpfr_set_uj(sum, steps, MPFR_RNDU);
    mpfr_mul(part, part, sum, MPFR_RNDU);
    mpfr_set_d(sum, mu, MPFR_RNDU);
    mpfr_sqr(sum, sum, MPFR_RNDU);
    mpfr_add(sum, sum, part, MPFR_RNDU);
    mpfr_sqrt(sum, sum, MPFR_RNDU);
    double total = mpfr_get_d(sum, MPFR_RNDU);
    mpfr_clears(sum, part, (mpfr_ptr)0);
    return total;
}

pdpr_status pdpr_accountant_add_gaussian(pdpr_context *ctx, pdpr_accountant *a, const char *label,
                                         double mu, uint64_t steps, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    PDPR_TRY(check_label(label, err));
    if (!(mu > 0 && mu <= PDPR_I_GDP_MAX_MU) || steps == 0) {
        s = pdpr_i_fail(
            err, PDPR_EUSAGE,
            "charge \"%s\": expected mu in (0, %g] and at least one step, found mu = %g "
            "and %" PRIu64 " steps",
            label, PDPR_I_GDP_MAX_MU, mu, steps);
        goto done;
    }
    double total = compose_mu(a->mu, mu, steps);
    if (total > PDPR_I_GDP_MAX_MU) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "charge \"%s\": all Gaussian charges together have mu = %g, expected at "
                        "most %g; add more noise",
                        label, total, PDPR_I_GDP_MAX_MU);
        goto done;
    }
    PDPR_TRY(append(ctx, a, label, (pdpr_i_account_charge){.mu = mu, .steps = steps}, err));
    a->mu = total;
done:
    return s;
}

void pdpr_i_accountant_pure_sum(const pdpr_accountant *a, mpq_t out)
{
    mpq_t epsilon;
    mpq_init(epsilon);
    mpq_set_ui(out, 0, 1);
    for (uint32_t i = 0; i < a->count; i++) {
        const pdpr_i_account_charge *c = &a->charges[i];
        if (!c->pure)
            continue;
        mpz_set_ui(mpq_numref(epsilon), c->numerator);
        mpz_set_ui(mpq_denref(epsilon), c->denominator);
        mpq_canonicalize(epsilon);
        mpq_add(out, out, epsilon);
    }
    mpq_clear(epsilon);
}

double pdpr_i_accountant_pure_epsilon(const pdpr_accountant *a)
{
    mpq_t sum;
    mpfr_t up;
    mpq_init(sum);
    mpfr_init2(up, 53);
    pdpr_i_accountant_pure_sum(a, sum);
    mpfr_set_q(up, sum, MPFR_RNDU);
    double epsilon = mpfr_get_d(up, MPFR_RNDU);
    mpfr_clear(up);
    mpq_clear(sum);
    return epsilon;
}

double pdpr_i_delta_to_spend(double delta)
{
    return nextafter(delta * (1 - 0x1p-20), 0);
}

double pdpr_i_delta_to_state(double spent)
{
    /* Zero stays zero: a pure list needs no remainder of a delta it does not have. */
    return spent == 0 ? 0 : fmin(nextafter(spent / (1 - 0x1p-20), INFINITY), 1);
}

pdpr_status pdpr_i_accountant_check_delta(const pdpr_accountant *a, double delta, pdpr_error *err)
{
    if (delta == 0 && a->mu > 0)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "delta: Gaussian charges have no guarantee at delta = 0; choose a delta "
                           "above 0 or use pure charges only");
    if (delta != 0 && !(delta >= 1e-300 && delta < 1))
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "delta: expected 0 or a number in [1e-300, 1), found %g", delta);
    return PDPR_OK;
}
