/* Building graphs: the certain way, for degrees so tight that matching fails.
 *
 * Havel (1955) and Hakimi (1962): the node of the largest degree is joined to the next largest, and
 * what remains is graphical again. Nodes stand in one array sorted by what they still need;
 * lowering a need moves a node to the front of its run, so that each link costs O(1). The graph so
 * made is extreme (as assortative as can be), so random swaps follow; where the degrees allow one
 * graph only (a star, a clique) there is none to make. Cost: O(N + m). */
#include "blueprint/build_parts.h"

#include <assert.h>

enum { SWAPS_PER_EDGE = 10 };

typedef struct {
    uint32_t *node;  /* [count]: ascending by need */
    uint32_t *where; /* [N]: index of a node in it */
    uint32_t *need;  /* [N] */
    uint32_t *first; /* [largest need + 2]: start of the run of each need */
} queue;

static void fill_queue(queue *q, const pdpr_i_building *b, uint32_t *count)
{
    uint32_t at = 0;
    for (uint32_t u = 0; u < b->num_nodes; u++) {
        q->need[u] = b->apart[u] ? 0 : b->degree[u];
        q->first[q->need[u] + 1]++;
    }
    for (uint32_t d = 1; d <= b->num_nodes; d++)
        q->first[d] += q->first[d - 1];
    for (uint32_t u = 0; u < b->num_nodes; u++) {
        at = q->first[q->need[u]]++;
        q->node[at] = u;
        q->where[u] = at;
    }
    for (uint32_t d = b->num_nodes; d > 0; d--) /* undo the shift */
        q->first[d] = q->first[d - 1];
    q->first[0] = 0;
    *count = b->num_nodes;
}

/* u moves to the front of its run and the run of its old need starts one later. */
static void lower_need(queue *q, uint32_t u)
{
    uint32_t front = q->first[q->need[u]]++, other = q->node[front], at = q->where[u];
    q->node[at] = other;
    q->where[other] = at;
    q->node[front] = u;
    q->where[u] = front;
    q->need[u]--;
}

static pdpr_status shuffle(pdpr_i_building *b, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_rows *rows = &b->rows;
    for (uint64_t k = 0; k < SWAPS_PER_EDGE * rows->num_edges; k++) {
        uint32_t u = (uint32_t)pdpr_i_stream_below(b->random, b->num_nodes);
        uint32_t x = (uint32_t)pdpr_i_stream_below(b->random, b->num_nodes);
        if (k % 65536 == 0)
            PDPR_TRY(pdpr_i_check_cancelled(b->ctx, err));
        if (b->apart[u] || b->apart[x] || !rows->length[u] || !rows->length[x])
            continue;
        pdpr_i_swap swap = {.a = u,
                            .c = pdpr_i_rows_neighbour(rows, u, b->random),
                            .b = x,
                            .d = pdpr_i_rows_neighbour(rows, x, b->random)};
        if (pdpr_i_swap_is_possible(rows, &swap))
            pdpr_i_swap_make(rows, &swap);
    }
done:
    return s;
}

pdpr_status pdpr_i_build_exact(pdpr_i_building *b, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    queue q = {0};
    uint32_t count, n = b->num_nodes, *chosen = NULL;

    PDPR_TRY(pdpr_i_alloc(b->ctx, n, sizeof *q.node, "degree queue", &q.node, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, n, sizeof *q.where, "degree queue", &q.where, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, n, sizeof *q.need, "degree queue", &q.need, err));
    PDPR_TRY(
        pdpr_i_zalloc(b->ctx, (uint64_t)n + 2, sizeof *q.first, "degree queue", &q.first, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, n, sizeof *chosen, "degree queue", &chosen, err));
    pdpr_i_rows_empty(&b->rows, b->apart);
    fill_queue(&q, b, &count);
    while (count > 0 && q.need[q.node[count - 1]] > 0) {
        uint32_t top = q.node[--count], need = q.need[top];
        assert(need <= count);
        for (uint32_t k = 0; k < need; k++)
            chosen[k] = q.node[count - 1 - k];
        for (uint32_t k = 0; k < need; k++) {
            pdpr_i_rows_add(&b->rows, top, chosen[k]);
            lower_need(&q, chosen[k]);
        }
    }
    PDPR_TRY(shuffle(b, err));
done:
    pdpr_free(q.node);
    pdpr_free(q.where);
    pdpr_free(q.need);
    pdpr_free(q.first);
    pdpr_free(chosen);
    return s;
}
