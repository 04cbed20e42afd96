/* Plots: axes with few, round numbers, lines, areas and bars.
 *
 * A linear axis has ticks at multiples of 1, 2 or 5 times a power of ten, at most six of them; a
 * logarithmic one at powers of ten, and between them at 2 and 5 if it spans less than one and a
 * half. Whatever cannot be shown (NaN, zero on a logarithmic axis) is left out, never clamped, but
 * for the lower edge of an area. Cost: O(points). */
#include "report/svg_plot.h"

#include <math.h>

#include "report/html.h"

/* Where the frame stands, in units of the picture. */
enum { LEFT = 58, RIGHT = 350, TOP = 12, BOTTOM = 222, MOST_TICKS = 24 };

void pdpr_i_svg_begin(pdpr_i_text *b, const char *id, int height, const char *title)
{
    pdpr_i_text_format(b,
                       "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"%s-t %s-d\">"
                       "<title id=\"%s-t\">%s</title><desc id=\"%s-d\">",
                       PDPR_I_SVG_WIDTH, height, id, id, id, title, id);
}

void pdpr_i_svg_described(pdpr_i_text *b)
{
    pdpr_i_text_put(b, "</desc>\n");
}

/* ---------------------------------------------------------------- places */

/* 0 at the low end of the axis, 1 at the high one; NaN for what it cannot show. */
static double place(const pdpr_i_axis *axis, double value)
{
    if (!isfinite(value) || (axis->logarithmic && value <= 0))
        return NAN;
    double at = axis->logarithmic ? log(value / axis->low) / log(axis->high / axis->low)
                                  : (value - axis->low) / (axis->high - axis->low);
    return at > -1e-9 && at < 1 + 1e-9 ? at : NAN;
}

static double across(const pdpr_i_plot *plot, double x)
{
    return LEFT + (RIGHT - LEFT) * place(&plot->x, x);
}

static double upward(const pdpr_i_plot *plot, double y)
{
    return BOTTOM - (BOTTOM - TOP) * place(&plot->y, y);
}

/* ` name="1.23"` */
static void attribute(pdpr_i_text *b, const char *name, double value)
{
    pdpr_i_text_format(b, " %s=\"", name);
    pdpr_i_text_fixed(b, isfinite(value) ? value : 0, 2);
    pdpr_i_text_put(b, "\"");
}

static void point(pdpr_i_text *b, char command, double x, double y)
{
    pdpr_i_text_add(b, &command, 1);
    pdpr_i_text_fixed(b, x, 1);
    pdpr_i_text_put(b, " ");
    pdpr_i_text_fixed(b, y, 1);
}

/* ---------------------------------------------------------------- ticks */

static uint32_t linear_ticks(const pdpr_i_axis *axis, double *tick)
{
    double span = axis->high - axis->low, step = pow(10, floor(log10(span)));
    static const double finer[] = {0.2, 0.5, 1, 2};
    for (size_t i = 0; i < sizeof finer / sizeof *finer; i++)
        if (span / (step * finer[i]) <= 6) {
            step *= finer[i];
            break;
        }
    uint32_t count = 0;
    for (double t = ceil(axis->low / step - 1e-9) * step;
         t <= axis->high + 1e-9 * span && count < MOST_TICKS; t += step)
        tick[count++] = fabs(t) < 1e-9 * span ? 0 : t;
    return count;
}

static uint32_t log_ticks(const pdpr_i_axis *axis, double *tick)
{
    double decades = log10(axis->high / axis->low);
    int from = (int)floor(log10(axis->low)), to = (int)ceil(log10(axis->high));
    int stride = decades > 6 ? 2 : 1;
    static const double between[] = {1, 2, 5};
    uint32_t count = 0;
    for (int k = from; k <= to; k += stride)
        for (int i = 0; i < (decades < 1.5 ? 3 : 1); i++) {
            double t = between[i] * pow(10, k);
            if (!isnan(place(axis, t)) && count < MOST_TICKS)
                tick[count++] = t;
        }
    return count;
}

static uint32_t ticks_of(const pdpr_i_axis *axis, double *tick)
{
    return axis->logarithmic ? log_ticks(axis, tick) : linear_ticks(axis, tick);
}

/* Decimals that tell ticks of this size apart. */
static int decimals_for(double value)
{
    int decimals = value > 0 ? (int)ceil(-log10(value) - 1e-9) : 0;
    return decimals < 0 ? 0 : decimals > 6 ? 6 : decimals;
}

static void tick_text(pdpr_i_text *b, const pdpr_i_axis *axis, double value, double step)
{
    double shown = axis->tick == PDPR_I_TICK_PERCENT ? 100 * value : value;
    double unit = axis->tick == PDPR_I_TICK_PERCENT ? 100 * step : step;
    int decimals = shown == 0 ? 0 : decimals_for(axis->logarithmic ? shown : unit);
    if (decimals == 0 && shown >= 1000)
        pdpr_i_html_quantity(b, shown);
    else
        pdpr_i_text_fixed(b, shown, decimals);
    if (axis->tick == PDPR_I_TICK_PERCENT)
        pdpr_i_text_put(b, "%");
}

/* ---------------------------------------------------------------- axes */

static void text_at(pdpr_i_text *b, double x, double y, const char *anchor)
{
    pdpr_i_text_put(b, "<text");
    attribute(b, "x", x);
    attribute(b, "y", y);
    pdpr_i_text_format(b, " text-anchor=\"%s\">", anchor);
}

static void line_between(pdpr_i_text *b, const char *class, double x1, double y1, double x2,
                         double y2)
{
    if (!isfinite(x1 + y1 + x2 + y2))
        return;
    pdpr_i_text_format(b, "<path class=\"%s\" d=\"", class);
    point(b, 'M', x1, y1);
    point(b, 'L', x2, y2);
    pdpr_i_text_put(b, "\"/>");
}

static void y_axis(const pdpr_i_plot *plot)
{
    double tick[MOST_TICKS];
    uint32_t count = ticks_of(&plot->y, tick);
    for (uint32_t i = 0; i < count; i++) {
        double y = upward(plot, tick[i]);
        line_between(plot->b, "grid", LEFT, y, RIGHT, y);
        text_at(plot->b, LEFT - 6, y + 4, "end");
        tick_text(plot->b, &plot->y, tick[i], count > 1 ? tick[1] - tick[0] : tick[i]);
        pdpr_i_text_put(plot->b, "</text>");
    }
}

static void x_axis(const pdpr_i_plot *plot)
{
    double tick[MOST_TICKS];
    uint32_t count = ticks_of(&plot->x, tick);
    for (uint32_t i = 0; i < count; i++) {
        double x = across(plot, tick[i]);
        line_between(plot->b, "axis", x, BOTTOM, x, BOTTOM + 4);
        text_at(plot->b, x, BOTTOM + 18, x > RIGHT - 14 ? "end" : "middle");
        tick_text(plot->b, &plot->x, tick[i], count > 1 ? tick[1] - tick[0] : tick[i]);
        pdpr_i_text_put(plot->b, "</text>");
    }
}

void pdpr_i_plot_frame(const pdpr_i_plot *plot)
{
    y_axis(plot);
    line_between(plot->b, "axis", LEFT, BOTTOM, RIGHT, BOTTOM);
    text_at(plot->b, 0.5 * (LEFT + RIGHT), BOTTOM + 40, "middle");
    pdpr_i_html_text(plot->b, plot->x.label);
    pdpr_i_text_put(plot->b, "</text>");
    pdpr_i_text_put(plot->b, "<text transform=\"rotate(-90)\"");
    attribute(plot->b, "x", -0.5 * (TOP + BOTTOM));
    attribute(plot->b, "y", 10);
    pdpr_i_text_put(plot->b, " text-anchor=\"middle\">");
    pdpr_i_html_text(plot->b, plot->y.label);
    pdpr_i_text_put(plot->b, "</text>\n");
}

void pdpr_i_plot_axes(const pdpr_i_plot *plot)
{
    pdpr_i_plot_frame(plot);
    x_axis(plot);
}

/* ---------------------------------------------------------------- marks */

void pdpr_i_plot_line(const pdpr_i_plot *plot, const char *class, const double *x, const double *y,
                      uint32_t count)
{
    bool pen_down = false;
    pdpr_i_text_format(plot->b, "<path class=\"%s\" d=\"", class);
    for (uint32_t i = 0; i < count; i++) {
        double px = across(plot, x[i]), py = upward(plot, y[i]);
        bool shown = isfinite(px) && isfinite(py);
        if (shown)
            point(plot->b, pen_down ? 'L' : 'M', px, py);
        pen_down = shown;
    }
    pdpr_i_text_put(plot->b, "\"/>\n");
}

void pdpr_i_plot_dots(const pdpr_i_plot *plot, const char *class, double radius, const double *x,
                      const double *y, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double px = across(plot, x[i]), py = upward(plot, y[i]);
        if (!isfinite(px) || !isfinite(py))
            continue;
        pdpr_i_text_format(plot->b, "<circle class=\"%s\"", class);
        attribute(plot->b, "cx", px);
        attribute(plot->b, "cy", py);
        attribute(plot->b, "r", radius);
        pdpr_i_text_put(plot->b, "/>");
    }
}

/* One closed piece from point `first` to before `end`: along the top and back along the bottom. */
static void area_piece(const pdpr_i_plot *plot, const double *x, const double *low,
                       const double *high, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        point(plot->b, i == first ? 'M' : 'L', across(plot, x[i]), upward(plot, high[i]));
    for (uint32_t i = end; i-- > first;) {
        double y = upward(plot, low[i]);
        point(plot->b, 'L', across(plot, x[i]), isfinite(y) ? y : BOTTOM);
    }
    pdpr_i_text_put(plot->b, "Z");
}

void pdpr_i_plot_area(const pdpr_i_plot *plot, const char *class, const double *x,
                      const double *low, const double *high, uint32_t count)
{
    pdpr_i_text_format(plot->b, "<path class=\"%s\" d=\"", class);
    for (uint32_t i = 0, first = 0; i <= count; i++) {
        bool shown = i < count && isfinite(across(plot, x[i])) && isfinite(upward(plot, high[i]));
        if (shown)
            continue;
        if (i > first + 1)
            area_piece(plot, x, low, high, first, i);
        first = i + 1;
    }
    pdpr_i_text_put(plot->b, "\"/>\n");
}

void pdpr_i_plot_bar(const pdpr_i_plot *plot, const char *class, double left, double right,
                     double y)
{
    double x1 = across(plot, left), x2 = across(plot, right), top = upward(plot, y);
    if (!isfinite(x1 + x2 + top) || BOTTOM - top < 0.05)
        return;
    pdpr_i_text_format(plot->b, "<rect class=\"%s\"", class);
    attribute(plot->b, "x", x1);
    attribute(plot->b, "y", top);
    attribute(plot->b, "width", x2 - x1);
    attribute(plot->b, "height", BOTTOM - top);
    pdpr_i_text_put(plot->b, " rx=\"1.5\"/>");
}

void pdpr_i_plot_dash(const pdpr_i_plot *plot, const char *class, double left, double right,
                      double y)
{
    line_between(plot->b, class, across(plot, left), upward(plot, y), across(plot, right),
                 upward(plot, y));
}

void pdpr_i_plot_whisker(const pdpr_i_plot *plot, double x, double low, double high)
{
    line_between(plot->b, "whisker", across(plot, x), upward(plot, low), across(plot, x),
                 upward(plot, high));
}

void pdpr_i_plot_name(const pdpr_i_plot *plot, double x, const char *text)
{
    text_at(plot->b, across(plot, x), BOTTOM + 18, "middle");
    pdpr_i_html_text(plot->b, text);
    pdpr_i_text_put(plot->b, "</text>");
}
