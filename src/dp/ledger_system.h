/* The system calls of the ledger, as a table.
 *
 * The ledger touches the world through these and nothing else, so a test can stop, fail or shorten
 * the n-th call for every n (tests/check/check_ledger_crash.c). Each call has the contract of the
 * POSIX (flock: BSD) call of its name: -1 and errno on failure. `user` is handed to all. */
#ifndef PDPR_DP_LEDGER_SYSTEM_H
#define PDPR_DP_LEDGER_SYSTEM_H

#include <sys/stat.h>
#include <sys/types.h>

typedef struct {
    void *user;
    int (*open)(void *user, const char *path, int flags);
    int (*make_temporary)(void *user, char *path_template); /* mkstemp: mode 0600 */
    int (*lock)(void *user, int descriptor, int operation); /* flock */
    int (*status)(void *user, int descriptor, struct stat *out);
    int (*path_status)(void *user, const char *path, struct stat *out);
    ssize_t (*read)(void *user, int descriptor, void *bytes, size_t length);
    ssize_t (*write)(void *user, int descriptor, const void *bytes, size_t length);
    int (*cut)(void *user, int descriptor, off_t length); /* ftruncate */
    int (*sync)(void *user, int descriptor);              /* fsync */
    int (*link)(void *user, const char *from, const char *to);
    int (*remove)(void *user, const char *path); /* unlink */
    int (*close)(void *user, int descriptor);
    void (*pause)(void *user); /* a twentieth of a second, between two tries for the lock */
} pdpr_i_ledger_system;

/* The real calls. */
extern const pdpr_i_ledger_system pdpr_i_ledger_system_real;

#endif
