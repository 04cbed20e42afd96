/* Methods: the table, what a row must be able to do, and what a release holds. */
#ifndef PDPR_METHOD_METHOD_H
#define PDPR_METHOD_METHOD_H

#include "dp/certificate.h"
#include "dp/checkpoint.h"
#include "dp/private_run.h"
#include "graph/graph.h"
#include "method/release_file.h"

/* What passes the valve. `file` is all there is: header (public parameters) and arrays (noisy
 * values). */
struct pdpr_release {
    pdpr_i_release_file file;
    const struct pdpr_i_method *method;
};

enum { PDPR_I_FIT_QUERIES = 16, PDPR_I_FIT_PARAMETERS = 24, PDPR_I_PARAMETER_TEXT = 128 };

/* A public parameter of the run, for the certificate: names from the list in src/dp/certificate.c.
 */
typedef struct {
    const char *name;
    char value[PDPR_I_PARAMETER_TEXT];
} pdpr_i_parameter;

/* A fit that may be published: the release, the run that paid for it (NULL without a promise), and
 * the parts of the certificate that only the method knows. */
typedef struct {
    pdpr_release *release;
    pdpr_i_private_run *run;
    pdpr_i_checkpoint *checkpoint; /* given to the method, NULL: none; its publisher removes it */
    pdpr_i_certificate_embedding embedding;
    bool has_embedding, whole_edge_set;
    pdpr_i_certificate_query query[PDPR_I_FIT_QUERIES];
    uint32_t num_queries;
    pdpr_i_parameter parameter[PDPR_I_FIT_PARAMETERS];
    uint32_t num_parameters;
    pdpr_i_edge_count_source edge_count;
} pdpr_i_fit;

typedef struct pdpr_i_method {
    pdpr_method_info info;
    bool promises; /* gives a guarantee, needs a ledger */
    bool pure;     /* needs no delta */
    bool embeds;   /* its release holds an array "embedding", a row a node */
    bool resumes;  /* its fit keeps the checkpoint that it finds in *out */
    /* From public numbers alone. */
    pdpr_status (*plan)(pdpr_context *ctx, uint32_t num_nodes, const pdpr_method_options *options,
                        pdpr_plan *out, pdpr_error *err);
    /* The private side. */
    pdpr_status (*fit)(pdpr_context *ctx, const pdpr_graph *g, const pdpr_method_options *options,
                       pdpr_ledger *ledger, pdpr_i_fit *out, pdpr_error *err);
    /* The public side: a release and a key, never a graph. */
    pdpr_status (*sample)(pdpr_context *ctx, const pdpr_release *release, const pdpr_i_key *key,
                          uint64_t index, pdpr_graph **out, pdpr_error *err);
} pdpr_i_method;

extern const pdpr_i_method pdpr_i_method_privdpr, pdpr_i_method_dpr, pdpr_i_method_null,
    pdpr_i_method_blueprint;

/* The options with delta as the method needs it where the caller left it open (negative): 0 if all
 * its noise is pure, else 1e-5, or from 100,000 nodes on the largest power of ten below 1/N. */
pdpr_method_options pdpr_i_settle_delta(const pdpr_i_method *method, uint32_t num_nodes,
                                        const pdpr_method_options *options);

/* Adds a parameter as text; there is room for all that a method has. */
void pdpr_i_fit_parameter(pdpr_i_fit *fit, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The row of that name. Errors: PDPR_EUSAGE, naming the methods there are. */
pdpr_status pdpr_i_method_find(const char *name, const pdpr_i_method **out, pdpr_error *err);
/* The profile asked for, or the first. Errors: PDPR_EUSAGE, naming those there are. */
pdpr_status pdpr_i_profile_find(const pdpr_i_method *method, const char *name, const char **out,
                                pdpr_error *err);

/* A release with an empty header of this method. Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_release_new(pdpr_context *ctx, const pdpr_i_method *method, const pdpr_graph *g,
                               const pdpr_method_options *options, const char *profile,
                               pdpr_release **out, pdpr_error *err);
/* Adds an array; on success the release owns `items`. Errors: PDPR_EFAILED (no room for more). */
pdpr_status pdpr_i_release_add(pdpr_context *ctx, pdpr_release *release, const char *name,
                               pdpr_i_array_type type, uint64_t rows, uint64_t columns, void *items,
                               pdpr_error *err);

#endif
