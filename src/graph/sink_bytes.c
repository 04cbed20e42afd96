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

static void *library_alloc(pdpr_i_sink *f, uint64_t count, size_t size)
{
    void *block = NULL;
    if (pdpr_i_alloc(f->ctx, count, size, "packing", &block, &f->memory) != PDPR_OK)
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
static pdpr_status fail_packing(const pdpr_i_sink *f, pdpr_error *err)
{
    if (f->memory.status == PDPR_OK)
        return pdpr_i_fail(err, PDPR_EFAILED, "the packing library failed");
    if (err)
        *err = f->memory;
    return PDPR_ENOMEM;
}

static void free_sink(pdpr_i_sink *f)
{
    if (!f)
        return;
    if (f->gzip_ready)
        deflateEnd(&f->gzip);
    ZSTD_freeCCtx(f->zstd); /* NULL is fine */
    pdpr_free(f->buffer);
    pdpr_free(f->packed);
    pdpr_free(f);
}

void pdpr_i_sink_abandon(pdpr_i_sink *f)
{
    if (!f)
        return;
    pdpr_i_outfile_abandon(f->file);
    free_sink(f);
}

static pdpr_status start_packing(pdpr_i_sink *f, pdpr_error *err)
{
    if (f->compression == PDPR_I_GZIP) {
        f->gzip.zalloc = gzip_alloc;
        f->gzip.zfree = library_free;
        f->gzip.opaque = f;
        if (deflateInit2(&f->gzip, GZIP_LEVEL, Z_DEFLATED, 16 + MAX_WBITS, GZIP_MEMORY,
                         Z_DEFAULT_STRATEGY) != Z_OK)
            return fail_packing(f, err);
        f->gzip_ready = true;
    } else if (f->compression == PDPR_I_ZSTD) {
        f->zstd = ZSTD_createCCtx_advanced((ZSTD_customMem){zstd_alloc, library_free, f});
        if (!f->zstd ||
            ZSTD_isError(ZSTD_CCtx_setParameter(f->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) ||
            ZSTD_isError(ZSTD_CCtx_setParameter(f->zstd, ZSTD_c_checksumFlag, 1)))
            return fail_packing(f, err);
    }
    return PDPR_OK;
}

pdpr_status pdpr_i_sink_open(pdpr_context *ctx, const char *path, pdpr_i_compression compression,
                             pdpr_i_sink **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_sink *f = NULL;

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *f, "output", &f, err));
    f->ctx = ctx;
    f->compression = compression;
    PDPR_TRY(pdpr_i_alloc(ctx, BUFFER_BYTES, 1, "output buffer", &f->buffer, err));
    if (compression != PDPR_I_PLAIN)
        PDPR_TRY(pdpr_i_alloc(ctx, BUFFER_BYTES, 1, "output buffer", &f->packed, err));
    PDPR_TRY(start_packing(f, err));
    PDPR_TRY(pdpr_i_outfile_open(ctx, path, &f->file, err));
    *out = f;
    f = NULL;
done:
    pdpr_i_sink_abandon(f);
    return s;
}

static pdpr_status pack_gzip(pdpr_i_sink *f, const char *bytes, size_t length, bool last,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    int result = Z_OK;

    f->gzip.next_in = (z_const Bytef *)bytes;
    f->gzip.avail_in = (uInt)length; /* at most BUFFER_BYTES */
    do {
        f->gzip.next_out = f->packed;
        f->gzip.avail_out = BUFFER_BYTES;
        result = deflate(&f->gzip, last ? Z_FINISH : Z_NO_FLUSH);
        if (result == Z_STREAM_ERROR) {
            s = fail_packing(f, err);
            goto done;
        }
        PDPR_TRY(pdpr_i_outfile_write(f->file, f->packed, BUFFER_BYTES - f->gzip.avail_out, err));
    } while (f->gzip.avail_out == 0 || (last && result != Z_STREAM_END));
done:
    return s;
}

static pdpr_status pack_zstd(pdpr_i_sink *f, const char *bytes, size_t length, bool last,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    ZSTD_inBuffer in = {bytes, length, 0};
    bool more = true;

    while (more) {
        ZSTD_outBuffer out = {f->packed, BUFFER_BYTES, 0};
        size_t left = ZSTD_compressStream2(f->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) {
            s = fail_packing(f, err);
            goto done;
        }
        PDPR_TRY(pdpr_i_outfile_write(f->file, f->packed, out.pos, err));
        more = last ? left != 0 : in.pos < in.size;
    }
done:
    return s;
}

static pdpr_status flush(pdpr_i_sink *f, bool last, pdpr_error *err)
{
    size_t length = f->used;
    pdpr_status s = pdpr_i_check_cancelled(f->ctx, err);
    if (s != PDPR_OK)
        return s;
    f->used = 0;
    if (f->compression == PDPR_I_GZIP)
        return pack_gzip(f, f->buffer, length, last, err);
    if (f->compression == PDPR_I_ZSTD)
        return pack_zstd(f, f->buffer, length, last, err);
    return pdpr_i_outfile_write(f->file, f->buffer, length, err);
}

pdpr_status pdpr_i_sink_write(pdpr_i_sink *f, const void *bytes, size_t length, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const char *at = bytes;
    while (length > 0) {
        size_t part = BUFFER_BYTES - f->used < length ? BUFFER_BYTES - f->used : length;
        memcpy(f->buffer + f->used, at, part);
        f->used += part;
        at += part;
        length -= part;
        if (f->used == BUFFER_BYTES)
            PDPR_TRY(flush(f, false, err));
    }
done:
    return s;
}

pdpr_status pdpr_i_sink_room(pdpr_i_sink *f, size_t length, char **at, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    if (BUFFER_BYTES - f->used < length)
        PDPR_TRY(flush(f, false, err));
    *at = f->buffer + f->used;
done:
    return s;
}

void pdpr_i_sink_put(pdpr_i_sink *f, const char *end)
{
    f->used = (size_t)(end - f->buffer);
}

pdpr_status pdpr_i_sink_commit(pdpr_i_sink *f, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    PDPR_TRY(flush(f, true, err));
    pdpr_i_outfile *file = f->file;
    f->file = NULL;
    s = pdpr_i_outfile_commit(file, err);
done:
    pdpr_i_sink_abandon(f);
    return s;
}
