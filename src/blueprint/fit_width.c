/* Fewer triangles for graphs that would be several times too wide, where noise hides how wide the
 * graph is: post-processing.
 *
 * Small budgets take links away and bring triangles by chance, and together they leave a graph with
 * hardly a way on from its triangles: of one noisy run in ten on Citeseer at epsilon 0.2 a tree of
 * triangles was built, up to five times too wide. Real graphs without streets are seldom more than
 * half as wide again as a random graph of three links a node. So where what is built is wider, some
 * of its triangles are taken for noise, a quarter at a time, until it is not: no more of them than
 * noise may have brought, since a graph has no fewer triangles than its capped counts. Where that
 * does not help they stay: what is wide without triangles is a tree, or streets
 * (docs/design/0027-medians-and-widths.md).
 * Cost: one graph built in most cases, eleven at most. */
#include "blueprint/blueprint.h"

#include <math.h>

static const double most_times = 1.5, usual_degree = 3;
static const double part_kept = 0.75;
static const double doubt = 2; /* deviations of the triangles' noise */
enum { CUTS = 10, SOURCES = 12 };

static pdpr_status is_too_wide(pdpr_context *ctx, const pdpr_i_build_targets *targets,
                               const pdpr_i_stream *random, bool *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_graph *g = NULL;
    pdpr_i_stream stream = *random;
    double distance;
    PDPR_TRY(pdpr_i_build(ctx, targets, &stream, &g, NULL, err));
    PDPR_TRY(pdpr_i_mean_distance(ctx, g, SOURCES, &distance, err));
    *out = distance > most_times * log(targets->num_nodes) / log(usual_degree);
done:
    pdpr_i_stream_wipe(&stream);
    pdpr_graph_free(g);
    return s;
}

/* So many triangles the graph has, if the noise was no more than that. */
static double fewest_triangles(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    static const pdpr_i_bp_query counts[2] = {PDPR_I_BP_TRIANGLES_1, PDPR_I_BP_TRIANGLES_2};
    double fewest = 0;
    for (int i = 0; i < 2; i++) {
        double deviation = sqrt(2) * (double)pdpr_i_bp_sensitivity(plan, numbers, counts[i]) /
                           pdpr_i_bp_precision(plan, counts[i]);
        double steps = (double)numbers->triangles[i] - doubt * deviation;
        fewest = fmax(fewest, steps / pdpr_i_bp_steps_per_unit(counts[i]));
    }
    return fewest;
}

pdpr_status pdpr_i_bp_fit_width(pdpr_context *ctx, const pdpr_i_bp_plan *plan,
                                const pdpr_i_bp_numbers *numbers, const pdpr_i_stream *random,
                                pdpr_i_build_targets *targets, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_build_targets fewer = *targets;
    bool wide = true;

    if (!pdpr_i_bp_noise_hides_width(plan, numbers))
        return PDPR_OK;
    double fewest = fewest_triangles(plan, numbers);
    for (int i = 0; i <= CUTS && wide && fewer.triangles > 0; i++) {
        if (i > 0 && (double)fewer.triangles <= fewest)
            break; /* no fewer are believed */
        if (i > 0)
            fewer.triangles = (uint64_t)fmax(part_kept * (double)fewer.triangles, fewest);
        PDPR_TRY(is_too_wide(ctx, &fewer, random, &wide, err));
    }
    if (!wide)
        targets->triangles = fewer.triangles;
done:
    return s;
}
