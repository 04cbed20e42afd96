/* The training of a deep-PageRank run: through the barrier if it is private, with checkpoints if
 * it is long. */
#ifndef PDPR_METHOD_DPR_RUN_H
#define PDPR_METHOD_DPR_RUN_H

#include "dp/private_run.h"
#include "method/dpr_setting.h"

/* The label of the charge of the embedding. */
extern const char pdpr_i_dpr_charge[];

/* All steps of `trainer`, which has its start values. run: not started, NULL without privacy.
 * checkpoint: bound, NULL for none; one that was opened is continued. It is saved when `seconds`
 * have passed since the last time, or twenty times what the last one took. *meter: the run's, open,
 * for charges beside the embedding's; NULL without privacy.
 * Errors: those of the barrier, the ledger and the checkpoint; PDPR_ECANCELLED. */
pdpr_status pdpr_i_dpr_train(pdpr_context *ctx, const pdpr_i_dpr_setting *setting,
                             pdpr_i_private_run *run, pdpr_i_checkpoint *checkpoint, double seconds,
                             pdpr_i_trainer *trainer, pdpr_i_meter **meter, pdpr_error *err);

#endif
