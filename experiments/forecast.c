/* Errors of blueprint graphs over generated graphs: the table behind `privdpr plan`.
 *
 *     forecast [-c] [-s SEEDS] [-n MOST_NODES] [-r RUNS.csv] > forecast_table.c
 *
 * For every size, density, kind and seed: generates a graph, publishes it at each epsilon (seeded,
 * through the public interface) and compares. Writes the 10 %, 50 % and 90 % quantiles over kinds
 * and seeds as C source on stdout, and every run to RUNS.csv. Large graphs take fewer seeds. With
 * -c nothing is written but a check: the held-out kinds are run and it is counted how many of
 * their errors fall into the present table's bands. -n leaves out larger graphs, for a quick look;
 * their rows repeat the last. */
#include "method/forecast_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double nodes[PDPR_I_FORECAST_NODES] = {300, 1000, 3000, 10000, 30000};
static const double epsilons[PDPR_I_FORECAST_EPSILONS] = {0.1, 0.32, 1, 3.2, 10};
static const double degrees[PDPR_I_FORECAST_DEGREES] = {4, 16};
static const double quantiles[PDPR_I_FORECAST_QUANTILES] = {0.1, 0.5, 0.9};

enum { MOST_RUNS = 256 };

typedef struct {
    double value[MOST_RUNS];
    uint32_t count;
} runs_of_a_cell;

static runs_of_a_cell cell[PDPR_I_FORECAST_NODES][PDPR_I_FORECAST_EPSILONS][PDPR_I_FORECAST_DEGREES]
                          [PDPR_FIGURES];

typedef struct {
    pdpr_context *ctx;
    pdpr_ledger *ledger;
    char folder[64], release[96], certificate[96];
    FILE *runs;
    bool check;
    uint64_t inside[PDPR_FIGURES], all[PDPR_FIGURES]; /* of the check */
} experiment;

static void must(pdpr_status s, const pdpr_error *err)
{
    if (s != PDPR_OK) {
        fprintf(stderr, "forecast: %s\n", err->text);
        exit(1);
    }
}

/* A typical graph of the kind with about this mean degree; NULL if the kind has none. */
static pdpr_graph *generate(pdpr_context *ctx, pdpr_kind kind, uint32_t n, double degree,
                            uint64_t seed)
{
    pdpr_generate_options how;
    pdpr_graph *g = NULL;
    pdpr_error err = {0};
    pdpr_generate_options_default(kind, n, &how);
    if (how.mean_degree > 0)
        how.mean_degree = degree;
    else if (kind == PDPR_KIND_POWER_LAW)
        how.min_degree = (uint32_t)(degree / 3 + 0.5);
    else if (degree > 4) /* streets and railways are sparse */
        return NULL;
    if (pdpr_generate(ctx, &how, seed, &g, &err) != PDPR_OK)
        fprintf(stderr, "left out: %s, %" PRIu32 " nodes: %s\n", pdpr_kind_name(kind), n, err.text);
    return g;
}

static pdpr_graph *publish(experiment *x, const pdpr_graph *g, double epsilon, uint64_t seed)
{
    pdpr_error err = {0};
    pdpr_method_options o;
    pdpr_release *release = NULL;
    pdpr_graph *out = NULL;
    pdpr_publication p = {
        .struct_size = sizeof p, .release_path = x->release, .certificate_path = x->certificate};
    pdpr_method_options_default(&o);
    o.method = "blueprint";
    o.epsilon = epsilon;
    o.seeded = true;
    o.seed = seed;
    o.day = "2000-01-01";
    must(pdpr_publish(x->ctx, g, &o, x->ledger, &p, &err), &err);
    must(pdpr_release_load(x->ctx, x->release, &release, &err), &err);
    must(pdpr_release_sample(x->ctx, release, seed, 0, &out, &err), &err);
    pdpr_release_free(release);
    return out;
}

/* Counts a run of the check: is each error inside the table's band? */
static void check(experiment *x, uint32_t n, double epsilon, double degree, const double *figure)
{
    pdpr_error err = {0};
    pdpr_method_options o;
    pdpr_forecast f;
    pdpr_method_options_default(&o);
    o.epsilon = epsilon;
    must(pdpr_forecast_make(x->ctx, n, degree, &o, &f, &err), &err);
    for (pdpr_figure k = 0; k < PDPR_FIGURES; k++)
        if (!isnan(figure[k])) {
            x->inside[k] += figure[k] >= f.low[k] - 1e-6 && figure[k] <= f.high[k] + 1e-6;
            x->all[k]++;
        }
}

static void run_graph(experiment *x, uint32_t in, uint32_t id, pdpr_kind kind, uint64_t seed)
{
    pdpr_error err = {0};
    uint32_t n = (uint32_t)nodes[in];
    pdpr_graph *g = generate(x->ctx, kind, n, degrees[id], seed);
    pdpr_graph *made[PDPR_I_FORECAST_EPSILONS];
    pdpr_comparison *c = NULL;
    pdpr_comparison_options how;
    if (!g)
        return;
    for (int e = 0; e < PDPR_I_FORECAST_EPSILONS; e++)
        made[e] = publish(x, g, epsilons[e], seed);
    pdpr_comparison_options_default(&how);
    how.null_graphs = 0;
    must(pdpr_comparison_new(x->ctx, g, (const pdpr_graph *const *)made, PDPR_I_FORECAST_EPSILONS,
                             &how, &c, &err),
         &err);
    uint32_t count = 0;
    const pdpr_comparison_row *row = pdpr_comparison_rows(c, false, &count);
    double degree = 2 * (double)pdpr_graph_num_edges(g) / n;
    for (uint32_t e = 0; e < count; e++) {
        if (x->check)
            check(x, n, epsilons[e], degree, row[e].figure);
        if (x->runs)
            fprintf(x->runs, "%s,%" PRIu32 ",%.2f,%g,%" PRIu64, pdpr_kind_name(kind), n, degree,
                    epsilons[e], seed);
        for (pdpr_figure f = 0; f < PDPR_FIGURES; f++) {
            runs_of_a_cell *r = &cell[in][e][id][f];
            if (!isnan(row[e].figure[f]) && r->count < MOST_RUNS)
                r->value[r->count++] = row[e].figure[f];
            if (x->runs)
                fprintf(x->runs, ",%.4f", row[e].figure[f]);
        }
        if (x->runs)
            fprintf(x->runs, "\n");
        pdpr_graph_free(made[e]);
    }
    pdpr_comparison_free(c);
    pdpr_graph_free(g);
}

/* ---------------------------------------------------------------- the table */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Linear between order statistics; a cell without a run says that all is lost. */
static double quantile(runs_of_a_cell *r, double q)
{
    if (r->count == 0)
        return 1;
    qsort(r->value, r->count, sizeof *r->value, by_value);
    double at = q * (r->count - 1);
    uint32_t low = (uint32_t)at, high = low + 1 < r->count ? low + 1 : low;
    return r->value[low] + (at - low) * (r->value[high] - r->value[low]);
}

static void print_grid(const char *name, const char *size, const double *grid, int length)
{
    printf("const double pdpr_i_forecast_%s[PDPR_I_FORECAST_%s] = {", name, size);
    for (int i = 0; i < length; i++)
        printf("%s%g", i ? ", " : "", grid[i]);
    printf("};\n");
}

static void print_table(uint32_t sizes)
{
    printf(
        "/* Quantiles (10 %%, 50 %%, 90 %%) of the errors of blueprint graphs over generated graphs,\n"
        " * by nodes, epsilon, mean degree and figure. Written by experiments/forecast.sh: do not edit.\n"
        " */\n"
        "#include \"method/forecast_table.h\"\n\n");
    print_grid("nodes", "NODES", nodes, PDPR_I_FORECAST_NODES);
    print_grid("epsilons", "EPSILONS", epsilons, PDPR_I_FORECAST_EPSILONS);
    print_grid("degrees", "DEGREES", degrees, PDPR_I_FORECAST_DEGREES);
    printf("\n/* clang-format off */\nconst float pdpr_i_forecast_table\n"
           "    [PDPR_I_FORECAST_NODES][PDPR_I_FORECAST_EPSILONS][PDPR_I_FORECAST_DEGREES]\n"
           "    [PDPR_FIGURES][PDPR_I_FORECAST_QUANTILES] = {\n");
    for (uint32_t n = 0; n < PDPR_I_FORECAST_NODES; n++) {
        printf("{ /* %g nodes */\n", nodes[n]);
        for (uint32_t e = 0; e < PDPR_I_FORECAST_EPSILONS; e++) {
            printf(" {\n");
            for (uint32_t d = 0; d < PDPR_I_FORECAST_DEGREES; d++) {
                printf("  { /* epsilon %g, mean degree %g */\n   ", epsilons[e], degrees[d]);
                for (pdpr_figure f = 0; f < PDPR_FIGURES; f++) {
                    printf("%s{", f == 4 ? "\n   " : f ? " " : "");
                    for (int q = 0; q < PDPR_I_FORECAST_QUANTILES; q++)
                        printf("%s%.4ff", q ? ", " : "",
                               quantile(&cell[n < sizes ? n : sizes - 1][e][d][f], quantiles[q]));
                    printf("},");
                }
                printf("\n  },\n");
            }
            printf(" },\n");
        }
        printf("},\n");
    }
    printf("};\n/* clang-format on */\n");
}

int main(int argc, char **argv)
{
    static experiment x;
    pdpr_error err = {0};
    pdpr_ledger_options options;
    char ledger[96];
    double most_nodes = 30000;
    uint64_t seeds = 3;
    int option;
    while ((option = getopt(argc, argv, "cs:n:r:")) != -1) {
        if (option == 'c')
            x.check = true;
        else if (option == 's')
            seeds = strtoull(optarg, NULL, 10);
        else if (option == 'n')
            most_nodes = strtod(optarg, NULL);
        else if (option == 'r' && (x.runs = fopen(optarg, "w")) != NULL)
            fprintf(x.runs, "kind,nodes,mean_degree,epsilon,seed,triangles,wedges,claws,rede,cpl,"
                            "diameter,lcc,ks\n");
        else
            return 2;
    }
    strcpy(x.folder, "/tmp/privdpr-forecast-XXXXXX");
    if (!mkdtemp(x.folder))
        return 1;
    snprintf(ledger, sizeof ledger, "%s/ledger", x.folder);
    snprintf(x.release, sizeof x.release, "%s/x.release", x.folder);
    snprintf(x.certificate, sizeof x.certificate, "%s/x.json", x.folder);
    must(pdpr_context_new(NULL, &x.ctx, &err), &err);
    pdpr_ledger_options_default(&options);
    options.create = true;
    must(pdpr_ledger_open(x.ctx, ledger, &options, &x.ledger, &err), &err);

    uint32_t sizes = 0;
    for (; sizes < PDPR_I_FORECAST_NODES && nodes[sizes] <= most_nodes; sizes++)
        for (uint32_t d = 0; d < PDPR_I_FORECAST_DEGREES; d++) {
            /* large graphs spread less from seed to seed and take longer */
            uint64_t some = nodes[sizes] > 5000 ? 1 : nodes[sizes] > 1500 ? (seeds + 1) / 2 : seeds;
            for (pdpr_kind k = 0; k < PDPR_KINDS; k++)
                for (uint64_t seed = 1; seed <= some && pdpr_kind_is_held_out(k) == x.check; seed++)
                    run_graph(&x, sizes, d, k, seed);
            fprintf(stderr, "%g nodes, mean degree %g: done\n", nodes[sizes], degrees[d]);
        }
    if (sizes > 0 && !x.check)
        print_table(sizes);
    for (pdpr_figure f = 0; x.check && f < PDPR_FIGURES; f++)
        printf("%-10s %5.1f %% of %" PRIu64 " errors in the band of 80 %%\n", pdpr_figure_name(f),
               100 * (double)x.inside[f] / (double)(x.all[f] ? x.all[f] : 1), x.all[f]);
    pdpr_ledger_close(x.ledger);
    pdpr_context_free(x.ctx);
    unlink(ledger);
    unlink(x.release);
    unlink(x.certificate);
    rmdir(x.folder);
    return x.runs && fclose(x.runs) != 0;
}
