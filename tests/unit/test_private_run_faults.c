/* The start of a run when the ledger's system calls fail: nothing can be drawn that does not count,
 * and a run that drew nothing gives its reservation back or can be taken up again. */
#include "support/support.h"
#include "support/ledger_faults.h"
#include "support/own_ledger.h"
#include "dp/private_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    pdpr_context *ctx;
    char folder[SCRATCH_PATH], ledger_path[SCRATCH_PATH], checkpoint[SCRATCH_PATH];
    ledger_faults faults;
    pdpr_ledger *ledger; /* sound */
    pdpr_ledger *faulty; /* the same file through the faults */
    pdpr_graph *g;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->ctx = test_context(1);
    f->ledger = test_own_ledger(f->ctx, f->folder, f->ledger_path);
    ledger_faults_init(&f->faults);
    assert_ok(
        pdpr_i_ledger_open_with(f->ctx, f->ledger_path, NULL, &f->faults.system, &f->faulty, NULL));
    test_scratch_path(f->folder, "checkpoint", f->checkpoint);
    f->g = test_graph_path(f->ctx, 10);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    pdpr_graph_free(f->g);
    pdpr_ledger_close(f->faulty);
    pdpr_ledger_close(f->ledger);
    assert_int_equal(pdpr_context_memory(f->ctx, NULL), 0);
    pdpr_context_free(f->ctx);
    test_scratch_remove(f->folder);
    free(f);
    return 0;
}

typedef enum { NO_CHECKPOINT, NEW_CHECKPOINT, OLD_CHECKPOINT } keeping;

/* Starts a run with a fault at the n-th call of the ledger. *met: there were so many. */
static pdpr_status start(fixture *f, keeping keeps, fault_kind kind, uint64_t nth, bool *met)
{
    static const pdpr_i_charge charge = {
        .label = "embedding", .kind = PDPR_I_CHARGE_GAUSSIAN, .mu_step = 0.01, .steps = 9};
    pdpr_i_checkpoint *c = NULL;
    pdpr_i_private_run *run = NULL;
    pdpr_i_meter *meter = NULL;
    if (keeps == NEW_CHECKPOINT)
        assert_ok(pdpr_i_checkpoint_new(f->ctx, f->checkpoint, &c, NULL));
    if (keeps == OLD_CHECKPOINT)
        assert_ok(pdpr_i_checkpoint_open(f->ctx, f->checkpoint, &c, NULL));
    const pdpr_i_promise promise = {.epsilon = 1,
                                    .delta = 1e-5,
                                    .method = "privdpr",
                                    .day = "2026-11-16",
                                    .parameters = "p",
                                    .charges = &charge,
                                    .num_charges = 1,
                                    .checkpoint = c};
    ledger_faults_set(&f->faults, FAULT_NONE, 0, 0);
    assert_ok(pdpr_i_private_run_new(f->ctx, f->faulty, f->g, &promise, &run, NULL));
    ledger_faults_set(&f->faults, kind, EIO, nth);
    f->faulty->drawn[0] = '\0'; /* as in another process */
    pdpr_status s = pdpr_i_private_run_start(run, &meter, NULL);
    *met = f->faults.at_call != 0;
    assert_int_equal(s == PDPR_OK, meter != NULL);
    pdpr_i_private_run_free(run);
    pdpr_i_checkpoint_close(c);
    return s;
}

/* EIO once, and a disk that is full from some moment on, where the refund fails too. */
static void start_that_fails_draws_nothing_and_is_refunded_or_counts(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < 4; i++) {
        keeping keeps = i % 2 ? NEW_CHECKPOINT : NO_CHECKPOINT;
        fault_kind kind = i < 2 ? FAULT_ERROR : FAULT_FULL;
        uint64_t refunded = 0, counts = 0;
        bool met = true;
        for (uint64_t nth = 1; met; nth++) {
            pdpr_run_state last = PDPR_RUN_RESERVED;
            uint64_t before = test_ledger_runs(f->ledger, &last);
            pdpr_status s = start(f, keeps, kind, nth, &met);
            bool entered = test_ledger_runs(f->ledger, &last) > before,
                 left = access(f->checkpoint, F_OK) == 0;
            if (s == PDPR_OK) {
                assert_true(entered && last == PDPR_RUN_DRAWN);
                assert_int_equal(left, keeps == NEW_CHECKPOINT);
            } else {
                refunded += entered && last == PDPR_RUN_REFUNDED;
                counts += entered && last != PDPR_RUN_REFUNDED;
                /* what was given back cannot be taken up, what counts can, once it has a file */
                assert_false(left && last == PDPR_RUN_REFUNDED);
                /* and the owner is told of what counts, and of nothing else */
                bool told = pdpr_ledger_open_run(f->faulty)[0] != '\0';
                assert_int_equal(told, entered && last != PDPR_RUN_REFUNDED);
                assert_true(!told || f->faulty->may_be_refunded);
            }
            unlink(f->checkpoint);
        }
        assert_true(refunded > 0 || kind == FAULT_FULL);
        assert_true(counts > 0 || kind == FAULT_ERROR);
    }
}

static void resumed_run_with_a_failing_ledger_can_be_resumed_again(void **state)
{
    fixture *f = *state;
    pdpr_run_state last = PDPR_RUN_RESERVED;
    bool met = true;
    /* a run that came to its checkpoint and not to DRAWN, because the disk was full */
    for (uint64_t nth = 1; access(f->checkpoint, F_OK) != 0 || last != PDPR_RUN_RESERVED; nth++) {
        unlink(f->checkpoint);
        (void)start(f, NEW_CHECKPOINT, FAULT_FULL, nth, &met);
        assert_true(met);
        test_ledger_runs(f->ledger, &last);
    }
    uint64_t runs = test_ledger_runs(f->ledger, &last), refused = 0;
    met = true;
    for (uint64_t nth = 1; nth < 1000 && last == PDPR_RUN_RESERVED; nth++) {
        pdpr_status s = start(f, OLD_CHECKPOINT, FAULT_ERROR, nth, &met);
        assert_true(met || s == PDPR_OK);
        refused += s != PDPR_OK;
        assert_int_equal(test_ledger_runs(f->ledger, &last), runs); /* nothing is reserved again */
        assert_int_equal(access(f->checkpoint, F_OK), 0);
    }
    assert_true(refused > 5);
    for (uint64_t nth = 1; met; nth++) /* it is entered as drawn, and goes on from there */
        assert_true(start(f, OLD_CHECKPOINT, FAULT_ERROR, nth, &met) == PDPR_OK || met);
    assert_int_equal(test_ledger_runs(f->ledger, &last), runs);
    assert_int_equal(last, PDPR_RUN_DRAWN);
}

#define with_ledger(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_ledger(start_that_fails_draws_nothing_and_is_refunded_or_counts),
        with_ledger(resumed_run_with_a_failing_ledger_can_be_resumed_again),
    };
    return cmocka_run_group_tests_name("private run faults", tests, NULL, NULL);
}
