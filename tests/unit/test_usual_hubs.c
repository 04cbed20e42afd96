/* What hubs are usual: an index far beyond that of any graph is believed as far as noise allows,
 * the second no more than the first, tails end at a quarter of the nodes, or beyond where so many
 * are that large, and a first cap that is nearly full hides links. */
#include "support/support.h"
#include "blueprint/tail_law.h"

#include <math.h>

static double believed(uint32_t nodes, double epsilon, int64_t edges, int64_t index)
{
    pdpr_i_bp_plan plan;
    assert_ok(pdpr_i_bp_plan_make(nodes, epsilon, &plan, NULL));
    assert_true(plan.asks[PDPR_I_BP_INDEX_LOW]);
    pdpr_i_bp_numbers numbers = {.theta = 64, .edges = edges, .index_low = index};
    return pdpr_i_believed_index(&plan, &numbers);
}

/* .7 N^(3/8) d^(3/4) is 70.1 here, under a cap of which a tenth is taken up. */
static void usual_index_is_believed_as_it_is(void **state)
{
    (void)state;
    for (int64_t index = -50; index <= 70; index += 10)
        assert_true(believed(6000, 0.2, 18000, index) == (double)index);
    assert_true(believed(6000, 0.2, 18000, 72) < 71);
    assert_true(believed(6000, 0.2, -1000000, 18) ==
                18); /* no fewer than half a link a node: 18.3 */
    assert_true(believed(6000, 0.2, -1000000, 20) < 19);
}

/* Twice the most: with a deviation of 46 a seventh of what is beyond, with one of 3 nearly all. */
static void unusual_index_is_drawn_back_as_noise_allows(void **state)
{
    (void)state;
    double loud = believed(6000, 0.2, 18000, 140), quiet = believed(6000, 3.2, 18000, 140);
    if (!(loud > 75 && loud < 85 && quiet > 132 && quiet < 140))
        fail_msg("believed %.1f and %.1f", loud, quiet);
    assert_true(believed(6000, 0.2, 18000, 1000) > loud);
}

/* Without the index: what is usual of such a graph, and the cap at least. */
static void index_that_was_not_asked_is_a_usual_one(void **state)
{
    (void)state;
    pdpr_i_bp_plan plan;
    pdpr_i_bp_numbers numbers = {.theta = 12, .edges = 60, .index_high = 7};
    assert_ok(pdpr_i_bp_plan_make(50, 0.5, &plan, NULL));
    assert_false(plan.asks[PDPR_I_BP_INDEX_LOW]);
    assert_true(pdpr_i_believed_index(&plan, &numbers) == 12);
    numbers.edges = -100000;
    assert_true(pdpr_i_believed_index(&plan, &numbers) == 12);
    assert_true(pdpr_i_believed_second_index(&plan, &numbers) == 7);
    numbers = (pdpr_i_bp_numbers){.theta = 6, .edges = 1650};
    assert_ok(pdpr_i_bp_plan_make(885, 0.2, &plan, NULL));
    assert_false(plan.asks[PDPR_I_BP_INDEX_LOW]);
    assert_close(pdpr_i_believed_index(&plan, &numbers),
                 0.6 * pow(885, 0.375) * pow(2 * 1.7 * 1650 / 885, 0.75), 1e-9);
}

/* As on a street map at epsilon 0.2: 50 and 246, where none can be above the first. */
static void second_index_is_no_more_than_the_first(void **state)
{
    (void)state;
    pdpr_i_bp_plan plan;
    pdpr_i_bp_numbers numbers = {.theta = 64, .edges = 20000, .index_low = 50, .index_high = 246};
    assert_ok(pdpr_i_bp_plan_make(12979, 0.2, &plan, NULL));
    double deviation = sqrt(2) / pdpr_i_bp_precision(&plan, PDPR_I_BP_INDEX_LOW);
    assert_close(pdpr_i_believed_second_index(&plan, &numbers), 50 + deviation / 2, 1e-9);
    numbers.index_high = 60; /* by chance */
    assert_true(pdpr_i_believed_second_index(&plan, &numbers) == 60);
    numbers.index_high = -3;
    assert_true(pdpr_i_believed_second_index(&plan, &numbers) == -3);
    numbers.index_low = -50; /* no index is below 0: that one was unlucky */
    numbers.index_high = 10;
    assert_true(pdpr_i_believed_second_index(&plan, &numbers) == 10);
}

/* Half of N times the cap is the room: 4,000 links here. */
static void cap_that_is_nearly_full_hides_links(void **state)
{
    (void)state;
    pdpr_i_bp_plan plan;
    pdpr_i_bp_numbers numbers = {.theta = 8};
    double before = 0;
    assert_ok(pdpr_i_bp_plan_make(1000, 0.2, &plan, NULL));
    for (numbers.edges = 0; numbers.edges < 5000; numbers.edges += 50) {
        double links = pdpr_i_usual_links(&plan, &numbers), under = (double)numbers.edges;
        assert_true(links >= before && links >= under && links <= 1.7 * under + 1e-9);
        assert_true(numbers.edges > 800 || links == under);
        assert_true(numbers.edges < 2000 || links > 1.7 * under - 1e-9);
        before = links;
    }
    numbers.edges = -700;
    assert_true(pdpr_i_usual_links(&plan, &numbers) == 0);
}

static void largest_degree_is_a_quarter_or_twice_the_index(void **state)
{
    (void)state;
    pdpr_i_bp_plan plan;
    pdpr_i_bp_numbers numbers = {.theta = 16, .edges = 30000, .index_low = 80};
    assert_ok(pdpr_i_bp_plan_make(2000, 50, &plan, NULL));
    assert_true(pdpr_i_usual_most_degree(&plan, &numbers) == 500);
    numbers.index_low = 300; /* 30 links a node and such an index: no graph that is known */
    numbers.edges = 300000;
    assert_close(pdpr_i_usual_most_degree(&plan, &numbers), 600, 1e-12);
    numbers.edges = 1999000; /* a clique */
    numbers.index_low = 1999;
    assert_true(pdpr_i_usual_most_degree(&plan, &numbers) == 1999);
}

/* An unlucky index asks for no wider cap than a usual one does. */
static void unlucky_index_makes_no_wide_cap(void **state)
{
    (void)state;
    pdpr_i_bp_plan plan;
    pdpr_i_bp_numbers usual = {.theta = 12, .edges = 16000, .index_low = 68, .index_high = 60},
                      unlucky = usual;
    unlucky.index_low = 130;
    assert_ok(pdpr_i_bp_plan_make(6300, 0.2, &plan, NULL));
    assert_true(pdpr_i_bp_wide_cap(&plan, &unlucky) <= pdpr_i_bp_wide_cap(&plan, &usual) + 1);
}

static void tail_law_of_dense_graphs_ends(void **state)
{
    (void)state;
    pdpr_i_bp_plan plan; /* political blogs: their largest degree is 351 */
    pdpr_i_bp_numbers numbers = {.theta = 24, .edges = 14000, .index_low = 87, .index_high = 62};
    assert_ok(pdpr_i_bp_plan_make(1490, 3.2, &plan, NULL));
    pdpr_i_tail_law law = pdpr_i_tail_law_of(&plan, &numbers);
    assert_true(law.end > 300 && law.end < 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_index_is_believed_as_it_is),
        cmocka_unit_test(unusual_index_is_drawn_back_as_noise_allows),
        cmocka_unit_test(index_that_was_not_asked_is_a_usual_one),
        cmocka_unit_test(second_index_is_no_more_than_the_first),
        cmocka_unit_test(cap_that_is_nearly_full_hides_links),
        cmocka_unit_test(largest_degree_is_a_quarter_or_twice_the_index),
        cmocka_unit_test(unlucky_index_makes_no_wide_cap),
        cmocka_unit_test(tail_law_of_dense_graphs_ends),
    };
    return cmocka_run_group_tests_name("blueprint: usual hubs", tests, NULL, NULL);
}
