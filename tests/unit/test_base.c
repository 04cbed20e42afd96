/* Base: status text, accounted memory, parallel loops, cancellation, output files. */
#include "support/support.h"
#include "support/scratch.h"
#include "base/sort.h"

#include <dirent.h>
#include <fcntl.h>
#include <fenv.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail_writes_status_and_text(void **state)
{
    (void)state;
    pdpr_error err;
    assert_int_equal(pdpr_i_fail(&err, PDPR_EINPUT, "%s:%d: no", "f", 3), PDPR_EINPUT);
    assert_int_equal(err.status, PDPR_EINPUT);
    assert_string_equal(err.text, "f:3: no");
    assert_int_equal(pdpr_i_fail(NULL, PDPR_EUSAGE, "ignored"), PDPR_EUSAGE);
}

static void memory_above_cap_is_refused_before_allocation(void **state)
{
    (void)state;
    pdpr_context_options o;
    pdpr_context *ctx = NULL;
    pdpr_error err;
    char *a = NULL, *b = NULL;
    pdpr_context_options_default(&o);
    o.max_memory = 1000;
    assert_ok(pdpr_context_new(&o, &ctx, NULL));
    assert_ok(pdpr_i_alloc(ctx, 600, 1, "first", &a, NULL));
    assert_int_equal(pdpr_i_alloc(ctx, 401, 1, "second", &b, &err), PDPR_ENOMEM);
    assert_null(b);
    assert_non_null(strstr(err.text, "second"));
    assert_int_equal(pdpr_i_check_memory(ctx, 401, "third", NULL), PDPR_ENOMEM);
    assert_int_equal(pdpr_i_check_memory(ctx, 400, "third", NULL), PDPR_OK);
    assert_ok(pdpr_i_alloc(ctx, 400, 1, "second", &b, NULL));
    pdpr_context_free(ctx); /* blocks outlive it */
    pdpr_free(a);
    pdpr_free(b);
}

static void memory_overflowing_count_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    char *a = NULL;
    assert_int_equal(pdpr_i_alloc(ctx, UINT64_MAX / 2, 16, "too much", &a, NULL), PDPR_ENOMEM);
    assert_int_equal(pdpr_i_alloc(ctx, UINT64_MAX, 1, "too much", &a, NULL), PDPR_ENOMEM);
    pdpr_context_free(ctx);
}

static void memory_resize_keeps_content(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t *a = NULL;
    assert_ok(pdpr_i_resize(ctx, 3, sizeof *a, "a", &a, NULL));
    a[0] = 7;
    a[2] = 9;
    assert_ok(pdpr_i_resize(ctx, 100, sizeof *a, "a", &a, NULL));
    assert_int_equal(a[0], 7);
    assert_int_equal(a[2], 9);
    assert_ok(pdpr_i_resize(ctx, 1, sizeof *a, "a", &a, NULL));
    assert_int_equal(a[0], 7);
    assert_int_equal(pdpr_context_memory(ctx, NULL), sizeof *a);
    pdpr_free(a);
    pdpr_context_free(ctx);
}

typedef struct {
    atomic_uint_fast64_t sum;
    uint64_t fail_from;
} loop_test;

static pdpr_status add_chunk(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    loop_test *t = arg;
    (void)worker;
    if (chunk >= t->fail_from)
        return pdpr_i_fail(err, PDPR_EINPUT, "chunk %" PRIu64, chunk);
    atomic_fetch_add(&t->sum, chunk);
    return PDPR_OK;
}

static void parallel_runs_every_chunk_once(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        pdpr_context *ctx = test_context(threads);
        loop_test t = {.fail_from = UINT64_MAX};
        assert_ok(pdpr_i_parallel(ctx, 1000, add_chunk, &t, NULL));
        assert_int_equal(t.sum, 999 * 1000 / 2);
        assert_ok(pdpr_i_parallel(ctx, 0, add_chunk, &t, NULL));
        pdpr_context_free(ctx);
    }
}

static pdpr_status ask_rounding(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    atomic_uint_fast64_t *other = arg;
    (void)chunk, (void)err;
    if (worker > 0 && fegetround() != FE_TONEAREST) /* the calling thread is the test's own */
        atomic_fetch_add(other, 1);
    for (volatile int i = 0; i < 20000; i++) {
    }
    return PDPR_OK;
}

/* Helpers are kept: whoever starts them in an odd rounding mode must not leave it to all. */
static void parallel_helpers_round_to_nearest_whoever_started_them(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(3);
    atomic_uint_fast64_t other = 0;
    assert_int_equal(fesetround(FE_UPWARD), 0);
    pdpr_status started = pdpr_i_parallel(ctx, 200, ask_rounding, &other, NULL);
    assert_int_equal(fesetround(FE_TONEAREST), 0);
    assert_ok(started);
    assert_ok(pdpr_i_parallel(ctx, 200, ask_rounding, &other, NULL));
    assert_int_equal(other, 0);
    pdpr_context_free(ctx);
}

static void parallel_loops_one_after_another_run_every_chunk(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(3);
    for (uint64_t count = 0; count < 500; count++) {
        loop_test t = {.fail_from = UINT64_MAX};
        assert_ok(pdpr_i_parallel(ctx, count % 7, add_chunk, &t, NULL));
        assert_int_equal(t.sum, count % 7 ? (count % 7) * (count % 7 - 1) / 2 : 0);
    }
    pdpr_context_free(ctx);
}

/* A chunk that is a loop itself, on the same context. */
typedef struct {
    pdpr_context *ctx;
    loop_test inner;
} nested_test;

static pdpr_status run_inner_loop(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    nested_test *t = arg;
    (void)chunk, (void)worker;
    return pdpr_i_parallel(t->ctx, 100, add_chunk, &t->inner, err);
}

static void parallel_loop_within_a_loop_runs_every_chunk(void **state)
{
    (void)state;
    nested_test t = {.ctx = test_context(3), .inner = {.fail_from = UINT64_MAX}};
    assert_ok(pdpr_i_parallel(t.ctx, 20, run_inner_loop, &t, NULL));
    assert_int_equal(t.inner.sum, 20 * 99 * 100 / 2);
    pdpr_context_free(t.ctx);
}

/* The helpers stay behind in the parent; the child must neither wait for them nor join them. */
static void parallel_loop_after_fork_runs_every_chunk(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(3);
    loop_test t = {.fail_from = UINT64_MAX};
    int status = 0;
    assert_ok(pdpr_i_parallel(ctx, 1000, add_chunk, &t, NULL));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        loop_test own = {.fail_from = UINT64_MAX};
        alarm(60);
        bool right = pdpr_i_parallel(ctx, 1000, add_chunk, &own, NULL) == PDPR_OK &&
                     own.sum == 999 * 1000 / 2;
        pdpr_context_free(ctx);
        _exit(right ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    pdpr_context_free(ctx);
}

static void parallel_reports_the_lowest_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(4);
    loop_test t = {.fail_from = 100};
    pdpr_error err;
    assert_int_equal(pdpr_i_parallel(ctx, 1000, add_chunk, &t, &err), PDPR_EINPUT);
    assert_string_equal(err.text, "chunk 100");
    pdpr_context_free(ctx);
}

static void parallel_cancelled_stops(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    loop_test t = {.fail_from = UINT64_MAX};
    pdpr_context_cancel(ctx);
    assert_int_equal(pdpr_i_parallel(ctx, 10, add_chunk, &t, NULL), PDPR_ECANCELLED);
    pdpr_context_free(ctx);
}

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort_equals_qsort(void **state)
{
    (void)state;
    static uint32_t a[5000], b[5000];
    uint32_t random = 1;
    for (int round = 0; round < 400; round++) {
        uint64_t n = (uint64_t)(round * 12 + round % 7);
        uint32_t range = round % 3 == 0 ? 5 : round % 3 == 1 ? 1000 : UINT32_MAX;
        for (uint64_t i = 0; i < n; i++) {
            random = random * 1664525u + 1013904223u;
            a[i] = b[i] =
                round % 11 == 10 ? (uint32_t)(i < n / 2 ? i : n - i) : (random >> 3) % range;
        }
        pdpr_i_sort_u32(a, n);
        qsort(b, n, sizeof *b, compare_u32);
        assert_memory_equal(a, b, n * sizeof *a + (n == 0));
    }
}

static void outfile_commit_replaces_and_abandon_leaves(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    char folder[] = "/tmp/privdpr-test-XXXXXX", path[64], text[16] = {0};
    pdpr_i_outfile *f = NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out.txt", folder);

    assert_ok(pdpr_i_outfile_open(ctx, path, &f, NULL));
    assert_ok(pdpr_i_outfile_write(f, "one", 3, NULL));
    assert_int_equal(access(path, F_OK), -1); /* not there before commit */
    assert_ok(pdpr_i_outfile_commit(f, NULL));
    assert_ok(pdpr_i_outfile_open(ctx, path, &f, NULL));
    assert_ok(pdpr_i_outfile_write(f, "two!", 4, NULL));
    pdpr_i_outfile_abandon(f);

    int d = open(path, O_RDONLY);
    assert_int_equal(read(d, text, sizeof text), 3);
    close(d);
    assert_string_equal(text, "one");
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* no temporary file was left */
    assert_int_equal(pdpr_context_memory(ctx, NULL), 0);
    pdpr_context_free(ctx);
}

static void name_is_the_same_however_it_is_spelt(void **state)
{
    (void)state;
    char folder[SCRATCH_PATH], name[SCRATCH_PATH], again[SCRATCH_PATH], inner[SCRATCH_PATH];
    char beyond[5000];
    test_scratch_make(folder);
    test_scratch_path(folder, "x", name);
    assert_true(pdpr_i_same_name(name, name));
    test_scratch_path(folder, "./x", again);
    assert_true(pdpr_i_same_name(name, again));
    assert_true(pdpr_i_same_name("x", "./x"));
    test_scratch_path(folder, "y", again);
    assert_false(pdpr_i_same_name(name, again));
    test_scratch_path(folder, "inner", inner);
    test_scratch_path(inner, "x", again);
    assert_false(pdpr_i_same_name(name, again)); /* no such folder */
    assert_false(pdpr_i_same_name(again, name));
    assert_int_equal(mkdir(inner, 0700), 0);
    assert_false(pdpr_i_same_name(name, again)); /* the same last part in another folder */
    memset(beyond, '/', sizeof beyond);
    memcpy(beyond + sizeof beyond - 2, "x", 2);
    assert_false(pdpr_i_same_name("/x", beyond)); /* longer than any folder's name */
    assert_false(pdpr_i_sync_folder_of(beyond));
    assert_true(pdpr_i_sync_folder_of(again));
    rmdir(inner);
    assert_false(pdpr_i_sync_folder_of(again));
    test_scratch_remove(folder);
}

static void outfile_bad_targets_are_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_outfile *f = NULL;
    pdpr_error err;
    assert_int_equal(pdpr_i_outfile_open(ctx, "/tmp", &f, &err), PDPR_EFAILED);
    assert_string_equal(err.text, "/tmp: is a folder, expected a file to write");
    assert_int_equal(pdpr_i_outfile_open(ctx, "/no/such/folder/x", &f, &err), PDPR_EFAILED);
    assert_ok(pdpr_i_outfile_open(ctx, "/dev/full", &f, NULL));
    assert_int_equal(pdpr_i_outfile_write(f, "x", 1, &err), PDPR_EFAILED);
    assert_string_equal(err.text, "/dev/full: cannot write: No space left on device");
    pdpr_i_outfile_abandon(f);
    assert_int_equal(pdpr_context_memory(ctx, NULL), 0);
    pdpr_context_free(ctx);
}

static void outfile_over_a_ledger_or_checkpoint_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *what; /* NULL: may be replaced */
    } cases[] = {{"{\"format\":\"privdpr-ledger/1\",\"hash\"", "a ledger"},
                 {"{\"format\":\"privdpr-ledger/9", "a ledger"},
                 {"PDPRCKP1 and more", "a checkpoint"},
                 {"PDPRCKP1", "a checkpoint"},
                 {"{\"format\":\"privdpr-certificate/1\"}", NULL},
                 {"PDPRCKP", NULL},
                 {"", NULL}};
    pdpr_context *ctx = test_context(1);
    char folder[SCRATCH_PATH], path[SCRATCH_PATH], message[2 * SCRATCH_PATH];
    pdpr_error err;
    test_scratch_make(folder);
    test_scratch_path(folder, "out", path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pdpr_i_outfile *f = NULL;
        test_file_write(path, cases[i].text, strlen(cases[i].text));
        pdpr_status s = pdpr_i_outfile_open(ctx, path, &f, &err);
        assert_int_equal(s, cases[i].what ? PDPR_EUSAGE : PDPR_OK);
        if (cases[i].what) {
            snprintf(message, sizeof message,
                     "%s: is %s, which no output replaces: expected another name", path,
                     cases[i].what);
            assert_string_equal(err.text, message);
            assert_null(f);
        }
        pdpr_i_outfile_abandon(f);
        assert_int_equal(test_scratch_count(folder), 1); /* no temporary file was left */
    }
    test_scratch_remove(folder);
    assert_int_equal(pdpr_context_memory(ctx, NULL), 0);
    pdpr_context_free(ctx);
}

/* A colleague's ledger, in a folder where both may write, cannot be read and is not replaced. */
static void outfile_does_not_replace_what_cannot_be_read(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    char folder[SCRATCH_PATH], path[SCRATCH_PATH];
    pdpr_i_outfile *f = NULL;
    pdpr_error err;
    test_scratch_make(folder);
    test_scratch_path(folder, "out", path);
    test_file_write(path, "secret", 6);
    assert_int_equal(chmod(path, 0), 0);
    assert_int_equal(chmod(folder, 0777), 0);
    uid_t us = geteuid();
    if (us == 0) /* who may read everything */
        assert_int_equal(seteuid(65534), 0);
    pdpr_status s = pdpr_i_outfile_open(ctx, path, &f, &err);
    if (us == 0)
        assert_int_equal(seteuid(us), 0);
    assert_int_equal(s, PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "cannot be read"));
    assert_int_equal(test_scratch_count(folder), 1);
    test_scratch_remove(folder);
    pdpr_context_free(ctx);
}

/* The mode of the only file in a folder, the temporary one, as soon as it is open. */
static mode_t mode_at_open(pdpr_context *ctx, const char *name, bool private)
{
    char folder[SCRATCH_PATH], path[SCRATCH_PATH], found[SCRATCH_PATH] = "";
    struct stat info;
    pdpr_i_outfile *f = NULL;
    test_scratch_make(folder);
    test_scratch_path(folder, name, path);
    mode_t mask = umask(0);
    assert_ok(private ? pdpr_i_outfile_open_private(ctx, path, &f, NULL)
                      : pdpr_i_outfile_open(ctx, path, &f, NULL));
    umask(mask);
    DIR *names = opendir(folder);
    assert_non_null(names);
    for (const struct dirent *e = readdir(names); e; e = readdir(names))
        if (e->d_name[0] == '.' && strstr(e->d_name, name))
            test_scratch_path(folder, e->d_name, found);
    closedir(names);
    assert_int_equal(stat(found, &info), 0);
    pdpr_i_outfile_abandon(f);
    test_scratch_remove(folder);
    return info.st_mode & 0777;
}

static void outfile_private_is_closed_to_others_from_the_start(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    assert_int_equal(mode_at_open(ctx, "out", true), 0600);
    assert_int_equal(mode_at_open(ctx, "out", false), 0666);
    assert_int_equal(mode_at_open(ctx, ".draft-out", false), 0600);
    pdpr_context_free(ctx);
}

/* The digests of FIPS 180-4's example and of no bytes. */
static void file_digest_is_sha256_in_hex(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    char hex[PDPR_SHA256_TEXT] = "before", path[64];
    pdpr_error err;
    pdpr_status status;
    snprintf(path, sizeof path, "/tmp/privdpr-digest-%ld", (long)getpid());
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("abc", f);
    fclose(f);
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        status = pdpr_file_sha256(ctx, path, hex, NULL);
        assert_string_equal(hex,
                            status == PDPR_OK
                                ? "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
                                : "before");
    });
    unlink(path);
    assert_ok(pdpr_file_sha256(ctx, "/dev/null", hex, NULL));
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_int_equal(pdpr_file_sha256(ctx, path, hex, &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, "cannot open"));
    assert_int_equal(hex[0], 'e');
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_writes_status_and_text),
        cmocka_unit_test(memory_above_cap_is_refused_before_allocation),
        cmocka_unit_test(memory_overflowing_count_is_refused),
        cmocka_unit_test(memory_resize_keeps_content),
        cmocka_unit_test(parallel_runs_every_chunk_once),
        cmocka_unit_test(parallel_helpers_round_to_nearest_whoever_started_them),
        cmocka_unit_test(parallel_loops_one_after_another_run_every_chunk),
        cmocka_unit_test(parallel_loop_within_a_loop_runs_every_chunk),
        cmocka_unit_test(parallel_loop_after_fork_runs_every_chunk),
        cmocka_unit_test(parallel_reports_the_lowest_failure),
        cmocka_unit_test(parallel_cancelled_stops),
        cmocka_unit_test(sort_equals_qsort),
        cmocka_unit_test(outfile_commit_replaces_and_abandon_leaves),
        cmocka_unit_test(name_is_the_same_however_it_is_spelt),
        cmocka_unit_test(outfile_bad_targets_are_refused),
        cmocka_unit_test(outfile_over_a_ledger_or_checkpoint_is_refused),
        cmocka_unit_test(outfile_private_is_closed_to_others_from_the_start),
        cmocka_unit_test(outfile_does_not_replace_what_cannot_be_read),
        cmocka_unit_test(file_digest_is_sha256_in_hex),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
