/* The method null: G(N, m) on numbers that are declared public. It reads no edge, so it promises
 * nothing and needs no promise; it is the floor that every other method is compared with. */
#include "method/method.h"

static pdpr_status check(uint32_t num_nodes, const pdpr_method_options *options, pdpr_error *err)
{
    uint64_t most = num_nodes ? (uint64_t)num_nodes * (num_nodes - 1) / 2 : 0;
    if (options->edges == 0 || options->edges > most)
        return pdpr_i_fail(
            err, PDPR_EUSAGE,
            "method null: declare the number of edges (--edges M), from 1 to %" PRIu64
            " for %" PRIu32 " nodes",
            most, num_nodes);
    const char *profile;
    return pdpr_i_profile_find(&pdpr_i_method_null, options->profile, &profile, err);
}

static pdpr_status plan(pdpr_context *ctx, uint32_t num_nodes, const pdpr_method_options *options,
                        pdpr_plan *out, pdpr_error *err)
{
    (void)ctx;
    pdpr_status s = check(num_nodes, options, err);
    if (s == PDPR_OK)
        *out = (pdpr_plan){.method = "null",
                           .profile = "",
                           .unit = pdpr_i_method_null.info.unit,
                           .nodes = num_nodes};
    return s;
}

static pdpr_status fit(pdpr_context *ctx, const pdpr_graph *g, const pdpr_method_options *options,
                       pdpr_ledger *ledger, pdpr_i_fit *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_release *release = NULL;
    (void)ledger;

    PDPR_TRY(check(g->num_nodes, options, err));
    PDPR_TRY(pdpr_i_release_new(ctx, &pdpr_i_method_null, g, options, "", &release, err));
    if (json_object_set_new(release->file.header, "edges",
                            json_integer((json_int_t)options->edges)) != 0) {
        s = pdpr_i_fail(err, PDPR_ENOMEM, "release header: out of memory");
        goto done;
    }
    *out = (pdpr_i_fit){.release = release, .edge_count = PDPR_I_EDGES_DECLARED};
    release = NULL;
done:
    pdpr_release_free(release);
    return s;
}

static pdpr_status sample(pdpr_context *ctx, const pdpr_release *release, const pdpr_i_key *key,
                          uint64_t index, pdpr_graph **out, pdpr_error *err)
{
    pdpr_i_stream stream;
    json_int_t nodes = json_integer_value(json_object_get(release->file.header, "nodes"));
    json_int_t edges = json_integer_value(json_object_get(release->file.header, "edges"));
    if (nodes < 1 || edges < 1)
        return pdpr_i_fail(err, PDPR_EINPUT, "release: its numbers are not as expected");
    pdpr_i_stream_init(&stream, key, PDPR_I_PURPOSE_NULL_MODEL, index);
    uint64_t seed = pdpr_i_stream_u64(&stream);
    return pdpr_generate_gnm(ctx, (uint32_t)nodes, (uint64_t)edges, seed, out, err);
}

const pdpr_i_method pdpr_i_method_null = {
    .info = {.name = "null",
             .summary = "G(N, m) on declared numbers: reads no edge, the floor of every comparison",
             .unit = "none needed",
             .profiles = ""},
    .promises = false,
    .plan = plan,
    .fit = fit,
    .sample = sample,
};
