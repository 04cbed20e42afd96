/* The second accountant, by numerical integration in long double.
 *
 * Where the first one uses Mills ratios in interval arithmetic, this one integrates the part of one
 * density that lies above e^epsilon times the other:
 *     delta_mu(x) = integral over t > 0 of phi(alpha + t) (1 - e^(-mu t)) dt,  alpha = x/mu - mu/2,
 * whose integrand is smooth and positive, so nothing cancels, for either sign of x. Gauss-Legendre
 * rules on panels are good to the last digits of a long double. Where the first one inverts a
 * transform along a line, this one keeps a sorted list of (loss, probability) atoms and joins those
 * that are equal but for rounding. Past MAX_ATOMS it gives no answer: joining close ones would be
 * quick, but errs downwards (by 5e-7 at 28 charges), and a claim that is too low must not pass.
 * Where the first one takes false position, this one takes Ridders' method.
 *
 * Cost: atoms * 100 exponentials per evaluation, about 20 evaluations. */
#include "dp/accountant_check.h"

#include <float.h>
#include <math.h>

enum { NODES = 16, MAX_ATOMS = PDPR_I_CHECK_LOSSES };

typedef struct {
    long double x[NODES], w[NODES]; /* on [0, 1] */
} rule;

/* Roots of the Legendre polynomial of degree NODES by Newton's method. */
static void rule_init(rule *r)
{
    const long double pi = acosl(-1.0L);
    for (int i = 0; i < NODES; i++) {
        long double z = cosl(pi * (i + 0.75L) / (NODES + 0.5L)), slope = 1;
        for (int round = 0; round < 8; round++) {
            long double p = z, before = 1;
            for (int k = 2; k <= NODES; k++) {
                long double next = ((2 * k - 1) * z * p - (k - 1) * before) / k;
                before = p;
                p = next;
            }
            slope = NODES * (z * p - before) / (z * z - 1);
            z -= p / slope;
        }
        r->x[i] = (1 + z) / 2;
        r->w[i] = 1 / ((1 - z * z) * slope * slope);
    }
}

/* The integrand of delta_of over from < t < to, without its common factor. */
static long double integrate(const rule *r, long double mu, long double alpha, long double from,
                             long double to)
{
    if (from >= to)
        return 0;
    int panels = 4 + (int)((to - from) / 2);
    long double width = (to - from) / panels, sum = 0;
    for (int p = 0; p < panels; p++)
        for (int i = 0; i < NODES; i++) {
            long double t = from + width * (p + r->x[i]);
            long double square = alpha > 0 ? t * (2 * alpha + t) : (alpha + t) * (alpha + t);
            sum += r->w[i] * expl(-square / 2) * -expm1l(-mu * t);
        }
    return sum * width;
}

/* delta_mu(x) as above; mu = 0 is the limit. */
static long double delta_of(const rule *r, long double mu, long double x)
{
    if (mu == 0)
        return x < 0 ? -expm1l(x) : 0;
    const long double cut = 12; /* phi falls by e^-72 over this distance from its peak */
    long double alpha = x / mu - mu / 2;
    long double from = alpha < -cut ? -alpha - cut : 0;
    long double to = alpha > 0 ? sqrtl(alpha * alpha + cut * cut) - alpha : cut - alpha;
    /* 1 - e^(-mu t) rises from 0 to 1 within this, which panels of width 2 would miss */
    long double rise = fminl(to, fmaxl(from, 45 / mu));

    /* Over phi(alpha) where the peak is at t = 0: that common factor comes last and may underflow
     * there. Where the peak lies at t = -alpha the factor would underflow beside terms that
     * overflow, so phi is taken as it is. */
    long double sum = integrate(r, mu, alpha, from, rise) + integrate(r, mu, alpha, rise, to);
    long double factor = alpha > 0 ? expl(-alpha * alpha / 2) : 1;
    return sum * factor / sqrtl(2 * acosl(-1.0L));
}

/* ---------------------------------------------------------------- the pure charges */

typedef struct {
    long double loss, weight;
} atom;

/* Appends an atom to a list in ascending order, or joins it to the last one if they differ by
 * rounding only: then the probabilities weight and weight e^-loss of both worlds add up, as if the
 * two outcomes could not be told apart. */
static void push(atom *list, uint32_t *count, atom next, long double close)
{
    atom *last = *count ? &list[*count - 1] : NULL;
    if (last && next.loss - last->loss <= close) {
        long double both = last->weight + next.weight;
        last->loss -= log1pl(next.weight / both * expm1l(last->loss - next.loss));
        last->weight = both;
    } else {
        list[(*count)++] = next;
    }
}

/* to := from, once shifted down and once shifted up by epsilon; returns the number of atoms. */
static uint32_t respond(const atom *from, uint32_t count, long double epsilon, long double close,
                        atom *to)
{
    long double truth = 1 / (1 + expl(-epsilon)), lie = 1 / (1 + expl(epsilon));
    uint32_t made = 0, down = 0, up = 0;
    while (up < count) {
        if (down < count && from[down].loss - epsilon <= from[up].loss + epsilon) {
            push(to, &made, (atom){from[down].loss - epsilon, from[down].weight * lie}, close);
            down++;
        } else {
            push(to, &made, (atom){from[up].loss + epsilon, from[up].weight * truth}, close);
            up++;
        }
    }
    return made;
}

typedef struct {
    rule rule;
    long double mu, sum; /* sum of the pure charges */
    atom *atoms, *work;  /* [2 * MAX_ATOMS] */
    uint32_t count;
} joint;

static void joint_clear(joint *j)
{
    pdpr_free(j->atoms);
    pdpr_free(j->work);
}

static pdpr_status joint_init(pdpr_context *ctx, const pdpr_i_check_list *list, joint *j,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    long double square = 0;
    *j = (joint){.count = 1};
    rule_init(&j->rule);
    for (uint32_t i = 0; i < list->gaussian_count; i++) {
        long double mu = list->gaussian[i].mu;
        if (!(mu > 0 && mu <= 1e6L) || list->gaussian[i].steps == 0)
            return pdpr_i_fail(err, PDPR_EUSAGE,
                               "Gaussian charge %" PRIu32
                               ": expected mu in (0, 1e6] and a step, found mu = %g, %" PRIu64
                               " steps",
                               i, list->gaussian[i].mu, list->gaussian[i].steps);
        square += mu * mu * list->gaussian[i].steps;
    }
    j->mu = sqrtl(square);
    if (j->mu > 1e6L)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "Gaussian charges: expected mu up to 1e6 together, found %Lg", j->mu);
    for (uint32_t i = 0; i < list->pure_count; i++) {
        if (list->pure[i].denominator == 0)
            return pdpr_i_fail(err, PDPR_EUSAGE, "pure charge %" PRIu32 ": denominator 0", i);
        j->sum += (long double)list->pure[i].numerator / list->pure[i].denominator;
    }
    PDPR_TRY(pdpr_i_alloc(ctx, 2 * MAX_ATOMS, sizeof *j->atoms, "losses", &j->atoms, err));
    PDPR_TRY(pdpr_i_alloc(ctx, 2 * MAX_ATOMS, sizeof *j->work, "losses", &j->work, err));

    j->atoms[0] = (atom){0, 1};
    long double close = 1e-15L * j->sum; /* rounding of equal losses */
    for (uint32_t i = 0; i < list->pure_count; i++) {
        long double epsilon = (long double)list->pure[i].numerator / list->pure[i].denominator;
        uint32_t made = respond(j->atoms, j->count, epsilon, close, j->work);
        atom *swap = j->atoms;
        j->atoms = j->work;
        j->work = swap;
        j->count = made;
        if (made > MAX_ATOMS) {
            s = pdpr_i_fail(err, PDPR_EUSAGE,
                            "pure charges: expected at most %d different losses together, found "
                            "more with charge %" PRIu32,
                            (int)MAX_ATOMS, i);
            goto done;
        }
    }
done:
    if (s != PDPR_OK)
        joint_clear(j);
    return s;
}

static long double joint_delta(const joint *j, long double epsilon)
{
    long double sum = 0;
    for (uint32_t i = 0; i < j->count; i++)
        sum += j->atoms[i].weight * delta_of(&j->rule, j->mu, epsilon - j->atoms[i].loss);
    return sum;
}

/* ---------------------------------------------------------------- inverses */

/* ln of a falling function of x, minus that of its target. */
typedef long double (*falling)(const void *model, long double x);

/* The zero between low, where f > 0, and high, where f <= 0 (Ridders 1979). */
static long double zero_of(falling f, const void *model, long double low, long double high)
{
    long double f_low = f(model, low), f_high = f(model, high);
    while (high - low > 1e-15L * high) { /* halved at least each time */
        long double middle = (low + high) / 2, f_middle = f(model, middle);
        long double root = sqrtl(f_middle * f_middle - f_low * f_high);
        long double x = middle + (middle - low) * f_middle / fmaxl(root, LDBL_MIN);
        long double f_x = f(model, x);
        if (f_middle > 0) {
            low = middle;
            f_low = f_middle;
        } else {
            high = middle;
            f_high = f_middle;
        }
        if (x > low && f_x > 0) {
            low = x;
            f_low = f_x;
        } else if (x < high && f_x <= 0) {
            high = x;
            f_high = f_x;
        }
    }
    return high;
}

/* Logarithms of values too small for a long double are all the same to the search. A delta is at
 * most 1, and what is no number counts as that: it must never make a claim look cheap. */
static long double log_ratio(long double value, long double target)
{
    value = value < 1 ? value : 1;
    return logl(fmaxl(value, LDBL_MIN)) - logl(target);
}

typedef struct {
    const joint *joint;
    long double delta;
} epsilon_model;

static long double over_epsilon(const void *model, long double x)
{
    const epsilon_model *m = model;
    return log_ratio(joint_delta(m->joint, x), m->delta);
}

static const long double KEPT_BACK = 0x1p-20L; /* of delta, [P-18] */

pdpr_status pdpr_i_check_epsilon(pdpr_context *ctx, const pdpr_i_check_list *list, double delta,
                                 double *out, pdpr_error *err)
{
    joint j;
    pdpr_status s = joint_init(ctx, list, &j, err);
    if (s != PDPR_OK)
        return s;
    if (delta == 0 && j.mu == 0) {
        *out = (double)j.sum;
    } else if (!(delta >= 1e-300 && delta < 1)) {
        s = pdpr_i_fail(err, PDPR_EUSAGE, "delta: expected a number in [1e-300, 1), found %g",
                        delta);
    } else {
        epsilon_model m = {&j, delta * (1 - KEPT_BACK)};
        long double high = j.sum + j.mu * (j.mu / 2 + sqrtl(-2 * logl(m.delta)));
        *out = over_epsilon(&m, 0) <= 0 ? 0 : (double)zero_of(over_epsilon, &m, 0, high);
    }
    joint_clear(&j);
    return s;
}

bool pdpr_i_check_agrees(double claimed, double epsilon)
{
    return claimed >= epsilon * (1 - 1e-9) && claimed <= epsilon * (1 + 1e-9) + 1e-12;
}
