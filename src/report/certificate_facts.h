/* What a certificate says, for pages that put it into words. */
#ifndef PDPR_REPORT_CERTIFICATE_FACTS_H
#define PDPR_REPORT_CERTIFICATE_FACTS_H

#include <jansson.h>

#include "base/text_buffer.h"

typedef struct {
    json_t *json;              /* NULL if the verifier does not accept form or fields */
    pdpr_verification *checks; /* without an output, or with the first one */
    bool seeded, whole_edge_set;
    double epsilon, delta;
    const char *epsilon_text, *delta_text, *method, *profile; /* inside json */
} pdpr_i_certificate_facts;

/* Reads and verifies; output may be NULL. That the certificate is no good is no failure: `json` is
 * NULL then and `checks` says why. Errors: as pdpr_certificate_verify. */
pdpr_status pdpr_i_certificate_facts_init(pdpr_context *ctx, const char *path, const char *output,
                                          pdpr_i_certificate_facts *out, pdpr_error *err);
void pdpr_i_certificate_facts_clear(pdpr_i_certificate_facts *facts);

/* json.key as text; "" if it is none. */
const char *pdpr_i_fact(const json_t *object, const char *key);

/* "epsilon = 3.2, delta = 0.00001" as a heading, and the paragraphs that say what it means. Without
 * json or for a seeded run they say that nothing is promised. */
void pdpr_i_html_promise(pdpr_i_text *b, const pdpr_i_certificate_facts *facts);

/* The outcome of a check, as a word on its colour. */
void pdpr_i_html_check_light(pdpr_i_text *b, pdpr_check_result result);

#endif
