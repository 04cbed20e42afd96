/* A ledger of a test's own, in a scratch folder. */
#ifndef PDPR_TESTS_OWN_LEDGER_H
#define PDPR_TESTS_OWN_LEDGER_H

#include "support/scratch.h"
#include "support/support.h"

/* Makes an empty folder and a new ledger `path` in it; fails the test if it cannot. */
pdpr_ledger *test_own_ledger(pdpr_context *ctx, char folder[SCRATCH_PATH], char path[SCRATCH_PATH]);

/* How many runs a ledger has, and the state of the last (unchanged if there is none). */
uint64_t test_ledger_runs(pdpr_ledger *ledger, pdpr_run_state *last);

#endif
