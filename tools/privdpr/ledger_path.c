/* Where the ledger is, when nobody says: $XDG_STATE_HOME/privdpr/ledger, as the XDG base directory
 * specification has it for state that should survive but is no document. */
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static pdpr_status failed(pdpr_error *err, const char *path, const char *what, int why)
{
    err->status = PDPR_EFAILED;
    snprintf(err->text, sizeof err->text, "%.300s: %s: %s", path, what, strerror(why));
    return PDPR_EFAILED;
}

/* Makes the folder of `path` and those above it, private. */
static pdpr_status make_folders(const char *path, pdpr_error *err)
{
    char folder[CLI_LEDGER_PATH];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        size_t length = (size_t)(slash - path);
        memcpy(folder, path, length);
        folder[length] = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST)
            return failed(err, folder, "cannot make this folder for the ledger", errno);
    }
    return PDPR_OK;
}

/* The path of the user's own ledger, and whether its folder is there. */
static pdpr_status default_path(char path[CLI_LEDGER_PATH], bool *used_before, pdpr_error *err)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    struct stat info;
    int length;
    if (state && state[0] == '/') /* the specification: a relative one is ignored */
        length = snprintf(path, CLI_LEDGER_PATH, "%s/privdpr", state);
    else if (home && home[0] == '/')
        length = snprintf(path, CLI_LEDGER_PATH, "%s/.local/state/privdpr", home);
    else
        length = -1;
    if (length < 0 || length > CLI_LEDGER_PATH - 10) {
        err->status = PDPR_EUSAGE;
        snprintf(err->text, sizeof err->text,
                 "neither XDG_STATE_HOME nor HOME says where the ledger is; name it");
        return PDPR_EUSAGE;
    }
    *used_before = stat(path, &info) == 0;
    snprintf(path + length, (size_t)(CLI_LEDGER_PATH - length), "/ledger");
    return PDPR_OK;
}

pdpr_status cli_ledger_open(pdpr_context *ctx, const char *named, cli_ledger_purpose purpose,
                            char path[CLI_LEDGER_PATH], pdpr_ledger **out, pdpr_error *err)
{
    pdpr_ledger_options options;
    pdpr_ledger_options_default(&options);
    options.create = purpose == CLI_LEDGER_CREATE;
    options.read_only = purpose == CLI_LEDGER_READ;
    if (named) {
        snprintf(path, CLI_LEDGER_PATH, "%s", named);
    } else {
        bool used_before;
        pdpr_status s = default_path(path, &used_before, err);
        if (s != PDPR_OK)
            return s;
        if (purpose == CLI_LEDGER_USE)
            options.create = !used_before;
        if (options.create)
            s = make_folders(path, err);
        if (s != PDPR_OK)
            return s;
    }
    return pdpr_ledger_open(ctx, path, &options, out, err);
}

bool cli_ledger_is_unused(char path[CLI_LEDGER_PATH])
{
    pdpr_error err;
    bool used_before = true;
    return default_path(path, &used_before, &err) == PDPR_OK && !used_before;
}

/* A few digits that differ between folders however they are spelt (FNV-1a). */
static uint32_t digits_of_folder(const char *path, size_t length)
{
    char folder[CLI_LEDGER_PATH];
    snprintf(folder, sizeof folder, "%.*s", length > 0 ? (int)length : 1, length > 0 ? path : ".");
    char *real = realpath(folder, NULL); /* not there: the run fails anyway */
    uint32_t digits = 2166136261u;
    for (const char *c = real ? real : folder; *c; c++)
        digits = (digits ^ (unsigned char)*c) * 16777619u;
    free(real);
    return digits;
}

bool cli_checkpoint_path(const char *ledger, const char *output, size_t length, char *path,
                         size_t size)
{
    const char *name = cli_base_name(output);
    size_t folder = (size_t)(name - output);
    int made = snprintf(path, size, "%s.%.*s.%08" PRIx32 ".checkpoint", ledger,
                        (int)(length - folder), name, digits_of_folder(output, folder));
    return made > 0 && (size_t)made < size;
}

/* ".1f0c88a3.checkpoint", or ".checkpoint" as it was called without the digits of a folder. */
static bool is_ending(const char *text)
{
    enum { DIGITS = 8 };
    if (text[0] == '.' && strspn(text + 1, "0123456789abcdef") == DIGITS)
        text += 1 + DIGITS;
    return strcmp(text, ".checkpoint") == 0;
}

void cli_note_other_checkpoints(const char *usual)
{
    static const char ending[] = ".00000000.checkpoint";
    const char *name = cli_base_name(usual);
    size_t length = strlen(name) - (sizeof ending - 1);
    char folder[2 * CLI_LEDGER_PATH];
    snprintf(folder, sizeof folder, "%.*s", name > usual ? (int)(name - usual) : 1,
             name > usual ? usual : ".");
    DIR *d = opendir(folder);
    const struct dirent *entry;
    while (d && (entry = readdir(d)))
        if (strncmp(entry->d_name, name, length) == 0 && is_ending(entry->d_name + length) &&
            strcmp(entry->d_name, name) != 0)
            fprintf(stderr,
                    "privdpr: note: %.*s%s is of a run whose output has the same name in another "
                    "folder. If it is this one, and its folder was moved, --checkpoint with that "
                    "file and --resume goes on and spends nothing again\n",
                    (int)(name - usual), usual, entry->d_name);
    if (d)
        closedir(d);
}
