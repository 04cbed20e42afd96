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

enum { PDPR_ERROR_TEXT = 2048 };

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
    /** `done` of `total` steps of `what`, at most ten times a second and once at the end; total 0:
     * it goes on, and nobody knows for how long. May be NULL. Same threading. */
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
 * as the library. The commit is that of the build: "COMMIT", "COMMIT-dirty-DIGEST" for a changed
 * working copy, "source-DIGEST" without git. */
typedef struct {
    const char *version, *commit, *build_type, *compiler;
    const char *sodium, *jansson, *zlib, *zstd, *mpfr;
    const char *cpu_found, *cpu_used; /**< "avx512", "avx2" or "portable" */
    uint32_t threads;
} pdpr_build_info;

PDPR_API void pdpr_build_info_get(const pdpr_context *ctx, pdpr_build_info *out);

enum { PDPR_SHA256_TEXT = 65 }; /**< 32 bytes in hex, and the NUL */

/** The SHA-256 of a file's bytes in lower-case hex, as certificates state it of published files.
 * Cost: about 300 MB/s. Errors: PDPR_EFAILED (cannot open or read), PDPR_ENOMEM, PDPR_ECANCELLED.
 */
PDPR_API PDPR_CHECKED pdpr_status pdpr_file_sha256(pdpr_context *ctx, const char *path,
                                                   char hex[PDPR_SHA256_TEXT], pdpr_error *err);

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
    bool nodes_declared;      /**< N came from a declaration, `num_nodes` or a vertex file, not from
                                 the ids seen or a count of them */
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
 * notice (docs/formats.md). '#' and '%' start comments. The header declares nodes: "# nodes: N"
 * (ids 0..N-1), "# nodes: N (ids A..B)", "# nodes: N" with N lines "# node: NAME" (in this order).
 * KONECT's "% m n n" (ids 1..n) and SNAP's "# Nodes: n Edges: m" (if all ids are below n) give the
 * nodes too but count those that occur: nodes_declared is then false. What declares no number
 * ("# nodes: three"), or stands below the first edge, is an error. Without a declared N the nodes
 * are the ids seen, ascending (numbers below 2^64, or texts bytewise), kept as names. If an id
 * begins with a zero ("007"), all ids are texts, with a notice.
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
 * Errors: PDPR_EUSAGE (unknown extension or format, a directed graph for METIS, the name of a
 * ledger or checkpoint), PDPR_EFAILED, PDPR_ENOMEM, PDPR_ECANCELLED. */
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

/** The configuration model of g: its degrees (less what falls on loops and repeats, which are
 * dropped), links by chance. A null model that is told every degree: NOT PRIVATE. Cost: O(N + m).
 * Errors: PDPR_ENOMEM, PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_generate_configuration(pdpr_context *ctx,
                                                              const pdpr_graph *g, uint64_t seed,
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

/* ------------------------------------------------------------------ privacy accounting */

/* Every result errs on the safe side: epsilon and delta are never below, mu is never above the
 * exact value (docs/proofs/gaussian_dp.md, docs/proofs/joint_accounting.md). They are within 1e-9
 * of it; for very long lists see pdpr_accountant_epsilon. */

/** The largest mu for which a mu-GDP mechanism is (epsilon, delta)-DP. One Gaussian release of
 * L2 sensitivity D then needs sigma = D/mu, T of them sigma = D sqrt(T)/mu. Cost: about 1 ms.
 * Errors: PDPR_EUSAGE (epsilon outside [0, 1e6], delta outside (0, 1)). */
PDPR_API PDPR_CHECKED pdpr_status pdpr_gdp_mu(double epsilon, double delta, double *out,
                                              pdpr_error *err);

/** The smallest epsilon >= 0 for which every mu-GDP mechanism is (epsilon, delta)-DP. Cost: about
 * 1 ms. Errors: PDPR_EUSAGE (mu outside (0, 1e6], delta outside (0, 1)). */
PDPR_API PDPR_CHECKED pdpr_status pdpr_gdp_epsilon(double mu, double delta, double *out,
                                                   pdpr_error *err);

/** The smallest delta for which every mu-GDP mechanism is (epsilon, delta)-DP; epsilon may be
 * negative. Errors: PDPR_EUSAGE (mu outside (0, 1e6], epsilon not finite). */
PDPR_API PDPR_CHECKED pdpr_status pdpr_gdp_delta(double mu, double epsilon, double *out,
                                                 pdpr_error *err);

/** A list of privacy charges, fixed before the data are read, and what they cost together. */
typedef struct pdpr_accountant pdpr_accountant;

/** An empty list. Errors: PDPR_ENOMEM. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_accountant_new(pdpr_context *ctx, pdpr_accountant **out,
                                                      pdpr_error *err);
PDPR_API void pdpr_accountant_free(pdpr_accountant *a);

/** Adds a mechanism that is (numerator/denominator)-DP. On error the list is unchanged.
 *  Errors: PDPR_EUSAGE (a zero, above 50, no label, more than 1024 pure charges), PDPR_ENOMEM. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_accountant_add_pure(pdpr_context *ctx, pdpr_accountant *a,
                                                           const char *label, uint64_t numerator,
                                                           uint64_t denominator, pdpr_error *err);

/** Adds `steps` adaptive mechanisms, each mu-GDP. On error the list is unchanged.
 *  Errors: PDPR_EUSAGE (mu outside (0, 1e6], no steps, no label, mu of the whole list above 1e6),
 *  PDPR_ENOMEM. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_accountant_add_gaussian(pdpr_context *ctx,
                                                               pdpr_accountant *a,
                                                               const char *label, double mu,
                                                               uint64_t steps, pdpr_error *err);

/** The smallest epsilon for which the whole list is (epsilon, delta)-DP. 2^-20 of delta is kept
 * back for cut tails and the CSPRNG. delta = 0 is allowed when all charges are pure: their sum.
 *  Within 1e-9, in a few ms with a Gaussian charge or up to 22 different pure ones; in up to a
 * second for more different pure charges alone, and within 1e-8 from 256 of them on.
 *  Errors: PDPR_EUSAGE (delta), PDPR_ENOMEM. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_accountant_epsilon(pdpr_context *ctx,
                                                          const pdpr_accountant *a, double delta,
                                                          double *out, pdpr_error *err);

/** The smallest delta for which the whole list is (epsilon, delta)-DP, at most 1; 2^-20 of it is
 * kept back as above. Errors: PDPR_EUSAGE (epsilon negative or not finite), PDPR_ENOMEM. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_accountant_delta(pdpr_context *ctx, const pdpr_accountant *a,
                                                        double epsilon, double *out,
                                                        pdpr_error *err);

/* ------------------------------------------------------------------ ledger */

/** What has been spent on which data: one private, append-only file of hash-chained lines, durable
 * before anything is done on the strength of it. Every operation locks the file, reads and checks
 * it whole, and adds at most one line. A handle belongs to one thread; any number of handles and
 * processes may use the same file. docs/privacy.md explains it, docs/proofs/ledger.md proves it. */
typedef struct pdpr_ledger pdpr_ledger;

enum {
    PDPR_LEDGER_KEY_TEXT = 65, /**< sizes count the NUL: 32 bytes in hex */
    PDPR_LEDGER_ID_TEXT = 33,  /**< 16 bytes in hex */
    PDPR_LEDGER_DAY_TEXT = 11, /**< YYYY-MM-DD */
    PDPR_LEDGER_METHOD_TEXT = 33
};

typedef struct {
    size_t struct_size;
    bool create;           /**< make the ledger if there is none; else a missing one is refused */
    bool read_only;        /**< for looking: the file is not written, an unwritable one will do */
    uint32_t wait_seconds; /**< longest wait for another process's lock; 10 by default. A run that
                                has reserved waits until it is cancelled */
} pdpr_ledger_options;

PDPR_API void pdpr_ledger_options_default(pdpr_ledger_options *options);

/** Opens and checks the ledger at `path`; options may be NULL. Nothing is repaired: a damaged
 * ledger is refused with the line and what to do. The handle keeps ctx, which must outlive it.
 * Errors: PDPR_EFAILED (missing, read-only, open to other users, held too long), PDPR_EINPUT
 * ("file:line: …": edited, reordered, lines missing, another or a newer format), PDPR_ENOMEM,
 * PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_ledger_open(pdpr_context *ctx, const char *path,
                                                   const pdpr_ledger_options *options,
                                                   pdpr_ledger **out, pdpr_error *err);
PDPR_API void pdpr_ledger_close(pdpr_ledger *ledger);

/** The run for which noise was drawn, or which was taken up again, or whose reservation could not
 * be given back, last through this handle, as long as it is not committed: pdpr_publish failed, the
 * run counts as spent, and if a checkpoint is there it can be resumed. "" if there is none. The
 * text is the handle's. */
PDPR_API const char *pdpr_ledger_open_run(const pdpr_ledger *ledger);

/** The name of a dataset in this ledger: a keyed hash of its edges under the ledger's secret, so
 * that it tells nothing to whoever lacks the ledger. It depends on the undirected edges as pairs of
 * names only: neither order, direction, format nor isolated nodes give the same people a second
 * budget. Cost: O(N + m log d), parallel. Errors: as pdpr_ledger_open. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_ledger_dataset_of(pdpr_ledger *ledger, const pdpr_graph *g,
                                                         char dataset[PDPR_LEDGER_KEY_TEXT],
                                                         pdpr_error *err);

/** The name of a dataset that its owner calls `name` (pdpr_method_options.dataset), for data that
 * changes: every version then shares one budget. Errors: as pdpr_ledger_open. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_ledger_dataset_named(pdpr_ledger *ledger, const char *name,
                                                            char dataset[PDPR_LEDGER_KEY_TEXT],
                                                            pdpr_error *err);

/** From now on the runs on this dataset may cost (epsilon, delta) together, at most; delta 0 admits
 * pure mechanisms only, more than 0.01 is refused. The last budget set counts. Errors: PDPR_EUSAGE,
 * and as above. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_ledger_set_budget(pdpr_ledger *ledger, const char *dataset,
                                                         double epsilon, double delta,
                                                         pdpr_error *err);

/** Gives back a run that stopped before its first noisy value. Errors: PDPR_EBUDGET (a noisy value
 * may exist: the run stays spent), PDPR_EUSAGE (no such run), and as above. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_ledger_refund(pdpr_ledger *ledger, const char *run,
                                                     pdpr_error *err);

/** How far a run got. All but REFUNDED count as spent. */
typedef enum {
    PDPR_RUN_RESERVED = 0,
    PDPR_RUN_DRAWN = 1,
    PDPR_RUN_COMMITTED = 2,
    PDPR_RUN_PUBLISHED = 3,
    PDPR_RUN_REFUNDED = 4
} pdpr_run_state;

/** "reserved", "drawn", "committed", "published", "refunded". */
PDPR_API const char *pdpr_run_state_name(pdpr_run_state state);

typedef struct {
    char dataset[PDPR_LEDGER_KEY_TEXT];
    uint64_t runs; /**< that count as spent */
    bool has_budget;
    double budget_epsilon, budget_delta;
    double delta;   /**< the delta of `epsilon`: the budget's, or the one asked for */
    double epsilon; /**< spent, all runs together; INFINITY if it cannot be bounded at delta */
    double left;    /**< budget less spent, at least 0; a pure run of that epsilon is admitted */
} pdpr_ledger_dataset;

typedef struct {
    char run[PDPR_LEDGER_ID_TEXT], dataset[PDPR_LEDGER_KEY_TEXT];
    char method[PDPR_LEDGER_METHOD_TEXT], day[PDPR_LEDGER_DAY_TEXT];
    char output[PDPR_LEDGER_KEY_TEXT]; /**< hash of what was published; "" before COMMIT */
    pdpr_run_state state;
    bool seeded;    /**< reproducible and therefore without guarantee; charged all the same */
    double epsilon; /**< of this run alone, at its dataset's delta */
} pdpr_ledger_run;

/** All datasets in order of first mention, all runs in order of reservation. */
typedef struct {
    char ledger[PDPR_LEDGER_ID_TEXT];
    uint64_t lines, incomplete_bytes; /**< bytes of a last line that a crash cut short */
    uint64_t num_datasets, num_runs;
    pdpr_ledger_dataset *datasets;
    pdpr_ledger_run *runs;
} pdpr_ledger_summary;

/** Totals are by joint accounting of all charges, at `delta` where no budget names one. Free it
 * with pdpr_ledger_summary_free. Errors: PDPR_EUSAGE (delta outside [0,1)), and as above. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_ledger_summarise(pdpr_ledger *ledger, double delta,
                                                        pdpr_ledger_summary **out, pdpr_error *err);
PDPR_API void pdpr_ledger_summary_free(pdpr_ledger_summary *summary);

/* ------------------------------------------------------------------ certificate */

typedef enum { PDPR_CHECK_PASS = 0, PDPR_CHECK_FAIL = 1, PDPR_CHECK_SKIPPED = 2 } pdpr_check_result;

enum { PDPR_CHECK_TEXT = 256 };

/** One thing that the verifier looked at. */
typedef struct {
    const char *name; /**< "format", "fields", "guarantee", …; lives as long as the library */
    pdpr_check_result result;
    char text[PDPR_CHECK_TEXT]; /**< what was found; a failure begins with the field's path */
} pdpr_check;

typedef struct {
    bool passed; /**< no check failed */
    uint64_t num_checks;
    pdpr_check *checks;
} pdpr_verification;

/** Recomputes what a certificate claims from its own numbers, by code that shares nothing with the
 * code that wrote it, and compares the published file's SHA-256. output_path may be NULL: that
 * check is then skipped. A seeded run fails by design. Success means that the checks were made, not
 * that they passed. Free *out with pdpr_verification_free. Errors: PDPR_EFAILED (a file cannot be
 * read), PDPR_ENOMEM, PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_certificate_verify(pdpr_context *ctx,
                                                          const char *certificate_path,
                                                          const char *output_path,
                                                          pdpr_verification **out, pdpr_error *err);
PDPR_API void pdpr_verification_free(pdpr_verification *verification);

/* ------------------------------------------------------------------ methods */

/** One way to make a synthetic graph, as the table of methods has it. */
typedef struct {
    const char *name, *summary;
    const char *unit;     /**< what the guarantee protects; "none" for a method without one */
    const char *profiles; /**< separated by spaces, the default first; "" if it has none */
} pdpr_method_info;

/** The table of methods; the array lives as long as the library. */
PDPR_API const pdpr_method_info *pdpr_methods(uint32_t *count);

/** Everything a run depends on beside the graph. All of it is public and goes into release and
 * certificate. Where 0 or NULL is said to be the profile's, `pdpr_plan` tells what that is. */
typedef struct {
    size_t struct_size;
    const char *method, *profile; /**< profile NULL: the method's first */
    double epsilon, delta;        /**< the promise; unused by methods without one. A negative
                                     delta: 0 where the noise is pure, else 1e-5 or, from 100,000
                                     nodes on, the largest power of ten below 1/N */
    bool accept_large_delta;      /**< allow delta >= 1/N */
    bool score_edges;             /**< privdpr, dpr: as many edges as the paper's rule gives */
    uint64_t edges;               /**< edges of the output, declared public; 0: see score_edges */
    double embedding_share; /**< privdpr, profile steered: the part of epsilon that the blueprint
                               leaves to the embedding; 0: the profile's */
    bool seeded;            /**< reproducible, for research: carries no guarantee */
    uint64_t seed;
    bool nodes_inferred;       /**< the owner accepts the ids in the file as the public node set */
    const char *preprocessing; /**< the owner's statement for the certificate; NULL: none */
    const char *day;           /**< YYYY-MM-DD for the ledger */
    const char *dataset; /**< the owner's name for data that changes: all versions share a budget;
                            NULL: by the edges */
    /* deep PageRank; 0: the profile's */
    uint32_t columns, width, layers, epochs, batch, walks, walk_length;
    double spectral, sensitivity, clip, rate, damping;
    const char *pairing; /**< pairs of a walk: "consecutive" (arcs; NULL too) or "start" (each node
                            with the start of its walk, as the authors' script has it) */
    /* How a run is carried out; the result does not depend on it. */
    const char *checkpoint_path; /**< secret file, kept until publication; NULL: none. null, which
                                    spends nothing, leaves it alone */
    double checkpoint_seconds;   /**< deep PageRank: least time between two checkpoints; 0: after
                                    every step. blueprint writes one, before its first noise */
    bool resume;                 /**< continue the interrupted run that left this checkpoint: same
                                    graph, same options, same bytes, nothing spent again */
    bool full_training;          /**< privdpr: run the network even where `below_grid` of the plan
                                    proves that it cannot change a bit of the output */
} pdpr_method_options;

PDPR_API void pdpr_method_options_default(pdpr_method_options *options);

/** What a run would do, from public numbers alone: no data are read and nothing is spent. */
typedef struct {
    const char *method, *profile, *unit;
    uint64_t nodes;
    uint32_t queries;      /**< blueprint: numbers of queries that share the budget */
    uint64_t steps;        /**< T */
    uint64_t pairs;        /**< B, the most pairs in a batch */
    uint64_t coordinates;  /**< noised in each step */
    uint64_t noise_values; /**< T times that */
    uint32_t layers;       /**< L hidden layers, L + 1 weights */
    double gradient_bound; /**< the paper's M */
    double clip;           /**< C: public radius of a step's gradient; its sensitivity is 2C */
    double noise;          /**< standard deviation of the noise on each coordinate */
    double mu;             /**< of the whole run */
    double epsilon, delta; /**< promised */
    double epsilon_spent;  /**< what the charges cost at delta, at most epsilon */
    double pure_epsilon;   /**< sum of the queries' shares */
    double ceiling;  /**< no event can differ by more than this between any two input graphs */
    double signal;   /**< largest possible norm of a step's gradient with these layers, at most */
    double seconds;  /**< rough time of a fit and a sample on this many threads */
    uint64_t memory; /**< rough bytes of a fit and a sample beside the graph, at the highest */
    double grid;     /**< a step's gradient is rounded toward zero to multiples of this */
    bool below_grid; /**< proved from the numbers above: no coordinate of any gradient reaches the
                        grid, so the output is the same for every edge set, and the network is not
                        run unless full_training is set */
} pdpr_plan;

/** Errors: PDPR_EUSAGE (an option out of its range: the message says what to change), PDPR_EBUDGET,
 * PDPR_ENOMEM. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_plan_make(pdpr_context *ctx, uint32_t num_nodes,
                                                 const pdpr_method_options *options, pdpr_plan *out,
                                                 pdpr_error *err);

/** What passes from the private to the public side: noisy numbers and public parameters. Graphs are
 * sampled from it at no further cost. */
typedef struct pdpr_release pdpr_release;

/** Reads a release file (NumPy opens it too). Errors: PDPR_EINPUT, PDPR_EFAILED, PDPR_ENOMEM. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_release_load(pdpr_context *ctx, const char *path,
                                                    pdpr_release **out, pdpr_error *err);
PDPR_API void pdpr_release_free(pdpr_release *release);
/** True if the run was seeded or its method promises nothing. */
PDPR_API bool pdpr_release_is_unprotected(const pdpr_release *release);

/** A number of a release and how far its noise may have moved it. NaN: has none. */
typedef struct {
    const char *name; /**< the query's, as in the certificate; belongs to the release */
    uint64_t values;  /**< more than 1: a vector, whose numbers are in an array of the release */
    double value;
    double scale;      /**< of Laplace noise as wide as its noise is, in units of the value */
    double half_width; /**< the noise of one value is at most this with probability 95 % */
    double low, high; /**< 95 % interval of what was measured: the capped statistic without noise */
} pdpr_released_number;

/** The measured numbers of a release, 0 of them if its method measures none. All public. */
PDPR_API uint32_t pdpr_release_num_numbers(const pdpr_release *release);
/** Number `i` into *out. Errors: PDPR_EUSAGE (i too large), PDPR_EINPUT (not in order). */
PDPR_API PDPR_CHECKED pdpr_status pdpr_release_number(const pdpr_release *release, uint32_t i,
                                                      pdpr_released_number *out, pdpr_error *err);

/** Graph number `index` < 2^23 of a release. The same release, seed and index give the same graph
 * on every machine. Errors: PDPR_EUSAGE, PDPR_EINPUT (a release of another method), PDPR_ENOMEM,
 * PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_release_sample(pdpr_context *ctx,
                                                      const pdpr_release *release, uint64_t seed,
                                                      uint64_t index, pdpr_graph **out,
                                                      pdpr_error *err);

/** What to publish, and where. */
typedef struct {
    size_t struct_size;
    const char *release_path;      /**< release file; NULL: none */
    const char *const *graph_path; /**< graphs sampled from the release, one a path */
    uint32_t num_graphs;
    const char *certificate_path; /**< needed unless the method promises nothing */
    const char *embedding_path;   /**< privdpr, dpr: V as an .npy file, a row a node; NULL: none */
    bool keeps_files; /**< no file that is there and not empty is replaced (PDPR_EUSAGE): looked at
                         before a run that is not resumed, and again before files are written */
} pdpr_publication;

/** Fits a method to a graph and publishes: RESERVE in the ledger, noise, finished files under
 * private names, COMMIT, the files put in place, PUBLISHED. ledger may be NULL for methods that
 * promise nothing. After a failure nothing is published; what was drawn stays spent, and with a
 * checkpoint (see the options) the run can be continued.
 * Errors: PDPR_EUSAGE, PDPR_EBUDGET, PDPR_EFAILED, PDPR_EINPUT (ledger), PDPR_ENOMEM,
 * PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_publish(pdpr_context *ctx, const pdpr_graph *g,
                                               const pdpr_method_options *options,
                                               pdpr_ledger *ledger,
                                               const pdpr_publication *publication,
                                               pdpr_error *err);

/** Finishes a publication that was stopped between COMMIT and PUBLISHED: finds its files by the
 * hashes that the ledger and the certificate hold, under their final or their private names, puts
 * those in place that are not, the certificate last, and records PUBLISHED. Files are sought beside
 * the certificate, then in `folders` (with ':' between them; NULL: nowhere else). Nothing is drawn
 * or spent, and calling it again changes nothing. *placed is the number of files that it moved.
 * Cost: one reading of every file. Errors: PDPR_EUSAGE (no run of the ledger committed it, or what
 * is published already is the certificate of an earlier run), PDPR_EFAILED (files are not found,
 * and named; nothing was moved), PDPR_EINPUT, PDPR_ENOMEM, PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_publish_recover(pdpr_context *ctx, pdpr_ledger *ledger,
                                                       const char *certificate_path,
                                                       const char *folders, uint64_t *placed,
                                                       pdpr_error *err);

/** Overwrites and removes the checkpoint of a run that the ledger has as published: pdpr_publish
 * does this by itself, pdpr_publish_recover cannot, because it does not know the name. *removed
 * tells whether there was one; that there is none is no error.
 * Errors: PDPR_EUSAGE (its run is not published, or a running process uses it), PDPR_EINPUT (no
 * checkpoint), PDPR_EFAILED, PDPR_ENOMEM. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_checkpoint_discard(pdpr_context *ctx, pdpr_ledger *ledger,
                                                          const char *path, bool *removed,
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

/** The metric that a figure is the error of, as a number to average; an estimated path length where
 * there is no exact one. NaN where there is none, and for KS, which is a distance only. */
PDPR_API double pdpr_figure_metric(const pdpr_metrics *m, pdpr_figure figure);

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

/* ------------------------------------------------------------------ forecast */

/** What a comparison would find, as far as size, budget and density tell. */
typedef struct {
    double mean_degree; /**< assumed */
    /** Quantiles of each figure over generated graphs of many kinds: 10 %, 50 %, 90 %. */
    double low[PDPR_FIGURES], middle[PDPR_FIGURES], high[PDPR_FIGURES];
} pdpr_forecast;

/** Forecasts the errors of a method that measures structure (blueprint; privdpr, profile steered),
 * from public numbers alone. mean_degree is the caller's guess or a public number; 0: 8. Errors:
 * PDPR_EUSAGE (a mean degree that N nodes cannot have, a method that measures nothing), and those
 * of pdpr_plan_make. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_forecast_make(pdpr_context *ctx, uint32_t num_nodes,
                                                     double mean_degree,
                                                     const pdpr_method_options *options,
                                                     pdpr_forecast *out, pdpr_error *err);

/* ------------------------------------------------------------------ tasks */

/** Classes of nodes. Private: for the owner's tasks only. */
typedef struct pdpr_labels pdpr_labels;

/** Reads lines "node class": nodes as the graph's file calls them, classes 0..999, -1 or no line
 * for none; comments, separators and packing as in edge lists. Errors: PDPR_EINPUT ("file:line:
 * expected …, found …"), PDPR_EFAILED, PDPR_ENOMEM, PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_labels_load(pdpr_context *ctx, const char *path,
                                                   const pdpr_graph *g, pdpr_labels **out,
                                                   pdpr_error *err);
PDPR_API void pdpr_labels_free(pdpr_labels *labels);

typedef enum {
    PDPR_TASK_LINK = 0, /**< link prediction: 80 % of the edges train, AUC of the rest */
    PDPR_TASK_NODE = 1  /**< node classification: 90 % of the labelled nodes train, Micro-F1 */
} pdpr_task;

/** What is scored on each split: the method, and what knows nothing of the edges. */
typedef enum {
    PDPR_TASK_METHOD,   /**< the method's embedding under logistic regression */
    PDPR_TASK_INNER,    /**< links: the same embedding's inner products; nodes: NaN */
    PDPR_TASK_NO_EDGES, /**< the same method and seed on the same nodes without an edge */
    PDPR_TASK_RANDOM,   /**< random vectors */
    PDPR_TASK_CONSTANT, /**< one answer for all: 0.5, or the commonest class */
    PDPR_TASK_ROWS
} pdpr_task_row;

/** The key of a row in JSON and tables: "method", "inner", "no_edges", "random", "constant". */
PDPR_API const char *pdpr_task_row_name(pdpr_task_row row);

enum { PDPR_TASK_MOST_REPEATS = 100 };

typedef struct {
    size_t struct_size;
    pdpr_task task;
    uint32_t repeats;           /**< 1..PDPR_TASK_MOST_REPEATS; 5 by default, as the paper */
    pdpr_method_options method; /**< must be seeded; repeat i has seed + i. Edges are not needed */
} pdpr_task_options;

PDPR_API void pdpr_task_options_default(pdpr_task_options *options);

typedef struct {
    pdpr_task task;
    uint32_t repeats;
    uint64_t train, test; /**< examples of the last split */
    double score[PDPR_TASK_ROWS][PDPR_TASK_MOST_REPEATS];
    double mean[PDPR_TASK_ROWS], sd[PDPR_TASK_ROWS]; /**< sd is NaN for one repeat */
} pdpr_task_result;

/** Scores a method's embedding of g (private!) as the paper does. labels may be NULL for links.
 * `ledger` as for pdpr_publish; the runs are seeded, nothing of them is handed out but scores, and
 * these are computed from the private graph: never publish them. Cost: two fits of the method and
 * some hundred passes over the examples a repeat. Same answer for any thread count.
 * Errors: PDPR_EUSAGE (not seeded, no embedding, too few edges or labels, repeats, an option of the
 * method), PDPR_EFAILED, PDPR_ENOMEM, PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_task_run(pdpr_context *ctx, const pdpr_graph *g,
                                                const pdpr_labels *labels,
                                                const pdpr_task_options *options,
                                                pdpr_ledger *ledger, pdpr_task_result *out,
                                                pdpr_error *err);

/* ------------------------------------------------------------------ HTML pages */

/** What a private report shows beside the graphs. */
typedef struct {
    size_t struct_size;
    const char *original_path;          /**< for its name only */
    const char *const *synthetic_paths; /**< [count]: for their names, and for their hashes if there
                                           is a certificate ("-" is not hashed) */
    const char *certificate_path; /**< puts the promise into words, and checks that the files are
                                     those it speaks of; NULL: none */
} pdpr_report_options;

PDPR_API void pdpr_report_options_default(pdpr_report_options *options);

/** Writes the private report of a comparison to `path`: one HTML page that loads and runs nothing.
 * What the graphs are good for, the eight metrics with the null model, degrees, clustering,
 * distances, components, edges by degree, drawings of the cores; several synthetic graphs as bands.
 * PRIVATE: everything on it is computed from the original. The file gets mode 600 and appears whole
 * or not at all. c must be of these graphs. Equal inputs give equal bytes for any number of
 * threads. Cost: O(m^1.5) time for the triangles of each graph, O(N + m) and at most 16 batches of
 * path search beside; 141 bytes per node. Errors: PDPR_EUSAGE (no synthetic graph, or not those of
 * c), PDPR_EFAILED (a file cannot be read or written), PDPR_ENOMEM, PDPR_ECANCELLED. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_report_comparison_html(
    pdpr_context *ctx, const pdpr_graph *original, const pdpr_graph *const *synthetic,
    uint32_t count, const pdpr_comparison *c, const pdpr_report_options *options, const char *path,
    pdpr_error *err);

/** Writes a certificate's own page, which is public: the promise in words, what was measured with
 * which noise, the checks, the published files, what is not protected. Nothing but the certificate
 * is read, and the file output_path if it is not NULL, for its hash. Success means that the page
 * was written, not that the certificate is good: see *passed (may be NULL). Errors: as
 * pdpr_certificate_verify, and PDPR_EFAILED (cannot write). */
PDPR_API PDPR_CHECKED pdpr_status pdpr_report_certificate_html(pdpr_context *ctx,
                                                               const char *certificate_path,
                                                               const char *output_path,
                                                               const char *path, bool *passed,
                                                               pdpr_error *err);

/* ------------------------------------------------------------------ pictures */

/** Curves over a few steps (budgets, say), in panels of one quantity each. */
typedef struct {
    size_t struct_size;
    const char *title, *step_name;
    const char *const *step; /**< [steps] */
    uint32_t steps;
    const char *const *curve; /**< [curves] for the legend */
    const bool *dashed;       /**< [curves]; NULL: none */
    uint32_t curves;
    const char *const *panel; /**< [panels] */
    uint32_t panels;
    /** [panels][curves][steps + 1], NaN where there is none; the last is the level of a curve that
     * has no steps. deviation may be NULL. */
    const double *mean, *deviation;
} pdpr_panels;

/** One SVG picture that stands alone, light and dark. A panel whose values lie on both sides of 2
 * shows those up to 2. The caller frees *out with pdpr_free. Cost: O(values). Errors: PDPR_ENOMEM.
 */
PDPR_API PDPR_CHECKED pdpr_status pdpr_report_panels_svg(pdpr_context *ctx,
                                                         const pdpr_panels *panels, char **out,
                                                         pdpr_error *err);

/* ------------------------------------------------------------------ JSON */

/** task --json: one object with the setting, `train`, `test`, and of every row `scores`, `mean` and
 * `sd`. The caller frees *out with pdpr_free. Errors: PDPR_ENOMEM. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_report_task_json(pdpr_context *ctx,
                                                        const pdpr_task_result *result,
                                                        const pdpr_task_options *options,
                                                        char **out, pdpr_error *err);

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

/** ledger --json: one object with `datasets` and `runs`; as private as the ledger. The caller frees
 * *out. Errors: PDPR_ENOMEM. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_report_ledger_json(pdpr_context *ctx,
                                                          const pdpr_ledger_summary *summary,
                                                          char **out, pdpr_error *err);

/** verify --json: one object with `passed` and the list `checks`. The caller frees *out. Errors:
 * PDPR_ENOMEM. */
PDPR_API PDPR_CHECKED pdpr_status pdpr_report_verification_json(
    pdpr_context *ctx, const pdpr_verification *verification, char **out, pdpr_error *err);

#ifdef __cplusplus
}
#endif
#endif
