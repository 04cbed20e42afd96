/* Spectral normalisation with a certified bound (P-10): the Gram bound by repeated squaring.
 *
 * With G = W^T W on the smaller side c and p = 2^k,
 *
 *     ||W||_2 <= ||G^p||_F^(1/2p) = (sum of sigma_i^4p)^(1/4p) <= c^(1/4p) ||W||_2,
 *
 * that is, the bound is the Schatten norm of order 4p (Delattre et al. 2023 use it for
 * convolutions). Power iteration approaches ||W||_2 from below and certifies nothing.
 *
 * Rounding. All scaling is by powers of two: exact, but for entries 2^-1000 times the largest. A
 * computed product of c x c matrices is off by E with ||E||_F <= c u ||G||_F^2 <= c^2 u ||G||_2^2
 * (u = 2^-53, first order), and the Gram matrix of n x c by at most n c u sigma_1^2. As the
 * error of squaring j enters with weight 1/2^j, the result is below the true Schatten norm by a
 * relative (n c + 2 c^2) u / 2 at most. SLACK below is above that with the roots, the quotient and
 * the second order included for n c + 2 c^2 <= 2^21; larger shapes add the term itself.
 *
 * Gradient. The Schatten norm beta is smooth, so the loss is differentiated as it stands, not with
 * the bound held fixed: d beta / dW is proportional to X = W G^(2p-1), and Euler's identity
 * <d beta / dW, W> = beta gives the factor. With D the gradient by W/(s beta):
 *
 *     gradient by W = (D - (<D, W> / <X, W>) X) / (s beta).
 *
 * As k grows, X becomes the product u v^T of the top singular vectors that Miyato et al. (2018) use
 * from power iteration. G^(2p-1) is the product of all the squares on the way. */
#include "dpr/spectral_norm.h"

#include <math.h>
#include <string.h>

/* 2^-30 as P-10 has it, and the first-order bound for shapes where that might not do. */
static double slack(uint64_t long_side, uint64_t c)
{
    return 1 + 0x1p-30 + (double)(long_side * c + 2 * c * c) * 0x1p-51;
}

uint64_t pdpr_i_spectral_workspace(uint64_t rows, uint64_t cols, uint32_t squarings)
{
    uint64_t c = rows < cols ? rows : cols;
    return 2 * rows * cols + (squarings + 3) * c * c; /* scaled W, X; G_0..G_k and two products */
}

/* x[i] 2^exponent for all i, in two factors because one may be out of range. */
static void multiply_by_power(uint64_t count, double *x, int exponent)
{
    double half = ldexp(1, exponent / 2), rest = ldexp(1, exponent - exponent / 2);
    for (uint64_t i = 0; i < count; i++)
        x[i] = x[i] * half * rest;
}

/* out = w 2^-exponent with the largest |entry| in [1/2, 1). Returns false, and zeros, for a matrix
 * that is zero or not finite. */
static bool scale_to_one(uint64_t count, const double *w, double *out, int *exponent)
{
    double largest = 0;
    bool finite = true;
    for (uint64_t i = 0; i < count; i++) {
        finite = finite && isfinite(w[i]);
        largest = fmax(largest, fabs(w[i]));
    }
    *exponent = 0;
    if (!finite || largest == 0) {
        memset(out, 0, count * sizeof *out);
        return false;
    }
    frexp(largest, exponent);
    memcpy(out, w, count * sizeof *out);
    multiply_by_power(count, out, -*exponent);
    return true;
}

static double frobenius(uint64_t count, const double *x)
{
    double sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static double inner(uint64_t count, const double *x, const double *y)
{
    double sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Multiplies by the power of two that brings the Frobenius norm into [1/2, 1); returns how many
 * factors of two were taken out. */
static int rescale(uint64_t count, double *x)
{
    int exponent;
    frexp(frobenius(count, x), &exponent);
    double factor = ldexp(1, -exponent);
    for (uint64_t i = 0; i < count; i++)
        x[i] *= factor;
    return exponent;
}

/* c = A B for a product known to be symmetric [n][n]: the blocks on and above the diagonal are
 * computed, the rest mirrored. A is read by its strides, as in pdpr_i_multiply. */
static void multiply_symmetric(pdpr_i_multiply multiply, uint64_t n, uint64_t k, const double *a,
                               uint64_t a_row, uint64_t a_col, const double *b, double *c)
{
    enum { BLOCK = 16 };
    for (uint64_t i = 0; i < n; i += BLOCK) {
        uint64_t rows = n - i < BLOCK ? n - i : BLOCK;
        multiply(rows, n - i, k, a + i * a_row, a_row, a_col, b + i, n, c + i * n + i, n);
    }
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = 0; j < i; j++)
            c[i * n + j] = c[j * n + i];
}

void pdpr_i_spectral_normalise(pdpr_i_multiply multiply, uint64_t rows, uint64_t cols,
                               uint32_t squarings, double s, const double *w, double *workspace,
                               double *out, double *direction, pdpr_i_spectral_norm *norm)
{
    bool wide = rows < cols; /* then W^T is worked on */
    uint64_t n = wide ? cols : rows, c = wide ? rows : cols, count = rows * cols;
    double *tall = workspace;      /* [n][c], scaled */
    double *chain = tall + count;  /* [n][c] */
    double *power = chain + count; /* [squarings + 1][c][c], G^(2^j) up to a power of two */
    double *product = power + (squarings + 1) * c * c; /* [c][c], twice */

    norm->bound = 0;
    if (!scale_to_one(count, w, out, &norm->exponent)) {
        if (direction)
            memset(direction, 0, count * sizeof *direction);
        return;
    }
    if (wide)
        pdpr_i_transpose(rows, cols, out, tall);
    else
        memcpy(tall, out, count * sizeof *tall);

    /* log2 ||G^p||_F / p, the powers of two taken out counted with their weight */
    multiply_symmetric(multiply, c, n, tall, 1, c, tall, power);
    double log_norm = rescale(c * c, power), weight = 1;
    for (uint32_t j = 1; j <= squarings; j++) {
        double *before = power + (j - 1) * c * c, *now = power + j * c * c;
        multiply_symmetric(multiply, c, c, before, c, 1, before, now);
        weight /= 2;
        log_norm += weight * rescale(c * c, now);
    }
    log_norm += weight * log2(frobenius(c * c, power + squarings * c * c));
    norm->bound = exp2(log_norm / 2) * slack(n, c);

    double divisor = s * norm->bound;
    for (uint64_t i = 0; i < count; i++)
        out[i] /= divisor;
    if (!direction)
        return;

    double *now = power, *next = product;
    for (uint32_t j = 1; j <= squarings; j++) { /* G^(1 + 2 + 4 + … + p) = G^(2p-1) */
        multiply_symmetric(multiply, c, c, now, c, 1, power + j * c * c, next);
        rescale(c * c, next);
        double *free_one = now == power ? product + c * c : now;
        now = next;
        next = free_one;
    }
    multiply(n, c, c, tall, c, 1, now, c, chain, c);
    if (wide)
        pdpr_i_transpose(n, c, chain, direction);
    else
        memcpy(direction, chain, count * sizeof *direction);
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
    double divisor = s * norm->bound;
    for (uint64_t i = 0; i < count; i++)
        gradient[i] = (gradient[i] - share * direction[i]) / divisor;
    multiply_by_power(count, gradient, -norm->exponent);
}
