/* Output names belong to one process at a time: what a second run, a resumed one and a recovery do
 * beside a live run, and to the drafts that dead ones left. */
#include "support/support.h"
#include "support/own_ledger.h"
#include "support/system_faults.h"
#include "dp/ledger.h"
#include "method/drafts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

static pdpr_method_options quick(fixture *f, bool keeps_checkpoint)
{
    pdpr_method_options o;
    pdpr_method_options_default(&o);
    o.method = "privdpr";
    o.profile = "tight";
    o.day = "2026-11-16";
    o.edges = EDGES;
    o.columns = 8;
    o.width = 4;
    o.epochs = 2;
    o.batch = 16;
    o.checkpoint_path = keeps_checkpoint ? f->checkpoint : NULL;
    o.checkpoint_seconds = 0;
    return o;
}

static pdpr_status publish(fixture *f, pdpr_context *ctx, pdpr_ledger *ledger,
                           const pdpr_method_options *o, pdpr_error *err)
{
    const char *const graphs[] = {f->graph};
    const pdpr_publication p = {.struct_size = sizeof p,
                                .graph_path = graphs,
                                .num_graphs = 1,
                                .certificate_path = f->certificate};
    return pdpr_publish(ctx, f->g, o, ledger, &p, err);
}

static void expect_runs(fixture *f, uint64_t runs, pdpr_run_state last)
{
    pdpr_run_state found = PDPR_RUN_RESERVED;
    assert_int_equal(test_ledger_runs(f->ledger, &found), runs);
    assert_int_equal(found, last);
}

static void expect_verified(fixture *f)
{
    pdpr_verification *v = NULL;
    assert_ok(pdpr_certificate_verify(f->ctx, f->certificate, f->graph, &v, NULL));
    assert_true(v->passed);
    pdpr_verification_free(v);
    assert_int_equal(test_scratch_count(f->out), 2); /* no drafts, no locks */
}

/* A run that was interrupted and left its checkpoint. */
static void leave_checkpoint(fixture *f)
{
    const pdpr_method_options o = quick(f, true);
    for (int n = 4; access(f->checkpoint, F_OK) != 0; n++) {
        atomic_store(&f->ctx->cancelled, -n);
        assert_int_equal(publish(f, f->ctx, f->ledger, &o, NULL), PDPR_ECANCELLED);
        atomic_store(&f->ctx->cancelled, 0);
    }
    assert_int_equal(test_scratch_count(f->out), 0);
}

/* ---------------------------------------------------------------- two processes */

typedef struct {
    int says, hears; /* pipes */
    bool waited;
} pause_at;

/* Says that training ends now, and waits for a word. */
static void wait_for_word(void *user, const char *what, uint64_t done, uint64_t total)
{
    pause_at *p = user;
    char word = 0;
    if (p->waited || done != total || strcmp(what, "training") != 0)
        return;
    p->waited = true;
    if (write(p->says, "t", 1) != 1 || read(p->hears, &word, 1) != 1)
        _exit(9);
}

/* A process that publishes, and stops after its noise until it is told to go on. */
static pid_t start_live_run(fixture *f, int *told, int *tell)
{
    int from[2], to[2];
    assert_int_equal(pipe(from), 0);
    assert_int_equal(pipe(to), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        pause_at pause = {.says = from[1], .hears = to[0]};
        pdpr_context_options options;
        pdpr_context *ctx = NULL;
        pdpr_ledger *ledger = NULL;
        pdpr_error err = {0};
        pdpr_context_options_default(&options);
        options.threads = 1;
        options.progress = wait_for_word;
        options.user = &pause;
        const pdpr_method_options o = quick(f, false);
        if (pdpr_context_new(&options, &ctx, &err) != PDPR_OK ||
            pdpr_ledger_open(ctx, f->ledger_path, NULL, &ledger, &err) != PDPR_OK ||
            publish(f, ctx, ledger, &o, &err) != PDPR_OK) {
            fprintf(stderr, "%s\n", err.text);
            _exit(1);
        }
        _exit(pause.waited ? 0 : 2);
    }
    close(from[1]);
    close(to[0]);
    *told = from[0];
    *tell = to[1];
    return child;
}

static void name_of_a_live_run_is_left_alone(void **state)
{
    fixture *f = *state;
    pdpr_error err = {0};
    int told, tell, status;
    char word;
    uint64_t placed = 9;
    pdpr_run_state last;

    leave_checkpoint(f); /* of another run with the same output names */
    uint64_t runs = test_ledger_runs(f->ledger, &last) + 1;
    pid_t child = start_live_run(f, &told, &tell);
    assert_int_equal(read(told, &word, 1), 1);
    expect_runs(f, runs, PDPR_RUN_DRAWN);

    pdpr_method_options o = quick(f, false); /* a second run */
    assert_int_equal(publish(f, f->ctx, f->ledger, &o, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "another process is publishing under this name"));
    o = quick(f, true); /* a resumed one */
    o.resume = true;
    assert_int_equal(publish(f, f->ctx, f->ledger, &o, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "another process is publishing under this name"));
    assert_int_equal(pdpr_publish_recover(f->ctx, f->ledger, f->certificate, NULL, &placed, &err),
                     PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "another process is publishing under this name"));
    expect_runs(f, runs, PDPR_RUN_DRAWN); /* nothing was spent */
    assert_int_equal(access(f->checkpoint, F_OK), 0);

    assert_int_equal(write(tell, "g", 1), 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    expect_runs(f, runs, PDPR_RUN_PUBLISHED);
    expect_verified(f);
    assert_ok(publish(f, f->ctx, f->ledger, &o, NULL)); /* now the other may replace its files */
    expect_verified(f);
    close(told);
    close(tell);
}

/* Killed while it holds its locks: their files stay, the locks do not. */
static void lock_of_a_dead_run_is_taken(void **state)
{
    fixture *f = *state;
    int told, tell, status;
    char word;
    pid_t child = start_live_run(f, &told, &tell);
    assert_int_equal(read(told, &word, 1), 1);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(test_scratch_count(f->out) > 0);
    const pdpr_method_options o = quick(f, false);
    assert_ok(publish(f, f->ctx, f->ledger, &o, NULL));
    expect_verified(f);
    close(told);
    close(tell);
}

/* ---------------------------------------------------------------- drafts that are left */

static void draft_of_a_dead_run_stops_a_new_one(void **state)
{
    fixture *f = *state;
    pdpr_error err = {0};
    test_file_write(f->draft, "old", 3);
    const pdpr_method_options o = quick(f, false);
    assert_int_equal(publish(f, f->ctx, f->ledger, &o, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "--recover"));
    size_t length;
    char *bytes = test_file_read(f->draft, &length);
    assert_string_equal(bytes, "old");
    free(bytes);
    unlink(f->draft);
    assert_ok(publish(f, f->ctx, f->ledger, &o, NULL));
    expect_runs(f, 1, PDPR_RUN_PUBLISHED);
    expect_verified(f);
}

/* A method without a ledger cannot ask whose drafts they are: a certificate among them tells. */
static void draft_of_a_certificate_stops_a_method_that_gives_none(void **state)
{
    fixture *f = *state;
    char draft[SCRATCH_PATH];
    pdpr_error err = {0};
    pdpr_method_options o = quick(f, false);
    o.method = "null";
    o.profile = NULL;
    test_scratch_path(f->out, ".draft-x.json", draft);
    test_file_write(draft, "{}", 2);
    assert_int_equal(publish(f, f->ctx, NULL, &o, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, ".draft-x.json: an earlier graph's certificate"));
    assert_int_equal(test_scratch_count(f->out), 1);
    unlink(draft);
    assert_ok(publish(f, f->ctx, NULL, &o, NULL));
    assert_int_equal(test_scratch_count(f->out), 1); /* the graph */
}

static const char hash[] = "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc";

/* A draft as a dead run leaves it, its lock saying whose it is (NULL: there is no lock). */
static void leave_draft(fixture *f, const char *bytes, const char *run)
{
    char lock[SCRATCH_PATH];
    test_file_write(f->draft, bytes, strlen(bytes));
    test_scratch_path(f->out, ".lock-x.edges", lock);
    if (run)
        test_file_write(lock, run, strlen(run));
}

static void last_run(fixture *f, char run[PDPR_LEDGER_ID_TEXT])
{
    pdpr_ledger_summary *s = NULL;
    assert_ok(pdpr_ledger_summarise(f->ledger, 1e-5, &s, NULL));
    snprintf(run, PDPR_LEDGER_ID_TEXT, "%s", s->runs[s->num_runs - 1].run);
    pdpr_ledger_summary_free(s);
}

/* A run that is taken up again replaces its own drafts only: those of another may be committed, in
 * this ledger or in one that it cannot ask. */
static void resumed_run_keeps_off_the_drafts_of_another(void **state)
{
    fixture *f = *state;
    char here[PDPR_LEDGER_ID_TEXT];
    pdpr_error err = {0};
    pdpr_status status;
    leave_checkpoint(f);
    test_ledger_commit_run(f->ledger, hash, here);
    const char *const owners[] = {here, "0123456789abcdef0123456789abcdef", "", NULL};

    pdpr_method_options o = quick(f, true);
    o.resume = true;
    for (int i = 0; i < 4; i++) {
        bool told = owners[i] && owners[i][0];
        leave_draft(f, "its", owners[i]);
        for (int twice = 0; twice < 2; twice++) { /* the lock's word stays */
            assert_int_equal(publish(f, f->ctx, f->ledger, &o, &err), PDPR_EUSAGE);
            assert_non_null(strstr(err.text, told ? "another run that did not come to its end"
                                                  : "no lock says whose this draft is"));
            assert_non_null(strstr(err.text, "--recover"));
            assert_int_equal(test_scratch_count(f->out), told ? 2 : 1);
        }
        size_t length;
        char *bytes = test_file_read(f->draft, &length);
        assert_string_equal(bytes, "its");
        free(bytes);
    }
    FOR_EACH_ALLOCATION_FAILURE(f->ctx, status, {
        status = publish(f, f->ctx, f->ledger, &o, NULL);
        status = status == PDPR_EUSAGE ? PDPR_OK : status;
    });
    assert_int_equal(access(f->draft, F_OK), 0);
    unlink(f->draft); /* without a draft there is nothing to keep off */
    assert_ok(publish(f, f->ctx, f->ledger, &o, NULL));
    expect_verified(f);
}

/* What a run has committed to is recovered, not made again: asked for something else, the resumed
 * run would destroy it. */
static void resumed_run_keeps_off_its_own_committed_drafts(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    pdpr_error err = {0};
    pdpr_method_options o = quick(f, true);
    o.resume = true;
    leave_checkpoint(f);
    last_run(f, run);
    assert_ok(pdpr_i_ledger_commit(f->ledger, run, hash, NULL));
    leave_draft(f, "its", run);
    assert_int_equal(publish(f, f->ctx, f->ledger, &o, &err), PDPR_EUSAGE);
    run[8] = '\0';
    assert_non_null(strstr(err.text, "finished by the resumed run"));
    assert_non_null(strstr(err.text, run));
    assert_non_null(strstr(err.text, "--recover"));
    assert_int_equal(test_scratch_count(f->out), 2);

    unlink(f->draft); /* lost: it may be made again, if it comes to the same bytes */
    assert_int_equal(publish(f, f->ctx, f->ledger, &o, &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, "committed to another output"));
    assert_non_null(strstr(err.text, "stays spent unless it is resumed")); /* as without resuming */
    assert_non_null(strstr(err.text, run));
    assert_int_equal(test_scratch_count(f->out), 0);
}

static void resumed_run_replaces_its_own_drafts(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    leave_checkpoint(f);
    last_run(f, run);
    leave_draft(f, "half of it", run);
    pdpr_method_options o = quick(f, true);
    o.resume = true;
    assert_ok(publish(f, f->ctx, f->ledger, &o, NULL));
    expect_verified(f);
    assert_int_equal(test_scratch_count(f->out), 2); /* no lock either */
}

/* What a run was writing when it was killed is of no use; files that only look alike are kept. */
static void half_written_draft_of_a_dead_run_is_removed(void **state)
{
    fixture *f = *state;
    static const char *const dead[] = {"..draft-x.edges.a1B2c3.tmp", "..draft-x.json.zzzzzz.tmp"},
                             *const kept[] = {
                                 "..draft-x.edges.a1B2c3.tm",  "..draft-x.edges.a1B2.tmp",
                                 "..draft-y.edges.a1B2c3.tmp", "..draft-x.edges-a1B2c3.tmp",
                                 "x.draft-x.edges.a1B2c3.tmp", "x.edges.a1B2c3.tmp"};
    const pdpr_method_options o = quick(f, false);
    char path[SCRATCH_PATH];
    for (int i = 0; i < 8; i++) {
        test_scratch_path(f->out, i < 2 ? dead[i] : kept[i - 2], path);
        test_file_write(path, "half", 4);
    }
    assert_ok(publish(f, f->ctx, f->ledger, &o, NULL));
    for (int i = 0; i < 8; i++) {
        test_scratch_path(f->out, i < 2 ? dead[i] : kept[i - 2], path);
        assert_int_equal(access(path, F_OK) == 0, i >= 2);
    }
}

/* ---------------------------------------------------------------- a COMMIT that fails */

/* Calls of the ledger with a disk that fails at one flush. */
typedef struct {
    const char *ledger;
    uint64_t flushes, at; /* at: the flush that fails, from 1 */
    bool hides;           /* from then on the ledger cannot be read either */
    pdpr_i_ledger_system system;
} bad_disk;

static int flush_badly(void *user, int descriptor)
{
    bad_disk *b = user;
    if (++b->flushes != b->at)
        return fsync(descriptor);
    if (b->hides)
        assert_int_equal(chmod(b->ledger, 0640), 0);
    errno = EIO;
    return -1;
}

/* A ledger on such a disk, which must outlive it. */
static pdpr_ledger *open_badly(fixture *f, const char *path, bad_disk *disk)
{
    pdpr_ledger *ledger = NULL;
    disk->system = pdpr_i_ledger_system_real;
    disk->system.user = disk;
    disk->system.sync = flush_badly;
    assert_ok(pdpr_i_ledger_open_with(f->ctx, path, NULL, &disk->system, &ledger, NULL));
    return ledger;
}

/* A flush that fails leaves the line it was for. Whichever it is: what the ledger then has as
 * committed can be recovered, of what it has not no draft stays, and a ledger that cannot be read
 * is taken for one that has it. */
static void drafts_that_the_ledger_may_name_are_kept(void **state)
{
    fixture *f = *state;
    const pdpr_method_options o = quick(f, false);
    uint64_t recovered = 0;
    for (int hides = 0; hides < 2; hides++)
        for (uint64_t at = 1; at <= 3; at++) { /* RESERVE, DRAWN, COMMIT */
            bad_disk disk = {.ledger = f->ledger_path, .hides = hides};
            pdpr_ledger *ledger = open_badly(f, f->ledger_path, &disk);
            pdpr_run_state last = PDPR_RUN_RESERVED;
            pdpr_error err = {0};
            uint64_t placed = 0;
            disk.at = disk.flushes + at;
            assert_int_equal(publish(f, f->ctx, ledger, &o, &err), PDPR_EFAILED);
            assert_non_null(strstr(err.text, "cannot flush to disk"));
            pdpr_ledger_close(ledger);
            assert_int_equal(chmod(f->ledger_path, 0600), 0);
            (void)test_ledger_runs(f->ledger, &last);
            assert_int_equal(last == PDPR_RUN_COMMITTED, at == 3);
            if (at < 3) {
                assert_int_equal(test_scratch_count(f->out), 0);
                continue;
            }
            assert_non_null(strstr(err.text, "the drafts stay"));
            assert_null(strstr(err.text, "stays spent"));
            /* a ledger made at the name of an output since then is not replaced */
            test_file_write(f->graph, PDPR_I_LEDGER_BEGINNING, strlen(PDPR_I_LEDGER_BEGINNING));
            assert_int_equal(
                pdpr_publish_recover(f->ctx, f->ledger, f->certificate, NULL, &placed, &err),
                PDPR_EFAILED);
            assert_non_null(strstr(err.text, "is a ledger"));
            assert_int_equal(access(f->draft, F_OK), 0);
            assert_int_not_equal(access(f->certificate, F_OK), 0); /* all or nothing */
            unlink(f->graph);
            struct stat info;
            assert_int_equal(stat(f->draft, &info), 0);
            assert_int_equal(info.st_mode & 0777, 0600);
            assert_ok(pdpr_publish_recover(f->ctx, f->ledger, f->certificate, NULL, &placed, NULL));
            assert_int_equal(placed, 2);
            assert_int_equal(stat(f->graph, &info), 0);
            assert_int_equal(info.st_mode & 0777, pdpr_i_usual_mode());
            expect_verified(f);
            unlink(f->graph);
            unlink(f->certificate);
            recovered++;
        }
    assert_int_equal(recovered, 2);
}

/* Two ledgers and one output: the run of the one is committed and not placed when that of the other
 * is taken up again. Both come to their end, in that order. */
static void resumed_run_keeps_off_what_another_ledger_committed(void **state)
{
    fixture *f = *state;
    char folder[SCRATCH_PATH], path[SCRATCH_PATH];
    pdpr_error err = {0};
    uint64_t placed = 0;
    bad_disk disk = {0};
    pdpr_ledger *other = test_own_ledger(f->ctx, folder, path);
    pdpr_ledger_close(other);
    other = open_badly(f, path, &disk);

    leave_checkpoint(f);
    const pdpr_method_options committed = quick(f, false);
    disk.at = disk.flushes + 3; /* COMMIT */
    assert_int_equal(publish(f, f->ctx, other, &committed, &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, "the drafts stay"));
    assert_string_equal(pdpr_ledger_open_run(other), ""); /* not one to resume */
    pdpr_method_options o = quick(f, true);
    o.resume = true;
    assert_int_equal(publish(f, f->ctx, f->ledger, &o, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "another run"));
    assert_ok(pdpr_publish_recover(f->ctx, other, f->certificate, NULL, &placed, NULL));
    assert_int_equal(placed, 2);
    expect_verified(f);
    assert_ok(publish(f, f->ctx, f->ledger, &o, NULL));
    expect_verified(f);
    assert_int_equal(test_scratch_count(f->out), 2);
    pdpr_ledger_close(other);
    test_scratch_remove(folder);
}

/* Calls of a ledger that has room for so many lines (RESERVE, DRAWN, COMMIT, PUBLISHED), or is held
 * by another process from then on while the user has waited enough. */
typedef struct {
    pdpr_context *ctx;
    int lines, most; /* written; after these it is full or busy */
    bool busy;
} full_or_busy;

static ssize_t write_some_lines(void *user, int descriptor, const void *bytes, size_t length)
{
    full_or_busy *b = user;
    errno = ENOSPC;
    return ++b->lines > b->most ? -1 : write(descriptor, bytes, length);
}

static int lock_for_some_lines(void *user, int descriptor, int operation)
{
    full_or_busy *b = user;
    if (!b->busy || b->lines < b->most)
        return flock(descriptor, operation);
    pdpr_context_cancel(b->ctx);
    errno = EWOULDBLOCK;
    return -1;
}

/* The run's outcome in such a ledger. */
static pdpr_status publish_into(fixture *f, int most, bool busy, pdpr_error *err)
{
    const pdpr_method_options o = quick(f, false);
    pdpr_context *ctx = test_context(1);
    full_or_busy b = {.ctx = ctx, .most = most, .busy = busy};
    pdpr_i_ledger_system system = pdpr_i_ledger_system_real;
    pdpr_ledger *ledger = NULL;
    system.user = &b;
    system.write = write_some_lines;
    system.lock = lock_for_some_lines;
    assert_ok(pdpr_i_ledger_open_with(ctx, f->ledger_path, NULL, &system, &ledger, NULL));
    pdpr_status s = publish(f, ctx, ledger, &o, err);
    pdpr_ledger_close(ledger);
    pdpr_context_free(ctx);
    return s;
}

/* The line itself cannot be written: the ledger can be read and has no COMMIT, so nothing stays. */
static void drafts_of_a_commit_that_is_not_there_are_removed(void **state)
{
    fixture *f = *state;
    pdpr_error err = {0};
    assert_int_equal(publish_into(f, 2, false, &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, "No space left"));
    assert_non_null(strstr(err.text, "stays spent"));
    expect_runs(f, 1, PDPR_RUN_DRAWN);
    assert_int_equal(test_scratch_count(f->out), 0);
}

/* Interrupted while COMMIT waits for the ledger, which cannot be asked either: the message does not
 * claim to know. */
static void run_that_may_be_committed_does_not_say_that_it_is(void **state)
{
    fixture *f = *state;
    pdpr_error err = {0};
    assert_int_equal(publish_into(f, 2, true, &err), PDPR_ECANCELLED);
    assert_non_null(strstr(err.text, "if the ledger has it as committed"));
    assert_non_null(strstr(err.text, "--resume"));
    assert_null(strstr(err.text, "the run is committed"));
    expect_runs(f, 1, PDPR_RUN_DRAWN);
    assert_int_equal(test_scratch_count(f->out), 4); /* the drafts, and whose they are */
}

/* All is in place and PUBLISHED cannot be recorded: the message says what is due, and not that
 * nothing was written. */
static void run_that_is_committed_says_how_it_is_finished(void **state)
{
    fixture *f = *state;
    for (int busy = 0; busy < 2; busy++) {
        pdpr_error err = {0};
        uint64_t placed = 9;
        assert_int_equal(publish_into(f, 3, busy, &err), busy ? PDPR_ECANCELLED : PDPR_EFAILED);
        assert_null(strstr(err.text, "no unfinished file"));
        assert_non_null(strstr(err.text, busy ? "interrupted; the run" : "No space left"));
        char command[4 * SCRATCH_PATH];
        snprintf(command, sizeof command, "`privdpr ledger %s --recover %s` finishes it",
                 f->ledger_path, f->certificate);
        assert_non_null(strstr(err.text, command));
        assert_ok(pdpr_publish_recover(f->ctx, f->ledger, f->certificate, NULL, &placed, NULL));
        assert_int_equal(placed, 0);
        expect_verified(f);
    }
}

/* Files that are not beside the certificate are found by the command that the message gives. */
static void command_names_the_other_folders(void **state)
{
    fixture *f = *state;
    char path[3][SCRATCH_PATH], graph[SCRATCH_PATH], end[4 * SCRATCH_PATH];
    const char *const graphs[] = {graph, f->graph};
    pdpr_error err = {0};
    uint64_t placed = 0;
    bad_disk disk = {0};
    pdpr_ledger *ledger = open_badly(f, f->ledger_path, &disk);
    for (int i = 0; i < 2; i++) {
        test_scratch_path(f->folder, i == 0 ? "a" : "b", path[i]);
        assert_int_equal(mkdir(path[i], 0700), 0);
    }
    test_scratch_path(path[0], "x.release", path[2]);
    test_scratch_path(path[1], "y.edges", graph);
    const pdpr_method_options o = quick(f, false);
    const pdpr_publication p = {.struct_size = sizeof p,
                                .release_path = path[2],
                                .graph_path = graphs,
                                .num_graphs = 2,
                                .certificate_path = f->certificate};
    disk.at = disk.flushes + 3; /* COMMIT */
    assert_int_equal(pdpr_publish(f->ctx, f->g, &o, ledger, &p, &err), PDPR_EFAILED);
    snprintf(end, sizeof end, "%s --folder %s/:%s/` finishes", f->certificate, path[0], path[1]);
    assert_non_null(strstr(err.text, end));
    pdpr_ledger_close(ledger);

    assert_int_equal(
        pdpr_publish_recover(f->ctx, f->ledger, f->certificate, path[0], &placed, &err),
        PDPR_EFAILED);
    assert_non_null(strstr(err.text, "or in the other folders, neither under its name nor as a "
                                     "draft: y.edges; nothing was moved"));
    snprintf(end, sizeof end, ":%s/::%s", path[0], path[1]);
    assert_ok(pdpr_publish_recover(f->ctx, f->ledger, f->certificate, end, &placed, NULL));
    assert_int_equal(placed, 4);
    expect_runs(f, 1, PDPR_RUN_PUBLISHED);
    expect_verified(f);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(test_scratch_count(path[i]), 1);
        test_scratch_remove(path[i]);
    }
}

/* Names as they come: a command that a shell takes apart differently would be no help, two files of
 * one name are told apart by their bytes, and a folder may have a ':' in its name. */
static void command_is_one_for_a_shell(void **state)
{
    fixture *f = *state;
    static const char *const folder[] = {"it's a", "b:c"};
    char path[2][SCRATCH_PATH], release[SCRATCH_PATH], graph[SCRATCH_PATH], end[4 * SCRATCH_PATH];
    const char *const graphs[] = {graph};
    pdpr_error err = {0};
    uint64_t placed = 0;
    bad_disk disk = {0};
    pdpr_ledger *ledger = open_badly(f, f->ledger_path, &disk);
    for (int i = 0; i < 2; i++) {
        test_scratch_path(f->folder, folder[i], path[i]);
        assert_int_equal(mkdir(path[i], 0700), 0);
    }
    test_scratch_path(path[0], "x.edges", graph);
    test_scratch_path(path[1], "x.edges", release);
    const pdpr_method_options o = quick(f, true);
    const pdpr_publication p = {.struct_size = sizeof p,
                                .release_path = release,
                                .graph_path = graphs,
                                .num_graphs = 1,
                                .certificate_path = f->certificate};
    /* RESERVE, DRAWN, and COMMIT after the folder of the checkpoint */
    for (disk.at = disk.flushes + 3; access(f->certificate, F_OK) != 0; disk.at++) {
        pdpr_status s = pdpr_publish(f->ctx, f->g, &o, ledger, &p, &err);
        if (strstr(err.text, "the drafts stay"))
            break;
        assert_int_not_equal(s, PDPR_OK);
        unlink(f->checkpoint);
    }
    snprintf(end, sizeof end, "--checkpoint %s --folder %s/:'%s/it'\\''s a/'` finishes",
             f->checkpoint, path[1], f->folder);
    assert_non_null(strstr(err.text, end));
    pdpr_ledger_close(ledger);

    /* the graph and the release have one name: both orders find both */
    assert_int_equal(
        pdpr_publish_recover(f->ctx, f->ledger, f->certificate, path[1], &placed, &err),
        PDPR_EFAILED);
    assert_non_null(strstr(err.text, "draft: x.edges; nothing was moved"));
    char moved[SCRATCH_PATH], draft[SCRATCH_PATH];
    test_scratch_path(path[1], ".draft-x.edges", draft);
    test_scratch_path(f->out, ".draft-x.edges", moved);
    assert_int_equal(rename(draft, moved), 0); /* a folder with a ':' can be named alone only */
    snprintf(end, sizeof end, "%s:%s", path[0], f->out);
    assert_ok(pdpr_publish_recover(f->ctx, f->ledger, f->certificate, end, &placed, NULL));
    assert_int_equal(placed, 3);
    for (int i = 0; i < 2; i++)
        test_scratch_remove(path[i]);
}

/* A draft that is there and cannot be read is no draft that is lost. */
static void recovery_of_an_unreadable_draft_says_so(void **state)
{
    fixture *f = *state;
    uint64_t told = 0;
    assert_int_equal(publish_into(f, 2, true, NULL), PDPR_ECANCELLED); /* leaves its drafts */
    for (uint64_t nth = 1;; nth++) {
        pdpr_error err = {0};
        uint64_t placed = 0;
        system_faults_set("open", SYSTEM_FAULT_ERROR, EIO, nth);
        pdpr_status s =
            pdpr_publish_recover(f->ctx, f->ledger, f->certificate, NULL, &placed, &err);
        if (!system_faults_end())
            break;
        assert_int_not_equal(s, PDPR_OK);
        told += strstr(err.text, ".draft-x.json") && strstr(err.text, "Input/output error");
    }
    assert_true(told > 0);
}

/* ---------------------------------------------------------------- one draft */

/* The word whose a draft is changes as a whole or not at all, and is not written again without
 * need: the disk may be full by then. */
static void word_of_a_lock_outlives_a_failure(void **state)
{
    fixture *f = *state;
    static const char *const run[] = {"0123456789abcdef0123456789abcdef",
                                      "fedcba9876543210fedcba9876543210"};
    char owner[PDPR_LEDGER_ID_TEXT];
    pdpr_i_draft d = {.held = -1};
    pdpr_error err = {0};
    assert_ok(pdpr_i_draft_name(f->ctx, f->graph, &d, NULL));
    assert_ok(pdpr_i_draft_lock(&d, NULL));
    pdpr_i_draft_owner(&d, owner);
    assert_string_equal(owner, "");
    assert_ok(pdpr_i_drafts_claim(&d, 1, run[0], NULL));
    int held = d.held;
    d.held = open(d.lock, O_RDONLY | O_CLOEXEC);
    assert_ok(pdpr_i_drafts_claim(&d, 1, run[0], NULL));
    assert_int_equal(pdpr_i_drafts_claim(&d, 1, run[1], &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, ".lock-x.edges: cannot write"));
    pdpr_i_draft_owner(&d, owner);
    assert_string_equal(owner, run[0]);
    close(d.held);
    d.held = held;
    assert_ok(pdpr_i_drafts_claim(&d, 1, run[1], NULL));
    pdpr_i_draft_owner(&d, owner);
    assert_string_equal(owner, run[1]);
    assert_ok(pdpr_i_drafts_claim(&d, 1, "", NULL));
    pdpr_i_draft_owner(&d, owner);
    assert_string_equal(owner, "");
    pdpr_i_draft_clear(&d);
    assert_int_equal(test_scratch_count(f->out), 0);
}

static void draft_that_changes_before_commit_is_noticed(void **state)
{
    fixture *f = *state;
    pdpr_i_draft d[2];
    pdpr_error err = {0};
    for (int i = 0; i < 2; i++) {
        assert_ok(pdpr_i_draft_name(f->ctx, i ? f->certificate : f->graph, &d[i], NULL));
        assert_ok(pdpr_i_draft_lock(&d[i], NULL));
    }
    assert_int_equal(pdpr_i_draft_finished(f->ctx, &d[0], NULL), PDPR_EFAILED); /* no file */
    d[0].there = false;
    test_file_write(d[1].draft, "0 1\n", 4);
    assert_ok(pdpr_i_draft_finished(f->ctx, &d[1], NULL));
    assert_ok(pdpr_i_drafts_unchanged(f->ctx, d, 2, NULL));
    test_file_write(d[1].draft, "0 2\n", 4);
    assert_int_equal(pdpr_i_drafts_unchanged(f->ctx, d, 2, &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, "x.json: its draft changed"));
    unlink(d[1].draft);
    assert_int_equal(pdpr_i_drafts_unchanged(f->ctx, d, 2, &err), PDPR_EFAILED);
    for (int i = 0; i < 2; i++)
        pdpr_i_draft_clear(&d[i]);
    assert_int_equal(test_scratch_count(f->out), 0);
}

/* Another program writes to the draft, once it is there. */
static void spoil_draft(void *user)
{
    const fixture *f = user;
    if (access(f->draft, F_OK) == 0)
        test_file_write(f->draft, "0 1\n", 4);
}

/* Between any two openings of files: what is spoilt after its hash was taken is never committed, up
 * to the last look. */
static void draft_spoilt_by_another_program_is_not_committed(void **state)
{
    fixture *f = *state;
    const pdpr_method_options o = quick(f, false);
    uint64_t noticed = 0;
    bool met = true;
    system_faults_meanwhile(spoil_draft, f);
    for (uint64_t nth = 1; met; nth++) {
        pdpr_error err = {0};
        system_faults_set("open", SYSTEM_FAULT_MEANWHILE, 0, nth);
        pdpr_status s = publish(f, f->ctx, f->ledger, &o, &err);
        met = system_faults_end();
        if (s != PDPR_OK) {
            assert_int_equal(s, PDPR_EFAILED);
            assert_non_null(strstr(err.text, "its draft changed"));
            noticed++;
        }
        unlink(f->graph);
        unlink(f->certificate);
        assert_int_equal(test_scratch_count(f->out), 0);
    }
    assert_true(noticed > 0);
}

static void name_is_locked_however_it_is_spelt(void **state)
{
    fixture *f = *state;
    pdpr_i_draft first, second;
    char other[SCRATCH_PATH];
    pdpr_error err = {0};
    test_scratch_path(f->out, "./x.edges", other);
    assert_ok(pdpr_i_draft_name(f->ctx, f->graph, &first, NULL));
    assert_ok(pdpr_i_draft_name(f->ctx, other, &second, NULL));
    assert_ok(pdpr_i_draft_lock(&first, NULL));
    assert_int_equal(pdpr_i_draft_lock(&second, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "two files of this run"));
    pdpr_i_draft_clear(&first);
    assert_ok(pdpr_i_draft_lock(&second, NULL));
    pdpr_i_draft_clear(&second);
    pdpr_i_draft_clear(&second); /* again: nothing happens */

    const char *const graphs[] = {f->graph, other};
    const pdpr_publication p = {.struct_size = sizeof p,
                                .graph_path = graphs,
                                .num_graphs = 2,
                                .certificate_path = f->certificate};
    const pdpr_method_options o = quick(f, false);
    assert_int_equal(pdpr_publish(f->ctx, f->g, &o, f->ledger, &p, NULL), PDPR_EUSAGE);
    assert_int_equal(test_scratch_count(f->out), 0);
}

/* The longest name that is taken can be published; one byte more is refused while all is unspent.
 */
static void name_too_long_for_its_draft_is_refused_before_anything_is_spent(void **state)
{
    fixture *f = *state;
    const pdpr_method_options o = quick(f, false);
    char name[NAME_MAX + 1], path[SCRATCH_PATH];
    pdpr_error err = {0};
    const char *const graphs[] = {path};
    const pdpr_publication p = {.struct_size = sizeof p,
                                .graph_path = graphs,
                                .num_graphs = 1,
                                .certificate_path = f->certificate};
    for (int length = 237; length >= 236; length--) {
        snprintf(name, sizeof name, "%0*d.edges", length - 6, 0);
        test_scratch_path(f->out, name, path);
        pdpr_status s = pdpr_publish(f->ctx, f->g, &o, f->ledger, &p, &err);
        assert_int_equal(s, length > 236 ? PDPR_EUSAGE : PDPR_OK);
        if (length == 237) {
            assert_non_null(strstr(err.text, "at most 236 bytes"));
            assert_int_equal(test_ledger_runs(f->ledger, NULL), 0);
            assert_int_equal(test_scratch_count(f->out), 0);
        }
    }
    expect_runs(f, 1, PDPR_RUN_PUBLISHED);
}

static void lock_of_another_user_says_whose_it_is(void **state)
{
    fixture *f = *state;
    pdpr_i_draft d;
    pdpr_error err;
    char lock[SCRATCH_PATH], number[32];
    struct stat info;
    test_scratch_path(f->out, ".lock-x.edges", lock);
    test_file_write(lock, "", 0);
    if (geteuid() == 0) /* then the owner is really another */
        assert_int_equal(chown(lock, 12345, (gid_t)-1), 0);
    assert_int_equal(stat(lock, &info), 0);
    snprintf(number, sizeof number, "number %lu,", (unsigned long)info.st_uid);
    assert_ok(pdpr_i_draft_name(f->ctx, f->graph, &d, NULL));
    system_faults_set("open", SYSTEM_FAULT_ERROR, EACCES, 1);
    assert_int_equal(pdpr_i_draft_lock(&d, &err), PDPR_EUSAGE);
    assert_true(system_faults_end());
    assert_non_null(strstr(err.text, ".lock-x.edges: belongs to"));
    assert_non_null(strstr(err.text, number));
    assert_int_equal(access(lock, F_OK), 0);
    pdpr_i_draft_clear(&d);
    assert_int_equal(access(lock, F_OK), 0);
}

/* A file that only has the name of a lock, the ledger itself perhaps, is neither used nor removed;
 * and no output may have the name of a lock or a draft. */
static void file_with_the_name_of_a_lock_is_left_alone(void **state)
{
    fixture *f = *state;
    pdpr_i_draft d;
    pdpr_error err;
    char lock[SCRATCH_PATH];
    size_t length;
    test_scratch_path(f->out, ".lock-x.edges", lock);
    test_file_write(lock, "precious", 8);
    assert_ok(pdpr_i_draft_name(f->ctx, f->graph, &d, NULL));
    assert_int_equal(pdpr_i_draft_lock(&d, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "expected no file of this name"));
    pdpr_i_draft_clear(&d);
    char *bytes = test_file_read(lock, &length);
    assert_string_equal(bytes, "precious");
    free(bytes);
    assert_int_equal(pdpr_i_draft_name(f->ctx, lock, &d, &err), PDPR_EUSAGE);
    assert_int_equal(pdpr_i_draft_name(f->ctx, f->draft, &d, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "expected another name"));
}

/* The checkpoint is secret and an output public: they never share a name, however it is spelt. */
static void checkpoint_with_the_name_of_an_output_is_refused(void **state)
{
    fixture *f = *state;
    static const char *const names[] = {"x.edges", "./x.edges", "./.draft-x.edges", "x.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        pdpr_method_options o = quick(f, true);
        pdpr_error err = {0};
        char checkpoint[SCRATCH_PATH];
        test_scratch_path(f->out, names[i], checkpoint);
        o.checkpoint_path = checkpoint;
        assert_int_equal(publish(f, f->ctx, f->ledger, &o, &err), PDPR_EUSAGE);
        assert_non_null(strstr(err.text, "expected a name of its own for the checkpoint"));
        assert_int_equal(test_ledger_runs(f->ledger, NULL), 0); /* nothing was spent */
        assert_int_equal(test_scratch_count(f->out), 0);
    }
}

/* Whatever call of the lock fails, it is not held, and nothing is left open. */
static void lock_that_cannot_be_had_is_told(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *call;
        int error;
        pdpr_status want;
    } cases[] = {{"open", EACCES, PDPR_EFAILED},
                 {"flock", ENOLCK, PDPR_EFAILED},
                 {"flock", EWOULDBLOCK, PDPR_EUSAGE},
                 {"lstat", ENOENT, PDPR_OK}}; /* its holder removed it: tried again */
    size_t files = test_scratch_count("/proc/self/fd");
    for (int i = 0; i < 4; i++) {
        pdpr_i_draft d;
        assert_ok(pdpr_i_draft_name(f->ctx, f->graph, &d, NULL));
        system_faults_set(cases[i].call, SYSTEM_FAULT_ERROR, cases[i].error, 1);
        pdpr_status s = pdpr_i_draft_lock(&d, NULL);
        assert_true(system_faults_end());
        assert_int_equal(s, cases[i].want);
        assert_int_equal(d.held >= 0, s == PDPR_OK);
        pdpr_i_draft_clear(&d);
        assert_int_equal(test_scratch_count("/proc/self/fd"), files);
    }
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(f->ctx, status, {
        pdpr_i_draft d = {.held = -1};
        status = pdpr_i_draft_name(f->ctx, f->graph, &d, NULL);
        pdpr_i_draft_clear(&d);
    });
}

#define with_folders(test) cmocka_unit_test_setup_teardown(test, set_up, test_place_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_folders(name_of_a_live_run_is_left_alone),
        with_folders(lock_of_a_dead_run_is_taken),
        with_folders(draft_of_a_dead_run_stops_a_new_one),
        with_folders(draft_of_a_certificate_stops_a_method_that_gives_none),
        with_folders(resumed_run_keeps_off_the_drafts_of_another),
        with_folders(resumed_run_keeps_off_its_own_committed_drafts),
        with_folders(resumed_run_replaces_its_own_drafts),
        with_folders(half_written_draft_of_a_dead_run_is_removed),
        with_folders(resumed_run_keeps_off_what_another_ledger_committed),
        with_folders(drafts_that_the_ledger_may_name_are_kept),
        with_folders(drafts_of_a_commit_that_is_not_there_are_removed),
        with_folders(run_that_may_be_committed_does_not_say_that_it_is),
        with_folders(run_that_is_committed_says_how_it_is_finished),
        with_folders(command_names_the_other_folders),
        with_folders(command_is_one_for_a_shell),
        with_folders(recovery_of_an_unreadable_draft_says_so),
        with_folders(word_of_a_lock_outlives_a_failure),
        with_folders(draft_that_changes_before_commit_is_noticed),
        with_folders(draft_spoilt_by_another_program_is_not_committed),
        with_folders(name_is_locked_however_it_is_spelt),
        with_folders(name_too_long_for_its_draft_is_refused_before_anything_is_spent),
        with_folders(lock_of_another_user_says_whose_it_is),
        with_folders(file_with_the_name_of_a_lock_is_left_alone),
        with_folders(checkpoint_with_the_name_of_an_output_is_refused),
        with_folders(lock_that_cannot_be_had_is_told),
    };
    return cmocka_run_group_tests_name("drafts", tests, NULL, NULL);
}
