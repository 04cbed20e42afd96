/* The degrees of hubs before they are fitted: a Pareto law through the released indices.
 *
 * Rules that decide what is asked next need a rough idea of the tail while the measuring goes on.
 * They must come out alike wherever a run is taken up again, so no function is used here that is
 * not rounded alike everywhere: slopes are in quarters, which square roots give. Public: made from
 * N, epsilon and released numbers. */
#ifndef PDPR_BLUEPRINT_TAIL_LAW_H
#define PDPR_BLUEPRINT_TAIL_LAW_H

#include "blueprint/blueprint.h"

/* Nodes of degree x and more: h (h / x)^(quarters / 4). */
typedef struct {
    double h; /* as many nodes have at least that degree; 2 or more */
    uint32_t quarters;
    double end; /* the degree of the law's last node, or the most that is usual or a step beyond */
} pdpr_i_tail_law;

/* The law through the believed index (below), of the slope that agrees best with the second. */
pdpr_i_tail_law pdpr_i_tail_law_of(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers);

double pdpr_i_tail_law_nodes(const pdpr_i_tail_law *law, double degree);

/* The links under the first cap, and so many more as such a cap usually hides (usual_hubs.c). */
double pdpr_i_usual_links(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers);

/* The released first index, drawn to what graphs of so many nodes and links seldom exceed, as far
 * as its noise may explain that it does (usual_hubs.c). Where it was not asked: what it usually is,
 * and the cap at least. */
double pdpr_i_believed_index(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers);

/* The released second index, no larger than the believed first one and half a deviation of its
 * noise: on no graph is it larger than the first. For the fit: the law above does not need it, its
 * own index is no larger than the first whatever the slope. */
double pdpr_i_believed_second_index(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers);

/* Where tails usually have ended: a quarter of the nodes, or twice the believed index in graphs so
 * dense that this is more. */
double pdpr_i_usual_most_degree(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers);

#endif
