/* Shared by the benchmarks: timing, memory of a forked child, and one JSON line per case.
 *
 * A benchmark verifies its answer first, then calls bench_run and bench_report for each case. Case
 * names are kernel/graph/threads. */
#ifndef PDPR_BENCH_SUPPORT_BENCH_H
#define PDPR_BENCH_SUPPORT_BENCH_H

#include <stdbool.h>
#include <stdint.h>

/* One run of the kernel, with everything it allocates freed again. */
typedef void (*bench_work)(void *arg);

typedef struct {
    double minimum, median; /* wall seconds of a repeat */
    double cpu;             /* CPU seconds of a repeat, all threads, mean */
    uint32_t repeats;
} bench_time;

/* Seconds on the monotonic clock, and CPU seconds of this process. */
double bench_now(void);
double bench_cpu(void);

/* A warm-up, then nine repeats, or three if one takes more than two seconds. */
bench_time bench_run(bench_work work, void *arg);

/* Bytes by which the peak resident set of a forked child grows while it runs `work` once; 0 if the
 * system does not tell. */
uint64_t bench_peak_growth(bench_work work, void *arg);

/* Prints {"name", "min", "median", "cpu", "repeats", …, "machine", "commit"}. `more` is a printf
 * format for further members, such as "\"ratio\": %.2f", or NULL. */
void bench_report(const char *name, const bench_time *t, const char *more, ...)
    __attribute__((format(printf, 3, 4)));

/* Ends the benchmark with a word on stderr unless `right`: a wrong answer is not timed. */
void bench_verify(bool right, const char *what);

#endif
