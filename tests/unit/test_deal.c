/* Dealing degrees and places to nodes, the two orders that an embedding gives, and the uncertainty
 * of released numbers. */
#include "support/noise_support.h"
#include "blueprint/blueprint.h"
#include "blueprint/deal.h"
#include "dpr/score_order.h"
#include "method/blueprint_part.h"

#include <math.h>
#include <string.h>

enum { N = 500 };

/* ---------------------------------------------------------------- degrees as counts */

static void counts_spread_give_the_degrees_in_descending_order(void **state)
{
    (void)state;
    static const uint32_t degree[] = {3, 0, 7, 3, 3, 0, 1, 7, 2};
    static const uint32_t sorted[] = {7, 7, 3, 3, 3, 2, 1, 0, 0};
    uint32_t back[9];
    pdpr_context *ctx = test_context(1);
    pdpr_i_degree_counts c = {0};
    assert_ok(pdpr_i_degree_counts_init(ctx, degree, 9, &c, NULL));
    assert_int_equal(c.length, 5);
    assert_true(pdpr_i_degree_counts_spread(&c, 9, back));
    assert_memory_equal(back, sorted, sizeof sorted);
    pdpr_i_degree_counts_clear(&c);
    pdpr_context_free(ctx);
}

static void counts_that_no_fit_stores_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t degree[3], nodes[3];
        bool good;
    } cases[] = {{{4, 2, 0}, {1, 2, 3}, true},           {{4, 2, 0}, {1, 2, 2}, false},
                 {{4, 2, 0}, {1, 2, 4}, false},          {{2, 4, 0}, {1, 2, 3}, false},
                 {{4, 4, 0}, {1, 2, 3}, false},          {{6, 2, 0}, {1, 2, 3}, false},
                 {{4, 2, 0}, {UINT32_MAX, 4, 3}, false}, {{5, 2, 0}, {0, 3, 3}, true}};
    uint32_t back[6];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t degree[3], nodes[3];
        memcpy(degree, cases[i].degree, sizeof degree);
        memcpy(nodes, cases[i].nodes, sizeof nodes);
        pdpr_i_degree_counts c = {degree, nodes, 3};
        if (pdpr_i_degree_counts_spread(&c, 6, back) != cases[i].good)
            fail_msg("case %zu", i);
    }
}

/* ---------------------------------------------------------------- orders and places */

static void order_is_descending_and_holds_every_node(void **state)
{
    (void)state;
    static double score[N];
    static uint32_t node[N];
    static bool seen[N];
    pdpr_context *ctx = test_context(1);
    pdpr_i_stream random = noise_stream(3, 0);
    for (uint32_t u = 0; u < N; u++) /* both signs, both zeros, large and small */
        score[u] = u == 7 ? -0.0 : sin(u) * exp2((double)(u % 60) - 30);
    assert_ok(pdpr_i_deal_order(ctx, score, N, &random, node, NULL));
    for (uint32_t i = 0; i < N; i++) {
        assert_false(seen[node[i]]);
        seen[node[i]] = true;
        assert_true(i == 0 || (float)score[node[i - 1]] >= (float)score[node[i]]);
    }
    pdpr_context_free(ctx);
}

static void order_of_equal_scores_is_left_to_chance(void **state)
{
    (void)state;
    static double score[N];
    static uint32_t node[N], other[N];
    pdpr_context *ctx = test_context(1);
    pdpr_i_stream random = noise_stream(3, 0);
    score[9] = -0.0; /* as good as 0 */
    assert_ok(pdpr_i_deal_order(ctx, score, N, &random, node, NULL));
    assert_ok(pdpr_i_deal_order(ctx, score, N, &random, other, NULL));
    assert_memory_not_equal(node, other, sizeof node);
    uint32_t fixed = 0;
    for (uint32_t i = 0; i < N; i++)
        fixed += node[i] == i;
    assert_true(fixed < 12); /* Poisson of mean 1: 1e-9 */
    pdpr_context_free(ctx);
}

static void places_ascend_in_the_order_given(void **state)
{
    (void)state;
    static uint32_t node[N], place[N];
    pdpr_context *ctx = test_context(1);
    pdpr_i_stream random = noise_stream(4, 0);
    for (uint32_t i = 0; i < N; i++)
        node[i] = (i * 7 + 3) % N;
    assert_ok(pdpr_i_deal_places(ctx, node, N, &random, place, NULL));
    uint32_t below = 0;
    for (uint32_t i = 0; i < N; i++) {
        assert_true(i == 0 || place[node[i - 1]] <= place[node[i]]);
        below += place[i] < UINT32_C(1) << 31;
    }
    assert_in_range(below, N / 2 - 60, N / 2 + 60); /* binomial: 5.3 deviations */
    pdpr_context_free(ctx);
}

static void dealing_survives_every_allocation_failure(void **state)
{
    (void)state;
    static double score[N];
    static uint32_t node[N], place[N];
    pdpr_context *ctx = test_context(1);
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        pdpr_i_stream random = noise_stream(4, 0);
        pdpr_i_degree_counts c = {0};
        status = pdpr_i_deal_order(ctx, score, N, &random, node, NULL);
        if (status == PDPR_OK)
            status = pdpr_i_deal_places(ctx, node, N, &random, place, NULL);
        if (status == PDPR_OK)
            status = pdpr_i_degree_counts_init(ctx, node, N, &c, NULL);
        pdpr_i_degree_counts_clear(&c);
    });
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- what V says */

enum { R = 6 };

/* Rows = mean + side * axis + small noise, side = +-2 by the node's parity. */
static void two_sides(float *v)
{
    for (uint32_t u = 0; u < N; u++)
        for (uint32_t k = 0; k < R; k++)
            v[u * R + k] = (float)((k == 0 ? 1 + 0.001 * u : 0) + (k == 3 ? (u % 2 ? 2 : -2) : 0) +
                                   0.1 * sin(17 * u + 5 * k));
}

static void mass_is_the_product_with_all_other_rows(void **state)
{
    (void)state;
    static float v[N * R];
    static double mass[N], along[N];
    pdpr_context *ctx = test_context(1);
    two_sides(v);
    assert_ok(pdpr_i_score_order(ctx, v, N, R, mass, along, NULL));
    for (uint32_t j = 0; j < N; j += 23) {
        double slow = 0;
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t k = 0; i != j && k < R; k++)
                slow += (double)v[i * R + k] * (double)v[j * R + k];
        assert_close(mass[j], slow, 1e-9);
    }
    pdpr_context_free(ctx);
}

static void widest_direction_tells_the_sides_apart(void **state)
{
    (void)state;
    static float v[N * R];
    static double mass[N], along[N];
    pdpr_context *ctx = test_context(1);
    two_sides(v);
    assert_ok(pdpr_i_score_order(ctx, v, N, R, mass, along, NULL));
    for (uint32_t u = 2; u < N; u++) {
        assert_true((along[u] > 0) == (along[u % 2] > 0));
        assert_true(fabs(along[u]) > 1.5);
    }
    pdpr_context_free(ctx);
}

static void embedding_without_numbers_or_columns_is_refused(void **state)
{
    (void)state;
    float v[4] = {1, 2, 3, 4};
    double mass[4], along[4];
    pdpr_context *ctx = test_context(1);
    assert_int_equal(pdpr_i_score_order(ctx, v, 4, 0, mass, along, NULL), PDPR_EUSAGE);
    v[2] = NAN;
    assert_int_equal(pdpr_i_score_order(ctx, v, 2, 2, mass, along, NULL), PDPR_EUSAGE);
    v[2] = INFINITY;
    assert_int_equal(pdpr_i_score_order(ctx, v, 4, 1, mass, along, NULL), PDPR_EUSAGE);
    memset(v, 0, sizeof v); /* no direction at all: every node alike */
    assert_ok(pdpr_i_score_order(ctx, v, 2, 2, mass, along, NULL));
    assert_true(mass[0] == 0 && mass[1] == 0 && along[0] == 0 && along[1] == 0);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- uncertainty */

/* P(|noise| > k) by adding up the law of discrete Laplace. */
static double tail(double scale, double k)
{
    double q = exp(-1 / scale), inside = 0;
    for (double x = -k; x <= k; x++)
        inside += (1 - q) / (1 + q) * pow(q, fabs(x));
    return 1 - inside;
}

static void half_width_is_the_least_that_holds_95_percent(void **state)
{
    (void)state;
    static const double scales[] = {0.01, 0.2, 0.5, 1, 2.5, 10, 71.4, 1000};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        double k = pdpr_i_laplace_half_width(scales[i]);
        assert_true(k >= 0 && k == floor(k));
        assert_true(tail(scales[i], k) <= 0.05 + 1e-9);
        assert_true(k == 0 || tail(scales[i], k - 1) > 0.05 - 1e-9);
    }
}

/* Each interval covers the value that the noise was added to, in 95 % of runs or more. */
static void intervals_cover_what_was_measured(void **state)
{
    (void)state;
    enum { RUNS = 1500 };
    pdpr_context *ctx = test_context(1);
    static const uint32_t triangle[] = {0, 1, 1, 2, 0, 2};
    pdpr_graph *g = test_graph(ctx, 4, triangle, 3);
    pdpr_i_bp_plan p;
    uint32_t edges = 0, triangles = 0;
    assert_ok(pdpr_i_bp_plan_make(4, 50, &p, NULL));
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        pdpr_i_charge charges[PDPR_I_BP_CHARGES];
        pdpr_released_number x[PDPR_I_BP_QUERIES];
        pdpr_i_bp_numbers numbers = {0};
        uint32_t found = 0;
        pdpr_i_meter *meter = noise_meter(ctx, charges, pdpr_i_bp_charges(&p, charges), seed);
        assert_ok(pdpr_i_bp_measure(ctx, g, &p, meter, &numbers, NULL));
        assert_ok(pdpr_i_bp_uncertainty(&p, &numbers, x, &found, NULL));
        assert_int_equal(found, pdpr_i_bp_count_queries(&p));
        for (uint32_t i = 0; i < found; i++) {
            edges += strcmp(x[i].name, "edges") == 0 && x[i].low <= 3 && 3 <= x[i].high;
            triangles += strcmp(x[i].name, "triangles_1") == 0 && x[i].low <= 1 && 1 <= x[i].high;
        }
        pdpr_i_bp_numbers_clear(&numbers);
        pdpr_i_meter_free(meter);
    }
    /* 95 % less 4.9 deviations of a binomial; and no interval holds everything */
    assert_in_range(edges, RUNS * 95 / 100 - 42, RUNS - 1);
    assert_in_range(triangles, RUNS * 95 / 100 - 42, RUNS - 1);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_spread_give_the_degrees_in_descending_order),
        cmocka_unit_test(counts_that_no_fit_stores_are_refused),
        cmocka_unit_test(order_is_descending_and_holds_every_node),
        cmocka_unit_test(order_of_equal_scores_is_left_to_chance),
        cmocka_unit_test(places_ascend_in_the_order_given),
        cmocka_unit_test(dealing_survives_every_allocation_failure),
        cmocka_unit_test(mass_is_the_product_with_all_other_rows),
        cmocka_unit_test(widest_direction_tells_the_sides_apart),
        cmocka_unit_test(embedding_without_numbers_or_columns_is_refused),
        cmocka_unit_test(half_width_is_the_least_that_holds_95_percent),
        cmocka_unit_test(intervals_cover_what_was_measured),
    };
    return cmocka_run_group_tests_name("dealing, orders, uncertainty", tests, NULL, NULL);
}
