/* Spectral normalisation with a certified bound (P-10): the Gram bound by repeated squaring.
 *
 * With G = W^T W on the smaller side c, p = 2^k and q = p + 1,
 *
 *     ||W||_2 <= (tr G^q)^(1/2q) = (sum of sigma_i^2q)^(1/2q) <= c^(1/2q) ||W||_2,
 *
 * that is, the bound is the Schatten norm of order 2q (Delattre et al. 2023 use such norms for
 * convolutions). Power iteration approaches ||W||_2 from below and certifies nothing.
 *
 * Why p + 1: tr G^(p+1) = <G^p, G>, and the derivative of the norm is a multiple of W G^p (below),
 * so the k squarings that give the bound give the gradient too. The order 4p, ||G^p||_F, would need
 * G^(2p-1), k more products.
 *
 * Rounding. All scaling is by powers of two: exact, but for entries 2^-1000 times the largest. A
 * computed product of c x c matrices is off by E with ||E||_F <= c u ||G||_F^2 <= c^2 u ||G||_2^2
 * (u = 2^-53, first order), the Gram matrix of n x c by at most n c u sigma_1^2, and the inner
 * product by c^2 u ||G^p||_F ||G||_F <= c^3 u sigma_1^2q. The error of squaring j enters tr G^q
 * with weight 2^(k-j), and the root divides by 2q, so the result is below the true Schatten norm by
 * a relative (n c + c^2 + c^3 / q) u / 2 at most. SLACK below is above that with the roots, the
 * quotient and the second order included for n c + 2 c^2 + c^3 / q <= 2^21; larger shapes add the
 * term itself.
 *
 * Gradient. The Schatten norm beta is smooth, so the loss is differentiated as it stands, not with
 * the bound held fixed: d beta / dW is proportional to X = W G^(q-1) = W G^p, and Euler's identity
 * <d beta / dW, W> = beta gives the factor. With D the gradient by W/(s beta):
 *
 *     gradient by W = (D - (<D, W> / <X, W>) X) / (s beta).
 *
 * As k grows, X becomes the product u v^T of the top singular vectors that Miyato et al. (2018) use
 * from power iteration. */
#include "dpr/spectral_norm.h"

#include "base/double_bits.h"

#include <math.h>
#include <string.h>

/* 2^-30 as P-10 has it, and the first-order bound for shapes where that might not do. */
static double slack(uint64_t long_side, uint64_t c, double q)
{
    double side = (double)c;
    return 1 + 0x1p-30 + side * ((double)long_side + 2 * side + side * side / q) * 0x1p-51;
}

uint64_t pdpr_i_spectral_workspace(uint64_t rows, uint64_t cols)
{
    uint64_t c = rows < cols ? rows : cols;
    return 2 * rows * cols + 3 * c * c; /* scaled W, X; G and two powers of it */
}

/* x[i] 2^exponent for all i, in two factors because one may be out of range. */
static void multiply_by_power(uint64_t count, double *x, int exponent)
{
    double half = ldexp(1, exponent / 2), rest = ldexp(1, exponent - exponent / 2);
    for (uint64_t i = 0; i < count; i++)
        x[i] = x[i] * half * rest;
}

/* Sums and maxima go by eight places side by side, joined in order at the end: the operations need
 * not wait for each other, and the result is one for every target. */
enum { SIDES = 8 };

/* |x| as bits, which are ordered as the sizes are; infinities and NaN above all. */
static inline uint64_t size_bits(double x)
{
    return pdpr_i_bits_of_double(x) & INT64_MAX;
}

static inline uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* out = w 2^-exponent with the largest |entry| in [1/2, 1). Returns false, and zeros, for a matrix
 * that is zero or not finite. */
static bool scale_to_one(uint64_t count, const double *w, double *out, int *exponent)
{
    uint64_t most[SIDES] = {0}, largest_bits = 0, i = 0;
    for (; i + SIDES <= count; i += SIDES)
        for (uint64_t k = 0; k < SIDES; k++)
            most[k] = larger(most[k], size_bits(w[i + k]));
    for (; i < count; i++)
        most[0] = larger(most[0], size_bits(w[i]));
    for (int k = 0; k < SIDES; k++)
        largest_bits = larger(largest_bits, most[k]);
    const double largest = pdpr_i_double_of_bits(largest_bits);
    *exponent = 0;
    if (!isfinite(largest) || largest == 0) {
        memset(out, 0, count * sizeof *out);
        return false;
    }
    frexp(largest, exponent);
    memcpy(out, w, count * sizeof *out);
    multiply_by_power(count, out, -*exponent);
    return true;
}

static double inner(uint64_t count, const double *x, const double *y)
{
    double sum[SIDES] = {0}, total = 0;
    uint64_t i = 0;
    for (; i + SIDES <= count; i += SIDES)
        for (uint64_t k = 0; k < SIDES; k++)
            sum[k] += x[i + k] * y[i + k];
    for (; i < count; i++)
        sum[i % SIDES] += x[i] * y[i];
    for (int k = 0; k < SIDES; k++)
        total += sum[k];
    return total;
}

/* Multiplies a positive semidefinite matrix [c][c] by the power of two that brings its trace, which
 * is within a factor c of its norm, into [1/2, 1); returns how many factors of two were taken out.
 * One between 2^-200 and 1 may stay as it is: its square is far from the ends of the doubles. */
static int rescale(uint64_t c, double *x)
{
    double trace = 0;
    int exponent;
    for (uint64_t i = 0; i < c; i++)
        trace += x[i * c + i];
    frexp(trace, &exponent);
    if (exponent > -200 && exponent <= 0)
        return 0;
    double factor = ldexp(1, -exponent);
    for (uint64_t i = 0; i < c * c; i++)
        x[i] *= factor;
    return exponent;
}

/* c = A B for a product known to be symmetric [n][n]: the blocks on and above the diagonal are
 * computed, the rest mirrored. A is read by its strides, as in pdpr_i_multiply. */
static void multiply_symmetric(pdpr_i_multiply multiply, uint64_t n, uint64_t k, const double *a,
                               uint64_t a_row, uint64_t a_col, const double *b, double *c)
{
    /* Rows: tiles of matrix_avx2.c, two of them, or as many as pay for its copy of b. */
    const uint64_t block = n < 256 ? 12 : 48;
    for (uint64_t i = 0; i < n; i += block) {
        uint64_t rows = n - i < block ? n - i : block;
        multiply(rows, n - i, k, a + i * a_row, a_row, a_col, b + i, n, c + i * n + i, n);
        pdpr_i_transpose(rows, n - i - rows, c + i * n + i + rows, n, c + (i + rows) * n + i, n);
    }
}

void pdpr_i_spectral_normalise(pdpr_i_multiply multiply, uint64_t rows, uint64_t cols,
                               uint32_t squarings, double s, const double *w, double *workspace,
                               double *out, double *direction, pdpr_i_spectral_norm *norm)
{
    bool wide = rows < cols; /* then W^T is worked on */
    uint64_t n = wide ? cols : rows, c = wide ? rows : cols, count = rows * cols;
    double *tall = workspace;     /* [n][c], scaled */
    double *chain = tall + count; /* [n][c] */
    double *gram = chain + count; /* [c][c], G up to a power of two */
    double *now = gram, *next = gram + c * c, *free_one = next + c * c;

    norm->bound = 0;
    if (!scale_to_one(count, w, out, &norm->exponent)) {
        if (direction)
            memset(direction, 0, count * sizeof *direction);
        return;
    }
    if (wide)
        pdpr_i_transpose(rows, cols, out, cols, tall, rows);
    else
        memcpy(tall, out, count * sizeof *tall);

    /* exponent: log2 of what was taken out of G^(2^j) so far; whole numbers, exact */
    multiply_symmetric(multiply, c, n, tall, 1, c, tall, gram);
    const double gram_exponent = rescale(c, gram), q = ldexp(1, (int)squarings) + 1;
    double exponent = gram_exponent;
    for (uint32_t j = 1; j <= squarings; j++) {
        multiply_symmetric(multiply, c, c, now, c, 1, now, next);
        exponent = 2 * exponent + rescale(c, next);
        double *before = now;
        now = next;
        next = before == gram ? free_one : before;
    }
    double log_trace = exponent + gram_exponent + log2(inner(c * c, now, gram));
    norm->bound = exp2(log_trace / (2 * q)) * slack(n, c, q);

    double factor = 1 / (s * norm->bound);
    for (uint64_t i = 0; i < count; i++)
        out[i] *= factor;
    if (!direction)
        return;
    multiply(n, c, c, tall, c, 1, now, c, wide ? chain : direction, c); /* W G^p */
    if (wide)
        pdpr_i_transpose(n, c, chain, c, direction, n);
}

void pdpr_i_spectral_gradient(uint64_t rows, uint64_t cols, double s, const double *normalised,
                              const double *direction, const pdpr_i_spectral_norm *norm,
                              double *gradient)
{
    uint64_t count = rows * cols;
    if (norm->bound == 0) {
        memset(gradient, 0, count * sizeof *gradient);
        return;
    }
    double share = inner(count, gradient, normalised) / inner(count, direction, normalised);
    double factor = 1 / (s * norm->bound);
    for (uint64_t i = 0; i < count; i++)
        gradient[i] = (gradient[i] - share * direction[i]) * factor;
    multiply_by_power(count, gradient, -norm->exponent);
}
