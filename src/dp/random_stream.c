/* Random streams: ChaCha20 from libsodium, sub-keys by HMAC-SHA-256.
 *
 * The nonce of a block is (high half of its 64-bit number, index), its counter the low half, so
 * every (purpose, index, block) has a keystream block of its own (docs/proofs/random_streams.md).
 * Long requests go straight to the caller's memory; short ones through a page that is erased as it
 * is given out.
 *
 * Cost: 0.5 ns a byte in bulk (libsodium's AVX2 code; 0.37 in pages, chacha20_avx2.c), about 1 us
 * to open a stream. Source: RFC 8439 (ChaCha20), RFC 2104 (HMAC), Lemire 2019 (bounded integers).
 */
#include "dp/random_stream.h"

#include "dp/chacha20.h"

#include <sodium.h>
#include <string.h>

enum { BLOCK = 64, PAGE_BLOCKS = PDPR_I_STREAM_PAGE / BLOCK };

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

void pdpr_i_stream_seek(pdpr_i_stream *stream, uint64_t page)
{
    stream->next_block = page * PAGE_BLOCKS;
    stream->used = sizeof stream->buffer;
}

enum { NONCE = crypto_stream_chacha20_IETF_NONCEBYTES };

static void put_nonce(uint64_t index, uint64_t block, unsigned char nonce[NONCE])
{
    for (int i = 0; i < 4; i++)
        nonce[i] = (unsigned char)(block >> (32 + 8 * i));
    put_le64(nonce + 4, index);
}

/* The counter of ChaCha20 has 32 bits, so a call stops where the low half of the block number
 * wraps; pages never straddle that place. Returns how many pages there are before it. */
static size_t pages_before_wrap(uint64_t block, size_t pages)
{
    uint64_t until_wrap = ((UINT64_C(1) << 32) - (uint32_t)block) / PAGE_BLOCKS;
    return pages < until_wrap ? pages : (size_t)until_wrap;
}

/* Writes whole pages from next_block on; returns how many. */
static size_t write_pages(pdpr_i_stream *s, unsigned char *out, size_t pages)
{
    unsigned char nonce[NONCE];
    pages = pages_before_wrap(s->next_block, pages);
    size_t length = pages * PDPR_I_STREAM_PAGE;

    put_nonce(s->index, s->next_block, nonce);
    memset(out, 0, length);
    crypto_stream_chacha20_ietf_xor_ic(out, out, length, nonce, (uint32_t)s->next_block, s->subkey);
    s->next_block += pages * PAGE_BLOCKS;
    return pages;
}

void pdpr_i_stream_bytes(pdpr_i_stream *s, void *out, size_t length)
{
    unsigned char *at = out;
    while (length > 0) {
        size_t piece;
        if (s->used == sizeof s->buffer && length >= PDPR_I_STREAM_PAGE) {
            piece = write_pages(s, at, length / PDPR_I_STREAM_PAGE) * PDPR_I_STREAM_PAGE;
        } else {
            if (s->used == sizeof s->buffer) {
                write_pages(s, s->buffer, 1);
                s->used = 0;
            }
            piece = sizeof s->buffer - s->used;
            if (piece > length)
                piece = length;
            memcpy(at, s->buffer + s->used, piece);
            memset(s->buffer + s->used, 0, piece); /* given out once, kept nowhere */
            s->used += piece;
        }
        at += piece;
        length -= piece;
    }
}

void pdpr_i_stream_words(pdpr_i_stream *s, uint64_t *out, size_t count)
{
    pdpr_i_stream_bytes(s, out, count * sizeof *out);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (size_t i = 0; i < count; i++)
        out[i] = __builtin_bswap64(out[i]);
#endif
}

#if defined(__x86_64__)
static uint32_t get_le32(const unsigned char *from)
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

/* Whole pages from `block` on by our own ChaCha20, without a copy of the stream and its page;
 * returns how many. */
static size_t write_pages_avx2(const pdpr_i_stream *s, uint64_t block, unsigned char *out,
                               size_t pages)
{
    /* "expand 32-byte k", key, counter, nonce (RFC 8439, 2.3) */
    uint32_t state[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    unsigned char nonce[NONCE];
    _Static_assert(PAGE_BLOCKS % PDPR_I_CHACHA20_BLOCKS == 0, "a page is whole groups of blocks");
    pages = pages_before_wrap(block, pages);

    put_nonce(s->index, block, nonce);
    for (int i = 0; i < 8; i++)
        state[4 + i] = get_le32(s->subkey + 4 * i);
    state[12] = (uint32_t)block;
    for (int i = 0; i < 3; i++)
        state[13 + i] = get_le32(nonce + 4 * i);
    pdpr_i_chacha20_avx2(state, pages * (PAGE_BLOCKS / PDPR_I_CHACHA20_BLOCKS), out);
    sodium_stackzero(4096); /* the key lies in spilled registers below */
    sodium_memzero(state, sizeof state);
    return pages;
}
#endif

void pdpr_i_stream_pages(const pdpr_i_stream *stream, pdpr_cpu cpu, uint64_t page, size_t pages,
                         uint64_t *out)
{
    enum { WORDS_OF_PAGE = PDPR_I_STREAM_PAGE / sizeof *out };
#if defined(__x86_64__)
    if (cpu >= PDPR_CPU_AVX2) {
        for (size_t written; pages > 0; pages -= written, page += written) {
            written = write_pages_avx2(stream, page * PAGE_BLOCKS, (unsigned char *)out, pages);
            out += written * WORDS_OF_PAGE;
        }
        return;
    }
#endif
    (void)cpu;
    pdpr_i_stream s = *stream;
    pdpr_i_stream_seek(&s, page);
    pdpr_i_stream_words(&s, out, pages * WORDS_OF_PAGE);
    pdpr_i_stream_wipe(&s);
}

uint64_t pdpr_i_stream_u64(pdpr_i_stream *s)
{
    uint64_t x;
    pdpr_i_stream_words(s, &x, 1);
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
