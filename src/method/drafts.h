/* Files under their private names, between being written and being published, and the locks that
 * keep two processes from publishing under the same names at once.
 *
 * A draft stands beside its final name (.draft-NAME), so that publishing is a rename(2) within one
 * folder. A name belongs to the process that holds the lock of .lock-NAME beside it, from before
 * anything is spent until the file is in place; what the lock's file holds is the run whose draft
 * it is, for whoever finds it after a crash. */
#ifndef PDPR_METHOD_DRAFTS_H
#define PDPR_METHOD_DRAFTS_H

#include "base/base.h"
#include "base/file_bytes.h"

#include <sys/stat.h>

typedef struct {
    const char *path;              /* the final name; the caller's */
    char *draft, *lock;            /* the private one, and that of the lock */
    int held;                      /* the lock's descriptor; -1: not ours */
    bool there;                    /* the draft is, and is ours */
    char sha256[PDPR_SHA256_TEXT]; /* of its bytes when it was finished */
} pdpr_i_draft;

/* The last part of a path. */
const char *pdpr_i_base_name(const char *path);

/* Fills in the names, prefixes before the last part of `path`, so that the extension stays. The
 * caller ends with pdpr_i_draft_clear. Errors: PDPR_EUSAGE (no name of a file, or too long
 * a one), PDPR_ENOMEM. */
pdpr_status pdpr_i_draft_name(pdpr_context *ctx, const char *path, pdpr_i_draft *out,
                              pdpr_error *err);
/* Gives up the lock and frees the names; drafts stay, and so does the lock's file beside one, with
 * the word whose it is. */
void pdpr_i_draft_clear(pdpr_i_draft *draft);

/* Takes the name: nobody else has it now, neither another process nor another file of this one
 * (however its path is spelt). A draft that is there all the same was left by a dead run.
 * Errors: PDPR_EUSAGE (another has it), PDPR_EFAILED. */
pdpr_status pdpr_i_draft_lock(pdpr_i_draft *draft, pdpr_error *err);

/* Looks at what the final name would replace: a regular file other than the ledger (NULL: there is
 * none), any other ledger and any checkpoint, or nothing. Errors: PDPR_EUSAGE. */
pdpr_status pdpr_i_draft_check_target(const pdpr_i_draft *draft, const struct stat *ledger,
                                      pdpr_error *err);
/* Whether a draft is there, whoever made it. */
bool pdpr_i_draft_is_left(const pdpr_i_draft *draft);

/* Writes into the locks, which are held, and flushes, that drafts from now on are of this run (32
 * hex digits, or "": of none): a run that is taken up again may replace its own and no other's.
 * Errors: PDPR_EFAILED. */
pdpr_status pdpr_i_drafts_claim(const pdpr_i_draft *drafts, uint64_t count, const char *run,
                                pdpr_error *err);
/* The run that the lock, which is held, names; "" if none. */
void pdpr_i_draft_owner(const pdpr_i_draft *draft, char run[PDPR_LEDGER_ID_TEXT]);

/* The draft is written: notes that, and its hash. Errors: as pdpr_file_sha256. */
pdpr_status pdpr_i_draft_finished(pdpr_context *ctx, pdpr_i_draft *draft, pdpr_error *err);
/* Whether every draft that is there still has the bytes that were noted. Cost: one reading of each.
 * Errors: PDPR_EFAILED, PDPR_ECANCELLED. */
pdpr_status pdpr_i_drafts_unchanged(pdpr_context *ctx, const pdpr_i_draft *drafts, uint64_t count,
                                    pdpr_error *err);

/* Puts every draft that is there in its place, in order, readable as any new file, and flushes
 * their folders. After a failure those that it moved stay in place: taken back, they would leave
 * nothing where an older file was. Errors: PDPR_EFAILED. */
pdpr_status pdpr_i_drafts_place(pdpr_i_draft *drafts, uint64_t count, pdpr_error *err);

#endif
