/* How far the second count of edges looks: a public rule.
 *
 * A wider cap loses fewer links of hubs and has more noise. Where the degree curve meets two
 * diagonals has been told by then. A Pareto law through the first, of the slope that agrees best
 * with the second, says how many links lie beyond a cap; the cap of the grid is taken for which
 * what is lost and the noise are least together. What decides here must come out alike wherever a
 * run is taken up again, so no function is used that is not rounded alike everywhere. */
#include "blueprint/blueprint.h"

#include <math.h>

/* Nodes of degree x and more: a x^-slope, the slope in quarters, which square roots give. */
typedef struct {
    uint32_t quarters;
    double cost; /* of believing it, in units of the noise */
} tail_law;
static const tail_law laws[] = {{5, 2}, {6, 0.5}, {8, 0}, {12, 0.5}};
enum { LAWS = sizeof laws / sizeof *laws, USUAL = 2 };

static const double most_noise = 0.3;      /* of the edges under the first cap */
static const double least_of_theta = 2;    /* in first caps */
static const double end_step = 1 + 0x1p-6; /* where the law ends is sought in such steps */

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

/* Nodes of degree x and more, by the law that has h nodes of degree h and more. */
static double nodes_from(double h, uint32_t quarters, double x)
{
    return h * power(h / x, quarters);
}

/* Where the law meets the diagonal shifted by `shift`. */
static double index_of(double h, uint32_t quarters, double shift, double most)
{
    double j = 0;
    while (j < most && nodes_from(h, quarters, shift + j + 1) >= j + 1)
        j++;
    return j;
}

/* The slope that agrees best with the second index, in quarters. */
static uint32_t choose_slope(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers, double h)
{
    double best = INFINITY, most = plan->num_nodes;
    uint32_t quarters = laws[USUAL].quarters;
    if (!plan->share[PDPR_I_BP_INDEX_HIGH].num)
        return quarters;
    for (int i = 0; i < LAWS; i++) {
        double told = index_of(h, laws[i].quarters, 2.0 * numbers->theta, most);
        double misfit =
            fabs(told - (double)numbers->index_high) * pdpr_i_bp_share(plan, PDPR_I_BP_INDEX_HIGH) +
            laws[i].cost;
        if (misfit < best) {
            best = misfit;
            quarters = laws[i].quarters;
        }
    }
    return quarters;
}

uint32_t pdpr_i_bp_wide_cap(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    double share = pdpr_i_bp_share(plan, PDPR_I_BP_EDGES_WIDE);
    double least = least_of_theta * numbers->theta, best = INFINITY;
    double most = fmax(most_noise * share * (double)numbers->edges, least);
    double h = plan->share[PDPR_I_BP_INDEX_LOW].num ? (double)numbers->index_low : numbers->theta;
    h = fmin(fmax(h, 2), plan->num_nodes);
    uint32_t quarters = choose_slope(plan, numbers, h);
    double slope = quarters / 4.0, end = h;
    while (end < plan->num_nodes && nodes_from(h, quarters, end) > 1) /* the law's last node */
        end *= end_step;
    double beyond_end = end * nodes_from(h, quarters, end);
    uint32_t found = plan->num_grid - 1;
    for (uint32_t i = 0; i < plan->num_grid; i++) {
        double cap = plan->theta_grid[i], noise = sqrt(2) * cap / share, lost = 0;
        if (cap < least)
            continue;
        if (cap < end) /* the integral of nodes_from, from the cap to the end */
            lost = (cap * nodes_from(h, quarters, cap) - beyond_end) / (slope - 1);
        if (noise * noise + lost * lost < best) {
            best = noise * noise + lost * lost;
            found = i;
        }
        if (cap >= most)
            break;
    }
    return found;
}
