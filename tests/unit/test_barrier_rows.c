/* The clipped step on a few rows: the integers of the plain form for every gradient, support and
 * thread count; and its refusals. */
#include "support/noise_support.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

enum { MOST = 400 * 300 };

typedef struct {
    uint64_t rows, cols;
    uint32_t num_rows;
    uint32_t *slot;
    double *gradient;
    int64_t *out;
    uint64_t given;
} shape;

static void collect(void *user, uint32_t worker, uint32_t step, uint64_t first, uint64_t rows,
                    const int64_t *noisy)
{
    shape *h = user;
    (void)worker;
    memcpy(h->out + (step * h->rows + first) * h->cols, noisy, rows * h->cols * sizeof *noisy);
    __atomic_fetch_add(&h->given, rows, __ATOMIC_RELAXED);
}

static pdpr_i_clip_plan plan_of(double clip_l2, uint32_t steps)
{
    pdpr_i_clip_plan plan;
    assert_ok(pdpr_i_clip_plan_make(clip_l2, steps, 1, &plan, NULL));
    return plan;
}

static pdpr_i_meter *meter_of(pdpr_context *ctx, const pdpr_i_clip_plan *plan)
{
    const pdpr_i_charge charge = noise_gaussian_charge("steps", plan->mu_step, plan->steps);
    return noise_meter(ctx, &charge, 1, 77);
}

/* A shape of random size with random rows touched; some slots stand nowhere. */
static void draw(pdpr_i_stream *s, shape *h)
{
    static const uint64_t widths[] = {1, 3, 32, 100, 128, 300};
    h->cols = widths[pdpr_i_stream_below(s, 6)];
    h->rows = 1 + pdpr_i_stream_below(s, 399);
    h->num_rows = (uint32_t)pdpr_i_stream_below(s, h->rows < 20 ? h->rows + 1 : 20);
    for (uint64_t i = 0; i < h->rows; i++)
        h->slot[i] = UINT32_MAX;
    for (uint32_t i = 0; i < h->num_rows; i++)
        h->slot[pdpr_i_stream_below(s, h->rows)] = i; /* a later one may take the place */
    for (uint64_t i = 0; i < h->num_rows * h->cols; i++) {
        double size = ldexp(1, (int)pdpr_i_stream_below(s, 60) - 40);
        h->gradient[i] = (pdpr_i_stream_unit(s) - 0.5) * size;
        switch (pdpr_i_stream_below(s, 200)) {
        case 0:
            h->gradient[i] = NAN;
            break;
        case 1:
            h->gradient[i] = -INFINITY;
            break;
        case 2:
            h->gradient[i] = 1e300;
            break;
        default:
            break;
        }
    }
}

static shape new_shape(void)
{
    shape h = {.slot = calloc(400, sizeof *h.slot),
               .gradient = calloc(MOST, sizeof *h.gradient),
               .out = calloc(MOST, sizeof *h.out)};
    assert_non_null(h.slot);
    assert_non_null(h.gradient);
    assert_non_null(h.out);
    return h;
}

static void free_shape(shape *h)
{
    free(h->slot);
    free(h->gradient);
    free(h->out);
}

/* The plain step on the vector laid out in full. */
static void plain(pdpr_context *ctx, const shape *h, const pdpr_i_clip_plan *plan, double *full,
                  int64_t *out)
{
    pdpr_i_meter *meter = meter_of(ctx, plan);
    pdpr_i_clip *clip = NULL;
    memset(full, 0, h->rows * h->cols * sizeof *full);
    for (uint64_t i = 0; i < h->rows; i++)
        if (h->slot[i] < h->num_rows)
            memcpy(full + i * h->cols, h->gradient + h->slot[i] * h->cols, h->cols * sizeof *full);
    assert_ok(pdpr_i_clip_new(ctx, meter, "steps", plan, h->rows * h->cols, &clip, NULL));
    for (uint64_t step = 0; step < plan->steps; step++) /* the last one stays */
        assert_ok(pdpr_i_clip_step(clip, full, out, NULL));
    pdpr_i_clip_free(clip);
    pdpr_i_meter_free(meter);
}

/* A clip that is ready for steps. */
static pdpr_status open_clip(pdpr_context *ctx, pdpr_i_meter *meter, const char *label,
                             const pdpr_i_clip_plan *plan, uint64_t rows, uint64_t cols,
                             uint32_t most_rows, pdpr_i_row_clip **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_row_clip *clip = NULL;
    PDPR_TRY(pdpr_i_row_clip_new(ctx, rows, cols, most_rows, &clip, err));
    PDPR_TRY(pdpr_i_row_clip_open(clip, meter, label, plan, err));
    *out = clip;
    clip = NULL;
done:
    pdpr_i_row_clip_free(clip);
    return s;
}

static void by_rows(pdpr_context *ctx, shape *h, const pdpr_i_clip_plan *plan)
{
    pdpr_i_meter *meter = meter_of(ctx, plan);
    pdpr_i_row_clip *clip = NULL;
    const pdpr_i_row_gradient g = {h->num_rows, h->gradient, h->slot};
    assert_ok(open_clip(ctx, meter, "steps", plan, h->rows, h->cols, 20, &clip, NULL));
    for (uint64_t step = 0; step < plan->steps; step++) {
        h->given = 0;
        assert_ok(pdpr_i_row_clip_step(clip, &g, collect, h, NULL));
        assert_int_equal(h->given, h->rows);
    }
    pdpr_i_row_clip_free(clip);
    pdpr_i_meter_free(meter);
}

static void rows_give_the_integers_of_the_plain_step(void **state)
{
    (void)state;
    pdpr_context *one = test_context(1), *two = test_context(2);
    pdpr_i_stream s = noise_stream(90, 0);
    double *full = calloc(MOST, sizeof *full);
    int64_t *out = calloc(MOST, sizeof *out);
    shape h = new_shape();
    assert_non_null(full);
    assert_non_null(out);
    for (int i = 0; i < 150; i++) {
        draw(&s, &h);
        pdpr_i_clip_plan plan =
            plan_of(ldexp(1, (int)pdpr_i_stream_below(&s, 60) - 50), 1 + (uint32_t)i % 3);
        plain(one, &h, &plan, full, out);
        by_rows(i % 2 ? one : two, &h, &plan);
        assert_memory_equal(h.out, out, h.rows * h.cols * sizeof *out);
    }
    free(full);
    free(out);
    free_shape(&h);
    pdpr_context_free(one);
    pdpr_context_free(two);
}

/* Steps without a gradient, together or one by one, by any number of threads. */
static void idle_steps_give_the_integers_of_steps_without_rows(void **state)
{
    (void)state;
    enum { ROWS = 37, COLS = 100, STEPS = PDPR_I_ROW_CLIP_STEPS + 3 };
    pdpr_i_clip_plan plan = plan_of(1, STEPS);
    shape h = {.rows = ROWS, .cols = COLS};
    int64_t *single = calloc(STEPS * ROWS * COLS, sizeof *single);
    int64_t *joined = calloc(STEPS * ROWS * COLS, sizeof *joined);
    const uint32_t nowhere[ROWS] = {0};
    const pdpr_i_row_gradient none = {0, NULL, nowhere};
    assert_non_null(single);
    assert_non_null(joined);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        pdpr_context *ctx = test_context(threads);
        pdpr_i_meter *meter = meter_of(ctx, &plan), *other = meter_of(ctx, &plan);
        pdpr_i_row_clip *a = NULL, *b = NULL;
        assert_ok(open_clip(ctx, meter, "steps", &plan, ROWS, COLS, 0, &a, NULL));
        assert_ok(open_clip(ctx, other, "steps", &plan, ROWS, COLS, 0, &b, NULL));
        for (uint32_t step = 0; step < STEPS; step++) {
            h.out = single + step * ROWS * COLS;
            assert_ok(pdpr_i_row_clip_step(a, &none, collect, &h, NULL));
        }
        h.out = joined;
        h.given = 0;
        assert_ok(pdpr_i_row_clip_idle(b, PDPR_I_ROW_CLIP_STEPS, collect, &h, NULL));
        assert_int_equal(h.given, PDPR_I_ROW_CLIP_STEPS * ROWS);
        h.out = joined + PDPR_I_ROW_CLIP_STEPS * ROWS * COLS;
        assert_ok(pdpr_i_row_clip_idle(b, STEPS - PDPR_I_ROW_CLIP_STEPS, collect, &h, NULL));
        assert_memory_equal(single, joined, STEPS * ROWS * COLS * sizeof *single);
        assert_int_equal(pdpr_i_row_clip_idle(b, 1, collect, &h, NULL), PDPR_EBUDGET);
        pdpr_i_row_clip_free(a);
        pdpr_i_row_clip_free(b);
        pdpr_i_meter_free(meter);
        pdpr_i_meter_free(other);
        pdpr_context_free(ctx);
    }
    free(single);
    free(joined);
}

static void idle_steps_beyond_their_number_or_budget_hand_over_nothing(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_clip_plan plan = plan_of(1, 3);
    pdpr_i_meter *meter = meter_of(ctx, &plan);
    pdpr_i_row_clip *clip = NULL;
    pdpr_error err;
    shape h = new_shape();
    h.rows = 10;
    h.cols = 4;
    assert_ok(pdpr_i_row_clip_new(ctx, 10, 4, 0, &clip, NULL));
    assert_int_equal(pdpr_i_row_clip_idle(clip, 1, collect, &h, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "no charge pays"));
    assert_ok(pdpr_i_row_clip_open(clip, meter, "steps", &plan, NULL));
    h.given = 0;
    static const uint32_t odd[] = {0, PDPR_I_ROW_CLIP_STEPS + 1};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pdpr_i_row_clip_idle(clip, odd[i], collect, &h, &err), PDPR_EUSAGE);
        assert_non_null(strstr(err.text, "1 to 8 steps"));
    }
    assert_ok(pdpr_i_row_clip_idle(clip, 1, collect, &h, NULL)); /* nothing was spent */
    assert_int_equal(h.given, 10);
    assert_int_equal(pdpr_i_row_clip_idle(clip, 3, collect, &h, &err), PDPR_EBUDGET);
    assert_int_equal(pdpr_i_row_clip_idle(clip, 1, collect, &h, &err), PDPR_EBUDGET);
    assert_int_equal(h.given, 10);
    pdpr_i_row_clip_free(clip);
    pdpr_i_meter_free(meter);
    free_shape(&h);
    pdpr_context_free(ctx);
}

/* Entries that a floating-point sum loses beside a 1, and integers do not: the certificate has to
 * shrink, in both forms alike (docs/proofs/barrier.md). */
static void rows_shrink_what_floating_point_let_through(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    shape h = new_shape();
    double *full = calloc(MOST, sizeof *full);
    int64_t *out = calloc(MOST, sizeof *out), *empty = calloc(MOST, sizeof *empty);
    assert_non_null(full);
    assert_non_null(out);
    assert_non_null(empty);
    h.rows = 64;
    h.cols = 128;
    h.num_rows = 64;
    for (uint32_t i = 0; i < 64; i++)
        h.slot[i] = i;
    for (uint64_t i = 0; i < 64 * 128; i++)
        h.gradient[i] = i ? 0x1p-27 : 1;
    pdpr_i_clip_plan plan = {.clip_l2 = 1,
                             .mu = 0x1p12,
                             .steps = 1,
                             .exponent = -41,
                             .radius = INT64_C(1) << 41,
                             .sigma = 0x1.1p30,
                             .mu_step = 0x1p12};
    const pdpr_i_charge charge = noise_gaussian_charge("steps", plan.mu_step, 1);
    pdpr_i_meter *meter = noise_meter(ctx, &charge, 1, 77),
                 *zero = noise_meter(ctx, &charge, 1, 77);
    pdpr_i_row_clip *clip = NULL, *none = NULL;
    assert_ok(open_clip(ctx, meter, "steps", &plan, 64, 128, 64, &clip, NULL));
    assert_ok(open_clip(ctx, zero, "steps", &plan, 64, 128, 64, &none, NULL));
    const pdpr_i_row_gradient g = {64, h.gradient, h.slot}, nothing = {0, NULL, h.slot};
    assert_ok(pdpr_i_row_clip_step(none, &nothing, collect, &h, NULL));
    memcpy(empty, h.out, 64 * 128 * sizeof *empty);
    assert_ok(pdpr_i_row_clip_step(clip, &g, collect, &h, NULL));
    wide sum = 0;
    for (uint64_t i = 0; i < 64 * 128; i++) {
        int64_t q = h.out[i] - empty[i];
        sum += (wide)q * q;
    }
    assert_true(sum <= (wide)1 << 82);
    assert_true(h.out[0] - empty[0] < INT64_C(1) << 41); /* it did shrink */
    assert_true(h.out[0] - empty[0] > INT64_C(1) << 40);
    plain(ctx, &h, &plan, full, out);
    assert_memory_equal(h.out, out, 64 * 128 * sizeof *out);
    pdpr_i_row_clip_free(clip);
    pdpr_i_row_clip_free(none);
    pdpr_i_meter_free(meter);
    pdpr_i_meter_free(zero);
    free(full);
    free(out);
    free(empty);
    free_shape(&h);
    pdpr_context_free(ctx);
}

/* A slot that stands on every row counts for every row. */
static void rows_certify_what_is_released_not_what_was_handed_in(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    shape h = new_shape();
    double *full = calloc(MOST, sizeof *full);
    int64_t *out = calloc(MOST, sizeof *out);
    assert_non_null(full);
    assert_non_null(out);
    h.rows = 100;
    h.cols = 32;
    h.num_rows = 1;
    for (uint64_t i = 0; i < h.cols; i++)
        h.gradient[i] = 1; /* slot is zero everywhere */
    pdpr_i_clip_plan plan = plan_of(1, 1);
    plain(ctx, &h, &plan, full, out);
    by_rows(ctx, &h, &plan);
    assert_memory_equal(h.out, out, h.rows * h.cols * sizeof *out);
    free(full);
    free(out);
    free_shape(&h);
    pdpr_context_free(ctx);
}

static void rows_beyond_bounds_and_steps_are_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_clip_plan plan = plan_of(1, 2);
    pdpr_i_meter *meter = meter_of(ctx, &plan);
    pdpr_i_row_clip *clip = NULL;
    pdpr_error err;
    shape h = new_shape();
    h.cols = 4;
    assert_int_equal(open_clip(ctx, meter, "other", &plan, 10, 4, 5, &clip, &err), PDPR_EUSAGE);
    assert_int_equal(open_clip(ctx, meter, "steps", &plan, UINT64_MAX / 2, 4, 5, &clip, &err),
                     PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "2^40"));
    static const uint64_t sizes[][2] = {{0, 4}, {10, 0}, {10, (1 << 20) + 1}};
    for (int i = 0; i < 3; i++)
        assert_int_equal(pdpr_i_row_clip_new(ctx, sizes[i][0], sizes[i][1], 5, &clip, NULL),
                         PDPR_EUSAGE);
    assert_null(clip);
    assert_ok(pdpr_i_row_clip_new(ctx, 3, 1 << 20, 0, &clip, NULL));
    const pdpr_i_row_gradient early = {0, NULL, h.slot};
    assert_int_equal(pdpr_i_row_clip_step(clip, &early, collect, &h, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "no charge pays"));
    pdpr_i_row_clip_free(clip);
    assert_ok(open_clip(ctx, meter, "steps", &plan, 10, 4, 5, &clip, NULL));
    const pdpr_i_row_gradient many = {6, h.gradient, h.slot}, none = {0, NULL, h.slot};
    assert_int_equal(pdpr_i_row_clip_step(clip, &many, collect, &h, &err), PDPR_EUSAGE);
    assert_ok(pdpr_i_row_clip_step(clip, &none, collect, &h, NULL)); /* nothing was spent */
    assert_int_equal(fesetround(FE_UPWARD), 0);
    pdpr_status odd = pdpr_i_row_clip_step(clip, &none, collect, &h, NULL);
    fesetround(FE_TONEAREST);
    assert_int_equal(odd, PDPR_EFAILED); /* nothing was spent */
    pdpr_context_cancel(ctx);
    h.given = 0;
    assert_int_equal(pdpr_i_row_clip_step(clip, &none, collect, &h, NULL), PDPR_ECANCELLED);
    assert_int_equal(h.given, 0);
    atomic_store(&ctx->cancelled, 0);
    assert_int_equal(pdpr_i_row_clip_step(clip, &none, collect, &h, &err), PDPR_EBUDGET);
    pdpr_i_row_clip_free(clip);

    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        pdpr_i_row_clip *c = NULL;
        status = open_clip(ctx, meter, "steps", &plan, 10, 4, 5, &c, NULL);
        pdpr_i_row_clip_free(c);
    });
    pdpr_i_meter_free(meter);
    free_shape(&h);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_give_the_integers_of_the_plain_step),
        cmocka_unit_test(idle_steps_give_the_integers_of_steps_without_rows),
        cmocka_unit_test(idle_steps_beyond_their_number_or_budget_hand_over_nothing),
        cmocka_unit_test(rows_shrink_what_floating_point_let_through),
        cmocka_unit_test(rows_certify_what_is_released_not_what_was_handed_in),
        cmocka_unit_test(rows_beyond_bounds_and_steps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
