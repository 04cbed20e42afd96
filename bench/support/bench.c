/* Timing and reporting of the benchmarks.
 *
 * Wall time is CLOCK_MONOTONIC; CPU time is CLOCK_PROCESS_CPUTIME_ID, which counts every thread.
 * The minimum is the figure to compare (it is the run that was disturbed least), the median tells
 * how far the machine was shared. Memory is measured in a forked child, from VmHWM after the work
 * minus VmRSS before it. The child first gives back what its parent had freed and kept, and resets
 * the peak: otherwise the work would live in those pages and seem to need nothing. */
#include "support/bench.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double clock_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_now(void)
{
    return clock_seconds(CLOCK_MONOTONIC);
}

double bench_cpu(void)
{
    return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bench_time bench_run(bench_work work, void *arg)
{
    enum { MANY = 9, FEW = 3 };
    double seconds[MANY], start = bench_now();
    work(arg); /* warm-up: page cache, allocator, CPU clock */
    uint32_t repeats = bench_now() - start > 2 ? FEW : MANY;

    double cpu = bench_cpu();
    for (uint32_t i = 0; i < repeats; i++) {
        start = bench_now();
        work(arg);
        seconds[i] = bench_now() - start;
    }
    cpu = bench_cpu() - cpu;
    qsort(seconds, repeats, sizeof *seconds, compare_double);
    return (bench_time){.minimum = seconds[0],
                        .median = seconds[repeats / 2],
                        .cpu = cpu / repeats,
                        .repeats = repeats};
}

/* A figure in kB from /proc/self/status, in bytes; 0 if it is not there. */
static uint64_t status_bytes(const char *key)
{
    char line[256];
    unsigned long long kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    if (!f)
        return 0;
    while (fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0)
            kb = strtoull(line + strlen(key), NULL, 10);
    fclose(f);
    return kb * 1024;
}

/* Back to the pages in use, and the peak to the present. */
static bool forget_peak(void)
{
    malloc_trim(0);
    FILE *f = fopen("/proc/self/clear_refs", "w");
    return f && fputs("5", f) >= 0 && fclose(f) == 0;
}

uint64_t bench_peak_growth(bench_work work, void *arg)
{
    int ends[2];
    uint64_t grown = 0;
    if (pipe(ends) != 0)
        return 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        bool known = forget_peak();
        uint64_t before = status_bytes("VmRSS:");
        work(arg);
        uint64_t peak = status_bytes("VmHWM:");
        grown = known && peak > before ? peak - before : 0;
        ssize_t written = write(ends[1], &grown, sizeof grown);
        _exit(written == (ssize_t)sizeof grown ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &grown, sizeof grown) != (ssize_t)sizeof grown)
        grown = 0;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return grown;
}

/* The CPU's name as the kernel gives it, without characters that JSON would have to escape. */
static const char *machine(char *text, size_t size)
{
    char line[256];
    const char *name = "unknown CPU";
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (colon && colon[1] && strncmp(line, "model name", 10) == 0) {
            colon[strcspn(colon, "\n\"\\")] = '\0';
            name = colon + 2;
            break;
        }
    }
    if (f)
        fclose(f);
    snprintf(text, size, "%s, %ld CPUs", name, sysconf(_SC_NPROCESSORS_ONLN));
    return text;
}

void bench_report(const char *name, const bench_time *t, const char *more, ...)
{
    char cpu[320];
    printf("{\"name\": \"%s\", \"min\": %.6f, \"median\": %.6f, \"cpu\": %.6f, \"repeats\": %u",
           name, t->minimum, t->median, t->cpu, (unsigned)t->repeats);
    if (more) {
        va_list args;
        va_start(args, more);
        printf(", ");
        vprintf(more, args);
        va_end(args);
    }
    printf(", \"machine\": \"%s\", \"commit\": \"%s\"}\n", machine(cpu, sizeof cpu), PDPR_COMMIT);
    fflush(stdout);
}

void bench_verify(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "wrong answer, not timed: %s\n", what);
    exit(EXIT_FAILURE);
}
