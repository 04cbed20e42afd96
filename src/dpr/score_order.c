/* Two numbers a node from an embedding.
 *
 * The row mass of the score matrix is sum_i exp(v_i . v_j) / Z_i. Its first-order term orders nodes
 * as the mass does while logits are small, which is where reconstruction is cheap too
 * (score_sample.c), and it costs O(N r) instead of O(N^2 r). The weights of the network would tell
 * more (f itself), but they never leave the private side.
 *
 * The direction of largest spread is the first eigenvector of the rows' covariance with the mean
 * direction projected out, by power iteration: a ranking needs no certificate. Sums run in the
 * order of nodes, so the bits depend on V alone. */
#include "dpr/score_order.h"

#include <math.h>

enum { ITERATIONS = 100 };

typedef struct {
    uint32_t n, r;
    const float *v;
    double *sum;        /* [r]: of all rows */
    double *unit;       /* [r]: its direction; zero if there is none */
    double *covariance; /* [r][r] */
    double *axis;       /* [r] */
    double *next;       /* [r] */
    double *row;        /* [r]: a centred row */
} work;

static double dot(const double *a, const double *b, uint32_t r)
{
    double x = 0;
    for (uint32_t k = 0; k < r; k++)
        x += a[k] * b[k];
    return x;
}

/* Makes a unit vector of x; leaves it zero if it is none or too small to tell. */
static void normalise(double *x, uint32_t r)
{
    double length = sqrt(dot(x, x, r));
    for (uint32_t k = 0; k < r; k++)
        x[k] = length > 1e-150 && isfinite(length) ? x[k] / length : 0;
}

/* Takes the part along the unit vector u out of x. */
static void project_out(double *x, const double *u, uint32_t r)
{
    double part = dot(x, u, r);
    for (uint32_t k = 0; k < r; k++)
        x[k] -= part * u[k];
}

static const double *centred_row(work *w, uint32_t j)
{
    for (uint32_t k = 0; k < w->r; k++)
        w->row[k] = (double)w->v[(uint64_t)j * w->r + k] - w->sum[k] / w->n;
    return w->row;
}

static pdpr_status add_rows(work *w, pdpr_error *err)
{
    for (uint32_t j = 0; j < w->n; j++)
        for (uint32_t k = 0; k < w->r; k++) {
            double x = (double)w->v[(uint64_t)j * w->r + k];
            if (!isfinite(x))
                return pdpr_i_fail(err, PDPR_EUSAGE,
                                   "embedding: expected finite numbers, found one that is not");
            w->sum[k] += x;
        }
    for (uint32_t k = 0; k < w->r; k++)
        w->unit[k] = w->sum[k];
    normalise(w->unit, w->r);
    return PDPR_OK;
}

static void find_axis(work *w)
{
    uint32_t r = w->r;
    for (uint32_t j = 0; j < w->n; j++) {
        const double *x = centred_row(w, j);
        for (uint32_t a = 0; a < r; a++)
            for (uint32_t b = 0; b < r; b++)
                w->covariance[(uint64_t)a * r + b] += x[a] * x[b];
    }
    for (uint32_t k = 0; k < r; k++)
        w->axis[k] = 1 / (k + 1.0); /* any start that is no axis by chance */
    for (int round = 0; round < ITERATIONS; round++) {
        project_out(w->axis, w->unit, r);
        normalise(w->axis, r);
        for (uint32_t a = 0; a < r; a++)
            w->next[a] = dot(w->covariance + (uint64_t)a * r, w->axis, r);
        for (uint32_t a = 0; a < r; a++)
            w->axis[a] = w->next[a];
    }
    project_out(w->axis, w->unit, r);
    normalise(w->axis, r);
}

pdpr_status pdpr_i_score_order(pdpr_context *ctx, const float *v, uint32_t num_nodes, uint32_t cols,
                               double *mass, double *along, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    work w = {.n = num_nodes, .r = cols, .v = v};
    double *room = NULL;

    if (cols == 0)
        return pdpr_i_fail(err, PDPR_EUSAGE, "embedding: expected at least one column, found 0");
    PDPR_TRY(pdpr_i_zalloc(ctx, (uint64_t)cols * cols + 5 * (uint64_t)cols, sizeof *room,
                           "order of scores", &room, err));
    w.covariance = room;
    w.sum = room + (uint64_t)cols * cols;
    w.unit = w.sum + cols;
    w.axis = w.unit + cols;
    w.next = w.axis + cols;
    w.row = w.next + cols;
    PDPR_TRY(add_rows(&w, err));
    find_axis(&w);
    for (uint32_t j = 0; j < num_nodes; j++) {
        along[j] = dot(centred_row(&w, j), w.axis, cols);
        double own = 0, with_all = 0;
        for (uint32_t k = 0; k < cols; k++) {
            double x = (double)v[(uint64_t)j * cols + k];
            own += x * x;
            with_all += x * w.sum[k];
        }
        mass[j] = with_all - own;
    }
done:
    pdpr_free(room);
    return s;
}
