/* A map from numbers to numbers that grows. */
#ifndef PDPR_BASE_NUMBER_MAP_H
#define PDPR_BASE_NUMBER_MAP_H

#include "base/base.h"

/* Keys below 2^64 - 1. 16 bytes a slot, at most two thirds of the slots in use. */
typedef struct {
    uint64_t *slot; /* [2 (mask + 1)]: key + 1 (0: free), value */
    uint64_t mask, count;
} pdpr_i_number_map;

/* Room for `expected` keys before it grows. Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_number_map_init(pdpr_context *ctx, uint64_t expected, pdpr_i_number_map *out,
                                   pdpr_error *err);
void pdpr_i_number_map_clear(pdpr_i_number_map *map);

/* The value of a key, or NULL. Valid until the next add. */
uint64_t *pdpr_i_number_map_find(const pdpr_i_number_map *map, uint64_t key);

/* Adds the key if it is not there; *added tells. An existing value is left alone.
 * Errors: PDPR_ENOMEM, after which the map is as before. */
pdpr_status pdpr_i_number_map_add(pdpr_context *ctx, pdpr_i_number_map *map, uint64_t key,
                                  uint64_t value, bool *added, pdpr_error *err);

#endif
