/* The spending meter: what a plan may hold, when it opens, what it refuses. */
#include "support/noise_support.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void plan_out_of_range_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const uint64_t over = (UINT64_C(1) << 32) + 1;
    pdpr_i_charge two_steps = noise_pure_charge("a", 1, 2);
    two_steps.steps = 2;
    const struct {
        pdpr_i_charge charge;
        const char *text;
    } cases[] = {
        {noise_pure_charge(NULL, 1, 2), "plan: a charge has no label"},
        {noise_pure_charge("", 1, 2), "plan: a charge has no label"},
        {noise_pure_charge("a", 0, 2), "found 0/2 and 1"},
        {noise_pure_charge("a", over, 2), "found 4294967297/2 and 1"},
        {noise_pure_charge("a", 1, 0), "found 1/0 and 1"},
        {noise_pure_charge("a", 1, over), "found 1/4294967297 and 1"},
        {two_steps, "found 1/2 and 2"},
        {noise_gaussian_charge("a", 0, 2), "expected mu > 0 and at least one step, found 0 and 2"},
        {noise_gaussian_charge("a", -1, 2), "found -1 and 2"},
        {noise_gaussian_charge("a", NAN, 2), "nan and 2"},
        {noise_gaussian_charge("a", INFINITY, 2), "found inf and 2"},
        {noise_gaussian_charge("a", 1, 0), "found 1 and 0"},
        {{.label = "a"}, "charge a: expected a pure or a Gaussian charge"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pdpr_i_meter *meter = NULL;
        pdpr_error err;
        assert_int_equal(pdpr_i_meter_new(ctx, &cases[i].charge, 1, &meter, &err), PDPR_EUSAGE);
        assert_non_null(strstr(err.text, cases[i].text));
        assert_null(meter);
    }
    const pdpr_i_charge twice[] = {noise_pure_charge("a", 1, 2), noise_gaussian_charge("b", 1, 1),
                                   noise_gaussian_charge("a", 1, 1)};
    pdpr_i_meter *meter = NULL;
    pdpr_error err;
    assert_int_equal(pdpr_i_meter_new(ctx, twice, 3, &meter, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "plan: charge a comes twice");
    pdpr_i_meter_free(NULL);
    pdpr_context_free(ctx);
}

/* A ledger that says no. */
static pdpr_status overdrawn(void *user, const pdpr_i_charge *charges, uint32_t count,
                             pdpr_error *err)
{
    int *calls = user;
    (*calls)++;
    assert_int_equal(count, 1);
    assert_string_equal(charges[0].label, "only");
    return pdpr_i_fail(err, PDPR_EBUDGET, "ledger: overdrawn");
}

static void meter_stays_shut_without_a_reservation(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const pdpr_i_charge charge = noise_gaussian_charge("only", 1, 3);
    pdpr_i_meter *meter = NULL;
    pdpr_i_noise_key *key = NULL;
    pdpr_error err;
    uint32_t number;
    uint64_t address;
    int calls = 0;
    const pdpr_i_charge *found;
    const pdpr_i_key *root;
    pdpr_i_stream stream;
    assert_ok(pdpr_i_meter_new(ctx, &charge, 1, &meter, NULL));
    assert_ok(pdpr_i_noise_key_from_seed(ctx, 1, &key, NULL));

    for (int attempt = 0; attempt < 2; attempt++) {
        assert_int_equal(
            pdpr_i_meter_find(meter, "only", PDPR_I_CHARGE_GAUSSIAN, &number, &found, &err),
            PDPR_EUSAGE);
        assert_string_equal(err.text,
                            "meter: it is shut; the ledger has not reserved the plan of this run");
        assert_int_equal(pdpr_i_meter_spend(meter, 0, &root, &address, &err), PDPR_EUSAGE);
        assert_int_equal(pdpr_i_meter_stream(meter, PDPR_I_PURPOSE_TEST, 0, &stream, &err),
                         PDPR_EUSAGE);
        if (attempt == 0) {
            assert_int_equal(pdpr_i_meter_open(meter, &key, overdrawn, &calls, &err), PDPR_EBUDGET);
            assert_string_equal(err.text, "ledger: overdrawn");
            assert_int_equal(calls, 1);
            assert_non_null(key); /* still the caller's */
        }
    }
    assert_ok(pdpr_i_meter_open(meter, &key, noise_reserve, NULL, &err));
    assert_null(key);
    assert_ok(pdpr_i_noise_key_from_seed(ctx, 2, &key, NULL));
    assert_int_equal(pdpr_i_meter_open(meter, &key, noise_reserve, NULL, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "meter: it is open already");
    pdpr_i_noise_key_free(key);
    pdpr_i_meter_free(meter);
    pdpr_context_free(ctx);
}

static void charge_pays_for_its_steps_and_no_more(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const pdpr_i_charge charges[] = {noise_pure_charge("edges", 1, 10),
                                     noise_gaussian_charge("steps", 0.1, 3)};
    pdpr_i_meter *meter = noise_meter(ctx, charges, 2, 1);
    uint64_t addresses[4];
    uint32_t number = 9;
    const pdpr_i_key *root;
    const pdpr_i_charge *charge = NULL;
    pdpr_error err;

    assert_ok(pdpr_i_meter_spend(meter, 0, &root, &addresses[3], NULL));
    for (uint64_t step = 0; step < 3; step++) {
        assert_ok(
            pdpr_i_meter_find(meter, "steps", PDPR_I_CHARGE_GAUSSIAN, &number, &charge, NULL));
        assert_int_equal(number, 1);
        assert_int_equal(charge->steps, 3);
        assert_ok(pdpr_i_meter_spend(meter, number, &root, &addresses[step], NULL));
        assert_int_equal(addresses[step], UINT64_C(1) << 32 | step);
    }
    assert_int_equal(addresses[3], 0);
    assert_int_equal(pdpr_i_meter_spend(meter, 1, &root, &addresses[0], &err), PDPR_EBUDGET);
    assert_string_equal(err.text, "charge steps: 0 of its 3 releases are left, asked for 1");
    assert_int_equal(pdpr_i_meter_spend(meter, 0, &root, &addresses[0], &err), PDPR_EBUDGET);
    pdpr_i_meter_free(meter);
    pdpr_context_free(ctx);
}

static void charge_of_other_kind_or_name_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const pdpr_i_charge charges[] = {noise_pure_charge("edges", 1, 10),
                                     noise_gaussian_charge("steps", 0.1, 3)};
    pdpr_i_meter *meter = noise_meter(ctx, charges, 2, 1);
    uint32_t number;
    const pdpr_i_charge *charge;
    pdpr_error err;
    assert_int_equal(pdpr_i_meter_find(meter, "steps", PDPR_I_CHARGE_PURE, &number, &charge, &err),
                     PDPR_EUSAGE);
    assert_string_equal(err.text, "charge steps: it pays for Gaussian noise only");
    assert_int_equal(
        pdpr_i_meter_find(meter, "edges", PDPR_I_CHARGE_GAUSSIAN, &number, &charge, &err),
        PDPR_EUSAGE);
    assert_string_equal(err.text, "charge edges: it pays for pure noise only");
    assert_int_equal(pdpr_i_meter_find(meter, "Edges", PDPR_I_CHARGE_PURE, &number, &charge, &err),
                     PDPR_EUSAGE);
    assert_string_equal(err.text, "charge Edges: the plan of this run has none");
    pdpr_i_meter_free(meter);
    pdpr_context_free(ctx);
}

static void skip_passes_steps_over_but_gives_none_back(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const pdpr_i_charge charge = noise_gaussian_charge("steps", 0.1, 5);
    pdpr_i_meter *meter = noise_meter(ctx, &charge, 1, 1);
    const pdpr_i_key *root;
    uint64_t address;
    pdpr_error err;
    assert_ok(pdpr_i_meter_skip(meter, "steps", 3, NULL));
    assert_ok(pdpr_i_meter_spend(meter, 0, &root, &address, NULL));
    assert_int_equal(address, 3); /* the noise of step 3, as without the interruption */
    assert_int_equal(pdpr_i_meter_skip(meter, "steps", 2, &err), PDPR_EBUDGET);
    assert_int_equal(pdpr_i_meter_skip(meter, "stops", 1, &err), PDPR_EUSAGE);
    assert_ok(pdpr_i_meter_skip(meter, "steps", 1, NULL));
    assert_int_equal(pdpr_i_meter_spend(meter, 0, &root, &address, &err), PDPR_EBUDGET);
    pdpr_i_meter_free(meter);
    pdpr_context_free(ctx);
}

static void stream_of_the_barrier_is_refused_to_others(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const pdpr_i_charge charge = noise_gaussian_charge("steps", 0.1, 5);
    pdpr_i_meter *meter = noise_meter(ctx, &charge, 1, 6);
    pdpr_i_stream stream, same = noise_stream(6, 2);
    pdpr_error err;
    for (int purpose = PDPR_I_PURPOSE_GAUSSIAN; purpose <= PDPR_I_PURPOSE_BOX; purpose++) {
        assert_int_equal(pdpr_i_meter_stream(meter, (pdpr_i_purpose)purpose, 0, &stream, &err),
                         PDPR_EUSAGE);
        assert_non_null(strstr(err.text, "it belongs to the barrier"));
    }
    assert_ok(pdpr_i_meter_stream(meter, PDPR_I_PURPOSE_TEST, 2, &stream, NULL));
    assert_int_equal(pdpr_i_stream_u64(&stream), pdpr_i_stream_u64(&same));
    assert_ok(
        pdpr_i_meter_stream(meter, (pdpr_i_purpose)(PDPR_I_PURPOSE_BOX + 1), 2, &stream, NULL));
    pdpr_i_meter_free(meter);
    pdpr_context_free(ctx);
}

/* A child process must not be able to spend or to draw: its key is gone. */
static void meter_is_dead_in_a_forked_child(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const pdpr_i_charge charge = noise_gaussian_charge("steps", 0.1, 5);
    pdpr_i_meter *meter = noise_meter(ctx, &charge, 1, 6), *shut = NULL;
    pdpr_i_noise_key *key = NULL;
    assert_ok(pdpr_i_meter_new(ctx, &charge, 1, &shut, NULL));
    assert_ok(pdpr_i_noise_key_from_seed(ctx, 1, &key, NULL));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const pdpr_i_key *root;
        uint64_t address;
        bool right = pdpr_i_meter_spend(meter, 0, &root, &address, NULL) == PDPR_EFAILED &&
                     pdpr_i_meter_open(shut, &key, noise_reserve, NULL, NULL) == PDPR_EFAILED;
        pdpr_i_noise_key_free(key);
        pdpr_i_meter_free(shut);
        pdpr_i_meter_free(meter);
        pdpr_context_free(ctx);
        _exit(right ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    pdpr_i_noise_key_free(key);
    pdpr_i_meter_free(shut);
    pdpr_i_meter_free(meter);
    pdpr_context_free(ctx);
}

/* The same without a child, by doing to the key's page what the kernel does at fork. */
static void meter_does_not_open_with_a_wiped_key(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const pdpr_i_charge charge = noise_gaussian_charge("steps", 0.1, 5);
    pdpr_i_meter *meter = NULL;
    pdpr_i_noise_key *key = NULL;
    pdpr_error err;
    assert_ok(pdpr_i_meter_new(ctx, &charge, 1, &meter, NULL));
    assert_ok(pdpr_i_noise_key_from_seed(ctx, 1, &key, NULL));
    noise_wipe_as_fork_does(key);
    assert_int_equal(pdpr_i_meter_open(meter, &key, noise_reserve, NULL, &err), PDPR_EFAILED);
    assert_string_equal(err.text, "noise key: it was wiped when this process was forked");
    pdpr_i_noise_key_free(key);
    pdpr_i_meter_free(meter);
    pdpr_context_free(ctx);
}

static void meter_survives_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const pdpr_i_charge charges[] = {noise_pure_charge("edges", 1, 10),
                                     noise_gaussian_charge("steps", 0.1, 3)};
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        pdpr_i_meter *meter = NULL;
        status = pdpr_i_meter_new(ctx, charges, 2, &meter, NULL);
        pdpr_i_meter_free(meter);
    });
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_out_of_range_is_refused),
        cmocka_unit_test(meter_stays_shut_without_a_reservation),
        cmocka_unit_test(charge_pays_for_its_steps_and_no_more),
        cmocka_unit_test(charge_of_other_kind_or_name_is_refused),
        cmocka_unit_test(skip_passes_steps_over_but_gives_none_back),
        cmocka_unit_test(stream_of_the_barrier_is_refused_to_others),
        cmocka_unit_test(meter_is_dead_in_a_forked_child),
        cmocka_unit_test(meter_does_not_open_with_a_wiped_key),
        cmocka_unit_test(meter_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("meter", tests, NULL, NULL);
}
