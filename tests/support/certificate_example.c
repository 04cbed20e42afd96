/* Certificates for tests. */
#include "support/certificate_example.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

/* PRIVACY.md [P-5] by the book: C = 1, T = 845. */
static void make_embedding(double epsilon, double delta, pdpr_i_certificate_embedding *out)
{
    double mu;
    assert_ok(pdpr_gdp_mu(epsilon, delta * (1 - 0x1p-20), &mu, NULL));
    mu *= 1 - 1e-12;
    double z = sqrt(845) / mu;
    int exponent = (int)floor(log2(2 * z)) - 30;
    exponent = exponent < -16 ? exponent : -16;
    int64_t radius = (int64_t)floor(ldexp(1, -exponent));
    *out = (pdpr_i_certificate_embedding){
        .clip_l2 = 1,
        .mu = mu,
        .mu_step = mu / sqrt(845),
        .sigma = 2 * (double)radius * z * (1 + 0x1p-40),
        .steps = 845,
        .coordinates = 2708u * 128u,
        .radius = radius,
        .exponent = exponent,
    };
}

void certificate_example_make(example_kind kind, certificate_example *out)
{
    memset(out, 0, sizeof *out);
    out->queries[0] = (pdpr_i_certificate_query){.label = "degree histogram",
                                                 .kind = PDPR_I_QUERY_LAPLACE,
                                                 .values = 12,
                                                 .sensitivity = {24, 1},
                                                 .grid = {1, 1},
                                                 .epsilon = {3, 10},
                                                 .scale = {80, 1}};
    out->queries[1] = (pdpr_i_certificate_query){.label = "cap",
                                                 .kind = PDPR_I_QUERY_SELECTION,
                                                 .values = 9,
                                                 .sensitivity = {1, 1},
                                                 .grid = {1, 1024},
                                                 .epsilon = {2, 10},
                                                 .scale = {10, 1}};
    out->queries[2] = (pdpr_i_certificate_query){.label = "path length",
                                                 .kind = PDPR_I_QUERY_LAPLACE,
                                                 .values = 1,
                                                 .sensitivity = {25, 2},
                                                 .grid = {2, 4},
                                                 .epsilon = {1, 2},
                                                 .scale = {26, 1}};
    out->queries[3] = (pdpr_i_certificate_query){.label = "mixing matrix",
                                                 .kind = PDPR_I_QUERY_GAUSSIAN,
                                                 .values = 36,
                                                 .sensitivity = {40, 1},
                                                 .grid = {1, 8},
                                                 .mu = 0.25,
                                                 .sigma = 1280.5};
    out->queries[4] = (pdpr_i_certificate_query){
        .label = "round",
        .kind = PDPR_I_QUERY_BOX,
        .values = 2,
        .epsilon = {1, 4},
        .levels = 1,
        .answer = {{"edges", {24, 1}, {1, 1}}, {"triangles", {25, 2}, {1, 2}}}};
    out->parameters[0] = (pdpr_i_certificate_parameter){"layers", "2"};
    out->parameters[1] = (pdpr_i_certificate_parameter){"learning_rate", "0.001"};
    /* tight: 845 = 5 floor(2708 / 16) steps on all rows; steered: as many on a batch of all */
    bool steered = kind == EXAMPLE_BOTH;
    out->parameters[2] = (pdpr_i_certificate_parameter){"batch", steered ? "2708" : "16"};
    out->parameters[3] = (pdpr_i_certificate_parameter){"columns", "128"};
    out->parameters[4] = (pdpr_i_certificate_parameter){"epochs", steered ? "845" : "5"};
    for (int i = 0; i < 2; i++) {
        memset(out->outputs[i].sha256, "ab"[i], 64);
        out->outputs[i].file = i ? "out-2.edges" : "out-1.edges";
        out->outputs[i].nodes = 2708;
        out->outputs[i].edges = 5000;
    }
    out->certificate = (pdpr_i_certificate){
        .epsilon = 3.2,
        .delta = 1e-5,
        .whole_edge_set = kind == EXAMPLE_EMBEDDING,
        .method = kind == EXAMPLE_QUERIES ? "blueprint" : "privdpr",
        .profile = kind == EXAMPLE_QUERIES ? "pure"
                   : steered               ? "steered"
                                           : "tight",
        .nodes = 2708,
        .embedding = kind == EXAMPLE_QUERIES ? NULL : &out->embedding,
        .queries = out->queries,
        .num_queries = kind == EXAMPLE_BOTH      ? 5
                       : kind == EXAMPLE_QUERIES ? 3
                                                 : 0,
        .parameters = out->parameters,
        .num_parameters = kind == EXAMPLE_QUERIES ? 2 : 5,
        .outputs = out->outputs,
        .num_outputs = 2,
        .accountant_tested = true,
        .random_source_tested = true,
    };
    make_embedding(kind == EXAMPLE_BOTH ? 1 : 3.2, 1e-5, &out->embedding);
    if (kind == EXAMPLE_QUERIES) {
        out->certificate.epsilon = 1; /* 3/10 + 2/10 + 1/2, exactly */
        out->certificate.delta = 0;
        out->certificate.preprocessing = "dropped test accounts";
        out->certificate.edge_count = PDPR_I_EDGES_DECLARED;
        out->certificate.declared_edges = 5000;
        out->certificate.vertices_inferred = true;
    }
}
