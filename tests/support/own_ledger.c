#include "support/own_ledger.h"

#include "dp/ledger.h"

#include <stdlib.h>

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

test_place *test_place_new(uint32_t threads)
{
    test_place *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->ctx = test_context(threads);
    p->ledger = test_own_ledger(p->ctx, p->folder, p->ledger_path);
    test_scratch_make(p->out);
    test_scratch_path(p->folder, "run", p->checkpoint);
    test_scratch_path(p->folder, "run.new", p->fresh);
    test_scratch_path(p->out, "x.release", p->release);
    test_scratch_path(p->out, "x.json", p->certificate);
    test_scratch_path(p->out, "x.edges", p->graph);
    test_scratch_path(p->out, ".draft-x.edges", p->draft);
    test_scratch_path(p->out, "x-2.edges.gz", p->second);
    p->graphs[0] = p->graph;
    p->graphs[1] = p->second;
    return p;
}

int test_place_end(void **state)
{
    test_place *p = *state;
    pdpr_graph_free(p->g);
    pdpr_ledger_close(p->ledger);
    assert_int_equal(pdpr_context_memory(p->ctx, NULL), 0);
    pdpr_context_free(p->ctx);
    test_scratch_remove(p->folder);
    test_scratch_remove(p->out);
    free(p);
    return 0;
}

void test_ledger_commit_run(pdpr_ledger *ledger, const char *output, char run[PDPR_LEDGER_ID_TEXT])
{
    static const pdpr_i_ledger_charge one[] = {{.label = "count", .num = 1, .den = 1}};
    const pdpr_i_reservation plan = {
        .dataset = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        .charges = one,
        .num_charges = 1,
        .method = "blueprint",
        .day = "2026-11-16"};
    assert_ok(pdpr_i_ledger_reserve(ledger, &plan, run, NULL));
    assert_ok(pdpr_i_ledger_drawn(ledger, run, NULL));
    assert_ok(pdpr_i_ledger_commit(ledger, run, output, NULL));
}
