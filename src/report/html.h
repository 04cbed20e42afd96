/* HTML: escaped text, numbers for people, and the frame that both pages share.
 *
 * A page is one file: style inside, pictures as inline SVG, no script, no address of anything
 * outside. Its own content security policy forbids the browser to load whatever it might be told
 * to. Equal inputs give equal bytes: there is no date and no host in it. */
#ifndef PDPR_REPORT_HTML_H
#define PDPR_REPORT_HTML_H

#include "base/text_buffer.h"

/* Text of others (file names, labels): markup characters are escaped; control characters, signs
 * that turn the direction of writing, and bytes that are no UTF-8 become '?'. Good in element text
 * and in quoted attributes. */
void pdpr_i_html_text(pdpr_i_text *b, const char *text);
/* The same of the last part of a path. */
void pdpr_i_html_file(pdpr_i_text *b, const char *path);

/* 1234567 as 1,234,567. */
void pdpr_i_html_count(pdpr_i_text *b, uint64_t value);
/* A count that may be huge: as above below ten million, then 12.3 million, 4.56 billion, 7.9e15. A
 * dash for NaN. */
void pdpr_i_html_quantity(pdpr_i_text *b, double value);
/* 0.0683 as "6.8 %", 0.351 as "35 %", 41.2 as "4,120 %"; a dash for NaN. */
void pdpr_i_html_percent(pdpr_i_text *b, double share);

typedef enum { PDPR_I_PAGE_PRIVATE, PDPR_I_PAGE_PUBLIC } pdpr_i_page_kind;

/* Everything before and after what a page says. A private page has the red band at its top and
 * bottom, and a red edge on every sheet of paper. */
void pdpr_i_html_begin(pdpr_i_text *b, pdpr_i_page_kind kind, const char *title);
void pdpr_i_html_end(pdpr_i_text *b, pdpr_context *ctx, pdpr_i_page_kind kind);

/* The style sheet (html_style.c). */
extern const char *const pdpr_i_html_style[];

/* Puts the page into a file that appears whole or not at all, a private one with mode 600. Takes
 * the buffer over, also on failure; its own failure comes first. */
pdpr_status pdpr_i_html_save(pdpr_i_text *b, pdpr_i_page_kind kind, const char *path,
                             pdpr_error *err);

#endif
