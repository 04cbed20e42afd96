/* privdpr generate KIND OUT: graphs made from nothing, for trying things out and for comparison. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

static const cli_option options[] = {
    {"nodes", 'n', CLI_COUNT, "N", "number of nodes (default: 3000)"},
    {"edges", 'm', CLI_COUNT, "M", "number of edges (default: 4 N)"},
    {"closure", 0, CLI_REAL, "P",
     "social: probability that a link closes a triangle, 0 to 1 (default: 0.6)"},
    {"seed", 0, CLI_COUNT, "S", "which of the graphs (default: 1)"},
    {NULL, 0, CLI_FLAG, NULL, NULL},
};

static int run(const cli_args *args)
{
    pdpr_error err = {0};
    pdpr_context *ctx = NULL;
    pdpr_graph *g = NULL;
    int code = CLI_OK;
    const char *kind = args->operand[0], *path = args->operand[1];
    uint64_t nodes = cli_count(args, "nodes", 3000);
    uint64_t seed = cli_count(args, "seed", 1);

    if (nodes < 1 || nodes > UINT32_MAX - 1)
        return cli_wrong_use(
            args->verb, "--nodes: expected a number from 1 to 4294967294, found %" PRIu64, nodes);
    uint64_t edges = cli_count(args, "edges", 4 * nodes);
    bool social = strcmp(kind, "social") == 0;
    if (!social && strcmp(kind, "gnm") != 0)
        return cli_wrong_use(args->verb, "expected the kind social or gnm, found \"%s\"", kind);

    pdpr_status s = cli_context_new(args, &ctx, &err);
    if (s == PDPR_OK)
        s = social ? pdpr_generate_social(ctx, (uint32_t)nodes, edges,
                                          cli_real(args, "closure", 0.6), seed, &g, &err)
                   : pdpr_generate_gnm(ctx, (uint32_t)nodes, edges, seed, &g, &err);
    if (s == PDPR_OK)
        s = pdpr_graph_save(ctx, g, path, NULL, &err);
    if (s != PDPR_OK)
        code = cli_failed(&err);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
    return code;
}

const cli_verb cli_verb_generate = {
    .name = "generate",
    .summary = "make an example graph: social (heavy-tailed, clustered) or gnm (the null model)",
    .usage = "social|gnm OUT [options]",
    .text =
        "social grows a graph by preferential attachment with triangle closing (Holme and Kim): hubs and "
        "clusters as in friendships. gnm draws M edges uniformly: the null model of `compare`. Both depend on "
        "the options only, so the same call gives the same file everywhere.",
    .example = "  privdpr generate social example.edges --nodes 3000 --edges 12000",
    .options = options,
    .least_operands = 2,
    .most_operands = 2,
    .run = run,
};
