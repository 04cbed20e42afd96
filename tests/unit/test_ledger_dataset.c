/* Names of datasets in the ledger: keyed by the edges, or by the owner's word. */
#include "support/support.h"
#include "support/ledger_case.h"
#include "support/ledger_faults.h"

#include <string.h>

typedef test_ledger_case fixture;

static void dataset_key_depends_on_the_edges_alone(void **state)
{
    fixture *f = *state;
    char key[9][PDPR_LEDGER_KEY_TEXT];
    /* arcs down to a node that has other arcs up, beyond and before where the answer would be */
    const uint32_t down[] = {3, 2, 2, 1, 1, 0, 0, 4, 1, 4, 2, 4},
                   up[] = {2, 3, 1, 2, 0, 1, 4, 0, 4, 1, 4, 2};
    const uint32_t path_pairs[] = {0, 1, 1, 2, 2, 3}, other_order[] = {3, 2, 1, 0, 2, 1};
    const uint32_t both_ways[] = {0, 1, 1, 0, 1, 2, 3, 2}, fewer[] = {0, 1, 1, 2};
    const struct {
        uint32_t nodes;
        const uint32_t *pairs;
        uint64_t count;
        bool directed;
    } graphs[] = {{4, path_pairs, 3, false}, {4, other_order, 3, false}, {9, path_pairs, 3, false},
                  {4, both_ways, 4, true},   {4, path_pairs, 3, true},   {4, fewer, 2, false},
                  {4, NULL, 0, false},       {0, NULL, 0, false}};
    for (int i = 0; i < 2; i++) {
        pdpr_graph *g = NULL;
        assert_ok(pdpr_graph_from_pairs(f->ctx, 5, i ? up : down, 6, true, &g, NULL));
        assert_ok(pdpr_ledger_dataset_of(f->ledger, g, key[i], NULL));
        pdpr_graph_free(g);
    }
    assert_string_equal(key[0], key[1]);
    for (int i = 0; i < 8; i++) {
        pdpr_graph *g = NULL;
        assert_ok(pdpr_graph_from_pairs(f->ctx, graphs[i].nodes, graphs[i].pairs, graphs[i].count,
                                        graphs[i].directed, &g, NULL));
        assert_ok(pdpr_ledger_dataset_of(f->ledger, g, key[i], NULL));
        pdpr_graph_free(g);
    }
    for (int i = 1; i < 5; i++)
        assert_string_equal(key[0], key[i]);
    assert_string_not_equal(key[0], key[5]);
    assert_string_not_equal(key[0], key[6]);
    assert_string_equal(key[6], key[7]);
    char run[PDPR_LEDGER_ID_TEXT];
    assert_ok(test_reserve(f->ledger, key[0], one, 1, run, NULL)); /* a valid name */
}

static void dataset_key_follows_names_not_ids(void **state)
{
    fixture *f = *state;
    char key[3][PDPR_LEDGER_KEY_TEXT];
    /* The edge 5-7 under three orders of the nodes {5, 7, 9}; in the third it is 5-9. */
    const uint64_t ids[3][3] = {{5, 7, 9}, {9, 7, 5}, {5, 9, 7}};
    const uint32_t pairs[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    for (int i = 0; i < 3; i++) {
        uint64_t *copy = NULL;
        pdpr_i_names *names = NULL;
        pdpr_graph *g = NULL;
        pdpr_i_pair_block block = {pairs[i], 1};
        assert_ok(pdpr_i_alloc(f->ctx, 3, sizeof *copy, "ids", &copy, NULL));
        memcpy(copy, ids[i], sizeof ids[i]);
        assert_ok(pdpr_i_names_sparse(f->ctx, copy, 3, &names, NULL));
        assert_ok(pdpr_i_graph_build(f->ctx, 3, &block, 1, false, names, &g, NULL, NULL, NULL));
        pdpr_i_names_release(names);
        assert_ok(pdpr_ledger_dataset_of(f->ledger, g, key[i], NULL));
        pdpr_graph_free(g);
    }
    assert_string_equal(key[0], key[1]);
    assert_string_not_equal(key[0], key[2]);
}

static void dataset_key_of_long_names_is_had(void **state)
{
    fixture *f = *state;
    char *text = NULL, key[PDPR_LEDGER_KEY_TEXT];
    uint64_t *start = NULL;
    pdpr_i_names *names = NULL;
    pdpr_graph *g = NULL;
    const uint32_t pair[] = {0, 1};
    pdpr_i_pair_block block = {pair, 1};
    assert_ok(pdpr_i_alloc(f->ctx, 1000, 1, "names", &text, NULL));
    memset(text, 'n', 1000);
    text[500] = 'm';
    assert_ok(pdpr_i_alloc(f->ctx, 3, sizeof *start, "starts", &start, NULL));
    start[0] = 0, start[1] = 500, start[2] = 1000;
    assert_ok(pdpr_i_names_text(f->ctx, text, start, 2, &names, NULL));
    assert_ok(pdpr_i_graph_build(f->ctx, 2, &block, 1, false, names, &g, NULL, NULL, NULL));
    pdpr_i_names_release(names);
    assert_ok(pdpr_ledger_dataset_of(f->ledger, g, key, NULL));
    pdpr_graph_free(g);
}

/* Key of the graph of one edge between the first two of these nodes, named by the texts. */
static void key_of_named_edge(fixture *f, const char *const *name, uint32_t count,
                              char key[PDPR_LEDGER_KEY_TEXT])
{
    char *text = NULL;
    uint64_t *start = NULL, length = 0;
    pdpr_i_names *names = NULL;
    pdpr_graph *g = NULL;
    const uint32_t pair[] = {0, 1};
    pdpr_i_pair_block block = {pair, 1};
    assert_ok(pdpr_i_alloc(f->ctx, 1000, 1, "names", &text, NULL));
    assert_ok(pdpr_i_alloc(f->ctx, count + 1, sizeof *start, "starts", &start, NULL));
    start[0] = 0;
    for (uint32_t u = 0; u < count; u++) {
        memcpy(text + length, name[u], strlen(name[u]));
        start[u + 1] = length += strlen(name[u]);
    }
    assert_ok(pdpr_i_names_text(f->ctx, text, start, count, &names, NULL));
    assert_ok(pdpr_i_graph_build(f->ctx, count, &block, 1, false, names, &g, NULL, NULL, NULL));
    pdpr_i_names_release(names);
    assert_ok(pdpr_ledger_dataset_of(f->ledger, g, key, NULL));
    pdpr_graph_free(g);
}

/* A node without edges whose name is no number gives the others no second budget; names of edges
 * that are no numbers are taken as they stand. */
static void dataset_key_of_numbers_does_not_see_a_text_without_edges(void **state)
{
    fixture *f = *state;
    char numbers[PDPR_LEDGER_KEY_TEXT], key[PDPR_LEDGER_KEY_TEXT];
    const uint32_t pair[] = {0, 1};
    pdpr_graph *g = test_graph(f->ctx, 2, pair, 1);
    assert_ok(pdpr_ledger_dataset_of(f->ledger, g, numbers, NULL));
    pdpr_graph_free(g);
    key_of_named_edge(f, (const char *const[]){"5", "6", "iso"}, 3, key);
    assert_string_equal(key, numbers);
    key_of_named_edge(f, (const char *const[]){"6", "5", "/", "3"}, 4, key);
    assert_string_equal(key, numbers);
    key_of_named_edge(f, (const char *const[]){"5", "7", "iso"}, 3, key);
    assert_string_not_equal(key, numbers);
    key_of_named_edge(f, (const char *const[]){"5", "6a", "iso"}, 3, key);
    assert_string_not_equal(key, numbers);
    key_of_named_edge(f, (const char *const[]){"100000000000000000000", "100000000000000000001"}, 2,
                      key); /* more digits than are read as a number */
    assert_string_not_equal(key, numbers);
}

static void dataset_key_does_not_see_leading_zeros(void **state)
{
    fixture *f = *state;
    char numbers[PDPR_LEDGER_KEY_TEXT], key[PDPR_LEDGER_KEY_TEXT], zeros[2][301];
    key_of_named_edge(f, (const char *const[]){"0", "7"}, 2, numbers);
    key_of_named_edge(f, (const char *const[]){"00", "07"}, 2, key);
    assert_string_equal(key, numbers);
    key_of_named_edge(f, (const char *const[]){"0", "00000000000000000000000000000007"}, 2, key);
    assert_string_equal(key, numbers);
    key_of_named_edge(f, (const char *const[]){"00", "17"}, 2, key);
    assert_string_not_equal(key, numbers);
    for (int i = 0; i < 2; i++) { /* more than are looked at: texts */
        memset(zeros[i], '0', 300);
        zeros[i][299] = (char)('0' + 7 * i);
        zeros[i][300] = '\0';
    }
    key_of_named_edge(f, (const char *const[]){zeros[0], zeros[1]}, 2, key);
    assert_string_not_equal(key, numbers);
}

static void dataset_key_is_secret_and_the_same_for_any_threads(void **state)
{
    fixture *f = *state;
    char key[PDPR_LEDGER_KEY_TEXT], same[PDPR_LEDGER_KEY_TEXT], other[PDPR_LEDGER_KEY_TEXT];
    char path[SCRATCH_PATH];
    pdpr_graph *g = NULL;
    pdpr_ledger *again = NULL, *elsewhere = NULL;
    pdpr_context *single = test_context(1);
    pdpr_ledger_options options;
    assert_ok(pdpr_generate_gnm(f->ctx, 20000, 50000, 5, &g, NULL));
    assert_ok(pdpr_ledger_dataset_of(f->ledger, g, key, NULL));
    assert_ok(pdpr_ledger_open(single, f->path, NULL, &again, NULL));
    assert_ok(pdpr_ledger_dataset_of(again, g, same, NULL));
    assert_string_equal(key, same);
    pdpr_ledger_options_default(&options);
    options.create = true;
    test_scratch_path(f->folder, "other", path);
    assert_ok(pdpr_ledger_open(single, path, &options, &elsewhere, NULL));
    assert_ok(pdpr_ledger_dataset_of(elsewhere, g, other, NULL));
    assert_string_not_equal(key, other); /* another secret */

    assert_ok(pdpr_ledger_dataset_named(f->ledger, "social 2026", same, NULL));
    assert_string_not_equal(key, same);
    assert_ok(pdpr_ledger_dataset_named(f->ledger, "social 2026", other, NULL));
    assert_string_equal(same, other);
    assert_ok(pdpr_ledger_dataset_named(f->ledger, "social 2027", other, NULL));
    assert_string_not_equal(same, other);
    pdpr_graph_free(g);
    pdpr_ledger_close(again);
    pdpr_ledger_close(elsewhere);
    pdpr_context_free(single);
}

int main(void)
{
    test_fail_jansson(0);
    const struct CMUnitTest tests[] = {
        with_ledger(dataset_key_depends_on_the_edges_alone),
        with_ledger(dataset_key_follows_names_not_ids),
        with_ledger(dataset_key_of_long_names_is_had),
        with_ledger(dataset_key_of_numbers_does_not_see_a_text_without_edges),
        with_ledger(dataset_key_does_not_see_leading_zeros),
        with_ledger(dataset_key_is_secret_and_the_same_for_any_threads),
    };
    return cmocka_run_group_tests_name("ledger_dataset", tests, NULL, NULL);
}
