/* Canonical JSON on jansson.
 *
 * jansson parses and prints; this file pins down one of the many texts that it would accept. A
 * parsed text must be equal, byte for byte, to what the writer makes of its value: that settles
 * white space, order of keys, escapes, repeated keys and number spellings with one comparison,
 * and leaves no list of cases to forget.
 *
 * Invariant: parse(write(v)) = v and write(parse(t)) = t.
 * Cost: O(length log keys) time; twice the text in memory.
 * Source: RFC 8785 for the idea and for the form of reals; unlike it, reals are strings and keys
 * are ordered by UTF-8 bytes. */
#include "dp/canonical_json.h"

#include <string.h>

enum { FLAGS = JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY };

static bool has_real(const json_t *value)
{
    if (json_typeof(value) == JSON_REAL)
        return true;
    if (json_typeof(value) == JSON_ARRAY)
        for (size_t i = 0; i < json_array_size(value); i++)
            if (has_real(json_array_get(value, i)))
                return true;
    if (json_typeof(value) == JSON_OBJECT) {
        json_t *object = (json_t *)value; /* walked, not changed */
        for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at))
            if (has_real(json_object_iter_value(at)))
                return true;
    }
    return false;
}

pdpr_status pdpr_i_canonical_write(pdpr_context *ctx, const json_t *value, char **text,
                                   size_t *length, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    char *buffer = NULL;

    if (has_real(value)) {
        s = pdpr_i_fail(err, PDPR_EUSAGE, "canonical JSON: expected no real number, found one");
        goto done;
    }
    /* Once to measure, once to write. Both passes sort the keys in memory of jansson's own. */
    size_t needed = json_dumpb(value, NULL, 0, FLAGS);
    if (needed > 0) {
        PDPR_TRY(pdpr_i_alloc(ctx, (uint64_t)needed + 1, 1, "canonical JSON", &buffer, err));
        if (json_dumpb(value, buffer, needed, FLAGS) != needed)
            needed = 0;
    }
    if (needed == 0) {
        s = pdpr_i_fail(err, PDPR_ENOMEM, "canonical JSON: out of memory");
        goto done;
    }
    buffer[needed] = '\0';
    *text = buffer;
    *length = needed;
    buffer = NULL;
done:
    pdpr_free(buffer);
    return s;
}

pdpr_status pdpr_i_canonical_parse(pdpr_context *ctx, const char *text, size_t length,
                                   const char *name, json_t **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    json_t *value = NULL;
    json_error_t why;
    char *again = NULL;
    size_t again_length = 0;

    value = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
    /* jansson has a sentence for every fault of the text. When its memory runs out it has none, or
     * takes the unread rest for a fault: refused either way. */
    if (!value && why.text[0] == '\0') {
        s = pdpr_i_fail(err, PDPR_ENOMEM, "%s: out of memory", name);
        goto done;
    }
    if (!value) {
        /* jansson's own text quotes the content, so it is not passed on. */
        s = pdpr_i_fail(err, PDPR_EINPUT, "%s: expected JSON, found something else at byte %d",
                        name, why.position);
        goto done;
    }
    if (has_real(value)) {
        s = pdpr_i_fail(err, PDPR_EINPUT,
                        "%s: expected reals as decimal strings, found a JSON real", name);
        goto done;
    }
    PDPR_TRY(pdpr_i_canonical_write(ctx, value, &again, &again_length, err));
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): it takes a failure for success */
    if (again_length != length || memcmp(again, text, length) != 0) {
        s = pdpr_i_fail(err, PDPR_EINPUT,
                        "%s: expected canonical JSON (sorted keys, no white space), found another "
                        "spelling",
                        name);
        goto done;
    }
    *out = value;
    value = NULL;
done:
    json_decref(value);
    pdpr_free(again);
    return s;
}
