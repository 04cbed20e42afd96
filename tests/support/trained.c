#include "support/trained.h"

pdpr_status test_train(pdpr_context *ctx, pdpr_i_trainer *t, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    while (s == PDPR_OK && t->step < t->num_steps)
        s = pdpr_i_trainer_steps(ctx, t, 1, err);
    return s;
}
