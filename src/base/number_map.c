/* A map from numbers to numbers: open addressing with linear probing, doubled when two thirds full.
 *
 * Key and value lie side by side, so that a lookup touches one cache line as a rule. Multiplying by
 * 2^64 divided by the golden ratio and taking high bits spreads the runs of consecutive numbers
 * that ids are. Nothing is ever removed. Cost: O(1) expected an operation, 24 to 48 bytes a key. */
#include "base/number_map.h"

static uint64_t home(uint64_t mask, uint64_t key)
{
    return (key * UINT64_C(0x9E3779B97F4A7C15)) >> 20 & mask;
}

/* Where the key is, or the free place where it belongs. */
static uint64_t place(const uint64_t *slot, uint64_t mask, uint64_t key)
{
    uint64_t at = home(mask, key);
    while (slot[2 * at] != 0 && slot[2 * at] != key + 1)
        at = (at + 1) & mask;
    return at;
}

pdpr_status pdpr_i_number_map_init(pdpr_context *ctx, uint64_t expected, pdpr_i_number_map *out,
                                   pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t slots = 16;
    uint64_t *slot = NULL;
    while (slots / 3 * 2 < expected && slots < UINT64_C(1) << 58)
        slots *= 2;
    PDPR_TRY(pdpr_i_zalloc(ctx, slots, 2 * sizeof *slot, "number map", &slot, err));
    *out = (pdpr_i_number_map){.slot = slot, .mask = slots - 1};
done:
    return s;
}

void pdpr_i_number_map_clear(pdpr_i_number_map *map)
{
    pdpr_free(map->slot);
    *map = (pdpr_i_number_map){0};
}

uint64_t *pdpr_i_number_map_find(const pdpr_i_number_map *map, uint64_t key)
{
    uint64_t at = place(map->slot, map->mask, key);
    return map->slot[2 * at] ? &map->slot[2 * at + 1] : NULL;
}

static pdpr_status grow(pdpr_context *ctx, pdpr_i_number_map *map, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t mask = 2 * map->mask + 1;
    uint64_t *slot = NULL;
    PDPR_TRY(pdpr_i_zalloc(ctx, mask + 1, 2 * sizeof *slot, "number map", &slot, err));
    for (uint64_t i = 0; i <= map->mask; i++)
        if (map->slot[2 * i]) {
            uint64_t at = place(slot, mask, map->slot[2 * i] - 1);
            slot[2 * at] = map->slot[2 * i];
            slot[2 * at + 1] = map->slot[2 * i + 1];
        }
    pdpr_free(map->slot);
    map->slot = slot;
    map->mask = mask;
done:
    return s;
}

pdpr_status pdpr_i_number_map_add(pdpr_context *ctx, pdpr_i_number_map *map, uint64_t key,
                                  uint64_t value, bool *added, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t at = place(map->slot, map->mask, key);
    if (map->slot[2 * at]) {
        *added = false;
        return PDPR_OK;
    }
    if (map->count >= (map->mask + 1) / 3 * 2) {
        PDPR_TRY(grow(ctx, map, err));
        at = place(map->slot, map->mask, key);
    }
    map->slot[2 * at] = key + 1;
    map->slot[2 * at + 1] = value;
    map->count++;
    *added = true;
done:
    return s;
}
