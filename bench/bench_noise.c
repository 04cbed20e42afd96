/* Exact noise against naive noise, over the same ChaCha20.
 *
 * noise/rounded-gaussian: the product's exact sampler at sigma near 2^30 (and 2^36, 2^20), one
 * core, each kernel. noise/naive-box-muller: sigma * sqrt(-2 ln u) * cos(2 pi v) in doubles with
 * libm, the unsafe textbook method, two values from 16 bytes. noise/chacha20: the bytes alone, by
 * libsodium, and in pages as the noise draws them.
 * noise/clip-step: a whole step of the barrier at Cora's size. `ns` is per value. */
#include "support/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "dp/dp.h"
#include "dp/gaussian_rounded.h"
#include "dp/laplace_discrete.h"

/* About a millisecond a run, so that the shortest of nine is one without interruption. */
enum { VALUES = 1 << 17, CORA = 2708 * 128 };

typedef struct {
    pdpr_context *ctx;
    pdpr_i_key key;
    double sigma;
    int64_t *values;
    double *doubles;
    pdpr_i_clip *clip;
    const double *gradient;
    const pdpr_i_laplace *laplace;
} work;

static void must(pdpr_status s, const char *what)
{
    bench_verify(s == PDPR_OK, what);
}

static void exact(void *arg)
{
    work *w = arg;
    must(pdpr_i_gaussian_add(w->ctx, &w->key, 1, w->sigma, w->values, VALUES, NULL), "noise");
}

static void naive(void *arg)
{
    enum { BLOCK = 4096 };
    work *w = arg;
    uint64_t words[BLOCK];
    pdpr_i_stream stream;
    pdpr_i_stream_init(&stream, &w->key, PDPR_I_PURPOSE_TEST, 1);
    for (int at = 0; at < VALUES; at += BLOCK) {
        pdpr_i_stream_words(&stream, words, BLOCK);
        for (int i = 0; i < BLOCK; i += 2) {
            double u = ((double)(words[i] >> 11) + 0.5) * 0x1p-53;
            double v = (double)(words[i + 1] >> 11) * 0x1p-53;
            double r = w->sigma * sqrt(-2 * log(u));
            w->doubles[at + i] = r * cos(6.283185307179586 * v);
            w->doubles[at + i + 1] = r * sin(6.283185307179586 * v);
        }
    }
}

static void bytes(void *arg)
{
    work *w = arg;
    pdpr_i_stream stream;
    pdpr_i_stream_init(&stream, &w->key, PDPR_I_PURPOSE_TEST, 1);
    for (int at = 0; at < VALUES; at += 4096)
        pdpr_i_stream_bytes(&stream, w->values + at, 4096 * sizeof *w->values);
}

static void pages(void *arg)
{
    work *w = arg;
    enum { BLOCK = 4096, PAGES = BLOCK * sizeof(uint64_t) / PDPR_I_STREAM_PAGE };
    pdpr_i_stream stream;
    pdpr_i_stream_init(&stream, &w->key, PDPR_I_PURPOSE_TEST, 1);
    for (uint64_t at = 0; at < VALUES; at += BLOCK)
        pdpr_i_stream_pages(&stream, w->ctx->cpu_used, at / BLOCK * PAGES, PAGES,
                            (uint64_t *)w->values + at);
}

static void laplace(void *arg)
{
    work *w = arg;
    pdpr_i_stream stream;
    pdpr_i_stream_init(&stream, &w->key, PDPR_I_PURPOSE_TEST, 1);
    for (int i = 0; i < VALUES / 64; i++)
        w->values[i] = pdpr_i_laplace_draw(w->laplace, &stream);
}

static void step(void *arg)
{
    work *w = arg;
    must(pdpr_i_clip_step(w->clip, w->gradient, w->values, NULL), "clip step");
}

static void report(const char *name, bench_work run, work *w, double values)
{
    bench_time t = bench_run(run, w);
    bench_report(name, &t, "\"ns\": %.2f, \"median_ns\": %.2f", t.minimum / values * 1e9,
                 t.median / values * 1e9);
}

static bool has_spread(const int64_t *values, double sigma)
{
    double square = 0;
    for (int i = 0; i < VALUES; i++)
        square += (double)values[i] * (double)values[i];
    return fabs(sqrt(square / VALUES) / sigma - 1) < 0.02;
}

static pdpr_status reserve(void *user, const pdpr_i_charge *charges, uint32_t count,
                           pdpr_error *err)
{
    (void)user, (void)charges, (void)count, (void)err;
    return PDPR_OK;
}

static void clip_steps(work *w)
{
    pdpr_i_clip_plan plan;
    pdpr_i_meter *meter = NULL;
    pdpr_i_noise_key *key = NULL;
    must(pdpr_i_clip_plan_make(1, 845, 0.761132161324164, &plan, NULL), "plan");
    const pdpr_i_charge charge = {.label = "steps",
                                  .kind = PDPR_I_CHARGE_GAUSSIAN,
                                  .mu_step = plan.mu_step,
                                  .steps = plan.steps};
    must(pdpr_i_meter_new(w->ctx, &charge, 1, &meter, NULL), "meter");
    must(pdpr_i_noise_key_from_seed(w->ctx, 1, &key, NULL), "key");
    must(pdpr_i_meter_open(meter, &key, reserve, NULL, NULL), "open");
    must(pdpr_i_clip_new(w->ctx, meter, "steps", &plan, CORA, &w->clip, NULL), "clip");
    for (int i = 0; i < CORA; i++)
        w->doubles[i] = sin(i);
    w->gradient = w->doubles;
    char name[64];
    snprintf(name, sizeof name, "noise/clip-step-cora/%u", w->ctx->threads);
    report(name, step, w, CORA);
    pdpr_i_clip_free(w->clip);
    pdpr_i_meter_free(meter);
}

int main(void)
{
    static const double sigmas[] = {0x1p20, 1281498708.43, 0x1p36};
    static const char *const names[] = {"2^20", "2^30", "2^36"};
    work w = {.values = calloc(CORA, sizeof *w.values), .doubles = calloc(CORA, sizeof *w.doubles)};
    bench_verify(w.values && w.doubles, "memory");
    pdpr_i_key_from_seed(1, &w.key);

    for (pdpr_cpu cpu = PDPR_CPU_PORTABLE; cpu <= pdpr_i_cpu_detect(); cpu++) {
        pdpr_context_options options;
        pdpr_context_options_default(&options);
        options.threads = 1;
        options.cpu = cpu;
        must(pdpr_context_new(&options, &w.ctx, NULL), "context");
        for (size_t i = 0; i < sizeof sigmas / sizeof *sigmas; i++) {
            char name[64];
            w.sigma = sigmas[i];
            memset(w.values, 0, VALUES * sizeof *w.values);
            exact(&w);
            bench_verify(has_spread(w.values, w.sigma), "spread of the noise");
            snprintf(name, sizeof name, "noise/rounded-gaussian-%s-%s/1", pdpr_i_cpu_name(cpu),
                     names[i]);
            report(name, exact, &w, VALUES);
        }
        char pages_name[64];
        snprintf(pages_name, sizeof pages_name, "noise/chacha20-pages-%s-8-bytes/1",
                 pdpr_i_cpu_name(cpu));
        report(pages_name, pages, &w, VALUES);
        pdpr_context_free(w.ctx);
    }
    w.sigma = sigmas[1];
    report("noise/naive-box-muller-2^30/1", naive, &w, VALUES);
    report("noise/chacha20-8-bytes/1", bytes, &w, VALUES);

    pdpr_i_laplace noise;
    must(pdpr_i_laplace_init(&noise, (pdpr_i_ratio){1, 1 << 20}, NULL), "laplace");
    w.laplace = &noise;
    report("noise/discrete-laplace-2^20/1", laplace, &w, VALUES / 64);

    for (uint32_t threads = 1; threads <= 2; threads++) {
        pdpr_context_options options;
        pdpr_context_options_default(&options);
        options.threads = threads;
        must(pdpr_context_new(&options, &w.ctx, NULL), "context");
        clip_steps(&w);
        pdpr_context_free(w.ctx);
    }
    free(w.values);
    free(w.doubles);
    return 0;
}
