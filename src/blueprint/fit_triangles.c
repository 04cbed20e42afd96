/* The number of triangles from two capped counts.
 *
 * A cap counts triangles at hubs only in part, so a capped count f is too small where few nodes
 * carry them. How much it hides follows from the degrees and from where the corners fall. Triangles
 * are of two sorts: those that a random graph with these degrees has, whose corners fall on nodes
 * in proportion to d (d - 1), and the others, in groups: in proportion to d (d - 1) among nodes of
 * few links, where any two of them may close a triangle, and to d among hubs, whose links come from
 * many groups. Nodes of one degree have the same number of them, or numbers that differ as chance
 * has it (an exponential law). Taking nodes out leaves what has no corner there, and each of them
 * holds c at most: f <= c k + the rest; or, if three such nodes are needed to take a triangle, c k
 * / 3 + a part of the rest. The least of these, over sets of the k nodes with most corners, is near
 * equality (linear programming duality).
 *
 * Both counts together tell where the law bends and the number, neither of them well: the mean of
 * the logarithm over all that is tried, each weighted by its likelihood, with a prior for the bend
 * and a weak one for a cap that hides little. Of what hubs whose degrees are a guess are found to
 * hide a part is believed.
 * Cost: O(N), and some thousand passes over the sets. */
#include "blueprint/fit_parts.h"
#include "blueprint/triangle_corners.h"

#include <math.h>
#include <stdlib.h>

/* Corners fall on a node of degree d in proportion to d^(1 + more) (d - 1) / (1 + d / bend). */
typedef struct {
    double bend; /* in mean degrees */
    double more; /* a core in which hubs know each other */
} corner_law;
static const corner_law laws[] = {{0.125, 0}, {0.25, 0}, {0.5, 0}, {1, 0},    {2, 0}, {4, 0},
                                  {8, 0},     {16, 0},   {64, 0},  {64, 0.5}, {64, 1}};
/* An exponential law of mean 1 in parts: how many, and their mean. */
static const struct {
    double part, mean;
} uneven[] = {
    {0.4, 0.233762}, {0.3, 0.817678}, {0.2, 1.654667}, {0.07, 2.786597}, {0.03, 4.506558}};
enum {
    STEPS = 72,
    LAWS = sizeof laws / sizeof *laws,
    UNEVEN = sizeof uneven / sizeof *uneven,
    MOST_CLASSES = 512,
    MOST_SETS = MOST_CLASSES * UNEVEN
};
static const double class_step = 1.03;
/* Tried: from so many times fewer to so many times more than was counted. */
static const double fewest = 4, most = 6;
/* Real graphs of many kinds bend at one to six mean degrees. Far from it the misfit grows slowly:
 * there are others (docs/design/0022-where-triangles-bend.md). */
static const double usual_bend = 1, bend_spread = 1.1, linear_from = 0.7;
static const double hidden_spread = 1.5;   /* of the logarithm of what a cap hides */
static const double model_error = 0.1;     /* of what a cap lets through or of what it hides */
static const double least_error = 0.02;    /* and of what it lets through, hidden or not */
static const double most_by_chance = 0.35; /* the formula for them runs away with the hubs */
/* Of what guessed hubs are found to hide, in logarithms; guessed are those above the cap of the
 * degrees and above so many times the first index, which tells of the others. */
static const double believed = 0.5, index_tells = 1.5;
static const double rare = 4;          /* parts of a class beyond are too few to tell */
static const double peak_spread = 0.2; /* in logarithms, of more triangles than there can be */

/* Nodes of about one degree, the highest first. */
typedef struct {
    double degree[MOST_CLASSES], nodes[MOST_CLASSES];
    uint32_t count;
    double ends, wedges; /* each wedge from both sides */
    double mean;         /* degree of a node with two links or more */
    double above;        /* nodes whose degrees are a guess, and one */
} classes;

/* A class, or a part of one, while sets are made. */
typedef struct {
    double weight, nodes, wedges; /* the first of a node */
} lot;

/* Sets of the nodes with most corners; for each the part of the corners, of either sort, that fall
 * on others. */
typedef struct {
    double nodes[MOST_SETS], chance[MOST_SETS], groups[MOST_SETS];
    uint32_t count;
    double by_chance;
    double peak; /* of one triangle: the corners at a node, as a part of the pairs of its links */
} sets;

static void list_classes(const pdpr_i_fitting *f, classes *out)
{
    double next = 0, nodes = 0;
    out->count = 0;
    out->ends = out->wedges = 0;
    out->above = 1;
    for (uint32_t u = 0; u < f->n && f->degree[u] > 1; u++) { /* degrees are descending */
        double d = f->degree[u];
        if (out->count == 0 || (u >= next && out->count < MOST_CLASSES)) {
            out->nodes[out->count] = out->degree[out->count] = 0;
            out->count++;
            next = fmax(u + 1, u * class_step);
        }
        out->nodes[out->count - 1]++;
        nodes++;
        out->degree[out->count - 1] += d;
        out->ends += d;
        out->above += d > fmax(f->theta, index_tells * (double)f->numbers->index_low);
        out->wedges += d * (d - 1);
    }
    for (uint32_t i = 0; i < out->count; i++)
        out->degree[i] /= out->nodes[i];
    out->mean = nodes > 0 ? out->ends / nodes : 0;
}

static int heavier(const void *a, const void *b)
{
    const lot *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    if (x->wedges != y->wedges) /* one order everywhere */
        return x->wedges < y->wedges ? 1 : -1;
    return (x->nodes < y->nodes) - (x->nodes > y->nodes);
}

static double corners_of(const corner_law *law, double degree, double mean)
{
    return pow(degree, 1 + law->more) * (degree - 1) / (1 + degree / (law->bend * mean));
}

/* Sets for corners that fall by this law, evenly on nodes of one degree or not. */
static void make_sets(const classes *c, const corner_law *law, bool even, sets *out)
{
    lot lots[MOST_SETS] = {{0}};
    uint32_t count = 0;
    double all = 0, wedges = 0, rest, rest_wedges;
    out->peak = 0;
    for (uint32_t i = 0; i < c->count; i++)
        for (int j = 0; j < (even ? 1 : (int)UNEVEN); j++) {
            double d = c->degree[i], nodes = c->nodes[i] * (even ? 1 : uneven[j].part);
            double weight = corners_of(law, d, c->mean) * (even ? 1 : uneven[j].mean);
            lots[count++] = (lot){weight, nodes, nodes * d * (d - 1)};
            all += weight * nodes;
            wedges += nodes * d * (d - 1);
            if (uneven[j].mean < rare)
                out->peak = fmax(out->peak, 3 * weight / (d * (d - 1) / 2));
        }
    out->peak /= all;
    qsort(lots, count, sizeof *lots, heavier);
    rest = all;
    rest_wedges = wedges;
    for (uint32_t i = 0; i < count; i++) {
        rest = fmax(rest - lots[i].weight * lots[i].nodes, 0);
        rest_wedges = fmax(rest_wedges - lots[i].wedges, 0);
        out->nodes[i] = (i ? out->nodes[i - 1] : 0) + lots[i].nodes;
        out->groups[i] = rest / all;
        out->chance[i] = rest_wedges / wedges;
    }
    out->count = count;
}

/* What a cap lets through of so many triangles; *held: how many nodes it holds back. */
static double let_through(const sets *s, double cap, double triangles, double *held)
{
    double least = triangles, chance = fmin(s->by_chance, most_by_chance * triangles);
    *held = 0;
    for (int corners = 1; corners <= PDPR_I_CORNERS; corners++)
        for (uint32_t i = 0; i < s->count && cap * s->nodes[i] / corners < least; i++) {
            double bound = cap * s->nodes[i] / corners +
                           chance * pdpr_i_triangles_left(s->chance[i], corners) +
                           (triangles - chance) * pdpr_i_triangles_left(s->groups[i], corners);
            if (bound < least) {
                least = bound;
                *held = s->nodes[i];
            }
        }
    return least;
}

/* A number that was tried. */
typedef struct {
    double misfit; /* of both counts, in units of their noise and of what the model is worth */
    double told;   /* what the wider cap would let through of it */
    double held;   /* how many nodes it would hold back */
} trial;

/* Squared, and linear far out; a core costs as much as its power is more. */
static double law_misfit(const corner_law *law)
{
    double off = fabs(log(law->bend / usual_bend)) / bend_spread;
    return law->more + (off < linear_from ? off * off : linear_from * (2 * off - linear_from));
}

static trial try_number(const pdpr_i_fitting *f, const sets *s, double triangles)
{
    trial t = {.misfit = 0};
    for (int i = 0; i < 2; i++) {
        pdpr_i_bp_query query = i == 0 ? PDPR_I_BP_TRIANGLES_1 : PDPR_I_BP_TRIANGLES_2;
        double sensitivity = (double)pdpr_i_bp_sensitivity(f->plan, f->numbers, query) / 2;
        double cap = f->numbers->triangle_cap[i], seen = (double)f->numbers->triangles[i] / 2;
        t.told = let_through(s, cap, triangles, &t.held);
        double model = model_error * fmin(t.told, triangles - t.told) + least_error * t.told;
        t.misfit +=
            pdpr_i_square(t.told - seen) /
            (pdpr_i_square(pdpr_i_fit_deviation(f, query, sensitivity)) + pdpr_i_square(model) + 1);
    }
    t.misfit += pdpr_i_square(log(triangles / t.told) / hidden_spread);
    if (triangles * s->peak > 1) /* no node has more than its links make pairs */
        t.misfit += pdpr_i_square(log(triangles * s->peak) / peak_spread);
    return t;
}

double pdpr_i_fit_triangles(const pdpr_i_fitting *f)
{
    classes c = {.count = 0};
    sets s = {.count = 0};
    trial tried[2 * LAWS][STEPS];
    double best = INFINITY, total = 0, sum = 0;
    double seen = fmax((double)f->numbers->triangles[0], (double)f->numbers->triangles[1]) / 2;
    list_classes(f, &c);
    if (!(seen > 1 && c.wedges > 6))
        return 0;

    double low = log(seen / fewest), step = log(fewest * most) / (STEPS - 1);
    s.by_chance = pow(c.wedges / c.ends, 3) / 6; /* Newman 2003, for the configuration model */
    for (int i = 0; i < 2 * LAWS; i++) {
        bool even = i % 2 == 0;
        make_sets(&c, &laws[i / 2], even, &s);
        for (int j = 0; j < STEPS; j++) {
            tried[i][j] = try_number(f, &s, exp(low + j * step));
            tried[i][j].misfit += law_misfit(&laws[i / 2]);
            best = fmin(best, tried[i][j].misfit);
        }
    }
    for (int i = 0; i < 2 * LAWS; i++)
        for (int j = 0; j < STEPS; j++) {
            double weight = exp((best - tried[i][j].misfit) / 2), told = log(tried[i][j].told);
            double guessed = c.above / fmax(tried[i][j].held, c.above);
            total += weight;
            sum += weight * (told + (1 - (1 - believed) * guessed) * (low + j * step - told));
        }
    return fmin(exp(sum / total), c.wedges / 6);
}
