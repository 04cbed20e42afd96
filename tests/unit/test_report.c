/* JSON reports: exact text of small reports, names of sampled values, large counts, odd names. */
#include "support/support.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

static char *metrics_text(pdpr_context *ctx, const pdpr_metrics *m, const char *name)
{
    char *text = NULL;
    assert_ok(pdpr_report_metrics_json(ctx, m, &name, 1, &text, NULL));
    return text;
}

/* Parses what a report says and hands over its root. */
static json_t *parse(char *text)
{
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("not JSON: %s in\n%s", error.text, text);
    size_t length = strlen(text);
    assert_true(length > 0 && text[length - 1] == '\n');
    pdpr_free(text);
    return root;
}

static void metrics_of_a_triangle_are_written_in_order(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_cycle(ctx, 4);
    pdpr_metrics m;
    assert_ok(pdpr_metrics_compute(ctx, g, NULL, &m, NULL));
    m.rede = 0.1; /* 17 digits: reads back as itself */
    char *text = metrics_text(ctx, &m, "a \"b\".edges");
    assert_string_equal(text, "[\n"
                              "  {\n"
                              "    \"file\": \"a \\\"b\\\".edges\",\n"
                              "    \"nodes\": 4,\n"
                              "    \"edges\": 4,\n"
                              "    \"triangles\": 0,\n"
                              "    \"wedges\": 4,\n"
                              "    \"claws\": 0,\n"
                              "    \"rede\": 0.10000000000000001,\n"
                              "    \"cpl\": 1.3333333333333333,\n"
                              "    \"diameter\": 2,\n"
                              "    \"lcc\": 4,\n"
                              "    \"max_degree\": 2,\n"
                              "    \"components\": 1,\n"
                              "    \"paths\": \"exact\"\n"
                              "  }\n"
                              "]\n");
    pdpr_free(text);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void no_graphs_give_an_empty_array(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    char *text = NULL;
    assert_ok(pdpr_report_metrics_json(ctx, NULL, NULL, 0, &text, NULL));
    assert_string_equal(text, "[]\n");
    pdpr_free(text);
    pdpr_context_free(ctx);
}

static void sampled_paths_never_stand_under_exact_names(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_metrics m = {.nodes = 9,
                      .have_estimate = true,
                      .have_bounds = true,
                      .cpl_estimate = 2.5,
                      .cpl_standard_error = NAN,
                      .samples = 3,
                      .diameter_lower = 4,
                      .diameter_upper = 6};
    json_t *root = parse(metrics_text(ctx, &m, "g")), *object = json_array_get(root, 0);
    assert_null(json_object_get(object, "cpl"));
    assert_null(json_object_get(object, "diameter"));
    assert_true(json_real_value(json_object_get(object, "cpl_estimate")) == 2.5);
    assert_true(json_is_null(json_object_get(object, "cpl_standard_error")));
    assert_int_equal(json_integer_value(json_object_get(object, "samples")), 3);
    assert_int_equal(json_integer_value(json_object_get(object, "diameter_lower")), 4);
    assert_int_equal(json_integer_value(json_object_get(object, "diameter_upper")), 6);
    assert_string_equal(json_string_value(json_object_get(object, "paths")), "sample");
    json_decref(root);

    m.have_diameter = true;
    m.diameter = 5;
    root = parse(metrics_text(ctx, &m, "g"));
    object = json_array_get(root, 0);
    assert_int_equal(json_integer_value(json_object_get(object, "diameter")), 5);
    assert_null(json_object_get(object, "diameter_lower"));
    json_decref(root);
    pdpr_context_free(ctx);
}

static void paths_that_were_not_computed_have_no_keys(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_metrics m = {.nodes = 9};
    json_t *root = parse(metrics_text(ctx, &m, NULL)), *object = json_array_get(root, 0);
    assert_true(json_is_null(json_object_get(object, "file")));
    assert_string_equal(json_string_value(json_object_get(object, "paths")), "none");
    assert_null(json_object_get(object, "cpl"));
    assert_null(json_object_get(object, "cpl_estimate"));
    assert_null(json_object_get(object, "diameter"));
    assert_null(json_object_get(object, "diameter_upper"));
    json_decref(root);
    pdpr_context_free(ctx);
}

static void large_counts_stay_exact(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_metrics m = {.triangles = (UINT64_C(1) << 53) + 1,
                      .wedges = {.low = INT64_MAX},
                      .claws = {.low = (uint64_t)INT64_MAX + 1}};
    json_t *root = parse(metrics_text(ctx, &m, "g")), *object = json_array_get(root, 0);
    assert_int_equal(json_integer_value(json_object_get(object, "triangles")), 9007199254740993);
    assert_int_equal(json_integer_value(json_object_get(object, "wedges")), INT64_MAX);
    assert_null(json_object_get(object, "wedges_exact"));
    assert_true(json_is_real(json_object_get(object, "claws")));
    assert_true(json_real_value(json_object_get(object, "claws")) == 0x1p63);
    assert_string_equal(json_string_value(json_object_get(object, "claws_exact")),
                        "9223372036854775808");
    json_decref(root);

    m.claws = (pdpr_uint128){.high = 1, .low = 5};
    m.triangles = UINT64_MAX;
    root = parse(metrics_text(ctx, &m, "g"));
    object = json_array_get(root, 0);
    assert_string_equal(json_string_value(json_object_get(object, "claws_exact")),
                        "18446744073709551621");
    assert_string_equal(json_string_value(json_object_get(object, "triangles_exact")),
                        "18446744073709551615");
    json_decref(root);
    pdpr_context_free(ctx);
}

static void names_that_are_no_utf8_are_written_with_question_marks(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_metrics m = {.nodes = 1};
    json_t *root = parse(metrics_text(ctx, &m, "a\xff\xfe.edges"));
    assert_string_equal(json_string_value(json_object_get(json_array_get(root, 0), "file")),
                        "a\?\?.edges");
    json_decref(root);
    root = parse(metrics_text(ctx, &m, "gr\xc3\xbc\xc3\x9f.edges"));
    assert_string_equal(json_string_value(json_object_get(json_array_get(root, 0), "file")),
                        "gr\xc3\xbc\xc3\x9f.edges");
    json_decref(root);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- comparison */

static char *comparison_text(pdpr_context *ctx, uint32_t null_graphs, pdpr_paths paths)
{
    pdpr_graph *original = test_graph_complete(ctx, 6);
    const pdpr_graph *synthetic[] = {test_graph_star(ctx, 6), original};
    const char *names[] = {"star", "same"};
    pdpr_comparison_options o;
    pdpr_comparison *c = NULL;
    char *text = NULL;
    pdpr_comparison_options_default(&o);
    o.metrics.paths = paths;
    o.metrics.samples = 3;
    o.null_graphs = null_graphs;
    o.null_seed = 42;
    assert_ok(pdpr_comparison_new(ctx, original, synthetic, 2, &o, &c, NULL));
    assert_ok(pdpr_report_comparison_json(ctx, c, "complete", names, &text, NULL));
    pdpr_comparison_free(c);
    pdpr_graph_free((pdpr_graph *)synthetic[0]);
    pdpr_graph_free(original);
    return text;
}

/* The keys of an object, in order, with a space after each. */
static const char *keys_of(const json_t *object, char *text, size_t size)
{
    const char *key;
    json_t *value;
    size_t used = 0;
    text[0] = '\0';
    json_object_foreach((json_t *)object, key, value)
    {
        (void)value;
        used += (size_t)snprintf(text + used, size - used, "%s ", key);
        assert_true(used < size);
    }
    return text;
}

static void comparison_has_all_parts_in_order(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    json_t *root = parse(comparison_text(ctx, 2, PDPR_PATHS_EXACT));
    char keys[256];
    assert_string_equal(keys_of(root, keys, sizeof keys), "original synthetic mean sd null ");
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(root, "original"), "file")), "complete");
    json_t *star = json_array_get(json_object_get(root, "synthetic"), 0);
    assert_string_equal(json_string_value(json_object_get(star, "file")), "star");
    assert_string_equal(keys_of(star, keys, sizeof keys),
                        "file nodes edges triangles wedges claws rede cpl diameter lcc max_degree "
                        "components paths error ks ");
    assert_string_equal(keys_of(json_object_get(star, "error"), keys, sizeof keys),
                        "triangles wedges claws rede cpl diameter lcc ");
    assert_true(json_real_value(json_object_get(json_object_get(star, "error"), "triangles")) == 1);
    assert_close(json_real_value(json_object_get(star, "ks")), 5.0 / 6, 1e-15);
    json_t *mean = json_object_get(root, "mean");
    assert_string_equal(keys_of(mean, keys, sizeof keys),
                        "triangles wedges claws rede cpl diameter lcc ks ");
    assert_true(json_real_value(json_object_get(mean, "triangles")) == 0.5);
    assert_close(json_real_value(json_object_get(json_object_get(root, "sd"), "triangles")),
                 sqrt(0.5), 1e-15);
    json_t *null_model = json_object_get(root, "null");
    assert_string_equal(keys_of(null_model, keys, sizeof keys), "graphs seed mean sd ");
    assert_int_equal(json_integer_value(json_object_get(null_model, "graphs")), 2);
    assert_int_equal(json_integer_value(json_object_get(null_model, "seed")), 42);
    json_decref(root);
    pdpr_context_free(ctx);
}

static void comparison_without_null_model_says_null(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    json_t *root = parse(comparison_text(ctx, 0, PDPR_PATHS_NONE));
    assert_true(json_is_null(json_object_get(root, "null")));
    json_t *mean = json_object_get(root, "mean");
    assert_true(json_is_null(json_object_get(mean, "cpl"))); /* not computed */
    json_decref(root);
    pdpr_context_free(ctx);
}

static void sampled_comparison_names_the_estimate(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    char *text = comparison_text(ctx, 1, PDPR_PATHS_SAMPLE);
    assert_null(strstr(text, "\"cpl\""));
    json_t *root = parse(text);
    json_t *star = json_array_get(json_object_get(root, "synthetic"), 0);
    assert_non_null(json_object_get(json_object_get(star, "error"), "cpl_estimate"));
    assert_non_null(json_object_get(json_object_get(root, "sd"), "cpl_estimate"));
    json_decref(root);
    pdpr_context_free(ctx);
}

static void reports_survive_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_metrics m[20] = {{.nodes = 1}};
    const char *names[20];
    for (int i = 0; i < 20; i++)
        names[i] = "a graph";
    pdpr_graph *g = test_graph_cycle(ctx, 5);
    const pdpr_graph *synthetic[] = {g, g, g};
    pdpr_comparison *c = NULL;
    assert_ok(pdpr_comparison_new(ctx, g, synthetic, 3, NULL, &c, NULL));
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        char *text = NULL;
        status = pdpr_report_metrics_json(ctx, m, names, 20, &text, NULL);
        assert_true((status == PDPR_OK) == (text != NULL));
        pdpr_free(text);
    });
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        char *text = NULL;
        status = pdpr_report_comparison_json(ctx, c, "g", names, &text, NULL);
        assert_true((status == PDPR_OK) == (text != NULL));
        pdpr_free(text);
    });
    pdpr_comparison_free(c);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void document_that_jansson_could_not_build_is_out_of_memory(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_error err;
    char *text = NULL;
    assert_int_equal(pdpr_i_json_text(ctx, NULL, &text, &err), PDPR_ENOMEM);
    assert_string_equal(err.text, "JSON: out of memory");
    assert_null(text);
    assert_false(pdpr_i_json_put_real(NULL, "x", 1));
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_of_a_triangle_are_written_in_order),
        cmocka_unit_test(no_graphs_give_an_empty_array),
        cmocka_unit_test(sampled_paths_never_stand_under_exact_names),
        cmocka_unit_test(paths_that_were_not_computed_have_no_keys),
        cmocka_unit_test(large_counts_stay_exact),
        cmocka_unit_test(names_that_are_no_utf8_are_written_with_question_marks),
        cmocka_unit_test(comparison_has_all_parts_in_order),
        cmocka_unit_test(comparison_without_null_model_says_null),
        cmocka_unit_test(sampled_comparison_names_the_estimate),
        cmocka_unit_test(reports_survive_every_allocation_failure),
        cmocka_unit_test(document_that_jansson_could_not_build_is_out_of_memory),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
