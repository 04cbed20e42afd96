/* How a dataset of the ledger is named on the command line, and what a name may not be used for: to
 * get round the budget that the graph itself has. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

bool cli_is_key(const char *text)
{
    enum { LEAST_DIGITS = 8 };
    size_t length = strlen(text);
    return length >= LEAST_DIGITS && strspn(text, "0123456789abcdef") == length;
}

const char *cli_dataset_name(const char *text)
{
    static const char sign[] = "name:";
    return strncmp(text, sign, sizeof sign - 1) == 0 ? text + sizeof sign - 1 : NULL;
}

/* NULL if the ledger does not know it. */
static const pdpr_ledger_dataset *find(const pdpr_ledger_summary *summary, const char *key)
{
    for (uint64_t i = 0; i < summary->num_datasets; i++)
        if (strcmp(summary->datasets[i].dataset, key) == 0)
            return &summary->datasets[i];
    return NULL;
}

/* Said under -q too: budgets depend on it. */
static pdpr_status judge(const pdpr_ledger_dataset *named, const pdpr_ledger_dataset *own,
                         const char *name, pdpr_error *err)
{
    bool has_budget = named && named->has_budget;
    if (own && own->has_budget && !has_budget) {
        err->status = PDPR_EBUDGET;
        snprintf(err->text, sizeof err->text,
                 "this graph has a budget of its own in the ledger (dataset %.16s, left %.6g), and "
                 "the name \"%.100s\" has none: without --dataset the run counts against the "
                 "graph's; for a budget of all its versions, `privdpr ledger --set-budget E "
                 "--dataset name:%.100s` first",
                 own->dataset, own->left, name, name);
        return PDPR_EBUDGET;
    }
    if (!named)
        fprintf(stderr,
                "privdpr: note: the ledger has no dataset named \"%s\" yet: this run is its first, "
                "and no budget limits it\n",
                name);
    if (own && own->runs > 0)
        fprintf(stderr,
                "privdpr: note: %" PRIu64 " run%s on this very graph stand%s in the ledger outside "
                "of \"%s\": what they spent is not counted here\n",
                own->runs, own->runs == 1 ? "" : "s", own->runs == 1 ? "s" : "", name);
    return PDPR_OK;
}

pdpr_status cli_check_dataset_name(pdpr_ledger *ledger, const pdpr_graph *g, const char *name,
                                   pdpr_error *err)
{
    char key[PDPR_LEDGER_KEY_TEXT], own[PDPR_LEDGER_KEY_TEXT];
    pdpr_ledger_summary *summary = NULL;
    pdpr_status s = pdpr_ledger_dataset_named(ledger, name, key, err);
    if (s == PDPR_OK)
        s = pdpr_ledger_dataset_of(ledger, g, own, err);
    if (s == PDPR_OK)
        s = pdpr_ledger_summarise(ledger, 0, &summary, err);
    if (s == PDPR_OK)
        s = judge(find(summary, key), find(summary, own), name, err);
    pdpr_ledger_summary_free(summary);
    return s;
}
