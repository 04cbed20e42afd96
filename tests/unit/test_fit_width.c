/* Graphs that would be far too wide at a small budget: they lose triangles until they are not, as
 * far as the noise of the triangles allows, and no others do. */
#include "support/support.h"
#include "blueprint/blueprint.h"

#include <math.h>

enum { N = 3000 };

typedef struct {
    uint32_t degree[N];
    pdpr_i_bp_plan plan;
    pdpr_i_bp_numbers numbers;
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
    f->numbers = (pdpr_i_bp_numbers){.theta = 6, .wide = 12, .triangle_cap = {4, 8}};
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
    assert_ok(pdpr_i_bp_fit_width(ctx, &f->plan, &f->numbers, &f->random, &f->targets, NULL));
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

/* What the triangles' answers say, less two deviations, is the least that is believed. */
static void width_takes_no_more_triangles_than_noise_may_have_brought(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    for (uint32_t number = 0; number < 2; number++) {
        fitted *f = fit_of(0.2, 3, 900);
        pdpr_i_bp_query query = number == 0 ? PDPR_I_BP_TRIANGLES_1 : PDPR_I_BP_TRIANGLES_2;
        double deviation = sqrt(2) * (double)pdpr_i_bp_sensitivity(&f->plan, &f->numbers, query) /
                           2 / pdpr_i_bp_precision(&f->plan, query);
        assert_ok(pdpr_i_bp_fit_width(ctx, &f->plan, &f->numbers, &f->random, &f->targets, NULL));
        uint64_t enough = f->targets.triangles;
        for (int more = -40; more <= 40; more += 40) {
            double least = (double)enough + more;
            f->targets.triangles = 900;
            f->numbers.triangles[number] = (int64_t)(2 * (least + 2 * deviation));
            assert_ok(
                pdpr_i_bp_fit_width(ctx, &f->plan, &f->numbers, &f->random, &f->targets, NULL));
            assert_true((double)f->targets.triangles >= least - 1);
            assert_true(more > -40 || f->targets.triangles == enough);
        }
        f->targets.triangles = 900; /* well known: they stay */
        f->numbers.triangles[number] = (int64_t)(2 * (890 + 2 * deviation));
        assert_ok(pdpr_i_bp_fit_width(ctx, &f->plan, &f->numbers, &f->random, &f->targets, NULL));
        assert_int_equal(f->targets.triangles, 900);
    }
    pdpr_context_free(ctx);
}

static void width_of_ordinary_graphs_is_left(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    fitted *f = fit_of(0.2, 1, 900); /* four links a node */
    assert_ok(pdpr_i_bp_fit_width(ctx, &f->plan, &f->numbers, &f->random, &f->targets, NULL));
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
    assert_ok(pdpr_i_bp_fit_width(ctx, &f->plan, &f->numbers, &f->random, &f->targets, NULL));
    assert_int_equal(f->targets.triangles, 20);
    f->targets.triangles = 0;
    assert_ok(pdpr_i_bp_fit_width(ctx, &f->plan, &f->numbers, &f->random, &f->targets, NULL));
    assert_int_equal(f->targets.triangles, 0);
    pdpr_context_free(ctx);
}

/* Paths asked; the same without their answers, as in a release whose questions were others, but
 * degrees that are well known. */
static void width_is_left_where_it_is_known(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    fitted *f = fit_of(3.2, 3, 900);
    assert_true(f->plan.asks[PDPR_I_BP_PATHS_1]);
    f->numbers.theta = 64;
    f->numbers.window[0] = f->numbers.window[1] = (pdpr_i_path_window){1, 24};
    assert_false(pdpr_i_bp_noise_hides_width(&f->plan, &f->numbers));
    f->numbers.window[1].horizon = 0;
    assert_true(pdpr_i_bp_noise_hides_width(&f->plan, &f->numbers));
    f->numbers.theta = 6;
    assert_false(pdpr_i_bp_noise_hides_width(&f->plan, &f->numbers));
    assert_ok(pdpr_i_bp_fit_width(ctx, &f->plan, &f->numbers, &f->random, &f->targets, NULL));
    assert_int_equal(f->targets.triangles, 900);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(width_of_a_tree_of_triangles_is_cut),
        cmocka_unit_test(width_takes_no_more_triangles_than_noise_may_have_brought),
        cmocka_unit_test(width_of_ordinary_graphs_is_left),
        cmocka_unit_test(width_that_triangles_do_not_make_is_left),
        cmocka_unit_test(width_is_left_where_it_is_known),
    };
    return cmocka_run_group_tests_name("blueprint: width", tests, NULL, NULL);
}
