/* The verifier's own knowledge of the methods: what each must have measured and what it cannot
 * have, and what follows from its hyper-parameters.
 *
 * A method or profile that is not in the list is refused: its name would be a label that ties to
 * nothing. So is a certificate that leaves out a hyper-parameter which such a check needs: what
 * cannot be checked is not verified. Source: PRIVACY.md sections 2 and 5 (T = epochs *
 * floor(N / batch) steps; N * columns coordinates, in profiles head and steered batch * columns;
 * in profile paper C = S / T; steered measures queries too). */
#include "dp/verify_certificate.h"

#include <math.h>
#include <string.h>

typedef struct {
    const char *method, *profile;
    bool embeds, measures; /* it has an embedding, measured queries; false: it has none */
    bool starts;           /* noise on the rows of the start nodes, not on all */
    bool presets;          /* the radius is the preset sensitivity over T */
} known;

static const known list[] = {
    {"privdpr", "paper", true, false, false, true},
    {"privdpr", "tight", true, false, false, false},
    {"privdpr", "head", true, false, true, false},
    {"privdpr", "steered", true, true, true, false},
    {"blueprint", "pure", false, true, false, false},
};

/* a * b, or what no certificate can claim. */
static uint64_t times(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static void judge_count(pdpr_i_report *report, const char *field, uint64_t expected, uint64_t found)
{
    if (found == expected)
        pdpr_i_report_add(report, "method", PDPR_CHECK_PASS, "%s: %" PRIu64, field, found);
    else
        pdpr_i_report_add(report, "method", PDPR_CHECK_FAIL,
                          "%s: expected %" PRIu64 ", found %" PRIu64, field, expected, found);
}

/* Whether a hyper-parameter that a check needs is printed. */
static bool need(pdpr_i_report *report, const char *name, bool printed)
{
    if (!printed)
        pdpr_i_report_add(report, "method", PDPR_CHECK_FAIL,
                          "public_inputs.hyperparameters.%s: not verified: expected it, because "
                          "the embedding follows from it, found none",
                          name);
    return printed;
}

/* Steps, coordinates and radius of an embedding follow from the hyper-parameters. */
static void check_embedding(pdpr_i_report *report, const known *m, const pdpr_i_claims *c)
{
    const pdpr_i_claimed_parameters *p = &c->parameters;
    bool batch = need(report, "batch", p->batch > 0),
         columns = need(report, "columns", p->columns > 0),
         epochs = need(report, "epochs", p->epochs > 0);
    if (columns && (batch || !m->starts))
        judge_count(report, "mechanisms.embedding.coords",
                    times(m->starts ? p->batch : c->nodes, p->columns), c->embedding.coordinates);
    if (epochs && batch)
        judge_count(report, "mechanisms.embedding.T", times(p->epochs, c->nodes / p->batch),
                    c->embedding.steps);
    if (m->presets && need(report, "sensitivity_preset", p->sensitivity_preset > 0)) {
        double radius = p->sensitivity_preset / (double)c->embedding.steps;
        bool same = fabs(c->embedding.clip - radius) <= 1e-12 * radius;
        pdpr_i_report_add(report, "method", same ? PDPR_CHECK_PASS : PDPR_CHECK_FAIL,
                          "mechanisms.embedding.C: expected S / T = %.15g, found %.15g", radius,
                          c->embedding.clip);
    }
}

void pdpr_i_claims_check_method(pdpr_i_report *report, const pdpr_i_claims *c)
{
    const known *m = NULL;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(list[i].method, c->method) == 0 && strcmp(list[i].profile, c->profile) == 0)
            m = &list[i];
    if (!m) {
        pdpr_i_report_add(report, "method", PDPR_CHECK_FAIL,
                          "method: not verified: expected privdpr (paper, tight, head, steered) or "
                          "blueprint (pure), found %s (%s)",
                          c->method, c->profile);
        return;
    }
    if (m->embeds != c->has_embedding || m->measures != (c->num_queries > 0)) {
        pdpr_i_report_add(report, "method", PDPR_CHECK_FAIL,
                          "method: not verified: %s (%s): expected %s embedding and %s measured "
                          "queries, found %s and %s",
                          c->method, c->profile, m->embeds ? "an" : "no",
                          m->measures ? "some" : "no", c->has_embedding ? "one" : "none",
                          c->num_queries > 0 ? "some" : "none");
        return;
    }
    pdpr_i_report_add(report, "method", PDPR_CHECK_PASS, "method: %s (%s)", c->method, c->profile);
    if (m->embeds)
        check_embedding(report, m, c);
}
