/* Seeded random graphs through every format and packing: what is read back is what was written,
 * with 1, 2 and 5 threads, in large and tiny blocks; and writing it again gives the same bytes. A
 * plain reader of its own, a few lines of fscanf, is the judge of the edge lists. */
#include "support/load_cases.h"
#include "dp/random_stream.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 120 };

typedef struct {
    const char *file;
    bool keeps_names, undirected_only;
} format_case;

static const format_case formats[] = {
    {"a.txt", true, false},       {"a.csv", true, false},      {"a.tsv.gz", true, false},
    {"a.edges.zst", true, false}, {"a.bcsr", true, false},     {"a.bcsr.gz", true, false},
    {"a.bcsr.zst", true, false},  {"a.mtx", false, false},     {"a.mtx.zst", false, false},
    {"a.graph", false, true},     {"a.graph.gz", false, true},
};

static pdpr_i_stream stream_of(uint64_t seed)
{
    pdpr_i_key key;
    pdpr_i_stream stream;
    pdpr_i_key_from_seed(seed, &key);
    pdpr_i_stream_init(&stream, &key, PDPR_I_PURPOSE_TEST, 0);
    return stream;
}

/* A random text graph in memory: kinds of ids, isolated nodes, loops, repeats, comments. */
static char *random_text(uint64_t seed, size_t *size)
{
    enum { ROOM = 1 << 16 };
    pdpr_i_stream r = stream_of(seed);
    char *text = malloc(ROOM);
    assert_non_null(text);
    uint64_t n = 1 + pdpr_i_stream_below(&r, 60), lines = pdpr_i_stream_below(&r, 200) + 1;
    uint64_t kind = seed % 5; /* declared, seen, far apart, wide, texts */
    size_t at = 0;
#define PUT(...) at += (size_t)snprintf(text + at, ROOM - at, __VA_ARGS__)
    if (kind == 0)
        PUT("# nodes: %" PRIu64 "\n", n);
    if (pdpr_i_stream_below(&r, 2))
        PUT("# directed: no\n");
    for (uint64_t i = 0; i < lines; i++) {
        if (pdpr_i_stream_below(&r, 10) == 0)
            PUT("# a comment\n");
        for (int side = 0; side < 2; side++) {
            uint64_t id = pdpr_i_stream_below(&r, n);
            const char *end = side ? "\n" : " ";
            if (kind == 4)
                PUT("%s%" PRIx64 "%s", id % 3 ? "n" : "\"x \"\"", id * 2654435761u,
                    id % 3 ? end
                    : side ? "\"\n"
                           : "\" ");
            else
                PUT("%" PRIu64 "%s",
                    kind == 2   ? id * 70000001
                    : kind == 3 ? id * 300000000000000007
                                : id,
                    end);
        }
    }
#undef PUT
    *size = at;
    return text;
}

static bool rows_equal(const pdpr_graph *a, const pdpr_graph *b)
{
    return a->num_nodes == b->num_nodes && a->num_arcs == b->num_arcs &&
           a->directed == b->directed &&
           memcmp(a->offset, b->offset, ((size_t)a->num_nodes + 1) * sizeof *a->offset) == 0 &&
           memcmp(a->target, b->target, a->num_arcs * sizeof *a->target) == 0;
}

static bool same_bytes(const char *a, const char *b)
{
    FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
    assert_true(f && g);
    int x, y;
    do {
        x = getc(f);
        y = getc(g);
    } while (x == y && x != EOF);
    fclose(f);
    fclose(g);
    return x == y;
}

static void every_format_gives_the_graph_back(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 5};
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        pdpr_context *ctx = test_context(1);
        pdpr_graph *g = NULL;
        size_t size;
        char *text = random_text(seed, &size), again[64];
        test_write_file("source.txt", text, size);
        free(text);
        assert_ok(pdpr_graph_load(ctx, "source.txt", NULL, &g, NULL, NULL));
        assert_true(pdpr_i_graph_is_valid(g));
        for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
            if (formats[k].undirected_only && g->directed)
                continue;
            assert_ok(pdpr_graph_save(ctx, g, formats[k].file, NULL, NULL));
            snprintf(again, sizeof again, "again.%s", formats[k].file);
            for (size_t i = 0; i < 3; i++) {
                pdpr_context *other = test_context(threads[i]);
                pdpr_graph *back = NULL;
                assert_ok(pdpr_i_graph_load(other, formats[k].file, NULL,
                                            i == 0 ? &pdpr_i_reading_default : &test_tiny_reading,
                                            &back, NULL, NULL));
                assert_true(formats[k].keeps_names ? test_graphs_equal(g, back)
                                                   : rows_equal(g, back));
                assert_ok(pdpr_graph_save(other, back, again, NULL, NULL));
                assert_true(same_bytes(formats[k].file, again));
                pdpr_graph_free(back);
                pdpr_context_free(other);
            }
            unlink(again);
        }
        pdpr_graph_free(g);
        pdpr_context_free(ctx);
    }
}

/* A matrix filled by fscanf is the graph. */
static void reader_agrees_with_a_plain_one(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 5 * ROUNDS; seed += 5) { /* the kind with declared nodes */
        static bool arc[64][64];
        pdpr_context *ctx = test_context(1 + (uint32_t)(seed % 3));
        pdpr_graph *g = NULL;
        pdpr_load_options o;
        size_t size;
        char *text = random_text(seed, &size), line[64];
        uint64_t arcs = 0;
        test_write_file("source.txt", text, size);
        free(text);
        memset(arc, 0, sizeof arc);
        FILE *f = fopen("source.txt", "r");
        assert_non_null(f);
        unsigned u, v;
        while (fgets(line, sizeof line, f))
            if (sscanf(line, "%u %u", &u, &v) == 2 && u != v) {
                arcs += !arc[u][v];
                arc[u][v] = true;
                arcs += !arc[v][u];
                arc[v][u] = true;
            }
        fclose(f);
        pdpr_load_options_default(&o);
        o.direction = PDPR_DIRECTION_UNDIRECTED;
        assert_ok(pdpr_i_graph_load(ctx, "source.txt", &o, &test_tiny_reading, &g, NULL, NULL));
        assert_int_equal(g->num_arcs, arcs);
        for (uint32_t a = 0; a < g->num_nodes; a++)
            for (uint64_t i = g->offset[a]; i < g->offset[a + 1]; i++)
                assert_true(arc[a][g->target[i]]);
        pdpr_graph_free(g);
        pdpr_context_free(ctx);
    }
}

/* Large enough for many blocks and pieces of the usual size. */
static void large_graph_is_the_same_for_any_thread_count(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = NULL;
    assert_ok(pdpr_generate_social(ctx, 60000, 700000, 0.5, 9, &g, NULL));
    static const char *const files[] = {"large.txt", "large.tsv.gz", "large.graph", "large.bcsr",
                                        "large.bcsr.zst"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        assert_ok(pdpr_graph_save(ctx, g, files[k], NULL, NULL));
        for (uint32_t threads = 1; threads <= 5; threads += 2) {
            pdpr_context *other = test_context(threads);
            pdpr_graph *back = NULL;
            assert_ok(pdpr_graph_load(other, files[k], NULL, &back, NULL, NULL));
            assert_true(rows_equal(g, back));
            pdpr_graph_free(back);
            pdpr_context_free(other);
        }
    }
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* The first bad line of many is reported, whichever thread meets another one first. */
static void first_bad_line_is_reported_by_any_thread_count(void **state)
{
    (void)state;
    enum { LINES = 400000 };
    char *text = malloc(LINES * 16);
    size_t at = 0;
    assert_non_null(text);
    for (uint64_t i = 1; i <= LINES; i++)
        at += (size_t)snprintf(text + at, 16, i >= 123457 && i % 1000 > 450 ? "x %d\n" : "%d 1\n",
                               (int)(i % 9999));
    test_write_file("bad.txt", text, at);
    free(text);
    for (uint32_t threads = 1; threads <= 8; threads++) {
        pdpr_context *ctx = test_context(threads);
        pdpr_graph *g = NULL;
        pdpr_error err;
        assert_int_equal(pdpr_graph_load(ctx, "bad.txt", NULL, &g, NULL, &err), PDPR_EINPUT);
        assert_string_equal(
            err.text, "bad.txt:123457: expected a node id (decimal digits only), found \"x\"");
        pdpr_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_the_graph_back),
        cmocka_unit_test(reader_agrees_with_a_plain_one),
        cmocka_unit_test(large_graph_is_the_same_for_any_thread_count),
        cmocka_unit_test(first_bad_line_is_reported_by_any_thread_count),
    };
    return cmocka_run_group_tests_name("round trip", tests, test_enter_folder, test_leave_folder);
}
