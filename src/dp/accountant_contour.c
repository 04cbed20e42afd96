/* The joint cost of any charges, by an integral along a line in the complex plane.
 *
 * With A(z) = z^2 - 1/4 and charges epsilon_i beside a mu-GDP part, for any a > 1/2
 *     delta(epsilon) = e^(epsilon/2) / (2 pi i) * integral over Re z = a of F(z) e^(-z epsilon) dz,
 *     F(z) = e^(mu^2 A(z) / 2) / A(z) * prod_i cosh(z epsilon_i) / cosh(epsilon_i / 2):
 * the Laplace transform of delta, inverted. The trapezoidal rule with step h gives, by Poisson's
 * summation formula,
 *     delta(epsilon) + sum over k != 0 of e^((a - 1/2) 2 pi k / h) delta(epsilon + 2 pi k / h),
 * in which every term is positive: the rule errs upwards whatever a and h are. They are chosen to
 * make the other terms small, a at the saddle point, where F e^(-a epsilon) is least. Then F falls
 * like a Gaussian along the line and some tens of points give twelve digits, for any number of
 * charges with or without a common unit. Points beyond the last are bounded and added.
 *
 * Without a Gaussian part, or with a very small one, F hardly falls. A larger mu is then put in
 * place of the given one, which costs more (Theorem 4) and so little that 1e-9 is kept.
 *
 * The factors on the line are turned from point to point by multiplications in long double, from
 * seeds that MPFR rounds correctly; no other function of libm decides. Their rounding is counted
 * and added (Theorem 3 b). Cost: groups * points * 20 ns. Source: the accountant of Zhu, Dong, Wang
 * 2022 inverts a characteristic function numerically; the line, the rule and the one-sided error
 * are ours, see docs/proofs/joint_accounting.md. */
#include "dp/accountant_joint.h"

#include <float.h>
#include <math.h>

_Static_assert(LDBL_MANT_DIG >= 64, "Theorem 3 (b) counts roundings of 64 bits");

enum {
    BITS = 128,             /* of the seeds and of what is exact but for them */
    BLOCK = 64,             /* points between two seeds of the Gaussian factor */
    MOST_PRODUCTS = 1 << 26 /* points * groups: about a second */
};

static const double DIGITS = 30; /* e^-30 = 1e-13: what the rule may add, of delta */

pdpr_status pdpr_i_contour_init(pdpr_context *ctx, pdpr_i_pure_list list, pdpr_i_contour *out,
                                pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_contour c = {.list = list, .aimed_mu = -1, .most = PDPR_I_ALL_POINTS};
    while (c.most > MOST_PRODUCTS / list.count)
        c.most /= 2;
    PDPR_TRY(pdpr_i_alloc(ctx, c.most + 1, sizeof *c.value, "contour", &c.value, err));
    mpfr_inits2(BITS, c.front, c.slack, (mpfr_ptr)0);
    *out = c;
done:
    return s;
}

void pdpr_i_contour_clear(pdpr_i_contour *c)
{
    mpfr_clears(c->front, c->slack, (mpfr_ptr)0);
    pdpr_free(c->value);
}

/* ---------------------------------------------------------------- where to integrate */

/* The logarithm of the integrand at a real a, and its slope there. Accuracy only. */
static double log_integrand(const pdpr_i_contour *c, double epsilon, double a, double *slope)
{
    double square = (a - 0.5) * (a + 0.5), value = c->mu * c->mu * square / 2 - (a - 0.5) * epsilon;
    *slope = c->mu * c->mu * a - epsilon - 2 * a / square;
    value -= log(square);
    for (uint32_t g = 0; g < c->list.count; g++) {
        double e = mpq_get_d(c->list.group[g].epsilon), n = c->list.group[g].times;
        /* ln cosh x = |x| + ln(1 + e^-2|x|) - ln 2 */
        value += n * ((a - 0.5) * e + log1p(exp(-2 * a * e)) - log1p(exp(-e)));
        *slope += n * e * tanh(a * e);
    }
    return value;
}

/* The saddle point a > 1/2: the slope is negative near 1/2 and rises. */
static double saddle(const pdpr_i_contour *c, double epsilon)
{
    double low = -20, high = 40, slope; /* ln(a - 1/2) */
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        (void)log_integrand(c, epsilon, 0.5 + exp(middle), &slope);
        if (slope < 0)
            low = middle;
        else
            high = middle;
    }
    return 0.5 + exp(high);
}

/* The step: copies of delta at epsilon + 2 pi k / h are small beside it. Those below epsilon are at
 * most 1 each; those above are bounded from a line further right, of which two are tried. */
static double step_of(const pdpr_i_contour *c, double epsilon, double a)
{
    double slope, at_a = log_integrand(c, epsilon, a, &slope), reach = c->mu * c->mu;
    for (uint32_t g = 0; g < c->list.count; g++) {
        double e = mpq_get_d(c->list.group[g].epsilon);
        reach += c->list.group[g].times * e * e;
    }
    double below = (a - 0.5) / (DIGITS + fmax(0, -at_a) + 5), above = 0;
    const double further[] = {2 * a, a + sqrt(2 * DIGITS / reach)};
    for (int i = 0; i < 2; i++) {
        double rise = log_integrand(c, epsilon, further[i], &slope) - at_a;
        above = fmax(above, (further[i] - a) / (DIGITS + fmax(0, rise) + 5));
    }
    return 2 * acos(-1.0) * fmin(below, above);
}

/* Up to which mu n h points are needed: there e^-(mu n h)^2 / 2 and the fall of 1/A make what is
 * left out small. */
static double length_of(const pdpr_i_contour *c, double points)
{
    double spread = 2 * (c->a / c->h) * (c->a / c->h);
    return sqrt(2 * (DIGITS + fmax(log(spread / points), -DIGITS / 2)));
}

/* Chooses line, step and number of points, at most `limit`. A mu that would need more is raised. */
static void choose(pdpr_i_contour *c, double epsilon, uint32_t limit)
{
    double given = c->mu, points = limit;
    for (int round = 0; round < 2; round++) { /* the second with the mu of the first */
        c->a = saddle(c, epsilon);
        if (c->a < 0.6 && limit > BLOCK) /* the loss is above epsilon by 10 on average: */
            limit = BLOCK;               /* delta is 1 but for 1e-4, and need not be known better */
        c->h = step_of(c, epsilon, c->a);
        /* Raising mu to this multiplies delta by e^(mu^2 A / 2) and so moves epsilon by about
         * mu^2 (a + 1/2) / 2, a few 1e-10 of it. */
        double least = sqrt(4e-10 * epsilon / (c->a + 0.5));
        double enough = length_of(c, limit) / (c->h * limit);
        c->mu = fmax(given, fmax(least, enough));
        points = length_of(c, 1) / (c->mu * c->h);
        points = ceil(length_of(c, fmax(points, 1)) / (c->mu * c->h)) + 1;
    }
    c->points = points < limit ? (uint32_t)points : limit;
}

/* ---------------------------------------------------------------- the values on the line */

static pdpr_i_complex times(pdpr_i_complex x, pdpr_i_complex y)
{
    return (pdpr_i_complex){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

/* e^(i h x) as a pair of long doubles, each correctly rounded but for x h in 128 bits. */
static pdpr_i_complex turn(double h, const mpfr_t x)
{
    mpfr_t angle, sine, cosine;
    mpfr_inits2(BITS, angle, sine, cosine, (mpfr_ptr)0);
    mpfr_mul_d(angle, x, h, MPFR_RNDN);
    mpfr_sin_cos(sine, cosine, angle, MPFR_RNDN);
    pdpr_i_complex z = {mpfr_get_ld(cosine, MPFR_RNDN), mpfr_get_ld(sine, MPFR_RNDN)};
    mpfr_clears(angle, sine, cosine, (mpfr_ptr)0);
    return z;
}

/* Multiplies the values by (cos(n h x) + i t sin(n h x))^copies, n = 1..points. */
static void multiply(pdpr_i_contour *c, pdpr_i_complex step, long double t, uint32_t copies)
{
    pdpr_i_complex at = {1, 0};
    for (uint32_t n = 1; n <= c->points; n++) {
        at = times(at, step);
        pdpr_i_complex factor = {at.re, t * at.im};
        for (uint32_t power = copies; power > 0; power /= 2) {
            if (power & 1)
                c->value[n] = times(c->value[n], factor);
            factor = times(factor, factor);
        }
    }
}

/* One group: its factor on the line over that at a is cos + i tanh(a epsilon) sin; its factor at a,
 * cosh(a epsilon) / cosh(epsilon / 2), goes to the front, rounded up. */
static void multiply_group(pdpr_i_contour *c, const pdpr_i_pure_group *group)
{
    mpfr_t epsilon, x, y;
    mpfr_inits2(BITS, epsilon, x, y, (mpfr_ptr)0);
    /* up: a larger charge costs more, and is exact now */
    mpfr_set_q(epsilon, group->epsilon, MPFR_RNDU);

    mpfr_mul_d(x, epsilon, c->a, MPFR_RNDU);
    mpfr_cosh(y, x, MPFR_RNDU);
    mpfr_tanh(x, x, MPFR_RNDN);
    multiply(c, turn(c->h, epsilon), mpfr_get_ld(x, MPFR_RNDN), group->times);
    mpfr_div_2ui(x, epsilon, 1, MPFR_RNDD);
    mpfr_cosh(x, x, MPFR_RNDD);
    mpfr_div(y, y, x, MPFR_RNDU);
    mpfr_pow_ui(y, y, group->times, MPFR_RNDU);
    mpfr_mul(c->front, c->front, y, MPFR_RNDU);
    mpfr_clears(epsilon, x, y, (mpfr_ptr)0);
}

/* e^-(mu n h)^2 / 2, rounded to the side given. */
static void gaussian_at(const pdpr_i_contour *c, uint32_t n, mpfr_t out, mpfr_rnd_t side)
{
    mpfr_rnd_t other = side == MPFR_RNDU ? MPFR_RNDD : MPFR_RNDN;
    mpfr_set_d(out, c->mu, MPFR_RNDN);
    mpfr_mul_d(out, out, c->h, other);
    mpfr_mul_ui(out, out, n, other);
    mpfr_sqr(out, out, other);
    mpfr_div_2ui(out, out, 1, other);
    mpfr_neg(out, out, MPFR_RNDN);
    mpfr_exp(out, out, side);
}

/* Sets value[n] to the Gaussian factor times A(a) / A(a + i n h), and returns the sum over n of
 * (bound of its modulus) * (bound of the relative error that the value will have). */
static long double set_values(pdpr_i_contour *c)
{
    long double h = c->h, a = c->a, square = (a - 0.5L) * (a + 0.5L), lost = 0;
    long double fall = 0, gaussian = 0, ratio = 0;
    mpfr_t seed;
    mpfr_init2(seed, BITS);
    mpfr_set_d(seed, c->mu, MPFR_RNDN);
    mpfr_mul_d(seed, seed, c->h, MPFR_RNDN);
    mpfr_sqr(seed, seed, MPFR_RNDN);
    mpfr_neg(seed, seed, MPFR_RNDN);
    mpfr_exp(seed, seed, MPFR_RNDN);
    fall = mpfr_get_ld(seed, MPFR_RNDN); /* e^-(mu h)^2: what the ratio of neighbours loses */
    for (uint32_t n = 1; n <= c->points; n++) {
        if (n % BLOCK == 1) {
            gaussian_at(c, n, seed, MPFR_RNDN);
            gaussian = mpfr_get_ld(seed, MPFR_RNDN);
            gaussian_at(c, n + 1, seed, MPFR_RNDN);
            ratio = gaussian > 0 ? mpfr_get_ld(seed, MPFR_RNDN) / gaussian : 0;
        } else {
            gaussian *= ratio;
            ratio *= fall;
        }
        long double t = n * h, re = square - t * t, im = 2 * a * t,
                    weight = gaussian * square / (re * re + im * im);
        c->value[n] = (pdpr_i_complex){weight * re, -weight * im};
        long double error = (c->list.copies + 4.0L) * (n + 8.0L) * 0x1p-60L + 0x1p-48L +
                            (long double)c->points * 0x1p-62L;
        lost += gaussian * square / (square + t * t) * error;
    }
    mpfr_clear(seed);
    return lost;
}

/* front := h / (2 pi A(a)) e^(mu^2 A(a) / 2), up. */
static void set_front(pdpr_i_contour *c)
{
    mpfr_t square, x;
    mpfr_inits2(BITS, square, x, (mpfr_ptr)0);
    mpfr_set_d(square, c->a, MPFR_RNDN);
    mpfr_sqr(square, square, MPFR_RNDN); /* exact: twice 53 bits */
    mpfr_sub_d(x, square, 0.25, MPFR_RNDU);
    mpfr_mul_d(x, x, c->mu, MPFR_RNDU);
    mpfr_mul_d(x, x, c->mu / 2, MPFR_RNDU);
    mpfr_exp(c->front, x, MPFR_RNDU);
    mpfr_sub_d(square, square, 0.25, MPFR_RNDD);
    mpfr_div(c->front, c->front, square, MPFR_RNDU);
    mpfr_mul_d(c->front, c->front, c->h, MPFR_RNDU);
    mpfr_const_pi(x, MPFR_RNDD);
    mpfr_mul_2ui(x, x, 1, MPFR_RNDD);
    mpfr_div(c->front, c->front, x, MPFR_RNDU);
    mpfr_clears(square, x, (mpfr_ptr)0);
}

/* slack := twice what rounding may hide, and the points beyond the last: at most
 * 2 A(a) e^-((mu (points + 1) h)^2 / 2) / (h^2 points). */
static void set_slack(pdpr_i_contour *c, long double lost)
{
    mpfr_t tail;
    mpfr_init2(tail, BITS);
    gaussian_at(c, c->points + 1, tail, MPFR_RNDU);
    mpfr_mul_d(tail, tail, 2 * (c->a * c->a), MPFR_RNDU); /* above A(a) by more than a rounding */
    mpfr_div_d(tail, tail, c->h, MPFR_RNDU);
    mpfr_div_d(tail, tail, c->h, MPFR_RNDU);
    mpfr_div_ui(tail, tail, c->points, MPFR_RNDU);
    mpfr_set_ld(c->slack, 2 * lost, MPFR_RNDU);
    mpfr_mul_d(c->slack, c->slack, 1 + 0x1p-20, MPFR_RNDU); /* its own rounding */
    mpfr_add_d(c->slack, c->slack, 0x1p-50, MPFR_RNDU);     /* of the sum with the 1 of n = 0 */
    mpfr_add(c->slack, c->slack, tail, MPFR_RNDU);
    mpfr_clear(tail);
}

void pdpr_i_contour_aim(pdpr_i_contour *c, double mu, double epsilon, uint32_t limit)
{
    mpfr_t phase;
    c->mu = c->aimed_mu = mu;
    choose(c, epsilon, limit < c->most ? limit : c->most);
    set_front(c);
    set_slack(c, set_values(c));
    /* e^(mu^2 z^2 / 2) also turns: by mu^2 a a unit of the line. */
    mpfr_init2(phase, BITS);
    mpfr_set_d(phase, c->mu, MPFR_RNDN);
    mpfr_sqr(phase, phase, MPFR_RNDN);
    mpfr_mul_d(phase, phase, c->a, MPFR_RNDN);
    multiply(c, turn(c->h, phase), 1, 1);
    mpfr_clear(phase);
    for (uint32_t g = 0; g < c->list.count; g++)
        multiply_group(c, &c->list.group[g]);
}

void pdpr_i_contour_delta(const pdpr_i_contour *c, double epsilon, mpfr_t out)
{
    mpfr_t x, bound;
    mpfr_inits2(BITS, x, bound, (mpfr_ptr)0);
    mpfr_set_d(x, -epsilon, MPFR_RNDN);
    pdpr_i_complex step = turn(c->h, x), at = {1, 0};
    long double sum = 0;
    for (uint32_t n = 1; n <= c->points; n++) {
        at = times(at, step);
        sum += c->value[n].re * at.re - c->value[n].im * at.im;
    }
    mpfr_set_ld(bound, 2 * sum, MPFR_RNDU);
    mpfr_add_ui(bound, bound, 1, MPFR_RNDU);
    mpfr_add(bound, bound, c->slack, MPFR_RNDU);

    mpfr_set_d(x, c->a, MPFR_RNDN);
    mpfr_sub_d(x, x, 0.5, MPFR_RNDN); /* exact in 128 bits */
    mpfr_mul_d(x, x, -epsilon, MPFR_RNDN);
    mpfr_exp(x, x, MPFR_RNDU);
    mpfr_mul(bound, bound, x, MPFR_RNDU);
    mpfr_mul(bound, bound, c->front, MPFR_RNDU);
    mpfr_set_ui(x, 1, MPFR_RNDN);
    if (!mpfr_lessequal_p(bound, x)) /* also if the line was so far off that it is no number */
        mpfr_set(bound, x, MPFR_RNDN);
    mpfr_set(out, bound, MPFR_RNDU);
    mpfr_clears(x, bound, (mpfr_ptr)0);
}
