/* What the runs of `reproduce` are made from, so that a run is never taken for another's.
 *
 * A night's runs are kept in a file and not made again. A run is known by its dataset's file and by
 * the program: of both the SHA-256, cut to 64 bits, which is ample against accidents. Of the
 * program it is the executable's own bytes: a commit alone would not tell a changed working copy or
 * another compiler from the build that it names. Everything else that enters a run (method,
 * parameter, seed) is in its line, or is fixed in the program. Threads and kernels change nothing.
 *
 * A digest of a private edge list is private; so is the whole folder of results. */
#include "cli.h"

#include <string.h>
#include <unistd.h>

const char *const cli_dataset_names[] = {"cora", "citeseer", "p2p", "chicago", "amazon", NULL};

bool cli_list_holds(const char *list, const char *name)
{
    size_t length = strlen(name);
    if (!list)
        return true;
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

static pdpr_status digest(pdpr_context *ctx, const char *path, char *text, pdpr_error *err)
{
    char hex[PDPR_SHA256_TEXT];
    pdpr_status s = pdpr_file_sha256(ctx, path, hex, err);
    if (s == PDPR_OK)
        snprintf(text, CLI_ORIGIN, "%.16s", hex);
    return s;
}

/* "0.1.0 COMMIT DIGEST". Without /proc the version and the commit must do. */
static void name_program(pdpr_context *ctx, char *text)
{
    static const char executable[] = "/proc/self/exe";
    char of_file[CLI_ORIGIN] = "undigested";
    pdpr_build_info info;
    pdpr_build_info_get(ctx, &info);
    if (access(executable, R_OK) == 0 && digest(ctx, executable, of_file, NULL) != PDPR_OK)
        snprintf(of_file, sizeof of_file, "undigested");
    snprintf(text, CLI_ORIGIN, "%.16s %.27s %.16s", info.version, info.commit, of_file);
}

static bool find_edges(const char *folder, const char *name, char *path)
{
    static const char *const endings[] = {"edges", "edges.gz", "edges.zst"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(path, CLI_LEDGER_PATH, "%s/%s.%s", folder, name, endings[i]);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

static pdpr_status take_dataset(pdpr_context *ctx, const char *folder, cli_dataset *d,
                                pdpr_error *err)
{
    pdpr_graph *g = NULL;
    pdpr_status s = digest(ctx, d->path, d->digest, err);
    if (s == PDPR_OK)
        s = pdpr_graph_load(ctx, d->path, NULL, &g, NULL, err);
    if (s != PDPR_OK)
        return s;
    d->nodes = pdpr_graph_num_nodes(g);
    d->edges = pdpr_graph_num_edges(g);
    pdpr_graph_free(g);
    snprintf(d->labels, sizeof d->labels, "%.4000s/%s.labels", folder, d->name);
    if (access(d->labels, R_OK) == 0)
        return digest(ctx, d->labels, d->labels_digest, err);
    d->labels[0] = '\0';
    return PDPR_OK;
}

pdpr_status cli_sources_find(pdpr_context *ctx, const char *folder, const char *wanted,
                             cli_sources *out, pdpr_error *err)
{
    memset(out, 0, sizeof *out);
    name_program(ctx, out->program);
    for (const char *const *name = cli_dataset_names; *name; name++) {
        cli_dataset *d = &out->dataset[out->count];
        d->name = *name;
        if (!cli_list_holds(wanted, *name) || !find_edges(folder, *name, d->path))
            continue;
        pdpr_status s = take_dataset(ctx, folder, d, err);
        if (s != PDPR_OK)
            return s;
        out->count++;
    }
    return PDPR_OK;
}

const cli_dataset *cli_sources_dataset(const cli_sources *sources, const char *name)
{
    for (size_t i = 0; i < sources->count; i++)
        if (strcmp(sources->dataset[i].name, name) == 0)
            return &sources->dataset[i];
    return NULL;
}

void cli_dataset_origin(const cli_dataset *d, bool with_labels, char *text)
{
    snprintf(text, CLI_ORIGIN, "%.16s%s%.16s", d->digest, with_labels ? "+" : "",
             with_labels ? d->labels_digest : "");
}

pdpr_status cli_dataset_check(pdpr_context *ctx, const cli_dataset *d, bool with_labels,
                              pdpr_error *err)
{
    char now[CLI_ORIGIN];
    pdpr_status s = digest(ctx, d->path, now, err);
    bool same = s == PDPR_OK && strcmp(now, d->digest) == 0;
    if (same && with_labels) {
        s = digest(ctx, d->labels, now, err);
        same = s == PDPR_OK && strcmp(now, d->labels_digest) == 0;
    }
    if (s == PDPR_OK && !same) {
        err->status = s = PDPR_EINPUT;
        snprintf(err->text, sizeof err->text,
                 "%.200s: expected the file of the start, found it changed: call again", d->path);
    }
    return s;
}
