/* A number known to lie between two integers, in units of a public grid. */
#ifndef PDPR_BLUEPRINT_INTERVAL_H
#define PDPR_BLUEPRINT_INTERVAL_H

#include <stdint.h>

/* Sums of certificates: exact where 64 bits are not enough. */
__extension__ typedef __int128 pdpr_i_wide;

/* Values of solved measurements are given in units of 2^-16. */
enum { PDPR_I_INTERVAL_BITS = 16, PDPR_I_INTERVAL_ONE = 1 << PDPR_I_INTERVAL_BITS };

/* lo <= 2^16 f <= hi, proven on every input by a certificate in integers. Release lo with
 * sensitivity 2^16 * Delta + (the gamma that was asked for), in the same units
 * (docs/proofs/measurements.md, Lemma C). */
typedef struct {
    uint64_t lo, hi;
} pdpr_i_interval;

/* The interval of a value that lies between whole + lo and whole + hi, lo and hi in units of
 * 2^-bits, bits >= 16: rounded outwards, so it is wider by less than two units. */
pdpr_i_interval pdpr_i_interval_around(uint64_t whole, pdpr_i_wide lo, pdpr_i_wide hi,
                                       unsigned bits);

#endif
