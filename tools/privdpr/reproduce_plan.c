/* The paper's experiments: which of its tables and figures is which, and the runs of each.
 *
 * Beside the methods stand the null models: G(N, m), the configuration model (told every degree),
 * and the paper's system on a graph with the same nodes and no edges. Methods come from the
 * program's table, so that one built later takes part without a word here.
 *
 * A run's time is guessed before any is made, from the plan of its method; the guess is rough, but
 * the runs differ a thousandfold, and what is left of a night can only be told by weighing them. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const char *const four[] = {"cora", "citeseer", "p2p", "chicago", NULL};
static const char *const labelled[] = {"cora", "citeseer", NULL};
static const char *const cora[] = {"cora", NULL}, *const citeseer[] = {"citeseer", NULL};
static const char *const p2p[] = {"p2p", NULL}, *const chicago[] = {"chicago", NULL};
static const char *const budgets[] = {"0.1", "0.2", "0.4", "0.8", "1.6", "3.2", NULL};
static const char *const scales[] = {"2", "4", "6", "8", NULL};
static const char *const widths[] = {"64", "128", "256", "512", NULL};
static const char *const small[] = {"0.1", NULL}, *const large[] = {"3.2", NULL};
static const char *const both[] = {"0.1", "3.2", NULL};

const cli_experiment cli_experiments[] = {
    {"table2", "errors for weight scales s, epsilon 3.2", CLI_GRAPHS, four, "s", scales, "8", "8",
     false},
    {"table3", "errors for widths d, epsilon 3.2", CLI_GRAPHS, four, "d", widths, "64", "512",
     false},
    {"figure2", "errors by epsilon, Cora", CLI_GRAPHS, cora, "epsilon", budgets, "3.2", "3.2",
     true},
    {"figure3", "errors by epsilon, Citeseer", CLI_GRAPHS, citeseer, "epsilon", budgets, "3.2",
     "3.2", true},
    {"figure4", "errors by epsilon, p2p", CLI_GRAPHS, p2p, "epsilon", budgets, "3.2", "3.2", true},
    {"figure5", "errors by epsilon, Chicago", CLI_GRAPHS, chicago, "epsilon", budgets, "3.2", "3.2",
     true},
    {"table4", "link prediction, epsilon 0.1", CLI_LINKS, cli_dataset_names, "epsilon", small,
     "0.1", "0.1", true},
    {"table5", "link prediction, epsilon 3.2", CLI_LINKS, cli_dataset_names, "epsilon", large,
     "3.2", "3.2", true},
    {"table6", "node classification", CLI_NODES, labelled, "epsilon", both, "3.2", "3.2", true},
    {NULL, NULL, CLI_GRAPHS, NULL, NULL, NULL, NULL, NULL, false},
};

/* ---------------------------------------------------------------- one run */

pdpr_method_options cli_run_options(const cli_experiment *e, const cli_run *run)
{
    pdpr_method_options o;
    const char *parameter = run->parameter[0] == '-' ? e->base : run->parameter;
    pdpr_method_options_default(&o);
    o.method = run->method;
    o.profile = run->profile[0] ? run->profile : NULL;
    o.epsilon = strcmp(e->parameter_name, "epsilon") == 0 ? atof(parameter) : 3.2;
    o.delta = 1e-5;
    o.accept_large_delta = true; /* the paper's, whatever N is */
    if (strcmp(e->parameter_name, "s") == 0)
        o.spectral = atof(parameter);
    if (strcmp(e->parameter_name, "d") == 0)
        o.width = (uint32_t)atoi(parameter);
    o.seeded = true;
    o.seed = run->seed;
    o.day = "1970-01-01"; /* of a ledger that is thrown away */
    return o;
}

cli_cell cli_run_cell(const cli_run *run, const char *metric, double value)
{
    cli_cell c = {.seed = run->seed, .value = value};
    snprintf(c.dataset, sizeof c.dataset, "%s", run->dataset->name);
    snprintf(c.metric, sizeof c.metric, "%s", metric);
    snprintf(c.method, sizeof c.method, "%s", run->label);
    snprintf(c.parameter, sizeof c.parameter, "%s", run->parameter);
    return c;
}

/* Seconds on this many threads, as measured on the reference machine: the network by its plan, the
 * blueprint's fit (whose path queries end at 30,000 nodes), path lengths or regressions. */
static double guess_seconds(const cli_experiment *e, const cli_experiment_how *how,
                            const cli_run *run)
{
    double n = run->dataset->nodes, m = (double)run->dataset->edges, seconds = 0;
    pdpr_plan plan = {0};
    if (run->kind == CLI_RUN_METHOD || run->kind == CLI_RUN_NO_EDGES) {
        pdpr_method_options o = cli_run_options(e, run);
        o.edges = run->dataset->edges;
        if (pdpr_plan_make(how->ctx, run->dataset->nodes, &o, &plan, NULL) == PDPR_OK)
            seconds = plan.seconds;
    }
    if (plan.queries > 0 && e->kind == CLI_GRAPHS) /* a task needs the embedding only */
        seconds += 2 + 1e-5 * n + (n < 30000 ? 2e-7 * n * n : 0);
    return e->kind == CLI_GRAPHS ? seconds + 0.05 + 4e-10 * n * m : 2 * seconds + 1 + 1e-4 * m;
}

/* ---------------------------------------------------------------- all runs of an experiment */

enum { MOST_RUNS = 8192 };

typedef struct {
    const cli_experiment *e;
    const cli_experiment_how *how;
    const cli_cells *cells;
    const cli_dataset *dataset;
    cli_plan plan;
} planner;

/* The value by which a finished run is known: the last one that it writes. */
static bool is_made(const planner *p, const cli_run *run)
{
    const char *last = p->e->kind == CLI_GRAPHS  ? "KS"
                       : p->e->kind == CLI_LINKS ? "AUC"
                                                 : "Micro-F1";
    const cli_cell key = cli_run_cell(run, last, 0);
    return cli_cells_have(p->cells, &key);
}

static void add_run(planner *p, cli_run_kind kind, const char *parameter, const char *method,
                    const char *profile, bool name_profile, uint64_t seed)
{
    if (p->plan.count == MOST_RUNS)
        return;
    cli_run *r = &p->plan.run[p->plan.count];
    *r = (cli_run){.kind = kind, .dataset = p->dataset, .parameter = parameter, .seed = seed};
    snprintf(r->method, sizeof r->method, "%s", method);
    snprintf(r->profile, sizeof r->profile, "%s", profile);
    snprintf(r->label, sizeof r->label, "%s%s%s%s", method, name_profile ? "/" : "",
             name_profile ? profile : "", kind == CLI_RUN_NO_EDGES ? " no edges" : "");
    if (is_made(p, r))
        return;
    r->seconds = guess_seconds(p->e, p->how, r);
    p->plan.count++;
}

/* With `quick` the first parameter and one more. */
static bool takes_parameter(const planner *p, size_t at)
{
    return !p->how->quick || at == 0 || strcmp(p->e->parameters[at], p->e->quick) == 0;
}

/* Whether METHOD or METHOD/PROFILE is on the list. */
static bool is_wanted(const char *list, const char *method, const char *profile)
{
    char label[CLI_METHOD];
    snprintf(label, sizeof label, "%s/%s", method, profile);
    return cli_list_holds(list, method) || cli_list_holds(list, label);
}

/* All parameters and seeds of one method and profile. */
static void plan_profile(planner *p, const pdpr_method_info *m, const char *profile)
{
    bool named = strchr(m->profiles, ' ') != NULL, free_of = strncmp(m->unit, "none", 4) == 0;
    if (!is_wanted(p->how->methods, m->name, profile))
        return;
    for (size_t i = 0; p->e->parameters[i] && !(free_of && i > 0); i++)
        for (uint64_t seed = 1; seed <= p->how->seeds && (free_of || takes_parameter(p, i)); seed++)
            add_run(p, CLI_RUN_METHOD, free_of ? "-" : p->e->parameters[i], m->name, profile, named,
                    seed);
}

/* Calls `visit` for every method and profile but the null method: null models come by themselves.
 */
static void each_profile(void (*visit)(void *, const pdpr_method_info *, const char *), void *user)
{
    uint32_t count = 0;
    const pdpr_method_info *m = pdpr_methods(&count);
    for (uint32_t i = 0; i < count; i++) {
        char profiles[128], *rest = profiles;
        if (strcmp(m[i].name, "null") == 0)
            continue;
        snprintf(profiles, sizeof profiles, "%s", m[i].profiles);
        if (!profiles[0])
            visit(user, &m[i], "");
        for (char *one; (one = strtok_r(rest, " ", &rest));)
            visit(user, &m[i], one);
    }
}

static void plan_visited(void *user, const pdpr_method_info *m, const char *profile)
{
    planner *p = user;
    if (p->e->all_methods || (strcmp(m->name, "privdpr") == 0 && strcmp(profile, "paper") == 0))
        plan_profile(p, m, profile);
}

typedef struct {
    const char *name;
    bool found;
} sought;

static void seek_visited(void *user, const pdpr_method_info *m, const char *profile)
{
    sought *s = user;
    s->found |= is_wanted(s->name, m->name, profile);
}

bool cli_is_method(const char *name)
{
    sought s = {.name = name};
    each_profile(seek_visited, &s);
    return s.found;
}

static void plan_dataset(planner *p)
{
    for (uint64_t seed = 1; seed <= p->how->seeds && p->e->kind == CLI_GRAPHS; seed++) {
        add_run(p, CLI_RUN_GNM, "-", "gnm", "", false, seed);
        add_run(p, CLI_RUN_CONFIGURATION, "-", "configuration", "", false, seed);
    }
    each_profile(plan_visited, p);
    if (!is_wanted(p->how->methods, "privdpr", "paper"))
        return;
    for (uint64_t seed = 1; seed <= p->how->seeds && p->e->kind == CLI_GRAPHS; seed++)
        add_run(p, CLI_RUN_NO_EDGES, p->e->base, "privdpr", "paper", true, seed);
}

/* What is not there of a dataset that the experiment wants; NULL: nothing is missing. */
static const char *missing_part(const cli_experiment *e, const cli_dataset *d)
{
    return !d ? "edges" : e->kind == CLI_NODES && !d->labels[0] ? "labels" : NULL;
}

void cli_plan_tell_missing(const cli_experiment *e, const cli_experiment_how *how)
{
    for (const char *const *name = e->datasets; *name; name++) {
        const char *part = missing_part(e, cli_sources_dataset(how->sources, *name));
        if (part && cli_list_holds(how->datasets, *name))
            fprintf(stderr, "privdpr: %s: skipped: %s/%s.%s is not there\n", e->item, how->data,
                    *name, part);
    }
}

int cli_plan_make(const cli_experiment *e, const cli_experiment_how *how, const cli_cells *cells,
                  cli_plan *out)
{
    planner p = {.e = e, .how = how, .cells = cells};
    p.plan.run = calloc(MOST_RUNS, sizeof *p.plan.run);
    if (!p.plan.run) {
        fprintf(stderr, "privdpr: out of memory\n");
        return CLI_FAILED;
    }
    for (const char *const *name = e->datasets; *name; name++) {
        p.dataset = cli_sources_dataset(how->sources, *name);
        if (missing_part(e, p.dataset))
            continue;
        plan_dataset(&p);
        if (how->quick)
            break;
    }
    *out = p.plan;
    return CLI_OK;
}

double cli_plan_seconds(const cli_plan *plan)
{
    double sum = 0;
    for (size_t i = 0; i < plan->count; i++)
        sum += plan->run[i].seconds;
    return sum;
}
