/* Text in blocks of whole lines.
 *
 * One buffer, filled from the source; what stands behind the last line end is moved to the front
 * before the next fill. A last line without an end gets one. A UTF-8 byte order mark is skipped,
 * UTF-16 is refused (its text would look like NUL bytes). The buffer grows only for a line that
 * does not fit, up to the longest line allowed, so memory is bounded whatever the file holds.
 *
 * Invariants: lines [at, end) are whole; behind `end` stand `tail` bytes of an unfinished line;
 * PDPR_I_TEXT_PADDING bytes behind the buffer's content are readable. */
#include "graph/io.h"
#include "base/found_text.h"

#include <string.h>

const pdpr_i_reading pdpr_i_reading_default = {.block_bytes = 4 << 20, .piece_bytes = 256 << 10};

struct pdpr_i_text {
    pdpr_context *ctx;
    pdpr_i_source *source;
    char *buffer; /* [capacity + PDPR_I_TEXT_PADDING] */
    size_t capacity;
    char *at, *end;
    size_t tail;
    size_t most_line;
    uint64_t next_line; /* number of the line at `at` */
    bool finished;      /* the source has ended */
};

/* The buffer need not be larger than a file whose length is known. */
static size_t first_capacity(const pdpr_i_source *source, const pdpr_i_reading *reading)
{
    uint64_t length = pdpr_i_source_length(source);
    return length < reading->block_bytes ? (size_t)length + 1 : reading->block_bytes;
}

static pdpr_status skip_mark(pdpr_i_text *text, size_t *used, pdpr_error *err)
{
    const unsigned char *b = (const unsigned char *)text->buffer;
    if (*used >= 2 && ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff)))
        return pdpr_i_fail_at(err, PDPR_EINPUT, pdpr_i_text_name(text), 1,
                              "expected UTF-8 or ASCII text, found UTF-16");
    if (*used >= 3 && b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf) {
        *used -= 3;
        memmove(text->buffer, text->buffer + 3, *used);
    }
    return PDPR_OK;
}

static pdpr_status fail_long(const char *name, uint64_t line, size_t most, pdpr_error *err)
{
    return pdpr_i_fail_at(err, PDPR_EINPUT, name, line,
                          "expected a line of at most %zu bytes, found a longer one", most);
}

/* Reads on until there is a whole line, or the end. Called with no whole line left. */
static pdpr_status fill(pdpr_i_text *text, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    size_t used = text->tail, searched = text->tail, got = 0;
    bool first = text->next_line == 1 && used == 0;

    if (used)
        memmove(text->buffer, text->end, used);
    text->at = text->end = text->buffer;
    text->tail = used;
    while (!text->finished) {
        if (used == text->capacity) {         /* one line fills it */
            if (used > text->most_line + 1) { /* one more for '\r' */
                s = fail_long(pdpr_i_text_name(text), text->next_line, text->most_line, err);
                goto done;
            }
            PDPR_TRY(pdpr_i_resize(text->ctx, 2 * text->capacity + PDPR_I_TEXT_PADDING, 1,
                                   "text buffer", &text->buffer, err));
            text->capacity *= 2;
            text->at = text->end = text->buffer;
        }
        PDPR_TRY(pdpr_i_source_read(text->source, text->buffer + used, text->capacity - used, &got,
                                    err));
        text->finished = got == 0;
        used += got;
        if (first)
            PDPR_TRY(skip_mark(text, &used, err));
        first = false;
        text->tail = used;
        size_t whole = used;
        while (whole > searched && text->buffer[whole - 1] != '\n')
            whole--;
        searched = used;
        if (whole > 0 && text->buffer[whole - 1] == '\n') {
            text->end = text->buffer + whole;
            text->tail = used - whole;
            break;
        }
    }
    if (text->finished && text->tail > 0 &&
        text->end == text->buffer) { /* the last line has no end */
        text->buffer[used] = '\n';
        text->end = text->buffer + used + 1;
        text->tail = 0;
    }
    memset(text->end + text->tail, '\n', PDPR_I_TEXT_PADDING - 1);
done:
    return s;
}

pdpr_status pdpr_i_text_open(pdpr_context *ctx, pdpr_i_source *source,
                             const pdpr_i_reading *reading, size_t most_line, pdpr_i_text **out,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_text *text = NULL;

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *text, "text", &text, err));
    text->ctx = ctx;
    text->capacity = first_capacity(source, reading);
    text->most_line = most_line;
    text->next_line = 1;
    PDPR_TRY(pdpr_i_zalloc(ctx, text->capacity + PDPR_I_TEXT_PADDING, 1, "text buffer",
                           &text->buffer, err));
    text->at = text->end = text->buffer;
    text->source = source;
    source = NULL;
    *out = text;
    text = NULL;
done:
    pdpr_i_text_close(text);
    pdpr_i_source_close(source);
    return s;
}

void pdpr_i_text_close(pdpr_i_text *text)
{
    if (!text)
        return;
    pdpr_i_source_close(text->source);
    pdpr_free(text->buffer);
    pdpr_free(text);
}

const char *pdpr_i_text_name(const pdpr_i_text *text)
{
    return pdpr_i_source_name(text->source);
}

uint64_t pdpr_i_text_length(const pdpr_i_text *text)
{
    return pdpr_i_source_length(text->source);
}

uint64_t pdpr_i_text_lines_read(const pdpr_i_text *text)
{
    return text->next_line - 1;
}

pdpr_status pdpr_i_check_line(const char *name, const pdpr_i_line *line, size_t most_line,
                              pdpr_error *err)
{
    size_t length = (size_t)(line->end - line->start);
    if (length > most_line)
        return fail_long(name, line->number, most_line, err);
    if (memchr(line->start, '\0', length))
        return pdpr_i_fail_at(err, PDPR_EINPUT, name, line->number,
                              "expected text, found a NUL byte");
    return PDPR_OK;
}

pdpr_status pdpr_i_text_line(pdpr_i_text *text, pdpr_i_line *out, bool *more, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    if (text->at == text->end)
        PDPR_TRY(fill(text, err));
    if (text->at == text->end) {
        *more = false;
        goto done;
    }
    char *stop = memchr(text->at, '\n', (size_t)(text->end - text->at));
    pdpr_i_line line = {text->at, stop, text->next_line};
    if (line.end > line.start && line.end[-1] == '\r')
        line.end--;
    PDPR_TRY(pdpr_i_check_line(pdpr_i_text_name(text), &line, text->most_line, err));
    text->at = stop + 1;
    text->next_line++;
    *out = line;
    *more = true;
done:
    return s;
}

void pdpr_i_text_unread(pdpr_i_text *text, const pdpr_i_line *line)
{
    text->at = line->start;
    text->next_line = line->number;
}

uint64_t pdpr_i_count_lines(const char *start, const char *end)
{
    uint64_t lines = 0;
    while (start < end) { /* counters of one byte: compilers make vector code of it */
        unsigned char some = 0;
        const char *stop = end - start > 128 ? start + 128 : end;
        for (; start < stop; start++)
            some = (unsigned char)(some + (*start == '\n'));
        lines += some;
    }
    return lines;
}

pdpr_status pdpr_i_text_block(pdpr_i_text *text, pdpr_i_lines *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    if (text->at == text->end)
        PDPR_TRY(fill(text, err));
    *out = (pdpr_i_lines){text->at, text->end, text->next_line};
    text->at = text->end;
done:
    return s;
}

void pdpr_i_text_passed(pdpr_i_text *text, uint64_t lines)
{
    text->next_line += lines;
}
