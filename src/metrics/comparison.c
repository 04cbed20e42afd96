/* Synthetic graphs, and the null model, measured against the original.
 *
 * A figure is the relative error |x - x0| / x0 of one metric, or the KS distance of the degree
 * distributions. Where the original is 0 the error is 0 if the other is 0 too, and else not
 * defined; not-a-number stands for "not defined" and "not computed" alike. An exact mean path
 * length is never set against an estimate. The null model is G(N, m) with the original's N and m:
 * what one gets for knowing these two numbers only.
 *
 * Graphs are measured one after another, each with all threads. Cost: that of the metrics of
 * 1 + count + null_graphs graphs. */
#include "metrics/metrics.h"

#include <math.h>
#include <string.h>

struct pdpr_comparison {
    pdpr_metrics original;
    pdpr_comparison_row *synthetic, *null_model;
    uint32_t num_synthetic, num_null;
    uint64_t null_seed;
};

/* The original's side of every row. */
typedef struct {
    pdpr_metrics metrics;
    uint64_t *histogram, length;
} yardstick;

void pdpr_comparison_options_default(pdpr_comparison_options *options)
{
    *options = (pdpr_comparison_options){.struct_size = sizeof *options, .null_graphs = 5};
    pdpr_metrics_options_default(&options->metrics);
}

const char *pdpr_figure_name(pdpr_figure figure)
{
    switch (figure) {
    case PDPR_FIGURE_TRIANGLES:
        return "triangles";
    case PDPR_FIGURE_WEDGES:
        return "wedges";
    case PDPR_FIGURE_CLAWS:
        return "claws";
    case PDPR_FIGURE_REDE:
        return "rede";
    case PDPR_FIGURE_CPL:
        return "cpl";
    case PDPR_FIGURE_DIAMETER:
        return "diameter";
    case PDPR_FIGURE_LCC:
        return "lcc";
    case PDPR_FIGURE_KS:
        return "ks";
    case PDPR_FIGURES:
        break;
    }
    return "unknown";
}

double pdpr_figure_metric(const pdpr_metrics *m, pdpr_figure f)
{
    switch (f) {
    case PDPR_FIGURE_TRIANGLES:
        return (double)m->triangles;
    case PDPR_FIGURE_WEDGES:
        return pdpr_uint128_to_double(m->wedges);
    case PDPR_FIGURE_CLAWS:
        return pdpr_uint128_to_double(m->claws);
    case PDPR_FIGURE_REDE:
        return m->rede;
    case PDPR_FIGURE_CPL:
        return m->have_cpl ? m->cpl : m->have_estimate ? m->cpl_estimate : NAN;
    case PDPR_FIGURE_DIAMETER:
        return m->have_diameter ? (double)m->diameter : NAN;
    case PDPR_FIGURE_LCC:
        return (double)m->lcc;
    case PDPR_FIGURE_KS:
    case PDPR_FIGURES:
        break;
    }
    return NAN;
}

static double relative_error(double x, double original)
{
    if (original == 0)
        return x == 0 ? 0 : NAN;
    return fabs(x - original) / original;
}

/* The difference of counts is taken before rounding, so that equal counts above 2^53 give 0 and
 * close ones their true distance. */
static double relative_error_wide(pdpr_uint128 x, pdpr_uint128 original)
{
    pdpr_i_wide a = (pdpr_i_wide)x.high << 64 | x.low;
    pdpr_i_wide b = (pdpr_i_wide)original.high << 64 | original.low;
    if (b == 0)
        return a == 0 ? 0 : NAN;
    return (double)(a > b ? a - b : b - a) / (double)b;
}

static double relative_error_count(uint64_t x, uint64_t original)
{
    return relative_error_wide(pdpr_i_uint128(x), pdpr_i_uint128(original));
}

static double cpl_error(const pdpr_metrics *x, const pdpr_metrics *original)
{
    if (x->have_cpl && original->have_cpl)
        return relative_error(x->cpl, original->cpl);
    if (x->have_estimate && original->have_estimate)
        return relative_error(x->cpl_estimate, original->cpl_estimate);
    return NAN;
}

static pdpr_status fill_row(pdpr_context *ctx, const pdpr_graph *g, const yardstick *y,
                            const pdpr_metrics_options *o, pdpr_comparison_row *row,
                            pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t *histogram = NULL, length = 0;
    pdpr_metrics *x = &row->metrics;
    const pdpr_metrics *x0 = &y->metrics;

    PDPR_TRY(pdpr_metrics_compute(ctx, g, o, x, err));
    PDPR_TRY(pdpr_graph_degree_histogram(ctx, g, &histogram, &length, err));
    double *f = row->figure;
    f[PDPR_FIGURE_TRIANGLES] = relative_error_count(x->triangles, x0->triangles);
    f[PDPR_FIGURE_WEDGES] = relative_error_wide(x->wedges, x0->wedges);
    f[PDPR_FIGURE_CLAWS] = relative_error_wide(x->claws, x0->claws);
    f[PDPR_FIGURE_REDE] = relative_error(x->rede, x0->rede);
    f[PDPR_FIGURE_CPL] = cpl_error(x, x0);
    f[PDPR_FIGURE_DIAMETER] = x->have_diameter && x0->have_diameter
                                  ? relative_error_count(x->diameter, x0->diameter)
                                  : NAN;
    f[PDPR_FIGURE_LCC] = relative_error_count(x->lcc, x0->lcc);
    f[PDPR_FIGURE_KS] = pdpr_ks_distance(histogram, length, y->histogram, y->length);
done:
    pdpr_free(histogram);
    return s;
}

static pdpr_status fill_null_rows(pdpr_context *ctx, const yardstick *y,
                                  const pdpr_metrics_options *o, pdpr_comparison *c,
                                  pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_graph *g = NULL;
    for (uint32_t i = 0; i < c->num_null; i++) {
        PDPR_TRY(pdpr_generate_gnm(ctx, (uint32_t)y->metrics.nodes, y->metrics.edges,
                                   c->null_seed + i, &g, err));
        PDPR_TRY(fill_row(ctx, g, y, o, &c->null_model[i], err));
        pdpr_graph_free(g);
        g = NULL;
    }
done:
    pdpr_graph_free(g);
    return s;
}

pdpr_status pdpr_comparison_new(pdpr_context *ctx, const pdpr_graph *original,
                                const pdpr_graph *const *synthetic, uint32_t count,
                                const pdpr_comparison_options *options, pdpr_comparison **out,
                                pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_comparison_options o;
    pdpr_metrics_options measured = {0};
    pdpr_comparison *c = NULL;
    yardstick y = {.histogram = NULL};

    pdpr_comparison_options_default(&o);
    if (options)
        memcpy(&o, options, options->struct_size < sizeof o ? options->struct_size : sizeof o);
    PDPR_TRY(pdpr_i_metrics_options_read(&o.metrics, &measured, err));
    for (uint32_t i = 0; i < count; i++)
        if (synthetic[i]->num_nodes != original->num_nodes) {
            s = pdpr_i_fail(err, PDPR_EUSAGE,
                            "synthetic graph %" PRIu32 ": expected %" PRIu32
                            " nodes as in the original, found %" PRIu32
                            "; a file that declares none has only those of its edges: declare them "
                            "(--nodes N or --vertices FILE)",
                            i + 1, original->num_nodes, synthetic[i]->num_nodes);
            goto done;
        }

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *c, "comparison", &c, err));
    c->num_synthetic = count;
    c->num_null = o.null_graphs;
    c->null_seed = o.null_seed;
    PDPR_TRY(
        pdpr_i_zalloc(ctx, count, sizeof *c->synthetic, "comparison rows", &c->synthetic, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, o.null_graphs, sizeof *c->null_model, "comparison rows",
                           &c->null_model, err));

    PDPR_TRY(pdpr_metrics_compute(ctx, original, &measured, &y.metrics, err));
    PDPR_TRY(pdpr_graph_degree_histogram(ctx, original, &y.histogram, &y.length, err));
    c->original = y.metrics;
    for (uint32_t i = 0; i < count; i++)
        PDPR_TRY(fill_row(ctx, synthetic[i], &y, &measured, &c->synthetic[i], err));
    PDPR_TRY(fill_null_rows(ctx, &y, &measured, c, err));
    *out = c;
    c = NULL;
done:
    pdpr_free(y.histogram);
    pdpr_comparison_free(c);
    return s;
}

void pdpr_comparison_free(pdpr_comparison *c)
{
    if (!c)
        return;
    pdpr_free(c->synthetic);
    pdpr_free(c->null_model);
    pdpr_free(c);
}

const pdpr_metrics *pdpr_comparison_original(const pdpr_comparison *c)
{
    return &c->original;
}

const pdpr_comparison_row *pdpr_comparison_rows(const pdpr_comparison *c, bool null_model,
                                                uint32_t *count)
{
    *count = null_model ? c->num_null : c->num_synthetic;
    return null_model ? c->null_model : c->synthetic;
}

uint64_t pdpr_i_comparison_null_seed(const pdpr_comparison *c)
{
    return c->null_seed;
}

void pdpr_comparison_summarise(const pdpr_comparison *c, bool null_model,
                               pdpr_comparison_summary *out)
{
    uint32_t rows;
    const pdpr_comparison_row *row = pdpr_comparison_rows(c, null_model, &rows);

    out->rows = rows;
    for (int f = 0; f < PDPR_FIGURES; f++) {
        double sum = 0, squares = 0;
        uint32_t defined = 0;
        for (uint32_t i = 0; i < rows; i++)
            if (!isnan(row[i].figure[f])) {
                sum += row[i].figure[f];
                defined++;
            }
        double mean = defined ? sum / defined : NAN;
        for (uint32_t i = 0; i < rows; i++)
            if (!isnan(row[i].figure[f]))
                squares += (row[i].figure[f] - mean) * (row[i].figure[f] - mean);
        out->mean[f] = mean;
        out->sd[f] = defined >= 2 ? sqrt(squares / (defined - 1)) : NAN;
    }
}
