/* privdpr reproduce table2 ...: the paper's tables and figures, ours beside theirs. */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const cli_option options[] = {
    {"data", 'd', CLI_TEXT, "DIR", "folder with cora.edges, citeseer.edges, ..., cora.labels, ..."},
    {"out", 'o', CLI_TEXT, "DIR", "folder of the results (default: reproduced)"},
    {"quick", 0, CLI_FLAG, NULL,
     "a smoke form: the first dataset there is, two seeds, the first and the last parameter"},
    {"seeds", 'k', CLI_COUNT, "K", "runs of each cell, seeds 1 to K, 2 to 100 (default: 5)"},
    {"datasets", 0, CLI_TEXT, "LIST", "only these, for example cora,p2p (default: all there are)"},
    {"methods", 0, CLI_TEXT, "LIST",
     "only these, METHOD or METHOD/PROFILE, for example blueprint,privdpr/paper; null models come "
     "along (default: all)"},
    {"any-build", 0, CLI_FLAG, NULL,
     "use kept runs on the same data even if another build of this program made them"},
    {"estimate", 0, CLI_FLAG, NULL,
     "only say how many runs are left and roughly how long they take"},
    {NULL, 0, CLI_FLAG, NULL, NULL},
};

/* ---------------------------------------------------------------- one item */

/* An item's kept values and the runs that are left. */
typedef struct {
    cli_cells cells;
    cli_plan plan;
} item_state;

static void close_item(item_state *item)
{
    free(item->plan.run);
    cli_cells_close(&item->cells);
}

static int open_item(const cli_args *args, const cli_experiment *e, const cli_experiment_how *how,
                     item_state *out)
{
    char path[CLI_LEDGER_PATH];
    snprintf(path, sizeof path, "%s/%s-runs.csv", cli_text(args, "out", "reproduced"), e->item);
    *out = (item_state){.plan = {0}};
    int code = cli_cells_open(path, how->sources, e->kind == CLI_NODES, &out->cells);
    if (code == CLI_OK)
        code = cli_plan_make(e, how, &out->cells, &out->plan);
    if (code != CLI_OK)
        close_item(out);
    return code;
}

/* Values in the file that are not of these data and this program are never passed over in silence.
 */
static void tell_of_others(const item_state *item, const cli_experiment_how *how)
{
    const cli_cells *c = &item->cells;
    if (c->other_data)
        fprintf(
            stderr,
            "privdpr: %s: %zu values are of other data (or of a dataset left out now): they stay "
            "there and are not used\n",
            c->path, c->other_data);
    if (c->other_build)
        fprintf(
            stderr,
            how->sources->any_build
                ? "privdpr: %s: %zu values were made by another build; they are used (--any-build)\n"
                : "privdpr: %s: %zu values were made by another build: they stay there and are not "
                  "used (--any-build would)\n",
            c->path, c->other_build);
}

static int run_item(const cli_args *args, const cli_experiment *e, const cli_experiment_how *how)
{
    item_state item;
    int code = open_item(args, e, how, &item);
    if (code != CLI_OK)
        return code;
    cli_plan_tell_missing(e, how);
    tell_of_others(&item, how);
    code = cli_cells_start(&item.cells);
    if (code == CLI_OK)
        code = cli_experiment_run(e, how, &item.plan, &item.cells);
    if (code == CLI_INTERRUPTED)
        fprintf(stderr, "privdpr: finished runs are kept in %s: the same command goes on\n",
                item.cells.path);
    if (code == CLI_OK)
        code = cli_results_write(args, e, how, &item.cells);
    close_item(&item);
    return code;
}

/* ---------------------------------------------------------------- the verb */

static const cli_experiment *find_item(const char *name)
{
    for (const cli_experiment *e = cli_experiments; e->item; e++)
        if (strcmp(e->item, name) == 0)
            return e;
    return NULL;
}

/* The items of a call. `all` is every one. */
enum { MOST_ITEMS = 64 };
typedef struct {
    const cli_experiment *item[MOST_ITEMS];
    size_t count;
} item_list;

static int list_items(const cli_args *args, item_list *out)
{
    bool all = args->operands == 1 && strcmp(args->operand[0], "all") == 0;
    out->count = 0;
    for (const cli_experiment *e = cli_experiments; all && e->item; e++)
        out->item[out->count++] = e;
    for (int i = 0; i < args->operands && !all; i++) {
        const cli_experiment *e = find_item(args->operand[i]);
        if (!e || out->count == MOST_ITEMS)
            return cli_wrong_use(
                args->verb, "expected table2 to table6, figure2 to figure5 or all, found \"%s\"",
                args->operand[i]);
        out->item[out->count++] = e;
    }
    return CLI_OK;
}

/* Checks the names on a list with commas by `is_known`. */
static int check_list(const cli_args *args, const char *option, bool (*is_known)(const char *),
                      const char *expected)
{
    char list[1024], *rest = list;
    snprintf(list, sizeof list, "%s", cli_text(args, option, ""));
    for (char *name; (name = strtok_r(rest, ",", &rest));)
        if (!is_known(name))
            return cli_wrong_use(args->verb, "--%s: expected %s, found \"%s\"", option, expected,
                                 name);
    return CLI_OK;
}

static bool is_dataset(const char *name)
{
    for (const char *const *known = cli_dataset_names; *known; known++)
        if (strcmp(*known, name) == 0)
            return true;
    return false;
}

/* What is left to do and roughly how long it takes, on stderr; on stdout if that is all. */
static int print_estimate(const cli_args *args, const item_list *items,
                          const cli_experiment_how *how)
{
    FILE *out = cli_flag(args, "estimate") ? stdout : stderr;
    double seconds = 0;
    size_t runs = 0;
    char text[32];
    for (size_t i = 0; i < items->count; i++) {
        item_state item;
        int code = open_item(args, items->item[i], how, &item);
        if (code != CLI_OK)
            return code;
        cli_format_duration(cli_plan_seconds(&item.plan), text, sizeof text);
        fprintf(out, "%s: %zu runs to make, roughly %s\n", items->item[i]->item, item.plan.count,
                text);
        seconds += cli_plan_seconds(&item.plan);
        runs += item.plan.count;
        close_item(&item);
    }
    cli_format_duration(seconds, text, sizeof text);
    if (items->count > 1)
        fprintf(out, "together: %zu runs to make, roughly %s\n", runs, text);
    return CLI_OK;
}

static int run_items(const cli_args *args, const item_list *items, const cli_experiment_how *how)
{
    const char *folder = cli_text(args, "out", "reproduced");
    bool only_estimate = cli_flag(args, "estimate");
    int code = only_estimate || !how->quiet ? print_estimate(args, items, how) : CLI_OK;
    if (code != CLI_OK || only_estimate)
        return code;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cli_cannot_write(folder);
    for (size_t i = 0; i < items->count && code == CLI_OK; i++)
        code = run_item(args, items->item[i], how);
    return code;
}

static int run(const cli_args *args)
{
    pdpr_error err = {0};
    struct stat info;
    item_list items;
    cli_sources sources;
    cli_experiment_how how = {.data = cli_text(args, "data", NULL),
                              .sources = &sources,
                              .datasets = cli_text(args, "datasets", NULL),
                              .methods = cli_text(args, "methods", NULL),
                              .quick = cli_flag(args, "quick"),
                              .quiet = cli_flag(args, "quiet")};
    int code = list_items(args, &items);
    if (code != CLI_OK)
        return code;
    if (!how.data)
        return cli_wrong_use(args->verb, "expected --data DIR");
    if (stat(how.data, &info) != 0 || !S_ISDIR(info.st_mode))
        return cli_wrong_use(args->verb, "--data: expected a folder, found \"%s\"", how.data);
    how.seeds = cli_count(args, "seeds", how.quick ? 2 : 5);
    if (how.seeds < 2 || how.seeds > 100)
        return cli_wrong_use(args->verb, "--seeds: expected from 2 to 100, found %" PRIu64,
                             how.seeds);
    if ((code = check_list(args, "datasets", is_dataset,
                           "cora, citeseer, p2p, chicago or amazon")) != CLI_OK ||
        (code = check_list(args, "methods", cli_is_method,
                           "METHOD or METHOD/PROFILE of `privdpr methods`")) != CLI_OK)
        return code;
    pdpr_status s = cli_context_new(args, &how.ctx, &err);
    if (s == PDPR_OK)
        s = cli_sources_find(how.ctx, how.data, how.datasets, &sources, &err);
    sources.any_build = cli_flag(args, "any-build");
    code = s == PDPR_OK ? run_items(args, &items, &how) : cli_failed(&err);
    cli_context_free(how.ctx);
    return code;
}

const cli_verb cli_verb_reproduce = {
    .name = "reproduce",
    .summary = "the tables and figures of the PrivDPR paper, ours beside the paper's",
    .usage = "table2|...|table6|figure2|...|figure5|all --data DIR [options]",
    .text =
        "Runs an experiment of the paper with its datasets, budgets and settings, five seeds a cell, for every "
        "method that `privdpr methods` lists, and puts beside it the paper's own values and the null models: "
        "G(N, m), the configuration model, and the paper's system on the same nodes without any edge. Methods of "
        "the paper that are not built are named. Writes ITEM.csv, ITEM.json, ITEM.svg and ITEM-runs.csv into the "
        "output folder; runs that are in ITEM-runs.csv are not made again, so an interrupted call goes on where "
        "it stopped. Each of its lines is bound to the dataset's bytes and to this build of the program: runs on "
        "other data or by another build are not used, and it is said. Missing datasets are skipped with a word; experiments/README.md tells where they come from.\n"
        "Runs are seeded and computed from the original data: research, without any guarantee.",
    .example = "  privdpr reproduce table2 --quick --data datasets\n"
               "  privdpr reproduce all --data datasets --out reproduced\n"
               "  privdpr reproduce figure2 figure3 --data datasets --methods blueprint --estimate",
    .options = options,
    .least_operands = 1,
    .most_operands = -1,
    .run = run,
};
