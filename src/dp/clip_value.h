/* What the clipped step does to one coordinate, for its two forms (barrier_clip.c on whole vectors,
 * barrier_rows.c on a few rows): the same integers by the same code. Proof: docs/proofs/barrier.md.
 */
#ifndef PDPR_DP_CLIP_VALUE_H
#define PDPR_DP_CLIP_VALUE_H

#include "dp/barrier.h"

#include <float.h>
#include <math.h>

#ifdef __FAST_MATH__
#error "the barrier needs IEEE arithmetic: build without -ffast-math"
#endif
_Static_assert(FLT_EVAL_METHOD == 0, "doubles must be computed as doubles");

__extension__ typedef unsigned __int128 pdpr_i_wide;

/* Coordinates of one partial sum of the floating-point norm. */
enum { PDPR_I_CLIP_BLOCK = 8192 };

/* Entries that are not finite count as 0, others are cut at +-2^100 C so that no square overflows.
 */
static inline double pdpr_i_clip_tame(double x, double clip_l2)
{
    const double most = 0x1p100 * clip_l2;
    x = fabs(x) <= DBL_MAX ? x : 0; /* NaN fails the comparison */
    x = x < most ? x : most;
    return x > -most ? x : -most;
}

/* The factor to the grid for a gradient whose norm is sqrt(square) C. */
static inline double pdpr_i_clip_factor(const pdpr_i_clip_plan *plan, double square)
{
    return ldexp(1 / fmax(1, sqrt(square)), -plan->exponent);
}

/* To the grid, toward zero, within +-K. */
static inline int64_t pdpr_i_clip_quantise(double x, const pdpr_i_clip_plan *plan, double factor)
{
    double radius = (double)plan->radius;
    x = pdpr_i_clip_tame(x, plan->clip_l2) * factor;
    x = x < radius ? x : radius;
    x = x > -radius ? x : -radius;
    return (int64_t)x;
}

/* |q| loses ceil(|q| / 1024). */
static inline int64_t pdpr_i_clip_shrink(int64_t q)
{
    int64_t size = q < 0 ? -q : q;
    size -= (size + 1023) / 1024;
    return q < 0 ? -size : size;
}

static inline pdpr_i_wide pdpr_i_clip_square(int64_t q)
{
    uint64_t size = (uint64_t)(q < 0 ? -q : q);
    return (pdpr_i_wide)size * size;
}

/* Whether the plan fits the charge with this label and `count` is in range; its number.
 * Errors: as pdpr_i_clip_new. */
pdpr_status pdpr_i_clip_check(const pdpr_i_meter *meter, const char *label,
                              const pdpr_i_clip_plan *plan, uint64_t count, uint32_t *number,
                              pdpr_error *err);

#endif
