/* Fitted targets in a release, so that sampling does not fit again.
 *
 * The fit is the long part of a sample on a large graph (three quarters at 410,236 nodes), and it
 * gives the same answer every time: its random numbers come from the plan's public seed. So it is
 * made once, by `fit`, and what it found is stored beside the numbers that it follows from. All of
 * it is post-processing; whoever doubts a stored target can fit the stored numbers again.
 *
 * A release is public and may come from anybody: every value is checked before it is used. */
#include "method/blueprint_part.h"
#include "blueprint/deal.h"

#include <math.h>

pdpr_status pdpr_i_bp_targets_store(pdpr_context *ctx, const pdpr_i_bp_plan *plan,
                                    const pdpr_i_bp_numbers *numbers, pdpr_release *release,
                                    pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_build_targets t;
    pdpr_i_degree_counts counts = {0};
    pdpr_i_stream random;
    pdpr_i_key key;
    uint32_t *degree = NULL;

    PDPR_TRY(pdpr_i_alloc(ctx, plan->num_nodes, sizeof *degree, "degrees", &degree, err));
    pdpr_i_key_from_seed(plan->public_seed, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_BLUEPRINT_FIT, 0);
    PDPR_TRY(pdpr_i_bp_fit(ctx, plan, numbers, &random, degree, &t, err));
    PDPR_TRY(pdpr_i_degree_counts_init(ctx, degree, plan->num_nodes, &counts, err));
    json_t *targets = json_pack("{s:I, s:I, s:f, s:f}", "triangles", (json_int_t)t.triangles,
                                "small_components", (json_int_t)t.small_components,
                                "small_mean_size", t.small_mean_size, "locality", t.locality);
    if (!targets || json_object_set_new(release->file.header, "targets", targets) != 0) {
        s = pdpr_i_fail(err, PDPR_ENOMEM, "release header: out of memory");
        goto done;
    }
    PDPR_TRY(pdpr_i_release_add(ctx, release, "degree_value", PDPR_I_ARRAY_UINT32, counts.length, 0,
                                counts.degree, err));
    counts.degree = NULL; /* the release's now */
    PDPR_TRY(pdpr_i_release_add(ctx, release, "degree_nodes", PDPR_I_ARRAY_UINT32, counts.length, 0,
                                counts.nodes, err));
    counts.nodes = NULL;
done:
    pdpr_i_degree_counts_clear(&counts);
    pdpr_free(degree);
    return s;
}

bool pdpr_i_bp_targets_are_stored(const pdpr_release *release)
{
    return json_object_get(release->file.header, "targets") != NULL;
}

static bool is_vector(const pdpr_i_array *a)
{
    return a && a->type == PDPR_I_ARRAY_UINT32 && a->columns == 0;
}

pdpr_status pdpr_i_bp_targets_recall(const pdpr_release *release, uint32_t *degree,
                                     pdpr_i_build_targets *out, pdpr_error *err)
{
    json_t *header = release->file.header;
    const pdpr_i_array *value = pdpr_i_release_file_find(&release->file, "degree_value");
    const pdpr_i_array *nodes = pdpr_i_release_file_find(&release->file, "degree_nodes");
    uint32_t num_nodes = (uint32_t)json_integer_value(json_object_get(header, "nodes"));
    json_int_t triangles, small;
    double size, locality;

    if (json_unpack(json_object_get(header, "targets"), "{s:I, s:I, s:F, s:F}", "triangles",
                    &triangles, "small_components", &small, "small_mean_size", &size, "locality",
                    &locality) != 0 ||
        triangles < 0 || small < 0 || !(size >= 2 && size <= num_nodes + 2.0) ||
        !(locality >= 0 && locality <= 1) || !is_vector(value) || !is_vector(nodes) ||
        value->rows != nodes->rows ||
        !pdpr_i_degree_counts_spread(
            &(pdpr_i_degree_counts){value->items, nodes->items, value->rows}, num_nodes, degree))
        return pdpr_i_fail(err, PDPR_EINPUT, "release: its fitted targets are not in order");
    *out = (pdpr_i_build_targets){.num_nodes = num_nodes,
                                  .degree = degree,
                                  .triangles = (uint64_t)triangles,
                                  .small_components = (uint64_t)small,
                                  .small_mean_size = size,
                                  .locality = locality};
    return PDPR_OK;
}
