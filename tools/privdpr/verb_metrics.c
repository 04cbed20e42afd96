/* privdpr metrics GRAPH...: the eight metrics of each graph. */
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    CLI_GRAPH_OPTIONS,
    CLI_PATHS_OPTIONS,
    {NULL, 0, CLI_FLAG, NULL, NULL},
};

/* ---------------------------------------------------------------- one cell of the table */

typedef enum {
    ROW_NODES,
    ROW_EDGES,
    ROW_TRIANGLES,
    ROW_WEDGES,
    ROW_CLAWS,
    ROW_REDE,
    ROW_CPL,
    ROW_DIAMETER,
    ROW_LCC,
    ROW_MAX_DEGREE,
    ROW_COMPONENTS,
    ROWS
} row;

static const char *const row_head[ROWS] = {
    "nodes",
    "edges",
    "triangles",
    "wedges",
    "claws",
    "degree entropy (rede)",
    "path length (cpl)",
    "diameter",
    "largest component (lcc)",
    "largest degree",
    "components",
};

static void format_cpl(const pdpr_metrics *m, char *text, size_t size)
{
    if (m->have_cpl)
        snprintf(text, size, "%.6f", m->cpl);
    else if (m->have_estimate)
        snprintf(text, size, "about %.4f ± %.4f", m->cpl_estimate, m->cpl_standard_error);
    else
        snprintf(text, size, "-");
}

static void format_diameter(const pdpr_metrics *m, char *text, size_t size)
{
    if (m->have_diameter)
        snprintf(text, size, "%" PRIu32, m->diameter);
    else if (m->have_bounds)
        snprintf(text, size, "%" PRIu32 " to %" PRIu32, m->diameter_lower, m->diameter_upper);
    else
        snprintf(text, size, "-");
}

static void format_row(const pdpr_metrics *m, row r, char *text, size_t size)
{
    switch (r) {
    case ROW_NODES:
        cli_format_count(m->nodes, text, size);
        break;
    case ROW_EDGES:
        cli_format_count(m->edges, text, size);
        break;
    case ROW_TRIANGLES:
        cli_format_count(m->triangles, text, size);
        break;
    case ROW_WEDGES:
        cli_format_wide(m->wedges, text, size);
        break;
    case ROW_CLAWS:
        cli_format_wide(m->claws, text, size);
        break;
    case ROW_REDE:
        snprintf(text, size, "%.6f", m->rede);
        break;
    case ROW_CPL:
        format_cpl(m, text, size);
        break;
    case ROW_DIAMETER:
        format_diameter(m, text, size);
        break;
    case ROW_LCC:
        cli_format_count(m->lcc, text, size);
        break;
    case ROW_MAX_DEGREE:
        cli_format_count(m->max_degree, text, size);
        break;
    case ROW_COMPONENTS:
        cli_format_count(m->components, text, size);
        break;
    case ROWS:
        break;
    }
}

static void print_table(const pdpr_metrics *metrics, const char *const *names, int count)
{
    enum { HEAD = 24, COLUMN = 22 };
    char text[64];
    cli_print_cell(stdout, "", -HEAD);
    for (int i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%.20s", cli_base_name(names[i]));
        cli_print_cell(stdout, text, COLUMN);
    }
    printf("\n");
    for (row r = 0; r < ROWS; r++) {
        cli_print_cell(stdout, row_head[r], -HEAD);
        for (int i = 0; i < count; i++) {
            format_row(&metrics[i], r, text, sizeof text);
            cli_print_cell(stdout, text, COLUMN);
        }
        printf("\n");
    }
}

/* ---------------------------------------------------------------- the verb */

static pdpr_status measure(pdpr_context *ctx, const char *path, const pdpr_load_options *load,
                           const pdpr_metrics_options *how, pdpr_metrics *out, pdpr_error *err)
{
    pdpr_graph *g = NULL;
    pdpr_status s = cli_load_graph(ctx, path, load, &g, err);
    if (s == PDPR_OK)
        s = pdpr_metrics_compute(ctx, g, how, out, err);
    pdpr_graph_free(g);
    return s;
}

static int run(const cli_args *args)
{
    pdpr_error err = {0};
    pdpr_context *ctx = NULL;
    pdpr_load_options load;
    pdpr_metrics_options how;
    char *json = NULL;
    int code = CLI_OK, count = args->operands;
    pdpr_metrics *metrics = calloc((size_t)count, sizeof *metrics);

    if (!metrics) {
        fprintf(stderr, "privdpr: out of memory\n");
        return CLI_FAILED;
    }
    if ((code = cli_load_options(args, &load)) != CLI_OK ||
        (code = cli_metrics_options(args, &how)) != CLI_OK)
        goto done;
    if (cli_context_new(args, &ctx, &err) != PDPR_OK) {
        code = cli_failed(&err);
        goto done;
    }
    for (int i = 0; i < count; i++)
        if (measure(ctx, args->operand[i], &load, &how, &metrics[i], &err) != PDPR_OK) {
            code = cli_failed(&err);
            goto done;
        }
    cli_progress_end();

    if (!cli_flag(args, "json")) {
        print_table(metrics, args->operand, count);
    } else if (pdpr_report_metrics_json(ctx, metrics, args->operand, (uint32_t)count, &json,
                                        &err) == PDPR_OK) {
        fputs(json, stdout);
    } else {
        code = cli_failed(&err);
    }
done:
    pdpr_free(json);
    cli_context_free(ctx);
    free(metrics);
    return code;
}

const cli_verb cli_verb_metrics = {
    .name = "metrics",
    .summary = "the eight metrics of a graph",
    .usage = "GRAPH... [options]",
    .text =
        "Triangles, wedges, claws, relative edge distribution entropy, characteristic path length, diameter "
        "and size of the largest component, and the degree figures behind them. All are of the undirected "
        "simple graph; path length and diameter are over its largest component. The figures are exact and "
        "not private: they are for the owner of the data.",
    .example =
        "  privdpr metrics graph.edges                      exact figures\n"
        "  privdpr metrics big.txt.gz --paths sample=4096   path length estimated, with its standard error\n"
        "  zcat a.gz | privdpr metrics - --json             from standard input, as JSON",
    .options = options,
    .least_operands = 1,
    .most_operands = -1,
    .run = run,
};
