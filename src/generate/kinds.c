/* The family of generated graphs: one table with a row a kind, and the function that reads it.
 *
 * A row holds the name, the list to which the kind belongs, a typical graph as default, and the
 * file that draws it. G(N, m) and the social graph keep their own public functions and are called
 * through them. Each kind has its own stream (seed, example, kind), so that two kinds of one seed
 * share no draws. Cost: that of the kind, O(N + m). */
#include "generate/generate.h"

#include <math.h>
#include <string.h>

typedef struct {
    const char *name;
    bool held_out;
    pdpr_i_kind_draw draw; /* NULL: a public function of its own */
    pdpr_generate_options typical;
} kind_row;

static const kind_row kind_table[PDPR_KINDS] = {
    [PDPR_KIND_GNM] = {"gnm", false, NULL, {.mean_degree = 6}},
    [PDPR_KIND_POWER_LAW] = {"power_law",
                             false,
                             pdpr_i_kind_power_law,
                             {.exponent = 2.3, .min_degree = 2, .max_degree = 300}},
    [PDPR_KIND_LATTICE] = {"lattice",
                           false,
                           pdpr_i_kind_lattice,
                           {.share = 0.2, .diagonals = 0.06}},
    [PDPR_KIND_SMALL_WORLD] = {"small_world",
                               false,
                               pdpr_i_kind_small_world,
                               {.mean_degree = 8, .share = 0.1}},
    [PDPR_KIND_BLOCKS] = {"blocks",
                          false,
                          pdpr_i_kind_blocks,
                          {.mean_degree = 16, .share = 0.2, .group_size = 60}},
    [PDPR_KIND_CLIQUES] = {"cliques",
                           false,
                           pdpr_i_kind_cliques,
                           {.mean_degree = 14, .exponent = 2.2, .max_degree = 30, .share = 0.15}},
    [PDPR_KIND_HUBS] = {"hubs",
                        false,
                        pdpr_i_kind_hubs,
                        {.mean_degree = 4, .exponent = 0.9, .share = 0.15, .group_size = 40}},
    [PDPR_KIND_SCATTERED] =
        {"scattered",
         false,
         pdpr_i_kind_scattered,
         {.mean_degree = 2.8, .share = 0.35, .diagonals = 0.5, .group_size = 3}},
    [PDPR_KIND_SOCIAL] = {"social", true, NULL, {.mean_degree = 10, .share = 0.6}},
    [PDPR_KIND_GEOMETRIC] = {"geometric", true, pdpr_i_kind_geometric, {.mean_degree = 9}},
    [PDPR_KIND_COPYING] = {"copying", true, pdpr_i_kind_copying, {.mean_degree = 8, .share = 0.4}},
    [PDPR_KIND_CHAINS] = {"chains", true, pdpr_i_kind_chains, {.share = 0.25, .group_size = 2}},
};

static bool is_kind(pdpr_kind kind)
{
    return (unsigned)kind < PDPR_KINDS;
}

const char *pdpr_kind_name(pdpr_kind kind)
{
    return is_kind(kind) ? kind_table[kind].name : "unknown";
}

bool pdpr_kind_is_held_out(pdpr_kind kind)
{
    return is_kind(kind) && kind_table[kind].held_out;
}

void pdpr_generate_options_default(pdpr_kind kind, uint32_t num_nodes,
                                   pdpr_generate_options *options)
{
    *options = is_kind(kind) ? kind_table[kind].typical : (pdpr_generate_options){0};
    options->struct_size = sizeof *options;
    options->kind = kind;
    options->num_nodes = num_nodes;
}

/* Ranges that hold for every kind; unread fields are zero or the caller's business. */
static pdpr_status check_options(const pdpr_generate_options *o, pdpr_error *err)
{
    const char *name = pdpr_kind_name(o->kind);
    double most = o->num_nodes > 1 ? (double)(o->num_nodes - 1) : 0;

    if (!is_kind(o->kind))
        return pdpr_i_fail(err, PDPR_EUSAGE, "generated graph: expected a kind below %d, found %d",
                           (int)PDPR_KINDS, (int)o->kind);
    if (!(o->mean_degree >= 0 && (o->mean_degree <= most || o->num_nodes < 2)))
        return pdpr_i_fail(err, PDPR_EUSAGE, "%s graph: expected a mean degree in 0..%g, found %g",
                           name, most, o->mean_degree);
    if (!(o->share >= 0 && o->share <= 1) || !(o->diagonals >= 0 && o->diagonals <= 1))
        return pdpr_i_fail(err, PDPR_EUSAGE, "%s graph: expected shares in [0,1], found %g and %g",
                           name, o->share, o->diagonals);
    if (!(fabs(o->exponent) <= 20))
        return pdpr_i_fail(err, PDPR_EUSAGE, "%s graph: expected an exponent in -20..20, found %g",
                           name, o->exponent);
    if (o->kind == PDPR_KIND_POWER_LAW && (o->min_degree < 1 || o->min_degree > o->max_degree))
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "%s graph: expected 1 <= min_degree <= max_degree, found %" PRIu32
                           " and %" PRIu32,
                           name, o->min_degree, o->max_degree);
    if (o->kind == PDPR_KIND_CLIQUES && o->max_degree < 1)
        return pdpr_i_fail(err, PDPR_EUSAGE, "%s graph: expected a max_degree above 0, found 0",
                           name);
    if ((o->kind == PDPR_KIND_BLOCKS || o->kind == PDPR_KIND_HUBS ||
         o->kind == PDPR_KIND_SCATTERED) &&
        o->group_size < 1)
        return pdpr_i_fail(err, PDPR_EUSAGE, "%s graph: expected a group_size above 0, found 0",
                           name);
    return PDPR_OK;
}

pdpr_status pdpr_generate(pdpr_context *ctx, const pdpr_generate_options *options, uint64_t seed,
                          pdpr_graph **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_generate_options o = {0};
    pdpr_i_links links = {0};
    pdpr_i_key key;
    pdpr_i_stream random;

    memcpy(&o, options, options->struct_size < sizeof o ? options->struct_size : sizeof o);
    PDPR_TRY(check_options(&o, err));
    uint64_t edges = (uint64_t)llround(o.mean_degree * (double)o.num_nodes / 2);
    if (o.num_nodes < 2)
        edges = 0;
    if (o.kind == PDPR_KIND_GNM)
        return pdpr_generate_gnm(ctx, o.num_nodes, edges, seed, out, err);
    if (o.kind == PDPR_KIND_SOCIAL)
        return pdpr_generate_social(ctx, o.num_nodes, edges, o.share, seed, out, err);

    pdpr_i_key_from_seed(seed, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_EXAMPLE, (uint64_t)o.kind);
    PDPR_TRY(pdpr_i_links_init(ctx, edges, &links, err));
    if (o.num_nodes > 0)
        PDPR_TRY(kind_table[o.kind].draw(&o, &random, &links, err));
    PDPR_TRY(pdpr_graph_from_pairs(ctx, o.num_nodes, links.pairs, links.count, false, out, err));
done:
    pdpr_i_links_clear(&links);
    return s;
}
