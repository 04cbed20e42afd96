/* The writers of text formats: edge list, METIS, Matrix Market.
 *
 * Lines follow the nodes' order, an undirected edge stands once with the smaller node first (in
 * Matrix Market: in the lower triangle, as its definition wants). An edge list declares its nodes
 * in the header, so that it reads back as the same graph: "# nodes: N", the range of ids if they do
 * not start at 0, and one "# node: NAME" line per node if they have names. Nothing else is written
 * that could tell about the run: no time, no program version.
 *
 * Cost: O(N + m); digits are written two at a time into the sink's buffer. */
#include "graph/io.h"

#include <stdarg.h>
#include <string.h>

enum { MOST_DIGITS = 20, ROWS_PER_CHECK = 1 << 12 };

typedef struct {
    pdpr_context *ctx;
    const pdpr_graph *g;
    pdpr_i_sink *sink;
    pdpr_i_names_view names;
} writing;

/* ---------------------------------------------------------------- numbers and names */

static char *put_number(char *at, uint64_t number)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    char digits[MOST_DIGITS], *from = digits + MOST_DIGITS;
    for (; number >= 100; number /= 100)
        memcpy(from -= 2, pairs + 2 * (number % 100), 2);
    if (number >= 10)
        memcpy(from -= 2, pairs + 2 * number, 2);
    else
        *--from = (char)('0' + number);
    size_t length = (size_t)(digits + MOST_DIGITS - from);
    memcpy(at, from, length);
    return at + length;
}

static uint64_t number_of(const pdpr_i_names_view *names, uint32_t u)
{
    return names->kind == PDPR_I_NAMES_SPARSE ? names->id[u] : names->first + u;
}

/* A text name, in quotes if it would not be read back otherwise. */
static pdpr_status put_text(writing *w, uint32_t u, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const char *text = w->names.text + w->names.start[u];
    size_t length = (size_t)(w->names.start[u + 1] - w->names.start[u]), done = 0;

    if (!pdpr_i_id_needs_quotes(text, length))
        return pdpr_i_sink_write(w->sink, text, length, err);
    PDPR_TRY(pdpr_i_sink_write(w->sink, "\"", 1, err));
    while (done < length) { /* up to and with the next quote, which is then doubled */
        const char *quote = memchr(text + done, '"', length - done);
        size_t part = quote ? (size_t)(quote + 1 - text) - done : length - done;
        PDPR_TRY(pdpr_i_sink_write(w->sink, text + done, part, err));
        if (quote)
            PDPR_TRY(pdpr_i_sink_write(w->sink, "\"", 1, err));
        done += part;
    }
    PDPR_TRY(pdpr_i_sink_write(w->sink, "\"", 1, err));
done:
    return s;
}

static pdpr_status put_name(writing *w, uint32_t u, char after, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    char *at;
    if (w->names.kind == PDPR_I_NAMES_TEXT) {
        PDPR_TRY(put_text(w, u, err));
        PDPR_TRY(pdpr_i_sink_write(w->sink, &after, 1, err));
    } else {
        PDPR_TRY(pdpr_i_sink_room(w->sink, MOST_DIGITS + 1, &at, err));
        at = put_number(at, number_of(&w->names, u));
        *at++ = after;
        pdpr_i_sink_put(w->sink, at);
    }
done:
    return s;
}

static pdpr_status put_line(writing *w, pdpr_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A short line of a header. */
static pdpr_status put_line(writing *w, pdpr_error *err, const char *format, ...)
{
    char text[128];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return pdpr_i_sink_write(w->sink, text, (size_t)length, err);
}

static pdpr_status check_row(writing *w, uint32_t u, pdpr_error *err)
{
    if (u % ROWS_PER_CHECK != 0)
        return PDPR_OK;
    pdpr_i_progress(w->ctx, "writing", u, w->g->num_nodes);
    return pdpr_i_check_cancelled(w->ctx, err);
}

/* ---------------------------------------------------------------- edge list */

static pdpr_status put_edge_header(writing *w, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_graph *g = w->g;
    if (w->names.kind == PDPR_I_NAMES_NUMBERED && w->names.first && g->num_nodes)
        PDPR_TRY(put_line(w, err, "# nodes: %" PRIu32 " (ids %" PRIu64 "..%" PRIu64 ")\n",
                          g->num_nodes, w->names.first, w->names.first + (g->num_nodes - 1)));
    else
        PDPR_TRY(put_line(w, err, "# nodes: %" PRIu32 "\n", g->num_nodes));
    PDPR_TRY(put_line(w, err, "# directed: %s\n", g->directed ? "yes" : "no"));
    if (w->names.kind == PDPR_I_NAMES_NUMBERED)
        goto done;
    for (uint32_t u = 0; u < g->num_nodes; u++) {
        PDPR_TRY(pdpr_i_sink_write(w->sink, "# node: ", 8, err));
        PDPR_TRY(put_name(w, u, '\n', err));
    }
done:
    return s;
}

/* A row whose ids are numbers: the source's digits are made once. */
static pdpr_status put_numbered_row(writing *w, uint32_t u, char separator, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_graph *g = w->g;
    char source[MOST_DIGITS + 1], *at;
    char *end = put_number(source, number_of(&w->names, u));
    *end++ = separator;
    size_t length = (size_t)(end - source);

    for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
        if (!g->directed && g->target[i] < u)
            continue;
        PDPR_TRY(pdpr_i_sink_room(w->sink, 2 * MOST_DIGITS + 2, &at, err));
        memcpy(at, source, length);
        at = put_number(at + length, number_of(&w->names, g->target[i]));
        *at++ = '\n';
        pdpr_i_sink_put(w->sink, at);
    }
done:
    return s;
}

pdpr_status pdpr_i_write_edge_list(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_sink *sink,
                                   const char *extension, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    writing w = {ctx, g, sink, pdpr_i_names_look(g->names)};
    char separator = strcmp(extension, "csv") == 0   ? ','
                     : strcmp(extension, "tsv") == 0 ? '\t'
                                                     : ' ';

    PDPR_TRY(put_edge_header(&w, err));
    for (uint32_t u = 0; u < g->num_nodes; u++) {
        PDPR_TRY(check_row(&w, u, err));
        if (w.names.kind != PDPR_I_NAMES_TEXT) {
            PDPR_TRY(put_numbered_row(&w, u, separator, err));
            continue;
        }
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
            if (g->directed || g->target[i] > u) {
                PDPR_TRY(put_name(&w, u, separator, err));
                PDPR_TRY(put_name(&w, g->target[i], '\n', err));
            }
    }
    pdpr_i_progress(ctx, "writing", g->num_nodes, g->num_nodes);
done:
    return s;
}

/* ---------------------------------------------------------------- METIS and Matrix Market */

/* Both number nodes from 1; other names are lost. */
static void warn_names(const writing *w, const char *format)
{
    if (w->names.kind != PDPR_I_NAMES_NUMBERED)
        pdpr_i_notice(w->ctx, "%s files hold no node names: nodes are written as 1..%" PRIu32,
                      format, w->g->num_nodes);
}

pdpr_status pdpr_i_write_metis(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_sink *sink,
                               const char *extension, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    writing w = {ctx, g, sink, pdpr_i_names_look(g->names)};
    char *at;
    (void)extension;

    if (g->directed) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "METIS files hold undirected graphs only; this one is directed");
        goto done;
    }
    warn_names(&w, "METIS");
    PDPR_TRY(put_line(&w, err, "%" PRIu32 " %" PRIu64 "\n", g->num_nodes, g->num_arcs / 2));
    for (uint32_t u = 0; u < g->num_nodes; u++) {
        PDPR_TRY(check_row(&w, u, err));
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
            PDPR_TRY(pdpr_i_sink_room(sink, MOST_DIGITS + 1, &at, err));
            if (i > g->offset[u])
                *at++ = ' ';
            pdpr_i_sink_put(sink, put_number(at, (uint64_t)g->target[i] + 1));
        }
        PDPR_TRY(pdpr_i_sink_write(sink, "\n", 1, err));
    }
    pdpr_i_progress(ctx, "writing", g->num_nodes, g->num_nodes);
done:
    return s;
}

pdpr_status pdpr_i_write_matrix_market(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_sink *sink,
                                       const char *extension, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    writing w = {ctx, g, sink, pdpr_i_names_look(g->names)};
    char *at;
    (void)extension;

    warn_names(&w, "Matrix Market");
    PDPR_TRY(put_line(&w, err, "%%%%MatrixMarket matrix coordinate pattern %s\n",
                      g->directed ? "general" : "symmetric"));
    PDPR_TRY(put_line(&w, err, "%" PRIu32 " %" PRIu32 " %" PRIu64 "\n", g->num_nodes, g->num_nodes,
                      pdpr_graph_num_edges(g)));
    for (uint32_t u = 0; u < g->num_nodes; u++) {
        PDPR_TRY(check_row(&w, u, err));
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
            uint64_t v = g->target[i];
            if (!g->directed && v < u)
                continue;
            PDPR_TRY(pdpr_i_sink_room(sink, 2 * MOST_DIGITS + 2, &at, err));
            at = put_number(at, g->directed ? (uint64_t)u + 1 : v + 1);
            *at++ = ' ';
            at = put_number(at, g->directed ? v + 1 : (uint64_t)u + 1);
            *at++ = '\n';
            pdpr_i_sink_put(sink, at);
        }
    }
    pdpr_i_progress(ctx, "writing", g->num_nodes, g->num_nodes);
done:
    return s;
}
