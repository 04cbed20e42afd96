/* Locks on files that have a name: see file_lock.h. Cost: three system calls. */
#include "base/file_lock.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/stat.h>

bool pdpr_i_is_at(int descriptor, const char *path)
{
    struct stat opened, named;
    return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 &&
           ((opened.st_dev ^ named.st_dev) | (opened.st_ino ^ named.st_ino)) == 0;
}

bool pdpr_i_file_lock(int descriptor, const char *path)
{
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
        return false;
    if (pdpr_i_is_at(descriptor, path))
        return true;
    errno = ESTALE;
    return false;
}
