/* Values of research runs: kept in a CSV file that grows run by run, so that an interrupted night
 * goes on where it stopped, and summed up beside the paper's.
 *
 * A run's values are written in one piece and flushed. A line that a crash cut short has no end and
 * is dropped when the file is opened again. A cell that comes twice counts once, with its last
 * value.
 */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char header[] = "dataset,metric,method,parameter,seed,value\n";

static bool same_cell(const cli_cell *a, const cli_cell *b)
{
    return a->seed == b->seed && strcmp(a->dataset, b->dataset) == 0 &&
           strcmp(a->metric, b->metric) == 0 && strcmp(a->method, b->method) == 0 &&
           strcmp(a->parameter, b->parameter) == 0;
}

static cli_cell *find_cell(const cli_cells *cells, const cli_cell *key)
{
    for (size_t i = 0; i < cells->count; i++)
        if (same_cell(&cells->cell[i], key))
            return &cells->cell[i];
    return NULL;
}

bool cli_cells_have(const cli_cells *cells, const cli_cell *key)
{
    return find_cell(cells, key) != NULL;
}

static bool put(cli_cells *cells, const cli_cell *cell)
{
    cli_cell *known = find_cell(cells, cell);
    if (!known && cells->count == cells->room) {
        size_t room = cells->room ? 2 * cells->room : 256;
        cli_cell *grown = realloc(cells->cell, room * sizeof *grown);
        if (!grown)
            return false;
        cells->cell = grown;
        cells->room = room;
    }
    *(known ? known : &cells->cell[cells->count++]) = *cell;
    return true;
}

static int no_memory(void)
{
    fprintf(stderr, "privdpr: out of memory\n");
    return CLI_FAILED;
}

static int cannot(const char *path, const char *what)
{
    fprintf(stderr, "privdpr: %s: %s: %s\n", path, what, strerror(errno));
    return CLI_FAILED;
}

/* Takes in the lines of the file; *whole is the length of those that are complete. */
static int take_in(const char *path, cli_cells *cells, long *whole)
{
    char line[256];
    for (unsigned number = 1; fgets(line, sizeof line, cells->file); number++) {
        cli_cell c;
        char end = 0;
        size_t length = strlen(line);
        if (line[length - 1] != '\n' && feof(cells->file))
            break; /* cut short */
        if (number > 1) {
            if (sscanf(line, "%15[^,],%15[^,],%47[^,],%15[^,],%" SCNu64 ",%lf%c", c.dataset,
                       c.metric, c.method, c.parameter, &c.seed, &c.value, &end) != 7 ||
                end != '\n') {
                fprintf(stderr, "privdpr: %s:%u: expected a line as in \"%.*s\", found another\n",
                        path, number, (int)sizeof header - 2, header);
                return CLI_INPUT;
            }
            if (!put(cells, &c))
                return no_memory();
        } else if (strcmp(line, header) != 0) {
            fprintf(stderr, "privdpr: %s:1: expected \"%.*s\", found another heading\n", path,
                    (int)sizeof header - 2, header);
            return CLI_INPUT;
        }
        *whole = ftell(cells->file);
    }
    return ferror(cells->file) ? cannot(path, "cannot read") : CLI_OK;
}

int cli_cells_open(const char *path, cli_cells *out)
{
    cli_cells cells = {.file = fopen(path, "r+")};
    long whole = 0;
    if (!cells.file && errno == ENOENT)
        cells.file = fopen(path, "w+");
    if (!cells.file)
        return cannot(path, "cannot open");
    int code = take_in(path, &cells, &whole);
    if (code == CLI_OK &&
        (fseek(cells.file, whole, SEEK_SET) != 0 || ftruncate(fileno(cells.file), whole) != 0 ||
         (whole == 0 && fputs(header, cells.file) < 0) || fflush(cells.file) != 0))
        code = cannot(path, "cannot write");
    if (code != CLI_OK)
        cli_cells_close(&cells);
    else
        *out = cells;
    return code;
}

void cli_cells_close(cli_cells *cells)
{
    if (cells->file)
        fclose(cells->file);
    free(cells->cell);
    memset(cells, 0, sizeof *cells);
}

int cli_cells_add(cli_cells *cells, const cli_cell *run, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!put(cells, &run[i]))
            return no_memory();
        fprintf(cells->file, "%s,%s,%s,%s,%" PRIu64 ",%.17g\n", run[i].dataset, run[i].metric,
                run[i].method, run[i].parameter, run[i].seed, run[i].value);
    }
    return fflush(cells->file) != 0 || ferror(cells->file) ? cannot("results", "cannot write")
                                                           : CLI_OK;
}

/* ---------------------------------------------------------------- the summary */

static bool row_is_of(const cli_summary_row *row, const cli_cell *cell)
{
    return !row->paper && strcmp(row->dataset, cell->dataset) == 0 &&
           strcmp(row->metric, cell->metric) == 0 && strcmp(row->method, cell->method) == 0 &&
           strcmp(row->parameter, cell->parameter) == 0;
}

/* Mean and deviation over the values that are defined. */
static void finish_row(cli_summary_row *row, const cli_cells *cells)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < cells->count; i++)
        if (row_is_of(row, &cells->cell[i]) && !isnan(cells->cell[i].value)) {
            sum += cells->cell[i].value;
            row->runs++;
        }
    double n = (double)row->runs;
    row->mean = row->runs ? sum / n : NAN;
    for (size_t i = 0; i < cells->count; i++)
        if (row_is_of(row, &cells->cell[i]) && !isnan(cells->cell[i].value))
            squares += (cells->cell[i].value - row->mean) * (cells->cell[i].value - row->mean);
    row->sd = row->runs > 1 ? sqrt(squares / (n - 1)) : NAN;
}

/* The paper's values of one line, if it is of this item and of a dataset that was run. */
static bool paper_row(const char *line, const char *item, const cli_cells *cells,
                      cli_summary_row *out)
{
    char of[CLI_NAME];
    cli_summary_row row = {.paper = true, .sd = NAN};
    if (sscanf(line, "%15[^,],%15[^,],%15[^,],%47[^,],%15[^,],%lf,%lf", of, row.dataset, row.metric,
               row.method, row.parameter, &row.mean, &row.sd) < 6 ||
        strcmp(of, item) != 0)
        return false;
    for (size_t i = 0; i < cells->count; i++)
        if (strcmp(cells->cell[i].dataset, row.dataset) == 0) {
            *out = row;
            return true;
        }
    return false;
}

bool cli_summarise(const char *item, const char *parameter_name, const cli_cells *cells,
                   cli_summary *out)
{
    cli_summary s = {.item = item, .parameter_name = parameter_name};
    size_t room = cells->count;
    for (const char *const *line = cli_paper_rows; *line; line++)
        room++;
    s.row = calloc(room + 1, sizeof *s.row);
    if (!s.row)
        return false;
    for (size_t i = 0; i < cells->count; i++) {
        const cli_cell *c = &cells->cell[i];
        size_t at = 0;
        while (at < s.count && !row_is_of(&s.row[at], c))
            at++;
        if (at < s.count)
            continue;
        cli_summary_row *row = &s.row[s.count++];
        memcpy(row->dataset, c->dataset, sizeof row->dataset);
        memcpy(row->metric, c->metric, sizeof row->metric);
        memcpy(row->method, c->method, sizeof row->method);
        memcpy(row->parameter, c->parameter, sizeof row->parameter);
        finish_row(row, cells);
    }
    for (const char *const *line = cli_paper_rows; *line; line++)
        if (paper_row(*line, item, cells, &s.row[s.count]))
            s.count++;
    *out = s;
    return true;
}

const cli_summary_row *cli_summary_find(const cli_summary *summary, bool paper, const char *dataset,
                                        const char *metric, const char *method,
                                        const char *parameter)
{
    for (size_t i = 0; i < summary->count; i++) {
        const cli_summary_row *row = &summary->row[i];
        if (row->paper == paper && strcmp(row->dataset, dataset) == 0 &&
            strcmp(row->metric, metric) == 0 && strcmp(row->method, method) == 0 &&
            strcmp(row->parameter, parameter ? parameter : "-") == 0)
            return row;
    }
    return NULL;
}
