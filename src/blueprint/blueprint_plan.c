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
    MOST_NODES_FOREST = 50000, /* beyond, the forest's solver has not been tried on hard graphs */
    LEAST_NODES_PATHS = 50,    /* below, a horizon is most of the graph */
    MOST_NODES_PATHS = 30000   /* the routing's too */
};

const char *pdpr_i_bp_query_name(pdpr_i_bp_query query)
{
    return queries[query].name;
}

double pdpr_i_bp_share(const pdpr_i_bp_plan *plan, pdpr_i_bp_query query)
{
    return (double)plan->share[query].num / (double)plan->share[query].den;
}

/* Whether the answer can be told from noise: its noise against what a graph of this size can show.
 */
static bool is_worth_it(uint32_t num_nodes, double epsilon, pdpr_i_bp_query query)
{
    double n = num_nodes, share = queries[query].parts / 100.0 * epsilon;
    switch (query) {
    case PDPR_I_BP_THETA: /* a far too large cap loses by N / 5, and must be a rare accident */
        return share * n >= 15;
    case PDPR_I_BP_COMPONENTS:
        return num_nodes <= MOST_NODES_FOREST && (PDPR_I_BP_FOREST_CAP + 0.5) / share < 0.1 * n;
    case PDPR_I_BP_INDEX_LOW:
    case PDPR_I_BP_INDEX_HIGH:
        return 1 / share < 0.02 * n;
    case PDPR_I_BP_PATHS_1: /* noise of the second answer, the better one, as a part of its range */
    case PDPR_I_BP_PATHS_2:
        return num_nodes >= LEAST_NODES_PATHS && num_nodes <= MOST_NODES_PATHS &&
               1.25 / (queries[PDPR_I_BP_PATHS_2].parts / 100.0 * epsilon) < 0.15 * 2 * sqrt(n);
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
            kept += queries[q].parts;
    uint32_t left = 100;
    for (int q = 0; q < PDPR_I_BP_QUERIES; q++)
        if (is_worth_it(num_nodes, plan.epsilon, (pdpr_i_bp_query)q)) {
            uint32_t percent = 100 * queries[q].parts / kept;
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
