/* The tail of the degrees, above the cap: a Pareto law cut at a largest degree.
 *
 * The histogram tells how many nodes are at the cap or above, roughly; the edge count at the wider
 * cap how many links they have; the two indices where their curve crosses two diagonals, to within
 * a few nodes. Exponent, cut and share of nodes are sought one after the other, twice, for the
 * least misfit in units of the noise, with weak priors that decide where the noise leaves it open:
 * exponent about 2.6, the cut where a sample of that size would end, all the nodes. The answer is
 * the mean of all tails tried, each weighted by its likelihood, heavy ones less: the best one alone
 * is either none or too heavy, by chance. Cost: some forty simulated projections, or fifty. */
#include "blueprint/fit_parts.h"
#include "blueprint/tail_law.h"

#include <math.h>

static const double exponents[] = {1.5, 1.7, 1.9, 2.1, 2.3, 2.6, 3, 3.5, 4.5, 7};
/* Degrees that crowd at the cut, as in graphs that are nearly complete; tried where the heaviest of
 * the others is best and misses the numbers by far more than noise does, which two or three of them
 * together would once in some thousand times; not where lost leaves are sought, which nearly
 * complete graphs have none of. */
static const double crowded[] = {1.01, 0, -2, -8};
static const double far_off = 20;
static const double cuts[] = {1, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2, 2}; /* of the natural one */
static const double shares[] = {1, 0, 0.2, 0.4, 0.7};
enum {
    EXPONENTS = sizeof exponents / sizeof *exponents,
    CROWDED = sizeof crowded / sizeof *crowded,
    CUTS = sizeof cuts / sizeof *cuts,
    SHARES = sizeof shares / sizeof *shares
};

_Static_assert(1 + 2 * (EXPONENTS + CROWDED + CUTS + SHARES) <= PDPR_I_MOST_TAILS,
               "room for all tails that are tried");

static const double most_care = 5; /* times the weight of the best tail */

static uint32_t clamp_degree(const pdpr_i_fitting *f, double d)
{
    double most = f->n - 1.0;
    return !(d > 0) ? 0 : d > most ? (uint32_t)most : (uint32_t)d;
}

/* Nodes that the curve leaves above the cap. */
static double nodes_above(const pdpr_i_fitting *f)
{
    double above = f->n - f->current[f->theta - 1];
    return above > 0 ? above : 0;
}

void pdpr_i_fit_curve_degrees(pdpr_i_fitting *f, const pdpr_i_tail *tail)
{
    uint32_t count = (uint32_t)(tail->share * nodes_above(f) + 0.5), k = f->theta - 1;
    double b = tail->exponent - 1, cut = tail->cut > f->theta ? tail->cut : f->theta;
    double low = pow(f->theta, -b), high = pow(cut, -b);
    for (uint32_t u = 0; u < f->n; u++) {
        if (u < count) {
            double p = (u + 0.5) / count;
            double d = pow(p * low + (1 - p) * high, -1 / b);
            f->degree[u] = clamp_degree(f, fmax(d, f->theta)); /* rounding may end below the cap */
            continue;
        }
        double rank = f->n - u - 0.5; /* nodes of degree <= k are the last current[k] */
        while (k > 0 && f->current[k - 1] > rank)
            k--;
        f->degree[u] = clamp_degree(f, k);
    }
}

/* max{ j : the j-th largest degree is at least shift + j }; degrees are descending. */
static double index_of(const pdpr_i_fitting *f, uint64_t shift)
{
    uint32_t j = 0;
    while (j < f->n && f->degree[j] >= shift + j + 1)
        j++;
    return j;
}

double pdpr_i_fit_tail_misfit(const pdpr_i_fitting *f, const pdpr_i_kept_edges *kept)
{
    const pdpr_i_bp_numbers *x = f->numbers;
    double sd = pdpr_i_fit_deviation(f, PDPR_I_BP_EDGES_WIDE, x->wide);
    /* simulation and truth differ by more than noise: a per cent of the edges, a node */
    double misfit = pdpr_i_square(kept->wide - (double)x->edges_wide) /
                    (pdpr_i_square(sd) + pdpr_i_square(0.01 * kept->wide) + 1);
    if (f->plan->asks[PDPR_I_BP_INDEX_LOW])
        misfit += pdpr_i_square((index_of(f, 0) - (double)x->index_low) /
                                (pdpr_i_fit_deviation(f, PDPR_I_BP_INDEX_LOW, 1) + 1));
    if (f->plan->asks[PDPR_I_BP_INDEX_HIGH])
        misfit += pdpr_i_square(
            (index_of(f, 2 * (uint64_t)f->theta) - pdpr_i_believed_second_index(f->plan, x)) /
            (pdpr_i_fit_deviation(f, PDPR_I_BP_INDEX_HIGH, 1) + 1));
    return misfit;
}

/* Where a sample of so many nodes would end by itself. */
static double natural_cut(const pdpr_i_fitting *f, double exponent)
{
    double count = nodes_above(f), cut = f->n;
    if (exponent > 1)
        cut = f->theta * pow(count > 1 ? count : 1, 1 / (exponent - 1));
    /* nothing tells of what is beyond the wider cap, unless leaves do: real tails go on, but by how
     * much is a guess, and the bolder the less noise there is to run away with it */
    double ends = 2 * (double)f->numbers->edges_wide;
    double seen = fmax(f->numbers->wide, fmin(3.0 * f->theta, 8 * ends / f->n));
    seen *= 1 + 0.6 / (1 + pdpr_i_square(f->noise / (0.04 * f->n)));
    if (f->no_isolated) /* one hub has lost all of them, at most */
        seen += f->lost_leaves;
    if (cut > seen)
        cut = seen;
    return fmin(cut, pdpr_i_usual_most_degree(f->plan, f->numbers));
}

static pdpr_status try_tail(pdpr_i_fitting *f, const pdpr_i_tail *tail, pdpr_i_tails *tails,
                            pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_kept_edges kept;
    pdpr_i_fit_curve_degrees(f, tail);
    PDPR_TRY(pdpr_i_fit_simulate(f, &kept, err));
    double misfit = pdpr_i_fit_tail_misfit(f, &kept);
    if (f->no_isolated) /* then the leaves that hubs lose tell how much the hubs have */
        misfit += pdpr_i_fit_histogram_misfit(f);
    misfit += pdpr_i_square((tail->exponent - 2.6) / 1.2);
    misfit += pdpr_i_square(log(tail->cut / natural_cut(f, tail->exponent)) / 1.5);
    misfit += pdpr_i_square((1 - tail->share) * nodes_above(f) / (1.5 * f->noise + 1));
    /* nobody is there, as long as the curve does not say so; it cannot where all is noise */
    misfit += 3 * tail->share / (1 + pdpr_i_square(f->noise / (0.015 * f->n)));
    uint32_t i = tails->count++;
    tails->tail[i] = *tail;
    tails->misfit[i] = misfit;
    if (misfit < tails->misfit[tails->best])
        tails->best = i;
done:
    return s;
}

/* So many exponents, each with the cut that is `factor` times its natural one. */
static pdpr_status try_exponents(pdpr_i_fitting *f, const double *exponent, int count,
                                 double factor, pdpr_i_tails *tails, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_tail tried = tails->tail[tails->best];
    for (int i = 0; i < count; i++) {
        tried.exponent = exponent[i];
        tried.cut = factor * natural_cut(f, exponent[i]);
        PDPR_TRY(try_tail(f, &tried, tails, err));
    }
done:
    return s;
}

pdpr_status pdpr_i_fit_tail(pdpr_i_fitting *f, pdpr_i_tails *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    double factor = 1;
    pdpr_i_tail tried = {.exponent = 2.6, .cut = natural_cut(f, 2.6), .share = 1};

    out->count = out->best = 0;
    PDPR_TRY(try_tail(f, &tried, out, err));
    for (int round = 0; round < 2; round++) {
        PDPR_TRY(try_exponents(f, exponents, EXPONENTS, factor, out, err));
        if (!f->no_isolated && out->tail[out->best].exponent <= exponents[0] &&
            out->misfit[out->best] > far_off)
            PDPR_TRY(try_exponents(f, crowded, CROWDED, factor, out, err));
        const pdpr_i_tail *chosen = &out->tail[out->best];
        for (int i = 0; i < CUTS; i++) {
            tried = *chosen;
            tried.cut = cuts[i] * natural_cut(f, chosen->exponent);
            PDPR_TRY(try_tail(f, &tried, out, err));
        }
        chosen = &out->tail[out->best];
        for (int i = 0; i < SHARES; i++) {
            tried = *chosen;
            tried.share = shares[i];
            PDPR_TRY(try_tail(f, &tried, out, err));
        }
        chosen = &out->tail[out->best];
        factor = chosen->cut / natural_cut(f, chosen->exponent);
    }
done:
    return s;
}

static bool is_same(const pdpr_i_tail *a, const pdpr_i_tail *b)
{
    return a->exponent == b->exponent && a->cut == b->cut && a->share == b->share;
}

/* Of a tail that was tried several times one counts: the best, or the first. */
static bool counts(const pdpr_i_tails *tails, uint32_t i)
{
    if (i == tails->best)
        return true;
    if (is_same(&tails->tail[i], &tails->tail[tails->best]))
        return false;
    for (uint32_t j = 0; j < i; j++)
        if (is_same(&tails->tail[i], &tails->tail[j]))
            return false;
    return true;
}

static double cubes(const pdpr_i_fitting *f)
{
    double sum = 1;
    for (uint32_t u = 0; u < f->n; u++)
        sum += pow(f->degree[u], 3);
    return sum;
}

/* Relative errors have no bound above, and claws, about the sum of the cubes, go through the roof
 * with a tail too heavy: a tail counts the more the fewer of them it has beside the best one, up to
 * a limit, so that what is unlikely stays so. More so where lost leaves tell of hubs: one hub may
 * have lost them all, or ten a tenth each, and nothing tells which. f->degree has the tail. */
static double care(const pdpr_i_fitting *f, double cubes_of_best)
{
    double fewer = cubes_of_best / cubes(f);
    return fmin(f->no_isolated ? fewer : sqrt(fewer), most_care);
}

pdpr_status pdpr_i_fit_mean_tail(pdpr_i_fitting *f, const pdpr_i_tails *tails, bool careful,
                                 pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    double *sum = NULL, total = 0;

    PDPR_TRY(pdpr_i_zalloc(f->ctx, f->n, sizeof *sum, "mean tail", &sum, err));
    pdpr_i_fit_curve_degrees(f, &tails->tail[tails->best]);
    double cubes_of_best = cubes(f);
    for (uint32_t i = 0; i < tails->count; i++) {
        double weight = exp((tails->misfit[tails->best] - tails->misfit[i]) / 2);
        if (weight < 0.01 || !counts(tails, i))
            continue;
        pdpr_i_fit_curve_degrees(f, &tails->tail[i]);
        weight *= careful ? care(f, cubes_of_best) : 1;
        for (uint32_t u = 0; u < f->n; u++)
            sum[u] += weight * f->degree[u];
        total += weight;
    }
    for (uint32_t u = 0; u < f->n; u++) /* below the cap all agree; means of descents descend */
        f->degree[u] = clamp_degree(f, sum[u] / total + 0.5);
done:
    pdpr_free(sum);
    return s;
}
