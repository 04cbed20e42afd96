/* One line of the ledger: a record as a struct, and as canonical JSON in the hash chain. */
#ifndef PDPR_DP_LEDGER_RECORD_H
#define PDPR_DP_LEDGER_RECORD_H

#include "base/base.h"

enum {
    PDPR_I_SECRET_BYTES = 32,
    PDPR_I_LEDGER_LABEL_TEXT = 49, /* sizes of texts count the NUL */
};

/* What one mechanism costs: pure epsilon = num/den, or (den == 0) a Gaussian with `mu` per step. */
typedef struct {
    char label[PDPR_I_LEDGER_LABEL_TEXT]; /* printable ASCII, public */
    uint64_t num, den;
    double mu;
    uint64_t steps;
} pdpr_i_ledger_charge;

typedef enum {
    PDPR_I_RECORD_OPEN,      /* ledger, secret: the first line and only the first */
    PDPR_I_RECORD_BUDGET,    /* dataset, epsilon, delta: the limit from now on */
    PDPR_I_RECORD_RESERVE,   /* run, dataset, charges, seeded, method, day */
    PDPR_I_RECORD_DRAWN,     /* run: its first noisy value is about to exist */
    PDPR_I_RECORD_COMMIT,    /* run, output: hash of what will be published */
    PDPR_I_RECORD_PUBLISHED, /* run */
    PDPR_I_RECORD_REFUND,    /* run: it stopped before its first noisy value */
    PDPR_I_RECORD_KINDS
} pdpr_i_record_kind;

/* The fields named at its kind are set, the others zero. */
typedef struct {
    pdpr_i_record_kind kind;
    char ledger[PDPR_LEDGER_ID_TEXT], run[PDPR_LEDGER_ID_TEXT];
    unsigned char secret[PDPR_I_SECRET_BYTES];
    char dataset[PDPR_LEDGER_KEY_TEXT], output[PDPR_LEDGER_KEY_TEXT];
    double epsilon, delta;
    bool seeded;
    char method[PDPR_LEDGER_METHOD_TEXT], day[PDPR_LEDGER_DAY_TEXT];
    pdpr_i_ledger_charge *charges; /* [num_charges]; owned by whoever owns the record */
    uint64_t num_charges;
} pdpr_i_record;

/* Where the chain ends: number and hash of its last line, and the secret that keys the hashes. */
typedef struct {
    uint64_t line; /* 0: nothing yet */
    char hash[PDPR_LEDGER_KEY_TEXT];
    unsigned char secret[PDPR_I_SECRET_BYTES];
} pdpr_i_chain;

/* True if every field that the kind needs has its form: hex ids, printable labels, positive
 * charges, a day as YYYY-MM-DD. */
bool pdpr_i_record_is_valid(const pdpr_i_record *record);

/* The line (with its newline) that continues `chain` with `record`, and where the chain ends then.
 * The caller frees *line; it holds the secret if the record is OPEN. Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_record_write(pdpr_context *ctx, const pdpr_i_record *record,
                                const pdpr_i_chain *chain, char **line, size_t *length,
                                pdpr_i_chain *next, pdpr_error *err);

/* Reads the line (without newline) that must continue `chain`, and moves `chain` to it. Errors name
 * path and line, never content: PDPR_EINPUT, PDPR_ENOMEM. The caller frees out->charges. */
pdpr_status pdpr_i_record_read(pdpr_context *ctx, const char *path, const char *line, size_t length,
                               pdpr_i_chain *chain, pdpr_i_record *out, pdpr_error *err);

#endif
