/* Building graphs: the small components beside the largest one.
 *
 * A component's size is 2 plus a geometric number with the wanted mean. With the probability that
 * the targets close a wedge (3T / wedges) it is a clique of nodes of one degree, as in
 * collaboration graphs, while these hold no more than their share of T; else a random tree, as in
 * citation graphs: inner nodes drawn from the low degrees in proportion to how many there are,
 * degree-1 nodes as leaves. When one kind cannot be had the other is tried, then a cycle, and then
 * no further component is made.
 *
 * Degrees come first: if the remaining degrees are no longer graphical (a star needs its leaves)
 * half as many components are tried. Cost: O(N log N). */
#include "blueprint/build_parts.h"

enum { MOST_NODES = 40 }; /* of a small component; also bounds the degrees used */

typedef struct {
    pdpr_i_building *b;
    uint32_t *node;                 /* [N]: nodes of degree 1..MOST_NODES-1 by degree */
    uint32_t first[MOST_NODES + 1]; /* pool of degree d is node[first[d] .. end[d]) */
    uint32_t end[MOST_NODES + 1];   /* taken from the end */
    pdpr_i_links links;
    double triangles; /* in cliques so far */
} pools;

static uint32_t left_in(const pools *p, uint32_t degree)
{
    return p->end[degree] - p->first[degree];
}

/* Takes a node of the degree, which has one left. */
static uint32_t take(pools *p, uint32_t degree)
{
    uint32_t u = p->node[--p->end[degree]];
    p->b->apart[u] = true;
    return u;
}

/* Fills the pools, each in random order. */
static void fill_pools(pools *p)
{
    const pdpr_i_building *b = p->b;
    uint32_t count[MOST_NODES + 1] = {0};
    for (uint32_t u = 0; u < b->num_nodes; u++)
        if (b->degree[u] < MOST_NODES)
            count[b->degree[u]]++;
    for (uint32_t d = 1, at = 0; d <= MOST_NODES; d++) {
        p->first[d] = p->end[d] = at;
        at += count[d];
    }
    for (uint32_t u = 0; u < b->num_nodes; u++) {
        uint32_t d = b->degree[u];
        if (d == 0 || d >= MOST_NODES)
            continue;
        uint32_t at = p->end[d]++;
        uint32_t swap =
            p->first[d] + (uint32_t)pdpr_i_stream_below(b->random, at - p->first[d] + 1);
        p->node[at] = p->node[swap];
        p->node[swap] = u;
    }
}

static double clique_triangles(uint32_t size)
{
    return (double)size * (size - 1.0) * (size - 2.0) / 6;
}

static pdpr_status make_clique(pools *p, uint32_t size, bool *made, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t member[MOST_NODES];
    *made = size <= MOST_NODES && left_in(p, size - 1) >= size;
    p->triangles += *made ? clique_triangles(size) : 0;
    for (uint32_t k = 0; *made && k < size; k++) {
        member[k] = take(p, size - 1);
        for (uint32_t j = 0; j < k; j++)
            PDPR_TRY(pdpr_i_links_add(&p->links, member[j], member[k], err));
    }
done:
    return s;
}

static pdpr_status make_cycle(pools *p, uint32_t size, bool *made, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    *made = size >= 3 && left_in(p, 2) >= size;
    if (*made) {
        uint32_t first = take(p, 2), last = first;
        for (uint32_t k = 1; k < size; k++) {
            uint32_t u = take(p, 2);
            PDPR_TRY(pdpr_i_links_add(&p->links, last, u, err));
            last = u;
        }
        PDPR_TRY(pdpr_i_links_add(&p->links, last, first, err));
    }
done:
    return s;
}

/* A degree for an inner node that adds at most `room` nodes (itself and the leaves it needs), in
 * proportion to the nodes left; 0 if there is none. reserved[d] are spoken for. */
static uint32_t draw_inner(const pools *p, uint32_t room, const uint32_t *reserved)
{
    uint64_t sum = 0;
    for (uint32_t d = 2; d <= room + 1 && d < MOST_NODES; d++)
        sum += left_in(p, d) - reserved[d];
    if (sum == 0)
        return 0;
    uint64_t x = pdpr_i_stream_below(p->b->random, sum);
    for (uint32_t d = 2;; d++) {
        uint32_t here = left_in(p, d) - reserved[d];
        if (x < here)
            return d;
        x -= here;
    }
}

pdpr_status pdpr_i_hang(pdpr_i_building *b, pdpr_i_growing *tree, uint32_t u, pdpr_i_links *links,
                        pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t more = b->degree[u];
    if (tree->opens > 0) {
        uint64_t at = pdpr_i_stream_below(b->random, tree->opens);
        PDPR_TRY(pdpr_i_links_add(links, tree->open[at], u, err));
        tree->open[at] = tree->open[--tree->opens];
        more--;
    }
    for (; more > 0; more--)
        tree->open[tree->opens++] = u;
    b->apart[u] = true;
done:
    return s;
}

/* Chooses degrees first, then takes nodes: a tree of inner degrees d_i has 2 + sum (d_i - 2)
 * leaves. */
static pdpr_status make_tree(pools *p, uint32_t size, bool *made, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t inner[MOST_NODES], inners = 0, leaves = 2, nodes = 2;
    uint32_t reserved[MOST_NODES + 1] = {0};
    uint32_t open[2 * MOST_NODES];
    pdpr_i_growing tree = {.open = open};

    while (nodes < size) {
        uint32_t d = draw_inner(p, size - nodes, reserved);
        if (d == 0)
            break;
        reserved[d]++;
        inner[inners++] = d;
        leaves += d - 2;
        nodes += d - 1;
    }
    *made = left_in(p, 1) >= leaves && nodes == size;
    if (!*made)
        return s;

    for (uint32_t k = 0; k < inners; k++)
        PDPR_TRY(pdpr_i_hang(p->b, &tree, take(p, inner[k]), &p->links, err));
    if (inners == 0) /* two leaves */
        PDPR_TRY(pdpr_i_hang(p->b, &tree, take(p, 1), &p->links, err));
    for (uint64_t k = 0; k < tree.opens; k++)
        PDPR_TRY(pdpr_i_links_add(&p->links, open[k], take(p, 1), err));
done:
    return s;
}

/* Cliques by choice hold at most so many triangles together; cliques for want of leaves may hold
 * more. Fails silently (*made = false) when the pools cannot give a component. */
static pdpr_status make_component(pools *p, double closed, double triangles, bool *made,
                                  pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    double mean = p->b->targets->small_mean_size;
    uint64_t drawn = 2 + pdpr_i_draw_geometric(p->b->random, mean - 2);
    uint32_t size = drawn < MOST_NODES ? (uint32_t)drawn : MOST_NODES;
    bool clique = pdpr_i_draw_chance(p->b->random, closed) &&
                  p->triangles + clique_triangles(size) <= triangles;

    *made = false;
    if (clique)
        PDPR_TRY(make_clique(p, size, made, err));
    if (!*made)
        PDPR_TRY(make_tree(p, size, made, err));
    if (!*made && !clique)
        PDPR_TRY(make_clique(p, size, made, err));
    if (!*made)
        PDPR_TRY(make_cycle(p, size, made, err));
    for (uint32_t smaller = 2; !*made && smaller < 6; smaller++)
        PDPR_TRY(make_clique(p, smaller, made, err));
done:
    return s;
}

/* Fewer links than nodes: most components are trees, and hubs are in them. */
static bool is_sparse(const pdpr_i_building *b)
{
    uint64_t ends = 0, nodes = 0;
    for (uint32_t u = 0; u < b->num_nodes; u++) {
        ends += b->degree[u];
        nodes += b->degree[u] > 0;
    }
    return ends / 2 < nodes;
}

static bool rest_is_graphical(const pdpr_i_building *b, uint64_t *histogram)
{
    for (uint32_t d = 0; d < b->num_nodes; d++)
        histogram[d] = 0;
    for (uint32_t u = 0; u < b->num_nodes; u++)
        histogram[b->apart[u] ? 0 : b->degree[u]]++;
    return pdpr_i_degrees_are_graphical(histogram, b->num_nodes);
}

pdpr_status pdpr_i_build_small(pdpr_i_building *b, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pools p = {.b = b};
    uint64_t *histogram = NULL, wanted = b->targets->small_components;
    double wedges = 0;

    if (wanted == 0 || b->num_nodes < 4)
        return s;
    for (uint32_t u = 0; u < b->num_nodes; u++)
        wedges += 0.5 * b->degree[u] * (b->degree[u] - (b->degree[u] > 0));
    double closed = wedges > 0 ? 3 * (double)b->wanted / wedges : 0;

    PDPR_TRY(pdpr_i_alloc(b->ctx, b->num_nodes, sizeof *p.node, "small components", &p.node, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, b->num_nodes, sizeof *histogram, "degrees", &histogram, err));
    PDPR_TRY(pdpr_i_links_init(b->ctx, 0, &p.links, err));
    for (; wanted > 0; wanted /= 2) {
        bool made = true;
        double nodes = (double)wanted * b->targets->small_mean_size / (double)b->num_nodes;
        double share = (double)b->wanted * (nodes < 1 ? nodes : 1);
        if (is_sparse(b)) {
            PDPR_TRY(pdpr_i_build_trees(b, wanted, &p.links, err));
        } else {
            p.triangles = 0;
            fill_pools(&p);
            for (uint64_t k = 0; k < wanted && made; k++)
                PDPR_TRY(make_component(&p, closed, share, &made, err));
        }
        if (rest_is_graphical(b, histogram))
            break;
        p.links.count = 0;
        for (uint32_t u = 0; u < b->num_nodes; u++)
            b->apart[u] = false;
    }
    for (uint64_t i = 0; i < p.links.count; i++)
        pdpr_i_rows_add(&b->rows, p.links.pairs[2 * i], p.links.pairs[2 * i + 1]);
done:
    pdpr_i_links_clear(&p.links);
    pdpr_free(p.node);
    pdpr_free(histogram);
    return s;
}
