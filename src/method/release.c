/* A release: its header, its arrays, the names of the nodes, and sampling from it. */
#include "method/method.h"

#include <string.h>

pdpr_status pdpr_i_release_new(pdpr_context *ctx, const pdpr_i_method *method, const pdpr_graph *g,
                               const pdpr_method_options *options, const char *profile,
                               pdpr_release **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_release *r = NULL;
    char *text = NULL;
    int64_t *start = NULL;

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *r, "release", &r, err));
    r->method = method;
    bool promised = method->promises && !options->seeded;
    r->file.header = json_pack("{s:s, s:s, s:s, s:s, s:I, s:b}", "method", method->info.name,
                               "profile", profile, "unit", method->info.unit, "guarantee",
                               promised          ? "differential privacy; see the certificate"
                               : options->seeded ? "none (seeded run)"
                                                 : "none (this method promises nothing)",
                               "nodes", (json_int_t)g->num_nodes, "protected", promised);
    if (!r->file.header) {
        s = pdpr_i_fail(err, PDPR_ENOMEM, "release header: out of memory");
        goto done;
    }
    if (!pdpr_i_names_are_plain(g->names)) { /* public: the vertex list */
        uint64_t length = 0;
        for (uint32_t u = 0; u < g->num_nodes; u++)
            length += pdpr_i_names_write(g->names, u, NULL, 0);
        PDPR_TRY(pdpr_i_alloc(ctx, length, 1, "node names", &text, err));
        PDPR_TRY(pdpr_i_alloc(ctx, (uint64_t)g->num_nodes + 1, sizeof *start, "node names", &start,
                              err));
        uint64_t at = 0;
        for (uint32_t u = 0; u < g->num_nodes; u++) {
            start[u] = (int64_t)at;
            at += pdpr_i_names_write(g->names, u, text + at, length - at);
        }
        start[g->num_nodes] = (int64_t)at;
        PDPR_TRY(pdpr_i_release_add(ctx, r, "name_text", PDPR_I_ARRAY_UINT8, length, 0, text, err));
        text = NULL;
        PDPR_TRY(pdpr_i_release_add(ctx, r, "name_start", PDPR_I_ARRAY_INT64,
                                    (uint64_t)g->num_nodes + 1, 0, start, err));
        start = NULL;
    }
    *out = r;
    r = NULL;
done:
    pdpr_free(text);
    pdpr_free(start);
    pdpr_release_free(r);
    return s;
}

pdpr_status pdpr_i_release_add(pdpr_context *ctx, pdpr_release *release, const char *name,
                               pdpr_i_array_type type, uint64_t rows, uint64_t columns, void *items,
                               pdpr_error *err)
{
    (void)ctx;
    pdpr_i_release_file *f = &release->file;
    if (f->num_arrays == PDPR_I_MOST_ARRAYS)
        return pdpr_i_fail(err, PDPR_EFAILED, "release: more arrays than a file holds");
    pdpr_i_array *a = &f->array[f->num_arrays++];
    *a = (pdpr_i_array){.type = type, .rows = rows, .columns = columns, .items = items};
    snprintf(a->name, sizeof a->name, "%s", name);
    return PDPR_OK;
}

/* The names of the nodes, which are public: shared by every sampled graph. */
static pdpr_status release_names(pdpr_context *ctx, const pdpr_release *release, pdpr_i_names **out,
                                 pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_array *text = pdpr_i_release_file_find(&release->file, "name_text");
    const pdpr_i_array *start = pdpr_i_release_file_find(&release->file, "name_start");
    uint64_t nodes = (uint64_t)json_integer_value(json_object_get(release->file.header, "nodes"));
    char *text_copy = NULL;
    uint64_t *start_copy = NULL;

    if (!text && !start)
        return pdpr_i_names_numbered(ctx, 0, out, err);
    if (!text || !start || text->type != PDPR_I_ARRAY_UINT8 || start->type != PDPR_I_ARRAY_INT64 ||
        start->rows != nodes + 1 || start->columns != 0)
        return pdpr_i_fail(err, PDPR_EINPUT, "release: its node names are not in order");
    PDPR_TRY(pdpr_i_alloc(ctx, text->rows, 1, "node names", &text_copy, err));
    PDPR_TRY(pdpr_i_alloc(ctx, start->rows, sizeof *start_copy, "node names", &start_copy, err));
    if (text->rows)
        memcpy(text_copy, text->items, text->rows);
    memcpy(start_copy, start->items, start->rows * sizeof *start_copy);
    for (uint64_t i = 0; i < start->rows; i++)
        if (start_copy[i] > text->rows || (i > 0 && start_copy[i] < start_copy[i - 1])) {
            s = pdpr_i_fail(err, PDPR_EINPUT, "release: its node names are not in order");
            goto done;
        }
    PDPR_TRY(pdpr_i_names_text(ctx, text_copy, start_copy, (uint32_t)nodes, out, err));
    text_copy = NULL;
    start_copy = NULL;
done:
    pdpr_free(text_copy);
    pdpr_free(start_copy);
    return s;
}

pdpr_status pdpr_release_load(pdpr_context *ctx, const char *path, pdpr_release **out,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_release *r = NULL;
    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *r, "release", &r, err));
    PDPR_TRY(pdpr_i_release_file_read(ctx, path, &r->file, err));
    const char *name = json_string_value(json_object_get(r->file.header, "method"));
    json_t *nodes = json_object_get(r->file.header, "nodes");
    if (!name || pdpr_i_method_find(name, &r->method, NULL) != PDPR_OK ||
        json_integer_value(nodes) < 1 || json_integer_value(nodes) > UINT32_MAX - 1) {
        s = pdpr_i_fail(err, PDPR_EINPUT,
                        "%s: a release of a method that this program does not know", path);
        goto done;
    }
    *out = r;
    r = NULL;
done:
    pdpr_release_free(r);
    return s;
}

void pdpr_release_free(pdpr_release *release)
{
    if (!release)
        return;
    pdpr_i_release_file_clear(&release->file);
    pdpr_free(release);
}

bool pdpr_release_is_unprotected(const pdpr_release *release)
{
    return !json_is_true(json_object_get(release->file.header, "protected"));
}

pdpr_status pdpr_release_sample(pdpr_context *ctx, const pdpr_release *release, uint64_t seed,
                                uint64_t index, pdpr_graph **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_graph *g = NULL;
    pdpr_i_names *names = NULL;
    pdpr_i_key key;

    if (index >= UINT64_C(1) << 23)
        return pdpr_i_fail(err, PDPR_EUSAGE, "sample: expected an index below 2^23, found %" PRIu64,
                           index);
    pdpr_i_key_from_seed(seed, &key);
    PDPR_TRY(release_names(ctx, release, &names, err));
    PDPR_TRY(release->method->sample(ctx, release, &key, index, &g, err));
    pdpr_i_names_release(g->names);
    g->names = names;
    names = NULL;
    *out = g;
    g = NULL;
done:
    pdpr_i_names_release(names);
    pdpr_graph_free(g);
    return s;
}
