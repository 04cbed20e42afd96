/* Box noise: for several integers that are released together, each with its own sensitivity.
 *
 * If the answers of queries asked together change by at most D_1, .., D_d, noise whose density
 * falls with the largest of |z_i| / D_i pays for all of them at once: every answer gets a deviation
 * of about sqrt((d + 1)(d + 2) / 3) D_i / epsilon, where a d-th of epsilon and Laplace noise for
 * each would give sqrt(2) d D_i / epsilon: .71 of it for two, .61 for three, .53 for five. It is
 * the K-norm mechanism (Hardt and Talwar 2010) for a box, on the integers.
 *
 * A level t >= 0 is a box: |z_i| <= floor(t D_i / levels) for all i. With rho(z) the least level
 * whose box holds z, P(Z = z) is proportional to exp(-rho(z) epsilon / levels). Moving z by at most
 * D_i in every coordinate moves rho(z) by at most `levels`. Proof: docs/proofs/box_noise.md. */
#ifndef PDPR_DP_BOX_NOISE_H
#define PDPR_DP_BOX_NOISE_H

#include "dp/geometric.h"

enum { PDPR_I_BOX_MOST = 8 }; /* integers released together */

typedef struct {
    uint32_t count;
    uint64_t sensitivity[PDPR_I_BOX_MOST];
    uint64_t levels;            /* for one sensitivity: epsilon, rounded up */
    pdpr_i_ratio rate;          /* epsilon / levels */
    pdpr_i_geometric geometric; /* of that rate */
} pdpr_i_box;

/* Errors: PDPR_EUSAGE (count outside 1..8, a sensitivity outside 1..2^30, epsilon outside
 * 2^-20..2^10 or with a part outside 1..2^32). */
pdpr_status pdpr_i_box_init(pdpr_i_box *out, pdpr_i_ratio epsilon, const uint64_t *sensitivity,
                            uint32_t count, pdpr_error *err);

/* The box of a level reaches from -side to side in integer i: floor(level D_i / levels). */
uint64_t pdpr_i_box_side(const pdpr_i_box *box, uint32_t i, uint64_t level);

/* `count` integers, below 2^62 in size. Their joint law differs from the one above by at most
 * 2^-126 in total variation. How many words of the stream are taken is a matter of chance
 * that has nothing to do with the integers. */
void pdpr_i_box_draw(const pdpr_i_box *box, pdpr_i_stream *stream, int64_t *out);

/* ---------------------------------------------------------------- its law (box_law.c), public */

/* The standard deviation of integer i, and the least k with P(|Z_i| > k) <= beyond. Good to some
 * 1e-5. */
double pdpr_i_box_deviation(const pdpr_i_box *box, uint32_t i);
double pdpr_i_box_half_width(const pdpr_i_box *box, uint32_t i, double beyond);

/* By how much the deviation is that of Laplace noise for one query with all of epsilon: for many
 * levels, sqrt((count + 1)(count + 2) / 6). Rounded alike everywhere. */
double pdpr_i_box_widening(uint32_t count);

#endif
