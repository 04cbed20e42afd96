/* The caps of the two triangle counts: the second is wider the more triangles the first answer and
 * the degrees let one expect behind it and the less noise there is, and stays in bounds whatever
 * noise has made of the numbers. */
#include "support/support.h"
#include "blueprint/blueprint.h"

#include <math.h>

enum { N = 3000, FIRST = 8 };

static uint32_t second_cap(double epsilon, double triangles, int64_t index_low, int64_t index_high)
{
    pdpr_i_bp_plan plan;
    assert_ok(pdpr_i_bp_plan_make(N, epsilon, &plan, NULL));
    const pdpr_i_bp_numbers numbers = {.theta = 16,
                                       .edges = 6000,
                                       .index_low = index_low,
                                       .index_high = index_high,
                                       .triangle_cap = {FIRST, 0},
                                       .triangles = {(int64_t)(2 * triangles), 0}};
    return pdpr_i_bp_second_triangle_cap(&plan, &numbers);
}

static void end_grows_with_degrees_and_triangles(void **state)
{
    (void)state;
    double end = pdpr_i_bp_triangle_end(1, 4, 100);
    assert_true(end > 100 && end < 400);
    assert_true(pdpr_i_bp_triangle_end(1, 4, 200) > end);
    assert_true(pdpr_i_bp_triangle_end(2, 4, 100) > end);
    assert_true(pdpr_i_bp_triangle_end(1, 8, 100) < end);
    assert_true(pdpr_i_bp_triangle_end(0.001, 4, 100) < 1); /* hubs have no part in so few */
}

static void first_cap_is_twice_the_mean_degree_within_bounds(void **state)
{
    (void)state;
    pdpr_i_bp_plan plan;
    assert_ok(pdpr_i_bp_plan_make(N, 1, &plan, NULL));
    pdpr_i_bp_numbers numbers = {.theta = 16, .edges = 2 * N + N / 2};
    assert_int_equal(pdpr_i_bp_first_triangle_cap(&plan, &numbers), 10);
    numbers.edges = -7;
    assert_int_equal(pdpr_i_bp_first_triangle_cap(&plan, &numbers), 4);
    numbers.edges = INT64_C(1) << 60;
    assert_int_equal(pdpr_i_bp_first_triangle_cap(&plan, &numbers), 16);
}

static void second_cap_follows_hubs_and_triangles(void **state)
{
    (void)state;
    uint32_t few = second_cap(3.2, 30, 40, 25), many = second_cap(3.2, 2000, 40, 25),
             no_hubs = second_cap(3.2, 2000, 10, 0), dense = second_cap(3.2, 8000, 40, 25);
    assert_true(few <= 4 * FIRST); /* noise alone decides */
    assert_true(no_hubs < many && few < many && many < dense);
    assert_true(second_cap(16, 2000, 40, 0) < second_cap(16, 2000, 40, 25)); /* the second index */
}

/* Noise bounds it, too; and the same everywhere: no value here may depend on the machine. */
static void second_cap_follows_the_noise(void **state)
{
    (void)state;
    static const uint32_t expected[] = {17, 19, 45, 128, 362, 1218};
    double epsilon = 0.2;
    for (int i = 0; i < 6; i++, epsilon *= 3)
        assert_int_equal(second_cap(epsilon, 2000, 40, 25), expected[i]);
    pdpr_i_bp_plan plan;
    assert_ok(pdpr_i_bp_plan_make(N, 1.8, &plan, NULL));
    double share = pdpr_i_bp_share(&plan, PDPR_I_BP_TRIANGLES_2);
    assert_true(sqrt(2) * (expected[2] - 1) / share < 0.2 * 2000); /* a fifth of the first answer */
    assert_true(sqrt(2) * 1.2 * (expected[2] + 1) / share > 0.2 * 2000);
}

/* What measure_triangle_cap.h allows, where hubs and triangles ask for more. */
static void second_cap_is_bounded_on_large_graphs(void **state)
{
    (void)state;
    static const struct {
        uint32_t nodes, first, expected;
    } cases[] = {{400000, 256, 1 << 20}, {1 << 22, 4, 1 << 20}, {1 << 27, 64, 1 << 19}};
    for (int i = 0; i < 3; i++) {
        pdpr_i_bp_plan plan;
        assert_ok(pdpr_i_bp_plan_make(cases[i].nodes, 50, &plan, NULL));
        const pdpr_i_bp_numbers numbers = {.theta = 256,
                                           .edges = 2 * (int64_t)cases[i].nodes,
                                           .index_low = 20000,
                                           .index_high = 15000,
                                           .triangle_cap = {cases[i].first, 0},
                                           .triangles = {INT64_C(1) << 61, 0}};
        assert_int_equal(pdpr_i_bp_second_triangle_cap(&plan, &numbers), cases[i].expected);
    }
}

static void second_cap_of_wild_numbers_is_in_bounds(void **state)
{
    (void)state;
    static const int64_t wild[] = {0, -1, 1000000, INT64_C(1) << 61, -(INT64_C(1) << 61)};
    static const uint32_t nodes[] = {2, N, 20000}, first[] = {4, 256};
    for (int n = 0; n < 3; n++) {
        pdpr_i_bp_plan plan;
        assert_ok(pdpr_i_bp_plan_make(nodes[n], 3.2, &plan, NULL));
        for (int i = 0; i < 1250; i++) {
            const pdpr_i_bp_numbers numbers = {.theta = 256,
                                               .edges = wild[i % 5],
                                               .index_low = wild[i / 5 % 5],
                                               .index_high = wild[i / 25 % 5],
                                               .triangle_cap = {first[i / 125 % 2], 0},
                                               .triangles = {wild[i / 250], 0}};
            uint32_t cap = pdpr_i_bp_second_triangle_cap(&plan, &numbers);
            assert_true(cap >= 2 * numbers.triangle_cap[0] && cap < 8 * nodes[n] + 1024);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(end_grows_with_degrees_and_triangles),
        cmocka_unit_test(first_cap_is_twice_the_mean_degree_within_bounds),
        cmocka_unit_test(second_cap_follows_hubs_and_triangles),
        cmocka_unit_test(second_cap_follows_the_noise),
        cmocka_unit_test(second_cap_is_bounded_on_large_graphs),
        cmocka_unit_test(second_cap_of_wild_numbers_is_in_bounds),
    };
    return cmocka_run_group_tests_name("blueprint: triangle caps", tests, NULL, NULL);
}
