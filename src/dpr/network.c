/* The fully connected network of deep PageRank: forward and backward.
 *
 *     h_0 = v,   h_l = sigmoid(h_{l-1} W'_l + b_l),   f = h_{L+1},   W' = W / (s bound(W)).
 *
 * A batch is a list of distinct nodes: a node that occurs in many pairs is evaluated once, its
 * derivatives by f having been added up before (edge_loss.c). Nodes are cut into chunks of 64 that
 * go to the threads; each chunk has its own partial gradient and these are added in the order of
 * the chunks, so the bits do not depend on the threads.
 *
 * Numbers are doubles and only V is kept in single precision: the product of matrices runs at 21-23
 * multiply-adds a nanosecond (AVX2, one core), which single precision would double at most, while
 * gradients here shrink by 4 s per layer and are checked to 1e-6 by differences.
 *
 * Source: PrivDPR (KDD 2025), Eq. (4); spectral normalisation, spectral_norm.c. */
#include "dpr/network.h"

#include "dpr/start_values.h"

#include <math.h>
#include <string.h>

enum {
    CHUNK = 64,     /* nodes; fixed, because it decides how sums are grouped */
    ALONE = 1 << 22 /* multiply-adds, 0.2 ms, that one thread does by itself */
};

/* ---------------------------------------------------------------- shapes */

static uint64_t inputs_of(const pdpr_i_network_shape *s, uint32_t layer)
{
    return layer == 0 ? s->inputs : s->width;
}

static uint64_t outputs_of(const pdpr_i_network_shape *s, uint32_t layer)
{
    return layer == s->layers ? 1 : s->width;
}

/* First entry of W_{layer+1} in an array by layer. */
static uint64_t weight_at(const pdpr_i_network_shape *s, uint32_t layer)
{
    return layer == 0
               ? 0
               : (uint64_t)s->inputs * s->width + (layer - 1) * (uint64_t)s->width * s->width;
}

/* First entry of b_{layer+1} in the parameters. */
static uint64_t bias_at(const pdpr_i_network *net, uint32_t layer)
{
    return net->num_weights + (uint64_t)layer * net->shape.width;
}

/* h_level of the batch: [count][its width]. */
static double *activation_of(const pdpr_i_network *net, uint32_t level)
{
    if (level == net->shape.layers + 1)
        return net->output;
    uint64_t before = level == 0 ? 0 : net->shape.inputs + (level - 1) * (uint64_t)net->shape.width;
    return net->activation + before * net->max_nodes;
}

pdpr_status pdpr_i_network_shape_check(const pdpr_i_network_shape *s, pdpr_error *err)
{
    enum { MOST_WIDTH = 1 << 14, MOST_LAYERS = 1 << 12 };
    if (s->inputs < 1 || s->inputs > MOST_WIDTH)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "embedding dimension r: expected 1 to %d, found %" PRIu32, MOST_WIDTH,
                           s->inputs);
    if (s->width < 1 || s->width > MOST_WIDTH)
        return pdpr_i_fail(err, PDPR_EUSAGE, "layer width d: expected 1 to %d, found %" PRIu32,
                           MOST_WIDTH, s->width);
    if (s->layers > MOST_LAYERS)
        return pdpr_i_fail(err, PDPR_EUSAGE, "layers L: expected at most %d, found %" PRIu32,
                           MOST_LAYERS, s->layers);
    if (!(s->scale == 0 || (s->scale >= 1 && s->scale < 1e6)))
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "weight scale s: expected 1 to 1e6, or 0 for none, found %g", s->scale);
    return PDPR_OK;
}

pdpr_status pdpr_i_network_init(pdpr_context *ctx, const pdpr_i_network_shape *shape,
                                uint32_t max_nodes, pdpr_i_network *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_network net = {.shape = *shape, .max_nodes = max_nodes};
    uint64_t widest = shape->inputs > shape->width ? shape->inputs : shape->width;

    PDPR_TRY(pdpr_i_network_shape_check(shape, err));
    net.multiply = pdpr_i_multiply_choose(ctx);
    net.sigmoid = pdpr_i_sigmoid_choose(ctx);
    net.num_weights = weight_at(shape, shape->layers) + inputs_of(shape, shape->layers);
    net.num_parameters = net.num_weights;
    if (shape->biases)
        net.num_parameters += (uint64_t)shape->layers * shape->width + 1;
    /* Either the normalisation of one weight, or two chunks of a level. */
    net.workspace_size = pdpr_i_spectral_workspace(widest, shape->width);
    if (net.workspace_size < 2 * CHUNK * widest)
        net.workspace_size = 2 * CHUNK * widest;

    PDPR_TRY(pdpr_i_zalloc(ctx, net.num_parameters, sizeof(double), "network parameters",
                           &net.parameter, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, net.num_parameters, sizeof(double), "network gradient",
                           &net.gradient, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, net.num_weights, sizeof(double), "normalised weights",
                           &net.normalised, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, net.num_weights, sizeof(double), "transposed weights",
                           &net.transposed, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, net.num_weights, sizeof(double), "gradient of the norms",
                           &net.direction, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, shape->layers + UINT64_C(1), sizeof *net.norm, "weight norms",
                           &net.norm, err));
    PDPR_TRY(pdpr_i_alloc(ctx, max_nodes * (shape->inputs + (uint64_t)shape->layers * shape->width),
                          sizeof(double), "activations", &net.activation, err));
    PDPR_TRY(pdpr_i_alloc(ctx, max_nodes, sizeof(double), "network output", &net.output, err));
    PDPR_TRY(pdpr_i_alloc(ctx, (uint64_t)max_nodes * shape->inputs, sizeof(double),
                          "embedding gradient", &net.row_gradient, err));
    PDPR_TRY(pdpr_i_alloc(ctx, pdpr_i_chunks(max_nodes, CHUNK) * net.num_parameters, sizeof(double),
                          "partial gradients", &net.partial, err));
    PDPR_TRY(pdpr_i_alloc(ctx, ctx->threads * net.workspace_size, sizeof(double),
                          "network workspace", &net.workspace, err));
    *out = net;
    net = (pdpr_i_network){0};
done:
    pdpr_i_network_clear(&net);
    return s;
}

void pdpr_i_network_clear(pdpr_i_network *net)
{
    pdpr_free(net->parameter);
    pdpr_free(net->gradient);
    pdpr_free(net->normalised);
    pdpr_free(net->transposed);
    pdpr_free(net->direction);
    pdpr_free(net->norm);
    pdpr_free(net->activation);
    pdpr_free(net->output);
    pdpr_free(net->row_gradient);
    pdpr_free(net->partial);
    pdpr_free(net->workspace);
    *net = (pdpr_i_network){0};
}

void pdpr_i_network_start(pdpr_i_network *net, pdpr_i_stream *random)
{
    const pdpr_i_network_shape *shape = &net->shape;
    memset(net->parameter, 0, net->num_parameters * sizeof *net->parameter);
    for (uint32_t l = 0; l <= shape->layers; l++) {
        uint64_t in = inputs_of(shape, l), out = outputs_of(shape, l);
        double *w = net->parameter + weight_at(shape, l);
        double deviation = sqrt(2 / (double)(in + out));
        for (uint64_t i = 0; i < in * out; i++)
            w[i] = deviation * pdpr_i_start_normal(random);
    }
}

uint64_t pdpr_i_network_output_bias(const pdpr_i_network *net)
{
    return bias_at(net, net->shape.layers);
}

/* ---------------------------------------------------------------- weights, a layer a chunk */

/* A layer a chunk. Little work takes less time than starting threads for it, some 50 us each; the
 * result is the same. work: rough multiply-adds of all layers. */
static pdpr_status by_layer(pdpr_context *ctx, const pdpr_i_network *net, uint64_t work,
                            pdpr_i_chunk_work layer, void *arg, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t layers = net->shape.layers + UINT64_C(1);
    if (work > ALONE)
        return pdpr_i_parallel(ctx, layers, layer, arg, err);
    for (uint64_t l = 0; l < layers; l++)
        PDPR_TRY(layer(arg, l, 0, err));
done:
    return s;
}

static pdpr_status prepare_layer(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    pdpr_i_network *net = arg;
    uint32_t l = (uint32_t)chunk;
    uint64_t at = weight_at(&net->shape, l);
    uint64_t in = inputs_of(&net->shape, l), out = outputs_of(&net->shape, l);
    (void)err;
    if (net->shape.scale > 0)
        pdpr_i_spectral_normalise(net->multiply, in, out, PDPR_I_SQUARINGS, net->shape.scale,
                                  net->parameter + at,
                                  net->workspace + worker * net->workspace_size,
                                  net->normalised + at, net->direction + at, &net->norm[l]);
    else
        memcpy(net->normalised + at, net->parameter + at, in * out * sizeof(double));
    pdpr_i_transpose(in, out, net->normalised + at, out, net->transposed + at, in);
    return PDPR_OK;
}

pdpr_status pdpr_i_network_prepare(pdpr_context *ctx, pdpr_i_network *net, pdpr_error *err)
{
    return by_layer(ctx, net, 4 * net->num_weights * net->shape.width, prepare_layer, net, err);
}

/* Adds the partial gradients of a layer's weights in order and takes them through the norm. */
typedef struct {
    pdpr_i_network *net;
    uint64_t num_chunks;
} collecting;

static pdpr_status collect_layer(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    const collecting *c = arg;
    pdpr_i_network *net = c->net;
    uint32_t l = (uint32_t)chunk;
    uint64_t at = weight_at(&net->shape, l);
    uint64_t in = inputs_of(&net->shape, l), out = outputs_of(&net->shape, l);
    double *g = net->gradient + at;
    (void)worker, (void)err;
    memset(g, 0, in * out * sizeof *g);
    for (uint64_t k = 0; k < c->num_chunks; k++) {
        const double *p = net->partial + k * net->num_parameters + at;
        for (uint64_t i = 0; i < in * out; i++)
            g[i] += p[i];
    }
    if (net->shape.scale > 0)
        pdpr_i_spectral_gradient(in, out, net->shape.scale, net->normalised + at,
                                 net->direction + at, &net->norm[l], g);
    if (net->shape.biases) {
        double *b = net->gradient + bias_at(net, l);
        memset(b, 0, out * sizeof *b);
        for (uint64_t k = 0; k < c->num_chunks; k++) {
            const double *p = net->partial + k * net->num_parameters + bias_at(net, l);
            for (uint64_t i = 0; i < out; i++)
                b[i] += p[i];
        }
    }
    return PDPR_OK;
}

/* ---------------------------------------------------------------- nodes, 64 a chunk */

typedef struct {
    pdpr_i_network *net;
    const float *v;                /* [N][r] */
    const uint32_t *nodes;         /* [count] */
    const double *output_gradient; /* [count] */
    uint32_t count;
} passing;

static pdpr_status forward_chunk(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    const passing *p = arg;
    const pdpr_i_network *net = p->net;
    const pdpr_i_network_shape *shape = &net->shape;
    uint64_t first = chunk * CHUNK, rows = p->count - first < CHUNK ? p->count - first : CHUNK;
    (void)worker, (void)err;

    double *h = activation_of(net, 0) + first * shape->inputs; /* [rows][r] */
    for (uint64_t i = 0; i < rows; i++) {
        const float *row = p->v + (uint64_t)p->nodes[first + i] * shape->inputs;
        for (uint64_t k = 0; k < shape->inputs; k++)
            h[i * shape->inputs + k] = row[k];
    }
    for (uint32_t l = 0; l <= shape->layers; l++) {
        uint64_t in = inputs_of(shape, l), out = outputs_of(shape, l);
        double *next = activation_of(net, l + 1) + first * out; /* [rows][out] */
        net->multiply(rows, out, in, h, in, 1, net->normalised + weight_at(shape, l), out, next,
                      out);
        if (shape->biases) {
            const double *b = net->parameter + bias_at(net, l);
            for (uint64_t i = 0; i < rows; i++)
                for (uint64_t j = 0; j < out; j++)
                    next[i * out + j] += b[j];
        }
        net->sigmoid(rows * out, next);
        h = next;
    }
    return PDPR_OK;
}

/* delta [rows][out] is the derivative of the loss by the sums that enter level l + 1. */
static pdpr_status backward_chunk(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    const passing *p = arg;
    const pdpr_i_network *net = p->net;
    const pdpr_i_network_shape *shape = &net->shape;
    uint64_t first = chunk * CHUNK, rows = p->count - first < CHUNK ? p->count - first : CHUNK;
    double *partial = net->partial + chunk * net->num_parameters;
    double *delta = net->workspace + worker * net->workspace_size;
    double *other = delta + net->workspace_size / 2;
    (void)err;

    for (uint64_t i = 0; i < rows; i++) {
        double f = net->output[first + i];
        delta[i] = p->output_gradient[first + i] * f * (1 - f);
    }
    for (uint32_t l = shape->layers + 1; l-- > 0;) {
        uint64_t in = inputs_of(shape, l), out = outputs_of(shape, l);
        const double *h = activation_of(net, l) + first * in; /* [rows][in] */
        const double *transposed = net->transposed + weight_at(shape, l);
        net->multiply(in, out, rows, h, 1, in, delta, out, partial + weight_at(shape, l), out);
        if (shape->biases) {
            double *sum = partial + bias_at(net, l);
            memset(sum, 0, out * sizeof *sum);
            for (uint64_t i = 0; i < rows; i++)
                for (uint64_t j = 0; j < out; j++)
                    sum[j] += delta[i * out + j];
        }
        if (l == 0) {
            net->multiply(rows, in, out, delta, out, 1, transposed, in,
                          net->row_gradient + first * in, in);
            break;
        }
        net->multiply(rows, in, out, delta, out, 1, transposed, in, other, in);
        for (uint64_t i = 0; i < rows * in; i++)
            other[i] *= h[i] * (1 - h[i]);
        double *swap = delta;
        delta = other;
        other = swap;
    }
    return PDPR_OK;
}

pdpr_status pdpr_i_network_forward(pdpr_context *ctx, pdpr_i_network *net, const float *v,
                                   const uint32_t *nodes, uint32_t count, pdpr_error *err)
{
    passing p = {.net = net, .v = v, .nodes = nodes, .count = count};
    return pdpr_i_parallel(ctx, pdpr_i_chunks(count, CHUNK), forward_chunk, &p, err);
}

pdpr_status pdpr_i_network_backward(pdpr_context *ctx, pdpr_i_network *net,
                                    const double *output_gradient, uint32_t count, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    passing p = {.net = net, .output_gradient = output_gradient, .count = count};
    collecting c = {net, pdpr_i_chunks(count, CHUNK)};
    PDPR_TRY(pdpr_i_parallel(ctx, c.num_chunks, backward_chunk, &p, err));
    PDPR_TRY(by_layer(ctx, net, 10 * c.num_chunks * net->num_parameters, collect_layer, &c, err));
done:
    return s;
}

pdpr_status pdpr_i_network_evaluate(pdpr_context *ctx, pdpr_i_network *net, const float *v,
                                    uint32_t num_rows, double *f, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t *nodes = NULL;
    PDPR_TRY(pdpr_i_alloc(ctx, net->max_nodes, sizeof *nodes, "nodes of a batch", &nodes, err));
    for (uint32_t first = 0; first < num_rows;) {
        uint32_t count = num_rows - first < net->max_nodes ? num_rows - first : net->max_nodes;
        for (uint32_t i = 0; i < count; i++)
            nodes[i] = first + i;
        PDPR_TRY(pdpr_i_network_forward(ctx, net, v, nodes, count, err));
        memcpy(f + first, net->output, count * sizeof *f);
        first += count;
    }
done:
    pdpr_free(nodes);
    return s;
}
