/* privdpr plan: what a run would do, before anything is read or spent. */
#include "cli.h"

#include <inttypes.h>

static const cli_option options[] = {
    {"nodes", 'n', CLI_COUNT, "N", "number of nodes (needed)"},
    CLI_METHOD_OPTIONS,
    {"mean-degree", 0, CLI_REAL, "X",
     "forecast for a graph of this mean degree: a guess, or public (default: 2 M / N of --edges, else 8)"},
    {NULL, 0, CLI_FLAG, NULL, NULL},
};

static void print_forecast_json(const pdpr_forecast *f)
{
    printf(", \"forecast_mean_degree\": %.17g", f->mean_degree);
    for (pdpr_figure k = 0; k < PDPR_FIGURES; k++) {
        const char *name = pdpr_figure_name(k);
        printf(", \"forecast_%s\": %.4g, \"forecast_%s_low\": %.4g, \"forecast_%s_high\": %.4g",
               name, f->middle[k], name, f->low[k], name, f->high[k]);
    }
}

/* How far from the original a graph of this size is likely to be. */
static void print_forecast(const pdpr_forecast *f)
{
    printf(
        "\nForecast for a graph of mean degree %g of which nothing else is known, from runs on generated graphs\n"
        "of eight kinds: half of the errors were below the middle column, one in ten below the first, one in\n"
        "ten above the last.\n\n"
        "  error of                       10 %%      50 %%      90 %%\n",
        f->mean_degree);
    for (pdpr_figure k = 0; k < PDPR_FIGURES; k++)
        printf("  %-25s %9.3f %9.3f %9.3f\n", cli_figure_head(k), f->low[k], f->middle[k],
               f->high[k]);
}

static void print_json(const pdpr_plan *p, const pdpr_forecast *forecast)
{
    printf("{\"method\": \"%s\", \"profile\": \"%s\", \"unit\": \"%s\", \"nodes\": %" PRIu64,
           p->method, p->profile, p->unit, p->nodes);
    printf(", \"queries\": %" PRIu32 ", \"pure_epsilon\": %.17g", p->queries, p->pure_epsilon);
    printf(", \"steps\": %" PRIu64 ", \"pairs\": %" PRIu64 ", \"layers\": %" PRIu32
           ", \"coordinates\": %" PRIu64 ", \"noise_values\": %" PRIu64,
           p->steps, p->pairs, p->layers, p->coordinates, p->noise_values);
    printf(", \"gradient_bound\": %.17g, \"clip\": %.17g, \"noise\": %.17g, \"mu\": %.17g",
           p->gradient_bound, p->clip, p->noise, p->mu);
    printf(", \"epsilon\": %.17g, \"delta\": %.17g, \"epsilon_spent\": %.17g, \"ceiling\": %.17g",
           p->epsilon, p->delta, p->epsilon_spent, p->ceiling);
    printf(", \"signal\": %.17g, \"seconds\": %.3g, \"memory\": %" PRIu64, p->signal, p->seconds,
           p->memory);
    printf(", \"grid\": %.17g, \"below_grid\": %s", p->grid, p->below_grid ? "true" : "false");
    if (forecast)
        print_forecast_json(forecast);
    printf("}\n");
}

static void print_text(const pdpr_plan *p)
{
    char text[64];
    printf("method %s%s%s, %" PRIu64 " nodes; protects: %s\n\n", p->method,
           *p->profile ? ", profile " : "", p->profile, p->nodes, p->unit);
    if (p->queries)
        printf("  queries                    %" PRIu32
               " numbers or vectors share epsilon %.6g: they decide the structure\n",
               p->queries, p->pure_epsilon);
    if (p->queries && p->steps == 0) {
        printf("  promised                   epsilon %g, delta %g\n", p->epsilon, p->delta);
        printf("  really spent               epsilon %.6g\n", p->epsilon_spent);
        return;
    }
    if (p->queries)
        printf(
            "  embedding                  gets the rest: it decides which node takes which place\n");
    if (p->steps == 0) {
        printf("Nothing is trained and nothing is spent.\n");
        return;
    }
    printf("  steps (T)                  %" PRIu64 "\n", p->steps);
    printf("  pairs in a batch (B)       at most %" PRIu64 "\n", p->pairs);
    printf("  hidden layers (L)          %" PRIu32 "\n", p->layers);
    printf("  gradient bound (M)         %.6g\n", p->gradient_bound);
    if (p->mu > 0) {
        printf("  clip radius (C)            %.6g, so the sensitivity of a step is %.6g\n", p->clip,
               2 * p->clip);
        cli_format_count(p->coordinates, text, sizeof text);
        printf(
            "  noise                      standard deviation %.6g on each of %s coordinates a step\n",
            p->noise, text);
        printf(
            "  largest possible signal    %.6g (norm of a step's whole gradient, whatever the edges)\n",
            p->signal);
        printf("  promised                   epsilon %g, delta %g\n", p->epsilon, p->delta);
        printf("  really spent               epsilon %.6g (mu = %.6g%s)\n", p->epsilon_spent, p->mu,
               p->queries ? " beside the queries" : "");
        printf(
            "  ceiling                    %.3g: no statistic of the %s, scaled to 0..1, can differ\n"
            "                             more than this in the mean between any two input graphs\n",
            p->ceiling, p->queries ? "embedding" : "output");
    } else {
        printf("  noise                      none: NOT PRIVATE\n");
    }
    printf("  time, memory               about %.0f s, %.0f MB beside the graph\n", p->seconds,
           (double)p->memory / 1e6);
    if (p->below_grid)
        printf(
            "\nNo gradient there can be reaches the grid of %.3g to which it is rounded: the output is the\n"
            "same for every edge set, which is proved (docs/design/0016-signal-below-the-grid.md). The\n"
            "network, which cannot change a bit of it, is not run; --full-training runs it.\n",
            p->grid);
    else if (p->mu > 0 && p->signal < p->noise)
        printf(
            "\nThe noise on one coordinate is %.1e times the largest signal there can be: the %s will\n"
            "hardly depend on the edges at all. That is what the arithmetic of these settings says.\n",
            p->noise / p->signal, p->queries ? "embedding" : "output");
}

static int run(const cli_args *args)
{
    pdpr_error err = {0};
    pdpr_context *ctx = NULL;
    pdpr_method_options how;
    pdpr_plan plan;
    pdpr_forecast forecast, *foreseen = NULL;
    uint64_t nodes = cli_count(args, "nodes", 0);
    int code = cli_method_options(args, &how);

    if (code != CLI_OK)
        return code;
    if (nodes < 1 || nodes > UINT32_MAX - 1)
        return cli_wrong_use(args->verb, "expected --nodes N, from 1 to 4294967294");
    double degree = cli_real(args, "mean-degree", 2 * (double)how.edges / (double)nodes);
    pdpr_status s = cli_context_new(args, &ctx, &err);
    if (s == PDPR_OK)
        s = pdpr_plan_make(ctx, (uint32_t)nodes, &how, &plan, &err);
    bool wanted = cli_text(args, "mean-degree", NULL) || nodes > 8; /* 8: the usual degree */
    if (s == PDPR_OK && plan.queries && wanted) {
        s = pdpr_forecast_make(ctx, (uint32_t)nodes, degree, &how, &forecast, &err);
        foreseen = &forecast;
    }
    if (s != PDPR_OK) {
        code = cli_failed(&err);
    } else if (cli_flag(args, "json")) {
        print_json(&plan, foreseen);
    } else {
        print_text(&plan);
        if (foreseen)
            print_forecast(foreseen);
    }
    cli_context_free(ctx);
    return code;
}

const cli_verb cli_verb_plan = {
    .name = "plan",
    .summary = "what a method would do with N nodes and a budget, before anything is spent",
    .usage = "--nodes N --epsilon E [options]",
    .text =
        "Steps, noise, the epsilon really spent, and the ceiling on what the output can tell about the input, "
        "from public numbers alone: no data are read. Where structure is measured, also a forecast of the errors that "
        "`compare` would show, with bands from runs on generated graphs.",
    .example =
        "  privdpr plan --nodes 2708 --epsilon 3.2 --mean-degree 4\n"
        "  privdpr plan --nodes 2708 --epsilon 3.2 --method privdpr --profile paper\n"
        "  privdpr plan --nodes 410236 --epsilon 1 --delta 1e-6 --method privdpr --profile head --json",
    .options = options,
    .least_operands = 0,
    .most_operands = 0,
    .run = run,
};
