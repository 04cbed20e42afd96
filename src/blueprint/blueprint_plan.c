/* Which queries a run makes and what each may cost: a rule in N and epsilon, fixed before any data
 * are read.
 *
 * Shares are whole percents of epsilon taken down to a multiple of 1e-5, so that every epsilon_i is
 * a rational and the sum is exact. A query that could not tell anything at this N and epsilon, or
 * whose solver is too slow at this N, is left out and its share given to the others in proportion.
 */
#include "blueprint/blueprint.h"

#include <math.h>

static const struct {
    const char *name;
    uint32_t parts; /* of what the queries that are made have together */
} queries[PDPR_I_BP_QUERIES] = {
    {"theta", 4},       {"histogram", 31},  {"edges", 5},       {"edges_wide", 8},
    {"index_low", 18},  {"index_high", 10}, {"triangles_1", 8}, {"triangles_2", 12},
    {"components", 10}, {"paths_1", 8},     {"paths_2", 10},
};

static const uint32_t grid[] = {4,   6,   8,   12,  16,  24,   32,   48,   64,   96,  128,
                                192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096};
enum {
    GRID = sizeof grid / sizeof *grid,
    DENOMINATOR = 100 * 100000,
    TIGHT_NODES_FOREST = 50000, /* up to here the forest is certified to half a unit */
    MOST_NODES_FOREST = 500000, /* beyond, the forest's solver has not been tried on hard graphs */
    LEAST_NODES_PATHS = 50,     /* below, a horizon is most of the graph */
    MOST_NODES_PATHS = 500000   /* the routing's too */
};
/* The forest's gap beyond: so many nodes for one of the gap, and the epsilon from which on; for
 * smaller ones the gap falls to half. */
static const double nodes_a_gap = 1300, epsilon_of_gap = 3.2;

const char *pdpr_i_bp_query_name(pdpr_i_bp_query query)
{
    return queries[query].name;
}

double pdpr_i_bp_share(const pdpr_i_bp_plan *plan, pdpr_i_bp_query query)
{
    return (double)plan->share[query].num / (double)plan->share[query].den;
}

/* On large graphs hard cores take long to be certified, and what a node more or less tells is
 * little: the gap is at most N / 1300, which at epsilon 3.2 makes the noise about 0.3 % of the
 * nodes. Sums, products and quotients only: rounded alike everywhere. */
uint64_t pdpr_i_bp_forest_gap(uint32_t num_nodes, double epsilon)
{
    if (num_nodes <= TIGHT_NODES_FOREST)
        return 1;
    double part = fmax(0.5, fmin(1, epsilon / epsilon_of_gap));
    return 1 + (uint64_t)(2 * part * (num_nodes - TIGHT_NODES_FOREST) / nodes_a_gap);
}

uint64_t pdpr_i_bp_forest_sensitivity(const pdpr_i_bp_plan *plan)
{
    return 2 * PDPR_I_BP_FOREST_CAP + pdpr_i_bp_forest_gap(plan->num_nodes, plan->epsilon);
}

/* Parts of the budget. The forest and the path lengths of large graphs are precise enough with
 * fewer: the forest's noise is a small part of the nodes, and there are more pairs. */
static uint32_t parts_of(uint32_t num_nodes, pdpr_i_bp_query query)
{
    enum { FOREST_LARGE = 8, PATHS_1_LARGE = 4, PATHS_2_LARGE = 5 };
    if (query == PDPR_I_BP_COMPONENTS && num_nodes > TIGHT_NODES_FOREST)
        return FOREST_LARGE;
    if (query == PDPR_I_BP_PATHS_1 && num_nodes > PDPR_I_PATH_LARGE)
        return PATHS_1_LARGE;
    if (query == PDPR_I_BP_PATHS_2 && num_nodes > PDPR_I_PATH_LARGE)
        return PATHS_2_LARGE;
    return queries[query].parts;
}

/* Whether the answer can be told from noise: its noise against what a graph of this size can show.
 */
static bool is_worth_it(uint32_t num_nodes, double epsilon, pdpr_i_bp_query query)
{
    double n = num_nodes, share = parts_of(num_nodes, query) / 100.0 * epsilon;
    switch (query) {
    case PDPR_I_BP_THETA: /* a far too large cap loses by N / 5, and must be a rare accident */
        return share * n >= 15;
    case PDPR_I_BP_COMPONENTS:
        return num_nodes <= MOST_NODES_FOREST &&
               (PDPR_I_BP_FOREST_CAP + (double)pdpr_i_bp_forest_gap(num_nodes, epsilon) / 2) /
                       share <
                   0.1 * n;
    case PDPR_I_BP_INDEX_LOW:
    case PDPR_I_BP_INDEX_HIGH:
        return 1 / share < 0.02 * n;
    case PDPR_I_BP_PATHS_1: /* noise of the second answer, the better one, as a part of its range */
    case PDPR_I_BP_PATHS_2:
        return num_nodes >= LEAST_NODES_PATHS && num_nodes <= MOST_NODES_PATHS &&
               (num_nodes > PDPR_I_PATH_LARGE ? 1.5 : 1.25) /
                       (parts_of(num_nodes, PDPR_I_BP_PATHS_2) / 100.0 * epsilon) <
                   0.15 * pdpr_i_bp_most_pairs(num_nodes, epsilon);
    default:
        return true;
    }
}

pdpr_status pdpr_i_bp_plan_make(uint32_t num_nodes, double epsilon, pdpr_i_bp_plan *out,
                                pdpr_error *err)
{
    pdpr_i_bp_plan plan = {.num_nodes = num_nodes, .public_seed = 1};
    if (num_nodes < 2)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "method blueprint: expected a graph of at least 2 nodes, found %" PRIu32,
                           num_nodes);
    double units = floor(epsilon * 100000 + 1e-6); /* epsilon in units of 1e-5, rounded down */
    if (units / 100000 > epsilon) /* rounded correctly, so a plan's own epsilon gives it again */
        units -= 1;
    if (!(units >= 100 && units <= 5000000))
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "method blueprint: expected epsilon from 0.001 to 50, found %g",
                           epsilon);

    plan.epsilon = units / 100000;
    uint32_t kept = 0;
    for (int q = 0; q < PDPR_I_BP_QUERIES; q++)
        if (is_worth_it(num_nodes, plan.epsilon, (pdpr_i_bp_query)q))
            kept += parts_of(num_nodes, (pdpr_i_bp_query)q);
    uint32_t left = 100;
    for (int q = 0; q < PDPR_I_BP_QUERIES; q++)
        if (is_worth_it(num_nodes, plan.epsilon, (pdpr_i_bp_query)q)) {
            uint32_t percent = 100 * parts_of(num_nodes, (pdpr_i_bp_query)q) / kept;
            plan.share[q] = (pdpr_i_ratio){percent * (uint64_t)units, DENOMINATOR};
            left -= percent;
        }
    plan.share[PDPR_I_BP_HISTOGRAM].num += left * (uint64_t)units; /* what rounding left over */

    uint64_t most = num_nodes - 1;
    for (int i = 0; i < GRID && (i == 0 || grid[i] <= most); i++) {
        plan.theta_grid[plan.num_grid++] = grid[i];
        plan.num_thetas += grid[i] <= PDPR_I_BP_MOST_THETA; /* the wider ones: for edges_wide */
    }
    *out = plan;
    return PDPR_OK;
}
