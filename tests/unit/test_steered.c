/* The profile steered of privdpr, what a release stores of a blueprint, and versions of releases.
 */
#include "support/support.h"
#include "support/graph_files.h"
#include "support/scratch.h"
#include "blueprint/deal.h"
#include "dpr/score_order.h"
#include "method/blueprint_part.h"
#include "method/zip_store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 300 };

typedef struct {
    pdpr_context *ctx;
    char folder[SCRATCH_PATH], ledger_path[SCRATCH_PATH], release[SCRATCH_PATH];
    char certificate[SCRATCH_PATH];
    pdpr_ledger *ledger;
    pdpr_graph *g, *none;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    pdpr_ledger_options options;
    assert_non_null(f);
    f->ctx = test_context(2);
    test_scratch_make(f->folder);
    test_scratch_path(f->folder, "ledger", f->ledger_path);
    test_scratch_path(f->folder, "x.release", f->release);
    test_scratch_path(f->folder, "x.json", f->certificate);
    pdpr_ledger_options_default(&options);
    options.create = true;
    assert_ok(pdpr_ledger_open(f->ctx, f->ledger_path, &options, &f->ledger, NULL));
    assert_ok(pdpr_generate_social(f->ctx, N, 1200, 0.6, 1, &f->g, NULL));
    f->none = test_graph_empty(f->ctx, N);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    pdpr_ledger_close(f->ledger);
    pdpr_graph_free(f->g);
    pdpr_graph_free(f->none);
    assert_int_equal(pdpr_context_memory(f->ctx, NULL), 0);
    pdpr_context_free(f->ctx);
    test_scratch_remove(f->folder);
    free(f);
    return 0;
}

static pdpr_method_options options_of(const char *method)
{
    pdpr_method_options o;
    pdpr_method_options_default(&o);
    o.method = method;
    o.epsilon = 3.2;
    o.delta = 1e-5;
    o.seeded = true;
    o.seed = 4;
    o.day = "2026-11-16";
    return o;
}

/* Publishes a release of g and reads it. */
static pdpr_release *released(fixture *f, const pdpr_graph *g, const pdpr_method_options *o)
{
    pdpr_publication publication = {.struct_size = sizeof publication,
                                    .release_path = f->release,
                                    .certificate_path = f->certificate};
    pdpr_error err = {0};
    pdpr_release *r = NULL;
    unlink(f->certificate); /* of the method before */
    if (pdpr_publish(f->ctx, g, o, f->ledger, &publication, &err) != PDPR_OK ||
        pdpr_release_load(f->ctx, f->release, &r, &err) != PDPR_OK)
        fail_msg("%s", err.text);
    return r;
}

/* ---------------------------------------------------------------- the budget */

/* The queries get 1 - share of epsilon, the embedding what the joint accountant finds beside them:
 * more than share * epsilon would buy alone. */
static void plan_prices_both_parts_together(void **state)
{
    fixture *f = *state;
    static const double shares[] = {0, 0.01, 0.1, 0.5, 0.9};
    double last = 0;
    for (size_t i = 0; i < 5; i++) {
        pdpr_method_options o = options_of("privdpr");
        pdpr_plan p;
        double alone, share = shares[i] != 0 ? shares[i] : 0.1;
        o.embedding_share = shares[i];
        assert_ok(pdpr_plan_make(f->ctx, 3000, &o, &p, NULL));
        assert_string_equal(p.profile, "steered");
        assert_string_equal(p.unit, "node (replace-one)");
        assert_close(p.pure_epsilon, 3.2 * (1 - share), 1e-4);
        assert_true(p.queries > 5 && p.steps > 0);
        assert_true(p.epsilon_spent <= 3.2 && p.epsilon_spent > 3.19);
        assert_ok(pdpr_gdp_mu(3.2 * share, o.delta, &alone, NULL));
        assert_true(p.mu > alone);
        assert_true(i < 2 || p.mu > last || shares[i] == 0.1);
        last = p.mu;
    }
}

static void plan_refuses_what_does_not_fit_the_profile(void **state)
{
    fixture *f = *state;
    static const double bad[] = {-0.1, 0.009, 0.91, 1, NAN, INFINITY};
    pdpr_plan p;
    pdpr_error err = {0};
    for (size_t i = 0; i < 6; i++) {
        pdpr_method_options o = options_of("privdpr");
        o.embedding_share = bad[i];
        assert_int_equal(pdpr_plan_make(f->ctx, 100, &o, &p, &err), PDPR_EUSAGE);
        assert_non_null(strstr(err.text, "from 0.01 to 0.9"));
    }
    pdpr_method_options o = options_of("privdpr");
    o.edges = 50;
    assert_int_equal(pdpr_plan_make(f->ctx, 100, &o, &p, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "measures the number of edges"));
    o = options_of("privdpr");
    o.score_edges = true;
    assert_int_equal(pdpr_plan_make(f->ctx, 100, &o, &p, &err), PDPR_EUSAGE);
    o = options_of("privdpr");
    o.profile = "tight";
    o.embedding_share = 0.1;
    assert_int_equal(pdpr_plan_make(f->ctx, 100, &o, &p, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "profile steered only"));
    o = options_of("privdpr");
    o.delta = 0; /* Gaussian noise needs one */
    assert_int_equal(pdpr_plan_make(f->ctx, 100, &o, &p, &err), PDPR_EUSAGE);
}

/* ---------------------------------------------------------------- sampling */

static uint32_t degree_of(const pdpr_graph *g, uint32_t u)
{
    return (uint32_t)(g->offset[u + 1] - g->offset[u]);
}

/* Degrees are the blueprint's; who has which follows the mass of V. */
static void sample_deals_the_degrees_by_mass(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = options_of("privdpr");
    pdpr_release *r = released(f, f->g, &o);
    const pdpr_i_array *v = pdpr_i_release_file_find(&r->file, "embedding");
    static double mass[N], along[N];
    static uint32_t order[N], wanted[N];
    pdpr_graph *g = NULL;
    pdpr_i_build_targets targets;
    pdpr_i_stream random;
    pdpr_i_key key;
    assert_non_null(v);
    assert_ok(pdpr_i_score_order(f->ctx, v->items, N, (uint32_t)v->columns, mass, along, NULL));
    pdpr_i_key_from_seed(9, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_BLUEPRINT_FIT, 5);
    assert_ok(pdpr_i_deal_order(f->ctx, mass, N, &random, order, NULL));
    assert_ok(pdpr_i_bp_targets_recall(r, wanted, &targets, NULL));
    assert_ok(pdpr_release_sample(f->ctx, r, 9, 5, &g, NULL));
    uint32_t different = 0;
    for (uint32_t i = 0; i < N; i++) {
        different += degree_of(g, order[i]) != wanted[i];
        assert_true(i == 0 || mass[order[i - 1]] >= mass[order[i]] - 1e-6);
    }
    assert_true(wanted[0] > 3 * wanted[N - 1]); /* there is something to deal */
    assert_true(different <= 1);                /* an odd sum costs one link */
    pdpr_graph_free(g);
    pdpr_release_free(r);
}

static void samples_are_the_same_for_any_thread_count_and_differ_by_index(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = options_of("privdpr");
    pdpr_release_free(released(f, f->g, &o));
    pdpr_graph *first = NULL;
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        pdpr_context *ctx = test_context(threads);
        pdpr_release *r = NULL;
        pdpr_graph *g = NULL, *other = NULL;
        assert_ok(pdpr_release_load(ctx, f->release, &r, NULL));
        assert_ok(pdpr_release_sample(ctx, r, 1, 0, &g, NULL));
        assert_ok(pdpr_release_sample(ctx, r, 1, 1, &other, NULL));
        assert_true(pdpr_i_graph_is_valid(g));
        assert_false(test_graphs_equal(g, other));
        if (first)
            assert_true(test_graphs_equal(first, g));
        else
            assert_ok(pdpr_release_sample(f->ctx, r, 1, 0, &first, NULL));
        pdpr_graph_free(g);
        pdpr_graph_free(other);
        pdpr_release_free(r);
        pdpr_context_free(ctx);
    }
    pdpr_graph_free(first);
}

/* The null-input test: with the same seed the edgeless graph gives nearly the same order of nodes
 * (V is noise), and another structure (the blueprint is not). */
static void null_input_keeps_the_places_and_loses_the_structure(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = options_of("privdpr");
    static double mass[2][N], along[N];
    static uint32_t order[N], rank[2][N], degree[2][N];
    uint64_t edges[2] = {0, 0}, triangles[2];
    for (int i = 0; i < 2; i++) {
        pdpr_release *r = released(f, i ? f->none : f->g, &o);
        const pdpr_i_array *v = pdpr_i_release_file_find(&r->file, "embedding");
        pdpr_i_build_targets targets;
        pdpr_i_stream random;
        pdpr_i_key key;
        pdpr_i_key_from_seed(1, &key);
        pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, 0);
        assert_ok(
            pdpr_i_score_order(f->ctx, v->items, N, (uint32_t)v->columns, mass[i], along, NULL));
        assert_ok(pdpr_i_deal_order(f->ctx, mass[i], N, &random, order, NULL));
        for (uint32_t k = 0; k < N; k++)
            rank[i][order[k]] = k;
        assert_ok(pdpr_i_bp_targets_recall(r, degree[i], &targets, NULL));
        triangles[i] = targets.triangles;
        for (uint32_t u = 0; u < N; u++)
            edges[i] += degree[i][u];
        pdpr_release_free(r);
    }
    uint32_t moved = 0;
    for (uint32_t u = 0; u < N; u++)
        moved += abs((int)rank[0][u] - (int)rank[1][u]) > N / 20;
    assert_true(moved < N / 20);
    assert_true(edges[0] > 2 * edges[1]);
    assert_true(triangles[0] > 2 * triangles[1] + 100);
}

static void directed_input_is_read_as_undirected(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = options_of("privdpr");
    static const uint32_t pairs[] = {0, 1, 1, 2, 2, 3, 3, 0, 1, 0};
    pdpr_graph *arcs = NULL, *g = NULL;
    assert_ok(pdpr_graph_from_pairs(f->ctx, 40, pairs, 5, true, &arcs, NULL));
    pdpr_release *r = released(f, arcs, &o);
    assert_ok(pdpr_release_sample(f->ctx, r, 1, 0, &g, NULL));
    assert_false(g->directed);
    pdpr_graph_free(g);
    pdpr_graph_free(arcs);
    pdpr_release_free(r);
}

/* ---------------------------------------------------------------- releases of anybody */

static void embedding_that_is_none_is_refused(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = options_of("privdpr");
    pdpr_release *r = released(f, f->g, &o);
    pdpr_graph *g = NULL;
    pdpr_error err = {0};
    for (uint32_t i = 0; i < r->file.num_arrays; i++) {
        pdpr_i_array *a = &r->file.array[i];
        if (strcmp(a->name, "embedding") != 0)
            continue;
        ((float *)a->items)[17] = NAN;
        assert_int_equal(pdpr_release_sample(f->ctx, r, 1, 0, &g, &err), PDPR_EINPUT);
        ((float *)a->items)[17] = 0;
        a->rows--;
        assert_int_equal(pdpr_release_sample(f->ctx, r, 1, 0, &g, &err), PDPR_EINPUT);
        a->rows++;
        strcpy(a->name, "other");
        assert_int_equal(pdpr_release_sample(f->ctx, r, 1, 0, &g, &err), PDPR_EINPUT);
        strcpy(a->name, "embedding");
    }
    assert_ok(pdpr_release_sample(f->ctx, r, 1, 0, &g, &err)); /* each was the only fault */
    pdpr_graph_free(g);
    pdpr_release_free(r);
}

static void stored_targets_that_no_fit_gives_are_refused(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *key, *value;
    } bad[] = {{"triangles", "-1"},      {"triangles", "\"many\""},  {"small_components", "-1"},
               {"small_mean_size", "1"}, {"small_mean_size", "1e9"}, {"small_mean_size", "null"},
               {"locality", "-0.1"},     {"locality", "1.1"},        {"locality", "true"}};
    pdpr_method_options o = options_of("blueprint");
    pdpr_release *r = released(f, f->g, &o);
    json_t *targets = json_object_get(r->file.header, "targets");
    pdpr_graph *g = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *kept = json_incref(json_object_get(targets, bad[i].key));
        json_object_set_new(targets, bad[i].key, json_loads(bad[i].value, JSON_DECODE_ANY, NULL));
        if (pdpr_release_sample(f->ctx, r, 1, 0, &g, NULL) != PDPR_EINPUT)
            fail_msg("%s = %s was taken", bad[i].key, bad[i].value);
        json_object_set_new(targets, bad[i].key, kept);
    }
    for (uint32_t i = 0; i < r->file.num_arrays; i++) {
        pdpr_i_array *a = &r->file.array[i];
        if (strncmp(a->name, "degree_", 7) != 0)
            continue;
        ((uint32_t *)a->items)[0]++; /* one node too many, or a degree no node could have */
        if (strcmp(a->name, "degree_value") == 0)
            ((uint32_t *)a->items)[0] += N;
        assert_int_equal(pdpr_release_sample(f->ctx, r, 1, 0, &g, NULL), PDPR_EINPUT);
        ((uint32_t *)a->items)[0]--;
        if (strcmp(a->name, "degree_value") == 0)
            ((uint32_t *)a->items)[0] -= N;
        a->type = PDPR_I_ARRAY_FLOAT32;
        assert_int_equal(pdpr_release_sample(f->ctx, r, 1, 0, &g, NULL), PDPR_EINPUT);
        a->type = PDPR_I_ARRAY_UINT32;
        a->rows--;
        assert_int_equal(pdpr_release_sample(f->ctx, r, 1, 0, &g, NULL), PDPR_EINPUT);
        a->rows++;
    }
    assert_ok(pdpr_release_sample(f->ctx, r, 1, 0, &g, NULL));
    pdpr_graph_free(g);
    pdpr_release_free(r);
}

static void steered_sample_survives_every_allocation_failure(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = options_of("privdpr");
    pdpr_release *r = released(f, f->g, &o);
    pdpr_graph *g = NULL;
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(f->ctx, status, {
        status = pdpr_release_sample(f->ctx, r, 1, 0, &g, NULL);
        if (status == PDPR_OK)
            pdpr_graph_free(g);
    });
    pdpr_release_free(r);
}

/* Targets and uncertainties are put into a release: every allocation fails once. */
static void storing_targets_survives_every_allocation_failure(void **state)
{
    fixture *f = *state;
    int64_t curve[4] = {2, 5, 11, 20};
    const pdpr_i_bp_numbers x = {.theta = 4,
                                 .wide = 16,
                                 .triangle_cap = {4, 4},
                                 .edges = 22,
                                 .edges_wide = 24,
                                 .index_low = 3,
                                 .triangles = {4, 4},
                                 .forest = 36,
                                 .cumulative = curve};
    pdpr_i_bp_plan p;
    pdpr_status status;
    assert_ok(pdpr_i_bp_plan_make(20, 1.5, &p, NULL));
    FOR_EACH_ALLOCATION_FAILURE(f->ctx, status, {
        pdpr_release r = {.file.header = json_object()};
        status = pdpr_i_bp_uncertainty_store(&p, &x, &r, NULL);
        if (status == PDPR_OK)
            status = pdpr_i_bp_targets_store(f->ctx, &p, &x, &r, NULL);
        pdpr_i_release_file_clear(&r.file);
    });
}

/* ---------------------------------------------------------------- versions */

/* Writes the release again with its header's version, and perhaps its targets, changed. */
static void rewrite(fixture *f, const char *version, bool without_targets)
{
    size_t length;
    char *bytes = test_file_read(f->release, &length);
    pdpr_i_zip_member *members = calloc(PDPR_I_ZIP_MOST, sizeof *members);
    uint32_t count = 0;
    pdpr_i_outfile *out = NULL;
    assert_non_null(members);
    assert_ok(pdpr_i_zip_index(f->release, (unsigned char *)bytes, length, members, &count, NULL));
    json_t *header = json_loadb(members[0].head, members[0].head_bytes, 0, NULL);
    assert_int_equal(json_integer_value(json_object_get(header, "version")), 2);
    json_object_set_new(header, "version", json_loads(version, JSON_DECODE_ANY, NULL));
    if (without_targets)
        json_object_del(header, "targets");
    char *text = json_dumps(header, JSON_SORT_KEYS);
    members[0].head = text;
    members[0].head_bytes = strlen(text);
    assert_ok(pdpr_i_outfile_open(f->ctx, f->release, &out, NULL));
    assert_ok(pdpr_i_zip_write(out, f->release, members, count, NULL));
    assert_ok(pdpr_i_outfile_commit(out, NULL));
    free(text);
    json_decref(header);
    free(members);
    free(bytes);
}

static void release_of_another_version_is_refused(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *version, *text;
    } cases[] = {{"3", "release version 3; this program reads versions 1 to 2: a newer one"},
                 {"2000000000", "a newer one"},
                 {"0", "release version 0; this program reads versions 1 to 2"},
                 {"-1", "release version -1"},
                 {"\"2\"", "expected a PrivDPR release"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pdpr_method_options o = options_of("blueprint");
        pdpr_release *r = NULL;
        pdpr_error err = {0};
        pdpr_release_free(released(f, f->g, &o));
        rewrite(f, cases[i].version, false);
        assert_int_equal(pdpr_release_load(f->ctx, f->release, &r, &err), PDPR_EINPUT);
        assert_null(r);
        if (!strstr(err.text, cases[i].text))
            fail_msg("version %s: %s", cases[i].version, err.text);
    }
}

/* Version 1 had no targets: its numbers are fitted again, with the stream of the sample. */
static void release_of_version_1_is_fitted_again(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = options_of("blueprint");
    pdpr_release *r = NULL;
    pdpr_graph *g = NULL;
    pdpr_release_free(released(f, f->g, &o));
    rewrite(f, "1", true);
    assert_ok(pdpr_release_load(f->ctx, f->release, &r, NULL));
    assert_false(pdpr_i_bp_targets_are_stored(r));
    assert_ok(pdpr_release_sample(f->ctx, r, 1, 0, &g, NULL));
    uint64_t edges = pdpr_graph_num_edges(g);
    assert_in_range(edges, 600, 2400); /* of 1,200: the fit was made */
    pdpr_graph_free(g);
    pdpr_release_free(r);
}

/* ---------------------------------------------------------------- uncertainty in a release */

static void numbers_of_a_release_have_intervals_around_them(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = options_of("blueprint");
    pdpr_release *r = released(f, f->g, &o);
    json_t *measured = json_object_get(r->file.header, "measured");
    pdpr_released_number x;
    uint32_t count = pdpr_release_num_numbers(r), vectors = 0, chosen = 0;
    pdpr_plan p;
    assert_ok(pdpr_plan_make(f->ctx, N, &o, &p, NULL));
    assert_int_equal(count, p.queries);
    for (uint32_t i = 0; i < count; i++) {
        assert_ok(pdpr_release_number(r, i, &x, NULL));
        vectors += x.values > 1;
        chosen += isnan(x.scale) ? 1 : 0;
        if (strcmp(x.name, "edges") == 0) {
            assert_close(x.value, (double)json_integer_value(json_object_get(measured, "edges")),
                         0);
            assert_true(x.scale > 0 && x.low < x.value && x.value < x.high);
            assert_close(x.high - x.low, 2 * x.half_width, 1e-12);
        }
        if (strcmp(x.name, "triangles_1") == 0) /* released in halves */
            assert_close(
                2 * x.value,
                (double)json_integer_value(json_object_get(measured, "triangles_1_halves")), 0);
    }
    assert_int_equal(vectors, 1); /* the histogram */
    assert_int_equal(chosen, 1);  /* the cap */
    assert_int_equal(pdpr_release_number(r, count, &x, NULL), PDPR_EUSAGE);
    json_object_set_new(json_array_get(json_object_get(r->file.header, "numbers"), 1), "scale",
                        json_string("wide"));
    assert_int_equal(pdpr_release_number(r, 1, &x, NULL), PDPR_EINPUT);
    pdpr_release_free(r);
    o = options_of("null");
    o.edges = 60;
    r = released(f, f->g, &o);
    assert_int_equal(pdpr_release_num_numbers(r), 0);
    pdpr_release_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plan_prices_both_parts_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(plan_refuses_what_does_not_fit_the_profile, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(sample_deals_the_degrees_by_mass, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            samples_are_the_same_for_any_thread_count_and_differ_by_index, set_up, tear_down),
        cmocka_unit_test_setup_teardown(null_input_keeps_the_places_and_loses_the_structure, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(directed_input_is_read_as_undirected, set_up, tear_down),
        cmocka_unit_test_setup_teardown(embedding_that_is_none_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stored_targets_that_no_fit_gives_are_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(steered_sample_survives_every_allocation_failure, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(storing_targets_survives_every_allocation_failure, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(release_of_another_version_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(release_of_version_1_is_fitted_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(numbers_of_a_release_have_intervals_around_them, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("steered profile and its releases", tests, NULL, NULL);
}
