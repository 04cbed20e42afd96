/* Reals as decimal strings: the shortest text that reads back as the same double.
 *
 * Printing tries 1, 2, … 17 digits and takes the first that reads back exactly; 17 always do
 * (IEEE 754 binary64). printf and strtod follow the locale's decimal point, so neither is shown
 * one: digits are picked out of %e, and strtod gets "digits e exponent" without a point.
 *
 * Invariant: parse accepts exactly the texts that print makes.
 * Cost: at most 17 conversions, a few microseconds. Source: form of RFC 8785 section 3.2.2.3. */
#include "dp/canonical_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 17, PLAIN_ABOVE = 21 };

/* value = 0.d1d2d3… * 10^point, value > 0. */
typedef struct {
    char digits[MOST_DIGITS + 1];
    int count, point;
} decimal;

/* The digits and the exponent of `value` printed to `count` digits. */
static void split(double value, int count, decimal *out)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", count - 1, value);
    out->count = 0;
    const char *at = text;
    for (; *at != 'e'; at++) /* the decimal point may be any bytes of the locale */
        if ((unsigned)(*at - '0') <= 9)
            out->digits[out->count++] = *at;
    out->digits[out->count] = '\0';
    out->point = atoi(at + 1) + 1;
}

static double join(const decimal *d)
{
    char text[64];
    snprintf(text, sizeof text, "%se%d", d->digits, d->point - d->count);
    return strtod(text, NULL);
}

void pdpr_i_real_text(double value, char text[PDPR_I_REAL_TEXT])
{
    char *at = text;
    decimal d;
    if (value < 0) {
        *at++ = '-';
        value = -value;
    }
    if (value == 0) { /* minus zero too */
        memcpy(at, "0", 2);
        return;
    }
    for (int count = 1;; count++) {
        split(value, count, &d);
        if (count == MOST_DIGITS || join(&d) == value)
            break;
    }
    if (d.point > PLAIN_ABOVE || d.point < -5) {
        *at++ = d.digits[0];
        if (d.count > 1) {
            *at++ = '.';
            at = stpcpy(at, d.digits + 1);
        }
        sprintf(at, "e%+d", d.point - 1);
    } else if (d.point <= 0) {
        at = stpcpy(at, "0.");
        for (int i = d.point; i < 0; i++)
            *at++ = '0';
        memcpy(at, d.digits, (size_t)d.count + 1);
    } else {
        for (int i = 0; i < d.point; i++)
            *at++ = (char)(i < d.count ? d.digits[i] : '0');
        if (d.count > d.point) {
            *at++ = '.';
            at = stpcpy(at, d.digits + d.point);
        }
        *at = '\0';
    }
}

bool pdpr_i_real_parse(const char *text, double *out)
{
    char without_point[2 * PDPR_I_REAL_TEXT], again[PDPR_I_REAL_TEXT];
    size_t length = strlen(text), used = 0;
    int after_point = 0;
    bool point_seen = false;
    const char *at = text;

    if (length == 0 || length >= PDPR_I_REAL_TEXT)
        return false;
    for (; *at && *at != 'e'; at++) {
        if (*at == '.' && !point_seen) {
            point_seen = true;
        } else if ((*at >= '0' && *at <= '9') || (*at == '-' && at == text)) {
            without_point[used++] = *at;
            after_point += point_seen;
        } else {
            return false;
        }
    }
    /* An exponent that atoi misreads gives another number or spelling, refused below. */
    int exponent = *at ? atoi(at + 1) : 0;
    if (exponent < -400 || exponent > 400)
        return false;
    snprintf(without_point + used, sizeof without_point - used, "e%d", exponent - after_point);
    double value = strtod(without_point, NULL);
    if (!isfinite(value))
        return false;
    pdpr_i_real_text(value, again);
    if (strcmp(again, text) != 0)
        return false;
    *out = value;
    return true;
}
