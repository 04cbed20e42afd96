/* Publishing, killed with SIGKILL at every system call after COMMIT, and the recovery that follows,
 * killed at every system call too: it must always end with the files that an uninterrupted run
 * gives, one reservation, and no drafts.
 *
 * A child is killed at the n-th stop (support/killed.h) for n = 1, 2, … after the ledger shows
 * COMMIT. The run is seeded: then the bytes that must come out are known. */
#include "support/support.h"
#include "support/killed.h"
#include "support/scratch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

enum { COMMITTED_LINES = 4 }; /* open, reserve, drawn, commit */

/* What a child does, and where. */
typedef struct {
    const place *p;
    work doing;
    off_t size; /* of the ledger when it was read last: it is read again when it has grown */
} errand;

static bool do_errand(void *user)
{
    const errand *e = user;
    pdpr_error err = {0};
    return with_ledger(e->p, true, e->doing, &err) == PDPR_OK;
}

static bool is_committed(void *user)
{
    errand *e = user;
    struct stat info;
    if (stat(e->p->ledger, &info) != 0 || info.st_size == e->size)
        return false;
    e->size = info.st_size;
    return test_file_lines(e->p->ledger) >= COMMITTED_LINES;
}

/* Runs `doing` and kills it at the n-th stop at a system call after COMMIT. False if it came to its
 * end before. */
static bool killed_at(const place *p, work doing, uint64_t nth)
{
    errand e = {.p = p, .doing = doing, .size = -1};
    return test_killed_at(do_errand, is_committed, &e, nth);
}

/* Everything is published, once. */
static void assert_finished(const place *p, const place *whole)
{
    pdpr_context *ctx = test_context(1);
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_summary *s = NULL;
    for (int i = 0; i < FILES; i++)
        test_assert_same_file(p->path[i], whole->path[i]);
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
