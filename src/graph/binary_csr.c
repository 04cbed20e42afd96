/* Our own binary format: the graph's arrays as they stand, with a checksum.
 *
 * Little-endian, in this order:
 *   header   64 bytes: magic[8], version u32 (1), flags u32 (bit 0 directed, bits 8-9 names: 0
 *            numbers from `first`, 1 a table of numbers, 2 texts), N u64, arcs u64, first u64,
 *            bytes of the texts u64, 16 zero bytes
 *   offsets  (N + 1) u64;  targets  arcs u32 (an undirected edge in both rows)
 *   names    1: N u64;  2: (N + 1) u64 starts, then the bytes
 *   check    32 bytes: BLAKE2b-256 of all before it
 * There is no padding, so no byte of memory leaks into a file. A reader trusts nothing: sizes are
 * compared with the file's length before memory is asked for (a packed file's length is unknown;
 * its arrays grow as they are read), then the checksum, then every invariant of the graph and its
 * names. Cost: O(N + m); 8 bytes per node beside the graph. */
#include "graph/io.h"
#include "base/found_text.h"

#include <sodium.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are written as they stand");

static const unsigned char magic[8] = {0x89, 'P', 'D', 'P', 'R', 'G', '\r', '\n'};

enum { VERSION = 1, FLAG_DIRECTED = 1, NAMES_SHIFT = 8, FIRST_ITEMS = 1 << 16, CHECK_BYTES = 32 };

typedef struct {
    unsigned char magic[8];
    uint32_t version, flags;
    uint64_t num_nodes, num_arcs, first, text_bytes;
    uint64_t zero[2];
} file_header;

_Static_assert(sizeof(file_header) == 64, "the header has no padding");

/* ---------------------------------------------------------------- writing */

typedef struct {
    pdpr_i_sink *sink;
    crypto_generichash_state hash;
} hashed_sink;

static pdpr_status put(hashed_sink *h, const void *bytes, uint64_t count, size_t size,
                       pdpr_error *err)
{
    crypto_generichash_update(&h->hash, bytes, count * size);
    return pdpr_i_sink_write(h->sink, bytes, count * size, err);
}

pdpr_status pdpr_i_write_binary_csr(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_sink *sink,
                                    const char *extension, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_names_view names = pdpr_i_names_look(g->names);
    uint64_t n = g->num_nodes;
    bool texts = names.kind == PDPR_I_NAMES_TEXT;
    file_header header = {.version = VERSION,
                          .flags = (g->directed ? FLAG_DIRECTED : 0u) | (uint32_t)names.kind
                                                                            << NAMES_SHIFT,
                          .num_nodes = n,
                          .num_arcs = g->num_arcs,
                          .first = names.first,
                          .text_bytes = texts ? names.start[n] : 0};
    hashed_sink h = {.sink = sink};
    unsigned char check[CHECK_BYTES];
    (void)ctx, (void)extension;

    memcpy(header.magic, magic, sizeof magic);
    crypto_generichash_init(&h.hash, NULL, 0, CHECK_BYTES);
    PDPR_TRY(put(&h, &header, 1, sizeof header, err));
    PDPR_TRY(put(&h, g->offset, n + 1, sizeof *g->offset, err));
    PDPR_TRY(put(&h, g->target, g->num_arcs, sizeof *g->target, err));
    if (names.kind == PDPR_I_NAMES_SPARSE)
        PDPR_TRY(put(&h, names.id, n, sizeof *names.id, err));
    if (texts) {
        PDPR_TRY(put(&h, names.start, n + 1, sizeof *names.start, err));
        PDPR_TRY(put(&h, names.text, header.text_bytes, 1, err));
    }
    crypto_generichash_final(&h.hash, check, sizeof check);
    PDPR_TRY(pdpr_i_sink_write(sink, check, sizeof check, err));
done:
    return s;
}

/* ---------------------------------------------------------------- reading */

typedef struct {
    pdpr_context *ctx;
    pdpr_i_source *source;
    const char *name;
    crypto_generichash_state hash;
    file_header header;
} binary;

static pdpr_status take(binary *b, void *bytes, size_t length, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    char *at = bytes;
    while (length > 0) {
        size_t got = 0;
        PDPR_TRY(pdpr_i_source_read(b->source, at, length, &got, err));
        if (got == 0) {
            s = pdpr_i_fail_at(err, PDPR_EINPUT, b->name, 0,
                               "expected more bytes of a binary graph, found the end of the file");
            goto done;
        }
        crypto_generichash_update(&b->hash, (const unsigned char *)at, got);
        at += got;
        length -= got;
    }
done:
    return s;
}

/* Reads `count` items into a new array. If the file's length is known, the sizes were checked
 * against it; otherwise the array grows with what is really there. */
static pdpr_status take_array(binary *b, uint64_t count, size_t size, const char *what, void *out,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    bool known = pdpr_i_source_length(b->source) != UINT64_MAX;
    uint64_t room = known || count < FIRST_ITEMS ? count : FIRST_ITEMS, have = 0;
    char *items = NULL;

    PDPR_TRY(pdpr_i_alloc(b->ctx, room, size, what, &items, err));
    for (;;) {
        PDPR_TRY(take(b, items + have * size, (room - have) * size, err));
        have = room;
        if (have == count)
            break;
        room = count - have < have ? count : 2 * have;
        PDPR_TRY(pdpr_i_resize(b->ctx, room, size, what, &items, err));
    }
    memcpy(out, &items, sizeof items); /* out is the address of a pointer of any type */
    items = NULL;
done:
    pdpr_free(items);
    return s;
}

static pdpr_status check_header(const binary *b, uint64_t declared, pdpr_error *err)
{
    const file_header *h = &b->header;
    const uint64_t most_items = UINT64_C(1) << 58; /* keeps the sums below 2^64 */
    pdpr_i_names_kind kind = (pdpr_i_names_kind)(h->flags >> NAMES_SHIFT);

    if (memcmp(h->magic, magic, sizeof magic) != 0)
        return pdpr_i_fail_at(err, PDPR_EINPUT, b->name, 0,
                              "expected a binary graph of PrivDPR, found other bytes");
    if (h->version != VERSION)
        return pdpr_i_fail_at(err, PDPR_EINPUT, b->name, 0,
                              "expected version %d of the binary format, found %" PRIu32, VERSION,
                              h->version);
    if ((h->flags & ~(FLAG_DIRECTED | 3u << NAMES_SHIFT)) || h->flags >> NAMES_SHIFT > 2 ||
        h->zero[0] || h->zero[1] || (h->first && kind != PDPR_I_NAMES_NUMBERED) ||
        (h->text_bytes && kind != PDPR_I_NAMES_TEXT) || h->num_arcs > most_items ||
        h->text_bytes > most_items || h->first > UINT64_MAX - UINT32_MAX)
        return pdpr_i_fail_at(err, PDPR_EINPUT, b->name, 0,
                              "expected a sound header of a binary graph, found impossible values");
    pdpr_status s = pdpr_i_check_num_nodes(b->ctx, b->name, 0, h->num_nodes, declared, err);
    if (s != PDPR_OK)
        return s;

    uint64_t length = pdpr_i_source_length(b->source);
    uint64_t names = kind == PDPR_I_NAMES_SPARSE ? h->num_nodes * sizeof(uint64_t)
                     : kind == PDPR_I_NAMES_TEXT
                         ? (h->num_nodes + 1) * sizeof(uint64_t) + h->text_bytes
                         : 0;
    uint64_t expected = sizeof *h + (h->num_nodes + 1) * sizeof(uint64_t) +
                        h->num_arcs * sizeof(uint32_t) + names + CHECK_BYTES;
    if (length != UINT64_MAX && length != expected)
        return pdpr_i_fail_at(err, PDPR_EINPUT, b->name, 0,
                              "expected as many bytes as its header says, found another number");
    return PDPR_OK;
}

static pdpr_status fail_names(const binary *b, pdpr_error *err)
{
    return pdpr_i_fail_at(err, PDPR_EINPUT, b->name, 0,
                          "expected distinct node names of text, found others");
}

/* Names must be distinct. */
static pdpr_status check_ids(const binary *b, const uint64_t *id, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_id_table *table = NULL;
    uint32_t node;
    bool added = true;

    PDPR_TRY(pdpr_i_id_table_new(b->ctx, false, &table, err));
    for (uint64_t u = 0; u < b->header.num_nodes && added; u++)
        PDPR_TRY(pdpr_i_id_table_add_number(b->ctx, table, id[u], &node, &added, err));
    if (!added)
        s = fail_names(b, err);
done:
    pdpr_i_id_table_free(table);
    return s;
}

/* Texts must also lie one behind another and be fit for every format. */
static pdpr_status check_texts(const binary *b, const char *text, const uint64_t *start,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_id_table *table = NULL;
    uint64_t n = b->header.num_nodes, length = b->header.text_bytes;
    uint32_t node;
    bool good = start[0] == 0 && start[n] == length;

    PDPR_TRY(pdpr_i_id_table_new(b->ctx, true, &table, err));
    for (uint64_t u = 0; u < n && good; u++)
        good = start[u] <= start[u + 1] && start[u + 1] <= length;
    for (uint64_t u = 0; u < n && good; u++) {
        pdpr_i_token name = {text + start[u], (size_t)(start[u + 1] - start[u])};
        good = pdpr_i_id_is_writable(name.start, name.length);
        if (good)
            PDPR_TRY(pdpr_i_id_table_add_text(b->ctx, table, name, &node, &good, err));
    }
    if (!good)
        s = fail_names(b, err);
done:
    pdpr_i_id_table_free(table);
    return s;
}

static pdpr_status take_names(binary *b, pdpr_i_names **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t n = b->header.num_nodes, *id = NULL, *start = NULL;
    pdpr_i_names_kind kind = (pdpr_i_names_kind)(b->header.flags >> NAMES_SHIFT);
    char *text = NULL;

    if (kind == PDPR_I_NAMES_SPARSE) {
        PDPR_TRY(take_array(b, n, sizeof *id, "node ids", &id, err));
        PDPR_TRY(check_ids(b, id, err));
        PDPR_TRY(pdpr_i_names_sparse(b->ctx, id, (uint32_t)n, out, err));
        id = NULL;
    } else if (kind == PDPR_I_NAMES_TEXT) {
        PDPR_TRY(take_array(b, n + 1, sizeof *start, "node names", &start, err));
        PDPR_TRY(take_array(b, b->header.text_bytes, 1, "node names", &text, err));
        PDPR_TRY(check_texts(b, text, start, err));
        PDPR_TRY(pdpr_i_names_text(b->ctx, text, start, (uint32_t)n, out, err));
        text = NULL;
        start = NULL;
    } else {
        PDPR_TRY(pdpr_i_names_numbered(b->ctx, b->header.first, out, err));
    }
done:
    pdpr_free(id);
    pdpr_free(text);
    pdpr_free(start);
    return s;
}

/* The checksum, and nothing behind it. */
static pdpr_status take_check(binary *b, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    unsigned char expected[CHECK_BYTES], found[CHECK_BYTES], beyond;
    size_t got = 0;

    crypto_generichash_final(&b->hash, expected, sizeof expected);
    PDPR_TRY(take(b, found, sizeof found, err)); /* the hash has been made, it may be fed on */
    if (memcmp(expected, found, sizeof found) != 0) {
        s = pdpr_i_fail_at(err, PDPR_EINPUT, b->name, 0,
                           "expected the checksum of its content, found another: the file is "
                           "damaged");
        goto done;
    }
    PDPR_TRY(pdpr_i_source_read(b->source, &beyond, 1, &got, err));
    if (got > 0)
        s = pdpr_i_fail_at(err, PDPR_EINPUT, b->name, 0,
                           "expected the end after the checksum, found more bytes");
done:
    return s;
}

/* The invariants of a graph: sound rows first, then both halves of every edge. */
static pdpr_status check_graph(const binary *b, pdpr_graph *g, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    bool lone = false;
    uint32_t u, v;

    if (!pdpr_i_graph_is_valid(g)) {
        s = pdpr_i_fail_at(err, PDPR_EINPUT, b->name, 0,
                           "expected a simple graph with sorted rows, found another");
        goto done;
    }
    if (b->header.flags & FLAG_DIRECTED)
        goto done;
    PDPR_TRY(pdpr_i_graph_lone_arc(b->ctx, g, &lone, &u, &v, err));
    if (lone)
        s = pdpr_i_fail_at(err, PDPR_EINPUT, b->name, 0,
                           "expected both halves of every edge, found only one");
    g->directed = false;
done:
    return s;
}

pdpr_status pdpr_i_read_binary_csr(pdpr_context *ctx, pdpr_i_source *source,
                                   const pdpr_load_options *options, const pdpr_i_reading *reading,
                                   pdpr_graph **out, pdpr_load_info *info, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    binary b = {.ctx = ctx, .source = source, .name = pdpr_i_source_name(source)};
    pdpr_graph *g = NULL;
    (void)reading;

    crypto_generichash_init(&b.hash, NULL, 0, CHECK_BYTES);
    PDPR_TRY(take(&b, &b.header, sizeof b.header, err));
    PDPR_TRY(check_header(&b, options->num_nodes, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *g, "graph", &g, err));
    g->num_nodes = (uint32_t)b.header.num_nodes;
    g->num_arcs = b.header.num_arcs;
    g->directed = true; /* until symmetry is known */
    PDPR_TRY(take_array(&b, b.header.num_nodes + 1, sizeof *g->offset, "graph offsets", &g->offset,
                        err));
    PDPR_TRY(take_array(&b, g->num_arcs, sizeof *g->target, "graph arcs", &g->target, err));
    PDPR_TRY(take_names(&b, &g->names, err));
    PDPR_TRY(take_check(&b, err));
    PDPR_TRY(check_graph(&b, g, err));
    if (g->directed && options->direction == PDPR_DIRECTION_UNDIRECTED) {
        PDPR_TRY(pdpr_graph_undirected(ctx, g, out, err));
    } else {
        *out = g;
        g = NULL;
    }
    info->arcs_read = b.header.num_arcs;
    info->nodes_declared = true;
done:
    pdpr_graph_free(g);
    pdpr_i_source_close(source);
    return s;
}
