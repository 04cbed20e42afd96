/* The private side of the blueprint: measurements in, noisy integers out.
 *
 * Every value goes through the barrier under the charge of its query, in a fixed order; caps that
 * depend on earlier answers depend on released values only. Proof: docs/proofs/blueprint.md. */
#include "blueprint/blueprint.h"
#include "blueprint/measure_component_cap.h"
#include "blueprint/measure_degree_index.h"
#include "blueprint/measure_projection.h"
#include "blueprint/measure_triangle_cap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Solved values are released in halves. */
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

/* ---------------------------------------------------------------- rounds */

/* Queries that are asked together: what they found, still private, and where their answers go. */
typedef struct {
    pdpr_i_bp_charge charge;
    uint32_t count;
    pdpr_i_bp_query query[PDPR_I_BOX_MOST];
    int64_t value[PDPR_I_BOX_MOST];
    uint64_t sensitivity[PDPR_I_BOX_MOST];
    int64_t *answer[PDPR_I_BOX_MOST];
} asked_round;

static void add_to_round(asked_round *r, pdpr_i_bp_query query, int64_t value, uint64_t sensitivity,
                         int64_t *answer)
{
    r->query[r->count] = query;
    r->value[r->count] = value;
    r->sensitivity[r->count] = sensitivity;
    r->answer[r->count++] = answer;
}

/* A solved value of an integer sensitivity, certified to `gap` halves. */
static pdpr_status add_solved(asked_round *r, pdpr_i_bp_query query, uint64_t sensitivity,
                              uint64_t gap, const pdpr_i_interval *solved, int64_t *answer,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t steps;
    int64_t value;
    const pdpr_i_interval_request request = {.label = pdpr_i_bp_query_name(query),
                                             .sensitivity = sensitivity * PDPR_I_INTERVAL_ONE,
                                             .gap = gap * HALF,
                                             .units_per_step = HALF};
    PDPR_TRY(pdpr_i_interval_value(&request, (int64_t)solved->lo, (int64_t)solved->hi, &value,
                                   &steps, err));
    add_to_round(r, query, value, steps, answer);
done:
    return s;
}

/* Answers all of them. A round without a query is none. What is charged for comes from what was
 * measured; it must be what the certificate will say. */
static pdpr_status release_round(measuring *m, asked_round *r, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_box_request request = {.label = pdpr_i_bp_charge_name(r->charge),
                                        .epsilon = m->plan->charge[r->charge],
                                        .count = r->count,
                                        .sensitivity = r->sensitivity};
    if (r->count == 0)
        return PDPR_OK;
    for (uint32_t i = 0; i < r->count; i++)
        if (r->sensitivity[i] != pdpr_i_bp_sensitivity(m->plan, m->out, r->query[i]))
            return pdpr_i_fail(err, PDPR_EFAILED,
                               "query %s: its sensitivity is not the one that is certified",
                               pdpr_i_bp_query_name(r->query[i]));
    PDPR_TRY(pdpr_i_release_box(m->meter, &request, r->value, r->value, err));
    for (uint32_t i = 0; i < r->count; i++)
        *r->answer[i] = r->value[i];
done:
    return s;
}

/* ---------------------------------------------------------------- what rounds are made of */

/* First of the grid's caps that is at least `wish`, or the last before `end`. */
static uint32_t find_cap(const measuring *m, double wish, uint32_t end)
{
    uint32_t at = 0;
    while (at + 1 < end && m->plan->theta_grid[at] < wish)
        at++;
    return at;
}

int64_t pdpr_i_bp_cap_loss(uint32_t num_nodes, uint64_t edges, uint32_t cap)
{
    return llabs((int64_t)(edges / cap) - (int64_t)(num_nodes / 5));
}

/* A cap of about 2.5 times the mean degree, by selection. Without the query: the cap of a graph of
 * mean degree 3. */
static pdpr_status choose_cap(measuring *m, const pdpr_i_projection *p, uint32_t *chosen,
                              pdpr_error *err)
{
    int64_t losses[PDPR_I_BP_MOST_THETAS];
    if (!m->plan->asks[PDPR_I_BP_THETA]) {
        *chosen = find_cap(m, 8, m->plan->num_thetas);
        return PDPR_OK;
    }
    for (uint32_t i = 0; i < m->plan->num_thetas; i++)
        losses[i] = pdpr_i_bp_cap_loss(m->plan->num_nodes, p->edges[i], p->theta[i]);
    return pdpr_i_release_selection(m->ctx, m->meter, pdpr_i_bp_charge_name(PDPR_I_BP_SELECTION),
                                    pdpr_i_bp_sensitivity(m->plan, m->out, PDPR_I_BP_THETA), losses,
                                    m->plan->num_thetas, chosen, err);
}

static pdpr_status add_index(measuring *m, asked_round *r, pdpr_i_bp_query query, int64_t shift,
                             int64_t *answer, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_line line = {shift, 1};
    uint64_t index;
    if (!m->plan->asks[query])
        return PDPR_OK;
    PDPR_TRY(pdpr_i_degree_index(m->ctx, m->g, &line, 1, &index, err));
    add_to_round(r, query, (int64_t)index, 1, answer);
done:
    return s;
}

static pdpr_status add_forest(measuring *m, asked_round *r, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_interval solved;
    if (!m->plan->asks[PDPR_I_BP_FOREST])
        return PDPR_OK;
    uint64_t gap = pdpr_i_bp_forest_gap(m->plan->num_nodes, m->plan->epsilon); /* in halves */
    uint32_t cap = pdpr_i_bp_forest_cap(m->plan->num_nodes, m->plan->epsilon);
    PDPR_TRY(pdpr_i_component_cap(m->ctx, m->g, cap, gap * HALF, &solved, err));
    PDPR_TRY(add_solved(r, PDPR_I_BP_FOREST, cap, gap, &solved, &m->out->forest, err));
done:
    return s;
}

static pdpr_status add_triangles(measuring *m, asked_round *r, const pdpr_i_triangle_counts *counts,
                                 uint32_t number, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_interval solved;
    uint32_t cap = number == 0 ? pdpr_i_bp_first_triangle_cap(m->plan, m->out)
                               : pdpr_i_bp_second_triangle_cap(m->plan, m->out);
    uint64_t gap = pdpr_i_bp_triangle_gap(cap); /* in halves */
    m->out->triangle_cap[number] = cap;
    PDPR_TRY(pdpr_i_triangle_cap(m->ctx, counts, cap, gap * HALF, &solved, err));
    PDPR_TRY(add_solved(r, number == 0 ? PDPR_I_BP_TRIANGLES_1 : PDPR_I_BP_TRIANGLES_2, cap, gap,
                        &solved, &m->out->triangles[number], err));
done:
    return s;
}

static pdpr_status add_paths(measuring *m, asked_round *r, uint32_t number, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_bp_query query = number == 0 ? PDPR_I_BP_PATHS_1 : PDPR_I_BP_PATHS_2;
    pdpr_i_interval solved;
    if (!m->plan->asks[query])
        return PDPR_OK;
    pdpr_i_path_window window = number == 0 ? pdpr_i_bp_first_window(m->plan, m->out)
                                            : pdpr_i_bp_second_window(m->plan, m->out);
    pdpr_i_path_question question = pdpr_i_bp_path_question(m->plan, window, number);
    uint64_t sensitivity = pdpr_i_path_sensitivity(&question); /* of what is asked below */
    uint64_t gap = pdpr_i_bp_path_gap(m->plan, window);        /* in halves */
    PDPR_TRY(pdpr_i_path_length(m->ctx, m->g, &question, gap * HALF, &solved, err));
    m->out->window[number] = window;
    PDPR_TRY(add_solved(r, query, sensitivity, gap, &solved, &m->out->paths[number], err));
done:
    return s;
}

/* theta, from released numbers: a little below where the degree curve meets the diagonal, so that
 * few nodes are above it, unless that makes the noise of a bin more than a fortieth of the nodes;
 * but well above the mean degree, and within what its noise allows. At most h nodes have more than
 * h links, so the mean degree needs no more than twice the index: where there are hardly any links,
 * the selection, which then has nothing to tell its caps apart by, does not make noise of one. */
static uint32_t choose_theta(const measuring *m, uint32_t selected)
{
    double unit = m->plan->num_nodes * pdpr_i_bp_precision(m->plan, PDPR_I_BP_HISTOGRAM);
    double least = 0.001 * unit, quiet = 0.0125 * unit, most = 0.05 * unit,
           above_mean = 0.7 * m->plan->theta_grid[selected];
    double wish = least; /* without the index */
    if (m->plan->asks[PDPR_I_BP_INDEX_LOW]) {
        double index = (double)m->out->index_low,
               noise = 1 / pdpr_i_bp_precision(m->plan, PDPR_I_BP_INDEX_LOW);
        wish = 0.8 * (index - noise); /* too high a cap costs more */
        above_mean = fmin(above_mean, 2 * (fmax(index, 0) + 2 * noise));
    }
    wish = wish > quiet ? quiet : wish;
    wish = wish < above_mean ? above_mean : wish;
    wish = wish > most ? most : wish;
    return find_cap(m, wish, m->plan->num_thetas);
}

static pdpr_status measure_curve(measuring *m, const uint64_t *cumulative, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_bp_numbers *out = m->out;
    pdpr_i_laplace_request request = {.label = pdpr_i_bp_charge_name(PDPR_I_BP_CURVE),
                                      .l1_sensitivity =
                                          pdpr_i_bp_sensitivity(m->plan, out, PDPR_I_BP_HISTOGRAM)};
    PDPR_TRY(pdpr_i_alloc(m->ctx, out->theta, sizeof *out->cumulative, "degree histogram",
                          &out->cumulative, err));
    for (uint32_t k = 0; k < out->theta; k++)
        out->cumulative[k] = (int64_t)cumulative[k];
    PDPR_TRY(pdpr_i_laplace_rate(m->plan->charge[PDPR_I_BP_CURVE], request.l1_sensitivity,
                                 &request.rate, err));
    PDPR_TRY(pdpr_i_release_laplace(m->meter, &request, out->cumulative, out->theta,
                                    out->cumulative, err));
done:
    return s;
}

/* ---------------------------------------------------------------- all of it */

/* Up to the second round, and the wider count of edges for the third, still private. */
static pdpr_status measure_degrees(measuring *m, int64_t *edges_wide, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_projection p = {0};
    uint32_t selected, at, wide;
    pdpr_i_bp_numbers *out = m->out;
    asked_round first = {.charge = PDPR_I_BP_ROUND_1}, second = {.charge = PDPR_I_BP_ROUND_2};

    PDPR_TRY(add_index(m, &first, PDPR_I_BP_INDEX_LOW, 0, &out->index_low, err));
    PDPR_TRY(add_forest(m, &first, err));
    PDPR_TRY(pdpr_i_projection_measure(m->ctx, m->g, m->plan->public_seed, 1, m->plan->theta_grid,
                                       m->plan->num_grid, &p, err));
    PDPR_TRY(choose_cap(m, &p, &selected, err));
    PDPR_TRY(release_round(m, &first, err));

    at = choose_theta(m, selected);
    out->theta = p.theta[at];
    PDPR_TRY(measure_curve(m, p.cumulative[at], err));
    add_to_round(&second, PDPR_I_BP_EDGES, (int64_t)p.edges[at], out->theta, &out->edges);
    PDPR_TRY(add_index(m, &second, PDPR_I_BP_INDEX_HIGH, 2 * (int64_t)out->theta, &out->index_high,
                       err));
    PDPR_TRY(release_round(m, &second, err));

    wide = pdpr_i_bp_wide_cap(m->plan, out);
    out->wide = p.theta[wide];
    *edges_wide = (int64_t)p.edges[wide];
done:
    pdpr_i_projection_clear(&p);
    return s;
}

static pdpr_status measure_rest(measuring *m, int64_t edges_wide, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_triangle_counts counts = {0};
    asked_round third = {.charge = PDPR_I_BP_ROUND_3}, fourth = {.charge = PDPR_I_BP_ROUND_4};

    PDPR_TRY(pdpr_i_triangle_counts_init(m->ctx, m->g, &counts, err));
    add_to_round(&third, PDPR_I_BP_EDGES_WIDE, edges_wide, m->out->wide, &m->out->edges_wide);
    PDPR_TRY(add_triangles(m, &third, &counts, 0, err));
    PDPR_TRY(add_paths(m, &third, 0, err));
    PDPR_TRY(release_round(m, &third, err));

    PDPR_TRY(add_triangles(m, &fourth, &counts, 1, err));
    PDPR_TRY(add_paths(m, &fourth, 1, err));
    PDPR_TRY(release_round(m, &fourth, err));
done:
    pdpr_i_triangle_counts_clear(&counts);
    return s;
}

pdpr_status pdpr_i_bp_find_room(pdpr_context *ctx, const pdpr_graph *g, const pdpr_i_bp_plan *plan,
                                pdpr_error *err)
{
    void *room = NULL;
    if (!plan->asks[PDPR_I_BP_FOREST])
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
    int64_t edges_wide = 0;

    PDPR_TRY(measure_degrees(&m, &edges_wide, err));
    PDPR_TRY(measure_rest(&m, edges_wide, err));
    *out = numbers;
    memset(&numbers, 0, sizeof numbers);
done:
    pdpr_i_bp_numbers_clear(&numbers);
    return s;
}

/* ---------------------------------------------------------------- for the certificate */

uint64_t pdpr_i_bp_sensitivity(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers,
                               pdpr_i_bp_query query)
{
    switch (query) { /* no default: a new query must be named here */
    case PDPR_I_BP_THETA:
    case PDPR_I_BP_INDEX_LOW:
    case PDPR_I_BP_INDEX_HIGH:
        return 1;
    case PDPR_I_BP_HISTOGRAM:
        return 2 * (uint64_t)numbers->theta;
    case PDPR_I_BP_EDGES:
        return numbers->theta;
    case PDPR_I_BP_EDGES_WIDE:
        return numbers->wide;
    case PDPR_I_BP_TRIANGLES_1:
    case PDPR_I_BP_TRIANGLES_2: {
        uint32_t cap = numbers->triangle_cap[query == PDPR_I_BP_TRIANGLES_2];
        return 2 * (uint64_t)cap + pdpr_i_bp_triangle_gap(cap);
    }
    case PDPR_I_BP_FOREST:
        return pdpr_i_bp_forest_sensitivity(plan);
    case PDPR_I_BP_PATHS_1:
        return pdpr_i_bp_path_sensitivity(plan, numbers->window[0]);
    case PDPR_I_BP_PATHS_2:
        return pdpr_i_bp_path_sensitivity(plan, numbers->window[1]);
    case PDPR_I_BP_QUERIES:
        break;
    }
    return 0;
}

uint32_t pdpr_i_bp_steps_per_unit(pdpr_i_bp_query query)
{
    return query >= PDPR_I_BP_TRIANGLES_1 ? 2 : 1; /* solved values are in halves */
}

/* The one query of a charge that is no round. */
static pdpr_status certify_alone(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers,
                                 pdpr_i_bp_charge charge, pdpr_i_certificate_query *out,
                                 pdpr_error *err)
{
    bool selection = charge == PDPR_I_BP_SELECTION;
    pdpr_i_ratio epsilon = plan->charge[charge];
    uint64_t sensitivity =
        pdpr_i_bp_sensitivity(plan, numbers, selection ? PDPR_I_BP_THETA : PDPR_I_BP_HISTOGRAM);
    *out = (pdpr_i_certificate_query){
        .label = pdpr_i_bp_charge_name(charge),
        .kind = selection ? PDPR_I_QUERY_SELECTION : PDPR_I_QUERY_LAPLACE,
        .values = selection ? plan->num_thetas : numbers->theta,
        .sensitivity = {sensitivity, 1},
        .grid = {1, 1},
        .epsilon = {epsilon.num, epsilon.den},
        .scale = {(selection ? 2 : 1) * sensitivity * epsilon.den, epsilon.num}};
    if (out->scale.num > INT64_MAX / 2)
        return pdpr_i_fail(err, PDPR_EFAILED, "certificate: a scale is out of range");
    return PDPR_OK;
}

static void certify_round(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers,
                          pdpr_i_bp_charge charge, pdpr_i_certificate_query *out)
{
    pdpr_i_bp_query asked[PDPR_I_BOX_MOST];
    pdpr_i_ratio epsilon = plan->charge[charge];
    *out = (pdpr_i_certificate_query){.label = pdpr_i_bp_charge_name(charge),
                                      .kind = PDPR_I_QUERY_BOX,
                                      .epsilon = {epsilon.num, epsilon.den},
                                      .levels = pdpr_i_chunks(epsilon.num, epsilon.den)};
    out->values = pdpr_i_bp_asked_together(plan, charge, asked);
    for (uint32_t i = 0; i < out->values; i++) {
        uint32_t steps = pdpr_i_bp_steps_per_unit(asked[i]);
        out->answer[i] = (pdpr_i_certificate_answer){
            .label = pdpr_i_bp_query_name(asked[i]),
            .sensitivity = {pdpr_i_bp_sensitivity(plan, numbers, asked[i]), steps},
            .grid = {1, steps}};
    }
}

pdpr_status pdpr_i_bp_certify(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers,
                              pdpr_i_certificate_query *out, uint32_t *count, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t made = 0;
    for (int c = 0; c < PDPR_I_BP_CHARGES; c++) {
        pdpr_i_bp_charge charge = (pdpr_i_bp_charge)c;
        if (!plan->charge[c].num)
            continue;
        if (charge == PDPR_I_BP_SELECTION || charge == PDPR_I_BP_CURVE)
            PDPR_TRY(certify_alone(plan, numbers, charge, &out[made], err));
        else
            certify_round(plan, numbers, charge, &out[made]);
        made++;
    }
    *count = made;
done:
    return s;
}
