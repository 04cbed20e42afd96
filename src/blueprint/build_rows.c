/* Building graphs: the graph under construction, and swaps on it.
 *
 * Rows have the room of their final degrees, in one array. "Is u-v there?" scans the shorter row
 * while it fits a cache line and asks a hash set otherwise; the set holds edges between two long
 * rows only, which are few in sparse graphs (open addressing, linear probing, deletion by moving
 * back). Common neighbours stamp the shorter row and read the longer, or ask for each node of the
 * shorter when the other is a hub: the cost is O(d_u + d_v) or O(min(d_u, d_v)).
 *
 * Invariant: u stands in row v as often as v in row u, once or never; length[u] never exceeds the
 * degree that the rows were made for. */
#include "blueprint/build_parts.h"

#include <assert.h>
#include <string.h>

enum { SHORT_ROW = 16, HUB_RATIO = 8 };

static bool is_long(const pdpr_i_rows *rows, uint32_t u)
{
    return rows->start[u + 1] - rows->start[u] > SHORT_ROW;
}

/* ---------------------------------------------------------------- set of edges */

static uint64_t edge_number(uint32_t u, uint32_t v) /* never 0, since u != v */
{
    return u < v ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;
}

static uint64_t home_slot(const pdpr_i_rows *rows, uint64_t number)
{
    return (number * UINT64_C(0x9E3779B97F4A7C15)) >> 24 & rows->mask;
}

/* The slot that holds the number, or the free one where it would go. */
static uint64_t find_slot(const pdpr_i_rows *rows, uint64_t number)
{
    uint64_t at = home_slot(rows, number);
    while (rows->slot[at] != 0 && rows->slot[at] != number)
        at = (at + 1) & rows->mask;
    return at;
}

/* Later members of the run move back into the gap unless they would pass their home. */
static void free_slot(pdpr_i_rows *rows, uint64_t gap)
{
    for (uint64_t at = (gap + 1) & rows->mask; rows->slot[at] != 0; at = (at + 1) & rows->mask) {
        uint64_t home = home_slot(rows, rows->slot[at]);
        if (((at - home) & rows->mask) >= ((at - gap) & rows->mask)) {
            rows->slot[gap] = rows->slot[at];
            gap = at;
        }
    }
    rows->slot[gap] = 0;
}

/* ---------------------------------------------------------------- rows */

pdpr_status pdpr_i_rows_init(pdpr_context *ctx, const uint32_t *degree, uint32_t num_nodes,
                             pdpr_i_rows *rows, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t sum = 0, long_sum = 0, slots = 16;
    pdpr_i_rows r = {.num_nodes = num_nodes};

    PDPR_TRY(pdpr_i_alloc(ctx, (uint64_t)num_nodes + 1, sizeof *r.start, "rows", &r.start, err));
    for (uint32_t u = 0; u < num_nodes; u++) {
        r.start[u] = sum;
        sum += degree[u];
        long_sum += degree[u] > SHORT_ROW ? degree[u] : 0;
    }
    r.start[num_nodes] = sum;
    while (slots < long_sum) /* at most long_sum / 2 edges: the set stays half empty */
        slots *= 2;
    r.mask = slots - 1;
    PDPR_TRY(pdpr_i_zalloc(ctx, num_nodes, sizeof *r.length, "rows", &r.length, err));
    PDPR_TRY(pdpr_i_alloc(ctx, sum, sizeof *r.entry, "rows", &r.entry, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, num_nodes, sizeof *r.stamp, "rows", &r.stamp, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, slots, sizeof *r.slot, "set of edges", &r.slot, err));
    *rows = r;
    r = (pdpr_i_rows){0};
done:
    pdpr_i_rows_clear(&r);
    return s;
}

void pdpr_i_rows_clear(pdpr_i_rows *rows)
{
    pdpr_free(rows->start);
    pdpr_free(rows->length);
    pdpr_free(rows->entry);
    pdpr_free(rows->stamp);
    pdpr_free(rows->slot);
    *rows = (pdpr_i_rows){0};
}

void pdpr_i_rows_empty(pdpr_i_rows *rows, const bool *kept)
{
    uint64_t entries = 0;
    memset(rows->slot, 0, (rows->mask + 1) * sizeof *rows->slot);
    for (uint32_t u = 0; u < rows->num_nodes; u++) {
        if (!kept[u])
            rows->length[u] = 0;
        entries += rows->length[u];
        for (uint32_t i = 0; is_long(rows, u) && i < rows->length[u]; i++) {
            uint32_t v = pdpr_i_row(rows, u)[i];
            if (v < u && is_long(rows, v)) {
                uint64_t number = edge_number(u, v);
                rows->slot[find_slot(rows, number)] = number;
            }
        }
    }
    rows->num_edges = entries / 2;
}

bool pdpr_i_rows_has(const pdpr_i_rows *rows, uint32_t u, uint32_t v)
{
    if (is_long(rows, u) && is_long(rows, v))
        return rows->slot[find_slot(rows, edge_number(u, v))] != 0;
    if (rows->start[u + 1] - rows->start[u] > rows->start[v + 1] - rows->start[v]) {
        uint32_t t = u;
        u = v;
        v = t;
    }
    const uint32_t *row = pdpr_i_row(rows, u);
    for (uint32_t i = 0; i < rows->length[u]; i++)
        if (row[i] == v)
            return true;
    return false;
}

void pdpr_i_rows_add(pdpr_i_rows *rows, uint32_t u, uint32_t v)
{
    assert(u != v && pdpr_i_room(rows, u) > 0 && pdpr_i_room(rows, v) > 0);
    rows->entry[rows->start[u] + rows->length[u]++] = v;
    rows->entry[rows->start[v] + rows->length[v]++] = u;
    if (is_long(rows, u) && is_long(rows, v)) {
        uint64_t number = edge_number(u, v);
        rows->slot[find_slot(rows, number)] = number;
    }
    rows->num_edges++;
}

static void drop_entry(pdpr_i_rows *rows, uint32_t u, uint32_t v)
{
    uint32_t *row = rows->entry + rows->start[u], i = 0;
    while (row[i] != v)
        i++;
    assert(i < rows->length[u]);
    row[i] = row[--rows->length[u]];
}

void pdpr_i_rows_remove(pdpr_i_rows *rows, uint32_t u, uint32_t v)
{
    drop_entry(rows, u, v);
    drop_entry(rows, v, u);
    if (is_long(rows, u) && is_long(rows, v))
        free_slot(rows, find_slot(rows, edge_number(u, v)));
    rows->num_edges--;
}

bool pdpr_i_rows_try(pdpr_i_rows *rows, uint32_t u, uint32_t v)
{
    if (u == v || !pdpr_i_room(rows, u) || !pdpr_i_room(rows, v) || pdpr_i_rows_has(rows, u, v))
        return false;
    pdpr_i_rows_add(rows, u, v);
    return true;
}

uint32_t pdpr_i_rows_neighbour(const pdpr_i_rows *rows, uint32_t u, pdpr_i_stream *random)
{
    return pdpr_i_row(rows, u)[pdpr_i_stream_below(random, rows->length[u])];
}

/* ---------------------------------------------------------------- triangles */

uint32_t pdpr_i_rows_next_stamp(pdpr_i_rows *rows)
{
    if (++rows->now == 0) { /* once in 2^32 calls */
        memset(rows->stamp, 0, rows->num_nodes * sizeof *rows->stamp);
        rows->now = 1;
    }
    return rows->now;
}

uint64_t pdpr_i_rows_common(pdpr_i_rows *rows, uint32_t u, uint32_t v)
{
    uint64_t found = 0;
    if (rows->length[u] > rows->length[v]) {
        uint32_t t = u;
        u = v;
        v = t;
    }
    const uint32_t *shorter = pdpr_i_row(rows, u), *longer = pdpr_i_row(rows, v);
    uint32_t n = rows->length[u];
    if (rows->length[v] / HUB_RATIO > n) {
        for (uint32_t i = 0; i < n; i++)
            found += shorter[i] != v && pdpr_i_rows_has(rows, shorter[i], v);
        return found;
    }
    uint32_t now = pdpr_i_rows_next_stamp(rows);
    for (uint32_t i = 0; i < n; i++)
        rows->stamp[shorter[i]] = now;
    for (uint32_t i = 0; i < rows->length[v]; i++)
        found += rows->stamp[longer[i]] == now;
    return found;
}

/* u before v: by row length, then by number. Every triangle is found once, at its last node, whose
 * earlier neighbours are stamped (Chiba and Nishizeki 1985). */
static bool comes_before(const pdpr_i_rows *rows, uint32_t u, uint32_t v)
{
    return rows->length[u] != rows->length[v] ? rows->length[u] < rows->length[v] : u < v;
}

uint64_t pdpr_i_rows_triangles(pdpr_i_rows *rows)
{
    uint64_t found = 0;
    for (uint32_t u = 0; u < rows->num_nodes; u++) {
        const uint32_t *row = pdpr_i_row(rows, u);
        uint32_t now = pdpr_i_rows_next_stamp(rows);
        for (uint32_t i = 0; i < rows->length[u]; i++)
            rows->stamp[row[i]] = now;
        for (uint32_t i = 0; i < rows->length[u]; i++) {
            uint32_t v = row[i];
            if (!comes_before(rows, v, u))
                continue;
            const uint32_t *other = pdpr_i_row(rows, v);
            for (uint32_t j = 0; j < rows->length[v]; j++)
                found += rows->stamp[other[j]] == now && comes_before(rows, other[j], v);
        }
    }
    return found;
}

/* ---------------------------------------------------------------- swaps */

bool pdpr_i_swap_is_possible(const pdpr_i_rows *rows, const pdpr_i_swap *swap)
{
    return swap->a != swap->b && swap->a != swap->d && swap->c != swap->b && swap->c != swap->d &&
           !pdpr_i_rows_has(rows, swap->a, swap->b) && !pdpr_i_rows_has(rows, swap->c, swap->d);
}

/* No triangle holds both old edges, nor both new ones, since the four nodes are different. A common
 * neighbour of a new pair counts unless it stands there through an old edge: a-d makes d one of
 * a, b (through b-d) and a one of c, d (through a-c); b-c likewise. */
int64_t pdpr_i_swap_change(pdpr_i_rows *rows, const pdpr_i_swap *swap)
{
    int64_t lost = (int64_t)pdpr_i_rows_common(rows, swap->a, swap->c) +
                   (int64_t)pdpr_i_rows_common(rows, swap->b, swap->d);
    int64_t gained = (int64_t)pdpr_i_rows_common(rows, swap->a, swap->b) +
                     (int64_t)pdpr_i_rows_common(rows, swap->c, swap->d);
    gained -=
        2 * pdpr_i_rows_has(rows, swap->a, swap->d) + 2 * pdpr_i_rows_has(rows, swap->b, swap->c);
    return gained - lost;
}

void pdpr_i_swap_make(pdpr_i_rows *rows, const pdpr_i_swap *swap)
{
    pdpr_i_rows_remove(rows, swap->a, swap->c);
    pdpr_i_rows_remove(rows, swap->b, swap->d);
    pdpr_i_rows_add(rows, swap->a, swap->b);
    pdpr_i_rows_add(rows, swap->c, swap->d);
}
