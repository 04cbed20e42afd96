/* privdpr compare ORIGINAL SYNTHETIC...: how far synthetic graphs are from the original, beside the
 * null model. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    CLI_GRAPH_OPTIONS,
    CLI_PATHS_OPTIONS,
    {"null-graphs", 0, CLI_COUNT, "K",
     "graphs of the null model G(N, m) to compare with; 0 for none (default: 5)"},
    {"each", 0, CLI_FLAG, NULL,
     "a column for every SYNTHETIC, named after its file, instead of their mean"},
    {"html", 0, CLI_TEXT, "FILE",
     "also write a report to open in a browser: PRIVATE, made from the original; mode 600"},
    {"certificate", 0, CLI_TEXT, "FILE",
     "with --html: the certificate of the synthetic graphs, whose promise the report explains"},
    CLI_FORCE_OPTION,
    {NULL, 0, CLI_FLAG, NULL, NULL},
};

/* ---------------------------------------------------------------- the table */

static const char *const figure_head[PDPR_FIGURES] = {
    "triangles",
    "wedges",
    "claws",
    "degree entropy",
    "path length",
    "diameter",
    "largest component",
    "degree distribution (KS)",
};

const char *cli_figure_head(pdpr_figure figure)
{
    return figure_head[figure];
}

static void format_metric(double value, pdpr_figure f, char *text, size_t size)
{
    bool whole = f != PDPR_FIGURE_REDE && f != PDPR_FIGURE_CPL;
    if (isnan(value))
        snprintf(text, size, "-");
    else if (!whole)
        snprintf(text, size, "%.4f", value);
    else if (value < 1e15)
        cli_format_count((uint64_t)llround(value), text, size);
    else
        snprintf(text, size, "%.4g", value);
}

static void format_error(double mean, double sd, char *text, size_t size)
{
    if (isnan(mean))
        snprintf(text, size, "-");
    else if (isnan(sd))
        snprintf(text, size, "%.3f", mean);
    else
        snprintf(text, size, "%.3f ± %.3f", mean, sd);
}

/* One tenth of full error per mark, so that a row is read at a glance; more than 1 runs over the
 * edge. */
static void format_bar(double error, char *text, size_t size)
{
    enum { MARKS = 10 };
    size_t marks = isnan(error) ? 0 : error >= 1 ? MARKS : (size_t)lround(error * MARKS);
    if (size < MARKS + 2)
        return;
    memset(text, '#', marks);
    memset(text + marks, isnan(error) ? ' ' : '.', MARKS - marks);
    text[MARKS] = !isnan(error) && error > 1 ? '>' : ' ';
    text[MARKS + 1] = '\0';
}

static double mean_metric(const pdpr_comparison_row *rows, uint32_t count, pdpr_figure f)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += pdpr_figure_metric(&rows[i].metrics, f);
    return count ? sum / count : NAN;
}

enum { HEAD = 25, NUMBER = 14, ERROR = 16, BAR = 13 };

/* Columns for the numbers of both graphs: claws of large ones are long. */
static int number_width(const pdpr_comparison *c)
{
    uint32_t count = 0;
    size_t width = NUMBER;
    const pdpr_comparison_row *rows = pdpr_comparison_rows(c, false, &count);
    for (pdpr_figure f = 0; f < PDPR_FIGURES; f++) {
        const double number[] = {pdpr_figure_metric(pdpr_comparison_original(c), f),
                                 mean_metric(rows, count, f)};
        for (int i = 0; i < 2; i++) {
            char text[64];
            format_metric(number[i], f, text, sizeof text);
            width = strlen(text) + 1 > width ? strlen(text) + 1 : width;
        }
    }
    return (int)width;
}

static void print_synthetic(const pdpr_comparison *c, pdpr_figure f, int width)
{
    pdpr_comparison_summary summary;
    uint32_t count = 0;
    char text[64];
    const pdpr_comparison_row *rows = pdpr_comparison_rows(c, false, &count);
    pdpr_comparison_summarise(c, false, &summary);
    format_metric(mean_metric(rows, count, f), f, text, sizeof text);
    cli_print_cell(stdout, f == PDPR_FIGURE_KS ? "" : text, width);
    format_error(summary.mean[f], summary.sd[f], text, sizeof text);
    cli_print_cell(stdout, text, ERROR);
    format_bar(summary.mean[f], text, sizeof text);
    cli_print_cell(stdout, text, BAR);
}

/* The null model's errors are the floor; what they are errors of is no news. */
static void print_null(const pdpr_comparison *c, pdpr_figure f)
{
    pdpr_comparison_summary summary;
    char text[64];
    pdpr_comparison_summarise(c, true, &summary);
    format_error(summary.mean[f], summary.sd[f], text, sizeof text);
    cli_print_cell(stdout, text, ERROR);
}

static void print_preface(const pdpr_comparison *c, uint32_t synthetic, uint32_t null_graphs)
{
    char text[64];
    const pdpr_metrics *original = pdpr_comparison_original(c);
    printf("Private: these figures come from the original graph. Do not publish them.\n\n");
    cli_format_count(original->nodes, text, sizeof text);
    printf("%s nodes, ", text);
    cli_format_count(original->edges, text, sizeof text);
    printf("%s edges; ", text);
    printf("%" PRIu32 " synthetic graph%s", synthetic, synthetic == 1 ? "" : "s");
    if (null_graphs)
        printf(", %" PRIu32 " of the null model G(N, m)", null_graphs);
    printf(".\nErrors are |x - original| / original; KS is a distance.%s\n\n",
           original->have_estimate ? " Path lengths are sampled estimates." : "");
}

static void print_original(const pdpr_comparison *c, pdpr_figure f, int width)
{
    char text[64];
    cli_print_cell(stdout, figure_head[f], -HEAD);
    format_metric(pdpr_figure_metric(pdpr_comparison_original(c), f), f, text, sizeof text);
    cli_print_cell(stdout, f == PDPR_FIGURE_KS ? "" : text, width);
}

static void print_table(const pdpr_comparison *c)
{
    uint32_t synthetic = 0, null_graphs = 0;
    int width = number_width(c);
    pdpr_comparison_rows(c, false, &synthetic);
    pdpr_comparison_rows(c, true, &null_graphs);

    print_preface(c, synthetic, null_graphs);
    cli_print_cell(stdout, "", -HEAD);
    cli_print_cell(stdout, "original", width);
    cli_print_cell(stdout, "synthetic", width);
    cli_print_cell(stdout, "error", ERROR);
    cli_print_cell(stdout, "", BAR);
    if (null_graphs)
        cli_print_cell(stdout, "null model error", ERROR);
    printf("\n");
    for (pdpr_figure f = 0; f < PDPR_FIGURES; f++) {
        print_original(c, f, width);
        print_synthetic(c, f, width);
        if (null_graphs)
            print_null(c, f);
        printf("\n");
    }
}

/* ---------------------------------------------------------------- side by side */

enum { COLUMN = 15 };

/* "runs/paper.edges.gz" -> "paper", cut to a column. */
static void format_name(const char *path, char *text, size_t size)
{
    const char *base = cli_base_name(path);
    size_t length = strcspn(base, ".");
    snprintf(text, size, "%.*s", (int)(length < COLUMN - 1 ? length : COLUMN - 1), base);
}

/* Every graph's errors beside the null model's, and in how many figures it is nearer to the
 * original than that. */
static void print_each(const pdpr_comparison *c, const char *const *path)
{
    uint32_t synthetic = 0, null_graphs = 0;
    int width = number_width(c);
    char text[64];
    pdpr_comparison_summary null;
    const pdpr_comparison_row *rows = pdpr_comparison_rows(c, false, &synthetic);
    pdpr_comparison_rows(c, true, &null_graphs);
    pdpr_comparison_summarise(c, true, &null);

    print_preface(c, synthetic, null_graphs);
    cli_print_cell(stdout, "", -HEAD);
    cli_print_cell(stdout, "original", width);
    if (null_graphs)
        cli_print_cell(stdout, "null model", COLUMN);
    for (uint32_t i = 0; i < synthetic; i++) {
        format_name(path[i], text, sizeof text);
        cli_print_cell(stdout, text, COLUMN);
    }
    printf("\n");
    for (pdpr_figure f = 0; f < PDPR_FIGURES; f++) {
        print_original(c, f, width);
        if (null_graphs) {
            format_error(null.mean[f], NAN, text, sizeof text);
            cli_print_cell(stdout, text, COLUMN);
        }
        for (uint32_t i = 0; i < synthetic; i++) {
            format_error(rows[i].figure[f], NAN, text, sizeof text);
            cli_print_cell(stdout, text, COLUMN);
        }
        printf("\n");
    }
    if (!null_graphs)
        return;
    cli_print_cell(stdout, "nearer than the null model", -(HEAD + width + COLUMN));
    for (uint32_t i = 0; i < synthetic; i++) {
        int nearer = 0;
        for (pdpr_figure f = 0; f < PDPR_FIGURES; f++)
            nearer += rows[i].figure[f] < null.mean[f];
        snprintf(text, sizeof text, "%d of %d", nearer, (int)PDPR_FIGURES);
        cli_print_cell(stdout, text, COLUMN);
    }
    printf("\n");
}

/* ---------------------------------------------------------------- the verb */

static int run(const cli_args *args)
{
    pdpr_error err = {0};
    pdpr_context *ctx = NULL;
    pdpr_load_options load;
    pdpr_comparison_options how;
    pdpr_report_options report;
    pdpr_comparison *c = NULL;
    char *json = NULL;
    int code = CLI_OK, count = args->operands;
    pdpr_graph **graph = calloc((size_t)count, sizeof *graph);

    if (!graph) {
        fprintf(stderr, "privdpr: out of memory\n");
        return CLI_FAILED;
    }
    pdpr_comparison_options_default(&how);
    if ((code = cli_load_options(args, &load)) != CLI_OK ||
        (code = cli_metrics_options(args, &how.metrics)) != CLI_OK)
        goto done;
    uint64_t null_graphs = cli_count(args, "null-graphs", how.null_graphs);
    if (null_graphs > 1000) {
        code = cli_wrong_use(args->verb, "--null-graphs: expected at most 1000, found %" PRIu64,
                             null_graphs);
        goto done;
    }
    if ((code = cli_html_options(args, &report)) != CLI_OK)
        goto done;
    how.null_graphs = (uint32_t)null_graphs;
    how.null_seed = cli_count(args, "seed", 1);

    if (cli_context_new(args, &ctx, &err) != PDPR_OK)
        goto failed;
    for (int i = 0; i < count; i++)
        if (cli_load_graph(ctx, args->operand[i], &load, &graph[i], &err) != PDPR_OK)
            goto failed;
    if (pdpr_comparison_new(ctx, graph[0], (const pdpr_graph *const *)graph + 1,
                            (uint32_t)count - 1, &how, &c, &err) != PDPR_OK)
        goto failed;
    if (cli_flag(args, "html") &&
        pdpr_report_comparison_html(ctx, graph[0], (const pdpr_graph *const *)graph + 1,
                                    (uint32_t)count - 1, c, &report, cli_text(args, "html", ""),
                                    &err) != PDPR_OK)
        goto failed;
    cli_progress_end();
    if (!cli_flag(args, "json")) {
        if (cli_flag(args, "each"))
            print_each(c, args->operand + 1);
        else
            print_table(c);
    } else {
        if (pdpr_report_comparison_json(ctx, c, args->operand[0], args->operand + 1, &json, &err) !=
            PDPR_OK)
            goto failed;
        fputs(json, stdout);
    }
    goto done;
failed:
    code = cli_failed(&err);
done:
    pdpr_free(json);
    pdpr_comparison_free(c);
    for (int i = 0; i < count; i++)
        pdpr_graph_free(graph[i]);
    free(graph);
    cli_context_free(ctx);
    return code;
}

const cli_verb cli_verb_compare = {
    .name = "compare",
    .summary = "errors of synthetic graphs against the original, with the null model beside them",
    .usage = "ORIGINAL SYNTHETIC... [options]",
    .text =
        "Relative errors of the metrics and the Kolmogorov-Smirnov distance of the degrees; mean ± standard "
        "deviation when several synthetic graphs are given. The null model G(N, m) is a random graph with the "
        "original's numbers of nodes and edges and nothing else: what it reaches too is no merit of a method.\n"
        "All figures are computed from the original and are therefore private: for the owner only. So is the "
        "report of --html, which treats the synthetic graphs as samples of one release, shown as bands.",
    .example = "  privdpr compare original.edges synthetic.edges\n"
               "  privdpr compare original.edges paper.edges blueprint.edges --each\n"
               "  privdpr compare original.edges run-*.edges --html private.html --certificate "
               "run.edges.certificate.json\n"
               "  privdpr compare original.edges run-*.edges --json > private.json",
    .options = options,
    .least_operands = 2,
    .most_operands = -1,
    .run = run,
};
