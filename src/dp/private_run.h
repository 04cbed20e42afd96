/* One private run, from promise to publication: the order in which accountant, key, ledger and
 * meter are used, so that no method has to get it right by itself.
 *
 *     pdpr_i_private_run_new        self-test; charges that fit the promise; dataset and key
 *     (the method allocates what it will need; nothing is written yet)
 *     pdpr_i_private_run_start      RESERVE and DRAWN are on disk, then the meter is open
 *     (releases through the barrier)
 *     pdpr_i_private_run_commit     hash of the finished output, before it is put in place
 *     pdpr_i_private_run_published
 *
 * A run that fails after start stays spent: nobody can run, look and give back. With a checkpoint
 * it can be taken up again: the same key, the same ledger entry, nothing reserved twice
 * (docs/design/0014-checkpoints.md). */
#ifndef PDPR_DP_PRIVATE_RUN_H
#define PDPR_DP_PRIVATE_RUN_H

#include "dp/checkpoint.h"
#include "dp/ledger.h"
#include "dp/meter.h"
#include "graph/graph.h"

/* All of it public and fixed before the data are looked at. */
typedef struct {
    double epsilon, delta;
    bool accept_large_delta;
    const char *method;
    const char *day;        /* YYYY-MM-DD, from the caller */
    const char *dataset;    /* the owner's name for data that changes; NULL: by its edges */
    const char *parameters; /* canonical text of every parameter: part of the key */
    const pdpr_i_charge *charges;
    uint32_t num_charges;
    bool seeded; /* reproducible and without guarantee */
    uint64_t seed;
    pdpr_i_checkpoint *checkpoint; /* NULL: none; one that was opened is the run to take up again */
} pdpr_i_promise;

typedef struct pdpr_i_private_run pdpr_i_private_run;

/* What binds the noise to the input: every arc with its direction and the order of the nodes, and
 * the dataset's key, which sees names and edges but neither of those. Two inputs that a method
 * could tell apart differ in it. Secret: it goes into the key and nowhere else. */
void pdpr_i_input_digest(const pdpr_graph *g, const char *dataset,
                         unsigned char out[PDPR_I_DIGEST_BYTES]);

/* g and ledger must outlive the run. Errors: PDPR_EUSAGE (epsilon or delta), PDPR_EBUDGET (the
 * charges cost more than is promised), PDPR_EFAILED (a self-test, the source of randomness, the
 * ledger), PDPR_EINPUT (ledger), PDPR_ENOMEM. */
pdpr_status pdpr_i_private_run_new(pdpr_context *ctx, pdpr_ledger *ledger, const pdpr_graph *g,
                                   const pdpr_i_promise *promise, pdpr_i_private_run **out,
                                   pdpr_error *err);
void pdpr_i_private_run_free(pdpr_i_private_run *run);

/* A key of its own for what is random but no noise (start values, walks), derived from the run's.
 * Secret: the caller wipes it. Before start only. Errors: PDPR_EFAILED (the key is gone),
 * PDPR_EUSAGE (started). */
pdpr_status pdpr_i_private_run_training_key(const pdpr_i_private_run *run, pdpr_i_key *out,
                                            pdpr_error *err);

/* Reserves the charges in the ledger, saves the first checkpoint (if there is to be one), records
 * that noise is about to be drawn, opens the meter. A run that is taken up again reserves nothing:
 * its entry must be there and fit; the caller then skips on the meter what was done before. Once.
 * Errors: PDPR_EBUDGET (the dataset's budget), PDPR_EUSAGE (the run is published already), and as
 * pdpr_ledger_open. */
pdpr_status pdpr_i_private_run_start(pdpr_i_private_run *run, pdpr_i_meter **meter,
                                     pdpr_error *err);

/* Records the SHA-256 of what will be published, and then that it was. A run that was taken up
 * again after its COMMIT must come to the same hash: PDPR_EFAILED otherwise. */
pdpr_status pdpr_i_private_run_commit(pdpr_i_private_run *run, const char *sha256, pdpr_error *err);
pdpr_status pdpr_i_private_run_published(pdpr_i_private_run *run, pdpr_error *err);

#endif
