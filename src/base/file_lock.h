/* Locks on files that have a name.
 *
 * flock(2) belongs to the open file and dies with its process, so a lock that can be had proves
 * that whoever held it is gone. A name may have been given to another file between open and lock,
 * so a lock counts only if the path still leads to the file that was locked. */
#ifndef PDPR_BASE_FILE_LOCK_H
#define PDPR_BASE_FILE_LOCK_H

#include <stdbool.h>

/* Whether the path, itself no symbolic link, still leads to the open file. */
bool pdpr_i_is_at(int descriptor, const char *path);

/* Takes the lock without waiting. False with errno: EWOULDBLOCK (another process has it), ESTALE
 * (the name was given to another file meanwhile, and the lock is worth nothing), or whatever the
 * system says. */
bool pdpr_i_file_lock(int descriptor, const char *path);

#endif
