/* A small exact-enough oracle for linear programs: the textbook tableau. */
#ifndef PDPR_TESTS_SIMPLEX_H
#define PDPR_TESTS_SIMPLEX_H

#include <stdint.h>

/* max sum c_j x_j subject to A x <= b, x >= 0 with every b_i >= 0, so that x = 0 is a vertex to
 * start from. Bland's rule, long double. a is [rows][columns] row by row. Returns the optimum;
 * aborts on an unbounded problem. */
long double test_simplex(uint32_t rows, uint32_t columns, const long double *a,
                         const long double *b, const long double *c);

#endif
