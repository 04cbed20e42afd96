/* Release files: written, read back, opened by NumPy's rules, refused when damaged. */
#include "support/support.h"
#include "method/release_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/privdpr-release-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/x.release", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static double embedding[6] = {0.5, -1, 2, 3.25, 1e300, -0.0};
static int64_t counts[3] = {-5, 0, INT64_MAX};

static pdpr_i_release_file sample(void)
{
    pdpr_i_release_file r = {.header = json_pack("{s:s, s:i}", "method", "test", "nodes", 3),
                             .num_arrays = 3};
    r.array[0] = (pdpr_i_array){"embedding", PDPR_I_ARRAY_FLOAT64, 3, 2, embedding};
    r.array[1] = (pdpr_i_array){"counts", PDPR_I_ARRAY_INT64, 3, 0, counts};
    r.array[2] = (pdpr_i_array){"nothing", PDPR_I_ARRAY_UINT32, 0, 0, counts};
    return r;
}

static void write_sample(pdpr_context *ctx)
{
    pdpr_i_release_file r = sample();
    assert_ok(pdpr_i_release_file_write(ctx, path, &r, NULL));
    json_decref(r.header);
}

static size_t file_bytes(unsigned char *bytes, size_t most)
{
    int d = open(path, O_RDONLY);
    ssize_t n = read(d, bytes, most);
    close(d);
    assert_true(n > 0);
    return (size_t)n;
}

static void write_bytes(const unsigned char *bytes, size_t length)
{
    int d = open(path, O_WRONLY | O_TRUNC | O_CREAT, 0600);
    assert_int_equal(write(d, bytes, length), length);
    close(d);
}

static void release_written_reads_back(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_release_file r;
    write_sample(ctx);
    assert_ok(pdpr_i_release_file_read(ctx, path, &r, NULL));
    assert_int_equal(r.num_arrays, 3);
    const pdpr_i_array *a = pdpr_i_release_file_find(&r, "embedding");
    assert_non_null(a);
    assert_int_equal(a->rows, 3);
    assert_int_equal(a->columns, 2);
    assert_memory_equal(a->items, embedding, sizeof embedding);
    a = pdpr_i_release_file_find(&r, "counts");
    assert_int_equal(a->columns, 0);
    assert_memory_equal(a->items, counts, sizeof counts);
    assert_null(pdpr_i_release_file_find(&r, "other"));
    assert_string_equal(json_string_value(json_object_get(r.header, "method")), "test");
    pdpr_i_release_file_clear(&r);
    assert_int_equal(pdpr_context_memory(ctx, NULL), 0);
    pdpr_context_free(ctx);
}

static void release_same_content_gives_same_bytes(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    unsigned char a[8192], b[8192];
    write_sample(ctx);
    size_t first = file_bytes(a, sizeof a);
    write_sample(ctx);
    assert_int_equal(file_bytes(b, sizeof b), first);
    assert_memory_equal(a, b, first);
    pdpr_context_free(ctx);
}

/* Every single-bit change must be refused; header.json is covered by the CRC and its own parser. */
static void release_with_any_flipped_bit_is_refused_or_unchanged(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    unsigned char bytes[8192];
    uint64_t accepted = 0;
    write_sample(ctx);
    size_t length = file_bytes(bytes, sizeof bytes);
    for (size_t bit = 0; bit < 8 * length; bit++) {
        pdpr_i_release_file r;
        pdpr_error err;
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        write_bytes(bytes, length);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        pdpr_status s = pdpr_i_release_file_read(ctx, path, &r, &err);
        if (s == PDPR_OK) { /* dates, attributes: fields that nobody reads */
            accepted++;
            const pdpr_i_array *a = pdpr_i_release_file_find(&r, "embedding");
            assert_memory_equal(a->items, embedding, sizeof embedding);
            pdpr_i_release_file_clear(&r);
        } else {
            assert_int_equal(s, PDPR_EINPUT);
        }
    }
    assert_in_range(accepted, 1, 8 * length / 4);
    assert_int_equal(pdpr_context_memory(ctx, NULL), 0);
    pdpr_context_free(ctx);
}

static void release_cut_short_anywhere_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    unsigned char bytes[8192];
    write_sample(ctx);
    size_t length = file_bytes(bytes, sizeof bytes);
    for (size_t cut = 0; cut < length; cut++) {
        pdpr_i_release_file r;
        write_bytes(bytes, cut);
        assert_int_equal(pdpr_i_release_file_read(ctx, path, &r, NULL), PDPR_EINPUT);
    }
    pdpr_context_free(ctx);
}

static void release_at_a_bad_path_or_with_a_bad_name_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_release_file r;
    pdpr_error err;
    assert_int_equal(pdpr_i_release_file_read(ctx, "/nonexistent/r", &r, &err), PDPR_EFAILED);
    assert_int_equal(pdpr_i_release_file_read(ctx, folder, &r, &err), PDPR_EFAILED);
    r = sample();
    strcpy(r.array[1].name, "Bad Name");
    assert_int_equal(pdpr_i_release_file_write(ctx, path, &r, &err), PDPR_EUSAGE);
    strcpy(r.array[1].name, "header");
    assert_int_equal(pdpr_i_release_file_write(ctx, path, &r, &err), PDPR_EUSAGE);
    json_decref(r.header);
    pdpr_context_free(ctx);
}

static void release_survives_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_status status;
    pdpr_i_release_file r = sample(), back;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        status = pdpr_i_release_file_write(ctx, path, &r, NULL);
        if (status == PDPR_OK)
            status = pdpr_i_release_file_read(ctx, path, &back, NULL);
        if (status == PDPR_OK)
            pdpr_i_release_file_clear(&back);
    });
    json_decref(r.header);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(release_written_reads_back),
        cmocka_unit_test(release_same_content_gives_same_bytes),
        cmocka_unit_test(release_with_any_flipped_bit_is_refused_or_unchanged),
        cmocka_unit_test(release_cut_short_anywhere_is_refused),
        cmocka_unit_test(release_at_a_bad_path_or_with_a_bad_name_is_refused),
        cmocka_unit_test(release_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("release_file", tests, make_folder, remove_folder);
}
