/* Planning: what a budget leaves for Gaussian noise beside the charges of a list.
 *
 * The answer comes from the upper bound of the joint conversion, so a plan that is carried out as
 * planned is within the budget; it is rounded towards more noise. The noise multiplier that the
 * paper would use is kept beside ours for comparison.
 *
 * Cost: about ten joint conversions (a few ms for the charges of one run). Source: PRIVACY.md
 * sections 5 and 8, [P-16] to [P-19]; docs/proofs/joint_accounting.md, Theorem 4 (monotonicity). */
#include "dp/accountant.h"

#include <math.h>

pdpr_status pdpr_i_budget_check(double epsilon, double delta, uint64_t num_nodes,
                                bool accept_large_delta, bool only_pure, pdpr_error *err)
{
    if (!(epsilon > 0 && epsilon <= PDPR_I_MAX_EPSILON))
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "epsilon: expected a number above 0 and at most %g, found %g",
                           PDPR_I_MAX_EPSILON, epsilon);
    if (only_pure && delta == 0)
        return PDPR_OK;
    if (!(delta >= 1e-300 && delta < 1))
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "delta: expected a number in [1e-300, 1)%s, found %g; below 1/N is "
                           "usual, 1e-5 for thousands of nodes",
                           only_pure ? " or 0" : ", and 0 only without Gaussian noise", delta);
    if (!accept_large_delta && delta >= 1 / (double)num_nodes)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "delta: expected less than 1/N = %g for %" PRIu64
                           " nodes, found %g; give a smaller one (--delta), or accept it "
                           "(--i-accept-large-delta)",
                           1 / (double)num_nodes, num_nodes, delta);
    return PDPR_OK;
}

static pdpr_status check_epsilon(double epsilon, pdpr_error *err)
{
    return pdpr_i_budget_check(epsilon, 0, 1, true, true, err);
}

/* ---------------------------------------------------------------- what is left for Gaussians */

typedef struct {
    pdpr_i_joint *joint;
    double epsilon;
} plan_model;

static double mu_of_sigma(double sigma)
{
    return fmin(1 / sigma, PDPR_I_GDP_MAX_MU);
}

static void over_sigma(void *model, double x, mpfr_t out)
{
    const plan_model *m = model;
    pdpr_i_joint_delta_upper(m->joint, mu_of_sigma(x), m->epsilon, out);
}

/* sqrt(total^2 - spent^2), rounded down; total > spent. */
static double subtract_mu(double total, double spent)
{
    mpfr_t a, b;
    mpfr_inits2(PDPR_I_GDP_BITS, a, b, (mpfr_ptr)0);
    mpfr_set_d(a, total, MPFR_RNDN); /* exact, and so are sum and difference */
    mpfr_set_d(b, spent, MPFR_RNDN);
    mpfr_add(a, a, b, MPFR_RNDD);
    mpfr_set_d(b, total, MPFR_RNDN);
    mpfr_sub_d(b, b, spent, MPFR_RNDD);
    mpfr_mul(a, a, b, MPFR_RNDD);
    mpfr_sqrt(a, a, MPFR_RNDD);
    double left = mpfr_get_d(a, MPFR_RNDD);
    mpfr_clears(a, b, (mpfr_ptr)0);
    return left;
}

pdpr_status pdpr_i_accountant_mu_left(pdpr_context *ctx, const pdpr_accountant *a, double epsilon,
                                      double delta, double *mu, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_joint joint;

    s = check_epsilon(epsilon, err);
    if (s != PDPR_OK)
        return s;
    if (!(delta >= 1e-300 && delta < 1))
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "delta: expected a number in [1e-300, 1) for Gaussian noise, found %g",
                           delta);
    s = pdpr_i_joint_init(ctx, a, true, &joint, err);
    if (s != PDPR_OK)
        return s;

    plan_model model = {&joint, epsilon};
    double spend = pdpr_i_delta_to_spend(delta), y = sqrt(-2 * log(spend));
    double spare = fmax(epsilon - pdpr_i_accountant_pure_epsilon(a), 0);
    double start = fmax(2 * spare / (y + sqrt(y * y + 2 * spare)), 1e-3 * epsilon);
    double sigma = pdpr_i_gdp_smallest(over_sigma, &model, spend, 1 / start);
    double total = mu_of_sigma(sigma) * (1 - 1e-12); /* [P-16] */
    pdpr_i_joint_clear(&joint);
    if (total <= a->mu)
        return pdpr_i_fail(err, PDPR_EBUDGET,
                           "budget: the charges so far leave nothing of epsilon = %g, delta = %g "
                           "for Gaussian noise; lower the pure charges or raise epsilon",
                           epsilon, delta);
    *mu = subtract_mu(total, a->mu);
    return PDPR_OK;
}

/* ---------------------------------------------------------------- the paper's noise */

pdpr_status pdpr_i_noise_multiplier_paper(double epsilon, double delta, uint64_t steps, double *out,
                                          pdpr_error *err)
{
    pdpr_status s = pdpr_i_budget_check(epsilon, delta, 1, true, false, err);
    if (s != PDPR_OK)
        return s;
    if (epsilon >= (double)steps)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "paper's noise: the classical formula holds for epsilon/T < 1 only, "
                           "found epsilon = %g and T = %" PRIu64,
                           epsilon, steps);
    mpfr_t z;
    mpfr_init2(z, PDPR_I_GDP_BITS);
    mpfr_set_uj(z, steps, MPFR_RNDU);
    mpfr_mul_d(z, z, 1.25, MPFR_RNDU);
    mpfr_div_d(z, z, delta, MPFR_RNDU);
    mpfr_log(z, z, MPFR_RNDU);
    mpfr_mul_2ui(z, z, 1, MPFR_RNDU);
    mpfr_sqrt(z, z, MPFR_RNDU);
    mpfr_mul_d(z, z, (double)steps, MPFR_RNDU);
    mpfr_div_d(z, z, epsilon, MPFR_RNDU);
    *out = mpfr_get_d(z, MPFR_RNDU);
    mpfr_clear(z);
    pdpr_i_gdp_forget();
    return PDPR_OK;
}

/* ---------------------------------------------------------------- self-test */

/* PRIVACY.md, table 12.1: computed there with 60 digits. */
static const pdpr_i_mu_row ORACLE[] = {
    {0.1, 1e-5, 0.0325207840562039}, {0.2, 1e-5, 0.0613341398886931},
    {0.4, 1e-5, 0.115880580862301},  {0.5, 1e-5, 0.142210558669261},
    {0.8, 1e-5, 0.218686224027933},  {1, 1e-5, 0.268051123211294},
    {1.6, 1e-5, 0.410428730706284},  {2, 1e-5, 0.501551689169657},
    {3.2, 1e-5, 0.761132161324164},  {8, 1e-5, 1.66603059784572},
    {0.1, 1e-6, 0.0275446502438276}, {1, 1e-6, 0.236704380663436},
    {3.2, 1e-6, 0.686430396284773},  {0.1, 1e-9, 0.0199164234126815},
    {1, 1e-9, 0.181974807295332},    {3.2, 1e-9, 0.546399527732317},
};

pdpr_status pdpr_i_accountant_self_test_rows(const pdpr_i_mu_row *rows, uint32_t count,
                                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    for (uint32_t i = 0; i < count; i++) {
        double mu;
        PDPR_TRY(pdpr_gdp_mu(rows[i].epsilon, rows[i].delta, &mu, err));
        if (fabs(mu - rows[i].mu) > 1e-9 * rows[i].mu) {
            s = pdpr_i_fail(err, PDPR_EFAILED,
                            "accountant self-test: mu(%g, %g) is %.15g, expected %.15g; this build "
                            "must not be used for private data",
                            rows[i].epsilon, rows[i].delta, mu, rows[i].mu);
            goto done;
        }
    }
done:
    return s;
}

pdpr_status pdpr_i_accountant_self_test(pdpr_error *err)
{
    return pdpr_i_accountant_self_test_rows(ORACLE, sizeof ORACLE / sizeof *ORACLE, err);
}
