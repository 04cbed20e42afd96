/* A child process that is killed at a chosen system call. */
#ifndef PDPR_TESTS_KILLED_H
#define PDPR_TESTS_KILLED_H

#include <stdbool.h>
#include <stdint.h>

/* Runs `work` in a child under ptrace, stops it before and after each of its system calls, also
 * those of the C library, and kills it (SIGKILL) at the n-th stop, counted from the first at which
 * `armed` says yes. False if it came to its end before, for which work must return true. Skips the
 * test where ptrace is not allowed. */
bool test_killed_at(bool (*work)(void *user), bool (*armed)(void *user), void *user, uint64_t nth);

/* Lines of a file; 0 if there is none. */
uint64_t test_file_lines(const char *path);

#endif
