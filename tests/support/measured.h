/* The metrics of a graph, or a failed test. */
#ifndef PDPR_TESTS_MEASURED_H
#define PDPR_TESTS_MEASURED_H

#include "support/support.h"

pdpr_metrics test_measure(pdpr_context *ctx, const pdpr_graph *g);
/* Measures and frees g. */
pdpr_metrics test_measure_once(pdpr_context *ctx, pdpr_graph *g);

#endif
