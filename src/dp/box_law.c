/* The law of box noise, for whoever reads what was released: how wide it is.
 *
 * Given its level an integer is uniform in -side..side, so its variance is side (side + 1) / 3 and
 * P(|Z| > k) = 2 (side - k) / (2 side + 1), averaged over levels. Where the rate is small, levels
 * are taken in strides: the sum is then an integral by the trapezoidal rule. Public numbers only.
 */
#include "dp/box_noise.h"

#include <math.h>

static const double finest = 256;  /* levels at least, for a rate of 1 in their sum */
static const double lightest = 60; /* weights below exp(-60) of the largest are left out */

typedef struct {
    const pdpr_i_box *box;
    uint64_t stride, end;
    double rate, heaviest; /* the latter: the largest logarithm of a weight */
} levels;

static double side_of(const pdpr_i_box *box, uint32_t i, uint64_t level)
{
    return (double)pdpr_i_box_side(box, i, level);
}

static double log_weight(const levels *x, uint64_t level)
{
    double sum = -x->rate * (double)level;
    for (uint32_t i = 0; i < x->box->count; i++)
        sum += log(2 * side_of(x->box, i, level) + 1);
    return sum;
}

static levels levels_of(const pdpr_i_box *box)
{
    double rate = (double)box->rate.num / (double)box->rate.den, per_rate = 1 / (rate * finest);
    levels x = {.box = box, .stride = per_rate > 1 ? (uint64_t)per_rate : 1, .rate = rate};
    x.heaviest = log_weight(&x, 0);
    for (;; x.end += x.stride) { /* beyond the mode, (d + 1) / rate at most, weights fall */
        double weight = log_weight(&x, x.end);
        x.heaviest = fmax(x.heaviest, weight);
        if (rate * (double)x.end > box->count + 1 && weight < x.heaviest - lightest)
            break;
    }
    return x;
}

/* P(|Z_i| > k). */
static double beyond_of(const levels *x, uint32_t i, double k)
{
    double sum = 0, total = 0;
    for (uint64_t level = 0; level <= x->end; level += x->stride) {
        double weight = exp(log_weight(x, level) - x->heaviest), side = side_of(x->box, i, level);
        total += weight;
        if (side > k)
            sum += weight * 2 * (side - k) / (2 * side + 1);
    }
    return sum / total;
}

double pdpr_i_box_deviation(const pdpr_i_box *box, uint32_t i)
{
    levels x = levels_of(box);
    double sum = 0, total = 0;
    for (uint64_t level = 0; level <= x.end; level += x.stride) {
        double weight = exp(log_weight(&x, level) - x.heaviest), side = side_of(box, i, level);
        total += weight;
        sum += weight * side * (side + 1) / 3;
    }
    return sqrt(sum / total);
}

double pdpr_i_box_half_width(const pdpr_i_box *box, uint32_t i, double beyond)
{
    levels x = levels_of(box);
    double low = -1,
           high = side_of(box, i, x.end); /* beyond `low` is too much, beyond `high` not */
    for (;;) {
        double middle = floor((low + high) / 2);
        if (middle <= low || middle >= high) /* next to each other, as doubles */
            break;
        if (beyond_of(&x, i, middle) > beyond)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double pdpr_i_box_widening(uint32_t count)
{
    return sqrt((count + 1.0) * (count + 2.0) / 6);
}
