/* From lines to pairs of node numbers, in parallel.
 *
 * A block of lines is cut into pieces at line ends. The pieces' lines are counted first, which
 * gives each piece its line numbers (for exact messages) and its place in the output, then parsed.
 * A line that is nothing but two numbers takes the fast path: eight digits are converted at once in
 * one 64-bit word, by adding neighbours with weights 10, 100 and 10000. All other lines go through
 * the grammar in edge_line.c.
 *
 * Ids that are not declared and exceed 32 bits, and texts, are put through a table one block after
 * another; the parsing stays parallel. A file whose ids turn out wide has the ids collected so far
 * put through the table and the current block parsed again; so has a file of numbers in which one
 * begins with a zero, whose ids are then texts of digits.
 *
 * Cost: O(bytes) time; 8 bytes per pair, and per line of the current block 16 bytes more if a table
 * is needed. Of several bad lines the first is reported, for any number of threads. */
#include "graph/io.h"
#include "base/found_text.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "digits are read as little-endian words");

/* A text id of the current block. */
typedef struct {
    uint32_t start, length; /* from the start of the block */
} slice;

typedef struct pdpr_i_piece {
    char *start, *end;
    uint64_t lines, first_line;
    uint64_t slot;   /* its first pair in the block's output */
    uint64_t count;  /* pairs found */
    uint64_t max_id; /* NARROW */
    bool more_columns, failed;
    pdpr_i_ids wanted; /* another kind of ids than the file's: failed only for want of it */
} piece;

/* The output of the current block; which array is used depends on the kind of ids. */
typedef struct {
    pdpr_i_edges *edges;
    char *start;      /* of the block */
    uint32_t *narrow; /* [2 * lines] RANGE, NARROW, LISTED */
    uint64_t *wide;   /* [2 * lines] WIDE */
    slice *text;      /* [2 * lines] TEXT */
} block_work;

void pdpr_i_edges_clear(pdpr_i_edges *edges)
{
    for (uint64_t i = 0; i < edges->num_blocks; i++)
        pdpr_free(edges->block[i].pairs);
    pdpr_free(edges->block);
    pdpr_free(edges->piece);
    pdpr_i_id_table_free(edges->table);
    *edges = (pdpr_i_edges){0};
}

/* ---------------------------------------------------------------- the fast path */

/* Bytes that are digits become 0..9; of any other byte the top bit is set in `other` (carries go
 * upwards only, so the lowest such bit is right). The digits are then moved to the top of the word,
 * zeros coming in below, where they count as leading zeros. */
static inline const char *take_digits(const char *at, uint64_t *value)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    word ^= 0x3030303030303030u;
    uint64_t other = ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
    if (other) {
        unsigned bits = (unsigned)__builtin_ctzll(other) - 7; /* 8 per digit */
        word = word << 1 << (63 - bits);
        word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ffu;
        word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffffu;
        *value = (uint32_t)(word * 10000 + (word >> 32));
        return at + bits / 8;
    }
    uint64_t long_value = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        long_value = 10 * long_value + (uint64_t)(*at - '0');
    *value = long_value;
    return at;
}

const char *pdpr_i_take_digits(const char *at, uint64_t *value)
{
    return take_digits(at, value);
}

/* Takes lines of two numbers in range from `at` on; stops at the first other line, or at the end.
 */
static char *parse_fast(const pdpr_i_edges *edges, piece *p, char *at, uint32_t *out)
{
    enum { SURE_DIGITS = 19 }; /* always below 2^64 */
    const char separator = edges->separator, second = separator == ' ' ? '\t' : separator;
    const uint64_t first = edges->first, limit = edges->limit;
    uint64_t largest = p->max_id, count = p->count;

    while (at < p->end) {
        uint64_t u, v;
        const char *middle = take_digits(at, &u);
        if (middle == at || middle - at > SURE_DIGITS || (*at == '0' && middle - at > 1) ||
            (*middle != separator && *middle != second))
            break;
        const char *stop = take_digits(++middle, &v);
        if (stop == middle || stop - middle > SURE_DIGITS || (*middle == '0' && stop - middle > 1))
            break;
        if (*stop == '\r')
            stop++;
        if (*stop != '\n')
            break;
        u -= first; /* ids below first wrap around to large numbers */
        v -= first;
        if (u >= limit || v >= limit)
            break;
        largest = u > largest ? u : largest;
        largest = v > largest ? v : largest;
        out[2 * count] = (uint32_t)u;
        out[2 * count + 1] = (uint32_t)v;
        count++;
        at += stop + 1 - at;
    }
    p->max_id = largest;
    p->count = count;
    return at;
}

/* ---------------------------------------------------------------- every other line */

static pdpr_status fail_range(const pdpr_i_edges *edges, uint64_t line, pdpr_i_token id,
                              pdpr_error *err)
{
    char text[PDPR_I_FOUND_TEXT];
    const char *found = pdpr_i_found(text, id.start, id.length);
    uint64_t number;
    if (pdpr_i_id_is_padded(id))
        return pdpr_i_fail_at(err, PDPR_EINPUT, edges->name, line,
                              "expected a node id without leading zeros, as the nodes are declared "
                              "as a range of numbers, found %s",
                              found);
    if (pdpr_i_id_read(id, &number) == PDPR_I_ID_NUMBER) { /* digits need no quotes */
        snprintf(text, sizeof text, "%" PRIu64, number);
        found = text;
    }
    if (edges->first == 0)
        return pdpr_i_fail_at(err, PDPR_EINPUT, edges->name, line,
                              "expected a node id below %" PRIu64 ", found %s", edges->limit,
                              found);
    return pdpr_i_fail_at(err, PDPR_EINPUT, edges->name, line,
                          "expected a node id in %" PRIu64 "..%" PRIu64 ", found %s", edges->first,
                          edges->first + (edges->limit - 1), found);
}

static pdpr_status fail_unlisted(const pdpr_i_edges *edges, uint64_t line, pdpr_i_token id,
                                 pdpr_error *err)
{
    char found[PDPR_I_FOUND_TEXT];
    pdpr_i_found(found, id.start, id.length);
    return pdpr_i_fail_at(err, PDPR_EINPUT, edges->name, line,
                          "expected a node listed in %s, found %s", edges->list_name, found);
}

static pdpr_status fail_for_want(piece *p, pdpr_i_ids ids)
{
    p->wanted = ids;
    return PDPR_EINPUT;
}

/* The 32-bit number of an id: RANGE, NARROW, LISTED. */
static pdpr_status take_narrow(const pdpr_i_edges *edges, piece *p, uint64_t line, pdpr_i_token id,
                               uint32_t *out, pdpr_error *err)
{
    uint64_t number = 0;
    bool padded = pdpr_i_id_is_padded(id);
    bool is_number = !padded && pdpr_i_id_read(id, &number) == PDPR_I_ID_NUMBER;

    if (edges->ids == PDPR_I_IDS_LISTED) {
        int64_t node = PDPR_I_NO_NODE;
        if (edges->table->texts)
            node = pdpr_i_id_table_find_text(edges->table, id);
        else if (is_number)
            node = pdpr_i_id_table_find_number(edges->table, number);
        if (node == PDPR_I_NO_NODE)
            return fail_unlisted(edges, line, id, err);
        *out = (uint32_t)node;
        return PDPR_OK;
    }
    if (edges->ids == PDPR_I_IDS_RANGE) {
        if (!is_number || number - edges->first >= edges->limit)
            return fail_range(edges, line, id, err);
        *out = (uint32_t)(number - edges->first);
        return PDPR_OK;
    }
    if (padded)
        return fail_for_want(p, PDPR_I_IDS_TEXT);
    if (!is_number)
        return pdpr_i_fail_id(edges->name, line, id, err);
    if (number > UINT32_MAX)
        return fail_for_want(p, PDPR_I_IDS_WIDE);
    if (number > p->max_id)
        p->max_id = number;
    *out = (uint32_t)number;
    return PDPR_OK;
}

static pdpr_status take_id(const block_work *w, piece *p, uint64_t line, pdpr_i_token id,
                           uint64_t at, pdpr_error *err)
{
    const pdpr_i_edges *edges = w->edges;

    uint64_t number;

    if (edges->ids == PDPR_I_IDS_WIDE) {
        if (pdpr_i_id_is_padded(id))
            return fail_for_want(p, PDPR_I_IDS_TEXT);
        if (pdpr_i_id_read(id, &w->wide[at]) != PDPR_I_ID_NUMBER)
            return pdpr_i_fail_id(edges->name, line, id, err);
        return PDPR_OK;
    }
    if (edges->ids != PDPR_I_IDS_TEXT)
        return take_narrow(edges, p, line, id, &w->narrow[at], err);
    if (edges->only_digits && !pdpr_i_id_is_padded(id) &&
        pdpr_i_id_read(id, &number) != PDPR_I_ID_NUMBER)
        return pdpr_i_fail_id(edges->name, line, id, err);
    if (!pdpr_i_id_is_writable(id.start, id.length))
        return pdpr_i_fail_text_id(edges->name, line, id, err);
    w->text[at] = (slice){(uint32_t)(id.start - w->start), (uint32_t)id.length};
    return PDPR_OK;
}

pdpr_status pdpr_i_edges_check_comment(const pdpr_i_edges *edges, const pdpr_i_line *line,
                                       pdpr_error *err)
{
    uint64_t num_nodes = edges->ids == PDPR_I_IDS_RANGE    ? edges->limit
                         : edges->ids == PDPR_I_IDS_LISTED ? edges->table->count
                                                           : 0;
    return edges->header
               ? pdpr_i_edge_header_check_late(edges->header, num_nodes, edges->name, line, err)
               : PDPR_OK;
}

/* One line by the full grammar; adds no pair for comments and blank lines. */
static pdpr_status parse_line(const block_work *w, piece *p, const pdpr_i_line *line,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_edges *edges = w->edges;
    pdpr_i_token id[2];

    PDPR_TRY(pdpr_i_check_line(edges->name, line, PDPR_I_MOST_LINE, err));
    if (pdpr_i_line_is_comment(line))
        return pdpr_i_edges_check_comment(edges, line, err);
    PDPR_TRY(pdpr_i_line_split(edges->name, line, edges->separator, id, &p->more_columns, err));
    uint64_t at = 2 * (p->slot + p->count);
    PDPR_TRY(take_id(w, p, line->number, id[0], at, err));
    PDPR_TRY(take_id(w, p, line->number, id[1], at + 1, err));
    p->count++;
done:
    return s;
}

static pdpr_status parse_piece(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    (void)worker;
    const block_work *w = arg;
    piece *p = &w->edges->piece[chunk];
    bool fast = w->edges->ids == PDPR_I_IDS_RANGE || w->edges->ids == PDPR_I_IDS_NARROW;
    uint64_t line_number = p->first_line;

    for (char *at = p->start; at < p->end;) {
        if (fast) {
            uint64_t before = p->count;
            at = parse_fast(w->edges, p, at, w->narrow + 2 * p->slot);
            line_number += p->count - before;
            if (at == p->end)
                break;
        }
        char *stop = memchr(at, '\n', (size_t)(p->end - at));
        pdpr_i_line line = {at, stop > at && stop[-1] == '\r' ? stop - 1 : stop, line_number++};
        pdpr_status s = parse_line(w, p, &line, err);
        if (s != PDPR_OK) {
            p->failed = true;
            return s;
        }
        at = stop + 1;
    }
    return PDPR_OK;
}

/* ---------------------------------------------------------------- blocks */

static pdpr_status count_piece(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    (void)worker, (void)err;
    piece *p = &((pdpr_i_edges *)arg)->piece[chunk];
    p->lines = pdpr_i_count_lines(p->start, p->end);
    return PDPR_OK;
}

/* Cuts the block into pieces at line ends and counts their lines. */
static pdpr_status cut(pdpr_i_edges *edges, const pdpr_i_lines *block, uint64_t *num_lines,
                       pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t most =
        pdpr_i_chunks((uint64_t)(block->end - block->start), edges->reading.piece_bytes);
    uint64_t lines = 0;

    if (most > edges->piece_capacity) {
        PDPR_TRY(pdpr_i_resize(edges->ctx, most, sizeof *edges->piece, "pieces of text",
                               &edges->piece, err));
        edges->piece_capacity = most;
    }
    edges->num_pieces = 0;
    for (char *at = block->start; at < block->end;) {
        char *stop = block->end;
        if ((size_t)(block->end - at) > edges->reading.piece_bytes) {
            stop = at + edges->reading.piece_bytes - 1;
            stop = (char *)memchr(stop, '\n', (size_t)(block->end - stop)) + 1;
        }
        edges->piece[edges->num_pieces++] = (piece){.start = at, .end = stop};
        at = stop;
    }
    PDPR_TRY(pdpr_i_parallel(edges->ctx, edges->num_pieces, count_piece, edges, err));
    for (uint64_t i = 0; i < edges->num_pieces; i++) {
        edges->piece[i].first_line = block->first_line + lines;
        edges->piece[i].slot = lines;
        lines += edges->piece[i].lines;
    }
    *num_lines = lines;
done:
    return s;
}

/* Slack (comments, blank lines) is given back when it is more than an eighth. */
pdpr_status pdpr_i_edges_keep(pdpr_i_edges *edges, uint32_t *pairs, uint64_t count, uint64_t room,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    if (count == 0)
        goto done;
    if (edges->num_blocks == edges->block_capacity) {
        uint64_t capacity = edges->block_capacity ? 2 * edges->block_capacity : 16;
        PDPR_TRY(pdpr_i_resize(edges->ctx, capacity, sizeof *edges->block, "blocks of edges",
                               &edges->block, err));
        edges->block_capacity = capacity;
    }
    if (room - count > room / 8)
        PDPR_TRY(pdpr_i_resize(edges->ctx, count, 2 * sizeof *pairs, "edges", &pairs, err));
    edges->block[edges->num_blocks++] = (pdpr_i_pairs){pairs, count};
    edges->num_pairs += count;
    pairs = NULL;
done:
    pdpr_free(pairs);
    return s;
}

/* Numbers the ids of a block of wide numbers or texts in the order of their lines. */
static pdpr_status look_up(const block_work *w, uint32_t *out, uint64_t *count, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_edges *edges = w->edges;
    uint64_t kept = 0;

    for (uint64_t i = 0; i < edges->num_pieces; i++) {
        const piece *p = &edges->piece[i];
        PDPR_TRY(pdpr_i_check_cancelled(edges->ctx, err));
        for (uint64_t k = 2 * p->slot; k < 2 * (p->slot + p->count); k++) {
            if (edges->ids == PDPR_I_IDS_WIDE) {
                PDPR_TRY(pdpr_i_id_table_add_number(edges->ctx, edges->table, w->wide[k],
                                                    &out[kept++], NULL, err));
            } else {
                pdpr_i_token id = {w->start + w->text[k].start, w->text[k].length};
                PDPR_TRY(pdpr_i_id_table_add_text(edges->ctx, edges->table, id, &out[kept++], NULL,
                                                  err));
            }
        }
    }
    *count = kept / 2;
done:
    return s;
}

/* Closes the gaps that comments and blank lines left between the pieces' pairs. */
static uint64_t close_gaps(const pdpr_i_edges *edges, uint32_t *pairs)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < edges->num_pieces; i++) {
        const piece *p = &edges->piece[i];
        if (p->slot != kept)
            memmove(pairs + 2 * kept, pairs + 2 * p->slot, p->count * 2 * sizeof *pairs);
        kept += p->count;
    }
    return kept;
}

pdpr_status pdpr_i_edges_widen(pdpr_i_edges *edges, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    PDPR_TRY(pdpr_i_id_table_new(edges->ctx, false, &edges->table, err));
    edges->ids = PDPR_I_IDS_WIDE;
    for (uint64_t i = 0; i < edges->num_blocks; i++) {
        uint32_t *pairs = edges->block[i].pairs;
        PDPR_TRY(pdpr_i_check_cancelled(edges->ctx, err));
        for (uint64_t k = 0; k < 2 * edges->block[i].count; k++)
            PDPR_TRY(pdpr_i_id_table_add_number(edges->ctx, edges->table, pairs[k], &pairs[k], NULL,
                                                err));
    }
done:
    return s;
}

/* From numbers to texts of their digits; the table keeps its order, so pairs through it stand. */
static pdpr_status numbers_to_texts(pdpr_i_edges *edges, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_id_table *texts = NULL;
    char digits[24];
    uint32_t ignored;

    if (edges->ids == PDPR_I_IDS_NARROW)
        PDPR_TRY(pdpr_i_edges_widen(edges, err));
    PDPR_TRY(pdpr_i_id_table_new(edges->ctx, true, &texts, err));
    for (uint32_t i = 0; i < edges->table->count; i++) {
        int length = snprintf(digits, sizeof digits, "%" PRIu64, edges->table->number[i]);
        PDPR_TRY(pdpr_i_id_table_add_text(edges->ctx, texts, (pdpr_i_token){digits, (size_t)length},
                                          &ignored, NULL, err));
    }
    pdpr_i_id_table_free(edges->table);
    edges->table = texts;
    texts = NULL;
    edges->ids = PDPR_I_IDS_TEXT;
    edges->only_digits = true;
    pdpr_i_notice(edges->ctx,
                  "%s: some ids begin with a zero, so ids are texts: 007 and 7 are two nodes",
                  edges->name);
done:
    pdpr_i_id_table_free(texts);
    return s;
}

/* Parses the pieces once; *again tells that the ids proved to be of another kind and the block is
 * to be parsed anew. */
static pdpr_status parse_pieces(pdpr_i_edges *edges, const pdpr_i_lines *block, uint64_t num_lines,
                                bool *again, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    block_work w = {.edges = edges, .start = block->start};
    uint64_t count = 0;

    *again = false;
    for (uint64_t i = 0; i < edges->num_pieces; i++) {
        edges->piece[i].count = edges->piece[i].max_id = 0;
        edges->piece[i].failed = false;
        edges->piece[i].wanted = edges->ids;
    }
    if (edges->ids == PDPR_I_IDS_WIDE)
        PDPR_TRY(pdpr_i_alloc(edges->ctx, num_lines, 2 * sizeof *w.wide, "wide ids", &w.wide, err));
    else if (edges->ids == PDPR_I_IDS_TEXT)
        PDPR_TRY(pdpr_i_alloc(edges->ctx, num_lines, 2 * sizeof *w.text, "text ids", &w.text, err));
    else
        PDPR_TRY(
            pdpr_i_alloc(edges->ctx, num_lines, 2 * sizeof *w.narrow, "edges", &w.narrow, err));

    s = pdpr_i_parallel(edges->ctx, edges->num_pieces, parse_piece, &w, err);
    if (s == PDPR_EINPUT) { /* is the first bad line bad only for want of other ids? */
        uint64_t i = 0;
        while (!edges->piece[i].failed)
            i++;
        pdpr_i_ids wanted = edges->piece[i].wanted;
        *again = wanted != edges->ids;
        if (*again)
            s = wanted == PDPR_I_IDS_WIDE ? pdpr_i_edges_widen(edges, err)
                                          : numbers_to_texts(edges, err);
        goto done;
    }
    if (s != PDPR_OK)
        goto done;

    if (w.narrow) {
        count = close_gaps(edges, w.narrow);
    } else {
        PDPR_TRY(
            pdpr_i_alloc(edges->ctx, num_lines, 2 * sizeof *w.narrow, "edges", &w.narrow, err));
        PDPR_TRY(look_up(&w, w.narrow, &count, err));
    }
    for (uint64_t i = 0; i < edges->num_pieces; i++) {
        edges->more_columns |= edges->piece[i].more_columns;
        if (edges->piece[i].max_id > edges->max_id)
            edges->max_id = edges->piece[i].max_id;
    }
    uint32_t *pairs = w.narrow;
    w.narrow = NULL;
    s = pdpr_i_edges_keep(edges, pairs, count, num_lines, err);
done:
    pdpr_free(w.narrow);
    pdpr_free(w.wide);
    pdpr_free(w.text);
    return s;
}

pdpr_status pdpr_i_edges_add(pdpr_i_edges *edges, const pdpr_i_lines *block, uint64_t *num_lines,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    bool again = true;

    if (edges->ids == PDPR_I_IDS_TEXT && !edges->table)
        PDPR_TRY(pdpr_i_id_table_new(edges->ctx, true, &edges->table, err));
    PDPR_TRY(cut(edges, block, num_lines, err));
    while (again)
        PDPR_TRY(parse_pieces(edges, block, *num_lines, &again, err));
done:
    return s;
}

pdpr_status pdpr_i_edges_add_rest(pdpr_i_edges *edges, pdpr_i_text *text, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_lines block;
    uint64_t num_lines = 0;

    for (;;) {
        PDPR_TRY(pdpr_i_text_block(text, &block, err));
        if (block.start == block.end)
            break;
        PDPR_TRY(pdpr_i_edges_add(edges, &block, &num_lines, err));
        pdpr_i_text_passed(text, num_lines);
    }
done:
    return s;
}
