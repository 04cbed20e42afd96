/* Fuzz target: edge lists, as they are, undirected, and with ten declared nodes. */
#include "support/graph_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pdpr_load_options o;
    pdpr_load_options_default(&o);
    o.format = "edges";
    test_fuzz_load(data, size, &o, NULL, 0);
    o.num_nodes = 10;
    o.direction = PDPR_DIRECTION_UNDIRECTED;
    test_fuzz_load(data, size, &o, NULL, 0);
    return 0;
}
