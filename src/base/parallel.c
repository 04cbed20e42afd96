/* Parallel loops: a counter hands out chunk numbers to the calling thread, which is worker 0, and
 * to the helpers of the context (team.c).
 *
 * Plain POSIX threads rather than OpenMP: ThreadSanitizer understands them without suppressions,
 * and they end with the context (docs/design/0003-threads.md). A loop within a loop, or beside
 * another one of the same context, finds the helpers busy and makes threads of its own. A child of
 * a process with helpers works alone: whoever forks with threads may not start others. */
#include "base/base.h"
#include "base/team.h"

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

/* Takes chunks until there are none left. */
static void take_chunks(void *arg, uint32_t number)
{
    loop *l = arg;
    pdpr_error error;

    while (!atomic_load(&l->stop)) {
        uint64_t chunk = atomic_fetch_add(&l->next, 1);
        if (chunk >= l->count)
            break;
        error.text[0] = '\0';
        pdpr_status s = pdpr_i_check_cancelled(l->ctx, &error);
        if (s == PDPR_OK)
            s = l->work(l->arg, chunk, number, &error);
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
}

/* Threads for one loop, where the team cannot help. */
typedef struct {
    loop *shared;
    uint32_t number;
} worker;

static void *run_worker(void *arg)
{
    const worker *me = arg;
    take_chunks(me->shared, me->number);
    return NULL;
}

enum { MOST_WORKERS = 1024 };

static void run_with_own_threads(loop *l, uint32_t helpers)
{
    pthread_t threads[MOST_WORKERS];
    worker workers[MOST_WORKERS];
    uint32_t started = 0;
    for (; started < helpers; started++) {
        workers[started] = (worker){l, started + 1};
        if (pthread_create(&threads[started], NULL, run_worker, &workers[started]) != 0)
            break; /* fewer threads give the same answer */
    }
    take_chunks(l, 0);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

pdpr_status pdpr_i_parallel(pdpr_context *ctx, uint64_t count, pdpr_i_chunk_work work, void *arg,
                            pdpr_error *err)
{
    loop l = {.ctx = ctx, .count = count, .work = work, .arg = arg, .status = PDPR_OK};
    uint32_t most = ctx->threads < MOST_WORKERS ? ctx->threads : MOST_WORKERS;
    uint32_t helpers = (uint32_t)(count < most ? count : most);
    helpers -= helpers > 0; /* the calling thread is one of them */

    if (pthread_mutex_init(&l.lock, NULL) != 0)
        return pdpr_i_fail(err, PDPR_EFAILED, "parallel loop: the system gave no lock");
    if (helpers == 0 || pdpr_i_team_is_elsewhere(ctx->team)) {
        take_chunks(&l, 0);
    } else if (pdpr_i_team_begin(ctx->team, helpers, take_chunks, &l)) {
        take_chunks(&l, 0);
        pdpr_i_team_end(ctx->team);
    } else {
        run_with_own_threads(&l, helpers);
    }
    pthread_mutex_destroy(&l.lock);

    if (l.status != PDPR_OK && err)
        *err = l.error;
    return l.status;
}

uint64_t pdpr_i_chunks(uint64_t items, uint64_t chunk_size)
{
    return items / chunk_size + (items % chunk_size != 0);
}
