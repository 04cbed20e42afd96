/* Eq. (5) of the paper: the upper bound of PageRank's squared defect, decomposed over arcs.
 *
 * With x = f_i / d_i - f_j / (gamma d_j) the derivative by x is
 *
 *     c_ij = 2 gamma^2 d_j f_i / d_i - 2 gamma f_j + kappa,
 *
 * so that f_i receives c_ij / d_i and f_j receives -c_ij / (gamma d_j) (PRIVACY.md, section 2).
 * Pairs are added in their order: one result, whatever the threads around it. Cost: O(pairs).
 *
 * Degrees are clamped to 1..N-1 as Lemma 3 needs: a start node without arcs has degree 0, and
 * pairs that are not arcs may end in a node without in-arcs. */
#include "dpr/edge_loss.h"

#include <string.h>

static double clamp_degree(uint32_t degree, uint32_t num_nodes)
{
    return degree < 1 ? 1 : degree > num_nodes - 1 ? num_nodes - 1 : degree;
}

double pdpr_i_edge_loss_sum(const pdpr_i_edge_loss *loss, const pdpr_i_slot_pair *pairs,
                            uint64_t num_pairs, uint32_t slots, const double *f,
                            const uint32_t *out_degree, const uint32_t *in_degree, double *gradient)
{
    double g = loss->gamma, n = loss->num_nodes, sum = 0;
    double kappa = 2 * g * (1 - g) / n;
    memset(gradient, 0, slots * sizeof *gradient);
    for (uint64_t k = 0; k < num_pairs; k++) {
        uint32_t i = pairs[k].from, j = pairs[k].to;
        double out = clamp_degree(out_degree[i], loss->num_nodes);
        double in = clamp_degree(in_degree[j], loss->num_nodes);
        double x = f[i] / out - f[j] / (g * in);
        double c = 2 * g * g * in * x + kappa;
        sum += in * g * g * x * x + kappa * x + (1 - g) * (1 - g) / (in * n * n);
        gradient[i] += c / out;
        gradient[j] -= c / (g * in);
    }
    return sum;
}
