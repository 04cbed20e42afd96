/* From the ids of a file to node numbers 0..N-1.
 *
 * Declared ids are numbered already. Ids that were only seen are numbered in ascending order
 * (texts bytewise), never in the order of their lines: the numbering would otherwise tell about the
 * edges (privacy rule P-2). Numbers that are dense enough go through a bitmap with a running count
 * per word of 64 ids, others and texts through their sorted table.
 *
 * Cost: O(N + m) for a bitmap, O(N log N + m) for a table. The bitmap takes at most 6 bytes per
 * pair: it is used when the largest id is below 32 times the number of pairs. */
#include "graph/io.h"
#include "base/found_text.h"

#include <string.h>

enum { PAIRS_PER_CHUNK = 1 << 16, IDS_PER_PAIR = 32 };

/* How to turn the collected numbers into node numbers. */
typedef struct {
    const pdpr_i_pairs *block;
    const uint64_t *seen;   /* bitmap of ids, or NULL */
    const uint32_t *before; /* ids seen before each word of `seen` */
    const uint32_t *rank;   /* table: collected number to node number, or NULL */
    uint32_t shift;         /* neither: subtract this */
} renumbering;

static pdpr_status renumber_chunk(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    (void)worker, (void)err;
    const renumbering *r = arg;
    uint64_t first = 2 * chunk * PAIRS_PER_CHUNK, last = 2 * (chunk + 1) * PAIRS_PER_CHUNK;
    uint32_t *ids = r->block->pairs;
    if (last > 2 * r->block->count)
        last = 2 * r->block->count;

    for (uint64_t i = first; i < last; i++) {
        uint32_t id = ids[i];
        if (r->seen) {
            uint64_t below = r->seen[id / 64] & ((UINT64_C(1) << id % 64) - 1);
            ids[i] = r->before[id / 64] + (uint32_t)__builtin_popcountll(below);
        } else {
            ids[i] = r->rank ? r->rank[id] : id - r->shift;
        }
    }
    return PDPR_OK;
}

static pdpr_status renumber(pdpr_i_edges *edges, renumbering *r, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    for (uint64_t i = 0; i < edges->num_blocks; i++) {
        r->block = &edges->block[i];
        PDPR_TRY(pdpr_i_parallel(edges->ctx, pdpr_i_chunks(r->block->count, PAIRS_PER_CHUNK),
                                 renumber_chunk, r, err));
    }
done:
    return s;
}

static void mark_seen(const pdpr_i_edges *edges, uint64_t *seen)
{
    for (uint64_t i = 0; i < edges->num_blocks; i++)
        for (uint64_t k = 0; k < 2 * edges->block[i].count; k++) {
            uint32_t id = edges->block[i].pairs[k];
            seen[id / 64] |= UINT64_C(1) << id % 64;
        }
}

/* NARROW ids that are dense: bitmap and counts. */
static pdpr_status number_by_bitmap(pdpr_i_edges *edges, uint32_t *num_nodes, pdpr_i_names **names,
                                    pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t *seen = NULL, *id = NULL, words = edges->max_id / 64 + 1, count = 0;
    uint32_t *before = NULL;

    PDPR_TRY(pdpr_i_zalloc(edges->ctx, words, sizeof *seen, "ids seen", &seen, err));
    PDPR_TRY(pdpr_i_alloc(edges->ctx, words, sizeof *before, "ids seen", &before, err));
    mark_seen(edges, seen);
    for (uint64_t w = 0; w < words; w++) {
        before[w] = (uint32_t)count;
        count += (uint64_t)__builtin_popcountll(seen[w]);
    }
    if (count > PDPR_I_MOST_NODES) { /* all 2^32 numbers: the file would have 16 GB at least */
        s = pdpr_i_fail_at(err, PDPR_EINPUT, edges->name, 0,
                           "expected at most %" PRIu32 " distinct node ids, found more",
                           (uint32_t)PDPR_I_MOST_NODES);
        goto done;
    }
    PDPR_TRY(pdpr_i_alloc(edges->ctx, count, sizeof *id, "node ids", &id, err));
    uint64_t next = 0;
    for (uint64_t w = 0; w < words; w++)
        for (uint64_t bits = seen[w]; bits; bits &= bits - 1)
            id[next++] = 64 * w + (uint64_t)__builtin_ctzll(bits);

    renumbering r = {.seen = seen, .before = before};
    if (id[count - 1] - id[0] == count - 1) /* consecutive */
        r = (renumbering){.shift = (uint32_t)id[0]};
    if (r.seen || r.shift)
        PDPR_TRY(renumber(edges, &r, err));
    PDPR_TRY(pdpr_i_names_sparse(edges->ctx, id, (uint32_t)count, names, err));
    id = NULL;
    *num_nodes = (uint32_t)count;
done:
    pdpr_free(seen);
    pdpr_free(before);
    pdpr_free(id);
    return s;
}

/* WIDE and TEXT ids: the sorted table. */
static pdpr_status number_by_table(pdpr_i_edges *edges, uint32_t *num_nodes, pdpr_i_names **names,
                                   pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t *rank = NULL;

    PDPR_TRY(pdpr_i_alloc(edges->ctx, edges->table->count, sizeof *rank, "order of node ids", &rank,
                          err));
    PDPR_TRY(pdpr_i_id_table_sort(edges->ctx, edges->table, rank, err));
    renumbering r = {.rank = rank};
    PDPR_TRY(renumber(edges, &r, err));
    *num_nodes = edges->table->count;
    PDPR_TRY(pdpr_i_id_table_to_names(edges->ctx, edges->table, names, err));
done:
    pdpr_free(rank);
    return s;
}

pdpr_status pdpr_i_edges_number(pdpr_i_edges *edges, uint64_t said_nodes, uint32_t *num_nodes,
                                pdpr_i_names **names, bool *declared, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t max_id = edges->max_id;
    *declared = true;
    if (edges->ids == PDPR_I_IDS_RANGE) {
        *num_nodes = (uint32_t)edges->limit;
        PDPR_TRY(pdpr_i_names_numbered(edges->ctx, edges->first, names, err));
    } else if (edges->ids == PDPR_I_IDS_LISTED) {
        *num_nodes = edges->table->count;
        PDPR_TRY(pdpr_i_id_table_to_names(edges->ctx, edges->table, names, err));
    } else if (edges->ids == PDPR_I_IDS_NARROW && said_nodes > max_id &&
               said_nodes <= PDPR_I_MOST_NODES) {
        PDPR_TRY(pdpr_i_check_num_nodes(edges->ctx, edges->name, 0, said_nodes, 0, err));
        *num_nodes = (uint32_t)said_nodes;
        PDPR_TRY(pdpr_i_names_numbered(edges->ctx, 0, names, err));
        *declared = false; /* it counts the nodes that occur, which the edges decide */
    } else {
        bool numbers = edges->ids != PDPR_I_IDS_TEXT;
        if (edges->ids == PDPR_I_IDS_NARROW && max_id / IDS_PER_PAIR >= edges->num_pairs)
            PDPR_TRY(pdpr_i_edges_widen(edges, err));
        PDPR_TRY(edges->ids == PDPR_I_IDS_NARROW ? number_by_bitmap(edges, num_nodes, names, err)
                                                 : number_by_table(edges, num_nodes, names, err));
        *declared = false;
        if (numbers && said_nodes)
            pdpr_i_notice(edges->ctx,
                          "%s: the header says %" PRIu64
                          " nodes, but ids go beyond; the nodes are the %" PRIu32 " ids seen",
                          edges->name, said_nodes, *num_nodes);
    }
done:
    return s;
}

pdpr_status pdpr_i_edges_build(pdpr_i_edges *edges, uint32_t num_nodes, pdpr_i_names *names,
                               bool directed, pdpr_graph **out, pdpr_load_info *info,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_pair_block *block = NULL;

    pdpr_i_id_table_free(edges->table); /* makes room before the largest allocations */
    edges->table = NULL;
    PDPR_TRY(
        pdpr_i_alloc(edges->ctx, edges->num_blocks, sizeof *block, "blocks of edges", &block, err));
    for (uint64_t i = 0; i < edges->num_blocks; i++)
        block[i] = (pdpr_i_pair_block){edges->block[i].pairs, edges->block[i].count};
    PDPR_TRY(pdpr_i_graph_build(edges->ctx, num_nodes, block, edges->num_blocks, directed, names,
                                out, &info->loops_dropped, &info->repeats_dropped, err));
    info->arcs_read = edges->num_pairs;
    info->weights_ignored = edges->more_columns;
done:
    pdpr_free(block);
    return s;
}
