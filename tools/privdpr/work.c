/* What the verbs share when they work: a context from the options, notes and progress on stderr,
 * Ctrl-C, loading. */
#include "cli.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---------------------------------------------------------------- notes and progress */

/* The progress line on the terminal, if one stands there. */
static struct {
    const char *what;
    double started; /* seconds */
    bool shown;
} progress_line;

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cli_progress_end(void)
{
    if (progress_line.shown)
        fprintf(stderr, "\r\033[K");
    progress_line.shown = false;
    progress_line.what = NULL;
}

static void show_notice(void *user, const char *text)
{
    (void)user;
    cli_progress_end();
    fprintf(stderr, "privdpr: note: %s\n", text);
}

static void show_progress(void *user, const char *what, uint64_t done, uint64_t total)
{
    (void)user;
    double now = now_seconds();
    if (!progress_line.what || strcmp(progress_line.what, what) != 0) {
        progress_line.what = what;
        progress_line.started = now;
    }
    double elapsed = now - progress_line.started;
    if (total > 0 && done >= total) {
        cli_progress_end();
        return;
    }
    if (elapsed < 0.5) /* short work needs no progress line */
        return;
    if (total == 0)
        fprintf(stderr, "\r\033[K%s: %.0f s", what, elapsed);
    else
        fprintf(stderr, "\r\033[K%s: %3.0f %%", what, 100.0 * (double)done / (double)total);
    if (done > 0 && total > 0)
        fprintf(stderr, ", %.0f s left", elapsed * (double)(total - done) / (double)done + 0.5);
    fflush(stderr);
    progress_line.shown = true;
}

/* ---------------------------------------------------------------- cancellation */

static pdpr_context *volatile cancelled_on_signal;

/* The first signal asks for an orderly end; the handler is then gone, so a second one ends the
 * process. */
static void on_signal(int number)
{
    (void)number;
    pdpr_context *ctx = cancelled_on_signal;
    if (ctx)
        pdpr_context_cancel(ctx);
}

static void catch_signals(pdpr_context *ctx)
{
    struct sigaction action = {0};
    action.sa_handler = on_signal;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    cancelled_on_signal = ctx;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL); /* a closed terminal */
    signal(SIGXFSZ, SIG_IGN);         /* a file too large for ulimit -f: the write says so */
}

/* ---------------------------------------------------------------- context */

static bool parse_cpu(const char *text, pdpr_cpu *out)
{
    static const struct {
        const char *name;
        pdpr_cpu cpu;
    } names[] = {{"auto", PDPR_CPU_AUTO},
                 {"portable", PDPR_CPU_PORTABLE},
                 {"avx2", PDPR_CPU_AVX2},
                 {"avx512", PDPR_CPU_AVX512}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i].name) == 0) {
            *out = names[i].cpu;
            return true;
        }
    return false;
}

pdpr_status cli_context_new(const cli_args *args, pdpr_context **out, pdpr_error *err)
{
    pdpr_context_options options;
    pdpr_context_options_default(&options);

    uint64_t threads = cli_count(args, "threads", 0);
    options.threads = threads > UINT32_MAX ? UINT32_MAX : (uint32_t)threads;
    long pages = sysconf(_SC_PHYS_PAGES),
         page = sysconf(_SC_PAGESIZE); /* rather a message than swapping */
    uint64_t physical = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    options.max_memory = cli_count(args, "max-memory", physical - physical / 10);
    const char *cpu = cli_text(args, "cpu", "auto");
    if (!parse_cpu(cpu, &options.cpu)) {
        err->status = PDPR_EUSAGE;
        snprintf(err->text, sizeof err->text,
                 "--cpu: expected auto, portable, avx2 or avx512, found \"%.40s\"", cpu);
        return PDPR_EUSAGE;
    }
    if (!cli_flag(args, "quiet")) {
        options.notice = show_notice;
        if (isatty(STDERR_FILENO))
            options.progress = show_progress;
    }
    pdpr_status s = pdpr_context_new(&options, out, err);
    if (s == PDPR_OK)
        catch_signals(*out);
    return s;
}

void cli_context_free(pdpr_context *ctx)
{
    cancelled_on_signal = NULL;
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- options of several verbs */

int cli_load_options(const cli_args *args, pdpr_load_options *out)
{
    pdpr_load_options_default(out);
    const char *nodes = cli_text(args, "nodes", "infer");
    if (strcmp(nodes, "infer") != 0) {
        char *end;
        out->num_nodes = strtoull(nodes, &end, 10);
        if (nodes[0] < '1' || nodes[0] > '9' || *end || out->num_nodes > UINT32_MAX - 1)
            return cli_wrong_use(
                args->verb,
                "--nodes: expected a number from 1 to 4294967294 or infer, found \"%s\"", nodes);
    }
    out->vertices_path = cli_text(args, "vertices", NULL);
    out->format = cli_text(args, "format", NULL);
    return CLI_OK;
}

int cli_check_named(const cli_args *args, const char *what, const char *path)
{
    if (path && strcmp(path, "-") == 0)
        return cli_wrong_use(args->verb, "%s: expected a file, found - (standard input)", what);
    return CLI_OK;
}

int cli_undeclared_nodes(const cli_args *args, const char *path)
{
    return cli_wrong_use(
        args->verb,
        "%s declares no number of nodes, which is public (SNAP's and KONECT's headers count those "
        "that occur): give --nodes N or --vertices FILE, or accept the ids in the file with "
        "--nodes infer",
        path);
}

bool cli_infers_nodes(const cli_args *args)
{
    return strcmp(cli_text(args, "nodes", ""), "infer") == 0;
}

int cli_metrics_options(const cli_args *args, pdpr_metrics_options *out)
{
    pdpr_metrics_options_default(out);
    out->seed = cli_count(args, "seed", 1);
    const char *paths = cli_text(args, "paths", "exact");
    if (strcmp(paths, "exact") == 0) {
        out->paths = PDPR_PATHS_EXACT;
    } else if (strcmp(paths, "none") == 0) {
        out->paths = PDPR_PATHS_NONE;
    } else if (strncmp(paths, "sample", 6) == 0 && (paths[6] == '\0' || paths[6] == '=')) {
        out->paths = PDPR_PATHS_SAMPLE;
        if (paths[6] == '=') {
            char *end;
            unsigned long long k = strtoull(paths + 7, &end, 10);
            if (paths[7] < '0' || paths[7] > '9' || *end || k < 2 || k > UINT32_MAX)
                return cli_wrong_use(
                    args->verb, "--paths sample=K: expected a whole number K >= 2, found \"%s\"",
                    paths + 7);
            out->samples = (uint32_t)k;
        }
    } else {
        return cli_wrong_use(
            args->verb, "--paths: expected exact, sample, sample=K or none, found \"%s\"", paths);
    }
    return CLI_OK;
}

pdpr_status cli_load_graph(pdpr_context *ctx, const char *path, const pdpr_load_options *options,
                           pdpr_graph **out, pdpr_error *err)
{
    pdpr_load_options undirected = *options;
    undirected.direction = PDPR_DIRECTION_UNDIRECTED;
    return pdpr_graph_load(ctx, path, &undirected, out, NULL, err);
}
