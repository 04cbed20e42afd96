/* Files under their private names, between being written and being published.
 *
 * A draft stands beside its final name, so that publishing is a rename(2) within one folder. */
#ifndef PDPR_METHOD_DRAFTS_H
#define PDPR_METHOD_DRAFTS_H

#include "base/base.h"

#include <sys/stat.h>

typedef struct {
    const char *path; /* the final name; the caller's */
    char *draft;      /* the private one */
    bool there;       /* the draft is, and is ours */
    bool moved;       /* it was put in place by pdpr_i_drafts_place */
} pdpr_i_draft;

/* The last part of a path. */
const char *pdpr_i_base_name(const char *path);

/* Fills in the names: ".draft-" before the last part of `path`, so that the extension stays. The
 * caller frees out->draft. Errors: PDPR_EUSAGE (no name of a file), PDPR_ENOMEM. */
pdpr_status pdpr_i_draft_name(pdpr_context *ctx, const char *path, pdpr_i_draft *out,
                              pdpr_error *err);

/* Makes an empty draft that nobody else has, neither another run nor another file of this one
 * (however its path is spelt), and looks at what the final name would replace: a regular file other
 * than the ledger (NULL: there is none), or nothing. Errors: PDPR_EUSAGE, PDPR_EFAILED. */
pdpr_status pdpr_i_draft_take(pdpr_i_draft *draft, const struct stat *ledger, pdpr_error *err);

/* Puts every draft that is there in its place, in order, and flushes their folders; after a failure
 * those that it moved are drafts again. `kept` is added to the message: what is to be done with
 * the draft that stays, "" if none does. Errors: PDPR_EFAILED. */
pdpr_status pdpr_i_drafts_place(pdpr_i_draft *drafts, uint64_t count, const char *kept,
                                pdpr_error *err);

#endif
