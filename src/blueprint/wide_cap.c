/* How far the second count of edges looks: a public rule.
 *
 * A wider cap loses fewer links of hubs and has more noise. Where the degree curve meets two
 * diagonals has been told by then. A Pareto law through the first, of the slope that agrees best
 * with the second, says how many links lie beyond a cap; the cap of the grid is taken for which
 * what is lost and the noise are least together. What decides here must come out alike wherever a
 * run is taken up again, so no function is used that is not rounded alike everywhere. */
#include "blueprint/blueprint.h"

#include <math.h>

/* Slopes in quarters, which square roots give. */
static const struct {
    uint32_t quarters;
    double cost; /* of believing it, in units of the noise */
} laws[] = {{5, 2}, {6, 0.5}, {8, 0}, {12, 0.5}};
enum { LAWS = sizeof laws / sizeof *laws };

static const double most_noise = 0.3;      /* of the edges under the first cap */
static const double least_of_theta = 2;    /* in first caps */
static const double end_step = 1 + 0x1p-6; /* where the law ends is sought in such steps */

/* h nodes have degree h and more, h (h / x)^slope have x and more. */
typedef struct {
    double h;
    uint32_t quarters;
} tail_law;

/* x to so many quarters. */
static double power(double x, uint32_t quarters)
{
    double result = 1, root = sqrt(x);
    for (uint32_t i = 0; i < quarters / 4; i++)
        result *= x;
    if (quarters & 2)
        result *= root;
    return quarters & 1 ? result * sqrt(root) : result;
}

static double nodes_from(tail_law law, double x)
{
    return law.h * power(law.h / x, law.quarters);
}

/* Where the law meets the diagonal shifted by `shift`. */
static double index_of(tail_law law, double shift, double most)
{
    double j = 0;
    while (j < most && nodes_from(law, shift + j + 1) >= j + 1)
        j++;
    return j;
}

/* The law through the first index, of this slope. */
static tail_law law_of(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers,
                       uint32_t quarters)
{
    double h = plan->share[PDPR_I_BP_INDEX_LOW].num ? (double)numbers->index_low : numbers->theta;
    return (tail_law){fmin(fmax(h, 2), plan->num_nodes), quarters};
}

/* What it costs to believe a law, beside the second index. */
static double cost_of(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers, int i)
{
    if (!plan->share[PDPR_I_BP_INDEX_HIGH].num)
        return laws[i].cost;
    double told =
        index_of(law_of(plan, numbers, laws[i].quarters), 2.0 * numbers->theta, plan->num_nodes);
    return fabs(told - (double)numbers->index_high) * pdpr_i_bp_share(plan, PDPR_I_BP_INDEX_HIGH) +
           laws[i].cost;
}

/* The one that agrees best. */
static tail_law choose_law(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    double least = INFINITY;
    uint32_t quarters = 0;
    for (int i = 0; i < LAWS; i++) {
        double cost = cost_of(plan, numbers, i);
        if (cost < least) {
            least = cost;
            quarters = laws[i].quarters;
        }
    }
    return law_of(plan, numbers, quarters);
}

/* Where its last node is. */
static double end_of(const pdpr_i_bp_plan *plan, tail_law law)
{
    double end = law.h;
    while (end < plan->num_nodes && nodes_from(law, end) > 1)
        end *= end_step;
    return end;
}

double pdpr_i_bp_largest_degree(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    return end_of(plan, choose_law(plan, numbers));
}

uint32_t pdpr_i_bp_wide_cap(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    double share = pdpr_i_bp_share(plan, PDPR_I_BP_EDGES_WIDE);
    double least = least_of_theta * numbers->theta, best = INFINITY;
    double most = fmax(most_noise * share * (double)numbers->edges, least);
    tail_law law = choose_law(plan, numbers);
    double slope = law.quarters / 4.0, end = end_of(plan, law);
    double beyond_end = end * nodes_from(law, end);
    uint32_t found = plan->num_grid - 1;
    for (uint32_t i = 0; i < plan->num_grid; i++) {
        double cap = plan->theta_grid[i], noise = sqrt(2) * cap / share, lost = 0;
        if (cap < least)
            continue;
        if (cap < end) /* the integral of the nodes, from the cap to the end */
            lost = (cap * nodes_from(law, cap) - beyond_end) / (slope - 1);
        if (noise * noise + lost * lost < best) {
            best = noise * noise + lost * lost;
            found = i;
        }
        if (cap >= most)
            break;
    }
    return found;
}
