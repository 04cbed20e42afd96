/* privdpr task link|node GRAPH: what a method's embedding is good for, beside what knows nothing.
 */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const cli_option options[] = {
    {"labels", 'l', CLI_TEXT, "FILE", "task node: lines `node class`, -1 for no class"},
    {"repeats", 'k', CLI_COUNT, "K", "splits, each with a run of its own (default: 5)"},
    {"seed", 0, CLI_COUNT, "S", "repeat i has seed S + i (default: 1)"},
    CLI_METHOD_OPTIONS,
    CLI_GRAPH_OPTIONS,
    {NULL, 0, CLI_FLAG, NULL, NULL},
};

enum { HEAD = 44, NUMBER = 20 };

static const char *const row_head[PDPR_TASK_ROWS] = {
    "this method, logistic regression", "this method, inner product",
    "the same on a graph without edges", "random vectors", "one answer for all"};

static void print_table(const pdpr_task_result *r, const pdpr_task_options *how)
{
    bool link = r->task == PDPR_TASK_LINK;
    char text[64];
    printf(
        "Private: these scores come from the original graph and from seeded runs, which carry NO "
        "GUARANTEE. Do not publish them.\n\n");
    printf("%s, method %s%s%s", link ? "Link prediction" : "Node classification",
           how->method.method, how->method.profile ? " " : "",
           how->method.profile ? how->method.profile : "");
    if (how->method.epsilon > 0)
        printf(", epsilon %g", how->method.epsilon);
    printf("; %" PRIu32 " repeat%s, %" PRIu64 " training and %" PRIu64 " test %s.\n\n", r->repeats,
           r->repeats == 1 ? "" : "s", r->train, r->test, link ? "pairs" : "nodes");
    cli_print_cell(stdout, "", -HEAD);
    cli_print_cell(stdout, link ? "AUC" : "Micro-F1", NUMBER);
    printf("\n");
    for (pdpr_task_row row = 0; row < PDPR_TASK_ROWS; row++) {
        if (isnan(r->mean[row]))
            continue;
        cli_print_cell(stdout, row_head[row], -HEAD);
        if (isnan(r->sd[row]))
            snprintf(text, sizeof text, "%.4f", r->mean[row]);
        else
            snprintf(text, sizeof text, "%.4f ± %.4f", r->mean[row], r->sd[row]);
        cli_print_cell(stdout, text, NUMBER);
        printf("\n");
    }
}

/* Options of the task; CLI_OK or CLI_USAGE. */
static int take_options(const cli_args *args, pdpr_task_options *out)
{
    pdpr_task_options_default(out);
    const char *name = args->operand[0];
    if (strcmp(name, "link") != 0 && strcmp(name, "node") != 0)
        return cli_wrong_use(args->verb, "expected link or node, found \"%s\"", name);
    out->task = strcmp(name, "link") == 0 ? PDPR_TASK_LINK : PDPR_TASK_NODE;
    if (out->task == PDPR_TASK_NODE && !cli_text(args, "labels", NULL))
        return cli_wrong_use(args->verb, "node: expected --labels FILE");
    if (out->task == PDPR_TASK_LINK && cli_text(args, "labels", NULL))
        return cli_wrong_use(args->verb, "link: expected no --labels");
    if (!cli_text(args, "method", NULL))
        return cli_wrong_use(args->verb,
                             "expected --method M: one with an embedding, privdpr or dpr");
    uint64_t repeats = cli_count(args, "repeats", out->repeats);
    if (repeats < 1 || repeats > PDPR_TASK_MOST_REPEATS)
        return cli_wrong_use(args->verb, "--repeats: expected from 1 to %d, found %" PRIu64,
                             PDPR_TASK_MOST_REPEATS, repeats);
    out->repeats = (uint32_t)repeats;
    int code = cli_method_options(args, &out->method);
    out->method.seeded = true;
    return code;
}

static int run(const cli_args *args)
{
    pdpr_error err = {0};
    pdpr_context *ctx = NULL;
    pdpr_graph *g = NULL;
    pdpr_labels *labels = NULL;
    pdpr_load_options load;
    pdpr_task_options how;
    pdpr_task_result result;
    cli_scratch scratch = {0};
    char *json = NULL;
    int code = take_options(args, &how);

    if (code == CLI_OK)
        code = cli_load_options(args, &load);
    if (code != CLI_OK)
        return code;
    if (cli_context_new(args, &ctx, &err) != PDPR_OK ||
        pdpr_graph_load(ctx, args->operand[1], &load, &g, NULL, &err) != PDPR_OK)
        goto failed;
    if (how.task == PDPR_TASK_NODE &&
        pdpr_labels_load(ctx, cli_text(args, "labels", NULL), g, &labels, &err) != PDPR_OK)
        goto failed;
    if (cli_scratch_open(&scratch, &err) != PDPR_OK ||
        pdpr_task_run(ctx, g, labels, &how, scratch.ledger, &result, &err) != PDPR_OK)
        goto failed;
    cli_progress_end();
    if (!cli_flag(args, "json")) {
        print_table(&result, &how);
    } else {
        if (pdpr_report_task_json(ctx, &result, &how, &json, &err) != PDPR_OK)
            goto failed;
        fputs(json, stdout);
    }
    goto done;
failed:
    code = cli_failed(&err);
done:
    pdpr_free(json);
    cli_scratch_close(&scratch);
    pdpr_labels_free(labels);
    pdpr_graph_free(g);
    cli_context_free(ctx);
    return code;
}

const cli_verb cli_verb_task = {
    .name = "task",
    .summary = "link prediction and node classification with a method's embedding",
    .usage = "link|node GRAPH --method M [options]",
    .text =
        "link: 80 % of the edges train, 20 % test, each with as many pairs without an edge; the embedding is "
        "trained on the training edges only; AUC. node: 90 % of the labelled nodes train, 10 % test; Micro-F1. "
        "Both by logistic regression (L2, converged; the penalty is chosen inside the training part), mean ± "
        "standard deviation over the repeats. Beside every result: the same method on a graph with the same "
        "nodes and no edges, random vectors, and one answer for all.\n"
        "Scores come from the original graph and from seeded runs without a guarantee: they are for the owner "
        "only. Nothing is charged to the ledger, since nothing is released. Methods that make a graph and no "
        "embedding (blueprint, null) are refused: the paper scores embeddings.",
    .example =
        "  privdpr task link cora.edges --method privdpr --epsilon 3.2\n"
        "  privdpr task node cora.edges --labels cora.labels --method dpr --repeats 10 --json",
    .options = options,
    .least_operands = 2,
    .most_operands = 2,
    .run = run,
};
