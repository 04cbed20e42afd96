/* Stored ZIP members (PKWARE APPNOTE 6.3): local header, bytes, then the central directory and its
 * end record. */
#include "method/zip_store.h"

#include <string.h>
#include <zlib.h>

enum {
    LOCAL_HEADER = 30,
    CENTRAL_HEADER = 46,
    END_RECORD = 22,
    VERSION_NEEDED = 20,
    FIRST_DAY = 0x21, /* 1980-01-01, the zero of DOS dates */
};
static const uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50;

static unsigned char *put16(unsigned char *at, uint64_t x)
{
    at[0] = (unsigned char)x;
    at[1] = (unsigned char)(x >> 8);
    return at + 2;
}

static unsigned char *put32(unsigned char *at, uint64_t x)
{
    return put16(put16(at, x & 0xffff), x >> 16);
}

static uint32_t get16(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

static uint32_t get32(const unsigned char *at)
{
    return get16(at) | get16(at + 2) << 16;
}

static uint32_t crc_of(uint32_t crc, const void *bytes, uint64_t length)
{
    return length ? (uint32_t)crc32_z(crc, bytes, (z_size_t)length)
                  : crc; /* zlib restarts at NULL */
}

/* The fields that local and central header share, from "version needed" to the length of the extra
 * field. */
static unsigned char *put_common(unsigned char *at, const pdpr_i_zip_member *m, uint32_t crc)
{
    at = put16(at, VERSION_NEEDED);
    at = put16(at, 0); /* flags */
    at = put16(at, 0); /* stored */
    at = put16(at, 0); /* time */
    at = put16(at, FIRST_DAY);
    at = put32(at, crc);
    at = put32(at, m->head_bytes + m->body_bytes);
    at = put32(at, m->head_bytes + m->body_bytes);
    at = put16(at, strlen(m->name));
    return put16(at, 0); /* no extra field */
}

pdpr_status pdpr_i_zip_write(pdpr_i_outfile *out, const char *path,
                             const pdpr_i_zip_member *members, uint32_t count, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t crc[PDPR_I_ZIP_MOST];
    uint64_t start[PDPR_I_ZIP_MOST], at = 0;
    unsigned char record[CENTRAL_HEADER];

    for (uint32_t i = 0; i < count; i++) {
        const pdpr_i_zip_member *m = &members[i];
        start[i] = at;
        at += LOCAL_HEADER + strlen(m->name) + m->head_bytes + m->body_bytes;
        if (at >= UINT32_MAX - (uint64_t)count * (CENTRAL_HEADER + PDPR_I_ZIP_NAME))
            return pdpr_i_fail(err, PDPR_EUSAGE, "%s: expected a release below 4 GiB", path);
        crc[i] = crc_of(0, m->head, m->head_bytes);
        crc[i] = crc_of(crc[i], m->body, m->body_bytes);

        put_common(put32(record, local_mark), m, crc[i]);
        PDPR_TRY(pdpr_i_outfile_write(out, record, LOCAL_HEADER, err));
        PDPR_TRY(pdpr_i_outfile_write(out, m->name, strlen(m->name), err));
        PDPR_TRY(pdpr_i_outfile_write(out, m->head, m->head_bytes, err));
        PDPR_TRY(pdpr_i_outfile_write(out, m->body, m->body_bytes, err));
    }
    uint64_t directory = at;
    for (uint32_t i = 0; i < count; i++) {
        unsigned char *p = put32(record, central_mark);
        p = put16(p, VERSION_NEEDED); /* made by */
        p = put_common(p, &members[i], crc[i]);
        p = put16(p, 0); /* no comment */
        p = put16(p, 0); /* disk 0 */
        p = put16(p, 0); /* internal attributes */
        p = put32(p, 0); /* external attributes */
        put32(p, start[i]);
        PDPR_TRY(pdpr_i_outfile_write(out, record, CENTRAL_HEADER, err));
        PDPR_TRY(pdpr_i_outfile_write(out, members[i].name, strlen(members[i].name), err));
        at += CENTRAL_HEADER + strlen(members[i].name);
    }
    unsigned char *p = put32(record, end_mark);
    p = put32(p, 0); /* this disk, directory's disk */
    p = put16(p, count);
    p = put16(p, count);
    p = put32(p, at - directory);
    p = put32(p, directory);
    put16(p, 0);
    PDPR_TRY(pdpr_i_outfile_write(out, record, END_RECORD, err));
done:
    return s;
}

/* ---------------------------------------------------------------- reading */

static pdpr_status damaged(const char *path, const char *what, pdpr_error *err)
{
    return pdpr_i_fail(err, PDPR_EINPUT, "%s: damaged or no release file: %s", path, what);
}

/* Reads the central record at `at` and the local header it points to. *next is where the next
 * record begins. */
static pdpr_status read_member(const char *path, const unsigned char *bytes, uint64_t directory,
                               uint64_t at, uint64_t end, pdpr_i_zip_member *out, uint64_t *next,
                               pdpr_error *err)
{
    const unsigned char *c = bytes + at;
    if (end - at < CENTRAL_HEADER || get32(c) != central_mark)
        return damaged(path, "its directory is cut short", err);
    uint64_t name = get16(c + 28), extra = get16(c + 30), comment = get16(c + 32);
    uint64_t size = get32(c + 20), start = get32(c + 42);
    if (end - at - CENTRAL_HEADER < name + extra + comment)
        return damaged(path, "its directory is cut short", err);
    if (get16(c + 8) & 1 || get16(c + 10) != 0 || get32(c + 24) != size)
        return damaged(path, "a member is compressed or encrypted", err);
    if (name == 0 || name >= PDPR_I_ZIP_NAME || memchr(c + CENTRAL_HEADER, 0, name))
        return damaged(path, "a member's name is not one of ours", err);
    if (start > directory || directory - start < LOCAL_HEADER || get32(bytes + start) != local_mark)
        return damaged(path, "a member is not where the directory says", err);
    uint64_t body = start + LOCAL_HEADER + get16(bytes + start + 26) + get16(bytes + start + 28);
    if (body > directory || directory - body < size)
        return damaged(path, "a member is longer than the file", err);
    if (crc_of(0, bytes + body, size) != get32(c + 16))
        return damaged(path, "a member's checksum is wrong", err);

    memset(out, 0, sizeof *out);
    memcpy(out->name, c + CENTRAL_HEADER, name);
    out->head = bytes + body;
    out->head_bytes = size;
    *next = at + CENTRAL_HEADER + name + extra + comment;
    return PDPR_OK;
}

pdpr_status pdpr_i_zip_index(const char *path, const unsigned char *bytes, uint64_t length,
                             pdpr_i_zip_member members[PDPR_I_ZIP_MOST], uint32_t *count,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    if (length < END_RECORD || get32(bytes + length - END_RECORD) != end_mark)
        return damaged(path, "its end is missing", err);
    const unsigned char *end = bytes + length - END_RECORD;
    uint32_t wanted = get16(end + 10);
    uint64_t size = get32(end + 12), directory = get32(end + 16);
    if (directory > length - END_RECORD || length - END_RECORD - directory != size)
        return damaged(path, "its directory is not where its end says", err);
    if (wanted == 0 || wanted > PDPR_I_ZIP_MOST)
        return damaged(path, "it has no members, or too many", err);
    uint64_t at = directory;
    for (uint32_t i = 0; i < wanted; i++)
        PDPR_TRY(read_member(path, bytes, directory, at, directory + size, &members[i], &at, err));
    if (at != directory + size)
        return damaged(path, "its directory has something behind it", err);
    *count = wanted;
done:
    return s;
}
