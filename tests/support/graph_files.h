/* Shared by the tests of readers and writers: graphs from bytes in memory, and equality. */
#ifndef PDPR_TESTS_GRAPH_FILES_H
#define PDPR_TESTS_GRAPH_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/io.h"

/* A file without a name that holds `size` bytes; writes a path that opens it. Returns its
 * descriptor, to be closed by the caller, or -1. */
int test_memory_file(const void *bytes, size_t size, char path[64]);

/* Same nodes, rows, direction and names. */
bool test_graphs_equal(const pdpr_graph *a, const pdpr_graph *b);

/* Blocks of 24 bytes in pieces of 7: every line meets a border. */
extern const pdpr_i_reading test_tiny_reading;

/* For fuzz targets: loads the bytes once with one thread in large blocks and once with two threads
 * in tiny ones; both must agree in status, message and graph. An accepted graph must be valid and
 * must come back the same after writing it. Aborts otherwise. `vertices` (may be NULL) are the
 * bytes of a vertex file. */
void test_fuzz_load(const uint8_t *data, size_t size, const pdpr_load_options *options,
                    const uint8_t *vertices, size_t vertices_size);

#endif
