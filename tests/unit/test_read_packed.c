/* Packed files and standard input: unpacked by their bytes, refused when damaged, bounded in
 * memory. */
#include "support/load_cases.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* ---------------------------------------------------------------- packed files */

static size_t gzip(unsigned char *to, size_t room, const char *from, size_t size)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (z_const Bytef *)from;
    z.avail_in = (uInt)size;
    z.next_out = to;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

static size_t zstd(unsigned char *to, size_t room, const char *from, size_t size)
{
    size_t length = ZSTD_compress(to, room, from, size, 3);
    assert_false(ZSTD_isError(length));
    return length;
}

/* Loads `bytes` under any name and compares with a description or a message. */
static void expect_packed(const char *name, const unsigned char *bytes, size_t size,
                          const char *expected)
{
    char text[256];
    for (int i = 0; i < 2; i++) {
        pdpr_context *ctx = test_context(i ? 3 : 1);
        pdpr_graph *g = NULL;
        pdpr_load_info info;
        pdpr_error err = {0};
        test_write_file(name, bytes, size);
        pdpr_status s = pdpr_i_graph_load(
            ctx, name, NULL, i ? &test_tiny_reading : &pdpr_i_reading_default, &g, &info, &err);
        if (s == PDPR_OK)
            test_describe(g, &info, text, sizeof text);
        assert_string_equal(s == PDPR_OK ? text : err.text, expected);
        assert_true(s == PDPR_OK || s == PDPR_EINPUT);
        pdpr_graph_free(g);
        assert_int_equal(pdpr_context_memory(ctx, NULL), 0);
        pdpr_context_free(ctx);
    }
}

static void packed_files_are_known_by_their_bytes(void **state)
{
    (void)state;
    unsigned char bytes[512];
    const char a[] = "0 1\n1 2\n", b[] = "2 3\n";
    const char both[] = "0 1 2 3; 0>1 1>2 2>3;", first[] = "0 1 2; 0>1 1>2;";
    size_t n = gzip(bytes, sizeof bytes, a, sizeof a - 1);
    expect_packed("f.txt", bytes, n, first);
    size_t m = n + gzip(bytes + n, sizeof bytes - n, b, sizeof b - 1);
    expect_packed("f.txt.gz", bytes, m, both);
    memset(bytes + m, 0, 100);
    expect_packed("f.gz", bytes, m + 100, both);
    n = zstd(bytes, sizeof bytes, a, sizeof a - 1);
    expect_packed("f.txt.gz", bytes, n, first);
    m = n + zstd(bytes + n, sizeof bytes - n, b, sizeof b - 1);
    expect_packed("f.txt.zst", bytes, m, both);
    memcpy(bytes, "\x5a\x2a\x4d\x18\x02\0\0\0xx", 10); /* a skippable frame */
    n = 10 + zstd(bytes + 10, sizeof bytes - 10, a, sizeof a - 1);
    expect_packed("f.zst", bytes, n, first);
    expect_packed("f.txt.gz", (const unsigned char *)a, sizeof a - 1, first);
}

static void packed_files_that_are_damaged_are_refused(void **state)
{
    (void)state;
    unsigned char bytes[512], changed[512];
    const char text[] = "0 1\n1 2\n2 3\n3 4\n";
    const char cut_gzip[] = "f.gz: expected more gzip data, found the end of the file (cut short?)";
    const char cut_zstd[] =
        "f.zst: expected more zstd data, found the end of the file (cut short?)";
    size_t n = gzip(bytes, sizeof bytes, text, sizeof text - 1);
    for (size_t length = 2; length < n; length++)
        expect_packed("f.gz", bytes, length, cut_gzip);
    memcpy(bytes + n, "xyz", 3);
    expect_packed("f.gz", bytes, n + 3,
                  "f.gz: expected the end or another gzip member, found other bytes");
    memcpy(changed, bytes, n);
    changed[n - 8] ^= 1;
    expect_packed("f.gz", changed, n, "f.gz: corrupt gzip data (incorrect data check)");
    changed[2] = 7;
    expect_packed("f.gz", changed, n, "f.gz: corrupt gzip data (unknown compression method)");
    expect_packed("f.gz", bytes, 0, "f.gz: expected compressed data, found an empty file");

    n = zstd(bytes, sizeof bytes, text, sizeof text - 1);
    for (size_t length = 4; length < n; length++)
        expect_packed("f.zst", bytes, length, cut_zstd);
    memcpy(bytes + n, "xyzw", 4);
    expect_packed("f.zst", bytes, n + 4, "f.zst: corrupt zstd data (Unknown frame descriptor)");
    expect_packed("f.zst", bytes, 0, "f.zst: expected compressed data, found an empty file");
}

/* A line that is wrong comes before the damage behind it. */
static void packed_file_wrong_line_before_damage_is_named(void **state)
{
    (void)state;
    unsigned char bytes[512];
    const char text[] = "0 1\n1 x\n2 3\n3 4\n";
    size_t n = gzip(bytes, sizeof bytes, text, sizeof text - 1);
    expect_packed("f.gz", bytes, n - 4,
                  "f.gz:2: expected a node id (decimal digits only), found \"x\"");
}

static void packed_bomb_ends_at_the_memory_cap(void **state)
{
    (void)state;
    enum { LINES = 4 << 20 };
    char *text = malloc(LINES * 4);
    unsigned char *bytes = malloc(1 << 20);
    pdpr_context_options co;
    pdpr_context *ctx = NULL;
    pdpr_graph *g = NULL;
    pdpr_error err;
    uint64_t peak;
    assert_true(text && bytes);
    for (size_t i = 0; i < LINES; i++)
        memcpy(text + 4 * i, "0 1\n", 4);
    size_t n = gzip(bytes, 1 << 20, text, LINES * 4); /* 16 MB in 16 KB; 32 MB as pairs */
    test_write_file("f.gz", bytes, n);
    pdpr_context_options_default(&co);
    co.max_memory = 20 << 20;
    assert_ok(pdpr_context_new(&co, &ctx, NULL));
    assert_int_equal(pdpr_graph_load(ctx, "f.gz", NULL, &g, NULL, &err), PDPR_ENOMEM);
    assert_non_null(strstr(err.text, "above the memory cap of 21.0 MB"));
    pdpr_context_memory(ctx, &peak);
    assert_true(peak <= co.max_memory);
    pdpr_context_free(ctx);

    memset(text, '7', LINES * 4); /* one line: given up after a block, not when memory ends */
    n = gzip(bytes, 1 << 20, text, LINES * 4);
    test_write_file("f.gz", bytes, n);
    co.max_memory = 8 << 20;
    assert_ok(pdpr_context_new(&co, &ctx, NULL));
    assert_int_equal(pdpr_graph_load(ctx, "f.gz", NULL, &g, NULL, &err), PDPR_EINPUT);
    assert_string_equal(err.text,
                        "f.gz:1: expected a line of at most 1048576 bytes, found a longer one");
    pdpr_context_free(ctx);

    n = gzip(bytes, 1 << 20, "4000000000 1\n", 13); /* as METIS: rows are counted, not believed */
    test_write_file("f.graph.gz", bytes, n);
    ctx = test_context(1);
    assert_int_equal(pdpr_graph_load(ctx, "f.graph.gz", NULL, &g, NULL, &err), PDPR_EINPUT);
    assert_string_equal(err.text, "f.graph.gz:1: expected 4000000000 rows, found 0");
    pdpr_context_memory(ctx, &peak);
    assert_true(peak < 8 << 20);
    pdpr_context_free(ctx);
    free(text);
    free(bytes);
}

/* ---------------------------------------------------------------- standard input */

static void standard_input_is_read_as_an_edge_list(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    int saved = dup(STDIN_FILENO);
    const char *contents[] = {"a b\nb c\n", "1 2\n1\n"};
    const char *expected[] = {"a b c; a>b b>c;",
                              "standard input:2: expected two node ids, found \"1\""};
    for (int i = 0; i < 2; i++) {
        char text[128];
        pdpr_graph *g = NULL;
        pdpr_load_info info;
        pdpr_error err;
        test_write_file("in.txt", contents[i], strlen(contents[i]));
        int in = open("in.txt", O_RDONLY);
        assert_true(in >= 0 && dup2(in, STDIN_FILENO) == STDIN_FILENO);
        close(in);
        pdpr_status s = pdpr_graph_load(ctx, "-", NULL, &g, &info, &err);
        assert_int_equal(s, i == 0 ? PDPR_OK : PDPR_EINPUT);
        assert_string_equal(i == 0 ? test_describe(g, &info, text, sizeof text) : err.text,
                            expected[i]);
        pdpr_graph_free(g);
    }
    dup2(saved, STDIN_FILENO);
    close(saved);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_files_are_known_by_their_bytes),
        cmocka_unit_test(packed_files_that_are_damaged_are_refused),
        cmocka_unit_test(packed_file_wrong_line_before_damage_is_named),
        cmocka_unit_test(packed_bomb_ends_at_the_memory_cap),
        cmocka_unit_test(standard_input_is_read_as_an_edge_list),
    };
    return cmocka_run_group_tests_name("read packed", tests, test_enter_folder, test_leave_folder);
}
