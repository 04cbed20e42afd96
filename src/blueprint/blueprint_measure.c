/* The private side of the blueprint: measurements in, noisy integers out.
 *
 * Every value goes through the barrier under the charge of its query, in a fixed order; caps that
 * depend on earlier answers depend on released values only. Proof: docs/proofs/blueprint.md. */
#include "blueprint/blueprint.h"
#include "blueprint/measure_component_cap.h"
#include "blueprint/measure_degree_index.h"
#include "blueprint/measure_projection.h"
#include "blueprint/measure_triangle_cap.h"

#include <stdlib.h>
#include <string.h>

/* Solved values are released in halves; triangles are certified to one. */
enum { HALF = PDPR_I_INTERVAL_ONE / 2 };

void pdpr_i_bp_numbers_clear(pdpr_i_bp_numbers *numbers)
{
    pdpr_free(numbers->cumulative);
    memset(numbers, 0, sizeof *numbers);
}

typedef struct {
    pdpr_context *ctx;
    const pdpr_graph *g;
    const pdpr_i_bp_plan *plan;
    pdpr_i_meter *meter;
    pdpr_i_bp_numbers *out;
} measuring;

/* Integers of a declared L1 sensitivity, under the charge of a query. */
static pdpr_status release(measuring *m, pdpr_i_bp_query query, uint64_t l1_sensitivity,
                           const int64_t *values, uint64_t count, int64_t *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_laplace_request request = {.label = pdpr_i_bp_query_name(query),
                                      .l1_sensitivity = l1_sensitivity};
    PDPR_TRY(pdpr_i_laplace_rate(m->plan->share[query], l1_sensitivity, &request.rate, err));
    PDPR_TRY(pdpr_i_release_laplace(m->meter, &request, values, count, out, err));
done:
    return s;
}

/* A solved value of an integer sensitivity, certified to `gap` halves. */
static pdpr_status release_interval(measuring *m, pdpr_i_bp_query query, uint64_t cap, uint64_t gap,
                                    const pdpr_i_interval *value, int64_t *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t steps;
    pdpr_i_interval_request request = {.label = pdpr_i_bp_query_name(query),
                                       .sensitivity = cap * PDPR_I_INTERVAL_ONE,
                                       .gap = gap * HALF,
                                       .units_per_step = HALF};
    PDPR_TRY(pdpr_i_interval_sensitivity(&request, &steps, err));
    PDPR_TRY(pdpr_i_laplace_rate(m->plan->share[query], steps, &request.rate, err));
    PDPR_TRY(pdpr_i_release_interval(m->meter, &request, (int64_t)value->lo, (int64_t)value->hi,
                                     out, err));
done:
    return s;
}

/* First of the grid's caps that is at least `wish`, or the last before `end`. */
static uint32_t find_cap(const measuring *m, double wish, uint32_t end)
{
    uint32_t at = 0;
    while (at + 1 < end && m->plan->theta_grid[at] < wish)
        at++;
    return at;
}

/* A cap of about 2.5 times the mean degree, by selection: the loss |floor(m_t / t) - floor(N / 5)|
 * moves by at most 1 between neighbours, since m_t moves by at most t. Without the query: the cap
 * of a graph of mean degree 3. */
static pdpr_status choose_cap(measuring *m, const pdpr_i_projection *p, uint32_t *chosen,
                              pdpr_error *err)
{
    int64_t losses[PDPR_I_BP_MOST_THETAS];
    if (!m->plan->share[PDPR_I_BP_THETA].num) {
        *chosen = find_cap(m, 8, m->plan->num_thetas);
        return PDPR_OK;
    }
    for (uint32_t i = 0; i < m->plan->num_thetas; i++)
        losses[i] = llabs((int64_t)(p->edges[i] / p->theta[i]) - (int64_t)(m->plan->num_nodes / 5));
    return pdpr_i_release_selection(m->ctx, m->meter, pdpr_i_bp_query_name(PDPR_I_BP_THETA), 1,
                                    losses, m->plan->num_thetas, chosen, err);
}

static pdpr_status measure_index(measuring *m, pdpr_i_bp_query query, int64_t shift, int64_t *out,
                                 pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_line line = {shift, 1};
    uint64_t index;
    PDPR_TRY(pdpr_i_degree_index(m->ctx, m->g, &line, 1, &index, err));
    int64_t value = (int64_t)index;
    PDPR_TRY(release(m, query, 1, &value, 1, out, err));
done:
    return s;
}

/* theta, from released numbers: a little below where the degree curve meets the diagonal, so that
 * few nodes are above it, unless that makes the noise of a bin more than a fortieth of the nodes;
 * but well above the mean degree, and within what its noise allows. */
static uint32_t choose_theta(const measuring *m, uint32_t selected)
{
    double unit = m->plan->num_nodes * pdpr_i_bp_share(m->plan, PDPR_I_BP_HISTOGRAM);
    double least = 0.001 * unit, quiet = 0.0125 * unit, most = 0.05 * unit,
           above_mean = 0.7 * m->plan->theta_grid[selected];
    double wish = least;                         /* without the index */
    if (m->plan->share[PDPR_I_BP_INDEX_LOW].num) /* less its noise: too high a cap costs more */
        wish =
            0.8 * ((double)m->out->index_low - 1 / pdpr_i_bp_share(m->plan, PDPR_I_BP_INDEX_LOW));
    wish = wish > quiet ? quiet : wish;
    wish = wish < above_mean ? above_mean : wish;
    wish = wish > most ? most : wish;
    return find_cap(m, wish, m->plan->num_thetas);
}

static pdpr_status measure_degrees(measuring *m, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_projection p = {0};
    uint32_t selected, at, wide;
    pdpr_i_bp_numbers *out = m->out;

    PDPR_TRY(pdpr_i_projection_measure(m->ctx, m->g, m->plan->public_seed, 1, m->plan->theta_grid,
                                       m->plan->num_grid, &p, err));
    PDPR_TRY(choose_cap(m, &p, &selected, err));
    if (m->plan->share[PDPR_I_BP_INDEX_LOW].num)
        PDPR_TRY(measure_index(m, PDPR_I_BP_INDEX_LOW, 0, &out->index_low, err));
    at = choose_theta(m, selected);
    out->theta = p.theta[at];
    PDPR_TRY(pdpr_i_alloc(m->ctx, out->theta, sizeof *out->cumulative, "degree histogram",
                          &out->cumulative, err));
    for (uint32_t k = 0; k < out->theta; k++)
        out->cumulative[k] = (int64_t)p.cumulative[at][k];
    PDPR_TRY(release(m, PDPR_I_BP_HISTOGRAM, 2 * (uint64_t)out->theta, out->cumulative, out->theta,
                     out->cumulative, err));
    int64_t edges = (int64_t)p.edges[at];
    PDPR_TRY(release(m, PDPR_I_BP_EDGES, out->theta, &edges, 1, &out->edges, err));
    if (m->plan->share[PDPR_I_BP_INDEX_HIGH].num)
        PDPR_TRY(
            measure_index(m, PDPR_I_BP_INDEX_HIGH, 2 * (int64_t)out->theta, &out->index_high, err));
    wide = pdpr_i_bp_wide_cap(m->plan, out);
    out->wide = p.theta[wide];
    int64_t edges_wide = (int64_t)p.edges[wide];
    PDPR_TRY(release(m, PDPR_I_BP_EDGES_WIDE, out->wide, &edges_wide, 1, &out->edges_wide, err));
done:
    pdpr_i_projection_clear(&p);
    return s;
}

static pdpr_status measure_triangles(measuring *m, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_triangle_counts counts = {0};
    pdpr_i_interval value;

    PDPR_TRY(pdpr_i_triangle_counts_init(m->ctx, m->g, &counts, err));
    for (int i = 0; i < 2; i++) {
        uint32_t cap = i == 0 ? pdpr_i_bp_first_triangle_cap(m->plan, m->out)
                              : pdpr_i_bp_second_triangle_cap(m->plan, m->out);
        m->out->triangle_cap[i] = cap;
        PDPR_TRY(pdpr_i_triangle_cap(m->ctx, &counts, cap, HALF, &value, err));
        PDPR_TRY(release_interval(m, i == 0 ? PDPR_I_BP_TRIANGLES_1 : PDPR_I_BP_TRIANGLES_2, cap, 1,
                                  &value, &m->out->triangles[i], err));
    }
done:
    pdpr_i_triangle_counts_clear(&counts);
    return s;
}

static pdpr_status measure_components(measuring *m, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_interval value;
    if (!m->plan->share[PDPR_I_BP_COMPONENTS].num)
        return PDPR_OK;
    uint64_t gap = pdpr_i_bp_forest_gap(m->plan->num_nodes, m->plan->epsilon); /* in halves */
    PDPR_TRY(pdpr_i_component_cap(m->ctx, m->g, PDPR_I_BP_FOREST_CAP, gap * HALF, &value, err));
    PDPR_TRY(release_interval(m, PDPR_I_BP_COMPONENTS, PDPR_I_BP_FOREST_CAP, gap, &value,
                              &m->out->forest, err));
done:
    return s;
}

static pdpr_status measure_paths(measuring *m, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_bp_numbers *out = m->out;
    pdpr_i_interval value;
    if (!m->plan->share[PDPR_I_BP_PATHS_1].num)
        return PDPR_OK;
    for (uint32_t i = 0; i < 2; i++) {
        pdpr_i_path_window window =
            i == 0 ? pdpr_i_bp_first_window(m->plan, out) : pdpr_i_bp_second_window(m->plan, out);
        pdpr_i_path_question question = pdpr_i_bp_path_question(m->plan, window, i);
        uint64_t sensitivity = pdpr_i_path_sensitivity(&question); /* of what is asked below */
        uint64_t gap = pdpr_i_bp_path_gap(m->plan, window);        /* in halves */
        PDPR_TRY(pdpr_i_path_length(m->ctx, m->g, &question, gap * HALF, &value, err));
        PDPR_TRY(release_interval(m, i == 0 ? PDPR_I_BP_PATHS_1 : PDPR_I_BP_PATHS_2, sensitivity,
                                  gap, &value, &out->paths[i], err));
        out->window[i] = window;
    }
done:
    return s;
}

pdpr_status pdpr_i_bp_find_room(pdpr_context *ctx, const pdpr_graph *g, const pdpr_i_bp_plan *plan,
                                pdpr_error *err)
{
    void *room = NULL;
    if (!plan->share[PDPR_I_BP_COMPONENTS].num)
        return PDPR_OK;
    pdpr_status s =
        pdpr_i_alloc(ctx, pdpr_i_component_cap_memory(g), 1, "capped forest", &room, err);
    pdpr_free(room);
    return s;
}

pdpr_status pdpr_i_bp_measure(pdpr_context *ctx, const pdpr_graph *g, const pdpr_i_bp_plan *plan,
                              pdpr_i_meter *meter, pdpr_i_bp_numbers *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_bp_numbers numbers = {0};
    measuring m = {ctx, g, plan, meter, &numbers};

    PDPR_TRY(measure_degrees(&m, err));
    PDPR_TRY(measure_triangles(&m, err));
    PDPR_TRY(measure_components(&m, err));
    PDPR_TRY(measure_paths(&m, err));
    *out = numbers;
    memset(&numbers, 0, sizeof numbers);
done:
    pdpr_i_bp_numbers_clear(&numbers);
    return s;
}

/* ---------------------------------------------------------------- for the certificate */

pdpr_status pdpr_i_bp_certify(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers,
                              pdpr_i_certificate_query *out, uint32_t *count, pdpr_error *err)
{
    /* sensitivities in grid units; solved values are in halves and pay for their gap */
    const uint64_t sensitivity[PDPR_I_BP_QUERIES] = {
        1,
        2 * (uint64_t)numbers->theta,
        numbers->theta,
        numbers->wide,
        1,
        1,
        2 * (uint64_t)numbers->triangle_cap[0] + 1,
        2 * (uint64_t)numbers->triangle_cap[1] + 1,
        pdpr_i_bp_forest_sensitivity(plan),
        pdpr_i_bp_path_sensitivity(plan, numbers->window[0]),
        pdpr_i_bp_path_sensitivity(plan, numbers->window[1])};
    uint32_t made = 0;
    for (int q = 0; q < PDPR_I_BP_QUERIES; q++) {
        pdpr_i_ratio share = plan->share[q];
        if (!share.num)
            continue;
        bool selection = q == PDPR_I_BP_THETA, halves = q >= PDPR_I_BP_TRIANGLES_1;
        pdpr_i_certificate_query *x = &out[made++];
        *x = (pdpr_i_certificate_query){.label = pdpr_i_bp_query_name((pdpr_i_bp_query)q),
                                        .kind = selection ? PDPR_I_QUERY_SELECTION
                                                          : PDPR_I_QUERY_LAPLACE,
                                        .values = selection                  ? plan->num_thetas
                                                  : q == PDPR_I_BP_HISTOGRAM ? numbers->theta
                                                                             : 1,
                                        .sensitivity = {sensitivity[q], halves ? 2 : 1},
                                        .grid = {1, halves ? 2 : 1},
                                        .epsilon = {share.num, share.den},
                                        .scale = {(selection ? 2 : 1) * sensitivity[q] * share.den,
                                                  share.num * (halves ? 2 : 1)}};
        if (x->scale.num > INT64_MAX / 2)
            return pdpr_i_fail(err, PDPR_EFAILED, "certificate: a scale is out of range");
    }
    *count = made;
    return PDPR_OK;
}
