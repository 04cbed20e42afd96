/* The public setting of a deep-PageRank run: options and profile made into numbers, before any data
 * are read. */
#ifndef PDPR_METHOD_DPR_SETTING_H
#define PDPR_METHOD_DPR_SETTING_H

#include "blueprint/blueprint.h"
#include "dp/barrier.h"
#include "dpr/paper_constants.h"
#include "dpr/train.h"
#include "method/method.h"

typedef struct {
    const pdpr_i_method *method;
    const char *profile;
    bool private_run;   /* noise, a promise, a ledger */
    bool head;          /* only the public start rows of a step take gradient and noise */
    bool promise_paper; /* noise as the paper calibrates it */
    bool below_grid;    /* proved: on the barrier's grid every gradient is zero (signal_bound.h) */
    bool steered;       /* a blueprint shares the budget and decides the structure (steered.h) */
    double embedding_share;   /* steered: of epsilon */
    pdpr_i_bp_plan blueprint; /* steered */
    pdpr_i_paper_setting paper;
    pdpr_i_train_options train;
    uint64_t steps, coordinates; /* T; noised in each step */
    double epsilon, delta, mu;   /* mu of all steps: 0 without noise */
    pdpr_i_clip_plan clip;
    uint64_t edges; /* UINT64_MAX: every pair that was drawn (the paper's rule) */
} pdpr_i_dpr_setting;

/* Errors: PDPR_EUSAGE (says which option and what to change), PDPR_EBUDGET, PDPR_ENOMEM. */
pdpr_status pdpr_i_dpr_setting_make(pdpr_context *ctx, const pdpr_i_method *method,
                                    uint32_t num_nodes, const pdpr_method_options *options,
                                    pdpr_i_dpr_setting *out, pdpr_error *err);

/* What the plan of a run says of this setting. */
pdpr_status pdpr_i_dpr_plan(pdpr_context *ctx, const pdpr_i_dpr_setting *setting, pdpr_plan *out,
                            pdpr_error *err);

#endif
