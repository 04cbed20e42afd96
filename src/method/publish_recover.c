/* Finishing a publication that stopped between COMMIT and PUBLISHED.
 *
 * COMMIT holds the hash of the certificate and the certificate those of all files, so what is left
 * of the run is known by its bytes, whatever name it has: a file counts as the run's if it stands
 * under its private or its final name with the committed hash. When all are found, those still
 * under private names are put in place, the certificate last, and PUBLISHED is recorded. If one is
 * missing, nothing is moved and the message names it. All names are locked meanwhile, so a run
 * that is still publishing is left alone.
 *
 * Nothing is drawn, sampled or reserved here, so nothing can be spent; a second call finds
 * everything in place. It may itself be killed anywhere and called again (P-23;
 * docs/proofs/ledger.md, Theorem 4). Cost: one reading of every file. */
#include "method/method.h"
#include "dp/canonical_json.h"
#include "dp/verify_certificate.h"
#include "method/drafts.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_CERTIFICATE = 16 << 20, LOST_TEXT = 256 };

typedef struct {
    pdpr_context *ctx;
    const char *certificate; /* its final name */
    const char *folders;     /* other places to look in, ':' between them; NULL: none */
    bool one_folder;         /* they are one, which has that in its name */
    pdpr_i_draft *files;     /* [count]: outputs, certificate last */
    uint64_t count;          /* of names that are set */
    char lost[LOST_TEXT];    /* names of files that were not found */
    json_t *json;            /* the certificate; claims point into it */
    pdpr_i_claims claims;
} recovery;

/* The hash of a file; "" if there is none of this name. One that is there and cannot be read must
 * not pass for one that is not. */
static pdpr_status hash_of(recovery *r, const char *path, char hex[PDPR_SHA256_TEXT],
                           pdpr_error *err)
{
    struct stat info;
    hex[0] = '\0';
    if (stat(path, &info) != 0 ? errno == ENOENT || errno == ENOTDIR : !S_ISREG(info.st_mode))
        return PDPR_OK;
    return pdpr_file_sha256(r->ctx, path, hex, err);
}

/* Whether a file is there with these bytes. */
static pdpr_status holds(recovery *r, const char *path, const char *sha256, bool *yes,
                         pdpr_error *err)
{
    char hex[PDPR_SHA256_TEXT];
    pdpr_status s = hash_of(r, path, hex, err);
    *yes = s == PDPR_OK && strcmp(hex, sha256) == 0;
    return s;
}

/* folder/file, the folder being the first `length` bytes of a path. */
static pdpr_status join(pdpr_context *ctx, const char *folder, size_t length, const char *file,
                        char **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    size_t rest = strlen(file) + 1;
    bool slash = length > 0 && folder[length - 1] != '/';
    PDPR_TRY(pdpr_i_alloc(ctx, length + slash + rest, 1, "file name", out, err));
    memcpy(*out, folder, length);
    if (slash)
        (*out)[length] = '/';
    memcpy(*out + length + slash, file, rest);
done:
    return s;
}

static void forget(pdpr_i_draft *file)
{
    pdpr_free((char *)(uintptr_t)file->path); /* ours, see look_in */
    pdpr_i_draft_clear(file);
}

/* Looks for an output in one folder; found: it becomes the next file, locked. */
static pdpr_status look_in(recovery *r, const char *folder, size_t length,
                           const pdpr_i_claimed_output *output, bool *found, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_draft file = {.held = -1};
    char *path = NULL;

    PDPR_TRY(join(r->ctx, folder, length, output->file, &path, err));
    for (uint64_t i = 0; i < r->count; i++)
        if (pdpr_i_same_name(r->files[i].path, path))
            goto done; /* found already, as another output of this name */
    PDPR_TRY(pdpr_i_draft_name(r->ctx, path, &file, err));
    path = NULL; /* the draft's now */
    PDPR_TRY(pdpr_i_draft_lock(&file, err));
    PDPR_TRY(holds(r, file.draft, output->sha256, &file.there, err));
    *found = file.there;
    if (!file.there)
        PDPR_TRY(holds(r, file.path, output->sha256, found, err));
    if (*found) {
        r->files[r->count++] = file;
        file = (pdpr_i_draft){.held = -1};
    }
done:
    pdpr_free(path);
    forget(&file);
    return s;
}

static pdpr_status find_outputs(recovery *r, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    size_t beside = (size_t)(pdpr_i_base_name(r->certificate) - r->certificate), used = 0;
    for (uint64_t i = 0; i < r->claims.num_outputs; i++) {
        const pdpr_i_claimed_output *output = &r->claims.outputs[i];
        const char *folder = r->folders ? r->folders : "";
        bool found = false;
        PDPR_TRY(look_in(r, r->certificate, beside, output, &found, err));
        if (!found && r->one_folder) /* a ':' in its name */
            PDPR_TRY(look_in(r, folder, strlen(folder), output, &found, err));
        while (!found && *folder && !r->one_folder) {
            size_t length = strcspn(folder, ":");
            if (length > 0)
                PDPR_TRY(look_in(r, folder, length, output, &found, err));
            folder += length + (folder[length] == ':');
        }
        if (!found && used < sizeof r->lost)
            used += (size_t)snprintf(r->lost + used, sizeof r->lost - used, "%s%s",
                                     used ? ", " : "", output->file);
    }
done:
    return s;
}

/* Reads which files a certificate speaks of. */
static pdpr_status read_certificate(recovery *r, const char *path, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_report report = {.ctx = r->ctx};
    char *bytes = NULL;
    size_t length = 0;

    PDPR_TRY(pdpr_i_file_read(r->ctx, path, MOST_CERTIFICATE, &bytes, &length, err));
    PDPR_TRY(pdpr_i_canonical_parse(r->ctx, bytes, length ? length - 1 : 0, path, &r->json, err));
    json_object_del(r->json, "checksum"); /* the hash in the ledger says more */
    pdpr_i_claims_read(&report, r->json, &r->claims);
    if (report.status != PDPR_OK)
        s = pdpr_i_fail(err, report.status, "%s: out of memory", path);
    else if (report.failures > 0)
        s = pdpr_i_fail(err, PDPR_EINPUT, "%s: %s", path, report.checks[0].text);
done:
    pdpr_free(report.checks);
    pdpr_free(bytes);
    return s;
}

/* The certificate under either name, if a run of the ledger committed it. run is "" if not. A draft
 * that no run committed is of an unfinished one, which the caller means: what an earlier run has
 * published under the final name must not pass for it. */
static pdpr_status find_certificate(recovery *r, pdpr_ledger *ledger, pdpr_i_draft *certificate,
                                    char run[PDPR_LEDGER_ID_TEXT], pdpr_run_state *state,
                                    pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    char hex[PDPR_SHA256_TEXT];
    bool unknown_draft = pdpr_i_draft_is_left(certificate);
    run[0] = '\0';
    for (int final = 0; final < 2 && !run[0]; final++) {
        PDPR_TRY(hash_of(r, final ? certificate->path : certificate->draft, hex, err));
        if (!hex[0])
            continue;
        PDPR_TRY(pdpr_i_ledger_run_of(ledger, hex, run, state, err));
        certificate->there = !final;
    }
    if (run[0] && !certificate->there && unknown_draft && *state == PDPR_RUN_PUBLISHED)
        s = pdpr_i_fail(
            err, PDPR_EUSAGE,
            "%s: no run of the ledger %s committed it; if its run had another ledger, "
            "name that one; if it has none, it goes on with --resume, or the draft is "
            "removed; the certificate without .draft- is of run %.8s, which is published",
            certificate->draft, ledger->path, run);
done:
    return s;
}

static void clear(recovery *r)
{
    for (uint64_t i = 0; r->files && i < r->count; i++)
        forget(&r->files[i]);
    pdpr_free(r->files);
    pdpr_free(r->claims.queries);
    pdpr_free(r->claims.outputs);
    json_decref(r->json);
}

pdpr_status pdpr_publish_recover(pdpr_context *ctx, pdpr_ledger *ledger,
                                 const char *certificate_path, const char *folders,
                                 uint64_t *placed, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    recovery r = {.ctx = ctx, .certificate = certificate_path, .folders = folders};
    pdpr_i_draft certificate = {.held = -1};
    char run[PDPR_LEDGER_ID_TEXT];
    pdpr_run_state state = PDPR_RUN_COMMITTED;
    uint64_t moved = 0;

    struct stat info;
    r.one_folder = folders && strchr(folders, ':') && stat(folders, &info) == 0;
    PDPR_TRY(pdpr_i_draft_name(ctx, certificate_path, &certificate, err));
    PDPR_TRY(pdpr_i_draft_lock(&certificate, err));
    PDPR_TRY(find_certificate(&r, ledger, &certificate, run, &state, err));
    if (!run[0]) {
        s = pdpr_i_fail(
            err, PDPR_EUSAGE,
            "%s: neither it nor its draft was committed by a run of the ledger %s: there is nothing "
            "to finish here; if the run had another ledger, name that one; if it has none, it goes "
            "on with --resume or stays spent, and drafts that it left may be removed",
            certificate_path, ledger->path);
        goto done;
    }
    PDPR_TRY(read_certificate(&r, certificate.there ? certificate.draft : certificate_path, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, r.claims.num_outputs + 1, sizeof *r.files, "files to publish",
                           &r.files, err));
    PDPR_TRY(find_outputs(&r, err));
    if (r.lost[0]) {
        s = pdpr_i_fail(err, PDPR_EFAILED,
                        "%s: not found beside it%s, neither under its name nor as a draft: %s; "
                        "nothing was moved; name the folders of files that are elsewhere "
                        "(--folder A:B)",
                        certificate_path, folders ? " or in the other folders" : "", r.lost);
        goto done;
    }
    r.files[r.count++] = certificate; /* shares its names until the end of this function */
    for (uint64_t i = 0; i < r.count; i++)
        moved += r.files[i].there;
    s = pdpr_i_drafts_place(r.files, r.count, err);
    r.count--;
    PDPR_TRY(s);
    if (state == PDPR_RUN_COMMITTED)
        PDPR_TRY(pdpr_i_ledger_published(ledger, run, err));
    *placed = moved;
done:
    clear(&r);
    pdpr_i_draft_clear(&certificate);
    return s;
}

/* The run's name in the file is not authenticated here, for want of the input; a damaged one names
 * no run that is published, or one that no longer needs a checkpoint. */
pdpr_status pdpr_checkpoint_discard(pdpr_context *ctx, pdpr_ledger *ledger, const char *path,
                                    bool *removed, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_checkpoint *c = NULL;
    bool published = false;

    if (access(path, F_OK) != 0) {
        *removed = false;
        goto done;
    }
    PDPR_TRY(pdpr_i_checkpoint_open(ctx, path, &c, err));
    PDPR_TRY(pdpr_i_ledger_run_is(ledger, pdpr_i_checkpoint_run(c), PDPR_RUN_PUBLISHED, &published,
                                  err));
    if (!published) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "%s: this checkpoint is not of a run that this ledger has as published; it "
                        "stays",
                        path);
        goto done;
    }
    pdpr_i_checkpoint_remove(c);
    *removed = access(path, F_OK) != 0;
done:
    pdpr_i_checkpoint_close(c);
    return s;
}
