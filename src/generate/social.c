/* A heavy-tailed, clustered graph: preferential attachment with triangle closing (Holme and Kim
 * 2002).
 *
 * Node i links to earlier nodes only, so its own links stand together in `pairs` from start[i] on;
 * a uniformly drawn end of an earlier link is a node drawn in proportion to its degree. Links are
 * shared out evenly: after node i there are floor(m (i+1) / N) of them, fewer only while there are
 * not enough earlier nodes. Cost: O(N + m) expected. */
#include "generate/generate.h"

#include <math.h>

enum {
    MOST_TRIES = 64, /* then the next free earlier node is taken, so that dense starts end */
    REMEMBERED = 8   /* followers that a node remembers */
};

typedef struct {
    uint32_t *pairs;     /* [2m]: (new node, earlier node) */
    uint64_t *start;     /* [N]: first link of each node */
    uint32_t *linked;    /* [N]: the last node that linked here; stamps start at 1 */
    uint32_t *followers; /* [N]: links made to each node */
    uint32_t (*latest)[REMEMBERED];
    uint64_t placed;
    pdpr_i_stream random;
} growth;

static void add_link(growth *g, uint32_t node, uint32_t earlier)
{
    g->pairs[2 * g->placed] = node;
    g->pairs[2 * g->placed + 1] = earlier;
    g->placed++;
    g->linked[earlier] = node;
    g->latest[earlier][g->followers[earlier]++ % REMEMBERED] = node;
}

/* In proportion to degree, over links of nodes before `node`. */
static uint32_t by_degree(growth *g, uint32_t node)
{
    uint64_t ends = 2 * g->start[node];
    return ends ? g->pairs[pdpr_i_stream_below(&g->random, ends)]
                : (uint32_t)pdpr_i_stream_below(&g->random, node);
}

/* A neighbour of `of`: one of the links it made itself, or one of its latest followers. UINT32_MAX
 * if it has none. Remembering a few followers only keeps a draw at O(1); all of them would be old
 * nodes otherwise, and triangles would pile up on the first hubs. */
static uint32_t some_neighbour(growth *g, uint32_t of)
{
    uint64_t own = g->start[of + 1] - g->start[of], followers = g->followers[of];
    if (own + followers == 0)
        return UINT32_MAX;
    uint64_t k = pdpr_i_stream_below(&g->random, own + followers);
    if (k < own)
        return g->pairs[2 * (g->start[of] + k) + 1];
    uint64_t known = followers < REMEMBERED ? followers : REMEMBERED;
    return g->latest[of][pdpr_i_stream_below(&g->random, known)];
}

static void link_node(growth *g, uint32_t node, uint64_t links, double closure)
{
    uint32_t last = UINT32_MAX;
    for (uint64_t k = 0; k < links; k++) {
        uint32_t chosen = UINT32_MAX;
        if (last != UINT32_MAX && pdpr_i_stream_unit(&g->random) < closure) {
            chosen = some_neighbour(g, last);
            if (chosen != UINT32_MAX && (chosen == node || g->linked[chosen] == node))
                chosen = UINT32_MAX;
        }
        for (int tries = 0; chosen == UINT32_MAX && tries < MOST_TRIES; tries++) {
            uint32_t candidate = by_degree(g, node);
            if (g->linked[candidate] != node)
                chosen = last = candidate;
        }
        if (chosen == UINT32_MAX) {
            chosen = (uint32_t)pdpr_i_stream_below(&g->random, node);
            while (g->linked[chosen] == node)
                chosen = (chosen + 1) % node;
        }
        add_link(g, node, chosen);
    }
}

pdpr_status pdpr_generate_social(pdpr_context *ctx, uint32_t num_nodes, uint64_t num_edges,
                                 double closure, uint64_t seed, pdpr_graph **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    growth g = {0};
    pdpr_i_key key;
    uint64_t most = num_nodes ? (uint64_t)num_nodes * (num_nodes - 1) / 4 : 0;

    if (num_edges > most)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "social graph: expected at most N(N-1)/4 = %" PRIu64
                           " edges, found m = %" PRIu64,
                           most, num_edges);
    if (!(closure >= 0 && closure <= 1))
        return pdpr_i_fail(err, PDPR_EUSAGE, "social graph: expected a closure in [0,1], found %g",
                           closure);

    pdpr_i_key_from_seed(seed, &key);
    pdpr_i_stream_init(&g.random, &key, PDPR_I_PURPOSE_EXAMPLE, 0);
    PDPR_TRY(pdpr_i_alloc(ctx, num_edges, 2 * sizeof *g.pairs, "links", &g.pairs, err));
    PDPR_TRY(
        pdpr_i_zalloc(ctx, (uint64_t)num_nodes + 1, sizeof *g.start, "link starts", &g.start, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, num_nodes, sizeof *g.linked, "link marks", &g.linked, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, num_nodes, sizeof *g.followers, "followers", &g.followers, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, num_nodes, sizeof *g.latest, "followers", &g.latest, err));

    for (uint32_t i = 0; i < num_nodes; i++) {
        __extension__ typedef unsigned __int128 wide;
        uint64_t due = (uint64_t)((wide)num_edges * (i + 1) / num_nodes);
        uint64_t links = due - g.placed < i ? due - g.placed : i;
        if (i % 4096 == 0)
            PDPR_TRY(pdpr_i_check_cancelled(ctx, err));
        g.start[i] = g.placed;
        link_node(&g, i, links, closure);
        g.start[i + 1] = g.placed;
    }
    PDPR_TRY(pdpr_graph_from_pairs(ctx, num_nodes, g.pairs, g.placed, false, out, err));
done:
    pdpr_free(g.pairs);
    pdpr_free(g.start);
    pdpr_free(g.linked);
    pdpr_free(g.followers);
    pdpr_free(g.latest);
    return s;
}
