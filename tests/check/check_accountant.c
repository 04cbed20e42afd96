/* The accountant against slow and plain computations.
 *
 * delta_mu is computed here from its definition with mpfr_erfc at 400 bits (over 100 digits; the
 * library uses Mills ratios at 96). Inverses are not searched for again: mu is right to 1e-9 and on
 * the safe side exactly if the definition keeps delta at mu and breaks it at mu (1 + 1e-9). Joint
 * costs are summed over all 2^k signs, and for small lists integrated from the two densities
 * themselves, in both directions. Random cases come from a fixed seed. */
#include "support/support.h"
#include "dp/accountant.h"
#include "dp/accountant_check.h"
#include "dp/random_stream.h"

#include <math.h>
#include <stdlib.h>

enum { BITS = 400 };

static pdpr_i_stream random_cases(uint64_t index)
{
    pdpr_i_key key;
    pdpr_i_stream stream;
    pdpr_i_key_from_seed(20250103, &key);
    pdpr_i_stream_init(&stream, &key, PDPR_I_PURPOSE_TEST, index);
    return stream;
}

static double between(pdpr_i_stream *random, double low, double high)
{
    return low + (high - low) * pdpr_i_stream_unit(random);
}

/* Uniform in the logarithm. */
static double scale_between(pdpr_i_stream *random, double low, double high)
{
    return exp(between(random, log(low), log(high)));
}

/* out := Phi(x). */
static void normal_cdf(mpfr_t out, const mpfr_t x)
{
    mpfr_t root;
    mpfr_init2(root, BITS);
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_div(out, x, root, MPFR_RNDN);
    mpfr_neg(out, out, MPFR_RNDN);
    mpfr_erfc(out, out, MPFR_RNDN);
    mpfr_div_ui(out, out, 2, MPFR_RNDN);
    mpfr_clear(root);
}

/* out := Phi(-e/mu + mu/2) - exp(e) Phi(-e/mu - mu/2), as it stands; max(0, 1 - exp e) for mu = 0.
 */
static void plain_delta(mpfr_t out, const mpfr_t mu, const mpfr_t epsilon)
{
    mpfr_t half, ratio, a, b;
    mpfr_inits2(BITS, half, ratio, a, b, (mpfr_ptr)0);
    mpfr_exp(b, epsilon, MPFR_RNDN);
    if (mpfr_zero_p(mu)) {
        mpfr_ui_sub(out, 1, b, MPFR_RNDN);
        if (mpfr_sgn(out) < 0)
            mpfr_set_zero(out, 1);
    } else {
        mpfr_div_ui(half, mu, 2, MPFR_RNDN);
        mpfr_div(ratio, epsilon, mu, MPFR_RNDN);
        mpfr_sub(a, half, ratio, MPFR_RNDN);
        normal_cdf(out, a);
        mpfr_add(a, half, ratio, MPFR_RNDN);
        mpfr_neg(a, a, MPFR_RNDN);
        normal_cdf(a, a);
        mpfr_mul(a, a, b, MPFR_RNDN);
        mpfr_sub(out, out, a, MPFR_RNDN);
    }
    mpfr_clears(half, ratio, a, b, (mpfr_ptr)0);
}

/* Compares delta_(mu (1 + by_mu))(epsilon (1 + by_epsilon)) with delta: its sign. */
static int compare_delta(double mu, double by_mu, double epsilon, double by_epsilon, double delta)
{
    mpfr_t m, e, d;
    mpfr_inits2(BITS, m, e, d, (mpfr_ptr)0);
    mpfr_set_d(m, 1, MPFR_RNDN);
    mpfr_add_d(m, m, by_mu, MPFR_RNDN);
    mpfr_mul_d(m, m, mu, MPFR_RNDN);
    mpfr_set_d(e, 1, MPFR_RNDN);
    mpfr_add_d(e, e, by_epsilon, MPFR_RNDN);
    mpfr_mul_d(e, e, epsilon, MPFR_RNDN);
    plain_delta(d, m, e);
    int sign = mpfr_cmp_d(d, delta);
    mpfr_clears(m, e, d, (mpfr_ptr)0);
    return sign;
}

static void mu_is_safe_and_within_1e_9_of_the_definition(void **state)
{
    (void)state;
    pdpr_i_stream random = random_cases(1);
    for (int i = 0; i < 2000; i++) {
        double epsilon = i % 2 ? scale_between(&random, 1e-6, 50) : between(&random, 0, 50);
        double delta = scale_between(&random, 1e-30, 0.5), mu;
        assert_ok(pdpr_gdp_mu(epsilon, delta, &mu, NULL));
        assert_true(compare_delta(mu, 0, epsilon, 0, delta) <= 0);
        assert_true(compare_delta(mu, 1e-14, epsilon, 0, delta) > 0); /* asked for: 1e-9 */
    }
}

static void epsilon_is_safe_and_within_1e_9_of_the_definition(void **state)
{
    (void)state;
    pdpr_i_stream random = random_cases(2);
    int positive = 0;
    for (int i = 0; i < 2000; i++) {
        double mu = scale_between(&random, 1e-6, 10), delta = scale_between(&random, 1e-30, 0.5);
        double epsilon;
        assert_ok(pdpr_gdp_epsilon(mu, delta, &epsilon, NULL));
        assert_true(compare_delta(mu, 0, epsilon, 0, delta) <= 0);
        if (epsilon > 0) {
            assert_true(compare_delta(mu, 0, epsilon, -1e-13, delta) > 0); /* asked for: 1e-9 */
            positive++;
        }
    }
    assert_true(positive > 1000);
}

static void delta_is_safe_and_within_1e_9_of_the_definition(void **state)
{
    (void)state;
    pdpr_i_stream random = random_cases(3);
    for (int i = 0; i < 3000; i++) {
        double mu = scale_between(&random, 1e-8, 20), epsilon = between(&random, -50, 50), delta;
        if (i % 2)
            epsilon = mu * between(&random, -12, 12); /* where it is neither 0 nor 1 */
        assert_ok(pdpr_gdp_delta(mu, epsilon, &delta, NULL));
        assert_true(compare_delta(mu, 0, epsilon, 0, delta) <= 0);
        if (delta > 1e-300)
            assert_true(compare_delta(mu, 0, epsilon, 0, delta * (1 - 1e-15)) > 0);
    }
}

/* With few bits every rounding is coarse, and one in the wrong direction shows. */
static void delta_bound_at_any_precision_is_above_the_definition(void **state)
{
    (void)state;
    pdpr_i_stream random = random_cases(10);
    mpfr_t m, e, exact, bound;
    mpq_t epsilon;
    mpfr_inits2(BITS, m, e, exact, (mpfr_ptr)0);
    mpfr_init2(bound, 2);
    mpq_init(epsilon);
    for (int i = 0; i < 6000; i++) {
        double mu = scale_between(&random, 1e-4, 8), x = mu * between(&random, -9, 9);
        mpfr_prec_t bits = 4 + (mpfr_prec_t)pdpr_i_stream_below(&random, i % 4 ? 16 : 93);
        mpq_set_d(epsilon, x);
        mpfr_set_d(m, mu, MPFR_RNDN);
        mpfr_set_d(e, x, MPFR_RNDN);
        mpfr_set_prec(bound, bits);
        plain_delta(exact, m, e);
        pdpr_i_gdp_delta_upper(bound, mu, epsilon);
        assert_true(mpfr_cmp(bound, exact) >= 0);
        if (bits >= 36) { /* (1 + 2^(28 - bits)), as the header says */
            mpfr_set_ui_2exp(m, 1, 28 - bits, MPFR_RNDN);
            mpfr_add_ui(m, m, 1, MPFR_RNDN);
            mpfr_mul(exact, exact, m, MPFR_RNDN);
            assert_true(mpfr_cmp(bound, exact) <= 0);
        }
    }
    mpfr_clears(m, e, exact, bound, (mpfr_ptr)0);
    mpq_clear(epsilon);
}

/* Here alpha and beta are exact, so that no rounding of them hides one that comes later. */
static void delta_bound_with_exact_alpha_is_above_the_definition(void **state)
{
    (void)state;
    mpfr_t m, e, exact, bound;
    mpq_t epsilon;
    mpfr_inits2(BITS, m, e, exact, (mpfr_ptr)0);
    mpfr_init2(bound, 2);
    mpq_init(epsilon);
    for (double mu = 0.125; mu <= 64; mu *= 2)
        for (double alpha = -2; alpha <= 5; alpha += 1.0 / 32) {
            double x = mu * (alpha + mu / 2);
            mpq_set_d(epsilon, x);
            mpfr_set_d(m, mu, MPFR_RNDN);
            mpfr_set_d(e, x, MPFR_RNDN);
            plain_delta(exact, m, e);
            for (mpfr_prec_t bits = 4; bits <= 30; bits++) {
                mpfr_set_prec(bound, bits);
                pdpr_i_gdp_delta_upper(bound, mu, epsilon);
                assert_true(mpfr_cmp(bound, exact) >= 0);
            }
        }
    mpfr_clears(m, e, exact, bound, (mpfr_ptr)0);
    mpq_clear(epsilon);
}

/* ---------------------------------------------------------------- joint, all signs */

typedef struct {
    uint32_t count;
    uint64_t numerator[12], denominator[12];
    double mu;
} charges;

/* out := sum over signs of prod w_i(s_i) delta_mu(epsilon - sum s_i epsilon_i). */
static void plain_joint(mpfr_t out, const charges *c, double epsilon)
{
    mpfr_t mu, x, weight, e, p, term;
    mpfr_inits2(BITS, mu, x, weight, e, p, term, (mpfr_ptr)0);
    mpfr_set_d(mu, c->mu, MPFR_RNDN);
    mpfr_set_zero(out, 1);
    for (uint32_t signs = 0; signs < 1u << c->count; signs++) {
        mpfr_set_d(x, epsilon, MPFR_RNDN);
        mpfr_set_ui(weight, 1, MPFR_RNDN);
        for (uint32_t i = 0; i < c->count; i++) {
            mpfr_set_ui(e, c->numerator[i], MPFR_RNDN);
            mpfr_div_ui(e, e, c->denominator[i], MPFR_RNDN);
            if (signs >> i & 1)
                mpfr_neg(e, e, MPFR_RNDN);
            mpfr_sub(x, x, e, MPFR_RNDN);
            mpfr_exp(p, e, MPFR_RNDN); /* w = e^(s eps) / (1 + e^(s eps)) */
            mpfr_add_ui(e, p, 1, MPFR_RNDN);
            mpfr_div(p, p, e, MPFR_RNDN);
            mpfr_mul(weight, weight, p, MPFR_RNDN);
        }
        plain_delta(term, mu, x);
        mpfr_fma(out, term, weight, out, MPFR_RNDN);
    }
    mpfr_clears(mu, x, weight, e, p, term, (mpfr_ptr)0);
}

static pdpr_accountant *list_of(pdpr_context *ctx, const charges *c)
{
    pdpr_accountant *a = NULL;
    assert_ok(pdpr_accountant_new(ctx, &a, NULL));
    for (uint32_t i = 0; i < c->count; i++)
        assert_ok(
            pdpr_accountant_add_pure(ctx, a, "pure", c->numerator[i], c->denominator[i], NULL));
    if (c->mu > 0)
        assert_ok(pdpr_accountant_add_gaussian(ctx, a, "noise", c->mu, 1, NULL));
    return a;
}

static double epsilon_at(pdpr_context *ctx, const pdpr_accountant *a, double delta)
{
    double epsilon = -1;
    assert_ok(pdpr_accountant_epsilon(ctx, a, delta, &epsilon, NULL));
    return epsilon;
}

/* Up to `most` charges; with `common` on a unit of 1/200. */
static charges random_charges(pdpr_i_stream *random, uint64_t most, bool common)
{
    charges c = {.count = (uint32_t)pdpr_i_stream_below(random, most + 1)};
    for (uint32_t i = 0; i < c.count; i++) {
        c.numerator[i] = 1 + pdpr_i_stream_below(random, common ? 120 : 900000);
        c.denominator[i] = common ? 200 : 1000003 + pdpr_i_stream_below(random, 500000);
    }
    if (c.count == 0 || pdpr_i_stream_below(random, 5) > 0)
        c.mu = scale_between(random, 0.02, 2);
    return c;
}

/* The cost at delta, which must be above the sum over all signs, and by less than 1e-11 of it
 * (asked for: 1e-9). */
static double expect_close_cost(pdpr_context *ctx, const pdpr_accountant *a, const charges *c,
                                double delta)
{
    double epsilon = epsilon_at(ctx, a, delta), spend = delta * (1 - 0x1p-20);
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    plain_joint(exact, c, epsilon);
    assert_true(mpfr_cmp_d(exact, spend) <= 0);
    if (epsilon > 0) {
        plain_joint(exact, c, epsilon * (1 - 1e-11));
        assert_true(mpfr_cmp_d(exact, spend * (1 - 1e-15)) > 0);
    }
    mpfr_clear(exact);
    return epsilon;
}

static void joint_is_safe_and_within_1e_9_of_all_signs(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_stream random = random_cases(4);
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    for (int i = 0; i < 400; i++) {
        charges c = random_charges(&random, i < 390 ? 5 : 8, i % 2);
        pdpr_accountant *a = list_of(ctx, &c);
        double delta = scale_between(&random, 1e-12, 0.1), stated;
        double epsilon = expect_close_cost(ctx, a, &c, delta);
        epsilon *= between(&random, 0.3, 1.2);
        assert_ok(pdpr_accountant_delta(ctx, a, epsilon, &stated, NULL));
        plain_joint(exact, &c, epsilon);
        mpfr_div_d(exact, exact, 1 - 0x1p-20, MPFR_RNDU);
        assert_true(mpfr_cmp_d(exact, stated) <= 0);
        assert_close(stated, mpfr_get_d(exact, MPFR_RNDN), 1e-11); /* asked for: 1e-9 */
        pdpr_accountant_free(a);
    }
    mpfr_clear(exact);
    pdpr_context_free(ctx);
}

/* Beside pure charges a Gaussian part may be as small as one likes; the narrower it is, the more
 * points the line needs. */
static void joint_with_a_small_mu_is_safe_and_within_1e_9(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_stream random = random_cases(14);
    for (int i = 0; i < 40; i++) {
        charges c = random_charges(&random, 5, false);
        if (c.count == 0)
            continue;
        c.mu = scale_between(&random, 1e-7, 0.02);
        pdpr_accountant *a = list_of(ctx, &c);
        (void)expect_close_cost(ctx, a, &c, scale_between(&random, 1e-12, 0.1));
        pdpr_accountant_free(a);
    }
    pdpr_context_free(ctx);
}

/* A line that was chosen for another epsilon, or for no Gaussian part where there is one, gives a
 * bound all the same. */
static void contour_aimed_anywhere_is_above_all_signs(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_stream random = random_cases(11);
    mpfr_t exact, bound;
    mpfr_init2(exact, BITS);
    mpfr_init2(bound, PDPR_I_GDP_BITS);
    for (int i = 0; i < 200; i++) {
        charges c = random_charges(&random, 5, i % 4 > 0);
        if (c.count == 0)
            continue;
        pdpr_accountant *a = list_of(ctx, &c);
        pdpr_i_joint joint;
        pdpr_i_contour contour;
        assert_ok(pdpr_i_joint_init(ctx, a, true, &joint, NULL));
        assert_ok(pdpr_i_contour_init(ctx, joint.list, &contour, NULL));
        double epsilon = epsilon_at(ctx, a, scale_between(&random, 1e-9, 0.1));
        pdpr_i_contour_aim(&contour, c.mu, epsilon * scale_between(&random, 0.2, 2),
                           PDPR_I_FEW_POINTS);
        plain_joint(exact, &c, epsilon);
        pdpr_i_contour_delta(&contour, epsilon, bound);
        assert_true(mpfr_cmp(bound, exact) >= 0);
        pdpr_i_contour_clear(&contour);
        pdpr_i_joint_clear(&joint);
        pdpr_accountant_free(a);
    }
    mpfr_clears(exact, bound, (mpfr_ptr)0);
    pdpr_context_free(ctx);
}

/* Lists of pure charges go through the contour only when their atoms are many; here it is made to
 * do short ones, which can be summed. */
static void contour_of_pure_charges_is_safe_and_within_1e_9(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_stream random = random_cases(5);
    mpfr_t exact, bound;
    mpfr_init2(exact, BITS);
    mpfr_init2(bound, PDPR_I_GDP_BITS);
    for (int i = 0; i < 12; i++) {
        charges c = {.count = 10};
        for (uint32_t k = 0; k < c.count; k++) {
            c.numerator[k] = 1 + pdpr_i_stream_below(&random, 900000);
            c.denominator[k] = 1000003 + pdpr_i_stream_below(&random, 500000);
        }
        pdpr_accountant *a = list_of(ctx, &c);
        pdpr_i_joint joint;
        pdpr_i_contour contour;
        assert_ok(pdpr_i_joint_init(ctx, a, true, &joint, NULL));
        assert_ok(pdpr_i_contour_init(ctx, joint.list, &contour, NULL));
        double epsilon = epsilon_at(ctx, a, scale_between(&random, 1e-9, 0.1));
        pdpr_i_contour_aim(&contour, 0, epsilon, PDPR_I_ALL_POINTS);
        pdpr_i_contour_delta(&contour, epsilon, bound);
        plain_joint(exact, &c, epsilon);
        assert_true(mpfr_cmp(bound, exact) >= 0);
        plain_joint(exact, &c, epsilon * (1 - 1e-9));
        assert_true(mpfr_cmp(bound, exact) <= 0);
        pdpr_i_contour_clear(&contour);
        pdpr_i_joint_clear(&joint);
        pdpr_accountant_free(a);
    }
    mpfr_clears(exact, bound, (mpfr_ptr)0);
    pdpr_context_free(ctx);
}

/* delta of pure charges n_i / UNIT, by the law of their sum on the lattice of 1 / UNIT. */
enum { UNIT = 1000, MOST_MANY = 120, MOST_LATTICE = 2 * MOST_MANY * (MOST_MANY + 1) / 2 + 1 };

static void plain_lattice(mpfr_t out, const uint32_t *n, uint32_t count, double epsilon)
{
    mpfr_t *law = malloc(2 * MOST_LATTICE * sizeof *law), p, q, term;
    uint64_t sum = 0;
    assert_non_null(law);
    mpfr_inits2(BITS, p, q, term, (mpfr_ptr)0);
    for (int i = 0; i < 2 * MOST_LATTICE; i++) {
        mpfr_init2(law[i], BITS);
        mpfr_set_zero(law[i], 1);
    }
    mpfr_t *now = law, *next = law + MOST_LATTICE; /* [2 sum + 1], from -sum to sum */
    mpfr_set_ui(now[0], 1, MPFR_RNDN);
    for (uint32_t k = 0; k < count; k++) {
        mpfr_set_si(p, -(long)n[k], MPFR_RNDN); /* p = 1 / (1 + e^-epsilon), q = 1 - p */
        mpfr_div_ui(p, p, UNIT, MPFR_RNDN);
        mpfr_exp(p, p, MPFR_RNDN);
        mpfr_add_ui(p, p, 1, MPFR_RNDN);
        mpfr_ui_div(p, 1, p, MPFR_RNDN);
        mpfr_ui_sub(q, 1, p, MPFR_RNDN);
        for (uint64_t i = 0; i <= 2 * (sum + n[k]); i++)
            mpfr_set_zero(next[i], 1);
        for (uint64_t i = 0; i <= 2 * sum; i++) {
            mpfr_fma(next[i], now[i], q, next[i], MPFR_RNDN);
            mpfr_fma(next[i + 2 * n[k]], now[i], p, next[i + 2 * n[k]], MPFR_RNDN);
        }
        sum += n[k];
        mpfr_t *other = now;
        now = next;
        next = other;
    }
    mpfr_set_zero(out, 1);
    for (uint64_t i = 0; i <= 2 * sum; i++) {
        mpfr_set_si(term, (long)sum - (long)i, MPFR_RNDN); /* 1 - e^(epsilon - loss) */
        mpfr_div_ui(term, term, UNIT, MPFR_RNDN);
        mpfr_add_d(term, term, epsilon, MPFR_RNDN);
        if (mpfr_sgn(term) >= 0)
            continue;
        mpfr_expm1(term, term, MPFR_RNDN);
        mpfr_neg(term, term, MPFR_RNDN);
        mpfr_fma(out, term, now[i], out, MPFR_RNDN);
    }
    for (int i = 0; i < 2 * MOST_LATTICE; i++)
        mpfr_clear(law[i]);
    mpfr_clears(p, q, term, (mpfr_ptr)0);
    free(law);
}

/* More different charges than can be listed answer by answer, as a ledger may have: still within
 * 1e-9. Here they have a common unit, which the contour does not know; only the oracle does. */
static void contour_of_many_pure_charges_is_safe_and_within_1e_9(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    mpfr_t exact, bound;
    mpfr_init2(exact, BITS);
    mpfr_init2(bound, PDPR_I_GDP_BITS);
    for (uint32_t count = 30; count <= MOST_MANY; count *= 2) {
        pdpr_accountant *a = NULL;
        pdpr_i_joint joint;
        pdpr_i_contour contour;
        uint32_t n[MOST_MANY];
        assert_ok(pdpr_accountant_new(ctx, &a, NULL));
        for (uint32_t k = 0; k < count; k++) {
            n[k] = k + 1;
            assert_ok(pdpr_accountant_add_pure(ctx, a, "pure", n[k], UNIT, NULL));
        }
        double epsilon = epsilon_at(ctx, a, 1e-5);
        assert_ok(pdpr_i_joint_init(ctx, a, true, &joint, NULL));
        assert_ok(pdpr_i_contour_init(ctx, joint.list, &contour, NULL));
        pdpr_i_contour_aim(&contour, 0, epsilon, PDPR_I_ALL_POINTS);
        pdpr_i_contour_delta(&contour, epsilon, bound);
        plain_lattice(exact, n, count, epsilon);
        assert_true(mpfr_cmp(bound, exact) >= 0);
        assert_true(mpfr_cmp_d(exact, 1e-5) <= 0);
        plain_lattice(exact, n, count, epsilon * (1 - 1e-9));
        assert_true(mpfr_cmp(bound, exact) <= 0);
        assert_true(mpfr_cmp_d(exact, 1e-5 * (1 - 0x1p-20)) >= 0); /* what is kept back apart */
        pdpr_i_contour_clear(&contour);
        pdpr_i_joint_clear(&joint);
        pdpr_accountant_free(a);
    }
    mpfr_clears(exact, bound, (mpfr_ptr)0);
    pdpr_context_free(ctx);
}

static void second_accountant_agrees_on_random_lists(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_stream random = random_cases(6);
    for (int i = 0; i < 200; i++) {
        charges c = random_charges(&random, 9, i % 2);
        pdpr_accountant *a = list_of(ctx, &c);
        pdpr_i_check_pure pure[12];
        for (uint32_t k = 0; k < c.count; k++)
            pure[k] = (pdpr_i_check_pure){c.numerator[k], c.denominator[k]};
        pdpr_i_check_gaussian gaussian = {c.mu, 1};
        pdpr_i_check_list list = {pure, &gaussian, c.count, c.mu > 0};
        double delta = scale_between(&random, 1e-30, 0.5), second;
        double first = epsilon_at(ctx, a, delta);
        assert_ok(pdpr_i_check_epsilon(ctx, &list, delta, &second, NULL));
        assert_true(fabs(first - second) <= 1e-9 * second);
        pdpr_accountant_free(a);
    }
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- joint, from the densities */

/* The integral of max(0, P - e^epsilon Q) over outcomes (s, z): s the answers of the responses, z
 * the Gaussian value; P is the law when the truth is `world`, Q the other. */
static double integrate(const charges *c, double epsilon, int world)
{
    enum { STEPS = 40000 };
    const double edge = 14, width = (2 * edge + c->mu) / STEPS;
    double sum = 0;
    for (uint32_t answers = 0; answers < 1u << c->count; answers++) {
        double p = 1, q = 1;
        for (uint32_t i = 0; i < c->count; i++) {
            double e = (double)c->numerator[i] / (double)c->denominator[i];
            double same = exp(e) / (1 + exp(e)), other = 1 / (1 + exp(e));
            p *= (int)(answers >> i & 1) == world ? same : other;
            q *= (int)(answers >> i & 1) == world ? other : same;
        }
        for (int k = 0; k < STEPS; k++) {
            double z = -edge + (k + 0.5) * width, one = z - world * c->mu,
                   two = z - (1 - world) * c->mu;
            double above = p * exp(-one * one / 2) - exp(epsilon) * q * exp(-two * two / 2);
            sum += above > 0 ? above : 0;
        }
    }
    return sum * width / sqrt(2 * acos(-1));
}

static void joint_equals_the_integral_in_both_directions(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_stream random = random_cases(7);
    for (int i = 0; i < 40; i++) {
        charges c = random_charges(&random, 4, true);
        if (c.mu == 0)
            c.mu = 0.3;
        pdpr_accountant *a = list_of(ctx, &c);
        double epsilon = epsilon_at(ctx, a, scale_between(&random, 1e-6, 0.1)), stated;
        assert_ok(pdpr_accountant_delta(ctx, a, epsilon, &stated, NULL));
        stated *= 1 - 0x1p-20;
        assert_close(integrate(&c, epsilon, 1), stated, 2e-6);
        assert_close(integrate(&c, epsilon, 0), stated, 2e-6);
        pdpr_accountant_free(a);
    }
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- order */

static void cost_rises_with_every_charge_and_stays_below_the_sum(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_stream random = random_cases(8);
    for (int i = 0; i < 100; i++) {
        charges c = random_charges(&random, 8, true), part = c;
        double delta = scale_between(&random, 1e-15, 0.01), gaussian = 0;
        if (c.mu > 0)
            assert_ok(pdpr_gdp_epsilon(c.mu, delta * (1 - 0x1p-20), &gaussian, NULL));
        pdpr_accountant *a = list_of(ctx, &c);
        double all = epsilon_at(ctx, a, delta), sum = pdpr_i_accountant_pure_epsilon(a);
        assert_true(all <= (sum + gaussian) * (1 + 1e-14));
        assert_true(all >= gaussian * (1 - 1e-14));
        assert_true(epsilon_at(ctx, a, delta / 2) >= all);
        pdpr_accountant_free(a);

        while (part.count > 0) { /* one charge less costs less */
            part.count--;
            a = list_of(ctx, &part);
            double less = epsilon_at(ctx, a, delta);
            assert_true(less <= all * (1 + 1e-14));
            all = less;
            pdpr_accountant_free(a);
        }
        part = (charges){
            .count = c.count > 0, .numerator = {c.numerator[0]}, .denominator = {c.denominator[0]}};
        a = list_of(ctx, &part); /* never below the largest part alone */
        double largest = epsilon_at(ctx, a, delta);
        pdpr_accountant_free(a);
        a = list_of(ctx, &c);
        assert_true(epsilon_at(ctx, a, delta) >= largest * (1 - 1e-14));
        pdpr_accountant_free(a);
    }
    pdpr_context_free(ctx);
}

static void plans_fit_their_budget_when_carried_out(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_stream random = random_cases(9);
    int refused = 0;
    for (int i = 0; i < 150; i++) {
        charges c = random_charges(&random, 6, true);
        pdpr_accountant *a = list_of(ctx, &c);
        double epsilon = scale_between(&random, 0.1, 10), mu;
        double delta = scale_between(&random, 1e-12, 1e-3);
        pdpr_status s = pdpr_i_accountant_mu_left(ctx, a, epsilon, delta, &mu, NULL);
        double before = epsilon_at(ctx, a, delta);
        if (s == PDPR_EBUDGET) {
            assert_true(before > epsilon * (1 - 1e-9));
            refused++;
        } else {
            assert_ok(s);
            uint64_t steps = 1 + pdpr_i_stream_below(&random, 100000);
            double step = nextafter(mu / sqrt((double)steps), 1);
            assert_ok(pdpr_accountant_add_gaussian(ctx, a, "left", step, steps, NULL));
            double after = epsilon_at(ctx, a, delta);
            assert_true(after <= epsilon);
            assert_close(after, epsilon, 1e-10);
        }
        pdpr_accountant_free(a);
    }
    assert_true(refused > 5 && refused < 100);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mu_is_safe_and_within_1e_9_of_the_definition),
        cmocka_unit_test(epsilon_is_safe_and_within_1e_9_of_the_definition),
        cmocka_unit_test(delta_is_safe_and_within_1e_9_of_the_definition),
        cmocka_unit_test(delta_bound_at_any_precision_is_above_the_definition),
        cmocka_unit_test(delta_bound_with_exact_alpha_is_above_the_definition),
        cmocka_unit_test(joint_is_safe_and_within_1e_9_of_all_signs),
        cmocka_unit_test(joint_with_a_small_mu_is_safe_and_within_1e_9),
        cmocka_unit_test(contour_aimed_anywhere_is_above_all_signs),
        cmocka_unit_test(contour_of_pure_charges_is_safe_and_within_1e_9),
        cmocka_unit_test(contour_of_many_pure_charges_is_safe_and_within_1e_9),
        cmocka_unit_test(second_accountant_agrees_on_random_lists),
        cmocka_unit_test(joint_equals_the_integral_in_both_directions),
        cmocka_unit_test(cost_rises_with_every_charge_and_stays_below_the_sum),
        cmocka_unit_test(plans_fit_their_budget_when_carried_out),
    };
    return cmocka_run_group_tests_name("accountant against definitions", tests, NULL, NULL);
}
