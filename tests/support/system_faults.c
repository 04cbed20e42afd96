/* Our own versions of some system calls.
 *
 * They bear the names that the C library gives them with 64-bit offsets, by labels, so that no
 * header has to be fought; a name in the program goes before one in a library. Each is made by a
 * relative that is not replaced (openat for open) or by its number. */
#include "support/system_faults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static struct {
    const char *call;
    system_fault fault;
    int error;
    uint64_t at;
} plan;
static atomic_uint_fast64_t calls;
static void (*meanwhile)(void *);
static void *meanwhile_user;

void system_faults_set(const char *call, system_fault fault, int error, uint64_t nth)
{
    plan.call = call;
    plan.fault = fault;
    plan.error = error;
    plan.at = nth;
    atomic_store(&calls, 0);
}

void system_faults_meanwhile(void (*work)(void *), void *user)
{
    meanwhile = work;
    meanwhile_user = user;
}

bool system_faults_end(void)
{
    bool met = plan.at > 0 && atomic_load(&calls) >= plan.at;
    plan.at = 0;
    return met;
}

/* Whether this call is the one. */
static bool is_met(const char *call)
{
    if (plan.at == 0 || (plan.call && strcmp(plan.call, call) != 0))
        return false;
    if (atomic_fetch_add(&calls, 1) + 1 != plan.at)
        return false;
    if (plan.fault == SYSTEM_FAULT_MEANWHILE)
        meanwhile(meanwhile_user); /* its calls have later numbers */
    return true;
}

/* Whether this call fails; sets errno. */
static bool fails(const char *call)
{
    if (!is_met(call) || plan.fault != SYSTEM_FAULT_ERROR)
        return false;
    errno = plan.error;
    return true;
}

int fault_open(const char *path, int flags, ...) __asm__("open64");
int fault_open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    return fails("open") ? -1 : openat(AT_FDCWD, path, flags, mode);
}

int fault_flock(int descriptor, int operation) __asm__("flock");
int fault_flock(int descriptor, int operation)
{
    return fails("flock") ? -1 : (int)syscall(SYS_flock, descriptor, operation);
}

int fault_fstat(int descriptor, struct stat *out) __asm__("fstat64");
int fault_fstat(int descriptor, struct stat *out)
{
    return fails("fstat") ? -1 : fstatat(descriptor, "", out, 0x1000); /* AT_EMPTY_PATH */
}

int fault_lstat(const char *path, struct stat *out) __asm__("lstat64");
int fault_lstat(const char *path, struct stat *out)
{
    return fails("lstat") ? -1 : fstatat(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}

/* How many bytes a read or write shall do, or -1: none, it fails. */
static ssize_t allowed(const char *call, size_t length)
{
    if (!is_met(call))
        return (ssize_t)length;
    errno = plan.error;
    switch (plan.fault) {
    case SYSTEM_FAULT_ERROR:
        return -1;
    case SYSTEM_FAULT_SHORT:
        return length > 0;
    case SYSTEM_FAULT_END:
        return call[0] == 'r' ? 0 : (ssize_t)length;
    case SYSTEM_FAULT_MEANWHILE:
        return (ssize_t)length;
    }
    return -1;
}

ssize_t fault_read(int descriptor, void *bytes, size_t length) __asm__("read");
ssize_t fault_read(int descriptor, void *bytes, size_t length)
{
    ssize_t most = allowed("read", length);
    const struct iovec piece = {.iov_base = bytes, .iov_len = (size_t)most};
    return most < 0 ? -1 : readv(descriptor, &piece, 1);
}

ssize_t fault_write(int descriptor, const void *bytes, size_t length) __asm__("write");
ssize_t fault_write(int descriptor, const void *bytes, size_t length)
{
    ssize_t most = allowed("write", length);
    const struct iovec piece = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = (size_t)most};
    return most < 0 ? -1 : writev(descriptor, &piece, 1);
}

ssize_t fault_pread(int descriptor, void *bytes, size_t length, off_t at) __asm__("pread64");
ssize_t fault_pread(int descriptor, void *bytes, size_t length, off_t at)
{
    ssize_t most = allowed("pread", length);
    return most < 0 ? -1 : (ssize_t)syscall(SYS_pread64, descriptor, bytes, (size_t)most, at);
}

ssize_t fault_pwrite(int descriptor, const void *bytes, size_t length,
                     off_t at) __asm__("pwrite64");
ssize_t fault_pwrite(int descriptor, const void *bytes, size_t length, off_t at)
{
    ssize_t most = allowed("pwrite", length);
    return most < 0 ? -1 : (ssize_t)syscall(SYS_pwrite64, descriptor, bytes, (size_t)most, at);
}

off_t fault_lseek(int descriptor, off_t offset, int from) __asm__("lseek64");
off_t fault_lseek(int descriptor, off_t offset, int from)
{
    return fails("lseek") ? -1 : (off_t)syscall(SYS_lseek, descriptor, offset, from);
}

int fault_ftruncate(int descriptor, off_t length) __asm__("ftruncate64");
int fault_ftruncate(int descriptor, off_t length)
{
    return fails("ftruncate") ? -1 : (int)syscall(SYS_ftruncate, descriptor, length);
}

int fault_fchmod(int descriptor, mode_t mode) __asm__("fchmod");
int fault_fchmod(int descriptor, mode_t mode)
{
    return fails("fchmod") ? -1 : (int)syscall(SYS_fchmod, descriptor, mode);
}

int fault_fsync(int descriptor) __asm__("fsync");
int fault_fsync(int descriptor)
{
    return fails("fsync") ? -1 : (int)syscall(SYS_fsync, descriptor);
}

int fault_link(const char *from, const char *to) __asm__("link");
int fault_link(const char *from, const char *to)
{
    return fails("link") ? -1 : linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int fault_rename(const char *from, const char *to) __asm__("rename");
int fault_rename(const char *from, const char *to)
{
    return fails("rename") ? -1 : renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int fault_unlink(const char *path) __asm__("unlink");
int fault_unlink(const char *path)
{
    return fails("unlink") ? -1 : unlinkat(AT_FDCWD, path, 0);
}

/* Also for libsodium, which is shared. */
__attribute__((visibility("default"))) int fault_mlock(const void *address,
                                                       size_t length) __asm__("mlock");
int fault_mlock(const void *address, size_t length)
{
    return fails("mlock") ? -1 : (int)syscall(SYS_mlock, address, length);
}
