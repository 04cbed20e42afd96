/* Checkpoint files when the system fails: whatever call fails, the file is the old generation or
 * the new one, complete; and no generation that was given up can be read any more. */
#include "support/support.h"
#include "support/scratch.h"
#include "support/system_faults.h"
#include "dp/checkpoint.h"
#include "dp/checkpoint_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES = 100000 }; /* more than one block of the reader and of the zeros */

typedef struct {
    pdpr_context *ctx;
    char folder[SCRATCH_PATH], path[SCRATCH_PATH], fresh[SCRATCH_PATH], kept[SCRATCH_PATH];
    unsigned char *state; /* [BYTES] */
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->ctx = test_context(1);
    f->state = malloc(BYTES);
    assert_non_null(f->state);
    test_scratch_make(f->folder);
    test_scratch_path(f->folder, "run", f->path);
    test_scratch_path(f->folder, "run.new", f->fresh);
    test_scratch_path(f->folder, "kept", f->kept);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    assert_int_equal(pdpr_context_memory(f->ctx, NULL), 0);
    pdpr_context_free(f->ctx);
    test_scratch_remove(f->folder);
    free(f->state);
    free(f);
    return 0;
}

/* Files of this process that are open. */
static size_t open_files(void)
{
    return test_scratch_count("/proc/self/fd");
}

static pdpr_status bind_to(pdpr_i_checkpoint *c, const char *parameters)
{
    static const unsigned char digest[PDPR_I_DIGEST_BYTES] = {1, 2, 3};
    pdpr_i_key key;
    pdpr_i_key_from_seed(1, &key);
    return pdpr_i_checkpoint_bind(c, &key, digest, parameters, NULL);
}

static pdpr_status bind(pdpr_i_checkpoint *c)
{
    return bind_to(c, "p");
}

/* The state after `step` steps: its number all over. */
static pdpr_status save(fixture *f, pdpr_i_checkpoint *c, unsigned char step)
{
    const pdpr_i_checkpoint_part part = {f->state, BYTES};
    memset(f->state, step, BYTES);
    return pdpr_i_checkpoint_save(c, step, &part, step > 0, NULL);
}

/* Opens, binds and loads. */
static pdpr_status take_up(fixture *f, pdpr_i_checkpoint **out)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_checkpoint *c = NULL;
    const pdpr_i_checkpoint_part part = {f->state, BYTES};
    PDPR_TRY(pdpr_i_checkpoint_open(f->ctx, f->path, &c, NULL));
    PDPR_TRY(bind(c));
    PDPR_TRY(pdpr_i_checkpoint_load(c, &part, 1, NULL));
    *out = c;
    c = NULL;
done:
    pdpr_i_checkpoint_close(c);
    return s;
}

/* What is there now, which must be whole. */
static uint64_t step_there(fixture *f)
{
    pdpr_i_checkpoint *c = NULL;
    assert_ok(take_up(f, &c));
    uint64_t step = pdpr_i_checkpoint_step(c);
    for (size_t i = 0; step > 0 && i < BYTES; i++)
        assert_int_equal(f->state[i], step);
    pdpr_i_checkpoint_close(c);
    return step;
}

/* A new run saves its steps 0 and 5. */
static pdpr_status begin(fixture *f)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_checkpoint *c = NULL;
    PDPR_TRY(pdpr_i_checkpoint_new(f->ctx, f->path, &c, NULL));
    PDPR_TRY(bind(c));
    pdpr_i_checkpoint_describe(c, "0123456789abcdef0123456789abcdef", NULL);
    PDPR_TRY(save(f, c, 0));
    PDPR_TRY(save(f, c, 5));
done:
    pdpr_i_checkpoint_close(c);
    return s;
}

static pdpr_status go_on(fixture *f)
{
    pdpr_i_checkpoint *c = NULL;
    pdpr_status s = take_up(f, &c);
    if (s == PDPR_OK)
        s = save(f, c, 6);
    pdpr_i_checkpoint_close(c);
    return s;
}

static pdpr_status end(fixture *f)
{
    pdpr_i_checkpoint *c = NULL;
    pdpr_status s = take_up(f, &c);
    if (s == PDPR_OK)
        pdpr_i_checkpoint_remove(c);
    pdpr_i_checkpoint_close(c);
    return s;
}

static void any_call_failing_leaves_a_whole_generation(void **state)
{
    fixture *f = *state;
    uint64_t refused = 0, nth = 0;
    bool met = true;
    size_t files = open_files();
    while (met) {
        system_faults_set(NULL, SYSTEM_FAULT_ERROR, EIO, ++nth);
        pdpr_status s = begin(f);
        met = system_faults_end();
        assert_true(s == PDPR_OK || (met && (s == PDPR_EFAILED || s == PDPR_EUSAGE)));
        refused += s != PDPR_OK;
        if (access(f->path, F_OK) == 0) {
            uint64_t step = step_there(f);
            assert_true(s == PDPR_OK ? step == 5 : step == 0 || step == 5);
            unlink(f->path);
        }
        unlink(f->fresh);
        assert_int_equal(open_files(), files);
    }
    assert_true(refused > 10);
    assert_ok(begin(f));
    for (nth = 1, met = true; met; nth++) {
        system_faults_set(NULL, SYSTEM_FAULT_ERROR, EIO, nth);
        pdpr_status s = go_on(f);
        met = system_faults_end();
        assert_true(s == PDPR_OK || (met && (s == PDPR_EFAILED || s == PDPR_EUSAGE)));
        uint64_t step = step_there(f);
        assert_true(step == 6 || (s != PDPR_OK && step == 5));
        assert_int_equal(open_files(), files);
        if (step == 6) { /* back to five */
            unlink(f->path);
            assert_ok(begin(f));
        }
    }
}

static void removing_survives_any_call_that_fails(void **state)
{
    fixture *f = *state;
    uint64_t removed = 0;
    bool met = true;
    for (uint64_t nth = 1; met; nth++) {
        unlink(f->path);
        assert_ok(begin(f));
        system_faults_set(NULL, SYSTEM_FAULT_ERROR, EIO, nth);
        pdpr_status s = end(f);
        met = system_faults_end();
        assert_true(s == PDPR_OK || met);
        if (s == PDPR_OK && access(f->path, F_OK) != 0)
            removed++;
    }
    assert_true(removed > 3);
}

/* EINTR and calls that do less than they were asked for are no failures. */
static void interrupted_and_short_calls_are_made_again(void **state)
{
    fixture *f = *state;
    static const char *const calls[] = {"read", "write"};
    for (int call = 0; call < 2; call++)
        for (int shortly = 0; shortly < 2; shortly++) {
            bool met = true;
            for (uint64_t nth = 1; met; nth++) {
                unlink(f->path);
                system_faults_set(calls[call], shortly ? SYSTEM_FAULT_SHORT : SYSTEM_FAULT_ERROR,
                                  EINTR, nth);
                assert_ok(begin(f));
                assert_ok(go_on(f));
                met = system_faults_end();
                assert_int_equal(step_there(f), 6);
            }
        }
}

static void file_that_ends_early_is_damaged(void **state)
{
    fixture *f = *state;
    bool met = true;
    assert_ok(begin(f));
    for (uint64_t nth = 1; met; nth++) {
        pdpr_i_checkpoint *c = NULL;
        system_faults_set("read", SYSTEM_FAULT_END, 0, nth);
        pdpr_status s = take_up(f, &c);
        met = system_faults_end();
        assert_int_equal(s, met ? PDPR_EINPUT : PDPR_OK);
        pdpr_i_checkpoint_close(c);
    }
}

/* Before anything is entered in the ledger or loaded: wherever the byte is. */
static void changed_byte_is_noticed_when_it_is_bound(void **state)
{
    fixture *f = *state;
    size_t length;
    assert_ok(begin(f));
    char *bytes = test_file_read(f->path, &length);
    for (size_t i = 0; i < length; i += i < length - 40 ? 997 : 1) {
        pdpr_i_checkpoint *c = NULL;
        bytes[i] ^= 1;
        test_file_write(f->path, bytes, length);
        bytes[i] ^= 1;
        pdpr_status s = pdpr_i_checkpoint_open(f->ctx, f->path, &c, NULL);
        if (s == PDPR_OK)
            s = bind(c);
        if (s != PDPR_EINPUT && s != PDPR_EUSAGE) /* damaged, or of other parameters */
            fail_msg("byte %zu: status %d", i, (int)s);
        pdpr_i_checkpoint_close(c);
    }
    free(bytes);
}

/* Authentic, or not even that far, and of no use all the same. */
static void checkpoint_out_of_form_is_refused(void **state)
{
    fixture *f = *state;
    enum { RUN_AT = 8 + 3 * 8, RUN_LENGTH = 40 };
    pdpr_i_checkpoint *c = NULL;
    size_t length;
    static pdpr_i_checkpoint_part many[17];
    const pdpr_i_checkpoint_part part = {f->state, BYTES};
    assert_ok(begin(f));
    char *bytes = test_file_read(f->path, &length);
    memset(bytes + RUN_AT, 'a', RUN_LENGTH); /* a name without an end */
    test_file_write(f->path, bytes, length);
    assert_int_equal(pdpr_i_checkpoint_open(f->ctx, f->path, &c, NULL), PDPR_EINPUT);
    free(bytes);
    unlink(f->path);

    assert_int_equal(mkfifo(f->path, 0600), 0);
    assert_int_equal(pdpr_i_checkpoint_open(f->ctx, f->path, &c, NULL), PDPR_EINPUT);
    unlink(f->path);

    assert_ok(begin(f));
    assert_int_equal(chmod(f->path, 0640), 0); /* readable for others */
    assert_int_equal(pdpr_i_checkpoint_open(f->ctx, f->path, &c, NULL), PDPR_EINPUT);
    assert_int_equal(chmod(f->path, 0600), 0);
    assert_ok(pdpr_i_checkpoint_open(f->ctx, f->path, &c, NULL));
    assert_int_equal(bind_to(c, "q"), PDPR_EUSAGE); /* of other parameters */
    pdpr_cpu found = f->ctx->cpu_found;             /* of another kind of machine */
    f->ctx->cpu_found = found == PDPR_CPU_PORTABLE ? PDPR_CPU_AVX2 : PDPR_CPU_PORTABLE;
    assert_int_equal(bind(c), PDPR_EUSAGE);
    f->ctx->cpu_found = found;
    pdpr_i_checkpoint_close(c);
    assert_ok(take_up(f, &c));
    assert_int_equal(pdpr_i_checkpoint_save(c, 6, many, 17, NULL), PDPR_EUSAGE);
    assert_ok(pdpr_i_checkpoint_save(c, 6, NULL, 0, NULL)); /* steps without a state */
    assert_int_equal(pdpr_i_checkpoint_load(c, &part, 1, NULL), PDPR_EINPUT);
    pdpr_i_checkpoint_close(c);
}

/* Two runs that start at once, and one that looks at the other's file. */
static void checkpoint_belongs_to_one_run(void **state)
{
    fixture *f = *state;
    pdpr_i_checkpoint *a = NULL, *b = NULL, *third = NULL;
    assert_ok(pdpr_i_checkpoint_new(f->ctx, f->path, &a, NULL));
    assert_ok(pdpr_i_checkpoint_new(f->ctx, f->path, &b, NULL));
    assert_ok(bind(a));
    assert_ok(bind(b));
    assert_ok(save(f, a, 0));
    assert_int_equal(save(f, b, 0), PDPR_EFAILED); /* the first generation replaces nothing */
    assert_int_equal(pdpr_i_checkpoint_open(f->ctx, f->path, &third, NULL), PDPR_EUSAGE);
    assert_ok(save(f, a, 5));
    pdpr_i_checkpoint_close(a);
    pdpr_i_checkpoint_close(b);
    assert_int_equal(step_there(f), 5);
}

static void checkpoint_without_locked_memory_is_refused(void **state)
{
    fixture *f = *state;
    pdpr_i_checkpoint *c = NULL;
    system_faults_set("mlock", SYSTEM_FAULT_ERROR, ENOMEM, 1);
    assert_int_equal(pdpr_i_checkpoint_new(f->ctx, f->path, &c, NULL), PDPR_EFAILED);
    assert_true(system_faults_end());
    assert_null(c);
}

/* ---------------------------------------------------------------- what is given up */

/* A second name through which the test sees what becomes of a file that lost its first. */
static void keep(fixture *f, const char *path)
{
    unlink(f->kept);
    assert_int_equal(link(path, f->kept), 0);
}

static void expect_zeros(fixture *f)
{
    size_t length;
    char *bytes = test_file_read(f->kept, &length);
    assert_true(length > BYTES);
    for (size_t i = 0; i < length; i++)
        if (bytes[i] != 0)
            fail_msg("byte %zu of a generation that was given up is still there", i);
    free(bytes);
}

static void generation_that_is_replaced_is_overwritten(void **state)
{
    fixture *f = *state;
    assert_ok(begin(f));
    keep(f, f->path);
    assert_ok(go_on(f));
    expect_zeros(f);
    assert_int_equal(step_there(f), 6);
    keep(f, f->path);
    assert_ok(end(f));
    expect_zeros(f);
    assert_int_equal(access(f->path, F_OK), -1);
}

/* Then a power cut may give the old generation its name back: it must still be whole. */
static void generation_is_kept_if_the_new_name_is_not_on_disk(void **state)
{
    fixture *f = *state;
    static const char *const calls[] = {"fsync", "open"}; /* the file's first, then the folder's */
    for (int i = 0; i < 2; i++) {
        pdpr_i_checkpoint *c = NULL;
        assert_ok(begin(f));
        keep(f, f->path);
        assert_ok(take_up(f, &c));
        system_faults_set(calls[i], SYSTEM_FAULT_ERROR, EIO, 2);
        assert_ok(save(f, c, 6));
        assert_true(system_faults_end());
        pdpr_i_checkpoint_close(c);
        assert_int_equal(step_there(f), 6);
        assert_int_equal(rename(f->kept, f->path), 0);
        assert_int_equal(step_there(f), 5);
        unlink(f->path);
    }
}

static void half_made_generation_is_overwritten(void **state)
{
    fixture *f = *state;
    pdpr_i_checkpoint *c = NULL;
    static const char secret[2 * BYTES] = "weights";
    assert_ok(begin(f));
    for (int open_it = 0; open_it < 2; open_it++) {
        char *bytes = malloc(sizeof secret);
        assert_non_null(bytes);
        memset(bytes, 'w', sizeof secret);
        memcpy(bytes, PDPR_I_CHECKPOINT_MAGIC, PDPR_I_CHECKPOINT_MAGIC_SIZE);
        test_file_write(f->fresh, bytes, sizeof secret); /* by a run that was killed */
        free(bytes);
        keep(f, f->fresh);
        if (open_it) {
            assert_ok(take_up(f, &c));
            expect_zeros(f);
            pdpr_i_checkpoint_close(c);
        } else { /* its first generation: the file has no name yet */
            unlink(f->path);
            assert_ok(begin(f)); /* writes over the same file and cuts it */
        }
        assert_int_equal(access(f->fresh, F_OK), -1);
    }
    /* saves that fail: not on disk, not in place */
    assert_ok(take_up(f, &c));
    for (int i = 0; i < 2; i++) {
        system_faults_set(i ? "rename" : "fsync", SYSTEM_FAULT_ERROR, EIO, 1);
        assert_int_equal(save(f, c, 6), PDPR_EFAILED);
        assert_true(system_faults_end());
    }
    assert_int_equal(access(f->fresh, F_OK), -1);
    pdpr_i_checkpoint_close(c);
    assert_int_equal(step_there(f), 5);
}

/* Beside a checkpoint that is taken up: only what a dead run may have left is removed. */
static void file_beside_a_checkpoint_is_removed_only_if_it_is_one(void **state)
{
    fixture *f = *state;
    static const char zeros[20];
    static const struct {
        const char *bytes;
        size_t length;
        bool unreadable, ours;
    } files[] = {{"", 0, false, true},
                 {PDPR_I_CHECKPOINT_MAGIC, 5, false, true}, /* cut off while it was written */
                 {zeros, sizeof zeros, false, true},        /* while it was overwritten */
                 {PDPR_I_CHECKPOINT_MAGIC, PDPR_I_CHECKPOINT_MAGIC_SIZE, true, false},
                 {"\0\0\0\0mine", 8, false, false},
                 {"PDPRCKP2 of another program", 27, false, false}};
    pdpr_i_checkpoint *c = NULL;
    assert_ok(begin(f));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        test_file_write(f->fresh, files[i].bytes, files[i].length);
        if (files[i].unreadable)
            system_faults_set("pread", SYSTEM_FAULT_ERROR, EIO, 1);
        assert_ok(take_up(f, &c));
        assert_int_equal(system_faults_end(), files[i].unreadable);
        pdpr_i_checkpoint_close(c);
        assert_int_equal(access(f->fresh, F_OK) != 0, files[i].ours);
        if (files[i].ours)
            continue;
        size_t length;
        char *bytes = test_file_read(f->fresh, &length);
        assert_int_equal(length, files[i].length);
        assert_memory_equal(bytes, files[i].bytes, length);
        free(bytes);
        unlink(f->fresh);
    }
    assert_int_equal(mkfifo(f->fresh, 0600), 0);
    assert_ok(take_up(f, &c));
    assert_int_equal(save(f, c, 6), PDPR_EUSAGE);
    pdpr_i_checkpoint_close(c);
    assert_int_equal(access(f->fresh, F_OK), 0);
    unlink(f->fresh);
    assert_int_equal(step_there(f), 5);
}

/* The owner may believe the message and remove the file, which might be the ledger. */
static void only_a_checkpoint_is_called_one(void **state)
{
    fixture *f = *state;
    pdpr_i_checkpoint *c = NULL;
    pdpr_error err;
    assert_ok(begin(f));
    assert_int_equal(pdpr_i_checkpoint_new(f->ctx, f->path, &c, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "--resume"));
    system_faults_set("open", SYSTEM_FAULT_ERROR, EACCES, 1);
    assert_int_equal(pdpr_i_checkpoint_new(f->ctx, f->path, &c, &err), PDPR_EUSAGE);
    assert_true(system_faults_end());
    assert_non_null(strstr(err.text, "expected no file of this name"));
    test_file_write(f->path, "0 1\n1 2\n", 8);
    assert_int_equal(pdpr_i_checkpoint_new(f->ctx, f->path, &c, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "expected no file of this name"));
    assert_null(strstr(err.text, "remove"));
    assert_null(c);
}

/* Laid there by another user, who would own, and so could read, what is written to it. */
static void file_of_another_user_is_not_written_to(void **state)
{
    fixture *f = *state;
    pdpr_i_checkpoint *c = NULL;
    struct stat info;
    if (geteuid() != 0) {
        print_message("skipped: only root can make another user's file\n");
        skip();
    }
    assert_ok(begin(f));
    assert_ok(take_up(f, &c));
    test_file_write(f->fresh, "", 0);
    assert_int_equal(chown(f->fresh, 12345, (gid_t)-1), 0);
    assert_int_equal(save(f, c, 6), PDPR_EUSAGE);
    pdpr_i_checkpoint_close(c);
    assert_int_equal(stat(f->fresh, &info), 0);
    assert_int_equal(info.st_size, 0);
    assert_int_equal(step_there(f), 5); /* which leaves it alone too */
    assert_int_equal(access(f->fresh, F_OK), 0);
}

/* What somebody else is writing, and what is no plain file, is left alone. */
static void foreign_files_are_left_alone(void **state)
{
    fixture *f = *state;
    pdpr_i_checkpoint *c = NULL;
    char other[SCRATCH_PATH];
    test_scratch_path(f->folder, "other", other);
    assert_ok(begin(f));
    assert_ok(take_up(f, &c));
    test_file_write(f->fresh, "x", 1);
    FILE *live = fopen(f->fresh, "r+");
    assert_non_null(live);
    assert_int_equal(flock(fileno(live), LOCK_EX), 0);
    assert_int_equal(save(f, c, 6), PDPR_EUSAGE);
    assert_int_equal(flock(fileno(live), LOCK_UN), 0);
    assert_int_equal(save(f, c, 6), PDPR_EUSAGE); /* no checkpoint: it may be the ledger */
    fclose(live);
    size_t one;
    char *kept = test_file_read(f->fresh, &one);
    assert_string_equal(kept, "x");
    free(kept);
    test_file_write(other, "mine", 4);
    unlink(f->fresh);
    assert_int_equal(symlink(other, f->fresh), 0);
    assert_int_equal(save(f, c, 6), PDPR_EFAILED);
    pdpr_i_checkpoint_close(c);
    assert_int_equal(step_there(f), 5);
    size_t length;
    char *bytes = test_file_read(other, &length);
    assert_string_equal(bytes, "mine");
    free(bytes);
    unlink(f->fresh);
    /* what is no checkpoint has no half-made one beside it */
    char text[SCRATCH_PATH], beside[SCRATCH_PATH];
    test_scratch_path(f->folder, "notes", text);
    test_scratch_path(f->folder, "notes.new", beside);
    char lines[400];
    memset(lines, 'n', sizeof lines);
    test_file_write(text, lines, sizeof lines);
    test_file_write(beside, "mine", 4);
    assert_int_equal(pdpr_i_checkpoint_open(f->ctx, text, &c, NULL), PDPR_EINPUT);
    bytes = test_file_read(beside, &length);
    assert_string_equal(bytes, "mine");
    free(bytes);
    /* a name that was given to another file while the checkpoint was in use */
    assert_ok(take_up(f, &c));
    assert_int_equal(rename(other, f->path), 0);
    pdpr_i_checkpoint_remove(c);
    pdpr_i_checkpoint_close(c);
    assert_int_equal(access(f->path, F_OK), 0);
}

#define with_folder(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_folder(any_call_failing_leaves_a_whole_generation),
        with_folder(removing_survives_any_call_that_fails),
        with_folder(interrupted_and_short_calls_are_made_again),
        with_folder(file_that_ends_early_is_damaged),
        with_folder(changed_byte_is_noticed_when_it_is_bound),
        with_folder(checkpoint_out_of_form_is_refused),
        with_folder(checkpoint_belongs_to_one_run),
        with_folder(checkpoint_without_locked_memory_is_refused),
        with_folder(generation_that_is_replaced_is_overwritten),
        with_folder(generation_is_kept_if_the_new_name_is_not_on_disk),
        with_folder(half_made_generation_is_overwritten),
        with_folder(file_beside_a_checkpoint_is_removed_only_if_it_is_one),
        with_folder(only_a_checkpoint_is_called_one),
        with_folder(file_of_another_user_is_not_written_to),
        with_folder(foreign_files_are_left_alone),
    };
    return cmocka_run_group_tests_name("checkpoint faults", tests, NULL, NULL);
}
