/* Publishing, killed with SIGKILL at every system call after COMMIT, and the recovery that follows,
 * killed at every system call too: it must always end with the files that an uninterrupted run
 * gives, one reservation, and no drafts.
 *
 * A child publishes under ptrace; the parent stops it before and after each of its system calls and
 * kills it at the n-th stop for n = 1, 2, … after the ledger shows COMMIT. So every point between
 * two calls is visited, also those of the C library, without a table of calls in the code. The run
 * is seeded: then the bytes that must come out are known. */
#include "support/support.h"
#include "support/scratch.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES = 4 };

static const char *const names[FILES] = {"x.release", "x-1.edges", "x-2.edges.gz", "x.json"};

typedef struct {
    char folder[SCRATCH_PATH], other[SCRATCH_PATH]; /* other: where the release goes */
    char path[FILES][SCRATCH_PATH], ledger[SCRATCH_PATH];
} place;

static void place_make(place *p)
{
    test_scratch_make(p->folder);
    test_scratch_make(p->other);
    for (int i = 0; i < FILES; i++)
        test_scratch_path(i == 0 ? p->other : p->folder, names[i], p->path[i]);
    test_scratch_path(p->folder, "ledger", p->ledger);
}

static void place_remove(place *p)
{
    test_scratch_remove(p->folder);
    test_scratch_remove(p->other);
}

/* What the child does, in a context of its own. */
typedef pdpr_status (*work)(pdpr_context *ctx, const place *p, pdpr_ledger *ledger,
                            pdpr_error *err);

static pdpr_status publish(pdpr_context *ctx, const place *p, pdpr_ledger *ledger, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_graph *g = NULL;
    pdpr_method_options o;
    const char *const graphs[] = {p->path[1], p->path[2]};
    const pdpr_publication all = {.struct_size = sizeof all,
                                  .release_path = p->path[0],
                                  .graph_path = graphs,
                                  .num_graphs = 2,
                                  .certificate_path = p->path[3]};
    pdpr_method_options_default(&o);
    o.method = "privdpr";
    o.profile = "tight";
    o.epsilon = 1;
    o.delta = 1e-5;
    o.day = "2026-11-16";
    o.seeded = true;
    o.seed = 7;
    o.edges = 60;
    o.columns = 2;
    o.width = 2;
    o.epochs = 1;
    o.batch = 16;
    PDPR_TRY(pdpr_generate_social(ctx, 32, 60, 0.5, 1, &g, err));
    PDPR_TRY(pdpr_publish(ctx, g, &o, ledger, &all, err));
done:
    pdpr_graph_free(g);
    return s;
}

static pdpr_status recover(pdpr_context *ctx, const place *p, pdpr_ledger *ledger, pdpr_error *err)
{
    uint64_t placed;
    return pdpr_publish_recover(ctx, ledger, p->path[3], p->other, &placed, err);
}

static pdpr_status with_ledger(const place *p, bool create, work doing, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_context *ctx = test_context(1);
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_options options;
    pdpr_ledger_options_default(&options);
    options.create = create;
    PDPR_TRY(pdpr_ledger_open(ctx, p->ledger, &options, &ledger, err));
    PDPR_TRY(doing(ctx, p, ledger, err));
done:
    pdpr_ledger_close(ledger);
    pdpr_context_free(ctx);
    return s;
}

/* Lines of a ledger; 0 if there is none. */
static uint64_t lines_of(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return 0;
    size_t length;
    uint64_t lines = 0;
    char *text = test_file_read(path, &length);
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    free(text);
    return lines;
}

enum { COMMITTED_LINES = 4 }; /* open, reserve, drawn, commit */

/* Runs `doing` and kills it at the n-th stop at a system call after COMMIT. False if it came to its
 * end before. */
static bool killed_at(const place *p, work doing, uint64_t nth)
{
    int status;
    uint64_t stops = 0;
    bool committed = false;
    off_t size = -1;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(99);
        raise(SIGSTOP);
        pdpr_error err = {0};
        _exit(with_ledger(p, true, doing, &err) == PDPR_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 99) {
        print_message("no ptrace here: not run\n");
        skip();
    }
    for (;;) {
        struct stat info;
        assert_int_equal(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        if (WIFEXITED(status)) {
            assert_int_equal(WEXITSTATUS(status), 0);
            return false;
        }
        assert_true(WIFSTOPPED(status));
        if (!committed && stat(p->ledger, &info) == 0 && info.st_size != size) {
            size = info.st_size; /* counted only when it has grown */
            committed = lines_of(p->ledger) >= COMMITTED_LINES;
        }
        if (committed && ++stops == nth) {
            assert_int_equal(kill(child, SIGKILL), 0);
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_true(WIFSIGNALED(status));
            return true;
        }
    }
}

static void assert_same_file(const char *a, const char *b)
{
    size_t length_a, length_b;
    char *one = test_file_read(a, &length_a), *two = test_file_read(b, &length_b);
    assert_int_equal(length_a, length_b);
    assert_memory_equal(one, two, length_a);
    free(one);
    free(two);
}

/* Everything is published, once. */
static void assert_finished(const place *p, const place *whole)
{
    pdpr_context *ctx = test_context(1);
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_summary *s = NULL;
    for (int i = 0; i < FILES; i++)
        assert_same_file(p->path[i], whole->path[i]);
    assert_int_equal(test_scratch_count(p->folder),
                     FILES); /* the ledger, and all but the release */
    assert_int_equal(test_scratch_count(p->other), 1);
    assert_ok(pdpr_ledger_open(ctx, p->ledger, NULL, &ledger, NULL));
    assert_ok(pdpr_ledger_summarise(ledger, 1e-5, &s, NULL));
    assert_int_equal(s->num_runs, 1);
    assert_int_equal(s->runs[0].state, PDPR_RUN_PUBLISHED);
    assert_int_equal(s->lines, COMMITTED_LINES + 1);
    pdpr_ledger_summary_free(s);
    pdpr_ledger_close(ledger);
    pdpr_context_free(ctx);
}

static void must_recover(const place *p)
{
    pdpr_error err = {0};
    if (with_ledger(p, false, recover, &err) != PDPR_OK)
        fail_msg("the run cannot be finished: %s", err.text);
}

static void whole_run(place *p)
{
    pdpr_error err = {0};
    place_make(p);
    if (with_ledger(p, true, publish, &err) != PDPR_OK)
        fail_msg("%s", err.text);
}

static void publication_killed_at_any_call_is_recovered(void **state)
{
    (void)state;
    place whole, p;
    uint64_t points = 0;
    bool reached = true;
    whole_run(&whole);
    assert_finished(&whole, &whole);
    while (reached) {
        place_make(&p);
        reached = killed_at(&p, publish, ++points);
        must_recover(&p);
        assert_finished(&p, &whole);
        must_recover(&p); /* again: nothing changes */
        assert_finished(&p, &whole);
        place_remove(&p);
    }
    print_message("%d points\n", (int)points);
    assert_true(points > 2 * FILES); /* a rename each, stopped before and after */
    place_remove(&whole);
}

static void recovery_killed_at_any_call_is_recovered(void **state)
{
    (void)state;
    place whole, p;
    uint64_t points = 0;
    bool reached = true;
    whole_run(&whole);
    while (reached) {
        place_make(&p);
        assert_true(killed_at(&p, publish, 1)); /* COMMIT, and nothing after it */
        reached = killed_at(&p, recover, ++points);
        must_recover(&p);
        assert_finished(&p, &whole);
        place_remove(&p);
    }
    print_message("%d points\n", (int)points);
    assert_true(points > 2 * FILES);
    place_remove(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(publication_killed_at_any_call_is_recovered),
        cmocka_unit_test(recovery_killed_at_any_call_is_recovered),
    };
    return cmocka_run_group_tests_name("publish crash", tests, NULL, NULL);
}
