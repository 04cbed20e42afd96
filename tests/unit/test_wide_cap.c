/* The wider cap: from the grid and twice theta or more, the wider the heavier the tail and the less
 * noise there is, and never so wide that noise is most of the edges. */
#include "support/support.h"
#include "blueprint/blueprint.h"

static uint32_t wide_cap(const pdpr_i_bp_plan *plan, uint32_t theta, int64_t edges,
                         int64_t index_low, int64_t index_high)
{
    pdpr_i_bp_numbers numbers = {
        .theta = theta, .edges = edges, .index_low = index_low, .index_high = index_high};
    uint32_t at = pdpr_i_bp_wide_cap(plan, &numbers);
    assert_true(at < plan->num_grid);
    return plan->theta_grid[at];
}

static void wide_cap_follows_the_tail(void **state)
{
    (void)state;
    pdpr_i_bp_plan plan;
    assert_ok(pdpr_i_bp_plan_make(3000, 3.2, &plan, NULL));
    uint32_t none = wide_cap(&plan, 16, 5000, 8, 0), light = wide_cap(&plan, 16, 5000, 20, 2),
             heavy = wide_cap(&plan, 16, 5000, 40, 25), heavier = wide_cap(&plan, 16, 9000, 60, 45);
    assert_int_equal(none, 32); /* no law reaches beyond it: noise alone decides */
    assert_true(light <= heavy && none < heavy && heavy < heavier);
    assert_true(wide_cap(&plan, 16, 5000, 40, 0) < heavy); /* the second index alone */
}

static void wide_cap_follows_the_noise(void **state)
{
    (void)state;
    uint32_t before = 0;
    for (double epsilon = 0.4; epsilon < 40; epsilon *= 3) {
        pdpr_i_bp_plan plan;
        assert_ok(pdpr_i_bp_plan_make(3000, epsilon, &plan, NULL));
        uint32_t cap = wide_cap(&plan, 16, 6000, 40, 25);
        assert_true(cap >= 32 && cap >= before);
        before = cap;
    }
    assert_true(before > 128);
}

/* Few edges: three tenths of them is less noise than the tail asks for. The first cap of the grid
 * past that is the last one looked at. */
static void wide_cap_has_a_bound_in_noise(void **state)
{
    (void)state;
    pdpr_i_bp_plan plan;
    assert_ok(pdpr_i_bp_plan_make(3000, 1, &plan, NULL));
    double share = pdpr_i_bp_precision(&plan, PDPR_I_BP_EDGES_WIDE);
    uint32_t cap = wide_cap(&plan, 8, 2000, 300, 290);
    assert_true(cap < 2 * 0.3 * 2000 * share && cap > 16);
    assert_int_equal(wide_cap(&plan, 8, -50, 300, 290), 16); /* noise has emptied the graph */
}

/* Too little budget for an index: a first cap that is nearly full tells of hidden links, one with
 * room does not. */
static void wide_cap_without_an_index_is_wider_where_the_first_is_full(void **state)
{
    (void)state;
    pdpr_i_bp_plan plan;
    assert_ok(pdpr_i_bp_plan_make(1000, 0.2, &plan, NULL));
    assert_false(plan.asks[PDPR_I_BP_INDEX_LOW]);
    assert_int_equal(wide_cap(&plan, 6, 600, 0, 0), 12);
    uint32_t full = wide_cap(&plan, 6, 2900, 0, 0);
    assert_true(full >= 24 && full <= 48);
    /* with an index too the bound in noise goes with what is hidden: 12, and 8 without it */
    assert_ok(pdpr_i_bp_plan_make(300, 0.2, &plan, NULL));
    assert_int_equal(wide_cap(&plan, 4, 540, 10, 5), 12);
}

static void wide_cap_of_wild_numbers_is_in_the_grid(void **state)
{
    (void)state;
    static const int64_t wild[] = {0, -1, 1000000, INT64_C(1) << 61, -(INT64_C(1) << 61)};
    static const uint32_t nodes[] = {2, 3000, 400000};
    for (int n = 0; n < 3; n++) {
        pdpr_i_bp_plan plan;
        assert_ok(pdpr_i_bp_plan_make(nodes[n], 3.2, &plan, NULL));
        assert_true(plan.asks[PDPR_I_BP_INDEX_HIGH] == (n > 0));
        for (int i = 0; i < 125; i++) {
            uint32_t cap = wide_cap(&plan, 4, wild[i % 5], wild[i / 5 % 5], wild[i / 25]);
            assert_true(cap >= 8 || cap == plan.theta_grid[plan.num_grid - 1]);
        }
    }
}

static void wide_cap_is_the_last_where_the_grid_ends(void **state)
{
    (void)state;
    pdpr_i_bp_plan plan;
    assert_ok(pdpr_i_bp_plan_make(20, 1, &plan, NULL));
    assert_int_equal(wide_cap(&plan, 16, 40, 5, 0), 16); /* 32 is not in it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_cap_follows_the_tail),
        cmocka_unit_test(wide_cap_follows_the_noise),
        cmocka_unit_test(wide_cap_has_a_bound_in_noise),
        cmocka_unit_test(wide_cap_without_an_index_is_wider_where_the_first_is_full),
        cmocka_unit_test(wide_cap_of_wild_numbers_is_in_the_grid),
        cmocka_unit_test(wide_cap_is_the_last_where_the_grid_ends),
    };
    return cmocka_run_group_tests_name("blueprint: wider cap", tests, NULL, NULL);
}
