/* The panels of a table or figure: which values of the summary are drawn, and where.
 *
 * One panel per dataset and metric, as in the paper. The parameter runs along x; a method without
 * one is a level; the paper's own values are dashed. Of the paper's methods only PrivDPR and DPR
 * are drawn: the others lie so far off that nothing else could be seen. Of the tasks the methods
 * and random vectors are drawn; what a method scores on no edges would hide its own dot. All is in
 * the CSV file. The drawing itself is the library's. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 /* panels, curves, steps: more are left out */ };

typedef struct {
    const cli_summary_row *panel[MOST], *curve[MOST]; /* the first row of each */
    const char *step[MOST];
    size_t panels, curves, steps;
} layout;

static bool is_drawn(const cli_summary_row *row)
{
    bool task = strcmp(row->metric, "AUC") == 0 || strcmp(row->metric, "Micro-F1") == 0;
    if (row->paper)
        return strcmp(row->method, "PrivDPR") == 0 || strncmp(row->method, "DPR", 3) == 0;
    return !task || (!strstr(row->method, " inner product") && !strstr(row->method, " no edges"));
}

static bool same_panel(const cli_summary_row *a, const cli_summary_row *b)
{
    return strcmp(a->dataset, b->dataset) == 0 && strcmp(a->metric, b->metric) == 0;
}

static bool same_curve(const cli_summary_row *a, const cli_summary_row *b)
{
    return a->paper == b->paper && strcmp(a->method, b->method) == 0;
}

/* The row's place on a list, to which it is added if it is new and there is room. */
static void enlist(const cli_summary_row **list, size_t *count, const cli_summary_row *row,
                   bool (*same)(const cli_summary_row *, const cli_summary_row *))
{
    size_t at = 0;
    while (at < *count && !same(list[at], row))
        at++;
    if (at == *count && at < MOST)
        list[(*count)++] = row;
}

/* What there is to draw, in the order of the summary; steps ascend. */
static void lay_out(const cli_summary *s, layout *l)
{
    memset(l, 0, sizeof *l);
    for (size_t i = 0; i < s->count; i++) {
        const cli_summary_row *row = &s->row[i];
        size_t t = 0;
        if (!is_drawn(row))
            continue;
        enlist(l->panel, &l->panels, row, same_panel);
        enlist(l->curve, &l->curves, row, same_curve);
        while (t < l->steps && strcmp(l->step[t], row->parameter) != 0)
            t++;
        if (t < l->steps || t == MOST || strcmp(row->parameter, "-") == 0)
            continue;
        for (l->steps++; t > 0 && atof(l->step[t - 1]) > atof(row->parameter); t--)
            l->step[t] = l->step[t - 1];
        l->step[t] = row->parameter;
    }
}

/* Means and deviations in the order of pdpr_panels, the level of a curve behind its steps. */
static void fill_values(const cli_summary *s, const layout *l, double *mean, double *deviation)
{
    size_t at = 0;
    for (size_t p = 0; p < l->panels; p++)
        for (size_t c = 0; c < l->curves; c++)
            for (size_t t = 0; t <= l->steps; t++, at++) {
                const cli_summary_row *row = cli_summary_find(
                    s, l->curve[c]->paper, l->panel[p]->dataset, l->panel[p]->metric,
                    l->curve[c]->method, t < l->steps ? l->step[t] : NULL);
                mean[at] = row ? row->mean : NAN;
                deviation[at] = row ? row->sd : NAN;
            }
}

pdpr_status cli_summary_svg(pdpr_context *ctx, const cli_summary *summary, char **out,
                            pdpr_error *err)
{
    layout l;
    char panel[MOST][CLI_METHOD], curve[MOST][CLI_METHOD + 16];
    const char *panel_name[MOST], *curve_name[MOST];
    bool dashed[MOST];
    lay_out(summary, &l);
    for (size_t i = 0; i < l.panels; i++) {
        snprintf(panel[i], sizeof panel[i], "%s, %s", l.panel[i]->dataset, l.panel[i]->metric);
        panel_name[i] = panel[i];
    }
    for (size_t i = 0; i < l.curves; i++) {
        dashed[i] = l.curve[i]->paper;
        snprintf(curve[i], sizeof curve[i], "%s%s", dashed[i] ? "the paper's " : "",
                 l.curve[i]->method);
        curve_name[i] = curve[i];
    }
    size_t values = l.panels * l.curves * (l.steps + 1);
    double *mean = calloc(2 * values + 1, sizeof *mean);
    if (!mean) {
        err->status = PDPR_ENOMEM;
        snprintf(err->text, sizeof err->text, "out of memory");
        return PDPR_ENOMEM;
    }
    fill_values(summary, &l, mean, mean + values);
    const pdpr_panels panels = {.struct_size = sizeof panels,
                                .title = summary->item,
                                .step_name = summary->parameter_name,
                                .step = l.step,
                                .steps = (uint32_t)l.steps,
                                .curve = curve_name,
                                .dashed = dashed,
                                .curves = (uint32_t)l.curves,
                                .panel = panel_name,
                                .panels = (uint32_t)l.panels,
                                .mean = mean,
                                .deviation = mean + values};
    pdpr_status s = pdpr_report_panels_svg(ctx, &panels, out, err);
    free(mean);
    return s;
}
