/* The paper's experiments, run by run.
 *
 * Which of its tables and figures is which, what is run for each, and the runs themselves: a method
 * and a seed give a graph whose eight errors are measured, or an embedding that is scored. Beside
 * the methods stand the null models: G(N, m), the configuration model (told every degree), and the
 * paper's system on a graph with the same nodes and no edges. Methods come from the program's
 * table, so that one built later takes part without a word here.
 *
 * All runs are seeded and none is published: figures for research, computed from the data. Methods
 * that do not measure the number of edges are told the true one, as in the paper's comparison. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const four[] = {"cora", "citeseer", "p2p", "chicago", NULL};
static const char *const five[] = {"cora", "citeseer", "p2p", "chicago", "amazon", NULL};
static const char *const labelled[] = {"cora", "citeseer", NULL};
static const char *const cora[] = {"cora", NULL}, *const citeseer[] = {"citeseer", NULL};
static const char *const p2p[] = {"p2p", NULL}, *const chicago[] = {"chicago", NULL};
static const char *const budgets[] = {"0.1", "0.2", "0.4", "0.8", "1.6", "3.2", NULL};
static const char *const scales[] = {"2", "4", "6", "8", NULL};
static const char *const widths[] = {"64", "128", "256", "512", NULL};
static const char *const small[] = {"0.1", NULL}, *const large[] = {"3.2", NULL};
static const char *const both[] = {"0.1", "3.2", NULL};

const cli_experiment cli_experiments[] = {
    {"table2", "errors for weight scales s, epsilon 3.2", CLI_GRAPHS, four, "s", scales, "8",
     false},
    {"table3", "errors for widths d, epsilon 3.2", CLI_GRAPHS, four, "d", widths, "64", false},
    {"figure2", "errors by epsilon, Cora", CLI_GRAPHS, cora, "epsilon", budgets, "3.2", true},
    {"figure3", "errors by epsilon, Citeseer", CLI_GRAPHS, citeseer, "epsilon", budgets, "3.2",
     true},
    {"figure4", "errors by epsilon, p2p", CLI_GRAPHS, p2p, "epsilon", budgets, "3.2", true},
    {"figure5", "errors by epsilon, Chicago", CLI_GRAPHS, chicago, "epsilon", budgets, "3.2", true},
    {"table4", "link prediction, epsilon 0.1", CLI_LINKS, five, "epsilon", small, "0.1", true},
    {"table5", "link prediction, epsilon 3.2", CLI_LINKS, five, "epsilon", large, "3.2", true},
    {"table6", "node classification", CLI_NODES, labelled, "epsilon", both, "3.2", true},
    {NULL, NULL, CLI_GRAPHS, NULL, NULL, NULL, NULL, false},
};

static const char *const metric_name[PDPR_FIGURES] = {"TC",  "WC",       "CC",  "REDE",
                                                      "CPL", "diameter", "LCC", "KS"};

/* ---------------------------------------------------------------- runs to make */

typedef enum { RUN_METHOD, RUN_NO_EDGES, RUN_GNM, RUN_CONFIGURATION } run_kind;

typedef struct {
    run_kind kind;
    const char *dataset, *parameter; /* parameter "-": none */
    char label[CLI_METHOD], method[CLI_NAME], profile[CLI_NAME];
    uint64_t seed;
} planned;

enum { MOST_RUNS = 8192, MOST_LABELS = 64 };

typedef struct {
    planned *run;
    size_t count;
} plan;

static void add_run(plan *p, run_kind kind, const char *dataset, const char *parameter,
                    const char *method, const char *profile, bool name_profile, uint64_t seed)
{
    if (p->count == MOST_RUNS)
        return;
    planned *r = &p->run[p->count++];
    *r = (planned){.kind = kind, .dataset = dataset, .parameter = parameter, .seed = seed};
    snprintf(r->method, sizeof r->method, "%s", method);
    snprintf(r->profile, sizeof r->profile, "%s", profile);
    snprintf(r->label, sizeof r->label, "%s%s%s%s", method, name_profile ? "/" : "",
             name_profile ? profile : "", kind == RUN_NO_EDGES ? " no edges" : "");
}

/* With `quick` the first and the last parameter only. */
static bool takes_parameter(const cli_experiment *e, bool quick, size_t at)
{
    return !quick || at == 0 || !e->parameters[at + 1];
}

/* All parameters and seeds of one method and profile. */
static void plan_profile(plan *p, const cli_experiment *e, const cli_experiment_how *how,
                         const char *dataset, const pdpr_method_info *m, const char *profile)
{
    bool named = strchr(m->profiles, ' ') != NULL, free_of = strncmp(m->unit, "none", 4) == 0;
    for (size_t i = 0; e->parameters[i] && !(free_of && i > 0); i++)
        for (uint64_t seed = 1;
             seed <= how->seeds && (free_of || takes_parameter(e, how->quick, i)); seed++)
            add_run(p, RUN_METHOD, dataset, free_of ? "-" : e->parameters[i], m->name, profile,
                    named, seed);
}

static void plan_methods(plan *p, const cli_experiment *e, const cli_experiment_how *how,
                         const char *dataset)
{
    uint32_t count = 0;
    const pdpr_method_info *m = pdpr_methods(&count);
    for (uint32_t i = 0; i < count; i++) {
        char profiles[128], *rest = profiles;
        if (strcmp(m[i].name, "null") == 0) /* the null models come by themselves */
            continue;
        if (!e->all_methods && strcmp(m[i].name, "privdpr") != 0)
            continue;
        snprintf(profiles, sizeof profiles, "%s", m[i].profiles);
        if (!profiles[0])
            plan_profile(p, e, how, dataset, &m[i], "");
        for (char *one; (one = strtok_r(rest, " ", &rest));)
            if (e->all_methods || strcmp(one, "paper") == 0)
                plan_profile(p, e, how, dataset, &m[i], one);
    }
}

static void plan_dataset(plan *p, const cli_experiment *e, const cli_experiment_how *how,
                         const char *dataset)
{
    for (uint64_t seed = 1; seed <= how->seeds && e->kind == CLI_GRAPHS; seed++) {
        add_run(p, RUN_GNM, dataset, "-", "gnm", "", false, seed);
        add_run(p, RUN_CONFIGURATION, dataset, "-", "configuration", "", false, seed);
    }
    plan_methods(p, e, how, dataset);
    for (uint64_t seed = 1; seed <= how->seeds && e->kind == CLI_GRAPHS; seed++)
        add_run(p, RUN_NO_EDGES, dataset, e->base, "privdpr", "paper", true, seed);
}

/* ---------------------------------------------------------------- one run */

typedef struct {
    const cli_experiment *e;
    const cli_experiment_how *how;
    const char *dataset; /* the one at hand */
    pdpr_graph *g, *empty;
    pdpr_labels *labels;
    cli_scratch scratch;
} bench;

static bool dataset_path(const char *folder, const char *name, char *path, size_t size)
{
    static const char *const endings[] = {"edges", "edges.gz", "edges.zst"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(path, size, "%s/%s.%s", folder, name, endings[i]);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

static void drop_dataset(bench *b)
{
    pdpr_graph_free(b->g);
    pdpr_graph_free(b->empty);
    pdpr_labels_free(b->labels);
    b->g = b->empty = NULL;
    b->labels = NULL;
    b->dataset = NULL;
}

static pdpr_status take_dataset(bench *b, const char *name, pdpr_error *err)
{
    pdpr_context *ctx = b->how->ctx;
    char path[CLI_LEDGER_PATH];
    pdpr_status s;
    if (b->dataset && strcmp(b->dataset, name) == 0)
        return PDPR_OK;
    drop_dataset(b);
    dataset_path(b->how->data, name, path, sizeof path);
    if ((s = pdpr_graph_load(ctx, path, NULL, &b->g, NULL, err)) != PDPR_OK ||
        (s = pdpr_graph_from_pairs(ctx, pdpr_graph_num_nodes(b->g), NULL, 0,
                                   pdpr_graph_is_directed(b->g), &b->empty, err)) != PDPR_OK)
        return s;
    snprintf(path, sizeof path, "%s/%s.labels", b->how->data, name);
    if (b->e->kind == CLI_NODES &&
        (s = pdpr_labels_load(ctx, path, b->g, &b->labels, err)) != PDPR_OK)
        return s;
    b->dataset = name;
    return PDPR_OK;
}

static pdpr_method_options options_of(const bench *b, const planned *r)
{
    pdpr_method_options o;
    const char *parameter = r->parameter[0] == '-' ? b->e->base : r->parameter;
    pdpr_method_options_default(&o);
    o.method = r->method;
    o.profile = r->profile[0] ? r->profile : NULL;
    o.epsilon = strcmp(b->e->parameter_name, "epsilon") == 0 ? atof(parameter) : 3.2;
    o.delta = 1e-5;
    o.accept_large_delta = true; /* the paper's, whatever N is */
    if (strcmp(b->e->parameter_name, "s") == 0)
        o.spectral = atof(parameter);
    if (strcmp(b->e->parameter_name, "d") == 0)
        o.width = (uint32_t)atoi(parameter);
    o.seeded = true;
    o.seed = r->seed;
    o.day = "1970-01-01"; /* of a ledger that is thrown away */
    return o;
}

/* A method's graph, by way of the scratch folder. */
static pdpr_status method_graph(const bench *b, const planned *r, uint64_t edges, pdpr_graph **out,
                                pdpr_error *err)
{
    pdpr_method_options o = options_of(b, r);
    char graph[CLI_LEDGER_PATH + 32], certificate[CLI_LEDGER_PATH + 32];
    snprintf(graph, sizeof graph, "%s/graph.bcsr", b->scratch.folder);
    snprintf(certificate, sizeof certificate, "%s/certificate.json", b->scratch.folder);
    remove(graph); /* the last run's: a method without a certificate does not publish beside one */
    remove(certificate);
    const char *paths[] = {graph};
    const pdpr_publication publication = {.struct_size = sizeof publication,
                                          .graph_path = paths,
                                          .num_graphs = 1,
                                          .certificate_path = certificate};
    const pdpr_graph *g = r->kind == RUN_NO_EDGES ? b->empty : b->g;
    pdpr_status s = pdpr_publish(b->how->ctx, g, &o, b->scratch.ledger, &publication, err);
    if (s == PDPR_EUSAGE) { /* it does not measure the number of edges: it is told */
        o.edges = edges;
        s = pdpr_publish(b->how->ctx, g, &o, b->scratch.ledger, &publication, err);
    }
    return s == PDPR_OK ? pdpr_graph_load(b->how->ctx, graph, NULL, out, NULL, err) : s;
}

static cli_cell cell_of(const planned *r, const char *metric, double value)
{
    cli_cell c = {.seed = r->seed, .value = value};
    snprintf(c.dataset, sizeof c.dataset, "%s", r->dataset);
    snprintf(c.metric, sizeof c.metric, "%s", metric);
    snprintf(c.method, sizeof c.method, "%s", r->label);
    snprintf(c.parameter, sizeof c.parameter, "%s", r->parameter);
    return c;
}

static pdpr_status run_graph(const bench *b, const planned *r, cli_cell *out, size_t *count,
                             pdpr_error *err)
{
    pdpr_context *ctx = b->how->ctx;
    pdpr_graph *whole = NULL, *made = NULL;
    pdpr_comparison *c = NULL;
    pdpr_comparison_options how;
    uint32_t rows;
    pdpr_status s = pdpr_graph_undirected(ctx, b->g, &whole, err);
    if (s != PDPR_OK)
        return s;
    uint64_t edges = pdpr_graph_num_edges(whole);
    if (r->kind == RUN_GNM)
        s = pdpr_generate_gnm(ctx, pdpr_graph_num_nodes(b->g), edges, r->seed, &made, err);
    else if (r->kind == RUN_CONFIGURATION)
        s = pdpr_generate_configuration(ctx, b->g, r->seed, &made, err);
    else
        s = method_graph(b, r, edges, &made, err);
    pdpr_comparison_options_default(&how);
    how.null_graphs = 0;
    if (s == PDPR_OK)
        s = pdpr_comparison_new(ctx, whole, (const pdpr_graph *const[]){made}, 1, &how, &c, err);
    if (s == PDPR_OK) {
        const pdpr_comparison_row *row = pdpr_comparison_rows(c, false, &rows);
        for (pdpr_figure f = 0; f < PDPR_FIGURES; f++)
            out[f] = cell_of(r, metric_name[f], row->figure[f]);
        *count = PDPR_FIGURES;
    }
    pdpr_comparison_free(c);
    pdpr_graph_free(made);
    pdpr_graph_free(whole);
    return s;
}

static pdpr_status run_task(const bench *b, const planned *r, cli_cell *out, size_t *count,
                            pdpr_error *err)
{
    pdpr_task_options how;
    pdpr_task_result result;
    const char *metric = b->e->kind == CLI_LINKS ? "AUC" : "Micro-F1";
    pdpr_task_options_default(&how);
    how.task = b->e->kind == CLI_LINKS ? PDPR_TASK_LINK : PDPR_TASK_NODE;
    how.repeats = 1;
    how.method = options_of(b, r);
    pdpr_status s =
        pdpr_task_run(b->how->ctx, b->g, b->labels, &how, b->scratch.ledger, &result, err);
    if (s != PDPR_OK)
        return s;
    *count = 0;
    for (pdpr_task_row row = PDPR_TASK_ROWS; row-- > 0;) { /* the method's own score last */
        planned named = *r;
        bool of_all = row == PDPR_TASK_RANDOM || row == PDPR_TASK_CONSTANT;
        if (isnan(result.mean[row]) || (of_all && strcmp(r->label, "privdpr/paper") != 0))
            continue; /* those that no method enters are taken down once */
        if (of_all)
            snprintf(named.label, sizeof named.label, "%s",
                     row == PDPR_TASK_RANDOM ? "random vectors" : "one answer");
        else if (row != PDPR_TASK_METHOD)
            snprintf(named.label, sizeof named.label, "%.30s %s", r->label,
                     row == PDPR_TASK_INNER ? "inner product" : "no edges");
        out[(*count)++] = cell_of(&named, metric, result.mean[row]);
    }
    return PDPR_OK;
}

/* ---------------------------------------------------------------- all of them */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The value by which a finished run is known: the last one that it writes. */
static bool is_done(const cli_experiment *e, const cli_cells *cells, const planned *r)
{
    const cli_cell last = cell_of(r,
                                  e->kind == CLI_GRAPHS  ? "KS"
                                  : e->kind == CLI_LINKS ? "AUC"
                                                         : "Micro-F1",
                                  0);
    return cli_cells_have(cells, &last);
}

static void plan_all(plan *p, const cli_experiment *e, const cli_experiment_how *how)
{
    char path[CLI_LEDGER_PATH];
    for (const char *const *dataset = e->datasets; *dataset; dataset++) {
        if (!dataset_path(how->data, *dataset, path, sizeof path)) {
            fprintf(stderr, "privdpr: %s: skipped: %s/%s.edges is not there\n", e->item, how->data,
                    *dataset);
            continue;
        }
        plan_dataset(p, e, how, *dataset);
        if (how->quick)
            return;
    }
}

/* Labels of methods that cannot do this experiment. */
typedef struct {
    char label[MOST_LABELS][CLI_METHOD];
    size_t count;
} refusals;

static bool is_refused(const refusals *refused, const char *label)
{
    for (size_t i = 0; i < refused->count; i++)
        if (strcmp(refused->label[i], label) == 0)
            return true;
    return false;
}

static void tell(const cli_experiment *e, const cli_experiment_how *how, const planned *r,
                 double seconds, double spent, size_t made, size_t done, size_t all)
{
    if (how->quiet)
        return;
    cli_progress_end();
    fprintf(stderr,
            "%s: %s, %s, %s %s, seed %" PRIu64 ": %.1f s (%zu of %zu, about %.0f min left)\n",
            e->item, r->dataset, r->label, e->parameter_name, r->parameter, r->seed, seconds, done,
            all, ceil(spent / (double)made * (double)(all - done) / 60));
}

static int run_all(bench *b, const plan *p, cli_cells *cells)
{
    refusals refused = {.count = 0};
    double spent = 0;
    size_t made = 0;
    for (size_t i = 0; i < p->count; i++) {
        const planned *r = &p->run[i];
        cli_cell cell[PDPR_FIGURES + (int)PDPR_TASK_ROWS];
        size_t count = 0;
        pdpr_error err = {0};
        if (is_done(b->e, cells, r) || is_refused(&refused, r->label))
            continue;
        double start = seconds_now();
        pdpr_status s = take_dataset(b, r->dataset, &err);
        if (s != PDPR_OK)
            return cli_failed(&err);
        s = b->e->kind == CLI_GRAPHS ? run_graph(b, r, cell, &count, &err)
                                     : run_task(b, r, cell, &count, &err);
        if (s == PDPR_EUSAGE && refused.count < MOST_LABELS) {
            fprintf(stderr, "privdpr: %s: %s is left out: %s\n", b->e->item, r->label, err.text);
            memcpy(refused.label[refused.count++], r->label, CLI_METHOD);
            continue;
        }
        if (s != PDPR_OK)
            return cli_failed(&err);
        int code = cli_cells_add(cells, cell, count);
        if (code != CLI_OK)
            return code;
        spent += seconds_now() - start;
        tell(b->e, b->how, r, seconds_now() - start, spent, ++made, i + 1, p->count);
    }
    return CLI_OK;
}

int cli_experiment_run(const cli_experiment *e, const cli_experiment_how *how, cli_cells *cells)
{
    pdpr_error err = {0};
    bench b = {.e = e, .how = how};
    plan p = {.run = calloc(MOST_RUNS, sizeof *p.run)};
    int code;
    if (!p.run) {
        fprintf(stderr, "privdpr: out of memory\n");
        return CLI_FAILED;
    }
    plan_all(&p, e, how);
    code =
        cli_scratch_open(&b.scratch, &err) == PDPR_OK ? run_all(&b, &p, cells) : cli_failed(&err);
    drop_dataset(&b);
    cli_scratch_close(&b.scratch);
    free(p.run);
    return code;
}
