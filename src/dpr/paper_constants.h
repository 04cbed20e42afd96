/* The numbers of the paper that follow from public parameters alone: M, T, B, the layer count
 * and a radius of the gradient. No data enter here. */
#ifndef PDPR_DPR_PAPER_CONSTANTS_H
#define PDPR_DPR_PAPER_CONSTANTS_H

#include "base/base.h"

/* How a walk s = w_0, w_1, w_2, … gives pairs (i, j) to the loss. */
typedef enum {
    PDPR_I_PAIRS_CONSECUTIVE = 0, /* (w_0, w_1), (w_1, w_2), …: arcs of the graph */
    PDPR_I_PAIRS_FROM_START = 1   /* (w_0, w_1), (w_0, w_2), …: the authors' script */
} pdpr_i_pairing;

/* Public parameters; the letters are the paper's. */
typedef struct {
    uint32_t num_nodes;   /* N >= 2 */
    uint32_t epochs;      /* n_epochs >= 1 */
    uint32_t batch;       /* start nodes per step, 1..N */
    uint32_t walks;       /* R_wn >= 1 */
    uint32_t walk_length; /* R_wl >= 1, in arcs */
    double gamma;         /* damping factor, 0 < gamma < 1 */
    double scale;         /* s > 1 of W / (s ||W||_2) */
    double sensitivity;   /* the preset S > 0 */
} pdpr_i_paper_setting;

/* The paper's own: 5 epochs, b = 16, 2 walks of 16 arcs, gamma 0.85, s = 8, S = 5. */
void pdpr_i_paper_setting_default(uint32_t num_nodes, pdpr_i_paper_setting *out);

/* Says which parameter is out of its range. Errors: PDPR_EUSAGE. */
pdpr_status pdpr_i_paper_setting_check(const pdpr_i_paper_setting *p, pdpr_error *err);

/* The functions below expect a checked setting. */

/* M of Lemma 3: (2(N-1) gamma^2 + 2 gamma + 2 gamma (1-gamma) / N) (1 + 1/gamma). */
double pdpr_i_paper_m(const pdpr_i_paper_setting *p);
/* B = b R_wn R_wl, the most pairs in a batch. */
uint64_t pdpr_i_paper_pairs(const pdpr_i_paper_setting *p);
/* T = n_epochs floor(N / b). */
uint64_t pdpr_i_paper_steps(const pdpr_i_paper_setting *p);

/* log_s(pairs M steps / S) - 1: the left side of Eq. (12) with steps = 1, of Eq. (13) with T.
 * `pairs` is an argument because the paper's example takes B = 128. */
double pdpr_i_paper_depth(const pdpr_i_paper_setting *p, uint64_t pairs, uint64_t steps);
/* The least L >= 0 with pairs M s^-(L+1) <= S / steps: the depth, rounded up. */
uint32_t pdpr_i_paper_layers(const pdpr_i_paper_setting *p, uint64_t pairs, uint64_t steps);

/* R_cert: a bound on the norm of a summed gradient of V with L + 1 weights, the paper's B M
 * s^-(L+1) with the true slopes of the sigmoid (PRIVACY.md, section 3). The published form counts
 * every pair's first node among the b start nodes, which holds for PDPR_I_PAIRS_FROM_START only;
 * consecutive pairs get B in the place of sqrt(b) rho. */
double pdpr_i_paper_certified_radius(const pdpr_i_paper_setting *p, uint32_t layers,
                                     pdpr_i_pairing pairing);

#endif
