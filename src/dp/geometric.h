/* Geometric variables: P(G = g) = (1 - r) r^g, r = exp(-rate), rate rational. What discrete Laplace
 * and box noise are made of. */
#ifndef PDPR_DP_GEOMETRIC_H
#define PDPR_DP_GEOMETRIC_H

#include "base/base.h"
#include "dp/bernoulli.h"

enum { PDPR_I_GEOMETRIC_BITS = 61 }; /* G < 2^61 */

/* The coins of one rate. */
typedef struct {
    unsigned bits;
    pdpr_i_coin coin[PDPR_I_GEOMETRIC_BITS];
} pdpr_i_geometric;

/* Values from 2^bits on are left out; bits is the least with exp(-2^bits rate) <=
 * exp(-tail_exponent). False if that takes more than `most_bits` <= 61. */
bool pdpr_i_geometric_init(pdpr_i_geometric *out, pdpr_i_ratio rate, uint64_t tail_exponent,
                           unsigned most_bits);

/* One value; takes `bits` words of the stream whatever comes out. Within exp(-tail_exponent) + bits
 * 2^-255 of the law in total variation (docs/proofs/discrete_laplace.md, Lemma 2). */
uint64_t pdpr_i_geometric_draw(const pdpr_i_geometric *geometric, pdpr_i_stream *stream);

#endif
