/* Fuzz target: gzip and zstd. The bytes are loaded as they are; then the same bytes are packed,
 * once whole and once in two members or frames, and must unpack to the same outcome. */
#include "support/graph_files.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t pack_gzip(uint8_t *to, size_t room, const uint8_t *from, size_t size)
{
    z_stream z = {0};
    if (deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    z.next_in = (z_const Bytef *)from;
    z.avail_in = (uInt)size;
    z.next_out = to;
    z.avail_out = (uInt)room;
    if (deflate(&z, Z_FINISH) != Z_STREAM_END)
        abort();
    size_t length = room - z.avail_out;
    deflateEnd(&z);
    return length;
}

static size_t pack_zstd(uint8_t *to, size_t room, const uint8_t *from, size_t size)
{
    size_t length = ZSTD_compress(to, room, from, size, 1);
    if (ZSTD_isError(length))
        abort();
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pdpr_load_options o;
    pdpr_load_options_default(&o);
    o.format = "edges";
    test_fuzz_load(data, size, &o, NULL, 0);
    if (size == 0 || size > 4096)
        return 0;

    size_t room = 2 * size + 1024, half = data[0] % size;
    uint8_t *packed = malloc(room);
    if (!packed)
        return 0;
    size_t length = pack_gzip(packed, room, data, half);
    length += pack_gzip(packed + length, room - length, data + half, size - half);
    test_fuzz_load(packed, length, &o, NULL, 0);
    length = pack_zstd(packed, room, data, half);
    length += pack_zstd(packed + length, room - length, data + half, size - half);
    test_fuzz_load(packed, length, &o, NULL, 0);
    free(packed);
    return 0;
}
