/* From noisy numbers to targets: post-processing, free of charge.
 *
 * Degrees. The projection that made the histogram private also bends it: hubs lose links, and so do
 * their neighbours. So a degree sequence is sought whose *simulated* projection (a random matching,
 * scanned with the same cap) gives the measured numbers. Start: log-normal degrees with the
 * measured mean, the spread that fits best. Then the tail above the cap: Pareto, its exponent by
 * the wider edge count and the two indices. Then a few rounds of correction, each block of bins
 * moved by what its residual exceeds its noise (James-Stein), so that a small budget leaves the
 * smooth start alone.
 *
 * Triangles: the second answer, as far as it is above the first by more than its noise.
 * Components: what the forest lacks beyond isolated nodes, if more than two noise scales.
 * Cost: some thirty simulated projections, O(m) each. */
#include "blueprint/blueprint.h"

#include <math.h>
#include <string.h>

enum { SPREADS = 8, EXPONENTS = 9, ROUNDS = 6 };
static const double spreads[SPREADS] = {0.1, 0.3, 0.5, 0.7, 0.9, 1.1, 1.4, 1.8};
static const double exponents[EXPONENTS] = {1.8, 2.0, 2.2, 2.5, 2.8, 3.2, 3.8, 5, 8};

typedef struct {
    pdpr_context *ctx;
    const pdpr_i_bp_plan *plan;
    const pdpr_i_bp_numbers *numbers;
    pdpr_i_stream *random;
    uint32_t n, theta;
    double noise;                           /* scale of the histogram's noise */
    double edges;                           /* estimated, of the whole graph */
    double *measured, *simulated, *current; /* [theta]: nodes of degree <= k */
    uint32_t *degree;                       /* [n], descending where it matters */
    uint32_t *stub;                         /* workspace of the simulation */
    uint64_t stub_room;
    uint32_t *kept, *kept_wide; /* [n] */
} fitting;

/* ---------------------------------------------------------------- simulation */

/* Projected degrees of a random graph with f->degree: a shuffled list of link ends, paired up and
 * scanned. Fills f->simulated; returns the edges kept at both caps. */
static pdpr_status simulate(fitting *f, double *edges, double *edges_wide, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t stubs = 0, at = 0, kept = 0, wide = 0;
    for (uint32_t u = 0; u < f->n; u++)
        stubs += f->degree[u];
    if (stubs > f->stub_room) {
        PDPR_TRY(pdpr_i_resize(f->ctx, stubs + stubs / 4, sizeof *f->stub, "simulated links",
                               &f->stub, err));
        f->stub_room = stubs + stubs / 4;
    }
    for (uint32_t u = 0; u < f->n; u++)
        for (uint32_t k = 0; k < f->degree[u]; k++)
            f->stub[at++] = u;
    for (uint64_t i = stubs; i > 1; i--) {
        uint64_t j = pdpr_i_stream_below(f->random, i);
        uint32_t t = f->stub[i - 1];
        f->stub[i - 1] = f->stub[j];
        f->stub[j] = t;
    }
    PDPR_TRY(pdpr_i_check_cancelled(f->ctx, err));
    memset(f->kept, 0, f->n * sizeof *f->kept);
    memset(f->kept_wide, 0, f->n * sizeof *f->kept_wide);
    for (uint64_t i = 0; i + 1 < stubs; i += 2) {
        uint32_t u = f->stub[i], v = f->stub[i + 1];
        if (u == v)
            continue;
        if (f->kept[u] < f->theta && f->kept[v] < f->theta) {
            f->kept[u]++;
            f->kept[v]++;
            kept++;
        }
        if (f->kept_wide[u] < f->numbers->wide && f->kept_wide[v] < f->numbers->wide) {
            f->kept_wide[u]++;
            f->kept_wide[v]++;
            wide++;
        }
    }
    for (uint32_t k = 0; k < f->theta; k++)
        f->simulated[k] = 0;
    for (uint32_t u = 0; u < f->n; u++)
        if (f->kept[u] < f->theta)
            f->simulated[f->kept[u]]++;
    for (uint32_t k = 1; k < f->theta; k++)
        f->simulated[k] += f->simulated[k - 1];
    *edges = (double)kept;
    *edges_wide = (double)wide;
done:
    return s;
}

/* ---------------------------------------------------------------- smoothing */

/* Nearest non-decreasing sequence in [0, n], by pooling adjacent violators. */
static void make_monotone(double *x, uint32_t length, double n)
{
    for (uint32_t i = 0; i < length; i++) { /* O(length^2) at worst; length is at most 256 */
        uint32_t first = i, count = 1;
        double sum = x[i];
        while (first > 0 && x[first - 1] > sum / count) {
            sum += x[--first];
            count++;
        }
        for (uint32_t k = first; k <= i; k++)
            x[k] = sum / count;
    }
    for (uint32_t i = 0; i < length; i++)
        x[i] = x[i] < 0 ? 0 : x[i] > n ? n : x[i];
}

/* The histogram and the edge count tell the sum of projected degrees twice; both are moved to their
 * mean, weighted by precision. */
static void agree_on_edges(fitting *f)
{
    double from_histogram = 0, theta = f->theta;
    for (uint32_t k = 0; k < f->theta; k++)
        from_histogram += (f->n - f->measured[k]) / 2;
    double scale = theta / pdpr_i_bp_share(f->plan, PDPR_I_BP_EDGES);
    double var_edges = 2 * scale * scale, var_histogram = theta * 2 * f->noise * f->noise / 4;
    double both = (from_histogram * var_edges + (double)f->numbers->edges * var_histogram) /
                  (var_edges + var_histogram);
    for (uint32_t k = 0; k < f->theta; k++)
        f->measured[k] += 2 * (from_histogram - both) / theta;
}

/* ---------------------------------------------------------------- degree sequences */

/* Standard normal quantile, good to 1e-3: a start that is corrected afterwards. */
static double normal_quantile(double p)
{
    double t = sqrt(-2 * log(p < 0.5 ? p : 1 - p));
    double x = t - (2.515517 + 0.802853 * t + 0.010328 * t * t) /
                       (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
    return p < 0.5 ? -x : x;
}

static uint32_t clamp_degree(const fitting *f, double d)
{
    double most = f->n - 1.0;
    return d < 0 ? 0 : d > most ? (uint32_t)most : (uint32_t)d;
}

/* Log-normal degrees, rounded down, of the estimated mean. */
static void lognormal_degrees(fitting *f, double spread)
{
    double low = -5, high = 12, wanted = 2 * f->edges;
    for (int round = 0; round < 40; round++) {
        double centre = (low + high) / 2, sum = 0;
        for (uint32_t u = 0; u < f->n; u++) {
            double p = 1 - (u + 0.5) / f->n;
            f->degree[u] = clamp_degree(f, exp(centre + spread * normal_quantile(p)));
            sum += f->degree[u];
        }
        if (sum < wanted)
            low = centre;
        else
            high = centre;
    }
}

/* Degrees from f->current below the cap, and a Pareto tail of this exponent for the nodes above. */
static void curve_degrees(fitting *f, double exponent)
{
    double above = f->n - f->current[f->theta - 1];
    uint32_t tail = above > 0 ? (uint32_t)(above + 0.5) : 0;
    uint32_t k = f->theta - 1;
    for (uint32_t u = 0; u < f->n; u++) {
        if (u < tail) {
            double p = (u + 0.5) / tail;
            double d = f->theta * pow(p, -1 / (exponent - 1));
            f->degree[u] = clamp_degree(f, d < 4.0 * f->theta ? d : 4.0 * f->theta);
            continue;
        }
        double rank = f->n - u - 0.5; /* nodes of degree <= k are the last current[k] */
        while (k > 0 && f->current[k - 1] > rank)
            k--;
        f->degree[u] = clamp_degree(f, k);
    }
}

/* max{ j : the j-th largest degree is at least shift + j }; degrees are descending. */
static double index_of(const fitting *f, uint32_t shift)
{
    uint32_t j = 0;
    while (j < f->n && f->degree[j] >= (uint64_t)shift + j + 1)
        j++;
    return j;
}

/* ---------------------------------------------------------------- the fit of degrees */

static double square(double x)
{
    return x * x;
}

static double histogram_misfit(const fitting *f)
{
    double sum = 0;
    for (uint32_t k = 0; k < f->theta; k++)
        sum += square(f->measured[k] - f->simulated[k]) / (2 * square(f->noise) + 0.25 * f->n);
    return sum;
}

/* The edges of the whole graph: those under the cap, drawn to the prior 2N where their noise is
 * large, and what the wider count adds, drawn to the prior of a tenth. Each answer counts by its
 * precision. */
static void estimate_edges(fitting *f)
{
    const pdpr_i_bp_numbers *x = f->numbers;
    double scale = f->theta / pdpr_i_bp_share(f->plan, PDPR_I_BP_EDGES);
    double wide = x->wide / pdpr_i_bp_share(f->plan, PDPR_I_BP_EDGES_WIDE);
    double prior = 2.0 * f->n, trust = square(2 * prior) / (square(2 * prior) + 2 * square(scale));
    double under = prior + trust * ((double)x->edges - prior);
    double least =
        scale > 0.2 * f->n ? f->n / 4.0 : 0; /* noise says little: no empty graph by chance */
    if (under < least)
        under = least;
    double noise = 2 * square(scale) + 2 * square(wide), spread = square(0.2 * under) + 1;
    double more =
        (0.1 * under * noise + (double)(x->edges_wide - x->edges) * spread) / (noise + spread);
    f->edges = under + (more > 0 ? more : 0);
    double most = square(f->n) / 4;
    if (f->edges > most)
        f->edges = most;
}

static pdpr_status choose_spread(fitting *f, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    double best = INFINITY, edges, wide;
    for (int i = 0; i < SPREADS; i++) {
        lognormal_degrees(f, spreads[i]);
        PDPR_TRY(simulate(f, &edges, &wide, err));
        /* a weak prior, which decides when the histogram is mostly noise */
        double misfit = histogram_misfit(f) + square((spreads[i] - 0.6) / 0.4);
        if (misfit < best) { /* the curve of the degrees themselves, before projection */
            best = misfit;
            for (uint32_t k = 0; k < f->theta; k++)
                f->current[k] = 0;
            for (uint32_t u = 0; u < f->n; u++)
                if (f->degree[u] < f->theta)
                    f->current[f->degree[u]]++;
            for (uint32_t k = 1; k < f->theta; k++)
                f->current[k] += f->current[k - 1];
        }
    }
done:
    return s;
}

static pdpr_status choose_exponent(fitting *f, double *chosen, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    double best = INFINITY, edges, wide;
    bool indices = f->plan->share[PDPR_I_BP_INDEX_LOW].num != 0;
    double scale = f->numbers->wide / pdpr_i_bp_share(f->plan, PDPR_I_BP_EDGES_WIDE);
    for (int i = 0; i < EXPONENTS; i++) {
        curve_degrees(f, exponents[i]);
        PDPR_TRY(simulate(f, &edges, &wide, err));
        double misfit = square(wide - (double)f->numbers->edges_wide) /
                            (2 * square(scale) + 1e-4 * square(wide)) +
                        square(exponents[i] - 2.8);
        if (indices) {
            double sd = 1.5 / pdpr_i_bp_share(f->plan, PDPR_I_BP_INDEX_LOW);
            misfit += square(index_of(f, 0) - (double)f->numbers->index_low) / square(sd + 1);
            sd = 1.5 / pdpr_i_bp_share(f->plan, PDPR_I_BP_INDEX_HIGH);
            misfit +=
                square(index_of(f, 2 * f->theta) - (double)f->numbers->index_high) / square(sd + 1);
        }
        if (misfit < best) {
            best = misfit;
            *chosen = exponents[i];
        }
    }
done:
    return s;
}

/* Moves each block of bins by the part of its residual that noise does not explain. */
static void correct(fitting *f)
{
    for (uint32_t first = 0, last; first < f->theta; first = last) {
        last = first < 4 ? first + 2 : 2 * first;
        if (last > f->theta)
            last = f->theta;
        double energy = 0, noise = (last - first) * 2 * square(f->noise);
        for (uint32_t k = first; k < last; k++)
            energy += square(f->measured[k] - f->simulated[k]);
        double trust = energy > noise ? 1 - noise / energy : 0;
        for (uint32_t k = first; k < last; k++)
            f->current[k] += trust * (f->measured[k] - f->simulated[k]);
    }
    make_monotone(f->current, f->theta, f->n);
}

static pdpr_status fit_degrees(fitting *f, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    double exponent = 2.8, edges, wide;

    for (uint32_t k = 0; k < f->theta; k++)
        f->measured[k] = (double)f->numbers->cumulative[k];
    agree_on_edges(f);
    make_monotone(f->measured, f->theta, f->n);
    estimate_edges(f);
    PDPR_TRY(choose_spread(f, err));
    for (int round = 0; round < ROUNDS; round++) {
        if (round % 3 == 0)
            PDPR_TRY(choose_exponent(f, &exponent, err));
        curve_degrees(f, exponent);
        PDPR_TRY(simulate(f, &edges, &wide, err));
        correct(f);
    }
    curve_degrees(f, exponent);
done:
    return s;
}

/* ---------------------------------------------------------------- targets */

static double fit_triangles(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *x)
{
    double first = (double)x->triangles[0] / 2, second = (double)x->triangles[1] / 2;
    double scale1 = (x->triangle_cap[0] + 0.5) / pdpr_i_bp_share(plan, PDPR_I_BP_TRIANGLES_1);
    double scale2 = (x->triangle_cap[1] + 0.5) / pdpr_i_bp_share(plan, PDPR_I_BP_TRIANGLES_2);
    double more = second - first, noise = 2 * (square(scale1) + square(scale2));
    if (x->triangle_cap[0] == x->triangle_cap[1]) /* the same question twice: the weighted mean */
        return (first * square(scale2) + second * square(scale1)) /
               (square(scale1) + square(scale2));
    return first + (more > 0 ? more * square(more) / (square(more) + noise) : 0);
}

static uint64_t fit_components(const fitting *f)
{
    if (!f->plan->share[PDPR_I_BP_COMPONENTS].num)
        return 0;
    double scale = (PDPR_I_BP_FOREST_CAP + 0.5) / pdpr_i_bp_share(f->plan, PDPR_I_BP_COMPONENTS);
    double isolated = 0, lacking = f->n - (double)f->numbers->forest / 2;
    for (uint32_t u = 0; u < f->n; u++)
        isolated += f->degree[u] == 0;
    double small = lacking - isolated - 1;
    return small > 2 * scale && small < f->n / 2.0 ? (uint64_t)small : 0;
}

/* Which node takes which degree is not known and not wanted to be: any order is as good. */
static void shuffle(fitting *f)
{
    for (uint32_t i = f->n; i > 1; i--) {
        uint64_t j = pdpr_i_stream_below(f->random, i);
        uint32_t t = f->degree[i - 1];
        f->degree[i - 1] = f->degree[j];
        f->degree[j] = t;
    }
}

pdpr_status pdpr_i_bp_fit(pdpr_context *ctx, const pdpr_i_bp_plan *plan,
                          const pdpr_i_bp_numbers *numbers, pdpr_i_stream *random, uint32_t *degree,
                          pdpr_i_build_targets *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    fitting f = {.ctx = ctx,
                 .plan = plan,
                 .numbers = numbers,
                 .random = random,
                 .n = plan->num_nodes,
                 .theta = numbers->theta,
                 .noise = 2.0 * numbers->theta / pdpr_i_bp_share(plan, PDPR_I_BP_HISTOGRAM),
                 .degree = degree};

    PDPR_TRY(pdpr_i_alloc(ctx, f.theta, sizeof *f.measured, "degree curve", &f.measured, err));
    PDPR_TRY(pdpr_i_alloc(ctx, f.theta, sizeof *f.simulated, "degree curve", &f.simulated, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, f.theta, sizeof *f.current, "degree curve", &f.current, err));
    PDPR_TRY(pdpr_i_alloc(ctx, f.n, sizeof *f.kept, "simulated degrees", &f.kept, err));
    PDPR_TRY(pdpr_i_alloc(ctx, f.n, sizeof *f.kept_wide, "simulated degrees", &f.kept_wide, err));
    PDPR_TRY(fit_degrees(&f, err));
    double triangles = fit_triangles(plan, numbers);
    *out = (pdpr_i_build_targets){.num_nodes = f.n,
                                  .degree = degree,
                                  .triangles = triangles > 0 ? (uint64_t)triangles : 0,
                                  .small_components = fit_components(&f),
                                  .small_mean_size = 3};
    PDPR_TRY(pdpr_i_bp_fit_locality(ctx, plan, numbers, out, random, &out->locality, err));
    shuffle(&f);
done:
    pdpr_free(f.measured);
    pdpr_free(f.simulated);
    pdpr_free(f.current);
    pdpr_free(f.stub);
    pdpr_free(f.kept);
    pdpr_free(f.kept_wide);
    return s;
}
