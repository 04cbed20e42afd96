/* Breadth-first search from 512 sources at once.
 *
 * Bit l of seen[v] says that source l reaches v within the levels so far. One level is
 *
 *     next[v] = seen[v] | OR of seen[w] over the neighbours w of v
 *
 * (the idea of Then et al. 2014, with `seen` in place of their frontier: what a neighbour saw
 * earlier was passed on earlier, so the result is the same). Keeping whole sets instead of
 * frontiers saves an array and has a second use: the OR may stop as soon as it has all lanes, and
 * since hubs have all lanes after two or three levels and stand first in each row (locality.c),
 * most nodes of a social graph are finished by one access.
 *
 * A level is computed by `pull` over all nodes that are not full, or by `push` from the nodes that
 * the last level changed, whichever has clearly fewer arcs: push for the first levels and for
 * the thin wave on road maps, pull for the bulk.
 *
 * Sums come from counting what is missing: a pair at distance d is unseen after levels 0..d-1, so
 * the sum of distances is the sum over levels of the number of unseen pairs.
 *
 * Invariant at the start of a level: seen and next agree on all nodes except the changed ones and
 * those full for more than a level; the lines of the latter are not read again, since one level
 * after a node is full all its neighbours are. Lanes without a source are set everywhere
 * from the start. Cost per level: at most one line access per arc. */
#include "metrics/msbfs.h"

#include <string.h>

/* Push must promise this many times fewer arcs than pull: its accesses also write, and its count is
 * certain while that of pull is a bound (bench/bench_paths.c). */
enum { PUSH_ADVANTAGE = 4 };

const pdpr_i_search_kernel *pdpr_i_search_kernel_for(pdpr_cpu cpu)
{
#if defined(__x86_64__)
    if (cpu == PDPR_CPU_AVX512)
        return &pdpr_i_search_avx512;
    if (cpu == PDPR_CPU_AVX2)
        return &pdpr_i_search_avx2;
#else
    (void)cpu;
#endif
    return &pdpr_i_search_portable;
}

uint64_t pdpr_i_search_bytes(uint32_t num_nodes)
{
    return (uint64_t)num_nodes * (2 * sizeof(pdpr_i_lanes) + 3 * sizeof(uint32_t) + 1);
}

pdpr_status pdpr_i_search_init(pdpr_context *ctx, const pdpr_i_component *c, pdpr_i_search *out,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_search w = {.c = c, .cancelled = &ctx->cancelled};
    uint64_t n = c->num_nodes;

    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *w.seen, "path search", &w.seen, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *w.next, "path search", &w.next, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *w.changed, "path search", &w.changed, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *w.touched, "path search", &w.touched, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *w.active, "path search", &w.active, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *w.state, "path search", &w.state, err));
    *out = w;
    w = (pdpr_i_search){0};
done:
    pdpr_i_search_clear(&w);
    return s;
}

void pdpr_i_search_clear(pdpr_i_search *search)
{
    pdpr_free(search->seen);
    pdpr_free(search->next);
    pdpr_free(search->changed);
    pdpr_free(search->touched);
    pdpr_free(search->active);
    pdpr_free(search->state);
    *search = (pdpr_i_search){0};
}

static void set_lane(pdpr_i_lanes *lanes, uint32_t lane)
{
    lanes->word[lane / 64] |= UINT64_C(1) << lane % 64;
}

static void start(pdpr_i_search *s, const uint32_t *sources, uint32_t count)
{
    uint32_t n = s->c->num_nodes;
    pdpr_i_lanes unused = {{0}};

    for (uint32_t lane = count; lane < PDPR_I_LANES; lane++)
        set_lane(&unused, lane);
    for (uint32_t v = 0; v < n; v++) {
        s->seen[v] = s->next[v] = unused;
        s->active[v] = v;
    }
    memset(s->state, 0, n);
    s->num_active = n;
    s->open_arcs = s->c->num_arcs;
    s->arcs = 0;
    s->num_changed = s->changed_arcs = 0;
    for (uint32_t lane = 0; lane < count; lane++) {
        uint32_t v = sources[lane];
        set_lane(&s->seen[v], lane);
        s->changed[s->num_changed++] = v;
        s->changed_arcs += s->c->offset[v + 1] - s->c->offset[v];
    }
}

/* ---------------------------------------------------------------- sums per source */

/* How often each lane was set among up to 255 lines, as bit planes: plane k holds bit k of all 512
 * counts, so that adding a line is eight steps of a carry chain for all lanes together. */
enum { PLANES = 8, LINES_PER_COUNT = (1 << PLANES) - 1 };

static void add_counts(const pdpr_i_lanes plane[PLANES], uint64_t weight, uint32_t count,
                       uint64_t *source_sum)
{
    for (uint32_t lane = 0; lane < count; lane++) {
        uint64_t times = 0;
        for (int k = 0; k < PLANES; k++)
            times |= (plane[k].word[lane / 64] >> lane % 64 & 1) << k;
        source_sum[lane] += weight * times;
    }
}

/* Adds `level` to the sum of each source for each node that it reached at this level. */
static void add_to_sources(const pdpr_i_search *s, uint32_t level, uint32_t count,
                           uint64_t *source_sum)
{
    for (uint64_t i = 0; i < s->num_changed;) {
        pdpr_i_lanes plane[PLANES] = {{{0}}};
        for (int lines = 0; lines < LINES_PER_COUNT && i < s->num_changed; lines++, i++) {
            uint32_t v = s->changed[i];
            pdpr_i_lanes carry;
            for (int j = 0; j < PDPR_I_LANE_WORDS; j++)
                carry.word[j] = s->seen[v].word[j] & ~s->next[v].word[j]; /* next: one level ago */
            for (int k = 0; k < PLANES; k++)
                for (int j = 0; j < PDPR_I_LANE_WORDS; j++) {
                    uint64_t both = plane[k].word[j] & carry.word[j];
                    plane[k].word[j] ^= carry.word[j];
                    carry.word[j] = both;
                }
        }
        add_counts(plane, level, count, source_sum);
    }
}

bool pdpr_i_search_run(pdpr_i_search *s, const pdpr_i_search_kernel *kernel,
                       const uint32_t *sources, uint32_t count, uint64_t *source_sum,
                       pdpr_i_search_result *out)
{
    pdpr_i_search_result result = {0};
    uint64_t unseen = (uint64_t)count * (s->c->num_nodes - 1); /* below 2^41 */

    start(s, sources, count);
    if (source_sum)
        memset(source_sum, 0, count * sizeof *source_sum);
    while (unseen > 0 && s->num_changed > 0) {
        result.distance_sum += unseen;
        result.largest_distance++;
        bool thin = s->changed_arcs * PUSH_ADVANTAGE < s->open_arcs;
        if (!(thin ? kernel->push(s) : kernel->pull(s)))
            return false;
        unseen -= s->fresh;
        if (s->by_distance) /* a distance is below the number of nodes */
            s->by_distance[result.largest_distance] += s->fresh;

        pdpr_i_lanes *seen = s->seen;
        s->seen = s->next;
        s->next = seen;
        uint32_t *changed = s->changed;
        s->changed = s->touched;
        s->touched = changed;
        if (source_sum)
            add_to_sources(s, result.largest_distance, count, source_sum);
    }
    result.arcs = s->arcs;
    *out = result;
    return true;
}
