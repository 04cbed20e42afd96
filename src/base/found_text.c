/* Messages about input: what was found, made safe to print, and where.
 *
 * Input may hold anything: control characters that move a terminal's cursor, a megabyte without a
 * line end, half a UTF-8 sequence. A message shows at most 40 bytes of it and escapes every byte
 * that is neither printable ASCII nor part of a whole UTF-8 sequence. */
#include "base/found_text.h"

#include <stdarg.h>
#include <string.h>

enum { MOST_SHOWN = 40, MOST_NAME = 160 };

/* Length of the UTF-8 sequence that starts at text[0], or 0 if there is none. Sequences of two
 * bytes start at U+00A0: below stand control characters. */
static size_t utf8_length(const unsigned char *text, size_t length)
{
    size_t n = text[0] >= 0xc2 && text[0] < 0xe0   ? 2
               : text[0] >= 0xe0 && text[0] < 0xf0 ? 3
               : text[0] >= 0xf0 && text[0] < 0xf5 ? 4
                                                   : 0;
    if (n == 0 || n > length || (text[0] == 0xc2 && text[1] < 0xa0))
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

const char *pdpr_i_found(char out[PDPR_I_FOUND_TEXT], const char *text, size_t length)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *from = (const unsigned char *)text;
    size_t i = 0;
    char *to = out;

    *to++ = '"';
    while (i < length && i < MOST_SHOWN) {
        unsigned char c = from[i];
        size_t whole = utf8_length(from + i, length - i);
        if (whole) {
            memcpy(to, from + i, whole);
            to += whole;
            i += whole;
            continue;
        }
        if (c == '\t' || c == '\n' || c == '\r') {
            *to++ = '\\';
            *to++ = c == '\t' ? 't' : c == '\n' ? 'n' : 'r';
        } else if (c >= 0x20 && c < 0x7f) {
            *to++ = (char)c;
        } else {
            *to++ = '\\';
            *to++ = 'x';
            *to++ = hex[c >> 4];
            *to++ = hex[c & 15];
        }
        i++;
    }
    if (i < length) {
        memcpy(to, "...", 3);
        to += 3;
    }
    *to++ = '"';
    *to = '\0';
    return out;
}

pdpr_status pdpr_i_fail_at(pdpr_error *err, pdpr_status status, const char *file, uint64_t line,
                           const char *format, ...)
{
    char text[PDPR_ERROR_TEXT];
    size_t length = strlen(file);
    const char *cut = length > MOST_NAME ? "..." : "";
    const char *shown = length > MOST_NAME ? file + length - MOST_NAME : file;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (line)
        return pdpr_i_fail(err, status, "%s%s:%" PRIu64 ": %s", cut, shown, line, text);
    return pdpr_i_fail(err, status, "%s%s: %s", cut, shown, text);
}
