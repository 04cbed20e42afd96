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
    uint64_t lines, arcs_read, loops_dropped, repeats_dropped;
    bool weights_ignored; /**< there was a third column */
    bool nodes_declared;  /**< N came from a header, `num_nodes` or a vertex file, not from the ids
                             seen */
    const char *format;   /**< "edge list", "METIS", "Matrix Market", "binary CSR" */
} pdpr_load_info;

typedef enum {
    PDPR_DIRECTION_AS_READ =
        0, /**< arcs as the file has them; METIS and symmetric Matrix Market are undirected */
    PDPR_DIRECTION_UNDIRECTED = 1
} pdpr_direction;

typedef struct {
    size_t struct_size;
    pdpr_direction direction;
    uint64_t num_nodes; /**< declared N; ids must lie in 0..N-1. 0: from the file's header, else
                           from the ids seen */
    const char
        *vertices_path; /**< file with one id a line: the node set and its order; NULL: none */
    const char *format; /**< "edges", "metis", "mtx", "bcsr"; NULL: by extension */
} pdpr_load_options;

PDPR_API void pdpr_load_options_default(pdpr_load_options *options);

/** Reads a graph; the format follows the extension (.gz and .zst are unpacked), "-" reads an edge
 * list from standard input. Without a declared N the nodes are the ids seen, in ascending order,
 * kept as names. info may be NULL. Cost: O(N + m) time, at most 24 bytes per arc plus a fixed
 * buffer. Errors: PDPR_EINPUT ("file:line: expected …, found …"), PDPR_EFAILED, PDPR_ENOMEM,
 * PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_graph_load(pdpr_context *ctx, const char *path,
                                                  const pdpr_load_options *options,
                                                  pdpr_graph **out, pdpr_load_info *info,
                                                  pdpr_error *err);

/** Writes a graph; format and compression follow the extension, "-" writes an edge list to standard
 * output. The file appears complete or not at all. Lines are sorted; undirected edges once with the
 * smaller id first. format as in pdpr_load_options, NULL: by extension. Errors: PDPR_EUSAGE,
 * PDPR_EFAILED, PDPR_ECANCELLED. */
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
 * `closure` a link goes instead to a neighbour of the node chosen last, which closes a triangle
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
    PDPR_PATHS_EXACT = 0,  /**< every source, 512 at once: about N m / 512 memory accesses */
    PDPR_PATHS_SAMPLE = 1, /**< `samples` random sources: an estimate with its standard error, and
                              bounds of the diameter. At least as many as the largest component
                              has nodes: exact */
    PDPR_PATHS_NONE = 2
} pdpr_paths;

typedef struct {
    size_t struct_size;
    pdpr_paths paths;
    uint32_t samples; /**< sources of PDPR_PATHS_SAMPLE, at least 1; 2048 by default */
    uint64_t seed;    /**< chooses them */
} pdpr_metrics_options;

/** The eight metrics of an undirected graph (a directed one is read as undirected).
 *  Exact values and estimates never share a field: see have_*. Of several largest components the
 *  one with the smallest node id counts. A component of one node, and the graph without nodes, have
 *  cpl 0 and diameter 0. */
typedef struct {
    uint64_t nodes, edges, triangles, lcc; /**< lcc: nodes of the largest component */
    pdpr_uint128 wedges, claws;            /**< sum of C(d,2), sum of C(d,3) */
    double rede; /**< relative edge distribution entropy; 0 if there is no edge or N < 2 */
    uint64_t max_degree, components;
    bool have_cpl; /**< cpl is exact: mean hop distance over the pairs of the largest component */
    bool have_estimate; /**< cpl_estimate and cpl_standard_error (NaN for one sample) hold a
                           sampled value */
    bool have_diameter; /**< diameter is exact; else it lies in [diameter_lower, diameter_upper] if
                           have_bounds */
    bool have_bounds;
    double cpl, cpl_estimate, cpl_standard_error;
    uint32_t samples; /**< sources behind the estimate */
    uint32_t diameter, diameter_lower, diameter_upper;
} pdpr_metrics;

PDPR_API void pdpr_metrics_options_default(pdpr_metrics_options *options);

/** Measures g. options may be NULL. Cost: O(m^1.5) time for triangles, paths as chosen; 12 bytes
 * per arc, and for paths 141 bytes per node and thread (fewer threads if the memory cap demands
 * it). Same answer for any thread count and kernel. Errors: PDPR_EUSAGE (unknown `paths`, 0
 * samples), PDPR_ENOMEM, PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_metrics_compute(pdpr_context *ctx, const pdpr_graph *g,
                                                       const pdpr_metrics_options *options,
                                                       pdpr_metrics *out, pdpr_error *err);

/** histogram[d] = nodes of (undirected) degree d, d = 0..max; the caller frees it with pdpr_free.
 *  Errors: PDPR_ENOMEM, PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_graph_degree_histogram(pdpr_context *ctx,
                                                              const pdpr_graph *g,
                                                              uint64_t **histogram,
                                                              uint64_t *length, pdpr_error *err);

/** Kolmogorov-Smirnov distance of two degree distributions given as histograms: the largest
 * difference of their cumulative shares. 0 if neither holds a node, NaN if only one does. */
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

/** One graph against the original. Both 0: the error is 0. A figure that is not defined (original
 * alone 0, not computed, or an exact path length beside an estimate) is NaN. If both path lengths
 * are estimates, so is the figure: see have_estimate of the original. */
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
    uint32_t
        null_graphs; /**< graphs of the null model G(N, true m) beside it; 5 by default, 0: none */
    uint64_t null_seed; /**< graph i has seed null_seed + i */
} pdpr_comparison_options;

PDPR_API void pdpr_comparison_options_default(pdpr_comparison_options *options);

/** Measures `original` (private!) against each synthetic graph and against the null model. options
 * may be NULL; count may be 0. Errors: PDPR_EUSAGE (node counts differ, or as
 * pdpr_metrics_compute), PDPR_ENOMEM, PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_comparison_new(pdpr_context *ctx, const pdpr_graph *original,
                                                      const pdpr_graph *const *synthetic,
                                                      uint32_t count,
                                                      const pdpr_comparison_options *options,
                                                      pdpr_comparison **out, pdpr_error *err);
PDPR_API void pdpr_comparison_free(pdpr_comparison *c);
PDPR_API const pdpr_metrics *pdpr_comparison_original(const pdpr_comparison *c);
/** Rows of the synthetic graphs (index < count) or, with `null_model`, of the null graphs. They
 * belong to c. */
PDPR_API const pdpr_comparison_row *pdpr_comparison_rows(const pdpr_comparison *c, bool null_model,
                                                         uint32_t *count);
/** Mean and standard deviation of each figure. */
PDPR_API void pdpr_comparison_summarise(const pdpr_comparison *c, bool null_model,
                                        pdpr_comparison_summary *out);

/* ------------------------------------------------------------------ JSON */

/** metrics --json: an array with one flat object per graph, ending in a newline. names[i] labels
 * graph i. What is not defined is null. Sampled paths have cpl_estimate, cpl_standard_error and
 * samples in place of cpl, an enclosed diameter diameter_lower and diameter_upper; a count above
 * 2^63 - 1 is a real number beside its digits in <key>_exact. The caller frees *out with pdpr_free.
 * Errors: PDPR_ENOMEM. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_report_metrics_json(pdpr_context *ctx,
                                                           const pdpr_metrics *metrics,
                                                           const char *const *names, uint32_t count,
                                                           char **out, pdpr_error *err);

/** compare --json: one object with `original`, `synthetic`, `mean`, `sd` and `null`, ending in a
 * newline. The caller frees *out with pdpr_free. Errors: PDPR_ENOMEM. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_report_comparison_json(pdpr_context *ctx,
                                                              const pdpr_comparison *c,
                                                              const char *original_name,
                                                              const char *const *synthetic_names,
                                                              char **out, pdpr_error *err);

#ifdef __cplusplus
}
#endif
#endif
