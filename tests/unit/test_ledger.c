/* The ledger: its file, its rules, its totals, and what it refuses. Crashes and races are in
 * tests/check/check_ledger_crash.c. */
#include "support/support.h"
#include "support/scratch.h"
#include "support/ledger_faults.h"
#include "dp/canonical_json.h"
#include "dp/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---------------------------------------------------------------- a ledger to work with */

typedef struct {
    pdpr_context *ctx;
    char folder[SCRATCH_PATH], path[SCRATCH_PATH];
    pdpr_ledger *ledger;
    char last_notice[PDPR_ERROR_TEXT];
    int notices;
} fixture;

static void keep_notice(void *user, const char *text)
{
    fixture *f = user;
    snprintf(f->last_notice, sizeof f->last_notice, "%s", text);
    f->notices++;
}

static pdpr_ledger *open_ledger(fixture *f, bool create)
{
    pdpr_ledger_options options;
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_options_default(&options);
    options.create = create;
    assert_ok(pdpr_ledger_open(f->ctx, f->path, &options, &ledger, NULL));
    return ledger;
}

static int set_up(void **state)
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
    f->ledger = open_ledger(f, true);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    pdpr_ledger_close(f->ledger);
    assert_int_equal(pdpr_context_memory(f->ctx, NULL), 0);
    pdpr_context_free(f->ctx);
    test_scratch_remove(f->folder);
    free(f);
    return 0;
}

static const char data_a[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
static const char data_b[] = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
static const char hash_c[] = "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc";
static const char no_run[] = "00000000000000000000000000000000";

static const pdpr_i_ledger_charge one[] = {{.label = "count", .num = 1, .den = 1}};
static const pdpr_i_ledger_charge mixed[] = {
    {.label = "degrees", .num = 1, .den = 2},
    {.label = "embedding", .mu = 0.01, .steps = 845},
    {.label = "triangles", .num = 3, .den = 10},
};

static pdpr_i_reservation reservation(const char *dataset, const pdpr_i_ledger_charge *charges,
                                      uint64_t count)
{
    return (pdpr_i_reservation){.dataset = dataset,
                                .charges = charges,
                                .num_charges = count,
                                .method = "blueprint",
                                .day = "2026-11-15"};
}

static pdpr_status reserve(pdpr_ledger *ledger, const char *dataset,
                           const pdpr_i_ledger_charge *charges, uint64_t count,
                           char run[PDPR_LEDGER_ID_TEXT], pdpr_error *err)
{
    pdpr_i_reservation r = reservation(dataset, charges, count);
    return pdpr_i_ledger_reserve(ledger, &r, run, err);
}

static pdpr_ledger_summary *summarise(pdpr_ledger *ledger)
{
    pdpr_ledger_summary *summary = NULL;
    assert_ok(pdpr_ledger_summarise(ledger, 1e-5, &summary, NULL));
    return summary;
}

/* Expects that the ledger at f->path is refused with this text after its path. */
static void assert_refused(fixture *f, const char *text)
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

typedef struct {
    char *text[64];
    size_t count;
} lines;

static lines read_lines_of(const char *path)
{
    lines l = {.count = 0};
    char *all = test_file_read(path, NULL), *rest = all;
    for (char *line; (line = strsep(&rest, "\n")) && *line;)
        l.text[l.count++] = strdup(line);
    free(all);
    return l;
}

static void write_lines(const char *path, const lines *l)
{
    size_t length = 0;
    char *all = calloc(1, 1 << 16);
    for (size_t i = 0; i < l->count; i++)
        length += (size_t)sprintf(all + length, "%s\n", l->text[i]);
    test_file_write(path, all, length);
    free(all);
}

static void free_lines(lines *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->text[i]);
}

/* Gives an object its "hash" under the secret of the ledger's first line, as the ledger would. */
static char *seal(pdpr_context *ctx, json_t *json, const char *first_line)
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

/* Appends a record that has a right number, chain and hash, whatever else it says. */
static void forge(fixture *f, json_t *json)
{
    lines l = read_lines_of(f->path);
    json_t *last = json_loads(l.text[l.count - 1], 0, NULL);
    json_object_set_new(json, "line", json_integer((json_int_t)l.count + 1));
    json_object_set(json, "prev", json_object_get(last, "hash"));
    l.text[l.count++] = seal(f->ctx, json, l.text[0]);
    write_lines(f->path, &l);
    free_lines(&l);
    json_decref(last);
    json_decref(json);
}

/* ---------------------------------------------------------------- opening */

static void open_new_ledger_is_one_private_line(void **state)
{
    fixture *f = *state;
    struct stat info;
    assert_int_equal(stat(f->path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(test_scratch_count(f->folder), 1); /* no temporary file left */
    lines l = read_lines_of(f->path);
    assert_int_equal(l.count, 1);
    assert_non_null(strstr(l.text[0], "\"record\":\"OPEN\""));
    free_lines(&l);
    assert_non_null(strstr(f->last_notice, "made a new ledger"));

    /* Opening again, also with create, changes nothing. */
    size_t length, again_length;
    char *before = test_file_read(f->path, &length);
    pdpr_ledger_close(open_ledger(f, true));
    char *after = test_file_read(f->path, &again_length);
    assert_int_equal(length, again_length);
    assert_memory_equal(before, after, length);
    free(before);
    free(after);
}

static void open_missing_ledger_is_refused(void **state)
{
    fixture *f = *state;
    pdpr_ledger *ledger = NULL;
    pdpr_error err;
    char path[SCRATCH_PATH];
    test_scratch_path(f->folder, "none", path);
    assert_int_equal(pdpr_ledger_open(f->ctx, path, NULL, &ledger, &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, "there is no ledger of that name"));
    assert_int_equal(test_scratch_count(f->folder), 1);

    pdpr_ledger_options options;
    pdpr_ledger_options_default(&options);
    options.create = true;
    test_scratch_path(f->folder, "none/none", path);
    assert_int_equal(pdpr_ledger_open(f->ctx, path, &options, &ledger, &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, "cannot create a ledger in this folder"));

    /* Looking never creates. */
    options.read_only = true;
    test_scratch_path(f->folder, "none", path);
    assert_int_equal(pdpr_ledger_open(f->ctx, path, &options, &ledger, &err), PDPR_EFAILED);
    assert_int_equal(test_scratch_count(f->folder), 1);
    assert_null(ledger);
}

static void open_unsuitable_file_is_refused(void **state)
{
    fixture *f = *state;
    pdpr_ledger *ledger = NULL;
    pdpr_error err;
    assert_int_equal(chmod(f->path, 0640), 0);
    assert_int_equal(pdpr_ledger_open(f->ctx, f->path, NULL, &ledger, &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, "open to other users"));
    assert_int_equal(chmod(f->path, 0604), 0);
    assert_int_equal(pdpr_ledger_open(f->ctx, f->path, NULL, &ledger, &err), PDPR_EFAILED);
    assert_int_equal(chmod(f->path, 0600), 0);

    char path[SCRATCH_PATH];
    test_scratch_path(f->folder, "pipe", path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(pdpr_ledger_open(f->ctx, path, NULL, &ledger, &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, "no regular file"));
    assert_int_equal(pdpr_ledger_open(f->ctx, f->folder, NULL, &ledger, &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, "what cannot be recorded is not run: Is a directory"));
    assert_null(ledger);
}

static void open_read_only_ledger_shows_but_records_nothing(void **state)
{
    fixture *f = *state;
    pdpr_ledger *ledger = NULL;
    pdpr_error err;
    char run[PDPR_LEDGER_ID_TEXT] = "untouched";
    assert_int_equal(chmod(f->path, 0400), 0);
    assert_int_equal(pdpr_ledger_open(f->ctx, f->path, NULL, &ledger, &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, "read-only; what cannot be recorded is not run"));
    assert_int_equal(reserve(f->ledger, data_a, one, 1, run, &err), PDPR_EFAILED);
    assert_string_equal(run, "untouched");

    pdpr_ledger_options options;
    pdpr_ledger_options_default(&options);
    options.read_only = true;
    assert_ok(pdpr_ledger_open(f->ctx, f->path, &options, &ledger, NULL));
    pdpr_ledger_summary_free(summarise(ledger));
    assert_int_equal(chmod(f->path, 0600), 0);
    assert_int_equal(reserve(ledger, data_a, one, 1, run, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "opened for reading only"));
    pdpr_ledger_close(ledger);
    pdpr_ledger_close(NULL);
}

static void open_empty_or_foreign_file_is_refused(void **state)
{
    fixture *f = *state;
    const struct {
        const char *content, *text;
    } cases[] = {
        {"", ":1: expected the first line of a privdpr ledger, found none"},
        {"half a line", ":1: expected the first line of a privdpr ledger, found none"},
        {"\n", ":1: expected JSON"},
        {"0 1\n1 2\n", ":1: expected JSON"},
        {"[]\n", ":1: expected the first line of a privdpr ledger"},
        {"{}\n", ":1: expected the first line of a privdpr ledger"},
        {"{\"format\":7}\n", ":1: expected the first line of a privdpr ledger"},
        {"{\"format\":\"x\"}\n", ":1: expected the first line of a privdpr ledger"},
        {"{\"format\":\"privdpr-ledger/2\"}\n", ":1: expected ledger format 1, found another: a "
                                                "newer privdpr wrote it"},
        {"{\"format\":\"privdpr-ledger/1\"}\n", ":1: expected the hash of this line"},
        {"{\"format\": \"privdpr-ledger/1\"}\n", ":1: expected canonical JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_file_write(f->path, cases[i].content, strlen(cases[i].content));
        assert_refused(f, cases[i].text);
    }
}

/* What was written when the format was fixed is read for ever. */
static void recorded_ledger_is_still_read(void **state)
{
    fixture *f = *state;
    size_t length;
    char *text = test_file_read(TEST_SOURCE_DIR "/tests/golden/ledger/example.ledger", &length);
    char named[PDPR_LEDGER_KEY_TEXT];
    pdpr_ledger_close(f->ledger);
    test_file_write(f->path, text, length);
    free(text);
    f->ledger = open_ledger(f, false);
    pdpr_ledger_summary *s = summarise(f->ledger);
    assert_int_equal(s->lines, 11);
    assert_int_equal(s->num_datasets, 1);
    assert_int_equal(s->num_runs, 4);
    assert_string_equal(s->runs[0].run, "14c3650e3faea14c80b7805b49a30087");
    assert_int_equal(s->runs[0].state, PDPR_RUN_PUBLISHED);
    assert_true(s->runs[1].seeded);
    assert_int_equal(s->runs[2].state, PDPR_RUN_REFUNDED);
    assert_int_equal(s->runs[3].state, PDPR_RUN_RESERVED);
    assert_close(s->datasets[0].epsilon, 2.7434158284431853, 1e-9);
    assert_ok(pdpr_ledger_dataset_named(f->ledger, "example", named, NULL));
    assert_string_equal(s->datasets[0].dataset, named);
    pdpr_ledger_summary_free(s);
}

static void options_of_an_older_caller_are_understood(void **state)
{
    fixture *f = *state;
    pdpr_ledger_options options = {.struct_size = offsetof(pdpr_ledger_options, read_only),
                                   .read_only = true}; /* beyond struct_size: not looked at */
    pdpr_ledger *ledger = NULL;
    char run[PDPR_LEDGER_ID_TEXT];
    assert_ok(pdpr_ledger_open(f->ctx, f->path, &options, &ledger, NULL));
    assert_ok(reserve(ledger, data_a, one, 1, run, NULL));
    pdpr_ledger_close(ledger);
}

/* ---------------------------------------------------------------- a run's life */

/* The same output twice (a seeded run made again): the one that still waits is meant. */
static void run_of_an_output_is_the_one_that_waits(void **state)
{
    fixture *f = *state;
    char run[3][PDPR_LEDGER_ID_TEXT], found[PDPR_LEDGER_ID_TEXT] = "x";
    pdpr_run_state got = PDPR_RUN_RESERVED;
    assert_ok(pdpr_i_ledger_run_of(f->ledger, hash_c, found, &got, NULL));
    assert_string_equal(found, "");
    for (int i = 0; i < 3; i++) {
        assert_ok(reserve(f->ledger, data_a, one, 1, run[i], NULL));
        assert_ok(pdpr_i_ledger_drawn(f->ledger, run[i], NULL));
        assert_ok(pdpr_i_ledger_commit(f->ledger, run[i], hash_c, NULL));
        if (i != 1)
            assert_ok(pdpr_i_ledger_published(f->ledger, run[i], NULL));
        assert_ok(pdpr_i_ledger_run_of(f->ledger, hash_c, found, &got, NULL));
        assert_string_equal(found, run[i < 1 ? 0 : 1]);
        assert_int_equal(got, i < 1 ? PDPR_RUN_PUBLISHED : PDPR_RUN_COMMITTED);
    }
}

static void run_passes_its_four_steps(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    const pdpr_run_state expected[] = {PDPR_RUN_RESERVED, PDPR_RUN_DRAWN, PDPR_RUN_COMMITTED,
                                       PDPR_RUN_PUBLISHED};
    for (int step = 0; step < 4; step++) {
        if (step == 0)
            assert_ok(reserve(f->ledger, data_a, mixed, 3, run, NULL));
        else if (step == 1)
            assert_ok(pdpr_i_ledger_drawn(f->ledger, run, NULL));
        else if (step == 2)
            assert_ok(pdpr_i_ledger_commit(f->ledger, run, hash_c, NULL));
        else
            assert_ok(pdpr_i_ledger_published(f->ledger, run, NULL));
        pdpr_ledger_summary *s = summarise(f->ledger);
        assert_int_equal(s->lines, 2 + step);
        assert_int_equal(s->num_runs, 1);
        assert_int_equal(s->num_datasets, 1);
        assert_int_equal(s->runs[0].state, expected[step]);
        assert_string_equal(s->runs[0].run, run);
        assert_string_equal(s->runs[0].output, step < 2 ? "" : hash_c);
        assert_string_equal(s->runs[0].dataset, data_a);
        assert_string_equal(s->runs[0].method, "blueprint");
        assert_string_equal(s->runs[0].day, "2026-11-15");
        assert_false(s->runs[0].seeded);
        assert_int_equal(s->datasets[0].runs, 1);
        assert_false(s->datasets[0].has_budget);
        pdpr_ledger_summary_free(s);
    }
    pdpr_ledger_summary_free(NULL);
}

/* Brings a fresh run into a state. */
static void make_run(fixture *f, pdpr_run_state wanted, char run[PDPR_LEDGER_ID_TEXT])
{
    assert_ok(reserve(f->ledger, data_a, one, 1, run, NULL));
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

/* Every step from every state: only the right one is taken, and a refused one leaves no line. */
static void step_out_of_turn_is_refused(void **state)
{
    fixture *f = *state;
    for (int from = PDPR_RUN_RESERVED; from <= PDPR_RUN_REFUNDED; from++)
        for (int step = 0; step < 4; step++) {
            char run[PDPR_LEDGER_ID_TEXT];
            pdpr_error err = {0};
            make_run(f, (pdpr_run_state)from, run);
            size_t before, after;
            free(test_file_read(f->path, &before));
            pdpr_status s = step == 0   ? pdpr_i_ledger_drawn(f->ledger, run, &err)
                            : step == 1 ? pdpr_i_ledger_commit(f->ledger, run, hash_c, &err)
                            : step == 2 ? pdpr_i_ledger_published(f->ledger, run, &err)
                                        : pdpr_ledger_refund(f->ledger, run, &err);
            bool allowed = step < 3 ? from == step : from == PDPR_RUN_RESERVED;
            free(test_file_read(f->path, &after));
            if (allowed) {
                assert_int_equal(s, PDPR_OK);
                assert_true(after > before);
            } else {
                assert_int_equal(s, step == 3 ? PDPR_EBUDGET : PDPR_EUSAGE);
                assert_int_equal(after, before);
                assert_non_null(strstr(err.text, "once"));
            }
        }
}

static void step_of_unknown_or_malformed_run_is_refused(void **state)
{
    fixture *f = *state;
    pdpr_error err;
    assert_int_equal(pdpr_i_ledger_drawn(f->ledger, no_run, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "the run is not in this ledger"));
    const char *const bad[] = {"", "x", "0000000000000000000000000000000G",
                               "0000000000000000000000000000000000"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(pdpr_i_ledger_published(f->ledger, bad[i], &err), PDPR_EUSAGE);
    assert_int_equal(pdpr_i_ledger_commit(f->ledger, "abc", hash_c, &err), PDPR_EUSAGE);
    assert_int_equal(pdpr_i_ledger_commit(f->ledger, no_run, "abc", &err), PDPR_EUSAGE);
    assert_int_equal(pdpr_i_ledger_commit(f->ledger, no_run, "", &err), PDPR_EUSAGE);
    char long_hash[80];
    memset(long_hash, 'a', sizeof long_hash);
    long_hash[79] = '\0';
    assert_int_equal(pdpr_i_ledger_commit(f->ledger, no_run, long_hash, &err), PDPR_EUSAGE);
}

static void reserve_malformed_request_is_refused(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT], name[64];
    const pdpr_i_ledger_charge bad_charges[] = {
        {.label = "", .num = 1, .den = 1},
        {.label = "tab\t", .num = 1, .den = 1},
        {.label = "del\x7f", .num = 1, .den = 1},
        {.label = "quote\"", .num = 1, .den = 1},
        {.label = "back\\", .num = 1, .den = 1},
        {.label = "\xc3\xa4", .num = 1, .den = 1},
        {.label = "x", .num = 0, .den = 1},
        {.label = "x", .num = 51, .den = 1},
        {.label = "x", .num = 501, .den = 10},
        {.label = "x", .num = (uint64_t)INT64_MAX + 1, .den = INT64_MAX},
        {.label = "x", .num = 1, .den = (uint64_t)INT64_MAX + 1},
        {.label = "x", .mu = 0, .steps = 1},
        {.label = "x", .mu = -1, .steps = 1},
        {.label = "x", .mu = NAN, .steps = 1},
        {.label = "x", .mu = INFINITY, .steps = 1},
        {.label = "x", .mu = 1, .steps = 0},
        {.label = "x", .mu = 1, .steps = (uint64_t)INT64_MAX + 1},
    };
    for (size_t i = 0; i < sizeof bad_charges / sizeof *bad_charges; i++)
        assert_int_equal(reserve(f->ledger, data_a, &bad_charges[i], 1, run, NULL), PDPR_EUSAGE);
    assert_int_equal(reserve(f->ledger, data_a, one, 0, run, NULL), PDPR_EUSAGE);
    assert_int_equal(reserve(f->ledger, "abc", one, 1, run, NULL), PDPR_EUSAGE);
    char long_key[80] = "";
    memset(long_key, 'a', sizeof long_key - 1);
    assert_int_equal(reserve(f->ledger, long_key, one, 1, run, NULL), PDPR_EUSAGE);

    pdpr_i_reservation r = reservation(data_a, one, 1);
    const char *const bad_days[] = {"", "2026-11-5", "2026/11/15", "15.11.2026", "2026-11-15T12"};
    for (size_t i = 0; i < sizeof bad_days / sizeof *bad_days; i++) {
        r.day = bad_days[i];
        assert_int_equal(pdpr_i_ledger_reserve(f->ledger, &r, run, NULL), PDPR_EUSAGE);
    }
    r = reservation(data_a, one, 1);
    r.method = "";
    assert_int_equal(pdpr_i_ledger_reserve(f->ledger, &r, run, NULL), PDPR_EUSAGE);
    memset(name, 'm', sizeof name);
    name[PDPR_LEDGER_METHOD_TEXT] = '\0';
    r.method = name;
    assert_int_equal(pdpr_i_ledger_reserve(f->ledger, &r, run, NULL), PDPR_EUSAGE);
    name[PDPR_LEDGER_METHOD_TEXT - 1] = '\0';
    assert_ok(pdpr_i_ledger_reserve(f->ledger, &r, run, NULL));
    const pdpr_i_ledger_charge fifty[] = {{.label = "x", .num = 100, .den = 2}};
    assert_ok(reserve(f->ledger, data_a, fifty, 1, run, NULL));
}

/* The handle knows of a run that is taken up what it would know had it not been interrupted. */
static void resume_remembers_that_noise_was_drawn(void **state)
{
    fixture *f = *state;
    const pdpr_i_reservation r = reservation(data_a, one, 1);
    for (int from = PDPR_RUN_RESERVED; from <= PDPR_RUN_PUBLISHED; from++) {
        char run[PDPR_LEDGER_ID_TEXT], output[PDPR_LEDGER_KEY_TEXT];
        pdpr_run_state got;
        make_run(f, (pdpr_run_state)from, run);
        f->ledger->drawn[0] = '\0'; /* as in another process */
        assert_ok(pdpr_i_ledger_resume(f->ledger, run, &r, &got, output, NULL));
        bool drawn = from == PDPR_RUN_DRAWN || from == PDPR_RUN_COMMITTED;
        assert_string_equal(f->ledger->drawn, drawn ? run : "");
    }
}

/* A process that was killed may have written DRAWN or COMMIT and not flushed it: what is done on
 * the strength of such a line must not outlive it. */
static void line_that_is_acted_on_is_flushed_first(void **state)
{
    fixture *f = *state;
    ledger_faults faults;
    pdpr_ledger *ledger = NULL;
    const pdpr_i_reservation r = reservation(data_a, one, 1);
    char run[PDPR_LEDGER_ID_TEXT], output[PDPR_LEDGER_KEY_TEXT];
    pdpr_run_state got;
    make_run(f, PDPR_RUN_COMMITTED, run);
    for (int recovers = 0; recovers < 2; recovers++) {
        ledger_faults_init(&faults);
        assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, NULL, &faults.system, &ledger, NULL));
        uint64_t before = strlen(faults.trace);
        assert_ok(recovers ? pdpr_i_ledger_run_of(ledger, hash_c, run, &got, NULL)
                           : pdpr_i_ledger_resume(ledger, run, &r, &got, output, NULL));
        assert_int_equal(got, PDPR_RUN_COMMITTED);
        assert_non_null(strchr(faults.trace + before, 'f'));
        pdpr_ledger_close(ledger);
    }
}

static void resume_finds_the_run_and_only_it(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT], output[PDPR_LEDGER_KEY_TEXT];
    pdpr_run_state got;
    pdpr_i_reservation r = reservation(data_a, mixed, 3);
    assert_ok(pdpr_i_ledger_reserve(f->ledger, &r, run, NULL));
    assert_ok(pdpr_i_ledger_drawn(f->ledger, run, NULL));
    r.day = "2026-11-16"; /* the next morning */
    assert_ok(pdpr_i_ledger_resume(f->ledger, run, &r, &got, output, NULL));
    assert_int_equal(got, PDPR_RUN_DRAWN);
    assert_string_equal(output, "");
    assert_ok(pdpr_i_ledger_commit(f->ledger, run, hash_c, NULL));
    assert_ok(pdpr_i_ledger_resume(f->ledger, run, &r, &got, output, NULL));
    assert_int_equal(got, PDPR_RUN_COMMITTED);
    assert_string_equal(output, hash_c);

    /* A refunded run is not taken up again: nothing pays for it. */
    char gone[PDPR_LEDGER_ID_TEXT];
    pdpr_error why;
    assert_ok(pdpr_i_ledger_reserve(f->ledger, &r, gone, NULL));
    assert_ok(pdpr_ledger_refund(f->ledger, gone, NULL));
    assert_int_equal(pdpr_i_ledger_resume(f->ledger, gone, &r, &got, output, &why), PDPR_EBUDGET);
    assert_non_null(strstr(why.text, "was refunded"));

    pdpr_i_ledger_charge other[3];
    for (int change = 0; change < 9; change++) {
        memcpy(other, mixed, sizeof other);
        pdpr_i_reservation q = reservation(data_a, other, 3);
        const char *wanted = run;
        if (change == 0)
            wanted = no_run;
        else if (change == 1)
            q.dataset = data_b;
        else if (change == 2)
            q.method = "privdpr";
        else if (change == 3)
            q.seeded = true;
        else if (change == 4)
            q.num_charges = 2;
        else if (change == 5)
            strcpy(other[0].label, "other");
        else if (change == 6)
            other[0].num = 2;
        else if (change == 7)
            other[1].mu = 0.02;
        else
            other[1].steps = 846;
        pdpr_error err;
        assert_int_equal(pdpr_i_ledger_resume(f->ledger, wanted, &q, &got, output, &err),
                         PDPR_EUSAGE);
        assert_non_null(strstr(err.text, "was not reserved here"));
    }
    other[0].den = 3;
    pdpr_i_reservation q = reservation(data_a, other, 3);
    assert_int_equal(pdpr_i_ledger_resume(f->ledger, run, &q, &got, output, NULL), PDPR_EUSAGE);
    q.day = "today";
    assert_int_equal(pdpr_i_ledger_resume(f->ledger, run, &q, &got, output, NULL), PDPR_EUSAGE);
    assert_int_equal(pdpr_i_ledger_resume(f->ledger, "xyz", &r, &got, output, NULL), PDPR_EUSAGE);
    assert_int_equal(pdpr_i_ledger_resume(f->ledger, data_a, &r, &got, output, NULL), PDPR_EUSAGE);
}

/* ---------------------------------------------------------------- totals and budgets */

static void total_is_the_joint_accountants(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    pdpr_accountant *a = NULL;
    double expected, alone;
    assert_ok(pdpr_accountant_new(f->ctx, &a, NULL));
    for (int i = 0; i < 2; i++) {
        assert_ok(reserve(f->ledger, data_a, mixed, 3, run, NULL));
        assert_ok(pdpr_accountant_add_pure(f->ctx, a, "d", 1, 2, NULL));
        assert_ok(pdpr_accountant_add_pure(f->ctx, a, "t", 3, 10, NULL));
        assert_ok(pdpr_accountant_add_gaussian(f->ctx, a, "e", 0.01, 845, NULL));
        if (i == 0)
            assert_ok(pdpr_accountant_epsilon(f->ctx, a, 1e-5, &alone, NULL));
    }
    assert_ok(pdpr_accountant_epsilon(f->ctx, a, 1e-5, &expected, NULL));
    pdpr_accountant_free(a);
    assert_ok(reserve(f->ledger, data_b, one, 1, run, NULL)); /* another dataset: not in the sum */
    pdpr_ledger_summary *s = summarise(f->ledger);
    assert_int_equal(s->num_datasets, 2);
    assert_close(s->datasets[0].epsilon, expected, 1e-12);
    assert_true(s->datasets[0].epsilon < 2 * alone); /* joint, not added up */
    assert_true(s->datasets[0].delta == 1e-5);
    assert_close(s->runs[0].epsilon, alone, 1e-12);
    assert_close(s->runs[1].epsilon, alone, 1e-12);
    assert_true(s->runs[2].epsilon <= 1 && s->runs[2].epsilon > 0.9); /* 1, less what delta gives */
    pdpr_ledger_summary_free(s);

    /* Runs that differ in one number of one charge are not taken for one another. */
    const pdpr_i_ledger_charge others[][1] = {
        {{.label = "x", .num = 1, .den = 1}},    {{.label = "x", .num = 2, .den = 1}},
        {{.label = "x", .num = 2, .den = 5}},    {{.label = "x", .mu = 0.1, .steps = 1}},
        {{.label = "x", .mu = 0.2, .steps = 1}}, {{.label = "x", .mu = 0.2, .steps = 9}}};
    for (int i = 0; i < 6; i++)
        assert_ok(reserve(f->ledger, data_b, others[i], 1, run, NULL));
    s = summarise(f->ledger);
    for (uint64_t i = 4; i < 9; i++)
        assert_true(s->runs[i].epsilon != s->runs[i - 1].epsilon);
    pdpr_ledger_summary_free(s);

    pdpr_error err;
    pdpr_ledger_summary *none = NULL;
    assert_int_equal(pdpr_ledger_summarise(f->ledger, -1, &none, &err), PDPR_EUSAGE);
    assert_int_equal(pdpr_ledger_summarise(f->ledger, 1, &none, &err), PDPR_EUSAGE);
    assert_int_equal(pdpr_ledger_summarise(f->ledger, NAN, &none, &err), PDPR_EUSAGE);
    assert_null(none);
    assert_ok(pdpr_ledger_summarise(f->ledger, 0, &s, NULL));
    assert_true(isinf(s->datasets[0].epsilon)); /* Gaussian charges have no epsilon at delta 0 */
    assert_true(s->runs[2].epsilon == 1);
    pdpr_ledger_summary_free(s);
}

static void reserve_beyond_budget_is_refused_with_the_figures(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    pdpr_error err;
    size_t before, after;
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_a, 2.5, 0, NULL));
    assert_ok(reserve(f->ledger, data_a, one, 1, run, NULL));
    assert_ok(reserve(f->ledger, data_a, one, 1, run, NULL));
    free(test_file_read(f->path, &before));
    assert_int_equal(reserve(f->ledger, data_a, one, 1, run, &err), PDPR_EBUDGET);
    assert_string_equal(err.text,
                        "the budget of this dataset is epsilon 2.5 at delta 0: spent 2, this run "
                        "asks for 1, together 3; left 0.5");
    free(test_file_read(f->path, &after));
    assert_int_equal(before, after);
    assert_ok(reserve(f->ledger, data_b, one, 1, run, NULL)); /* another dataset has no budget */

    const pdpr_i_ledger_charge half[] = {{.label = "h", .num = 1, .den = 2}};
    assert_ok(reserve(f->ledger, data_a, half, 1, run, NULL)); /* what is left can be spent */
    assert_int_equal(reserve(f->ledger, data_a, half, 1, run, &err), PDPR_EBUDGET);
    pdpr_ledger_summary *s = summarise(f->ledger);
    assert_true(s->datasets[0].has_budget && s->datasets[0].left == 0);
    assert_true(s->datasets[0].epsilon == 2.5);
    pdpr_ledger_summary_free(s);

    /* The last budget counts, larger or smaller. */
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_a, 3, 0, NULL));
    assert_ok(reserve(f->ledger, data_a, half, 1, run, NULL));
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_a, 1, 0, NULL));
    assert_int_equal(reserve(f->ledger, data_a, half, 1, run, &err), PDPR_EBUDGET);
    assert_non_null(strstr(err.text, "left 0"));
}

/* 33 tenths are the budget "3.3", although the double 3.3 is less than 33/10. */
static void reserve_of_exactly_the_budget_is_allowed(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    const pdpr_i_ledger_charge tenth[] = {{.label = "t", .num = 1, .den = 10}};
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_a, 3.3, 0, NULL));
    for (int i = 0; i < 33; i++)
        assert_ok(reserve(f->ledger, data_a, tenth, 1, run, NULL));
    const pdpr_i_ledger_charge tiny[] = {{.label = "t", .num = 1, .den = 1000000000}};
    assert_int_equal(reserve(f->ledger, data_a, tiny, 1, run, NULL), PDPR_EBUDGET);

    double mu;
    assert_ok(pdpr_gdp_mu(3.2, 1e-5 * (1 - 0x1p-20), &mu, NULL));
    const pdpr_i_ledger_charge all[] = {{.label = "g", .mu = mu * (1 - 1e-12), .steps = 1}};
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_b, 3.2, 1e-5, NULL));
    assert_ok(reserve(f->ledger, data_b, all, 1, run, NULL));
    const pdpr_i_ledger_charge small[] = {{.label = "t", .num = 1, .den = 1000}};
    assert_int_equal(reserve(f->ledger, data_b, small, 1, run, NULL), PDPR_EBUDGET);
}

static void reserve_gaussian_on_pure_budget_is_refused(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    pdpr_error err;
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_a, 10, 0, NULL));
    assert_int_equal(reserve(f->ledger, data_a, mixed, 3, run, &err), PDPR_EBUDGET);
    assert_non_null(strstr(err.text, "asks for inf"));
    assert_ok(reserve(f->ledger, data_a, one, 1, run, NULL));
}

static void reserved_run_counts_until_it_is_refunded(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT], again[PDPR_LEDGER_ID_TEXT];
    pdpr_error err;
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_a, 1, 0, NULL));
    assert_ok(reserve(f->ledger, data_a, one, 1, run, NULL));
    assert_int_equal(reserve(f->ledger, data_a, one, 1, again, NULL), PDPR_EBUDGET);
    assert_ok(pdpr_ledger_refund(f->ledger, run, NULL));
    pdpr_ledger_summary *s = summarise(f->ledger);
    assert_true(s->datasets[0].epsilon == 0 && s->datasets[0].runs == 0);
    assert_true(s->datasets[0].left == 1);
    pdpr_ledger_summary_free(s);
    assert_int_equal(pdpr_i_ledger_drawn(f->ledger, run, NULL), PDPR_EUSAGE); /* gone for good */
    assert_ok(reserve(f->ledger, data_a, one, 1, again, NULL));
    assert_string_not_equal(run, again);
    assert_ok(pdpr_i_ledger_drawn(f->ledger, again, NULL));
    assert_int_equal(pdpr_ledger_refund(f->ledger, again, &err), PDPR_EBUDGET);
    assert_non_null(strstr(err.text, "only before its first noisy value"));
}

static void seeded_run_is_charged_and_flagged(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    pdpr_i_reservation r = reservation(data_a, one, 1);
    r.seeded = true;
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_a, 1, 0, NULL));
    assert_ok(pdpr_i_ledger_reserve(f->ledger, &r, run, NULL));
    assert_int_equal(pdpr_i_ledger_reserve(f->ledger, &r, run, NULL), PDPR_EBUDGET);
    pdpr_ledger_summary *s = summarise(f->ledger);
    assert_true(s->runs[0].seeded);
    pdpr_ledger_summary_free(s);
}

static void set_budget_out_of_range_is_refused(void **state)
{
    fixture *f = *state;
    const struct {
        double epsilon, delta;
    } bad[] = {{0, 0},     {-1, 0}, {NAN, 0}, {INFINITY, 0}, {1, -0.1},
               {1, 0.011}, {1, 1},  {1, 7e5}, {1, NAN},      {1, 1e-301}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(
            pdpr_ledger_set_budget(f->ledger, data_a, bad[i].epsilon, bad[i].delta, NULL),
            PDPR_EUSAGE);
    assert_int_equal(pdpr_ledger_set_budget(f->ledger, "short", 1, 0, NULL), PDPR_EUSAGE);
    char key[80];
    memset(key, 'a', sizeof key);
    key[79] = '\0';
    assert_int_equal(pdpr_ledger_set_budget(f->ledger, key, 1, 0, NULL), PDPR_EUSAGE);
    /* older ledgers may hold a delta up to 1, and none above */
    pdpr_i_record record = {.kind = PDPR_I_RECORD_BUDGET, .epsilon = 1, .delta = 0.5};
    memcpy(record.dataset, data_a, sizeof data_a);
    assert_true(pdpr_i_record_is_valid(&record));
    record.delta = 1;
    assert_false(pdpr_i_record_is_valid(&record));
}

static void expect_state(fixture *f, const char *run, pdpr_run_state state)
{
    for (pdpr_run_state asked = PDPR_RUN_RESERVED; asked <= PDPR_RUN_REFUNDED; asked++) {
        bool is = asked != state;
        assert_ok(pdpr_i_ledger_run_is(f->ledger, run, asked, &is, NULL));
        assert_int_equal(is, asked == state);
    }
}

/* How far a run got, and which one may be taken up again after a failure. */
static void state_of_a_run_is_told(void **state)
{
    fixture *f = *state;
    char a[PDPR_LEDGER_ID_TEXT], b[PDPR_LEDGER_ID_TEXT];
    bool is = true;
    assert_ok(reserve(f->ledger, data_a, one, 1, a, NULL));
    assert_ok(reserve(f->ledger, data_a, one, 1, b, NULL));
    expect_state(f, a, PDPR_RUN_RESERVED);
    assert_string_equal(pdpr_ledger_open_run(f->ledger), "");
    assert_ok(pdpr_i_ledger_drawn(f->ledger, a, NULL));
    expect_state(f, a, PDPR_RUN_DRAWN);
    assert_string_equal(pdpr_ledger_open_run(f->ledger), a);
    assert_ok(pdpr_i_ledger_commit(f->ledger, a, hash_c, NULL));
    expect_state(f, a, PDPR_RUN_COMMITTED);
    assert_ok(pdpr_i_ledger_published(f->ledger, a, NULL));
    expect_state(f, a, PDPR_RUN_PUBLISHED);
    expect_state(f, b, PDPR_RUN_RESERVED);
    assert_string_equal(pdpr_ledger_open_run(f->ledger), "");
    assert_ok(pdpr_ledger_refund(f->ledger, b, NULL));
    expect_state(f, b, PDPR_RUN_REFUNDED);
    assert_ok(pdpr_i_ledger_run_is(f->ledger, "0123", PDPR_RUN_RESERVED, &is, NULL)); /* no such */
    assert_false(is);
}

/* More pure charges than the accountant takes: the rest is added up, never left out. */
static void total_of_very_many_charges_stays_a_bound(void **state)
{
    fixture *f = *state;
    enum { EACH = 600 };
    char run[PDPR_LEDGER_ID_TEXT];
    pdpr_i_ledger_charge *many = calloc(EACH, sizeof *many);
    for (int i = 0; i < EACH; i++) {
        strcpy(many[i].label, "x");
        many[i].num = 1;
        many[i].den = 1024;
    }
    for (int i = 0; i < 2; i++)
        assert_ok(reserve(f->ledger, data_a, many, EACH, run, NULL));
    free(many);
    pdpr_ledger_summary *s = NULL;
    assert_ok(pdpr_ledger_summarise(f->ledger, 0, &s, NULL));
    assert_true(s->datasets[0].epsilon >= 1200.0 / 1024);
    assert_close(s->datasets[0].epsilon, 1200.0 / 1024, 1e-12);
    pdpr_ledger_summary_free(s);

    const pdpr_i_ledger_charge huge[] = {{.label = "g", .mu = 1e6, .steps = 4}};
    assert_ok(reserve(f->ledger, data_b, huge, 1, run, NULL));
    s = summarise(f->ledger);
    assert_true(isinf(s->datasets[1].epsilon)); /* beyond what the accountant bounds */
    pdpr_ledger_summary_free(s);
}

/* ---------------------------------------------------------------- names of datasets */

static void dataset_key_depends_on_the_edges_alone(void **state)
{
    fixture *f = *state;
    char key[9][PDPR_LEDGER_KEY_TEXT];
    /* arcs down to a node that has other arcs up, beyond and before where the answer would be */
    const uint32_t down[] = {3, 2, 2, 1, 1, 0, 0, 4, 1, 4, 2, 4},
                   up[] = {2, 3, 1, 2, 0, 1, 4, 0, 4, 1, 4, 2};
    const uint32_t path_pairs[] = {0, 1, 1, 2, 2, 3}, other_order[] = {3, 2, 1, 0, 2, 1};
    const uint32_t both_ways[] = {0, 1, 1, 0, 1, 2, 3, 2}, fewer[] = {0, 1, 1, 2};
    const struct {
        uint32_t nodes;
        const uint32_t *pairs;
        uint64_t count;
        bool directed;
    } graphs[] = {{4, path_pairs, 3, false}, {4, other_order, 3, false}, {9, path_pairs, 3, false},
                  {4, both_ways, 4, true},   {4, path_pairs, 3, true},   {4, fewer, 2, false},
                  {4, NULL, 0, false},       {0, NULL, 0, false}};
    for (int i = 0; i < 2; i++) {
        pdpr_graph *g = NULL;
        assert_ok(pdpr_graph_from_pairs(f->ctx, 5, i ? up : down, 6, true, &g, NULL));
        assert_ok(pdpr_ledger_dataset_of(f->ledger, g, key[i], NULL));
        pdpr_graph_free(g);
    }
    assert_string_equal(key[0], key[1]);
    for (int i = 0; i < 8; i++) {
        pdpr_graph *g = NULL;
        assert_ok(pdpr_graph_from_pairs(f->ctx, graphs[i].nodes, graphs[i].pairs, graphs[i].count,
                                        graphs[i].directed, &g, NULL));
        assert_ok(pdpr_ledger_dataset_of(f->ledger, g, key[i], NULL));
        pdpr_graph_free(g);
    }
    for (int i = 1; i < 5; i++)
        assert_string_equal(key[0], key[i]);
    assert_string_not_equal(key[0], key[5]);
    assert_string_not_equal(key[0], key[6]);
    assert_string_equal(key[6], key[7]);
    char run[PDPR_LEDGER_ID_TEXT];
    assert_ok(reserve(f->ledger, key[0], one, 1, run, NULL)); /* a valid name */
}

static void dataset_key_follows_names_not_ids(void **state)
{
    fixture *f = *state;
    char key[3][PDPR_LEDGER_KEY_TEXT];
    /* The edge 5-7 under three orders of the nodes {5, 7, 9}; in the third it is 5-9. */
    const uint64_t ids[3][3] = {{5, 7, 9}, {9, 7, 5}, {5, 9, 7}};
    const uint32_t pairs[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    for (int i = 0; i < 3; i++) {
        uint64_t *copy = NULL;
        pdpr_i_names *names = NULL;
        pdpr_graph *g = NULL;
        pdpr_i_pair_block block = {pairs[i], 1};
        assert_ok(pdpr_i_alloc(f->ctx, 3, sizeof *copy, "ids", &copy, NULL));
        memcpy(copy, ids[i], sizeof ids[i]);
        assert_ok(pdpr_i_names_sparse(f->ctx, copy, 3, &names, NULL));
        assert_ok(pdpr_i_graph_build(f->ctx, 3, &block, 1, false, names, &g, NULL, NULL, NULL));
        pdpr_i_names_release(names);
        assert_ok(pdpr_ledger_dataset_of(f->ledger, g, key[i], NULL));
        pdpr_graph_free(g);
    }
    assert_string_equal(key[0], key[1]);
    assert_string_not_equal(key[0], key[2]);
}

static void dataset_key_of_long_names_is_had(void **state)
{
    fixture *f = *state;
    char *text = NULL, key[PDPR_LEDGER_KEY_TEXT];
    uint64_t *start = NULL;
    pdpr_i_names *names = NULL;
    pdpr_graph *g = NULL;
    const uint32_t pair[] = {0, 1};
    pdpr_i_pair_block block = {pair, 1};
    assert_ok(pdpr_i_alloc(f->ctx, 1000, 1, "names", &text, NULL));
    memset(text, 'n', 1000);
    text[500] = 'm';
    assert_ok(pdpr_i_alloc(f->ctx, 3, sizeof *start, "starts", &start, NULL));
    start[0] = 0, start[1] = 500, start[2] = 1000;
    assert_ok(pdpr_i_names_text(f->ctx, text, start, 2, &names, NULL));
    assert_ok(pdpr_i_graph_build(f->ctx, 2, &block, 1, false, names, &g, NULL, NULL, NULL));
    pdpr_i_names_release(names);
    assert_ok(pdpr_ledger_dataset_of(f->ledger, g, key, NULL));
    pdpr_graph_free(g);
}

/* Key of the graph of one edge between the first two of these nodes, named by the texts. */
static void key_of_named_edge(fixture *f, const char *const *name, uint32_t count,
                              char key[PDPR_LEDGER_KEY_TEXT])
{
    char *text = NULL;
    uint64_t *start = NULL, length = 0;
    pdpr_i_names *names = NULL;
    pdpr_graph *g = NULL;
    const uint32_t pair[] = {0, 1};
    pdpr_i_pair_block block = {pair, 1};
    assert_ok(pdpr_i_alloc(f->ctx, 1000, 1, "names", &text, NULL));
    assert_ok(pdpr_i_alloc(f->ctx, count + 1, sizeof *start, "starts", &start, NULL));
    start[0] = 0;
    for (uint32_t u = 0; u < count; u++) {
        memcpy(text + length, name[u], strlen(name[u]));
        start[u + 1] = length += strlen(name[u]);
    }
    assert_ok(pdpr_i_names_text(f->ctx, text, start, count, &names, NULL));
    assert_ok(pdpr_i_graph_build(f->ctx, count, &block, 1, false, names, &g, NULL, NULL, NULL));
    pdpr_i_names_release(names);
    assert_ok(pdpr_ledger_dataset_of(f->ledger, g, key, NULL));
    pdpr_graph_free(g);
}

/* A node without edges whose name is no number gives the others no second budget; names of edges
 * that are no numbers are taken as they stand. */
static void dataset_key_of_numbers_does_not_see_a_text_without_edges(void **state)
{
    fixture *f = *state;
    char numbers[PDPR_LEDGER_KEY_TEXT], key[PDPR_LEDGER_KEY_TEXT];
    const uint32_t pair[] = {0, 1};
    pdpr_graph *g = test_graph(f->ctx, 2, pair, 1);
    assert_ok(pdpr_ledger_dataset_of(f->ledger, g, numbers, NULL));
    pdpr_graph_free(g);
    key_of_named_edge(f, (const char *const[]){"5", "6", "iso"}, 3, key);
    assert_string_equal(key, numbers);
    key_of_named_edge(f, (const char *const[]){"6", "5", "/", "3"}, 4, key);
    assert_string_equal(key, numbers);
    key_of_named_edge(f, (const char *const[]){"5", "7", "iso"}, 3, key);
    assert_string_not_equal(key, numbers);
    key_of_named_edge(f, (const char *const[]){"5", "6a", "iso"}, 3, key);
    assert_string_not_equal(key, numbers);
    key_of_named_edge(f, (const char *const[]){"10000000000000000000", "10000000000000000001"}, 2,
                      key); /* more digits than are read as a number */
    assert_string_not_equal(key, numbers);
}

static void dataset_key_is_secret_and_the_same_for_any_threads(void **state)
{
    fixture *f = *state;
    char key[PDPR_LEDGER_KEY_TEXT], same[PDPR_LEDGER_KEY_TEXT], other[PDPR_LEDGER_KEY_TEXT];
    char path[SCRATCH_PATH];
    pdpr_graph *g = NULL;
    pdpr_ledger *again = NULL, *elsewhere = NULL;
    pdpr_context *single = test_context(1);
    pdpr_ledger_options options;
    assert_ok(pdpr_generate_gnm(f->ctx, 20000, 50000, 5, &g, NULL));
    assert_ok(pdpr_ledger_dataset_of(f->ledger, g, key, NULL));
    assert_ok(pdpr_ledger_open(single, f->path, NULL, &again, NULL));
    assert_ok(pdpr_ledger_dataset_of(again, g, same, NULL));
    assert_string_equal(key, same);
    pdpr_ledger_options_default(&options);
    options.create = true;
    test_scratch_path(f->folder, "other", path);
    assert_ok(pdpr_ledger_open(single, path, &options, &elsewhere, NULL));
    assert_ok(pdpr_ledger_dataset_of(elsewhere, g, other, NULL));
    assert_string_not_equal(key, other); /* another secret */

    assert_ok(pdpr_ledger_dataset_named(f->ledger, "social 2026", same, NULL));
    assert_string_not_equal(key, same);
    assert_ok(pdpr_ledger_dataset_named(f->ledger, "social 2026", other, NULL));
    assert_string_equal(same, other);
    assert_ok(pdpr_ledger_dataset_named(f->ledger, "social 2027", other, NULL));
    assert_string_not_equal(same, other);
    pdpr_graph_free(g);
    pdpr_ledger_close(again);
    pdpr_ledger_close(elsewhere);
    pdpr_context_free(single);
}

/* ---------------------------------------------------------------- damage */

/* A ledger of nine lines with every kind of record. */
static void fill(fixture *f)
{
    char run[PDPR_LEDGER_ID_TEXT];
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_a, 10, 1e-5, NULL));
    make_run(f, PDPR_RUN_PUBLISHED, run);
    make_run(f, PDPR_RUN_REFUNDED, run);
    assert_ok(reserve(f->ledger, data_a, mixed, 3, run, NULL));
}

static void any_changed_byte_is_noticed(void **state)
{
    fixture *f = *state;
    fill(f);
    size_t length;
    char *text = test_file_read(f->path, &length);
    const char changes[] = {1, 32, (char)128, '\n'};
    for (size_t i = 0; i < length; i++)
        for (size_t c = 0; c < sizeof changes; c++) {
            char saved = text[i];
            pdpr_ledger *ledger = NULL;
            pdpr_error err;
            text[i] = (char)(text[i] ^ changes[c]);
            test_file_write(f->path, text, length);
            assert_int_equal(pdpr_ledger_open(f->ctx, f->path, NULL, &ledger, &err), PDPR_EINPUT);
            assert_null(strstr(err.text, data_a));
            text[i] = saved;
        }
    free(text);
}

static void lines_removed_repeated_or_swapped_are_noticed(void **state)
{
    fixture *f = *state;
    fill(f);
    lines l = read_lines_of(f->path);
    assert_int_equal(l.count, 9);
    for (size_t i = 0; i + 1 < l.count; i++) {
        lines removed = l, swapped = l, repeated = l;
        char expected[64];
        memmove(removed.text + i, removed.text + i + 1, (l.count - 1 - i) * sizeof *l.text);
        removed.count--;
        write_lines(f->path, &removed);
        snprintf(expected, sizeof expected, ":%zu: expected ", i + 1);
        assert_refused(f, expected);
        swapped.text[i] = l.text[i + 1];
        swapped.text[i + 1] = l.text[i];
        write_lines(f->path, &swapped);
        assert_refused(f, expected);
        memmove(repeated.text + i + 1, repeated.text + i, (l.count - i) * sizeof *l.text);
        repeated.count++;
        write_lines(f->path, &repeated);
        snprintf(expected, sizeof expected, ":%zu: expected ", i + 2);
        assert_refused(f, expected);
    }
    free_lines(&l);
}

static void lines_of_another_ledger_are_noticed(void **state)
{
    fixture *f = *state;
    fill(f);
    lines mine = read_lines_of(f->path);
    assert_int_equal(unlink(f->path), 0);
    pdpr_ledger_close(f->ledger);
    f->ledger = open_ledger(f, true);
    fill(f);
    lines other = read_lines_of(f->path);
    char *kept = mine.text[0];
    mine.text[0] = other.text[0];
    write_lines(f->path, &mine);
    assert_refused(f, ":2: expected the hash of this line under this ledger's secret");
    mine.text[0] = kept;
    free_lines(&mine);
    free_lines(&other);
}

static void ledger_swapped_or_cut_while_in_use_is_noticed(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    pdpr_error err;
    fill(f);
    pdpr_ledger_summary_free(summarise(f->ledger));
    lines l = read_lines_of(f->path);
    l.count--; /* a whole line less is a valid ledger, but not the one that was read before */
    write_lines(f->path, &l);
    assert_int_equal(reserve(f->ledger, data_a, one, 1, run, &err), PDPR_EINPUT);
    assert_non_null(strstr(err.text, "the ledger was cut or replaced"));
    l.count++;
    free_lines(&l);

    assert_int_equal(unlink(f->path), 0);
    pdpr_ledger *fresh = open_ledger(f, true);
    assert_int_equal(reserve(f->ledger, data_a, one, 1, run, &err), PDPR_EINPUT);
    pdpr_ledger *old = f->ledger;
    f->ledger = fresh;
    fill(f);
    assert_int_equal(pdpr_ledger_set_budget(old, data_a, 1, 0, &err), PDPR_EINPUT);
    assert_non_null(strstr(err.text, "the ledger was replaced"));
    pdpr_ledger_close(old);
}

/* A record with a right hash is still refused if it says anything but what the format allows. */
static void well_hashed_nonsense_is_refused(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    make_run(f, PDPR_RUN_DRAWN, run);
    lines l = read_lines_of(f->path);
    json_t *const nonsense[] = {
        json_pack("{s:s}", "record", "HOLIDAY"),
        json_pack("{s:i}", "record", 7),
        json_pack("{}"),
        json_pack("{s:s, s:s, s:s}", "record", "DRAWN", "run", no_run, "extra", "field"),
        json_pack("{s:s}", "record", "DRAWN"),
        json_pack("{s:s, s:i}", "record", "DRAWN", "run", 7),
        json_pack("{s:s, s:s}", "record", "DRAWN", "run", "too short"),
        json_pack("{s:s, s:s}", "record", "DRAWN", "run",
                  "000000000000000000000000000000000000000000"),
        json_pack("{s:s, s:s, s:s}", "record", "COMMIT", "run", run, "output", "short"),
        json_pack("{s:s, s:s, s:s, s:s}", "record", "BUDGET", "dataset", data_a, "epsilon", "1.0",
                  "delta", "0"),
        json_pack("{s:s, s:s, s:s, s:s}", "record", "BUDGET", "dataset", data_a, "epsilon", "-1",
                  "delta", "0"),
        json_pack("{s:s, s:s, s:i, s:s}", "record", "BUDGET", "dataset", data_a, "epsilon", 1,
                  "delta", "0"),
        json_pack("{s:s, s:s, s:s, s:[], s:b, s:s, s:s}", "record", "RESERVE", "run", no_run,
                  "dataset", data_a, "charges", "seeded", 0, "method", "m", "day", "2026-11-15"),
        json_pack("{s:s, s:s, s:s, s:[{s:s, s:i, s:i}], s:b, s:s, s:s}", "record", "RESERVE", "run",
                  no_run, "dataset", data_a, "charges", "label", "x", "num", -1, "den", 1, "seeded",
                  0, "method", "m", "day", "2026-11-15"),
        json_pack("{s:s, s:s, s:s, s:[i], s:b, s:s, s:s}", "record", "RESERVE", "run", no_run,
                  "dataset", data_a, "charges", 3, "seeded", 0, "method", "m", "day", "2026-11-15"),
    };
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        assert_non_null(nonsense[i]);
        forge(f, nonsense[i]);
        assert_refused(f, ":4: expected a ");
        write_lines(f->path, &l);
    }
    /* Well-formed, but against the rules. */
    json_t *const unruly[] = {
        json_pack("{s:s, s:s}", "record", "DRAWN", "run", run),
        json_pack("{s:s, s:s}", "record", "REFUND", "run", run),
        json_pack("{s:s, s:s}", "record", "PUBLISHED", "run", run),
        json_pack("{s:s, s:s}", "record", "PUBLISHED", "run", no_run),
        json_pack("{s:s, s:s, s:s, s:[{s:s, s:i, s:i}], s:b, s:s, s:s}", "record", "RESERVE", "run",
                  run, "dataset", data_a, "charges", "label", "x", "num", 1, "den", 1, "seeded", 0,
                  "method", "m", "day", "2026-11-15"),
        json_pack("{s:s, s:s, s:s, s:s}", "record", "OPEN", "format", "privdpr-ledger/1", "ledger",
                  no_run, "secret", data_a),
    };
    for (size_t i = 0; i < sizeof unruly / sizeof *unruly; i++) {
        forge(f, unruly[i]);
        assert_refused(f, ":4: this record cannot stand here: ");
        write_lines(f->path, &l);
    }
    /* A first line that is no OPEN, though it has a secret and a right hash. */
    json_t *first = json_pack("{s:s, s:s, s:s, s:s, s:i, s:s}", "record", "DRAWN", "run", no_run,
                              "format", "privdpr-ledger/1", "secret", data_a, "line", 1, "prev",
                              "0000000000000000000000000000000000000000000000000000000000000000");
    char *sealed = seal(f->ctx, first,
                        "{\"secret\":\""
                        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                        "aaaaaaaaaaaaaaaaaa\"}");
    json_decref(first);
    free(l.text[0]);
    l.text[0] = sealed;
    l.count = 1;
    write_lines(f->path, &l);
    assert_refused(f, ":1: expected a well-formed DRAWN record");
    free(sealed);
    l.count = 3;
    l.text[0] = NULL;
    free_lines(&l);
}

static void incomplete_last_line_is_cut_off_with_a_word(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    make_run(f, PDPR_RUN_DRAWN, run);
    size_t length, after_length;
    char *whole = test_file_read(f->path, &length);
    assert_ok(pdpr_i_ledger_commit(f->ledger, run, hash_c, NULL));
    char *longer = test_file_read(f->path, &after_length);
    size_t line = after_length - length;
    /* The last append cut short after each number of its bytes, more than its newline missing. */
    for (size_t kept = 1; kept < line - 1; kept++) {
        test_file_write(f->path, longer, length + kept);
        pdpr_ledger *ledger = open_ledger(f, false);
        pdpr_ledger_summary *s = summarise(ledger);
        assert_int_equal(s->incomplete_bytes, kept);
        assert_int_equal(s->lines, 3);
        assert_int_equal(s->runs[0].state, PDPR_RUN_DRAWN);
        pdpr_ledger_summary_free(s);
        f->notices = 0;
        assert_ok(pdpr_i_ledger_commit(ledger, run, hash_c, NULL));
        assert_int_equal(f->notices, 1);
        assert_non_null(strstr(f->last_notice, "cut off an incomplete last line"));
        size_t now;
        char *text = test_file_read(f->path, &now);
        assert_int_equal(now, after_length);
        assert_memory_equal(text, longer, now);
        free(text);
        pdpr_ledger_close(ledger);
    }
    free(whole);
    free(longer);
}

/* A line that lacks its newline only counts: forgetting DRAWN would let the run be refunded. The
 * next append gives it the newline, and may fail at any call. */
static void last_line_without_its_newline_counts(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    size_t length, now;
    ledger_faults faults;
    pdpr_error err;
    make_run(f, PDPR_RUN_DRAWN, run);
    char *text = test_file_read(f->path, &length);
    uint64_t failures = 0;
    for (uint64_t nth = 1;; nth++) {
        pdpr_ledger *ledger = NULL;
        test_file_write(f->path, text, length - 1);
        ledger_faults_init(&faults);
        assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, NULL, &faults.system, &ledger, NULL));
        pdpr_ledger_summary *s = summarise(ledger);
        assert_int_equal(s->lines, 3);
        assert_int_equal(s->incomplete_bytes, 0);
        assert_int_equal(s->runs[0].state, PDPR_RUN_DRAWN);
        pdpr_ledger_summary_free(s);
        assert_int_equal(pdpr_ledger_refund(ledger, run, &err), PDPR_EBUDGET);
        f->notices = 0;
        ledger_faults_set(&faults, FAULT_ERROR, EIO, nth);
        pdpr_status status = pdpr_i_ledger_commit(ledger, run, hash_c, NULL);
        pdpr_ledger_close(ledger);
        char *after = test_file_read(f->path, &now);
        assert_memory_equal(after, text, length - 1); /* whatever failed */
        free(after);
        if (!faults.at_call) {
            assert_int_equal(status, PDPR_OK);
            break;
        }
        failures++;
        assert_int_equal(status, PDPR_EFAILED);
    }
    assert_true(failures > 5);
    assert_int_equal(f->notices, 1);
    assert_non_null(strstr(f->last_notice, "had lost its newline; it is whole and stays"));
    assert_true(now > length);
    pdpr_ledger_summary *s = summarise(f->ledger);
    assert_int_equal(s->lines, 4);
    assert_int_equal(s->runs[0].state, PDPR_RUN_COMMITTED);
    pdpr_ledger_summary_free(s);
    free(text);
}

/* Braces in a text of a record do not end it: cut short anywhere it is cut off. */
static void last_line_cut_within_a_text_is_cut_off(void **state)
{
    fixture *f = *state;
    const pdpr_i_ledger_charge tricky[] = {{.label = "{a}}}", .num = 1, .den = 1},
                                           {.label = "}b", .num = 1, .den = 1}};
    char run[PDPR_LEDGER_ID_TEXT];
    size_t before, length;
    free(test_file_read(f->path, &before));
    assert_ok(reserve(f->ledger, data_a, tricky, 2, run, NULL));
    char *text = test_file_read(f->path, &length);
    for (size_t kept = before; kept < length; kept++) {
        test_file_write(f->path, text, kept);
        pdpr_ledger *ledger = open_ledger(f, false);
        pdpr_ledger_summary *s = summarise(ledger);
        assert_int_equal(s->num_runs, kept == length - 1);
        assert_int_equal(s->incomplete_bytes, kept == length - 1 ? 0 : kept - before);
        pdpr_ledger_summary_free(s);
        pdpr_ledger_close(ledger);
    }
    test_file_write(f->path, text, before);
    free(text);
    pdpr_ledger *ledger = NULL;
    text = test_file_read(f->path, NULL);
    text[before] = '}'; /* over the NUL: no prefix of a line begins so */
    test_file_write(f->path, text, before + 1);
    free(text);
    assert_ok(pdpr_ledger_open(f->ctx, f->path, NULL, &ledger, NULL));
    pdpr_ledger_close(ledger);
}

/* For want of memory nobody knows whether the tail is a record: it is not cut off. */
static void last_line_without_its_newline_survives_every_allocation_failure(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    size_t length, now;
    make_run(f, PDPR_RUN_DRAWN, run);
    char *text = test_file_read(f->path, &length);
    test_file_write(f->path, text, length - 1);
    for (int jansson = 0; jansson < 2; jansson++) {
        bool failed = true;
        for (uint64_t nth = 1; failed; nth++) {
            if (jansson)
                (void)test_fail_jansson(nth);
            else
                pdpr_i_fail_allocation(f->ctx, nth);
            pdpr_status s = pdpr_ledger_refund(f->ledger, run, NULL);
            uint64_t made = jansson ? test_fail_jansson(0) : pdpr_i_fail_allocation(f->ctx, 0);
            failed = made >= nth;
            assert_int_equal(s == PDPR_EBUDGET, !failed);
            assert_int_not_equal(s, PDPR_OK);
            char *after = test_file_read(f->path, &now);
            assert_int_equal(now, length - 1);
            assert_memory_equal(after, text, now);
            free(after);
        }
    }
    free(text);
}

/* ---------------------------------------------------------------- the lock */

static void lock_held_elsewhere_is_waited_for_then_given_up(void **state)
{
    fixture *f = *state;
    ledger_faults faults;
    pdpr_ledger *ledger = NULL;
    pdpr_error err;
    pdpr_ledger_options options;
    ledger_faults_init(&faults);
    pdpr_ledger_options_default(&options);
    options.wait_seconds = 3;
    int holder = open(f->path, O_RDONLY);
    assert_int_equal(flock(holder, LOCK_SH), 0);
    f->notices = 0;
    assert_int_equal(
        pdpr_i_ledger_open_with(f->ctx, f->path, &options, &faults.system, &ledger, &err),
        PDPR_EFAILED);
    assert_int_equal(faults.pauses, 60);
    assert_int_equal(f->notices, 1);
    assert_non_null(strstr(f->last_notice, "another process holds the ledger; waiting up to 3 s"));
    assert_non_null(strstr(err.text, "held the ledger for more than 3 s; try again"));

    /* Readers share. */
    options.read_only = true;
    assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, &options, &faults.system, &ledger, &err));
    pdpr_ledger_close(ledger);
    options.read_only = false;
    options.wait_seconds = 1; /* this one really waits */
    assert_int_equal(pdpr_ledger_open(f->ctx, f->path, &options, &ledger, &err), PDPR_EFAILED);
    close(holder);
    assert_ok(pdpr_ledger_open(f->ctx, f->path, &options, &ledger, &err));
    pdpr_ledger_close(ledger);
}

/* A lock that others hold for a number of pauses, and then do not. */
typedef struct {
    pdpr_context *ctx;
    uint64_t pauses, held_for, cancel_at; /* cancel_at: 0, never */
} busy;

static int lock_when_free(void *user, int descriptor, int operation)
{
    const busy *b = user;
    errno = EWOULDBLOCK;
    return b->pauses < b->held_for ? -1 : flock(descriptor, operation);
}

static void pause_and_cancel(void *user)
{
    busy *b = user;
    if (++b->pauses == b->cancel_at)
        pdpr_context_cancel(b->ctx);
}

/* What a run has paid for is not given up for a busy ledger, only for a cancelled context. */
static void steps_of_a_paid_run_wait_for_the_lock_without_limit(void **state)
{
    fixture *f = *state;
    busy b = {.ctx = f->ctx};
    pdpr_i_ledger_system system = pdpr_i_ledger_system_real;
    pdpr_ledger_options options;
    pdpr_ledger *ledger = NULL;
    char run[PDPR_LEDGER_ID_TEXT], other[PDPR_LEDGER_ID_TEXT];
    pdpr_error err = {0};
    system.user = &b;
    system.lock = lock_when_free;
    system.pause = pause_and_cancel;
    pdpr_ledger_options_default(&options);
    options.wait_seconds = 1; /* 20 pauses */
    assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, &options, &system, &ledger, NULL));
    assert_ok(reserve(ledger, data_a, one, 1, run, NULL));
    assert_ok(reserve(ledger, data_a, one, 1, other, NULL));
    b.held_for = 1000;
    f->notices = 0;
    assert_ok(pdpr_i_ledger_drawn(ledger, run, NULL));
    assert_int_equal(b.pauses, 1000);
    assert_int_equal(f->notices, 1);
    assert_non_null(strstr(f->last_notice, "waiting, because this run has paid"));
    b.pauses = 0;
    assert_ok(pdpr_i_ledger_commit(ledger, run, hash_c, NULL));
    assert_int_equal(b.pauses, 1000);
    b.pauses = 0;
    assert_ok(pdpr_i_ledger_published(ledger, run, NULL));
    assert_int_equal(b.pauses, 1000);

    /* Nothing is lost with these: they keep their limit. */
    b.pauses = 0;
    assert_int_equal(reserve(ledger, data_a, one, 1, run, &err), PDPR_EFAILED);
    assert_int_equal(b.pauses, 20);
    b.pauses = 0;
    assert_int_equal(pdpr_ledger_refund(ledger, other, &err), PDPR_EFAILED);
    assert_int_equal(b.pauses, 20);
    assert_non_null(strstr(err.text, "more than 1 s"));

    b.pauses = 0;
    b.cancel_at = 50;
    assert_int_equal(pdpr_i_ledger_drawn(ledger, other, &err), PDPR_ECANCELLED);
    assert_int_equal(b.pauses, 50);
    pdpr_ledger_close(ledger);
}

static void wait_for_the_lock_can_be_cancelled(void **state)
{
    fixture *f = *state;
    pdpr_context *ctx = test_context(1);
    pdpr_ledger *ledger = NULL;
    pdpr_error err;
    int holder = open(f->path, O_RDONLY);
    assert_int_equal(flock(holder, LOCK_EX), 0);
    pdpr_context_cancel(ctx);
    assert_int_equal(pdpr_ledger_open(ctx, f->path, NULL, &ledger, &err), PDPR_ECANCELLED);
    close(holder);
    pdpr_context_free(ctx);
}

/* Another file takes the ledger's name while this process waits for the lock. */
static int replace_then_lock(void *user, int descriptor, int operation)
{
    fixture *f = user;
    size_t length;
    char *text = test_file_read(f->path, &length), moved[SCRATCH_PATH];
    test_scratch_path(f->folder, "moved", moved); /* keeps its inode from being used again */
    assert_int_equal(rename(f->path, moved), 0);
    test_file_write(f->path, text, length);
    free(text);
    return flock(descriptor, operation);
}

static void ledger_replaced_during_the_wait_is_refused(void **state)
{
    fixture *f = *state;
    pdpr_i_ledger_system system = pdpr_i_ledger_system_real;
    pdpr_ledger *ledger = NULL;
    pdpr_error err;
    system.user = f;
    system.lock = replace_then_lock;
    assert_int_equal(pdpr_i_ledger_open_with(f->ctx, f->path, NULL, &system, &ledger, &err),
                     PDPR_EFAILED);
    assert_non_null(strstr(err.text, "was replaced by another file while it was being opened"));
}

static ssize_t endless_read(void *user, int descriptor, void *bytes, size_t length)
{
    (void)user, (void)descriptor;
    memset(bytes, 'x', length);
    return (ssize_t)length;
}

static void ledger_growing_under_the_lock_is_refused(void **state)
{
    fixture *f = *state;
    pdpr_i_ledger_system system = pdpr_i_ledger_system_real;
    pdpr_ledger *ledger = NULL;
    pdpr_error err;
    system.read = endless_read;
    assert_int_equal(pdpr_i_ledger_open_with(f->ctx, f->path, NULL, &system, &ledger, &err),
                     PDPR_EFAILED);
    assert_non_null(strstr(err.text, "changed while it was locked"));
}

/* A second creator finds the ledger that the first has just put in place. */
static int missing_at_first(void *user, const char *path, struct stat *out)
{
    int *calls = user;
    errno = ENOENT;
    return (*calls)++ == 0 ? -1 : stat(path, out);
}

static void creator_who_comes_second_uses_the_first_ledger(void **state)
{
    fixture *f = *state;
    pdpr_i_ledger_system system = pdpr_i_ledger_system_real;
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_options options;
    int calls = 0;
    system.user = &calls;
    system.path_status = missing_at_first;
    pdpr_ledger_options_default(&options);
    options.create = true;
    char *before = test_file_read(f->path, NULL);
    assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, &options, &system, &ledger, NULL));
    char *after = test_file_read(f->path, NULL);
    assert_string_equal(before, after); /* the first one's secret, not ours */
    free(before);
    free(after);
    assert_int_equal(test_scratch_count(f->folder), 1);
    pdpr_ledger_close(ledger);
}

static int other_device(void *user, const char *path, struct stat *out)
{
    (void)user;
    int result = stat(path, out);
    out->st_dev++;
    return result;
}

static ssize_t write_nothing(void *user, int descriptor, const void *bytes, size_t length)
{
    (void)user, (void)descriptor, (void)bytes, (void)length;
    return 0;
}

static void odd_answers_of_the_system_are_refused(void **state)
{
    fixture *f = *state;
    pdpr_i_ledger_system system = pdpr_i_ledger_system_real;
    pdpr_ledger *ledger = NULL;
    pdpr_error err;
    system.path_status = other_device; /* same inode number, another disk */
    assert_int_equal(pdpr_i_ledger_open_with(f->ctx, f->path, NULL, &system, &ledger, &err),
                     PDPR_EFAILED);
    assert_non_null(strstr(err.text, "was replaced"));
    system = pdpr_i_ledger_system_real;
    system.write = write_nothing;
    assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, NULL, &system, &ledger, NULL));
    assert_int_equal(pdpr_ledger_set_budget(ledger, data_a, 1, 0, &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, "cannot write: No space left"));
    pdpr_ledger_close(ledger);
}

static void ledger_in_the_current_folder_is_found(void **state)
{
    fixture *f = *state;
    pdpr_ledger *ledger = NULL;
    char before[SCRATCH_PATH];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(f->folder), 0);
    pdpr_status s = pdpr_ledger_open(f->ctx, "ledger", NULL, &ledger, NULL);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(s, PDPR_OK);
    pdpr_ledger_close(ledger);
}

/* Looking, naming and resuming report the failure of any call they make. */
static void looking_reports_the_failure_of_any_call(void **state)
{
    fixture *f = *state;
    ledger_faults faults;
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_options options;
    char run[PDPR_LEDGER_ID_TEXT], found[PDPR_LEDGER_ID_TEXT], text[PDPR_LEDGER_KEY_TEXT];
    pdpr_i_reservation r = reservation(data_a, one, 1);
    pdpr_graph *g = test_graph_path(f->ctx, 3);
    assert_ok(pdpr_i_ledger_reserve(f->ledger, &r, run, NULL));
    pdpr_ledger_options_default(&options);
    options.read_only = true;
    for (int what = 0; what < 5; what++)
        for (uint64_t nth = 1;; nth++) {
            pdpr_status s = PDPR_OK;
            ledger_faults_init(&faults);
            if (what > 0)
                assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, &options, &faults.system,
                                                  &ledger, NULL));
            ledger_faults_set(&faults, FAULT_ERROR, EIO, nth);
            pdpr_ledger_summary *summary = NULL;
            pdpr_run_state got;
            if (what == 0)
                s = pdpr_i_ledger_open_with(f->ctx, f->path, &options, &faults.system, &ledger,
                                            NULL);
            else if (what == 1)
                s = pdpr_ledger_summarise(ledger, 0, &summary, NULL);
            else if (what == 2)
                s = pdpr_ledger_dataset_of(ledger, g, text, NULL);
            else if (what == 3)
                s = pdpr_i_ledger_resume(ledger, run, &r, &got, text, NULL);
            else
                s = pdpr_i_ledger_run_of(ledger, hash_c, found, &got, NULL);
            pdpr_ledger_summary_free(summary);
            if (what > 0 || s == PDPR_OK)
                pdpr_ledger_close(ledger);
            if (!faults.at_call) {
                assert_int_equal(s, PDPR_OK);
                break;
            }
            assert_int_equal(s, PDPR_EFAILED);
        }
    pdpr_graph_free(g);
}

/* Cutting off half a line may fail at any call too: then nothing is recorded. */
static void cutting_off_reports_the_failure_of_any_call(void **state)
{
    fixture *f = *state;
    ledger_faults faults;
    pdpr_ledger *ledger = NULL;
    size_t length;
    char *text = test_file_read(f->path, &length);
    text[length] = '{'; /* over the NUL */
    ledger_faults_init(&faults);
    assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, NULL, &faults.system, &ledger, NULL));
    for (uint64_t nth = 1;; nth++) {
        test_file_write(f->path, text, length + 1);
        ledger_faults_set(&faults, FAULT_ERROR, EIO, nth);
        pdpr_status s = pdpr_ledger_set_budget(ledger, data_a, 1, 0, NULL);
        if (!faults.at_call) {
            assert_int_equal(s, PDPR_OK);
            break;
        }
        assert_int_equal(s, PDPR_EFAILED);
        ledger_faults_set(&faults, FAULT_NONE, 0, 0);
        assert_ok(pdpr_ledger_set_budget(ledger, data_a, 1, 0, NULL));
        pdpr_ledger_close(ledger); /* it remembers the line that the next round takes away */
        assert_int_equal(unlink(f->path), 0);
        test_file_write(f->path, text, length + 1);
        assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, NULL, &faults.system, &ledger, NULL));
    }
    pdpr_ledger_close(ledger);

    /* Interrupted at the cut itself (the seventh call): it is made again. */
    ledger_faults_set(&faults, FAULT_NONE, 0, 0);
    test_file_write(f->path, text, length + 1);
    assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, NULL, &faults.system, &ledger, NULL));
    ledger_faults_set(&faults, FAULT_INTERRUPT, 0, 7);
    assert_ok(pdpr_ledger_set_budget(ledger, data_a, 1, 0, NULL));
    assert_int_equal(faults.at_call, 'c');
    pdpr_ledger_close(ledger);
    free(text);
}

static void naming_a_dataset_can_be_cancelled(void **state)
{
    fixture *f = *state;
    pdpr_context *ctx = test_context(1);
    pdpr_ledger *ledger = NULL;
    char key[PDPR_LEDGER_KEY_TEXT];
    pdpr_graph *g = test_graph_path(ctx, 3);
    assert_ok(pdpr_ledger_open(ctx, f->path, NULL, &ledger, NULL));
    pdpr_context_cancel(ctx);
    assert_int_equal(pdpr_ledger_dataset_of(ledger, g, key, NULL), PDPR_ECANCELLED);
    pdpr_graph_free(g);
    pdpr_ledger_close(ledger);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- order of the system calls */

/* What is acknowledged is on disk: the file is flushed between write and close, the folder after
 * the ledger was put in place, and nothing is written before the lock is had. */
static void append_is_flushed_before_it_is_acknowledged(void **state)
{
    fixture *f = *state;
    ledger_faults faults;
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_options options;
    char path[SCRATCH_PATH], run[PDPR_LEDGER_ID_TEXT];
    ledger_faults_init(&faults);
    test_scratch_path(f->folder, "traced", path);
    pdpr_ledger_options_default(&options);
    options.create = true;
    pdpr_i_reservation r = reservation(data_a, one, 1);
    assert_ok(pdpr_i_ledger_open_with(f->ctx, path, &options, &faults.system, &ledger, NULL));
    /* look; make, write, flush, close, link, unlink; open, lock, examine, read; flush the folder */
    assert_string_equal(faults.trace, "p"
                                      "twfxku"
                                      "olsprrx"
                                      "ofx");
    ledger_faults_set(&faults, FAULT_NONE, 0, 0);
    assert_ok(pdpr_i_ledger_reserve(ledger, &r, run, NULL));
    assert_string_equal(faults.trace, "olsprrwfx");

    size_t length;
    char *text = test_file_read(path, &length);
    text[length] = '{'; /* over the NUL: half a line behind the whole ones */
    test_file_write(path, text, length + 1);
    free(text);
    ledger_faults_set(&faults, FAULT_NONE, 0, 0);
    assert_ok(pdpr_i_ledger_drawn(ledger, run, NULL));
    assert_string_equal(faults.trace, "olsprrcfwfx");
    pdpr_ledger_close(ledger);
}

/* The day is for the reader: a clock that jumps changes nothing. */
static void days_out_of_order_change_nothing(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    const char *const days[] = {"2026-11-15", "1970-01-01", "9999-99-99", "2026-11-14"};
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_a, 4, 0, NULL));
    for (int i = 0; i < 4; i++) {
        pdpr_i_reservation r = reservation(data_a, one, 1);
        r.day = days[i];
        assert_ok(pdpr_i_ledger_reserve(f->ledger, &r, run, NULL));
        assert_ok(pdpr_i_ledger_drawn(f->ledger, run, NULL));
    }
    assert_int_equal(reserve(f->ledger, data_a, one, 1, run, NULL), PDPR_EBUDGET);
}

/* ---------------------------------------------------------------- memory */

/* A run's whole life and a look at it. */
static pdpr_status live(fixture *f, pdpr_graph *g)
{
    pdpr_status s = PDPR_OK;
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_summary *summary = NULL;
    pdpr_ledger_options options;
    char run[PDPR_LEDGER_ID_TEXT], data[PDPR_LEDGER_KEY_TEXT] = "", output[PDPR_LEDGER_KEY_TEXT];
    pdpr_run_state got;
    pdpr_i_reservation r = reservation(data, mixed, 3);
    unlink(f->path);
    pdpr_ledger_options_default(&options);
    options.create = true;
    PDPR_TRY(pdpr_ledger_open(f->ctx, f->path, &options, &ledger, NULL));
    PDPR_TRY(pdpr_ledger_dataset_of(ledger, g, data, NULL));
    PDPR_TRY(pdpr_ledger_dataset_named(ledger, "name", output, NULL));
    PDPR_TRY(pdpr_ledger_set_budget(ledger, data, 9, 1e-5, NULL));
    PDPR_TRY(pdpr_i_ledger_reserve(ledger, &r, run, NULL));
    PDPR_TRY(pdpr_i_ledger_drawn(ledger, run, NULL));
    PDPR_TRY(pdpr_i_ledger_commit(ledger, run, hash_c, NULL));
    PDPR_TRY(pdpr_i_ledger_published(ledger, run, NULL));
    PDPR_TRY(pdpr_i_ledger_resume(ledger, run, &r, &got, output, NULL));
    PDPR_TRY(pdpr_i_ledger_run_of(ledger, hash_c, run, &got, NULL));
    PDPR_TRY(pdpr_ledger_summarise(ledger, 1e-5, &summary, NULL));
done:
    pdpr_ledger_summary_free(summary);
    pdpr_ledger_close(ledger);
    return s;
}

static void ledger_survives_every_allocation_failure(void **state)
{
    fixture *f = *state;
    pdpr_graph *g = test_graph_path(f->ctx, 4);
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(f->ctx, status, { status = live(f, g); });
    pdpr_ledger_close(f->ledger);
    assert_int_equal(unlink(f->path), 0);
    f->ledger = open_ledger(f, true);
    char run[PDPR_LEDGER_ID_TEXT];
    assert_ok(reserve(f->ledger, data_a, one, 1, run, NULL)); /* a dataset met by a reservation */
    FOR_EACH_ALLOCATION_FAILURE(f->ctx, status, {
        pdpr_ledger_summary *s = NULL;
        status = pdpr_ledger_summarise(f->ledger, 0, &s, NULL);
        pdpr_ledger_summary_free(s);
    });
    pdpr_graph_free(g);
}

static void ledger_survives_every_failure_of_jansson(void **state)
{
    fixture *f = *state;
    pdpr_graph *g = test_graph_path(f->ctx, 4);
    uint64_t before = pdpr_context_memory(f->ctx, NULL);
    for (uint64_t nth = 1;; nth++) {
        test_fail_jansson(nth);
        pdpr_status s = live(f, g);
        uint64_t calls = test_fail_jansson(0);
        assert_int_equal(pdpr_context_memory(f->ctx, NULL), before);
        if (calls < nth) {
            assert_int_equal(s, PDPR_OK);
            break;
        }
        assert_int_not_equal(s, PDPR_OK);
    }
    pdpr_graph_free(g);
}

/* Refused budget at each allocation: the message's own sums may fail too. */
static void refusal_survives_every_allocation_failure(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_a, 0.5, 0, NULL));
    for (uint64_t nth = 1;; nth++) {
        pdpr_i_fail_allocation(f->ctx, nth);
        pdpr_status s = reserve(f->ledger, data_a, one, 1, run, NULL);
        if (pdpr_i_fail_allocation(f->ctx, 0) < nth) {
            assert_int_equal(s, PDPR_EBUDGET);
            break;
        }
        assert_int_equal(s, PDPR_ENOMEM);
    }
}

static void states_have_names(void **state)
{
    (void)state;
    assert_string_equal(pdpr_run_state_name(PDPR_RUN_RESERVED), "reserved");
    assert_string_equal(pdpr_run_state_name(PDPR_RUN_REFUNDED), "refunded");
}

#define with_ledger(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    test_fail_jansson(0);
    const struct CMUnitTest tests[] = {
        with_ledger(open_new_ledger_is_one_private_line),
        with_ledger(open_missing_ledger_is_refused),
        with_ledger(open_unsuitable_file_is_refused),
        with_ledger(open_read_only_ledger_shows_but_records_nothing),
        with_ledger(open_empty_or_foreign_file_is_refused),
        with_ledger(recorded_ledger_is_still_read),
        with_ledger(options_of_an_older_caller_are_understood),
        with_ledger(run_of_an_output_is_the_one_that_waits),
        with_ledger(line_that_is_acted_on_is_flushed_first),
        with_ledger(run_passes_its_four_steps),
        with_ledger(step_out_of_turn_is_refused),
        with_ledger(step_of_unknown_or_malformed_run_is_refused),
        with_ledger(reserve_malformed_request_is_refused),
        with_ledger(resume_remembers_that_noise_was_drawn),
        with_ledger(resume_finds_the_run_and_only_it),
        with_ledger(total_is_the_joint_accountants),
        with_ledger(reserve_beyond_budget_is_refused_with_the_figures),
        with_ledger(reserve_of_exactly_the_budget_is_allowed),
        with_ledger(reserve_gaussian_on_pure_budget_is_refused),
        with_ledger(reserved_run_counts_until_it_is_refunded),
        with_ledger(seeded_run_is_charged_and_flagged),
        with_ledger(set_budget_out_of_range_is_refused),
        with_ledger(state_of_a_run_is_told),
        with_ledger(total_of_very_many_charges_stays_a_bound),
        with_ledger(dataset_key_depends_on_the_edges_alone),
        with_ledger(dataset_key_follows_names_not_ids),
        with_ledger(dataset_key_of_long_names_is_had),
        with_ledger(dataset_key_of_numbers_does_not_see_a_text_without_edges),
        with_ledger(dataset_key_is_secret_and_the_same_for_any_threads),
        with_ledger(any_changed_byte_is_noticed),
        with_ledger(lines_removed_repeated_or_swapped_are_noticed),
        with_ledger(lines_of_another_ledger_are_noticed),
        with_ledger(ledger_swapped_or_cut_while_in_use_is_noticed),
        with_ledger(well_hashed_nonsense_is_refused),
        with_ledger(incomplete_last_line_is_cut_off_with_a_word),
        with_ledger(last_line_without_its_newline_counts),
        with_ledger(last_line_cut_within_a_text_is_cut_off),
        with_ledger(last_line_without_its_newline_survives_every_allocation_failure),
        with_ledger(lock_held_elsewhere_is_waited_for_then_given_up),
        with_ledger(steps_of_a_paid_run_wait_for_the_lock_without_limit),
        with_ledger(wait_for_the_lock_can_be_cancelled),
        with_ledger(ledger_replaced_during_the_wait_is_refused),
        with_ledger(ledger_growing_under_the_lock_is_refused),
        with_ledger(creator_who_comes_second_uses_the_first_ledger),
        with_ledger(odd_answers_of_the_system_are_refused),
        with_ledger(ledger_in_the_current_folder_is_found),
        with_ledger(looking_reports_the_failure_of_any_call),
        with_ledger(cutting_off_reports_the_failure_of_any_call),
        with_ledger(naming_a_dataset_can_be_cancelled),
        with_ledger(append_is_flushed_before_it_is_acknowledged),
        with_ledger(days_out_of_order_change_nothing),
        with_ledger(ledger_survives_every_allocation_failure),
        with_ledger(ledger_survives_every_failure_of_jansson),
        with_ledger(refusal_survives_every_allocation_failure),
        cmocka_unit_test(states_have_names),
    };
    return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
