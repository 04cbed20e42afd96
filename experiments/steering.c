/* What does an embedding know about the nodes of a graph?
 *
 *     steering GRAPH RELEASE [RELEASE ...]
 *
 * For each release with an embedding: Spearman's rank correlation between the row mass that the
 * profile `steered` deals degrees by and the true degrees (private: from the graph), and between
 * that mass and the mass of the first release named. steering.sh names a run on the graph and one
 * on the edgeless graph with the same seed: what the two share is noise. */
#include "dpr/score_order.h"
#include "method/method.h"

#include <math.h>
#include <stdlib.h>

static void must(pdpr_status s, const pdpr_error *err)
{
    if (s != PDPR_OK) {
        fprintf(stderr, "steering: %s\n", err->text);
        exit(1);
    }
}

static const double *sorted_by; /* for qsort, which has no argument to spare */

static int by_score(const void *a, const void *b)
{
    double x = sorted_by[*(const uint32_t *)a], y = sorted_by[*(const uint32_t *)b];
    return (x > y) - (x < y);
}

/* Mean ranks: equal scores share theirs. */
static double *ranks(const double *score, uint32_t n)
{
    uint32_t *order = malloc(n * sizeof *order);
    double *rank = malloc(n * sizeof *rank);
    if (!order || !rank)
        exit(1);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    sorted_by = score;
    qsort(order, n, sizeof *order, by_score);
    for (uint32_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && score[order[j]] == score[order[i]];)
            j++;
        for (uint32_t k = i; k < j; k++)
            rank[order[k]] = (i + j - 1) / 2.0;
    }
    free(order);
    return rank;
}

static double spearman(const double *a, const double *b, uint32_t n)
{
    double *x = ranks(a, n), *y = ranks(b, n), mean = (n - 1) / 2.0, xy = 0, xx = 0, yy = 0;
    for (uint32_t i = 0; i < n; i++) {
        xy += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    free(x);
    free(y);
    return xy / sqrt(xx * yy);
}

int main(int argc, char **argv)
{
    pdpr_error err = {0};
    pdpr_context *ctx = NULL;
    pdpr_graph *g = NULL, *undirected = NULL;
    double *first = NULL;

    if (argc < 3) {
        fprintf(stderr, "usage: steering GRAPH RELEASE [RELEASE ...]\n");
        return 2;
    }
    must(pdpr_context_new(NULL, &ctx, &err), &err);
    must(pdpr_graph_load(ctx, argv[1], NULL, &g, NULL, &err), &err);
    must(pdpr_graph_undirected(ctx, g, &undirected, &err), &err);
    uint32_t n = undirected->num_nodes;
    double *degree = malloc(n * sizeof *degree), *along = malloc(n * sizeof *along);
    if (!degree || !along)
        return 1;
    for (uint32_t u = 0; u < n; u++)
        degree[u] = (double)(undirected->offset[u + 1] - undirected->offset[u]);
    for (int i = 2; i < argc; i++) {
        pdpr_release *release = NULL;
        double *mass = malloc(n * sizeof *mass);
        must(pdpr_release_load(ctx, argv[i], &release, &err), &err);
        const pdpr_i_array *v = pdpr_i_release_file_find(&release->file, "embedding");
        if (!v || v->rows != n || !mass) {
            fprintf(stderr, "steering: %s: no embedding of %u nodes\n", argv[i], n);
            return 1;
        }
        must(pdpr_i_score_order(ctx, v->items, n, (uint32_t)v->columns, mass, along, &err), &err);
        first = first ? first : mass;
        printf("%s: with the degrees %.4f, with the first release %.4f\n", argv[i],
               spearman(mass, degree, n), spearman(mass, first, n));
        pdpr_release_free(release);
        if (mass != first)
            free(mass);
    }
    free(first);
    free(degree);
    free(along);
    pdpr_graph_free(g);
    pdpr_graph_free(undirected);
    pdpr_context_free(ctx);
    return 0;
}
