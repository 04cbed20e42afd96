/* Checkpoint files: a head, the arrays one after another, and a keyed hash of it all.
 *
 * The head has a magic number, the step, the run in the ledger, random bytes, the hash of the
 * parameters and a tag of the input. The parts: the length of each (8 bytes), then its bytes. The
 * code: BLAKE2b-256 over the input's digest and everything before it, under a key of the run.
 *
 * A file is written as PATH.new, flushed, and only then gets the name PATH: the first by link(2),
 * which fails if another run was faster, later ones by rename(2). Whoever uses a checkpoint holds
 * flock(2) on the file that has the name; the lock dies with its process, so a lock that can be had
 * proves that the run which left the file is dead. Bytes are in the order of this machine: a
 * checkpoint is not for moving.
 *
 * The secrets in memory stand in one block that is kept from swap and core files and wiped at the
 * end. Cost: one pass over the arrays (1 GB/s) and two flushes. */
#include "dp/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = "PDPRCKP1";
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
    char *path, *fresh; /* PATH, PATH.new */
    int descriptor;     /* of the file that has the name, locked; -1: none yet */
    bool resumed, bound;
    secrets *secret;
};

/* ---------------------------------------------------------------- opening and closing */

void pdpr_i_checkpoint_close(pdpr_i_checkpoint *c)
{
    if (!c)
        return;
    if (c->descriptor >= 0)
        close(c->descriptor);
    if (c->secret)
        sodium_munlock(c->secret, sizeof *c->secret); /* wipes too */
    pdpr_free(c->secret);
    pdpr_free(c->path);
    pdpr_free(c->fresh);
    pdpr_free(c);
}

static pdpr_status make(pdpr_context *ctx, const char *path, pdpr_i_checkpoint **out,
                        pdpr_error *err)
{
    static const char suffix[] = ".new";
    pdpr_status s = PDPR_OK;
    pdpr_i_checkpoint *c = NULL;
    size_t length = strlen(path);

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *c, "checkpoint", &c, err));
    c->ctx = ctx;
    c->descriptor = -1;
    PDPR_TRY(pdpr_i_copy_text(ctx, path, length, &c->path, err));
    PDPR_TRY(pdpr_i_alloc(ctx, length + sizeof suffix, 1, "file name", &c->fresh, err));
    memcpy(c->fresh, path, length);
    memcpy(c->fresh + length, suffix, sizeof suffix);
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
    if (lstat(path, &info) == 0)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "%s: an interrupted run left its checkpoint here: continue it at no "
                           "further cost (--resume), or remove the file to give up what it spent",
                           path);
    return make(ctx, path, out, err);
}

/* Whether the path still leads to the open file. */
static bool is_at(int descriptor, const char *path)
{
    struct stat open_file, named;
    return fstat(descriptor, &open_file) == 0 && lstat(path, &named) == 0 &&
           open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

static pdpr_status fail_damaged(const pdpr_i_checkpoint *c, pdpr_error *err)
{
    return pdpr_i_fail(err, PDPR_EINPUT, "%s: expected a complete checkpoint, found a damaged one",
                       c->path);
}

/* `length` bytes from here; short files are damaged ones. */
static pdpr_status read_bytes(const pdpr_i_checkpoint *c, void *out, uint64_t length,
                              pdpr_error *err)
{
    char *at = out;
    while (length > 0) {
        ssize_t n = read(c->descriptor, at, length < (1u << 30) ? length : 1u << 30);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return pdpr_i_fail_system(err, errno, "%s: cannot read", c->path);
        if (n == 0)
            return fail_damaged(c, err);
        at += n;
        length -= (uint64_t)n;
    }
    return PDPR_OK;
}

/* Opens and locks the file, and refuses one that others can read or that is no plain file. */
static pdpr_status lock_file(pdpr_i_checkpoint *c, pdpr_error *err)
{
    struct stat info;
    c->descriptor = open(c->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (c->descriptor < 0 && errno == ENOENT)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "%s: there is no checkpoint to resume from; a run that was published "
                           "or never started leaves none",
                           c->path);
    if (c->descriptor < 0 || fstat(c->descriptor, &info) != 0)
        return pdpr_i_fail_system(err, errno, "%s: cannot open the checkpoint", c->path);
    if (!S_ISREG(info.st_mode) || (info.st_mode & 077) != 0)
        return pdpr_i_fail(err, PDPR_EINPUT,
                           "%s: expected a file that only its owner can read (mode 600)", c->path);
    if (flock(c->descriptor, LOCK_EX | LOCK_NB) != 0 || !is_at(c->descriptor, c->path))
        return pdpr_i_fail(err, PDPR_EUSAGE, "%s: a running process uses this checkpoint", c->path);
    return PDPR_OK;
}

pdpr_status pdpr_i_checkpoint_open(pdpr_context *ctx, const char *path, pdpr_i_checkpoint **out,
                                   pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_checkpoint *c = NULL;

    PDPR_TRY(make(ctx, path, &c, err));
    c->resumed = true;
    PDPR_TRY(lock_file(c, err));
    unlink(c->fresh); /* under the lock: a dead run's, perhaps a second name of this very file */
    file_head *head = &c->secret->head;
    PDPR_TRY(read_bytes(c, head, sizeof *head, err));
    if (memcmp(head->magic, magic, sizeof magic) != 0 || head->num_parts > MOST_PARTS ||
        head->has_entropy > 1 || !memchr(head->run, '\0', sizeof head->run)) {
        s = fail_damaged(c, err);
        goto done;
    }
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

pdpr_status pdpr_i_checkpoint_bind(pdpr_i_checkpoint *c, const pdpr_i_key *key,
                                   const unsigned char digest[PDPR_I_DIGEST_BYTES],
                                   const char *parameters, pdpr_error *err)
{
    secrets *m = c->secret;
    unsigned char hash[HASH_BYTES], tag[HASH_BYTES];
    pdpr_i_stream stream;

    pdpr_i_stream_init(&stream, key, PDPR_I_PURPOSE_CHECKPOINT, 0);
    pdpr_i_stream_bytes(&stream, m->key, sizeof m->key);
    pdpr_i_stream_wipe(&stream);
    memcpy(m->digest, digest, sizeof m->digest);
    crypto_generichash_state state;
    pdpr_build_info build; /* another build may compute other gradients under the same noise */
    pdpr_build_info_get(c->ctx, &build);
    crypto_generichash_init(&state, NULL, 0, sizeof hash);
    crypto_generichash_update(&state, (const unsigned char *)build.commit,
                              strlen(build.commit) + 1);
    crypto_generichash_update(&state, (const unsigned char *)parameters, strlen(parameters));
    crypto_generichash_final(&state, hash, sizeof hash);
    crypto_generichash(tag, sizeof tag, digest, PDPR_I_DIGEST_BYTES, m->key, sizeof m->key);
    if (c->resumed && memcmp(hash, m->head.parameters, sizeof hash) != 0)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "%s: the interrupted run had other parameters or another build of the "
                           "program; take exactly those, or remove the file to give up what it "
                           "spent",
                           c->path);
    if (c->resumed && sodium_memcmp(tag, m->head.input, sizeof tag) != 0)
        return pdpr_i_fail(err, PDPR_EINPUT,
                           "%s: the interrupted run had another input or seed, or the file is "
                           "damaged",
                           c->path);
    memcpy(m->head.parameters, hash, sizeof hash);
    memcpy(m->head.input, tag, sizeof tag);
    sodium_memzero(tag, sizeof tag);
    c->bound = true;
    return PDPR_OK;
}

/* ---------------------------------------------------------------- saving */

static void begin_code(const pdpr_i_checkpoint *c, crypto_generichash_state *code)
{
    crypto_generichash_init(code, c->secret->key, sizeof c->secret->key, HASH_BYTES);
    crypto_generichash_update(code, c->secret->digest, sizeof c->secret->digest);
    crypto_generichash_update(code, (const unsigned char *)&c->secret->head,
                              sizeof c->secret->head);
}

static pdpr_status write_bytes(const pdpr_i_checkpoint *c, int descriptor, const void *bytes,
                               uint64_t length, pdpr_error *err)
{
    const char *at = bytes;
    while (length > 0) {
        ssize_t n = write(descriptor, at, length < (1u << 30) ? length : 1u << 30);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return pdpr_i_fail_system(err, errno, "%s: cannot write", c->fresh);
        at += n;
        length -= (uint64_t)n;
    }
    return PDPR_OK;
}

/* Head, parts and code into the open file; flushed. */
static pdpr_status write_file(const pdpr_i_checkpoint *c, int descriptor,
                              const pdpr_i_checkpoint_part *parts, uint32_t count, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    crypto_generichash_state code;
    unsigned char hash[HASH_BYTES];

    begin_code(c, &code);
    PDPR_TRY(write_bytes(c, descriptor, &c->secret->head, sizeof c->secret->head, err));
    for (uint32_t i = 0; i < count; i++) {
        crypto_generichash_update(&code, (const unsigned char *)&parts[i].bytes,
                                  sizeof parts[i].bytes);
        crypto_generichash_update(&code, parts[i].items, parts[i].bytes);
        PDPR_TRY(write_bytes(c, descriptor, &parts[i].bytes, sizeof parts[i].bytes, err));
        PDPR_TRY(write_bytes(c, descriptor, parts[i].items, parts[i].bytes, err));
    }
    crypto_generichash_final(&code, hash, sizeof hash);
    PDPR_TRY(write_bytes(c, descriptor, hash, sizeof hash, err));
    if (fsync(descriptor) != 0)
        s = pdpr_i_fail_system(err, errno, "%s: cannot flush to disk", c->fresh);
done:
    sodium_memzero(&code, sizeof code);
    return s;
}

/* PATH.new, empty and locked; whatever a dead run left there is overwritten. */
static pdpr_status open_fresh(const pdpr_i_checkpoint *c, int *out, pdpr_error *err)
{
    int descriptor = open(c->fresh, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0)
        return pdpr_i_fail_system(err, errno, "%s: cannot create the checkpoint", c->fresh);
    bool ours = flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_at(descriptor, c->fresh);
    if (ours && fchmod(descriptor, 0600) == 0 && ftruncate(descriptor, 0) == 0) {
        *out = descriptor;
        return PDPR_OK;
    }
    pdpr_status s =
        ours ? pdpr_i_fail_system(err, errno, "%s: cannot create the checkpoint", c->fresh)
             : pdpr_i_fail(err, PDPR_EUSAGE, "%s: another run is writing it", c->fresh);
    close(descriptor);
    return s;
}

pdpr_status pdpr_i_checkpoint_save(pdpr_i_checkpoint *c, uint64_t step,
                                   const pdpr_i_checkpoint_part *parts, uint32_t count,
                                   pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    int descriptor = -1;

    if (!c->bound || count > MOST_PARTS)
        return pdpr_i_fail(err, PDPR_EUSAGE, "%s: the checkpoint belongs to no run yet", c->path);
    PDPR_TRY(open_fresh(c, &descriptor, err));
    c->secret->head.step = step;
    c->secret->head.num_parts = count;
    PDPR_TRY(write_file(c, descriptor, parts, count, err));
    bool first = c->descriptor < 0;
    if ((first ? link(c->fresh, c->path) : rename(c->fresh, c->path)) != 0) {
        s = pdpr_i_fail_system(err, errno, "%s: cannot put the checkpoint in place", c->path);
        goto done;
    }
    if (first)
        unlink(c->fresh);
    else
        close(c->descriptor);
    c->descriptor = descriptor; /* with its lock */
    descriptor = -1;
    pdpr_i_sync_folder_of(c->path);
done:
    if (descriptor >= 0) {
        unlink(c->fresh);
        close(descriptor);
    }
    return s;
}

/* ---------------------------------------------------------------- loading and removing */

pdpr_status pdpr_i_checkpoint_load(pdpr_i_checkpoint *c, const pdpr_i_checkpoint_part *parts,
                                   uint32_t count, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    crypto_generichash_state code;
    unsigned char hash[HASH_BYTES], found[HASH_BYTES], beyond;
    uint64_t bytes, saved = c->secret->head.num_parts;

    begin_code(c, &code);
    if (!c->bound || (saved != 0 && saved != count) ||
        (saved == 0) != (c->secret->head.step == 0) ||
        lseek(c->descriptor, (off_t)sizeof c->secret->head, SEEK_SET) < 0) {
        s = fail_damaged(c, err);
        goto done;
    }
    for (uint64_t i = 0; i < saved; i++) {
        PDPR_TRY(read_bytes(c, &bytes, sizeof bytes, err));
        if (bytes != parts[i].bytes) {
            s = fail_damaged(c, err);
            goto done;
        }
        PDPR_TRY(read_bytes(c, parts[i].items, bytes, err));
        crypto_generichash_update(&code, (const unsigned char *)&bytes, sizeof bytes);
        crypto_generichash_update(&code, parts[i].items, bytes);
    }
    PDPR_TRY(read_bytes(c, found, sizeof found, err));
    crypto_generichash_final(&code, hash, sizeof hash);
    if (sodium_memcmp(hash, found, sizeof hash) != 0 || read(c->descriptor, &beyond, 1) != 0)
        s = fail_damaged(c, err);
done:
    sodium_memzero(&code, sizeof code);
    return s;
}

void pdpr_i_checkpoint_remove(pdpr_i_checkpoint *c)
{
    static const char zeros[4096];
    struct stat info;
    if (c->descriptor < 0)
        return;
    /* A journalled disk may keep old blocks: this is care, not a promise. */
    if (fstat(c->descriptor, &info) == 0 && lseek(c->descriptor, 0, SEEK_SET) == 0) {
        off_t left = info.st_size;
        while (left > 0) {
            size_t piece = left < (off_t)sizeof zeros ? (size_t)left : sizeof zeros;
            ssize_t n = write(c->descriptor, zeros, piece);
            if (n <= 0)
                break;
            left -= n;
        }
        fsync(c->descriptor);
    }
    if (!is_at(c->descriptor, c->path) || unlink(c->path) != 0)
        pdpr_i_notice(c->ctx, "%s: the checkpoint cannot be removed; its run is over, remove it",
                      c->path);
    pdpr_i_sync_folder_of(c->path);
    close(c->descriptor);
    c->descriptor = -1;
}
