/* What `reproduce` hands out: an item's summary as CSV, JSON and a picture, and as tables on the
 * terminal. Each file appears whole or not at all. */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- what is missing */

static const char *const papers_methods[] = {"gap", "dpggan", "dpgvae"};

/* Methods of the paper that this program does not have, separated by ", ". */
static void missing_methods(char *text, size_t size)
{
    uint32_t count = 0;
    const pdpr_method_info *m = pdpr_methods(&count);
    text[0] = '\0';
    for (size_t i = 0; i < sizeof papers_methods / sizeof *papers_methods; i++) {
        bool found = false;
        for (uint32_t k = 0; k < count; k++)
            found |= strcmp(m[k].name, papers_methods[i]) == 0;
        if (!found)
            snprintf(text + strlen(text), size - strlen(text), "%s%s", text[0] ? ", " : "",
                     papers_methods[i]);
    }
}

/* ---------------------------------------------------------------- files */

int cli_cannot_write(const char *path)
{
    fprintf(stderr, "privdpr: %s: cannot write: %s\n", path, strerror(errno));
    return CLI_FAILED;
}

static void write_csv(FILE *out, const cli_summary *s)
{
    fprintf(out, "source,dataset,metric,method,parameter,runs,mean,sd,build\n");
    for (size_t i = 0; i < s->count; i++) {
        const cli_summary_row *r = &s->row[i];
        fprintf(out, "%s,%s,%s,%s,%s,", r->paper ? "paper" : "here", r->dataset, r->metric,
                r->method, r->parameter);
        if (!r->paper)
            fprintf(out, "%" PRIu64, r->runs);
        fprintf(out, isnan(r->mean) ? "," : ",%.6g", r->mean);
        fprintf(out, isnan(r->sd) ? "," : ",%.6g", r->sd);
        fprintf(out, ",%s\n", r->build);
    }
}

static void put_json_real(FILE *out, const char *key, double value, const char *behind)
{
    if (isfinite(value))
        fprintf(out, "\"%s\": %.9g%s", key, value, behind);
    else
        fprintf(out, "\"%s\": null%s", key, behind);
}

static void write_json(FILE *out, const cli_summary *s)
{
    char missing[128];
    missing_methods(missing, sizeof missing);
    fprintf(out,
            "{\n  \"item\": \"%s\",\n  \"parameter\": \"%s\",\n  \"guarantee\": \"none (seeded "
            "runs on the original data)\",\n  \"missing\": \"%s\",\n  \"rows\": [",
            s->item, s->parameter_name, missing);
    for (size_t i = 0; i < s->count; i++) {
        const cli_summary_row *r = &s->row[i];
        fprintf(out,
                "%s\n    {\"source\": \"%s\", \"dataset\": \"%s\", \"metric\": \"%s\", \"method\": "
                "\"%s\", \"value\": \"%s\", ",
                i ? "," : "", r->paper ? "paper" : "here", r->dataset, r->metric, r->method,
                r->parameter);
        if (r->paper)
            fprintf(out, "\"runs\": null, ");
        else
            fprintf(out, "\"runs\": %" PRIu64 ", ", r->runs);
        put_json_real(out, "mean", r->mean, ", ");
        put_json_real(out, "sd", r->sd, ", ");
        fprintf(out, r->paper ? "\"build\": null}" : "\"build\": \"%s\"}", r->build);
    }
    fprintf(out, "\n  ]\n}\n");
}

static void write_svg(FILE *out, const cli_summary *s)
{
    fputs(s->picture, out);
}

/* Writes FOLDER/ITEM.ENDING whole or not at all. */
static int write_file(const char *folder, const cli_summary *s, const char *ending,
                      void (*writer)(FILE *, const cli_summary *))
{
    char path[CLI_LEDGER_PATH], draft[CLI_LEDGER_PATH + 8];
    snprintf(path, sizeof path, "%s/%s.%s", folder, s->item, ending);
    snprintf(draft, sizeof draft, "%s.draft", path);
    FILE *out = fopen(draft, "w");
    if (!out)
        return cli_cannot_write(draft);
    writer(out, s);
    bool bad = ferror(out) != 0;
    if (fclose(out) != 0 || bad || rename(draft, path) != 0) {
        int code = cli_cannot_write(path);
        remove(draft);
        return code;
    }
    return CLI_OK;
}

/* ---------------------------------------------------------------- the table on the terminal */

enum { HEAD = 40, NUMBER = 18 };

static bool listed(const char *const *list, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], text) == 0)
            return true;
    return false;
}

static void print_number(const cli_summary_row *r)
{
    char text[64] = "";
    if (r && !isnan(r->mean) && isnan(r->sd))
        snprintf(text, sizeof text, "%.4f", r->mean);
    else if (r && !isnan(r->mean))
        snprintf(text, sizeof text, "%.4f ± %.4f", r->mean, r->sd);
    cli_print_cell(stdout, text, NUMBER);
}

/* One dataset and metric: a line for each method, ours first, a column for each parameter. */
static void print_block(const cli_summary *s, const cli_experiment *e, const cli_summary_row *block)
{
    const char *seen[2][64];
    size_t count[2] = {0, 0};
    printf("\n");
    char head[CLI_METHOD];
    snprintf(head, sizeof head, "%s, %s", block->dataset, block->metric);
    cli_print_cell(stdout, head, -HEAD);
    for (const char *const *p = e->parameters; *p; p++) {
        snprintf(head, sizeof head, "%s %s", e->parameter_name, *p);
        cli_print_cell(stdout, head, NUMBER);
    }
    printf("\n");
    for (size_t i = 0; i < s->count; i++) {
        const cli_summary_row *r = &s->row[i];
        if (strcmp(r->dataset, block->dataset) != 0 || strcmp(r->metric, block->metric) != 0 ||
            listed(seen[r->paper], count[r->paper], r->method) || count[r->paper] == 64)
            continue;
        seen[r->paper][count[r->paper]++] = r->method;
        snprintf(head, sizeof head, "  %s%.30s", r->paper ? "paper: " : "", r->method);
        cli_print_cell(stdout, head, -HEAD);
        const cli_summary_row *level =
            cli_summary_find(s, r->paper, r->dataset, r->metric, r->method, NULL);
        if (level)
            print_number(level);
        for (const char *const *p = e->parameters; *p && !level; p++)
            print_number(cli_summary_find(s, r->paper, r->dataset, r->metric, r->method, *p));
        printf("\n");
    }
}

static void print_table(const cli_summary *s, const cli_experiment *e)
{
    char missing[128];
    missing_methods(missing, sizeof missing);
    printf("%s: %s. Mean ± standard deviation of seeded runs on the original data: research, no "
           "guarantee.\n",
           e->item, e->title);
    if (missing[0])
        printf("Not built here: %s; of these the paper's values stand alone.\n", missing);
    for (size_t i = 0; i < s->count; i++) {
        bool first = true;
        for (size_t k = 0; k < i && first; k++)
            first = strcmp(s->row[k].dataset, s->row[i].dataset) != 0 ||
                    strcmp(s->row[k].metric, s->row[i].metric) != 0;
        if (first)
            print_block(s, e, &s->row[i]);
    }
}

/* ---------------------------------------------------------------- all of it */

static int write_files(const char *folder, const cli_summary *s)
{
    int code = write_file(folder, s, "csv", write_csv);
    if (code == CLI_OK)
        code = write_file(folder, s, "json", write_json);
    return code == CLI_OK ? write_file(folder, s, "svg", write_svg) : code;
}

int cli_results_write(const cli_args *args, const cli_experiment *e, const cli_experiment_how *how,
                      const cli_cells *cells)
{
    pdpr_error err = {0};
    cli_summary summary = {0};
    int code;
    if (!cli_summarise(e->item, e->parameter_name, cells, &summary)) {
        fprintf(stderr, "privdpr: out of memory\n");
        return CLI_FAILED;
    }
    code = cli_summary_svg(how->ctx, &summary, &summary.picture, &err) == PDPR_OK
               ? write_files(cli_text(args, "out", "reproduced"), &summary)
               : cli_failed(&err);
    if (code == CLI_OK && cli_flag(args, "json"))
        write_json(stdout, &summary);
    else if (code == CLI_OK && !cli_flag(args, "quiet"))
        print_table(&summary, e);
    pdpr_free(summary.picture);
    free(summary.row);
    return code;
}
