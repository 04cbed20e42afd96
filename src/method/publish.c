/* Fit, sample, certify, publish.
 *
 * Order (P-22, P-23): the names of all files are locked, so that a wrong folder, extension, a name
 * that comes twice or one that another process is publishing under costs nothing; the method
 * reserves in the ledger and draws; finished files are written under their private names beside the
 * final ones and flushed, once the locks say whose they are; the certificate, which holds their
 * hashes, is written likewise; all are read once more; COMMIT records the certificate's hash; then
 * everything is renamed into place, the certificate last, PUBLISHED closes the run, and the locks
 * go. A crash before COMMIT leaves private names only; a crash or a failure after it leaves files
 * whose hashes the ledger knows, under one name or the other, and publish_recover.c finishes. */
#include "method/method.h"
#include "dp/verify_certificate.h"
#include "method/drafts.h"

#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    pdpr_context *ctx;
    const char *checkpoint; /* its name; NULL: the run keeps none */
    pdpr_i_draft *files;    /* release and embedding (if any), graphs, certificate (if any) */
    uint32_t count;
    bool committed; /* the ledger knows their hashes, or may: drafts are kept whatever happens */
    bool uncertain; /* it may: COMMIT itself failed, and the message says so */
    pdpr_i_certificate_output *outputs;
    uint32_t num_outputs;
} drafts;

void pdpr_i_fit_parameter(pdpr_i_fit *fit, const char *name, const char *format, ...)
{
    va_list args;
    if (fit->num_parameters == PDPR_I_FIT_PARAMETERS)
        return;
    pdpr_i_parameter *p = &fit->parameter[fit->num_parameters++];
    p->name = name;
    va_start(args, format);
    vsnprintf(p->value, sizeof p->value, format, args);
    va_end(args);
}

/* The next file of this publication. */
static pdpr_status add_draft(drafts *d, const char *path, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_draft *f = &d->files[d->count];
    PDPR_TRY(pdpr_i_draft_name(d->ctx, path, f, err));
    d->count++;
done:
    return s;
}

/* What the certificate could not hold is refused before anything is spent. */
static pdpr_status check_texts(const pdpr_publication *publication,
                               const pdpr_method_options *options, pdpr_error *err)
{
    if (options->preprocessing && !pdpr_i_certificate_is_text(options->preprocessing))
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "preprocessing: expected 1 to 400 characters of printable ASCII, which "
                           "is what a certificate holds");
    const char *const others[] = {publication->release_path, publication->embedding_path};
    for (uint64_t i = 0; i < (uint64_t)publication->num_graphs + 2; i++) {
        const char *path = i < 2 ? others[i] : publication->graph_path[i - 2];
        if (path && !pdpr_i_certificate_is_text(pdpr_i_base_name(path)))
            return pdpr_i_fail(err, PDPR_EUSAGE,
                               "%s: expected a file name of at most 400 characters of printable "
                               "ASCII, which is what a certificate holds",
                               path);
    }
    return PDPR_OK;
}

/* For a method that gives no certificate: one that is there, or about to be, is of another graph
 * and must not come to stand beside this one, nor lose its graph's draft to it. */
static pdpr_status check_no_certificate(pdpr_context *ctx, const char *path,
                                        const pdpr_i_method *method, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_draft earlier = {.held = -1};
    PDPR_TRY(pdpr_i_draft_name(ctx, path, &earlier, err));
    bool draft = pdpr_i_draft_is_left(&earlier);
    if (draft || access(path, F_OK) == 0)
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "%s: an earlier graph's certificate has this name, and method %s gives "
                        "none: remove it, or choose another name for the graph",
                        draft ? earlier.draft : path, method->info.name);
done:
    pdpr_i_draft_clear(&earlier);
    return s;
}

/* All names, locked until the end. The checkpoint must not have one of them: it is secret, and
 * removed in the end. */
static pdpr_status lay_out(drafts *d, const pdpr_publication *publication, bool promises,
                           const char *checkpoint_path, const pdpr_ledger *ledger, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    struct stat info, *its = ledger && stat(ledger->path, &info) == 0 ? &info : NULL;

    if (publication->release_path)
        PDPR_TRY(add_draft(d, publication->release_path, err));
    if (publication->embedding_path)
        PDPR_TRY(add_draft(d, publication->embedding_path, err));
    for (uint32_t i = 0; i < publication->num_graphs; i++) {
        PDPR_TRY(add_draft(d, publication->graph_path[i], err));
        PDPR_TRY(pdpr_i_graph_save_check(publication->graph_path[i], err));
    }
    if (promises)
        PDPR_TRY(add_draft(d, publication->certificate_path, err));
    for (uint32_t i = 0; i < d->count; i++) {
        const pdpr_i_draft *f = &d->files[i];
        if (checkpoint_path && (pdpr_i_same_name(f->path, checkpoint_path) ||
                                pdpr_i_same_name(f->draft, checkpoint_path) ||
                                pdpr_i_same_name(f->lock, checkpoint_path))) {
            s = pdpr_i_fail(err, PDPR_EUSAGE,
                            "%s: expected a name of its own for the checkpoint, which is secret",
                            checkpoint_path);
            goto done;
        }
        PDPR_TRY(pdpr_i_draft_check_target(f, its, err));
    }
    for (uint32_t i = 0; i < d->count; i++)
        PDPR_TRY(pdpr_i_draft_lock(&d->files[i], err));
done:
    return s;
}

enum { COMMAND = 1400 };

/* Says more in a text that is there. */
__attribute__((format(printf, 3, 4))) static void add_words(char *text, size_t size,
                                                            const char *format, ...)
{
    va_list args;
    size_t used = strlen(text);
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

/* Whether two paths lead into one folder, as far as their spelling tells. */
static bool are_together(const char *a, const char *b)
{
    size_t length = (size_t)(pdpr_i_base_name(a) - a);
    return (size_t)(pdpr_i_base_name(b) - b) == length && strncmp(a, b, length) == 0;
}

/* Adds the first `length` bytes of a path, as a shell takes them for one word. */
static void add_path(char out[COMMAND], const char *path, int length)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "/._+,:@%=-";
    if ((int)strspn(path, plain) >= length) {
        add_words(out, COMMAND, "%.*s", length, path);
        return;
    }
    add_words(out, COMMAND, "'");
    for (int i = 0; i < length; i++)
        if (path[i] == '\'')
            add_words(out, COMMAND, "'\\''");
        else
            add_words(out, COMMAND, "%c", path[i]);
    add_words(out, COMMAND, "'");
}

/* The command that finishes a run that is committed: with its ledger, its checkpoint, and the
 * folders of files that are not beside the certificate. */
static const char *recovering(const drafts *d, const pdpr_ledger *ledger, char out[COMMAND])
{
    const char *certificate = d->files[d->count - 1].path;
    bool first = true;
    snprintf(out, COMMAND, "privdpr ledger ");
    add_path(out, ledger->path, (int)strlen(ledger->path));
    add_words(out, COMMAND, " --recover ");
    add_path(out, certificate, (int)strlen(certificate));
    if (d->checkpoint) {
        add_words(out, COMMAND, " --checkpoint ");
        add_path(out, d->checkpoint, (int)strlen(d->checkpoint));
    }
    for (uint32_t i = 0; i + 1 < d->count; i++) {
        const char *path = d->files[i].path;
        bool known = are_together(path, certificate);
        for (uint32_t j = 0; j < i && !known; j++)
            known = are_together(path, d->files[j].path);
        if (known)
            continue;
        int folder = (int)(pdpr_i_base_name(path) - path);
        add_words(out, COMMAND, "%s", first ? " --folder " : ":");
        add_path(out, folder ? path : ".", folder ? folder : 1);
        first = false;
    }
    return out;
}

/* Whether a certificate of this publication is there, finished or as a draft. */
static bool has_certificate(const drafts *d)
{
    const pdpr_i_draft *certificate = &d->files[d->count - 1];
    return pdpr_i_draft_is_left(certificate) || access(certificate->path, F_OK) == 0;
}

/* The names are locked, so what stands under a private one was left by a dead run. A new run does
 * not touch it. A run that is taken up again (`resumed`: its id) may replace what is its own by the
 * word in the lock, because nothing was promised of it; unless it is committed: asked for another
 * number of samples, it would come to other bytes than those that it has committed to, after it had
 * destroyed these. Drafts of another run are not its to replace: that one may be committed, in this
 * ledger or in another. */
static pdpr_status check_left(const drafts *d, pdpr_ledger *ledger, const char *resumed,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_draft *left = NULL;
    char owner[PDPR_LEDGER_ID_TEXT] = "", command[COMMAND];
    bool is_own = true, committed = false;

    for (uint32_t i = 0; i < d->count && is_own; i++) {
        if (!pdpr_i_draft_is_left(&d->files[i]))
            continue;
        left = &d->files[i];
        pdpr_i_draft_owner(left, owner);
        is_own = resumed && ledger && strcmp(owner, resumed) == 0;
    }
    if (!left)
        goto done;
    if (resumed && ledger && (is_own || !owner[0]))
        PDPR_TRY(pdpr_i_ledger_run_is(ledger, resumed, PDPR_RUN_COMMITTED, &committed, err));
    if (committed && !has_certificate(d)) /* asked for under another name */
        snprintf(command, sizeof command, "privdpr ledger --recover CERTIFICATE");
    else if (committed)
        (void)recovering(d, ledger, command);
    if (committed)
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "%s: this draft was finished by the resumed run %.8s, which is committed "
                        "and not published; `%s` finishes it",
                        left->draft, resumed, command);
    else if (resumed && !owner[0])
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "%s: no lock says whose this draft is: if it is the resumed run's, remove "
                        "it; `privdpr ledger --recover` finishes another's that is committed",
                        left->draft);
    else if (!is_own)
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "%s: %s run that did not come to its end left this draft; `privdpr ledger "
                        "--recover` with its ledger finishes that one, else remove it",
                        left->draft, resumed ? "another" : "a");
done:
    return s;
}

/* Files that the caller did not give up. A run that is resumed is asked after its fit only: if it
 * is published already, these are its own, and that is what is said. */
static pdpr_status check_kept(const drafts *d, const pdpr_publication *publication, pdpr_error *err)
{
    struct stat info;
    bool keeps = publication->struct_size >= sizeof *publication && publication->keeps_files;
    for (uint32_t i = 0; keeps && i < d->count; i++)
        if (stat(d->files[i].path, &info) == 0 && info.st_size > 0)
            return pdpr_i_fail(err, PDPR_EUSAGE,
                               "%s: is there already; expected another name, or --force to replace "
                               "it",
                               d->files[i].path);
    return PDPR_OK;
}

/* Notes a finished draft as an output of the certificate. */
static pdpr_status add_output(drafts *d, pdpr_i_draft *f, uint64_t nodes, uint64_t edges,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_certificate_output *o = &d->outputs[d->num_outputs];
    PDPR_TRY(pdpr_i_draft_finished(d->ctx, f, err));
    o->file = pdpr_i_base_name(f->path);
    o->nodes = nodes;
    o->edges = edges;
    memcpy(o->sha256, f->sha256, sizeof f->sha256);
    d->num_outputs++;
done:
    return s;
}

static pdpr_status write_outputs(drafts *d, const pdpr_release *release,
                                 const pdpr_method_options *options,
                                 const pdpr_publication *publication, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_graph *g = NULL;
    pdpr_i_draft *f = d->files;
    uint64_t nodes = (uint64_t)json_integer_value(json_object_get(release->file.header, "nodes"));

    if (publication->release_path) {
        PDPR_TRY(pdpr_i_release_file_write(d->ctx, f->draft, &release->file, err));
        PDPR_TRY(add_output(d, f++, nodes, 0, err));
    }
    if (publication->embedding_path) {
        const pdpr_i_array *v = pdpr_i_release_file_find(&release->file, "embedding");
        PDPR_TRY(pdpr_i_array_write(d->ctx, f->draft, v, err));
        PDPR_TRY(add_output(d, f++, nodes, 0, err));
    }
    for (uint32_t i = 0; i < publication->num_graphs; i++) {
        PDPR_TRY(pdpr_release_sample(d->ctx, release, options->seed, i, &g, err));
        PDPR_TRY(pdpr_graph_save(d->ctx, g, f->draft, NULL, err));
        PDPR_TRY(add_output(d, f++, g->num_nodes, pdpr_graph_num_edges(g), err));
        pdpr_graph_free(g);
        g = NULL;
    }
done:
    pdpr_graph_free(g);
    return s;
}

/* The certificate of what stands in the drafts. */
static pdpr_status certify(drafts *d, const pdpr_i_fit *fit, const pdpr_method_options *options,
                           pdpr_error *err)
{
    json_t *header = fit->release->file.header;
    pdpr_i_certificate_parameter parameters[PDPR_I_FIT_PARAMETERS];
    for (uint32_t i = 0; i < fit->num_parameters; i++)
        parameters[i] =
            (pdpr_i_certificate_parameter){fit->parameter[i].name, fit->parameter[i].value};
    const pdpr_i_certificate certificate = {
        .parameters = parameters,
        .num_parameters = fit->num_parameters,
        .seeded = options->seeded,
        .epsilon = options->epsilon,
        .delta = options->delta,
        .whole_edge_set = fit->whole_edge_set,
        .method = fit->release->method->info.name,
        .profile = json_string_value(json_object_get(header, "profile")),
        .preprocessing = options->preprocessing,
        .nodes = (uint64_t)json_integer_value(json_object_get(header, "nodes")),
        .vertices_inferred = options->nodes_inferred,
        .edge_count = fit->edge_count,
        .declared_edges = options->edges,
        .embedding = fit->has_embedding ? &fit->embedding : NULL,
        .queries = fit->query,
        .num_queries = fit->num_queries,
        .outputs = d->outputs,
        .num_outputs = d->num_outputs,
        .accountant_tested = true, /* pdpr_i_private_run_new refuses otherwise */
        .random_source_tested = true,
    };
    return pdpr_i_certificate_write(d->ctx, &certificate, d->files[d->count - 1].draft, err);
}

static void clear(drafts *d)
{
    for (uint32_t i = 0; d->files && i < d->count; i++) {
        if (d->files[i].there && !d->committed)
            unlink(d->files[i].draft);
        pdpr_i_draft_clear(&d->files[i]);
    }
    pdpr_free(d->files);
    pdpr_free(d->outputs);
}

/* COMMIT. If it fails its line may stand in the ledger all the same (a flush that failed), and then
 * the drafts are what the ledger names: they go only if it can be read and does not wait for them.
 */
static pdpr_status commit(drafts *d, pdpr_i_private_run *run, pdpr_ledger *ledger, pdpr_error *err)
{
    const char *sha256 = d->files[d->count - 1].sha256;
    char found[PDPR_LEDGER_ID_TEXT] = "", command[COMMAND];
    pdpr_run_state state = PDPR_RUN_DRAWN;

    d->committed = true;
    pdpr_status s = pdpr_i_private_run_commit(run, sha256, err);
    if (s != PDPR_OK && pdpr_i_ledger_run_of(ledger, sha256, found, &state, NULL) == PDPR_OK)
        d->committed = found[0] && state == PDPR_RUN_COMMITTED;
    d->uncertain = s != PDPR_OK;
    if (d->uncertain && d->committed && err)
        add_words(err->text, sizeof err->text,
                  "; the drafts stay: `%s` finishes the run if the ledger has it as committed; if "
                  "not, the same command with --resume goes on",
                  recovering(d, ledger, command));
    if (d->committed)
        ledger->drawn[0] = '\0'; /* recovered, not resumed */
    return s;
}

/* A run that failed after its COMMIT: files may be in place, and the way out is another. */
static void say_committed(pdpr_status s, const drafts *d, const pdpr_ledger *ledger,
                          pdpr_error *err)
{
    char command[COMMAND];
    if (!err)
        return;
    if (s == PDPR_ECANCELLED)
        (void)pdpr_i_fail(err, s, "interrupted");
    add_words(err->text, sizeof err->text,
              "; the run is committed, and its files are in place or drafts: `%s` finishes it",
              recovering(d, ledger, command));
}

/* A run that failed before its COMMIT and counts. */
static void say_spent(const pdpr_ledger *ledger, const char *checkpoint, pdpr_error *err)
{
    bool resumes = checkpoint && access(checkpoint, F_OK) == 0;
    if (ledger->may_be_refunded && !resumes)
        add_words(err->text, sizeof err->text,
                  "; run %.8s counts all the same; if the ledger has it as reserved, `privdpr "
                  "ledger --refund %.8s` gives it back",
                  ledger->drawn, ledger->drawn);
    else
        add_words(err->text, sizeof err->text, "; what run %.8s costs stays spent%s", ledger->drawn,
                  resumes ? " unless it is resumed" : "");
}

/* The checkpoint that the run is to keep, if its method does: taken before anything is written. */
static pdpr_status open_checkpoint(pdpr_context *ctx, const pdpr_i_method *method,
                                   const pdpr_method_options *options, pdpr_i_checkpoint **out,
                                   pdpr_error *err)
{
    if (options->resume && !(method->resumes && options->checkpoint_path))
        return pdpr_i_fail(err, PDPR_EUSAGE, "method %s: expected %s to resume from",
                           method->info.name,
                           method->resumes ? "the name of a checkpoint" : "another: it keeps none");
    if (!method->resumes || !options->checkpoint_path)
        return PDPR_OK;
    return options->resume ? pdpr_i_checkpoint_open(ctx, options->checkpoint_path, out, err)
                           : pdpr_i_checkpoint_new(ctx, options->checkpoint_path, out, err);
}

pdpr_status pdpr_publish(pdpr_context *ctx, const pdpr_graph *g, const pdpr_method_options *options,
                         pdpr_ledger *ledger, const pdpr_publication *publication, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_method *method;
    pdpr_i_fit fit = {0};
    drafts d = {.ctx = ctx};

    if (ledger)
        ledger->drawn[0] = '\0';
    PDPR_TRY(pdpr_i_method_find(options->method, &method, err));
    const pdpr_method_options settled = pdpr_i_settle_delta(method, g->num_nodes, options);
    options = &settled;
    if (method->promises && (!publication->certificate_path || !ledger)) {
        s = pdpr_i_fail(err, PDPR_EUSAGE, "method %s: expected a ledger and a certificate's name",
                        method->info.name);
        goto done;
    }
    if (publication->embedding_path && !method->embeds) {
        s = pdpr_i_fail(err, PDPR_EUSAGE, "method %s: expected one with an embedding to save",
                        method->info.name);
        goto done;
    }
    PDPR_TRY(pdpr_i_zalloc(ctx, (uint64_t)publication->num_graphs + 3, sizeof *d.files,
                           "files to publish", &d.files, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, (uint64_t)publication->num_graphs + 2, sizeof *d.outputs,
                           "files to publish", &d.outputs, err));
    if (method->promises)
        PDPR_TRY(check_texts(publication, options, err));
    else if (publication->certificate_path)
        PDPR_TRY(check_no_certificate(ctx, publication->certificate_path, method, err));
    PDPR_TRY(lay_out(&d, publication, method->promises, options->checkpoint_path, ledger, err));
    PDPR_TRY(open_checkpoint(ctx, method, options, &fit.checkpoint, err));
    if (fit.checkpoint)
        d.checkpoint = options->checkpoint_path;
    PDPR_TRY(check_left(&d, ledger, options->resume ? pdpr_i_checkpoint_run(fit.checkpoint) : NULL,
                        err));
    if (!options->resume)
        PDPR_TRY(check_kept(&d, publication, err));
    PDPR_TRY(method->fit(ctx, g, options, ledger, &fit, err));
    PDPR_TRY(check_kept(&d, publication, err));
    PDPR_TRY(pdpr_i_drafts_claim(d.files, d.count, ledger ? ledger->drawn : "", err));
    PDPR_TRY(write_outputs(&d, fit.release, options, publication, err));
    if (method->promises) {
        pdpr_i_draft *certificate = &d.files[d.count - 1];
        PDPR_TRY(certify(&d, &fit, options, err));
        PDPR_TRY(pdpr_i_draft_finished(ctx, certificate, err));
        PDPR_TRY(pdpr_i_certificate_check_own(ctx, certificate->draft, options->seeded, err));
        PDPR_TRY(pdpr_i_drafts_unchanged(ctx, d.files, d.count, err));
        PDPR_TRY(commit(&d, fit.run, ledger, err));
    }
    PDPR_TRY(pdpr_i_drafts_place(d.files, d.count, err));
    if (method->promises)
        PDPR_TRY(pdpr_i_private_run_published(fit.run, err));
    if (fit.checkpoint) /* until then it keeps the same command from a second run */
        pdpr_i_checkpoint_remove(fit.checkpoint);
done:
    if (s != PDPR_OK && d.committed && !d.uncertain && ledger)
        say_committed(s, &d, ledger, err);
    if (s != PDPR_OK && ledger && ledger->drawn[0] && err)
        say_spent(ledger, d.checkpoint, err);
    clear(&d);
    pdpr_release_free(fit.release);
    pdpr_i_private_run_free(fit.run);
    pdpr_i_checkpoint_close(fit.checkpoint);
    return s;
}
