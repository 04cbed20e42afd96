/* The certificate as JSON, between certificate.c and certificate_json.c. */
#ifndef PDPR_DP_CERTIFICATE_JSON_H
#define PDPR_DP_CERTIFICATE_JSON_H

#include <jansson.h>

#include "dp/certificate.h"

typedef struct {
    double epsilon;        /* joint, at the certificate's delta */
    double pure_epsilon;   /* sum of the pure charges; 0: none */
    double mu;             /* of the Gaussian charges together; 0: none */
} pdpr_i_certificate_cost; /* all rounded up */

/* Everything but the checksum. The values were found fit to be certified. NULL: out of memory. */
json_t *pdpr_i_certificate_json(pdpr_context *ctx, const pdpr_i_certificate *certificate,
                                const pdpr_i_certificate_cost *paid);

#endif
