/* The verifier's own arithmetic: everything in a certificate that follows from something else in it
 * is computed again, in long double or exact rationals, and compared.
 *
 * Directions: noise must be at least what the charge needs, a claimed epsilon at least what the
 * charges cost. Beyond that a value must also be what the rule gives, within the tolerance stated
 * at it, so that a slip shows even where it is harmless.
 *
 * Source: PRIVACY.md section 4 (Theorems 1, 2, 4) and [P-5]; BLUEPRINT_REVIEW.md sections 5 and 7;
 * McKenna and Sheldon 2020 for permute-and-flip. */
#include "dp/verify_certificate.h"

#include <gmp.h>
#include <math.h>

#include "dp/accountant_check.h"

#define PASS PDPR_CHECK_PASS
#define FAIL PDPR_CHECK_FAIL

static bool near(long double a, long double b, long double relative)
{
    return fabsl(a - b) <= relative * fabsl(b);
}

static void judge(pdpr_i_report *report, const char *name, const char *field, bool good,
                  long double expected, long double found)
{
    if (good)
        pdpr_i_report_add(report, name, PASS, "%s: %.15Lg", field, found);
    else
        pdpr_i_report_add(report, name, FAIL, "%s: expected %.15Lg, found %.15Lg", field, expected,
                          found);
}

/* ---------------------------------------------------------------- clipped steps */

/* floor(log2 x) for x > 0. */
static int64_t floor_log2(long double x)
{
    int exponent;
    frexpl(x, &exponent); /* x = f * 2^exponent with 1/2 <= f < 1 */
    return exponent - 1;
}

static void recompute_embedding(pdpr_i_report *report, const pdpr_i_claims *c)
{
    const char *name = "embedding";
    long double clip = c->embedding.clip, mu = c->embedding.mu, step = c->embedding.mu_step,
                root = sqrtl((long double)c->embedding.steps), sigma = c->embedding.sigma,
                radius = (long double)c->embedding.radius, tau = 2 * clip * root / mu;

    judge(report, name, "mechanisms.embedding.Delta",
          c->embedding.diameter == 2 * c->embedding.clip, 2 * clip, c->embedding.diameter);
    judge(report, name, "mechanisms.embedding.mu_per_step", near(step, mu / root, 1e-12L),
          mu / root, step);

    /* A tau within rounding of a power of two may have fallen on either side of it. */
    int64_t low = floor_log2(tau * (1 - 1e-12L)) - 30, high = floor_log2(tau * (1 + 1e-12L)) - 30,
            by_clip = floor_log2(clip) - 16, k = c->embedding.exponent;
    low = low < by_clip ? low : by_clip;
    high = high < by_clip ? high : by_clip;
    judge(report, name, "mechanisms.embedding.k", k == low || k == high, (long double)low,
          (long double)k);
    long double expected_radius = floorl(ldexpl(clip, (int)-k));
    judge(report, name, "mechanisms.embedding.K", radius == expected_radius && radius >= 0x1p16L,
          expected_radius, radius);

    /* Sensitivity 2K a step: the noise must make it mu_per_step-GDP or better (Theorem 4). */
    long double least = 2 * radius / step;
    judge(report, name, "mechanisms.embedding.sigma_int",
          sigma >= least && sigma <= least * (1 + 0x1p-30L) && sigma < 0x1p42L, least, sigma);
}

/* ---------------------------------------------------------------- measured queries */

static void set_fraction(mpq_t out, pdpr_i_claimed_fraction f)
{
    mpq_set_ui(out, f.num, f.den); /* unsigned long has 64 bits wherever this is built */
    mpq_canonicalize(out);
}

static bool is_multiple(pdpr_i_claimed_fraction sensitivity, pdpr_i_claimed_fraction grid)
{
    mpq_t steps, step;
    mpq_inits(steps, step, NULL);
    set_fraction(steps, sensitivity);
    set_fraction(step, grid);
    mpq_div(steps, steps, step);
    bool whole = mpz_cmp_ui(mpq_denref(steps), 1) == 0;
    mpq_clears(steps, step, NULL);
    return whole;
}

/* scale * epsilon >= factor * sensitivity, exactly; for the Gaussian sigma * mu >= sensitivity in
 * grid units. */
static bool is_enough(const pdpr_i_claimed_query *q)
{
    bool enough;
    mpq_t paid, part;
    mpq_inits(paid, part, NULL);
    if (q->kind == PDPR_I_CLAIM_GAUSSIAN) {
        set_fraction(paid, q->sensitivity);
        set_fraction(part, q->grid);
        mpq_div(paid, paid, part);
        long double needed = (long double)mpq_get_d(paid) * (1 + 0x1p-52L); /* get_d cuts off */
        enough = (long double)q->sigma * (long double)q->mu >= needed * (1 - 0x1p-50L);
    } else {
        set_fraction(paid, q->epsilon);
        set_fraction(part, q->scale);
        mpq_mul(paid, paid, part);
        set_fraction(part, q->sensitivity);
        if (q->kind == PDPR_I_CLAIM_SELECTION)
            mpq_mul_2exp(part, part, 1);
        enough = mpq_cmp(paid, part) >= 0;
    }
    mpq_clears(paid, part, NULL);
    return enough;
}

static void judge_grid(pdpr_i_report *report, uint64_t index, const char *place, bool good)
{
    if (!good)
        pdpr_i_report_add(report, "queries", FAIL,
                          "mechanisms.queries[%" PRIu64
                          "].%sgrid: expected a grid of which the sensitivity is a multiple",
                          index, place);
}

/* What the sampler's proof covers: a sensitivity of at most 2^30 steps, epsilon at least 2^-20. */
static bool is_in_range(const pdpr_i_claimed_query *q)
{
    bool good = true;
    mpq_t value, part;
    mpq_inits(value, part, NULL);
    for (uint64_t i = 0; i < q->values; i++) {
        set_fraction(value, q->answer[i].sensitivity);
        set_fraction(part, q->answer[i].grid);
        mpq_div(value, value, part);
        good &= mpq_cmp_ui(value, 1UL << 30, 1) <= 0;
    }
    set_fraction(value, q->epsilon);
    good &= mpq_cmp_ui(value, 1, 1UL << 20) >= 0;
    mpq_clears(value, part, NULL);
    return good;
}

/* Box noise has no scale of its own: one sensitivity is `levels` levels at epsilon / levels each,
 * and the rule is that `levels` is epsilon rounded up. */
static void recompute_box(pdpr_i_report *report, const pdpr_i_claimed_query *q, uint64_t index)
{
    for (uint64_t i = 0; i < q->values; i++) {
        char place[32];
        snprintf(place, sizeof place, "answers[%" PRIu64 "].", i);
        judge_grid(report, index, place, is_multiple(q->answer[i].sensitivity, q->answer[i].grid));
    }
    if (!is_in_range(q))
        pdpr_i_report_add(report, "queries", FAIL,
                          "mechanisms.queries[%" PRIu64
                          "]: expected sensitivities up to 2^30 steps and epsilon from 2^-20",
                          index);
    uint64_t expected = q->epsilon.num / q->epsilon.den + (q->epsilon.num % q->epsilon.den != 0);
    if (q->levels == expected)
        pdpr_i_report_add(report, "queries", PASS,
                          "mechanisms.queries[%" PRIu64 "].levels: noise fits the charge", index);
    else
        pdpr_i_report_add(report, "queries", FAIL,
                          "mechanisms.queries[%" PRIu64 "].levels: expected %" PRIu64
                          ", epsilon rounded up, found %" PRIu64,
                          index, expected, q->levels);
}

static void recompute_query(pdpr_i_report *report, const pdpr_i_claimed_query *q, uint64_t index)
{
    if (q->kind == PDPR_I_CLAIM_BOX) {
        recompute_box(report, q, index);
        return;
    }
    judge_grid(report, index, "", is_multiple(q->sensitivity, q->grid));
    const char *field = q->kind == PDPR_I_CLAIM_GAUSSIAN ? "sigma_int" : "scale";
    if (is_enough(q))
        pdpr_i_report_add(report, "queries", PASS,
                          "mechanisms.queries[%" PRIu64 "].%s: noise fits sensitivity and charge",
                          index, field);
    else
        pdpr_i_report_add(report, "queries", FAIL,
                          "mechanisms.queries[%" PRIu64
                          "].%s: expected more noise for this sensitivity and charge",
                          index, field);
}

/* ---------------------------------------------------------------- accounting */

static void recompute_accounting(pdpr_i_report *report, const pdpr_i_claims *c)
{
    const char *name = "accounting";
    pdpr_i_check_pure *pure = NULL;
    pdpr_i_check_gaussian *gaussian = NULL;
    pdpr_i_check_list list = {0};
    pdpr_error why = {0};
    long double sum = 0, squares = 0;
    double epsilon = 0;
    pdpr_status s = PDPR_OK;

    PDPR_TRY(pdpr_i_alloc(report->ctx, c->num_queries + 1, sizeof *pure, "charges", &pure, NULL));
    PDPR_TRY(pdpr_i_alloc(report->ctx, c->num_queries + 1, sizeof *gaussian, "charges", &gaussian,
                          NULL));
    if (c->has_embedding)
        gaussian[list.gaussian_count++] =
            (pdpr_i_check_gaussian){c->embedding.mu_step, c->embedding.steps};
    for (uint64_t i = 0; i < c->num_queries; i++) {
        const pdpr_i_claimed_query *q = &c->queries[i];
        if (q->kind == PDPR_I_CLAIM_GAUSSIAN)
            gaussian[list.gaussian_count++] = (pdpr_i_check_gaussian){q->mu, 1};
        else
            pure[list.pure_count++] = (pdpr_i_check_pure){q->epsilon.num, q->epsilon.den};
    }
    list.pure = pure;
    list.gaussian = gaussian;
    for (uint32_t i = 0; i < list.pure_count; i++)
        sum += (long double)pure[i].numerator / (long double)pure[i].denominator;
    for (uint32_t i = 0; i < list.gaussian_count; i++)
        squares += (long double)gaussian[i].steps * (long double)gaussian[i].mu *
                   (long double)gaussian[i].mu;

    judge(report, name, "accounting.pure_epsilon", near(c->accounting.pure_epsilon, sum, 1e-12L),
          sum, c->accounting.pure_epsilon);
    judge(report, name, "accounting.mu", near(c->accounting.mu, sqrtl(squares), 1e-12L),
          sqrtl(squares), c->accounting.mu);
    s = pdpr_i_check_epsilon(report->ctx, &list, c->accounting.delta, &epsilon, &why);
    if (s == PDPR_EUSAGE) {
        pdpr_i_report_add(report, name, FAIL, "accounting.epsilon: cannot be computed: %s",
                          why.text);
        s = PDPR_OK;
        goto done;
    }
    PDPR_TRY(s);
    judge(report, name, "accounting.epsilon", pdpr_i_check_agrees(c->accounting.epsilon, epsilon),
          epsilon, c->accounting.epsilon);
done:
    if (s != PDPR_OK)
        report->status = s;
    pdpr_free(pure);
    pdpr_free(gaussian);
}

/* With delta = 0 a certificate says what the exact samplers leave out: at most 2^-126 a value,
 * times 1 + e^epsilon. */
static void recompute_sampler_delta(pdpr_i_report *report, const pdpr_i_claims *c)
{
    long double values = 0;
    for (uint64_t i = 0; i < c->num_queries; i++)
        values += c->queries[i].values;
    long double least = (1 + expl(c->epsilon)) * values * 0x1p-126L;
    judge(report, "guarantee", "guarantee.sampler_delta",
          c->sampler_delta >= least && c->sampler_delta <= least * (1 + 1e-9L), least,
          c->sampler_delta);
}

static void recompute_guarantee(pdpr_i_report *report, const pdpr_i_claims *c)
{
    if (c->seeded) {
        pdpr_i_report_add(report, "guarantee", FAIL,
                          "guarantee: none (seeded run): whoever knows the seed can take the noise "
                          "away again");
        return;
    }
    if (c->epsilon * (1 + 1e-12) >= c->accounting.epsilon)
        pdpr_i_report_add(report, "guarantee", PASS, "guarantee.epsilon: %.15g", c->epsilon);
    else
        pdpr_i_report_add(report, "guarantee", FAIL,
                          "guarantee.epsilon: expected at least what is accounted, %.15g, found "
                          "%.15g",
                          c->accounting.epsilon, c->epsilon);
    judge(report, "guarantee", "guarantee.delta", c->delta == c->accounting.delta,
          c->accounting.delta, c->delta);
    if (c->delta == 0)
        recompute_sampler_delta(report, c);
    if (c->whole_edge_set && c->num_queries > 0)
        pdpr_i_report_add(report, "guarantee", FAIL,
                          "guarantee.unit: expected node (replace-one): measured queries protect "
                          "neighbours only");
    else
        pdpr_i_report_add(report, "guarantee", PASS, "guarantee.unit: %s",
                          c->whole_edge_set ? "whole edge set, implies node-level"
                                            : "node (replace-one)");
}

void pdpr_i_claims_recompute(pdpr_i_report *report, const pdpr_i_claims *claims)
{
    recompute_guarantee(report, claims);
    if (!claims->has_embedding && claims->num_queries == 0)
        pdpr_i_report_add(report, "mechanisms", FAIL,
                          "mechanisms: expected an embedding or a measured query, found neither");
    if (claims->has_embedding)
        recompute_embedding(report, claims);
    for (uint64_t i = 0; i < claims->num_queries; i++)
        recompute_query(report, &claims->queries[i], i);
    recompute_accounting(report, claims);
    pdpr_i_claims_check_method(report, claims);
    for (uint64_t i = 0; i < claims->num_outputs; i++)
        if (claims->outputs[i].nodes != claims->nodes)
            pdpr_i_report_add(report, "nodes", FAIL,
                              "outputs[%" PRIu64 "].nodes: expected the public %" PRIu64
                              ", found %" PRIu64,
                              i, claims->nodes, claims->outputs[i].nodes);
}
