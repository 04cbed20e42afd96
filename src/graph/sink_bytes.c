/* Bytes to a file, packed on the way.
 *
 * The same graph gives the same bytes whenever and wherever it is written: gzip headers carry no
 * name and no time (zlib leaves both empty), zstd frames a checksum. The file itself is a
 * pdpr_i_outfile: it appears complete or not at all. The libraries' memory comes from
 * pdpr_i_alloc. Cost: two buffers of 256 KB beside the compressor's own memory. */
#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_createCCtx_advanced: memory through our allocator */
#include "graph/io.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { BUFFER_BYTES = 256 * 1024, GZIP_LEVEL = 6, ZSTD_LEVEL = 3, GZIP_MEMORY = 8 };

struct pdpr_i_sink {
    pdpr_context *ctx;
    pdpr_i_outfile *file;
    pdpr_i_compression compression;
    char *buffer; /* [BUFFER_BYTES] not yet packed */
    size_t used;
    unsigned char *packed; /* [BUFFER_BYTES] */
    z_stream gzip;
    bool gzip_ready;
    ZSTD_CCtx *zstd;
    pdpr_error memory; /* why an allocation inside a library failed */
};

static void *library_alloc(pdpr_i_sink *sink, uint64_t count, size_t size)
{
    void *block = NULL;
    if (pdpr_i_alloc(sink->ctx, count, size, "packing", &block, &sink->memory) != PDPR_OK)
        return NULL;
    return block;
}

static voidpf gzip_alloc(voidpf sink, uInt count, uInt size)
{
    return library_alloc(sink, count, size);
}

static void *zstd_alloc(void *sink, size_t size)
{
    return library_alloc(sink, 1, size);
}

static void library_free(void *sink, void *block)
{
    (void)sink;
    pdpr_free(block);
}

/* The libraries fail for lack of memory only, as our use of them is right. */
static pdpr_status fail_packing(const pdpr_i_sink *sink, pdpr_error *err)
{
    if (sink->memory.status == PDPR_OK)
        return pdpr_i_fail(err, PDPR_EFAILED, "the packing library failed");
    if (err)
        *err = sink->memory;
    return PDPR_ENOMEM;
}

static void free_sink(pdpr_i_sink *sink)
{
    if (!sink)
        return;
    if (sink->gzip_ready)
        deflateEnd(&sink->gzip);
    ZSTD_freeCCtx(sink->zstd); /* NULL is fine */
    pdpr_free(sink->buffer);
    pdpr_free(sink->packed);
    pdpr_free(sink);
}

void pdpr_i_sink_abandon(pdpr_i_sink *sink)
{
    if (!sink)
        return;
    pdpr_i_outfile_abandon(sink->file);
    free_sink(sink);
}

static pdpr_status start_packing(pdpr_i_sink *sink, pdpr_error *err)
{
    if (sink->compression == PDPR_I_GZIP) {
        sink->gzip.zalloc = gzip_alloc;
        sink->gzip.zfree = library_free;
        sink->gzip.opaque = sink;
        if (deflateInit2(&sink->gzip, GZIP_LEVEL, Z_DEFLATED, 16 + MAX_WBITS, GZIP_MEMORY,
                         Z_DEFAULT_STRATEGY) != Z_OK)
            return fail_packing(sink, err);
        sink->gzip_ready = true;
    } else if (sink->compression == PDPR_I_ZSTD) {
        sink->zstd = ZSTD_createCCtx_advanced((ZSTD_customMem){zstd_alloc, library_free, sink});
        if (!sink->zstd ||
            ZSTD_isError(ZSTD_CCtx_setParameter(sink->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) ||
            ZSTD_isError(ZSTD_CCtx_setParameter(sink->zstd, ZSTD_c_checksumFlag, 1)))
            return fail_packing(sink, err);
    }
    return PDPR_OK;
}

pdpr_status pdpr_i_sink_open(pdpr_context *ctx, const char *path, pdpr_i_compression compression,
                             pdpr_i_sink **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_sink *sink = NULL;

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *sink, "output", &sink, err));
    sink->ctx = ctx;
    sink->compression = compression;
    PDPR_TRY(pdpr_i_alloc(ctx, BUFFER_BYTES, 1, "output buffer", &sink->buffer, err));
    if (compression != PDPR_I_PLAIN)
        PDPR_TRY(pdpr_i_alloc(ctx, BUFFER_BYTES, 1, "output buffer", &sink->packed, err));
    PDPR_TRY(start_packing(sink, err));
    PDPR_TRY(pdpr_i_outfile_open(ctx, path, &sink->file, err));
    *out = sink;
    sink = NULL;
done:
    pdpr_i_sink_abandon(sink);
    return s;
}

static pdpr_status pack_gzip(pdpr_i_sink *sink, const char *bytes, size_t length, bool last,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    int result = Z_OK;

    sink->gzip.next_in = (z_const Bytef *)bytes;
    sink->gzip.avail_in = (uInt)length; /* at most BUFFER_BYTES */
    do {
        sink->gzip.next_out = sink->packed;
        sink->gzip.avail_out = BUFFER_BYTES;
        result = deflate(&sink->gzip, last ? Z_FINISH : Z_NO_FLUSH);
        if (result == Z_STREAM_ERROR) {
            s = fail_packing(sink, err);
            goto done;
        }
        PDPR_TRY(pdpr_i_outfile_write(sink->file, sink->packed, BUFFER_BYTES - sink->gzip.avail_out,
                                      err));
    } while (sink->gzip.avail_out == 0 || (last && result != Z_STREAM_END));
done:
    return s;
}

static pdpr_status pack_zstd(pdpr_i_sink *sink, const char *bytes, size_t length, bool last,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    ZSTD_inBuffer in = {bytes, length, 0};
    bool more = true;

    while (more) {
        ZSTD_outBuffer out = {sink->packed, BUFFER_BYTES, 0};
        size_t left =
            ZSTD_compressStream2(sink->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) {
            s = fail_packing(sink, err);
            goto done;
        }
        PDPR_TRY(pdpr_i_outfile_write(sink->file, sink->packed, out.pos, err));
        more = last ? left != 0 : in.pos < in.size;
    }
done:
    return s;
}

static pdpr_status flush(pdpr_i_sink *sink, bool last, pdpr_error *err)
{
    size_t length = sink->used;
    pdpr_status s = pdpr_i_check_cancelled(sink->ctx, err);
    if (s != PDPR_OK)
        return s;
    sink->used = 0;
    if (sink->compression == PDPR_I_GZIP)
        return pack_gzip(sink, sink->buffer, length, last, err);
    if (sink->compression == PDPR_I_ZSTD)
        return pack_zstd(sink, sink->buffer, length, last, err);
    return pdpr_i_outfile_write(sink->file, sink->buffer, length, err);
}

pdpr_status pdpr_i_sink_write(pdpr_i_sink *sink, const void *bytes, size_t length, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const char *at = bytes;
    while (length > 0) {
        size_t part = BUFFER_BYTES - sink->used < length ? BUFFER_BYTES - sink->used : length;
        memcpy(sink->buffer + sink->used, at, part);
        sink->used += part;
        at += part;
        length -= part;
        if (sink->used == BUFFER_BYTES)
            PDPR_TRY(flush(sink, false, err));
    }
done:
    return s;
}

pdpr_status pdpr_i_sink_room(pdpr_i_sink *sink, size_t length, char **at, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    if (BUFFER_BYTES - sink->used < length)
        PDPR_TRY(flush(sink, false, err));
    *at = sink->buffer + sink->used;
done:
    return s;
}

void pdpr_i_sink_put(pdpr_i_sink *sink, const char *end)
{
    sink->used = (size_t)(end - sink->buffer);
}

pdpr_status pdpr_i_sink_commit(pdpr_i_sink *sink, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    PDPR_TRY(flush(sink, true, err));
    pdpr_i_outfile *file = sink->file;
    sink->file = NULL;
    s = pdpr_i_outfile_commit(file, err);
done:
    pdpr_i_sink_abandon(sink);
    return s;
}
