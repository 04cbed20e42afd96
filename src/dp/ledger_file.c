/* The ledger as a file of lines.
 *
 * Crash safety rests on three facts. (1) The file appears under its name with its first line
 * complete, by link(2) from a flushed temporary file, so an empty ledger is always damage, never a
 * beginning. (2) It only grows, by one line in O_APPEND, and append reports success only after
 * fsync. (3) Whoever wrote a line without its newline never got success and so did nothing on the
 * strength of it, hence cutting it off forgets nothing. A line that lacks the newline only is kept
 * all the same: it may have lost it later, by another program's hand, and then it counts.
 * The lock is flock(2) on the file itself, whose inode is never replaced; after waiting we check
 * that the path still leads to it. flock dies with its process, so a crash leaves no stale lock.
 *
 * Nothing here reads a clock: the wait is counted in pauses.
 * Cost: one read of the whole file per operation; two flushes at most per append.
 * Proof: docs/proofs/ledger.md. */
#include "dp/ledger_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/file.h>

enum { PAUSES_PER_SECOND = 20 };

/* Repeats a call that a signal interrupted. */
#define RETRY(result, call) \
    do {                    \
        (result) = (call);  \
    } while ((result) < 0 && errno == EINTR)

static pdpr_status write_all(const pdpr_i_ledger_place *place, int descriptor, const char *bytes,
                             size_t length, pdpr_error *err)
{
    const pdpr_i_ledger_system *sys = place->system;
    while (length > 0) {
        ssize_t n;
        RETRY(n, sys->write(sys->user, descriptor, bytes, length));
        if (n <= 0)
            return pdpr_i_fail_system(err, n < 0 ? errno : ENOSPC, "%s: cannot write", place->path);
        bytes += n;
        length -= (size_t)n;
    }
    return PDPR_OK;
}

static pdpr_status sync_file(const pdpr_i_ledger_place *place, int descriptor, pdpr_error *err)
{
    const pdpr_i_ledger_system *sys = place->system;
    int failed;
    RETRY(failed, sys->sync(sys->user, descriptor));
    return failed ? pdpr_i_fail_system(err, errno, "%s: cannot flush to disk", place->path)
                  : PDPR_OK;
}

/* EINTR from close means closed on Linux: repeating it could close another's descriptor. */
static pdpr_status close_descriptor(const pdpr_i_ledger_place *place, int descriptor,
                                    pdpr_error *err)
{
    const pdpr_i_ledger_system *sys = place->system;
    if (sys->close(sys->user, descriptor) != 0 && errno != EINTR)
        return pdpr_i_fail_system(err, errno, "%s: cannot close", place->path);
    return PDPR_OK;
}

pdpr_status pdpr_i_ledger_file_create(const pdpr_i_ledger_place *place, const char *line,
                                      size_t length, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_ledger_system *sys = place->system;
    static const char suffix[] = ".new-XXXXXX";
    size_t path_length = strlen(place->path);
    char *temporary = NULL;
    int descriptor = -1;
    bool made = false;

    PDPR_TRY(
        pdpr_i_alloc(place->ctx, path_length + sizeof suffix, 1, "ledger name", &temporary, err));
    memcpy(temporary, place->path, path_length);
    memcpy(temporary + path_length, suffix, sizeof suffix);

    RETRY(descriptor, sys->make_temporary(sys->user, temporary));
    if (descriptor < 0) {
        s = pdpr_i_fail_system(err, errno, "%s: cannot create a ledger in this folder",
                               place->path);
        goto done;
    }
    made = true;
    PDPR_TRY(write_all(place, descriptor, line, length, err));
    PDPR_TRY(sync_file(place, descriptor, err));
    int closing = descriptor;
    descriptor = -1;
    PDPR_TRY(close_descriptor(place, closing, err));
    /* link, not rename: a ledger that another process made meanwhile must win over ours. */
    if (sys->link(sys->user, temporary, place->path) != 0 && errno != EEXIST)
        s = pdpr_i_fail_system(err, errno, "%s: cannot put the new ledger in place", place->path);
done:
    if (descriptor >= 0)
        (void)close_descriptor(place, descriptor, NULL);
    if (made)
        sys->remove(sys->user, temporary); /* if it stays, it is an unused file of one line */
    pdpr_free(temporary);
    return s;
}

pdpr_status pdpr_i_ledger_file_sync_folder(const pdpr_i_ledger_place *place, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_ledger_system *sys = place->system;
    const char *slash = strrchr(place->path, '/');
    /* "x/y" is in "x/", "/y" in "/", "y" in "." */
    size_t length = slash ? (size_t)(slash - place->path) + 1 : 1;
    char *folder = NULL;
    int descriptor = -1;

    PDPR_TRY(pdpr_i_copy_text(place->ctx, slash ? place->path : ".", length, &folder, err));
    RETRY(descriptor, sys->open(sys->user, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (descriptor < 0) {
        s = pdpr_i_fail_system(err, errno, "%s: cannot open the ledger's folder", place->path);
        goto done;
    }
    PDPR_TRY(sync_file(place, descriptor, err));
    int closing = descriptor;
    descriptor = -1;
    PDPR_TRY(close_descriptor(place, closing, err));
done:
    if (descriptor >= 0)
        (void)close_descriptor(place, descriptor, NULL);
    pdpr_free(folder);
    return s;
}

/* Takes the lock, waiting for whoever has it: at most wait_seconds, but for what is paid. */
static pdpr_status take_lock(const pdpr_i_ledger_place *place, int descriptor,
                             pdpr_i_ledger_purpose purpose, pdpr_error *err)
{
    const pdpr_i_ledger_system *sys = place->system;
    int operation = purpose == PDPR_I_LEDGER_READ ? LOCK_SH : LOCK_EX;
    bool patient = purpose == PDPR_I_LEDGER_APPEND_PAID;
    uint64_t pauses_left = (uint64_t)place->wait_seconds * PAUSES_PER_SECOND;
    bool said = false;
    for (;;) {
        int failed;
        RETRY(failed, sys->lock(sys->user, descriptor, operation | LOCK_NB));
        if (!failed)
            return PDPR_OK;
        if (errno != EWOULDBLOCK)
            return pdpr_i_fail_system(err, errno, "%s: cannot lock the ledger", place->path);
        if (pauses_left == 0 && !patient)
            return pdpr_i_fail(err, PDPR_EFAILED,
                               "%s: another process held the ledger for more than %" PRIu32
                               " s; try again when it is done",
                               place->path, place->wait_seconds);
        if (!said && patient)
            pdpr_i_notice(place->ctx,
                          "%s: another process holds the ledger; waiting, because this run has "
                          "paid",
                          place->path);
        else if (!said)
            pdpr_i_notice(place->ctx,
                          "%s: another process holds the ledger; waiting up to %" PRIu32 " s",
                          place->path, place->wait_seconds);
        said = true;
        if (pdpr_i_check_cancelled(place->ctx, err) != PDPR_OK)
            return PDPR_ECANCELLED;
        sys->pause(sys->user);
        pauses_left -= pauses_left > 0;
    }
}

/* What kind of file it is, and whether it is still the one that the path names. */
static pdpr_status check_file(const pdpr_i_ledger_place *place, int descriptor, bool for_append,
                              struct stat *info, pdpr_error *err)
{
    const pdpr_i_ledger_system *sys = place->system;
    struct stat named;
    if (sys->status(sys->user, descriptor, info) != 0 ||
        sys->path_status(sys->user, place->path, &named) != 0)
        return pdpr_i_fail_system(err, errno, "%s: cannot examine the ledger", place->path);
    if (named.st_dev != info->st_dev || named.st_ino != info->st_ino)
        return pdpr_i_fail(err, PDPR_EFAILED,
                           "%s: the ledger was replaced by another file while it was being opened; "
                           "try again",
                           place->path);
    if (!S_ISREG(info->st_mode))
        return pdpr_i_fail(err, PDPR_EFAILED, "%s: expected a ledger, found no regular file",
                           place->path);
    if (info->st_mode & (S_IRWXG | S_IRWXO))
        return pdpr_i_fail(err, PDPR_EFAILED,
                           "%s: expected a private ledger (mode 600), found one open to other "
                           "users; use chmod 600",
                           place->path);
    /* Root could write it all the same; whoever made it read-only meant it. */
    if (for_append && !(info->st_mode & S_IWUSR))
        return pdpr_i_fail(err, PDPR_EFAILED,
                           "%s: the ledger is read-only; what cannot be recorded is not run",
                           place->path);
    return PDPR_OK;
}

/* Reads all bytes, then tells complete lines and tail apart. */
static pdpr_status read_lines(pdpr_i_ledger_file *file, uint64_t size, pdpr_error *err)
{
    const pdpr_i_ledger_place *place = file->place;
    const pdpr_i_ledger_system *sys = place->system;
    pdpr_status s =
        pdpr_i_alloc(place->ctx, size + 1, 1, "ledger", &file->text, err); /* +1: sees growth */
    if (s != PDPR_OK)
        return s;
    uint64_t have = 0;
    while (have <= size) {
        ssize_t n;
        RETRY(n, sys->read(sys->user, file->descriptor, file->text + have, size + 1 - have));
        if (n < 0) {
            sodium_memzero(file->text, have);
            return pdpr_i_fail_system(err, errno, "%s: cannot read", place->path);
        }
        if (n == 0)
            break;
        have += (uint64_t)n;
    }
    file->length = have;
    while (file->length > 0 && file->text[file->length - 1] != '\n')
        file->length--;
    file->tail = have - file->length;
    if (have == size)
        return PDPR_OK;
    return pdpr_i_fail(err, PDPR_EFAILED,
                       "%s: the ledger changed while it was locked; another program writes to it",
                       place->path);
}

pdpr_status pdpr_i_ledger_file_open(const pdpr_i_ledger_place *place, pdpr_i_ledger_purpose purpose,
                                    pdpr_i_ledger_file *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_ledger_system *sys = place->system;
    pdpr_i_ledger_file file = {.place = place, .descriptor = -1};
    struct stat info;
    bool for_append = purpose != PDPR_I_LEDGER_READ;
    /* O_NONBLOCK: a pipe of that name must be refused, not waited for. */
    int flags = (for_append ? O_RDWR | O_APPEND : O_RDONLY) | O_CLOEXEC | O_NONBLOCK;

    RETRY(file.descriptor, sys->open(sys->user, place->path, flags));
    if (file.descriptor < 0 && errno == ENOENT) {
        s = pdpr_i_fail(err, PDPR_EFAILED,
                        "%s: there is no ledger of that name; make one on purpose, once: "
                        "privdpr ledger FILE --create",
                        place->path);
        goto done;
    }
    if (file.descriptor < 0) {
        s = pdpr_i_fail_system(err, errno, "%s: cannot open the ledger%s", place->path,
                               for_append ? "; what cannot be recorded is not run" : "");
        goto done;
    }
    PDPR_TRY(take_lock(place, file.descriptor, purpose, err));
    PDPR_TRY(check_file(place, file.descriptor, for_append, &info, err));
    PDPR_TRY(read_lines(&file, (uint64_t)info.st_size, err));
    *out = file;
    file = (pdpr_i_ledger_file){.place = place, .descriptor = -1};
done:
    (void)pdpr_i_ledger_file_close(&file, NULL);
    return s;
}

pdpr_status pdpr_i_ledger_file_flush(const pdpr_i_ledger_file *file, pdpr_error *err)
{
    return sync_file(file->place, file->descriptor, err);
}

void pdpr_i_ledger_file_keep_tail(pdpr_i_ledger_file *file)
{
    file->length += file->tail;
    file->tail = 0;
    file->unended = true;
}

pdpr_status pdpr_i_ledger_file_append(pdpr_i_ledger_file *file, const char *line, size_t length,
                                      pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_ledger_place *place = file->place;
    const pdpr_i_ledger_system *sys = place->system;

    if (file->unended) {
        PDPR_TRY(write_all(place, file->descriptor, "\n", 1, err)); /* flushed with the line */
        pdpr_i_notice(place->ctx, "%s: the last line had lost its newline; it is whole and stays",
                      place->path);
        file->unended = false;
    }
    if (file->tail > 0) {
        int failed;
        RETRY(failed, sys->cut(sys->user, file->descriptor, (off_t)file->length));
        if (failed) {
            s = pdpr_i_fail_system(err, errno, "%s: cannot cut off an incomplete last line",
                                   place->path);
            goto done;
        }
        PDPR_TRY(sync_file(place, file->descriptor, err));
        pdpr_i_notice(place->ctx,
                      "%s: cut off an incomplete last line of %" PRIu64
                      " bytes, left by a crash; nothing was done on its strength",
                      place->path, file->tail);
        file->tail = 0;
    }
    PDPR_TRY(write_all(place, file->descriptor, line, length, err));
    PDPR_TRY(sync_file(place, file->descriptor, err));
done:
    return s;
}

pdpr_status pdpr_i_ledger_file_close(pdpr_i_ledger_file *file, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    if (file->text)
        sodium_memzero(file->text, file->length + file->tail);
    pdpr_free(file->text);
    file->text = NULL;
    if (file->descriptor >= 0)
        s = close_descriptor(file->place, file->descriptor, err); /* drops the lock */
    file->descriptor = -1;
    return s;
}
