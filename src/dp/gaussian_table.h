/* The normal quantile as 640 Taylor polynomials, for gaussian_rounded_kernel.h.
 *
 * p in (0, 1/2) is cut into octaves, counted down from 1/2, and each octave into 32 segments. Row s
 * holds c[0..7] of segment s: Q^-1(p) = sum c[n] t^n with t in [-1, 1] rising with p. One row is
 * one cache line. The numbers are in gaussian_table.c, made and proved by
 * tests/check/check_gaussian_table.c. */
#ifndef PDPR_DP_GAUSSIAN_TABLE_H
#define PDPR_DP_GAUSSIAN_TABLE_H

enum {
    PDPR_I_GAUSSIAN_SEGMENT_BITS = 5,
    PDPR_I_GAUSSIAN_OCTAVES = 20,
    PDPR_I_GAUSSIAN_SEGMENTS = PDPR_I_GAUSSIAN_OCTAVES << PDPR_I_GAUSSIAN_SEGMENT_BITS,
    PDPR_I_GAUSSIAN_TERMS = 8
};

extern const double pdpr_i_gaussian_table[PDPR_I_GAUSSIAN_SEGMENTS][PDPR_I_GAUSSIAN_TERMS];
/* [octave]: bound on |computed sigma x - sigma x| / sigma. */
extern const double pdpr_i_gaussian_guard[PDPR_I_GAUSSIAN_OCTAVES];

#endif
