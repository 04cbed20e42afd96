/* What the tests share. */
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

pdpr_context *test_context(uint32_t threads)
{
    pdpr_context_options options;
    pdpr_context *ctx = NULL;
    pdpr_context_options_default(&options);
    options.threads = threads;
    assert_ok(pdpr_context_new(&options, &ctx, NULL));
    return ctx;
}

pdpr_graph *test_graph(pdpr_context *ctx, uint32_t num_nodes, const uint32_t *pairs, uint64_t count)
{
    pdpr_graph *g = NULL;
    assert_ok(pdpr_graph_from_pairs(ctx, num_nodes, pairs, count, false, &g, NULL));
    return g;
}

pdpr_graph *test_graph_empty(pdpr_context *ctx, uint32_t num_nodes)
{
    return test_graph(ctx, num_nodes, NULL, 0);
}

/* Collects the pairs (u, v) for which `wanted` holds. */
static pdpr_graph *graph_where(pdpr_context *ctx, uint32_t n,
                               bool (*wanted)(uint32_t u, uint32_t v, uint32_t n))
{
    uint32_t *pairs = malloc((size_t)n * n * sizeof *pairs + 1);
    uint64_t count = 0;
    assert_non_null(pairs);
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = u + 1; v < n; v++)
            if (wanted(u, v, n)) {
                pairs[2 * count] = u;
                pairs[2 * count + 1] = v;
                count++;
            }
    pdpr_graph *g = test_graph(ctx, n, pairs, count);
    free(pairs);
    return g;
}

static bool always(uint32_t u, uint32_t v, uint32_t n)
{
    (void)u, (void)v, (void)n;
    return true;
}

static bool from_zero(uint32_t u, uint32_t v, uint32_t n)
{
    (void)v, (void)n;
    return u == 0;
}

static bool consecutive(uint32_t u, uint32_t v, uint32_t n)
{
    (void)n;
    return v == u + 1;
}

static bool around(uint32_t u, uint32_t v, uint32_t n)
{
    return v == u + 1 || (u == 0 && v == n - 1);
}

pdpr_graph *test_graph_complete(pdpr_context *ctx, uint32_t num_nodes)
{
    return graph_where(ctx, num_nodes, always);
}

pdpr_graph *test_graph_star(pdpr_context *ctx, uint32_t num_nodes)
{
    return graph_where(ctx, num_nodes, from_zero);
}

pdpr_graph *test_graph_path(pdpr_context *ctx, uint32_t num_nodes)
{
    return graph_where(ctx, num_nodes, consecutive);
}

pdpr_graph *test_graph_cycle(pdpr_context *ctx, uint32_t num_nodes)
{
    return graph_where(ctx, num_nodes, around);
}

const char *test_dataset(const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/../shared/datasets/%s", TEST_SOURCE_DIR, name);
    if (access(path, R_OK) == 0)
        return path;
    printf("skipped: %s is not there\n", path);
    return NULL;
}

void test_assert_close(double a, double b, double relative, const char *file, int line)
{
    double larger = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    if (!(fabs(a - b) <= relative * larger + 1e-300)) {
        print_error("%.17g and %.17g differ by more than %g relative\n", a, b, relative);
        _fail(file, line);
    }
}
