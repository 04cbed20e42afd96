/* The root key in its own locked page.
 *
 * The page is cut out of an accounted block of two pages, so that every failure of memory can be
 * tested; before the block goes back, the page is wiped and its protection lifted. MADV_WIPEONFORK
 * makes a child see zeros, and with them a missing mark, so that parent and child can never draw
 * the same noise. The health test looks at the kernel's bytes (two requests) and at the first page
 * of a stream made from them: 64-bit words that repeat mean a source that is stuck, empty or
 * replayed, and no key is handed out.
 *
 * Source: RFC 5869; madvise(2), mlock(2), getrandom(2). */
#include "dp/noise_key.h"
#include "dp/hkdf.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#define MADV_KEEPONFORK 19
#endif

static const uint64_t mark_of_life = 0x6e6f6973656b6579; /* anything but zero */

/* What lies in the protected page. */
typedef struct {
    uint64_t mark;
    bool seeded;
    pdpr_i_key root;
    unsigned char entropy[PDPR_I_ENTROPY_BYTES];
} key_page;

struct pdpr_i_noise_key {
    void *block; /* two pages; `page` is the one that is aligned */
    key_page *page;
    size_t page_bytes;
};

static int fill_from_kernel(void *user, unsigned char *out, size_t length)
{
    (void)user;
    return getentropy(out, length) == 0 ? 0 : errno;
}

static int protect_page(void *user, void *page, size_t length)
{
    (void)user;
    bool done = mlock(page, length) == 0 && madvise(page, length, MADV_DONTDUMP) == 0 &&
                madvise(page, length, MADV_WIPEONFORK) == 0;
    return done ? 0 : errno;
}

pdpr_i_key_source pdpr_i_key_source_kernel(void)
{
    return (pdpr_i_key_source){.fill = fill_from_kernel, .protect = protect_page};
}

bool pdpr_i_bytes_are_fresh(const unsigned char *bytes, size_t length)
{
    uint64_t a, b;
    for (size_t i = 0; i + sizeof a <= length; i += sizeof a) {
        memcpy(&a, bytes + i, sizeof a);
        for (size_t j = 0; j < i; j += sizeof b) {
            memcpy(&b, bytes + j, sizeof b);
            if (a == b)
                return false;
        }
    }
    return true;
}

void pdpr_i_noise_key_free(pdpr_i_noise_key *key)
{
    if (!key)
        return;
    if (key->page) {
        sodium_memzero(key->page, sizeof *key->page);
        madvise(key->page, key->page_bytes, MADV_KEEPONFORK);
        madvise(key->page, key->page_bytes, MADV_DODUMP);
        munlock(key->page, key->page_bytes);
    }
    pdpr_free(key->block);
    pdpr_free(key);
}

/* An empty key in a protected page. */
static pdpr_status new_key(pdpr_context *ctx, const pdpr_i_key_source *source,
                           pdpr_i_noise_key **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_noise_key *key = NULL;

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *key, "noise key", &key, err));
    key->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    PDPR_TRY(pdpr_i_zalloc(ctx, 2, key->page_bytes, "noise key", &key->block, err));
    size_t past = (uintptr_t)key->block % key->page_bytes;
    void *page = (char *)key->block + (key->page_bytes - past) % key->page_bytes;
    key->page = page;

    int refused = source->protect(source->user, page, key->page_bytes);
    if (refused) {
        s = pdpr_i_fail_system(err, refused,
                               "noise key: the system gives no locked memory for it (ulimit -l)");
        goto done;
    }
    *out = key;
    key = NULL;
done:
    pdpr_i_noise_key_free(key);
    return s;
}

pdpr_status pdpr_i_noise_key_from_system(pdpr_context *ctx, pdpr_i_key_source source,
                                         const unsigned char digest[PDPR_I_DIGEST_BYTES],
                                         const void *parameters, size_t parameters_length,
                                         pdpr_i_noise_key **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_noise_key *key = NULL;
    unsigned char sample[PDPR_I_ENTROPY_BYTES + PDPR_I_STREAM_PAGE];
    pdpr_i_stream stream;

    PDPR_TRY(new_key(ctx, &source, &key, err));
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): new_key succeeded */
    key_page *page = key->page;

    /* Two requests, so that a source which repeats itself from call to call is seen. */
    for (int half = 0; half < 2; half++) {
        int refused = source.fill(source.user, page->entropy + half * PDPR_I_ENTROPY_BYTES / 2,
                                  PDPR_I_ENTROPY_BYTES / 2);
        if (refused) {
            s = pdpr_i_fail_system(err, refused, "noise key: the kernel gives no random bytes");
            goto done;
        }
    }
    char build[PDPR_I_BUILD_IDENTITY]; /* another may put other values beside the same noise */
    pdpr_i_build_identity(ctx, build);
    const pdpr_i_bytes info[] = {{"noise", 5},
                                 {digest, PDPR_I_DIGEST_BYTES},
                                 {build, strlen(build) + 1},
                                 {parameters, parameters_length}};
    pdpr_i_hkdf_sha256((pdpr_i_bytes){"", 0}, (pdpr_i_bytes){page->entropy, sizeof page->entropy},
                       info, sizeof info / sizeof *info, page->root.bytes, sizeof page->root.bytes);

    memcpy(sample, page->entropy, sizeof page->entropy);
    pdpr_i_stream_init(&stream, &page->root, PDPR_I_PURPOSE_HEALTH, 0);
    pdpr_i_stream_bytes(&stream, sample + sizeof page->entropy, PDPR_I_STREAM_PAGE);
    pdpr_i_stream_wipe(&stream);
    bool fresh = pdpr_i_bytes_are_fresh(sample, sizeof sample);
    sodium_memzero(sample, sizeof sample);
    if (!fresh) {
        s = pdpr_i_fail(err, PDPR_EFAILED,
                        "noise key: the random source repeats itself; no noise is drawn from it");
        goto done;
    }
    page->mark = mark_of_life;
    *out = key;
    key = NULL;
done:
    pdpr_i_noise_key_free(key);
    return s;
}

pdpr_status pdpr_i_noise_key_from_seed(pdpr_context *ctx, uint64_t seed, pdpr_i_noise_key **out,
                                       pdpr_error *err)
{
    pdpr_i_noise_key *key = NULL;
    const pdpr_i_key_source kernel = pdpr_i_key_source_kernel();
    pdpr_status s = new_key(ctx, &kernel, &key, err);
    if (s != PDPR_OK)
        return s;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): new_key succeeded */
    pdpr_i_key_from_seed(seed, &key->page->root);
    key->page->seeded = true;
    key->page->mark = mark_of_life;
    *out = key;
    return PDPR_OK;
}

const unsigned char *pdpr_i_noise_key_entropy(const pdpr_i_noise_key *key)
{
    return key->page->seeded ? NULL : key->page->entropy;
}

pdpr_status pdpr_i_noise_key_root(const pdpr_i_noise_key *key, const pdpr_i_key **out,
                                  pdpr_error *err)
{
    if (key->page->mark != mark_of_life)
        return pdpr_i_fail(err, PDPR_EFAILED,
                           "noise key: it was wiped when this process was forked");
    *out = &key->page->root;
    return PDPR_OK;
}
