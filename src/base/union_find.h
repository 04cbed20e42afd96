/* Groups of nodes that only ever merge: a forest of parents, kept shallow by halving the way up at
 * every search. The smaller root wins, so a group is named by its least node and the outcome does
 * not depend on the order of merging. */
#ifndef PDPR_BASE_UNION_FIND_H
#define PDPR_BASE_UNION_FIND_H

#include <stdbool.h>
#include <stdint.h>

/* Every node a group of its own. */
static inline void pdpr_i_separate(uint32_t *parent, uint32_t count)
{
    for (uint32_t u = 0; u < count; u++)
        parent[u] = u;
}

static inline uint32_t pdpr_i_find_root(uint32_t *parent, uint32_t u)
{
    while (parent[u] != u) {
        parent[u] = parent[parent[u]];
        u = parent[u];
    }
    return u;
}

/* Merges the groups of a and b; true if they were apart. */
static inline bool pdpr_i_unite(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = pdpr_i_find_root(parent, a);
    b = pdpr_i_find_root(parent, b);
    if (a == b)
        return false;
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
    return true;
}

#endif
