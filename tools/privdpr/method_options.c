/* Options of the verbs that run or plan a method: synth, fit, plan. */
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A count that must fit 32 bits; 0 if not given. */
static bool take_count(const cli_args *args, const char *name, uint32_t *out)
{
    uint64_t value = cli_count(args, name, 0);
    *out = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    return !cli_text(args, name, NULL) || (value > 0 && value <= UINT32_MAX);
}

/* Options that a method does not look at are refused: who gives them expects something of them. */
static const char *unused_option(const cli_args *args, const char *method)
{
    static const char *const training[] = {
        "columns",       "width",           "layers",   "epochs",         "batch",
        "walks",         "walk-length",     "spectral", "sensitivity",    "clip",
        "rate",          "damping",         "pairing",  "save-embedding", "embedding-share",
        "full-training", "checkpoint-every"};
    static const char *const resuming[] = {"resume", "checkpoint"};
    bool blueprint = strcmp(method, "blueprint") == 0;
    if (!blueprint && strcmp(method, "null") != 0)
        return NULL;
    for (size_t i = 0; i < sizeof training / sizeof *training; i++)
        if (cli_flag(args, training[i]))
            return training[i];
    for (size_t i = 0; !blueprint && i < sizeof resuming / sizeof *resuming; i++)
        if (cli_flag(args, resuming[i]))
            return resuming[i];
    /* plan forecasts for a density that is guessed */
    bool measured = blueprint && strcmp(args->verb->name, "plan") != 0;
    return measured && cli_flag(args, "edges") ? "edges" : NULL;
}

/* The name in --dataset, without its "name:". What `privdpr ledger --dataset` would take for a key
 * or a graph is refused: as a name it would be a new dataset, past the budget that was meant. */
static int take_dataset(const cli_args *args, const char **out)
{
    const char *text = cli_text(args, "dataset", NULL),
               *name = text ? cli_dataset_name(text) : NULL;
    *out = name ? name : text;
    if (*out && **out == '\0')
        return cli_wrong_use(args->verb, "--dataset: expected a name, found none");
    if (text && !name && (cli_is_key(text) || access(text, F_OK) == 0))
        return cli_wrong_use(args->verb,
                             "--dataset: expected a name, found \"%s\", which is %s; without "
                             "--dataset the budget is that of the graph's edges, and name:%s is a "
                             "name whatever it looks like",
                             text, cli_is_key(text) ? "like a key of the ledger" : "a file", text);
    return CLI_OK;
}

int cli_method_options(const cli_args *args, pdpr_method_options *out)
{
    static char day[16];
    pdpr_method_options_default(out);
    out->method = cli_text(args, "method", out->method);
    out->profile = cli_text(args, "profile", NULL);
    out->epsilon = cli_real(args, "epsilon", 0);
    out->delta = cli_real(args, "delta", out->delta);
    if (cli_flag(args, "delta") && !(out->delta >= 0))
        return cli_wrong_use(args->verb, "--delta: expected 0 or more, found %s",
                             cli_text(args, "delta", ""));
    out->delta += 0.0; /* no -0 */
    out->accept_large_delta = cli_flag(args, "i-accept-large-delta");
    out->seeded = cli_flag(args, "seed");
    out->seed = cli_count(args, "seed", 1);
    out->preprocessing = cli_text(args, "preprocessing", NULL);
    int code = take_dataset(args, &out->dataset);
    if (code != CLI_OK)
        return code;
    out->embedding_share = cli_real(args, "embedding-share", 0);
    if (cli_text(args, "embedding-share", NULL) && out->embedding_share == 0)
        return cli_wrong_use(args->verb, "--embedding-share: expected more than 0, found 0; "
                                         "without an embedding there is --method blueprint");
    out->spectral = cli_real(args, "spectral", 0);
    out->sensitivity = cli_real(args, "sensitivity", 0);
    out->clip = cli_real(args, "clip", 0);
    out->rate = cli_real(args, "rate", 0);
    out->damping = cli_real(args, "damping", 0);
    out->pairing = cli_text(args, "pairing", NULL);
    out->checkpoint_path = cli_text(args, "checkpoint", NULL);
    out->checkpoint_seconds = cli_real(args, "checkpoint-every", out->checkpoint_seconds);
    out->resume = cli_flag(args, "resume");
    out->full_training = cli_flag(args, "full-training");

    const char *unused = unused_option(args, out->method);
    if (unused)
        return cli_wrong_use(args->verb, "method %s takes no --%s", out->method, unused);

    const struct {
        const char *name;
        uint32_t *value;
    } counts[] = {
        {"columns", &out->columns},        {"width", &out->width}, {"layers", &out->layers},
        {"epochs", &out->epochs},          {"batch", &out->batch}, {"walks", &out->walks},
        {"walk-length", &out->walk_length}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (!take_count(args, counts[i].name, counts[i].value))
            return cli_wrong_use(args->verb,
                                 "--%s: expected a number from 1 to 4294967295, found \"%s\"",
                                 counts[i].name, cli_text(args, counts[i].name, ""));
    const char *edges = cli_text(args, "edges", NULL);
    if (edges && strcmp(edges, "score") == 0) {
        out->score_edges = true;
    } else if (edges) {
        char *end;
        out->edges = strtoull(edges, &end, 10);
        if (edges[0] < '1' || edges[0] > '9' || *end)
            return cli_wrong_use(args->verb, "--edges: expected a number or score, found \"%s\"",
                                 edges);
    }
    if (strcmp(out->method, "null") != 0 && strcmp(out->method, "dpr") != 0 &&
        !cli_text(args, "epsilon", NULL))
        return cli_wrong_use(args->verb,
                             "expected --epsilon E: what one node's edges may cost, e.g. 1");
    time_t now = time(NULL);
    struct tm utc;
    if (!gmtime_r(&now, &utc) || strftime(day, sizeof day, "%Y-%m-%d", &utc) == 0)
        strcpy(day, "1970-01-01");
    out->day = day;
    return CLI_OK;
}
