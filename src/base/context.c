/* The context: threads, kernels, memory cap, callbacks and cancellation, created once and passed
 * down. */
#include "base/base.h"
#include "base/account.h"
#include "base/team.h"

#include <pthread.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Callbacks come from any thread, one at a time. */
struct pdpr_i_talk {
    pthread_mutex_t lock;
    double last_progress; /* seconds, monotonic clock */
};

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

pdpr_cpu pdpr_i_cpu_detect(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
        return PDPR_CPU_PORTABLE;
    /* where a kernel has no AVX-512 form its AVX2 form serves */
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
               ? PDPR_CPU_AVX512
               : PDPR_CPU_AVX2;
#else
    return PDPR_CPU_PORTABLE;
#endif
}

const char *pdpr_i_cpu_name(pdpr_cpu cpu)
{
    switch (cpu) {
    case PDPR_CPU_AUTO:
        return "auto";
    case PDPR_CPU_PORTABLE:
        return "portable";
    case PDPR_CPU_AVX2:
        return "avx2";
    case PDPR_CPU_AVX512:
        return "avx512";
    }
    return "unknown";
}

void pdpr_context_options_default(pdpr_context_options *options)
{
    *options = (pdpr_context_options){.struct_size = sizeof *options};
}

pdpr_status pdpr_context_new(const pdpr_context_options *options, pdpr_context **out,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_context_options o;
    pdpr_context *ctx = NULL;
    enum { MOST_THREADS = 1024 };

    pdpr_context_options_default(&o);
    if (options)
        memcpy(&o, options, options->struct_size < sizeof o ? options->struct_size : sizeof o);

    pdpr_cpu found = pdpr_i_cpu_detect();
    if (o.cpu > found)
        return pdpr_i_fail(err, PDPR_EUSAGE, "this CPU has no %s; the widest it has is %s",
                           pdpr_i_cpu_name(o.cpu), pdpr_i_cpu_name(found));
    if (o.threads > MOST_THREADS)
        return pdpr_i_fail(err, PDPR_EUSAGE, "expected at most %d threads, found %" PRIu32,
                           MOST_THREADS, o.threads);

    if (sodium_init() < 0)
        return pdpr_i_fail(err, PDPR_EFAILED,
                           "libsodium does not start: the system gives no random bytes");

    ctx = calloc(1, sizeof *ctx);
    if (ctx) {
        ctx->account = pdpr_i_account_new(o.max_memory);
        ctx->talk = calloc(1, sizeof *ctx->talk);
    }
    if (!ctx || !ctx->account || !ctx->talk) {
        s = pdpr_i_fail(err, PDPR_ENOMEM, "context: out of memory");
        goto done;
    }
    if (pthread_mutex_init(&ctx->talk->lock, NULL) != 0) {
        free(ctx->talk);
        ctx->talk = NULL;
        s = pdpr_i_fail(err, PDPR_EFAILED, "context: the system gave no lock");
        goto done;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    ctx->threads = o.threads                             ? o.threads
                   : online > 0 && online < MOST_THREADS ? (uint32_t)online
                                                         : 1;
    if (ctx->threads > 1)
        ctx->team = pdpr_i_team_new(ctx->threads - 1);
    ctx->cpu_found = found;
    ctx->cpu_used = o.cpu == PDPR_CPU_AUTO ? found : o.cpu;
    ctx->notice = o.notice;
    ctx->progress = o.progress;
    ctx->user = o.user;
    atomic_init(&ctx->cancelled, 0);

    *out = ctx;
    ctx = NULL;
done:
    pdpr_context_free(ctx);
    return s;
}

void pdpr_context_free(pdpr_context *ctx)
{
    if (!ctx)
        return;
    pdpr_i_team_free(ctx->team);
    if (ctx->talk) {
        pthread_mutex_destroy(&ctx->talk->lock);
        free(ctx->talk);
    }
    pdpr_i_account_release(ctx->account);
    free(ctx);
}

void pdpr_context_cancel(pdpr_context *ctx)
{
    atomic_store(&ctx->cancelled, 1);
}

pdpr_status pdpr_i_check_cancelled(pdpr_context *ctx, pdpr_error *err)
{
    int cancelled = atomic_load_explicit(&ctx->cancelled, memory_order_relaxed);
    if (cancelled == 0)
        return PDPR_OK;
    if (cancelled < 0 && atomic_fetch_add(&ctx->cancelled, 1) < -1) /* a test counts down */
        return PDPR_OK;
    return pdpr_i_fail(err, PDPR_ECANCELLED, "interrupted; no unfinished file is left");
}

uint64_t pdpr_context_memory(const pdpr_context *ctx, uint64_t *peak)
{
    return pdpr_i_account_used(ctx->account, peak);
}

void pdpr_i_notice(pdpr_context *ctx, const char *format, ...)
{
    if (!ctx->notice)
        return;
    char text[PDPR_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pthread_mutex_lock(&ctx->talk->lock);
    ctx->notice(ctx->user, text);
    pthread_mutex_unlock(&ctx->talk->lock);
}

void pdpr_i_progress(pdpr_context *ctx, const char *what, uint64_t done, uint64_t total)
{
    if (!ctx->progress)
        return;
    double now = now_seconds();
    pthread_mutex_lock(&ctx->talk->lock);
    if (done == total || now - ctx->talk->last_progress >= 0.1) {
        ctx->talk->last_progress = now;
        ctx->progress(ctx->user, what, done, total);
    }
    pthread_mutex_unlock(&ctx->talk->lock);
}
