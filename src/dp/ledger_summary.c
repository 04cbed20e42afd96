/* What a ledger says, for its owner to look at: one row a dataset, one row a run.
 *
 * Totals are computed anew from the charges; no total is ever stored, so none can be stale.
 * Cost: one conversion a dataset and one a run whose charges differ from the run before it. */
#include "dp/ledger.h"

#include <math.h>
#include <string.h>

const char *pdpr_run_state_name(pdpr_run_state state)
{
    static const char *const names[] = {"reserved", "drawn", "committed", "published", "refunded"};
    return names[state];
}

static pdpr_status fill_dataset(const pdpr_i_ledger_state *state, uint64_t index, double delta,
                                pdpr_ledger_dataset *out, pdpr_error *err)
{
    const pdpr_i_ledger_dataset *d = &state->datasets[index];
    memcpy(out->dataset, d->key, sizeof out->dataset);
    out->has_budget = d->has_budget;
    out->budget_epsilon = d->epsilon;
    out->budget_delta = d->delta;
    out->delta = d->has_budget ? d->delta : delta;
    for (uint64_t i = 0; i < state->num_runs; i++)
        out->runs += state->runs[i].dataset == index && state->runs[i].state != PDPR_RUN_REFUNDED;
    pdpr_status s = pdpr_i_ledger_total(state, index, NULL, 0, out->delta, &out->epsilon, err);
    out->left = fmax(0, d->epsilon - out->epsilon);
    return s;
}

/* True if two runs cost the same at the same delta. */
static bool cost_the_same(const pdpr_i_ledger_run *a, const pdpr_i_ledger_run *b)
{
    if (a->dataset != b->dataset || a->reserve.num_charges != b->reserve.num_charges)
        return false;
    for (uint64_t i = 0; i < a->reserve.num_charges; i++) {
        const pdpr_i_ledger_charge *x = &a->reserve.charges[i], *y = &b->reserve.charges[i];
        if (x->num != y->num || x->den != y->den || x->mu != y->mu || x->steps != y->steps)
            return false;
    }
    return true;
}

static pdpr_status fill_run(const pdpr_i_ledger_state *state, uint64_t index,
                            const pdpr_ledger_summary *summary, pdpr_ledger_run *out,
                            pdpr_error *err)
{
    const pdpr_i_ledger_run *run = &state->runs[index];
    memcpy(out->run, run->reserve.run, sizeof out->run);
    memcpy(out->dataset, run->reserve.dataset, sizeof out->dataset);
    memcpy(out->method, run->reserve.method, sizeof out->method);
    memcpy(out->day, run->reserve.day, sizeof out->day);
    memcpy(out->output, run->output, sizeof out->output);
    out->state = run->state;
    out->seeded = run->reserve.seeded;
    if (index > 0 && cost_the_same(run, run - 1)) {
        out->epsilon = out[-1].epsilon;
        return PDPR_OK;
    }
    return pdpr_i_ledger_total(state, state->num_datasets, run->reserve.charges,
                               run->reserve.num_charges, summary->datasets[run->dataset].delta,
                               &out->epsilon, err);
}

pdpr_status pdpr_ledger_summarise(pdpr_ledger *ledger, double delta, pdpr_ledger_summary **out,
                                  pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_context *ctx = ledger->place.ctx;
    pdpr_ledger_summary *summary = NULL;
    pdpr_i_ledger_file file = {.descriptor = -1};
    pdpr_i_ledger_state state = {0};

    if (delta != 0 && !(delta >= 1e-300 && delta < 1)) { /* as the accountant has it */
        s = pdpr_i_fail(err, PDPR_EUSAGE, "expected delta 0 or from 1e-300 to below 1, found %g",
                        delta);
        goto done;
    }
    PDPR_TRY(pdpr_i_ledger_begin(ledger, PDPR_I_LEDGER_READ, &file, &state, err));
    uint64_t tail = file.tail;
    PDPR_TRY(pdpr_i_ledger_file_close(&file, err)); /* the rest needs no lock */

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *summary, "ledger summary", &summary, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, state.num_datasets, sizeof *summary->datasets, "ledger summary",
                           &summary->datasets, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, state.num_runs, sizeof *summary->runs, "ledger summary",
                           &summary->runs, err));
    memcpy(summary->ledger, state.ledger, sizeof summary->ledger);
    summary->lines = state.chain.line;
    summary->incomplete_bytes = tail;
    summary->num_datasets = state.num_datasets;
    summary->num_runs = state.num_runs;
    for (uint64_t i = 0; i < state.num_datasets; i++)
        PDPR_TRY(fill_dataset(&state, i, delta, &summary->datasets[i], err));
    for (uint64_t i = 0; i < state.num_runs; i++)
        PDPR_TRY(fill_run(&state, i, summary, &summary->runs[i], err));
    *out = summary;
    summary = NULL;
done:
    (void)pdpr_i_ledger_file_close(&file, NULL);
    pdpr_i_ledger_state_clear(&state);
    pdpr_ledger_summary_free(summary);
    return s;
}

void pdpr_ledger_summary_free(pdpr_ledger_summary *summary)
{
    if (!summary)
        return;
    pdpr_free(summary->datasets);
    pdpr_free(summary->runs);
    pdpr_free(summary);
}
