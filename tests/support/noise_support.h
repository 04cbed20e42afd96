/* Shared by the tests of the trusted core: an open meter from a seed, and the thresholds of the
 * statistical tests. All seeds are fixed and all tests have a false-alarm rate of 1e-6 over the
 * choice of seed, so a failure means a fault. */
#ifndef PDPR_TESTS_NOISE_SUPPORT_H
#define PDPR_TESTS_NOISE_SUPPORT_H

#include "support/support.h"
#include "dp/dp.h"

/* A meter with this plan, open, on the key of `seed`. */
pdpr_i_meter *noise_meter(pdpr_context *ctx, const pdpr_i_charge *charges, uint32_t count,
                          uint64_t seed);

/* A reservation that always succeeds. */
pdpr_status noise_reserve(void *user, const pdpr_i_charge *charges, uint32_t count,
                          pdpr_error *err);

/* A Gaussian charge named `label`. */
pdpr_i_charge noise_gaussian_charge(const char *label, double mu_step, uint32_t steps);
/* A pure charge of epsilon = num / den. */
pdpr_i_charge noise_pure_charge(const char *label, uint64_t num, uint64_t den);

/* Fills the page of the key with zeros. */
void noise_wipe_as_fork_does(const pdpr_i_noise_key *key);

/* The stream (seed, purpose "test", index). */
pdpr_i_stream noise_stream(uint64_t seed, uint64_t index);

/* A stream that gives these words first, at most 128 of them. */
pdpr_i_stream noise_scripted(const uint64_t *words, int count);

double normal_cdf(double x);

/* Upper 1e-6 point of chi-square (Wilson and Hilferty; within 1 % from three degrees on). */
double chi_square_limit(int degrees);

/* Chi-square of counts against probabilities that sum to one. */
double chi_square(const uint64_t *seen, const double *expected, int cells, double total);

/* Correlation of two vectors. */
double correlation(const int64_t *a, const int64_t *b, uint64_t count);

#endif
