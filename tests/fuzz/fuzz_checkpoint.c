/* Fuzz target: a checkpoint file, once as the input itself, and once as an authentic file that the
 * input changes: its bytes are added to those of the file, and what is longer is appended; the
 * first byte says how many are cut off. Only a file without a change may be taken up. */
#include "dp/checkpoint.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PART = 64, MOST_BYTES = 1 << 16 };

static pdpr_i_checkpoint_part part_of(unsigned char bytes[PART])
{
    return (pdpr_i_checkpoint_part){bytes, PART};
}

static pdpr_status bind(pdpr_i_checkpoint *c)
{
    static const unsigned char digest[PDPR_I_DIGEST_BYTES] = {1};
    pdpr_i_key key;
    pdpr_i_key_from_seed(1, &key);
    return pdpr_i_checkpoint_bind(c, &key, digest, "p", NULL);
}

static void write_file(const char *path, const unsigned char *bytes, size_t length)
{
    int d = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (d < 0 || write(d, bytes, length) != (ssize_t)length)
        abort();
    close(d);
}

/* Whether the file is taken up, from its first byte to its last. */
static bool accepts(pdpr_context *ctx, const char *path)
{
    pdpr_i_checkpoint *c = NULL;
    unsigned char bytes[PART];
    const pdpr_i_checkpoint_part part = part_of(bytes);
    bool good = pdpr_i_checkpoint_open(ctx, path, &c, NULL) == PDPR_OK && bind(c) == PDPR_OK;
    if (good && pdpr_i_checkpoint_load(c, &part, 1, NULL) != PDPR_OK)
        abort(); /* what is authentic has the parts that were saved */
    pdpr_i_checkpoint_close(c);
    return good;
}

/* The bytes of an authentic file. */
static size_t make(pdpr_context *ctx, const char *path, unsigned char out[MOST_BYTES])
{
    pdpr_i_checkpoint *c = NULL;
    unsigned char bytes[PART] = "state";
    const pdpr_i_checkpoint_part part = part_of(bytes);
    if (pdpr_i_checkpoint_new(ctx, path, &c, NULL) != PDPR_OK || bind(c) != PDPR_OK)
        abort();
    pdpr_i_checkpoint_describe(c, "0123456789abcdef0123456789abcdef", NULL);
    if (pdpr_i_checkpoint_save(c, 3, &part, 1, NULL) != PDPR_OK)
        abort();
    pdpr_i_checkpoint_close(c);
    int d = open(path, O_RDONLY);
    ssize_t length = d < 0 ? -1 : read(d, out, MOST_BYTES);
    if (length <= 0)
        abort();
    close(d);
    return (size_t)length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pdpr_context *ctx = NULL;
    char folder[] = "/tmp/fuzz-checkpoint-XXXXXX", path[sizeof folder + 8];
    static unsigned char good[MOST_BYTES], changed[MOST_BYTES];
    if (size > MOST_BYTES / 2)
        return 0;
    if (pdpr_context_new(NULL, &ctx, NULL) != PDPR_OK || !mkdtemp(folder))
        abort();
    snprintf(path, sizeof path, "%s/c", folder);
    size_t length = make(ctx, path, good);
    if (!accepts(ctx, path))
        abort();

    memcpy(changed, good, length);
    size_t cut = size > 0 ? data[0] : 0, now = length - (cut < length ? cut : length);
    for (size_t i = 1; i < size; i++) {
        if (i - 1 < now)
            changed[i - 1] = (unsigned char)(changed[i - 1] + data[i]);
        else
            changed[now++] = data[i];
    }
    write_file(path, changed, now);
    bool same = now == length && memcmp(good, changed, length) == 0;
    if (accepts(ctx, path) != same)
        abort();
    if (size > 0) {
        write_file(path, data, size);
        if (accepts(ctx, path) && (size != length || memcmp(data, good, length) != 0))
            abort();
    }
    unlink(path);
    rmdir(folder);
    if (pdpr_context_memory(ctx, NULL) != 0)
        abort();
    pdpr_context_free(ctx);
    return 0;
}
