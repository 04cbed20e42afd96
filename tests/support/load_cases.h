/* Tables of files and what must become of them, for the tests of readers.
 *
 * Every case is loaded with one thread in large blocks, with two and with five threads in tiny
 * blocks, and must give the same graph, the same message and the same notices each time. */
#ifndef PDPR_TESTS_LOAD_CASES_H
#define PDPR_TESTS_LOAD_CASES_H

#include "support/support.h"
#include "support/graph_files.h"

typedef struct {
    const char *name;     /* said when the case fails */
    const char *bytes;    /* content of the file */
    size_t size;          /* 0: strlen(bytes) */
    const char *graph;    /* as test_describe gives it; NULL: must fail */
    const char *message;  /* of the failure, exactly, or the notices, joined by " | "; NULL: none */
    uint64_t num_nodes;   /* declared by the caller */
    bool undirected;      /* asked for */
    const char *vertices; /* content of a vertex file "v.txt", or NULL */
    pdpr_status status;   /* of a failure; 0: PDPR_EINPUT */
} test_load_case;

/* Runs a table; `file` is the name (and so the format) under which each case is written. */
void test_run_load_cases(const char *file, const test_load_case *cases, size_t count);

/* "a b c; a>b b-c; declared weights": names in order, arcs (>) or edges (-), then what info says.
 */
const char *test_describe(const pdpr_graph *g, const pdpr_load_info *info, char *text, size_t size);

/* Writes a file in the current folder. */
void test_write_file(const char *name, const void *bytes, size_t size);

/* Group setup and teardown: an empty current folder, removed at the end with what is in it. */
int test_enter_folder(void **state);
int test_leave_folder(void **state);

#define RUN_LOAD_CASES(file, cases) \
    test_run_load_cases((file), (cases), sizeof(cases) / sizeof *(cases))

#endif
