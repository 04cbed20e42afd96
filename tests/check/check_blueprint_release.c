/* Attempts to refute the claims for rounds of the blueprint: the worst pair of neighbours, many
 * seeded runs in each world, and the best test that tells them apart.
 *
 * The likelihood ratio of box noise is the difference of the levels of the two worlds' noises:
 * whoever sees the answers and says "with" where it is the largest is right e^epsilon times as
 * often as wrong, and the errors of that test bound epsilon from below (Clopper and Pearson). The
 * bound may exceed the charge with probability 1e-6 at most, and must come near it, or the check
 * could see nothing. */
#include "support/audit.h"
#include "support/blueprint_case.h"
#include "support/noise_support.h"
#include "blueprint/measure_projection.h"

#include <stdlib.h>

/* A round of two answers under attack: what they are without noise in the two worlds. */
typedef struct {
    pdpr_i_bp_plan plan;
    pdpr_i_bp_charge round;
    uint64_t sensitivity[2];
    int64_t value[2][2];    /* without, with */
    const pdpr_graph *g[2]; /* of whole measurements */
} target;

/* What one run in a world answers. */
typedef void run_world(pdpr_context *ctx, const target *t, bool with, uint64_t seed, int64_t *out);

/* The level of the noise that makes the world's values of `seen`: |z_i| levels <= level D_i for
 * both. */
static int64_t level_of(const target *t, bool with, const int64_t *seen, int64_t levels)
{
    int64_t level = 0;
    for (int i = 0; i < 2; i++) {
        int64_t d = (int64_t)t->sensitivity[i], z = llabs(seen[i] - t->value[with][i]);
        int64_t own = (z * levels + d - 1) / d;
        level = own > level ? own : level;
    }
    return level;
}

static void attack(pdpr_context *ctx, const target *t, uint64_t runs, run_world run)
{
    pdpr_i_ratio charge = t->plan.charge[t->round];
    int64_t levels = (int64_t)pdpr_i_chunks(charge.num, charge.den);
    double epsilon = (double)charge.num / (double)charge.den;
    uint64_t missed = 0, raised = 0;
    for (uint64_t seed = 0; seed < 2 * runs; seed++) {
        int64_t out[2];
        bool with = seed < runs;
        run(ctx, t, with, seed, out);
        bool said = level_of(t, false, out, levels) - level_of(t, true, out, levels) >= levels;
        missed += with && !said;
        raised += !with && said;
    }
    double bound = epsilon_lower_bound(missed, raised, runs, runs, 0, 1e-6);
    print_message("charge %.4f: at least %.4f\n", epsilon, bound);
    assert_true(bound <= epsilon);
    assert_true(bound > epsilon / 2);
}

/* ---------------------------------------------------------------- round 2 */

enum { NODES = 60, THETA = 8, OTHER_EDGES = 5 };

/* Projected edges at the cap THETA of the graph in which node 0 has `links` links. */
static int64_t projected_edges(pdpr_context *ctx, uint32_t links)
{
    uint32_t pairs[2 * (THETA + OTHER_EDGES)], count = 0;
    for (uint32_t i = 0; i < OTHER_EDGES; i++, count++) {
        pairs[2 * count] = 40 + 2 * i;
        pairs[2 * count + 1] = 41 + 2 * i;
    }
    for (uint32_t i = 0; i < links; i++, count++) {
        pairs[2 * count] = 0;
        pairs[2 * count + 1] = 1 + i;
    }
    pdpr_graph *g = test_graph(ctx, NODES, pairs, count);
    pdpr_i_projection p = {0};
    const uint32_t cap = THETA;
    assert_ok(pdpr_i_projection_measure(ctx, g, 1, 1, &cap, 1, &p, NULL));
    int64_t edges = (int64_t)p.edges[0];
    pdpr_i_projection_clear(&p);
    pdpr_graph_free(g);
    return edges;
}

/* One release of the second round, by the steps of blueprint_measure.c. */
static void release_round(pdpr_context *ctx, const target *t, bool with, uint64_t seed,
                          int64_t *out)
{
    const char *label = pdpr_i_bp_charge_name(t->round);
    pdpr_i_ratio epsilon = t->plan.charge[t->round];
    const pdpr_i_charge charge = noise_pure_charge(label, epsilon.num, epsilon.den);
    pdpr_i_meter *meter = noise_meter(ctx, &charge, 1, seed);
    const pdpr_i_box_request request = {label, epsilon, 2, t->sensitivity};
    assert_ok(pdpr_i_release_box(meter, &request, t->value[with], out, NULL));
    pdpr_i_meter_free(meter);
}

/* Node 0 has theta links in one world and none in the other, so the projected edges differ by
 * theta, the whole sensitivity; the index that is asked together with them is taken to differ by
 * its sensitivity too. */
static void second_round_leaks_its_epsilon_and_no_more(void **state)
{
    (void)state;
    static const double epsilons[] = {10, 25}; /* charges of 1.3 and more: attacks with power */
    pdpr_context *ctx = test_context(1);
    target t = {.round = PDPR_I_BP_ROUND_2,
                .sensitivity = {THETA, 1},
                .value = {{projected_edges(ctx, 0), 0}, {projected_edges(ctx, THETA), 1}}};
    assert_int_equal(t.value[1][0] - t.value[0][0], THETA); /* the pair reaches the sensitivity */
    for (int e = 0; e < 2; e++) {
        assert_ok(pdpr_i_bp_plan_make(NODES, epsilons[e], &t.plan, NULL));
        attack(ctx, &t, 20000, release_round);
    }
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- round 1, measured */

/* The first answers of a whole measurement. */
static void measure_all(pdpr_context *ctx, const target *t, bool with, uint64_t seed, int64_t *out)
{
    pdpr_i_bp_numbers numbers;
    pdpr_i_meter *meter = test_bp_meter(ctx, &t->plan, seed);
    assert_ok(pdpr_i_bp_measure(ctx, t->g[with], &t->plan, meter, &numbers, NULL));
    out[0] = numbers.index_low;
    out[1] = numbers.forest;
    pdpr_i_bp_numbers_clear(&numbers);
    pdpr_i_meter_free(meter);
}

/* A star and no link at all: the index moves by one and the forest, which is solved, by its cap. It
 * is charged a half more, for what a certificate may leave open. */
static void measured_first_round_leaks_its_epsilon_and_no_more(void **state)
{
    (void)state;
    enum { FEW = 49 }; /* no paths are asked about: quicker */
    static const double epsilons[] = {14, 25};
    pdpr_context *ctx = test_context(1);
    const pdpr_i_bp_numbers none = {0};
    pdpr_graph *empty = test_graph_empty(ctx, FEW), *star = test_graph_star(ctx, FEW);
    for (int e = 0; e < 2; e++) {
        int64_t halves = 2 * (int64_t)pdpr_i_bp_forest_cap(FEW, epsilons[e]);
        target t = {.round = PDPR_I_BP_ROUND_1, .value = {{0, 0}, {1, halves}}, .g = {empty, star}};
        assert_ok(pdpr_i_bp_plan_make(FEW, epsilons[e], &t.plan, NULL));
        assert_true(t.plan.asks[PDPR_I_BP_INDEX_LOW] && t.plan.asks[PDPR_I_BP_FOREST]);
        t.sensitivity[0] = pdpr_i_bp_sensitivity(&t.plan, &none, PDPR_I_BP_INDEX_LOW);
        t.sensitivity[1] = pdpr_i_bp_sensitivity(&t.plan, &none, PDPR_I_BP_FOREST);
        attack(ctx, &t, 10000, measure_all);
    }
    pdpr_graph_free(empty);
    pdpr_graph_free(star);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_round_leaks_its_epsilon_and_no_more),
        cmocka_unit_test(measured_first_round_leaks_its_epsilon_and_no_more),
    };
    return cmocka_run_group_tests_name("blueprint release", tests, NULL, NULL);
}
