/* Path lengths and diameter beside igraph.
 *
 *   bench_paths [--large] [p2p.edges]
 *
 * On p2p (from ../shared/datasets, or a generated graph of the same size where that is missing):
 * exact mean path length and diameter of the largest component, one thread each, everything that
 * either side does between a loaded graph and its answer included; igraph needs
 * igraph_average_path_length and igraph_diameter for what is one search here. Each kernel of the
 * machine is timed. On the graph of 410,236 nodes and 3.4 million edges: all metrics with sampled
 * paths and iFUB, on all processors; with --large also the exact path length, once (a minute or so
 * on two processors), against which the sample is checked. */
#include "support/bench.h"
#include "metrics/metrics.h"

#include <igraph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pdpr_context *ctx;
    pdpr_graph *g;
    igraph_t largest;
    pdpr_paths paths;
    pdpr_metrics m;
    double igraph_mean, igraph_diameter;
} subject;

static void need(pdpr_status s, const char *what)
{
    bench_verify(s == PDPR_OK, what);
}

static pdpr_context *context(uint32_t threads, pdpr_cpu cpu)
{
    pdpr_context_options o;
    pdpr_context *ctx = NULL;
    pdpr_context_options_default(&o);
    o.threads = threads;
    o.cpu = cpu;
    need(pdpr_context_new(&o, &ctx, NULL), "context");
    return ctx;
}

/* NULL if the file is not there. */
static pdpr_graph *read_p2p(pdpr_context *ctx, const char *path)
{
    pdpr_load_options o;
    pdpr_graph *g = NULL;
    pdpr_load_options_default(&o);
    o.direction = PDPR_DIRECTION_UNDIRECTED;
    return pdpr_graph_load(ctx, path, &o, &g, NULL, NULL) == PDPR_OK ? g : NULL;
}

static void to_igraph_largest(const pdpr_graph *g, igraph_t *out)
{
    igraph_t all;
    igraph_vector_int_t ends, member, size, nodes;
    igraph_integer_t used = 0;
    igraph_vector_int_init(&ends, (igraph_integer_t)g->num_arcs);
    igraph_vector_int_init(&member, 0);
    igraph_vector_int_init(&size, 0);
    igraph_vector_int_init(&nodes, 0);
    for (uint32_t u = 0; u < g->num_nodes; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
            if (u < g->target[i]) {
                VECTOR(ends)[used++] = u;
                VECTOR(ends)[used++] = g->target[i];
            }
    igraph_create(&all, &ends, g->num_nodes, IGRAPH_UNDIRECTED);
    igraph_connected_components(&all, &member, &size, NULL, IGRAPH_WEAK);
    igraph_integer_t best = igraph_vector_int_which_max(&size);
    for (igraph_integer_t v = 0; v < igraph_vector_int_size(&member); v++)
        if (VECTOR(member)[v] == best)
            igraph_vector_int_push_back(&nodes, v);
    igraph_induced_subgraph(&all, out, igraph_vss_vector(&nodes), IGRAPH_SUBGRAPH_AUTO);
    igraph_destroy(&all);
    igraph_vector_int_destroy(&ends);
    igraph_vector_int_destroy(&member);
    igraph_vector_int_destroy(&size);
    igraph_vector_int_destroy(&nodes);
}

static void igraph_paths(void *arg)
{
    subject *s = arg;
    igraph_average_path_length(&s->largest, &s->igraph_mean, NULL, false, true);
    igraph_diameter(&s->largest, &s->igraph_diameter, NULL, NULL, NULL, NULL, false, true);
}

/* Components, renumbering and paths. */
static void own_exact(void *arg)
{
    subject *s = arg;
    pdpr_i_components all;
    pdpr_i_component c;
    need(pdpr_i_components_init(s->ctx, s->g, &all, NULL), "components");
    need(pdpr_i_component_init(s->ctx, s->g, all.nodes + all.largest_first, all.largest_size, &c,
                               NULL),
         "component");
    need(pdpr_i_paths_exact(s->ctx, &c, &s->m, NULL), "paths");
    pdpr_i_component_clear(&c);
    pdpr_i_components_clear(&all);
}

static void own_ifub(void *arg)
{
    subject *s = arg;
    pdpr_i_components all;
    pdpr_i_component c;
    pdpr_i_search_pool *pool = NULL;
    pdpr_i_diameter d;
    need(pdpr_i_components_init(s->ctx, s->g, &all, NULL), "components");
    need(pdpr_i_component_init(s->ctx, s->g, all.nodes + all.largest_first, all.largest_size, &c,
                               NULL),
         "component");
    need(pdpr_i_search_pool_new(s->ctx, &c, c.num_nodes, &pool, NULL), "searches");
    need(pdpr_i_diameter_ifub(s->ctx, &c, pool, 0, UINT64_MAX, &d, NULL), "diameter");
    s->m.diameter = d.lower;
    pdpr_i_search_pool_free(pool);
    pdpr_i_component_clear(&c);
    pdpr_i_components_clear(&all);
}

static void own_metrics(void *arg)
{
    subject *s = arg;
    pdpr_metrics_options o;
    pdpr_metrics_options_default(&o);
    o.paths = s->paths;
    o.seed = 1;
    need(pdpr_metrics_compute(s->ctx, s->g, &o, &s->m, NULL), "metrics");
}

static void small_graph(const char *path)
{
    pdpr_context *ctx = context(1, PDPR_CPU_AUTO);
    subject s = {.ctx = ctx, .g = read_p2p(ctx, path)};
    const char *graph = s.g ? "p2p" : "social6301";
    char name[64];
    if (!s.g)
        need(pdpr_generate_social(ctx, 6301, 20777, 0.1, 1, &s.g, NULL), "social graph");
    to_igraph_largest(s.g, &s.largest);

    igraph_paths(&s);
    own_exact(&s);
    bench_verify(fabs(s.m.cpl - s.igraph_mean) <= 1e-9 * s.igraph_mean, "path length");
    bench_verify(s.m.diameter == (uint32_t)s.igraph_diameter, "diameter");
    bench_time peer = bench_run(igraph_paths, &s);
    snprintf(name, sizeof name, "igraph_paths/%s/1", graph);
    bench_report(name, &peer, "\"cpl\": %.9f, \"diameter\": %.0f", s.igraph_mean,
                 s.igraph_diameter);
    for (pdpr_cpu cpu = PDPR_CPU_PORTABLE; cpu <= ctx->cpu_found; cpu++) {
        s.ctx = context(1, cpu);
        s.m = (pdpr_metrics){0};
        bench_time t = bench_run(own_exact, &s);
        bench_verify(fabs(s.m.cpl - s.igraph_mean) <= 1e-9 * s.igraph_mean, "path length");
        snprintf(name, sizeof name, "paths_%s/%s/1", pdpr_i_cpu_name(cpu), graph);
        bench_report(name, &t,
                     "\"cpl\": %.9f, \"diameter\": %u, \"ratio\": %.1f, "
                     "\"cpu_ratio\": %.1f",
                     s.m.cpl, (unsigned)s.m.diameter, peer.minimum / t.minimum, peer.cpu / t.cpu);
        pdpr_context_free(s.ctx);
    }
    s.ctx = ctx;
    bench_time t = bench_run(own_ifub, &s);
    bench_verify(s.m.diameter == (uint32_t)s.igraph_diameter, "diameter");
    snprintf(name, sizeof name, "ifub/%s/1", graph);
    bench_report(name, &t, "\"diameter\": %u", (unsigned)s.m.diameter);
    igraph_destroy(&s.largest);
    pdpr_graph_free(s.g);
    pdpr_context_free(ctx);
}

static void large_graph(bool exact)
{
    subject s = {.ctx = context(0, PDPR_CPU_AUTO), .paths = PDPR_PATHS_SAMPLE};
    char name[64];
    need(pdpr_generate_social(s.ctx, 410236, 3400000, 0.5, 1, &s.g, NULL), "social graph");
    bench_time t = bench_run(own_metrics, &s);
    double estimate = s.m.cpl_estimate, error = s.m.cpl_standard_error;
    bool closed = s.m.have_diameter;
    uint32_t diameter = s.m.diameter;
    snprintf(name, sizeof name, "metrics_sampled/social/%u", (unsigned)s.ctx->threads);
    bench_report(name, &t,
                 "\"cpl_estimate\": %.6f, \"cpl_standard_error\": %.6f, "
                 "\"samples\": %u, \"diameter_lower\": %u, \"diameter_upper\": %u",
                 estimate, error, (unsigned)s.m.samples, (unsigned)s.m.diameter_lower,
                 (unsigned)s.m.diameter_upper);
    if (exact) {
        double wall = bench_now(), cpu = bench_cpu();
        s.paths = PDPR_PATHS_EXACT;
        own_metrics(&s);
        bench_time once = {.minimum = bench_now() - wall, .repeats = 1};
        once.median = once.minimum;
        once.cpu = bench_cpu() - cpu;
        bench_verify(fabs(estimate - s.m.cpl) <= 3 * error, "estimate within 3 standard errors");
        bench_verify(!closed || diameter == s.m.diameter, "diameter by iFUB");
        snprintf(name, sizeof name, "metrics_exact/social/%u", (unsigned)s.ctx->threads);
        bench_report(name, &once, "\"cpl\": %.9f, \"diameter\": %u, \"standard_errors_off\": %.2f",
                     s.m.cpl, (unsigned)s.m.diameter, fabs(estimate - s.m.cpl) / error);
    }
    pdpr_graph_free(s.g);
    pdpr_context_free(s.ctx);
}

int main(int argc, char **argv)
{
    bool exact = false;
    const char *path = "../shared/datasets/p2p.edges";
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--large") == 0)
            exact = true;
        else
            path = argv[i];
    small_graph(path);
    large_graph(exact);
    return EXIT_SUCCESS;
}
