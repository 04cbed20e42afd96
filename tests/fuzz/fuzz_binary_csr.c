/* Fuzz target: binary graphs, as they are and with the right checksum put behind the bytes, as a
 * fuzzer would hardly find it. */
#include "support/graph_files.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { CHECK_BYTES = 32 };
    pdpr_load_options o;
    uint8_t *whole = malloc(size + CHECK_BYTES);
    if (!whole)
        return 0;
    pdpr_load_options_default(&o);
    o.format = "bcsr";
    test_fuzz_load(data, size, &o, NULL, 0);
    memcpy(whole, data, size);
    crypto_generichash(whole + size, CHECK_BYTES, data, size, NULL, 0);
    test_fuzz_load(whole, size + CHECK_BYTES, &o, NULL, 0);
    free(whole);
    return 0;
}
