/* Helper threads that wait for parallel loops (parallel.c) and end with their context. */
#ifndef PDPR_BASE_TEAM_H
#define PDPR_BASE_TEAM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pdpr_i_team pdpr_i_team;

/* What a helper does in a round; its number is 1 to `helpers`. */
typedef void (*pdpr_i_team_work)(void *arg, uint32_t number);

/* A team of up to `most` helpers, of which none is started yet. NULL: no memory, or no lock. */
pdpr_i_team *pdpr_i_team_new(uint32_t most);
/* Ends the helpers; no round may be under way. NULL is fine. */
void pdpr_i_team_free(pdpr_i_team *team);

/* Whether this is a child of the process that started the helpers, in which they do not exist. */
bool pdpr_i_team_is_elsewhere(const pdpr_i_team *team);

/* Begins a round in which helpers 1 to `helpers` work, fewer if the system gives no more threads.
 * False, and nothing happens: the team is NULL, elsewhere, or busy (a loop within a loop, two
 * threads of the host). */
bool pdpr_i_team_begin(pdpr_i_team *team, uint32_t helpers, pdpr_i_team_work work, void *arg);
/* When nothing is left to do: returns when the helpers that took part are done, and lets the next
 * round begin. */
void pdpr_i_team_end(pdpr_i_team *team);

#endif
