/* Building graphs: swaps that bring the number of triangles to its target.
 *
 * Too few: a wedge a-u-b is closed. a gives up a-c and b gives up b-d; a-b and c-d take their
 * place. All four lie within two steps of u. Too many: an
 * edge that stands in a triangle trades ends with one a few steps away. Swaps that make no link
 * unusually long are tried first, the others only when those are exhausted: a few long links would
 * undo the locality. The change is known exactly
 * before a swap is made, and only swaps that come nearer to the target are made, so that the count
 * never needs to be taken again. Ends when within tolerance, or when a round of tries has hardly
 * helped: then the target is out of reach. Cost: O(degree) a try; a round has N tries or more, and
 * all of a graph together are O(N + m). */
#include "blueprint/build_parts.h"

#include <math.h>
#include <stdlib.h>

enum { ROUND = 20000, STEPS = 4, LONGEST_ROW = 4096, USUAL_REACH = 4 };
enum { FIRST_TRIES = 1000000, TRIES_PER_NODE = 20, TRIES_PER_EDGE = 4 };
static const double tolerance = 0.002; /* of the target; under 1 %, so that joining may follow */
/* A round helps if it gains so much of the gap, or so many triangles a try. */
static const double least_share = 0.02, least_gain = 0.05;

/* A wedge to close; false if the draw was no use. */
static bool draw_closing(pdpr_i_building *b, uint32_t u, pdpr_i_swap *swap)
{
    pdpr_i_rows *rows = &b->rows;
    swap->a = pdpr_i_rows_neighbour(rows, u, b->random);
    swap->b = pdpr_i_rows_neighbour(rows, u, b->random);
    if (swap->a == swap->b || rows->length[swap->a] < 2 || rows->length[swap->b] < 2)
        return false;
    swap->c = pdpr_i_rows_neighbour(rows, swap->a, b->random);
    swap->d = pdpr_i_rows_neighbour(rows, swap->b, b->random);
    if (swap->c == u || swap->d == u)
        return false;
    /* two leaves joined to each other would be a component of their own */
    return rows->length[swap->c] > 1 || rows->length[swap->d] > 1;
}

/* An edge of a triangle and one a short walk away. Starting at a neighbour of u rather than at u
 * favours hubs, whose edges hold most of the triangles that nobody asked for. */
static bool draw_opening(pdpr_i_building *b, uint32_t u, pdpr_i_swap *swap)
{
    pdpr_i_rows *rows = &b->rows;
    swap->a = pdpr_i_rows_neighbour(rows, u, b->random);
    swap->c = pdpr_i_rows_neighbour(rows, swap->a, b->random);
    if (pdpr_i_rows_common(rows, swap->a, swap->c) == 0)
        return false;
    swap->b = swap->c;
    for (int k = 0; k < STEPS || (k == STEPS && rows->length[swap->b] > LONGEST_ROW); k++)
        swap->b = pdpr_i_rows_neighbour(rows, swap->b, b->random);
    swap->d = pdpr_i_rows_neighbour(rows, swap->b, b->random);
    return true;
}

/* Finding an entry in the row of a large hub takes too long, and there is always a way around: its
 * triangles can be opened and its wedges closed at the edge on the other side. */
static bool touches_large_hub(const pdpr_i_rows *rows, const pdpr_i_swap *swap)
{
    return rows->length[swap->a] > LONGEST_ROW || rows->length[swap->b] > LONGEST_ROW ||
           rows->length[swap->c] > LONGEST_ROW || rows->length[swap->d] > LONGEST_ROW;
}

/* True if no new edge is longer than both old ones and than what is usual. */
static bool stays_near(const pdpr_i_building *b, const pdpr_i_swap *w)
{
    double before = fmax(pdpr_i_building_share_between(b, w->a, w->c),
                         pdpr_i_building_share_between(b, w->b, w->d));
    double after = fmax(pdpr_i_building_share_between(b, w->a, w->b),
                        pdpr_i_building_share_between(b, w->c, w->d));
    return after <= before || after <= USUAL_REACH * b->reach;
}

/* Tries swaps, only near ones if asked, until the gap is small enough, rounds stop helping or
 * `most` tries are made. Leaves the gap that remains in *gap_left. */
static pdpr_status steer(pdpr_i_building *b, bool near, uint64_t most, int64_t enough,
                         int64_t *gap_left, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_rows *rows = &b->rows;
    int64_t gap = *gap_left, before = llabs(gap);
    uint64_t round = ROUND + (uint64_t)b->num_nodes;
    uint64_t tries = 1;

    for (; llabs(gap) > enough && tries <= most; tries++) {
        if (tries % 4096 == 0)
            PDPR_TRY(pdpr_i_check_cancelled(b->ctx, err));
        if (tries % round == 0) {
            double gained = (double)(before - llabs(gap));
            if (gained < least_share * (double)before && gained < least_gain * (double)round)
                break;
            before = llabs(gap);
        }
        uint32_t u = (uint32_t)pdpr_i_stream_below(b->random, b->num_nodes);
        pdpr_i_swap swap;
        if (b->apart[u] || rows->length[u] < 2 ||
            !(gap > 0 ? draw_closing(b, u, &swap) : draw_opening(b, u, &swap)) ||
            touches_large_hub(rows, &swap) || (near && !stays_near(b, &swap)) ||
            !pdpr_i_swap_is_possible(rows, &swap))
            continue;
        int64_t change = pdpr_i_swap_change(rows, &swap);
        if (llabs(gap - change) < llabs(gap)) {
            pdpr_i_swap_make(rows, &swap);
            gap -= change;
        }
    }
    *gap_left = gap;
done:
    b->tries += tries - 1;
    return s;
}

pdpr_status pdpr_i_build_steer(pdpr_i_building *b, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    int64_t gap = (int64_t)(b->wanted - b->triangles);
    int64_t enough = (int64_t)(tolerance * (double)b->wanted);

    uint64_t most =
        FIRST_TRIES + TRIES_PER_NODE * (uint64_t)b->num_nodes + TRIES_PER_EDGE * b->rows.num_edges;

    PDPR_TRY(steer(b, true, (most - b->tries) / 2, enough, &gap, err));
    PDPR_TRY(steer(b, false, most - b->tries, enough, &gap, err));
    b->triangles = (uint64_t)((int64_t)b->wanted - gap);
done:
    return s;
}
