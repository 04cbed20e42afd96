/* The projection, simulated: what the measurement would see on a random graph with given degrees.
 *
 * Link ends are listed, shuffled, paired up and scanned with the caps of the measurement. A pair of
 * a node with itself is dropped; repeats, which a simple graph does not have, are rare and stay.
 * Cost: O(N + m) a simulation. */
#include "blueprint/fit_parts.h"

#include <string.h>

static pdpr_status list_stubs(pdpr_i_fitting *f, uint64_t *count, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t stubs = 0, at = 0;
    for (uint32_t u = 0; u < f->n; u++)
        stubs += f->degree[u];
    if (stubs > f->stub_room) {
        PDPR_TRY(pdpr_i_resize(f->ctx, stubs + stubs / 4, sizeof *f->stub, "simulated links",
                               &f->stub, err));
        f->stub_room = stubs + stubs / 4;
    }
    for (uint32_t u = 0; u < f->n; u++)
        for (uint32_t k = 0; k < f->degree[u]; k++)
            f->stub[at++] = u;
    for (uint64_t i = stubs; i > 1; i--) {
        uint64_t j = pdpr_i_stream_below(f->random, i);
        uint32_t t = f->stub[i - 1];
        f->stub[i - 1] = f->stub[j];
        f->stub[j] = t;
    }
    *count = stubs;
done:
    return s;
}

/* Counts the pair at both ends if both have room; true if it was kept. */
static bool keep(uint32_t *kept, uint32_t u, uint32_t v, uint32_t cap)
{
    if (kept[u] >= cap || kept[v] >= cap)
        return false;
    kept[u]++;
    kept[v]++;
    return true;
}

pdpr_status pdpr_i_fit_simulate(pdpr_i_fitting *f, pdpr_i_kept_edges *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t stubs, kept = 0, wide = 0;

    PDPR_TRY(list_stubs(f, &stubs, err));
    PDPR_TRY(pdpr_i_check_cancelled(f->ctx, err));
    memset(f->kept, 0, f->n * sizeof *f->kept);
    memset(f->kept_wide, 0, f->n * sizeof *f->kept_wide);
    for (uint64_t i = 0; i + 1 < stubs; i += 2) {
        uint32_t u = f->stub[i], v = f->stub[i + 1];
        if (u == v)
            continue;
        kept += keep(f->kept, u, v, f->theta);
        wide += keep(f->kept_wide, u, v, f->numbers->wide);
    }
    for (uint32_t k = 0; k < f->theta; k++)
        f->simulated[k] = 0;
    for (uint32_t u = 0; u < f->n; u++)
        if (f->kept[u] < f->theta)
            f->simulated[f->kept[u]]++;
    for (uint32_t k = 1; k < f->theta; k++)
        f->simulated[k] += f->simulated[k - 1];
    *out = (pdpr_i_kept_edges){(double)kept, (double)wide};
done:
    return s;
}
