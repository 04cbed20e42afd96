/* Distributions of a graph: degrees, triangles by degree, edges by the degrees of their ends, and
 * nodes by the size of their component.
 *
 * Everything is a count, kept as an integer; shares and means are taken where they are drawn.
 * Degrees and sizes of a table are in classes that double, since both span orders of magnitude.
 *
 * Cost: that of the triangles, O(m^1.5), and O(N + m) beside it; 16 bytes per node. */
#include "metrics/curves.h"

#include <math.h>

enum { NODES_PER_CHECK = 1 << 14 };

uint32_t pdpr_i_class_of(uint64_t number)
{
    uint32_t k = 0;
    while (k + 1 < PDPR_I_CLASSES && number > UINT64_C(1) << k)
        k++;
    return k;
}

static pdpr_status count_triangles(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_curves *c,
                                   pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t *per_node = NULL, total;

    PDPR_TRY(pdpr_i_zalloc(ctx, c->degrees, sizeof *c->triangles, "triangles by degree",
                           &c->triangles, err));
    PDPR_TRY(pdpr_i_alloc(ctx, g->num_nodes, sizeof *per_node, "triangles", &per_node, err));
    PDPR_TRY(pdpr_i_triangles_per_node(ctx, g, per_node, &total, err));
    for (uint32_t u = 0; u < g->num_nodes; u++)
        c->triangles[pdpr_i_degree(g, u)] += per_node[u];
done:
    pdpr_free(per_node);
    return s;
}

static pdpr_status count_joint(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_curves *c,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint8_t *class = NULL; /* [N], of degrees; 0 also for isolated nodes, which have no arc */

    PDPR_TRY(pdpr_i_alloc(ctx, g->num_nodes, sizeof *class, "degree classes", &class, err));
    for (uint32_t u = 0; u < g->num_nodes; u++)
        class[u] = (uint8_t)pdpr_i_class_of(pdpr_i_degree(g, u));
    for (uint32_t u = 0; u < g->num_nodes; u++) {
        if (u % NODES_PER_CHECK == 0)
            PDPR_TRY(pdpr_i_check_cancelled(ctx, err));
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
            c->joint[class[u]][class[g->target[i]]]++;
    }
done:
    pdpr_free(class);
    return s;
}

/* The list holds one component after another, each in breadth-first order: a node that no earlier
 * one has as its neighbour begins the next component. */
static pdpr_status count_sizes(pdpr_context *ctx, const pdpr_graph *g, const pdpr_i_components *all,
                               pdpr_i_curves *c, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint8_t *met = NULL; /* [N]: reached from an earlier node of the list */
    uint64_t first = 0;

    PDPR_TRY(pdpr_i_zalloc(ctx, g->num_nodes, sizeof *met, "component sizes", &met, err));
    for (uint64_t i = 0; i <= g->num_nodes; i++) {
        if (i == g->num_nodes || (i > first && !met[all->nodes[i]])) {
            if (i > first)
                c->size[pdpr_i_class_of(i - first)] += i - first;
            first = i;
        }
        if (i == g->num_nodes)
            break;
        uint32_t u = all->nodes[i];
        for (uint64_t j = g->offset[u]; j < g->offset[u + 1]; j++)
            met[g->target[j]] = 1;
    }
done:
    pdpr_free(met);
    return s;
}

pdpr_status pdpr_i_curves_init(pdpr_context *ctx, const pdpr_graph *g, uint64_t seed,
                               pdpr_i_curves *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_curves c = {0};
    pdpr_i_components all = {0};
    pdpr_i_component largest = {0};
    const pdpr_graph *view = NULL;
    pdpr_graph *owned = NULL;

    PDPR_TRY(pdpr_i_undirected_view(ctx, g, &view, &owned, err));
    c.nodes = view->num_nodes;
    c.edges = pdpr_graph_num_edges(view);
    PDPR_TRY(pdpr_graph_degree_histogram(ctx, view, &c.degree, &c.degrees, err));
    PDPR_TRY(count_triangles(ctx, view, &c, err));
    PDPR_TRY(count_joint(ctx, view, &c, err));
    PDPR_TRY(pdpr_i_components_init(ctx, view, &all, err));
    PDPR_TRY(count_sizes(ctx, view, &all, &c, err));
    PDPR_TRY(pdpr_i_component_init(ctx, view, all.nodes + all.largest_first, all.largest_size,
                                   &largest, err));
    PDPR_TRY(pdpr_i_curves_distances(ctx, &largest, view->num_nodes, seed, &c, err));
    *out = c;
    c = (pdpr_i_curves){0};
done:
    pdpr_i_curves_clear(&c);
    pdpr_i_components_clear(&all);
    pdpr_i_component_clear(&largest);
    pdpr_graph_free(owned);
    return s;
}

void pdpr_i_curves_clear(pdpr_i_curves *c)
{
    pdpr_free(c->degree);
    pdpr_free(c->triangles);
    pdpr_free(c->distance);
    *c = (pdpr_i_curves){0};
}

/* ---------------------------------------------------------------- means and distances of them */

double pdpr_i_curves_clustering(const pdpr_i_curves *c, uint64_t from, uint64_t to)
{
    double sum = 0;
    uint64_t nodes = 0;
    for (uint64_t d = from < 2 ? 2 : from; d < to && d < c->degrees; d++) {
        sum += (double)c->triangles[d] / (0.5 * (double)d * (double)(d - 1));
        nodes += c->degree[d];
    }
    return nodes ? sum / (double)nodes : NAN;
}

double pdpr_i_curves_mean_clustering(const pdpr_i_curves *c)
{
    double mean = pdpr_i_curves_clustering(c, 2, c->degrees);
    return isnan(mean) ? 0 : mean; /* nothing that could be closed */
}

double pdpr_i_curves_mixing_distance(const pdpr_i_curves *a, const pdpr_i_curves *b)
{
    double sum = 0;
    if (a->edges == 0 || b->edges == 0)
        return a->edges == b->edges ? 0 : NAN;
    for (int i = 0; i < PDPR_I_CLASSES; i++)
        for (int j = 0; j < PDPR_I_CLASSES; j++)
            sum += fabs((double)a->joint[i][j] / (2.0 * (double)a->edges) -
                        (double)b->joint[i][j] / (2.0 * (double)b->edges));
    return 0.5 * sum;
}
