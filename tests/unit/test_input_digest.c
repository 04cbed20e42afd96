/* A private run: what its noise is bound to. */
#include "support/support.h"
#include "dp/private_run.h"

#include <string.h>

static const char key[] = "00";

static pdpr_graph *graph_of(pdpr_context *ctx, uint32_t num_nodes, bool directed,
                            const uint32_t *pairs, uint64_t count)
{
    const pdpr_i_pair_block block = {pairs, count};
    pdpr_i_names *names = NULL;
    pdpr_graph *g = NULL;
    assert_ok(pdpr_i_names_numbered(ctx, 0, &names, NULL));
    assert_ok(pdpr_i_graph_build(ctx, num_nodes, &block, 1, directed, names, &g, NULL, NULL, NULL));
    pdpr_i_names_release(names);
    return g;
}

/* The dataset's key is the same for a graph and its reverse, so that they share a budget; with
 * equal bytes from the kernel (a cloned machine) they must get different noise all the same. */
static void digest_tells_inputs_apart_that_share_a_budget(void **state)
{
    (void)state;
    static const uint32_t path[] = {0, 1, 1, 2}, reverse[] = {1, 0, 2, 1}, moved[] = {1, 2, 2, 0};
    pdpr_context *ctx = test_context(1);
    pdpr_graph *graphs[] = {graph_of(ctx, 3, true, path, 2),  graph_of(ctx, 3, true, reverse, 2),
                            graph_of(ctx, 3, true, moved, 2), graph_of(ctx, 4, true, path, 2),
                            graph_of(ctx, 3, false, path, 2), graph_of(ctx, 3, true, path, 1)};
    enum { COUNT = sizeof graphs / sizeof *graphs };
    unsigned char digest[COUNT][PDPR_I_DIGEST_BYTES], again[PDPR_I_DIGEST_BYTES];
    for (size_t i = 0; i < COUNT; i++) {
        pdpr_i_input_digest(graphs[i], key, digest[i]);
        for (size_t j = 0; j < i; j++)
            assert_memory_not_equal(digest[i], digest[j], sizeof again);
        pdpr_i_input_digest(graphs[i], key, again);
        assert_memory_equal(digest[i], again, sizeof again);
        pdpr_i_input_digest(graphs[i], "01", again);
        assert_memory_not_equal(digest[i], again, sizeof again);
    }
    for (size_t i = 0; i < COUNT; i++)
        pdpr_graph_free(graphs[i]);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digest_tells_inputs_apart_that_share_a_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
