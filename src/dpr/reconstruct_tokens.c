/* Reconstruction from summed scores by deferred decisions: a token is drawn when it is looked at.
 *
 * Token (t, i), one of M = N R, has an outcome j drawn from row i; the summed score of {i, j} is
 * the number of tokens between i and j. Three clocks run on tokens, all independent of the
 * outcomes:
 *
 *   X, for the owner:  node n's partner is, among the tokens it owns and the tokens that hit it,
 * the Y, for the target: one whose clock rings first - its X if n owns it, its Y if n is hit; Z,
 * for the edges:  after that tokens are taken in the order of Z, and each pair that is new is an
 * edge.
 *
 * That is the law of reconstruct.h (proof: docs/design/0006-exact-score-sampling.md), and needs
 * only the tokens that ring early: one or two a node for X, some N ln N / 2 for Y until every node
 * has a partner, and as many as edges for Z. Which tokens ring when is drawn from one stream, in
 * order; outcomes are drawn in blocks, in parallel, and kept, since a token may ring on all three
 * clocks. Looking at a token that turns out not to matter is harmless.
 *
 * Cost: O((m + N log N) exp(B) r) expected. Memory: some 48 bytes a token looked at. */
#include "dpr/reconstruct.h"

#include "base/number_map.h"

#include <math.h>
#include <string.h>

/* A token's value in the map: its outcome in the low half, and where it has rung. */
#define RANG_X (UINT64_C(1) << 32)
#define RANG_Y (UINT64_C(1) << 33)
#define RANG_Z (UINT64_C(1) << 34)
#define DRAWN  (UINT64_C(1) << 35)

enum { BLOCK = 256 }; /* tokens that share a stream; decides bits, hence fixed */

typedef struct {
    pdpr_context *ctx;
    const pdpr_i_score *score;
    const pdpr_i_key *key;
    const pdpr_i_reconstruct_options *options;
    uint64_t num_tokens;      /* M = N R */
    pdpr_i_stream order;      /* which tokens ring, and when */
    uint64_t next_stream;     /* of outcomes */
    pdpr_i_number_map tokens; /* token t N + i -> flags and outcome */
    double *row;              /* [threads][N] */

    /* tokens to be looked at next */
    uint64_t *batch; /* [batch_room] token */
    double *time;    /* [batch_room] of its clock */
    uint64_t batch_size, batch_room;
    uint64_t *fresh;    /* [batch_room]: those without outcome, by row */
    uint32_t *drawn;    /* [batch_room]: their outcomes */
    uint64_t *first_of; /* [N + 1] */

    double *own_time;  /* [N]: when a node's own token rings for it; INFINITY if none does */
    uint32_t *partner; /* [N]: itself if none */
    bool *hit;         /* [N]: the partner came from Y */

    pdpr_i_number_map edges; /* u N + v, u < v */
    uint32_t *pairs;         /* [2 pair_room] */
    uint64_t num_pairs, pair_room;
} drawing;

static double exponential(pdpr_i_stream *random)
{
    return -log(1 - pdpr_i_stream_unit(random));
}

static uint32_t owner_of(const drawing *d, uint64_t token)
{
    /* pdpr_i_score_init refuses a graph without nodes.
     * NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
    return (uint32_t)(token % d->score->num_nodes);
}

/* Makes room for `more` further tokens in the batch. */
static pdpr_status reserve_batch(drawing *d, uint64_t more, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t room = d->batch_size + more;
    if (room <= d->batch_room)
        return PDPR_OK;
    if (room < 2 * d->batch_room) /* in steps that grow, or adding one by one would be quadratic */
        room = 2 * d->batch_room;
    PDPR_TRY(pdpr_i_resize(d->ctx, room, sizeof *d->batch, "score tokens", &d->batch, err));
    PDPR_TRY(pdpr_i_resize(d->ctx, room, sizeof *d->time, "score clocks", &d->time, err));
    PDPR_TRY(pdpr_i_resize(d->ctx, room, sizeof *d->fresh, "score tokens", &d->fresh, err));
    PDPR_TRY(pdpr_i_resize(d->ctx, room, sizeof *d->drawn, "score outcomes", &d->drawn, err));
    d->batch_room = room;
done:
    return s;
}

/* Marks a token as having rung on a clock; *first tells whether it had not before. */
static pdpr_status ring(drawing *d, uint64_t token, uint64_t clock, bool *first, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    PDPR_TRY(pdpr_i_number_map_add(d->ctx, &d->tokens, token, clock, first, err));
    if (!*first) {
        uint64_t *value = pdpr_i_number_map_find(&d->tokens, token);
        *first = !(*value & clock);
        *value |= clock;
    }
done:
    return s;
}

/* ---------------------------------------------------------------- outcomes */

static pdpr_status draw_block(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    const drawing *d = arg;
    uint64_t first = chunk * BLOCK, count = d->first_of[d->score->num_nodes];
    uint64_t end = first + BLOCK < count ? first + BLOCK : count;
    double *row = d->row + (uint64_t)worker * d->score->num_nodes;
    pdpr_i_stream random;
    (void)err;
    pdpr_i_stream_init(&random, d->key, PDPR_I_PURPOSE_SCORE_OUTCOME,
                       pdpr_i_score_stream(d->options->sample, d->next_stream + chunk));
    for (uint64_t k = first, same; k < end; k = same) { /* tokens of one row together */
        uint32_t owner = owner_of(d, d->fresh[k]);
        for (same = k; same < end && owner_of(d, d->fresh[same]) == owner; same++)
            ;
        pdpr_i_score_draw(d->score, owner, same - k, &random, row, d->drawn + k);
    }
    return PDPR_OK;
}

/* Gives every token of the batch an outcome. */
static pdpr_status look_at_batch(drawing *d, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t n = d->score->num_nodes;
    memset(d->first_of, 0, (n + UINT64_C(1)) * sizeof *d->first_of);
    for (int placing = 0; placing < 2; placing++) { /* count by row, then place by row */
        for (uint64_t k = 0; k < d->batch_size; k++) {
            uint64_t token = d->batch[k];
            if (*pdpr_i_number_map_find(&d->tokens, token) & DRAWN)
                continue;
            uint64_t *at = &d->first_of[owner_of(d, token)];
            if (placing)
                d->fresh[*at] = token;
            (*at)++;
        }
        if (!placing)
            for (uint64_t i = 0, sum = 0; i <= n; i++) {
                uint64_t here = d->first_of[i];
                d->first_of[i] = sum;
                sum += here;
            }
    }
    uint64_t count = d->first_of[n], blocks = pdpr_i_chunks(count, BLOCK);
    PDPR_TRY(pdpr_i_parallel(d->ctx, blocks, draw_block, d, err));
    d->next_stream += blocks;
    for (uint64_t k = 0; k < count; k++)
        *pdpr_i_number_map_find(&d->tokens, d->fresh[k]) |= DRAWN | d->drawn[k];
done:
    return s;
}

static uint32_t outcome_of(const drawing *d, uint64_t token)
{
    return (uint32_t)*pdpr_i_number_map_find(&d->tokens, token);
}

/* ---------------------------------------------------------------- clock X */

/* The first token that each node owns and that is not itself, in the order of X. Nodes still
 * without one look at twice as many of their tokens in each turn. */
static pdpr_status run_owner_clock(drawing *d, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t n = d->score->num_nodes;
    uint64_t rounds = d->options->rounds,
             seen = 0; /* own tokens that all waiting nodes have seen */
    for (uint32_t i = 0; i < n; i++)
        d->own_time[i] = 0;
    for (uint64_t more = 1; seen < rounds; more *= 2) {
        uint64_t take = more < rounds - seen ? more : rounds - seen, waiting = 0;
        PDPR_TRY(pdpr_i_check_cancelled(d->ctx, err));
        d->batch_size = 0;
        for (uint32_t i = 0; i < n; i++) {
            if (d->partner[i] != i)
                continue;
            waiting++;
            PDPR_TRY(reserve_batch(d, take, err));
            double time = d->own_time[i];
            for (uint64_t k = 0; k < take; k++) {
                bool first;
                uint64_t token;
                do { /* uniformly one of its tokens that has not rung */
                    token = pdpr_i_stream_below(&d->order, rounds) * n + i;
                    PDPR_TRY(ring(d, token, RANG_X, &first, err));
                } while (!first);
                time += exponential(&d->order) / (double)(rounds - seen - k);
                d->batch[d->batch_size] = token;
                d->time[d->batch_size++] = time;
            }
            d->own_time[i] = time;
        }
        if (waiting == 0)
            break;
        PDPR_TRY(look_at_batch(d, err));
        for (uint64_t k = 0; k < d->batch_size; k++) {
            uint32_t i = owner_of(d, d->batch[k]), j = outcome_of(d, d->batch[k]);
            if (d->partner[i] == i && j != i) {
                d->partner[i] = j;
                d->own_time[i] = d->time[k];
            }
        }
        seen += take;
    }
    for (uint32_t i = 0; i < n; i++)
        if (d->partner[i] == i)
            d->own_time[i] = INFINITY;
done:
    return s;
}

/* ---------------------------------------------------------------- clock Y */

/* When the last node will have its partner, if no further token hits it. */
static double latest_open_time(const drawing *d)
{
    double latest = 0;
    for (uint32_t i = 0; i < d->score->num_nodes; i++)
        if (!d->hit[i])
            latest = fmax(latest, d->own_time[i]);
    return latest;
}

static pdpr_status run_target_clock(drawing *d, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t rung = 0;
    double time = 0;
    while (rung < d->num_tokens && time < latest_open_time(d)) {
        uint64_t most = d->score->num_nodes / 4 + 64;
        uint64_t take = most < d->num_tokens - rung ? most : d->num_tokens - rung;
        PDPR_TRY(pdpr_i_check_cancelled(d->ctx, err));
        d->batch_size = 0;
        PDPR_TRY(reserve_batch(d, take, err));
        for (; d->batch_size < take; d->batch_size++) {
            bool first;
            uint64_t token;
            do {
                token = pdpr_i_stream_below(&d->order, d->num_tokens);
                PDPR_TRY(ring(d, token, RANG_Y, &first, err));
            } while (!first);
            time += exponential(&d->order) / (double)(d->num_tokens - rung++);
            d->batch[d->batch_size] = token;
            d->time[d->batch_size] = time;
        }
        PDPR_TRY(look_at_batch(d, err));
        for (uint64_t k = 0; k < take; k++) {
            uint32_t i = owner_of(d, d->batch[k]), j = outcome_of(d, d->batch[k]);
            if (j != i && !d->hit[j] && d->time[k] < d->own_time[j]) {
                d->hit[j] = true;
                d->partner[j] = i;
            }
        }
    }
done:
    return s;
}

/* ---------------------------------------------------------------- edges, and clock Z */

static pdpr_status add_edge(drawing *d, uint32_t i, uint32_t j, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t u = i < j ? i : j, v = i < j ? j : i;
    bool added;
    PDPR_TRY(pdpr_i_number_map_add(d->ctx, &d->edges, u * d->score->num_nodes + v, 0, &added, err));
    if (!added)
        return PDPR_OK;
    if (d->num_pairs == d->pair_room) {
        uint64_t room = d->pair_room * 2 + 1024;
        PDPR_TRY(pdpr_i_resize(d->ctx, room, 2 * sizeof *d->pairs, "chosen edges", &d->pairs, err));
        d->pair_room = room;
    }
    d->pairs[2 * d->num_pairs] = (uint32_t)u;
    d->pairs[2 * d->num_pairs++ + 1] = (uint32_t)v;
done:
    return s;
}

static pdpr_status run_edge_clock(drawing *d, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t rung = 0, wanted = d->options->num_edges;
    while (rung < d->num_tokens && d->num_pairs < wanted) {
        /* as many as edges are missing, and a few for repeats; not so many that they take room */
        uint64_t most = (uint64_t)1 << 20, missing = wanted - d->num_pairs;
        uint64_t take = missing < most ? missing + missing / 8 + 64 : most;
        if (take > d->num_tokens - rung)
            take = d->num_tokens - rung;
        PDPR_TRY(pdpr_i_check_cancelled(d->ctx, err));
        d->batch_size = 0;
        PDPR_TRY(reserve_batch(d, take, err));
        for (; d->batch_size < take; d->batch_size++, rung++) {
            bool first;
            uint64_t token;
            do {
                token = pdpr_i_stream_below(&d->order, d->num_tokens);
                PDPR_TRY(ring(d, token, RANG_Z, &first, err));
            } while (!first);
            d->batch[d->batch_size] = token;
        }
        PDPR_TRY(look_at_batch(d, err));
        for (uint64_t k = 0; k < take && d->num_pairs < wanted; k++) {
            uint32_t i = owner_of(d, d->batch[k]), j = outcome_of(d, d->batch[k]);
            if (i != j)
                PDPR_TRY(add_edge(d, i, j, err));
        }
        pdpr_i_progress(d->ctx, "reconstruction", d->num_pairs, wanted);
    }
done:
    return s;
}

pdpr_status pdpr_i_reconstruct_by_tokens(pdpr_context *ctx, const pdpr_i_score *score,
                                         const pdpr_i_key *key,
                                         const pdpr_i_reconstruct_options *options,
                                         pdpr_graph **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t n = score->num_nodes;
    drawing d = {.ctx = ctx, .score = score, .key = key, .options = options};
    d.num_tokens = n * options->rounds;
    pdpr_i_stream_init(&d.order, key, PDPR_I_PURPOSE_SCORE_ORDER,
                       pdpr_i_score_stream(options->sample, 0));

    PDPR_TRY(pdpr_i_number_map_init(ctx, 4 * (uint64_t)n, &d.tokens, err));
    PDPR_TRY(pdpr_i_number_map_init(ctx, n, &d.edges, err));
    PDPR_TRY(
        pdpr_i_alloc(ctx, (uint64_t)ctx->threads * n, sizeof *d.row, "score rows", &d.row, err));
    PDPR_TRY(
        pdpr_i_alloc(ctx, n + UINT64_C(1), sizeof *d.first_of, "score rows", &d.first_of, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *d.own_time, "score clocks", &d.own_time, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *d.partner, "partners", &d.partner, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, n, sizeof *d.hit, "partners", &d.hit, err));
    for (uint32_t i = 0; i < n; i++)
        d.partner[i] = i;

    PDPR_TRY(run_owner_clock(&d, err));
    PDPR_TRY(run_target_clock(&d, err));
    for (uint32_t i = 0; i < n; i++)
        if (d.partner[i] != i)
            PDPR_TRY(add_edge(&d, i, d.partner[i], err));
    PDPR_TRY(run_edge_clock(&d, err));
    PDPR_TRY(pdpr_graph_from_pairs(ctx, n, d.pairs, d.num_pairs, false, out, err));
done:
    pdpr_i_number_map_clear(&d.tokens);
    pdpr_i_number_map_clear(&d.edges);
    pdpr_free(d.row);
    pdpr_free(d.batch);
    pdpr_free(d.time);
    pdpr_free(d.fresh);
    pdpr_free(d.drawn);
    pdpr_free(d.first_of);
    pdpr_free(d.own_time);
    pdpr_free(d.partner);
    pdpr_free(d.hit);
    pdpr_free(d.pairs);
    return s;
}
