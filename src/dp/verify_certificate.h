/* The verifier of certificates, between its files. It shares no code with what writes them
 * (certificate*.c) nor with the accountant that they rest on (accountant.c, gdp*.c): it has its own
 * list of fields, its own formulas, and the second accountant (accountant_check.h). */
#ifndef PDPR_DP_VERIFY_CERTIFICATE_H
#define PDPR_DP_VERIFY_CERTIFICATE_H

#include <jansson.h>

#include "base/base.h"

/* ---------------------------------------------------------------- the list of checks */

typedef struct {
    pdpr_context *ctx;
    pdpr_status status; /* PDPR_ENOMEM once memory ran out: the list is then incomplete */
    pdpr_check *checks;
    uint64_t count, room, failures;
} pdpr_i_report;

/* Adds a check; bytes of the certificate that are not printable ASCII show as '?'. */
void pdpr_i_report_add(pdpr_i_report *report, const char *name, pdpr_check_result result,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* ---------------------------------------------------------------- what a certificate claims */

typedef struct {
    uint64_t num, den;
} pdpr_i_claimed_fraction;

typedef enum {
    PDPR_I_CLAIM_LAPLACE,
    PDPR_I_CLAIM_SELECTION,
    PDPR_I_CLAIM_GAUSSIAN,
    PDPR_I_CLAIM_BOX
} pdpr_i_claim_kind;

enum { PDPR_I_CLAIM_MOST_ANSWERS = 8 }; /* of a box */

typedef struct {
    pdpr_i_claimed_fraction sensitivity, grid;
} pdpr_i_claimed_answer;

typedef struct {
    pdpr_i_claim_kind kind;
    pdpr_i_claimed_fraction sensitivity, grid, epsilon, scale;
    double mu, sigma;
    uint64_t values, levels;
    pdpr_i_claimed_answer answer[PDPR_I_CLAIM_MOST_ANSWERS]; /* box: as many as values */
} pdpr_i_claimed_query;

typedef struct {
    const char *file, *sha256; /* inside the JSON */
    uint64_t nodes, edges;
} pdpr_i_claimed_output;

/* Hyper-parameters that other fields follow from; 0: not printed. */
typedef struct {
    uint64_t batch, columns, epochs;
    double sensitivity_preset;
} pdpr_i_claimed_parameters;

typedef struct {
    const char *method, *profile; /* inside the JSON */
    pdpr_i_claimed_parameters parameters;
    bool seeded, whole_edge_set, has_embedding;
    double epsilon, delta; /* promised; 0 if seeded */
    double sampler_delta;  /* if delta is 0 */
    struct {
        double epsilon, delta, mu, pure_epsilon;
    } accounting;
    struct {
        double clip, diameter, mu, mu_step, sigma; /* C, Delta */
        uint64_t steps, coordinates;
        int64_t exponent, radius; /* k, K */
    } embedding;
    uint64_t nodes;
    pdpr_i_claimed_query *queries;
    pdpr_i_claimed_output *outputs;
    uint64_t num_queries, num_outputs;
} pdpr_i_claims;

/* Reads the fields into *out; each one that is missing, unknown or out of form becomes a failed
 * check "fields" that begins with its path. The caller frees queries and outputs, in any case. */
void pdpr_i_claims_read(pdpr_i_report *report, const json_t *json, pdpr_i_claims *out);

/* Whether method, profile and hyper-parameters carry what the mechanisms and outputs claim. */
void pdpr_i_claims_check_method(pdpr_i_report *report, const pdpr_i_claims *claims);

/* Recomputes everything that follows from other fields, one or more checks each. */
void pdpr_i_claims_recompute(pdpr_i_report *report, const pdpr_i_claims *claims);

/* ---------------------------------------------------------------- all of it */

/* Checks a certificate's bytes; `output` may be NULL. Errors: as pdpr_certificate_verify. */
pdpr_status pdpr_i_certificate_check(pdpr_i_report *report, const char *bytes, size_t length,
                                     const char *output, pdpr_error *err);

/* The same for a certificate that is about to be published: all checks must pass, for a seeded run
 * all but the one on its guarantee. Errors: PDPR_EFAILED with the first check that fails, and as
 * pdpr_certificate_verify. */
pdpr_status pdpr_i_certificate_check_own(pdpr_context *ctx, const char *path, bool seeded,
                                         pdpr_error *err);

#endif
