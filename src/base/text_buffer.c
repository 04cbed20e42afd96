/* A text that grows at its end, by doubling: O(length) time altogether.
 *
 * Real numbers are written through integers: printf would put a comma for the point in half of the
 * world's locales, and a picture with commas in its coordinates is no picture. */
#include "base/text_buffer.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

bool pdpr_i_text_add(pdpr_i_text *b, const char *bytes, size_t length)
{
    if (b->status != PDPR_OK)
        return false;
    if (b->used + length + 1 > b->room) {
        uint64_t room = 2 * b->room + length + 1024;
        b->status = pdpr_i_resize(b->ctx, room, 1, b->what, &b->text, b->err);
        if (b->status != PDPR_OK)
            return false;
        b->room = room;
    }
    memcpy(b->text + b->used, bytes, length);
    b->used += length;
    b->text[b->used] = '\0';
    return true;
}

void pdpr_i_text_put(pdpr_i_text *b, const char *string)
{
    pdpr_i_text_add(b, string, strlen(string));
}

void pdpr_i_text_format(pdpr_i_text *b, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (length > 0)
        pdpr_i_text_add(b, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

void pdpr_i_text_fixed(pdpr_i_text *b, double value, int decimals)
{
    static const int64_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    int64_t unit = power[decimals];
    double scaled = value * (double)unit;
    if (!(fabs(scaled) < 0x1p53)) {
        pdpr_i_text_put(b, "-");
        return;
    }
    int64_t whole = llround(fabs(scaled));
    const char *sign = value < 0 && whole > 0 ? "-" : "";
    if (decimals == 0)
        pdpr_i_text_format(b, "%s%" PRId64, sign, whole);
    else
        pdpr_i_text_format(b, "%s%" PRId64 ".%0*" PRId64, sign, whole / unit, decimals,
                           whole % unit);
}

void pdpr_i_text_drop(pdpr_i_text *b)
{
    pdpr_free(b->text);
    b->text = NULL;
    b->used = b->room = 0;
}
