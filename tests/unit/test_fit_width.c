/* Graphs that would be far too wide at a small budget: they lose triangles until they are not, and
 * no others do. */
#include "support/support.h"
#include "blueprint/blueprint.h"

#include <math.h>

enum { N = 3000 };

typedef struct {
    uint32_t degree[N];
    pdpr_i_bp_plan plan;
    pdpr_i_stream random;
    pdpr_i_build_targets targets;
} fitted;

/* Every `every`th node has four links, the others have two: little more than a tree. */
static fitted *fit_of(double epsilon, uint32_t every, uint64_t triangles)
{
    static fitted the_one;
    fitted *f = &the_one;
    pdpr_i_key key;
    for (uint32_t u = 0; u < N; u++)
        f->degree[u] = u % every == 0 ? 4 : 2;
    assert_ok(pdpr_i_bp_plan_make(N, epsilon, &f->plan, NULL));
    pdpr_i_key_from_seed(1, &key);
    pdpr_i_stream_init(&f->random, &key, PDPR_I_PURPOSE_BLUEPRINT_FIT, 0);
    f->targets = (pdpr_i_build_targets){
        .num_nodes = N, .degree = f->degree, .triangles = triangles, .small_mean_size = 3};
    return f;
}

static double built_distance(pdpr_context *ctx, const fitted *f)
{
    pdpr_i_stream random = f->random;
    pdpr_graph *g = NULL;
    double distance;
    assert_ok(pdpr_i_build(ctx, &f->targets, &random, &g, NULL, NULL));
    assert_ok(pdpr_i_mean_distance(ctx, g, 12, &distance, NULL));
    pdpr_graph_free(g);
    return distance;
}

static void width_of_a_tree_of_triangles_is_cut(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    fitted *f = fit_of(0.2, 3, 900);
    double most = 1.5 * log(N) / log(3), before = built_distance(ctx, f);
    pdpr_i_stream same = f->random;
    assert_false(f->plan.asks[PDPR_I_BP_PATHS_1]);
    assert_true(before > 1.5 * most);
    assert_ok(pdpr_i_bp_fit_width(ctx, &f->plan, &f->random, &f->targets, NULL));
    double after = built_distance(ctx, f);
    if (!(after <= most && f->targets.triangles < 900 && f->targets.triangles > 40))
        fail_msg("distance %.1f to %.1f, %" PRIu64 " triangles", before, after,
                 f->targets.triangles);
    assert_memory_equal(&same, &f->random, sizeof same); /* the stream has not moved */
    /* no more of them than needed: a third more, and it is too wide again */
    f->targets.triangles = f->targets.triangles * 4 / 3 + 1;
    assert_true(built_distance(ctx, f) > most);
    pdpr_context_free(ctx);
}

static void width_of_ordinary_graphs_is_left(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    fitted *f = fit_of(0.2, 1, 900); /* four links a node */
    assert_ok(pdpr_i_bp_fit_width(ctx, &f->plan, &f->random, &f->targets, NULL));
    assert_int_equal(f->targets.triangles, 900);
    pdpr_context_free(ctx);
}

/* One node in sixty has four links: wide with and without its triangles. */
static void width_that_triangles_do_not_make_is_left(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    fitted *f = fit_of(0.2, 60, 20);
    assert_true(built_distance(ctx, f) > 1.5 * log(N) / log(3));
    assert_ok(pdpr_i_bp_fit_width(ctx, &f->plan, &f->random, &f->targets, NULL));
    assert_int_equal(f->targets.triangles, 20);
    f->targets.triangles = 0;
    assert_ok(pdpr_i_bp_fit_width(ctx, &f->plan, &f->random, &f->targets, NULL));
    assert_int_equal(f->targets.triangles, 0);
    pdpr_context_free(ctx);
}

static void width_is_left_where_paths_were_asked(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    fitted *f = fit_of(3.2, 3, 900);
    assert_true(f->plan.asks[PDPR_I_BP_PATHS_1]);
    assert_ok(pdpr_i_bp_fit_width(ctx, &f->plan, &f->random, &f->targets, NULL));
    assert_int_equal(f->targets.triangles, 900);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(width_of_a_tree_of_triangles_is_cut),
        cmocka_unit_test(width_of_ordinary_graphs_is_left),
        cmocka_unit_test(width_that_triangles_do_not_make_is_left),
        cmocka_unit_test(width_is_left_where_paths_were_asked),
    };
    return cmocka_run_group_tests_name("blueprint: width", tests, NULL, NULL);
}
