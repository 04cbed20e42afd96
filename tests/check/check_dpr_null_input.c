/* Null input (PRIVACY 10.5): the same seed on a graph, on a random graph and on no edges at all.
 * With one seed start values and noise are the same, so what differs between the embeddings is what
 * the edges put there. `paper` must give the same bytes, with the network run in full, and the same
 * again when it is not run because it cannot matter (docs/design/0016-signal-below-the-grid.md).
 * `tight` and `head` may differ, by as much
 * as the promise allows: a step's clipped gradient against the noise on all its coordinates is at
 * most K / (sigma sqrt(coordinates)) = mu / (2 sqrt(T coordinates)); Adam divides both by the same
 * roots. The limit below is far above that and far below what a run with noise too small by a
 * factor of 30, or on too few rows, would show (tried by hand). Deterministic: no false alarms. */
#include "support/support.h"
#include "support/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 300, EDGES = 1200, COLUMNS = 32, HEAD = 128 };

typedef struct {
    pdpr_context *ctx;
    char folder[SCRATCH_PATH], v[SCRATCH_PATH], certificate[SCRATCH_PATH];
    pdpr_ledger *ledger;
} place;

/* The embedding of a seeded run, [NODES][COLUMNS]; freed by the caller. full: the network runs
 * whatever the plan says. */
static float *embed(place *p, const pdpr_graph *g, const char *profile, uint64_t seed, bool full)
{
    pdpr_method_options o;
    pdpr_error err = {0};
    size_t length;
    pdpr_method_options_default(&o);
    o.method = "privdpr";
    o.profile = profile;
    o.epsilon = 3.2;
    o.delta = 1e-5;
    o.edges = EDGES;
    o.columns = COLUMNS;
    o.day = "2026-11-16";
    o.seeded = true;
    o.seed = seed;
    o.full_training = full;
    const pdpr_publication files = {
        .struct_size = sizeof files, .certificate_path = p->certificate, .embedding_path = p->v};
    if (pdpr_publish(p->ctx, g, &o, p->ledger, &files, &err) != PDPR_OK)
        fail_msg("%s", err.text);
    char *bytes = test_file_read(p->v, &length);
    assert_int_equal(length, HEAD + NODES * COLUMNS * sizeof(float));
    float *out = malloc(NODES * COLUMNS * sizeof *out);
    assert_non_null(out);
    memcpy(out, bytes + HEAD, NODES * COLUMNS * sizeof *out);
    free(bytes);
    return out;
}

/* |a - b| / |b|, Frobenius. */
static double difference(const float *a, const float *b)
{
    double apart = 0, size = 0;
    for (int i = 0; i < NODES * COLUMNS; i++) {
        apart += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        size += (double)b[i] * b[i];
    }
    return sqrt(apart / size);
}

static void embedding_hardly_knows_its_input(void **state)
{
    (void)state;
    static const struct {
        const char *profile;
        double limit;
    } cases[] = {{"paper", 0}, {"tight", 0.005}, {"head", 0.005}};
    place p = {.ctx = test_context(0)};
    pdpr_ledger_options options;
    pdpr_graph *g = NULL, *random = NULL, *empty = test_graph_empty(p.ctx, NODES);
    char path[SCRATCH_PATH];
    test_scratch_make(p.folder);
    test_scratch_path(p.folder, "ledger", path);
    test_scratch_path(p.folder, "v.npy", p.v);
    test_scratch_path(p.folder, "c.json", p.certificate);
    pdpr_ledger_options_default(&options);
    options.create = true;
    assert_ok(pdpr_ledger_open(p.ctx, path, &options, &p.ledger, NULL));
    assert_ok(pdpr_generate_social(p.ctx, NODES, EDGES, 0.5, 1, &g, NULL));
    assert_ok(pdpr_generate_gnm(p.ctx, NODES, EDGES, 1, &random, NULL));
    for (int i = 0; i < 3; i++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            float *real = embed(&p, g, cases[i].profile, seed, true);
            float *other = embed(&p, random, cases[i].profile, seed, true);
            float *none = embed(&p, empty, cases[i].profile, seed, true);
            float *proved = embed(&p, g, cases[i].profile, seed, false);
            assert_memory_equal(real, proved, NODES * COLUMNS * sizeof *real);
            double to_none = difference(real, none), to_other = difference(real, other);
            print_message("%s, seed %d: %.3g from no edges, %.3g from random edges\n",
                          cases[i].profile, (int)seed, to_none, to_other);
            assert_true(to_none <= cases[i].limit && to_other <= cases[i].limit);
            if (cases[i].limit > 0) /* else it would be as blind as the paper's */
                assert_true(to_none > 0);
            free(real);
            free(other);
            free(none);
            free(proved);
        }
    pdpr_graph_free(g);
    pdpr_graph_free(random);
    pdpr_graph_free(empty);
    pdpr_ledger_close(p.ledger);
    test_scratch_remove(p.folder);
    pdpr_context_free(p.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(embedding_hardly_knows_its_input)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
