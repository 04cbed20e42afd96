/* Releases of aggregate queries through the barrier: what is added, what is refused and when. */
#include "support/noise_support.h"

#include <math.h>
#include <string.h>

#include "dp/box_noise.h"
#include "dp/laplace_discrete.h"
#include "dp/permute_and_flip.h"

static const pdpr_i_charge plan[] = {
    {"edges", PDPR_I_CHARGE_PURE, {1, 2}, 0, 1},
    {"triangles", PDPR_I_CHARGE_PURE, {3, 10}, 0, 1},
    {"theta", PDPR_I_CHARGE_PURE, {1, 1}, 0, 1},
    {"hubs", PDPR_I_CHARGE_GAUSSIAN, {0, 0}, 0.5, 2},
    {"finest", PDPR_I_CHARGE_PURE, {1, UINT64_C(1) << 32}, 0, 1},
};
enum { CHARGES = sizeof plan / sizeof *plan };

/* The stream that the release of charge `number`, step 0, must have used. */
static pdpr_i_stream stream_of(uint64_t seed, pdpr_i_purpose purpose, uint64_t number)
{
    pdpr_i_key key;
    pdpr_i_stream s;
    pdpr_i_key_from_seed(seed, &key);
    pdpr_i_stream_init(&s, &key, purpose, number << 32);
    return s;
}

static void laplace_release_adds_the_noise_of_its_address(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_meter *meter = noise_meter(ctx, plan, CHARGES, 5);
    pdpr_i_laplace_request request = {.label = "triangles", .l1_sensitivity = 7};
    assert_ok(pdpr_i_laplace_rate(plan[1].epsilon, 7, &request.rate, NULL));
    assert_int_equal(request.rate.num, 3);
    assert_int_equal(request.rate.den, 70);
    const int64_t values[] = {0, 100, -5, INT64_MAX, INT64_MIN};
    const int64_t clamped[] = {0, 100, -5, INT64_C(1) << 61, -(INT64_C(1) << 61)};
    int64_t out[5];
    assert_ok(pdpr_i_release_laplace(meter, &request, values, 5, out, NULL));

    pdpr_i_laplace laplace;
    pdpr_i_stream s = stream_of(5, PDPR_I_PURPOSE_LAPLACE, 1);
    assert_ok(pdpr_i_laplace_init(&laplace, request.rate, NULL));
    for (int i = 0; i < 5; i++)
        assert_int_equal(out[i], clamped[i] + pdpr_i_laplace_draw(&laplace, &s));
    assert_int_equal(pdpr_i_release_laplace(meter, &request, values, 5, out, NULL), PDPR_EBUDGET);
    pdpr_i_meter_free(meter);
    pdpr_context_free(ctx);
}

/* Noise that costs more than the charge, by however little, is refused and nothing is spent. */
static void laplace_release_that_costs_too_much_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_meter *meter = noise_meter(ctx, plan, CHARGES, 5);
    const uint64_t big = UINT64_C(1) << 32;
    const pdpr_i_laplace_request wrong[] = {
        {"edges", 10, {1, 19}},               /* 10/19 > 1/2 */
        {"edges", 11, {1, 20}},               /* sensitivity understated by one */
        {"edges", 1, {big / 2 + 1, big}},     /* by 2^-32 */
        {"edges", 0, {1, 20}},                /* no sensitivity */
        {"edges", (big << 30) + 1, {1, 20}},  /* out of range */
        {"edges", 1, {big + 1, UINT64_MAX}},  /* out of range */
        {"edges", 1, {0, 1}},                 /* no noise law */
        {"edges", 1, {1, 0}},                 /* infinite rate */
        {"edges", 1, {1, UINT64_C(1) << 60}}, /* noise beyond 2^61 */
        {"hubs", 10, {1, 20}},                /* a Gaussian charge */
        {"none", 10, {1, 20}},                /* not in the plan */
    };
    int64_t value = 123456789, out = 42;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        pdpr_error err;
        assert_int_equal(pdpr_i_release_laplace(meter, &wrong[i], &value, 1, &out, &err),
                         PDPR_EUSAGE);
        assert_null(strstr(err.text, "123456789"));
        assert_int_equal(out, 42);
    }
    const pdpr_i_laplace_request right = {"edges", 10, {1, 20}}; /* exactly epsilon */
    assert_ok(pdpr_i_release_laplace(meter, &right, &value, 1, &out, NULL));
    pdpr_i_meter_free(meter);
    pdpr_context_free(ctx);
}

static void laplace_rate_out_of_range_is_refused(void **state)
{
    (void)state;
    pdpr_i_ratio rate;
    const uint64_t big = UINT64_C(1) << 32;
    const struct {
        pdpr_i_ratio epsilon;
        uint64_t sensitivity;
    } wrong[] = {{{1, 2}, 0},       {{1, 2}, big / 2 + 1}, {{0, 2}, 1},
                 {{big + 1, 2}, 1}, {{1, 0}, 1},           {{1, big + 1}, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(pdpr_i_laplace_rate(wrong[i].epsilon, wrong[i].sensitivity, &rate, NULL),
                         PDPR_EUSAGE);
    assert_ok(pdpr_i_laplace_rate((pdpr_i_ratio){big, big}, big / 2, &rate, NULL));
    assert_int_equal(rate.den, big * (big / 2));
}

/* ---------------------------------------------------------------- certified intervals */

/* BLUEPRINT_REVIEW 5.3: D = 12, gamma = eta = 1/2 costs 12.5, that is 25 steps; rounding is free.
 */
static void interval_sensitivity_includes_gap_and_rounding(void **state)
{
    (void)state;
    uint64_t steps = 0;
    int64_t value;
    pdpr_i_interval_request r = {.label = "q", .sensitivity = 12, .gap = 0, .units_per_step = 1};
    assert_ok(pdpr_i_interval_value(&r, 0, 0, &value, &steps, NULL));
    assert_int_equal(steps, 12);
    r = (pdpr_i_interval_request){
        .label = "q", .sensitivity = 12 << 16, .gap = 1 << 15, .units_per_step = 1 << 15};
    assert_ok(pdpr_i_interval_value(&r, 0, 0, &value, &steps, NULL));
    assert_int_equal(steps, 25);
    r.gap++;
    assert_ok(pdpr_i_interval_value(&r, 0, 0, &value, &steps, NULL));
    assert_int_equal(steps, 26);
    const uint64_t limit = UINT64_C(1) << 62;
    for (int i = 0; i < 4; i++) {
        r = (pdpr_i_interval_request){
            .label = "q", .sensitivity = 1, .gap = 1, .units_per_step = 1};
        if (i == 0)
            r.sensitivity = limit + 1;
        if (i == 1)
            r.gap = limit + 1;
        if (i == 2)
            r.units_per_step = limit + 1;
        if (i == 3)
            r.units_per_step = 0;
        assert_int_equal(pdpr_i_interval_value(&r, 0, 0, &value, &steps, NULL), PDPR_EUSAGE);
    }
}

/* Any two certified intervals around values that differ by at most D have bases that differ by at
 * most the interval sensitivity; some reach it. */
static void interval_bases_of_neighbours_stay_within_the_sensitivity(void **state)
{
    (void)state;
    enum { D = 40, GAP = 9, UNITS = 8 };
    const pdpr_i_interval_request r = {
        .label = "edges", .sensitivity = D, .gap = GAP, .units_per_step = UNITS};
    uint64_t allowed = 0;
    int64_t worst = 0;
    pdpr_i_stream s = noise_stream(50, 0);
    for (int i = 0; i < 300; i++) {
        int64_t base[2];
        int64_t f = (int64_t)pdpr_i_stream_below(&s, 400) - 200;
        for (int side = 0; side < 2; side++) {
            int64_t exact = side ? f + (int64_t)pdpr_i_stream_below(&s, 2 * D + 1) - D : f;
            int64_t low = exact - (int64_t)pdpr_i_stream_below(&s, GAP + 1);
            assert_ok(pdpr_i_interval_value(&r, low, low + GAP, &base[side], &allowed, NULL));
        }
        int64_t apart = base[0] < base[1] ? base[1] - base[0] : base[0] - base[1];
        worst = apart > worst ? apart : worst;
    }
    assert_int_equal(allowed, 7); /* (40 + 9) / 8, rounded up */
    assert_true((uint64_t)worst <= allowed);
    assert_true((uint64_t)worst >= allowed - 1);
}

static void interval_is_rounded_down_to_the_grid(void **state)
{
    (void)state;
    const pdpr_i_interval_request r = {
        .label = "edges", .sensitivity = 8, .gap = 0, .units_per_step = 8};
    const int64_t lows[] = {0, 7, 8, -1, -8, -9, INT64_MIN};
    const int64_t floors[] = {0, 0, 1, -1, -1, -2, INT64_MIN / 8};
    for (size_t i = 0; i < sizeof lows / sizeof *lows; i++) {
        int64_t value;
        uint64_t steps;
        assert_ok(pdpr_i_interval_value(&r, lows[i], lows[i], &value, &steps, NULL));
        assert_int_equal(value, floors[i]);
    }
}

static void interval_wider_than_declared_is_refused(void **state)
{
    (void)state;
    const pdpr_i_interval_request r = {
        .label = "edges", .sensitivity = 4, .gap = 2, .units_per_step = 1};
    const struct {
        int64_t low, high;
    } wrong[] = {{777777, 777780}, {777777, 777776}, {INT64_MIN, INT64_MAX}};
    int64_t value = 42;
    uint64_t steps = 43;
    pdpr_error err;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(
            pdpr_i_interval_value(&r, wrong[i].low, wrong[i].high, &value, &steps, &err),
            PDPR_EFAILED);
        assert_string_equal(err.text, "query edges: the certificate is refused, its interval is "
                                      "wider than the declared gap; nothing was drawn for it");
        assert_int_equal(value, 42);
        assert_int_equal(steps, 43);
    }
    assert_ok(pdpr_i_interval_value(&r, 1, 3, &value, &steps, &err));
}

/* ---------------------------------------------------------------- several at once */

static void box_release_adds_the_noise_of_its_address(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_meter *meter = noise_meter(ctx, plan, CHARGES, 5);
    const uint64_t sensitivity[] = {7, 1, 20, 3, 3};
    const pdpr_i_box_request request = {"triangles", {3, 10}, 5, sensitivity};
    const int64_t values[] = {0, 100, -5, INT64_MAX, INT64_MIN};
    const int64_t clamped[] = {0, 100, -5, INT64_C(1) << 61, -(INT64_C(1) << 61)};
    int64_t out[5], noise[5];
    assert_ok(pdpr_i_release_box(meter, &request, values, out, NULL));

    pdpr_i_box box;
    pdpr_i_stream s = stream_of(5, PDPR_I_PURPOSE_BOX, 1);
    assert_ok(pdpr_i_box_init(&box, request.epsilon, sensitivity, 5, NULL));
    pdpr_i_box_draw(&box, &s, noise);
    for (int i = 0; i < 5; i++)
        assert_int_equal(out[i], clamped[i] + noise[i]);
    assert_int_equal(pdpr_i_release_box(meter, &request, values, out, NULL), PDPR_EBUDGET);
    pdpr_i_meter_free(meter);
    pdpr_context_free(ctx);
}

/* Noise for more than the charge has, by however little, is refused and nothing is spent. */
static void box_release_that_costs_too_much_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_meter *meter = noise_meter(ctx, plan, CHARGES, 5);
    const uint64_t big = UINT64_C(1) << 32, one[2] = {1, 1}, none[2] = {1, 0};
    const pdpr_i_box_request wrong[] = {
        {"edges", {1, 1}, 2, one},             /* twice its epsilon */
        {"edges", {big / 2 + 1, big}, 2, one}, /* by 2^-32 */
        {"edges", {1, 2}, 2, none},            /* no sensitivity */
        {"edges", {1, 2}, 0, one},             /* nothing to release */
        {"edges", {0, 1}, 2, one},             /* no noise law */
        {"finest", {1, big}, 2, one},          /* beyond what can be drawn */
        {"hubs", {1, 2}, 2, one},              /* a Gaussian charge */
        {"none", {1, 2}, 2, one},              /* not in the plan */
    };
    int64_t values[2] = {123456789, 123456789}, out[2] = {42, 42};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        pdpr_error err;
        assert_int_equal(pdpr_i_release_box(meter, &wrong[i], values, out, &err), PDPR_EUSAGE);
        assert_null(strstr(err.text, "123456789"));
        assert_int_equal(out[0], 42);
        assert_int_equal(out[1], 42);
    }
    const pdpr_i_box_request right = {"edges", {1, 2}, 2, one}; /* exactly epsilon */
    assert_ok(pdpr_i_release_box(meter, &right, values, out, NULL));
    pdpr_i_meter_free(meter);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- selection */

static void selection_release_uses_half_epsilon_over_the_sensitivity(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const int64_t losses[] = {4, 0, 9, 2};
    pdpr_i_flip_coins coins;
    uint32_t order[4];
    assert_ok(pdpr_i_flip_coins_init(&coins, (pdpr_i_ratio){1, 6}, NULL)); /* 1 / (2 * 3) */
    for (uint64_t seed = 0; seed < 50; seed++) {
        pdpr_i_meter *meter = noise_meter(ctx, plan, CHARGES, seed);
        pdpr_i_stream s = stream_of(seed, PDPR_I_PURPOSE_SELECTION, 2);
        uint32_t chosen = 99;
        assert_ok(pdpr_i_release_selection(ctx, meter, "theta", 3, losses, 4, &chosen, NULL));
        assert_int_equal(chosen, pdpr_i_permute_and_flip(&coins, losses, 4, order, &s));
        assert_int_equal(pdpr_i_release_selection(ctx, meter, "theta", 3, losses, 4, &chosen, NULL),
                         PDPR_EBUDGET);
        pdpr_i_meter_free(meter);
    }
    pdpr_context_free(ctx);
}

static void selection_release_out_of_range_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_meter *meter = noise_meter(ctx, plan, CHARGES, 1);
    const int64_t losses[] = {4, 0};
    const struct {
        const char *label;
        uint64_t sensitivity;
        uint32_t count;
    } wrong[] = {{"theta", 0, 2},
                 {"theta", (UINT64_C(1) << 30) + 1, 2},
                 {"theta", (UINT64_C(1) << 63) + 1, 2}, /* doubling it wraps around */
                 {"theta", 1, 0},
                 {"finest", 1 << 30, 2}, /* rate 2^-63 */
                 {"hubs", 1, 2},
                 {"none", 1, 2}};
    uint32_t chosen = 99;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(pdpr_i_release_selection(ctx, meter, wrong[i].label, wrong[i].sensitivity,
                                                  losses, wrong[i].count, &chosen, NULL),
                         PDPR_EUSAGE);
    assert_int_equal(chosen, 99);
    assert_ok(pdpr_i_release_selection(ctx, meter, "theta", 1 << 30, losses, 2, &chosen, NULL));
    assert_ok(pdpr_i_release_selection(ctx, meter, "finest", 1, losses, 2, &chosen, NULL));
    pdpr_i_meter_free(meter);
    pdpr_context_free(ctx);
}

static void nothing_is_released_through_a_shut_meter(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_meter *meter = NULL;
    pdpr_i_clip *clip = NULL;
    pdpr_i_clip_plan clip_plan;
    assert_ok(pdpr_i_meter_new(ctx, plan, CHARGES, &meter, NULL));
    assert_ok(pdpr_i_clip_plan_make(1, 2, 0.5 * sqrt(2), &clip_plan, NULL));
    const pdpr_i_laplace_request laplace = {"edges", 10, {1, 20}};
    const uint64_t one = 1;
    const pdpr_i_box_request box = {"edges", {1, 100}, 1, &one};
    int64_t value = 5, out = 42;
    uint32_t chosen = 99;
    assert_int_equal(pdpr_i_release_laplace(meter, &laplace, &value, 1, &out, NULL), PDPR_EUSAGE);
    assert_int_equal(pdpr_i_release_box(meter, &box, &value, &out, NULL), PDPR_EUSAGE);
    assert_int_equal(pdpr_i_release_selection(ctx, meter, "theta", 1, &value, 1, &chosen, NULL),
                     PDPR_EUSAGE);
    assert_int_equal(pdpr_i_clip_new(ctx, meter, "hubs", &clip_plan, 1, &clip, NULL), PDPR_EUSAGE);
    assert_int_equal(out, 42);
    assert_int_equal(chosen, 99);
    pdpr_i_meter_free(meter);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laplace_release_adds_the_noise_of_its_address),
        cmocka_unit_test(laplace_release_that_costs_too_much_is_refused),
        cmocka_unit_test(laplace_rate_out_of_range_is_refused),
        cmocka_unit_test(interval_sensitivity_includes_gap_and_rounding),
        cmocka_unit_test(interval_bases_of_neighbours_stay_within_the_sensitivity),
        cmocka_unit_test(interval_is_rounded_down_to_the_grid),
        cmocka_unit_test(interval_wider_than_declared_is_refused),
        cmocka_unit_test(box_release_adds_the_noise_of_its_address),
        cmocka_unit_test(box_release_that_costs_too_much_is_refused),
        cmocka_unit_test(selection_release_uses_half_epsilon_over_the_sensitivity),
        cmocka_unit_test(selection_release_out_of_range_is_refused),
        cmocka_unit_test(nothing_is_released_through_a_shut_meter),
    };
    return cmocka_run_group_tests_name("barrier: releases", tests, NULL, NULL);
}
