/* 128-bit counts for callers whose compiler has no such type: as a real number and as digits. */
#include "metrics/metrics.h"

#include <string.h>

static pdpr_i_wide wide(pdpr_uint128 value)
{
    return (pdpr_i_wide)value.high << 64 | value.low;
}

double pdpr_uint128_to_double(pdpr_uint128 value)
{
    return (double)wide(value); /* one rounding, unlike high * 2^64 + low */
}

void pdpr_uint128_format(pdpr_uint128 value, char text[PDPR_UINT128_TEXT])
{
    char reversed[PDPR_UINT128_TEXT];
    size_t digits = 0;
    pdpr_i_wide rest = wide(value);

    do { /* at most 39 digits */
        reversed[digits++] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest != 0);
    for (size_t i = 0; i < digits; i++)
        text[i] = reversed[digits - 1 - i];
    text[digits] = '\0';
}
