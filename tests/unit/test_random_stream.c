/* Streams and keys: published vectors, addressing, binding, protection, faults of the source. */
#include "support/noise_support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dp/hkdf.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define UNDER_A_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNDER_A_SANITIZER
#endif

static void assert_hex(const unsigned char *bytes, const char *hex)
{
    for (size_t i = 0; hex[2 * i]; i++) {
        unsigned value;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &value), 1);
        assert_int_equal(bytes[i], value);
    }
}

/* RFC 8439, 2.3.2: key 00..1f, nonce 00000009 0000004a 00000000, block 1. Our nonce is the high
 * half of the block number and the index, both with the low byte first. */
static void stream_matches_rfc_8439_block(void **state)
{
    (void)state;
    pdpr_i_stream s = {.index = 0x4a000000};
    unsigned char block[128];
    for (int i = 0; i < 32; i++)
        s.subkey[i] = (unsigned char)i;
    pdpr_i_stream_seek(&s, (UINT64_C(0x09000000) << 32) / 16);
    pdpr_i_stream_bytes(&s, block, sizeof block);
    assert_hex(block + 64, "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
                           "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e");
}

/* RFC 8439, A.1 vector 1: all zero. */
static void stream_matches_rfc_8439_zero_key(void **state)
{
    (void)state;
    pdpr_i_stream s = {.index = 0};
    unsigned char block[64];
    pdpr_i_stream_seek(&s, 0);
    pdpr_i_stream_bytes(&s, block, sizeof block);
    assert_hex(block, "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
                      "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586");
}

/* RFC 5869, A.1 to A.3. */
static void hkdf_matches_rfc_5869(void **state)
{
    (void)state;
    unsigned char count[256], out[82], eleven[22];
    for (int i = 0; i < 256; i++)
        count[i] = (unsigned char)i;
    memset(eleven, 0x0b, sizeof eleven);

    const pdpr_i_bytes secret = {eleven, 22};
    const pdpr_i_bytes info_1[] = {{count + 0xf0, 4}, {count + 0xf4, 6}}; /* f0..f9, in two parts */
    pdpr_i_hkdf_sha256((pdpr_i_bytes){count, 13}, secret, info_1, 2, out, 42);
    assert_hex(out, "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
                    "34007208d5b887185865");

    const pdpr_i_bytes info_2[] = {{count + 0xb0, 80}};
    pdpr_i_hkdf_sha256((pdpr_i_bytes){count + 0x60, 80}, (pdpr_i_bytes){count, 80}, info_2, 1, out,
                       82);
    assert_hex(out, "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
                    "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
                    "cc30c58179ec3e87c14c01d5c1f3434f1d87");

    pdpr_i_hkdf_sha256((pdpr_i_bytes){"", 0}, secret, NULL, 0, out, 42);
    assert_hex(out, "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
                    "9d201395faa4b61a96c8");
}

static void stream_same_address_gives_same_bytes_however_cut(void **state)
{
    (void)state;
    enum { LENGTH = 20000 };
    static unsigned char whole[LENGTH], pieces[LENGTH];
    pdpr_i_stream a = noise_stream(7, 3), b = noise_stream(7, 3);
    pdpr_i_stream_bytes(&a, whole, LENGTH);
    for (size_t at = 0, piece = 1; at < LENGTH; at += piece, piece = piece * 3 % 4001 + 1) {
        if (piece > LENGTH - at)
            piece = LENGTH - at;
        pdpr_i_stream_bytes(&b, pieces + at, piece);
    }
    assert_memory_equal(whole, pieces, LENGTH);

    for (uint64_t page = 0; page < 19; page++) {
        unsigned char one[PDPR_I_STREAM_PAGE];
        pdpr_i_stream_seek(&b, page);
        pdpr_i_stream_bytes(&b, one, sizeof one);
        assert_memory_equal(one, whole + page * PDPR_I_STREAM_PAGE, sizeof one);
    }
}

static void stream_goes_on_where_the_counter_wraps(void **state)
{
    (void)state;
    const uint64_t wrap = (UINT64_C(1) << 32) / 16; /* page whose counter is 0 again */
    unsigned char across[4 * PDPR_I_STREAM_PAGE], page[PDPR_I_STREAM_PAGE];
    pdpr_i_stream s = noise_stream(7, 3);
    pdpr_i_stream_seek(&s, wrap - 2);
    pdpr_i_stream_bytes(&s, across, sizeof across);
    for (uint64_t i = 0; i < 4; i++) {
        pdpr_i_stream_seek(&s, wrap - 2 + i);
        pdpr_i_stream_bytes(&s, page, sizeof page);
        assert_memory_equal(page, across + i * sizeof page, sizeof page);
    }
    assert_true(pdpr_i_bytes_are_fresh(across, sizeof across));
    pdpr_i_stream_seek(&s, 0); /* the same counter under another nonce */
    pdpr_i_stream_bytes(&s, page, sizeof page);
    assert_memory_not_equal(page, across + 2 * sizeof page, sizeof page);
}

/* Pages by every instruction set against seek and words, also over the end of the counter; the
 * stream itself stays where it was. */
static void stream_pages_are_those_of_seek_and_words(void **state)
{
    (void)state;
    enum { PAGES = 5, WORDS = PAGES * PDPR_I_STREAM_PAGE / 8 };
    static const uint64_t wrap = (UINT64_C(1) << 32) / 16;
    const uint64_t page[] = {0, 1, 77, wrap - 2, wrap, 3 * wrap - 4, (UINT64_C(1) << 60) - PAGES};
    uint64_t expected[WORDS], found[WORDS + 1];
    pdpr_i_key key;
    pdpr_i_stream s;
    for (uint64_t run = 0; run < 200; run++)
        for (size_t k = 0; k < sizeof page / sizeof *page; k++) {
            pdpr_i_key_from_seed(run, &key);
            pdpr_i_stream_init(&s, &key, PDPR_I_PURPOSE_TEST, run * UINT64_C(0x9e3779b97f4a7c15));
            pdpr_i_stream walking = s;
            pdpr_i_stream_seek(&walking, page[k]);
            pdpr_i_stream_words(&walking, expected, WORDS);
            uint64_t next = pdpr_i_stream_u64(&s);
            pdpr_i_stream_seek(&s, 0);
            for (pdpr_cpu cpu = PDPR_CPU_PORTABLE; cpu <= pdpr_i_cpu_detect(); cpu++) {
                size_t pages = 1 + (run + k) % PAGES;
                memset(found, 0xa5, sizeof found);
                pdpr_i_stream_pages(&s, cpu, page[k], pages, found);
                assert_memory_equal(found, expected, pages * PDPR_I_STREAM_PAGE);
                assert_true(found[pages * PDPR_I_STREAM_PAGE / 8] == UINT64_C(0xa5a5a5a5a5a5a5a5));
            }
            assert_true(pdpr_i_stream_u64(&s) == next);
        }
}

static void stream_other_address_gives_other_bytes(void **state)
{
    (void)state;
    pdpr_i_key key;
    pdpr_i_stream s;
    uint64_t seen[5 * 4 * 3], count = 0;
    for (uint64_t seed = 0; seed < 3; seed++)
        for (int purpose = PDPR_I_PURPOSE_GAUSSIAN; purpose <= PDPR_I_PURPOSE_HEALTH; purpose++)
            for (uint64_t index = 0; index < 4; index++) {
                pdpr_i_key_from_seed(seed, &key);
                pdpr_i_stream_init(&s, &key, (pdpr_i_purpose)purpose, index << 31);
                seen[count++] = pdpr_i_stream_u64(&s);
            }
    assert_true(pdpr_i_bytes_are_fresh((unsigned char *)seen, sizeof seen));
    pdpr_i_stream_wipe(&s);
    pdpr_i_key_wipe(&key);
    const unsigned char zero[sizeof s] = {0};
    assert_memory_equal(&s, zero, sizeof s);
    assert_memory_equal(&key, zero, sizeof key);
}

static void stream_words_have_the_low_byte_first(void **state)
{
    (void)state;
    unsigned char bytes[16];
    uint64_t words[2];
    pdpr_i_stream a = noise_stream(1, 1), b = a, c = a;
    pdpr_i_stream_bytes(&a, bytes, sizeof bytes);
    pdpr_i_stream_words(&b, words, 2);
    for (int i = 0; i < 16; i++)
        assert_int_equal(words[i / 8] >> 8 * (i % 8) & 0xff, bytes[i]);
    assert_int_equal(pdpr_i_stream_u64(&c), words[0]);
}

/* All residues equally likely, also for a bound just above 2^63, where half the words are refused.
 */
static void below_is_uniform(void **state)
{
    (void)state;
    enum { CELLS = 7, DRAWS = 70000 };
    uint64_t seen[CELLS] = {0}, high = 0;
    double expected[CELLS];
    pdpr_i_stream s = noise_stream(2, 0);
    for (int i = 0; i < DRAWS; i++)
        seen[pdpr_i_stream_below(&s, CELLS)]++;
    for (int i = 0; i < CELLS; i++)
        expected[i] = 1.0 / CELLS;
    assert_true(chi_square(seen, expected, CELLS, DRAWS) < chi_square_limit(CELLS - 1));

    const uint64_t bound = (UINT64_C(1) << 63) + 1;
    for (int i = 0; i < DRAWS; i++) {
        uint64_t x = pdpr_i_stream_below(&s, bound);
        assert_true(x < bound);
        high += x > bound / 2;
    }
    assert_true(high > DRAWS / 2 - 650 && high < DRAWS / 2 + 650); /* 4.9 sd of a fair coin */
    for (int i = 0; i < 1000; i++) {
        double u = pdpr_i_stream_unit(&s);
        assert_true(u >= 0 && u < 1);
    }
}

/* ---------------------------------------------------------------- keys */

static const unsigned char digest_a[PDPR_I_DIGEST_BYTES] = {1}, digest_b[PDPR_I_DIGEST_BYTES] = {2};

typedef enum { COUNTING, ZERO, STUCK, REPEATING, FAILING, FAILING_LATE } fault;

typedef struct {
    fault kind;
    int calls;
} faulty;

static int faulty_fill(void *user, unsigned char *out, size_t length)
{
    faulty *f = user;
    f->calls++;
    if (f->kind == FAILING || (f->kind == FAILING_LATE && f->calls == 2))
        return EIO;
    for (size_t i = 0; i < length; i++)
        out[i] = (unsigned char)(f->kind == ZERO        ? 0
                                 : f->kind == STUCK     ? 0xa5
                                 : f->kind == REPEATING ? i
                                                        : i + 100 * (size_t)f->calls);
    return 0;
}

static int protect_nothing(void *user, void *page, size_t length)
{
    (void)user, (void)page, (void)length;
    return 0;
}

static int protect_fails(void *user, void *page, size_t length)
{
    (void)user, (void)page, (void)length;
    return ENOMEM;
}

static pdpr_i_key_source faulty_source(faulty *f)
{
    return (pdpr_i_key_source){.fill = faulty_fill, .protect = protect_nothing, .user = f};
}

static pdpr_i_key root_of(const pdpr_i_noise_key *key)
{
    const pdpr_i_key *root = NULL;
    assert_ok(pdpr_i_noise_key_root(key, &root, NULL));
    return *root;
}

/* The root for these bytes of entropy, input and parameters. */
static pdpr_i_key root_for(pdpr_context *ctx, const unsigned char *digest, const char *parameters)
{
    faulty counting = {.kind = COUNTING};
    pdpr_i_noise_key *key = NULL;
    assert_ok(pdpr_i_noise_key_from_system(ctx, faulty_source(&counting), digest, parameters,
                                           strlen(parameters), &key, NULL));
    pdpr_i_key root = root_of(key);
    pdpr_i_noise_key_free(key);
    return root;
}

static void key_from_the_kernel_is_new_each_time(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_noise_key *a = NULL, *b = NULL;
    pdpr_i_key_source kernel = pdpr_i_key_source_kernel();
    assert_ok(pdpr_i_noise_key_from_system(ctx, kernel, digest_a, "", 0, &a, NULL));
    assert_ok(pdpr_i_noise_key_from_system(ctx, kernel, digest_a, "", 0, &b, NULL));
    pdpr_i_key root_a = root_of(a), root_b = root_of(b);
    assert_memory_not_equal(&root_a, &root_b, sizeof root_a);
    assert_non_null(pdpr_i_noise_key_entropy(a));
    assert_memory_not_equal(pdpr_i_noise_key_entropy(a), pdpr_i_noise_key_entropy(b),
                            PDPR_I_ENTROPY_BYTES);
    pdpr_i_noise_key_free(a);
    pdpr_i_noise_key_free(b);
    pdpr_i_noise_key_free(NULL);
    pdpr_context_free(ctx);
}

/* A cloned machine repeats the kernel's bytes; other data or parameters must still give other
 * noise, the same ones the same noise. */
static void key_is_bound_to_input_and_parameters(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_key a = root_for(ctx, digest_a, "T=1"), again = root_for(ctx, digest_a, "T=1");
    pdpr_i_key data = root_for(ctx, digest_b, "T=1"), plan = root_for(ctx, digest_a, "T=2");
    assert_memory_equal(&a, &again, sizeof a);
    assert_memory_not_equal(&a, &data, sizeof a);
    assert_memory_not_equal(&a, &plan, sizeof a);

    /* HKDF-SHA-256 of the 64 counting bytes with "noise" | digest | build | "T=1" */
    unsigned char entropy[PDPR_I_ENTROPY_BYTES], info[1000], expected[32];
    char build[PDPR_I_BUILD_IDENTITY];
    pdpr_i_build_identity(ctx, build);
    size_t length = 5 + PDPR_I_DIGEST_BYTES;
    faulty counting = {.kind = COUNTING};
    faulty_fill(&counting, entropy, 32);
    faulty_fill(&counting, entropy + 32, 32);
    memcpy(info, "noise", 5);
    memcpy(info + 5, digest_a, PDPR_I_DIGEST_BYTES);
    length += (size_t)snprintf((char *)info + length, sizeof info - length, "%s%cT=1", build, '\0');
    assert_true(length < sizeof info);
    const pdpr_i_bytes part = {info, length};
    pdpr_i_hkdf_sha256((pdpr_i_bytes){"", 0}, (pdpr_i_bytes){entropy, sizeof entropy}, &part, 1,
                       expected, sizeof expected);
    assert_memory_equal(a.bytes, expected, sizeof expected);

    /* the C library's logarithm may differ there in its last bit, and a cap with it */
    ctx->cpu_found = ctx->cpu_found == PDPR_CPU_PORTABLE ? PDPR_CPU_AVX2 : PDPR_CPU_PORTABLE;
    pdpr_i_key machine = root_for(ctx, digest_a, "T=1");
    assert_memory_not_equal(&a, &machine, sizeof a);
    pdpr_context_free(ctx);
}

static void key_from_a_bad_source_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const struct {
        fault kind;
        const char *text;
    } cases[] = {
        {ZERO, "noise key: the random source repeats itself; no noise is drawn from it"},
        {STUCK, "noise key: the random source repeats itself; no noise is drawn from it"},
        {REPEATING, "noise key: the random source repeats itself; no noise is drawn from it"},
        {FAILING, "noise key: the kernel gives no random bytes: Input/output error"},
        {FAILING_LATE, "noise key: the kernel gives no random bytes: Input/output error"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        faulty source = {.kind = cases[i].kind};
        pdpr_i_noise_key *key = NULL;
        pdpr_error err;
        assert_int_equal(
            pdpr_i_noise_key_from_system(ctx, faulty_source(&source), digest_a, "", 0, &key, &err),
            PDPR_EFAILED);
        assert_string_equal(err.text, cases[i].text);
        assert_null(key);
    }
    assert_int_equal(pdpr_context_memory(ctx, NULL), 0);
    pdpr_context_free(ctx);
}

static void key_without_locked_memory_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_key_source source = pdpr_i_key_source_kernel();
    source.protect = protect_fails;
    pdpr_i_noise_key *key = NULL;
    pdpr_error err;
    assert_int_equal(pdpr_i_noise_key_from_system(ctx, source, digest_a, "", 0, &key, &err),
                     PDPR_EFAILED);
    assert_non_null(strstr(err.text, "no locked memory"));
    pdpr_context_free(ctx);
}

/* What the kernel refuses must come back as an error: too long a request; pages that are not
 * mapped, not aligned, or shared. */
static void kernel_source_passes_refusals_on(void **state)
{
    (void)state;
    pdpr_i_key_source kernel = pdpr_i_key_source_kernel();
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char bytes[512];
    assert_int_equal(kernel.fill(NULL, bytes, sizeof bytes), EIO);
    char *shared = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char *own = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED && own != MAP_FAILED);
    assert_int_equal(kernel.protect(NULL, shared, page), EINVAL);
    assert_int_equal(kernel.protect(NULL, own + 64, page), EINVAL);
    assert_int_equal(kernel.protect(NULL, own, page), 0);
    munmap(own, 2 * page);
    munmap(shared, 2 * page);
    assert_int_not_equal(kernel.protect(NULL, own, page), 0);
}

/* The page of the key must be locked (lo), left out of dumps (dd) and wiped on fork (wf). */
static void key_page_is_protected(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_noise_key *key = NULL;
    const pdpr_i_key *root = NULL;
    assert_ok(pdpr_i_noise_key_from_seed(ctx, 1, &key, NULL));
    assert_ok(pdpr_i_noise_key_root(key, &root, NULL));

    FILE *maps = fopen("/proc/self/smaps", "r");
    if (!maps) {
        printf("skipped: no /proc/self/smaps\n");
    } else {
        char line[512];
        unsigned long from, to;
        bool inside = false, found = false;
        while (fgets(line, sizeof line, maps)) {
            if (sscanf(line, "%lx-%lx", &from, &to) == 2 && strchr(line, '-') < strchr(line, ' '))
                inside = (uintptr_t)root >= from && (uintptr_t)root < to;
            if (inside && strncmp(line, "VmFlags:", 8) == 0) {
                found = true;
#ifndef UNDER_A_SANITIZER /* they make mlock do nothing */
                assert_non_null(strstr(line, " lo"));
#endif
                assert_non_null(strstr(line, " dd"));
                assert_non_null(strstr(line, " wf"));
            }
        }
        assert_true(found);
        fclose(maps);
    }
    pdpr_i_noise_key_free(key);
    pdpr_context_free(ctx);
}

static void key_is_gone_in_a_forked_child(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_noise_key *key = NULL;
    assert_ok(
        pdpr_i_noise_key_from_system(ctx, pdpr_i_key_source_kernel(), digest_a, "", 0, &key, NULL));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const pdpr_i_key *root;
        pdpr_error err;
        bool right = pdpr_i_noise_key_root(key, &root, &err) == PDPR_EFAILED &&
                     strcmp(err.text, "noise key: it was wiped when this process was forked") == 0;
        pdpr_i_noise_key_free(key);
        pdpr_context_free(ctx);
        _exit(right ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    (void)root_of(key); /* the parent's still works */
    pdpr_i_noise_key_free(key);
    pdpr_context_free(ctx);
}

static void key_from_a_seed_is_reproducible_and_has_no_entropy(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_noise_key *key = NULL;
    pdpr_i_key expected;
    assert_ok(pdpr_i_noise_key_from_seed(ctx, 42, &key, NULL));
    pdpr_i_key_from_seed(42, &expected);
    pdpr_i_key root = root_of(key);
    assert_memory_equal(&root, &expected, sizeof root);
    assert_null(pdpr_i_noise_key_entropy(key));
    pdpr_i_noise_key_free(key);
    pdpr_context_free(ctx);
}

static void bytes_that_repeat_are_not_fresh(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    pdpr_i_stream s = noise_stream(5, 0);
    pdpr_i_stream_bytes(&s, bytes, sizeof bytes);
    assert_true(pdpr_i_bytes_are_fresh(bytes, sizeof bytes));
    memcpy(bytes + 1016, bytes, 8);
    assert_false(pdpr_i_bytes_are_fresh(bytes, sizeof bytes));
}

static void keys_survive_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        pdpr_i_noise_key *key = NULL;
        status = pdpr_i_noise_key_from_system(ctx, pdpr_i_key_source_kernel(), digest_a, "", 0,
                                              &key, NULL);
        pdpr_i_noise_key_free(key);
    });
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        pdpr_i_noise_key *key = NULL;
        status = pdpr_i_noise_key_from_seed(ctx, 1, &key, NULL);
        pdpr_i_noise_key_free(key);
    });
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_matches_rfc_8439_block),
        cmocka_unit_test(stream_matches_rfc_8439_zero_key),
        cmocka_unit_test(hkdf_matches_rfc_5869),
        cmocka_unit_test(stream_same_address_gives_same_bytes_however_cut),
        cmocka_unit_test(stream_goes_on_where_the_counter_wraps),
        cmocka_unit_test(stream_pages_are_those_of_seek_and_words),
        cmocka_unit_test(stream_other_address_gives_other_bytes),
        cmocka_unit_test(stream_words_have_the_low_byte_first),
        cmocka_unit_test(below_is_uniform),
        cmocka_unit_test(key_from_the_kernel_is_new_each_time),
        cmocka_unit_test(key_is_bound_to_input_and_parameters),
        cmocka_unit_test(key_from_a_bad_source_is_refused),
        cmocka_unit_test(key_without_locked_memory_is_refused),
        cmocka_unit_test(kernel_source_passes_refusals_on),
        cmocka_unit_test(key_page_is_protected),
        cmocka_unit_test(key_is_gone_in_a_forked_child),
        cmocka_unit_test(key_from_a_seed_is_reproducible_and_has_no_entropy),
        cmocka_unit_test(bytes_that_repeat_are_not_fresh),
        cmocka_unit_test(keys_survive_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("random streams", tests, NULL, NULL);
}
