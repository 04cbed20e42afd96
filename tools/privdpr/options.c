/* Parsing by the option table. getopt_long finds the options; kinds are checked here, once for all
 * verbs, so that a verb reads values that are known to be good. */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const cli_option cli_common_options[] = {
    {"json", 0, CLI_FLAG, NULL, "print results as JSON"},
    {"quiet", 'q', CLI_FLAG, NULL, "no notes, no progress"},
    {"threads", 't', CLI_COUNT, "N",
     "use N threads (default: all cores); results do not depend on it"},
    {"max-memory", 0, CLI_BYTES, "SIZE",
     "stop with a message rather than use more, e.g. 500M or 8G (default: 9/10 of the machine's)"},
    {"cpu", 0, CLI_TEXT, "SET",
     "kernels to use: auto, portable, avx2, avx512; results do not depend on it"},
    {"help", 'h', CLI_FLAG, NULL, "show this help"},
    {NULL, 0, CLI_FLAG, NULL, NULL},
};

enum { MOST_OPTIONS = 64 };

static int count_options(const cli_option *options)
{
    int n = 0;
    while (options[n].name)
        n++;
    return n;
}

/* Row `at` of the verb's options followed by the common ones; NULL past the end. */
static const cli_option *option_at(const cli_verb *verb, int at)
{
    int own = count_options(verb->options);
    const cli_option *row = at < own ? &verb->options[at] : &cli_common_options[at - own];
    return row->name ? row : NULL;
}

static int find_option(const cli_verb *verb, const char *name)
{
    for (int i = 0; option_at(verb, i); i++)
        if (strcmp(option_at(verb, i)->name, name) == 0)
            return i;
    return -1;
}

/* ---------------------------------------------------------------- values */

static bool parse_count(const char *text, uint64_t *out)
{
    char *end;
    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

static bool parse_bytes(const char *text, uint64_t *out)
{
    static const char units[] = "KMGT";
    char digits[24];
    size_t length = strlen(text);
    uint64_t factor = 1;
    if (length == 0 || length >= sizeof digits)
        return false;
    const char *unit = strchr(units, text[length - 1] & ~0x20);
    if (unit && *unit) {
        for (long i = 0; i <= unit - units; i++)
            factor *= 1000;
        length--;
    }
    memcpy(digits, text, length);
    digits[length] = '\0';
    return parse_count(digits, out) && !__builtin_mul_overflow(*out, factor, out);
}

bool cli_read_real(const char *text, char **end, double *out)
{
    size_t length =
        strspn(text, "0123456789+-.eE"); /* strtod takes blanks, 0x10, inf and nan too */
    *out = strtod(text, end);
    return length > 0 && *end == text + length && isfinite(*out);
}

static bool parse_real(const char *text, double *out)
{
    char *end;
    return cli_read_real(text, &end, out) && *end == '\0';
}

static bool value_fits(const cli_option *option, const char *text)
{
    uint64_t count;
    double real;
    switch (option->kind) {
    case CLI_FLAG:
    case CLI_TEXT:
        return true;
    case CLI_COUNT:
        return parse_count(text, &count);
    case CLI_BYTES:
        return parse_bytes(text, &count);
    case CLI_REAL:
        return parse_real(text, &real);
    }
    return false;
}

static const char *kind_name(cli_kind kind)
{
    switch (kind) {
    case CLI_COUNT:
        return "a whole number";
    case CLI_BYTES:
        return "a size such as 500M or 8G";
    case CLI_REAL:
        return "a decimal number";
    case CLI_FLAG:
    case CLI_TEXT:
        break;
    }
    return "a text";
}

static const char *value_of(const cli_args *args, const char *option)
{
    int at = find_option(args->verb, option);
    return at < 0 ? NULL : args->value[at];
}

bool cli_flag(const cli_args *args, const char *option)
{
    return value_of(args, option) != NULL;
}

const char *cli_text(const cli_args *args, const char *option, const char *otherwise)
{
    const char *text = value_of(args, option);
    return text ? text : otherwise;
}

uint64_t cli_count(const cli_args *args, const char *option, uint64_t otherwise)
{
    const char *text = value_of(args, option);
    uint64_t value = otherwise;
    if (text && !parse_count(text, &value))
        parse_bytes(text, &value);
    return value;
}

double cli_real(const cli_args *args, const char *option, double otherwise)
{
    const char *text = value_of(args, option);
    double value = otherwise;
    if (text)
        parse_real(text, &value);
    return value;
}

/* ---------------------------------------------------------------- messages */

int cli_wrong_use(const cli_verb *verb, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "privdpr %s: ", verb->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, " (privdpr %s --help tells more)\n", verb->name);
    return CLI_USAGE;
}

int cli_failed(const pdpr_error *err)
{
    cli_progress_end();
    fprintf(stderr, "privdpr: %s\n", err->text);
    switch (err->status) {
    case PDPR_OK:
        return CLI_OK;
    case PDPR_EUSAGE:
        return CLI_USAGE;
    case PDPR_EINPUT:
        return CLI_INPUT;
    case PDPR_EBUDGET:
        return CLI_BUDGET;
    case PDPR_ECANCELLED:
        return CLI_INTERRUPTED;
    case PDPR_EFAILED:
    case PDPR_ENOMEM:
        break;
    }
    return CLI_FAILED;
}

/* ---------------------------------------------------------------- parsing */

/* Writes the table as getopt_long wants it. Long options return 256 + their row, letters
 * themselves. */
static void getopt_tables(const cli_verb *verb, struct option *longs, char *shorts)
{
    *shorts++ = ':'; /* a missing argument is told apart from an unknown option */
    for (int i = 0; i < MOST_OPTIONS && option_at(verb, i); i++) {
        const cli_option *o = option_at(verb, i);
        int has = o->kind == CLI_FLAG ? no_argument : required_argument;
        *longs++ = (struct option){o->name, has, NULL, 256 + i};
        if (o->letter) {
            *shorts++ = o->letter;
            if (has == required_argument)
                *shorts++ = ':';
        }
    }
    *longs = (struct option){0};
    *shorts = '\0';
}

static int row_of_letter(const cli_verb *verb, int letter)
{
    for (int i = 0; option_at(verb, i); i++)
        if (option_at(verb, i)->letter == letter)
            return i;
    return -1;
}

/* Given as "--name" or "--name=value". */
static int unknown_option(const cli_verb *verb, const char *given)
{
    char word[32];
    int length = (int)strcspn(given, "=");
    snprintf(word, sizeof word, "%.*s", length, given);
    cli_nearest nearest = {.word = word + strspn(word, "-")};
    for (int i = 0; option_at(verb, i); i++)
        cli_nearest_try(&nearest, option_at(verb, i)->name);
    if (nearest.found)
        return cli_wrong_use(verb, "there is no option %.*s; did you mean --%s?", length, given,
                             nearest.found);
    return cli_wrong_use(verb, "there is no option %.*s", length, given);
}

int cli_run_verb(const cli_verb *verb, int argc, char **argv)
{
    struct option longs[MOST_OPTIONS + 1];
    char shorts[2 * MOST_OPTIONS + 2];
    const char *value[MOST_OPTIONS] = {NULL};
    int code;

    getopt_tables(verb, longs, shorts);
    opterr = 0;
    optind = 1;
    while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        const char *given = argv[optind - 1];
        if (code == ':')
            return cli_wrong_use(verb, "%s: expected an argument after it", given);
        if (code == '?' && optopt > 0 && optopt < 256)
            return cli_wrong_use(verb, "there is no option -%c", optopt);
        if (code == '?' && optopt >= 256)
            return cli_wrong_use(verb, "%s: expected no argument to it", given);
        if (code == '?')
            return unknown_option(verb, given);
        int row = code >= 256 ? code - 256 : row_of_letter(verb, code);
        const cli_option *o = option_at(verb, row);
        if (value[row] && o->kind != CLI_FLAG)
            return cli_wrong_use(verb, "--%s: expected once, found \"%s\" and \"%s\"", o->name,
                                 value[row], optarg);
        value[row] = optarg ? optarg : "";
        if (!value_fits(o, value[row]))
            return cli_wrong_use(verb, "--%s: expected %s, found \"%s\"", o->name,
                                 kind_name(o->kind), value[row]);
    }

    cli_args args = {verb, (const char *const *)argv + optind, argc - optind, value};
    if (cli_flag(&args, "help")) {
        cli_print_help(stdout, verb);
        return CLI_OK;
    }
    if (args.operands < verb->least_operands)
        return cli_wrong_use(verb, "expected %s, found %d operand%s", verb->usage, args.operands,
                             args.operands == 1 ? "" : "s");
    if (verb->most_operands >= 0 && args.operands > verb->most_operands)
        return cli_wrong_use(verb, "expected %s, found one operand too many: \"%s\"", verb->usage,
                             args.operand[verb->most_operands]);
    return verb->run(&args);
}
