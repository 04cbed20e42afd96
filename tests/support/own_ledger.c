#include "support/own_ledger.h"

pdpr_ledger *test_own_ledger(pdpr_context *ctx, char folder[SCRATCH_PATH], char path[SCRATCH_PATH])
{
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_options options;
    test_scratch_make(folder);
    test_scratch_path(folder, "ledger", path);
    pdpr_ledger_options_default(&options);
    options.create = true;
    assert_ok(pdpr_ledger_open(ctx, path, &options, &ledger, NULL));
    return ledger;
}

uint64_t test_ledger_runs(pdpr_ledger *ledger, pdpr_run_state *last)
{
    pdpr_ledger_summary *s = NULL;
    assert_ok(pdpr_ledger_summarise(ledger, 1e-5, &s, NULL));
    uint64_t runs = s->num_runs;
    if (runs)
        *last = s->runs[runs - 1].state;
    pdpr_ledger_summary_free(s);
    return runs;
}
