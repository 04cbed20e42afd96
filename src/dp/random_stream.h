/* Random streams addressed by (key, purpose, index), never by thread or time.
 *
 * A stream is ChaCha20 (RFC 8439) under a sub-key of its purpose, so that no two purposes share
 * bytes, with the index and the high half of a 64-bit block number as nonce. Whoever asks for the
 * same address gets the same bytes, and a stream can be entered at any of its pages: that is how
 * many threads draw one long vector of noise and get what one thread would have got.
 *
 * Proof that no two addresses share a block: docs/proofs/random_streams.md. */
#ifndef PDPR_DP_RANDOM_STREAM_H
#define PDPR_DP_RANDOM_STREAM_H

#include "base/base.h"

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

    /* Drawn by the barrier only. Index: charge << 32 | step (meter.h). */
    PDPR_I_PURPOSE_GAUSSIAN = 16,        /* one 64-bit word a coordinate */
    PDPR_I_PURPOSE_GAUSSIAN_REFINE = 17, /* one page a coordinate: its further bits */
    PDPR_I_PURPOSE_LAPLACE = 18,
    PDPR_I_PURPOSE_SELECTION = 19,
    PDPR_I_PURPOSE_HEALTH = 20,       /* looked at once, never used */
    PDPR_I_PURPOSE_TRAINING_KEY = 21, /* the key of a run's start values and walks */
    PDPR_I_PURPOSE_BOX = 22,

    PDPR_I_PURPOSE_PAIR_ORDER = 48,      /* public: salts of the projection's orders */
    PDPR_I_PURPOSE_BLUEPRINT_FIT = 49,   /* public: simulated projections */
    PDPR_I_PURPOSE_BLUEPRINT_BUILD = 50, /* public: the graph itself */
    PDPR_I_PURPOSE_PATH_PAIRS = 52,      /* public: pairs whose distance is measured */

    PDPR_I_PURPOSE_WEIGHT_START = 100,    /* deep PageRank: first W */
    PDPR_I_PURPOSE_EMBEDDING_START = 101, /* first V */
    PDPR_I_PURPOSE_WALKS = 102,           /* private side: random walks */
    PDPR_I_PURPOSE_SCORE_ORDER = 103,     /* public: which tokens reconstruction looks at, when */
    PDPR_I_PURPOSE_SCORE_OUTCOME = 104,   /* public: what those tokens drew */

    PDPR_I_PURPOSE_CHECKPOINT = 110, /* the key that authenticates a run's checkpoint */

    PDPR_I_PURPOSE_TASK_SPLIT = 130,    /* owner's tasks: which examples train */
    PDPR_I_PURPOSE_TASK_NOISE = 131,    /* embeddings that know nothing */
    PDPR_I_PURPOSE_CONFIGURATION = 132, /* null model with the original's degrees */
} pdpr_i_purpose;

/* The key of a seeded, reproducible run: no secret, no guarantee. */
void pdpr_i_key_from_seed(uint64_t seed, pdpr_i_key *out);
void pdpr_i_key_wipe(pdpr_i_key *key);

enum { PDPR_I_STREAM_PAGE = 1024 }; /* bytes; 16 ChaCha20 blocks */

/* Holds a sub-key: wipe it after use. A copy continues independently from the same place. */
typedef struct {
    unsigned char subkey[PDPR_I_KEY_BYTES];
    uint64_t index, next_block;
    size_t used; /* bytes of buffer already given out */
    unsigned char buffer[PDPR_I_STREAM_PAGE];
} pdpr_i_stream;

void pdpr_i_stream_init(pdpr_i_stream *stream, const pdpr_i_key *key, pdpr_i_purpose purpose,
                        uint64_t index);
void pdpr_i_stream_wipe(pdpr_i_stream *stream);
/* Continues at byte 1024 * page, page < 2^60. */
void pdpr_i_stream_seek(pdpr_i_stream *stream, uint64_t page);
void pdpr_i_stream_bytes(pdpr_i_stream *stream, void *out, size_t length);
/* `count` words of 8 bytes, the first byte lowest: the same numbers on every machine. */
void pdpr_i_stream_words(pdpr_i_stream *stream, uint64_t *out, size_t count);
uint64_t pdpr_i_stream_u64(pdpr_i_stream *stream);
/* The 128 words of each of `pages` pages from `page` on, whatever place the stream is at: what seek
 * and words give, for whoever draws many pages from one stream. cpu: what the context may use. */
void pdpr_i_stream_pages(const pdpr_i_stream *stream, pdpr_cpu cpu, uint64_t page, size_t pages,
                         uint64_t *out);
/* Uniform in 0..bound-1, exactly; bound > 0. */
uint64_t pdpr_i_stream_below(pdpr_i_stream *stream, uint64_t bound);
/* Uniform multiple of 2^-53 in [0,1). For public-side choices only, never for noise. */
double pdpr_i_stream_unit(pdpr_i_stream *stream);

#endif
