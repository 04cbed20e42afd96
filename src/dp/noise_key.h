/* The root key of a run: made from the kernel's randomness, bound to input and parameters, kept in
 * memory that is not swapped, not dumped and not inherited by a child process, checked before its
 * first use, wiped when freed.
 *
 * The key is HKDF-SHA-256(kernel bytes, "noise" | digest of the input | build | parameters), build
 * as pdpr_i_build_identity has it. A cloned or restored machine that repeats the kernel bytes on
 * other data therefore draws other noise (docs/proofs/random_streams.md). */
#ifndef PDPR_DP_NOISE_KEY_H
#define PDPR_DP_NOISE_KEY_H

#include "base/base.h"
#include "dp/random_stream.h"

typedef struct pdpr_i_noise_key pdpr_i_noise_key;

enum { PDPR_I_DIGEST_BYTES = 32, PDPR_I_ENTROPY_BYTES = 64 };

/* Where random bytes and protected memory come from. Tests put failing, stuck or repeating ones in
 * their place; a resumed run puts the bytes of its checkpoint. Both functions return 0 or an errno
 * value. */
typedef struct {
    int (*fill)(void *user, unsigned char *out, size_t length);
    int (*protect)(void *user, void *page, size_t length);
    void *user;
} pdpr_i_key_source;

/* The kernel: getrandom(2) through getentropy, mlock, MADV_DONTDUMP, MADV_WIPEONFORK. */
pdpr_i_key_source pdpr_i_key_source_kernel(void);

/* A secret key. `digest` is of the canonical input, `parameters` the canonical public parameters,
 * not NULL.
 * Errors: PDPR_EFAILED (no random bytes, bytes that repeat, no protected memory), PDPR_ENOMEM. */
pdpr_status pdpr_i_noise_key_from_system(pdpr_context *ctx, pdpr_i_key_source source,
                                         const unsigned char digest[PDPR_I_DIGEST_BYTES],
                                         const void *parameters, size_t parameters_length,
                                         pdpr_i_noise_key **out, pdpr_error *err);

/* The key of a seeded run: reproducible, without any guarantee. Errors as above. */
pdpr_status pdpr_i_noise_key_from_seed(pdpr_context *ctx, uint64_t seed, pdpr_i_noise_key **out,
                                       pdpr_error *err);

/* Wipes and frees. NULL is fine. */
void pdpr_i_noise_key_free(pdpr_i_noise_key *key);

/* The kernel bytes, for a checkpoint (secret!); a later run hands them back through a key source
 * and gets the same key if, and only if, input and parameters are the same. NULL for a seeded key.
 */
const unsigned char *pdpr_i_noise_key_entropy(const pdpr_i_noise_key *key);

/* The root of the streams. Errors: PDPR_EFAILED if the key is gone: a child process finds it wiped.
 */
pdpr_status pdpr_i_noise_key_root(const pdpr_i_noise_key *key, const pdpr_i_key **out,
                                  pdpr_error *err);

/* Whether no two of the 64-bit words are equal: false for bytes that are all zero, stuck, or
 * repeat. For random bytes it fails with probability below words^2 / 2^65. */
bool pdpr_i_bytes_are_fresh(const unsigned char *bytes, size_t length);

#endif
