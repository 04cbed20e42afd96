/* Permute-and-flip: its law against an enumeration of all orders, the privacy of that law, its
 * extremes. */
#include "support/noise_support.h"

#include <math.h>
#include <stdlib.h>

#include "dp/permute_and_flip.h"

enum { MOST = 5 };

/* P(candidate i is chosen), by going through every order: in order o the winner is the first to
 * succeed. */
static void enumerate(const int64_t *losses, int count, double rate, double *p)
{
    int64_t least = losses[0];
    int order[MOST], orders = 1;
    for (int i = 0; i < count; i++) {
        least = losses[i] < least ? losses[i] : least;
        p[i] = 0;
        orders *= i + 1;
    }
    for (int code = 0; code < orders; code++) {
        bool used[MOST] = {false};
        for (int i = 0, rest = code; i < count; i++) { /* the code's digits in factorial base */
            int pick = rest % (count - i);
            rest /= count - i;
            int j = 0;
            for (;; j++)
                if (!used[j] && pick-- == 0)
                    break;
            used[j] = true;
            order[i] = j;
        }
        double none_yet = 1.0 / orders;
        for (int i = 0; i < count; i++) {
            double succeed = exp(-rate * (double)(losses[order[i]] - least));
            p[order[i]] += none_yet * succeed;
            none_yet *= 1 - succeed;
        }
    }
}

static void selection_follows_the_enumerated_law(void **state)
{
    (void)state;
    enum { DRAWS = 60000 };
    const struct {
        int64_t losses[MOST];
        int count;
        pdpr_i_ratio rate;
    } cases[] = {{{0, 1, 2, 5}, 4, {1, 2}},
                 {{7, 7, 7}, 3, {1, 1}},
                 {{-3, 10, 40, 2, -3}, 5, {1, 20}},
                 {{INT64_MIN + 1000, INT64_MIN, INT64_MIN + 300}, 3, {1, 500}}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int n = cases[c].count;
        pdpr_i_flip_coins coins;
        pdpr_i_stream s = noise_stream(30, c);
        uint64_t seen[MOST] = {0};
        uint32_t order[MOST];
        double p[MOST];
        assert_ok(pdpr_i_flip_coins_init(&coins, cases[c].rate, NULL));
        for (int i = 0; i < DRAWS; i++)
            seen[pdpr_i_permute_and_flip(&coins, cases[c].losses, (uint32_t)n, order, &s)]++;
        enumerate(cases[c].losses, n, (double)cases[c].rate.num / (double)cases[c].rate.den, p);
        assert_true(chi_square(seen, p, n, DRAWS) < chi_square_limit(n - 1));
    }
}

/* Every probability of the law moves by at most exp(2 rate D) when each loss moves by at most D:
 * thousands of pairs, also ones that reach the bound to 1 %. */
static void law_of_neighbours_stays_within_epsilon(void **state)
{
    (void)state;
    pdpr_i_stream s = noise_stream(31, 0);
    double worst = 0;
    for (int trial = 0; trial < 4000; trial++) {
        int n = 2 + (int)pdpr_i_stream_below(&s, MOST - 1);
        int64_t a[MOST], b[MOST];
        double p[MOST], q[MOST], rate = 0.05 + pdpr_i_stream_unit(&s);
        bool sharp = pdpr_i_stream_below(&s, 2);
        for (int i = 0; i < n; i++) {
            a[i] = (int64_t)pdpr_i_stream_below(&s, 30);
            b[i] = a[i] + (sharp ? (i == 0 ? 1 : -1) : (int64_t)pdpr_i_stream_below(&s, 3) - 1);
        }
        enumerate(a, n, rate, p);
        enumerate(b, n, rate, q);
        for (int i = 0; i < n; i++)
            worst = fmax(worst, fabs(log(p[i] / q[i])) / (2 * rate));
    }
    assert_true(worst <= 1 + 1e-9);
    assert_true(worst > 0.99);
}

static void selection_of_one_candidate_is_that_one(void **state)
{
    (void)state;
    pdpr_i_flip_coins coins;
    pdpr_i_stream s = noise_stream(32, 0);
    uint32_t order[1];
    const int64_t loss[] = {INT64_MAX};
    assert_ok(pdpr_i_flip_coins_init(&coins, (pdpr_i_ratio){1, 3}, NULL));
    for (int i = 0; i < 100; i++)
        assert_int_equal(pdpr_i_permute_and_flip(&coins, loss, 1, order, &s), 0);
}

/* A loss far behind is never chosen, however far: also at the ends of 64 bits. */
static void hopeless_candidates_are_not_chosen(void **state)
{
    (void)state;
    pdpr_i_flip_coins coins;
    pdpr_i_stream s = noise_stream(33, 0);
    uint32_t order[4];
    const int64_t losses[] = {INT64_MAX, 0, INT64_MIN, -1};
    for (uint64_t num = 1; num <= 1000; num *= 1000) {
        assert_ok(pdpr_i_flip_coins_init(&coins, (pdpr_i_ratio){num, 1000}, NULL));
        for (int i = 0; i < 2000; i++)
            assert_int_equal(pdpr_i_permute_and_flip(&coins, losses, 4, order, &s), 2);
    }
}

static void selection_takes_the_same_bits_for_every_loss(void **state)
{
    (void)state;
    pdpr_i_flip_coins coins;
    uint32_t order[2];
    assert_ok(pdpr_i_flip_coins_init(&coins, (pdpr_i_ratio){1, 1}, NULL));
    assert_int_equal(coins.never, 8); /* 2^8 >= 178 */
    const int64_t losses[][2] = {{0, 0}, {0, 255}, {5, 0}, {0, INT64_MAX}};
    for (size_t i = 0; i < 4; i++) {
        pdpr_i_stream s = noise_stream(34, 0);
        pdpr_i_permute_and_flip(&coins, losses[i], 2, order, &s);
        assert_int_equal(s.used, 8 + 2 * 9 * 8); /* the order, and nine tosses each */
    }
}

static void rate_out_of_range_is_refused(void **state)
{
    (void)state;
    pdpr_i_flip_coins coins;
    pdpr_error err;
    assert_int_equal(pdpr_i_flip_coins_init(&coins, (pdpr_i_ratio){0, 1}, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "selection: expected a rate of at least 2^-53, found 0/1");
    assert_int_equal(pdpr_i_flip_coins_init(&coins, (pdpr_i_ratio){1, 0}, &err), PDPR_EUSAGE);
    assert_int_equal(pdpr_i_flip_coins_init(&coins, (pdpr_i_ratio){1, UINT64_C(1) << 55}, &err),
                     PDPR_EUSAGE);
    assert_ok(pdpr_i_flip_coins_init(&coins, (pdpr_i_ratio){1, UINT64_C(1) << 53}, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selection_follows_the_enumerated_law),
        cmocka_unit_test(law_of_neighbours_stays_within_epsilon),
        cmocka_unit_test(selection_of_one_candidate_is_that_one),
        cmocka_unit_test(hopeless_candidates_are_not_chosen),
        cmocka_unit_test(selection_takes_the_same_bits_for_every_loss),
        cmocka_unit_test(rate_out_of_range_is_refused),
    };
    return cmocka_run_group_tests_name("private selection", tests, NULL, NULL);
}
