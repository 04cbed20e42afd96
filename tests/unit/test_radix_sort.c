/* Sorting of (key, payload) words by their upper half. */
#include "support/support.h"
#include "base/sort.h"
#include "dp/random_stream.h"

#include <stdlib.h>

/* Keys of `bits` bits: few bits give many equal keys, whose order must stay. */
static void sort_random(uint64_t n, int bits)
{
    pdpr_i_key key;
    pdpr_i_stream random;
    uint64_t *a = malloc((n + 1) * sizeof *a), *scratch = malloc((n + 1) * sizeof *scratch);
    assert_true(a && scratch);
    pdpr_i_key_from_seed(n, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, (uint64_t)bits);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t high = bits ? pdpr_i_stream_u64(&random) >> (64 - bits) : 7;
        a[i] = high << (bits == 8 ? 56 : 32) | (uint32_t)i;
        sum += a[i];
    }
    pdpr_i_sort_by_high(a, scratch, n);
    for (uint64_t i = 1; i < n; i++) {
        assert_true(a[i - 1] >> 32 <= a[i] >> 32);
        if (a[i - 1] >> 32 == a[i] >> 32)
            assert_true((uint32_t)a[i - 1] < (uint32_t)a[i]);
    }
    for (uint64_t i = 0; i < n; i++)
        sum -= a[i];
    assert_int_equal(sum, 0);
    free(a);
    free(scratch);
}

static void radix_sort_is_ascending_and_stable(void **state)
{
    (void)state;
    const uint64_t sizes[] = {0, 1, 2, 3, 100, 70000};
    const int bits[] = {0, 3, 8, 17, 32};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof bits / sizeof *bits; k++)
            sort_random(sizes[i], bits[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radix_sort_is_ascending_and_stable),
    };
    return cmocka_run_group_tests_name("radix_sort", tests, NULL, NULL);
}
