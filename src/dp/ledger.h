/* The ledger as the methods use it: reserve, draw, commit, publish. The owner's side (open, budget,
 * refund, summary) is in the public header.
 *
 *     pdpr_i_ledger_reserve      before anything random, with every charge of the plan
 *     pdpr_i_ledger_drawn        then, and only then, noise may be drawn
 *     pdpr_i_ledger_commit       the output is complete and flushed under a private name
 *     (rename into place)        P-23
 *     pdpr_i_ledger_published
 *
 * A run that fails before `drawn` calls pdpr_ledger_refund. One that fails later does nothing: it
 * stays spent. A run that is taken up again starts with pdpr_i_ledger_resume. */
#ifndef PDPR_DP_LEDGER_H
#define PDPR_DP_LEDGER_H

#include "dp/ledger_file.h"
#include "dp/ledger_state.h"

struct pdpr_ledger {
    pdpr_i_ledger_place place;
    char *path;
    bool read_only;
    char drawn[PDPR_LEDGER_ID_TEXT]; /* pdpr_ledger_open_run */
    bool may_be_refunded;            /* that one: it is kept open without its DRAWN */
    pdpr_i_chain seen;               /* where the last reading ended; its secret is not kept */
};

/* What a run is going to cost, all of it public and fixed before the data is looked at. */
typedef struct {
    const char *dataset; /* from pdpr_ledger_dataset_of or pdpr_ledger_dataset_named */
    const pdpr_i_ledger_charge *charges;
    uint64_t num_charges;
    bool seeded;
    const char *method;
    const char *day; /* YYYY-MM-DD, from the caller: nothing here reads a clock or depends on it */
} pdpr_i_reservation;

/* pdpr_ledger_open with other system calls, for tests. */
pdpr_status pdpr_i_ledger_open_with(pdpr_context *ctx, const char *path,
                                    const pdpr_ledger_options *options,
                                    const pdpr_i_ledger_system *system, pdpr_ledger **out,
                                    pdpr_error *err);

/* Records the charges of a new run, or refuses them. From reading the total to the durable line the
 * lock is held, so no two processes can spend the same rest.
 * Guarantee: for a dataset with a budget, all charges that count convert jointly to at most
 *            epsilon * (1 + 1e-12) at delta.
 * After a failure run is untouched, unless the line may stand all the same (a flush that failed).
 * Errors: PDPR_EBUDGET, PDPR_EUSAGE (a charge or text out of form), and as pdpr_ledger_open. */
pdpr_status pdpr_i_ledger_reserve(pdpr_ledger *ledger, const pdpr_i_reservation *reservation,
                                  char run[PDPR_LEDGER_ID_TEXT], pdpr_error *err);

/* The next step of a run. On any failure the caller must not do what the step stands for. While
 * other processes hold the ledger they wait, as long as the context is not cancelled: what is paid
 * for is not given up for a busy lock. (RESERVE and the rest wait for wait_seconds at most.)
 * Errors: PDPR_EUSAGE (not this run's next step), and as pdpr_ledger_open. */
pdpr_status pdpr_i_ledger_drawn(pdpr_ledger *ledger, const char *run, pdpr_error *err);
pdpr_status pdpr_i_ledger_commit(pdpr_ledger *ledger, const char *run, const char *output,
                                 pdpr_error *err);
pdpr_status pdpr_i_ledger_published(pdpr_ledger *ledger, const char *run, pdpr_error *err);

/* From now on the run is pdpr_ledger_open_run's: it has drawn, or its reservation could not be
 * given back (may_be_refunded), so that it counts all the same. */
void pdpr_i_ledger_keep_open(pdpr_ledger *ledger, const char *run, bool may_be_refunded);

/* How far an earlier run of exactly this reservation got (its day apart), and what it committed
 * (output; "" before), so that it is continued rather than reserved again.
 * Errors: PDPR_EUSAGE (no such run, or another reservation), PDPR_EBUDGET (it was refunded), and as
 * pdpr_ledger_open. */
pdpr_status pdpr_i_ledger_resume(pdpr_ledger *ledger, const char *run,
                                 const pdpr_i_reservation *reservation, pdpr_run_state *state,
                                 char output[PDPR_LEDGER_KEY_TEXT], pdpr_error *err);

/* The run that committed this output, the last that is not published yet if there are several (the
 * same seeded run twice), and its state; run is "" if there is none. Errors: as pdpr_ledger_open.
 */
pdpr_status pdpr_i_ledger_run_of(pdpr_ledger *ledger, const char *output,
                                 char run[PDPR_LEDGER_ID_TEXT], pdpr_run_state *state,
                                 pdpr_error *err);

/* Whether there is such a run and it has come to this state. Errors: as pdpr_ledger_open. */
pdpr_status pdpr_i_ledger_run_is(pdpr_ledger *ledger, const char *run, pdpr_run_state asked,
                                 bool *out, pdpr_error *err);

/* ---------------------------------------------------------------- between the ledger's files */

/* Locks, reads and checks the ledger. The caller closes the file and clears the state, also after a
 * failure. */
pdpr_status pdpr_i_ledger_begin(pdpr_ledger *ledger, pdpr_i_ledger_purpose purpose,
                                pdpr_i_ledger_file *file, pdpr_i_ledger_state *state,
                                pdpr_error *err);

/* Epsilon at delta of all runs on a dataset that count, and of `more` charges beside them; dataset
 * may be num_datasets (no run yet). INFINITY if delta bounds nothing. Rounded up. */
pdpr_status pdpr_i_ledger_total(const pdpr_i_ledger_state *state, uint64_t dataset,
                                const pdpr_i_ledger_charge *more, uint64_t num_more, double delta,
                                double *epsilon, pdpr_error *err);

#endif
