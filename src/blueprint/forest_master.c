/* The master problem of column generation (Dantzig and Wolfe 1960): primal simplex with an explicit
 * inverse of the basis.
 *
 * Rows are added when the first column that exceeds a node's cap arrives: all mixtures before
 * respect that cap, so the new row's slack is feasible and the inverse grows by one line.
 * Right-hand sides are lowered by tiny different amounts against ties. The inverse is computed anew
 * now and then, because pivots gather rounding errors. Nothing here is trusted: what it proposes is
 * checked in integers by forest_certificate.c.
 *
 * Cost: O(rows^2) for a pivot, O(columns * rows) for choosing one. */
#include "blueprint/forest_master.h"

#include <math.h>
#include <string.h>

static const uint32_t SLACK = (uint32_t)1 << 31;
static const double TOLERANCE = 1e-9;

static double *inverse_row(const pdpr_i_forest_master *m, uint32_t i)
{
    return m->inverse + (uint64_t)i * m->most_rows;
}

/* Coefficient of row i in column k. */
static double coefficient(const pdpr_i_forest_master *m, uint32_t i, const uint32_t *degree)
{
    return i == 0 ? 1 : degree[m->node[i]];
}

static double basic_cost(const pdpr_i_forest_master *m, uint32_t i)
{
    return m->basis[i] & SLACK ? 0 : m->column[m->basis[i]].count;
}

/* ---------------------------------------------------------------- life */

static pdpr_status grow_rows(pdpr_context *ctx, pdpr_i_forest_master *m, uint32_t most,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    double *inverse = NULL;
    const char *what = "forest master";

    PDPR_TRY(pdpr_i_zalloc(ctx, (uint64_t)most * most, sizeof *inverse, what, &inverse, err));
    PDPR_TRY(pdpr_i_resize(ctx, most, sizeof *m->node, what, &m->node, err));
    PDPR_TRY(pdpr_i_resize(ctx, most, sizeof *m->basis, what, &m->basis, err));
    PDPR_TRY(pdpr_i_resize(ctx, most, sizeof *m->level, what, &m->level, err));
    PDPR_TRY(pdpr_i_resize(ctx, most, sizeof *m->bound, what, &m->bound, err));
    PDPR_TRY(pdpr_i_resize(ctx, most, sizeof *m->price, what, &m->price, err));
    PDPR_TRY(pdpr_i_resize(ctx, most, sizeof *m->entering, what, &m->entering, err));
    PDPR_TRY(pdpr_i_resize(ctx, most, sizeof *m->old_basis, what, &m->old_basis, err));
    for (uint32_t i = 0; i < m->num_rows; i++)
        memcpy(inverse + (uint64_t)i * most, inverse_row(m, i), m->num_rows * sizeof *inverse);
    pdpr_free(m->inverse);
    m->inverse = inverse;
    m->most_rows = most;
    inverse = NULL;
done:
    pdpr_free(inverse);
    return s;
}

pdpr_status pdpr_i_forest_master_init(pdpr_context *ctx, const pdpr_i_forest_problem *p,
                                      pdpr_i_forest_master *out, pdpr_error *err)
{
    enum { FIRST_ROWS = 16, FIRST_COLUMNS = 64 };
    pdpr_status s = PDPR_OK;
    pdpr_i_forest_master m = {.p = p, .most_columns = FIRST_COLUMNS};

    PDPR_TRY(grow_rows(ctx, &m, FIRST_ROWS, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_capped, sizeof *m.row, "forest master", &m.row, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, m.most_columns, sizeof *m.column, "forest master", &m.column, err));
    m.num_rows = 1;
    m.node[0] = 0;
    m.basis[0] = SLACK;
    m.inverse[0] = 1;
    m.level[0] = m.bound[0] = 1;
    m.price[0] = 0;
    *out = m;
    m = (pdpr_i_forest_master){0};
done:
    pdpr_i_forest_master_clear(&m);
    return s;
}

static void clear_column(pdpr_i_forest_column *c)
{
    pdpr_free(c->edge);
    pdpr_free(c->degree);
    *c = (pdpr_i_forest_column){0};
}

void pdpr_i_forest_master_clear(pdpr_i_forest_master *m)
{
    for (uint32_t k = 0; k < m->num_columns; k++)
        clear_column(&m->column[k]);
    pdpr_free(m->node);
    pdpr_free(m->row);
    pdpr_free(m->basis);
    pdpr_free(m->inverse);
    pdpr_free(m->level);
    pdpr_free(m->bound);
    pdpr_free(m->price);
    pdpr_free(m->entering);
    pdpr_free(m->old_basis);
    pdpr_free(m->column);
    *m = (pdpr_i_forest_master){0};
}

/* ---------------------------------------------------------------- simplex */

/* Levels and prices from the inverse. */
static void recompute(pdpr_i_forest_master *m)
{
    for (uint32_t j = 0; j < m->num_rows; j++)
        m->price[j] = 0;
    for (uint32_t i = 0; i < m->num_rows; i++) {
        const double *row = inverse_row(m, i);
        double level = 0, cost = basic_cost(m, i);
        for (uint32_t j = 0; j < m->num_rows; j++) {
            level += row[j] * m->bound[j];
            m->price[j] += cost * row[j];
        }
        m->level[i] = level > 0 ? level : 0;
    }
}

/* m->entering = inverse * (column k, or the slack of a row). */
static void direct(pdpr_i_forest_master *m, uint32_t variable)
{
    for (uint32_t i = 0; i < m->num_rows; i++) {
        const double *row = inverse_row(m, i);
        double sum = 0;
        if (variable & SLACK) {
            sum = row[variable & ~SLACK];
        } else {
            const uint32_t *degree = m->column[variable].degree;
            for (uint32_t j = 0; j < m->num_rows; j++)
                sum += row[j] * coefficient(m, j, degree);
        }
        m->entering[i] = sum;
    }
}

/* Puts `variable`, whose direction is in m->entering, into the basis at row r. */
static void exchange(pdpr_i_forest_master *m, uint32_t variable, uint32_t r)
{
    double *pivot = inverse_row(m, r), by = 1 / m->entering[r];
    for (uint32_t j = 0; j < m->num_rows; j++)
        pivot[j] *= by;
    for (uint32_t i = 0; i < m->num_rows; i++) {
        double factor = m->entering[i], *row = inverse_row(m, i);
        if (i == r || fabs(factor) < 1e-14)
            continue;
        for (uint32_t j = 0; j < m->num_rows; j++)
            row[j] -= factor * pivot[j];
    }
    m->basis[r] = variable;
}

/* The inverse anew: from slacks everywhere, the basic forests enter one by one where the pivot is
 * largest, at rows whose slack was not basic. One that finds no pivot has become dependent and is
 * left out. */
static void invert(pdpr_i_forest_master *m)
{
    uint32_t rows = m->num_rows;
    memcpy(m->old_basis, m->basis, rows * sizeof *m->basis);
    for (uint32_t i = 0; i < rows; i++) {
        memset(inverse_row(m, i), 0, rows * sizeof *m->inverse);
        inverse_row(m, i)[i] = 1;
        m->basis[i] = SLACK + i;
        m->level[i] = 1; /* for now: may this row take a forest? */
    }
    for (uint32_t i = 0; i < rows; i++)
        if (m->old_basis[i] & SLACK)
            m->level[m->old_basis[i] & ~SLACK] = 0;
    for (uint32_t i = 0; i < rows; i++) {
        if (m->old_basis[i] & SLACK)
            continue;
        uint32_t best = rows;
        direct(m, m->old_basis[i]);
        for (uint32_t r = 0; r < rows; r++)
            if (m->level[r] > 0 && fabs(m->entering[r]) > TOLERANCE &&
                (best == rows || fabs(m->entering[r]) > fabs(m->entering[best])))
                best = r;
        m->column[m->old_basis[i]].basic = best < rows;
        if (best < rows) {
            exchange(m, m->old_basis[i], best);
            m->level[best] = 0;
        }
    }
    recompute(m);
}

double pdpr_i_forest_master_gain(const pdpr_i_forest_master *m, uint32_t count,
                                 const uint32_t *degree)
{
    double gain = count;
    for (uint32_t i = 0; i < m->num_rows; i++)
        gain -= m->price[i] * coefficient(m, i, degree);
    return gain;
}

/* The variable outside the basis that gains most, or false at an optimum. */
static bool choose_entering(const pdpr_i_forest_master *m, uint32_t *variable)
{
    double best = 1e-7;
    bool found = false;
    for (uint32_t i = 0; i < m->num_rows; i++)
        if (-m->price[i] > best) {
            best = -m->price[i];
            *variable = SLACK + i;
            found = true;
        }
    for (uint32_t k = 0; k < m->num_columns; k++) {
        if (m->column[k].basic)
            continue;
        double gain = pdpr_i_forest_master_gain(m, m->column[k].count, m->column[k].degree);
        if (gain > best) {
            best = gain;
            *variable = k;
            found = true;
        }
    }
    return found;
}

/* Pivots to an optimum. The limit only keeps a numerical accident from going round in circles: what
 * comes out is a proposal either way. */
static void optimise(pdpr_i_forest_master *m)
{
    uint64_t limit = 50 + 20 * (uint64_t)m->num_rows;
    uint32_t variable = 0;
    for (uint64_t i = 0; i < limit && choose_entering(m, &variable); i++) {
        uint32_t leave = m->num_rows;
        double step = INFINITY;
        direct(m, variable);
        for (uint32_t r = 0; r < m->num_rows; r++) {
            if (m->entering[r] <= TOLERANCE)
                continue;
            double ratio = m->level[r] / m->entering[r];
            if (ratio < step - TOLERANCE ||
                (ratio < step + TOLERANCE && m->entering[r] > m->entering[leave])) {
                step = ratio;
                leave = r;
            }
        }
        if (leave == m->num_rows)
            return; /* cannot be: row 0 bounds everything; rounding has won */
        if (!(m->basis[leave] & SLACK))
            m->column[m->basis[leave]].basic = false;
        if (!(variable & SLACK))
            m->column[variable].basic = true;
        exchange(m, variable, leave);
        if (++m->pivots % (64 + 4 * (uint64_t)m->num_rows) == 0)
            invert(m);
        else
            recompute(m);
    }
}

/* ---------------------------------------------------------------- growing */

/* A row for node v. No column so far exceeds its cap, so its slack enters at a feasible level. */
static pdpr_status add_row(pdpr_context *ctx, pdpr_i_forest_master *m, uint32_t v, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    if (m->num_rows == m->most_rows)
        PDPR_TRY(grow_rows(ctx, m, 2 * m->most_rows, err));
    uint32_t r = m->num_rows;
    double *last = inverse_row(m, r);
    memset(last, 0, (r + 1) * sizeof *last);
    for (uint32_t i = 0; i < r; i++) { /* last = -(basis row of v) * inverse */
        double of = m->basis[i] & SLACK ? 0 : m->column[m->basis[i]].degree[v];
        const double *row = inverse_row(m, i);
        for (uint32_t j = 0; of != 0 && j < r; j++)
            last[j] -= of * row[j];
        inverse_row(m, i)[r] = 0;
    }
    last[r] = 1;
    m->node[r] = v;
    m->row[v] = r;
    m->basis[r] = SLACK + r;
    m->bound[r] = m->p->cap[v] - 1e-8 * (1 + (r * 2654435761U) % 1024 / 1024.0);
    m->num_rows++;
done:
    return s;
}

/* Drops the half of the forests outside the basis that gain least. */
static void drop_columns(pdpr_i_forest_master *m)
{
    double sum = 0;
    uint32_t outside = 0, kept = 0;
    for (uint32_t k = 0; k < m->num_columns; k++)
        if (!m->column[k].basic) {
            sum += pdpr_i_forest_master_gain(m, m->column[k].count, m->column[k].degree);
            outside++;
        }
    double mean = outside ? sum / outside : 0;
    for (uint32_t k = 0; k < m->num_columns; k++) {
        pdpr_i_forest_column *c = &m->column[k];
        if (!c->basic && pdpr_i_forest_master_gain(m, c->count, c->degree) <= mean) {
            clear_column(c);
            continue;
        }
        for (uint32_t i = 0; c->basic && i < m->num_rows; i++)
            if (m->basis[i] == k)
                m->basis[i] = kept;
        if (kept != k) {
            m->column[kept] = *c;
            *c = (pdpr_i_forest_column){0};
        }
        kept++;
    }
    m->num_columns = kept;
}

pdpr_status pdpr_i_forest_master_add(pdpr_context *ctx, pdpr_i_forest_master *m,
                                     const uint32_t *edge, uint32_t count, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_forest_problem *p = m->p;
    pdpr_i_forest_column c = {.count = count};

    if (m->num_columns > 64 + 3 * m->num_rows)
        drop_columns(m);
    if (m->num_columns == m->most_columns) {
        PDPR_TRY(pdpr_i_resize(ctx, 2 * (uint64_t)m->most_columns, sizeof *m->column,
                               "forest master", &m->column, err));
        m->most_columns *= 2;
    }
    PDPR_TRY(pdpr_i_alloc(ctx, count, sizeof *c.edge, "forest column", &c.edge, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_capped, sizeof *c.degree, "forest column", &c.degree, err));
    for (uint32_t i = 0; i < count; i++) {
        c.edge[i] = edge[i];
        for (unsigned k = 0; k < 2; k++)
            if (p->end[edge[i]][k] < p->num_capped)
                c.degree[p->end[edge[i]][k]]++;
    }
    for (uint32_t v = 0; v < p->num_capped; v++)
        if (c.degree[v] > p->cap[v] && m->row[v] == 0)
            PDPR_TRY(add_row(ctx, m, v, err));
    recompute(m);
    m->column[m->num_columns++] = c;
    c = (pdpr_i_forest_column){0};
    optimise(m);
done:
    clear_column(&c);
    return s;
}

/* ---------------------------------------------------------------- questions */

double pdpr_i_forest_master_price(const pdpr_i_forest_master *m, uint32_t node)
{
    return m->row[node] ? m->price[m->row[node]] : 0;
}

double pdpr_i_forest_master_value(const pdpr_i_forest_master *m)
{
    double value = 0;
    for (uint32_t i = 0; i < m->num_rows; i++)
        value += m->level[i] * basic_cost(m, i);
    return value;
}

double pdpr_i_forest_master_share(const pdpr_i_forest_master *m, uint32_t k)
{
    for (uint32_t i = 0; m->column[k].basic && i < m->num_rows; i++)
        if (m->basis[i] == k)
            return m->level[i];
    return 0;
}
