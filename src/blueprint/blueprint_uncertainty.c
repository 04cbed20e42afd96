/* How far noise may have moved each released number.
 *
 * The noise is discrete Laplace of a public scale, so its quantiles are exact and need no data:
 * with q = exp(-step / scale), P(|noise| > k steps) = 2 q^(k+1) / (1 + q). A solved value is
 * released as the floor of a certified lower end; the truth lies up to the certified gap and half a
 * unit above that, which the upper end of its interval takes in. The interval is for what was
 * measured, which is a statistic of the *capped* graph: what a cap takes away is no noise and is
 * not in it. */
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
    case PDPR_I_BP_COMPONENTS:
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
    if (query == PDPR_I_BP_COMPONENTS)
        return (double)pdpr_i_bp_forest_gap(plan->num_nodes, plan->epsilon) / 2 + 0.5;
    return query >= PDPR_I_BP_TRIANGLES_1 ? 1 : 0;
}

static double fraction(pdpr_i_fraction f)
{
    return (double)f.num / (double)f.den;
}

double pdpr_i_laplace_half_width(double scale_steps)
{
    double q = exp(-1 / scale_steps);
    double k = ceil(log(beyond / 2 * (1 + q)) / log(q) - 1e-9) - 1;
    return k > 0 ? k : 0;
}

pdpr_status pdpr_i_bp_uncertainty(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers,
                                  pdpr_released_number out[PDPR_I_BP_QUERIES], uint32_t *count,
                                  pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_certificate_query made[PDPR_I_BP_QUERIES];
    uint32_t num_made = 0, at = 0;

    PDPR_TRY(pdpr_i_bp_certify(plan, numbers, made, &num_made, err));
    for (int q = 0; q < PDPR_I_BP_QUERIES; q++) {
        if (!plan->share[q].num)
            continue;
        const pdpr_i_certificate_query *c = &made[at];
        pdpr_released_number *x = &out[at++];
        double grid = fraction(c->grid), scale = fraction(c->scale);
        *x = (pdpr_released_number){.name = c->label, .values = c->values};
        if (c->kind == PDPR_I_QUERY_SELECTION) { /* a choice: its law has no scale in its units */
            x->values = 1;
            x->value = (double)answer(numbers, (pdpr_i_bp_query)q);
            x->scale = x->half_width = x->low = x->high = NAN;
            continue;
        }
        x->scale = scale;
        x->half_width = pdpr_i_laplace_half_width(scale / grid) * grid;
        if (q == PDPR_I_BP_HISTOGRAM) {
            x->value = x->low = x->high = NAN;
            continue;
        }
        x->value = (double)answer(numbers, (pdpr_i_bp_query)q) * grid;
        x->low = x->value - x->half_width;
        x->high = x->value + x->half_width + above(plan, numbers, (pdpr_i_bp_query)q);
    }
    *count = at;
done:
    return s;
}
