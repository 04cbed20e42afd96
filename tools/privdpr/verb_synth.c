/* privdpr synth GRAPH -o OUT and privdpr fit GRAPH -o FILE: spend a budget, publish graphs or a
 * release. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static const cli_option synth_options[] = {
    {"output", 'o', CLI_TEXT, "OUT",
     "the synthetic graph; with --samples K: OUT with -1, -2, ... before its extension"},
    {"samples", 'k', CLI_COUNT, "K",
     "graphs from the one release, at no further cost (default: 1)"},
    {"release", 0, CLI_TEXT, "FILE", "keep the release too, for `privdpr sample`"},
    {"report", 0, CLI_TEXT, "FILE",
     "also write an HTML page that compares OUT with GRAPH. It is PRIVATE: made from the original, "
     "not covered by the guarantee, not to be handed on; mode 600"},
    CLI_METHOD_OPTIONS,
    CLI_PRIVATE_OPTIONS,
    CLI_GRAPH_OPTIONS,
    CLI_FORCE_OPTION,
    {NULL, 0, CLI_FLAG, NULL, NULL},
};

static const cli_option fit_options[] = {
    {"output", 'o', CLI_TEXT, "FILE", "the release, for `privdpr sample`; NumPy opens it"},
    CLI_METHOD_OPTIONS,
    CLI_PRIVATE_OPTIONS,
    CLI_GRAPH_OPTIONS,
    CLI_FORCE_OPTION,
    {NULL, 0, CLI_FLAG, NULL, NULL},
};

/* Names of what will be published, and of the checkpoint that will not. */
typedef struct {
    cli_graph_paths graphs;
    char certificate[CLI_LEDGER_PATH], checkpoint[CLI_LEDGER_PATH];
    pdpr_publication publication;
} published_files;

static bool name_files(published_files *f, const char *output, const char *release,
                       const char *embedding, uint64_t graphs, bool keeps)
{
    snprintf(f->certificate, sizeof f->certificate, "%.4000s.certificate.json", output);
    bool made = cli_graph_paths_make(output, graphs, &f->graphs);
    f->publication = (pdpr_publication){.struct_size = sizeof f->publication,
                                        .release_path = release,
                                        .graph_path = f->graphs.path,
                                        .num_graphs = (uint32_t)graphs,
                                        .certificate_path = f->certificate,
                                        .embedding_path = embedding,
                                        .keeps_files = keeps};
    return made;
}

/* Before anything is read. A resumed run may have been published already, and files be its own: it
 * is asked later (pdpr_publication.keeps_files). */
static int check_outputs(const cli_args *args, const published_files *f)
{
    int code = CLI_OK;
    for (uint32_t i = 0; i < cli_published_paths(&f->publication) && code == CLI_OK; i++)
        if (!cli_flag(args, "resume"))
            code = cli_may_write(args, cli_published_path(&f->publication, i));
    return code == CLI_OK ? cli_may_write_page(args, cli_text(args, "report", NULL)) : code;
}

/* Whether a file that will be written is `input`, however its path is spelt. */
static bool replaces(const published_files *f, const char *input)
{
    for (uint32_t i = 0; i < cli_published_paths(&f->publication); i++)
        if (cli_same_file(cli_published_path(&f->publication, i), input))
            return true;
    return false;
}

/* Blueprints are of undirected graphs; the paper's own profiles train on arcs. */
static void tell_direction(const cli_args *args, const pdpr_graph *g,
                           const pdpr_method_options *how)
{
    bool steered = strcmp(how->method, "privdpr") == 0 &&
                   (!how->profile || strcmp(how->profile, "steered") == 0);
    if (pdpr_graph_is_directed(g) && (steered || strcmp(how->method, "blueprint") == 0) &&
        !cli_flag(args, "quiet"))
        fprintf(stderr,
                "privdpr: note: %s does not say \"# directed: no\"; its links are read as "
                "undirected: one from a to b and one from b to a are the same\n",
                args->operand[0]);
}

/* What is not protected is said under -q too: whoever hands the files on must know. */
static void tell_what_is_not_promised(const cli_args *args, const pdpr_method_options *how,
                                      bool promises)
{
    bool reads_edges = strcmp(how->method, "null") != 0;
    if (how->seeded && promises)
        fprintf(
            stderr,
            "privdpr: note: a seeded run carries NO GUARANTEE: whoever knows the seed can take the "
            "noise away. Do not publish it.\n");
    if (!promises && reads_edges)
        fprintf(stderr, "privdpr: note: method %s gives NO PRIVACY.\n", how->method);
    else if (!promises && !cli_flag(args, "quiet"))
        fprintf(stderr, "privdpr: note: method %s reads no edge: there is nothing to protect.\n",
                how->method);
}

/* The files, and of a release that is published as such its numbers too. */
static pdpr_status tell(const cli_args *args, pdpr_context *ctx, const published_files *f,
                        bool promises, pdpr_error *err)
{
    pdpr_publication told = f->publication;
    pdpr_release *release = NULL;
    pdpr_status s = PDPR_OK;
    if (!promises)
        told.certificate_path = NULL;
    if (told.num_graphs == 0)
        s = pdpr_release_load(ctx, told.release_path, &release, err);
    if (s == PDPR_OK)
        s = cli_tell_written(args, &told, release, err);
    pdpr_release_free(release);
    return s;
}

static bool method_promises(const char *name)
{
    uint32_t count = 0;
    const pdpr_method_info *m = pdpr_methods(&count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(m[i].name, name) == 0)
            return strncmp(m[i].unit, "none", 4) != 0;
    return true; /* unknown: the library says so */
}

/* Keys and gradients shall not end up in a core file, nor be read by another process of the user
 * (P-15). */
static void shut_memory(void)
{
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
#ifdef PR_SET_DUMPABLE
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

static int publish(const cli_args *args, const char *output, const char *release, uint64_t graphs)
{
    pdpr_error err = {0};
    pdpr_context *ctx = NULL;
    pdpr_graph *g = NULL;
    pdpr_ledger *ledger = NULL;
    pdpr_load_options load;
    pdpr_load_info info = {0};
    pdpr_method_options how;
    published_files files = {0};
    char ledger_path[CLI_LEDGER_PATH];
    int code = cli_method_options(args, &how);

    if (code == CLI_OK)
        code = cli_load_options(args, &load);
    if (code != CLI_OK)
        return code;
    how.nodes_inferred = cli_infers_nodes(args);
    bool promises = method_promises(how.method);
    const char *report = cli_text(args, "report", NULL);
    if (!name_files(&files, output, release, cli_text(args, "save-embedding", NULL), graphs,
                    !cli_flag(args, "force"))) {
        fprintf(stderr, "privdpr: out of memory\n");
        code = CLI_FAILED;
        goto done;
    }
    for (int i = 0; i < 2; i++) {
        const char *input = i == 0 ? args->operand[0] : load.vertices_path;
        if (replaces(&files, input)) {
            code =
                cli_wrong_use(args->verb, "%s: the input would be replaced by the output", input);
            goto done;
        }
    }
    if (report && (code = cli_check_report_path(args, report, &files.publication)) != CLI_OK)
        goto done;
    if ((code = check_outputs(args, &files)) != CLI_OK)
        goto done;
    shut_memory();
    if (cli_context_new(args, &ctx, &err) != PDPR_OK)
        goto failed;
    /* what can be wrong with the call is said before the data are read */
    if (promises && cli_ledger_open(ctx, cli_text(args, "ledger", NULL), CLI_LEDGER_USE,
                                    ledger_path, &ledger, &err) != PDPR_OK)
        goto failed;
    if (promises && report && cli_same_file(report, ledger_path)) {
        code =
            cli_wrong_use(args->verb, "--report: %s is the ledger: expected another file", report);
        goto done;
    }
    if (promises && !how.checkpoint_path &&
        cli_checkpoint_path(ledger_path, output, strlen(output), files.checkpoint,
                            sizeof files.checkpoint)) {
        how.checkpoint_path = files.checkpoint;
        if (access(files.checkpoint, F_OK) != 0)
            cli_note_other_checkpoints(files.checkpoint);
    }
    if (pdpr_graph_load(ctx, args->operand[0], &load, &g, &info, &err) != PDPR_OK)
        goto failed;
    if (!info.nodes_declared && !how.nodes_inferred) {
        code = cli_undeclared_nodes(args, args->operand[0]);
        goto done;
    }
    how.nodes_inferred = !info.nodes_declared;
    tell_direction(args, g, &how);
    if (promises && how.dataset && !how.resume &&
        cli_check_dataset_name(ledger, g, how.dataset, &err) != PDPR_OK)
        goto failed;
    if (pdpr_publish(ctx, g, &how, ledger, &files.publication, &err) != PDPR_OK)
        goto failed;
    if (report && cli_write_report(ctx, args, g, &files.publication, promises, report, &err) !=
                      PDPR_OK) { /* what is published stays published */
        cli_progress_end();
        fprintf(stderr, "privdpr: the graphs are published; only the private report failed\n");
        goto failed;
    }
    cli_progress_end();
    tell_what_is_not_promised(args, &how, promises);
    if (tell(args, ctx, &files, promises, &err) != PDPR_OK)
        goto failed;
    goto done;
failed:
    code = cli_failed(&err);
    if (ledger && pdpr_ledger_open_run(ledger)[0] && how.checkpoint_path &&
        access(how.checkpoint_path, F_OK) == 0)
        fprintf(stderr,
                "privdpr: note: the same command with --resume goes on from %s and spends nothing "
                "again\n",
                how.checkpoint_path);
done:
    pdpr_ledger_close(ledger);
    pdpr_graph_free(g);
    cli_context_free(ctx);
    cli_graph_paths_free(&files.graphs);
    return code;
}

static int run_synth(const cli_args *args)
{
    const char *output = cli_text(args, "output", NULL);
    uint64_t samples = cli_count(args, "samples", 1);
    if (!output)
        return cli_wrong_use(args->verb, "expected --output OUT");
    if (samples < 1 || samples > CLI_MOST_SAMPLES)
        return cli_wrong_use(args->verb, "--samples: expected from 1 to %d, found %" PRIu64,
                             CLI_MOST_SAMPLES, samples);
    return publish(args, output, cli_text(args, "release", NULL), samples);
}

static int run_fit(const cli_args *args)
{
    const char *output = cli_text(args, "output", NULL);
    if (!output)
        return cli_wrong_use(args->verb, "expected --output FILE");
    return publish(args, output, output, 0);
}

const cli_verb cli_verb_synth = {
    .name = "synth",
    .summary = "read a graph, spend a privacy budget, write synthetic graphs and a certificate",
    .usage = "GRAPH -o OUT --epsilon E [options]",
    .text =
        "Fits the method, samples graphs from what it released, and publishes them with a certificate "
        "(OUT.certificate.json) that `privdpr verify` checks. What is spent is recorded in the ledger first. "
        "The number of nodes is public and must be declared: `# nodes: N` in the file, --nodes N or --vertices "
        "FILE; --nodes infer accepts the ids in the file as the public node set.\n"
        "--report FILE is for the owner's eyes: it is made from the original graph, after publication, and nothing "
        "that is published depends on it. No guarantee covers it. It may not lie in the folder of the published "
        "files unless the original lies there too.",
    .example =
        "  privdpr synth friends.edges -o public.edges --epsilon 1\n"
        "  privdpr synth friends.edges -o share/public.edges --epsilon 1 --report private.html\n"
        "  privdpr synth friends.edges -o public.edges --epsilon 3.2 --method privdpr --edges 12000\n"
        "  privdpr verify public.edges.certificate.json public.edges",
    .options = synth_options,
    .least_operands = 1,
    .most_operands = 1,
    .run = run_synth,
};

const cli_verb cli_verb_fit = {
    .name = "fit",
    .summary = "read a graph, spend a privacy budget, write a release to sample from",
    .usage = "GRAPH -o FILE.release --epsilon E [options]",
    .text =
        "As synth, but what is published is the release itself: the noisy numbers from which `privdpr sample` "
        "draws any number of graphs at no further cost. NumPy opens it: numpy.load(\"FILE.release\").\n"
        "Prints every released number with the scale of its noise and a 95 % interval; the release's header has them too.",
    .example = "  privdpr fit friends.edges -o friends.release --epsilon 1\n"
               "  privdpr sample friends.release -o public.edges --samples 10",
    .options = fit_options,
    .least_operands = 1,
    .most_operands = 1,
    .run = run_fit,
};
