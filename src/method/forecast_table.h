/* Errors of blueprint graphs on generated graphs: the table behind pdpr_forecast_make.
 * forecast_table.c is written by experiments/forecast.sh and never by hand. */
#ifndef PDPR_METHOD_FORECAST_TABLE_H
#define PDPR_METHOD_FORECAST_TABLE_H

#include <privdpr/privdpr.h>

enum {
    PDPR_I_FORECAST_NODES = 5,
    PDPR_I_FORECAST_EPSILONS = 5,
    PDPR_I_FORECAST_DEGREES = 2,
    PDPR_I_FORECAST_QUANTILES = 3 /* 10 %, 50 %, 90 % of the runs */
};

/* Grids, ascending. */
extern const double pdpr_i_forecast_nodes[PDPR_I_FORECAST_NODES];
extern const double pdpr_i_forecast_epsilons[PDPR_I_FORECAST_EPSILONS];
extern const double pdpr_i_forecast_degrees[PDPR_I_FORECAST_DEGREES];

extern const float pdpr_i_forecast_table[PDPR_I_FORECAST_NODES][PDPR_I_FORECAST_EPSILONS]
                                        [PDPR_I_FORECAST_DEGREES][PDPR_FIGURES]
                                        [PDPR_I_FORECAST_QUANTILES];

#endif
