/* Help and man page, both from the tables of verbs and options. */
#include "cli.h"

#include <string.h>

enum { WIDTH = 88 };

static const char about[] =
    "PrivDPR publishes a graph without publishing anyone in it: it reads a sensitive network once, spends a stated "
    "privacy budget, and writes a synthetic graph on the same nodes under node-level differential privacy.";

static const char exit_codes[] =
    "Exit codes: 0 done, 1 failed, 2 wrong use, 3 bad input, 4 budget refused, "
    "75 interrupted.";

/* Breaks a paragraph at spaces; every line starts at column `indent`, the first at column `at`
 * already. */
static void print_wrapped(FILE *out, const char *text, int indent, int at)
{
    while (*text) {
        size_t word = strcspn(text, " \n");
        if (at > indent && at + 1 + (int)word > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            fputc(' ', out);
            at++;
        }
        fwrite(text, 1, word, out);
        at += (int)word;
        text += word;
        if (*text == '\n') {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        }
        if (*text)
            text++;
    }
    fputc('\n', out);
}

static void print_options(FILE *out, const cli_option *options)
{
    enum { COLUMN = 26 };
    for (const cli_option *o = options; o->name; o++) {
        char left[64];
        int n = snprintf(left, sizeof left, "  %c%c%s--%s%s%s", o->letter ? '-' : ' ',
                         o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name,
                         o->argument ? " " : "", o->argument ? o->argument : "");
        fputs(left, out);
        if (n >= COLUMN - 1) {
            fputc('\n', out);
            n = 0;
        }
        fprintf(out, "%*s", COLUMN - n, "");
        print_wrapped(out, o->help, COLUMN, COLUMN);
    }
}

void cli_print_help(FILE *out, const cli_verb *verb)
{
    fprintf(out, "privdpr %s - %s\n\nUsage: privdpr %s %s\n\n", verb->name, verb->summary,
            verb->name, verb->usage);
    print_wrapped(out, verb->text, 0, 0);
    if (verb->options[0].name) {
        fprintf(out, "\nOptions:\n");
        print_options(out, verb->options);
    }
    fprintf(out, "\nCommon options:\n");
    print_options(out, cli_common_options);
    fprintf(out, "\nExample:\n%s\n", verb->example);
    fprintf(out, "\n%s\n", exit_codes);
}

void cli_print_overview(FILE *out)
{
    print_wrapped(out, about, 0, 0);
    fprintf(out, "\nUsage: privdpr VERB ...\n\n");
    for (const cli_verb *const *v = cli_verbs; *v; v++)
        fprintf(out, "  %-10s %s\n", (*v)->name, (*v)->summary);
    fprintf(out, "\nprivdpr VERB --help tells more. %s\n", exit_codes);
}

/* ---------------------------------------------------------------- man page */

/* roff reads a backslash as an escape, a leading dot or apostrophe as a request, and - as a hyphen.
 */
static void print_roff(FILE *out, const char *text)
{
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
        line_start = *text == '\n';
    }
}

static void print_roff_options(FILE *out, const cli_option *options)
{
    for (const cli_option *o = options; o->name; o++) {
        fprintf(out, ".TP\n");
        if (o->letter)
            fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
        fprintf(out, "\\fB\\-\\-");
        print_roff(out, o->name);
        fprintf(out, "\\fR");
        if (o->argument)
            fprintf(out, " \\fI%s\\fR", o->argument);
        fputc('\n', out);
        print_roff(out, o->help);
        fputc('\n', out);
    }
}

void cli_print_man_page(FILE *out)
{
    fprintf(out, ".TH PRIVDPR 1 \"\" \"PrivDPR %d.%d.%d\" \"User Commands\"\n", PDPR_VERSION_MAJOR,
            PDPR_VERSION_MINOR, PDPR_VERSION_PATCH);
    fprintf(out, ".SH NAME\nprivdpr \\- publish a graph without publishing anyone in it\n");
    fprintf(out, ".SH SYNOPSIS\n.B privdpr\n.I VERB\n[options]\n.SH DESCRIPTION\n");
    print_roff(out, about);
    fprintf(out, "\n");
    for (const cli_verb *const *v = cli_verbs; *v; v++) {
        fprintf(out, ".SH \"PRIVDPR ");
        for (const char *c = (*v)->name; *c; c++)
            fputc(*c >= 'a' && *c <= 'z' ? *c - 32 : *c, out);
        fprintf(out, "\"\n.B privdpr %s\n", (*v)->name);
        print_roff(out, (*v)->usage);
        fprintf(out, "\n.PP\n");
        print_roff(out, (*v)->text);
        fprintf(out, "\n");
        print_roff_options(out, (*v)->options);
        fprintf(out, ".PP\n.nf\n");
        print_roff(out, (*v)->example);
        fprintf(out, "\n.fi\n");
    }
    fprintf(out, ".SH COMMON OPTIONS\n");
    print_roff_options(out, cli_common_options);
    fprintf(out, ".SH EXIT STATUS\n");
    print_roff(out, exit_codes);
    fprintf(out, "\n");
}
