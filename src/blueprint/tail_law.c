#include "blueprint/tail_law.h"

#include <math.h>

/* Slopes that are tried. */
typedef struct {
    uint32_t quarters;
    double cost; /* of believing it, in units of the noise */
} slope;
static const slope slopes[] = {{5, 2}, {6, 0.5}, {8, 0}, {12, 0.5}, {20, 1}};
enum { SLOPES = sizeof slopes / sizeof *slopes, USUAL = 2 };

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

double pdpr_i_tail_law_nodes(const pdpr_i_tail_law *law, double degree)
{
    return law->h * power(law->h / degree, law->quarters);
}

/* Where the law meets the diagonal shifted by `shift`. */
static double index_of(const pdpr_i_tail_law *law, double shift, double most)
{
    double j = 0;
    while (j < most && pdpr_i_tail_law_nodes(law, shift + j + 1) >= j + 1)
        j++;
    return j;
}

/* The slope that agrees best with the second index, in quarters. */
static uint32_t choose_slope(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers, double h)
{
    double best = INFINITY, most = plan->num_nodes;
    uint32_t quarters = slopes[USUAL].quarters;
    if (!plan->asks[PDPR_I_BP_INDEX_HIGH])
        return quarters;
    for (int i = 0; i < SLOPES; i++) {
        pdpr_i_tail_law law = {.h = h, .quarters = slopes[i].quarters};
        double told = index_of(&law, 2.0 * numbers->theta, most);
        double misfit = fabs(told - (double)numbers->index_high) *
                            pdpr_i_bp_precision(plan, PDPR_I_BP_INDEX_HIGH) +
                        slopes[i].cost;
        if (misfit < best) {
            best = misfit;
            quarters = slopes[i].quarters;
        }
    }
    return quarters;
}

pdpr_i_tail_law pdpr_i_tail_law_of(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    double h = pdpr_i_believed_index(plan, numbers);
    pdpr_i_tail_law law = {.h = fmin(fmax(h, 2), plan->num_nodes)};
    law.quarters = choose_slope(plan, numbers, law.h);
    law.end = law.h;
    double most = pdpr_i_usual_most_degree(plan, numbers);
    while (law.end < most && pdpr_i_tail_law_nodes(&law, law.end) > 1)
        law.end *= end_step;
    return law;
}
