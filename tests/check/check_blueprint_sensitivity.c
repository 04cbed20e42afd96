/* Sensitivity of the blueprint's combinatorial measurements by brute force, and the pairs of
 * neighbours that the review found to be the worst. The other measurements have files of their own
 * (check_blueprint_component_cap.c, _path_length.c, _triangle_cap.c). A search can only refute: the
 * proofs are in docs/proofs. */
#include "support/neighbours.h"
#include "blueprint/blueprint.h"
#include "blueprint/measure_degree_index.h"
#include "blueprint/measure_projection.h"

#include <stdlib.h>
#include <string.h>

static double apart(int64_t a, int64_t b)
{
    return a > b ? (double)(a - b) : (double)(b - a);
}

/* ---------------------------------------------------------------- Q1 */

enum { LADDER = 4, CELLS = 1 + 2 + 3 + 5, ORDERS = 3 };
static const uint32_t ladder[LADDER] = {1, 2, 3, 5};

static void measure_projection(pdpr_context *ctx, const pdpr_graph *g, uint64_t seed,
                               uint32_t orders, int64_t *value)
{
    pdpr_i_projection p;
    assert_ok(pdpr_i_projection_measure(ctx, g, seed, orders, ladder, LADDER, &p, NULL));
    for (uint32_t t = 0; t < LADDER; t++)
        *value++ = (int64_t)p.edges[t];
    for (uint32_t i = 0; i < CELLS; i++)
        *value++ = (int64_t)p.cells[i];
    pdpr_i_projection_clear(&p);
}

static void measure_one_order(pdpr_context *ctx, const pdpr_graph *g, uint64_t seed, int64_t *value)
{
    measure_projection(ctx, g, seed, 1, value);
}

static void measure_orders(pdpr_context *ctx, const pdpr_graph *g, uint64_t seed, int64_t *value)
{
    measure_projection(ctx, g, seed, ORDERS, value);
}

/* Worst cap of the ladder: L1 distance of the cumulative histogram over 2 R theta. */
static double histogram_distance(const int64_t *a, const int64_t *b, double orders)
{
    double worst = 0;
    a += LADDER;
    b += LADDER;
    for (uint32_t t = 0; t < LADDER; t++) {
        double sum = 0;
        for (uint32_t k = 0; k < ladder[t]; k++)
            sum += apart(*a++, *b++);
        sum /= 2 * ladder[t] * orders;
        worst = sum > worst ? sum : worst;
    }
    return worst;
}

static double histogram_one(const int64_t *a, const int64_t *b)
{
    return histogram_distance(a, b, 1);
}

static double histogram_many(const int64_t *a, const int64_t *b)
{
    return histogram_distance(a, b, ORDERS);
}

static double edges_distance(const int64_t *a, const int64_t *b)
{
    double worst = 0;
    for (uint32_t t = 0; t < LADDER; t++) {
        double d = apart(a[t], b[t]) / ladder[t];
        worst = d > worst ? d : worst;
    }
    return worst;
}

static void projection_never_exceeds_its_sensitivity_and_reaches_it(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const test_query queries[] = {
        {"cumulative histogram", LADDER + CELLS, measure_one_order, histogram_one, true},
        {"cumulative histogram, 3 orders", LADDER + CELLS, measure_orders, histogram_many, false},
        {"projected edges", LADDER + CELLS, measure_one_order, edges_distance, true},
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        test_sensitivity(ctx, &queries[i], 6, 8, 300);
    pdpr_context_free(ctx);
}

/* What the caps of the ladder lose in the selection of theta. */
static void measure_losses(pdpr_context *ctx, const pdpr_graph *g, uint64_t seed, int64_t *value)
{
    int64_t edges[LADDER + CELLS];
    measure_projection(ctx, g, seed, 1, edges);
    for (uint32_t t = 0; t < LADDER; t++)
        value[t] = pdpr_i_bp_cap_loss(g->num_nodes, (uint64_t)edges[t], ladder[t]);
}

static double losses_distance(const int64_t *a, const int64_t *b)
{
    double worst = 0;
    for (uint32_t t = 0; t < LADDER; t++)
        worst = apart(a[t], b[t]) > worst ? apart(a[t], b[t]) : worst;
    return worst;
}

static void loss_of_a_cap_never_moves_by_more_than_one_and_does_move_by_one(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const test_query query = {"loss of a cap", LADDER, measure_losses, losses_distance, true};
    test_sensitivity(ctx, &query, 6, 8, 300);
    pdpr_context_free(ctx);
}

/* Roles of nodes in a constructed graph; the key of a pair follows from the two roles. */
enum role { FILLER, CENTRE, BLOCKED, LAST };
enum { MOST_NODES = 4096 };

typedef struct {
    enum role role[MOST_NODES];
    uint32_t nodes;
    uint32_t pair[2 * MOST_NODES];
    uint64_t count;
} construction;

static uint32_t add_node(construction *c, enum role role)
{
    assert_true(c->nodes < MOST_NODES);
    c->role[c->nodes] = role;
    return c->nodes++;
}

static void join(construction *c, uint32_t u, uint32_t w)
{
    c->pair[2 * c->count] = u;
    c->pair[2 * c->count++ + 1] = w;
}

static void add_fillers(construction *c, uint32_t u, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        join(c, u, add_node(c, FILLER));
}

/* Pairs at the centre first, pairs BLOCKED-LAST at the end, everything else between. */
static uint64_t role_key(const void *arg, uint32_t low, uint32_t high)
{
    const construction *c = arg;
    enum role a = c->role[low], b = c->role[high];
    if (a == CENTRE || b == CENTRE)
        return 0;
    return (a == BLOCKED && b == LAST) || (a == LAST && b == BLOCKED) ? 2 : 1;
}

static void project_by_roles(pdpr_context *ctx, const construction *c, uint32_t theta,
                             uint32_t *degree)
{
    pdpr_graph *g = test_graph(ctx, c->nodes, c->pair, c->count);
    pdpr_i_pair_order order;
    assert_ok(pdpr_i_pair_order_by_key(ctx, g, role_key, c, &order, NULL));
    pdpr_i_projection_scan(&order, c->nodes, theta, degree);
    pdpr_i_pair_order_clear(&order);
    pdpr_graph_free(g);
}

static int64_t at_most(const uint32_t *degree, uint32_t nodes, uint32_t k)
{
    int64_t count = 0;
    for (uint32_t u = 0; u < nodes; u++)
        count += degree[u] <= k;
    return count;
}

/* BLUEPRINT_REVIEW section 4: for every k there are neighbours whose histograms differ by 2 theta
 * in bin k and nowhere else. */
static void single_bin_pair_moves_one_bin_by_exactly_two_theta(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const uint32_t thetas[] = {2, 3, 5, 16};
    construction *base = calloc(1, sizeof *base), *c = calloc(1, sizeof *c);
    uint32_t *with = calloc(MOST_NODES, sizeof *with), *without = calloc(MOST_NODES, sizeof *with);
    assert_true(base && c && with && without);

    for (size_t t = 0; t < sizeof thetas / sizeof *thetas; t++)
        for (uint32_t theta = thetas[t], k = 0; k < theta; k++) {
            uint32_t displaced[16], raised[16];
            base->nodes = 0;
            base->count = 0;
            uint32_t v = add_node(base, CENTRE);
            for (uint32_t i = 0; i < theta; i++) {
                uint32_t u = add_node(base, BLOCKED), w = add_node(base, LAST);
                add_fillers(base, u, theta - 1);
                add_fillers(base, w, k);
                join(base, u, w);
                displaced[i] = u;
                raised[i] = add_node(base, FILLER);
                add_fillers(base, raised[i], k);
            }
            for (int side = 0; side < 2; side++) {
                *c = *base;
                for (uint32_t i = 0; i < theta; i++)
                    join(c, v, side ? displaced[i] : raised[i]);
                project_by_roles(ctx, c, theta, side ? with : without);
            }
            for (uint32_t bin = 0; bin < theta; bin++)
                assert_int_equal(at_most(with, base->nodes, bin) -
                                     at_most(without, base->nodes, bin),
                                 bin == k ? 2 * (int64_t)theta : 0);
        }
    free(base);
    free(c);
    free(with);
    free(without);
    pdpr_context_free(ctx);
}

/* The obvious projection: marks the kept pairs of an order. */
static void project_slowly(const pdpr_i_pair_order *order, uint32_t nodes, uint32_t theta,
                           bool *kept, uint32_t *degree)
{
    memset(degree, 0, nodes * sizeof *degree);
    for (uint64_t i = 0; i < order->count; i++) {
        uint32_t u = order->pair[2 * i], w = order->pair[2 * i + 1];
        kept[i] = degree[u] < theta && degree[w] < theta;
        if (kept[i]) {
            degree[u]++;
            degree[w]++;
        }
    }
}

static uint64_t smaller_id(const void *arg, uint32_t low, uint32_t high)
{
    (void)arg, (void)high;
    return low;
}

/* A path scanned from its end: one edge before it flips every choice along it. The degrees move by
 * 2 in all, the kept edges by ten thousand: why nothing but degrees is ever read from a projection.
 */
static void chain_pair_moves_degrees_by_two_and_edges_by_thousands(void **state)
{
    (void)state;
    enum { LENGTH = 10001, NODES = LENGTH + 2 };
    pdpr_context *ctx = test_context(1);
    uint32_t *pair = calloc(2 * NODES, sizeof *pair);
    uint32_t *degree[2] = {calloc(NODES, sizeof **degree), calloc(NODES, sizeof **degree)};
    uint32_t *slow = calloc(NODES, sizeof *slow);
    bool *kept[2] = {calloc(NODES, sizeof **kept), calloc(NODES, sizeof **kept)};
    assert_true(pair && degree[0] && degree[1] && slow && kept[0] && kept[1]);

    for (uint32_t i = 0; i <= LENGTH; i++) { /* pair 0 joins node 0, the one that changes */
        pair[2 * i] = i;
        pair[2 * i + 1] = i + 1;
    }
    for (int with = 0; with < 2; with++) {
        pdpr_graph *g = test_graph(ctx, NODES, pair + 2 * !with, LENGTH + (uint64_t)with);
        pdpr_i_pair_order order;
        assert_ok(pdpr_i_pair_order_by_key(ctx, g, smaller_id, NULL, &order, NULL));
        pdpr_i_projection_scan(&order, NODES, 1, degree[with]);
        project_slowly(&order, NODES, 1, kept[with], slow);
        assert_memory_equal(slow, degree[with], NODES * sizeof *slow);
        pdpr_i_pair_order_clear(&order);
        pdpr_graph_free(g);
    }
    double moved = 0, flipped = 0;
    for (uint32_t u = 0; u < NODES; u++)
        moved += apart(degree[0][u], degree[1][u]);
    for (uint32_t i = 0; i < LENGTH; i++)
        flipped += kept[0][i] != kept[1][i + 1];
    assert_true(moved == 2);
    assert_true(flipped >= 10000);
    free(pair);
    free(slow);
    for (int i = 0; i < 2; i++) {
        free(degree[i]);
        free(kept[i]);
    }
    pdpr_context_free(ctx);
}

static uint64_t constant_key(const void *arg, uint32_t low, uint32_t high)
{
    (void)arg, (void)low, (void)high;
    return 7;
}

static uint64_t coarse_key(const void *arg, uint32_t low, uint32_t high)
{
    (void)arg;
    return (uint64_t)(low * 2654435761U ^ high * 40503U) % 3 << 40 | (low + high) % 2;
}

/* Ties are broken by the ids, so the pairs that two graphs share stand in the same order in both.
 */
static void order_with_ties_is_total_and_the_same_in_both_neighbours(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    const pdpr_i_pair_key keys[] = {constant_key, coarse_key, smaller_id};
    pdpr_i_stream random;
    test_stream(&random, 1);
    for (uint32_t trial = 0; trial < 300; trial++) {
        uint32_t base = (uint32_t)pdpr_i_stream_below(&random, 1 << 21);
        pdpr_i_pair_order order[2];
        uint64_t at[2] = {0, 0};
        for (int side = 0; side < 2; side++) {
            pdpr_graph *g =
                test_graph_of_bits(ctx, 8, base, (uint32_t)pdpr_i_stream_below(&random, 1 << 7));
            if (trial % 4 == 3)
                assert_ok(pdpr_i_pair_order_init(ctx, g, trial, 2, &order[side], NULL));
            else
                assert_ok(
                    pdpr_i_pair_order_by_key(ctx, g, keys[trial % 4], NULL, &order[side], NULL));
            pdpr_graph_free(g);
        }
        for (uint64_t i = 1; trial % 4 != 3 && i < order[0].count; i++) {
            const uint32_t *p = order[0].pair + 2 * (i - 1), *q = p + 2;
            uint64_t a = keys[trial % 4](NULL, p[0], p[1]), b = keys[trial % 4](NULL, q[0], q[1]);
            assert_true(a < b || (a == b && (p[0] < q[0] || (p[0] == q[0] && p[1] < q[1]))));
        }
        for (;;) { /* the pairs without node 7, one by one */
            for (int side = 0; side < 2; side++)
                while (at[side] < order[side].count && order[side].pair[2 * at[side] + 1] == 7)
                    at[side]++;
            if (at[0] == order[0].count || at[1] == order[1].count)
                break;
            assert_memory_equal(order[0].pair + 2 * at[0]++, order[1].pair + 2 * at[1]++,
                                2 * sizeof(uint32_t));
        }
        assert_true(at[0] == order[0].count && at[1] == order[1].count);
        pdpr_i_pair_order_clear(&order[0]);
        pdpr_i_pair_order_clear(&order[1]);
    }
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- Q2 */

enum { LINES = 12 };
static const pdpr_i_line lines[LINES] = {{-3, 1}, {-1, 1}, {0, 1}, {1, 1},  {2, 1}, {4, 1},
                                         {-2, 2}, {0, 2},  {1, 2}, {-1, 3}, {0, 3}, {1, 3}};

static void measure_degree_lines(pdpr_context *ctx, const pdpr_graph *g, uint64_t seed,
                                 int64_t *value)
{
    (void)seed;
    uint64_t index[LINES];
    assert_ok(pdpr_i_degree_index(ctx, g, lines, LINES, index, NULL));
    for (uint32_t i = 0; i < LINES; i++)
        value[i] = (int64_t)index[i];
}

static double lines_distance(const int64_t *a, const int64_t *b)
{
    double worst = 0;
    for (uint32_t i = 0; i < LINES; i++)
        worst = apart(a[i], b[i]) > worst ? apart(a[i], b[i]) : worst;
    return worst;
}

static void indices_never_move_by_more_than_one_and_do_move_by_one(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const test_query query = {"degree index", LINES, measure_degree_lines, lines_distance, true};
    test_sensitivity(ctx, &query, 6, 8, 500);
    pdpr_context_free(ctx);
}

/* The definition, word for word. */
static uint64_t index_slowly(const uint32_t *degree, uint32_t nodes, pdpr_i_line line)
{
    uint64_t best = 0;
    for (uint64_t j = 0; j <= nodes; j++) {
        uint64_t count = 0;
        for (uint32_t u = 0; u < nodes; u++)
            count += (int64_t)degree[u] >= line.shift + (int64_t)j;
        if (count >= j * line.slope)
            best = j;
    }
    return best;
}

static void indices_equal_their_definition(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    for (uint64_t trial = 0; trial < 2000; trial++) {
        uint32_t n = 2 + (uint32_t)(trial % 39), degree[64];
        uint64_t most = (uint64_t)n * (n - 1) / 2, index[LINES];
        pdpr_graph *g = NULL;
        assert_ok(pdpr_generate_gnm(ctx, n, most * (trial % 11) / 10, trial, &g, NULL));
        for (uint32_t u = 0; u < n; u++)
            degree[u] = (uint32_t)pdpr_i_degree(g, u);
        assert_ok(pdpr_i_degree_index(ctx, g, lines, LINES, index, NULL));
        for (uint32_t i = 0; i < LINES; i++)
            assert_int_equal(index[i], index_slowly(degree, n, lines[i]));
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection_never_exceeds_its_sensitivity_and_reaches_it),
        cmocka_unit_test(loss_of_a_cap_never_moves_by_more_than_one_and_does_move_by_one),
        cmocka_unit_test(single_bin_pair_moves_one_bin_by_exactly_two_theta),
        cmocka_unit_test(chain_pair_moves_degrees_by_two_and_edges_by_thousands),
        cmocka_unit_test(order_with_ties_is_total_and_the_same_in_both_neighbours),
        cmocka_unit_test(indices_never_move_by_more_than_one_and_do_move_by_one),
        cmocka_unit_test(indices_equal_their_definition),
    };
    return cmocka_run_group_tests_name("blueprint sensitivity", tests, NULL, NULL);
}
