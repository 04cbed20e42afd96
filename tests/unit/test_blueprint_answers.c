/* What the blueprint measures: answers that are the truth plus the noise of the proofs, caps that
 * follow from released numbers only, a certificate that says so. check_blueprint_noise.c has the
 * statistics of the noise. */
#include "support/blueprint_case.h"
#include "support/neighbours.h"
#include "support/noise_support.h"
#include "method/blueprint_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void assert_same_numbers(const pdpr_i_bp_numbers *a, const pdpr_i_bp_numbers *b)
{
    pdpr_i_bp_numbers x = *a, y = *b;
    assert_int_equal(a->theta, b->theta);
    assert_memory_equal(a->cumulative, b->cumulative, a->theta * sizeof *a->cumulative);
    x.cumulative = y.cumulative = NULL;
    assert_memory_equal(&x, &y, sizeof x);
}

static void measure_odd_graph_returns_numbers_for_any_thread_count(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 5};
    static const double epsilons[] = {0.001, 1, 50};
    for (int i = 0; i < TEST_BP_ODD_GRAPHS; i++)
        for (int e = 0; e < 3; e++) {
            pdpr_i_bp_numbers first = {0};
            for (int t = 0; t < 3; t++) {
                pdpr_context *ctx = test_context(threads[t]);
                pdpr_graph *g = test_bp_odd_graph(ctx, i);
                pdpr_i_bp_plan p;
                pdpr_i_bp_numbers x = {0};
                test_bp_measure(ctx, g, epsilons[e], 11, &p, &x);
                assert_true(x.theta >= p.theta_grid[0] && x.wide >= x.theta);
                assert_true(x.triangle_cap[0] >= 4 && x.triangle_cap[0] <= x.theta);
                assert_true(x.triangle_cap[1] >= 2 * x.triangle_cap[0]);
                if (t == 0)
                    first = x;
                else
                    assert_same_numbers(&first, &x);
                if (t > 0)
                    pdpr_i_bp_numbers_clear(&x);
                pdpr_graph_free(g);
                pdpr_context_free(ctx);
            }
            pdpr_i_bp_numbers_clear(&first);
        }
}

/* With epsilon 50 the answers are the truth up to a few units. */
static void measure_with_little_noise_finds_the_truth(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_path(ctx, 200);
    pdpr_i_bp_plan p;
    pdpr_i_bp_numbers x = {0};
    test_bp_measure(ctx, g, 50, 3, &p, &x);
    assert_true(llabs(x.edges - 199) < 40);
    assert_true(llabs(x.edges_wide - 199) < 40);
    assert_true(llabs(x.cumulative[0] - 0) < 40);
    assert_true(llabs(x.cumulative[1] - 2) < 40);
    assert_true(llabs(x.cumulative[2] - 200) < 40);
    assert_true(llabs(x.forest - 2 * 199) < 80);
    assert_true(llabs(x.triangles[0]) < 80);
    pdpr_i_bp_numbers_clear(&x);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* Every answer of every round is the truth plus the noise of its address, drawn for the
 * sensitivities that docs/proofs/blueprint.md has: an empty graph, where all is 0 and pairs count
 * as their horizon. */
static void measure_adds_the_noise_of_the_proofs_sensitivities(void **state)
{
    (void)state;
    enum { N = 300, SEEDS = 20, MOST = 3 };
    static const double epsilons[] = {1, 5, 20, 50};
    static const struct {
        const char *charge;
        pdpr_i_bp_query query[MOST];
    } rounds[] = {{"round_1", {PDPR_I_BP_INDEX_LOW, PDPR_I_BP_FOREST, PDPR_I_BP_QUERIES}},
                  {"round_2", {PDPR_I_BP_EDGES, PDPR_I_BP_INDEX_HIGH, PDPR_I_BP_QUERIES}},
                  {"round_3", {PDPR_I_BP_EDGES_WIDE, PDPR_I_BP_TRIANGLES_1, PDPR_I_BP_PATHS_1}},
                  {"round_4", {PDPR_I_BP_TRIANGLES_2, PDPR_I_BP_PATHS_2, PDPR_I_BP_QUERIES}}};
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_empty(ctx, N);
    uint32_t compared = 0;
    for (uint64_t run = 0; run < 4 * SEEDS; run++) {
        pdpr_i_bp_plan p;
        pdpr_i_bp_numbers x = {0};
        pdpr_i_charge charges[PDPR_I_BP_CHARGES];
        test_bp_measure(ctx, g, epsilons[run % 4], run, &p, &x);
        uint32_t num_charges = pdpr_i_bp_charges(&p, charges);
        uint64_t window[2], pairs[2]; /* four pairs a node in graphs of this size */
        for (uint32_t i = 0; i < 2; i++) {
            window[i] = 4 * (x.window[i].horizon - (x.window[i].floor > 1 ? x.window[i].floor : 1));
            pairs[i] = pdpr_i_bp_path_question(&p, x.window[i], i).num_pairs;
        }
        const uint64_t one = 1,
                       sensitivity[PDPR_I_BP_QUERIES] = {
                           [PDPR_I_BP_INDEX_LOW] = one,
                           [PDPR_I_BP_INDEX_HIGH] = one,
                           [PDPR_I_BP_FOREST] = 13,
                           [PDPR_I_BP_EDGES] = x.theta,
                           [PDPR_I_BP_EDGES_WIDE] = x.wide,
                           [PDPR_I_BP_TRIANGLES_1] = test_bp_triangle_steps(x.triangle_cap[0]),
                           [PDPR_I_BP_TRIANGLES_2] = test_bp_triangle_steps(x.triangle_cap[1]),
                           [PDPR_I_BP_PATHS_1] = 2 * window[0] + (window[0] + 1) / 2,
                           [PDPR_I_BP_PATHS_2] = 2 * window[1] + (window[1] + 1) / 2};
        const int64_t noisy[PDPR_I_BP_QUERIES] = {
            [PDPR_I_BP_INDEX_LOW] = x.index_low,
            [PDPR_I_BP_INDEX_HIGH] = x.index_high,
            [PDPR_I_BP_FOREST] = x.forest,
            [PDPR_I_BP_EDGES] = x.edges,
            [PDPR_I_BP_EDGES_WIDE] = x.edges_wide,
            [PDPR_I_BP_TRIANGLES_1] = x.triangles[0],
            [PDPR_I_BP_TRIANGLES_2] = x.triangles[1],
            [PDPR_I_BP_PATHS_1] = x.paths[0] - (int64_t)(2 * pairs[0] * x.window[0].horizon),
            [PDPR_I_BP_PATHS_2] = x.paths[1] - (int64_t)(2 * pairs[1] * x.window[1].horizon)};
        for (int r = 0; r < 4; r++) {
            uint64_t steps[MOST];
            int64_t found[MOST], noise[MOST];
            uint32_t count = 0, number = 0;
            for (int i = 0; i < MOST; i++) {
                pdpr_i_bp_query q = rounds[r].query[i];
                if (q == PDPR_I_BP_QUERIES || !p.asks[q])
                    continue;
                steps[count] = sensitivity[q];
                found[count++] = noisy[q];
            }
            while (number < num_charges && strcmp(charges[number].label, rounds[r].charge) != 0)
                number++;
            if (number == num_charges) {
                assert_int_equal(count, 0);
                continue;
            }
            pdpr_i_box box;
            pdpr_i_key key;
            pdpr_i_stream s;
            assert_ok(pdpr_i_box_init(&box, charges[number].epsilon, steps, count, NULL));
            pdpr_i_key_from_seed(run, &key);
            pdpr_i_stream_init(&s, &key, PDPR_I_PURPOSE_BOX, (uint64_t)number << 32);
            pdpr_i_box_draw(&box, &s, noise);
            for (uint32_t i = 0; i < count; i++, compared++)
                assert_int_equal(found[i], noise[i]);
        }
        pdpr_i_bp_numbers_clear(&x);
    }
    assert_true(compared > 500);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* What is decided follows from what was released, the second index too: without it the cap would be
 * another in some of the runs. */
static void measure_chooses_the_wider_cap_after_both_indices(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = NULL;
    int moved = 0;
    assert_ok(pdpr_generate_social(ctx, 400, 3000, 0.3, 1, &g, NULL));
    for (uint64_t seed = 0; seed < 12; seed++) {
        pdpr_i_bp_plan p;
        pdpr_i_bp_numbers x = {0};
        test_bp_measure(ctx, g, 20, seed, &p, &x);
        assert_int_equal(x.wide, p.theta_grid[pdpr_i_bp_wide_cap(&p, &x)]);
        x.index_high = 0;
        moved += x.wide != p.theta_grid[pdpr_i_bp_wide_cap(&p, &x)];
        pdpr_i_bp_numbers_clear(&x);
    }
    assert_true(moved > 0);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* Streets of many nodes: where the index tells that nobody has more than a few links, the cap of
 * the degrees is small however many nodes could bear the noise of a wide one. The triangle caps are
 * what the rules say of the numbers released before them. */
static void measure_caps_follow_released_numbers(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_generate_options options;
    pdpr_graph *g = NULL;
    pdpr_i_bp_plan p;
    pdpr_i_bp_numbers x = {0};
    int moved = 0;
    pdpr_generate_options_default(PDPR_KIND_LATTICE, 30000, &options);
    assert_ok(pdpr_generate(ctx, &options, 1, &g, NULL));
    test_bp_measure(ctx, g, 3.2, 1, &p, &x);
    assert_in_range(x.theta, 4, 16);
    pdpr_i_bp_numbers_clear(&x);
    pdpr_graph_free(g);

    assert_ok(pdpr_generate_social(ctx, 400, 3000, 0.8, 1, &g, NULL));
    for (uint64_t seed = 0; seed < 8; seed++) {
        test_bp_measure(ctx, g, 20, seed, &p, &x);
        assert_int_equal(x.triangle_cap[0], pdpr_i_bp_first_triangle_cap(&p, &x));
        assert_int_equal(x.triangle_cap[1], pdpr_i_bp_second_triangle_cap(&p, &x));
        x.triangles[0] /= 2;
        moved += x.triangle_cap[1] != pdpr_i_bp_second_triangle_cap(&p, &x);
        pdpr_i_bp_numbers_clear(&x);
    }
    assert_true(moved > 0);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* What is asked is what is charged for: the answers are those of the windows, with their floors.
 * Twenty hubs, three of them for each node: nearly all pairs are two or three hops apart. */
static void measured_path_lengths_are_those_of_their_windows(void **state)
{
    (void)state;
    enum { N = 400, HUBS = 20, SEEDS = 12 };
    pdpr_context *ctx = test_context(1);
    static uint32_t pairs[2 * 3 * N];
    uint32_t count = 0;
    for (uint32_t u = HUBS; u < N; u++)
        for (uint32_t k = 0; k < 3; k++, count++) {
            pairs[2 * count] = u;
            pairs[2 * count + 1] = (u * (k + 1) + k * k) % HUBS;
        }
    pdpr_graph *g = test_graph(ctx, N, pairs, count);
    double off[2] = {0,
                     0}; /* of the second answer, in units of its noise: with its floor, without */
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        pdpr_i_bp_plan p;
        pdpr_i_bp_numbers x = {0};
        test_bp_measure(ctx, g, 50, seed, &p, &x);
        pdpr_i_path_question q = pdpr_i_bp_path_question(&p, x.window[1], 1);
        double scale = (double)pdpr_i_bp_path_sensitivity(&p, x.window[1]) / 2 /
                       pdpr_i_bp_precision(&p, PDPR_I_BP_PATHS_2);
        assert_in_range(q.floor, 3, q.horizon - 1);
        /* the interval reaches as far up as the certificate leaves open */
        pdpr_released_number told[PDPR_I_BP_QUERIES];
        uint32_t told_count = 0, gap = (4 * (q.horizon - q.floor) + 1) / 2; /* halves */
        assert_ok(pdpr_i_bp_uncertainty(&p, &x, told, &told_count, NULL));
        const pdpr_released_number *last = &told[told_count - 1];
        assert_string_equal(last->name, "paths_2");
        assert_close(last->high - last->value - last->half_width, gap / 2.0 + 0.5, 1e-9);
        for (int without = 0; without < 2; without++) {
            pdpr_i_interval r;
            q.floor = without ? 0 : q.floor;
            assert_ok(pdpr_i_path_length(ctx, g, &q, PDPR_I_INTERVAL_ONE, &r, NULL));
            double length = (double)r.lo / PDPR_I_INTERVAL_ONE;
            off[without] += ((double)x.paths[1] / 2 - length) / scale / SEEDS;
        }
        pdpr_i_bp_numbers_clear(&x);
    }
    assert_true(fabs(off[0]) < 1.5); /* a deviation of 0.4 */
    assert_true(fabs(off[1]) > 3);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void measure_without_its_charge_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_path(ctx, 20);
    pdpr_i_bp_plan p, poor;
    pdpr_i_bp_numbers x = {0};
    assert_ok(pdpr_i_bp_plan_make(20, 1, &p, NULL));
    assert_ok(pdpr_i_bp_plan_make(20, 0.5, &poor, NULL));
    pdpr_i_meter *meter = test_bp_meter(ctx, &poor, 1); /* pays for half of it */
    assert_int_equal(pdpr_i_bp_measure(ctx, g, &p, meter, &x, NULL), PDPR_EUSAGE);
    pdpr_i_meter_free(meter);
    meter = test_bp_meter(ctx, &p, 1);
    assert_ok(pdpr_i_bp_measure(ctx, g, &p, meter, &x, NULL));
    pdpr_i_bp_numbers_clear(&x);
    assert_int_equal(pdpr_i_bp_measure(ctx, g, &p, meter, &x, NULL), PDPR_EBUDGET); /* twice */
    assert_null(x.cumulative);
    pdpr_i_meter_free(meter);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* With its gap, of a graph of up to 30,000 nodes. */
static double path_sensitivity(pdpr_i_path_window window)
{
    uint32_t width = 4 * (window.horizon - (window.floor > 1 ? window.floor : 1));
    return width + ((width + 1) / 2) / 2.0;
}

static void expect_certificate_of_what_was_measured(double budget)
{
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = NULL;
    assert_ok(pdpr_generate_social(ctx, 1000, 4000, 0.5, 1, &g, NULL));
    pdpr_i_bp_plan p;
    pdpr_i_bp_numbers x = {0};
    pdpr_i_certificate_query query[PDPR_I_BP_CHARGES];
    uint32_t count = 0, answers = 0;
    test_bp_measure(ctx, g, budget, 5, &p, &x);
    assert_ok(pdpr_i_bp_certify(&p, &x, query, &count, NULL));
    /* sensitivities in the units of the answer, as docs/proofs/blueprint.md has them */
    const double sensitivity[PDPR_I_BP_QUERIES] = {
        1,
        2.0 * x.theta,
        x.theta,
        x.wide,
        1,
        1,
        (double)test_bp_triangle_steps(x.triangle_cap[0]) / 2,
        (double)test_bp_triangle_steps(x.triangle_cap[1]) / 2,
        6 + 0.5,
        path_sensitivity(x.window[0]),
        path_sensitivity(x.window[1])};
    assert_int_equal(count, PDPR_I_BP_CHARGES);
    for (uint32_t c = 0; c < count; c++) {
        bool selection = c == PDPR_I_BP_SELECTION, alone = selection || c == PDPR_I_BP_CURVE;
        assert_string_equal(query[c].label, pdpr_i_bp_charge_name((pdpr_i_bp_charge)c));
        assert_int_equal(query[c].epsilon.num, p.charge[c].num);
        assert_int_equal(query[c].epsilon.den, p.charge[c].den);
        if (alone) {
            double s = sensitivity[selection ? PDPR_I_BP_THETA : PDPR_I_BP_HISTOGRAM];
            double e = (double)p.charge[c].num / (double)p.charge[c].den;
            assert_close((double)query[c].sensitivity.num / (double)query[c].sensitivity.den, s, 0);
            assert_close((double)query[c].scale.num / (double)query[c].scale.den,
                         (selection ? 2 : 1) * s / e, 1e-9);
            assert_int_equal(query[c].kind,
                             selection ? PDPR_I_QUERY_SELECTION : PDPR_I_QUERY_LAPLACE);
            assert_int_equal(query[c].values, selection ? p.num_thetas : x.theta);
            assert_int_equal(query[c].grid.num, query[c].grid.den);
            continue;
        }
        assert_int_equal(query[c].kind, PDPR_I_QUERY_BOX);
        double epsilon = (double)p.charge[c].num / (double)p.charge[c].den;
        assert_int_equal(query[c].levels, epsilon > 1 ? ceil(epsilon) : 1);
        assert_int_equal(query[c].values, pdpr_i_bp_asked_together(&p, (pdpr_i_bp_charge)c, NULL));
        for (uint64_t i = 0; i < query[c].values; i++, answers++) {
            const pdpr_i_certificate_answer *answer = &query[c].answer[i];
            int q = 0;
            while (q < PDPR_I_BP_QUERIES &&
                   strcmp(answer->label, pdpr_i_bp_query_name((pdpr_i_bp_query)q)) != 0)
                q++;
            assert_true(q < PDPR_I_BP_QUERIES);
            assert_int_equal(pdpr_i_bp_charge_of((pdpr_i_bp_query)q), c);
            assert_close((double)answer->sensitivity.num / (double)answer->sensitivity.den,
                         sensitivity[q], 1e-12);
            assert_close((double)answer->grid.num / (double)answer->grid.den,
                         q >= PDPR_I_BP_TRIANGLES_1 ? 0.5 : 1, 0);
        }
    }
    assert_int_equal(answers, PDPR_I_BP_QUERIES - 2);
    pdpr_i_bp_numbers_clear(&x);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void certificate_says_what_was_measured(void **state)
{
    (void)state;
    expect_certificate_of_what_was_measured(3.2);
    expect_certificate_of_what_was_measured(20); /* charges above 1: several levels */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measure_odd_graph_returns_numbers_for_any_thread_count),
        cmocka_unit_test(measure_with_little_noise_finds_the_truth),
        cmocka_unit_test(measure_adds_the_noise_of_the_proofs_sensitivities),
        cmocka_unit_test(measure_chooses_the_wider_cap_after_both_indices),
        cmocka_unit_test(measure_caps_follow_released_numbers),
        cmocka_unit_test(measured_path_lengths_are_those_of_their_windows),
        cmocka_unit_test(measure_without_its_charge_is_refused),
        cmocka_unit_test(certificate_says_what_was_measured),
    };
    return cmocka_run_group_tests_name("blueprint: answers", tests, NULL, NULL);
}
