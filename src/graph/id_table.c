/* A table of ids: numbers or texts to 0, 1, … in order of insertion.
 *
 * Open addressing with linear probing in a power of two of slots, at most half full. A slot holds
 * the upper 32 bits of the hash beside the index, so that most wrong slots are passed without
 * looking at the id. Texts are hashed with SipHash (crypto_shorthash), numbers with a multiply and
 * xor-shift mix of their own. Sorting is a merge sort of indices: the standard qsort takes no
 * context and allocates behind our back.
 *
 * Cost: O(1) expected per find and add; sorting O(n log n). 24 bytes per number, 24 per text beside
 * its bytes, and twice that while the table grows.
 * Invariant: count <= PDPR_I_MOST_NODES. */
#include "graph/io.h"

#include <sodium.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

pdpr_status pdpr_i_id_table_new(pdpr_context *ctx, bool texts, pdpr_i_id_table **out,
                                pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_id_table *table = NULL;

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *table, "table of node ids", &table, err));
    table->texts = texts;
    table->slots = FIRST_SLOTS;
    PDPR_TRY(pdpr_i_zalloc(ctx, table->slots, sizeof *table->slot, "table of node ids",
                           &table->slot, err));
    *out = table;
    table = NULL;
done:
    pdpr_i_id_table_free(table);
    return s;
}

void pdpr_i_id_table_free(pdpr_i_id_table *table)
{
    if (!table)
        return;
    pdpr_free(table->number);
    pdpr_free(table->text);
    pdpr_free(table->start);
    pdpr_free(table->slot);
    pdpr_free(table);
}

/* ---------------------------------------------------------------- hashing */

static uint64_t hash_number(uint64_t x)
{
    for (int round = 0; round < 2; round++) {
        x ^= x >> 31;
        x *= 0x9e3779b97f4a7c15u; /* 2^64 over the golden ratio, odd */
    }
    return x ^ (x >> 29);
}

static uint64_t hash_text(const char *text, size_t length)
{
    static const unsigned char key[crypto_shorthash_KEYBYTES] = {0};
    unsigned char hash[crypto_shorthash_BYTES];
    uint64_t word;
    crypto_shorthash(hash, (const unsigned char *)text, length, key);
    memcpy(&word, hash, sizeof word);
    return word;
}

static pdpr_i_token text_of(const pdpr_i_id_table *table, uint64_t index)
{
    return (pdpr_i_token){table->text + table->start[index],
                          (size_t)(table->start[index + 1] - table->start[index])};
}

static uint64_t slot_value(uint64_t hash, uint32_t index)
{
    return (hash & 0xffffffff00000000u) | ((uint64_t)index + 1);
}

/* The slot of the id, or the empty slot where it belongs. `id` is a text token for texts. */
static uint64_t find_slot(const pdpr_i_id_table *table, uint64_t hash, uint64_t number,
                          pdpr_i_token id)
{
    uint64_t mask = table->slots - 1;
    for (uint64_t i = hash & mask;; i = (i + 1) & mask) {
        uint64_t value = table->slot[i];
        if (value == 0)
            return i;
        if ((value ^ hash) >> 32)
            continue;
        uint64_t index = (value & UINT32_MAX) - 1;
        if (table->texts) {
            pdpr_i_token held = text_of(table, index);
            if (held.length == id.length && memcmp(held.start, id.start, id.length) == 0)
                return i;
        } else if (table->number[index] == number) {
            return i;
        }
    }
}

static int64_t found_in(const pdpr_i_id_table *table, uint64_t slot)
{
    return table->slot[slot] ? (int64_t)(table->slot[slot] & UINT32_MAX) - 1 : PDPR_I_NO_NODE;
}

int64_t pdpr_i_id_table_find_number(const pdpr_i_id_table *table, uint64_t id)
{
    return found_in(table, find_slot(table, hash_number(id), id, (pdpr_i_token){NULL, 0}));
}

int64_t pdpr_i_id_table_find_text(const pdpr_i_id_table *table, pdpr_i_token id)
{
    return found_in(table, find_slot(table, hash_text(id.start, id.length), 0, id));
}

/* ---------------------------------------------------------------- insertion */

static pdpr_status grow_slots(pdpr_context *ctx, pdpr_i_id_table *table, pdpr_error *err)
{
    uint64_t *wider = NULL, slots = 2 * table->slots;
    pdpr_status s = pdpr_i_zalloc(ctx, slots, sizeof *wider, "table of node ids", &wider, err);
    if (s != PDPR_OK)
        return s;
    for (uint32_t i = 0; i < table->count; i++) {
        pdpr_i_token id = table->texts ? text_of(table, i) : (pdpr_i_token){NULL, 0};
        uint64_t hash =
            table->texts ? hash_text(id.start, id.length) : hash_number(table->number[i]);
        uint64_t at = hash & (slots - 1);
        while (wider[at])
            at = (at + 1) & (slots - 1);
        wider[at] = slot_value(hash, i);
    }
    pdpr_free(table->slot);
    table->slot = wider;
    table->slots = slots;
    return PDPR_OK;
}

/* Room for one more id, of `length` bytes if it is a text. */
static pdpr_status make_room(pdpr_context *ctx, pdpr_i_id_table *table, size_t length,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    if (table->count == PDPR_I_MOST_NODES) {
        s = pdpr_i_fail(err, PDPR_EINPUT,
                        "expected at most %" PRIu32 " distinct node ids, found more",
                        (uint32_t)PDPR_I_MOST_NODES);
        goto done;
    }
    if (table->count == table->capacity) {
        uint64_t capacity = table->capacity ? 2 * table->capacity : FIRST_SLOTS;
        if (table->texts) {
            bool first = table->start == NULL;
            PDPR_TRY(pdpr_i_resize(ctx, capacity + 1, sizeof *table->start, "node names",
                                   &table->start, err));
            if (first)
                table->start[0] = 0;
        } else {
            PDPR_TRY(pdpr_i_resize(ctx, capacity, sizeof *table->number, "node ids", &table->number,
                                   err));
        }
        table->capacity = capacity;
    }
    if (table->texts &&
        (!table->text || table->text_capacity - table->start[table->count] < length)) {
        uint64_t wanted = 2 * (table->start[table->count] + length);
        PDPR_TRY(pdpr_i_resize(ctx, wanted, 1, "node names", &table->text, err));
        table->text_capacity = wanted;
    }
    if (2 * ((uint64_t)table->count + 1) > table->slots)
        PDPR_TRY(grow_slots(ctx, table, err));
done:
    return s;
}

static pdpr_status add(pdpr_context *ctx, pdpr_i_id_table *table, uint64_t hash, uint64_t number,
                       pdpr_i_token id, uint32_t *out, bool *added, pdpr_error *err)
{
    uint64_t slot = find_slot(table, hash, number, id);
    int64_t found = found_in(table, slot);
    if (added)
        *added = found == PDPR_I_NO_NODE;
    if (found != PDPR_I_NO_NODE) {
        *out = (uint32_t)found;
        return PDPR_OK;
    }
    uint64_t slots = table->slots;
    pdpr_status s = make_room(ctx, table, id.length, err);
    if (s != PDPR_OK)
        return s;
    if (table->slots != slots)
        slot = find_slot(table, hash, number, id);
    if (id.start) { /* a text */
        memcpy(table->text + table->start[table->count], id.start, id.length);
        table->start[table->count + 1] = table->start[table->count] + id.length;
    } else {
        table->number[table->count] = number;
    }
    table->slot[slot] = slot_value(hash, table->count);
    *out = table->count++;
    return PDPR_OK;
}

pdpr_status pdpr_i_id_table_add_number(pdpr_context *ctx, pdpr_i_id_table *table, uint64_t id,
                                       uint32_t *out, bool *added, pdpr_error *err)
{
    return add(ctx, table, hash_number(id), id, (pdpr_i_token){NULL, 0}, out, added, err);
}

pdpr_status pdpr_i_id_table_add_text(pdpr_context *ctx, pdpr_i_id_table *table, pdpr_i_token id,
                                     uint32_t *out, bool *added, pdpr_error *err)
{
    return add(ctx, table, hash_text(id.start, id.length), 0, id, out, added, err);
}

/* ---------------------------------------------------------------- order */

static bool comes_before(const pdpr_i_id_table *table, uint32_t a, uint32_t b)
{
    if (!table->texts)
        return table->number[a] < table->number[b];
    pdpr_i_token x = text_of(table, a), y = text_of(table, b);
    int order = memcmp(x.start, y.start, x.length < y.length ? x.length : y.length);
    return order < 0 || (order == 0 && x.length < y.length);
}

/* Merges runs of 1, 2, 4, … indices from one array to the other; the result is in *order. */
static void merge_sort(const pdpr_i_id_table *table, uint32_t **order, uint32_t **other)
{
    uint64_t n = table->count;
    for (uint64_t run = 1; run < n; run *= 2) {
        uint32_t *from = *order, *to = *other;
        for (uint64_t low = 0; low < n; low += 2 * run) {
            uint64_t middle = low + run < n ? low + run : n;
            uint64_t high = middle + run < n ? middle + run : n;
            uint64_t a = low, b = middle;
            for (uint64_t k = low; k < high; k++)
                to[k] = b == high || (a < middle && !comes_before(table, from[b], from[a]))
                            ? from[a++]
                            : from[b++];
        }
        *order = to;
        *other = from;
    }
}

pdpr_status pdpr_i_id_table_sort(pdpr_context *ctx, pdpr_i_id_table *table, uint32_t *rank,
                                 pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t *order = NULL, *other = NULL;
    uint64_t *number = NULL, *start = NULL, n = table->count;
    char *text = NULL;

    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *order, "order of node ids", &order, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *other, "order of node ids", &other, err));
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    merge_sort(table, &order, &other);
    pdpr_free(other);
    other = NULL;

    if (table->texts) {
        PDPR_TRY(pdpr_i_alloc(ctx, n + 1, sizeof *start, "node names", &start, err));
        PDPR_TRY(pdpr_i_alloc(ctx, n ? table->start[n] : 0, 1, "node names", &text, err));
        start[0] = 0;
        for (uint32_t i = 0; i < n; i++) {
            pdpr_i_token id = text_of(table, order[i]);
            memcpy(text + start[i], id.start, id.length);
            start[i + 1] = start[i] + id.length;
        }
    } else {
        PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *number, "node ids", &number, err));
        for (uint32_t i = 0; i < n; i++)
            number[i] = table->number[order[i]];
    }
    for (uint32_t i = 0; i < n; i++)
        rank[order[i]] = i;

    pdpr_free(table->number);
    pdpr_free(table->text);
    pdpr_free(table->start);
    table->number = number;
    table->text = text;
    table->start = start;
    memset(table->slot, 0, table->slots * sizeof *table->slot); /* the hashes point nowhere now */
    number = start = NULL;
    text = NULL;
done:
    pdpr_free(order);
    pdpr_free(other);
    pdpr_free(number);
    pdpr_free(start);
    pdpr_free(text);
    return s;
}

pdpr_status pdpr_i_id_table_to_names(pdpr_context *ctx, pdpr_i_id_table *table, pdpr_i_names **out,
                                     pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    if (table->texts) {
        PDPR_TRY(pdpr_i_names_text(ctx, table->text, table->start, table->count, out, err));
        table->text = NULL;
        table->start = NULL;
    } else {
        PDPR_TRY(pdpr_i_names_sparse(ctx, table->number, table->count, out, err));
        table->number = NULL;
    }
done:
    return s;
}
