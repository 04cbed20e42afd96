/* The command line: one table of verbs and options, from which parsing, --help and the man page
 * come. */
#ifndef PRIVDPR_CLI_H
#define PRIVDPR_CLI_H

#include <stdio.h>

#include <privdpr/privdpr.h>

/* ---------------------------------------------------------------- the tables */

typedef enum {
    CLI_FLAG,  /* no argument */
    CLI_TEXT,  /* taken as it stands */
    CLI_COUNT, /* a whole number >= 0 */
    CLI_REAL,  /* a finite decimal number */
    CLI_BYTES  /* a whole number with an optional K, M, G or T (powers of 1000) */
} cli_kind;

typedef struct {
    const char *name; /* without the dashes */
    char letter;      /* one-letter form, 0 for none */
    cli_kind kind;
    const char *argument; /* its name in the help, NULL for a flag */
    const char *help;
} cli_option;

typedef struct cli_args cli_args;

typedef struct {
    const char *name, *summary; /* summary: one line, no full stop */
    const char *usage;          /* what follows the verb */
    const char *text;           /* a few paragraphs */
    const char *example;        /* commands with what they do */
    const cli_option
        *options; /* ends with a row without a name; the common ones are added to each verb */
    int least_operands, most_operands; /* most < 0: any number */
    int (*run)(const cli_args *args);  /* returns the exit code */
} cli_verb;

extern const cli_verb cli_verb_metrics, cli_verb_compare, cli_verb_convert, cli_verb_generate,
    cli_verb_ledger, cli_verb_verify, cli_verb_version, cli_verb_help, cli_verb_synth, cli_verb_fit,
    cli_verb_sample, cli_verb_plan, cli_verb_methods, cli_verb_task, cli_verb_reproduce;

/* All verbs in the order of the help; ends with NULL. */
extern const cli_verb *const cli_verbs[];
const cli_verb *cli_find_verb(const char *name);
/* The verb that a misspelt one was meant to be, or NULL. */
const char *cli_nearest_verb(const char *name);

/* The candidate that a misspelt word was meant to be. Set `word`, zero the rest, try them all. */
typedef struct {
    const char *word;
    const char *found; /* NULL: none is near */
    size_t edits;
} cli_nearest;
void cli_nearest_try(cli_nearest *nearest, const char *candidate);

/* Options that several verbs share word for word. */
#define CLI_GRAPH_OPTIONS                                                                             \
    {"nodes", 0, CLI_TEXT, "N",                                                                       \
     "declare that the nodes are 0..N-1; `infer` accepts the ids seen where the file declares none"}, \
        {"vertices", 0, CLI_TEXT, "FILE", "declare the nodes: one id a line, in this order"},         \
    {                                                                                                 \
        "format", 0, CLI_TEXT, "NAME",                                                                \
            "read as edges, metis, mtx or bcsr whatever the file is called"                           \
    }
#define CLI_PATHS_OPTIONS                                                                         \
    {"paths", 0, CLI_TEXT, "HOW",                                                                 \
     "path lengths: `exact`, `sample` or `sample=K` (K random sources, an estimate with its "     \
     "standard error), `none` (default: exact)"},                                                 \
    {                                                                                             \
        "seed", 0, CLI_COUNT, "S", "chooses the sampled sources and the null graphs (default: 1)" \
    }

#define CLI_FORCE_OPTION                                             \
    {                                                                \
        "force", 'f', CLI_FLAG, NULL, "replace files that are there" \
    }

#define CLI_METHOD_OPTIONS                                                                   \
    {"epsilon", 'e', CLI_REAL, "E", "the privacy budget of this run"},                       \
        {"delta", 'd', CLI_REAL, "D",                                                        \
         "its slack, below 1/N (default: 0 for blueprint, else 1e-5 or less)"},              \
        {"i-accept-large-delta", 0, CLI_FLAG, NULL, "allow a delta of 1/N or more"},         \
        {"method", 0, CLI_TEXT, "M",                                                         \
         "blueprint, privdpr, dpr or null; `privdpr methods` tells (default: blueprint)"},   \
        {"profile", 0, CLI_TEXT, "P", "of the method (default: its first)"},                 \
        {"edges", 'm', CLI_TEXT, "M",                                                        \
         "edges of the output: a public number, or `score` for the paper's rule"},           \
        {"embedding-share", 0, CLI_REAL, "X",                                                \
         "privdpr, profile steered: of epsilon, for the embedding (default: 0.1)"},          \
        {"columns", 0, CLI_COUNT, "R", "deep PageRank: columns of the embedding"},           \
        {"width", 0, CLI_COUNT, "W", "deep PageRank: nodes of a hidden layer"},              \
        {"layers", 0, CLI_COUNT, "L", "deep PageRank: hidden layers"},                       \
        {"epochs", 0, CLI_COUNT, "K", "deep PageRank: passes over the nodes"},               \
        {"batch", 0, CLI_COUNT, "B", "deep PageRank: start nodes of a step"},                \
        {"walks", 0, CLI_COUNT, "K", "deep PageRank: walks of a start node"},                \
        {"walk-length", 0, CLI_COUNT, "K", "deep PageRank: arcs of a walk"},                 \
        {"pairing", 0, CLI_TEXT, "HOW",                                                      \
         "deep PageRank: pairs of a walk, `consecutive` or `start` (default: consecutive)"}, \
        {"spectral", 0, CLI_REAL, "S", "deep PageRank: s of the weights W / (s |W|)"},       \
        {"sensitivity", 0, CLI_REAL, "S", "profile paper: the preset sensitivity"},          \
        {"clip", 0, CLI_REAL, "C", "profiles tight and head: radius of a step's gradient"},  \
        {"rate", 0, CLI_REAL, "X", "deep PageRank: learning rate"},                          \
        {"full-training", 0, CLI_FLAG, NULL,                                                 \
         "privdpr: run the network even where `plan` proves that it cannot matter"},         \
    {                                                                                        \
        "damping", 0, CLI_REAL, "X", "deep PageRank: damping factor"                         \
    }
#define CLI_PRIVATE_OPTIONS                                                                               \
    {"ledger", 0, CLI_TEXT, "FILE",                                                                       \
     "the ledger (default: the user's own; `privdpr ledger` shows it)"},                                  \
        {"dataset", 0, CLI_TEXT, "[name:]N",                                                              \
         "the ledger's name for data that changes: all versions share a budget (default: by the edges)"}, \
        {"preprocessing", 0, CLI_TEXT, "TEXT",                                                            \
         "what was done to the data before, for the certificate"},                                        \
        {"save-embedding", 0, CLI_TEXT, "FILE.npy",                                                       \
         "privdpr, dpr: publish the embedding too, a row a node, for NumPy"},                             \
        {"checkpoint", 0, CLI_TEXT, "FILE",                                                               \
         "secret file from which an interrupted run goes on (default: beside the ledger)"},               \
        {"checkpoint-every", 0, CLI_REAL, "SEC",                                                          \
         "privdpr, dpr: least seconds between two checkpoints (default: 5)"},                             \
        {"resume", 0, CLI_FLAG, NULL,                                                                     \
         "continue the interrupted run of this same command: same bytes, nothing spent again"},           \
    {                                                                                                     \
        "seed", 0, CLI_COUNT, "S", "reproducible run for research: carries NO GUARANTEE"                  \
    }

/* ---------------------------------------------------------------- a parsed command line */

struct cli_args {
    const cli_verb *verb;
    const char *const *operand;
    int operands;
    const char *const *value; /* [options of the verb, then common ones]: NULL if not given */
};

enum {
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,
    CLI_INPUT = 3,
    CLI_BUDGET = 4,
    CLI_INTERRUPTED = 75
};

enum { CLI_LEDGER_PATH = 4096, CLI_MOST_SAMPLES = 1000 };

/* Parses argv after the verb and runs it; the exit code. */
int cli_run_verb(const cli_verb *verb, int argc, char **argv);

bool cli_flag(const cli_args *args, const char *option);
const char *cli_text(const cli_args *args, const char *option, const char *otherwise);
uint64_t cli_count(const cli_args *args, const char *option, uint64_t otherwise);
double cli_real(const cli_args *args, const char *option, double otherwise);
/* Takes a finite decimal number from the front of a text; *end stands behind it. */
bool cli_read_real(const char *text, char **end, double *out);

/* Says what is wrong with the call on stderr and returns CLI_USAGE. */
int cli_wrong_use(const cli_verb *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Prints the error on stderr and returns the exit code of its status. */
int cli_failed(const pdpr_error *err);

/* ---------------------------------------------------------------- help and man page */

void cli_print_help(FILE *out, const cli_verb *verb);
void cli_print_overview(FILE *out);
void cli_print_man_page(FILE *out);
extern const cli_option cli_common_options[];

/* ---------------------------------------------------------------- work */

/* A context with the threads, cap, kernels, notices and progress that the options ask for; Ctrl-C
 * and SIGTERM cancel its work. */
pdpr_status cli_context_new(const cli_args *args, pdpr_context **out, pdpr_error *err);
/* Frees it; a signal from here on finds nothing to cancel. */
void cli_context_free(pdpr_context *ctx);
/* Clears the progress line. */
void cli_progress_end(void);

/* Fills load options from --nodes, --vertices, --format; CLI_OK or CLI_USAGE. */
int cli_load_options(const cli_args *args, pdpr_load_options *out);
/* Refuses "-" for a file that is read from its name alone (graphs may come as a stream); NULL is
 * fine. CLI_OK or CLI_USAGE. */
int cli_check_named(const cli_args *args, const char *what, const char *path);
/* Says that a graph declares no nodes and --nodes infer was not given, where that makes a
 * difference to privacy; CLI_USAGE. */
int cli_undeclared_nodes(const cli_args *args, const char *path);
/* Whether --nodes infer is given. */
bool cli_infers_nodes(const cli_args *args);
/* Fills metrics options from --paths and --seed; CLI_OK or CLI_USAGE. */
int cli_metrics_options(const cli_args *args, pdpr_metrics_options *out);
/* Fills method options from --epsilon, --method and the rest; CLI_OK or CLI_USAGE. */
int cli_method_options(const cli_args *args, pdpr_method_options *out);
/* The names of `count` graphs: output, or of several "out-1.edges.gz" and so on for "out.edges.gz".
 * False: no memory. */
typedef struct {
    char (*text)[CLI_LEDGER_PATH];
    const char **path;
} cli_graph_paths;
bool cli_graph_paths_make(const char *output, uint64_t count, cli_graph_paths *out);
/* Zeroed is fine. */
void cli_graph_paths_free(cli_graph_paths *paths);
/* CLI_OK if the verb may write there; CLI_USAGE, with a message, if a file would be lost that
 * --force does not give up. A page may replace one of ours. NULL is no file. */
int cli_may_write(const cli_args *args, const char *path);
int cli_may_write_page(const cli_args *args, const char *path);
/* Names the files of a publication, and the numbers of a release if there is one: JSON with --json,
 * nothing under --quiet alone. Fails if the release is not in order. */
pdpr_status cli_tell_written(const cli_args *args, const pdpr_publication *p,
                             const pdpr_release *release, pdpr_error *err);
/* Loads as undirected and tells the owner what was dropped. */
pdpr_status cli_load_graph(pdpr_context *ctx, const char *path, const pdpr_load_options *options,
                           pdpr_graph **out, pdpr_error *err);

/* ---------------------------------------------------------------- private reports */

/* The files of a publication one by one, NULL for one that is not wanted: graphs, certificate,
 * release. */
uint32_t cli_published_paths(const pdpr_publication *p);
const char *cli_published_path(const pdpr_publication *p, uint32_t index);
/* Whether two paths lead to the same existing file, however they are spelt; NULL is no file. */
bool cli_same_file(const char *a, const char *b);
/* Fills *out from the operands of a comparison and --certificate, and refuses a --html that is
 * standard output or one of those files. CLI_OK or CLI_USAGE. */
int cli_html_options(const cli_args *args, pdpr_report_options *out);
/* Refuses a place for synth's private report before anything is spent: standard output, one of the
 * published files or the input, a folder that is not there, and the folder of the published files
 * unless the original lies there too. CLI_OK or CLI_USAGE. */
int cli_check_report_path(const cli_args *args, const char *report, const pdpr_publication *p);
/* Compares what was published with g and writes the private report. */
pdpr_status cli_write_report(pdpr_context *ctx, const cli_args *args, const pdpr_graph *g,
                             const pdpr_publication *p, bool promises, const char *report,
                             pdpr_error *err);

/* ---------------------------------------------------------------- the ledger */

/* What a ledger is opened for. */
typedef enum {
    CLI_LEDGER_READ,   /* to look at */
    CLI_LEDGER_EXTEND, /* to add to a run that must be there */
    CLI_LEDGER_USE,    /* to enter something new: the first use of the user's own makes it */
    CLI_LEDGER_CREATE  /* to be made if it is missing, wherever it is */
} cli_ledger_purpose;

/* Opens the ledger at `named`, or for NULL the user's own in $XDG_STATE_HOME/privdpr (default
 * ~/.local/state/privdpr). It is the first use of that one when its folder is not there either:
 * where a ledger was and is gone, nothing runs. path receives where it is. */
pdpr_status cli_ledger_open(pdpr_context *ctx, const char *named, cli_ledger_purpose purpose,
                            char path[CLI_LEDGER_PATH], pdpr_ledger **out, pdpr_error *err);
/* Whether a text can only be meant as the key of a dataset or run, or its beginning: 8 hex digits
 * or more. */
bool cli_is_key(const char *text);
/* What follows "name:", the sign of a dataset's name wherever --dataset is given; NULL if it does
 * not begin so. */
const char *cli_dataset_name(const char *text);
/* Refuses a name without a budget for a graph that has one of its own (PDPR_EBUDGET), and notes on
 * stderr that the ledger does not know the name yet (it may be misspelt, and then has no limit), or
 * has runs on this graph that the name does not count. */
pdpr_status cli_check_dataset_name(pdpr_ledger *ledger, const pdpr_graph *g, const char *name,
                                   pdpr_error *err);
/* Whether the user's own ledger was never used: neither it nor its folder is there. path receives
 * where it would be. */
bool cli_ledger_is_unused(char path[CLI_LEDGER_PATH]);
/* The usual name of the checkpoint of a run: beside the ledger, because it holds secrets, and never
 * beside the output, of whose path the first `length` bytes count. Outputs of one name in two
 * folders have two. False if it is too long. */
bool cli_checkpoint_path(const char *ledger, const char *output, size_t length, char *path,
                         size_t size);
/* Notes on stderr which other checkpoints there are that differ from a usual name in the folder of
 * the output only: the folder may have been moved. */
void cli_note_other_checkpoints(const char *usual);

/* ---------------------------------------------------------------- research runs */

/* A private folder for the files of seeded runs that nobody keeps, and a ledger in it: such runs
 * carry no guarantee and publish nothing, so they are no business of the user's ledger. */
typedef struct {
    char folder[CLI_LEDGER_PATH];
    pdpr_context *ctx;
    pdpr_ledger *ledger;
} cli_scratch;

pdpr_status cli_scratch_open(cli_scratch *out, pdpr_error *err);
/* Closes the ledger and removes the folder with all in it. Zeroed is fine. */
void cli_scratch_close(cli_scratch *scratch);

/* ---------------------------------------------------------------- the paper's tables and figures
 */

/* The paper's published values: "item,dataset,metric,algorithm,parameter,value,sd"; ends with NULL.
 */
extern const char *const cli_paper_rows[];

enum { CLI_NAME = 16, CLI_METHOD = 48, CLI_ORIGIN = 64, CLI_DATASETS = 5, CLI_BUILDS = 16 };

/* A dataset of the paper that is at hand, and the digests by which runs on it are known. */
typedef struct {
    const char *name;
    char path[CLI_LEDGER_PATH], labels[CLI_LEDGER_PATH]; /* labels "": there are none */
    char digest[CLI_ORIGIN], labels_digest[CLI_ORIGIN];  /* first 16 digits of the SHA-256 */
    uint32_t nodes;
    uint64_t edges;
} cli_dataset;

/* What runs are made from: this program and these data. */
typedef struct {
    char program[CLI_ORIGIN]; /* version, commit and digest of the executable */
    cli_dataset dataset[CLI_DATASETS];
    size_t count;
    bool any_build; /* runs that another build made on the same data will do */
} cli_sources;

extern const char *const cli_dataset_names[]; /* the paper's; ends with NULL */
/* Looks which datasets of the list lie in `folder`, reads and digests them; `wanted` is a list with
 * commas, NULL for all. */
pdpr_status cli_sources_find(pdpr_context *ctx, const char *folder, const char *wanted,
                             cli_sources *out, pdpr_error *err);
const cli_dataset *cli_sources_dataset(const cli_sources *sources, const char *name);
/* The digests of what an experiment reads of a dataset, into text[CLI_ORIGIN]. */
void cli_dataset_origin(const cli_dataset *d, bool with_labels, char *text);
/* Fails if the file's digest is not the one found at the start. */
pdpr_status cli_dataset_check(pdpr_context *ctx, const cli_dataset *d, bool with_labels,
                              pdpr_error *err);
/* Whether `list`, names with commas between them, holds `name`; a NULL list holds every name. */
bool cli_list_holds(const char *list, const char *name);

/* One value of one seeded run. The parameter is as the paper writes it, "-" where there is none. */
typedef struct {
    char dataset[CLI_NAME], metric[CLI_NAME], method[CLI_METHOD], parameter[CLI_NAME];
    uint64_t seed;
    double value;
    uint32_t build; /* which of the builds in cli_cells made it; 0: this one */
} cli_cell;

/* The values of an item, in memory and in a file to which finished runs are added. */
typedef struct {
    cli_cell *cell;
    size_t count, room;
    const cli_sources *sources;
    bool with_labels; /* the item reads labels too */
    char build[CLI_BUILDS][CLI_ORIGIN];
    uint32_t builds;
    size_t other_data,
        other_build; /* values in the file that are not this program's on these data */
    char path[CLI_LEDGER_PATH];
    long length, whole; /* bytes of the file when it was read, and of its complete lines */
    FILE *file;         /* NULL before cli_cells_start */
} cli_cells;

/* Takes in what the file holds, if it is there, and writes nothing. Values from other data are
 * passed over, those of another build too unless any will do; both stay in the file.
 * CLI_OK, CLI_FAILED or CLI_INPUT, with a message. */
int cli_cells_open(const char *path, const cli_sources *sources, bool with_labels, cli_cells *out);
/* Makes ready to add: makes the file, drops a last line that was cut short, keeps others out. */
int cli_cells_start(cli_cells *cells);
void cli_cells_close(cli_cells *cells);
bool cli_cells_have(const cli_cells *cells, const cli_cell *key);
/* Keeps a run's values and puts them into the file at once. */
int cli_cells_add(cli_cells *cells, const cli_cell *run, size_t count);

/* A table or figure of the paper. Lists end with NULL. */
typedef enum { CLI_GRAPHS, CLI_LINKS, CLI_NODES } cli_experiment_kind;
typedef struct {
    const char *item, *title;
    cli_experiment_kind kind;
    const char *const *datasets;
    const char *parameter_name; /* "epsilon", "s" or "d" */
    const char *const *parameters;
    const char *base;  /* the parameter under which the run without edges is made */
    const char *quick; /* the second one of the quick form; the other is the first */
    bool all_methods;  /* else the paper's own only: the parameter is no other's */
} cli_experiment;

extern const cli_experiment cli_experiments[]; /* ends with a row without an item */

typedef struct {
    pdpr_context *ctx;
    const char *data; /* folder of the datasets */
    const cli_sources *sources;
    const char *datasets, *methods; /* those to run, with commas; METHOD or METHOD/PROFILE; NULL:
                                       all */
    uint64_t seeds;                 /* runs of each cell: seeds 1, 2, ... */
    bool quick;                     /* one dataset, two parameters */
    bool quiet;
} cli_experiment_how;

typedef enum { CLI_RUN_METHOD, CLI_RUN_NO_EDGES, CLI_RUN_GNM, CLI_RUN_CONFIGURATION } cli_run_kind;

/* A run to make. */
typedef struct {
    cli_run_kind kind;
    const cli_dataset *dataset;
    const char *parameter; /* "-": none */
    char label[CLI_METHOD], method[CLI_NAME], profile[CLI_NAME];
    uint64_t seed;
    double seconds; /* rough guess */
} cli_run;

typedef struct {
    cli_run *run;
    size_t count;
} cli_plan;

/* The runs of an experiment that `cells` lacks, with a guess of their time; run is the caller's to
 * free. Exit code. */
int cli_plan_make(const cli_experiment *e, const cli_experiment_how *how, const cli_cells *cells,
                  cli_plan *out);
double cli_plan_seconds(const cli_plan *plan);
/* Names the experiment's datasets that are not at hand on stderr. */
void cli_plan_tell_missing(const cli_experiment *e, const cli_experiment_how *how);
/* The method's options of a run. */
pdpr_method_options cli_run_options(const cli_experiment *e, const cli_run *run);
/* One value of a run, as it is kept. */
cli_cell cli_run_cell(const cli_run *run, const char *metric, double value);
/* Whether a name on a list of methods means one that there is. */
bool cli_is_method(const char *name);

/* Makes the runs of a plan and adds them. A method that cannot do it is left out with a word. Exit
 * code. */
int cli_experiment_run(const cli_experiment *e, const cli_experiment_how *how, const cli_plan *plan,
                       cli_cells *cells);

/* Mean and deviation of a cell over its seeds, or what the paper says of it. */
typedef struct {
    bool paper;
    char dataset[CLI_NAME], metric[CLI_NAME], method[CLI_METHOD], parameter[CLI_NAME];
    uint64_t runs; /* 0: the paper's */
    double mean, sd;
    const char *build; /* which made it, "several" if more than one did; "" for the paper's */
} cli_summary_row;

typedef struct {
    const char *item, *parameter_name;
    cli_summary_row *row;
    size_t count;
    char *picture; /* SVG; freed with pdpr_free */
} cli_summary;

/* Of all cells of an item, and the paper's values of the same datasets; false: no memory. `cells`
 * must outlive it. */
bool cli_summarise(const char *item, const char *parameter_name, const cli_cells *cells,
                   cli_summary *out);
/* NULL: not there. parameter NULL: the row without one. */
const cli_summary_row *cli_summary_find(const cli_summary *summary, bool paper, const char *dataset,
                                        const char *metric, const char *method,
                                        const char *parameter);
/* Panels of all datasets and metrics as one SVG picture; the caller frees *out with pdpr_free. */
pdpr_status cli_summary_svg(pdpr_context *ctx, const cli_summary *summary, char **out,
                            pdpr_error *err);
/* Writes ITEM.csv, ITEM.json and ITEM.svg into --out and prints the tables. Exit code. */
int cli_results_write(const cli_args *args, const cli_experiment *e, const cli_experiment_how *how,
                      const cli_cells *cells);
/* Says why a file cannot be written, by errno; CLI_FAILED. */
int cli_cannot_write(const char *path);

/* ---------------------------------------------------------------- tables of figures */

/* 1234567 as "1,234,567"; text must hold 40 bytes more than the digits need. */
void cli_format_count(uint64_t value, char *text, size_t size);
void cli_format_wide(pdpr_uint128 value, char *text, size_t size);
/* "triangles", "degree distribution (KS)": a figure's name for people. */
const char *cli_figure_head(pdpr_figure figure);
/* The last part of a path, for column heads. */
const char *cli_base_name(const char *path);
/* "40 s", "12 min", "3.5 h". */
void cli_format_duration(double seconds, char *text, size_t size);
/* Pads to `width` columns, counting UTF-8 characters rather than bytes; right-aligned if width > 0.
 * A text that fills them keeps one blank to its neighbour: columns may lose their line, numbers
 * never run together. */
void cli_print_cell(FILE *out, const char *text, int width);

#endif
