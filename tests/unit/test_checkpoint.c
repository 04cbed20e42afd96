/* Checkpoints: what is saved comes back, anything else is refused, and a run that is cut off at any
 * point and taken up again gives the same files for one spend. */
#include "support/support.h"
#include "support/own_ledger.h"
#include "dp/checkpoint.h"
#include "dp/private_run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef test_place fixture;

static int set_up(void **state)
{
    fixture *f = test_place_new(2);
    assert_ok(pdpr_generate_social(f->ctx, 120, 300, 0.5, 1, &f->g, NULL));
    *state = f;
    return 0;
}

/* ---------------------------------------------------------------- the file */

static const unsigned char digest[PDPR_I_DIGEST_BYTES] = {1, 2, 3};
static const unsigned char entropy[PDPR_I_ENTROPY_BYTES] = {9, 8, 7};
static const char run_id[] = "0123456789abcdef0123456789abcdef";

static pdpr_status bind(pdpr_i_checkpoint *c, uint64_t seed, unsigned char input,
                        const char *parameters, pdpr_error *err)
{
    pdpr_i_key key;
    unsigned char d[PDPR_I_DIGEST_BYTES];
    pdpr_i_key_from_seed(seed, &key);
    memcpy(d, digest, sizeof d);
    d[5] = input;
    return pdpr_i_checkpoint_bind(c, &key, d, parameters, err);
}

/* Saves one of step 0 and then one of step 5, and closes it. */
static void leave(fixture *f, const char *text)
{
    pdpr_i_checkpoint *c = NULL;
    char bytes[40] = {0};
    uint64_t number = 77;
    strcpy(bytes, text);
    const pdpr_i_checkpoint_part parts[] = {{bytes, sizeof bytes}, {&number, sizeof number}};
    assert_ok(pdpr_i_checkpoint_new(f->ctx, f->checkpoint, &c, NULL));
    assert_false(pdpr_i_checkpoint_is_resumed(c));
    assert_int_equal(pdpr_i_checkpoint_save(c, 0, NULL, 0, NULL), PDPR_EUSAGE); /* not bound */
    assert_ok(bind(c, 1, 0, "p", NULL));
    pdpr_i_checkpoint_describe(c, run_id, entropy);
    assert_int_equal(access(f->checkpoint, F_OK), -1);
    assert_ok(pdpr_i_checkpoint_save(c, 0, NULL, 0, NULL));
    assert_ok(pdpr_i_checkpoint_save(c, 5, parts, 2, NULL));
    assert_int_equal(access(f->fresh, F_OK), -1);
    pdpr_i_checkpoint_close(c);
}

static void saved_state_comes_back(void **state)
{
    fixture *f = *state;
    pdpr_i_checkpoint *c = NULL;
    struct stat info;
    char bytes[40];
    uint64_t number = 0;
    const pdpr_i_checkpoint_part parts[] = {{bytes, sizeof bytes}, {&number, sizeof number}};
    leave(f, "state of five steps");
    assert_int_equal(stat(f->checkpoint, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_ok(pdpr_i_checkpoint_open(f->ctx, f->checkpoint, &c, NULL));
    assert_true(pdpr_i_checkpoint_is_resumed(c));
    assert_string_equal(pdpr_i_checkpoint_run(c), run_id);
    assert_int_equal(pdpr_i_checkpoint_step(c), 5);
    assert_memory_equal(pdpr_i_checkpoint_entropy(c), entropy, sizeof entropy);
    assert_ok(bind(c, 1, 0, "p", NULL));
    assert_ok(pdpr_i_checkpoint_load(c, parts, 2, NULL));
    assert_string_equal(bytes, "state of five steps");
    assert_int_equal(number, 77);
    pdpr_i_checkpoint_remove(c);
    assert_int_equal(access(f->checkpoint, F_OK), -1);
    pdpr_i_checkpoint_remove(c); /* nothing is left: nothing happens */
    pdpr_i_checkpoint_close(c);
    pdpr_i_checkpoint_close(NULL);
}

static void checkpoint_of_something_else_is_refused(void **state)
{
    fixture *f = *state;
    pdpr_i_checkpoint *c = NULL, *second = NULL;
    pdpr_error err;
    char bytes[40];
    uint64_t number;
    const pdpr_i_checkpoint_part parts[] = {{bytes, sizeof bytes}, {&number, sizeof number}};
    const pdpr_i_checkpoint_part longer[] = {{bytes, sizeof bytes - 1}, {&number, sizeof number}};
    leave(f, "x");
    /* half-made generations are called so, and are removed */
    assert_int_equal(pdpr_i_checkpoint_new(f->ctx, "other.new", &c, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "does not end in .new"));
    assert_int_equal(pdpr_i_checkpoint_new(f->ctx, ".", &c, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "expected no file of this name"));
    assert_int_equal(pdpr_i_checkpoint_new(f->ctx, f->checkpoint, &c, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "--resume"));
    assert_ok(pdpr_i_checkpoint_open(f->ctx, f->checkpoint, &c, NULL));
    assert_int_equal(pdpr_i_checkpoint_open(f->ctx, f->checkpoint, &second, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "running process"));
    assert_int_equal(bind(c, 1, 0, "q", &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "other parameters"));
    assert_int_equal(bind(c, 1, 1, "p", &err), PDPR_EINPUT);
    assert_int_equal(bind(c, 2, 0, "p", &err), PDPR_EINPUT);
    assert_non_null(strstr(err.text, "another input"));
    assert_int_equal(pdpr_i_checkpoint_load(c, parts, 2, NULL), PDPR_EINPUT); /* not bound */
    assert_ok(bind(c, 1, 0, "p", NULL));
    assert_int_equal(pdpr_i_checkpoint_load(c, parts, 1, NULL), PDPR_EINPUT);
    assert_int_equal(pdpr_i_checkpoint_load(c, longer, 2, NULL), PDPR_EINPUT);
    assert_ok(pdpr_i_checkpoint_load(c, parts, 2, NULL));
    pdpr_i_checkpoint_close(c);
    unlink(f->checkpoint);
    assert_int_equal(pdpr_i_checkpoint_open(f->ctx, f->checkpoint, &c, &err), PDPR_EUSAGE);
    assert_int_equal(pdpr_i_checkpoint_open(f->ctx, f->folder, &c, &err), PDPR_EFAILED);
}

/* Every byte counts: one that is changed, and a file that is cut or longer, are noticed. */
static void damaged_checkpoint_is_refused(void **state)
{
    fixture *f = *state;
    size_t length;
    leave(f, "y");
    char *good = test_file_read(f->checkpoint, &length);
    for (size_t i = 0; i < 2 * length + 1; i++) {
        char *copy = malloc(length + 1);
        pdpr_i_checkpoint *c = NULL;
        assert_non_null(copy);
        memcpy(copy, good, length);
        copy[length] = 0;
        if (i < length)
            copy[i] ^= 4;
        test_file_write(f->checkpoint, copy,
                        i < length       ? length
                        : i < 2 * length ? i - length
                                         : length + 1);
        pdpr_status s = pdpr_i_checkpoint_open(f->ctx, f->checkpoint, &c, NULL);
        if (s == PDPR_OK)
            s = bind(c, 1, 0, "p", NULL); /* and not only when it is loaded */
        if (s != PDPR_EINPUT && s != PDPR_EUSAGE)
            fail_msg("byte %zu: status %d", i, (int)s);
        pdpr_i_checkpoint_close(c);
        free(copy);
    }
    test_file_write(f->checkpoint, good, length);
    chmod(f->checkpoint, 0640);
    pdpr_i_checkpoint *c = NULL;
    assert_int_equal(pdpr_i_checkpoint_open(f->ctx, f->checkpoint, &c, NULL), PDPR_EINPUT);
    free(good);
}

/* Between link and unlink the file has two names; the heir is not locked out by itself. */
static void file_left_with_two_names_is_taken_up(void **state)
{
    fixture *f = *state;
    pdpr_i_checkpoint *c = NULL;
    char bytes[40];
    uint64_t number;
    const pdpr_i_checkpoint_part parts[] = {{bytes, sizeof bytes}, {&number, sizeof number}};
    leave(f, "z");
    assert_int_equal(link(f->checkpoint, f->fresh), 0);
    assert_ok(pdpr_i_checkpoint_open(f->ctx, f->checkpoint, &c, NULL));
    assert_ok(bind(c, 1, 0, "p", NULL));
    assert_ok(pdpr_i_checkpoint_load(c, parts, 2, NULL));
    assert_ok(pdpr_i_checkpoint_save(c, 6, parts, 2, NULL));
    assert_int_equal(pdpr_i_checkpoint_step(c), 6);
    pdpr_i_checkpoint_close(c);
}

static void name_that_another_run_took_is_left_alone(void **state)
{
    fixture *f = *state;
    pdpr_i_checkpoint *a = NULL, *b = NULL;
    assert_ok(pdpr_i_checkpoint_new(f->ctx, f->checkpoint, &a, NULL));
    assert_ok(pdpr_i_checkpoint_new(f->ctx, f->checkpoint, &b, NULL));
    assert_ok(bind(a, 1, 0, "p", NULL));
    assert_ok(bind(b, 1, 0, "p", NULL));
    assert_ok(pdpr_i_checkpoint_save(a, 0, NULL, 0, NULL));
    assert_int_equal(pdpr_i_checkpoint_save(b, 0, NULL, 0, NULL), PDPR_EFAILED);
    assert_int_equal(access(f->fresh, F_OK), -1);
    pdpr_i_checkpoint_remove(a);
    unlink(f->fresh);
    assert_int_equal(mkdir(f->fresh, 0700), 0); /* no file can be made there */
    assert_int_equal(pdpr_i_checkpoint_save(b, 0, NULL, 0, NULL), PDPR_EFAILED);
    rmdir(f->fresh);
    pdpr_i_checkpoint_close(a);
    pdpr_i_checkpoint_close(b);
}

static void checkpoint_survives_every_allocation_failure(void **state)
{
    fixture *f = *state;
    pdpr_status status;
    leave(f, "w");
    FOR_EACH_ALLOCATION_FAILURE(f->ctx, status, {
        pdpr_i_checkpoint *c = NULL;
        status = pdpr_i_checkpoint_open(f->ctx, f->checkpoint, &c, NULL);
        pdpr_i_checkpoint_close(c);
    });
}

/* ---------------------------------------------------------------- whole runs */

static pdpr_method_options quick(fixture *f, const char *profile)
{
    pdpr_method_options o;
    pdpr_method_options_default(&o);
    o.method = "privdpr";
    o.profile = profile;
    o.day = "2026-11-16";
    o.edges = 300;
    o.columns = 8;
    o.width = 4;
    o.epochs = 2;
    o.batch = 16;
    o.checkpoint_path = f->checkpoint;
    o.checkpoint_seconds = 0;
    return o;
}

static pdpr_status publish(fixture *f, const pdpr_method_options *o, pdpr_error *err)
{
    static const char *graphs[1];
    graphs[0] = f->graph;
    const pdpr_publication p = {.struct_size = sizeof p,
                                .graph_path = graphs,
                                .num_graphs = 1,
                                .certificate_path =
                                    strcmp(o->method, "dpr") == 0 || strcmp(o->method, "null") == 0
                                        ? NULL
                                        : f->certificate};
    return pdpr_publish(f->ctx, f->g, o, f->ledger, &p, err);
}

static void method_that_keeps_no_checkpoint_is_not_resumed(void **state)
{
    fixture *f = *state;
    pdpr_error err;
    pdpr_run_state last;
    pdpr_method_options o = quick(f, NULL);
    o.resume = true;
    o.checkpoint_path = NULL;
    assert_int_equal(publish(f, &o, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "name of a checkpoint"));
    o.method = "null"; /* it reads no edge and spends nothing */
    o.checkpoint_path = f->checkpoint;
    assert_int_equal(publish(f, &o, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "keeps none"));
    o.method = "blueprint";
    o.resume = false;
    const pdpr_publication p = {
        .struct_size = sizeof p, .certificate_path = f->certificate, .embedding_path = f->graph};
    assert_int_equal(pdpr_publish(f->ctx, f->g, &o, f->ledger, &p, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "with an embedding"));
    assert_int_equal(test_ledger_runs(f->ledger, &last), 0);
    assert_int_equal(test_scratch_count(f->out), 0);
}

/* Cancelled at the n-th look for n = 1, 4, 9, … and each time taken up again, cancelled again and
 * taken up to the end: the bytes of the seeded run that was left alone, and one spend each. */
static void run_cut_off_anywhere_gives_the_same_bytes(void **state)
{
    fixture *f = *state;
    /* without noise, as in the last, every part of the state shows in the result */
    static const struct {
        const char *method, *profile;
        uint64_t edges; /* 0: measured */
        uint64_t spend;
    } cases[] = {{"privdpr", "paper", 300, 1}, {"privdpr", "tight", 300, 1},
                 {"privdpr", "head", 300, 1},  {"privdpr", "steered", 0, 1},
                 {"blueprint", "pure", 0, 1},  {"dpr", "learning", 300, 0}};
    uint64_t runs = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pdpr_method_options o = quick(f, cases[i].profile);
        uint64_t spend = cases[i].spend;
        o.method = cases[i].method;
        o.edges = cases[i].edges;
        pdpr_run_state last;
        size_t length, found;
        o.seeded = true;
        o.seed = 3;
        assert_ok(publish(f, &o, NULL));
        runs += spend;
        char *want = test_file_read(f->graph, &length);
        int cut = 0;
        for (int n = 1; n < 400; n += 1 + n / 2) {
            o.resume = false;
            atomic_store(&f->ctx->cancelled, -n);
            pdpr_status s = publish(f, &o, NULL);
            atomic_store(&f->ctx->cancelled, 0);
            if (s == PDPR_ECANCELLED) {
                o.resume = access(f->checkpoint, F_OK) == 0;
                cut += o.resume;
                atomic_store(&f->ctx->cancelled, -(n / 3 + 2));
                s = publish(f, &o, NULL);
                atomic_store(&f->ctx->cancelled, 0);
                if (s == PDPR_ECANCELLED) {
                    o.resume = access(f->checkpoint, F_OK) == 0;
                    s = publish(f, &o, NULL);
                }
            }
            assert_int_equal(s, PDPR_OK);
            runs += spend;
            assert_int_equal(test_ledger_runs(f->ledger, &last), runs);
            assert_int_equal(last, PDPR_RUN_PUBLISHED);
            assert_int_equal(access(f->checkpoint, F_OK), -1);
            char *got = test_file_read(f->graph, &found);
            assert_int_equal(found, length);
            assert_memory_equal(got, want, length);
            free(got);
        }
        assert_true(cut > 3);
        free(want);
    }
}

/* ---------------------------------------------------------------- the ledger of a resumed run */

static const char hash[] = "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc";
static const char other[] = "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd";
static const pdpr_i_charge charge = {
    .label = "embedding", .kind = PDPR_I_CHARGE_GAUSSIAN, .mu_step = 0.01, .steps = 9};

static pdpr_i_promise promise(pdpr_i_checkpoint *c)
{
    return (pdpr_i_promise){.epsilon = 1,
                            .delta = 1e-5,
                            .method = "privdpr",
                            .day = "2026-11-16",
                            .parameters = "p",
                            .charges = &charge,
                            .num_charges = 1,
                            .checkpoint = c};
}

/* A run that starts and dies. Returns the first bytes of its stream of walks. */
static uint64_t start_and_die(fixture *f, bool again, pdpr_i_private_run **keep, pdpr_status want)
{
    pdpr_i_checkpoint *c = NULL;
    pdpr_i_private_run *run = NULL;
    pdpr_i_meter *meter = NULL;
    pdpr_i_stream stream;
    uint64_t word = 0;
    assert_ok(again ? pdpr_i_checkpoint_open(f->ctx, f->checkpoint, &c, NULL)
                    : pdpr_i_checkpoint_new(f->ctx, f->checkpoint, &c, NULL));
    const pdpr_i_promise p = promise(c);
    assert_ok(pdpr_i_private_run_new(f->ctx, f->ledger, f->g, &p, &run, NULL));
    assert_int_equal(pdpr_i_private_run_start(run, &meter, NULL), want);
    if (want == PDPR_OK) {
        assert_ok(pdpr_i_meter_stream(meter, PDPR_I_PURPOSE_TEST, 0, &stream, NULL));
        word = pdpr_i_stream_u64(&stream);
    }
    pdpr_i_checkpoint_close(c);
    if (keep)
        *keep = run;
    else
        pdpr_i_private_run_free(run);
    return word;
}

static void resumed_run_has_the_same_key_and_the_same_entry(void **state)
{
    fixture *f = *state;
    pdpr_run_state last;
    pdpr_i_private_run *run = NULL;
    uint64_t first = start_and_die(f, false, NULL, PDPR_OK);
    assert_int_equal(start_and_die(f, true, NULL, PDPR_OK), first);
    assert_int_equal(start_and_die(f, true, &run, PDPR_OK), first);
    assert_int_equal(test_ledger_runs(f->ledger, &last), 1);
    assert_int_equal(last, PDPR_RUN_DRAWN);
    assert_ok(pdpr_i_private_run_commit(run, hash, NULL));
    pdpr_i_private_run_free(run);

    /* after COMMIT: the same output, or none */
    start_and_die(f, true, &run, PDPR_OK);
    assert_int_equal(pdpr_i_private_run_commit(run, other, NULL), PDPR_EFAILED);
    assert_ok(pdpr_i_private_run_commit(run, hash, NULL));
    assert_ok(pdpr_i_private_run_published(run, NULL));
    pdpr_i_private_run_free(run);
    start_and_die(f, true, NULL, PDPR_EUSAGE);
    assert_int_equal(test_ledger_runs(f->ledger, &last), 1);
    assert_int_equal(last, PDPR_RUN_PUBLISHED);
}

static void checkpoint_is_discarded_only_when_its_run_is_published(void **state)
{
    fixture *f = *state;
    pdpr_i_private_run *run = NULL;
    pdpr_error err;
    bool removed = true;
    assert_ok(pdpr_checkpoint_discard(f->ctx, f->ledger, f->checkpoint, &removed, NULL));
    assert_false(removed); /* there is none */
    start_and_die(f, false, &run, PDPR_OK);
    assert_ok(pdpr_i_private_run_commit(run, hash, NULL));
    assert_int_equal(pdpr_checkpoint_discard(f->ctx, f->ledger, f->checkpoint, &removed, &err),
                     PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "it stays"));
    assert_int_equal(access(f->checkpoint, F_OK), 0);
    assert_ok(pdpr_i_private_run_published(run, NULL));
    pdpr_i_private_run_free(run);
    assert_int_equal(pdpr_checkpoint_discard(f->ctx, f->ledger, f->ledger_path, &removed, &err),
                     PDPR_EINPUT); /* no checkpoint */
    assert_int_equal(access(f->ledger_path, F_OK), 0);
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(f->ctx, status, {
        status = pdpr_checkpoint_discard(f->ctx, f->ledger, f->checkpoint, &removed, NULL);
    });
    assert_true(removed);
    assert_int_equal(access(f->checkpoint, F_OK), -1);
}

/* Died between the first checkpoint and DRAWN: the line is written now. */
static void run_that_died_before_drawn_is_drawn_when_taken_up(void **state)
{
    fixture *f = *state;
    pdpr_run_state last;
    size_t length;
    start_and_die(f, false, NULL, PDPR_OK);
    char *lines = test_file_read(f->ledger_path, &length), *end = lines + length - 1;
    while (end[-1] != '\n')
        end--;
    pdpr_ledger_close(f->ledger);
    test_file_write(f->ledger_path, lines, (size_t)(end - lines)); /* without its last line */
    free(lines);
    assert_ok(pdpr_ledger_open(f->ctx, f->ledger_path, NULL, &f->ledger, NULL));
    assert_int_equal(test_ledger_runs(f->ledger, &last), 1);
    assert_int_equal(last, PDPR_RUN_RESERVED);
    start_and_die(f, true, NULL, PDPR_OK);
    assert_int_equal(test_ledger_runs(f->ledger, &last), 1);
    assert_int_equal(last, PDPR_RUN_DRAWN);
}

/* No checkpoint can be written: nothing is drawn, and the reservation is given back. */
static void run_whose_checkpoint_cannot_be_written_is_refunded(void **state)
{
    fixture *f = *state;
    pdpr_run_state last;
    assert_int_equal(mkdir(f->fresh, 0700), 0);
    start_and_die(f, false, NULL, PDPR_EFAILED);
    assert_int_equal(test_ledger_runs(f->ledger, &last), 1);
    assert_int_equal(last, PDPR_RUN_REFUNDED);
    assert_int_equal(access(f->checkpoint, F_OK), -1);
    rmdir(f->fresh);
}

static void checkpoint_of_other_parameters_starts_no_run(void **state)
{
    fixture *f = *state;
    pdpr_i_checkpoint *c = NULL;
    pdpr_i_private_run *run = NULL;
    pdpr_error err;
    start_and_die(f, false, NULL, PDPR_OK);
    assert_ok(pdpr_i_checkpoint_open(f->ctx, f->checkpoint, &c, NULL));
    pdpr_i_promise p = promise(c);
    p.parameters = "q";
    assert_int_equal(pdpr_i_private_run_new(f->ctx, f->ledger, f->g, &p, &run, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "other parameters"));
    assert_null(run);
    pdpr_i_checkpoint_close(c);
}

static void seeded_checkpoint_needs_its_seed(void **state)
{
    fixture *f = *state;
    pdpr_i_checkpoint *c = NULL;
    pdpr_i_private_run *run = NULL;
    pdpr_error err;
    assert_ok(pdpr_i_checkpoint_new(f->ctx, f->checkpoint, &c, NULL));
    assert_ok(bind(c, 1, 0, "p", NULL));
    pdpr_i_checkpoint_describe(c, run_id, NULL);
    assert_ok(pdpr_i_checkpoint_save(c, 0, NULL, 0, NULL));
    pdpr_i_checkpoint_close(c);
    assert_ok(pdpr_i_checkpoint_open(f->ctx, f->checkpoint, &c, NULL));
    const pdpr_i_promise p = promise(c);
    assert_int_equal(pdpr_i_private_run_new(f->ctx, f->ledger, f->g, &p, &run, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "seed"));
    pdpr_i_checkpoint_close(c);
}

#define with_folder(test) cmocka_unit_test_setup_teardown(test, set_up, test_place_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_folder(saved_state_comes_back),
        with_folder(checkpoint_of_something_else_is_refused),
        with_folder(damaged_checkpoint_is_refused),
        with_folder(file_left_with_two_names_is_taken_up),
        with_folder(name_that_another_run_took_is_left_alone),
        with_folder(checkpoint_survives_every_allocation_failure),
        with_folder(method_that_keeps_no_checkpoint_is_not_resumed),
        with_folder(run_cut_off_anywhere_gives_the_same_bytes),
        with_folder(resumed_run_has_the_same_key_and_the_same_entry),
        with_folder(checkpoint_is_discarded_only_when_its_run_is_published),
        with_folder(run_that_died_before_drawn_is_drawn_when_taken_up),
        with_folder(run_whose_checkpoint_cannot_be_written_is_refunded),
        with_folder(checkpoint_of_other_parameters_starts_no_run),
        with_folder(seeded_checkpoint_needs_its_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
