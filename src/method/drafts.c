/* Private names and the step from them to the final ones.
 *
 * All of them or none: graphs without their certificate are worse than nothing. rename(2) is atomic
 * a file, so a crash between two of them leaves each file under one name or the other, whole;
 * pdpr_publish_recover puts the rest in place. Cost: two system calls a file. */
#include "method/drafts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

const char *pdpr_i_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

pdpr_status pdpr_i_draft_name(pdpr_context *ctx, const char *path, pdpr_i_draft *out,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    static const char prefix[] = ".draft-";
    char *draft = NULL;
    size_t folder = (size_t)(pdpr_i_base_name(path) - path), length = strlen(path);

    if (strcmp(path, "-") == 0 || folder == length) {
        s = pdpr_i_fail(err, PDPR_EUSAGE, "\"%s\": expected the name of a file to publish", path);
        goto done;
    }
    PDPR_TRY(pdpr_i_alloc(ctx, length + sizeof prefix, 1, "file name", &draft, err));
    memcpy(draft, path, folder);
    memcpy(draft + folder, prefix, sizeof prefix - 1);
    memcpy(draft + folder + sizeof prefix - 1, path + folder, length - folder + 1);
    *out = (pdpr_i_draft){.path = path, .draft = draft};
done:
    return s;
}

pdpr_status pdpr_i_draft_take(pdpr_i_draft *draft, const struct stat *ledger, pdpr_error *err)
{
    struct stat info;
    if (stat(draft->path, &info) == 0) {
        if (!S_ISREG(info.st_mode))
            return pdpr_i_fail(err, PDPR_EUSAGE, "%s: expected a regular file to replace, or none",
                               draft->path);
        if (ledger && info.st_dev == ledger->st_dev && info.st_ino == ledger->st_ino)
            return pdpr_i_fail(err, PDPR_EUSAGE, "%s: is the ledger, which is never published",
                               draft->path);
    }
    int descriptor = open(draft->draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0 && errno == EEXIST)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "%s: is there already: two files of this run have the same name, or "
                           "another run is writing it or left it behind; `privdpr ledger "
                           "--recover` finishes that one, else remove it",
                           draft->draft);
    if (descriptor < 0)
        return pdpr_i_fail_system(err, errno, "%s: cannot create a file in this folder",
                                  draft->path);
    close(descriptor);
    draft->there = true;
    return PDPR_OK;
}

pdpr_status pdpr_i_drafts_place(pdpr_i_draft *drafts, uint64_t count, const char *kept,
                                pdpr_error *err)
{
    for (uint64_t i = 0; i < count; i++) {
        if (!drafts[i].there)
            continue;
        if (rename(drafts[i].draft, drafts[i].path) == 0) {
            drafts[i].there = false;
            drafts[i].moved = true;
            continue;
        }
        pdpr_status s = pdpr_i_fail_system(
            err, errno, "%s: cannot put the finished file in place%s", drafts[i].path, kept);
        while (i-- > 0)
            if (drafts[i].moved)
                drafts[i].there = rename(drafts[i].path, drafts[i].draft) == 0;
        return s;
    }
    for (uint64_t i = 0; i < count; i++)
        pdpr_i_sync_folder_of(drafts[i].path);
    return PDPR_OK;
}
