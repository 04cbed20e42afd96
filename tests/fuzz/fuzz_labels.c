/* Fuzz target: a file of labels, for a graph with numbers for names and for one with texts.
 *
 * What is accepted must hold the counts that it states, and must come back the same when it is
 * written out line by line and read again. What is refused must say where, and leave nothing. */
#include "support/graph_files.h"
#include "tasks/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

/* Graphs that the labels belong to; few nodes, so that names are often hit. */
static pdpr_graph *graph_of(pdpr_context *ctx, const char *edges)
{
    char path[64];
    pdpr_graph *g = NULL;
    int file = test_memory_file(edges, strlen(edges), path);
    require(pdpr_graph_load(ctx, path, NULL, &g, NULL, NULL) == PDPR_OK, "the graph");
    close(file);
    return g;
}

static pdpr_labels *load(pdpr_context *ctx, const pdpr_graph *g, const void *bytes, size_t size)
{
    char path[64];
    pdpr_labels *labels = NULL;
    pdpr_error err = {0};
    int file = test_memory_file(bytes, size, path);
    pdpr_status s = pdpr_labels_load(ctx, path, g, &labels, &err);
    close(file);
    require((s == PDPR_OK) == (labels != NULL), "output on success only");
    require(s == PDPR_OK || s == PDPR_EINPUT || s == PDPR_ENOMEM, err.text);
    require(s != PDPR_EINPUT || strstr(err.text, "expected"), err.text);
    return labels;
}

static void check_counts(const pdpr_labels *labels)
{
    uint32_t labelled = 0;
    int32_t largest = -1;
    for (uint32_t u = 0; u < labels->num_nodes; u++) {
        require(labels->label[u] >= -1, "a class is -1 or more");
        labelled += labels->label[u] >= 0;
        largest = labels->label[u] > largest ? labels->label[u] : largest;
    }
    require(labelled == labels->labelled, "nodes with a label");
    require(largest + 1 == (int32_t)labels->classes && labels->classes >= 2, "classes");
}

static void check_round_trip(pdpr_context *ctx, const pdpr_graph *g, const pdpr_labels *labels)
{
    char text[1024];
    size_t length = 0;
    for (uint32_t u = 0; u < labels->num_nodes; u++) {
        length += pdpr_graph_name(g, u, text + length, 64);
        length += (size_t)snprintf(text + length, 16, " %d\n", labels->label[u]);
    }
    pdpr_labels *again = load(ctx, g, text, length);
    require(again != NULL, "round trip");
    require(again->classes == labels->classes && again->labelled == labels->labelled &&
                memcmp(again->label, labels->label, labels->num_nodes * sizeof(int32_t)) == 0,
            "other labels");
    pdpr_labels_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const graphs[] = {"# nodes: 12\n0 1\n2 11\n", "ann bob\nbob c4\n7 -1\n"};
    static pdpr_context *ctx;
    pdpr_context_options o;
    pdpr_context_options_default(&o);
    o.max_memory = 4 << 20;
    if (!ctx)
        require(pdpr_context_new(&o, &ctx, NULL) == PDPR_OK, "context");
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        pdpr_graph *g = graph_of(ctx, graphs[i]);
        pdpr_labels *labels = load(ctx, g, data ? data : (const uint8_t *)"", size);
        if (labels) {
            check_counts(labels);
            check_round_trip(ctx, g, labels);
        }
        pdpr_labels_free(labels);
        pdpr_graph_free(g);
        require(pdpr_context_memory(ctx, NULL) == 0, "a leak");
    }
    return 0;
}
