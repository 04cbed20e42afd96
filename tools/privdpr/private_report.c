/* Where a private report may be written, and how synth makes one.
 *
 * The report shows exact figures of the original. What could go wrong with it is that it travels
 * with the published files, so it may be none of them, and it may not lie in their folder: folders
 * are handed on whole. Only where the original itself lies is the folder private anyway. All this
 * is checked before the data are read and the budget is spent. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXACT_PATHS_UP_TO = 20000, FOLDER_TEXT = 4096 };

uint32_t cli_published_paths(const pdpr_publication *p)
{
    return p->num_graphs + 3;
}

const char *cli_published_path(const pdpr_publication *p, uint32_t index)
{
    const char *const others[] = {p->certificate_path, p->release_path, p->embedding_path};
    return index < p->num_graphs ? p->graph_path[index] : others[index - p->num_graphs];
}

bool cli_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return a && b && stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

int cli_html_options(const cli_args *args, pdpr_report_options *out)
{
    const char *html = cli_text(args, "html", NULL);
    pdpr_report_options_default(out);
    out->original_path = args->operand[0];
    out->synthetic_paths = args->operand + 1;
    out->certificate_path = cli_text(args, "certificate", NULL);
    if (!html)
        return out->certificate_path ? cli_wrong_use(args->verb, "--certificate goes with --html")
                                     : CLI_OK;
    int code = cli_check_named(args, "--certificate", out->certificate_path);
    if (code != CLI_OK)
        return code;
    bool taken = strcmp(html, "-") == 0 || cli_same_file(html, out->certificate_path) ||
                 cli_same_file(html, cli_text(args, "vertices", NULL));
    for (int i = 0; i < args->operands; i++)
        taken |= cli_same_file(html, args->operand[i]);
    return taken
               ? cli_wrong_use(args->verb, "--html: expected a file of its own, found \"%s\"", html)
               : cli_may_write_page(args, html);
}

/* ---------------------------------------------------------------- synth --report */

/* "." for a path without a folder. */
static void folder_of(const char *path, char *out)
{
    const char *base = cli_base_name(path);
    snprintf(out, FOLDER_TEXT, "%.*s", (int)(base - path), path);
    if (out[0] == '\0')
        snprintf(out, FOLDER_TEXT, ".");
}

static bool same_path(const char *a, const char *b)
{
    char folder_a[FOLDER_TEXT], folder_b[FOLDER_TEXT];
    folder_of(a, folder_a);
    folder_of(b, folder_b);
    return cli_same_file(a, b) ||
           (strcmp(cli_base_name(a), cli_base_name(b)) == 0 && cli_same_file(folder_a, folder_b));
}

int cli_check_report_path(const cli_args *args, const char *report, const pdpr_publication *p)
{
    char folder[FOLDER_TEXT], published[FOLDER_TEXT], original[FOLDER_TEXT];
    folder_of(report, folder);
    folder_of(args->operand[0], original);
    if (strcmp(report, "-") == 0 || same_path(report, args->operand[0]) ||
        cli_same_file(report, cli_text(args, "vertices", NULL)))
        return cli_wrong_use(args->verb, "--report: expected a file of its own, found \"%s\"",
                             report);
    if (access(folder, W_OK | X_OK) != 0)
        return cli_wrong_use(args->verb, "--report: no file can be made in %s", folder);
    for (uint32_t i = 0; i < cli_published_paths(p); i++) {
        const char *path = cli_published_path(p, i);
        if (!path)
            continue;
        if (strcmp(path, "-") == 0)
            return cli_wrong_use(args->verb,
                                 "--report: expected --output to be a file, found \"-\"");
        if (same_path(report, path))
            return cli_wrong_use(args->verb,
                                 "--report: %s is to be published, and the report is private: "
                                 "expected a file of its own",
                                 path);
        folder_of(path, published);
        if (cli_same_file(folder, published) && !cli_same_file(folder, original))
            return cli_wrong_use(args->verb,
                                 "--report: the report is private and would lie among the "
                                 "published files in %s: expected another folder",
                                 folder);
    }
    return CLI_OK;
}

pdpr_status cli_write_report(pdpr_context *ctx, const cli_args *args, const pdpr_graph *g,
                             const pdpr_publication *p, bool promises, const char *report,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_comparison_options how;
    pdpr_report_options shown;
    pdpr_load_options load;
    pdpr_comparison *c = NULL;
    pdpr_graph **graph = calloc(p->num_graphs, sizeof *graph);

    if (!graph) {
        snprintf(err->text, sizeof err->text, "report: out of memory");
        return err->status = PDPR_ENOMEM;
    }
    pdpr_comparison_options_default(&how);
    pdpr_report_options_default(&shown);
    pdpr_load_options_default(&load);
    how.null_seed = how.metrics.seed = 1;
    if (pdpr_graph_num_nodes(g) > EXACT_PATHS_UP_TO)
        how.metrics.paths = PDPR_PATHS_SAMPLE;
    shown.original_path = args->operand[0];
    shown.synthetic_paths = p->graph_path;
    shown.certificate_path = promises ? p->certificate_path : NULL;
    for (uint32_t i = 0; s == PDPR_OK && i < p->num_graphs; i++)
        s = cli_load_graph(ctx, p->graph_path[i], &load, &graph[i], err);
    if (s == PDPR_OK)
        s = pdpr_comparison_new(ctx, g, (const pdpr_graph *const *)graph, p->num_graphs, &how, &c,
                                err);
    if (s == PDPR_OK)
        s = pdpr_report_comparison_html(ctx, g, (const pdpr_graph *const *)graph, p->num_graphs, c,
                                        &shown, report, err);
    pdpr_comparison_free(c);
    for (uint32_t i = 0; i < p->num_graphs; i++)
        pdpr_graph_free(graph[i]);
    free(graph);
    return s;
}
