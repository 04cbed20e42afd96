/* From the bounds of a certificate to those of a measurement: down and up, in integers. Trusted, as
 * certificates are: a bound that is not one breaks the sensitivity (docs/proofs/measurements.md,
 * Lemma C). */
#include "blueprint/interval.h"

pdpr_i_interval pdpr_i_interval_around(uint64_t whole, pdpr_i_wide lo, pdpr_i_wide hi,
                                       unsigned bits)
{
    unsigned shift = bits - PDPR_I_INTERVAL_BITS;
    pdpr_i_wide most = ((pdpr_i_wide)1 << shift) - 1; /* what is missing to the next unit */
    uint64_t base = whole << PDPR_I_INTERVAL_BITS;
    return (pdpr_i_interval){.lo = base + (uint64_t)(lo >> shift),
                             .hi = base + (uint64_t)((hi + most) >> shift)};
}
