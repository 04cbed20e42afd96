/* The reader of METIS graph files (Karypis and Kumar, METIS manual, section 4.1.1).
 *
 *   n m [fmt [ncon]]              the first line that is no comment ('%')
 *   [size] [weights] v [w] v [w]  row i lists the neighbours of node i, 1-based; a blank line is
 *                                 a node without any
 * fmt has up to three digits 0 or 1: vertex sizes, vertex weights (ncon of them, one if not said),
 * edge weights. All of these are skipped with a notice. Every edge stands in two rows, so there
 * are 2m entries; rows, entries, range and symmetry are checked.
 *
 * Rows are parsed one after another, as a row's node follows from the rows before it; a number
 * costs a few nanoseconds (take_digits). The entries are built as arcs; once symmetry is known,
 * these rows are the undirected graph. Nothing of size n is allocated before n rows were read, so
 * a header that lies costs nothing. Cost: O(n + m), 16 bytes per edge beside the graph. */
#include "graph/io.h"
#include "base/found_text.h"

#include <string.h>

/* A hub's row is long; 1 GB would be a hundred million neighbours. */
enum { MOST_ROW = 1 << 30, PAIRS_PER_BLOCK = 1 << 18, ROWS_PER_CHECK = 1 << 14 };

typedef struct {
    pdpr_context *ctx;
    pdpr_i_text *text;
    const char *name;
    uint64_t num_nodes, num_edges, header_line;
    uint64_t skip;     /* numbers before the neighbours of a row */
    bool edge_weights; /* a number after each neighbour */
    pdpr_i_edges edges;
    uint32_t *pairs; /* [2 * PAIRS_PER_BLOCK] being filled */
    uint64_t count;
} metis;

static bool is_comment(const pdpr_i_line *line)
{
    return line->start < line->end && *line->start == '%';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

static pdpr_i_token take_token(const char **at, const char *end)
{
    const char *start = *at = skip_blanks(*at, end);
    while (*at < end && **at != ' ' && **at != '\t')
        ++*at;
    return (pdpr_i_token){start, (size_t)(*at - start)};
}

/* ---------------------------------------------------------------- the header */

static pdpr_status fail_header(const metis *m, const pdpr_i_line *line, pdpr_error *err)
{
    char found[PDPR_I_FOUND_TEXT];
    return pdpr_i_fail_at(err, PDPR_EINPUT, m->name, line->number,
                          "expected \"nodes edges [fmt [ncon]]\", found %s",
                          pdpr_i_found(found, line->start, (size_t)(line->end - line->start)));
}

static pdpr_status read_header(metis *m, const pdpr_load_options *options, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_line line;
    bool more = false, flag[3] = {false, false, false}; /* sizes, vertex weights, edge weights */
    uint64_t weights = 1;

    do
        PDPR_TRY(pdpr_i_text_line(m->text, &line, &more, err));
    while (more && (is_comment(&line) || skip_blanks(line.start, line.end) == line.end));
    if (!more) {
        s = pdpr_i_fail_at(err, PDPR_EINPUT, m->name, 0,
                           "expected a METIS header, found an empty file");
        goto done;
    }
    const char *at = line.start;
    pdpr_i_token nodes = take_token(&at, line.end), edges = take_token(&at, line.end);
    pdpr_i_token format = take_token(&at, line.end), ncon = take_token(&at, line.end);
    if (pdpr_i_id_read(nodes, &m->num_nodes) != PDPR_I_ID_NUMBER ||
        pdpr_i_id_read(edges, &m->num_edges) != PDPR_I_ID_NUMBER || format.length > 3 ||
        (ncon.length && pdpr_i_id_read(ncon, &weights) != PDPR_I_ID_NUMBER) ||
        take_token(&at, line.end).length) {
        s = fail_header(m, &line, err);
        goto done;
    }
    for (size_t i = 0; i < format.length; i++) {
        char digit = format.start[i];
        if (digit != '0' && digit != '1') {
            s = fail_header(m, &line, err);
            goto done;
        }
        flag[3 - format.length + i] = digit == '1';
    }
    m->skip = (flag[0] ? 1 : 0) + (flag[1] ? weights : 0);
    m->edge_weights = flag[2];
    m->header_line = line.number;
    PDPR_TRY(pdpr_i_check_num_nodes(m->ctx, m->name, line.number, m->num_nodes, options->num_nodes,
                                    err));
    if (m->num_nodes > pdpr_i_text_length(m->text))
        s = pdpr_i_fail_at(err, PDPR_EINPUT, m->name, line.number,
                           "expected %" PRIu64 " rows, found a file of fewer bytes", m->num_nodes);
done:
    return s;
}

/* ---------------------------------------------------------------- rows */

static pdpr_status add_entry(metis *m, uint32_t u, uint32_t v, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    if (m->count == PAIRS_PER_BLOCK) {
        uint32_t *full = m->pairs;
        m->pairs = NULL;
        m->count = 0;
        PDPR_TRY(pdpr_i_edges_keep(&m->edges, full, PAIRS_PER_BLOCK, PAIRS_PER_BLOCK, err));
    }
    if (!m->pairs)
        PDPR_TRY(
            pdpr_i_alloc(m->ctx, PAIRS_PER_BLOCK, 2 * sizeof *m->pairs, "edges", &m->pairs, err));
    m->pairs[2 * m->count] = u;
    m->pairs[2 * m->count + 1] = v;
    m->count++;
done:
    return s;
}

static pdpr_status skip_weight(const metis *m, uint64_t line, const char **at, const char *end,
                               pdpr_error *err)
{
    char found[PDPR_I_FOUND_TEXT];
    uint64_t number;
    pdpr_i_token token = take_token(at, end);
    if (pdpr_i_id_read(token, &number) == PDPR_I_ID_TEXT)
        return pdpr_i_fail_at(err, PDPR_EINPUT, m->name, line, "expected a weight, found %s",
                              token.length ? pdpr_i_found(found, token.start, token.length)
                                           : "the end of the row");
    return PDPR_OK;
}

static pdpr_status fail_neighbour(const metis *m, uint64_t line, const char *at, const char *end,
                                  pdpr_error *err)
{
    char found[PDPR_I_FOUND_TEXT];
    pdpr_i_token token = take_token(&at, end);
    return pdpr_i_fail_at(err, PDPR_EINPUT, m->name, line,
                          "expected a node id in 1..%" PRIu64 ", found %s", m->num_nodes,
                          pdpr_i_found(found, token.start, token.length));
}

static pdpr_status read_row(metis *m, uint32_t u, const pdpr_i_line *line, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    enum { SURE_DIGITS = 19 };
    const char *at = line->start;
    uint64_t id;

    for (uint64_t i = 0; i < m->skip; i++)
        PDPR_TRY(skip_weight(m, line->number, &at, line->end, err));
    while ((at = skip_blanks(at, line->end)) < line->end) {
        const char *stop = pdpr_i_take_digits(at, &id);
        if (stop == at || stop - at > SURE_DIGITS || id - 1 >= m->num_nodes ||
            (stop < line->end && *stop != ' ' && *stop != '\t')) {
            s = fail_neighbour(m, line->number, at, line->end, err);
            goto done;
        }
        at = stop;
        PDPR_TRY(add_entry(m, u, (uint32_t)(id - 1), err));
        if (m->edge_weights)
            PDPR_TRY(skip_weight(m, line->number, &at, line->end, err));
    }
done:
    return s;
}

static pdpr_status read_rows(metis *m, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_line line;
    uint64_t rows = 0, entries;
    bool more = false;
    char found[PDPR_I_FOUND_TEXT];

    for (;;) {
        PDPR_TRY(pdpr_i_text_line(m->text, &line, &more, err));
        if (!more)
            break;
        if (is_comment(&line))
            continue;
        if (rows == m->num_nodes) {
            if (skip_blanks(line.start, line.end) == line.end)
                continue;
            s = pdpr_i_fail_at(err, PDPR_EINPUT, m->name, line.number,
                               "expected the end after %" PRIu64 " rows, found %s", rows,
                               pdpr_i_found(found, line.start, (size_t)(line.end - line.start)));
            goto done;
        }
        if (rows % ROWS_PER_CHECK == 0)
            PDPR_TRY(pdpr_i_check_cancelled(m->ctx, err));
        PDPR_TRY(read_row(m, (uint32_t)rows++, &line, err));
    }
    if (rows != m->num_nodes) {
        s = pdpr_i_fail_at(err, PDPR_EINPUT, m->name, m->header_line,
                           "expected %" PRIu64 " rows, found %" PRIu64, m->num_nodes, rows);
        goto done;
    }
    entries = m->edges.num_pairs + m->count;
    if (m->num_edges > UINT64_MAX / 2 || entries != 2 * m->num_edges) /* both private (P-26) */
        s = pdpr_i_fail_at(err, PDPR_EINPUT, m->name, m->header_line,
                           "expected as many edges as it says here, each in two rows, found "
                           "another number");
done:
    return s;
}

/* Each arc must have its other half; the rows are then those of an undirected graph. */
static pdpr_status check_symmetry(const metis *m, const pdpr_graph *g, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t u = 0, v = 0;
    bool lone = false;
    PDPR_TRY(pdpr_i_graph_lone_arc(m->ctx, g, &lone, &u, &v, err));
    if (lone)
        s = pdpr_i_fail_at(err, PDPR_EINPUT, m->name, 0,
                           "expected row %" PRIu32 " to list node %" PRIu32 ", as row %" PRIu32
                           " lists node %" PRIu32,
                           v + 1, u + 1, u + 1, v + 1);
done:
    return s;
}

pdpr_status pdpr_i_read_metis(pdpr_context *ctx, pdpr_i_source *source,
                              const pdpr_load_options *options, const pdpr_i_reading *reading,
                              pdpr_graph **out, pdpr_load_info *info, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    metis m = {.ctx = ctx, .edges = {.ctx = ctx}};
    pdpr_graph *g = NULL;
    pdpr_i_names *names = NULL;

    PDPR_TRY(pdpr_i_text_open(ctx, source, reading, MOST_ROW, &m.text, err));
    m.name = pdpr_i_text_name(m.text);
    PDPR_TRY(read_header(&m, options, err));
    PDPR_TRY(read_rows(&m, err));
    uint32_t *last = m.pairs;
    m.pairs = NULL;
    PDPR_TRY(pdpr_i_edges_keep(&m.edges, last, m.count, PAIRS_PER_BLOCK, err));
    PDPR_TRY(pdpr_i_names_numbered(ctx, 1, &names, err));
    PDPR_TRY(pdpr_i_edges_build(&m.edges, (uint32_t)m.num_nodes, names, true, &g, info, err));
    PDPR_TRY(check_symmetry(&m, g, err));
    g->directed = false;
    info->lines = pdpr_i_text_lines_read(m.text);
    info->nodes_declared = true;
    info->weights_ignored = m.skip > 0 || m.edge_weights;
    if (info->weights_ignored)
        pdpr_i_notice(ctx, "%s: weights are ignored", m.name);
    *out = g;
    g = NULL;
done:
    pdpr_graph_free(g);
    pdpr_i_names_release(names);
    pdpr_free(m.pairs);
    pdpr_i_edges_clear(&m.edges);
    pdpr_i_text_close(m.text);
    return s;
}
