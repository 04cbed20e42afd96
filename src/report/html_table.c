/* The table of the eight metrics: values, errors, and where they stand on one scale.
 *
 * The strip of a row shows the mean error as a dot, the spread of the samples as a line through it
 * and the null model's error as a ring, on a scale of the square root of the error up to 100 %:
 * small errors are told apart and large ones stay on it. Errors beyond are at its end. */
#include "report/report_page.h"

#include <math.h>

#include "report/html.h"

static const struct {
    const char *name, *what;
} metric_words[PDPR_FIGURES] = {
    [PDPR_FIGURE_TRIANGLES] = {"Triangles", "three nodes, all linked"},
    [PDPR_FIGURE_WEDGES] = {"Wedges", "pairs of links at a node"},
    [PDPR_FIGURE_CLAWS] = {"Claws", "triples of links at a node"},
    [PDPR_FIGURE_REDE] = {"Degree entropy", "1: all nodes have equally many links"},
    [PDPR_FIGURE_CPL] = {"Path length", "mean distance, largest component"},
    [PDPR_FIGURE_DIAMETER] = {"Diameter", "longest distance in it"},
    [PDPR_FIGURE_LCC] = {"Largest component", "nodes"},
    [PDPR_FIGURE_KS] = {"Degree distribution", "Kolmogorov-Smirnov distance"},
};

/* The metric as a number; NaN where there is none, and for KS, which is a distance only. */
static double metric_value(const pdpr_metrics *m, pdpr_figure f)
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

static void put_value(pdpr_i_text *b, double value, pdpr_figure f)
{
    if ((f == PDPR_FIGURE_REDE || f == PDPR_FIGURE_CPL) && !isnan(value))
        pdpr_i_text_fixed(b, value, 3);
    else
        pdpr_i_html_quantity(b, value);
}

static double mean_value(const pdpr_comparison_row *rows, uint32_t count, pdpr_figure f)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += metric_value(&rows[i].metrics, f);
    return sum / count; /* NaN if one of them is, or if there is none */
}

/* ---------------------------------------------------------------- the strip */

enum { STRIP_WIDTH = 240, STRIP_EDGE = 8 };

static double strip_place(double error)
{
    return STRIP_EDGE + (STRIP_WIDTH - 2 * STRIP_EDGE) * sqrt(fmin(fmax(error, 0), 1));
}

static void strip_line(pdpr_i_text *b, const char *class, double x1, double x2, double y1,
                       double y2)
{
    const double at[] = {x1, y1, x2, y2};
    pdpr_i_text_format(b, "<path class=\"%s\" d=\"M", class);
    for (int i = 0; i < 4; i++) {
        pdpr_i_text_fixed(b, at[i], 1);
        pdpr_i_text_put(b, i == 1 ? "L" : i < 3 ? " " : "\"/>");
    }
}

static void strip_dot(pdpr_i_text *b, const char *class, double error, double radius)
{
    pdpr_i_text_format(b, "<circle class=\"%s\" cy=\"9\" r=\"", class);
    pdpr_i_text_fixed(b, radius, 1);
    pdpr_i_text_put(b, "\" cx=\"");
    pdpr_i_text_fixed(b, strip_place(error), 1);
    pdpr_i_text_put(b, "\"/>");
}

/* Said in the cells beside it, so nothing to be read aloud. */
static void strip(pdpr_i_text *b, const pdpr_i_report_data *d, double error, double null_error,
                  pdpr_figure f)
{
    uint32_t count;
    const pdpr_comparison_row *rows = pdpr_comparison_rows(d->c, false, &count);
    double low = INFINITY, high = 0;
    for (uint32_t i = 0; i < count; i++) {
        low = fmin(low, rows[i].figure[f]);
        high = fmax(high, rows[i].figure[f]);
    }
    pdpr_i_text_format(b, "<svg class=\"strip\" viewBox=\"0 0 %d 18\" aria-hidden=\"true\">",
                       STRIP_WIDTH);
    strip_line(b, "grid", STRIP_EDGE, STRIP_WIDTH - STRIP_EDGE, 9, 9);
    const double marks[] = {0, PDPR_I_GOOD_UP_TO, PDPR_I_ROUGH_UP_TO, 1};
    for (int i = 0; i < 4; i++)
        strip_line(b, "grid", strip_place(marks[i]), strip_place(marks[i]), 3, 15);
    if (!isnan(null_error))
        strip_dot(b, "hollow", null_error, 4.6);
    if (!isnan(error)) {
        strip_line(b, "synthetic", strip_place(low), strip_place(high), 9, 9);
        strip_dot(b, "synthetic-fill", error, 4.6);
    }
    pdpr_i_text_put(b, "</svg>");
}

/* The head of the column: the scale's marks over the ticks. */
static void strip_head(pdpr_i_text *b)
{
    static const struct {
        double error;
        const char *text, *anchor;
    } marks[] = {{0, "0", "middle"},
                 {PDPR_I_GOOD_UP_TO, "10 %", "middle"},
                 {PDPR_I_ROUGH_UP_TO, "30 %", "middle"},
                 {1, "100 %", "end"}};
    pdpr_i_text_format(b,
                       "<svg class=\"strip\" viewBox=\"0 0 %d 18\" role=\"img\"><title>Error, "
                       "from 0 to 100 %%: a dot for the synthetic graphs, a ring for the random "
                       "ones</title>",
                       STRIP_WIDTH);
    for (int i = 0; i < 4; i++) {
        pdpr_i_text_put(b, "<text y=\"13\" x=\"");
        pdpr_i_text_fixed(b, marks[i].error < 1 ? strip_place(marks[i].error) : STRIP_WIDTH, 1);
        pdpr_i_text_format(b, "\" text-anchor=\"%s\">%s</text>", marks[i].anchor, marks[i].text);
    }
    pdpr_i_text_put(b, "</svg>");
}

/* ---------------------------------------------------------------- rows */

static void put_error(pdpr_i_text *b, double mean, double sd)
{
    pdpr_i_html_percent(b, mean);
    if (!isnan(sd)) {
        pdpr_i_text_put(b, " <span class=\"small\">±&nbsp;");
        pdpr_i_html_percent(b, sd);
        pdpr_i_text_put(b, "</span>");
    }
}

static void put_row(pdpr_i_text *b, const pdpr_i_report_data *d, pdpr_figure f,
                    const pdpr_comparison_summary *synthetic,
                    const pdpr_comparison_summary *null_model)
{
    uint32_t count, null_count;
    const pdpr_comparison_row *rows = pdpr_comparison_rows(d->c, false, &count);
    const pdpr_comparison_row *null_rows = pdpr_comparison_rows(d->c, true, &null_count);

    pdpr_i_text_format(b, "<tr><th scope=\"row\">%s<span class=\"small\">%s</span></th><td>",
                       metric_words[f].name, metric_words[f].what);
    put_value(b, metric_value(pdpr_comparison_original(d->c), f), f);
    pdpr_i_text_put(b, "</td><td>");
    put_value(b, mean_value(rows, count, f), f);
    pdpr_i_text_put(b, "</td><td class=\"wide\">");
    put_value(b, null_count ? mean_value(null_rows, null_count, f) : NAN, f);
    pdpr_i_text_put(b, "</td><td><b>");
    put_error(b, synthetic->mean[f], synthetic->sd[f]);
    pdpr_i_text_put(b, "</b></td><td>");
    put_error(b, null_model->mean[f], null_model->sd[f]);
    pdpr_i_text_put(b, "</td><td class=\"wide scale\">");
    strip(b, d, synthetic->mean[f], null_model->mean[f], f);
    pdpr_i_text_put(b, "</td></tr>\n");
}

void pdpr_i_report_table(pdpr_i_text *b, const pdpr_i_report_data *d)
{
    pdpr_comparison_summary synthetic, null_model;
    uint32_t null_count;
    const pdpr_metrics *original = pdpr_comparison_original(d->c);
    pdpr_comparison_summarise(d->c, false, &synthetic);
    pdpr_comparison_summarise(d->c, true, &null_model);
    pdpr_comparison_rows(d->c, true, &null_count);

    pdpr_i_text_put(b, "<section class=\"card compact\"><h2 id=\"metrics\">The eight metrics</h2>\n"
                       "<p class=\"note\">Errors are |x − original| / original");
    if (d->count > 1)
        pdpr_i_text_format(b, ", mean ± standard deviation over %" PRIu32 " synthetic graphs",
                           d->count);
    if (null_count > 0)
        pdpr_i_text_format(b,
                           ". A random graph G(N,&nbsp;m) has the original’s numbers of nodes and "
                           "edges and nothing else (%" PRIu32
                           " of them, mean): what it reaches too "
                           "is no merit",
                           null_count);
    if (original->have_estimate)
        pdpr_i_text_format(b, ". Path lengths are estimates from %" PRIu32 " sources",
                           original->samples);
    pdpr_i_text_put(
        b,
        ".</p>\n<div class=\"scroll\"><table aria-labelledby=\"metrics\">\n<thead><tr><th scope=\"col\">Metric</th><th "
        "scope=\"col\">Original</th><th scope=\"col\">Synthetic</th><th "
        "scope=\"col\" class=\"wide\">Random</th><th scope=\"col\">Error</th><th "
        "scope=\"col\">Random’s error</th><th scope=\"col\" class=\"wide\">");
    strip_head(b);
    pdpr_i_text_put(b, "</th></tr></thead>\n<tbody>\n");
    for (int f = 0; f < PDPR_FIGURES; f++)
        put_row(b, d, (pdpr_figure)f, &synthetic, &null_model);
    pdpr_i_text_put(b, "</tbody></table></div></section>\n");
}
