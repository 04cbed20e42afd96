/* Release files: what passes the valve, in a file that NumPy opens.
 *
 * A release file is an .npz archive (ZIP, members stored uncompressed): `header.json` first, then
 * one `name.npy` an array. The header says what the arrays are and holds the SHA-256 of each, so
 * that a damaged file is refused rather than sampled from. Same content, same bytes: no times, no
 * paths, members in the order given.
 *
 *     >>> numpy.load("graph.release")["embedding"].shape */
#ifndef PDPR_METHOD_RELEASE_FILE_H
#define PDPR_METHOD_RELEASE_FILE_H

#include "base/base.h"

#include <jansson.h>

typedef enum {
    PDPR_I_ARRAY_INT64,
    PDPR_I_ARRAY_UINT32,
    PDPR_I_ARRAY_FLOAT32,
    PDPR_I_ARRAY_FLOAT64,
    PDPR_I_ARRAY_UINT8,
    PDPR_I_ARRAY_TYPES
} pdpr_i_array_type;

enum { PDPR_I_ARRAY_NAME = 32, PDPR_I_MOST_ARRAYS = 64 };

/* Row-major; one column (columns == 0) is written as a vector. */
typedef struct {
    char name[PDPR_I_ARRAY_NAME]; /* lower-case letters, digits, _; "header" is taken */
    pdpr_i_array_type type;
    uint64_t rows, columns;
    void *items;
} pdpr_i_array;

typedef struct {
    json_t *header; /* an object; the reader has checked format, version and hashes */
    pdpr_i_array array[PDPR_I_MOST_ARRAYS];
    uint32_t num_arrays;
} pdpr_i_release_file;

/* Writes header (an object; "format", "version" and "arrays" are added to a copy) and arrays; the
 * file appears complete or not at all. Errors: PDPR_EUSAGE (a name, a member of 4 GiB or more),
 * PDPR_EFAILED, PDPR_ENOMEM. */
pdpr_status pdpr_i_release_file_write(pdpr_context *ctx, const char *path,
                                      const pdpr_i_release_file *release, pdpr_error *err);

/* Writes one array as an .npy file. Errors: PDPR_EUSAGE (out of range), PDPR_EFAILED, PDPR_ENOMEM.
 */
pdpr_status pdpr_i_array_write(pdpr_context *ctx, const char *path, const pdpr_i_array *array,
                               pdpr_error *err);

/* Reads and checks a file. The caller clears *out. Errors: PDPR_EINPUT (damaged, no release, a
 * newer version), PDPR_EFAILED, PDPR_ENOMEM. */
pdpr_status pdpr_i_release_file_read(pdpr_context *ctx, const char *path, pdpr_i_release_file *out,
                                     pdpr_error *err);

/* Frees header and items. A zeroed one is fine. */
void pdpr_i_release_file_clear(pdpr_i_release_file *release);

/* The array of that name, or NULL. */
const pdpr_i_array *pdpr_i_release_file_find(const pdpr_i_release_file *release, const char *name);

#endif
