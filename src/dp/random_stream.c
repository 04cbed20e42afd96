/* Random streams: ChaCha20 from libsodium, sub-keys by HMAC-SHA-256. */
#include "dp/random_stream.h"

#include <sodium.h>
#include <string.h>

enum { BLOCK = 64 };

static void put_le64(unsigned char *out, uint64_t x)
{
    for (int i = 0; i < 8; i++)
        out[i] = (unsigned char)(x >> (8 * i));
}

static void derive(const unsigned char key[PDPR_I_KEY_BYTES], const char *label, uint64_t number,
                   unsigned char out[PDPR_I_KEY_BYTES])
{
    crypto_auth_hmacsha256_state state;
    unsigned char encoded[8];
    put_le64(encoded, number);
    crypto_auth_hmacsha256_init(&state, key, PDPR_I_KEY_BYTES);
    crypto_auth_hmacsha256_update(&state, (const unsigned char *)label, strlen(label));
    crypto_auth_hmacsha256_update(&state, encoded, sizeof encoded);
    crypto_auth_hmacsha256_final(&state, out);
    sodium_memzero(&state, sizeof state);
}

void pdpr_i_key_from_seed(uint64_t seed, pdpr_i_key *out)
{
    static const unsigned char zero[PDPR_I_KEY_BYTES] = {0};
    derive(zero, "privdpr seed v1", seed, out->bytes);
}

void pdpr_i_key_wipe(pdpr_i_key *key)
{
    sodium_memzero(key, sizeof *key);
}

void pdpr_i_stream_init(pdpr_i_stream *stream, const pdpr_i_key *key, pdpr_i_purpose purpose,
                        uint64_t index)
{
    derive(key->bytes, "privdpr purpose v1", (uint64_t)purpose, stream->subkey);
    stream->index = index;
    stream->next_block = 0;
    stream->used = sizeof stream->buffer;
}

void pdpr_i_stream_wipe(pdpr_i_stream *stream)
{
    sodium_memzero(stream, sizeof *stream);
}

/* Overwrites `out` with whole blocks from next_block on. A call never crosses a multiple of 2^32
 * blocks: buffers start at multiples of 16 blocks, and larger requests come in pieces of the
 * buffer's size. */
static void refill(pdpr_i_stream *s)
{
    unsigned char nonce[crypto_stream_chacha20_IETF_NONCEBYTES];
    put_le64(nonce + 4, s->index);
    for (int i = 0; i < 4; i++)
        nonce[i] = (unsigned char)(s->next_block >> (32 + 8 * i));
    memset(s->buffer, 0, sizeof s->buffer);
    crypto_stream_chacha20_ietf_xor_ic(s->buffer, s->buffer, sizeof s->buffer, nonce,
                                       (uint32_t)s->next_block, s->subkey);
    s->next_block += sizeof s->buffer / BLOCK;
    s->used = 0;
}

void pdpr_i_stream_bytes(pdpr_i_stream *s, void *out, size_t length)
{
    unsigned char *at = out;
    while (length > 0) {
        if (s->used == sizeof s->buffer)
            refill(s);
        size_t piece = sizeof s->buffer - s->used;
        if (piece > length)
            piece = length;
        memcpy(at, s->buffer + s->used, piece);
        sodium_memzero(s->buffer + s->used, piece); /* given out once, kept nowhere */
        s->used += piece;
        at += piece;
        length -= piece;
    }
}

uint64_t pdpr_i_stream_u64(pdpr_i_stream *s)
{
    unsigned char bytes[8];
    uint64_t x = 0;
    pdpr_i_stream_bytes(s, bytes, sizeof bytes);
    for (int i = 7; i >= 0; i--)
        x = x << 8 | bytes[i];
    return x;
}

/* Lemire (2019): the high word of a 128-bit product, rejecting the few low words that would be
 * counted twice. */
uint64_t pdpr_i_stream_below(pdpr_i_stream *s, uint64_t bound)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)pdpr_i_stream_u64(s) * bound;
    if ((uint64_t)product < bound) {
        uint64_t unfair = (0 - bound) % bound; /* 2^64 mod bound */
        while ((uint64_t)product < unfair)
            product = (wide)pdpr_i_stream_u64(s) * bound;
    }
    return (uint64_t)(product >> 64);
}

double pdpr_i_stream_unit(pdpr_i_stream *s)
{
    return (double)(pdpr_i_stream_u64(s) >> 11) * 0x1p-53;
}
