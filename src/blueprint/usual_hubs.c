/* What hubs graphs usually have: how large the first degree index is, the largest degree, and how
 * many links a first cap hides.
 *
 * As many nodes as the index says have that many links. In 23 real graphs of 297 to 74,401 nodes
 * (mail, words, packages, co-authors, the internet) it is .22 to .71 times N^(3/8) d^(3/4), d the
 * mean degree, and smaller in generated graphs without hubs; so a far larger answer is noise, where
 * there is as much noise as that. Without this, one unlucky draw makes hubs that are not there, and
 * a cap for them whose own noise drowns the next answers. And hardly anybody is linked to a quarter
 * of all nodes, but for the one node to which all are, which no tool can keep; while a Pareto law
 * through two indices goes on far beyond that in dense graphs, whose tails bend
 * (docs/design/0026-usual-hubs-and-bottlenecks.md). A first cap of which more than a fifth is taken
 * up hides many links, in most graphs from a third of those under it to twice as many; small
 * budgets have no other (0027). Caps must come out alike wherever a run is taken up again: sums,
 * products, quotients and square roots only. */
#include "blueprint/tail_law.h"

#include <math.h>

/* What an index seldom exceeds, of N^(3/8) d^(3/4); up to there all are alike, beyond they are the
 * rarer the farther, as on a bell of such a deviation, of the most. */
static const double usual_most = 0.7, usual_spread = 0.25;
/* What it is where it was not asked: a cap too wide costs noise, one too narrow hides most links.
 */
static const double usual_index = 0.6;
/* Which part of the room under a cap, half of N times the cap, is taken up before the cap hides
 * more than a few links, and how much more until it hides so many, of those under it. */
static const double some_taken = 0.2, many_taken = 0.3, most_hidden = 0.7;
/* The largest degree, of the nodes; and where so many have that many links that it is more. */
static const double usual_share = 0.25, in_indices = 2;
/* How far the second index may be above the first, in deviations. */
static const double second_doubt = 0.5;

/* N^(3/8) d^(3/4). */
static double index_unit(uint32_t num_nodes, double links)
{
    double n = num_nodes, mean = fmax(2 * links / n, 1), root = sqrt(n), fourth = sqrt(root);
    return fourth * sqrt(fourth) * sqrt(mean) * sqrt(sqrt(mean));
}

double pdpr_i_usual_links(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    double under = fmax((double)numbers->edges, 0);
    double taken = 2 * under / ((double)plan->num_nodes * numbers->theta);
    double many = fmin(fmax((taken - some_taken) / many_taken, 0), 1);
    return under * (1 + most_hidden * many);
}

double pdpr_i_believed_index(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    double unit = index_unit(plan->num_nodes, pdpr_i_usual_links(plan, numbers));
    if (!plan->asks[PDPR_I_BP_INDEX_LOW])
        return fmax(numbers->theta, usual_index * unit);
    double index = (double)numbers->index_low, most = usual_most * unit;
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
    return fmin(second, fmax(pdpr_i_believed_index(plan, numbers), 0) + second_doubt * deviation);
}

double pdpr_i_usual_most_degree(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    double most =
        fmax(usual_share * plan->num_nodes, in_indices * pdpr_i_believed_index(plan, numbers));
    return fmin(most, plan->num_nodes - 1.0);
}
