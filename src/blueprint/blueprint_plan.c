/* Which queries a run makes and what they may cost: a rule in N and epsilon, fixed before any data
 * are read.
 *
 * Queries are asked in rounds, each as soon as what its caps and windows depend on is known; all of
 * a round are paid for together and are equally precise (dp/box_noise.h). Shares are whole percents
 * of epsilon taken down to a multiple of 1e-5, so that every charge is a rational and the sum is
 * exact. A query that could not tell anything at this N and epsilon, or whose solver is too slow at
 * this N, is left out and its share given to the others in proportion. */
#include "blueprint/blueprint.h"

#include <math.h>

static const struct {
    const char *name;
    pdpr_i_bp_charge charge;
} queries[PDPR_I_BP_QUERIES] = {
    [PDPR_I_BP_THETA] = {"theta", PDPR_I_BP_SELECTION},
    [PDPR_I_BP_HISTOGRAM] = {"histogram", PDPR_I_BP_CURVE},
    [PDPR_I_BP_EDGES] = {"edges", PDPR_I_BP_ROUND_2},
    [PDPR_I_BP_EDGES_WIDE] = {"edges_wide", PDPR_I_BP_ROUND_3},
    [PDPR_I_BP_INDEX_LOW] = {"index_low", PDPR_I_BP_ROUND_1},
    [PDPR_I_BP_INDEX_HIGH] = {"index_high", PDPR_I_BP_ROUND_2},
    [PDPR_I_BP_TRIANGLES_1] = {"triangles_1", PDPR_I_BP_ROUND_3},
    [PDPR_I_BP_TRIANGLES_2] = {"triangles_2", PDPR_I_BP_ROUND_4},
    [PDPR_I_BP_FOREST] = {"forest", PDPR_I_BP_ROUND_1},
    [PDPR_I_BP_PATHS_1] = {"paths_1", PDPR_I_BP_ROUND_3},
    [PDPR_I_BP_PATHS_2] = {"paths_2", PDPR_I_BP_ROUND_4},
};

/* How precise the queries of a charge are, in parts of a whole of about 123: what a charge that
 * pays for one of them alone has. */
static const struct {
    const char *name;
    double precision;
} charges[PDPR_I_BP_CHARGES] = {
    [PDPR_I_BP_SELECTION] = {"theta", 4},  [PDPR_I_BP_ROUND_1] = {"round_1", 18},
    [PDPR_I_BP_CURVE] = {"histogram", 36}, [PDPR_I_BP_ROUND_2] = {"round_2", 11},
    [PDPR_I_BP_ROUND_3] = {"round_3", 12}, [PDPR_I_BP_ROUND_4] = {"round_4", 14.5},
};

static const uint32_t grid[] = {4,   6,   8,   12,  16,  24,   32,   48,   64,   96,  128,
                                192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096};
enum {
    GRID = sizeof grid / sizeof *grid,
    DENOMINATOR = 100 * 100000,
    TIGHT_NODES_FOREST = 50000, /* up to here the forest is certified to half a unit */
    LEAST_FOREST_CAP = 6,
    MOST_FOREST_CAP = 256,
    MOST_NODES_FOREST = 500000, /* beyond, the forest's solver has not been tried on hard graphs */
    LEAST_NODES_PATHS = 50,     /* below, a horizon is most of the graph */
    MOST_NODES_PATHS = 500000   /* the routing's too */
};
/* The forest's gap beyond: so many nodes for one of the gap, and the epsilon from which on; for
 * smaller ones the gap falls to half. */
static const double nodes_a_gap = 1300, epsilon_of_gap = 3.2;
/* Nodes times epsilon for one of the forest's cap: its noise is some 0.15 % of the nodes then. */
static const double nodes_a_cap = 4500;

const char *pdpr_i_bp_query_name(pdpr_i_bp_query query)
{
    return queries[query].name;
}

const char *pdpr_i_bp_charge_name(pdpr_i_bp_charge charge)
{
    return charges[charge].name;
}

pdpr_i_bp_charge pdpr_i_bp_charge_of(pdpr_i_bp_query query)
{
    return queries[query].charge;
}

uint32_t pdpr_i_bp_asked_together(const pdpr_i_bp_plan *plan, pdpr_i_bp_charge charge,
                                  pdpr_i_bp_query asked[PDPR_I_BOX_MOST])
{
    uint32_t count = 0;
    for (int q = 0; q < PDPR_I_BP_QUERIES; q++) {
        if (!plan->asks[q] || queries[q].charge != charge)
            continue;
        if (asked)
            asked[count] = (pdpr_i_bp_query)q;
        count++;
    }
    return count;
}

double pdpr_i_bp_precision(const pdpr_i_bp_plan *plan, pdpr_i_bp_query query)
{
    pdpr_i_bp_charge charge = queries[query].charge;
    if (!plan->asks[query])
        return 0;
    return (double)plan->charge[charge].num / (double)plan->charge[charge].den /
           pdpr_i_box_widening(pdpr_i_bp_asked_together(plan, charge, NULL));
}

void pdpr_i_bp_leave_out(pdpr_i_bp_plan *plan, pdpr_i_bp_query query)
{
    pdpr_i_bp_charge charge = queries[query].charge;
    uint32_t together = pdpr_i_bp_asked_together(plan, charge, NULL);
    if (!plan->asks[query])
        return;
    plan->asks[query] = false;
    double part =
        together > 1 ? pdpr_i_box_widening(together - 1) / pdpr_i_box_widening(together) : 0;
    plan->charge[charge].num = (uint64_t)(part * (double)plan->charge[charge].num);
}

/* What the cap cuts off hubs is what the answer is in doubt about; noise grows with the cap. */
uint32_t pdpr_i_bp_forest_cap(uint32_t num_nodes, double epsilon)
{
    double cap = num_nodes * epsilon / nodes_a_cap;
    return cap < LEAST_FOREST_CAP  ? LEAST_FOREST_CAP
           : cap < MOST_FOREST_CAP ? (uint32_t)cap
                                   : MOST_FOREST_CAP;
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
    uint64_t cap = pdpr_i_bp_forest_cap(plan->num_nodes, plan->epsilon);
    return 2 * cap + pdpr_i_bp_forest_gap(plan->num_nodes, plan->epsilon);
}

/* Whether the answer can be told from noise: its noise against what a graph of this size can show.
 * Parts are taken for percents, which they would be if some queries were left out. */
static bool is_worth_it(uint32_t num_nodes, double epsilon, pdpr_i_bp_query query)
{
    double n = num_nodes, precision = charges[queries[query].charge].precision / 100 * epsilon;
    switch (query) {
    case PDPR_I_BP_THETA: /* a far too large cap loses by N / 5, and must be a rare accident */
        return precision * n >= 15;
    case PDPR_I_BP_FOREST:
        return num_nodes <= MOST_NODES_FOREST &&
               (pdpr_i_bp_forest_cap(num_nodes, epsilon) +
                (double)pdpr_i_bp_forest_gap(num_nodes, epsilon) / 2) /
                       precision <
                   0.055 * n;
    case PDPR_I_BP_INDEX_LOW:
    case PDPR_I_BP_INDEX_HIGH:
        return 1 / precision < 0.02 * n;
    case PDPR_I_BP_PATHS_1: /* noise of the second answer, the better one, as a part of its range */
    case PDPR_I_BP_PATHS_2:
        return num_nodes >= LEAST_NODES_PATHS && num_nodes <= MOST_NODES_PATHS &&
               (num_nodes > PDPR_I_PATH_LARGE ? 1.5 : 1.25) /
                       (charges[PDPR_I_BP_ROUND_4].precision / 100 * epsilon) <
                   0.1 * pdpr_i_bp_most_pairs(num_nodes, epsilon);
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
    for (int q = 0; q < PDPR_I_BP_QUERIES; q++)
        plan.asks[q] = is_worth_it(num_nodes, plan.epsilon, (pdpr_i_bp_query)q);
    double parts[PDPR_I_BP_CHARGES] = {0}, all = 0;
    for (int c = 0; c < PDPR_I_BP_CHARGES; c++) {
        uint32_t together = pdpr_i_bp_asked_together(&plan, (pdpr_i_bp_charge)c, NULL);
        parts[c] = together ? charges[c].precision * pdpr_i_box_widening(together) : 0;
        all += parts[c];
    }
    uint32_t left = 100;
    for (int c = 0; c < PDPR_I_BP_CHARGES; c++) {
        uint32_t percent = (uint32_t)(100 * parts[c] / all);
        plan.charge[c] = (pdpr_i_ratio){percent * (uint64_t)units, DENOMINATOR};
        left -= percent;
    }
    plan.charge[PDPR_I_BP_CURVE].num += left * (uint64_t)units; /* what rounding left over */

    uint64_t most = num_nodes - 1;
    for (int i = 0; i < GRID && (i == 0 || grid[i] <= most); i++) {
        plan.theta_grid[plan.num_grid++] = grid[i];
        plan.num_thetas += grid[i] <= PDPR_I_BP_MOST_THETA; /* the wider ones: for edges_wide */
    }
    *out = plan;
    return PDPR_OK;
}
