/* privdpr version: what this program was built from and which kernels it uses here. */
#include "cli.h"

#include <inttypes.h>

static const cli_option options[] = {{NULL, 0, CLI_FLAG, NULL, NULL}};

static int run(const cli_args *args)
{
    pdpr_error err = {0};
    pdpr_context *ctx = NULL;
    pdpr_build_info b;

    if (cli_context_new(args, &ctx, &err) != PDPR_OK)
        return cli_failed(&err);
    pdpr_build_info_get(ctx, &b);
    const struct {
        const char *key, *value;
    } rows[] = {
        {"version", b.version},   {"commit", b.commit},    {"build", b.build_type},
        {"compiler", b.compiler}, {"libsodium", b.sodium}, {"jansson", b.jansson},
        {"zlib", b.zlib},         {"zstd", b.zstd},        {"mpfr", b.mpfr},
        {"cpu", b.cpu_found},     {"kernels", b.cpu_used},
    };
    enum { COUNT = sizeof rows / sizeof *rows };
    bool json = cli_flag(args, "json");
    if (json)
        printf("{");
    else
        printf("privdpr %s\n", b.version);
    for (int i = 0; i < COUNT; i++)
        printf(json ? "\"%s\": \"%s\", " : "  %-10s %s\n", rows[i].key, rows[i].value);
    printf(json ? "\"threads\": %" PRIu32 "}\n" : "  threads    %" PRIu32 "\n", b.threads);
    cli_context_free(ctx);
    return CLI_OK;
}

const cli_verb cli_verb_version = {
    .name = "version",
    .summary = "version, libraries, and the CPU kernels chosen",
    .usage = "[--json]",
    .text = "What this program was built from and which kernels it uses on this machine.",
    .example = "  privdpr version --json",
    .options = options,
    .least_operands = 0,
    .most_operands = 0,
    .run = run,
};
