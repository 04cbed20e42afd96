/* Box noise: its law against an enumeration, the privacy of that law, its width, its ranges. */
#include "support/noise_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/box_noise.h"

typedef struct {
    pdpr_i_ratio epsilon;
    uint32_t count;
    uint64_t sensitivity[3];
    uint64_t levels; /* expected */
} setting;

static const setting settings[] = {
    {{1, 2}, 1, {1}, 1},    {{3, 4}, 1, {5}, 1},       {{5, 2}, 1, {2}, 3},
    {{2, 3}, 2, {1, 3}, 1}, {{5, 2}, 2, {1, 4}, 3},    {{7, 1}, 2, {1, 1}, 7},
    {{1, 1}, 2, {2, 2}, 1}, {{9, 4}, 3, {1, 2, 4}, 3}, {{5, 4}, 3, {1, 1, 2}, 2},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static pdpr_i_box box_of(const setting *s)
{
    pdpr_i_box box;
    assert_ok(pdpr_i_box_init(&box, s->epsilon, s->sensitivity, s->count, NULL));
    assert_int_equal(box.levels, s->levels);
    return box;
}

/* The least level whose box holds z, found by looking at one after the other: by the formula, and
 * by the sides that are drawn from. */
static uint64_t level_of(const setting *s, const int64_t *z)
{
    pdpr_i_box box = {.levels = s->levels};
    memcpy(box.sensitivity, s->sensitivity, sizeof s->sensitivity);
    for (uint64_t level = 0;; level++) {
        bool inside = true, drawn = true;
        for (uint32_t i = 0; i < s->count; i++) {
            inside &= (uint64_t)llabs(z[i]) * s->levels <= level * s->sensitivity[i];
            drawn &= (uint64_t)llabs(z[i]) <= pdpr_i_box_side(&box, i, level);
        }
        assert_int_equal(inside, drawn);
        if (inside)
            return level;
    }
}

static double rate_of(const setting *s)
{
    return (double)s->epsilon.num / (double)s->epsilon.den / (double)s->levels;
}

/* A window of integers, `half` to each side in every coordinate, counted through by one number. */
enum { MOST_CELLS = 30000 };

static int window(const setting *s, int half)
{
    int cells = 1;
    for (uint32_t i = 0; i < s->count; i++)
        cells *= 2 * half + 1;
    assert_true(cells < MOST_CELLS);
    return cells;
}

static void point_of(const setting *s, int half, int cell, int64_t *z)
{
    for (uint32_t i = 0; i < s->count; i++, cell /= 2 * half + 1)
        z[i] = cell % (2 * half + 1) - half;
}

static int cell_of(const setting *s, int half, const int64_t *z)
{
    int cell = 0;
    for (int i = (int)s->count - 1; i >= 0; i--) {
        if (llabs(z[i]) > half)
            return -1;
        cell = cell * (2 * half + 1) + (int)z[i] + half;
    }
    return cell;
}

/* The sum of exp(-rate level) over all integers, shell by shell. */
static double total_of(const setting *s)
{
    double sum = 0, before = 0;
    for (uint64_t level = 0; level < 2000; level++) {
        double points = 1;
        for (uint32_t i = 0; i < s->count; i++)
            points *= 2 * (double)(level * s->sensitivity[i] / s->levels) + 1;
        sum += (points - before) * exp(-rate_of(s) * (double)level);
        before = points;
    }
    return sum;
}

/* Joint law: cells of enough weight one by one, the rest together. */
static void noise_follows_the_law(void **state)
{
    (void)state;
    enum { DRAWS = 200000, CELLS = 400 };
    static double all[MOST_CELLS];
    static int place[MOST_CELLS];
    for (int k = 0; k < SETTINGS; k++) {
        const setting *s = &settings[k];
        int half = s->count == 1 ? 40 : s->count == 2 ? 30 : 12, cells = 1, window_cells;
        double expected[CELLS] = {1}, total = total_of(s);
        uint64_t seen[CELLS] = {0};
        int64_t z[3];
        window_cells = window(s, half);
        for (int c = 0; c < window_cells; c++) {
            point_of(s, half, c, z);
            all[c] = exp(-rate_of(s) * (double)level_of(s, z)) / total;
            place[c] = all[c] * DRAWS > 30 && cells < CELLS ? cells++ : 0;
            if (place[c] > 0) {
                expected[place[c]] = all[c];
                expected[0] -= all[c];
            }
        }
        pdpr_i_box box = box_of(s);
        pdpr_i_stream stream = noise_stream(60, (uint64_t)k);
        for (int i = 0; i < DRAWS; i++) {
            pdpr_i_box_draw(&box, &stream, z);
            int c = cell_of(s, half, z);
            seen[c < 0 ? 0 : place[c]]++;
        }
        int used = expected[0] * DRAWS > 10 ? cells : cells - 1, from = cells - used;
        assert_true(used > 3);
        assert_true(chi_square(seen + from, expected + from, used, DRAWS) <
                    chi_square_limit(used - 1));
    }
}

/* For every point and every change that neighbours may make: at most a factor of e^epsilon, and
 * that is reached. */
static void law_keeps_its_epsilon(void **state)
{
    (void)state;
    for (int k = 0; k < SETTINGS; k++) {
        const setting *s = &settings[k];
        int half = s->count == 3 ? 5 : 9, points = window(s, half), changes = 1;
        uint64_t most = 0;
        for (uint32_t i = 0; i < s->count; i++)
            changes *= 2 * (int)s->sensitivity[i] + 1;
        for (int p = 0; p < points; p++)
            for (int c = 0; c < changes; c++) {
                int64_t z[3], moved[3];
                int rest = c;
                point_of(s, half, p, z);
                for (uint32_t i = 0; i < s->count; i++) {
                    int steps = 2 * (int)s->sensitivity[i] + 1;
                    moved[i] = z[i] + rest % steps - (int)s->sensitivity[i];
                    rest /= steps;
                }
                uint64_t a = level_of(s, z), b = level_of(s, moved);
                uint64_t apart = a > b ? a - b : b - a;
                assert_true(apart <= s->levels);
                most = apart > most ? apart : most;
            }
        assert_int_equal(most, s->levels);
    }
}

/* One query of sensitivity 1: discrete Laplace noise, nothing else. */
static void one_small_query_has_laplace_noise(void **state)
{
    (void)state;
    const setting *s = &settings[0];
    double total = total_of(s), r = exp(-0.5);
    for (int64_t z = -5; z <= 5; z++)
        assert_close(exp(-rate_of(s) * (double)level_of(s, &z)) / total,
                     (1 - r) / (1 + r) * pow(r, (double)llabs(z)), 1e-12);
}

/* What the fit is told of the noise, against the enumerated law. */
static void widths_are_those_of_the_law(void **state)
{
    (void)state;
    for (int k = 0; k < SETTINGS; k++) {
        const setting *s = &settings[k];
        pdpr_i_box box = box_of(s);
        for (uint32_t i = 0; i < s->count; i++) {
            /* P(Z_i = z) through the shells: within the box of a level all points are alike */
            double variance = 0, beyond = 1, weights = 0, at[200] = {0};
            for (uint64_t level = 0; level < 1000; level++) {
                double points = 1, side = (double)(level * s->sensitivity[i] / s->levels);
                for (uint32_t j = 0; j < s->count; j++)
                    points *= 2 * (double)(level * s->sensitivity[j] / s->levels) + 1;
                double weight = points * exp(-rate_of(s) * (double)level);
                weights += weight;
                for (int z = 0; z <= side && z < 200; z++)
                    at[z] += weight / (2 * side + 1);
            }
            int width = -1;
            for (int z = 0; z < 200; z++) {
                variance += (z ? 2 : 1) * at[z] / weights * z * z;
                beyond -= (z ? 2 : 1) * at[z] / weights;
                if (width < 0 && beyond <= 0.05)
                    width = z;
            }
            assert_close(pdpr_i_box_deviation(&box, i), sqrt(variance), 1e-6 * sqrt(variance));
            assert_close(pdpr_i_box_half_width(&box, i, 0.05), width, 1e-9);
        }
    }
}

/* Wide noise: the deviation of the theory, found by drawing too, and how much is gained. */
static void wide_noise_has_the_deviation_of_the_theory(void **state)
{
    (void)state;
    enum { DRAWS = 20000 };
    const uint64_t sensitivity[PDPR_I_BOX_MOST] = {1000, 1, 77, 12345, 1 << 20, 6, 500, 31};
    for (uint32_t count = 1; count <= PDPR_I_BOX_MOST; count++) {
        pdpr_i_box box;
        pdpr_i_stream stream = noise_stream(61, count);
        const double scale = 1000; /* epsilon = 1/1000 */
        assert_ok(pdpr_i_box_init(&box, (pdpr_i_ratio){1, 1000}, sensitivity, count, NULL));
        double squares[PDPR_I_BOX_MOST] = {0}, sums[PDPR_I_BOX_MOST] = {0};
        double theory = sqrt((count + 1.0) * (count + 2.0) / 3);
        assert_close(pdpr_i_box_widening(count), theory / sqrt(2), 1e-12);
        for (int i = 0; i < DRAWS; i++) {
            int64_t z[PDPR_I_BOX_MOST];
            pdpr_i_box_draw(&box, &stream, z);
            for (uint32_t j = 0; j < count; j++) {
                double x = (double)z[j] / scale / (double)sensitivity[j] / theory;
                squares[j] += x * x / DRAWS;
                sums[j] += x / DRAWS;
            }
        }
        for (uint32_t j = 0; j < count; j++) {
            /* the fourth moment of a standardised coordinate is at most that of Laplace noise, 6 */
            assert_true(fabs(squares[j] - 1) < 5 * sqrt(5.0 / DRAWS) + 0.002);
            assert_true(fabs(sums[j]) < 5 / sqrt(DRAWS));
            double wanted = theory * scale * (double)sensitivity[j];
            assert_close(pdpr_i_box_deviation(&box, j), wanted, 2e-3 * wanted);
        }
    }
    assert_close(pdpr_i_box_widening(1), 1, 1e-15);
    assert_close(pdpr_i_box_widening(3) / 3, 0.6086, 1e-4); /* against a third of epsilon each */
}

/* How many words a draw takes must not tell what was drawn. */
static void words_taken_tell_nothing(void **state)
{
    (void)state;
    enum { DRAWS = 20000 };
    static int64_t size[DRAWS], words[DRAWS];
    pdpr_i_box box = box_of(&settings[7]);
    for (uint64_t i = 0; i < DRAWS; i++) {
        pdpr_i_stream s = noise_stream(62, i);
        int64_t z[3];
        pdpr_i_box_draw(&box, &s, z);
        size[i] = llabs(z[2]);
        words[i] = (int64_t)(s.next_block * 64 + s.used);
    }
    assert_true(fabs(correlation(size, words, DRAWS)) < 5 / sqrt(DRAWS));
}

/* What is left out of a geometric variable is below exp(-125): 2^bits rate >= 125, and no more
 * digits than that takes. In integers. */
static void tail_is_cut_where_the_proof_says(void **state)
{
    (void)state;
    const pdpr_i_ratio epsilons[] = {{1, 2}, {5, 2}, {1, 1}, {1, 1000}, {1, 1 << 20}, {50, 1}};
    const uint64_t one = 1;
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        pdpr_i_box box;
        assert_ok(pdpr_i_box_init(&box, epsilons[i], &one, 1, NULL));
        uint64_t steps = epsilons[i].num << box.geometric.bits;
        uint64_t needed = 125 * epsilons[i].den * box.levels;
        assert_true(steps >= needed && steps < 2 * needed);
    }
}

/* The widest noise there is; doubles cannot count its steps. */
static void widths_of_the_widest_noise_are_found(void **state)
{
    (void)state;
    pdpr_i_box box;
    uint64_t sensitivity[PDPR_I_BOX_MOST];
    for (int i = 0; i < PDPR_I_BOX_MOST; i++)
        sensitivity[i] = 1 << 30;
    assert_ok(
        pdpr_i_box_init(&box, (pdpr_i_ratio){1, 1 << 20}, sensitivity, PDPR_I_BOX_MOST, NULL));
    double deviation = pdpr_i_box_deviation(&box, 7);
    assert_close(deviation, sqrt(30) * 0x1p50, 1e-3 * deviation);
    double width = pdpr_i_box_half_width(&box, 7, 0.05);
    assert_true(width > 1.5 * deviation && width < 2.2 * deviation);
}

static void settings_out_of_range_are_refused(void **state)
{
    (void)state;
    pdpr_i_box box;
    pdpr_error err;
    const uint64_t big = UINT64_C(1) << 32, good[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const uint64_t none[1] = {0}, large[2] = {1, (1 << 30) + 1}, largest[1] = {1 << 30};
    const struct {
        pdpr_i_ratio epsilon;
        const uint64_t *sensitivity;
        uint32_t count;
    } wrong[] = {{{1, 1}, good, 0},
                 {{1, 1}, good, 9},
                 {{1, 1}, none, 1},
                 {{1, 1}, large, 2},
                 {{0, 1}, good, 1},
                 {{1, 0}, good, 1},
                 {{big + 1, big}, good, 1},
                 {{1, big}, good, 1},
                 {{1, big + 1}, good, 1},
                 {{1025, 1}, good, 1},
                 {{1, (1 << 20) + 1}, good, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(
            pdpr_i_box_init(&box, wrong[i].epsilon, wrong[i].sensitivity, wrong[i].count, &err),
            PDPR_EUSAGE);
    assert_string_equal(err.text, "box noise: expected 1 to 8 sensitivities in 1..2^30 and an "
                                  "epsilon in 2^-20..2^10, found 1 of them and 1/1048577");
    assert_ok(pdpr_i_box_init(&box, (pdpr_i_ratio){1024, 1}, good, 8, &err));
    assert_int_equal(box.levels, 1024);
    assert_ok(pdpr_i_box_init(&box, (pdpr_i_ratio){1, 1 << 20}, largest, 1, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_follows_the_law),
        cmocka_unit_test(law_keeps_its_epsilon),
        cmocka_unit_test(one_small_query_has_laplace_noise),
        cmocka_unit_test(widths_are_those_of_the_law),
        cmocka_unit_test(wide_noise_has_the_deviation_of_the_theory),
        cmocka_unit_test(words_taken_tell_nothing),
        cmocka_unit_test(tail_is_cut_where_the_proof_says),
        cmocka_unit_test(widths_of_the_widest_noise_are_found),
        cmocka_unit_test(settings_out_of_range_are_refused),
    };
    return cmocka_run_group_tests_name("box noise", tests, NULL, NULL);
}
