/* A folder for research runs: temporary graphs and certificates, and a ledger of their own.
 *
 * A method that promises something writes to a ledger before it draws noise, seeded or not. The
 * runs of `task` and `reproduce` are seeded, carry no guarantee and publish nothing; in the user's
 * ledger they would use up budgets that no one has profited from. */
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

pdpr_status cli_scratch_open(cli_scratch *out, pdpr_error *err)
{
    const char *base = getenv("TMPDIR");
    char path[CLI_LEDGER_PATH];
    pdpr_ledger_options options;
    pdpr_ledger_options_default(&options);
    options.create = true;
    snprintf(out->folder, sizeof out->folder - 64, "%s/privdpr-XXXXXX",
             base && base[0] == '/' ? base : "/tmp");
    if (!mkdtemp(out->folder)) {
        err->status = PDPR_EFAILED;
        snprintf(err->text, sizeof err->text, "%.200s: cannot make a temporary folder: %s",
                 out->folder, strerror(errno));
        out->folder[0] = '\0';
        return PDPR_EFAILED;
    }
    snprintf(path, sizeof path, "%.4000s/ledger", out->folder);
    /* a context without notices: that this ledger is new is no news */
    pdpr_status s = pdpr_context_new(NULL, &out->ctx, err);
    return s == PDPR_OK ? pdpr_ledger_open(out->ctx, path, &options, &out->ledger, err) : s;
}

void cli_scratch_close(cli_scratch *scratch)
{
    pdpr_ledger_close(scratch->ledger);
    pdpr_context_free(scratch->ctx);
    DIR *folder = scratch->folder[0] ? opendir(scratch->folder) : NULL;
    if (folder) {
        for (struct dirent *entry; (entry = readdir(folder));)
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
                unlinkat(dirfd(folder), entry->d_name, 0);
        closedir(folder);
        rmdir(scratch->folder);
    }
    memset(scratch, 0, sizeof *scratch);
}
