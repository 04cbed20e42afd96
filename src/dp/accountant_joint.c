/* The exact joint conversion of pure and Gaussian charges into one (epsilon, delta).
 *
 * Every epsilon_i-DP mechanism is a post-processing of randomised response that tells the truth
 * with probability p_i = 1/(1 + e^-epsilon_i), every mu-GDP one of N(0,1) against N(mu,1),
 * adaptively too. So, and nothing smaller holds for all such mechanisms, delta(epsilon) = sum over
 * signs s of prod_i w_i(s_i) * delta_mu(epsilon - sum_i s_i epsilon_i), with w_i(+) = p_i and
 * w_i(-) = 1 - p_i. The sum has 2^k terms. Gaussian charges alone need none of them (gdp_delta.c),
 * pure charges alone are composed in two halves (accountant_atoms.c), the rest is integrated
 * (accountant_contour.c). All three err upwards only.
 *
 * Cost: a few ms for the charges of one run. Source: Kairouz, Oh, Viswanath 2015;
 * BLUEPRINT_REVIEW.md section 7; proofs in docs/proofs/joint_accounting.md. */
#include "dp/accountant.h"

#include <math.h>
#include <stdlib.h>

static int by_epsilon(const void *a, const void *b)
{
    return mpq_cmp(((const pdpr_i_pure_group *)b)->epsilon,
                   ((const pdpr_i_pure_group *)a)->epsilon);
}

/* The pure charges, equal ones as one group, the largest first. */
static void group_charges(const pdpr_accountant *a, pdpr_i_joint *j)
{
    pdpr_i_pure_group *group = j->groups;
    uint32_t count = 0, made = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const pdpr_i_account_charge *c = &a->charges[i];
        if (!c->pure)
            continue;
        mpq_init(group[count].epsilon);
        mpq_set_ui(group[count].epsilon, c->numerator, c->denominator);
        mpq_canonicalize(group[count].epsilon);
        group[count++].times = 1;
    }
    qsort(group, count, sizeof *group, by_epsilon);
    for (uint32_t i = 0; i < count; i++) {
        double e = mpq_get_d(group[i].epsilon);
        j->pure_sum += e;
        j->pure_mean += e * tanh(e / 2);
        j->pure_square += e * e;
        if (made > 0 && mpq_equal(group[made - 1].epsilon, group[i].epsilon))
            group[made - 1].times++;
        else
            mpq_swap(group[made++].epsilon, group[i].epsilon);
    }
    for (uint32_t i = made; i < count; i++)
        mpq_clear(group[i].epsilon);
    j->list = (pdpr_i_pure_list){group, made, count};
}

pdpr_status pdpr_i_joint_init(pdpr_context *ctx, const pdpr_accountant *a, bool gaussian,
                              pdpr_i_joint *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_joint j = {0};

    PDPR_TRY(pdpr_i_alloc(ctx, a->pure_count, sizeof *j.groups, "pure charges", &j.groups, err));
    mpq_init(j.sum);
    pdpr_i_accountant_pure_sum(a, j.sum);
    group_charges(a, &j);
    if (a->pure_count > 0 && !gaussian) {
        s = pdpr_i_atoms_init(ctx, j.list, &j.atoms, err);
        j.has_atoms = s == PDPR_OK;
    }
    if (s == PDPR_OK && a->pure_count > 0 && !j.atoms.fit) {
        s = pdpr_i_contour_init(ctx, j.list, &j.contour, err);
        j.has_contour = s == PDPR_OK;
    }
    if (s == PDPR_OK)
        *out = j;
    else
        pdpr_i_joint_clear(&j);
done:
    return s;
}

void pdpr_i_joint_clear(pdpr_i_joint *j)
{
    for (uint32_t g = 0; g < j->list.count; g++)
        mpq_clear(j->groups[g].epsilon);
    mpq_clear(j->sum);
    pdpr_free(j->groups);
    if (j->has_atoms)
        pdpr_i_atoms_clear(&j->atoms);
    if (j->has_contour)
        pdpr_i_contour_clear(&j->contour);
    pdpr_i_gdp_forget();
}

/* Whether epsilon is at least the sum of the pure charges: then they alone leave no delta. */
static bool is_covered(const pdpr_i_joint *j, double epsilon)
{
    mpq_t limit;
    mpq_init(limit);
    mpq_set_d(limit, epsilon);
    bool covered = mpq_cmp(limit, j->sum) >= 0;
    mpq_clear(limit);
    return covered;
}

void pdpr_i_joint_delta_upper(pdpr_i_joint *j, double mu, double epsilon, mpfr_t out)
{
    if (j->list.count == 0) {
        mpq_t x;
        mpq_init(x);
        mpq_set_d(x, epsilon);
        pdpr_i_gdp_delta_upper(out, mu, x);
        mpq_clear(x);
    } else if (mu == 0 && is_covered(j, epsilon)) {
        mpfr_set_zero(out, 1);
    } else if (mu == 0 && (j->atoms.fit || !j->has_contour)) { /* 1 if they fit no longer */
        pdpr_i_atoms_delta(&j->atoms, epsilon, out);
    } else {
        pdpr_i_contour *c = &j->contour;
        if (c->aimed_mu != mu)
            pdpr_i_contour_aim(c, mu, epsilon, PDPR_I_FEW_POINTS);
        pdpr_i_contour_delta(c, epsilon, out);
    }
}

typedef struct {
    pdpr_i_joint *joint;
    double mu;
} joint_model;

static void over_epsilon(void *model, double x, mpfr_t out)
{
    const joint_model *m = model;
    pdpr_i_joint_delta_upper(m->joint, m->mu, x, out);
}

/* The smallest epsilon of the joint curve. A contour is accurate near one epsilon, within some
 * 1/(a - 1/2) of it: it is aimed at the answer that it gave until that stays there. Every answer is
 * on the safe side. */
static double smallest_epsilon(pdpr_i_joint *j, double mu, double delta)
{
    enum { MOST_ROUNDS = 20 };
    joint_model model = {j, mu};
    pdpr_i_contour *c = &j->contour;
    double y = sqrt(-2 * log(delta)), gaussian = mu * (mu / 2 + y);
    /* Too high, if anything: the sum with the Gaussian part's own cost, or Hoeffding's bound. */
    double x = fmin(j->pure_sum + gaussian,
                    j->pure_mean + mu * mu / 2 + y * sqrt(j->pure_square + mu * mu));
    if (!j->has_contour)
        return pdpr_i_gdp_smallest(over_epsilon, &model, delta, fmax(x, 1e-12));
    if (mu == 0)
        x = fmin(x, 0.9 * j->pure_sum);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        double before = x;
        pdpr_i_contour_aim(c, mu, x, PDPR_I_FEW_POINTS);
        x = pdpr_i_gdp_smallest(over_epsilon, &model, delta, fmax(x, 1e-12));
        if (fabs(x - before) * (c->a - 0.5) <= 1)
            break;
    }
    if (c->mu > mu) { /* few points were not enough */
        pdpr_i_contour_aim(c, mu, x, PDPR_I_ALL_POINTS);
        x = pdpr_i_gdp_smallest(over_epsilon, &model, delta, x);
    }
    return x;
}

pdpr_status pdpr_accountant_epsilon(pdpr_context *ctx, const pdpr_accountant *a, double delta,
                                    double *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_joint joint;
    double sum = pdpr_i_accountant_pure_epsilon(a);

    PDPR_TRY(pdpr_i_accountant_check_delta(a, delta, err));
    if (delta == 0) {
        *out = sum;
        goto done;
    }
    PDPR_TRY(pdpr_i_joint_init(ctx, a, a->mu > 0, &joint, err));
    double epsilon = smallest_epsilon(&joint, a->mu, pdpr_i_delta_to_spend(delta));
    *out = a->mu > 0 ? epsilon : fmin(epsilon, sum); /* pure charges alone: their sum holds too */
    pdpr_i_joint_clear(&joint);
done:
    return s;
}

pdpr_status pdpr_accountant_delta(pdpr_context *ctx, const pdpr_accountant *a, double epsilon,
                                  double *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_joint joint;
    mpfr_t bound;

    if (!(epsilon >= 0 && isfinite(epsilon))) {
        s = pdpr_i_fail(err, PDPR_EUSAGE, "epsilon: expected a number of at least 0, found %g",
                        epsilon);
        goto done;
    }
    PDPR_TRY(pdpr_i_joint_init(ctx, a, a->mu > 0, &joint, err));
    mpfr_init2(bound, PDPR_I_GDP_BITS);
    if (joint.has_contour)
        pdpr_i_contour_aim(&joint.contour, a->mu, epsilon, PDPR_I_ALL_POINTS);
    pdpr_i_joint_delta_upper(&joint, a->mu, epsilon, bound);
    *out = pdpr_i_delta_to_state(mpfr_get_d(bound, MPFR_RNDU));
    mpfr_clear(bound);
    pdpr_i_joint_clear(&joint);
done:
    return s;
}
