/* Members and text of JSON documents: what jansson leaves to its users.
 *
 * jansson allocates for itself; only the finished text is accounted memory. Its hooks are global to
 * the process and belong to the host program, so they are left alone. */
#include "report/report.h"

#include <math.h>

#include "base/text_buffer.h"

bool pdpr_i_json_put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0; /* refuses NULL, frees value then */
}

bool pdpr_i_json_put_real(json_t *object, const char *key, double value)
{
    return pdpr_i_json_put(object, key, isfinite(value) ? json_real(value) : json_null());
}

bool pdpr_i_json_put_wide(json_t *object, const char *key, pdpr_uint128 value)
{
    if (value.high == 0 && value.low <= INT64_MAX)
        return pdpr_i_json_put(object, key, json_integer((json_int_t)value.low));

    char digits[PDPR_UINT128_TEXT], exact_key[64];
    pdpr_uint128_format(value, digits);
    snprintf(exact_key, sizeof exact_key, "%s_exact", key);
    return pdpr_i_json_put(object, key, json_real(pdpr_uint128_to_double(value))) &&
           pdpr_i_json_put(object, exact_key, json_string(digits));
}

bool pdpr_i_json_put_count(json_t *object, const char *key, uint64_t value)
{
    return pdpr_i_json_put_wide(object, key, (pdpr_uint128){.low = value});
}

bool pdpr_i_json_put_text(json_t *object, const char *key, const char *text)
{
    if (!text)
        return pdpr_i_json_put(object, key, json_null());
    json_t *value = json_string(text); /* NULL for what is no UTF-8 */
    if (!value) {
        char ascii[4096];
        size_t length = 0;
        for (; text[length] && length + 1 < sizeof ascii; length++)
            ascii[length] = (unsigned char)text[length] < 0x80 ? text[length] : '?';
        ascii[length] = '\0';
        value = json_string(ascii);
    }
    return pdpr_i_json_put(object, key, value);
}

/* ---------------------------------------------------------------- text */

static int append(const char *bytes, size_t length, void *arg)
{
    return pdpr_i_text_add(arg, bytes, length) ? 0 : -1; /* jansson 2.14 goes on after some */
}

pdpr_status pdpr_i_json_text(pdpr_context *ctx, json_t *root, char **out, pdpr_error *err)
{
    enum { DIGITS = 17, SPACES = 2 };
    pdpr_i_text b = {.ctx = ctx, .what = "JSON text", .err = err};

    int failed = !root ||
                 json_dump_callback(root, append, &b,
                                    JSON_INDENT(SPACES) | JSON_REAL_PRECISION(DIGITS)) != 0 ||
                 append("\n", 1, &b) != 0;
    json_decref(root);
    if (failed) {
        pdpr_i_text_drop(&b);
        return b.status != PDPR_OK ? b.status
                                   : pdpr_i_fail(err, PDPR_ENOMEM, "JSON: out of memory");
    }
    *out = b.text;
    return PDPR_OK;
}
