/* Text and numbers of pages, and the frame around them. */
#include "report/html.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- text */

/* Length of the UTF-8 character at `at` (1 to 4 bytes), its code point in *point; 0 if it is none:
 * a stray byte, an overlong form, a surrogate. */
static int utf8_character(const unsigned char *at, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    int length = at[0] < 0x80             ? 1
                 : (at[0] & 0xe0) == 0xc0 ? 2
                 : (at[0] & 0xf0) == 0xe0 ? 3
                 : (at[0] & 0xf8) == 0xf0 ? 4
                                          : 0;
    uint32_t c = length == 1 ? at[0] : at[0] & (0x7fu >> length);
    for (int i = 1; i < length; i++) { /* a NUL ends the loop: it is no continuation */
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (at[i] & 0x3f);
    }
    if (length == 0 || c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    *point = c;
    return length;
}

static bool shows_nothing(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

void pdpr_i_html_text(pdpr_i_text *b, const char *text)
{
    for (const char *at = text; *at;) {
        uint32_t c = 0;
        int length = utf8_character((const unsigned char *)at, &c);
        if (length == 0 || shows_nothing(c))
            pdpr_i_text_put(b, "?");
        else if (c == '&')
            pdpr_i_text_put(b, "&amp;");
        else if (c == '<')
            pdpr_i_text_put(b, "&lt;");
        else if (c == '>')
            pdpr_i_text_put(b, "&gt;");
        else if (c == '"')
            pdpr_i_text_put(b, "&quot;");
        else if (c == '\'')
            pdpr_i_text_put(b, "&#39;");
        else
            pdpr_i_text_add(b, at, (size_t)length);
        at += length ? length : 1;
    }
}

void pdpr_i_html_file(pdpr_i_text *b, const char *path)
{
    const char *slash = strrchr(path, '/');
    pdpr_i_html_text(b, slash && slash[1] ? slash + 1 : path);
}

/* ---------------------------------------------------------------- numbers */

void pdpr_i_html_count(pdpr_i_text *b, uint64_t value)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            pdpr_i_text_put(b, ",");
        pdpr_i_text_add(b, digits + i, 1);
    }
}

void pdpr_i_html_quantity(pdpr_i_text *b, double value)
{
    static const struct {
        double unit;
        const char *name;
    } words[] = {{1e12, "trillion"}, {1e9, "billion"}, {1e6, "million"}};
    if (!(value >= 0)) {
        pdpr_i_text_put(b, "–");
    } else if (value < 1e7) {
        pdpr_i_html_count(b, (uint64_t)llround(value));
    } else if (value >= 1e15) {
        int exponent = (int)floor(log10(value));
        pdpr_i_text_fixed(b, value / pow(10, exponent), 2);
        pdpr_i_text_format(b, "e%d", exponent);
    } else {
        size_t k = 0;
        while (value < words[k].unit)
            k++;
        double scaled = value / words[k].unit;
        pdpr_i_text_fixed(b, scaled, scaled < 10 ? 2 : scaled < 100 ? 1 : 0);
        pdpr_i_text_format(b, "&nbsp;%s", words[k].name);
    }
}

void pdpr_i_html_percent(pdpr_i_text *b, double share)
{
    double percent = 100 * share;
    if (!isfinite(percent)) {
        pdpr_i_text_put(b, "–");
        return;
    }
    if (percent < 9.95)
        pdpr_i_text_fixed(b, percent, 1);
    else if (percent < 1e12)
        pdpr_i_html_count(b, (uint64_t)llround(percent));
    else
        pdpr_i_text_put(b, "over 10<sup>12</sup>");
    pdpr_i_text_put(b, "&nbsp;%");
}

/* ---------------------------------------------------------------- the frame */

static void band(pdpr_i_text *b, const char *role)
{
    pdpr_i_text_format(
        b,
        "<p class=\"band\"%s><strong>PRIVATE</strong> <span>Made from the original graph. For its "
        "owner only: do not publish it, send it or hand it on. No privacy guarantee covers this "
        "page.</span></p>\n",
        role);
}

void pdpr_i_html_begin(pdpr_i_text *b, pdpr_i_page_kind kind, const char *title)
{
    bool private = kind == PDPR_I_PAGE_PRIVATE;
    pdpr_i_text_format(
        b,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"generator\" content=\"privdpr\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<meta name=\"referrer\" content=\"no-referrer\">\n%s<title>%s",
        private ? "<meta name=\"robots\" content=\"noindex, noarchive\">\n" : "",
        private ? "PRIVATE – " : "");
    pdpr_i_html_text(b, title);
    pdpr_i_text_put(b, "</title>\n<style>\n");
    for (size_t i = 0; pdpr_i_html_style[i]; i++)
        pdpr_i_text_put(b, pdpr_i_html_style[i]);
    pdpr_i_text_format(b, "</style>\n</head>\n<body class=\"%s\">\n",
                       private ? "private" : "public");
    if (private)
        band(b, " role=\"note\"");
    else
        pdpr_i_text_put(b, "<p class=\"band\"><strong>PUBLIC</strong> <span>Made from the "
                           "certificate alone; may be handed on with it.</span></p>\n");
    pdpr_i_text_put(b, "<main>\n");
}

void pdpr_i_html_end(pdpr_i_text *b, pdpr_context *ctx, pdpr_i_page_kind kind)
{
    pdpr_build_info info;
    pdpr_build_info_get(ctx, &info);
    pdpr_i_text_put(b, "</main>\n<footer>Made by privdpr ");
    pdpr_i_html_text(b, info.version);
    pdpr_i_text_put(b, " (");
    pdpr_i_html_text(b, info.commit);
    pdpr_i_text_put(b, "). This page loads nothing and runs nothing.</footer>\n");
    if (kind == PDPR_I_PAGE_PRIVATE)
        band(b, "");
    pdpr_i_text_put(b, "</body>\n</html>\n");
}

pdpr_status pdpr_i_html_save(pdpr_i_text *b, pdpr_i_page_kind kind, const char *path,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_outfile *file = NULL;

    PDPR_TRY(b->status);
    if (kind == PDPR_I_PAGE_PRIVATE)
        PDPR_TRY(pdpr_i_outfile_open_private(b->ctx, path, &file, err));
    else
        PDPR_TRY(pdpr_i_outfile_open(b->ctx, path, &file, err));
    PDPR_TRY(pdpr_i_outfile_write(file, b->text, b->used, err));
    s = pdpr_i_outfile_commit(file, err);
    file = NULL;
done:
    pdpr_i_outfile_abandon(file);
    pdpr_i_text_drop(b);
    return s;
}
