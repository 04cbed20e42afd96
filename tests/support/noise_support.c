/* What the tests of the trusted core share. */
#include "support/noise_support.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

pdpr_status noise_reserve(void *user, const pdpr_i_charge *charges, uint32_t count, pdpr_error *err)
{
    (void)user, (void)charges, (void)count, (void)err;
    return PDPR_OK;
}

pdpr_i_meter *noise_meter(pdpr_context *ctx, const pdpr_i_charge *charges, uint32_t count,
                          uint64_t seed)
{
    pdpr_i_meter *meter = NULL;
    pdpr_i_noise_key *key = NULL;
    assert_ok(pdpr_i_meter_new(ctx, charges, count, &meter, NULL));
    assert_ok(pdpr_i_noise_key_from_seed(ctx, seed, &key, NULL));
    assert_ok(pdpr_i_meter_open(meter, &key, noise_reserve, NULL, NULL));
    assert_null(key);
    return meter;
}

pdpr_i_charge noise_gaussian_charge(const char *label, double mu_step, uint32_t steps)
{
    return (pdpr_i_charge){
        .label = label, .kind = PDPR_I_CHARGE_GAUSSIAN, .mu_step = mu_step, .steps = steps};
}

pdpr_i_charge noise_pure_charge(const char *label, uint64_t num, uint64_t den)
{
    return (pdpr_i_charge){
        .label = label, .kind = PDPR_I_CHARGE_PURE, .epsilon = {num, den}, .steps = 1};
}

void noise_wipe_as_fork_does(const pdpr_i_noise_key *key)
{
    const pdpr_i_key *root = NULL;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    assert_ok(pdpr_i_noise_key_root(key, &root, NULL));
    memset((void *)((uintptr_t)root / page * page), 0, page);
}

pdpr_i_stream noise_stream(uint64_t seed, uint64_t index)
{
    pdpr_i_key key;
    pdpr_i_stream stream;
    pdpr_i_key_from_seed(seed, &key);
    pdpr_i_stream_init(&stream, &key, PDPR_I_PURPOSE_TEST, index);
    return stream;
}

pdpr_i_stream noise_scripted(const uint64_t *words, int count)
{
    pdpr_i_stream s = noise_stream(1, 0);
    for (int i = 0; i < count; i++)
        for (int b = 0; b < 8; b++)
            s.buffer[8 * i + b] = (unsigned char)(words[i] >> 8 * b);
    s.used = 0;
    return s;
}

double normal_cdf(double x)
{
    return 0.5 * erfc(-x * sqrt(0.5));
}

double chi_square_limit(int degrees)
{
    double z = 4.753424, k = 2.0 / (9.0 * degrees);
    return degrees * pow(1 - k + z * sqrt(k), 3);
}

double chi_square(const uint64_t *seen, const double *expected, int cells, double total)
{
    double sum = 0;
    for (int i = 0; i < cells; i++) {
        double mean = expected[i] * total;
        sum += ((double)seen[i] - mean) * ((double)seen[i] - mean) / mean;
    }
    return sum;
}

double correlation(const int64_t *a, const int64_t *b, uint64_t count)
{
    double sa = 0, sb = 0, aa = 0, bb = 0, ab = 0, n = (double)count;
    for (uint64_t i = 0; i < count; i++) {
        double x = (double)a[i], y = (double)b[i];
        sa += x;
        sb += y;
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    return (ab - sa * sb / n) / sqrt((aa - sa * sa / n) * (bb - sb * sb / n));
}
