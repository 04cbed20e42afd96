/* Release files: header.json and .npy arrays in a stored ZIP (zip_store.h).
 *
 * The .npy header (format 1.0 of NumPy's NEP 1) is a Python literal padded to 64 bytes. We write
 * one spelling of it and read that one only: a release comes from this program, and a strict reader
 * is short. Items are little-endian; the build refuses other machines below. */
#include "method/release_file.h"
#include "method/zip_store.h"
#include "base/file_bytes.h"

#include <sodium.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "release files are written as the memory has them: little-endian");

/* Version 2 stores the blueprint's fitted targets and the uncertainty of its numbers; version 1 is
 * read as before. */
enum {
    FORMAT_VERSION = 2,
    OLDEST_VERSION = 1,
    NPY_HEAD = 128,
    HASH_TEXT = 2 * crypto_hash_sha256_BYTES + 1
};
static const char format_name[] = "privdpr-release";

static const struct {
    const char *npy;
    size_t bytes;
} types[PDPR_I_ARRAY_TYPES] = {{"<i8", 8}, {"<u4", 4}, {"<f4", 4}, {"<f8", 8}, {"|u1", 1}};

/* Items of an array; false on overflow. */
static bool count_items(const pdpr_i_array *a, uint64_t *out)
{
    return !__builtin_mul_overflow(a->rows, a->columns ? a->columns : 1, out) &&
           *out <= UINT64_MAX / 8;
}

static bool name_is_good(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return length > 0 && length < PDPR_I_ARRAY_NAME && name[length] == '\0' &&
           strcmp(name, "header") != 0;
}

static void hash_text(const void *bytes, uint64_t length, char out[HASH_TEXT])
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(hash, bytes, length);
    sodium_bin2hex(out, HASH_TEXT, hash, sizeof hash);
}

/* Magic, version 1.0, length of the rest, the literal, spaces, newline: NPY_HEAD bytes. */
static void write_npy_head(const pdpr_i_array *a, unsigned char head[NPY_HEAD])
{
    char shape[64];
    if (a->columns)
        snprintf(shape, sizeof shape, "(%" PRIu64 ", %" PRIu64 ")", a->rows, a->columns);
    else
        snprintf(shape, sizeof shape, "(%" PRIu64 ",)", a->rows);
    memcpy(head, "\x93NUMPY\x01\x00", 8);
    head[8] = NPY_HEAD - 10;
    head[9] = 0;
    memset(head + 10, ' ', NPY_HEAD - 10);
    char text[NPY_HEAD - 10];
    int n = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                     types[a->type].npy, shape);
    memcpy(head + 10, text, (size_t)n);
    head[NPY_HEAD - 1] = '\n';
}

/* ---------------------------------------------------------------- writing */

pdpr_status pdpr_i_array_write(pdpr_context *ctx, const char *path, const pdpr_i_array *array,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_outfile *out = NULL;
    unsigned char head[NPY_HEAD];
    uint64_t items;

    if (!count_items(array, &items))
        return pdpr_i_fail(err, PDPR_EUSAGE, "%s: array %s is too large", path, array->name);
    write_npy_head(array, head);
    PDPR_TRY(pdpr_i_outfile_open(ctx, path, &out, err));
    PDPR_TRY(pdpr_i_outfile_write(out, head, sizeof head, err));
    PDPR_TRY(pdpr_i_outfile_write(out, array->items, items * types[array->type].bytes, err));
    s = pdpr_i_outfile_commit(out, err);
    out = NULL;
done:
    pdpr_i_outfile_abandon(out);
    return s;
}

/* The caller's header with format, version and a description of each array. */
static json_t *describe(const pdpr_i_release_file *release)
{
    json_t *header = json_copy(release->header), *arrays = json_array();
    bool good = header && arrays &&
                json_object_set_new(header, "format", json_string(format_name)) == 0 &&
                json_object_set_new(header, "version", json_integer(FORMAT_VERSION)) == 0;
    for (uint32_t i = 0; good && i < release->num_arrays; i++) {
        const pdpr_i_array *a = &release->array[i];
        char hash[HASH_TEXT];
        uint64_t items = 0;
        count_items(a, &items);
        hash_text(a->items, items * types[a->type].bytes, hash);
        good = json_array_append_new(
                   arrays, json_pack("{s:s, s:s, s:I, s:I, s:s}", "name", a->name, "type",
                                     types[a->type].npy, "rows", (json_int_t)a->rows, "columns",
                                     (json_int_t)a->columns, "sha256", hash)) == 0;
    }
    if (!good || json_object_set(header, "arrays", arrays) != 0) {
        json_decref(header);
        header = NULL;
    }
    json_decref(arrays);
    return header;
}

pdpr_status pdpr_i_release_file_write(pdpr_context *ctx, const char *path,
                                      const pdpr_i_release_file *release, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_outfile *out = NULL;
    json_t *header = NULL;
    char *text = NULL;
    unsigned char(*heads)[NPY_HEAD] = NULL;
    pdpr_i_zip_member *members = NULL;

    for (uint32_t i = 0; i < release->num_arrays; i++) {
        uint64_t items;
        if (!name_is_good(release->array[i].name) || !count_items(&release->array[i], &items))
            return pdpr_i_fail(err, PDPR_EUSAGE,
                               "%s: array %" PRIu32 ": expected a short name of a-z, 0-9 and _",
                               path, i);
    }
    header = describe(release);
    const size_t flags = JSON_SORT_KEYS | JSON_INDENT(1);
    size_t length = header ? json_dumpb(header, NULL, 0, flags) : 0;
    if (length == 0) {
        s = pdpr_i_fail(err, PDPR_ENOMEM, "%s: the header cannot be written as JSON", path);
        goto done;
    }
    PDPR_TRY(pdpr_i_alloc(ctx, length, 1, "release header", &text, err));
    json_dumpb(header, text, length, flags);
    PDPR_TRY(
        pdpr_i_zalloc(ctx, PDPR_I_ZIP_MOST, sizeof *members, "release members", &members, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, PDPR_I_ZIP_MOST, sizeof *heads, "release members", &heads, err));
    strcpy(members[0].name, "header.json");
    members[0].head = text;
    members[0].head_bytes = length;
    for (uint32_t i = 0; i < release->num_arrays; i++) {
        const pdpr_i_array *a = &release->array[i];
        pdpr_i_zip_member *m = &members[i + 1];
        uint64_t items = 0;
        count_items(a, &items);
        snprintf(m->name, sizeof m->name, "%s.npy", a->name);
        write_npy_head(a, heads[i]);
        m->head = heads[i];
        m->head_bytes = NPY_HEAD;
        m->body = a->items;
        m->body_bytes = items * types[a->type].bytes;
    }
    PDPR_TRY(pdpr_i_outfile_open(ctx, path, &out, err));
    PDPR_TRY(pdpr_i_zip_write(out, path, members, release->num_arrays + 1, err));
    pdpr_i_outfile *finished = out;
    out = NULL;
    PDPR_TRY(pdpr_i_outfile_commit(finished, err));
done:
    pdpr_i_outfile_abandon(out);
    pdpr_free(members);
    pdpr_free(heads);
    pdpr_free(text);
    json_decref(header);
    return s;
}

/* ---------------------------------------------------------------- reading */

static bool find_type(const char *name, pdpr_i_array_type *out)
{
    for (int i = 0; i < PDPR_I_ARRAY_TYPES; i++)
        if (strcmp(name, types[i].npy) == 0) {
            *out = (pdpr_i_array_type)i;
            return true;
        }
    return false;
}

/* Checks one array's description against its member and copies the items. */
static pdpr_status read_array(pdpr_context *ctx, const char *path, json_t *row,
                              const pdpr_i_zip_member *m, pdpr_i_array *a, pdpr_error *err)
{
    const char *name, *type, *hash;
    json_int_t rows, columns;
    unsigned char head[NPY_HEAD];
    char found[HASH_TEXT], member[PDPR_I_ZIP_NAME];
    uint64_t items;

    if (json_unpack(row, "{s:s, s:s, s:I, s:I, s:s !}", "name", &name, "type", &type, "rows", &rows,
                    "columns", &columns, "sha256", &hash) != 0 ||
        !name_is_good(name) || !find_type(type, &a->type) || rows < 0 || columns < 0)
        return pdpr_i_fail(err, PDPR_EINPUT, "%s: the header describes an array we do not know",
                           path);
    strcpy(a->name, name);
    a->rows = (uint64_t)rows;
    a->columns = (uint64_t)columns;
    snprintf(member, sizeof member, "%s.npy", name);
    if (!count_items(a, &items) || strcmp(m->name, member) != 0 || m->head_bytes < NPY_HEAD ||
        m->head_bytes - NPY_HEAD != items * types[a->type].bytes)
        return pdpr_i_fail(err, PDPR_EINPUT, "%s: array %s is not as the header says", path, name);
    write_npy_head(a, head);
    const unsigned char *body = (const unsigned char *)m->head + NPY_HEAD;
    hash_text(body, m->head_bytes - NPY_HEAD, found);
    if (memcmp(head, m->head, NPY_HEAD) != 0 || strcmp(found, hash) != 0)
        return pdpr_i_fail(err, PDPR_EINPUT, "%s: array %s does not have the hash in the header",
                           path, name);
    pdpr_status s = pdpr_i_alloc(ctx, items, types[a->type].bytes, "release array", &a->items, err);
    if (s == PDPR_OK)
        memcpy(a->items, body, items * types[a->type].bytes);
    return s;
}

pdpr_status pdpr_i_release_file_read(pdpr_context *ctx, const char *path, pdpr_i_release_file *out,
                                     pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_release_file release = {0};
    pdpr_i_zip_member *members = NULL;
    char *bytes = NULL;
    size_t length = 0;
    uint32_t count = 0;

    PDPR_TRY(pdpr_i_file_read(ctx, path, UINT32_MAX, &bytes, &length, err));
    PDPR_TRY(
        pdpr_i_zalloc(ctx, PDPR_I_ZIP_MOST, sizeof *members, "release members", &members, err));
    PDPR_TRY(pdpr_i_zip_index(path, (const unsigned char *)bytes, length, members, &count, err));
    if (strcmp(members[0].name, "header.json") == 0)
        release.header =
            json_loadb(members[0].head, members[0].head_bytes, JSON_REJECT_DUPLICATES, NULL);
    const char *format = "";
    int version = 0;
    if (!release.header ||
        json_unpack(release.header, "{s:s, s:i}", "format", &format, "version", &version) != 0 ||
        strcmp(format, format_name) != 0) {
        s = pdpr_i_fail(err, PDPR_EINPUT, "%s: expected a PrivDPR release, found another archive",
                        path);
        goto done;
    }
    if (version < OLDEST_VERSION || version > FORMAT_VERSION) {
        s = pdpr_i_fail(err, PDPR_EINPUT,
                        "%s: release version %d; this program reads versions %d to %d%s", path,
                        version, OLDEST_VERSION, FORMAT_VERSION,
                        version > FORMAT_VERSION ? ": a newer one is needed" : "");
        goto done;
    }
    json_t *arrays = json_object_get(release.header, "arrays");
    if (!json_is_array(arrays) || json_array_size(arrays) != count - 1 ||
        count - 1 > PDPR_I_MOST_ARRAYS) {
        s = pdpr_i_fail(err, PDPR_EINPUT, "%s: the header does not name the arrays it has", path);
        goto done;
    }
    for (uint32_t i = 0; i + 1 < count; i++) {
        PDPR_TRY(read_array(ctx, path, json_array_get(arrays, i), &members[i + 1],
                            &release.array[i], err));
        release.num_arrays++;
    }
    *out = release;
    memset(&release, 0, sizeof release);
done:
    pdpr_i_release_file_clear(&release);
    pdpr_free(members);
    pdpr_free(bytes);
    return s;
}

void pdpr_i_release_file_clear(pdpr_i_release_file *release)
{
    json_decref(release->header);
    for (uint32_t i = 0; i < release->num_arrays; i++)
        pdpr_free(release->array[i].items);
    memset(release, 0, sizeof *release);
}

const pdpr_i_array *pdpr_i_release_file_find(const pdpr_i_release_file *release, const char *name)
{
    for (uint32_t i = 0; i < release->num_arrays; i++)
        if (strcmp(release->array[i].name, name) == 0)
            return &release->array[i];
    return NULL;
}
