/* Small files read whole, and the SHA-256 of files of any size.
 *
 * One loop reads in pieces and hands them on; it is the same for both uses. Reading whole grows a
 * buffer by doubling, so a pipe will do as well as a file. */
#include "base/file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };

typedef pdpr_status (*take_piece)(void *user, const void *bytes, size_t length, pdpr_error *err);

static pdpr_status read_pieces(pdpr_context *ctx, const char *path, take_piece take, void *user,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    char *piece = NULL;
    int descriptor = -1;

    PDPR_TRY(pdpr_i_alloc(ctx, PIECE, 1, "file buffer", &piece, err));
    descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        s = pdpr_i_fail_system(err, errno, "%s: cannot open", path);
        goto done;
    }
    for (;;) {
        PDPR_TRY(pdpr_i_check_cancelled(ctx, err));
        ssize_t n = read(descriptor, piece, PIECE);
        if (n < 0) {
            s = pdpr_i_fail_system(err, errno, "%s: cannot read", path);
            goto done;
        }
        if (n == 0)
            break;
        PDPR_TRY(take(user, piece, (size_t)n, err));
    }
done:
    if (descriptor >= 0)
        close(descriptor);
    pdpr_free(piece);
    return s;
}

typedef struct {
    pdpr_context *ctx;
    const char *path;
    size_t most, length, room;
    char *bytes;
} whole;

static pdpr_status keep(void *user, const void *bytes, size_t length, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    whole *w = user;
    if (length > w->most - w->length) {
        s = pdpr_i_fail(err, PDPR_EINPUT, "%s: expected at most %zu bytes, found more", w->path,
                        w->most);
        goto done;
    }
    if (w->length + length > w->room) {
        size_t more = 2 * (w->length + length);
        PDPR_TRY(pdpr_i_resize(w->ctx, more + 1, 1, "file", &w->bytes, err));
        w->room = more;
    }
    memcpy(w->bytes + w->length, bytes, length);
    w->length += length;
done:
    return s;
}

pdpr_status pdpr_i_file_read(pdpr_context *ctx, const char *path, size_t most, char **bytes,
                             size_t *length, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    whole w = {.ctx = ctx, .path = path, .most = most};
    PDPR_TRY(pdpr_i_alloc(ctx, 1, 1, "file", &w.bytes, err)); /* for an empty file */
    PDPR_TRY(read_pieces(ctx, path, keep, &w, err));
    w.bytes[w.length] = '\0';
    *bytes = w.bytes;
    *length = w.length;
    w.bytes = NULL;
done:
    pdpr_free(w.bytes);
    return s;
}

static pdpr_status hash(void *user, const void *bytes, size_t length, pdpr_error *err)
{
    (void)err;
    crypto_hash_sha256_update(user, bytes, length);
    return PDPR_OK;
}

pdpr_status pdpr_file_sha256(pdpr_context *ctx, const char *path, char hex[PDPR_SHA256_TEXT],
                             pdpr_error *err)
{
    crypto_hash_sha256_state state;
    unsigned char digest[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_init(&state);
    pdpr_status s = read_pieces(ctx, path, hash, &state, err);
    if (s != PDPR_OK)
        return s;
    crypto_hash_sha256_final(&state, digest);
    sodium_bin2hex(hex, PDPR_SHA256_TEXT, digest, sizeof digest);
    return PDPR_OK;
}
