/* The spending meter of one run.
 *
 * A run states its plan as a fixed list of charges before it reads any data. The meter opens once,
 * when the ledger has reserved that list, and takes the run's key with it; from then on every
 * release names the charge that pays for it, and a charge that is used up pays no more. There is no
 * other way to the key, so there is no noise without an open meter, and no two releases can get
 * the same noise: each has its own address, (number of the charge, step).
 *
 * Not for several threads at once; releases are parallel inside. */
#ifndef PDPR_DP_METER_H
#define PDPR_DP_METER_H

#include "dp/bernoulli.h"
#include "dp/noise_key.h"

typedef enum {
    PDPR_I_CHARGE_PURE = 1,    /* one release that is epsilon-DP */
    PDPR_I_CHARGE_GAUSSIAN = 2 /* `steps` releases, each mu_step-GDP */
} pdpr_i_charge_kind;

typedef struct {
    const char *label; /* unique in the plan, public */
    pdpr_i_charge_kind kind;
    pdpr_i_ratio epsilon; /* pure: both parts 1..2^32 */
    double mu_step;       /* Gaussian: > 0 */
    uint32_t steps;       /* releases it pays for; 1 if pure */
} pdpr_i_charge;

typedef struct pdpr_i_meter pdpr_i_meter;

/* Records the plan in the ledger, or fails and so keeps the meter shut. */
typedef pdpr_status (*pdpr_i_reserve)(void *user, const pdpr_i_charge *charges, uint32_t count,
                                      pdpr_error *err);

/* A shut meter with a copy of the plan. Errors: PDPR_EUSAGE (a charge out of its range, a label
 * that is missing or comes twice), PDPR_ENOMEM. */
pdpr_status pdpr_i_meter_new(pdpr_context *ctx, const pdpr_i_charge *charges, uint32_t count,
                             pdpr_i_meter **out, pdpr_error *err);
/* Frees the meter and wipes its key. NULL is fine. */
void pdpr_i_meter_free(pdpr_i_meter *meter);

/* Reserves the plan and opens the meter; on success it owns *key, which becomes NULL.
 * Errors: those of `reserve`; PDPR_EUSAGE (already open); PDPR_EFAILED (the key is gone). */
pdpr_status pdpr_i_meter_open(pdpr_i_meter *meter, pdpr_i_noise_key **key, pdpr_i_reserve reserve,
                              void *user, pdpr_error *err);

/* Counts `steps` releases of a charge as made, without making them: for a run that resumes.
 * Errors: PDPR_EUSAGE (no such charge), PDPR_EBUDGET (more than are left). */
pdpr_status pdpr_i_meter_skip(pdpr_i_meter *meter, const char *label, uint32_t steps,
                              pdpr_error *err);

/* A stream of this run for something other than noise. Training has a key of its own
 * (private_run.h); the tests have the rule from here that nobody gets the barrier's streams.
 * Errors: PDPR_EUSAGE (shut, or a purpose that belongs to the barrier), PDPR_EFAILED (key gone). */
pdpr_status pdpr_i_meter_stream(const pdpr_i_meter *meter, pdpr_i_purpose purpose, uint64_t index,
                                pdpr_i_stream *out, pdpr_error *err);

/* ---------------------------------------------------------------- for the barrier only */

/* The charge with this label, if the meter is open, the key alive and the kind right. Nothing is
 * spent yet. Errors: PDPR_EUSAGE, PDPR_EFAILED. */
pdpr_status pdpr_i_meter_find(const pdpr_i_meter *meter, const char *label, pdpr_i_charge_kind kind,
                              uint32_t *number, const pdpr_i_charge **charge, pdpr_error *err);

/* Counts one release of charge `number` and hands out the root of the streams and the address of
 * its noise. What follows a spend is spent, whether it succeeds or not. Errors: PDPR_EBUDGET,
 * PDPR_EFAILED. */
pdpr_status pdpr_i_meter_spend(pdpr_i_meter *meter, uint32_t number, const pdpr_i_key **root,
                               uint64_t *address, pdpr_error *err);

#endif
