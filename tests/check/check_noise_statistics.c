/* Rounded Gaussian noise against its law (PRIVACY 10.1): fixed seeds, false-alarm rate 1e-6 each.
 *
 * Distribution (KS, pmf, moments, tails), low bits against a naive implementation that must fail,
 * independence across coordinates, steps, charges and runs, and the kernel's error against two
 * independent computations of the quantile. `--full` does the last with 2 * 10^7 points in extended
 * precision and 10^6 in MPFR (3 minutes); that no point at all can fail is proved in
 * check_gaussian_table.c. */
#include "support/noise_support.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#include "dp/gaussian_rounded.h"
#include "dp/gaussian_table.h"

enum { MILLION = 1000000 };

static uint64_t extended_points = MILLION, mpfr_points = 8000;

/* `count` values of noise at (seed, address). */
static int64_t *draw(uint64_t seed, uint64_t address, double sigma, uint64_t count)
{
    pdpr_context *ctx = test_context(2);
    pdpr_i_key key;
    int64_t *y = calloc(count, sizeof *y);
    assert_non_null(y);
    pdpr_i_key_from_seed(seed, &key);
    assert_ok(pdpr_i_gaussian_add(ctx, &key, address, sigma, y, count, NULL));
    pdpr_context_free(ctx);
    return y;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void noise_follows_the_normal_law_by_ks(void **state)
{
    (void)state;
    const double sigma = 1281498708.43;
    int64_t *y = draw(60, 0, sigma, MILLION);
    double *x = malloc(MILLION * sizeof *x), worst = 0;
    pdpr_i_stream jitter = noise_stream(60, 1);
    assert_non_null(x);
    for (int i = 0; i < MILLION; i++)
        x[i] = ((double)y[i] + pdpr_i_stream_unit(&jitter) - 0.5) / sigma;
    qsort(x, MILLION, sizeof *x, compare_doubles);
    for (int i = 0; i < MILLION; i++) {
        double f = normal_cdf(x[i]);
        worst = fmax(worst, fmax(f - i / 1e6, (i + 1) / 1e6 - f));
    }
    assert_true(worst < 0.0026934);
    free(x);
    free(y);
}

static void noise_has_the_moments_and_tails_of_the_law(void **state)
{
    (void)state;
    enum { COUNT = 4 * MILLION };
    const double sigma = 0x1p31, n = COUNT;
    int64_t *y = draw(61, 0, sigma, COUNT);
    double s1 = 0, s2 = 0, s3 = 0, s4 = 0, beyond_4 = 0, beyond_5 = 0;
    for (int i = 0; i < COUNT; i++) {
        double x = (double)y[i] / sigma;
        s1 += x;
        s2 += x * x;
        s3 += x * x * x;
        s4 += x * x * x * x;
        beyond_4 += fabs(x) > 4;
        beyond_5 += fabs(x) > 5;
    }
    assert_true(fabs(s1 / n) < 5 / sqrt(n));
    assert_true(fabs(s2 / n - 1) < 5 * sqrt(2 / n));
    assert_true(fabs(s3 / n) < 5 * sqrt(15 / n));
    assert_true(fabs(s4 / n - 3) < 6 * sqrt(96 / n));
    double mean_4 = n * 6.334e-5; /* 253; beyond 5: 2.3, P(more than 13) < 1e-6 */
    assert_true(fabs(beyond_4 - mean_4) < 5 * sqrt(mean_4));
    assert_true(beyond_5 <= 13);
    free(y);
}

/* P(Y = k), k > 0, from the upper tail, where nothing cancels. */
static double cell_of(int k, double sigma)
{
    return (erfc((k - 0.5) / (sigma * sqrt(2))) - erfc((k + 0.5) / (sigma * sqrt(2)))) / 2;
}

/* PRIVACY 12.4: one cell of sigma = 2^20, and the 2001 cells around 0 in a million draws, of which
 * 761 are expected; 5 standard deviations are 138. */
static void noise_of_sigma_2_20_has_its_pmf(void **state)
{
    (void)state;
    const double sigma = 0x1p20, cell = erf(0.5 / (sigma * sqrt(2)));
    int near = 0;
    assert_close(cell, 3.80461006547372398e-7, 1e-14);
    int64_t *y = draw(63, 0, sigma, MILLION);
    for (int i = 0; i < MILLION; i++)
        near += y[i] >= -1000 && y[i] <= 1000;
    assert_true(fabs(near - 2001 * cell * MILLION) < 138);
    free(y);
}

/* PRIVACY 12.4, and further cells by erfc. */
static void noise_of_small_sigma_has_its_pmf(void **state)
{
    (void)state;
    static const struct {
        double sigma, p0, p1, p2, p5;
        int half;
    } cases[] = {
        {0.5, 0.682689492137085897, 0.157305355899826957, 1.34961138005821533e-3,
         1.12858840404318e-19, 2},
        {1, 0.382924922548026207, 0.24173033745712883, 0.0605975359430819308, 3.37868356226417e-6,
         4},
        {2, 0.197412651365847448, 0.174666321940208076, 0.120977578710012942, 9.2447094199901464e-3,
         8},
        {10, 0.0398776116767449232, 0.0396788865318700564, 0.0390886333126812063,
         0.0351955334995736532, 30},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int half = cases[c].half, cells = 2 * half + 1;
        double sigma = cases[c].sigma, p[61], square = 0;
        uint64_t seen[61] = {0};
        for (int i = 0; i < cells; i++)
            p[i] = normal_cdf((i - half + 0.5) / sigma) - normal_cdf((i - half - 0.5) / sigma);
        p[0] = p[cells - 1] = normal_cdf((0.5 - half) / sigma);
        assert_close(p[half], cases[c].p0, 1e-14);
        assert_close(p[half + 1], cases[c].p1, 1e-14);
        if (half > 2)
            assert_close(p[half - 2], cases[c].p2, 1e-13);
        assert_close(cell_of(5, sigma), cases[c].p5, 1e-13);
        if (half > 5)
            assert_close(p[half - 5], cases[c].p5, 1e-12);

        if (sigma == 1) {
            double variance = 0;
            for (int k = 12; k > 0; k--)
                variance += 2 * k * k * cell_of(k, 1);
            assert_close(variance, 1.08333332236112, 1e-14);
        }
        int64_t *y = draw(62, c, sigma, MILLION);
        for (int i = 0; i < MILLION; i++) {
            int64_t cell = y[i] < -half ? -half : y[i] > half ? half : y[i];
            seen[cell + half]++;
            square += (double)(y[i] * y[i]);
        }
        assert_true(chi_square(seen, p, cells, MILLION) < chi_square_limit(cells - 1));
        if (sigma >= 2) {
            double variance = sigma * sigma + 1.0 / 12;
            assert_true(fabs(square / MILLION / variance - 1) < 5 * sqrt(2e-6));
        }
        free(y);
    }
}

/* ---------------------------------------------------------------- low bits */

/* How far (value + noise) mod 256 is from uniform: chi-square with 255 degrees. */
static double low_bits(const int64_t *y, int64_t value, uint64_t count)
{
    uint64_t seen[256] = {0};
    double p[256];
    for (uint64_t i = 0; i < count; i++)
        seen[(uint64_t)(value + y[i]) & 255]++;
    for (int i = 0; i < 256; i++)
        p[i] = 1.0 / 256;
    return chi_square(seen, p, 256, (double)count);
}

/* The mechanism that Mironov (2012) broke: double noise added to a double value. What an attacker
 * sees is the result's significand; its last bits depend on the value. */
static double naive_low_bits(double value, uint64_t count)
{
    pdpr_i_stream s = noise_stream(63, (uint64_t)value);
    uint64_t seen[256] = {0};
    double p[256];
    for (uint64_t i = 0; i < count; i++) {
        double u = 1 - pdpr_i_stream_unit(&s), v = pdpr_i_stream_unit(&s);
        double released = value + 0.01 * sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
        seen[(int)fmod(fabs(released) * 0x1p56, 256)]++; /* bits down to 2^-56 */
    }
    for (int i = 0; i < 256; i++)
        p[i] = 1.0 / 256;
    return chi_square(seen, p, 256, (double)count);
}

static void low_bits_are_uniform_whatever_the_value(void **state)
{
    (void)state;
    static const int64_t values[] = {0, 1, 12345};
    int64_t *y = draw(64, 0, 1281498708.43, MILLION);
    for (int i = 0; i < 3; i++)
        assert_true(low_bits(y, values[i], MILLION) < chi_square_limit(255));
    free(y);
    /* the test has teeth: the naive mechanism fails it, and differently for each value */
    assert_true(naive_low_bits(1, 200000) > 100 * chi_square_limit(255));
    assert_true(naive_low_bits(12345, 200000) > 100 * chi_square_limit(255));
}

/* ---------------------------------------------------------------- independence */

static void noise_is_uncorrelated_across_addresses(void **state)
{
    (void)state;
    enum { COUNT = 400000 };
    const double limit = 5 / sqrt(COUNT), sigma = 1e9;
    int64_t *base = draw(65, 0, sigma, COUNT + 5000);
    const struct {
        uint64_t seed, address;
    } others[] = {{65, 1},                 /* the next step */
                  {65, 2},                 /* and the one after */
                  {65, UINT64_C(1) << 32}, /* another charge */
                  {66, 0},                 /* another run */
                  {65, UINT64_C(0x100000000000000)}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        int64_t *other = draw(others[i].seed, others[i].address, sigma, COUNT);
        assert_true(fabs(correlation(base, other, COUNT)) < limit);
        free(other);
    }
    /* neighbouring coordinates, rows of 128, kernel groups, blocks of threads */
    static const uint64_t lags[] = {1, 2, 3, 4, 8, 64, 128, 256, 512, 4096};
    for (size_t i = 0; i < sizeof lags / sizeof *lags; i++)
        assert_true(fabs(correlation(base, base + lags[i], COUNT)) < limit);
    /* and squares, which a shared radius (polar methods) would tie together */
    int64_t *square = calloc(COUNT + 5000, sizeof *square);
    assert_non_null(square);
    for (int i = 0; i < COUNT + 5000; i++)
        square[i] = (int64_t)((double)base[i] * (double)base[i] / sigma);
    for (size_t i = 0; i < sizeof lags / sizeof *lags; i++)
        assert_true(fabs(correlation(square, square + lags[i], COUNT)) < limit);
    free(square);
    free(base);
}

/* ---------------------------------------------------------------- the kernel's error */

/* Kernel results at a sigma of 2^41 are x to 2^-41 or better. Against the quantile in extended
 * precision: Q(x + g) < p < Q(x - g) must hold for g = guard + half a step. */
static void kernel_error_stays_below_the_guard(void **state)
{
    (void)state;
    enum { BLOCK = PDPR_I_GAUSSIAN_BLOCK };
    static uint64_t words[BLOCK];
    static int64_t y[BLOCK];
    static uint32_t doubtful[BLOCK];
    const double sigma = 0x1p41;
    pdpr_i_stream s = noise_stream(67, 0);
    uint64_t checked = 0;
    while (checked < extended_points) {
        pdpr_i_stream_words(&s, words, BLOCK);
        for (int i = 0; i < BLOCK; i += 4) /* one in four in the tail, evenly over octaves */
            words[i] >>= pdpr_i_stream_below(&s, 20);
        uint32_t open = pdpr_i_gaussian_kernel_portable(words, BLOCK, sigma, y, doubtful);
        for (uint32_t i = 0, next = 0; i < BLOCK; i++) {
            if (next < open && doubtful[next] == i) {
                next++;
                continue;
            }
            /* decided: the true sigma x lies within 1/2 of |y| for every p of the word's cell */
            uint64_t w = words[i] >> 1;
            long double n = (long double)llabs(y[i]), half = 0.5L / sigma;
            long double upper = 0.5L * erfcl((n / sigma - half) * 0.70710678118654752440L);
            long double lower = 0.5L * erfcl((n / sigma + half) * 0.70710678118654752440L);
            long double p_low = (long double)w * 0x1p-64L, p_high = (long double)(w + 1) * 0x1p-64L;
            /* 2^-60 relative for erfcl and its argument, scaled by x^2 + 1 */
            long double slack = 1 + 0x1p-60L * (2 + n / sigma * n / sigma);
            assert_true(p_high <= upper * slack && p_low >= lower / slack);
            checked++;
        }
    }
}

/* What the kernel decides, MPFR decides alike: sigma from the least to the largest. */
static void kernel_agrees_with_mpfr(void **state)
{
    (void)state;
    enum { LANES = PDPR_I_GAUSSIAN_LANES };
    uint64_t words[LANES];
    int64_t y[LANES];
    uint32_t doubtful[LANES];
    pdpr_i_stream s = noise_stream(70, 0);
    for (uint64_t checked = 0; checked < mpfr_points; checked += LANES) {
        double sigma = ldexp(1 + pdpr_i_stream_unit(&s), (int)pdpr_i_stream_below(&s, 62) - 20);
        pdpr_i_stream_words(&s, words, LANES);
        uint32_t open = pdpr_i_gaussian_kernel_portable(words, LANES, sigma, y, doubtful);
        for (uint32_t i = 0, next = 0; i < LANES; i++) {
            pdpr_i_stream refine = noise_stream(71, i);
            if (next < open && doubtful[next] == i)
                next++;
            else
                assert_int_equal(pdpr_i_gaussian_exact(words[i], sigma, &refine), y[i]);
        }
    }
    mpfr_free_cache();
}

/* And the exact path agrees with a bisection that shares no line with the product. */
static int64_t reference(uint64_t word, double sigma)
{
    mpfr_t z, scale;
    mpfr_inits2(200, z, scale, (mpfr_ptr)NULL);
    mpfr_set_d(scale, sigma, MPFR_RNDN);
    mpfr_sqr(scale, scale, MPFR_RNDN);
    mpfr_mul_ui(scale, scale, 2, MPFR_RNDN);
    mpfr_rec_sqrt(scale, scale, MPFR_RNDN); /* 1 / (sigma sqrt 2) */
    uint64_t w = word >> 1, low = 0, high = (uint64_t)(10 * sigma) + 2;
    while (low < high) { /* smallest n with p > Q((n + 1/2) / sigma) */
        uint64_t n = low + (high - low) / 2;
        mpfr_set_ui(z, 2 * n + 1, MPFR_RNDN);
        mpfr_div_2ui(z, z, 1, MPFR_RNDN);
        mpfr_mul(z, z, scale, MPFR_RNDN);
        mpfr_erfc(z, z, MPFR_RNDN);
        mpfr_mul_2ui(z, z, 63, MPFR_RNDN); /* Q * 2^64 */
        if (mpfr_cmp_ui(z, w) <= 0)
            high = n;
        else
            low = n + 1;
    }
    mpfr_clears(z, scale, (mpfr_ptr)NULL);
    return word & 1 ? -(int64_t)low : (int64_t)low;
}

static void exact_path_agrees_with_an_independent_inverse(void **state)
{
    (void)state;
    enum { BLOCK = 512 };
    uint64_t words[BLOCK];
    static const double sigmas[] = {1, 1281498708.43, 0x1p40};
    for (size_t k = 0; k < 3; k++) {
        pdpr_i_stream s = noise_stream(68, k);
        pdpr_i_stream_words(&s, words, BLOCK);
        for (int i = 0; i < BLOCK; i++) {
            pdpr_i_stream refine = noise_stream(69, (uint64_t)i);
            assert_int_equal(pdpr_i_gaussian_exact(words[i], sigmas[k], &refine),
                             reference(words[i], sigmas[k]));
        }
    }
    mpfr_free_cache();
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--full") == 0)
        extended_points = 20 * MILLION, mpfr_points = MILLION;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_follows_the_normal_law_by_ks),
        cmocka_unit_test(noise_has_the_moments_and_tails_of_the_law),
        cmocka_unit_test(noise_of_small_sigma_has_its_pmf),
        cmocka_unit_test(noise_of_sigma_2_20_has_its_pmf),
        cmocka_unit_test(low_bits_are_uniform_whatever_the_value),
        cmocka_unit_test(noise_is_uncorrelated_across_addresses),
        cmocka_unit_test(kernel_error_stays_below_the_guard),
        cmocka_unit_test(kernel_agrees_with_mpfr),
        cmocka_unit_test(exact_path_agrees_with_an_independent_inverse),
    };
    return cmocka_run_group_tests_name("noise statistics", tests, NULL, NULL);
}
