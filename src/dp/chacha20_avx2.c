/* Eight blocks of ChaCha20 at once for CPUs with AVX2: the words of a noise vector.
 *
 * The bytes are those of libsodium, which stays the reference and serves every other purpose and
 * machine; the test compares the two over counters, nonces and keys. It is here because words are
 * half of what a noise value costs: libsodium 1.0.18 takes 3.8 ns for eight bytes on the reference
 * machine, this form 2.9 (bench_noise). Vector i holds word i of all eight blocks, so a quarter
 * round is the scalar one on vectors; two 8 x 8 transpositions put the words in order at the end.
 *
 * Time does not depend on key or counter: no branch and no address does.
 * Source: RFC 8439, section 2.3. */
#include "dp/chacha20.h"

#if defined(__x86_64__)
#include <immintrin.h>

enum { WORDS = 16, BLOCKS = PDPR_I_CHACHA20_BLOCKS };

/* Rotations by whole bytes are one shuffle; the order is read from memory, for all sixteen
 * registers are taken. */
static const unsigned char by_16[32]
    __attribute__((aligned(32))) = {2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13,
                                    2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13};
static const unsigned char by_8[32]
    __attribute__((aligned(32))) = {3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14,
                                    3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14};

static inline __m256i rotate_bytes(__m256i x, const unsigned char *order)
{
    return _mm256_shuffle_epi8(x, *(const __m256i *)(const void *)order);
}

static inline __m256i rotate(__m256i x, int bits)
{
    return _mm256_or_si256(_mm256_slli_epi32(x, bits), _mm256_srli_epi32(x, 32 - bits));
}

static inline void quarter_round(__m256i *a, __m256i *b, __m256i *c, __m256i *d)
{
    *a = _mm256_add_epi32(*a, *b);
    *d = rotate_bytes(_mm256_xor_si256(*d, *a), by_16);
    *c = _mm256_add_epi32(*c, *d);
    *b = rotate(_mm256_xor_si256(*b, *c), 12);
    *a = _mm256_add_epi32(*a, *b);
    *d = rotate_bytes(_mm256_xor_si256(*d, *a), by_8);
    *c = _mm256_add_epi32(*c, *d);
    *b = rotate(_mm256_xor_si256(*b, *c), 7);
}

/* x[i] holds word i of eight blocks; writes eight words of each block, 64 bytes apart. */
static inline void store_transposed(const __m256i x[8], unsigned char *out)
{
    __m256i pair[8], quad[8];
    for (int i = 0; i < 8; i += 2) {
        pair[i] = _mm256_unpacklo_epi32(x[i], x[i + 1]);
        pair[i + 1] = _mm256_unpackhi_epi32(x[i], x[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        quad[i] = _mm256_unpacklo_epi64(pair[i], pair[i + 2]);
        quad[i + 1] = _mm256_unpackhi_epi64(pair[i], pair[i + 2]);
        quad[i + 2] = _mm256_unpacklo_epi64(pair[i + 1], pair[i + 3]);
        quad[i + 3] = _mm256_unpackhi_epi64(pair[i + 1], pair[i + 3]);
    }
    for (int i = 0; i < 4; i++) { /* blocks i and i + 4 */
        __m256i low = _mm256_permute2x128_si256(quad[i], quad[i + 4], 0x20);
        __m256i high = _mm256_permute2x128_si256(quad[i], quad[i + 4], 0x31);
        _mm256_storeu_si256((__m256i *)(void *)(out + 64 * i), low);
        _mm256_storeu_si256((__m256i *)(void *)(out + 64 * (i + 4)), high);
    }
}

void pdpr_i_chacha20_avx2(const uint32_t state[WORDS], uint64_t groups, unsigned char *out)
{
    __m256i start[WORDS], x[WORDS];
    for (int i = 0; i < WORDS; i++)
        start[i] = _mm256_set1_epi32((int)state[i]);
    start[12] = _mm256_add_epi32(start[12], _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));

    for (uint64_t g = 0; g < groups; g++, out += 64 * BLOCKS) {
        for (int i = 0; i < WORDS; i++)
            x[i] = start[i];
        for (int round = 0; round < 20; round += 2) {
            for (int i = 0; i < 4; i++) /* columns */
                quarter_round(&x[i], &x[4 + i], &x[8 + i], &x[12 + i]);
            for (int i = 0; i < 4; i++) /* diagonals */
                quarter_round(&x[i], &x[4 + (i + 1) % 4], &x[8 + (i + 2) % 4],
                              &x[12 + (i + 3) % 4]);
        }
        for (int i = 0; i < WORDS; i++)
            x[i] = _mm256_add_epi32(x[i], start[i]);
        store_transposed(x, out);
        store_transposed(x + 8, out + 32);
        start[12] = _mm256_add_epi32(start[12], _mm256_set1_epi32(BLOCKS));
    }
}
#endif
