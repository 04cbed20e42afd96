/* A training run to its end. */
#ifndef PDPR_TESTS_TRAINED_H
#define PDPR_TESTS_TRAINED_H

#include "support/support.h"

#include "dpr/dpr.h"

/* All steps that are left, one by one. Errors: as pdpr_i_trainer_steps. */
pdpr_status test_train(pdpr_context *ctx, pdpr_i_trainer *t, pdpr_error *err);

#endif
