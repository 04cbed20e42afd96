/* The network f(v; Theta) of Eq. (4): embeddings in, one number in (0, 1) a node out. */
#ifndef PDPR_DPR_NETWORK_H
#define PDPR_DPR_NETWORK_H

#include "base/base.h"
#include "dp/random_stream.h"
#include "dpr/sigmoid.h"
#include "dpr/spectral_norm.h"

typedef struct {
    uint32_t inputs; /* r >= 1, columns of V */
    uint32_t width;  /* d >= 1 */
    uint32_t layers; /* L: hidden layers; there are L + 1 weights: r x d, d x d, …, d x 1 */
    bool biases;     /* the paper leaves them out */
    double scale;    /* s >= 1 of W / (s ||W||_2); 0: weights are used as they are */
} pdpr_i_network_shape;

/* Weights, activations of one batch and gradients. Everything is allocated once, by public sizes.
 * An array called "by layer" holds W_1, …, W_{L+1} one after another, each [inputs][outputs]; the
 * parameters and their gradient have b_1, …, b_{L+1} behind them, if there are biases. */
typedef struct {
    pdpr_i_network_shape shape;
    pdpr_i_multiply multiply;
    pdpr_i_sigmoid *sigmoid;
    uint32_t max_nodes;         /* of a batch */
    uint64_t num_weights;       /* entries of all W */
    uint64_t num_parameters;    /* with biases */
    double *parameter;          /* [num_parameters] */
    double *gradient;           /* [num_parameters], of the loss by the raw parameters */
    double *normalised;         /* by layer: W / (s bound), what the batch is multiplied with */
    double *transposed;         /* by layer, each normalised weight transposed */
    double *direction;          /* by layer, for the gradient through the bound */
    pdpr_i_spectral_norm *norm; /* [L + 1] */
    double *activation;         /* level 0 [max_nodes][r], levels 1..L [max_nodes][d] */
    double *output;             /* [max_nodes]: f */
    double *row_gradient;       /* [max_nodes][r]: of the loss by the rows of V */
    double *partial;            /* [chunks of max_nodes][num_parameters] */
    double *workspace;          /* [threads][workspace_size] */
    uint64_t workspace_size;
} pdpr_i_network;

/* Says which member is out of its range. Errors: PDPR_EUSAGE. */
pdpr_status pdpr_i_network_shape_check(const pdpr_i_network_shape *shape, pdpr_error *err);

/* Weights and biases are zero at first. Errors: PDPR_EUSAGE, PDPR_ENOMEM. */
pdpr_status pdpr_i_network_init(pdpr_context *ctx, const pdpr_i_network_shape *shape,
                                uint32_t max_nodes, pdpr_i_network *out, pdpr_error *err);
void pdpr_i_network_clear(pdpr_i_network *net);

/* Glorot's normal start for the weights: variance 2 / (inputs + outputs). Biases become zero. */
void pdpr_i_network_start(pdpr_i_network *net, pdpr_i_stream *random);

/* Where b_{L+1}, the one bias of the output, stands in `parameter`; there must be biases. */
uint64_t pdpr_i_network_output_bias(const pdpr_i_network *net);

/* Normalises the weights; to be called after each change of `parameter`.
 * Errors: PDPR_ECANCELLED. */
pdpr_status pdpr_i_network_prepare(pdpr_context *ctx, pdpr_i_network *net, pdpr_error *err);

/* f for `count` <= max_nodes nodes into net->output. v: [N][r], nodes: ids below N.
 * Cost: count (r d + (L-1) d^2 + d) multiply-adds. Errors: PDPR_ECANCELLED. */
pdpr_status pdpr_i_network_forward(pdpr_context *ctx, pdpr_i_network *net, const float *v,
                                   const uint32_t *nodes, uint32_t count, pdpr_error *err);

/* After forward: from output_gradient[count], the derivative of the loss by each f, fills
 * net->row_gradient and net->gradient. The same bits for any number of threads. Cost: twice
 * forward and the gradient of the normalisation. Errors: PDPR_ECANCELLED. */
pdpr_status pdpr_i_network_backward(pdpr_context *ctx, pdpr_i_network *net,
                                    const double *output_gradient, uint32_t count, pdpr_error *err);

/* f of all rows of v [num_rows][r] into f[num_rows], by batches. The weights must be prepared. */
pdpr_status pdpr_i_network_evaluate(pdpr_context *ctx, pdpr_i_network *net, const float *v,
                                    uint32_t num_rows, double *f, pdpr_error *err);

#endif
