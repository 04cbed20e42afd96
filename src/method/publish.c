/* Fit, sample, certify, publish.
 *
 * Order (P-22, P-23): the method reserves in the ledger and draws; finished files are written under
 * private names beside their final ones and flushed; the certificate, which holds their hashes, is
 * written likewise; COMMIT records its hash; then everything is renamed into place, the certificate
 * last, and PUBLISHED closes the run. A crash before COMMIT leaves private names only; a crash
 * after it leaves files whose hashes the ledger knows. */
#include "method/method.h"
#include "base/file_bytes.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *path; /* the final name */
    char *draft;      /* the private one */
    bool written;
} draft_file;

typedef struct {
    pdpr_context *ctx;
    draft_file *files; /* release (if any), graphs, certificate (if any) */
    uint32_t count;
    pdpr_i_certificate_output *outputs;
    uint32_t num_outputs;
} drafts;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Gives the next file its private name: ".draft-" before the last part of the path, so that the
 * extension stays. */
static pdpr_status add_draft(drafts *d, const char *path, draft_file **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    static const char prefix[] = ".draft-";
    draft_file *f = &d->files[d->count];
    size_t folder = (size_t)(base_name(path) - path), length = strlen(path);

    if (strcmp(path, "-") == 0 || !*base_name(path)) {
        s = pdpr_i_fail(err, PDPR_EUSAGE, "\"%s\": expected the name of a file to publish", path);
        goto done;
    }
    PDPR_TRY(pdpr_i_alloc(d->ctx, length + sizeof prefix, 1, "file name", &f->draft, err));
    memcpy(f->draft, path, folder);
    memcpy(f->draft + folder, prefix, sizeof prefix - 1);
    memcpy(f->draft + folder + sizeof prefix - 1, path + folder, length - folder + 1);
    f->path = path;
    d->count++;
    *out = f;
done:
    return s;
}

/* Notes a finished draft as an output of the certificate. */
static pdpr_status add_output(drafts *d, draft_file *f, uint64_t nodes, uint64_t edges,
                              pdpr_error *err)
{
    pdpr_i_certificate_output *o = &d->outputs[d->num_outputs];
    f->written = true;
    o->file = base_name(f->path);
    o->nodes = nodes;
    o->edges = edges;
    pdpr_status s = pdpr_i_file_sha256(d->ctx, f->draft, o->sha256, err);
    if (s == PDPR_OK)
        d->num_outputs++;
    return s;
}

static pdpr_status write_outputs(drafts *d, const pdpr_release *release,
                                 const pdpr_method_options *options,
                                 const pdpr_publication *publication, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_graph *g = NULL;
    draft_file *f;
    uint64_t nodes = (uint64_t)json_integer_value(json_object_get(release->file.header, "nodes"));

    if (publication->release_path) {
        PDPR_TRY(add_draft(d, publication->release_path, &f, err));
        PDPR_TRY(pdpr_i_release_file_write(d->ctx, f->draft, &release->file, err));
        PDPR_TRY(add_output(d, f, nodes, 0, err));
    }
    for (uint32_t i = 0; i < publication->num_graphs; i++) {
        PDPR_TRY(add_draft(d, publication->graph_path[i], &f, err));
        PDPR_TRY(pdpr_release_sample(d->ctx, release, options->seed, i, &g, err));
        PDPR_TRY(pdpr_graph_save(d->ctx, g, f->draft, NULL, err));
        PDPR_TRY(add_output(d, f, g->num_nodes, pdpr_graph_num_edges(g), err));
        pdpr_graph_free(g);
        g = NULL;
    }
done:
    pdpr_graph_free(g);
    return s;
}

/* The certificate of what stands in the drafts. */
static pdpr_status certify(drafts *d, const pdpr_i_fit *fit, const pdpr_method_options *options,
                           const pdpr_publication *publication, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    draft_file *f;
    json_t *header = fit->release->file.header;
    const pdpr_i_certificate certificate = {
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
    PDPR_TRY(add_draft(d, publication->certificate_path, &f, err));
    PDPR_TRY(pdpr_i_certificate_write(d->ctx, &certificate, f->draft, err));
    f->written = true;
done:
    return s;
}

/* All of them or none: graphs without their certificate are worse than nothing. */
static pdpr_status put_in_place(drafts *d, pdpr_error *err)
{
    for (uint32_t i = 0; i < d->count; i++) {
        if (rename(d->files[i].draft, d->files[i].path) != 0) {
            pdpr_status s = pdpr_i_fail_system(
                err, errno, "%s: cannot put the finished file in place", d->files[i].path);
            while (i-- > 0)
                unlink(d->files[i].path);
            return s;
        }
        d->files[i].written = false;
    }
    return PDPR_OK;
}

static void clear(drafts *d)
{
    for (uint32_t i = 0; d->files && i < d->count; i++) {
        if (d->files[i].written)
            unlink(d->files[i].draft);
        pdpr_free(d->files[i].draft);
    }
    pdpr_free(d->files);
    pdpr_free(d->outputs);
}

pdpr_status pdpr_publish(pdpr_context *ctx, const pdpr_graph *g, const pdpr_method_options *options,
                         pdpr_ledger *ledger, const pdpr_publication *publication, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_method *method;
    pdpr_i_fit fit = {0};
    drafts d = {.ctx = ctx};
    char hash[PDPR_I_SHA256_TEXT];

    PDPR_TRY(pdpr_i_method_find(options->method, &method, err));
    if (method->promises && (!publication->certificate_path || !ledger)) {
        s = pdpr_i_fail(err, PDPR_EUSAGE, "method %s: expected a ledger and a certificate's name",
                        method->info.name);
        goto done;
    }
    PDPR_TRY(pdpr_i_zalloc(ctx, (uint64_t)publication->num_graphs + 2, sizeof *d.files,
                           "files to publish", &d.files, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, (uint64_t)publication->num_graphs + 1, sizeof *d.outputs,
                           "files to publish", &d.outputs, err));
    PDPR_TRY(method->fit(ctx, g, options, ledger, &fit, err));
    PDPR_TRY(write_outputs(&d, fit.release, options, publication, err));
    if (method->promises) {
        PDPR_TRY(certify(&d, &fit, options, publication, err));
        PDPR_TRY(pdpr_i_file_sha256(ctx, d.files[d.count - 1].draft, hash, err));
        PDPR_TRY(pdpr_i_private_run_commit(fit.run, hash, err));
    }
    PDPR_TRY(put_in_place(&d, err));
    if (method->promises)
        PDPR_TRY(pdpr_i_private_run_published(fit.run, err));
done:
    clear(&d);
    pdpr_release_free(fit.release);
    pdpr_i_private_run_free(fit.run);
    return s;
}
