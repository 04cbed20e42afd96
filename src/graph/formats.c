/* The table of formats, and loading and saving by it.
 *
 * A format is a row: its name for callers, its title for people, its extensions, a reader and a
 * writer. To add one, write these two functions and add the row. An extension that no row has is
 * read as an edge list (people call these files anything) but refused for writing, where the
 * extension is the wish. */
#include "graph/io.h"
#include "base/found_text.h"

#include <string.h>
#include <strings.h>

typedef struct {
    const char *name, *title;
    const char *extensions[8]; /* NULL-terminated */
    pdpr_i_reader read;
    pdpr_i_writer write;
} format;

static const format formats[] = {
    {"edges",
     "edge list",
     {"txt", "edges", "edgelist", "el", "tsv", "csv", NULL},
     pdpr_i_read_edge_list,
     pdpr_i_write_edge_list},
    {"metis", "METIS", {"graph", "metis", NULL}, pdpr_i_read_metis, pdpr_i_write_metis},
    {"mtx", "Matrix Market", {"mtx", NULL}, pdpr_i_read_matrix_market, pdpr_i_write_matrix_market},
    {"bcsr", "binary CSR", {"bcsr", NULL}, pdpr_i_read_binary_csr, pdpr_i_write_binary_csr},
};

enum { NUM_FORMATS = sizeof formats / sizeof *formats, MOST_EXTENSION = 16 };

/* The extension of a path, lower case, "" if there is none worth the name; packing is taken off
 * first. */
static pdpr_i_compression take_extension(const char *path, char extension[MOST_EXTENSION])
{
    pdpr_i_compression compression = PDPR_I_PLAIN;
    size_t end = strlen(path);
    extension[0] = '\0';
    for (;;) {
        size_t dot = end;
        while (dot > 0 && path[dot - 1] != '.' && path[dot - 1] != '/')
            dot--;
        size_t length = end - dot;
        if (dot == 0 || path[dot - 1] == '/' || length >= MOST_EXTENSION)
            return compression;
        const char *found = path + dot;
        bool gzip = length == 2 && strncasecmp(found, "gz", 2) == 0;
        bool zstd = length == 3 && strncasecmp(found, "zst", 3) == 0;
        if (compression == PDPR_I_PLAIN && (gzip || zstd)) {
            compression = gzip ? PDPR_I_GZIP : PDPR_I_ZSTD;
            end = dot - 1;
            continue;
        }
        for (size_t i = 0; i < length; i++)
            extension[i] = (char)(found[i] >= 'A' && found[i] <= 'Z' ? found[i] + 32 : found[i]);
        extension[length] = '\0';
        return compression;
    }
}

/* The format of that name, or with that extension; NULL if there is none. */
static const format *find_format(const char *name, const char *extension)
{
    for (size_t i = 0; i < NUM_FORMATS; i++) {
        if (name && strcmp(formats[i].name, name) == 0)
            return &formats[i];
        for (size_t k = 0; !name && formats[i].extensions[k]; k++)
            if (strcmp(formats[i].extensions[k], extension) == 0)
                return &formats[i];
    }
    return NULL;
}

static pdpr_status fail_format(const char *name, pdpr_error *err)
{
    char found[PDPR_I_FOUND_TEXT];
    return pdpr_i_fail(err, PDPR_EUSAGE, "expected the format edges, metis, mtx or bcsr, found %s",
                       pdpr_i_found(found, name, strlen(name)));
}

void pdpr_load_options_default(pdpr_load_options *options)
{
    *options = (pdpr_load_options){.struct_size = sizeof *options};
}

static pdpr_status check_options(const pdpr_load_options *o, const format *f, pdpr_error *err)
{
    if (o->direction != PDPR_DIRECTION_AS_READ && o->direction != PDPR_DIRECTION_UNDIRECTED)
        return pdpr_i_fail(err, PDPR_EUSAGE, "expected a direction as read or undirected, found %d",
                           (int)o->direction);
    if (o->num_nodes > PDPR_I_MOST_NODES)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "expected at most %" PRIu32 " nodes, declared are %" PRIu64,
                           (uint32_t)PDPR_I_MOST_NODES, o->num_nodes);
    if (o->vertices_path && f->read != pdpr_i_read_edge_list)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "a vertex file goes with edge lists only; %s files number their nodes",
                           f->title);
    return PDPR_OK;
}

static void tell_dropped(pdpr_context *ctx, const char *name, const pdpr_load_info *info)
{
    /* how many is private (P-26); the caller finds it in info */
    if (info->loops_dropped || info->repeats_dropped)
        pdpr_i_notice(ctx, "%s: dropped %s", name,
                      !info->repeats_dropped ? "loops"
                      : info->loops_dropped  ? "loops and repeats"
                                             : "repeats");
}

pdpr_status pdpr_i_graph_load(pdpr_context *ctx, const char *path, const pdpr_load_options *options,
                              const pdpr_i_reading *reading, pdpr_graph **out, pdpr_load_info *info,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_load_options o;
    pdpr_load_info found = {0};
    pdpr_i_source *source = NULL;
    char extension[MOST_EXTENSION];

    pdpr_load_options_default(&o);
    if (options)
        memcpy(&o, options, options->struct_size < sizeof o ? options->struct_size : sizeof o);
    (void)take_extension(path, extension);
    const format *f = find_format(o.format, extension);
    if (!f && o.format)
        return fail_format(o.format, err);
    if (!f)
        f = &formats[0];
    PDPR_TRY(check_options(&o, f, err));
    PDPR_TRY(pdpr_i_source_open(ctx, path, &source, err));
    found.format = f->title;
    PDPR_TRY(f->read(ctx, source, &o, reading, out, &found, err));
    tell_dropped(ctx, strcmp(path, "-") == 0 ? "standard input" : path, &found);
    if (info)
        *info = found;
done:
    return s;
}

pdpr_status pdpr_graph_load(pdpr_context *ctx, const char *path, const pdpr_load_options *options,
                            pdpr_graph **out, pdpr_load_info *info, pdpr_error *err)
{
    return pdpr_i_graph_load(ctx, path, options, &pdpr_i_reading_default, out, info, err);
}

static pdpr_status fail_extension(const char *path, pdpr_error *err)
{
    return pdpr_i_fail_at(err, PDPR_EUSAGE, path, 0,
                          "expected a name that ends in .txt, .edges, .edgelist, .el, .tsv, "
                          ".csv, .graph, .metis, .mtx or .bcsr, with .gz or .zst behind it "
                          "if wished");
}

pdpr_status pdpr_i_graph_save_check(const char *path, pdpr_error *err)
{
    char extension[MOST_EXTENSION];
    (void)take_extension(path, extension);
    return find_format(NULL, extension) ? PDPR_OK : fail_extension(path, err);
}

pdpr_status pdpr_graph_save(pdpr_context *ctx, const pdpr_graph *g, const char *path,
                            const char *name, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_sink *sink = NULL;
    char extension[MOST_EXTENSION];
    pdpr_i_compression compression = take_extension(path, extension);
    const format *f = find_format(name, extension);

    if (!f && !name && strcmp(path, "-") == 0)
        f = &formats[0];
    if (!f && name)
        return fail_format(name, err);
    if (!f)
        return fail_extension(path, err);
    PDPR_TRY(pdpr_i_sink_open(ctx, path, compression, &sink, err));
    PDPR_TRY(f->write(ctx, g, sink, extension, err));
    pdpr_i_sink *complete = sink;
    sink = NULL;
    s = pdpr_i_sink_commit(complete, err);
done:
    pdpr_i_sink_abandon(sink);
    return s;
}
