/* The forecast: its table at the grid points, between them and beyond; what it refuses. */
#include "support/support.h"
#include "method/forecast_table.h"

#include <math.h>
#include <string.h>

static pdpr_forecast forecast(pdpr_context *ctx, double nodes, double epsilon, double degree)
{
    pdpr_method_options o;
    pdpr_forecast f;
    pdpr_method_options_default(&o);
    o.epsilon = epsilon;
    assert_ok(pdpr_forecast_make(ctx, (uint32_t)nodes, degree, &o, &f, NULL));
    return f;
}

static void table_has_ascending_grids_and_ordered_bands(void **state)
{
    (void)state;
    for (int i = 1; i < PDPR_I_FORECAST_NODES; i++)
        assert_true(pdpr_i_forecast_nodes[i] > pdpr_i_forecast_nodes[i - 1]);
    for (int i = 1; i < PDPR_I_FORECAST_EPSILONS; i++)
        assert_true(pdpr_i_forecast_epsilons[i] > pdpr_i_forecast_epsilons[i - 1]);
    for (int i = 1; i < PDPR_I_FORECAST_DEGREES; i++)
        assert_true(pdpr_i_forecast_degrees[i] > pdpr_i_forecast_degrees[i - 1]);
    for (int n = 0; n < PDPR_I_FORECAST_NODES; n++)
        for (int e = 0; e < PDPR_I_FORECAST_EPSILONS; e++)
            for (int d = 0; d < PDPR_I_FORECAST_DEGREES; d++)
                for (int f = 0; f < PDPR_FIGURES; f++) {
                    const float *q = pdpr_i_forecast_table[n][e][d][f];
                    assert_true(q[0] >= 0 && q[0] <= q[1] && q[1] <= q[2] && isfinite(q[2]));
                }
}

static void forecast_at_a_grid_point_is_the_table(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    for (int n = 0; n < PDPR_I_FORECAST_NODES; n++)
        for (int e = 0; e < PDPR_I_FORECAST_EPSILONS; e++)
            for (int d = 0; d < PDPR_I_FORECAST_DEGREES; d++) {
                pdpr_forecast f = forecast(ctx, pdpr_i_forecast_nodes[n],
                                           pdpr_i_forecast_epsilons[e], pdpr_i_forecast_degrees[d]);
                for (int k = 0; k < PDPR_FIGURES; k++) {
                    const float *q = pdpr_i_forecast_table[n][e][d][k];
                    assert_true(fabs(f.low[k] - (double)q[0]) < 1e-6 * (1 + (double)q[0]));
                    assert_true(fabs(f.middle[k] - (double)q[1]) < 1e-6 * (1 + (double)q[1]));
                    assert_true(fabs(f.high[k] - (double)q[2]) < 1e-6 * (1 + (double)q[2]));
                }
            }
    pdpr_context_free(ctx);
}

/* Half-way in the logarithm of one coordinate: the mean of the two ends. */
static void forecast_between_grid_points_is_linear_in_logarithms(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    double e0 = pdpr_i_forecast_epsilons[2], e1 = pdpr_i_forecast_epsilons[3];
    double d0 = pdpr_i_forecast_degrees[0], d1 = pdpr_i_forecast_degrees[1];
    pdpr_forecast a = forecast(ctx, 1000, e0, d0), b = forecast(ctx, 1000, e1, d0);
    pdpr_forecast c = forecast(ctx, 1000, e0, d1);
    pdpr_forecast ab = forecast(ctx, 1000, sqrt(e0 * e1), d0);
    pdpr_forecast ac = forecast(ctx, 1000, e0, sqrt(d0 * d1));
    for (int k = 0; k < PDPR_FIGURES; k++) { /* epsilon is taken down to a multiple of 1e-5 */
        assert_true(fabs(ab.high[k] - (a.high[k] + b.high[k]) / 2) < 1e-4 * (1 + a.high[k]));
        assert_true(fabs(ac.low[k] - (a.low[k] + c.low[k]) / 2) < 1e-9 * (1 + a.low[k]));
    }
    pdpr_context_free(ctx);
}

static void forecast_beyond_the_grid_is_that_of_its_edge(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_forecast edge = forecast(ctx, 30000, 10, 16), beyond = forecast(ctx, 4000000, 40, 300);
    assert_memory_equal(edge.middle, beyond.middle, sizeof edge.middle);
    edge = forecast(ctx, 300, 0.1, 4);
    beyond = forecast(ctx, 20, 0.01, 0.5);
    assert_memory_equal(edge.middle, beyond.middle, sizeof edge.middle);
    pdpr_context_free(ctx);
}

/* More budget and more nodes help: true of the degree distribution, which noise alone decides. */
static void forecast_of_the_degrees_improves_with_budget_and_size(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    double poor = forecast(ctx, 3000, 0.1, 8).middle[PDPR_FIGURE_KS];
    double rich = forecast(ctx, 3000, 3.2, 8).middle[PDPR_FIGURE_KS];
    double small = forecast(ctx, 300, 1, 8).middle[PDPR_FIGURE_KS];
    double large = forecast(ctx, 10000, 1, 8).middle[PDPR_FIGURE_KS];
    assert_true(rich < poor && rich > 0);
    assert_true(large < small);
    pdpr_context_free(ctx);
}

static void forecast_of_steered_is_that_of_its_queries(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_method_options o;
    pdpr_forecast f, same = forecast(ctx, 3000, 1, 8);
    pdpr_method_options_default(&o);
    o.method = "privdpr";
    o.epsilon = 2;
    o.embedding_share = 0.5;
    assert_ok(pdpr_forecast_make(ctx, 3000, 0, &o, &f, NULL)); /* 8 is the usual mean degree */
    assert_true(f.mean_degree == 8);
    assert_memory_equal(f.high, same.high, sizeof f.high);
    pdpr_context_free(ctx);
}

static void forecast_without_a_meaning_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    static const double degrees[] = {-1, 100, 1e300, NAN, INFINITY};
    pdpr_method_options o;
    pdpr_forecast f;
    pdpr_error err = {0};
    pdpr_method_options_default(&o);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(pdpr_forecast_make(ctx, 100, degrees[i], &o, &f, &err), PDPR_EUSAGE);
        assert_non_null(strstr(err.text, "mean degree: expected"));
    }
    o.epsilon = 0;
    assert_int_equal(pdpr_forecast_make(ctx, 100, 4, &o, &f, &err), PDPR_EUSAGE);
    pdpr_method_options_default(&o);
    o.method = "privdpr";
    o.profile = "paper";
    assert_int_equal(pdpr_forecast_make(ctx, 100, 4, &o, &f, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "measures nothing"));
    pdpr_context_free(ctx);
}

static void forecast_survives_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_method_options o;
    pdpr_forecast f;
    pdpr_status status;
    pdpr_method_options_default(&o);
    o.method = "privdpr";
    FOR_EACH_ALLOCATION_FAILURE(ctx, status,
                                { status = pdpr_forecast_make(ctx, 100, 4, &o, &f, NULL); });
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_has_ascending_grids_and_ordered_bands),
        cmocka_unit_test(forecast_at_a_grid_point_is_the_table),
        cmocka_unit_test(forecast_between_grid_points_is_linear_in_logarithms),
        cmocka_unit_test(forecast_beyond_the_grid_is_that_of_its_edge),
        cmocka_unit_test(forecast_of_the_degrees_improves_with_budget_and_size),
        cmocka_unit_test(forecast_of_steered_is_that_of_its_queries),
        cmocka_unit_test(forecast_without_a_meaning_is_refused),
        cmocka_unit_test(forecast_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("forecast", tests, NULL, NULL);
}
