/* A number of several graphs over a common grid: one line each for the original and the null model,
 * a line with a band for the synthetic graphs.
 *
 * The band is from least to most, not a multiple of a standard deviation: with five samples the
 * latter is itself uncertain, and the former can be read without a word. Points where some samples
 * have no value are averaged over the others. */
#include "report/report_page.h"

#include <math.h>

static void span_samples(const pdpr_i_report_data *d, pdpr_i_curve value, const void *grid,
                         uint32_t i, pdpr_i_series *out)
{
    double sum = 0, low = INFINITY, high = -INFINITY;
    uint32_t defined = 0;
    for (uint32_t k = 0; k < d->count; k++) {
        double v = value(&d->synthetic[k], grid, i);
        if (isnan(v))
            continue;
        sum += v;
        low = fmin(low, v);
        high = fmax(high, v);
        defined++;
    }
    out->mean[i] = defined ? sum / defined : NAN;
    out->low[i] = defined ? low : NAN;
    out->high[i] = defined ? high : NAN;
}

pdpr_status pdpr_i_series_init(pdpr_context *ctx, const pdpr_i_report_data *d, pdpr_i_curve value,
                               const void *grid, uint32_t count, pdpr_i_series *out,
                               pdpr_error *err)
{
    double *block = NULL;
    pdpr_status s = pdpr_i_zalloc(ctx, 6 * (uint64_t)count, sizeof *block, "curves", &block, err);
    if (s != PDPR_OK)
        return s;
    pdpr_i_series f = {.count = count,
                       .x = block,
                       .original = block + count,
                       .null_model = block + 2 * (size_t)count,
                       .mean = block + 3 * (size_t)count,
                       .low = block + 4 * (size_t)count,
                       .high = block + 5 * (size_t)count};
    for (uint32_t i = 0; i < count; i++) {
        f.original[i] = value(&d->original, grid, i);
        f.null_model[i] = d->have_null ? value(&d->null_model, grid, i) : NAN;
        span_samples(d, value, grid, i, &f);
    }
    *out = f;
    return PDPR_OK;
}

void pdpr_i_series_clear(pdpr_i_series *series)
{
    pdpr_free(series->x);
    *series = (pdpr_i_series){0};
}
