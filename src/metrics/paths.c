/* Path lengths over a component: batches of 512 sources shared out among workers.
 *
 * A batch's results are integers that depend on its sources alone, so sums and maxima are the same
 * whichever worker ran it. Workspaces are large (141 bytes per node), so there are as many as
 * threads only if the memory cap allows; a worker keeps its workspace and takes batch after batch.
 *
 * Cost of all sources: n / 512 batches (msbfs.c). Sum of distances: below n^3, kept in 128 bits. */
#include "metrics/metrics.h"
#include "metrics/msbfs.h"

struct pdpr_i_search_pool {
    pdpr_context *ctx;
    const pdpr_i_component *c;
    const pdpr_i_search_kernel *kernel;
    uint32_t workers;
    pdpr_i_search *search;        /* [workers] */
    pdpr_i_search_result *result; /* [workers] */

    /* the run in progress */
    const char *what;
    const uint32_t *sources;
    uint64_t count, *source_sum;
    atomic_uint_fast64_t next_batch, batches_done;
};

pdpr_status pdpr_i_search_pool_new(pdpr_context *ctx, const pdpr_i_component *c,
                                   uint64_t most_sources, pdpr_i_search_pool **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_search_pool *p = NULL;
    uint64_t batches = pdpr_i_chunks(most_sources, PDPR_I_LANES);
    uint64_t bytes = pdpr_i_search_bytes(c->num_nodes);
    uint32_t workers = batches < ctx->threads ? (uint32_t)batches : ctx->threads;

    while (workers > 1 && pdpr_i_check_memory(ctx, workers * bytes, "path search", NULL) != PDPR_OK)
        workers--;
    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *p, "path search", &p, err));
    p->ctx = ctx;
    p->c = c;
    p->kernel = pdpr_i_search_kernel_for(ctx->cpu_used);
    PDPR_TRY(pdpr_i_zalloc(ctx, workers, sizeof *p->search, "path search", &p->search, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, workers, sizeof *p->result, "path search", &p->result, err));
    for (; p->workers < workers; p->workers++)
        PDPR_TRY(pdpr_i_search_init(ctx, c, &p->search[p->workers], err));
    *out = p;
    p = NULL;
done:
    pdpr_i_search_pool_free(p);
    return s;
}

void pdpr_i_search_pool_free(pdpr_i_search_pool *pool)
{
    if (!pool)
        return;
    for (uint32_t i = 0; i < pool->workers; i++)
        pdpr_i_search_clear(&pool->search[i]);
    pdpr_free(pool->search);
    pdpr_free(pool->result);
    pdpr_free(pool);
}

/* A chunk of the parallel loop is a workspace, which takes batches until there are none. */
static pdpr_status run_batches(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    (void)worker;
    pdpr_i_search_pool *p = arg;
    pdpr_i_search_result sum = {0};
    uint64_t batches = pdpr_i_chunks(p->count, PDPR_I_LANES), batch;

    while ((batch = atomic_fetch_add(&p->next_batch, 1)) < batches) {
        uint64_t first = batch * PDPR_I_LANES;
        uint64_t lanes = p->count - first < PDPR_I_LANES ? p->count - first : PDPR_I_LANES;
        pdpr_i_search_result one;
        if (!pdpr_i_search_run(&p->search[chunk], p->kernel, p->sources + first, (uint32_t)lanes,
                               p->source_sum ? p->source_sum + first : NULL, &one))
            return pdpr_i_check_cancelled(p->ctx, err);
        sum.distance_sum += one.distance_sum;
        sum.arcs += one.arcs;
        if (one.largest_distance > sum.largest_distance)
            sum.largest_distance = one.largest_distance;
        pdpr_i_progress(p->ctx, p->what, atomic_fetch_add(&p->batches_done, 1) + 1, batches);
        pdpr_status s = pdpr_i_check_cancelled(p->ctx, err);
        if (s != PDPR_OK)
            return s;
    }
    p->result[chunk] = sum;
    return PDPR_OK;
}

pdpr_status pdpr_i_search_pool_run(pdpr_i_search_pool *pool, const char *what,
                                   const uint32_t *sources, uint64_t count, uint64_t *source_sum,
                                   pdpr_i_search_result *out, pdpr_error *err)
{
    pdpr_i_search_result sum = {0};

    pool->what = what;
    pool->sources = sources;
    pool->count = count;
    pool->source_sum = source_sum;
    atomic_store(&pool->next_batch, 0);
    atomic_store(&pool->batches_done, 0);
    pdpr_status s = pdpr_i_parallel(pool->ctx, pool->workers, run_batches, pool, err);
    if (s != PDPR_OK)
        return s;
    for (uint32_t i = 0; i < pool->workers; i++) {
        sum.distance_sum += pool->result[i].distance_sum;
        sum.arcs += pool->result[i].arcs;
        if (pool->result[i].largest_distance > sum.largest_distance)
            sum.largest_distance = pool->result[i].largest_distance;
    }
    *out = sum;
    return PDPR_OK;
}

pdpr_status pdpr_i_paths_exact(pdpr_context *ctx, const pdpr_i_component *c, pdpr_metrics *out,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_search_pool *pool = NULL;
    pdpr_i_search_result all = {0};

    if (c->num_nodes > 1) {
        PDPR_TRY(pdpr_i_search_pool_new(ctx, c, c->num_nodes, &pool, err));
        PDPR_TRY(pdpr_i_search_pool_run(pool, "path lengths", c->sources, c->num_nodes, NULL, &all,
                                        err));
    }
    double pairs = (double)c->num_nodes * ((double)c->num_nodes - 1); /* ordered */
    out->have_cpl = out->have_diameter = out->have_bounds = true;
    out->cpl = c->num_nodes > 1 ? (double)all.distance_sum / pairs : 0;
    out->diameter = out->diameter_lower = out->diameter_upper = all.largest_distance;
done:
    pdpr_i_search_pool_free(pool);
    return s;
}
