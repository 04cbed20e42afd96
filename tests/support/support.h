/* Shared by the tests: cmocka in the order it needs, a context, small graphs, close comparison,
 * failing allocations. */
#ifndef PDPR_TESTS_SUPPORT_H
#define PDPR_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <privdpr/privdpr.h>
#include "base/base.h"
#include "graph/graph.h"

/* A context with `threads` threads (0: all) and no callbacks; fails the test if it cannot be had.
 */
pdpr_context *test_context(uint32_t threads);

/* An undirected graph of `count` pairs. */
pdpr_graph *test_graph(pdpr_context *ctx, uint32_t num_nodes, const uint32_t *pairs,
                       uint64_t count);
pdpr_graph *test_graph_empty(pdpr_context *ctx, uint32_t num_nodes);
pdpr_graph *test_graph_complete(pdpr_context *ctx, uint32_t num_nodes);
pdpr_graph *test_graph_star(pdpr_context *ctx, uint32_t num_nodes); /* centre 0 */
pdpr_graph *test_graph_path(pdpr_context *ctx, uint32_t num_nodes);
pdpr_graph *test_graph_cycle(pdpr_context *ctx, uint32_t num_nodes);

/* The full path of a file in ../shared/datasets, or NULL (and a word on stdout) when the folder is
 * missing. */
const char *test_dataset(const char *name, char *path, size_t size);

/* |a - b| <= relative * max(|a|, |b|) + 1e-300; prints both otherwise. */
#define assert_close(a, b, relative) test_assert_close((a), (b), (relative), __FILE__, __LINE__)
void test_assert_close(double a, double b, double relative, const char *file, int line);

#define assert_ok(call)                                                  \
    do {                                                                 \
        pdpr_status ok_status = (call);                                  \
        if (ok_status != PDPR_OK)                                        \
            fail_msg("%s failed with status %d", #call, (int)ok_status); \
    } while (0)

/* Runs `body` (which must leave its pdpr_status in `status` and free what it got) with the 1st,
 * 2nd, … allocation failing, until it runs through. Every failure must be PDPR_ENOMEM and must
 * leave no memory in use. */
#define FOR_EACH_ALLOCATION_FAILURE(ctx, status, ...)                      \
    do {                                                                   \
        uint64_t fa_before = pdpr_context_memory((ctx), NULL);             \
        for (uint64_t fa_nth = 1;; fa_nth++) {                             \
            pdpr_i_fail_allocation((ctx), fa_nth);                         \
            (status) = PDPR_OK;                                            \
            __VA_ARGS__;                                                   \
            uint64_t fa_calls = pdpr_i_fail_allocation((ctx), 0);          \
            assert_int_equal(pdpr_context_memory((ctx), NULL), fa_before); \
            if (fa_calls < fa_nth) {                                       \
                assert_int_equal((status), PDPR_OK);                       \
                break;                                                     \
            }                                                              \
            assert_int_equal((status), PDPR_ENOMEM);                       \
        }                                                                  \
    } while (0)

#endif
