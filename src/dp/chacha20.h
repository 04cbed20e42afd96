/* ChaCha20 for CPUs with AVX2, several blocks at once; libsodium is the reference. */
#ifndef PDPR_DP_CHACHA20_H
#define PDPR_DP_CHACHA20_H

#include <stdint.h>

enum { PDPR_I_CHACHA20_BLOCKS = 8 }; /* of 64 bytes, computed side by side */

/* Writes 8 * groups blocks of keystream. state: the sixteen words of RFC 8439, section 2.3, word 12
 * the counter of the first block, which must not wrap. */
void pdpr_i_chacha20_avx2(const uint32_t state[16], uint64_t groups, unsigned char *out);

#endif
