/* A degree sequence whose simulated projection gives the measured curve.
 *
 * The projection that made the histogram private also bends it: hubs lose links, and so do their
 * neighbours. Start: the law of a small family (log-normal, Pareto) that agrees best with all that
 * was released. Then the tail above the cap (fit_tail.c), noise taken out of the curve
 * (fit_filter.c), and a few rounds in which the degrees below the cap move by what their simulated
 * projection misses. Isolated nodes are a case of their own: most graphs have none, so they are
 * believed only where the first bin says more than its noise.
 * Cost: some hundred simulated projections, O(N + m) each; four times as many at most where many
 * nodes seem isolated. */
#include "blueprint/fit_parts.h"

#include <math.h>
#include <string.h>

static const double spreads[] = {0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4,
                                 0.5,  0.6, 0.7,  0.9, 1.1,  1.4, 1.8};
static const double factors[] = {1, 1.3, 1.7, 2.3}; /* edges that the caps hide */
static const double paretos[] = {1.8, 2.1, 2.5, 3};
enum {
    SPREADS = sizeof spreads / sizeof *spreads,
    FACTORS = sizeof factors / sizeof *factors,
    PARETOS = sizeof paretos / sizeof *paretos,
    FILTERS = 2,
    ROUNDS = 3 /* after each filter */
};

static const double usual_isolated = 0.03;  /* of the nodes, at most */
static const double isolated_doubt = 2.8;   /* noise scales: two standard deviations */
static const double most_gain = 13;         /* in misfit, of having no isolated nodes */
static const double most_links_of_hubs = 4; /* in squares of the first index */
static const double index_doubt = 0.5;      /* deviations of the first index */
/* How the leaves of hubs may have got lost, the likelier first: which part of the gain counts then,
 * and what is taken off it. */
static const struct {
    double clinging; /* of small nodes to hubs */
    double hubs;     /* hidden by noise, in roots of the number of leaves that they lost */
    double part, cost;
} guesses[] = {{0, 0, 1, 0}, {0.25, 0, 1, 3}, {0, 0.5, 0.25, 0}};
enum { GUESSES = sizeof guesses / sizeof *guesses };
/* Simulation and truth differ by more than noise: by so many of the nodes. */
static const double model_error = 0.01;
/* Fewer edges a node are not believed where their noise is several times as large as the second:
 * half of that where it is as large. */
static const double fewest_edges = 2, noisy_edges = 0.1;
/* The first index tells of the nodes above a cap up to so much larger than itself, the less so by
 * this power. */
static const double index_reaches = 1.25, index_fades = 4;

/* Standard normal quantile, good to 1e-3: a start that is corrected afterwards. */
static double normal_quantile(double p)
{
    double t = sqrt(-2 * log(p < 0.5 ? p : 1 - p));
    double x = t - (2.515517 + 0.802853 * t + 0.010328 * t * t) /
                       (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
    return p < 0.5 ? -x : x;
}

/* exp(quantile) is the law's shape; the scale is found for the wanted number of edges. */
typedef struct {
    bool pareto;
    double shape; /* spread of the logarithm, or exponent of the density */
} start_law;

static double log_quantile(const start_law *law, double p)
{
    return law->pareto ? -log(1 - p) / (law->shape - 1) : law->shape * normal_quantile(p);
}

static void law_degrees(pdpr_i_fitting *f, const start_law *law, double edges)
{
    double low = -5, high = 12, most = f->n - 1.0;
    for (int round = 0; round < 30; round++) {
        double centre = (low + high) / 2, sum = 0;
        for (uint32_t u = 0; u < f->n; u++) {
            double d = exp(centre + log_quantile(law, 1 - (u + 0.5) / f->n));
            f->degree[u] = (uint32_t)(d < most ? d : most);
            sum += f->degree[u];
        }
        if (sum < 2 * edges)
            low = centre;
        else
            high = centre;
    }
}

/* The edges of the whole graph: those under the cap, drawn to the prior 2N where their noise is
 * large, and what the wider count adds, drawn to the prior of a tenth. Each answer counts by its
 * precision. */
static double estimate_edges(const pdpr_i_fitting *f)
{
    const pdpr_i_bp_numbers *x = f->numbers;
    double narrow = pdpr_i_fit_deviation(f, PDPR_I_BP_EDGES, f->theta);
    double wide = pdpr_i_fit_deviation(f, PDPR_I_BP_EDGES_WIDE, x->wide);
    double prior = 2.0 * f->n, most = pdpr_i_square(f->n) / 4;
    double trust = pdpr_i_square(2 * prior) / (pdpr_i_square(2 * prior) + pdpr_i_square(narrow));
    double under = prior + trust * ((double)x->edges - prior);
    /* where noise says little: a graph with cycles, not a long tree that chance has made of it */
    double least = fewest_edges * f->n / (1 + pdpr_i_square(noisy_edges * f->n / narrow));
    if (under < least)
        under = least;
    double noise = pdpr_i_square(narrow) + pdpr_i_square(wide);
    double spread = pdpr_i_square(0.2 * under) + 1;
    double more = (0.1 * under * noise + ((double)x->edges_wide - (double)x->edges) * spread) /
                  (noise + spread);
    double edges = under + (more > 0 ? more : 0);
    return edges < most ? edges : most;
}

double pdpr_i_fit_histogram_misfit(const pdpr_i_fitting *f)
{
    double sum = 0;
    for (uint32_t k = 0; k < f->theta; k++)
        sum += pdpr_i_square(f->measured[k] - f->simulated[k]) /
               (2 * pdpr_i_square(f->noise) + 0.25 * f->n + pdpr_i_square(model_error * f->n));
    return sum;
}

/* The curve of the degrees themselves, before projection. */
static void take_curve(pdpr_i_fitting *f)
{
    for (uint32_t k = 0; k < f->theta; k++)
        f->current[k] = 0;
    for (uint32_t u = 0; u < f->n; u++)
        if (f->degree[u] < f->theta)
            f->current[f->degree[u]]++;
    for (uint32_t k = 1; k < f->theta; k++)
        f->current[k] += f->current[k - 1];
}

static pdpr_status choose_start(pdpr_i_fitting *f, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    double best = INFINITY, edges = estimate_edges(f);
    pdpr_i_kept_edges kept;
    for (int i = 0; i < SPREADS + PARETOS; i++)
        for (int j = 0; j < FACTORS; j++) {
            start_law law = {i >= SPREADS, i < SPREADS ? spreads[i] : paretos[i - SPREADS]};
            if (!law.pareto && law.shape < 0.5 && j > 0)
                break; /* narrow laws hide nothing above the caps */
            law_degrees(f, &law, factors[j] * edges);
            PDPR_TRY(pdpr_i_fit_simulate(f, &kept, err));
            double misfit = pdpr_i_fit_histogram_misfit(f) + pdpr_i_fit_tail_misfit(f, &kept);
            /* weak priors, which decide when the answers are mostly noise */
            misfit += law.pareto ? 3 : pdpr_i_square((law.shape - 0.6) / 0.4);
            misfit += pdpr_i_square(log(factors[j]) / 0.25);
            if (misfit < best) {
                best = misfit;
                take_curve(f);
            }
        }
done:
    return s;
}

/* The first index, less its noise, is a number of nodes of at least that degree, and knows it far
 * better than the last bins of the curve, whose noise can leave nobody above the cap. */
static double index_above(const pdpr_i_fitting *f)
{
    if (!f->plan->asks[PDPR_I_BP_INDEX_LOW])
        return 0;
    double index = (double)f->numbers->index_low - pdpr_i_fit_deviation(f, PDPR_I_BP_INDEX_LOW, 1);
    if (!(index_reaches * index > f->theta))
        return 0;
    return fmin(index * pow(fmin(index / f->theta, 1), index_fades), f->n / 2.0);
}

static void keep_above(pdpr_i_fitting *f)
{
    double least = index_above(f);
    if (f->no_isolated) /* lost leaves tell of hubs too; the law may have no room for both */
        least = fmax(least / 2, f->least_hubs);
    for (uint32_t k = 0; k < f->theta; k++)
        f->current[k] = fmin(f->current[k], f->n - least);
}

/* Moves the degrees below the cap by what their simulated projection misses. */
static void correct(pdpr_i_fitting *f)
{
    for (uint32_t k = 0; k < f->theta; k++)
        f->current[k] += f->wished[k] - f->simulated[k];
    pdpr_i_make_monotone(f->current, f->theta, f->n);
    if (f->no_isolated || f->current[0] < isolated_doubt * f->noise)
        f->current[0] = 0;
    keep_above(f);
}

/* Tail and curve in turn, from f->current; leaves f->degree. *misfit: of all that was released. */
static pdpr_status refine(pdpr_i_fitting *f, double *misfit, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_tails tails;
    pdpr_i_kept_edges kept;

    for (int filter = 0; filter < FILTERS; filter++) {
        PDPR_TRY(pdpr_i_fit_tail(f, &tails, err));
        for (int round = 0; round < ROUNDS; round++) {
            pdpr_i_fit_curve_degrees(f, &tails.tail[tails.best]);
            PDPR_TRY(pdpr_i_fit_simulate(f, &kept, err));
            if (round == 0)
                pdpr_i_fit_filter(f);
            correct(f);
        }
    }
    PDPR_TRY(pdpr_i_fit_tail(f, &tails, err));
    PDPR_TRY(pdpr_i_fit_mean_tail(f, &tails, false, err));
    PDPR_TRY(pdpr_i_fit_simulate(f, &kept, err));
    *misfit = pdpr_i_fit_histogram_misfit(f) + pdpr_i_fit_tail_misfit(f, &kept);
    PDPR_TRY(pdpr_i_fit_mean_tail(f, &tails, true, err));
done:
    return s;
}

/* Nodes of at least as many links as there are of them: the first index, and so much more. */
static double most_hubs(const pdpr_i_fitting *f, double deviations)
{
    if (!f->plan->asks[PDPR_I_BP_INDEX_LOW])
        return f->n;
    return fmax((double)f->numbers->index_low, 0) +
           deviations * pdpr_i_fit_deviation(f, PDPR_I_BP_INDEX_LOW, 1);
}

/* Which part of so many leaves hubs can have lost, at most: h nodes of degree h and more, as the
 * first index tells, have some h^2 links between them in most graphs, and seldom four times as
 * many. Without hubs, nodes that seem isolated are. */
static double leaves_explained(const pdpr_i_fitting *f, double leaves)
{
    return fmin(most_links_of_hubs * pdpr_i_square(most_hubs(f, index_doubt)) / leaves, 1);
}

/* The fit without isolated nodes, from where f->current is. *misfit: of all that was released. */
static pdpr_status refine_without_isolated(pdpr_i_fitting *f, double *misfit, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    double forest;

    f->no_isolated = true;
    f->current[0] = 0;
    keep_above(f);
    PDPR_TRY(refine(f, misfit, err));
    PDPR_TRY(pdpr_i_fit_forest_misfit(f, &forest, err));
    *misfit += forest;
done:
    return s;
}

/* Many isolated nodes: are they leaves of hubs, whose links the cap took? A fit without any is kept
 * if it explains the numbers nearly as well. It may not because small nodes have more of their
 * links at hubs than chance would give them, or because noise has hidden the hubs: these are tried
 * in turn. */
static pdpr_status try_without_isolated(pdpr_i_fitting *f, double misfit, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t *before = NULL;
    double *curve = NULL, forest, isolated = f->current[0];

    PDPR_TRY(pdpr_i_fit_forest_misfit(f, &forest, err));
    PDPR_TRY(pdpr_i_alloc(f->ctx, f->n, sizeof *before, "degrees", &before, err));
    PDPR_TRY(pdpr_i_alloc(f->ctx, f->theta, sizeof *curve, "degree curve", &curve, err));
    memcpy(before, f->degree, f->n * sizeof *before);
    memcpy(curve, f->current, f->theta * sizeof *curve);
    misfit += forest;
    double gain = fmin(pdpr_i_square(isolated / (usual_isolated * f->n)), most_gain) *
                  pdpr_i_square(leaves_explained(f, isolated));
    f->lost_leaves = isolated;
    for (int i = 0; i < GUESSES; i++) {
        double without;
        f->clinging = guesses[i].clinging;
        f->least_hubs = guesses[i].hubs * sqrt(isolated);
        if (most_hubs(f, 1) < f->least_hubs)
            continue;
        memcpy(f->current, curve, f->theta * sizeof *curve);
        PDPR_TRY(refine_without_isolated(f, &without, err));
        if (without + guesses[i].cost <= misfit + guesses[i].part * gain)
            goto done;
    }
    f->no_isolated = false;
    memcpy(f->degree, before, f->n * sizeof *before);
done:
    pdpr_free(before);
    pdpr_free(curve);
    return s;
}

pdpr_status pdpr_i_fit_degrees(pdpr_i_fitting *f, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    double misfit;

    for (uint32_t k = 0; k < f->theta; k++)
        f->measured[k] = (double)f->numbers->cumulative[k];
    pdpr_i_make_monotone(f->measured, f->theta, f->n);
    PDPR_TRY(choose_start(f, err));
    keep_above(f);
    PDPR_TRY(refine(f, &misfit, err));
    if (f->current[0] > usual_isolated * f->n)
        PDPR_TRY(try_without_isolated(f, misfit, err));
done:
    return s;
}
