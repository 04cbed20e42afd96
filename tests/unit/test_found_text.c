/* Messages about input: found texts are safe to print, places are named. */
#include "support/support.h"
#include "base/found_text.h"

#include <string.h>

static void found_text_is_cut_and_escaped(void **state)
{
    (void)state;
    const struct {
        const char *text, *shown;
    } cases[] = {
        {"", "\"\""},
        {"abc", "\"abc\""},
        {"a\tb\r\n", "\"a\\tb\\r\\n\""},
        {"\x1b[2J\x7f", "\"\\x1b[2J\\x7f\""},
        {"\xc3\xa5\xe6\xbc\xa2\xf0\x9f\x98\x80", "\"\xc3\xa5\xe6\xbc\xa2\xf0\x9f\x98\x80\""},
        {"\xc3", "\"\\xc3\""},            /* cut sequence */
        {"\xe6\xbc", "\"\\xe6\\xbc\""},   /* cut sequence */
        {"\xc3z\x80", "\"\\xc3z\\x80\""}, /* wrong sequence */
        {"\xc2\x9b", "\"\\xc2\\x9b\""},   /* a control character */
        {"\xff\xfe", "\"\\xff\\xfe\""},   /* never UTF-8 */
        {"0123456789012345678901234567890123456789",
         "\"0123456789012345678901234567890123456789\""},
        {"01234567890123456789012345678901234567890",
         "\"0123456789012345678901234567890123456789...\""},
        {"012345678901234567890123456789012345678\xc3\xa5", /* whole, though it crosses the cut */
         "\"012345678901234567890123456789012345678\xc3\xa5\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[PDPR_I_FOUND_TEXT];
        assert_string_equal(pdpr_i_found(out, cases[i].text, strlen(cases[i].text)),
                            cases[i].shown);
    }
    char worst[64], out[PDPR_I_FOUND_TEXT];
    memset(worst, 1, sizeof worst);
    assert_int_equal(strlen(pdpr_i_found(out, worst, sizeof worst)), 40 * 4 + 5);
}

static void failure_names_file_and_line(void **state)
{
    (void)state;
    pdpr_error err;
    char name[400];
    assert_int_equal(pdpr_i_fail_at(&err, PDPR_EINPUT, "f.txt", 17, "expected %d", 3), PDPR_EINPUT);
    assert_string_equal(err.text, "f.txt:17: expected 3");
    assert_int_equal(pdpr_i_fail_at(NULL, PDPR_EINPUT, "f.txt", 17, "expected"), PDPR_EINPUT);
    memset(name, 'x', sizeof name); /* a long name leaves room for the words behind it */
    strcpy(name + sizeof name - 6, "/y.gz");
    (void)pdpr_i_fail_at(&err, PDPR_EINPUT, name, 0, "expected a file");
    assert_int_equal(strncmp(err.text, "...xxx", 6), 0);
    assert_string_equal(err.text + strlen(err.text) - 22, "/y.gz: expected a file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_text_is_cut_and_escaped),
        cmocka_unit_test(failure_names_file_and_line),
    };
    return cmocka_run_group_tests_name("found text", tests, NULL, NULL);
}
