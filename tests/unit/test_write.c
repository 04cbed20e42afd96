/* Writers: exact bytes, formats by name, and files that appear whole or not at all. */
#include "support/load_cases.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The content of a file with a NUL behind it, to be freed; *size (may be NULL) is its length. */
static char *read_all(const char *path, size_t *size)
{
    enum { MOST = 1 << 20 };
    char *text = malloc(MOST + 1);
    FILE *f = fopen(path, "rb");
    assert_true(text && f);
    size_t n = fread(text, 1, MOST, f);
    fclose(f);
    text[n] = '\0';
    if (size)
        *size = n;
    return text;
}

static pdpr_graph *load(pdpr_context *ctx, const char *text)
{
    pdpr_graph *g = NULL;
    test_write_file("source.txt", text, strlen(text));
    assert_ok(pdpr_graph_load(ctx, "source.txt", NULL, &g, NULL, NULL));
    return g;
}

static void written_text_is_exact(void **state)
{
    (void)state;
    const struct {
        const char *graph, *file, *text;
    } cases[] = {
        {"# nodes: 4\n2 0\n0 2\n0 1\n", "a.txt", "# nodes: 4\n# directed: yes\n0 1\n0 2\n2 0\n"},
        {"# nodes: 4\n# directed: no\n2 0\n1 0\n", "a.edges",
         "# nodes: 4\n# directed: no\n0 1\n0 2\n"},
        {"# nodes: 4\n2 0\n", "a.csv", "# nodes: 4\n# directed: yes\n2,0\n"},
        {"# nodes: 4\n2 0\n", "a.TSV", "# nodes: 4\n# directed: yes\n2\t0\n"},
        {"8 7\n9 7\n", "a.edgelist", "# nodes: 3 (ids 7..9)\n# directed: yes\n8 7\n9 7\n"},
        {"100 7\n", "a.el", "# nodes: 2\n# directed: yes\n# node: 7\n# node: 100\n100 7\n"},
        {"18446744073709551615 9\n", "a.txt",
         "# nodes: 2\n# directed: yes\n# node: 9\n# node: 18446744073709551615\n"
         "18446744073709551615 9\n"},
        {"b \"a \"\"c\"\"\"\n\"#\" b\n", "a.csv",
         "# nodes: 3\n# directed: yes\n# node: \"#\"\n# node: \"a \"\"c\"\"\"\n# node: b\n"
         "\"#\",b\nb,\"a \"\"c\"\"\"\n"},
        {"# nodes: 3\n# directed: no\n0 2\n1 2\n", "a.graph", "3 2\n3\n3\n1 2\n"},
        {"# nodes: 3\n# directed: no\n0 2\n", "a.metis", "3 1\n3\n\n1\n"},
        {"# nodes: 3\n# directed: no\n0 2\n1 2\n", "a.mtx",
         "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n3 1\n3 2\n"},
        {"# nodes: 3\n2 0\n", "a.mtx",
         "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n3 1\n"},
        {"# nodes: 2\n", "a.txt", "# nodes: 2\n# directed: yes\n"},
    };
    pdpr_context *ctx = test_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pdpr_graph *g = load(ctx, cases[i].graph);
        assert_ok(pdpr_graph_save(ctx, g, cases[i].file, NULL, NULL));
        char *text = read_all(cases[i].file, NULL);
        assert_string_equal(text, cases[i].text);
        free(text);
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

static void numbers_of_every_length_are_written(void **state)
{
    (void)state;
    char text[2048] = "", line[64];
    pdpr_context *ctx = test_context(1);
    for (uint64_t power = 1, digits = 1; digits <= 19; digits++, power *= 10) {
        snprintf(line, sizeof line, "%" PRIu64 " %" PRIu64 "\n", power, power - 1);
        strcat(text, line);
        snprintf(line, sizeof line, "%" PRIu64 " 5\n", power / 9 * 8 + 3);
        strcat(text, line);
    }
    pdpr_graph *g = load(ctx, text), *back = NULL;
    assert_ok(pdpr_graph_save(ctx, g, "b.txt", NULL, NULL));
    assert_ok(pdpr_graph_load(ctx, "b.txt", NULL, &back, NULL, NULL));
    assert_true(test_graphs_equal(g, back));
    char name[32], expected[32];
    snprintf(expected, sizeof expected, "%" PRIu64, (uint64_t)1000000000000000000);
    pdpr_graph_name(g, g->num_nodes - 1, name, sizeof name);
    assert_string_equal(name, expected);
    pdpr_graph_free(back);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* The header of a gzip file: method 8, no flags (no name), time 0. */
static void packed_output_is_deterministic_and_nameless(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1), *many = test_context(4);
    static const char *const files[][2] = {{"one.txt.gz", "another.txt.gz"},
                                           {"one.txt.zst", "another.txt.zst"},
                                           {"one.bcsr", "another.bcsr"},
                                           {"one.bcsr.gz", "another.bcsr.gz"}};
    pdpr_graph *g = NULL;
    assert_ok(pdpr_generate_social(ctx, 3000, 20000, 0.4, 5, &g, NULL));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t a_size, b_size;
        assert_ok(pdpr_graph_save(ctx, g, files[i][0], NULL, NULL));
        if (i == 0)
            sleep(1); /* a time stamp would now differ */
        assert_ok(pdpr_graph_save(many, g, files[i][1], NULL, NULL));
        char *a = read_all(files[i][0], &a_size), *b = read_all(files[i][1], &b_size);
        assert_int_equal(a_size, b_size);
        assert_memory_equal(a, b, a_size);
        if (i == 0)
            assert_memory_equal(a, "\x1f\x8b\x08\0\0\0\0\0", 8);
        free(a);
        free(b);
    }
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
    pdpr_context_free(many);
}

static void save_refuses_what_it_cannot_write(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = load(ctx, "# nodes: 2\n0 1\n");
    pdpr_error err;
    static const char ending[] =
        ": expected a name that ends in .txt, .edges, .edgelist, .el, .tsv, .csv, .graph, .metis, "
        ".mtx or .bcsr, with .gz or .zst behind it if wished";
    static const char *const names[] = {"x",           "x.dot",        "x.gz",
                                        "x.txt.gz.gz", "folder.txt/x", ".txt/"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char expected[256];
        assert_int_equal(pdpr_graph_save(ctx, g, names[i], NULL, &err), PDPR_EUSAGE);
        snprintf(expected, sizeof expected, "%s%s", names[i], ending);
        assert_string_equal(err.text, expected);
    }
    assert_int_equal(pdpr_graph_save(ctx, g, "x.txt", "dot", &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "expected the format edges, metis, mtx or bcsr, found \"dot\"");
    assert_int_equal(pdpr_graph_save(ctx, g, "x.graph", NULL, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "METIS files hold undirected graphs only; this one is directed");
    assert_int_equal(pdpr_graph_save(ctx, g, "none/x.txt", NULL, &err), PDPR_EFAILED);
    assert_string_equal(
        err.text, "none/x.txt: cannot create a file in this folder: No such file or directory");
    assert_int_equal(access("x.graph", F_OK), -1);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void format_may_be_said_apart_from_the_name(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = load(ctx, "# nodes: 2\n# directed: no\n0 1\n"), *back = NULL;
    pdpr_load_options o;
    pdpr_load_info info;
    pdpr_load_options_default(&o);
    o.format = "metis";
    assert_ok(pdpr_graph_save(ctx, g, "x.unknown", "metis", NULL));
    assert_ok(pdpr_graph_load(ctx, "x.unknown", &o, &back, &info, NULL));
    assert_string_equal(info.format, "METIS");
    assert_int_equal(pdpr_graph_num_edges(back), 1);
    pdpr_graph_free(back);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void keep_notice(void *user, const char *text)
{
    snprintf(user, 128, "%s", text);
}

static void names_lost_in_a_format_are_told(void **state)
{
    (void)state;
    pdpr_context_options o;
    pdpr_context *ctx = NULL;
    char name[8], notice[128] = "";
    pdpr_context_options_default(&o);
    o.notice = keep_notice;
    o.user = notice;
    assert_ok(pdpr_context_new(&o, &ctx, NULL));
    pdpr_graph *g = load(ctx, "# directed: no\nann bob\n"), *back = NULL;
    assert_ok(pdpr_graph_save(ctx, g, "x.graph", NULL, NULL));
    assert_string_equal(notice, "METIS files hold no node names: nodes are written as 1..2");
    assert_ok(pdpr_graph_save(ctx, g, "x.mtx", NULL, NULL));
    assert_string_equal(notice,
                        "Matrix Market files hold no node names: nodes are written as 1..2");
    assert_ok(pdpr_graph_load(ctx, "x.mtx", NULL, &back, NULL, NULL));
    pdpr_graph_name(back, 0, name, sizeof name);
    assert_string_equal(name, "1");
    pdpr_graph_free(back);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void standard_output_gets_an_edge_list(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = load(ctx, "# nodes: 2\n0 1\n");
    fflush(stdout);
    int saved = dup(STDOUT_FILENO), file = open("out", O_CREAT | O_WRONLY | O_TRUNC, 0600);
    assert_true(saved >= 0 && file >= 0 && dup2(file, STDOUT_FILENO) == STDOUT_FILENO);
    pdpr_status s = pdpr_graph_save(ctx, g, "-", NULL, NULL);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(file);
    assert_int_equal(s, PDPR_OK);
    char *text = read_all("out", NULL);
    assert_string_equal(text, "# nodes: 2\n# directed: yes\n0 1\n");
    free(text);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static size_t files_here(void)
{
    size_t count = 0;
    DIR *d = opendir(".");
    assert_non_null(d);
    while (readdir(d))
        count++;
    closedir(d);
    return count;
}

static void save_that_fails_leaves_nothing(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = NULL, *named = load(ctx, "ann \"b b\"\n7 cid\n");
    static const char *const files[] = {"y.txt",  "y.txt.gz", "y.csv.zst",
                                        "y.bcsr", "y.mtx.gz", "y.graph"};
    assert_ok(pdpr_generate_gnm(ctx, 100, 300, 1, &g, NULL));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        pdpr_status status;
        size_t before = files_here();
        FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
            status = pdpr_graph_save(ctx, g, files[i], NULL, NULL);
            assert_int_equal(files_here(), before + (status == PDPR_OK));
        });
        unlink(files[i]);
        FOR_EACH_ALLOCATION_FAILURE(ctx, status,
                                    status = pdpr_graph_save(ctx, named, "named.txt", NULL, NULL));
        unlink("named.txt");
    }
    size_t before = files_here();
    pdpr_context_cancel(ctx);
    assert_int_equal(pdpr_graph_save(ctx, g, "y.txt", NULL, NULL), PDPR_ECANCELLED);
    assert_int_equal(files_here(), before);
    pdpr_graph_free(g);
    pdpr_graph_free(named);
    pdpr_context_free(ctx);
}

static void save_to_a_full_disk_fails(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = load(ctx, "# nodes: 2\n0 1\n");
    pdpr_error err;
    static const char *const formats[] = {"edges", "mtx", "bcsr"};
    if (access("/dev/full", W_OK) != 0) {
        printf("skipped: no /dev/full\n");
    } else {
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
            assert_int_equal(pdpr_graph_save(ctx, g, "/dev/full", formats[i], &err), PDPR_EFAILED);
            assert_string_equal(err.text, "/dev/full: cannot write: No space left on device");
        }
    }
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_text_is_exact),
        cmocka_unit_test(numbers_of_every_length_are_written),
        cmocka_unit_test(packed_output_is_deterministic_and_nameless),
        cmocka_unit_test(save_refuses_what_it_cannot_write),
        cmocka_unit_test(format_may_be_said_apart_from_the_name),
        cmocka_unit_test(names_lost_in_a_format_are_told),
        cmocka_unit_test(standard_output_gets_an_edge_list),
        cmocka_unit_test(save_that_fails_leaves_nothing),
        cmocka_unit_test(save_to_a_full_disk_fails),
    };
    return cmocka_run_group_tests_name("write", tests, test_enter_folder, test_leave_folder);
}
