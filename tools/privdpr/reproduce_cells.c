/* Values of research runs: kept in a CSV file that grows run by run, so that an interrupted night
 * goes on where it stopped, and summed up beside the paper's.
 *
 * Each line carries the digest of the data and the build that made it. Lines of other data or of
 * another build stay in the file and are passed over, so that nothing is lost and nothing is taken
 * for what it is not. A run's values are written in one piece and flushed. A line that a crash cut
 * short has no end and is dropped before the next is written. A cell that comes twice counts once,
 * with its last value. One process at a time: the file is locked while runs are added. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char header[] = "dataset,metric,method,parameter,seed,value,data,build\n";

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

/* The number of a build; those beyond the room share the last. */
static uint32_t build_number(cli_cells *cells, const char *build)
{
    for (uint32_t i = 0; i < cells->builds; i++)
        if (strcmp(cells->build[i], build) == 0)
            return i;
    if (cells->builds == CLI_BUILDS)
        return CLI_BUILDS - 1;
    snprintf(cells->build[cells->builds], CLI_ORIGIN, "%s", build);
    return cells->builds++;
}

static bool is_of_these_data(const cli_cells *cells, const char *dataset, const char *data)
{
    char origin[CLI_ORIGIN];
    const cli_dataset *d = cli_sources_dataset(cells->sources, dataset);
    if (!d)
        return false;
    cli_dataset_origin(d, cells->with_labels, origin);
    return strcmp(origin, data) == 0;
}

/* Takes in one line, or passes it over. */
static int take_line(const char *line, unsigned number, cli_cells *cells)
{
    cli_cell c = {.build = 0};
    char data[CLI_ORIGIN], build[CLI_ORIGIN], end = 0;
    if (sscanf(line, "%15[^,],%15[^,],%47[^,],%15[^,],%" SCNu64 ",%lf,%63[^,],%63[^,\n]%c",
               c.dataset, c.metric, c.method, c.parameter, &c.seed, &c.value, data, build,
               &end) != 9 ||
        end != '\n') {
        fprintf(stderr, "privdpr: %s:%u: expected a line as in \"%.*s\", found another\n",
                cells->path, number, (int)sizeof header - 2, header);
        return CLI_INPUT;
    }
    if (!is_of_these_data(cells, c.dataset, data)) {
        cells->other_data++;
        return CLI_OK;
    }
    bool own = strcmp(build, cells->sources->program) == 0;
    cells->other_build += !own;
    if (!own && !cells->sources->any_build)
        return CLI_OK;
    c.build = build_number(cells, build);
    return put(cells, &c) ? CLI_OK : no_memory();
}

static int take_in(FILE *file, cli_cells *cells)
{
    char line[512];
    int code = CLI_OK;
    for (unsigned number = 1; code == CLI_OK && fgets(line, sizeof line, file); number++) {
        size_t length = strlen(line);
        if (line[length - 1] != '\n' && feof(file))
            break; /* cut short */
        if (number > 1) {
            code = take_line(line, number, cells);
        } else if (strcmp(line, header) != 0) {
            fprintf(
                stderr,
                "privdpr: %s:1: expected \"%.*s\", found another heading; move the file away or "
                "give another --out\n",
                cells->path, (int)sizeof header - 2, header);
            return CLI_INPUT;
        }
        cells->whole = ftell(file);
    }
    fseek(file, 0, SEEK_END);
    cells->length = ftell(file);
    return code == CLI_OK && ferror(file) ? cannot(cells->path, "cannot read") : code;
}

int cli_cells_open(const char *path, const cli_sources *sources, bool with_labels, cli_cells *out)
{
    int code = CLI_OK;
    cli_cells cells = {.sources = sources, .with_labels = with_labels};
    FILE *file = fopen(path, "r");
    snprintf(cells.path, sizeof cells.path, "%s", path);
    build_number(&cells, sources->program); /* 0 */
    if (!file && errno != ENOENT)
        return cannot(path, "cannot open");
    if (file) {
        code = take_in(file, &cells);
        fclose(file);
    }
    if (code != CLI_OK)
        cli_cells_close(&cells);
    else
        *out = cells;
    return code;
}

/* Two that add to one file would write over each other: it is locked, and must be as it was read.
 */
static int take_hold(const cli_cells *cells)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat info;
    int file = fileno(cells->file);
    if (fcntl(file, F_SETLK, &all) != 0)
        return cannot(cells->path, "cannot lock, another call may be at work on it");
    if (fstat(file, &info) != 0 || info.st_size != cells->length) {
        fprintf(stderr, "privdpr: %s: another call has added to it: call again\n", cells->path);
        return CLI_FAILED;
    }
    return CLI_OK;
}

int cli_cells_start(cli_cells *cells)
{
    int file = open(cells->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    cells->file = file >= 0 ? fdopen(file, "r+") : NULL;
    if (!cells->file)
        return cannot(cells->path, "cannot open");
    int code = take_hold(cells);
    if (code == CLI_OK &&
        (fseek(cells->file, cells->whole, SEEK_SET) != 0 || ftruncate(file, cells->whole) != 0 ||
         (cells->whole == 0 && fputs(header, cells->file) < 0) || fflush(cells->file) != 0))
        code = cannot(cells->path, "cannot write");
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
        char origin[CLI_ORIGIN];
        cli_dataset_origin(cli_sources_dataset(cells->sources, run[i].dataset), cells->with_labels,
                           origin);
        if (!put(cells, &run[i]))
            return no_memory();
        fprintf(cells->file, "%s,%s,%s,%s,%" PRIu64 ",%.17g,%s,%s\n", run[i].dataset, run[i].metric,
                run[i].method, run[i].parameter, run[i].seed, run[i].value, origin,
                cells->sources->program);
    }
    return fflush(cells->file) != 0 || ferror(cells->file) ? cannot(cells->path, "cannot write")
                                                           : CLI_OK;
}

/* ---------------------------------------------------------------- the summary */

static bool row_is_of(const cli_summary_row *row, const cli_cell *cell)
{
    return !row->paper && strcmp(row->dataset, cell->dataset) == 0 &&
           strcmp(row->metric, cell->metric) == 0 && strcmp(row->method, cell->method) == 0 &&
           strcmp(row->parameter, cell->parameter) == 0;
}

/* Mean and deviation over the values that are defined, and the build that made them. */
static void finish_row(cli_summary_row *row, const cli_cells *cells)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < cells->count; i++) {
        if (!row_is_of(row, &cells->cell[i]))
            continue;
        const char *build = cells->build[cells->cell[i].build];
        row->build = !row->build || row->build == build ? build : "several";
        if (!isnan(cells->cell[i].value)) {
            sum += cells->cell[i].value;
            row->runs++;
        }
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
    cli_summary_row row = {.paper = true, .sd = NAN, .build = ""};
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
