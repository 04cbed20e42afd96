/* Private names, their locks, and the step from them to the final ones.
 *
 * All of them or none: graphs without their certificate are worse than nothing. rename(2) is atomic
 * a file, so a crash between two of them leaves each file under one name or the other, whole;
 * pdpr_publish_recover puts the rest in place.
 *
 * The lock is a file of its own because a draft is replaced as a whole while it is written, and its
 * lock would go with it. It is removed by its holder; whoever opened it before that finds that the
 * name leads elsewhere and tries again. Cost: a few system calls a file. */
#include "method/drafts.h"
#include "base/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* While it is written a draft has the longest of a file's names (outfile.c): a dot, .draft-NAME,
 * and .XXXXXX.tmp. */
enum { MOST_NAME = NAME_MAX - 19, RUN = PDPR_LEDGER_ID_TEXT - 1 };

const char *pdpr_i_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* `prefix` before the last part of a path. */
static pdpr_status prefixed(pdpr_context *ctx, const char *prefix, const char *path, char **out,
                            pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const char *name = pdpr_i_base_name(path);
    size_t folder = (size_t)(name - path), more = strlen(prefix), rest = strlen(name) + 1;
    PDPR_TRY(pdpr_i_alloc(ctx, folder + more + rest, 1, "file name", out, err));
    memcpy(*out, path, folder);
    memcpy(*out + folder, prefix, more);
    memcpy(*out + folder + more, name, rest);
done:
    return s;
}

pdpr_status pdpr_i_draft_name(pdpr_context *ctx, const char *path, pdpr_i_draft *out,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_draft made = {.path = path, .held = -1};

    const char *base = pdpr_i_base_name(path);
    if (strcmp(path, "-") == 0 || !*base) {
        s = pdpr_i_fail(err, PDPR_EUSAGE, "\"%s\": expected the name of a file to publish", path);
        goto done;
    }
    if (strncmp(base, PDPR_I_DRAFT_PREFIX, strlen(PDPR_I_DRAFT_PREFIX)) == 0 ||
        strncmp(base, ".lock-", 6) == 0) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "%s: expected another name: .draft-* and .lock-* are for the work in "
                        "hand",
                        path);
        goto done;
    }
    if (strlen(base) > MOST_NAME) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "%.60s...: expected a file name of at most %d bytes, which leaves room for "
                        "those of the work in hand, found %zu",
                        base, (int)MOST_NAME, strlen(base));
        goto done;
    }
    PDPR_TRY(prefixed(ctx, PDPR_I_DRAFT_PREFIX, path, &made.draft, err));
    PDPR_TRY(prefixed(ctx, ".lock-", path, &made.lock, err));
    *out = made;
    made = (pdpr_i_draft){.held = -1};
done:
    pdpr_i_draft_clear(&made);
    return s;
}

void pdpr_i_draft_clear(pdpr_i_draft *draft)
{
    if (draft->held >= 0) {
        struct stat info;
        bool needed =
            pdpr_i_draft_is_left(draft) && (fstat(draft->held, &info) != 0 || info.st_size != 0);
        if (!needed && pdpr_i_is_at(draft->held, draft->lock))
            unlink(draft->lock); /* while it is ours */
        close(draft->held);
    }
    pdpr_free(draft->draft);
    pdpr_free(draft->lock);
    *draft = (pdpr_i_draft){.held = -1};
}

/* A lock that another user left, perhaps with a run that died, is not ours to open or remove. */
static pdpr_status cannot_open(const pdpr_i_draft *draft, int why, pdpr_error *err)
{
    struct stat info;
    if (why == EACCES && lstat(draft->lock, &info) == 0)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "%s: belongs to the user with number %lu, who is publishing %s or has "
                           "left this lock behind; if no such run is under way, have it removed, "
                           "else take another name",
                           draft->lock, (unsigned long)info.st_uid, pdpr_i_base_name(draft->path));
    return pdpr_i_fail_system(err, why, "%s: cannot create a file in this folder", draft->path);
}

/* A lock is empty or holds a run and nothing else. */
static bool is_lock(int held, off_t size)
{
    char word[PDPR_LEDGER_ID_TEXT] = "";
    return size == 0 || (size == RUN && pread(held, word, RUN, 0) == RUN &&
                         strspn(word, "0123456789abcdef") == RUN);
}

pdpr_status pdpr_i_draft_lock(pdpr_i_draft *draft, pdpr_error *err)
{
    int why = ESTALE;
    for (int tries = 0; why == ESTALE && tries < 100; tries++) {
        int held = open(draft->lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        struct stat info;
        if (held < 0)
            return cannot_open(draft, errno, err);
        /* another file, the ledger, say, must never be removed */
        if (fstat(held, &info) != 0 || !S_ISREG(info.st_mode) || !is_lock(held, info.st_size)) {
            close(held);
            return pdpr_i_fail(err, PDPR_EUSAGE,
                               "%s: expected no file of this name, which is needed while %s is "
                               "made",
                               draft->lock, draft->path);
        }
        if (pdpr_i_file_lock(held, draft->lock)) {
            draft->held = held;
            pdpr_i_outfile_sweep(draft->draft);
            return PDPR_OK;
        }
        why = errno; /* ESTALE: its holder has just removed it */
        close(held);
    }
    if (why != EWOULDBLOCK && why != ESTALE)
        return pdpr_i_fail_system(err, why, "%s: cannot lock", draft->lock);
    return pdpr_i_fail(err, PDPR_EUSAGE,
                       "%s: another process is publishing under this name, or two files of this "
                       "run have the same name",
                       draft->path);
}

pdpr_status pdpr_i_draft_check_target(const pdpr_i_draft *draft, const struct stat *ledger,
                                      pdpr_error *err)
{
    struct stat info;
    if (stat(draft->path, &info) != 0)
        return PDPR_OK;
    if (!S_ISREG(info.st_mode))
        return pdpr_i_fail(err, PDPR_EUSAGE, "%s: expected a regular file to replace, or none",
                           draft->path);
    if (ledger && info.st_dev == ledger->st_dev && info.st_ino == ledger->st_ino)
        return pdpr_i_fail(err, PDPR_EUSAGE, "%s: is the ledger, which is never published",
                           draft->path);
    return pdpr_i_outfile_check_target(draft->path, err); /* another ledger, another's checkpoint */
}

bool pdpr_i_draft_is_left(const pdpr_i_draft *draft)
{
    struct stat info;
    return lstat(draft->draft, &info) == 0;
}

void pdpr_i_draft_owner(const pdpr_i_draft *draft, char run[PDPR_LEDGER_ID_TEXT])
{
    ssize_t length = pread(draft->held, run, RUN, 0);
    run[length == RUN ? RUN : 0] = '\0';
}

pdpr_status pdpr_i_drafts_claim(const pdpr_i_draft *drafts, uint64_t count, const char *run,
                                pdpr_error *err)
{
    off_t length = (off_t)strlen(run);
    for (uint64_t i = 0; i < count; i++) {
        char owner[PDPR_LEDGER_ID_TEXT];
        int held = drafts[i].held;
        pdpr_i_draft_owner(&drafts[i], owner);
        if (strcmp(owner, run) == 0)
            continue; /* its word from before must not be lost to a full disk */
        if (pwrite(held, run, (size_t)length, 0) != length || ftruncate(held, length) != 0 ||
            fsync(held) != 0)
            return pdpr_i_fail_system(err, errno, "%s: cannot write", drafts[i].lock);
    }
    return PDPR_OK;
}

pdpr_status pdpr_i_draft_finished(pdpr_context *ctx, pdpr_i_draft *draft, pdpr_error *err)
{
    draft->there = true;
    return pdpr_file_sha256(ctx, draft->draft, draft->sha256, err);
}

pdpr_status pdpr_i_drafts_unchanged(pdpr_context *ctx, const pdpr_i_draft *drafts, uint64_t count,
                                    pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    char now[PDPR_SHA256_TEXT];
    for (uint64_t i = 0; i < count; i++) {
        if (!drafts[i].there)
            continue;
        PDPR_TRY(pdpr_file_sha256(ctx, drafts[i].draft, now, err));
        if (strcmp(now, drafts[i].sha256) != 0) {
            s = pdpr_i_fail(err, PDPR_EFAILED,
                            "%s: its draft changed after it was finished; another program writes "
                            "to this folder",
                            drafts[i].path);
            goto done;
        }
    }
done:
    return s;
}

/* Readable as any new file, then under its name. */
static bool place(const pdpr_i_draft *d)
{
    int descriptor = open(d->draft, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor >= 0) {
        (void)fchmod(descriptor, pdpr_i_usual_mode());
        close(descriptor);
    }
    return rename(d->draft, d->path) == 0;
}

pdpr_status pdpr_i_drafts_place(pdpr_i_draft *drafts, uint64_t count, pdpr_error *err)
{
    for (uint64_t i = 0; i < count; i++) /* a ledger may have been made there since */
        if (drafts[i].there && pdpr_i_outfile_check_target(drafts[i].path, err) != PDPR_OK)
            return PDPR_EFAILED; /* no wrong use: the run is behind us */
    for (uint64_t i = 0; i < count; i++) {
        if (!drafts[i].there)
            continue;
        if (!place(&drafts[i]))
            return pdpr_i_fail_system(err, errno, "%s: cannot put the finished file in place",
                                      drafts[i].path);
        drafts[i].there = false;
    }
    for (uint64_t i = 0; i < count; i++)
        (void)pdpr_i_sync_folder_of(drafts[i].path); /* if a power cut undoes them: recovered */
    return PDPR_OK;
}
