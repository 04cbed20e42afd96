/* privdpr ledger [FILE]: what has been spent on which data, what is left, and the three things
 * an owner may do about it: set a budget, give back a run that never drew noise, and finish one
 * that was stopped while it published. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    {"set-budget", 0, CLI_TEXT, "E[,D]",
     "from now on runs on --dataset may cost epsilon E at delta D together (default D: 0)"},
    {"dataset", 0, CLI_TEXT, "KEY|GRAPH|name:N",
     "one dataset: its key in the ledger (8 digits or more), the graph's file, or the name that "
     "synth --dataset gave it"},
    {"refund", 0, CLI_TEXT, "RUN", "give back a run that stopped before its first noisy value"},
    {"recover", 0, CLI_TEXT, "CERTIFICATE",
     "put a run's finished files in place that a crash left as drafts; give the final name"},
    {"folder", 0, CLI_TEXT, "FOLDER",
     "with --recover: look here too, for files that are not beside the certificate (A:B for two)"},
    {"checkpoint", 0, CLI_TEXT, "FILE",
     "with --recover: the run's checkpoint, if synth was told another name; it is removed"},
    {"create", 0, CLI_FLAG, NULL, "make the ledger if there is none"},
    {"delta", 0, CLI_REAL, "D",
     "show totals at this delta where no budget names one (default: 1e-5)"},
    CLI_GRAPH_OPTIONS,
    {NULL, 0, CLI_FLAG, NULL, NULL},
};

enum { SHOWN_DIGITS = 16 };

/* ---------------------------------------------------------------- names to keys */

static pdpr_status refuse(pdpr_error *err, const char *format, const char *text)
{
    err->status = PDPR_EUSAGE;
    int used = snprintf(err->text, sizeof err->text, "%s", format);
    snprintf(err->text + used, sizeof err->text - (size_t)used, ": \"%.100s\"", text);
    return PDPR_EUSAGE;
}

/* The one dataset of the ledger whose key begins so; false if there is none or several. */
static bool find_dataset(const pdpr_ledger_summary *s, const char *text, char *key)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < s->num_datasets && cli_is_key(text); i++)
        if (strncmp(s->datasets[i].dataset, text, strlen(text)) == 0 && ++found == 1)
            memcpy(key, s->datasets[i].dataset, PDPR_LEDGER_KEY_TEXT);
    return found == 1;
}

static pdpr_status resolve_dataset(const cli_args *args, pdpr_context *ctx, pdpr_ledger *ledger,
                                   const pdpr_ledger_summary *s, const char *text,
                                   char key[PDPR_LEDGER_KEY_TEXT], pdpr_error *err)
{
    pdpr_load_options load;
    pdpr_graph *g = NULL;
    const char *name = cli_dataset_name(text);
    if (find_dataset(s, text, key))
        return PDPR_OK;
    if (name)
        return pdpr_ledger_dataset_named(ledger, name, key, err);
    if (cli_is_key(text) && access(text, F_OK) != 0)
        return refuse(err, "--dataset: expected digits with which one key of this ledger begins",
                      text);
    if (cli_load_options(args, &load) != CLI_OK)
        return refuse(err, "--nodes: out of range for the graph", text);
    pdpr_status status = cli_load_graph(ctx, text, &load, &g, err);
    if (status == PDPR_OK)
        status = pdpr_ledger_dataset_of(ledger, g, key, err);
    pdpr_graph_free(g);
    return status;
}

static pdpr_status resolve_run(const pdpr_ledger_summary *s, const char *text,
                               char run[PDPR_LEDGER_ID_TEXT], pdpr_error *err)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < s->num_runs && cli_is_key(text); i++)
        if (strncmp(s->runs[i].run, text, strlen(text)) == 0 && ++found == 1)
            memcpy(run, s->runs[i].run, PDPR_LEDGER_ID_TEXT);
    return found == 1
               ? PDPR_OK
               : refuse(err, "--refund: expected the first 8 digits or more of one run", text);
}

/* "3.2" or "3.2,1e-5". */
static bool parse_budget(const char *text, double *epsilon, double *delta)
{
    char *end;
    *delta = 0;
    if (!cli_read_real(text, &end, epsilon))
        return false;
    return *end == '\0' || (*end == ',' && cli_read_real(end + 1, &end, delta) && *end == '\0');
}

/* ---------------------------------------------------------------- the table */

static void print_epsilon(double epsilon, double delta)
{
    if (isinf(epsilon))
        printf("epsilon without bound at delta %g", delta);
    else
        printf("epsilon %.6g at delta %g", epsilon, delta);
}

static void print_dataset(const pdpr_ledger_summary *s, const pdpr_ledger_dataset *d)
{
    printf("\ndataset %.*s\n", SHOWN_DIGITS, d->dataset);
    printf("  spent   ");
    print_epsilon(d->epsilon, d->delta);
    printf(", %" PRIu64 " run%s\n", d->runs, d->runs == 1 ? "" : "s");
    if (d->has_budget)
        printf("  budget  epsilon %.6g at delta %g; left %.6g\n", d->budget_epsilon,
               d->budget_delta, d->left);
    else
        printf("  budget  none set: runs are recorded, none is refused\n");
    for (uint64_t i = 0; i < s->num_runs; i++) {
        const pdpr_ledger_run *r = &s->runs[i];
        if (strcmp(r->dataset, d->dataset) != 0)
            continue;
        printf("  run     %.*s  %s  %-10s %-9s  ", SHOWN_DIGITS, r->run, r->day, r->method,
               pdpr_run_state_name(r->state));
        print_epsilon(r->epsilon, d->delta);
        printf("%s\n", r->seeded ? "  seeded: no guarantee" : "");
    }
}

static void print_table(const char *path, const pdpr_ledger_summary *s, const char *only)
{
    printf("ledger %s: %" PRIu64 " line%s, all in order\n", path, s->lines,
           s->lines == 1 ? "" : "s");
    if (s->incomplete_bytes > 0)
        printf("its last line is incomplete: a crash cut it short; the next run cuts it off\n");
    bool shown = false;
    for (uint64_t i = 0; i < s->num_datasets; i++)
        if (!only[0] || strcmp(only, s->datasets[i].dataset) == 0) {
            print_dataset(s, &s->datasets[i]);
            shown = true;
        }
    if (!shown)
        printf(only[0] ? "\nnothing is recorded for dataset %.*s\n" : "\nnothing is recorded yet\n",
               SHOWN_DIGITS, only);
}

/* ---------------------------------------------------------------- the verb */

/* The checkpoint of a run that is published is of no use any more, and secret. One of the usual
 * name may be another run's, which is said and no failure. */
static pdpr_status discard_checkpoint(const cli_args *args, pdpr_context *ctx, pdpr_ledger *ledger,
                                      const char *ledger_path, const char *certificate,
                                      pdpr_error *err)
{
    static const char suffix[] = ".certificate.json";
    const char *named = cli_text(args, "checkpoint", NULL);
    char usual[2 * CLI_LEDGER_PATH];
    size_t length = strlen(certificate), less = sizeof suffix - 1;
    bool removed = false;

    if (!named &&
        (length <= less || strcmp(certificate + length - less, suffix) != 0 ||
         !cli_checkpoint_path(ledger_path, certificate, length - less, usual, sizeof usual)))
        return PDPR_OK;
    pdpr_status s = pdpr_checkpoint_discard(ctx, ledger, named ? named : usual, &removed, err);
    if (s != PDPR_OK && !named) {
        fprintf(stderr, "privdpr: note: %s\n", err->text);
        s = PDPR_OK;
    }
    if (removed)
        fprintf(stderr, "privdpr: %s: removed, its run is published\n", named ? named : usual);
    return s;
}

/* Finishes the publication of a certificate and says what was done. */
static pdpr_status recover(const cli_args *args, pdpr_context *ctx, pdpr_ledger *ledger,
                           const char *ledger_path, const char *certificate, pdpr_error *err)
{
    uint64_t placed = 0;
    pdpr_status s = pdpr_publish_recover(ctx, ledger, certificate, cli_text(args, "folder", NULL),
                                         &placed, err);
    if (s != PDPR_OK)
        return s;
    fprintf(stderr, "privdpr: %s: %" PRIu64 " file%s put in place; the run is published\n",
            certificate, placed, placed == 1 ? "" : "s");
    return discard_checkpoint(args, ctx, ledger, ledger_path, certificate, err);
}

/* Does what --set-budget, --refund and --recover ask, and finds which dataset to show ("": all). */
static pdpr_status act(const cli_args *args, pdpr_context *ctx, pdpr_ledger *ledger,
                       const char *ledger_path, double epsilon, double delta,
                       const pdpr_ledger_summary *before, char only[PDPR_LEDGER_KEY_TEXT],
                       pdpr_error *err)
{
    const char *dataset = cli_text(args, "dataset", NULL), *refund = cli_text(args, "refund", NULL),
               *certificate = cli_text(args, "recover", NULL);
    char run[PDPR_LEDGER_ID_TEXT];
    pdpr_status s = PDPR_OK;
    if (dataset)
        s = resolve_dataset(args, ctx, ledger, before, dataset, only, err);
    if (s == PDPR_OK && cli_text(args, "set-budget", NULL))
        s = pdpr_ledger_set_budget(ledger, only, epsilon, delta, err);
    if (s == PDPR_OK && refund)
        s = resolve_run(before, refund, run, err);
    if (s == PDPR_OK && refund)
        s = pdpr_ledger_refund(ledger, run, err);
    if (s == PDPR_OK && certificate)
        s = recover(args, ctx, ledger, ledger_path, certificate, err);
    return s;
}

/* Nothing was ever run: that is an answer, not a failure. */
static int show_unused(const cli_args *args, const char *path)
{
    pdpr_error err = {0};
    pdpr_context *ctx = NULL;
    char *json = NULL;
    const pdpr_ledger_summary nothing = {.lines = 0};
    int code = CLI_OK;
    if (!cli_flag(args, "json"))
        printf("nothing is spent: there is no ledger yet; the first private run makes %s\n", path);
    else if (cli_context_new(args, &ctx, &err) == PDPR_OK &&
             pdpr_report_ledger_json(ctx, &nothing, &json, &err) == PDPR_OK)
        fputs(json, stdout);
    else
        code = cli_failed(&err);
    pdpr_free(json);
    cli_context_free(ctx);
    return code;
}

static int run_verb(const cli_args *args)
{
    pdpr_error err = {0};
    pdpr_context *ctx = NULL;
    pdpr_ledger *ledger = NULL;
    pdpr_ledger_summary *before = NULL, *after = NULL;
    char path[CLI_LEDGER_PATH], only[PDPR_LEDGER_KEY_TEXT] = "", *json = NULL;
    int code = CLI_OK;
    double epsilon = 0, delta = 0, shown_delta = cli_real(args, "delta", 1e-5);
    const char *budget = cli_text(args, "set-budget", NULL);
    bool extends = cli_text(args, "refund", NULL) || cli_text(args, "recover", NULL);
    cli_ledger_purpose purpose = cli_flag(args, "create") ? CLI_LEDGER_CREATE
                                 : extends                ? CLI_LEDGER_EXTEND
                                 : budget                 ? CLI_LEDGER_USE
                                                          : CLI_LEDGER_READ;

    if (budget && (!parse_budget(budget, &epsilon, &delta) || !(epsilon > 0) || !(delta >= 0)))
        return cli_wrong_use(args->verb,
                             "--set-budget: expected epsilon or epsilon,delta, above 0 and from 0 "
                             "on, found \"%s\"",
                             budget);
    if (budget && !cli_text(args, "dataset", NULL))
        return cli_wrong_use(args->verb, "--set-budget: expected --dataset KEY or GRAPH with it");
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "folder" : "checkpoint";
        if (cli_text(args, name, NULL) && !cli_text(args, "recover", NULL))
            return cli_wrong_use(args->verb, "--%s: expected --recover CERTIFICATE with it", name);
    }
    if (purpose == CLI_LEDGER_READ && !args->operands && !cli_text(args, "dataset", NULL) &&
        cli_ledger_is_unused(path))
        return show_unused(args, path);
    if (cli_context_new(args, &ctx, &err) != PDPR_OK ||
        cli_ledger_open(ctx, args->operands ? args->operand[0] : NULL, purpose, path, &ledger,
                        &err) != PDPR_OK ||
        pdpr_ledger_summarise(ledger, shown_delta, &before, &err) != PDPR_OK ||
        act(args, ctx, ledger, path, epsilon, delta, before, only, &err) != PDPR_OK ||
        pdpr_ledger_summarise(ledger, shown_delta, &after, &err) != PDPR_OK ||
        (cli_flag(args, "json") && pdpr_report_ledger_json(ctx, after, &json, &err) != PDPR_OK)) {
        code = cli_failed(&err);
        goto done;
    }
    cli_progress_end();
    if (json)
        fputs(json, stdout);
    else
        print_table(path, after, only);
done:
    pdpr_free(json);
    pdpr_ledger_summary_free(before);
    pdpr_ledger_summary_free(after);
    pdpr_ledger_close(ledger);
    cli_context_free(ctx);
    return code;
}

const cli_verb cli_verb_ledger = {
    .name = "ledger",
    .summary = "what has been spent on which data, and what is left",
    .usage = "[FILE] [--set-budget E[,D] --dataset KEY|GRAPH|name:N] [--refund RUN] "
             "[--recover CERTIFICATE] [options]",
    .text =
        "Every private run is recorded in a ledger before it draws noise, and counts from then on, whether "
        "its output is published or not. FILE defaults to $XDG_STATE_HOME/privdpr/ledger, "
        "or ~/.local/state/privdpr/ledger. Each line "
        "carries the hash of the line before; a ledger that was edited, or lacks lines before its last, is refused with "
        "the line; only copies elsewhere tell that its end was cut off. Datasets are named by a keyed hash of their edges that only this ledger can compute. "
        "With a budget, a run that would exceed it is refused (exit code 4). A run that stopped before its "
        "first noisy value can be given back; afterwards it stays spent. A run that was stopped while it published (state "
        "committed) is finished with --recover: files are known by their hashes, nothing is spent, "
        "what is lost is named, and the run's checkpoint is removed. The ledger is private: keep it, "
        "and keep copies of it.",
    .example =
        "  privdpr ledger                                              the table\n"
        "  privdpr ledger --set-budget 3.2,1e-5 --dataset friends.txt  a limit for this graph\n"
        "  privdpr ledger --set-budget 3.2 --dataset name:monthly      a limit for all its versions\n"
        "  privdpr ledger --refund 3fa81c09                            a run that never started\n"
        "  privdpr ledger --recover out.edges.certificate.json         finish a publication\n"
        "  privdpr ledger team.ledger --create                         a ledger elsewhere",
    .options = options,
    .least_operands = 0,
    .most_operands = 1,
    .run = run_verb,
};
