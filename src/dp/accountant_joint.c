/* The exact joint conversion of pure and Gaussian charges into one (epsilon, delta).
 *
 * Every epsilon_i-DP mechanism is a post-processing of randomised response that tells the truth
 * with probability p_i = 1/(1 + e^-epsilon_i), every mu-GDP one of N(0,1) against N(mu,1),
 * adaptively too. So, and nothing smaller holds for all such mechanisms, delta(epsilon) = sum over
 * signs s of prod_i w_i(s_i) * delta_mu(epsilon - sum_i s_i epsilon_i), with w_i(+) = p_i and
 * w_i(-) = 1 - p_i. The sum has 2^k terms but few different losses L = sum s_i epsilon_i: when the
 * charges are multiples n_i of a common unit they lie on the lattice (2 i - units) * unit, units =
 * sum n_i, and their distribution is a convolution.
 *
 * When the common unit is too fine, a coarser one is taken and each response is replaced by a coin
 * toss between the two responses beside it on the lattice, the coin weighted so that truth keeps
 * its probability. Hiding the coin gives back the original, so showing it can only cost more: the
 * bound is valid, and its error is of second order in the unit.
 *
 * All terms are positive and rounded up. Cost: O(k * units) products, then at most units + 1 values
 * of delta_mu a point. Source: Kairouz, Oh, Viswanath 2015; BLUEPRINT_REVIEW.md section 7; proofs
 * in docs/proofs/joint_accounting.md. */
#include "dp/accountant.h"

#include <math.h>

/* ---------------------------------------------------------------- the lattice */

static void set_fraction(mpq_t out, const pdpr_i_account_charge *c)
{
    mpz_set_ui(mpq_numref(out), c->numerator);
    mpz_set_ui(mpq_denref(out), c->denominator);
    mpq_canonicalize(out);
}

/* a := the largest rational of which both a and b are multiples; a = 0 counts as nothing. */
static void common_unit(mpq_t a, const mpq_t b)
{
    mpz_t left, right;
    mpz_inits(left, right, (mpz_ptr)0);
    mpz_mul(left, mpq_numref(a), mpq_denref(b));
    mpz_mul(right, mpq_numref(b), mpq_denref(a));
    mpz_gcd(mpq_numref(a), left, right);
    mpz_mul(mpq_denref(a), mpq_denref(a), mpq_denref(b));
    mpq_canonicalize(a);
    mpz_clears(left, right, (mpz_ptr)0);
}

/* a / unit, rounded up; small enough by the choice of the unit. */
static uint32_t units_of(const mpq_t a, const mpq_t unit)
{
    mpq_t ratio;
    mpq_init(ratio);
    mpq_div(ratio, a, unit);
    mpz_cdiv_q(mpq_numref(ratio), mpq_numref(ratio), mpq_denref(ratio));
    uint32_t units = (uint32_t)mpz_get_ui(mpq_numref(ratio));
    mpq_clear(ratio);
    return units;
}

/* Sets unit, exact, units and span. The charges are together at most MAX_UNITS of the common unit;
 * or else of a coarser one, in which each may be rounded up by two. */
static void choose_unit(const pdpr_accountant *a, pdpr_i_lattice *lattice)
{
    mpq_t sum, epsilon;
    mpq_inits(sum, epsilon, (mpq_ptr)0);
    pdpr_i_accountant_pure_sum(a, sum);
    for (uint32_t i = 0; i < a->count; i++)
        if (a->charges[i].pure) {
            set_fraction(epsilon, &a->charges[i]);
            common_unit(lattice->unit, epsilon);
        }
    mpq_set_ui(epsilon, PDPR_I_MAX_UNITS, 1);
    mpq_mul(epsilon, epsilon, lattice->unit);
    lattice->exact = mpq_cmp(sum, epsilon) <= 0;
    if (!lattice->exact) {
        mpq_set_ui(epsilon, PDPR_I_MAX_UNITS - 2 * a->pure_count, 1);
        mpq_div(lattice->unit, sum, epsilon);
    }
    for (uint32_t i = 0; i < a->count; i++) {
        if (!a->charges[i].pure)
            continue;
        set_fraction(epsilon, &a->charges[i]);
        lattice->span[i] = units_of(epsilon, lattice->unit);
        if (!lattice->exact && lattice->span[i] < 2)
            lattice->span[i] = 2; /* so that the response two units lower exists */
        lattice->units += lattice->span[i];
    }
    mpq_clears(sum, epsilon, (mpq_ptr)0);
}

/* ---------------------------------------------------------------- randomised responses */

/* The probability 1/(1 + e^-epsilon) of the truth, rounded to the given side; of a lie with
 * -epsilon. */
static void response(mpfr_t out, const mpq_t epsilon, mpfr_rnd_t side)
{
    mpfr_rnd_t other = side == MPFR_RNDU ? MPFR_RNDD : MPFR_RNDU;
    mpq_t opposite;
    mpq_init(opposite);
    mpq_neg(opposite, epsilon);
    mpfr_set_q(out, opposite, other);
    mpfr_exp(out, out, other);
    mpfr_add_ui(out, out, 1, other);
    mpfr_ui_div(out, 1, out, side);
    mpq_clear(opposite);
}

/* The atoms that replace one response: with probability 1 - share that of `span` units, with
 * probability share that of two units less. */
typedef struct {
    mpfr_t share, truth, lie, lower_truth, lower_lie;
} atoms;

/* share := at most (p(high) - p(epsilon)) / (p(high) - p(low)), at least 0: then truth is told with
 * probability p(epsilon) at least. */
static void set_share(atoms *t, const mpq_t epsilon, const mpq_t high, const mpq_t low)
{
    mpfr_t top, bottom;
    mpfr_inits2(PDPR_I_GDP_BITS, top, bottom, (mpfr_ptr)0);
    response(top, high, MPFR_RNDU);
    response(bottom, low, MPFR_RNDD);
    mpfr_sub(bottom, top, bottom, MPFR_RNDU);
    response(top, high, MPFR_RNDD);
    response(t->share, epsilon, MPFR_RNDU);
    mpfr_sub(top, top, t->share, MPFR_RNDD);
    mpfr_div(t->share, top, bottom, MPFR_RNDD);
    if (mpfr_signbit(t->share)) /* epsilon is the multiple itself, and rounding went below 0 */
        mpfr_set_zero(t->share, 1);
    mpfr_clears(top, bottom, (mpfr_ptr)0);
}

/* Weights of the atoms, all rounded up. */
static void set_atoms(atoms *t, const pdpr_i_lattice *lattice, uint32_t i)
{
    mpq_t epsilon, unit, high, low;
    mpfr_t rest;
    mpq_inits(epsilon, unit, high, low, (mpq_ptr)0);
    mpfr_init2(rest, PDPR_I_GDP_BITS);

    mpq_mul(unit, lattice->unit, lattice->scale);
    mpq_set_ui(high, lattice->span[i], 1);
    mpq_mul(high, high, unit);
    mpfr_set_zero(t->share, 1);
    if (!lattice->exact) {
        set_fraction(epsilon, &lattice->charges[i]);
        mpq_mul(epsilon, epsilon, lattice->scale);
        mpq_sub(low, high, unit);
        mpq_sub(low, low, unit);
        set_share(t, epsilon, high, low);
        response(t->lower_truth, low, MPFR_RNDU);
        mpfr_mul(t->lower_truth, t->lower_truth, t->share, MPFR_RNDU);
        mpq_neg(low, low);
        response(t->lower_lie, low, MPFR_RNDU);
        mpfr_mul(t->lower_lie, t->lower_lie, t->share, MPFR_RNDU);
    }
    mpfr_ui_sub(rest, 1, t->share, MPFR_RNDU);
    response(t->truth, high, MPFR_RNDU);
    mpfr_mul(t->truth, t->truth, rest, MPFR_RNDU);
    mpq_neg(high, high);
    response(t->lie, high, MPFR_RNDU);
    mpfr_mul(t->lie, t->lie, rest, MPFR_RNDU);

    mpfr_clear(rest);
    mpq_clears(epsilon, unit, high, low, (mpq_ptr)0);
}

/* next += weight shifted by `shift`, times `factor`. */
static void add_shifted(pdpr_i_lattice *lattice, uint32_t used, uint32_t shift, const mpfr_t factor)
{
    for (uint32_t j = 0; j <= used; j++)
        mpfr_fma(lattice->next[j + shift], lattice->weight[j], factor, lattice->next[j + shift],
                 MPFR_RNDU);
}

void pdpr_i_lattice_rescale(pdpr_i_lattice *lattice, double scale)
{
    atoms t;
    uint32_t used = 0; /* units composed so far */
    mpfr_inits2(PDPR_I_GDP_BITS, t.share, t.truth, t.lie, t.lower_truth, t.lower_lie, (mpfr_ptr)0);

    mpq_set_d(lattice->scale, scale);
    mpfr_set_ui(lattice->weight[0], 1, MPFR_RNDN);
    for (uint32_t i = 0; i < lattice->count; i++) {
        uint32_t span = lattice->span[i];
        if (!lattice->charges[i].pure)
            continue;
        set_atoms(&t, lattice, i);
        for (uint32_t j = 0; j <= used + span; j++)
            mpfr_set_zero(lattice->next[j], 1);
        add_shifted(lattice, used, span, t.truth);
        add_shifted(lattice, used, 0, t.lie);
        if (!mpfr_zero_p(t.share)) {
            add_shifted(lattice, used, span - 1, t.lower_truth);
            add_shifted(lattice, used, 1, t.lower_lie);
        }
        used += span;
        mpfr_t *swap = lattice->weight;
        lattice->weight = lattice->next;
        lattice->next = swap;
    }
    mpfr_clears(t.share, t.truth, t.lie, t.lower_truth, t.lower_lie, (mpfr_ptr)0);
}

pdpr_status pdpr_i_lattice_init(pdpr_context *ctx, const pdpr_accountant *a, pdpr_i_lattice *out,
                                pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_lattice lattice = {.charges = a->charges, .count = a->count};
    mpq_inits(lattice.unit, lattice.scale, (mpq_ptr)0);

    PDPR_TRY(pdpr_i_zalloc(ctx, a->count, sizeof *lattice.span, "charges", &lattice.span, err));
    choose_unit(a, &lattice);
    uint64_t points = (uint64_t)lattice.units + 1;
    PDPR_TRY(pdpr_i_alloc(ctx, points, sizeof *lattice.next, "loss lattice", &lattice.next, err));
    PDPR_TRY(
        pdpr_i_alloc(ctx, points, sizeof *lattice.weight, "loss lattice", &lattice.weight, err));
    for (uint64_t i = 0; i < points; i++)
        mpfr_inits2(PDPR_I_GDP_BITS, lattice.weight[i], lattice.next[i], (mpfr_ptr)0);
    pdpr_i_lattice_rescale(&lattice, 1);
    *out = lattice;
    return PDPR_OK;
done:
    pdpr_free(lattice.span);
    pdpr_free(lattice.next);
    mpq_clears(lattice.unit, lattice.scale, (mpq_ptr)0);
    return s;
}

void pdpr_i_lattice_clear(pdpr_i_lattice *lattice)
{
    for (uint32_t i = 0; i <= lattice->units; i++)
        mpfr_clears(lattice->weight[i], lattice->next[i], (mpfr_ptr)0);
    mpq_clears(lattice->unit, lattice->scale, (mpq_ptr)0);
    pdpr_free(lattice->span);
    pdpr_free(lattice->weight);
    pdpr_free(lattice->next);
    pdpr_i_gdp_forget();
}

/* ---------------------------------------------------------------- delta and epsilon */

/* How many bits the next term needs, so that its error is small beside the sum: it is below twice
 * the last delta times its weight. None of the three is 0. */
static mpfr_prec_t bits_of_next(const mpfr_t sum, const mpfr_t twice_delta, const mpfr_t weight)
{
    mpfr_exp_t smaller = mpfr_get_exp(sum) - mpfr_get_exp(twice_delta) - mpfr_get_exp(weight);
    mpfr_exp_t bits = mpfr_get_prec(sum) + 4 - smaller;
    return bits < 32 ? 32 : bits > mpfr_get_prec(sum) ? mpfr_get_prec(sum) : bits;
}

void pdpr_i_joint_delta_upper(const pdpr_i_lattice *lattice, double mu, double epsilon, mpfr_t out)
{
    mpfr_prec_t bits = mpfr_get_prec(out);
    mpq_t x, step;
    mpfr_t delta, rest, enough;
    mpq_inits(x, step, (mpq_ptr)0);
    mpfr_inits2(bits, delta, rest, enough, (mpfr_ptr)0);

    /* From the largest loss down, so that x = epsilon - loss rises and delta_mu(x) falls. */
    mpq_set_ui(x, lattice->units, 1);
    mpq_mul(x, x, lattice->unit);
    mpq_mul(x, x, lattice->scale);
    mpq_set_d(step, epsilon); /* exact */
    mpq_sub(x, step, x);
    mpq_mul(step, lattice->unit, lattice->scale);
    mpq_add(step, step, step);

    mpfr_set_zero(out, 1);
    for (uint32_t i = lattice->units;; i--) {
        if (!mpfr_zero_p(lattice->weight[i])) { /* no signs may lead there */
            if (i < lattice->units)
                mpfr_set_prec(delta, bits_of_next(out, rest, lattice->weight[i]));
            pdpr_i_gdp_delta_upper(delta, mu, x);
            mpfr_fma(out, delta, lattice->weight[i], out, MPFR_RNDU);
            /* All that follows weighs less than 2 and has a smaller delta: if that is nothing
             * beside the sum, it is added whole. */
            mpfr_mul_2ui(rest, delta, 1, MPFR_RNDU);
            mpfr_div_2ui(enough, out, (unsigned long)bits - 16, MPFR_RNDD);
            if (mpfr_cmp(rest, enough) <= 0) {
                mpfr_add(out, out, rest, MPFR_RNDU);
                break;
            }
        }
        if (i == 0)
            break;
        mpq_add(x, x, step);
    }
    mpfr_clears(delta, rest, enough, (mpfr_ptr)0);
    mpq_clears(x, step, (mpq_ptr)0);
}

typedef struct {
    const pdpr_i_lattice *lattice;
    double mu;
} joint_model;

static void over_epsilon(void *model, double x, mpfr_t out)
{
    const joint_model *m = model;
    pdpr_i_joint_delta_upper(m->lattice, m->mu, x, out);
}

pdpr_status pdpr_accountant_epsilon(pdpr_context *ctx, const pdpr_accountant *a, double delta,
                                    double *out, pdpr_error *err)
{
    pdpr_i_lattice lattice;
    double sum = pdpr_i_accountant_pure_epsilon(a);

    pdpr_status s = pdpr_i_accountant_check_delta(a, delta, err);
    if (s != PDPR_OK)
        return s;
    if (delta == 0) {
        *out = sum;
        return PDPR_OK;
    }
    s = pdpr_i_lattice_init(ctx, a, &lattice, err);
    if (s != PDPR_OK)
        return s;
    delta = pdpr_i_delta_to_spend(delta);
    joint_model model = {&lattice, a->mu};
    double start = sum + a->mu * (a->mu / 2 + sqrt(-2 * log(delta)));
    double epsilon = pdpr_i_gdp_smallest(over_epsilon, &model, delta, start);
    *out = a->mu > 0 ? epsilon : fmin(epsilon, sum); /* pure charges alone: their sum holds too */
    pdpr_i_lattice_clear(&lattice);
    return PDPR_OK;
}

pdpr_status pdpr_accountant_delta(pdpr_context *ctx, const pdpr_accountant *a, double epsilon,
                                  double *out, pdpr_error *err)
{
    pdpr_i_lattice lattice;
    mpfr_t bound;

    if (!(epsilon >= 0 && isfinite(epsilon)))
        return pdpr_i_fail(err, PDPR_EUSAGE, "epsilon: expected a number of at least 0, found %g",
                           epsilon);
    pdpr_status s = pdpr_i_lattice_init(ctx, a, &lattice, err);
    if (s != PDPR_OK)
        return s;
    mpfr_init2(bound, PDPR_I_GDP_BITS);
    pdpr_i_joint_delta_upper(&lattice, a->mu, epsilon, bound);
    *out = pdpr_i_delta_to_state(mpfr_get_d(bound, MPFR_RNDU));
    mpfr_clear(bound);
    pdpr_i_lattice_clear(&lattice);
    return PDPR_OK;
}
