/* privdpr convert IN OUT: between graph formats. */
#include "cli.h"

#include <inttypes.h>

static const cli_option options[] = {
    CLI_GRAPH_OPTIONS,
    {"to", 0, CLI_TEXT, "NAME", "write as edges, metis, mtx or bcsr whatever OUT is called"},
    {"undirected", 'u', CLI_FLAG, NULL, "read arcs as undirected edges"},
    {NULL, 0, CLI_FLAG, NULL, NULL},
};

static int run(const cli_args *args)
{
    pdpr_error err = {0};
    pdpr_context *ctx = NULL;
    pdpr_graph *g = NULL;
    pdpr_load_info info;
    pdpr_load_options load;
    int code = cli_load_options(args, &load);

    if (code != CLI_OK)
        return code;
    if (cli_flag(args, "undirected"))
        load.direction = PDPR_DIRECTION_UNDIRECTED;
    if (cli_context_new(args, &ctx, &err) != PDPR_OK ||
        pdpr_graph_load(ctx, args->operand[0], &load, &g, &info, &err) != PDPR_OK ||
        pdpr_graph_save(ctx, g, args->operand[1], cli_text(args, "to", NULL), &err) != PDPR_OK) {
        code = cli_failed(&err);
        goto done;
    }
    cli_progress_end();
    if (!info.nodes_declared && !cli_flag(args, "quiet"))
        fprintf(stderr,
                "privdpr: note: %s declares no nodes; the file written declares the %" PRIu32
                " that were seen. If there are others, give --nodes or --vertices\n",
                args->operand[0], pdpr_graph_num_nodes(g));
    FILE *out = args->operand[1][0] == '-' && args->operand[1][1] == '\0' ? stderr : stdout;
    if (cli_flag(args, "json"))
        fprintf(out,
                "{\"nodes\": %" PRIu32 ", \"edges\": %" PRIu64
                ", \"directed\": %s, \"read\": %" PRIu64 ", \"loops_dropped\": %" PRIu64
                ", \"repeats_dropped\": %" PRIu64 "}\n",
                pdpr_graph_num_nodes(g), pdpr_graph_num_edges(g),
                pdpr_graph_is_directed(g) ? "true" : "false", info.arcs_read, info.loops_dropped,
                info.repeats_dropped);
    else if (!cli_flag(args, "quiet"))
        fprintf(out,
                "%s: %" PRIu32 " nodes, %" PRIu64 " %s (read as %s: %" PRIu64
                " pairs; dropped %" PRIu64 " loops and %" PRIu64 " repeats)\n",
                args->operand[1], pdpr_graph_num_nodes(g), pdpr_graph_num_edges(g),
                pdpr_graph_is_directed(g) ? "arcs" : "edges", info.format, info.arcs_read,
                info.loops_dropped, info.repeats_dropped);
done:
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
    return code;
}

const cli_verb cli_verb_convert = {
    .name = "convert",
    .summary = "read a graph in one format and write it in another",
    .usage = "IN OUT [options]",
    .text =
        "Formats follow the extension: edge lists (.txt .edges .el .tsv .csv), METIS (.graph .metis), Matrix "
        "Market (.mtx) and the project's binary CSR (.bcsr), each also with .gz or .zst behind it; - is a "
        "stream. Loops and repeats are dropped and counted. OUT appears complete or not at all.",
    .example = "  privdpr convert friends.csv friends.bcsr          compact, quick to read\n"
               "  privdpr convert web.txt.gz web.graph -u           METIS, undirected",
    .options = options,
    .least_operands = 2,
    .most_operands = 2,
    .run = run,
};
