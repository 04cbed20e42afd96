/* Building graphs from public targets: the order of the steps.
 *
 *     degrees made graphical -> small components -> groups and matching -> swaps for triangles,
 *     swaps for connectivity, in turn -> graph
 *
 * How many triangles the matching makes beside the groups is not known beforehand (hubs meet, near
 * nodes share neighbours), so groups and matching are tried a few times, each time with the
 * plan corrected by what the last one missed and with the same random numbers; swaps do the rest.
 * Connectivity comes before triangles: joining is the last step. Cost: O(m log m) expected. */
#include "blueprint/build_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_TRIALS = 12, MOST_ROUNDS = 4 };
static const double swaps_can_open = 0.125; /* triangles, per link end */
static const double swaps_can_close = 0.05; /* of the target */
static const double least_gain = 0.2;       /* triangles that one more planned one must bring */
static const double near_enough = 0.015;    /* of the target: swaps do the rest */

static pdpr_status begin(pdpr_i_building *b, pdpr_i_build_outcome *outcome, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_build_targets *t = b->targets;
    uint64_t sum = 0, wedges = 0;

    if (!(t->locality >= 0 && t->locality <= 1))
        return pdpr_i_fail(err, PDPR_EUSAGE, "targets: expected a locality in [0,1], found %g",
                           t->locality);
    if (t->small_components > 0 && !(t->small_mean_size >= 2))
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "targets: expected a mean size of small components of 2 or more, found "
                           "%g",
                           t->small_mean_size);
    PDPR_TRY(pdpr_i_alloc(b->ctx, b->num_nodes, sizeof *b->degree, "degrees", &b->degree, err));
    PDPR_TRY(pdpr_i_zalloc(b->ctx, b->num_nodes, sizeof *b->apart, "nodes", &b->apart, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, b->num_nodes, sizeof *b->place, "places", &b->place, err));
    memcpy(b->degree, t->degree, b->num_nodes * sizeof *b->degree);
    PDPR_TRY(
        pdpr_i_degrees_make_graphical(b->ctx, b->degree, b->num_nodes, &outcome->degrees_cut, err));
    for (uint32_t u = 0; u < b->num_nodes; u++) {
        b->place[u] = t->place ? t->place[u] : (uint32_t)pdpr_i_stream_u64(b->random);
        sum += b->degree[u];
        wedges += (uint64_t)b->degree[u] * (b->degree[u] - (b->degree[u] > 0)) / 2;
    }
    b->wanted = t->triangles < wedges / 3 ? t->triangles : wedges / 3;
    PDPR_TRY(pdpr_i_strip_lay_out(b, t->locality, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, sum, sizeof *b->item, "open links", &b->item, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, sum, sizeof *b->scratch, "open links", &b->scratch, err));
    PDPR_TRY(pdpr_i_rows_init(b->ctx, b->degree, b->num_nodes, &b->rows, err));
done:
    return s;
}

/* Groups for so many triangles, then everything matched. Afterwards all degrees are met. */
static pdpr_status try_groups(pdpr_i_building *b, double triangles, double width, double *expected,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_group_plan plan;
    bool complete;

    pdpr_i_rows_empty(&b->rows, b->apart);
    PDPR_TRY(pdpr_i_plan_groups(b, triangles, &plan, expected, err));
    plan.width = width;
    PDPR_TRY(pdpr_i_build_groups(b, &plan, err));
    PDPR_TRY(pdpr_i_build_match(b, &complete, err));
    if (!complete)
        PDPR_TRY(pdpr_i_build_exact(b, err));
    b->triangles = pdpr_i_rows_triangles(&b->rows);
done:
    return s;
}

/* Short links among many close triangles that nobody asked for. Swaps can open some; when there are
 * too many even without groups, links become longer: locality yields to triangles. The number falls
 * as the reach grows, about in proportion. Leaves a graph without groups. */
static pdpr_status settle_reach(pdpr_i_building *b, const pdpr_i_stream *start, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    double expected, ends = (double)b->rows.start[b->num_nodes];
    double most = (double)b->wanted + swaps_can_open * ends;

    for (;;) {
        *b->random = *start;
        PDPR_TRY(try_groups(b, 0, 1, &expected, err));
        if (b->reach >= 1 || (double)b->triangles <= most)
            break;
        double factor = (double)b->triangles / most;
        pdpr_i_strip_set_reach(b, b->reach * (factor < 1.5 ? 1.5 : factor));
    }
done:
    return s;
}

/* Corrects the plan until the count is near the target. When the plan is at its end and triangles
 * are missing, or a larger plan hardly brings more because groups do not find their members nearby,
 * they may spread wider, and the plan starts again: again locality yields. If the last try is not
 * the best, the best is made again. */
static pdpr_status build_giant(pdpr_i_building *b, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_stream start = *b->random;
    double target = (double)b->wanted, width = 1, expected;

    PDPR_TRY(settle_reach(b, &start, err));
    const double alone = (double)b->triangles, first = target > alone ? target - alone : 0;
    double missing = target - alone, wish = first, last_wish = 0, last_count = 0;
    double best = fabs(missing), best_wish = 0, best_width = width;
    for (int trial = 0; trial < MOST_TRIALS && fabs(missing) > near_enough * target && wish > 0;
         trial++) {
        *b->random = start;
        PDPR_TRY(try_groups(b, wish, width, &expected, err));
        double count = (double)b->triangles;
        missing = target - count;
        if (fabs(missing) < best) {
            best = fabs(missing);
            best_wish = wish;
            best_width = width;
        }
        bool at_end = missing > 0 && expected < 0.999 * wish;
        bool in_vain = missing > swaps_can_close * target && last_wish > 0 &&
                       count - last_count < least_gain * (wish - last_wish);
        if (at_end && width * b->reach > 1)
            break;
        if ((at_end || in_vain) && width * b->reach < 1) {
            width *= 4;
            wish = first;
            last_wish = 0;
        } else {
            last_wish = wish;
            last_count = count;
            wish = expected + missing > 0 ? expected + missing : 0;
        }
    }
    if (fabs(target - (double)b->triangles) > best) {
        *b->random = start;
        PDPR_TRY(try_groups(b, best_wish, best_width, &expected, err));
    }
done:
    return s;
}

static pdpr_status finish(pdpr_i_building *b, pdpr_graph **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t *pairs = NULL;
    uint64_t count = 0;

    PDPR_TRY(pdpr_i_alloc(b->ctx, b->rows.num_edges, 2 * sizeof *pairs, "edges", &pairs, err));
    for (uint32_t u = 0; u < b->num_nodes; u++)
        for (uint32_t i = 0; i < b->rows.length[u]; i++) {
            uint32_t v = pdpr_i_row(&b->rows, u)[i];
            if (u < v) {
                pairs[2 * count] = u;
                pairs[2 * count + 1] = v;
                count++;
            }
        }
    PDPR_TRY(pdpr_graph_from_pairs(b->ctx, b->num_nodes, pairs, count, false, out, err));
done:
    pdpr_free(pairs);
    return s;
}

/* Components of nodes that are apart: by their edges, since each is a small tree or clique. */
static uint64_t count_apart(const pdpr_i_building *b, uint32_t *mark)
{
    uint64_t components = 0;
    for (uint32_t u = 0; u < b->num_nodes; u++)
        mark[u] = u;
    for (uint32_t u = 0; u < b->num_nodes; u++) {
        components += b->apart[u];
        for (uint32_t i = 0; b->apart[u] && i < b->rows.length[u]; i++) {
            uint32_t v = pdpr_i_row(&b->rows, u)[i], x = u;
            while (mark[x] != x)
                x = mark[x] = mark[mark[x]];
            while (mark[v] != v)
                v = mark[v] = mark[mark[v]];
            components -= x != v;
            mark[x] = v;
        }
    }
    return components;
}

pdpr_status pdpr_i_build(pdpr_context *ctx, const pdpr_i_build_targets *targets,
                         pdpr_i_stream *random, pdpr_graph **out, pdpr_i_build_outcome *outcome,
                         pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_build_outcome found = {0};
    pdpr_i_building b = {
        .ctx = ctx, .targets = targets, .random = random, .num_nodes = targets->num_nodes};
    uint64_t components = 0, joined = 0;

    PDPR_TRY(begin(&b, &found, err));
    PDPR_TRY(pdpr_i_build_small(&b, err));
    PDPR_TRY(build_giant(&b, err));
    for (int round = 0; round < MOST_ROUNDS; round++) {
        PDPR_TRY(pdpr_i_build_steer(&b, err));
        PDPR_TRY(pdpr_i_build_join(&b, &components, &joined, err));
        if (joined == 0)
            break;
    }
    found.edges = b.rows.num_edges;
    found.triangles = b.triangles;
    found.strays = components > 0 ? components - 1 : 0;
    components += count_apart(&b, b.place); /* places are not needed any more */
    found.small_components = components > 0 ? components - 1 : 0;
    PDPR_TRY(finish(&b, out, err));
    if (outcome)
        *outcome = found;
done:
    pdpr_free(b.degree);
    pdpr_free(b.apart);
    pdpr_free(b.place);
    pdpr_free(b.point);
    pdpr_free(b.item);
    pdpr_free(b.scratch);
    pdpr_i_rows_clear(&b.rows);
    return s;
}
