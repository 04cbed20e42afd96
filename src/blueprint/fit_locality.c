/* The locality of the graphs to be built, from the released path lengths: post-processing.
 *
 * The released value is a robust one: on a graph with hubs it is far from the mean distance. So it
 * is not read as a distance. Graphs are built at a few localities from the targets fitted so far,
 * the same question is asked of them, and the locality is the one at which their answers agree with
 * the released ones, each weighted by its noise, with a weak prior that decides when noise is all
 * there is (most graphs have short paths). Answers between the localities tried are interpolated;
 * the best one found is tried itself before it is believed. Cost: six graphs built at most, and a
 * loose solution of each question on each. */
#include "blueprint/blueprint.h"

#include <math.h>

enum { FIRST_TRIES = 4, MOST_TRIES = 7, GRID = 100 };
static const double first_try[FIRST_TRIES] = {0.15, 0.35, 0.5, 0.65};
/* Weak priors. Which of the two holds is told by the horizons: the second is longer if the first
 * answer spoke of long paths. The ordinary one was chosen on the kinds of `privdpr generate` that
 * are for choosing; streets and Citeseer were looked at for the other constants of the path
 * queries (docs/results.md says so). What a run without the query uses is below the mean: too short
 * does less harm than too long. */
static const double unasked = 0.15;
static const struct {
    double mean, spread;
} ordinary = {0.22, 0.12}, long_paths = {0.57, 0.08};
/* Relative errors beside the noise: of a graph at a given locality, and of one pair. */
static const double build_scatter = 0.02, pair_scatter = 0.3;
/* How well the share of pairs that can be joined is known: a pair that cannot counts as L. */
static const double joined_scatter = 0.05;

typedef struct {
    double locality;
    double length[2]; /* mean robust length of a pair, for each question */
} trial;

typedef struct {
    double length; /* released, for a pair */
    double variance;
} answer;

/* The questions' answers on a graph built at this locality. */
static pdpr_status try_locality(pdpr_context *ctx, const pdpr_i_bp_plan *plan,
                                const pdpr_i_bp_numbers *numbers,
                                const pdpr_i_build_targets *targets, const pdpr_i_stream *random,
                                trial *t, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_build_targets at = *targets;
    pdpr_i_stream stream = *random; /* the same graph at all localities, as far as possible */
    pdpr_graph *g = NULL;

    at.locality = t->locality;
    PDPR_TRY(pdpr_i_build(ctx, &at, &stream, &g, NULL, err));
    for (uint32_t i = 0; i < 2; i++) {
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
        double scale = (double)pdpr_i_bp_path_sensitivity(numbers->horizon[i]) / 2 /
                       pdpr_i_bp_share(plan, query) / pairs;
        double length = (double)numbers->paths[i] / 2 / pairs;
        length = fmin(fmax(length, 1), numbers->horizon[i]);
        answers[i].length = length;
        answers[i].variance = 2 * scale * scale + pow(pair_scatter * length, 2) / pairs +
                              pow(build_scatter * length, 2) +
                              pow(joined_scatter * (numbers->horizon[i] - length), 2);
    }
}

/* The locality of least misfit, answers between trials interpolated. Trials are ascending. */
static double best_locality(const trial *t, int count, const answer answers[2], bool is_long)
{
    double best = INFINITY, found = unasked;
    double mean = is_long ? long_paths.mean : ordinary.mean;
    double spread = is_long ? long_paths.spread : ordinary.spread;
    for (int k = 0; k <= GRID; k++) {
        double low = t[0].locality, high = t[count - 1].locality;
        double w = low + (high - low) * k / GRID, misfit = pow((w - mean) / spread, 2);
        int i = 0;
        while (i + 2 < count && t[i + 1].locality < w)
            i++;
        double part = (w - t[i].locality) / (t[i + 1].locality - t[i].locality);
        for (int q = 0; q < 2; q++) {
            double length = t[i].length[q] + part * (t[i + 1].length[q] - t[i].length[q]);
            misfit += pow(length - answers[q].length, 2) / answers[q].variance;
        }
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
    trial t[MOST_TRIES];
    answer answers[2];
    int count = FIRST_TRIES;
    bool is_long = numbers->horizon[1] > numbers->horizon[0];

    *locality = unasked;
    if (!plan->share[PDPR_I_BP_PATHS_1].num || numbers->horizon[0] == 0 || numbers->horizon[1] == 0)
        return PDPR_OK;
    read_answers(plan, numbers, answers);
    for (int i = 0; i < count; i++) {
        t[i].locality = first_try[i];
        PDPR_TRY(try_locality(ctx, plan, numbers, targets, random, &t[i], err));
    }
    for (;;) {
        double w = best_locality(t, count, answers, is_long), nearest = 1;
        for (int i = 0; i < count; i++)
            nearest = fmin(nearest, fabs(t[i].locality - w));
        *locality = w;
        if (nearest < 0.02 || count == MOST_TRIES)
            break;
        int at = count++;
        for (; at > 0 && t[at - 1].locality > w; at--)
            t[at] = t[at - 1];
        t[at].locality = w;
        PDPR_TRY(try_locality(ctx, plan, numbers, targets, random, &t[at], err));
    }
done:
    return s;
}
