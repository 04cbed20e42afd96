/* Random streams addressed by (key, purpose, index), never by thread or time.
 *
 * A stream is ChaCha20 (RFC 8439) under a sub-key of its purpose, so that no two purposes share
 * bytes, with the index and the high half of a 64-bit block number as nonce. Whoever asks for the
 * same address gets the same bytes. */
#ifndef PDPR_DP_RANDOM_STREAM_H
#define PDPR_DP_RANDOM_STREAM_H

#include <stddef.h>
#include <stdint.h>

enum { PDPR_I_KEY_BYTES = 32 };

/* A root key. Secret unless it comes from a seed. */
typedef struct {
    unsigned char bytes[PDPR_I_KEY_BYTES];
} pdpr_i_key;

/* What a stream is for. The numbers enter the derivation: never renumber, only append. */
typedef enum {
    PDPR_I_PURPOSE_TEST = 0,
    PDPR_I_PURPOSE_NULL_MODEL = 1,   /* public: G(N, m) */
    PDPR_I_PURPOSE_EXAMPLE = 2,      /* public: generated example graphs */
    PDPR_I_PURPOSE_PATH_SOURCES = 3, /* owner's metrics: sampled sources */
    PDPR_I_PURPOSE_PAIR_ORDER = 48,  /* public: salts of the projection's orders */
} pdpr_i_purpose;

/* The key of a seeded, reproducible run: no secret, no guarantee. */
void pdpr_i_key_from_seed(uint64_t seed, pdpr_i_key *out);
void pdpr_i_key_wipe(pdpr_i_key *key);

typedef struct {
    unsigned char subkey[PDPR_I_KEY_BYTES];
    uint64_t index, next_block;
    size_t used; /* bytes of buffer already given out */
    unsigned char buffer[1024];
} pdpr_i_stream;

void pdpr_i_stream_init(pdpr_i_stream *stream, const pdpr_i_key *key, pdpr_i_purpose purpose,
                        uint64_t index);
void pdpr_i_stream_wipe(pdpr_i_stream *stream);
void pdpr_i_stream_bytes(pdpr_i_stream *stream, void *out, size_t length);
uint64_t pdpr_i_stream_u64(pdpr_i_stream *stream);
/* Uniform in 0..bound-1, exactly; bound > 0. */
uint64_t pdpr_i_stream_below(pdpr_i_stream *stream, uint64_t bound);
/* Uniform multiple of 2^-53 in [0,1). For public-side choices only, never for noise. */
double pdpr_i_stream_unit(pdpr_i_stream *stream);

#endif
