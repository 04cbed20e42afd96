/* Small files read whole; pdpr_file_sha256 (public) is in the same source. */
#ifndef PDPR_BASE_FILE_BYTES_H
#define PDPR_BASE_FILE_BYTES_H

#include "base/base.h"

/* All bytes of a file, with a NUL behind them; refuses one of more than `most`. The caller frees
 * *bytes. Errors: PDPR_EFAILED, PDPR_EINPUT (too long), PDPR_ENOMEM. */
pdpr_status pdpr_i_file_read(pdpr_context *ctx, const char *path, size_t most, char **bytes,
                             size_t *length, pdpr_error *err);

#endif
