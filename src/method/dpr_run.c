/* A training run: the barrier between gradient and embedding, and checkpoints between steps.
 *
 * Only whole steps are saved. A step that was cancelled half-way has moved some rows of V, so its
 * state is never written: the run is taken up from the last whole step that was saved, and replays
 * the others with the same walks and the same noise, which are functions of key and step. The meter
 * counts replayed steps from where the checkpoint stands (docs/design/0014-checkpoints.md).
 *
 * Cost beyond training: a checkpoint takes about 1 s a GB and is made so seldom that it stays below
 * a twentieth of the run. Memory: nothing of the size of V. */
#include "method/dpr_run.h"

#include <math.h>
#include <time.h>

const char pdpr_i_dpr_charge[] = "embedding";

/* ---------------------------------------------------------------- the barrier */

/* What the perturbation needs: sized by public numbers. */
typedef struct {
    const pdpr_i_dpr_setting *setting;
    pdpr_i_row_clip *clip;
    pdpr_i_trainer *trainer;
    uint32_t first; /* row of V at which the support of the step under way begins */
} barrier_step;

/* Released integers on to Adam: at most K + 2^48 in size, which is below 2^51 (barrier.h). */
static void hand_on(void *user, uint32_t worker, uint32_t step, uint64_t first, uint64_t rows,
                    const int64_t *noisy)
{
    const barrier_step *b = user;
    (void)worker;
    pdpr_i_trainer_take_grid(b->trainer, step, b->first + (uint32_t)first, (uint32_t)rows,
                             ldexp(1, b->setting->clip.exponent), noisy);
}

/* Takes the summed gradient through the barrier on the public support: all N rows, or in `head` the
 * b start rows (what falls on other rows is dropped before the barrier). */
static pdpr_status perturb(void *user, pdpr_context *ctx, const pdpr_i_embedding_gradient *g,
                           pdpr_i_row_sink sink, void *sink_arg, pdpr_error *err)
{
    barrier_step *b = user;
    (void)ctx, (void)sink, (void)sink_arg; /* the integers go to the trainer as they are */
    b->first = b->setting->head ? g->first_start : 0;
    if (b->setting->train.skip_network)
        return pdpr_i_row_clip_idle(b->clip, g->steps, hand_on, b, err);
    const pdpr_i_row_gradient gradient = {g->num_rows, g->gradient, g->slot_of + b->first};
    return pdpr_i_row_clip_step(b->clip, &gradient, hand_on, b, err);
}

/* All memory of the barrier, before anything is reserved. */
static pdpr_status make_barrier(pdpr_context *ctx, barrier_step *b, pdpr_i_trainer *trainer,
                                pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t cols = b->setting->train.shape.inputs;
    PDPR_TRY(pdpr_i_row_clip_new(ctx, b->setting->coordinates / cols, cols,
                                 trainer->batch.max_slots, &b->clip, err));
    b->trainer = trainer;
    trainer->perturb = perturb;
    trainer->perturb_user = b;
done:
    return s;
}

/* ---------------------------------------------------------------- checkpoints */

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The clock decides when a checkpoint is written and nothing else. */
typedef struct {
    pdpr_i_checkpoint *file; /* NULL: none */
    double least;            /* seconds between two */
    double saved, took;      /* when the last one was, and how long it took */
} saving;

static pdpr_status save(saving *c, const pdpr_i_trainer *t, pdpr_error *err)
{
    pdpr_i_checkpoint_part parts[PDPR_I_TRAINER_PARTS];
    double begin = now_seconds();
    if (!c->file || begin - c->saved < fmax(c->least, 20 * c->took))
        return PDPR_OK;
    uint32_t count = pdpr_i_trainer_parts(t, parts);
    pdpr_status s = pdpr_i_checkpoint_save(c->file, t->step, parts, count, err);
    c->saved = now_seconds();
    c->took = c->least > 0 ? c->saved - begin : 0;
    return s;
}

/* The state of the interrupted run; its steps are counted as made. */
static pdpr_status load(pdpr_i_checkpoint *file, pdpr_i_meter *meter, pdpr_i_trainer *t,
                        pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_checkpoint_part parts[PDPR_I_TRAINER_PARTS];
    PDPR_TRY(pdpr_i_checkpoint_load(file, parts, pdpr_i_trainer_parts(t, parts), err));
    t->step = pdpr_i_checkpoint_step(file);
    if (meter)
        PDPR_TRY(pdpr_i_meter_skip(meter, pdpr_i_dpr_charge, (uint32_t)t->step, err));
done:
    return s;
}

/* ---------------------------------------------------------------- the run */

pdpr_status pdpr_i_dpr_train(pdpr_context *ctx, const pdpr_i_dpr_setting *setting,
                             pdpr_i_private_run *run, pdpr_i_checkpoint *checkpoint, double seconds,
                             pdpr_i_trainer *trainer, pdpr_i_meter **meter_out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    barrier_step barrier = {.setting = setting};
    pdpr_i_meter *meter = NULL;
    saving saver = {.file = checkpoint, .least = seconds};

    if (run) {
        PDPR_TRY(make_barrier(ctx, &barrier, trainer, err));
        PDPR_TRY(pdpr_i_private_run_start(run, &meter, err));
        PDPR_TRY(pdpr_i_row_clip_open(barrier.clip, meter, pdpr_i_dpr_charge, &setting->clip, err));
    } else if (checkpoint && !pdpr_i_checkpoint_is_resumed(checkpoint)) {
        PDPR_TRY(pdpr_i_checkpoint_save(checkpoint, 0, NULL, 0, err));
    }
    if (checkpoint && pdpr_i_checkpoint_is_resumed(checkpoint))
        PDPR_TRY(load(checkpoint, meter, trainer, err));
    saver.saved = now_seconds();
    while (trainer->step < trainer->num_steps) {
        PDPR_TRY(pdpr_i_trainer_steps(ctx, trainer, PDPR_I_ROW_CLIP_STEPS, err));
        pdpr_i_progress(ctx, "training", trainer->step, trainer->num_steps);
        PDPR_TRY(save(&saver, trainer, err));
    }
    *meter_out = meter;
done:
    trainer->perturb = NULL;
    trainer->perturb_user = NULL;
    pdpr_i_row_clip_free(barrier.clip);
    return s;
}
