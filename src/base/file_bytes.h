/* Small files read whole, and the SHA-256 of files of any size. */
#ifndef PDPR_BASE_FILE_BYTES_H
#define PDPR_BASE_FILE_BYTES_H

#include "base/base.h"

enum { PDPR_I_SHA256_TEXT = PDPR_SHA256_TEXT };

/* All bytes of a file, with a NUL behind them; refuses one of more than `most`. The caller frees
 * *bytes. Errors: PDPR_EFAILED, PDPR_EINPUT (too long), PDPR_ENOMEM. */
pdpr_status pdpr_i_file_read(pdpr_context *ctx, const char *path, size_t most, char **bytes,
                             size_t *length, pdpr_error *err);

/* Lower-case hex. Cost: about 300 MB/s. Errors: PDPR_EFAILED, PDPR_ECANCELLED. */
pdpr_status pdpr_i_file_sha256(pdpr_context *ctx, const char *path, char hex[PDPR_I_SHA256_TEXT],
                               pdpr_error *err);

#endif
