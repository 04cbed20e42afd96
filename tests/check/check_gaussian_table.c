/* The table of the rounded Gaussian: made here, and proved here.
 *
 * `check_gaussian_table --write > src/dp/gaussian_table.c` writes the table. Without arguments the
 * program is a test: it works every number out again with MPFR and compares the bits, and it
 * bounds, for each of the 640 segments and for every p in it (no sampling), the sum of all errors
 * of the kernel by the guard of its octave. The terms are those of docs/proofs/rounded_gaussian.md,
 * Lemma 2.
 */
#include "support/support.h"

#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

#include "dp/gaussian_rounded.h"
#include "dp/gaussian_table.h"

enum {
    SEGMENT_BITS = PDPR_I_GAUSSIAN_SEGMENT_BITS,
    PER_OCTAVE = 1 << SEGMENT_BITS,
    OCTAVES = PDPR_I_GAUSSIAN_OCTAVES,
    DEGREE = PDPR_I_GAUSSIAN_TERMS - 1
};
enum { PRECISION = 240, CERTIFIED = 120 };
#define UNIT 0x1p-53 /* rounding of one operation, relative */

/* P_n with Q^-1 having the n-th derivative (-1)^n P_n(x) / phi(x)^n: P_1 = 1,
 * P_(n+1) = P_n' + n x P_n. Coefficients are whole and not negative. */
static uint64_t derivative[DEGREE + 2][DEGREE + 2];

static void make_derivatives(void)
{
    memset(derivative, 0, sizeof derivative);
    derivative[1][0] = 1;
    for (uint64_t n = 1; n <= DEGREE; n++)
        for (uint64_t i = 0; i < n; i++) {
            if (i > 0)
                derivative[n + 1][i - 1] += i * derivative[n][i];
            derivative[n + 1][i + 1] += n * derivative[n][i];
        }
}

static void tail_probability(mpfr_t out, const mpfr_t x)
{
    mpfr_t root;
    mpfr_init2(root, PRECISION);
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_div(root, x, root, MPFR_RNDN);
    mpfr_erfc(out, root, MPFR_RNDN);
    mpfr_div_2ui(out, out, 1, MPFR_RNDN);
    mpfr_clear(root);
}

static void density(mpfr_t out, const mpfr_t x)
{
    mpfr_t root;
    mpfr_init2(root, PRECISION);
    mpfr_const_pi(root, MPFR_RNDN);
    mpfr_mul_2ui(root, root, 1, MPFR_RNDN);
    mpfr_sqrt(root, root, MPFR_RNDN);
    mpfr_sqr(out, x, MPFR_RNDN);
    mpfr_div_si(out, out, -2, MPFR_RNDN);
    mpfr_exp(out, out, MPFR_RNDN);
    mpfr_div(out, out, root, MPFR_RNDN);
    mpfr_clear(root);
}

/* Q^-1(p) within 2^-CERTIFIED: Newton, then the sign of Q - p on both sides of the answer. */
static void quantile(mpfr_t x, const mpfr_t p)
{
    mpfr_t q, d, step;
    mpfr_inits2(PRECISION, q, d, step, (mpfr_ptr)NULL);
    double pd = mpfr_get_d(p, MPFR_RNDN), xd = sqrt(fmax(0, -2 * log(2 * pd)));
    for (int i = 0; i < 10; i++) {
        double qd = 0.5 * erfc(xd * sqrt(0.5));
        xd += log(qd / pd) * qd / (exp(-0.5 * xd * xd) * 0.3989422804014327);
    }
    mpfr_set_d(x, xd, MPFR_RNDN);
    for (int i = 0; i < 3; i++) {
        tail_probability(q, x);
        density(d, x);
        mpfr_sub(q, q, p, MPFR_RNDN);
        mpfr_div(q, q, d, MPFR_RNDN);
        mpfr_add(x, x, q, MPFR_RNDN);
    }
    for (int side = -1; side <= 1; side += 2) {
        mpfr_set_si_2exp(step, side, -CERTIFIED, MPFR_RNDN);
        mpfr_add(step, step, x, MPFR_RNDN);
        tail_probability(q, step);
        assert_int_equal(mpfr_cmp(q, p) > 0, side < 0);
    }
    mpfr_clears(q, d, step, (mpfr_ptr)NULL);
}

/* |n-th Taylor coefficient| of Q^-1 around the point with value x, for steps of h. */
static void coefficient(mpfr_t out, int n, const mpfr_t x, const mpfr_t h)
{
    mpfr_t d;
    mpfr_init2(d, PRECISION);
    density(d, x);
    mpfr_set_ui(out, 0, MPFR_RNDN);
    for (int i = n - 1; i >= 0; i--) {
        mpfr_mul(out, out, x, MPFR_RNDN);
        mpfr_add_ui(out, out, derivative[n][i], MPFR_RNDN);
    }
    for (int i = 1; i <= n; i++) {
        mpfr_mul(out, out, h, MPFR_RNDN);
        mpfr_div(out, out, d, MPFR_RNDN);
        mpfr_div_ui(out, out, (unsigned long)i, MPFR_RNDN);
    }
    mpfr_clear(d);
}

typedef struct {
    double c[DEGREE + 1];
    double error; /* bound on what the kernel's x may be off by, in this segment */
} segment;

/* Segment j of octave o, both counted down from p = 1/2. p of the place t in [-1,1] is
 * 2^-(o+2) * (1 + (PER_OCTAVE - 1 - j + (1 + t) / 2) / PER_OCTAVE). */
static segment make_segment(int octave, int j)
{
    segment s;
    mpfr_t p, h, x, a;
    mpfr_inits2(PRECISION, p, h, x, a, (mpfr_ptr)NULL);
    long below = PER_OCTAVE - 1 - j; /* segments between this and the octave's lower end */
    long exponent = -(octave + 2) - SEGMENT_BITS - 1;
    mpfr_set_si_2exp(p, 2 * (PER_OCTAVE + below) + 1, exponent, MPFR_RNDN);
    mpfr_set_si_2exp(h, 1, exponent, MPFR_RNDN);
    quantile(x, p);
    for (int n = 0; n <= DEGREE; n++) {
        if (n == 0)
            mpfr_set(a, x, MPFR_RNDN);
        else
            coefficient(a, n, x, h);
        s.c[n] = mpfr_get_d(a, MPFR_RNDN) * (n % 2 ? -1 : 1);
    }

    /* Remainder: derivatives grow with x, so the far end bounds them on the whole segment. */
    mpfr_sub(p, p, h, MPFR_RNDN);
    quantile(x, p);
    coefficient(a, DEGREE + 1, x, h);
    s.error = mpfr_get_d(a, MPFR_RNDU);
    /* p not known better than its 53 bits and 2^-64; Mills' ratio Q/phi is at most sqrt(pi/2). */
    s.error += 1.2534 * (UNIT + ldexp(1, octave + 2 - 64));
    /* Rounding of the coefficients (once each) and of Horner's rule (2n + 1 times for c[n]). */
    for (int n = 0; n <= DEGREE; n++)
        s.error += (2 * n + 2) * UNIT * fabs(s.c[n]);
    /* Rounding of sigma * x, relative to sigma. */
    s.error += UNIT * mpfr_get_d(x, MPFR_RNDU);
    s.error *= 1.001; /* products of errors, and the roundings of this sum */
    mpfr_clears(p, h, x, a, (mpfr_ptr)NULL);
    return s;
}

/* A short number at least 1.1 times the largest error of the octave. */
static double make_guard(double worst)
{
    int exponent;
    double mantissa = frexp(worst * 1.1, &exponent);
    return ldexp(ceil(mantissa * 32) / 32, exponent);
}

static int write_table(void)
{
    double guard[OCTAVES] = {0};
    printf(
        "/* Coefficients and guards of gaussian_table.h. Made by `check_gaussian_table --write`\n"
        " * and proved by the test of that name: not to be edited. */\n"
        "#include \"dp/gaussian_table.h\"\n\n"
        "/* clang-format off */\n"
        "__attribute__((aligned(64))) const double\n"
        "    pdpr_i_gaussian_table[PDPR_I_GAUSSIAN_SEGMENTS][PDPR_I_GAUSSIAN_TERMS] = {\n");
    for (int o = 0; o < OCTAVES; o++)
        for (int j = 0; j < PER_OCTAVE; j++) {
            segment s = make_segment(o, j);
            printf("{");
            for (int n = 0; n <= DEGREE; n++)
                printf("%a%s", s.c[n], n < DEGREE ? "," : "},\n");
            guard[o] = fmax(guard[o], s.error);
        }
    printf("};\n\nconst double pdpr_i_gaussian_guard[PDPR_I_GAUSSIAN_OCTAVES] = {\n");
    for (int o = 0; o < OCTAVES; o++)
        printf("%a%s", make_guard(guard[o]), o % 5 == 4 ? ",\n" : ", ");
    printf("};\n/* clang-format on */\n");
    return 0;
}

static void table_coefficients_are_correctly_rounded(void **state)
{
    (void)state;
    for (int o = 0; o < OCTAVES; o++)
        for (int j = 0; j < PER_OCTAVE; j++) {
            segment s = make_segment(o, j);
            assert_memory_equal(s.c, pdpr_i_gaussian_table[o * PER_OCTAVE + j], sizeof s.c);
        }
}

static void guard_covers_every_error_of_its_octave(void **state)
{
    (void)state;
    for (int o = 0; o < OCTAVES; o++) {
        double worst = 0;
        for (int j = 0; j < PER_OCTAVE; j++)
            worst = fmax(worst, make_segment(o, j).error);
        assert_true(pdpr_i_gaussian_guard[o] >= 1.05 * worst);
        assert_true(pdpr_i_gaussian_guard[o] <= 1.25 * worst); /* and wastes no time either */
    }
}

/* The quick pass: six terms, tail numbers without their last eleven bits, and what the full kernel
 * can be wrong by, up to the octave that reaches its tail; beyond, every value is in the tail. */
static void quick_guard_covers_what_the_quick_pass_leaves_out(void **state)
{
    (void)state;
    enum { USED = 6 };
    double worst = 0;
    int last = -1; /* octave with a value below the tail */
    for (int row = 0; row < OCTAVES * PER_OCTAVE; row++) {
        const double *c = pdpr_i_gaussian_table[row];
        int octave = row / PER_OCTAVE;
        double least = c[0], left_out = 0;
        for (int n = 1; n < USED; n++)
            least -= fabs(c[n]);
        for (int n = USED; n <= DEGREE; n++)
            left_out += fabs(c[n]);
        if (least - 1e-9 >= PDPR_I_GAUSSIAN_QUICK_TAIL)
            continue;
        last = octave;
        worst = fmax(worst,
                     left_out + pdpr_i_gaussian_guard[octave] + 1.2534 * ldexp(1, octave + 2 - 53));
    }
    assert_int_equal(last, 8);
    assert_true(PDPR_I_GAUSSIAN_QUICK_GUARD >= 1.05 * worst);
    assert_true(PDPR_I_GAUSSIAN_QUICK_GUARD <= 1.25 * worst);
}

int main(int argc, char **argv)
{
    make_derivatives();
    if (argc > 1 && strcmp(argv[1], "--write") == 0)
        return write_table();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_coefficients_are_correctly_rounded),
        cmocka_unit_test(guard_covers_every_error_of_its_octave),
        cmocka_unit_test(quick_guard_covers_what_the_quick_pass_leaves_out),
    };
    return cmocka_run_group_tests_name("gaussian table", tests, NULL, NULL);
}
