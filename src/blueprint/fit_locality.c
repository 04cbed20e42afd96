/* The locality of the graphs to be built, from the released path lengths: post-processing.
 *
 * The released value is a robust one: on a graph with hubs it is far from the mean distance. So it
 * is not read as a distance. Graphs are built at a few localities from the targets fitted so far,
 * the same question is asked of them, and the locality is the one at which their answers agree with
 * the released ones, each weighted by its noise. A prior decides when noise is all there is, or
 * nothing was asked. It speaks of the mean distance of the built graph, not of the locality, which
 * changes nothing up to a third and everything above a half: distances of most graphs lie between
 * that of a graph matched at random with the same degrees, triangles and components, which is built
 * anyway, and that of a random graph with as many links, which has no hubs. What lies between the
 * localities tried is interpolated; the best one found is tried itself before it is believed.
 * Built graphs with long paths are strips, originals lie on a plane (streets, pipes), where fewer
 * pairs are near: what their answers fall short of the horizon is corrected by geometry.
 * Cost: eight graphs built at most, and a loose solution of each question on each. */
#include "blueprint/blueprint.h"

#include <math.h>

enum {
    FIRST_TRIES = 4,
    MOST_TRIES = 8,
    GRID = 200,
    SOURCES = 48,
    SOURCES_LARGE = 12,
    LARGE = 100000
};
static const double first_try[FIRST_TRIES] = {0, 0.35, 0.5, 0.65};
/* Spread of the logarithm of the mean distance around the prior. */
static const double distance_spread = 0.2;
/* When the answers speak of long paths, it is streets and pipes, or it was noise: each case has its
 * prior and its way of reading the answers, and the better one holds. This one has a cost: most
 * graphs have short paths, and to take them for long ones is the worse mistake; half of the cost
 * makes up for its wider spreads. Mean distances on a plane grow with the square root of the number
 * of nodes. */
static const struct {
    double of_root, spread, cost;
} long_paths = {0.38, 0.35, 6};
/* Real graphs have fewer ways round their hubs than built ones of the same mean distance, unless
 * paths are long: their robust length is more by so many times the logarithm of how uneven degrees
 * are (fitted_ways). */
static const double ways_round = 0.15, most_ways = 1.5;
/* Relative errors beside the noise: of the robust length of a graph with a given mean distance, of
 * one with long paths, where bottlenecks lengthen it, and of one pair. */
static const double build_scatter = 0.1, long_scatter = 0.15, pair_scatter = 0.3;
/* How well the share of pairs that can be joined is known: a pair that cannot counts as L. */
static const double joined_scatter = 0.05;

typedef struct {
    double locality;
    double distance;  /* logarithm of the mean */
    double joined;    /* share of the pairs of nodes between which there is a path */
    double length[2]; /* mean robust length of a pair, for each question */
} trial;

typedef struct {
    double length;                  /* released, for a pair */
    double variance, long_variance; /* the second where paths are long */
    double horizon;
} answer;

/* What the trials are compared with. */
typedef struct {
    bool asked, is_long;
    answer answers[2];
    double ways; /* robust length of a real graph, in those of a built one of its mean distance */
    double distance, long_distance; /* logarithms of the mean, by the priors */
} wish;

/* From N sum d^2 / (sum d)^2: 1 where all degrees are the same, 2.5 on Citeseer, 4 and more where
 * hubs have most links. */
static double fitted_ways(const pdpr_i_build_targets *targets)
{
    double ends = 0, squares = 0;
    for (uint32_t u = 0; u < targets->num_nodes; u++) {
        ends += targets->degree[u];
        squares += (double)targets->degree[u] * targets->degree[u];
    }
    double uneven = ends > 0 ? targets->num_nodes * squares / (ends * ends) : 1;
    return fmin(1 + ways_round * log(fmax(uneven, 1)), most_ways);
}

/* Mean distance of a random graph (Fronczak et al. 2004), also of one that is barely connected. */
static double random_distance(const pdpr_i_build_targets *targets)
{
    double ends = 0, n = targets->num_nodes;
    for (uint32_t u = 0; u < targets->num_nodes; u++)
        ends += targets->degree[u];
    double mean_degree = fmax(ends / n, 1.5);
    return (log(n) - 0.5772) / log(mean_degree) + 0.5;
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
                                  &t->joined, err));
    t->distance = log(fmax(distance, 1));
    for (uint32_t i = 0; i < 2 && wanted->asked; i++) {
        if (i == 1 && numbers->horizon[1] == numbers->horizon[0]) {
            t->length[1] = t->length[0];
            break;
        }
        pdpr_i_path_question question = pdpr_i_bp_path_question(plan, numbers->horizon[i], i);
        double gap = 0.015 * question.num_pairs * question.horizon;
        PDPR_TRY(pdpr_i_path_length_about(ctx, g, &question, gap, &t->length[i], err));
        t->length[i] /= question.num_pairs;
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
        pdpr_i_path_question question = pdpr_i_bp_path_question(plan, numbers->horizon[i], i);
        double pairs = question.num_pairs;
        double scale = (double)pdpr_i_bp_path_sensitivity(plan, numbers->horizon[i]) / 2 /
                       pdpr_i_bp_share(plan, query) / pairs;
        double length = (double)numbers->paths[i] / 2 / pairs;
        length = fmin(fmax(length, 1), numbers->horizon[i]);
        answers[i].length = length;
        answers[i].horizon = numbers->horizon[i];
        double rest = 2 * scale * scale + pow(pair_scatter * length, 2) / pairs +
                      pow(joined_scatter * (numbers->horizon[i] - length), 2);
        answers[i].variance = rest + pow(build_scatter * length, 2);
        answers[i].long_variance = rest + pow(long_scatter * length, 2);
    }
}

/* Robust length of a real graph that has the mean distance of a trial, from that of the trial:
 * pairs that cannot be joined count as the horizon in both. */
static double lengthened(double length, double joined, double horizon, double ways)
{
    double apart = (1 - joined) * horizon;
    return fmin(apart + ways * fmax(length - apart, 0), horizon);
}

double pdpr_i_bp_plane_part(double horizon, double mean)
{
    double h = fmin(horizon / mean, 3), z = h / 1.5; /* in mean distances, and in sides */
    double strip = h - 1 + pow(1 - h / 3, 3);
    double square =
        z < 1 ? z * z * z * (2.0 / 3 - z / 3 + z * z / 30) : z - 2.0 / 3 + pow(2 - z, 5) / 30;
    return 1.5 * square / strip;
}

/* The locality of least misfit, what lies between trials interpolated. Trials are ascending. */
static double best_locality(const trial *t, int count, const wish *wanted)
{
    double best = INFINITY, found = 0;
    for (int k = 0; k <= GRID; k++) {
        double low = t[0].locality, high = t[count - 1].locality;
        double w = low + (high - low) * k / GRID;
        int i = 0;
        while (i + 2 < count && t[i + 1].locality < w)
            i++;
        double part = (w - t[i].locality) / (t[i + 1].locality - t[i].locality);
        double distance = t[i].distance + part * (t[i + 1].distance - t[i].distance);
        double misfit = pow((distance - wanted->distance) / distance_spread, 2);
        double as_long =
            pow((distance - wanted->long_distance) / long_paths.spread, 2) + long_paths.cost;
        for (int q = 0; q < 2 && wanted->asked; q++) {
            double length = t[i].length[q] + part * (t[i + 1].length[q] - t[i].length[q]);
            double joined = t[i].joined + part * (t[i + 1].joined - t[i].joined);
            double horizon = wanted->answers[q].horizon;
            double with_hubs = lengthened(length, joined, horizon, wanted->ways);
            double on_plane =
                horizon - (horizon - length) * pdpr_i_bp_plane_part(horizon, exp(distance));
            misfit += pow(with_hubs - wanted->answers[q].length, 2) / wanted->answers[q].variance;
            as_long +=
                pow(on_plane - wanted->answers[q].length, 2) / wanted->answers[q].long_variance;
        }
        if (wanted->is_long && as_long < misfit)
            misfit = as_long;
        if (misfit < best) {
            best = misfit;
            found = w;
        }
    }
    return found;
}

pdpr_status pdpr_i_bp_fit_locality(pdpr_context *ctx, const pdpr_i_bp_plan *plan,
                                   const pdpr_i_bp_numbers *numbers,
                                   const pdpr_i_build_targets *targets, const pdpr_i_stream *random,
                                   double *locality, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    trial t[MOST_TRIES] = {{0}};
    int count = 0;
    wish wanted = {.asked = plan->share[PDPR_I_BP_PATHS_1].num && numbers->horizon[0] > 0 &&
                            numbers->horizon[1] > 0};

    if (wanted.asked) {
        wanted.is_long = pdpr_i_bp_paths_are_long(plan, numbers);
        wanted.ways = fitted_ways(targets);
        read_answers(plan, numbers, wanted.answers);
    }
    for (int i = 0; i < FIRST_TRIES; i++, count++) {
        t[count].locality = first_try[i];
        PDPR_TRY(try_locality(ctx, plan, numbers, targets, random, &wanted, &t[count], err));
    }
    double at_random = t[0].distance, without_hubs = log(random_distance(targets));
    wanted.long_distance = log(long_paths.of_root * sqrt(targets->num_nodes));
    wanted.distance = fmax(at_random, (at_random + without_hubs) / 2);
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
