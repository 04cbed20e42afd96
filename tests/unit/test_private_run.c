/* One private run: what stands in the ledger at each step, what is refused, and which runs share
 * their random streams. */
#include "support/support.h"
#include "support/noise_support.h"
#include "support/own_ledger.h"
#include "dp/barrier.h"
#include "dp/private_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef test_place fixture;

static int set_up(void **state)
{
    fixture *f = test_place_new(2);
    f->g = test_graph_path(f->ctx, 10);
    *state = f;
    return 0;
}

static const char hash[] = "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc";

/* 1/2 + 1/4 of an epsilon of 1; at delta 0 the sum is exact. */
static const pdpr_i_charge charges[] = {
    {.label = "edges", .kind = PDPR_I_CHARGE_PURE, .epsilon = {1, 2}, .steps = 1},
    {.label = "triangles", .kind = PDPR_I_CHARGE_PURE, .epsilon = {1, 4}, .steps = 1},
};

static pdpr_i_promise promise(void)
{
    return (pdpr_i_promise){.epsilon = 1,
                            .delta = 0,
                            .method = "blueprint",
                            .day = "2026-11-15",
                            .parameters = "test/1",
                            .charges = charges,
                            .num_charges = 2};
}

static pdpr_i_private_run *new_run(fixture *f, const pdpr_i_promise *p)
{
    pdpr_i_private_run *run = NULL;
    assert_ok(pdpr_i_private_run_new(f->ctx, f->ledger, f->g, p, &run, NULL));
    return run;
}

static pdpr_ledger_summary *summarise(fixture *f)
{
    pdpr_ledger_summary *summary = NULL;
    assert_ok(pdpr_ledger_summarise(f->ledger, 0, &summary, NULL));
    return summary;
}

/* Expects this many runs, the last in this state. */
static void expect_runs(fixture *f, uint64_t count, pdpr_run_state last)
{
    pdpr_ledger_summary *s = summarise(f);
    assert_int_equal(s->num_runs, count);
    if (count)
        assert_int_equal(s->runs[count - 1].state, last);
    pdpr_ledger_summary_free(s);
}

static uint64_t count_lines(fixture *f)
{
    pdpr_ledger_summary *s = summarise(f);
    uint64_t lines = s->lines;
    pdpr_ledger_summary_free(s);
    return lines;
}

static int64_t release_zero(pdpr_i_meter *meter)
{
    pdpr_i_laplace_request request = {.label = "edges", .l1_sensitivity = 1000000};
    int64_t value = 0, out = 0;
    assert_ok(
        pdpr_i_laplace_rate((pdpr_i_ratio){1, 2}, request.l1_sensitivity, &request.rate, NULL));
    assert_ok(pdpr_i_release_laplace(meter, &request, &value, 1, &out, NULL));
    return out;
}

/* ---------------------------------------------------------------- the order of things */

static void new_run_writes_nothing_to_the_ledger(void **state)
{
    fixture *f = *state;
    size_t before, after;
    char *first = test_file_read(f->ledger_path, &before);
    pdpr_i_promise p = promise();
    pdpr_i_private_run *run = new_run(f, &p);
    pdpr_i_key key;
    assert_ok(pdpr_i_private_run_training_key(run, &key, NULL));
    pdpr_i_private_run_free(run);
    char *second = test_file_read(f->ledger_path, &after);
    assert_int_equal(before, after);
    assert_memory_equal(first, second, before);
    free(first);
    free(second);
}

static void start_records_the_charges_as_drawn_before_any_noise(void **state)
{
    fixture *f = *state;
    pdpr_i_promise p = promise();
    pdpr_i_private_run *run = new_run(f, &p);
    pdpr_i_meter *meter = NULL;
    uint64_t lines = count_lines(f);
    assert_ok(pdpr_i_private_run_start(run, &meter, NULL));
    assert_non_null(meter);

    pdpr_ledger_summary *s = summarise(f);
    assert_int_equal(s->lines, lines + 2); /* RESERVE and DRAWN */
    assert_int_equal(s->num_runs, 1);
    assert_int_equal(s->runs[0].state, PDPR_RUN_DRAWN);
    assert_false(s->runs[0].seeded);
    assert_string_equal(s->runs[0].method, "blueprint");
    assert_string_equal(s->runs[0].day, "2026-11-15");
    assert_close(s->runs[0].epsilon, 0.75, 1e-9);
    char dataset[PDPR_LEDGER_KEY_TEXT];
    assert_ok(pdpr_ledger_dataset_of(f->ledger, f->g, dataset, NULL));
    assert_string_equal(s->runs[0].dataset, dataset);
    pdpr_ledger_summary_free(s);

    release_zero(meter);
    pdpr_i_private_run_free(run);
    expect_runs(f, 1, PDPR_RUN_DRAWN); /* an abandoned run stays spent */
}

static void run_is_committed_then_published(void **state)
{
    fixture *f = *state;
    pdpr_i_promise p = promise();
    pdpr_i_private_run *run = new_run(f, &p);
    pdpr_i_meter *meter = NULL;
    assert_int_equal(pdpr_i_private_run_commit(run, hash, NULL), PDPR_EUSAGE); /* not started */
    assert_int_equal(pdpr_i_private_run_published(run, NULL), PDPR_EUSAGE);
    assert_ok(pdpr_i_private_run_start(run, &meter, NULL));
    assert_int_equal(pdpr_i_private_run_published(run, NULL), PDPR_EUSAGE); /* nothing committed */
    assert_int_equal(pdpr_i_private_run_commit(run, "short", NULL), PDPR_EUSAGE);
    assert_ok(pdpr_i_private_run_commit(run, hash, NULL));
    expect_runs(f, 1, PDPR_RUN_COMMITTED);
    assert_ok(pdpr_i_private_run_published(run, NULL));
    pdpr_ledger_summary *s = summarise(f);
    assert_int_equal(s->runs[0].state, PDPR_RUN_PUBLISHED);
    assert_string_equal(s->runs[0].output, hash);
    pdpr_ledger_summary_free(s);
    assert_int_equal(pdpr_i_private_run_commit(run, hash, NULL), PDPR_EUSAGE);
    pdpr_i_private_run_free(run);
}

static void start_twice_is_refused_and_writes_nothing(void **state)
{
    fixture *f = *state;
    pdpr_i_promise p = promise();
    pdpr_i_private_run *run = new_run(f, &p);
    pdpr_i_meter *meter = NULL, *again = NULL;
    pdpr_error err;
    assert_ok(pdpr_i_private_run_start(run, &meter, NULL));
    uint64_t lines = count_lines(f);
    assert_int_equal(pdpr_i_private_run_start(run, &again, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "private run: it has started");
    assert_null(again);
    assert_int_equal(count_lines(f), lines);
    pdpr_i_private_run_free(run);
}

static void training_key_is_to_be_had_before_start_only(void **state)
{
    fixture *f = *state;
    pdpr_i_promise p = promise();
    pdpr_i_private_run *run = new_run(f, &p);
    pdpr_i_meter *meter = NULL;
    pdpr_i_key key, same;
    assert_ok(pdpr_i_private_run_training_key(run, &key, NULL));
    assert_ok(pdpr_i_private_run_training_key(run, &same, NULL));
    assert_memory_equal(&key, &same, sizeof key);
    assert_ok(pdpr_i_private_run_start(run, &meter, NULL));
    assert_int_equal(pdpr_i_private_run_training_key(run, &same, NULL), PDPR_EUSAGE);
    pdpr_i_private_run_free(run);
}

/* ---------------------------------------------------------------- refusals */

static void expect_refusal(fixture *f, const pdpr_i_promise *p, pdpr_status expected)
{
    pdpr_i_private_run *run = NULL;
    pdpr_error err = {0};
    uint64_t lines = count_lines(f);
    assert_int_equal(pdpr_i_private_run_new(f->ctx, f->ledger, f->g, p, &run, &err), expected);
    assert_true(err.text[0]);
    assert_null(run);
    assert_int_equal(count_lines(f), lines);
}

static void charges_above_the_promise_are_refused(void **state)
{
    fixture *f = *state;
    pdpr_i_promise p = promise();
    p.epsilon = 0.7499999;
    expect_refusal(f, &p, PDPR_EBUDGET);
    p.epsilon = 0.75; /* exactly what they cost */
    pdpr_i_private_run_free(new_run(f, &p));

    const pdpr_i_charge gaussian = {
        .label = "embedding", .kind = PDPR_I_CHARGE_GAUSSIAN, .mu_step = 0.1, .steps = 100};
    double epsilon;
    assert_ok(pdpr_gdp_epsilon(1, 1e-5, &epsilon, NULL));
    p.charges = &gaussian;
    p.num_charges = 1;
    p.delta = 1e-5;
    p.epsilon = epsilon * 0.999;
    expect_refusal(f, &p, PDPR_EBUDGET);
    p.epsilon = epsilon * 1.001;
    pdpr_i_private_run_free(new_run(f, &p));
}

static void promise_out_of_range_is_refused(void **state)
{
    fixture *f = *state;
    const double epsilons[] = {0, -1, NAN, INFINITY}, deltas[] = {0.1, 0.5, 1, -1e-9, NAN};
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        pdpr_i_promise p = promise();
        p.epsilon = epsilons[i];
        expect_refusal(f, &p, PDPR_EUSAGE);
    }
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) { /* N = 10: 0.1 is 1/N */
        pdpr_i_promise p = promise();
        p.delta = deltas[i];
        expect_refusal(f, &p, PDPR_EUSAGE);
    }
    pdpr_i_promise p = promise();
    p.delta = 0.1;
    p.accept_large_delta = true;
    pdpr_i_private_run_free(new_run(f, &p));
}

static void delta_zero_is_for_pure_charges_only(void **state)
{
    fixture *f = *state;
    const pdpr_i_charge gaussian = {
        .label = "embedding", .kind = PDPR_I_CHARGE_GAUSSIAN, .mu_step = 0.01, .steps = 1};
    pdpr_i_promise p = promise();
    p.delta = 0;
    pdpr_i_private_run_free(new_run(f, &p));
    p.charges = &gaussian;
    p.num_charges = 1;
    expect_refusal(f, &p, PDPR_EUSAGE);
}

static void malformed_charge_is_refused(void **state)
{
    fixture *f = *state;
    pdpr_i_charge twice[] = {charges[0], charges[0]};
    pdpr_i_promise p = promise();
    p.charges = twice;
    expect_refusal(f, &p, PDPR_EUSAGE);
}

static void charge_with_an_overlong_label_is_refused_and_draws_nothing(void **state)
{
    fixture *f = *state;
    char label[300];
    memset(label, 'x', sizeof label - 1);
    label[sizeof label - 1] = 0;
    pdpr_i_charge charge = charges[0];
    charge.label = label;
    pdpr_i_promise p = promise();
    p.charges = &charge;
    p.num_charges = 1;
    pdpr_i_private_run *run = NULL;
    pdpr_i_meter *meter = NULL;
    pdpr_status s = pdpr_i_private_run_new(f->ctx, f->ledger, f->g, &p, &run, NULL);
    if (s == PDPR_OK)
        s = pdpr_i_private_run_start(run, &meter, NULL);
    assert_int_equal(s, PDPR_EUSAGE);
    assert_null(meter);
    pdpr_i_private_run_free(run);
    expect_runs(f, 0, PDPR_RUN_RESERVED);
}

static void day_out_of_form_is_refused_and_draws_nothing(void **state)
{
    fixture *f = *state;
    const char *const days[] = {NULL, "", "yesterday"};
    for (int i = 0; i < 3; i++) {
        pdpr_i_promise p = promise();
        p.day = days[i];
        pdpr_i_private_run *run = new_run(f, &p);
        pdpr_i_meter *meter = NULL;
        assert_int_equal(pdpr_i_private_run_start(run, &meter, NULL), PDPR_EUSAGE);
        assert_null(meter);
        pdpr_i_private_run_free(run);
        expect_runs(f, 0, PDPR_RUN_RESERVED);
    }
}

static void delta_below_what_the_samplers_leave_out_is_refused(void **state)
{
    fixture *f = *state;
    pdpr_i_promise p = promise();
    p.delta = 1e-40;
    expect_refusal(f, &p, PDPR_EUSAGE);
    p.delta = 1e-20;
    pdpr_i_private_run_free(new_run(f, &p));
}

static void named_dataset_shares_one_budget_over_versions_of_the_data(void **state)
{
    fixture *f = *state;
    pdpr_i_promise p = promise();
    pdpr_i_meter *meter = NULL;
    p.dataset = "friends";
    for (int version = 0; version < 2; version++) {
        pdpr_i_private_run *run = new_run(f, &p);
        assert_ok(pdpr_i_private_run_start(run, &meter, NULL));
        pdpr_i_private_run_free(run);
        pdpr_graph_free(f->g);
        f->g = test_graph_star(f->ctx, 10);
    }
    pdpr_ledger_summary *s = summarise(f);
    assert_int_equal(s->num_datasets, 1);
    assert_int_equal(s->num_runs, 2);
    pdpr_ledger_summary_free(s);

    p.dataset = "";
    expect_refusal(f, &p, PDPR_EUSAGE);
}

static void gaussian_and_pure_charges_are_priced_together(void **state)
{
    fixture *f = *state;
    const pdpr_i_charge mixed[] = {
        {.label = "edges", .kind = PDPR_I_CHARGE_PURE, .epsilon = {1, 2}, .steps = 1},
        {.label = "embedding", .kind = PDPR_I_CHARGE_GAUSSIAN, .mu_step = 0.01, .steps = 100},
    };
    pdpr_i_promise p = promise();
    p.charges = mixed;
    p.delta = 1e-5;
    p.epsilon = 0.5 + 0.35; /* less than the sum */
    pdpr_i_private_run_free(new_run(f, &p));
    p.epsilon = 0.5;
    expect_refusal(f, &p, PDPR_EBUDGET);
}

static void dataset_budget_exceeded_is_refused_and_draws_nothing(void **state)
{
    fixture *f = *state;
    char dataset[PDPR_LEDGER_KEY_TEXT];
    assert_ok(pdpr_ledger_dataset_of(f->ledger, f->g, dataset, NULL));
    assert_ok(pdpr_ledger_set_budget(f->ledger, dataset, 1, 0, NULL));
    pdpr_i_promise p = promise();
    pdpr_i_private_run *first = new_run(f, &p), *second = new_run(f, &p);
    pdpr_i_meter *meter = NULL;
    assert_ok(pdpr_i_private_run_start(first, &meter, NULL));
    meter = NULL;
    uint64_t lines = count_lines(f);
    assert_int_equal(pdpr_i_private_run_start(second, &meter, NULL), PDPR_EBUDGET);
    assert_null(meter);
    assert_int_equal(count_lines(f), lines);
    expect_runs(f, 1, PDPR_RUN_DRAWN);
    /* the refused run can start when the owner raises the budget */
    assert_ok(pdpr_ledger_set_budget(f->ledger, dataset, 2, 0, NULL));
    assert_ok(pdpr_i_private_run_start(second, &meter, NULL));
    expect_runs(f, 2, PDPR_RUN_DRAWN);
    pdpr_i_private_run_free(first);
    pdpr_i_private_run_free(second);
}

static void ledger_that_is_gone_draws_nothing(void **state)
{
    fixture *f = *state;
    pdpr_i_promise p = promise();
    pdpr_i_private_run *run = new_run(f, &p);
    pdpr_i_meter *meter = NULL;
    assert_int_equal(unlink(f->ledger_path), 0);
    assert_int_equal(pdpr_i_private_run_start(run, &meter, NULL), PDPR_EFAILED);
    assert_null(meter);
    pdpr_i_private_run_free(run);
}

/* ---------------------------------------------------------------- keys and noise */

/* Training key and one noisy value of a run. */
static void draw(fixture *f, const pdpr_i_promise *p, pdpr_i_key *key, int64_t *value)
{
    pdpr_i_private_run *run = new_run(f, p);
    pdpr_i_meter *meter = NULL;
    assert_ok(pdpr_i_private_run_training_key(run, key, NULL));
    assert_ok(pdpr_i_private_run_start(run, &meter, NULL));
    *value = release_zero(meter);
    pdpr_i_private_run_free(run);
}

static void seeded_runs_repeat_and_are_flagged(void **state)
{
    fixture *f = *state;
    pdpr_i_promise p = promise();
    pdpr_i_key key[3];
    int64_t value[3];
    p.seeded = true;
    p.seed = 7;
    draw(f, &p, &key[0], &value[0]);
    draw(f, &p, &key[1], &value[1]);
    p.seed = 8;
    draw(f, &p, &key[2], &value[2]);
    assert_memory_equal(&key[0], &key[1], sizeof *key);
    assert_int_equal(value[0], value[1]);
    assert_memory_not_equal(&key[0], &key[2], sizeof *key);
    assert_int_not_equal(value[0], value[2]);
    pdpr_ledger_summary *s = summarise(f);
    assert_int_equal(s->num_runs, 3);
    assert_true(s->runs[0].seeded); /* and charged all the same */
    assert_int_equal(s->datasets[0].runs, 3);
    pdpr_ledger_summary_free(s);
}

/* Two runs agree by chance with probability 2^-256 (key) and 1e-6 (noise of scale 2,000,000). */
static void unseeded_runs_never_share_their_streams(void **state)
{
    fixture *f = *state;
    pdpr_i_promise p = promise();
    pdpr_i_key key[2];
    int64_t value[2];
    p.seed = 7; /* not read */
    draw(f, &p, &key[0], &value[0]);
    draw(f, &p, &key[1], &value[1]);
    assert_memory_not_equal(&key[0], &key[1], sizeof *key);
    assert_int_not_equal(value[0], value[1]);
}

static void charge_pays_for_one_release(void **state)
{
    fixture *f = *state;
    pdpr_i_promise p = promise();
    pdpr_i_private_run *run = new_run(f, &p);
    pdpr_i_meter *meter = NULL;
    assert_ok(pdpr_i_private_run_start(run, &meter, NULL));
    release_zero(meter);
    pdpr_i_laplace_request request = {.label = "edges", .l1_sensitivity = 1, .rate = {1, 2}};
    int64_t value = 0;
    assert_int_equal(pdpr_i_release_laplace(meter, &request, &value, 1, &value, NULL),
                     PDPR_EBUDGET);
    pdpr_i_private_run_free(run);
}

/* ---------------------------------------------------------------- memory */

/* A run's whole life, each time on a new ledger: an older one would need more memory each time. */
static pdpr_status live(fixture *f, const pdpr_i_promise *p)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_private_run *run = NULL;
    pdpr_i_meter *meter = NULL;
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_options options;
    unlink(f->ledger_path);
    pdpr_ledger_options_default(&options);
    options.create = true;
    PDPR_TRY(pdpr_ledger_open(f->ctx, f->ledger_path, &options, &ledger, NULL));
    PDPR_TRY(pdpr_i_private_run_new(f->ctx, ledger, f->g, p, &run, NULL));
    PDPR_TRY(pdpr_i_private_run_start(run, &meter, NULL));
    PDPR_TRY(pdpr_i_private_run_commit(run, hash, NULL));
    PDPR_TRY(pdpr_i_private_run_published(run, NULL));
done:
    pdpr_i_private_run_free(run);
    pdpr_ledger_close(ledger);
    return s;
}

static void run_survives_every_allocation_failure(void **state)
{
    fixture *f = *state;
    pdpr_i_promise p = promise();
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(f->ctx, status, { status = live(f, &p); });
    static const pdpr_i_charge mixed[] = {
        {.label = "edges", .kind = PDPR_I_CHARGE_PURE, .epsilon = {1, 2}, .steps = 1},
        {.label = "steps", .kind = PDPR_I_CHARGE_GAUSSIAN, .mu_step = 0.01, .steps = 9},
    };
    p.charges = mixed;
    p.delta = 1e-5;
    p.dataset = "friends";
    p.seeded = true;
    FOR_EACH_ALLOCATION_FAILURE(f->ctx, status, { status = live(f, &p); });
}

/* The key's page is wiped in a child: no training key comes from zeros. */
static void training_key_is_gone_in_a_forked_child(void **state)
{
    fixture *f = *state;
    pdpr_i_promise p = promise();
    pdpr_i_private_run *run = new_run(f, &p);
    int status;
    pid_t child = fork();
    if (child == 0) {
        pdpr_i_key key;
        _exit(pdpr_i_private_run_training_key(run, &key, NULL) == PDPR_EFAILED ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    pdpr_i_private_run_free(run);
}

#define with_ledger(test) cmocka_unit_test_setup_teardown(test, set_up, test_place_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_ledger(new_run_writes_nothing_to_the_ledger),
        with_ledger(start_records_the_charges_as_drawn_before_any_noise),
        with_ledger(run_is_committed_then_published),
        with_ledger(start_twice_is_refused_and_writes_nothing),
        with_ledger(training_key_is_to_be_had_before_start_only),
        with_ledger(charges_above_the_promise_are_refused),
        with_ledger(promise_out_of_range_is_refused),
        with_ledger(delta_zero_is_for_pure_charges_only),
        with_ledger(malformed_charge_is_refused),
        with_ledger(charge_with_an_overlong_label_is_refused_and_draws_nothing),
        with_ledger(day_out_of_form_is_refused_and_draws_nothing),
        with_ledger(delta_below_what_the_samplers_leave_out_is_refused),
        with_ledger(named_dataset_shares_one_budget_over_versions_of_the_data),
        with_ledger(gaussian_and_pure_charges_are_priced_together),
        with_ledger(dataset_budget_exceeded_is_refused_and_draws_nothing),
        with_ledger(ledger_that_is_gone_draws_nothing),
        with_ledger(seeded_runs_repeat_and_are_flagged),
        with_ledger(unseeded_runs_never_share_their_streams),
        with_ledger(charge_pays_for_one_release),
        with_ledger(run_survives_every_allocation_failure),
        with_ledger(training_key_is_gone_in_a_forked_child),
    };
    return cmocka_run_group_tests_name("private run", tests, NULL, NULL);
}
