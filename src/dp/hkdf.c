/* HKDF-SHA-256 (RFC 5869) on libsodium's HMAC: extract, then expand block by block.
 *
 * libsodium 1.0.18, which Debian 12 has, brings HMAC but not HKDF. Checked against the vectors of
 * RFC 5869 appendix A (tests/unit/test_random_stream.c). Intermediate keys are wiped. */
#include "dp/hkdf.h"

#include <sodium.h>
#include <string.h>

enum { HASH = crypto_auth_hmacsha256_BYTES };

void pdpr_i_hkdf_sha256(pdpr_i_bytes salt, pdpr_i_bytes secret, const pdpr_i_bytes *parts,
                        size_t num_parts, unsigned char *out, size_t length)
{
    crypto_auth_hmacsha256_state state;
    unsigned char master[HASH], block[HASH];

    crypto_auth_hmacsha256_init(&state, salt.bytes, salt.length);
    crypto_auth_hmacsha256_update(&state, secret.bytes, secret.length);
    crypto_auth_hmacsha256_final(&state, master);

    /* T(i) = HMAC(master, T(i-1) | info | i), T(0) empty */
    for (size_t at = 0, number = 1; at < length; at += HASH, number++) {
        unsigned char counter = (unsigned char)number;
        crypto_auth_hmacsha256_init(&state, master, sizeof master);
        crypto_auth_hmacsha256_update(&state, block, number > 1 ? HASH : 0);
        for (size_t i = 0; i < num_parts; i++)
            crypto_auth_hmacsha256_update(&state, parts[i].bytes, parts[i].length);
        crypto_auth_hmacsha256_update(&state, &counter, 1);
        crypto_auth_hmacsha256_final(&state, block);
        memcpy(out + at, block, length - at < HASH ? length - at : HASH);
    }
    sodium_memzero(&state, sizeof state);
    sodium_memzero(master, sizeof master);
    sodium_memzero(block, sizeof block);
}
