/* What a misspelt word was meant to be: the candidate with the fewest edits (optimal string
 * alignment: insert, delete, replace, swap neighbours), if they are two at most, one in a short
 * word. Cost: O(length^2) per candidate. */
#include "cli.h"

#include <string.h>

/* Edits between two short words. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { MOST = 24 };
    size_t d[MOST + 1][MOST + 1], la = strlen(a), lb = strlen(b);
    if (la > MOST || lb > MOST)
        return MOST;
    for (size_t i = 0; i <= la; i++)
        for (size_t j = 0; j <= lb; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            size_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[la][lb];
}

void cli_nearest_try(cli_nearest *nearest, const char *candidate)
{
    size_t edits = edit_distance(nearest->word, candidate);
    size_t most = strlen(nearest->word) > 4 ? 2 : 1;
    if (edits <= most && (!nearest->found || edits < nearest->edits)) {
        nearest->found = candidate;
        nearest->edits = edits;
    }
}
