/* The eight metrics of a graph, put together.
 *
 * Order of work: degrees, triangles, components, then paths over the largest component; each part
 * frees what it used before the next begins, except the undirected view of a directed graph.
 * Conventions for small graphs: a component of one node has mean path length 0 and diameter 0, and
 * so has the graph without nodes; the entropy is 0 without edges. */
#include "metrics/metrics.h"

#include <string.h>

enum { DEFAULT_SAMPLES = 2048 };

void pdpr_metrics_options_default(pdpr_metrics_options *options)
{
    *options = (pdpr_metrics_options){
        .struct_size = sizeof *options, .paths = PDPR_PATHS_EXACT, .samples = DEFAULT_SAMPLES};
}

pdpr_status pdpr_i_metrics_options_read(const pdpr_metrics_options *options,
                                        pdpr_metrics_options *out, pdpr_error *err)
{
    pdpr_metrics_options o;
    pdpr_metrics_options_default(&o);
    if (options)
        memcpy(&o, options, options->struct_size < sizeof o ? options->struct_size : sizeof o);
    if (o.paths != PDPR_PATHS_EXACT && o.paths != PDPR_PATHS_SAMPLE && o.paths != PDPR_PATHS_NONE)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "metrics: expected paths exact, sample or none, found %d", (int)o.paths);
    if (o.paths == PDPR_PATHS_SAMPLE && o.samples == 0)
        return pdpr_i_fail(err, PDPR_EUSAGE, "metrics: expected at least 1 sample, found 0");
    *out = o;
    return PDPR_OK;
}

static pdpr_status measure_degrees(pdpr_context *ctx, const pdpr_graph *g, pdpr_metrics *m,
                                   pdpr_error *err)
{
    uint64_t *histogram = NULL, length = 0;
    pdpr_i_degree_metrics degrees;

    pdpr_status s = pdpr_graph_degree_histogram(ctx, g, &histogram, &length, err);
    if (s != PDPR_OK)
        return s;
    pdpr_i_degree_metrics_compute(histogram, length, &degrees);
    pdpr_free(histogram);
    m->wedges = degrees.wedges;
    m->claws = degrees.claws;
    m->rede = degrees.rede;
    m->max_degree = degrees.max_degree;
    return PDPR_OK;
}

static pdpr_status measure_paths(pdpr_context *ctx, const pdpr_graph *g,
                                 const pdpr_metrics_options *o, pdpr_metrics *m, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_components all = {0};
    pdpr_i_component largest = {0};

    PDPR_TRY(pdpr_i_components_init(ctx, g, &all, err));
    m->components = all.count;
    m->lcc = all.largest_size;
    if (o->paths == PDPR_PATHS_NONE)
        goto done;
    PDPR_TRY(pdpr_i_component_init(ctx, g, all.nodes + all.largest_first, all.largest_size,
                                   &largest, err));
    pdpr_i_components_clear(&all);
    if (o->paths == PDPR_PATHS_EXACT || o->samples >= largest.num_nodes)
        PDPR_TRY(pdpr_i_paths_exact(ctx, &largest, m, err));
    else
        PDPR_TRY(pdpr_i_paths_sample(ctx, &largest, g->num_nodes, o->samples, o->seed, m, err));
done:
    pdpr_i_components_clear(&all);
    pdpr_i_component_clear(&largest);
    return s;
}

pdpr_status pdpr_metrics_compute(pdpr_context *ctx, const pdpr_graph *g,
                                 const pdpr_metrics_options *options, pdpr_metrics *out,
                                 pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_metrics_options o = {0};
    pdpr_metrics m = {0};
    const pdpr_graph *view = NULL;
    pdpr_graph *owned = NULL;

    PDPR_TRY(pdpr_i_metrics_options_read(options, &o, err));
    PDPR_TRY(pdpr_i_undirected_view(ctx, g, &view, &owned, err));
    m.nodes = view->num_nodes;
    m.edges = pdpr_graph_num_edges(view);
    PDPR_TRY(measure_degrees(ctx, view, &m, err));
    PDPR_TRY(pdpr_i_triangles(ctx, view, &m.triangles, err));
    PDPR_TRY(measure_paths(ctx, view, &o, &m, err));
    *out = m;
done:
    pdpr_graph_free(owned);
    return s;
}
