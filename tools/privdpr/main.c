/* privdpr: finds the verb and runs it. */
#include "cli.h"

#include <string.h>

const cli_verb *const cli_verbs[] = {
    &cli_verb_synth,     &cli_verb_fit,     &cli_verb_sample,
    &cli_verb_plan,      &cli_verb_methods, &cli_verb_metrics,
    &cli_verb_compare,   &cli_verb_task,    &cli_verb_verify,
    &cli_verb_ledger,    &cli_verb_convert, &cli_verb_generate,
    &cli_verb_reproduce,

    &cli_verb_version,   &cli_verb_help,    NULL,
};

const cli_verb *cli_find_verb(const char *name)
{
    for (const cli_verb *const *v = cli_verbs; *v; v++)
        if (strcmp((*v)->name, name) == 0)
            return *v;
    return NULL;
}

const char *cli_nearest_verb(const char *name)
{
    cli_nearest nearest = {.word = name};
    for (const cli_verb *const *v = cli_verbs; *v; v++)
        cli_nearest_try(&nearest, (*v)->name);
    return nearest.found;
}

static int unknown_verb(const char *name)
{
    const char *nearest = cli_nearest_verb(name);
    fprintf(stderr, "privdpr: there is no verb \"%s\"", name);
    if (nearest)
        fprintf(stderr, "; did you mean \"%s\"?\n", nearest);
    else
        fprintf(stderr, "; privdpr help lists them\n");
    return CLI_USAGE;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        cli_print_overview(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    else if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    const cli_verb *verb = cli_find_verb(name);
    if (!verb)
        return unknown_verb(name);

    int code = cli_run_verb(verb, argc - 1, argv + 1);
    if (fflush(stdout) != 0 || ferror(stdout)) { /* a full disk or a closed pipe is a failure */
        if (code == CLI_OK) {
            fprintf(stderr, "privdpr: cannot write to standard output\n");
            code = CLI_FAILED;
        }
    }
    return code;
}
