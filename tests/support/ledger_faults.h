/* System calls of the ledger that fail, fall short or kill the process at a chosen call. */
#ifndef PDPR_TESTS_LEDGER_FAULTS_H
#define PDPR_TESTS_LEDGER_FAULTS_H

#include <stdint.h>

#include "dp/ledger_system.h"

typedef enum {
    FAULT_NONE,
    FAULT_ERROR,     /* the call fails with `error` and does nothing */
    FAULT_LATE,      /* the call is made, then reported as failed with `error` (sync, close) */
    FAULT_INTERRUPT, /* fails with EINTR, once */
    FAULT_SHORT,     /* read and write do one byte only; other calls are made */
    FAULT_FULL,      /* write does half of it, and every later write fails with ENOSPC */
    FAULT_DIE,       /* the process ends before the call, as by kill -9 */
    FAULT_DIE_WITHIN /* write does half of it first; another call is made, then the process ends */
} fault_kind;

enum { FAULT_EXIT_CODE = 99 }; /* of a process that died here */

typedef struct {
    pdpr_i_ledger_system system; /* hand &faults.system to pdpr_i_ledger_open_with */
    fault_kind kind;
    int error;
    uint64_t calls, at; /* calls made so far; the fault happens at call number `at`, from 1 */
    uint64_t pauses;
    int at_call;     /* the call that met the fault, by its letter; 0: none yet */
    char trace[128]; /* all calls so far: open, make_temporary (t), lock, status, path_status,
                        read, write, cut, sync (f), link (k), remove (u), close (x) */
} ledger_faults;

/* Ready for use, without a fault; `faults` must not move afterwards. */
void ledger_faults_init(ledger_faults *faults);
/* The n-th call from now on meets the fault. */
void ledger_faults_set(ledger_faults *faults, fault_kind kind, int error, uint64_t nth);

#endif
