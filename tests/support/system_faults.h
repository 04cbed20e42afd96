/* System calls that fail or fall short at a chosen call, under code that has no table of them.
 *
 * A test that uses this file gets its own versions of the C library's open, flock, fstat, lstat,
 * read, write, pread, pwrite, lseek, ftruncate, fchmod, fsync, link, rename, unlink and mlock, for
 * the whole program. Without a fault they do what the originals do. */
#ifndef PDPR_TESTS_SYSTEM_FAULTS_H
#define PDPR_TESTS_SYSTEM_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    SYSTEM_FAULT_ERROR,    /* fails with the error and does nothing */
    SYSTEM_FAULT_SHORT,    /* read and write do one byte; other calls are made */
    SYSTEM_FAULT_END,      /* read finds the end of the file; other calls are made */
    SYSTEM_FAULT_MEANWHILE /* the call is made, after the function given below */
} system_fault;

/* The n-th call from now on meets the fault (0: none does). `call` is a name of the list above;
 * NULL: any of them. */
void system_faults_set(const char *call, system_fault fault, int error, uint64_t nth);

/* What SYSTEM_FAULT_MEANWHILE does: another program's work between two calls of this one. Its own
 * calls meet no fault. */
void system_faults_meanwhile(void (*work)(void *), void *user);

/* No fault any more. True if one was met since it was set. */
bool system_faults_end(void);

#endif
