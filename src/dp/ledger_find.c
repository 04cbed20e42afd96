/* Questions about single runs: which one committed an output, how far one got. Each reads the
 * ledger anew, under its lock, and changes nothing. */
#include "dp/ledger.h"

#include <string.h>

/* What is asked for, with a text. */
typedef enum {
    COMMITTED_IT, /* the run that committed this output */
    IS_IT         /* the run of this id */
} question;

/* The last run that fits and is committed, or else the first that fits. */
static pdpr_status find(pdpr_ledger *ledger, question q, const char *text,
                        char run[PDPR_LEDGER_ID_TEXT], pdpr_run_state *out_state, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_ledger_file file = {.descriptor = -1};
    pdpr_i_ledger_state state = {0};
    const pdpr_i_ledger_run *found = NULL;

    PDPR_TRY(pdpr_i_ledger_begin(ledger, PDPR_I_LEDGER_READ, &file, &state, err));
    if (q == COMMITTED_IT) /* acted on, so no line may be written only */
        PDPR_TRY(pdpr_i_ledger_file_flush(&file, err));
    PDPR_TRY(pdpr_i_ledger_file_close(&file, err));
    for (uint64_t i = 0; i < state.num_runs; i++)
        if (strcmp(q == COMMITTED_IT ? state.runs[i].output : state.runs[i].reserve.run, text) ==
                0 &&
            (!found || state.runs[i].state == PDPR_RUN_COMMITTED))
            found = &state.runs[i];
    run[0] = '\0';
    if (found) {
        memcpy(run, found->reserve.run, PDPR_LEDGER_ID_TEXT);
        *out_state = found->state;
    }
done:
    (void)pdpr_i_ledger_file_close(&file, NULL);
    pdpr_i_ledger_state_clear(&state);
    return s;
}

pdpr_status pdpr_i_ledger_run_of(pdpr_ledger *ledger, const char *output,
                                 char run[PDPR_LEDGER_ID_TEXT], pdpr_run_state *state,
                                 pdpr_error *err)
{
    return find(ledger, COMMITTED_IT, output, run, state, err);
}

pdpr_status pdpr_i_ledger_run_is(pdpr_ledger *ledger, const char *run, pdpr_run_state asked,
                                 bool *out, pdpr_error *err)
{
    char found[PDPR_LEDGER_ID_TEXT];
    pdpr_run_state state = asked;
    pdpr_status s = find(ledger, IS_IT, run, found, &state, err);
    if (s == PDPR_OK)
        *out = found[0] && state == asked;
    return s;
}
