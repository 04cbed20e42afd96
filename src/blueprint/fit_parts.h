/* From noisy numbers to targets: what the fit_*.c files share. All of it is post-processing: plan,
 * released numbers and a public stream go in, never a graph. */
#ifndef PDPR_BLUEPRINT_FIT_PARTS_H
#define PDPR_BLUEPRINT_FIT_PARTS_H

#include "blueprint/blueprint.h"

typedef struct {
    pdpr_context *ctx;
    const pdpr_i_bp_plan *plan;
    const pdpr_i_bp_numbers *numbers;
    pdpr_i_stream *random;
    uint32_t n, theta;
    double noise;       /* scale of the histogram's noise */
    double *measured;   /* [theta]: nodes of projected degree <= k, as released, made monotone */
    double *simulated;  /* [theta]: the same of the last simulated projection */
    double *current;    /* [theta]: nodes of degree <= k, as fitted so far */
    double *wished;     /* [theta]: the projected curve that the fit shall have */
    uint32_t *degree;   /* [n], descending */
    bool no_isolated;   /* every node has a link, and hubs have none among themselves */
    double lost_leaves; /* then: the nodes that seem isolated, leaves of hubs beyond the cap */
    double least_hubs;  /* then: nodes that the curve leaves above the cap, at least */
    double clinging; /* then: by this power of its degree a node has fewer of its links at hubs */
    uint32_t *stub;  /* [stub_room]: link ends, workspace of the simulation */
    uint32_t *pair;  /* [stub_room]: two ends a link, in the order of the scan */
    uint64_t stub_room;
    uint32_t *kept, *kept_wide; /* [n] */
    double *matrix;             /* [(theta + 1)^2], workspace of the filter */
    double *vector;             /* [4 (theta + 1)], of the filter and the simulation */
} pdpr_i_fitting;

static inline double pdpr_i_square(double x)
{
    return x * x;
}

/* Standard deviation of an answer's noise: sensitivity over the query's precision, times sqrt 2. */
double pdpr_i_fit_deviation(const pdpr_i_fitting *f, pdpr_i_bp_query query, double sensitivity);

/* ---------------------------------------------------------------- simulation (fit_simulate.c) */

/* What a projection at both caps keeps. */
typedef struct {
    double edges, wide;
} pdpr_i_kept_edges;

/* Links of a random graph with f->degree, in random order, in f->pair; repeats may be among them,
 * and pairs of a node with itself. O(N + m). */
pdpr_status pdpr_i_fit_draw_pairs(pdpr_i_fitting *f, uint64_t *pairs, pdpr_error *err);
/* Projected degrees of a random graph with f->degree; fills f->simulated. O(N + m). */
pdpr_status pdpr_i_fit_simulate(pdpr_i_fitting *f, pdpr_i_kept_edges *out, pdpr_error *err);

/* ---------------------------------------------------------------- filter (fit_filter.c) */

/* Nearest non-decreasing sequence in [0, n], by pooling adjacent violators. */
void pdpr_i_make_monotone(double *x, uint32_t length, double n);

/* f->wished: the measured curve, drawn to f->simulated as far as noise may explain that they
 * differ. */
void pdpr_i_fit_filter(pdpr_i_fitting *f);

/* ---------------------------------------------------------------- degrees and their tail */

/* The tail above the cap: a cut Pareto law. */
typedef struct {
    double exponent; /* of the density */
    double cut;      /* largest degree */
    double share;    /* of the nodes that the curve leaves above the cap */
} pdpr_i_tail;

/* Tails that were looked at, each with its misfit. */
enum { PDPR_I_MOST_TAILS = 64 };
typedef struct {
    pdpr_i_tail tail[PDPR_I_MOST_TAILS];
    double misfit[PDPR_I_MOST_TAILS];
    uint32_t count, best;
} pdpr_i_tails;

/* f->degree from f->current below the cap and the tail above it. */
void pdpr_i_fit_curve_degrees(pdpr_i_fitting *f, const pdpr_i_tail *tail);
/* The tails that agree with the wider edge count and the indices, and the best of them
 * (fit_tail.c). */
pdpr_status pdpr_i_fit_tail(pdpr_i_fitting *f, pdpr_i_tails *out, pdpr_error *err);
/* f->degree with the mean of the tails, each weighted by its likelihood: the plain mean tells how
 * well all that was released is explained, the careful one, heavy tails less, is what is taken. */
pdpr_status pdpr_i_fit_mean_tail(pdpr_i_fitting *f, const pdpr_i_tails *tails, bool careful,
                                 pdpr_error *err);
/* The squared difference of the measured and the simulated curve, in units of noise and of what the
 * model errs by. */
double pdpr_i_fit_histogram_misfit(const pdpr_i_fitting *f);
/* What f->degree and its simulated projection miss of the wider count and the indices, squared and
 * in units of their noise. */
double pdpr_i_fit_tail_misfit(const pdpr_i_fitting *f, const pdpr_i_kept_edges *kept);

/* f->degree, descending (fit_degrees.c). */
pdpr_status pdpr_i_fit_degrees(pdpr_i_fitting *f, pdpr_error *err);

/* ---------------------------------------------------------------- the other targets */

/* Triangles, given f->degree (fit_triangles.c). */
double pdpr_i_fit_triangles(const pdpr_i_fitting *f);
/* Components with an edge beside the largest and their mean size, given f->degree; nothing else of
 * *out is touched (fit_components.c). */
pdpr_status pdpr_i_fit_components(pdpr_i_fitting *f, pdpr_i_build_targets *out, pdpr_error *err);
/* How little likely the forest's answer is with f->degree, as a squared difference in units of
 * noise; 0 if it was not asked. */
pdpr_status pdpr_i_fit_forest_misfit(pdpr_i_fitting *f, double *out, pdpr_error *err);

#endif
