/* The name of a dataset in a ledger: a keyed hash, so that no plain digest of the input exists
 * anywhere (a digest lets whoever knows all but one node test guesses, PRIVACY.md [P-20]).
 *
 * Two graphs that hold the same people must not get two budgets for being written down
 * differently. The hash therefore sees the set of undirected edges, each as a pair of node names
 * (numbers, with or without leading zeros: counted from the smallest that an edge has), and nothing
 * else: not the order, direction, number of declared nodes or file format. A format without names
 * (METIS, Matrix Market) numbers the nodes anew: what had names, or numbers with gaps, becomes
 * another dataset by it, for no hash of this cost knows a graph under other names. Keyed 128-bit
 * hashes of the edges are added modulo 2^128, which needs no sorting and no second copy and gives
 * the same sum for every number of threads. A collision, however unlikely, would make two datasets
 * share a budget: never too much is spent for it.
 *
 * Cost: O(N) hashes of names and one per edge, about 30 ns each; 16 bytes per node. */
#include "dp/ledger.h"

#include <sodium.h>
#include <string.h>

#include "graph/graph.h"

__extension__ typedef unsigned __int128 wide;

enum {
    NODES_PER_CHUNK = 4096,
    NAME_TEXT = 256,
    MOST_DIGITS = 20,
    SIP = crypto_shorthash_siphashx24_BYTES
};

typedef struct {
    const pdpr_graph *g;
    pdpr_i_names_view names;
    bool numbered;  /* all nodes with an edge are named by numbers */
    uint64_t first; /* which count from here */
    unsigned char name_key[crypto_shorthash_siphashx24_KEYBYTES];
    unsigned char edge_key[crypto_shorthash_siphashx24_KEYBYTES];
    unsigned char (*name)[SIP]; /* [num_nodes] */
    wide *sum;                  /* [chunks] */
} hashing;

static uint32_t chunk_end(const pdpr_graph *g, uint64_t chunk)
{
    uint64_t end = (chunk + 1) * NODES_PER_CHUNK;
    return end < g->num_nodes ? (uint32_t)end : g->num_nodes;
}

/* The number that names a node; false if its name is a text that is none. */
static bool number_of(const hashing *h, uint32_t u, uint64_t *id)
{
    char text[NAME_TEXT];
    if (h->names.kind != PDPR_I_NAMES_TEXT) {
        *id = h->names.kind == PDPR_I_NAMES_SPARSE ? h->names.id[u] : h->names.first + u;
        return true;
    }
    size_t length = pdpr_graph_name(h->g, u, text, sizeof text), zeros = 0;
    while (zeros < NAME_TEXT - MOST_DIGITS && zeros + 1 < length && text[zeros] == '0')
        zeros++; /* numbers that were filled up with zeros stay the same people */
    *id = 0;
    for (size_t i = zeros; i < length && i < zeros + MOST_DIGITS; i++) {
        if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(*id, 10, id) ||
            __builtin_add_overflow(*id, (uint64_t)(text[i] - '0'), id))
            return false;
    }
    return length - zeros <= MOST_DIGITS;
}

/* h->first, the smallest number that an edge names, if all that edges name are numbers (one text
 * among nodes without edges must not give the others a second budget). Formats that count from 1
 * (METIS, Matrix Market) then give the same people the same budget as those that count from 0,
 * whether or not nodes without edges were declared, if the numbers have no gaps. */
static void find_first_number(hashing *h)
{
    h->first = UINT64_MAX;
    h->numbered = true;
    for (uint32_t u = 0; u < h->g->num_nodes && h->numbered; u++)
        for (uint64_t i = h->g->offset[u]; i < h->g->offset[u + 1] && h->numbered; i++) {
            uint64_t a = 0, b = 0;
            h->numbered = number_of(h, u, &a) && number_of(h, h->g->target[i], &b);
            h->first = a < h->first ? a : h->first;
            h->first = b < h->first ? b : h->first;
        }
}

static pdpr_status hash_names(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    (void)worker, (void)err;
    hashing *h = arg;
    for (uint32_t u = (uint32_t)(chunk * NODES_PER_CHUNK); u < chunk_end(h->g, chunk); u++) {
        /* A longer name counts by its beginning: at worst, two datasets share a budget. */
        char text[NAME_TEXT];
        size_t length;
        uint64_t id;
        if (h->numbered && number_of(h, u, &id)) /* below the first: a node in no pair */
            length = (size_t)snprintf(text, sizeof text, "%" PRIu64, id - h->first);
        else
            length = pdpr_graph_name(h->g, u, text, sizeof text);
        if (length >= sizeof text)
            length = sizeof text - 1;
        crypto_shorthash_siphashx24(h->name[u], (const unsigned char *)text, length, h->name_key);
    }
    return PDPR_OK;
}

static pdpr_status hash_edges(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    (void)worker, (void)err;
    hashing *h = arg;
    const pdpr_graph *g = h->g;
    wide sum = 0;
    for (uint32_t u = (uint32_t)(chunk * NODES_PER_CHUNK); u < chunk_end(g, chunk); u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
            uint32_t v = g->target[i];
            if (v < u && pdpr_i_graph_has_arc(g, v, u))
                continue; /* counted from v's side */
            /* The two ends in an order that does not depend on their ids. */
            bool swap = memcmp(h->name[u], h->name[v], SIP) > 0;
            unsigned char pair[2 * SIP], hash[SIP];
            memcpy(pair, h->name[swap ? v : u], SIP);
            memcpy(pair + SIP, h->name[swap ? u : v], SIP);
            crypto_shorthash_siphashx24(hash, pair, sizeof pair, h->edge_key);
            wide value = 0;
            for (int byte = SIP - 1; byte >= 0; byte--)
                value = value << 8 | hash[byte];
            sum += value;
        }
    h->sum[chunk] = sum;
    return PDPR_OK;
}

/* Keyed hash of a label and bytes, in hex. */
static void name_of(const unsigned char secret[PDPR_I_SECRET_BYTES], const char *label,
                    const void *bytes, size_t length, char out[PDPR_LEDGER_KEY_TEXT])
{
    crypto_generichash_state state;
    unsigned char hash[(PDPR_LEDGER_KEY_TEXT - 1) / 2];
    crypto_generichash_init(&state, secret, PDPR_I_SECRET_BYTES, sizeof hash);
    crypto_generichash_update(&state, (const unsigned char *)label, strlen(label) + 1);
    crypto_generichash_update(&state, bytes, length);
    crypto_generichash_final(&state, hash, sizeof hash);
    sodium_bin2hex(out, PDPR_LEDGER_KEY_TEXT, hash, sizeof hash);
    sodium_memzero(&state, sizeof state);
}

/* Reads the ledger for its secret and lets go of the lock. */
static pdpr_status read_secret(pdpr_ledger *ledger, unsigned char secret[PDPR_I_SECRET_BYTES],
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_ledger_file file;
    pdpr_i_ledger_state state;
    PDPR_TRY(pdpr_i_ledger_begin(ledger, PDPR_I_LEDGER_READ, &file, &state, err));
    PDPR_TRY(pdpr_i_ledger_file_close(&file, err));
    memcpy(secret, state.chain.secret, PDPR_I_SECRET_BYTES);
done:
    (void)pdpr_i_ledger_file_close(&file, NULL);
    pdpr_i_ledger_state_clear(&state);
    return s;
}

pdpr_status pdpr_ledger_dataset_of(pdpr_ledger *ledger, const pdpr_graph *g,
                                   char dataset[PDPR_LEDGER_KEY_TEXT], pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_context *ctx = ledger->place.ctx;
    hashing h = {.g = g, .names = pdpr_i_names_look(g->names)};
    uint64_t chunks = pdpr_i_chunks(g->num_nodes, NODES_PER_CHUNK);
    unsigned char secret[PDPR_I_SECRET_BYTES] = {0}, sum_bytes[SIP];
    char hex[PDPR_LEDGER_KEY_TEXT];
    wide sum = 0;

    find_first_number(&h);
    PDPR_TRY(read_secret(ledger, secret, err));
    name_of(secret, "node names", "", 0, hex); /* one key a purpose; 32 hex digits are 16 bytes */
    sodium_hex2bin(h.name_key, sizeof h.name_key, hex, 2 * sizeof h.name_key, NULL, NULL, NULL);
    name_of(secret, "edges", "", 0, hex);
    sodium_hex2bin(h.edge_key, sizeof h.edge_key, hex, 2 * sizeof h.edge_key, NULL, NULL, NULL);

    PDPR_TRY(pdpr_i_alloc(ctx, g->num_nodes, sizeof *h.name, "hashes of node names", &h.name, err));
    PDPR_TRY(pdpr_i_alloc(ctx, chunks, sizeof *h.sum, "hashes of edges", &h.sum, err));
    s = pdpr_i_parallel(ctx, chunks, hash_names, &h, err);
    PDPR_TRY(s == PDPR_OK ? pdpr_i_parallel(ctx, chunks, hash_edges, &h, err) : s);
    for (uint64_t i = 0; i < chunks; i++)
        sum += h.sum[i];
    for (int byte = 0; byte < SIP; byte++)
        sum_bytes[byte] = (unsigned char)(sum >> (8 * byte));
    name_of(secret, "graph", sum_bytes, sizeof sum_bytes, dataset);
done:
    pdpr_free(h.name);
    pdpr_free(h.sum);
    sodium_memzero(&h, sizeof h);
    sodium_memzero(secret, sizeof secret);
    sodium_memzero(sum_bytes, sizeof sum_bytes);
    sodium_memzero(hex, sizeof hex);
    return s;
}

pdpr_status pdpr_ledger_dataset_named(pdpr_ledger *ledger, const char *name,
                                      char dataset[PDPR_LEDGER_KEY_TEXT], pdpr_error *err)
{
    unsigned char secret[PDPR_I_SECRET_BYTES] = {0};
    pdpr_status s = read_secret(ledger, secret, err);
    if (s == PDPR_OK)
        name_of(secret, "name", name, strlen(name), dataset);
    sodium_memzero(secret, sizeof secret);
    return s;
}
