/* The verifier's own reading of a certificate's fields.
 *
 * Each object is read field by field; what was not asked for is unknown and refused, so the list
 * below is closed. Every failure names the field by its path, and reading goes on, so that one look
 * shows all of them. Values are taken only in the form in which a certificate prints them. */
#include "dp/verify_certificate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dp/canonical_json.h"

enum { MOST_FIELDS = 16, MOST_ITEMS = 4096, PATH_TEXT = 96 };

/* An object that is being read, and what was asked of it. */
typedef struct {
    pdpr_i_report *report;
    const json_t *json;
    char path[PATH_TEXT]; /* with its dot, "" for the root */
    const char *asked[MOST_FIELDS];
    size_t num_asked;
} object;

static void fail_field(const object *o, const char *key, const char *expected)
{
    pdpr_i_report_add(o->report, "fields", PDPR_CHECK_FAIL, "%s%s: expected %s", o->path, key,
                      expected);
}

static object open_object(pdpr_i_report *report, const json_t *json, const char *path)
{
    object o = {.report = report, .json = json};
    snprintf(o.path, sizeof o.path, "%s", path);
    if (!json_is_object(json))
        pdpr_i_report_add(report, "fields", PDPR_CHECK_FAIL, "%.*s: expected an object",
                          *path ? (int)strlen(o.path) - 1 : 11, *path ? o.path : "certificate");
    return o;
}

/* Refuses what was not asked for. */
static void close_object(object *o)
{
    json_t *json = (json_t *)o->json; /* walked, not changed */
    for (void *at = json_object_iter(json); at; at = json_object_iter_next(json, at)) {
        const char *key = json_object_iter_key(at);
        size_t i = 0;
        while (i < o->num_asked && strcmp(key, o->asked[i]) != 0)
            i++;
        if (i == o->num_asked)
            fail_field(o, key, "no such field: a certificate holds a closed list");
    }
}

static const json_t *ask(object *o, const char *key)
{
    assert(o->num_asked < MOST_FIELDS); /* GCOVR_EXCL_BR_LINE: a mistake of ours only */
    o->asked[o->num_asked++] = key;
    return json_object_get(o->json, key);
}

static object ask_object(object *o, const char *key)
{
    char path[PATH_TEXT];
    snprintf(path, sizeof path, "%.40s%s.", o->path, key);
    return open_object(o->report, ask(o, key), path);
}

/* Any line of printable ASCII; "" after a failure. */
static const char *ask_text(object *o, const char *key)
{
    const char *text = json_string_value(ask(o, key));
    bool good = text && *text && strlen(text) <= 400;
    for (const char *at = text; good && *at; at++)
        good = *at >= ' ' && *at <= '~';
    if (good)
        return text;
    fail_field(o, key, "a line of printable text");
    return "";
}

/* Which of `count` texts it is; 0 after a failure. */
static size_t ask_choice(object *o, const char *key, const char *const *texts, size_t count)
{
    const char *text = json_string_value(ask(o, key));
    for (size_t i = 0; text && i < count; i++)
        if (strcmp(text, texts[i]) == 0)
            return i;
    fail_field(o, key, count == 1 ? texts[0] : "one of the known words");
    return 0;
}

static void ask_fixed(object *o, const char *key, const char *text)
{
    (void)ask_choice(o, key, &text, 1);
}

static void ask_fixed_list(object *o, const char *key, const char *const *texts, size_t count)
{
    const json_t *list = ask(o, key);
    bool same = json_array_size(list) == count;
    for (size_t i = 0; same && i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        same = text && strcmp(text, texts[i]) == 0;
    }
    if (!same)
        fail_field(o, key, "the list that every certificate has");
}

static int64_t ask_integer(object *o, const char *key, int64_t least, int64_t most)
{
    const json_t *value = ask(o, key);
    if (json_is_integer(value) && json_integer_value(value) >= least &&
        json_integer_value(value) <= most)
        return json_integer_value(value);
    fail_field(o, key, "a whole number in its range");
    return least;
}

static uint64_t ask_count(object *o, const char *key, int64_t least)
{
    return (uint64_t)ask_integer(o, key, least, INT64_MAX);
}

/* A decimal string >= 0, or > 0. */
static double ask_real(object *o, const char *key, bool zero_allowed)
{
    const char *text = json_string_value(ask(o, key));
    double value = 0;
    if (text && pdpr_i_real_parse(text, &value) && (value > 0 || (zero_allowed && value == 0)))
        return value;
    fail_field(o, key, "a decimal string in its range");
    return 1;
}

/* "num/den" in lowest terms. */
static pdpr_i_claimed_fraction ask_fraction(object *o, const char *key)
{
    const char *text = json_string_value(ask(o, key));
    long long num = 0, den = 0;
    char again[48];
    if (text && strlen(text) < sizeof again && sscanf(text, "%19lld/%19lld", &num, &den) == 2 &&
        num > 0 && den > 0) {
        long long a = num, b = den;
        while (b != 0) {
            long long rest = a % b;
            a = b;
            b = rest;
        }
        snprintf(again, sizeof again, "%lld/%lld", num / a, den / a);
        if (strcmp(again, text) == 0)
            return (pdpr_i_claimed_fraction){(uint64_t)num, (uint64_t)den};
    }
    fail_field(o, key, "a positive fraction num/den in lowest terms");
    return (pdpr_i_claimed_fraction){1, 1};
}

/* ---------------------------------------------------------------- the parts */

static void read_guarantee(object *root, pdpr_i_claims *out)
{
    static const char *const units[] = {"node (replace-one)", "whole edge set, implies node-level"};
    const char *text = json_string_value(json_object_get(root->json, "guarantee"));
    out->seeded = text && strcmp(text, "none (seeded run)") == 0;
    if (out->seeded) {
        (void)ask(root, "guarantee");
        return;
    }
    object o = ask_object(root, "guarantee");
    ask_fixed(&o, "definition", "(epsilon, delta)-differential privacy, computational");
    ask_fixed(&o, "scope",
              "this publication by itself; others from the same or overlapping data add to it");
    out->epsilon = ask_real(&o, "epsilon", false);
    out->delta = ask_real(&o, "delta", true);
    if (out->delta == 0)
        out->sampler_delta = ask_real(&o, "sampler_delta", false);
    out->whole_edge_set = ask_choice(&o, "unit", units, 2) == 1;
    close_object(&o);
}

static void read_accounting(object *root, pdpr_i_claims *out)
{
    object o = ask_object(root, "accounting");
    ask_fixed(&o, "method", "joint-exact");
    out->accounting.epsilon = ask_real(&o, "epsilon", true);
    out->accounting.delta = ask_real(&o, "delta", true);
    out->accounting.mu = ask_real(&o, "mu", true);
    out->accounting.pure_epsilon = ask_real(&o, "pure_epsilon", true);
    close_object(&o);
}

static void read_embedding(object *mechanisms, pdpr_i_claims *out)
{
    if (json_is_null(json_object_get(mechanisms->json, "embedding"))) {
        (void)ask(mechanisms, "embedding");
        return;
    }
    object o = ask_object(mechanisms, "embedding");
    out->has_embedding = true;
    out->embedding.clip = ask_real(&o, "C", false);
    out->embedding.diameter = ask_real(&o, "Delta", false);
    out->embedding.steps = ask_count(&o, "T", 1);
    out->embedding.exponent = ask_integer(&o, "k", -2000, 2000);
    out->embedding.radius = ask_integer(&o, "K", 1, INT64_MAX);
    out->embedding.sigma = ask_real(&o, "sigma_int", false);
    out->embedding.coordinates = ask_count(&o, "coords", 1);
    out->embedding.mu = ask_real(&o, "mu", false);
    out->embedding.mu_step = ask_real(&o, "mu_per_step", false);
    ask_fixed(&o, "noise", "rounded-gaussian/2^k");
    close_object(&o);
}

/* The queries that a box pays for: as many as it has values. */
static void read_answers(object *o, pdpr_i_claimed_query *out)
{
    const json_t *list = ask(o, "answers");
    if (!json_is_array(list) || json_array_size(list) != out->values ||
        out->values > PDPR_I_CLAIM_MOST_ANSWERS) {
        fail_field(o, "answers", "a list of as many as there are values, at most 8");
        out->values = 0;
        return;
    }
    for (uint64_t i = 0; i < out->values; i++) {
        char path[PATH_TEXT];
        snprintf(path, sizeof path, "%.60sanswers[%" PRIu64 "].", o->path, i);
        object answer = open_object(o->report, json_array_get(list, i), path);
        (void)ask_text(&answer, "label");
        out->answer[i].sensitivity = ask_fraction(&answer, "sensitivity");
        out->answer[i].grid = ask_fraction(&answer, "grid");
        close_object(&answer);
    }
}

static void read_query(object *o, pdpr_i_claimed_query *out)
{
    static const char *const mechanisms[] = {[PDPR_I_CLAIM_LAPLACE] = "discrete-laplace",
                                             [PDPR_I_CLAIM_SELECTION] = "permute-and-flip",
                                             [PDPR_I_CLAIM_GAUSSIAN] = "rounded-gaussian",
                                             [PDPR_I_CLAIM_BOX] = "discrete-box"};
    (void)ask_text(o, "label");
    out->values = ask_count(o, "values", 1);
    out->kind = (pdpr_i_claim_kind)ask_choice(o, "mechanism", mechanisms, 4);
    if (out->kind == PDPR_I_CLAIM_BOX) {
        out->levels = ask_count(o, "levels", 1);
        read_answers(o, out);
    } else {
        out->sensitivity = ask_fraction(o, "sensitivity");
        out->grid = ask_fraction(o, "grid");
    }
    if (out->kind == PDPR_I_CLAIM_GAUSSIAN) {
        out->mu = ask_real(o, "mu", false);
        out->sigma = ask_real(o, "sigma_int", false);
    } else {
        out->epsilon = ask_fraction(o, "epsilon");
        if (out->kind != PDPR_I_CLAIM_BOX)
            out->scale = ask_fraction(o, "scale");
        if (out->epsilon.num / out->epsilon.den >= 50)
            fail_field(o, "epsilon", "less than 50: above it the word private has no meaning");
    }
    close_object(o);
}

/* Asks for a list and makes room for what is in it; its length, 0 after a failure. */
static uint64_t ask_list(object *o, const char *key, size_t size, void *items, const json_t **list)
{
    *list = ask(o, key);
    if (!json_is_array(*list) || json_array_size(*list) > MOST_ITEMS) {
        fail_field(o, key, "a list of at most 4096 items");
        return 0;
    }
    uint64_t count = json_array_size(*list);
    if (pdpr_i_zalloc(o->report->ctx, count, size, "claims", items, NULL) != PDPR_OK) {
        o->report->status = PDPR_ENOMEM;
        return 0;
    }
    return count;
}

static void read_mechanisms(object *root, pdpr_i_claims *out)
{
    object o = ask_object(root, "mechanisms");
    const json_t *list;
    ask_fixed(&o, "rng", "chacha20");
    read_embedding(&o, out);
    out->num_queries = ask_list(&o, "queries", sizeof *out->queries, &out->queries, &list);
    for (uint64_t i = 0; i < out->num_queries; i++) {
        char path[PATH_TEXT];
        snprintf(path, sizeof path, "mechanisms.queries[%" PRIu64 "].", i);
        object query = open_object(o.report, json_array_get(list, i), path);
        read_query(&query, &out->queries[i]);
    }
    close_object(&o);
}

static void read_outputs(object *root, pdpr_i_claims *out)
{
    const json_t *list;
    out->num_outputs = ask_list(root, "outputs", sizeof *out->outputs, &out->outputs, &list);
    if (out->num_outputs == 0)
        fail_field(root, "outputs", "at least one output");
    for (uint64_t i = 0; i < out->num_outputs; i++) {
        char path[PATH_TEXT];
        snprintf(path, sizeof path, "outputs[%" PRIu64 "].", i);
        object o = open_object(root->report, json_array_get(list, i), path);
        out->outputs[i].file = ask_text(&o, "file");
        out->outputs[i].sha256 = ask_text(&o, "sha256");
        out->outputs[i].nodes = ask_count(&o, "nodes", 0);
        out->outputs[i].edges = ask_count(&o, "edges", 0);
        if (strlen(out->outputs[i].sha256) != 64 ||
            strspn(out->outputs[i].sha256, "0123456789abcdef") != 64)
            fail_field(&o, "sha256", "64 hex digits");
        if (strchr(out->outputs[i].file, '/'))
            fail_field(&o, "file", "a name without a folder");
        close_object(&o);
    }
}

/* Takes a hyper-parameter that other fields follow from; those must be numbers. */
static void read_parameter(object *o, const char *key, const char *text,
                           pdpr_i_claimed_parameters *out)
{
    uint64_t *count = strcmp(key, "batch") == 0     ? &out->batch
                      : strcmp(key, "columns") == 0 ? &out->columns
                      : strcmp(key, "epochs") == 0  ? &out->epochs
                                                    : NULL;
    if (count) {
        size_t digits = strspn(text, "0123456789");
        *count = digits <= 9 ? strtoull(text, NULL, 10) : 0;
        if (text[digits] || *count == 0)
            fail_field(o, key, "a whole number above 0");
    } else if (strcmp(key, "sensitivity_preset") == 0) {
        char *end;
        out->sensitivity_preset = strtod(text, &end);
        if (*end || !(out->sensitivity_preset > 0))
            fail_field(o, key, "a number above 0");
    }
}

static void read_inputs(object *root, pdpr_i_claims *out)
{
    static const char *const lists[] = {"declared",
                                        "inferred from the file and accepted as public"};
    static const char *const sources[] = {"derived", "noisy", "declared"};
    /* The names that a method may print. A new one is a decision that its value is public. */
    static const char *const names[] = {"batch",
                                        "columns",
                                        "damping",
                                        "epochs",
                                        "horizons",
                                        "layers",
                                        "learning_rate",
                                        "noise_shares",
                                        "optimiser",
                                        "orders",
                                        "reconstruction",
                                        "samples",
                                        "sensitivity_preset",
                                        "spectral",
                                        "theta_grid",
                                        "walk_length",
                                        "walks",
                                        "width"};
    object o = ask_object(root, "public_inputs");
    out->nodes = ask_count(&o, "nodes", 1);
    (void)ask_choice(&o, "vertex_list", lists, 2);
    object edges = ask_object(&o, "edge_count");
    if (ask_choice(&edges, "source", sources, 3) == 2)
        (void)ask_count(&edges, "value", 0);
    close_object(&edges);

    object parameters = ask_object(&o, "hyperparameters");
    json_t *json = (json_t *)parameters.json;
    for (void *at = json_object_iter(json); at; at = json_object_iter_next(json, at)) {
        const char *key = json_object_iter_key(at);
        size_t i = 0;
        while (i < sizeof names / sizeof *names && strcmp(names[i], key) != 0)
            i++;
        if (i == sizeof names / sizeof *names)
            fail_field(&parameters, key, "a hyper-parameter of the closed list");
        parameters.num_asked = 0;
        read_parameter(&parameters, key, ask_text(&parameters, key), &out->parameters);
    }
    close_object(&o);
}

static void read_tool(object *root, pdpr_i_claims *out)
{
    object tool = ask_object(root, "tool"), method = ask_object(root, "method"),
           tests = ask_object(root, "self_tests");
    ask_fixed(&tool, "name", "privdpr");
    (void)ask_text(&tool, "version");
    (void)ask_text(&tool, "commit");
    (void)ask_text(&tool, "compiler");
    close_object(&tool);
    out->method = ask_text(&method, "name");
    out->profile = ask_text(&method, "profile");
    close_object(&method);
    ask_fixed(&tests, "accountant", "pass");
    ask_fixed(&tests, "random_source", "pass");
    close_object(&tests);
}

void pdpr_i_claims_read(pdpr_i_report *report, const json_t *json, pdpr_i_claims *out)
{
    static const char *const assumptions[] = {
        "trusted host and operator", "no timing or size side channel to an adversary",
        "ChaCha20 and its key are indistinguishable from random"};
    static const char *const not_promised[] = {"availability", "running time and memory",
                                               "anything the operator did to the data before"};
    object root = open_object(report, json, "");
    ask_fixed(&root, "format", "privdpr-certificate/1");
    read_guarantee(&root, out);
    read_accounting(&root, out);
    read_mechanisms(&root, out);
    read_inputs(&root, out);
    read_outputs(&root, out);
    read_tool(&root, out);
    (void)ask_text(&root, "preprocessing");
    ask_fixed_list(&root, "assumptions", assumptions, 3);
    ask_fixed_list(&root, "not_promised", not_promised, 3);
    close_object(&root);
}
