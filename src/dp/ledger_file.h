/* The ledger as a file of lines: locked, read whole, grown by one durable line. Knows nothing of
 * what the lines say (ledger_record.h) or mean (ledger_state.h). */
#ifndef PDPR_DP_LEDGER_FILE_H
#define PDPR_DP_LEDGER_FILE_H

#include "base/base.h"
#include "dp/ledger_system.h"

/* Where the ledger is and how to get at it. The strings and the table outlive every use. */
typedef struct {
    pdpr_context *ctx;
    const pdpr_i_ledger_system *system;
    const char *path;
    uint32_t wait_seconds; /* longest wait for the lock, where there is a longest */
} pdpr_i_ledger_place;

/* What a ledger is opened for. */
typedef enum {
    PDPR_I_LEDGER_READ,
    PDPR_I_LEDGER_APPEND,
    PDPR_I_LEDGER_APPEND_PAID /* a line that a run has paid for: giving up its wait would lose the
                                 run, so it ends with the lock or with a cancelled context */
} pdpr_i_ledger_purpose;

/* An open, locked ledger. Whoever holds it to append is alone; readers share. */
typedef struct {
    const pdpr_i_ledger_place *place;
    int descriptor;  /* -1: closed */
    char *text;      /* the complete lines, each with its newline; wiped on close: it holds the
                        ledger's secret */
    uint64_t length; /* bytes of them */
    uint64_t tail;   /* bytes of an incomplete line behind them: an append that a crash cut short */
    bool unended;    /* the last of the lines lacks its newline */
} pdpr_i_ledger_file;

/* Makes a ledger of one line, whole or not at all; an existing file of that name is left alone and
 * is no error. Errors: PDPR_EFAILED, PDPR_ENOMEM. */
pdpr_status pdpr_i_ledger_file_create(const pdpr_i_ledger_place *place, const char *line,
                                      size_t length, pdpr_error *err);

/* Flushes the folder, so that the ledger's name survives a power cut. Errors: as above. */
pdpr_status pdpr_i_ledger_file_sync_folder(const pdpr_i_ledger_place *place, pdpr_error *err);

/* Opens, locks and reads. Refuses a file that is missing, not regular, open to others, or (for
 * append) read-only. On success the caller closes it. Errors: PDPR_EFAILED, PDPR_ENOMEM,
 * PDPR_ECANCELLED. */
pdpr_status pdpr_i_ledger_file_open(const pdpr_i_ledger_place *place, pdpr_i_ledger_purpose purpose,
                                    pdpr_i_ledger_file *out, pdpr_error *err);

/* Flushes the file to disk: for who acts on a line that another process may only have written.
 * Errors: PDPR_EFAILED. */
pdpr_status pdpr_i_ledger_file_flush(const pdpr_i_ledger_file *file, pdpr_error *err);

/* Takes the tail for a line: it lacks nothing but its newline, which the next append gives it. */
void pdpr_i_ledger_file_keep_tail(pdpr_i_ledger_file *file);

/* Appends `line` (which ends in its only newline) and returns PDPR_OK only when it is on disk. An
 * incomplete tail is cut off first, with a notice; one that is kept gets its newline. After a
 * failure the line may or may not be there: the caller must not go on as if it were. */
pdpr_status pdpr_i_ledger_file_append(pdpr_i_ledger_file *file, const char *line, size_t length,
                                      pdpr_error *err);

/* Unlocks and closes; a second call does nothing. */
pdpr_status pdpr_i_ledger_file_close(pdpr_i_ledger_file *file, pdpr_error *err);

#endif
