/* A bound on the computed gradient of V for every graph: the certified radius, with the rounding of
 * the network added.
 *
 * R_cert (paper_constants.h) bounds the gradient in exact arithmetic, from the slopes of the
 * sigmoid, the norms 1/s of the weights and the degrees 1..N-1. The weights that are used have that
 * norm as they stand in memory (spectral_norm.c), activations are computed numbers in [0, 1], and
 * rounding adds a relative error below e = ((L + 1) (d^1.5 + 4) + B + 32) 2^-52. With the limits of
 * pdpr_i_network_shape_check (L <= 2^12, d <= 2^14) and of batches (B <= 2^31) e is below 2^-17; a
 * factor 1 + 2^-10 covers it and the rounding of R_cert itself.
 *
 * Cost: O(1). Proof: docs/design/0016-signal-below-the-grid.md. */
#include "dpr/signal_bound.h"

bool pdpr_i_signal_is_below(const pdpr_i_paper_setting *p, const pdpr_i_network_shape *shape,
                            pdpr_i_pairing pairing, double grid)
{
    if (!(shape->scale >= 1 && shape->scale == p->scale))
        return false; /* weights that are not normalised have no bound */
    return pdpr_i_paper_certified_radius(p, shape->layers, pairing) * (1 + 0x1p-10) < grid;
}
