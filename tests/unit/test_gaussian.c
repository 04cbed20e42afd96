/* Rounded Gaussian noise: the exact path against thresholds, every kernel against the exact path,
 * addresses, threads. Statistics are in check_noise_statistics.c, the table's proof in
 * check_gaussian_table.c. */
#include "support/noise_support.h"

#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "dp/gaussian_rounded.h"

enum { BLOCK = PDPR_I_GAUSSIAN_BLOCK };

typedef struct {
    pdpr_cpu cpu;
    pdpr_i_gaussian_kernel *run;
} kernel;

static const kernel kernels[] = {
    {PDPR_CPU_PORTABLE, pdpr_i_gaussian_kernel_portable},
#if defined(__x86_64__)
    {PDPR_CPU_AVX2, pdpr_i_gaussian_kernel_avx2},
    {PDPR_CPU_AVX512, pdpr_i_gaussian_kernel_avx512},
#endif
};

/* How many of the kernels this machine can run. */
static size_t num_kernels(void)
{
    size_t n = 0;
    while (n < sizeof kernels / sizeof *kernels && kernels[n].cpu <= pdpr_i_cpu_detect())
        n++;
    return n;
}

/* Q((n + 1/2) / sigma) * 2^64 as an integer part and `more` further words of 64 bits. */
static void threshold_words(uint64_t n, double sigma, uint64_t *words, int count)
{
    mpfr_t x, root;
    mpfr_inits2(64 * count + 200, x, root, (mpfr_ptr)NULL);
    mpfr_set_d(x, sigma, MPFR_RNDN);
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_mul(x, x, root, MPFR_RNDN);
    mpfr_set_ui(root, n, MPFR_RNDN);
    mpfr_add_d(root, root, 0.5, MPFR_RNDN);
    mpfr_div(x, root, x, MPFR_RNDN);
    mpfr_erfc(x, x, MPFR_RNDN);
    mpfr_div_2ui(x, x, 1, MPFR_RNDN);
    for (int i = 0; i < count; i++) {
        mpfr_mul_2ui(x, x, 64, MPFR_RNDN);
        words[i] = mpfr_get_ui(x, MPFR_RNDD);
        mpfr_sub_ui(x, x, words[i], MPFR_RNDN);
    }
    mpfr_clears(x, root, (mpfr_ptr)NULL);
}

/* The tail number just above a threshold gives n, the one just below n + 1; on the threshold's own
 * word the further bits decide, however many it takes. */
static void exact_decides_at_every_threshold(void **state)
{
    (void)state;
    const struct {
        uint64_t n;
        double sigma;
    } cases[] = {{0, 0.5},
                 {1, 0.5},
                 {0, 1},
                 {3, 1},
                 {2, 10},
                 {40, 10},
                 {0, 0x1p-3},
                 {0, 0x1p20},
                 {700000, 0x1p20},
                 {5000000, 1e6},
                 {1, 0x1p30},
                 {123456789, 1281498708.43},
                 {0, 0x1.fp41},
                 {99, 0x1.fp41},
                 {7000000000000, 0x1.fp41},
                 {20000000000000, 0x1.fp41}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint64_t t[5];
        int64_t n = (int64_t)cases[c].n;
        double sigma = cases[c].sigma;
        threshold_words(cases[c].n, sigma, t, 5);
        pdpr_i_stream unused = noise_stream(1, 0);
        /* the neighbouring tail numbers; 50 off, since at 2^41 a step moves less than one word */
        assert_int_equal(pdpr_i_gaussian_exact((t[0] + 50) << 1, sigma, &unused) > n, 0);
        assert_int_equal(pdpr_i_gaussian_exact((t[0] - 50) << 1, sigma, &unused) > n, 1);
        assert_int_equal(pdpr_i_gaussian_exact((t[0] - 50) << 1 | 1, sigma, &unused) < -n, 1);

        for (int depth = 1; depth < 5; depth++) {
            uint64_t more[4];
            memcpy(more, t + 1, sizeof more);
            more[depth - 1]--; /* p just below: larger magnitude */
            pdpr_i_stream below = noise_scripted(more, 4);
            more[depth - 1] += 2;
            pdpr_i_stream above = noise_scripted(more, 4);
            assert_int_equal(pdpr_i_gaussian_exact(t[0] << 1, sigma, &below), n + 1);
            assert_int_equal(pdpr_i_gaussian_exact(t[0] << 1, sigma, &above), n);
            assert_int_equal(above.used, 8 * depth); /* no more bits than were needed */
        }
    }
    mpfr_free_cache();
}

static void exact_covers_the_ends_of_the_range(void **state)
{
    (void)state;
    pdpr_i_stream s = noise_stream(1, 0);
    /* p nearly 1/2: zero. p in [0, 2^-64): beyond 9.08 sigma, and further bits say how far. */
    assert_int_equal(pdpr_i_gaussian_exact(UINT64_MAX, 1000, &s), 0);
    assert_int_equal(pdpr_i_gaussian_exact(UINT64_MAX - 1, 1000, &s), 0);
    int64_t far = pdpr_i_gaussian_exact(0, 1000, &s);
    assert_in_range((uint64_t)far, 9080, 11000);
    assert_in_range((uint64_t)-pdpr_i_gaussian_exact(1, 1000, &s), 9080, 11000);
    assert_int_equal(pdpr_i_gaussian_exact(2, 1000, &s) <= far + 2000, 1);
    assert_int_equal(pdpr_i_gaussian_exact(UINT64_MAX >> 1, PDPR_I_SIGMA_LEAST, &s), 0);
    mpfr_free_cache();
}

/* p from 2^-178 down to 2^-946, 15 to 36 sigma out: found at once, and right. */
static void exact_finds_the_far_tail(void **state)
{
    (void)state;
    const double sigma = 0x1.fffp41;
    for (int zeros = 2; zeros < 15; zeros++) {
        uint64_t more[20] = {0}, t[22];
        more[zeros] = 12345;
        pdpr_i_stream s = noise_scripted(more, 20);
        int64_t n = pdpr_i_gaussian_exact(0, sigma, &s);
        assert_true((double)n > 15 * sigma);
        /* p = (0, more) lies below the threshold of n - 1 and above that of n */
        for (int side = 0; side < 2; side++) {
            threshold_words((uint64_t)(n - side), sigma, t, 21);
            int i = 0;
            while (i < 20 && t[i] == (i ? more[i - 1] : 0))
                i++;
            assert_int_equal(more[i - 1] < t[i], side);
        }
    }
    mpfr_free_cache();
}

/* Words at which kernels could go wrong: ends of the table, of octaves and of segments. */
static uint32_t hard_words(uint64_t *words)
{
    uint32_t n = 0;
    for (int octave = 0; octave < 64; octave++)
        for (int64_t off = -2; off <= 2; off++)
            words[n++] = ((UINT64_C(1) << octave) + (uint64_t)off) << 1 | (uint64_t)(off & 1);
    for (uint64_t segment = 32; segment < 64; segment++)
        for (int64_t off = -3; off <= 3; off++)
            words[n++] = ((segment << 57) + (uint64_t)(off * 600)) << 1;
    for (uint64_t off = 0; off < 20; off++)
        words[n++] = UINT64_MAX - off * 300;
    while (n % PDPR_I_GAUSSIAN_LANES)
        words[n++] = 0;
    return n;
}

static void check_against_exact(const kernel *k, const uint64_t *words, uint32_t count,
                                double sigma, uint64_t *num_decided)
{
    int64_t out[BLOCK];
    uint32_t doubtful[BLOCK];
    assert_true(count <= BLOCK);
    uint32_t open = k->run(words, count, sigma, out, doubtful);
    for (uint32_t i = 0, next = 0; i < count; i++) {
        if (next < open && doubtful[next] == i) {
            next++;
            continue;
        }
        pdpr_i_stream s = noise_stream(1, i);
        assert_int_equal(out[i], pdpr_i_gaussian_exact(words[i], sigma, &s));
        (*num_decided)++;
    }
}

static const double sigmas[] = {PDPR_I_SIGMA_LEAST, 0.5,    1,         10, 1e6,
                                1281498708.43,      0x1p36, 0x1.fffp41};

static void kernels_agree_with_exact_where_they_decide(void **state)
{
    (void)state;
    uint64_t words[BLOCK], decided = 0;
    uint32_t hard = hard_words(words);
    for (size_t k = 0; k < num_kernels(); k++)
        for (size_t i = 0; i < sizeof sigmas / sizeof *sigmas; i++) {
            check_against_exact(&kernels[k], words, hard, sigmas[i], &decided);
            uint64_t random[PDPR_I_GAUSSIAN_LANES * 2];
            pdpr_i_stream s = noise_stream(8, i);
            pdpr_i_stream_words(&s, random, 512);
            check_against_exact(&kernels[k], random, 512, sigmas[i], &decided);
        }
    assert_true(decided > 5000);
    mpfr_free_cache();
}

/* At sigma near 2^42 one value in a hundred is close to a half-integer. A guard that is too small
 * shows here: the words are chosen next to thresholds. */
static void kernels_leave_close_calls_open(void **state)
{
    (void)state;
    enum { TRIES = 2 * PDPR_I_GAUSSIAN_LANES };
    const double sigma = 0x1.fffp41;
    uint64_t words[TRIES], decided = 0, t[1];
    pdpr_i_stream s = noise_stream(9, 0);
    for (int i = 0; i < TRIES; i++) {
        uint64_t n = pdpr_i_stream_below(&s, UINT64_C(3) << 42);
        threshold_words(n, sigma, t, 1);
        /* from on the threshold to about 0.004 of an integer beside it */
        int64_t off = (int64_t)pdpr_i_stream_below(&s, 16384) - 8192;
        words[i] = (t[0] + (uint64_t)off) << 1;
    }
    for (size_t k = 0; k < num_kernels(); k++) {
        int64_t out[TRIES];
        uint32_t doubtful[TRIES];
        assert_true(kernels[k].run(words, TRIES, sigma, out, doubtful) > TRIES / 8);
        check_against_exact(&kernels[k], words, TRIES, sigma, &decided);
    }
    mpfr_free_cache();
}

/* Noise as wide as plans make it, in a range around thresholds that the quick pass must refuse and
 * the full one mostly decides. */
static void kernels_decide_close_calls_of_usual_noise(void **state)
{
    (void)state;
    const double sigma = 1281498708.43;
    uint64_t words[BLOCK], decided = 0, t[1];
    pdpr_i_stream s = noise_stream(9, 1);
    for (int i = 0; i < BLOCK; i++) {
        uint64_t n = pdpr_i_stream_below(&s, UINT64_C(3) << 30);
        threshold_words(n, sigma, t, 1);
        /* up to some 0.004 of an integer beside it */
        int64_t off = (int64_t)pdpr_i_stream_below(&s, 1 << 24) - (1 << 23);
        words[i] = (t[0] + (uint64_t)off) << 1 | (uint64_t)(i & 1);
    }
    for (size_t k = 0; k < num_kernels(); k++)
        check_against_exact(&kernels[k], words, BLOCK, sigma, &decided);
    assert_true(decided > num_kernels() * BLOCK * 99 / 100);
    mpfr_free_cache();
}

/* What a vector kernel refuses at first is filled up with words of its own, p = 1/4. Here these lie
 * on a half-integer and are as doubtful as the one word that was refused: they are not handed on.
 */
static void kernels_do_not_hand_on_what_they_fill_up_with(void **state)
{
    (void)state;
    enum { AT = 3 };
    const double sigma = 0.5 / 0.67448975019608174320; /* Q^-1(1/4) */
    uint64_t words[PDPR_I_GAUSSIAN_LANES];
    int64_t out[PDPR_I_GAUSSIAN_LANES];
    uint32_t doubtful[PDPR_I_GAUSSIAN_LANES];
    for (int i = 0; i < PDPR_I_GAUSSIAN_LANES; i++)
        words[i] = (i == AT ? UINT64_C(2) : UINT64_C(3)) << 62;
    for (size_t k = 0; k < num_kernels(); k++) {
        assert_int_equal(kernels[k].run(words, PDPR_I_GAUSSIAN_LANES, sigma, out, doubtful), 1);
        assert_int_equal(doubtful[0], AT);
    }
}

static void kernels_give_the_same_integers(void **state)
{
    (void)state;
    uint64_t words[BLOCK];
    int64_t first[BLOCK], other[BLOCK];
    uint32_t first_open[BLOCK], other_open[BLOCK];
    for (size_t i = 0; i < sizeof sigmas / sizeof *sigmas; i++)
        for (uint64_t block = 0; block < 30; block++) {
            pdpr_i_stream s = noise_stream(10 + i, block);
            pdpr_i_stream_words(&s, words, BLOCK);
            uint32_t open = kernels[0].run(words, BLOCK, sigmas[i], first, first_open);
            for (size_t k = 1; k < num_kernels(); k++) {
                assert_int_equal(kernels[k].run(words, BLOCK, sigmas[i], other, other_open), open);
                assert_memory_equal(first_open, other_open, open * sizeof *first_open);
                assert_memory_equal(first, other, sizeof first);
            }
        }
}

/* The noise of a vector, by words and pages as the contract says, against the real thing, for every
 * kernel and several thread counts, on top of values that must be kept. */
static void noise_depends_on_address_alone(void **state)
{
    (void)state;
    enum { COUNT = 3 * BLOCK + 77 };
    static int64_t expected[COUNT], got[COUNT];
    const double sigma = 0x1p40; /* a few hundred values take the exact path */
    const uint64_t address = UINT64_C(5) << 32 | 9;
    pdpr_i_key key;
    pdpr_i_stream words, refine;
    pdpr_i_key_from_seed(3, &key);
    pdpr_i_stream_init(&words, &key, PDPR_I_PURPOSE_GAUSSIAN, address);
    pdpr_i_stream_init(&refine, &key, PDPR_I_PURPOSE_GAUSSIAN_REFINE, address);

    static const uint32_t threads[] = {1, 2, 5};
    for (size_t k = 0; k < num_kernels(); k++)
        for (size_t t = 0; t < 3; t++) {
            pdpr_context_options options;
            pdpr_context *ctx = NULL;
            pdpr_context_options_default(&options);
            options.threads = threads[t];
            options.cpu = kernels[k].cpu;
            assert_ok(pdpr_context_new(&options, &ctx, NULL));
            for (int i = 0; i < COUNT; i++)
                got[i] = i * INT64_C(1000000007);
            assert_ok(pdpr_i_gaussian_add(ctx, &key, address, sigma, got, COUNT, NULL));
            if (k == 0 && t == 0) {
                memcpy(expected, got, sizeof got);
                for (int i = 0; i < COUNT; i += 50) {
                    pdpr_i_stream w = words, r = refine;
                    pdpr_i_stream_seek(&w, (uint64_t)i / 128);
                    for (int skip = 0; skip < i % 128; skip++)
                        pdpr_i_stream_u64(&w);
                    pdpr_i_stream_seek(&r, (uint64_t)i);
                    int64_t y = pdpr_i_gaussian_exact(pdpr_i_stream_u64(&w), sigma, &r);
                    assert_int_equal(got[i] - i * INT64_C(1000000007), y);
                }
            }
            assert_memory_equal(got, expected, sizeof got);
            pdpr_context_free(ctx);
        }
    mpfr_free_cache();
}

/* Q^-1(p) for p = (w + 1/2) / 2^64, to 200 bits. */
static void quantile(mpfr_t x, uint64_t w)
{
    mpfr_t p, q, d;
    mpfr_inits2(200, p, q, d, (mpfr_ptr)NULL);
    mpfr_set_ui(p, w, MPFR_RNDN);
    mpfr_add_d(p, p, 0.5, MPFR_RNDN);
    mpfr_div_2ui(p, p, 64, MPFR_RNDN);
    mpfr_set_ui(x, 0, MPFR_RNDN);
    for (int i = 0; i < 60; i++) { /* x += (Q(x) - p) / phi(x), which comes from below */
        mpfr_sqrt_ui(d, 2, MPFR_RNDN);
        mpfr_div(q, x, d, MPFR_RNDN);
        mpfr_erfc(q, q, MPFR_RNDN);
        mpfr_div_2ui(q, q, 1, MPFR_RNDN);
        mpfr_sub(q, q, p, MPFR_RNDN);
        mpfr_sqr(d, x, MPFR_RNDN);
        mpfr_div_2ui(d, d, 1, MPFR_RNDN);
        mpfr_exp(d, d, MPFR_RNDN);
        mpfr_mul_d(d, d, 2.5066282746310002, MPFR_RNDN); /* sqrt(2 pi), close enough */
        mpfr_mul(q, q, d, MPFR_RNDN);
        mpfr_add(x, x, q, MPFR_RNDN);
    }
    mpfr_clears(p, q, d, (mpfr_ptr)NULL);
}

/* A sigma for which the tail number w lies on the threshold of n, so that only further bits decide.
 */
static double sigma_on_threshold(uint64_t w, uint64_t *n, uint64_t *next_bits)
{
    mpfr_t x, s;
    uint64_t t[2];
    double sigma;
    mpfr_inits2(200, x, s, (mpfr_ptr)NULL);
    quantile(x, w);
    for (*n = 1000;; (*n)++) {
        mpfr_set_ui(s, 2 * *n + 1, MPFR_RNDN);
        mpfr_div_2ui(s, s, 1, MPFR_RNDN);
        mpfr_div(s, s, x, MPFR_RNDN);
        sigma = mpfr_get_d(s, MPFR_RNDN);
        threshold_words(*n, sigma, t, 2);
        if (t[0] == w)
            break;
    }
    *next_bits = t[1];
    mpfr_clears(x, s, (mpfr_ptr)NULL);
    return sigma;
}

/* The further bits of coordinate i are page i of the refining stream, and nothing else. */
static void noise_refines_each_coordinate_from_its_own_page(void **state)
{
    (void)state;
    enum { TRIES = 12 };
    const uint64_t address = 8;
    pdpr_context *ctx = test_context(1);
    pdpr_i_key key;
    pdpr_i_stream words, refine;
    uint64_t word[TRIES], larger = 0, other_page = 0;
    pdpr_i_key_from_seed(4, &key);
    pdpr_i_stream_init(&words, &key, PDPR_I_PURPOSE_GAUSSIAN, address);
    pdpr_i_stream_init(&refine, &key, PDPR_I_PURPOSE_GAUSSIAN_REFINE, address);
    uint64_t page_0 = pdpr_i_stream_u64(&refine);
    pdpr_i_stream_words(&words, word, TRIES);
    for (uint64_t i = 0; i < TRIES; i++) {
        uint64_t n, next_bits;
        int64_t y[TRIES] = {0};
        double sigma = sigma_on_threshold(word[i] >> 1, &n, &next_bits);
        pdpr_i_stream_seek(&refine, i);
        uint64_t bits = pdpr_i_stream_u64(&refine);
        assert_ok(pdpr_i_gaussian_add(ctx, &key, address, sigma, y, TRIES, NULL));
        int64_t size = (int64_t)n + (bits < next_bits);
        assert_int_equal(y[i], word[i] & 1 ? -size : size);
        larger += bits < next_bits;
        other_page += (bits < next_bits) != (page_0 < next_bits);
    }
    assert_in_range(larger, 1, TRIES - 1); /* both outcomes, */
    assert_true(other_page > 0);           /* and page 0 for all would have been seen */
    pdpr_context_free(ctx);
    mpfr_free_cache();
}

/* The same on every machine, compiler and version: recorded once. */
static void noise_of_a_seed_never_changes(void **state)
{
    (void)state;
    static const int64_t recorded[8] = {
        INT64_C(1102611376), INT64_C(680810315), INT64_C(-319798894),  INT64_C(-458171446),
        INT64_C(2633454706), INT64_C(342731183), INT64_C(-1422692806), INT64_C(1148597704)};
    pdpr_context *ctx = test_context(1);
    int64_t got[8] = {0};
    pdpr_i_key key;
    pdpr_i_key_from_seed(1, &key);
    assert_ok(pdpr_i_gaussian_add(ctx, &key, 1, 1281498708.43, got, 8, NULL));
    for (int i = 0; i < 8; i++)
        assert_int_equal(got[i], recorded[i]);
    pdpr_context_free(ctx);
}

static void noise_of_other_addresses_and_keys_differs(void **state)
{
    (void)state;
    enum { COUNT = 64, VECTORS = 4 };
    pdpr_context *ctx = test_context(1);
    int64_t y[VECTORS][COUNT] = {{0}};
    pdpr_i_key a, b;
    pdpr_i_key_from_seed(1, &a);
    pdpr_i_key_from_seed(2, &b);
    assert_ok(pdpr_i_gaussian_add(ctx, &a, 0, 1e9, y[0], COUNT, NULL));
    assert_ok(pdpr_i_gaussian_add(ctx, &a, 1, 1e9, y[1], COUNT, NULL));
    assert_ok(pdpr_i_gaussian_add(ctx, &a, UINT64_C(1) << 32, 1e9, y[2], COUNT, NULL));
    assert_ok(pdpr_i_gaussian_add(ctx, &b, 0, 1e9, y[3], COUNT, NULL));
    assert_true(pdpr_i_bytes_are_fresh((unsigned char *)y, sizeof y));
    pdpr_context_free(ctx);
}

static void noise_stops_when_cancelled(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    int64_t y[8] = {0};
    pdpr_i_key key;
    pdpr_i_key_from_seed(1, &key);
    assert_ok(pdpr_i_gaussian_add(ctx, &key, 0, 1, y, 0, NULL)); /* nothing to do */
    pdpr_context_cancel(ctx);
    assert_int_equal(pdpr_i_gaussian_add(ctx, &key, 0, 1, y, 8, NULL), PDPR_ECANCELLED);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_decides_at_every_threshold),
        cmocka_unit_test(exact_covers_the_ends_of_the_range),
        cmocka_unit_test(exact_finds_the_far_tail),
        cmocka_unit_test(kernels_agree_with_exact_where_they_decide),
        cmocka_unit_test(kernels_leave_close_calls_open),
        cmocka_unit_test(kernels_decide_close_calls_of_usual_noise),
        cmocka_unit_test(kernels_do_not_hand_on_what_they_fill_up_with),
        cmocka_unit_test(kernels_give_the_same_integers),
        cmocka_unit_test(noise_depends_on_address_alone),
        cmocka_unit_test(noise_refines_each_coordinate_from_its_own_page),
        cmocka_unit_test(noise_of_a_seed_never_changes),
        cmocka_unit_test(noise_of_other_addresses_and_keys_differs),
        cmocka_unit_test(noise_stops_when_cancelled),
    };
    return cmocka_run_group_tests_name("rounded Gaussian", tests, NULL, NULL);
}
