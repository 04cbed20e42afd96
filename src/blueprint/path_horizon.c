/* Which questions about path length are asked: a public rule.
 *
 * Windows follow the path length r = log N / log(mean degree) of a random graph with the released
 * number of edges (under the first cap for the first window, which is asked together with the wider
 * count, and under the wider one for the second); noise grows with their width. The first reaches
 * from 0.7 r to 3 r: beyond that little is told about graphs without locality. When the first
 * answer is near its horizon and most pairs can be joined, the graph is one of long paths, and the
 * second horizon is a little more than twice the first (four times took the solver ten minutes on
 * streets), without a floor; else the second window is 0.9 r to 2 r, where the distances of most
 * graphs are (docs/design/0019-path-windows.md). Pairs: as many as let the average node stay below
 * its cap even if all paths were L long, N c / (1.2 L), but no more than 2 c sqrt(N): with more,
 * hubs decide. Noise is in proportion to c and to 1/P, so c pairs for one cost no noise, and the
 * chance of which pairs were drawn counts less: c is 4 up to 12,000 nodes and falls to 1, so that
 * large graphs take no longer. On those a search may look at millions of links, so there are no
 * more pairs than noise demands: 600 c where epsilon is 3.2 or more, up to twice that below. The
 * certificate's gap is wider there too: a round of the solver less
 * (docs/design/0018-large-graphs.md). What decides here must come out alike wherever a run is taken
 * up again, so it is computed by operations that are rounded alike everywhere, and no logarithm is
 * among them. */
#include "blueprint/blueprint.h"

#include <math.h>

static const uint32_t horizons[] = {4,  6,  8,  10, 12, 14, 16, 18,  20,  24,  28,
                                    32, 40, 48, 56, 64, 80, 96, 128, 160, 192, 256};
/* Windows in tenths of r; the first horizon is 3 r. */
enum {
    HORIZONS = sizeof horizons / sizeof *horizons,
    FIRST_FLOOR = 7,
    SECOND_FLOOR = 9,
    SECOND_HORIZON = 20
};
static const double long_paths = 0.8;      /* of the horizon */
static const double long_in_less = 0.9;    /* of one below the first */
static const double least_connected = 0.6; /* of the pairs of a graph with long paths */
static const double most_cap = 4, nodes_of_cap = 48000; /* c is the second over N */
static const double pairs_large = 600, epsilon_large = 3.2, most_times = 2;

/* The first horizon of the grid that is not below, or the last. */
static uint32_t at_least(double wanted)
{
    int i = 0;
    while (i + 1 < HORIZONS && horizons[i] < wanted)
        i++;
    return horizons[i];
}

/* The first length with mean_degree^length >= N^3: 3 r, rounded up. */
static uint32_t three_lengths(const pdpr_i_bp_plan *plan, int64_t edges)
{
    double n = plan->num_nodes, mean_degree = 2 * (double)edges / n, reached = 1;
    uint32_t length = 0;
    if (!(mean_degree > 2)) /* also against noise */
        mean_degree = 2;
    for (; reached < n * n * n; length++)
        reached *= mean_degree;
    return length;
}

/* A floor of so many thirtieths of 3 r, that is, tenths of r. On large graphs searches without a
 * floor are the ones that were tried. */
static uint32_t floor_at(const pdpr_i_bp_plan *plan, uint32_t tenths, uint32_t lengths)
{
    uint32_t floor = tenths * lengths / 30;
    return floor < 1 || plan->num_nodes > PDPR_I_PATH_LARGE ? 1 : floor;
}

pdpr_i_path_window pdpr_i_bp_first_window(const pdpr_i_bp_plan *plan,
                                          const pdpr_i_bp_numbers *numbers)
{
    uint32_t lengths = three_lengths(plan, numbers->edges);
    return (pdpr_i_path_window){floor_at(plan, FIRST_FLOOR, lengths), at_least(lengths)};
}

uint32_t pdpr_i_bp_path_cap(uint32_t num_nodes)
{
    return (uint32_t)fmin(fmax(nodes_of_cap / num_nodes, 1), most_cap);
}

double pdpr_i_bp_most_pairs(uint32_t num_nodes, double epsilon)
{
    double most = 2 * sqrt(num_nodes);
    if (num_nodes > PDPR_I_PATH_LARGE)
        most = fmin(most, pairs_large * fmax(1, fmin(most_times, epsilon_large / epsilon)));
    return most;
}

pdpr_i_path_question pdpr_i_bp_path_question(const pdpr_i_bp_plan *plan, pdpr_i_path_window window,
                                             uint32_t number)
{
    double n = plan->num_nodes, per_cap = fmin(pdpr_i_bp_most_pairs(plan->num_nodes, plan->epsilon),
                                               n / (1.2 * window.horizon));
    uint32_t cap = pdpr_i_bp_path_cap(plan->num_nodes);
    uint32_t pairs = (uint32_t)(cap * (per_cap < 1 ? 1 : per_cap));
    return (pdpr_i_path_question){.floor = window.floor,
                                  .horizon = window.horizon,
                                  .cap = cap,
                                  .num_pairs = pairs,
                                  .public_seed = plan->public_seed,
                                  .index = number};
}

/* About which part of the pairs can be joined at all: small components have three nodes or so. */
static double connected_share(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    double n = plan->num_nodes, lacking = n - (double)numbers->forest / 2 - 1;
    if (!plan->asks[PDPR_I_BP_FOREST] || !(lacking > 0))
        return 1;
    double giant = 1 - 3 * lacking / n;
    return giant > 0.5 ? giant * giant : 0.25;
}

/* Streets, pipes and grids hang together; where many pairs cannot be joined, few are left to tell
 * long paths from noise. Where the forest was not asked, all are taken to be joined. */
static bool may_be_long(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    return connected_share(plan, numbers) > least_connected;
}

/* An answer as a part of its horizon, of the pairs that can be joined. */
static double part_of_horizon(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers,
                              uint32_t number)
{
    pdpr_i_path_window window = numbers->window[number];
    pdpr_i_path_question question = pdpr_i_bp_path_question(plan, window, number);
    double part = (double)numbers->paths[number] / 2 / question.num_pairs / window.horizon;
    double share = connected_share(plan, numbers);
    return (part - (1 - share)) / share;
}

pdpr_i_path_window pdpr_i_bp_second_window(const pdpr_i_bp_plan *plan,
                                           const pdpr_i_bp_numbers *numbers)
{
    uint32_t first = numbers->window[0].horizon, lengths = three_lengths(plan, numbers->edges_wide);
    if (may_be_long(plan, numbers) && part_of_horizon(plan, numbers, 0) > long_paths)
        return (pdpr_i_path_window){1, at_least(2.2 * first)};
    if (plan->num_nodes > PDPR_I_PATH_LARGE)
        return numbers->window[0];
    return (pdpr_i_path_window){floor_at(plan, SECOND_FLOOR, lengths),
                                at_least(SECOND_HORIZON * lengths / 30.0)};
}

bool pdpr_i_bp_paths_are_long(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    if (numbers->window[1].horizon > numbers->window[0].horizon)
        return true;
    if (!may_be_long(plan, numbers))
        return false;
    double first = pdpr_i_bp_precision(plan, PDPR_I_BP_PATHS_1);
    double second = pdpr_i_bp_precision(plan, PDPR_I_BP_PATHS_2);
    double bound =
        numbers->window[1].horizon < numbers->window[0].horizon ? long_in_less : long_paths;
    double excess = 0; /* over the bound, each answer by its precision */
    excess += first * first * (part_of_horizon(plan, numbers, 0) - long_paths);
    excess += second * second * (part_of_horizon(plan, numbers, 1) - bound);
    return excess > 0;
}

/* Without its gap; 0 if nothing was asked. */
static uint64_t exact_sensitivity(const pdpr_i_bp_plan *plan, pdpr_i_path_window window)
{
    if (window.horizon == 0)
        return 0;
    pdpr_i_path_question question = pdpr_i_bp_path_question(plan, window, 0);
    return pdpr_i_path_sensitivity(&question);
}

uint64_t pdpr_i_bp_path_gap(const pdpr_i_bp_plan *plan, pdpr_i_path_window window)
{
    uint64_t sensitivity = exact_sensitivity(plan, window); /* so many halves are half of it */
    return plan->num_nodes > PDPR_I_PATH_LARGE ? sensitivity : (sensitivity + 1) / 2;
}

uint64_t pdpr_i_bp_path_sensitivity(const pdpr_i_bp_plan *plan, pdpr_i_path_window window)
{
    return 2 * exact_sensitivity(plan, window) + pdpr_i_bp_path_gap(plan, window);
}
