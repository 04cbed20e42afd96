/* privdpr help [VERB]: the overview, one verb, or the man page. */
#include "cli.h"

static const cli_option options[] = {
    {"man", 0, CLI_FLAG, NULL, "print the manual page (roff), for man -l"},
    {NULL, 0, CLI_FLAG, NULL, NULL},
};

static int run(const cli_args *args)
{
    if (cli_flag(args, "man")) {
        cli_print_man_page(stdout);
        return CLI_OK;
    }
    if (args->operands == 0) {
        cli_print_overview(stdout);
        return CLI_OK;
    }
    const cli_verb *verb = cli_find_verb(args->operand[0]);
    const char *nearest = verb ? NULL : cli_nearest_verb(args->operand[0]);
    if (nearest)
        return cli_wrong_use(args->verb, "there is no verb \"%s\"; did you mean \"%s\"?",
                             args->operand[0], nearest);
    if (!verb)
        return cli_wrong_use(args->verb, "there is no verb \"%s\"", args->operand[0]);
    cli_print_help(stdout, verb);
    return CLI_OK;
}

const cli_verb cli_verb_help = {
    .name = "help",
    .summary = "this overview, or the help of one verb",
    .usage = "[VERB]",
    .text = "Lists the verbs, or tells about one of them.",
    .example = "  privdpr help metrics\n  privdpr help --man | man -l -",
    .options = options,
    .least_operands = 0,
    .most_operands = 1,
    .run = run,
};
