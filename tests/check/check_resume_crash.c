/* A run with a checkpoint, killed with SIGKILL between any two system calls from its RESERVE on,
 * and what its owner can do then: resume, recover, or begin again if nothing was drawn. It must
 * always end with the files of an uninterrupted run, one run that counts, and nothing left over
 * (PRIVACY.md 10.7).
 *
 * The run is seeded: then the bytes that must come out are known. */
#include "support/support.h"
#include "support/killed.h"
#include "support/scratch.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 2, RESERVED_LINES = 2 }; /* open, reserve */

typedef struct {
    char folder[SCRATCH_PATH], out[SCRATCH_PATH];
    char ledger[SCRATCH_PATH], checkpoint[SCRATCH_PATH], fresh[SCRATCH_PATH];
    char path[FILES][SCRATCH_PATH]; /* graph, certificate */
    char second[SCRATCH_PATH];      /* graph that the run did not ask for */
    const char *method, *profile;
    bool resume, ask_for_two;
    off_t size;
} place;

static void place_make(place *p, const char *method, const char *profile)
{
    *p = (place){.method = method, .profile = profile, .size = -1};
    test_scratch_make(p->folder);
    test_scratch_make(p->out);
    test_scratch_path(p->folder, "ledger", p->ledger);
    test_scratch_path(p->folder, "checkpoint", p->checkpoint);
    test_scratch_path(p->folder, "checkpoint.new", p->fresh);
    test_scratch_path(p->out, "x.edges", p->path[0]);
    test_scratch_path(p->out, "x.json", p->path[1]);
    test_scratch_path(p->out, "x-2.edges", p->second);
}

static void place_remove(place *p)
{
    test_scratch_remove(p->folder);
    test_scratch_remove(p->out);
}

static pdpr_status publish(pdpr_context *ctx, const place *p, pdpr_ledger *ledger, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_graph *g = NULL;
    pdpr_method_options o;
    const char *const graphs[] = {p->path[0], p->second};
    const pdpr_publication all = {.struct_size = sizeof all,
                                  .graph_path = graphs,
                                  .num_graphs = p->ask_for_two ? 2 : 1,
                                  .certificate_path = p->path[1]};
    pdpr_method_options_default(&o);
    o.method = p->method;
    o.profile = p->profile;
    o.epsilon = 3.2;
    o.day = "2026-11-16";
    o.seeded = true;
    o.seed = 7;
    o.edges = strcmp(p->profile, "tight") == 0 ? 60 : 0; /* the others measure them */
    o.columns = o.width = 2;
    o.epochs = 1;
    o.batch = 16;
    o.checkpoint_path = p->checkpoint;
    o.checkpoint_seconds = 0; /* after each of the two steps */
    o.resume = p->resume;
    PDPR_TRY(pdpr_generate_social(ctx, 32, 60, 0.5, 1, &g, err));
    PDPR_TRY(pdpr_publish(ctx, g, &o, ledger, &all, err));
done:
    pdpr_graph_free(g);
    return s;
}

static pdpr_status open_and_publish(const place *p, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_context *ctx = test_context(1);
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_options options;
    pdpr_ledger_options_default(&options);
    options.create = true;
    PDPR_TRY(pdpr_ledger_open(ctx, p->ledger, &options, &ledger, err));
    PDPR_TRY(publish(ctx, p, ledger, err));
done:
    pdpr_ledger_close(ledger);
    pdpr_context_free(ctx);
    return s;
}

static bool run(void *user)
{
    pdpr_error err = {0};
    return open_and_publish(user, &err) == PDPR_OK;
}

static bool is_reserved(void *user)
{
    place *p = user;
    struct stat info;
    if (stat(p->ledger, &info) != 0 || info.st_size == p->size)
        return false;
    p->size = info.st_size;
    return test_file_lines(p->ledger) >= RESERVED_LINES;
}

/* The state of the last run; how many were not refunded. */
static pdpr_run_state look(pdpr_ledger *ledger, uint64_t *counting, char id[PDPR_LEDGER_ID_TEXT])
{
    pdpr_ledger_summary *s = NULL;
    pdpr_run_state last = PDPR_RUN_RESERVED;
    assert_ok(pdpr_ledger_summarise(ledger, 1e-5, &s, NULL));
    *counting = 0;
    for (uint64_t i = 0; i < s->num_runs; i++) {
        last = s->runs[i].state;
        *counting += last != PDPR_RUN_REFUNDED;
        memcpy(id, s->runs[i].run, PDPR_LEDGER_ID_TEXT);
    }
    pdpr_ledger_summary_free(s);
    return last;
}

/* What an owner does after a crash, by what the ledger and the folder show. Returns which way. */
static int go_on(place *p)
{
    pdpr_context *ctx = test_context(1);
    pdpr_ledger *ledger = NULL;
    pdpr_error err = {0};
    uint64_t counting, placed;
    char id[PDPR_LEDGER_ID_TEXT];
    bool removed, kept = access(p->checkpoint, F_OK) == 0;
    int way;
    assert_ok(pdpr_ledger_open(ctx, p->ledger, NULL, &ledger, NULL));
    pdpr_run_state last = look(ledger, &counting, id);
    assert_int_equal(counting, 1);
    if (last >= PDPR_RUN_COMMITTED && last != PDPR_RUN_REFUNDED) {
        way = 0;    /* only the files, and what is left of the checkpoint */
        if (kept) { /* a mistake: resumed, and with another number of samples */
            p->resume = p->ask_for_two = true;
            assert_int_not_equal(open_and_publish(p, &err), PDPR_OK);
        }
        assert_ok(pdpr_publish_recover(ctx, ledger, p->path[1], NULL, &placed, &err));
        assert_ok(pdpr_checkpoint_discard(ctx, ledger, p->checkpoint, &removed, &err));
    } else {
        way = kept ? 1 : 2;
        if (!kept) { /* nothing was drawn: the reservation is given back */
            assert_int_equal(last, PDPR_RUN_RESERVED);
            assert_ok(pdpr_ledger_refund(ledger, id, NULL));
        }
        p->resume = kept;
        if (open_and_publish(p, &err) != PDPR_OK)
            fail_msg("cannot go on: %s", err.text);
    }
    last = look(ledger, &counting, id);
    assert_int_equal(counting, 1);
    assert_int_equal(last, PDPR_RUN_PUBLISHED);
    pdpr_ledger_close(ledger);
    pdpr_context_free(ctx);
    return way;
}

/* A file that was being written when its process died keeps a name that nobody knows: "..draft-X",
 * random letters, ".tmp". It is of the noisy side and stays; everything else must be gone. */
static size_t count_but_half_written(const char *folder)
{
    DIR *dir = opendir(folder);
    size_t count = 0;
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        count += strcmp(entry->d_name, ".") != 0 && strncmp(entry->d_name, "..", 2) != 0;
    closedir(dir);
    return count;
}

/* every: how far apart the points are; a fit of the blueprint takes its time */
static void kill_anywhere(const char *method, const char *profile, uint64_t every)
{
    place whole, p;
    uint64_t points = 0, ways[3] = {0};
    pdpr_error err = {0};
    bool reached = true;
    place_make(&whole, method, profile);
    if (open_and_publish(&whole, &err) != PDPR_OK)
        fail_msg("%s", err.text);
    for (uint64_t nth = 1; reached; nth += every) {
        place_make(&p, method, profile);
        reached = test_killed_at(run, is_reserved, &p, nth);
        if (reached) {
            ways[go_on(&p)]++;
            points++;
        }
        for (int i = 0; i < FILES; i++)
            test_assert_same_file(p.path[i], whole.path[i]);
        assert_int_equal(count_but_half_written(p.out), FILES); /* no drafts, no locks */
        assert_int_equal(test_scratch_count(p.folder), 1);      /* the ledger alone */
        place_remove(&p);
    }
    print_message("%d points: %d recovered, %d resumed, %d begun again\n", (int)points,
                  (int)ways[0], (int)ways[1], (int)ways[2]);
    assert_true(ways[0] > 0 && ways[1] > 0 && ways[2] > 0);
    place_remove(&whole);
}

static void run_killed_anywhere_ends_as_if_it_had_not_been(void **state)
{
    (void)state;
    kill_anywhere("privdpr", "tight", 1);
}

static void steered_run_killed_anywhere_ends_as_if_it_had_not_been(void **state)
{
    (void)state;
    kill_anywhere("privdpr", "steered", 7);
}

static void blueprint_killed_anywhere_ends_as_if_it_had_not_been(void **state)
{
    (void)state;
    kill_anywhere("blueprint", "pure", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_killed_anywhere_ends_as_if_it_had_not_been),
        cmocka_unit_test(steered_run_killed_anywhere_ends_as_if_it_had_not_been),
        cmocka_unit_test(blueprint_killed_anywhere_ends_as_if_it_had_not_been),
    };
    return cmocka_run_group_tests_name("resume crash", tests, NULL, NULL);
}
