/* A ledger of a test's own, in a scratch folder. */
#ifndef PDPR_TESTS_OWN_LEDGER_H
#define PDPR_TESTS_OWN_LEDGER_H

#include "support/scratch.h"
#include "support/support.h"

/* Makes an empty folder and a new ledger `path` in it; fails the test if it cannot. */
pdpr_ledger *test_own_ledger(pdpr_context *ctx, char folder[SCRATCH_PATH], char path[SCRATCH_PATH]);

/* What a test of runs works in, and the names it uses there. */
typedef struct {
    pdpr_context *ctx;
    char folder[SCRATCH_PATH], out[SCRATCH_PATH]; /* the ledger's, and where files are published */
    char ledger_path[SCRATCH_PATH];
    char checkpoint[SCRATCH_PATH], fresh[SCRATCH_PATH];                  /* run, run.new */
    char release[SCRATCH_PATH], certificate[SCRATCH_PATH];               /* x.release, x.json */
    char graph[SCRATCH_PATH], draft[SCRATCH_PATH], second[SCRATCH_PATH]; /* x.edges, x-2.edges.gz */
    const char *graphs[2];                                               /* graph, second */
    pdpr_ledger *ledger;
    pdpr_graph *g; /* the test's to make; NULL */
} test_place;

/* A context, two empty folders, a new ledger in one of them. */
test_place *test_place_new(uint32_t threads);
/* Frees and removes it all, the graph too: a tear-down of cmocka. Fails if memory is still in use.
 */
int test_place_end(void **state);

/* How many runs a ledger has, and the state of the last (unchanged if there is none). */
uint64_t test_ledger_runs(pdpr_ledger *ledger, pdpr_run_state *last);

/* Enters a run of one charge that has committed this output and is not published. */
void test_ledger_commit_run(pdpr_ledger *ledger, const char *output, char run[PDPR_LEDGER_ID_TEXT]);

#endif
