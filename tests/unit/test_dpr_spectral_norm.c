/* Spectral normalisation and the matrix product under it. */
#include "support/support.h"

#include "dpr/dpr.h"

#include <math.h>
#include <string.h>

static void seeded_stream(pdpr_i_stream *random, uint64_t seed)
{
    pdpr_i_key key;
    pdpr_i_key_from_seed(seed, &key);
    pdpr_i_stream_init(random, &key, PDPR_I_PURPOSE_TEST, 0);
}

static void fill(pdpr_i_stream *random, uint64_t count, double *x)
{
    for (uint64_t i = 0; i < count; i++)
        x[i] = 2 * pdpr_i_stream_unit(random) - 1;
}

/* Every form against three plain loops in the promised order, bit for bit. */
static void product_equals_plain_loops_in_every_form(void **state)
{
    (void)state;
    enum { SIDE = 21 };
    double a[SIDE * SIDE], at[SIDE * SIDE], b[SIDE * SIDE], c[SIDE * SIDE];
    pdpr_i_stream random;
    seeded_stream(&random, 1);
    pdpr_context *ctx = test_context(1);
    const pdpr_i_multiply forms[] = {pdpr_i_multiply_portable, pdpr_i_multiply_choose(ctx)};
    for (int run = 0; run < 300; run++) {
        uint64_t m = pdpr_i_stream_below(&random, SIDE + 1),
                 n = pdpr_i_stream_below(&random, SIDE + 1),
                 k = pdpr_i_stream_below(&random, SIDE + 1);
        fill(&random, m * k, a);
        fill(&random, k * n, b);
        pdpr_i_transpose(m, k, a, k, at, m);
        for (int form = 0; form < 4; form++) {
            memset(c, 0xff, sizeof c);
            if (form < 2)
                forms[form](m, n, k, a, k, 1, b, n, c, n);
            else
                forms[form - 2](m, n, k, at, 1, m, b, n, c, n);
            for (uint64_t i = 0; i < m; i++)
                for (uint64_t j = 0; j < n; j++) {
                    double sum = 0;
                    for (uint64_t l = 0; l < k; l++)
                        sum = fma(a[i * k + l], b[l * n + j], sum);
                    assert_true(sum == c[i * n + j]);
                }
        }
    }
    pdpr_context_free(ctx);
}

/* So long that the form for AVX2 copies panels of B, and goes on in the middle of a sum. */
static void product_of_long_matrices_has_the_same_bits_in_every_form(void **state)
{
    (void)state;
    enum { M = 41, N = 23, MOST = 600 };
    static double a[M * MOST], at[M * MOST], b[MOST * N], plain[M * N], c[2][M * N];
    pdpr_i_stream random;
    seeded_stream(&random, 2);
    pdpr_context *ctx = test_context(1);
    const pdpr_i_multiply fast = pdpr_i_multiply_choose(ctx);
    static const uint64_t inner[] = {191, 192, 256, 257, 512, MOST};
    for (int i = 0; i < 6; i++) {
        uint64_t k = inner[i];
        fill(&random, M * k, a);
        fill(&random, k * N, b);
        pdpr_i_transpose(M, k, a, k, at, M);
        pdpr_i_multiply_portable(M, N, k, a, k, 1, b, N, plain, N);
        fast(M, N, k, a, k, 1, b, N, c[0], N);
        fast(M, N, k, at, 1, M, b, N, c[1], N);
        for (int form = 0; form < 2; form++)
            assert_memory_equal(c[form], plain, sizeof plain);
    }
    pdpr_context_free(ctx);
}

static void product_chosen_follows_the_context(void **state)
{
    (void)state;
    pdpr_context_options options;
    pdpr_context *ctx = NULL;
    pdpr_context_options_default(&options);
    options.cpu = PDPR_CPU_PORTABLE;
    assert_ok(pdpr_context_new(&options, &ctx, NULL));
    assert_true(pdpr_i_multiply_choose(ctx) == pdpr_i_multiply_portable);
    pdpr_context_free(ctx);
}

enum { ROWS = 9, COLS = 6, WORK = 2 * ROWS * COLS + 12 * ROWS * ROWS };

static void normalised_zero_or_non_finite_matrix_is_zero(void **state)
{
    (void)state;
    double w[ROWS * COLS] = {0}, out[ROWS * COLS], direction[ROWS * COLS], work[WORK];
    const double odd[] = {0, NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 4; k++) {
        pdpr_i_spectral_norm norm;
        w[7] = odd[k];
        memset(out, 0xff, sizeof out);
        pdpr_i_spectral_normalise(pdpr_i_multiply_portable, ROWS, COLS, 5, 2, w, work, out,
                                  direction, &norm);
        assert_true(norm.bound == 0);
        double gradient[ROWS * COLS];
        for (int i = 0; i < ROWS * COLS; i++)
            gradient[i] = 1;
        pdpr_i_spectral_gradient(ROWS, COLS, 2, out, direction, &norm, gradient);
        for (int i = 0; i < ROWS * COLS; i++) {
            assert_true(out[i] == 0 && direction[i] == 0);
            assert_true(gradient[i] == 0);
        }
    }
}

static void normalised_vector_has_norm_one_over_s(void **state)
{
    (void)state;
    double w[5] = {3e-310, -4e-310, 0, 0, 1e-311}, out[5], work[64], length = 0;
    pdpr_i_spectral_norm norm;
    for (int wide = 0; wide < 2; wide++) {
        pdpr_i_spectral_normalise(pdpr_i_multiply_portable, wide ? 1 : 5, wide ? 5 : 1, 5, 4, w,
                                  work, out, NULL, &norm);
        length = 0;
        for (int i = 0; i < 5; i++)
            length += out[i] * out[i];
        assert_close(sqrt(length), 0.25, 2e-9);
        assert_true(sqrt(length) <= 0.25);
    }
}

/* A fixed linear loss <D, W / (s bound)>, differentiated by central differences. */
static double loss(uint64_t rows, uint64_t cols, uint32_t k, const double *w, const double *d)
{
    double out[ROWS * ROWS], work[WORK], sum = 0;
    pdpr_i_spectral_norm norm;
    pdpr_i_spectral_normalise(pdpr_i_multiply_portable, rows, cols, k, 1.5, w, work, out, NULL,
                              &norm);
    for (uint64_t i = 0; i < rows * cols; i++)
        sum += d[i] * out[i];
    return sum;
}

static void gradient_equals_central_differences(void **state)
{
    (void)state;
    const uint64_t shape[][2] = {{ROWS, COLS}, {COLS, ROWS}, {5, 5}, {7, 1}, {1, 7}, {1, 1}};
    pdpr_i_stream random;
    seeded_stream(&random, 2);
    for (int k = 0; k < 7; k++)
        for (int t = 0; t < 6; t++) {
            uint64_t rows = shape[t][0], cols = shape[t][1], count = rows * cols;
            double w[ROWS * COLS], d[ROWS * COLS], g[ROWS * COLS], out[ROWS * COLS],
                direction[ROWS * COLS], work[WORK], largest = 0;
            pdpr_i_spectral_norm norm;
            fill(&random, count, w);
            fill(&random, count, d);
            memcpy(g, d, count * sizeof *g);
            pdpr_i_spectral_normalise(pdpr_i_multiply_portable, rows, cols, (uint32_t)k, 1.5, w,
                                      work, out, direction, &norm);
            pdpr_i_spectral_gradient(rows, cols, 1.5, out, direction, &norm, g);
            for (uint64_t i = 0; i < count; i++)
                largest = fmax(largest, fabs(g[i]));
            for (uint64_t i = 0; i < count; i++) {
                double h = 1e-5, keep = w[i];
                w[i] = keep + h;
                double above = loss(rows, cols, (uint32_t)k, w, d);
                w[i] = keep - h;
                double below = loss(rows, cols, (uint32_t)k, w, d);
                w[i] = keep;
                assert_true(fabs((above - below) / (2 * h) - g[i]) <= 1e-6 * (largest + 1e-3));
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product_equals_plain_loops_in_every_form),
        cmocka_unit_test(product_of_long_matrices_has_the_same_bits_in_every_form),
        cmocka_unit_test(product_chosen_follows_the_context),
        cmocka_unit_test(normalised_zero_or_non_finite_matrix_is_zero),
        cmocka_unit_test(normalised_vector_has_norm_one_over_s),
        cmocka_unit_test(gradient_equals_central_differences),
    };
    return cmocka_run_group_tests_name("dpr spectral norm", tests, NULL, NULL);
}
