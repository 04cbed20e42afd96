/* Canonical JSON: one text for one value, so that a hash of the text is a hash of the value.
 *
 * Keys ascending by their bytes, no white space, UTF-8, integers exact (64-bit, signed). There are
 * no JSON reals: a real is a string in the shortest decimal form that reads back as the same
 * double, so that no reader's arithmetic can change it. */
#ifndef PDPR_DP_CANONICAL_JSON_H
#define PDPR_DP_CANONICAL_JSON_H

#include <jansson.h>

#include "base/base.h"

/* The canonical text of `value`, with a NUL behind its `length` bytes; the caller frees *text.
 * Errors: PDPR_EUSAGE (a real number in it), PDPR_ENOMEM. */
pdpr_status pdpr_i_canonical_write(pdpr_context *ctx, const json_t *value, char **text,
                                   size_t *length, pdpr_error *err);

/* Reads a canonical text and refuses every other way to write the same value. The error says where
 * and why, never what stands there. `name` opens the message ("file:line"). The caller drops *out
 * with json_decref. Errors: PDPR_EINPUT, PDPR_ENOMEM. */
pdpr_status pdpr_i_canonical_parse(pdpr_context *ctx, const char *text, size_t length,
                                   const char *name, json_t **out, pdpr_error *err);

enum { PDPR_I_REAL_TEXT = 32 };

/* The shortest decimal text that reads back as `value` (finite), in the form of ECMAScript and
 * RFC 8785: plain between 1e-6 and 1e21, else d.ddde-dd. Does not depend on the locale. */
void pdpr_i_real_text(double value, char text[PDPR_I_REAL_TEXT]);

/* Reads back such a text; false for any other, also for another spelling of the same number. */
bool pdpr_i_real_parse(const char *text, double *out);

#endif
