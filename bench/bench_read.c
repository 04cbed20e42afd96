/* Reading an edge list of 410,236 nodes and 3.4 million edges, against igraph's reader.
 *
 * The graph is generated (pdpr_generate_social) and written once as bare lines "u v" without a
 * header, because igraph's reader knows no comments. Both readings are compared edge by edge before
 * anything is timed. Memory is the growth of the peak resident set of a forked child, per edge;
 * igraph's includes its in- and out-lists. The other formats are timed for their own sake. */
#include "support/bench.h"
#include "graph/graph.h"

#include <igraph.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NODES = 410236, EDGES = 3400000 };

static void must(pdpr_status status, const pdpr_error *err)
{
    if (status == PDPR_OK)
        return;
    fprintf(stderr, "%s\n", err->text);
    exit(EXIT_FAILURE);
}

static pdpr_context *context(uint32_t threads)
{
    pdpr_context_options o;
    pdpr_context *ctx = NULL;
    pdpr_error err;
    pdpr_context_options_default(&o);
    o.threads = threads;
    must(pdpr_context_new(&o, &ctx, &err), &err);
    return ctx;
}

typedef struct {
    pdpr_context *ctx;
    const char *path;
    uint64_t num_nodes; /* declared, or 0 */
} ours;

static pdpr_graph *load(const ours *what)
{
    pdpr_load_options o;
    pdpr_graph *g = NULL;
    pdpr_error err;
    pdpr_load_options_default(&o);
    o.num_nodes = what->num_nodes;
    must(pdpr_graph_load(what->ctx, what->path, &o, &g, NULL, &err), &err);
    return g;
}

static void run_ours(void *arg)
{
    pdpr_graph_free(load(arg));
}

static void load_igraph(const char *path, igraph_t *g)
{
    FILE *f = fopen(path, "r");
    if (!f || igraph_read_graph_edgelist(g, f, 0, IGRAPH_DIRECTED) != IGRAPH_SUCCESS) {
        fprintf(stderr, "%s: igraph cannot read it\n", path);
        exit(EXIT_FAILURE);
    }
    fclose(f);
}

static void run_igraph(void *arg)
{
    igraph_t g;
    load_igraph(arg, &g);
    igraph_destroy(&g);
}

/* The rows of our graph as lines without a header. */
static void write_bare(const pdpr_graph *g, const char *path)
{
    FILE *f = fopen(path, "w");
    bench_verify(f != NULL, "no file to write");
    for (uint32_t u = 0; u < g->num_nodes; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
            if (g->target[i] > u)
                fprintf(f, "%" PRIu32 " %" PRIu32 "\n", u, g->target[i]);
    bench_verify(fclose(f) == 0, "the file cannot be written");
}

static bool equal(const pdpr_graph *a, const igraph_t *b)
{
    if ((igraph_integer_t)a->num_nodes != igraph_vcount(b) ||
        (igraph_integer_t)a->num_arcs != igraph_ecount(b))
        return false;
    for (igraph_integer_t e = 0; e < igraph_ecount(b); e++) { /* as written: sorted */
        uint32_t u = (uint32_t)IGRAPH_FROM(b, e), v = (uint32_t)IGRAPH_TO(b, e);
        if ((uint64_t)e < a->offset[u] || (uint64_t)e >= a->offset[u + 1] || a->target[e] != v)
            return false;
    }
    return true;
}

int main(void)
{
    char folder[] = "/tmp/privdpr-bench-XXXXXX", text[64], path[64];
    pdpr_graph *g = NULL;
    pdpr_error err;
    pdpr_context *ctx[2] = {context(1), context(2)};
    igraph_t peer;

    bench_verify(mkdtemp(folder) != NULL, "no folder for the file");
    snprintf(text, sizeof text, "%s/g.txt", folder);
    must(pdpr_generate_social(ctx[1], NODES, EDGES, 0.5, 1, &g, &err), &err);
    write_bare(g, text);
    ours one = {ctx[0], text, 0}, two = {ctx[1], text, 0}, declared = {ctx[0], text, NODES};
    pdpr_graph *mine = load(&one);
    load_igraph(text, &peer);
    bench_verify(equal(mine, &peer), "igraph reads another graph");
    pdpr_graph_free(mine);
    igraph_destroy(&peer);

    /* Memory first: the growth must not hide in pages that earlier runs left behind. */
    double grown = (double)bench_peak_growth(run_ours, &one) / EDGES;
    double grown_two = (double)bench_peak_growth(run_ours, &two) / EDGES;
    double grown_declared = (double)bench_peak_growth(run_ours, &declared) / EDGES;
    double grown_igraph = (double)bench_peak_growth(run_igraph, text) / EDGES;

    bench_time base = bench_run(run_igraph, text);
    bench_report("read/social/igraph", &base, "\"bytes_per_edge\": %.1f", grown_igraph);
#define REPORT(name, what, bytes)                                                                  \
    do {                                                                                           \
        bench_time t = bench_run(run_ours, (what));                                                \
        bench_report((name), &t, "\"ratio\": %.2f, \"cpu_ratio\": %.2f, \"bytes_per_edge\": %.1f", \
                     base.minimum / t.minimum, base.cpu / t.cpu, (bytes));                         \
    } while (0)
    REPORT("read/social/1", &one, grown);
    REPORT("read/social/2", &two, grown_two);
    REPORT("read_declared/social/1", &declared, grown_declared);

    static const char *const others[] = {"txt.gz", "txt.zst", "graph", "mtx", "bcsr"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char name[64];
        snprintf(path, sizeof path, "%s/g.%s", folder, others[i]);
        snprintf(name, sizeof name, "read_%s/social/1", others[i]);
        must(pdpr_graph_save(ctx[0], g, path, NULL, &err), &err);
        ours other = {ctx[0], path, 0};
        double bytes = (double)bench_peak_growth(run_ours, &other) / EDGES;
        REPORT(name, &other, bytes);
        unlink(path);
    }
    unlink(text);
    rmdir(folder);
    pdpr_graph_free(g);
    pdpr_context_free(ctx[0]);
    pdpr_context_free(ctx[1]);
    return EXIT_SUCCESS;
}
