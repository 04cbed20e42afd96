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

static pdpr_status skip_mark(pdpr_i_text *t, size_t *used, pdpr_error *err)
{
    const unsigned char *b = (const unsigned char *)t->buffer;
    if (*used >= 2 && ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff)))
        return pdpr_i_fail_at(err, PDPR_EINPUT, pdpr_i_text_name(t), 1,
                              "expected UTF-8 or ASCII text, found UTF-16");
    if (*used >= 3 && b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf) {
        *used -= 3;
        memmove(t->buffer, t->buffer + 3, *used);
    }
    return PDPR_OK;
}

static pdpr_status fail_long(const char *name, uint64_t line, size_t most, pdpr_error *err)
{
    return pdpr_i_fail_at(err, PDPR_EINPUT, name, line,
                          "expected a line of at most %zu bytes, found a longer one", most);
}

/* Reads on until there is a whole line, or the end. Called with no whole line left. */
static pdpr_status fill(pdpr_i_text *t, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    size_t used = t->tail, searched = t->tail, got = 0;
    bool first = t->next_line == 1 && used == 0;

    if (used)
        memmove(t->buffer, t->end, used);
    t->at = t->end = t->buffer;
    t->tail = used;
    while (!t->finished) {
        if (used == t->capacity) {         /* one line fills it */
            if (used > t->most_line + 1) { /* one more for '\r' */
                s = fail_long(pdpr_i_text_name(t), t->next_line, t->most_line, err);
                goto done;
            }
            PDPR_TRY(pdpr_i_resize(t->ctx, 2 * t->capacity + PDPR_I_TEXT_PADDING, 1, "text buffer",
                                   &t->buffer, err));
            t->capacity *= 2;
            t->at = t->end = t->buffer;
        }
        PDPR_TRY(pdpr_i_source_read(t->source, t->buffer + used, t->capacity - used, &got, err));
        t->finished = got == 0;
        used += got;
        if (first)
            PDPR_TRY(skip_mark(t, &used, err));
        first = false;
        t->tail = used;
        size_t whole = used;
        while (whole > searched && t->buffer[whole - 1] != '\n')
            whole--;
        searched = used;
        if (whole > 0 && t->buffer[whole - 1] == '\n') {
            t->end = t->buffer + whole;
            t->tail = used - whole;
            break;
        }
    }
    if (t->finished && t->tail > 0 && t->end == t->buffer) { /* the last line has no end */
        t->buffer[used] = '\n';
        t->end = t->buffer + used + 1;
        t->tail = 0;
    }
    memset(t->end + t->tail, '\n', PDPR_I_TEXT_PADDING - 1);
done:
    return s;
}

pdpr_status pdpr_i_text_open(pdpr_context *ctx, pdpr_i_source *source,
                             const pdpr_i_reading *reading, size_t most_line, pdpr_i_text **out,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_text *t = NULL;

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *t, "text", &t, err));
    t->ctx = ctx;
    t->capacity = first_capacity(source, reading);
    t->most_line = most_line;
    t->next_line = 1;
    PDPR_TRY(
        pdpr_i_zalloc(ctx, t->capacity + PDPR_I_TEXT_PADDING, 1, "text buffer", &t->buffer, err));
    t->at = t->end = t->buffer;
    t->source = source;
    source = NULL;
    *out = t;
    t = NULL;
done:
    pdpr_i_text_close(t);
    pdpr_i_source_close(source);
    return s;
}

void pdpr_i_text_close(pdpr_i_text *t)
{
    if (!t)
        return;
    pdpr_i_source_close(t->source);
    pdpr_free(t->buffer);
    pdpr_free(t);
}

const char *pdpr_i_text_name(const pdpr_i_text *t)
{
    return pdpr_i_source_name(t->source);
}

uint64_t pdpr_i_text_length(const pdpr_i_text *t)
{
    return pdpr_i_source_length(t->source);
}

uint64_t pdpr_i_text_lines_read(const pdpr_i_text *t)
{
    return t->next_line - 1;
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

pdpr_status pdpr_i_text_line(pdpr_i_text *t, pdpr_i_line *out, bool *more, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    if (t->at == t->end)
        PDPR_TRY(fill(t, err));
    if (t->at == t->end) {
        *more = false;
        goto done;
    }
    char *stop = memchr(t->at, '\n', (size_t)(t->end - t->at));
    pdpr_i_line line = {t->at, stop, t->next_line};
    if (line.end > line.start && line.end[-1] == '\r')
        line.end--;
    PDPR_TRY(pdpr_i_check_line(pdpr_i_text_name(t), &line, t->most_line, err));
    t->at = stop + 1;
    t->next_line++;
    *out = line;
    *more = true;
done:
    return s;
}

void pdpr_i_text_unread(pdpr_i_text *t, const pdpr_i_line *line)
{
    t->at = line->start;
    t->next_line = line->number;
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

pdpr_status pdpr_i_text_block(pdpr_i_text *t, pdpr_i_lines *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    if (t->at == t->end)
        PDPR_TRY(fill(t, err));
    *out = (pdpr_i_lines){t->at, t->end, t->next_line};
    t->at = t->end;
done:
    return s;
}

void pdpr_i_text_passed(pdpr_i_text *t, uint64_t lines)
{
    t->next_line += lines;
}
