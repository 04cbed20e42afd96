/* The table of methods, what their plans say, and releases: saved, loaded, sampled from, and
 * refused when somebody else has written them. */
#include "support/support.h"
#include "support/graph_files.h"
#include "support/own_ledger.h"
#include "blueprint/blueprint.h"
#include "method/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    pdpr_context *ctx;
    char folder[SCRATCH_PATH], ledger_path[SCRATCH_PATH], release[SCRATCH_PATH];
    char certificate[SCRATCH_PATH];
    pdpr_ledger *ledger;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->ctx = test_context(2);
    f->ledger = test_own_ledger(f->ctx, f->folder, f->ledger_path);
    test_scratch_path(f->folder, "x.release", f->release);
    test_scratch_path(f->folder, "x.json", f->certificate);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    pdpr_ledger_close(f->ledger);
    assert_int_equal(pdpr_context_memory(f->ctx, NULL), 0);
    pdpr_context_free(f->ctx);
    test_scratch_remove(f->folder);
    free(f);
    return 0;
}

/* Options under which every method takes a moment only. */
static pdpr_method_options quick(const char *method)
{
    pdpr_method_options o;
    pdpr_method_options_default(&o);
    o.method = method;
    o.epsilon = 3.2;
    o.seeded = true;
    o.seed = 4;
    o.day = "2026-11-15";
    if (strcmp(method, "blueprint") != 0)
        o.edges = 60;
    if (strcmp(method, "privdpr") == 0) /* its default profile: test_steered.c */
        o.profile = "paper";
    o.columns = 8;
    o.width = 4;
    o.epochs = 1;
    o.batch = 8;
    return o;
}

/* ---------------------------------------------------------------- delta */

static void delta_left_open_is_what_the_method_needs(void **state)
{
    (void)state;
    pdpr_method_options o;
    pdpr_method_options_default(&o);
    assert_true(pdpr_i_settle_delta(&pdpr_i_method_blueprint, 100, &o).delta == 0);
    assert_true(pdpr_i_settle_delta(&pdpr_i_method_privdpr, 99999, &o).delta == 1e-5);
    assert_close(pdpr_i_settle_delta(&pdpr_i_method_privdpr, 100000, &o).delta, 1e-6, 1e-15);
    assert_close(pdpr_i_settle_delta(&pdpr_i_method_privdpr, 410236, &o).delta, 1e-6, 1e-15);
    assert_close(pdpr_i_settle_delta(&pdpr_i_method_privdpr, 4000000000u, &o).delta, 1e-10, 1e-15);
    o.delta = 1e-3;
    assert_true(pdpr_i_settle_delta(&pdpr_i_method_blueprint, 100, &o).delta == 1e-3);
}

/* ---------------------------------------------------------------- the table */

static void table_has_every_method_and_finds_it(void **state)
{
    (void)state;
    static const char *const names[] = {"blueprint", "privdpr", "dpr", "null"};
    uint32_t count = 0;
    const pdpr_method_info *table = pdpr_methods(&count);
    assert_int_equal(count, 4);
    for (int i = 0; i < 4; i++) {
        const pdpr_i_method *m = NULL;
        assert_string_equal(table[i].name, names[i]);
        assert_true(table[i].summary[0] && table[i].unit[0]);
        assert_ok(pdpr_i_method_find(names[i], &m, NULL));
        assert_string_equal(m->info.name, names[i]);
        assert_int_equal(m->promises, i < 2);
    }
}

static void unknown_method_is_refused_with_those_there_are(void **state)
{
    (void)state;
    static const char *const names[] = {"", "Blueprint", "privdpr ", "nul"};
    const pdpr_i_method *m = NULL;
    pdpr_error err;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pdpr_i_method_find(names[i], &m, &err), PDPR_EUSAGE);
    assert_string_equal(err.text,
                        "expected one of the methods blueprint, privdpr, dpr, null, found \"nul\"");
    assert_int_equal(pdpr_i_method_find(NULL, &m, &err), PDPR_EUSAGE);
    assert_null(m);
}

static void profile_is_the_first_unless_named(void **state)
{
    (void)state;
    static const struct {
        const pdpr_i_method *method;
        const char *asked, *got; /* got NULL: refused */
    } cases[] = {
        {&pdpr_i_method_blueprint, NULL, "pure"},     {&pdpr_i_method_blueprint, "paper", NULL},
        {&pdpr_i_method_privdpr, NULL, "steered"},    {&pdpr_i_method_privdpr, "tight", "tight"},
        {&pdpr_i_method_privdpr, "head", "head"},     {&pdpr_i_method_privdpr, "learning", NULL},
        {&pdpr_i_method_dpr, NULL, "learning"},       {&pdpr_i_method_dpr, "paper", "paper"},
        {&pdpr_i_method_dpr, "tight", NULL},          {&pdpr_i_method_null, NULL, ""},
        {&pdpr_i_method_null, "paper", NULL},         {&pdpr_i_method_privdpr, "", NULL},
        {&pdpr_i_method_privdpr, "paper tight", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = NULL;
        pdpr_status s = pdpr_i_profile_find(cases[i].method, cases[i].asked, &got, NULL);
        assert_int_equal(s, cases[i].got ? PDPR_OK : PDPR_EUSAGE);
        if (cases[i].got)
            assert_string_equal(got, cases[i].got);
    }
}

/* ---------------------------------------------------------------- plans */

/* T, L and M of the paper's setting, computed from its Eq. 11 to 13 apart from this code. */
static void plan_of_the_papers_graphs_matches_the_oracles(void **state)
{
    fixture *f = *state;
    pdpr_method_options o;
    pdpr_plan p;
    pdpr_method_options_default(&o);
    o.method = "privdpr";
    o.profile = "paper";
    o.epsilon = 3.2;
    o.edges = 5429;
    assert_ok(pdpr_plan_make(f->ctx, 2708, &o, &p, NULL)); /* Cora */
    assert_string_equal(p.profile, "paper");
    assert_int_equal(p.steps, 845);
    assert_int_equal(p.layers, 9);
    assert_close(p.gradient_bound, 8517.215, 1e-7);
    assert_int_equal(p.noise_values, p.steps * p.coordinates);
    assert_ok(pdpr_plan_make(f->ctx, 3327, &o, &p, NULL)); /* Citeseer */
    assert_close(p.gradient_bound, 10463.97, 1e-6);
}

/* The certified norms of a network eight times as wide are five hundred times the work; a network
 * that is proved away has no width. */
static void plan_counts_the_width_of_a_network_only_where_it_runs(void **state)
{
    fixture *f = *state;
    pdpr_plan p[2][2]; /* [full training][wide] */
    for (int full = 0; full < 2; full++)
        for (int wide = 0; wide < 2; wide++) {
            pdpr_method_options o;
            pdpr_method_options_default(&o);
            o.method = "privdpr";
            o.profile = "paper";
            o.epsilon = 3.2;
            o.edges = 5278;
            o.width = wide ? 512 : 64;
            o.full_training = full;
            assert_ok(pdpr_plan_make(f->ctx, 2708, &o, &p[full][wide], NULL));
        }
    assert_true(p[0][1].seconds == p[0][0].seconds && p[0][1].memory == p[0][0].memory);
    assert_true(p[1][0].seconds > 1.5 * p[0][0].seconds);
    assert_true(p[1][1].seconds > 30 * p[1][0].seconds);
    assert_true(p[1][0].memory > p[0][0].memory && p[1][1].memory > 10 * p[1][0].memory);
    assert_true(p[0][0].memory <= 20 * 2708 * 128 + 64 * 5278); /* the bound that runs must keep */
}

static void plan_spends_at_most_the_promise(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *method, *profile;
    } rows[] = {{"privdpr", "paper"},
                {"privdpr", "tight"},
                {"privdpr", "head"},
                {"privdpr", "steered"},
                {"blueprint", 0}};
    static const double epsilons[] = {0.1, 0.29, 1, 3.2};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++) {
            pdpr_method_options o;
            pdpr_plan p;
            pdpr_method_options_default(&o);
            o.method = rows[i].method;
            o.profile = rows[i].profile;
            o.epsilon = epsilons[e];
            assert_ok(pdpr_plan_make(f->ctx, 2708, &o, &p, NULL));
            assert_true(p.epsilon_spent > 0);
            assert_true(p.epsilon_spent <= epsilons[e] * (1 + 1e-12));
            assert_true(strcmp(p.profile, "paper") == 0 || p.epsilon_spent > 0.95 * epsilons[e]);
        }
}

static void plan_out_of_range_is_refused(void **state)
{
    fixture *f = *state;
    static const char *const methods[] = {"blueprint", "privdpr", "dpr", "null"};
    pdpr_plan p;
    for (int i = 0; i < 4; i++) {
        pdpr_method_options o = quick(methods[i]);
        assert_int_equal(pdpr_plan_make(f->ctx, 1, &o, &p, NULL), PDPR_EUSAGE);
        o.profile = "no such";
        assert_int_equal(pdpr_plan_make(f->ctx, 100, &o, &p, NULL), PDPR_EUSAGE);
        o = quick(methods[i]);
        o.epsilon = 0;
        if (i < 2)
            assert_int_equal(pdpr_plan_make(f->ctx, 100, &o, &p, NULL), PDPR_EUSAGE);
        o = quick(methods[i]);
        o.edges = 4951; /* of 100 nodes */
        if (i > 0)
            assert_int_equal(pdpr_plan_make(f->ctx, 100, &o, &p, NULL), PDPR_EUSAGE);
    }
    pdpr_method_options o = quick("privdpr");
    o.delta = 0.01;
    assert_int_equal(pdpr_plan_make(f->ctx, 100, &o, &p, NULL), PDPR_EUSAGE);
    o = quick("privdpr");
    o.score_edges = true; /* and a number */
    assert_int_equal(pdpr_plan_make(f->ctx, 100, &o, &p, NULL), PDPR_EUSAGE);
    o = quick("privdpr");
    o.clip = 1; /* the paper's profile sets it */
    assert_int_equal(pdpr_plan_make(f->ctx, 100, &o, &p, NULL), PDPR_EUSAGE);
    o = quick("null");
    o.edges = 0;
    assert_int_equal(pdpr_plan_make(f->ctx, 100, &o, &p, NULL), PDPR_EUSAGE);
    o.method = "nothing";
    assert_int_equal(pdpr_plan_make(f->ctx, 100, &o, &p, NULL), PDPR_EUSAGE);
}

/* Radius, sensitivity and rate up to their bounds give finite vectors; beyond them nothing is run.
 */
static void plan_that_would_overflow_is_refused(void **state)
{
    fixture *f = *state;
    for (int which = 0; which < 4; which++) {
        pdpr_method_options o = quick(which == 3 ? "dpr" : "privdpr");
        pdpr_plan p;
        pdpr_error err = {0};
        double *option = which == 0 ? &o.clip : which == 1 ? &o.sensitivity : &o.rate;
        o.profile = which == 1 ? "paper" : which == 3 ? NULL : "tight";
        *option = which < 2 ? 1e100 : 1e300;
        assert_int_equal(pdpr_plan_make(f->ctx, 100, &o, &p, &err), PDPR_EUSAGE);
        const char *most = strstr(err.text, "at most ");
        assert_non_null(strstr(err.text, which < 2 ? "clip: expected" : "learning rate: expected"));
        assert_non_null(most);
        double bound = strtod(most + 8, NULL);
        if (which == 1)
            continue; /* the bound is on its radius, sensitivity / T */
        *option = 0.99 * bound;
        assert_ok(pdpr_plan_make(f->ctx, 100, &o, &p, NULL));
        *option = 1.01 * bound;
        assert_int_equal(pdpr_plan_make(f->ctx, 100, &o, &p, NULL), PDPR_EUSAGE);
    }
}

/* ---------------------------------------------------------------- releases */

/* Thirty nodes with names, in a ring with chords. */
static pdpr_graph *named_graph(pdpr_context *ctx)
{
    char text[2000] = "", path[64];
    size_t used = 0;
    for (int i = 0; i < 30; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "anna%d bert%d\nanna%d bert%d\n",
                                 i, i, i, (i * 7 + 1) % 30);
    int d = test_memory_file(text, used, path);
    pdpr_graph *g = NULL;
    assert_ok(pdpr_graph_load(ctx, path, NULL, &g, NULL, NULL));
    assert_int_equal(pdpr_graph_num_nodes(g), 60);
    close(d);
    return g;
}

static void publish_release(fixture *f, const pdpr_graph *g, const pdpr_method_options *o)
{
    pdpr_publication publication = {.struct_size = sizeof publication,
                                    .release_path = f->release,
                                    .certificate_path = f->certificate};
    pdpr_error err = {0};
    unlink(f->certificate); /* of the method before */
    if (pdpr_publish(f->ctx, g, o, f->ledger, &publication, &err) != PDPR_OK)
        fail_msg("%s: %s", o->method, err.text);
}

static void release_gives_the_same_graph_for_any_thread_count(void **state)
{
    fixture *f = *state;
    static const char *const methods[] = {"blueprint", "privdpr", "dpr", "null"};
    static const uint32_t threads[] = {1, 2, 5};
    for (int i = 0; i < 4; i++) {
        pdpr_graph *g = named_graph(f->ctx), *first = NULL;
        pdpr_method_options o = quick(methods[i]);
        publish_release(f, g, &o);
        for (int t = 0; t < 3; t++) {
            pdpr_context *ctx = test_context(threads[t]);
            pdpr_release *r = NULL;
            pdpr_graph *sampled = NULL, *other = NULL;
            assert_ok(pdpr_release_load(ctx, f->release, &r, NULL));
            assert_true(pdpr_release_is_unprotected(r));
            assert_ok(pdpr_release_sample(ctx, r, 12, 3, &sampled, NULL));
            assert_ok(pdpr_release_sample(ctx, r, 12, 4, &other, NULL));
            assert_true(pdpr_i_graph_is_valid(sampled));
            assert_false(test_graphs_equal(sampled, other));
            assert_int_equal(pdpr_release_sample(ctx, r, 12, 1 << 23, &other, NULL), PDPR_EUSAGE);
            for (uint32_t u = 0; u < 60; u++) {
                char a[32], b[32];
                pdpr_graph_name(g, u, a, sizeof a);
                pdpr_graph_name(sampled, u, b, sizeof b);
                assert_string_equal(a, b);
            }
            if (t)
                assert_true(test_graphs_equal(first, sampled));
            else
                first = sampled;
            if (t)
                pdpr_graph_free(sampled);
            pdpr_graph_free(other);
            pdpr_release_free(r);
            pdpr_context_free(ctx);
        }
        pdpr_graph_free(first);
        pdpr_graph_free(g);
    }
}

static void release_of_an_unseeded_run_is_protected(void **state)
{
    fixture *f = *state;
    pdpr_graph *g = named_graph(f->ctx);
    pdpr_method_options o = quick("blueprint");
    pdpr_release *r = NULL;
    o.seeded = false;
    publish_release(f, g, &o);
    assert_ok(pdpr_release_load(f->ctx, f->release, &r, NULL));
    assert_false(pdpr_release_is_unprotected(r));
    pdpr_release_free(r);
    pdpr_graph_free(g);
}

static void damaged_release_is_refused(void **state)
{
    fixture *f = *state;
    pdpr_graph *g = named_graph(f->ctx);
    pdpr_method_options o = quick("blueprint");
    size_t length;
    publish_release(f, g, &o);
    char *bytes = test_file_read(f->release, &length);
    for (size_t cut = 0; cut < length; cut += 37) {
        pdpr_release *r = NULL;
        test_file_write(f->release, bytes, cut);
        assert_int_equal(pdpr_release_load(f->ctx, f->release, &r, NULL), PDPR_EINPUT);
        assert_null(r);
    }
    for (size_t at = 0; at < length; at += 11) { /* a flipped bit: refused, or never looked at */
        pdpr_release *r = NULL;
        bytes[at] ^= 4;
        test_file_write(f->release, bytes, length);
        pdpr_status s = pdpr_release_load(f->ctx, f->release, &r, NULL);
        assert_true(s == PDPR_OK || s == PDPR_EINPUT);
        pdpr_release_free(r);
        bytes[at] ^= 4;
    }
    free(bytes);
    pdpr_graph_free(g);
}

static void header_of_a_foreign_release_is_refused(void **state)
{
    fixture *f = *state;
    static const char *const headers[] = {
        "{}",
        "{\"method\": \"other\", \"nodes\": 10}",
        "{\"method\": 5, \"nodes\": 10}",
        "{\"method\": \"null\"}",
        "{\"method\": \"null\", \"nodes\": 0}",
        "{\"method\": \"null\", \"nodes\": -3}",
        "{\"method\": \"null\", \"nodes\": 4294967295}",
        "{\"method\": \"null\", \"nodes\": \"ten\"}",
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        pdpr_i_release_file file = {.header = json_loads(headers[i], 0, NULL)};
        pdpr_release *r = NULL;
        assert_non_null(file.header);
        assert_ok(pdpr_i_release_file_write(f->ctx, f->release, &file, NULL));
        assert_int_equal(pdpr_release_load(f->ctx, f->release, &r, NULL), PDPR_EINPUT);
        json_decref(file.header);
    }
}

/* Writes a blueprint release of 20 nodes with one field changed (or removed: value "") and expects
 * that sampling from it says so. */
static void sample_changed(fixture *f, const char *field, const char *value, pdpr_status expected)
{
    static int64_t curve[4] = {2, 5, 11, 20};
    char text[1024], changed[128];
    static const char *const fields[] = {
        "theta",         "wide",      "triangle_cap_1", "triangle_cap_2",     "edges",
        "edges_wide",    "index_low", "index_high",     "triangles_1_halves", "triangles_2_halves",
        "forest_halves", "horizon_1", "horizon_2",      "paths_1_halves",     "paths_2_halves",
        "floor_1",       "floor_2",   "path_cap"};
    static const int64_t good[] = {4, 16, 4, 4, 22, 24, 3, 0, 4, 4, 36, 12, 12, 60, 80, 2, 0, 4};
    size_t used = 0;
    for (int i = 0; i < 18; i++) {
        snprintf(changed, sizeof changed, "%" PRId64, good[i]);
        bool hit = strcmp(field, fields[i]) == 0;
        if (!hit || *value)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s\"%s\": %s",
                                     used ? ", " : "", fields[i], hit ? value : changed);
    }
    char header[2048];
    snprintf(header, sizeof header,
             "{\"method\": \"blueprint\", \"nodes\": %s, \"epsilon\": %s, \"measured\": {%s}}",
             strcmp(field, "nodes") == 0 ? value : "20",
             strcmp(field, "epsilon") == 0 ? value : "1.5", text);
    pdpr_i_release_file file = {.header = json_loads(header, 0, NULL), .num_arrays = 1};
    file.array[0] = (pdpr_i_array){"cumulative_degrees", PDPR_I_ARRAY_INT64, 4, 0, curve};
    pdpr_release *r = NULL;
    pdpr_graph *g = NULL;
    assert_non_null(file.header);
    assert_ok(pdpr_i_release_file_write(f->ctx, f->release, &file, NULL));
    assert_ok(pdpr_release_load(f->ctx, f->release, &r, NULL));
    pdpr_status s = pdpr_release_sample(f->ctx, r, 1, 0, &g, NULL);
    if (s != expected)
        fail_msg("%s = %s: status %d, expected %d", field, value, (int)s, (int)expected);
    pdpr_graph_free(g);
    pdpr_release_free(r);
    json_decref(file.header);
}

static void release_with_absurd_numbers_is_refused_or_sampled(void **state)
{
    fixture *f = *state;
    static const char *const counts[] = {"edges",        "edges_wide",         "index_low",
                                         "index_high",   "triangles_1_halves", "triangles_2_halves",
                                         "forest_halves"};
    static const char *const caps[] = {"theta", "wide", "triangle_cap_1", "triangle_cap_2"};
    static const char *const refused[] = {
        "", "\"x\"", "1.5", "null", "9223372036854775807", "-9223372036854775808"};
    sample_changed(f, "none", "", PDPR_OK);
    for (int i = 0; i < 7; i++) {
        for (int j = 0; j < 6; j++)
            sample_changed(f, counts[i], refused[j], PDPR_EINPUT);
        sample_changed(f, counts[i], "2305843009213693952", PDPR_OK); /* 2^61: what noise allows */
        sample_changed(f, counts[i], "-2305843009213693952", PDPR_OK);
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 6; j++)
            sample_changed(f, caps[i], refused[j], PDPR_EINPUT);
        sample_changed(f, caps[i], "0", PDPR_EINPUT);
        sample_changed(f, caps[i], "-4", PDPR_EINPUT);
        sample_changed(f, caps[i], "1048577", PDPR_EINPUT);
    }
    static const char *const paths[] = {"horizon_1", "horizon_2", "paths_1_halves",
                                        "paths_2_halves"};
    for (int i = 0; i < 4; i++) {
        sample_changed(f, paths[i], "", PDPR_OK); /* older releases have no path lengths */
        sample_changed(f, paths[i], "\"x\"", PDPR_EINPUT);
        sample_changed(f, paths[i], "9223372036854775807", PDPR_EINPUT);
        sample_changed(f, paths[i], i < 2 ? "1" : "-2305843009213693953", PDPR_EINPUT);
        sample_changed(f, paths[i], i < 2 ? "1025" : "2305843009213693953", PDPR_EINPUT);
        sample_changed(f, paths[i], "0", PDPR_OK);
    }
    static const char *const floors[] = {"floor_1", "floor_2"};
    for (int i = 0; i < 2; i++) {
        sample_changed(f, floors[i], "", PDPR_OK); /* releases without windows */
        sample_changed(f, floors[i], "11", PDPR_OK);
        sample_changed(f, floors[i], "12", PDPR_EINPUT); /* the horizon */
        sample_changed(f, floors[i], "-1", PDPR_EINPUT);
        sample_changed(f, floors[i], "1.5", PDPR_EINPUT);
        sample_changed(f, floors[i], "4294967297", PDPR_EINPUT);
    }
    sample_changed(f, "path_cap", "", PDPR_OK); /* releases whose nodes carried one pair */
    sample_changed(f, "path_cap", "\"x\"", PDPR_EINPUT);
    sample_changed(f, "path_cap", "9223372036854775807", PDPR_OK); /* not read as today's */
    sample_changed(f, "theta", "5", PDPR_EINPUT);                  /* the curve has four */
    static const char *const epsilons[] = {"0", "-1", "1e300", "\"x\"", "0.0"};
    for (int i = 0; i < 5; i++)
        sample_changed(f, "epsilon", epsilons[i], PDPR_EINPUT);
    sample_changed(f, "nodes", "1", PDPR_EINPUT);
    sample_changed(f, "nodes", "2", PDPR_OK);
}

/* A release of 400 nodes without stored targets: sampling fits it again. path_cap < 0: none said.
 */
static pdpr_graph *sample_of_paths(fixture *f, int path_cap, int horizon)
{
    static int64_t curve[4] = {0, 100, 220, 400};
    char header[1024], said[32] = "";
    if (path_cap >= 0)
        snprintf(said, sizeof said, ", \"path_cap\": %d", path_cap);
    snprintf(header, sizeof header,
             "{\"method\": \"blueprint\", \"nodes\": 400, \"epsilon\": 20.5, \"measured\": {"
             "\"theta\": 4, \"wide\": 8, \"triangle_cap_1\": 4, \"triangle_cap_2\": 4, "
             "\"edges\": 440, \"edges_wide\": 440, \"index_low\": 3, \"index_high\": 0, "
             "\"triangles_1_halves\": 4, \"triangles_2_halves\": 4, \"forest_halves\": 798, "
             "\"floor_1\": 1, \"floor_2\": 1, \"horizon_1\": %d, \"horizon_2\": %d, "
             "\"paths_1_halves\": 2200, \"paths_2_halves\": 2200%s}}",
             horizon, horizon, said);
    pdpr_i_release_file file = {.header = json_loads(header, 0, NULL), .num_arrays = 1};
    file.array[0] = (pdpr_i_array){"cumulative_degrees", PDPR_I_ARRAY_INT64, 4, 0, curve};
    pdpr_release *r = NULL;
    pdpr_graph *g = NULL;
    assert_non_null(file.header);
    assert_ok(pdpr_i_release_file_write(f->ctx, f->release, &file, NULL));
    assert_ok(pdpr_release_load(f->ctx, f->release, &r, NULL));
    assert_ok(pdpr_release_sample(f->ctx, r, 1, 0, &g, NULL));
    pdpr_release_free(r);
    json_decref(file.header);
    return g;
}

/* An older version asked for other pairs: its answers are read as if there were none. */
static void release_with_answers_to_other_questions_is_sampled_without_them(void **state)
{
    fixture *f = *state;
    pdpr_i_bp_plan plan;
    assert_ok(pdpr_i_bp_plan_make(400, 20.5, &plan, NULL));
    assert_true(plan.asks[PDPR_I_BP_PATHS_1]);
    assert_int_equal(pdpr_i_bp_path_cap(400), 4);
    pdpr_graph *without = sample_of_paths(f, 4, 0), *with = sample_of_paths(f, 4, 16),
               *silent = sample_of_paths(f, -1, 16), *older = sample_of_paths(f, 1, 16);
    assert_true(test_graphs_equal(silent, without) && test_graphs_equal(older, without));
    assert_false(test_graphs_equal(with, without));
    pdpr_graph_free(without);
    pdpr_graph_free(with);
    pdpr_graph_free(silent);
    pdpr_graph_free(older);
}

static void release_says_how_many_paths_a_node_carried(void **state)
{
    fixture *f = *state;
    pdpr_graph *g = named_graph(f->ctx);
    pdpr_method_options o = quick("blueprint");
    pdpr_i_release_file file = {0};
    publish_release(f, g, &o);
    assert_ok(pdpr_i_release_file_read(f->ctx, f->release, &file, NULL));
    json_t *measured = json_object_get(file.header, "measured");
    assert_int_equal(json_integer_value(json_object_get(measured, "path_cap")), 4);
    pdpr_i_release_file_clear(&file);
    pdpr_graph_free(g);
}

/* Names and embeddings that do not fit their header. */
static void release_with_misfitting_arrays_is_refused(void **state)
{
    fixture *f = *state;
    static uint8_t text[] = "abc";
    static int64_t starts[][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 1, 2, 4}, {-1, 1, 2, 3}};
    for (int i = 0; i < 6; i++) {
        pdpr_i_release_file file = {
            .header = json_pack("{s:s, s:i, s:i}", "method", "null", "nodes", 3, "edges", 2),
            .num_arrays = i == 5 ? 1 : 2};
        file.array[0] = (pdpr_i_array){"name_text", PDPR_I_ARRAY_UINT8, 3, 0, text};
        file.array[1] =
            (pdpr_i_array){"name_start", PDPR_I_ARRAY_INT64, i == 4 ? 3 : 4, 0, starts[i % 4]};
        pdpr_release *r = NULL;
        pdpr_graph *g = NULL;
        assert_ok(pdpr_i_release_file_write(f->ctx, f->release, &file, NULL));
        assert_ok(pdpr_release_load(f->ctx, f->release, &r, NULL));
        assert_int_equal(pdpr_release_sample(f->ctx, r, 1, 0, &g, NULL),
                         i == 0 ? PDPR_OK : PDPR_EINPUT);
        pdpr_graph_free(g);
        pdpr_release_free(r);
        json_decref(file.header);
    }
    static float v[8] = {1, NAN, INFINITY, -INFINITY, 1e38F, -1e38F, 0, 1};
    static const struct {
        const char *header;
        uint64_t rows, columns;
        bool good;
    } cases[] = {
        {"{\"method\": \"privdpr\", \"nodes\": 4, \"rounds\": 3, \"edges\": 2}", 4, 2, true},
        {"{\"method\": \"privdpr\", \"nodes\": 5, \"rounds\": 3, \"edges\": 2}", 4, 2, false},
        {"{\"method\": \"privdpr\", \"nodes\": 4, \"rounds\": 0, \"edges\": 2}", 4, 2, false},
        {"{\"method\": \"privdpr\", \"nodes\": 4, \"rounds\": 3, \"edges\": -2}", 4, 2, false},
        {"{\"method\": \"dpr\", \"nodes\": 8, \"rounds\": 3, \"edges\": 2}", 8, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pdpr_i_release_file file = {.header = json_loads(cases[i].header, 0, NULL),
                                    .num_arrays = 1};
        file.array[0] =
            (pdpr_i_array){"embedding", PDPR_I_ARRAY_FLOAT32, cases[i].rows, cases[i].columns, v};
        pdpr_release *r = NULL;
        pdpr_graph *g = NULL;
        assert_ok(pdpr_i_release_file_write(f->ctx, f->release, &file, NULL));
        assert_ok(pdpr_release_load(f->ctx, f->release, &r, NULL));
        pdpr_status s = pdpr_release_sample(f->ctx, r, 1, 0, &g, NULL);
        if (cases[i].good) /* not a number: any answer but a crash */
            assert_true(s == PDPR_OK || s == PDPR_EINPUT || s == PDPR_EUSAGE);
        else
            assert_int_equal(s, PDPR_EINPUT);
        pdpr_graph_free(g);
        pdpr_release_free(r);
        json_decref(file.header);
    }
}

static void sampling_survives_every_allocation_failure(void **state)
{
    fixture *f = *state;
    pdpr_graph *g = named_graph(f->ctx);
    pdpr_method_options o = quick("blueprint");
    pdpr_status status;
    publish_release(f, g, &o);
    FOR_EACH_ALLOCATION_FAILURE(f->ctx, status, {
        pdpr_release *r = NULL;
        pdpr_graph *sampled = NULL;
        status = pdpr_release_load(f->ctx, f->release, &r, NULL);
        if (status == PDPR_OK)
            status = pdpr_release_sample(f->ctx, r, 1, 0, &sampled, NULL);
        pdpr_graph_free(sampled);
        pdpr_release_free(r);
    });
    pdpr_graph_free(g);
}

#define with_ledger(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delta_left_open_is_what_the_method_needs),
        cmocka_unit_test(table_has_every_method_and_finds_it),
        cmocka_unit_test(unknown_method_is_refused_with_those_there_are),
        cmocka_unit_test(profile_is_the_first_unless_named),
        with_ledger(plan_of_the_papers_graphs_matches_the_oracles),
        with_ledger(plan_counts_the_width_of_a_network_only_where_it_runs),
        with_ledger(plan_spends_at_most_the_promise),
        with_ledger(plan_out_of_range_is_refused),
        with_ledger(plan_that_would_overflow_is_refused),
        with_ledger(release_gives_the_same_graph_for_any_thread_count),
        with_ledger(release_of_an_unseeded_run_is_protected),
        with_ledger(damaged_release_is_refused),
        with_ledger(header_of_a_foreign_release_is_refused),
        with_ledger(release_with_absurd_numbers_is_refused_or_sampled),
        with_ledger(release_with_answers_to_other_questions_is_sampled_without_them),
        with_ledger(release_says_how_many_paths_a_node_carried),
        with_ledger(release_with_misfitting_arrays_is_refused),
        with_ledger(sampling_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("methods and releases", tests, NULL, NULL);
}
