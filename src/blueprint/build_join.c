/* Building graphs: components that nobody asked for are joined to the largest.
 *
 * A stray component gives an edge a-b, the largest gives an edge c-e that lies on a cycle (every
 * edge outside a spanning forest does): a-c and b-e take their place, and all hangs together with
 * the degrees as before. Where the largest has no cycle left but the stray has one, the stray's
 * edge is the one taken from a cycle. Two trees cannot be joined without changing a degree: they
 * stay apart. Among the next edges along the curve one outside any triangle is preferred, so that
 * the triangle count hardly moves and links stay short. A stray with several cycles brings new ones
 * for the next pass. Cost: O(m) a pass; several passes only for graphs that are nearly trees. */
#include "blueprint/build_parts.h"
#include "base/sort.h"
#include "base/union_find.h"

enum { MOST_PASSES = 16, CHOICES = 24, MOST_TRIES = 64 };
static const uint32_t none = UINT32_MAX;

typedef struct {
    uint32_t from, to;
} edge;

typedef struct {
    pdpr_i_building *b;
    uint32_t *parent;   /* [N]: union-find */
    uint32_t *size;     /* [N]: nodes below a root */
    edge *stray;        /* [N]: by root: one edge of the component, on a cycle if it has one */
    bool *has_cycle;    /* [N]: by root */
    edge *outside;      /* [m]: edges outside the spanning forest */
    uint64_t outsiders; /* how many */
    uint32_t *next;     /* [m + 1]: by order along the curve: the next one not used yet */
    uint64_t free;      /* outsiders of the largest; b->item has them sorted, (place, number) */
    uint32_t largest;   /* root */
} joining;

static bool takes_part(const pdpr_i_building *b, uint32_t u)
{
    return !b->apart[u] && b->rows.length[u] > 0;
}

/* A spanning forest and the edges outside it. Returns the number of components. */
static uint64_t span(joining *j)
{
    const pdpr_i_building *b = j->b;
    const pdpr_i_rows *rows = &b->rows;
    uint64_t components = 0;

    j->outsiders = 0;
    for (uint32_t u = 0; u < b->num_nodes; u++) {
        j->parent[u] = u;
        j->size[u] = 1;
        components += takes_part(b, u);
    }
    for (uint32_t u = 0; u < b->num_nodes; u++)
        for (uint32_t i = 0; takes_part(b, u) && i < rows->length[u]; i++) {
            uint32_t v = pdpr_i_row(rows, u)[i];
            if (v > u)
                continue;
            uint32_t ru = pdpr_i_find_root(j->parent, u), rv = pdpr_i_find_root(j->parent, v);
            if (ru == rv) {
                j->outside[j->outsiders++] = (edge){u, v};
                continue;
            }
            if (j->size[ru] < j->size[rv]) {
                uint32_t t = ru;
                ru = rv;
                rv = t;
            }
            j->parent[rv] = ru;
            j->size[ru] += j->size[rv];
            components--;
        }
    return components;
}

/* Finds the largest component, sorts its outsiders along the curve, and gives every stray an
 * edge. */
static void sort_out(joining *j)
{
    pdpr_i_building *b = j->b;

    j->largest = none;
    for (uint32_t u = 0; u < b->num_nodes; u++) {
        j->stray[u] = (edge){none, none};
        j->has_cycle[u] = false;
        if (takes_part(b, u) && j->parent[u] == u &&
            (j->largest == none || j->size[u] > j->size[j->largest]))
            j->largest = u;
    }
    j->free = 0;
    for (uint64_t k = 0; k < j->outsiders; k++) {
        edge e = j->outside[k];
        uint32_t root = pdpr_i_find_root(j->parent, e.from);
        if (root == j->largest) {
            b->item[j->free++] = (uint64_t)b->place[e.from] << 32 | k;
        } else {
            j->stray[root] = e;
            j->has_cycle[root] = true;
        }
    }
    pdpr_i_sort_by_high(b->item, b->scratch, j->free);
    for (uint64_t k = 0; k <= j->free; k++)
        j->next[k] = (uint32_t)k;
    for (uint32_t u = 0; u < b->num_nodes; u++) {
        uint32_t root = pdpr_i_find_root(j->parent, u);
        if (takes_part(b, u) && j->stray[root].from == none)
            j->stray[root] = (edge){u, pdpr_i_row(&b->rows, u)[0]};
    }
}

/* First outsider of the largest at or after a place. */
static uint32_t first_at(const joining *j, uint32_t place)
{
    uint64_t low = 0, high = j->free;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (j->b->item[middle] >> 32 < place)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

/* An unused outsider of the largest near the place, in the fewest triangles; false if none is
 * left. It counts as used from then on. */
static bool choose_outsider(joining *j, uint32_t place, edge *chosen)
{
    uint32_t end = (uint32_t)j->free, at = pdpr_i_find_root(j->next, first_at(j, place)),
             best = end;
    uint64_t least = UINT64_MAX;

    for (int k = 0; k < CHOICES && least > 0; k++) {
        if (at == end)
            at = pdpr_i_find_root(j->next, 0); /* from the start of the curve again */
        if (at == end)
            break;
        edge e = j->outside[(uint32_t)j->b->item[at]];
        uint64_t triangles = pdpr_i_rows_common(&j->b->rows, e.from, e.to);
        if (triangles < least) {
            least = triangles;
            best = at;
            *chosen = e;
        }
        at = pdpr_i_find_root(j->next, at + 1);
    }
    if (best == end)
        return false;
    j->next[best] = best + 1;
    return true;
}

/* Any edge of the largest, by chance; false if luck is out. */
static bool choose_any(joining *j, edge *chosen)
{
    pdpr_i_building *b = j->b;
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        uint32_t u = (uint32_t)pdpr_i_stream_below(b->random, b->num_nodes);
        if (takes_part(b, u) && pdpr_i_find_root(j->parent, u) == j->largest) {
            *chosen = (edge){u, pdpr_i_rows_neighbour(&b->rows, u, b->random)};
            return true;
        }
    }
    return false;
}

/* One pass over the strays; returns how many were joined. */
static uint64_t join_strays(joining *j)
{
    pdpr_i_building *b = j->b;
    uint64_t joined = 0;

    for (uint32_t r = 0; r < b->num_nodes; r++) {
        edge stray = j->stray[r], partner = {none, none};
        if (stray.from == none || r == j->largest)
            continue;
        if (!choose_outsider(j, b->place[stray.from], &partner) &&
            !(j->has_cycle[r] && choose_any(j, &partner)))
            continue;
        pdpr_i_swap swap = {.a = stray.from, .c = stray.to, .b = partner.from, .d = partner.to};
        b->triangles += (uint64_t)pdpr_i_swap_change(&b->rows, &swap);
        pdpr_i_swap_make(&b->rows, &swap);
        joined++;
    }
    return joined;
}

pdpr_status pdpr_i_build_join(pdpr_i_building *b, uint64_t *components, uint64_t *joined,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    joining j = {.b = b};
    uint32_t n = b->num_nodes;
    uint64_t m = b->rows.num_edges, left = 0, all = 0;

    PDPR_TRY(pdpr_i_alloc(b->ctx, n, sizeof *j.parent, "components", &j.parent, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, n, sizeof *j.size, "components", &j.size, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, n, sizeof *j.stray, "components", &j.stray, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, n, sizeof *j.has_cycle, "components", &j.has_cycle, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, m, sizeof *j.outside, "edges on cycles", &j.outside, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, m + 1, sizeof *j.next, "edges on cycles", &j.next, err));
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        PDPR_TRY(pdpr_i_check_cancelled(b->ctx, err));
        left = span(&j);
        if (left <= 1)
            break;
        sort_out(&j);
        uint64_t now = join_strays(&j);
        all += now;
        left -= now;
        if (now == 0 || left == 1)
            break;
    }
    *components = left;
    *joined = all;
done:
    pdpr_free(j.parent);
    pdpr_free(j.size);
    pdpr_free(j.stray);
    pdpr_free(j.has_cycle);
    pdpr_free(j.outside);
    pdpr_free(j.next);
    return s;
}
