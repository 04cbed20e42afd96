/* Triangle counting beside igraph, one thread each, preparation included on both sides.
 *
 * Graphs: the social graph of the requirements (410,236 nodes, 3.4 million edges) and an R-MAT
 * graph of about the same size, whose degrees are far more skewed. igraph has two ways to the
 * total, igraph_adjacent_triangles and igraph_transitivity_undirected; the ratio is to the faster
 * one. Answers are compared before anything is timed. */
#include "support/bench.h"
#include "metrics/metrics.h"

#include <igraph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    pdpr_context *ctx;
    pdpr_graph *g;
    igraph_t ig;
    uint64_t triangles;
    double transitivity;
} subject;

static void need(pdpr_status s, const char *what)
{
    bench_verify(s == PDPR_OK, what);
}

/* Chakrabarti, Zhan and Faloutsos 2004, with the usual weights 0.57, 0.19, 0.19, 0.05. */
static pdpr_graph *rmat(pdpr_context *ctx, unsigned scale, uint64_t pairs_wanted)
{
    pdpr_graph *g = NULL;
    uint32_t *pairs = malloc(2 * pairs_wanted * sizeof *pairs);
    pdpr_i_key key;
    pdpr_i_stream random;
    bench_verify(pairs != NULL, "memory");
    pdpr_i_key_from_seed(1, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, 0);
    for (uint64_t i = 0; i < pairs_wanted; i++) {
        uint32_t u = 0, v = 0;
        for (unsigned bit = 0; bit < scale; bit++) {
            double r = pdpr_i_stream_unit(&random);
            u = u << 1 | (r >= 0.76);
            v = v << 1 | ((r >= 0.57 && r < 0.76) || r >= 0.95);
        }
        pairs[2 * i] = u;
        pairs[2 * i + 1] = v;
    }
    need(pdpr_graph_from_pairs(ctx, UINT32_C(1) << scale, pairs, pairs_wanted, false, &g, NULL),
         "R-MAT graph");
    free(pairs);
    return g;
}

static void to_igraph(const pdpr_graph *g, igraph_t *out)
{
    igraph_vector_int_t ends;
    igraph_integer_t used = 0;
    igraph_vector_int_init(&ends, (igraph_integer_t)g->num_arcs);
    for (uint32_t u = 0; u < g->num_nodes; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
            if (u < g->target[i]) {
                VECTOR(ends)[used++] = u;
                VECTOR(ends)[used++] = g->target[i];
            }
    igraph_create(out, &ends, g->num_nodes, IGRAPH_UNDIRECTED);
    igraph_vector_int_destroy(&ends);
}

static void own(void *arg)
{
    subject *s = arg;
    need(pdpr_i_triangles(s->ctx, s->g, &s->triangles, NULL), "triangles");
}

static void own_per_node(void *arg)
{
    subject *s = arg;
    uint64_t *count = malloc(s->g->num_nodes * sizeof *count);
    bench_verify(count != NULL, "memory");
    need(pdpr_i_triangles_per_node(s->ctx, s->g, count, &s->triangles, NULL), "triangles");
    free(count);
}

static void igraph_adjacent(void *arg)
{
    subject *s = arg;
    igraph_vector_t count;
    igraph_vector_init(&count, 0);
    igraph_adjacent_triangles(&s->ig, &count, igraph_vss_all());
    s->triangles = (uint64_t)llround(igraph_vector_sum(&count)) / 3;
    igraph_vector_destroy(&count);
}

static void igraph_transitivity(void *arg)
{
    subject *s = arg;
    igraph_transitivity_undirected(&s->ig, &s->transitivity, IGRAPH_TRANSITIVITY_ZERO);
}

static void measure(const char *graph, subject *s)
{
    char name[64];
    to_igraph(s->g, &s->ig);
    own(s);
    uint64_t triangles = s->triangles;
    s->triangles = 0;
    own_per_node(s);
    bench_verify(s->triangles == triangles, "triangles per node");
    igraph_adjacent(s);
    bench_verify(s->triangles == triangles, "triangles against igraph");

    bench_time adjacent = bench_run(igraph_adjacent, s);
    bench_time transitivity = bench_run(igraph_transitivity, s);
    bench_time best = adjacent.minimum < transitivity.minimum ? adjacent : transitivity;
    bench_time t = bench_run(own, s), nodes = bench_run(own_per_node, s);
    snprintf(name, sizeof name, "igraph_adjacent_triangles/%s/1", graph);
    bench_report(name, &adjacent, NULL);
    snprintf(name, sizeof name, "igraph_transitivity/%s/1", graph);
    bench_report(name, &transitivity, NULL);
    snprintf(name, sizeof name, "triangles/%s/1", graph);
    bench_report(name, &t,
                 "\"nodes\": %u, \"edges\": %llu, \"triangles\": %llu, \"ratio\": %.2f, "
                 "\"cpu_ratio\": %.2f",
                 (unsigned)s->g->num_nodes, (unsigned long long)(s->g->num_arcs / 2),
                 (unsigned long long)triangles, best.minimum / t.minimum, best.cpu / t.cpu);
    snprintf(name, sizeof name, "triangles_per_node/%s/1", graph);
    bench_report(name, &nodes, "\"ratio\": %.2f", best.minimum / nodes.minimum);
    igraph_destroy(&s->ig);
    pdpr_graph_free(s->g);
}

int main(void)
{
    subject s = {0};
    pdpr_context_options o;
    pdpr_context_options_default(&o);
    o.threads = 1;
    need(pdpr_context_new(&o, &s.ctx, NULL), "context");
    need(pdpr_generate_social(s.ctx, 410236, 3400000, 0.5, 1, &s.g, NULL), "social graph");
    measure("social", &s);
    s.g = rmat(s.ctx, 19, 4200000);
    measure("rmat", &s);
    pdpr_context_free(s.ctx);
    return EXIT_SUCCESS;
}
