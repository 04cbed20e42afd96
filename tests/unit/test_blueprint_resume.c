/* Runs of the blueprint that were interrupted after their first noise: taken up again they measure
 * again under the same key and come to the same bytes for one spend; with another input, another
 * parameter or another seed they are refused, and nothing changes. The steered profile, whose
 * queries come after the embedding, stands beside it where the blueprint's part decides. */
#include "support/support.h"
#include "support/own_ledger.h"
#include "support/system_faults.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NODES = 120, EDGES = 300 };

typedef test_place fixture;

static int set_up(void **state)
{
    fixture *f = test_place_new(1);
    assert_ok(pdpr_generate_social(f->ctx, NODES, EDGES, 0.5, 1, &f->g, NULL));
    *state = f;
    return 0;
}

static pdpr_method_options quick(const fixture *f, const char *method)
{
    pdpr_method_options o;
    pdpr_method_options_default(&o);
    o.method = method;
    o.epsilon = 3.2;
    o.day = "2026-11-16";
    o.checkpoint_path = f->checkpoint;
    if (strcmp(method, "blueprint") != 0) /* steered */
        o.columns = o.width = 4;
    return o;
}

static pdpr_status publish(fixture *f, pdpr_context *ctx, const pdpr_graph *g,
                           const pdpr_method_options *o, pdpr_error *err)
{
    const pdpr_publication p = {.struct_size = sizeof p,
                                .release_path = f->release,
                                .graph_path = f->graphs,
                                .num_graphs = 1,
                                .certificate_path = f->certificate};
    return pdpr_publish(ctx, g, o, f->ledger, &p, err);
}

static void assert_file_holds(const char *path, const char *bytes, size_t length)
{
    size_t found;
    char *now = test_file_read(path, &found);
    assert_int_equal(found, length);
    assert_memory_equal(now, bytes, length);
    free(now);
}

static bool is_left(const fixture *f)
{
    return access(f->checkpoint, F_OK) == 0;
}

/* Runs that count, and the state of the last. */
static uint64_t counting(fixture *f, pdpr_run_state *last)
{
    pdpr_ledger_summary *s = NULL;
    uint64_t count = 0;
    assert_ok(pdpr_ledger_summarise(f->ledger, 1e-5, &s, NULL));
    for (uint64_t i = 0; i < s->num_runs; i++) {
        *last = s->runs[i].state;
        count += *last != PDPR_RUN_REFUNDED;
    }
    pdpr_ledger_summary_free(s);
    return count;
}

/* A run that was cancelled at its n-th look or later, and left its checkpoint. */
static void interrupt(fixture *f, const pdpr_method_options *o, int n)
{
    pdpr_run_state last;
    pdpr_error err = {0};
    for (int looks = n; !is_left(f); looks++) {
        assert_true(looks < n + 100); /* noise comes early */
        atomic_store(&f->ctx->cancelled, -looks);
        assert_int_equal(publish(f, f->ctx, f->g, o, &err), PDPR_ECANCELLED);
        atomic_store(&f->ctx->cancelled, 0);
    }
    assert_non_null(strstr(err.text, "stays spent unless it is resumed"));
    assert_int_equal(counting(f, &last), 1);
    assert_int_equal(last, PDPR_RUN_DRAWN);
    assert_int_equal(test_scratch_count(f->out), 0);
}

static void ledger_put_back(fixture *f, const char *bytes, size_t length)
{
    pdpr_ledger_close(f->ledger);
    test_file_write(f->ledger_path, bytes, length);
    assert_ok(pdpr_ledger_open(f->ctx, f->ledger_path, NULL, &f->ledger, NULL));
}

/* Without a seed the bytes are known from another resumed run only: both are taken up from copies
 * of the same checkpoint and ledger, the second with other threads and other kernels. */
static void unseeded_run_taken_up_twice_from_copies_gives_the_same_bytes(void **state)
{
    fixture *f = *state;
    static const char *const methods[] = {"blueprint", "privdpr"};
    for (int i = 0; i < 2; i++) {
        pdpr_method_options o = quick(f, methods[i]);
        pdpr_context_options other;
        pdpr_context *ctx = NULL;
        pdpr_run_state last;
        size_t empty_length, file_length, ledger_length, graph_length, release_length;
        char *empty = test_file_read(f->ledger_path, &empty_length);
        interrupt(f, &o, 4);
        char *file = test_file_read(f->checkpoint, &file_length);
        char *ledger = test_file_read(f->ledger_path, &ledger_length);
        o.resume = true;
        assert_ok(publish(f, f->ctx, f->g, &o, NULL));
        assert_false(is_left(f));
        char *graph = test_file_read(f->graph, &graph_length);
        char *release = test_file_read(f->release, &release_length);

        test_file_write(f->checkpoint, file, file_length);
        ledger_put_back(f, ledger, ledger_length);
        pdpr_context_options_default(&other);
        other.threads = 3;
        other.cpu = PDPR_CPU_PORTABLE;
        assert_ok(pdpr_context_new(&other, &ctx, NULL));
        assert_ok(publish(f, ctx, f->g, &o, NULL));
        assert_int_equal(counting(f, &last), 1);
        assert_int_equal(last, PDPR_RUN_PUBLISHED);
        assert_file_holds(f->graph, graph, graph_length);
        assert_file_holds(f->release, release, release_length);

        ledger_put_back(f, empty, empty_length); /* for the next method */
        unlink(f->graph);
        unlink(f->release);
        unlink(f->certificate);
        pdpr_context_free(ctx);
        char *all[] = {empty, file, ledger, graph, release};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            free(all[k]);
    }
}

/* Noise of an address must never stand beside another value: what could change one is refused, and
 * neither ledger nor checkpoint nor output know of the attempt. */
static void run_with_anything_else_is_not_taken_up(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = quick(f, "blueprint"), changed;
    pdpr_graph *other = NULL;
    pdpr_error err = {0};
    size_t file_length, ledger_length;
    interrupt(f, &o, 4);
    char *file = test_file_read(f->checkpoint, &file_length);
    char *ledger = test_file_read(f->ledger_path, &ledger_length);
    assert_ok(pdpr_generate_social(f->ctx, NODES, EDGES, 0.5, 2, &other, NULL));
    o.resume = true;
    enum { INPUT, DATASET, EPSILON, DELTA, SEED, METHOD, AGAIN, CASES };
    for (int i = 0; i < CASES; i++) {
        changed = o;
        pdpr_status want = PDPR_EUSAGE;
        const char *word = "other parameters";
        if (i == INPUT || i == DATASET) {
            want = PDPR_EINPUT;
            word = "another input";
        }
        if (i == DATASET)
            changed.dataset = "monthly";
        if (i == EPSILON) /* the same shares, another promise */
            changed.epsilon = nextafter(o.epsilon, 4);
        if (i == DELTA)
            changed.delta = 1e-6;
        if (i == SEED)
            changed.seeded = true;
        if (i == METHOD)
            changed.method = "privdpr";
        if (i == AGAIN) {
            changed.resume = false;
            word = "an interrupted run left its checkpoint";
        }
        assert_int_equal(publish(f, f->ctx, i == INPUT ? other : f->g, &changed, &err), want);
        if (!strstr(err.text, word))
            fail_msg("case %d: %s", i, err.text);
        assert_null(strstr(err.text, "stays spent")); /* this call has drawn nothing */
        assert_file_holds(f->ledger_path, ledger, ledger_length);
        assert_file_holds(f->checkpoint, file, file_length);
        assert_int_equal(test_scratch_count(f->out), 0);
    }
    assert_ok(publish(f, f->ctx, f->g, &o, NULL));
    free(file);
    free(ledger);
    pdpr_graph_free(other);
}

/* The file is small: random bytes and tags, no measurement; and what follows from it is drawn after
 * it stands. Where it cannot stand, nothing is drawn and nothing spent. */
static void checkpoint_holds_no_measurement_and_comes_before_the_noise(void **state)
{
    fixture *f = *state;
    const pdpr_method_options o = quick(f, "blueprint");
    struct stat early, late;
    pdpr_run_state last;
    pdpr_error err = {0};
    assert_int_equal(mkdir(f->fresh, 0700), 0);
    assert_int_equal(publish(f, f->ctx, f->g, &o, &err), PDPR_EFAILED);
    assert_null(strstr(err.text, "spent"));
    assert_int_equal(test_ledger_runs(f->ledger, &last), 1);
    assert_int_equal(last, PDPR_RUN_REFUNDED);
    rmdir(f->fresh);

    interrupt(f, &o, 4);
    assert_int_equal(stat(f->checkpoint, &early), 0);
    assert_int_equal(early.st_mode & 0777, 0600);
    unlink(f->checkpoint);
    atomic_store(&f->ctx->cancelled, -60); /* far into the queries */
    assert_int_equal(publish(f, f->ctx, f->g, &o, NULL), PDPR_ECANCELLED);
    atomic_store(&f->ctx->cancelled, 0);
    assert_int_equal(stat(f->checkpoint, &late), 0);
    assert_int_equal(early.st_size, late.st_size);
    assert_true(late.st_size < 1024);
}

/* ---------------------------------------------------------------- failures after noise */

static char *reference(fixture *f, const pdpr_method_options *o, size_t *length)
{
    assert_ok(publish(f, f->ctx, f->g, o, NULL));
    return test_file_read(f->graph, length);
}

/* What the owner does after a failure, by what the ledger and the folder show; the run that counts
 * must then be published with the bytes of an undisturbed one. True if it was resumed. */
static bool go_on(fixture *f, pdpr_method_options o, const char *want, size_t length)
{
    pdpr_run_state last = PDPR_RUN_PUBLISHED;
    pdpr_error err = {0};
    uint64_t placed, runs = counting(f, &last);
    bool removed, committed = last == PDPR_RUN_COMMITTED, resumed = !committed && is_left(f);
    if (committed) {
        assert_ok(pdpr_publish_recover(f->ctx, f->ledger, f->certificate, NULL, &placed, NULL));
        assert_ok(pdpr_checkpoint_discard(f->ctx, f->ledger, f->checkpoint, &removed, NULL));
    } else {
        o.resume = resumed;
        if (publish(f, f->ctx, f->g, &o, &err) != PDPR_OK)
            fail_msg("cannot go on: %s", err.text);
    }
    assert_int_equal(counting(f, &last), committed || resumed ? runs : runs + 1);
    assert_int_equal(last, PDPR_RUN_PUBLISHED);
    assert_false(is_left(f));
    assert_file_holds(f->graph, want, length);
    return resumed;
}

static void run_whose_memory_ran_out_is_resumed_to_the_same_bytes(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = quick(f, "blueprint");
    size_t length;
    uint64_t resumed = 0, calls;
    pdpr_status s;
    o.seeded = true;
    char *want = reference(f, &o, &length);
    /* a step of more than what a run's ledger lines add to the allocations of the next */
    for (uint64_t nth = 1;; nth += 83) {
        pdpr_i_fail_allocation(f->ctx, nth);
        s = publish(f, f->ctx, f->g, &o, NULL);
        calls = pdpr_i_fail_allocation(f->ctx, 0);
        if (calls < nth)
            break;
        assert_int_equal(s, PDPR_ENOMEM);
        resumed += go_on(f, o, want, length);
    }
    assert_int_equal(s, PDPR_OK);
    assert_true(resumed > 5);
    free(want);
}

/* Every write in turn finds the disk full, after which there is room again. */
static void run_whose_disk_was_full_is_resumed_to_the_same_bytes(void **state)
{
    fixture *f = *state;
    pdpr_method_options o = quick(f, "blueprint");
    size_t length;
    uint64_t resumed = 0;
    o.seeded = true;
    char *want = reference(f, &o, &length);
    for (uint64_t nth = 1;; nth++) {
        system_faults_set("write", SYSTEM_FAULT_ERROR, ENOSPC, nth);
        pdpr_status s = publish(f, f->ctx, f->g, &o, NULL);
        if (!system_faults_end())
            break;
        if (s != PDPR_OK) /* a note that cannot be written is no failure */
            resumed += go_on(f, o, want, length);
    }
    assert_true(resumed >= 3); /* release, graph, certificate */
    free(want);
}

#define with_folder(test) cmocka_unit_test_setup_teardown(test, set_up, test_place_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_folder(unseeded_run_taken_up_twice_from_copies_gives_the_same_bytes),
        with_folder(run_with_anything_else_is_not_taken_up),
        with_folder(checkpoint_holds_no_measurement_and_comes_before_the_noise),
        with_folder(run_whose_memory_ran_out_is_resumed_to_the_same_bytes),
        with_folder(run_whose_disk_was_full_is_resumed_to_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
