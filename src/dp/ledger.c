/* The operations of the ledger: lock, read and check, decide, append one line, flush, unlock.
 *
 * Each operation is complete in itself and starts from the file, so there is no state in memory
 * that a crash, a fork or another process could make wrong. The handle remembers only where the
 * chain ended, to notice a ledger that was cut or swapped while it was in use.
 *
 * Neighbours:    none: the ledger never sees the graph, only charges and a keyed name.
 * Precondition:  the caller draws noise only after pdpr_i_ledger_drawn succeeded, and only as much
 *                as it reserved (the meter sees to that).
 * Guarantee:     at every instant, whatever crashed, the charges in the ledger that count include
 *                those of every noisy value that exists.
 * Proof:         docs/proofs/ledger.md.
 * Rounding:      totals up (accountant.h); budgets are compared with a slack of 1e-12 relative, the
 *                rounding of a decimal budget to a double. */
#include "dp/ledger.h"

#include <errno.h>
#include <math.h>
#include <sodium.h>
#include <string.h>

#include "dp/canonical_json.h"

/* A sum of rationals that equals the budget on paper must not be refused for its last bit. */
static const double budget_slack = 1e-12;

/* Of a budget that is set; what older ledgers hold is read as it is. */
static const double most_delta = 0.01;

void pdpr_ledger_options_default(pdpr_ledger_options *options)
{
    *options = (pdpr_ledger_options){.struct_size = sizeof *options, .wait_seconds = 10};
}

/* ---------------------------------------------------------------- open and close */

static void random_id(char text[PDPR_LEDGER_ID_TEXT])
{
    unsigned char bytes[(PDPR_LEDGER_ID_TEXT - 1) / 2];
    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2hex(text, PDPR_LEDGER_ID_TEXT, bytes, sizeof bytes);
}

/* Makes a ledger with a fresh secret if the path names nothing. */
static pdpr_status create_if_missing(const pdpr_i_ledger_place *place, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_record open_record = {.kind = PDPR_I_RECORD_OPEN};
    pdpr_i_chain none = {0}, next = {0};
    char *line = NULL;
    size_t length = 0;
    struct stat info;

    if (place->system->path_status(place->system->user, place->path, &info) == 0 || errno != ENOENT)
        goto done; /* whatever is there, opening it will tell */
    random_id(open_record.ledger);
    randombytes_buf(open_record.secret, sizeof open_record.secret);
    PDPR_TRY(pdpr_i_record_write(place->ctx, &open_record, &none, &line, &length, &next, err));
    PDPR_TRY(pdpr_i_ledger_file_create(place, line, length, err));
    pdpr_i_notice(place->ctx, "%s: made a new ledger; what was spent before is not in it",
                  place->path);
done:
    if (line)
        sodium_memzero(line, length);
    pdpr_free(line);
    sodium_memzero(&open_record, sizeof open_record);
    sodium_memzero(&next, sizeof next);
    return s;
}

/* Keeps where the chain ends, without the secret. */
static void remember(pdpr_ledger *ledger, const pdpr_i_chain *end)
{
    ledger->seen = *end;
    sodium_memzero(ledger->seen.secret, sizeof ledger->seen.secret);
}

pdpr_status pdpr_i_ledger_begin(pdpr_ledger *ledger, pdpr_i_ledger_purpose purpose,
                                pdpr_i_ledger_file *file, pdpr_i_ledger_state *state,
                                pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    *file = (pdpr_i_ledger_file){.place = &ledger->place, .descriptor = -1};
    *state = (pdpr_i_ledger_state){.ctx = ledger->place.ctx};

    if (purpose != PDPR_I_LEDGER_READ && ledger->read_only) {
        s = pdpr_i_fail(err, PDPR_EUSAGE, "%s: the ledger was opened for reading only",
                        ledger->path);
        goto done;
    }
    PDPR_TRY(pdpr_i_ledger_file_open(&ledger->place, purpose, file, err));
    PDPR_TRY(pdpr_i_ledger_state_read(ledger->place.ctx, ledger->path, file->text,
                                      file->length + file->tail, &ledger->seen, state, err));
    if (state->length > file->length)
        pdpr_i_ledger_file_keep_tail(file);
    remember(ledger, &state->chain);
done:
    return s;
}

pdpr_status pdpr_i_ledger_open_with(pdpr_context *ctx, const char *path,
                                    const pdpr_ledger_options *options,
                                    const pdpr_i_ledger_system *system, pdpr_ledger **out,
                                    pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_ledger_options o;
    pdpr_ledger *ledger = NULL;
    pdpr_i_ledger_file file = {.descriptor = -1};
    pdpr_i_ledger_state state = {0};

    pdpr_ledger_options_default(&o);
    if (options)
        memcpy(&o, options, options->struct_size < sizeof o ? options->struct_size : sizeof o);
    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *ledger, "ledger", &ledger, err));
    PDPR_TRY(pdpr_i_copy_text(ctx, path, strlen(path), &ledger->path, err));
    ledger->read_only = o.read_only;
    ledger->place = (pdpr_i_ledger_place){
        .ctx = ctx, .system = system, .path = ledger->path, .wait_seconds = o.wait_seconds};

    if (o.create && !o.read_only)
        PDPR_TRY(create_if_missing(&ledger->place, err));
    PDPR_TRY(pdpr_i_ledger_begin(ledger, o.read_only ? PDPR_I_LEDGER_READ : PDPR_I_LEDGER_APPEND,
                                 &file, &state, err));
    PDPR_TRY(pdpr_i_ledger_file_close(&file, err));
    /* Also for a ledger that another process made: it may have crashed before doing this. */
    if (!o.read_only)
        PDPR_TRY(pdpr_i_ledger_file_sync_folder(&ledger->place, err));
    *out = ledger;
    ledger = NULL;
done:
    (void)pdpr_i_ledger_file_close(&file, NULL);
    pdpr_i_ledger_state_clear(&state);
    pdpr_ledger_close(ledger);
    return s;
}

pdpr_status pdpr_ledger_open(pdpr_context *ctx, const char *path,
                             const pdpr_ledger_options *options, pdpr_ledger **out, pdpr_error *err)
{
    return pdpr_i_ledger_open_with(ctx, path, options, &pdpr_i_ledger_system_real, out, err);
}

void pdpr_ledger_close(pdpr_ledger *ledger)
{
    if (!ledger)
        return;
    pdpr_free(ledger->path);
    pdpr_free(ledger);
}

/* ---------------------------------------------------------------- one more record */

/* Refuses a reservation that the dataset's budget does not allow. */
static pdpr_status check_budget(const pdpr_i_ledger_state *state, const pdpr_i_record *record,
                                pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t index = pdpr_i_ledger_find_dataset(state, record->dataset);
    double spent, asked, together;

    const pdpr_i_ledger_dataset *d = index < state->num_datasets ? &state->datasets[index] : NULL;
    if (!d || !d->has_budget)
        goto done;
    PDPR_TRY(pdpr_i_ledger_total(state, index, record->charges, record->num_charges, d->delta,
                                 &together, err));
    if (together <= d->epsilon * (1 + budget_slack))
        goto done;
    PDPR_TRY(pdpr_i_ledger_total(state, index, NULL, 0, d->delta, &spent, err));
    PDPR_TRY(pdpr_i_ledger_total(state, state->num_datasets, record->charges, record->num_charges,
                                 d->delta, &asked, err));
    s = pdpr_i_fail(err, PDPR_EBUDGET,
                    "the budget of this dataset is epsilon %.6g at delta %.6g: spent %.6g, this "
                    "run asks for %.6g, together %.6g; left %.6g%s",
                    d->epsilon, d->delta, spent, asked, together, fmax(0, d->epsilon - spent),
                    isinf(asked) ? ". No delta below that of the run can pay for its Gaussian "
                                   "noise: a budget for it has one too, as 3.2,1e-5"
                                 : "");
done:
    return s;
}

/* Appends a record if its form, the rules and the budget allow it. `refusal` is the status of an
 * objection by the rules. *tried: the line may stand, also after a failure (a flush that failed).
 */
static pdpr_status append(pdpr_ledger *ledger, const pdpr_i_record *record, pdpr_status refusal,
                          bool *tried, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_ledger_file file = {.descriptor = -1};
    pdpr_i_ledger_state state = {0};
    pdpr_i_chain next = {0};
    char *line = NULL;
    size_t length = 0;

    *tried = false;
    bool paid = record->kind == PDPR_I_RECORD_DRAWN || record->kind == PDPR_I_RECORD_COMMIT ||
                record->kind == PDPR_I_RECORD_PUBLISHED;
    PDPR_TRY(pdpr_i_ledger_begin(ledger, paid ? PDPR_I_LEDGER_APPEND_PAID : PDPR_I_LEDGER_APPEND,
                                 &file, &state, err));
    const char *objection = pdpr_i_ledger_objection(&state, record);
    if (objection) {
        s = pdpr_i_fail(err, refusal, "%s: %s", ledger->path, objection);
        goto done;
    }
    if (record->kind == PDPR_I_RECORD_RESERVE)
        PDPR_TRY(check_budget(&state, record, err));
    PDPR_TRY(pdpr_i_record_write(state.ctx, record, &state.chain, &line, &length, &next, err));
    *tried = true;
    PDPR_TRY(pdpr_i_ledger_file_append(&file, line, length, err));
    remember(ledger, &next);
    PDPR_TRY(pdpr_i_ledger_file_close(&file, err));
done:
    (void)pdpr_i_ledger_file_close(&file, NULL);
    pdpr_i_ledger_state_clear(&state);
    pdpr_free(line);
    sodium_memzero(&next, sizeof next);
    return s;
}

/* Copies a caller's text into a record's field; false if it is missing or too long. */
static bool put(char *field, size_t size, const char *text)
{
    size_t length = text ? strlen(text) : size;
    if (length >= size)
        return false;
    memcpy(field, text, length + 1);
    return true;
}

/* The record of a reservation, sharing its charges; false if something is out of form. */
static bool reservation_to_record(const pdpr_i_reservation *r, const char *run, pdpr_i_record *out)
{
    *out = (pdpr_i_record){.kind = PDPR_I_RECORD_RESERVE,
                           .charges = (pdpr_i_ledger_charge *)r->charges, /* read only */
                           .num_charges = r->num_charges,
                           .seeded = r->seeded};
    return put(out->run, sizeof out->run, run) &&
           put(out->dataset, sizeof out->dataset, r->dataset) &&
           put(out->method, sizeof out->method, r->method) &&
           put(out->day, sizeof out->day, r->day) && pdpr_i_record_is_valid(out);
}

static pdpr_status out_of_form(const pdpr_ledger *ledger, const char *expected, pdpr_error *err)
{
    return pdpr_i_fail(err, PDPR_EUSAGE, "%s: expected %s", ledger->path, expected);
}

pdpr_status pdpr_i_ledger_reserve(pdpr_ledger *ledger, const pdpr_i_reservation *reservation,
                                  char run[PDPR_LEDGER_ID_TEXT], pdpr_error *err)
{
    pdpr_i_record record;
    char id[PDPR_LEDGER_ID_TEXT];
    bool tried;
    random_id(id);
    if (!reservation_to_record(reservation, id, &record))
        return out_of_form(ledger,
                           "a dataset of this ledger, positive charges, printable labels and a day "
                           "as YYYY-MM-DD",
                           err);
    pdpr_status s = append(ledger, &record, PDPR_EUSAGE, &tried, err);
    if (tried)
        memcpy(run, id, sizeof id);
    return s;
}

/* A record that says no more than its run. */
static pdpr_status step(pdpr_ledger *ledger, pdpr_i_record_kind kind, const char *run,
                        const char *output, pdpr_status refusal, pdpr_error *err)
{
    pdpr_i_record record = {.kind = kind};
    bool tried;
    if (!put(record.run, sizeof record.run, run) ||
        !put(record.output, sizeof record.output, output) || !pdpr_i_record_is_valid(&record))
        return out_of_form(ledger, "a run (32 hex digits) and an output hash (64)", err);
    return append(ledger, &record, refusal, &tried, err);
}

const char *pdpr_ledger_open_run(const pdpr_ledger *ledger)
{
    return ledger->drawn;
}

void pdpr_i_ledger_keep_open(pdpr_ledger *ledger, const char *run, bool may_be_refunded)
{
    put(ledger->drawn, sizeof ledger->drawn, run);
    ledger->may_be_refunded = may_be_refunded;
}

pdpr_status pdpr_i_ledger_drawn(pdpr_ledger *ledger, const char *run, pdpr_error *err)
{
    pdpr_status s = step(ledger, PDPR_I_RECORD_DRAWN, run, "", PDPR_EUSAGE, err);
    if (s == PDPR_OK)
        pdpr_i_ledger_keep_open(ledger, run, false);
    return s;
}

pdpr_status pdpr_i_ledger_commit(pdpr_ledger *ledger, const char *run, const char *output,
                                 pdpr_error *err)
{
    return step(ledger, PDPR_I_RECORD_COMMIT, run, output, PDPR_EUSAGE, err);
}

pdpr_status pdpr_i_ledger_published(pdpr_ledger *ledger, const char *run, pdpr_error *err)
{
    pdpr_status s = step(ledger, PDPR_I_RECORD_PUBLISHED, run, "", PDPR_EUSAGE, err);
    if (s == PDPR_OK)
        ledger->drawn[0] = '\0';
    return s;
}

pdpr_status pdpr_ledger_refund(pdpr_ledger *ledger, const char *run, pdpr_error *err)
{
    return step(ledger, PDPR_I_RECORD_REFUND, run, "", PDPR_EBUDGET, err);
}

pdpr_status pdpr_ledger_set_budget(pdpr_ledger *ledger, const char *dataset, double epsilon,
                                   double delta, pdpr_error *err)
{
    pdpr_i_record record = {.kind = PDPR_I_RECORD_BUDGET, .epsilon = epsilon, .delta = delta};
    bool tried;
    if (delta > most_delta)
        return out_of_form(ledger,
                           "a budget with delta at most 0.01: with that probability it promises "
                           "nothing at all",
                           err);
    if (!put(record.dataset, sizeof record.dataset, dataset) || !pdpr_i_record_is_valid(&record))
        return out_of_form(
            ledger, "a dataset (64 hex digits) and a budget with epsilon > 0 and delta 0 to 0.01",
            err);
    return append(ledger, &record, PDPR_EUSAGE, &tried, err);
}

/* ---------------------------------------------------------------- taking up a run again */

static bool same_reservation(const pdpr_i_record *a, const pdpr_i_record *b)
{
    if (strcmp(a->dataset, b->dataset) != 0 || strcmp(a->method, b->method) != 0 ||
        a->seeded != b->seeded || a->num_charges != b->num_charges)
        return false;
    for (uint64_t i = 0; i < a->num_charges; i++) {
        const pdpr_i_ledger_charge *x = &a->charges[i], *y = &b->charges[i];
        if (strcmp(x->label, y->label) != 0 || x->num != y->num || x->den != y->den ||
            x->mu != y->mu || x->steps != y->steps)
            return false;
    }
    return true;
}

pdpr_status pdpr_i_ledger_resume(pdpr_ledger *ledger, const char *run,
                                 const pdpr_i_reservation *reservation, pdpr_run_state *out_state,
                                 char output[PDPR_LEDGER_KEY_TEXT], pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_ledger_file file = {.descriptor = -1};
    pdpr_i_ledger_state state = {0};
    pdpr_i_record record;

    if (!reservation_to_record(reservation, run, &record)) {
        s = out_of_form(ledger, "the run and the reservation that are taken up again", err);
        goto done;
    }
    PDPR_TRY(pdpr_i_ledger_begin(ledger, PDPR_I_LEDGER_READ, &file, &state, err));
    PDPR_TRY(pdpr_i_ledger_file_flush(&file, err)); /* its DRAWN may have been written only */
    PDPR_TRY(pdpr_i_ledger_file_close(&file, err));
    uint64_t index = pdpr_i_ledger_find_run(&state, run);
    if (index == state.num_runs || !same_reservation(&state.runs[index].reserve, &record)) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "%s: the run to take up again was not reserved here with this dataset and "
                        "these charges",
                        ledger->path);
        goto done;
    }
    if (state.runs[index].state == PDPR_RUN_REFUNDED) {
        s = pdpr_i_fail(err, PDPR_EBUDGET,
                        "%s: the run to take up again was refunded: nothing pays for it any more",
                        ledger->path);
        goto done;
    }
    *out_state = state.runs[index].state;
    memcpy(output, state.runs[index].output, PDPR_LEDGER_KEY_TEXT);
    if (*out_state == PDPR_RUN_DRAWN || *out_state == PDPR_RUN_COMMITTED)
        pdpr_i_ledger_keep_open(ledger, run, false);
done:
    (void)pdpr_i_ledger_file_close(&file, NULL);
    pdpr_i_ledger_state_clear(&state);
    return s;
}
