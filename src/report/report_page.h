/* The private report, between its files: what was measured for it, and its parts. */
#ifndef PDPR_REPORT_REPORT_PAGE_H
#define PDPR_REPORT_REPORT_PAGE_H

#include "base/text_buffer.h"
#include "metrics/curves.h"
#include "report/verdict.h"

typedef struct {
    const pdpr_comparison *c;
    uint32_t count; /* synthetic graphs, at least one */
    bool have_null; /* the comparison had null graphs: the first is drawn too */
    pdpr_i_curves original, null_model;
    pdpr_i_curves *synthetic;                             /* [count] */
    pdpr_i_core core_original, core_null, core_synthetic; /* of the first synthetic graph */
    pdpr_i_judgement verdict[PDPR_I_USES];
} pdpr_i_report_data;

/* The table of the eight metrics. */
void pdpr_i_report_table(pdpr_i_text *b, const pdpr_i_report_data *d);

/* All figures. Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_report_figures(pdpr_i_text *b, const pdpr_i_report_data *d, pdpr_error *err);

/* One number at each point of a grid: of the original, of the null model, and of the synthetic
 * graphs their mean, least and most. NaN where there is none. */
typedef struct {
    uint32_t count;
    double *x, *original, *null_model, *mean, *low, *high; /* [count] each; x owns the block */
} pdpr_i_series;

/* A number of a graph at point i; `grid` as the caller likes it. */
typedef double (*pdpr_i_curve)(const pdpr_i_curves *c, const void *grid, uint32_t i);

/* Fills all but x, which is zero. Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_series_init(pdpr_context *ctx, const pdpr_i_report_data *d, pdpr_i_curve value,
                               const void *grid, uint32_t count, pdpr_i_series *out,
                               pdpr_error *err);
void pdpr_i_series_clear(pdpr_i_series *series);

#endif
