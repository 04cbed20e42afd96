/* What the score matrix softmax(V V^T) says about single nodes, without forming it. Public side:
 * V, no graph. */
#ifndef PDPR_DPR_SCORE_ORDER_H
#define PDPR_DPR_SCORE_ORDER_H

#include "base/base.h"

/* For every node, from v [num_nodes][cols]:
 *   mass[j]   how much of the other nodes' scores j draws, to first order: v_j . sum of v_i, i != j
 *   along[j]  where j lies in the direction in which the rows differ most, the direction of their
 *             mean taken out: nodes near each other in it score each other highly
 * Both [num_nodes]. The same bits for any number of threads. Cost: O(N cols^2).
 * Errors: PDPR_EUSAGE (no column, a number that is not finite), PDPR_ENOMEM. */
pdpr_status pdpr_i_score_order(pdpr_context *ctx, const float *v, uint32_t num_nodes, uint32_t cols,
                               double *mass, double *along, pdpr_error *err);

#endif
