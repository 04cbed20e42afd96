/* Folders, files and a failing jansson, for tests. */
#include "support/scratch.h"
#include "support/support.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void test_scratch_make(char folder[SCRATCH_PATH])
{
    const char *base = getenv("TMPDIR");
    if (!base) /* in memory where that is to be had: these tests flush thousands of times */
        base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder, SCRATCH_PATH, "%s/privdpr-test-XXXXXX", base);
    assert_non_null(mkdtemp(folder));
}

void test_scratch_path(const char *folder, const char *name, char path[SCRATCH_PATH])
{
    int length = snprintf(path, SCRATCH_PATH, "%s/%s", folder, name);
    assert_true(length > 0 && length < SCRATCH_PATH);
}

static size_t visit(const char *folder, bool remove_them)
{
    DIR *dir = opendir(folder);
    size_t count = 0;
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char path[SCRATCH_PATH];
        test_scratch_path(folder, entry->d_name, path);
        if (remove_them)
            assert_int_equal(remove(path), 0);
        count++;
    }
    closedir(dir);
    return count;
}

size_t test_scratch_count(const char *folder)
{
    return visit(folder, false);
}

void test_scratch_remove(const char *folder)
{
    visit(folder, true);
    assert_int_equal(rmdir(folder), 0);
}

char *test_file_read(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, f), size);
    text[size] = '\0';
    fclose(f);
    if (length)
        *length = size;
    return text;
}

void test_assert_same_file(const char *a, const char *b)
{
    size_t length_a, length_b;
    char *one = test_file_read(a, &length_a), *two = test_file_read(b, &length_b);
    assert_int_equal(length_a, length_b);
    assert_memory_equal(one, two, length_a);
    free(one);
    free(two);
}

void test_file_write(const char *path, const void *bytes, size_t length)
{
    int f = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(f >= 0);
    assert_int_equal(write(f, bytes, length), length);
    close(f);
}

static uint64_t jansson_calls, jansson_fail_at;

static void *jansson_malloc(size_t size)
{
    return ++jansson_calls == jansson_fail_at ? NULL : malloc(size);
}

uint64_t test_fail_jansson(uint64_t nth)
{
    uint64_t calls = jansson_calls;
    json_set_alloc_funcs(jansson_malloc, free);
    jansson_calls = 0;
    jansson_fail_at = nth;
    return calls;
}
