/* The number of small components from the capped forest.
 *
 * What the forest lacks of a spanning tree is isolated nodes, small components, and what its cap
 * cuts: a hub with many leaves can hold only six of them. The last is found by simulation: on a
 * random graph with the fitted degrees, by how much a forest under the cap, grown greedily from the
 * leaves inwards, falls short of one without a cap. What remains is the number of small components
 * with the query's noise and the doubt in the correction, and the median of its posterior is
 * taken: some graphs are taken to be connected, most of the sparse ones to have a small component
 * for every so many nodes. Cost: nearly O(N + m). */
#include "blueprint/fit_parts.h"
#include "base/union_find.h"

#include <math.h>
#include <string.h>

/* Prior: of sparse graphs, and small components a node where there are any; fewer in graphs of more
 * than three links a node, and in those of hubs and leaves. */
static const double part_scattered = 0.8, usual_rate = 0.06, sparse = 3;
/* Of the correction, and of the leaves: in real graphs they share hubs more than by chance. */
static const double doubt_in_cut = 1, doubt_in_leaves = 0.03;
/* What is known of the number of small components: with probability 1 - part it is 0, else
 * exponential about the usual; it was seen with a Laplace error of this scale and is at most
 * `most`. */
typedef struct {
    double seen, scale, most, part, usual;
} belief;

/* Logarithm of prior times likelihood at c > 0, up to a constant that keeps the largest
 * likelihood at 1: far outside of [0, most] all would be 0 otherwise. */
static double log_density(const belief *b, double c)
{
    double outside = fmax(fmax(-b->seen, b->seen - b->most), 0);
    return -c / b->usual - (fabs(b->seen - c) - outside) / b->scale;
}

/* Integral of the density over [low, high], on one side of what was seen: there it is exponential.
 */
static double mass_on_a_side(const belief *b, double low, double high)
{
    double at_low = log_density(b, low), at_high = log_density(b, high), rise = at_high - at_low;
    if (high <= low)
        return 0;
    double mean = fabs(rise) < 1e-8 ? exp(at_low) : (exp(at_high) - exp(at_low)) / rise;
    return b->part * (high - low) / b->usual * mean;
}

/* Posterior mass of [0, c], up to a constant. */
static double mass_up_to(const belief *b, double c)
{
    double bend = fmin(fmax(b->seen, 0), c);
    return (1 - b->part) * exp(log_density(b, 0)) + mass_on_a_side(b, 0, bend) +
           mass_on_a_side(b, bend, c);
}

static double posterior_median(const belief *b)
{
    double low = 0, high = b->most, half = mass_up_to(b, high) / 2;
    if (mass_up_to(b, 0) >= half)
        return 0;
    for (int round = 0; round < 60; round++) {
        double middle = (low + high) / 2;
        if (mass_up_to(b, middle) >= half)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static uint32_t smaller_degree(const pdpr_i_fitting *f, uint64_t i)
{
    uint32_t a = f->degree[f->pair[2 * i]], b = f->degree[f->pair[2 * i + 1]];
    return a < b ? a : b;
}

/* Edges of a greedy forest over the drawn pairs; parent and used are [n]. Pairs with an end of
 * degree 1 come first, then those of degree 2, then all others. */
static uint64_t grow_forest(const pdpr_i_fitting *f, uint64_t pairs, uint32_t cap, uint32_t *parent,
                            uint32_t *used)
{
    uint64_t edges = 0;
    pdpr_i_separate(parent, f->n);
    memset(used, 0, f->n * sizeof *used);
    for (uint32_t pass = 1; pass <= 3; pass++)
        for (uint64_t i = 0; i < pairs; i++) {
            uint32_t u = f->pair[2 * i], v = f->pair[2 * i + 1], low = smaller_degree(f, i);
            if ((low < 3 ? low : 3) != pass || used[u] >= cap || used[v] >= cap ||
                !pdpr_i_unite(parent, u, v))
                continue;
            used[u]++;
            used[v]++;
            edges++;
        }
    return edges;
}

static double mean_degree(const pdpr_i_fitting *f)
{
    double ends = 0;
    for (uint32_t u = 0; u < f->n; u++)
        ends += f->degree[u];
    return ends / f->n;
}

/* Nodes outside of the giant component of a random graph, for three a component: what a sparse
 * graph is taken to have when nothing was asked. Joining all of it would make long trees. */
static double by_chance(const pdpr_i_fitting *f)
{
    double outside = 0, mean = mean_degree(f);
    for (int round = 0; round < 50; round++) /* outside = exp(-d (1 - outside)), Erdos and Renyi */
        outside = exp(-mean * (1 - outside));
    return fmin(outside, 0.2) * f->n / 3;
}

pdpr_status pdpr_i_fit_components(pdpr_i_fitting *f, uint64_t *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t pairs;
    uint32_t isolated = 0, leaves = 0;

    if (!f->plan->asks[PDPR_I_BP_COMPONENTS]) {
        *out = (uint64_t)by_chance(f);
        return PDPR_OK;
    }
    PDPR_TRY(pdpr_i_fit_draw_pairs(f, &pairs, err));
    double cut = (double)grow_forest(f, pairs, UINT32_MAX, f->kept, f->kept_wide);
    cut -= (double)grow_forest(f, pairs, PDPR_I_BP_FOREST_CAP, f->kept, f->kept_wide);
    for (uint32_t u = 0; u < f->n; u++) {
        isolated += f->degree[u] == 0;
        leaves += f->degree[u] == 1;
    }
    double scale = (double)pdpr_i_bp_forest_sensitivity(f->plan) / 2 /
                   pdpr_i_bp_precision(f->plan, PDPR_I_BP_COMPONENTS);
    double small = f->n - (double)f->numbers->forest / 2 - isolated - 1 - cut;
    scale = sqrt(pdpr_i_square(scale) + pdpr_i_square(doubt_in_cut * cut) +
                 pdpr_i_square(doubt_in_leaves * leaves));
    /* leaves on hubs: what the cap cuts is most of what is lacking, and all hangs together */
    double fewer = fmin(1, pdpr_i_square(sparse / mean_degree(f))) * fmax(1 - cut / f->n, 0);
    const belief known = {small, scale, f->n / 3.0, part_scattered * fewer,
                          fmax(usual_rate * fewer * f->n, 1)};
    *out = (uint64_t)posterior_median(&known);
done:
    return s;
}
