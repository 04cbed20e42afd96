/* The blueprint as a part of a method: what `blueprint` is, and what steers `privdpr`.
 *
 *     charges   what it will cost, for the promise
 *     fit       private side: measures, then stores numbers and targets in the release
 *     recall    public side: the targets out of a release */
#ifndef PDPR_METHOD_BLUEPRINT_PART_H
#define PDPR_METHOD_BLUEPRINT_PART_H

#include "blueprint/blueprint.h"
#include "method/method.h"

/* The charges of a plan, at most PDPR_I_BP_CHARGES; returns how many. */
uint32_t pdpr_i_bp_charges(const pdpr_i_bp_plan *plan, pdpr_i_charge charges[PDPR_I_BP_CHARGES]);

/* How many queries they pay for. */
uint32_t pdpr_i_bp_count_queries(const pdpr_i_bp_plan *plan);

/* Adds the same charges to an accountant. */
pdpr_status pdpr_i_bp_account(pdpr_context *ctx, const pdpr_i_bp_plan *plan, pdpr_accountant *a,
                              pdpr_error *err);

/* Makes the plan's queries on the undirected graph g and adds to `fitted` all that follows from
 * them: the certificate's queries and parameters, and in the release the numbers, their
 * uncertainty and the fitted targets. Errors: those of pdpr_i_bp_measure and pdpr_i_bp_fit. */
pdpr_status pdpr_i_bp_part_fit(pdpr_context *ctx, const pdpr_graph *g, const pdpr_i_bp_plan *plan,
                               pdpr_i_meter *meter, pdpr_i_fit *fitted, pdpr_error *err);

/* Fits targets to numbers that were released and stores them: header "targets", arrays
 * "degree_value" and "degree_nodes". A function of plan and numbers alone (blueprint_targets.c). */
pdpr_status pdpr_i_bp_targets_store(pdpr_context *ctx, const pdpr_i_bp_plan *plan,
                                    const pdpr_i_bp_numbers *numbers, pdpr_release *release,
                                    pdpr_error *err);

/* Whether a release has them: releases of version 1 do not. */
bool pdpr_i_bp_targets_are_stored(const pdpr_release *release);

/* Targets of a release, degrees descending in degree[nodes of the release], the caller's.
 * Errors: PDPR_EINPUT (not what a fit stores). */
pdpr_status pdpr_i_bp_targets_recall(const pdpr_release *release, uint32_t *degree,
                                     pdpr_i_build_targets *out, pdpr_error *err);

/* Stores the uncertainty of the released numbers: header "numbers". Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_bp_uncertainty_store(const pdpr_i_bp_plan *plan,
                                        const pdpr_i_bp_numbers *numbers, pdpr_release *release,
                                        pdpr_error *err);

#endif
