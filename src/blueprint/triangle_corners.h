/* What a cap on triangles leaves, by the prices of the linear program's dual.
 *
 * A cap of c on each of k nodes lets through at most c k / corners and what is left of the
 * triangles if each corner among the k takes one over `corners` of a triangle away: prices of 1 /
 * corners on the set (weak duality). With `corners` = 3 a triangle uses up three nodes, as it does
 * where most nodes are above the cap. Sums and products only: rounded alike everywhere. */
#ifndef PDPR_BLUEPRINT_TRIANGLE_CORNERS_H
#define PDPR_BLUEPRINT_TRIANGLE_CORNERS_H

enum { PDPR_I_CORNERS = 3 };

/* The part of all triangles that is left; `out` is the part of the corners outside of the set,
 * where they fall independently. */
static inline double pdpr_i_triangles_left(double out, int corners)
{
    double in = 1 - out, none = out * out * out, one = 3 * in * out * out, two = 3 * in * in * out;
    return corners == 1 ? none : corners == 2 ? none + one / 2 : none + 2 * one / 3 + two / 3;
}

#endif
