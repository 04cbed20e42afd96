/* The caps of the triangle counts: small first; the second the wider the more triangles a few nodes
 * carry and the less noise there is, never below what noise allows for nothing. */
#include "support/support.h"
#include "blueprint/blueprint.h"
#include "blueprint/triangle_corners.h"

#include <math.h>

enum { N = 4000, THETA = 16 };

/* Degrees of a typical sparse graph: a quarter of the nodes left at every degree, a few beyond
 * theta.
 */
static pdpr_i_bp_numbers numbers_of(int64_t index_low, int64_t index_high, int64_t triangles)
{
    static int64_t cumulative[THETA];
    double left = N;
    for (int k = 0; k < THETA; k++) {
        cumulative[k] = N - (int64_t)left;
        left *= 0.75;
    }
    return (pdpr_i_bp_numbers){.theta = THETA,
                               .wide = 2 * THETA,
                               .edges = 6000,
                               .index_low = index_low,
                               .index_high = index_high,
                               .triangle_cap = {6},
                               .triangles = {2 * triangles},
                               .cumulative = cumulative};
}

static uint32_t second_cap(double epsilon, int64_t index_low, int64_t index_high, int64_t triangles)
{
    pdpr_i_bp_plan plan;
    pdpr_i_bp_numbers numbers = numbers_of(index_low, index_high, triangles);
    assert_ok(pdpr_i_bp_plan_make(N, epsilon, &plan, NULL));
    return pdpr_i_bp_second_triangle_cap(&plan, &numbers);
}

static void first_cap_is_twice_the_mean_degree(void **state)
{
    (void)state;
    pdpr_i_bp_plan plan;
    pdpr_i_bp_numbers numbers = numbers_of(20, 2, 0);
    assert_ok(pdpr_i_bp_plan_make(N, 3.2, &plan, NULL));
    assert_int_equal(pdpr_i_bp_first_triangle_cap(&plan, &numbers), 6); /* of 6000 edges */
    numbers.edges = -9;
    assert_int_equal(pdpr_i_bp_first_triangle_cap(&plan, &numbers), 4);
    numbers.edges = 1000000;
    assert_int_equal(pdpr_i_bp_first_triangle_cap(&plan, &numbers), THETA);
}

static void second_cap_follows_the_hubs(void **state)
{
    (void)state;
    uint32_t none = second_cap(3.2, 12, 0, 2000), hubs = second_cap(3.2, 60, 45, 2000);
    assert_true(none >= 12 && hubs > 2 * none);
    /* the second index alone: a tail that ends soon */
    assert_true(second_cap(3.2, 60, 0, 2000) < hubs);
}

static void second_cap_follows_noise_and_first_answer(void **state)
{
    (void)state;
    uint32_t before = 0;
    for (double epsilon = 0.4; epsilon < 40; epsilon *= 3) {
        uint32_t cap = second_cap(epsilon, 60, 45, 4000);
        assert_true(cap >= 12 && cap >= before);
        before = cap;
    }
    assert_true(before > 200);
    assert_true(second_cap(3.2, 60, 45, 100) < second_cap(3.2, 60, 45, 4000));
    /* an answer that is all noise: little more than the least, two to four first caps */
    uint32_t noise = second_cap(1, 20, 0, -5000);
    assert_true(noise >= 12 && noise <= 48);
}

/* The first cap holds all nodes back: there may be any number of triangles, but noise beyond half
 * of those that were seen would say nothing of it. */
static void second_cap_has_no_more_noise_than_half_of_what_was_seen(void **state)
{
    (void)state;
    pdpr_i_bp_plan plan;
    enum { SEEN = N * 6 / 3 };
    assert_ok(pdpr_i_bp_plan_make(N, 3.2, &plan, NULL));
    double cap = second_cap(3.2, 150, 140, SEEN);
    double noise = sqrt(2) * cap / pdpr_i_bp_precision(&plan, PDPR_I_BP_TRIANGLES_2);
    assert_true(noise > 0.3 * SEEN && noise <= 0.5 * SEEN);
}

static void second_cap_of_wild_numbers_is_in_bounds(void **state)
{
    (void)state;
    static const int64_t wild[] = {0, -1, 1000000, INT64_C(1) << 61, -(INT64_C(1) << 61)};
    static const uint32_t nodes[] = {2, 3000, 400000};
    for (int n = 0; n < 3; n++)
        for (int i = 0; i < 625; i++) {
            pdpr_i_bp_plan plan;
            int64_t bins[4] = {wild[i / 125], wild[i % 5], wild[i / 5 % 5], wild[i / 25 % 5]};
            assert_ok(pdpr_i_bp_plan_make(nodes[n], 3.2, &plan, NULL));
            pdpr_i_bp_numbers numbers = {.theta = 4,
                                         .wide = 8,
                                         .edges = wild[i % 5],
                                         .index_low = wild[i / 5 % 5],
                                         .index_high = wild[i / 25 % 5],
                                         .triangle_cap = {4},
                                         .triangles = {wild[i / 125]},
                                         .cumulative = bins};
            uint32_t cap = pdpr_i_bp_second_triangle_cap(&plan, &numbers);
            assert_true(cap >= 8 && cap <= 1 << 20);
            assert_int_equal(pdpr_i_bp_first_triangle_cap(&plan, &numbers), 4);
        }
}

/* What prices of one, a half and a third on a set leave of triangles whose corners fall anywhere:
 * against all eight ways in which three corners can fall. */
static void triangles_left_are_those_of_the_dual(void **state)
{
    (void)state;
    for (int corners = 1; corners <= PDPR_I_CORNERS; corners++)
        for (double out = 0; out <= 1; out += 0.125) {
            double expected = 0;
            for (int ways = 0; ways < 8; ways++) {
                int in = (ways & 1) + (ways >> 1 & 1) + (ways >> 2);
                expected += pow(1 - out, in) * pow(out, 3 - in) * fmax(0, 1 - (double)in / corners);
            }
            assert_true(fabs(pdpr_i_triangles_left(out, corners) - expected) < 1e-12);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_cap_is_twice_the_mean_degree),
        cmocka_unit_test(second_cap_follows_the_hubs),
        cmocka_unit_test(second_cap_follows_noise_and_first_answer),
        cmocka_unit_test(second_cap_has_no_more_noise_than_half_of_what_was_seen),
        cmocka_unit_test(second_cap_of_wild_numbers_is_in_bounds),
        cmocka_unit_test(triangles_left_are_those_of_the_dual),
    };
    return cmocka_run_group_tests_name("blueprint: triangle caps", tests, NULL, NULL);
}
