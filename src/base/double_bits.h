/* A double as its 64 bits and back, for kernels that compute on both. */
#ifndef PDPR_BASE_DOUBLE_BITS_H
#define PDPR_BASE_DOUBLE_BITS_H

#include <stdint.h>
#include <string.h>

static inline double pdpr_i_double_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t pdpr_i_bits_of_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

#endif
