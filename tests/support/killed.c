/* Killing a child between any two of its system calls, without a table of calls in the code. */
#include "support/killed.h"
#include "support/scratch.h"
#include "support/support.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_PTRACE = 99 };

bool test_killed_at(bool (*work)(void *user), bool (*armed)(void *user), void *user, uint64_t nth)
{
    int status;
    uint64_t stops = 0;
    bool counting = false;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(NO_PTRACE);
        raise(SIGSTOP);
        _exit(work(user) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_PTRACE) {
        print_message("no ptrace here: not run\n");
        skip();
    }
    for (;;) {
        assert_int_equal(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        if (WIFEXITED(status)) {
            assert_int_equal(WEXITSTATUS(status), 0);
            return false;
        }
        assert_true(WIFSTOPPED(status));
        counting = counting || armed(user);
        if (counting && ++stops == nth) {
            assert_int_equal(kill(child, SIGKILL), 0);
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_true(WIFSIGNALED(status));
            return true;
        }
    }
}

uint64_t test_file_lines(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return 0;
    size_t length;
    uint64_t lines = 0;
    char *text = test_file_read(path, &length);
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    free(text);
    return lines;
}
