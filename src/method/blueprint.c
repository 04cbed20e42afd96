/* The method blueprint: a handful of numbers measured under node-level privacy, and graphs built to
 * have them.
 *
 * Private side: pdpr_i_bp_measure; what leaves is its noisy integers. Public side: fit (once,
 * stored in the release) and build, from those integers and a stream, as often as one likes.
 * Releases of version 1 hold the integers only: they are fitted again for every sample, as precise
 * as today's plan would have them.
 *
 * A run that is taken up again measures again: every number is a function of graph, parameters and
 * key, so its checkpoint holds no measurement and is written once, before the first noise
 * (docs/design/0014-checkpoints.md). */
#include "method/blueprint_part.h"
#include "blueprint/deal.h"
#include "dp/accountant.h"

#include <string.h>

/* ---------------------------------------------------------------- numbers in a release */

static bool put(json_t *object, const char *key, int64_t value)
{
    return json_object_set_new(object, key, json_integer(value)) == 0;
}

static pdpr_status store(pdpr_context *ctx, pdpr_release *release, uint32_t path_cap,
                         pdpr_i_bp_numbers *x, pdpr_error *err)
{
    json_t *measured = json_object(), *header = release->file.header;
    bool good =
        measured && put(measured, "theta", x->theta) && put(measured, "wide", x->wide) &&
        put(measured, "triangle_cap_1", x->triangle_cap[0]) &&
        put(measured, "triangle_cap_2", x->triangle_cap[1]) && put(measured, "edges", x->edges) &&
        put(measured, "edges_wide", x->edges_wide) && put(measured, "index_low", x->index_low) &&
        put(measured, "index_high", x->index_high) &&
        put(measured, "triangles_1_halves", x->triangles[0]) &&
        put(measured, "triangles_2_halves", x->triangles[1]) &&
        put(measured, "forest_halves", x->forest) && put(measured, "floor_1", x->window[0].floor) &&
        put(measured, "horizon_1", x->window[0].horizon) &&
        put(measured, "floor_2", x->window[1].floor) &&
        put(measured, "horizon_2", x->window[1].horizon) && put(measured, "path_cap", path_cap) &&
        put(measured, "paths_1_halves", x->paths[0]) &&
        put(measured, "paths_2_halves", x->paths[1]) &&
        json_object_set(header, "measured", measured) == 0;
    json_decref(measured);
    if (!good)
        return pdpr_i_fail(err, PDPR_ENOMEM, "release header: out of memory");
    pdpr_status s = pdpr_i_release_add(ctx, release, "cumulative_degrees", PDPR_I_ARRAY_INT64,
                                       x->theta, 0, x->cumulative, err);
    if (s == PDPR_OK)
        x->cumulative = NULL; /* the release's now */
    return s;
}

/* Whether the barrier could have released it. */
static bool is_possible(json_int_t value)
{
    return value >= -PDPR_I_VALUE_LIMIT && value <= PDPR_I_VALUE_LIMIT;
}

/* Horizon 0: path lengths were not measured, whatever the floor. */
static bool is_window(json_int_t floor, json_int_t horizon)
{
    return floor >= 0 && floor < PDPR_I_ROUTING_MOST_HORIZON &&
           (horizon == 0 ||
            (horizon >= 2 && horizon <= PDPR_I_ROUTING_MOST_HORIZON && floor < horizon)) &&
           (floor <= 1 || horizon <= PDPR_I_ROUTING_MOST_FLOORED);
}

/* Reads the numbers back; the curve stays the release's. A release is public and may come from
 * anybody: every number is checked to lie where a measurement could have put it. */
static pdpr_status recall(const pdpr_release *release, pdpr_i_bp_plan *plan, pdpr_i_bp_numbers *x,
                          pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    json_t *header = release->file.header, *measured = json_object_get(header, "measured");
    json_int_t theta, wide, cap1, cap2, edges, edges_wide, low, high, tri1, tri2, forest;
    json_int_t horizon1 = 0, horizon2 = 0, paths1 = 0, paths2 = 0; /* not in older releases, … */
    json_int_t floor1 = 0, floor2 = 0, path_cap = 1;               /* … nor these */
    const pdpr_i_array *curve = pdpr_i_release_file_find(&release->file, "cumulative_degrees");

    if (json_unpack(measured,
                    "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s?I, s?I, s?I, s?I, "
                    "s?I, s?I, s?I}",
                    "theta", &theta, "wide", &wide, "triangle_cap_1", &cap1, "triangle_cap_2",
                    &cap2, "edges", &edges, "edges_wide", &edges_wide, "index_low", &low,
                    "index_high", &high, "triangles_1_halves", &tri1, "triangles_2_halves", &tri2,
                    "forest_halves", &forest, "horizon_1", &horizon1, "horizon_2", &horizon2,
                    "paths_1_halves", &paths1, "paths_2_halves", &paths2, "floor_1", &floor1,
                    "floor_2", &floor2, "path_cap", &path_cap) != 0 ||
        !is_window(floor1, horizon1) || !is_window(floor2, horizon2) || !is_possible(paths1) ||
        !is_possible(paths2) || theta < 1 || theta > PDPR_I_BP_MOST_THETA || wide < theta ||
        wide > 4096 || cap1 < 1 || cap1 > 1 << 20 || cap2 < 1 || cap2 > 1 << 20 ||
        !is_possible(edges) || !is_possible(edges_wide) || !is_possible(tri1) ||
        !is_possible(tri2) || !is_possible(forest) || !is_possible(low) || !is_possible(high) ||
        !curve || curve->type != PDPR_I_ARRAY_INT64 || curve->columns != 0 ||
        curve->rows != (uint64_t)theta) {
        s = pdpr_i_fail(err, PDPR_EINPUT, "release: its measured numbers are not in order");
        goto done;
    }
    if (pdpr_i_bp_plan_make((uint32_t)json_integer_value(json_object_get(header, "nodes")),
                            json_real_value(json_object_get(header, "epsilon")), plan,
                            NULL) != PDPR_OK) {
        s = pdpr_i_fail(err, PDPR_EINPUT, "release: its nodes or its epsilon are out of range");
        goto done;
    }
    /* version 1 may not have asked where today's plan would, and its forest had six edges a node */
    if (forest == 0 || pdpr_i_bp_forest_cap(plan->num_nodes, plan->epsilon) != 6)
        pdpr_i_bp_leave_out(plan, PDPR_I_BP_FOREST);
    if (path_cap != pdpr_i_bp_path_cap(plan->num_nodes)) /* answers to other questions */
        horizon1 = horizon2 = 0;
    if (low == 0)
        pdpr_i_bp_leave_out(plan, PDPR_I_BP_INDEX_LOW);
    if (high == 0)
        pdpr_i_bp_leave_out(plan, PDPR_I_BP_INDEX_HIGH);
    *x = (pdpr_i_bp_numbers){
        .theta = (uint32_t)theta,
        .wide = (uint32_t)wide,
        .triangle_cap = {(uint32_t)cap1, (uint32_t)cap2},
        .edges = edges,
        .edges_wide = edges_wide,
        .index_low = low,
        .index_high = high,
        .triangles = {tri1, tri2},
        .forest = forest,
        .window = {{(uint32_t)floor1, (uint32_t)horizon1}, {(uint32_t)floor2, (uint32_t)horizon2}},
        .paths = {paths1, paths2},
        .cumulative = curve->items};
done:
    return s;
}

/* ---------------------------------------------------------------- plan and fit */

uint32_t pdpr_i_bp_charges(const pdpr_i_bp_plan *plan, pdpr_i_charge charges[PDPR_I_BP_CHARGES])
{
    uint32_t count = 0;
    for (int c = 0; c < PDPR_I_BP_CHARGES; c++)
        if (plan->charge[c].num)
            charges[count++] = (pdpr_i_charge){.label = pdpr_i_bp_charge_name((pdpr_i_bp_charge)c),
                                               .kind = PDPR_I_CHARGE_PURE,
                                               .epsilon = plan->charge[c],
                                               .steps = 1};
    return count;
}

uint32_t pdpr_i_bp_count_queries(const pdpr_i_bp_plan *plan)
{
    uint32_t count = 0;
    for (int q = 0; q < PDPR_I_BP_QUERIES; q++)
        count += plan->asks[q];
    return count;
}

pdpr_status pdpr_i_bp_account(pdpr_context *ctx, const pdpr_i_bp_plan *plan, pdpr_accountant *a,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_charge charges[PDPR_I_BP_CHARGES];
    uint32_t count = pdpr_i_bp_charges(plan, charges);
    for (uint32_t i = 0; i < count; i++)
        PDPR_TRY(pdpr_accountant_add_pure(ctx, a, charges[i].label, charges[i].epsilon.num,
                                          charges[i].epsilon.den, err));
done:
    return s;
}

static pdpr_status plan(pdpr_context *ctx, uint32_t num_nodes, const pdpr_method_options *options,
                        pdpr_plan *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_bp_plan p;
    pdpr_accountant *a = NULL;
    const char *profile;
    pdpr_plan made = {.method = "blueprint",
                      .profile = "pure",
                      .unit = pdpr_i_method_blueprint.info.unit,
                      .nodes = num_nodes,
                      .epsilon = options->epsilon,
                      .delta = options->delta};

    PDPR_TRY(pdpr_i_profile_find(&pdpr_i_method_blueprint, options->profile, &profile, err));
    PDPR_TRY(pdpr_i_budget_check(options->epsilon, options->delta, num_nodes,
                                 options->accept_large_delta, true, err));
    PDPR_TRY(pdpr_i_bp_plan_make(num_nodes, options->epsilon, &p, err));
    PDPR_TRY(pdpr_accountant_new(ctx, &a, err));
    PDPR_TRY(pdpr_i_bp_account(ctx, &p, a, err));
    PDPR_TRY(pdpr_accountant_epsilon(ctx, a, options->delta, &made.epsilon_spent, err));
    made.queries = pdpr_i_bp_count_queries(&p);
    made.pure_epsilon = p.epsilon;
    *out = made;
done:
    pdpr_accountant_free(a);
    return s;
}

pdpr_status pdpr_i_bp_part_fit(pdpr_context *ctx, const pdpr_graph *g, const pdpr_i_bp_plan *plan,
                               pdpr_i_meter *meter, pdpr_i_fit *fitted, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_bp_numbers numbers = {0};

    PDPR_TRY(pdpr_i_bp_measure(ctx, g, plan, meter, &numbers, err));
    PDPR_TRY(pdpr_i_bp_certify(plan, &numbers, fitted->query, &fitted->num_queries, err));
    pdpr_i_fit_parameter(fitted, "orders", "1, seed %" PRIu64, plan->public_seed);
    pdpr_i_fit_parameter(fitted, "theta_grid", "%" PRIu32 " caps from %" PRIu32 " to %" PRIu32 "%s",
                         plan->num_thetas, plan->theta_grid[0],
                         plan->theta_grid[plan->num_thetas - 1],
                         plan->asks[PDPR_I_BP_THETA] ? "" : ", by rule: none was selected");
    fitted->edge_count = PDPR_I_EDGES_NOISY;
    PDPR_TRY(pdpr_i_bp_uncertainty_store(plan, &numbers, fitted->release, err));
    PDPR_TRY(pdpr_i_bp_targets_store(ctx, plan, &numbers, fitted->release, err));
    PDPR_TRY(store(ctx, fitted->release, pdpr_i_bp_path_cap(plan->num_nodes), &numbers, err));
done:
    pdpr_i_bp_numbers_clear(&numbers);
    return s;
}

static pdpr_status fit(pdpr_context *ctx, const pdpr_graph *g, const pdpr_method_options *options,
                       pdpr_ledger *ledger, pdpr_i_fit *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_bp_plan p;
    pdpr_i_fit fitted = {.checkpoint = out->checkpoint};
    pdpr_i_charge charges[PDPR_I_BP_CHARGES];
    pdpr_graph *undirected = NULL;
    pdpr_i_meter *meter = NULL;
    char parameters[160];
    const char *profile;

    PDPR_TRY(pdpr_i_profile_find(&pdpr_i_method_blueprint, options->profile, &profile, err));
    PDPR_TRY(pdpr_i_bp_plan_make(g->num_nodes, options->epsilon, &p, err));
    PDPR_TRY(pdpr_i_release_new(ctx, &pdpr_i_method_blueprint, g, options, profile, &fitted.release,
                                err));
    if (json_object_set_new(fitted.release->file.header, "epsilon", json_real(p.epsilon)) != 0) {
        s = pdpr_i_fail(err, PDPR_ENOMEM, "release header: out of memory");
        goto done;
    }
    if (g->directed) {
        PDPR_TRY(pdpr_graph_undirected(ctx, g, &undirected, err));
        g = undirected;
    }
    PDPR_TRY(pdpr_i_bp_find_room(ctx, g, &p, err));
    /* all that the plan follows from, and what the certificate will promise */
    snprintf(parameters, sizeof parameters,
             "blueprint/6 nodes %" PRIu32 " epsilon %.17g delta %.17g seed %" PRIu64 "%s",
             p.num_nodes, options->epsilon, options->delta, p.public_seed,
             options->seeded ? " no guarantee" : "");
    const pdpr_i_promise promise = {.epsilon = options->epsilon,
                                    .delta = options->delta,
                                    .accept_large_delta = options->accept_large_delta,
                                    .method = "blueprint",
                                    .day = options->day,
                                    .dataset = options->dataset,
                                    .parameters = parameters,
                                    .charges = charges,
                                    .num_charges = pdpr_i_bp_charges(&p, charges),
                                    .seeded = options->seeded,
                                    .seed = options->seed,
                                    .checkpoint = fitted.checkpoint};
    PDPR_TRY(pdpr_i_private_run_new(ctx, ledger, g, &promise, &fitted.run, err));
    PDPR_TRY(pdpr_i_private_run_start(fitted.run, &meter, err));
    PDPR_TRY(pdpr_i_bp_part_fit(ctx, g, &p, meter, &fitted, err));
    *out = fitted;
    memset(&fitted, 0, sizeof fitted);
done:
    pdpr_graph_free(undirected);
    pdpr_release_free(fitted.release);
    pdpr_i_private_run_free(fitted.run);
    return s;
}

/* Targets of a release that has none stored: fitted from its numbers. */
static pdpr_status fit_again(pdpr_context *ctx, const pdpr_release *release, pdpr_i_stream *random,
                             uint32_t *degree, pdpr_i_build_targets *targets, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_bp_plan p = {0};
    pdpr_i_bp_numbers numbers = {0};

    PDPR_TRY(recall(release, &p, &numbers, err));
    PDPR_TRY(pdpr_i_bp_fit(ctx, &p, &numbers, random, degree, targets, err));
done:
    return s;
}

static pdpr_status sample(pdpr_context *ctx, const pdpr_release *release, const pdpr_i_key *key,
                          uint64_t index, pdpr_graph **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_build_targets targets;
    pdpr_i_stream random;
    uint32_t *degree = NULL;
    uint64_t nodes = (uint64_t)json_integer_value(json_object_get(release->file.header, "nodes"));

    PDPR_TRY(pdpr_i_alloc(ctx, nodes, sizeof *degree, "degrees", &degree, err));
    pdpr_i_stream_init(&random, key, PDPR_I_PURPOSE_BLUEPRINT_FIT, index);
    if (pdpr_i_bp_targets_are_stored(release))
        PDPR_TRY(pdpr_i_bp_targets_recall(release, degree, &targets, err));
    else
        PDPR_TRY(fit_again(ctx, release, &random, degree, &targets, err));
    pdpr_i_deal_by_chance(degree, nodes, &random); /* any order is as good: no number tells */
    pdpr_i_stream_init(&random, key, PDPR_I_PURPOSE_BLUEPRINT_BUILD, index);
    PDPR_TRY(pdpr_i_build(ctx, &targets, &random, out, NULL, err));
done:
    pdpr_free(degree);
    return s;
}

const pdpr_i_method pdpr_i_method_blueprint = {
    .info =
        {.name = "blueprint",
         .summary =
             "measures degrees, triangles and components under node-level privacy, builds graphs that have them",
         .unit = "node (replace-one)",
         .profiles = "pure"},
    .promises = true,
    .pure = true,
    .resumes = true,
    .plan = plan,
    .fit = fit,
    .sample = sample,
};
