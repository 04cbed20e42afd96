/* What a proposed point of a packing problem proves, in exact integers.
 *
 * The trusted half of the triangle measurement: a bug in a solver costs time, a bug here costs
 * privacy. So it is short, uses no floating point and takes nothing on faith but the problem
 * itself. Lower bound: a point that satisfies every constraint. Upper bound: weak duality, which
 * holds for every y >= 0. Sums are 128 bits wide: at most 2^32 items of 2^20 * 2^40 each.
 *
 * Cost: O(size of the problem). Proof: docs/proofs/triangle_cap.md, Theorem 3. */
#include "blueprint/packing.h"

bool pdpr_i_packing_lower(const pdpr_i_packing *p, const uint64_t *z, pdpr_i_wide *value)
{
    pdpr_i_wide sum = 0;
    for (uint32_t j = 0; j < p->num_items; j++) {
        if (z[j] > (uint64_t)p->upper[j] << PDPR_I_PACKING_BITS)
            return false;
        sum += z[j];
    }
    for (uint32_t v = 0; v < p->num_rows; v++) {
        pdpr_i_wide load = 0;
        for (uint64_t i = p->start[v]; i < p->start[v + 1]; i++)
            load += z[p->item[i]];
        if (load > (pdpr_i_wide)p->cap[v] << PDPR_I_PACKING_BITS)
            return false;
    }
    *value = sum;
    return true;
}

bool pdpr_i_packing_upper(const pdpr_i_packing *p, const uint64_t *y, pdpr_i_wide *value)
{
    pdpr_i_wide sum = 0;
    for (uint32_t v = 0; v < p->num_rows; v++) {
        if (y[v] > PDPR_I_PACKING_ONE)
            return false;
        sum += (pdpr_i_wide)p->cap[v] * (pdpr_i_wide)y[v];
    }
    for (uint32_t j = 0; j < p->num_items; j++) {
        uint64_t price = 0;
        for (unsigned k = 0; k < 3 && p->row[j][k] != PDPR_I_NO_ROW; k++)
            price += y[p->row[j][k]];
        if (price < PDPR_I_PACKING_ONE)
            sum += (pdpr_i_wide)p->upper[j] * (pdpr_i_wide)(PDPR_I_PACKING_ONE - price);
    }
    *value = sum;
    return true;
}
