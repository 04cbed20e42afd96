/* The ledger: opening it, and the life of a run in it. Its totals, names, damage and system
 * calls have files of their own (test_ledger_*.c); crashes and races are in
 * tests/check/check_ledger_crash.c. */
#include "support/support.h"
#include "support/ledger_case.h"
#include "support/ledger_faults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef test_ledger_case fixture;

/* ---------------------------------------------------------------- opening */

static void open_new_ledger_is_one_private_line(void **state)
{
    fixture *f = *state;
    struct stat info;
    assert_int_equal(stat(f->path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(test_scratch_count(f->folder), 1); /* no temporary file left */
    test_lines l = test_lines_read(f->path);
    assert_int_equal(l.count, 1);
    assert_non_null(strstr(l.text[0], "\"record\":\"OPEN\""));
    test_lines_free(&l);
    assert_non_null(strstr(f->last_notice, "made a new ledger"));

    /* Opening again, also with create, changes nothing. */
    size_t length, again_length;
    char *before = test_file_read(f->path, &length);
    pdpr_ledger_close(test_ledger_case_open(f, true));
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
    assert_int_equal(test_reserve(f->ledger, data_a, one, 1, run, &err), PDPR_EFAILED);
    assert_string_equal(run, "untouched");

    pdpr_ledger_options options;
    pdpr_ledger_options_default(&options);
    options.read_only = true;
    assert_ok(pdpr_ledger_open(f->ctx, f->path, &options, &ledger, NULL));
    pdpr_ledger_summary_free(test_summarise(ledger));
    assert_int_equal(chmod(f->path, 0600), 0);
    assert_int_equal(test_reserve(ledger, data_a, one, 1, run, &err), PDPR_EUSAGE);
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
        test_assert_refused(f, cases[i].text);
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
    f->ledger = test_ledger_case_open(f, false);
    pdpr_ledger_summary *s = test_summarise(f->ledger);
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
    assert_ok(test_reserve(ledger, data_a, one, 1, run, NULL));
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
        assert_ok(test_reserve(f->ledger, data_a, one, 1, run[i], NULL));
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
            assert_ok(test_reserve(f->ledger, data_a, mixed, 3, run, NULL));
        else if (step == 1)
            assert_ok(pdpr_i_ledger_drawn(f->ledger, run, NULL));
        else if (step == 2)
            assert_ok(pdpr_i_ledger_commit(f->ledger, run, hash_c, NULL));
        else
            assert_ok(pdpr_i_ledger_published(f->ledger, run, NULL));
        pdpr_ledger_summary *s = test_summarise(f->ledger);
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

/* Every step from every state: only the right one is taken, and a refused one leaves no line. */
static void step_out_of_turn_is_refused(void **state)
{
    fixture *f = *state;
    for (int from = PDPR_RUN_RESERVED; from <= PDPR_RUN_REFUNDED; from++)
        for (int step = 0; step < 4; step++) {
            char run[PDPR_LEDGER_ID_TEXT];
            pdpr_error err = {0};
            test_ledger_make_run(f, (pdpr_run_state)from, run);
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
        assert_int_equal(test_reserve(f->ledger, data_a, &bad_charges[i], 1, run, NULL),
                         PDPR_EUSAGE);
    assert_int_equal(test_reserve(f->ledger, data_a, one, 0, run, NULL), PDPR_EUSAGE);
    assert_int_equal(test_reserve(f->ledger, "abc", one, 1, run, NULL), PDPR_EUSAGE);
    char long_key[80] = "";
    memset(long_key, 'a', sizeof long_key - 1);
    assert_int_equal(test_reserve(f->ledger, long_key, one, 1, run, NULL), PDPR_EUSAGE);

    pdpr_i_reservation r = test_reservation(data_a, one, 1);
    const char *const bad_days[] = {"", "2026-11-5", "2026/11/15", "15.11.2026", "2026-11-15T12"};
    for (size_t i = 0; i < sizeof bad_days / sizeof *bad_days; i++) {
        r.day = bad_days[i];
        assert_int_equal(pdpr_i_ledger_reserve(f->ledger, &r, run, NULL), PDPR_EUSAGE);
    }
    r = test_reservation(data_a, one, 1);
    r.method = "";
    assert_int_equal(pdpr_i_ledger_reserve(f->ledger, &r, run, NULL), PDPR_EUSAGE);
    memset(name, 'm', sizeof name);
    name[PDPR_LEDGER_METHOD_TEXT] = '\0';
    r.method = name;
    assert_int_equal(pdpr_i_ledger_reserve(f->ledger, &r, run, NULL), PDPR_EUSAGE);
    name[PDPR_LEDGER_METHOD_TEXT - 1] = '\0';
    assert_ok(pdpr_i_ledger_reserve(f->ledger, &r, run, NULL));
    const pdpr_i_ledger_charge fifty[] = {{.label = "x", .num = 100, .den = 2}};
    assert_ok(test_reserve(f->ledger, data_a, fifty, 1, run, NULL));
}

/* The handle knows of a run that is taken up what it would know had it not been interrupted. */
static void resume_remembers_that_noise_was_drawn(void **state)
{
    fixture *f = *state;
    const pdpr_i_reservation r = test_reservation(data_a, one, 1);
    for (int from = PDPR_RUN_RESERVED; from <= PDPR_RUN_PUBLISHED; from++) {
        char run[PDPR_LEDGER_ID_TEXT], output[PDPR_LEDGER_KEY_TEXT];
        pdpr_run_state got;
        test_ledger_make_run(f, (pdpr_run_state)from, run);
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
    const pdpr_i_reservation r = test_reservation(data_a, one, 1);
    char run[PDPR_LEDGER_ID_TEXT], output[PDPR_LEDGER_KEY_TEXT];
    pdpr_run_state got;
    test_ledger_make_run(f, PDPR_RUN_COMMITTED, run);
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
    pdpr_i_reservation r = test_reservation(data_a, mixed, 3);
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
        pdpr_i_reservation q = test_reservation(data_a, other, 3);
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
    pdpr_i_reservation q = test_reservation(data_a, other, 3);
    assert_int_equal(pdpr_i_ledger_resume(f->ledger, run, &q, &got, output, NULL), PDPR_EUSAGE);
    q.day = "today";
    assert_int_equal(pdpr_i_ledger_resume(f->ledger, run, &q, &got, output, NULL), PDPR_EUSAGE);
    assert_int_equal(pdpr_i_ledger_resume(f->ledger, "xyz", &r, &got, output, NULL), PDPR_EUSAGE);
    assert_int_equal(pdpr_i_ledger_resume(f->ledger, data_a, &r, &got, output, NULL), PDPR_EUSAGE);
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
    assert_ok(test_reserve(f->ledger, data_a, one, 1, a, NULL));
    assert_ok(test_reserve(f->ledger, data_a, one, 1, b, NULL));
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

static void states_have_names(void **state)
{
    (void)state;
    assert_string_equal(pdpr_run_state_name(PDPR_RUN_RESERVED), "reserved");
    assert_string_equal(pdpr_run_state_name(PDPR_RUN_REFUNDED), "refunded");
}

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
        with_ledger(state_of_a_run_is_told),
        cmocka_unit_test(states_have_names),
    };
    return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
