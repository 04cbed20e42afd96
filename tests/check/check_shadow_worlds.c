/* Shadow worlds (PRIVACY 10.2, 10.3): the barrier seen from outside, as an attacker would.
 *
 * Sensitivity, without statistics: two worlds with one seed have the same noise, so the difference
 * of their outputs is q - q' exactly. Over 10^4 pairs of arbitrary gradients it must never exceed
 * 2K in norm. Privacy, with statistics: the likelihood ratio of a worst-case pair over many runs
 * must not show more than mu, and must show nearly that much (noise neither too small nor too
 * large). Reuse of noise across steps, which the likelihood does not see, is looked for apart. */
#include "support/noise_support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

enum { MOST = 64 };

typedef struct {
    pdpr_i_meter *meter;
    pdpr_i_clip *clip;
    pdpr_i_clip_plan plan;
} world;

static world new_world(pdpr_context *ctx, uint64_t seed, double clip_l2, uint32_t steps, double mu,
                       uint64_t count)
{
    world w = {.clip = NULL};
    assert_ok(pdpr_i_clip_plan_make(clip_l2, steps, mu, &w.plan, NULL));
    const pdpr_i_charge charge = noise_gaussian_charge("steps", w.plan.mu_step, steps);
    w.meter = noise_meter(ctx, &charge, 1, seed);
    assert_ok(pdpr_i_clip_new(ctx, w.meter, "steps", &w.plan, count, &w.clip, NULL));
    return w;
}

static void free_world(world *w)
{
    pdpr_i_clip_free(w->clip);
    pdpr_i_meter_free(w->meter);
}

/* A gradient of one of many shapes; NULL is an empty batch. */
static const double *shape(pdpr_i_stream *s, uint64_t kind, double clip_l2, const double *other,
                           double *g, int count)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e300,   -1e300,
                                 0,   -0.0,     DBL_MAX,   DBL_MIN, 4.9e-324};
    for (int i = 0; i < count; i++) {
        double u = 2 * pdpr_i_stream_unit(s) - 1;
        switch (kind) {
        case 0: /* within the ball, roughly */
            g[i] = u * clip_l2 / 8;
            break;
        case 1: /* far outside */
            g[i] = u * clip_l2 * 1e6;
            break;
        case 2: /* one coordinate, exactly on the sphere */
            g[i] = i == 3 % count ? clip_l2 : 0;
            break;
        case 3: /* the other world's, sign-flipped */
            g[i] = other ? -other[i] : -u;
            break;
        case 4: /* poison */
            g[i] = odd[pdpr_i_stream_below(s, sizeof odd / sizeof *odd)];
            break;
        case 5: /* all scales at once */
            g[i] = ldexp(u, (int)pdpr_i_stream_below(s, 2000) - 1000);
            break;
        case 6: /* all equal, a little above the radius */
            g[i] = clip_l2 / sqrt(count) * (1 + 1e-15 * u);
            break;
        case 7: /* the sphere's edge after cancellation-prone sums */
            g[i] = i == 0 ? clip_l2 : 0x1p-27 * clip_l2;
            break;
        default:
            return NULL;
        }
    }
    return g;
}

static wide square_of_difference(const int64_t *a, const int64_t *b, int count)
{
    wide sum = 0;
    for (int i = 0; i < count; i++)
        sum += (wide)(a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

static void any_two_gradients_end_within_twice_the_radius(void **state)
{
    (void)state;
    enum { PAIRS = 12000 };
    pdpr_context *ctx = test_context(1);
    pdpr_i_stream s = noise_stream(80, 0);
    double widest = 0;
    for (uint64_t pair = 0; pair < PAIRS; pair++) {
        int count = 1 + (int)pdpr_i_stream_below(&s, MOST);
        double clip_l2 = ldexp(1 + pdpr_i_stream_unit(&s), (int)pdpr_i_stream_below(&s, 80) - 40);
        double mu = ldexp(1, (int)pdpr_i_stream_below(&s, 16) - 4);
        double g[MOST], h[MOST];
        int64_t a[MOST], b[MOST], e[MOST];
        const double *first = shape(&s, pdpr_i_stream_below(&s, 9), clip_l2, NULL, g, count);
        const double *second = shape(&s, pdpr_i_stream_below(&s, 9), clip_l2, first, h, count);
        const double *gradients[] = {first, second, NULL};
        int64_t *outs[] = {a, b, e};
        pdpr_i_clip_plan plan = {0};
        for (int side = 0; side < 3; side++) {
            world w = new_world(ctx, pair, clip_l2, 1, mu, (uint64_t)count);
            assert_ok(pdpr_i_clip_step(w.clip, gradients[side], outs[side], NULL));
            plan = w.plan;
            free_world(&w);
        }
        wide radius = plan.radius, apart = square_of_difference(a, b, count);
        assert_true(apart <= 4 * radius * radius);
        assert_true(square_of_difference(a, e, count) <= radius * radius);
        assert_true(square_of_difference(b, e, count) <= radius * radius);
        widest = fmax(widest, sqrt((double)apart) / (double)radius);
    }
    assert_true(widest > 1.9999); /* the factor 2 is really needed */
    pdpr_context_free(ctx);
}

/* Over a whole run: sum of ||q - q'||^2 / sigma^2 is at most mu^2, for a pair that is worst in
 * every step. */
static void whole_run_spends_at_most_its_mu(void **state)
{
    (void)state;
    enum { STEPS = 50, COUNT = 8 };
    const double mu = 0.761132161324164;
    pdpr_context *ctx = test_context(1);
    world a = new_world(ctx, 5, 1, STEPS, mu, COUNT), b = new_world(ctx, 5, 1, STEPS, mu, COUNT);
    const double up[COUNT] = {0, 2}, down[COUNT] = {0, -2};
    long double spent = 0;
    for (int t = 0; t < STEPS; t++) {
        int64_t x[COUNT], y[COUNT];
        assert_ok(pdpr_i_clip_step(a.clip, up, x, NULL));
        assert_ok(pdpr_i_clip_step(b.clip, down, y, NULL));
        long double sigma = a.plan.sigma;
        spent += (long double)square_of_difference(x, y, COUNT) / (sigma * sigma);
    }
    assert_true(sqrtl(spent) <= mu);
    assert_true(sqrtl(spent) > mu * (1 - 1e-9)); /* and none of the budget is wasted */
    free_world(&a);
    free_world(&b);
    pdpr_context_free(ctx);
}

/* PRIVACY 10.3: Lambda / sqrt(m) is N(+-mu/2, 1) in the two worlds. */
static void audit_finds_no_more_than_mu(void **state)
{
    (void)state;
    enum { RUNS = 4000, STEPS = 4, COUNT = 3 };
    const double mu = 0.761132161324164;
    pdpr_context *ctx = test_context(1);
    double mean[2] = {0};
    for (int side = 0; side < 2; side++) {
        const double g[COUNT] = {side ? 5 : -5};
        for (uint64_t run = 0; run < RUNS; run++) {
            world w = new_world(ctx, 2 * run + (uint64_t)side, 1, STEPS, mu, COUNT);
            double sum = 0;
            for (int t = 0; t < STEPS; t++) {
                int64_t out[COUNT];
                assert_ok(pdpr_i_clip_step(w.clip, g, out, NULL));
                sum += (double)out[0] / w.plan.sigma;
            }
            mean[side] += sum / sqrt(STEPS) / RUNS;
            free_world(&w);
        }
    }
    double found = mean[1] - mean[0], error = sqrt(2.0 / RUNS);
    assert_true(found - 1.645 * error < mu);      /* PRIVACY's one-sided test */
    assert_true(fabs(found - mu) < 4.89 * error); /* 1e-6 */
    pdpr_context_free(ctx);
}

/* The likelihood does not see one draw used in every step; correlation does. */
static void steps_and_runs_have_fresh_noise(void **state)
{
    (void)state;
    enum { COUNT = 20000, STEPS = 4 };
    static int64_t out[STEPS + 1][COUNT];
    pdpr_context *ctx = test_context(2);
    world w = new_world(ctx, 9, 1, STEPS, 1, COUNT), other = new_world(ctx, 10, 1, STEPS, 1, COUNT);
    for (int t = 0; t < STEPS; t++)
        assert_ok(pdpr_i_clip_step(w.clip, NULL, out[t], NULL));
    assert_ok(pdpr_i_clip_step(other.clip, NULL, out[STEPS], NULL));
    for (int i = 0; i <= STEPS; i++)
        for (int j = 0; j < i; j++)
            assert_true(fabs(correlation(out[i], out[j], COUNT)) < 5 / sqrt(COUNT));
    free_world(&w);
    free_world(&other);
    pdpr_context_free(ctx);
}

/* Discrete Laplace, falsification: many draws for two neighbouring values; the log-ratio of
 * frequent outputs stays within epsilon (5 standard errors), and reaches it. */
static void laplace_release_keeps_its_epsilon(void **state)
{
    (void)state;
    enum { DRAWS = 200000, HALF = 6 };
    static int64_t values[DRAWS], out[DRAWS];
    pdpr_context *ctx = test_context(1);
    const pdpr_i_charge charge = noise_pure_charge("count", 1, 2);
    pdpr_i_laplace_request request = {.label = "count", .l1_sensitivity = 2};
    double seen[2][2 * HALF + 3] = {{0}}, reached = 0;
    assert_ok(pdpr_i_laplace_rate(charge.epsilon, 2, &request.rate, NULL));
    for (uint64_t side = 0; side < 2; side++) {
        pdpr_i_meter *meter = noise_meter(ctx, &charge, 1, side);
        for (int i = 0; i < DRAWS; i++)
            values[i] = side ? 2 : 0;
        assert_ok(pdpr_i_release_laplace(meter, &request, values, DRAWS, out, NULL));
        for (int i = 0; i < DRAWS; i++)
            if (out[i] >= -HALF && out[i] <= HALF + 2)
                seen[side][out[i] + HALF]++;
        pdpr_i_meter_free(meter);
    }
    for (int i = 0; i < 2 * HALF + 3; i++) {
        double ratio = fabs(log(seen[0][i] / seen[1][i]));
        double error = sqrt(1 / seen[0][i] + 1 / seen[1][i]);
        assert_true(ratio < 0.5 + 5 * error);
        reached = fmax(reached, ratio + 5 * error);
    }
    assert_true(reached > 0.5);
    pdpr_context_free(ctx);
}

/* Box noise, falsification: two answers that both move by their whole sensitivity; the log-ratio of
 * frequent pairs of outputs stays within epsilon, and reaches it. */
static void box_release_keeps_its_epsilon(void **state)
{
    (void)state;
    enum { DRAWS = 80000, HALF = 5, SIDE = 2 * HALF + 3 };
    static double seen[2][SIDE * SIDE];
    pdpr_context *ctx = test_context(1);
    const pdpr_i_charge charge = noise_pure_charge("both", 3, 4);
    const uint64_t sensitivity[] = {2, 1};
    const pdpr_i_box_request request = {"both", charge.epsilon, 2, sensitivity};
    double reached = 0;
    for (uint64_t side = 0; side < 2; side++)
        for (uint64_t i = 0; i < DRAWS; i++) {
            pdpr_i_meter *meter = noise_meter(ctx, &charge, 1, 2 * i + side);
            const int64_t values[] = {side ? 2 : 0, side ? 1 : 0};
            int64_t out[2];
            assert_ok(pdpr_i_release_box(meter, &request, values, out, NULL));
            if (llabs(out[0]) <= HALF + 1 && llabs(out[1]) <= HALF + 1)
                seen[side][(out[0] + HALF + 1) * SIDE + out[1] + HALF + 1]++;
            pdpr_i_meter_free(meter);
        }
    for (int i = 0; i < SIDE * SIDE; i++) {
        if (seen[0][i] < 500 || seen[1][i] < 500)
            continue;
        double ratio = fabs(log(seen[0][i] / seen[1][i]));
        double error = sqrt(1 / seen[0][i] + 1 / seen[1][i]);
        assert_true(ratio < 0.75 + 5.5 * error); /* 1e-6 over some hundred pairs */
        reached = fmax(reached, ratio - error);
    }
    assert_true(reached > 0.65);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_two_gradients_end_within_twice_the_radius),
        cmocka_unit_test(whole_run_spends_at_most_its_mu),
        cmocka_unit_test(audit_finds_no_more_than_mu),
        cmocka_unit_test(steps_and_runs_have_fresh_noise),
        cmocka_unit_test(laplace_release_keeps_its_epsilon),
        cmocka_unit_test(box_release_keeps_its_epsilon),
    };
    return cmocka_run_group_tests_name("shadow worlds", tests, NULL, NULL);
}
