/* Does the blueprint hold on graphs of kinds that it was not made for?
 *
 * A family of generated graphs (kinds, sizes, densities, tails) is measured, fitted and built as
 * `privdpr synth --seed` does it, and compared with the original beside the null model G(N, true
 * m). Prints the mean error of each figure, a star where it is ahead of the null model's, and at
 * the end the cells ahead and the medians of TC and KS.
 *
 *     generalise [-e EPSILON] [-r RUNS] [-s SEED] [-l choose|held|all|none] [-g NAME]
 *                [-p graphs|runs|degrees] [FILE ...]
 *
 * With -p runs it also prints a line for every run, each figure in units of the original's (KS as
 * it is). With -p degrees nothing is built and paths are not asked: a line for every run with what
 * was fitted of edges, triangles, wedges, claws and the largest component, and the KS distance. At
 * the end the mean errors, single ones cut at 2, over the runs in which they are defined.
 *
 * Constants may be chosen on the list `choose` only; `held` is looked at once a version. Seeded and
 * without any guarantee: an experiment, not part of the product. */
#include <privdpr/privdpr.h>
#include "blueprint/blueprint.h"
#include "dp/dp.h"
#include "method/blueprint_part.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GRAPHS = 64, MOST_RUNS = 100, NULL_GRAPHS = 5, EXACT_PATHS_UP_TO = 15000 };

/* A row changes what it names in a typical graph of its kind; 0 leaves the default. */
typedef struct {
    const char *name;
    pdpr_kind kind;
    uint32_t nodes;
    double mean_degree, exponent, share;
    uint32_t min_degree, max_degree, group_size;
} member;

static const member family[] = {
    /* for choosing */
    {"gnm", PDPR_KIND_GNM, 3000, 6, 0, 0, 0, 0, 0},
    {"gnm, dense, 1000", PDPR_KIND_GNM, 1000, 30, 0, 0, 0, 0, 0},
    {"power law 2.3", PDPR_KIND_POWER_LAW, 4000, 0, 0, 0, 0, 0, 0},
    {"power law 2.0, leaves", PDPR_KIND_POWER_LAW, 6000, 0, 2.0, 0, 1, 1500, 0},
    {"power law 2.5, 20000", PDPR_KIND_POWER_LAW, 20000, 0, 2.5, 0, 1, 2000, 0},
    {"streets, 10000", PDPR_KIND_LATTICE, 10000, 0, 0, 0, 0, 0, 0},
    {"power grid", PDPR_KIND_LATTICE, 5000, 0, 0, 0.34, 0, 0, 0},
    {"small world", PDPR_KIND_SMALL_WORLD, 3000, 8, 0, 0, 0, 0, 0},
    {"communities", PDPR_KIND_BLOCKS, 3000, 16, 0, 0, 0, 0, 0},
    {"communities, dense", PDPR_KIND_BLOCKS, 4000, 44, 0, 0.3, 0, 0, 150},
    {"communities, 1000", PDPR_KIND_BLOCKS, 1000, 30, 0, 0.3, 0, 0, 80},
    {"co-authors", PDPR_KIND_CLIQUES, 5000, 6, 2.6, 0.15, 0, 40, 0},
    {"co-authors, rich", PDPR_KIND_CLIQUES, 4000, 0, 0, 0, 0, 0, 0},
    {"circles, dense", PDPR_KIND_CLIQUES, 4000, 40, 1.6, 0.1, 0, 100, 0},
    {"hubs", PDPR_KIND_HUBS, 3000, 0, 0, 0, 0, 0, 0},
    {"hubs, leaves", PDPR_KIND_HUBS, 6000, 3, 1.1, 0.1, 0, 0, 100},
    {"scattered", PDPR_KIND_SCATTERED, 3300, 0, 0, 0, 0, 0, 0},
    {"scattered, 15000", PDPR_KIND_SCATTERED, 15000, 5, 0, 0.1, 0, 0, 4},
    /* held out */
    {"social", PDPR_KIND_SOCIAL, 3000, 0, 0, 0, 0, 0, 0},
    {"social, dense", PDPR_KIND_SOCIAL, 4000, 40, 0, 0, 0, 0, 0},
    {"social, 15000", PDPR_KIND_SOCIAL, 15000, 6, 0, 0.3, 0, 0, 0},
    {"geometric", PDPR_KIND_GEOMETRIC, 3000, 0, 0, 0, 0, 0, 0},
    {"geometric, dense", PDPR_KIND_GEOMETRIC, 2000, 30, 0, 0, 0, 0, 0},
    {"web", PDPR_KIND_COPYING, 4000, 0, 0, 0, 0, 0, 0},
    {"web, sparse", PDPR_KIND_COPYING, 8000, 4, 0, 0.2, 0, 0, 0},
    {"railways", PDPR_KIND_CHAINS, 5000, 0, 0, 0, 0, 0, 0},
};

/* What is fitted before anything is built. */
enum { EDGES, TRIANGLES, WEDGES, CLAWS, LARGEST, KS, FITTED };

typedef struct {
    pdpr_context *ctx;
    double epsilon;
    uint64_t seed;
    uint32_t runs;
    bool each_run, degrees_only;
    double cut_error[PDPR_FIGURES]; /* sums over the runs; with degrees_only [FITTED] */
    uint32_t defined[PDPR_FIGURES]; /* how many runs */
    double tc[MOST_GRAPHS], ks[MOST_GRAPHS];
    uint32_t graphs, ahead, ahead_of[PDPR_FIGURES];
} trial;

static void must(pdpr_status s, const pdpr_error *err)
{
    if (s != PDPR_OK) {
        fprintf(stderr, "generalise: %s\n", err->text);
        exit(1);
    }
}

static pdpr_status reserve(void *user, const pdpr_i_charge *charges, uint32_t count,
                           pdpr_error *err)
{
    (void)user, (void)charges, (void)count, (void)err;
    return PDPR_OK;
}

static void measure(const trial *t, const pdpr_graph *g, uint64_t seed, const pdpr_i_bp_plan *plan,
                    pdpr_i_bp_numbers *numbers)
{
    pdpr_error err;
    pdpr_i_charge charges[PDPR_I_BP_CHARGES];
    pdpr_i_meter *meter = NULL;
    pdpr_i_noise_key *noise = NULL;
    must(pdpr_i_meter_new(t->ctx, charges, pdpr_i_bp_charges(plan, charges), &meter, &err), &err);
    must(pdpr_i_noise_key_from_seed(t->ctx, seed, &noise, &err), &err);
    must(pdpr_i_meter_open(meter, &noise, reserve, NULL, &err), &err);
    must(pdpr_i_bp_measure(t->ctx, g, plan, meter, numbers, &err), &err);
    pdpr_i_meter_free(meter);
}

/* Each graph has its own noise: with the same for all, one unlucky draw would count on every graph.
 */
static uint64_t seed_of(const trial *t, uint32_t run)
{
    return t->seed + run + 1000 * (uint64_t)t->graphs;
}

static uint32_t *degrees_for(const pdpr_graph *g)
{
    uint32_t *degree = malloc(((size_t)g->num_nodes + 1) * sizeof *degree);
    if (!degree) {
        fprintf(stderr, "generalise: out of memory\n");
        exit(1);
    }
    return degree;
}

static pdpr_graph *synthesise(const trial *t, const pdpr_graph *g, uint64_t seed)
{
    pdpr_error err;
    pdpr_i_bp_plan plan;
    pdpr_i_bp_numbers numbers = {0};
    pdpr_i_build_targets targets;
    pdpr_i_stream random;
    pdpr_i_key key;
    pdpr_graph *built = NULL;
    uint32_t *degree = degrees_for(g);

    must(pdpr_i_bp_plan_make(g->num_nodes, t->epsilon, &plan, &err), &err);
    measure(t, g, seed, &plan, &numbers);
    pdpr_i_key_from_seed(seed, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_BLUEPRINT_FIT, 0);
    must(pdpr_i_bp_fit(t->ctx, &plan, &numbers, &random, degree, &targets, &err), &err);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_BLUEPRINT_BUILD, 0);
    must(pdpr_i_build(t->ctx, &targets, &random, &built, NULL, &err), &err);
    pdpr_i_bp_numbers_clear(&numbers);
    free(degree);
    return built;
}

static int descending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* Edges, wedges and claws of degrees; sorts them. */
static void count_stars(uint32_t *degree, uint32_t n, double out[FITTED])
{
    qsort(degree, n, sizeof *degree, descending);
    out[EDGES] = out[WEDGES] = out[CLAWS] = 0;
    for (uint32_t u = 0; u < n; u++) {
        double d = degree[u];
        out[EDGES] += d / 2;
        out[WEDGES] += d * (d - 1) / 2;
        out[CLAWS] += d * (d - 1) * (d - 2) / 6;
    }
}

/* A run's error of a figure; NaN is not counted. */
static void count_error(trial *t, int figure, double error)
{
    if (isnan(error))
        return;
    t->cut_error[figure] += fmin(error, 2);
    t->defined[figure]++;
}

/* KS distance of two descending sequences. */
static double distance_of(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    double most = 0;
    uint32_t i = 0, j = 0;
    while (i < n && j < n) {
        uint32_t d = a[i] > b[j] ? a[i] : b[j];
        while (i < n && a[i] == d)
            i++;
        while (j < n && b[j] == d)
            j++;
        most = fmax(most, fabs((double)i - j) / n);
    }
    return most;
}

/* What a graph with these targets has, about. */
static double fitted_largest(const pdpr_i_build_targets *targets)
{
    double nodes = 0;
    for (uint32_t u = 0; u < targets->num_nodes; u++)
        nodes += targets->degree[u] > 0;
    double small = (double)targets->small_components * targets->small_mean_size;
    return fmax(nodes - small, targets->small_mean_size);
}

static void report_degrees(trial *t, const char *name, const pdpr_graph *g)
{
    pdpr_error err;
    double truth[FITTED];
    pdpr_metrics_options options;
    pdpr_metrics metrics;
    uint32_t n = g->num_nodes, *original = degrees_for(g), *degree = degrees_for(g);

    for (uint32_t u = 0; u < n; u++)
        original[u] = (uint32_t)(g->offset[u + 1] - g->offset[u]);
    count_stars(original, n, truth);
    pdpr_metrics_options_default(&options);
    options.paths = PDPR_PATHS_NONE;
    must(pdpr_metrics_compute(t->ctx, g, &options, &metrics, &err), &err);
    truth[TRIANGLES] = (double)metrics.triangles;
    truth[LARGEST] = (double)metrics.lcc;
    for (uint32_t r = 0; r < t->runs; r++) {
        pdpr_i_bp_plan plan;
        pdpr_i_bp_numbers numbers = {0};
        pdpr_i_build_targets targets;
        pdpr_i_stream random;
        pdpr_i_key key;
        double x[FITTED];
        must(pdpr_i_bp_plan_make(n, t->epsilon, &plan, &err), &err);
        pdpr_i_bp_leave_out(&plan, PDPR_I_BP_PATHS_1);
        pdpr_i_bp_leave_out(&plan, PDPR_I_BP_PATHS_2);
        measure(t, g, seed_of(t, r), &plan, &numbers);
        pdpr_i_key_from_seed(seed_of(t, r), &key);
        pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_BLUEPRINT_FIT, 0);
        must(pdpr_i_bp_fit_structure(t->ctx, &plan, &numbers, &random, degree, &targets, &err),
             &err);
        count_stars(degree, n, x);
        x[TRIANGLES] = (double)targets.triangles;
        x[LARGEST] = fitted_largest(&targets);
        x[KS] = distance_of(original, degree, n);
        printf("%-22s %6u %4u %5u", name, n, numbers.theta, numbers.wide);
        for (int i = 0; i < FITTED; i++) {
            double ratio = i == KS ? x[i] : x[i] / truth[i];
            printf(" %8.3f", ratio);
            count_error(t, i, i == KS ? ratio : truth[i] > 0 ? fabs(ratio - 1) : NAN);
        }
        printf("  indices %lld %lld  triangles", (long long)numbers.index_low,
               (long long)numbers.index_high);
        for (int i = 0; i < 2; i++) /* what each count found, of all, and its cap */
            printf(" %.3f (%u)", (double)numbers.triangles[i] / 2 / truth[TRIANGLES],
                   numbers.triangle_cap[i]);
        printf("\n");
        pdpr_i_bp_numbers_clear(&numbers);
    }
    t->graphs++;
    fflush(stdout);
    free(original);
    free(degree);
}

static void print_run(const char *name, const pdpr_metrics *original,
                      const pdpr_comparison_row *row)
{
    printf("%-22s %6.0f  m %5.2f", name, (double)original->nodes,
           (double)row->metrics.edges / (double)original->edges);
    for (int i = 0; i < PDPR_FIGURES; i++)
        printf(" %7.3f", i == PDPR_FIGURE_KS ? row->figure[i]
                                             : pdpr_figure_metric(&row->metrics, (pdpr_figure)i) /
                                                   pdpr_figure_metric(original, (pdpr_figure)i));
    printf("\n");
}

static void report(trial *t, const char *name, const pdpr_graph *g)
{
    pdpr_error err;
    pdpr_comparison_options options;
    pdpr_comparison *c = NULL;
    pdpr_comparison_summary ours, null;
    pdpr_graph *built[MOST_RUNS];
    uint32_t ahead = 0, rows;

    for (uint32_t r = 0; r < t->runs; r++)
        built[r] = synthesise(t, g, seed_of(t, r));
    pdpr_comparison_options_default(&options);
    options.null_graphs = NULL_GRAPHS;
    if (g->num_nodes > EXACT_PATHS_UP_TO) {
        options.metrics.paths = PDPR_PATHS_SAMPLE;
        options.metrics.samples = 512;
    }
    must(pdpr_comparison_new(t->ctx, g, (const pdpr_graph *const *)built, t->runs, &options, &c,
                             &err),
         &err);
    pdpr_comparison_summarise(c, false, &ours);
    pdpr_comparison_summarise(c, true, &null);
    const pdpr_comparison_row *row = pdpr_comparison_rows(c, false, &rows);
    double edges = 0;
    for (uint32_t r = 0; r < rows; r++) {
        edges += (double)row[r].metrics.edges / rows;
        for (int i = 0; i < PDPR_FIGURES; i++)
            count_error(t, i, row[r].figure[i]);
        if (t->each_run)
            print_run(name, pdpr_comparison_original(c), &row[r]);
    }
    printf("%-22s %6u %8.0f", name, g->num_nodes, (double)pdpr_comparison_original(c)->edges);
    for (int i = 0; i < PDPR_FIGURES; i++) {
        bool better = ours.mean[i] < null.mean[i];
        printf(" %6.3f%c", ours.mean[i], better ? '*' : ' ');
        ahead += better;
        t->ahead_of[i] += better;
    }
    printf(" %u  m %+.0f%%\n", ahead,
           100 * (edges / (double)pdpr_comparison_original(c)->edges - 1));
    printf("%-22s %15s", "  null", "");
    for (int i = 0; i < PDPR_FIGURES; i++)
        printf(" %6.3f ", null.mean[i]);
    printf("\n");
    fflush(stdout);
    t->ahead += ahead;
    if (t->graphs < MOST_GRAPHS) {
        t->tc[t->graphs] = ours.mean[PDPR_FIGURE_TRIANGLES];
        t->ks[t->graphs] = ours.mean[PDPR_FIGURE_KS];
    }
    t->graphs++;
    pdpr_comparison_free(c);
    for (uint32_t r = 0; r < t->runs; r++)
        pdpr_graph_free(built[r]);
}

static void report_member(trial *t, const member *x)
{
    pdpr_error err;
    pdpr_generate_options o;
    pdpr_graph *g = NULL;
    pdpr_generate_options_default(x->kind, x->nodes, &o);
    o.mean_degree = x->mean_degree > 0 ? x->mean_degree : o.mean_degree;
    o.exponent = x->exponent > 0 ? x->exponent : o.exponent;
    o.share = x->share > 0 ? x->share : o.share;
    o.min_degree = x->min_degree ? x->min_degree : o.min_degree;
    o.max_degree = x->max_degree ? x->max_degree : o.max_degree;
    o.group_size = x->group_size ? x->group_size : o.group_size;
    must(pdpr_generate(t->ctx, &o, t->seed, &g, &err), &err);
    (t->degrees_only ? report_degrees : report)(t, x->name, g);
    pdpr_graph_free(g);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, uint32_t count)
{
    qsort(x, count, sizeof *x, ascending);
    return (x[count / 2] + x[(count - 1) / 2]) / 2;
}

static void summarise(trial *t)
{
    printf("%-38s", "mean error, single ones cut at 2");
    for (int i = 0; i < (t->degrees_only ? (int)FITTED : (int)PDPR_FIGURES); i++)
        printf(t->degrees_only ? " %8.3f" : " %6.3f ", t->cut_error[i] / t->defined[i]);
    printf("\n");
    if (t->degrees_only)
        return;
    printf("%-38s", "graphs ahead of the null model");
    for (int i = 0; i < PDPR_FIGURES; i++)
        printf(" %6u ", t->ahead_of[i]);
    uint32_t count = t->graphs < MOST_GRAPHS ? t->graphs : MOST_GRAPHS;
    printf("\n%u of %u cells; median TC %.3f, KS %.3f\n", t->ahead, t->graphs * PDPR_FIGURES,
           median(t->tc, count), median(t->ks, count));
}

static _Noreturn void usage(const char *expected, const char *found)
{
    fprintf(stderr, "generalise: expected %s, found '%s'\n", expected, found);
    exit(2);
}

int main(int argc, char **argv)
{
    trial t = {.epsilon = 3.2, .seed = 1, .runs = 3};
    pdpr_error err;
    const char *list = "choose", *only = NULL;
    int at = 1;

    for (; at + 1 < argc && argv[at][0] == '-'; at += 2)
        switch (argv[at][1]) {
        case 'e':
            t.epsilon = strtod(argv[at + 1], NULL);
            break;
        case 'r':
            t.runs = (uint32_t)strtoul(argv[at + 1], NULL, 10);
            break;
        case 's':
            t.seed = strtoull(argv[at + 1], NULL, 10);
            break;
        case 'l':
            list = argv[at + 1];
            break;
        case 'p':
            t.each_run = strcmp(argv[at + 1], "runs") == 0;
            t.degrees_only = strcmp(argv[at + 1], "degrees") == 0;
            if (!t.each_run && !t.degrees_only && strcmp(argv[at + 1], "graphs") != 0)
                usage("-p graphs, runs or degrees", argv[at + 1]);
            break;
        case 'g':
            only = argv[at + 1];
            break;
        default:
            usage("-e, -r, -s, -l, -g or -p", argv[at]);
        }
    if (at < argc && argv[at][0] == '-')
        usage("a value after the option", argv[at]);
    if (strcmp(list, "choose") != 0 && strcmp(list, "held") != 0 && strcmp(list, "all") != 0 &&
        strcmp(list, "none") != 0)
        usage("-l choose, held, all or none", list);
    if (t.runs < 1 || t.runs > MOST_RUNS) {
        fprintf(stderr, "generalise: expected 1 to %d runs, found %u\n", MOST_RUNS, t.runs);
        return 2;
    }
    must(pdpr_context_new(NULL, &t.ctx, &err), &err);
    printf("epsilon %g, %u runs\n", t.epsilon, t.runs);
    if (t.degrees_only)
        printf("%-22s %6s  cap wider    edges triangle   wedges    claws  largest       KS\n",
               "graph", "nodes");
    else
        printf("%-22s %6s %8s     TC      WC      CC    REDE     CPL    DIAM     LCC      KS  "
               "ahead\n",
               "graph", "nodes", "edges");
    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        bool held = pdpr_kind_is_held_out(family[i].kind);
        if ((strcmp(list, "all") == 0 || strcmp(list, held ? "held" : "choose") == 0) &&
            (!only || strstr(family[i].name, only)))
            report_member(&t, &family[i]);
    }
    for (; at < argc; at++) {
        pdpr_graph *read = NULL, *g = NULL;
        const char *slash = strrchr(argv[at], '/');
        must(pdpr_graph_load(t.ctx, argv[at], NULL, &read, NULL, &err), &err);
        must(pdpr_graph_undirected(t.ctx, read, &g, &err), &err);
        pdpr_graph_free(read);
        (t.degrees_only ? report_degrees : report)(&t, slash ? slash + 1 : argv[at], g);
        pdpr_graph_free(g);
    }
    if (t.graphs > 0)
        summarise(&t);
    pdpr_context_free(t.ctx);
    return 0;
}
