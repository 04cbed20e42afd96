/* What the comments at the head of an edge list declare.
 *
 * Declarations stand above the first line that is no comment. Below it they are errors, unless they
 * repeat what was said above. `#` and `%` are the same unless said. In order:
 *   % sym … / % asym … / % bip …   on line 1: KONECT. Ids start at 1; sym is undirected; bip has
 *                                  two node sets and is refused. A later "% m n [n]" gives the
 *                                  lines, and ids 1..n. n counts the nodes that occur, so it is a
 *                                  fact about the edges and no declaration of a public number.
 *   # Nodes: n Edges: m            SNAP. n counts the nodes that occur, likewise, and ids may go
 *                                  beyond it, so it is N only if all ids turn out to lie below n;
 *                                  otherwise the nodes are the ids seen, and a notice says so.
 *   # nodes: N                     declares N; ids are 0..N-1, or A..B if " (ids A..B" follows and
 *                                  that range has N ids.
 *   # node: NAME                   lists one node, after "# nodes:"; all N must be listed then, and
 *                                  their order is the nodes' order.
 *   # directed: yes / no           and SNAP's "# Undirected graph".
 * One word behind "nodes:" or "directed:" that is none of these is an error, so that a declaration
 * is never passed over; several words are prose, as is any other comment. Words are compared
 * without regard to case. Cost: O(length). */
#include "graph/io.h"
#include "base/found_text.h"

#include <string.h>

void pdpr_i_edge_header_clear(pdpr_i_edge_header *header)
{
    pdpr_i_vertex_list_clear(&header->list);
}

/* ---------------------------------------------------------------- words and numbers */

typedef struct {
    char *at, *end;
} cursor;

static void skip_spaces(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
        c->at++;
}

/* Takes `word` (lower case) if it stands here. */
static bool take_word(cursor *c, const char *word)
{
    char *at = c->at;
    for (; *word; word++, at++)
        if (at == c->end || (*at >= 'A' && *at <= 'Z' ? *at + 32 : *at) != *word)
            return false;
    c->at = at;
    return true;
}

/* The same, if no letter or digit follows. */
static bool take_whole_word(cursor *c, const char *word)
{
    cursor try = *c;
    if (!take_word(&try, word))
        return false;
    if (try.at < try.end &&
        ((*try.at >= '0' && *try.at <= '9') || (*try.at >= 'a' && *try.at <= 'z') ||
         (*try.at >= 'A' && *try.at <= 'Z')))
        return false;
    *c = try;
    return true;
}

/* Takes decimal digits below 2^64. */
static bool take_number(cursor *c, uint64_t *out)
{
    char *stop = c->at;
    while (stop < c->end && *stop >= '0' && *stop <= '9')
        stop++;
    if (stop == c->at ||
        pdpr_i_id_read((pdpr_i_token){c->at, (size_t)(stop - c->at)}, out) != PDPR_I_ID_NUMBER)
        return false;
    c->at = stop;
    return true;
}

static bool at_digit(const cursor *c)
{
    return c->at < c->end && *c->at >= '0' && *c->at <= '9';
}

/* Nothing, or a sentence: no value of a declaration, right or wrong. */
static bool at_prose(cursor c)
{
    if (c.at == c.end)
        return true;
    while (c.at < c.end && *c.at != ' ' && *c.at != '\t')
        c.at++;
    skip_spaces(&c);
    return c.at < c.end;
}

/* ---------------------------------------------------------------- the number of nodes */

pdpr_status pdpr_i_check_num_nodes(pdpr_context *ctx, const char *name, uint64_t line,
                                   uint64_t num_nodes, uint64_t declared, pdpr_error *err)
{
    if (num_nodes == 0)
        return pdpr_i_fail_at(err, PDPR_EINPUT, name, line, "expected at least one node, found 0");
    if (num_nodes > PDPR_I_MOST_NODES)
        return pdpr_i_fail_at(err, PDPR_EINPUT, name, line,
                              "expected at most %" PRIu32 " nodes, found %" PRIu64,
                              (uint32_t)PDPR_I_MOST_NODES, num_nodes);
    if (declared && declared != num_nodes)
        return pdpr_i_fail_at(err, PDPR_EINPUT, name, line,
                              "expected %" PRIu64 " nodes as declared, found %" PRIu64, declared,
                              num_nodes);
    return pdpr_i_check_memory(ctx, 2 * (num_nodes + 1) * sizeof(uint64_t), "graph offsets", err);
}

static pdpr_status declare(pdpr_i_edge_header *header, const char *name, uint64_t line, uint64_t n,
                           uint64_t first, pdpr_error *err)
{
    if (header->num_nodes && header->num_nodes != n)
        return pdpr_i_fail_at(err, PDPR_EINPUT, name, line,
                              "expected %" PRIu64 " nodes as on line %" PRIu64 ", found %" PRIu64,
                              header->num_nodes, header->nodes_line, n);
    if (n == 0)
        return pdpr_i_fail_at(err, PDPR_EINPUT, name, line, "expected at least one node, found 0");
    header->num_nodes = n;
    header->nodes_line = line;
    header->first_id = first;
    header->counted = false;
    return PDPR_OK;
}

/* Behind "nodes:". */
static pdpr_status take_nodes(pdpr_i_edge_header *header, const char *name, uint64_t line, cursor c,
                              pdpr_error *err)
{
    uint64_t n = 0, m = 0, low = 0, high = 0;
    char found[PDPR_I_FOUND_TEXT];
    skip_spaces(&c);
    cursor digits = c, unsigned_digits = c;
    unsigned_digits.at += c.at < c.end && (*c.at == '+' || *c.at == '-');
    if (!at_digit(&unsigned_digits) && at_prose(c))
        return PDPR_OK;
    bool number = take_number(&c, &n);
    cursor behind = c;
    skip_spaces(&c);
    if (number && take_word(&c, "edges:")) { /* SNAP */
        skip_spaces(&c);
        header->said_nodes = n;
        header->said_edges = take_number(&c, &m) ? m : 0;
        return PDPR_OK;
    }
    bool ends =
        behind.at == behind.end || behind.at < c.at || *behind.at == '(' || *behind.at == ';';
    if (!number || !ends)
        return pdpr_i_fail_at(err, PDPR_EINPUT, name, line,
                              "expected the number of nodes in decimal digits, found %s",
                              pdpr_i_found(found, digits.at, (size_t)(digits.end - digits.at)));
    if (take_word(&c, "(ids") && (skip_spaces(&c), take_number(&c, &low)) && take_word(&c, "..") &&
        take_number(&c, &high) && high >= low && high - low == n - 1)
        return declare(header, name, line, n, low, err);
    return declare(header, name, line, n, 0, err);
}

/* ---------------------------------------------------------------- lines */

/* "% sym …" on the first line; *known tells whether it was one of the three. */
static pdpr_status take_konect(pdpr_i_edge_header *header, const char *name, cursor c, bool *known,
                               pdpr_error *err)
{
    *known = true;
    if (take_whole_word(&c, "bip"))
        return pdpr_i_fail_at(err, PDPR_EINPUT, name, 1,
                              "expected a KONECT graph with one node set (sym or asym), found bip");
    if (take_whole_word(&c, "sym"))
        header->directed = false;
    else if (take_whole_word(&c, "asym"))
        header->directed = true;
    else
        *known = false;
    header->konect = header->directed_said = *known;
    return PDPR_OK;
}

/* "% m n [n]"; any other comment is passed over. */
static pdpr_status take_konect_sizes(pdpr_i_edge_header *header, const char *name, uint64_t line,
                                     cursor c, pdpr_error *err)
{
    uint64_t value[4], count = 0;
    while (count < 4 && take_number(&c, &value[count])) {
        count++;
        skip_spaces(&c);
    }
    if (c.at != c.end || count == 0 || count > 3)
        return PDPR_OK;
    header->said_edges = value[0];
    if (count == 3 && value[1] != value[2])
        return pdpr_i_fail_at(err, PDPR_EINPUT, name, line,
                              "expected one node set, found two of %" PRIu64 " and %" PRIu64
                              " nodes",
                              value[1], value[2]);
    if (count == 1)
        return PDPR_OK;
    bool declared = header->num_nodes && !header->counted;
    pdpr_status s = declare(header, name, line, value[1], 1, err);
    header->counted = !declared;
    return s;
}

static pdpr_status take_directed(pdpr_i_edge_header *header, const char *name, uint64_t line,
                                 cursor c, pdpr_error *err)
{
    char found[PDPR_I_FOUND_TEXT];
    skip_spaces(&c);
    bool yes = take_whole_word(&c, "yes"), no = !yes && take_whole_word(&c, "no");
    if (!yes && !no && !at_prose(c))
        return pdpr_i_fail_at(err, PDPR_EINPUT, name, line,
                              "expected directed: yes or no, found %s",
                              pdpr_i_found(found, c.at, (size_t)(c.end - c.at)));
    if (yes || no) {
        header->directed_said = true;
        header->directed = yes;
    }
    return PDPR_OK;
}

pdpr_status pdpr_i_edge_header_add(pdpr_context *ctx, pdpr_i_edge_header *header, const char *name,
                                   const pdpr_i_line *line, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    cursor c = {line->start, line->end};
    bool percent, known = false;
    pdpr_i_token id;

    skip_spaces(&c);
    if (c.at == c.end)
        return PDPR_OK;
    percent = *c.at++ == '%';
    skip_spaces(&c);
    if (percent && line->number == 1) {
        PDPR_TRY(take_konect(header, name, c, &known, err));
        if (known)
            goto done;
    }
    if (percent && header->konect && at_digit(&c)) {
        s = take_konect_sizes(header, name, line->number, c, err);
    } else if (take_word(&c, "nodes:")) {
        s = take_nodes(header, name, line->number, c, err);
    } else if (take_word(&c, "node:") && header->num_nodes) {
        pdpr_i_line rest = {c.at, c.end, line->number};
        PDPR_TRY(pdpr_i_line_single(name, &rest, &id, err));
        s = pdpr_i_vertex_list_add(ctx, &header->list, id, line->number, err);
    } else if (take_word(&c, "directed:")) {
        s = take_directed(header, name, line->number, c, err);
    } else if (take_word(&c, "undirected graph")) {
        header->directed_said = true;
        header->directed = false;
    }
done:
    return s;
}

pdpr_status pdpr_i_edge_header_check_late(const pdpr_i_edge_header *header, uint64_t num_nodes,
                                          const char *name, const pdpr_i_line *line,
                                          pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_edge_header late = {0};
    cursor c = {line->start, line->end};
    char found[PDPR_I_FOUND_TEXT];

    skip_spaces(&c);
    cursor comment = c;
    c.at += c.at < c.end;
    skip_spaces(&c);
    if (take_word(&c, "nodes:"))
        PDPR_TRY(take_nodes(&late, name, line->number, c, err));
    else if (take_word(&c, "directed:"))
        PDPR_TRY(take_directed(&late, name, line->number, c, err));
    bool same_direction = header->directed_said && header->directed == late.directed;
    bool other_ids = late.num_nodes && header->num_nodes && late.first_id != header->first_id;
    if ((late.num_nodes && late.num_nodes != num_nodes) || other_ids ||
        (late.directed_said && !same_direction))
        s = pdpr_i_fail_at(
            err, PDPR_EINPUT, name, line->number,
            "expected declarations above the first line that is no comment, found %s",
            pdpr_i_found(found, comment.at, (size_t)(comment.end - comment.at)));
done:
    return s;
}
