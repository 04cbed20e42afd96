/* Base: what every module stands on. Status and text, accounted memory, parallel loops, notices,
 * progress, cancellation, and files that appear whole or not at all. */
#ifndef PDPR_BASE_BASE_H
#define PDPR_BASE_BASE_H

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/types.h>

#include <privdpr/privdpr.h>

/* ---------------------------------------------------------------- status */

/* Records status and text and returns the status, so that a failure is one statement. err may be
 * NULL. */
pdpr_status pdpr_i_fail(pdpr_error *err, pdpr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, ending in ": " and what the system says about errno value `system_error`. */
pdpr_status pdpr_i_fail_system(pdpr_error *err, int system_error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* On failure keeps the status in `s` and leaves through the function's single exit. */
#define PDPR_TRY(call)               \
    do {                             \
        if ((s = (call)) != PDPR_OK) \
            goto done;               \
    } while (0)

/* ---------------------------------------------------------------- memory */

/* Bytes in use and their cap. Counted apart from the context because objects may outlive it. */
typedef struct pdpr_i_account pdpr_i_account;

/* All memory comes from these. Blocks are 64-byte aligned, counted against max_memory before they
 * are asked of the system, and can be made to fail one by one in tests. `what` names the use in the
 * error text. A count of zero gives a valid block. */
pdpr_status pdpr_i_alloc(pdpr_context *ctx, uint64_t count, size_t size, const char *what,
                         void *out, pdpr_error *err);
pdpr_status pdpr_i_zalloc(pdpr_context *ctx, uint64_t count, size_t size, const char *what,
                          void *out, pdpr_error *err);
/* Moves a block to `count` items, keeping what fits; *block may be NULL. On failure *block is
 * untouched. */
pdpr_status pdpr_i_resize(pdpr_context *ctx, uint64_t count, size_t size, const char *what,
                          void *block, pdpr_error *err);
/* Fails if `bytes` more would exceed the cap: for work that must know before it starts. */
pdpr_status pdpr_i_check_memory(pdpr_context *ctx, uint64_t bytes, const char *what,
                                pdpr_error *err);
/* A copy of `length` bytes with a NUL behind them. */
pdpr_status pdpr_i_copy_text(pdpr_context *ctx, const char *text, size_t length, char **out,
                             pdpr_error *err);

/* Tests only: the n-th allocation from now fails (0: none); returns how many there were since the
 * last call. */
uint64_t pdpr_i_fail_allocation(pdpr_context *ctx, uint64_t nth);

/* ---------------------------------------------------------------- context */

struct pdpr_context {
    uint32_t threads;
    pdpr_cpu cpu_found, cpu_used;
    pdpr_i_account *account;
    void (*notice)(void *, const char *);
    void (*progress)(void *, const char *, uint64_t, uint64_t);
    void *user;
    struct pdpr_i_talk *talk; /* lock and clock of the callbacks */
    struct pdpr_i_team *team; /* helpers of parallel loops; NULL: loops make their own threads */
    atomic_int cancelled;     /* 1: yes. Tests only: -n makes the n-th check from now fail */
};

/* PDPR_ECANCELLED once pdpr_context_cancel was called; to be asked every few milliseconds of work.
 */
pdpr_status pdpr_i_check_cancelled(pdpr_context *ctx, pdpr_error *err);

void pdpr_i_notice(pdpr_context *ctx, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Cheap enough to call per chunk: passes on at most ten reports a second, and always done == total.
 */
void pdpr_i_progress(pdpr_context *ctx, const char *what, uint64_t done, uint64_t total);

/* Instruction set of this machine, and its name. */
pdpr_cpu pdpr_i_cpu_detect(void);
const char *pdpr_i_cpu_name(pdpr_cpu cpu);

enum { PDPR_I_BUILD_IDENTITY = 512 };
/* Everything besides input and parameters that may change a bit of what is computed, one a line:
 * commit, compiler, C library (its log and exp), processor (the C library picks its kernels by it;
 * ours give the same results on all). */
void pdpr_i_build_identity(const pdpr_context *ctx, char out[PDPR_I_BUILD_IDENTITY]);

/* ---------------------------------------------------------------- parallel loops */

/* Work on chunk number `chunk`; `worker` < ctx->threads tells which workspace to use. */
typedef pdpr_status (*pdpr_i_chunk_work)(void *arg, uint64_t chunk, uint32_t worker,
                                         pdpr_error *err);

/* Runs chunks 0..count-1, each once, on up to ctx->threads threads, lower numbers first. Which
 * thread takes which chunk is left to chance, so a chunk's result may depend on its number only.
 * Stops at the first failure or cancellation; of several failures that of the lowest chunk is
 * reported. */
pdpr_status pdpr_i_parallel(pdpr_context *ctx, uint64_t count, pdpr_i_chunk_work work, void *arg,
                            pdpr_error *err);

/* Number of chunks that cut `items` into pieces of `chunk_size`. */
uint64_t pdpr_i_chunks(uint64_t items, uint64_t chunk_size);

/* ---------------------------------------------------------------- output files */

/* A file that appears under its name complete, or not at all: written beside it, flushed to disk,
 * then renamed. */
typedef struct pdpr_i_outfile pdpr_i_outfile;

/* How files begin that no output may replace: a ledger, whose loss makes what was spent unknown,
 * and a checkpoint, from which a run that has spent its budget goes on. */
#define PDPR_I_LEDGER_FORMAT    "privdpr-ledger/" /* then the version */
#define PDPR_I_LEDGER_BEGINNING "{\"format\":\"" PDPR_I_LEDGER_FORMAT
#define PDPR_I_CHECKPOINT_MAGIC "PDPRCKP1"

/* Files of this prefix are work in hand: nobody else may open them until they are put in place. */
#define PDPR_I_DRAFT_PREFIX ".draft-"

/* The mode that open() gives a new file. */
mode_t pdpr_i_usual_mode(void);

/* Refuses a name under which there is such a file, or one that cannot be read. Errors: PDPR_EUSAGE.
 */
pdpr_status pdpr_i_outfile_check_target(const char *path, pdpr_error *err);

/* Errors: PDPR_EUSAGE (a ledger or a checkpoint has the name), PDPR_EFAILED, PDPR_ENOMEM. */
pdpr_status pdpr_i_outfile_open(pdpr_context *ctx, const char *path, pdpr_i_outfile **out,
                                pdpr_error *err);
/* The same, and at no time may another user open the file (mode 600, whatever the umask). What is
 * no regular file keeps its mode. */
pdpr_status pdpr_i_outfile_open_private(pdpr_context *ctx, const char *path, pdpr_i_outfile **out,
                                        pdpr_error *err);
pdpr_status pdpr_i_outfile_write(pdpr_i_outfile *f, const void *bytes, size_t length,
                                 pdpr_error *err);
/* Makes the file appear and frees f, also on failure. */
pdpr_status pdpr_i_outfile_commit(pdpr_i_outfile *f, pdpr_error *err);
/* Removes the temporary files that dead processes left of this output. For who knows that nobody is
 * writing it. */
void pdpr_i_outfile_sweep(const char *path);
/* Flushes the folder of a file, so that a rename in it survives a power cut. False if it could not;
 * the rename stands all the same. */
bool pdpr_i_sync_folder_of(const char *path);
/* Whether two paths are one name in one folder, however it is spelt. */
bool pdpr_i_same_name(const char *a, const char *b);
/* Drops what was written and frees f. NULL is fine. */
void pdpr_i_outfile_abandon(pdpr_i_outfile *f);

#endif
