/* privdpr sample RELEASE -o OUT: graphs from a release. Public side: no data, no budget. */
#include "cli.h"

#include <inttypes.h>

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "OUT",
     "the graph; with --samples K: OUT with -1, -2, ... before its extension"},
    {"samples", 'k', CLI_COUNT, "K", "how many (default: 1)"},
    {"seed", 0, CLI_COUNT, "S",
     "which ones: the same release and seed give the same graphs (default: 1)"},
    {NULL, 0, CLI_FLAG, NULL, NULL},
};

static int run(const cli_args *args)
{
    pdpr_error err = {0};
    pdpr_context *ctx = NULL;
    pdpr_release *release = NULL;
    int code = CLI_OK;
    const char *output = cli_text(args, "output", NULL);
    uint64_t samples = cli_count(args, "samples", 1);

    if (!output)
        return cli_wrong_use(args->verb, "expected --output OUT");
    if (samples < 1 || samples > 1000)
        return cli_wrong_use(args->verb, "--samples: expected from 1 to 1000, found %" PRIu64,
                             samples);
    pdpr_status s = cli_context_new(args, &ctx, &err);
    if (s == PDPR_OK)
        s = pdpr_release_load(ctx, args->operand[0], &release, &err);
    for (uint64_t i = 0; s == PDPR_OK && i < samples; i++) {
        char path[4096];
        pdpr_graph *g = NULL;
        if (samples == 1)
            snprintf(path, sizeof path, "%s", output);
        else
            cli_numbered_path(output, i + 1, path, sizeof path);
        s = pdpr_release_sample(ctx, release, cli_count(args, "seed", 1), i, &g, &err);
        if (s == PDPR_OK)
            s = pdpr_graph_save(ctx, g, path, NULL, &err);
        pdpr_graph_free(g);
    }
    if (s != PDPR_OK)
        code = cli_failed(&err);
    else if (pdpr_release_is_unprotected(release) && !cli_flag(args, "quiet"))
        fprintf(
            stderr,
            "privdpr: note: this release carries NO GUARANTEE (a seeded run, or a method without one).\n");
    pdpr_release_free(release);
    cli_context_free(ctx);
    return code;
}

const cli_verb cli_verb_sample = {
    .name = "sample",
    .summary = "draw synthetic graphs from a release, at no further cost",
    .usage = "FILE.release -o OUT [options]",
    .text =
        "A release holds public numbers only, so any number of graphs may be drawn from it, by anyone.",
    .example = "  privdpr sample friends.release -o public.edges --samples 10 --seed 7",
    .options = options,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
