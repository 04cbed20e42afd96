/* Statistics for tests that try to refute a privacy claim. They know nothing of src/dp. */
#ifndef PDPR_TESTS_AUDIT_H
#define PDPR_TESTS_AUDIT_H

#include <stdint.h>

/* The largest p for which `hits` or fewer of `trials` have probability alpha at least
 * (Clopper-Pearson, one-sided). hits <= trials, 0 < alpha < 1. */
double clopper_pearson_upper(uint64_t hits, uint64_t trials, double alpha);

/* A lower bound of epsilon at level 1 - alpha from an attack that missed `false_negatives` of
 * `positives` and raised `false_positives` of `negatives`; alpha is split between the two rates. 0
 * if the attack shows nothing. */
double epsilon_lower_bound(uint64_t false_negatives, uint64_t false_positives, uint64_t positives,
                           uint64_t negatives, double delta, double alpha);

/* Steinke, Nasr and Jagielski 2023: the probability, at most, that an (epsilon, delta)-DP mechanism
 * lets `correct` or more of `guesses` about `canaries` independent bits be right. */
double one_run_p_value(uint64_t canaries, uint64_t guesses, uint64_t correct, double epsilon,
                       double delta);

/* A one-sided 95 % lower bound of mu from `runs` values in each world of a statistic that has unit
 * variance and means mu apart: difference of the means less 1.645 sqrt(2 / runs). */
double gdp_mu_lower_bound(const double *world, const double *other_world, uint64_t runs);

#endif
