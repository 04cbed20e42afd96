/* How many triangles of a node the two counts see: public rules.
 *
 * A wider cap hides fewer triangles of hubs and has more noise. The first cap is narrow, so that
 * its answer says how many triangles there are at all. The indices have told of the largest degree
 * by then (wide_cap.c). With the law of fit_triangles.c both say how many triangles there are about
 * and what each cap would hide of them; the cap is taken for which noise and most of what it hides
 * are least together, unless its noise is more than a fifth of the first answer: not all graphs
 * follow the law. What decides here must come out alike wherever a run is taken up again, so no
 * function is used that is not rounded alike everywhere. */
#include "blueprint/blueprint.h"

#include <math.h>

enum { MOST_CAP = 1 << 20, MOST_STEPS = 80, ROUNDS = 8 };
static const double most_cap_times_n = 0x1p46; /* what measure_triangle_cap.h allows */
static const double hidden_is_lost = 0.8;      /* the fit finds the rest of what a cap hides */
static const double most_noise = 0.2;          /* of the first answer */
static const double most_times = 8; /* so many times the first answer are believed at most */

/* The law in steps of a quarter of a doubling of the cap: j steps below its end a cap lets
 * shrink^(j^2) through. */
static const double cap_step = 0x1.306fe0a31b715p+0; /* 2^(1/4) */
static const double shrink = 0.9975008;              /* exp(-log(cap_step)^2 / 12) */

double pdpr_i_bp_triangle_end(double triangles_a_node, double mean_degree, double largest_degree)
{
    double times = largest_degree / mean_degree;
    double by_size = 4 * largest_degree, by_number = 6 * triangles_a_node * times * sqrt(times);
    return 1 / (1 / by_size + 1 / by_number);
}

/* Few nodes of sparse graphs are in more triangles than twice the mean degree. */
uint32_t pdpr_i_bp_first_triangle_cap(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    double cap = 4.0 * (double)numbers->edges / plan->num_nodes, most = numbers->theta;
    return cap < 4 ? 4 : cap > most ? (uint32_t)most : (uint32_t)cap;
}

/* Steps from the first cap to the one that hides nothing of so many triangles. */
static uint32_t steps_to_end(const pdpr_i_bp_numbers *numbers, double triangles, double n,
                             double largest)
{
    double mean = fmax(2 * (double)numbers->edges / n, 0.5);
    double end = pdpr_i_bp_triangle_end(fmax(triangles, 1) / n, mean, largest);
    uint32_t steps = 0;
    for (double cap = numbers->triangle_cap[0]; cap < end && steps < MOST_STEPS; cap *= cap_step)
        steps++;
    return steps;
}

uint32_t pdpr_i_bp_second_triangle_cap(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    double share = pdpr_i_bp_share(plan, PDPR_I_BP_TRIANGLES_2), times = 2 + 6 * share;
    double first = numbers->triangle_cap[0], told = fmax((double)numbers->triangles[0] / 2, 0);
    double least = (times < 4 ? times : 4) * first, found = least, best = INFINITY;
    double most = fmin(MOST_CAP, floor(most_cap_times_n / plan->num_nodes));
    double largest = pdpr_i_bp_largest_degree(plan, numbers);
    double triangles = told, cap = first, part[MOST_STEPS + 1] = {1};
    uint32_t steps = 0;

    for (uint32_t j = 1; j <= MOST_STEPS; j++) {
        part[j] = part[j - 1];
        for (uint32_t i = 0; i < 2 * j - 1; i++)
            part[j] *= shrink;
    }
    for (int round = 0; round < ROUNDS; round++) { /* the end depends on the number */
        steps = steps_to_end(numbers, triangles, plan->num_nodes, largest);
        triangles = fmin(told / part[steps], most_times * told);
    }
    for (uint32_t j = 0; j <= steps; j++, cap *= cap_step) {
        double tried = fmax(cap, least), noise = sqrt(2) * tried / share;
        double hidden = hidden_is_lost * triangles * (1 - part[steps - j]);
        if ((noise <= most_noise * told || tried == least) &&
            noise * noise + hidden * hidden < best) {
            best = noise * noise + hidden * hidden;
            found = tried;
        }
    }
    return (uint32_t)fmin(found + 0.5, most);
}
