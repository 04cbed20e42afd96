/* Parallel loops: a counter hands out chunk numbers to threads made for the loop.
 *
 * Plain POSIX threads rather than OpenMP: a loop here is milliseconds or more, so starting threads
 * (some 20 us each) is no cost, ThreadSanitizer understands them without suppressions, and no
 * runtime stays behind in a host process (docs/design/0003-threads.md). The calling thread is
 * worker 0. */
#include "base/base.h"

#include <pthread.h>

typedef struct {
    pdpr_context *ctx;
    uint64_t count;
    pdpr_i_chunk_work work;
    void *arg;
    atomic_uint_fast64_t next;
    atomic_bool stop;
    pthread_mutex_t lock; /* guards the three below */
    pdpr_status status;
    uint64_t failed_chunk;
    pdpr_error error;
} loop;

typedef struct {
    loop *shared;
    uint32_t number;
} worker;

static void *run_worker(void *arg)
{
    const worker *me = arg;
    loop *l = me->shared;
    pdpr_error error;

    while (!atomic_load(&l->stop)) {
        uint64_t chunk = atomic_fetch_add(&l->next, 1);
        if (chunk >= l->count)
            break;
        error.text[0] = '\0';
        pdpr_status s = pdpr_i_check_cancelled(l->ctx, &error);
        if (s == PDPR_OK)
            s = l->work(l->arg, chunk, me->number, &error);
        if (s != PDPR_OK) {
            pthread_mutex_lock(&l->lock);
            if (l->status == PDPR_OK || chunk < l->failed_chunk) {
                l->status = s;
                l->failed_chunk = chunk;
                l->error = error;
            }
            pthread_mutex_unlock(&l->lock);
            atomic_store(&l->stop, true);
        }
    }
    return NULL;
}

pdpr_status pdpr_i_parallel(pdpr_context *ctx, uint64_t count, pdpr_i_chunk_work work, void *arg,
                            pdpr_error *err)
{
    enum { MOST_WORKERS = 1024 };
    loop l = {.ctx = ctx, .count = count, .work = work, .arg = arg, .status = PDPR_OK};
    pthread_t threads[MOST_WORKERS];
    worker workers[MOST_WORKERS];
    uint32_t started = 1;
    uint32_t wanted = ctx->threads < MOST_WORKERS ? ctx->threads : MOST_WORKERS;

    if (pthread_mutex_init(&l.lock, NULL) != 0)
        return pdpr_i_fail(err, PDPR_EFAILED, "parallel loop: the system gave no lock");
    for (; started < wanted && started < count; started++) {
        workers[started] = (worker){&l, started};
        if (pthread_create(&threads[started], NULL, run_worker, &workers[started]) != 0)
            break; /* fewer threads give the same answer */
    }
    workers[0] = (worker){&l, 0};
    run_worker(&workers[0]);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&l.lock);

    if (l.status != PDPR_OK && err)
        *err = l.error;
    return l.status;
}

uint64_t pdpr_i_chunks(uint64_t items, uint64_t chunk_size)
{
    return items / chunk_size + (items % chunk_size != 0);
}
