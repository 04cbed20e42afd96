/* Checkpoints: a head, the arrays one after another, and a keyed hash of it all.
 *
 * The head has a magic number, the step, the run in the ledger, random bytes, the hash of the
 * parameters and a tag of the input. The parts: the length of each (8 bytes), then its bytes. The
 * code: BLAKE2b-256 over the input's digest and everything before it, under a key of the run. It is
 * checked over the whole file when the checkpoint is bound, before anything is entered in the
 * ledger, and again over what is loaded. Bytes are in the order of this machine: a checkpoint is
 * not for moving. Locking, replacing and overwriting: checkpoint_file.c.
 *
 * The secrets in memory stand in one block that is kept from swap and core files and wiped at the
 * end. Cost: one pass over the arrays (1 GB/s) to save, two to take up again. */
#include "dp/checkpoint.h"
#include "dp/checkpoint_file.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>

static const char magic[PDPR_I_CHECKPOINT_MAGIC_SIZE] = PDPR_I_CHECKPOINT_MAGIC;
enum { RUN_TEXT = 40, HASH_BYTES = 32, MOST_PARTS = 16 };
_Static_assert((int)PDPR_LEDGER_ID_TEXT <= (int)RUN_TEXT, "a run's id fits");

typedef struct {
    char magic[sizeof magic];
    uint64_t step, num_parts, has_entropy;
    char run[RUN_TEXT];
    unsigned char entropy[PDPR_I_ENTROPY_BYTES];
    unsigned char parameters[HASH_BYTES]; /* unkeyed: they are public */
    unsigned char input[HASH_BYTES];      /* keyed: tells another input from damage */
} file_head;
_Static_assert(sizeof(file_head) == 8 + 3 * 8 + RUN_TEXT + 64 + 2 * HASH_BYTES, "no padding");

/* Locked in memory and wiped. */
typedef struct {
    file_head head;
    unsigned char key[HASH_BYTES]; /* of the code */
    unsigned char digest[PDPR_I_DIGEST_BYTES];
} secrets;

struct pdpr_i_checkpoint {
    pdpr_context *ctx;
    pdpr_i_checkpoint_file file;
    bool resumed, bound;
    secrets *secret;
};

/* ---------------------------------------------------------------- opening and closing */

void pdpr_i_checkpoint_close(pdpr_i_checkpoint *c)
{
    if (!c)
        return;
    pdpr_i_checkpoint_file_clear(&c->file);
    if (c->secret)
        sodium_munlock(c->secret, sizeof *c->secret); /* wipes too */
    pdpr_free(c->secret);
    pdpr_free(c);
}

static pdpr_status make(pdpr_context *ctx, const char *path, pdpr_i_checkpoint **out,
                        pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_checkpoint *c = NULL;

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *c, "checkpoint", &c, err));
    c->ctx = ctx;
    c->file.descriptor = -1;
    PDPR_TRY(pdpr_i_checkpoint_file_init(ctx, path, &c->file, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *c->secret, "checkpoint", &c->secret, err));
    if (sodium_mlock(c->secret, sizeof *c->secret) != 0) {
        (void)pdpr_i_fail_system(
            err, errno, "checkpoint: the system gives no locked memory for it (ulimit -l)");
        s = PDPR_EFAILED;
        goto done;
    }
    memcpy(c->secret->head.magic, magic, sizeof magic);
    *out = c;
    c = NULL;
done:
    pdpr_i_checkpoint_close(c);
    return s;
}

pdpr_status pdpr_i_checkpoint_new(pdpr_context *ctx, const char *path, pdpr_i_checkpoint **out,
                                  pdpr_error *err)
{
    struct stat info;
    size_t length = strlen(path);
    if (length >= 4 && strcmp(path + length - 4, ".new") == 0)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "%s: expected a name that does not end in .new: the next generation of "
                           "another checkpoint is called so, and removed with it",
                           path);
    if (lstat(path, &info) == 0)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           pdpr_i_checkpoint_file_is_one(path)
                               ? "%s: an interrupted run left its checkpoint here: continue it at "
                                 "no further cost (--resume), or remove the file to give up what "
                                 "it spent"
                               : "%s: expected no file of this name, which the checkpoint needs; "
                                 "take another",
                           path);
    return make(ctx, path, out, err);
}

pdpr_status pdpr_i_checkpoint_open(pdpr_context *ctx, const char *path, pdpr_i_checkpoint **out,
                                   pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_checkpoint *c = NULL;

    PDPR_TRY(make(ctx, path, &c, err));
    c->resumed = true;
    PDPR_TRY(pdpr_i_checkpoint_file_lock(&c->file, err));
    file_head *head = &c->secret->head;
    PDPR_TRY(pdpr_i_checkpoint_file_read(&c->file, head, sizeof *head, err));
    if (memcmp(head->magic, magic, sizeof magic) != 0 || head->num_parts > MOST_PARTS ||
        head->has_entropy > 1 || !memchr(head->run, '\0', sizeof head->run)) {
        s = pdpr_i_checkpoint_file_damaged(&c->file, err);
        goto done;
    }
    pdpr_i_checkpoint_file_drop_half_made(&c->file);
    *out = c;
    c = NULL;
done:
    pdpr_i_checkpoint_close(c);
    return s;
}

bool pdpr_i_checkpoint_is_resumed(const pdpr_i_checkpoint *c)
{
    return c->resumed;
}

const char *pdpr_i_checkpoint_run(const pdpr_i_checkpoint *c)
{
    return c->secret->head.run;
}

uint64_t pdpr_i_checkpoint_step(const pdpr_i_checkpoint *c)
{
    return c->secret->head.step;
}

const unsigned char *pdpr_i_checkpoint_entropy(const pdpr_i_checkpoint *c)
{
    return c->secret->head.has_entropy ? c->secret->head.entropy : NULL;
}

void pdpr_i_checkpoint_describe(pdpr_i_checkpoint *c, const char *run, const unsigned char *entropy)
{
    file_head *head = &c->secret->head;
    memset(head->run, 0, sizeof head->run);
    strncpy(head->run, run, sizeof head->run - 1);
    head->has_entropy = entropy != NULL;
    if (entropy)
        memcpy(head->entropy, entropy, sizeof head->entropy);
}

static void begin_code(const pdpr_i_checkpoint *c, crypto_generichash_state *code)
{
    crypto_generichash_init(code, c->secret->key, sizeof c->secret->key, HASH_BYTES);
    crypto_generichash_update(code, c->secret->digest, sizeof c->secret->digest);
    crypto_generichash_update(code, (const unsigned char *)&c->secret->head,
                              sizeof c->secret->head);
}

/* Compares the code with the last bytes of the file, which must come next and end it. */
static pdpr_status check_code(const pdpr_i_checkpoint *c, crypto_generichash_state *code,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    unsigned char want[HASH_BYTES], found[HASH_BYTES];
    PDPR_TRY(pdpr_i_checkpoint_file_read(&c->file, found, sizeof found, err));
    crypto_generichash_final(code, want, sizeof want);
    if (sodium_memcmp(want, found, sizeof want) != 0)
        s = pdpr_i_checkpoint_file_damaged(&c->file, err);
done:
    return s;
}

/* Whether all bytes are those that were saved. What was read before this is only believed so far
 * as to find the key. */
static pdpr_status authenticate(const pdpr_i_checkpoint *c, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    crypto_generichash_state code;
    unsigned char block[1 << 14]; /* private: wiped */
    uint64_t length, least = sizeof c->secret->head + HASH_BYTES;

    begin_code(c, &code);
    PDPR_TRY(pdpr_i_checkpoint_file_seek(&c->file, sizeof c->secret->head, &length, err));
    if (length < least) {
        s = pdpr_i_checkpoint_file_damaged(&c->file, err);
        goto done;
    }
    for (uint64_t left = length - least; left > 0;) {
        uint64_t piece = left < sizeof block ? left : sizeof block;
        PDPR_TRY(pdpr_i_checkpoint_file_read(&c->file, block, piece, err));
        crypto_generichash_update(&code, block, piece);
        left -= piece;
    }
    PDPR_TRY(check_code(c, &code, err));
done:
    sodium_memzero(block, sizeof block);
    sodium_memzero(&code, sizeof code);
    return s;
}

pdpr_status pdpr_i_checkpoint_bind(pdpr_i_checkpoint *c, const pdpr_i_key *key,
                                   const unsigned char digest[PDPR_I_DIGEST_BYTES],
                                   const char *parameters, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    secrets *m = c->secret;
    unsigned char hash[HASH_BYTES], tag[HASH_BYTES];
    pdpr_i_stream stream;

    pdpr_i_stream_init(&stream, key, PDPR_I_PURPOSE_CHECKPOINT, 0);
    pdpr_i_stream_bytes(&stream, m->key, sizeof m->key);
    pdpr_i_stream_wipe(&stream);
    memcpy(m->digest, digest, sizeof m->digest);
    crypto_generichash_state state;
    char build[PDPR_I_BUILD_IDENTITY]; /* another may compute other values under the same noise */
    pdpr_i_build_identity(c->ctx, build);
    crypto_generichash_init(&state, NULL, 0, sizeof hash);
    crypto_generichash_update(&state, (const unsigned char *)build, strlen(build) + 1);
    crypto_generichash_update(&state, (const unsigned char *)parameters, strlen(parameters));
    crypto_generichash_final(&state, hash, sizeof hash);
    crypto_generichash(tag, sizeof tag, digest, PDPR_I_DIGEST_BYTES, m->key, sizeof m->key);
    if (c->resumed && memcmp(hash, m->head.parameters, sizeof hash) != 0)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "%s: the interrupted run had other parameters, another build of the "
                           "program or another kind of machine; take exactly those, or remove the "
                           "file to give up what it spent",
                           c->file.path);
    if (c->resumed && sodium_memcmp(tag, m->head.input, sizeof tag) != 0)
        return pdpr_i_fail(err, PDPR_EINPUT,
                           "%s: the interrupted run had another input or seed, or the file is "
                           "damaged",
                           c->file.path);
    if (c->resumed)
        PDPR_TRY(authenticate(c, err));
    memcpy(m->head.parameters, hash, sizeof hash);
    memcpy(m->head.input, tag, sizeof tag);
    c->bound = true;
done:
    sodium_memzero(tag, sizeof tag);
    return s;
}

/* ---------------------------------------------------------------- saving and loading */

static pdpr_status write_generation(const pdpr_i_checkpoint *c, int fresh,
                                    const pdpr_i_checkpoint_part *parts, uint32_t count,
                                    pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_checkpoint_file *f = &c->file;
    crypto_generichash_state code;
    unsigned char hash[HASH_BYTES];

    begin_code(c, &code);
    PDPR_TRY(pdpr_i_checkpoint_file_write(f, fresh, &c->secret->head, sizeof c->secret->head, err));
    for (uint32_t i = 0; i < count; i++) {
        crypto_generichash_update(&code, (const unsigned char *)&parts[i].bytes,
                                  sizeof parts[i].bytes);
        crypto_generichash_update(&code, parts[i].items, parts[i].bytes);
        PDPR_TRY(
            pdpr_i_checkpoint_file_write(f, fresh, &parts[i].bytes, sizeof parts[i].bytes, err));
        PDPR_TRY(pdpr_i_checkpoint_file_write(f, fresh, parts[i].items, parts[i].bytes, err));
    }
    crypto_generichash_final(&code, hash, sizeof hash);
    PDPR_TRY(pdpr_i_checkpoint_file_write(f, fresh, hash, sizeof hash, err));
done:
    sodium_memzero(&code, sizeof code);
    return s;
}

pdpr_status pdpr_i_checkpoint_save(pdpr_i_checkpoint *c, uint64_t step,
                                   const pdpr_i_checkpoint_part *parts, uint32_t count,
                                   pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    int fresh = -1;

    if (!c->bound || count > MOST_PARTS)
        return pdpr_i_fail(err, PDPR_EUSAGE, "%s: the checkpoint belongs to no run yet",
                           c->file.path);
    PDPR_TRY(pdpr_i_checkpoint_file_begin(&c->file, &fresh, err));
    c->secret->head.step = step;
    c->secret->head.num_parts = count;
    s = write_generation(c, fresh, parts, count, err);
    if (s == PDPR_OK)
        s = pdpr_i_checkpoint_file_finish(&c->file, fresh, err);
    else
        pdpr_i_checkpoint_file_abandon(&c->file, fresh);
done:
    return s;
}

pdpr_status pdpr_i_checkpoint_load(pdpr_i_checkpoint *c, const pdpr_i_checkpoint_part *parts,
                                   uint32_t count, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    crypto_generichash_state code;
    uint64_t bytes, saved = c->secret->head.num_parts;

    begin_code(c, &code);
    if (!c->bound || (saved != 0 && saved != count) ||
        (saved == 0) != (c->secret->head.step == 0)) {
        s = pdpr_i_checkpoint_file_damaged(&c->file, err);
        goto done;
    }
    PDPR_TRY(pdpr_i_checkpoint_file_seek(&c->file, sizeof c->secret->head, NULL, err));
    for (uint64_t i = 0; i < saved; i++) {
        PDPR_TRY(pdpr_i_checkpoint_file_read(&c->file, &bytes, sizeof bytes, err));
        if (bytes != parts[i].bytes) {
            s = pdpr_i_checkpoint_file_damaged(&c->file, err);
            goto done;
        }
        PDPR_TRY(pdpr_i_checkpoint_file_read(&c->file, parts[i].items, bytes, err));
        crypto_generichash_update(&code, (const unsigned char *)&bytes, sizeof bytes);
        crypto_generichash_update(&code, parts[i].items, bytes);
    }
    PDPR_TRY(check_code(c, &code, err));
done:
    sodium_memzero(&code, sizeof code);
    return s;
}

void pdpr_i_checkpoint_remove(pdpr_i_checkpoint *c)
{
    pdpr_i_checkpoint_file_remove(&c->file);
}
