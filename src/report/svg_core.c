/* A drawing of a small graph: forces until it rests.
 *
 * Every pair of nodes repels, in proportion to 1/distance; the ends of a link attract in proportion
 * to distance^2, weighed down by their degrees so that hubs do not swallow all; a weak pull to the
 * middle keeps pieces together (after Fruchterman and Reingold 1991, with Noack's degree weights
 * 2007). Steps shrink linearly to nothing. The start is a sunflower spiral by rank, so nothing is
 * random and the same core gives the same drawing.
 *
 * Cost: 300 steps of O(nodes^2 + links): a tenth of a second for 200 nodes. One thread, fixed
 * order: the same bytes for any number of threads. */
#include "report/svg_plot.h"

#include <math.h>

enum { STEPS = 300 };

static void spiral(uint32_t nodes, double *x, double *y)
{
    const double golden = 2.39996322972865332; /* radians: pi (3 - sqrt 5) */
    for (uint32_t i = 0; i < nodes; i++) {
        double radius = sqrt((i + 0.5) / nodes);
        x[i] = radius * cos(golden * i);
        y[i] = radius * sin(golden * i);
    }
}

static void repel(uint32_t nodes, double k2, const double *x, const double *y, double *dx,
                  double *dy)
{
    for (uint32_t i = 0; i < nodes; i++)
        for (uint32_t j = i + 1; j < nodes; j++) {
            double ax = x[i] - x[j], ay = y[i] - y[j];
            double force = k2 / (ax * ax + ay * ay + 1e-9);
            dx[i] += force * ax;
            dy[i] += force * ay;
            dx[j] -= force * ax;
            dy[j] -= force * ay;
        }
}

static void attract(const pdpr_i_core *core, const double *weight, double k, const double *x,
                    const double *y, double *dx, double *dy)
{
    for (uint64_t e = 0; e < core->edges; e++) {
        uint32_t i = core->pairs[2 * e], j = core->pairs[2 * e + 1];
        double ax = x[i] - x[j], ay = y[i] - y[j];
        double force = sqrt(ax * ax + ay * ay) / k * weight[i] * weight[j];
        dx[i] -= force * ax;
        dy[i] -= force * ay;
        dx[j] += force * ax;
        dy[j] += force * ay;
    }
}

/* Into the unit square, the longer side filling it. */
static void fit_square(uint32_t nodes, double *x, double *y)
{
    double left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < nodes; i++) {
        left = fmin(left, x[i]);
        right = fmax(right, x[i]);
        low = fmin(low, y[i]);
        high = fmax(high, y[i]);
    }
    double side = fmax(fmax(right - left, high - low), 1e-9);
    for (uint32_t i = 0; i < nodes; i++) {
        x[i] = 0.5 + (x[i] - 0.5 * (left + right)) / side;
        y[i] = 0.5 + (y[i] - 0.5 * (low + high)) / side;
    }
}

void pdpr_i_core_layout(const pdpr_i_core *core, double *x, double *y, double *work)
{
    uint32_t n = core->nodes;
    if (n == 0)
        return;
    double k = 1 / sqrt((double)n); /* the distance at which a single link rests */
    double *dx = work, *dy = work + n, *weight = work + 2 * (size_t)n;

    spiral(n, x, y);
    for (uint32_t i = 0; i < n; i++)
        weight[i] = 0;
    for (uint64_t e = 0; e < 2 * core->edges; e++)
        weight[core->pairs[e]]++;
    for (uint32_t i = 0; i < n; i++)
        weight[i] = 1 / sqrt(fmax(1, 0.35 * weight[i]));

    for (int step = 0; step < STEPS; step++) {
        double most = 0.12 * (1 - (double)step / STEPS);
        for (uint32_t i = 0; i < n; i++) {
            dx[i] = -0.6 * k * x[i] * n * k; /* towards the middle */
            dy[i] = -0.6 * k * y[i] * n * k;
        }
        repel(n, k * k, x, y, dx, dy);
        attract(core, weight, k, x, y, dx, dy);
        for (uint32_t i = 0; i < n; i++) {
            double length = sqrt(dx[i] * dx[i] + dy[i] * dy[i]);
            double scale = length > most ? most / length : 1;
            x[i] += dx[i] * scale;
            y[i] += dy[i] * scale;
        }
    }
    fit_square(n, x, y);
}

void pdpr_i_svg_core(pdpr_i_text *b, const char *class, const pdpr_i_core *core, const double *x,
                     const double *y)
{
    const double margin = 14, side = PDPR_I_SVG_WIDTH - 2 * margin;
    uint64_t largest = 1;
    /* the ink of all links together stays about the same */
    double opacity = fmin(0.55, fmax(0.06, 130.0 / (double)(core->edges + 1)));

    pdpr_i_text_format(b, "<path class=\"link %s\" opacity=\"", class);
    pdpr_i_text_fixed(b, opacity, 2);
    pdpr_i_text_put(b, "\" d=\"");
    for (uint64_t e = 0; e < core->edges; e++)
        for (int end = 0; end < 2; end++) {
            uint32_t i = core->pairs[2 * e + (uint64_t)end];
            pdpr_i_text_put(b, end ? "L" : "M");
            pdpr_i_text_fixed(b, margin + side * x[i], 1);
            pdpr_i_text_put(b, " ");
            pdpr_i_text_fixed(b, margin + side * y[i], 1);
        }
    pdpr_i_text_format(b, "\"/>\n<g class=\"%s-fill\">", class);
    for (uint32_t i = 0; i < core->nodes; i++)
        largest = core->degree[i] > largest ? core->degree[i] : largest;
    for (uint32_t i = 0; i < core->nodes; i++) {
        pdpr_i_text_put(b, "<circle class=\"dot\" cx=\"");
        pdpr_i_text_fixed(b, margin + side * x[i], 1);
        pdpr_i_text_put(b, "\" cy=\"");
        pdpr_i_text_fixed(b, margin + side * y[i], 1);
        pdpr_i_text_put(b, "\" r=\"");
        pdpr_i_text_fixed(b, 2 + 7 * sqrt((double)core->degree[i] / (double)largest), 1);
        pdpr_i_text_put(b, "\"/>");
    }
    pdpr_i_text_put(b, "</g>\n");
}
