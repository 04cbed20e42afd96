/* The textbook tableau. */
#include "support/simplex.h"

#include <math.h>
#include <stdlib.h>

/* Cells with rounding errors of pivots stand for zero below this. */
static const long double tiny = 1e-12L;

static void pivot(long double *t, uint32_t rows, uint32_t width, uint32_t row, uint32_t column)
{
    long double *p = t + (uint64_t)row * width, by = p[column];
    for (uint32_t j = 0; j < width; j++)
        p[j] /= by;
    for (uint32_t i = 0; i <= rows; i++) {
        long double *q = t + (uint64_t)i * width, factor = q[column];
        if (i == row || factor == 0)
            continue;
        for (uint32_t j = 0; j < width; j++)
            q[j] -= factor * p[j];
    }
}

long double test_simplex(uint32_t rows, uint32_t columns, const long double *a,
                         const long double *b, const long double *c)
{
    /* Columns: variables, slacks, right-hand side. Last row: reduced costs, value in the corner. */
    uint32_t width = columns + rows + 1;
    long double *t = calloc((uint64_t)(rows + 1) * width, sizeof *t);
    uint32_t *basis = calloc(rows + 1, sizeof *basis);
    if (!t || !basis)
        abort();
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t j = 0; j < columns; j++)
            t[(uint64_t)i * width + j] = a[(uint64_t)i * columns + j];
        t[(uint64_t)i * width + columns + i] = 1;
        t[(uint64_t)i * width + width - 1] = b[i];
        basis[i] = columns + i;
    }
    for (uint32_t j = 0; j < columns; j++)
        t[(uint64_t)rows * width + j] = -c[j];

    for (;;) {
        const long double *cost = t + (uint64_t)rows * width;
        uint32_t enter = 0, leave = rows;
        while (enter + 1 < width && cost[enter] >= -tiny)
            enter++;
        if (enter + 1 == width)
            break;
        for (uint32_t i = 0; i < rows; i++) {
            const long double *r = t + (uint64_t)i * width;
            if (r[enter] <= tiny)
                continue;
            if (leave < rows) {
                const long double *best = t + (uint64_t)leave * width;
                long double d = r[width - 1] * best[enter] - best[width - 1] * r[enter];
                if (d > tiny || (fabsl(d) <= tiny && basis[i] > basis[leave]))
                    continue;
            }
            leave = i;
        }
        if (leave == rows)
            abort();
        pivot(t, rows, width, leave, enter);
        basis[leave] = enter;
    }
    long double value = t[(uint64_t)rows * width + width - 1];
    free(t);
    free(basis);
    return value;
}
