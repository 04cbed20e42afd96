/* privdpr convert IN OUT: between graph formats. */
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const cli_option options[] = {
    CLI_GRAPH_OPTIONS,
    {"to", 0, CLI_TEXT, "NAME", "write as edges, metis, mtx or bcsr whatever OUT is called"},
    {"undirected", 'u', CLI_FLAG, NULL, "read arcs as undirected edges"},
    CLI_FORCE_OPTION,
    {NULL, 0, CLI_FLAG, NULL, NULL},
};

/* Whether what is written holds no names: METIS and Matrix Market number the nodes from 1. */
static bool numbers_nodes(const char *path, const char *to)
{
    static const char *const endings[] = {".metis", ".mtx", ".graph"};
    static const char *const packings[] = {"", ".gz", ".zst"};
    for (size_t i = 0; to && i < 2; i++)
        if (strcmp(to, endings[i] + 1) == 0)
            return true;
    for (size_t i = 0; !to && i < 9; i++) {
        char ending[16];
        size_t length =
            (size_t)snprintf(ending, sizeof ending, "%s%s", endings[i / 3], packings[i % 3]);
        if (strlen(path) >= length && strcasecmp(path + strlen(path) - length, ending) == 0)
            return true;
    }
    return false;
}

/* Whether the nodes are not K, K+1, ...: only such a numbering is the same to the ledger from 1. */
static bool has_names(const pdpr_graph *g)
{
    enum { MOST_DIGITS = 24 };
    char name[MOST_DIGITS], expected[MOST_DIGITS];
    uint64_t first = 0;
    for (uint32_t u = 0; u < pdpr_graph_num_nodes(g); u++) {
        pdpr_graph_name(g, u, name, sizeof name);
        if (u == 0)
            first = strtoull(name, NULL, 10);
        snprintf(expected, sizeof expected, "%" PRIu64, first + u);
        if (strcmp(name, expected) != 0)
            return true;
    }
    return false;
}

/* What not everybody may read stays with its owner: OUT holds all that IN does. A group is left out
 * too, because OUT's may be another one. */
static void keep_private(const char *input)
{
    struct stat info;
    int failed = strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &info) : stat(input, &info);
    const mode_t all = S_IRGRP | S_IROTH;
    if (failed == 0 && S_ISREG(info.st_mode) && (info.st_mode & all) != all)
        umask(077);
}

static int run(const cli_args *args)
{
    pdpr_error err = {0};
    pdpr_context *ctx = NULL;
    pdpr_graph *g = NULL;
    pdpr_load_info info;
    pdpr_load_options load;
    const char *to = cli_text(args, "to", NULL);
    int code = cli_load_options(args, &load);

    if (code != CLI_OK)
        return code;
    if (cli_flag(args, "undirected"))
        load.direction = PDPR_DIRECTION_UNDIRECTED;
    if (cli_same_file(args->operand[1], load.vertices_path))
        return cli_wrong_use(args->verb, "%s: the input would be replaced by the output",
                             load.vertices_path);
    if ((code = cli_may_write(args, args->operand[1])) != CLI_OK)
        return code;
    if (cli_context_new(args, &ctx, &err) != PDPR_OK ||
        pdpr_graph_load(ctx, args->operand[0], &load, &g, &info, &err) != PDPR_OK) {
        code = cli_failed(&err);
        goto done;
    }
    /* every format that is written declares its nodes, and a certificate would then say so */
    if (!info.nodes_declared && !cli_infers_nodes(args)) {
        code = cli_undeclared_nodes(args, args->operand[0]);
        goto done;
    }
    keep_private(args->operand[0]);
    if (load.vertices_path) /* whose names are written too */
        keep_private(load.vertices_path);
    if (pdpr_graph_save(ctx, g, args->operand[1], to, &err) != PDPR_OK) {
        code = cli_failed(&err);
        goto done;
    }
    cli_progress_end();
    /* said under -q too: budgets depend on it */
    if (numbers_nodes(args->operand[1], to) && has_names(g))
        fprintf(stderr,
                "privdpr: note: %s holds no node names, so the ledger takes it for another dataset "
                "than %s, with a budget of its own: give both one name, synth --dataset NAME\n",
                args->operand[1], args->operand[0]);
    if (!info.nodes_declared && !cli_flag(args, "quiet"))
        fprintf(
            stderr,
            "privdpr: note: %s declares no nodes; the file written declares the %" PRIu32
            " that it has or counts as if they were public. If there are others, give --nodes or "
            "--vertices\n",
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
    cli_context_free(ctx);
    return code;
}

const cli_verb cli_verb_convert = {
    .name = "convert",
    .summary = "read a graph in one format and write it in another",
    .usage = "IN OUT [options]",
    .text =
        "Formats follow the extension: edge lists (.txt .edges .el .tsv .csv), METIS (.graph .metis), Matrix "
        "Market (.mtx) and the project's binary CSR (.bcsr), each also with .gz or .zst behind it; - is a "
        "stream. Loops and repeats are dropped and counted. OUT appears complete or not at all; if not everybody may read "
        "IN, only its owner may read OUT (mode 600).\n"
        "OUT declares its nodes, whose number is public: if IN does not, give --nodes N or --vertices FILE, or accept "
        "the ids in the file with --nodes infer. METIS and Matrix Market hold no node names; the ledger takes such a "
        "file for another dataset, unless synth --dataset NAME names both.",
    .example = "  privdpr convert friends.csv friends.bcsr --nodes infer   compact, quick to read\n"
               "  privdpr convert web.txt.gz web.graph -u --nodes 5000     METIS, undirected",
    .options = options,
    .least_operands = 2,
    .most_operands = 2,
    .run = run,
};
