/* Graphs from bytes in memory, equality, and the invariants that the fuzz targets check. */
#define _GNU_SOURCE /* memfd_create */
#include "support/graph_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const pdpr_i_reading test_tiny_reading = {.block_bytes = 24, .piece_bytes = 7};

int test_memory_file(const void *bytes, size_t size, char path[64])
{
    int descriptor = memfd_create("graph", 0);
    if (descriptor < 0 || write(descriptor, bytes, size) != (ssize_t)size)
        return -1;
    snprintf(path, 64, "/proc/self/fd/%d", descriptor);
    return descriptor;
}

bool test_graphs_equal(const pdpr_graph *a, const pdpr_graph *b)
{
    if (a->num_nodes != b->num_nodes || a->num_arcs != b->num_arcs || a->directed != b->directed)
        return false;
    if (memcmp(a->offset, b->offset, ((size_t)a->num_nodes + 1) * sizeof *a->offset) != 0 ||
        memcmp(a->target, b->target, a->num_arcs * sizeof *a->target) != 0)
        return false;
    static char x[PDPR_I_MOST_ID + 1], y[PDPR_I_MOST_ID + 1];
    for (uint32_t u = 0; u < a->num_nodes; u++) {
        size_t length = pdpr_graph_name(a, u, x, sizeof x);
        if (pdpr_graph_name(b, u, y, sizeof y) != length || memcmp(x, y, length) != 0)
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- for fuzz targets */

static void require(bool holds, const char *what, const char *text)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s: %s\n", what, text);
    abort();
}

static pdpr_context *small_context(uint32_t threads)
{
    pdpr_context_options o;
    pdpr_context *ctx = NULL;
    pdpr_context_options_default(&o);
    o.threads = threads;
    o.max_memory = 4 << 20;
    require(pdpr_context_new(&o, &ctx, NULL) == PDPR_OK, "context", "");
    return ctx;
}

/* Writes the graph in one of the formats that keep everything, and reads it back. */
static void check_round_trip(pdpr_context *ctx, const pdpr_graph *g, size_t choice)
{
    static const char *const extension[] = {"edges", "csv", "tsv", "bcsr", "txt.gz", "el.zst"};
    char path[96];
    pdpr_graph *back = NULL;
    pdpr_error err = {0};
    snprintf(path, sizeof path, "/dev/shm/privdpr-fuzz-%ld.%s", (long)getpid(),
             extension[choice % (sizeof extension / sizeof *extension)]);
    pdpr_status s = pdpr_graph_save(ctx, g, path, NULL, &err);
    if (s == PDPR_OK)
        s = pdpr_i_graph_load(ctx, path, NULL, &pdpr_i_reading_default, &back, NULL, &err);
    unlink(path);
    require(s == PDPR_OK || s == PDPR_ENOMEM, "round trip", err.text);
    if (s == PDPR_OK)
        require(test_graphs_equal(g, back), "round trip", "another graph");
    pdpr_graph_free(back);
}

void test_fuzz_load(const uint8_t *data, size_t size, const pdpr_load_options *options,
                    const uint8_t *vertices, size_t vertices_size)
{
    static pdpr_context *ctx[2];
    static const pdpr_i_reading large = {.block_bytes = 64 << 10, .piece_bytes = 16 << 10};
    const pdpr_i_reading *reading[2] = {&large, &test_tiny_reading};
    pdpr_load_options o = *options;
    pdpr_graph *g[2] = {NULL, NULL};
    pdpr_status s[2];
    pdpr_error err[2] = {{0}, {0}};
    char path[64], vertices_path[64];
    int file = test_memory_file(data, size, path), list = -1;

    if (vertices) {
        list = test_memory_file(vertices, vertices_size, vertices_path);
        o.vertices_path = vertices_path;
    }
    for (int i = 0; i < 2; i++) {
        if (!ctx[i])
            ctx[i] = small_context((uint32_t)i + 1);
        s[i] = pdpr_i_graph_load(ctx[i], path, &o, reading[i], &g[i], NULL, &err[i]);
        require((s[i] == PDPR_OK) == (g[i] != NULL), "output on success only", err[i].text);
        if (s[i] == PDPR_OK)
            require(pdpr_i_graph_is_valid(g[i]), "invariants", "invalid graph");
        else
            require(s[i] == PDPR_EINPUT || s[i] == PDPR_ENOMEM, "status", err[i].text);
    }
    if (s[0] != PDPR_ENOMEM && s[1] != PDPR_ENOMEM) {
        require(s[0] == s[1] && strcmp(err[0].text, err[1].text) == 0, err[0].text, err[1].text);
        if (s[0] == PDPR_OK) {
            require(test_graphs_equal(g[0], g[1]), "threads and blocks", "another graph");
            check_round_trip(ctx[0], g[0], size);
        }
    }
    for (int i = 0; i < 2; i++) {
        pdpr_graph_free(g[i]);
        require(pdpr_context_memory(ctx[i], NULL) == 0, "memory", "a leak");
    }
    close(file);
    if (list >= 0)
        close(list);
}
