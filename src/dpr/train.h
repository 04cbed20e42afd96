/* The training loop of Algorithm 1, a step at a time, without the counting of scores. */
#ifndef PDPR_DPR_TRAIN_H
#define PDPR_DPR_TRAIN_H

#include "dp/checkpoint.h"
#include "dpr/adam.h"
#include "dpr/network.h"
#include "dpr/walks.h"

typedef struct {
    pdpr_i_network_shape shape;
    pdpr_i_walk_plan walks;
    pdpr_i_adam adam;
    uint32_t epochs; /* n_epochs >= 1 */
    double gamma;    /* damping factor */
    /* false: every row of V takes part in every step, its moments decaying where the gradient is
     * zero (Adam as it is). true: a row moves, and its step count grows, only when it is handed
     * over with a gradient. The second costs O(rows handed over) a step instead of O(N r). */
    bool rows_on_demand;
    /* Neither walks nor network, nor memory for one: every step hands the perturbation a zero
     * gradient. Only where that is what the perturbation would make of any gradient
     * (signal_bound.h): then V is the same, bit for bit. */
    bool skip_network;
    /* The output bias starts at ln(1 / (N - 1)), so that f starts near 1/N; needs biases. */
    bool start_at_mean;
} pdpr_i_train_options;

/* The paper's: r = 128, d = 64, s = 8, L of Eq. (13), no biases, 5 epochs, b = 16, 2 walks of 16.
 */
void pdpr_i_train_options_paper(uint32_t num_nodes, pdpr_i_train_options *out);
/* Settings under which deep PageRank learns (docs/design/0005-deep-pagerank.md). */
void pdpr_i_train_options_learning(uint32_t num_nodes, pdpr_i_train_options *out);

/* The gradient of V summed over a batch's pairs. Private. */
typedef struct {
    uint64_t step;  /* 0 .. T-1 */
    uint32_t steps; /* to be made with it: 1, or more of a gradient that is zero by proof */
    uint32_t num_nodes, cols;
    uint32_t first_start, num_starts; /* the public start nodes of the step */
    uint32_t num_rows;
    const uint32_t *row;     /* [num_rows], distinct, in order of appearance: private */
    const uint32_t *slot_of; /* [num_nodes]: index into row, or PDPR_I_NO_SLOT */
    const double *gradient;  /* [num_rows][cols]; all other rows are zero */
} pdpr_i_embedding_gradient;

/* Takes rows first .. first + count - 1 of the gradient to be used, [count][cols], and moves V.
 * May be called from several threads at once for disjoint rows. */
typedef void (*pdpr_i_row_sink)(void *sink_arg, uint32_t first, uint32_t count,
                                const double *gradient);

/* Turns the summed gradient into the one that moves V and hands it to the sink in blocks of rows:
 * each of the N rows exactly once (rows_on_demand: each of the step's start rows, and no other).
 * Called in every step, also when the batch has no pair. Steps made together go to
 * pdpr_i_trainer_take_grid, each with all rows, a row's steps in order. */
typedef pdpr_status (*pdpr_i_perturb)(void *user, pdpr_context *ctx,
                                      const pdpr_i_embedding_gradient *g, pdpr_i_row_sink sink,
                                      void *sink_arg, pdpr_error *err);

/* Everything a run holds. Only v may leave the private side. */
typedef struct {
    const pdpr_graph *graph;
    pdpr_i_train_options options;
    pdpr_i_key key;
    uint64_t num_steps;            /* T */
    uint64_t step;                 /* steps done */
    double last_loss;              /* of the last step's batch, per pair: private */
    float *v, *v_first, *v_second; /* [N][r] */
    uint32_t *row_step;            /* [N] if rows_on_demand */
    double *w_first, *w_second;    /* [num_parameters] */
    double *output_gradient;       /* [max slots] */
    uint32_t *in_degree;           /* [N] */
    double *row_block;             /* [threads][rows of a block][r] */
    pdpr_i_adam_forms adam;
    pdpr_i_network net;
    pdpr_i_batch batch;
    pdpr_i_perturb perturb; /* NULL: the gradient as it is, no privacy */
    void *perturb_user;
    atomic_uint_fast64_t rows_given; /* in the present step */
} pdpr_i_trainer;

/* Draws the start values. g must outlive the trainer. Errors: PDPR_EUSAGE, PDPR_ENOMEM,
 * PDPR_ECANCELLED. Memory: 12 N r bytes for V and O(N) words, whatever the edges. */
pdpr_status pdpr_i_trainer_init(pdpr_context *ctx, const pdpr_graph *g,
                                const pdpr_i_train_options *options, const pdpr_i_key *key,
                                pdpr_i_trainer *out, pdpr_error *err);
void pdpr_i_trainer_clear(pdpr_i_trainer *t);

/* One step or, with skip_network and all rows in every step, up to `most` >= 1 of those that are
 * left, in one call of the perturbation, which there must be: the same bits. step < num_steps.
 * Errors: PDPR_ECANCELLED, PDPR_EFAILED (the perturbation handed over a wrong number of rows), and
 * whatever the perturbation returns. */
pdpr_status pdpr_i_trainer_steps(pdpr_context *ctx, pdpr_i_trainer *t, uint32_t most,
                                 pdpr_error *err);
/* What a perturbation that releases on a grid may call in the place of the sink: rows first ..
 * first + count - 1 of step `ahead` of those made together, as integers below 2^51 in size, in
 * units of `unit`, a power of two. The same bits. */
void pdpr_i_trainer_take_grid(pdpr_i_trainer *t, uint32_t ahead, uint32_t first, uint32_t count,
                              double unit, const int64_t *gradient);

/* The arrays that a checkpoint keeps beside `step`: V with its moments and row steps, the weights
 * with theirs. Everything else follows from options, key and step. Returns how many there are. */
enum { PDPR_I_TRAINER_PARTS = 7 };
uint32_t pdpr_i_trainer_parts(const pdpr_i_trainer *t,
                              pdpr_i_checkpoint_part parts[PDPR_I_TRAINER_PARTS]);

/* f of every node under the present V and W, into f[N]; not with skip_network. Private, and never
 * released: by it the tests see that training learns PageRank. */
pdpr_status pdpr_i_trainer_evaluate(pdpr_context *ctx, pdpr_i_trainer *t, double *f,
                                    pdpr_error *err);

#endif
