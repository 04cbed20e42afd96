/* How well can the builder do when it is told the truth? The modelling floor of the blueprint.
 *
 * For every kind of generated graph and for every file named on the command line: measures the true
 * degrees, triangles, small components and path length, builds a graph from them (locality by
 * bisection on the path length, the mean of three graphs a step) and prints what the built graph
 * gets wrong. No noise, no privacy: an experiment, not part of the product.
 *
 *     build_fidelity [-n NODES] [-r REPEATS] [-s SEED] [-d FACTOR] [FILE.edges ...]
 *
 * SEED draws the generated graphs (1); FACTOR multiplies their mean degree (1)
 *
 * Columns: relative errors of triangles, path length, largest component and diameter (a double
 * sweep's lower bound on both sides), the locality found, and CPU seconds a graph. */
#include <privdpr/privdpr.h>
#include "blueprint/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    uint64_t triangles, lcc, small;
    double small_mean, cpl;
    uint32_t diameter;
} truth;

static void must(pdpr_status s, const pdpr_error *err)
{
    if (s != PDPR_OK) {
        fprintf(stderr, "build_fidelity: %s\n", err->text);
        exit(1);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Distances from u; returns how many nodes are reached, the last of them in queue[count - 1]. */
static uint32_t bfs(const pdpr_graph *g, uint32_t u, uint32_t *distance, uint32_t *queue)
{
    uint32_t head = 0, tail = 0;
    for (uint32_t v = 0; v < g->num_nodes; v++)
        distance[v] = UINT32_MAX;
    distance[u] = 0;
    queue[tail++] = u;
    while (head < tail) {
        uint32_t x = queue[head++];
        for (uint64_t i = g->offset[x]; i < g->offset[x + 1]; i++)
            if (distance[g->target[i]] == UINT32_MAX) {
                distance[g->target[i]] = distance[x] + 1;
                queue[tail++] = g->target[i];
            }
    }
    return tail;
}

static uint64_t count_triangles(const pdpr_graph *g)
{
    uint64_t found = 0;
    bool *mark = calloc(g->num_nodes + 1, 1);
    for (uint32_t u = 0; u < g->num_nodes; u++) {
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
            mark[g->target[i]] = true;
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1] && g->target[i] < u; i++) {
            uint32_t v = g->target[i];
            for (uint64_t j = g->offset[v]; j < g->offset[v + 1] && g->target[j] < v; j++)
                found += mark[g->target[j]];
        }
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
            mark[g->target[i]] = false;
    }
    free(mark);
    return found;
}

/* Path length over `sources` evenly spread nodes of the largest component. */
static truth measure(const pdpr_graph *g, uint32_t sources)
{
    truth t = {.triangles = count_triangles(g)};
    uint32_t n = g->num_nodes, *distance = malloc(n * sizeof *distance + 1);
    uint32_t *queue = malloc(n * sizeof *queue + 1), *part = malloc(n * sizeof *part + 1);
    uint32_t start = 0;
    uint64_t small_nodes = 0;
    for (uint32_t u = 0; u < n; u++)
        part[u] = 0;
    for (uint32_t u = 0; u < n; u++) {
        if (part[u] || g->offset[u] == g->offset[u + 1])
            continue;
        uint32_t head = 0, tail = 0; /* a search that touches its component only */
        queue[tail++] = u;
        part[u] = 1;
        while (head < tail) {
            uint32_t x = queue[head++];
            for (uint64_t i = g->offset[x]; i < g->offset[x + 1]; i++)
                if (!part[g->target[i]]) {
                    part[g->target[i]] = 1;
                    queue[tail++] = g->target[i];
                }
        }
        t.small++;
        small_nodes += tail;
        if (tail > t.lcc) {
            t.lcc = tail;
            start = u;
        }
    }
    if (t.small > 0) {
        t.small--;
        t.small_mean = t.small ? (double)(small_nodes - t.lcc) / (double)t.small : 2;
    }
    uint32_t reached = bfs(g, start, distance, queue);
    memcpy(part, queue, reached * sizeof *part);
    double sum = 0, pairs = 0;
    uint32_t step = reached / sources ? reached / sources : 1;
    for (uint32_t k = 0; k < reached; k += step) {
        bfs(g, part[k], distance, queue);
        for (uint32_t i = 1; i < reached; i++)
            sum += distance[queue[i]];
        pairs += reached - 1;
        uint32_t far = distance[queue[reached - 1]];
        t.diameter = far > t.diameter ? far : t.diameter;
    }
    for (int k = 0; k < 6; k++) { /* sweeps from the farthest node found */
        bfs(g, queue[reached - 1], distance, queue);
        uint32_t far = distance[queue[reached - 1]];
        t.diameter = far > t.diameter ? far : t.diameter;
    }
    t.cpl = pairs > 0 ? sum / pairs : 0;
    free(distance);
    free(queue);
    free(part);
    return t;
}

static pdpr_graph *build(pdpr_context *ctx, const pdpr_i_build_targets *targets, uint64_t seed,
                         double *seconds, pdpr_i_build_outcome *outcome)
{
    pdpr_graph *g = NULL;
    pdpr_error err;
    pdpr_i_key key;
    pdpr_i_stream random;
    double from = now();
    pdpr_i_key_from_seed(seed, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, 0);
    must(pdpr_i_build(ctx, targets, &random, &g, outcome, &err), &err);
    *seconds = now() - from;
    return g;
}

static double error_of(double x, double truth_value)
{
    return truth_value > 0 ? fabs(x - truth_value) / truth_value : 0;
}

static void report(pdpr_context *ctx, const char *name, const pdpr_graph *g, int repeats)
{
    enum { SOURCES = 300, BISECTIONS = 9, TRIALS = 3 };
    truth t = measure(g, SOURCES);
    uint32_t *degree = malloc(g->num_nodes * sizeof *degree + 1);
    for (uint32_t u = 0; u < g->num_nodes; u++)
        degree[u] = (uint32_t)(g->offset[u + 1] - g->offset[u]);
    pdpr_i_build_targets targets = {.num_nodes = g->num_nodes,
                                    .degree = degree,
                                    .triangles = t.triangles,
                                    .small_components = t.small,
                                    .small_mean_size = t.small_mean > 2 ? t.small_mean : 2};
    pdpr_i_build_outcome outcome;
    double seconds, low = 0, high = 1, best = INFINITY, best_locality = 0;
    for (int k = 0; k < BISECTIONS; k++) {
        double cpl = 0;
        targets.locality = k == 0 ? 0 : (low + high) / 2;
        for (uint64_t seed = 0; seed < TRIALS; seed++) {
            pdpr_graph *h = build(ctx, &targets, seed, &seconds, &outcome);
            cpl += measure(h, SOURCES / TRIALS).cpl / TRIALS;
            pdpr_graph_free(h);
        }
        if (fabs(cpl - t.cpl) < best) {
            best = fabs(cpl - t.cpl);
            best_locality = targets.locality;
        }
        if (k == 0 && cpl > t.cpl)
            break; /* paths are too long without any locality */
        if (cpl > t.cpl)
            high = targets.locality;
        else
            low = targets.locality;
    }
    targets.locality = best_locality;
    double tc = 0, cpl = 0, lcc = 0, diameter = 0, took = 0, made_cpl = 0, made_diameter = 0;
    for (int r = 0; r < repeats; r++) {
        pdpr_graph *h = build(ctx, &targets, 100 + (uint64_t)r, &seconds, &outcome);
        truth o = measure(h, SOURCES);
        tc += error_of((double)o.triangles, (double)t.triangles) / repeats;
        cpl += error_of(o.cpl, t.cpl) / repeats;
        lcc += error_of((double)o.lcc, (double)t.lcc) / repeats;
        diameter += error_of(o.diameter, t.diameter) / repeats;
        took += seconds / repeats;
        made_cpl += o.cpl / repeats;
        made_diameter += (double)o.diameter / repeats;
        pdpr_graph_free(h);
    }
    printf("%-14s %7u %8llu %9llu %6llu | %6.3f %6.3f %6.3f %6.3f | %6.2f %6.2f %4u %5.1f | %5.3f "
           "%6.2f\n",
           name, g->num_nodes, (unsigned long long)pdpr_graph_num_edges(g),
           (unsigned long long)t.triangles, (unsigned long long)t.small, tc, cpl, lcc, diameter,
           t.cpl, made_cpl, t.diameter, made_diameter, targets.locality, took);
    fflush(stdout);
    free(degree);
}

/* "u v" lines with "# nodes: N" before them: the data folder's format, nothing more. */
static pdpr_graph *read_edges(pdpr_context *ctx, const char *path)
{
    char line[4096];
    unsigned u, v, n = 0;
    uint64_t count = 0, room = 1 << 16;
    uint32_t *pairs = malloc(2 * room * sizeof *pairs);
    FILE *f = fopen(path, "r");
    pdpr_graph *g = NULL;
    pdpr_error err;
    if (!f) {
        fprintf(stderr, "build_fidelity: %s cannot be read\n", path);
        exit(1);
    }
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "# nodes: %u", &v) == 1)
            n = v;
        if (line[0] == '#' || sscanf(line, "%u %u", &u, &v) != 2)
            continue;
        if (count == room)
            pairs = realloc(pairs, 2 * (room *= 2) * sizeof *pairs);
        pairs[2 * count] = u;
        pairs[2 * count + 1] = v;
        count++;
    }
    fclose(f);
    must(pdpr_graph_from_pairs(ctx, n, pairs, count, false, &g, &err), &err);
    free(pairs);
    return g;
}

int main(int argc, char **argv)
{
    pdpr_context *ctx = NULL;
    pdpr_error err;
    uint32_t nodes = 4000;
    uint64_t seed = 1;
    double factor = 1;
    int repeats = 3, at = 1;
    for (; at + 1 < argc && argv[at][0] == '-'; at += 2)
        if (argv[at][1] == 'n')
            nodes = (uint32_t)strtoul(argv[at + 1], NULL, 10);
        else if (argv[at][1] == 's')
            seed = strtoull(argv[at + 1], NULL, 10);
        else if (argv[at][1] == 'd')
            factor = strtod(argv[at + 1], NULL);
        else
            repeats = atoi(argv[at + 1]);
    must(pdpr_context_new(NULL, &ctx, &err), &err);
    printf(
        "graph            nodes    edges triangles  small |     TC    CPL    LCC   DIAM |    CPL  "
        "built DIAM built | local seconds\n");
    for (pdpr_kind k = 0; nodes > 0 && k < PDPR_KINDS; k++) {
        pdpr_generate_options o;
        pdpr_graph *g = NULL;
        char name[32];
        pdpr_generate_options_default(k, nodes, &o);
        o.mean_degree *= factor;
        must(pdpr_generate(ctx, &o, seed, &g, &err), &err);
        snprintf(name, sizeof name, "%s%s", pdpr_kind_name(k), pdpr_kind_is_held_out(k) ? "*" : "");
        report(ctx, name, g, repeats);
        pdpr_graph_free(g);
    }
    for (; at < argc; at++) {
        pdpr_graph *g = read_edges(ctx, argv[at]);
        const char *slash = strrchr(argv[at], '/');
        report(ctx, slash ? slash + 1 : argv[at], g, repeats);
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
    return 0;
}
