/* Constants of the paper (PrivDPR, KDD 2025): Lemma 3, Theorem 3, Eq. (12) and (13), and the
 * sharper radius of ../shared/PRIVACY.md, section 3.
 *
 * Everything is a closed form of public numbers, O(1). Only the layer count needs care: it is a
 * logarithm rounded up, so the result is checked against the inequality that it stands for, and
 * moved by one where the logarithm was off. The functions are planning figures: what a guarantee
 * rests on is the clip of the barrier, not a radius from here. */
#include "dpr/paper_constants.h"

#include <math.h>

void pdpr_i_paper_setting_default(uint32_t num_nodes, pdpr_i_paper_setting *out)
{
    *out = (pdpr_i_paper_setting){.num_nodes = num_nodes,
                                  .epochs = 5,
                                  .batch = 16,
                                  .walks = 2,
                                  .walk_length = 16,
                                  .gamma = 0.85,
                                  .scale = 8,
                                  .sensitivity = 5};
}

pdpr_status pdpr_i_paper_setting_check(const pdpr_i_paper_setting *p, pdpr_error *err)
{
    if (p->num_nodes < 2)
        return pdpr_i_fail(err, PDPR_EUSAGE, "nodes: expected at least 2, found %" PRIu32,
                           p->num_nodes);
    if (p->epochs < 1)
        return pdpr_i_fail(err, PDPR_EUSAGE, "epochs: expected at least 1, found 0");
    if (p->batch < 1 || p->batch > p->num_nodes)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "batch: expected 1 to %" PRIu32 " start nodes, found %" PRIu32,
                           p->num_nodes, p->batch);
    if (p->walks < 1 || p->walk_length < 1)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "walks: expected at least one of at least one arc, found %" PRIu32
                           " of %" PRIu32,
                           p->walks, p->walk_length);
    if ((uint64_t)p->walks * p->walk_length > UINT32_MAX / p->batch)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "walks: expected fewer than 2^32 pairs a batch, found %" PRIu32
                           " x %" PRIu32 " x %" PRIu32,
                           p->batch, p->walks, p->walk_length);
    if (!(p->gamma > 0 && p->gamma < 1))
        return pdpr_i_fail(err, PDPR_EUSAGE, "damping factor: expected between 0 and 1, found %g",
                           p->gamma);
    if (!(p->scale > 1 && p->scale < 1e6))
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "weight scale s: expected above 1 and below 1e6, found %g", p->scale);
    if (!(p->sensitivity > 0 && p->sensitivity < INFINITY))
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "preset sensitivity: expected a positive number, found %g",
                           p->sensitivity);
    return PDPR_OK;
}

/* kappa = 2 gamma (1 - gamma) / N, the constant part of c_ij. */
static double kappa(const pdpr_i_paper_setting *p)
{
    return 2 * p->gamma * (1 - p->gamma) / p->num_nodes;
}

double pdpr_i_paper_m(const pdpr_i_paper_setting *p)
{
    double g = p->gamma;
    return (2 * (p->num_nodes - 1.0) * g * g + 2 * g + kappa(p)) * (1 + 1 / g);
}

uint64_t pdpr_i_paper_pairs(const pdpr_i_paper_setting *p)
{
    return (uint64_t)p->batch * p->walks * p->walk_length;
}

uint64_t pdpr_i_paper_steps(const pdpr_i_paper_setting *p)
{
    return (uint64_t)p->epochs * (p->num_nodes / p->batch);
}

double pdpr_i_paper_depth(const pdpr_i_paper_setting *p, uint64_t pairs, uint64_t steps)
{
    double total = (double)pairs * pdpr_i_paper_m(p) * (double)steps;
    return log(total / p->sensitivity) / log(p->scale) - 1;
}

/* pairs M s^-(L+1) <= S / steps, as the theorem has it. */
static bool deep_enough(const pdpr_i_paper_setting *p, uint64_t pairs, uint64_t steps,
                        uint32_t layers)
{
    double radius = (double)pairs * pdpr_i_paper_m(p) * pow(p->scale, -(layers + 1.0));
    return radius <= p->sensitivity / (double)steps;
}

uint32_t pdpr_i_paper_layers(const pdpr_i_paper_setting *p, uint64_t pairs, uint64_t steps)
{
    /* s close to 1 asks for absurdly many layers; the cap keeps the number a number. */
    double depth = fmin(ceil(pdpr_i_paper_depth(p, pairs, steps)), 1e9);
    uint32_t layers = depth > 0 ? (uint32_t)depth : 0;
    while (layers > 0 && deep_enough(p, pairs, steps, layers - 1))
        layers--;
    while (layers < 1000000000 && !deep_enough(p, pairs, steps, layers))
        layers++;
    return layers;
}

double pdpr_i_paper_certified_radius(const pdpr_i_paper_setting *p, uint32_t layers,
                                     pdpr_i_pairing pairing)
{
    double g = p->gamma, k = kappa(p);
    double per_start = (double)p->walks * p->walk_length; /* rho */
    double all = per_start * p->batch;
    double slope = pow(4, -(double)layers) * pow(p->scale, -(layers + 1.0));
    double head = fmax(2 * g * g * (p->num_nodes - 1.0) * 4 / 27 + k / 4, g / 2);
    double tail = fmax(g / 2 + k / (4 * g), 8.0 / 27);
    /* First nodes that are the b distinct start nodes lie in b orthogonal rows. */
    double heads = pairing == PDPR_I_PAIRS_FROM_START ? sqrt(p->batch) * per_start : all;
    return slope * (heads * head + all * tail);
}
