/* What a release says of its own numbers: value, noise scale, 95 % interval.
 *
 * Stored as header "numbers", a list of objects with the keys of pdpr_released_number; what a
 * number does not have is null. Written by the methods that measure, read by whoever has the file.
 */
#include "method/blueprint_part.h"

#include <math.h>

static json_t *real_or_null(double x)
{
    return isnan(x) ? json_null() : json_real(x);
}

static json_t *number_json(const pdpr_released_number *x)
{
    return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o}", "name", x->name, "values",
                     (json_int_t)x->values, "value", real_or_null(x->value), "scale",
                     real_or_null(x->scale), "half_width", real_or_null(x->half_width), "low",
                     real_or_null(x->low), "high", real_or_null(x->high));
}

pdpr_status pdpr_i_bp_uncertainty_store(const pdpr_i_bp_plan *plan,
                                        const pdpr_i_bp_numbers *numbers, pdpr_release *release,
                                        pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_released_number number[PDPR_I_BP_QUERIES];
    uint32_t count = 0;
    json_t *list = json_array();

    PDPR_TRY(pdpr_i_bp_uncertainty(plan, numbers, number, &count, err));
    bool good = list != NULL;
    for (uint32_t i = 0; good && i < count; i++)
        good = json_array_append_new(list, number_json(&number[i])) == 0;
    if (!good || json_object_set(release->file.header, "numbers", list) != 0)
        s = pdpr_i_fail(err, PDPR_ENOMEM, "release header: out of memory");
done:
    json_decref(list);
    return s;
}

uint32_t pdpr_release_num_numbers(const pdpr_release *release)
{
    return (uint32_t)json_array_size(json_object_get(release->file.header, "numbers"));
}

static bool read_real(json_t *row, const char *key, double *out)
{
    json_t *x = json_object_get(row, key);
    *out = json_is_number(x) ? json_number_value(x) : NAN;
    return json_is_number(x) || json_is_null(x);
}

pdpr_status pdpr_release_number(const pdpr_release *release, uint32_t i, pdpr_released_number *out,
                                pdpr_error *err)
{
    json_t *list = json_object_get(release->file.header, "numbers");
    if (i >= json_array_size(list))
        return pdpr_i_fail(err, PDPR_EUSAGE, "release: expected a number below %zu, found %" PRIu32,
                           json_array_size(list), i);
    json_t *row = json_array_get(list, i);
    json_int_t values = json_integer_value(json_object_get(row, "values"));
    pdpr_released_number x = {.name = json_string_value(json_object_get(row, "name")),
                              .values = (uint64_t)values};
    if (!x.name || values < 1 || !read_real(row, "value", &x.value) ||
        !read_real(row, "scale", &x.scale) || !read_real(row, "half_width", &x.half_width) ||
        !read_real(row, "low", &x.low) || !read_real(row, "high", &x.high))
        return pdpr_i_fail(err, PDPR_EINPUT, "release: number %" PRIu32 " is not in order", i);
    *out = x;
    return PDPR_OK;
}
