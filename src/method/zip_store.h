/* ZIP archives of stored (uncompressed) members, as NumPy writes and reads them as .npz.
 *
 * By hand rather than with a library: stored members need forty lines each way, and the bytes must
 * not depend on clock, platform or library version. Not here: compression, encryption, ZIP64
 * (members below 4 GiB), comments. */
#ifndef PDPR_METHOD_ZIP_STORE_H
#define PDPR_METHOD_ZIP_STORE_H

#include "base/base.h"

enum { PDPR_I_ZIP_NAME = 48, PDPR_I_ZIP_MOST = 72 };

/* One member: `head` bytes, then `body` bytes (two pieces so that an .npy header needs no copy of
 * its array). */
typedef struct {
    char name[PDPR_I_ZIP_NAME];
    const void *head, *body;
    uint64_t head_bytes, body_bytes;
} pdpr_i_zip_member;

/* Writes all members. Errors: PDPR_EUSAGE (too large), PDPR_EFAILED. */
pdpr_status pdpr_i_zip_write(pdpr_i_outfile *out, const char *path,
                             const pdpr_i_zip_member *members, uint32_t count, pdpr_error *err);

/* Finds the members in `bytes` of an archive; head points into it and body is empty. Every offset
 * and length is checked and every CRC verified. Errors: PDPR_EINPUT. */
pdpr_status pdpr_i_zip_index(const char *path, const unsigned char *bytes, uint64_t length,
                             pdpr_i_zip_member members[PDPR_I_ZIP_MOST], uint32_t *count,
                             pdpr_error *err);

#endif
