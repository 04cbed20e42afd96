/* Totals and budgets of the ledger: what all runs on a dataset cost together, and when another is
 * refused. */
#include "support/support.h"
#include "support/ledger_case.h"
#include "support/ledger_faults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef test_ledger_case fixture;

static void total_is_the_joint_accountants(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    pdpr_accountant *a = NULL;
    double expected, alone;
    assert_ok(pdpr_accountant_new(f->ctx, &a, NULL));
    for (int i = 0; i < 2; i++) {
        assert_ok(test_reserve(f->ledger, data_a, mixed, 3, run, NULL));
        assert_ok(pdpr_accountant_add_pure(f->ctx, a, "d", 1, 2, NULL));
        assert_ok(pdpr_accountant_add_pure(f->ctx, a, "t", 3, 10, NULL));
        assert_ok(pdpr_accountant_add_gaussian(f->ctx, a, "e", 0.01, 845, NULL));
        if (i == 0)
            assert_ok(pdpr_accountant_epsilon(f->ctx, a, 1e-5, &alone, NULL));
    }
    assert_ok(pdpr_accountant_epsilon(f->ctx, a, 1e-5, &expected, NULL));
    pdpr_accountant_free(a);
    assert_ok(
        test_reserve(f->ledger, data_b, one, 1, run, NULL)); /* another dataset: not in the sum */
    pdpr_ledger_summary *s = test_summarise(f->ledger);
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
        assert_ok(test_reserve(f->ledger, data_b, others[i], 1, run, NULL));
    s = test_summarise(f->ledger);
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
    assert_ok(test_reserve(f->ledger, data_a, one, 1, run, NULL));
    assert_ok(test_reserve(f->ledger, data_a, one, 1, run, NULL));
    free(test_file_read(f->path, &before));
    assert_int_equal(test_reserve(f->ledger, data_a, one, 1, run, &err), PDPR_EBUDGET);
    assert_string_equal(err.text,
                        "the budget of this dataset is epsilon 2.5 at delta 0: spent 2, this run "
                        "asks for 1, together 3; left 0.5");
    free(test_file_read(f->path, &after));
    assert_int_equal(before, after);
    assert_ok(
        test_reserve(f->ledger, data_b, one, 1, run, NULL)); /* another dataset has no budget */

    const pdpr_i_ledger_charge half[] = {{.label = "h", .num = 1, .den = 2}};
    assert_ok(test_reserve(f->ledger, data_a, half, 1, run, NULL)); /* what is left can be spent */
    assert_int_equal(test_reserve(f->ledger, data_a, half, 1, run, &err), PDPR_EBUDGET);
    pdpr_ledger_summary *s = test_summarise(f->ledger);
    assert_true(s->datasets[0].has_budget && s->datasets[0].left == 0);
    assert_true(s->datasets[0].epsilon == 2.5);
    pdpr_ledger_summary_free(s);

    /* The last budget counts, larger or smaller. */
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_a, 3, 0, NULL));
    assert_ok(test_reserve(f->ledger, data_a, half, 1, run, NULL));
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_a, 1, 0, NULL));
    assert_int_equal(test_reserve(f->ledger, data_a, half, 1, run, &err), PDPR_EBUDGET);
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
        assert_ok(test_reserve(f->ledger, data_a, tenth, 1, run, NULL));
    const pdpr_i_ledger_charge tiny[] = {{.label = "t", .num = 1, .den = 1000000000}};
    assert_int_equal(test_reserve(f->ledger, data_a, tiny, 1, run, NULL), PDPR_EBUDGET);

    double mu;
    assert_ok(pdpr_gdp_mu(3.2, 1e-5 * (1 - 0x1p-20), &mu, NULL));
    const pdpr_i_ledger_charge all[] = {{.label = "g", .mu = mu * (1 - 1e-12), .steps = 1}};
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_b, 3.2, 1e-5, NULL));
    assert_ok(test_reserve(f->ledger, data_b, all, 1, run, NULL));
    const pdpr_i_ledger_charge small[] = {{.label = "t", .num = 1, .den = 1000}};
    assert_int_equal(test_reserve(f->ledger, data_b, small, 1, run, NULL), PDPR_EBUDGET);
}

static void reserve_gaussian_on_pure_budget_is_refused(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    pdpr_error err;
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_a, 10, 0, NULL));
    assert_int_equal(test_reserve(f->ledger, data_a, mixed, 3, run, &err), PDPR_EBUDGET);
    assert_non_null(strstr(err.text, "asks for inf"));
    assert_ok(test_reserve(f->ledger, data_a, one, 1, run, NULL));
}

static void reserved_run_counts_until_it_is_refunded(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT], again[PDPR_LEDGER_ID_TEXT];
    pdpr_error err;
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_a, 1, 0, NULL));
    assert_ok(test_reserve(f->ledger, data_a, one, 1, run, NULL));
    assert_int_equal(test_reserve(f->ledger, data_a, one, 1, again, NULL), PDPR_EBUDGET);
    assert_ok(pdpr_ledger_refund(f->ledger, run, NULL));
    pdpr_ledger_summary *s = test_summarise(f->ledger);
    assert_true(s->datasets[0].epsilon == 0 && s->datasets[0].runs == 0);
    assert_true(s->datasets[0].left == 1);
    pdpr_ledger_summary_free(s);
    assert_int_equal(pdpr_i_ledger_drawn(f->ledger, run, NULL), PDPR_EUSAGE); /* gone for good */
    assert_ok(test_reserve(f->ledger, data_a, one, 1, again, NULL));
    assert_string_not_equal(run, again);
    assert_ok(pdpr_i_ledger_drawn(f->ledger, again, NULL));
    assert_int_equal(pdpr_ledger_refund(f->ledger, again, &err), PDPR_EBUDGET);
    assert_non_null(strstr(err.text, "only before its first noisy value"));
}

static void seeded_run_is_charged_and_flagged(void **state)
{
    fixture *f = *state;
    char run[PDPR_LEDGER_ID_TEXT];
    pdpr_i_reservation r = test_reservation(data_a, one, 1);
    r.seeded = true;
    assert_ok(pdpr_ledger_set_budget(f->ledger, data_a, 1, 0, NULL));
    assert_ok(pdpr_i_ledger_reserve(f->ledger, &r, run, NULL));
    assert_int_equal(pdpr_i_ledger_reserve(f->ledger, &r, run, NULL), PDPR_EBUDGET);
    pdpr_ledger_summary *s = test_summarise(f->ledger);
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
        assert_ok(test_reserve(f->ledger, data_a, many, EACH, run, NULL));
    free(many);
    pdpr_ledger_summary *s = NULL;
    assert_ok(pdpr_ledger_summarise(f->ledger, 0, &s, NULL));
    assert_true(s->datasets[0].epsilon >= 1200.0 / 1024);
    assert_close(s->datasets[0].epsilon, 1200.0 / 1024, 1e-12);
    pdpr_ledger_summary_free(s);

    const pdpr_i_ledger_charge huge[] = {{.label = "g", .mu = 1e6, .steps = 4}};
    assert_ok(test_reserve(f->ledger, data_b, huge, 1, run, NULL));
    s = test_summarise(f->ledger);
    assert_true(isinf(s->datasets[1].epsilon)); /* beyond what the accountant bounds */
    pdpr_ledger_summary_free(s);
}

int main(void)
{
    test_fail_jansson(0);
    const struct CMUnitTest tests[] = {
        with_ledger(total_is_the_joint_accountants),
        with_ledger(reserve_beyond_budget_is_refused_with_the_figures),
        with_ledger(reserve_of_exactly_the_budget_is_allowed),
        with_ledger(reserve_gaussian_on_pure_budget_is_refused),
        with_ledger(reserved_run_counts_until_it_is_refunded),
        with_ledger(seeded_run_is_charged_and_flagged),
        with_ledger(set_budget_out_of_range_is_refused),
        with_ledger(total_of_very_many_charges_stays_a_bound),
    };
    return cmocka_run_group_tests_name("ledger_totals", tests, NULL, NULL);
}
