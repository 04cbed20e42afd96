/* Fuzz target: the bytes of a certificate, once as they are, and once made canonical with a right
 * checksum, so that fields and arithmetic are reached. Every report must have a check, printable
 * text, and no success without the check of the fields. */
#include "dp/canonical_json.h"
#include "dp/verify_certificate.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(pdpr_context *ctx, const char *bytes, size_t length)
{
    pdpr_i_report report = {.ctx = ctx};
    bool fields = false;
    if (pdpr_i_certificate_check(&report, bytes, length, NULL, NULL) != PDPR_OK)
        abort();
    for (uint64_t i = 0; i < report.count; i++) {
        fields = fields || strcmp(report.checks[i].name, "fields") == 0;
        for (const char *c = report.checks[i].text; *c; c++)
            if (*c < ' ' || *c > '~')
                abort();
    }
    if (report.count == 0 || (report.failures == 0 && !fields))
        abort();
    pdpr_free(report.checks);
}

/* The same value in canonical form, with a checksum that fits. */
static void check_made_right(pdpr_context *ctx, json_t *json)
{
    char *text = NULL, hex[65];
    unsigned char digest[crypto_hash_sha256_BYTES];
    size_t length = 0;
    json_object_del(json, "checksum");
    if (pdpr_i_canonical_write(ctx, json, &text, &length, NULL) != PDPR_OK)
        return; /* it holds a real number */
    crypto_hash_sha256(digest, (unsigned char *)text, length);
    pdpr_free(text);
    sodium_bin2hex(hex, sizeof hex, digest, sizeof digest);
    json_object_set_new(json, "checksum", json_string(hex));
    if (pdpr_i_canonical_write(ctx, json, &text, &length, NULL) != PDPR_OK)
        return;
    text[length++] = '\n';
    check(ctx, text, length);
    pdpr_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pdpr_context *ctx = NULL;
    if (pdpr_context_new(NULL, &ctx, NULL) != PDPR_OK)
        abort();
    check(ctx, (const char *)data, size);
    json_t *json = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(json))
        check_made_right(ctx, json);
    json_decref(json);
    if (pdpr_context_memory(ctx, NULL) != 0)
        abort();
    pdpr_context_free(ctx);
    return 0;
}
