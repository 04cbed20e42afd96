/* Messages about input: what was found there, and where. */
#ifndef PDPR_BASE_FOUND_TEXT_H
#define PDPR_BASE_FOUND_TEXT_H

#include "base/base.h"

/* Room for a found text as a message shows it: quotes, 40 bytes escaped, dots, NUL. */
enum { PDPR_I_FOUND_TEXT = 176 };

/* Writes `text` between quotes, cut to 40 bytes, with everything that is no printable ASCII as
 * \n, \t or \xHH (UTF-8 letters pass). Returns `out`, so that it can stand in an argument list. */
const char *pdpr_i_found(char out[PDPR_I_FOUND_TEXT], const char *text, size_t length);

/* Fails with "file:line: …", or "file: …" for line 0. A long file name is shown by its end. */
pdpr_status pdpr_i_fail_at(pdpr_error *err, pdpr_status status, const char *file, uint64_t line,
                           const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
