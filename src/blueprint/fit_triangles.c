/* The number of triangles from two capped counts.
 *
 * A cap counts triangles at hubs only in part, so a capped count is too small where hubs carry
 * them. On real graphs of many kinds the counts rise with the cap c along a parabola in logarithms,
 *
 *     f(c) = T exp(-log(C / c)^2 / K) up to the cap C that hides nothing,
 *
 * with K about 12, less where nearly every node is above the first cap, and C about
 * pdpr_i_bp_triangle_end (docs/design/0017-fitting-under-noise.md). Two counts tell T and C,
 * neither of them well: the mean of the logarithm of T over all that is tried, each weighted by its
 * likelihood and priors. Where noise hides them, graphs have about 0.3 triangles a link, give or
 * take a factor of twenty. Cost: O(N), and 42,240 trials. */
#include "blueprint/fit_parts.h"

#include <math.h>

enum { NUMBERS = 96, ENDS = 40 };
static const double widths[] = {1.5, 2.5, 4, 6, 8, 10, 12, 15, 19, 24, 30}; /* K */
enum { WIDTHS = sizeof widths / sizeof *widths };
static const double width_spread = 0.35;                    /* spreads are of logarithms */
static const double widest_usual = 14, narrowest_usual = 1; /* no node at the first cap, all */
static const double end_spread = 0.8;
static const double usual_a_link = 0.3, number_spread = 3;
static const double model_error = 0.05; /* relative, of what the law lets through */
static const double most_times = 8;     /* of what was counted are tried */
static const double surely_there = 0.7; /* of a count less its noise */
static const double widest_range = 1e6; /* of numbers that are tried */
static const double beyond_usual = 3; /* how far the logarithm of the end may be above its usual */

/* One of the two counts. */
typedef struct {
    double log_cap, seen, deviation;
} capped_count;

static capped_count count_of(const pdpr_i_fitting *f, int i)
{
    pdpr_i_bp_query query = i == 0 ? PDPR_I_BP_TRIANGLES_1 : PDPR_I_BP_TRIANGLES_2;
    double cap = f->numbers->triangle_cap[i];
    return (capped_count){log(cap), (double)f->numbers->triangles[i] / 2,
                          pdpr_i_fit_deviation(f, query, cap + 0.5)};
}

/* The part that a cap lets through. */
static double let_through(double log_cap, double log_end, double width)
{
    return exp(-pdpr_i_square(fmax(log_end - log_cap, 0)) / width);
}

static double misfit_of(const capped_count *c, double told)
{
    return pdpr_i_square(told - c->seen) /
           (pdpr_i_square(c->deviation) + pdpr_i_square(model_error * told) + 1);
}

/* A mean weighted by exp(-misfit / 2), whatever the size of the misfits. */
typedef struct {
    double best, total, sum;
} likely_mean;

static void add_trial(likely_mean *m, double misfit, double value)
{
    if (misfit < m->best) {
        double shrink = exp((misfit - m->best) / 2); /* 0 at the first */
        m->total *= shrink;
        m->sum *= shrink;
        m->best = misfit;
    }
    double weight = exp((m->best - misfit) / 2);
    m->total += weight;
    m->sum += weight * value;
}

double pdpr_i_fit_triangles(const pdpr_i_fitting *f)
{
    const capped_count count[2] = {count_of(f, 0), count_of(f, 1)};
    double links = 0, wedges = 0, most = 0, triangles[NUMBERS], usual_end[NUMBERS];
    likely_mean mean = {.best = INFINITY};

    for (uint32_t u = 0; u < f->n; u++) {
        links += f->degree[u] / 2.0;
        wedges += f->degree[u] * (f->degree[u] - 1.0) / 2;
    }
    for (int i = 0; i < 2; i++)
        most = fmax(most, most_times * (count[i].seen + 2 * count[i].deviation));
    most = fmin(most, wedges / 3);
    if (!(most > 1))
        return 0;

    double least = fmax(most / widest_range, 1); /* what was counted is there, but for noise */
    for (int i = 0; i < 2; i++)
        least = fmax(least, surely_there * (count[i].seen - 5 * count[i].deviation));
    double log_low = log(fmax(fmin(least, most / 2), 1));
    double step = (log(most) - log_low) / (NUMBERS - 1);
    double end_low = count[0].log_cap - log(2), end_high = end_low; /* it hides nothing already */
    for (int i = 0; i < NUMBERS; i++) {
        triangles[i] = exp(log_low + i * step);
        usual_end[i] =
            fmax(end_low,
                 log(pdpr_i_bp_triangle_end(triangles[i] / f->n, 2 * links / f->n, f->degree[0])));
        end_high = fmax(end_high, usual_end[i] + beyond_usual);
    }
    double full = fmin(fmax(3 * count[0].seen / (f->n * exp(count[0].log_cap)), 0), 1);
    double usual_width = widest_usual + full * (narrowest_usual - widest_usual);
    for (int w = 0; w < WIDTHS; w++)
        for (int e = 0; e < ENDS; e++) {
            double end = end_low + e * (end_high - end_low) / (ENDS - 1);
            double part[2] = {let_through(count[0].log_cap, end, widths[w]),
                              let_through(count[1].log_cap, end, widths[w])};
            double cost = pdpr_i_square(log(widths[w] / usual_width) / width_spread);
            for (int i = 0; i < NUMBERS; i++) {
                double value = log_low + i * step;
                double misfit = cost + misfit_of(&count[0], triangles[i] * part[0]) +
                                misfit_of(&count[1], triangles[i] * part[1]) +
                                pdpr_i_square((value - log(usual_a_link * links)) / number_spread) +
                                pdpr_i_square((end - usual_end[i]) / end_spread);
                add_trial(&mean, misfit, value);
            }
        }
    return fmin(exp(mean.sum / mean.total), most);
}
