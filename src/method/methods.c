/* The table of methods. Adding one is a folder or file of its own and a row here. */
#include "method/method.h"

#include <math.h>
#include <string.h>

static const pdpr_i_method *const rows[] = {&pdpr_i_method_blueprint, &pdpr_i_method_privdpr,
                                            &pdpr_i_method_dpr, &pdpr_i_method_null};
enum { ROWS = sizeof rows / sizeof *rows };

const pdpr_method_info *pdpr_methods(uint32_t *count)
{
    static pdpr_method_info table[ROWS];
    static atomic_int filled; /* the same values whoever writes them */
    if (!atomic_load(&filled)) {
        for (int i = 0; i < ROWS; i++)
            table[i] = rows[i]->info;
        atomic_store(&filled, 1);
    }
    *count = ROWS;
    return table;
}

pdpr_status pdpr_i_method_find(const char *name, const pdpr_i_method **out, pdpr_error *err)
{
    char known[256] = "";
    for (int i = 0; i < ROWS; i++) {
        if (name && strcmp(name, rows[i]->info.name) == 0) {
            *out = rows[i];
            return PDPR_OK;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", rows[i]->info.name);
    }
    return pdpr_i_fail(err, PDPR_EUSAGE, "expected one of the methods %s, found \"%.40s\"", known,
                       name ? name : "");
}

pdpr_status pdpr_i_profile_find(const pdpr_i_method *method, const char *name, const char **out,
                                pdpr_error *err)
{
    static const char *const known[] = {"pure", "steered", "paper", "tight", "head", "learning"};
    const char *all = method->info.profiles;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *found = strstr(all, known[i]);
        if (found && (name ? strcmp(name, known[i]) == 0 : found == all)) {
            *out = known[i];
            return PDPR_OK;
        }
    }
    if (!name && !*all) {
        *out = "";
        return PDPR_OK;
    }
    return pdpr_i_fail(err, PDPR_EUSAGE,
                       "method %s: expected one of the profiles \"%s\", found \"%.40s\"",
                       method->info.name, all, name ? name : "");
}

void pdpr_method_options_default(pdpr_method_options *options)
{
    *options = (pdpr_method_options){.struct_size = sizeof *options,
                                     .method = "blueprint",
                                     .epsilon = 1,
                                     .delta = -1, /* as the method needs it */
                                     .checkpoint_seconds = 5};
}

pdpr_method_options pdpr_i_settle_delta(const pdpr_i_method *method, uint32_t num_nodes,
                                        const pdpr_method_options *options)
{
    pdpr_method_options settled = *options;
    if (settled.delta >= 0 || isnan(settled.delta))
        return settled;
    settled.delta = method->pure ? 0 : 1e-5;
    for (uint64_t n = 100000; !method->pure && n <= num_nodes; n *= 10)
        settled.delta = 0.1 / (double)n;
    return settled;
}

pdpr_status pdpr_plan_make(pdpr_context *ctx, uint32_t num_nodes,
                           const pdpr_method_options *options, pdpr_plan *out, pdpr_error *err)
{
    const pdpr_i_method *method;
    pdpr_status s = pdpr_i_method_find(options->method, &method, err);
    if (s == PDPR_OK) {
        const pdpr_method_options settled = pdpr_i_settle_delta(method, num_nodes, options);
        s = method->plan(ctx, num_nodes, &settled, out, err);
    }
    return s;
}
