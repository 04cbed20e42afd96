/* The file of a checkpoint: locked while it is used, replaced as a whole, overwritten before any
 * generation of it is given up. What the bytes mean is checkpoint.c's business.
 *
 *     _init, _lock     take up a file that is there
 *     _init, _begin, _write..., _finish    the next generation; the first takes the name
 *     _remove, _clear */
#ifndef PDPR_DP_CHECKPOINT_FILE_H
#define PDPR_DP_CHECKPOINT_FILE_H

#include "base/base.h"

/* Bytes of the beginning that base.h gives the file. */
enum { PDPR_I_CHECKPOINT_MAGIC_SIZE = sizeof PDPR_I_CHECKPOINT_MAGIC - 1 };

typedef struct {
    pdpr_context *ctx;
    char *path, *fresh; /* PATH, PATH.new */
    int descriptor;     /* of the file that has the name, locked; -1: none yet */
} pdpr_i_checkpoint_file;

/* Only names; nothing is opened. Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_checkpoint_file_init(pdpr_context *ctx, const char *path,
                                        pdpr_i_checkpoint_file *out, pdpr_error *err);
/* Unlocks and frees; the file stays. */
void pdpr_i_checkpoint_file_clear(pdpr_i_checkpoint_file *file);

/* Whether this user's checkpoint, or the beginning of one, has this name: nothing else may be
 * called one in a message, for what is called so may be removed. */
bool pdpr_i_checkpoint_file_is_one(const char *path);

/* Opens and locks what is there. Errors: PDPR_EUSAGE (there is none, or a running process uses it),
 * PDPR_EINPUT (no plain file, or readable for others), PDPR_EFAILED. */
pdpr_status pdpr_i_checkpoint_file_lock(pdpr_i_checkpoint_file *file, pdpr_error *err);

/* Overwrites and removes PATH.new, which a dead run left half-made. Only under the lock of a file
 * that is known for a checkpoint: another's PATH.new is not ours to touch. */
void pdpr_i_checkpoint_file_drop_half_made(const pdpr_i_checkpoint_file *file);

/* The next read starts `offset` bytes into the file; *length is that of the whole (NULL: not
 * wanted). Errors: PDPR_EFAILED. */
pdpr_status pdpr_i_checkpoint_file_seek(const pdpr_i_checkpoint_file *file, uint64_t offset,
                                        uint64_t *length, pdpr_error *err);
/* `length` bytes from here. Errors: PDPR_EINPUT (it ends before), PDPR_EFAILED. */
pdpr_status pdpr_i_checkpoint_file_read(const pdpr_i_checkpoint_file *file, void *out,
                                        uint64_t length, pdpr_error *err);
/* What is said of a file whose bytes are not those that were saved: PDPR_EINPUT. */
pdpr_status pdpr_i_checkpoint_file_damaged(const pdpr_i_checkpoint_file *file, pdpr_error *err);

/* PATH.new, empty and locked. The caller ends with finish or abandon, which close it.
 * Errors: PDPR_EUSAGE (another run is writing it), PDPR_EFAILED. */
pdpr_status pdpr_i_checkpoint_file_begin(const pdpr_i_checkpoint_file *file, int *fresh,
                                         pdpr_error *err);
/* Errors: PDPR_EFAILED. */
pdpr_status pdpr_i_checkpoint_file_write(const pdpr_i_checkpoint_file *file, int fresh,
                                         const void *bytes, uint64_t length, pdpr_error *err);
/* Flushes it and gives it the name; the generation before is overwritten, if the folder with the
 * new name could be flushed too. The first generation
 * never replaces a file. Errors: PDPR_EFAILED; the file is then the old one. */
pdpr_status pdpr_i_checkpoint_file_finish(pdpr_i_checkpoint_file *file, int fresh, pdpr_error *err);
/* Overwrites and removes PATH.new. */
void pdpr_i_checkpoint_file_abandon(const pdpr_i_checkpoint_file *file, int fresh);

/* Overwrites and removes the file, if there is one. What cannot be removed is told as a notice. */
void pdpr_i_checkpoint_file_remove(pdpr_i_checkpoint_file *file);

#endif
