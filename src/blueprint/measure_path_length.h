/* Q5: how long paths are between public pairs of nodes, no node carrying many of them. */
#ifndef PDPR_BLUEPRINT_MEASURE_PATH_LENGTH_H
#define PDPR_BLUEPRINT_MEASURE_PATH_LENGTH_H

#include "blueprint/routing.h"

/* Distances that are told from one another: those outside count as the nearer end. */
typedef struct {
    uint32_t floor, horizon;
} pdpr_i_path_window;

/* The public numbers of the question. */
typedef struct {
    uint32_t horizon;   /* L, 2..1024: longer paths count as L */
    uint32_t cap;       /* c, 1..64: pairs that a node may carry for nothing */
    uint32_t num_pairs; /* P, 1..2^24 */
    uint64_t public_seed;
    uint64_t index; /* which set of pairs under this seed */
    uint32_t floor; /* l, below L: shorter paths count as l; 0 and 1: all count as they are */
} pdpr_i_path_question;

/* Beyond so many nodes searches are spared (routing.h). */
enum { PDPR_I_PATH_LARGE = 30000 };

/* c (L - l): how much F moves between neighbours, at most (docs/proofs/path_length.md, Theorem 1).
 * 0 for a question that nobody asked (L = 0). */
uint64_t pdpr_i_path_sensitivity(const pdpr_i_path_question *question);

/* Pairs number `index` of the public seed: nodes in random order, taken two by two, so that no node
 * is in two pairs while there are others left. pair is [num_pairs]; num_nodes >= 2. Depends on the
 * four numbers only. Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_path_pairs(pdpr_context *ctx, uint32_t num_nodes,
                              const pdpr_i_path_question *question, uint32_t (*pair)[2],
                              pdpr_error *err);

/* Bounds of F (routing.h) for the question's pairs: the sum of their distances, those below l taken
 * for l, if paths of fewer than L hops can be chosen so that no node carries more than c of them.
 *
 * Neighbours:    undirected graphs on the same N nodes that differ in the edges at one node.
 * Precondition:  question and gamma (units of 2^-16) do not depend on the graph.
 * Guarantee:     lo <= 2^16 F <= hi and hi - lo <= gamma on every input, and |F(G) - F(G')| <=
 *                c (L - l); so |lo(G) - lo(G')| <= 2^16 c (L - l) + gamma.
 * Proof:         docs/proofs/path_length.md, Theorems 1 to 3.
 * Rounding:      lo down, hi up, from certificates in integers.
 *
 * Same bounds for any number of threads (it uses one). Cost: a solver that ends on its certificate;
 * some hundred searches for each pair in practice. Errors: PDPR_EUSAGE (directed graph, fewer than
 * 2 nodes, a number out of range, gamma too small for the sizes: all public), PDPR_ENOMEM,
 * PDPR_ECANCELLED. */
pdpr_status pdpr_i_path_length(pdpr_context *ctx, const pdpr_graph *g,
                               const pdpr_i_path_question *question, uint64_t gamma,
                               pdpr_i_interval *out, pdpr_error *err);

/* About F of a public graph, in hops: bounds as wide as `gap` hops, or the best that a few rounds
 * give, and a point between them. Not certified: for post-processing only. Errors: as above. */
pdpr_status pdpr_i_path_length_about(pdpr_context *ctx, const pdpr_graph *g,
                                     const pdpr_i_path_question *question, double gap, double *out,
                                     pdpr_error *err);

/* The same if nodes may carry any number of pairs, in hops: the sum of the distances within the
 * window. Exact, one search a pair; for post-processing only. Errors: as above. */
pdpr_status pdpr_i_path_length_plain(pdpr_context *ctx, const pdpr_graph *g,
                                     const pdpr_i_path_question *question, double *out,
                                     pdpr_error *err);

#endif
