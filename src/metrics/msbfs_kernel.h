/* The two kernels of the search from 512 sources, as one text compiled once per instruction set.
 *
 * The including file defines, before it includes this one:
 *   VECTOR_BYTES      width of a register, 16, 32 or 64
 *   is_zero(x)        whether a `vector` has no bit set
 *   KERNEL, NAME      the table to define, and its name in reports
 * Everything else is plain C on vectors of 64-bit words (a GCC and Clang extension), so that the
 * variants differ in width only and give the same bits.
 *
 * Random access to lines of `seen` and `next` is the whole cost, so both loops fetch the line of an
 * arc some arcs before they use it; arcs of consecutive nodes stand together, and the array of arcs
 * is padded, so that looking past a row is harmless and usually right. */
#include "metrics/msbfs.h"

typedef uint64_t vector __attribute__((vector_size(VECTOR_BYTES), may_alias));
enum { VECTORS = (int)(sizeof(pdpr_i_lanes) / sizeof(vector)) };

/* A line of 512 lanes in registers. */
typedef struct {
    vector part[VECTORS];
} line;

/* Arcs fetched ahead (measured, bench/bench_paths.c), and arcs between looks at the wish to cancel:
 * some ten milliseconds. */
enum { PULL_AHEAD = 32, PUSH_AHEAD = 12, ARCS_PER_CHECK = 1 << 20 };

/* Word by word through vectors: GCC 12 sends a memcpy of a line through the stack, which is three
 * times slower overall. */
static inline line load(const pdpr_i_lanes *from)
{
    line x = {{{0}}};
    const vector *part = (const vector *)(const void *)from;
    for (int i = 0; i < VECTORS; i++)
        x.part[i] = part[i];
    return x;
}

static inline void store(pdpr_i_lanes *to, const line *x)
{
    vector *part = (vector *)(void *)to;
    for (int i = 0; i < VECTORS; i++)
        part[i] = x->part[i];
}

static inline void unite(line *x, const pdpr_i_lanes *with)
{
    const vector *part = (const vector *)(const void *)with;
    for (int i = 0; i < VECTORS; i++)
        x->part[i] |= part[i];
}

static inline bool is_full(const line *x)
{
    vector all = x->part[0];
    for (int i = 1; i < VECTORS; i++)
        all &= x->part[i];
    return is_zero(~all);
}

/* Bits of x that are not in `old`. */
static inline uint64_t count_fresh(const line *x, const line *old)
{
#if defined(__POPCNT__)
    uint64_t total = 0;
    for (int i = 0; i < VECTORS; i++) {
        vector fresh = x->part[i] & ~old->part[i];
        for (int j = 0; j < (int)(sizeof fresh / 8); j++)
            total += (uint64_t)__builtin_popcountll(fresh[j]);
    }
    return total;
#else
    /* Counts in pairs, nibbles, then bytes of at most 8 each. Added over a line they reach 256 per
     * word, which no longer fits a byte: the last sums are of 16 bits. */
    vector bytes = {0};
    for (int i = 0; i < VECTORS; i++) {
        vector f = x->part[i] & ~old->part[i];
        f -= f >> 1 & UINT64_C(0x5555555555555555);
        f = (f & UINT64_C(0x3333333333333333)) + (f >> 2 & UINT64_C(0x3333333333333333));
        bytes += (f + (f >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    }
    bytes = (bytes & UINT64_C(0x00ff00ff00ff00ff)) + (bytes >> 8 & UINT64_C(0x00ff00ff00ff00ff));
    uint64_t total = 0;
    for (int j = 0; j < (int)(sizeof bytes / 8); j++)
        total += bytes[j] * UINT64_C(0x0001000100010001) >> 48;
    return total;
#endif
}

static inline bool differs(const line *x, const line *y)
{
    vector any = x->part[0] ^ y->part[0];
    for (int i = 1; i < VECTORS; i++)
        any |= x->part[i] ^ y->part[i];
    return !is_zero(any);
}

/* Books node v, which this level changes from `old` to x. */
static inline void book_change(pdpr_i_search *s, uint32_t v, const line *x, const line *old)
{
    uint64_t degree = s->c->offset[v + 1] - s->c->offset[v];
    s->touched[s->num_changed++] = v;
    s->changed_arcs += degree;
    s->fresh += count_fresh(x, old);
    if (is_full(x)) {
        s->state[v] = PDPR_I_NODE_FULL;
        s->open_arcs -= degree;
    }
}

static inline bool is_cancelled(const pdpr_i_search *s)
{
    return atomic_load_explicit(s->cancelled, memory_order_relaxed) != 0;
}

static bool push(pdpr_i_search *s)
{
    const uint64_t *offset = s->c->offset;
    const uint32_t *target = s->c->target;
    uint64_t num_touched = 0, work = 0;

    s->arcs += s->changed_arcs;
    for (uint64_t i = 0; i < s->num_changed; i++) /* next lags behind where seen changed last */
        s->next[s->changed[i]] = s->seen[s->changed[i]];
    for (uint64_t i = 0; i < s->num_changed; i++) {
        uint32_t u = s->changed[i];
        line mine = load(&s->seen[u]);
        for (uint64_t j = offset[u]; j < offset[u + 1]; j++) {
            uint32_t w = target[j];
            __builtin_prefetch(&s->next[target[j + PUSH_AHEAD]], 1);
            if (s->state[w] & PDPR_I_NODE_FULL)
                continue;
            if (!s->state[w]) {
                s->state[w] = PDPR_I_NODE_TOUCHED;
                s->touched[num_touched++] = w;
            }
            line theirs = mine;
            unite(&theirs, &s->next[w]);
            store(&s->next[w], &theirs);
        }
        work += offset[u + 1] - offset[u] + 1;
        if (work > ARCS_PER_CHECK) {
            work = 0;
            if (is_cancelled(s))
                return false;
        }
    }

    s->num_changed = s->changed_arcs = s->fresh = 0;
    for (uint64_t i = 0; i < num_touched; i++) { /* touched shrinks in place to the changed */
        uint32_t w = s->touched[i];
        line x = load(&s->next[w]), old = load(&s->seen[w]);
        s->state[w] = 0;
        if (differs(&x, &old))
            book_change(s, w, &x, &old);
    }
    return true;
}

static bool pull(pdpr_i_search *s)
{
    const uint64_t *offset = s->c->offset;
    const uint32_t *target = s->c->target;
    uint64_t kept = 0, work = 0;

    s->num_changed = s->changed_arcs = s->fresh = 0;
    for (uint64_t i = 0; i < s->num_active; i++) {
        uint32_t v = s->active[i];
        if (s->state[v] & PDPR_I_NODE_FULL)
            continue; /* leaves the list; by this level its neighbours are full too */
        s->active[kept++] = v;
        line old = load(&s->seen[v]), x = old;
        uint64_t j = offset[v];
        while (j < offset[v + 1]) {
            __builtin_prefetch(&s->seen[target[j + PULL_AHEAD]]);
            unite(&x, &s->seen[target[j++]]);
            if (is_full(&x))
                break;
        }
        s->arcs += j - offset[v];
        store(&s->next[v], &x);
        if (differs(&x, &old))
            book_change(s, v, &x, &old);
        work += offset[v + 1] - offset[v] + 1;
        if (work > ARCS_PER_CHECK) {
            work = 0;
            if (is_cancelled(s))
                return false;
        }
    }
    s->num_active = kept;
    return true;
}

const pdpr_i_search_kernel KERNEL = {.name = NAME, .push = push, .pull = pull};
