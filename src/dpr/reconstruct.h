/* From an embedding to a graph (Appendix A of the paper). Public side: V and a key, no graph. */
#ifndef PDPR_DPR_RECONSTRUCT_H
#define PDPR_DPR_RECONSTRUCT_H

#include "dpr/score_sample.h"
#include "graph/graph.h"

/* How the counts S become symmetric scores. */
typedef enum {
    PDPR_I_SYMMETRISE_SUM = 0, /* s_ij + s_ji: NetGAN's and the authors' code */
    PDPR_I_SYMMETRISE_MAX = 1  /* max(s_ij, s_ji): the paper */
} pdpr_i_symmetrise;

typedef struct {
    uint64_t rounds; /* in each, every node draws one neighbour; the paper: T. N rounds < 2^62 */
    uint64_t
        num_edges; /* wanted; UINT64_MAX: every pair that was drawn (the paper's sigmoid rule) */
    pdpr_i_symmetrise symmetrise;
    uint64_t sample; /* number of the graph, < 2^23: each is drawn from streams of its own */
} pdpr_i_reconstruct_options;

/* The law: s_ij counts how often node i drew j from row i of softmax(V V^T) in `rounds` rounds; a
 * draw of itself is thrown away; S is made symmetric. Every node gets one partner with probability
 * in proportion to its scores (a pair chosen from both ends counts once; a node whose scores are
 * all zero gets none). Then pairs not chosen yet are drawn one after another in proportion to their
 * scores, until there are num_edges or no pair with a score is left. There may be more than
 * num_edges if the first part gave more.
 *
 * Takes whichever of the two ways below is cheaper; the law is the same, the bits are not, and the
 * choice depends on V and the options alone. The same graph for any number of threads.
 * Errors: PDPR_EUSAGE, PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_reconstruct(pdpr_context *ctx, const float *v, uint32_t num_nodes, uint32_t cols,
                               const pdpr_i_key *key, const pdpr_i_reconstruct_options *options,
                               pdpr_graph **out, pdpr_error *err);

/* For summed scores: draws only the (round, node) tokens that are looked at, O((m + N log N) r)
 * while logits are small. Memory: some 48 bytes a token looked at. options->symmetrise is not read.
 */
pdpr_status pdpr_i_reconstruct_by_tokens(pdpr_context *ctx, const pdpr_i_score *score,
                                         const pdpr_i_key *key,
                                         const pdpr_i_reconstruct_options *options,
                                         pdpr_graph **out, pdpr_error *err);

/* For any symmetrisation: draws all N rounds tokens and counts them. O(N^2 r) at most, and
 * O(N rounds log N). Memory: 4 bytes a token and 24 a wanted edge. */
pdpr_status pdpr_i_reconstruct_by_counts(pdpr_context *ctx, const pdpr_i_score *score,
                                         const pdpr_i_key *key,
                                         const pdpr_i_reconstruct_options *options,
                                         pdpr_graph **out, pdpr_error *err);

/* Index of the score streams: block number `block` < 2^40 of graph number `sample`. */
static inline uint64_t pdpr_i_score_stream(uint64_t sample, uint64_t block)
{
    return sample << 40 | block;
}

#endif
