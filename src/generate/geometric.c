/* Random points of the unit square, linked when nearer than a radius (Gilbert 1961).
 *
 * The radius follows from the mean degree: N pi r^2 = degree, up to the border. Points are sorted
 * into square cells not smaller than the radius, so that the neighbours of a point lie in nine
 * cells. Many triangles, long paths, even degrees. Cost: O(N + m) expected. */
#include "generate/generate.h"

#include <math.h>

typedef struct {
    double *x, *y;   /* [N] */
    uint32_t side;   /* cells per row */
    uint32_t *start; /* [side^2 + 1]: first point of each cell */
    uint32_t *point; /* [N]: points by cell */
    double radius;
} cells;

static uint32_t cell_of(const cells *c, uint32_t u)
{
    return (uint32_t)(c->y[u] * c->side) * c->side + (uint32_t)(c->x[u] * c->side);
}

static void fill_cells(cells *c, uint32_t n)
{
    uint32_t count = c->side * c->side;
    for (uint32_t u = 0; u < n; u++)
        c->start[cell_of(c, u)]++;
    for (uint32_t k = 1; k <= count; k++)
        c->start[k] += c->start[k - 1];
    for (uint32_t u = n; u-- > 0;) /* downwards: start[] ends as the first of each cell */
        c->point[--c->start[cell_of(c, u)]] = u;
}

/* Links u to later points of one cell. */
static pdpr_status link_within(const cells *c, uint32_t u, uint32_t cell, pdpr_i_links *links,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    for (uint32_t i = c->start[cell]; i < c->start[cell + 1]; i++) {
        uint32_t v = c->point[i];
        double dx = c->x[u] - c->x[v], dy = c->y[u] - c->y[v];
        if (v > u && dx * dx + dy * dy < c->radius * c->radius)
            PDPR_TRY(pdpr_i_links_add(links, u, v, err));
    }
done:
    return s;
}

pdpr_status pdpr_i_kind_geometric(const pdpr_generate_options *o, pdpr_i_stream *random,
                                  pdpr_i_links *links, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const double pi = 3.14159265358979323846;
    uint32_t n = o->num_nodes;
    cells c = {.radius = sqrt(o->mean_degree / (pi * (double)n))};
    double widest = c.radius > 0 ? floor(1 / c.radius) : 1, most = ceil(sqrt((double)n));

    c.side = (uint32_t)(widest < 1 ? 1 : widest < most ? widest : most);
    PDPR_TRY(pdpr_i_alloc(links->ctx, n, sizeof *c.x, "points", &c.x, err));
    PDPR_TRY(pdpr_i_alloc(links->ctx, n, sizeof *c.y, "points", &c.y, err));
    PDPR_TRY(pdpr_i_alloc(links->ctx, n, sizeof *c.point, "points", &c.point, err));
    PDPR_TRY(pdpr_i_zalloc(links->ctx, (uint64_t)c.side * c.side + 1, sizeof *c.start, "cells",
                           &c.start, err));
    for (uint32_t u = 0; u < n; u++) {
        c.x[u] = pdpr_i_stream_unit(random);
        c.y[u] = pdpr_i_stream_unit(random);
    }
    fill_cells(&c, n);
    for (uint32_t u = 0; u < n; u++) {
        uint32_t row = (uint32_t)(c.y[u] * c.side), column = (uint32_t)(c.x[u] * c.side);
        for (uint32_t r = row ? row - 1 : 0; r <= row + 1 && r < c.side; r++)
            for (uint32_t k = column ? column - 1 : 0; k <= column + 1 && k < c.side; k++)
                PDPR_TRY(link_within(&c, u, r * c.side + k, links, err));
    }
done:
    pdpr_free(c.x);
    pdpr_free(c.y);
    pdpr_free(c.point);
    pdpr_free(c.start);
    return s;
}
