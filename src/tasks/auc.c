/* Area under the ROC curve by ranks (Mann and Whitney 1947): U / (P * N), where U counts the pairs
 * (positive, negative) in which the positive scores higher, a tie as half. Equal scores form one
 * group, so that the result does not depend on how the sort leaves them. Cost: O(n log n). */
#include "tasks/tasks.h"

#include <math.h>
#include <stdlib.h>

static int by_score(const void *a, const void *b)
{
    double x = ((const pdpr_i_scored *)a)->score, y = ((const pdpr_i_scored *)b)->score;
    return (x > y) - (x < y);
}

double pdpr_i_auc(pdpr_i_scored *items, uint64_t count)
{
    uint64_t positives = 0, negatives = 0;
    double twice_u = 0; /* exact: below 2^53 for up to 9e7 examples */

    qsort(items, count, sizeof *items, by_score);
    for (uint64_t first = 0, end; first < count; first = end) {
        uint64_t here[2] = {0, 0};
        for (end = first; end < count && items[end].score == items[first].score; end++)
            here[items[end].positive]++;
        if (end == first) /* not a number: no place in the order */
            return NAN;
        twice_u += (double)here[1] * (2 * (double)negatives + (double)here[0]);
        negatives += here[0];
        positives += here[1];
    }
    return positives && negatives ? twice_u / 2 / (double)positives / (double)negatives : NAN;
}
