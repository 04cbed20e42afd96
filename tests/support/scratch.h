/* A folder of a test's own, and making jansson run out of memory. */
#ifndef PDPR_TESTS_SCRATCH_H
#define PDPR_TESTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCRATCH_PATH = 512 };

/* Makes an empty private folder and returns its path; fails the test if it cannot. */
void test_scratch_make(char folder[SCRATCH_PATH]);
/* Removes the folder and the files in it. */
void test_scratch_remove(const char *folder);
/* folder/name into path. */
void test_scratch_path(const char *folder, const char *name, char path[SCRATCH_PATH]);
/* Number of files in it. */
size_t test_scratch_count(const char *folder);

/* The whole file with a NUL behind it, to be freed; *length may be NULL. */
char *test_file_read(const char *path, size_t *length);
/* Fails the test unless both files hold the same bytes. */
void test_assert_same_file(const char *a, const char *b);
/* Makes the file (mode 0600) hold exactly these bytes. */
void test_file_write(const char *path, const void *bytes, size_t length);

/* The n-th allocation of jansson from now on fails (0: none do); returns how many there were since
 * the last call. jansson's allocator is global, so this is for programs of one thread. */
uint64_t test_fail_jansson(uint64_t nth);

#endif
