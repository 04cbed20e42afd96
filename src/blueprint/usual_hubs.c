/* What hubs graphs usually have: how large the first degree index is, and the largest degree.
 *
 * As many nodes as the index says have that many links. In 23 real graphs of 297 to 74,401 nodes
 * (mail, words, packages, co-authors, the internet) it is .22 to .71 times N^(3/8) d^(3/4), d the
 * mean degree, and smaller in generated graphs without hubs; so a far larger answer is noise, where
 * there is as much noise as that. Without this, one unlucky draw makes hubs that are not there, and
 * a cap for them whose own noise drowns the next answers. And hardly anybody is linked to a quarter
 * of all nodes, but for the one node to which all are, which no tool can keep; while a Pareto law
 * through two indices goes on far beyond that in dense graphs, whose tails bend
 * (docs/design/0026-usual-hubs-and-bottlenecks.md). Caps must come out alike wherever a run is
 * taken up again: sums, products, quotients and square roots only. */
#include "blueprint/tail_law.h"

#include <math.h>

/* What an index seldom exceeds, of N^(3/8) d^(3/4); up to there all are alike, beyond they are the
 * rarer the farther, as on a bell of such a deviation, of the most. */
static const double usual_most = 0.7, usual_spread = 0.25;
/* The largest degree, of the nodes; and where so many have that many links that it is more. */
static const double usual_share = 0.25, in_indices = 2;
/* How far the second index may be above the first, in deviations. */
static const double second_doubt = 0.5;

static double most_index(uint32_t num_nodes, double links)
{
    double n = num_nodes, mean = fmax(2 * links / n, 1), root = sqrt(n), fourth = sqrt(root);
    return usual_most * fourth * sqrt(fourth) * sqrt(mean) * sqrt(sqrt(mean));
}

double pdpr_i_believed_index(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    if (!plan->asks[PDPR_I_BP_INDEX_LOW])
        return numbers->theta;
    double index = (double)numbers->index_low;
    double most = most_index(plan->num_nodes, (double)numbers->edges);
    double scale = 1 / pdpr_i_bp_precision(plan, PDPR_I_BP_INDEX_LOW);
    double noise = 2 * scale * scale, known = usual_spread * most * usual_spread * most;
    return index - fmax(index - most, 0) * noise / (known + noise);
}

double pdpr_i_believed_second_index(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    double second = (double)numbers->index_high;
    if (!plan->asks[PDPR_I_BP_INDEX_LOW])
        return second;
    double deviation = sqrt(2) / pdpr_i_bp_precision(plan, PDPR_I_BP_INDEX_LOW);
    return fmin(second, pdpr_i_believed_index(plan, numbers) + second_doubt * deviation);
}

double pdpr_i_usual_most_degree(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    double most =
        fmax(usual_share * plan->num_nodes, in_indices * pdpr_i_believed_index(plan, numbers));
    return fmin(most, plan->num_nodes - 1.0);
}
