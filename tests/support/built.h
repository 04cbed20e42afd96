/* Shared by the tests of the builder: slow, obvious facts about a graph, and one call to build. */
#ifndef PDPR_TESTS_BUILT_H
#define PDPR_TESTS_BUILT_H

#include "support/support.h"
#include "blueprint/build.h"

/* Builds with the stream of (seed, test, 0); fails the test if that fails. */
pdpr_graph *test_build(pdpr_context *ctx, const pdpr_i_build_targets *targets, uint64_t seed,
                       pdpr_i_build_outcome *outcome);

/* Each triangle once, by intersecting rows. */
uint64_t test_count_triangles(const pdpr_graph *g);

/* Components with an edge, the size of the largest, and the nodes of all of them. */
uint64_t test_count_components(const pdpr_graph *g, uint32_t *largest, uint32_t *nodes);

/* True if node u has degree[u] neighbours, for all. */
bool test_has_degrees(const pdpr_graph *g, const uint32_t *degree);

bool test_same_graph(const pdpr_graph *a, const pdpr_graph *b);

#endif
