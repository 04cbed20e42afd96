/* METIS, Matrix Market and binary CSR: what is read, what is refused. */
#include "support/load_cases.h"

#include <sodium.h>
#include <string.h>
#include <zstd.h>

/* ---------------------------------------------------------------- METIS */

static void metis_rows_are_the_neighbours(void **state)
{
    (void)state;
    const test_load_case cases[] = {
        {"triangle", "3 3\n2 3\n1 3\n1 2\n", .graph = "1 2 3; 1-2 1-3 2-3; declared"},
        {"blank row", "3 1\n3\n\n1\n", .graph = "1 2 3; 1-3; declared"},
        {"comments", "% c\n\n3 1\n% d\n2\n1\n%e\n\n", .graph = "1 2 3; 1-2; declared"},
        {"no last end", "2 1\r\n2\r\n1", .graph = "1 2; 1-2; declared"},
        {"blank lines behind", "2 1\n2\n1\n\n \n", .graph = "1 2; 1-2; declared"},
        {"order and blanks", "3 3\n 3\t2 \n3 1\n2 1\n", .graph = "1 2 3; 1-2 1-3 2-3; declared"},
        {"edge weights", "3 2 1\n2 5\n1 5 3 7\n2 7\n", .graph = "1 2 3; 1-2 2-3; declared weights",
         .message = "f.graph: weights are ignored"},
        {"real edge weights", "2 1 001\n2 0.5\n1 5e-1\n", .graph = "1 2; 1-2; declared weights",
         .message = "f.graph: weights are ignored"},
        {"vertex weights", "2 1 010 2\n9 9 2\n8 8 1\n", .graph = "1 2; 1-2; declared weights",
         .message = "f.graph: weights are ignored"},
        {"one vertex weight", "2 1 10\n9 2\n8 1\n", .graph = "1 2; 1-2; declared weights",
         .message = "f.graph: weights are ignored"},
        {"sizes and all weights", "2 1 111 1\n9 1 2 5\n9 1 1 5\n",
         .graph = "1 2; 1-2; declared weights", .message = "f.graph: weights are ignored"},
        {"fmt of zeros", "2 1 000\n2\n1\n", .graph = "1 2; 1-2; declared"},
        {"loops and repeats", "2 3\n1 1 2 2\n1 1\n", .graph = "1 2; 1-2; declared",
         .message = "f.graph: dropped loops and repeats"},
        {"agreement", "2 1\n2\n1\n", .graph = "1 2; 1-2; declared", .num_nodes = 2},
    };
    RUN_LOAD_CASES("f.graph", cases);
}

static void metis_faults_are_named(void **state)
{
    (void)state;
#define HEADER(line, text) \
    "f.graph:" #line ": expected \"nodes edges [fmt [ncon]]\", found \"" text "\""
    const test_load_case cases[] = {
        {"empty", "", .message = "f.graph: expected a METIS header, found an empty file"},
        {"short header", "3\n", .message = HEADER(1, "3")},
        {"long header", "% c\n3 1 1 1 1\n", .message = HEADER(2, "3 1 1 1 1")},
        {"fmt of other digits", "2 1 2\n2\n1\n", .message = HEADER(1, "2 1 2")},
        {"long fmt", "2 1 0001\n2\n1\n", .message = HEADER(1, "2 1 0001")},
        {"text for ncon", "2 1 010 x\n", .message = HEADER(1, "2 1 010 x")},
        {"no nodes", "0 0\n", .message = "f.graph:1: expected at least one node, found 0"},
        {"more rows than bytes", "1000 1\n2\n1\n",
         .message = "f.graph:1: expected 1000 rows, found a file of fewer bytes"},
        {"more nodes than numbers", "5000000000 1\n2\n1\n",
         .message = "f.graph:1: expected at most 4294967294 nodes, found 5000000000"},
        {"more nodes than memory", "4000000000 1\n2\n1\n",
         .message = "graph offsets: needs more, above the memory cap "
                    "of 67.1 MB",
         .status = PDPR_ENOMEM},
        {"too few rows", "3 1\n2\n1\n", .message = "f.graph:1: expected 3 rows, found 2"},
        {"too many rows", "2 1\n2\n1\n\n7\n",
         .message = "f.graph:5: expected the end after 2 rows, found \"7\""},
        {"wrong number of edges", "3 4\n2 3\n1 3\n1 2\n",
         .message = "f.graph:1: expected as many edges as it says here, each in two rows, found "
                    "another number"},
        {"number of edges that overflows", "2 9223372036854775809\n2\n1\n",
         .message = "f.graph:1: expected as many edges as it says here, each in two rows, found "
                    "another number"},
        {"beyond", "2 1\n3\n1\n", .message = "f.graph:2: expected a node id in 1..2, found \"3\""},
        {"zero", "2 1\n2\n0\n", .message = "f.graph:3: expected a node id in 1..2, found \"0\""},
        {"minus", "2 1\n2\n-1\n", .message = "f.graph:3: expected a node id in 1..2, found \"-1\""},
        {"text", "2 1\n2 x\n1\n", .message = "f.graph:2: expected a node id in 1..2, found \"x\""},
        {"digits and text", "2 1\n2x\n1\n",
         .message = "f.graph:2: expected a node id in 1..2, found \"2x\""},
        {"wide", "2 1\n99999999999999999999\n1\n",
         .message = "f.graph:2: expected a node id in 1..2, found \"99999999999999999999\""},
        {"2^64 + 1", "2 1\n18446744073709551617\n1\n",
         .message = "f.graph:2: expected a node id in 1..2, found \"18446744073709551617\""},
        {"no weight", "2 1 1\n2\n1 5\n",
         .message = "f.graph:2: expected a weight, found the end of the row"},
        {"text for a weight", "2 1 1\n2 5\n1 x\n",
         .message = "f.graph:3: expected a weight, found \"x\""},
        {"asymmetric", "3 2\n2\n3\n1 2\n",
         .message = "f.graph: expected row 2 to list node 1, as row 1 lists node 2"},
        {"asymmetric the other way", "3 1\n\n1\n2\n",
         .message = "f.graph: expected row 1 to list node 2, as row 2 lists node 1"},
        {"asymmetric, seen from a node between", "4 2\n\n3\n1 2\n1\n",
         .message = "f.graph: expected row 1 to list node 3, as row 3 lists node 1"},
        {"nul", "2 1\n2\n\0\n", 8, .message = "f.graph:3: expected text, found a NUL byte"},
        {"disagreement", "2 1\n2\n1\n", .num_nodes = 3,
         .message = "f.graph:1: expected 3 nodes as declared, found 2"},
    };
    RUN_LOAD_CASES("f.graph", cases);
}

/* ---------------------------------------------------------------- Matrix Market */

#define BANNER "%%MatrixMarket matrix coordinate "

static void matrix_market_entries_are_the_arcs(void **state)
{
    (void)state;
    const test_load_case cases[] = {
        {"general", BANNER "pattern general\n3 3 2\n1 2\n3 2\n",
         .graph = "1 2 3; 1>2 3>2; declared"},
        {"general, undirected", BANNER "pattern general\n3 3 2\n1 2\n3 2\n",
         .graph = "1 2 3; 1-2 2-3; declared", .undirected = true},
        {"symmetric", BANNER "pattern symmetric\n% c\n\n3 3 2\n2 1\n% d\n3 2\n",
         .graph = "1 2 3; 1-2 2-3; declared"},
        {"skew", BANNER "real skew-symmetric\n2 2 1\n2 1 -1.5\n",
         .graph = "1 2; 1-2; declared weights",
         .message = "f.mtx: the values of the entries are ignored"},
        {"integer", BANNER "integer general\n2 2 1\n1 2 7\n", .graph = "1 2; 1>2; declared weights",
         .message = "f.mtx: the values of the entries are ignored"},
        {"capitals", "%%MATRIXMARKET MATRIX COORDINATE PATTERN GENERAL\r\n2 2 1\r\n1 2\r\n",
         .graph = "1 2; 1>2; declared"},
        {"no entries", BANNER "pattern general\n2 2 0\n", .graph = "1 2;; declared"},
        {"loops", BANNER "pattern symmetric\n2 2 3\n1 1\n2 1\n1 2\n", .graph = "1 2; 1-2; declared",
         .message = "f.mtx: dropped loops and repeats"},
    };
    RUN_LOAD_CASES("f.mtx", cases);
}

static void matrix_market_faults_are_named(void **state)
{
    (void)state;
    const test_load_case cases[] = {
        {"empty", "", .message = "f.mtx: expected a Matrix Market file, found an empty file"},
        {"no banner", "3 3 1\n1 2\n",
         .message = "f.mtx:1: expected \"%%MatrixMarket matrix coordinate …\", found \"3\""},
        {"vector", "%%MatrixMarket vector coordinate real general\n",
         .message = "f.mtx:1: expected \"matrix\", found \"vector\""},
        {"array", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n",
         .message =
             "f.mtx:1: expected \"coordinate\" (dense arrays are no graphs), found \"array\""},
        {"complex", BANNER "complex general\n",
         .message = "f.mtx:1: expected \"pattern\", \"real\" or \"integer\", found \"complex\""},
        {"hermitian", BANNER "real hermitian\n",
         .message = "f.mtx:1: expected \"general\", \"symmetric\" or \"skew-symmetric\", found "
                    "\"hermitian\""},
        {"no sizes", BANNER "pattern general\n% x\n",
         .message = "f.mtx: expected a line \"rows columns entries\", found the end of the file"},
        {"two sizes", BANNER "pattern general\n3 3\n",
         .message = "f.mtx:2: expected \"rows columns entries\", found \"3 3\""},
        {"four sizes", BANNER "pattern general\n3 3 1 1\n",
         .message = "f.mtx:2: expected \"rows columns entries\", found \"3 3 1 1\""},
        {"text for a size", BANNER "pattern general\n3 3 x\n",
         .message = "f.mtx:2: expected \"rows columns entries\", found \"3 3 x\""},
        {"not square", BANNER "pattern general\n3 4 1\n1 2\n",
         .message = "f.mtx:2: expected a square matrix, found 3 rows and 4 columns"},
        {"no rows", BANNER "pattern general\n0 0 0\n",
         .message = "f.mtx:2: expected at least one node, found 0"},
        {"too few entries", BANNER "pattern general\n% c\n3 3 2\n1 2\n",
         .message = "f.mtx:3: expected as many entries as it says here, found another number"},
        {"too many entries", BANNER "pattern general\n3 3 1\n1 2\n2 3\n",
         .message = "f.mtx:2: expected as many entries as it says here, found another number"},
        {"zero", BANNER "pattern general\n3 3 1\n0 2\n",
         .message = "f.mtx:3: expected a node id in 1..3, found 0"},
        {"beyond", BANNER "pattern general\n3 3 1\n1 4\n",
         .message = "f.mtx:3: expected a node id in 1..3, found 4"},
        {"text", BANNER "pattern general\n3 3 1\n1 x\n",
         .message = "f.mtx:3: expected a node id in 1..3, found \"x\""},
        {"disagreement", BANNER "pattern general\n3 3 1\n1 2\n", .num_nodes = 2,
         .message = "f.mtx:2: expected 2 nodes as declared, found 3"},
    };
    RUN_LOAD_CASES("f.mtx", cases);
}

/* ---------------------------------------------------------------- binary CSR */

/* Where things stand in a file of the path 0 - 1 - 2 (BINARY_NODES nodes, 4 half edges). */
enum {
    AT_VERSION = 8,
    AT_FLAGS = 12,
    AT_NODES = 16,
    AT_ARCS = 24,
    AT_FIRST = 32,
    AT_TEXT = 40,
    AT_ZERO = 48,
    AT_OFFSETS = 64,
    AT_TARGETS = 96,
    AT_CHECK = 112,
    BINARY_BYTES = 144
};

/* The path's file with one byte set, and the checksum made right again if asked. */
static void write_binary(size_t at, unsigned char value, bool right_check)
{
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_path(ctx, 3);
    unsigned char bytes[BINARY_BYTES + 1];
    assert_ok(pdpr_graph_save(ctx, g, "f.bcsr", NULL, NULL));
    FILE *f = fopen("f.bcsr", "rb");
    assert_non_null(f);
    assert_int_equal(fread(bytes, 1, sizeof bytes, f), BINARY_BYTES);
    fclose(f);
    bytes[at] = value;
    if (right_check)
        crypto_generichash(bytes + AT_CHECK, 32, bytes, AT_CHECK, NULL, 0);
    test_write_file("f.bcsr", bytes, BINARY_BYTES);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void binary_csr_faults_are_named(void **state)
{
    (void)state;
    const struct {
        size_t at;
        unsigned char value;
        bool right_check;
        const char *message; /* NULL: nothing wrong */
    } cases[] = {
        {0, 0x89, true, NULL},
        {0, 0x88, true, "f.bcsr: expected a binary graph of PrivDPR, found other bytes"},
        {AT_VERSION, 2, true, "f.bcsr: expected version 1 of the binary format, found 2"},
#define IMPOSSIBLE "f.bcsr: expected a sound header of a binary graph, found impossible values"
        {AT_FLAGS, 2, true, IMPOSSIBLE},
        {AT_FLAGS + 1, 3, true, IMPOSSIBLE},
        {AT_FLAGS + 2, 1, true, IMPOSSIBLE},
        {AT_ARCS + 7, 0x10, true, IMPOSSIBLE},
        {AT_TEXT, 1, true, IMPOSSIBLE},
        {AT_ZERO, 1, true, IMPOSSIBLE},
        {AT_ZERO + 15, 1, true, IMPOSSIBLE},
        {AT_NODES, 0, true, "f.bcsr: expected at least one node, found 0"},
        {AT_NODES, 4, true,
         "f.bcsr: expected as many bytes as its header says, found another number"},
        {AT_NODES + 4, 1, true, "f.bcsr: expected at most 4294967294 nodes, found 4294967299"},
        {AT_ARCS, 5, true,
         "f.bcsr: expected as many bytes as its header says, found another number"},
        {AT_CHECK, 0, false,
         "f.bcsr: expected the checksum of its content, found another: the file is damaged"},
        {AT_TARGETS, 2, false,
         "f.bcsr: expected the checksum of its content, found another: the file is damaged"},
#define NOT_SIMPLE "f.bcsr: expected a simple graph with sorted rows, found another"
        {AT_OFFSETS, 1, true, NOT_SIMPLE},
        {AT_OFFSETS + 8, 4, true, NOT_SIMPLE},
        {AT_OFFSETS + 15, 0x80, true, NOT_SIMPLE},
        {AT_OFFSETS + 24, 3, true, NOT_SIMPLE},
        {AT_TARGETS, 0, true, NOT_SIMPLE},
        {AT_TARGETS, 3, true, NOT_SIMPLE},
        {AT_TARGETS + 4, 2, true, NOT_SIMPLE},
        {AT_TARGETS, 2, true, "f.bcsr: expected both halves of every edge, found only one"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pdpr_context *ctx = test_context(1);
        pdpr_graph *g = NULL;
        pdpr_error err = {0};
        write_binary(cases[i].at, cases[i].value, cases[i].right_check);
        pdpr_status s = pdpr_graph_load(ctx, "f.bcsr", NULL, &g, NULL, &err);
        if (s != (cases[i].message ? PDPR_EINPUT : PDPR_OK) ||
            strcmp(err.text, cases[i].message ? cases[i].message : "") != 0)
            fail_msg("byte %zu = %u: found %d \"%s\"", cases[i].at, cases[i].value, (int)s,
                     err.text);
        pdpr_graph_free(g);
        assert_int_equal(pdpr_context_memory(ctx, NULL), 0);
        pdpr_context_free(ctx);
    }
}

/* Names of two nodes that must be refused: repeated, empty, with a line end, or out of order. */
static void binary_csr_bad_names_are_refused(void **state)
{
    (void)state;
    enum { AT_STARTS = 88, AT_TEXTS = 112, AT_END = 114 }; /* two nodes, no edges, names "a", "b" */
    const struct {
        size_t at;
        char value;
        bool good;
    } cases[] = {{AT_TEXTS, 'a', true},      {AT_TEXTS, 'b', false},    {AT_TEXTS, '\n', false},
                 {AT_STARTS + 8, 2, false},  {AT_STARTS + 8, 0, false}, {AT_STARTS, 1, false},
                 {AT_STARTS + 16, 1, false}, {AT_STARTS + 15, 1, false}};
    pdpr_context *ctx = test_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char bytes[AT_END + 32];
        pdpr_graph *g = NULL;
        pdpr_error err;
        test_write_file("n.txt", "# nodes: 2\n# node: a\n# node: b\n", 31);
        assert_ok(pdpr_graph_load(ctx, "n.txt", NULL, &g, NULL, NULL));
        assert_ok(pdpr_graph_save(ctx, g, "n.bcsr", NULL, NULL));
        pdpr_graph_free(g);
        g = NULL;
        FILE *f = fopen("n.bcsr", "rb");
        assert_non_null(f);
        assert_int_equal(fread(bytes, 1, sizeof bytes, f), sizeof bytes);
        fclose(f);
        bytes[cases[i].at] = (unsigned char)cases[i].value;
        crypto_generichash(bytes + AT_END, 32, bytes, AT_END, NULL, 0);
        test_write_file("n.bcsr", bytes, sizeof bytes);
        pdpr_status s = pdpr_graph_load(ctx, "n.bcsr", NULL, &g, NULL, &err);
        assert_int_equal(s, cases[i].good ? PDPR_OK : PDPR_EINPUT);
        if (!cases[i].good)
            assert_string_equal(err.text,
                                "n.bcsr: expected distinct node names of text, found others");
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

static void binary_csr_cut_anywhere_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    unsigned char bytes[BINARY_BYTES + 1] = {0};
    write_binary(0, 0x89, true);
    FILE *f = fopen("f.bcsr", "rb");
    assert_non_null(f);
    assert_int_equal(fread(bytes, 1, BINARY_BYTES, f), BINARY_BYTES);
    fclose(f);
    for (size_t length = 0; length <= BINARY_BYTES + 1; length++) {
        pdpr_graph *g = NULL;
        unsigned char packed[1024];
        size_t size = ZSTD_compress(packed, sizeof packed, bytes, length, 1);
        pdpr_status expected = length == BINARY_BYTES ? PDPR_OK : PDPR_EINPUT;
        test_write_file("f.bcsr", bytes, length);
        assert_int_equal(pdpr_graph_load(ctx, "f.bcsr", NULL, &g, NULL, NULL), expected);
        pdpr_graph_free(g);
        g = NULL;
        test_write_file("f.bcsr.zst", packed, size); /* its length is not known beforehand */
        assert_int_equal(pdpr_graph_load(ctx, "f.bcsr.zst", NULL, &g, NULL, NULL), expected);
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

/* A small packed file may say anything about its sizes: memory follows what is really there. */
static void binary_csr_lying_in_a_packed_file_costs_nothing(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    unsigned char bytes[BINARY_BYTES], packed[1024];
    pdpr_graph *g = NULL;
    pdpr_error err;
    uint64_t peak;
    write_binary(AT_ARCS + 5, 1, true); /* 2^40 half edges, 4 TB */
    FILE *f = fopen("f.bcsr", "rb");
    assert_non_null(f);
    assert_int_equal(fread(bytes, 1, sizeof bytes, f), BINARY_BYTES);
    fclose(f);
    test_write_file("f.bcsr.zst", packed,
                    ZSTD_compress(packed, sizeof packed, bytes, sizeof bytes, 1));
    assert_int_equal(pdpr_graph_load(ctx, "f.bcsr.zst", NULL, &g, NULL, &err), PDPR_EINPUT);
    assert_string_equal(
        err.text, "f.bcsr.zst: expected more bytes of a binary graph, found the end of the file");
    pdpr_context_memory(ctx, &peak);
    assert_true(peak < 2 << 20);
    pdpr_context_free(ctx);
}

static void binary_csr_directed_can_be_read_undirected(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const uint32_t pairs[] = {0, 1, 1, 0, 2, 1};
    pdpr_graph *g = NULL, *back = NULL;
    pdpr_load_options o;
    pdpr_load_info info;
    char text[128];
    assert_ok(pdpr_graph_from_pairs(ctx, 3, pairs, 3, true, &g, NULL));
    assert_ok(pdpr_graph_save(ctx, g, "f.bcsr", NULL, NULL));
    pdpr_load_options_default(&o);
    assert_ok(pdpr_graph_load(ctx, "f.bcsr", &o, &back, &info, NULL));
    assert_string_equal(test_describe(back, &info, text, sizeof text),
                        "0 1 2; 0>1 1>0 2>1; declared");
    pdpr_graph_free(back);
    o.direction = PDPR_DIRECTION_UNDIRECTED;
    assert_ok(pdpr_graph_load(ctx, "f.bcsr", &o, &back, &info, NULL));
    assert_string_equal(test_describe(back, &info, text, sizeof text), "0 1 2; 0-1 1-2; declared");
    assert_string_equal(info.format, "binary CSR");
    pdpr_graph_free(back);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- memory */

static void every_reader_survives_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    const uint32_t pairs[] = {0, 1, 1, 2, 2, 3};
    static const char *const files[] = {"g.graph",  "g.mtx",      "g.bcsr",
                                        "g.txt.gz", "g.bcsr.zst", "n.bcsr"};
    pdpr_graph *g = test_graph(ctx, 4, pairs, 3), *named = NULL;
    test_write_file("n.txt", "ann bob\nbob cid\n", 16);
    assert_ok(pdpr_graph_load(ctx, "n.txt", NULL, &named, NULL, NULL));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        pdpr_status status;
        assert_ok(pdpr_graph_save(ctx, files[i][0] == 'n' ? named : g, files[i], NULL, NULL));
        FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
            pdpr_graph *back = NULL;
            status = pdpr_graph_load(ctx, files[i], NULL, &back, NULL, NULL);
            assert_true(status == PDPR_OK || back == NULL);
            pdpr_graph_free(back);
        });
    }
    pdpr_load_options o;
    pdpr_load_options_default(&o);
    o.vertices_path = "v.txt";
    test_write_file("v.txt", "1\n2\n3\n", 6);
    test_write_file("e.txt", "1 2\n", 4);
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        pdpr_graph *back = NULL;
        status = pdpr_graph_load(ctx, "e.txt", &o, &back, NULL, NULL);
        pdpr_graph_free(back);
    });
    pdpr_graph_free(g);
    pdpr_graph_free(named);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metis_rows_are_the_neighbours),
        cmocka_unit_test(metis_faults_are_named),
        cmocka_unit_test(matrix_market_entries_are_the_arcs),
        cmocka_unit_test(matrix_market_faults_are_named),
        cmocka_unit_test(binary_csr_faults_are_named),
        cmocka_unit_test(binary_csr_bad_names_are_refused),
        cmocka_unit_test(binary_csr_cut_anywhere_is_refused),
        cmocka_unit_test(binary_csr_lying_in_a_packed_file_costs_nothing),
        cmocka_unit_test(binary_csr_directed_can_be_read_undirected),
        cmocka_unit_test(every_reader_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("read formats", tests, test_enter_folder, test_leave_folder);
}
