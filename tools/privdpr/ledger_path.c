/* Where the ledger is, when nobody says: $XDG_STATE_HOME/privdpr/ledger, as the XDG base directory
 * specification has it for state that should survive but is no document. */
#include "cli.h"

#include <errno.h>
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

bool cli_is_key(const char *text)
{
    enum { LEAST_DIGITS = 8 };
    size_t length = strlen(text);
    return length >= LEAST_DIGITS && strspn(text, "0123456789abcdef") == length;
}

const char *cli_dataset_name(const char *text)
{
    static const char sign[] = "name:";
    return strncmp(text, sign, sizeof sign - 1) == 0 ? text + sizeof sign - 1 : NULL;
}

pdpr_status cli_note_new_name(pdpr_ledger *ledger, const char *name, pdpr_error *err)
{
    char key[PDPR_LEDGER_KEY_TEXT];
    pdpr_ledger_summary *summary = NULL;
    bool known = false;
    pdpr_status s = pdpr_ledger_dataset_named(ledger, name, key, err);
    if (s == PDPR_OK)
        s = pdpr_ledger_summarise(ledger, 0, &summary, err);
    if (s != PDPR_OK)
        return s;
    for (uint64_t i = 0; i < summary->num_datasets; i++)
        known |= strcmp(summary->datasets[i].dataset, key) == 0;
    if (!known)
        fprintf(stderr,
                "privdpr: note: the ledger has no dataset named \"%s\" yet: this run is its first, "
                "and no budget limits it\n",
                name);
    pdpr_ledger_summary_free(summary);
    return PDPR_OK;
}

bool cli_checkpoint_path(const char *ledger, const char *output, size_t length, char *path,
                         size_t size)
{
    const char *name = cli_base_name(output);
    int made = snprintf(path, size, "%s.%.*s.checkpoint", ledger,
                        (int)(length - (size_t)(name - output)), name);
    return made > 0 && (size_t)made < size;
}
