/* privdpr verify CERTIFICATE [OUT...]: recomputes what a certificate claims. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

static const cli_option options[] = {
    {"html", 0, CLI_TEXT, "FILE",
     "also write the certificate's own page: public, in plain words, made from the certificate "
     "alone"},
    CLI_FORCE_OPTION,
    {NULL, 0, CLI_FLAG, NULL, NULL},
};

/* Of a second file only what concerns it: the claim is the same. */
static void print_checks(const pdpr_verification *v, bool quiet, bool is_first)
{
    static const char *const words[] = {
        [PDPR_CHECK_PASS] = "ok", [PDPR_CHECK_FAIL] = "FAILED", [PDPR_CHECK_SKIPPED] = "skipped"};
    uint64_t failed = 0;
    for (uint64_t i = 0; i < v->num_checks; i++) {
        const pdpr_check *c = &v->checks[i];
        failed += c->result == PDPR_CHECK_FAIL;
        bool told = is_first || strcmp(c->name, "output") == 0;
        if (told && (!quiet || c->result == PDPR_CHECK_FAIL))
            printf("%-8s %-11s %s\n", words[c->result], c->name, c->text);
    }
    if (v->passed && is_first)
        printf("the certificate's claim follows from its numbers\n");
    else if (!v->passed)
        printf("not verified: %" PRIu64 " of %" PRIu64 " checks failed\n", failed, v->num_checks);
}

/* The certificate with one of the files, or with none. *is_first: nothing is told yet. */
static int verify(const cli_args *args, pdpr_context *ctx, const char *output, const char *html,
                  bool *is_first)
{
    pdpr_error err = {0};
    pdpr_verification *v = NULL;
    char *json = NULL;
    int code;

    if (pdpr_certificate_verify(ctx, args->operand[0], output, &v, &err) != PDPR_OK ||
        (html && pdpr_report_certificate_html(ctx, args->operand[0], output, html, NULL, &err) !=
                     PDPR_OK) ||
        (cli_flag(args, "json") && pdpr_report_verification_json(ctx, v, &json, &err) != PDPR_OK)) {
        code = cli_failed(&err);
        goto done;
    }
    cli_progress_end();
    if (json)
        fputs(json, stdout);
    else
        print_checks(v, cli_flag(args, "quiet"), *is_first);
    *is_first = false;
    code = v->passed ? CLI_OK : CLI_FAILED;
done:
    pdpr_free(json);
    pdpr_verification_free(v);
    return code;
}

static int run(const cli_args *args)
{
    pdpr_error err = {0};
    pdpr_context *ctx = NULL;
    const char *html = cli_text(args, "html", NULL);
    bool is_first = true; /* of those that could be read */
    int code = CLI_OK;

    for (int i = 0; code == CLI_OK && i < args->operands; i++)
        code = cli_check_named(args, i == 0 ? "CERTIFICATE" : "OUT", args->operand[i]);
    if (code != CLI_OK)
        return code;
    for (int i = 0; html && i < args->operands; i++)
        if (strcmp(html, "-") == 0 || cli_same_file(html, args->operand[i]))
            return cli_wrong_use(args->verb, "--html: expected a file of its own, found \"%s\"",
                                 html);
    if ((code = cli_may_write_page(args, html)) != CLI_OK)
        return code;
    if (cli_context_new(args, &ctx, &err) != PDPR_OK)
        return cli_failed(&err);
    for (int i = 1; i < args->operands || i == 1; i++) {
        const char *output = i < args->operands ? args->operand[i] : NULL;
        int found = verify(args, ctx, output, i == 1 ? html : NULL, &is_first);
        if (code == CLI_OK)
            code = found;
    }
    cli_context_free(ctx);
    return code;
}

const cli_verb cli_verb_verify = {
    .name = "verify",
    .summary = "recompute what a certificate claims, and compare the published file",
    .usage = "CERTIFICATE [OUT...] [options]",
    .text =
        "Reads a certificate and computes everything in it that follows from something else in it: grid, "
        "radius, noise, charges, their joint epsilon at delta; by code that shares nothing with the code "
        "that wrote it. With OUT, also compares the file's SHA-256, of several one by one (with --json an "
        "object a file; the page is of the first). Fields that are unknown are refused. "
        "A seeded run fails by design: it promises nothing. Exit code 1 if any check fails. What cannot "
        "be checked from outside is that the run did what the certificate says: that rests on whoever "
        "ran it.",
    .example = "  privdpr verify out.certificate.json out.edges\n"
               "  privdpr verify run.edges.certificate.json run-1.edges run-2.edges\n"
               "  privdpr verify out.certificate.json --html certificate.html\n"
               "  privdpr verify out.certificate.json --json",
    .options = options,
    .least_operands = 1,
    .most_operands = -1,
    .run = run,
};
