/* privdpr: finds the verb and runs it. */
#include "cli.h"

#include <string.h>

const cli_verb *const cli_verbs[] = {
    &cli_verb_synth,   &cli_verb_fit,      &cli_verb_sample,  &cli_verb_plan,   &cli_verb_methods,
    &cli_verb_metrics, &cli_verb_compare,  &cli_verb_task,    &cli_verb_verify, &cli_verb_ledger,
    &cli_verb_convert, &cli_verb_generate, &cli_verb_version, &cli_verb_help,   NULL,
};

const cli_verb *cli_find_verb(const char *name)
{
    for (const cli_verb *const *v = cli_verbs; *v; v++)
        if (strcmp((*v)->name, name) == 0)
            return *v;
    return NULL;
}

/* Edits (insert, delete, replace, swap neighbours) between two short words. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { MOST = 24 };
    size_t d[MOST + 1][MOST + 1], la = strlen(a), lb = strlen(b);
    if (la > MOST || lb > MOST)
        return MOST;
    for (size_t i = 0; i <= la; i++)
        for (size_t j = 0; j <= lb; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            size_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[la][lb];
}

static int unknown_verb(const char *name)
{
    const char *nearest = NULL;
    size_t best = 3;
    for (const cli_verb *const *v = cli_verbs; *v; v++) {
        size_t distance = edit_distance(name, (*v)->name);
        if (distance < best) {
            best = distance;
            nearest = (*v)->name;
        }
    }
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
