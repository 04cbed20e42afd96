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
        f->stub_room = 0;
        PDPR_TRY(pdpr_i_resize(f->ctx, stubs + stubs / 4, sizeof *f->stub, "simulated links",
                               &f->stub, err));
        PDPR_TRY(pdpr_i_resize(f->ctx, stubs + stubs / 4, sizeof *f->pair, "simulated links",
                               &f->pair, err));
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

/* Link ends of hubs first, each part in the order in which it was. */
static uint64_t part_hubs(pdpr_i_fitting *f, uint64_t stubs)
{
    uint64_t hubs = 0; /* swapping keeps both parts in random order: the list is shuffled */
    for (uint64_t i = 0; i < stubs; i++)
        if (f->degree[f->stub[i]] > f->theta) {
            uint32_t t = f->stub[i];
            f->stub[i] = f->stub[hubs];
            f->stub[hubs++] = t;
        }
    return hubs;
}

/* Pairs to be drawn, by how many of their ends are hubs. */
typedef struct {
    uint64_t left[3];
    uint64_t hub_at, other_at; /* next ends */
} pairing;

/* Hubs are paired with others as long as there are any. */
static pairing plan_pairs(uint64_t hubs, uint64_t stubs)
{
    uint64_t others = stubs - hubs, mixed = hubs < others ? hubs : others;
    return (pairing){{(others - mixed) / 2, mixed, (hubs - mixed) / 2}, 0, hubs};
}

static void draw_pair(pdpr_i_fitting *f, pairing *p, uint32_t *u, uint32_t *v)
{
    uint64_t at = pdpr_i_stream_below(f->random, p->left[0] + p->left[1] + p->left[2]);
    int kind = at < p->left[0] ? 0 : at < p->left[0] + p->left[1] ? 1 : 2;
    p->left[kind]--;
    *u = f->stub[kind > 0 ? p->hub_at++ : p->other_at++];
    *v = f->stub[kind > 1 ? p->hub_at++ : p->other_at++];
}

pdpr_status pdpr_i_fit_draw_pairs(pdpr_i_fitting *f, uint64_t *pairs, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t stubs;

    PDPR_TRY(list_stubs(f, &stubs, err));
    PDPR_TRY(pdpr_i_check_cancelled(f->ctx, err));
    if (f->no_isolated) {
        uint64_t count = 0;
        pairing p = plan_pairs(part_hubs(f, stubs), stubs);
        for (; p.left[0] + p.left[1] + p.left[2] > 0; count++)
            draw_pair(f, &p, &f->pair[2 * count], &f->pair[2 * count + 1]);
        *pairs = count;
    } else {
        uint32_t *t = f->pair;
        f->pair = f->stub;
        f->stub = t;
        *pairs = stubs / 2;
    }
done:
    return s;
}

pdpr_status pdpr_i_fit_simulate(pdpr_i_fitting *f, pdpr_i_kept_edges *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t pairs, kept = 0, wide = 0;

    PDPR_TRY(pdpr_i_fit_draw_pairs(f, &pairs, err));
    memset(f->kept, 0, f->n * sizeof *f->kept);
    memset(f->kept_wide, 0, f->n * sizeof *f->kept_wide);
    for (uint64_t i = 0; i < pairs; i++) {
        uint32_t u = f->pair[2 * i], v = f->pair[2 * i + 1];
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
