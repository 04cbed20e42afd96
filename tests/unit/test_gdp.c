/* Gaussian differential privacy: the oracles of PRIVACY.md 8, 12.1, 12.2 and 12.3 to their stated
 * digits, the safe side at each, and every refusal. */
#include "support/support.h"
#include "dp/accountant.h"
#include "dp/barrier.h"

#include <math.h>
#include <string.h>

static double mu_of(double epsilon, double delta)
{
    double mu = 0;
    assert_ok(pdpr_gdp_mu(epsilon, delta, &mu, NULL));
    return mu;
}

static double epsilon_of(double mu, double delta)
{
    double epsilon = 0;
    assert_ok(pdpr_gdp_epsilon(mu, delta, &epsilon, NULL));
    return epsilon;
}

static double delta_of(double mu, double epsilon)
{
    double delta = 0;
    assert_ok(pdpr_gdp_delta(mu, epsilon, &delta, NULL));
    return delta;
}

/* Table 12.1: mu and sigma with 15 digits, the classical sigma with 9 decimals. */
static void mu_equals_table_12_1(void **state)
{
    (void)state;
    const struct {
        double epsilon, delta, mu, sigma, classical;
    } oracle[] = {
        {0.1, 1e-5, 0.0325207840562039, 30.7495661319775, 48.448052626},
        {0.2, 1e-5, 0.0613341398886931, 16.3041334208772, 24.224026313},
        {0.4, 1e-5, 0.115880580862301, 8.62957358824669, 12.112013157},
        {0.5, 1e-5, 0.142210558669261, 7.03182667558249, 9.689610525},
        {0.8, 1e-5, 0.218686224027933, 4.57276174777369, 6.056006578},
        {1, 1e-5, 0.268051123211294, 3.73063163481594, 4.844805263},
        {1.6, 1e-5, 0.410428730706284, 2.43647660406024, 3.028003289},
        {2, 1e-5, 0.501551689169657, 1.99381244564354, 2.422402631},
        {3.2, 1e-5, 0.761132161324164, 1.31383227619796, 1.514001645},
        {8, 1e-5, 1.66603059784572, 0.600229072198952, 0.605600658},
        {0.1, 1e-6, 0.0275446502438276, 36.3046904261958, 52.988025269},
        {1, 1e-6, 0.236704380663436, 4.22467888932684, 5.298802527},
        {3.2, 1e-6, 0.686430396284773, 1.45681194395293, 1.655875790},
        {0.1, 1e-9, 0.0199164234126815, 50.2098182630153, 64.724662051},
        {1, 1e-9, 0.181974807295332, 5.4952661572383, 6.472466205},
        {3.2, 1e-9, 0.546399527732317, 1.83016263602977, 2.022645689},
    };
    for (size_t i = 0; i < sizeof oracle / sizeof *oracle; i++) {
        double mu = mu_of(oracle[i].epsilon, oracle[i].delta), classical;
        assert_close(mu, oracle[i].mu, 5e-15);
        assert_close(1 / mu, oracle[i].sigma, 5e-15);
        assert_close(epsilon_of(mu, oracle[i].delta), oracle[i].epsilon, 5e-15);
        assert_true(delta_of(mu, oracle[i].epsilon) <= oracle[i].delta);
        assert_true(delta_of(mu * (1 + 4e-15), oracle[i].epsilon) > oracle[i].delta);
        pdpr_status s =
            pdpr_i_noise_multiplier_paper(oracle[i].epsilon, oracle[i].delta, 1, &classical, NULL);
        if (oracle[i].epsilon < 1) {
            assert_ok(s);
            assert_true(fabs(classical - oracle[i].classical) <= 1e-9);
        } else {
            assert_int_equal(s, PDPR_EUSAGE); /* the formula is not proved there */
        }
    }
}

static void delta_equals_the_values_of_12_1(void **state)
{
    (void)state;
    const struct {
        double mu, epsilon, delta;
    } oracle[] = {
        {0.1, 0, 0.03987761167674492},    {0.1, 0.1, 0.008751768145809594},
        {0.1, 0.5, 6.856582455838727e-9}, {0.5, 0, 0.1974126513658474},
        {0.5, 1, 0.006829594983114575},   {0.5, 3.2, 2.789906703878853e-11},
        {1, 0, 0.3829249225480262},       {1, 1, 0.1269367375066439},
        {1, 8, 3.650821687421791e-15},    {2, 1, 0.5098616600546702},
        {2, 8, 4.954017389387454e-4},
    };
    for (size_t i = 0; i < sizeof oracle / sizeof *oracle; i++) {
        assert_close(delta_of(oracle[i].mu, oracle[i].epsilon), oracle[i].delta,
                     3e-15); /* the double 0.1 is not 0.1 */
        /* delta(-e) = 1 - e^-e (1 - delta(e)) */
        assert_close(delta_of(oracle[i].mu, -oracle[i].epsilon),
                     1 - exp(-oracle[i].epsilon) * (1 - oracle[i].delta), 1e-14);
    }
}

static void epsilon_equals_the_values_of_12_1(void **state)
{
    (void)state;
    const struct {
        double mu, delta, epsilon;
    } oracle[] = {
        {0.01, 1e-5, 0.027219419814577}, {0.1, 1e-5, 0.34066936468433},
        {0.5, 1e-5, 1.9930914044151},    {1, 1e-5, 4.3771780956812},
        {2, 1e-5, 9.9972561464343},      {5, 1e-5, 33.103732335922},
        {0.1, 1e-9, 0.53514823155317},   {1, 1e-9, 6.1739350466709},
        {5, 1e-9, 41.833375080551},
    };
    for (size_t i = 0; i < sizeof oracle / sizeof *oracle; i++)
        assert_close(epsilon_of(oracle[i].mu, oracle[i].delta), oracle[i].epsilon, 3e-14);
    assert_close(epsilon_of(0.029068883707497, 1e-5), 0.0884286830862, 1e-12);
}

/* A mechanism that needs less than delta at epsilon = 0 is (0, delta)-DP. */
static void epsilon_of_a_tiny_mu_is_zero(void **state)
{
    (void)state;
    assert_true(epsilon_of(2e-5, 1e-5) == 0);
    assert_true(epsilon_of(3e-5, 1e-5) > 0);
    assert_close(mu_of(0, 1e-5), 2.5066282746310e-5, 1e-9); /* 2 Phi^-1((1 + delta)/2) */
}

/* Table 12.2: the noise of a plan in units of the sensitivity, z = sqrt(T) / mu, and the ceiling
 * 2 Phi(mu/2) - 1 at delta = 1e-5. */
static void noise_and_ceiling_equal_table_12_2(void **state)
{
    (void)state;
    const uint64_t steps[5] = {845, 1035, 1965, 4055, 128195};
    const struct {
        double epsilon, z[5], ceiling;
    } oracle[] = {
        {0.1,
         {893.85556194645, 989.25708029335, 1363.0766233063, 1958.0979901862, 11009.675930716},
         0.01297334406},
        {0.2,
         {473.942958363, 524.52705691601, 722.73485205871, 1038.2289865855, 5837.5856272115},
         0.02446494682},
        {0.4,
         {250.85207108203, 277.62560081158, 382.53450395867, 549.52159737101, 3089.7609487915},
         0.04620381011},
        {0.8,
         {132.92507946813, 147.1122199274, 202.70284841052, 291.18835529209, 1637.2466764339},
         0.08706964688},
        {1.6,
         {70.825655059465, 78.384902121566, 108.00491584086, 155.15210592141, 872.36410778426},
         0.1625953536},
        {3.2,
         {38.191637647955, 42.267844559769, 58.239978246989, 83.663370352066, 470.40883523922},
         0.2964747457},
    };
    for (size_t i = 0; i < sizeof oracle / sizeof *oracle; i++) {
        double mu = mu_of(oracle[i].epsilon, 1e-5);
        for (int t = 0; t < 5; t++) {
            pdpr_i_clip_plan plan;
            assert_ok(pdpr_i_clip_plan_make(1, (uint32_t)steps[t], mu, &plan, NULL));
            double z = plan.sigma / (2 * (double)plan.radius);
            assert_close(z, oracle[i].z[t] * (1 + 0x1p-40), 1e-13); /* rounded up by that */
            assert_true(z >= oracle[i].z[t]);
        }
        assert_close(delta_of(mu, 0), oracle[i].ceiling, 5e-10);
        assert_true(delta_of(mu, 0) >= erf(mu / 2 / sqrt(2)) * (1 - 1e-15));
    }
    mpq_t zero; /* a part that reveals nothing */
    mpfr_t bound;
    mpq_init(zero);
    mpfr_init2(bound, PDPR_I_GDP_BITS);
    pdpr_i_gdp_delta_upper(bound, 0, zero);
    assert_true(mpfr_zero_p(bound));
    mpfr_clear(bound);
    mpq_clear(zero);
    pdpr_i_gdp_forget();
}

/* Section 8's column "paper", and tau = z S/T of table 12.3 with S = 5. */
static void paper_noise_equals_the_tables(void **state)
{
    (void)state;
    const struct {
        uint64_t steps;
        double epsilon, z, tau;
    } oracle[] = {
        {845, 0.1, 51365.17, 303.935895},     {845, 3.2, 1605.161, 9.497997},
        {4055, 0.1, 256741.2, 316.573648},    {4055, 3.2, 8023.163, 9.892927},
        {128195, 0.1, 8788115.9, 342.763598}, {128195, 3.2, 274628.6, 10.711362},
    };
    for (size_t i = 0; i < sizeof oracle / sizeof *oracle; i++) {
        double z;
        assert_ok(
            pdpr_i_noise_multiplier_paper(oracle[i].epsilon, 1e-5, oracle[i].steps, &z, NULL));
        assert_close(z, oracle[i].z, 5e-7);
        assert_close(z * 5 / (double)oracle[i].steps, oracle[i].tau, 5e-8);
    }
}

static void gdp_arguments_out_of_range_are_refused(void **state)
{
    (void)state;
    pdpr_error err;
    double out = 7;
    const double bad_mu[] = {0, -1, NAN, INFINITY, 1.1e6};
    for (size_t i = 0; i < sizeof bad_mu / sizeof *bad_mu; i++) {
        assert_int_equal(pdpr_gdp_delta(bad_mu[i], 1, &out, &err), PDPR_EUSAGE);
        assert_non_null(strstr(err.text, "mu: expected a number in (0, 1e+06], found"));
        assert_int_equal(pdpr_gdp_epsilon(bad_mu[i], 0.1, &out, &err), PDPR_EUSAGE);
    }
    const double bad_delta[] = {0, 1, -0.1, NAN, INFINITY};
    for (size_t i = 0; i < sizeof bad_delta / sizeof *bad_delta; i++) {
        assert_int_equal(pdpr_gdp_mu(1, bad_delta[i], &out, &err), PDPR_EUSAGE);
        assert_non_null(strstr(err.text, "delta: expected a number strictly between 0 and 1"));
        assert_int_equal(pdpr_gdp_epsilon(1, bad_delta[i], &out, &err), PDPR_EUSAGE);
    }
    const double bad_epsilon[] = {-1, NAN, INFINITY, 1.1e6};
    for (size_t i = 0; i < sizeof bad_epsilon / sizeof *bad_epsilon; i++) {
        assert_int_equal(pdpr_gdp_mu(bad_epsilon[i], 0.1, &out, &err), PDPR_EUSAGE);
        assert_non_null(strstr(err.text, "epsilon: expected a number in [0, 1e+06]"));
    }
    assert_int_equal(pdpr_gdp_delta(1, NAN, &out, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "epsilon: expected a finite number, found nan");
    assert_true(out == 7); /* untouched by all of them */
}

/* Far ends: nothing overflows, hangs or falls on the wrong side. */
static void gdp_far_ends_stay_safe(void **state)
{
    (void)state;
    assert_true(delta_of(1e-300, 50) ==
                4.9406564584124654e-324); /* above the truth, which is less */
    assert_true(delta_of(5e-324, 0) > 0);
    assert_true(delta_of(1e6, 50) == 1);
    assert_true(delta_of(1e6, -50) == 1);
    assert_close(delta_of(1e-10, -50), 1 - exp(-50), 1e-15);
    assert_close(delta_of(1e-200, 0), 1e-200 / sqrt(2 * acos(-1)), 1e-15);
    assert_close(delta_of(2, 2),
                 erf(2 / sqrt(2)) / 2 - exp(2) * erfc(2 / sqrt(2)) / 2 + 0.5 - erf(2 / sqrt(2)) / 2,
                 1e-12); /* alpha = 0: 1/2 - e^2 Phi(-2) */
    assert_true(mu_of(1e6, 0.5) > 1400 && mu_of(1e6, 0.5) < 1415);
    assert_true(epsilon_of(1e6, 0.5) > 4.9e11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mu_equals_table_12_1),
        cmocka_unit_test(delta_equals_the_values_of_12_1),
        cmocka_unit_test(epsilon_equals_the_values_of_12_1),
        cmocka_unit_test(epsilon_of_a_tiny_mu_is_zero),
        cmocka_unit_test(noise_and_ceiling_equal_table_12_2),
        cmocka_unit_test(paper_noise_equals_the_tables),
        cmocka_unit_test(gdp_arguments_out_of_range_are_refused),
        cmocka_unit_test(gdp_far_ends_stay_safe),
    };
    return cmocka_run_group_tests_name("gdp", tests, NULL, NULL);
}
