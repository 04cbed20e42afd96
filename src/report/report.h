/* Report: results as JSON.
 *
 * Built with jansson, written in a fixed order of keys with 17 significant digits, so that equal
 * results give equal bytes and every real number reads back as itself. What is not defined is null,
 * never NaN. Integers stay integers up to 2^63 - 1; beyond, the key holds a real number and
 * `<key>_exact` the digits. */
#ifndef PDPR_REPORT_REPORT_H
#define PDPR_REPORT_REPORT_H

#include <jansson.h>

#include "metrics/metrics.h"

/* Each adds one member to `object` and returns false if jansson has no memory; `object` NULL is
 * such a case, so that calls can be chained with && and checked once. */
bool pdpr_i_json_put(json_t *object, const char *key, json_t *value); /* takes value over */
bool pdpr_i_json_put_real(json_t *object, const char *key, double value);
bool pdpr_i_json_put_count(json_t *object, const char *key, uint64_t value);
bool pdpr_i_json_put_wide(json_t *object, const char *key, pdpr_uint128 value);
/* Bytes that are no UTF-8 (file names may hold any) become '?'. */
bool pdpr_i_json_put_text(json_t *object, const char *key, const char *text);

/* The text of a document, with a newline at its end. root NULL is PDPR_ENOMEM. Always takes root
 * over. */
pdpr_status pdpr_i_json_text(pdpr_context *ctx, json_t *root, char **out, pdpr_error *err);

/* The flat object of a graph; NULL: out of memory. */
json_t *pdpr_i_json_metrics(const pdpr_metrics *metrics, const char *name);

#endif
