/* The certificate as JSON: which value stands under which name, and the sentences that are the same
 * in every certificate.
 *
 * This is the whole of what leaves the house beside the graph. Every value comes from
 * pdpr_i_certificate, the build, or the accountant; there is no other way in.
 * The keys are listed a second time, separately, in verify_certificate_fields.c. */
#include "dp/certificate_json.h"

#include "dp/canonical_json.h"

#include <math.h>

static const char *const mechanism_names[] = {
    [PDPR_I_QUERY_LAPLACE] = "discrete-laplace",
    [PDPR_I_QUERY_SELECTION] = "permute-and-flip",
    [PDPR_I_QUERY_GAUSSIAN] = "rounded-gaussian",
    [PDPR_I_QUERY_BOX] = "discrete-box",
};

static const char *const edge_count_names[] = {
    [PDPR_I_EDGES_DERIVED] = "derived",
    [PDPR_I_EDGES_NOISY] = "noisy",
    [PDPR_I_EDGES_DECLARED] = "declared",
};

/* The makers below return NULL when memory runs out; jansson passes NULL on to the root. */

static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static json_t *real(double value)
{
    char text[PDPR_I_REAL_TEXT];
    pdpr_i_real_text(value, text);
    return json_string(text);
}

static json_t *count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *fraction(pdpr_i_fraction f)
{
    uint64_t a = f.num, b = f.den;
    while (b > 0) { /* Euclid */
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return json_sprintf("%" PRIu64 "/%" PRIu64, f.num / a, f.den / a);
}

/* Drops an object that could not be completed. */
static json_t *whole(json_t *object, bool complete)
{
    if (complete)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *answers_json(const pdpr_i_certificate_query *q)
{
    json_t *list = json_array();
    bool ok = list != NULL;
    for (uint64_t i = 0; i < q->values && ok; i++) {
        const pdpr_i_certificate_answer *answer = &q->answer[i];
        json_t *o = json_object();
        ok = json_array_append_new(
                 list, whole(o, set(o, "label", json_string(answer->label)) &&
                                    set(o, "sensitivity", fraction(answer->sensitivity)) &&
                                    set(o, "grid", fraction(answer->grid)))) == 0;
    }
    return whole(list, ok);
}

static json_t *query_json(const pdpr_i_certificate_query *q)
{
    json_t *o = json_object();
    bool ok = set(o, "label", json_string(q->label)) &&
              set(o, "mechanism", json_string(mechanism_names[q->kind])) &&
              set(o, "values", count(q->values));
    if (q->kind == PDPR_I_QUERY_BOX)
        return whole(o, ok && set(o, "epsilon", fraction(q->epsilon)) &&
                            set(o, "levels", count(q->levels)) &&
                            set(o, "answers", answers_json(q)));
    ok = ok && set(o, "sensitivity", fraction(q->sensitivity)) && set(o, "grid", fraction(q->grid));
    if (q->kind == PDPR_I_QUERY_GAUSSIAN)
        ok = ok && set(o, "mu", real(q->mu)) && set(o, "sigma_int", real(q->sigma));
    else
        ok = ok && set(o, "epsilon", fraction(q->epsilon)) && set(o, "scale", fraction(q->scale));
    return whole(o, ok);
}

static json_t *embedding_json(const pdpr_i_certificate_embedding *e)
{
    if (!e)
        return json_null();
    json_t *o = json_object();
    return whole(o, set(o, "C", real(e->clip_l2)) && set(o, "Delta", real(2 * e->clip_l2)) &&
                        set(o, "T", count(e->steps)) && set(o, "k", json_integer(e->exponent)) &&
                        set(o, "K", json_integer(e->radius)) &&
                        set(o, "sigma_int", real(e->sigma)) &&
                        set(o, "coords", count(e->coordinates)) && set(o, "mu", real(e->mu)) &&
                        set(o, "mu_per_step", real(e->mu_step)) &&
                        set(o, "noise", json_string("rounded-gaussian/2^k")));
}

static json_t *mechanisms_json(const pdpr_i_certificate *c)
{
    json_t *o = json_object(), *queries = json_array();
    bool ok = queries != NULL;
    for (uint64_t i = 0; i < c->num_queries && ok; i++)
        ok = json_array_append_new(queries, query_json(&c->queries[i])) == 0;
    ok = set(o, "queries", queries) && ok && set(o, "embedding", embedding_json(c->embedding)) &&
         set(o, "rng", json_string("chacha20"));
    return whole(o, ok);
}

/* What the samplers leave out of their laws, as a delta: a Laplace value has 2^-126, a selection
 * 2^-249 a candidate, a box 2^-126 for all its values, which the factor covers
 * (docs/proofs/joint_accounting.md, conventions). A delta above 0 includes it. */
static double sampler_delta(const pdpr_i_certificate *c)
{
    double values = 0;
    for (uint64_t i = 0; i < c->num_queries; i++)
        values += (double)c->queries[i].values;
    return (1 + exp(c->epsilon)) * values * 0x1p-126 * (1 + 0x1p-40);
}

static json_t *guarantee_json(const pdpr_i_certificate *c)
{
    if (c->seeded)
        return json_string("none (seeded run)");
    json_t *o = json_object();
    return whole(
        o, (c->delta > 0 || set(o, "sampler_delta", real(sampler_delta(c)))) &&
               set(o, "definition",
                   json_string("(epsilon, delta)-differential privacy, computational")) &&
               set(o, "epsilon", real(c->epsilon)) && set(o, "delta", real(c->delta)) &&
               set(o, "scope",
                   json_string("this publication by itself; others from the same or overlapping "
                               "data add to it")) &&
               set(o, "unit",
                   json_string(c->whole_edge_set ? "whole edge set, implies node-level"
                                                 : "node (replace-one)")));
}

static json_t *inputs_json(const pdpr_i_certificate *c)
{
    json_t *o = json_object(), *edges = json_object(), *parameters = json_object();
    bool ok = set(edges, "source", json_string(edge_count_names[c->edge_count]));
    if (c->edge_count == PDPR_I_EDGES_DECLARED)
        ok = ok && set(edges, "value", count(c->declared_edges));
    for (uint64_t i = 0; i < c->num_parameters && ok; i++)
        ok = set(parameters, c->parameters[i].name, json_string(c->parameters[i].value));
    ok = set(o, "edge_count", edges) && ok;
    ok = set(o, "hyperparameters", parameters) && ok;
    ok = ok && set(o, "nodes", count(c->nodes)) &&
         set(o, "vertex_list",
             json_string(c->vertices_inferred ? "inferred from the file and accepted as public"
                                              : "declared"));
    return whole(o, ok);
}

static json_t *outputs_json(const pdpr_i_certificate *c)
{
    json_t *list = json_array();
    bool ok = list != NULL;
    for (uint64_t i = 0; i < c->num_outputs && ok; i++) {
        const pdpr_i_certificate_output *output = &c->outputs[i];
        json_t *o = json_object();
        ok = json_array_append_new(list,
                                   whole(o, set(o, "file", json_string(output->file)) &&
                                                set(o, "sha256", json_string(output->sha256)) &&
                                                set(o, "nodes", count(output->nodes)) &&
                                                set(o, "edges", count(output->edges)))) == 0;
    }
    return whole(list, ok);
}

static json_t *tool_json(pdpr_context *ctx)
{
    pdpr_build_info info;
    pdpr_build_info_get(ctx, &info);
    return json_pack("{s:s, s:s, s:s, s:s}", "name", "privdpr", "version", info.version, "commit",
                     info.commit, "compiler", info.compiler);
}

json_t *pdpr_i_certificate_json(pdpr_context *ctx, const pdpr_i_certificate *c,
                                const pdpr_i_certificate_cost *paid)
{
    json_t *o = json_object(), *accounting = json_object();
    bool ok = set(accounting, "method", json_string("joint-exact")) &&
              set(accounting, "epsilon", real(paid->epsilon)) &&
              set(accounting, "delta", real(c->delta)) && set(accounting, "mu", real(paid->mu)) &&
              set(accounting, "pure_epsilon", real(paid->pure_epsilon));
    ok = set(o, "accounting", accounting) && ok;
    ok = ok && set(o, "format", json_string("privdpr-certificate/1")) &&
         set(o, "guarantee", guarantee_json(c)) && set(o, "mechanisms", mechanisms_json(c)) &&
         set(o, "method", json_pack("{s:s, s:s}", "name", c->method, "profile", c->profile)) &&
         set(o, "public_inputs", inputs_json(c)) && set(o, "outputs", outputs_json(c)) &&
         set(o, "preprocessing",
             json_string(c->preprocessing ? c->preprocessing : "none declared")) &&
         set(o, "tool", tool_json(ctx)) &&
         set(o, "assumptions",
             json_pack("[s, s, s]", "trusted host and operator",
                       "no timing or size side channel to an adversary",
                       "ChaCha20 and its key are indistinguishable from random")) &&
         set(o, "not_promised",
             json_pack("[s, s, s]", "availability", "running time and memory",
                       "anything the operator did to the data before")) &&
         set(o, "self_tests",
             json_pack("{s:s, s:s}", "accountant", "pass", "random_source", "pass"));
    return whole(o, ok);
}
