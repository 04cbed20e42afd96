/* Verifying a certificate: its form, its fields, its arithmetic, and the file it speaks of.
 *
 * The order matters: what is not canonical JSON has no fields, and what has a wrong field is not
 * computed with. A certificate is not signed: the checksum shows slips, the recomputation shows
 * claims that its own numbers do not carry, and the hash ties it to the output. That the numbers
 * are those of the run is what the operator, not the verifier, answers for.
 *
 * Cost: one conversion by the second accountant, and one reading of the output. */
#include "dp/verify_certificate.h"

#include <sodium.h>
#include <stdarg.h>
#include <string.h>

#include "base/file_bytes.h"
#include "dp/canonical_json.h"
#include "graph/graph.h"

enum { MOST_BYTES = 16 << 20 };

/* A hostile certificate must not steer the terminal: only printable ASCII passes. */
__attribute__((format(printf, 2, 0))) static void write_text(pdpr_check *check, const char *format,
                                                             va_list args)
{
    vsnprintf(check->text, sizeof check->text, format, args);
    for (char *at = check->text; *at; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
}

void pdpr_i_report_add(pdpr_i_report *report, const char *name, pdpr_check_result result,
                       const char *format, ...)
{
    if (report->count == report->room) {
        uint64_t more = report->room ? 2 * report->room : 16;
        if (pdpr_i_resize(report->ctx, more, sizeof *report->checks, "checks", &report->checks,
                          NULL) != PDPR_OK) {
            report->status = PDPR_ENOMEM;
            return;
        }
        report->room = more;
    }
    pdpr_check *check = &report->checks[report->count++];
    va_list args;
    va_start(args, format);
    write_text(check, format, args);
    va_end(args);
    check->name = name;
    check->result = result;
    report->failures += result == PDPR_CHECK_FAIL;
}

/* The checksum is the SHA-256 of the canonical text without it. */
static void check_checksum(pdpr_i_report *report, json_t *json)
{
    char *text = NULL, hex[PDPR_SHA256_TEXT];
    unsigned char digest[crypto_hash_sha256_BYTES];
    size_t length;
    json_t *found = json_incref(json_object_get(json, "checksum"));
    const char *found_text = json_string_value(found); /* NULL for what is no text */

    json_object_del(json, "checksum");
    pdpr_status s = pdpr_i_canonical_write(report->ctx, json, &text, &length, NULL);
    if (s == PDPR_OK) {
        crypto_hash_sha256(digest, (const unsigned char *)text, length);
        sodium_bin2hex(hex, sizeof hex, digest, sizeof digest);
        bool same = found_text && strcmp(found_text, hex) == 0;
        pdpr_i_report_add(report, "checksum", same ? PDPR_CHECK_PASS : PDPR_CHECK_FAIL,
                          same ? "checksum: the text is as it was written"
                               : "checksum: expected that of the other fields, found another: "
                                 "something was changed");
    } else {
        report->status = s;
    }
    json_decref(found);
    pdpr_free(text);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Counts nodes and edges of the file itself. A release has no edges to count. */
static pdpr_status check_graph(pdpr_i_report *report, const pdpr_i_claims *claims, uint64_t index,
                               const char *output, pdpr_error *err)
{
    const pdpr_i_claimed_output *claimed = &claims->outputs[index];
    pdpr_graph *g = NULL;
    pdpr_error why = {0};
    if (claimed->edges == 0)
        return PDPR_OK;
    pdpr_status s = pdpr_graph_load(report->ctx, output, NULL, &g, NULL, &why);
    if (s != PDPR_OK && s != PDPR_EINPUT) /* not read, rather than no graph */
        return pdpr_i_fail(err, s, "%s", why.text);
    uint64_t nodes = g ? g->num_nodes : 0, edges = g ? pdpr_graph_num_edges(g) : 0;
    bool same = nodes == claimed->nodes && edges == claimed->edges;
    pdpr_i_report_add(report, "output", same ? PDPR_CHECK_PASS : PDPR_CHECK_FAIL,
                      "outputs[%" PRIu64 "]: %" PRIu64 " nodes and %" PRIu64
                      " edges claimed, %" PRIu64 " and %" PRIu64 " in the file",
                      index, claimed->nodes, claimed->edges, nodes, edges);
    pdpr_graph_free(g);
    return PDPR_OK;
}

static pdpr_status check_output(pdpr_i_report *report, const pdpr_i_claims *claims,
                                const char *output, pdpr_error *err)
{
    char hex[PDPR_SHA256_TEXT];
    if (!output) {
        pdpr_i_report_add(report, "output", PDPR_CHECK_SKIPPED,
                          "outputs: no file was given to compare with");
        return PDPR_OK;
    }
    pdpr_status s = pdpr_file_sha256(report->ctx, output, hex, err);
    if (s != PDPR_OK)
        return s;
    for (uint64_t i = 0; i < claims->num_outputs; i++)
        if (strcmp(claims->outputs[i].sha256, hex) == 0) {
            pdpr_i_report_add(report, "output", PDPR_CHECK_PASS,
                              "outputs[%" PRIu64 "].sha256: %s is that file", i, base_name(output));
            return check_graph(report, claims, i, output, err);
        }
    pdpr_i_report_add(report, "output", PDPR_CHECK_FAIL,
                      "outputs[].sha256: expected the hash of %s among them, found none: this is "
                      "not the file that was certified",
                      base_name(output));
    return PDPR_OK;
}

pdpr_status pdpr_i_certificate_check(pdpr_i_report *report, const char *bytes, size_t length,
                                     const char *output, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    json_t *json = NULL;
    pdpr_i_claims claims = {0};
    pdpr_error why = {0};

    if (length == 0 || bytes[length - 1] != '\n') {
        pdpr_i_report_add(report, "format", PDPR_CHECK_FAIL,
                          "format: expected one line of canonical JSON, found no end of line");
        goto done;
    }
    s = pdpr_i_canonical_parse(report->ctx, bytes, length - 1, "format", &json, &why);
    if (s == PDPR_EINPUT) {
        pdpr_i_report_add(report, "format", PDPR_CHECK_FAIL, "%s", why.text);
        s = PDPR_OK;
        goto done;
    }
    if (s != PDPR_OK) {
        s = pdpr_i_fail(err, s, "%s", why.text);
        goto done;
    }
    pdpr_i_report_add(report, "format", PDPR_CHECK_PASS, "format: canonical JSON");
    check_checksum(report, json);
    uint64_t before = report->failures;
    pdpr_i_claims_read(report, json, &claims);
    if (report->failures > before || report->status != PDPR_OK)
        goto done; /* nothing is computed from fields that are out of form */
    pdpr_i_report_add(report, "fields", PDPR_CHECK_PASS, "fields: all there, none unknown");
    pdpr_i_claims_recompute(report, &claims);
    PDPR_TRY(check_output(report, &claims, output, err));
done:
    if (s == PDPR_OK && report->status != PDPR_OK)
        s = pdpr_i_fail(err, report->status, "certificate: out of memory");
    pdpr_free(claims.queries);
    pdpr_free(claims.outputs);
    json_decref(json);
    return s;
}

pdpr_status pdpr_i_certificate_check_own(pdpr_context *ctx, const char *path, bool seeded,
                                         pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_verification *v = NULL;

    PDPR_TRY(pdpr_certificate_verify(ctx, path, NULL, &v, err));
    for (uint64_t i = 0; i < v->num_checks && s == PDPR_OK; i++)
        if (v->checks[i].result == PDPR_CHECK_FAIL &&
            !(seeded && strcmp(v->checks[i].name, "guarantee") == 0))
            s = pdpr_i_fail(err, PDPR_EFAILED,
                            "the certificate of this run does not verify and nothing was "
                            "published: %s",
                            v->checks[i].text);
done:
    pdpr_verification_free(v);
    return s;
}

pdpr_status pdpr_certificate_verify(pdpr_context *ctx, const char *certificate_path,
                                    const char *output_path, pdpr_verification **out,
                                    pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_report report = {.ctx = ctx};
    pdpr_verification *v = NULL;
    char *bytes = NULL;
    size_t length = 0;

    PDPR_TRY(pdpr_i_file_read(ctx, certificate_path, MOST_BYTES, &bytes, &length, err));
    PDPR_TRY(pdpr_i_certificate_check(&report, bytes, length, output_path, err));
    PDPR_TRY(pdpr_i_alloc(ctx, 1, sizeof *v, "verification", &v, err));
    *v = (pdpr_verification){
        .passed = report.failures == 0, .num_checks = report.count, .checks = report.checks};
    report.checks = NULL;
    *out = v;
done:
    pdpr_free(report.checks);
    pdpr_free(bytes);
    return s;
}

void pdpr_verification_free(pdpr_verification *verification)
{
    if (!verification)
        return;
    pdpr_free(verification->checks);
    pdpr_free(verification);
}
