/* The figures of the report: what is computed for each, and the sentence under it.
 *
 * Grids are common to all graphs of the page. Degrees: every one up to ten, then steps of 15 %;
 * clustering is averaged between grid points. Distances: every one, or in up to sixty bins of equal
 * width for long thin graphs. Components and edges by degree: classes that double.
 *
 * Cost: points times degrees, some 10^7 steps; drawings O(200^2) a step. */
#include "report/report_page.h"

#include <math.h>

#include "report/html.h"
#include "report/svg_plot.h"

/* ---------------------------------------------------------------- common parts */

static void open_figure(pdpr_i_text *b, const char *id, const char *title, int height)
{
    pdpr_i_text_format(b, "<figure class=\"card\"><h3>%s</h3>\n", title);
    pdpr_i_svg_begin(b, id, height, title);
}

static void open_caption(pdpr_i_text *b)
{
    pdpr_i_text_put(b, "</svg>\n<figcaption>");
}

static void close_figure(pdpr_i_text *b)
{
    pdpr_i_text_put(b, "</figcaption></figure>\n");
}

/* "original X, synthetic Y, random Z", each written by `put`. */
static void three_values(pdpr_i_text *b, const pdpr_i_report_data *d, double original,
                         double synthetic, double null_model, void (*put)(pdpr_i_text *, double))
{
    pdpr_i_text_put(b, "original ");
    put(b, original);
    pdpr_i_text_put(b, ", synthetic ");
    put(b, synthetic);
    if (d->have_null) {
        pdpr_i_text_put(b, ", random ");
        put(b, null_model);
    }
}

/* "off by X (random graph: Y)" */
static void off_by(pdpr_i_text *b, const pdpr_i_judgement *j)
{
    pdpr_i_html_percent(b, j->error);
    if (!isnan(j->null_error)) {
        pdpr_i_text_put(b, " (random graph: ");
        pdpr_i_html_percent(b, j->null_error);
        pdpr_i_text_put(b, ")");
    }
}

static void put_decimals(pdpr_i_text *b, double value)
{
    if (isfinite(value))
        pdpr_i_text_fixed(b, value, value < 0.1 ? 4 : 2);
    else
        pdpr_i_text_put(b, "–");
}

/* Lines and band of a series, the synthetic graphs on top; the original may be there as bars. */
static void draw_lines(const pdpr_i_plot *plot, const pdpr_i_report_data *d, const pdpr_i_series *f,
                       bool original)
{
    if (d->count > 1)
        pdpr_i_plot_area(plot, "band-area", f->x, f->low, f->high, f->count);
    if (d->have_null)
        pdpr_i_plot_line(plot, "null", f->x, f->null_model, f->count);
    if (original)
        pdpr_i_plot_line(plot, "original", f->x, f->original, f->count);
    pdpr_i_plot_line(plot, "synthetic", f->x, f->mean, f->count);
}

/* The largest defined value of the series, at least `least`. */
static double largest_of(const pdpr_i_series *f, double least)
{
    for (uint32_t i = 0; i < f->count; i++)
        least = fmax(fmax(least, f->original[i]), fmax(f->high[i], f->null_model[i]));
    return least;
}

static double mean_over_samples(const pdpr_i_report_data *d, double (*of)(const pdpr_i_curves *))
{
    double sum = 0;
    for (uint32_t k = 0; k < d->count; k++)
        sum += of(&d->synthetic[k]);
    return sum / d->count;
}

/* ---------------------------------------------------------------- degrees */

enum { MOST_DEGREE_POINTS = 200 };

typedef struct {
    uint64_t degree[MOST_DEGREE_POINTS + 1];
    uint32_t count;
} degree_grid;

static uint64_t largest_degree(const pdpr_i_report_data *d)
{
    uint64_t most = d->original.degrees;
    if (d->null_model.degrees > most)
        most = d->null_model.degrees;
    for (uint32_t k = 0; k < d->count; k++)
        if (d->synthetic[k].degrees > most)
            most = d->synthetic[k].degrees;
    return most > 0 ? most - 1 : 0;
}

/* From `first` to the largest degree of all; the last entry, one past the end, closes the bins. */
static degree_grid make_degree_grid(const pdpr_i_report_data *d, uint64_t first)
{
    degree_grid g = {.count = 0};
    uint64_t most = largest_degree(d);
    for (uint64_t x = first; x <= most && g.count < MOST_DEGREE_POINTS;
         x = x < 10 ? x + 1 : x + (x + 6) / 7)
        g.degree[g.count++] = x;
    g.degree[g.count] = most + 1;
    return g;
}

static double share_at_least(const pdpr_i_curves *c, const void *grid, uint32_t i)
{
    uint64_t nodes = 0, from = ((const degree_grid *)grid)->degree[i];
    for (uint64_t x = from; x < c->degrees; x++)
        nodes += c->degree[x];
    return nodes > 0 ? (double)nodes / (double)c->nodes : NAN;
}

static double clustering_between(const pdpr_i_curves *c, const void *grid, uint32_t i)
{
    const degree_grid *g = grid;
    return pdpr_i_curves_clustering(c, g->degree[i], g->degree[i + 1]);
}

static pdpr_i_axis degree_axis(const pdpr_i_report_data *d, double low)
{
    double high = (double)largest_degree(d);
    return (pdpr_i_axis){.low = low,
                         .high = high > 2 * low ? high : 2 * low,
                         .logarithmic = true,
                         .label = "number of links (degree)"};
}

static pdpr_status degree_figure(pdpr_i_text *b, const pdpr_i_report_data *d, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_series f = {0};
    degree_grid grid = make_degree_grid(d, 1);
    double least = d->original.nodes > 1 ? 1 / (double)d->original.nodes : 0.5;

    PDPR_TRY(pdpr_i_series_init(b->ctx, d, share_at_least, &grid, grid.count, &f, err));
    for (uint32_t i = 0; i < f.count; i++)
        f.x[i] = (double)grid.degree[i];
    open_figure(b, "ccdf", "Degrees: how many nodes have at least so many links",
                PDPR_I_SVG_HEIGHT);
    pdpr_i_text_put(b, "Both axes are logarithmic. Largest degree: ");
    three_values(b, d, (double)d->original.degrees - 1, (double)d->synthetic[0].degrees - 1,
                 (double)d->null_model.degrees - 1, pdpr_i_html_quantity);
    pdpr_i_svg_described(b);
    pdpr_i_plot plot = {.b = b,
                        .x = degree_axis(d, 1),
                        .y = {.low = least,
                              .high = 1,
                              .logarithmic = true,
                              .tick = PDPR_I_TICK_PERCENT,
                              .label = "share of nodes"}};
    pdpr_i_plot_axes(&plot);
    draw_lines(&plot, d, &f, true);
    open_caption(b);
    pdpr_i_text_put(b, "Kolmogorov-Smirnov distance ");
    off_by(b, &d->verdict[PDPR_I_USE_DEGREES]);
    pdpr_i_text_put(b, ". The right end is the hubs.");
    close_figure(b);
done:
    pdpr_i_series_clear(&f);
    return s;
}

static pdpr_status clustering_figure(pdpr_i_text *b, const pdpr_i_report_data *d, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_series f = {0};
    degree_grid grid = make_degree_grid(d, 2);

    PDPR_TRY(pdpr_i_series_init(b->ctx, d, clustering_between, &grid, grid.count, &f, err));
    for (uint32_t i = 0; i < f.count; i++) /* the middle of a bin */
        f.x[i] = sqrt((double)grid.degree[i] * ((double)grid.degree[i + 1] - 1));
    open_figure(b, "clustering", "Clustering: do a node’s neighbours know each other?",
                PDPR_I_SVG_HEIGHT);
    pdpr_i_text_put(b, "Mean share of linked pairs among a node’s neighbours: ");
    three_values(b, d, pdpr_i_curves_mean_clustering(&d->original),
                 mean_over_samples(d, pdpr_i_curves_mean_clustering),
                 pdpr_i_curves_mean_clustering(&d->null_model), put_decimals);
    pdpr_i_svg_described(b);
    pdpr_i_plot plot = {.b = b,
                        .x = degree_axis(d, 2),
                        .y = {.high = fmin(1, 1.08 * largest_of(&f, 0.02)),
                              .tick = PDPR_I_TICK_SHARE,
                              .label = "share of pairs linked"}};
    pdpr_i_plot_axes(&plot);
    draw_lines(&plot, d, &f, true);
    open_caption(b);
    pdpr_i_text_put(b, "Mean over nodes: ");
    three_values(b, d, pdpr_i_curves_mean_clustering(&d->original),
                 mean_over_samples(d, pdpr_i_curves_mean_clustering),
                 pdpr_i_curves_mean_clustering(&d->null_model), put_decimals);
    pdpr_i_text_put(b, ".");
    close_figure(b);
done:
    pdpr_i_series_clear(&f);
    return s;
}

/* ---------------------------------------------------------------- distances */

enum { MOST_DISTANCE_BINS = 60 };

typedef struct {
    uint64_t width; /* distances of a bin */
} distance_grid;

/* Bin i holds distances 1 + i * width and on. */
static double share_of_distance(const pdpr_i_curves *c, const void *grid, uint32_t i)
{
    uint64_t width = ((const distance_grid *)grid)->width, pairs = 0, all = 0;
    for (uint64_t x = 1; x < c->distances; x++) {
        all += c->distance[x];
        if ((x - 1) / width == i)
            pairs += c->distance[x];
    }
    return all > 0 ? (double)pairs / (double)all : NAN;
}

static double mean_distance(const pdpr_i_curves *c)
{
    double sum = 0, all = 0;
    for (uint64_t x = 1; x < c->distances; x++) {
        sum += (double)x * (double)c->distance[x];
        all += (double)c->distance[x];
    }
    return all > 0 ? sum / all : 0;
}

static uint64_t longest_distance(const pdpr_i_report_data *d)
{
    uint64_t most = d->original.distances;
    if (d->null_model.distances > most)
        most = d->null_model.distances;
    for (uint32_t k = 0; k < d->count; k++)
        if (d->synthetic[k].distances > most)
            most = d->synthetic[k].distances;
    return most > 1 ? most - 1 : 1;
}

static pdpr_status distance_figure(pdpr_i_text *b, const pdpr_i_report_data *d, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_series f = {0};
    uint64_t longest = longest_distance(d);
    distance_grid grid = {.width = (longest + MOST_DISTANCE_BINS - 1) / MOST_DISTANCE_BINS};
    uint32_t bins = (uint32_t)((longest + grid.width - 1) / grid.width);
    double width = (double)grid.width;

    PDPR_TRY(pdpr_i_series_init(b->ctx, d, share_of_distance, &grid, bins, &f, err));
    for (uint32_t i = 0; i < bins; i++) /* the middle of a bin */
        f.x[i] = 1 + i * width + 0.5 * (width - 1);
    open_figure(b, "distances", "Distances: how many steps from node to node", PDPR_I_SVG_HEIGHT);
    pdpr_i_text_put(b, "Mean distance in the largest component: ");
    three_values(b, d, mean_distance(&d->original), mean_over_samples(d, mean_distance),
                 mean_distance(&d->null_model), put_decimals);
    pdpr_i_svg_described(b);
    pdpr_i_plot plot = {
        .b = b,
        .x = {.low = 0.4, .high = 0.6 + bins * width, .label = "steps on a shortest path"},
        .y = {.high = fmin(1, 1.08 * largest_of(&f, 0.02)),
              .tick = PDPR_I_TICK_PERCENT,
              .label = "share of pairs"}};
    pdpr_i_plot_axes(&plot);
    for (uint32_t i = 0; i < bins; i++)
        pdpr_i_plot_bar(&plot, "original-soft", f.x[i] - 0.4 * width, f.x[i] + 0.4 * width,
                        f.original[i]);
    draw_lines(&plot, d, &f, false);
    if (bins <= 24)
        pdpr_i_plot_dots(&plot, "synthetic-fill", 3, f.x, f.mean, bins);
    open_caption(b);
    pdpr_i_text_put(b, "Mean: ");
    three_values(b, d, mean_distance(&d->original), mean_over_samples(d, mean_distance),
                 mean_distance(&d->null_model), put_decimals);
    pdpr_i_text_put(b, d->original.all_sources ? "." : "; from 2,048 sampled sources.");
    close_figure(b);
done:
    pdpr_i_series_clear(&f);
    return s;
}

/* ---------------------------------------------------------------- components */

static double share_of_size(const pdpr_i_curves *c, const void *grid, uint32_t i)
{
    (void)grid;
    return c->nodes > 0 ? (double)c->size[i] / (double)c->nodes : NAN;
}

/* Classes up to the last that any graph fills. */
static uint32_t used_sizes(const pdpr_i_report_data *d)
{
    uint32_t used = 1;
    for (uint32_t i = 0; i < PDPR_I_CLASSES; i++) {
        bool filled = d->original.size[i] > 0 || d->null_model.size[i] > 0;
        for (uint32_t k = 0; k < d->count; k++)
            filled |= d->synthetic[k].size[i] > 0;
        used = filled ? i + 1 : used;
    }
    return used;
}

static void size_name(uint32_t class, char *text, size_t size)
{
    static const char *const unit[] = {"", "k", "M", "G"};
    uint32_t k = class / 10;
    snprintf(text, size, "%s%u%s", class > 1 ? "≤" : "", 1u << class % 10, unit[k < 4 ? k : 3]);
}

static pdpr_status component_figure(pdpr_i_text *b, const pdpr_i_report_data *d, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_series f = {0};
    uint32_t used = used_sizes(d), stride = used > 8 ? 2 : 1;
    char name[24];

    PDPR_TRY(pdpr_i_series_init(b->ctx, d, share_of_size, NULL, used, &f, err));
    open_figure(b, "components", "Components: in how large a piece nodes live", PDPR_I_SVG_HEIGHT);
    pdpr_i_text_put(b, "Bars: share of nodes in components of each size. Largest component: ");
    off_by(b, &d->verdict[PDPR_I_USE_CONNECTED]);
    pdpr_i_text_put(b, " off");
    pdpr_i_svg_described(b);
    pdpr_i_plot plot = {.b = b,
                        .x = {.low = 0, .high = used, .label = "nodes in the component"},
                        .y = {.high = 1, .tick = PDPR_I_TICK_PERCENT, .label = "share of nodes"}};
    pdpr_i_plot_frame(&plot);
    for (uint32_t i = 0; i < used; i++) {
        pdpr_i_plot_bar(&plot, "original-fill", i + 0.12, i + 0.48, f.original[i]);
        pdpr_i_plot_bar(&plot, "synthetic-fill", i + 0.52, i + 0.88, f.mean[i]);
        if (d->count > 1)
            pdpr_i_plot_whisker(&plot, i + 0.7, f.low[i], f.high[i]);
        if (d->have_null)
            pdpr_i_plot_dash(&plot, "null", i + 0.06, i + 0.94, f.null_model[i]);
        size_name(i, name, sizeof name);
        if ((used - 1 - i) % stride == 0)
            pdpr_i_plot_name(&plot, i + 0.5, name);
    }
    open_caption(b);
    pdpr_i_text_put(b, "Size of the largest component: off by ");
    off_by(b, &d->verdict[PDPR_I_USE_CONNECTED]);
    pdpr_i_text_put(b, ".");
    close_figure(b);
done:
    pdpr_i_series_clear(&f);
    return s;
}

/* ---------------------------------------------------------------- edges by degree */

typedef struct {
    double original[PDPR_I_CLASSES * PDPR_I_CLASSES], synthetic[PDPR_I_CLASSES * PDPR_I_CLASSES];
    double least, most; /* of all positive shares */
    uint32_t classes;   /* that any graph fills */
} joint_shares;

static void add_shares(const pdpr_i_curves *c, double weight, double *share, joint_shares *all)
{
    for (uint32_t i = 0; i < PDPR_I_CLASSES; i++)
        for (uint32_t j = 0; j < PDPR_I_CLASSES; j++) {
            if (c->joint[i][j] == 0)
                continue;
            share[i * PDPR_I_CLASSES + j] +=
                weight * (double)c->joint[i][j] / (2 * (double)c->edges);
            all->classes = all->classes > i + 1 ? all->classes : i + 1;
        }
}

static void bound_shares(const double *share, joint_shares *all)
{
    for (uint32_t i = 0; i < PDPR_I_CLASSES * PDPR_I_CLASSES; i++)
        if (share[i] > 0) {
            all->least = fmin(all->least, share[i]);
            all->most = fmax(all->most, share[i]);
        }
}

static void heat_figure(pdpr_i_text *b, const pdpr_i_report_data *d, const joint_shares *all,
                        bool original)
{
    open_figure(b, original ? "joint-original" : "joint-synthetic",
                original ? "Original: who links to whom" : "Synthetic: who links to whom",
                PDPR_I_HEAT_HEIGHT);
    pdpr_i_text_put(b, "Share of edges by the degrees of their two ends, stronger colour for more");
    pdpr_i_svg_described(b);
    pdpr_i_svg_heat(b, original ? "original-fill" : "synthetic-fill",
                    original ? all->original : all->synthetic, PDPR_I_CLASSES, all->classes,
                    all->least, all->most);
    open_caption(b);
    if (original) {
        pdpr_i_text_put(b, "Edges by the degrees of their ends; stronger colour is more, on "
                           "one logarithmic scale in both.");
    } else {
        pdpr_i_text_put(b, "Share of edges that would have to move: ");
        off_by(b, &d->verdict[PDPR_I_USE_MIXING]);
        pdpr_i_text_put(b, ".");
    }
    close_figure(b);
}

static pdpr_status joint_figures(pdpr_i_text *b, const pdpr_i_report_data *d, pdpr_error *err)
{
    joint_shares *all = NULL;
    pdpr_status s = pdpr_i_zalloc(b->ctx, 1, sizeof *all, "edges by degree", &all, err);
    if (s != PDPR_OK)
        return s;
    all->classes = 1;
    all->least = 1;
    add_shares(&d->original, 1, all->original, all);
    for (uint32_t k = 0; k < d->count; k++)
        add_shares(&d->synthetic[k], 1.0 / d->count, all->synthetic, all);
    bound_shares(all->original, all);
    bound_shares(all->synthetic, all);
    heat_figure(b, d, all, true);
    heat_figure(b, d, all, false);
    pdpr_free(all);
    return s;
}

/* ---------------------------------------------------------------- cores */

static pdpr_status core_figure(pdpr_i_text *b, const pdpr_i_core *core, uint64_t largest_degree,
                               const char *id, const char *title, const char *class,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    double *x = NULL, *y = NULL;

    PDPR_TRY(pdpr_i_alloc(b->ctx, core->nodes, sizeof *x, "drawing", &x, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, core->nodes, sizeof *y, "drawing", &y, err));
    PDPR_TRY(pdpr_i_core_layout(b->ctx, core, x, y, err));
    open_figure(b, id, title, PDPR_I_SVG_WIDTH);
    pdpr_i_text_format(b, "Drawing of %" PRIu32 " nodes and %" PRIu64 " links", core->nodes,
                       core->edges);
    pdpr_i_svg_described(b);
    pdpr_i_svg_core(b, class, core, x, y, largest_degree);
    open_caption(b);
    pdpr_i_text_format(b, "%" PRIu32 " nodes around its densest point, and the ", core->nodes);
    pdpr_i_html_count(b, core->edges);
    pdpr_i_text_put(b, " links among them. Larger dots have more links.");
    close_figure(b);
done:
    pdpr_free(x);
    pdpr_free(y);
    return s;
}

pdpr_status pdpr_i_report_figures(pdpr_i_text *b, const pdpr_i_report_data *d, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t most = largest_degree(d); /* dots are of one scale in all drawings */
    pdpr_i_text_put(b, "<div class=\"figures\">\n");
    PDPR_TRY(degree_figure(b, d, err));
    PDPR_TRY(clustering_figure(b, d, err));
    PDPR_TRY(distance_figure(b, d, err));
    PDPR_TRY(component_figure(b, d, err));
    PDPR_TRY(joint_figures(b, d, err));
    PDPR_TRY(core_figure(b, &d->core_original, most, "core-original", "Original: its core",
                         "original", err));
    PDPR_TRY(core_figure(b, &d->core_synthetic, most, "core-synthetic", "Synthetic: its core",
                         "synthetic", err));
    if (d->have_null)
        PDPR_TRY(core_figure(b, &d->core_null, most, "core-null", "Random graph: its core", "null",
                             err));
    pdpr_i_text_put(b, "</div>\n");
done:
    return s;
}
