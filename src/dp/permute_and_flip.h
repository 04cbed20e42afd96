/* Private selection: permute-and-flip over integer losses, with exact coins. */
#ifndef PDPR_DP_PERMUTE_AND_FLIP_H
#define PDPR_DP_PERMUTE_AND_FLIP_H

#include "base/base.h"
#include "dp/bernoulli.h"

enum { PDPR_I_FLIP_DIGITS = 62 };

/* coin[j] succeeds with probability exp(-rate * 2^j), j = 0..never; coin[never] never does. */
typedef struct {
    unsigned never;
    pdpr_i_coin coin[PDPR_I_FLIP_DIGITS];
} pdpr_i_flip_coins;

/* Errors: PDPR_EUSAGE (rate below 2^-53). */
pdpr_status pdpr_i_flip_coins_init(pdpr_i_flip_coins *out, pdpr_i_ratio rate, pdpr_error *err);

/* Chooses one of `count` >= 1 candidates: visits them in random order and takes the first whose
 * coin of probability exp(-rate * (loss - least loss)) succeeds. `order` is scratch for count
 * numbers. Tosses every coin of every candidate, so that the work does not depend on the losses.
 *
 * Neighbours:    any two inputs whose losses differ by at most D each.
 * Precondition:  rate <= epsilon / (2 D).
 * Guarantee:     epsilon-DP, with delta (1 + e^epsilon) * count * 2^-249 for the coins' rounding.
 * Proof:         docs/proofs/permute_and_flip.md, Theorem 1 (after McKenna and Sheldon 2020).
 * Rounding:      none but that of the coins. */
uint32_t pdpr_i_permute_and_flip(const pdpr_i_flip_coins *coins, const int64_t *losses,
                                 uint32_t count, uint32_t *order, pdpr_i_stream *stream);

#endif
