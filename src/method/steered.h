/* The default profile of privdpr: the paper's embedding, and a blueprint that steers
 * reconstruction. Three small hooks into the deep-PageRank method (dpr_setting.c, deep_pagerank.c).
 */
#ifndef PDPR_METHOD_STEERED_H
#define PDPR_METHOD_STEERED_H

#include "method/dpr_setting.h"

/* True if a release was fitted under this profile. */
bool pdpr_i_steered_is(const pdpr_release *release);

/* Embedding constants of the profile, before the options take their places. */
void pdpr_i_steered_training(pdpr_i_train_options *train);

/* The blueprint's plan for what the embedding's share leaves of epsilon, into setting->blueprint.
 * Errors: PDPR_EUSAGE. */
pdpr_status pdpr_i_steered_plan(uint32_t num_nodes, const pdpr_method_options *options,
                                pdpr_i_dpr_setting *setting, pdpr_error *err);

/* What the release's header and the certificate say of it; false if memory is out. */
bool pdpr_i_steered_describe(json_t *header, const pdpr_i_dpr_setting *setting);
void pdpr_i_steered_parameters(pdpr_i_fit *fit, const pdpr_i_dpr_setting *setting);

/* Graph number `index` of such a release: the blueprint's structure, nodes in their places by V.
 * Errors: PDPR_EINPUT, PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_steered_sample(pdpr_context *ctx, const pdpr_release *release,
                                  const pdpr_i_key *key, uint64_t index, pdpr_graph **out,
                                  pdpr_error *err);

#endif
