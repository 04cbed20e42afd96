/* Building graphs: what the build_*.c files share. */
#ifndef PDPR_BLUEPRINT_BUILD_PARTS_H
#define PDPR_BLUEPRINT_BUILD_PARTS_H

#include "blueprint/build.h"
#include "generate/generate.h"

/* ---------------------------------------------------------------- degrees (build_degrees.c) */

/* True if a simple graph has these degrees (Erdos and Gallai 1960). histogram[d] = nodes of degree
 * d, d < num_nodes; O(num_nodes). An odd sum is not graphical. */
bool pdpr_i_degrees_are_graphical(const uint64_t *histogram, uint32_t num_nodes);

/* Cuts degrees so that they are graphical: all to the largest cap that makes them so, one more
 * from a largest degree if the sum is odd. Returns what was cut in *cut. O(N log N). */
pdpr_status pdpr_i_degrees_make_graphical(pdpr_context *ctx, uint32_t *degree, uint32_t num_nodes,
                                          uint64_t *cut, pdpr_error *err);

/* ---------------------------------------------------------------- rows (build_rows.c) */

/* A graph under construction. Row u has room for exactly its final degree, so that adding never
 * allocates. Rows are not sorted. */
typedef struct {
    uint32_t num_nodes;
    uint64_t num_edges;
    uint64_t *start;  /* [N + 1] */
    uint32_t *length; /* [N]: neighbours so far */
    uint32_t *entry;  /* [start[N]] */
    uint64_t *slot;   /* set of the edges between two long rows; 0 is free */
    uint64_t mask;
    uint32_t *stamp; /* [N]: workspace of common neighbours */
    uint32_t now;
} pdpr_i_rows;

pdpr_status pdpr_i_rows_init(pdpr_context *ctx, const uint32_t *degree, uint32_t num_nodes,
                             pdpr_i_rows *rows, pdpr_error *err);
void pdpr_i_rows_clear(pdpr_i_rows *rows);
/* Takes all edges away but those among kept nodes, which have no others. */
void pdpr_i_rows_empty(pdpr_i_rows *rows, const bool *kept);

static inline const uint32_t *pdpr_i_row(const pdpr_i_rows *rows, uint32_t u)
{
    return rows->entry + rows->start[u];
}

static inline uint32_t pdpr_i_room(const pdpr_i_rows *rows, uint32_t u)
{
    return (uint32_t)(rows->start[u + 1] - rows->start[u]) - rows->length[u];
}

bool pdpr_i_rows_has(const pdpr_i_rows *rows, uint32_t u, uint32_t v);
/* u != v, not there yet, room in both rows. */
void pdpr_i_rows_add(pdpr_i_rows *rows, uint32_t u, uint32_t v);
/* The edge is there. */
void pdpr_i_rows_remove(pdpr_i_rows *rows, uint32_t u, uint32_t v);
/* True if u-v may be added, which it then is. */
bool pdpr_i_rows_try(pdpr_i_rows *rows, uint32_t u, uint32_t v);
/* A stamp that no node has: rows->stamp is anybody's until the next call into the rows. */
uint32_t pdpr_i_rows_next_stamp(pdpr_i_rows *rows);
/* Nodes next to both. */
uint64_t pdpr_i_rows_common(pdpr_i_rows *rows, uint32_t u, uint32_t v);
/* O(m sqrt m) at most. */
uint64_t pdpr_i_rows_triangles(pdpr_i_rows *rows);
/* A uniform neighbour of u, which has one. */
uint32_t pdpr_i_rows_neighbour(const pdpr_i_rows *rows, uint32_t u, pdpr_i_stream *random);

/* Edges a-c and b-d become a-b and c-d. */
typedef struct {
    uint32_t a, c, b, d;
} pdpr_i_swap;

/* a-c and b-d are edges. True if the four are different and a-b and c-d are free. */
bool pdpr_i_swap_is_possible(const pdpr_i_rows *rows, const pdpr_i_swap *swap);
/* By how much the number of triangles would change. */
int64_t pdpr_i_swap_change(pdpr_i_rows *rows, const pdpr_i_swap *swap);
void pdpr_i_swap_make(pdpr_i_rows *rows, const pdpr_i_swap *swap);

/* ---------------------------------------------------------------- the work in hand */

typedef struct {
    pdpr_context *ctx;
    const pdpr_i_build_targets *targets;
    pdpr_i_stream *random;
    uint32_t num_nodes;
    uint32_t *degree; /* [N]: graphical */
    bool *apart;      /* [N]: in a small component, which is finished and never touched again */
    uint32_t *place;  /* [N]: where the node lies, along a curve of length 2^32 */
    uint64_t *point;  /* [N]: the same on the strip that the curve goes through (build_strip.c) */
    uint64_t squares; /* how many the strip is long; one wide */
    double reach;     /* what a link reaches, as a share of the strip */
    double closed;    /* probability that a link goes on beyond the ends of the strip */
    pdpr_i_rows rows;
    uint64_t *item, *scratch; /* [sum of degrees]: (key, node) to be sorted */
    uint64_t wanted;          /* triangles: the target, at most what the degrees could hold */
    uint64_t triangles;       /* of the graph as it stands, once counted */
    uint64_t tries;           /* swaps looked at so far, to bring the two together */
} pdpr_i_building;

/* Lays b->place out for a locality in [0,1]: sets point, squares, reach and closed
 * (build_strip.c). */
pdpr_status pdpr_i_strip_lay_out(pdpr_i_building *b, double locality, pdpr_error *err);
/* Another reach on the same strip; more than 1 is taken for 1. */
void pdpr_i_strip_set_reach(pdpr_i_building *b, double reach);
/* A key near u's place; hubs reach further, since their links need many different ends. */
uint32_t pdpr_i_building_key(pdpr_i_building *b, uint32_t u);
/* The share of the strip that a link between the two reaches. */
double pdpr_i_building_share_between(const pdpr_i_building *b, uint32_t u, uint32_t v);

/* Small components, from low degrees or of hubs with their leaves (build_small.c). */
pdpr_status pdpr_i_build_small(pdpr_i_building *b, pdpr_error *err);

/* A tree that grows. */
typedef struct {
    uint32_t *open; /* a node once for each link that it still lacks */
    uint64_t opens;
} pdpr_i_growing;

/* Hangs u on a random open link of the tree, or begins the tree with it; u's other links become
 * open, and u apart. Leaves come last, one for every open link. */
pdpr_status pdpr_i_hang(pdpr_i_building *b, pdpr_i_growing *tree, uint32_t u, pdpr_i_links *links,
                        pdpr_error *err);

/* So many trees of inner nodes of any degree, or fewer if leaves run out (build_trees.c). */
pdpr_status pdpr_i_build_trees(pdpr_i_building *b, uint64_t wanted, pdpr_i_links *links,
                               pdpr_error *err);

/* How much of the degrees goes into dense groups, and how large they are (build_groups.c). */
typedef struct {
    double share;        /* of a node's links that are in groups */
    double largest_size; /* groups have at most so many nodes; in between: both neighbours */
    double width;        /* of the curve, over which a group may spread, in what a link reaches */
} pdpr_i_group_plan;

/* Plans groups that hold about `triangles` triangles by themselves; *expected tells how many. The
 * width is left to the caller. */
pdpr_status pdpr_i_plan_groups(const pdpr_i_building *b, double triangles, pdpr_i_group_plan *plan,
                               double *expected, pdpr_error *err);
pdpr_status pdpr_i_build_groups(pdpr_i_building *b, const pdpr_i_group_plan *plan, pdpr_error *err);

/* Pairs the links that are still open, near ones first; *complete tells whether all found a
 * partner (build_match.c). */
pdpr_status pdpr_i_build_match(pdpr_i_building *b, bool *complete, pdpr_error *err);

/* The certain way to a graph with the degrees of all nodes that are not apart: Havel and Hakimi,
 * then random swaps (build_exact.c). */
pdpr_status pdpr_i_build_exact(pdpr_i_building *b, pdpr_error *err);

/* Swaps edges until the number of triangles is the target's, or no swap helps (build_steer.c). */
pdpr_status pdpr_i_build_steer(pdpr_i_building *b, pdpr_error *err);

/* Joins components that are not apart by swaps; *components: how many are left, *joined: how many
 * swaps it took (build_join.c). */
pdpr_status pdpr_i_build_join(pdpr_i_building *b, uint64_t *components, uint64_t *joined,
                              pdpr_error *err);

#endif
