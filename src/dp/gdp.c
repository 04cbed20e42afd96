/* mu, epsilon and delta of Gaussian differential privacy: the public functions.
 *
 * Each checks its arguments and asks gdp_delta.c directly or through gdp_search.c. Results are
 * doubles rounded against us: delta and epsilon up, mu down. mu is searched as sigma = 1/mu; the
 * double that is returned is the one that was tested, so no rounding comes after the proof.
 *
 * Cost: 10 to 20 evaluations of delta_mu, about a millisecond. */
#include "dp/gdp.h"

#include <math.h>

void pdpr_i_gdp_forget(void)
{
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
}

static double delta_upper(double mu, double epsilon)
{
    mpq_t e;
    mpfr_t bound;
    mpq_init(e);
    mpfr_init2(bound, PDPR_I_GDP_BITS);
    mpq_set_d(e, epsilon); /* exact */
    pdpr_i_gdp_delta_upper(bound, mu, e);
    double delta = mpfr_get_d(bound, MPFR_RNDU);
    mpfr_clear(bound);
    mpq_clear(e);
    pdpr_i_gdp_forget();
    return delta;
}

static pdpr_status check_mu(double mu, pdpr_error *err)
{
    if (!(mu > 0 && mu <= PDPR_I_GDP_MAX_MU))
        return pdpr_i_fail(err, PDPR_EUSAGE, "mu: expected a number in (0, %g], found %g",
                           PDPR_I_GDP_MAX_MU, mu);
    return PDPR_OK;
}

static pdpr_status check_delta(double delta, pdpr_error *err)
{
    if (!(delta > 0 && delta < 1))
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "delta: expected a number strictly between 0 and 1, found %g", delta);
    return PDPR_OK;
}

pdpr_status pdpr_gdp_delta(double mu, double epsilon, double *out, pdpr_error *err)
{
    pdpr_status s = check_mu(mu, err);
    if (s != PDPR_OK)
        return s;
    if (!isfinite(epsilon))
        return pdpr_i_fail(err, PDPR_EUSAGE, "epsilon: expected a finite number, found %g",
                           epsilon);
    *out = delta_upper(mu, epsilon);
    return PDPR_OK;
}

static void over_epsilon(void *model, double x, mpfr_t out)
{
    mpq_t e;
    mpq_init(e);
    mpq_set_d(e, x);
    pdpr_i_gdp_delta_upper(out, *(const double *)model, e);
    mpq_clear(e);
}

pdpr_status pdpr_gdp_epsilon(double mu, double delta, double *out, pdpr_error *err)
{
    pdpr_status s = check_mu(mu, err);
    if (s == PDPR_OK)
        s = check_delta(delta, err);
    if (s != PDPR_OK)
        return s;
    /* A Gaussian tail is at most e^(-x^2/2): enough at this epsilon, and not far above. */
    double start = mu * (mu / 2 + sqrt(-2 * log(delta)));
    *out = pdpr_i_gdp_smallest(over_epsilon, &mu, delta, start);
    pdpr_i_gdp_forget();
    return PDPR_OK;
}

static double mu_of_sigma(double sigma)
{
    return fmin(1 / sigma, PDPR_I_GDP_MAX_MU);
}

static void over_sigma(void *model, double x, mpfr_t out)
{
    mpq_t e;
    mpq_init(e);
    mpq_set_d(e, *(const double *)model);
    pdpr_i_gdp_delta_upper(out, mu_of_sigma(x), e);
    mpq_clear(e);
}

pdpr_status pdpr_gdp_mu(double epsilon, double delta, double *out, pdpr_error *err)
{
    if (!(epsilon >= 0 && epsilon <= PDPR_I_GDP_MAX_MU))
        return pdpr_i_fail(err, PDPR_EUSAGE, "epsilon: expected a number in [0, %g], found %g",
                           PDPR_I_GDP_MAX_MU, epsilon);
    pdpr_status s = check_delta(delta, err);
    if (s != PDPR_OK)
        return s;
    /* The start of pdpr_gdp_epsilon solved for mu; at epsilon = 0, delta_mu(0) <= mu. */
    double y = sqrt(-2 * log(delta)), start = 2 * epsilon / (y + sqrt(y * y + 2 * epsilon));
    *out = mu_of_sigma(pdpr_i_gdp_smallest(over_sigma, &epsilon, delta, 1 / fmax(start, delta)));
    pdpr_i_gdp_forget();
    return PDPR_OK;
}
