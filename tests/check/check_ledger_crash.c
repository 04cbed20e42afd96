/* The ledger under faults: killed before, within and after every system call, failing calls, full
 * disks, and processes that race. After each the ledger must be readable, must hold at least what
 * was acknowledged, and must lead the run to one publication with one reservation.
 *
 * Faults come through the table of system calls (ledger_system.h), so that every point between two
 * calls is visited; kill -9 at odd moments and a real file-size limit follow. */
#include "support/support.h"
#include "support/scratch.h"
#include "support/ledger_faults.h"
#include "dp/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char data_a[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
static const char hash_c[] = "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc";
static const pdpr_i_ledger_charge one[] = {{.label = "count", .num = 1, .den = 1}};
static const pdpr_i_reservation plan = {.dataset = data_a,
                                        .charges = one,
                                        .num_charges = 1,
                                        .method = "blueprint",
                                        .day = "2026-11-15"};

/* What a process did, as the world outside sees it: in memory that survives it. */
typedef struct {
    bool opened, budget_set;
    bool reserved, drawn, committed, published; /* acknowledged by the ledger */
    bool noise_exists, output_is_public;        /* done on the strength of that */
    char run[PDPR_LEDGER_ID_TEXT];
} world;

static world *shared_world(void)
{
    world *w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(w != MAP_FAILED);
    return w;
}

/* One run from wherever it stands to its publication, the way a method does it. */
static pdpr_status live(pdpr_context *ctx, const char *path, const pdpr_i_ledger_system *system,
                        bool create, world *w, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_options options;
    pdpr_run_state state = PDPR_RUN_RESERVED;
    char output[PDPR_LEDGER_KEY_TEXT];

    pdpr_ledger_options_default(&options);
    options.create = create;
    options.wait_seconds = 60;
    PDPR_TRY(pdpr_i_ledger_open_with(ctx, path, &options, system, &ledger, err));
    w->opened = true;
    if (!w->budget_set)
        PDPR_TRY(pdpr_ledger_set_budget(ledger, data_a, 1.5, 0, err));
    w->budget_set = true;
    if (w->run[0]) {
        PDPR_TRY(pdpr_i_ledger_resume(ledger, w->run, &plan, &state, output, err));
    } else {
        PDPR_TRY(pdpr_i_ledger_reserve(ledger, &plan, w->run, err));
        w->reserved = true;
    }
    if (state == PDPR_RUN_RESERVED) {
        PDPR_TRY(pdpr_i_ledger_drawn(ledger, w->run, err));
        w->drawn = true;
        state = PDPR_RUN_DRAWN;
    }
    w->noise_exists = true;
    if (state == PDPR_RUN_DRAWN) {
        PDPR_TRY(pdpr_i_ledger_commit(ledger, w->run, hash_c, err));
        w->committed = true;
        state = PDPR_RUN_COMMITTED;
    }
    w->output_is_public = true;
    if (state == PDPR_RUN_COMMITTED)
        PDPR_TRY(pdpr_i_ledger_published(ledger, w->run, err));
    w->published = true;
done:
    pdpr_ledger_close(ledger);
    return s;
}

/* Reads the ledger after a fault and checks what docs/proofs/ledger.md promises. False if there is
 * no ledger, which is right only if none was ever opened. Adopts a reservation whose owner died
 * before it heard of it, as an operator does who looks at the ledger. */
static bool assert_invariants(pdpr_context *ctx, const char *path, world *w)
{
    struct stat info;
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_options options;
    pdpr_ledger_summary *s = NULL;
    pdpr_error err = {0};

    if (stat(path, &info) != 0) {
        assert_false(w->opened);
        return false;
    }
    pdpr_ledger_options_default(&options);
    options.read_only = true;
    if (pdpr_ledger_open(ctx, path, &options, &ledger, &err) != PDPR_OK)
        fail_msg("the ledger is not readable: %s", err.text);
    assert_ok(pdpr_ledger_summarise(ledger, 0, &s, NULL));
    assert_true(s->num_runs <= 1);
    assert_int_equal(s->num_runs >= 1 || !w->reserved, 1);
    if (s->num_runs == 1) {
        pdpr_run_state state = s->runs[0].state;
        assert_int_not_equal(state, PDPR_RUN_REFUNDED);
        assert_true(state >= PDPR_RUN_DRAWN || !w->drawn);
        assert_true(state >= PDPR_RUN_DRAWN || !w->noise_exists); /* spent >= released */
        assert_true(state >= PDPR_RUN_COMMITTED || !w->committed);
        assert_true(state >= PDPR_RUN_COMMITTED || !w->output_is_public);
        assert_true(state >= PDPR_RUN_PUBLISHED || !w->published);
        assert_true(s->datasets[0].epsilon == 1);
        strcpy(w->run, s->runs[0].run);
    } else {
        w->run[0] = '\0'; /* handed out in case its line stands, and it does not */
    }
    /* A line may be there unacknowledged, but no more than one. */
    uint64_t acknowledged =
        (uint64_t)w->opened + w->budget_set + w->reserved + w->drawn + w->committed + w->published;
    assert_true(s->lines >= acknowledged && s->lines <= acknowledged + 1);
    w->budget_set = s->num_datasets > 0;
    pdpr_ledger_summary_free(s);
    pdpr_ledger_close(ledger);
    return true;
}

/* The run is taken up again without faults and must end as one published run; the rest of the
 * budget does not pay for a second. */
static void assert_finishes(pdpr_context *ctx, const char *path, world *w)
{
    pdpr_error err = {0};
    if (live(ctx, path, &pdpr_i_ledger_system_real, true, w, &err) != PDPR_OK)
        fail_msg("the run cannot be finished: %s", err.text);
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_summary *s = NULL;
    char run[PDPR_LEDGER_ID_TEXT];
    assert_ok(pdpr_ledger_open(ctx, path, NULL, &ledger, NULL));
    assert_int_equal(pdpr_i_ledger_reserve(ledger, &plan, run, NULL), PDPR_EBUDGET);
    assert_ok(pdpr_ledger_summarise(ledger, 0, &s, NULL));
    assert_int_equal(s->num_runs, 1);
    assert_int_equal(s->runs[0].state, PDPR_RUN_PUBLISHED);
    assert_int_equal(s->lines, 6); /* open, budget, reserve, drawn, commit, published */
    assert_int_equal(s->incomplete_bytes, 0);
    pdpr_ledger_summary_free(s);
    pdpr_ledger_close(ledger);
}

/* ---------------------------------------------------------------- every call */

/* Runs `live` with a fault at call n = 1, 2, … until it is past the last call. */
static void visit_every_call(fault_kind kind, int error, bool in_child)
{
    pdpr_context *ctx = test_context(1);
    world *w = shared_world();
    char folder[SCRATCH_PATH], path[SCRATCH_PATH];
    uint64_t points = 0;
    for (uint64_t nth = 1;; nth++) {
        ledger_faults faults;
        pdpr_error err = {0};
        bool reached;
        test_scratch_make(folder);
        test_scratch_path(folder, "ledger", path);
        memset(w, 0, sizeof *w);
        ledger_faults_init(&faults);
        ledger_faults_set(&faults, kind, error, nth);
        if (in_child) {
            pid_t child = fork();
            assert_true(child >= 0);
            if (child == 0) {
                pdpr_status s = live(ctx, path, &faults.system, true, w, &err);
                _exit(s == PDPR_OK ? 0 : 1);
            }
            int status;
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_true(WIFEXITED(status));
            reached = WEXITSTATUS(status) == FAULT_EXIT_CODE;
            assert_true(reached || WEXITSTATUS(status) == 0);
        } else {
            pdpr_status s = live(ctx, path, &faults.system, true, w, &err);
            reached = faults.at_call != 0;
            /* A fault that is reported is a failure with words; one that is survived leaves a run
             * that is done. Interrupted and short calls are simply made again. */
            assert_true(s == PDPR_OK || (s == PDPR_EFAILED && err.text[0]));
            assert_int_equal(w->published, s == PDPR_OK);
            if (kind == FAULT_SHORT ||
                (kind == FAULT_INTERRUPT && faults.at_call && !strchr("spku", faults.at_call)))
                assert_int_equal(s, PDPR_OK);
            if (kind == FAULT_ERROR && faults.at_call && faults.at_call != 'u')
                assert_int_equal(s, PDPR_EFAILED);
            if (kind == FAULT_LATE && faults.at_call && strchr("fx", faults.at_call))
                assert_int_equal(s, PDPR_EFAILED);
            if (kind == FAULT_FULL && faults.at_call == 'w')
                assert_int_equal(s, PDPR_EFAILED);
        }
        (void)assert_invariants(ctx, path, w);
        assert_finishes(ctx, path, w);
        assert_true(test_scratch_count(folder) <= 2); /* at most one temporary file stays */
        test_scratch_remove(folder);
        if (!reached)
            break;
        points++;
    }
    print_message("%d points\n", (int)points);
    assert_true(points > 40); /* six appends of seven calls or more */
    munmap(w, sizeof *w);
    pdpr_context_free(ctx);
}

static void killed_before_any_call_leaves_a_valid_ledger(void **state)
{
    (void)state;
    visit_every_call(FAULT_DIE, 0, true);
}

static void killed_within_or_after_any_call_leaves_a_valid_ledger(void **state)
{
    (void)state;
    visit_every_call(FAULT_DIE_WITHIN, 0, true);
}

static void failure_of_any_call_is_reported(void **state)
{
    (void)state;
    visit_every_call(FAULT_ERROR, EIO, false);
    visit_every_call(FAULT_LATE, EIO, false);
}

static void interrupted_or_short_calls_are_continued(void **state)
{
    (void)state;
    visit_every_call(FAULT_INTERRUPT, 0, false);
    visit_every_call(FAULT_SHORT, 0, false);
}

static void disk_full_at_any_call_is_reported(void **state)
{
    (void)state;
    visit_every_call(FAULT_FULL, ENOSPC, false);
}

/* A crash left half a line; a second crash or fault comes while it is being cut off. */
static void fault_while_cutting_off_a_tail_is_survived(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    char folder[SCRATCH_PATH], path[SCRATCH_PATH], run[PDPR_LEDGER_ID_TEXT];
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_options options;
    ledger_faults faults;
    size_t length;
    test_scratch_make(folder);
    test_scratch_path(folder, "ledger", path);
    pdpr_ledger_options_default(&options);
    options.create = true;
    assert_ok(pdpr_ledger_open(ctx, path, &options, &ledger, NULL));
    pdpr_ledger_close(ledger);
    char *whole = test_file_read(path, &length), *torn = malloc(length + 30);
    memcpy(torn, whole, length);
    memcpy(torn + length, "{\"charges\":[{\"den\":1,\"label\":", 30);
    for (int kind = FAULT_ERROR; kind <= FAULT_DIE_WITHIN; kind++)
        for (uint64_t nth = 1; nth <= 12; nth++) {
            test_file_write(path, torn, length + 30);
            ledger_faults_init(&faults);
            ledger_faults_set(&faults, (fault_kind)kind, EIO, nth);
            pid_t child = fork();
            if (child == 0) {
                /* the ledger was read before: open is not part of this */
                faults.at += 8;
                if (pdpr_i_ledger_open_with(ctx, path, NULL, &faults.system, &ledger, NULL) ==
                    PDPR_OK)
                    (void)!pdpr_i_ledger_reserve(ledger, &plan, run, NULL);
                _exit(0);
            }
            assert_int_equal(waitpid(child, NULL, 0), child);
            assert_ok(pdpr_ledger_open(ctx, path, NULL, &ledger, NULL));
            assert_ok(pdpr_i_ledger_reserve(ledger, &plan, run, NULL));
            pdpr_ledger_close(ledger);
        }
    free(whole);
    free(torn);
    test_scratch_remove(folder);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- the real thing */

static void kill_9_at_odd_moments_is_survived(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    world *w = shared_world();
    char folder[SCRATCH_PATH], path[SCRATCH_PATH];
    for (useconds_t round = 0; round < 60; round++) {
        test_scratch_make(folder);
        test_scratch_path(folder, "ledger", path);
        memset(w, 0, sizeof *w);
        pid_t child = fork();
        if (child == 0) {
            (void)!live(ctx, path, &pdpr_i_ledger_system_real, true, w, NULL);
            _exit(0);
        }
        usleep(round * 150);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        (void)assert_invariants(ctx, path, w);
        assert_finishes(ctx, path, w);
        test_scratch_remove(folder);
    }
    munmap(w, sizeof *w);
    pdpr_context_free(ctx);
}

/* A file-size limit stops the append after each number of its bytes, as a full disk does. */
static void real_size_limit_is_reported_and_recovered_from(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    char folder[SCRATCH_PATH], path[SCRATCH_PATH], run[PDPR_LEDGER_ID_TEXT];
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_options options;
    size_t before;
    test_scratch_make(folder);
    test_scratch_path(folder, "ledger", path);
    pdpr_ledger_options_default(&options);
    options.create = true;
    assert_ok(pdpr_ledger_open(ctx, path, &options, &ledger, NULL));
    free(test_file_read(path, &before));
    for (size_t room = 0; room < 300; room += 37) {
        pid_t child = fork();
        if (child == 0) {
            const struct rlimit limit = {before + room, before + room};
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &limit);
            pdpr_error err = {0};
            pdpr_status s = pdpr_i_ledger_reserve(ledger, &plan, run, &err);
            _exit(s == PDPR_EFAILED && strstr(err.text, "cannot write") ? 0 : 1);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        pdpr_ledger_summary *s = NULL;
        assert_ok(pdpr_ledger_summarise(ledger, 0, &s, NULL));
        assert_int_equal(s->num_runs, 0);
        assert_int_equal(s->incomplete_bytes, room);
        pdpr_ledger_summary_free(s);
    }
    assert_ok(pdpr_i_ledger_reserve(ledger, &plan, run, NULL)); /* space was freed */
    pdpr_ledger_close(ledger);
    test_scratch_remove(folder);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- races */

enum { RACERS = 4, TRIES = 15 };

/* Starts `count` processes at once and adds up their exit codes. */
static int race(int count, int (*work)(void *arg, int number), void *arg)
{
    int gate[2], sum = 0;
    pid_t child[RACERS];
    assert_int_equal(pipe(gate), 0);
    for (int i = 0; i < count; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            char byte;
            close(gate[1]);
            (void)!read(gate[0], &byte, 1); /* returns when the parent closes the gate */
            _exit(work(arg, i));
        }
    }
    close(gate[0]);
    close(gate[1]);
    for (int i = 0; i < count; i++) {
        int status;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_true(WIFEXITED(status));
        sum += WEXITSTATUS(status);
    }
    return sum;
}

static pdpr_ledger *open_patient(const char *path, bool create)
{
    pdpr_ledger_options options;
    pdpr_ledger *ledger = NULL;
    pdpr_context *ctx = test_context(1);
    pdpr_ledger_options_default(&options);
    options.create = create;
    options.wait_seconds = 120;
    return pdpr_ledger_open(ctx, path, &options, &ledger, NULL) == PDPR_OK ? ledger : NULL;
}

/* The number of tenths this process could reserve. */
static int spend_tenths(void *arg, int number)
{
    (void)number;
    const pdpr_i_ledger_charge tenth[] = {{.label = "t", .num = 1, .den = 10}};
    pdpr_i_reservation r = plan;
    pdpr_ledger *ledger = open_patient(arg, false);
    char run[PDPR_LEDGER_ID_TEXT];
    int had = 0;
    r.charges = tenth;
    for (int i = 0; i < TRIES; i++) {
        pdpr_status s = pdpr_i_ledger_reserve(ledger, &r, run, NULL);
        if (s != PDPR_OK && s != PDPR_EBUDGET)
            return 200;
        had += s == PDPR_OK;
    }
    return had;
}

static void racing_processes_never_overspend(void **state)
{
    (void)state;
    char folder[SCRATCH_PATH], path[SCRATCH_PATH];
    test_scratch_make(folder);
    test_scratch_path(folder, "ledger", path);
    pdpr_ledger *ledger = open_patient(path, true);
    assert_ok(pdpr_ledger_set_budget(ledger, data_a, 2, 0, NULL));
    /* 4 processes want 6.0 together, 2.0 are there. */
    assert_int_equal(race(RACERS, spend_tenths, path), 20);
    pdpr_ledger_summary *s = NULL;
    assert_ok(pdpr_ledger_summarise(ledger, 0, &s, NULL));
    assert_int_equal(s->num_runs, 20);
    assert_close(s->datasets[0].epsilon, 2, 1e-12);
    pdpr_ledger_summary_free(s);
    pdpr_context *ctx = ledger->place.ctx;
    pdpr_ledger_close(ledger);
    pdpr_context_free(ctx);
    test_scratch_remove(folder);
}

static int create_it(void *arg, int number)
{
    (void)number;
    pdpr_ledger *ledger = open_patient(arg, true);
    char run[PDPR_LEDGER_ID_TEXT];
    return ledger && pdpr_i_ledger_reserve(ledger, &plan, run, NULL) == PDPR_OK ? 1 : 0;
}

static void racing_creators_make_one_ledger(void **state)
{
    (void)state;
    for (int round = 0; round < 10; round++) {
        char folder[SCRATCH_PATH], path[SCRATCH_PATH];
        test_scratch_make(folder);
        test_scratch_path(folder, "ledger", path);
        assert_int_equal(race(RACERS, create_it, path), RACERS);
        pdpr_ledger *ledger = open_patient(path, false);
        pdpr_ledger_summary *s = NULL;
        assert_ok(pdpr_ledger_summarise(ledger, 0, &s, NULL));
        assert_int_equal(s->num_runs, RACERS); /* nobody's reservation went to a lost file */
        pdpr_ledger_summary_free(s);
        pdpr_context *ctx = ledger->place.ctx;
        pdpr_ledger_close(ledger);
        pdpr_context_free(ctx);
        assert_int_equal(test_scratch_count(folder), 1);
        test_scratch_remove(folder);
    }
}

typedef struct {
    char path[SCRATCH_PATH], run[PDPR_LEDGER_ID_TEXT];
} contest;

static int draw_or_refund(void *arg, int number)
{
    contest *c = arg;
    pdpr_ledger *ledger = open_patient(c->path, false);
    return (number == 0 ? pdpr_i_ledger_drawn(ledger, c->run, NULL)
                        : pdpr_ledger_refund(ledger, c->run, NULL)) == PDPR_OK
               ? 1
               : 0;
}

/* The operator gives a run back that is about to draw: one of the two hears no. */
static void draw_and_refund_exclude_each_other(void **state)
{
    (void)state;
    contest c;
    char folder[SCRATCH_PATH];
    test_scratch_make(folder);
    test_scratch_path(folder, "ledger", c.path);
    pdpr_ledger *ledger = open_patient(c.path, true);
    for (int round = 0; round < 30; round++) {
        assert_ok(pdpr_i_ledger_reserve(ledger, &plan, c.run, NULL));
        assert_int_equal(race(2, draw_or_refund, &c), 1);
    }
    pdpr_context *ctx = ledger->place.ctx;
    pdpr_ledger_close(ledger);
    pdpr_context_free(ctx);
    test_scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_before_any_call_leaves_a_valid_ledger),
        cmocka_unit_test(killed_within_or_after_any_call_leaves_a_valid_ledger),
        cmocka_unit_test(failure_of_any_call_is_reported),
        cmocka_unit_test(interrupted_or_short_calls_are_continued),
        cmocka_unit_test(disk_full_at_any_call_is_reported),
        cmocka_unit_test(fault_while_cutting_off_a_tail_is_survived),
        cmocka_unit_test(kill_9_at_odd_moments_is_survived),
        cmocka_unit_test(real_size_limit_is_reported_and_recovered_from),
        cmocka_unit_test(racing_processes_never_overspend),
        cmocka_unit_test(racing_creators_make_one_ledger),
        cmocka_unit_test(draw_and_refund_exclude_each_other),
    };
    return cmocka_run_group_tests_name("ledger crash", tests, NULL, NULL);
}
