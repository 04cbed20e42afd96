/* How good the graphs of a blueprint will be, from N, epsilon and an assumed density, before
 * anything is read or spent.
 *
 * A table of runs on generated graphs of the kinds that constants may be chosen on (experiments/
 * README.md) holds the 10 %, 50 % and 90 % quantiles of each error over kinds and seeds at the
 * points of a grid; between points the answer is linear in log N, log epsilon and log mean degree.
 * Beyond the grid the nearest point answers: noise goes on falling as graphs grow, so there the
 * forecast is cautious. The band is wide because kinds differ: it is for a graph of which nothing
 * but size and density is known. experiments/forecast.sh writes the table again with one command.
 */
#include "method/method.h"
#include "method/forecast_table.h"

#include <math.h>

static const double usual_mean_degree = 8;

/* Where x lies in an ascending grid: index of the point below, and how far to the next, by
 * logarithms. At the ends and beyond: 0 or 1 exactly. */
static uint32_t find_interval(const double *grid, uint32_t length, double x, double *part)
{
    uint32_t i = 0;
    while (i + 2 < length && x >= grid[i + 1])
        i++;
    double t = (log(x) - log(grid[i])) / (log(grid[i + 1]) - log(grid[i]));
    *part = t < 0 ? 0 : t > 1 ? 1 : t;
    return i;
}

static double interpolate(double nodes, double epsilon, double degree, pdpr_figure f, int quantile)
{
    double tn, te, td, sum = 0;
    uint32_t n = find_interval(pdpr_i_forecast_nodes, PDPR_I_FORECAST_NODES, nodes, &tn);
    uint32_t e = find_interval(pdpr_i_forecast_epsilons, PDPR_I_FORECAST_EPSILONS, epsilon, &te);
    uint32_t d = find_interval(pdpr_i_forecast_degrees, PDPR_I_FORECAST_DEGREES, degree, &td);
    for (uint32_t corner = 0; corner < 8; corner++) {
        uint32_t i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
        double weight = (i ? tn : 1 - tn) * (j ? te : 1 - te) * (k ? td : 1 - td);
        sum += weight * (double)pdpr_i_forecast_table[n + i][e + j][d + k][f][quantile];
    }
    return sum;
}

pdpr_status pdpr_forecast_make(pdpr_context *ctx, uint32_t num_nodes, double mean_degree,
                               const pdpr_method_options *options, pdpr_forecast *out,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_plan plan;
    pdpr_forecast made = {.mean_degree = mean_degree != 0 ? mean_degree : usual_mean_degree};

    if (!(made.mean_degree > 0 && made.mean_degree < num_nodes)) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "mean degree: expected above 0 and below the number of nodes, found %g",
                        made.mean_degree);
        goto done;
    }
    PDPR_TRY(pdpr_plan_make(ctx, num_nodes, options, &plan, err));
    if (plan.queries == 0) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "forecast: method %s with profile \"%s\" measures nothing that a table "
                        "could tell about",
                        plan.method, plan.profile);
        goto done;
    }
    for (pdpr_figure f = 0; f < PDPR_FIGURES; f++) {
        double *band[PDPR_I_FORECAST_QUANTILES] = {&made.low[f], &made.middle[f], &made.high[f]};
        for (int q = 0; q < PDPR_I_FORECAST_QUANTILES; q++)
            *band[q] = interpolate(num_nodes, plan.pure_epsilon, made.mean_degree, f, q);
    }
    *out = made;
done:
    return s;
}
