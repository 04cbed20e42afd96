/* Exact draws from a row of softmax(V V^T) (proofs: docs/design/0006-exact-score-sampling.md).
 *
 * Softmax does not change when a row's logits are shifted, so with c the mean row of V the logit of
 * (i, j) may be taken as x_ij = v_i . (v_j - c). Then
 *
 *   - x_ij <= B_i = |v_i| max_k |v_k - c|              (Cauchy and Schwarz), and
 *   - the mean over j of exp(x_ij) is >= 1             (Jensen: the mean of x_ij is 0).
 *
 * By rejection: propose j uniformly, accept with probability exp(x_ij - B_i). The law is exact and
 * the expected number of proposals at most exp(B_i), whatever V is. By row: compute the N logits
 * once, then search the cumulative sums. The cheaper one is taken; in the private profiles |v| is
 * below 1 and rejection needs one or two proposals.
 *
 * Exact means up to the rounding of doubles: acceptance and cumulative sums carry relative errors
 * of some 1e-13. Products are summed in eight lanes, the same on every machine. */
#include "dpr/score_sample.h"

#include <math.h>
#include <string.h>

enum { LANES = 8 };

static double dot(const float *x, const float *y, uint32_t cols)
{
    double lane[LANES] = {0}, sum = 0;
    uint32_t k = 0;
    for (; k + LANES <= cols; k += LANES)
        for (uint32_t l = 0; l < LANES; l++)
            lane[l] += (double)x[k + l] * y[k + l];
    for (uint32_t l = 0; l < LANES; l++)
        sum += lane[l];
    for (; k < cols; k++)
        sum += (double)x[k] * y[k];
    return sum;
}

/* v_i . c, what the logits of row i are shifted by. */
static double shift_of(const pdpr_i_score *s, uint32_t i)
{
    const float *row = s->v + (uint64_t)i * s->cols;
    double sum = 0;
    for (uint32_t k = 0; k < s->cols; k++)
        sum += row[k] * s->centre[k];
    return sum;
}

pdpr_status pdpr_i_score_init(pdpr_context *ctx, const float *v, uint32_t num_nodes, uint32_t cols,
                              pdpr_i_score *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_score score = {.v = v, .num_nodes = num_nodes, .cols = cols};
    double longest = 0, proposals = 0;

    if (num_nodes < 1 || cols < 1)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "embedding: expected at least one row and one column, found %" PRIu32
                           " x %" PRIu32,
                           num_nodes, cols);
    PDPR_TRY(pdpr_i_zalloc(ctx, cols, sizeof(double), "mean embedding", &score.centre, err));
    PDPR_TRY(pdpr_i_alloc(ctx, num_nodes, sizeof(double), "logit bounds", &score.bound, err));
    for (uint32_t i = 0; i < num_nodes; i++)
        for (uint32_t k = 0; k < cols; k++) {
            double x = v[(uint64_t)i * cols + k];
            if (!isfinite(x)) {
                s = pdpr_i_fail(err, PDPR_EUSAGE,
                                "embedding: expected finite numbers, found %g in row %" PRIu32, x,
                                i);
                goto done;
            }
            score.centre[k] += x / num_nodes;
        }
    for (uint32_t i = 0; i < num_nodes; i++) {
        const float *row = v + (uint64_t)i * cols;
        double length = 0, distance = 0;
        for (uint32_t k = 0; k < cols; k++) {
            double away = row[k] - score.centre[k];
            length += (double)row[k] * row[k];
            distance += away * away;
        }
        score.bound[i] = sqrt(length);
        longest = fmax(longest, sqrt(distance));
    }
    for (uint32_t i = 0; i < num_nodes; i++) {
        /* a little more, so that rounding never makes a logit exceed its bound */
        score.bound[i] = score.bound[i] * longest * (1 + 1e-9) + 1e-12;
        proposals += fmin(exp(score.bound[i]), num_nodes);
    }
    score.mean_proposals = proposals / num_nodes;
    *out = score;
    score = (pdpr_i_score){0};
done:
    pdpr_i_score_clear(&score);
    return s;
}

void pdpr_i_score_clear(pdpr_i_score *score)
{
    pdpr_free(score->centre);
    pdpr_free(score->bound);
    *score = (pdpr_i_score){0};
}

void pdpr_i_score_draw_by_rejection(const pdpr_i_score *s, uint32_t i, uint64_t count,
                                    pdpr_i_stream *random, uint32_t *out)
{
    const float *row = s->v + (uint64_t)i * s->cols;
    double offset = shift_of(s, i) + s->bound[i];
    for (uint64_t n = 0; n < count; n++) {
        uint32_t j;
        double accept;
        do {
            j = (uint32_t)pdpr_i_stream_below(random, s->num_nodes);
            accept = exp(dot(row, s->v + (uint64_t)j * s->cols, s->cols) - offset);
        } while (!(pdpr_i_stream_unit(random) < accept));
        out[n] = j;
    }
}

void pdpr_i_score_draw_by_row(const pdpr_i_score *s, uint32_t i, uint64_t count,
                              pdpr_i_stream *random, double *row, uint32_t *out)
{
    const float *from = s->v + (uint64_t)i * s->cols;
    double largest = -INFINITY, sum = 0;
    for (uint32_t j = 0; j < s->num_nodes; j++) {
        row[j] = dot(from, s->v + (uint64_t)j * s->cols, s->cols);
        largest = fmax(largest, row[j]);
    }
    for (uint32_t j = 0; j < s->num_nodes; j++) {
        sum += exp(row[j] - largest);
        row[j] = sum;
    }
    for (uint64_t n = 0; n < count; n++) {
        double u = pdpr_i_stream_unit(random) * sum;
        uint32_t low = 0, high = s->num_nodes - 1; /* the first j with row[j] > u */
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (row[middle] > u)
                high = middle;
            else
                low = middle + 1;
        }
        out[n] = low;
    }
}

void pdpr_i_score_draw(const pdpr_i_score *s, uint32_t i, uint64_t count, pdpr_i_stream *random,
                       double *row, uint32_t *out)
{
    if ((double)count * exp(s->bound[i]) <= s->num_nodes)
        pdpr_i_score_draw_by_rejection(s, i, count, random, out);
    else
        pdpr_i_score_draw_by_row(s, i, count, random, row, out);
}
