/* Runs a fuzz target over every file of its corpus, as an ordinary test: the files are the cases.
 * Under libFuzzer this file is not linked. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        return 0;
    enum { MOST_BYTES = 4 << 20 };
    uint8_t *data = malloc(MOST_BYTES);
    size_t size = data ? fread(data, 1, MOST_BYTES, f) : 0;
    fclose(f);
    printf("[ RUN      ] %s\n", name);
    fflush(stdout); /* the target aborts on a finding: its name must be out by then */
    if (data) {
        uint8_t *exact = malloc(size ? size : 1); /* so that a sanitizer sees reads beyond it */
        if (exact) {
            memcpy(exact, data, size);
            LLVMFuzzerTestOneInput(exact, size);
        }
        free(exact);
    }
    free(data);
    printf("[       OK ] %s\n", name);
    return 1;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    int run = 0;
    if (!folder) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return EXIT_FAILURE;
    }
    for (struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            run += run_file(argv[1], entry->d_name);
    closedir(folder);
    printf("[  PASSED  ] %d test(s).\n", run);
    return run ? EXIT_SUCCESS : EXIT_FAILURE;
}
