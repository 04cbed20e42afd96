/* Exact coins by comparison with a threshold that is known to 256 bits.
 *
 * Canonne, Kamath and Steinke (2020, section 5) toss exp(-x) with rational arithmetic alone; their
 * number of random bits depends on the outcome. Here x is public, so MPFR works out the threshold
 * beforehand with directed rounding, and a toss reads 64 bits and compares: one word whatever the
 * outcome, and only an equal word (2^-64) asks for the next. What is lost is at most 2^-255 a toss.
 *
 * Cost: 20 us to make a coin, 16 ns to toss it.
 * Invariant: a coin never exceeds p (every rounding below goes down). */
#include "dp/bernoulli.h"

#include <mpfr.h>

enum { COIN_BITS = 64 * PDPR_I_COIN_WORDS, PRECISION = COIN_BITS + 64 };

_Static_assert(sizeof(unsigned long) == sizeof(uint64_t), "MPFR takes our words as unsigned long");

/* x * 2^shift, away from zero: then exp(-x) comes out low. */
static void set_exponent(mpfr_t out, pdpr_i_ratio x, unsigned shift)
{
    mpfr_set_ui(out, x.num, MPFR_RNDU);
    mpfr_div_ui(out, out, x.den, MPFR_RNDU);
    mpfr_mul_2ui(out, out, shift, MPFR_RNDU);
}

/* floor(p * 2^256), word by word from the top. Destroys p < 1. */
static pdpr_i_coin coin_of(mpfr_t p)
{
    pdpr_i_coin coin;
    for (int i = 0; i < PDPR_I_COIN_WORDS; i++) {
        mpfr_mul_2ui(p, p, 64, MPFR_RNDD);
        coin.word[i] = mpfr_get_ui(p, MPFR_RNDD);
        mpfr_sub_ui(p, p, coin.word[i], MPFR_RNDD); /* exact: the high bits cancel */
    }
    return coin;
}

pdpr_i_coin pdpr_i_coin_exp(pdpr_i_ratio x, unsigned shift)
{
    mpfr_t p;
    mpfr_init2(p, PRECISION);
    set_exponent(p, x, shift);
    mpfr_neg(p, p, MPFR_RNDD);
    mpfr_exp(p, p, MPFR_RNDD);
    pdpr_i_coin coin = coin_of(p);
    mpfr_clear(p);
    mpfr_free_cache();
    return coin;
}

pdpr_i_coin pdpr_i_coin_logistic(pdpr_i_ratio x, unsigned shift)
{
    mpfr_t p;
    mpfr_init2(p, PRECISION);
    set_exponent(p, x, shift);
    mpfr_exp(p, p, MPFR_RNDU);
    mpfr_add_ui(p, p, 1, MPFR_RNDU);
    mpfr_ui_div(p, 1, p, MPFR_RNDD);
    pdpr_i_coin coin = coin_of(p);
    mpfr_clear(p);
    mpfr_free_cache();
    return coin;
}

bool pdpr_i_coin_toss(const pdpr_i_coin *coin, pdpr_i_stream *stream)
{
    for (int i = 0; i < PDPR_I_COIN_WORDS; i++) {
        uint64_t u = pdpr_i_stream_u64(stream);
        if (u != coin->word[i])
            return u < coin->word[i];
    }
    return false; /* the uniform number is not below the coin */
}

unsigned pdpr_i_ratio_doublings(pdpr_i_ratio x, uint64_t bound, unsigned most)
{
    __extension__ typedef unsigned __int128 wide;
    unsigned b = 0;
    /* bound <= 2^8 and den < 2^64: the right side fits, the left is compared before it is doubled
     */
    for (wide left = x.num; b <= most && left < (wide)x.den * bound; left *= 2)
        b++;
    return b;
}
