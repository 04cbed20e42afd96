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
enum { TRIANGLE = 3, LOOK_AHEAD = 4 }; /* items looked at for a group, in group sizes */

/* The plan at `intensity` in 0..3, the path above. */
static pdpr_i_group_plan plan_at(double intensity, double largest_degree)
{
    double most = largest_degree + 1 > TRIANGLE ? largest_degree + 1 : TRIANGLE;
    if (intensity <= 1)
        return (pdpr_i_group_plan){ordinary_share * intensity, TRIANGLE, 1};
    if (intensity <= 2)
        return (pdpr_i_group_plan){ordinary_share, TRIANGLE * pow(most / TRIANGLE, intensity - 1),
                                   1};
    return (pdpr_i_group_plan){ordinary_share + (utmost_share - ordinary_share) * (intensity - 2),
                               most, 1};
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
    uint32_t *size;      /* [N]: group size of each node; 0 for none */
    uint64_t *class_end; /* [largest + 2]: items of each size, then their ends */
    uint32_t *member;    /* [largest]: the group at hand */
    uint32_t largest;
} dealing;

/* Memberships as items (key, node), in order of their keys. */
static uint64_t draw_items(pdpr_i_building *b, const pdpr_i_group_plan *plan, dealing *d)
{
    uint64_t items = 0;
    for (uint32_t u = 0; u < b->num_nodes; u++) {
        if (b->apart[u] || b->degree[u] < 2)
            continue;
        d->size[u] = (uint32_t)pdpr_i_draw_round(b->random, group_size(plan, b->degree[u]));
        d->largest = d->size[u] > d->largest ? d->size[u] : d->largest;
        uint64_t count =
            pdpr_i_draw_round(b->random, memberships(plan, b->degree[u], (double)d->size[u]));
        for (; count > 0; count--)
            b->item[items++] = (uint64_t)pdpr_i_building_key(b, u) << 32 | u;
    }
    pdpr_i_sort_by_high(b->item, b->scratch, items);
    return items;
}

/* Joins all members with each other as far as there is room. */
static void join_members(pdpr_i_rows *rows, const uint32_t *member, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            pdpr_i_rows_try(rows, member[i], member[j]);
}

/* Cuts items, in order of their keys, into groups of `size` different nodes that lie within `span`
 * of the first. Items that come into no group move to the front of the array, in order; returns how
 * many. Marks taken items by a node number of UINT32_MAX. */
static uint64_t deal_class(pdpr_i_building *b, dealing *d, uint64_t *item, uint64_t count,
                           uint32_t size, uint64_t span)
{
    pdpr_i_rows *rows = &b->rows;
    uint64_t kept = 0;

    for (uint64_t i = 0; i < count; i++) {
        if ((uint32_t)item[i] == UINT32_MAX)
            continue;
        uint32_t now = pdpr_i_rows_next_stamp(rows), members = 0, taken = 0;
        for (uint64_t k = i; k < count && members < size; k++) {
            uint32_t u = (uint32_t)item[k];
            if ((item[k] >> 32) - (item[i] >> 32) > span || k - i > LOOK_AHEAD * (uint64_t)size)
                break;
            if (u == UINT32_MAX || rows->stamp[u] == now)
                continue;
            rows->stamp[u] = now;
            d->member[members++] = u;
        }
        if (members < size) {
            item[kept++] = item[i];
            continue;
        }
        for (uint64_t k = i; taken < members; k++) /* the first item of each member */
            if ((uint32_t)item[k] == d->member[taken]) {
                item[k] |= UINT32_MAX;
                taken++;
            }
        join_members(rows, d->member, members);
    }
    return kept;
}

/* Merges two runs sorted by key into out. */
static void merge(const uint64_t *x, uint64_t nx, const uint64_t *y, uint64_t ny, uint64_t *out)
{
    uint64_t i = 0, j = 0;
    while (i < nx || j < ny)
        if (j == ny || (i < nx && x[i] >> 32 <= y[j] >> 32))
            out[i + j] = x[i], i++;
        else
            out[i + j] = y[j], j++;
}

pdpr_status pdpr_i_build_groups(pdpr_i_building *b, const pdpr_i_group_plan *plan, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    dealing d = {.largest = TRIANGLE};
    uint64_t *pool = NULL, *merged = NULL, pooled = 0;

    if (plan->share <= 0)
        return s;
    PDPR_TRY(pdpr_i_zalloc(b->ctx, b->num_nodes, sizeof *d.size, "group sizes", &d.size, err));
    uint64_t items = draw_items(b, plan, &d);
    PDPR_TRY(pdpr_i_zalloc(b->ctx, (uint64_t)d.largest + 2, sizeof *d.class_end, "group sizes",
                           &d.class_end, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, d.largest, sizeof *d.member, "group", &d.member, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, items, sizeof *pool, "group", &pool, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, items, sizeof *merged, "group", &merged, err));

    /* by size, keeping the order of keys within each */
    for (uint64_t i = 0; i < items; i++)
        d.class_end[d.size[(uint32_t)b->item[i]] + 1]++;
    for (uint32_t k = 1; k < d.largest + 2; k++)
        d.class_end[k] += d.class_end[k - 1];
    for (uint64_t i = 0; i < items; i++)
        b->scratch[d.class_end[d.size[(uint32_t)b->item[i]]]++] = b->item[i];

    for (uint32_t size = d.largest; size >= TRIANGLE; size--) {
        uint64_t first = d.class_end[size - 1], count = d.class_end[size] - first;
        double span = 2 * (double)size / (double)b->num_nodes;
        span = (span > b->reach ? span : b->reach) * plan->width;
        span = span < 1 ? span * 0x1p32 : 0x1p32;
        if (count + pooled == 0)
            continue;
        PDPR_TRY(pdpr_i_check_cancelled(b->ctx, err));
        pdpr_i_progress(b->ctx, "building", 1, 0);
        merge(pool, pooled, b->scratch + first, count, merged);
        pooled = deal_class(b, &d, merged, count + pooled, size, (uint64_t)span);
        uint64_t *t = pool;
        pool = merged;
        merged = t;
    }
done:
    pdpr_free(d.size);
    pdpr_free(d.class_end);
    pdpr_free(d.member);
    pdpr_free(pool);
    pdpr_free(merged);
    return s;
}
