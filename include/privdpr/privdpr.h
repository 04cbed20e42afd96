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
 * `closure` a link goes instead to a link of the node chosen last, which closes a triangle
 * (Holme-Kim). Cost: O(N + m). Errors: PDPR_EUSAGE (m > N(N-1)/4, closure outside [0,1]),
 * PDPR_ENOMEM, PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_generate_social(pdpr_context *ctx, uint32_t num_nodes,
                                                       uint64_t num_edges, double closure,
                                                       uint64_t seed, pdpr_graph **out,
                                                       pdpr_error *err);

/** Kinds of random graphs, from nothing but parameters and a seed. Constants of the methods are
 * chosen on the first list only; the second is kept apart for testing them. */
typedef enum {
    /* for choosing constants */
    PDPR_KIND_GNM = 0,         /**< uniform, Poisson degrees: pdpr_generate_gnm */
    PDPR_KIND_POWER_LAW = 1,   /**< configuration model: heavy tail, few triangles */
    PDPR_KIND_LATTICE = 2,     /**< grid with diagonals and gaps: like streets */
    PDPR_KIND_SMALL_WORLD = 3, /**< ring of near neighbours, some links rewired */
    PDPR_KIND_BLOCKS = 4,      /**< communities of uneven size */
    PDPR_KIND_CLIQUES = 5,     /**< overlapping cliques, T >> m: like co-authorship */
    PDPR_KIND_HUBS = 6,        /**< few hubs, many leaves: like airlines or providers */
    PDPR_KIND_SCATTERED = 7,   /**< sparse: one large component and many small ones */
    /* held out */
    PDPR_KIND_SOCIAL = 8,    /**< growing, heavy-tailed, clustered: pdpr_generate_social */
    PDPR_KIND_GEOMETRIC = 9, /**< random points of a square, linked when near */
    PDPR_KIND_COPYING = 10,  /**< newcomers copy the links of an earlier node: like the web */
    PDPR_KIND_CHAINS = 11,   /**< junctions joined by chains of stops: like pipes and railways */
    PDPR_KINDS
} pdpr_kind;

/** Parameters of a kind; a field that its kind does not name is not read. */
typedef struct {
    size_t struct_size;
    pdpr_kind kind;
    uint32_t num_nodes;
    /** Wanted mean degree; met up to a few per cent, since repeated links count once. All kinds
     * but POWER_LAW, LATTICE and CHAINS. */
    double mean_degree;
    /** POWER_LAW: P(degree = d) ~ d^-exponent on min_degree..max_degree. CLIQUES: the same of
     * clique sizes 2..max_degree + 1. HUBS: the k-th hub is chosen in proportion to k^-exponent. */
    double exponent;
    uint32_t min_degree, max_degree;
    /** A share in [0,1]. LATTICE and CHAINS: links missing. SMALL_WORLD: links rewired. BLOCKS:
     * links drawn from everywhere. CLIQUES: members drawn from everywhere. HUBS: links between
     * leaves. SCATTERED: nodes outside the largest component. SOCIAL: closure. COPYING: links
     * drawn from everywhere. */
    double share;
    double diagonals; /**< LATTICE: share of cells with a diagonal. SCATTERED: of closed wedges */
    uint32_t group_size; /**< BLOCKS, SCATTERED, CHAINS: mean size of a block, of a small component,
                            of a chain. HUBS: leaves per hub */
} pdpr_generate_options;

/** A typical graph of its kind. */
PDPR_API void pdpr_generate_options_default(pdpr_kind kind, uint32_t num_nodes,
                                            pdpr_generate_options *options);

/** "gnm", "power_law", ...; "unknown" for no kind. */
PDPR_API const char *pdpr_kind_name(pdpr_kind kind);
/** True for the kinds on which no constant may be chosen. */
PDPR_API bool pdpr_kind_is_held_out(pdpr_kind kind);

/** One graph. Cost: O(N + m) expected (HUBS: O(N + m log N)). Errors: PDPR_EUSAGE (a parameter out
 * of its range), PDPR_ENOMEM, PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_generate(pdpr_context *ctx,
                                                const pdpr_generate_options *options, uint64_t seed,
                                                pdpr_graph **out, pdpr_error *err);

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
