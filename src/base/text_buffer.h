/* A text that grows at its end: what JSON and HTML documents are built in.
 *
 * The first failure sticks and later calls do nothing, so that a document is written without a
 * check on every line and asked once at its end. */
#ifndef PDPR_BASE_TEXT_BUFFER_H
#define PDPR_BASE_TEXT_BUFFER_H

#include "base/base.h"

typedef struct {
    pdpr_context *ctx;
    const char *what; /* names the use in the error text */
    pdpr_error *err;
    pdpr_status status;
    char *text; /* NULL before the first byte; else with a NUL behind its `used` bytes */
    uint64_t used, room;
} pdpr_i_text;

/* Returns false once memory ran out. */
bool pdpr_i_text_add(pdpr_i_text *b, const char *bytes, size_t length);
/* A string as it stands. */
void pdpr_i_text_put(pdpr_i_text *b, const char *string);
/* At most 1024 bytes at once; what is longer is cut. No real numbers: they depend on the locale. */
void pdpr_i_text_format(pdpr_i_text *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A real number with that many decimals (0..6), '.' before them in every locale; "-" for what is
 * not finite or too large for it (2^53). */
void pdpr_i_text_fixed(pdpr_i_text *b, double value, int decimals);
void pdpr_i_text_drop(pdpr_i_text *b);

#endif
