/* What the lines of a ledger mean together: datasets with budgets, runs with states, and the one
 * set of rules by which a record may follow. The same rules judge a line that is read and a line
 * that is about to be written. */
#ifndef PDPR_DP_LEDGER_STATE_H
#define PDPR_DP_LEDGER_STATE_H

#include "dp/ledger_record.h"

typedef struct {
    char key[PDPR_LEDGER_KEY_TEXT];
    bool has_budget;
    double epsilon, delta; /* of the budget */
} pdpr_i_ledger_dataset;

typedef struct {
    pdpr_i_record reserve; /* as reserved, with its charges */
    uint64_t dataset;      /* index */
    pdpr_run_state state;
    char output[PDPR_LEDGER_KEY_TEXT]; /* "" before COMMIT */
} pdpr_i_ledger_run;

typedef struct {
    pdpr_context *ctx;
    pdpr_i_chain chain; /* where the file ends */
    uint64_t length;    /* bytes of text that are records */
    char ledger[PDPR_LEDGER_ID_TEXT];
    pdpr_i_ledger_dataset *datasets; /* in order of first mention */
    pdpr_i_ledger_run *runs;         /* in order of reservation */
    uint64_t num_datasets, num_runs, datasets_room, runs_room;
} pdpr_i_ledger_state;

/* Replays the lines of a ledger, checking chain and rules. Bytes behind the last newline are
 * judged as a line if they come to the end of one, so that only its newline is missing. Else they
 * are an append that was cut short and left out: out->length ends before them. `seen` is where an
 * earlier reading of the same ledger ended (line 0: none): that line must still be there. The
 * caller clears *out, also after a failure. Errors: PDPR_EINPUT with path and line, PDPR_ENOMEM. */
pdpr_status pdpr_i_ledger_state_read(pdpr_context *ctx, const char *path, const char *text,
                                     uint64_t length, const pdpr_i_chain *seen,
                                     pdpr_i_ledger_state *out, pdpr_error *err);

/* Why `record` may not come next, in words that follow "…: "; NULL if it may. */
const char *pdpr_i_ledger_objection(const pdpr_i_ledger_state *state, const pdpr_i_record *record);

/* Index of a dataset or run, or num_datasets / num_runs if it is not there. */
uint64_t pdpr_i_ledger_find_dataset(const pdpr_i_ledger_state *state, const char *key);
uint64_t pdpr_i_ledger_find_run(const pdpr_i_ledger_state *state, const char *run);

/* Frees what it holds and wipes the secret; a zeroed state is fine. */
void pdpr_i_ledger_state_clear(pdpr_i_ledger_state *state);

#endif
