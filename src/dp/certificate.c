/* Writing a certificate.
 *
 * The caller fills a plain struct of public values; this file decides what is printed, checks that
 * the promise is kept by the charges (joint accounting), and prints it canonically. The list of
 * fields and of hyper-parameter names is closed, here and, separately, in the verifier: a new one
 * needs a decision that it is public, made twice.
 *
 * Not printed, although PRIVACY.md section 9 has them: how many runs the ledger holds for this
 * dataset and what they cost. Datasets are told apart by their edges, so those numbers change with
 * a single edge, without noise (docs/design/0009-certificate-scope.md).
 *
 * Guarantee:  a certificate that is written claims an epsilon that is at least the joint cost of
 *             the charges listed in it, at its delta.
 * Rounding:   the accountant's, up.
 * Cost:       one conversion, below a second. */
#include "dp/certificate.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

#include "dp/accountant.h"
#include "dp/canonical_json.h"
#include "dp/certificate_json.h"

enum { MOST_TEXT = 400 };

/* As in the ledger: the rounding of a decimal promise to a double. */
static const double promise_slack = 1e-12;

static const char *const parameter_names[] = {
    "batch",       "columns",   "damping",    "epochs",         "horizons",
    "layers",      "optimiser", "orders",     "learning_rate",  "noise_shares",
    "samples",     "spectral",  "theta_grid", "reconstruction", "sensitivity_preset",
    "walk_length", "walks",     "width",
};

/* ---------------------------------------------------------------- what may be certified */

bool pdpr_i_certificate_is_text(const char *text)
{
    if (!text || !*text || strlen(text) > MOST_TEXT)
        return false;
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            return false;
    return true;
}

static bool is_parameter(const char *name)
{
    for (size_t i = 0; i < sizeof parameter_names / sizeof *parameter_names; i++)
        if (name && strcmp(name, parameter_names[i]) == 0)
            return true;
    return false;
}

static bool is_fraction(pdpr_i_fraction f)
{
    return f.num > 0 && f.num <= INT64_MAX && f.den > 0 && f.den <= INT64_MAX;
}

static bool is_positive(double x)
{
    return isfinite(x) && x > 0;
}

static bool is_count(uint64_t x)
{
    return x > 0 && x <= INT64_MAX;
}

static bool is_box(const pdpr_i_certificate_query *q)
{
    bool good = q->values <= PDPR_I_BOX_MOST && is_fraction(q->epsilon) && is_count(q->levels);
    for (uint64_t i = 0; i < q->values && good; i++)
        good = pdpr_i_certificate_is_text(q->answer[i].label) &&
               is_fraction(q->answer[i].sensitivity) && is_fraction(q->answer[i].grid);
    return good;
}

static bool is_query(const pdpr_i_certificate_query *q)
{
    if (!pdpr_i_certificate_is_text(q->label) || !is_count(q->values))
        return false;
    if (q->kind == PDPR_I_QUERY_BOX)
        return is_box(q);
    if (!is_fraction(q->sensitivity) || !is_fraction(q->grid))
        return false;
    if (q->kind == PDPR_I_QUERY_GAUSSIAN)
        return is_positive(q->mu) && is_positive(q->sigma);
    return is_fraction(q->epsilon) && is_fraction(q->scale);
}

static bool is_embedding(const pdpr_i_certificate_embedding *e)
{
    return is_positive(e->clip_l2) && is_positive(2 * e->clip_l2) && is_positive(e->mu) &&
           is_positive(e->mu_step) && is_positive(e->sigma) && is_count(e->steps) &&
           is_count(e->coordinates) && e->radius > 0;
}

static bool is_output(const pdpr_i_certificate_output *o)
{
    return pdpr_i_certificate_is_text(o->file) && !strchr(o->file, '/') &&
           strlen(o->sha256) == 64 && strspn(o->sha256, "0123456789abcdef") == 64 &&
           o->nodes <= INT64_MAX && o->edges <= INT64_MAX;
}

/* What is wrong with the values, or NULL. */
static const char *fault(const pdpr_i_certificate *c)
{
    if (!is_positive(c->epsilon) || !(c->delta >= 0 && c->delta < 1))
        return "expected a promise with epsilon > 0 and 0 <= delta < 1";
    if (!pdpr_i_certificate_is_text(c->method) || !pdpr_i_certificate_is_text(c->profile) ||
        (c->preprocessing && !pdpr_i_certificate_is_text(c->preprocessing)))
        return "expected method, profile and preprocessing as printable ASCII";
    if (!is_count(c->nodes) || c->declared_edges > INT64_MAX)
        return "expected the number of nodes, at least 1";
    if (!c->embedding && c->num_queries == 0)
        return "expected an embedding or a measured query, found nothing that is promised";
    if (c->embedding && !is_embedding(c->embedding))
        return "expected an embedding with positive public numbers";
    for (uint64_t i = 0; i < c->num_queries; i++)
        if (!is_query(&c->queries[i]))
            return "expected queries with printable labels and positive public numbers";
    /* The norm bound protects any two graphs from each other; a measured query protects only
     * neighbours (BLUEPRINT_REVIEW.md F6). */
    if (c->whole_edge_set && c->num_queries > 0)
        return "expected the unit node: measured queries do not protect the whole edge set";
    for (uint64_t i = 0; i < c->num_parameters; i++)
        if (!is_parameter(c->parameters[i].name) ||
            !pdpr_i_certificate_is_text(c->parameters[i].value))
            return "expected hyper-parameters of the closed list in certificate.c";
    if (c->num_outputs == 0)
        return "expected an output";
    for (uint64_t i = 0; i < c->num_outputs; i++)
        if (!is_output(&c->outputs[i]))
            return "expected outputs with a file name without folder and a SHA-256 in hex";
    if (!c->accountant_tested || !c->random_source_tested)
        return "expected self-tests that passed";
    return NULL;
}

/* ---------------------------------------------------------------- what the charges cost */

static pdpr_status cost_of(pdpr_context *ctx, const pdpr_i_certificate *c,
                           pdpr_i_certificate_cost *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_accountant *all = NULL;

    PDPR_TRY(pdpr_accountant_new(ctx, &all, err));
    if (c->embedding)
        PDPR_TRY(pdpr_accountant_add_gaussian(ctx, all, "embedding", c->embedding->mu_step,
                                              c->embedding->steps, err));
    for (uint64_t i = 0; i < c->num_queries; i++) {
        const pdpr_i_certificate_query *q = &c->queries[i];
        PDPR_TRY(q->kind == PDPR_I_QUERY_GAUSSIAN
                     ? pdpr_accountant_add_gaussian(ctx, all, q->label, q->mu, 1, err)
                     : pdpr_accountant_add_pure(ctx, all, q->label, q->epsilon.num, q->epsilon.den,
                                                err));
    }
    PDPR_TRY(pdpr_accountant_epsilon(ctx, all, c->delta, &out->epsilon, err));
    out->pure_epsilon = pdpr_i_accountant_pure_epsilon(all);
    out->mu = all->mu;
done:
    pdpr_accountant_free(all);
    return s;
}

/* ---------------------------------------------------------------- text and file */

/* Adds the hash of everything else: it shows a slip of the pen, it is no signature. */
static pdpr_status add_checksum(pdpr_context *ctx, json_t *json, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    char *text = NULL, hex[PDPR_SHA256_TEXT];
    unsigned char digest[crypto_hash_sha256_BYTES];
    size_t length;

    PDPR_TRY(pdpr_i_canonical_write(ctx, json, &text, &length, err));
    crypto_hash_sha256(digest, (const unsigned char *)text, length);
    sodium_bin2hex(hex, sizeof hex, digest, sizeof digest);
    if (json_object_set_new(json, "checksum", json_string(hex)) != 0)
        s = pdpr_i_fail(err, PDPR_ENOMEM, "certificate: out of memory");
done:
    pdpr_free(text);
    return s;
}

pdpr_status pdpr_i_certificate_text(pdpr_context *ctx, const pdpr_i_certificate *certificate,
                                    char **text, size_t *length, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    json_t *json = NULL;
    pdpr_i_certificate_cost paid = {0};
    const char *why = fault(certificate);

    if (why) {
        s = pdpr_i_fail(err, PDPR_EUSAGE, "certificate: %s", why);
        goto done;
    }
    PDPR_TRY(cost_of(ctx, certificate, &paid, err));
    if (!(paid.epsilon <= certificate->epsilon * (1 + promise_slack))) {
        s = pdpr_i_fail(err, PDPR_EBUDGET,
                        "certificate: the charges cost epsilon %.12g at delta %.6g, more than the "
                        "%.12g that is promised",
                        paid.epsilon, certificate->delta, certificate->epsilon);
        goto done;
    }
    json = pdpr_i_certificate_json(ctx, certificate, &paid);
    if (!json) {
        s = pdpr_i_fail(err, PDPR_ENOMEM, "certificate: out of memory");
        goto done;
    }
    PDPR_TRY(add_checksum(ctx, json, err));
    PDPR_TRY(pdpr_i_canonical_write(ctx, json, text, length, err));
    (*text)[(*length)++] = '\n'; /* where the NUL was */
done:
    json_decref(json);
    return s;
}

pdpr_status pdpr_i_certificate_write(pdpr_context *ctx, const pdpr_i_certificate *certificate,
                                     const char *path, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    char *text = NULL;
    size_t length;
    pdpr_i_outfile *file = NULL;

    PDPR_TRY(pdpr_i_certificate_text(ctx, certificate, &text, &length, err));
    PDPR_TRY(pdpr_i_outfile_open(ctx, path, &file, err));
    PDPR_TRY(pdpr_i_outfile_write(file, text, length, err));
    s = pdpr_i_outfile_commit(file, err);
    file = NULL;
done:
    pdpr_i_outfile_abandon(file);
    pdpr_free(text);
    return s;
}
