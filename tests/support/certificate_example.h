/* Certificates for tests: one of each kind, sound in every number. */
#ifndef PDPR_TESTS_CERTIFICATE_EXAMPLE_H
#define PDPR_TESTS_CERTIFICATE_EXAMPLE_H

#include "dp/certificate.h"

typedef enum {
    EXAMPLE_EMBEDDING, /* norm-clipped steps only: Cora's oracle of PRIVACY.md [P-5] */
    EXAMPLE_QUERIES,   /* measured queries only, pure, delta 0 */
    EXAMPLE_BOTH       /* an embedding beside queries of every mechanism */
} example_kind;

enum { EXAMPLES = 3, EXAMPLE_QUERIES_MOST = 5 };

/* Holds what the certificate points to; must not move while it is used. */
typedef struct {
    pdpr_i_certificate certificate;
    pdpr_i_certificate_embedding embedding;
    pdpr_i_certificate_query queries[EXAMPLE_QUERIES_MOST];
    pdpr_i_certificate_parameter parameters[5];
    pdpr_i_certificate_output outputs[2];
} certificate_example;

void certificate_example_make(example_kind kind, certificate_example *out);

#endif
