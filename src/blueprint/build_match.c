/* Building graphs: links that are still open find partners near them.
 *
 * Every open link gets a key near its node's place (build_strip.c); keys are sorted, and each link
 * takes the next one along the curve that it may take (no loop, no repeat). The spread of the keys
 * is the length of links: with a wide one this is the configuration model, with a narrow one
 * streets. What finds no partner within a window opens an existing edge nearby: x-y becomes a-x,
 * b-y, which keeps all degrees. Cost: O(m). */
#include "blueprint/build_parts.h"
#include "base/sort.h"

enum { WINDOW = 32, MOST_TRIES = 512 };

/* Open links as items (key, node), sorted. */
static uint64_t collect_open(pdpr_i_building *b)
{
    uint64_t items = 0;
    for (uint32_t u = 0; u < b->num_nodes; u++)
        for (uint32_t k = b->apart[u] ? 0 : pdpr_i_room(&b->rows, u); k > 0; k--)
            b->item[items++] = (uint64_t)pdpr_i_building_key(b, u) << 32 | u;
    pdpr_i_sort_by_high(b->item, b->scratch, items);
    return items;
}

/* Opens an edge near item `at` for the two ends a and b. Edges are looked for in windows that
 * double from time to time. */
static bool open_edge(pdpr_i_building *g, uint64_t items, uint64_t at, uint32_t a, uint32_t b)
{
    pdpr_i_rows *rows = &g->rows;
    uint64_t window = WINDOW;
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        if (tries % 8 == 7 && window < items)
            window *= 2;
        uint64_t low = at > window ? at - window : 0;
        uint64_t high = at + window < items ? at + window : items;
        uint32_t x = (uint32_t)g->item[low + pdpr_i_stream_below(g->random, high - low)];
        if (rows->length[x] == 0)
            continue;
        uint32_t y = pdpr_i_rows_neighbour(rows, x, g->random);
        if (x == a || x == b || y == a || y == b || pdpr_i_rows_has(rows, a, x) ||
            pdpr_i_rows_has(rows, b, y))
            continue;
        pdpr_i_rows_remove(rows, x, y);
        pdpr_i_rows_add(rows, a, x);
        pdpr_i_rows_add(rows, b, y);
        return true;
    }
    return false;
}

pdpr_status pdpr_i_build_match(pdpr_i_building *b, bool *complete, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_rows *rows = &b->rows;
    uint64_t items = collect_open(b), left = 0;
    bool *taken = NULL;

    *complete = true;
    PDPR_TRY(pdpr_i_zalloc(b->ctx, items, sizeof *taken, "open links", &taken, err));
    for (uint64_t i = 0; i < items; i++) {
        if (i % 65536 == 0) {
            PDPR_TRY(pdpr_i_check_cancelled(b->ctx, err));
            pdpr_i_progress(b->ctx, "building", 1, 0);
        }
        bool found = taken[i];
        for (uint64_t j = i + 1; !found && j < items && j <= i + WINDOW; j++) {
            found = !taken[j] && pdpr_i_rows_try(rows, (uint32_t)b->item[i], (uint32_t)b->item[j]);
            taken[j] |= found;
        }
        if (!found)
            b->scratch[left++] = i;
    }
    for (uint64_t k = 0; k + 1 < left && *complete; k += 2) {
        uint64_t at = b->scratch[k];
        uint32_t u = (uint32_t)b->item[at], v = (uint32_t)b->item[b->scratch[k + 1]];
        *complete = pdpr_i_rows_try(rows, u, v) || open_edge(b, items, at, u, v);
    }
done:
    pdpr_free(taken);
    return s;
}
