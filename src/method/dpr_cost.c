/* Time and memory of a deep-PageRank run from its public numbers.
 *
 * Time is counted in what the run does most: values of noise, coordinates that Adam moves,
 * multiply-adds of the network and of its certified norms (cubic in the width, which is what makes
 * wide networks slow), activations, walks, tokens of the score matrix. The price of each is that of
 * one core of the reference machine with the other one busy, so that two threads take half. What
 * the data decide is guessed: seven in ten pairs bring a new node (from four on Cora to nine and a
 * half on large graphs), and a graph of unstated size has four edges a node. Good to a factor of
 * 1.5, which is what a plan is for.
 *
 * Memory adds up what training and sampling allocate; the last depends on V by as little as its
 * cheap form does (docs/design/0006-exact-score-sampling.md). */
#include "method/dpr_cost.h"

#include <math.h>

/* Seconds of one thread. */
static const double noise_value = 5.2e-9, adam_coordinate = 1e-9, multiply_add = 6.5e-11,
                    activation = 5e-9, walk_pair = 1.5e-7, weight = 5e-9, thread_start = 4e-5;

/* Pairs that bring a node which the batch has not seen. */
static const double new_nodes = 0.7;

/* Inputs and outputs of weight `layer` of L + 1. */
static void weight_shape(const pdpr_i_network_shape *s, uint32_t layer, double *in, double *out)
{
    *in = layer == 0 ? s->inputs : s->width;
    *out = layer == s->layers ? 1 : s->width;
}

static double num_weights(const pdpr_i_network_shape *s)
{
    double sum = 0, in, out;
    for (uint32_t l = 0; l <= s->layers; l++) {
        weight_shape(s, l, &in, &out);
        sum += in * out;
    }
    return sum;
}

/* One pass through the network, forward and back, with the norms of its weights. */
static double network_seconds(const pdpr_i_network_shape *s, double pairs)
{
    double nodes = new_nodes * pairs, weights = num_weights(s), in, out;
    double products = 3 * nodes * weights;
    for (uint32_t l = 0; l <= s->layers && s->scale > 0; l++) {
        weight_shape(s, l, &in, &out);
        products += 6 * in * out * fmin(in, out); /* Gram matrix, squarings by halves, direction */
    }
    return products * multiply_add + nodes * s->layers * s->width * activation + pairs * walk_pair +
           weights * weight + 4 * thread_start;
}

/* Tokens that reconstruction looks at. */
static double num_tokens(const pdpr_i_dpr_setting *setting)
{
    double n = setting->paper.num_nodes;
    bool stated = setting->edges > 0 && setting->edges < UINT64_MAX;
    return (stated ? (double)setting->edges : 4 * n) + n * (1 + log(n) / 2);
}

static double num_cells(const pdpr_i_dpr_setting *setting)
{
    return (double)setting->paper.num_nodes * setting->train.shape.inputs;
}

double pdpr_i_dpr_seconds(const pdpr_i_dpr_setting *setting, uint32_t threads)
{
    double coordinates = (double)setting->coordinates;
    double moved = setting->head ? coordinates : num_cells(setting);
    double step = moved * adam_coordinate + thread_start;
    if (setting->private_run)
        step += coordinates * noise_value;
    if (!setting->train.skip_network)
        step += network_seconds(&setting->train.shape, (double)pdpr_i_paper_pairs(&setting->paper));
    double sampling = num_tokens(setting) * (5e-7 + 1e-8 * setting->train.shape.inputs);
    return ((double)setting->steps * step + sampling) / threads;
}

uint64_t pdpr_i_dpr_memory(const pdpr_i_dpr_setting *setting, uint32_t threads)
{
    const pdpr_i_network_shape *shape = &setting->train.shape;
    double n = setting->paper.num_nodes, r = shape->inputs, cells = num_cells(setting);
    double slots = fmin((double)pdpr_i_paper_pairs(&setting->paper) + setting->paper.batch, n);
    double training = 12 * cells + 12 * n + 8 * slots * r + threads * 2560 * r;
    if (!setting->train.skip_network) {
        double weights = num_weights(shape), chunks = ceil(slots / 64);
        training +=
            8 * (weights * (7 + chunks) + slots * (2 * r + (double)shape->layers * shape->width));
    }
    double sampling = 4 * cells + 80 * num_tokens(setting);
    return (uint64_t)fmax(training, sampling);
}
