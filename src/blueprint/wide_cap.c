/* How far the second count of edges looks: a public rule.
 *
 * A wider cap loses fewer links of hubs and has more noise. Where the degree curve meets two
 * diagonals has been told by then, where there is budget for it, or is guessed from how full the
 * first cap is (usual_hubs.c); the law through both (tail_law.h) says how many links lie beyond a
 * cap. The cap of the grid is taken for which what is lost and the noise are least together. */
#include "blueprint/tail_law.h"

#include <math.h>

static const double most_noise = 0.3;   /* of the edges under the first cap and what it hides */
static const double least_of_theta = 2; /* in first caps */

uint32_t pdpr_i_bp_wide_cap(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    double precision = pdpr_i_bp_precision(plan, PDPR_I_BP_EDGES_WIDE);
    double least = least_of_theta * numbers->theta, best = INFINITY;
    double most = fmax(most_noise * precision * pdpr_i_usual_links(plan, numbers), least);
    pdpr_i_tail_law law = pdpr_i_tail_law_of(plan, numbers);
    double beyond_end = law.end * pdpr_i_tail_law_nodes(&law, law.end);
    uint32_t found = plan->num_grid - 1;
    for (uint32_t i = 0; i < plan->num_grid; i++) {
        double cap = plan->theta_grid[i], noise = sqrt(2) * cap / precision, lost = 0;
        if (cap < least)
            continue;
        if (cap < law.end) /* the integral of the law, from the cap to the end */
            lost = (cap * pdpr_i_tail_law_nodes(&law, cap) - beyond_end) / (law.quarters / 4.0 - 1);
        if (noise * noise + lost * lost < best) {
            best = noise * noise + lost * lost;
            found = i;
        }
        if (cap >= most)
            break;
    }
    return found;
}
