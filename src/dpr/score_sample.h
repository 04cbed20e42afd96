/* Draws from the rows of softmax(V V^T), never forming the matrix. Public side: V, no graph. */
#ifndef PDPR_DPR_SCORE_SAMPLE_H
#define PDPR_DPR_SCORE_SAMPLE_H

#include "base/base.h"
#include "dp/random_stream.h"

/* What draws need to know about V beside V. */
typedef struct {
    const float *v; /* [num_nodes][cols], not owned */
    uint32_t num_nodes, cols;
    double *centre;        /* [cols]: mean row */
    double *bound;         /* [num_nodes]: B_i >= every centred logit of row i */
    double mean_proposals; /* mean over rows of min(exp(B_i), N): what a draw costs, at most */
} pdpr_i_score;

/* v must outlive the object and hold finite numbers. Cost: O(N r).
 * Errors: PDPR_EUSAGE (no node, no column, a number that is not finite), PDPR_ENOMEM. */
pdpr_status pdpr_i_score_init(pdpr_context *ctx, const float *v, uint32_t num_nodes, uint32_t cols,
                              pdpr_i_score *out, pdpr_error *err);
void pdpr_i_score_clear(pdpr_i_score *score);

/* `count` independent draws of j with probability exp(v_i . v_j) / sum over k of exp(v_i . v_k),
 * j = i included, into out[count]. row: [num_nodes] doubles of workspace.
 * Cost: at most about count exp(B_i) products of r numbers expected, or N of them if that is less.
 */
void pdpr_i_score_draw(const pdpr_i_score *score, uint32_t i, uint64_t count, pdpr_i_stream *random,
                       double *row, uint32_t *out);

/* The two ways of drawing, for tests. */
void pdpr_i_score_draw_by_rejection(const pdpr_i_score *score, uint32_t i, uint64_t count,
                                    pdpr_i_stream *random, uint32_t *out);
void pdpr_i_score_draw_by_row(const pdpr_i_score *score, uint32_t i, uint64_t count,
                              pdpr_i_stream *random, double *row, uint32_t *out);

#endif
