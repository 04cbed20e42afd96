/* Comparison: relative errors and where they are not defined, summaries, the null model, errors. */
#include "support/support.h"

#include <math.h>
#include <string.h>

static pdpr_comparison *compare(pdpr_context *ctx, const pdpr_graph *original,
                                const pdpr_graph *const *synthetic, uint32_t count,
                                const pdpr_comparison_options *options)
{
    pdpr_comparison *c = NULL;
    pdpr_error err = {0};
    if (pdpr_comparison_new(ctx, original, synthetic, count, options, &c, &err) != PDPR_OK)
        fail_msg("comparison: %s", err.text);
    return c;
}

/* The only row of a comparison of two graphs, by value. */
static pdpr_comparison_row row_of(pdpr_context *ctx, const pdpr_graph *original,
                                  const pdpr_graph *synthetic)
{
    pdpr_comparison *c = compare(ctx, original, &synthetic, 1, NULL);
    uint32_t count;
    pdpr_comparison_row row = pdpr_comparison_rows(c, false, &count)[0];
    assert_int_equal(count, 1);
    pdpr_comparison_free(c);
    return row;
}

static void errors_of_known_graphs_are_right(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *complete = test_graph_complete(ctx, 5), *star = test_graph_star(ctx, 5);
    pdpr_comparison_row row = row_of(ctx, complete, star);
    /* complete: 10 triangles, 30 wedges, 20 claws, cpl 1, diameter 1; star: 0, 6, 4, 1.6, 2 */
    assert_close(row.figure[PDPR_FIGURE_TRIANGLES], 1, 1e-15);
    assert_close(row.figure[PDPR_FIGURE_WEDGES], 24.0 / 30, 1e-15);
    assert_close(row.figure[PDPR_FIGURE_CLAWS], 16.0 / 20, 1e-15);
    double star_rede = (0.5 * log(2) + 4 * 0.125 * log(8)) / log(5);
    assert_close(row.figure[PDPR_FIGURE_REDE], 1 - star_rede, 1e-12);
    assert_close(row.figure[PDPR_FIGURE_CPL], 0.6, 1e-12);
    assert_close(row.figure[PDPR_FIGURE_DIAMETER], 1, 1e-15);
    assert_true(row.figure[PDPR_FIGURE_LCC] == 0);
    assert_close(row.figure[PDPR_FIGURE_KS], 0.8, 1e-15);
    assert_int_equal(row.metrics.edges, 4);
    pdpr_graph_free(complete);
    pdpr_graph_free(star);
    pdpr_context_free(ctx);
}

static void original_of_zero_is_undefined_unless_both_are(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *path = test_graph_path(ctx, 5), *complete = test_graph_complete(ctx, 5);
    pdpr_graph *cycle = test_graph_cycle(ctx, 5), *empty = test_graph_empty(ctx, 5);

    pdpr_comparison_row row = row_of(ctx, path, complete); /* no triangle, no claw in a path */
    assert_true(isnan(row.figure[PDPR_FIGURE_TRIANGLES]));
    assert_true(isnan(row.figure[PDPR_FIGURE_CLAWS]));
    assert_true(!isnan(row.figure[PDPR_FIGURE_WEDGES]));
    row = row_of(ctx, path, cycle);
    assert_true(row.figure[PDPR_FIGURE_TRIANGLES] == 0);
    assert_true(row.figure[PDPR_FIGURE_CLAWS] == 0);
    row = row_of(ctx, empty, path);
    assert_true(isnan(row.figure[PDPR_FIGURE_REDE]));
    assert_true(isnan(row.figure[PDPR_FIGURE_CPL]));
    assert_true(isnan(row.figure[PDPR_FIGURE_DIAMETER]));
    assert_close(row.figure[PDPR_FIGURE_LCC], 4, 1e-15);
    pdpr_graph_free(path);
    pdpr_graph_free(complete);
    pdpr_graph_free(cycle);
    pdpr_graph_free(empty);
    pdpr_context_free(ctx);
}

static void graph_against_itself_has_no_error(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = NULL;
    assert_ok(pdpr_generate_social(ctx, 300, 1000, 0.5, 1, &g, NULL));
    pdpr_comparison_row row = row_of(ctx, g, g);
    for (int f = 0; f < PDPR_FIGURES; f++)
        assert_true(row.figure[f] == 0);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void graphs_without_nodes_can_be_compared(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_empty(ctx, 0);
    pdpr_comparison_row row = row_of(ctx, g, g);
    for (int f = 0; f < PDPR_FIGURES; f++)
        assert_true(row.figure[f] == 0);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void summary_is_mean_and_sample_deviation(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *complete = test_graph_complete(ctx, 4);
    pdpr_graph *synthetic[] = {test_graph_star(ctx, 4), test_graph_cycle(ctx, 4),
                               test_graph_complete(ctx, 4)};
    pdpr_comparison_options o;
    pdpr_comparison_options_default(&o);
    o.null_graphs = 0;
    pdpr_comparison *c = compare(ctx, complete, (const pdpr_graph *const *)synthetic, 3, &o);
    pdpr_comparison_summary all, none;
    pdpr_comparison_summarise(c, false, &all);
    pdpr_comparison_summarise(c, true, &none);
    /* wedges: 12 in the complete graph; 3, 4 and 12 in the others */
    const double x[] = {9.0 / 12, 8.0 / 12, 0};
    double mean = (x[0] + x[1] + x[2]) / 3, squares = 0;
    for (int i = 0; i < 3; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    assert_int_equal(all.rows, 3);
    assert_close(all.mean[PDPR_FIGURE_WEDGES], mean, 1e-14);
    assert_close(all.sd[PDPR_FIGURE_WEDGES], sqrt(squares / 2), 1e-14);
    assert_int_equal(none.rows, 0);
    assert_true(isnan(none.mean[PDPR_FIGURE_WEDGES]));
    pdpr_comparison_free(c);
    for (int i = 0; i < 3; i++)
        pdpr_graph_free(synthetic[i]);
    pdpr_graph_free(complete);
    pdpr_context_free(ctx);
}

/* Rows where a figure is not defined must not spoil the mean of the others. */
static void summary_leaves_undefined_rows_out(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *path = test_graph_path(ctx, 4);
    pdpr_graph *synthetic[] = {test_graph_complete(ctx, 4), test_graph_cycle(ctx, 4)};
    pdpr_comparison *c = compare(ctx, path, (const pdpr_graph *const *)synthetic, 2, NULL);
    pdpr_comparison_summary s;
    pdpr_comparison_summarise(c, false, &s); /* triangles: undefined, 0 */
    assert_true(s.mean[PDPR_FIGURE_TRIANGLES] == 0);
    assert_true(isnan(s.sd[PDPR_FIGURE_TRIANGLES]));
    assert_true(!isnan(s.sd[PDPR_FIGURE_WEDGES]));
    pdpr_comparison_free(c);
    pdpr_graph_free(path);
    pdpr_graph_free(synthetic[0]);
    pdpr_graph_free(synthetic[1]);
    pdpr_context_free(ctx);
}

static void null_rows_are_gnm_graphs_of_consecutive_seeds(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = NULL;
    pdpr_comparison_options o;
    assert_ok(pdpr_generate_social(ctx, 200, 700, 0.5, 1, &g, NULL));
    pdpr_comparison_options_default(&o);
    assert_int_equal(o.null_graphs, 5);
    o.null_graphs = 3;
    o.null_seed = 11;
    pdpr_comparison *c = compare(ctx, g, NULL, 0, &o);
    uint32_t count;
    const pdpr_comparison_row *row = pdpr_comparison_rows(c, true, &count);
    assert_int_equal(count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        pdpr_graph *null_graph = NULL;
        pdpr_metrics m;
        assert_ok(pdpr_generate_gnm(ctx, 200, 700, 11 + i, &null_graph, NULL));
        assert_ok(pdpr_metrics_compute(ctx, null_graph, NULL, &m, NULL));
        assert_int_equal(row[i].metrics.triangles, m.triangles);
        assert_true(row[i].metrics.cpl == m.cpl);
        pdpr_graph_free(null_graph);
    }
    pdpr_comparison_rows(c, false, &count);
    assert_int_equal(count, 0);
    assert_int_equal(pdpr_comparison_original(c)->edges, 700);
    pdpr_comparison_free(c);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* The null model of a directed original has as many edges as its undirected view, not as arcs. */
static void null_model_counts_edges_not_arcs(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const uint32_t arcs[] = {0, 1, 1, 0, 1, 2, 2, 1};
    pdpr_graph *g = NULL;
    pdpr_comparison_options o;
    assert_ok(pdpr_graph_from_pairs(ctx, 6, arcs, 4, true, &g, NULL));
    pdpr_comparison_options_default(&o);
    o.null_graphs = 1;
    pdpr_comparison *c = compare(ctx, g, NULL, 0, &o);
    uint32_t count;
    assert_int_equal(pdpr_comparison_rows(c, true, &count)[0].metrics.edges, 2);
    pdpr_comparison_free(c);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void exact_and_sampled_path_lengths_are_not_mixed(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const uint32_t pair[] = {0, 1};
    pdpr_graph *cycle = test_graph_cycle(ctx, 40), *path = test_graph_path(ctx, 40);
    pdpr_graph *small = test_graph(ctx, 40, pair, 1); /* a component of two: always exact */
    const pdpr_graph *synthetic[] = {path, small};
    pdpr_comparison_options o;
    pdpr_comparison_options_default(&o);
    o.metrics.paths = PDPR_PATHS_SAMPLE;
    o.metrics.samples = 10;
    pdpr_comparison *c = compare(ctx, cycle, synthetic, 2, &o);
    uint32_t count;
    const pdpr_comparison_row *row = pdpr_comparison_rows(c, false, &count);
    double cycle_cpl = pdpr_comparison_original(c)->cpl_estimate; /* every source has the mean */
    assert_close(cycle_cpl, 400.0 / 39, 1e-14);
    assert_close(row[0].figure[PDPR_FIGURE_CPL],
                 fabs(row[0].metrics.cpl_estimate - cycle_cpl) / cycle_cpl, 1e-14);
    assert_true(row[1].metrics.have_cpl);
    assert_true(isnan(row[1].figure[PDPR_FIGURE_CPL]));
    pdpr_comparison_free(c);

    o.metrics.paths = PDPR_PATHS_NONE;
    c = compare(ctx, cycle, synthetic, 2, &o);
    row = pdpr_comparison_rows(c, false, &count);
    assert_true(isnan(row[0].figure[PDPR_FIGURE_CPL]));
    assert_true(isnan(row[0].figure[PDPR_FIGURE_DIAMETER]));
    assert_true(row[0].figure[PDPR_FIGURE_LCC] == 0);
    pdpr_comparison_free(c);
    pdpr_graph_free(cycle);
    pdpr_graph_free(path);
    pdpr_graph_free(small);
    pdpr_context_free(ctx);
}

static void different_node_counts_are_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *a = test_graph_cycle(ctx, 5), *b = test_graph_cycle(ctx, 6);
    const pdpr_graph *synthetic[] = {a, b};
    pdpr_comparison *c = NULL;
    pdpr_error err;
    assert_int_equal(pdpr_comparison_new(ctx, a, synthetic, 2, NULL, &c, &err), PDPR_EUSAGE);
    assert_string_equal(
        err.text,
        "synthetic graph 2: expected 5 nodes as in the original, found 6; a file that declares none has only those of its edges: declare them (--nodes N or --vertices FILE)");
    assert_null(c);
    pdpr_graph_free(a);
    pdpr_graph_free(b);
    pdpr_context_free(ctx);
}

static void options_of_the_metrics_are_checked(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_cycle(ctx, 5);
    pdpr_comparison *c = NULL;
    pdpr_comparison_options o;
    pdpr_comparison_options_default(&o);
    o.metrics.paths = PDPR_PATHS_SAMPLE;
    o.metrics.samples = 0;
    assert_int_equal(pdpr_comparison_new(ctx, g, NULL, 0, &o, &c, NULL), PDPR_EUSAGE);
    assert_null(c);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void cancelled_comparison_gives_nothing(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_cycle(ctx, 5);
    pdpr_comparison *c = NULL;
    pdpr_context_cancel(ctx);
    assert_int_equal(pdpr_comparison_new(ctx, g, NULL, 0, NULL, &c, NULL), PDPR_ECANCELLED);
    assert_null(c);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void comparison_survives_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = test_graph_cycle(ctx, 12);
    const pdpr_graph *synthetic[] = {g, g};
    pdpr_comparison_options o;
    pdpr_status status;
    pdpr_comparison_options_default(&o);
    o.null_graphs = 2;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        pdpr_comparison *c = NULL;
        status = pdpr_comparison_new(ctx, g, synthetic, 2, &o, &c, NULL);
        pdpr_comparison_free(c);
    });
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void figures_have_the_names_of_the_paper(void **state)
{
    (void)state;
    const char *names[] = {"triangles", "wedges", "claws", "rede", "cpl", "diameter", "lcc", "ks"};
    for (int f = 0; f < PDPR_FIGURES; f++)
        assert_string_equal(pdpr_figure_name((pdpr_figure)f), names[f]);
    assert_string_equal(pdpr_figure_name(PDPR_FIGURES), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_known_graphs_are_right),
        cmocka_unit_test(original_of_zero_is_undefined_unless_both_are),
        cmocka_unit_test(graph_against_itself_has_no_error),
        cmocka_unit_test(graphs_without_nodes_can_be_compared),
        cmocka_unit_test(summary_is_mean_and_sample_deviation),
        cmocka_unit_test(summary_leaves_undefined_rows_out),
        cmocka_unit_test(null_rows_are_gnm_graphs_of_consecutive_seeds),
        cmocka_unit_test(null_model_counts_edges_not_arcs),
        cmocka_unit_test(exact_and_sampled_path_lengths_are_not_mixed),
        cmocka_unit_test(different_node_counts_are_refused),
        cmocka_unit_test(options_of_the_metrics_are_checked),
        cmocka_unit_test(cancelled_comparison_gives_nothing),
        cmocka_unit_test(comparison_survives_every_allocation_failure),
        cmocka_unit_test(figures_have_the_names_of_the_paper),
    };
    return cmocka_run_group_tests_name("comparison", tests, NULL, NULL);
}
