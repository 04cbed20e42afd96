/* From noisy numbers to targets: post-processing, free of charge.
 *
 * Each kind of target has its file: fit_degrees.c (with fit_simulate.c, fit_filter.c, fit_tail.c),
 * fit_triangles.c, fit_components.c, then fit_locality.c, or fit_width.c where noise hides how wide
 * the graph is. Here they are put together. Every answer counts by its precision, and where noise
 * says more than the answer a public prior decides.
 * Cost: that of the degrees, and of some eight graphs that are built to see how wide they come out.
 */
#include "blueprint/fit_parts.h"

#include <math.h>

double pdpr_i_fit_deviation(const pdpr_i_fitting *f, pdpr_i_bp_query query, double sensitivity)
{
    return sqrt(2) * sensitivity / pdpr_i_bp_precision(f->plan, query);
}

static pdpr_status begin(pdpr_i_fitting *f, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t size = (uint64_t)f->theta + 1;
    PDPR_TRY(
        pdpr_i_alloc(f->ctx, f->theta, sizeof *f->measured, "degree curve", &f->measured, err));
    PDPR_TRY(
        pdpr_i_alloc(f->ctx, f->theta, sizeof *f->simulated, "degree curve", &f->simulated, err));
    PDPR_TRY(pdpr_i_zalloc(f->ctx, f->theta, sizeof *f->current, "degree curve", &f->current, err));
    PDPR_TRY(pdpr_i_alloc(f->ctx, f->theta, sizeof *f->wished, "degree curve", &f->wished, err));
    PDPR_TRY(pdpr_i_alloc(f->ctx, f->n, sizeof *f->kept, "simulated degrees", &f->kept, err));
    PDPR_TRY(
        pdpr_i_alloc(f->ctx, f->n, sizeof *f->kept_wide, "simulated degrees", &f->kept_wide, err));
    PDPR_TRY(
        pdpr_i_alloc(f->ctx, size * size, sizeof *f->matrix, "degree filter", &f->matrix, err));
    PDPR_TRY(pdpr_i_alloc(f->ctx, 4 * size, sizeof *f->vector, "degree filter", &f->vector, err));
done:
    return s;
}

static void end(pdpr_i_fitting *f)
{
    pdpr_free(f->measured);
    pdpr_free(f->simulated);
    pdpr_free(f->current);
    pdpr_free(f->wished);
    pdpr_free(f->stub);
    pdpr_free(f->pair);
    pdpr_free(f->kept);
    pdpr_free(f->kept_wide);
    pdpr_free(f->matrix);
    pdpr_free(f->vector);
}

pdpr_status pdpr_i_bp_fit_structure(pdpr_context *ctx, const pdpr_i_bp_plan *plan,
                                    const pdpr_i_bp_numbers *numbers, pdpr_i_stream *random,
                                    uint32_t *degree, pdpr_i_build_targets *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_fitting f = {.ctx = ctx,
                        .plan = plan,
                        .numbers = numbers,
                        .random = random,
                        .n = plan->num_nodes,
                        .theta = numbers->theta,
                        .noise =
                            2.0 * numbers->theta / pdpr_i_bp_precision(plan, PDPR_I_BP_HISTOGRAM),
                        .degree = degree};

    PDPR_TRY(begin(&f, err));
    PDPR_TRY(pdpr_i_fit_degrees(&f, err));
    *out = (pdpr_i_build_targets){.num_nodes = f.n, .degree = degree};
    PDPR_TRY(pdpr_i_fit_components(&f, out, err));
    double triangles = pdpr_i_fit_triangles(&f);
    out->triangles = triangles > 0 ? (uint64_t)triangles : 0;
done:
    end(&f);
    return s;
}

pdpr_status pdpr_i_bp_fit(pdpr_context *ctx, const pdpr_i_bp_plan *plan,
                          const pdpr_i_bp_numbers *numbers, pdpr_i_stream *random, uint32_t *degree,
                          pdpr_i_build_targets *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    PDPR_TRY(pdpr_i_bp_fit_structure(ctx, plan, numbers, random, degree, out, err));
    PDPR_TRY(pdpr_i_bp_fit_locality(ctx, plan, numbers, out, random, &out->locality, err));
    PDPR_TRY(pdpr_i_bp_fit_width(ctx, plan, numbers, random, out, err));
done:
    return s;
}
