/* The certificate: what was promised and by which public numbers, as a canonical JSON file that
 * anyone can check (verify_certificate.h). It holds a closed list of public values: no digest of
 * the input, no size, count or norm of it, no time, no host (PRIVACY.md [P-20]). */
#ifndef PDPR_DP_CERTIFICATE_H
#define PDPR_DP_CERTIFICATE_H

#include "base/file_bytes.h"
#include "dp/box_noise.h"

/* num / den, den > 0, both below 2^63. Printed in lowest terms. */
typedef struct {
    uint64_t num, den;
} pdpr_i_fraction;

typedef enum {
    PDPR_I_QUERY_LAPLACE,   /* discrete Laplace, L1 sensitivity: scale * epsilon >= sensitivity */
    PDPR_I_QUERY_SELECTION, /* permute-and-flip: scale * epsilon >= 2 * sensitivity */
    PDPR_I_QUERY_GAUSSIAN,  /* rounded Gaussian, L2 sensitivity: scale * mu >= sensitivity */
    PDPR_I_QUERY_BOX        /* box noise: several queries at once, each with its sensitivity */
} pdpr_i_query_kind;

/* One of several queries that are paid for together. */
typedef struct {
    const char *label;
    pdpr_i_fraction sensitivity; /* a multiple of the grid */
    pdpr_i_fraction grid;
} pdpr_i_certificate_answer;

/* What one charge paid for: a measured query, or several at once. Sensitivity, grid and scale are
 * in the query's own units. */
typedef struct {
    const char *label;
    pdpr_i_query_kind kind;
    uint64_t values;             /* numbers released, or candidates to choose from */
    pdpr_i_fraction sensitivity; /* a multiple of the grid; not for a box, whose answers have it */
    pdpr_i_fraction grid;        /* likewise */
    pdpr_i_fraction epsilon;     /* pure kinds */
    pdpr_i_fraction scale;       /* Laplace, selection */
    double mu, sigma;            /* Gaussian kind; sigma in grid units */
    uint64_t levels;             /* box */
    pdpr_i_certificate_answer answer[PDPR_I_BOX_MOST]; /* box: as many as values */
} pdpr_i_certificate_query;

/* T clipped and noised steps (PRIVACY.md [P-5]); the fields of pdpr_i_clip_plan. */
typedef struct {
    double clip_l2, mu, mu_step, sigma;
    uint64_t steps, coordinates;
    int64_t radius;
    int exponent;
} pdpr_i_certificate_embedding;

typedef struct {
    const char *name; /* one of the list in certificate.c */
    const char *value;
} pdpr_i_certificate_parameter;

typedef struct {
    const char *file; /* without its folder */
    char sha256[PDPR_SHA256_TEXT];
    uint64_t nodes, edges; /* of the published graph */
} pdpr_i_certificate_output;

typedef enum {
    PDPR_I_EDGES_DERIVED = 0,  /* a function of released values */
    PDPR_I_EDGES_NOISY = 1,    /* a measured query */
    PDPR_I_EDGES_DECLARED = 2, /* given by the operator as public */
} pdpr_i_edge_count_source;

/* All of it public. Arrays and strings belong to the caller. */
typedef struct {
    bool seeded;           /* no guarantee */
    double epsilon, delta; /* promised: what the operator asked for */
    bool whole_edge_set;   /* the unit of a run that only clips norms; else node, replace-one */
    const char *method, *profile;
    const char *preprocessing; /* the operator's statement; NULL: none declared */
    uint64_t nodes;
    bool vertices_inferred; /* the operator accepted the ids in the file as the public node set */
    pdpr_i_edge_count_source edge_count;
    uint64_t declared_edges;
    const pdpr_i_certificate_embedding *embedding; /* NULL: none */
    const pdpr_i_certificate_query *queries;
    uint64_t num_queries;
    const pdpr_i_certificate_parameter *parameters; /* fixed before the data was read */
    uint64_t num_parameters;
    const pdpr_i_certificate_output *outputs;
    uint64_t num_outputs;
    bool accountant_tested, random_source_tested; /* self-tests that passed */
} pdpr_i_certificate;

/* Whether a certificate can hold it: 1 to 400 characters of printable ASCII. */
bool pdpr_i_certificate_is_text(const char *text);

/* The certificate's text, newline included; the caller frees it. What must not be certified is
 * refused: charges above the promise, the wrong unit, a self-test that did not pass, a parameter
 * outside the list. Errors: PDPR_EUSAGE (a value out of form), PDPR_EBUDGET (the charges cost more
 * than is promised), PDPR_ENOMEM. */
pdpr_status pdpr_i_certificate_text(pdpr_context *ctx, const pdpr_i_certificate *certificate,
                                    char **text, size_t *length, pdpr_error *err);

/* The same, into a file that appears whole or not at all. Errors: and PDPR_EFAILED. */
pdpr_status pdpr_i_certificate_write(pdpr_context *ctx, const pdpr_i_certificate *certificate,
                                     const char *path, pdpr_error *err);

#endif
