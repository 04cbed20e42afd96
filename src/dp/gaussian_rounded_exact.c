/* Rounded Gaussian noise by exact comparison: the slow path, and the reference.
 *
 * With p the tail probability that the uniform number stands for and Q(x) = P(N(0,1) > x), the
 * magnitude of the noise is the number n for which
 *     Q((n + 1/2) / sigma) <= p < Q((n - 1/2) / sigma)        (no right-hand side for n = 0).
 * p is known to 64 bits, the thresholds to any number of bits: MPFR's erfc is correctly rounded,
 * and its argument is rounded both ways. Where the two intervals overlap, 64 more bits of p are
 * drawn (once for all comparisons of this value) and the precision grows with them (Ziv's
 * strategy). The loop ends with probability one; each round is needed with probability below 2^-60.
 *
 * The search starts from a guess in doubles. A wrong guess costs time, never the answer: the two
 * inequalities above are what is checked. Cost: about 0.05 ms.
 * Proof: docs/proofs/rounded_gaussian.md, Lemma 1. */
#include "dp/gaussian_rounded.h"

#include <math.h>
#include <mpfr.h>

_Static_assert(sizeof(unsigned long) == sizeof(uint64_t), "MPFR takes our words as unsigned long");

enum { SIGNIFICANT = 52 }; /* bits of p, below its leading zeros, that the guess needs */

/* p lies in [low, high) = [low, low + 2^-bits). */
typedef struct {
    mpfr_t low, high;
    mpfr_prec_t bits;
    pdpr_i_stream *refine;
} tail;

/* 64 more bits of p. */
static void tail_refine(tail *p)
{
    mpfr_t more;
    mpfr_init2(more, 64);
    p->bits += 64;
    mpfr_set_ui_2exp(more, pdpr_i_stream_u64(p->refine), -(mpfr_exp_t)p->bits, MPFR_RNDN);
    mpfr_prec_round(p->low, p->bits + 1, MPFR_RNDN);
    mpfr_prec_round(p->high, p->bits + 1, MPFR_RNDN);
    mpfr_add(p->low, p->low, more, MPFR_RNDN);
    mpfr_set_ui_2exp(p->high, 1, -(mpfr_exp_t)p->bits, MPFR_RNDN);
    mpfr_add(p->high, p->high, p->low, MPFR_RNDN); /* all exact: multiples of 2^-bits up to 1/2 */
    mpfr_clear(more);
}

/* Q((n + 1/2) / sigma) = erfc((2n + 1) / (sigma * sqrt(8))) / 2, rounded to the side of `round`. */
static void threshold(mpfr_t out, uint64_t n, double sigma, mpfr_rnd_t round)
{
    /* erfc falls: to round it down, its argument is rounded up, for which sqrt(8) goes down */
    mpfr_rnd_t back = round == MPFR_RNDD ? MPFR_RNDU : MPFR_RNDD;
    mpfr_t root;
    mpfr_init2(root, mpfr_get_prec(out));
    mpfr_sqrt_ui(root, 8, round);
    mpfr_mul_d(root, root, sigma, round);
    mpfr_ui_div(out, 2 * n + 1, root, back);
    mpfr_erfc(out, out, round);
    mpfr_div_2ui(out, out, 1, round);
    mpfr_clear(root);
}

/* Whether p < Q((n + 1/2) / sigma), that is, whether the magnitude is above n. The answer that is
 * expected is tried first: if it is right, one threshold is computed and not two. */
static bool is_above(tail *p, uint64_t n, double sigma, bool expected)
{
    bool decided = false, above = expected;
    while (!decided) {
        mpfr_t bound;
        mpfr_init2(bound, p->bits + 64);
        for (int k = 0; k < 2 && !decided; k++) {
            above = k == 0 ? expected : !expected;
            threshold(bound, n, sigma, above ? MPFR_RNDD : MPFR_RNDU);
            decided = above ? mpfr_lessequal_p(p->high, bound) : mpfr_greaterequal_p(p->low, bound);
        }
        mpfr_clear(bound);
        if (!decided)
            tail_refine(p);
    }
    return above;
}

/* sigma * Q^-1(p), rounded, to about the accuracy of doubles. Newton's method on ln Q, which is
 * concave, from a point beyond the solution: Q(x) <= exp(-x^2 / 2) / 2. */
static uint64_t guess(double p, double sigma)
{
    double x = sqrt(fmax(0, -2 * log(2 * p)));
    for (int i = 0; i < 8; i++) {
        double q = 0.5 * erfc(x * 0.70710678118654752);
        double density = 0.39894228040143268 * exp(-0.5 * x * x);
        x += log(q / p) * q / density;
    }
    return (uint64_t)fmax(0, sigma * x + 0.5);
}

int64_t pdpr_i_gaussian_exact(uint64_t word, double sigma, pdpr_i_stream *refine)
{
    uint64_t w = word >> 1;
    tail p = {.bits = 64, .refine = refine};
    mpfr_inits2(p.bits + 1, p.low, p.high, (mpfr_ptr)NULL);
    mpfr_set_ui_2exp(p.low, w, -64, MPFR_RNDN);
    mpfr_set_ui_2exp(p.high, w + 1, -64, MPFR_RNDN);

    /* In the far tail 64 bits are few, and a guess from them could be billions off. */
    while (mpfr_cmp_ui_2exp(p.low, 1, SIGNIFICANT - p.bits) < 0)
        tail_refine(&p);

    uint64_t n = guess(mpfr_get_d(p.low, MPFR_RNDN), sigma);
    while (is_above(&p, n, sigma, false))
        n++;
    while (n > 0 && !is_above(&p, n - 1, sigma, true))
        n--;
    mpfr_clears(p.low, p.high, (mpfr_ptr)NULL);
    return word & 1 ? -(int64_t)n : (int64_t)n;
}
