/* Exact coins and discrete Laplace noise: thresholds against other arithmetic, laws against the
 * closed form, and against an independent sampler (Canonne, Kamath and Steinke 2020, section 5). */
#include "support/noise_support.h"

#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#include "dp/laplace_discrete.h"

static long double coin_value(const pdpr_i_coin *c)
{
    long double x = 0;
    for (int i = PDPR_I_COIN_WORDS - 1; i >= 0; i--)
        x = (x + (long double)c->word[i]) * 0x1p-64L;
    return x;
}

static void coins_have_the_right_probability(void **state)
{
    (void)state;
    const pdpr_i_ratio xs[] = {{1, 1},  {1, 1000},
                               {7, 3},  {1, UINT64_C(1) << 50},
                               {40, 1}, {UINT64_C(1) << 32, (UINT64_C(1) << 40) + 1}};
    /* Valgrind computes long doubles in 53 bits, which a large x loses ten of. */
    volatile long double one = 1, more = one + LDBL_EPSILON;
    long double accuracy = more > one ? 1e-15L : 1e-12L;
    for (size_t i = 0; i < sizeof xs / sizeof *xs; i++)
        for (unsigned shift = 0; shift < 6; shift++) {
            long double x = (long double)xs[i].num / (long double)xs[i].den * (1 << shift);
            pdpr_i_coin e = pdpr_i_coin_exp(xs[i], shift), l = pdpr_i_coin_logistic(xs[i], shift);
            long double p = expl(-x), q = 1 / (1 + expl(x));
            assert_true(fabsl(coin_value(&e) - p) < accuracy * p + 0x1p-250L);
            assert_true(fabsl(coin_value(&l) - q) < accuracy * q + 0x1p-250L);
        }
    /* exp(-178) < 2^-256: the coin that never succeeds */
    const pdpr_i_coin never = pdpr_i_coin_exp((pdpr_i_ratio){178, 1}, 0);
    for (int i = 0; i < PDPR_I_COIN_WORDS; i++)
        assert_int_equal(never.word[i], 0);
}

/* All 256 bits: against MPFR at four times the precision, with the quotient taken another way. */
static void coins_are_rounded_down_in_the_last_bit(void **state)
{
    (void)state;
    mpfr_t p, c, ulp;
    mpfr_inits2(1200, p, c, ulp, (mpfr_ptr)NULL);
    for (uint64_t num = 1; num < 60; num++) {
        pdpr_i_ratio x = {num, 37};
        for (int kind = 0; kind < 2; kind++) {
            pdpr_i_coin coin = kind ? pdpr_i_coin_logistic(x, 2) : pdpr_i_coin_exp(x, 2);
            mpfr_set_si(p, -4 * (long)num, MPFR_RNDN);
            mpfr_div_ui(p, p, 37, MPFR_RNDN);
            mpfr_exp(p, p, MPFR_RNDN); /* r */
            if (kind) {                /* 1 / (1 + 1/r) = r / (1 + r) */
                mpfr_add_ui(c, p, 1, MPFR_RNDN);
                mpfr_div(p, p, c, MPFR_RNDN);
            }
            mpfr_set_ui(c, 0, MPFR_RNDN);
            for (int i = PDPR_I_COIN_WORDS - 1; i >= 0; i--) {
                mpfr_add_ui(c, c, coin.word[i], MPFR_RNDN);
                mpfr_div_2ui(c, c, 64, MPFR_RNDN);
            }
            mpfr_set_ui_2exp(ulp, 1, -256, MPFR_RNDN);
            assert_true(mpfr_lessequal_p(c, p));
            mpfr_add(c, c, ulp, MPFR_RNDN);
            assert_true(mpfr_greater_p(c, p));
        }
    }
    mpfr_clears(p, c, ulp, (mpfr_ptr)NULL);
    mpfr_free_cache();
}

static void toss_compares_word_by_word(void **state)
{
    (void)state;
    const pdpr_i_coin coin = {{5, 6, 7, 8}};
    for (int equal = 0; equal < PDPR_I_COIN_WORDS; equal++)
        for (int above = 0; above < 2; above++) {
            uint64_t words[PDPR_I_COIN_WORDS];
            memcpy(words, coin.word, sizeof words);
            words[equal] += above ? 1 : UINT64_MAX;
            pdpr_i_stream s = noise_scripted(words, PDPR_I_COIN_WORDS);
            assert_int_equal(pdpr_i_coin_toss(&coin, &s), !above);
            assert_int_equal(s.used, 8 * (equal + 1));
        }
    pdpr_i_stream s = noise_scripted(coin.word, PDPR_I_COIN_WORDS);
    assert_false(pdpr_i_coin_toss(&coin, &s)); /* equal is not below */
}

static void doublings_are_counted_exactly(void **state)
{
    (void)state;
    assert_int_equal(pdpr_i_ratio_doublings((pdpr_i_ratio){89, 1}, 89, 61), 0);
    assert_int_equal(pdpr_i_ratio_doublings((pdpr_i_ratio){88, 1}, 89, 61), 1);
    assert_int_equal(pdpr_i_ratio_doublings((pdpr_i_ratio){1, 1}, 89, 61), 7);
    assert_int_equal(pdpr_i_ratio_doublings((pdpr_i_ratio){1, UINT64_MAX}, 89, 61), 62);
    assert_int_equal(pdpr_i_ratio_doublings((pdpr_i_ratio){UINT64_MAX, UINT64_MAX}, 89, 61), 7);
    assert_int_equal(pdpr_i_ratio_doublings((pdpr_i_ratio){0, 1}, 89, 61), 62);
}

enum { HALF = 8, CELLS = 2 * HALF + 1 };

/* Probabilities of -HALF.. HALF, both ends with their tails. */
static void law(double rate, double *expected)
{
    double r = exp(-rate), at_zero = (1 - r) / (1 + r);
    for (int i = 0; i < CELLS; i++)
        expected[i] = at_zero * pow(r, abs(i - HALF));
    expected[0] = expected[CELLS - 1] = pow(r, HALF) / (1 + r);
}

static int cell(int64_t z)
{
    return z < -HALF ? 0 : z > HALF ? CELLS - 1 : (int)z + HALF;
}

static void noise_follows_the_discrete_laplace_law(void **state)
{
    (void)state;
    enum { DRAWS = 200000 };
    const pdpr_i_ratio rates[] = {{1, 1}, {3, 2}, {1, 5}, {1, 3}};
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
        pdpr_i_laplace laplace;
        pdpr_i_stream s = noise_stream(20, k);
        uint64_t seen[CELLS] = {0};
        double expected[CELLS];
        assert_ok(pdpr_i_laplace_init(&laplace, rates[k], NULL));
        for (int i = 0; i < DRAWS; i++)
            seen[cell(pdpr_i_laplace_draw(&laplace, &s))]++;
        law((double)rates[k].num / (double)rates[k].den, expected);
        assert_true(chi_square(seen, expected, CELLS, DRAWS) < chi_square_limit(CELLS - 1));
    }
}

/* Wide noise: mean 0, variance 2r / (1-r)^2, and |Z| / scale exponential (KS at 1e-6). */
static void noise_of_small_rate_has_its_spread(void **state)
{
    (void)state;
    enum { DRAWS = 20000, BINS = 40 };
    pdpr_i_laplace laplace;
    pdpr_i_stream s = noise_stream(21, 0);
    const double scale = 1e6;
    uint64_t seen[BINS] = {0};
    double expected[BINS], square = 0, sum = 0;
    assert_ok(pdpr_i_laplace_init(&laplace, (pdpr_i_ratio){1, 1000000}, NULL));
    for (int i = 0; i < DRAWS; i++) {
        double z = (double)pdpr_i_laplace_draw(&laplace, &s) / scale;
        int bin = (int)(BINS * (1 - exp(-fabs(z)))); /* uniform for an exponential */
        seen[bin < BINS ? bin : BINS - 1]++;
        square += z * z;
        sum += z;
    }
    for (int i = 0; i < BINS; i++)
        expected[i] = 1.0 / BINS;
    assert_true(chi_square(seen, expected, BINS, DRAWS) < chi_square_limit(BINS - 1));
    /* sd of the mean of z^2 is sqrt(20 / n), of z sqrt(2 / n) */
    assert_true(fabs(square / DRAWS - 2) < 5 * sqrt(20.0 / DRAWS));
    assert_true(fabs(sum / DRAWS) < 5 * sqrt(2.0 / DRAWS));
}

/* The time that a draw takes must not tell what was drawn: it reads the same number of words. */
static void noise_takes_the_same_bits_for_every_value(void **state)
{
    (void)state;
    pdpr_i_laplace laplace;
    assert_ok(pdpr_i_laplace_init(&laplace, (pdpr_i_ratio){1, 100}, NULL));
    assert_int_equal(laplace.one.bits, 14); /* 100 * 89 <= 2^14 */
    for (uint64_t i = 0; i < 100; i++) {
        pdpr_i_stream s = noise_stream(22, i);
        pdpr_i_laplace_draw(&laplace, &s);
        assert_int_equal(s.used, 2 * 14 * 8);
    }
}

static void rate_out_of_range_is_refused(void **state)
{
    (void)state;
    pdpr_i_laplace laplace;
    pdpr_error err;
    assert_int_equal(pdpr_i_laplace_init(&laplace, (pdpr_i_ratio){0, 1}, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "discrete Laplace noise: expected a rate of at least 2^-53, "
                                  "found 0/1");
    assert_int_equal(pdpr_i_laplace_init(&laplace, (pdpr_i_ratio){1, 0}, &err), PDPR_EUSAGE);
    assert_int_equal(pdpr_i_laplace_init(&laplace, (pdpr_i_ratio){1, UINT64_C(1) << 56}, &err),
                     PDPR_EUSAGE);
    assert_ok(pdpr_i_laplace_init(&laplace, (pdpr_i_ratio){1, UINT64_C(1) << 53}, &err));
}

/* ---------------------------------------------------------------- independent reference */

/* True with probability exp(-num/den), num <= den: count k while Bernoulli(num / (den k)) succeeds;
 * the first failure comes at an odd k with probability exp(-num/den). */
static bool reference_exp_up_to_one(uint64_t num, uint64_t den, pdpr_i_stream *s)
{
    uint64_t k = 1;
    while (pdpr_i_stream_below(s, den * k) < num)
        k++;
    return k % 2 == 1;
}

/* Canonne, Kamath and Steinke, Algorithm 2: discrete Laplace of scale t / s. */
static int64_t reference_laplace(uint64_t t, uint64_t s, pdpr_i_stream *stream)
{
    for (;;) {
        uint64_t u = pdpr_i_stream_below(stream, t), v = 0;
        if (!reference_exp_up_to_one(u, t, stream))
            continue;
        while (reference_exp_up_to_one(1, 1, stream))
            v++;
        int64_t y = (int64_t)((u + t * v) / s);
        bool negative = pdpr_i_stream_below(stream, 2);
        if (negative && y == 0)
            continue;
        return negative ? -y : y;
    }
}

static void noise_and_the_reference_have_one_law(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    const pdpr_i_ratio rates[] = {{1, 4}, {2, 3}};
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
        pdpr_i_laplace laplace;
        pdpr_i_stream s = noise_stream(23, k);
        double ours[CELLS] = {0}, reference[CELLS] = {0}, chi = 0;
        assert_ok(pdpr_i_laplace_init(&laplace, rates[k], NULL));
        for (int i = 0; i < DRAWS; i++) {
            ours[cell(pdpr_i_laplace_draw(&laplace, &s))]++;
            reference[cell(reference_laplace(rates[k].den, rates[k].num, &s))]++;
        }
        for (int i = 0; i < CELLS; i++)
            chi += (ours[i] - reference[i]) * (ours[i] - reference[i]) / (ours[i] + reference[i]);
        assert_true(chi < chi_square_limit(CELLS - 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coins_have_the_right_probability),
        cmocka_unit_test(coins_are_rounded_down_in_the_last_bit),
        cmocka_unit_test(toss_compares_word_by_word),
        cmocka_unit_test(doublings_are_counted_exactly),
        cmocka_unit_test(noise_follows_the_discrete_laplace_law),
        cmocka_unit_test(noise_of_small_rate_has_its_spread),
        cmocka_unit_test(noise_takes_the_same_bits_for_every_value),
        cmocka_unit_test(rate_out_of_range_is_refused),
        cmocka_unit_test(noise_and_the_reference_have_one_law),
    };
    return cmocka_run_group_tests_name("discrete Laplace", tests, NULL, NULL);
}
