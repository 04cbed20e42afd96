/* Running tables of files through the readers. */
#include "support/load_cases.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/privdpr-test-XXXXXX";

int test_enter_folder(void **state)
{
    (void)state;
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

int test_leave_folder(void **state)
{
    (void)state;
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && (entry = readdir(d));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlink(entry->d_name);
    if (d)
        closedir(d);
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

void test_write_file(const char *name, const void *bytes, size_t size)
{
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
}

const char *test_describe(const pdpr_graph *g, const pdpr_load_info *info, char *text, size_t size)
{
    char u_name[64], v_name[64];
    text[0] = '\0';
    for (uint32_t u = 0; u < g->num_nodes; u++) {
        pdpr_graph_name(g, u, u_name, sizeof u_name);
        append(text, size, u ? " " : "");
        append(text, size, u_name);
    }
    append(text, size, ";");
    for (uint32_t u = 0; u < g->num_nodes; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
            if (!g->directed && g->target[i] < u)
                continue;
            pdpr_graph_name(g, u, u_name, sizeof u_name);
            pdpr_graph_name(g, g->target[i], v_name, sizeof v_name);
            append(text, size, " ");
            append(text, size, u_name);
            append(text, size, g->directed ? ">" : "-");
            append(text, size, v_name);
        }
    append(text, size, ";");
    if (info->nodes_declared)
        append(text, size, " declared");
    if (info->weights_ignored)
        append(text, size, " weights");
    return text;
}

static void join_notice(void *user, const char *text)
{
    char *notices = user;
    append(notices, 1024, notices[0] ? " | " : "");
    append(notices, 1024, text);
}

static void run_case(const char *file, const test_load_case *c, uint32_t threads,
                     const pdpr_i_reading *reading)
{
    char notices[1024] = "", description[1024] = "";
    pdpr_context_options co;
    pdpr_load_options o;
    pdpr_context *ctx = NULL;
    pdpr_graph *g = NULL;
    pdpr_load_info info;
    pdpr_error err = {0};

    pdpr_context_options_default(&co);
    co.threads = threads;
    co.notice = join_notice;
    co.user = notices;
    co.max_memory = 64 << 20;
    assert_ok(pdpr_context_new(&co, &ctx, NULL));
    test_write_file(file, c->bytes, c->size ? c->size : strlen(c->bytes));
    pdpr_load_options_default(&o);
    o.num_nodes = c->num_nodes;
    o.direction = c->undirected ? PDPR_DIRECTION_UNDIRECTED : PDPR_DIRECTION_AS_READ;
    if (c->vertices) {
        test_write_file("v.txt", c->vertices, strlen(c->vertices));
        o.vertices_path = "v.txt";
    }

    pdpr_status s = pdpr_i_graph_load(ctx, file, &o, reading, &g, &info, &err);
    const char *said = s == PDPR_OK ? notices : err.text, *expected = c->message ? c->message : "";
    pdpr_status wanted = c->graph ? PDPR_OK : c->status ? c->status : PDPR_EINPUT;
    if (s == PDPR_OK) {
        assert_true(pdpr_i_graph_is_valid(g));
        test_describe(g, &info, description, sizeof description);
    }
    bool right = s == wanted && strcmp(said, expected) == 0 &&
                 (s != PDPR_OK || strcmp(description, c->graph) == 0);
    if (!right)
        fail_msg("case %s, %u threads:\n found %d \"%s\" \"%s\"\n wanted %d \"%s\" \"%s\"", c->name,
                 (unsigned)threads, (int)s, description, said, (int)wanted,
                 c->graph ? c->graph : "", expected);
    pdpr_graph_free(g);
    assert_int_equal(pdpr_context_memory(ctx, NULL), 0);
    pdpr_context_free(ctx);
    unlink(file);
}

void test_run_load_cases(const char *file, const test_load_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        run_case(file, &cases[i], 1, &pdpr_i_reading_default);
        run_case(file, &cases[i], 2, &test_tiny_reading);
        run_case(file, &cases[i], 5, &test_tiny_reading);
    }
}
