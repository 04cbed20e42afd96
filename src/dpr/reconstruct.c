/* Reconstruction: checks, and the choice between looking at tokens and counting them all.
 *
 * Costs are compared in products of r numbers: a token looked at costs the mean number of
 * proposals, and some m + N ln N are; counting costs a row of N products a node at most, and one
 * search a token, taken as a thirtieth of a product of 128. Near the number of all tokens, looking
 * for new pairs would visit most of them anyway. */
#include "dpr/reconstruct.h"

#include <math.h>

static pdpr_status check_options(uint32_t num_nodes, const pdpr_i_reconstruct_options *o,
                                 pdpr_error *err)
{
    if (o->rounds < 1 || o->rounds >= (UINT64_C(1) << 62) / num_nodes)
        return pdpr_i_fail(err, PDPR_EUSAGE, "score rounds: expected 1 to 2^62 / N, found %" PRIu64,
                           o->rounds);
    if (o->symmetrise != PDPR_I_SYMMETRISE_SUM && o->symmetrise != PDPR_I_SYMMETRISE_MAX)
        return pdpr_i_fail(err, PDPR_EUSAGE, "symmetrise: expected sum or max, found %d",
                           (int)o->symmetrise);
    if (o->sample >= UINT64_C(1) << 23)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "number of the graph: expected below 2^23, found %" PRIu64, o->sample);
    return PDPR_OK;
}

static bool tokens_are_cheaper(const pdpr_i_score *score, const pdpr_i_reconstruct_options *o)
{
    double n = score->num_nodes, all = n * (double)o->rounds, wanted = (double)o->num_edges;
    double looked_at = 2 * wanted + n * (2 + log(n + 1));
    double counting = fmin(n, (double)o->rounds * score->mean_proposals) * n + all / 30;
    return o->symmetrise == PDPR_I_SYMMETRISE_SUM && wanted < all / 4 &&
           looked_at * score->mean_proposals < counting;
}

pdpr_status pdpr_i_reconstruct(pdpr_context *ctx, const float *v, uint32_t num_nodes, uint32_t cols,
                               const pdpr_i_key *key, const pdpr_i_reconstruct_options *options,
                               pdpr_graph **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_score score = {0};
    PDPR_TRY(pdpr_i_score_init(ctx, v, num_nodes, cols, &score, err));
    PDPR_TRY(check_options(num_nodes, options, err));
    if (tokens_are_cheaper(&score, options))
        PDPR_TRY(pdpr_i_reconstruct_by_tokens(ctx, &score, key, options, out, err));
    else
        PDPR_TRY(pdpr_i_reconstruct_by_counts(ctx, &score, key, options, out, err));
done:
    pdpr_i_score_clear(&score);
    return s;
}
