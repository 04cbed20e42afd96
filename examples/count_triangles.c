/* The library in thirty lines: reads a graph and prints its triangles.
 *   cc count_triangles.c $(pkg-config --cflags --libs privdpr) -o count_triangles &&
 * ./count_triangles graph.edges */
#include <inttypes.h>
#include <stdio.h>

#include <privdpr/privdpr.h>

int main(int argc, char **argv)
{
    pdpr_error err = {0};
    pdpr_context *ctx = NULL;
    pdpr_graph *g = NULL;
    pdpr_metrics_options how;
    pdpr_metrics metrics;

    if (argc != 2) {
        fprintf(stderr, "usage: count_triangles GRAPH\n");
        return 2;
    }
    pdpr_metrics_options_default(&how);
    how.paths = PDPR_PATHS_NONE;
    if (pdpr_context_new(NULL, &ctx, &err) != PDPR_OK ||
        pdpr_graph_load(ctx, argv[1], NULL, &g, NULL, &err) != PDPR_OK ||
        pdpr_metrics_compute(ctx, g, &how, &metrics, &err) != PDPR_OK)
        fprintf(stderr, "%s\n", err.text);
    else
        printf("%" PRIu64 " nodes, %" PRIu64 " edges, %" PRIu64 " triangles\n", metrics.nodes,
               metrics.edges, metrics.triangles);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
    return (int)err.status;
}
