/* The number of triangles from two capped counts.
 *
 * A cap counts triangles at hubs only in part, so a capped count f is too small where hubs carry
 * them. How much it hides follows from the degrees and from where the corners fall. Triangles are
 * of two sorts: those that a random graph with these degrees has, whose corners fall on nodes in
 * proportion to d (d - 1), and the others, in groups, whose corners fall in proportion to d^p: p is
 * 1 where all links cluster alike, more where hubs know each other and less where leaves hang on
 * them. Taking any k nodes out leaves (1 - W_k)^3 of each sort, W_k the weight of the k, and each
 * of the k holds c at most: f <= c k + the rest, for every k, and the best k, among the largest
 * degrees, is near equality (linear programming duality).
 *
 * Both counts together tell p and the number, neither of them well: the mean of the logarithm over
 * all that is tried, each weighted by its likelihood, with weak priors for p and for a cap that
 * hides little. Of what the wider cap is found to hide a part is believed, since the degrees of the
 * hubs are a guess too. Cost: O(N), and some thousand passes over the hubs. */
#include "blueprint/fit_parts.h"

#include <math.h>

/* The largest degrees that are looked at: more hubs than any cap can hide behind. */
enum { MOST_HUBS = 4096, STEPS = 72 };
static const double powers[] = {0, 0.5, 1, 1.25, 1.5, 2, 2.5, 3};
enum { POWERS = sizeof powers / sizeof *powers };
/* Tried: from so many times fewer to so many times more than was counted. */
static const double fewest = 4, most = 6;
static const double usual_power = 1.5;    /* 1.25 to 2 on most real graphs with their own degrees */
static const double power_cost = 2;       /* in misfit, of a power that differs by one from it */
static const double hidden_spread = 1.5;  /* of the logarithm of what a cap hides */
static const double model_error = 0.1;    /* relative, of what a cap lets through */
static const double most_by_chance = 0.2; /* the formula for them runs away with the hubs */
static const double believed = 0.6;       /* of what a cap is found to hide, in logarithms */

/* What is left of the triangles of a sort without the k + 1 largest degrees. */
typedef struct {
    double chance[MOST_HUBS], groups[MOST_HUBS];
    uint32_t hubs;
    double by_chance;
} without_hubs;

/* For the corners of triangles by chance. */
static const double by_wedges = -1;

static double weigh(double degree, double power)
{
    return power == by_wedges ? degree * (degree - 1) : pow(degree, power);
}

/* left[k]: (1 - W_k)^3 for corners that fall in proportion to d^power, or to d (d - 1). */
static uint32_t take_out(const pdpr_i_fitting *f, double power, double *left)
{
    uint32_t k = 0;
    double all = 0, rest;
    for (uint32_t u = 0; u < f->n && f->degree[u] > 1; u++) /* degrees are descending */
        all += weigh(f->degree[u], power);
    rest = all;
    for (; k < f->n && k < MOST_HUBS && f->degree[k] > 1; k++) {
        rest = fmax(rest - weigh(f->degree[k], power), 0);
        left[k] = pow(rest / all, 3);
    }
    return k;
}

/* What a cap lets through of so many triangles. */
static double let_through(const without_hubs *w, double cap, double triangles)
{
    double least = triangles, chance = fmin(w->by_chance, most_by_chance * triangles);
    for (uint32_t k = 0; k < w->hubs && cap * (k + 1.0) < least; k++)
        least = fmin(least,
                     cap * (k + 1.0) + chance * w->chance[k] + (triangles - chance) * w->groups[k]);
    return least;
}

/* A number that was tried. */
typedef struct {
    double misfit; /* of both counts, in units of their noise and of what the model is worth */
    double told;   /* what the wider cap would let through of it */
} trial;

static trial try_number(const pdpr_i_fitting *f, const without_hubs *w, double triangles,
                        double power)
{
    trial t = {.misfit = power_cost * fabs(power - usual_power)};
    for (int i = 0; i < 2; i++) {
        pdpr_i_bp_query query = i == 0 ? PDPR_I_BP_TRIANGLES_1 : PDPR_I_BP_TRIANGLES_2;
        double cap = f->numbers->triangle_cap[i], seen = (double)f->numbers->triangles[i] / 2;
        t.told = let_through(w, cap, triangles);
        t.misfit += pdpr_i_square(t.told - seen) /
                    (pdpr_i_square(pdpr_i_fit_deviation(f, query, cap + 0.5)) +
                     pdpr_i_square(model_error * t.told) + 1);
    }
    t.misfit += pdpr_i_square(log(triangles / t.told) / hidden_spread);
    return t;
}

double pdpr_i_fit_triangles(const pdpr_i_fitting *f)
{
    without_hubs w;
    trial tried[POWERS][STEPS];
    double ends = 0, wedges = 0, best = INFINITY, total = 0, sum = 0;
    double seen = fmax((double)f->numbers->triangles[0], (double)f->numbers->triangles[1]) / 2;
    for (uint32_t u = 0; u < f->n && f->degree[u] > 1; u++) {
        ends += f->degree[u];
        wedges += weigh(f->degree[u], by_wedges); /* each from both sides */
    }
    if (!(seen > 1 && wedges > 6))
        return 0;

    double low = log(seen / fewest), step = log(fewest * most) / (STEPS - 1);
    w.by_chance = pow(wedges / ends, 3) / 6; /* Newman 2003, for the configuration model */
    w.hubs = take_out(f, by_wedges, w.chance);
    for (int i = 0; i < POWERS; i++) {
        (void)take_out(f, powers[i], w.groups);
        for (int j = 0; j < STEPS; j++) {
            tried[i][j] = try_number(f, &w, exp(low + j * step), powers[i]);
            best = fmin(best, tried[i][j].misfit);
        }
    }
    for (int i = 0; i < POWERS; i++)
        for (int j = 0; j < STEPS; j++) {
            double weight = exp((best - tried[i][j].misfit) / 2), told = log(tried[i][j].told);
            total += weight;
            sum += weight * (told + believed * (low + j * step - told));
        }
    return fmin(exp(sum / total), wedges / 6);
}
