/* delta_mu(epsilon), rounded up with proof.
 *
 * With alpha = epsilon/mu - mu/2, beta = alpha + mu, the density phi and the Mills ratio
 * J(x) = (1 - Phi(x))/phi(x),
 *     delta_mu(epsilon) = phi(alpha) (J(alpha) - J(beta)),
 * which falls in alpha and rises in beta (Lemma 2). So alpha is rounded down, beta up, J(alpha) up
 * and J(beta) down, and every operation has one safe direction. All of it is done in MPFR with
 * directed rounding; no bound on libm is assumed.
 *
 * J comes from mpfr_erfc near zero and from Laplace's continued fraction beyond, where mpfr_erfc is
 * slow: J(x) = 1/(x + 1/(x + 2/(x + 3/(x + ...)))). Its tails are positive and at most (n+1)/x,
 * which bounds the truncation from either side (Lemma 1). The difference of the two ratios cancels
 * when mu is small; the bits lost are counted and the precision is doubled until enough are left.
 * That loop is about accuracy only: what it returns is an upper bound at any precision from 53 bits
 * on (below, see the note after Theorem 3).
 *
 * Cost: about 15 microseconds for delta near 1e-5. Source: Dong, Roth, Su 2019, Corollary 2.13;
 * Balle, Wang 2018, Theorem 8; proofs in docs/proofs/gaussian_dp.md. */
#include "dp/gdp.h"

#include <math.h>

enum { SPARE_BITS = 24 };         /* of the result's precision may be lost to cancellation */
static const double SWITCH = 2.5; /* continued fraction from here on */

static mpfr_rnd_t opposite(mpfr_rnd_t direction)
{
    return direction == MPFR_RNDU ? MPFR_RNDD : MPFR_RNDU;
}

/* J(x) = sqrt(pi/2) e^(x^2/2) erfc(x/sqrt 2), on the safe side of `direction`, for any x. */
static void mills_near(mpfr_t out, const mpfr_t x, mpfr_rnd_t direction)
{
    mpfr_rnd_t against = opposite(direction);
    mpfr_prec_t bits = mpfr_get_prec(out);
    mpfr_t a, b;
    mpfr_inits2(bits, a, b, (mpfr_ptr)0);

    /* erfc falls, so its argument is rounded against the direction. Which of the two roundings of
     * sqrt(1/2) does that depends on the sign of x: both are tried. */
    mpfr_set_d(a, 0.5, MPFR_RNDN);
    mpfr_sqrt(b, a, MPFR_RNDU);
    mpfr_sqrt(a, a, MPFR_RNDD);
    mpfr_mul(a, a, x, against);
    mpfr_mul(b, b, x, against);
    if (against == MPFR_RNDD)
        mpfr_min(a, a, b, MPFR_RNDD);
    else
        mpfr_max(a, a, b, MPFR_RNDU);
    mpfr_erfc(out, a, direction);

    mpfr_sqr(a, x, direction);
    mpfr_div_2ui(a, a, 1, direction);
    mpfr_exp(a, a, direction);
    mpfr_mul(out, out, a, direction);
    mpfr_const_pi(a, direction);
    mpfr_div_2ui(a, a, 1, direction);
    mpfr_sqrt(a, a, direction);
    mpfr_mul(out, out, a, direction);
    mpfr_clears(a, b, (mpfr_ptr)0);
}

/* The same by the continued fraction, x >= SWITCH. With r_k = k/(x + r_(k+1)) and J = 1/(x + r_1),
 * a bound of r_(k+1) from one side bounds r_k from the other, so directions alternate. */
static void mills_far(mpfr_t out, const mpfr_t x, mpfr_rnd_t direction)
{
    mpfr_prec_t bits = mpfr_get_prec(out);
    /* An error in r_(k+1) comes out as one in r_k, smaller by about e^(-2 asinh(x / (2 sqrt k))):
     * so many levels make the truncation as small as a rounding. */
    double far = mpfr_get_d(x, MPFR_RNDD), left = (double)bits * log(2);
    unsigned long levels = 0;
    while (left > 0) {
        levels++;
        left -= 2 * asinh(far / 2 / sqrt((double)levels));
    }
    mpfr_rnd_t side = levels % 2 == 1 ? direction : opposite(direction); /* of r_(levels+1) */
    mpfr_t r;
    mpfr_init2(r, bits);

    if (side == MPFR_RNDD)
        mpfr_set_zero(r, 1);
    else
        mpfr_ui_div(r, levels + 1, x, MPFR_RNDU);
    for (unsigned long k = levels; k > 0; k--) {
        mpfr_add(r, x, r, side);
        side = opposite(side);
        mpfr_ui_div(r, k, r, side);
    }
    mpfr_add(r, x, r, side);
    mpfr_ui_div(out, 1, r, direction);
    mpfr_clear(r);
}

static void mills(mpfr_t out, const mpfr_t x, mpfr_rnd_t direction)
{
    if (mpfr_cmp_d(x, SWITCH) < 0)
        mills_near(out, x, direction);
    else
        mills_far(out, x, direction);
}

/* An upper bound of phi(x) = e^(-x^2/2) / sqrt(2 pi). */
static void density_upper(mpfr_t out, const mpfr_t x)
{
    mpfr_t a;
    mpfr_init2(a, mpfr_get_prec(out));
    mpfr_sqr(a, x, MPFR_RNDD);
    mpfr_div_2ui(a, a, 1, MPFR_RNDD);
    mpfr_neg(a, a, MPFR_RNDU);
    mpfr_exp(out, a, MPFR_RNDU);
    mpfr_const_pi(a, MPFR_RNDD);
    mpfr_mul_2ui(a, a, 1, MPFR_RNDD);
    mpfr_sqrt(a, a, MPFR_RNDD);
    mpfr_div(out, out, a, MPFR_RNDU);
    mpfr_clear(a);
}

/* The bound at one precision; returns how many leading bits of it are lost. epsilon >= 0, mu > 0.
 */
static mpfr_exp_t bound_with(mpfr_prec_t bits, mpfr_t out, double mu, const mpq_t epsilon)
{
    mpfr_t alpha, beta, m, upper, lower;
    mpfr_inits2(bits, alpha, beta, m, upper, lower, (mpfr_ptr)0);

    mpfr_set_q(alpha, epsilon, MPFR_RNDD);
    mpfr_div_d(alpha, alpha, mu, MPFR_RNDD);
    mpfr_set_d(m, mu, MPFR_RNDU); /* up: alpha must come out low; exact from 53 bits on */
    mpfr_div_2ui(m, m, 1, MPFR_RNDU);
    mpfr_sub(alpha, alpha, m, MPFR_RNDD);
    mpfr_add_d(beta, alpha, mu, MPFR_RNDU);

    mills(upper, alpha, MPFR_RNDU);
    mills(lower, beta, MPFR_RNDD);
    mpfr_sub(lower, upper, lower, MPFR_RNDU); /* positive: J falls strictly */
    density_upper(m, alpha);
    mpfr_mul(out, m, lower, MPFR_RNDU);

    /* Cancellation in J(alpha) - J(beta), and alpha^2 in the exponent of the density. */
    mpfr_exp_t lost = mpfr_get_exp(upper) - mpfr_get_exp(lower);
    if (!mpfr_zero_p(alpha) && mpfr_get_exp(alpha) > 0)
        lost += 2 * mpfr_get_exp(alpha);
    mpfr_clears(alpha, beta, m, upper, lower, (mpfr_ptr)0);
    return lost;
}

/* delta_mu(-x) = 1 - e^-x + e^-x delta_mu(x): a sum of positive terms. epsilon < 0. */
static void reflect(mpfr_t out, double mu, const mpq_t epsilon)
{
    mpq_t opposite_epsilon;
    mpfr_t e;
    mpq_init(opposite_epsilon);
    mpfr_init2(e, mpfr_get_prec(out));

    mpq_neg(opposite_epsilon, epsilon);
    pdpr_i_gdp_delta_upper(out, mu, opposite_epsilon);
    mpfr_set_q(e, epsilon, MPFR_RNDU);
    mpfr_exp(e, e, MPFR_RNDU);
    mpfr_mul(out, out, e, MPFR_RNDU);
    mpfr_set_q(e, epsilon, MPFR_RNDD);
    mpfr_expm1(e, e, MPFR_RNDD);
    mpfr_sub(out, out, e, MPFR_RNDU);
    mpfr_clear(e);
    mpq_clear(opposite_epsilon);
}

void pdpr_i_gdp_delta_upper(mpfr_t out, double mu, const mpq_t epsilon)
{
    if (mpq_sgn(epsilon) < 0) {
        reflect(out, mu, epsilon);
    } else if (mu == 0) {
        mpfr_set_zero(out, 1);
    } else {
        mpfr_prec_t asked = mpfr_get_prec(out), bits = asked;
        while (bound_with(bits, out, mu, epsilon) > bits - asked + SPARE_BITS)
            bits *= 2;
    }
    if (mpfr_cmp_ui(out, 1) > 0) /* delta_mu < 1 always */
        mpfr_set_ui(out, 1, MPFR_RNDN);
}
