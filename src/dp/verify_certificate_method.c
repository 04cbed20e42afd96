/* The verifier's own knowledge of the methods: what each must have measured, and what follows from
 * its hyper-parameters.
 *
 * A method that is not in the list is refused: its name would be a label that ties to nothing. What
 * a method does not print is not checked. Source: PRIVACY.md sections 2 and 5 (T = epochs *
 * floor(N / batch) steps; N * columns coordinates, in profiles head and steered batch * columns;
 * in profile paper C = S / T; steered measures queries too). */
#include "dp/verify_certificate.h"

#include <math.h>
#include <string.h>

typedef struct {
    const char *name;
    bool embeds, measures; /* it must have an embedding, a measured query */
} known_method;

static const known_method methods[] = {{"privdpr", true, false}, {"blueprint", false, true}};

static void judge_count(pdpr_i_report *report, const char *field, uint64_t expected, uint64_t found)
{
    if (found == expected)
        pdpr_i_report_add(report, "method", PDPR_CHECK_PASS, "%s: %" PRIu64, field, found);
    else
        pdpr_i_report_add(report, "method", PDPR_CHECK_FAIL,
                          "%s: expected %" PRIu64 ", found %" PRIu64, field, expected, found);
}

static void check_name(pdpr_i_report *report, const pdpr_i_claims *c)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const known_method *m = &methods[i];
        if (strcmp(m->name, c->method) != 0)
            continue;
        bool measures = m->measures || strcmp(c->profile, "steered") == 0;
        bool fits = (!m->embeds || c->has_embedding) && (!measures || c->num_queries > 0);
        pdpr_i_report_add(report, "method", fits ? PDPR_CHECK_PASS : PDPR_CHECK_FAIL,
                          fits ? "method.name: %s" : "method.name: %s: expected %s", c->method,
                          !measures   ? "an embedding"
                          : m->embeds ? "an embedding and measured queries"
                                      : "a measured query");
        return;
    }
    pdpr_i_report_add(report, "method", PDPR_CHECK_FAIL,
                      "method.name: expected privdpr or blueprint, found %s", c->method);
}

/* Steps, coordinates and radius of an embedding follow from the hyper-parameters. */
static void check_embedding(pdpr_i_report *report, const pdpr_i_claims *c)
{
    const pdpr_i_claimed_parameters *p = &c->parameters;
    bool starts = strcmp(c->profile, "head") == 0 || strcmp(c->profile, "steered") == 0;
    uint64_t rows = starts ? p->batch : c->nodes;
    if (p->columns && rows)
        judge_count(report, "mechanisms.embedding.coords", rows * p->columns,
                    c->embedding.coordinates);
    if (p->epochs && p->batch)
        judge_count(report, "mechanisms.embedding.T", p->epochs * (c->nodes / p->batch),
                    c->embedding.steps);
    if (strcmp(c->profile, "paper") == 0 && p->sensitivity_preset > 0) {
        double radius = p->sensitivity_preset / (double)c->embedding.steps;
        bool same = fabs(c->embedding.clip - radius) <= 1e-12 * radius;
        pdpr_i_report_add(report, "method", same ? PDPR_CHECK_PASS : PDPR_CHECK_FAIL,
                          "mechanisms.embedding.C: expected S / T = %.15g, found %.15g", radius,
                          c->embedding.clip);
    }
}

void pdpr_i_claims_check_method(pdpr_i_report *report, const pdpr_i_claims *c)
{
    check_name(report, c);
    if (c->has_embedding)
        check_embedding(report, c);
}
