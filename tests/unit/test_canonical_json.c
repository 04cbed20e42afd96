/* Canonical JSON: one text a value, and reals as decimal strings. */
#include "support/support.h"
#include "support/scratch.h"
#include "dp/canonical_json.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_sorts_keys_and_drops_white_space(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    json_t *value = json_pack("{s:i, s:[i, b, n], s:{s:s, s:I}}", "zeta", 1, "a", 2, 1, "Z", "ä",
                              "ö\n\"", "B", (json_int_t)INT64_MIN);
    char *text = NULL;
    size_t length = 0;
    assert_ok(pdpr_i_canonical_write(ctx, value, &text, &length, NULL));
    const char *expected =
        "{\"Z\":{\"B\":-9223372036854775808,\"ä\":\"ö\\n\\\"\"},\"a\":[2,true,null],\"zeta\":1}";
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
    json_decref(value);
    pdpr_free(text);
    pdpr_context_free(ctx);
}

static void write_real_number_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const char *const with_real[] = {"1.5", "[1,[2.0]]", "{\"a\":{\"b\":1e3}}"};
    for (size_t i = 0; i < sizeof with_real / sizeof *with_real; i++) {
        json_t *value = json_loads(with_real[i], JSON_DECODE_ANY, NULL), *out = NULL;
        char *text = NULL;
        size_t length;
        assert_non_null(value);
        assert_int_equal(pdpr_i_canonical_write(ctx, value, &text, &length, NULL), PDPR_EUSAGE);
        assert_null(text);
        assert_int_equal(
            pdpr_i_canonical_parse(ctx, with_real[i], strlen(with_real[i]), "x:1", &out, NULL),
            PDPR_EINPUT);
        assert_null(out);
        json_decref(value);
    }
    pdpr_context_free(ctx);
}

static void parse_canonical_text_gives_it_back(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const char *const good[] = {"{}", "[]", "0", "-1", "\"\"", "null", "[{\"a\":[]},true,false]"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        json_t *value = NULL;
        char *text = NULL;
        size_t length;
        assert_ok(pdpr_i_canonical_parse(ctx, good[i], strlen(good[i]), "x:1", &value, NULL));
        assert_ok(pdpr_i_canonical_write(ctx, value, &text, &length, NULL));
        assert_string_equal(text, good[i]);
        json_decref(value);
        pdpr_free(text);
    }
    pdpr_context_free(ctx);
}

static void parse_any_other_spelling_is_refused_without_quoting_it(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const char *const bad[] = {
        "",
        "{\"secret\":1} ",
        " {\"secret\":1}",
        "{\"secret\": 1}",
        "{\"t\":1,\"secret\":1}",
        "{\"secret\":1,\"secret\":1}",
        "{\"secret\":1}{}",
        "{\"secret\":\"\\u0041\"}",
        "{\"secret\":\"\\/\"}",
        "{\"secret\":-0}",
        "{\"secret\":01}",
        "{\"secret\":18446744073709551616}",
        "{\"secret\":\"\xff\"}",
        "{\"secret\":\"\\u0000\"}",
        "{\"secret\":tru}",
        "[\"secret\"",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *value = NULL;
        pdpr_error err;
        assert_int_equal(
            pdpr_i_canonical_parse(ctx, bad[i], strlen(bad[i]), "file:7", &value, &err),
            PDPR_EINPUT);
        assert_null(value);
        assert_memory_equal(err.text, "file:7: expected ", 17);
        assert_null(strstr(err.text, "secret"));
    }
    json_t *value = NULL;
    assert_int_equal(pdpr_i_canonical_parse(ctx, "{\0}", 3, "file:7", &value, NULL), PDPR_EINPUT);
    pdpr_context_free(ctx);
}

static void json_survives_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const char text[] = "{\"a\":[1,2,{\"b\":\"c\"}],\"d\":null}";
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        json_t *value = NULL;
        status = pdpr_i_canonical_parse(ctx, text, sizeof text - 1, "x", &value, NULL);
        json_decref(value);
    });
    for (uint64_t nth = 1;; nth++) {
        json_t *value = NULL;
        test_fail_jansson(nth);
        status = pdpr_i_canonical_parse(ctx, text, sizeof text - 1, "x", &value, NULL);
        uint64_t calls = test_fail_jansson(0);
        assert_int_equal(pdpr_context_memory(ctx, NULL), 0);
        if (calls < nth) {
            json_decref(value);
            break;
        }
        assert_null(value);
        assert_int_not_equal(status, PDPR_OK); /* jansson calls some failures a fault of the text */
    }
    assert_int_equal(status, PDPR_OK);
    pdpr_context_free(ctx);
}

static void real_text_is_the_shortest_in_plain_form(void **state)
{
    (void)state;
    const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "0"},
        {1, "1"},
        {-2.5, "-2.5"},
        {3.2, "3.2"},
        {1e-5, "0.00001"},
        {1e-6, "0.000001"},
        {1e-7, "1e-7"},
        {1.5e-10, "1.5e-10"},
        {100, "100"},
        {1e20, "100000000000000000000"},
        {1e21, "1e+21"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1281498708.43, "1281498708.43"},
        {0.761132161324164, "0.761132161324164"},
        {123456789012345680.0, "123456789012345680"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[PDPR_I_REAL_TEXT];
        double back;
        pdpr_i_real_text(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
        assert_true(pdpr_i_real_parse(text, &back));
        assert_true(back == cases[i].value);
    }
}

/* Every double, here 200 000 random bit patterns, reads back as itself. */
static void real_text_of_any_double_reads_back(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        double value, back;
        char text[PDPR_I_REAL_TEXT];
        memcpy(&value, &x, sizeof value);
        if (!isfinite(value))
            continue;
        pdpr_i_real_text(value, text);
        assert_true(strlen(text) < PDPR_I_REAL_TEXT);
        assert_true(pdpr_i_real_parse(text, &back));
        assert_memory_equal(&back, &value, sizeof value);
    }
}

static void real_parse_another_spelling_is_refused(void **state)
{
    (void)state;
    const char *const bad[] = {"",
                               "-",
                               "-0",
                               "+1",
                               "1.",
                               ".5",
                               "01",
                               "1.0",
                               "1,5",
                               "1e5",
                               "1e-2",
                               "1.2.3",
                               "1-2",
                               "nan",
                               "inf",
                               "0x10",
                               " 1",
                               "1 ",
                               "1e",
                               "1e+400",
                               "1e+401",
                               "1e-401",
                               "2e+308",
                               "1e-4000",
                               "1e-7x",
                               "1e-07",
                               "0.30000000000000003",
                               "0.100000000000000000000000000000000"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value = 7;
        if (pdpr_i_real_parse(bad[i], &value))
            fail_msg("\"%s\" was accepted", bad[i]);
        assert_true(value == 7);
    }
}

static void real_text_does_not_follow_the_locale(void **state)
{
    (void)state;
    const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "de_DE", "ps_AF"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = setlocale(LC_ALL, names[i]);
    if (!found)
        printf("skipped: no locale with a decimal comma is installed\n");
    char text[PDPR_I_REAL_TEXT];
    double value;
    pdpr_i_real_text(1.25, text);
    assert_string_equal(text, "1.25");
    assert_true(pdpr_i_real_parse("1.25", &value));
    assert_true(value == 1.25);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    test_fail_jansson(0); /* from the first allocation on, so that free matches malloc */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write_sorts_keys_and_drops_white_space),
        cmocka_unit_test(write_real_number_is_refused),
        cmocka_unit_test(parse_canonical_text_gives_it_back),
        cmocka_unit_test(parse_any_other_spelling_is_refused_without_quoting_it),
        cmocka_unit_test(json_survives_every_allocation_failure),
        cmocka_unit_test(real_text_is_the_shortest_in_plain_form),
        cmocka_unit_test(real_text_of_any_double_reads_back),
        cmocka_unit_test(real_parse_another_spelling_is_refused),
        cmocka_unit_test(real_text_does_not_follow_the_locale),
    };
    return cmocka_run_group_tests_name("canonical_json", tests, NULL, NULL);
}
