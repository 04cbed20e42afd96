/* Accounted memory.
 *
 * A block carries a 64-byte head with its size and its account, so that freeing needs no context
 * and the cap counts what is really held. The account outlives its context until the last block is
 * gone. Zeroed blocks come from calloc: large ones are then untouched zero pages, which cost
 * nothing until used.
 *
 * Error texts name the use and the cap, never how much was asked for or is in use: that depends on
 * the number of edges, which is private.
 *
 * Invariant: used <= cap at every moment, whatever the number of threads. */
#include "base/base.h"
#include "base/account.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, HEAD = 64 };

struct pdpr_i_account {
    atomic_uint_fast64_t used, peak, calls,
        fail_at;                  /* fail_at: number of the call that fails, 0 for none */
    atomic_uint_fast64_t holders; /* the context and every block */
    uint64_t cap;                 /* 0: none */
};

/* Sits in the HEAD bytes before a block. */
typedef struct {
    void *raw;      /* what the system gave */
    uint64_t bytes; /* usable size, as charged */
    pdpr_i_account *account;
} block_head;

static block_head *head_of(void *block)
{
    return (block_head *)(void *)((char *)block - HEAD);
}

pdpr_i_account *pdpr_i_account_new(uint64_t cap)
{
    pdpr_i_account *a = calloc(1, sizeof *a);
    if (a) {
        a->cap = cap;
        atomic_init(&a->holders, 1);
    }
    return a;
}

void pdpr_i_account_release(pdpr_i_account *a)
{
    if (a && atomic_fetch_sub(&a->holders, 1) == 1)
        free(a);
}

uint64_t pdpr_i_account_used(const pdpr_i_account *a, uint64_t *peak)
{
    if (peak)
        *peak = atomic_load(&a->peak);
    return atomic_load(&a->used);
}

/* Would `bytes` more fit under the cap with `now` in use? */
static pdpr_status check_cap(const pdpr_i_account *a, uint64_t now, uint64_t bytes,
                             const char *what, pdpr_error *err)
{
    if (a->cap && (bytes > a->cap || now > a->cap - bytes))
        return pdpr_i_fail(err, PDPR_ENOMEM, "%s: needs more, above the memory cap of %.1f MB",
                           what, (double)a->cap / 1e6);
    return PDPR_OK;
}

/* Takes bytes from the cap, or tells why not. */
static pdpr_status charge(pdpr_i_account *a, uint64_t bytes, const char *what, pdpr_error *err)
{
    uint64_t now = atomic_load(&a->used);
    do {
        if (check_cap(a, now, bytes, what, err) != PDPR_OK)
            return PDPR_ENOMEM;
    } while (!atomic_compare_exchange_weak(&a->used, &now, now + bytes));

    uint64_t peak = atomic_load(&a->peak);
    while (now + bytes > peak && !atomic_compare_exchange_weak(&a->peak, &peak, now + bytes))
        ;
    return PDPR_OK;
}

static pdpr_status allocate(pdpr_context *ctx, uint64_t count, size_t size, bool zeroed,
                            const char *what, void *out, pdpr_error *err)
{
    pdpr_i_account *a = ctx->account;
    const uint64_t overhead = HEAD + ALIGNMENT - 1;

    if (size && count > (SIZE_MAX - overhead) / size)
        return pdpr_i_fail(err, PDPR_ENOMEM, "%s: needs more than the address space", what);
    uint64_t bytes = count * size;

    uint64_t call = atomic_fetch_add(&a->calls, 1) + 1;
    if (call == atomic_load(&a->fail_at))
        return pdpr_i_fail(err, PDPR_ENOMEM, "%s: out of memory (made to fail by a test)", what);
    if (charge(a, bytes, what, err) != PDPR_OK)
        return PDPR_ENOMEM;

    void *raw = zeroed ? calloc(1, bytes + overhead) : malloc(bytes + overhead);
    if (!raw) {
        atomic_fetch_sub(&a->used, bytes);
        return pdpr_i_fail(err, PDPR_ENOMEM, "%s: out of memory", what);
    }
    uintptr_t first = ((uintptr_t)raw + overhead) & ~(uintptr_t)(ALIGNMENT - 1);
    void *block = (char *)raw + (first - (uintptr_t)raw);
    *head_of(block) = (block_head){.raw = raw, .bytes = bytes, .account = a};
    atomic_fetch_add(&a->holders, 1);
    memcpy(out, &block, sizeof block); /* out is the address of a pointer of any type */
    return PDPR_OK;
}

pdpr_status pdpr_i_alloc(pdpr_context *ctx, uint64_t count, size_t size, const char *what,
                         void *out, pdpr_error *err)
{
    return allocate(ctx, count, size, false, what, out, err);
}

pdpr_status pdpr_i_zalloc(pdpr_context *ctx, uint64_t count, size_t size, const char *what,
                          void *out, pdpr_error *err)
{
    return allocate(ctx, count, size, true, what, out, err);
}

pdpr_status pdpr_i_resize(pdpr_context *ctx, uint64_t count, size_t size, const char *what,
                          void *block, pdpr_error *err)
{
    void *old, *moved = NULL;
    memcpy(&old, block, sizeof old);

    pdpr_status s = pdpr_i_alloc(ctx, count, size, what, &moved, err);
    if (s != PDPR_OK)
        return s;
    if (old && moved) {
        uint64_t kept = head_of(old)->bytes < count * size ? head_of(old)->bytes : count * size;
        memcpy(moved, old, kept);
        pdpr_free(old);
    }
    memcpy(block, &moved, sizeof moved);
    return PDPR_OK;
}

pdpr_status pdpr_i_check_memory(pdpr_context *ctx, uint64_t bytes, const char *what,
                                pdpr_error *err)
{
    return check_cap(ctx->account, atomic_load(&ctx->account->used), bytes, what, err);
}

pdpr_status pdpr_i_copy_text(pdpr_context *ctx, const char *text, size_t length, char **out,
                             pdpr_error *err)
{
    char *copy = NULL;
    pdpr_status s = pdpr_i_alloc(ctx, (uint64_t)length + 1, 1, "text", &copy, err);
    if (s != PDPR_OK || !copy)
        return s;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *out = copy;
    return PDPR_OK;
}

void pdpr_free(void *block)
{
    if (!block)
        return;
    block_head head = *head_of(block);
    atomic_fetch_sub(&head.account->used, head.bytes);
    free(head.raw);
    pdpr_i_account_release(head.account);
}

uint64_t pdpr_i_fail_allocation(pdpr_context *ctx, uint64_t nth)
{
    atomic_store(&ctx->account->fail_at, nth);
    return atomic_exchange(&ctx->account->calls, 0);
}
