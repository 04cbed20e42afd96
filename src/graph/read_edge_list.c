/* The reader of edge lists: SNAP, KONECT, CSV, TSV and our own, one file of lines "id id".
 *
 * The comments at the head and the first data line decide everything: the number of nodes and their
 * ids (declared, listed, or those seen), the separator, numbers or texts, and whether the first
 * line is a heading of a table. Then all lines are collected in parallel (collect_edges.c),
 * numbered (number_nodes.c) and built into a graph.
 *
 * A first line of two texts is a heading if both are usual words of headings ("source,target"), or
 * if the second line has numbers; never if both are nodes of a given list. Above names it cannot be
 * told: the line is an edge, and a table, which often has a heading, gets a notice that says so.
 * Rules of the header: edge_header.c; of a line: edge_line.c. Cost: O(N + m), 8 bytes per line
 * beside the graph. */
#include "graph/io.h"
#include "base/found_text.h"

#include <string.h>

typedef struct {
    pdpr_context *ctx;
    const pdpr_load_options *options;
    pdpr_i_text *text;
    const char *name;
    pdpr_i_edge_header header;
    pdpr_i_edges edges;
    char *first; /* a copy of the first data line when it may be a heading */
} reading_state;

/* ---------------------------------------------------------------- the node set */

/* A given list (a vertex file, or the header's) becomes the table of nodes. */
static pdpr_status take_list(reading_state *r, const pdpr_i_reading *reading, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_edge_header *h = &r->header;
    const char *path = r->options->vertices_path;
    bool from_file = path != NULL;
    uint64_t declared = r->options->num_nodes;

    if (from_file)
        PDPR_TRY(pdpr_i_vertices_read(r->ctx, path, reading, &r->edges.table, err));
    else
        PDPR_TRY(pdpr_i_vertex_list_finish(r->ctx, &h->list, r->name, false, &r->edges.table, err));
    r->edges.ids = PDPR_I_IDS_LISTED;
    r->edges.list_name = from_file ? path : "the header";
    uint64_t count = r->edges.table->count;
    if (h->num_nodes && h->num_nodes != count) {
        s = pdpr_i_fail_at(err, PDPR_EINPUT, r->name, h->nodes_line,
                           "expected %" PRIu64 " nodes as listed in %s, found %" PRIu64, count,
                           r->edges.list_name, h->num_nodes);
        goto done;
    }
    PDPR_TRY(pdpr_i_check_num_nodes(r->ctx, from_file ? path : r->name, 0, count, declared, err));
done:
    return s;
}

/* Chooses how ids become nodes, as far as the head of the file and the caller say it. */
static pdpr_status choose_ids(reading_state *r, const pdpr_i_reading *reading, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_edge_header *h = &r->header;
    uint64_t declared = r->options->num_nodes;

    if (r->options->vertices_path || h->list.count) {
        PDPR_TRY(take_list(r, reading, err));
    } else if (h->num_nodes || declared) {
        uint64_t n = h->num_nodes ? h->num_nodes : declared;
        PDPR_TRY(pdpr_i_check_num_nodes(r->ctx, r->name, h->nodes_line, n, declared, err));
        r->edges.ids = PDPR_I_IDS_RANGE;
        r->edges.first = h->num_nodes ? h->first_id : h->konect ? 1 : 0;
        r->edges.limit = n;
    } else {
        r->edges.ids = PDPR_I_IDS_NARROW;
        r->edges.limit = (uint64_t)UINT32_MAX + 1;
    }
done:
    return s;
}

/* ---------------------------------------------------------------- the first data line */

static bool is_heading_word(pdpr_i_token id)
{
    static const char *const words[] = {
        "source",      "target",   "from",     "to",     "src",        "dst",      "dest",
        "destination", "node",     "node1",    "node2",  "node_1",     "node_2",   "nodea",
        "nodeb",       "id1",      "id2",      "id_1",   "id_2",       "vertex1",  "vertex2",
        "head",        "tail",     "start",    "end",    "fromnodeid", "tonodeid", "from_id",
        "to_id",       "user1",    "user2",    "caller", "callee",     "sender",   "receiver",
        "recipient",   "follower", "followee", "citing", "cited"};
    char lower[16];
    if (id.length >= sizeof lower)
        return false;
    for (size_t i = 0; i < id.length; i++)
        lower[i] =
            (char)(id.start[i] >= 'A' && id.start[i] <= 'Z' ? id.start[i] + 32 : id.start[i]);
    lower[id.length] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(lower, words[i]) == 0)
            return true;
    return false;
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Whether the line names the two ends of an edge, but elsewhere than in its first two columns
 * ("id,source,target"): read as it stands, it would give another graph. */
static bool heads_other_columns(const pdpr_i_line *line)
{
    uint32_t column = 0, words = 0, in_front = 0;
    for (char *at = line->start; at < line->end; column++) {
        while (at < line->end && !is_word_byte(*at))
            at++;
        char *from = at;
        while (at < line->end && is_word_byte(*at))
            at++;
        bool word = is_heading_word((pdpr_i_token){from, (size_t)(at - from)});
        words += word;
        in_front += word && column < 2;
    }
    return words >= 2 && in_front < 2;
}

/* Whether some field is a number, as a weight is: such a line is no heading. */
static bool holds_number(const char *at, const char *end, char separator)
{
    uint64_t number;
    for (const char *stop; at <= end; at = stop + 1) {
        stop = memchr(at, separator, (size_t)(end - at));
        stop = stop ? stop : end;
        if (pdpr_i_id_read((pdpr_i_token){at, (size_t)(stop - at)}, &number) != PDPR_I_ID_TEXT)
            return true;
    }
    return false;
}

/* Files of other kinds that would pass for lines of names. */
static pdpr_status refuse_other_formats(const reading_state *r, const pdpr_i_line *line,
                                        pdpr_error *err)
{
    char found[PDPR_I_FOUND_TEXT];
    size_t length = (size_t)(line->end - line->start);
    if (heads_other_columns(line))
        return pdpr_i_fail_at(err, PDPR_EINPUT, r->name, line->number,
                              "expected the ends of an edge in the first two columns, found the "
                              "heading %s",
                              pdpr_i_found(found, line->start, length));
    if (length > 0 && strchr("<{[", line->start[0]))
        return pdpr_i_fail_at(err, PDPR_EINPUT, r->name, line->number,
                              "expected an edge a line, two ids each, found %s: is it XML or JSON?",
                              pdpr_i_found(found, line->start, length));
    return PDPR_OK;
}

/* Kinds of the two ids of a line, and whether both are words of headings. The line is copied first:
 * splitting it takes the quotes off. */
static pdpr_status look_at(reading_state *r, const pdpr_i_line *line, pdpr_i_id_kind kind[2],
                           bool *heading_words, bool *listed, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    size_t length = (size_t)(line->end - line->start);
    pdpr_i_token id[2];
    pdpr_i_line copy = {.number = line->number};
    const pdpr_i_id_table *table = r->edges.table;
    uint64_t number;
    bool more = false;

    PDPR_TRY(pdpr_i_copy_text(r->ctx, line->start, length, &copy.start, err));
    copy.end = copy.start + length;
    PDPR_TRY(pdpr_i_line_split(r->name, &copy, r->edges.separator, id, &more, err));
    *heading_words = is_heading_word(id[0]) && is_heading_word(id[1]);
    *listed = table && table->texts;
    for (int i = 0; i < 2; i++) {
        kind[i] = pdpr_i_id_read(id[i], &number);
        *listed = *listed && pdpr_i_id_table_find_text(table, id[i]) != PDPR_I_NO_NODE;
    }
done:
    pdpr_free(copy.start);
    return s;
}

/* The next line that is no comment. */
static pdpr_status next_data_line(reading_state *r, bool in_header, pdpr_i_line *line, bool *more,
                                  pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    for (;;) {
        PDPR_TRY(pdpr_i_text_line(r->text, line, more, err));
        if (!*more || !pdpr_i_line_is_comment(line))
            break;
        if (in_header && line->end - line->start >= 14 &&
            memcmp(line->start, "%%MatrixMarket", 14) == 0) {
            s = pdpr_i_fail_at(err, PDPR_EINPUT, r->name, line->number,
                               "expected an edge list, found a Matrix Market file: give it the "
                               "ending .mtx");
            goto done;
        }
        if (in_header)
            PDPR_TRY(pdpr_i_edge_header_add(r->ctx, &r->header, r->name, line, err));
        else
            PDPR_TRY(pdpr_i_edges_check_comment(&r->edges, line, err));
    }
done:
    return s;
}

/* Decides between numbers and texts, for ids that are not declared. Numbers that are no ids ("-1")
 * are reported when the line is parsed. */
static void choose_kind(reading_state *r, const pdpr_i_id_kind kind[2])
{
    if (r->edges.ids == PDPR_I_IDS_NARROW &&
        (kind[0] == PDPR_I_ID_TEXT || kind[1] == PDPR_I_ID_TEXT))
        r->edges.ids = PDPR_I_IDS_TEXT;
}

/* Settles the first data line and leaves the text so that all edges are still to be read, save a
 * first line that was put into r->first for lack of a way back. */
static pdpr_status take_first_line(reading_state *r, pdpr_i_line line, pdpr_i_lines *kept,
                                   pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_id_kind kind[2], next_kind[2];
    bool words = false, listed = false, more = false, ignored;
    size_t length = (size_t)(line.end - line.start);
    char found[PDPR_I_FOUND_TEXT];
    pdpr_i_line next;

    r->edges.separator = pdpr_i_line_separator(&line);
    PDPR_TRY(look_at(r, &line, kind, &words, &listed, err));
    bool texts = kind[0] == PDPR_I_ID_TEXT && kind[1] == PDPR_I_ID_TEXT;
    bool texts_listed = r->edges.table && r->edges.table->texts;
    if (!texts || listed || (texts_listed && !words)) {
        pdpr_i_text_unread(r->text, &line);
        choose_kind(r, kind);
        goto done;
    }

    PDPR_TRY(refuse_other_formats(r, &line, err));
    pdpr_i_found(found, line.start, length);
    PDPR_TRY(
        pdpr_i_alloc(r->ctx, length + 1 + PDPR_I_TEXT_PADDING, 1, "first line", &r->first, err));
    memcpy(r->first, line.start, length);
    memset(r->first + length, '\n', 1 + PDPR_I_TEXT_PADDING);
    PDPR_TRY(next_data_line(r, false, &next, &more, err));
    if (more) {
        PDPR_TRY(look_at(r, &next, next_kind, &ignored, &ignored, err));
        pdpr_i_text_unread(r->text, &next);
        bool numbers = next_kind[0] != PDPR_I_ID_TEXT && next_kind[1] != PDPR_I_ID_TEXT;
        if (words || (numbers && !texts_listed)) {
            pdpr_i_notice(r->ctx, "%s:%" PRIu64 ": the line %s is taken for a heading and skipped",
                          r->name, line.number, found);
            choose_kind(r, next_kind);
            goto done;
        }
    }
    choose_kind(r, kind);
    if (r->edges.ids == PDPR_I_IDS_TEXT && r->edges.separator != ' ' &&
        !holds_number(r->first, r->first + length, r->edges.separator))
        pdpr_i_notice(r->ctx,
                      "%s:%" PRIu64
                      ": the first line is taken for an edge between two names; if it "
                      "is a heading, put # before it",
                      r->name, line.number);
    *kept = (pdpr_i_lines){r->first, r->first + length + 1, line.number};
done:
    return s;
}

/* ---------------------------------------------------------------- the whole file */

static void give_notices(const reading_state *r, const pdpr_load_info *info)
{
    if (info->weights_ignored)
        pdpr_i_notice(r->ctx, "%s: columns after the second (weights, times) are ignored", r->name);
    if (r->header.said_edges && r->header.said_edges != info->arcs_read)
        pdpr_i_notice(r->ctx, "%s: found another number of edges than its header says",
                      r->name); /* both are private (P-26) */
}

static pdpr_status read_all(reading_state *r, const pdpr_i_reading *reading, pdpr_graph **out,
                            pdpr_load_info *info, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_line line;
    pdpr_i_lines kept = {NULL, NULL, 0};
    pdpr_i_names *names = NULL;
    uint32_t num_nodes = 0;
    uint64_t ignored;
    bool more = false, directed = true;

    PDPR_TRY(next_data_line(r, true, &line, &more, err));
    PDPR_TRY(choose_ids(r, reading, err));
    if (more) {
        PDPR_TRY(take_first_line(r, line, &kept, err));
        if (kept.start)
            PDPR_TRY(pdpr_i_edges_add(&r->edges, &kept, &ignored, err));
        PDPR_TRY(pdpr_i_edges_add_rest(&r->edges, r->text, err));
    }
    info->lines = pdpr_i_text_lines_read(r->text);
    bool open = r->edges.ids != PDPR_I_IDS_RANGE && r->edges.ids != PDPR_I_IDS_LISTED;
    if (open && r->edges.num_pairs == 0 && r->header.said_nodes == 0) {
        s = pdpr_i_fail_at(err, PDPR_EINPUT, r->name, 0,
                           "expected edges, or a line \"# nodes: N\" or a declared number of "
                           "nodes, found %s",
                           info->lines ? "no edge" : "an empty file");
        goto done;
    }
    PDPR_TRY(pdpr_i_edges_number(&r->edges, r->header.said_nodes, &num_nodes, &names,
                                 &info->nodes_declared, err));
    if (r->header.counted && !r->options->num_nodes && !r->options->vertices_path)
        info->nodes_declared = false;
    if (r->options->direction == PDPR_DIRECTION_UNDIRECTED)
        directed = false;
    else if (r->header.directed_said)
        directed = r->header.directed;
    PDPR_TRY(pdpr_i_edges_build(&r->edges, num_nodes, names, directed, out, info, err));
    give_notices(r, info);
done:
    pdpr_i_names_release(names);
    return s;
}

pdpr_status pdpr_i_read_edge_list(pdpr_context *ctx, pdpr_i_source *source,
                                  const pdpr_load_options *options, const pdpr_i_reading *reading,
                                  pdpr_graph **out, pdpr_load_info *info, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    reading_state r = {.ctx = ctx, .options = options};

    PDPR_TRY(pdpr_i_text_open(ctx, source, reading, PDPR_I_MOST_LINE, &r.text, err));
    r.name = pdpr_i_text_name(r.text);
    r.edges.ctx = ctx;
    r.edges.name = r.name;
    r.edges.reading = *reading;
    r.edges.header = &r.header;
    PDPR_TRY(read_all(&r, reading, out, info, err));
done:
    pdpr_i_edges_clear(&r.edges);
    pdpr_i_edge_header_clear(&r.header);
    pdpr_free(r.first);
    pdpr_i_text_close(r.text);
    return s;
}
