/* The map from numbers to numbers. */
#include "support/support.h"

#include "base/number_map.h"

static void map_keeps_what_was_added_first(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_number_map map;
    bool added;
    assert_ok(pdpr_i_number_map_init(ctx, 0, &map, NULL));
    assert_null(pdpr_i_number_map_find(&map, 0));
    for (uint64_t k = 0; k < 20000; k++) { /* grows many times; keys both dense and far apart */
        assert_ok(pdpr_i_number_map_add(ctx, &map, k * k * k, k, &added, NULL));
        assert_true(added);
        assert_ok(pdpr_i_number_map_add(ctx, &map, k * k * k, k + 1, &added, NULL));
        assert_false(added);
    }
    assert_int_equal(map.count, 20000);
    for (uint64_t k = 0; k < 20000; k++) {
        uint64_t *value = pdpr_i_number_map_find(&map, k * k * k);
        assert_non_null(value);
        assert_int_equal(*value, k);
    }
    assert_null(pdpr_i_number_map_find(&map, 7));
    assert_null(pdpr_i_number_map_find(&map, UINT64_MAX - 1));
    assert_ok(pdpr_i_number_map_add(ctx, &map, UINT64_MAX - 1, 5, &added, NULL));
    assert_int_equal(*pdpr_i_number_map_find(&map, UINT64_MAX - 1), 5);
    pdpr_i_number_map_clear(&map);
    pdpr_context_free(ctx);
}

static void map_with_expected_room_does_not_grow(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_number_map map;
    bool added;
    assert_ok(pdpr_i_number_map_init(ctx, 1000, &map, NULL));
    uint64_t mask = map.mask;
    for (uint64_t k = 0; k < 1000; k++)
        assert_ok(pdpr_i_number_map_add(ctx, &map, k, k, &added, NULL));
    assert_int_equal(map.mask, mask);
    pdpr_i_number_map_clear(&map);
    pdpr_context_free(ctx);
}

static void map_survives_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        pdpr_i_number_map map = {0};
        bool added;
        status = pdpr_i_number_map_init(ctx, 0, &map, NULL);
        for (uint64_t k = 0; k < 100 && status == PDPR_OK; k++)
            status = pdpr_i_number_map_add(ctx, &map, k, k, &added, NULL);
        pdpr_i_number_map_clear(&map);
    });
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_keeps_what_was_added_first),
        cmocka_unit_test(map_with_expected_room_does_not_grow),
        cmocka_unit_test(map_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("number map", tests, NULL, NULL);
}
