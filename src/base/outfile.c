/* Output files that appear complete or not at all.
 *
 * Bytes go to a hidden temporary file in the same folder; commit flushes it to disk, renames it
 * over the final name and flushes the folder. A reader therefore sees the old file or the new one,
 * also after a crash or a full disk.
 * "-" is standard output, and a target that exists and is no regular file (a pipe, /dev/null) is
 * written directly: neither can be renamed. A ledger or a checkpoint is never replaced: they are
 * known by how they begin, whatever they are called. */
#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct pdpr_i_outfile {
    int descriptor;
    bool direct;     /* no temporary file */
    char *path;      /* as the user wrote it */
    char *temporary; /* NULL if direct */
};

static void free_outfile(pdpr_i_outfile *f)
{
    if (!f)
        return;
    if (f->descriptor > STDERR_FILENO)
        close(f->descriptor);
    pdpr_free(f->path);
    pdpr_free(f->temporary);
    pdpr_free(f);
}

/* Length of the folder part of a path, with its slash. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

mode_t pdpr_i_usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* A temporary file is .NAME.XXXXXX.tmp, the six as mkstemps likes. */
static const char suffix[] = ".XXXXXX.tmp";
enum { SUFFIX = sizeof suffix - 1, RANDOM_AT = 1, AFTER_RANDOM = 7 };

static pdpr_status open_temporary(pdpr_context *ctx, bool private, pdpr_i_outfile *f,
                                  pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    size_t folder = folder_length(f->path), length = strlen(f->path);

    PDPR_TRY(pdpr_i_alloc(ctx, length + sizeof suffix + 1, 1, "file name", &f->temporary, err));
    memcpy(f->temporary, f->path, folder);
    f->temporary[folder] = '.';
    memcpy(f->temporary + folder + 1, f->path + folder, length - folder);
    memcpy(f->temporary + length + 1, suffix, sizeof suffix);

    f->descriptor = mkstemps(f->temporary, 4);
    if (f->descriptor < 0) {
        int why = errno;
        pdpr_free(f->temporary);
        f->temporary = NULL;
        s = pdpr_i_fail_system(err, why, "%s: cannot create a file in this folder", f->path);
        goto done;
    }
    /* mkstemps makes it with mode 600, as a draft stays until it is put in place */
    const char *base = f->path + folder;
    if (!private && strncmp(base, PDPR_I_DRAFT_PREFIX, strlen(PDPR_I_DRAFT_PREFIX)) != 0)
        fchmod(f->descriptor, pdpr_i_usual_mode());
done:
    return s;
}

pdpr_status pdpr_i_outfile_check_target(const char *path, pdpr_error *err)
{
    static const struct {
        const char *beginning, *what;
    } kept[] = {{PDPR_I_LEDGER_BEGINNING, "a ledger"}, {PDPR_I_CHECKPOINT_MAGIC, "a checkpoint"}};
    char head[sizeof PDPR_I_LEDGER_BEGINNING] = ""; /* the longer one */
    struct stat info;
    /* a pipe must not be waited for */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode))
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "%s: cannot be read and may be another's ledger, which no output "
                           "replaces: expected another name",
                           path);
    if (descriptor < 0)
        return PDPR_OK;
    ssize_t length = pread(descriptor, head, sizeof head - 1, 0); /* fails on a pipe */
    close(descriptor);
    for (size_t i = 0; length > 0 && i < sizeof kept / sizeof *kept; i++)
        if (strncmp(head, kept[i].beginning, strlen(kept[i].beginning)) == 0)
            return pdpr_i_fail(err, PDPR_EUSAGE,
                               "%s: is %s, which no output replaces: expected another name", path,
                               kept[i].what);
    return PDPR_OK;
}

static pdpr_status open_outfile(pdpr_context *ctx, const char *path, bool private,
                                pdpr_i_outfile **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_outfile *f = NULL;
    struct stat info;

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *f, "output file", &f, err));
    f->descriptor = -1;
    PDPR_TRY(pdpr_i_copy_text(ctx, path, strlen(path), &f->path, err));
    if (strcmp(path, "-") == 0) {
        f->direct = true;
        f->descriptor = STDOUT_FILENO;
    } else if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        s = pdpr_i_fail(err, PDPR_EFAILED, "%s: is a folder, expected a file to write", path);
        goto done;
    } else if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        f->direct = true;
        f->descriptor = open(path, O_WRONLY | O_CLOEXEC);
        if (f->descriptor < 0) {
            s = pdpr_i_fail_system(err, errno, "%s: cannot open for writing", path);
            goto done;
        }
    } else {
        PDPR_TRY(pdpr_i_outfile_check_target(path, err));
        PDPR_TRY(open_temporary(ctx, private, f, err));
    }
    *out = f;
    f = NULL;
done:
    free_outfile(f);
    return s;
}

pdpr_status pdpr_i_outfile_open(pdpr_context *ctx, const char *path, pdpr_i_outfile **out,
                                pdpr_error *err)
{
    return open_outfile(ctx, path, false, out, err);
}

pdpr_status pdpr_i_outfile_open_private(pdpr_context *ctx, const char *path, pdpr_i_outfile **out,
                                        pdpr_error *err)
{
    return open_outfile(ctx, path, true, out, err);
}

pdpr_status pdpr_i_outfile_write(pdpr_i_outfile *f, const void *bytes, size_t length,
                                 pdpr_error *err)
{
    const char *at = bytes;
    while (length > 0) {
        ssize_t n = write(f->descriptor, at, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return pdpr_i_fail_system(err, errno, "%s: cannot write", f->path);
        at += n;
        length -= (size_t)n;
    }
    return PDPR_OK;
}

/* A rename survives a power cut only once its folder is on disk. */
enum { LONGEST_FOLDER = 4096 };

/* The folder of a path; false if its name is too long. */
static bool folder_of(const char *path, char folder[LONGEST_FOLDER])
{
    size_t length = folder_length(path);
    if (length >= LONGEST_FOLDER)
        return false;
    memcpy(folder, length > 0 ? path : ".", length > 0 ? length : 1);
    folder[length > 0 ? length : 1] = '\0';
    return true;
}

bool pdpr_i_same_name(const char *a, const char *b)
{
    char folder[LONGEST_FOLDER];
    struct stat first, second;
    if (strcmp(a, b) == 0)
        return true;
    return strcmp(a + folder_length(a), b + folder_length(b)) == 0 && folder_of(a, folder) &&
           stat(folder, &first) == 0 && folder_of(b, folder) && stat(folder, &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool pdpr_i_sync_folder_of(const char *path)
{
    char folder[LONGEST_FOLDER];
    if (!folder_of(path, folder))
        return false;
    int d = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d < 0)
        return false;
    bool flushed = fsync(d) == 0;
    close(d);
    return flushed;
}

/* Whether a name is that of a temporary file of `base`. */
static bool is_temporary(const char *name, const char *base)
{
    size_t length = strlen(base);
    const char *end = name + 1 + length;
    return name[0] == '.' && strncmp(name + 1, base, length) == 0 && strlen(end) == SUFFIX &&
           strncmp(end, suffix, RANDOM_AT) == 0 &&
           strcmp(end + AFTER_RANDOM, suffix + AFTER_RANDOM) == 0;
}

void pdpr_i_outfile_sweep(const char *path)
{
    char folder[LONGEST_FOLDER];
    DIR *d = folder_of(path, folder) ? opendir(folder) : NULL;
    const struct dirent *entry;
    while (d && (entry = readdir(d)))
        if (is_temporary(entry->d_name, path + folder_length(path)))
            unlinkat(dirfd(d), entry->d_name, 0);
    if (d)
        closedir(d);
}

pdpr_status pdpr_i_outfile_commit(pdpr_i_outfile *f, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    if (!f->direct) {
        if (fsync(f->descriptor) != 0) {
            s = pdpr_i_fail_system(err, errno, "%s: cannot flush to disk", f->path);
            goto done;
        }
        if (rename(f->temporary, f->path) != 0) {
            s = pdpr_i_fail_system(err, errno, "%s: cannot put the finished file in place",
                                   f->path);
            goto done;
        }
        (void)pdpr_i_sync_folder_of(f->path);
    }
done:
    if (s != PDPR_OK && f->temporary)
        unlink(f->temporary);
    free_outfile(f);
    return s;
}

void pdpr_i_outfile_abandon(pdpr_i_outfile *f)
{
    if (f && f->temporary)
        unlink(f->temporary);
    free_outfile(f);
}
