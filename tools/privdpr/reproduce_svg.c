/* The panels of a figure as one SVG picture: plain shapes and text, no script, no font file.
 *
 * One panel per dataset and metric, four in a row as in the paper. The parameter runs along x in
 * equal steps; a method with a value for each is a line, one without a parameter a level; the
 * paper's own values are dashed. Of the paper's methods only PrivDPR and DPR are drawn: the others
 * lie so far off that nothing else could be seen. They are in the CSV file. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 64, /* panels, series, steps: more are left out */
    ACROSS = 4,
    PANEL_W = 250,
    PANEL_H = 190,
    LEFT = 48,
    TOP = 26,
    PLOT_W = 186,
    PLOT_H = 128,
    LEGEND_LINE = 16
};

typedef struct {
    const char *dataset, *metric;
} panel;

typedef struct {
    bool paper;
    const char *method;
} series;

typedef struct {
    panel panel[MOST];
    series series[MOST];
    const char *step[MOST];
    size_t panels, num_series, steps;
} layout;

static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                      "#56b4e9", "#7f3c8d", "#555555", "#a05a2c", "#00429d"};
enum { COLOURS = sizeof colours / sizeof *colours };

static bool is_drawn(const cli_summary_row *row)
{
    return !row->paper || strcmp(row->method, "PrivDPR") == 0 ||
           strncmp(row->method, "DPR", 3) == 0;
}

/* What there is to draw, in the order of the summary. */
static void lay_out(const cli_summary *s, layout *l)
{
    memset(l, 0, sizeof *l);
    for (size_t i = 0; i < s->count; i++) {
        const cli_summary_row *row = &s->row[i];
        size_t p = 0, m = 0, t = 0;
        if (!is_drawn(row))
            continue;
        while (p < l->panels && (strcmp(l->panel[p].dataset, row->dataset) != 0 ||
                                 strcmp(l->panel[p].metric, row->metric) != 0))
            p++;
        if (p == l->panels && p < MOST)
            l->panel[l->panels++] = (panel){row->dataset, row->metric};
        while (m < l->num_series &&
               (l->series[m].paper != row->paper || strcmp(l->series[m].method, row->method) != 0))
            m++;
        if (m == l->num_series && m < MOST)
            l->series[l->num_series++] = (series){row->paper, row->method};
        while (t < l->steps && strcmp(l->step[t], row->parameter) != 0)
            t++;
        if (t == l->steps && t < MOST && strcmp(row->parameter, "-") != 0)
            l->step[l->steps++] = row->parameter;
    }
    for (size_t i = 1; i < l->steps; i++) /* ascending numbers */
        for (size_t j = i; j > 0 && atof(l->step[j - 1]) > atof(l->step[j]); j--) {
            const char *swap = l->step[j];
            l->step[j] = l->step[j - 1];
            l->step[j - 1] = swap;
        }
}

static void text_at(FILE *out, double x, double y, const char *anchor, int size, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\">", x, y, anchor,
            size);
    for (; *text; text++)
        if (*text == '&' || *text == '<')
            fputs(*text == '&' ? "&amp;" : "&lt;", out);
        else
            fputc(*text, out);
    fputs("</text>\n", out);
}

/* Lowest and highest value of a panel, with some air. */
static void find_range(const cli_summary *s, const panel *p, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < s->count; i++) {
        const cli_summary_row *row = &s->row[i];
        if (is_drawn(row) && !isnan(row->mean) && strcmp(row->dataset, p->dataset) == 0 &&
            strcmp(row->metric, p->metric) == 0) {
            *low = fmin(*low, row->mean);
            *high = fmax(*high, row->mean);
        }
    }
    double air = *high > *low ? 0.06 * (*high - *low) : 0.05;
    *low -= air;
    *high += air;
}

static void draw_series(FILE *out, const cli_summary *s, const layout *l, size_t m, const panel *p,
                        double x0, double y0, double low, double high)
{
    const series *line = &l->series[m];
    const char *colour = colours[m % COLOURS], *dash = line->paper ? "5 3" : "none";
    const cli_summary_row *level =
        cli_summary_find(s, line->paper, p->dataset, p->metric, line->method, NULL);
    char points[MOST * 24];
    size_t used = 0;
    points[0] = '\0';
    if (level && !isnan(level->mean)) {
        double y = y0 + PLOT_H * (high - level->mean) / (high - low);
        fprintf(out,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                "stroke-width=\"1.3\" stroke-dasharray=\"%s\"/>\n",
                x0, x0 + PLOT_W, y, y, colour, dash);
    }
    for (size_t t = 0; t < l->steps; t++) {
        const cli_summary_row *row =
            cli_summary_find(s, line->paper, p->dataset, p->metric, line->method, l->step[t]);
        if (!row || isnan(row->mean))
            continue;
        double x = x0 + PLOT_W * ((double)t + 0.5) / (double)l->steps;
        double y = y0 + PLOT_H * (high - row->mean) / (high - low);
        used += (size_t)snprintf(points + used, sizeof points - used, "%.1f,%.1f ", x, y);
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.4\" fill=\"%s\"/>\n", x, y, colour);
    }
    if (used)
        fprintf(out,
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.3\" "
                "stroke-dasharray=\"%s\"/>\n",
                points, colour, dash);
}

static void draw_panel(FILE *out, const cli_summary *s, const layout *l, size_t number)
{
    const panel *p = &l->panel[number];
    double x0 = (double)(number % ACROSS) * PANEL_W + LEFT;
    size_t row = number / ACROSS;
    double y0 = (double)row * PANEL_H + TOP, low, high;
    char text[64];
    find_range(s, p, &low, &high);
    if (!(low < high))
        return;
    snprintf(text, sizeof text, "%s, %s", p->dataset, p->metric);
    text_at(out, x0 + PLOT_W / 2.0, y0 - 8, "middle", 12, text);
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" "
            "stroke=\"#999\"/>\n",
            x0, y0, PLOT_W, PLOT_H);
    for (int tick = 0; tick <= 4; tick++) {
        double y = y0 + PLOT_H * tick / 4.0;
        snprintf(text, sizeof text, "%.3g", high - (high - low) * tick / 4);
        text_at(out, x0 - 4, y + 3, "end", 9, text);
        fprintf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n",
                x0, x0 + PLOT_W, y, y);
    }
    for (size_t t = 0; t < l->steps; t++)
        text_at(out, x0 + PLOT_W * ((double)t + 0.5) / (double)l->steps, y0 + PLOT_H + 12, "middle",
                9, l->step[t]);
    text_at(out, x0 + PLOT_W / 2.0, y0 + PLOT_H + 24, "middle", 9, s->parameter_name);
    for (size_t m = 0; m < l->num_series; m++)
        draw_series(out, s, l, m, p, x0, y0, low, high);
}

void cli_svg_write(FILE *out, const cli_summary *summary)
{
    layout l;
    lay_out(summary, &l);
    size_t rows = (l.panels + ACROSS - 1) / ACROSS, legend_rows = (l.num_series + 2) / 3;
    int width = ACROSS * PANEL_W;
    double top = (double)rows * PANEL_H + 16;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
            "font-family=\"sans-serif\">\n<title>%s</title>\n<rect width=\"100%%\" "
            "height=\"100%%\" fill=\"white\"/>\n",
            width, top + (double)legend_rows * LEGEND_LINE + 8, width, summary->item);
    for (size_t p = 0; p < l.panels; p++)
        draw_panel(out, summary, &l, p);
    for (size_t m = 0; m < l.num_series; m++) {
        double x = LEFT + (double)(m % 3) * (width / 3.0);
        size_t row = m / 3;
        double y = top + (double)row * LEGEND_LINE;
        char text[CLI_METHOD + 16];
        fprintf(out,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                "stroke-width=\"2\" stroke-dasharray=\"%s\"/>\n",
                x, x + 24, y, y, colours[m % COLOURS], l.series[m].paper ? "5 3" : "none");
        snprintf(text, sizeof text, "%s%s", l.series[m].paper ? "the paper's " : "",
                 l.series[m].method);
        text_at(out, x + 30, y + 4, "start", 11, text);
    }
    fputs("</svg>\n", out);
}
