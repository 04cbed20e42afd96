/* Exact coins: success with probability exp(-x) or 1 / (1 + exp(x)) for a rational x > 0.
 *
 * A coin is a 256-bit number made once from public numbers; a toss compares it with random bits and
 * needs no arithmetic (docs/proofs/discrete_laplace.md, Lemma 1). */
#ifndef PDPR_DP_BERNOULLI_H
#define PDPR_DP_BERNOULLI_H

#include <stdbool.h>

#include "dp/random_stream.h"

/* num / den, den > 0. */
typedef struct {
    uint64_t num, den;
} pdpr_i_ratio;

enum { PDPR_I_COIN_WORDS = 4 };

/* floor(p * 2^256), highest word first. */
typedef struct {
    uint64_t word[PDPR_I_COIN_WORDS];
} pdpr_i_coin;

/* p = exp(-2^shift * x). */
pdpr_i_coin pdpr_i_coin_exp(pdpr_i_ratio x, unsigned shift);
/* p = 1 / (1 + exp(2^shift * x)). */
pdpr_i_coin pdpr_i_coin_logistic(pdpr_i_ratio x, unsigned shift);

/* True with probability word / 2^256: within 2^-255 of p, never above it. Takes one 64-bit word of
 * the stream, except with probability 2^-64. */
bool pdpr_i_coin_toss(const pdpr_i_coin *coin, pdpr_i_stream *stream);

/* The least b with 2^b * x >= bound, if it is at most `most`, else most + 1. */
unsigned pdpr_i_ratio_doublings(pdpr_i_ratio x, uint64_t bound, unsigned most);

#endif
