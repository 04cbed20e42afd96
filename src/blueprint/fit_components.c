/* The number of small components from the capped forest.
 *
 * What the forest lacks of a spanning tree is isolated nodes, small components, and what its cap
 * cuts: a hub with many leaves can hold only some of them. The last is found by simulation: on a
 * random graph with the fitted degrees, by how much a forest under the cap, grown greedily from the
 * leaves inwards, falls short of one without a cap. What remains is the number of small components
 * with the query's noise and the doubt in the correction, and the median of its posterior is
 * taken: some graphs are taken to be connected, others to have a few, most of the sparse ones to
 * have a small component for every so many nodes. Cost: nearly O(N + m). */
#include "blueprint/fit_parts.h"
#include "base/union_find.h"
#include "blueprint/build_parts.h"

#include <math.h>
#include <string.h>

/* Prior: of sparse graphs, and small components a node where there are any; fewer in graphs of more
 * than three links a node, and in those of hubs and leaves. */
static const double part_scattered = 0.8, usual_rate = 0.06, sparse = 3, part_with_cycles = 0.5;
/* Of the others, in which the largest component is nearly all there is, most have a few small ones
 * all the same: from one for so many nodes to so many times that, each doubling as likely as the
 * next. */
static const double part_few = 0.55, few_rate = 1.0 / 8000, few_range = 20;
/* Nodes of a small component. Where there are hardly any cycles, more, so that the largest one has
 * so many cycles a node: up to a bound that grows with what links fall short of nodes, the last of
 * these as a part of the nodes. */
static const double usual_size = 3, most_size = 12, cycles_a_node = 0.3, mostly_small = 0.75,
                    all_short = 0.05;
/* Of the correction, and of the leaves: in real graphs they share hubs more than by chance. */
static const double doubt_in_cut = 1, doubt_in_trees = 0.1, doubt_in_leaves = 0.03;
/* What is known of the number of small components: with probability 1 - part it is the least there
 * can be or a few more, from `few` on (none if that is 0), else it exceeds that by an exponential
 * number about the usual. It was seen with a Laplace error of this scale and is at most `most`. The
 * usual may be wrong by an order of magnitude: a part of the prior has a long tail, so that a clear
 * answer overrules it. */
static const double part_wrong = 0.1;
typedef struct {
    double seen, scale, least, most, part, usual, few;
} belief;

enum { GRID = 4096 };

/* How likely an excess in (low, low + step] is beforehand. */
static double prior_of_excess(const belief *b, double low, double step)
{
    double middle = low + step / 2, usual = exp(-middle / b->usual) / b->usual,
           wrong = b->usual / pdpr_i_square(b->usual + middle);
    double from = fmax(low, b->few), to = fmin(low + step, few_range * b->few);
    double few = from < to ? log(to / from) / log(few_range) : 0;
    return b->part * step * (usual + part_wrong * (wrong - usual)) + (1 - b->part) * part_few * few;
}

/* How likely the number is where it was seen, on a grid: mass[0] at the least, mass[i] about the
 * middle of the i-th step above it; in *step a step's width. Returns the sum as a logarithm, 0
 * where the answer could not fit better. */
static double posterior(const belief *b, double mass[GRID + 1], double *step)
{
    double all = 0;
    /* the largest likelihood is taken for 1: far outside all would be 0 otherwise */
    double outside = fmax(fmax(b->least - b->seen, b->seen - b->most), 0);
    *step = (b->most - b->least) / GRID;
    for (int i = 0; i <= GRID; i++) {
        double excess = i > 0 ? (i - 0.5) * *step : 0;
        double prior = i > 0 ? prior_of_excess(b, (i - 1) * *step, *step)
                             : (1 - b->part) * (b->few > 0 ? 1 - part_few : 1);
        mass[i] = prior * exp((outside - fabs(b->seen - b->least - excess)) / b->scale);
        all += mass[i];
    }
    return log(all) - outside / b->scale;
}

static double posterior_median(const belief *b)
{
    double mass[GRID + 1], step, all = 0, up_to = 0;
    int i = 0;
    posterior(b, mass, &step);
    for (int k = 0; k <= GRID; k++)
        all += mass[k];
    for (; i < GRID && up_to + mass[i] < all / 2; i++)
        up_to += mass[i];
    return i > 0 ? b->least + (i - 0.5) * step : b->least;
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
    return fmin(outside, 0.2) * f->n / usual_size;
}

/* Nodes with a link, those of them with one, and links, as fitted. */
typedef struct {
    double nodes, leaves, links;
} totals;

static totals count_totals(const pdpr_i_fitting *f)
{
    totals t = {0};
    for (uint32_t u = 0; u < f->n; u++) {
        t.nodes += f->degree[u] > 0;
        t.leaves += f->degree[u] == 1;
        t.links += f->degree[u] / 2.0;
    }
    return t;
}

/* Beside the largest, by arithmetic: so many where all are trees. */
static double fewest_components(const totals *t)
{
    return fmax(t->nodes - t->links - 1, 0);
}

/* Of c components besides the largest one, c + 1 + links - nodes cycles are all there can be. Where
 * links are fewer than nodes, the largest is no larger than its cycles would have it, and all
 * others share the rest, up to a size: beyond it there is one large tree. */
static double mean_size(const totals *t, double small)
{
    double cycles = small + 1 + t->links - t->nodes;
    if (usual_size * small > mostly_small * t->nodes)
        return fmax(t->nodes / small, 2);
    if (t->links >= t->nodes || small < 1)
        return usual_size;
    double short_of = fmin((t->nodes - t->links) / t->nodes / all_short, 1);
    double limit = usual_size + short_of * (most_size - usual_size);
    return fmin(fmax((t->nodes - cycles / cycles_a_node) / small, usual_size), limit);
}

/* Links of random trees with f->degree, in f->pair: as few trees as there can be. *left_over: what
 * a cap would cut of hubs that found no tree. */
static pdpr_status draw_trees(pdpr_i_fitting *f, const totals *t, uint32_t cap, uint64_t *pairs,
                              double *left_over, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    double trees = t->nodes - t->links;
    const pdpr_i_build_targets targets = {.small_mean_size = t->nodes / trees};
    pdpr_i_building b = {.ctx = f->ctx,
                         .targets = &targets,
                         .random = f->random,
                         .num_nodes = f->n,
                         .degree = f->degree};
    pdpr_i_links links = {0};

    PDPR_TRY(pdpr_i_zalloc(f->ctx, f->n, sizeof *b.apart, "nodes", &b.apart, err));
    PDPR_TRY(pdpr_i_links_init(f->ctx, 0, &links, err));
    PDPR_TRY(pdpr_i_build_trees(&b, (uint64_t)trees, &links, err));
    *pairs = links.count; /* no more than the ends that were listed for the degrees */
    memcpy(f->pair, links.pairs, 2 * links.count * sizeof *f->pair);
    for (uint32_t u = 0; u < f->n; u++)
        if (!b.apart[u] && f->degree[u] > cap)
            *left_over += f->degree[u] - cap;
done:
    pdpr_i_links_clear(&links);
    pdpr_free(b.apart);
    return s;
}

/* The query's answer, read with the cut that a random graph has, or random trees where there are
 * fewer links than nodes. */
static pdpr_status read_forest(pdpr_i_fitting *f, const totals *t, belief *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t pairs;
    uint32_t cap = pdpr_i_bp_forest_cap(f->n, f->plan->epsilon);
    bool is_sparse = fewest_components(t) >= 1;
    double doubt = is_sparse ? doubt_in_trees : doubt_in_cut, cut = 0;

    PDPR_TRY(pdpr_i_fit_draw_pairs(f, &pairs, err));
    if (is_sparse)
        PDPR_TRY(draw_trees(f, t, cap, &pairs, &cut, err));
    cut += (double)grow_forest(f, pairs, UINT32_MAX, f->kept, f->kept_wide);
    cut -= (double)grow_forest(f, pairs, cap, f->kept, f->kept_wide);
    double scale = (double)pdpr_i_bp_forest_sensitivity(f->plan) / 2 /
                   pdpr_i_bp_precision(f->plan, PDPR_I_BP_FOREST);
    /* leaves on hubs: what the cap cuts is most of what is lacking, and all hangs together */
    double fewer = fmin(1, pdpr_i_square(sparse / mean_degree(f))) * fmax(1 - cut / f->n, 0);
    double least = fewest_components(t), most_in_small = mean_degree(f) > sparse ? 0.5 : 1;
    *out =
        (belief){.seen = t->nodes - (double)f->numbers->forest / 2 - 1 - cut,
                 .scale = sqrt(pdpr_i_square(scale) + pdpr_i_square(doubt * cut) +
                               pdpr_i_square(doubt_in_leaves * t->leaves)),
                 .least = least,
                 .most = fmax(fmin(most_in_small / usual_size * f->n, t->nodes / 2 - 1), least + 1),
                 .part = is_sparse ? part_with_cycles : part_scattered * fewer,
                 .usual = fmax(usual_rate * fewer * f->n, 1),
                 .few = is_sparse ? 0 : few_rate * t->nodes};
done:
    return s;
}

pdpr_status pdpr_i_fit_forest_misfit(pdpr_i_fitting *f, double *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const totals t = count_totals(f);
    belief known;
    double mass[GRID + 1], step;

    *out = 0;
    if (!f->plan->asks[PDPR_I_BP_FOREST])
        return s;
    PDPR_TRY(read_forest(f, &t, &known, err));
    *out = -2 * posterior(&known, mass, &step);
done:
    return s;
}

pdpr_status pdpr_i_fit_components(pdpr_i_fitting *f, pdpr_i_build_targets *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const totals t = count_totals(f);
    double small = fmax(fmin(by_chance(f), t.nodes / 2 - 1), fewest_components(&t));

    if (f->plan->asks[PDPR_I_BP_FOREST]) {
        belief known;
        PDPR_TRY(read_forest(f, &t, &known, err));
        small = posterior_median(&known);
    }
    small = floor(fmin(small + 0.5, fmax(t.nodes / 2 - 1, fewest_components(&t))));
    out->small_components = (uint64_t)small;
    out->small_mean_size = mean_size(&t, small);
done:
    return s;
}
