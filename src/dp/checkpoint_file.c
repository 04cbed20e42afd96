/* The file of a checkpoint.
 *
 * A generation is written as PATH.new, flushed, and only then gets the name PATH: the first by
 * link(2), which fails if another run was faster, later ones by rename(2). Whoever uses a
 * checkpoint holds flock(2) on the file that has the name; the lock dies with its process, so a
 * lock that can be had proves that the run which left the file is dead.
 *
 * The bytes are secret. A generation that is given up (replaced, left half-made by a dead run,
 * removed) is overwritten with zeros and flushed before its last descriptor goes, unless its
 * successor's name may not be on disk yet. A journalled or flash disk may keep old blocks, and a
 * process that is killed between taking the name away and overwriting leaves them: this is care,
 * not a promise.
 *
 * Cost: a generation is written twice, once as zeros, with two flushes each time. */
#include "dp/checkpoint_file.h"
#include "base/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

pdpr_status pdpr_i_checkpoint_file_init(pdpr_context *ctx, const char *path,
                                        pdpr_i_checkpoint_file *out, pdpr_error *err)
{
    static const char suffix[] = ".new";
    pdpr_status s = PDPR_OK;
    pdpr_i_checkpoint_file file = {.ctx = ctx, .descriptor = -1};
    size_t length = strlen(path);

    PDPR_TRY(pdpr_i_copy_text(ctx, path, length, &file.path, err));
    PDPR_TRY(pdpr_i_alloc(ctx, length + sizeof suffix, 1, "file name", &file.fresh, err));
    memcpy(file.fresh, path, length);
    memcpy(file.fresh + length, suffix, sizeof suffix);
    *out = file;
    file = (pdpr_i_checkpoint_file){.descriptor = -1};
done:
    pdpr_i_checkpoint_file_clear(&file);
    return s;
}

void pdpr_i_checkpoint_file_clear(pdpr_i_checkpoint_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    pdpr_free(file->path);
    pdpr_free(file->fresh);
    *file = (pdpr_i_checkpoint_file){.descriptor = -1};
}

pdpr_status pdpr_i_checkpoint_file_damaged(const pdpr_i_checkpoint_file *file, pdpr_error *err)
{
    return pdpr_i_fail(err, PDPR_EINPUT, "%s: expected a complete checkpoint, found a damaged one",
                       file->path);
}

/* Zeros over all bytes of an open file, on disk. Best effort: nothing depends on it. */
static void overwrite(int descriptor)
{
    static const char zeros[1 << 16];
    struct stat info;
    if (fstat(descriptor, &info) != 0 || info.st_size == 0)
        return;
    for (off_t at = 0; at < info.st_size; at += (off_t)sizeof zeros) {
        off_t left = info.st_size - at;
        size_t piece = left < (off_t)sizeof zeros ? (size_t)left : sizeof zeros;
        if (pwrite(descriptor, zeros, piece, at) < 0)
            break;
    }
    fsync(descriptor);
}

/* ---------------------------------------------------------------- taking up */

pdpr_status pdpr_i_checkpoint_file_lock(pdpr_i_checkpoint_file *file, pdpr_error *err)
{
    struct stat info;
    file->descriptor = open(file->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file->descriptor < 0 && errno == ENOENT)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "%s: there is no checkpoint to resume from; a run that was published "
                           "or never started leaves none",
                           file->path);
    if (file->descriptor < 0 || fstat(file->descriptor, &info) != 0)
        return pdpr_i_fail_system(err, errno, "%s: cannot open the checkpoint", file->path);
    if (!S_ISREG(info.st_mode) || (info.st_mode & 077) != 0)
        return pdpr_i_fail(err, PDPR_EINPUT,
                           "%s: expected a file that only its owner can read (mode 600)",
                           file->path);
    if (!pdpr_i_file_lock(file->descriptor, file->path))
        return pdpr_i_fail(err, PDPR_EUSAGE, "%s: a running process uses this checkpoint",
                           file->path);
    return PDPR_OK;
}

/* Whether the open file may be overwritten: empty, the beginning of a checkpoint, or one that was
 * being zeroed. Anything else, the ledger above all, only happens to have the name. Nor may it be
 * another user's, who laid it there to read what is written (root could open it). */
static bool is_checkpoint(int descriptor)
{
    static const char zeros[PDPR_I_CHECKPOINT_MAGIC_SIZE] = {0};
    char head[sizeof zeros];
    struct stat info;
    if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid())
        return false;
    ssize_t n = pread(descriptor, head, sizeof head, 0);
    return n >= 0 && (memcmp(head, PDPR_I_CHECKPOINT_MAGIC, (size_t)n) == 0 ||
                      memcmp(head, zeros, (size_t)n) == 0);
}

bool pdpr_i_checkpoint_file_is_one(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    bool is_one = is_checkpoint(descriptor);
    close(descriptor);
    return is_one;
}

/* It may be a second name of the file itself, left between link and unlink, whose bytes are wanted.
 */
void pdpr_i_checkpoint_file_drop_half_made(const pdpr_i_checkpoint_file *file)
{
    if (!pdpr_i_is_at(file->descriptor, file->fresh)) {
        int old = open(file->fresh, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (old < 0)
            return;
        bool ours = is_checkpoint(old);
        if (ours)
            overwrite(old);
        close(old);
        if (!ours)
            return;
    }
    unlink(file->fresh);
}

pdpr_status pdpr_i_checkpoint_file_seek(const pdpr_i_checkpoint_file *file, uint64_t offset,
                                        uint64_t *length, pdpr_error *err)
{
    struct stat info;
    if (fstat(file->descriptor, &info) != 0 || lseek(file->descriptor, (off_t)offset, SEEK_SET) < 0)
        return pdpr_i_fail_system(err, errno, "%s: cannot read", file->path);
    if (length)
        *length = (uint64_t)info.st_size;
    return PDPR_OK;
}

pdpr_status pdpr_i_checkpoint_file_read(const pdpr_i_checkpoint_file *file, void *out,
                                        uint64_t length, pdpr_error *err)
{
    char *at = out;
    while (length > 0) {
        ssize_t n = read(file->descriptor, at, length); /* the system takes at most 2 GB a time */
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return pdpr_i_fail_system(err, errno, "%s: cannot read", file->path);
        if (n == 0)
            return pdpr_i_checkpoint_file_damaged(file, err);
        at += n;
        length -= (uint64_t)n;
    }
    return PDPR_OK;
}

/* ---------------------------------------------------------------- the next generation */

pdpr_status pdpr_i_checkpoint_file_begin(const pdpr_i_checkpoint_file *file, int *fresh,
                                         pdpr_error *err)
{
    int descriptor = open(file->fresh, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0)
        return pdpr_i_fail_system(err, errno, "%s: cannot create the checkpoint", file->fresh);
    if (!pdpr_i_file_lock(descriptor, file->fresh)) {
        close(descriptor);
        return pdpr_i_fail(err, PDPR_EUSAGE, "%s: another run is writing it", file->fresh);
    }
    if (!is_checkpoint(descriptor)) {
        close(descriptor);
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "%s: expected no other file of this name, which the checkpoint needs",
                           file->fresh);
    }
    overwrite(descriptor); /* a dead run's, if it is not new */
    if (fchmod(descriptor, 0600) != 0 || ftruncate(descriptor, 0) != 0) {
        pdpr_status s =
            pdpr_i_fail_system(err, errno, "%s: cannot create the checkpoint", file->fresh);
        pdpr_i_checkpoint_file_abandon(file, descriptor);
        return s;
    }
    *fresh = descriptor;
    return PDPR_OK;
}

pdpr_status pdpr_i_checkpoint_file_write(const pdpr_i_checkpoint_file *file, int fresh,
                                         const void *bytes, uint64_t length, pdpr_error *err)
{
    const char *at = bytes;
    while (length > 0) {
        ssize_t n = write(fresh, at, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return pdpr_i_fail_system(err, errno, "%s: cannot write", file->fresh);
        at += n;
        length -= (uint64_t)n;
    }
    return PDPR_OK;
}

pdpr_status pdpr_i_checkpoint_file_finish(pdpr_i_checkpoint_file *file, int fresh, pdpr_error *err)
{
    bool first = file->descriptor < 0;
    if (fsync(fresh) != 0) {
        pdpr_status s = pdpr_i_fail_system(err, errno, "%s: cannot flush to disk", file->fresh);
        pdpr_i_checkpoint_file_abandon(file, fresh);
        return s;
    }
    if ((first ? link(file->fresh, file->path) : rename(file->fresh, file->path)) != 0) {
        pdpr_status s =
            pdpr_i_fail_system(err, errno, "%s: cannot put the checkpoint in place", file->path);
        pdpr_i_checkpoint_file_abandon(file, fresh);
        return s;
    }
    bool on_disk = pdpr_i_sync_folder_of(file->path);
    if (first) {
        unlink(file->fresh);
    } else {
        if (on_disk) /* else a power cut may give the old one its name back: it must be whole */
            overwrite(file->descriptor);
        close(file->descriptor);
    }
    file->descriptor = fresh; /* with its lock */
    return PDPR_OK;
}

void pdpr_i_checkpoint_file_abandon(const pdpr_i_checkpoint_file *file, int fresh)
{
    overwrite(fresh);
    unlink(file->fresh);
    close(fresh);
}

void pdpr_i_checkpoint_file_remove(pdpr_i_checkpoint_file *file)
{
    if (file->descriptor < 0)
        return;
    /* the name first: a kill in between must not leave zeros that look like a damaged checkpoint */
    if (!pdpr_i_is_at(file->descriptor, file->path) || unlink(file->path) != 0)
        pdpr_i_notice(file->ctx, "%s: the checkpoint cannot be removed; its run is over, remove it",
                      file->path);
    (void)pdpr_i_sync_folder_of(file->path);
    overwrite(file->descriptor);
    close(file->descriptor);
    file->descriptor = -1;
}
