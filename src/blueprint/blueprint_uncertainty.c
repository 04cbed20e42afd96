/* How far noise may have moved each released number.
 *
 * The laws of the noise are public, so its quantiles need no data: for the bins of the histogram,
 * discrete Laplace, P(|noise| > k steps) = 2 q^(k+1) / (1 + q) with q = exp(-step / scale); for the
 * queries of a round the law of box noise (dp/box_law.c), where `scale` is that of Laplace noise
 * as wide. A solved value is released as the floor of a certified lower end; the truth lies up to
 * the certified gap and half a unit above that, which the upper end of its interval takes in. The
 * interval is for what was measured, which is a statistic of the *capped* graph: what a cap takes
 * away is no noise and is not in it. */
#include "blueprint/blueprint.h"

#include <math.h>

static const double beyond = 0.05; /* probability outside the interval */

/* The answer in steps of its grid. No default: a new query must be named here. */
static int64_t answer(const pdpr_i_bp_numbers *x, pdpr_i_bp_query query)
{
    switch (query) {
    case PDPR_I_BP_THETA:
        return x->theta;
    case PDPR_I_BP_EDGES:
        return x->edges;
    case PDPR_I_BP_EDGES_WIDE:
        return x->edges_wide;
    case PDPR_I_BP_INDEX_LOW:
        return x->index_low;
    case PDPR_I_BP_INDEX_HIGH:
        return x->index_high;
    case PDPR_I_BP_TRIANGLES_1:
        return x->triangles[0];
    case PDPR_I_BP_TRIANGLES_2:
        return x->triangles[1];
    case PDPR_I_BP_FOREST:
        return x->forest;
    case PDPR_I_BP_PATHS_1: /* summed over the pairs asked for */
        return x->paths[0];
    case PDPR_I_BP_PATHS_2:
        return x->paths[1];
    case PDPR_I_BP_HISTOGRAM: /* a vector: see cumulative_degrees */
    case PDPR_I_BP_QUERIES:
        break;
    }
    return 0;
}

/* How far the truth may lie above a value before noise: gap and rounding of solved ones. */
static double above(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *x, pdpr_i_bp_query query)
{
    if (query == PDPR_I_BP_PATHS_1 || query == PDPR_I_BP_PATHS_2)
        return (double)pdpr_i_bp_path_gap(plan, x->window[query == PDPR_I_BP_PATHS_2]) / 2 + 0.5;
    if (query == PDPR_I_BP_FOREST)
        return (double)pdpr_i_bp_forest_gap(plan->num_nodes, plan->epsilon) / 2 + 0.5;
    if (query == PDPR_I_BP_TRIANGLES_1 || query == PDPR_I_BP_TRIANGLES_2) {
        uint32_t cap = x->triangle_cap[query == PDPR_I_BP_TRIANGLES_2];
        return (double)pdpr_i_bp_triangle_gap(cap) / 2 + 0.5;
    }
    return 0;
}

double pdpr_i_laplace_half_width(double scale_steps)
{
    double q = exp(-1 / scale_steps);
    double k = ceil(log(beyond / 2 * (1 + q)) / log(q) - 1e-9) - 1;
    return k > 0 ? k : 0;
}

/* How wide the noise of a query is, in steps of its grid. */
static pdpr_status widths(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers,
                          pdpr_i_bp_query query, double *scale, double *half_width, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_box box;
    uint64_t sensitivity[PDPR_I_BOX_MOST];
    pdpr_i_bp_query asked[PDPR_I_BOX_MOST];
    pdpr_i_bp_charge charge = pdpr_i_bp_charge_of(query);
    uint32_t together = pdpr_i_bp_asked_together(plan, charge, asked), at = 0;

    if (query == PDPR_I_BP_HISTOGRAM) {
        *scale =
            (double)pdpr_i_bp_sensitivity(plan, numbers, query) / pdpr_i_bp_precision(plan, query);
        *half_width = pdpr_i_laplace_half_width(*scale);
        return PDPR_OK;
    }
    for (uint32_t i = 0; i < together; i++) {
        at = asked[i] == query ? i : at;
        sensitivity[i] = pdpr_i_bp_sensitivity(plan, numbers, asked[i]);
    }
    PDPR_TRY(pdpr_i_box_init(&box, plan->charge[charge], sensitivity, together, err));
    *scale = pdpr_i_box_deviation(&box, at) / sqrt(2);
    *half_width = pdpr_i_box_half_width(&box, at, beyond);
done:
    return s;
}

pdpr_status pdpr_i_bp_uncertainty(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers,
                                  pdpr_released_number out[PDPR_I_BP_QUERIES], uint32_t *count,
                                  pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t made = 0;

    for (int i = 0; i < PDPR_I_BP_QUERIES; i++) {
        pdpr_i_bp_query q = (pdpr_i_bp_query)i;
        double grid = 1.0 / pdpr_i_bp_steps_per_unit(q), scale, half_width;
        if (!plan->asks[q])
            continue;
        pdpr_released_number *x = &out[made++];
        *x = (pdpr_released_number){.name = pdpr_i_bp_query_name(q), .values = 1};
        if (q == PDPR_I_BP_THETA) { /* a choice: its law has no scale in its units */
            x->value = (double)answer(numbers, q);
            x->scale = x->half_width = x->low = x->high = NAN;
            continue;
        }
        PDPR_TRY(widths(plan, numbers, q, &scale, &half_width, err));
        x->scale = scale * grid;
        x->half_width = half_width * grid;
        if (q == PDPR_I_BP_HISTOGRAM) {
            x->values = numbers->theta;
            x->value = x->low = x->high = NAN;
            continue;
        }
        x->value = (double)answer(numbers, q) * grid;
        x->low = x->value - x->half_width;
        x->high = x->value + x->half_width + above(plan, numbers, q);
    }
    *count = made;
done:
    return s;
}
