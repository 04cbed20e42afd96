/* Logistic regression, binary and multinomial, with an L2 penalty, to convergence.
 *
 * Objective, divided by the number of examples n so that one tolerance serves all sizes:
 *     (1/n) (sum_i log loss_i + penalty/2 sum of squared weights),
 * log loss of the logistic function for two classes (one logit) and of the softmax for more (one
 * logit each); intercepts carry no penalty. That is scikit-learn's LogisticRegression(C =
 * 1/penalty) after its StandardScaler, and tests/golden/logistic.py records its answers.
 *
 * A class without an example starts with an intercept of -IMPOSSIBLE: its probability and gradient
 * are exactly 0, so it stays there. Examples are cut into at most MOST_CHUNKS chunks by their
 * number alone and the chunks' gradients are added in order: the same bytes for any thread count.
 * Cost per evaluation: O(n * columns * logits), MOST_CHUNKS gradients of memory. */
#include "tasks/tasks.h"

#include <math.h>
#include <string.h>

enum { MOST_CHUNKS = 64, LEAST_CHUNK = 64, MOST_STEPS = 5000 };
static const double TOLERANCE = 1e-8, IMPOSSIBLE = 1000;

typedef struct {
    pdpr_context *ctx;
    const pdpr_i_features *features;
    const uint32_t *label;
    pdpr_i_logistic *model;
    double penalty;
    uint64_t chunk_rows, chunks, size; /* size: logits * (columns + 1) */
    const double *at;                  /* where it is evaluated: [size] */
    double *gradient, *value;          /* [chunks][size], [chunks] */
    double *scratch;                   /* [threads][columns + 2 * logits] */
} fitting;

/* Whether example i is left out of a fit that keeps every fifth for looking. */
static bool held_out(uint64_t i)
{
    return i % 5 == 4;
}

static void logits_at(const pdpr_i_logistic *m, const double *weight, const double *x,
                      double *logit)
{
    for (uint32_t k = 0; k < m->logits; k++) {
        const double *w = weight + (uint64_t)k * (m->columns + 1);
        double sum = w[m->columns];
        for (uint32_t c = 0; c < m->columns; c++)
            sum += w[c] * x[c];
        logit[k] = sum;
    }
}

static void standardise(const pdpr_i_logistic *m, double *x)
{
    for (uint32_t c = 0; c < m->columns; c++)
        x[c] = (x[c] - m->mean[c]) / m->scale[c];
}

/* Log loss of one example and, in residual[logits], its derivative by the logits. */
static double example_loss(const pdpr_i_logistic *m, const double *logit, uint32_t label,
                           double *residual)
{
    if (m->logits == 1) { /* log(1 + exp(-z)), z signed so that right is positive */
        double z = label ? logit[0] : -logit[0];
        double small = exp(-fabs(z));
        double wrong = z >= 0 ? small / (1 + small) : 1 / (1 + small);
        residual[0] = label ? -wrong : wrong;
        return log1p(small) + (z < 0 ? -z : 0);
    }
    double most = logit[0], sum = 0;
    for (uint32_t k = 1; k < m->logits; k++)
        most = fmax(most, logit[k]);
    for (uint32_t k = 0; k < m->logits; k++)
        sum += residual[k] = exp(logit[k] - most);
    for (uint32_t k = 0; k < m->logits; k++)
        residual[k] /= sum;
    residual[label] -= 1;
    return log(sum) + most - logit[label];
}

static pdpr_status chunk_loss(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    const fitting *f = arg;
    const pdpr_i_logistic *m = f->model;
    uint64_t first = chunk * f->chunk_rows, end = first + f->chunk_rows;
    double *x = f->scratch + (uint64_t)worker * (m->columns + 2 * (uint64_t)m->logits);
    double *logit = x + m->columns, *residual = logit + m->logits, value = 0;
    double *gradient = f->gradient + chunk * f->size;
    (void)err;

    if (end > f->features->rows)
        end = f->features->rows;
    memset(gradient, 0, f->size * sizeof *gradient);
    for (uint64_t i = first; i < end; i++) {
        f->features->row(f->features->arg, i, x);
        standardise(m, x);
        logits_at(m, f->at, x, logit);
        value += example_loss(m, logit, f->label[i], residual);
        for (uint32_t k = 0; k < m->logits; k++) {
            double *g = gradient + (uint64_t)k * (m->columns + 1), r = residual[k];
            for (uint32_t c = 0; c < m->columns; c++)
                g[c] += r * x[c];
            g[m->columns] += r;
        }
    }
    f->value[chunk] = value;
    return PDPR_OK;
}

static pdpr_status objective(void *arg, const double *x, double *value, double *gradient,
                             pdpr_error *err)
{
    fitting *f = arg;
    const pdpr_i_logistic *m = f->model;
    double n = (double)f->features->rows, sum = 0;
    f->at = x;
    pdpr_status s = pdpr_i_parallel(f->ctx, f->chunks, chunk_loss, f, err);
    if (s != PDPR_OK)
        return s;
    memset(gradient, 0, f->size * sizeof *gradient);
    for (uint64_t chunk = 0; chunk < f->chunks; chunk++) {
        sum += f->value[chunk];
        for (uint64_t i = 0; i < f->size; i++)
            gradient[i] += f->gradient[chunk * f->size + i];
    }
    for (uint64_t i = 0; i < f->size; i++) {
        bool intercept = i % (m->columns + 1) == m->columns;
        if (!intercept) {
            sum += f->penalty / 2 * x[i] * x[i];
            gradient[i] += f->penalty * x[i];
        }
        gradient[i] /= n;
    }
    *value = sum / n;
    return PDPR_OK;
}

/* Mean and deviation of each feature; a constant one keeps its scale. */
static void measure_columns(const pdpr_i_features *features, pdpr_i_logistic *m, double *x)
{
    double n = (double)features->rows;
    for (uint64_t i = 0; i < features->rows; i++) {
        features->row(features->arg, i, x);
        for (uint32_t c = 0; c < m->columns; c++)
            m->mean[c] += x[c] / n;
    }
    for (uint64_t i = 0; i < features->rows; i++) {
        features->row(features->arg, i, x);
        for (uint32_t c = 0; c < m->columns; c++)
            m->scale[c] += (x[c] - m->mean[c]) * (x[c] - m->mean[c]) / n;
    }
    for (uint32_t c = 0; c < m->columns; c++)
        m->scale[c] = m->scale[c] > 0 ? sqrt(m->scale[c]) : 1;
}

/* The best model without features: the classes' shares. */
static void start_intercepts(const uint32_t *label, uint64_t rows, pdpr_i_logistic *m)
{
    uint64_t ones = 0;
    if (m->logits == 1) {
        for (uint64_t i = 0; i < rows; i++)
            ones += label[i];
        m->weight[m->columns] = ones == 0      ? -IMPOSSIBLE
                                : ones == rows ? IMPOSSIBLE
                                               : log((double)ones / (double)(rows - ones));
        return;
    }
    for (uint64_t i = 0; i < rows; i++)
        m->weight[label[i] * (uint64_t)(m->columns + 1) + m->columns] += 1;
    for (uint32_t k = 0; k < m->logits; k++) {
        double *intercept = &m->weight[k * (uint64_t)(m->columns + 1) + m->columns];
        *intercept = *intercept > 0 ? log(*intercept / (double)rows) : -IMPOSSIBLE;
    }
}

pdpr_status pdpr_i_logistic_fit(pdpr_context *ctx, const pdpr_i_features *features,
                                const uint32_t *label, uint32_t classes, double penalty,
                                pdpr_i_logistic *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_logistic m = {
        .columns = features->columns, .classes = classes, .logits = classes == 2 ? 1 : classes};
    fitting f = {.ctx = ctx, .features = features, .label = label, .model = &m, .penalty = penalty};

    if (features->rows == 0 || classes < 2) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "logistic regression: expected examples of at least two classes, found "
                        "%" PRIu64 " of %" PRIu32,
                        features->rows, classes);
        goto done;
    }
    f.chunk_rows = pdpr_i_chunks(features->rows, MOST_CHUNKS);
    if (f.chunk_rows < LEAST_CHUNK)
        f.chunk_rows = LEAST_CHUNK;
    f.chunks = pdpr_i_chunks(features->rows, f.chunk_rows);
    f.size = (uint64_t)m.logits * (m.columns + 1);
    PDPR_TRY(pdpr_i_zalloc(ctx, m.columns, sizeof *m.mean, "features", &m.mean, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, m.columns, sizeof *m.scale, "features", &m.scale, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, f.size, sizeof *m.weight, "weights", &m.weight, err));
    PDPR_TRY(
        pdpr_i_alloc(ctx, f.chunks * f.size, sizeof *f.gradient, "gradients", &f.gradient, err));
    PDPR_TRY(pdpr_i_alloc(ctx, f.chunks, sizeof *f.value, "losses", &f.value, err));
    PDPR_TRY(pdpr_i_alloc(ctx, ctx->threads * (m.columns + 2 * (uint64_t)m.logits),
                          sizeof *f.scratch, "features", &f.scratch, err));
    measure_columns(features, &m, f.scratch);
    start_intercepts(label, features->rows, &m);
    PDPR_TRY(pdpr_i_minimise(ctx, objective, &f, f.size, TOLERANCE, MOST_STEPS, m.weight, err));
    *out = m;
    memset(&m, 0, sizeof m);
done:
    pdpr_free(f.gradient);
    pdpr_free(f.value);
    pdpr_free(f.scratch);
    pdpr_i_logistic_clear(&m);
    return s;
}

void pdpr_i_logistic_clear(pdpr_i_logistic *model)
{
    pdpr_free(model->mean);
    pdpr_free(model->scale);
    pdpr_free(model->weight);
    memset(model, 0, sizeof *model);
}

void pdpr_i_logistic_logits(const pdpr_i_logistic *model, const pdpr_i_features *features,
                            uint64_t row, double *x, double *logit)
{
    features->row(features->arg, row, x);
    standardise(model, x);
    logits_at(model, model->weight, x, logit);
}

uint32_t pdpr_i_logistic_predict(const pdpr_i_logistic *model, const double *logit)
{
    uint32_t best = 0;
    if (model->logits == 1)
        return logit[0] > 0;
    for (uint32_t k = 1; k < model->logits; k++)
        if (logit[k] > logit[best])
            best = k;
    return best;
}

/* ---------------------------------------------------------------- the penalty */

/* The examples of one side of the fifth that is held out. */
typedef struct {
    const pdpr_i_features *all;
    const uint64_t *index;
} part;

static void part_row(const void *arg, uint64_t i, double *x)
{
    const part *p = arg;
    p->all->row(p->all->arg, p->index[i], x);
}

pdpr_status pdpr_i_logistic_choose(pdpr_context *ctx, const pdpr_i_features *features,
                                   const uint32_t *label, uint32_t classes, pdpr_i_logistic *out,
                                   double *penalty, pdpr_error *err)
{
    static const double tried[] = {1e4, 1e3, 1e2, 1e1, 1};
    pdpr_status s = PDPR_OK;
    pdpr_i_logistic m = {0};
    uint64_t *index = NULL, kept = 0;
    uint32_t *kept_label = NULL;
    double *x = NULL, best = tried[0], best_loss = INFINITY;

    PDPR_TRY(pdpr_i_alloc(ctx, features->rows, sizeof *index, "examples", &index, err));
    PDPR_TRY(pdpr_i_alloc(ctx, features->rows, sizeof *kept_label, "labels", &kept_label, err));
    PDPR_TRY(pdpr_i_alloc(ctx, features->columns + 2 * (uint64_t)classes, sizeof *x, "features", &x,
                          err));
    for (uint64_t i = 0; i < features->rows; i++)
        if (!held_out(i)) {
            kept_label[kept] = label[i];
            index[kept++] = i;
        }
    const part p = {features, index};
    const pdpr_i_features inner = {kept, features->columns, part_row, &p};
    for (size_t k = 0; k < sizeof tried / sizeof *tried && features->rows > kept; k++) {
        double loss = 0, *logit = x + features->columns;
        PDPR_TRY(pdpr_i_logistic_fit(ctx, &inner, kept_label, classes, tried[k], &m, err));
        for (uint64_t i = 0; i < features->rows; i++)
            if (held_out(i)) {
                pdpr_i_logistic_logits(&m, features, i, x, logit);
                loss += example_loss(&m, logit, label[i], logit + classes);
            }
        pdpr_i_logistic_clear(&m);
        if (loss < best_loss) {
            best_loss = loss;
            best = tried[k];
        }
    }
    PDPR_TRY(pdpr_i_logistic_fit(ctx, features, label, classes, best, out, err));
    *penalty = best;
done:
    pdpr_i_logistic_clear(&m);
    pdpr_free(index);
    pdpr_free(kept_label);
    pdpr_free(x);
    return s;
}
