/* Generated graphs on the public side. The functions are public (privdpr.h); what the kinds share
 * is here: a growing list of links, and a few draws beyond the uniform ones. */
#ifndef PDPR_GENERATE_GENERATE_H
#define PDPR_GENERATE_GENERATE_H

#include "graph/graph.h"
#include "dp/random_stream.h"

/* ---------------------------------------------------------------- links as they are drawn */

/* Loops and repeats may stand in it: building the graph drops them. */
typedef struct {
    pdpr_context *ctx;
    uint32_t *pairs; /* [2 * capacity] */
    uint64_t count, capacity;
} pdpr_i_links;

pdpr_status pdpr_i_links_init(pdpr_context *ctx, uint64_t expected, pdpr_i_links *links,
                              pdpr_error *err);
void pdpr_i_links_clear(pdpr_i_links *links);
/* Amortised O(1). Asks for cancellation now and then. */
pdpr_status pdpr_i_links_add(pdpr_i_links *links, uint32_t u, uint32_t v, pdpr_error *err);

/* ---------------------------------------------------------------- draws (never for noise) */

/* True with probability p. */
bool pdpr_i_draw_chance(pdpr_i_stream *random, double p);
/* x >= 0 rounded to one of its two integer neighbours, with mean x; x < 2^53. */
uint64_t pdpr_i_draw_round(pdpr_i_stream *random, double x);
/* 0, 1, 2, ... with the given mean, each step as likely as the last. */
uint64_t pdpr_i_draw_geometric(pdpr_i_stream *random, double mean);
/* An integer of low..high with P(x) about x^-exponent; 1 <= low <= high. */
uint32_t pdpr_i_draw_power(pdpr_i_stream *random, double exponent, uint32_t low, uint32_t high);
/* Puts `count` items into random order, each order as likely (Fisher-Yates). */
void pdpr_i_draw_order(pdpr_i_stream *random, uint32_t *items, uint64_t count);

/* ---------------------------------------------------------------- kinds, one file each */

/* Adds a graph of the kind to `links`. Parameters are in range, num_nodes >= 1. */
typedef pdpr_status (*pdpr_i_kind_draw)(const pdpr_generate_options *options, pdpr_i_stream *random,
                                        pdpr_i_links *links, pdpr_error *err);

pdpr_status pdpr_i_kind_power_law(const pdpr_generate_options *, pdpr_i_stream *, pdpr_i_links *,
                                  pdpr_error *);
pdpr_status pdpr_i_kind_lattice(const pdpr_generate_options *, pdpr_i_stream *, pdpr_i_links *,
                                pdpr_error *);
pdpr_status pdpr_i_kind_small_world(const pdpr_generate_options *, pdpr_i_stream *, pdpr_i_links *,
                                    pdpr_error *);
pdpr_status pdpr_i_kind_blocks(const pdpr_generate_options *, pdpr_i_stream *, pdpr_i_links *,
                               pdpr_error *);
pdpr_status pdpr_i_kind_cliques(const pdpr_generate_options *, pdpr_i_stream *, pdpr_i_links *,
                                pdpr_error *);
pdpr_status pdpr_i_kind_hubs(const pdpr_generate_options *, pdpr_i_stream *, pdpr_i_links *,
                             pdpr_error *);
pdpr_status pdpr_i_kind_scattered(const pdpr_generate_options *, pdpr_i_stream *, pdpr_i_links *,
                                  pdpr_error *);
pdpr_status pdpr_i_kind_geometric(const pdpr_generate_options *, pdpr_i_stream *, pdpr_i_links *,
                                  pdpr_error *);
pdpr_status pdpr_i_kind_copying(const pdpr_generate_options *, pdpr_i_stream *, pdpr_i_links *,
                                pdpr_error *);
pdpr_status pdpr_i_kind_chains(const pdpr_generate_options *, pdpr_i_stream *, pdpr_i_links *,
                               pdpr_error *);

#endif
