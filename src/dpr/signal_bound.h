/* Whether a step's gradient can be seen on a grid at all, from public numbers alone. */
#ifndef PDPR_DPR_SIGNAL_BOUND_H
#define PDPR_DPR_SIGNAL_BOUND_H

#include "dpr/network.h"
#include "dpr/paper_constants.h"

/* True only if every coordinate of the gradient of V that pdpr_i_network_backward computes for a
 * batch of these walks is below `grid` in size, whatever the graph, V and W are: rounded toward
 * zero on that grid the gradient is then zero. False says nothing. p: checked, with the shape's
 * scale. Proof: docs/design/0016-signal-below-the-grid.md. */
bool pdpr_i_signal_is_below(const pdpr_i_paper_setting *p, const pdpr_i_network_shape *shape,
                            pdpr_i_pairing pairing, double grid);

#endif
