/* Cheapest paths where paths of fewer hops than a floor count as the floor: layers from both ends.
 *
 * Such a cost is no sum over arcs, so Dijkstra's rule does not find its least, but a path to do
 * better than; and for a given number of hops only prices matter. Side 0 knows after a layers the
 * least prices of a way of at most a hops from the first end to each node, side 1 after b layers
 * those to the second end, as Bellman and Ford find them, looking only at nodes whose label fell in
 * the layer before. After every layer the nodes of new labels are met with the other side's: that
 * gives the least prices of a path of at most a + b hops. The search ends when one more hop cannot
 * pay, however cheap it is. The side with fewer new labels goes first, so what is looked at are two
 * balls of half the distance. Proof of exactness: docs/proofs/path_length.md, Lemma 1.
 *
 * Labels of a finished layer are never written again, so a path is read off by following them; one
 * that falls twice in the layer under way is replaced. No label is worse than what it replaces, so
 * there are at most N in a layer. */
#include "blueprint/routing.h"

static const uint32_t HOP = PDPR_I_ROUTING_HOP;
#define NONE UINT32_MAX

/* The labels of a side: [from, to) are those of its last layer. */
typedef struct {
    uint32_t from, to, hops;
} side;

typedef struct {
    uint32_t cost;     /* of the cheapest path met, or what was known before */
    uint32_t label[2]; /* of the node where its halves meet */
} meeting;

/* Notes that side k reaches v at this cost from the label `before`; `layer` is where the layer
 * under way begins, *end the end of all labels. */
static void note(pdpr_i_route_search *w, int k, uint32_t v, uint32_t cost, uint32_t before,
                 uint32_t layer, uint32_t *end)
{
    bool new_here = w->cost[k][v] == NONE;
    if (new_here)
        w->touched[k][w->num_touched[k]++] = v;
    uint32_t at = new_here || w->before[k][v] < layer ? (*end)++ : w->before[k][v];
    w->label[k][at] = (pdpr_i_route_label){v, cost, before};
    w->cost[k][v] = cost;
    w->before[k][v] = at;
}

/* One layer more of side k; `base` is what the hops of both sides then cost. */
static void add_layer(const pdpr_graph *g, const uint32_t *x, pdpr_i_route_search *w, int k,
                      side *s, uint32_t base, meeting *best)
{
    uint32_t end = s->to;
    for (uint32_t j = s->from; j < s->to; j++) {
        uint32_t u = w->label[k][j].node, cost = w->label[k][j].cost;
        w->looks += g->offset[u + 1] - g->offset[u];
        for (uint64_t a = g->offset[u]; a < g->offset[u + 1]; a++) {
            uint32_t v = g->target[a], there = cost + x[k == 0 ? v : u];
            if (there >= w->cost[k][v] || base + there >= best->cost)
                continue;
            note(w, k, v, there, j, s->to, &end);
            uint32_t other = w->cost[1 - k][v];
            if (other < best->cost && base + there + other < best->cost) {
                best->cost = base + there + other;
                best->label[k] = w->before[k][v];
                best->label[1 - k] = w->before[1 - k][v];
            }
        }
    }
    s->from = s->to;
    s->to = end;
    s->hops++;
}

/* The path through the meeting node, from the first end to the second. */
static void write_path(pdpr_i_route_search *w, const meeting *best)
{
    uint32_t length = 0, half;
    for (uint32_t j = best->label[0]; j != NONE; j = w->label[0][j].before)
        length++;
    half = length;
    for (uint32_t j = best->label[0]; j != NONE; j = w->label[0][j].before)
        w->path[--half] = w->label[0][j].node;
    for (uint32_t j = w->label[1][best->label[1]].before; j != NONE; j = w->label[1][j].before)
        w->path[length++] = w->label[1][j].node;
    w->length = length;
}

uint32_t pdpr_i_route_in_layers(const pdpr_i_routing *r, const uint32_t *x, uint32_t i,
                                uint32_t known, pdpr_i_route_search *w)
{
    const uint32_t *ends = r->pair[i];
    const uint32_t paid = x[ends[0]] + x[ends[1]]; /* by every path */
    meeting best = {known, {NONE, NONE}};
    side s[2] = {{0, 0, 0}, {0, 0, 0}};

    note(w, 0, ends[0], x[ends[0]], NONE, 0, &s[0].to);
    note(w, 1, ends[1], 0, NONE, 0, &s[1].to);
    while (s[0].from < s[0].to && s[1].from < s[1].to) {
        uint32_t base = pdpr_i_routing_hops(r, s[0].hops + s[1].hops + 1) * HOP;
        if (base + paid >= best.cost)
            break;
        int k = s[0].to - s[0].from <= s[1].to - s[1].from ? 0 : 1;
        add_layer(r->g, x, w, k, &s[k], base, &best);
    }
    if (best.label[0] != NONE)
        write_path(w, &best);
    for (int k = 0; k < 2; k++) {
        for (uint32_t j = 0; j < w->num_touched[k]; j++)
            w->cost[k][w->touched[k][j]] = NONE;
        w->num_touched[k] = 0;
    }
    return best.cost;
}
