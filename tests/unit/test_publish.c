/* Publishing: the files appear together and verify, the ledger says so, and after a failure there
 * is nothing to see. */
#include "support/support.h"
#include "support/own_ledger.h"
#include "base/file_bytes.h"
#include "dp/ledger.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef test_place fixture;

static int set_up(void **state)
{
    fixture *f = test_place_new(2);
    assert_ok(pdpr_generate_social(f->ctx, 200, 800, 0.5, 1, &f->g, NULL));
    *state = f;
    return 0;
}

static pdpr_method_options quick(const char *method)
{
    pdpr_method_options o;
    pdpr_method_options_default(&o);
    o.method = method;
    o.epsilon = 0.29; /* not exact in binary */
    o.day = "2026-11-15";
    if (strcmp(method, "blueprint") != 0)
        o.edges = 500;
    if (strcmp(method, "privdpr") == 0)
        o.profile = "paper";
    o.columns = 8;
    o.width = 4;
    o.epochs = 1;
    o.batch = 16;
    return o;
}

static pdpr_publication everything(fixture *f)
{
    return (pdpr_publication){.struct_size = sizeof(pdpr_publication),
                              .release_path = f->release,
                              .graph_path = f->graphs,
                              .num_graphs = 2,
                              .certificate_path = f->certificate};
}

static void expect_last_state(fixture *f, uint64_t runs, pdpr_run_state last)
{
    pdpr_run_state found = last;
    assert_int_equal(test_ledger_runs(f->ledger, &found), runs);
    assert_int_equal(found, last);
}

static bool verifies(fixture *f, const char *output)
{
    pdpr_verification *v = NULL;
    assert_ok(pdpr_certificate_verify(f->ctx, f->certificate, output, &v, NULL));
    bool passed = v->passed;
    for (uint64_t i = 0; i < v->num_checks; i++)
        if (v->checks[i].result == PDPR_CHECK_FAIL)
            print_message("%s: %s\n", v->checks[i].name, v->checks[i].text);
    pdpr_verification_free(v);
    return passed;
}

static void published_files_appear_together_and_verify(void **state)
{
    fixture *f = *state;
    static const char *const methods[] = {"blueprint", "privdpr"};
    for (uint64_t i = 0; i < 2; i++) {
        pdpr_method_options o = quick(methods[i]);
        pdpr_publication p = everything(f);
        pdpr_error err = {0};
        if (pdpr_publish(f->ctx, f->g, &o, f->ledger, &p, &err) != PDPR_OK)
            fail_msg("%s: %s", methods[i], err.text);
        assert_int_equal(test_scratch_count(f->out), 4); /* and no drafts */
        assert_true(verifies(f, f->release));
        assert_true(verifies(f, f->graph));
        assert_true(verifies(f, f->second));
        assert_false(verifies(f, f->ledger_path)); /* another file */
        expect_last_state(f, i + 1, PDPR_RUN_PUBLISHED);
    }
}

/* The graphs are those that the release gives to anybody: seed 0, index 0 and 1. */
static void published_graphs_come_from_the_release(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = quick("blueprint");
    pdpr_publication p = everything(f);
    pdpr_release *r = NULL;
    char again[SCRATCH_PATH];
    assert_ok(pdpr_publish(f->ctx, f->g, &o, f->ledger, &p, NULL));
    assert_ok(pdpr_release_load(f->ctx, f->release, &r, NULL));
    for (uint64_t i = 0; i < 2; i++) {
        pdpr_graph *g = NULL;
        size_t a, b;
        test_scratch_path(f->folder, i ? "again.edges.gz" : "again.edges", again);
        assert_ok(pdpr_release_sample(f->ctx, r, o.seed, i, &g, NULL));
        assert_ok(pdpr_graph_save(f->ctx, g, again, NULL, NULL));
        char *first = test_file_read(f->graphs[i], &a), *second = test_file_read(again, &b);
        assert_int_equal(a, b);
        assert_memory_equal(first, second, a);
        free(first);
        free(second);
        pdpr_graph_free(g);
    }
    pdpr_release_free(r);
}

/* At this epsilon the choice of theta costs more than it tells and is left out. */
static void certificate_speaks_of_a_selection_only_if_one_was_made(void **state)
{
    fixture *f = *state;
    for (int asked = 0; asked < 2; asked++) {
        pdpr_method_options o = quick("blueprint");
        pdpr_publication p = everything(f);
        if (asked)
            o.epsilon = 2;
        assert_ok(pdpr_publish(f->ctx, f->g, &o, f->ledger, &p, NULL));
        char *text = test_file_read(f->certificate, NULL);
        assert_non_null(strstr(text, "caps from 4 to "));
        assert_int_equal(strstr(text, "by rule: none was selected") == NULL, asked);
        assert_int_equal(strstr(text, "permute-and-flip") != NULL, asked);
        assert_true(verifies(f, f->graph));
        free(text);
    }
}

static void seeded_run_is_published_and_fails_verification(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = quick("blueprint");
    pdpr_publication p = everything(f);
    o.seeded = true;
    assert_ok(pdpr_publish(f->ctx, f->g, &o, f->ledger, &p, NULL));
    assert_false(verifies(f, f->graph));
    expect_last_state(f, 1, PDPR_RUN_PUBLISHED);
}

/* At the paper's setting gradients vanish on the barrier's grid, so the same seed gives the same
 * bytes whatever the edges are. */
static void paper_profile_gives_the_same_files_without_edges(void **state)
{
    fixture *f = *state;
    pdpr_graph *empty = test_graph_empty(f->ctx, 200);
    pdpr_method_options o = quick("privdpr");
    pdpr_publication p = everything(f);
    const char *const files[] = {f->release, f->graph, f->second};
    char *first[3];
    size_t length[3], other;
    o.seeded = true;
    o.profile = "paper";
    o.epsilon = 3.2;
    assert_ok(pdpr_publish(f->ctx, f->g, &o, f->ledger, &p, NULL));
    for (int i = 0; i < 3; i++)
        first[i] = test_file_read(files[i], &length[i]);
    assert_ok(pdpr_publish(f->ctx, empty, &o, f->ledger, &p, NULL));
    for (int i = 0; i < 3; i++) {
        char *second = test_file_read(files[i], &other);
        assert_int_equal(length[i], other);
        assert_memory_equal(first[i], second, other);
        free(first[i]);
        free(second);
    }
    pdpr_graph_free(empty);
}

static void method_without_a_promise_needs_neither_ledger_nor_certificate(void **state)
{
    fixture *f = *state;
    static const char *const methods[] = {"null", "dpr"};
    for (int i = 0; i < 2; i++) {
        pdpr_method_options o = quick(methods[i]);
        pdpr_publication p = everything(f);
        p.certificate_path = NULL;
        assert_ok(pdpr_publish(f->ctx, f->g, &o, NULL, &p, NULL));
        assert_int_equal(test_scratch_count(f->out), 3);
    }
    expect_last_state(f, 0, PDPR_RUN_RESERVED);
}

static void promise_without_ledger_or_certificate_is_refused(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = quick("blueprint");
    pdpr_publication p = everything(f);
    pdpr_error err;
    assert_int_equal(pdpr_publish(f->ctx, f->g, &o, NULL, &p, &err), PDPR_EUSAGE);
    p.certificate_path = NULL;
    assert_int_equal(pdpr_publish(f->ctx, f->g, &o, f->ledger, &p, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "expected a ledger and a certificate's name"));
    p = everything(f);
    o.day = NULL;
    assert_int_equal(pdpr_publish(f->ctx, f->g, &o, f->ledger, &p, &err), PDPR_EUSAGE);
    o = quick("privdpr");
    o.edges = 0; /* privdpr measures none */
    assert_int_equal(pdpr_publish(f->ctx, f->g, &o, f->ledger, &p, &err), PDPR_EUSAGE);
    o.method = "other";
    assert_int_equal(pdpr_publish(f->ctx, f->g, &o, f->ledger, &p, &err), PDPR_EUSAGE);
    assert_int_equal(test_scratch_count(f->out), 0);
    expect_last_state(f, 0, PDPR_RUN_RESERVED);
}

static void dataset_budget_exceeded_publishes_nothing(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = quick("blueprint");
    pdpr_publication p = everything(f);
    char dataset[PDPR_LEDGER_KEY_TEXT];
    assert_ok(pdpr_ledger_dataset_of(f->ledger, f->g, dataset, NULL));
    assert_ok(pdpr_ledger_set_budget(f->ledger, dataset, 0.2, 1e-5, NULL));
    assert_int_equal(pdpr_publish(f->ctx, f->g, &o, f->ledger, &p, NULL), PDPR_EBUDGET);
    assert_int_equal(test_scratch_count(f->out), 0);
    expect_last_state(f, 0, PDPR_RUN_RESERVED);
}

/* Each path in turn lies in a folder that is not there, or is no file name. */
static void output_that_cannot_be_written_publishes_nothing(void **state)
{
    fixture *f = *state;
    static const char *const bad[] = {"no/such/x.edges", "-", ""};
    char missing[SCRATCH_PATH];
    for (int i = 0; i < 3; i++)
        for (int which = 0; which < 4; which++) {
            pdpr_method_options o = quick("blueprint");
            pdpr_publication p = everything(f);
            const char *graphs[2] = {f->graph, f->second};
            const char *path = bad[i];
            if (i == 0) {
                test_scratch_path(f->out, bad[i], missing);
                path = missing;
            }
            if (which == 0)
                p.release_path = path;
            else if (which == 1 || which == 2)
                graphs[which - 1] = path;
            else
                p.certificate_path = path;
            p.graph_path = graphs;
            assert_int_equal(pdpr_publish(f->ctx, f->g, &o, f->ledger, &p, NULL),
                             i == 0 ? PDPR_EFAILED : PDPR_EUSAGE);
            assert_int_equal(test_scratch_count(f->out), 0); /* drafts are gone too */
        }
}

/* A folder stands where the last file should go: what was put in place before it is taken back. */
static void impossible_target_is_refused_before_anything_is_spent(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = quick("blueprint");
    pdpr_publication p = everything(f);
    assert_int_equal(mkdir(f->certificate, 0700), 0);
    assert_int_equal(pdpr_publish(f->ctx, f->g, &o, f->ledger, &p, NULL), PDPR_EUSAGE);
    size_t left = test_scratch_count(f->out);
    assert_int_equal(rmdir(f->certificate), 0);
    assert_int_equal(left, 1); /* the folder */
    pdpr_ledger_summary *summary = NULL;
    assert_ok(pdpr_ledger_summarise(f->ledger, 1e-5, &summary, NULL));
    assert_int_equal(summary->num_runs, 0);
    pdpr_ledger_summary_free(summary);
}

/* A certificate holds the name of every file: whichever it cannot hold is refused at once. */
static void name_that_no_certificate_holds_is_refused_before_anything_is_spent(void **state)
{
    fixture *f = *state;
    static const char *const names[] = {"w\xc3\xb6rter.release", "w\xc3\xb6rter.npy",
                                        "w\xc3\xb6rter.edges"};
    for (int which = 0; which < 3; which++) {
        pdpr_method_options o = quick("privdpr");
        pdpr_publication p = everything(f);
        pdpr_error err = {0};
        char path[SCRATCH_PATH];
        const char *graphs[2] = {f->graph, path};
        test_scratch_path(f->out, names[which], path);
        if (which == 0)
            p.release_path = path;
        else if (which == 1)
            p.embedding_path = path;
        else
            p.graph_path = graphs;
        assert_int_equal(pdpr_publish(f->ctx, f->g, &o, f->ledger, &p, &err), PDPR_EUSAGE);
        assert_non_null(strstr(err.text, "printable ASCII"));
        assert_int_equal(test_ledger_runs(f->ledger, NULL), 0);
        assert_int_equal(test_scratch_count(f->out), 0);
    }
}

/* A cap that the graph fits in and the forest's solver does not: refused while all is unspent. */
static void too_little_memory_for_the_forest_is_told_before_anything_is_spent(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = quick("blueprint");
    pdpr_publication p = everything(f);
    pdpr_context_options c;
    pdpr_context *small = NULL;
    pdpr_graph *g = NULL;
    pdpr_error err = {0};
    o.epsilon = 3.2;
    pdpr_context_options_default(&c);
    c.max_memory = 600000;
    assert_ok(pdpr_context_new(&c, &small, NULL));
    assert_ok(pdpr_generate_gnm(small, 3000, 6000, 1, &g, NULL));
    assert_int_equal(pdpr_publish(small, g, &o, f->ledger, &p, &err), PDPR_ENOMEM);
    assert_non_null(strstr(err.text, "capped forest"));
    assert_null(strstr(err.text, "spent"));
    assert_int_equal(test_ledger_runs(f->ledger, NULL), 0);
    assert_int_equal(test_scratch_count(f->out), 0);
    pdpr_graph_free(g);
    pdpr_context_free(small);
}

static void read_only_folder_publishes_nothing(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = quick("blueprint");
    pdpr_publication p = everything(f);
    if (geteuid() == 0) { /* nothing is read-only to root */
        print_message("skipped: run as root\n");
        skip();
    }
    assert_int_equal(chmod(f->out, 0500), 0);
    pdpr_status s = pdpr_publish(f->ctx, f->g, &o, f->ledger, &p, NULL);
    assert_int_equal(chmod(f->out, 0700), 0);
    assert_int_equal(s, PDPR_EFAILED);
    assert_int_equal(test_scratch_count(f->out), 0);
}

/* Without a ledger the count of allocations is the same each time. */
static void publishing_survives_every_allocation_failure(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = quick("null");
    pdpr_publication p = everything(f);
    pdpr_status status;
    p.certificate_path = NULL;
    FOR_EACH_ALLOCATION_FAILURE(f->ctx, status, {
        status = pdpr_publish(f->ctx, f->g, &o, NULL, &p, NULL);
        assert_int_equal(test_scratch_count(f->out), status == PDPR_OK ? 3 : 0);
    });
}

/* ---------------------------------------------------------------- recovery */

/* Puts a published file back under its private name. */
static void make_draft(fixture *f, const char *path)
{
    char draft[2 * SCRATCH_PATH];
    snprintf(draft, sizeof draft, "%s/.draft-%s", f->out, strrchr(path, '/') + 1);
    assert_int_equal(rename(path, draft), 0);
}

/* Publishes, and takes the run back to what a crash right after COMMIT leaves: drafts, and a ledger
 * that knows the certificate's hash. */
static void stop_after_commit(fixture *f)
{
    char run[PDPR_LEDGER_ID_TEXT], hash[PDPR_SHA256_TEXT], path[SCRATCH_PATH];
    pdpr_method_options o = quick("blueprint");
    pdpr_publication p = everything(f);
    pdpr_ledger_options options;
    assert_ok(pdpr_publish(f->ctx, f->g, &o, f->ledger, &p, NULL));
    assert_ok(pdpr_file_sha256(f->ctx, f->certificate, hash, NULL));
    make_draft(f, f->release);
    make_draft(f, f->graph);
    make_draft(f, f->second);
    make_draft(f, f->certificate);

    pdpr_ledger_close(f->ledger);
    pdpr_ledger_options_default(&options);
    options.create = true;
    test_scratch_path(f->folder, "second", path);
    assert_ok(pdpr_ledger_open(f->ctx, path, &options, &f->ledger, NULL));
    test_ledger_commit_run(f->ledger, hash, run);
}

static void recovery_of_a_committed_run_publishes_it_once(void **state)
{
    fixture *f = *state;
    uint64_t placed = 0;
    stop_after_commit(f);
    assert_ok(pdpr_publish_recover(f->ctx, f->ledger, f->certificate, NULL, &placed, NULL));
    assert_int_equal(placed, 4);
    assert_int_equal(test_scratch_count(f->out), 4);
    assert_true(verifies(f, f->release));
    assert_true(verifies(f, f->second));
    expect_last_state(f, 1, PDPR_RUN_PUBLISHED);

    assert_ok(pdpr_publish_recover(f->ctx, f->ledger, f->certificate, NULL, &placed, NULL));
    assert_int_equal(placed, 0);
    make_draft(f, f->graph); /* moved away after PUBLISHED: back to its place */
    assert_ok(pdpr_publish_recover(f->ctx, f->ledger, f->certificate, NULL, &placed, NULL));
    assert_int_equal(placed, 1);
    expect_last_state(f, 1, PDPR_RUN_PUBLISHED);
}

static void recovery_looks_in_the_other_folder(void **state)
{
    fixture *f = *state;
    char moved[SCRATCH_PATH];
    uint64_t placed = 0;
    stop_after_commit(f);
    assert_ok(pdpr_publish_recover(f->ctx, f->ledger, f->certificate, NULL, &placed, NULL));
    test_scratch_path(f->folder, ".draft-x.release", moved);
    assert_int_equal(rename(f->release, moved), 0);
    assert_int_equal(pdpr_publish_recover(f->ctx, f->ledger, f->certificate, NULL, &placed, NULL),
                     PDPR_EFAILED);
    assert_ok(pdpr_publish_recover(f->ctx, f->ledger, f->certificate, f->folder, &placed, NULL));
    assert_int_equal(placed, 1);
    test_scratch_path(f->folder, "x.release", moved);
    assert_true(verifies(f, moved));
}

/* The owner asks after a run that never came to COMMIT: the older one of the same name is not
 * passed off as it, and finished only if it has to be. */
static void recovery_does_not_take_an_older_run_for_the_unfinished_one(void **state)
{
    fixture *f = *state;
    char draft[SCRATCH_PATH];
    pdpr_error err = {0};
    uint64_t placed = 9;
    stop_after_commit(f);
    test_scratch_path(f->out, ".draft-x.json", draft);
    for (int published = 0; published < 2; published++) {
        if (!published)
            assert_int_equal(rename(draft, f->certificate), 0);
        test_file_write(draft, "{}\n", 3);
        pdpr_status s =
            pdpr_publish_recover(f->ctx, f->ledger, f->certificate, NULL, &placed, &err);
        assert_int_equal(s, published ? PDPR_EUSAGE : PDPR_OK);
        assert_int_equal(placed, 3);
        expect_last_state(f, 1, PDPR_RUN_PUBLISHED);
    }
    assert_non_null(strstr(err.text, "--resume"));
    assert_int_equal(access(draft, F_OK), 0);
}

/* One file is gone and one has other bytes: both are named, and nothing moves. */
static void recovery_with_lost_files_names_them_and_moves_nothing(void **state)
{
    fixture *f = *state;
    char draft[SCRATCH_PATH];
    pdpr_error err = {0};
    uint64_t placed = 9;
    stop_after_commit(f);
    test_scratch_path(f->out, ".draft-x.release", draft);
    assert_int_equal(unlink(draft), 0);
    test_scratch_path(f->out, ".draft-x.edges", draft);
    test_file_write(draft, "0 1\n", 4);
    assert_int_equal(pdpr_publish_recover(f->ctx, f->ledger, f->certificate, NULL, &placed, &err),
                     PDPR_EFAILED);
    assert_non_null(strstr(err.text, "x.release, x.edges;"));
    assert_null(strstr(err.text, "x-2.edges"));
    assert_int_equal(placed, 9);
    assert_int_equal(access(f->certificate, F_OK), -1);
    assert_int_equal(access(f->second, F_OK), -1);
    expect_last_state(f, 1, PDPR_RUN_COMMITTED);
}

static void recovery_of_what_was_not_committed_is_refused(void **state)
{
    fixture *f = *state;
    char draft[SCRATCH_PATH];
    pdpr_error err = {0};
    uint64_t placed;
    assert_int_equal(pdpr_publish_recover(f->ctx, f->ledger, f->certificate, NULL, &placed, &err),
                     PDPR_EUSAGE); /* nothing is there at all */
    assert_non_null(strstr(err.text, "nothing to finish"));
    stop_after_commit(f);
    test_scratch_path(f->out, ".draft-x.json", draft);
    test_file_write(draft, "{}\n", 3); /* a draft of a run that never came to COMMIT */
    assert_int_equal(pdpr_publish_recover(f->ctx, f->ledger, f->certificate, NULL, &placed, NULL),
                     PDPR_EUSAGE);
    assert_int_equal(pdpr_publish_recover(f->ctx, f->ledger, f->out, NULL, &placed, NULL),
                     PDPR_EUSAGE); /* a folder */
    assert_int_equal(pdpr_publish_recover(f->ctx, f->ledger, "-", NULL, &placed, NULL),
                     PDPR_EUSAGE);
    expect_last_state(f, 1, PDPR_RUN_COMMITTED);
}

/* A final name that cannot be replaced: what was moved before it stays, where an older file was. */
static void recovery_that_cannot_place_a_file_leaves_the_others_in_place(void **state)
{
    fixture *f = *state;
    pdpr_error err = {0};
    uint64_t placed = 0;
    stop_after_commit(f);
    test_file_write(f->release, "of an older run", 15);
    assert_int_equal(mkdir(f->second, 0700), 0);
    assert_int_equal(pdpr_publish_recover(f->ctx, f->ledger, f->certificate, NULL, &placed, &err),
                     PDPR_EFAILED);
    assert_non_null(strstr(err.text, "cannot put the finished file in place"));
    assert_int_equal(access(f->release, F_OK), 0);
    expect_last_state(f, 1, PDPR_RUN_COMMITTED);
    assert_int_equal(rmdir(f->second), 0);
    assert_ok(pdpr_publish_recover(f->ctx, f->ledger, f->certificate, NULL, &placed, NULL));
    assert_in_range(placed, 1, 3); /* the rest */
    expect_last_state(f, 1, PDPR_RUN_PUBLISHED);
}

static void recovery_survives_every_allocation_failure(void **state)
{
    fixture *f = *state;
    uint64_t placed;
    pdpr_status status;
    stop_after_commit(f);
    FOR_EACH_ALLOCATION_FAILURE(f->ctx, status, {
        status = pdpr_publish_recover(f->ctx, f->ledger, f->certificate, NULL, &placed, NULL);
    });
    assert_int_equal(test_scratch_count(f->out), 4);
    expect_last_state(f, 1, PDPR_RUN_PUBLISHED);
}

#define with_folders(test) cmocka_unit_test_setup_teardown(test, set_up, test_place_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_folders(published_files_appear_together_and_verify),
        with_folders(published_graphs_come_from_the_release),
        with_folders(certificate_speaks_of_a_selection_only_if_one_was_made),
        with_folders(seeded_run_is_published_and_fails_verification),
        with_folders(paper_profile_gives_the_same_files_without_edges),
        with_folders(method_without_a_promise_needs_neither_ledger_nor_certificate),
        with_folders(promise_without_ledger_or_certificate_is_refused),
        with_folders(dataset_budget_exceeded_publishes_nothing),
        with_folders(output_that_cannot_be_written_publishes_nothing),
        with_folders(impossible_target_is_refused_before_anything_is_spent),
        with_folders(too_little_memory_for_the_forest_is_told_before_anything_is_spent),
        with_folders(name_that_no_certificate_holds_is_refused_before_anything_is_spent),
        with_folders(read_only_folder_publishes_nothing),
        with_folders(publishing_survives_every_allocation_failure),
        with_folders(recovery_of_a_committed_run_publishes_it_once),
        with_folders(recovery_looks_in_the_other_folder),
        with_folders(recovery_does_not_take_an_older_run_for_the_unfinished_one),
        with_folders(recovery_with_lost_files_names_them_and_moves_nothing),
        with_folders(recovery_of_what_was_not_committed_is_refused),
        with_folders(recovery_that_cannot_place_a_file_leaves_the_others_in_place),
        with_folders(recovery_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("publish", tests, NULL, NULL);
}
