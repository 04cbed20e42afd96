/* The meaning of a ledger: replay of its records under the rules
 *
 *     RESERVE -> DRAWN -> COMMIT -> PUBLISHED        RESERVE -> REFUND
 *
 * each step once, in this order, for a run that a single RESERVE opened. From them follow the
 * promises of docs/proofs/ledger.md: no publication without COMMIT, no two RESERVEs for one run,
 * no refund once a noisy value may exist, and no draw once a refund is given.
 *
 * Everything is read from the file each time; nothing is remembered between operations but where
 * the file ended. Cost: O(lines), runs being looked up from the newest back. */
#include "dp/ledger_state.h"

#include <sodium.h>
#include <string.h>

/* What a record about an existing run needs, and what it makes of the run. */
static const struct {
    pdpr_run_state needs, makes;
    const char *objection;
} step_rules[PDPR_I_RECORD_KINDS] = {
    [PDPR_I_RECORD_DRAWN] = {PDPR_RUN_RESERVED, PDPR_RUN_DRAWN,
                             "noise is drawn once, and only for a reservation that stands"},
    [PDPR_I_RECORD_COMMIT] = {PDPR_RUN_DRAWN, PDPR_RUN_COMMITTED,
                              "an output is committed once, after the noise was drawn"},
    [PDPR_I_RECORD_PUBLISHED] = {PDPR_RUN_COMMITTED, PDPR_RUN_PUBLISHED,
                                 "an output is published once, after it was committed"},
    [PDPR_I_RECORD_REFUND] = {PDPR_RUN_RESERVED, PDPR_RUN_REFUNDED,
                              "a run is refunded once, and only before its first noisy value; "
                              "after that it stays spent"},
};

uint64_t pdpr_i_ledger_find_dataset(const pdpr_i_ledger_state *state, const char *key)
{
    uint64_t i = 0;
    while (i < state->num_datasets && strcmp(state->datasets[i].key, key) != 0)
        i++;
    return i;
}

uint64_t pdpr_i_ledger_find_run(const pdpr_i_ledger_state *state, const char *run)
{
    for (uint64_t i = state->num_runs; i > 0; i--)
        if (strcmp(state->runs[i - 1].reserve.run, run) == 0)
            return i - 1;
    return state->num_runs;
}

const char *pdpr_i_ledger_objection(const pdpr_i_ledger_state *state, const pdpr_i_record *record)
{
    bool first = state->chain.line == 0;
    if ((record->kind == PDPR_I_RECORD_OPEN) != first)
        return "a ledger opens with its first line and never again";
    if (record->kind == PDPR_I_RECORD_OPEN || record->kind == PDPR_I_RECORD_BUDGET)
        return NULL;

    uint64_t run = pdpr_i_ledger_find_run(state, record->run);
    if (record->kind == PDPR_I_RECORD_RESERVE)
        return run < state->num_runs ? "a run is reserved once" : NULL;
    if (run == state->num_runs)
        return "the run is not in this ledger";
    return state->runs[run].state == step_rules[record->kind].needs
               ? NULL
               : step_rules[record->kind].objection;
}

/* Makes room for one more item of `size` bytes in *items. */
static pdpr_status make_room(pdpr_context *ctx, void *items, uint64_t used, uint64_t *room,
                             size_t size, pdpr_error *err)
{
    if (used < *room)
        return PDPR_OK;
    uint64_t more = *room ? 2 * *room : 16;
    pdpr_status s = pdpr_i_resize(ctx, more, size, "ledger", items, err);
    if (s == PDPR_OK)
        *room = more;
    return s;
}

/* The dataset of that key, new if it is not there yet. */
static pdpr_status meet_dataset(pdpr_i_ledger_state *state, const char *key, uint64_t *index,
                                pdpr_error *err)
{
    *index = pdpr_i_ledger_find_dataset(state, key);
    if (*index < state->num_datasets)
        return PDPR_OK;
    pdpr_status s = make_room(state->ctx, &state->datasets, state->num_datasets,
                              &state->datasets_room, sizeof *state->datasets, err);
    if (s != PDPR_OK)
        return s;
    pdpr_i_ledger_dataset *d = &state->datasets[state->num_datasets++];
    *d = (pdpr_i_ledger_dataset){0};
    snprintf(d->key, sizeof d->key, "%s", key);
    return PDPR_OK;
}

/* Lets a record that nothing objects to take effect; takes its charges over. */
static pdpr_status apply(pdpr_i_ledger_state *state, pdpr_i_record *record, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t index;

    if (record->kind == PDPR_I_RECORD_OPEN) {
        memcpy(state->ledger, record->ledger, sizeof state->ledger);
    } else if (record->kind == PDPR_I_RECORD_BUDGET) {
        PDPR_TRY(meet_dataset(state, record->dataset, &index, err));
        state->datasets[index].has_budget = true;
        state->datasets[index].epsilon = record->epsilon;
        state->datasets[index].delta = record->delta;
    } else if (record->kind == PDPR_I_RECORD_RESERVE) {
        PDPR_TRY(meet_dataset(state, record->dataset, &index, err));
        PDPR_TRY(make_room(state->ctx, &state->runs, state->num_runs, &state->runs_room,
                           sizeof *state->runs, err));
        state->runs[state->num_runs++] =
            (pdpr_i_ledger_run){.reserve = *record, .dataset = index, .state = PDPR_RUN_RESERVED};
        record->charges = NULL;
    } else {
        pdpr_i_ledger_run *run = &state->runs[pdpr_i_ledger_find_run(state, record->run)];
        run->state = step_rules[record->kind].makes;
        if (record->kind == PDPR_I_RECORD_COMMIT)
            memcpy(run->output, record->output, sizeof run->output);
    }
done:
    return s;
}

/* Reads one line and lets it take effect. */
static pdpr_status replay_line(pdpr_i_ledger_state *state, const char *path, const char *line,
                               size_t length, const pdpr_i_chain *seen, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_record record = {0};
    pdpr_i_chain end = state->chain;

    PDPR_TRY(pdpr_i_record_read(state->ctx, path, line, length, &end, &record, err));
    const char *objection = pdpr_i_ledger_objection(state, &record);
    if (objection) {
        s = pdpr_i_fail(err, PDPR_EINPUT, "%s:%" PRIu64 ": this record cannot stand here: %s", path,
                        end.line, objection);
        goto done;
    }
    if (end.line == seen->line && strcmp(end.hash, seen->hash) != 0) {
        s = pdpr_i_fail(err, PDPR_EINPUT,
                        "%s:%" PRIu64 ": expected the line that this process read before, found "
                        "another: the ledger was replaced",
                        path, end.line);
        goto done;
    }
    PDPR_TRY(apply(state, &record, err));
    state->chain = end;
done:
    pdpr_free(record.charges);
    sodium_memzero(&record, sizeof record);
    sodium_memzero(&end, sizeof end);
    return s;
}

/* Whether the object that a text begins with comes to its closing brace. A proper prefix of a line
 * never does, so bytes that do are a line, right or wrong, and are not forgotten. Decided without
 * the parser, which for want of memory can take a good text for a bad one. */
static bool closes(const char *text, uint64_t length)
{
    int64_t depth = 0;
    bool quoted = false;
    for (uint64_t i = 0; i < length; i++) {
        if (text[i] == '"') /* no text of a record has one, or a backslash, in it */
            quoted = !quoted;
        else if (!quoted && text[i] == '{')
            depth++;
        else if (!quoted && text[i] == '}' && --depth == 0)
            return true;
    }
    return false;
}

pdpr_status pdpr_i_ledger_state_read(pdpr_context *ctx, const char *path, const char *text,
                                     uint64_t length, const pdpr_i_chain *seen,
                                     pdpr_i_ledger_state *out, pdpr_error *err)
{
    *out = (pdpr_i_ledger_state){.ctx = ctx};
    for (uint64_t start = 0, next; start < length; start = next) {
        const char *newline = memchr(text + start, '\n', length - start);
        if (!newline && !closes(text + start, length - start))
            break; /* an append that was cut short */
        next = newline ? (uint64_t)(newline - text) + 1 : length;
        pdpr_status s =
            replay_line(out, path, text + start, next - (newline != NULL) - start, seen, err);
        if (s != PDPR_OK)
            return s;
        out->length = next;
    }
    if (out->chain.line == 0)
        return pdpr_i_fail(err, PDPR_EINPUT,
                           "%s:1: expected the first line of a privdpr ledger, found none", path);
    if (out->chain.line < seen->line)
        return pdpr_i_fail(err, PDPR_EINPUT,
                           "%s:%" PRIu64 ": expected %" PRIu64
                           " lines or more, as this process read before, found fewer: the ledger "
                           "was cut or replaced",
                           path, out->chain.line, seen->line);
    return PDPR_OK;
}

void pdpr_i_ledger_state_clear(pdpr_i_ledger_state *state)
{
    for (uint64_t i = 0; i < state->num_runs; i++)
        pdpr_free(state->runs[i].reserve.charges);
    pdpr_free(state->runs);
    pdpr_free(state->datasets);
    sodium_memzero(state, sizeof *state);
}
