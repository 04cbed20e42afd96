/* The linear program that mixes forests: untrusted, in doubles. */
#ifndef PDPR_BLUEPRINT_FOREST_MASTER_H
#define PDPR_BLUEPRINT_FOREST_MASTER_H

#include "blueprint/forest.h"

/* A forest as a column. */
typedef struct {
    uint32_t *edge;   /* [count] */
    uint32_t *degree; /* [num_capped] */
    uint32_t count;
    bool basic;
} pdpr_i_forest_column;

/* maximise  sum_k count_k m_k   subject to   sum_k m_k <= 1  (row 0)  and, for each node that some
 * column loads above its cap,  sum_k degree_k(v) m_k <= cap_v,   m >= 0. */
typedef struct {
    const pdpr_i_forest_problem *p;
    uint32_t num_rows, most_rows; /* rows in use, and room for */
    uint32_t *node;               /* [most_rows]: node of each row from 1 on */
    uint32_t *row;                /* [num_capped]: row of a node, 0 if it has none */
    uint32_t *basis;              /* [most_rows]: column, or SLACK + row */
    uint32_t *old_basis;          /* [most_rows]: workspace */
    double *inverse;              /* [most_rows][most_rows] of the basis */
    double *level;                /* [most_rows]: value of each basic variable */
    double *bound;                /* [most_rows]: right-hand sides */
    double *price;                /* [most_rows] */
    double *entering;             /* [most_rows] */
    pdpr_i_forest_column *column; /* [most_columns] */
    uint32_t num_columns, most_columns;
    uint64_t pivots;
} pdpr_i_forest_master;

pdpr_status pdpr_i_forest_master_init(pdpr_context *ctx, const pdpr_i_forest_problem *p,
                                      pdpr_i_forest_master *out, pdpr_error *err);
void pdpr_i_forest_master_clear(pdpr_i_forest_master *m);

/* Adds the forest of the given edges and the rows it needs, and pivots to an optimum. Errors:
 * PDPR_ENOMEM. */
pdpr_status pdpr_i_forest_master_add(pdpr_context *ctx, pdpr_i_forest_master *m,
                                     const uint32_t *edge, uint32_t count, pdpr_error *err);

/* What a forest of `count` edges and these degrees would gain per unit at the current prices. */
double pdpr_i_forest_master_gain(const pdpr_i_forest_master *m, uint32_t count,
                                 const uint32_t *degree);
double pdpr_i_forest_master_price(const pdpr_i_forest_master *m, uint32_t node);
double pdpr_i_forest_master_value(const pdpr_i_forest_master *m);
/* The share of column k in the mixture. O(num_rows). */
double pdpr_i_forest_master_share(const pdpr_i_forest_master *m, uint32_t k);

#endif
