/* How many triangles a node may count for: a public rule for both capped counts.
 *
 * The first cap is small and its answer precise. With a rough idea of the degrees (the released
 * histogram, and above its cap the law through the indices) it tells about how many triangles there
 * are and how many any other cap would hide, more roughly than fit_triangles.c with fitted degrees:
 * corners fall on nodes in proportion to d^1.25, d^1.5 or d^2, and a cap c lets through the least,
 * over sets of the largest degrees, of c for each node of the set and what is left without them.
 * The second cap is the one at which noise and a part of what is hidden are least together, but not
 * below the one whose noise is some 14 % of the first answer, nor above the one whose noise is half
 * of it (unless two to four first caps are): where the first cap holds nearly all nodes back, what
 * it hides is anybody's guess. What decides here must come out alike wherever a run is taken up
 * again: sums, products, quotients and square roots only. */
#include "blueprint/tail_law.h"
#include "blueprint/triangle_corners.h"

#include <math.h>

static const uint32_t quarters[] = {5, 6, 8}; /* powers of the degree, times four */
enum {
    POWERS = sizeof quarters / sizeof *quarters,
    MOST_CAP = 1 << 20,
    GAP_PART = 16, /* halves: a 32nd of the cap */
    MOST_LEVELS = 1024,
    HALVINGS = 60
};
static const double most_sum = 0x1p46;       /* of the caps of all nodes */
static const double part_unknown = 0.5;      /* of what a cap hides: the fit finds the rest */
static const double most_noise = 0.5;        /* of the second count, in what the first one found */
static const double level_step = 1 + 0x1p-4; /* of the degrees above the histogram */

/* Nodes of this degree and more, and the part of all corners that fall on them. */
typedef struct {
    double degree, nodes, corners[POWERS];
} level;

typedef struct {
    level at[MOST_LEVELS]; /* from the highest degree down */
    uint32_t count;
    double most[POWERS]; /* triangles: no node has more than its links make pairs */
} levels;

uint64_t pdpr_i_bp_triangle_gap(uint32_t cap)
{
    return 1 + cap / GAP_PART;
}

uint32_t pdpr_i_bp_first_triangle_cap(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    /* few nodes of sparse graphs are in more triangles than twice the mean degree */
    double cap = 4.0 * (double)numbers->edges / plan->num_nodes, most = numbers->theta;
    return cap < 4 ? 4 : cap > most ? (uint32_t)most : (uint32_t)cap;
}

/* A level with more nodes than the one before; others, which noise makes, are passed over. */
static void add_level(levels *x, double degree, double nodes)
{
    static const level none = {0};
    const level *before = x->count ? &x->at[x->count - 1] : &none;
    level added = {.degree = degree, .nodes = nodes};
    if (x->count == MOST_LEVELS || !(nodes > before->nodes))
        return;
    for (int p = 0; p < POWERS; p++) {
        double weight = quarters[p] & 1 ? sqrt(sqrt(degree)) : 1;
        weight *= quarters[p] & 2 ? sqrt(degree) : 1;
        for (uint32_t i = 0; i < quarters[p] / 4; i++)
            weight *= degree;
        added.corners[p] = before->corners[p] + (nodes - before->nodes) * weight;
    }
    x->at[x->count++] = added;
}

static void list_levels(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers, levels *out)
{
    double n = plan->num_nodes, wedges = 0, before = 0;
    pdpr_i_tail_law law = pdpr_i_tail_law_of(plan, numbers);

    out->count = 0;
    double degree = law.end;
    while (degree > numbers->theta) {
        add_level(out, degree, fmin(pdpr_i_tail_law_nodes(&law, degree), n));
        degree /= level_step;
    }
    for (uint32_t k = numbers->theta; k > 1; k--)
        add_level(out, k, fmin(n - (double)numbers->cumulative[k - 1], n));
    if (out->count == 0)
        return;
    const level *top = &out->at[0], *last = &out->at[out->count - 1];
    for (uint32_t i = 0; i < out->count; i++) {
        const level *x = &out->at[i];
        wedges += (x->nodes - before) * x->degree * (x->degree - 1) / 2;
        before = x->nodes;
    }
    for (int p = 0; p < POWERS; p++) {
        double all = last->corners[p], of_one = top->corners[p] / top->nodes / all;
        out->most[p] = fmin(wedges / 3, top->degree * (top->degree - 1) / (6 * of_one));
        for (uint32_t i = 0; i < out->count; i++)
            out->at[i].corners[p] /= all;
    }
}

/* What a cap lets through of so many triangles. */
static double let_through(const levels *x, int p, double cap, double triangles)
{
    double least = triangles;
    for (int corners = 1; corners <= PDPR_I_CORNERS; corners++)
        for (uint32_t i = 0; i < x->count && cap * x->at[i].nodes / corners < least; i++)
            least = fmin(least,
                         cap * x->at[i].nodes / corners +
                             triangles * pdpr_i_triangles_left(1 - x->at[i].corners[p], corners));
    return least;
}

/* The number of which the cap lets through what was seen. */
static double all_of(const levels *x, int p, double cap, double seen)
{
    double low = seen, high = fmax(x->most[p], seen);
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (let_through(x, p, cap, middle) < seen)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The least second cap: two to four first ones, the more the less noise there is, and a noise of 14
 * % of the first answer, within theta^2. */
static double least_second_cap(const pdpr_i_bp_numbers *numbers, double precision, double most)
{
    double first = numbers->triangle_cap[0], theta = numbers->theta, times = 2 + 6 * precision;
    double quiet = fmin(0.05 * (double)numbers->triangles[0] * precision, theta * theta);
    return floor(fmin(fmax((times < 4 ? times : 4) * first, quiet), most));
}

uint32_t pdpr_i_bp_second_triangle_cap(const pdpr_i_bp_plan *plan, const pdpr_i_bp_numbers *numbers)
{
    double precision = pdpr_i_bp_precision(plan, PDPR_I_BP_TRIANGLES_2),
           first = numbers->triangle_cap[0];
    double most = fmin(MOST_CAP, most_sum / plan->num_nodes); /* what the solver takes */
    double found = least_second_cap(numbers, precision, most), best = INFINITY, triangles[POWERS];
    /* an answer below its noise says no more than that */
    double seen = fmax((double)numbers->triangles[0] / 2,
                       first / pdpr_i_bp_precision(plan, PDPR_I_BP_TRIANGLES_1));
    levels x;

    list_levels(plan, numbers, &x);
    if (x.count == 0)
        return (uint32_t)found;
    for (int p = 0; p < POWERS; p++)
        triangles[p] = all_of(&x, p, first, seen);
    for (uint32_t cap = (uint32_t)found; cap <= most; cap += cap / 8 + 1) {
        double noise = sqrt(2) * cap / precision, noises = 0, misses = 0; /* squared, relative */
        for (int p = 0; p < POWERS; p++) {
            double all = triangles[p];
            double hidden = part_unknown * (all - let_through(&x, p, cap, all));
            noises += noise * noise / (all * all);
            misses += hidden * hidden / (all * all);
        }
        if (noises >= best || noise > most_noise * seen)
            break;
        if (noises + misses < best) {
            best = noises + misses;
            found = cap;
        }
    }
    return (uint32_t)found;
}
