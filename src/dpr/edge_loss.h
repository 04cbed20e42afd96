/* The loss of Eq. (5), a pair at a time. */
#ifndef PDPR_DPR_EDGE_LOSS_H
#define PDPR_DPR_EDGE_LOSS_H

#include "base/base.h"

/* A pair of the loss: positions in the list of the batch's distinct nodes. */
typedef struct {
    uint32_t from, to;
} pdpr_i_slot_pair;

typedef struct {
    uint32_t num_nodes; /* N >= 2 of the graph */
    double gamma;       /* damping factor */
} pdpr_i_edge_loss;

/* Returns the sum over pairs (i, j) of
 *
 *     d_j gamma^2 x^2 + kappa x + (1-gamma)^2 / (d_j N^2),   x = f_i / d_i - f_j / (gamma d_j),
 *
 * d_i out-degree, d_j in-degree, both clamped to 1..N-1, kappa = 2 gamma (1-gamma) / N, and fills
 * gradient[slots] with its derivative by every f. f, out_degree, in_degree: [slots]. */
double pdpr_i_edge_loss_sum(const pdpr_i_edge_loss *loss, const pdpr_i_slot_pair *pairs,
                            uint64_t num_pairs, uint32_t slots, const double *f,
                            const uint32_t *out_degree, const uint32_t *in_degree,
                            double *gradient);

#endif
