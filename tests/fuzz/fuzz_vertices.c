/* Fuzz target: a vertex file and, behind the first byte 0xff (which no UTF-8 text has), the edges
 * that go with it. */
#include "support/graph_files.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *border = size ? memchr(data, 0xff, size) : NULL;
    size_t vertices = border ? (size_t)(border - data) : size;
    const uint8_t *edges = border ? border + 1 : data + size;
    pdpr_load_options o;
    pdpr_load_options_default(&o);
    o.format = "edges";
    test_fuzz_load(edges, (size_t)(data + size - edges), &o, data ? data : (const uint8_t *)"",
                   vertices);
    return 0;
}
