/* The barrier: plans against oracles, clipping, noise on everything, refusals before anything is
 * drawn, nothing private left behind by a failure. Two runs with one seed have the same noise, so
 * their difference shows the clipped integers themselves. */
#include "support/noise_support.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/gaussian_rounded.h"

__extension__ typedef __int128 wide;

/* ---------------------------------------------------------------- the clip's plan */

/* PRIVACY P-5: C = 1, epsilon = 3.2, delta = 1e-5. */
static void plan_matches_the_oracles(void **state)
{
    (void)state;
    pdpr_i_clip_plan p;
    const double mu = 0.761132161324164;
    assert_ok(pdpr_i_clip_plan_make(1, 845, mu, &p, NULL)); /* Cora */
    assert_int_equal(p.exponent, -24);
    assert_int_equal(p.radius, 16777216);
    assert_true(fabs(p.sigma - 1281498708.43) < 0.01);
    assert_ok(pdpr_i_clip_plan_make(1, 128195, mu, &p, NULL)); /* Amazon */
    assert_int_equal(p.exponent, -21);
    assert_int_equal(p.radius, 2097152);
    assert_true(fabs(p.sigma - 1973037659.28) < 0.01);
    assert_int_equal(p.steps, 128195);
    assert_close(p.mu_step, mu / sqrt(128195), 1e-15);
}

/* sigma must not be below 2 K sqrt(T) / mu; the excess is 2^-40. K is at least 2^16. */
static void plan_rounds_sigma_up(void **state)
{
    (void)state;
    pdpr_i_stream s = noise_stream(40, 0);
    for (int i = 0; i < 10000; i++) {
        double clip = ldexp(1 + pdpr_i_stream_unit(&s), (int)pdpr_i_stream_below(&s, 200) - 100);
        double mu = ldexp(1 + pdpr_i_stream_unit(&s), (int)pdpr_i_stream_below(&s, 10) - 6);
        uint32_t steps = 1 + (uint32_t)pdpr_i_stream_below(&s, 100000);
        pdpr_i_clip_plan p;
        assert_ok(pdpr_i_clip_plan_make(clip, steps, mu, &p, NULL));
        long double exact = 2 * (long double)p.radius * sqrtl(steps) / mu;
        assert_true(p.sigma > exact * (1 + 0x1.fp-41L));
        assert_true(p.sigma < exact * (1 + 0x1.1p-40L));
        assert_true(p.sigma < 0x1p42);
        assert_true(p.radius >= 65536);
        assert_true(ldexp((double)p.radius, p.exponent) <= clip);
        assert_true(ldexp((double)p.radius + 1, p.exponent) > clip);
        assert_true(pdpr_i_sigma_suffices(2 * (uint64_t)p.radius, p.sigma, p.mu_step));
    }
}

static void plan_out_of_range_is_refused(void **state)
{
    (void)state;
    pdpr_i_clip_plan p;
    pdpr_error err;
    const struct {
        double clip, mu;
        uint32_t steps;
    } cases[] = {{0, 1, 1},        {-1, 1, 1}, {NAN, 1, 1},      {INFINITY, 1, 1},
                 {0x1p-501, 1, 1}, {1, 0, 1},  {1, -1, 1},       {1, NAN, 1},
                 {1, 5000, 1},     {1, 1, 0},  {1, 1e-300, 100}, {1, 1e-9, 100}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(
            pdpr_i_clip_plan_make(cases[i].clip, cases[i].steps, cases[i].mu, &p, &err),
            PDPR_EUSAGE);
        assert_non_null(strstr(err.text, "clip: expected"));
    }
    assert_ok(pdpr_i_clip_plan_make(0x1p-500, 1, 4096, &p, NULL));
    assert_ok(pdpr_i_clip_plan_make(0x1p500, 1, 4096, &p, NULL));
}

static void sigma_suffices_in_its_range_and_on_the_safe_side_only(void **state)
{
    (void)state;
    const uint64_t million = 1000000;
    const struct {
        uint64_t sensitivity;
        double sigma;
    } wrong[] = {{million, 2e6 * (1 - 0x1p-48)},
                 {million, 1e6},
                 {million, NAN},
                 {million, INFINITY},
                 {million, -2e7},
                 {million, 0x1p42},
                 {0, 2e6},
                 {(UINT64_C(1) << 53) + 1, 0x1p41},
                 {1, 0x1p-21}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(pdpr_i_sigma_suffices(wrong[i].sensitivity, wrong[i].sigma, 0.5));
    assert_true(pdpr_i_sigma_suffices(million, 2e6 * (1 + 0x1p-40), 0.5));
}

/* ---------------------------------------------------------------- clipped steps */

typedef struct {
    pdpr_i_meter *meter;
    pdpr_i_clip *clip;
    pdpr_i_clip_plan plan;
} world;

static world new_world(pdpr_context *ctx, double clip_l2, uint32_t steps, double mu, uint64_t count)
{
    world w;
    assert_ok(pdpr_i_clip_plan_make(clip_l2, steps, mu, &w.plan, NULL));
    const pdpr_i_charge charge = noise_gaussian_charge("steps", w.plan.mu_step, steps);
    w.meter = noise_meter(ctx, &charge, 1, 77);
    w.clip = NULL;
    assert_ok(pdpr_i_clip_new(ctx, w.meter, "steps", &w.plan, count, &w.clip, NULL));
    return w;
}

static void free_world(world *w)
{
    pdpr_i_clip_free(w->clip);
    pdpr_i_meter_free(w->meter);
}

/* What is noised for this gradient: the difference to an empty batch under the same noise. */
static void clipped(pdpr_context *ctx, double clip_l2, const double *gradient, uint64_t count,
                    int64_t *q, pdpr_i_clip_plan *plan)
{
    world a = new_world(ctx, clip_l2, 1, 1, count), b = new_world(ctx, clip_l2, 1, 1, count);
    int64_t *empty = calloc(count + 1, sizeof *empty);
    assert_non_null(empty);
    assert_ok(pdpr_i_clip_step(a.clip, gradient, q, NULL));
    assert_ok(pdpr_i_clip_step(b.clip, NULL, empty, NULL));
    for (uint64_t i = 0; i < count; i++)
        q[i] -= empty[i];
    *plan = a.plan;
    free(empty);
    free_world(&a);
    free_world(&b);
}

static void step_short_gradient_is_truncated_to_the_grid(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const double g[] = {0.25, -0.125, 0.3333333333, -0.3333333333, 1e-12, -1e-12, 0, -0.0};
    int64_t q[8];
    pdpr_i_clip_plan plan;
    clipped(ctx, 1, g, 8, q, &plan);
    for (int i = 0; i < 8; i++)
        assert_int_equal(q[i], (int64_t)trunc(ldexp(g[i], -plan.exponent)));
    assert_int_equal(q[3], -q[2]);
    assert_int_equal(q[4], 0);
    pdpr_context_free(ctx);
}

static void step_long_gradient_is_scaled_to_the_radius(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    enum { COUNT = 20000 };
    static double g[COUNT];
    static int64_t q[COUNT];
    pdpr_i_clip_plan plan;
    for (int i = 0; i < COUNT; i++)
        g[i] = sin(i) * 1000;
    clipped(ctx, 1, g, COUNT, q, &plan);
    double square = 0, dot = 0, norm = 0;
    for (int i = 0; i < COUNT; i++) {
        square += (double)q[i] * (double)q[i];
        norm += g[i] * g[i];
        dot += (double)q[i] * g[i];
    }
    double radius = (double)plan.radius;
    assert_true(sqrt(square) <= radius);
    assert_true(sqrt(square) > 0.999 * radius);        /* nothing is wasted */
    assert_true(dot > 0.999999 * sqrt(square * norm)); /* and the direction is kept */
    pdpr_context_free(ctx);
}

/* Whatever arrives, the certificate holds in integers, and non-finite entries count as 0. */
static void step_hostile_gradient_stays_within_the_radius(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const double cases[][4] = {{NAN, 1, -2, 0},
                               {INFINITY, -INFINITY, NAN, 0.5},
                               {1e300, 1e300, -1e300, 1e300},
                               {DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX},
                               {0x1p200, 0x1p150, 1, -0x1p120},
                               {1e300, 1, 1, 1},
                               {4.9e-324, -4.9e-324, 0, 0},
                               {NAN, NAN, NAN, NAN}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int64_t q[4];
        pdpr_i_clip_plan plan;
        clipped(ctx, 1, cases[c], 4, q, &plan);
        wide square = 0, radius = plan.radius;
        for (int i = 0; i < 4; i++) {
            square += (wide)q[i] * q[i];
            if (!isfinite(cases[c][i]))
                assert_int_equal(q[i], 0);
            else
                assert_true((cases[c][i] >= 0) ? q[i] >= 0 : q[i] <= 0);
        }
        assert_true(square <= radius * radius);
    }
    pdpr_context_free(ctx);
}

/* Floating point lets this one through: the squares of 8191 small entries are lost beside that of
 * the first, one by one, and the norm comes out as 1. On a grid of 2^-41 they do count, and the
 * integer certificate must see it. */
enum { LOST = 8192 };

static void fill_lost(double *g)
{
    g[0] = 1;
    for (int i = 1; i < LOST; i++)
        g[i] = 0x1p-27;
}

static void step_certificate_shrinks_what_floating_point_let_through(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    static double g[LOST];
    static int64_t q[LOST], empty[LOST];
    fill_lost(g);
    world a = new_world(ctx, 1, 1, 4096, LOST), b = new_world(ctx, 1, 1, 4096, LOST);
    assert_int_equal(a.plan.exponent, -41);
    assert_ok(pdpr_i_clip_step(a.clip, g, q, NULL));
    assert_ok(pdpr_i_clip_step(b.clip, NULL, empty, NULL));
    wide square = 0, radius = a.plan.radius;
    for (int i = 0; i < LOST; i++) {
        q[i] -= empty[i];
        square += (wide)q[i] * q[i];
    }
    assert_true(square <= radius * radius);
    assert_int_equal(q[0], a.plan.radius - a.plan.radius / 1024); /* shrunk once */
    assert_int_equal(q[1], (1 << 14) - (1 << 4));
    free_world(&a);
    free_world(&b);
    pdpr_context_free(ctx);
}

/* The same with the other sign: the clip has no side. */
static void step_of_a_negated_gradient_is_the_negated_step(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    static double g[LOST];
    static int64_t plus[LOST], minus[LOST], empty[LOST];
    int64_t *const out[] = {plus, minus, empty};
    for (int w = 0; w < 3; w++) {
        world x = new_world(ctx, 1, 1, 4096, LOST);
        fill_lost(g);
        for (int i = 0; i < LOST; i++)
            g[i] = w ? -g[i] : g[i];
        assert_ok(pdpr_i_clip_step(x.clip, w < 2 ? g : NULL, out[w], NULL));
        free_world(&x);
    }
    for (int i = 0; i < LOST; i++)
        assert_int_equal(plus[i] - empty[i], empty[i] - minus[i]);

    for (int sign = -1; sign <= 1; sign += 2) { /* one coordinate far outside: cut at the radius */
        world x = new_world(ctx, 1, 1, 4096, LOST), y = new_world(ctx, 1, 1, 4096, LOST);
        memset(g, 0, sizeof g);
        g[3] = sign * 5.0;
        assert_ok(pdpr_i_clip_step(x.clip, g, plus, NULL));
        assert_ok(pdpr_i_clip_step(y.clip, NULL, empty, NULL));
        assert_int_equal(plus[3] - empty[3], sign * x.plan.radius);
        free_world(&x);
        free_world(&y);
    }
    pdpr_context_free(ctx);
}

static void step_result_does_not_depend_on_threads(void **state)
{
    (void)state;
    enum { COUNT = 50000 };
    static double g[COUNT];
    static int64_t first[COUNT], other[COUNT];
    static const uint32_t threads[] = {1, 2, 5};
    pdpr_i_stream s = noise_stream(41, 0);
    for (int i = 0; i < COUNT; i++)
        g[i] = pdpr_i_stream_unit(&s) * 1e-2 * pow(10, (double)pdpr_i_stream_below(&s, 4)) - 1e-3;
    for (int t = 0; t < 3; t++) {
        pdpr_context *ctx = test_context(threads[t]);
        world w = new_world(ctx, 1, 3, 1, COUNT);
        for (int step = 0; step < 2; step++)
            assert_ok(pdpr_i_clip_step(w.clip, g, t ? other : first, NULL));
        if (t)
            assert_memory_equal(first, other, sizeof first);
        free_world(&w);
        pdpr_context_free(ctx);
    }
}

/* Every coordinate of the public support moves, with an empty batch, zeros, or one entry set. */
static void step_noise_covers_every_coordinate(void **state)
{
    (void)state;
    enum { ROWS = 300, WIDTH = 64, COUNT = ROWS * WIDTH };
    static double zero[COUNT], one[COUNT];
    static int64_t out[COUNT];
    one[5] = 0.5;
    const double *gradients[] = {NULL, zero, one};
    pdpr_context *ctx = test_context(1);
    world w = new_world(ctx, 1, 3, 1, COUNT);
    for (int g = 0; g < 3; g++) {
        memset(out, 0, sizeof out);
        assert_ok(pdpr_i_clip_step(w.clip, gradients[g], out, NULL));
        int moved = 0;
        double square = 0;
        for (int i = 0; i < COUNT; i++) {
            moved += out[i] != 0;
            square += (double)out[i] * (double)out[i];
        }
        assert_true(moved >= 0.999 * COUNT);                 /* P(Y = 0) is 0.4 / sigma */
        double spread = sqrt(square / COUNT) / w.plan.sigma; /* full size, also when empty */
        assert_true(spread > 0.97 && spread < 1.03);
        for (int row = 0; row < ROWS; row++) {
            bool any = false;
            for (int i = 0; i < WIDTH; i++)
                any |= out[row * WIDTH + i] != 0;
            assert_true(any);
        }
    }
    free_world(&w);
    pdpr_context_free(ctx);
}

static void step_beyond_the_last_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    world w = new_world(ctx, 1, 3, 1, 4);
    const double g[4] = {1, 2, 3, 4};
    int64_t out[4];
    pdpr_error err;
    assert_ok(pdpr_i_clip_step(w.clip, g, out, NULL));
    assert_ok(pdpr_i_clip_step(w.clip, NULL, out, NULL)); /* an empty batch counts */
    assert_ok(pdpr_i_clip_step(w.clip, g, out, NULL));
    assert_int_equal(pdpr_i_clip_step(w.clip, g, out, &err), PDPR_EBUDGET);
    for (int i = 0; i < 4; i++)
        assert_int_equal(out[i], 0);
    free_world(&w);
    pdpr_context_free(ctx);
}

static void step_that_is_cancelled_leaves_zeros_and_counts(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    pdpr_context *ctx = test_context(1);
    double g[COUNT];
    int64_t out[COUNT];
    for (int i = 0; i < COUNT; i++)
        g[i] = 0.01 * i;
    for (int empty = 0; empty < 2; empty++) {
        world w = new_world(ctx, 1, 1, 1, COUNT);
        pdpr_context_cancel(ctx);
        assert_int_equal(pdpr_i_clip_step(w.clip, empty ? NULL : g, out, NULL), PDPR_ECANCELLED);
        atomic_store(&ctx->cancelled, 0);
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(out[i], 0);
        assert_int_equal(pdpr_i_clip_step(w.clip, g, out, NULL), PDPR_EBUDGET);
        free_world(&w);
    }
    pdpr_context_free(ctx);
}

/* Cancelled at the first, second, … block of the loops that a step is made of: norm, grid,
 * shrinking, noise. */
static void step_that_fails_midway_leaves_zeros(void **state)
{
    (void)state;
    enum { COUNT = 2 * LOST };
    static double g[COUNT];
    static int64_t out[COUNT];
    pdpr_context *ctx = test_context(1);
    int failures = 0;
    fill_lost(g);
    for (int nth = 1;; nth++) {
        world w = new_world(ctx, 1, 1, 4096, COUNT);
        atomic_store(&ctx->cancelled, -nth);
        pdpr_status s = pdpr_i_clip_step(w.clip, g, out, NULL);
        atomic_store(&ctx->cancelled, 0);
        free_world(&w);
        if (s == PDPR_OK)
            break;
        assert_int_equal(s, PDPR_ECANCELLED);
        failures++;
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(out[i], 0);
    }
    assert_int_equal(failures, 2 + 2 + 2 + 4);
    pdpr_context_free(ctx);
}

static void clip_that_does_not_fit_its_charge_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_clip_plan plan;
    assert_ok(pdpr_i_clip_plan_make(1, 10, 1, &plan, NULL));
    const pdpr_i_charge charges[] = {
        noise_gaussian_charge("right", plan.mu_step, 10),
        noise_gaussian_charge("long", plan.mu_step, 11),
        noise_gaussian_charge("half", plan.mu_step / 2, 10), /* the missing factor 2 */
        noise_gaussian_charge("close", plan.mu_step * (1 - 0x1p-39), 10),
        noise_gaussian_charge("rich", 1e9, 10),
        noise_pure_charge("pure", 1, 1)};
    pdpr_i_meter *meter = noise_meter(ctx, charges, 6, 1);
    pdpr_i_clip *clip = NULL;
    pdpr_error err;
    static const char *const labels[] = {"long", "half", "close"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pdpr_i_clip_new(ctx, meter, labels[i], &plan, 4, &clip, &err),
                         PDPR_EUSAGE);
        assert_non_null(strstr(err.text, "do not fit"));
    }
    assert_int_equal(pdpr_i_clip_new(ctx, meter, "pure", &plan, 4, &clip, &err), PDPR_EUSAGE);
    assert_int_equal(pdpr_i_clip_new(ctx, meter, "none", &plan, 4, &clip, &err), PDPR_EUSAGE);
    assert_int_equal(
        pdpr_i_clip_new(ctx, meter, "right", &plan, (UINT64_C(1) << 40) + 1, &clip, &err),
        PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "at most 2^40 coordinates"));

    const pdpr_i_clip_plan wrong[] = {
        {.steps = 10, .radius = 0, .sigma = 1e9},
        {.steps = 10, .radius = -5, .sigma = 1e9},
        {.steps = 10, .radius = (INT64_C(1) << 43) + 1, .sigma = 0x1p41},
        {.steps = 10, .radius = 100, .sigma = 0x1p42},
        {.steps = 10, .radius = 100, .sigma = NAN},
        {.steps = 10, .radius = 100, .sigma = 0x1p-21},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(pdpr_i_clip_new(ctx, meter, "rich", &wrong[i], 4, &clip, &err),
                         PDPR_EUSAGE);
    assert_null(clip);
    assert_ok(pdpr_i_clip_new(ctx, meter, "right", &plan, 0, &clip, &err));
    int64_t nothing[1];
    assert_ok(pdpr_i_clip_step(clip, NULL, nothing, NULL)); /* no coordinates: still counted */
    pdpr_i_clip_free(clip);
    pdpr_i_clip_free(NULL);
    pdpr_i_meter_free(meter);
    pdpr_context_free(ctx);
}

static void clip_survives_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_clip_plan plan;
    assert_ok(pdpr_i_clip_plan_make(1, 1, 1, &plan, NULL));
    const pdpr_i_charge charges[] = {noise_gaussian_charge("steps", plan.mu_step, 1),
                                     noise_pure_charge("choice", 1, 1)};
    pdpr_i_meter *meter = noise_meter(ctx, charges, 2, 1);
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        pdpr_i_clip *clip = NULL;
        status = pdpr_i_clip_new(ctx, meter, "steps", &plan, 100, &clip, NULL);
        pdpr_i_clip_free(clip);
    });
    /* a selection that fails for want of memory has spent nothing */
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        const int64_t losses[2] = {0, 1};
        uint32_t chosen;
        status = pdpr_i_release_selection(ctx, meter, "choice", 1, losses, 2, &chosen, NULL);
    });
    pdpr_i_meter_free(meter);
    pdpr_context_free(ctx);
}

static void odd_rounding_mode_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    world w = new_world(ctx, 1, 1, 1, 4);
    int64_t out[4];
    pdpr_error err;
    assert_int_equal(fesetround(FE_UPWARD), 0);
    pdpr_status step = pdpr_i_clip_step(w.clip, NULL, out, &err);
    fesetround(FE_TONEAREST);
    assert_int_equal(step, PDPR_EFAILED);
    assert_non_null(strstr(err.text, "does not round to nearest"));
    assert_ok(pdpr_i_clip_step(w.clip, NULL, out, &err)); /* nothing had been spent */
    free_world(&w);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_matches_the_oracles),
        cmocka_unit_test(plan_rounds_sigma_up),
        cmocka_unit_test(plan_out_of_range_is_refused),
        cmocka_unit_test(sigma_suffices_in_its_range_and_on_the_safe_side_only),
        cmocka_unit_test(step_short_gradient_is_truncated_to_the_grid),
        cmocka_unit_test(step_long_gradient_is_scaled_to_the_radius),
        cmocka_unit_test(step_hostile_gradient_stays_within_the_radius),
        cmocka_unit_test(step_certificate_shrinks_what_floating_point_let_through),
        cmocka_unit_test(step_of_a_negated_gradient_is_the_negated_step),
        cmocka_unit_test(step_result_does_not_depend_on_threads),
        cmocka_unit_test(step_noise_covers_every_coordinate),
        cmocka_unit_test(step_beyond_the_last_is_refused),
        cmocka_unit_test(step_that_is_cancelled_leaves_zeros_and_counts),
        cmocka_unit_test(step_that_fails_midway_leaves_zeros),
        cmocka_unit_test(clip_that_does_not_fit_its_charge_is_refused),
        cmocka_unit_test(clip_survives_every_allocation_failure),
        cmocka_unit_test(odd_rounding_mode_is_refused),
    };
    return cmocka_run_group_tests_name("barrier: clipped steps", tests, NULL, NULL);
}
