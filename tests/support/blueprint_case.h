/* Measuring and fitting a blueprint in a test: each step is taken or the test fails. */
#ifndef PDPR_TESTS_BLUEPRINT_CASE_H
#define PDPR_TESTS_BLUEPRINT_CASE_H

#include "support/support.h"
#include "blueprint/blueprint.h"

/* Pays for all that the plan asks. */
pdpr_i_meter *test_bp_meter(pdpr_context *ctx, const pdpr_i_bp_plan *p, uint64_t seed);

/* The numbers of a graph at this epsilon; makes the plan too. */
void test_bp_measure(pdpr_context *ctx, const pdpr_graph *g, double epsilon, uint64_t seed,
                     pdpr_i_bp_plan *p, pdpr_i_bp_numbers *x);

enum { TEST_BP_ODD_GRAPHS = 9 };

/* Graphs on which something is extreme. */
pdpr_graph *test_bp_odd_graph(pdpr_context *ctx, int number);

/* Sensitivity of a triangle count in halves: its cap, half a triangle and a 32nd of the cap for
 * what its certificate leaves open. */
uint64_t test_bp_triangle_steps(uint32_t cap);

/* The builder's targets; degrees are checked to be below the number of nodes. */
void test_bp_fit(pdpr_context *ctx, const pdpr_i_bp_plan *p, const pdpr_i_bp_numbers *x,
                 uint32_t *degree, pdpr_i_build_targets *targets);
/* All but the locality; the degrees must descend. */
void test_bp_fit_structure(pdpr_context *ctx, const pdpr_i_bp_plan *p, const pdpr_i_bp_numbers *x,
                           uint32_t *degree, pdpr_i_build_targets *targets);
/* Of a graph fitted at this epsilon. */
void test_bp_fit_graph(pdpr_context *ctx, const pdpr_graph *g, double epsilon, uint32_t *degree,
                       pdpr_i_build_targets *targets);

#endif
