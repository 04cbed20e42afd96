/* The number of triangles from two capped counts. */
#include "blueprint/fit_parts.h"

double pdpr_i_fit_triangles(const pdpr_i_fitting *f)
{
    const pdpr_i_bp_numbers *x = f->numbers;
    double first = (double)x->triangles[0] / 2, second = (double)x->triangles[1] / 2;
    double sd1 = pdpr_i_fit_deviation(f, PDPR_I_BP_TRIANGLES_1, x->triangle_cap[0] + 0.5);
    double sd2 = pdpr_i_fit_deviation(f, PDPR_I_BP_TRIANGLES_2, x->triangle_cap[1] + 0.5);
    double more = second - first, noise = pdpr_i_square(sd1) + pdpr_i_square(sd2);
    if (x->triangle_cap[0] == x->triangle_cap[1]) /* the same question twice: the weighted mean */
        return (first * pdpr_i_square(sd2) + second * pdpr_i_square(sd1)) / noise;
    return first + (more > 0 ? more * pdpr_i_square(more) / (pdpr_i_square(more) + noise) : 0);
}
