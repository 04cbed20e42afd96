/* Inline SVG: plots with axes, tables of colour, drawings of small graphs.
 *
 * Every picture is 360 units wide, about what a column of the page has in pixels, so that text of
 * 12 units is as large as the small text around it, on a screen as on a telephone. Colours come
 * from the page's style sheet by class. Each has a title and a description for those who do not see
 * it. A coordinate that is not finite is never written: such points are left out. */
#ifndef PDPR_REPORT_SVG_PLOT_H
#define PDPR_REPORT_SVG_PLOT_H

#include "base/text_buffer.h"
#include "metrics/curves.h"

enum { PDPR_I_SVG_WIDTH = 360, PDPR_I_SVG_HEIGHT = 270 };

/* Opens an <svg> with its title; the description follows and is closed by svg_described. `id` is
 * unique on the page. */
void pdpr_i_svg_begin(pdpr_i_text *b, const char *id, int height, const char *title);
void pdpr_i_svg_described(pdpr_i_text *b);

typedef enum { PDPR_I_TICK_COUNT, PDPR_I_TICK_PERCENT, PDPR_I_TICK_SHARE } pdpr_i_tick;

/* low < high, finite; a logarithmic axis has 0 < low. */
typedef struct {
    double low, high;
    bool logarithmic;
    pdpr_i_tick tick; /* how its numbers are written; SHARE: 0.25 */
    const char *label;
} pdpr_i_axis;

typedef struct {
    pdpr_i_text *b;
    pdpr_i_axis x, y;
} pdpr_i_plot;

/* Frame, ticks, grid and labels, inside an open <svg>. */
void pdpr_i_plot_axes(const pdpr_i_plot *plot);
/* The frame without ticks along x, for bars that carry their own names. */
void pdpr_i_plot_frame(const pdpr_i_plot *plot);
/* A line through the points that both axes can show; it breaks at the others. */
void pdpr_i_plot_line(const pdpr_i_plot *plot, const char *class, const double *x, const double *y,
                      uint32_t count);
/* A dot at each such point. */
void pdpr_i_plot_dots(const pdpr_i_plot *plot, const char *class, double radius, const double *x,
                      const double *y, uint32_t count);
/* The area between low and high; an end below the axis is drawn at its edge. */
void pdpr_i_plot_area(const pdpr_i_plot *plot, const char *class, const double *x,
                      const double *low, const double *high, uint32_t count);
/* An upright bar from the axis to y, of which the corners are rounded off. */
void pdpr_i_plot_bar(const pdpr_i_plot *plot, const char *class, double left, double right,
                     double y);
/* A short stroke along x at height y, an upright one from low to high, and a text under the axis;
 * all at x in the axis' numbers. */
void pdpr_i_plot_dash(const pdpr_i_plot *plot, const char *class, double left, double right,
                      double y);
void pdpr_i_plot_whisker(const pdpr_i_plot *plot, double x, double low, double high);
void pdpr_i_plot_name(const pdpr_i_plot *plot, double x, const char *text);

/* A table of shares with `classes` rows and columns, share(i, j) = value[i * stride + j]; the
 * colour goes with the logarithm from `least` to `most`. Names are of degree classes. */
void pdpr_i_svg_heat(pdpr_i_text *b, const char *class, const double *value, uint32_t stride,
                     uint32_t classes, double least, double most);
enum { PDPR_I_HEAT_HEIGHT = 340 };

/* Positions of the core's nodes in [0,1]^2 into x[nodes], y[nodes] (svg_core.c). Cost: O(nodes^2)
 * times 120, 3 bytes a pair of nodes; for hundreds of nodes. Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_core_layout(pdpr_context *ctx, const pdpr_i_core *core, double *x, double *y,
                               pdpr_error *err);
/* Links and dots, inside an open <svg> of PDPR_I_SVG_WIDTH squared. A dot's area goes with its
 * degree; largest_degree has the largest dot. */
void pdpr_i_svg_core(pdpr_i_text *b, const char *class, const pdpr_i_core *core, const double *x,
                     const double *y, uint64_t largest_degree);

#endif
