/* M, T, B, layer counts, radii and noise of the paper, against every figure of PRIVACY.md 12.3. */
#include "support/support.h"

#include "dp/accountant.h"
#include "dpr/dpr.h"

#include <math.h>

/* PRIVACY.md 12.3; gamma 0.85, S 5, b 16. Digits as printed there, so tolerances are half a unit
 * of the last digit. */
static const struct {
    uint32_t n;
    double m;
    uint64_t steps;
    uint32_t eq12_512, eq12_128;
    double depth_512, depth_128;
    uint32_t eq13_512, eq13_128;
    uint32_t s246_512[3], s246_128[3];
    uint64_t one_epoch_steps;
    uint32_t one_epoch_512, one_epoch_128;
    double radius, certified, ratio, noise_low, noise_high, ceiling_low, ceiling_high;
} oracle[] = {
    {2708,    8517.215205,  845,          6,       5,      8.8190, 8.1523,      9,
     9,       {29, 14, 11}, {27, 13, 10}, 169,     9,      8,      4.061325e-3, 2.642985e-10,
     1.537e7, 303.935895,   9.497997,     2.0e-11, 6.5e-10},
    {3327,    10463.970167, 1035,         6,       6,      9.0155, 8.3489,      10,
     9,       {30, 15, 11}, {28, 14, 10}, 207,     9,      8,      6.237012e-4, 1.014244e-11,
     6.149e7, 305.599621,   9.549988,     8.5e-13, 2.7e-11},
    {6301,    19817.200088, 1965,         6,       6,      9.6310, 8.9643,      10,
     9,       {31, 15, 12}, {29, 14, 11}, 393,     9,      9,      1.181197e-3, 1.918987e-11,
     6.155e7, 310.799908,   9.712497,     2.2e-12, 7.0e-11},
    {12982,   40828.945043, 4055,         7,       6,      10.3270, 9.6603,      11,
     10,      {33, 16, 13}, {31, 15, 12}, 811,     10,     9,       3.041993e-4, 1.234832e-12,
     2.463e8, 316.573648,   9.892927,     2.0e-13, 6.3e-12},
    {410236,   1290192.775001, 128195,       8,       8,      13.6484, 12.9817,     14,
     13,       {43, 21, 17},   {41, 20, 16}, 25639,   13,     13,      1.877478e-5, 1.190215e-15,
     1.577e10, 342.763598,     10.711362,    9.9e-16, 3.2e-14},
};
enum { DATASETS = sizeof oracle / sizeof *oracle };

static void constants_equal_the_oracle_on_all_five_datasets(void **state)
{
    (void)state;
    for (int i = 0; i < DATASETS; i++) {
        pdpr_i_paper_setting p;
        pdpr_i_paper_setting_default(oracle[i].n, &p);
        assert_ok(pdpr_i_paper_setting_check(&p, NULL));
        assert_true(fabs(pdpr_i_paper_m(&p) - oracle[i].m) <= 0.51e-6);
        assert_int_equal(pdpr_i_paper_steps(&p), oracle[i].steps);
        assert_int_equal(pdpr_i_paper_pairs(&p), 512);
        uint64_t t = oracle[i].steps;
        assert_int_equal(pdpr_i_paper_layers(&p, 512, 1), oracle[i].eq12_512);
        assert_int_equal(pdpr_i_paper_layers(&p, 128, 1), oracle[i].eq12_128);
        assert_true(fabs(pdpr_i_paper_depth(&p, 512, t) - oracle[i].depth_512) <= 0.51e-4);
        assert_true(fabs(pdpr_i_paper_depth(&p, 128, t) - oracle[i].depth_128) <= 0.51e-4);
        assert_int_equal(pdpr_i_paper_layers(&p, 512, t), oracle[i].eq13_512);
        assert_int_equal(pdpr_i_paper_layers(&p, 128, t), oracle[i].eq13_128);
        for (int k = 0; k < 3; k++) {
            pdpr_i_paper_setting other = p;
            other.scale = 2 * (k + 1);
            assert_int_equal(pdpr_i_paper_layers(&other, 512, t), oracle[i].s246_512[k]);
            assert_int_equal(pdpr_i_paper_layers(&other, 128, t), oracle[i].s246_128[k]);
        }
    }
}

static void one_epoch_constants_equal_the_oracle(void **state)
{
    (void)state;
    for (int i = 0; i < DATASETS; i++) {
        pdpr_i_paper_setting p;
        pdpr_i_paper_setting_default(oracle[i].n, &p);
        p.epochs = 1;
        uint64_t t = pdpr_i_paper_steps(&p);
        assert_int_equal(t, oracle[i].one_epoch_steps);
        assert_int_equal(pdpr_i_paper_layers(&p, 512, t), oracle[i].one_epoch_512);
        assert_int_equal(pdpr_i_paper_layers(&p, 128, t), oracle[i].one_epoch_128);
    }
}

/* The paper's noise per coordinate, tau = z S / T, and what no event can differ by under it. */
static double paper_noise(const pdpr_i_paper_setting *p, double epsilon)
{
    double z = 0, steps = (double)pdpr_i_paper_steps(p);
    assert_ok(pdpr_i_noise_multiplier_paper(epsilon, 1e-5, pdpr_i_paper_steps(p), &z, NULL));
    return z * p->sensitivity / steps;
}

static double ceiling_of(const pdpr_i_paper_setting *p, double radius, double noise)
{
    double ceiling = 0, mu = 2 * radius * sqrt((double)pdpr_i_paper_steps(p)) / noise;
    assert_ok(pdpr_gdp_delta(mu, 0, &ceiling, NULL));
    return ceiling;
}

static void radii_and_noise_equal_the_oracle(void **state)
{
    (void)state;
    for (int i = 0; i < DATASETS; i++) {
        pdpr_i_paper_setting p;
        pdpr_i_paper_setting_default(oracle[i].n, &p);
        uint32_t layers = oracle[i].eq13_512;
        /* the paper's bound, B M s^-(L+1) */
        double r =
            (double)pdpr_i_paper_pairs(&p) * pdpr_i_paper_m(&p) * pow(p.scale, -(layers + 1.0));
        double c = pdpr_i_paper_certified_radius(&p, layers, PDPR_I_PAIRS_FROM_START);
        double low = paper_noise(&p, 0.1), high = paper_noise(&p, 3.2);
        assert_close(r, oracle[i].radius, 6e-7);
        assert_true(r <= p.sensitivity / (double)oracle[i].steps);
        assert_close(c, oracle[i].certified, 6e-7);
        assert_close(r / c, oracle[i].ratio, 5e-4);
        assert_true(fabs(low - oracle[i].noise_low) <= 0.51e-6);
        assert_true(fabs(high - oracle[i].noise_high) <= 0.51e-6);
        assert_close(ceiling_of(&p, c, low), oracle[i].ceiling_low, 0.03);
        assert_close(ceiling_of(&p, c, high), oracle[i].ceiling_high, 0.02);
    }
}

static void certified_radius_of_few_layers_equals_the_oracle(void **state)
{
    (void)state;
    pdpr_i_paper_setting p;
    pdpr_i_paper_setting_default(2708, &p);
    const double expected[] = {9299.178, 290.5993, 9.081229};
    for (uint32_t l = 0; l < 3; l++)
        assert_close(pdpr_i_paper_certified_radius(&p, l, PDPR_I_PAIRS_FROM_START), expected[l],
                     2e-7);
}

/* The orthogonality of start rows says nothing about the middle of a walk. */
static void certified_radius_of_consecutive_pairs_is_larger(void **state)
{
    (void)state;
    pdpr_i_paper_setting p;
    pdpr_i_paper_setting_default(2708, &p);
    double from_start = pdpr_i_paper_certified_radius(&p, 1, PDPR_I_PAIRS_FROM_START);
    double consecutive = pdpr_i_paper_certified_radius(&p, 1, PDPR_I_PAIRS_CONSECUTIVE);
    assert_true(consecutive > 3.9 * from_start && consecutive < 4 * from_start);
}

static void example_of_the_paper_is_reproduced(void **state)
{
    (void)state;
    pdpr_i_paper_setting p;
    pdpr_i_paper_setting_default(3327, &p);
    p.scale = 5;
    assert_true(fabs(pdpr_i_paper_m(&p) - 10463.970) <= 0.51e-3);
    assert_true(fabs(pdpr_i_paper_depth(&p, 128, 1) - 6.7656) <= 0.51e-4);
    assert_int_equal(pdpr_i_paper_layers(&p, 128, 1), 7);
}

/* With M forced to a power of s the logarithm may come out a hair above the integer. */
static void layers_at_exact_powers_are_not_one_too_many(void **state)
{
    (void)state;
    pdpr_i_paper_setting p;
    pdpr_i_paper_setting_default(1000, &p);
    for (uint32_t k = 0; k < 40; k++) {
        p.scale = 2;
        p.sensitivity = pdpr_i_paper_m(&p) * ldexp(1, -(int)k - 1);
        assert_int_equal(pdpr_i_paper_layers(&p, 1, 1), k);
    }
    p.sensitivity = 1e9; /* already met without any layer */
    assert_int_equal(pdpr_i_paper_layers(&p, 1, 1), 0);
}

static void setting_out_of_range_is_refused_by_name(void **state)
{
    (void)state;
    pdpr_i_paper_setting good, p;
    pdpr_error err;
    pdpr_i_paper_setting_default(100, &good);
#define REFUSED(change, line)                                                \
    do {                                                                     \
        p = good;                                                            \
        change;                                                              \
        assert_int_equal(pdpr_i_paper_setting_check(&p, &err), PDPR_EUSAGE); \
        assert_string_equal(err.text, line);                                 \
    } while (0)
    REFUSED(p.num_nodes = 1, "nodes: expected at least 2, found 1");
    REFUSED(p.epochs = 0, "epochs: expected at least 1, found 0");
    REFUSED(p.batch = 0, "batch: expected 1 to 100 start nodes, found 0");
    REFUSED(p.batch = 101, "batch: expected 1 to 100 start nodes, found 101");
    REFUSED(p.walks = 0, "walks: expected at least one of at least one arc, found 0 of 16");
    REFUSED(p.walk_length = 0, "walks: expected at least one of at least one arc, found 2 of 0");
    REFUSED(p.walk_length = 1 << 27,
            "walks: expected fewer than 2^32 pairs a batch, found 16 x 2 x 134217728");
    REFUSED(p.gamma = 1, "damping factor: expected between 0 and 1, found 1");
    REFUSED(p.scale = 1, "weight scale s: expected above 1 and below 1e6, found 1");
    REFUSED(p.scale = NAN, "weight scale s: expected above 1 and below 1e6, found nan");
    REFUSED(p.sensitivity = 0, "preset sensitivity: expected a positive number, found 0");
#undef REFUSED
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_equal_the_oracle_on_all_five_datasets),
        cmocka_unit_test(one_epoch_constants_equal_the_oracle),
        cmocka_unit_test(radii_and_noise_equal_the_oracle),
        cmocka_unit_test(certified_radius_of_few_layers_equals_the_oracle),
        cmocka_unit_test(certified_radius_of_consecutive_pairs_is_larger),
        cmocka_unit_test(example_of_the_paper_is_reproduced),
        cmocka_unit_test(layers_at_exact_powers_are_not_one_too_many),
        cmocka_unit_test(setting_out_of_range_is_refused_by_name),
    };
    return cmocka_run_group_tests_name("dpr paper constants", tests, NULL, NULL);
}
