/* The grammar of one line of an edge list.
 *
 *   line    = blanks [ comment | id SEP id { SEP anything } ] blanks
 *   comment = ( '#' | '%' ) anything
 *   SEP     = ',' | ';' | tab, with blanks around it, or a run of blanks; one kind in a file
 *   id      = '"' { any byte but '"' | '""' } '"' | bytes without blanks or SEP
 *
 * An id is a number (decimal digits below 2^64) or a text. Digits behind a leading zero are a text
 * (telephone numbers and zip codes are such), and then all ids of the file are. Tokens that are
 * numbers in another notation are kept apart, because "1.0" or "-1" taken for a text would hide a
 * mistake. This file is the plain reference; the fast path in collect_edges.c takes the lines that
 * are nothing but two numbers and leaves all others to it. Cost: O(length). */
#include "graph/io.h"
#include "base/found_text.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex_digit(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* ---------------------------------------------------------------- ids */

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && is_digit(*at))
        at++;
    return at;
}

/* A sign, a hexadecimal number, a fraction or an exponent, as programs print numbers. */
static bool is_miswritten(const char *at, const char *end)
{
    if (at < end && (*at == '+' || *at == '-'))
        at++;
    if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
        at += 2;
        while (at < end && is_hex_digit(*at))
            at++;
        return at == end;
    }
    const char *whole = skip_digits(at, end), *after = whole;
    if (whole < end && *whole == '.')
        after = skip_digits(whole + 1, end);
    if (whole == at && after - whole < 2) /* no digit on either side of the point */
        return false;
    if (after < end && (*after == 'e' || *after == 'E')) {
        after++;
        if (after < end && (*after == '+' || *after == '-'))
            after++;
        const char *exponent = after;
        after = skip_digits(after, end);
        if (after == exponent)
            return false;
    }
    return after == end;
}

bool pdpr_i_id_is_padded(pdpr_i_token id)
{
    const char *end = id.start + id.length;
    return id.length > 1 && *id.start == '0' && skip_digits(id.start, end) == end;
}

pdpr_i_id_kind pdpr_i_id_read(pdpr_i_token id, uint64_t *number)
{
    const char *end = id.start + id.length;
    uint64_t value = 0;

    if (id.length == 0)
        return PDPR_I_ID_TEXT;
    if (skip_digits(id.start, end) != end)
        return is_miswritten(id.start, end) ? PDPR_I_ID_MISWRITTEN : PDPR_I_ID_TEXT;
    for (const char *at = id.start; at < end; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return PDPR_I_ID_TOO_LARGE;
        value = 10 * value + digit;
    }
    *number = value;
    return PDPR_I_ID_NUMBER;
}

pdpr_status pdpr_i_fail_id(const char *name, uint64_t line, pdpr_i_token id, pdpr_error *err)
{
    char found[PDPR_I_FOUND_TEXT];
    uint64_t number;
    pdpr_i_found(found, id.start, id.length);
    if (pdpr_i_id_read(id, &number) == PDPR_I_ID_TOO_LARGE)
        return pdpr_i_fail_at(err, PDPR_EINPUT, name, line,
                              "expected a node id below 18446744073709551616, found %s", found);
    return pdpr_i_fail_at(err, PDPR_EINPUT, name, line,
                          "expected a node id (decimal digits only), found %s", found);
}

bool pdpr_i_id_needs_quotes(const char *text, size_t length)
{
    if (length == 0 || text[0] == '#' || text[0] == '%')
        return true;
    for (size_t i = 0; i < length; i++)
        if (is_blank(text[i]) || text[i] == ',' || text[i] == ';' || text[i] == '"')
            return true;
    return false;
}

bool pdpr_i_id_is_writable(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 && text[i] != '\t')
            return false;
    return length > 0 && length <= PDPR_I_MOST_ID;
}

pdpr_status pdpr_i_fail_text_id(const char *name, uint64_t line, pdpr_i_token id, pdpr_error *err)
{
    char found[PDPR_I_FOUND_TEXT];
    return pdpr_i_fail_at(
        err, PDPR_EINPUT, name, line,
        "expected a node id of 1 to %d bytes without control characters, found %s", PDPR_I_MOST_ID,
        pdpr_i_found(found, id.start, id.length));
}

/* ---------------------------------------------------------------- lines */

static char *skip_blanks(char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

bool pdpr_i_line_is_comment(const pdpr_i_line *line)
{
    const char *at = skip_blanks(line->start, line->end);
    return at == line->end || *at == '#' || *at == '%';
}

/* Two numbers with blanks between them settle it, whatever follows (KONECT mixes spaces and tabs).
 * Otherwise the first tab, comma or semicolon outside quotes is the separator: in such files texts
 * may hold spaces. */
char pdpr_i_line_separator(const pdpr_i_line *line)
{
    char *at = skip_blanks(line->start, line->end);
    uint64_t number;
    int numbers = 0;

    for (; numbers < 2 && at < line->end; numbers++) {
        char *stop = at;
        while (stop < line->end && !is_blank(*stop))
            stop++;
        if (pdpr_i_id_read((pdpr_i_token){at, (size_t)(stop - at)}, &number) == PDPR_I_ID_TEXT)
            break;
        at = skip_blanks(stop, line->end);
    }
    if (numbers == 2)
        return ' ';
    bool quoted = false;
    for (at = skip_blanks(line->start, line->end); at < line->end; at++) {
        quoted ^= *at == '"';
        if (!quoted && (*at == '\t' || *at == ',' || *at == ';'))
            return *at;
    }
    return ' ';
}

/* Takes a quoted text apart; *at stands behind the opening quote, and behind the closing one
 * afterwards. Doubled quotes become one, in place. */
static bool take_quoted(char **at, const char *end, pdpr_i_token *out)
{
    char *from = *at, *to = *at;
    for (; from < end; from++) {
        if (*from == '"') {
            if (from + 1 == end || from[1] != '"')
                break;
            from++;
        }
        *to++ = *from;
    }
    if (from == end)
        return false;
    *out = (pdpr_i_token){*at, (size_t)(to - *at)};
    *at = from + 1;
    return true;
}

static pdpr_status fail_quote(const char *name, uint64_t number, pdpr_error *err)
{
    return pdpr_i_fail_at(err, PDPR_EINPUT, name, number,
                          "expected a closing quote and a separator, found none");
}

/* One field; *at ends on the separator, on a blank, or at the end of the line. */
static pdpr_status take_field(const char *name, const pdpr_i_line *line, char separator, char **at,
                              pdpr_i_token *out, pdpr_error *err)
{
    const char *end = line->end;
    bool blanks = separator == ' ';

    if (*at < end && **at == '"') {
        ++*at;
        if (!take_quoted(at, end, out) || (*at < end && !is_blank(**at) && **at != separator))
            return fail_quote(name, line->number, err);
    } else {
        char *stop = *at;
        while (stop < end && (blanks ? !is_blank(*stop) : *stop != separator))
            stop++;
        *out = (pdpr_i_token){*at, (size_t)(stop - *at)};
        *at = stop;
        while (out->length > 0 && is_blank(out->start[out->length - 1]))
            out->length--;
    }
    return PDPR_OK;
}

/* Blanks that are no separator themselves. */
static char *skip_padding(char *at, const char *end, char separator)
{
    while (at < end && is_blank(*at) && *at != separator)
        at++;
    return at;
}

pdpr_status pdpr_i_line_split(const char *name, const pdpr_i_line *line, char separator,
                              pdpr_i_token out[2], bool *more, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    char found[PDPR_I_FOUND_TEXT];
    char *at = skip_blanks(line->start, line->end);
    const char *end = line->end;

    pdpr_i_found(found, at, (size_t)(end - at)); /* before quotes are taken off */
    out[1].length = 0;
    PDPR_TRY(take_field(name, line, separator, &at, &out[0], err));
    if (separator == ' ') {
        at = skip_blanks(at, end);
        PDPR_TRY(take_field(name, line, separator, &at, &out[1], err));
        *more |= skip_blanks(at, end) != end;
    } else {
        at = skip_padding(at, end, separator);
        if (at < end && *at == separator) {
            at = skip_padding(at + 1, end, separator);
            PDPR_TRY(take_field(name, line, separator, &at, &out[1], err));
            at = skip_padding(at, end, separator);
            if (at < end && *at != separator) {
                s = fail_quote(name, line->number, err);
                goto done;
            }
            *more |= at < end && skip_blanks(at + 1, end) != end;
        } else if (at < end) {
            s = fail_quote(name, line->number, err);
            goto done;
        }
    }
    if (out[0].length == 0 || out[1].length == 0)
        s = separator == ' ' ? pdpr_i_fail_at(err, PDPR_EINPUT, name, line->number,
                                              "expected two node ids, found %s", found)
                             : pdpr_i_fail_at(err, PDPR_EINPUT, name, line->number,
                                              "expected two node ids separated by \"%s\", found %s",
                                              separator == '\t'  ? "\\t"
                                              : separator == ',' ? ","
                                                                 : ";",
                                              found);
done:
    return s;
}

pdpr_status pdpr_i_line_single(const char *name, const pdpr_i_line *line, pdpr_i_token *out,
                               pdpr_error *err)
{
    char *at = skip_blanks(line->start, line->end), *end = line->end;

    while (end > at && is_blank(end[-1]))
        end--;
    if (at < end && *at == '"') {
        at++;
        if (!take_quoted(&at, end, out) || at != end)
            return fail_quote(name, line->number, err);
    } else {
        *out = (pdpr_i_token){at, (size_t)(end - at)};
    }
    if (!pdpr_i_id_is_writable(out->start, out->length))
        return pdpr_i_fail_text_id(name, line->number, *out, err);
    return PDPR_OK;
}
