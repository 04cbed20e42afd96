/* The paper's experiments, run by run: a method and a seed give a graph whose eight errors are
 * measured, or an embedding that is scored. Which runs there are is in reproduce_plan.c.
 *
 * All runs are seeded and none is published: figures for research, computed from the data. Methods
 * that do not measure the number of edges are told the true one, as in the paper's comparison.
 * Cost: a fit of the method a run, two and a regression for a task. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

static const char *const metric_name[PDPR_FIGURES] = {"TC",  "WC",       "CC",  "REDE",
                                                      "CPL", "diameter", "LCC", "KS"};

/* ---------------------------------------------------------------- one run */

typedef struct {
    const cli_experiment *e;
    const cli_experiment_how *how;
    const cli_dataset *dataset; /* the one at hand */
    pdpr_graph *g, *empty;
    pdpr_labels *labels;
    const cli_cells *cells; /* what is there already */
    cli_scratch scratch;
} bench;

static void drop_dataset(bench *b)
{
    pdpr_graph_free(b->g);
    pdpr_graph_free(b->empty);
    pdpr_labels_free(b->labels);
    b->g = b->empty = NULL;
    b->labels = NULL;
    b->dataset = NULL;
}

static pdpr_status take_dataset(bench *b, const cli_dataset *d, pdpr_error *err)
{
    pdpr_context *ctx = b->how->ctx;
    bool with_labels = b->e->kind == CLI_NODES;
    pdpr_status s;
    if (b->dataset == d)
        return PDPR_OK;
    drop_dataset(b);
    if ((s = cli_dataset_check(ctx, d, with_labels, err)) != PDPR_OK ||
        (s = pdpr_graph_load(ctx, d->path, NULL, &b->g, NULL, err)) != PDPR_OK ||
        (s = pdpr_graph_from_pairs(ctx, pdpr_graph_num_nodes(b->g), NULL, 0,
                                   pdpr_graph_is_directed(b->g), &b->empty, err)) != PDPR_OK)
        return s;
    if (with_labels && (s = pdpr_labels_load(ctx, d->labels, b->g, &b->labels, err)) != PDPR_OK)
        return s;
    b->dataset = d;
    return PDPR_OK;
}

/* A method's graph, by way of the scratch folder. */
static pdpr_status method_graph(const bench *b, const cli_run *r, uint64_t edges, pdpr_graph **out,
                                pdpr_error *err)
{
    pdpr_method_options o = cli_run_options(b->e, r);
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
    const pdpr_graph *g = r->kind == CLI_RUN_NO_EDGES ? b->empty : b->g;
    pdpr_status s = pdpr_publish(b->how->ctx, g, &o, b->scratch.ledger, &publication, err);
    if (s == PDPR_EUSAGE) { /* it does not measure the number of edges: it is told */
        o.edges = edges;
        s = pdpr_publish(b->how->ctx, g, &o, b->scratch.ledger, &publication, err);
    }
    return s == PDPR_OK ? pdpr_graph_load(b->how->ctx, graph, NULL, out, NULL, err) : s;
}

static pdpr_status run_graph(const bench *b, const cli_run *r, cli_cell *out, size_t *count,
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
    if (r->kind == CLI_RUN_GNM)
        s = pdpr_generate_gnm(ctx, pdpr_graph_num_nodes(b->g), edges, r->seed, &made, err);
    else if (r->kind == CLI_RUN_CONFIGURATION)
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
            out[f] = cli_run_cell(r, metric_name[f], row->figure[f]);
        *count = PDPR_FIGURES;
    }
    pdpr_comparison_free(c);
    pdpr_graph_free(made);
    pdpr_graph_free(whole);
    return s;
}

/* What a row of a task is called: the method's name, or of what stands beside it. */
static void name_row(const cli_run *r, pdpr_task_row row, char *label)
{
    static const char *const beside[PDPR_TASK_ROWS] = {
        [PDPR_TASK_INNER] = " inner product", [PDPR_TASK_NO_EDGES] = " no edges"};
    if (row == PDPR_TASK_RANDOM || row == PDPR_TASK_CONSTANT)
        snprintf(label, CLI_METHOD, "%s",
                 row == PDPR_TASK_RANDOM ? "random vectors" : "one answer");
    else
        snprintf(label, CLI_METHOD, "%.30s%s", r->label, beside[row] ? beside[row] : "");
}

static pdpr_status run_task(const bench *b, const cli_run *r, cli_cell *out, size_t *count,
                            pdpr_error *err)
{
    pdpr_task_options how;
    pdpr_task_result result;
    const char *metric = b->e->kind == CLI_LINKS ? "AUC" : "Micro-F1";
    pdpr_task_options_default(&how);
    how.task = b->e->kind == CLI_LINKS ? PDPR_TASK_LINK : PDPR_TASK_NODE;
    how.repeats = 1;
    how.method = cli_run_options(b->e, r);
    pdpr_status s =
        pdpr_task_run(b->how->ctx, b->g, b->labels, &how, b->scratch.ledger, &result, err);
    if (s != PDPR_OK)
        return s;
    *count = 0;
    for (pdpr_task_row row = PDPR_TASK_ROWS; row-- > 0;) { /* the method's own score last */
        cli_run named = *r;
        if (isnan(result.mean[row]))
            continue;
        name_row(r, row, named.label);
        cli_cell cell = cli_run_cell(&named, metric, result.mean[row]);
        if (row == PDPR_TASK_RANDOM && strcmp(r->label, "privdpr/paper") != 0)
            continue; /* as wide as the method's vectors: those of one are enough */
        if (row == PDPR_TASK_CONSTANT &&
            (r->parameter[0] == '-' || cli_cells_have(b->cells, &cell)))
            continue; /* the same beside every method */
        out[(*count)++] = cell;
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

enum { MOST_LABELS = 64 };

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

/* How the run went, and what is left: the guesses of the runs to come, corrected by how those so
 * far compare with theirs; the less so, the less of the whole they are, since one method's guess
 * tells little about another's. */
typedef struct {
    double spent, guessed, left, all; /* seconds; left: guessed for the runs to come */
} clock_state;

static void tell(const bench *b, const cli_run *r, double seconds, const clock_state *c,
                 size_t done, size_t all)
{
    char left[32];
    if (b->how->quiet)
        return;
    cli_progress_end();
    double slower = (c->spent + c->all) / (c->guessed + c->all);
    cli_format_duration(fmax(0, c->left) * slower, left, sizeof left);
    fprintf(stderr, "%s: %s, %s, %s %s, seed %" PRIu64 ": %.1f s (%zu of %zu, about %s left)\n",
            b->e->item, r->dataset->name, r->label, b->e->parameter_name, r->parameter, r->seed,
            seconds, done, all, left);
}

static int run_all(bench *b, const cli_plan *p, cli_cells *cells)
{
    refusals refused = {.count = 0};
    clock_state time = {.left = cli_plan_seconds(p), .all = cli_plan_seconds(p)};
    for (size_t i = 0; i < p->count; i++) {
        const cli_run *r = &p->run[i];
        cli_cell cell[PDPR_FIGURES + (int)PDPR_TASK_ROWS];
        size_t count = 0;
        pdpr_error err = {0};
        time.left -= r->seconds;
        if (is_refused(&refused, r->label))
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
        time.spent += seconds_now() - start;
        time.guessed += r->seconds;
        tell(b, r, seconds_now() - start, &time, i + 1, p->count);
    }
    return CLI_OK;
}

int cli_experiment_run(const cli_experiment *e, const cli_experiment_how *how, const cli_plan *plan,
                       cli_cells *cells)
{
    pdpr_error err = {0};
    bench b = {.e = e, .how = how, .cells = cells};
    int code =
        cli_scratch_open(&b.scratch, &err) == PDPR_OK ? run_all(&b, plan, cells) : cli_failed(&err);
    drop_dataset(&b);
    cli_scratch_close(&b.scratch);
    return code;
}
