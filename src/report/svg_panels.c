/* Panels of curves as one SVG picture that stands alone: no script, no font file, light and dark.
 *
 * Small multiples: one panel for each quantity, the same curves in the same colours in all of them,
 * one legend. Steps stand at equal distances whatever their numbers; a curve without steps is a
 * level across the panel. Each panel has its own vertical axis with the round ticks of svg_plot.c.
 * It ends at 2 where larger values stand beside smaller ones: errors are relative, so beyond that
 * nothing can be told from a picture, and one curve that is off by a thousand would flatten all the
 * others. What lies outside is left out, and the legend says so. Cost: O(values). */
#include "report/report.h"

#include <math.h>
#include <string.h>

#include "report/html.h"
#include "report/svg_plot.h"

enum {
    ACROSS = 4, /* panels in a row, as in the paper's figures */
    WIDTH = PDPR_I_SVG_WIDTH,
    TITLE = 24, /* room over a panel */
    HEIGHT = PDPR_I_SVG_HEIGHT + TITLE,
    LEGEND_ACROSS = 4,
    LEGEND_LINE = 22,
    COLOURS = 10
};
#define LARGEST_SHOWN 2.0

/* Colours of Okabe and Ito (2008) and a few more, told apart by most colour-blind readers. */
static const char style[] =
    "<style>text{font:12px sans-serif;fill:#333}.title{font-size:15px;font-weight:bold}"
    ".page{fill:#fff}path{fill:none;stroke-width:1.8}.grid{stroke:#ddd;stroke-width:1}"
    ".axis{stroke:#777;stroke-width:1}.whisker{stroke:#999;stroke-width:1}"
    ".k0{stroke:#0072b2}.k1{stroke:#d55e00}.k2{stroke:#009e73}.k3{stroke:#cc79a7}"
    ".k4{stroke:#e69f00}.k5{stroke:#56b4e9}.k6{stroke:#7f3c8d}.k7{stroke:#777}"
    ".k8{stroke:#a05a2c}.k9{stroke:#3b6fd4}.dashed{stroke-dasharray:6 4}"
    "circle.k0{fill:#0072b2}circle.k1{fill:#d55e00}circle.k2{fill:#009e73}circle.k3{fill:#cc79a7}"
    "circle.k4{fill:#e69f00}circle.k5{fill:#56b4e9}circle.k6{fill:#7f3c8d}circle.k7{fill:#777}"
    "circle.k8{fill:#a05a2c}circle.k9{fill:#3b6fd4}"
    "@media(prefers-color-scheme:dark){.page{fill:#10151c}text{fill:#dbe4ee}.grid{stroke:#2b3440}"
    ".axis{stroke:#8a94a0}.whisker{stroke:#66717d}}</style>\n";

typedef struct {
    pdpr_i_text *b;
    const pdpr_panels *p;
    double *x, *y; /* [steps + 1]: a curve's points */
    bool something_outside;
} drawing;

static size_t place_of(const pdpr_panels *p, uint32_t panel, uint32_t curve, uint32_t step)
{
    return ((size_t)panel * p->curves + curve) * ((size_t)p->steps + 1) + step;
}

static double deviation_at(const pdpr_panels *p, size_t at)
{
    return p->deviation && isfinite(p->deviation[at]) ? p->deviation[at] : 0;
}

/* The vertical axis of a panel; false if there is nothing to show. */
static bool find_axis(drawing *d, uint32_t panel, pdpr_i_axis *axis)
{
    const pdpr_panels *p = d->p;
    size_t first = place_of(p, panel, 0, 0), end = place_of(p, panel + 1, 0, 0);
    double low = INFINITY, high = -INFINITY, least = INFINITY;
    for (size_t i = first; i < end; i++)
        if (isfinite(p->mean[i]))
            least = fmin(least, p->mean[i]);
    for (size_t i = first; i < end; i++) {
        if (!isfinite(p->mean[i]))
            continue;
        if (p->mean[i] > LARGEST_SHOWN && least <= LARGEST_SHOWN) {
            d->something_outside = true;
            continue;
        }
        low = fmin(low, p->mean[i] - deviation_at(p, i));
        high = fmax(high, fmin(p->mean[i] + deviation_at(p, i), fmax(p->mean[i], LARGEST_SHOWN)));
    }
    if (!(low <= high))
        return false;
    double air = high > low ? 0.05 * (high - low) : fmax(0.05 * fabs(high), 1e-3);
    bool counts_from_zero = least >= 0; /* an axis of errors does not reach below it */
    axis->low = counts_from_zero ? fmax(0, low - air) : low - air;
    axis->high = high + air;
    return true;
}

static void draw_curve(const drawing *d, const pdpr_i_plot *plot, uint32_t panel, uint32_t curve)
{
    const pdpr_panels *p = d->p;
    char class[32];
    uint32_t count = 0;
    snprintf(class, sizeof class, "k%" PRIu32 "%s", curve % COLOURS,
             p->dashed && p->dashed[curve] ? " dashed" : "");
    size_t at = place_of(p, panel, curve, p->steps);
    if (isfinite(p->mean[at]))
        pdpr_i_plot_dash(plot, class, plot->x.low, plot->x.high, p->mean[at]);
    /* dots of a single step would lie on one another: they stand side by side */
    double aside = p->steps == 1 ? 0.8 * ((curve + 0.5) / p->curves - 0.5) : 0;
    for (uint32_t step = 0; step < p->steps; step++) {
        at = place_of(p, panel, curve, step);
        if (!isfinite(p->mean[at]))
            continue;
        d->x[count] = step + aside;
        d->y[count++] = p->mean[at];
        if (deviation_at(p, at) > 0)
            pdpr_i_plot_whisker(plot, step + aside,
                                fmax(p->mean[at] - deviation_at(p, at), plot->y.low),
                                fmin(p->mean[at] + deviation_at(p, at), plot->y.high));
    }
    if (count == 0)
        return;
    pdpr_i_plot_line(plot, class, d->x, d->y, count);
    class[strcspn(class, " ")] = '\0';
    pdpr_i_plot_dots(plot, class, 3, d->x, d->y, count);
}

static void draw_panel(drawing *d, uint32_t panel)
{
    const pdpr_panels *p = d->p;
    pdpr_i_plot plot = {.b = d->b,
                        .x = {.low = -0.5, .high = p->steps - 0.5, .label = ""},
                        .y = {.tick = PDPR_I_TICK_SHARE, .label = ""}};
    if (!find_axis(d, panel, &plot.y))
        return;
    pdpr_i_text_format(d->b,
                       "<svg x=\"%" PRIu32 "\" y=\"%" PRIu32 "\" width=\"%d\" height=\"%d\" "
                       "viewBox=\"0 %d %d %d\">\n<text class=\"title\" x=\"%d\" y=\"-6\" "
                       "text-anchor=\"middle\">",
                       panel % ACROSS * WIDTH, panel / ACROSS * HEIGHT, WIDTH, HEIGHT, -TITLE,
                       WIDTH, HEIGHT, (int)WIDTH / 2 + 20);
    pdpr_i_html_text(d->b, p->panel[panel]);
    pdpr_i_text_put(d->b, "</text>\n");
    plot.x.label = p->step_name;
    pdpr_i_plot_frame(&plot);
    for (uint32_t step = 0; step < p->steps; step++)
        pdpr_i_plot_name(&plot, step, p->step[step]);
    for (uint32_t curve = 0; curve < p->curves; curve++)
        draw_curve(d, &plot, panel, curve);
    pdpr_i_text_put(d->b, "</svg>\n");
}

static void draw_legend(const drawing *d, uint32_t top)
{
    const pdpr_panels *p = d->p;
    for (uint32_t curve = 0; curve < p->curves; curve++) {
        uint32_t x = 20 + curve % LEGEND_ACROSS * WIDTH,
                 y = top + curve / LEGEND_ACROSS * LEGEND_LINE;
        pdpr_i_text_format(d->b,
                           "<path class=\"k%" PRIu32 "%s\" d=\"M%" PRIu32 " %" PRIu32
                           "h34\"/><text x=\"%" PRIu32 "\" y=\"%" PRIu32 "\">",
                           curve % COLOURS, p->dashed && p->dashed[curve] ? " dashed" : "", x, y,
                           x + 42, y + 4);
        pdpr_i_html_text(d->b, p->curve[curve]);
        pdpr_i_text_put(d->b, "</text>\n");
    }
    uint32_t lines = (p->curves + LEGEND_ACROSS - 1) / LEGEND_ACROSS;
    pdpr_i_text_format(d->b, "<text x=\"20\" y=\"%" PRIu32 "\">%s%s</text>\n",
                       top + lines * LEGEND_LINE + 4,
                       p->deviation ? "Upright strokes: one standard deviation. " : "",
                       d->something_outside ? "Values above 2 are not shown." : "");
}

pdpr_status pdpr_report_panels_svg(pdpr_context *ctx, const pdpr_panels *panels, char **out,
                                   pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_text b = {.ctx = ctx, .what = "SVG picture", .err = err};
    pdpr_panels p = {0};
    drawing d = {.b = &b, .p = &p};
    memcpy(&p, panels, panels->struct_size < sizeof p ? panels->struct_size : sizeof p);
    uint32_t rows = (p.panels + ACROSS - 1) / ACROSS;
    uint32_t legend = (p.curves + LEGEND_ACROSS - 1) / LEGEND_ACROSS * LEGEND_LINE + 40;

    PDPR_TRY(pdpr_i_alloc(ctx, (uint64_t)p.steps + 1, sizeof *d.x, "points", &d.x, err));
    PDPR_TRY(pdpr_i_alloc(ctx, (uint64_t)p.steps + 1, sizeof *d.y, "points", &d.y, err));
    pdpr_i_text_format(
        &b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %" PRIu32 "\">\n<title>",
        ACROSS * WIDTH, rows * HEIGHT + legend);
    pdpr_i_html_text(&b, p.title);
    pdpr_i_text_put(&b, "</title>\n");
    pdpr_i_text_add(&b, style, sizeof style - 1);
    pdpr_i_text_put(&b, "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
    for (uint32_t i = 0; i < p.panels; i++)
        draw_panel(&d, i);
    draw_legend(&d, rows * HEIGHT + 16);
    pdpr_i_text_put(&b, "</svg>\n");
    s = b.status;
    if (s == PDPR_OK) {
        *out = b.text;
        b.text = NULL;
    }
done:
    pdpr_i_text_drop(&b);
    pdpr_free(d.x);
    pdpr_free(d.y);
    return s;
}
