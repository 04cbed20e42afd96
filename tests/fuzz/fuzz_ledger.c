/* Fuzz target: the text of a ledger, once as it is, and once with number, chain and hash of every
 * line made right, so that what lies behind the hash is reached too. An accepted ledger must be
 * made of exactly its lines, and must still be accepted after each of its own prefixes. */
#include "dp/canonical_json.h"
#include "dp/ledger_state.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool accepts(pdpr_context *ctx, const char *text, size_t length)
{
    pdpr_i_ledger_state state;
    const pdpr_i_chain none = {0};
    pdpr_error err;
    bool good = pdpr_i_ledger_state_read(ctx, "fuzz", text, length, &none, &state, &err) == PDPR_OK;
    uint64_t lines = 0;
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    if (good && state.chain.line != lines)
        abort();
    pdpr_i_ledger_state_clear(&state);
    return good;
}

/* Appends one line with a right number, "prev" and "hash" under the secret of 32 zero bytes. */
static size_t seal(pdpr_context *ctx, json_t *json, uint64_t number, char hash[65], char *out)
{
    static const unsigned char secret[32];
    unsigned char bytes[32];
    char *text = NULL, zeros[65];
    size_t length = 0;
    sodium_bin2hex(zeros, sizeof zeros, secret, sizeof secret);
    if (number == 1)
        json_object_set_new(json, "secret", json_string(zeros));
    json_object_set_new(json, "line", json_integer((json_int_t)number));
    json_object_set_new(json, "prev", json_string(number == 1 ? zeros : hash));
    json_object_del(json, "hash");
    if (pdpr_i_canonical_write(ctx, json, &text, &length, NULL) != PDPR_OK)
        return 0;
    crypto_generichash(bytes, sizeof bytes, (unsigned char *)text, length, secret, sizeof secret);
    pdpr_free(text);
    sodium_bin2hex(hash, 65, bytes, sizeof bytes);
    json_object_set_new(json, "hash", json_string(hash));
    if (pdpr_i_canonical_write(ctx, json, &text, &length, NULL) != PDPR_OK)
        return 0;
    memcpy(out, text, length);
    out[length] = '\n';
    pdpr_free(text);
    return length + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST_LINES = 64, EXTRA = 512 };
    pdpr_context *ctx = NULL;
    const char *text = (const char *)data;
    char hash[65] = "";
    size_t complete = size, sealed_length = 0;
    if (pdpr_context_new(NULL, &ctx, NULL) != PDPR_OK)
        abort();
    while (complete > 0 && text[complete - 1] != '\n')
        complete--;
    (void)accepts(ctx, text, complete);

    char *sealed = malloc(8 * size + MOST_LINES * EXTRA + 1); /* escapes grow, as "\u0001" */
    size_t start = 0;
    for (uint64_t number = 1; sealed && start < complete && number <= MOST_LINES; number++) {
        size_t end = start;
        while (text[end] != '\n')
            end++;
        json_t *json = json_loadb(text + start, end - start, JSON_REJECT_DUPLICATES, NULL);
        size_t added =
            json_is_object(json) ? seal(ctx, json, number, hash, sealed + sealed_length) : 0;
        json_decref(json);
        if (added == 0)
            break;
        bool before = number == 1 || accepts(ctx, sealed, sealed_length);
        sealed_length += added;
        if (accepts(ctx, sealed, sealed_length) && !before)
            abort(); /* a line cannot make good what was refused before it */
        start = end + 1;
    }
    free(sealed);
    if (pdpr_context_memory(ctx, NULL) != 0)
        abort();
    pdpr_context_free(ctx);
    return 0;
}
