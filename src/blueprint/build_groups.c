/* Building graphs: dense groups, which hold the triangles.
 *
 * A node of degree d puts a share of its links into groups whose members are all joined: groups of
 * at most `largest_size` nodes, and never so large that a member would have no link left to the
 * world outside. A node may belong to several groups; groups are cut from nodes that lie near each
 * other, those with the same group size together. One path leads from no triangles to as many as
 * the degrees can hold:
 *
 *     groups of three, share 0 .. 0.75    few triangles: corners made of two links each
 *     share 0.75, groups grow             T up to many times m: overlapping cliques
 *     groups as large as degrees allow, share 0.75 .. 0.98
 *
 * so that one number, found by bisection on the expected count, plans every case. At least a
 * quarter of the links stays outside while that is possible: groups alone would fall apart into
 * islands. After BTER (Kolda, Pinar, Plantenga, Seshadhri 2014), whose blocks have one density and
 * whose nodes are in one block each. Cost: O(N + m). */
#include "blueprint/build_parts.h"
#include "base/sort.h"
#include "generate/generate.h"

#include <math.h>

static const double ordinary_share = 0.75, utmost_share = 0.98;
enum { TRIANGLE = 3 };

/* The plan at `intensity` in 0..3, the path above. */
static pdpr_i_group_plan plan_at(double intensity, double largest_degree)
{
    double most = largest_degree + 1 > TRIANGLE ? largest_degree + 1 : TRIANGLE;
    if (intensity <= 1)
        return (pdpr_i_group_plan){ordinary_share * intensity, TRIANGLE};
    if (intensity <= 2)
        return (pdpr_i_group_plan){ordinary_share, TRIANGLE * pow(most / TRIANGLE, intensity - 1)};
    return (pdpr_i_group_plan){ordinary_share + (utmost_share - ordinary_share) * (intensity - 2),
                               most};
}

/* Size of the groups of a node of degree d >= 2: real, the fraction is left to chance. */
static double group_size(const pdpr_i_group_plan *plan, uint32_t degree)
{
    double share = plan->share > ordinary_share ? plan->share : ordinary_share;
    double own = floor(share * degree) + 1;
    own = own > TRIANGLE ? own : TRIANGLE;
    return own < plan->largest_size ? own : plan->largest_size;
}

/* How many groups of `size` a node of degree d joins, on average. */
static double memberships(const pdpr_i_group_plan *plan, uint32_t degree, double size)
{
    double wanted = plan->share * degree / (size - 1), most = floor(degree / (size - 1));
    return wanted < most ? wanted : most;
}

/* Triangles inside groups: each member of a group of size g stands at (g-1)(g-2)/2 corners. */
static double expected_triangles(const pdpr_i_group_plan *plan, const uint64_t *histogram,
                                 uint32_t largest_degree)
{
    double corners = 0;
    for (uint32_t d = 2; d <= largest_degree; d++)
        if (histogram[d]) {
            double size = group_size(plan, d);
            corners +=
                (double)histogram[d] * memberships(plan, d, size) * (size - 1) * (size - 2) / 2;
        }
    return corners / 3;
}

pdpr_status pdpr_i_plan_groups(const pdpr_i_building *b, double triangles, pdpr_i_group_plan *plan,
                               double *expected, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t *histogram = NULL;
    uint32_t largest = 0;
    enum { STEPS = 40 };

    PDPR_TRY(pdpr_i_zalloc(b->ctx, b->num_nodes, sizeof *histogram, "degrees", &histogram, err));
    for (uint32_t u = 0; u < b->num_nodes; u++)
        if (!b->apart[u]) {
            histogram[b->degree[u]]++;
            largest = b->degree[u] > largest ? b->degree[u] : largest;
        }
    double low = 0, high = 3;
    for (int k = 0; k < STEPS; k++) {
        double middle = (low + high) / 2;
        pdpr_i_group_plan trial = plan_at(middle, largest);
        if (expected_triangles(&trial, histogram, largest) < triangles)
            low = middle;
        else
            high = middle;
    }
    *plan = plan_at(triangles > 0 ? high : 0, largest);
    *expected = expected_triangles(plan, histogram, largest);
done:
    pdpr_free(histogram);
    return s;
}

/* ---------------------------------------------------------------- dealing */

typedef struct {
    uint32_t *size;           /* [N]: group size of each node; 0 for none */
    uint64_t *class_end;      /* [largest + 2]: items of each size, then their ends */
    uint32_t *member, *later; /* nodes of the group at hand; nodes that stand in it already */
    uint32_t largest;
} dealing;

/* Joins all members with each other as far as there is room. */
static void join_members(pdpr_i_rows *rows, const uint32_t *member, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            pdpr_i_rows_try(rows, member[i], member[j]);
}

/* Cuts the items of one size, in order of their keys, into groups of different nodes. A node that
 * comes twice within a group starts the next one. What is left at the end is too few for a group
 * and becomes a smaller one. */
static void deal_class(pdpr_i_building *b, dealing *d, const uint64_t *item, uint64_t count,
                       uint32_t size)
{
    pdpr_i_rows *rows = &b->rows;
    uint32_t waiting = 0;
    uint64_t at = 0;

    while (at < count || waiting > 0) {              /* each turn uses up one item or more */
        uint32_t now = pdpr_i_rows_next_stamp(rows); /* on the members of this group */
        uint32_t members = 0, again = 0;
        for (uint32_t k = 0; k < waiting; k++) {
            uint32_t u = d->later[k];
            if (members < size && rows->stamp[u] != now) {
                rows->stamp[u] = now;
                d->member[members++] = u;
            } else {
                d->later[again++] = u;
            }
        }
        waiting = again;
        for (; at < count && members < size && waiting < size; at++) {
            uint32_t u = (uint32_t)item[at];
            if (rows->stamp[u] != now) {
                rows->stamp[u] = now;
                d->member[members++] = u;
            } else {
                d->later[waiting++] = u;
            }
        }
        join_members(rows, d->member, members);
    }
}

pdpr_status pdpr_i_build_groups(pdpr_i_building *b, const pdpr_i_group_plan *plan, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    dealing d = {.largest = TRIANGLE};
    uint64_t items = 0, begin = 0;

    if (plan->share <= 0)
        return s;
    PDPR_TRY(pdpr_i_zalloc(b->ctx, b->num_nodes, sizeof *d.size, "group sizes", &d.size, err));
    for (uint32_t u = 0; u < b->num_nodes; u++) {
        if (b->apart[u] || b->degree[u] < 2)
            continue;
        d.size[u] = (uint32_t)pdpr_i_draw_round(b->random, group_size(plan, b->degree[u]));
        d.largest = d.size[u] > d.largest ? d.size[u] : d.largest;
        uint64_t count =
            pdpr_i_draw_round(b->random, memberships(plan, b->degree[u], (double)d.size[u]));
        for (; count > 0; count--)
            b->item[items++] = (uint64_t)pdpr_i_building_key(b, u) << 32 | u;
    }
    PDPR_TRY(pdpr_i_zalloc(b->ctx, (uint64_t)d.largest + 2, sizeof *d.class_end, "group sizes",
                           &d.class_end, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, d.largest, sizeof *d.member, "group", &d.member, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, d.largest, sizeof *d.later, "group", &d.later, err));

    /* by key, then, keeping that order, by size */
    pdpr_i_sort_by_high(b->item, b->scratch, items);
    for (uint64_t i = 0; i < items; i++)
        d.class_end[d.size[(uint32_t)b->item[i]] + 1]++;
    for (uint32_t k = 1; k < d.largest + 2; k++)
        d.class_end[k] += d.class_end[k - 1];
    for (uint64_t i = 0; i < items; i++)
        b->scratch[d.class_end[d.size[(uint32_t)b->item[i]]]++] = b->item[i];

    for (uint32_t size = TRIANGLE; size <= d.largest; size++) { /* smaller sizes hold nothing */
        PDPR_TRY(pdpr_i_check_cancelled(b->ctx, err));
        deal_class(b, &d, b->scratch + begin, d.class_end[size] - begin, size);
        begin = d.class_end[size];
    }
done:
    pdpr_free(d.size);
    pdpr_free(d.class_end);
    pdpr_free(d.member);
    pdpr_free(d.later);
    return s;
}
