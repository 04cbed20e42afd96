/* The names of a verb's outputs, and what it may write over. A publication cannot be made again
 * (its noise is new and costs again), and an original is nobody's to lose, so a file that is there
 * stays unless --force is given. Only a page of ours may be replaced by the next: it is made from
 * files that are still there. */
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---------------------------------------------------------------- names */

/* out.edges.gz, 3 -> out-3.edges.gz */
static void numbered(const char *path, uint64_t number, char *out, size_t size)
{
    const char *base = cli_base_name(path), *dot = strchr(base, '.');
    int stem = (int)(dot ? dot - path : (long)strlen(path));
    snprintf(out, size, "%.*s-%" PRIu64 "%s", stem, path, number, dot ? dot : "");
}

bool cli_graph_paths_make(const char *output, uint64_t count, cli_graph_paths *out)
{
    out->text = calloc(count + 1, sizeof *out->text);
    out->path = calloc(count + 1, sizeof *out->path);
    for (uint64_t i = 0; out->text && out->path && i < count; i++) {
        if (count == 1)
            snprintf(out->text[i], sizeof out->text[i], "%s", output);
        else
            numbered(output, i + 1, out->text[i], sizeof out->text[i]);
        out->path[i] = out->text[i];
    }
    return out->text && out->path;
}

void cli_graph_paths_free(cli_graph_paths *paths)
{
    free(paths->text);
    free((void *)paths->path);
}

/* ---------------------------------------------------------------- what is there */

/* One of ours, by the name that it gives its maker. */
static bool is_page(const char *path)
{
    enum { HEAD = 1024 };
    char head[HEAD + 1];
    FILE *f = fopen(path, "rb");
    size_t length = f ? fread(head, 1, HEAD, f) : 0;
    if (f)
        fclose(f);
    head[length] = '\0';
    return strstr(head, "<meta name=\"generator\" content=\"privdpr\">") != NULL;
}

static bool has_certificate(const char *path)
{
    char certificate[CLI_LEDGER_PATH];
    struct stat info;
    snprintf(certificate, sizeof certificate, "%.4000s.certificate.json", path);
    return stat(certificate, &info) == 0;
}

static int check(const cli_args *args, const char *path, bool page)
{
    struct stat info;
    if (path && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return cli_wrong_use(args->verb, "%s: is a folder, expected a file to write", path);
    if (cli_flag(args, "force") || !path || strcmp(path, "-") == 0 || stat(path, &info) != 0 ||
        !S_ISREG(info.st_mode) || info.st_size == 0 || (page && is_page(path)))
        return CLI_OK;
    return cli_wrong_use(
        args->verb, "%s: is there already%s; expected another name, or --force to replace it", path,
        has_certificate(path) ? " and was published with a certificate" : "");
}

int cli_may_write(const cli_args *args, const char *path)
{
    return check(args, path, false);
}

int cli_may_write_page(const cli_args *args, const char *path)
{
    return check(args, path, true);
}
