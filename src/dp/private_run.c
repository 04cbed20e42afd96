/* One private run. Contract and order: private_run.h; the argument that nothing is released
 * unaccounted: docs/proofs/ledger.md. */
#include "dp/private_run.h"
#include "dp/accountant.h"
#include "dp/accountant_check.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

struct pdpr_i_private_run {
    pdpr_context *ctx;
    pdpr_ledger *ledger;
    pdpr_i_promise promise; /* strings and charges belong to the caller until start */
    pdpr_i_meter *meter;
    pdpr_i_noise_key *key; /* the meter's after start */
    char dataset[PDPR_LEDGER_KEY_TEXT];
    char id[PDPR_LEDGER_ID_TEXT];         /* "" before start */
    char committed[PDPR_LEDGER_KEY_TEXT]; /* by the run that is taken up again; "": nothing */
};

/* What the charges cost together at delta, by the joint accountant. */
static pdpr_status price(pdpr_context *ctx, const pdpr_i_promise *p, double *epsilon,
                         pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_accountant *a = NULL;
    PDPR_TRY(pdpr_accountant_new(ctx, &a, err));
    for (uint32_t i = 0; i < p->num_charges; i++) {
        const pdpr_i_charge *c = &p->charges[i];
        if (c->kind == PDPR_I_CHARGE_PURE)
            PDPR_TRY(
                pdpr_accountant_add_pure(ctx, a, c->label, c->epsilon.num, c->epsilon.den, err));
        else
            PDPR_TRY(pdpr_accountant_add_gaussian(ctx, a, c->label, c->mu_step, c->steps, err));
    }
    PDPR_TRY(pdpr_accountant_epsilon(ctx, a, p->delta, epsilon, err));
done:
    pdpr_accountant_free(a);
    return s;
}

/* The same by the second accountant, which `verify` will ask: a mistake in either must show before
 * anything is reserved, not when the certificate is written. */
static pdpr_status price_again(pdpr_context *ctx, const pdpr_i_promise *p, double epsilon,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_check_pure *pure = NULL;
    pdpr_i_check_gaussian *gaussian = NULL;
    pdpr_i_check_list list = {0};
    double again = 0;

    PDPR_TRY(pdpr_i_alloc(ctx, p->num_charges, sizeof *pure, "charges", &pure, err));
    PDPR_TRY(pdpr_i_alloc(ctx, p->num_charges, sizeof *gaussian, "charges", &gaussian, err));
    for (uint32_t i = 0; i < p->num_charges; i++) {
        const pdpr_i_charge *c = &p->charges[i];
        if (c->kind == PDPR_I_CHARGE_PURE)
            pure[list.pure_count++] = (pdpr_i_check_pure){c->epsilon.num, c->epsilon.den};
        else
            gaussian[list.gaussian_count++] = (pdpr_i_check_gaussian){c->mu_step, c->steps};
    }
    list.pure = pure;
    list.gaussian = gaussian;
    PDPR_TRY(pdpr_i_check_epsilon(ctx, &list, p->delta, &again, err));
    /* They differ in a broken build only. */
    if (!pdpr_i_check_agrees(epsilon, again)) /* GCOVR_EXCL_BR_LINE */
        s = pdpr_i_fail(err, PDPR_EFAILED,    /* GCOVR_EXCL_LINE */
                        "accountant: the charges cost epsilon %.15g, by the second accountant "
                        "%.15g; nothing is run on such a count",
                        epsilon, again);
done:
    pdpr_free(pure);
    pdpr_free(gaussian);
    return s;
}

/* The exact samplers leave out at most 2^-126 of their law a value; the 2^-20 of delta that the
 * accountant keeps back must cover (1 + e^epsilon) times that for every value of the run, of which
 * a charge has at most MOST_VALUES (docs/proofs/joint_accounting.md, Theorem 3). */
static pdpr_status check_remainder(const pdpr_i_promise *p, pdpr_error *err)
{
    enum { MOST_VALUES = 4096 };
    double left_out = (1 + exp(p->epsilon)) * 0x1p-126 * MOST_VALUES * p->num_charges;
    if (p->delta > 0 && p->delta * 0x1p-20 < left_out)
        return pdpr_i_fail(
            err, PDPR_EUSAGE,
            "delta: expected at least %.1e at epsilon %g, which covers what exact samplers leave "
            "out; found %g",
            left_out * 0x1p20, p->epsilon, p->delta);
    return PDPR_OK;
}

static bool only_pure(const pdpr_i_promise *p)
{
    for (uint32_t i = 0; i < p->num_charges; i++)
        if (p->charges[i].kind != PDPR_I_CHARGE_PURE)
            return false;
    return true;
}

void pdpr_i_input_digest(const pdpr_graph *g, const char *dataset,
                         unsigned char out[PDPR_I_DIGEST_BYTES])
{
    const uint64_t sizes[] = {g->num_nodes, g->directed, g->num_arcs};
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, PDPR_I_DIGEST_BYTES);
    crypto_generichash_update(&state, (const unsigned char *)dataset, strlen(dataset) + 1);
    crypto_generichash_update(&state, (const unsigned char *)sizes, sizeof sizes);
    crypto_generichash_update(&state, (const unsigned char *)g->offset,
                              ((uint64_t)g->num_nodes + 1) * sizeof *g->offset);
    crypto_generichash_update(&state, (const unsigned char *)g->target,
                              g->num_arcs * sizeof *g->target);
    crypto_generichash_final(&state, out, PDPR_I_DIGEST_BYTES);
    sodium_memzero(&state, sizeof state);
}

/* Whether an interrupted run is taken up again. */
static bool resumes(const pdpr_i_promise *p)
{
    return p->checkpoint && pdpr_i_checkpoint_is_resumed(p->checkpoint);
}

/* A source that gives the random bytes of a checkpoint once more, from *user on. */
static int replay(void *user, unsigned char *out, size_t length)
{
    const unsigned char **next = user;
    memcpy(out, *next, length);
    *next += length;
    return 0;
}

static pdpr_status make_key(pdpr_i_private_run *run, const unsigned char *digest, pdpr_error *err)
{
    const pdpr_i_promise *p = &run->promise;
    pdpr_i_key_source source = pdpr_i_key_source_kernel();
    const unsigned char *entropy = NULL;

    if (p->seeded)
        return pdpr_i_noise_key_from_seed(run->ctx, p->seed, &run->key, err);
    if (resumes(p)) {
        entropy = pdpr_i_checkpoint_entropy(p->checkpoint);
        if (!entropy)
            return pdpr_i_fail(err, PDPR_EUSAGE,
                               "checkpoint: the interrupted run was seeded; give its seed");
        source.fill = replay;
        source.user = &entropy;
    }
    return pdpr_i_noise_key_from_system(run->ctx, source, digest, p->parameters,
                                        strlen(p->parameters), &run->key, err);
}

static pdpr_status bind_checkpoint(const pdpr_i_private_run *run, const unsigned char *digest,
                                   pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_promise *p = &run->promise;
    pdpr_i_key key = {{0}};
    /* The key was made a moment ago in this process. */
    PDPR_TRY(pdpr_i_private_run_training_key(run, &key, err)); /* GCOVR_EXCL_BR_LINE */
    PDPR_TRY(pdpr_i_checkpoint_bind(p->checkpoint, &key, digest, p->parameters, err));
done:
    pdpr_i_key_wipe(&key);
    return s;
}

pdpr_status pdpr_i_private_run_new(pdpr_context *ctx, pdpr_ledger *ledger, const pdpr_graph *g,
                                   const pdpr_i_promise *promise, pdpr_i_private_run **out,
                                   pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_private_run *run = NULL;
    unsigned char digest[PDPR_I_DIGEST_BYTES];
    double cost; /* what the charges really cost at the promise's delta */

    /* It fails in a broken build only. */
    PDPR_TRY(pdpr_i_accountant_self_test(err)); /* GCOVR_EXCL_BR_LINE */
    PDPR_TRY(pdpr_i_budget_check(promise->epsilon, promise->delta, g->num_nodes,
                                 promise->accept_large_delta, only_pure(promise), err));
    PDPR_TRY(check_remainder(promise, err));
    if (promise->dataset && !*promise->dataset)
        return pdpr_i_fail(err, PDPR_EUSAGE, "dataset: expected a name, found none");
    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *run, "private run", &run, err));
    run->ctx = ctx;
    run->ledger = ledger;
    run->promise = *promise;
    PDPR_TRY(pdpr_i_meter_new(ctx, promise->charges, promise->num_charges, &run->meter, err));
    PDPR_TRY(price(ctx, promise, &cost, err));
    if (cost > promise->epsilon * (1 + 1e-12)) {
        s = pdpr_i_fail(err, PDPR_EBUDGET,
                        "the charges of this run cost epsilon %.6g, above the promised %.6g", cost,
                        promise->epsilon);
        goto done;
    }
    PDPR_TRY(price_again(ctx, promise, cost, err));

    if (promise->dataset)
        PDPR_TRY(pdpr_ledger_dataset_named(ledger, promise->dataset, run->dataset, err));
    else
        PDPR_TRY(pdpr_ledger_dataset_of(ledger, g, run->dataset, err));
    pdpr_i_input_digest(g, run->dataset, digest);
    PDPR_TRY(make_key(run, digest, err));
    if (promise->checkpoint)
        PDPR_TRY(bind_checkpoint(run, digest, err));
    *out = run;
    run = NULL;
done:
    sodium_memzero(digest, sizeof digest);
    pdpr_i_private_run_free(run);
    return s;
}

void pdpr_i_private_run_free(pdpr_i_private_run *run)
{
    if (!run)
        return;
    pdpr_i_meter_free(run->meter);
    pdpr_i_noise_key_free(run->key);
    pdpr_free(run);
}

pdpr_status pdpr_i_private_run_training_key(const pdpr_i_private_run *run, pdpr_i_key *out,
                                            pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_key *root;
    pdpr_i_stream stream;

    if (!run->key)
        return pdpr_i_fail(err, PDPR_EUSAGE, "private run: it has started");
    /* It is gone in a forked child only, which a test sees and a coverage count does not. */
    PDPR_TRY(pdpr_i_noise_key_root(run->key, &root, err)); /* GCOVR_EXCL_BR_LINE */
    pdpr_i_stream_init(&stream, root, PDPR_I_PURPOSE_TRAINING_KEY, 0);
    pdpr_i_stream_bytes(&stream, out->bytes, sizeof out->bytes);
    pdpr_i_stream_wipe(&stream);
done:
    return s;
}

/* Whether the ledger has the run as one that counts, or cannot be asked. */
static bool may_count(const pdpr_i_private_run *run)
{
    bool reserved = true, drawn = true;
    (void)pdpr_i_ledger_run_is(run->ledger, run->id, PDPR_RUN_RESERVED, &reserved, NULL);
    (void)pdpr_i_ledger_run_is(run->ledger, run->id, PDPR_RUN_DRAWN, &drawn, NULL);
    return reserved || drawn;
}

/* RESERVE, the first checkpoint, DRAWN: in this order, so that a crash before the checkpoint leaves
 * a run that may be refunded, and one after it a run that can be taken up again. A run that does
 * not come to DRAWN has drawn nothing and gives its reservation back, if the ledger lets it. */
static pdpr_status reserve_new(pdpr_i_private_run *run, const pdpr_i_reservation *reservation,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_checkpoint *c = run->promise.checkpoint;

    PDPR_TRY(pdpr_i_ledger_reserve(run->ledger, reservation, run->id, err));
    if (c) {
        pdpr_i_checkpoint_describe(c, run->id, pdpr_i_noise_key_entropy(run->key));
        PDPR_TRY(pdpr_i_checkpoint_save(c, 0, NULL, 0, err));
    }
    PDPR_TRY(pdpr_i_ledger_drawn(run->ledger, run->id, err));
done:
    if (s != PDPR_OK && run->id[0]) {
        pdpr_status refunded = pdpr_ledger_refund(run->ledger, run->id, NULL);
        if (refunded == PDPR_OK && c)
            pdpr_i_checkpoint_remove(c);
        else if (refunded != PDPR_OK && may_count(run)) /* as spent: the safe side */
            pdpr_i_ledger_keep_open(run->ledger, run->id, true);
    }
    return s;
}

/* The entry of the interrupted run, which must be there, fit, and not be published. */
static pdpr_status take_up(pdpr_i_private_run *run, const pdpr_i_reservation *reservation,
                           pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_run_state state;
    snprintf(run->id, sizeof run->id, "%s", pdpr_i_checkpoint_run(run->promise.checkpoint));
    PDPR_TRY(pdpr_i_ledger_resume(run->ledger, run->id, reservation, &state, run->committed, err));
    if (state == PDPR_RUN_PUBLISHED) {
        pdpr_i_checkpoint_remove(run->promise.checkpoint); /* authenticated; it still has the key */
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "checkpoint: its run is published already; nothing is left to resume, and "
                        "it was removed");
        goto done;
    }
    if (state == PDPR_RUN_RESERVED)
        PDPR_TRY(pdpr_i_ledger_drawn(run->ledger, run->id, err));
done:
    return s;
}

/* The meter's plan, as the ledger writes it. */
static pdpr_status reserve(void *user, const pdpr_i_charge *charges, uint32_t count,
                           pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_private_run *run = user;
    pdpr_i_ledger_charge *entries = NULL;

    PDPR_TRY(pdpr_i_zalloc(run->ctx, count, sizeof *entries, "ledger charges", &entries, err));
    for (uint32_t i = 0; i < count; i++) {
        bool pure = charges[i].kind == PDPR_I_CHARGE_PURE;
        if (snprintf(entries[i].label, sizeof entries[i].label, "%s", charges[i].label) >=
            (int)sizeof entries[i].label) {
            s = pdpr_i_fail(err, PDPR_EUSAGE, "charge %s: its label is too long", charges[i].label);
            goto done;
        }
        entries[i].num = pure ? charges[i].epsilon.num : 0;
        entries[i].den = pure ? charges[i].epsilon.den : 0;
        entries[i].mu = pure ? 0 : charges[i].mu_step;
        entries[i].steps = pure ? 0 : charges[i].steps;
    }
    const pdpr_i_reservation reservation = {.dataset = run->dataset,
                                            .charges = entries,
                                            .num_charges = count,
                                            .seeded = run->promise.seeded,
                                            .method = run->promise.method,
                                            .day = run->promise.day};
    PDPR_TRY(resumes(&run->promise) ? take_up(run, &reservation, err)
                                    : reserve_new(run, &reservation, err));
done:
    pdpr_free(entries);
    return s;
}

pdpr_status pdpr_i_private_run_start(pdpr_i_private_run *run, pdpr_i_meter **meter, pdpr_error *err)
{
    if (!run->key)
        return pdpr_i_fail(err, PDPR_EUSAGE, "private run: it has started");
    pdpr_status s = pdpr_i_meter_open(run->meter, &run->key, reserve, run, err);
    if (s == PDPR_OK)
        *meter = run->meter;
    return s;
}

pdpr_status pdpr_i_private_run_commit(pdpr_i_private_run *run, const char *sha256, pdpr_error *err)
{
    if (!run->committed[0])
        return pdpr_i_ledger_commit(run->ledger, run->id, sha256, err);
    if (strcmp(run->committed, sha256) != 0)
        return pdpr_i_fail(err, PDPR_EFAILED,
                           "the interrupted run had committed to another output; resume with the "
                           "same names and number of samples");
    return PDPR_OK;
}

pdpr_status pdpr_i_private_run_published(pdpr_i_private_run *run, pdpr_error *err)
{
    return pdpr_i_ledger_published(run->ledger, run->id, err);
}
