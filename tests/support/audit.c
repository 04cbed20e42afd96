/* Statistics of privacy audits: exact binomial bounds by summing the distribution and bisection. */
#include "support/audit.h"

#include <math.h>

/* P(Binomial(trials, p) <= hits), 0 < p < 1, hits < trials. */
static long double binomial_cdf(uint64_t hits, uint64_t trials, long double p)
{
    long double sum = 0, n = (long double)trials;
    for (uint64_t i = 0; i <= hits; i++) {
        long double k = (long double)i;
        sum += expl(lgammal(n + 1) - lgammal(k + 1) - lgammal(n - k + 1) + k * logl(p) +
                    (n - k) * log1pl(-p));
    }
    return sum;
}

double clopper_pearson_upper(uint64_t hits, uint64_t trials, double alpha)
{
    if (hits >= trials)
        return 1;
    long double low = 0, high = 1;
    for (int round = 0; round < 60; round++) {
        long double middle = (low + high) / 2;
        if (binomial_cdf(hits, trials, middle) >= (long double)alpha)
            low = middle;
        else
            high = middle;
    }
    return (double)high;
}

double epsilon_lower_bound(uint64_t false_negatives, uint64_t false_positives, uint64_t positives,
                           uint64_t negatives, double delta, double alpha)
{
    double missed = clopper_pearson_upper(false_negatives, positives, alpha / 2);
    double raised = clopper_pearson_upper(false_positives, negatives, alpha / 2);
    double one = (1 - delta - missed) / raised, other = (1 - delta - raised) / missed;
    double best = fmax(one, other);
    return best > 1 ? log(best) : 0;
}

static long double binomial_pmf(uint64_t hits, uint64_t trials, long double p)
{
    long double n = (long double)trials, k = (long double)hits;
    return expl(lgammal(n + 1) - lgammal(k + 1) - lgammal(n - k + 1) + k * logl(p) +
                (n - k) * log1pl(-p));
}

double one_run_p_value(uint64_t canaries, uint64_t guesses, uint64_t correct, double epsilon,
                       double delta)
{
    long double right = 1 / (1 + expl(-(long double)epsilon)), tail = 0, below = 0, slope = 0;
    for (uint64_t k = correct; k <= guesses; k++)
        tail += binomial_pmf(k, guesses, right);
    for (uint64_t i = 1; i <= correct; i++) { /* what delta can add: the steepest mean below */
        below += binomial_pmf(correct - i, guesses, right);
        slope = fmaxl(slope, below / (long double)i);
    }
    return (double)fminl(1, tail + 2 * (long double)canaries * (long double)delta * slope);
}

double gdp_mu_lower_bound(const double *world, const double *other_world, uint64_t runs)
{
    double difference = 0;
    for (uint64_t i = 0; i < runs; i++)
        difference += world[i] - other_world[i];
    return difference / (double)runs - 1.645 * sqrt(2 / (double)runs);
}
