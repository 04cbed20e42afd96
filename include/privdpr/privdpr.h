/** PrivDPR: publish a graph without publishing anyone in it.
 *
 *  The public API, one header. Conventions:
 *  - A function that can fail returns pdpr_status and takes a pdpr_error last (NULL is allowed).
 * Zero is success. Outputs are written on success only.
 *  - Node ids are uint32_t in 0..N-1, counts and offsets uint64_t.
 *  - A `const` object may be read from many threads. Results never depend on the number of threads.
 *  - Option structs are filled by their _default function first; struct_size lets them grow
 * compatibly.
 *  - The library never prints, exits, or reads environment variables.
 */
#ifndef PRIVDPR_PRIVDPR_H
#define PRIVDPR_PRIVDPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PDPR_VERSION_MAJOR 0
#define PDPR_VERSION_MINOR 1
#define PDPR_VERSION_PATCH 0

#if defined(__GNUC__)
#define PDPR_API     __attribute__((visibility("default")))
#define PDPR_CHECKED __attribute__((warn_unused_result))
#else
#define PDPR_API
#define PDPR_CHECKED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ status and errors */

/** What went wrong, for programs. The text in pdpr_error is for people. */
typedef enum {
    PDPR_OK = 0,
    PDPR_EFAILED = 1,   /**< the system refused: open, read, write, rename, library fault */
    PDPR_EUSAGE = 2,    /**< a parameter is out of its range */
    PDPR_EINPUT = 3,    /**< a file's content is not what its format says */
    PDPR_EBUDGET = 4,   /**< the privacy budget does not allow it */
    PDPR_ENOMEM = 5,    /**< out of memory, or over the context's max_memory */
    PDPR_ECANCELLED = 6 /**< pdpr_context_cancel was called */
} pdpr_status;

enum { PDPR_ERROR_TEXT = 512 };

/** Status and one line for people: names the object, what was found and what was expected. */
typedef struct {
    pdpr_status status;
    char text[PDPR_ERROR_TEXT];
} pdpr_error;

/** Frees an array or string that the library handed over. NULL is fine. */
PDPR_API void pdpr_free(void *block);

/* ------------------------------------------------------------------ context */

/** Widest instruction set that kernels may use. Every choice gives the same results. */
typedef enum {
    PDPR_CPU_AUTO = 0,
    PDPR_CPU_PORTABLE = 1,
    PDPR_CPU_AVX2 = 2,
    PDPR_CPU_AVX512 = 3
} pdpr_cpu;

typedef struct {
    size_t struct_size;
    uint32_t threads;    /**< 0: one per online CPU */
    uint64_t max_memory; /**< cap in bytes on what this context's objects hold together; 0: none */
    pdpr_cpu cpu;
    /** A remark for the owner of the data, one line, may be NULL. May be called from any thread,
     * one call at a time. */
    void (*notice)(void *user, const char *text);
    /** `done` of `total` steps of `what`, at most ten times a second and once at the end; may be
     * NULL. Same threading. */
    void (*progress)(void *user, const char *what, uint64_t done, uint64_t total);
    void *user; /**< handed to both callbacks */
} pdpr_context_options;

/** Threads, memory cap, kernels, callbacks and cancellation of a piece of work. */
typedef struct pdpr_context pdpr_context;

PDPR_API void pdpr_context_options_default(pdpr_context_options *options);

/** options may be NULL. Errors: PDPR_EUSAGE (CPU lacks what `cpu` asks for), PDPR_ENOMEM,
 * PDPR_EFAILED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_context_new(const pdpr_context_options *options,
                                                   pdpr_context **out, pdpr_error *err);

/** Objects made with the context may outlive it. */
PDPR_API void pdpr_context_free(pdpr_context *ctx);

/** Asks the work in progress to stop: it returns PDPR_ECANCELLED soon, with nothing half-written.
 * Async-signal-safe. */
PDPR_API void pdpr_context_cancel(pdpr_context *ctx);

/** Bytes held now, and at most so far, by objects of this context. */
PDPR_API uint64_t pdpr_context_memory(const pdpr_context *ctx, uint64_t *peak);

/** Version, commit, compiler, libraries and the kernels this context uses. The strings live as long
 * as the library. */
typedef struct {
    const char *version, *commit, *build_type, *compiler;
    const char *sodium, *jansson, *zlib, *zstd, *mpfr;
    const char *cpu_found, *cpu_used; /**< "avx512", "avx2" or "portable" */
    uint32_t threads;
} pdpr_build_info;

PDPR_API void pdpr_build_info_get(const pdpr_context *ctx, pdpr_build_info *out);

/* ------------------------------------------------------------------ graph */

/** An immutable simple graph: no loops, no repeats, neighbours ascending. Directed (arcs) or
 * undirected. */
typedef struct pdpr_graph pdpr_graph;

/** What a reader found and did. For the owner's eyes: the counts are private. */
typedef struct {
    uint64_t lines;           /**< of the file, with comments; 0 for binary CSR */
    uint64_t arcs_read;       /**< pairs, entries or half edges in the file, as it counts them */
    uint64_t loops_dropped;   /**< pairs of a node with itself */
    uint64_t repeats_dropped; /**< pairs that were there already */
    bool weights_ignored;     /**< there was a third column, or there were weights */
    bool nodes_declared;      /**< N came from a header, `num_nodes` or a vertex file, not from the
                                 ids seen */
    const char *format;       /**< "edge list", "METIS", "Matrix Market", "binary CSR" */
} pdpr_load_info;

typedef enum {
    PDPR_DIRECTION_AS_READ = 0, /**< arcs as the file has them; undirected if its header says so
                                   ("# directed: no", KONECT sym), METIS, symmetric Matrix Market */
    PDPR_DIRECTION_UNDIRECTED = 1
} pdpr_direction;

typedef struct {
    size_t struct_size;
    pdpr_direction direction;
    uint64_t num_nodes;        /**< declared N: ids lie in 0..N-1 (KONECT: 1..N). 0: from the file's
                                  header, else from the ids seen. Must agree with the header's */
    const char *vertices_path; /**< file with one id a line: the node set and its order. Edge lists
                                  only; NULL: none */
    const char *format;        /**< "edges", "metis", "mtx", "bcsr"; NULL: by extension */
} pdpr_load_options;

PDPR_API void pdpr_load_options_default(pdpr_load_options *options);

/** Reads a graph; options and info may be NULL. "-" is standard input. The format follows the
 * extension (.txt .edges .edgelist .el .tsv .csv, .graph .metis, .mtx, .bcsr; any other is an edge
 * list); gzip and zstd are known by their first bytes.
 *
 * Edge lists: two ids a line, separated by blanks, commas, semicolons or tabs as on the first line;
 * further columns, a heading ("source,target"), loops and repeats are passed over, each with one
 * notice. '#' and '%' start comments. The header declares nodes: "# nodes: N" (ids 0..N-1),
 * "# nodes: N (ids A..B)", "# nodes: N" with N lines "# node: NAME" (in this order), KONECT's
 * "% m n n" (ids 1..n), SNAP's "# Nodes: n Edges: m" if all ids are below n. Without a declared N
 * the nodes are the ids seen, ascending (numbers below 2^64, or texts bytewise), kept as names.
 *
 * Cost: O(N + m) time; beside the graph 8 bytes per line (METIS: per entry) and 5 MB of buffers;
 * ids above 2^32 and texts take a table of 24 bytes per distinct id more.
 * Errors: PDPR_EINPUT ("file:line: expected …, found …"; the first bad line, for any number of
 * threads), PDPR_EFAILED (cannot open or read), PDPR_ENOMEM, PDPR_EUSAGE (unknown format, N above
 * 2^32-2), PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_graph_load(pdpr_context *ctx, const char *path,
                                                  const pdpr_load_options *options,
                                                  pdpr_graph **out, pdpr_load_info *info,
                                                  pdpr_error *err);

/** Writes a graph; format and packing (.gz, .zst) follow the extension, "-" writes an edge list to
 * standard output. The file appears complete or not at all, and the same graph gives the same
 * bytes. Lines are sorted; undirected edges once with the smaller node first. Edge lists and binary
 * CSR read back as the same graph with the same names; METIS (undirected graphs only) and Matrix
 * Market number the nodes from 1. format as in pdpr_load_options, NULL: by extension.
 * Cost: O(N + m) time, 1 MB of buffers.
 * Errors: PDPR_EUSAGE (unknown extension or format, a directed graph for METIS), PDPR_EFAILED,
 * PDPR_ENOMEM, PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_graph_save(pdpr_context *ctx, const pdpr_graph *g,
                                                  const char *path, const char *format,
                                                  pdpr_error *err);

/** Builds a graph from `count` pairs (pairs[2i], pairs[2i+1]); loops and repeats are dropped. Pairs
 * are arcs if `directed`, else edges. Errors: PDPR_EUSAGE (an id >= num_nodes), PDPR_ENOMEM,
 * PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_graph_from_pairs(pdpr_context *ctx, uint32_t num_nodes,
                                                        const uint32_t *pairs, uint64_t count,
                                                        bool directed, pdpr_graph **out,
                                                        pdpr_error *err);

/** The undirected graph of the same pairs, with the same names. Errors: PDPR_ENOMEM,
 * PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_graph_undirected(pdpr_context *ctx, const pdpr_graph *g,
                                                        pdpr_graph **out, pdpr_error *err);

PDPR_API void pdpr_graph_free(pdpr_graph *g);

PDPR_API uint32_t pdpr_graph_num_nodes(const pdpr_graph *g);
/** Arcs of a directed graph, edges of an undirected one. */
PDPR_API uint64_t pdpr_graph_num_edges(const pdpr_graph *g);
PDPR_API bool pdpr_graph_is_directed(const pdpr_graph *g);
/** (Out-)neighbours of u < N, ascending; *degree is their number. The array belongs to the graph.
 */
PDPR_API const uint32_t *pdpr_graph_neighbours(const pdpr_graph *g, uint32_t u, uint64_t *degree);
/** The id that node u < N has in files, as text, cut to `size` bytes with its final NUL. Returns
 * its full length. */
PDPR_API size_t pdpr_graph_name(const pdpr_graph *g, uint32_t u, char *text, size_t size);

/* ------------------------------------------------------------------ generated graphs (public side)
 */

/** G(N, m): m distinct edges, uniformly among all sets of that size. The floor that every method is
 * compared with. Cost: O(N + m). Errors: PDPR_EUSAGE (m > N(N-1)/2), PDPR_ENOMEM, PDPR_ECANCELLED.
 */
PDPR_API PDPR_CHECKED pdpr_status pdpr_generate_gnm(pdpr_context *ctx, uint32_t num_nodes,
                                                    uint64_t num_edges, uint64_t seed,
                                                    pdpr_graph **out, pdpr_error *err);

/** A heavy-tailed, clustered graph like a social network, with exactly m edges: nodes arrive one by
 * one and link to earlier ones in proportion to their degree (Barabasi-Albert); with probability
 * `closure` a link goes instead to a link of the node chosen last, which closes a triangle
 * (Holme-Kim). Cost: O(N + m). Errors: PDPR_EUSAGE (m > N(N-1)/4, closure outside [0,1]),
 * PDPR_ENOMEM, PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_generate_social(pdpr_context *ctx, uint32_t num_nodes,
                                                       uint64_t num_edges, double closure,
                                                       uint64_t seed, pdpr_graph **out,
                                                       pdpr_error *err);

/* ------------------------------------------------------------------ metrics */

/** A 128-bit count (claws overflow 64 bits on large hubs). */
typedef struct {
    uint64_t high, low;
} pdpr_uint128;

PDPR_API double pdpr_uint128_to_double(pdpr_uint128 value);
enum { PDPR_UINT128_TEXT = 40 };
/** Decimal digits into text[PDPR_UINT128_TEXT]. */
PDPR_API void pdpr_uint128_format(pdpr_uint128 value, char text[PDPR_UINT128_TEXT]);

typedef enum {
    PDPR_PATHS_EXACT = 0,  /**< every source: O(N m / 512) word operations */
    PDPR_PATHS_SAMPLE = 1, /**< `samples` random sources: an estimate with its standard error */
    PDPR_PATHS_NONE = 2
} pdpr_paths;

typedef struct {
    size_t struct_size;
    pdpr_paths paths;
    uint32_t samples; /**< sources of PDPR_PATHS_SAMPLE */
    uint64_t seed;    /**< chooses them */
} pdpr_metrics_options;

/** The eight metrics of an undirected graph (a directed one is read as undirected).
 *  Exact values and estimates never share a field: see have_*. */
typedef struct {
    uint64_t nodes, edges, triangles, lcc; /**< lcc: nodes of the largest component */
    pdpr_uint128 wedges, claws;            /**< sum of C(d,2), sum of C(d,3) */
    double rede; /**< relative edge distribution entropy; 0 if there is no edge or N < 2 */
    uint64_t max_degree, components;
    bool have_cpl; /**< cpl is exact: mean hop distance over the pairs of the largest component */
    bool have_estimate; /**< cpl_estimate and cpl_standard_error hold a sampled value */
    bool have_diameter; /**< diameter is exact; else it lies in [diameter_lower, diameter_upper] if
                           have_bounds */
    bool have_bounds;
    double cpl, cpl_estimate, cpl_standard_error;
    uint32_t samples;
    uint32_t diameter, diameter_lower, diameter_upper;
} pdpr_metrics;

PDPR_API void pdpr_metrics_options_default(pdpr_metrics_options *options);

/** Cost: O(m^1.5) for triangles, paths as chosen; O(N) words per thread. Same answer for any thread
 * count. Errors: PDPR_ENOMEM, PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_metrics_compute(pdpr_context *ctx, const pdpr_graph *g,
                                                       const pdpr_metrics_options *options,
                                                       pdpr_metrics *out, pdpr_error *err);

/** histogram[d] = nodes of (undirected) degree d, d = 0..max; the caller frees it with pdpr_free.
 *  Errors: PDPR_ENOMEM, PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_graph_degree_histogram(pdpr_context *ctx,
                                                              const pdpr_graph *g,
                                                              uint64_t **histogram,
                                                              uint64_t *length, pdpr_error *err);

/** Kolmogorov-Smirnov distance of two degree distributions given as histograms; both must hold a
 * node. */
PDPR_API double pdpr_ks_distance(const uint64_t *a, uint64_t a_length, const uint64_t *b,
                                 uint64_t b_length);

/* ------------------------------------------------------------------ comparison */

/** The eight figures of a comparison, in the order of the paper: relative errors of seven metrics,
 * and KS. */
typedef enum {
    PDPR_FIGURE_TRIANGLES,
    PDPR_FIGURE_WEDGES,
    PDPR_FIGURE_CLAWS,
    PDPR_FIGURE_REDE,
    PDPR_FIGURE_CPL,
    PDPR_FIGURE_DIAMETER,
    PDPR_FIGURE_LCC,
    PDPR_FIGURE_KS,
    PDPR_FIGURES
} pdpr_figure;

/** The key of a figure in JSON and tables: "triangles", …, "ks". */
PDPR_API const char *pdpr_figure_name(pdpr_figure figure);

/** One graph against the original. A figure that is not defined (original 0, or not computed) is
 * NaN. */
typedef struct {
    pdpr_metrics metrics;
    double figure[PDPR_FIGURES]; /**< |x - x0| / x0, and the KS distance */
} pdpr_comparison_row;

typedef struct {
    double mean[PDPR_FIGURES],
        sd[PDPR_FIGURES]; /**< over the rows where defined; sd is NaN below two rows */
    uint64_t rows;
} pdpr_comparison_summary;

typedef struct pdpr_comparison pdpr_comparison;

typedef struct {
    size_t struct_size;
    pdpr_metrics_options metrics;
    uint32_t null_graphs; /**< graphs of the null model G(N, true m) beside it; 0: none */
    uint64_t null_seed;
} pdpr_comparison_options;

PDPR_API void pdpr_comparison_options_default(pdpr_comparison_options *options);

/** Measures `original` (private!) against each synthetic graph and against the null model.
 *  Errors: PDPR_EUSAGE (node counts differ), PDPR_ENOMEM, PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_comparison_new(pdpr_context *ctx, const pdpr_graph *original,
                                                      const pdpr_graph *const *synthetic,
                                                      uint32_t count,
                                                      const pdpr_comparison_options *options,
                                                      pdpr_comparison **out, pdpr_error *err);
PDPR_API void pdpr_comparison_free(pdpr_comparison *c);
PDPR_API const pdpr_metrics *pdpr_comparison_original(const pdpr_comparison *c);
/** Rows of the synthetic graphs (index < count) or, with `null_model`, of the null graphs. */
PDPR_API const pdpr_comparison_row *pdpr_comparison_rows(const pdpr_comparison *c, bool null_model,
                                                         uint32_t *count);
PDPR_API void pdpr_comparison_summarise(const pdpr_comparison *c, bool null_model,
                                        pdpr_comparison_summary *out);

/* ------------------------------------------------------------------ JSON */

/** metrics --json: an array with one flat object per graph. names[i] labels graph i. The caller
 * frees *out. Errors: PDPR_ENOMEM. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_report_metrics_json(pdpr_context *ctx,
                                                           const pdpr_metrics *metrics,
                                                           const char *const *names, uint32_t count,
                                                           char **out, pdpr_error *err);

/** compare --json: one object with `original`, `synthetic`, `mean`, `sd` and `null`. The caller
 * frees *out. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_report_comparison_json(pdpr_context *ctx,
                                                              const pdpr_comparison *c,
                                                              const char *original_name,
                                                              const char *const *synthetic_names,
                                                              char **out, pdpr_error *err);

#ifdef __cplusplus
}
#endif
#endif
