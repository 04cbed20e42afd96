/* Records of the ledger as lines of a hash chain.
 *
 * A line is a canonical JSON object: the record's fields, "line" (its number), "prev" (hash of the
 * line before, zeros before the first) and "hash" (keyed BLAKE2b-256 of the object without "hash",
 * under the ledger's secret). "prev" ties a line to the one before it, "hash" ties the last line
 * too, "line" makes the message plain. The secret stands in the file, so the chain shows damage,
 * edits and mixed-up files; it is no seal against someone who can write the file and the program.
 *
 * Reading is strict with one rule: a record is accepted only if writing it again gives the same
 * JSON. So there is no unknown, missing or misspelt field to think of.
 *
 * Cost: two canonical dumps a line. Proof: docs/proofs/ledger.md. */
#include "dp/ledger_record.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

#include "dp/canonical_json.h"

#define FORMAT PDPR_I_LEDGER_FORMAT "1"
#define REPAIR "; nothing was changed: restore the ledger from a copy, see docs/privacy.md"

enum { HASH_BYTES = 32, MOST_EPSILON = 50 };

/* What the accountant converts: larger charges or smaller deltas have no meaning. */
static const double most_mu = 1e6, least_delta = 1e-300;

static const char zero_hash[] = "0000000000000000000000000000000000000000000000000000000000000000";

static const char *const kind_names[PDPR_I_RECORD_KINDS] = {
    "OPEN", "BUDGET", "RESERVE", "DRAWN", "COMMIT", "PUBLISHED", "REFUND",
};

/* ---------------------------------------------------------------- validity */

static bool is_hex(const char *text, size_t length)
{
    return strlen(text) == length && strspn(text, "0123456789abcdef") == length;
}

/* Printable ASCII, not empty, nothing that JSON would escape. */
static bool is_plain(const char *text)
{
    for (const char *at = text; *at; at++)
        if (*at < ' ' || *at > '~' || *at == '"' || *at == '\\')
            return false;
    return *text != '\0';
}

static bool is_day(const char *text)
{
    static const char form[] = "dddd-dd-dd";
    for (size_t i = 0; i < sizeof form; i++)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    return true;
}

static bool is_charge(const pdpr_i_ledger_charge *c)
{
    if (!is_plain(c->label))
        return false;
    if (c->den > 0)
        return c->num > 0 && c->num <= INT64_MAX && c->den <= INT64_MAX &&
               (c->num / c->den < MOST_EPSILON ||
                (c->num / c->den == MOST_EPSILON && c->num % c->den == 0));
    return c->mu > 0 && c->mu <= most_mu && c->steps > 0 && c->steps <= INT64_MAX;
}

static bool is_reserve(const pdpr_i_record *r)
{
    for (uint64_t i = 0; i < r->num_charges; i++)
        if (!is_charge(&r->charges[i]))
            return false;
    return r->num_charges > 0 && is_plain(r->method) && is_day(r->day);
}

bool pdpr_i_record_is_valid(const pdpr_i_record *r)
{
    const size_t id = PDPR_LEDGER_ID_TEXT - 1, key = PDPR_LEDGER_KEY_TEXT - 1;
    if (r->kind == PDPR_I_RECORD_OPEN)
        return is_hex(r->ledger, id);
    if (r->kind == PDPR_I_RECORD_BUDGET)
        return is_hex(r->dataset, key) && isfinite(r->epsilon) && r->epsilon > 0 &&
               (r->delta == 0 || (r->delta >= least_delta && r->delta < 1));
    if (r->kind == PDPR_I_RECORD_RESERVE)
        return is_hex(r->run, id) && is_hex(r->dataset, key) && is_reserve(r);
    if (r->kind == PDPR_I_RECORD_COMMIT)
        return is_hex(r->run, id) && is_hex(r->output, key);
    return is_hex(r->run, id);
}

/* ---------------------------------------------------------------- struct to JSON */

static json_t *charge_to_json(const pdpr_i_ledger_charge *c)
{
    char mu[PDPR_I_REAL_TEXT];
    if (c->den > 0)
        return json_pack("{s:s, s:I, s:I}", "label", c->label, "num", (json_int_t)c->num, "den",
                         (json_int_t)c->den);
    pdpr_i_real_text(c->mu, mu);
    return json_pack("{s:s, s:s, s:I}", "label", c->label, "mu", mu, "steps", (json_int_t)c->steps);
}

static json_t *reserve_to_json(const pdpr_i_record *r)
{
    json_t *charges = json_array();
    for (uint64_t i = 0; i < r->num_charges; i++)
        if (json_array_append_new(charges, charge_to_json(&r->charges[i])) != 0) {
            json_decref(charges);
            return NULL;
        }
    return json_pack("{s:s, s:s, s:o, s:b, s:s, s:s}", "run", r->run, "dataset", r->dataset,
                     "charges", charges, "seeded", (int)r->seeded, "method", r->method, "day",
                     r->day);
}

static json_t *open_to_json(const pdpr_i_record *r)
{
    char secret[2 * PDPR_I_SECRET_BYTES + 1];
    sodium_bin2hex(secret, sizeof secret, r->secret, sizeof r->secret);
    json_t *json =
        json_pack("{s:s, s:s, s:s}", "format", FORMAT, "ledger", r->ledger, "secret", secret);
    sodium_memzero(secret, sizeof secret);
    return json;
}

static json_t *budget_to_json(const pdpr_i_record *r)
{
    char epsilon[PDPR_I_REAL_TEXT], delta[PDPR_I_REAL_TEXT];
    pdpr_i_real_text(r->epsilon, epsilon);
    pdpr_i_real_text(r->delta, delta);
    return json_pack("{s:s, s:s, s:s}", "dataset", r->dataset, "epsilon", epsilon, "delta", delta);
}

static json_t *fields_to_json(const pdpr_i_record *r)
{
    if (r->kind == PDPR_I_RECORD_OPEN)
        return open_to_json(r);
    if (r->kind == PDPR_I_RECORD_BUDGET)
        return budget_to_json(r);
    if (r->kind == PDPR_I_RECORD_RESERVE)
        return reserve_to_json(r);
    if (r->kind == PDPR_I_RECORD_COMMIT)
        return json_pack("{s:s, s:s}", "run", r->run, "output", r->output);
    return json_pack("{s:s}", "run", r->run);
}

/* The whole object but its "hash"; NULL: out of memory. */
static json_t *record_to_json(const pdpr_i_record *r, uint64_t line, const char *prev)
{
    json_t *json = fields_to_json(r);
    if (json_object_set_new(json, "record", json_string(kind_names[r->kind])) != 0 ||
        json_object_set_new(json, "line", json_integer((json_int_t)line)) != 0 ||
        json_object_set_new(json, "prev", json_string(prev)) != 0) {
        json_decref(json);
        return NULL;
    }
    return json;
}

/* Keyed hash of the canonical text of an object without "hash". */
static pdpr_status hash_of(pdpr_context *ctx, const json_t *json,
                           const unsigned char secret[PDPR_I_SECRET_BYTES],
                           char out[PDPR_LEDGER_KEY_TEXT], pdpr_error *err)
{
    char *text = NULL;
    size_t length;
    unsigned char hash[HASH_BYTES];
    pdpr_status s = pdpr_i_canonical_write(ctx, json, &text, &length, err);
    if (s != PDPR_OK)
        return s;
    crypto_generichash(hash, sizeof hash, (const unsigned char *)text, length, secret,
                       PDPR_I_SECRET_BYTES);
    sodium_bin2hex(out, PDPR_LEDGER_KEY_TEXT, hash, sizeof hash);
    sodium_memzero(text, length); /* the first line holds the secret */
    pdpr_free(text);
    return PDPR_OK;
}

pdpr_status pdpr_i_record_write(pdpr_context *ctx, const pdpr_i_record *record,
                                const pdpr_i_chain *chain, char **line, size_t *length,
                                pdpr_i_chain *next, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_chain end = *chain;
    char *text = NULL;

    end.line++;
    if (record->kind == PDPR_I_RECORD_OPEN)
        memcpy(end.secret, record->secret, sizeof end.secret);
    json_t *json = record_to_json(record, end.line, chain->line ? chain->hash : zero_hash);
    if (!json) {
        s = pdpr_i_fail(err, PDPR_ENOMEM, "ledger record: out of memory");
        goto done;
    }
    PDPR_TRY(hash_of(ctx, json, end.secret, end.hash, err));
    if (json_object_set_new(json, "hash", json_string(end.hash)) != 0) {
        s = pdpr_i_fail(err, PDPR_ENOMEM, "ledger record: out of memory");
        goto done;
    }
    PDPR_TRY(pdpr_i_canonical_write(ctx, json, &text, length, err));
    text[(*length)++] = '\n'; /* where the NUL was */
    *line = text;
    *next = end;
done:
    json_decref(json);
    sodium_memzero(&end, sizeof end);
    return s;
}

/* ---------------------------------------------------------------- JSON to struct */

/* The readers below take what is there and leave zeros for what is not: whatever is missing, of the
 * wrong type or too long shows when the record is written again. */

static void take_text(const json_t *json, const char *key, char *out, size_t size)
{
    const char *text = json_string_value(json_object_get(json, key));
    if (text && strlen(text) < size)
        snprintf(out, size, "%s", text);
}

static double take_real(const json_t *json, const char *key)
{
    double value = 0;
    const char *text = json_string_value(json_object_get(json, key));
    return text && pdpr_i_real_parse(text, &value) ? value : 0;
}

static uint64_t take_count(const json_t *json, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(json, key));
    return value > 0 ? (uint64_t)value : 0;
}

static pdpr_status take_charges(pdpr_context *ctx, const json_t *list, pdpr_i_record *out,
                                pdpr_error *err)
{
    size_t count = json_array_size(list);
    pdpr_status s = pdpr_i_zalloc(ctx, count, sizeof *out->charges, "charges", &out->charges, err);
    if (s != PDPR_OK)
        return s;
    for (size_t i = 0; i < count; i++) {
        const json_t *json = json_array_get(list, i);
        pdpr_i_ledger_charge *c = &out->charges[i];
        take_text(json, "label", c->label, sizeof c->label);
        c->num = take_count(json, "num");
        c->den = take_count(json, "den");
        c->mu = take_real(json, "mu");
        c->steps = take_count(json, "steps");
    }
    out->num_charges = count;
    return PDPR_OK;
}

static void take_secret(const json_t *json, unsigned char out[PDPR_I_SECRET_BYTES])
{
    char hex[2 * PDPR_I_SECRET_BYTES + 1] = "";
    size_t length;
    take_text(json, "secret", hex, sizeof hex);
    sodium_hex2bin(out, PDPR_I_SECRET_BYTES, hex, strlen(hex), NULL, &length, NULL);
    sodium_memzero(hex, sizeof hex);
}

static pdpr_i_record_kind take_kind(const json_t *json)
{
    const char *name = json_string_value(json_object_get(json, "record"));
    pdpr_i_record_kind kind = PDPR_I_RECORD_OPEN;
    while (kind < PDPR_I_RECORD_KINDS && (!name || strcmp(name, kind_names[kind]) != 0))
        kind++;
    return kind;
}

/* The record that an object without "hash" says, if it says one exactly. */
static pdpr_status json_to_record(pdpr_context *ctx, const json_t *json, const char *name,
                                  const pdpr_i_chain *chain, pdpr_i_record *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_record r = {.kind = take_kind(json)};
    json_t *again = NULL;

    if (r.kind == PDPR_I_RECORD_KINDS) {
        s = pdpr_i_fail(
            err, PDPR_EINPUT,
            "%s: expected a kind of record that this version knows, found another" REPAIR, name);
        goto done;
    }
    take_text(json, "ledger", r.ledger, sizeof r.ledger);
    take_text(json, "run", r.run, sizeof r.run);
    take_text(json, "dataset", r.dataset, sizeof r.dataset);
    take_text(json, "output", r.output, sizeof r.output);
    take_text(json, "method", r.method, sizeof r.method);
    take_text(json, "day", r.day, sizeof r.day);
    take_secret(json, r.secret);
    r.epsilon = take_real(json, "epsilon");
    r.delta = take_real(json, "delta");
    r.seeded = json_is_true(json_object_get(json, "seeded"));
    PDPR_TRY(take_charges(ctx, json_object_get(json, "charges"), &r, err));

    again = record_to_json(&r, chain->line + 1, chain->line ? chain->hash : zero_hash);
    if (!again) {
        s = pdpr_i_fail(err, PDPR_ENOMEM, "%s: out of memory", name);
        goto done;
    }
    if (!json_equal(json, again) || !pdpr_i_record_is_valid(&r)) {
        s = pdpr_i_fail(err, PDPR_EINPUT,
                        "%s: expected a well-formed %s record that follows line %" PRIu64
                        ", found another: lines are missing, repeated or out of order" REPAIR,
                        name, kind_names[r.kind], chain->line);
        goto done;
    }
    *out = r;
    r.charges = NULL;
done:
    json_decref(again);
    pdpr_free(r.charges);
    sodium_memzero(&r, sizeof r);
    return s;
}

/* The first line says what kind of file this is, and must be understood before it is checked. */
static pdpr_status check_format(const json_t *json, const char *name, pdpr_error *err)
{
    const char *format = json_string_value(json_object_get(json, "format"));
    if (format && strcmp(format, FORMAT) == 0)
        return PDPR_OK;
    if (format && strncmp(format, PDPR_I_LEDGER_FORMAT, strlen(PDPR_I_LEDGER_FORMAT)) == 0)
        return pdpr_i_fail(err, PDPR_EINPUT,
                           "%s: expected ledger format 1, found another: a newer privdpr wrote it; "
                           "use that one",
                           name);
    return pdpr_i_fail(err, PDPR_EINPUT, "%s: expected the first line of a privdpr ledger", name);
}

pdpr_status pdpr_i_record_read(pdpr_context *ctx, const char *path, const char *line, size_t length,
                               pdpr_i_chain *chain, pdpr_i_record *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    json_t *json = NULL;
    pdpr_i_record record = {0};
    pdpr_i_chain end = *chain;
    char name[PDPR_ERROR_TEXT / 2], found[PDPR_LEDGER_KEY_TEXT] = "";

    end.line++;
    snprintf(name, sizeof name, "%s:%" PRIu64, path, end.line);
    PDPR_TRY(pdpr_i_canonical_parse(ctx, line, length, name, &json, err));
    if (chain->line == 0) {
        PDPR_TRY(check_format(json, name, err));
        take_secret(json, end.secret);
    }
    take_text(json, "hash", found, sizeof found);
    json_object_del(json, "hash");
    PDPR_TRY(hash_of(ctx, json, end.secret, end.hash, err));
    if (strcmp(found, end.hash) != 0) {
        s = pdpr_i_fail(err, PDPR_EINPUT,
                        "%s: expected the hash of this line under this ledger's secret, found "
                        "another: the line was changed or comes from another ledger" REPAIR,
                        name);
        goto done;
    }
    PDPR_TRY(json_to_record(ctx, json, name, chain, &record, err));
    *chain = end;
    *out = record;
done:
    json_decref(json);
    sodium_memzero(&end, sizeof end);
    sodium_memzero(&record, sizeof record);
    return s;
}
