/* Building graphs: where nodes lie, and how far their links reach.
 *
 * Nodes lie on a square, or, where paths are longer than a square has them, on a strip that is more
 * and more squares long, down to a line. A curve goes through it (Hilbert's through each square,
 * one square after the other), and a node's place is how far along the curve it lies. An open link
 * gets a point near its node and, as its key, the place of that point: links whose keys are next to
 * each other are near each other on the plane, while neighbours on the plane need not be neighbours
 * on the curve; chance takes links across. Why a square: on a line the same distances need links
 * that are long across many nodes, and pairs differ much more in their distance and have other ways
 * round than in real graphs (docs/design/0025-on-a-square.md). */
#include "blueprint/build_parts.h"
#include "generate/generate.h"

#include <math.h>

/* Up to this locality it is a square; at 1 it is N squares, or as many as there may be. */
static const double square_up_to = 0.325;
/* Long links: ends of the strip would make a few nodes far from everybody, so it is closed. Short
 * ones: streets and pipes do have ends, and their diameter is three mean distances, not two. Chosen
 * on the block and lattice kinds, as parts of the strip's length. */
static const double closed_above = 1.0 / 18, open_below = 1.0 / 25;
enum {
    SIDE_BITS = 16,
    SIDE = 1 << SIDE_BITS, /* of a square */
    MOST_SQUARES = 1 << 20
};

/* How a curve lies in a square: with the axes changed for each other, or turned about. Both curves
 * of half the side that end in the first and the last corner are changed, and the latter is turned
 * about as well. */
typedef struct {
    uint32_t changed, turned;
} lie;

static void enter(lie *l, uint32_t right, uint32_t up)
{
    l->changed ^= up ^ 1;
    l->turned ^= right & (up ^ 1);
}

static uint32_t along_curve(uint32_t x, uint32_t y)
{
    lie l = {0, 0};
    uint32_t at = 0;
    for (int bit = SIDE_BITS - 1; bit >= 0; bit--) {
        uint32_t a = (x >> bit & 1) ^ l.turned, b = (y >> bit & 1) ^ l.turned;
        uint32_t other = (a ^ b) & l.changed, right = a ^ other, up = b ^ other;
        at = at << 2 | right << 1 | (right ^ up);
        enter(&l, right, up);
    }
    return at;
}

static void point_at(uint32_t at, uint32_t *x, uint32_t *y)
{
    lie l = {0, 0};
    *x = *y = 0;
    for (int bit = SIDE_BITS - 1; bit >= 0; bit--) {
        uint32_t right = at >> (2 * bit + 1) & 1, up = (at >> 2 * bit & 1) ^ right;
        uint32_t other = (right ^ up) & l.changed;
        *x |= (right ^ other ^ l.turned) << bit;
        *y |= (up ^ other ^ l.turned) << bit;
        enter(&l, right, up);
    }
}

/* Sum of four 16-bit numbers: a bell in integers, the same on every machine. */
static const double bell_sd = 37837.23; /* 65536 / sqrt(3) */
enum { BELL_MEAN = 2 * 65535 };

static double draw_bell(pdpr_i_stream *random)
{
    uint64_t bits = pdpr_i_stream_u64(random);
    int64_t sum =
        (int64_t)((bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48));
    return (double)(sum - BELL_MEAN) / bell_sd;
}

/* How long and wide a part of the strip is that is such a share of it, in sides: a square up to the
 * whole width. */
typedef struct {
    double length, width;
} extent;

static extent extent_of(const pdpr_i_building *b, double share)
{
    double area = share * (double)b->squares;
    return area < 1 ? (extent){sqrt(area), sqrt(area)} : (extent){area, 1};
}

void pdpr_i_strip_set_reach(pdpr_i_building *b, double reach)
{
    b->reach = reach < 1 ? reach : 1;
    double part = extent_of(b, b->reach).length / (double)b->squares;
    b->closed = log(part / open_below) / log(closed_above / open_below);
}

pdpr_status pdpr_i_strip_lay_out(pdpr_i_building *b, double locality, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    double n = b->num_nodes, beyond = (locality - square_up_to) / (1 - square_up_to);
    PDPR_TRY(pdpr_i_alloc(b->ctx, b->num_nodes, sizeof *b->point, "places", &b->point, err));
    b->squares = (uint64_t)fmin(fmax(round(pow(n, beyond)), 1), MOST_SQUARES);
    /* the strip is n^locality links long, and a link reaches as far across */
    pdpr_i_strip_set_reach(b, (double)b->squares * pow(n, -2 * locality));
    for (uint32_t u = 0; u < b->num_nodes; u++) {
        uint64_t at = b->place[u] * b->squares;
        uint32_t x, y;
        point_at((uint32_t)at, &x, &y);
        b->point[u] = (at >> 32 << SIDE_BITS | x) << SIDE_BITS | y;
    }
done:
    return s;
}

/* Beyond an end it goes on at the other one, or comes back. */
static uint64_t moved(pdpr_i_building *b, uint64_t from, uint64_t size, double by)
{
    int64_t twice = 2 * (int64_t)size;
    int64_t at = ((int64_t)from + (int64_t)(by * SIDE * draw_bell(b->random))) % twice;
    if (at < 0)
        at += twice;
    if (at < (int64_t)size)
        return (uint64_t)at;
    return (uint64_t)(pdpr_i_draw_chance(b->random, b->closed) ? at - (int64_t)size
                                                               : twice - 1 - at);
}

uint32_t pdpr_i_building_key(pdpr_i_building *b, uint32_t u)
{
    double own = (double)b->degree[u] / (double)b->num_nodes;
    extent e = extent_of(b, own > b->reach ? own : b->reach);
    uint64_t x = moved(b, b->point[u] >> SIDE_BITS, b->squares << SIDE_BITS, e.length);
    uint64_t y = moved(b, b->point[u] & (SIDE - 1), SIDE, e.width);
    uint32_t at = along_curve((uint32_t)(x & (SIDE - 1)), (uint32_t)y);
    return (uint32_t)((x >> SIDE_BITS << 32 | at) / b->squares);
}

double pdpr_i_building_share_between(const pdpr_i_building *b, uint32_t u, uint32_t v)
{
    const double side = SIDE;
    double length = fabs((double)(b->point[u] >> SIDE_BITS) - (double)(b->point[v] >> SIDE_BITS));
    double width = fabs((double)(b->point[u] & (SIDE - 1)) - (double)(b->point[v] & (SIDE - 1)));
    length /= side;
    width /= side;
    return ((length < 1 ? length * length : length) + width * width) / (double)b->squares;
}
