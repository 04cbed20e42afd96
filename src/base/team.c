/* Helper threads that are kept between parallel loops.
 *
 * Training makes four loops a step and a thousand steps a second, and a new thread costs 30 us of
 * processor time; worse, on a busy machine it queues behind everybody, where a thread that wakes is
 * let in. Measured on Cora with the network, two threads, load 7: 5.4 s of processor time and 13 s
 * of waiting with threads made for every loop, 4.7 s and 5.7 s with these.
 *
 * A round is a number: helpers sleep until it changes, those with a place in the round work, the
 * last one done tells. A round that is over before a helper woke does not wait for it. Threads are
 * started when a round first wants them, and joined with the context, so that nothing stays behind
 * in a host process (docs/design/0003-threads.md).
 *
 * Invariants, under the lock: started <= most; wanted and running are 0 unless `busy`; a helper's
 * `seen` is the round that it last looked at. */
#include "base/team.h"

#include <fenv.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    struct pdpr_i_team *team;
    pthread_t thread;
    uint32_t number; /* 1 .. most */
    uint64_t seen;
} helper;

struct pdpr_i_team {
    pthread_mutex_t lock; /* guards all below; a process that forks has no round under way */
    pthread_cond_t wake, done;
    uint32_t most, started;
    pid_t owner; /* the process that started them */
    bool busy, closing;
    uint64_t round;
    uint32_t wanted, running; /* helpers that may begin; those that did and are not done */
    pdpr_i_team_work work;
    void *arg;
    helper helper[];
};

static void *help(void *arg)
{
    helper *me = arg;
    pdpr_i_team *team = me->team;
    /* a helper outlives the loop that started it, and must not keep that moment's rounding mode */
    (void)fesetenv(FE_DFL_ENV);
    pthread_mutex_lock(&team->lock);
    while (!team->closing) {
        if (me->seen == team->round) {
            pthread_cond_wait(&team->wake, &team->lock);
            continue;
        }
        me->seen = team->round;
        if (me->number > team->wanted)
            continue;
        team->running++;
        pdpr_i_team_work work = team->work;
        void *what = team->arg;
        pthread_mutex_unlock(&team->lock);
        work(what, me->number);
        pthread_mutex_lock(&team->lock);
        if (--team->running == 0)
            pthread_cond_signal(&team->done);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

pdpr_i_team *pdpr_i_team_new(uint32_t most)
{
    pdpr_i_team *team = calloc(1, sizeof *team + most * sizeof team->helper[0]);
    if (!team)
        return NULL;
    team->most = most;
    bool lock = pthread_mutex_init(&team->lock, NULL) == 0;
    bool wake = lock && pthread_cond_init(&team->wake, NULL) == 0;
    if (wake && pthread_cond_init(&team->done, NULL) == 0)
        return team;
    if (wake)
        pthread_cond_destroy(&team->wake);
    if (lock)
        pthread_mutex_destroy(&team->lock);
    free(team);
    return NULL;
}

bool pdpr_i_team_is_elsewhere(const pdpr_i_team *team)
{
    return team && team->started > 0 && team->owner != getpid();
}

void pdpr_i_team_free(pdpr_i_team *team)
{
    if (!team)
        return;
    if (!pdpr_i_team_is_elsewhere(team)) { /* else neither threads nor a lock to be trusted */
        pthread_mutex_lock(&team->lock);
        team->closing = true;
        pthread_cond_broadcast(&team->wake);
        pthread_mutex_unlock(&team->lock);
        for (uint32_t i = 0; i < team->started; i++)
            pthread_join(team->helper[i].thread, NULL);
        pthread_cond_destroy(&team->done);
        pthread_cond_destroy(&team->wake);
        pthread_mutex_destroy(&team->lock);
    }
    free(team);
}

/* Starts helpers up to `wanted`, as far as the system lets us. */
static void start_helpers(pdpr_i_team *team, uint32_t wanted)
{
    team->owner = getpid();
    for (; team->started < wanted; team->started++) {
        helper *h = &team->helper[team->started];
        *h = (helper){.team = team, .number = team->started + 1, .seen = team->round};
        if (pthread_create(&h->thread, NULL, help, h) != 0)
            return;
    }
}

bool pdpr_i_team_begin(pdpr_i_team *team, uint32_t helpers, pdpr_i_team_work work, void *arg)
{
    if (!team || pdpr_i_team_is_elsewhere(team))
        return false;
    pthread_mutex_lock(&team->lock);
    bool free_now = !team->busy;
    if (free_now) {
        team->busy = true;
        start_helpers(team, helpers < team->most ? helpers : team->most);
        team->wanted = helpers;
        team->work = work;
        team->arg = arg;
        team->round++;
        pthread_cond_broadcast(&team->wake);
    }
    pthread_mutex_unlock(&team->lock);
    return free_now;
}

void pdpr_i_team_end(pdpr_i_team *team)
{
    pthread_mutex_lock(&team->lock);
    team->wanted = 0; /* who has not woken by now need not */
    while (team->running > 0)
        pthread_cond_wait(&team->done, &team->lock);
    team->busy = false;
    pthread_mutex_unlock(&team->lock);
}
