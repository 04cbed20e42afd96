/* Tasks: AUC against counting pairs, logistic regression against scikit-learn's recorded answers,
 * splits, labels, and whole runs on graphs where the answer is known. */
#include "support/support.h"
#include "support/own_ledger.h"
#include "tasks/tasks.h"
#include "generate/generate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- auc */

static void auc_equals_counting_all_pairs(void **state)
{
    (void)state;
    pdpr_i_key key;
    pdpr_i_stream random;
    pdpr_i_key_from_seed(1, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, 0);
    for (int round = 0; round < 200; round++) {
        enum { N = 40 };
        pdpr_i_scored item[N];
        double better = 0, pairs = 0;
        for (int i = 0; i < N; i++) /* few values, so that ties are common */
            item[i] = (pdpr_i_scored){(double)pdpr_i_stream_below(&random, 7),
                                      pdpr_i_stream_below(&random, 3) == 0};
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                if (item[i].positive && !item[j].positive) {
                    pairs++;
                    better += item[i].score > item[j].score    ? 1
                              : item[i].score == item[j].score ? 0.5
                                                               : 0;
                }
        assert_close(pdpr_i_auc(item, N), better / pairs, 1e-12);
    }
}

static void auc_without_both_kinds_is_not_defined(void **state)
{
    (void)state;
    pdpr_i_scored one[] = {{1, true}, {2, true}};
    pdpr_i_scored broken[] = {{NAN, true}, {2, false}};
    assert_true(isnan(pdpr_i_auc(one, 2)));
    assert_true(isnan(pdpr_i_auc(one, 0)));
    assert_true(isnan(pdpr_i_auc(broken, 2)));
}

/* ---------------------------------------------------------------- logistic regression */

/* The generator and the examples of tests/golden/logistic.py. */
typedef struct {
    uint64_t state;
} congruential;

static double next_uniform(congruential *u)
{
    u->state = u->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(u->state >> 11) / 0x1p53;
}

typedef struct {
    uint32_t rows, columns, classes;
    double *x;
    uint32_t *y;
} examples;

static examples make_examples(uint64_t seed, uint32_t rows, uint32_t columns, uint32_t classes,
                              double signal)
{
    congruential u = {seed};
    examples e = {rows, columns, classes, calloc((size_t)rows * columns, sizeof *e.x),
                  calloc(rows, sizeof *e.y)};
    assert_non_null(e.x);
    assert_non_null(e.y);
    for (uint32_t i = 0; i < rows; i++) {
        double first = next_uniform(&u);
        e.y[i] = (uint32_t)(classes * first * next_uniform(&u));
        for (uint32_t c = 0; c < columns; c++) {
            double shift = c % classes == e.y[i] ? signal : 0;
            e.x[(size_t)i * columns + c] = (2 * next_uniform(&u) - 1 + shift) * (c + 1);
        }
    }
    return e;
}

static void free_examples(examples *e)
{
    free(e->x);
    free(e->y);
}

static void example_row(const void *arg, uint64_t i, double *x)
{
    const examples *e = arg;
    memcpy(x, e->x + i * e->columns, e->columns * sizeof *x);
}

/* AUC or Micro-F1 of the last fifth. */
static double test_score(const pdpr_i_logistic *m, const examples *e)
{
    const pdpr_i_features all = {e->rows, e->columns, example_row, e};
    uint32_t first = e->rows * 4 / 5, right = 0;
    pdpr_i_scored scored[200];
    double x[16], logit[16];
    for (uint32_t i = first; i < e->rows; i++) {
        pdpr_i_logistic_logits(m, &all, i, x, logit);
        scored[i - first] = (pdpr_i_scored){logit[0], e->y[i] == 1};
        right += pdpr_i_logistic_predict(m, logit) == e->y[i];
    }
    return e->classes == 2 ? pdpr_i_auc(scored, e->rows - first)
                           : (double)right / (e->rows - first);
}

static void logistic_equals_scikit_learn(void **state)
{
    (void)state;
    FILE *file = fopen(TEST_SOURCE_DIR "/tests/golden/logistic.txt", "r");
    assert_non_null(file);
    while (fgetc(file) != '\n')
        ;
    pdpr_context *ctx = test_context(2);
    unsigned seed, rows, columns, classes, sets = 0;
    double signal, penalty, loss, score, weight;
    while (fscanf(file, "%u %u %u %u %lf %lf loss %lf score %lf", &seed, &rows, &columns, &classes,
                  &signal, &penalty, &loss, &score) == 8) {
        examples e = make_examples(seed, rows, columns, classes, signal);
        const pdpr_i_features train = {rows * 4 / 5, columns, example_row, &e};
        pdpr_i_logistic m;
        assert_ok(pdpr_i_logistic_fit(ctx, &train, e.y, classes, penalty, &m, NULL));
        for (uint32_t k = 0; k < m.logits; k++) {
            double shift = 0; /* scikit-learn's intercepts of several classes sum to any number */
            for (uint32_t c = 0; c <= columns; c++) {
                assert_int_equal(fscanf(file, "%lf", &weight), 1);
                double ours = m.weight[k * (columns + 1) + c];
                if (c < columns)
                    assert_true(fabs(ours - weight) < 1e-5);
                else
                    shift = ours - weight;
            }
            assert_true(m.logits > 1 || fabs(shift) < 1e-5);
        }
        assert_true(fabs(test_score(&m, &e) - score) < 1e-9); /* 0.005 is asked for */
        double sum = 0, x[16], logit[16];
        for (uint64_t i = 0; i < train.rows; i++) {
            pdpr_i_logistic_logits(&m, &train, i, x, logit);
            double total = 0, own = classes == 2 ? (e.y[i] ? logit[0] : 0) : logit[e.y[i]];
            for (uint32_t k = 0; k < m.logits; k++)
                total += exp(logit[k]);
            sum += log(total + (classes == 2)) - own;
        }
        assert_close(sum / (double)train.rows, loss, 1e-6);
        pdpr_i_logistic_clear(&m);
        free_examples(&e);
        sets++;
    }
    fclose(file);
    assert_int_equal(sets, 4);
    pdpr_context_free(ctx);
}

static void logistic_does_not_depend_on_threads(void **state)
{
    (void)state;
    examples e = make_examples(9, 1500, 8, 3, 0.4);
    const pdpr_i_features train = {e.rows, e.columns, example_row, &e};
    pdpr_i_logistic m[2];
    double penalty[2];
    for (uint32_t t = 0; t < 2; t++) {
        pdpr_context *ctx = test_context(t ? 4 : 1);
        assert_ok(pdpr_i_logistic_choose(ctx, &train, e.y, 3, &m[t], &penalty[t], NULL));
        pdpr_context_free(ctx);
    }
    assert_true(penalty[0] == penalty[1]);
    assert_memory_equal(m[0].weight, m[1].weight, 3 * 9 * sizeof(double));
    pdpr_i_logistic_clear(&m[0]);
    pdpr_i_logistic_clear(&m[1]);
    free_examples(&e);
}

static void logistic_class_without_example_is_never_predicted(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    examples e = make_examples(5, 200, 4, 2, 0.5);
    const pdpr_i_features train = {e.rows, e.columns, example_row, &e};
    pdpr_i_logistic m;
    double x[4], logit[5];
    assert_ok(pdpr_i_logistic_fit(ctx, &train, e.y, 5, 1, &m, NULL)); /* classes 2..4 are missing */
    for (uint64_t i = 0; i < train.rows; i++) {
        pdpr_i_logistic_logits(&m, &train, i, x, logit);
        assert_true(pdpr_i_logistic_predict(&m, logit) < 2);
    }
    pdpr_i_logistic_clear(&m);
    memset(e.y, 0, e.rows * sizeof *e.y); /* and of two classes, one */
    assert_ok(pdpr_i_logistic_fit(ctx, &train, e.y, 2, 1, &m, NULL));
    pdpr_i_logistic_logits(&m, &train, 0, x, logit);
    assert_int_equal(pdpr_i_logistic_predict(&m, logit), 0);
    pdpr_i_logistic_clear(&m);
    free_examples(&e);
    pdpr_context_free(ctx);
}

static void logistic_choose_takes_a_small_penalty_for_signal_and_a_large_one_for_noise(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    for (int noise = 0; noise < 2; noise++) {
        examples e = make_examples(7, 1000, 12, 3, noise ? 0 : 1.5);
        const pdpr_i_features train = {e.rows, e.columns, example_row, &e};
        pdpr_i_logistic m;
        double penalty;
        assert_ok(pdpr_i_logistic_choose(ctx, &train, e.y, 3, &m, &penalty, NULL));
        assert_true(noise ? penalty >= 100 : penalty <= 10);
        pdpr_i_logistic_clear(&m);
        free_examples(&e);
    }
    pdpr_context_free(ctx);
}

static void logistic_without_rows_or_classes_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    examples e = make_examples(5, 20, 4, 2, 0.5);
    const pdpr_i_features none = {0, e.columns, example_row, &e}, all = {20, 4, example_row, &e};
    pdpr_i_logistic m;
    assert_int_equal(pdpr_i_logistic_fit(ctx, &none, e.y, 2, 1, &m, NULL), PDPR_EUSAGE);
    assert_int_equal(pdpr_i_logistic_fit(ctx, &all, e.y, 1, 1, &m, NULL), PDPR_EUSAGE);
    free_examples(&e);
    pdpr_context_free(ctx);
}

static void logistic_failing_allocations_leave_nothing(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    examples e = make_examples(5, 60, 3, 3, 0.5);
    const pdpr_i_features all = {60, 3, example_row, &e};
    pdpr_i_logistic m;
    pdpr_status status;
    double penalty;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        status = pdpr_i_logistic_choose(ctx, &all, e.y, 3, &m, &penalty, NULL);
        if (status == PDPR_OK)
            pdpr_i_logistic_clear(&m);
    });
    free_examples(&e);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- splits */

static void link_split_is_what_the_paper_says(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = NULL;
    pdpr_i_key key;
    pdpr_i_link_split split;
    assert_ok(pdpr_generate_gnm(ctx, 60, 403, 3, &g, NULL));
    pdpr_i_key_from_seed(2, &key);
    assert_ok(pdpr_i_link_split_make(ctx, g, &key, &split, NULL));
    assert_int_equal(split.num_test, 2 * 80); /* a fifth of 403, rounded down, and as many others */
    assert_int_equal(split.num_train, 2 * 323);
    assert_int_equal(pdpr_graph_num_edges(split.graph), 323);
    unsigned char seen[60][60] = {{0}};
    for (uint64_t i = 0; i < split.num_train + split.num_test; i++) {
        bool test = i >= split.num_train;
        const uint32_t *pair = test ? split.test + 2 * (i - split.num_train) : split.train + 2 * i;
        assert_true(pair[0] < pair[1] && pair[1] < 60);
        assert_int_equal(seen[pair[0]][pair[1]]++, 0); /* all distinct */
        assert_int_equal(pdpr_i_graph_has_arc(g, pair[0], pair[1]), i % 2 == 0);
        assert_int_equal(pdpr_i_graph_has_arc(split.graph, pair[0], pair[1]), !test && i % 2 == 0);
    }
    pdpr_i_link_split_clear(&split);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void link_split_of_a_directed_graph_takes_both_arcs_away(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t pairs[2 * 60];
    uint64_t count = 0;
    for (uint32_t u = 0; u < 30; u++) { /* a cycle, half of it in both directions */
        pairs[2 * count] = u;
        pairs[2 * count++ + 1] = (u + 1) % 30;
        if (u % 2 == 0) {
            pairs[2 * count] = (u + 1) % 30;
            pairs[2 * count++ + 1] = u;
        }
    }
    pdpr_graph *g = NULL;
    pdpr_i_link_split split;
    pdpr_i_key key;
    assert_ok(pdpr_graph_from_pairs(ctx, 30, pairs, count, true, &g, NULL));
    pdpr_i_key_from_seed(1, &key);
    assert_ok(pdpr_i_link_split_make(ctx, g, &key, &split, NULL));
    assert_true(pdpr_graph_is_directed(split.graph));
    for (uint64_t i = 0; i < split.num_test; i += 2) {
        const uint32_t *p = split.test + 2 * i;
        assert_false(pdpr_i_graph_has_arc(split.graph, p[0], p[1]) ||
                     pdpr_i_graph_has_arc(split.graph, p[1], p[0]));
    }
    for (uint64_t i = 0; i < split.num_train; i += 2) {
        const uint32_t *p = split.train + 2 * i;
        assert_int_equal(pdpr_i_graph_has_arc(split.graph, p[0], p[1]),
                         pdpr_i_graph_has_arc(g, p[0], p[1]));
        assert_int_equal(pdpr_i_graph_has_arc(split.graph, p[1], p[0]),
                         pdpr_i_graph_has_arc(g, p[1], p[0]));
    }
    pdpr_i_link_split_clear(&split);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void link_split_of_too_few_or_too_many_edges_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_key key;
    pdpr_i_link_split split;
    pdpr_i_key_from_seed(1, &key);
    pdpr_graph *g[] = {test_graph_empty(ctx, 9), test_graph_path(ctx, 5),
                       test_graph_complete(ctx, 9)};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pdpr_i_link_split_make(ctx, g[i], &key, &split, NULL), PDPR_EUSAGE);
        pdpr_graph_free(g[i]);
    }
    pdpr_context_free(ctx);
}

static void link_split_failing_allocations_leave_nothing(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_cycle(ctx, 30);
    pdpr_i_key key;
    pdpr_i_link_split split;
    pdpr_status status;
    pdpr_i_key_from_seed(1, &key);
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        status = pdpr_i_link_split_make(ctx, g, &key, &split, NULL);
        if (status == PDPR_OK)
            pdpr_i_link_split_clear(&split);
    });
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- labels */

typedef struct {
    pdpr_context *ctx;
    char folder[SCRATCH_PATH], path[SCRATCH_PATH], ledger_path[SCRATCH_PATH];
    pdpr_ledger *ledger;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->ctx = test_context(2);
    f->ledger = test_own_ledger(f->ctx, f->folder, f->ledger_path);
    test_scratch_path(f->folder, "x.labels", f->path);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    pdpr_ledger_close(f->ledger);
    assert_int_equal(pdpr_context_memory(f->ctx, NULL), 0);
    pdpr_context_free(f->ctx);
    test_scratch_remove(f->folder);
    free(f);
    return 0;
}

static void labels_are_read_with_comments_gaps_and_minus_one(void **state)
{
    fixture *f = *state;
    pdpr_graph *g = test_graph_path(f->ctx, 5);
    pdpr_labels *labels = NULL;
    static const char text[] = "# node class\n3 2\n\n0\t0\n4 -1\n";
    test_file_write(f->path, text, sizeof text - 1);
    assert_ok(pdpr_labels_load(f->ctx, f->path, g, &labels, NULL));
    const int32_t expected[] = {0, -1, -1, 2, -1};
    assert_memory_equal(labels->label, expected, sizeof expected);
    assert_int_equal(labels->classes, 3);
    assert_int_equal(labels->labelled, 2);
    pdpr_labels_free(labels);
    pdpr_graph_free(g);
}

static void labels_that_are_wrong_get_a_line(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"0 1\n7 0\n", "x.labels:2: expected a node of the graph, found \"7\""},
        {"0 x\n", "x.labels:1: expected a class from 0 to 999, or -1 for none, found \"x\""},
        {"0 1000\n", "found \"1000\""},
        {"0 -2\n", "found \"-2\""},
        {"0 1\n1 0\n0 1\n", "x.labels:3: expected each node once, found \"0\" again"},
        {"0\n", "x.labels:1: expected"},
        {"0 0\n1 0\n", "x.labels: expected labels of at least two classes, found 2 labels"},
        {"", "expected labels of at least two classes, found 0 labels"},
    };
    pdpr_graph *g = test_graph_path(f->ctx, 5);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pdpr_error err = {0};
        pdpr_labels *labels = NULL;
        test_file_write(f->path, cases[i].text, strlen(cases[i].text));
        assert_int_equal(pdpr_labels_load(f->ctx, f->path, g, &labels, &err), PDPR_EINPUT);
        if (!strstr(err.text, cases[i].says))
            fail_msg("expected \"%s\", found \"%s\"", cases[i].says, err.text);
    }
    pdpr_labels *labels = NULL;
    assert_int_equal(pdpr_labels_load(f->ctx, "/nowhere/x", g, &labels, NULL), PDPR_EFAILED);
    pdpr_graph_free(g);
}

static void labels_failing_allocations_leave_nothing(void **state)
{
    fixture *f = *state;
    pdpr_graph *g = test_graph_path(f->ctx, 5);
    pdpr_labels *labels = NULL;
    pdpr_status status;
    test_file_write(f->path, "0 1\n1 0\n", 8);
    FOR_EACH_ALLOCATION_FAILURE(f->ctx, status, {
        status = pdpr_labels_load(f->ctx, f->path, g, &labels, NULL);
        if (status == PDPR_OK)
            pdpr_labels_free(labels);
    });
    pdpr_graph_free(g);
}

/* ---------------------------------------------------------------- whole runs */

/* Vectors that say which of two halves a node is in, and links inside the halves only. */
static void link_score_of_telling_vectors_is_high_and_of_random_ones_a_half(void **state)
{
    (void)state;
    enum { N = 400, R = 6, M = 1500, REPEATS = 20 };
    pdpr_context *ctx = test_context(2);
    uint32_t pairs[2 * M];
    static float v[N * R];
    pdpr_i_key key;
    pdpr_i_stream random;
    double sum = 0, squares = 0;
    pdpr_i_key_from_seed(11, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, 0);
    for (int i = 0; i < M; i++) {
        uint32_t half = (uint32_t)pdpr_i_stream_below(&random, 2);
        pairs[2 * i] = 2 * (uint32_t)pdpr_i_stream_below(&random, N / 2) + half;
        pairs[2 * i + 1] = 2 * (uint32_t)pdpr_i_stream_below(&random, N / 2) + half;
    }
    pdpr_graph *g = test_graph(ctx, N, pairs, M);
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        pdpr_i_link_split split;
        double auc, inner;
        pdpr_i_key_from_seed((uint64_t)repeat, &key);
        assert_ok(pdpr_i_link_split_make(ctx, g, &key, &split, NULL));
        for (int i = 0; i < N * R; i++)
            v[i] = (float)(2 * pdpr_i_stream_unit(&random) - 1);
        assert_ok(
            pdpr_i_link_score(ctx, &split, (pdpr_i_embedding_view){v, R}, &auc, &inner, NULL));
        sum += auc;
        squares += auc * auc;
        for (int i = 0; i < N; i++)
            v[i * R] = i % 2 ? 3 : -3;
        assert_ok(
            pdpr_i_link_score(ctx, &split, (pdpr_i_embedding_view){v, R}, &auc, &inner, NULL));
        assert_true(auc > 0.65 && inner > 0.65); /* half of the other pairs are inside too: 0.75 */
        pdpr_i_link_split_clear(&split);
    }
    double mean = sum / REPEATS,
           sd = sqrt((squares / REPEATS - mean * mean) * REPEATS / (REPEATS - 1));
    print_message("random vectors: AUC %.4f, standard error %.4f\n", mean, sd / sqrt(REPEATS));
    assert_true(fabs(mean - 0.5) < 3 * sd / sqrt(REPEATS));
    assert_true(sd / sqrt(REPEATS) < 0.02);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void node_score_of_random_vectors_is_the_majority_rate(void **state)
{
    (void)state;
    enum { N = 2000, R = 32, REPEATS = 10 };
    pdpr_context *ctx = test_context(2);
    static int32_t class[N];
    static float v[N * R];
    pdpr_labels labels = {N, 4, 0, class};
    pdpr_i_key key;
    pdpr_i_stream random;
    double sum = 0, squares = 0, truth = 0;
    pdpr_i_key_from_seed(12, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, 0);
    for (int i = 0; i < N; i++) { /* shares 0.4, 0.2, 0.2, 0.2, and some without a label */
        uint64_t draw = pdpr_i_stream_below(&random, 11);
        class[i] = draw == 10 ? -1 : draw < 4 ? 0 : (int32_t)(draw - 2) / 2;
        labels.labelled += class[i] >= 0;
        truth += class[i] == 0;
    }
    truth /= labels.labelled;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        pdpr_i_node_split split;
        double f1;
        pdpr_i_key_from_seed((uint64_t)repeat, &key);
        assert_ok(pdpr_i_node_split_make(ctx, &labels, &key, &split, NULL));
        assert_int_equal(split.num_test, labels.labelled / 10);
        assert_int_equal(split.num_train + split.num_test, labels.labelled);
        for (int i = 0; i < N * R; i++)
            v[i] = (float)(2 * pdpr_i_stream_unit(&random) - 1);
        assert_ok(pdpr_i_node_score(ctx, &split, (pdpr_i_embedding_view){v, R}, &f1, NULL));
        assert_true(fabs(pdpr_i_node_majority(&split) - 0.4) < 0.15);
        sum += f1;
        squares += f1 * f1;
        for (int i = 0; i < N; i++)
            v[i * R] = (float)(class[i] * class[i]);
        assert_ok(pdpr_i_node_score(ctx, &split, (pdpr_i_embedding_view){v, R}, &f1, NULL));
        assert_true(f1 > 0.75); /* the first entry tells all */
        for (uint64_t i = split.num_train; i < split.num_train + split.num_test; i++)
            v[split.node[i] * R] = 0;
        assert_ok(pdpr_i_node_score(ctx, &split, (pdpr_i_embedding_view){v, R}, &f1, NULL));
        assert_true(f1 < 0.6); /* it tells of the training nodes only: they are not scored */
        pdpr_i_node_split_clear(&split);
    }
    double mean = sum / REPEATS,
           sd = sqrt((squares / REPEATS - mean * mean) * REPEATS / (REPEATS - 1));
    print_message("random vectors: Micro-F1 %.4f, standard error %.4f, majority %.4f\n", mean,
                  sd / sqrt(REPEATS), truth);
    assert_true(fabs(mean - truth) < 3 * sd / sqrt(REPEATS));
    assert_true(sd / sqrt(REPEATS) < 0.02); /* a wide error would let anything pass */
    pdpr_context_free(ctx);
}

static pdpr_task_options quick(const char *method)
{
    pdpr_task_options o;
    pdpr_task_options_default(&o);
    o.repeats = 2;
    o.method.method = method;
    o.method.epsilon = 3.2;
    o.method.day = "2026-11-15";
    o.method.columns = 8;
    o.method.width = 4;
    o.method.epochs = 1;
    o.method.batch = 8;
    return o;
}

static void task_of_the_papers_profile_scores_the_same_without_edges(void **state)
{
    fixture *f = *state;
    pdpr_graph *g = NULL;
    pdpr_task_result r[2];
    pdpr_task_options o = quick("privdpr");
    o.method.profile = "paper";
    assert_ok(pdpr_generate_gnm(f->ctx, 80, 200, 3, &g, NULL));
    for (uint32_t t = 0; t < 2; t++) {
        pdpr_context *ctx = test_context(t ? 3 : 1);
        assert_ok(pdpr_task_run(ctx, g, NULL, &o, f->ledger, &r[t], NULL));
        pdpr_context_free(ctx);
    }
    for (int i = 0; i < 2; i++) {
        assert_true(r[0].score[PDPR_TASK_METHOD][i] == r[0].score[PDPR_TASK_NO_EDGES][i]);
        assert_true(r[0].score[PDPR_TASK_METHOD][i] != r[0].score[PDPR_TASK_RANDOM][i]);
        assert_true(r[0].score[PDPR_TASK_CONSTANT][i] == 0.5);
    }
    assert_true(r[0].score[PDPR_TASK_METHOD][0] != r[0].score[PDPR_TASK_METHOD][1]);
    for (pdpr_task_row row = 0; row < PDPR_TASK_ROWS; row++) { /* threads do not matter */
        assert_true(r[0].mean[row] == r[1].mean[row]);
        assert_true(r[0].sd[row] == r[1].sd[row]);
        assert_close(r[0].mean[row], (r[0].score[row][0] + r[0].score[row][1]) / 2, 1e-15);
    }
    pdpr_graph_free(g);
}

static void task_options_out_of_range_are_refused(void **state)
{
    fixture *f = *state;
    pdpr_graph *g = test_graph_cycle(f->ctx, 30);
    pdpr_task_result r;
    pdpr_error err = {0};
    pdpr_task_options o = quick("privdpr");
    o.method.seeded = false;
    assert_int_equal(pdpr_task_run(f->ctx, g, NULL, &o, f->ledger, &r, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "seeded"));
    o = quick("privdpr");
    o.repeats = 0;
    assert_int_equal(pdpr_task_run(f->ctx, g, NULL, &o, f->ledger, &r, &err), PDPR_EUSAGE);
    o.repeats = PDPR_TASK_MOST_REPEATS + 1;
    assert_int_equal(pdpr_task_run(f->ctx, g, NULL, &o, f->ledger, &r, &err), PDPR_EUSAGE);
    o = quick("privdpr");
    o.task = PDPR_TASK_NODE; /* without labels */
    assert_int_equal(pdpr_task_run(f->ctx, g, NULL, &o, f->ledger, &r, &err), PDPR_EUSAGE);
    o = quick("null");
    o.method.edges = 5;
    assert_int_equal(pdpr_task_run(f->ctx, g, NULL, &o, f->ledger, &r, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "no embedding"));
    o = quick("magic");
    assert_int_equal(pdpr_task_run(f->ctx, g, NULL, &o, f->ledger, &r, &err), PDPR_EUSAGE);
    pdpr_graph_free(g);
}

static void task_of_nodes_has_its_rows_and_its_json(void **state)
{
    fixture *f = *state;
    pdpr_graph *g = test_graph_cycle(f->ctx, 60);
    pdpr_labels *labels = NULL;
    pdpr_task_options o = quick("dpr");
    pdpr_task_result r;
    char text[60 * 8], *json = NULL;
    int length = 0;
    for (int i = 0; i < 60; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%d %d\n", i, i % 3 == 0);
    test_file_write(f->path, text, (size_t)length);
    assert_ok(pdpr_labels_load(f->ctx, f->path, g, &labels, NULL));
    o.task = PDPR_TASK_NODE;
    assert_ok(pdpr_task_run(f->ctx, g, labels, &o, NULL, &r, NULL));
    assert_int_equal(r.test, 6);
    assert_int_equal(r.train, 54);
    assert_true(isnan(r.mean[PDPR_TASK_INNER]));
    assert_true(r.mean[PDPR_TASK_METHOD] >= 0 && r.mean[PDPR_TASK_METHOD] <= 1);
    assert_ok(pdpr_report_task_json(f->ctx, &r, &o, &json, NULL));
    assert_non_null(strstr(json, "\"score\": \"micro_f1\""));
    assert_non_null(strstr(json, "\"guarantee\": \"none"));
    assert_non_null(strstr(json, "\"constant\""));
    assert_null(strstr(json, "\"inner\""));
    pdpr_free(json);
    pdpr_labels_free(labels);
    pdpr_graph_free(g);
}

/* Two halves, linked inside only; classes are the halves. Trained on the edges the classes show,
 * and the row without edges must not know of them. */
static void task_row_without_edges_has_not_seen_the_graph(void **state)
{
    fixture *f = *state;
    enum { N = 160, M = 1600 };
    uint32_t pairs[2 * M];
    char text[N * 8];
    int length = 0;
    pdpr_i_key key;
    pdpr_i_stream random;
    pdpr_labels *labels = NULL;
    pdpr_task_options o = quick("dpr");
    pdpr_task_result r, other;
    pdpr_graph *cycle = test_graph_cycle(f->ctx, N);
    pdpr_i_key_from_seed(3, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, 0);
    for (int i = 0; i < M; i++) {
        uint32_t half = (uint32_t)pdpr_i_stream_below(&random, 2);
        pairs[2 * i] = 2 * (uint32_t)pdpr_i_stream_below(&random, N / 2) + half;
        pairs[2 * i + 1] = 2 * (uint32_t)pdpr_i_stream_below(&random, N / 2) + half;
    }
    pdpr_graph *g = test_graph(f->ctx, N, pairs, M);
    for (int i = 0; i < N; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%d %d\n", i, i % 2);
    test_file_write(f->path, text, (size_t)length);
    assert_ok(pdpr_labels_load(f->ctx, f->path, g, &labels, NULL));
    o.task = PDPR_TASK_NODE;
    o.repeats = 4;
    o.method.columns = 16;
    o.method.width = 0;
    o.method.batch = 0;
    o.method.epochs = 0;
    assert_ok(pdpr_task_run(f->ctx, g, labels, &o, NULL, &r, NULL));
    assert_ok(pdpr_task_run(f->ctx, cycle, labels, &o, NULL, &other, NULL));
    assert_memory_equal(r.score[PDPR_TASK_NO_EDGES], other.score[PDPR_TASK_NO_EDGES],
                        o.repeats * sizeof(double));
    assert_memory_not_equal(r.score[PDPR_TASK_METHOD], other.score[PDPR_TASK_METHOD],
                            o.repeats * sizeof(double));
    pdpr_graph_free(cycle);
    pdpr_labels_free(labels);
    pdpr_graph_free(g);
}

static void task_failing_allocations_leave_nothing(void **state)
{
    fixture *f = *state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_cycle(ctx, 20);
    pdpr_task_options o = quick("dpr");
    pdpr_task_result r;
    pdpr_status status;
    (void)f;
    o.repeats = 1;
    o.method.columns = 2;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status,
                                { status = pdpr_task_run(ctx, g, NULL, &o, NULL, &r, NULL); });
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- the configuration model */

static void configuration_keeps_degrees_and_forgets_links(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = NULL, *c = NULL, *again = NULL;
    uint64_t kept = 0, degree[2] = {0, 0};
    assert_ok(pdpr_generate_social(ctx, 2000, 6000, 0.5, 1, &g, NULL));
    assert_ok(pdpr_generate_configuration(ctx, g, 7, &c, NULL));
    assert_ok(pdpr_generate_configuration(ctx, g, 7, &again, NULL));
    for (uint32_t u = 0; u < 2000; u++) {
        assert_true(pdpr_i_degree(c, u) <= pdpr_i_degree(g, u));
        degree[0] += pdpr_i_degree(g, u);
        degree[1] += pdpr_i_degree(c, u);
        for (uint64_t k = g->offset[u]; k < g->offset[u + 1]; k++)
            kept += pdpr_i_graph_has_arc(c, u, g->target[k]);
    }
    assert_true(degree[1] > degree[0] * 97 / 100);
    assert_true(kept < degree[0] / 10);
    assert_int_equal(c->num_arcs, again->num_arcs);
    assert_memory_equal(c->target, again->target, c->num_arcs * sizeof *c->target);
    pdpr_graph_free(g);
    pdpr_graph_free(c);
    pdpr_graph_free(again);
    pdpr_status status;
    pdpr_graph *path = test_graph_path(ctx, 5);
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        c = NULL;
        status = pdpr_generate_configuration(ctx, path, 1, &c, NULL);
        pdpr_graph_free(c);
    });
    pdpr_graph_free(path);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auc_equals_counting_all_pairs),
        cmocka_unit_test(auc_without_both_kinds_is_not_defined),
        cmocka_unit_test(logistic_equals_scikit_learn),
        cmocka_unit_test(logistic_does_not_depend_on_threads),
        cmocka_unit_test(logistic_class_without_example_is_never_predicted),
        cmocka_unit_test(
            logistic_choose_takes_a_small_penalty_for_signal_and_a_large_one_for_noise),
        cmocka_unit_test(logistic_without_rows_or_classes_is_refused),
        cmocka_unit_test(logistic_failing_allocations_leave_nothing),
        cmocka_unit_test(link_split_is_what_the_paper_says),
        cmocka_unit_test(link_split_of_a_directed_graph_takes_both_arcs_away),
        cmocka_unit_test(link_split_of_too_few_or_too_many_edges_is_refused),
        cmocka_unit_test(link_split_failing_allocations_leave_nothing),
        cmocka_unit_test_setup_teardown(labels_are_read_with_comments_gaps_and_minus_one, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(labels_that_are_wrong_get_a_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(labels_failing_allocations_leave_nothing, set_up,
                                        tear_down),
        cmocka_unit_test(link_score_of_telling_vectors_is_high_and_of_random_ones_a_half),
        cmocka_unit_test(node_score_of_random_vectors_is_the_majority_rate),
        cmocka_unit_test_setup_teardown(task_of_the_papers_profile_scores_the_same_without_edges,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(task_options_out_of_range_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(task_of_nodes_has_its_rows_and_its_json, set_up, tear_down),
        cmocka_unit_test_setup_teardown(task_row_without_edges_has_not_seen_the_graph, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(task_failing_allocations_leave_nothing, set_up, tear_down),
        cmocka_unit_test(configuration_keeps_degrees_and_forgets_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
