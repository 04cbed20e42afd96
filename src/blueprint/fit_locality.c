/* The locality of the graphs to be built, from the released path lengths: post-processing.
 *
 * The released value is a robust one: on a graph with hubs it is far from the mean distance. So it
 * is not read as a distance. Graphs are built at a few localities from the targets fitted so far,
 * the same question is asked of them, and the locality is the one at which their answers agree with
 * the released ones, each weighted by its noise. A prior decides when noise is all there is, or
 * nothing was asked. It speaks of the mean distance of the built graph, not of
 * the locality, which changes next to nothing up to a quarter and everything above that: it is a
 * little more than that of a graph matched at random with the same degrees, triangles and
 * components, which is built anyway. Where nothing was asked and noise is large, the fitted degrees
 * lack links and hubs, what is matched with them is too wide already, and there is no locality.
 * What lies between the localities tried is interpolated, and the median of the posterior is taken;
 * it is tried itself before it is believed, while tries last.
 * Built graphs with long paths are strips, originals lie on a plane (streets, pipes), where fewer
 * pairs are near: what distances fall short of the horizon is corrected by geometry. And originals
 * have bottlenecks, so their robust lengths exceed distances by more.
 * Cost: eight graphs built at most, and a loose solution of each question on each. */
#include "blueprint/blueprint.h"

#include <math.h>

enum {
    FIRST_TRIES = 5,
    MOST_TRIES = 8,
    GRID = 200,
    SOURCES = 48,
    SOURCES_LARGE = 12,
    LARGE = 100000
};
/* The last only where answers speak of long paths. */
static const double first_try[FIRST_TRIES] = {0, 0.23, 0.325, 0.53, 0.66};
/* Spread of the logarithm of the mean distance around the prior. */
static const double distance_spread = 0.2;
/* Real graphs have longer paths than graphs matched at random with their degrees, triangles and
 * components, the more so the sparser they are: by so much over the mean degree, in logarithms. */
static const double sparse_longer = 0.35, least_mean_degree = 1.5;
/* Fitted degrees are rough from such a noise of the edges on, in nodes. */
static const double rough_edges = 0.02;
/* When the answers speak of long paths, it is streets and pipes, or it was noise: each case has its
 * prior and its way of reading the answers, and at each distance the better one holds. This one
 * has a cost: most
 * graphs have short paths, and to take them for long ones is the worse mistake; half of the cost
 * makes up for its wider spreads. Mean distances on a plane grow with the square root of the number
 * of nodes. */
static const struct {
    double of_root, spread, cost;
} long_paths = {0.38, 0.35, 6};
/* Real graphs have fewer ways round their hubs than built ones of the same mean distance, unless
 * paths are long: what robust lengths are longer than distances is more by so many times the
 * logarithm of how uneven degrees are. Mostly because fitted degrees lack the largest hubs; so it
 * is less, down to a part, where the degree index is known better than to this part of it. Not
 * where more than so many of the nodes seemed isolated and none was found to be: those are leaves
 * of hubs, of whom the index does not tell how large they are. */
static const double ways_round = 0.4, least_part = 0.25, rough_index = 0.08, many_lost = 0.05;
/* Where paths are long: how much more robust lengths exceed distances than in built graphs, and how
 * well that is known; and so what distances fall short of the horizon. From a power grid, two
 * street maps and lattices (docs/design/0026-usual-hubs-and-bottlenecks.md). */
static const double bottlenecks = 1.6, bottleneck_scatter = 0.5, plane_scatter = 0.25;
/* Errors beside the noise: of the mean distance of a graph with given robust lengths, in
 * logarithms, and of one pair, relative to the length. */
static const double model_scatter = 0.05, pair_scatter = 0.3;
/* From so many deviations on a misfit is linear, with the slope of Laplace noise. */
static const double laplace_tail = M_SQRT2;
/* How well the share of pairs that can be joined is known: a pair that cannot counts as L. */
static const double joined_scatter = 0.05;

typedef struct {
    double locality;
    double distance;  /* logarithm of the mean */
    double length[2]; /* mean robust length of a pair, for each question */
    double plain[2];  /* the same if nodes may carry any number of pairs */
} trial;

typedef struct {
    double length; /* released, for a pair */
    double variance;
    double horizon;
} answer;

/* What the trials are compared with. */
typedef struct {
    bool asked, is_long;
    answer answers[2];
    double ways; /* excess of a real graph's robust lengths over distances, in a built one's */
    double distance, long_distance; /* logarithms of the mean, by the priors */
} wish;

static bool leaves_are_lost(const pdpr_i_bp_numbers *numbers, const pdpr_i_build_targets *targets)
{
    for (uint32_t u = 0; u < targets->num_nodes; u++)
        if (targets->degree[u] == 0)
            return false;
    return (double)numbers->cumulative[0] > many_lost * targets->num_nodes;
}

/* From N sum d^2 / (sum d)^2: 1 where all degrees are the same, 2.5 on Citeseer, 4 and more where
 * hubs have most links. */
static double fitted_ways(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers,
                          const pdpr_i_build_targets *targets)
{
    double ends = 0, squares = 0, precision = pdpr_i_bp_precision(plan, PDPR_I_BP_INDEX_LOW),
           rough = 1;
    for (uint32_t u = 0; u < targets->num_nodes; u++) {
        ends += targets->degree[u];
        squares += (double)targets->degree[u] * targets->degree[u];
    }
    double uneven = ends > 0 ? targets->num_nodes * squares / (ends * ends) : 1;
    if (precision > 0 && !leaves_are_lost(numbers, targets))
        rough = fmin(1 / (precision * fmax((double)numbers->index_low, 1)) / rough_index, 1);
    double part = least_part + (1 - least_part) * rough;
    return 1 + part * ways_round * log(fmax(uneven, 1));
}

/* Logarithm of the mean distance by the prior, from that of a graph matched at random. */
static double usual_distance(const pdpr_i_build_targets *targets, double at_random)
{
    double ends = 0;
    for (uint32_t u = 0; u < targets->num_nodes; u++)
        ends += targets->degree[u];
    return at_random + sparse_longer / fmax(ends / targets->num_nodes, least_mean_degree);
}

static bool paths_were_asked(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    return plan->asks[PDPR_I_BP_PATHS_1] && numbers->window[0].horizon > 0 &&
           numbers->window[1].horizon > 0;
}

bool pdpr_i_bp_noise_hides_width(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    double noise = numbers->theta / pdpr_i_bp_precision(plan, PDPR_I_BP_EDGES);
    return !paths_were_asked(plan, numbers) && noise > rough_edges * plan->num_nodes;
}

/* A built graph that is asked both questions. */
typedef struct {
    pdpr_context *ctx;
    const pdpr_i_bp_plan *plan;
    const pdpr_i_bp_numbers *numbers;
    const pdpr_graph *g;
    trial *t;
} asking;

static pdpr_status ask(void *arg, uint64_t i, uint32_t worker, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const asking *a = arg;
    pdpr_i_path_question question =
        pdpr_i_bp_path_question(a->plan, a->numbers->window[i], (uint32_t)i);
    double gap = 0.03 * question.num_pairs * (question.horizon - question.floor);
    double length, plain;
    (void)worker;
    PDPR_TRY(pdpr_i_path_length_about(a->ctx, a->g, &question, gap, &length, err));
    PDPR_TRY(pdpr_i_path_length_plain(a->ctx, a->g, &question, &plain, err));
    a->t->length[i] = length / question.num_pairs;
    a->t->plain[i] = fmin(plain / question.num_pairs, a->t->length[i]);
done:
    return s;
}

/* The questions' answers on a graph built at this locality. */
static pdpr_status try_locality(pdpr_context *ctx, const pdpr_i_bp_plan *plan,
                                const pdpr_i_bp_numbers *numbers,
                                const pdpr_i_build_targets *targets, const pdpr_i_stream *random,
                                const wish *wanted, trial *t, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_build_targets at = *targets;
    pdpr_i_stream stream = *random; /* the same graph at all localities, as far as possible */
    pdpr_graph *g = NULL;
    double distance;

    at.locality = t->locality;
    PDPR_TRY(pdpr_i_build(ctx, &at, &stream, &g, NULL, err));
    /* many nodes: distances differ less, and a search takes longer */
    PDPR_TRY(pdpr_i_mean_distance(ctx, g, g->num_nodes > LARGE ? SOURCES_LARGE : SOURCES, &distance,
                                  err));
    t->distance = log(fmax(distance, 1));
    if (wanted->asked) {
        const pdpr_i_path_window *w = numbers->window;
        bool same = w[0].horizon == w[1].horizon && w[0].floor == w[1].floor;
        asking a = {ctx, plan, numbers, g, t};
        PDPR_TRY(pdpr_i_parallel(ctx, same ? 1 : 2, ask, &a, err));
        if (same) {
            t->length[1] = t->length[0];
            t->plain[1] = t->plain[0];
        }
    }
done:
    pdpr_i_stream_wipe(&stream);
    pdpr_graph_free(g);
    return s;
}

static void read_answers(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers,
                         answer answers[2])
{
    for (uint32_t i = 0; i < 2; i++) {
        pdpr_i_bp_query query = i == 0 ? PDPR_I_BP_PATHS_1 : PDPR_I_BP_PATHS_2;
        pdpr_i_path_question question = pdpr_i_bp_path_question(plan, numbers->window[i], i);
        double pairs = question.num_pairs, horizon = question.horizon;
        double scale = (double)pdpr_i_bp_path_sensitivity(plan, numbers->window[i]) / 2 /
                       pdpr_i_bp_precision(plan, query) / pairs;
        double length = (double)numbers->paths[i] / 2 / pairs;
        length = fmin(fmax(length, pdpr_i_least_hops(question.floor)), horizon);
        answers[i].length = length;
        answers[i].horizon = horizon;
        answers[i].variance = 2 * scale * scale + pow(pair_scatter * length, 2) / pairs +
                              pow(joined_scatter * (horizon - length), 2);
    }
}

/* How much longer robust lengths of built graphs are for a mean distance e times as long: from the
 * first trial to one of distances about a third longer. */
static double slope_of(const trial *t, int count, int q)
{
    int k = 1;
    while (k + 1 < count && t[k].distance - t[0].distance < 0.3)
        k++;
    double farther = t[k].distance - t[0].distance;
    return farther > 0.05 ? fmax((t[k].length[q] - t[0].length[q]) / farther, 0) : 0;
}

double pdpr_i_bp_plane_part(double horizon, double mean)
{
    double h = fmin(horizon / mean, 3), z = h / 1.5; /* in mean distances, and in sides */
    double strip = h - 1 + pow(1 - h / 3, 3);
    double square =
        z < 1 ? z * z * z * (2.0 / 3 - z / 3 + z * z / 30) : z - 2.0 / 3 + pow(2 - z, 5) / 30;
    return 1.5 * square / strip;
}

/* Squared and in units of its variance; far out it grows as slowly as Laplace noise becomes rare,
 * so that one unlucky draw does not turn short paths into long ones. */
static double misfit_of(double off, double variance)
{
    double deviations = fabs(off) / sqrt(variance);
    return deviations < laplace_tail ? deviations * deviations
                                     : laplace_tail * (2 * deviations - laplace_tail);
}

/* The misfit of an answer where paths are long, with a built graph's lengths and mean distance. */
static double long_misfit(const answer *a, double length, double plain, double distance)
{
    double near = (a->horizon - plain) * pdpr_i_bp_plane_part(a->horizon, distance);
    double excess = bottlenecks * (length - plain);
    double expected = fmin(a->horizon - near + excess, a->horizon);
    return misfit_of(expected - a->length, a->variance + pow(plane_scatter * near, 2) +
                                               pow(bottleneck_scatter * excess, 2));
}

/* What lies between trials, interpolated. */
typedef struct {
    double locality, distance, misfit;
} place;

/* Trials are ascending. */
static void look_between(const trial *t, int count, const wish *wanted, place at[GRID + 1])
{
    double slope[2], low = t[0].locality, high = t[count - 1].locality;
    for (int q = 0; q < 2; q++)
        slope[q] = slope_of(t, count, q);
    for (int k = 0, i = 0; k <= GRID; k++) {
        double w = low + (high - low) * k / GRID;
        while (i + 2 < count && t[i + 1].locality < w)
            i++;
        double part = (w - t[i].locality) / (t[i + 1].locality - t[i].locality);
        double distance = t[i].distance + part * (t[i + 1].distance - t[i].distance);
        double misfit = pow((distance - wanted->distance) / distance_spread, 2);
        double as_long =
            pow((distance - wanted->long_distance) / long_paths.spread, 2) + long_paths.cost;
        for (int q = 0; q < 2 && wanted->asked; q++) {
            const answer *a = &wanted->answers[q];
            double length = t[i].length[q] + part * (t[i + 1].length[q] - t[i].length[q]);
            double plain = t[i].plain[q] + part * (t[i + 1].plain[q] - t[i].plain[q]);
            double with_hubs = fmin(plain + wanted->ways * (length - plain), a->horizon);
            misfit +=
                misfit_of(with_hubs - a->length, a->variance + pow(model_scatter * slope[q], 2));
            as_long += long_misfit(a, length, plain, exp(distance));
        }
        if (wanted->is_long && as_long < misfit)
            misfit = as_long;
        at[k] = (place){w, distance, misfit};
    }
}

/* The locality at which half of the posterior lies below, each distance counting by its inverse:
 * what has the least relative error to be expected. The likeliest one is at the least distance that
 * can be built in half of all runs where the truth is a little above. Nothing narrower can be
 * built, so where the truth is there too, the median leans to what is wider. */
static double best_locality(const trial *t, int count, const wish *wanted)
{
    place at[GRID + 1];
    double mass[GRID + 1] = {0}, least = INFINITY, farthest = t[0].distance, all = 0, up_to = 0;
    int found = 0;
    look_between(t, count, wanted, at);
    for (int k = 0; k <= GRID; k++)
        least = fmin(least, at[k].misfit);
    for (int k = 1; k <= GRID; k++) { /* by chance a step may lead back: then it counts for none */
        double middle = (at[k - 1].misfit + at[k].misfit) / 2, step = at[k].distance - farthest;
        farthest = fmax(farthest, at[k].distance);
        mass[k] = fmax(step, 0) * exp((least - middle) / 2 - (at[k].distance - t[0].distance));
        if (!isfinite(mass[k]))
            mass[k] = 0;
        all += mass[k];
    }
    while (found < GRID && up_to + mass[found] < all / 2)
        up_to += mass[found++];
    return at[found].locality;
}

pdpr_status pdpr_i_bp_fit_locality(pdpr_context *ctx, const pdpr_i_bp_plan *plan,
                                   const pdpr_i_bp_numbers *numbers,
                                   const pdpr_i_build_targets *targets, const pdpr_i_stream *random,
                                   double *locality, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    trial t[MOST_TRIES] = {{0}};
    int count = 0;
    wish wanted = {.asked = paths_were_asked(plan, numbers)};

    *locality = 0;
    if (pdpr_i_bp_noise_hides_width(plan, numbers))
        return PDPR_OK;
    if (wanted.asked) {
        wanted.is_long = pdpr_i_bp_paths_are_long(plan, numbers);
        wanted.ways = fitted_ways(plan, numbers, targets);
        read_answers(plan, numbers, wanted.answers);
    }
    for (int i = 0; i < FIRST_TRIES - !wanted.is_long; i++, count++) {
        t[count].locality = first_try[i];
        PDPR_TRY(try_locality(ctx, plan, numbers, targets, random, &wanted, &t[count], err));
    }
    wanted.long_distance = log(long_paths.of_root * sqrt(targets->num_nodes));
    wanted.distance = usual_distance(targets, t[0].distance);
    for (;;) {
        double w = best_locality(t, count, &wanted), nearest = 1;
        for (int i = 0; i < count; i++)
            nearest = fmin(nearest, fabs(t[i].locality - w));
        *locality = w;
        if (nearest < 0.01 || count == MOST_TRIES)
            break;
        int at = count++;
        for (; at > 0 && t[at - 1].locality > w; at--)
            t[at] = t[at - 1];
        t[at].locality = w;
        PDPR_TRY(try_locality(ctx, plan, numbers, targets, random, &wanted, &t[at], err));
    }
done:
    return s;
}
