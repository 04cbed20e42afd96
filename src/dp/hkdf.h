/* Key derivation: HKDF with SHA-256 (RFC 5869). */
#ifndef PDPR_DP_HKDF_H
#define PDPR_DP_HKDF_H

#include <stddef.h>

/* Never NULL; an empty one is {"", 0}. */
typedef struct {
    const void *bytes;
    size_t length;
} pdpr_i_bytes;

/* Writes `length` <= 8160 bytes to out: extract from `secret` under `salt` (may be empty), then
 * expand with the concatenation of the `parts` as info. Parts of variable length must come last, or
 * two different lists could read alike. */
void pdpr_i_hkdf_sha256(pdpr_i_bytes salt, pdpr_i_bytes secret, const pdpr_i_bytes *parts,
                        size_t num_parts, unsigned char *out, size_t length);

#endif
