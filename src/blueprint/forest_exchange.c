/* A first proposal for capped forests: one forest within the caps, grown by exchanges, and the set
 * of nodes that stops its growth.
 *
 * After Fürer and Raghavachari (1994). A node is good if its degree is below its cap. Good nodes
 * that the forest joins form fragments. An edge between fragments of one tree closes a cycle over
 * full nodes: each of them could give up a cycle edge in exchange for it, so they become good too,
 * and the fragments merge. An edge between good nodes of different trees makes the forest grow,
 * once its ends have carried out the exchanges that made them good. When no edge is left the nodes
 * that are still full, priced 1, bound the optimum from above: cap(A) + (rank of the graph without
 * A), which differs from the forest's size by the number of its edges inside A only. Often there
 * are none, and the problem is solved.
 *
 * One search serves many growths: labels found before a growth may be stale after it, so every
 * exchange is tried on the forest as it is and taken back if it fails; a new search follows until
 * one finds nothing. Where trees are deep and nearly every node is full, exchanges walk long paths
 * for little: the walking is limited to a multiple of the problem's size, and what has been found
 * by then is the proposal. Untrusted like every proposer, so stopping early costs nothing but time
 * elsewhere. Cost: O(size) for a search, the length of a tree path for an exchange. */
#include "blueprint/forest.h"
#include "base/union_find.h"

#include <string.h>

static const uint32_t NONE = UINT32_MAX;
enum {
    MOST_DEPTH = 1000, /* of nested exchanges; beyond, a growth is given up */
    MOST_LOG = 1 << 12,
    MOST_WALKS = 128 /* edges walked or looked at by exchanges, for each node and edge */
};

typedef struct {
    const pdpr_i_forest_problem *p;
    uint64_t *start;    /* [num_nodes + 1] */
    uint32_t *incident; /* [2 * num_edges]: edges at each node */
    bool *in;           /* [num_edges]: in the forest */
    uint32_t *degree;   /* [num_nodes]: in the forest */
    uint32_t *tree;     /* [num_nodes]: union-find over the forest's trees */
    uint32_t *rise;     /* [num_nodes]: edge towards the root of the forest as it is, or NONE */
    uint64_t *mark;     /* [num_nodes]: last path walk that met the node */
    uint64_t walks;
    uint64_t effort, most_effort; /* edges walked or looked at by exchanges so far */
    /* As the search began: */
    uint32_t *up;    /* [num_nodes]: parent, NONE at roots */
    uint32_t *depth; /* [num_nodes] */
    uint32_t
        *fragment;   /* [num_nodes]: union-find over good nodes; roots are the shallowest nodes */
    uint32_t *label; /* [num_nodes]: the edge whose cycle frees this full node, or NONE */
    bool *good;      /* [num_nodes] */
    uint32_t *queue; /* [num_nodes]: good nodes whose edges have not been looked at */
    uint32_t queued;
    uint32_t *reached; /* [num_nodes]: workspace */
    /* Exchanges of the growth at hand, to be taken back if it fails: edge in, edge out. */
    uint32_t (*log)[2]; /* [MOST_LOG] */
    uint32_t logged;
} exchange;

static bool is_full(const exchange *x, uint32_t u)
{
    return u < x->p->num_capped && x->degree[u] >= x->p->cap[u];
}

static uint32_t other_end(const exchange *x, uint32_t e, uint32_t u)
{
    return x->p->end[e][0] == u ? x->p->end[e][1] : x->p->end[e][0];
}

/* ---------------------------------------------------------------- the forest as it is */

static void set_edge(exchange *x, uint32_t e, bool in)
{
    x->in[e] = in;
    for (unsigned k = 0; k < 2; k++)
        x->degree[x->p->end[e][k]] += in ? 1 : (uint32_t)-1;
}

/* Puts edge e, whose ends are in different trees, into the forest: the first end's tree is turned
 * round so that this end is its root, and hung below the second. */
static void link_edge(exchange *x, uint32_t e)
{
    uint32_t u = x->p->end[e][0], edge = e;
    while (u != NONE) {
        uint32_t above = x->rise[u];
        x->rise[u] = edge;
        edge = above;
        u = above == NONE ? NONE : other_end(x, above, u);
    }
    set_edge(x, e, true);
}

static void cut_edge(exchange *x, uint32_t e)
{
    uint32_t child = x->rise[x->p->end[e][0]] == e ? x->p->end[e][0] : x->p->end[e][1];
    x->rise[child] = NONE;
    set_edge(x, e, false);
}

/* An edge at node `via` on the forest's path between the ends of e, or NONE if via is not on it. */
static uint32_t path_edge(exchange *x, uint32_t e, uint32_t via)
{
    uint32_t found = NONE, meet = x->p->end[e][1], u;
    x->walks++;
    for (u = x->p->end[e][0];; u = other_end(x, x->rise[u], u)) {
        x->mark[u] = x->walks;
        x->effort++;
        if (x->rise[u] == NONE)
            break;
    }
    while (x->mark[meet] != x->walks) {
        if (x->rise[meet] == NONE)
            return NONE;
        if (meet == via || other_end(x, x->rise[meet], meet) == via)
            found = x->rise[meet];
        meet = other_end(x, x->rise[meet], meet);
        x->effort++;
    }
    for (u = x->p->end[e][0]; u != meet; u = other_end(x, x->rise[u], u))
        if (u == via || other_end(x, x->rise[u], u) == via)
            found = x->rise[u];
    return found;
}

/* ---------------------------------------------------------------- growing */

/* Takes edge e in for an edge at u on its cycle, if that is possible as things are. */
static bool swap_at(exchange *x, uint32_t u, uint32_t e)
{
    if (x->in[e] || is_full(x, x->p->end[e][0]) || is_full(x, x->p->end[e][1]) ||
        x->logged == MOST_LOG)
        return false;
    uint32_t out = path_edge(x, e, u);
    if (out == NONE)
        return false;
    cut_edge(x, out);
    link_edge(x, e);
    x->log[x->logged][0] = e;
    x->log[x->logged++][1] = out;
    return true;
}

/* Lets one of u's neighbours in the forest hold on to somebody else. */
static bool set_free_nearby(exchange *x, uint32_t u)
{
    for (uint64_t i = x->start[u]; i < x->start[u + 1]; i++) {
        uint32_t c = other_end(x, x->incident[i], u);
        x->effort++;
        if (!x->in[x->incident[i]] || is_full(x, c))
            continue;
        for (uint64_t k = x->start[c]; k < x->start[c + 1]; k++, x->effort++)
            if (other_end(x, x->incident[k], c) != u && swap_at(x, u, x->incident[k]))
                return true;
    }
    return false;
}

/* Lowers the degree of u, by a short exchange or by the one that its label names, after those of
 * the label's ends. Labels point to nodes that became good earlier, so the recursion ends. */
static bool set_free(exchange *x, uint32_t u, uint32_t nested)
{
    uint32_t e = x->label[u];
    if (!is_full(x, u) || set_free_nearby(x, u))
        return true;
    if (e == NONE || x->in[e] || nested == MOST_DEPTH)
        return false;
    return set_free(x, x->p->end[e][0], nested + 1) && set_free(x, x->p->end[e][1], nested + 1) &&
           swap_at(x, u, e);
}

/* Joins two trees by edge e, or leaves the forest as it was. */
static bool grow(exchange *x, uint32_t e)
{
    uint32_t a = x->p->end[e][0], b = x->p->end[e][1];
    x->logged = 0;
    if (set_free(x, a, 0) && set_free(x, b, 0) && !is_full(x, a) && !is_full(x, b)) {
        link_edge(x, e);
        x->tree[pdpr_i_find_root(x->tree, a)] = pdpr_i_find_root(x->tree, b);
        return true;
    }
    while (x->logged > 0) {
        x->logged--;
        cut_edge(x, x->log[x->logged][0]);
        link_edge(x, x->log[x->logged][1]);
    }
    return false;
}

/* ---------------------------------------------------------------- one search */

/* Roots every tree and makes fragments of the good nodes. */
static void begin_search(exchange *x)
{
    const pdpr_i_forest_problem *p = x->p;
    uint32_t done = 0, count = 0;

    x->queued = 0;
    for (uint32_t u = 0; u < p->num_nodes; u++) {
        x->tree[u] = NONE;
        x->label[u] = NONE;
        x->fragment[u] = u;
        x->good[u] = !is_full(x, u);
    }
    for (uint32_t root = 0; root < p->num_nodes; root++) {
        if (x->tree[root] != NONE)
            continue;
        x->tree[root] = root;
        x->up[root] = x->rise[root] = NONE;
        x->depth[root] = 0;
        x->reached[count++] = root;
        for (; done < count; done++) {
            uint32_t u = x->reached[done];
            if (x->good[u])
                x->queue[x->queued++] = u;
            if (x->good[u] && x->up[u] != NONE && x->good[x->up[u]])
                x->fragment[u] = pdpr_i_find_root(x->fragment, x->up[u]);
            for (uint64_t i = x->start[u]; i < x->start[u + 1]; i++) {
                uint32_t w = other_end(x, x->incident[i], u);
                if (!x->in[x->incident[i]] || x->tree[w] != NONE)
                    continue;
                x->tree[w] = root;
                x->up[w] = u;
                x->rise[w] = x->incident[i];
                x->depth[w] = x->depth[u] + 1;
                x->reached[count++] = w;
            }
        }
    }
}

/* Full node u can be freed by the cycle of edge e: it joins the good nodes next to it. */
static void make_good(exchange *x, uint32_t u, uint32_t e)
{
    x->good[u] = true;
    x->label[u] = e;
    x->queue[x->queued++] = u;
    for (uint64_t i = x->start[u]; i < x->start[u + 1]; i++) {
        uint32_t w = other_end(x, x->incident[i], u);
        if (x->good[w] && x->up[w] == u)
            x->fragment[pdpr_i_find_root(x->fragment, w)] = u;
    }
    if (x->up[u] != NONE && x->good[x->up[u]])
        x->fragment[u] = pdpr_i_find_root(x->fragment, x->up[u]);
}

/* Edge e joins two fragments of one tree: every full node on its cycle becomes good. */
static void close_cycle(exchange *x, uint32_t e)
{
    uint32_t a = pdpr_i_find_root(x->fragment, x->p->end[e][0]),
             b = pdpr_i_find_root(x->fragment, x->p->end[e][1]);
    while (a != b) { /* climb from the deeper fragment to the full node above it */
        uint32_t above = x->up[x->depth[a] >= x->depth[b] ? a : b];
        if (above == NONE)
            return; /* different trees when the search began: joined since, no cycle known */
        make_good(x, above, e);
        a = pdpr_i_find_root(x->fragment, a);
        b = pdpr_i_find_root(x->fragment, b);
    }
}

/* Grows the forest wherever good nodes of different trees meet. True if it grew. */
static bool search(exchange *x)
{
    bool grew = false;
    begin_search(x);
    while (x->queued > 0 && x->effort < x->most_effort) {
        uint32_t u = x->queue[--x->queued];
        for (uint64_t i = x->start[u]; i < x->start[u + 1]; i++) {
            uint32_t e = x->incident[i], w = other_end(x, e, u);
            if (x->in[e] || !x->good[w])
                continue;
            if (pdpr_i_find_root(x->tree, u) != pdpr_i_find_root(x->tree, w))
                grew = grow(x, e) || grew;
            else if (pdpr_i_find_root(x->fragment, u) != pdpr_i_find_root(x->fragment, w))
                close_cycle(x, e);
        }
    }
    return grew;
}

/* ---------------------------------------------------------------- life */

static void clear(exchange *x)
{
    pdpr_free(x->start);
    pdpr_free(x->incident);
    pdpr_free(x->in);
    pdpr_free(x->degree);
    pdpr_free(x->tree);
    pdpr_free(x->rise);
    pdpr_free(x->mark);
    pdpr_free(x->up);
    pdpr_free(x->depth);
    pdpr_free(x->fragment);
    pdpr_free(x->label);
    pdpr_free(x->good);
    pdpr_free(x->queue);
    pdpr_free(x->reached);
    pdpr_free(x->log);
}

static pdpr_status init(pdpr_context *ctx, const pdpr_i_forest_problem *p, exchange *x,
                        pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const char *what = "forest exchange";
    uint64_t nodes = p->num_nodes;

    x->p = p;
    x->most_effort = MOST_WALKS * (nodes + p->num_edges);
    PDPR_TRY(pdpr_i_zalloc(ctx, nodes + 1, sizeof *x->start, what, &x->start, err));
    PDPR_TRY(pdpr_i_alloc(ctx, 2 * (uint64_t)p->num_edges, sizeof *x->incident, what, &x->incident,
                          err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_edges, sizeof *x->in, what, &x->in, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, nodes, sizeof *x->degree, what, &x->degree, err));
    PDPR_TRY(pdpr_i_alloc(ctx, nodes, sizeof *x->tree, what, &x->tree, err));
    PDPR_TRY(pdpr_i_alloc(ctx, nodes, sizeof *x->rise, what, &x->rise, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, nodes, sizeof *x->mark, what, &x->mark, err));
    PDPR_TRY(pdpr_i_alloc(ctx, nodes, sizeof *x->up, what, &x->up, err));
    PDPR_TRY(pdpr_i_alloc(ctx, nodes, sizeof *x->depth, what, &x->depth, err));
    PDPR_TRY(pdpr_i_alloc(ctx, nodes, sizeof *x->fragment, what, &x->fragment, err));
    PDPR_TRY(pdpr_i_alloc(ctx, nodes, sizeof *x->label, what, &x->label, err));
    PDPR_TRY(pdpr_i_alloc(ctx, nodes, sizeof *x->good, what, &x->good, err));
    PDPR_TRY(pdpr_i_alloc(ctx, nodes, sizeof *x->queue, what, &x->queue, err));
    PDPR_TRY(pdpr_i_alloc(ctx, nodes, sizeof *x->reached, what, &x->reached, err));
    PDPR_TRY(pdpr_i_alloc(ctx, MOST_LOG, sizeof *x->log, what, &x->log, err));
    for (uint32_t e = 0; e < p->num_edges; e++)
        for (unsigned k = 0; k < 2; k++)
            x->start[p->end[e][k] + 1]++;
    for (uint64_t u = 0; u < nodes; u++)
        x->start[u + 1] += x->start[u];
    for (uint32_t e = 0; e < p->num_edges; e++)
        for (unsigned k = 0; k < 2; k++)
            x->incident[x->start[p->end[e][k]]++] = e;
    for (uint64_t u = nodes; u > 0; u--) /* the filling moved each start to the next one */
        x->start[u] = x->start[u - 1];
    x->start[0] = 0;
done:
    return s;
}

pdpr_status pdpr_i_forest_exchange(pdpr_context *ctx, const pdpr_i_forest_problem *p,
                                   uint32_t *edge, uint32_t *count, uint64_t *y, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    exchange x = {0};

    PDPR_TRY(init(ctx, p, &x, err));
    for (uint32_t u = 0; u < p->num_nodes; u++)
        x.tree[u] = u;
    for (uint32_t e = 0; e < p->num_edges; e++) { /* what fits, in the order of the edges */
        uint32_t a = pdpr_i_find_root(x.tree, p->end[e][0]),
                 b = pdpr_i_find_root(x.tree, p->end[e][1]);
        if (a == b || is_full(&x, p->end[e][0]) || is_full(&x, p->end[e][1]))
            continue;
        x.tree[a] = b;
        set_edge(&x, e, true);
    }
    do
        PDPR_TRY(pdpr_i_check_cancelled(ctx, err));
    while (search(&x) && x.effort < x.most_effort);

    *count = 0;
    for (uint32_t e = 0; e < p->num_edges; e++)
        if (x.in[e])
            edge[(*count)++] = e;
    for (uint32_t v = 0; v < p->num_capped; v++)
        y[v] = x.good[v] ? 0 : PDPR_I_FOREST_ONE;
done:
    clear(&x);
    return s;
}
