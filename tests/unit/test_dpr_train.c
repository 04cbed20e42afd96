/* Walks, Adam and the training loop. */
#include "support/trained.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pdpr_i_key seeded_key(uint64_t seed)
{
    pdpr_i_key key;
    pdpr_i_key_from_seed(seed, &key);
    return key;
}

static pdpr_graph *directed(pdpr_context *ctx, uint32_t n, const uint32_t *pairs, uint64_t count)
{
    pdpr_graph *g = NULL;
    assert_ok(pdpr_graph_from_pairs(ctx, n, pairs, count, true, &g, NULL));
    return g;
}

static bool has_arc(const pdpr_graph *g, uint32_t u, uint32_t v)
{
    for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
        if (g->target[i] == v)
            return true;
    return false;
}

/* ---------------------------------------------------------------- walks */

static void walks_give_arcs_within_the_bounds(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = NULL;
    assert_ok(pdpr_generate_social(ctx, 200, 500, 0.5, 3, &g, NULL));
    pdpr_i_walk_plan plan = {8, 3, 5, PDPR_I_PAIRS_CONSECUTIVE};
    pdpr_i_key key = seeded_key(1);
    pdpr_i_batch batch;
    uint32_t *in_degree;
    assert_ok(pdpr_i_in_degrees(ctx, g, &in_degree, NULL));
    assert_ok(pdpr_i_batch_init(ctx, 200, &plan, &batch, NULL));
    assert_int_equal(batch.max_pairs, 120);
    assert_int_equal(batch.max_slots, 128);
    for (uint32_t first = 0; first + 8 <= 200; first += 8) {
        pdpr_i_batch_walk(&batch, g, in_degree, &plan, &key, 2, first);
        assert_true(batch.num_pairs <= 120 && batch.num_slots <= 128);
        for (uint64_t i = 0; i < batch.num_pairs; i++)
            assert_true(has_arc(g, batch.node[batch.pairs[i].from], batch.node[batch.pairs[i].to]));
        for (uint32_t i = 0; i < batch.num_slots; i++) {
            assert_int_equal(batch.slot_of[batch.node[i]], i);
            assert_int_equal(batch.out_degree[i], pdpr_i_degree(g, batch.node[i]));
            assert_int_equal(batch.in_degree[i], in_degree[batch.node[i]]);
        }
    }
    pdpr_free(in_degree);
    pdpr_i_batch_clear(&batch);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void walks_stop_at_dead_ends(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const uint32_t arcs[] = {0, 1, 1, 2, 4, 2}; /* 2 and 3 are sinks */
    pdpr_graph *g = directed(ctx, 5, arcs, 3);
    pdpr_i_key key = seeded_key(1);
    uint32_t *in_degree;
    assert_ok(pdpr_i_in_degrees(ctx, g, &in_degree, NULL));
    const uint32_t expected_in[] = {0, 1, 2, 0, 0};
    assert_memory_equal(in_degree, expected_in, sizeof expected_in);
    for (int pairing = 0; pairing < 2; pairing++) {
        pdpr_i_walk_plan plan = {5, 2, 9, (pdpr_i_pairing)pairing};
        pdpr_i_batch batch;
        assert_ok(pdpr_i_batch_init(ctx, 5, &plan, &batch, NULL));
        pdpr_i_batch_walk(&batch, g, in_degree, &plan, &key, 0, 0);
        /* each walk from 0 gives two pairs, from 1 and 4 one, from 2 and 3 none */
        assert_int_equal(batch.num_pairs, 8);
        assert_int_equal(batch.num_slots, 4);
        assert_int_equal(batch.slot_of[3], PDPR_I_NO_SLOT);
        assert_int_equal(batch.node[batch.pairs[1].from], pairing ? 0 : 1);
        assert_int_equal(batch.node[batch.pairs[1].to], 2);
        pdpr_i_batch_clear(&batch);
    }
    pdpr_free(in_degree);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void walks_depend_on_key_epoch_and_node_only(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_complete(ctx, 30);
    pdpr_i_walk_plan five = {5, 2, 4, PDPR_I_PAIRS_CONSECUTIVE}, one = five;
    one.batch = 1;
    pdpr_i_key key = seeded_key(4);
    pdpr_i_batch whole, single;
    uint32_t *in_degree;
    assert_ok(pdpr_i_in_degrees(ctx, g, &in_degree, NULL));
    assert_ok(pdpr_i_batch_init(ctx, 30, &five, &whole, NULL));
    assert_ok(pdpr_i_batch_init(ctx, 30, &one, &single, NULL));
    pdpr_i_batch_walk(&whole, g, in_degree, &five, &key, 3, 10);
    assert_int_equal(whole.num_pairs, 40);
    bool other_epoch_differs = false;
    for (uint32_t u = 0; u < 5; u++) { /* another batch size, another order: the same pairs */
        pdpr_i_batch_walk(&single, g, in_degree, &one, &key, 3, 14 - u);
        for (uint64_t i = 0; i < 8; i++) {
            pdpr_i_slot_pair a = whole.pairs[8 * (4 - u) + i], b = single.pairs[i];
            assert_int_equal(whole.node[a.from], single.node[b.from]);
            assert_int_equal(whole.node[a.to], single.node[b.to]);
        }
        pdpr_i_batch_walk(&single, g, in_degree, &one, &key, 4, 14 - u);
        for (uint64_t i = 0; i < 8; i++)
            other_epoch_differs |=
                whole.node[whole.pairs[8 * (4 - u) + i].to] != single.node[single.pairs[i].to];
    }
    assert_true(other_epoch_differs);
    pdpr_free(in_degree);
    pdpr_i_batch_clear(&whole);
    pdpr_i_batch_clear(&single);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* From the centre of a star every leaf is equally likely: 9 degrees of freedom, 1e-6 at 45.08. */
static void walk_arcs_are_equally_likely(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_star(ctx, 11);
    pdpr_i_walk_plan plan = {1, 1000, 1, PDPR_I_PAIRS_CONSECUTIVE};
    pdpr_i_key key = seeded_key(5);
    pdpr_i_batch batch;
    uint32_t *in_degree;
    double seen[11] = {0}, chi = 0;
    assert_ok(pdpr_i_in_degrees(ctx, g, &in_degree, NULL));
    assert_ok(pdpr_i_batch_init(ctx, 11, &plan, &batch, NULL));
    for (uint32_t epoch = 0; epoch < 20; epoch++) {
        pdpr_i_batch_walk(&batch, g, in_degree, &plan, &key, epoch, 0);
        for (uint64_t i = 0; i < batch.num_pairs; i++)
            seen[batch.node[batch.pairs[i].to]]++;
    }
    for (int v = 1; v < 11; v++)
        chi += (seen[v] - 2000) * (seen[v] - 2000) / 2000;
    assert_true(chi < 45.08);
    pdpr_free(in_degree);
    pdpr_i_batch_clear(&batch);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void walk_plan_out_of_range_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_batch batch;
    pdpr_error err;
    const pdpr_i_walk_plan bad[] = {
        {0, 1, 1, 0}, {11, 1, 1, 0}, {5, 0, 1, 0}, {5, 1, 0, 0}, {10, 1 << 20, 1 << 20, 0}};
    const char *text[] = {"batch: expected 1 to 10 start nodes, found 0",
                          "batch: expected 1 to 10 start nodes, found 11",
                          "walks: expected 1 to 2^31 pairs a batch, found 5 x 0 x 1",
                          "walks: expected 1 to 2^31 pairs a batch, found 5 x 1 x 0",
                          "walks: expected 1 to 2^31 pairs a batch, found 10 x 1048576 x 1048576"};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(pdpr_i_batch_init(ctx, 10, &bad[i], &batch, &err), PDPR_EUSAGE);
        assert_string_equal(err.text, text[i]);
    }
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- Adam */

/* The published algorithm, with corrected moments spelt out. */
static void adam_equals_the_published_steps(void **state)
{
    (void)state;
    pdpr_i_adam adam = {0.01, 0.9, 0.99, 1e-3};
    double x[2] = {1, -2}, m[2] = {0}, v[2] = {0}, y[2] = {1, -2}, ym[2] = {0}, yv[2] = {0};
    float z[2] = {1, -2}, zm[2] = {0}, zv[2] = {0};
    for (int t = 1; t <= 50; t++) {
        double g[2] = {4 * sin(t), t % 7 == 0 ? 0 : 0.4};
        pdpr_i_adam_weights_portable(&adam, (uint64_t)t, 2, 0.25, g, x, m, v);
        pdpr_i_adam_embedding_portable(&adam, (uint64_t)t, 2, 0.25, g, z, zm, zv);
        for (int i = 0; i < 2; i++) {
            ym[i] = 0.9 * ym[i] + 0.1 * g[i] / 4;
            yv[i] = 0.99 * yv[i] + 0.01 * (g[i] / 4) * (g[i] / 4);
            double mean = ym[i] / (1 - pow(0.9, t)), square = yv[i] / (1 - pow(0.99, t));
            y[i] -= 0.01 * mean / (sqrt(square) + 1e-3);
            assert_close(x[i], y[i], 1e-12);
            assert_close(z[i], y[i], 1e-5);
        }
    }
    assert_true(fabs(x[1] + 2) > 0.3);
}

static void adam_takes_non_finite_gradients_as_zero(void **state)
{
    (void)state;
    pdpr_i_adam adam;
    pdpr_i_adam_default(&adam);
    adam.epsilon = 0;
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    double x[3] = {1, 2, 3}, m[3] = {0}, v[3] = {0};
    float z[3] = {1, 2, 3}, zm[3] = {0}, zv[3] = {0};
    pdpr_i_adam_weights_portable(&adam, 1, 3, 1, bad, x, m, v);
    pdpr_i_adam_embedding_portable(&adam, 1, 3, 1, bad, z, zm, zv);
    for (int i = 0; i < 3; i++)
        assert_true(x[i] == i + 1 && z[i] == (float)(i + 1));
}

/* Signs, sizes from 2^-90 to 2^90, NaN, infinities, moments of zero, every length of the rest. */
static void adam_forms_give_the_same_bits(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    enum { COUNT = 1003 };
    const pdpr_i_adam_forms fast = pdpr_i_adam_choose(ctx);
    pdpr_i_key key = seeded_key(5);
    pdpr_i_stream s;
    double gradient[COUNT];
    float x[2][COUNT], first[2][COUNT] = {{0}}, second[2][COUNT] = {{0}};
    double w[2][COUNT], w_first[2][COUNT] = {{0}}, w_second[2][COUNT] = {{0}};
    pdpr_i_stream_init(&s, &key, PDPR_I_PURPOSE_TEST, 0);
    for (int i = 0; i < COUNT; i++)
        w[0][i] = w[1][i] = x[0][i] = x[1][i] = (float)pdpr_i_stream_unit(&s) - 0.5f;
    for (uint64_t step = 1; step <= 40; step++) {
        pdpr_i_adam adam = {.rate = 1e-3, .beta1 = 0.9, .beta2 = 0.999};
        adam.epsilon = step % 3 ? 1e-8 : 0;
        uint64_t count = COUNT - step % 7;
        for (int i = 0; i < COUNT; i++) {
            gradient[i] =
                ldexp(pdpr_i_stream_unit(&s) - 0.5, (int)pdpr_i_stream_below(&s, 60) - 50);
            uint64_t odd = pdpr_i_stream_below(&s, 100);
            if (odd < 4)
                gradient[i] = (double[]){NAN, INFINITY, -INFINITY, 0}[odd];
        }
        for (int i = 0; i < 20; i++)
            gradient[i] = 0; /* never a gradient: 0/0 without epsilon */
        pdpr_i_adam_embedding_portable(&adam, step, count, 0.125, gradient, x[0], first[0],
                                       second[0]);
        fast.embedding(&adam, step, count, 0.125, gradient, x[1], first[1], second[1]);
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        assert_memory_equal(first[0], first[1], sizeof first[0]);
        assert_memory_equal(second[0], second[1], sizeof second[0]);
        pdpr_i_adam_weights_portable(&adam, step, count, 0.125, gradient, w[0], w_first[0],
                                     w_second[0]);
        fast.weights(&adam, step, count, 0.125, gradient, w[1], w_first[1], w_second[1]);
        assert_memory_equal(w[0], w[1], sizeof w[0]);
        assert_memory_equal(w_first[0], w_first[1], sizeof w_first[0]);
        assert_memory_equal(w_second[0], w_second[1], sizeof w_second[0]);
    }
    pdpr_context_free(ctx);
}

/* Integers of the barrier's range in every form, against the same gradient in doubles. */
static void adam_on_a_grid_equals_adam_on_doubles(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    enum { COUNT = 517 };
    const double unit = 0x1p-26;
    pdpr_i_adam_grid *const forms[] = {pdpr_i_adam_grid_portable, pdpr_i_adam_choose(ctx).grid};
    pdpr_i_key key = seeded_key(6);
    pdpr_i_stream s;
    int64_t grid[COUNT];
    double gradient[COUNT];
    float x[3][COUNT] = {{0}}, first[3][COUNT] = {{0}}, second[3][COUNT] = {{0}};
    pdpr_i_adam adam;
    pdpr_i_adam_default(&adam);
    pdpr_i_stream_init(&s, &key, PDPR_I_PURPOSE_TEST, 0);
    for (uint64_t step = 1; step <= 30; step++) {
        uint64_t count = COUNT - step % 9;
        for (int i = 0; i < COUNT; i++) {
            uint64_t size = pdpr_i_stream_u64(&s) >> (14 + pdpr_i_stream_below(&s, 50));
            grid[i] = pdpr_i_stream_below(&s, 2) ? (int64_t)size : -(int64_t)size;
            gradient[i] = (double)grid[i] * unit;
        }
        grid[7] = (INT64_C(1) << 51) - 1; /* the ends of the range */
        gradient[7] = (double)grid[7] * unit;
        grid[8] = -grid[7];
        gradient[8] = -gradient[7];
        pdpr_i_adam_embedding_portable(&adam, step, count, 1 / 512.0, gradient, x[2], first[2],
                                       second[2]);
        for (int k = 0; k < 2; k++) {
            forms[k](&adam, step, count, unit / 512, grid, x[k], first[k], second[k]);
            assert_memory_equal(x[k], x[2], sizeof x[2]);
            assert_memory_equal(first[k], first[2], sizeof first[2]);
            assert_memory_equal(second[k], second[2], sizeof second[2]);
        }
    }
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- training */

static void small_options(uint32_t n, pdpr_i_train_options *o)
{
    pdpr_i_train_options_learning(n, o);
    o->shape.inputs = 6;
    o->shape.width = 5;
    o->walks = (pdpr_i_walk_plan){7, 2, 4, PDPR_I_PAIRS_CONSECUTIVE};
    o->epochs = 3;
}

/* Hands the exact gradient over in blocks of changing size, from the last row to the first; if
 * `noisy`, with a known change in every coordinate. Counts its calls. */
typedef struct {
    bool noisy, forgetful;
    uint64_t calls, empty;
} passer;

static pdpr_status pass(void *user, pdpr_context *ctx, const pdpr_i_embedding_gradient *g,
                        pdpr_i_row_sink sink, void *sink_arg, pdpr_error *err)
{
    passer *p = user;
    uint64_t cols = g->cols;
    double *all = malloc(g->num_nodes * cols * sizeof *all);
    (void)ctx, (void)err;
    assert_non_null(all);
    for (uint64_t i = 0; i < g->num_nodes * cols; i++)
        all[i] = p->noisy ? cos((double)(i * 7 + g->step)) : 0;
    for (uint64_t i = 0; i < g->num_rows; i++)
        for (uint64_t k = 0; k < cols; k++)
            all[g->row[i] * cols + k] += g->gradient[i * cols + k];
    assert_int_equal(g->first_start, g->step % (g->num_nodes / g->num_starts) * g->num_starts);
    uint32_t end = g->num_nodes, size = 1;
    while (end > (p->forgetful ? 1u : 0u)) {
        uint32_t count = size < end ? size : end;
        end -= count;
        sink(sink_arg, end, count, all + end * cols);
        size = size * 2 + 1;
    }
    p->calls++;
    p->empty += g->num_rows == 0;
    free(all);
    return PDPR_OK;
}

static void training_is_the_same_for_any_threads_and_any_way_of_handing_over(void **state)
{
    (void)state;
    enum { N = 600 };
    pdpr_i_key key = seeded_key(8);
    float *first = NULL;
    double *weights = NULL;
    for (int run = 0; run < 4; run++) {
        pdpr_context *ctx = test_context(run == 1 ? 4 : 1);
        pdpr_graph *g = NULL;
        pdpr_i_train_options o;
        pdpr_i_trainer t;
        passer p = {0};
        assert_ok(pdpr_generate_social(ctx, N, 1500, 0.5, 2, &g, NULL));
        small_options(N, &o);
        o.epochs = 1;
        o.walks.batch = 40;
        assert_ok(pdpr_i_trainer_init(ctx, g, &o, &key, &t, NULL));
        assert_int_equal(t.num_steps, 15);
        if (run == 2) {
            t.perturb = pass;
            t.perturb_user = &p;
        }
        if (run == 3) /* stopped and taken up again */
            for (int i = 0; i < 6; i++)
                assert_ok(pdpr_i_trainer_steps(ctx, &t, 1, NULL));
        assert_ok(test_train(ctx, &t, NULL));
        assert_int_equal(t.step, 15);
        assert_int_equal(p.calls, run == 2 ? 15 : 0);
        if (run == 0) {
            first = t.v;
            weights = t.net.parameter;
            t.v = NULL;
            t.net.parameter = NULL;
        } else {
            assert_memory_equal(t.v, first, N * 6 * sizeof *first);
            assert_memory_equal(t.net.parameter, weights, t.net.num_parameters * sizeof(double));
        }
        pdpr_i_trainer_clear(&t);
        pdpr_graph_free(g);
        pdpr_context_free(ctx);
    }
    pdpr_free(first);
    pdpr_free(weights);
}

/* V after three steps, from the trainer's gradients and Adam written out on the full matrix. */
static void training_moves_every_row_as_dense_adam_does(void **state)
{
    (void)state;
    enum { N = 30, R = 6 };
    pdpr_context *ctx = test_context(2);
    uint32_t arcs[2 * 2 * N]; /* two out of every node but each fifth, where walks end */
    uint64_t count = 0;
    pdpr_i_train_options o;
    pdpr_i_trainer t;
    pdpr_i_key key = seeded_key(3);
    double x[N * R], m[N * R] = {0}, v[N * R] = {0};
    for (uint32_t u = 0; u < N; u++)
        for (uint32_t k = 1; k < 3 && u % 5; k++) {
            arcs[2 * count] = u;
            arcs[2 * count++ + 1] = (u * 7 + k * 11) % N;
        }
    pdpr_graph *g = directed(ctx, N, arcs, count);
    small_options(N, &o);
    o.adam.epsilon = 1e-7; /* of the gradient's size: the divisor shows */
    assert_ok(pdpr_i_trainer_init(ctx, g, &o, &key, &t, NULL));
    for (int i = 0; i < N * R; i++)
        x[i] = t.v[i];
    uint32_t untouched_moved = 0;
    for (int step = 1; step <= 8; step++) {
        float before[N * R];
        memcpy(before, t.v, sizeof before);
        assert_ok(pdpr_i_trainer_steps(ctx, &t, 1, NULL));
        assert_true(t.batch.num_pairs < 56);
        for (uint32_t u = 0; u < N; u++)
            for (uint32_t k = 0; k < R; k++) {
                uint32_t slot = t.batch.slot_of[u], i = u * R + k;
                double grad = slot == PDPR_I_NO_SLOT ? 0 : t.net.row_gradient[slot * R + k] / 56;
                m[i] = 0.9 * m[i] + 0.1 * grad;
                v[i] = 0.999 * v[i] + 0.001 * grad * grad;
                x[i] -= 0.01 * m[i] / (1 - pow(0.9, step)) /
                        (sqrt(v[i] / (1 - pow(0.999, step))) + 1e-7);
                assert_true(fabs(t.v[i] - x[i]) < 1e-5);
                untouched_moved += slot == PDPR_I_NO_SLOT && t.v[i] != before[i];
            }
    }
    assert_true(untouched_moved > 0); /* the moments carry rows on */
    pdpr_i_trainer_clear(&t);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void training_on_demand_moves_touched_rows_only(void **state)
{
    (void)state;
    enum { N = 30, R = 6 };
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = NULL;
    pdpr_i_train_options o;
    pdpr_i_trainer t;
    pdpr_i_key key = seeded_key(3);
    assert_ok(pdpr_generate_social(ctx, N, 60, 0.5, 2, &g, NULL));
    small_options(N, &o);
    o.rows_on_demand = true;
    assert_ok(pdpr_i_trainer_init(ctx, g, &o, &key, &t, NULL));
    uint32_t steps_of[N] = {0};
    while (t.step < t.num_steps) {
        float before[N * R];
        memcpy(before, t.v, sizeof before);
        assert_ok(pdpr_i_trainer_steps(ctx, &t, 1, NULL));
        for (uint32_t u = 0; u < N; u++) {
            bool touched = t.batch.slot_of[u] != PDPR_I_NO_SLOT;
            steps_of[u] += touched;
            assert_int_equal(memcmp(before + u * R, t.v + u * R, R * sizeof(float)) != 0, touched);
        }
    }
    assert_memory_equal(steps_of, t.row_step, sizeof steps_of);
    pdpr_i_trainer_clear(&t);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void training_on_an_edgeless_graph_still_steps_and_perturbs(void **state)
{
    (void)state;
    enum { N = 23, R = 6 };
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_empty(ctx, N);
    pdpr_i_train_options o;
    pdpr_i_trainer t;
    pdpr_i_key key = seeded_key(3);
    passer p = {.noisy = true};
    float start[N * R];
    small_options(N, &o);
    assert_ok(pdpr_i_trainer_init(ctx, g, &o, &key, &t, NULL));
    memcpy(start, t.v, sizeof start);
    t.perturb = pass;
    t.perturb_user = &p;
    assert_ok(test_train(ctx, &t, NULL));
    assert_int_equal(t.num_steps, 9); /* 3 epochs of floor(23 / 7) */
    assert_int_equal(p.calls, 9);
    assert_int_equal(p.empty, 9);
    for (int i = 0; i < N * R; i++)
        assert_true(start[i] != t.v[i]);
    pdpr_i_trainer_clear(&t);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void training_lowers_the_loss(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = test_graph_cycle(ctx, 40);
    pdpr_i_train_options o;
    pdpr_i_trainer t;
    pdpr_i_key key = seeded_key(12);
    small_options(40, &o);
    o.start_at_mean = false;
    o.epochs = 40;
    assert_ok(pdpr_i_trainer_init(ctx, g, &o, &key, &t, NULL));
    assert_ok(pdpr_i_trainer_steps(ctx, &t, 1, NULL));
    double before = t.last_loss;
    assert_ok(test_train(ctx, &t, NULL));
    assert_true(t.last_loss < before / 4);
    pdpr_i_trainer_clear(&t);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void training_cancelled_says_so(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_cycle(ctx, 40);
    pdpr_i_train_options o;
    pdpr_i_trainer t;
    pdpr_i_key key = seeded_key(12);
    small_options(40, &o);
    assert_ok(pdpr_i_trainer_init(ctx, g, &o, &key, &t, NULL));
    assert_ok(pdpr_i_trainer_steps(ctx, &t, 1, NULL));
    pdpr_context_cancel(ctx);
    assert_int_equal(test_train(ctx, &t, NULL), PDPR_ECANCELLED);
    assert_int_equal(t.step, 1);
    pdpr_i_trainer_clear(&t);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* The support of the profiles head and steered, one row after another. */
static pdpr_status give_start_rows(void *user, pdpr_context *ctx,
                                   const pdpr_i_embedding_gradient *g, pdpr_i_row_sink sink,
                                   void *sink_arg, pdpr_error *err)
{
    const passer *p = user;
    static const double zeros[6];
    (void)ctx, (void)err;
    assert_int_equal(g->cols, 6);
    for (uint32_t i = p->forgetful; i < g->num_starts; i++)
        sink(sink_arg, g->first_start + i, 1, zeros);
    return PDPR_OK;
}

static void perturbation_that_forgets_a_row_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_cycle(ctx, 27); /* blocks of 1, 3, 7, 15 leave one row */
    pdpr_i_train_options o;
    pdpr_i_trainer t;
    pdpr_error err;
    pdpr_i_key key = seeded_key(12);
    passer p = {0};
    small_options(27, &o);
    for (int on_demand = 0; on_demand < 2; on_demand++) {
        o.rows_on_demand = on_demand;
        assert_ok(pdpr_i_trainer_init(ctx, g, &o, &key, &t, NULL));
        t.perturb = on_demand ? give_start_rows : pass;
        t.perturb_user = &p;
        p.forgetful = false;
        assert_ok(pdpr_i_trainer_steps(ctx, &t, 1, NULL));
        p.forgetful = true;
        assert_int_equal(pdpr_i_trainer_steps(ctx, &t, 1, &err), PDPR_EFAILED);
        assert_string_equal(err.text, on_demand ? "perturbation: expected all 7 rows, found 6"
                                                : "perturbation: expected all 27 rows, found 26");
        assert_int_equal(t.step, 1);
        pdpr_i_trainer_clear(&t);
    }
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void training_options_out_of_range_are_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_cycle(ctx, 40), *one = test_graph_empty(ctx, 1);
    pdpr_i_train_options good, o;
    pdpr_i_trainer t;
    pdpr_error err;
    pdpr_i_key key = seeded_key(12);
    small_options(40, &good);
#define REFUSED(graph, change, line)                                                        \
    do {                                                                                    \
        o = good;                                                                           \
        change;                                                                             \
        assert_int_equal(pdpr_i_trainer_init(ctx, graph, &o, &key, &t, &err), PDPR_EUSAGE); \
        assert_string_equal(err.text, line);                                                \
    } while (0)
    REFUSED(one, (void)0, "deep PageRank: expected a graph of at least 2 nodes, found 1");
    REFUSED(g, o.epochs = 0, "epochs: expected at least 1, found 0");
    REFUSED(g, o.gamma = 1, "damping factor: expected between 0 and 1, found 1");
    REFUSED(g, o.shape.biases = false, "start of the output at 1/N: expected biases, found none");
    REFUSED(g, o.shape.inputs = 0, "embedding dimension r: expected 1 to 16384, found 0");
    REFUSED(g, o.walks.batch = 41, "batch: expected 1 to 40 start nodes, found 41");
    REFUSED(g, o.adam.rate = 0, "learning rate: expected a positive number, found 0");
    REFUSED(g, o.adam.beta2 = 1, "Adam: expected decay rates from 0 to below 1, found 0.9 and 1");
    REFUSED(g, o.adam.epsilon = -1, "Adam: expected an epsilon of at least 0, found -1");
#undef REFUSED
    pdpr_graph_free(g);
    pdpr_graph_free(one);
    pdpr_context_free(ctx);
}

static void paper_options_have_the_paper_depth(void **state)
{
    (void)state;
    pdpr_i_train_options o;
    pdpr_i_train_options_paper(2708, &o);
    assert_int_equal(o.shape.layers, 9);
    assert_int_equal(o.shape.inputs, 128);
    assert_int_equal(o.shape.width, 64);
    assert_false(o.shape.biases);
    assert_true(o.shape.scale == 8);
    assert_int_equal(o.epochs * (2708 / o.walks.batch), 845);
}

static void training_survives_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = test_graph_cycle(ctx, 20);
    pdpr_i_train_options o;
    pdpr_i_key key = seeded_key(1);
    pdpr_status status;
    double f[20];
    small_options(20, &o);
    o.rows_on_demand = true;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        pdpr_i_trainer t;
        status = pdpr_i_trainer_init(ctx, g, &o, &key, &t, NULL);
        if (status == PDPR_OK) {
            status = test_train(ctx, &t, NULL);
            if (status == PDPR_OK)
                status = pdpr_i_trainer_evaluate(ctx, &t, f, NULL);
            pdpr_i_trainer_clear(&t);
        }
    });
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_give_arcs_within_the_bounds),
        cmocka_unit_test(walks_stop_at_dead_ends),
        cmocka_unit_test(walks_depend_on_key_epoch_and_node_only),
        cmocka_unit_test(walk_arcs_are_equally_likely),
        cmocka_unit_test(walk_plan_out_of_range_is_refused),
        cmocka_unit_test(adam_forms_give_the_same_bits),
        cmocka_unit_test(adam_on_a_grid_equals_adam_on_doubles),
        cmocka_unit_test(adam_equals_the_published_steps),
        cmocka_unit_test(adam_takes_non_finite_gradients_as_zero),
        cmocka_unit_test(training_is_the_same_for_any_threads_and_any_way_of_handing_over),
        cmocka_unit_test(training_moves_every_row_as_dense_adam_does),
        cmocka_unit_test(training_on_demand_moves_touched_rows_only),
        cmocka_unit_test(training_on_an_edgeless_graph_still_steps_and_perturbs),
        cmocka_unit_test(training_lowers_the_loss),
        cmocka_unit_test(training_cancelled_says_so),
        cmocka_unit_test(perturbation_that_forgets_a_row_is_refused),
        cmocka_unit_test(training_options_out_of_range_are_refused),
        cmocka_unit_test(paper_options_have_the_paper_depth),
        cmocka_unit_test(training_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("dpr train", tests, NULL, NULL);
}
