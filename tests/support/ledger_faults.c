/* Faulty system calls for the ledger: the real ones, with one fault at one call. */
#include "support/ledger_faults.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Counts a call. True if the fault says that it fails without being made. */
static int strikes(ledger_faults *f, int name)
{
    if (f->calls < sizeof f->trace - 1)
        f->trace[f->calls] = (char)name;
    f->calls++;
    if (f->calls != f->at)
        return 0;
    f->at_call = name;
    switch (f->kind) {
    case FAULT_ERROR:
        errno = f->error;
        return 1;
    case FAULT_INTERRUPT:
        errno = EINTR;
        return 1;
    case FAULT_DIE:
        _exit(FAULT_EXIT_CODE);
    case FAULT_NONE:
    case FAULT_LATE:
    case FAULT_SHORT:
    case FAULT_FULL:
    case FAULT_DIE_WITHIN:
        break;
    }
    return 0;
}

/* After a call that was made: its result, unless the fault says otherwise. */
static int outcome(ledger_faults *f, int result)
{
    if (f->calls == f->at && f->kind == FAULT_DIE_WITHIN)
        _exit(FAULT_EXIT_CODE);
    if (f->calls == f->at && f->kind == FAULT_LATE) {
        errno = f->error;
        return -1;
    }
    return result;
}

static int faulty_open(void *user, const char *path, int flags)
{
    ledger_faults *f = user;
    if (strikes(f, 'o'))
        return -1;
    int result = pdpr_i_ledger_system_real.open(NULL, path, flags);
    /* reporting an opened file as not opened would leak it */
    return f->kind == FAULT_LATE ? result : outcome(f, result);
}

static int faulty_make_temporary(void *user, char *path_template)
{
    ledger_faults *f = user;
    if (strikes(f, 't'))
        return -1;
    int result = pdpr_i_ledger_system_real.make_temporary(NULL, path_template);
    return f->kind == FAULT_LATE ? result : outcome(f, result);
}

static int faulty_lock(void *user, int descriptor, int operation)
{
    ledger_faults *f = user;
    return strikes(f, 'l')
               ? -1
               : outcome(f, pdpr_i_ledger_system_real.lock(NULL, descriptor, operation));
}

static int faulty_status(void *user, int descriptor, struct stat *out)
{
    ledger_faults *f = user;
    return strikes(f, 's') ? -1
                           : outcome(f, pdpr_i_ledger_system_real.status(NULL, descriptor, out));
}

static int faulty_path_status(void *user, const char *path, struct stat *out)
{
    ledger_faults *f = user;
    return strikes(f, 'p') ? -1
                           : outcome(f, pdpr_i_ledger_system_real.path_status(NULL, path, out));
}

static ssize_t faulty_read(void *user, int descriptor, void *bytes, size_t length)
{
    ledger_faults *f = user;
    if (strikes(f, 'r'))
        return -1;
    if (f->calls == f->at && f->kind == FAULT_SHORT)
        length = 1;
    ssize_t n = pdpr_i_ledger_system_real.read(NULL, descriptor, bytes, length);
    return outcome(f, 0) < 0 ? -1 : n;
}

static ssize_t faulty_write(void *user, int descriptor, const void *bytes, size_t length)
{
    ledger_faults *f = user;
    if (f->kind == FAULT_FULL && f->at_call && f->calls >= f->at) {
        errno = ENOSPC;
        return -1;
    }
    if (strikes(f, 'w'))
        return -1;
    if (f->calls == f->at && f->kind == FAULT_SHORT)
        length = 1;
    if (f->calls == f->at && (f->kind == FAULT_FULL || f->kind == FAULT_DIE_WITHIN))
        length /= 2;
    ssize_t n = pdpr_i_ledger_system_real.write(NULL, descriptor, bytes, length);
    return outcome(f, 0) < 0 ? -1 : n;
}

static int faulty_cut(void *user, int descriptor, off_t length)
{
    ledger_faults *f = user;
    return strikes(f, 'c') ? -1
                           : outcome(f, pdpr_i_ledger_system_real.cut(NULL, descriptor, length));
}

static int faulty_sync(void *user, int descriptor)
{
    ledger_faults *f = user;
    return strikes(f, 'f') ? -1 : outcome(f, pdpr_i_ledger_system_real.sync(NULL, descriptor));
}

static int faulty_link(void *user, const char *from, const char *to)
{
    ledger_faults *f = user;
    return strikes(f, 'k') ? -1 : outcome(f, pdpr_i_ledger_system_real.link(NULL, from, to));
}

static int faulty_remove(void *user, const char *path)
{
    ledger_faults *f = user;
    return strikes(f, 'u') ? -1 : outcome(f, pdpr_i_ledger_system_real.remove(NULL, path));
}

/* The file is closed in any case: a close that fails has closed it too. */
static int faulty_close(void *user, int descriptor)
{
    ledger_faults *f = user;
    int failed = strikes(f, 'x'), why = errno;
    int result = pdpr_i_ledger_system_real.close(NULL, descriptor);
    errno = why;
    return failed ? -1 : outcome(f, result);
}

static void faulty_pause(void *user)
{
    ledger_faults *f = user;
    f->pauses++; /* and no time passes */
}

void ledger_faults_init(ledger_faults *faults)
{
    memset(faults, 0, sizeof *faults);
    faults->system = (pdpr_i_ledger_system){
        .user = faults,
        .open = faulty_open,
        .make_temporary = faulty_make_temporary,
        .lock = faulty_lock,
        .status = faulty_status,
        .path_status = faulty_path_status,
        .read = faulty_read,
        .write = faulty_write,
        .cut = faulty_cut,
        .sync = faulty_sync,
        .link = faulty_link,
        .remove = faulty_remove,
        .close = faulty_close,
        .pause = faulty_pause,
    };
}

void ledger_faults_set(ledger_faults *faults, fault_kind kind, int error, uint64_t nth)
{
    faults->kind = kind;
    faults->error = error;
    faults->calls = 0;
    faults->at = nth;
    faults->at_call = 0;
    memset(faults->trace, 0, sizeof faults->trace);
}
