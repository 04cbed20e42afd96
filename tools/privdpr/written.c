/* What a verb has written, told to people or as JSON: the files' names, and the numbers of a
 * release that is published as such. All of it is public but the name of a private report. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>

/* ---------------------------------------------------------------- for people */

static void print_real(double value, int digits)
{
    char text[64];
    if (isnan(value))
        snprintf(text, sizeof text, "-");
    else
        snprintf(text, sizeof text, "%.*g", digits, value);
    cli_print_cell(stdout, text, 14);
}

static void print_number(const pdpr_released_number *x)
{
    cli_print_cell(stdout, x->name, -15);
    print_real(x->value, 12);
    print_real(x->scale, 5);
    print_real(x->low, 12);
    print_real(x->high, 12);
    if (x->values > 1)
        printf("   %" PRIu64 " numbers, each within %.10g", x->values, x->half_width);
    else if (isnan(x->scale))
        printf("   a private choice");
    printf("\n");
}

static void print_lines(const pdpr_publication *p, const char *private_report)
{
    const char *const others[] = {p->release_path, p->embedding_path, p->certificate_path};
    for (uint32_t i = 0; i < p->num_graphs; i++)
        printf("%s\n", p->graph_path[i]);
    for (int i = 0; i < 3; i++)
        if (others[i])
            printf("%s\n", others[i]);
    if (private_report)
        printf(
            "PRIVATE, made from the original, not covered by the guarantee, do not hand on: %s\n",
            private_report);
}

/* ---------------------------------------------------------------- for programs */

/* Bytes of the UTF-8 character that begins here; 0 for none, as in a file name of another encoding.
 */
static int utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    int length = c[0] < 0x80 ? 1 : c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    if ((c[0] >= 0x80 && c[0] < 0xc2) || c[0] > 0xf4)
        return 0;
    for (int i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90),
         surrogate = c[0] == 0xed && c[1] >= 0xa0, beyond = c[0] == 0xf4 && c[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

static void print_json_text(const char *text)
{
    if (!text) {
        printf("null");
        return;
    }
    putchar('"');
    for (int length; *text; text += length > 0 ? length : 1) {
        length = utf8_length(text);
        if (length == 0)
            printf("\\ufffd");
        else if ((unsigned char)*text < 0x20)
            printf("\\u%04x", (unsigned)*text);
        else if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else
            printf("%.*s", length, text);
    }
    putchar('"');
}

static void print_json_real(const char *key, double value)
{
    if (isfinite(value))
        printf(", \"%s\": %.17g", key, value);
    else
        printf(", \"%s\": null", key);
}

static void print_json_number(const pdpr_released_number *x, bool first)
{
    printf("%s{\"name\": \"%s\", \"values\": %" PRIu64, first ? "" : ", ", x->name, x->values);
    print_json_real("value", x->value);
    print_json_real("noise_scale", x->scale);
    print_json_real("half_width", x->half_width);
    print_json_real("low", x->low);
    print_json_real("high", x->high);
    printf("}");
}

static void print_json_files(const pdpr_publication *p, const char *private_report)
{
    const struct {
        const char *key, *path;
    } others[] = {{"release", p->release_path},
                  {"embedding", p->embedding_path},
                  {"certificate", p->certificate_path},
                  {"private_report", private_report}};
    printf("{\"graphs\": [");
    for (uint32_t i = 0; i < p->num_graphs; i++) {
        printf("%s", i ? ", " : "");
        print_json_text(p->graph_path[i]);
    }
    printf("]");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        printf(", \"%s\": ", others[i].key);
        print_json_text(others[i].path);
    }
}

/* ---------------------------------------------------------------- either */

pdpr_status cli_tell_written(const cli_args *args, const pdpr_publication *p,
                             const pdpr_release *release, pdpr_error *err)
{
    const char *report = cli_text(args, "report", NULL);
    bool json = cli_flag(args, "json");
    uint32_t count = release ? pdpr_release_num_numbers(release) : 0;
    pdpr_status s = PDPR_OK;

    cli_progress_end();
    if (!json && cli_flag(args, "quiet"))
        return s;
    if (json)
        print_json_files(p, report);
    else
        print_lines(p, report);
    if (json && count)
        printf(", \"released\": [");
    else if (count)
        printf("\nreleased                value   noise scale      95 %% from            to\n");
    for (uint32_t i = 0; i < count && s == PDPR_OK; i++) {
        pdpr_released_number x;
        s = pdpr_release_number(release, i, &x, err);
        if (s != PDPR_OK)
            break;
        if (json)
            print_json_number(&x, i == 0);
        else
            print_number(&x);
    }
    if (json)
        printf(count ? "]}\n" : "}\n");
    else if (count)
        printf(
            "The intervals are for what was measured: degrees, edges and triangles up to the caps.\n");
    return s;
}
