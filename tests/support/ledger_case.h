/* A ledger for tests of the ledger: a fresh one each time, runs to enter into it, and its lines to
 * read and to forge. (Tests of methods that only need some ledger have own_ledger.h.) */
#ifndef PDPR_TESTS_LEDGER_CASE_H
#define PDPR_TESTS_LEDGER_CASE_H

#include "support/scratch.h"
#include "support/support.h"
#include "dp/ledger.h"

#include <jansson.h>

typedef struct {
    pdpr_context *ctx;
    char folder[SCRATCH_PATH], path[SCRATCH_PATH];
    pdpr_ledger *ledger;
    char last_notice[PDPR_ERROR_TEXT];
    int notices;
} test_ledger_case;

/* Set-up and tear-down of cmocka. The latter fails if memory is still in use. */
int test_ledger_case_new(void **state);
int test_ledger_case_end(void **state);
#define with_ledger(test) \
    cmocka_unit_test_setup_teardown(test, test_ledger_case_new, test_ledger_case_end)

/* Another handle of the same ledger; it must be there unless it is to be made. */
pdpr_ledger *test_ledger_case_open(test_ledger_case *f, bool create);

/* ---------------------------------------------------------------- runs */

static const char data_a[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
static const char data_b[] = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
static const char hash_c[] = "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc";
static const char no_run[] = "00000000000000000000000000000000";

static const pdpr_i_ledger_charge one[] = {{.label = "count", .num = 1, .den = 1}};
static const pdpr_i_ledger_charge mixed[] = {
    {.label = "degrees", .num = 1, .den = 2},
    {.label = "embedding", .mu = 0.01, .steps = 845},
    {.label = "triangles", .num = 3, .den = 10},
};

pdpr_i_reservation test_reservation(const char *dataset, const pdpr_i_ledger_charge *charges,
                                    uint64_t count);
pdpr_status test_reserve(pdpr_ledger *ledger, const char *dataset,
                         const pdpr_i_ledger_charge *charges, uint64_t count,
                         char run[PDPR_LEDGER_ID_TEXT], pdpr_error *err);
/* Brings a fresh run into a state. */
void test_ledger_make_run(test_ledger_case *f, pdpr_run_state wanted,
                          char run[PDPR_LEDGER_ID_TEXT]);
/* Makes a new ledger one of nine lines with every kind of record. */
void test_ledger_fill(test_ledger_case *f);

pdpr_ledger_summary *test_summarise(pdpr_ledger *ledger);
/* Expects that the ledger at f->path is refused with this text after its path. */
void test_assert_refused(test_ledger_case *f, const char *text);

/* ---------------------------------------------------------------- lines by hand */

typedef struct {
    char *text[64];
    size_t count;
} test_lines;

test_lines test_lines_read(const char *path);
void test_lines_write(const char *path, const test_lines *l);
void test_lines_free(test_lines *l);
/* Gives an object its "hash" under the secret of the ledger's first line, as the ledger would. */
char *test_line_seal(pdpr_context *ctx, json_t *json, const char *first_line);
/* Appends a record that has a right number, chain and hash, whatever else it says. */
void test_ledger_forge(test_ledger_case *f, json_t *json);

#endif
