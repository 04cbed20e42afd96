/* Sorting of uint32_t: quicksort with insertion sort below 24 items and heapsort when the recursion
 * degenerates. qsort(3) pays a call per comparison, which made it the largest part of building a
 * graph. Rows that come in order (files are usually sorted) cost one pass. */
#include "base/sort.h"

#include <stdbool.h>

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t t = *a;
    *a = *b;
    *b = t;
}

static void insertion_sort(uint32_t *a, uint64_t n)
{
    for (uint64_t i = 1; i < n; i++) {
        uint32_t x = a[i];
        uint64_t j = i;
        for (; j > 0 && a[j - 1] > x; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

static void sift_down(uint32_t *a, uint64_t root, uint64_t n)
{
    for (uint64_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && a[child] < a[child + 1])
            child++;
        if (a[root] >= a[child])
            return;
        swap(&a[root], &a[child]);
    }
}

static void heap_sort(uint32_t *a, uint64_t n)
{
    for (uint64_t i = n / 2; i-- > 0;)
        sift_down(a, i, n);
    for (uint64_t i = n; i-- > 1;) {
        swap(&a[0], &a[i]);
        sift_down(a, 0, i);
    }
}

static uint32_t median3(uint32_t x, uint32_t y, uint32_t z)
{
    if (x > y)
        swap(&x, &y);
    return z < x ? x : z > y ? y : z;
}

static void quick_sort(uint32_t *a, uint64_t n, unsigned depth)
{
    while (n > 24) {
        if (depth-- == 0) {
            heap_sort(a, n);
            return;
        }
        uint32_t pivot = median3(a[0], a[n / 2], a[n - 1]);
        uint64_t i = 0, j = n - 1;
        for (;; i++, j--) { /* Hoare: a[..j] <= pivot <= a[j+1..] */
            while (a[i] < pivot)
                i++;
            while (a[j] > pivot)
                j--;
            if (i >= j)
                break;
            swap(&a[i], &a[j]);
        }
        uint64_t left = j + 1;
        if (left < n - left) { /* recurse into the smaller side: the stack stays logarithmic */
            quick_sort(a, left, depth);
            a += left;
            n -= left;
        } else {
            quick_sort(a + left, n - left, depth);
            n = left;
        }
    }
    insertion_sort(a, n);
}

void pdpr_i_sort_u32(uint32_t *a, uint64_t n)
{
    bool ascending = true, descending = true;
    for (uint64_t i = 1; i < n && (ascending || descending); i++) {
        ascending = ascending && a[i - 1] <= a[i];
        descending = descending && a[i - 1] >= a[i];
    }
    if (ascending)
        return;
    if (descending) {
        for (uint64_t i = 0, j = n - 1; i < j; i++, j--)
            swap(&a[i], &a[j]);
        return;
    }
    unsigned depth = 0;
    for (uint64_t k = n; k; k >>= 1)
        depth += 2;
    quick_sort(a, n, depth);
}
