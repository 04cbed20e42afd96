/* Sorting of plain integers. */
#ifndef PDPR_BASE_SORT_H
#define PDPR_BASE_SORT_H

#include <stdint.h>

/* Ascending, in place, O(n log n) worst case; linear if already ascending or descending. */
void pdpr_i_sort_u32(uint32_t *a, uint64_t n);

/* By the upper 32 bits, ascending, equal ones in the order they came; scratch holds n items. O(n).
 */
void pdpr_i_sort_by_high(uint64_t *a, uint64_t *scratch, uint64_t n);

#endif
