/* JSON of the ledger's summary and of a verification. */
#include "support/support.h"
#include "support/scratch.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static pdpr_ledger_dataset datasets[] = {
    {.dataset = "aa", .runs = 2, .delta = 1e-5, .epsilon = INFINITY},
    {.dataset = "bb",
     .runs = 1,
     .has_budget = true,
     .budget_epsilon = 3,
     .budget_delta = 0,
     .epsilon = 1,
     .left = 2},
};
static pdpr_ledger_run runs[] = {
    {.run = "11", .dataset = "aa", .method = "m", .day = "2026-11-15", .seeded = true},
    {.run = "22", .dataset = "bb", .output = "cc", .state = PDPR_RUN_PUBLISHED, .epsilon = 1},
};
static const pdpr_ledger_summary summary = {.ledger = "id",
                                            .lines = 7,
                                            .num_datasets = 2,
                                            .num_runs = 2,
                                            .datasets = datasets,
                                            .runs = runs};
static pdpr_check checks[] = {{.name = "format", .result = PDPR_CHECK_PASS, .text = "good"},
                              {.name = "fields", .result = PDPR_CHECK_FAIL, .text = "bad"},
                              {.name = "output", .result = PDPR_CHECK_SKIPPED, .text = "none"}};
static const pdpr_verification verification = {.num_checks = 3, .checks = checks};

static void ledger_json_says_what_the_summary_says(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    char *text = NULL;
    assert_ok(pdpr_report_ledger_json(ctx, &summary, &text, NULL));
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    assert_int_equal(json_integer_value(json_object_get(root, "lines")), 7);
    json_t *a = json_array_get(json_object_get(root, "datasets"), 0),
           *b = json_array_get(json_object_get(root, "datasets"), 1);
    assert_true(json_is_null(json_object_get(a, "epsilon"))); /* without bound */
    assert_true(json_is_null(json_object_get(a, "budget")));
    assert_true(json_real_value(json_object_get(json_object_get(b, "budget"), "left")) == 2);
    json_t *first = json_array_get(json_object_get(root, "runs"), 0),
           *second = json_array_get(json_object_get(root, "runs"), 1);
    assert_true(json_is_true(json_object_get(first, "seeded")));
    assert_true(json_is_null(json_object_get(first, "output")));
    assert_string_equal(json_string_value(json_object_get(second, "state")), "published");
    assert_string_equal(json_string_value(json_object_get(second, "output")), "cc");
    json_decref(root);
    pdpr_free(text);
    pdpr_context_free(ctx);
}

static void verification_json_lists_the_checks(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    char *text = NULL;
    const char *const results[] = {"pass", "fail", "skipped"};
    assert_ok(pdpr_report_verification_json(ctx, &verification, &text, NULL));
    json_t *root = json_loads(text, 0, NULL);
    assert_true(json_is_false(json_object_get(root, "passed")));
    for (size_t i = 0; i < 3; i++) {
        json_t *check = json_array_get(json_object_get(root, "checks"), i);
        assert_string_equal(json_string_value(json_object_get(check, "result")), results[i]);
        assert_string_equal(json_string_value(json_object_get(check, "text")), checks[i].text);
    }
    json_decref(root);
    pdpr_free(text);
    pdpr_context_free(ctx);
}

static void reports_survive_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_status status;
    uint64_t failures = 0;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        char *text = NULL;
        status = pdpr_report_ledger_json(ctx, &summary, &text, NULL);
        pdpr_free(text);
    });
    for (int which = 0; which < 2; which++)
        for (uint64_t nth = 1;; nth++) {
            char *text = NULL;
            test_fail_jansson(nth);
            status = which ? pdpr_report_verification_json(ctx, &verification, &text, NULL)
                           : pdpr_report_ledger_json(ctx, &summary, &text, NULL);
            uint64_t calls = test_fail_jansson(0);
            pdpr_free(text);
            assert_int_equal(pdpr_context_memory(ctx, NULL), 0);
            if (calls < nth) {
                assert_int_equal(status, PDPR_OK);
                break;
            }
            /* a text that could not be had is tried once more as ASCII, and is then there */
            assert_true(status == PDPR_ENOMEM || status == PDPR_OK);
            failures += status == PDPR_ENOMEM;
        }
    assert_true(failures > 20);
    pdpr_context_free(ctx);
}

int main(void)
{
    test_fail_jansson(0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ledger_json_says_what_the_summary_says),
        cmocka_unit_test(verification_json_lists_the_checks),
        cmocka_unit_test(reports_survive_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("report of the ledger", tests, NULL, NULL);
}
