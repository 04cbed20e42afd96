/* The inverse of a falling curve that is known by upper bounds.
 *
 * A bracket bad < ok is kept: at `ok` the bound was seen to be at most delta, at `bad` it was not.
 * Only tested points become `ok`, so the answer keeps the promise however the next point is chosen.
 * The choice is for speed: false position (Illinois variant) on y = sqrt(-2 ln delta), which is
 * nearly straight in epsilon and in sigma = 1/mu because both scale the argument of a Gaussian
 * tail. Every eighth point halves the bracket, which bounds the number of points whatever the
 * curve.
 *
 * Cost: about ten evaluations of the curve. */
#include "dp/gdp.h"

#include <math.h>

typedef struct {
    double x;
    bool kept;   /* the bound at x is at most delta: the only thing that decides */
    double miss; /* y at the target minus y at x: a weight in the choice of points */
} point;

typedef struct {
    pdpr_i_gdp_curve curve;
    void *model;
    double delta;
    mpfr_t rough, fine;
} search;

/* ln(bound / delta): -infinity if the bound is 0. */
static double excess_of(const search *s, const mpfr_t bound)
{
    mpfr_t ratio;
    mpfr_init2(ratio, PDPR_I_GDP_BITS);
    mpfr_div_d(ratio, bound, s->delta, MPFR_RNDN);
    mpfr_log(ratio, ratio, MPFR_RNDN);
    double excess = mpfr_get_d(ratio, MPFR_RNDN);
    mpfr_clear(ratio);
    return excess;
}

static point probe(search *s, double x)
{
    /* A coarse bound is a bound; it is worth another only when it comes close. */
    s->curve(s->model, x, s->rough);
    bool kept = mpfr_cmp_d(s->rough, s->delta) <= 0;
    double excess = excess_of(s, s->rough);
    if (fabs(excess) < 0x1p-24) {
        s->curve(s->model, x, s->fine);
        kept = mpfr_cmp_d(s->fine, s->delta) <= 0;
        excess = excess_of(s, s->fine);
    }
    double target = -log(s->delta);
    double miss = 2 * excess / (sqrt(2 * target) + sqrt(2 * fmax(target - excess, 0)));
    return (point){x, kept, fmax(miss, -1e3)};
}

static double close_bracket(search *s, point bad, point ok)
{
    int side = 0; /* which end moved last: -1 ok, +1 bad */
    for (unsigned round = 1; ok.x - bad.x > ok.x * 0x1p-50; round++) {
        double gap = ok.x - bad.x, least = ok.x * 0x1p-52;
        double x = ok.x + gap * (ok.miss / (bad.miss - ok.miss));
        if (round % 8 == 0 || !(x >= bad.x && x <= ok.x))
            x = bad.x + gap / 2;
        x = fmax(fmin(x, ok.x - least), bad.x + least);

        point p = probe(s, x);
        if (p.kept) {
            ok = p;
            bad.miss /= side < 0 ? 2 : 1;
            side = -1;
        } else {
            bad = p;
            ok.miss /= side > 0 ? 2 : 1;
            side = 1;
        }
    }
    return ok.x;
}

double pdpr_i_gdp_smallest(pdpr_i_gdp_curve curve, void *model, double delta, double start)
{
    search s = {.curve = curve, .model = model, .delta = delta};
    double found = 0;
    mpfr_init2(s.rough, PDPR_I_GDP_ROUGH_BITS);
    mpfr_init2(s.fine, PDPR_I_GDP_BITS);

    point bad = probe(&s, 0);
    if (!bad.kept) {
        point ok = probe(&s, start);
        while (!ok.kept && ok.x < 0x1p60) {
            bad = ok;
            ok = probe(&s, 2 * ok.x);
        }
        found = ok.kept ? close_bracket(&s, bad, ok) : INFINITY;
    }
    mpfr_clears(s.rough, s.fine, (mpfr_ptr)0);
    return found;
}
