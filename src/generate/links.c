/* What the kinds of generated graphs share: the list of links and non-uniform draws.
 *
 * Draws serve the public side only: they use doubles and are not exact, which noise must be. */
#include "generate/generate.h"

#include <math.h>

pdpr_status pdpr_i_links_init(pdpr_context *ctx, uint64_t expected, pdpr_i_links *links,
                              pdpr_error *err)
{
    *links = (pdpr_i_links){.ctx = ctx, .capacity = expected + 16};
    return pdpr_i_alloc(ctx, links->capacity, 2 * sizeof *links->pairs, "links", &links->pairs,
                        err);
}

void pdpr_i_links_clear(pdpr_i_links *links)
{
    pdpr_free(links->pairs);
    *links = (pdpr_i_links){0};
}

pdpr_status pdpr_i_links_add(pdpr_i_links *links, uint32_t u, uint32_t v, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;

    if (links->count % 65536 == 0)
        PDPR_TRY(pdpr_i_check_cancelled(links->ctx, err));
    if (links->count == links->capacity) {
        uint64_t more = links->capacity + links->capacity / 2;
        PDPR_TRY(
            pdpr_i_resize(links->ctx, more, 2 * sizeof *links->pairs, "links", &links->pairs, err));
        links->capacity = more;
    }
    links->pairs[2 * links->count] = u;
    links->pairs[2 * links->count + 1] = v;
    links->count++;
done:
    return s;
}

bool pdpr_i_draw_chance(pdpr_i_stream *random, double p)
{
    return pdpr_i_stream_unit(random) < p;
}

uint64_t pdpr_i_draw_round(pdpr_i_stream *random, double x)
{
    double whole = floor(x);
    return (uint64_t)whole + pdpr_i_draw_chance(random, x - whole);
}

uint64_t pdpr_i_draw_geometric(pdpr_i_stream *random, double mean)
{
    if (!(mean > 0))
        return 0;
    double u = 1.0 - pdpr_i_stream_unit(random); /* in (0, 1] */
    return (uint64_t)(log(u) / log(mean / (1.0 + mean)));
}

/* The continuous law on [low, high + 1), cut down to integers. */
uint32_t pdpr_i_draw_power(pdpr_i_stream *random, double exponent, uint32_t low, uint32_t high)
{
    double a = low, b = (double)high + 1, u = pdpr_i_stream_unit(random), x;
    if (fabs(exponent - 1.0) < 1e-9) {
        x = a * pow(b / a, u);
    } else {
        double k = 1.0 - exponent, fa = pow(a, k), fb = pow(b, k);
        x = pow(fa + u * (fb - fa), 1.0 / k);
    }
    return x >= b ? high : x < a ? low : (uint32_t)x;
}

void pdpr_i_draw_order(pdpr_i_stream *random, uint32_t *items, uint64_t count)
{
    for (uint64_t i = count; i > 1; i--) {
        uint64_t j = pdpr_i_stream_below(random, i);
        uint32_t t = items[i - 1];
        items[i - 1] = items[j];
        items[j] = t;
    }
}
