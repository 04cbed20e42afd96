/* Lists of vertices: a file with one id a line, or the "# node:" lines of an edge list.
 *
 * The list is the node set and its order. Whether it holds numbers or texts is known at its end
 * only: numbers if every entry is one, texts if one entry is a text or begins with a zero, and an
 * error if the only thing against numbers is an entry like "-1" or "1.0". A single text on the
 * first line of a file of numbers is taken for a heading. Blank lines and comments are passed over.
 * Cost: O(length) expected time; the bytes of the list and 24 bytes per entry. */
#include "graph/io.h"
#include "base/found_text.h"

#include <string.h>

void pdpr_i_vertex_list_clear(pdpr_i_vertex_list *list)
{
    pdpr_free(list->text);
    pdpr_free(list->start);
    pdpr_free(list->line);
    *list = (pdpr_i_vertex_list){0};
}

pdpr_status pdpr_i_vertex_list_add(pdpr_context *ctx, pdpr_i_vertex_list *list, pdpr_i_token id,
                                   uint64_t line, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    if (list->count == list->capacity) {
        uint64_t capacity = list->capacity ? 2 * list->capacity : 64;
        bool first = list->start == NULL;
        PDPR_TRY(pdpr_i_resize(ctx, capacity + 1, sizeof *list->start, "vertex list", &list->start,
                               err));
        if (first)
            list->start[0] = 0;
        PDPR_TRY(pdpr_i_resize(ctx, capacity, sizeof *list->line, "vertex list", &list->line, err));
        list->capacity = capacity;
    }
    uint64_t used = list->start[list->count];
    if (list->text_capacity - used < id.length) {
        uint64_t wanted = 2 * (used + id.length);
        PDPR_TRY(pdpr_i_resize(ctx, wanted, 1, "vertex list", &list->text, err));
        list->text_capacity = wanted;
    }
    memcpy(list->text + used, id.start, id.length);
    list->line[list->count] = line;
    list->start[++list->count] = used + id.length;
done:
    return s;
}

static pdpr_i_token entry(const pdpr_i_vertex_list *list, uint64_t i)
{
    return (pdpr_i_token){list->text + list->start[i],
                          (size_t)(list->start[i + 1] - list->start[i])};
}

/* Numbers or texts, and where the entries begin behind a heading. */
static pdpr_status decide(pdpr_context *ctx, const pdpr_i_vertex_list *list, const char *name,
                          bool heading, bool *texts, uint64_t *begin, pdpr_error *err)
{
    uint64_t num_texts = 0, wrong = UINT64_MAX, number;
    bool first_is_text = false, padded = false;
    char found[PDPR_I_FOUND_TEXT];

    for (uint64_t i = 0; i < list->count; i++) {
        pdpr_i_id_kind kind = pdpr_i_id_read(entry(list, i), &number);
        bool zero = pdpr_i_id_is_padded(entry(list, i));
        num_texts += kind == PDPR_I_ID_TEXT;
        first_is_text |= kind == PDPR_I_ID_TEXT && i == 0;
        padded |= zero;
        if (wrong == UINT64_MAX && !zero && kind != PDPR_I_ID_TEXT && kind != PDPR_I_ID_NUMBER)
            wrong = i;
    }
    *begin = 0;
    if (heading && num_texts == 1 && first_is_text && list->count > 1 && wrong == UINT64_MAX) {
        pdpr_i_token first = entry(list, 0);
        pdpr_i_notice(ctx, "%s:%" PRIu64 ": the line %s is taken for a heading and skipped", name,
                      list->line[0], pdpr_i_found(found, first.start, first.length));
        *begin = 1;
        num_texts = 0;
    }
    *texts = num_texts > 0 || padded;
    if (num_texts == 0 && wrong != UINT64_MAX)
        return pdpr_i_fail_id(name, list->line[wrong], entry(list, wrong), err);
    return PDPR_OK;
}

pdpr_status pdpr_i_vertex_list_finish(pdpr_context *ctx, const pdpr_i_vertex_list *list,
                                      const char *name, bool heading, pdpr_i_id_table **out,
                                      pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_id_table *table = NULL;
    uint64_t begin = 0, number = 0;
    bool texts = false, added = false;
    uint32_t node;
    char found[PDPR_I_FOUND_TEXT];

    PDPR_TRY(decide(ctx, list, name, heading, &texts, &begin, err));
    PDPR_TRY(pdpr_i_id_table_new(ctx, texts, &table, err));
    for (uint64_t i = begin; i < list->count; i++) {
        pdpr_i_token id = entry(list, i);
        if (texts) {
            PDPR_TRY(pdpr_i_id_table_add_text(ctx, table, id, &node, &added, err));
        } else {
            (void)pdpr_i_id_read(id, &number); /* decide has seen that it is a number */
            PDPR_TRY(pdpr_i_id_table_add_number(ctx, table, number, &node, &added, err));
        }
        if (!added) {
            s = pdpr_i_fail_at(err, PDPR_EINPUT, name, list->line[i],
                               "expected each id once, found %s again",
                               pdpr_i_found(found, id.start, id.length));
            goto done;
        }
    }
    *out = table;
    table = NULL;
done:
    pdpr_i_id_table_free(table);
    return s;
}

pdpr_status pdpr_i_vertices_read(pdpr_context *ctx, const char *path, const pdpr_i_reading *reading,
                                 pdpr_i_id_table **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_source *source = NULL;
    pdpr_i_text *text = NULL;
    pdpr_i_vertex_list list = {0};
    pdpr_i_line line;
    pdpr_i_token id;

    PDPR_TRY(pdpr_i_source_open(ctx, path, &source, err));
    PDPR_TRY(pdpr_i_text_open(ctx, source, reading, PDPR_I_MOST_LINE, &text, err));
    for (;;) {
        bool more = false;
        PDPR_TRY(pdpr_i_text_line(text, &line, &more, err));
        if (!more)
            break;
        if (pdpr_i_line_is_comment(&line))
            continue;
        PDPR_TRY(pdpr_i_line_single(pdpr_i_text_name(text), &line, &id, err));
        PDPR_TRY(pdpr_i_vertex_list_add(ctx, &list, id, line.number, err));
    }
    if (list.count == 0) {
        s = pdpr_i_fail_at(err, PDPR_EINPUT, pdpr_i_text_name(text), 0,
                           "expected one node id a line, found none");
        goto done;
    }
    PDPR_TRY(pdpr_i_vertex_list_finish(ctx, &list, pdpr_i_text_name(text), true, out, err));
done:
    pdpr_i_vertex_list_clear(&list);
    pdpr_i_text_close(text);
    return s;
}
