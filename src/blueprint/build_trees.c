/* Building graphs: small components that are trees with the hubs in them.
 *
 * Where links are fewer than nodes there are no cycles to speak of, and a component is a star or a
 * few of them joined: who has the leaves has the hubs. So a tree is grown from inner nodes of any
 * degree, as many as give the wanted mean size: one at least where the mean allows it, and a
 * geometric number more. All are taken from lists in random order, and leaves fill what is open. It
 * ends when the leaves do: what is left of the nodes is matched as usual. Cost: O(N + m). */
#include "blueprint/build_parts.h"

typedef struct {
    uint32_t *inner, *leaf; /* in random order */
    uint32_t inners, leaves;
    uint32_t *open; /* [links of all inner nodes] */
    double each;    /* nodes that an inner node brings along with itself, on average, less one */
} stock;

static pdpr_status fill_stock(const pdpr_i_building *b, stock *k, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t ends = 0;

    PDPR_TRY(pdpr_i_alloc(b->ctx, b->num_nodes, sizeof *k->inner, "trees", &k->inner, err));
    PDPR_TRY(pdpr_i_alloc(b->ctx, b->num_nodes, sizeof *k->leaf, "trees", &k->leaf, err));
    for (uint32_t u = 0; u < b->num_nodes; u++) {
        if (b->degree[u] == 1)
            k->leaf[k->leaves++] = u;
        if (b->degree[u] < 2)
            continue;
        k->inner[k->inners++] = u;
        ends += b->degree[u];
    }
    PDPR_TRY(pdpr_i_alloc(b->ctx, ends + 2, sizeof *k->open, "trees", &k->open, err));
    pdpr_i_draw_order(b->random, k->inner, k->inners);
    pdpr_i_draw_order(b->random, k->leaf, k->leaves);
    k->each = k->inners > 0 ? (double)ends / k->inners - 1 : 1;
done:
    return s;
}

/* How many inner nodes the next tree has. */
static uint64_t draw_inners(pdpr_i_building *b, const stock *k)
{
    double mean = (b->targets->small_mean_size - 2) / k->each;
    if (k->inners == 0) /* pairs of leaves are all there is */
        return 0;
    if (mean < 1)
        return pdpr_i_draw_chance(b->random, mean);
    return 1 + pdpr_i_draw_geometric(b->random, mean - 1);
}

/* Takes nodes off the ends of the lists; *made is false, and nothing taken, if there are not
 * enough of them. */
static pdpr_status make_tree(pdpr_i_building *b, stock *k, pdpr_i_links *links, bool *made,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t inners = draw_inners(b, k), leaves = 2;
    pdpr_i_growing tree = {.open = k->open};

    *made = inners <= k->inners;
    for (uint64_t i = 0; *made && i < inners; i++)
        leaves += b->degree[k->inner[k->inners - 1 - i]] - 2;
    *made = *made && leaves <= k->leaves;
    if (!*made)
        return s;
    if (inners == 0) /* two leaves */
        PDPR_TRY(pdpr_i_hang(b, &tree, k->leaf[--k->leaves], links, err));
    for (; inners > 0; inners--)
        PDPR_TRY(pdpr_i_hang(b, &tree, k->inner[--k->inners], links, err));
    for (uint64_t i = 0; i < tree.opens; i++) {
        uint32_t u = k->leaf[--k->leaves];
        b->apart[u] = true;
        PDPR_TRY(pdpr_i_links_add(links, tree.open[i], u, err));
    }
done:
    return s;
}

pdpr_status pdpr_i_build_trees(pdpr_i_building *b, uint64_t wanted, pdpr_i_links *links,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    stock k = {0};
    bool made = true;

    PDPR_TRY(fill_stock(b, &k, err));
    for (uint64_t i = 0; i < wanted && made; i++)
        PDPR_TRY(make_tree(b, &k, links, &made, err));
done:
    pdpr_free(k.inner);
    pdpr_free(k.leaf);
    pdpr_free(k.open);
    return s;
}
