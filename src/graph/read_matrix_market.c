/* The reader of Matrix Market files (Boisvert, Pozo, Remington 1996): sparse square matrices as
 * graphs.
 *
 *   %%MatrixMarket matrix coordinate pattern|real|integer general|symmetric|skew-symmetric
 *   % comments
 *   rows columns entries
 *   i j [value]                     1-based
 *
 * After the sizes a file is an edge list with declared ids 1..N, and is read as one. general gives
 * arcs i -> j, the others an undirected graph. Values are ignored with a notice; an entry whose
 * value is zero is still an entry. The number of entries is checked. Cost: as an edge list. */
#include "graph/io.h"
#include "base/found_text.h"

#include <string.h>
#include <strings.h>

/* The next word of a line; an empty token at its end. */
static pdpr_i_token next_word(const char **at, const char *end)
{
    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
    const char *start = *at;
    while (*at < end && **at != ' ' && **at != '\t')
        ++*at;
    return (pdpr_i_token){start, (size_t)(*at - start)};
}

static bool is_word(pdpr_i_token token, const char *word)
{
    return strlen(word) == token.length && strncasecmp(token.start, word, token.length) == 0;
}

static pdpr_status expect(const char *name, pdpr_i_token found, const char *expected,
                          pdpr_error *err)
{
    char text[PDPR_I_FOUND_TEXT];
    return pdpr_i_fail_at(err, PDPR_EINPUT, name, 1, "expected %s, found %s", expected,
                          pdpr_i_found(text, found.start, found.length));
}

static pdpr_status read_banner(const char *name, const pdpr_i_line *line, bool *symmetric,
                               bool *values, pdpr_error *err)
{
    const char *at = line->start;
    pdpr_i_token word = next_word(&at, line->end);
    if (!is_word(word, "%%MatrixMarket"))
        return expect(name, word, "\"%%MatrixMarket matrix coordinate …\"", err);
    word = next_word(&at, line->end);
    if (!is_word(word, "matrix"))
        return expect(name, word, "\"matrix\"", err);
    word = next_word(&at, line->end);
    if (!is_word(word, "coordinate"))
        return expect(name, word, "\"coordinate\" (dense arrays are no graphs)", err);
    word = next_word(&at, line->end);
    if (!is_word(word, "pattern") && !is_word(word, "real") && !is_word(word, "integer"))
        return expect(name, word, "\"pattern\", \"real\" or \"integer\"", err);
    *values = !is_word(word, "pattern");
    word = next_word(&at, line->end);
    if (!is_word(word, "general") && !is_word(word, "symmetric") &&
        !is_word(word, "skew-symmetric"))
        return expect(name, word, "\"general\", \"symmetric\" or \"skew-symmetric\"", err);
    *symmetric = !is_word(word, "general");
    return PDPR_OK;
}

/* The line with rows, columns and entries. */
static pdpr_status read_sizes(pdpr_i_text *text, uint64_t *num_nodes, uint64_t *entries,
                              uint64_t *line_number, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_line line;
    bool more = false;
    uint64_t size[3];
    char found[PDPR_I_FOUND_TEXT];
    const char *name = pdpr_i_text_name(text);

    do
        PDPR_TRY(pdpr_i_text_line(text, &line, &more, err));
    while (more && pdpr_i_line_is_comment(&line));
    if (!more) {
        s = pdpr_i_fail_at(err, PDPR_EINPUT, name, 0,
                           "expected a line \"rows columns entries\", found the end of the file");
        goto done;
    }
    const char *at = line.start;
    bool good = true;
    for (int i = 0; i < 3; i++)
        good = good && pdpr_i_id_read(next_word(&at, line.end), &size[i]) == PDPR_I_ID_NUMBER;
    if (!good || next_word(&at, line.end).length > 0) {
        s = pdpr_i_fail_at(err, PDPR_EINPUT, name, line.number,
                           "expected \"rows columns entries\", found %s",
                           pdpr_i_found(found, line.start, (size_t)(line.end - line.start)));
        goto done;
    }
    if (size[0] != size[1]) {
        s = pdpr_i_fail_at(err, PDPR_EINPUT, name, line.number,
                           "expected a square matrix, found %" PRIu64 " rows and %" PRIu64
                           " columns",
                           size[0], size[1]);
        goto done;
    }
    *num_nodes = size[0];
    *entries = size[2];
    *line_number = line.number;
done:
    return s;
}

pdpr_status pdpr_i_read_matrix_market(pdpr_context *ctx, pdpr_i_source *source,
                                      const pdpr_load_options *options,
                                      const pdpr_i_reading *reading, pdpr_graph **out,
                                      pdpr_load_info *info, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_text *text = NULL;
    pdpr_i_names *names = NULL;
    pdpr_i_edges edges = {.ctx = ctx, .reading = *reading, .separator = ' ', .first = 1};
    pdpr_i_line line;
    uint64_t entries = 0, sizes_line = 0;
    uint32_t num_nodes = 0;
    bool symmetric = false, values = false, more = false;

    PDPR_TRY(pdpr_i_text_open(ctx, source, reading, PDPR_I_MOST_LINE, &text, err));
    const char *name = edges.name = pdpr_i_text_name(text);
    PDPR_TRY(pdpr_i_text_line(text, &line, &more, err));
    if (!more) {
        s = pdpr_i_fail_at(err, PDPR_EINPUT, name, 0,
                           "expected a Matrix Market file, found an empty file");
        goto done;
    }
    PDPR_TRY(read_banner(name, &line, &symmetric, &values, err));
    PDPR_TRY(read_sizes(text, &edges.limit, &entries, &sizes_line, err));
    PDPR_TRY(pdpr_i_check_num_nodes(ctx, name, sizes_line, edges.limit, options->num_nodes, err));
    edges.ids = PDPR_I_IDS_RANGE;
    PDPR_TRY(pdpr_i_edges_add_rest(&edges, text, err));
    if (edges.num_pairs != entries) {
        /* both numbers are private (P-26) */
        s = pdpr_i_fail_at(err, PDPR_EINPUT, name, sizes_line,
                           "expected as many entries as it says here, found another number");
        goto done;
    }
    info->lines = pdpr_i_text_lines_read(text);
    PDPR_TRY(pdpr_i_edges_number(&edges, 0, &num_nodes, &names, &info->nodes_declared, err));
    bool directed = !symmetric && options->direction == PDPR_DIRECTION_AS_READ;
    PDPR_TRY(pdpr_i_edges_build(&edges, num_nodes, names, directed, out, info, err));
    info->weights_ignored |= values;
    if (info->weights_ignored)
        pdpr_i_notice(ctx, "%s: the values of the entries are ignored", name);
done:
    pdpr_i_names_release(names);
    pdpr_i_edges_clear(&edges);
    pdpr_i_text_close(text);
    return s;
}
