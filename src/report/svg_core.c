/* A drawing of a small graph: distances on paper like distances in the graph, then room for all.
 *
 * First stress majorisation (Gansner, Koren and North 2004): every node moves to where the others
 * would have it, each at the distance of its shortest path, weighed by the inverse square of it.
 * That unfolds street maps and chains, where forces alone get stuck. Then a few steps of forces
 * (Fruchterman and Reingold 1991), repelling as 1/distance and attracting along links, which pull
 * apart what lies on one spot: a dense core has few different distances. The start is a sunflower
 * spiral by rank, so nothing is random and the same core gives the same drawing.
 *
 * Cost: one breadth-first search a node, 60 rounds and 60 steps of O(nodes^2 + links): a tenth of a
 * second for 200 nodes. One thread, fixed order: the same bytes for any number of threads. */
#include "report/svg_plot.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 60, STEPS = 60 };

static void spiral(uint32_t nodes, double *x, double *y)
{
    const double golden = 2.39996322972865332; /* radians: pi (3 - sqrt 5) */
    for (uint32_t i = 0; i < nodes; i++) {
        double radius = sqrt((i + 0.5) / nodes);
        x[i] = radius * cos(golden * i);
        y[i] = radius * sin(golden * i);
    }
}

/* ---------------------------------------------------------------- stress */

/* hops[i * n + j] = length of the shortest path in the core; one more than the longest of all for
 * pairs without one. queue[n] is scratch. */
static void all_hops(const pdpr_i_core *core, uint16_t *hops, uint32_t *queue, uint8_t *linked)
{
    size_t n = core->nodes;
    uint16_t longest = 0;
    memset(linked, 0, n * n);
    for (uint64_t e = 0; e < core->edges; e++) {
        uint32_t i = core->pairs[2 * e], j = core->pairs[2 * e + 1];
        linked[i * n + j] = linked[j * n + i] = 1;
    }
    memset(hops, 0xff, n * n * sizeof *hops); /* UINT16_MAX: not reached */
    for (size_t source = 0; source < n; source++) {
        uint16_t *row = hops + source * n;
        uint32_t head = 0, tail = 0;
        row[source] = 0;
        queue[tail++] = (uint32_t)source;
        while (head < tail) {
            uint32_t u = queue[head++];
            longest = row[u] > longest ? row[u] : longest;
            for (uint32_t w = 0; w < n; w++)
                if (linked[u * n + w] && row[w] == UINT16_MAX) {
                    row[w] = (uint16_t)(row[u] + 1);
                    queue[tail++] = w;
                }
        }
    }
    for (size_t i = 0; i < n * n; i++)
        hops[i] = hops[i] == UINT16_MAX ? (uint16_t)(longest + 1) : hops[i];
}

static void unfold(uint32_t n, const uint16_t *hops, double *x, double *y)
{
    for (int round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < n; i++) {
            double sum_x = 0, sum_y = 0, sum_w = 0;
            for (uint32_t j = 0; j < n; j++) {
                if (j == i)
                    continue;
                double ax = x[i] - x[j], ay = y[i] - y[j], wanted = hops[(size_t)i * n + j];
                double stretch = wanted / sqrt(ax * ax + ay * ay + 1e-12),
                       w = 1 / (wanted * wanted);
                sum_x += w * (x[j] + ax * stretch);
                sum_y += w * (y[j] + ay * stretch);
                sum_w += w;
            }
            if (sum_w > 0) {
                x[i] = sum_x / sum_w;
                y[i] = sum_y / sum_w;
            }
        }
}

/* ---------------------------------------------------------------- forces */

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

/* Forces at the scale where the drawing is a square of side 2. */
static void make_room(const pdpr_i_core *core, double *x, double *y, double *work)
{
    uint32_t n = core->nodes;
    double k = 1 / sqrt((double)n); /* the distance at which a single link rests */
    double *dx = work, *dy = work + n, *weight = work + 2 * (size_t)n;

    for (uint32_t i = 0; i < n; i++) {
        x[i] = 2 * x[i] - 1;
        y[i] = 2 * y[i] - 1;
        weight[i] = 0;
    }
    for (uint64_t e = 0; e < 2 * core->edges; e++)
        weight[core->pairs[e]]++;
    for (uint32_t i = 0; i < n; i++) /* so that hubs do not swallow all */
        weight[i] = 1 / sqrt(fmax(1, 0.35 * weight[i]));
    for (int step = 0; step < STEPS; step++) {
        double most = 0.04 * (1 - (double)step / STEPS);
        for (uint32_t i = 0; i < n; i++) {
            dx[i] = -0.6 * x[i]; /* towards the middle */
            dy[i] = -0.6 * y[i];
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
}

pdpr_status pdpr_i_core_layout(pdpr_context *ctx, const pdpr_i_core *core, double *x, double *y,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t n = core->nodes;
    double *work = NULL;
    uint16_t *hops = NULL;
    uint32_t *queue = NULL;
    uint8_t *linked = NULL;

    if (n == 0)
        return PDPR_OK;
    PDPR_TRY(pdpr_i_alloc(ctx, 3 * n, sizeof *work, "drawing", &work, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n * n, sizeof *hops, "drawing", &hops, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *queue, "drawing", &queue, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n * n, sizeof *linked, "drawing", &linked, err));
    spiral(core->nodes, x, y);
    all_hops(core, hops, queue, linked);
    unfold(core->nodes, hops, x, y);
    fit_square(core->nodes, x, y);
    make_room(core, x, y, work);
    fit_square(core->nodes, x, y);
done:
    pdpr_free(work);
    pdpr_free(hops);
    pdpr_free(queue);
    pdpr_free(linked);
    return s;
}

void pdpr_i_svg_core(pdpr_i_text *b, const char *class, const pdpr_i_core *core, const double *x,
                     const double *y, uint64_t largest_degree)
{
    const double margin = 14, side = PDPR_I_SVG_WIDTH - 2 * margin;
    double largest = (double)(largest_degree > 0 ? largest_degree : 1);
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
    for (uint32_t i = 0; i < core->nodes; i++) {
        pdpr_i_text_put(b, "<circle class=\"dot\" cx=\"");
        pdpr_i_text_fixed(b, margin + side * x[i], 1);
        pdpr_i_text_put(b, "\" cy=\"");
        pdpr_i_text_fixed(b, margin + side * y[i], 1);
        pdpr_i_text_put(b, "\" r=\"");
        pdpr_i_text_fixed(b, 2 + 7 * sqrt((double)core->degree[i] / largest), 1);
        pdpr_i_text_put(b, "\"/>");
    }
    pdpr_i_text_put(b, "</g>\n");
}
