/* The sloped degree index: a look at the tail of the degree curve that one node moves by one.
 *
 * Read the nodes by falling degree: the curve "rank against degree" of neighbouring graphs differs
 * by at most one rank and one unit of degree, so its meeting point with a rising line moves by at
 * most one step of the line. No projection, no bound on the degrees; a line of slope alpha gives an
 * error of one in degree and alpha in rank. Source: the h-index with a shift (BLUEPRINT Q2), the
 * slope from BLUEPRINT_REVIEW 6.4.
 *
 * Cost: one histogram, then a walk along the line. */
#include "blueprint/measure_degree_index.h"

/* max{ j >= 0 : at least alpha * j nodes have degree >= s + j }, for degrees given as a histogram:
 * count[x] nodes have degree x, x < length. O(length). alpha must be at least 1. */
static uint64_t line_index(const uint64_t *count, uint64_t length, pdpr_i_line line)
{
    uint64_t nodes = 0;
    for (uint64_t x = 0; x < length; x++)
        nodes += count[x];

    /* Invariant: `at_least` nodes have value >= max(s + j, 0). Both sides are monotone in j, so the
     * first j that fails ends the walk; j cannot pass nodes / alpha. */
    uint64_t at_least = nodes, j = 0, value = 0;
    if (line.shift > 0) {
        if ((uint64_t)line.shift >= length)
            return 0;
        for (; value < (uint64_t)line.shift; value++)
            at_least -= count[value];
    }
    while (j < nodes / line.slope) {
        int64_t next = line.shift + (int64_t)j + 1; /* the value that j + 1 asks for */
        if (next > 0) {
            if (value < length)
                at_least -= count[value];
            value++;
        }
        if (at_least < (j + 1) * line.slope)
            break;
        j++;
    }
    return j;
}

static pdpr_status check_lines(const pdpr_i_line *line, uint32_t num_lines, pdpr_error *err)
{
    for (uint32_t i = 0; i < num_lines; i++)
        if (line[i].slope == 0)
            return pdpr_i_fail(
                err, PDPR_EUSAGE,
                "degree index: expected a slope of at least 1 in line %" PRIu32 ", found 0", i);
    return PDPR_OK;
}

pdpr_status pdpr_i_degree_index(pdpr_context *ctx, const pdpr_graph *g, const pdpr_i_line *line,
                                uint32_t num_lines, uint64_t *index, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t *count = NULL, length = (uint64_t)g->num_nodes + 1; /* degrees 0..N-1 */

    if (g->directed)
        return pdpr_i_fail(err, PDPR_EUSAGE, "degree index: expected an undirected graph");
    PDPR_TRY(check_lines(line, num_lines, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, length, sizeof *count, "degree counts", &count, err));
    for (uint32_t u = 0; u < g->num_nodes; u++)
        count[pdpr_i_degree(g, u)]++;
    for (uint32_t i = 0; i < num_lines; i++)
        index[i] = line_index(count, length, line[i]);
done:
    pdpr_free(count);
    return s;
}
