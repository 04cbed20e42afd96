/* The bound on every gradient of V: where it is given, that hostile networks and graphs come close
 * to it and stay below, and that training without the network gives the same V. */
#include "support/trained.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double papers_grid = 0x1p-26; /* Cora, epsilon 3.2: `privdpr plan` */

static void bound_is_given_at_the_papers_settings(void **state)
{
    (void)state;
    const uint32_t nodes[] = {2708, 3327, 6301, 12979, 70355};
    for (int i = 0; i < 5; i++) {
        pdpr_i_paper_setting p;
        pdpr_i_train_options o;
        pdpr_i_paper_setting_default(nodes[i], &p);
        pdpr_i_train_options_paper(nodes[i], &o);
        for (int pairing = 0; pairing < 2; pairing++)
            assert_true(pdpr_i_signal_is_below(&p, &o.shape, (pdpr_i_pairing)pairing, papers_grid));
    }
}

static void bound_is_refused_where_a_gradient_could_reach_the_grid(void **state)
{
    (void)state;
    pdpr_i_paper_setting p;
    pdpr_i_train_options o;
    pdpr_i_paper_setting_default(2708, &p);
    pdpr_i_train_options_paper(2708, &o);
    double radius = pdpr_i_paper_certified_radius(&p, o.shape.layers, PDPR_I_PAIRS_CONSECUTIVE);
    assert_false(pdpr_i_signal_is_below(&p, &o.shape, PDPR_I_PAIRS_CONSECUTIVE, radius));
    assert_true(pdpr_i_signal_is_below(&p, &o.shape, PDPR_I_PAIRS_CONSECUTIVE, radius * 1.01));
    o.shape.layers = 7;
    assert_false(pdpr_i_signal_is_below(&p, &o.shape, PDPR_I_PAIRS_CONSECUTIVE, papers_grid));
    o.shape.layers = 9;
    o.shape.scale = 0; /* weights as they are */
    assert_false(pdpr_i_signal_is_below(&p, &o.shape, PDPR_I_PAIRS_CONSECUTIVE, papers_grid));
    o.shape.scale = 2; /* not the scale of the constants */
    assert_false(pdpr_i_signal_is_below(&p, &o.shape, PDPR_I_PAIRS_CONSECUTIVE, papers_grid));
    p.scale = 0.5;
    o.shape.scale = 0.5;
    assert_false(pdpr_i_signal_is_below(&p, &o.shape, PDPR_I_PAIRS_CONSECUTIVE, papers_grid));
}

/* ---------------------------------------------------------------- hostile networks */

enum { NODES = 1000, R = 6, D = 8, PAIRS = 12, SLOTS = 2 };

/* The largest coordinate of the computed gradient for PAIRS pairs of a node of degree one with a
 * hub, in units of the bound. */
static double share_of_bound(pdpr_context *ctx, pdpr_i_network *net, const float *v)
{
    const uint32_t nodes[SLOTS] = {0, 1}, out_degree[SLOTS] = {1, NODES - 1},
                   in_degree[SLOTS] = {1, NODES - 1};
    const pdpr_i_edge_loss loss = {NODES, 0.85};
    pdpr_i_slot_pair pairs[PAIRS];
    double by_output[SLOTS], largest = 0;
    for (int k = 0; k < PAIRS; k++)
        pairs[k] = (pdpr_i_slot_pair){0, 1};
    assert_ok(pdpr_i_network_prepare(ctx, net, NULL));
    assert_ok(pdpr_i_network_forward(ctx, net, v, nodes, SLOTS, NULL));
    pdpr_i_edge_loss_sum(&loss, pairs, PAIRS, SLOTS, net->output, out_degree, in_degree, by_output);
    assert_ok(pdpr_i_network_backward(ctx, net, by_output, SLOTS, NULL));
    for (int i = 0; i < SLOTS * R; i++)
        largest = fmax(largest, fabs(net->row_gradient[i]));

    pdpr_i_paper_setting p;
    pdpr_i_paper_setting_default(NODES, &p);
    p.batch = PAIRS;
    p.walks = p.walk_length = 1;
    p.scale = net->shape.scale;
    return largest / pdpr_i_paper_certified_radius(&p, net->shape.layers, PDPR_I_PAIRS_CONSECUTIVE);
}

/* Weights u u^T with u of sum zero: every activation is 1/2, where the sigmoid is steepest, and the
 * gradient goes through each level along the top singular vectors. */
static void aim_weights(pdpr_i_network *net)
{
    double u[D], *w = net->parameter;
    for (int i = 0; i < D; i++)
        u[i] = i % 2 ? 1 : -1;
    memset(w, 0, net->num_parameters * sizeof *w);
    if (net->shape.layers == 0) {
        w[0] = 1;
        return;
    }
    memcpy(w, u, sizeof u); /* the first row of W_1 */
    w += R * D;
    for (uint32_t l = 1; l < net->shape.layers; l++, w += D * D)
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++)
                w[i * D + j] = u[i] * u[j];
    memcpy(w, u, sizeof u);
}

static void computed_gradients_come_close_to_the_bound_and_stay_below(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_key key;
    pdpr_i_stream random;
    pdpr_i_key_from_seed(3, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, 0);
    const double scales[] = {1, 1.5, 8};
    for (uint32_t layers = 0; layers <= 10; layers++)
        for (int k = 0; k < 3; k++) {
            pdpr_i_network_shape shape = {
                .inputs = R, .width = D, .layers = layers, .scale = scales[k]};
            pdpr_i_network net;
            float v[SLOTS * R] = {0};
            assert_ok(pdpr_i_network_init(ctx, &shape, SLOTS, &net, NULL));
            aim_weights(&net);
            double aimed = share_of_bound(ctx, &net, v);
            assert_true(aimed > 0.8 && aimed <= 1 + 0x1p-10);
            if (layers == 0) { /* f can be chosen: 2/3 for the node, next to 0 for the hub */
                v[0] = (float)(log(2) * scales[k]);
                v[R] = -100;
                aimed = share_of_bound(ctx, &net, v);
                assert_true(aimed > 0.99 && aimed <= 1 + 0x1p-10);
            }
            for (int run = 0; run < 50; run++) {
                for (int i = 0; i < SLOTS * R; i++)
                    v[i] = (float)(pdpr_i_start_normal(&random) * pow(10, run % 5 - 2));
                pdpr_i_network_start(&net, &random);
                assert_true(share_of_bound(ctx, &net, v) <= 1 + 0x1p-10);
            }
            pdpr_i_network_clear(&net);
        }
    pdpr_context_free(ctx);
}

/* Not finite embeddings and weights, too: what is no number counts as zero behind the network. */
static void gradients_of_odd_numbers_stay_below_the_bound(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f};
    for (int k = 0; k < 4; k++) {
        pdpr_i_network_shape shape = {.inputs = R, .width = D, .layers = 3, .scale = 2};
        pdpr_i_network net;
        float v[SLOTS * R] = {0};
        v[1] = v[R] = odd[k];
        assert_ok(pdpr_i_network_init(ctx, &shape, SLOTS, &net, NULL));
        aim_weights(&net);
        assert_true(share_of_bound(ctx, &net, v) <= 1 + 0x1p-10);
        net.parameter[3] = odd[k];
        assert_true(share_of_bound(ctx, &net, v) <= 1 + 0x1p-10);
        pdpr_i_network_clear(&net);
    }
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- training */

/* A stand-in for the barrier: the gradient toward zero on a grid, and something on every row. */
typedef struct {
    double grid;
    uint64_t not_zero; /* coordinates that reached the grid */
    uint64_t rows;     /* with a gradient */
} rounding;

static pdpr_status round_rows(void *user, pdpr_context *ctx, const pdpr_i_embedding_gradient *g,
                              pdpr_i_row_sink sink, void *sink_arg, pdpr_error *err)
{
    rounding *r = user;
    double row[64];
    (void)ctx, (void)err;
    r->rows += g->num_rows;
    for (uint32_t u = 0; u < g->num_nodes; u++) {
        uint32_t slot = g->slot_of[u];
        for (uint32_t k = 0; k < g->cols; k++) {
            double x = slot < g->num_rows ? trunc(g->gradient[slot * g->cols + k] / r->grid) : 0;
            r->not_zero += x != 0;
            row[k] = r->grid * (x + 1e6 * sin((double)(g->step * 7 + u * 3 + k)));
        }
        sink(sink_arg, u, 1, row);
    }
    return PDPR_OK;
}

static float *train(pdpr_context *ctx, const pdpr_graph *g, const pdpr_i_train_options *o,
                    rounding *r)
{
    pdpr_i_trainer t;
    pdpr_i_key key;
    pdpr_i_key_from_seed(9, &key);
    assert_ok(pdpr_i_trainer_init(ctx, g, o, &key, &t, NULL));
    t.perturb = round_rows;
    t.perturb_user = r;
    assert_ok(test_train(ctx, &t, NULL));
    float *v = t.v;
    t.v = NULL;
    pdpr_i_trainer_clear(&t);
    return v;
}

static void training_without_the_network_gives_the_same_embedding(void **state)
{
    (void)state;
    enum { N = 200, COLS = 16 };
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = NULL;
    pdpr_i_train_options o;
    rounding full = {.grid = papers_grid}, none = full, fine = {.grid = 1e-30};
    assert_ok(pdpr_generate_social(ctx, N, 800, 0.5, 1, &g, NULL));
    pdpr_i_train_options_paper(N, &o);
    o.shape.inputs = COLS;
    o.shape.layers = 9;
    o.epochs = 2;
    float *with = train(ctx, g, &o, &full);
    float *seen = train(ctx, g, &o, &fine);
    o.skip_network = true;
    float *without = train(ctx, g, &o, &none);
    assert_memory_equal(with, without, N * COLS * sizeof *with);
    assert_true(full.rows > 0 && full.not_zero == 0);
    assert_true(none.rows == 0 && none.not_zero == 0);
    assert_true(fine.not_zero > 0); /* there was a gradient to be seen */
    pdpr_free(with);
    pdpr_free(seen);
    pdpr_free(without);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* Noise on the grid, a function of step, row and column: what the barrier hands over. */
typedef struct {
    pdpr_i_trainer *t;
    uint32_t calls;
} grid_noise;

static pdpr_status hand_over_grid(void *user, pdpr_context *ctx, const pdpr_i_embedding_gradient *g,
                                  pdpr_i_row_sink sink, void *sink_arg, pdpr_error *err)
{
    grid_noise *n = user;
    int64_t row[64];
    (void)ctx, (void)sink, (void)sink_arg, (void)err;
    n->calls++;
    for (uint32_t u = 0; u < g->num_nodes; u++)
        for (uint32_t ahead = 0; ahead < g->steps; ahead++) {
            for (uint32_t k = 0; k < g->cols; k++)
                row[k] = (int64_t)(((g->step + ahead) * 7919 + u * 31 + k) % 1000) - 500;
            pdpr_i_trainer_take_grid(n->t, ahead, u, 1, 0x1p-10, row);
        }
    return PDPR_OK;
}

static void steps_made_together_give_the_same_embedding(void **state)
{
    (void)state;
    enum { N = 200, COLS = 16 };
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = NULL;
    pdpr_i_train_options o;
    pdpr_i_key key;
    float *v[2];
    uint64_t steps = 0;
    grid_noise n[2] = {{0}};
    assert_ok(pdpr_generate_social(ctx, N, 800, 0.5, 1, &g, NULL));
    pdpr_i_train_options_paper(N, &o);
    pdpr_i_key_from_seed(9, &key);
    o.shape.inputs = COLS;
    o.epochs = 2;
    o.skip_network = true;
    for (uint32_t i = 0; i < 2; i++) {
        pdpr_i_trainer t;
        assert_ok(pdpr_i_trainer_init(ctx, g, &o, &key, &t, NULL));
        n[i].t = &t;
        t.perturb = hand_over_grid;
        t.perturb_user = &n[i];
        while (t.step < t.num_steps)
            assert_ok(pdpr_i_trainer_steps(ctx, &t, i == 0 ? 1 : 7, NULL));
        assert_int_equal(t.step, t.num_steps);
        steps = t.num_steps;
        v[i] = t.v;
        t.v = NULL;
        pdpr_i_trainer_clear(&t);
    }
    assert_int_equal(n[0].calls, steps);
    assert_int_equal(n[1].calls, (steps + 6) / 7);
    assert_memory_equal(v[0], v[1], N * COLS * sizeof *v[0]);
    pdpr_free(v[0]);
    pdpr_free(v[1]);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bound_is_given_at_the_papers_settings),
        cmocka_unit_test(bound_is_refused_where_a_gradient_could_reach_the_grid),
        cmocka_unit_test(computed_gradients_come_close_to_the_bound_and_stay_below),
        cmocka_unit_test(gradients_of_odd_numbers_stay_below_the_bound),
        cmocka_unit_test(training_without_the_network_gives_the_same_embedding),
        cmocka_unit_test(steps_made_together_give_the_same_embedding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
