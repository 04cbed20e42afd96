/* privdpr sample RELEASE -o OUT: graphs from a release. Public side: no data, no budget. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "OUT",
     "the graph; with --samples K: OUT with -1, -2, ... before its extension"},
    {"samples", 'k', CLI_COUNT, "K", "how many (default: 1)"},
    {"seed", 0, CLI_COUNT, "S",
     "which ones: the same release and seed give the same graphs (default: 1)"},
    CLI_FORCE_OPTION,
    {NULL, 0, CLI_FLAG, NULL, NULL},
};

/* Draws the graphs into their files; *drawn counts those that are there. */
static pdpr_status draw(const cli_args *args, pdpr_context *ctx, const pdpr_release *release,
                        const pdpr_publication *files, uint32_t *drawn, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    for (*drawn = 0; *drawn < files->num_graphs; ++*drawn) {
        pdpr_graph *g = NULL;
        s = pdpr_release_sample(ctx, release, cli_count(args, "seed", 1), *drawn, &g, err);
        if (s == PDPR_OK)
            s = pdpr_graph_save(ctx, g, files->graph_path[*drawn], NULL, err);
        pdpr_graph_free(g);
        if (s != PDPR_OK)
            break;
    }
    return s;
}

static int run(const cli_args *args)
{
    pdpr_error err = {0};
    pdpr_context *ctx = NULL;
    pdpr_release *release = NULL;
    cli_graph_paths paths = {0};
    uint32_t drawn = 0;
    int code = cli_check_named(args, "FILE.release", args->operand[0]);
    const char *output = cli_text(args, "output", NULL);
    uint64_t samples = cli_count(args, "samples", 1);

    if (code != CLI_OK)
        return code;
    if (!output)
        return cli_wrong_use(args->verb, "expected --output OUT");
    if (samples < 1 || samples > CLI_MOST_SAMPLES)
        return cli_wrong_use(args->verb, "--samples: expected from 1 to %d, found %" PRIu64,
                             CLI_MOST_SAMPLES, samples);
    if (!cli_graph_paths_make(output, samples, &paths)) {
        fprintf(stderr, "privdpr: out of memory\n");
        code = CLI_FAILED;
        goto done;
    }
    const pdpr_publication files = {.graph_path = paths.path, .num_graphs = (uint32_t)samples};
    for (uint64_t i = 0; i < samples && code == CLI_OK; i++)
        code = cli_same_file(paths.path[i], args->operand[0])
                   ? cli_wrong_use(args->verb, "%s: the input would be replaced by the output",
                                   args->operand[0])
                   : cli_may_write(args, paths.path[i]);
    if (code != CLI_OK)
        goto done;
    if (cli_context_new(args, &ctx, &err) != PDPR_OK ||
        pdpr_release_load(ctx, args->operand[0], &release, &err) != PDPR_OK ||
        draw(args, ctx, release, &files, &drawn, &err) != PDPR_OK ||
        (strcmp(output, "-") != 0 && cli_tell_written(args, &files, NULL, &err) != PDPR_OK)) {
        code = cli_failed(&err);
        if (drawn > 0)
            fprintf(stderr,
                    "privdpr: note: the first %" PRIu32 " of %" PRIu64 " graphs are there\n", drawn,
                    samples);
        goto done;
    }
    if (pdpr_release_is_unprotected(release)) /* under -q too */
        fprintf(
            stderr,
            "privdpr: note: this release carries NO GUARANTEE (a seeded run, or a method without one).\n");
done:
    pdpr_release_free(release);
    cli_context_free(ctx);
    cli_graph_paths_free(&paths);
    return code;
}

const cli_verb cli_verb_sample = {
    .name = "sample",
    .summary = "draw synthetic graphs from a release, at no further cost",
    .usage = "FILE.release -o OUT [options]",
    .text =
        "A release holds public numbers only, so any number of graphs may be drawn from it, by anyone. Its "
        "certificate speaks of the release, not of graphs drawn later: whoever wants to check one draws it again "
        "with the same seed and place in the row, and compares the bytes.",
    .example = "  privdpr sample friends.release -o public.edges --samples 10 --seed 7",
    .options = options,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
