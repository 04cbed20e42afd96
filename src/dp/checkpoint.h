/* Checkpoints of a long run: what must be kept so that a killed run goes on to the same bytes
 * without spending again (PRIVACY P-24; reasons in docs/design/0014-checkpoints.md).
 *
 * The file is SECRET: it holds the random bytes from which the noise is made, and weights that saw
 * no noise. It has mode 0600, stands beside the ledger, is locked while a run uses it, is
 * authenticated under a key that only the same input, parameters and random bytes give, and is
 * overwritten and removed once the run is published; so is every generation that a later one
 * replaced.
 *
 *     pdpr_i_checkpoint_new or _open   takes the name, or locks what an interrupted run left
 *     pdpr_i_checkpoint_bind           to the run's key, input and parameters
 *     pdpr_i_checkpoint_save, _load
 *     pdpr_i_checkpoint_remove         after PUBLISHED
 *     pdpr_i_checkpoint_close */
#ifndef PDPR_DP_CHECKPOINT_H
#define PDPR_DP_CHECKPOINT_H

#include "base/base.h"
#include "dp/noise_key.h"

typedef struct pdpr_i_checkpoint pdpr_i_checkpoint;

/* One array of the state; its size is public. */
typedef struct {
    void *items;
    uint64_t bytes;
} pdpr_i_checkpoint_part;

/* For a new run. Nothing is written before the first save. Errors: PDPR_EUSAGE (a file is there),
 * PDPR_EFAILED (no locked memory), PDPR_ENOMEM. */
pdpr_status pdpr_i_checkpoint_new(pdpr_context *ctx, const char *path, pdpr_i_checkpoint **out,
                                  pdpr_error *err);
/* What an interrupted run left. Errors: PDPR_EUSAGE (there is none, or a running process uses it),
 * PDPR_EINPUT (no checkpoint, damaged, readable for others), PDPR_EFAILED, PDPR_ENOMEM. */
pdpr_status pdpr_i_checkpoint_open(pdpr_context *ctx, const char *path, pdpr_i_checkpoint **out,
                                   pdpr_error *err);
/* Unlocks, wipes and frees; the file stays. NULL is fine. */
void pdpr_i_checkpoint_close(pdpr_i_checkpoint *c);

/* Whether it was opened rather than new; the ledger's id of its run ("": none); how many steps it
 * has done; its random bytes (NULL: a seeded run). */
bool pdpr_i_checkpoint_is_resumed(const pdpr_i_checkpoint *c);
const char *pdpr_i_checkpoint_run(const pdpr_i_checkpoint *c);
uint64_t pdpr_i_checkpoint_step(const pdpr_i_checkpoint *c);
const unsigned char *pdpr_i_checkpoint_entropy(const pdpr_i_checkpoint *c);

/* Before the first save, of a new run: its id in the ledger and its random bytes (NULL: seeded). */
void pdpr_i_checkpoint_describe(pdpr_i_checkpoint *c, const char *run,
                                const unsigned char *entropy);

/* Ties it to a key of the run, the digest of its input and its parameters. One that was opened is
 * then known to be, from its first byte to its last, what was saved; the head's fields (run, step)
 * decide nothing before. Errors: PDPR_EUSAGE (it was made with other parameters), PDPR_EINPUT (from
 * another input, or damaged), PDPR_EFAILED. */
pdpr_status pdpr_i_checkpoint_bind(pdpr_i_checkpoint *c, const pdpr_i_key *key,
                                   const unsigned char digest[PDPR_I_DIGEST_BYTES],
                                   const char *parameters, pdpr_error *err);

/* Replaces the file as a whole: beside it, flushed, renamed. Must be bound.
 * Errors: PDPR_EUSAGE (another run took the name), PDPR_EFAILED; the file is then the old one. */
pdpr_status pdpr_i_checkpoint_save(pdpr_i_checkpoint *c, uint64_t step,
                                   const pdpr_i_checkpoint_part *parts, uint32_t count,
                                   pdpr_error *err);
/* Fills the parts as they were saved; a checkpoint of step 0 has none and leaves them alone.
 * Errors: PDPR_EINPUT (damaged; the parts are then undefined), PDPR_EFAILED. */
pdpr_status pdpr_i_checkpoint_load(pdpr_i_checkpoint *c, const pdpr_i_checkpoint_part *parts,
                                   uint32_t count, pdpr_error *err);

/* Overwrites and removes the file, if there is one. What cannot be removed is told as a notice:
 * the run is published, and nothing can be resumed from it any more. */
void pdpr_i_checkpoint_remove(pdpr_i_checkpoint *c);

#endif
