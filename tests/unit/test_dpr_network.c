/* The network and its loss: recorded values of an independent implementation, central differences
 * in every parameter, threads, limits. */
#include "support/support.h"

#include "dpr/dpr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- recorded values */

static void read_numbers(FILE *file, const char *name, int count, double *out)
{
    char word[32];
    assert_int_equal(fscanf(file, "%31s", word), 1);
    assert_string_equal(word, name);
    for (int i = 0; i < count; i++)
        assert_int_equal(fscanf(file, "%lf", &out[i]), 1);
}

static void network_equals_the_recorded_values(void **state)
{
    (void)state;
    enum { N = 6, R = 5, D = 4, L = 2, PAIRS = 8, ALL = N * R + R * D + D * D + D + D + D + 1 };
    FILE *file = fopen(TEST_SOURCE_DIR "/tests/golden/dpr_network.txt", "r");
    assert_non_null(file);
    double head[7], arcs[2 * PAIRS], degrees[2][N], parameter[ALL], f[N], loss, gradient[ALL];
    while (fgetc(file) != '\n')
        ;
    for (int i = 0; i < 7; i++)
        assert_int_equal(fscanf(file, "%lf", &head[i]), 1);
    const double expected_head[] = {N, R, D, L, 1.25, 0.85, PAIRS};
    assert_memory_equal(head, expected_head, sizeof head);
    read_numbers(file, "arcs", 2 * PAIRS, arcs);
    read_numbers(file, "out_degree", N, degrees[0]);
    read_numbers(file, "in_degree", N, degrees[1]);
    read_numbers(file, "parameters", ALL, parameter);
    read_numbers(file, "f", N, f);
    read_numbers(file, "loss", 1, &loss);
    read_numbers(file, "gradient", ALL, gradient);
    fclose(file);

    pdpr_context *ctx = test_context(1);
    pdpr_i_network_shape shape = {
        .inputs = R, .width = D, .layers = L, .biases = true, .scale = 1.25};
    pdpr_i_edge_loss edge_loss = {N, 0.85};
    pdpr_i_network net;
    assert_ok(pdpr_i_network_init(ctx, &shape, N, &net, NULL));
    assert_int_equal(net.num_parameters, ALL - N * R);
    float v[N * R];
    uint32_t out_degree[N], in_degree[N];
    pdpr_i_slot_pair pairs[PAIRS];
    for (int i = 0; i < N * R; i++)
        v[i] = (float)parameter[i];
    for (int i = 0; i < N; i++) {
        out_degree[i] = (uint32_t)degrees[0][i];
        in_degree[i] = (uint32_t)degrees[1][i];
    }
    for (int i = 0; i < PAIRS; i++)
        pairs[i] = (pdpr_i_slot_pair){(uint32_t)arcs[2 * i], (uint32_t)arcs[2 * i + 1]};
    memcpy(net.parameter, parameter + N * R, sizeof parameter - N * R * sizeof *parameter);

    const uint32_t nodes[N] = {0, 1, 2, 3, 4, 5};
    double by_output[N];
    assert_ok(pdpr_i_network_prepare(ctx, &net, NULL));
    assert_ok(pdpr_i_network_forward(ctx, &net, v, nodes, N, NULL));
    for (int i = 0; i < N; i++)
        assert_close(net.output[i], f[i], 1e-14);
    assert_close(pdpr_i_edge_loss_sum(&edge_loss, pairs, PAIRS, N, net.output, out_degree,
                                      in_degree, by_output),
                 loss, 1e-13);
    assert_ok(pdpr_i_network_backward(ctx, &net, by_output, N, NULL));
    for (int i = 0; i < N * R; i++)
        assert_close(net.row_gradient[i], gradient[i], 1e-11);
    for (int i = N * R; i < ALL; i++) /* relative to its array's size: single entries may cancel */
        assert_true(fabs(net.gradient[i - N * R] - gradient[i]) <=
                    1e-12 + 1e-10 * fabs(gradient[i]));
    pdpr_i_network_clear(&net);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- differences */

enum { NODES = 7, PAIRS = 12 };

/* A network, its V and its pairs, with everything that the loss needs. */
typedef struct {
    pdpr_context *ctx;
    pdpr_i_network net;
    pdpr_i_edge_loss loss;
    float v[NODES * 8];
    uint32_t nodes[NODES], out_degree[NODES], in_degree[NODES];
    pdpr_i_slot_pair pairs[PAIRS];
    double by_output[NODES];
} model;

static double model_loss(model *m)
{
    assert_ok(pdpr_i_network_prepare(m->ctx, &m->net, NULL));
    assert_ok(pdpr_i_network_forward(m->ctx, &m->net, m->v, m->nodes, NODES, NULL));
    return pdpr_i_edge_loss_sum(&m->loss, m->pairs, PAIRS, NODES, m->net.output, m->out_degree,
                                m->in_degree, m->by_output);
}

static double on_grid(pdpr_i_stream *random)
{
    return ((double)pdpr_i_stream_below(random, 2001) - 1000) / 1024; /* exact as a float */
}

static void model_init(model *m, const pdpr_i_network_shape *shape, uint64_t seed)
{
    pdpr_i_key key;
    pdpr_i_stream random;
    pdpr_i_key_from_seed(seed, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, 0);
    m->ctx = test_context(1);
    m->loss = (pdpr_i_edge_loss){NODES, 0.85};
    assert_ok(pdpr_i_network_init(m->ctx, shape, NODES, &m->net, NULL));
    for (uint64_t i = 0; i < m->net.num_parameters; i++)
        m->net.parameter[i] = on_grid(&random);
    for (uint32_t i = 0; i < NODES * shape->inputs; i++)
        m->v[i] = (float)on_grid(&random);
    for (uint32_t i = 0; i < NODES; i++) {
        m->nodes[i] = NODES - 1 - i; /* slots are not node ids */
        m->out_degree[i] = (uint32_t)pdpr_i_stream_below(&random, NODES + 2);
        m->in_degree[i] = (uint32_t)pdpr_i_stream_below(&random, NODES + 2);
    }
    for (int i = 0; i < PAIRS; i++)
        m->pairs[i] = (pdpr_i_slot_pair){(uint32_t)pdpr_i_stream_below(&random, NODES),
                                         (uint32_t)pdpr_i_stream_below(&random, NODES)};
}

static void model_clear(model *m)
{
    pdpr_i_network_clear(&m->net);
    pdpr_context_free(m->ctx);
}

/* Central differences of order h^4, so that 1e-6 of the array's largest entry is within reach. */
#define DIFFERENCE(m, x, h, out)                                      \
    do {                                                              \
        __typeof__(x) keep = (x);                                     \
        double at[4];                                                 \
        const double shift[4] = {-2, -1, 1, 2};                       \
        for (int q = 0; q < 4; q++) {                                 \
            (x) = (__typeof__(x))((double)keep + shift[q] * (h));     \
            at[q] = model_loss(m);                                    \
        }                                                             \
        (x) = keep;                                                   \
        (out) = (8 * (at[2] - at[1]) - (at[3] - at[0])) / (12 * (h)); \
    } while (0)

static double largest_of(const double *x, uint64_t count)
{
    double largest = 0;
    for (uint64_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

static void gradients_equal_central_differences_in_v_w_and_b(void **state)
{
    (void)state;
    const pdpr_i_network_shape shapes[] = {
        {.inputs = 5, .width = 4, .layers = 1, .biases = true, .scale = 1},
        {.inputs = 3, .width = 6, .layers = 2, .biases = true, .scale = 1.1},
        {.inputs = 8, .width = 3, .layers = 3, .biases = false, .scale = 2},
        {.inputs = 4, .width = 9, .layers = 0, .biases = true, .scale = 1.5},
        {.inputs = 5, .width = 5, .layers = 2, .biases = true, .scale = 0},
        {.inputs = 4, .width = 1, .layers = 2, .biases = false, .scale = 8},
    };
    for (size_t t = 0; t < sizeof shapes / sizeof *shapes; t++) {
        model m;
        model_init(&m, &shapes[t], t);
        model_loss(&m);
        assert_ok(pdpr_i_network_backward(m.ctx, &m.net, m.by_output, NODES, NULL));
        double rows[NODES * 8], weights[200], difference;
        uint64_t r = shapes[t].inputs, num_weights = m.net.num_weights,
                 num_parameters = m.net.num_parameters;
        assert_true(num_parameters <= 200);
        memcpy(rows, m.net.row_gradient, NODES * r * sizeof *rows);
        memcpy(weights, m.net.gradient, num_parameters * sizeof *weights);
        double v_size = largest_of(rows, NODES * r), w_size = largest_of(weights, num_weights),
               b_size = largest_of(weights + num_weights, num_parameters - num_weights);

        for (uint32_t slot = 0; slot < NODES; slot++)
            for (uint64_t k = 0; k < r; k++) {
                DIFFERENCE(&m, m.v[m.nodes[slot] * r + k], 0x1p-8, difference);
                assert_true(fabs(difference - rows[slot * r + k]) <= 1e-6 * v_size);
            }
        for (uint64_t i = 0; i < num_parameters; i++) {
            DIFFERENCE(&m, m.net.parameter[i], 0x1p-10, difference);
            assert_true(fabs(difference - weights[i]) <=
                        1e-6 * (i < num_weights ? w_size : b_size));
        }
        model_clear(&m);
    }
}

/* ---------------------------------------------------------------- the loss alone */

static void edge_loss_clamps_degrees_to_one_and_n_minus_one(void **state)
{
    (void)state;
    const pdpr_i_edge_loss loss = {5, 0.85};
    const pdpr_i_slot_pair pair = {0, 1};
    const double f[] = {0.3, 0.6};
    double low[2], one[2], high[2], four[2];
    const uint32_t zeros[] = {0, 0}, ones[] = {1, 1}, nines[] = {9, 9}, fours[] = {4, 4};
    assert_true(pdpr_i_edge_loss_sum(&loss, &pair, 1, 2, f, zeros, zeros, low) ==
                pdpr_i_edge_loss_sum(&loss, &pair, 1, 2, f, ones, ones, one));
    assert_true(pdpr_i_edge_loss_sum(&loss, &pair, 1, 2, f, nines, nines, high) ==
                pdpr_i_edge_loss_sum(&loss, &pair, 1, 2, f, fours, fours, four));
    assert_memory_equal(low, one, sizeof low);
    assert_memory_equal(high, four, sizeof high);
    assert_true(low[0] != high[0]);
    /* by hand: x = 0.3 - 0.6/0.85, c = 2 0.85^2 x + 2 0.85 0.15 / 5 */
    double x = 0.3 - 0.6 / 0.85, c = 2 * 0.7225 * x + 0.051;
    assert_close(one[0], c, 1e-14);
    assert_close(one[1], -c / 0.85, 1e-14);
}

static void edge_loss_of_no_pairs_is_zero(void **state)
{
    (void)state;
    const pdpr_i_edge_loss loss = {5, 0.85};
    double f[2] = {0.5, 0.5}, gradient[2] = {1, 1};
    const uint32_t degree[2] = {1, 1};
    assert_true(pdpr_i_edge_loss_sum(&loss, NULL, 0, 2, f, degree, degree, gradient) == 0);
    assert_true(gradient[0] == 0 && gradient[1] == 0);
}

/* ---------------------------------------------------------------- threads, batches, limits */

static void network_is_the_same_for_any_thread_count_and_cpu(void **state)
{
    (void)state;
    enum { COUNT = 333, R = 19, D = 13 };
    pdpr_i_network_shape shape = {
        .inputs = R, .width = D, .layers = 3, .biases = true, .scale = 1.5};
    pdpr_i_key key;
    pdpr_i_key_from_seed(5, &key);
    static float v[COUNT * R];
    uint32_t nodes[COUNT];
    double by_output[COUNT], *first_gradient = NULL, *first_rows = NULL, *first_f = NULL;
    for (uint32_t i = 0; i < COUNT; i++) {
        nodes[i] = (i * 100) % COUNT;
        by_output[i] = 1.0 / (i + 1);
    }
    for (uint32_t run = 0; run < 3; run++) {
        pdpr_context_options options;
        pdpr_context *ctx = NULL;
        pdpr_context_options_default(&options);
        options.threads = run == 1 ? 4 : 1;
        options.cpu = run == 2 ? PDPR_CPU_PORTABLE : PDPR_CPU_AUTO;
        assert_ok(pdpr_context_new(&options, &ctx, NULL));
        pdpr_i_network net;
        pdpr_i_stream random;
        pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_WEIGHT_START, 0);
        assert_ok(pdpr_i_network_init(ctx, &shape, COUNT, &net, NULL));
        pdpr_i_network_start(&net, &random);
        assert_ok(pdpr_i_start_embedding(ctx, &key, COUNT, R, v, NULL));
        assert_ok(pdpr_i_network_prepare(ctx, &net, NULL));
        assert_ok(pdpr_i_network_forward(ctx, &net, v, nodes, COUNT, NULL));
        assert_ok(pdpr_i_network_backward(ctx, &net, by_output, COUNT, NULL));
        if (run == 0) {
            first_gradient = net.gradient;
            first_rows = net.row_gradient;
            first_f = net.output;
            net.gradient = net.row_gradient = net.output = NULL;
        } else {
            assert_memory_equal(net.gradient, first_gradient, net.num_parameters * sizeof(double));
            assert_memory_equal(net.row_gradient, first_rows, COUNT * R * sizeof(double));
            assert_memory_equal(net.output, first_f, COUNT * sizeof(double));
        }
        pdpr_i_network_clear(&net);
        pdpr_context_free(ctx);
    }
    pdpr_free(first_gradient);
    pdpr_free(first_rows);
    pdpr_free(first_f);
}

static void evaluate_equals_forward_across_batches(void **state)
{
    (void)state;
    enum { ROWS = 100, R = 6 };
    pdpr_context *ctx = test_context(2);
    pdpr_i_network_shape shape = {.inputs = R, .width = 5, .layers = 1, .biases = true, .scale = 1};
    pdpr_i_key key;
    pdpr_i_stream random;
    pdpr_i_network small, large;
    float v[ROWS * R];
    double f[ROWS], g[ROWS];
    pdpr_i_key_from_seed(6, &key);
    assert_ok(pdpr_i_network_init(ctx, &shape, 7, &small, NULL));
    assert_ok(pdpr_i_network_init(ctx, &shape, ROWS, &large, NULL));
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_WEIGHT_START, 0);
    pdpr_i_network_start(&small, &random);
    memcpy(large.parameter, small.parameter, small.num_parameters * sizeof(double));
    assert_ok(pdpr_i_start_embedding(ctx, &key, ROWS, R, v, NULL));
    assert_ok(pdpr_i_network_prepare(ctx, &small, NULL));
    assert_ok(pdpr_i_network_prepare(ctx, &large, NULL));
    assert_ok(pdpr_i_network_evaluate(ctx, &small, v, ROWS, f, NULL));
    assert_ok(pdpr_i_network_evaluate(ctx, &large, v, ROWS, g, NULL));
    assert_memory_equal(f, g, sizeof f);
    assert_true(f[0] != f[1]);
    pdpr_i_network_clear(&small);
    pdpr_i_network_clear(&large);
    pdpr_context_free(ctx);
}

static void backward_of_an_empty_batch_is_zero(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_network_shape shape = {.inputs = 3, .width = 2, .layers = 1, .biases = true, .scale = 2};
    pdpr_i_network net;
    assert_ok(pdpr_i_network_init(ctx, &shape, 4, &net, NULL));
    for (uint64_t i = 0; i < net.num_parameters; i++)
        net.parameter[i] = net.gradient[i] = 1 + (double)i;
    assert_ok(pdpr_i_network_prepare(ctx, &net, NULL));
    assert_ok(pdpr_i_network_forward(ctx, &net, NULL, NULL, 0, NULL));
    assert_ok(pdpr_i_network_backward(ctx, &net, NULL, 0, NULL));
    for (uint64_t i = 0; i < net.num_parameters; i++)
        assert_true(net.gradient[i] == 0);
    pdpr_i_network_clear(&net);
    pdpr_context_free(ctx);
}

static void start_values_have_the_stated_variance(void **state)
{
    (void)state;
    enum { ROWS = 2000, R = 64 };
    static float v[ROWS * R];
    pdpr_context *ctx = test_context(2);
    pdpr_i_key key;
    pdpr_i_key_from_seed(9, &key);
    assert_ok(pdpr_i_start_embedding(ctx, &key, ROWS, R, v, NULL));
    double sum = 0, squares = 0, n = ROWS * R, variance = 2.0 / (ROWS + R);
    for (int i = 0; i < ROWS * R; i++) {
        sum += v[i];
        squares += v[i] * v[i];
    }
    assert_true(fabs(sum / n) < 5 * sqrt(variance / n)); /* five standard errors: 6e-7 */
    assert_true(fabs(squares / n / variance - 1) < 5 * sqrt(2 / n));
    pdpr_context_free(ctx);
}

static void shape_out_of_range_is_refused_by_name(void **state)
{
    (void)state;
    pdpr_error err;
    const struct {
        pdpr_i_network_shape shape;
        const char *text;
    } bad[] = {
        {{0, 4, 1, false, 2}, "embedding dimension r: expected 1 to 16384, found 0"},
        {{20000, 4, 1, false, 2}, "embedding dimension r: expected 1 to 16384, found 20000"},
        {{4, 0, 1, false, 2}, "layer width d: expected 1 to 16384, found 0"},
        {{4, 4, 5000, false, 2}, "layers L: expected at most 4096, found 5000"},
        {{4, 4, 1, false, 0.5}, "weight scale s: expected 1 to 1e6, or 0 for none, found 0.5"},
        {{4, 4, 1, false, NAN}, "weight scale s: expected 1 to 1e6, or 0 for none, found nan"},
    };
    pdpr_context *ctx = test_context(1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pdpr_i_network net;
        assert_int_equal(pdpr_i_network_init(ctx, &bad[i].shape, 4, &net, &err), PDPR_EUSAGE);
        assert_string_equal(err.text, bad[i].text);
    }
    pdpr_context_free(ctx);
}

static void network_survives_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_i_network_shape shape = {.inputs = 3, .width = 2, .layers = 1, .biases = true, .scale = 2};
    const float v[12] = {0};
    double f[4];
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        pdpr_i_network net = {0};
        status = pdpr_i_network_init(ctx, &shape, 4, &net, NULL);
        if (status == PDPR_OK)
            status = pdpr_i_network_evaluate(ctx, &net, v, 4, f, NULL);
        pdpr_i_network_clear(&net);
    });
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- sigmoid */

static void sigmoid_is_within_four_units_in_every_form(void **state)
{
    (void)state;
    enum { COUNT = 1003 };
    pdpr_context *ctx = test_context(1);
    pdpr_i_sigmoid *const forms[] = {pdpr_i_sigmoid_portable, pdpr_i_sigmoid_choose(ctx)};
    const double reach[] = {1e-300, 1e-3, 1, 5, 40, 700};
    pdpr_i_key key;
    pdpr_i_stream random;
    pdpr_i_key_from_seed(8, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, 0);
    for (int run = 0; run < 60; run++) {
        double x[COUNT], y[2][COUNT];
        uint64_t count = COUNT - (uint64_t)run % 5;
        for (uint64_t i = 0; i < count; i++)
            x[i] = (2 * pdpr_i_stream_unit(&random) - 1) * reach[run % 6];
        for (int form = 0; form < 2; form++) {
            memcpy(y[form], x, sizeof x);
            forms[form](count, y[form]);
        }
        assert_memory_equal(y[0], y[1], count * sizeof **y);
        for (uint64_t i = 0; i < count; i++) {
            long double exact = 1 / (1 + expl(-(long double)x[i]));
            assert_true(fabsl(y[0][i] - exact) <= 0x1p-51L * exact);
        }
    }
    pdpr_context_free(ctx);
}

/* The proof of signal_bound.c needs activations in [0, 1] whatever comes in. */
static void sigmoid_of_odd_numbers_lies_between_zero_and_one(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_sigmoid *const forms[] = {pdpr_i_sigmoid_portable, pdpr_i_sigmoid_choose(ctx)};
    const double odd[] = {NAN, -NAN, INFINITY, -INFINITY, 1e308, -1e308, 0, -0.0, 0x1p-1074};
    for (int form = 0; form < 2; form++) {
        double x[9];
        memcpy(x, odd, sizeof x);
        forms[form](9, x);
        for (int i = 0; i < 9; i++)
            assert_true(x[i] >= 0 && x[i] <= 1);
        assert_true(x[2] == 1 && x[3] < 1e-300 && x[4] == 1 && x[5] < 1e-300);
        assert_true(x[6] == 0.5 && x[7] == 0.5 && x[8] == 0.5);
    }
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sigmoid_is_within_four_units_in_every_form),
        cmocka_unit_test(sigmoid_of_odd_numbers_lies_between_zero_and_one),
        cmocka_unit_test(network_equals_the_recorded_values),
        cmocka_unit_test(gradients_equal_central_differences_in_v_w_and_b),
        cmocka_unit_test(edge_loss_clamps_degrees_to_one_and_n_minus_one),
        cmocka_unit_test(edge_loss_of_no_pairs_is_zero),
        cmocka_unit_test(network_is_the_same_for_any_thread_count_and_cpu),
        cmocka_unit_test(evaluate_equals_forward_across_batches),
        cmocka_unit_test(backward_of_an_empty_batch_is_zero),
        cmocka_unit_test(start_values_have_the_stated_variance),
        cmocka_unit_test(shape_out_of_range_is_refused_by_name),
        cmocka_unit_test(network_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("dpr network", tests, NULL, NULL);
}
