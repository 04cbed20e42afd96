/* A ledger that was edited, cut, swapped or mixed is refused, with the line; an incomplete last
 * line is cut off, with a word. */
#include "support/support.h"
#include "support/ledger_case.h"
#include "support/ledger_faults.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef test_ledger_case fixture;

static void any_changed_byte_is_noticed(void **state)
{
    fixture *f = *state;
    test_ledger_fill(f);
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
    test_ledger_fill(f);
    test_lines l = test_lines_read(f->path);
    assert_int_equal(l.count, 9);
    for (size_t i = 0; i + 1 < l.count; i++) {
        test_lines removed = l, swapped = l, repeated = l;
        char expected[64];
        memmove(removed.text + i, removed.text + i + 1, (l.count - 1 - i) * sizeof *l.text);
        removed.count--;
        test_lines_write(f->path, &removed);
        snprintf(expected, sizeof expected, ":%zu: expected ", i + 1);
        test_assert_refused(f, expected);
        swapped.text[i] = l.text[i + 1];
        swapped.text[i + 1] = l.text[i];
        test_lines_write(f->path, &swapped);
        test_assert_refused(f, expected);
        memmove(repeated.text + i + 1, repeated.text + i, (l.count - i) * sizeof *l.text);
        repeated.count++;
        test_lines_write(f->path, &repeated);
        snprintf(expected, sizeof expected, ":%zu: expected ", i + 2);
        test_assert_refused(f, expected);
    }
    test_lines_free(&l);
}

static void lines_of_another_ledger_are_noticed(void **state)
{
    fixture *f = *state;
    test_ledger_fill(f);
    test_lines mine = test_lines_read(f->path);
    assert_int_equal(unlink(f->path), 0);
    pdpr_ledger_close(f->ledger);
    f->ledger = test_ledger_case_open(f, true);
    test_ledger_fill(f);
    test_lines other = test_lines_read(f->path);
    char *kept = mine.text[0];
    mine.text[0] = other.text[0];
    test_lines_write(f->path, &mine);
    test_assert_refused(f, ":2: expected the hash of this line under this ledger's secret");
    mine.text[0] = kept;
    test_lines_free(&mine);
    test_lines_free(&other);
}

static void ledger_swapped_or_cut_while_in_use_is_noticed(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    pdpr_error err;
    test_ledger_fill(f);
    pdpr_ledger_summary_free(test_summarise(f->ledger));
    test_lines l = test_lines_read(f->path);
    l.count--; /* a whole line less is a valid ledger, but not the one that was read before */
    test_lines_write(f->path, &l);
    assert_int_equal(test_reserve(f->ledger, data_a, one, 1, run, &err), PDPR_EINPUT);
    assert_non_null(strstr(err.text, "the ledger was cut or replaced"));
    l.count++;
    test_lines_free(&l);

    assert_int_equal(unlink(f->path), 0);
    pdpr_ledger *fresh = test_ledger_case_open(f, true);
    assert_int_equal(test_reserve(f->ledger, data_a, one, 1, run, &err), PDPR_EINPUT);
    pdpr_ledger *old = f->ledger;
    f->ledger = fresh;
    test_ledger_fill(f);
    assert_int_equal(pdpr_ledger_set_budget(old, data_a, 1, 0, &err), PDPR_EINPUT);
    assert_non_null(strstr(err.text, "the ledger was replaced"));
    pdpr_ledger_close(old);
}

/* A record with a right hash is still refused if it says anything but what the format allows. */
static void well_hashed_nonsense_is_refused(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    test_ledger_make_run(f, PDPR_RUN_DRAWN, run);
    test_lines l = test_lines_read(f->path);
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
        test_ledger_forge(f, nonsense[i]);
        test_assert_refused(f, ":4: expected a ");
        test_lines_write(f->path, &l);
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
        test_ledger_forge(f, unruly[i]);
        test_assert_refused(f, ":4: this record cannot stand here: ");
        test_lines_write(f->path, &l);
    }
    /* A first line that is no OPEN, though it has a secret and a right hash. */
    json_t *first = json_pack("{s:s, s:s, s:s, s:s, s:i, s:s}", "record", "DRAWN", "run", no_run,
                              "format", "privdpr-ledger/1", "secret", data_a, "line", 1, "prev",
                              "0000000000000000000000000000000000000000000000000000000000000000");
    char *sealed = test_line_seal(f->ctx, first,
                                  "{\"secret\":\""
                                  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                                  "aaaaaaaaaaaaaaaaaa\"}");
    json_decref(first);
    free(l.text[0]);
    l.text[0] = sealed;
    l.count = 1;
    test_lines_write(f->path, &l);
    test_assert_refused(f, ":1: expected a well-formed DRAWN record");
    free(sealed);
    l.count = 3;
    l.text[0] = NULL;
    test_lines_free(&l);
}

static void incomplete_last_line_is_cut_off_with_a_word(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    test_ledger_make_run(f, PDPR_RUN_DRAWN, run);
    size_t length, after_length;
    char *whole = test_file_read(f->path, &length);
    assert_ok(pdpr_i_ledger_commit(f->ledger, run, hash_c, NULL));
    char *longer = test_file_read(f->path, &after_length);
    size_t line = after_length - length;
    /* The last append cut short after each number of its bytes, more than its newline missing. */
    for (size_t kept = 1; kept < line - 1; kept++) {
        test_file_write(f->path, longer, length + kept);
        pdpr_ledger *ledger = test_ledger_case_open(f, false);
        pdpr_ledger_summary *s = test_summarise(ledger);
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
    test_ledger_make_run(f, PDPR_RUN_DRAWN, run);
    char *text = test_file_read(f->path, &length);
    uint64_t failures = 0;
    for (uint64_t nth = 1;; nth++) {
        pdpr_ledger *ledger = NULL;
        test_file_write(f->path, text, length - 1);
        ledger_faults_init(&faults);
        assert_ok(pdpr_i_ledger_open_with(f->ctx, f->path, NULL, &faults.system, &ledger, NULL));
        pdpr_ledger_summary *s = test_summarise(ledger);
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
    pdpr_ledger_summary *s = test_summarise(f->ledger);
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
    assert_ok(test_reserve(f->ledger, data_a, tricky, 2, run, NULL));
    char *text = test_file_read(f->path, &length);
    for (size_t kept = before; kept < length; kept++) {
        test_file_write(f->path, text, kept);
        pdpr_ledger *ledger = test_ledger_case_open(f, false);
        pdpr_ledger_summary *s = test_summarise(ledger);
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
    test_ledger_make_run(f, PDPR_RUN_DRAWN, run);
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

int main(void)
{
    test_fail_jansson(0);
    const struct CMUnitTest tests[] = {
        with_ledger(any_changed_byte_is_noticed),
        with_ledger(lines_removed_repeated_or_swapped_are_noticed),
        with_ledger(lines_of_another_ledger_are_noticed),
        with_ledger(ledger_swapped_or_cut_while_in_use_is_noticed),
        with_ledger(well_hashed_nonsense_is_refused),
        with_ledger(incomplete_last_line_is_cut_off_with_a_word),
        with_ledger(last_line_without_its_newline_counts),
        with_ledger(last_line_cut_within_a_text_is_cut_off),
        with_ledger(last_line_without_its_newline_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("ledger_damage", tests, NULL, NULL);
}
