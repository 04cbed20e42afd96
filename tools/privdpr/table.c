/* Figures as people read them. */
#include "cli.h"

#include <string.h>

static void group_digits(const char *digits, char *text, size_t size)
{
    size_t length = strlen(digits), at = 0;
    for (size_t i = 0; i < length && at + 1 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0 && at + 2 < size)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
}

void cli_format_wide(pdpr_uint128 value, char *text, size_t size)
{
    char digits[PDPR_UINT128_TEXT];
    pdpr_uint128_format(value, digits);
    group_digits(digits, text, size);
}

void cli_format_count(uint64_t value, char *text, size_t size)
{
    cli_format_wide((pdpr_uint128){.high = 0, .low = value}, text, size);
}

void cli_format_duration(double seconds, char *text, size_t size)
{
    if (seconds < 90)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 90 * 60)
        snprintf(text, size, "%.0f min", seconds / 60);
    else
        snprintf(text, size, "%.1f h", seconds / 3600);
}

const char *cli_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

void cli_print_cell(FILE *out, const char *text, int width)
{
    int columns = 0;
    for (const char *c = text; *c; c++)
        columns += ((unsigned char)*c & 0xC0) != 0x80; /* bytes that do not continue a character */
    int wanted = width < 0 ? -width : width, padding = wanted > columns ? wanted - columns : 1;
    if (width > 0)
        fprintf(out, "%*s%s", padding, "", text);
    else
        fprintf(out, "%s%*s", text, padding, "");
}
