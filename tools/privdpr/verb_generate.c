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
    CLI_FORCE_OPTION,
    {NULL, 0, CLI_FLAG, NULL, NULL},
};

/* The kind of that name; false if there is none. */
static bool find_kind(const char *name, pdpr_kind *out)
{
    for (pdpr_kind k = 0; k < PDPR_KINDS; k++)
        if (strcmp(name, pdpr_kind_name(k)) == 0) {
            *out = k;
            return true;
        }
    return false;
}

static int unknown_kind(const cli_verb *verb, const char *name)
{
    char known[256] = "";
    for (pdpr_kind k = 0; k < PDPR_KINDS; k++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "", pdpr_kind_name(k));
    }
    return cli_wrong_use(verb, "expected one of the kinds %s, found \"%s\"", known, name);
}

/* social and gnm have exactly the edges asked for; the other kinds follow their own parameters. */
static pdpr_status generate(const cli_args *args, pdpr_context *ctx, pdpr_kind kind, uint32_t nodes,
                            pdpr_graph **g, pdpr_error *err)
{
    uint64_t seed = cli_count(args, "seed", 1);
    uint64_t edges = cli_count(args, "edges", 4 * (uint64_t)nodes);
    if (kind == PDPR_KIND_SOCIAL)
        return pdpr_generate_social(ctx, nodes, edges, cli_real(args, "closure", 0.6), seed, g,
                                    err);
    if (kind == PDPR_KIND_GNM)
        return pdpr_generate_gnm(ctx, nodes, edges, seed, g, err);
    pdpr_generate_options how;
    pdpr_generate_options_default(kind, nodes, &how);
    if (cli_text(args, "edges", NULL))
        how.mean_degree = 2 * (double)edges / nodes;
    return pdpr_generate(ctx, &how, seed, g, err);
}

static int run(const cli_args *args)
{
    pdpr_error err = {0};
    pdpr_context *ctx = NULL;
    pdpr_graph *g = NULL;
    pdpr_kind kind;
    int code = CLI_OK;
    uint64_t nodes = cli_count(args, "nodes", 3000);

    if (nodes < 1 || nodes > UINT32_MAX - 1)
        return cli_wrong_use(
            args->verb, "--nodes: expected a number from 1 to 4294967294, found %" PRIu64, nodes);
    if (!find_kind(args->operand[0], &kind))
        return unknown_kind(args->verb, args->operand[0]);
    const char *output = args->operand[1];
    const pdpr_publication files = {.graph_path = &output, .num_graphs = 1};
    if ((code = cli_may_write(args, output)) != CLI_OK)
        return code;
    if (cli_context_new(args, &ctx, &err) != PDPR_OK ||
        generate(args, ctx, kind, (uint32_t)nodes, &g, &err) != PDPR_OK ||
        pdpr_graph_save(ctx, g, output, NULL, &err) != PDPR_OK ||
        (strcmp(output, "-") != 0 && cli_tell_written(args, &files, NULL, &err) != PDPR_OK))
        code = cli_failed(&err);
    pdpr_graph_free(g);
    cli_context_free(ctx);
    return code;
}

const cli_verb cli_verb_generate = {
    .name = "generate",
    .summary = "make an example graph of one of twelve kinds",
    .usage = "KIND OUT [options]",
    .text =
        "social grows a graph by preferential attachment with triangle closing (Holme and Kim): "
        "hubs and clusters as in friendships. gnm draws M edges uniformly: the null model of "
        "`compare`. The other kinds: power_law, lattice (streets), small_world, blocks "
        "(communities), cliques (co-authors), hubs (airlines), scattered (many components), "
        "geometric, copying (web), chains (railways). All depend on the options only, so the same "
        "call gives the same file everywhere.",
    .example = "  privdpr generate social example.edges --nodes 3000 --edges 12000",
    .options = options,
    .least_operands = 2,
    .most_operands = 2,
    .run = run,
};
