/* Profile `steered` of privdpr: V decides which node takes which place, the blueprint decides the
 * structure (docs/design/0011-steered-profile.md).
 *
 * Budget. The blueprint's queries are pure charges that sum to (1 - share) epsilon. The embedding
 * gets the largest mu with which all of them together are still (epsilon, delta)-DP by the joint
 * accountant: no less than a separate budget of share * epsilon would buy. One promise, one entry
 * in the ledger, one certificate.
 *
 * Sampling. Degrees come from the blueprint as counts. The node with the largest row mass in the
 * score matrix takes the largest degree, and so on down; and nodes lie along the builder's curve
 * in the order of V's widest direction, so that of two equal links the one between rows of higher
 * score is the nearer and is made. Both are permutations: whatever V holds, degrees, triangles,
 * components and locality are the blueprint's. Cost beside the builder: O(N r^2). */
#include "method/steered.h"
#include "blueprint/deal.h"
#include "dpr/score_order.h"
#include "method/blueprint_part.h"

#include <string.h>

static const double usual_share = 0.1, least_share = 0.01, most_share = 0.9;

bool pdpr_i_steered_is(const pdpr_release *release)
{
    const char *profile = json_string_value(json_object_get(release->file.header, "profile"));
    return profile && strcmp(profile, "steered") == 0;
}

/* As `head`, with what its noise makes pointless left out. A start's row takes gradient from the
 * start's own pairs only, so a walk is one arc; the signal-to-noise ratio of a row is the same for
 * any number of epochs and any batch, so there is one epoch, of large batches. Cost: O(N) arcs. */
void pdpr_i_steered_training(pdpr_i_train_options *train)
{
    train->shape.width = 64;
    train->walks.batch = 64;
    train->walks.walks = 4;
    train->walks.length = 1;
    train->epochs = 1;
}

pdpr_status pdpr_i_steered_plan(uint32_t num_nodes, const pdpr_method_options *options,
                                pdpr_i_dpr_setting *setting, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    double share = options->embedding_share != 0 ? options->embedding_share : usual_share;

    if (!(share >= least_share && share <= most_share))
        return pdpr_i_fail(err, PDPR_EUSAGE, "embedding share: expected from %g to %g, found %g",
                           least_share, most_share, share);
    if (options->edges || options->score_edges)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "profile steered measures the number of edges: leave --edges out, or "
                           "take the profile paper, tight or head");
    PDPR_TRY(
        pdpr_i_bp_plan_make(num_nodes, (1 - share) * options->epsilon, &setting->blueprint, err));
    setting->embedding_share = share;
done:
    return s;
}

/* ---------------------------------------------------------------- what it says of itself */

/* The queries protect a node's edges, not the whole edge set: so does the whole run. */
bool pdpr_i_steered_describe(json_t *header, const pdpr_i_dpr_setting *setting)
{
    return json_object_set_new(header, "unit", json_string(pdpr_i_method_blueprint.info.unit)) ==
               0 &&
           json_object_set_new(header, "embedding_share", json_real(setting->embedding_share)) ==
               0 &&
           json_object_set_new(header, "blueprint_epsilon",
                               json_real(setting->blueprint.epsilon)) == 0;
}

void pdpr_i_steered_parameters(pdpr_i_fit *fit, const pdpr_i_dpr_setting *setting)
{
    pdpr_i_fit_parameter(fit, "noise_shares", "embedding %.17g of epsilon, the queries the rest",
                         setting->embedding_share);
    pdpr_i_fit_parameter(fit, "reconstruction", "blueprint, places by the score matrix");
}

/* ---------------------------------------------------------------- sample */

/* The embedding of a release, or NULL if it is not what its header says. */
static const pdpr_i_array *find_embedding(const pdpr_release *release)
{
    const pdpr_i_array *v = pdpr_i_release_file_find(&release->file, "embedding");
    json_t *nodes = json_object_get(release->file.header, "nodes");
    bool good = v && v->type == PDPR_I_ARRAY_FLOAT32 && v->columns > 0 &&
                v->columns <= UINT16_MAX && v->rows == (uint64_t)json_integer_value(nodes);
    return good ? v : NULL;
}

pdpr_status pdpr_i_steered_sample(pdpr_context *ctx, const pdpr_release *release,
                                  const pdpr_i_key *key, uint64_t index, pdpr_graph **out,
                                  pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_array *v = find_embedding(release);
    pdpr_i_build_targets targets;
    pdpr_i_stream random;
    double *mass = NULL, *along = NULL;
    uint32_t *ranked = NULL, *order = NULL, *degree = NULL, *place = NULL;

    if (!v)
        return pdpr_i_fail(err, PDPR_EINPUT, "release: its embedding is not as its header says");
    uint32_t n = (uint32_t)v->rows;
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *mass, "node scores", &mass, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *along, "node scores", &along, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *ranked, "degrees", &ranked, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *order, "order of nodes", &order, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *degree, "degrees", &degree, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *place, "places", &place, err));
    PDPR_TRY(pdpr_i_bp_targets_recall(release, ranked, &targets, err));
    s = pdpr_i_score_order(ctx, v->items, n, (uint32_t)v->columns, mass, along, err);
    if (s == PDPR_EUSAGE) /* the file's fault, not the caller's */
        s = pdpr_i_fail(err, PDPR_EINPUT, "release: its embedding holds numbers that are none");
    PDPR_TRY(s);

    pdpr_i_stream_init(&random, key, PDPR_I_PURPOSE_BLUEPRINT_FIT, index);
    PDPR_TRY(pdpr_i_deal_order(ctx, mass, n, &random, order, err));
    for (uint32_t i = 0; i < n; i++)
        degree[order[i]] = ranked[i];
    PDPR_TRY(pdpr_i_deal_order(ctx, along, n, &random, order, err));
    PDPR_TRY(pdpr_i_deal_places(ctx, order, n, &random, place, err));
    targets.degree = degree;
    targets.place = place;
    pdpr_i_stream_init(&random, key, PDPR_I_PURPOSE_BLUEPRINT_BUILD, index);
    PDPR_TRY(pdpr_i_build(ctx, &targets, &random, out, NULL, err));
done:
    pdpr_free(mass);
    pdpr_free(along);
    pdpr_free(ranked);
    pdpr_free(order);
    pdpr_free(degree);
    pdpr_free(place);
    return s;
}
