/* Bytes of a file or of standard input, unpacked on the way.
 *
 * Whether a file is packed is decided by its first bytes (gzip, RFC 1952: 1f 8b; zstd, RFC 8878:
 * 28 b5 2f fd, or a skippable frame), so that names do not matter. gzip files may have several
 * members, zstd files several frames; both are read to the last. Files are read, not mapped: mapped
 * pages would count as memory. The memory of both libraries comes from pdpr_i_alloc, so that
 * max_memory holds for them too; a frame whose window is above zstd's default limit of 128 MB is
 * refused by zstd itself.
 *
 * Cost: plain bytes are read straight into the caller's buffer; packed ones through buffers of
 * 256 KB. Invariants: what is given and what is refused does not depend on the sizes of reads; an
 * error of unpacking is reported at the first read that meets it, and only after
 * every byte before it was given out. */
#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_createDCtx_advanced: memory through our allocator */
#include "graph/io.h"
#include "base/found_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { PACKED_BYTES = 256 * 1024, UNPACKED_BYTES = 256 * 1024 };

struct pdpr_i_source {
    pdpr_context *ctx;
    char *name;
    int descriptor;
    uint64_t file_length; /* UINT64_MAX: not a regular file */
    uint64_t file_read;
    pdpr_i_compression compression;
    unsigned char *raw; /* [PACKED_BYTES] as the file has them */
    size_t raw_at, raw_end;
    bool raw_finished;
    bool open_frame; /* inside a member or frame: the file may not end here */
    bool finished;
    z_stream gzip;
    bool gzip_ready;
    ZSTD_DCtx *zstd;
    unsigned char *unpacked; /* [UNPACKED_BYTES] zstd only */
    size_t unpacked_at, unpacked_end;
    pdpr_error memory;  /* why an allocation inside a library failed */
    pdpr_error delayed; /* a failure met behind bytes that were still given out */
};

/* ---------------------------------------------------------------- the libraries' memory */

static void *library_alloc(pdpr_i_source *source, uint64_t count, size_t size)
{
    void *block = NULL;
    if (pdpr_i_alloc(source->ctx, count, size, "unpacking", &block, &source->memory) != PDPR_OK)
        return NULL;
    return block;
}

static voidpf gzip_alloc(voidpf source, uInt count, uInt size)
{
    return library_alloc(source, count, size);
}

static void *zstd_alloc(void *source, size_t size)
{
    return library_alloc(source, 1, size);
}

static void library_free(void *source, void *block)
{
    (void)source;
    pdpr_free(block);
}

static pdpr_status fail_memory(const pdpr_i_source *source, pdpr_error *err)
{
    if (source->memory.status == PDPR_OK)
        return pdpr_i_fail_at(err, PDPR_ENOMEM, source->name, 0, "unpacking ran out of memory");
    if (err)
        *err = source->memory;
    return PDPR_ENOMEM;
}

/* ---------------------------------------------------------------- raw bytes */

/* Reads until `size` bytes are there or the file ends. */
static pdpr_status read_raw(pdpr_i_source *source, void *bytes, size_t size, size_t *got,
                            pdpr_error *err)
{
    size_t have = 0;
    while (have < size) {
        pdpr_status s = pdpr_i_check_cancelled(source->ctx, err);
        if (s != PDPR_OK)
            return s;
        ssize_t n = read(source->descriptor, (char *)bytes + have, size - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return pdpr_i_fail_system(err, errno, "%s: cannot read", source->name);
        if (n == 0)
            break;
        have += (size_t)n;
    }
    source->file_read += have;
    if (source->file_length != UINT64_MAX && source->file_read <= source->file_length)
        pdpr_i_progress(source->ctx, "reading", source->file_read, source->file_length);
    *got = have;
    return PDPR_OK;
}

/* Makes sure that raw bytes are at hand unless the file has ended. */
static pdpr_status refill(pdpr_i_source *source, pdpr_error *err)
{
    if (source->raw_at < source->raw_end || source->raw_finished)
        return PDPR_OK;
    source->raw_at = source->raw_end = 0;
    pdpr_status s = read_raw(source, source->raw, PACKED_BYTES, &source->raw_end, err);
    source->raw_finished = s == PDPR_OK && source->raw_end < PACKED_BYTES;
    return s;
}

static bool at_raw_end(const pdpr_i_source *source)
{
    return source->raw_finished && source->raw_at == source->raw_end;
}

/* ---------------------------------------------------------------- opening */

static pdpr_i_compression compression_of(const unsigned char *first, size_t length)
{
    if (length >= 2 && first[0] == 0x1f && first[1] == 0x8b)
        return PDPR_I_GZIP;
    if (length >= 4 && first[1] == 0xb5 && first[0] == 0x28 && first[2] == 0x2f && first[3] == 0xfd)
        return PDPR_I_ZSTD;
    if (length >= 4 && (first[0] & 0xf0) == 0x50 && first[1] == 0x2a && first[2] == 0x4d &&
        first[3] == 0x18)
        return PDPR_I_ZSTD;
    return PDPR_I_PLAIN;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static pdpr_status start_unpacking(pdpr_i_source *source, pdpr_error *err)
{
    source->compression = compression_of(source->raw, source->raw_end);
    if (source->raw_end == 0 && (ends_with(source->name, ".gz") || ends_with(source->name, ".zst")))
        return pdpr_i_fail_at(err, PDPR_EINPUT, source->name, 0,
                              "expected compressed data, found an empty file");
    if (source->compression == PDPR_I_GZIP) {
        source->gzip.zalloc = gzip_alloc;
        source->gzip.zfree = library_free;
        source->gzip.opaque = source;
        if (inflateInit2(&source->gzip, 16 + MAX_WBITS) != Z_OK) /* 16: gzip header and checksum */
            return fail_memory(source, err);
        source->gzip_ready = true;
        source->open_frame = true;
    } else if (source->compression == PDPR_I_ZSTD) {
        source->zstd = ZSTD_createDCtx_advanced((ZSTD_customMem){zstd_alloc, library_free, source});
        if (!source->zstd)
            return fail_memory(source, err);
        return pdpr_i_alloc(source->ctx, UNPACKED_BYTES, 1, "input buffer", &source->unpacked, err);
    }
    return PDPR_OK;
}

pdpr_status pdpr_i_source_open(pdpr_context *ctx, const char *path, pdpr_i_source **out,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_source *source = NULL;
    bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    struct stat info;

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *source, "input file", &source, err));
    source->ctx = ctx;
    source->descriptor = -1;
    source->file_length = UINT64_MAX;
    PDPR_TRY(pdpr_i_copy_text(ctx, name, strlen(name), &source->name, err));
    source->descriptor = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (source->descriptor < 0 || fstat(source->descriptor, &info) != 0) {
        s = pdpr_i_fail_system(err, errno, "%s: cannot open", name);
        goto done;
    }
    if (S_ISDIR(info.st_mode)) {
        s = pdpr_i_fail_at(err, PDPR_EINPUT, name, 0, "expected a file, found a folder");
        goto done;
    }
    if (S_ISREG(info.st_mode) && !standard)
        source->file_length = (uint64_t)info.st_size;
    PDPR_TRY(pdpr_i_alloc(ctx, PACKED_BYTES, 1, "input buffer", &source->raw, err));
    PDPR_TRY(refill(source, err));
    PDPR_TRY(start_unpacking(source, err));
    *out = source;
    source = NULL;
done:
    pdpr_i_source_close(source);
    return s;
}

void pdpr_i_source_close(pdpr_i_source *source)
{
    if (!source)
        return;
    if (source->gzip_ready)
        inflateEnd(&source->gzip);
    ZSTD_freeDCtx(source->zstd); /* NULL is fine */
    if (source->descriptor > STDERR_FILENO)
        close(source->descriptor);
    pdpr_free(source->raw);
    pdpr_free(source->unpacked);
    pdpr_free(source->name);
    pdpr_free(source);
}

uint64_t pdpr_i_source_length(const pdpr_i_source *source)
{
    return source->compression == PDPR_I_PLAIN ? source->file_length : UINT64_MAX;
}

const char *pdpr_i_source_name(const pdpr_i_source *source)
{
    return source->name;
}

/* ---------------------------------------------------------------- reading */

static pdpr_status read_plain(pdpr_i_source *source, unsigned char *bytes, size_t size, size_t *got,
                              pdpr_error *err)
{
    size_t held = source->raw_end - source->raw_at, rest = 0;
    if (held > size)
        held = size;
    memcpy(bytes, source->raw + source->raw_at, held);
    source->raw_at += held;
    if (held < size && !source->raw_finished) {
        pdpr_status s = read_raw(source, bytes + held, size - held, &rest, err);
        if (s != PDPR_OK)
            return s;
        source->raw_finished = rest < size - held;
    }
    *got = held + rest;
    source->finished = *got < size;
    return PDPR_OK;
}

static pdpr_status fail_truncated(const pdpr_i_source *source, const char *what, pdpr_error *err)
{
    return pdpr_i_fail_at(err, PDPR_EINPUT, source->name, 0,
                          "expected more %s data, found the end of the file (cut short?)", what);
}

/* What may follow a member: another one, zero padding (tape blocks), or nothing. */
static pdpr_status next_member(pdpr_i_source *source, pdpr_error *err)
{
    source->open_frame = false;
    for (;;) {
        pdpr_status s = refill(source, err);
        if (s != PDPR_OK)
            return s;
        if (at_raw_end(source)) {
            source->finished = true;
            return PDPR_OK;
        }
        if (source->raw[source->raw_at] != 0)
            break;
        source->raw_at++;
    }
    if (source->raw[source->raw_at] != 0x1f)
        return pdpr_i_fail_at(err, PDPR_EINPUT, source->name, 0,
                              "expected the end or another gzip member, found other bytes");
    inflateReset(&source->gzip);
    source->open_frame = true;
    return PDPR_OK;
}

static pdpr_status read_gzip(pdpr_i_source *source, unsigned char *bytes, size_t size, size_t *got,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    while (*got < size && !source->finished) {
        PDPR_TRY(refill(source, err));
        if (at_raw_end(source)) {
            s = fail_truncated(source, "gzip", err);
            goto done;
        }
        size_t room = size - *got < UINT32_MAX ? size - *got : UINT32_MAX;
        source->gzip.next_in = source->raw + source->raw_at;
        source->gzip.avail_in = (uInt)(source->raw_end - source->raw_at);
        source->gzip.next_out = bytes + *got;
        source->gzip.avail_out = (uInt)room;
        int result = inflate(&source->gzip, Z_NO_FLUSH);
        source->raw_at = source->raw_end - source->gzip.avail_in;
        *got += room - source->gzip.avail_out;
        if (result == Z_STREAM_END) {
            PDPR_TRY(next_member(source, err));
        } else if (result == Z_MEM_ERROR) {
            s = fail_memory(source, err);
            goto done;
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
            s = pdpr_i_fail_at(err, PDPR_EINPUT, source->name, 0, "corrupt gzip data (%s)",
                               source->gzip.msg ? source->gzip.msg : "needs a dictionary");
            goto done;
        }
    }
done:
    return s;
}

/* Unpacks into the buffer of our own, always of the same size: what zstd accepts of a faulty frame,
 * and what it calls the fault, depends on the room it is given. */
static pdpr_status unpack_zstd(pdpr_i_source *source, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    PDPR_TRY(refill(source, err));
    if (at_raw_end(source) && !source->open_frame) {
        source->finished = true;
        goto done;
    }
    ZSTD_inBuffer in = {source->raw, source->raw_end, source->raw_at};
    ZSTD_outBuffer out = {source->unpacked, UNPACKED_BYTES, 0};
    size_t result = ZSTD_decompressStream(source->zstd, &out, &in);
    if (ZSTD_isError(result)) {
        s = ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation
                ? fail_memory(source, err)
                : pdpr_i_fail_at(err, PDPR_EINPUT, source->name, 0, "corrupt zstd data (%s)",
                                 ZSTD_getErrorName(result));
        goto done;
    }
    bool moved = in.pos > source->raw_at || out.pos > 0;
    source->raw_at = in.pos;
    source->unpacked_at = 0;
    source->unpacked_end = out.pos;
    source->open_frame = result != 0;
    if (at_raw_end(source) && source->open_frame && !moved) /* nothing left to flush either */
        s = fail_truncated(source, "zstd", err);
done:
    return s;
}

static pdpr_status read_zstd(pdpr_i_source *source, unsigned char *bytes, size_t size, size_t *got,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    while (*got < size && !source->finished) {
        size_t part = source->unpacked_end - source->unpacked_at;
        if (part == 0) {
            PDPR_TRY(unpack_zstd(source, err));
            continue;
        }
        if (part > size - *got)
            part = size - *got;
        memcpy(bytes + *got, source->unpacked + source->unpacked_at, part);
        source->unpacked_at += part;
        *got += part;
    }
done:
    return s;
}

/* A failure behind some bytes is kept for the next call. */
pdpr_status pdpr_i_source_read(pdpr_i_source *source, void *bytes, size_t size, size_t *got,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_error failure = {.status = PDPR_OK};
    size_t have = 0;

    PDPR_TRY(pdpr_i_check_cancelled(source->ctx, err));
    if (source->delayed.status != PDPR_OK) {
        if (err)
            *err = source->delayed;
        s = source->delayed.status;
        goto done;
    }
    s = source->compression == PDPR_I_GZIP   ? read_gzip(source, bytes, size, &have, &failure)
        : source->compression == PDPR_I_ZSTD ? read_zstd(source, bytes, size, &have, &failure)
                                             : read_plain(source, bytes, size, &have, &failure);
    if (s != PDPR_OK && have > 0) {
        source->delayed = failure;
        s = PDPR_OK;
    }
    if (s == PDPR_OK)
        *got = have;
    else if (err)
        *err = failure;
done:
    return s;
}
