/* Noise taken out of the degree curve: a Wiener filter around a simulated curve.
 *
 * What the measured curve is above the simulated one, r(k), is taken for a Gaussian process with
 * covariance A^2 exp(-|x - x'| / L) in x = log(k + 1): neighbouring degrees depart alike, the more
 * so the higher they are. The released bins observe it with their noise, and the edge count
 * observes its sum: 2 m = sum over k of (N - C(k)). The posterior mean is averaged over a grid of
 * (A, L), each weighted by the likelihood of what was released (empirical Bayes), A = 0 among them:
 * a curve that is all noise leaves the simulated one as it is, a clear one is followed bin by bin.
 * Where leaves of hubs are sought among nodes that seem isolated, the first bins depart far from
 * the simulated curve and the many last ones do not: there A is taken to follow the deviation of an
 * empirical distribution, the root of C (1 - C).
 * Cost: one Cholesky factorisation of size theta + 1 (at most 257) for each of 16 processes. */
#include "blueprint/fit_parts.h"

#include <math.h>
#include <string.h>

enum { AMPLITUDES = 5, LENGTHS = 3 };
static const double amplitudes[AMPLITUDES] = {0.003, 0.01, 0.03, 0.1, 0.3}; /* of N */
static const double lengths[LENGTHS] = {0.2, 0.7, 2.5};
/* The first bins of a simulated curve may be empty and still depart, and the last ones full. */
static const double least_below = 0.1, least_above = 0.01;

void pdpr_i_make_monotone(double *x, uint32_t length, double n)
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

/* Prior covariance of bins i and j; index theta is minus the sum of all bins. */
typedef struct {
    double amplitude, length;
    const double *shape; /* [theta]: of the amplitude */
} process;

static double bins_covariance(const process *p, uint32_t i, uint32_t j)
{
    double apart = fabs(log(i + 1.0) - log(j + 1.0));
    return p->shape[i] * p->shape[j] * pdpr_i_square(p->amplitude) * exp(-apart / p->length);
}

static double shape_at(const pdpr_i_fitting *f, uint32_t k)
{
    double below = f->simulated[k] / f->n;
    return f->no_isolated ? sqrt(fmin(below + least_below, 1) * fmax(1 - below, least_above)) : 1;
}

/* Lower triangle of the covariance of the observations, noise included. */
static void fill_covariance(const pdpr_i_fitting *f, const process *p, double edges_variance)
{
    uint32_t t = f->theta, size = t + 1;
    double *last = f->matrix + (uint64_t)t * size;
    double total = 0;
    memset(last, 0, size * sizeof *last);
    for (uint32_t i = 0; i < t; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double c = bins_covariance(p, i, j);
            f->matrix[(uint64_t)i * size + j] = c;
            last[i] -= c;
            last[j] -= i == j ? 0 : c;
            total += i == j ? c : 2 * c;
        }
    last[t] = total + edges_variance;
    for (uint32_t i = 0; i < t; i++)
        f->matrix[(uint64_t)i * size + i] += 2 * pdpr_i_square(f->noise);
}

/* In place; the matrix is positive definite thanks to the noise. Returns log of the determinant. */
static double factorise(double *a, uint32_t size)
{
    double log_determinant = 0;
    for (uint32_t i = 0; i < size; i++) {
        double *row = a + (uint64_t)i * size;
        for (uint32_t j = 0; j <= i; j++) {
            const double *other = a + (uint64_t)j * size;
            double sum = row[j];
            for (uint32_t k = 0; k < j; k++)
                sum -= row[k] * other[k];
            row[j] = i == j ? sqrt(sum > 1e-12 ? sum : 1e-12) : sum / other[j];
        }
        log_determinant += 2 * log(row[i]);
    }
    return log_determinant;
}

/* x := L^-1 x, or with `back` L^-T x. */
static void solve(const double *a, uint32_t size, bool back, double *x)
{
    if (!back)
        for (uint32_t i = 0; i < size; i++) {
            for (uint32_t k = 0; k < i; k++)
                x[i] -= a[(uint64_t)i * size + k] * x[k];
            x[i] /= a[(uint64_t)i * size + i];
        }
    else
        for (uint32_t i = size; i-- > 0;) {
            x[i] /= a[(uint64_t)i * size + i];
            for (uint32_t k = 0; k < i; k++)
                x[k] -= a[(uint64_t)i * size + k] * x[i];
        }
}

/* Posterior mean of bin i given the solved observations. */
static double posterior(const pdpr_i_fitting *f, const process *p, const double *solved, uint32_t i)
{
    double sum = 0;
    for (uint32_t j = 0; j < f->theta; j++)
        sum += bins_covariance(p, i, j) * (solved[j] - solved[f->theta]);
    return sum;
}

void pdpr_i_fit_filter(pdpr_i_fitting *f)
{
    uint32_t t = f->theta, size = t + 1;
    double *seen = f->vector, *solved = seen + size, *mean = solved + size, *shape = mean + size;
    double from_simulation = 0, total = 0, best = -INFINITY;
    double edges_variance = 4 * pdpr_i_square(pdpr_i_fit_deviation(f, PDPR_I_BP_EDGES, f->theta));

    for (uint32_t k = 0; k < t; k++) {
        seen[k] = f->measured[k] - f->simulated[k];
        from_simulation += f->n - f->simulated[k];
        mean[k] = 0;
        shape[k] = shape_at(f, k);
    }
    seen[t] = 2 * (double)f->numbers->edges - from_simulation;
    for (int i = -1; i < AMPLITUDES * LENGTHS; i++) {
        process p = {i < 0 ? 0 : amplitudes[i / LENGTHS] * f->n, lengths[i < 0 ? 0 : i % LENGTHS],
                     shape};
        fill_covariance(f, &p, edges_variance);
        double likelihood = -0.5 * factorise(f->matrix, size);
        memcpy(solved, seen, size * sizeof *seen);
        solve(f->matrix, size, false, solved);
        for (uint32_t k = 0; k < size; k++)
            likelihood -= 0.5 * pdpr_i_square(solved[k]);
        solve(f->matrix, size, true, solved);
        if (likelihood > best) { /* keep the largest weight at 1 */
            double shrink = exp(best - likelihood);
            for (uint32_t k = 0; k < t; k++)
                mean[k] *= shrink;
            total *= shrink;
            best = likelihood;
        }
        double weight = exp(likelihood - best);
        for (uint32_t k = 0; k < t; k++)
            mean[k] += weight * posterior(f, &p, solved, k);
        total += weight;
    }
    for (uint32_t k = 0; k < t; k++)
        f->wished[k] = f->simulated[k] + mean[k] / total;
    pdpr_i_make_monotone(f->wished, t, f->n);
}
