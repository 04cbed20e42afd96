/* The real system calls of the ledger: each function is the call of its name and adds nothing. */
#include "dp/ledger_system.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static int real_open(void *user, const char *path, int flags)
{
    (void)user;
    return open(path, flags);
}

static int real_make_temporary(void *user, char *path_template)
{
    (void)user;
    return mkstemp(path_template);
}

static int real_lock(void *user, int descriptor, int operation)
{
    (void)user;
    return flock(descriptor, operation);
}

static int real_status(void *user, int descriptor, struct stat *out)
{
    (void)user;
    return fstat(descriptor, out);
}

static int real_path_status(void *user, const char *path, struct stat *out)
{
    (void)user;
    return stat(path, out);
}

static ssize_t real_read(void *user, int descriptor, void *bytes, size_t length)
{
    (void)user;
    return read(descriptor, bytes, length);
}

static ssize_t real_write(void *user, int descriptor, const void *bytes, size_t length)
{
    (void)user;
    return write(descriptor, bytes, length);
}

static int real_cut(void *user, int descriptor, off_t length)
{
    (void)user;
    return ftruncate(descriptor, length);
}

static int real_sync(void *user, int descriptor)
{
    (void)user;
    return fsync(descriptor);
}

static int real_link(void *user, const char *from, const char *to)
{
    (void)user;
    return link(from, to);
}

static int real_remove(void *user, const char *path)
{
    (void)user;
    return unlink(path);
}

static int real_close(void *user, int descriptor)
{
    (void)user;
    return close(descriptor);
}

static void real_pause(void *user)
{
    (void)user;
    const struct timespec twentieth = {.tv_nsec = 50000000};
    nanosleep(&twentieth, NULL); /* cut short by a signal: one more try, nothing lost */
}

const pdpr_i_ledger_system pdpr_i_ledger_system_real = {
    .open = real_open,
    .make_temporary = real_make_temporary,
    .lock = real_lock,
    .status = real_status,
    .path_status = real_path_status,
    .read = real_read,
    .write = real_write,
    .cut = real_cut,
    .sync = real_sync,
    .link = real_link,
    .remove = real_remove,
    .close = real_close,
    .pause = real_pause,
};
