/* What the tests of the builder share. */
#include "support/built.h"

#include <stdlib.h>
#include <string.h>

pdpr_graph *test_build(pdpr_context *ctx, const pdpr_i_build_targets *targets, uint64_t seed,
                       pdpr_i_build_outcome *outcome)
{
    pdpr_graph *g = NULL;
    pdpr_i_key key;
    pdpr_i_stream random;
    pdpr_i_key_from_seed(seed, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, 0);
    assert_ok(pdpr_i_build(ctx, targets, &random, &g, outcome, NULL));
    assert_true(pdpr_i_graph_is_valid(g));
    assert_false(pdpr_graph_is_directed(g));
    assert_int_equal(pdpr_graph_num_nodes(g), targets->num_nodes);
    return g;
}

uint64_t test_count_triangles(const pdpr_graph *g)
{
    uint64_t found = 0;
    for (uint32_t u = 0; u < g->num_nodes; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
            uint32_t v = g->target[i];
            uint64_t x = g->offset[u], y = g->offset[v];
            while (v > u && x < g->offset[u + 1] && y < g->offset[v + 1])
                if (g->target[x] < g->target[y]) {
                    x++;
                } else if (g->target[x] > g->target[y]) {
                    y++;
                } else {
                    found += g->target[x] > v;
                    x++, y++;
                }
        }
    return found;
}

uint64_t test_count_components(const pdpr_graph *g, uint32_t *largest, uint32_t *nodes)
{
    uint32_t *queue = malloc((size_t)g->num_nodes * sizeof *queue + 1);
    bool *seen = calloc((size_t)g->num_nodes + 1, sizeof *seen);
    uint64_t components = 0;
    assert_true(queue && seen);
    *largest = *nodes = 0;
    for (uint32_t u = 0; u < g->num_nodes; u++) {
        uint32_t head = 0, tail = 0;
        if (seen[u] || pdpr_i_degree(g, u) == 0)
            continue;
        seen[u] = true;
        queue[tail++] = u;
        while (head < tail) {
            uint32_t x = queue[head++];
            for (uint64_t i = g->offset[x]; i < g->offset[x + 1]; i++)
                if (!seen[g->target[i]]) {
                    seen[g->target[i]] = true;
                    queue[tail++] = g->target[i];
                }
        }
        components++;
        *nodes += tail;
        *largest = tail > *largest ? tail : *largest;
    }
    free(queue);
    free(seen);
    return components;
}

bool test_has_degrees(const pdpr_graph *g, const uint32_t *degree)
{
    for (uint32_t u = 0; u < g->num_nodes; u++)
        if (pdpr_i_degree(g, u) != degree[u])
            return false;
    return true;
}

bool test_same_graph(const pdpr_graph *a, const pdpr_graph *b)
{
    return a->num_nodes == b->num_nodes && a->num_arcs == b->num_arcs &&
           memcmp(a->target, b->target, a->num_arcs * sizeof *a->target) == 0 &&
           memcmp(a->offset, b->offset, ((size_t)a->num_nodes + 1) * sizeof *a->offset) == 0;
}
