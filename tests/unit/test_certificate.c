/* Writing certificates: what stands in them, and what must not be certified. */
#include "support/support.h"
#include "support/scratch.h"
#include "support/certificate_example.h"
#include "dp/canonical_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *json_of(pdpr_context *ctx, const pdpr_i_certificate *c)
{
    char *text = NULL;
    size_t length;
    json_t *json = NULL;
    assert_ok(pdpr_i_certificate_text(ctx, c, &text, &length, NULL));
    assert_int_equal(text[length - 1], '\n');
    assert_ok(pdpr_i_canonical_parse(ctx, text, length - 1, "certificate", &json, NULL));
    pdpr_free(text);
    return json;
}

static const char *text_at(json_t *json, const char *a, const char *b, const char *c)
{
    json_t *at = json_object_get(json, a);
    at = b ? json_object_get(at, b) : at;
    at = c ? json_object_get(at, c) : at;
    return json_string_value(at);
}

/* PRIVACY.md [P-5], Cora: k = -24, K = 16777216, sigma_int = 1281498708.43 at epsilon 3.2. */
static void embedding_is_certified_with_its_numbers(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    certificate_example e;
    certificate_example_make(EXAMPLE_EMBEDDING, &e);
    json_t *json = json_of(ctx, &e.certificate);
    json_t *embedding = json_object_get(json_object_get(json, "mechanisms"), "embedding");
    assert_int_equal(json_integer_value(json_object_get(embedding, "k")), -24);
    assert_int_equal(json_integer_value(json_object_get(embedding, "K")), 16777216);
    assert_int_equal(json_integer_value(json_object_get(embedding, "T")), 845);
    assert_string_equal(json_string_value(json_object_get(embedding, "C")), "1");
    assert_string_equal(json_string_value(json_object_get(embedding, "Delta")), "2");
    assert_close(atof(json_string_value(json_object_get(embedding, "sigma_int"))), 1281498708.43,
                 2e-6); /* the oracle spends all of delta, we keep 2^-20 of it back */
    assert_string_equal(text_at(json, "guarantee", "unit", NULL),
                        "whole edge set, implies node-level");
    assert_string_equal(text_at(json, "guarantee", "epsilon", NULL), "3.2");
    assert_string_equal(text_at(json, "guarantee", "delta", NULL), "0.00001");
    assert_close(atof(text_at(json, "accounting", "epsilon", NULL)), 3.2, 1e-9);
    assert_true(atof(text_at(json, "accounting", "epsilon", NULL)) <= 3.2);
    assert_close(atof(text_at(json, "accounting", "mu", NULL)), 0.761132161324164, 1e-6);
    assert_string_equal(text_at(json, "accounting", "pure_epsilon", NULL), "0");
    assert_string_equal(text_at(json, "preprocessing", NULL, NULL), "none declared");
    assert_string_equal(text_at(json, "public_inputs", "vertex_list", NULL), "declared");
    assert_string_equal(text_at(json, "public_inputs", "hyperparameters", "layers"), "2");
    json_decref(json);
    pdpr_context_free(ctx);
}

static void queries_are_certified_with_their_fractions(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    certificate_example e;
    certificate_example_make(EXAMPLE_QUERIES, &e);
    json_t *json = json_of(ctx, &e.certificate);
    json_t *mechanisms = json_object_get(json, "mechanisms");
    assert_true(json_is_null(json_object_get(mechanisms, "embedding")));
    json_t *queries = json_object_get(mechanisms, "queries");
    assert_int_equal(json_array_size(queries), 3);
    json_t *cap = json_array_get(queries, 1), *path = json_array_get(queries, 2);
    assert_string_equal(json_string_value(json_object_get(cap, "mechanism")), "permute-and-flip");
    assert_string_equal(json_string_value(json_object_get(cap, "epsilon")), "1/5");
    assert_string_equal(json_string_value(json_object_get(path, "grid")), "1/2");
    assert_string_equal(text_at(json, "guarantee", "unit", NULL), "node (replace-one)");
    assert_string_equal(text_at(json, "accounting", "epsilon", NULL), "1");
    assert_string_equal(text_at(json, "accounting", "pure_epsilon", NULL), "1");
    assert_string_equal(text_at(json, "accounting", "mu", NULL), "0");
    assert_string_equal(text_at(json, "preprocessing", NULL, NULL), "dropped test accounts");
    assert_string_equal(text_at(json, "public_inputs", "edge_count", "source"), "declared");
    assert_string_equal(text_at(json, "public_inputs", "vertex_list", NULL),
                        "inferred from the file and accepted as public");
    json_decref(json);

    certificate_example_make(EXAMPLE_BOTH, &e);
    json = json_of(ctx, &e.certificate);
    assert_true(atof(text_at(json, "accounting", "epsilon", NULL)) < 3.2);
    assert_string_equal(text_at(json, "accounting", "pure_epsilon", NULL), "1.25");
    json_t *box =
        json_array_get(json_object_get(json_object_get(json, "mechanisms"), "queries"), 4);
    json_t *answer = json_array_get(json_object_get(box, "answers"), 1);
    assert_string_equal(json_string_value(json_object_get(box, "mechanism")), "discrete-box");
    assert_string_equal(json_string_value(json_object_get(box, "epsilon")), "1/4");
    assert_int_equal(json_integer_value(json_object_get(box, "levels")), 1);
    assert_string_equal(json_string_value(json_object_get(answer, "label")), "triangles");
    assert_string_equal(json_string_value(json_object_get(answer, "sensitivity")), "25/2");
    assert_string_equal(text_at(json, "public_inputs", "edge_count", "source"), "derived");
    assert_null(text_at(json, "public_inputs", "edge_count", "value"));
    json_decref(json);
    pdpr_context_free(ctx);
}

static void seeded_run_is_stamped_without_guarantee(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    certificate_example e;
    certificate_example_make(EXAMPLE_EMBEDDING, &e);
    e.certificate.seeded = true;
    json_t *json = json_of(ctx, &e.certificate);
    assert_string_equal(text_at(json, "guarantee", NULL, NULL), "none (seeded run)");
    json_decref(json);
    pdpr_context_free(ctx);
}

/* Two certificates of the same public values are the same bytes: nothing else gets in. */
static void same_values_give_the_same_bytes(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1), *other = test_context(2);
    for (int kind = 0; kind < EXAMPLES; kind++) {
        certificate_example e;
        char *a = NULL, *b = NULL;
        size_t a_length, b_length;
        certificate_example_make((example_kind)kind, &e);
        assert_ok(pdpr_i_certificate_text(ctx, &e.certificate, &a, &a_length, NULL));
        assert_ok(pdpr_i_certificate_text(other, &e.certificate, &b, &b_length, NULL));
        assert_int_equal(a_length, b_length);
        assert_memory_equal(a, b, a_length);
        pdpr_free(a);
        pdpr_free(b);
    }
    pdpr_context_free(ctx);
    pdpr_context_free(other);
}

static void refused(pdpr_context *ctx, const certificate_example *e, pdpr_status status,
                    const char *words)
{
    char *text = NULL;
    size_t length;
    pdpr_error err = {0};
    pdpr_status s = pdpr_i_certificate_text(ctx, &e->certificate, &text, &length, &err);
    if (s != status || !strstr(err.text, words))
        fail_msg("expected status %d and \"%s\", found %d and \"%s\"", (int)status, words, (int)s,
                 err.text);
    assert_null(text);
}

/* One change at a time to a good certificate. */
#define REFUSED(kind, status, words, ...)     \
    do {                                      \
        certificate_example e;                \
        certificate_example_make((kind), &e); \
        __VA_ARGS__;                          \
        refused(ctx, &e, (status), (words));  \
    } while (0)

static void promise_below_the_cost_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    REFUSED(EXAMPLE_EMBEDDING, PDPR_EBUDGET, "more than the 3.19 that is promised",
            e.certificate.epsilon = 3.19);
    REFUSED(EXAMPLE_QUERIES, PDPR_EBUDGET, "cost epsilon 1 at delta 0",
            e.certificate.epsilon = 0.999999);
    REFUSED(EXAMPLE_BOTH, PDPR_EBUDGET, "that is promised", e.certificate.delta = 1e-12,
            e.certificate.epsilon = 1.5);
    REFUSED(EXAMPLE_EMBEDDING, PDPR_EUSAGE, "delta", e.certificate.delta = 0);
    pdpr_context_free(ctx);
}

static void wrong_unit_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    REFUSED(EXAMPLE_QUERIES, PDPR_EUSAGE, "do not protect the whole edge set",
            e.certificate.whole_edge_set = true);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, "do not protect the whole edge set",
            e.certificate.whole_edge_set = true);
    pdpr_context_free(ctx);
}

static void values_out_of_form_are_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    char long_text[500];
    memset(long_text, 'x', sizeof long_text);
    long_text[499] = '\0';
    const uint64_t too_many = (uint64_t)INT64_MAX + 1;
#define C e.certificate
    const char *promise = "expected a promise", *printable = "printable ASCII",
               *numbers = "positive public numbers", *output = "expected outputs",
               *list = "closed list", *tests = "self-tests";
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, promise, C.epsilon = 0);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, promise, C.epsilon = NAN);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, promise, C.epsilon = INFINITY);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, promise, C.delta = -1);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, promise, C.delta = 1);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, promise, C.delta = NAN);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, printable, C.method = NULL);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, printable, C.profile = "");
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, printable, C.profile = "\x7f");
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, printable, C.preprocessing = "two\nlines");
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, printable, C.preprocessing = "caf\xc3\xa9");
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, printable, C.preprocessing = long_text);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, "number of nodes", C.nodes = 0);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, "number of nodes", C.declared_edges = too_many);
    REFUSED(EXAMPLE_QUERIES, PDPR_EUSAGE, "nothing that is promised", C.num_queries = 0);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.embedding.clip_l2 = 0);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.embedding.clip_l2 = 1e308);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.embedding.mu = -1);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.embedding.mu_step = NAN);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.embedding.sigma = INFINITY);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.embedding.steps = 0);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.embedding.coordinates = too_many);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.embedding.radius = 0);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.queries[0].label = "");
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.queries[0].values = 0);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.queries[0].sensitivity.num = 0);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.queries[0].sensitivity.num = too_many);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.queries[0].grid.den = 0);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.queries[0].epsilon.den = too_many);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.queries[0].scale.num = 0);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.queries[3].mu = 0);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.queries[3].sigma = 0);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.queries[4].levels = 0);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.queries[4].epsilon.num = 0);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.queries[4].values = 9);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.queries[4].values = 3);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.queries[4].answer[1].label = NULL);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.queries[4].answer[1].sensitivity.num = 0);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, numbers, e.queries[4].answer[0].grid.den = 0);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, list, e.parameters[0].name = "edges");
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, list, e.parameters[0].name = NULL);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, list, e.parameters[1].value = "");
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, "expected an output", C.num_outputs = 0);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, output, e.outputs[1].file = "/home/me/out.edges");
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, output, e.outputs[1].file = "");
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, output, e.outputs[1].sha256[5] = 'X');
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, output, e.outputs[1].sha256[5] = '\0');
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, output, e.outputs[1].nodes = too_many);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, output, e.outputs[1].edges = too_many);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, tests, C.accountant_tested = false);
    REFUSED(EXAMPLE_BOTH, PDPR_EUSAGE, tests, C.random_source_tested = false);
#undef C
    pdpr_context_free(ctx);
}

static void write_makes_the_file_or_none(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    char folder[SCRATCH_PATH], path[SCRATCH_PATH];
    certificate_example e;
    char *text = NULL;
    size_t length, file_length;
    pdpr_error err;
    certificate_example_make(EXAMPLE_BOTH, &e);
    test_scratch_make(folder);
    test_scratch_path(folder, "none/certificate.json", path);
    assert_int_equal(pdpr_i_certificate_write(ctx, &e.certificate, path, &err), PDPR_EFAILED);
    test_scratch_path(folder, "certificate.json", path);
    e.certificate.nodes = 0;
    assert_int_equal(pdpr_i_certificate_write(ctx, &e.certificate, path, &err), PDPR_EUSAGE);
    assert_int_equal(test_scratch_count(folder), 0);
    e.certificate.nodes = 2708;
    assert_ok(pdpr_i_certificate_write(ctx, &e.certificate, path, &err));
    assert_ok(pdpr_i_certificate_text(ctx, &e.certificate, &text, &length, NULL));
    char *file = test_file_read(path, &file_length);
    assert_int_equal(length, file_length);
    assert_memory_equal(text, file, length);
    free(file);
    pdpr_free(text);
    assert_int_equal(pdpr_i_certificate_write(ctx, &e.certificate, "/dev/full", &err),
                     PDPR_EFAILED);
    test_scratch_remove(folder);
    pdpr_context_free(ctx);
}

static void certificate_survives_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_status status;
    char folder[SCRATCH_PATH], path[SCRATCH_PATH];
    test_scratch_make(folder);
    test_scratch_path(folder, "certificate.json", path);
    for (int kind = 0; kind < EXAMPLES; kind++) {
        certificate_example e;
        certificate_example_make((example_kind)kind, &e);
        FOR_EACH_ALLOCATION_FAILURE(
            ctx, status, { status = pdpr_i_certificate_write(ctx, &e.certificate, path, NULL); });
        for (uint64_t nth = 1;; nth++) {
            test_fail_jansson(nth);
            status = pdpr_i_certificate_write(ctx, &e.certificate, path, NULL);
            uint64_t calls = test_fail_jansson(0);
            assert_int_equal(pdpr_context_memory(ctx, NULL), 0);
            if (calls < nth)
                break;
            assert_int_equal(status, PDPR_ENOMEM);
        }
        assert_int_equal(status, PDPR_OK);
    }
    test_scratch_remove(folder);
    pdpr_context_free(ctx);
}

int main(void)
{
    test_fail_jansson(0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(embedding_is_certified_with_its_numbers),
        cmocka_unit_test(queries_are_certified_with_their_fractions),
        cmocka_unit_test(seeded_run_is_stamped_without_guarantee),
        cmocka_unit_test(same_values_give_the_same_bytes),
        cmocka_unit_test(promise_below_the_cost_is_refused),
        cmocka_unit_test(wrong_unit_is_refused),
        cmocka_unit_test(values_out_of_form_are_refused),
        cmocka_unit_test(write_makes_the_file_or_none),
        cmocka_unit_test(certificate_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("certificate", tests, NULL, NULL);
}
