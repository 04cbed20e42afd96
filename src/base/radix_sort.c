/* Stable sort of 64-bit items by their upper half: least significant digit first, a byte at a time.
 *
 * For arrays of (key, payload) packed into one word, where a comparison sort would spend most of
 * its time on mispredicted branches. Four passes, each reading and writing every item once; a pass
 * whose byte is the same everywhere is skipped. Cost: O(n) time, n items of scratch. */
#include "base/sort.h"

#include <string.h>

enum { DIGITS = 256, FIRST_BIT = 32, LAST_BIT = 64, DIGIT_BITS = 8 };

void pdpr_i_sort_by_high(uint64_t *a, uint64_t *scratch, uint64_t n)
{
    uint64_t *from = a, *to = scratch;

    for (int shift = FIRST_BIT; shift < LAST_BIT; shift += DIGIT_BITS) {
        uint64_t start[DIGITS] = {0}, sum = 0;
        for (uint64_t i = 0; i < n; i++)
            start[from[i] >> shift & (DIGITS - 1)]++;
        if (n > 0 && start[from[0] >> shift & (DIGITS - 1)] == n)
            continue;
        for (int d = 0; d < DIGITS; d++) {
            uint64_t count = start[d];
            start[d] = sum;
            sum += count;
        }
        for (uint64_t i = 0; i < n; i++)
            to[start[from[i] >> shift & (DIGITS - 1)]++] = from[i];
        uint64_t *t = from;
        from = to;
        to = t;
    }
    if (from != a && n > 0)
        memcpy(a, from, n * sizeof *a);
}
