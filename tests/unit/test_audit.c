/* The tests' own statistics: PRIVACY.md 12.5 and 10.4. */
#include "support/support.h"
#include "support/audit.h"

static void clopper_pearson_equals_the_oracles(void **state)
{
    (void)state;
    assert_close(clopper_pearson_upper(0, 1000, 0.025), 0.003682083896865671, 1e-13);
    assert_close(clopper_pearson_upper(5, 1000, 0.025), 0.011629470559812147, 1e-13);
    assert_true(clopper_pearson_upper(7, 7, 0.025) == 1);
}

static void epsilon_lower_bound_equals_the_oracles(void **state)
{
    (void)state;
    const struct {
        uint64_t missed, raised, runs;
        double bound;
    } oracle[] = {
        {0, 0, 1000, 5.6005774942916},
        {100, 5, 1000, 4.3260408440882},
        {500, 20, 1000, 2.7247047396175},
        {9000, 10, 10000, 3.9363565176487},
        {0, 0, 10000, 7.9048},
        {0, 0, 100, 3.2813},
    };
    for (size_t i = 0; i < sizeof oracle / sizeof *oracle; i++)
        assert_close(epsilon_lower_bound(oracle[i].missed, oracle[i].raised, oracle[i].runs,
                                         oracle[i].runs, 1e-5, 0.05),
                     oracle[i].bound, i < 4 ? 1e-12 : 2e-5);
}

static void epsilon_lower_bound_blind_attack_is_zero(void **state)
{
    (void)state;
    assert_true(epsilon_lower_bound(50, 50, 100, 100, 1e-5, 0.05) == 0);
    assert_true(epsilon_lower_bound(100, 100, 100, 100, 1e-5, 0.05) == 0);
}

static void gdp_mu_lower_bound_is_the_gap_less_its_error(void **state)
{
    (void)state;
    double world[200], other[200];
    for (int i = 0; i < 200; i++) {
        world[i] = 1.5 + (i % 2 ? 1 : -1);
        other[i] = 0.5 + (i % 2 ? -1 : 1);
    }
    assert_close(gdp_mu_lower_bound(world, other, 200), 1 - 0.1645, 1e-12);
}

static void one_run_p_value_equals_the_oracles(void **state)
{
    (void)state;
    assert_close(one_run_p_value(1000, 100, 75, 1, 1e-5), 0.38450513197498, 1e-12);
    assert_close(one_run_p_value(1000, 100, 85, 1, 1e-5), 0.0045424925888475, 1e-12);
    assert_close(one_run_p_value(1000, 500, 400, 1, 1e-5), 5.984186570237e-4, 1e-12);
    assert_close(one_run_p_value(1000, 1000, 560, 0.1, 1e-5), 0.014637937551342, 1e-12);
    assert_close(one_run_p_value(5000, 500, 490, 3.2, 1e-5), 0.018395723681987, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clopper_pearson_equals_the_oracles),
        cmocka_unit_test(epsilon_lower_bound_equals_the_oracles),
        cmocka_unit_test(epsilon_lower_bound_blind_attack_is_zero),
        cmocka_unit_test(gdp_mu_lower_bound_is_the_gap_less_its_error),
        cmocka_unit_test(one_run_p_value_equals_the_oracles),
    };
    return cmocka_run_group_tests_name("audit", tests, NULL, NULL);
}
