/* A ledger for tests of the ledger: see ledger_case.h. */
#include "support/ledger_case.h"
#include "dp/canonical_json.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- a ledger to work with */

typedef test_ledger_case fixture;

static void keep_notice(void *user, const char *text)
{
    fixture *f = user;
    snprintf(f->last_notice, sizeof f->last_notice, "%s", text);
    f->notices++;
}

pdpr_ledger *test_ledger_case_open(fixture *f, bool create)
{
    pdpr_ledger_options options;
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_options_default(&options);
    options.create = create;
    assert_ok(pdpr_ledger_open(f->ctx, f->path, &options, &ledger, NULL));
    return ledger;
}

int test_ledger_case_new(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    pdpr_context_options options;
    pdpr_context_options_default(&options);
    options.threads = 2;
    options.notice = keep_notice;
    options.user = f;
    assert_ok(pdpr_context_new(&options, &f->ctx, NULL));
    test_scratch_make(f->folder);
    test_scratch_path(f->folder, "ledger", f->path);
    f->ledger = test_ledger_case_open(f, true);
    *state = f;
    return 0;
}

int test_ledger_case_end(void **state)
{
    fixture *f = *state;
    pdpr_ledger_close(f->ledger);
    assert_int_equal(pdpr_context_memory(f->ctx, NULL), 0);
    pdpr_context_free(f->ctx);
    test_scratch_remove(f->folder);
    free(f);
    return 0;
}

pdpr_i_reservation test_reservation(const char *dataset, const pdpr_i_ledger_charge *charges,
                                    uint64_t count)
{
    return (pdpr_i_reservation){.dataset = dataset,
                                .charges = charges,
                                .num_charges = count,
                                .method = "blueprint",
                                .day = "2026-11-15"};
}

pdpr_status test_reserve(pdpr_ledger *ledger, const char *dataset,
                         const pdpr_i_ledger_charge *charges, uint64_t count,
                         char run[PDPR_LEDGER_ID_TEXT], pdpr_error *err)
{
    pdpr_i_reservation r = test_reservation(dataset, charges, count);
    return pdpr_i_ledger_reserve(ledger, &r, run, err);
}

pdpr_ledger_summary *test_summarise(pdpr_ledger *ledger)
{
    pdpr_ledger_summary *summary = NULL;
    assert_ok(pdpr_ledger_summarise(ledger, 1e-5, &summary, NULL));
    return summary;
}

void test_assert_refused(fixture *f, const char *text)
{
    pdpr_ledger *ledger = NULL;
    pdpr_error err;
    assert_int_equal(pdpr_ledger_open(f->ctx, f->path, NULL, &ledger, &err), PDPR_EINPUT);
    assert_null(ledger);
    assert_memory_equal(err.text, f->path, strlen(f->path));
    if (strncmp(err.text + strlen(f->path), text, strlen(text)) != 0)
        fail_msg("expected \"%s…\", found \"%s\"", text, err.text + strlen(f->path));
}

/* ---------------------------------------------------------------- lines by hand */

test_lines test_lines_read(const char *path)
{
    test_lines l = {.count = 0};
    char *all = test_file_read(path, NULL), *rest = all;
    for (char *line; (line = strsep(&rest, "\n")) && *line;)
        l.text[l.count++] = strdup(line);
    free(all);
    return l;
}

void test_lines_write(const char *path, const test_lines *l)
{
    size_t length = 0;
    char *all = calloc(1, 1 << 16);
    for (size_t i = 0; i < l->count; i++)
        length += (size_t)sprintf(all + length, "%s\n", l->text[i]);
    test_file_write(path, all, length);
    free(all);
}

void test_lines_free(test_lines *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->text[i]);
}

char *test_line_seal(pdpr_context *ctx, json_t *json, const char *first_line)
{
    json_t *first = json_loads(first_line, 0, NULL);
    unsigned char secret[32] = {0}, hash[32];
    char hex[65], *text = NULL;
    size_t length;
    const char *secret_hex = json_string_value(json_object_get(first, "secret"));
    sodium_hex2bin(secret, sizeof secret, secret_hex, strlen(secret_hex), NULL, NULL, NULL);
    json_object_del(json, "hash");
    assert_ok(pdpr_i_canonical_write(ctx, json, &text, &length, NULL));
    crypto_generichash(hash, sizeof hash, (unsigned char *)text, length, secret, sizeof secret);
    pdpr_free(text);
    sodium_bin2hex(hex, sizeof hex, hash, sizeof hash);
    json_object_set_new(json, "hash", json_string(hex));
    assert_ok(pdpr_i_canonical_write(ctx, json, &text, &length, NULL));
    char *sealed = strdup(text);
    pdpr_free(text);
    json_decref(first);
    return sealed;
}

void test_ledger_forge(fixture *f, json_t *json)
{
    test_lines l = test_lines_read(f->path);
    json_t *last = json_loads(l.text[l.count - 1], 0, NULL);
    json_object_set_new(json, "line", json_integer((json_int_t)l.count + 1));
    json_object_set(json, "prev", json_object_get(last, "hash"));
    l.text[l.count++] = test_line_seal(f->ctx, json, l.text[0]);
    test_lines_write(f->path, &l);
    test_lines_free(&l);
    json_decref(last);
    json_decref(json);
}

void test_ledger_make_run(fixture *f, pdpr_run_state wanted, char run[PDPR_LEDGER_ID_TEXT])
{
    assert_ok(test_reserve(f->ledger, data_a, one, 1, run, NULL));
    if (wanted == PDPR_RUN_REFUNDED) {
        assert_ok(pdpr_ledger_refund(f->ledger, run, NULL));
        return;
    }
    if (wanted >= PDPR_RUN_DRAWN)
        assert_ok(pdpr_i_ledger_drawn(f->ledger, run, NULL));
    if (wanted >= PDPR_RUN_COMMITTED)
        assert_ok(pdpr_i_ledger_commit(f->ledger, run, hash_c, NULL));
    if (wanted >= PDPR_RUN_PUBLISHED)
        assert_ok(pdpr_i_ledger_published(f->ledger, run, NULL));
}

void test_ledger_fill(fixture *f)
{
    char run[PDPR_LEDGER_ID_TEXT];
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_a, 10, 1e-5, NULL));
    test_ledger_make_run(f, PDPR_RUN_PUBLISHED, run);
    test_ledger_make_run(f, PDPR_RUN_REFUNDED, run);
    assert_ok(test_reserve(f->ledger, data_a, mixed, 3, run, NULL));
}
