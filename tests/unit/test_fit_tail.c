/* The mean of likely tails: each counts by its likelihood, and where relative errors decide, heavy
 * ones by less. */
#include "support/support.h"
#include "blueprint/fit_parts.h"

#include <math.h>

enum { N = 1000, THETA = 10, ABOVE = 20 };

typedef struct {
    uint32_t degree[N];
    double current[THETA];
    pdpr_i_fitting f;
} setting;

/* Twenty nodes above a cap of 10, all others of degree 5. */
static void set_up(setting *x, pdpr_context *ctx)
{
    for (int k = 0; k < THETA; k++)
        x->current[k] = k < 5 ? 0 : N - ABOVE;
    x->f = (pdpr_i_fitting){
        .ctx = ctx, .n = N, .theta = THETA, .current = x->current, .degree = x->degree};
}

static double count_claws(const setting *x)
{
    double sum = 0;
    for (int u = 0; u < N; u++)
        sum += x->degree[u] * (x->degree[u] - 1.0) * (x->degree[u] - 2.0) / 6;
    return sum;
}

static double claws_of_mean(setting *x, const pdpr_i_tails *tails, bool careful)
{
    assert_ok(pdpr_i_fit_mean_tail(&x->f, tails, careful, NULL));
    for (int u = 1; u < N; u++)
        assert_true(x->degree[u] <= x->degree[u - 1]);
    for (int u = ABOVE; u < N; u++)
        assert_int_equal(x->degree[u], 5);
    return count_claws(x);
}

static double claws_of_tail(setting *x, const pdpr_i_tail *tail)
{
    pdpr_i_fit_curve_degrees(&x->f, tail);
    return count_claws(x);
}

static const pdpr_i_tails three = {
    .tail = {{2, 15, 1}, {2, 30, 1}, {2, 600, 1}}, .misfit = {0, 0, 0}, .count = 3};

static void mean_tail_careful_has_fewer_claws_of_the_heaviest(void **state)
{
    (void)state;
    static setting x;
    pdpr_context *ctx = test_context(1);
    set_up(&x, ctx);
    double light = claws_of_tail(&x, &three.tail[0]), heavy = claws_of_tail(&x, &three.tail[2]);
    double plain = claws_of_mean(&x, &three, false), careful = claws_of_mean(&x, &three, true);
    /* a third of the largest degree is 1/27 of its claws; careful, hardly any of it is left */
    assert_true(plain > heavy / 40 && plain < heavy / 10);
    assert_true(careful > light && careful < plain / 4);
    pdpr_context_free(ctx);
}

/* The likelier of two has more than half of the weight, so it is the median, and none is above. */
static void mean_tail_careful_leaves_what_is_not_heavy(void **state)
{
    (void)state;
    static setting x;
    pdpr_context *ctx = test_context(1);
    pdpr_i_tails tails = {.tail = {{2, 40, 1}, {2, 15, 1}}, .misfit = {0, 1}, .count = 2};
    set_up(&x, ctx);
    double plain = claws_of_mean(&x, &tails, false);
    assert_true(claws_of_mean(&x, &tails, true) == plain);
    assert_true(plain > claws_of_tail(&x, &tails.tail[1]));
    tails.count = 1;
    assert_true(claws_of_mean(&x, &tails, true) == claws_of_tail(&x, &tails.tail[0]));
    pdpr_context_free(ctx);
}

/* A tail that was tried twice counts once, one of no likelihood not at all. */
static void mean_tail_counts_each_tail_by_its_likelihood(void **state)
{
    (void)state;
    static setting x;
    pdpr_context *ctx = test_context(1);
    const pdpr_i_tails tails = {.tail = {{2, 15, 1}, {2, 30, 1}, {2, 15, 1}, {2, 900, 1}},
                                .misfit = {0, 0, 0, 12},
                                .count = 4};
    pdpr_i_tails two = tails;
    two.count = 2;
    set_up(&x, ctx);
    assert_true(claws_of_mean(&x, &tails, false) == claws_of_mean(&x, &two, false));
    assert_true(claws_of_mean(&x, &tails, true) == claws_of_mean(&x, &two, true));
    pdpr_context_free(ctx);
}

static void mean_tail_survives_every_allocation_failure(void **state)
{
    (void)state;
    static setting x;
    pdpr_context *ctx = test_context(1);
    pdpr_status status;
    set_up(&x, ctx);
    FOR_EACH_ALLOCATION_FAILURE(ctx, status,
                                { status = pdpr_i_fit_mean_tail(&x.f, &three, true, NULL); });
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_tail_careful_has_fewer_claws_of_the_heaviest),
        cmocka_unit_test(mean_tail_careful_leaves_what_is_not_heavy),
        cmocka_unit_test(mean_tail_counts_each_tail_by_its_likelihood),
        cmocka_unit_test(mean_tail_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("blueprint: tail of the degrees", tests, NULL, NULL);
}
