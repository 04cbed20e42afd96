#include "method/forecast_table.h"
const double pdpr_i_forecast_nodes[PDPR_I_FORECAST_NODES] = {300, 1000, 3000, 10000, 30000};
const double pdpr_i_forecast_epsilons[PDPR_I_FORECAST_EPSILONS] = {0.1, 0.32, 1, 3.2, 10};
const double pdpr_i_forecast_degrees[PDPR_I_FORECAST_DEGREES] = {4, 16};
const float pdpr_i_forecast_table[PDPR_I_FORECAST_NODES][PDPR_I_FORECAST_EPSILONS]
                                 [PDPR_I_FORECAST_DEGREES][PDPR_FIGURES]
                                 [PDPR_I_FORECAST_QUANTILES] = {0};
