/* What the runs on one dataset cost together.
 *
 * All charges that count go to the joint accountant and are converted once (BLUEPRINT_REVIEW.md
 * section 7), which is tighter than adding the runs' epsilons and is the only rule that mixes pure
 * and Gaussian charges soundly. The accountant takes a bounded number of pure charges; those beyond
 * it are added to epsilon as they are: an (e1, delta)-DP mechanism followed by an e2-DP one is
 * (e1 + e2, delta)-DP, so the total stays an upper bound.
 *
 * Guarantee:  the true cost at delta is at most *epsilon.
 * Proof:      docs/proofs/joint_accounting.md; simple composition for the rest.
 * Rounding:   up.
 * Cost:       one conversion, below a second. */
#include "dp/ledger.h"

#include <math.h>

/* pdpr_accountant_add_pure refuses more. */
enum { MOST_PURE = 1024 };

typedef struct {
    pdpr_context *ctx;
    pdpr_accountant *accountant;
    uint64_t num_pure, num_gaussian;
    double pure_beyond; /* sum of the pure charges that the accountant has no room for, up */
    bool unbounded;     /* a Gaussian part so large that nothing is protected */
} sum;

static pdpr_status add(sum *total, const pdpr_i_ledger_charge *charges, uint64_t count,
                       pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    for (uint64_t i = 0; i < count; i++) {
        const pdpr_i_ledger_charge *c = &charges[i];
        if (c->den == 0) {
            total->num_gaussian++;
            s = pdpr_accountant_add_gaussian(total->ctx, total->accountant, c->label, c->mu,
                                             c->steps, err);
            if (s == PDPR_EUSAGE) { /* a valid charge is refused for the size of the sum only */
                total->unbounded = true;
                s = PDPR_OK;
            }
        } else if (total->num_pure < MOST_PURE) {
            total->num_pure++;
            s = pdpr_accountant_add_pure(total->ctx, total->accountant, c->label, c->num, c->den,
                                         err);
        } else {
            /* Five roundings of at most 2^-53 each are below 2^-50. */
            total->pure_beyond += (double)c->num / (double)c->den;
            total->pure_beyond *= 1 + 0x1p-50;
        }
        PDPR_TRY(s);
    }
done:
    return s;
}

pdpr_status pdpr_i_ledger_total(const pdpr_i_ledger_state *state, uint64_t dataset,
                                const pdpr_i_ledger_charge *more, uint64_t num_more, double delta,
                                double *epsilon, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    sum total = {.ctx = state->ctx};
    double joint = 0;

    PDPR_TRY(pdpr_accountant_new(state->ctx, &total.accountant, err));
    for (uint64_t i = 0; i < state->num_runs; i++) {
        const pdpr_i_ledger_run *run = &state->runs[i];
        if (run->dataset == dataset && run->state != PDPR_RUN_REFUNDED)
            PDPR_TRY(add(&total, run->reserve.charges, run->reserve.num_charges, err));
    }
    PDPR_TRY(add(&total, more, num_more, err));

    if (total.unbounded || (total.num_gaussian > 0 && delta == 0))
        joint = INFINITY;
    else if (total.num_gaussian + total.num_pure > 0)
        PDPR_TRY(pdpr_accountant_epsilon(state->ctx, total.accountant, delta, &joint, err));
    *epsilon = (joint + total.pure_beyond) * (1 + (total.pure_beyond > 0 ? 0x1p-50 : 0));
done:
    pdpr_accountant_free(total.accountant);
    return s;
}
