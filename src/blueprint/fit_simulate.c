/* The projection, simulated: what the measurement would see on a random graph with given degrees.
 *
 * Link ends are listed, shuffled, paired up and scanned with the caps of the measurement. A pair of
 * a node with itself is dropped; repeats, which a simple graph does not have, are rare and stay.
 * Where leaves of hubs are sought among nodes that seem isolated, hubs are paired with other nodes
 * only, and small nodes may cling to them.
 * Cost: O(N + m) a simulation. */
#include "blueprint/fit_parts.h"

#include <math.h>
#include <string.h>

static void swap_stubs(pdpr_i_fitting *f, uint64_t i, uint64_t j)
{
    uint32_t t = f->stub[i];
    f->stub[i] = f->stub[j];
    f->stub[j] = t;
}

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
    for (uint64_t i = stubs; i > 1; i--)
        swap_stubs(f, i - 1, pdpr_i_stream_below(f->random, i));
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

/* Link ends of hubs first. */
static uint64_t part_hubs(pdpr_i_fitting *f, uint64_t stubs)
{
    uint64_t hubs = 0; /* swapping keeps both parts in random order: the list is shuffled */
    for (uint64_t i = 0; i < stubs; i++)
        if (f->degree[f->stub[i]] > f->theta)
            swap_stubs(f, i, hubs++);
    return hubs;
}

/* Which part of the ends of nodes of each degree is paired with hubs, so that all parts together
 * are as many ends as given: proportional to degree^-f->clinging, and at most 1. ends [theta + 1]:
 * how many there are of each degree. part [theta + 1]: the result. */
static void part_of_ends(const pdpr_i_fitting *f, double given, const double *ends, double *part)
{
    double low = 0, high = pow(f->theta, f->clinging);
    for (uint32_t d = 1; d <= f->theta; d++)
        part[d] = pow(d, -f->clinging);
    for (int round = 0; round < 40; round++) {
        double scale = (low + high) / 2, sum = 0;
        for (uint32_t d = 1; d <= f->theta; d++)
            sum += ends[d] * fmin(scale * part[d], 1);
        if (sum < given)
            low = scale;
        else
            high = scale;
    }
    for (uint32_t d = 1; d <= f->theta; d++)
        part[d] = fmin(high * part[d], 1);
}

/* The link ends after those of hubs: brings forward what is to be paired with hubs, which small
 * nodes cling to. */
static void bring_forward(pdpr_i_fitting *f, uint64_t hubs, uint64_t stubs, uint64_t mixed)
{
    const uint64_t whole = UINT64_C(1) << 32;
    double *ends = f->vector, *part = ends + f->theta + 1;
    uint64_t at = hubs;
    memset(ends, 0, (f->theta + 1) * sizeof *ends);
    for (uint64_t i = hubs; i < stubs; i++)
        ends[f->degree[f->stub[i]]]++;
    part_of_ends(f, (double)mixed, ends, part);
    for (uint64_t i = hubs; i < stubs; i++)
        if ((double)pdpr_i_stream_below(f->random, whole) <
            part[f->degree[f->stub[i]]] * (double)whole)
            swap_stubs(f, i, at++);
}

/* Pairs to be drawn, by how many of their ends are hubs. */
typedef struct {
    uint64_t left[3];
    uint64_t hub_at, mixed_at, other_at; /* next ends */
} pairing;

/* Hubs are paired with others as long as there are any. */
static pairing plan_pairs(uint64_t hubs, uint64_t stubs)
{
    uint64_t others = stubs - hubs, mixed = hubs < others ? hubs : others;
    return (pairing){{(others - mixed) / 2, mixed, (hubs - mixed) / 2}, 0, hubs, hubs + mixed};
}

static void draw_pair(pdpr_i_fitting *f, pairing *p, uint32_t *u, uint32_t *v)
{
    uint64_t at = pdpr_i_stream_below(f->random, p->left[0] + p->left[1] + p->left[2]);
    int kind = at < p->left[0] ? 0 : at < p->left[0] + p->left[1] ? 1 : 2;
    p->left[kind]--;
    *u = f->stub[kind > 0 ? p->hub_at++ : p->other_at++];
    *v = f->stub[kind > 1 ? p->hub_at++ : kind > 0 ? p->mixed_at++ : p->other_at++];
}

pdpr_status pdpr_i_fit_draw_pairs(pdpr_i_fitting *f, uint64_t *pairs, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t stubs;

    PDPR_TRY(list_stubs(f, &stubs, err));
    PDPR_TRY(pdpr_i_check_cancelled(f->ctx, err));
    pdpr_i_progress(f->ctx, "fitting degrees", 1, 0);
    if (f->no_isolated) {
        uint64_t count = 0, hubs = part_hubs(f, stubs);
        pairing p = plan_pairs(hubs, stubs);
        if (f->clinging > 0 && p.left[0] > 0 && p.left[1] > 0)
            bring_forward(f, hubs, stubs, p.left[1]);
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
