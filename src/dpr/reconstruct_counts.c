/* Reconstruction from counted scores: the plain way, for either symmetrisation.
 *
 * All N R tokens are drawn, row by row, and sorted within their row, so that the count s_ij is a
 * run in row i and s_ji one binary search away in row j: S needs no other form. Choosing in
 * proportion to weights w goes by exponential keys: the item with the smallest E / w, E standard
 * exponential, is one drawn in proportion to w, and the k smallest are k such draws without
 * replacement. So two passes over the pairs do it: the first finds each node's partner (a key for
 * either end), the second the smallest keys among the pairs left, in a heap.
 *
 * Cost: O(N^2 r) or O(N R exp(B) r), whichever is less, for the draws; O(N R (log R + log k)) after
 * that. Memory: 4 N R bytes and 24 bytes a wanted edge. */
#include "dpr/reconstruct.h"

#include "base/sort.h"

#include <math.h>
#include <string.h>

typedef struct {
    double key;
    uint32_t u, v;
} keyed_pair;

typedef struct {
    pdpr_context *ctx;
    const pdpr_i_score *score;
    const pdpr_i_key *key;
    const pdpr_i_reconstruct_options *options;
    uint32_t *outcome; /* [N][rounds], each row ascending */
    double *row;       /* [threads][N] */
} counting;

/* Streams of this way stand above those of the other. */
static const uint64_t ROW_STREAMS = UINT64_C(1) << 39;

static pdpr_status draw_row(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    const counting *c = arg;
    uint64_t rounds = c->options->rounds;
    uint32_t *out = c->outcome + chunk * rounds;
    pdpr_i_stream random;
    (void)err;
    pdpr_i_stream_init(&random, c->key, PDPR_I_PURPOSE_SCORE_OUTCOME,
                       pdpr_i_score_stream(c->options->sample, ROW_STREAMS | chunk));
    pdpr_i_score_draw(c->score, (uint32_t)chunk, rounds, &random,
                      c->row + (uint64_t)worker * c->score->num_nodes, out);
    pdpr_i_sort_u32(out, rounds);
    return PDPR_OK;
}

/* First place in row i whose outcome is not below j. */
static uint64_t lower_bound(const counting *c, uint32_t i, uint32_t j)
{
    const uint32_t *row = c->outcome + i * c->options->rounds;
    uint64_t low = 0, high = c->options->rounds;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (row[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* s_ij. */
static uint64_t count_of(const counting *c, uint32_t i, uint32_t j)
{
    return lower_bound(c, i, j + 1) - lower_bound(c, i, j);
}

/* Calls visit(state, i, j, symmetrised score) once for every pair with a positive one. */
typedef void (*pair_visit)(void *state, uint32_t i, uint32_t j, double weight);

static pdpr_status for_each_pair(const counting *c, pair_visit visit, void *state, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t rounds = c->options->rounds;
    for (uint32_t i = 0; i < c->score->num_nodes; i++) {
        const uint32_t *row = c->outcome + i * rounds;
        if (i % 256 == 0)
            PDPR_TRY(pdpr_i_check_cancelled(c->ctx, err));
        for (uint64_t k = 0, end; k < rounds; k = end) {
            uint32_t j = row[k];
            for (end = k; end < rounds && row[end] == j; end++)
                ;
            if (j == i)
                continue; /* a draw of itself is thrown away */
            uint64_t here = end - k, there = count_of(c, j, i);
            if (i > j && there > 0)
                continue; /* seen from j */
            uint64_t larger = here > there ? here : there;
            visit(
                state, i, j,
                (double)(c->options->symmetrise == PDPR_I_SYMMETRISE_MAX ? larger : here + there));
        }
    }
done:
    return s;
}

static double exponential(pdpr_i_stream *random)
{
    return -log(1 - pdpr_i_stream_unit(random));
}

/* ---------------------------------------------------------------- a partner for every node */

typedef struct {
    pdpr_i_stream random;
    double *key;       /* [N]: smallest so far */
    uint32_t *partner; /* [N]: itself if none */
    uint64_t num_pairs;
} covering;

static void offer_partner(void *state, uint32_t i, uint32_t j, double weight)
{
    covering *c = state;
    double key_i = exponential(&c->random) / weight, key_j = exponential(&c->random) / weight;
    if (key_i < c->key[i]) {
        c->key[i] = key_i;
        c->partner[i] = j;
    }
    if (key_j < c->key[j]) {
        c->key[j] = key_j;
        c->partner[j] = i;
    }
    c->num_pairs++;
}

/* ---------------------------------------------------------------- the smallest keys of the rest */

typedef struct {
    pdpr_i_stream random;
    const covering *cover;
    keyed_pair *heap; /* [capacity], largest key on top */
    uint64_t size, capacity;
} selecting;

static void sift_down(selecting *s, uint64_t at)
{
    for (;;) {
        uint64_t largest = at, left = 2 * at + 1;
        for (uint64_t child = left; child < left + 2 && child < s->size; child++)
            if (s->heap[child].key > s->heap[largest].key)
                largest = child;
        if (largest == at)
            return;
        keyed_pair swap = s->heap[at];
        s->heap[at] = s->heap[largest];
        s->heap[largest] = swap;
        at = largest;
    }
}

static void sift_up(selecting *s, uint64_t at)
{
    while (at > 0 && s->heap[(at - 1) / 2].key < s->heap[at].key) {
        keyed_pair swap = s->heap[at];
        s->heap[at] = s->heap[(at - 1) / 2];
        s->heap[(at - 1) / 2] = swap;
        at = (at - 1) / 2;
    }
}

static void offer_pair(void *state, uint32_t i, uint32_t j, double weight)
{
    selecting *s = state;
    double key = exponential(&s->random) / weight;
    if (s->cover->partner[i] == j || s->cover->partner[j] == i)
        return;
    if (s->size < s->capacity) {
        s->heap[s->size] = (keyed_pair){key, i, j};
        sift_up(s, s->size++);
    } else if (s->capacity > 0 && key < s->heap[0].key) {
        s->heap[0] = (keyed_pair){key, i, j};
        sift_down(s, 0);
    }
}

pdpr_status pdpr_i_reconstruct_by_counts(pdpr_context *ctx, const pdpr_i_score *score,
                                         const pdpr_i_key *key,
                                         const pdpr_i_reconstruct_options *options,
                                         pdpr_graph **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t n = score->num_nodes;
    counting c = {.ctx = ctx, .score = score, .key = key, .options = options};
    covering cover = {.num_pairs = 0};
    selecting select = {.cover = &cover};
    uint32_t *pairs = NULL;
    uint64_t chosen = 0;

    PDPR_TRY(
        pdpr_i_alloc(ctx, n * options->rounds, sizeof *c.outcome, "score tokens", &c.outcome, err));
    PDPR_TRY(
        pdpr_i_alloc(ctx, (uint64_t)ctx->threads * n, sizeof *c.row, "score rows", &c.row, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *cover.key, "partner keys", &cover.key, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *cover.partner, "partners", &cover.partner, err));
    PDPR_TRY(pdpr_i_parallel(ctx, n, draw_row, &c, err));

    for (uint32_t i = 0; i < n; i++) {
        cover.key[i] = INFINITY;
        cover.partner[i] = i;
    }
    pdpr_i_stream_init(&cover.random, key, PDPR_I_PURPOSE_SCORE_ORDER,
                       pdpr_i_score_stream(options->sample, ROW_STREAMS));
    PDPR_TRY(for_each_pair(&c, offer_partner, &cover, err));

    /* No more than all pairs, and no more than are wanted beside the partners. */
    PDPR_TRY(pdpr_i_alloc(ctx, n, 2 * sizeof *pairs, "chosen edges", &pairs, err));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = cover.partner[i];
        if (j != i && !(j < i && cover.partner[j] == i)) { /* chosen from both ends: once */
            pairs[2 * chosen] = i;
            pairs[2 * chosen++ + 1] = j;
        }
    }
    uint64_t wanted = options->num_edges < cover.num_pairs ? options->num_edges : cover.num_pairs;
    select.capacity = wanted > chosen ? wanted - chosen : 0;
    PDPR_TRY(
        pdpr_i_alloc(ctx, select.capacity, sizeof *select.heap, "edge keys", &select.heap, err));
    pdpr_i_stream_init(&select.random, key, PDPR_I_PURPOSE_SCORE_ORDER,
                       pdpr_i_score_stream(options->sample, ROW_STREAMS + 1));
    if (select.capacity > 0)
        PDPR_TRY(for_each_pair(&c, offer_pair, &select, err));

    PDPR_TRY(
        pdpr_i_resize(ctx, chosen + select.size, 2 * sizeof *pairs, "chosen edges", &pairs, err));
    for (uint64_t k = 0; k < select.size; k++) {
        pairs[2 * chosen] = select.heap[k].u;
        pairs[2 * chosen++ + 1] = select.heap[k].v;
    }
    PDPR_TRY(pdpr_graph_from_pairs(ctx, n, pairs, chosen, false, out, err));
done:
    pdpr_free(c.outcome);
    pdpr_free(c.row);
    pdpr_free(cover.key);
    pdpr_free(cover.partner);
    pdpr_free(select.heap);
    pdpr_free(pairs);
    return s;
}
