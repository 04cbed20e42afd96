/* The accountant: a list of pure and Gaussian charges and what they cost together.
 *
 * Pure charges are rationals, Gaussian charges sum up as mu^2 = sum of steps mu_i^2. The exact
 * joint conversion of both into one (epsilon, delta) is in accountant_joint.c, planning against a
 * budget in accountant_plan.c, proofs in docs/proofs/joint_accounting.md. Charges are public
 * numbers fixed before the data are read (or by a public rule from released values, at shares fixed
 * beforehand). */
#ifndef PDPR_DP_ACCOUNTANT_H
#define PDPR_DP_ACCOUNTANT_H

#include "dp/accountant_joint.h"

enum { PDPR_I_MAX_PURE = 1024 }; /* pure charges of one list */

#define PDPR_I_MAX_EPSILON 50.0 /* [P-19]: above it the word private has no meaning */

typedef struct {
    char *label;
    bool pure;
    uint64_t numerator, denominator; /* pure: epsilon as a fraction */
    double mu;                       /* Gaussian: of one step */
    uint64_t steps;
} pdpr_i_account_charge;

struct pdpr_accountant {
    pdpr_i_account_charge *charges;
    uint32_t count, capacity, pure_count;
    double mu; /* of all Gaussian charges, rounded up; 0 if there is none */
};

/* The sum of the pure charges, exactly, and as a double rounded up. */
void pdpr_i_accountant_pure_sum(const pdpr_accountant *a, mpq_t out);
double pdpr_i_accountant_pure_epsilon(const pdpr_accountant *a);

/* [P-18]: 2^-20 of delta is kept back for tails cut below 2^-120 and the CSPRNG's advantage. What
 * is left, rounded down; and its inverse rounded up, at most 1. */
double pdpr_i_delta_to_spend(double delta);
double pdpr_i_delta_to_state(double spent);

/* Refuses a delta that the list cannot be converted at: outside [1e-300, 1), except 0 for a list of
 * pure charges. PDPR_EUSAGE. */
pdpr_status pdpr_i_accountant_check_delta(const pdpr_accountant *a, double delta, pdpr_error *err);

/* ---------------------------------------------------------------- joint conversion */

/* A list prepared for conversion. */
typedef struct {
    pdpr_i_pure_group *groups; /* [list.count] */
    pdpr_i_pure_list list;
    double pure_sum, pure_mean,
        pure_square; /* sums of epsilon_i, of its mean loss, of its square */
    mpq_t sum;       /* of the pure charges */
    bool has_atoms, has_contour;
    pdpr_i_atoms atoms;     /* for lists without a Gaussian part */
    pdpr_i_contour contour; /* for the others, and where the atoms are too many */
} pdpr_i_joint;

/* Cost: O(k log k) for k pure charges, and 8192 atoms at most. `gaussian`: whether it will be asked
 * with mu > 0. Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_joint_init(pdpr_context *ctx, const pdpr_accountant *a, bool gaussian,
                              pdpr_i_joint *out, pdpr_error *err);
void pdpr_i_joint_clear(pdpr_i_joint *joint);

/* out := an upper bound of the joint delta(epsilon) of the pure charges and a mu-GDP part;
 * epsilon >= 0.
 * Neighbours:    whatever pair of inputs each charge holds for.
 * Precondition:  every pure charge is epsilon_i-DP and the Gaussian part mu-GDP given all earlier
 *                outputs, with epsilon_i and mu public and fixed.
 * Guarantee:     the adaptive composition is (epsilon, delta)-DP for every delta >= out.
 * Proof:         docs/proofs/joint_accounting.md, Theorems 2 and 3.
 * Rounding:      up. Within 1e-9 of epsilon, for up to 64 different pure charges without a Gaussian
 *                part and any number with one (tests/check/check_accountant.c). */
void pdpr_i_joint_delta_upper(pdpr_i_joint *joint, double mu, double epsilon, mpfr_t out);

/* ---------------------------------------------------------------- planning */

/* Refuses a budget that makes no sense [P-19]: epsilon not in (0, 50], delta not in (0, 1/nodes)
 * (below 1 with accept_large_delta; 0 allowed when only_pure), NaN. PDPR_EUSAGE. */
pdpr_status pdpr_i_budget_check(double epsilon, double delta, uint64_t num_nodes,
                                bool accept_large_delta, bool only_pure, pdpr_error *err);

/* The largest mu of one more Gaussian charge with which the list stays (epsilon, delta)-DP, less
 * 1e-12 of it [P-16] so that later roundings up still fit. PDPR_EBUDGET if nothing is left. */
pdpr_status pdpr_i_accountant_mu_left(pdpr_context *ctx, const pdpr_accountant *a, double epsilon,
                                      double delta, double *mu, pdpr_error *err);

/* The paper's calibration, for comparison only: epsilon/T and delta/T a step and the classical
 * formula, z = T sqrt(2 ln(1.25 T / delta)) / epsilon, rounded up. PDPR_EUSAGE where that formula
 * is not proved (epsilon/T >= 1) or an argument is out of range. */
pdpr_status pdpr_i_noise_multiplier_paper(double epsilon, double delta, uint64_t steps, double *out,
                                          pdpr_error *err);

/* ---------------------------------------------------------------- self-test */

typedef struct {
    double epsilon, delta, mu;
} pdpr_i_mu_row;

/* Recomputes table 12.1 of PRIVACY.md and refuses to go on if a value differs by more than 1e-9 of
 * it [P-16]. Run before every private run; about 5 ms. PDPR_EFAILED. */
pdpr_status pdpr_i_accountant_self_test(pdpr_error *err);
/* The same with another table: the self-test's own test. */
pdpr_status pdpr_i_accountant_self_test_rows(const pdpr_i_mu_row *rows, uint32_t count,
                                             pdpr_error *err);

#endif
