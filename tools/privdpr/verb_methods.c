/* privdpr methods: the table of methods. */
#include "cli.h"

static const cli_option options[] = {{NULL, 0, CLI_FLAG, NULL, NULL}};

static int run(const cli_args *args)
{
    uint32_t count = 0;
    const pdpr_method_info *m = pdpr_methods(&count);
    bool json = cli_flag(args, "json");
    if (json)
        printf("[");
    for (uint32_t i = 0; i < count; i++)
        if (json)
            printf(
                "%s{\"method\": \"%s\", \"unit\": \"%s\", \"profiles\": \"%s\", \"summary\": \"%s\"}",
                i ? ", " : "", m[i].name, m[i].unit, m[i].profiles, m[i].summary);
        else
            printf("%-10s %s\n%-10s protects: %s%s%s\n", m[i].name, m[i].summary, "", m[i].unit,
                   *m[i].profiles ? "; profiles: " : "", m[i].profiles);
    if (json)
        printf("]\n");
    return CLI_OK;
}

const cli_verb cli_verb_methods = {
    .name = "methods",
    .summary = "the methods there are and what each protects",
    .usage = "[--json]",
    .text = "One row a method: its unit of privacy and its profiles, the default first.",
    .example = "  privdpr methods",
    .options = options,
    .least_operands = 0,
    .most_operands = 0,
    .run = run,
};
