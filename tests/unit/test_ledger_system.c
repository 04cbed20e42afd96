/* The ledger and what it stands on: the lock, the order of its system calls, and any of them, or
 * any allocation, failing. */
#include "support/support.h"
#include "support/ledger_case.h"
#include "support/ledger_faults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef test_ledger_case fixture;

/* ---------------------------------------------------------------- the lock */

static void lock_held_elsewhere_is_waited_for_then_given_up(void **state)
{
    fixture *f = *state;
    ledger_faults faults;
    pdpr_ledger *ledger = NULL;
    pdpr_error err;
    pdpr_ledger_options options;
    ledger_faults_init(&faults);
    pdpr_ledger_options_default(&options);
    options.wait_seconds = 3;
    int holder = open(f->path, O_RDONLY);
    assert_int_equal(flock(holder, LOCK_SH), 0);
    f->notices = 0;
    assert_int_equal(
        pdpr_i_ledger_open_with(f->ctx, f->path, &options, &faults.system, &ledger, &err),
        PDPR_EFAILED);
    assert_int_equal(faults.pauses, 60);
    assert_int_equal(f->notices, 1);
    assert_non_null(strstr(f->last_notice, "another process holds the ledger; waiting up to 3 s"));
    assert_non_null(strstr(err.text, "held the ledger for more than 3 s; try again"));

    /* Readers share. */
    options.read_only = true;
    assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, &options, &faults.system, &ledger, &err));
    pdpr_ledger_close(ledger);
    options.read_only = false;
    options.wait_seconds = 1; /* this one really waits */
    assert_int_equal(pdpr_ledger_open(f->ctx, f->path, &options, &ledger, &err), PDPR_EFAILED);
    close(holder);
    assert_ok(pdpr_ledger_open(f->ctx, f->path, &options, &ledger, &err));
    pdpr_ledger_close(ledger);
}

/* A lock that others hold for a number of pauses, and then do not. */
typedef struct {
    pdpr_context *ctx;
    uint64_t pauses, held_for, cancel_at; /* cancel_at: 0, never */
} busy;

static int lock_when_free(void *user, int descriptor, int operation)
{
    const busy *b = user;
    errno = EWOULDBLOCK;
    return b->pauses < b->held_for ? -1 : flock(descriptor, operation);
}

static void pause_and_cancel(void *user)
{
    busy *b = user;
    if (++b->pauses == b->cancel_at)
        pdpr_context_cancel(b->ctx);
}

/* What a run has paid for is not given up for a busy ledger, only for a cancelled context. */
static void steps_of_a_paid_run_wait_for_the_lock_without_limit(void **state)
{
    fixture *f = *state;
    busy b = {.ctx = f->ctx};
    pdpr_i_ledger_system system = pdpr_i_ledger_system_real;
    pdpr_ledger_options options;
    pdpr_ledger *ledger = NULL;
    char run[PDPR_LEDGER_ID_TEXT], other[PDPR_LEDGER_ID_TEXT];
    pdpr_error err = {0};
    system.user = &b;
    system.lock = lock_when_free;
    system.pause = pause_and_cancel;
    pdpr_ledger_options_default(&options);
    options.wait_seconds = 1; /* 20 pauses */
    assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, &options, &system, &ledger, NULL));
    assert_ok(test_reserve(ledger, data_a, one, 1, run, NULL));
    assert_ok(test_reserve(ledger, data_a, one, 1, other, NULL));
    b.held_for = 1000;
    f->notices = 0;
    assert_ok(pdpr_i_ledger_drawn(ledger, run, NULL));
    assert_int_equal(b.pauses, 1000);
    assert_int_equal(f->notices, 1);
    assert_non_null(strstr(f->last_notice, "waiting, because this run has paid"));
    b.pauses = 0;
    assert_ok(pdpr_i_ledger_commit(ledger, run, hash_c, NULL));
    assert_int_equal(b.pauses, 1000);
    b.pauses = 0;
    assert_ok(pdpr_i_ledger_published(ledger, run, NULL));
    assert_int_equal(b.pauses, 1000);

    /* Nothing is lost with these: they keep their limit. */
    b.pauses = 0;
    assert_int_equal(test_reserve(ledger, data_a, one, 1, run, &err), PDPR_EFAILED);
    assert_int_equal(b.pauses, 20);
    b.pauses = 0;
    assert_int_equal(pdpr_ledger_refund(ledger, other, &err), PDPR_EFAILED);
    assert_int_equal(b.pauses, 20);
    assert_non_null(strstr(err.text, "more than 1 s"));

    b.pauses = 0;
    b.cancel_at = 50;
    assert_int_equal(pdpr_i_ledger_drawn(ledger, other, &err), PDPR_ECANCELLED);
    assert_int_equal(b.pauses, 50);
    pdpr_ledger_close(ledger);
}

static void wait_for_the_lock_can_be_cancelled(void **state)
{
    fixture *f = *state;
    pdpr_context *ctx = test_context(1);
    pdpr_ledger *ledger = NULL;
    pdpr_error err;
    int holder = open(f->path, O_RDONLY);
    assert_int_equal(flock(holder, LOCK_EX), 0);
    pdpr_context_cancel(ctx);
    assert_int_equal(pdpr_ledger_open(ctx, f->path, NULL, &ledger, &err), PDPR_ECANCELLED);
    close(holder);
    pdpr_context_free(ctx);
}

/* Another file takes the ledger's name while this process waits for the lock. */
static int replace_then_lock(void *user, int descriptor, int operation)
{
    fixture *f = user;
    size_t length;
    char *text = test_file_read(f->path, &length), moved[SCRATCH_PATH];
    test_scratch_path(f->folder, "moved", moved); /* keeps its inode from being used again */
    assert_int_equal(rename(f->path, moved), 0);
    test_file_write(f->path, text, length);
    free(text);
    return flock(descriptor, operation);
}

static void ledger_replaced_during_the_wait_is_refused(void **state)
{
    fixture *f = *state;
    pdpr_i_ledger_system system = pdpr_i_ledger_system_real;
    pdpr_ledger *ledger = NULL;
    pdpr_error err;
    system.user = f;
    system.lock = replace_then_lock;
    assert_int_equal(pdpr_i_ledger_open_with(f->ctx, f->path, NULL, &system, &ledger, &err),
                     PDPR_EFAILED);
    assert_non_null(strstr(err.text, "was replaced by another file while it was being opened"));
}

static ssize_t endless_read(void *user, int descriptor, void *bytes, size_t length)
{
    (void)user, (void)descriptor;
    memset(bytes, 'x', length);
    return (ssize_t)length;
}

static void ledger_growing_under_the_lock_is_refused(void **state)
{
    fixture *f = *state;
    pdpr_i_ledger_system system = pdpr_i_ledger_system_real;
    pdpr_ledger *ledger = NULL;
    pdpr_error err;
    system.read = endless_read;
    assert_int_equal(pdpr_i_ledger_open_with(f->ctx, f->path, NULL, &system, &ledger, &err),
                     PDPR_EFAILED);
    assert_non_null(strstr(err.text, "changed while it was locked"));
}

/* A second creator finds the ledger that the first has just put in place. */
static int missing_at_first(void *user, const char *path, struct stat *out)
{
    int *calls = user;
    errno = ENOENT;
    return (*calls)++ == 0 ? -1 : stat(path, out);
}

static void creator_who_comes_second_uses_the_first_ledger(void **state)
{
    fixture *f = *state;
    pdpr_i_ledger_system system = pdpr_i_ledger_system_real;
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_options options;
    int calls = 0;
    system.user = &calls;
    system.path_status = missing_at_first;
    pdpr_ledger_options_default(&options);
    options.create = true;
    char *before = test_file_read(f->path, NULL);
    assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, &options, &system, &ledger, NULL));
    char *after = test_file_read(f->path, NULL);
    assert_string_equal(before, after); /* the first one's secret, not ours */
    free(before);
    free(after);
    assert_int_equal(test_scratch_count(f->folder), 1);
    pdpr_ledger_close(ledger);
}

static int other_device(void *user, const char *path, struct stat *out)
{
    (void)user;
    int result = stat(path, out);
    out->st_dev++;
    return result;
}

static ssize_t write_nothing(void *user, int descriptor, const void *bytes, size_t length)
{
    (void)user, (void)descriptor, (void)bytes, (void)length;
    return 0;
}

static void odd_answers_of_the_system_are_refused(void **state)
{
    fixture *f = *state;
    pdpr_i_ledger_system system = pdpr_i_ledger_system_real;
    pdpr_ledger *ledger = NULL;
    pdpr_error err;
    system.path_status = other_device; /* same inode number, another disk */
    assert_int_equal(pdpr_i_ledger_open_with(f->ctx, f->path, NULL, &system, &ledger, &err),
                     PDPR_EFAILED);
    assert_non_null(strstr(err.text, "was replaced"));
    system = pdpr_i_ledger_system_real;
    system.write = write_nothing;
    assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, NULL, &system, &ledger, NULL));
    assert_int_equal(pdpr_ledger_set_budget(ledger, data_a, 1, 0, &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, "cannot write: No space left"));
    pdpr_ledger_close(ledger);
}

static void ledger_in_the_current_folder_is_found(void **state)
{
    fixture *f = *state;
    pdpr_ledger *ledger = NULL;
    char before[SCRATCH_PATH];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(f->folder), 0);
    pdpr_status s = pdpr_ledger_open(f->ctx, "ledger", NULL, &ledger, NULL);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(s, PDPR_OK);
    pdpr_ledger_close(ledger);
}

/* Looking, naming and resuming report the failure of any call they make. */
static void looking_reports_the_failure_of_any_call(void **state)
{
    fixture *f = *state;
    ledger_faults faults;
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_options options;
    char run[PDPR_LEDGER_ID_TEXT], found[PDPR_LEDGER_ID_TEXT], text[PDPR_LEDGER_KEY_TEXT];
    pdpr_i_reservation r = test_reservation(data_a, one, 1);
    pdpr_graph *g = test_graph_path(f->ctx, 3);
    assert_ok(pdpr_i_ledger_reserve(f->ledger, &r, run, NULL));
    pdpr_ledger_options_default(&options);
    options.read_only = true;
    for (int what = 0; what < 5; what++)
        for (uint64_t nth = 1;; nth++) {
            pdpr_status s = PDPR_OK;
            ledger_faults_init(&faults);
            if (what > 0)
                assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, &options, &faults.system,
                                                  &ledger, NULL));
            ledger_faults_set(&faults, FAULT_ERROR, EIO, nth);
            pdpr_ledger_summary *summary = NULL;
            pdpr_run_state got;
            if (what == 0)
                s = pdpr_i_ledger_open_with(f->ctx, f->path, &options, &faults.system, &ledger,
                                            NULL);
            else if (what == 1)
                s = pdpr_ledger_summarise(ledger, 0, &summary, NULL);
            else if (what == 2)
                s = pdpr_ledger_dataset_of(ledger, g, text, NULL);
            else if (what == 3)
                s = pdpr_i_ledger_resume(ledger, run, &r, &got, text, NULL);
            else
                s = pdpr_i_ledger_run_of(ledger, hash_c, found, &got, NULL);
            pdpr_ledger_summary_free(summary);
            if (what > 0 || s == PDPR_OK)
                pdpr_ledger_close(ledger);
            if (!faults.at_call) {
                assert_int_equal(s, PDPR_OK);
                break;
            }
            assert_int_equal(s, PDPR_EFAILED);
        }
    pdpr_graph_free(g);
}

/* Cutting off half a line may fail at any call too: then nothing is recorded. */
static void cutting_off_reports_the_failure_of_any_call(void **state)
{
    fixture *f = *state;
    ledger_faults faults;
    pdpr_ledger *ledger = NULL;
    size_t length;
    char *text = test_file_read(f->path, &length);
    text[length] = '{'; /* over the NUL */
    ledger_faults_init(&faults);
    assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, NULL, &faults.system, &ledger, NULL));
    for (uint64_t nth = 1;; nth++) {
        test_file_write(f->path, text, length + 1);
        ledger_faults_set(&faults, FAULT_ERROR, EIO, nth);
        pdpr_status s = pdpr_ledger_set_budget(ledger, data_a, 1, 0, NULL);
        if (!faults.at_call) {
            assert_int_equal(s, PDPR_OK);
            break;
        }
        assert_int_equal(s, PDPR_EFAILED);
        ledger_faults_set(&faults, FAULT_NONE, 0, 0);
        assert_ok(pdpr_ledger_set_budget(ledger, data_a, 1, 0, NULL));
        pdpr_ledger_close(ledger); /* it remembers the line that the next round takes away */
        assert_int_equal(unlink(f->path), 0);
        test_file_write(f->path, text, length + 1);
        assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, NULL, &faults.system, &ledger, NULL));
    }
    pdpr_ledger_close(ledger);

    /* Interrupted at the cut itself (the seventh call): it is made again. */
    ledger_faults_set(&faults, FAULT_NONE, 0, 0);
    test_file_write(f->path, text, length + 1);
    assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, NULL, &faults.system, &ledger, NULL));
    ledger_faults_set(&faults, FAULT_INTERRUPT, 0, 7);
    assert_ok(pdpr_ledger_set_budget(ledger, data_a, 1, 0, NULL));
    assert_int_equal(faults.at_call, 'c');
    pdpr_ledger_close(ledger);
    free(text);
}

static void naming_a_dataset_can_be_cancelled(void **state)
{
    fixture *f = *state;
    pdpr_context *ctx = test_context(1);
    pdpr_ledger *ledger = NULL;
    char key[PDPR_LEDGER_KEY_TEXT];
    pdpr_graph *g = test_graph_path(ctx, 3);
    assert_ok(pdpr_ledger_open(ctx, f->path, NULL, &ledger, NULL));
    pdpr_context_cancel(ctx);
    assert_int_equal(pdpr_ledger_dataset_of(ledger, g, key, NULL), PDPR_ECANCELLED);
    pdpr_graph_free(g);
    pdpr_ledger_close(ledger);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- order of the system calls */

/* What is acknowledged is on disk: the file is flushed between write and close, the folder after
 * the ledger was put in place, and nothing is written before the lock is had. */
static void append_is_flushed_before_it_is_acknowledged(void **state)
{
    fixture *f = *state;
    ledger_faults faults;
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_options options;
    char path[SCRATCH_PATH], run[PDPR_LEDGER_ID_TEXT];
    ledger_faults_init(&faults);
    test_scratch_path(f->folder, "traced", path);
    pdpr_ledger_options_default(&options);
    options.create = true;
    pdpr_i_reservation r = test_reservation(data_a, one, 1);
    assert_ok(pdpr_i_ledger_open_with(f->ctx, path, &options, &faults.system, &ledger, NULL));
    /* look; make, write, flush, close, link, unlink; open, lock, examine, read; flush the folder */
    assert_string_equal(faults.trace, "p"
                                      "twfxku"
                                      "olsprrx"
                                      "ofx");
    ledger_faults_set(&faults, FAULT_NONE, 0, 0);
    assert_ok(pdpr_i_ledger_reserve(ledger, &r, run, NULL));
    assert_string_equal(faults.trace, "olsprrwfx");

    size_t length;
    char *text = test_file_read(path, &length);
    text[length] = '{'; /* over the NUL: half a line behind the whole ones */
    test_file_write(path, text, length + 1);
    free(text);
    ledger_faults_set(&faults, FAULT_NONE, 0, 0);
    assert_ok(pdpr_i_ledger_drawn(ledger, run, NULL));
    assert_string_equal(faults.trace, "olsprrcfwfx");
    pdpr_ledger_close(ledger);
}

/* The day is for the reader: a clock that jumps changes nothing. */
static void days_out_of_order_change_nothing(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    const char *const days[] = {"2026-11-15", "1970-01-01", "9999-99-99", "2026-11-14"};
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_a, 4, 0, NULL));
    for (int i = 0; i < 4; i++) {
        pdpr_i_reservation r = test_reservation(data_a, one, 1);
        r.day = days[i];
        assert_ok(pdpr_i_ledger_reserve(f->ledger, &r, run, NULL));
        assert_ok(pdpr_i_ledger_drawn(f->ledger, run, NULL));
    }
    assert_int_equal(test_reserve(f->ledger, data_a, one, 1, run, NULL), PDPR_EBUDGET);
}

/* ---------------------------------------------------------------- memory */

/* A run's whole life and a look at it. */
static pdpr_status live(fixture *f, pdpr_graph *g)
{
    pdpr_status s = PDPR_OK;
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_summary *summary = NULL;
    pdpr_ledger_options options;
    char run[PDPR_LEDGER_ID_TEXT], data[PDPR_LEDGER_KEY_TEXT] = "", output[PDPR_LEDGER_KEY_TEXT];
    pdpr_run_state got;
    pdpr_i_reservation r = test_reservation(data, mixed, 3);
    unlink(f->path);
    pdpr_ledger_options_default(&options);
    options.create = true;
    PDPR_TRY(pdpr_ledger_open(f->ctx, f->path, &options, &ledger, NULL));
    PDPR_TRY(pdpr_ledger_dataset_of(ledger, g, data, NULL));
    PDPR_TRY(pdpr_ledger_dataset_named(ledger, "name", output, NULL));
    PDPR_TRY(pdpr_ledger_set_budget(ledger, data, 9, 1e-5, NULL));
    PDPR_TRY(pdpr_i_ledger_reserve(ledger, &r, run, NULL));
    PDPR_TRY(pdpr_i_ledger_drawn(ledger, run, NULL));
    PDPR_TRY(pdpr_i_ledger_commit(ledger, run, hash_c, NULL));
    PDPR_TRY(pdpr_i_ledger_published(ledger, run, NULL));
    PDPR_TRY(pdpr_i_ledger_resume(ledger, run, &r, &got, output, NULL));
    PDPR_TRY(pdpr_i_ledger_run_of(ledger, hash_c, run, &got, NULL));
    PDPR_TRY(pdpr_ledger_summarise(ledger, 1e-5, &summary, NULL));
done:
    pdpr_ledger_summary_free(summary);
    pdpr_ledger_close(ledger);
    return s;
}

static void ledger_survives_every_allocation_failure(void **state)
{
    fixture *f = *state;
    pdpr_graph *g = test_graph_path(f->ctx, 4);
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(f->ctx, status, { status = live(f, g); });
    pdpr_ledger_close(f->ledger);
    assert_int_equal(unlink(f->path), 0);
    f->ledger = test_ledger_case_open(f, true);
    char run[PDPR_LEDGER_ID_TEXT];
    assert_ok(
        test_reserve(f->ledger, data_a, one, 1, run, NULL)); /* a dataset met by a reservation */
    FOR_EACH_ALLOCATION_FAILURE(f->ctx, status, {
        pdpr_ledger_summary *s = NULL;
        status = pdpr_ledger_summarise(f->ledger, 0, &s, NULL);
        pdpr_ledger_summary_free(s);
    });
    pdpr_graph_free(g);
}

static void ledger_survives_every_failure_of_jansson(void **state)
{
    fixture *f = *state;
    pdpr_graph *g = test_graph_path(f->ctx, 4);
    uint64_t before = pdpr_context_memory(f->ctx, NULL);
    for (uint64_t nth = 1;; nth++) {
        test_fail_jansson(nth);
        pdpr_status s = live(f, g);
        uint64_t calls = test_fail_jansson(0);
        assert_int_equal(pdpr_context_memory(f->ctx, NULL), before);
        if (calls < nth) {
            assert_int_equal(s, PDPR_OK);
            break;
        }
        assert_int_not_equal(s, PDPR_OK);
    }
    pdpr_graph_free(g);
}

/* Refused budget at each allocation: the message's own sums may fail too. */
static void refusal_survives_every_allocation_failure(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_a, 0.5, 0, NULL));
    for (uint64_t nth = 1;; nth++) {
        pdpr_i_fail_allocation(f->ctx, nth);
        pdpr_status s = test_reserve(f->ledger, data_a, one, 1, run, NULL);
        if (pdpr_i_fail_allocation(f->ctx, 0) < nth) {
            assert_int_equal(s, PDPR_EBUDGET);
            break;
        }
        assert_int_equal(s, PDPR_ENOMEM);
    }
}

int main(void)
{
    test_fail_jansson(0);
    const struct CMUnitTest tests[] = {
        with_ledger(lock_held_elsewhere_is_waited_for_then_given_up),
        with_ledger(steps_of_a_paid_run_wait_for_the_lock_without_limit),
        with_ledger(wait_for_the_lock_can_be_cancelled),
        with_ledger(ledger_replaced_during_the_wait_is_refused),
        with_ledger(ledger_growing_under_the_lock_is_refused),
        with_ledger(creator_who_comes_second_uses_the_first_ledger),
        with_ledger(odd_answers_of_the_system_are_refused),
        with_ledger(ledger_in_the_current_folder_is_found),
        with_ledger(looking_reports_the_failure_of_any_call),
        with_ledger(cutting_off_reports_the_failure_of_any_call),
        with_ledger(naming_a_dataset_can_be_cancelled),
        with_ledger(append_is_flushed_before_it_is_acknowledged),
        with_ledger(days_out_of_order_change_nothing),
        with_ledger(ledger_survives_every_allocation_failure),
        with_ledger(ledger_survives_every_failure_of_jansson),
        with_ledger(refusal_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("ledger_system", tests, NULL, NULL);
}
