/* Classes of nodes, from a file of lines "node class".
 *
 * Nodes are called as in the graph's file; -1, or no line, means no label. Comments and separators
 * as in edge lists, packed files too. Classes are small whole numbers, so that a typing error
 * shows. Cost: O(N + lines), a table of the nodes' names. */
#include "tasks/tasks.h"
#include "base/found_text.h"
#include "graph/io.h"

#include <string.h>

enum { MOST_CLASSES = 1000, UNSEEN = -2 };

/* The names of the graph's nodes, node by node. */
static pdpr_status name_table(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_id_table **out,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_id_table *table = NULL;
    char *name = NULL;
    uint32_t number;

    PDPR_TRY(pdpr_i_id_table_new(ctx, true, &table, err));
    PDPR_TRY(pdpr_i_alloc(ctx, PDPR_I_MOST_ID, 1, "name", &name, err));
    for (uint32_t u = 0; u < g->num_nodes; u++) {
        const pdpr_i_token id = {name, pdpr_i_names_write(g->names, u, name, PDPR_I_MOST_ID)};
        PDPR_TRY(pdpr_i_id_table_add_text(ctx, table, id, &number, NULL, err));
    }
    *out = table;
    table = NULL;
done:
    pdpr_free(name);
    pdpr_i_id_table_free(table);
    return s;
}

/* "-1", "0", ..., "999". */
static bool read_class(pdpr_i_token token, int32_t *out)
{
    uint64_t number;
    if (token.length == 2 && memcmp(token.start, "-1", 2) == 0) {
        *out = -1;
        return true;
    }
    if (pdpr_i_id_read(token, &number) != PDPR_I_ID_NUMBER || number >= MOST_CLASSES)
        return false;
    *out = (int32_t)number;
    return true;
}

static pdpr_status take_line(const char *name, const pdpr_i_line *line, char separator,
                             const pdpr_i_id_table *nodes, pdpr_labels *labels, pdpr_error *err)
{
    pdpr_i_token token[2];
    char found[PDPR_I_FOUND_TEXT];
    bool more = false;
    int32_t class;
    pdpr_status s = pdpr_i_line_split(name, line, separator, token, &more, err);
    if (s != PDPR_OK)
        return s;
    int64_t node = pdpr_i_id_table_find_text(nodes, token[0]);
    if (node == PDPR_I_NO_NODE)
        return pdpr_i_fail_at(err, PDPR_EINPUT, name, line->number,
                              "expected a node of the graph, found %s",
                              pdpr_i_found(found, token[0].start, token[0].length));
    if (!read_class(token[1], &class))
        return pdpr_i_fail_at(err, PDPR_EINPUT, name, line->number,
                              "expected a class from 0 to %d, or -1 for none, found %s",
                              MOST_CLASSES - 1,
                              pdpr_i_found(found, token[1].start, token[1].length));
    if (labels->label[node] != UNSEEN)
        return pdpr_i_fail_at(err, PDPR_EINPUT, name, line->number,
                              "expected each node once, found %s again",
                              pdpr_i_found(found, token[0].start, token[0].length));
    labels->label[node] = class;
    if (class >= 0) {
        labels->labelled++;
        if ((uint32_t) class >= labels->classes)
            labels->classes = (uint32_t) class + 1;
    }
    return PDPR_OK;
}

pdpr_status pdpr_labels_load(pdpr_context *ctx, const char *path, const pdpr_graph *g,
                             pdpr_labels **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_source *source = NULL;
    pdpr_i_text *text = NULL;
    pdpr_i_id_table *nodes = NULL;
    pdpr_labels *labels = NULL;
    pdpr_i_line line;
    char separator = 0;
    bool more = true;

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *labels, "labels", &labels, err));
    labels->num_nodes = g->num_nodes;
    PDPR_TRY(pdpr_i_alloc(ctx, g->num_nodes, sizeof *labels->label, "labels", &labels->label, err));
    for (uint32_t u = 0; u < g->num_nodes; u++)
        labels->label[u] = UNSEEN;
    PDPR_TRY(name_table(ctx, g, &nodes, err));
    PDPR_TRY(pdpr_i_source_open(ctx, path, &source, err));
    s = pdpr_i_text_open(ctx, source, &pdpr_i_reading_default, PDPR_I_MOST_LINE, &text, err);
    source = NULL; /* taken over, also on failure */
    if (s != PDPR_OK)
        goto done;
    while (more) {
        PDPR_TRY(pdpr_i_text_line(text, &line, &more, err));
        if (!more || pdpr_i_line_is_comment(&line))
            continue;
        if (!separator)
            separator = pdpr_i_line_separator(&line);
        PDPR_TRY(take_line(pdpr_i_text_name(text), &line, separator, nodes, labels, err));
    }
    if (labels->classes < 2) {
        s = pdpr_i_fail_at(err, PDPR_EINPUT, path, 0,
                           "expected labels of at least two classes, found %" PRIu32 " labels",
                           labels->labelled);
        goto done;
    }
    for (uint32_t u = 0; u < g->num_nodes; u++)
        if (labels->label[u] == UNSEEN)
            labels->label[u] = -1;
    *out = labels;
    labels = NULL;
done:
    pdpr_i_text_close(text);
    pdpr_i_id_table_free(nodes);
    pdpr_labels_free(labels);
    return s;
}

void pdpr_labels_free(pdpr_labels *labels)
{
    if (!labels)
        return;
    pdpr_free(labels->label);
    pdpr_free(labels);
}
