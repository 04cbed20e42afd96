/* The blueprint: measure a few numbers of a graph under node-level privacy, then build graphs that
 * have them.
 *
 *     plan      from N and epsilon alone: which queries, in which rounds, at what cost
 *     measure   private side: every number goes through src/dp/barrier.h
 *     fit       public side: noisy numbers to targets
 *     build     public side: targets to a graph (build.h) */
#ifndef PDPR_BLUEPRINT_BLUEPRINT_H
#define PDPR_BLUEPRINT_BLUEPRINT_H

#include "blueprint/build.h"
#include "blueprint/measure_path_length.h"
#include "dp/barrier.h"
#include "dp/box_noise.h"
#include "dp/certificate.h"
#include "graph/graph.h"

/* The queries. */
typedef enum {
    PDPR_I_BP_THETA,       /* selection of a cap well above the mean degree */
    PDPR_I_BP_HISTOGRAM,   /* cumulative histogram of projected degrees */
    PDPR_I_BP_EDGES,       /* projected edges at the cap */
    PDPR_I_BP_EDGES_WIDE,  /* projected edges at a wider cap, after both indices */
    PDPR_I_BP_INDEX_LOW,   /* where the degree curve meets the diagonal; before the histogram */
    PDPR_I_BP_INDEX_HIGH,  /* and the diagonal shifted by twice the cap; after the edges */
    PDPR_I_BP_TRIANGLES_1, /* triangles, at most theta a node */
    PDPR_I_BP_TRIANGLES_2, /* triangles, the cap chosen from the first answer */
    PDPR_I_BP_FOREST,      /* spanning forest, at most six edges a node, or more if N is large */
    PDPR_I_BP_PATHS_1,     /* robust path length up to a horizon */
    PDPR_I_BP_PATHS_2,     /* again, the horizon chosen from the first answer */
    PDPR_I_BP_QUERIES
} pdpr_i_bp_query;

/* The charges, in the order in which they are spent. A round is several queries that are asked at
 * once and get noise together (dp/box_noise.h). */
typedef enum {
    PDPR_I_BP_SELECTION, /* theta */
    PDPR_I_BP_ROUND_1,   /* index_low, forest */
    PDPR_I_BP_CURVE,     /* histogram */
    PDPR_I_BP_ROUND_2,   /* edges, index_high */
    PDPR_I_BP_ROUND_3,   /* edges_wide, triangles_1, paths_1 */
    PDPR_I_BP_ROUND_4,   /* triangles_2, paths_2 */
    PDPR_I_BP_CHARGES
} pdpr_i_bp_charge;

enum { PDPR_I_BP_MOST_THETAS = 24, PDPR_I_BP_MOST_THETA = 256 };

const char *pdpr_i_bp_query_name(pdpr_i_bp_query query);
const char *pdpr_i_bp_charge_name(pdpr_i_bp_charge charge);
/* Which charge pays for a query. */
pdpr_i_bp_charge pdpr_i_bp_charge_of(pdpr_i_bp_query query);

/* A function of N and epsilon alone. */
typedef struct {
    uint32_t num_nodes;
    double epsilon;                             /* of a plan as made: the sum of the charges */
    bool asks[PDPR_I_BP_QUERIES];               /* which queries are made */
    pdpr_i_ratio charge[PDPR_I_BP_CHARGES];     /* epsilon of each; num = 0: nothing is asked */
    uint32_t theta_grid[PDPR_I_BP_MOST_THETAS]; /* candidates for the cap, then wider ones */
    uint32_t num_thetas;                        /* candidates */
    uint32_t num_grid;                          /* all of the grid */
    uint64_t public_seed;                       /* of the projection's order */
} pdpr_i_bp_plan;

/* Errors: PDPR_EUSAGE (fewer than 2 nodes, epsilon outside 0.001..50). */
pdpr_status pdpr_i_bp_plan_make(uint32_t num_nodes, double epsilon, pdpr_i_bp_plan *out,
                                pdpr_error *err);
/* The queries that a charge pays for, in the order of their answers; returns how many. Without a
 * list they are counted only. */
uint32_t pdpr_i_bp_asked_together(const pdpr_i_bp_plan *plan, pdpr_i_bp_charge charge,
                                  pdpr_i_bp_query asked[PDPR_I_BOX_MOST]);
/* How precise a query is: the epsilon at which Laplace noise would be as wide as the query's noise
 * is, or a little wider where the charge is above 1 or so. It is the charge's where that pays for
 * nothing else, and 0 where the query is not made. Rounded alike everywhere. */
double pdpr_i_bp_precision(const pdpr_i_bp_plan *plan, pdpr_i_bp_query query);

/* The plan without a query, the others as precise as before and none at more cost: for releases of
 * earlier versions and for experiments. */
void pdpr_i_bp_leave_out(pdpr_i_bp_plan *plan, pdpr_i_bp_query query);

/* What was released: noisy integers and the public numbers that they belong to. */
typedef struct {
    uint32_t theta, wide; /* caps */
    uint32_t triangle_cap[2];
    int64_t edges, edges_wide;
    int64_t index_low, index_high; /* shifts 0 and 2 theta */
    int64_t triangles[2];          /* in halves */
    int64_t forest;                /* in halves; only if the plan asks for it */
    pdpr_i_path_window window[2];  /* of the path lengths; horizon 0 if the plan does not ask */
    int64_t paths[2];              /* in halves */
    int64_t *cumulative;           /* [theta] */
} pdpr_i_bp_numbers;

void pdpr_i_bp_numbers_clear(pdpr_i_bp_numbers *numbers);

/* Makes every query of the plan on the undirected graph g. The meter is open and has the plan's
 * charges.
 *
 * Neighbours:    undirected graphs on the same N nodes that differ in the edges at one node.
 * Precondition:  the plan is a function of N and epsilon.
 * Guarantee:     each charge's release is epsilon_i-DP given the earlier answers, so all together
 *                are epsilon-DP.
 * Proof:         docs/proofs/blueprint.md, Theorem 1.
 * Rounding:      integers only; solved values enter as certified intervals.
 *
 * Errors: those of the measurements and of the barrier. */
pdpr_status pdpr_i_bp_measure(pdpr_context *ctx, const pdpr_graph *g, const pdpr_i_bp_plan *plan,
                              pdpr_i_meter *meter, pdpr_i_bp_numbers *out, pdpr_error *err);

/* To be called before the meter is opened: fails where the forest's solver would run out of memory,
 * while nothing is spent. Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_bp_find_room(pdpr_context *ctx, const pdpr_graph *g, const pdpr_i_bp_plan *plan,
                                pdpr_error *err);

/* What a cap loses in the selection of theta, with `edges` projected edges at it: how far edges /
 * cap is from N / 5, both rounded down. Edges move by at most the cap between neighbours, so the
 * loss of each cap moves by at most 1. */
int64_t pdpr_i_bp_cap_loss(uint32_t num_nodes, uint64_t edges, uint32_t cap);

/* The place in the grid of the wider cap, from N, epsilon and numbers released before: theta, edges
 * and both indices. */
uint32_t pdpr_i_bp_wide_cap(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers);

/* The caps of both triangle counts, from N, epsilon and numbers released before: the first from
 * theta and the edges, the second also from the degrees and the first count. */
uint32_t pdpr_i_bp_first_triangle_cap(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers);
uint32_t pdpr_i_bp_second_triangle_cap(const pdpr_i_bp_plan *plan,
                                       const pdpr_i_bp_numbers *numbers);

/* How far apart the certified bounds of a capped triangle count may be, in halves: one and a 32nd
 * of the cap. Noise is in proportion to the cap, and the last per cents take the solver longest. */
uint64_t pdpr_i_bp_triangle_gap(uint32_t cap);
/* Edges that the forest may have at a node: six, more where N epsilon is large. A hub holds that
 * many of its leaves. */
uint32_t pdpr_i_bp_forest_cap(uint32_t num_nodes, double epsilon);
/* How far apart the certified bounds of the capped forest may be, in halves: a half of a unit up to
 * 50,000 nodes, more beyond. A function of N and the plan's epsilon, so that a release read from a
 * file gives it again. */
uint64_t pdpr_i_bp_forest_gap(uint32_t num_nodes, double epsilon);
/* Sensitivity of the released forest with its gap, in halves. */
uint64_t pdpr_i_bp_forest_sensitivity(const pdpr_i_bp_plan *plan);

/* The questions about path length, from N, epsilon and numbers released before: number 0 from the
 * edges, number 1 from the wider count of edges, the forest and number 0 with its answer. */
pdpr_i_path_window pdpr_i_bp_first_window(const pdpr_i_bp_plan *plan,
                                          const pdpr_i_bp_numbers *numbers);
pdpr_i_path_window pdpr_i_bp_second_window(const pdpr_i_bp_plan *plan,
                                           const pdpr_i_bp_numbers *numbers);
pdpr_i_path_question pdpr_i_bp_path_question(const pdpr_i_bp_plan *plan, pdpr_i_path_window window,
                                             uint32_t number);
/* How many pairs a node may carry: a function of N. */
uint32_t pdpr_i_bp_path_cap(uint32_t num_nodes);
/* How many pairs a question has at most, for each that a node may carry. */
double pdpr_i_bp_most_pairs(uint32_t num_nodes, double epsilon);
/* Whether the answers speak of long paths: the first did, or both together do, each weighted by its
 * precision. Post-processing. */
bool pdpr_i_bp_paths_are_long(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers);
/* How far apart the certified bounds of a path length may be, in halves: a quarter of the
 * sensitivity, rounded up, and half of it beyond 30,000 nodes. */
uint64_t pdpr_i_bp_path_gap(const pdpr_i_bp_plan *plan, pdpr_i_path_window window);
/* Sensitivity of a released path length with its gap, in halves. */
uint64_t pdpr_i_bp_path_sensitivity(const pdpr_i_bp_plan *plan, pdpr_i_path_window window);

/* Sensitivity of a query as it was released, in steps of its grid, with the gap of solved values;
 * the grid is 1 / steps_per_unit. */
uint64_t pdpr_i_bp_sensitivity(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers,
                               pdpr_i_bp_query query);
uint32_t pdpr_i_bp_steps_per_unit(pdpr_i_bp_query query);

/* What the certificate says of each charge: [PDPR_I_BP_CHARGES] at most. */
pdpr_status pdpr_i_bp_certify(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers,
                              pdpr_i_certificate_query *out, uint32_t *count, pdpr_error *err);

/* Noise scale (of Laplace noise as wide) and 95 % interval of every released number:
 * [PDPR_I_BP_QUERIES] at most. Public. */
pdpr_status pdpr_i_bp_uncertainty(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers,
                                  pdpr_released_number out[PDPR_I_BP_QUERIES], uint32_t *count,
                                  pdpr_error *err);
/* The least whole k with P(|noise| > k) <= 5 % for discrete Laplace noise of this scale. */
double pdpr_i_laplace_half_width(double scale_steps);

/* Targets for the builder from what was released; degree is [num_nodes], the caller's, in no order
 * that means anything: deal.h gives degrees to nodes. Post-processing: plan, numbers and a public
 * stream. Errors: PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_bp_fit(pdpr_context *ctx, const pdpr_i_bp_plan *plan,
                          const pdpr_i_bp_numbers *numbers, pdpr_i_stream *random, uint32_t *degree,
                          pdpr_i_build_targets *out, pdpr_error *err);
/* The first and quicker part of it; the locality is left 0, and no triangles are taken away for the
 * sake of the width. */
pdpr_status pdpr_i_bp_fit_structure(pdpr_context *ctx, const pdpr_i_bp_plan *plan,
                                    const pdpr_i_bp_numbers *numbers, pdpr_i_stream *random,
                                    uint32_t *degree, pdpr_i_build_targets *out, pdpr_error *err);

/* The locality at which built graphs have the released path lengths (fit_locality.c); `targets` is
 * complete but for it. Does not move `random`. Errors: PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_bp_fit_locality(pdpr_context *ctx, const pdpr_i_bp_plan *plan,
                                   const pdpr_i_bp_numbers *numbers,
                                   const pdpr_i_build_targets *targets, const pdpr_i_stream *random,
                                   double *locality, pdpr_error *err);

/* Whether nothing was asked about paths and noise leaves the degrees rough: then there is no
 * locality, and what is built may be far too wide (fit_locality.c). */
bool pdpr_i_bp_noise_hides_width(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers);

/* Then takes triangles from graphs that would be far too wide, as far as the noise of the triangles
 * allows (fit_width.c); `targets` is complete. Does not move `random`. Errors: PDPR_ENOMEM,
 * PDPR_ECANCELLED. */
pdpr_status pdpr_i_bp_fit_width(pdpr_context *ctx, const pdpr_i_bp_plan *plan,
                                const pdpr_i_bp_numbers *numbers, const pdpr_i_stream *random,
                                pdpr_i_build_targets *targets, pdpr_error *err);

/* How many times as much slack, H - d summed over pairs at distance d < H, a square has whose
 * streets cross at right angles as a strip of the same mean distance: near pairs are rarer on a
 * plane. horizon > 0, mean > 0; 1 where all pairs are near. */
double pdpr_i_bp_plane_part(double horizon, double mean);

/* About the mean distance in a public graph's largest component (mean_distance.c). Errors:
 * PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_mean_distance(pdpr_context *ctx, const pdpr_graph *g, uint32_t sources,
                                 double *out, pdpr_error *err);

#endif
