#include "support/measured.h"

pdpr_metrics test_measure(pdpr_context *ctx, const pdpr_graph *g)
{
    pdpr_metrics m;
    pdpr_error err = {0};
    if (pdpr_metrics_compute(ctx, g, NULL, &m, &err) != PDPR_OK)
        fail_msg("metrics: %s", err.text);
    return m;
}

pdpr_metrics test_measure_once(pdpr_context *ctx, pdpr_graph *g)
{
    pdpr_metrics m = test_measure(ctx, g);
    pdpr_graph_free(g);
    return m;
}
