/* The number of small components from the capped forest. */
#include "blueprint/fit_parts.h"

pdpr_status pdpr_i_fit_components(pdpr_i_fitting *f, uint64_t *out, pdpr_error *err)
{
    (void)err;
    *out = 0;
    if (!f->plan->share[PDPR_I_BP_COMPONENTS].num)
        return PDPR_OK;
    double scale = (PDPR_I_BP_FOREST_CAP + 0.5) / pdpr_i_bp_share(f->plan, PDPR_I_BP_COMPONENTS);
    double isolated = 0, lacking = f->n - (double)f->numbers->forest / 2;
    for (uint32_t u = 0; u < f->n; u++)
        isolated += f->degree[u] == 0;
    double small = lacking - isolated - 1;
    *out = small > 2 * scale && small < f->n / 2.0 ? (uint64_t)small : 0;
    return PDPR_OK;
}
