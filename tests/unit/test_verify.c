/* The verifier: what is sound passes; every field that is removed, added or changed is named. */
#include "support/support.h"
#include "support/scratch.h"
#include "support/certificate_example.h"
#include "dp/canonical_json.h"
#include "dp/verify_certificate.h"

#include <math.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- certificates to tamper with */

static json_t *example_json(pdpr_context *ctx, example_kind kind, bool seeded)
{
    certificate_example e;
    char *text = NULL;
    size_t length;
    json_t *json = NULL;
    certificate_example_make(kind, &e);
    e.certificate.seeded = seeded;
    assert_ok(pdpr_i_certificate_text(ctx, &e.certificate, &text, &length, NULL));
    assert_ok(pdpr_i_canonical_parse(ctx, text, length - 1, "example", &json, NULL));
    pdpr_free(text);
    return json;
}

/* Makes the checksum right again, as a forger would. */
static void refresh_checksum(pdpr_context *ctx, json_t *json)
{
    char *text = NULL, hex[65];
    unsigned char digest[32];
    size_t length;
    json_object_del(json, "checksum");
    assert_ok(pdpr_i_canonical_write(ctx, json, &text, &length, NULL));
    crypto_hash_sha256(digest, (unsigned char *)text, length);
    sodium_bin2hex(hex, sizeof hex, digest, sizeof digest);
    json_object_set_new(json, "checksum", json_string(hex));
    pdpr_free(text);
}

static pdpr_i_report check_bytes(pdpr_context *ctx, const char *bytes, size_t length)
{
    pdpr_i_report report = {.ctx = ctx};
    assert_ok(pdpr_i_certificate_check(&report, bytes, length, NULL, NULL));
    return report;
}

static pdpr_i_report check_json(pdpr_context *ctx, const json_t *json)
{
    char *text = NULL;
    size_t length;
    assert_ok(pdpr_i_canonical_write(ctx, json, &text, &length, NULL));
    text[length++] = '\n';
    pdpr_i_report report = check_bytes(ctx, text, length);
    pdpr_free(text);
    return report;
}

/* A failed check whose text begins with `words`. */
static bool names(const pdpr_i_report *report, const char *words)
{
    for (uint64_t i = 0; i < report->count; i++)
        if (report->checks[i].result == PDPR_CHECK_FAIL &&
            strncmp(report->checks[i].text, words, strlen(words)) == 0)
            return true;
    return false;
}

static void print_report(const pdpr_i_report *report)
{
    for (uint64_t i = 0; i < report->count; i++)
        print_error("  %d %s: %s\n", (int)report->checks[i].result, report->checks[i].name,
                    report->checks[i].text);
}

/* Expects that a forged certificate with a right checksum fails and that the field is named. */
static void assert_named(pdpr_context *ctx, json_t *json, const char *words)
{
    refresh_checksum(ctx, json);
    pdpr_i_report report = check_json(ctx, json);
    if (!names(&report, words)) {
        print_report(&report);
        fail_msg("no failed check begins with \"%s\"", words);
    }
    assert_false(names(&report, "checksum"));
    pdpr_free(report.checks);
}

/* The object or list at a path like "mechanisms.queries[1]" ("" is the root). */
static json_t *at(json_t *json, const char *path)
{
    char copy[128], *rest = copy, *part;
    snprintf(copy, sizeof copy, "%s", path);
    while ((part = strsep(&rest, ".")) && *part) {
        char *bracket = strchr(part, '[');
        if (bracket)
            *bracket = '\0';
        json = json_object_get(json, part);
        if (bracket)
            json = json_array_get(json, (size_t)atoi(bracket + 1));
    }
    return json;
}

/* ---------------------------------------------------------------- sound ones */

static void sound_certificates_pass(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    for (int kind = 0; kind < EXAMPLES; kind++) {
        json_t *json = example_json(ctx, (example_kind)kind, false);
        pdpr_i_report report = check_json(ctx, json);
        if (report.failures > 0)
            print_report(&report);
        assert_int_equal(report.failures, 0);
        assert_true(report.count >= 8);
        assert_int_equal(report.checks[report.count - 1].result, PDPR_CHECK_SKIPPED);
        pdpr_free(report.checks);
        json_decref(json);
    }
    pdpr_context_free(ctx);
}

/* What was written when the format was fixed is verified for ever. */
static void recorded_certificates_still_pass(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const char *const names_of[] = {"embedding", "queries", "both", "seeded"};
    for (int i = 0; i < 4; i++) {
        char path[512];
        pdpr_verification *v = NULL;
        snprintf(path, sizeof path, TEST_SOURCE_DIR "/tests/golden/certificate/%s.json",
                 names_of[i]);
        assert_ok(pdpr_certificate_verify(
            ctx, path, TEST_SOURCE_DIR "/tests/golden/certificate/out.edges", &v, NULL));
        assert_int_equal(v->passed, i < 3);
        pdpr_verification_free(v);
    }
    pdpr_context_free(ctx);
}

static void seeded_certificate_fails_by_design(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    json_t *json = example_json(ctx, EXAMPLE_BOTH, true);
    pdpr_i_report report = check_json(ctx, json);
    assert_int_equal(report.failures, 1);
    assert_true(names(&report, "guarantee: none (seeded run)"));
    pdpr_free(report.checks);
    json_decref(json);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- every field */

/* Calls `visit` with the path and key of every field of every object. */
typedef void (*field_visit)(pdpr_context *ctx, example_kind kind, const char *path,
                            const char *key);

static void walk(pdpr_context *ctx, example_kind kind, json_t *json, const char *path,
                 field_visit visit)
{
    const char *key;
    json_t *value;
    json_object_foreach(json, key, value)
    {
        char below[128];
        visit(ctx, kind, path, key);
        snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", key);
        walk(ctx, kind, value, below, visit);
        for (size_t i = 0; i < json_array_size(value); i++) {
            char item[160];
            snprintf(item, sizeof item, "%s[%zu]", below, i);
            walk(ctx, kind, json_array_get(value, i), item, visit);
        }
    }
}

static void walk_all(field_visit visit)
{
    pdpr_context *ctx = test_context(1);
    for (int kind = 0; kind < EXAMPLES; kind++) {
        json_t *json = example_json(ctx, (example_kind)kind, false);
        walk(ctx, (example_kind)kind, json, "", visit);
        json_decref(json);
    }
    assert_int_equal(pdpr_context_memory(ctx, NULL), 0);
    pdpr_context_free(ctx);
}

static void path_of(const char *path, const char *key, char out[256])
{
    snprintf(out, 256, "%s%s%s", path, *path ? "." : "", key);
}

static void remove_field(pdpr_context *ctx, example_kind kind, const char *path, const char *key)
{
    char words[256];
    if (strcmp(key, "checksum") == 0 || strcmp(key, "layers") == 0 ||
        strcmp(key, "learning_rate") == 0)
        return; /* below; a method need not print every parameter */
    json_t *json = example_json(ctx, kind, false);
    json_object_del(at(json, path), key);
    path_of(path, key, words);
    assert_named(ctx, json, words);
    json_decref(json);
}

static void add_field(pdpr_context *ctx, example_kind kind, const char *path, const char *key)
{
    char words[256];
    (void)key;
    json_t *json = example_json(ctx, kind, false);
    json_object_set_new(at(json, path), "edges_of_the_input", json_string("5429"));
    path_of(path, "edges_of_the_input", words);
    assert_named(ctx, json, words);
    json_decref(json);
}

/* Every other type of value, and texts that are out of form everywhere. */
static void change_type(pdpr_context *ctx, example_kind kind, const char *path, const char *key)
{
    char words[256];
    path_of(path, key, words);
    if (strcmp(key, "checksum") == 0)
        return;
    json_t *const others[] = {json_true(),     json_integer(-3000),
                              json_string(""), json_string("tab\there"),
                              json_array(),    json_object()};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        json_t *json = example_json(ctx, kind, false), *value = others[i];
        json_t *now = json_object_get(at(json, path), key);
        bool same_type =
            json_typeof(now) == json_typeof(value) && (json_is_array(now) || json_is_object(now));
        if (!same_type) {
            json_object_set(at(json, path), key, value);
            assert_named(ctx, json, words);
        }
        json_decref(json);
        json_decref(value);
    }
}

/* Without refreshing the checksum, any change at all shows. */
static void change_quietly(pdpr_context *ctx, example_kind kind, const char *path, const char *key)
{
    json_t *json = example_json(ctx, kind, false), *object = at(json, path);
    json_t *now = json_object_get(object, key);
    if (json_is_string(now))
        json_object_set_new(object, key, json_sprintf("%s0", json_string_value(now)));
    else if (json_is_integer(now))
        json_object_set_new(object, key, json_integer(json_integer_value(now) + 1));
    else
        json_object_set_new(object, key, json_integer(1));
    pdpr_i_report report = check_json(ctx, json);
    assert_true(names(&report, "checksum: expected that of the other fields, found another"));
    pdpr_free(report.checks);
    json_decref(json);
}

static void field_removed_is_named(void **state)
{
    (void)state;
    walk_all(remove_field);
}

static void field_added_is_named(void **state)
{
    (void)state;
    walk_all(add_field);
}

static void field_of_another_type_is_named(void **state)
{
    (void)state;
    walk_all(change_type);
}

static void field_changed_without_checksum_is_noticed(void **state)
{
    (void)state;
    walk_all(change_quietly);
}

/* ---------------------------------------------------------------- every number */

/* A value of the right form that is not right. */
static void number_that_does_not_follow_is_named(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const struct {
        example_kind kind;
        const char *path, *key, *value; /* value: a string, or an integer after '#' */
        const char *words;
    } cases[] = {
        {EXAMPLE_EMBEDDING, "", "format", "privdpr-certificate/2",
         "format: expected privdpr-certificate/1"},
        /* the claim */
        {EXAMPLE_EMBEDDING, "guarantee", "epsilon", "3.1", "guarantee.epsilon: expected at least"},
        {EXAMPLE_EMBEDDING, "guarantee", "epsilon", "0", "guarantee.epsilon: expected a decimal"},
        {EXAMPLE_EMBEDDING, "guarantee", "delta", "0.000001", "guarantee.delta"},
        {EXAMPLE_EMBEDDING, "guarantee", "unit", "edge", "guarantee.unit"},
        {EXAMPLE_BOTH, "guarantee", "unit", "whole edge set, implies node-level",
         "guarantee.unit: expected node (replace-one)"},
        {EXAMPLE_BOTH, "guarantee", "definition", "pure", "guarantee.definition"},
        {EXAMPLE_BOTH, "guarantee", "scope", "everything", "guarantee.scope"},
        {EXAMPLE_BOTH, "", "guarantee", "none", "guarantee"},
        /* accounting */
        {EXAMPLE_EMBEDDING, "accounting", "epsilon", "3.1", "accounting.epsilon: expected 3."},
        {EXAMPLE_EMBEDDING, "accounting", "epsilon", "3.3", "accounting.epsilon: expected 3."},
        {EXAMPLE_EMBEDDING, "accounting", "delta", "0.001", "accounting.epsilon"},
        {EXAMPLE_EMBEDDING, "accounting", "delta", "0", "accounting.epsilon: cannot be computed"},
        {EXAMPLE_EMBEDDING, "accounting", "mu", "0.7", "accounting.mu"},
        {EXAMPLE_EMBEDDING, "accounting", "mu", "-1", "accounting.mu: expected a decimal"},
        {EXAMPLE_EMBEDDING, "accounting", "mu", "x", "accounting.mu: expected a decimal"},
        {EXAMPLE_EMBEDDING, "", "preprocessing", "del\x7f", "preprocessing: expected a line"},
        {EXAMPLE_EMBEDDING, "accounting", "pure_epsilon", "0.1", "accounting.pure_epsilon"},
        {EXAMPLE_QUERIES, "accounting", "pure_epsilon", "0.9", "accounting.pure_epsilon"},
        {EXAMPLE_QUERIES, "accounting", "epsilon", "0.9", "accounting.epsilon"},
        {EXAMPLE_QUERIES, "accounting", "method", "renyi", "accounting.method"},
        {EXAMPLE_QUERIES, "guarantee", "sampler_delta", "1", "guarantee.sampler_delta"},
        {EXAMPLE_QUERIES, "guarantee", "sampler_delta", "0", "guarantee.sampler_delta"},
        {EXAMPLE_QUERIES, "mechanisms.queries[1]", "values", "#10", "guarantee.sampler_delta"},
        {EXAMPLE_BOTH, "guarantee", "sampler_delta", "1", "guarantee.sampler_delta"},
        /* clipped steps */
        {EXAMPLE_EMBEDDING, "mechanisms.embedding", "C", "2", "mechanisms.embedding.Delta"},
        {EXAMPLE_EMBEDDING, "mechanisms.embedding", "C", "2", "mechanisms.embedding.K"},
        {EXAMPLE_EMBEDDING, "mechanisms.embedding", "Delta", "1", "mechanisms.embedding.Delta"},
        {EXAMPLE_EMBEDDING, "mechanisms.embedding", "T", "#844", "mechanisms.embedding.mu_per_st"},
        {EXAMPLE_EMBEDDING, "mechanisms.embedding", "T", "#846", "accounting.epsilon"},
        {EXAMPLE_EMBEDDING, "mechanisms.embedding", "T", "#0", "mechanisms.embedding.T"},
        {EXAMPLE_EMBEDDING, "mechanisms.embedding", "k", "#-23", "mechanisms.embedding.k"},
        {EXAMPLE_EMBEDDING, "mechanisms.embedding", "k", "#-25", "mechanisms.embedding.k"},
        {EXAMPLE_EMBEDDING, "mechanisms.embedding", "k", "#2001", "mechanisms.embedding.k"},
        {EXAMPLE_EMBEDDING, "mechanisms.embedding", "K", "#16777217", "mechanisms.embedding.K"},
        {EXAMPLE_EMBEDDING, "mechanisms.embedding", "K", "#16777215", "mechanisms.embedding.K"},
        {EXAMPLE_EMBEDDING, "mechanisms.embedding", "sigma_int", "1281498700",
         "mechanisms.embedding.sigma_int"},
        {EXAMPLE_EMBEDDING, "mechanisms.embedding", "sigma_int", "1281600000",
         "mechanisms.embedding.sigma_int"},
        {EXAMPLE_EMBEDDING, "mechanisms.embedding", "mu", "0.5",
         "mechanisms.embedding.mu_per_step"},
        {EXAMPLE_EMBEDDING, "mechanisms.embedding", "mu_per_step", "0.02",
         "mechanisms.embedding.mu_per_step"},
        {EXAMPLE_EMBEDDING, "mechanisms.embedding", "coords", "#0", "mechanisms.embedding.coords"},
        {EXAMPLE_EMBEDDING, "mechanisms.embedding", "noise", "double",
         "mechanisms.embedding.noise"},
        {EXAMPLE_EMBEDDING, "mechanisms", "rng", "mersenne twister", "mechanisms.rng"},
        /* measured queries: histogram 24 / (3/10) = 80, selection 2 / (1/5) = 10 */
        {EXAMPLE_QUERIES, "mechanisms.queries[0]", "scale", "79/1",
         "mechanisms.queries[0].scale: expected more noise"},
        {EXAMPLE_QUERIES, "mechanisms.queries[0]", "sensitivity", "25/1",
         "mechanisms.queries[0].scale: expected more noise"},
        {EXAMPLE_QUERIES, "mechanisms.queries[0]", "epsilon", "1/4",
         "mechanisms.queries[0].scale: expected more noise"},
        {EXAMPLE_QUERIES, "mechanisms.queries[0]", "epsilon", "2/5", "accounting.epsilon"},
        {EXAMPLE_QUERIES, "mechanisms.queries[0]", "epsilon", "50/1",
         "mechanisms.queries[0].epsilon: expected less than 50"},
        {EXAMPLE_QUERIES, "mechanisms.queries[0]", "grid", "7/1",
         "mechanisms.queries[0].grid: expected a grid"},
        {EXAMPLE_QUERIES, "mechanisms.queries[0]", "grid", "48/1",
         "mechanisms.queries[0].grid: expected a grid"},
        {EXAMPLE_QUERIES, "mechanisms.queries[0]", "mechanism", "permute-and-flip",
         "mechanisms.queries[0].scale: expected more noise"},
        {EXAMPLE_QUERIES, "mechanisms.queries[0]", "mechanism", "laplace",
         "mechanisms.queries[0].mechanism"},
        {EXAMPLE_QUERIES, "mechanisms.queries[1]", "scale", "9/1",
         "mechanisms.queries[1].scale: expected more noise"},
        {EXAMPLE_QUERIES, "mechanisms.queries[1]", "values", "#0", "mechanisms.queries[1].values"},
        {EXAMPLE_QUERIES, "mechanisms.queries[1]", "label", "", "mechanisms.queries[1].label"},
        {EXAMPLE_BOTH, "mechanisms.queries[3]", "sigma_int", "1279",
         "mechanisms.queries[3].sigma_int: expected more noise"},
        {EXAMPLE_BOTH, "mechanisms.queries[3]", "mu", "0.2",
         "mechanisms.queries[3].sigma_int: expected more noise"},
        {EXAMPLE_BOTH, "mechanisms.queries[3]", "mu", "0.3", "accounting.mu"},
        {EXAMPLE_BOTH, "mechanisms.queries[3]", "mu", "10000000", "accounting.epsilon: cannot"},
        {EXAMPLE_BOTH, "mechanisms.queries[3]", "sensitivity", "41/1",
         "mechanisms.queries[3].sigma_int: expected more noise"},
        /* a box: all its answers are paid for by one epsilon */
        {EXAMPLE_BOTH, "mechanisms.queries[4]", "epsilon", "1/5", "accounting.pure_epsilon"},
        {EXAMPLE_BOTH, "mechanisms.queries[4]", "epsilon", "3/2",
         "mechanisms.queries[4].levels: expected 2, epsilon rounded up, found 1"},
        {EXAMPLE_BOTH, "mechanisms.queries[4]", "levels", "#2",
         "mechanisms.queries[4].levels: expected 1, epsilon rounded up, found 2"},
        {EXAMPLE_BOTH, "mechanisms.queries[4]", "levels", "#0", "mechanisms.queries[4].levels"},
        {EXAMPLE_BOTH, "mechanisms.queries[4]", "values", "#1",
         "mechanisms.queries[4].answers: expected a list of as many as there are values"},
        {EXAMPLE_BOTH, "mechanisms.queries[4]", "values", "#3",
         "mechanisms.queries[4].answers: expected a list of as many as there are values"},
        {EXAMPLE_BOTH, "mechanisms.queries[4]", "answers", "edges",
         "mechanisms.queries[4].answers: expected a list of as many as there are values"},
        {EXAMPLE_BOTH, "mechanisms.queries[4]", "scale", "80/1",
         "mechanisms.queries[4].scale: expected no such field"},
        {EXAMPLE_BOTH, "mechanisms.queries[4]", "mechanism", "discrete-laplace",
         "mechanisms.queries[4].sensitivity"},
        {EXAMPLE_BOTH, "mechanisms.queries[4].answers[1]", "grid", "2/3",
         "mechanisms.queries[4].answers[1].grid: expected a grid"},
        {EXAMPLE_BOTH, "mechanisms.queries[4].answers[1]", "sensitivity", "50/4",
         "mechanisms.queries[4].answers[1].sensitivity: expected a positive fraction"},
        {EXAMPLE_BOTH, "mechanisms.queries[4].answers[0]", "label", "",
         "mechanisms.queries[4].answers[0].label"},
        {EXAMPLE_BOTH, "mechanisms.queries[4].answers[0]", "scale", "1/1",
         "mechanisms.queries[4].answers[0].scale: expected no such field"},
        /* fractions have one spelling */
        {EXAMPLE_QUERIES, "mechanisms.queries[0]", "scale", "160/2", "mechanisms.queries[0].scale"},
        {EXAMPLE_QUERIES, "mechanisms.queries[0]", "scale", "80", "mechanisms.queries[0].scale"},
        {EXAMPLE_QUERIES, "mechanisms.queries[0]", "scale", "80/1 ", "mechanisms.queries[0].scale"},
        {EXAMPLE_QUERIES, "mechanisms.queries[0]", "scale", "-80/1", "mechanisms.queries[0].scale"},
        {EXAMPLE_QUERIES, "mechanisms.queries[0]", "scale", "80/0", "mechanisms.queries[0].scale"},
        {EXAMPLE_QUERIES, "mechanisms.queries[0]", "scale", "80/-1", "mechanisms.queries[0].scale"},
        {EXAMPLE_QUERIES, "mechanisms.queries[0]", "scale",
         "99999999999999999999999999999999999999999999999999/1", "mechanisms.queries[0].scale"},
        /* public inputs, outputs, tool */
        {EXAMPLE_QUERIES, "public_inputs", "nodes", "#2709",
         "outputs[0].nodes: expected the public 2709, found 2708"},
        {EXAMPLE_QUERIES, "public_inputs", "vertex_list", "maybe", "public_inputs.vertex_list"},
        {EXAMPLE_QUERIES, "public_inputs.edge_count", "source", "exact",
         "public_inputs.edge_count.source"},
        {EXAMPLE_QUERIES, "public_inputs.edge_count", "source", "noisy",
         "public_inputs.edge_count.value: expected no such field"},
        {EXAMPLE_QUERIES, "public_inputs.edge_count", "value", "#-1",
         "public_inputs.edge_count.value"},
        {EXAMPLE_QUERIES, "outputs[1]", "nodes", "#7", "outputs[1].nodes"},
        {EXAMPLE_QUERIES, "outputs[1]", "edges", "#-7", "outputs[1].edges"},
        {EXAMPLE_QUERIES, "outputs[1]", "file", "a/b", "outputs[1].file: expected a name without"},
        {EXAMPLE_QUERIES, "outputs[1]", "sha256", "abc", "outputs[1].sha256: expected 64 hex"},
        {EXAMPLE_QUERIES, "outputs[1]", "sha256",
         "ABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABAB",
         "outputs[1].sha256: expected 64 hex"},
        {EXAMPLE_QUERIES, "tool", "name", "other", "tool.name"},
        {EXAMPLE_QUERIES, "self_tests", "accountant", "fail", "self_tests.accountant"},
        {EXAMPLE_QUERIES, "self_tests", "random_source", "skipped", "self_tests.random_source"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *json = example_json(ctx, cases[i].kind, false);
        const char *v = cases[i].value;
        json_object_set_new(at(json, cases[i].path), cases[i].key,
                            *v == '#' ? json_integer(atoll(v + 1)) : json_string(v));
        assert_named(ctx, json, cases[i].words);
        json_decref(json);
    }
    pdpr_context_free(ctx);
}

/* Noise that protects nothing, beside a promise of next to nothing spent. */
static void charge_that_is_far_too_large_is_not_taken_for_none(void **state)
{
    (void)state;
    static const char *const mu[] = {"302", "1000", "1000000"}, *const sigma[] = {"0.004", "0.001",
                                                                                  "0.000001"};
    pdpr_context *ctx = test_context(1);
    for (int i = 0; i < 3; i++) {
        json_t *json = example_json(ctx, EXAMPLE_QUERIES, false);
        json_object_set_new(at(json, "mechanisms"), "queries",
                            json_pack("[{s:s, s:s, s:i, s:s, s:s, s:s, s:s}]", "label", "forged",
                                      "mechanism", "rounded-gaussian", "values", 1, "sensitivity",
                                      "1/1", "grid", "1/1", "mu", mu[i], "sigma_int", sigma[i]));
        json_object_set_new(at(json, "accounting"), "epsilon", json_string("0"));
        json_object_set_new(at(json, "accounting"), "pure_epsilon", json_string("0"));
        json_object_set_new(at(json, "accounting"), "mu", json_string(mu[i]));
        json_object_set_new(at(json, "accounting"), "delta", json_string("0.00001"));
        json_object_set_new(at(json, "guarantee"), "delta", json_string("0.00001"));
        json_object_del(at(json, "guarantee"), "sampler_delta");
        assert_named(ctx, json, "accounting.epsilon: expected ");
        json_decref(json);
    }
    pdpr_context_free(ctx);
}

/* More answers than any box has: refused, and nothing is written where there is no room. */
static void box_of_too_many_answers_is_named(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    json_t *json = example_json(ctx, EXAMPLE_BOTH, false);
    json_t *box = at(json, "mechanisms.queries[4]"), *answers = json_object_get(box, "answers");
    for (int i = 2; i < 600; i++)
        json_array_append(answers, json_array_get(answers, 0));
    json_object_set_new(box, "values", json_integer(600));
    assert_named(ctx, json, "mechanisms.queries[4].answers: expected a list");
    json_decref(json);

    json = example_json(ctx, EXAMPLE_BOTH, false); /* what no sampler has drawn */
    json_object_set_new(at(json, "mechanisms.queries[4].answers[0]"), "sensitivity",
                        json_string("1073741825/1"));
    assert_named(ctx, json, "mechanisms.queries[4]: expected sensitivities up to 2^30");
    json_object_set_new(at(json, "mechanisms.queries[4].answers[0]"), "sensitivity",
                        json_string("1/1"));
    json_object_set_new(at(json, "mechanisms.queries[4]"), "epsilon", json_string("1/1048577"));
    assert_named(ctx, json, "mechanisms.queries[4]: expected sensitivities up to 2^30");
    json_decref(json);
    pdpr_context_free(ctx);
}

/* Beyond 13 queries the second accountant may be a little below. */
static void many_queries_are_recomputed(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    json_t *json = example_json(ctx, EXAMPLE_QUERIES, false);
    json_t *queries = json_object_get(at(json, "mechanisms"), "queries");
    for (int i = 0; i < 12; i++)
        json_array_append(queries, json_array_get(queries, 0));
    assert_named(ctx, json, "accounting.pure_epsilon");
    json_decref(json);
    pdpr_context_free(ctx);
}

static void lists_that_are_not_right_are_named(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const char *const fixed[] = {"assumptions", "not_promised"};
    for (int i = 0; i < 2; i++) {
        json_t *json = example_json(ctx, EXAMPLE_BOTH, false);
        json_array_append_new(json_object_get(json, fixed[i]), json_string("one more"));
        assert_named(ctx, json, fixed[i]);
        json_array_remove(json_object_get(json, fixed[i]), 3);
        json_array_set_new(json_object_get(json, fixed[i]), 1, json_string("another"));
        assert_named(ctx, json, fixed[i]);
        json_array_set_new(json_object_get(json, fixed[i]), 1, json_integer(1));
        assert_named(ctx, json, fixed[i]);
        json_decref(json);
    }
    json_t *json = example_json(ctx, EXAMPLE_EMBEDDING, false);
    json_object_set_new(at(json, "mechanisms"), "embedding", json_null());
    assert_named(ctx, json, "mechanisms: expected an embedding or a measured query");
    json_array_clear(json_object_get(json, "outputs"));
    assert_named(ctx, json, "outputs: expected at least one output");
    json_t *many = json_array();
    for (int i = 0; i < 4097; i++)
        json_array_append_new(many, json_null());
    json_object_set_new(json, "outputs", many);
    assert_named(ctx, json, "outputs: expected a list of at most 4096 items");
    json_decref(json);

    json = example_json(ctx, EXAMPLE_BOTH, false);
    json_array_append_new(at(json, "mechanisms.queries"), json_integer(1));
    assert_named(ctx, json, "mechanisms.queries[5]: expected an object");
    json_decref(json);
    json = example_json(ctx, EXAMPLE_BOTH, false);
    json_object_del(json, "checksum");
    pdpr_i_report report = check_json(ctx, json);
    assert_true(names(&report, "checksum"));
    pdpr_free(report.checks);
    json_decref(json);
    pdpr_context_free(ctx);
}

/* The embedding's example as one step on one column. */
static void make_single_step(certificate_example *e)
{
    certificate_example_make(EXAMPLE_EMBEDDING, e);
    e->parameters[2].value = "2708"; /* batch */
    e->parameters[3].value = "1";    /* columns */
    e->parameters[4].value = "1";    /* epochs */
}

/* PRIVACY.md [P-5]: k follows C where C is small against the noise. */
static void grid_of_a_small_radius_is_accepted(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    certificate_example e;
    char *text = NULL;
    size_t length;
    make_single_step(&e);
    /* mu = 0.0001 in one step: tau = 20000 C, so floor(log2 tau) - 30 = -16 = floor(log2 C) - 16 */
    e.embedding = (pdpr_i_certificate_embedding){.clip_l2 = 1,
                                                 .mu = 0.00001,
                                                 .mu_step = 0.00001,
                                                 .steps = 1,
                                                 .coordinates = 2708,
                                                 .exponent = -16,
                                                 .radius = 65536,
                                                 .sigma = 2 * 65536 / 0.00001 * (1 + 0x1p-40)};
    assert_ok(pdpr_i_certificate_text(ctx, &e.certificate, &text, &length, NULL));
    pdpr_i_report report = check_bytes(ctx, text, length);
    if (report.failures > 0)
        print_report(&report);
    assert_int_equal(report.failures, 0);
    pdpr_free(report.checks);
    pdpr_free(text);
    pdpr_context_free(ctx);
}

/* C = 1 in one step of mu. */
static pdpr_i_report check_single_step(pdpr_context *ctx, double mu, int exponent, int64_t radius)
{
    certificate_example e;
    char *text = NULL;
    size_t length;
    make_single_step(&e);
    e.embedding = (pdpr_i_certificate_embedding){.clip_l2 = 1,
                                                 .mu = mu,
                                                 .mu_step = mu,
                                                 .steps = 1,
                                                 .coordinates = 2708,
                                                 .exponent = exponent,
                                                 .radius = radius,
                                                 .sigma = 2 * (double)radius / mu * (1 + 0x1p-40)};
    assert_ok(pdpr_i_certificate_text(ctx, &e.certificate, &text, &length, NULL));
    pdpr_i_report report = check_bytes(ctx, text, length);
    pdpr_free(text);
    return report;
}

/* tau = 2 C / mu = 2^10 exactly: rounding may have put it on either side. */
static void grid_at_a_power_of_two_may_be_either(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    for (int exponent = -22; exponent <= -19; exponent++) {
        pdpr_i_report report = check_single_step(ctx, 0x1p-9, exponent, INT64_C(1) << -exponent);
        assert_int_equal(names(&report, "mechanisms.embedding.k"),
                         exponent == -22 || exponent == -19);
        pdpr_free(report.checks);
    }
    pdpr_context_free(ctx);
}

static void grid_and_noise_beyond_their_limits_are_named(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_report report = check_single_step(ctx, 0.001, -15, 32768); /* K below 2^16 */
    assert_true(names(&report, "mechanisms.embedding.K"));
    pdpr_free(report.checks);
    report = check_single_step(ctx, 1e-8, -16, 65536); /* sigma above 2^42 */
    assert_true(names(&report, "mechanisms.embedding.sigma_int"));
    assert_int_equal(report.failures, 1);
    pdpr_free(report.checks);
    pdpr_context_free(ctx);
}

static void text_that_is_too_long_is_named(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    json_t *json = example_json(ctx, EXAMPLE_BOTH, false);
    char text[402];
    memset(text, 'x', 401);
    text[401] = '\0';
    json_object_set_new(json, "preprocessing", json_string(text));
    assert_named(ctx, json, "preprocessing: expected a line");
    json_decref(json);
    json = example_json(ctx, EXAMPLE_BOTH, false);
    json_object_set_new(json, "checksum", json_integer(7));
    pdpr_i_report report = check_json(ctx, json);
    assert_true(names(&report, "checksum"));
    pdpr_free(report.checks);
    json_decref(json);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- files */

static void what_is_no_certificate_fails_in_its_form(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const char *const bad[] = {"", "{}", "nonsense\n", "{ }\n", "[1.5]\n", "\n", "{\"a\":1}}\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pdpr_i_report report = check_bytes(ctx, bad[i], strlen(bad[i]));
        assert_int_equal(report.failures, 1);
        assert_true(names(&report, "format: expected"));
        pdpr_free(report.checks);
    }
    const char *const no_object[] = {"[]\n", "7\n", "null\n", "\"text\"\n"};
    for (size_t i = 0; i < sizeof no_object / sizeof *no_object; i++) {
        pdpr_i_report report = check_bytes(ctx, no_object[i], strlen(no_object[i]));
        assert_true(names(&report, "certificate: expected an object"));
        pdpr_free(report.checks);
    }
    pdpr_context_free(ctx);
}

static void bytes_of_a_hostile_certificate_do_not_reach_the_terminal(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const char text[] = "{\"\\u001b[2J\\u007fä\":1}\n";
    json_t *json = json_loads(text, 0, NULL);
    pdpr_i_report report = check_json(ctx, json);
    assert_true(names(&report, "?[2J???: expected no such field"));
    for (uint64_t i = 0; i < report.count; i++)
        for (const char *c = report.checks[i].text; *c; c++)
            assert_true(*c >= ' ' && *c <= '~');
    pdpr_free(report.checks);
    json_decref(json);
    pdpr_context_free(ctx);
}

static void output_is_compared_by_its_hash(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    char folder[SCRATCH_PATH], path[SCRATCH_PATH], out[SCRATCH_PATH], other[SCRATCH_PATH];
    certificate_example e;
    pdpr_verification *v = NULL;
    pdpr_error err;
    test_scratch_make(folder);
    test_scratch_path(folder, "certificate.json", path);
    test_scratch_path(folder, "out-2.edges", out);
    test_scratch_path(folder, "other.edges", other);
    test_file_write(out, "# nodes: 2708\n0 1\n", 18);
    test_file_write(other, "0 2\n", 4);
    certificate_example_make(EXAMPLE_BOTH, &e);
    e.outputs[1].edges = 1;
    assert_ok(pdpr_file_sha256(ctx, out, e.outputs[1].sha256, NULL));
    /* by sha256sum */
    assert_string_equal(e.outputs[1].sha256,
                        "0da6a16d36821a9c7b5fde92aa27118db4727efe9221d3651b1be6ee56e18ef8");
    assert_ok(pdpr_i_certificate_write(ctx, &e.certificate, path, NULL));

    assert_ok(pdpr_certificate_verify(ctx, path, out, &v, NULL));
    assert_true(v->passed);
    assert_int_equal(v->checks[v->num_checks - 1].result, PDPR_CHECK_PASS);
    assert_string_equal(v->checks[v->num_checks - 2].text,
                        "outputs[1].sha256: out-2.edges is that file");
    assert_string_equal(v->checks[v->num_checks - 1].text,
                        "outputs[1]: 2708 nodes and 1 edges claimed, 2708 and 1 in the file");
    pdpr_verification_free(v);
    assert_ok(pdpr_certificate_verify(ctx, path, other, &v, NULL));
    assert_false(v->passed);
    assert_string_equal(v->checks[v->num_checks - 1].name, "output");
    pdpr_verification_free(v);
    assert_ok(pdpr_certificate_verify(ctx, path, NULL, &v, NULL));
    assert_true(v->passed);
    assert_int_equal(v->checks[v->num_checks - 1].result, PDPR_CHECK_SKIPPED);
    pdpr_verification_free(v);
    pdpr_verification_free(NULL);

    char before[SCRATCH_PATH];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    assert_ok(pdpr_certificate_verify(ctx, "certificate.json", "out-2.edges", &v, NULL));
    assert_int_equal(chdir(before), 0);
    assert_true(v->passed);
    pdpr_verification_free(v);

    v = NULL;
    test_scratch_path(folder, "none", other);
    assert_int_equal(pdpr_certificate_verify(ctx, other, NULL, &v, &err), PDPR_EFAILED);
    assert_int_equal(pdpr_certificate_verify(ctx, path, other, &v, &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, "none: cannot open"));
    assert_int_equal(pdpr_certificate_verify(ctx, folder, NULL, &v, &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, "cannot read"));
    assert_null(v);
    test_scratch_remove(folder);
    pdpr_context_free(ctx);
}

static void file_that_is_too_long_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    char folder[SCRATCH_PATH], path[SCRATCH_PATH], *bytes = NULL;
    size_t length = 0;
    pdpr_error err;
    pdpr_verification *v = NULL;
    test_scratch_make(folder);
    test_scratch_path(folder, "long", path);
    char *zeros = calloc(1, (16 << 20) + 1);
    test_file_write(path, zeros, (16 << 20) + 1);
    free(zeros);
    assert_int_equal(pdpr_certificate_verify(ctx, path, NULL, &v, &err), PDPR_EINPUT);
    assert_non_null(strstr(err.text, "expected at most 16777216 bytes, found more"));
    test_file_write(path, "", 0);
    assert_ok(pdpr_i_file_read(ctx, path, 0, &bytes, &length, NULL));
    assert_int_equal(length, 0);
    assert_string_equal(bytes, "");
    pdpr_free(bytes);
    pdpr_context_cancel(ctx);
    assert_int_equal(pdpr_certificate_verify(ctx, path, NULL, &v, &err), PDPR_ECANCELLED);
    test_scratch_remove(folder);
    pdpr_context_free(ctx);
}

/* Nodes and edges are counted in the file itself; what cannot be read as a graph has none. */
static void output_with_other_counts_is_named(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    static const char *const files[] = {"# nodes: 2708\n0 1\n1 2\n", "# nodes: 2709\n0 1\n",
                                        "# nodes: 2708\n0 1\n7\n"};
    char folder[SCRATCH_PATH], path[SCRATCH_PATH], out[SCRATCH_PATH];
    test_scratch_make(folder);
    test_scratch_path(folder, "certificate.json", path);
    test_scratch_path(folder, "out-1.edges", out);
    for (int i = 0; i < 3; i++) {
        certificate_example e;
        pdpr_verification *v = NULL;
        certificate_example_make(EXAMPLE_QUERIES, &e);
        test_file_write(out, files[i], strlen(files[i]));
        e.outputs[0].edges = 1;
        assert_ok(pdpr_file_sha256(ctx, out, e.outputs[0].sha256, NULL));
        assert_ok(pdpr_i_certificate_write(ctx, &e.certificate, path, NULL));
        assert_ok(pdpr_certificate_verify(ctx, path, out, &v, NULL));
        assert_false(v->passed);
        assert_non_null(
            strstr(v->checks[v->num_checks - 1].text, "2708 nodes and 1 edges claimed"));
        pdpr_verification_free(v);
    }
    test_scratch_remove(folder);
    pdpr_context_free(ctx);
}

/* Whether a certificate with these words and hyper-parameters passes, and else names `field`. */
static bool ties(pdpr_context *ctx, example_kind kind, const char *method, const char *profile,
                 const char *const (*parameters)[2], const char *field)
{
    json_t *json = example_json(ctx, kind, false);
    json_t *words = json_object_get(json, "method");
    json_t *hyper = json_object_get(json_object_get(json, "public_inputs"), "hyperparameters");
    json_object_set_new(words, "name", json_string(method));
    json_object_set_new(words, "profile", json_string(profile));
    for (; (*parameters)[0]; parameters++)
        json_object_set_new(hyper, (*parameters)[0], json_string((*parameters)[1]));
    refresh_checksum(ctx, json);
    pdpr_i_report report = check_json(ctx, json);
    bool passed = report.failures == 0;
    if (!passed && !(field && names(&report, field)))
        fail_msg("expected %s to be named", field ? field : "nothing");
    pdpr_free(report.checks);
    json_decref(json);
    return passed;
}

static void method_and_parameters_are_tied_to_the_mechanisms(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
#define TIES(kind, method, profile, field, ...) \
    ties(ctx, kind, method, profile, (const char *const[][2]){__VA_ARGS__, {NULL, NULL}}, field)
    assert_true(TIES(EXAMPLE_EMBEDDING, "privdpr", "tight", NULL, {"width", "4"}));
    assert_true(TIES(EXAMPLE_BOTH, "privdpr", "steered", NULL, {"width", "4"}));
    assert_true(TIES(EXAMPLE_QUERIES, "blueprint", "pure", NULL, {"width", "4"}));
    assert_true(
        TIES(EXAMPLE_EMBEDDING, "privdpr", "head", NULL, {"batch", "2708"}, {"epochs", "845"}));
    assert_false(
        TIES(EXAMPLE_EMBEDDING, "privdpr", "head", "mechanisms.embedding.coords", {"batch", "16"}));
    assert_false(TIES(EXAMPLE_EMBEDDING, "privdpr", "tight", "mechanisms.embedding.coords",
                      {"columns", "64"}));
    assert_false(
        TIES(EXAMPLE_EMBEDDING, "privdpr", "tight", "mechanisms.embedding.T", {"epochs", "6"}));
    assert_true(TIES(EXAMPLE_EMBEDDING, "privdpr", "paper", NULL, {"sensitivity_preset", "845"}));
    assert_false(TIES(EXAMPLE_EMBEDDING, "privdpr", "paper", "mechanisms.embedding.C",
                      {"sensitivity_preset", "5"}));
    assert_false(TIES(EXAMPLE_EMBEDDING, "privdpr", "paper",
                      "public_inputs.hyperparameters.sensitivity_preset: not verified",
                      {"width", "4"}));
    assert_true(TIES(EXAMPLE_EMBEDDING, "privdpr", "tight", NULL, {"sensitivity_preset", "5"}));
    /* products that no certificate can hold, and a batch of more nodes than there are */
    json_t *json = example_json(ctx, EXAMPLE_EMBEDDING, false);
    json_object_set_new(at(json, "public_inputs"), "nodes", json_integer(INT64_MAX));
    assert_named(ctx, json, "mechanisms.embedding.coords");
    assert_named(ctx, json, "mechanisms.embedding.T");
    json_decref(json);
    assert_false(TIES(EXAMPLE_EMBEDDING, "privdpr", "tight", "mechanisms.embedding.T: expected 0",
                      {"batch", "2709"}));
    static const struct {
        example_kind kind;
        const char *method, *profile;
    } wrong[] = {{EXAMPLE_EMBEDDING, "blueprint", "pure"},  {EXAMPLE_BOTH, "blueprint", "pure"},
                 {EXAMPLE_QUERIES, "privdpr", "tight"},     {EXAMPLE_BOTH, "privdpr", "tight"},
                 {EXAMPLE_EMBEDDING, "privdpr", "steered"}, {EXAMPLE_QUERIES, "privdpr", "steered"},
                 {EXAMPLE_EMBEDDING, "privdpr", "default"}, {EXAMPLE_QUERIES, "magic", "pure"},
                 {EXAMPLE_QUERIES, "blueprint", "tight"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(TIES(wrong[i].kind, wrong[i].method, wrong[i].profile, "method: not verified",
                          {"width", "4"}));
    static const char *const bad[] = {"0", "-3", "12x", "1000000000000", " 5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(TIES(EXAMPLE_EMBEDDING, "privdpr", "tight",
                          "public_inputs.hyperparameters.columns", {"columns", bad[i]}));
    static const char *const unreal[] = {"0", "-3", "5x", "nan"};
    for (size_t i = 0; i < sizeof unreal / sizeof *unreal; i++)
        assert_false(TIES(EXAMPLE_EMBEDDING, "privdpr", "paper",
                          "public_inputs.hyperparameters.sensitivity_preset",
                          {"sensitivity_preset", unreal[i]}));
#undef TIES
    pdpr_context_free(ctx);
}

/* Before publishing: what does not verify is not published; a seeded run lacks its guarantee only.
 */
static void own_certificate_must_verify(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    char folder[SCRATCH_PATH], path[SCRATCH_PATH];
    pdpr_error err = {0};
    certificate_example e;
    test_scratch_make(folder);
    test_scratch_path(folder, "certificate.json", path);
    certificate_example_make(EXAMPLE_QUERIES, &e);
    assert_ok(pdpr_i_certificate_write(ctx, &e.certificate, path, NULL));
    assert_ok(pdpr_i_certificate_check_own(ctx, path, false, NULL));
    e.certificate.seeded = true;
    assert_ok(pdpr_i_certificate_write(ctx, &e.certificate, path, NULL));
    assert_ok(pdpr_i_certificate_check_own(ctx, path, true, NULL));
    assert_int_equal(pdpr_i_certificate_check_own(ctx, path, false, &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, "seeded run"));
    assert_int_equal(pdpr_i_certificate_check_own(ctx, folder, false, &err), PDPR_EFAILED);
    e.outputs[1].nodes = 7;
    assert_ok(pdpr_i_certificate_write(ctx, &e.certificate, path, NULL));
    assert_int_equal(pdpr_i_certificate_check_own(ctx, path, true, &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, "outputs[1].nodes"));
    test_scratch_remove(folder);
    pdpr_context_free(ctx);
}

static void verifier_survives_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    char folder[SCRATCH_PATH], path[SCRATCH_PATH], out[SCRATCH_PATH];
    test_scratch_make(folder);
    test_scratch_path(folder, "certificate.json", path);
    test_scratch_path(folder, "out", out);
    test_file_write(out, "# nodes: 2708\n0 1\n", 18);
    pdpr_status status;
    for (int kind = 0; kind < EXAMPLES; kind++) {
        certificate_example e;
        certificate_example_make((example_kind)kind, &e);
        e.outputs[1].edges = 1;
        assert_ok(pdpr_file_sha256(ctx, out, e.outputs[1].sha256, NULL));
        assert_ok(pdpr_i_certificate_write(ctx, &e.certificate, path, NULL));
        FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
            pdpr_verification *v = NULL;
            status = pdpr_certificate_verify(ctx, path, out, &v, NULL);
            pdpr_verification_free(v);
        });
        for (uint64_t nth = 1;; nth++) {
            pdpr_verification *v = NULL;
            test_fail_jansson(nth);
            status = pdpr_certificate_verify(ctx, path, out, &v, NULL);
            uint64_t calls = test_fail_jansson(0);
            bool passed = v && v->passed;
            pdpr_verification_free(v);
            assert_int_equal(pdpr_context_memory(ctx, NULL), 0);
            if (calls < nth) {
                assert_true(passed);
                break;
            }
            assert_false(passed);
        }
    }
    test_scratch_remove(folder);
    pdpr_context_free(ctx);
}

int main(void)
{
    test_fail_jansson(0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_certificates_pass),
        cmocka_unit_test(recorded_certificates_still_pass),
        cmocka_unit_test(seeded_certificate_fails_by_design),
        cmocka_unit_test(field_removed_is_named),
        cmocka_unit_test(field_added_is_named),
        cmocka_unit_test(field_of_another_type_is_named),
        cmocka_unit_test(field_changed_without_checksum_is_noticed),
        cmocka_unit_test(number_that_does_not_follow_is_named),
        cmocka_unit_test(charge_that_is_far_too_large_is_not_taken_for_none),
        cmocka_unit_test(box_of_too_many_answers_is_named),
        cmocka_unit_test(many_queries_are_recomputed),
        cmocka_unit_test(lists_that_are_not_right_are_named),
        cmocka_unit_test(grid_of_a_small_radius_is_accepted),
        cmocka_unit_test(grid_at_a_power_of_two_may_be_either),
        cmocka_unit_test(grid_and_noise_beyond_their_limits_are_named),
        cmocka_unit_test(text_that_is_too_long_is_named),
        cmocka_unit_test(what_is_no_certificate_fails_in_its_form),
        cmocka_unit_test(bytes_of_a_hostile_certificate_do_not_reach_the_terminal),
        cmocka_unit_test(output_is_compared_by_its_hash),
        cmocka_unit_test(output_with_other_counts_is_named),
        cmocka_unit_test(method_and_parameters_are_tied_to_the_mechanisms),
        cmocka_unit_test(own_certificate_must_verify),
        cmocka_unit_test(file_that_is_too_long_is_refused),
        cmocka_unit_test(verifier_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
