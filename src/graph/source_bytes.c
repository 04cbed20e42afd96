/* Bytes of a file or of standard input, unpacked on the way.
 *
 * Whether a file is packed is decided by its first bytes (gzip, RFC 1952: 1f 8b; zstd, RFC 8878:
 * 28 b5 2f fd, or a skippable frame), so that names do not matter. gzip files may have several
 * members, zstd files several frames; both are read to the last. Files are read, not mapped: mapped
 * pages would count as memory. The memory of both libraries comes from pdpr_i_alloc, so that
 * max_memory holds for them too; a frame whose window is above zstd's default limit of 128 MB is
 * refused by zstd itself.
 *
 * Cost: plain bytes are read straight into the caller's buffer; 256 KB of buffer for packed ones.
 * Invariant: an error of unpacking is reported at the first read that meets it, and only after
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

enum { PACKED_BYTES = 256 * 1024 };

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
    pdpr_error memory;  /* why an allocation inside a library failed */
    pdpr_error delayed; /* a failure met behind bytes that were still given out */
};

/* ---------------------------------------------------------------- the libraries' memory */

static void *library_alloc(pdpr_i_source *f, uint64_t count, size_t size)
{
    void *block = NULL;
    if (pdpr_i_alloc(f->ctx, count, size, "unpacking", &block, &f->memory) != PDPR_OK)
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

static pdpr_status fail_memory(const pdpr_i_source *f, pdpr_error *err)
{
    if (f->memory.status == PDPR_OK)
        return pdpr_i_fail_at(err, PDPR_ENOMEM, f->name, 0, "unpacking ran out of memory");
    if (err)
        *err = f->memory;
    return PDPR_ENOMEM;
}

/* ---------------------------------------------------------------- raw bytes */

/* Reads until `size` bytes are there or the file ends. */
static pdpr_status read_raw(pdpr_i_source *f, void *bytes, size_t size, size_t *got,
                            pdpr_error *err)
{
    size_t have = 0;
    while (have < size) {
        pdpr_status s = pdpr_i_check_cancelled(f->ctx, err);
        if (s != PDPR_OK)
            return s;
        ssize_t n = read(f->descriptor, (char *)bytes + have, size - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return pdpr_i_fail_system(err, errno, "%s: cannot read", f->name);
        if (n == 0)
            break;
        have += (size_t)n;
    }
    f->file_read += have;
    if (f->file_length != UINT64_MAX && f->file_read <= f->file_length)
        pdpr_i_progress(f->ctx, "reading", f->file_read, f->file_length);
    *got = have;
    return PDPR_OK;
}

/* Makes sure that raw bytes are at hand unless the file has ended. */
static pdpr_status refill(pdpr_i_source *f, pdpr_error *err)
{
    if (f->raw_at < f->raw_end || f->raw_finished)
        return PDPR_OK;
    f->raw_at = f->raw_end = 0;
    pdpr_status s = read_raw(f, f->raw, PACKED_BYTES, &f->raw_end, err);
    f->raw_finished = s == PDPR_OK && f->raw_end < PACKED_BYTES;
    return s;
}

static bool at_raw_end(const pdpr_i_source *f)
{
    return f->raw_finished && f->raw_at == f->raw_end;
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

static pdpr_status start_unpacking(pdpr_i_source *f, pdpr_error *err)
{
    f->compression = compression_of(f->raw, f->raw_end);
    if (f->raw_end == 0 && (ends_with(f->name, ".gz") || ends_with(f->name, ".zst")))
        return pdpr_i_fail_at(err, PDPR_EINPUT, f->name, 0,
                              "expected compressed data, found an empty file");
    if (f->compression == PDPR_I_GZIP) {
        f->gzip.zalloc = gzip_alloc;
        f->gzip.zfree = library_free;
        f->gzip.opaque = f;
        if (inflateInit2(&f->gzip, 16 + MAX_WBITS) != Z_OK) /* 16: gzip header and checksum */
            return fail_memory(f, err);
        f->gzip_ready = true;
        f->open_frame = true;
    } else if (f->compression == PDPR_I_ZSTD) {
        f->zstd = ZSTD_createDCtx_advanced((ZSTD_customMem){zstd_alloc, library_free, f});
        if (!f->zstd)
            return fail_memory(f, err);
    }
    return PDPR_OK;
}

pdpr_status pdpr_i_source_open(pdpr_context *ctx, const char *path, pdpr_i_source **out,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_source *f = NULL;
    bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    struct stat info;

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *f, "input file", &f, err));
    f->ctx = ctx;
    f->descriptor = -1;
    f->file_length = UINT64_MAX;
    PDPR_TRY(pdpr_i_copy_text(ctx, name, strlen(name), &f->name, err));
    f->descriptor = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (f->descriptor < 0 || fstat(f->descriptor, &info) != 0) {
        s = pdpr_i_fail_system(err, errno, "%s: cannot open", name);
        goto done;
    }
    if (S_ISDIR(info.st_mode)) {
        s = pdpr_i_fail_at(err, PDPR_EINPUT, name, 0, "expected a file, found a folder");
        goto done;
    }
    if (S_ISREG(info.st_mode) && !standard)
        f->file_length = (uint64_t)info.st_size;
    PDPR_TRY(pdpr_i_alloc(ctx, PACKED_BYTES, 1, "input buffer", &f->raw, err));
    PDPR_TRY(refill(f, err));
    PDPR_TRY(start_unpacking(f, err));
    *out = f;
    f = NULL;
done:
    pdpr_i_source_close(f);
    return s;
}

void pdpr_i_source_close(pdpr_i_source *f)
{
    if (!f)
        return;
    if (f->gzip_ready)
        inflateEnd(&f->gzip);
    ZSTD_freeDCtx(f->zstd); /* NULL is fine */
    if (f->descriptor > STDERR_FILENO)
        close(f->descriptor);
    pdpr_free(f->raw);
    pdpr_free(f->name);
    pdpr_free(f);
}

uint64_t pdpr_i_source_length(const pdpr_i_source *f)
{
    return f->compression == PDPR_I_PLAIN ? f->file_length : UINT64_MAX;
}

const char *pdpr_i_source_name(const pdpr_i_source *f)
{
    return f->name;
}

/* ---------------------------------------------------------------- reading */

static pdpr_status read_plain(pdpr_i_source *f, unsigned char *bytes, size_t size, size_t *got,
                              pdpr_error *err)
{
    size_t held = f->raw_end - f->raw_at, rest = 0;
    if (held > size)
        held = size;
    memcpy(bytes, f->raw + f->raw_at, held);
    f->raw_at += held;
    if (held < size && !f->raw_finished) {
        pdpr_status s = read_raw(f, bytes + held, size - held, &rest, err);
        if (s != PDPR_OK)
            return s;
        f->raw_finished = rest < size - held;
    }
    *got = held + rest;
    f->finished = *got < size;
    return PDPR_OK;
}

static pdpr_status fail_truncated(const pdpr_i_source *f, const char *what, pdpr_error *err)
{
    return pdpr_i_fail_at(err, PDPR_EINPUT, f->name, 0,
                          "expected more %s data, found the end of the file (cut short?)", what);
}

/* What may follow a member: another one, zero padding (tape blocks), or nothing. */
static pdpr_status next_member(pdpr_i_source *f, pdpr_error *err)
{
    f->open_frame = false;
    for (;;) {
        pdpr_status s = refill(f, err);
        if (s != PDPR_OK)
            return s;
        if (at_raw_end(f)) {
            f->finished = true;
            return PDPR_OK;
        }
        if (f->raw[f->raw_at] != 0)
            break;
        f->raw_at++;
    }
    if (f->raw[f->raw_at] != 0x1f)
        return pdpr_i_fail_at(err, PDPR_EINPUT, f->name, 0,
                              "expected the end or another gzip member, found other bytes");
    inflateReset(&f->gzip);
    f->open_frame = true;
    return PDPR_OK;
}

static pdpr_status read_gzip(pdpr_i_source *f, unsigned char *bytes, size_t size, size_t *got,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    while (*got < size && !f->finished) {
        PDPR_TRY(refill(f, err));
        if (at_raw_end(f)) {
            s = fail_truncated(f, "gzip", err);
            goto done;
        }
        size_t room = size - *got < UINT32_MAX ? size - *got : UINT32_MAX;
        f->gzip.next_in = f->raw + f->raw_at;
        f->gzip.avail_in = (uInt)(f->raw_end - f->raw_at);
        f->gzip.next_out = bytes + *got;
        f->gzip.avail_out = (uInt)room;
        int result = inflate(&f->gzip, Z_NO_FLUSH);
        f->raw_at = f->raw_end - f->gzip.avail_in;
        *got += room - f->gzip.avail_out;
        if (result == Z_STREAM_END) {
            PDPR_TRY(next_member(f, err));
        } else if (result == Z_MEM_ERROR) {
            s = fail_memory(f, err);
            goto done;
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
            s = pdpr_i_fail_at(err, PDPR_EINPUT, f->name, 0, "corrupt gzip data (%s)",
                               f->gzip.msg ? f->gzip.msg : "needs a dictionary");
            goto done;
        }
    }
done:
    return s;
}

static pdpr_status read_zstd(pdpr_i_source *f, unsigned char *bytes, size_t size, size_t *got,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    while (*got < size && !f->finished) {
        PDPR_TRY(refill(f, err));
        if (at_raw_end(f) && !f->open_frame) {
            f->finished = true;
            break;
        }
        ZSTD_inBuffer in = {f->raw, f->raw_end, f->raw_at};
        ZSTD_outBuffer out = {bytes, size, *got};
        size_t result = ZSTD_decompressStream(f->zstd, &out, &in);
        bool moved = in.pos > f->raw_at || out.pos > *got;
        f->raw_at = in.pos;
        *got = out.pos;
        if (ZSTD_isError(result)) {
            s = ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation
                    ? fail_memory(f, err)
                    : pdpr_i_fail_at(err, PDPR_EINPUT, f->name, 0, "corrupt zstd data");
            goto done;
        }
        f->open_frame = result != 0;
        if (at_raw_end(f) && f->open_frame && !moved) { /* nothing left to flush either */
            s = fail_truncated(f, "zstd", err);
            goto done;
        }
    }
done:
    return s;
}

/* A failure behind some bytes is kept for the next call. What zstd calls a fault depends on the
 * room it was given, so its words are left out: a message must not depend on the sizes of blocks.
 */
pdpr_status pdpr_i_source_read(pdpr_i_source *f, void *bytes, size_t size, size_t *got,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_error failure = {.status = PDPR_OK};
    size_t have = 0;

    PDPR_TRY(pdpr_i_check_cancelled(f->ctx, err));
    if (f->delayed.status != PDPR_OK) {
        if (err)
            *err = f->delayed;
        s = f->delayed.status;
        goto done;
    }
    s = f->compression == PDPR_I_GZIP   ? read_gzip(f, bytes, size, &have, &failure)
        : f->compression == PDPR_I_ZSTD ? read_zstd(f, bytes, size, &have, &failure)
                                        : read_plain(f, bytes, size, &have, &failure);
    if (s != PDPR_OK && have > 0) {
        f->delayed = failure;
        s = PDPR_OK;
    }
    if (s == PDPR_OK)
        *got = have;
    else if (err)
        *err = failure;
done:
    return s;
}
