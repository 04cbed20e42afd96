/* The HTML pages: escaping, numbers, the verdict, pages of odd graphs, certificates good and bad.
 */
#include "support/certificate_example.h"
#include "support/support.h"
#include "support/scratch.h"
#include "report/certificate_facts.h"
#include "report/html.h"
#include "report/svg_plot.h"
#include "report/verdict.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---------------------------------------------------------------- text and numbers */

#define assert_writes(ctx, expected, call)                     \
    do {                                                       \
        pdpr_i_text b = {.ctx = (ctx), .what = "test"};        \
        call;                                                  \
        assert_int_equal(b.status, PDPR_OK);                   \
        assert_string_equal(b.text ? b.text : "", (expected)); \
        pdpr_i_text_drop(&b);                                  \
    } while (0)

static void real_numbers_are_written_with_a_point_in_every_locale(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is installed; else nothing changes */
    assert_writes(ctx, "1.50", pdpr_i_text_fixed(&b, 1.5, 2));
    setlocale(LC_ALL, "C");
    assert_writes(ctx, "-0.05", pdpr_i_text_fixed(&b, -0.05, 2));
    assert_writes(ctx, "0.00", pdpr_i_text_fixed(&b, -0.001, 2)); /* no negative nothing */
    assert_writes(ctx, "12", pdpr_i_text_fixed(&b, 12.4, 0));
    assert_writes(ctx, "2.000000", pdpr_i_text_fixed(&b, 1.9999999, 6));
    assert_writes(ctx, "-", pdpr_i_text_fixed(&b, NAN, 1));
    assert_writes(ctx, "-", pdpr_i_text_fixed(&b, INFINITY, 1));
    assert_writes(ctx, "-", pdpr_i_text_fixed(&b, 1e300, 1));
    pdpr_context_free(ctx);
}

static void long_formats_are_cut_and_failures_stick(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    char longer[3000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    pdpr_i_text b = {.ctx = ctx, .what = "test"};
    pdpr_i_text_format(&b, "%s", longer);
    assert_int_equal(b.used, 1023);
    pdpr_i_text_put(&b, longer);
    assert_int_equal(b.used, 1023 + 2999);
    pdpr_i_fail_allocation(ctx, 1);
    for (int i = 0; i < 4; i++)
        pdpr_i_text_put(&b, longer);
    assert_int_equal(b.status, PDPR_ENOMEM);
    assert_false(pdpr_i_text_add(&b, "x", 1));
    pdpr_i_fail_allocation(ctx, 0);
    pdpr_i_text_drop(&b);
    pdpr_context_free(ctx);
}

static void markup_and_invisible_characters_are_disarmed(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    assert_writes(ctx, "&lt;b onload=&quot;x&#39;&quot;&gt; &amp;amp;",
                  pdpr_i_html_text(&b, "<b onload=\"x'\"> &amp;"));
    assert_writes(ctx, "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8c\x8d",
                  pdpr_i_html_text(&b, "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8c\x8d"));
    assert_writes(ctx, "a?b?c",
                  pdpr_i_html_text(&b, "a\xff"
                                       "b\xc3"
                                       "c"));                        /* stray, cut short */
    assert_writes(ctx, "???", pdpr_i_html_text(&b, "\xc0\xaf\xed")); /* overlong, surrogate */
    assert_writes(ctx, "a?b",
                  pdpr_i_html_text(&b, "a\xe2\x80\xae"
                                       "b")); /* right-to-left override */
    assert_writes(ctx, "a?b?", pdpr_i_html_text(&b, "a\nb\x7f"));
    assert_writes(ctx, "c&lt;.edges", pdpr_i_html_file(&b, "/a/b/c<.edges"));
    assert_writes(ctx, "/a/", pdpr_i_html_file(&b, "/a/"));
    pdpr_context_free(ctx);
}

static void numbers_are_written_for_people(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    assert_writes(ctx, "0", pdpr_i_html_count(&b, 0));
    assert_writes(ctx, "999", pdpr_i_html_count(&b, 999));
    assert_writes(ctx, "18,446,744,073,709,551,615", pdpr_i_html_count(&b, UINT64_MAX));
    assert_writes(ctx, "1,234,567", pdpr_i_html_quantity(&b, 1234567));
    assert_writes(ctx, "12.3&nbsp;million", pdpr_i_html_quantity(&b, 12345678));
    assert_writes(ctx, "4.56&nbsp;billion", pdpr_i_html_quantity(&b, 4.56e9));
    assert_writes(ctx, "789&nbsp;trillion", pdpr_i_html_quantity(&b, 7.89e14));
    assert_writes(ctx, "7.90e20", pdpr_i_html_quantity(&b, 7.9e20));
    assert_writes(ctx, "–", pdpr_i_html_quantity(&b, NAN));
    assert_writes(ctx, "6.8&nbsp;%", pdpr_i_html_percent(&b, 0.0683));
    assert_writes(ctx, "10&nbsp;%", pdpr_i_html_percent(&b, 0.0999));
    assert_writes(ctx, "4,120&nbsp;%", pdpr_i_html_percent(&b, 41.2));
    assert_writes(ctx, "over 10<sup>12</sup>&nbsp;%", pdpr_i_html_percent(&b, 1e30));
    assert_writes(ctx, "–", pdpr_i_html_percent(&b, NAN));
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- the verdict */

static void lights_follow_the_stated_thresholds(void **state)
{
    (void)state;
    assert_int_equal(pdpr_i_judge(0.10, 0.5, 0.5).light, PDPR_I_LIGHT_GOOD);
    assert_int_equal(pdpr_i_judge(0.1001, 0.5, 0.5).light, PDPR_I_LIGHT_ROUGH);
    assert_int_equal(pdpr_i_judge(0.30, 0.5, 0.5).light, PDPR_I_LIGHT_ROUGH);
    assert_int_equal(pdpr_i_judge(0.31, 0.5, 0.5).light, PDPR_I_LIGHT_NOT);
    /* rough is not enough where a random graph is no worse */
    assert_int_equal(pdpr_i_judge(0.2, 0.2, 0.2).light, PDPR_I_LIGHT_NOT);
    assert_int_equal(pdpr_i_judge(0.2, 0.15, 0.15).light, PDPR_I_LIGHT_NOT);
    assert_true(pdpr_i_judge(0.2, 0.15, 0.15).random_as_good);
    /* good stays good, and says so */
    assert_int_equal(pdpr_i_judge(0.05, 0.02, 0.02).light, PDPR_I_LIGHT_GOOD);
    assert_true(pdpr_i_judge(0.05, 0.02, 0.02).random_as_good);
    assert_true(pdpr_i_judge(0, 0.01, 0.01).random_as_good);
    assert_false(pdpr_i_judge(0.05, 0.5, 0.5).random_as_good);
    /* a random graph that is hardly worse is as good */
    assert_true(pdpr_i_judge(0.064, 0.066, 0.066).random_as_good);
    assert_false(pdpr_i_judge(0.05, 0.0601, 0.0601).random_as_good);
    assert_int_equal(pdpr_i_judge(0.2, 0.205, 0.205).light, PDPR_I_LIGHT_NOT);
    assert_int_equal(pdpr_i_judge(0.2, 0.2101, 0.2101).light, PDPR_I_LIGHT_ROUGH);
    /* one random graph of several is enough */
    assert_true(pdpr_i_judge(0.05, 0.5, 0.06).random_as_good);
    assert_int_equal(pdpr_i_judge(0.2, 0.5, 0.1).light, PDPR_I_LIGHT_NOT);
    /* without a random graph, or without a figure */
    assert_int_equal(pdpr_i_judge(0.2, NAN, NAN).light, PDPR_I_LIGHT_ROUGH);
    assert_false(pdpr_i_judge(0.2, NAN, NAN).random_as_good);
    assert_int_equal(pdpr_i_judge(NAN, 0.1, 0.1).light, PDPR_I_LIGHT_UNKNOWN);
}

static void merits_are_what_a_random_graph_does_not_have(void **state)
{
    (void)state;
    pdpr_i_judgement v[PDPR_I_USES];
    for (int use = 0; use < PDPR_I_USES; use++)
        v[use] = pdpr_i_judge(0.9, 0.95, 0.95); /* not for it, though better */
    assert_int_equal(pdpr_i_verdict_merits(v), 0);
    v[0] = pdpr_i_judge(0.05, 0.055, 0.055); /* good, a random graph too */
    assert_int_equal(pdpr_i_verdict_merits(v), 0);
    v[1] = pdpr_i_judge(0.05, 0.4, 0.4);
    v[2] = pdpr_i_judge(0.25, 0.4, 0.4);
    v[3] = pdpr_i_judge(NAN, 0.4, 0.4);
    assert_int_equal(pdpr_i_verdict_merits(v), 2);
}

static void each_use_is_judged_by_its_own_figures(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *original = test_graph_complete(ctx, 12), *star = test_graph_star(ctx, 12);
    const pdpr_graph *synthetic[] = {star};
    pdpr_comparison *c = NULL;
    pdpr_i_judgement v[PDPR_I_USES];
    assert_ok(pdpr_comparison_new(ctx, original, synthetic, 1, NULL, &c, NULL));
    const pdpr_comparison_row *row = pdpr_comparison_rows(c, false, &(uint32_t){0});
    pdpr_i_verdict(c, (pdpr_i_curve_errors){0.05, 1.5}, (pdpr_i_curve_errors){0.4, 0.1}, v);
    assert_true(v[PDPR_I_USE_DEGREES].error == row->figure[PDPR_FIGURE_KS]);
    assert_true(v[PDPR_I_USE_HUBS].error ==
                fmax(row->figure[PDPR_FIGURE_WEDGES], row->figure[PDPR_FIGURE_CLAWS]));
    assert_true(v[PDPR_I_USE_TRIANGLES].error == 1.5); /* the worse: triangles are off by 1 */
    assert_true(v[PDPR_I_USE_MIXING].error == 0.05 && v[PDPR_I_USE_MIXING].null_error == 0.4);
    assert_true(v[PDPR_I_USE_PATHS].error == row->figure[PDPR_FIGURE_CPL]);
    assert_true(v[PDPR_I_USE_DIAMETER].error == 1);
    assert_true(v[PDPR_I_USE_CONNECTED].error == 0);
    assert_true(v[PDPR_I_USE_CONNECTED].random_as_good && !v[PDPR_I_USE_MIXING].random_as_good);
    pdpr_comparison_free(c);
    pdpr_graph_free(star);
    pdpr_graph_free(original);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- plots */

static void points_that_cannot_be_shown_are_left_out(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const double x[] = {1, 2, 3, 4}, y[] = {0.1, NAN, 0, 1}, low[] = {0.05, NAN, 0, 0};
    pdpr_i_text b = {.ctx = ctx, .what = "test"};
    pdpr_i_plot plot = {.b = &b,
                        .x = {.low = 1, .high = 4, .label = "x"},
                        .y = {.low = 0.01, .high = 1, .logarithmic = true, .label = "y"}};
    pdpr_i_plot_line(&plot, "l", x, y, 4);
    assert_string_equal(b.text, "<path class=\"l\" d=\"M58.0 117.0M350.0 12.0\"/>\n");
    pdpr_i_text_drop(&b);
    pdpr_i_plot_area(&plot, "a", x, low, y, 4); /* single points have no area */
    assert_string_equal(b.text, "<path class=\"a\" d=\"\"/>\n");
    pdpr_i_text_drop(&b);
    const double high[] = {0.1, 0.1, 0.1, 0.1};
    pdpr_i_plot_area(&plot, "a", x, low, high, 4); /* what is below the axis is drawn at its edge */
    assert_non_null(strstr(b.text, "L350.0 222.0L"));
    pdpr_i_text_drop(&b);
    pdpr_i_plot_bar(&plot, "b", 1, 2, NAN);
    pdpr_i_plot_dots(&plot, "d", 2, x + 1, y + 1, 2);
    assert_null(b.text);
    pdpr_context_free(ctx);
}

static void axes_have_few_round_ticks(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const double highs[] = {0.003, 0.02, 0.6, 1, 7, 48, 1000, 3.2e6};
    for (size_t i = 0; i < sizeof highs / sizeof *highs; i++) {
        pdpr_i_text b = {.ctx = ctx, .what = "test"};
        pdpr_i_plot plot = {
            .b = &b,
            .x = {.low = 0, .high = highs[i], .label = ""},
            .y = {.low = 0.5, .high = 0.5 + highs[i], .logarithmic = true, .label = ""}};
        pdpr_i_plot_axes(&plot);
        int texts = 0;
        for (const char *at = b.text; (at = strstr(at, "<text")); at++)
            texts++;
        assert_in_range(texts, 4, 2 + 7 + 12);
        assert_null(strstr(b.text, ">-<"));
        pdpr_i_text_drop(&b);
    }
    pdpr_context_free(ctx);
}

static void layout_is_finite_inside_the_square_and_fills_it(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *graphs[] = {test_graph_empty(ctx, 1), test_graph_empty(ctx, 30),
                            test_graph_complete(ctx, 60), test_graph_star(ctx, 80),
                            test_graph_path(ctx, 100)};
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        pdpr_i_core core;
        double x[100], y[100], span = 0;
        assert_ok(pdpr_i_core_init(ctx, graphs[i], 100, &core, NULL));
        assert_ok(pdpr_i_core_layout(ctx, &core, x, y, NULL));
        for (uint32_t u = 0; u < core.nodes; u++) {
            assert_true(x[u] >= -1e-9 && x[u] <= 1 + 1e-9 && y[u] >= -1e-9 && y[u] <= 1 + 1e-9);
            span = fmax(span, fmax(fabs(x[u] - x[0]), fabs(y[u] - y[0])));
        }
        if (core.nodes > 1)
            assert_true(span > 0.4);
        pdpr_i_core_clear(&core);
        pdpr_graph_free(graphs[i]);
    }
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- the private page */

/* Every number of a coordinate attribute or path must be one. */
static void assert_clean(const char *page)
{
    static const char *const attributes[] = {" d=\"",     " x=\"",      " y=\"",
                                             " r=\"",     " cx=\"",     " cy=\"",
                                             " width=\"", " height=\"", " opacity=\""};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        for (const char *at = page; (at = strstr(at, attributes[i]));) {
            at += strlen(attributes[i]);
            for (; *at != '"'; at++) {
                bool minus = *at == '-' && !isdigit((unsigned char)at[1]) && at[1] != '.';
                if (minus || !strchr("0123456789.-+ ,MLHVZmlhvzCcSs%", *at))
                    fail_msg("a coordinate that is none: %.60s", at);
            }
        }
    static const char *const forbidden[] = {
        "<script", "javascript:", "http:", "https:", "url(", "@import",
        "<link",   "<img",        "src=",  "NaN",    ">inf", "(null)"};
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
        if (strstr(page, forbidden[i]))
            fail_msg("found %s", forbidden[i]);
}

typedef struct {
    pdpr_context *ctx;
    char folder[SCRATCH_PATH], path[SCRATCH_PATH];
} desk;

static desk desk_make(uint32_t threads)
{
    desk d;
    d.ctx = test_context(threads);
    test_scratch_make(d.folder);
    test_scratch_path(d.folder, "report.html", d.path);
    return d;
}

static void desk_clear(desk *d)
{
    test_scratch_remove(d->folder);
    pdpr_context_free(d->ctx);
}

static pdpr_status make_page(desk *d, const pdpr_graph *original,
                             const pdpr_graph *const *synthetic, uint32_t count,
                             uint32_t null_graphs, const pdpr_report_options *shown,
                             pdpr_error *err)
{
    pdpr_comparison_options o;
    pdpr_comparison *c = NULL;
    pdpr_comparison_options_default(&o);
    o.null_graphs = null_graphs;
    pdpr_status s = pdpr_comparison_new(d->ctx, original, synthetic, count, &o, &c, err);
    if (s == PDPR_OK)
        s = pdpr_report_comparison_html(d->ctx, original, synthetic, count, c, shown, d->path, err);
    pdpr_comparison_free(c);
    return s;
}

static const char *const some_names[] = {"a", "b", "c", "d", "e", "f"};
static const pdpr_report_options plain = {
    .struct_size = sizeof plain, .original_path = "original", .synthetic_paths = some_names};

/* The page as text, to be freed. */
static char *page_of(desk *d, const pdpr_graph *original, const pdpr_graph *const *synthetic,
                     uint32_t count, uint32_t null_graphs, const pdpr_report_options *shown)
{
    pdpr_error err = {0};
    if (make_page(d, original, synthetic, count, null_graphs, shown, &err) != PDPR_OK)
        fail_msg("%s", err.text);
    return test_file_read(d->path, NULL);
}

static void pages_of_odd_graphs_are_clean(void **state)
{
    (void)state;
    desk d = desk_make(1);
    pdpr_graph *a[] = {
        test_graph_empty(d.ctx, 0),  test_graph_empty(d.ctx, 1),    test_graph_empty(d.ctx, 9),
        test_graph_path(d.ctx, 2),   test_graph_complete(d.ctx, 9), test_graph_star(d.ctx, 9),
        test_graph_path(d.ctx, 400), test_graph_empty(d.ctx, 9),    test_graph_complete(d.ctx, 9)};
    pdpr_graph *b[] = {
        test_graph_empty(d.ctx, 0),   test_graph_empty(d.ctx, 1),    test_graph_empty(d.ctx, 9),
        test_graph_path(d.ctx, 2),    test_graph_star(d.ctx, 9),     test_graph_cycle(d.ctx, 9),
        test_graph_cycle(d.ctx, 400), test_graph_complete(d.ctx, 9), test_graph_empty(d.ctx, 9)};
    for (size_t i = 0; i < sizeof a / sizeof *a; i++) {
        const pdpr_graph *synthetic[] = {b[i], a[i]};
        for (uint32_t count = 1; count <= 2; count++)
            for (uint32_t null_graphs = 0; null_graphs <= 2; null_graphs += 2) {
                char *page = page_of(&d, a[i], synthetic, count, null_graphs, &plain);
                assert_clean(page);
                assert_non_null(strstr(page, "</html>"));
                free(page);
            }
        pdpr_graph_free(a[i]);
        pdpr_graph_free(b[i]);
    }
    desk_clear(&d);
}

static void page_says_private_and_is_closed_to_others(void **state)
{
    (void)state;
    desk d = desk_make(1);
    pdpr_graph *g = test_graph_cycle(d.ctx, 20);
    const pdpr_graph *synthetic[] = {g};
    struct stat info;
    test_file_write(d.path, "old", 3);
    assert_int_equal(chmod(d.path, 0666), 0);
    mode_t mask = umask(0);
    char *page = page_of(&d, g, synthetic, 1, 1, &plain);
    umask(mask);
    assert_int_equal(stat(d.path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(test_scratch_count(d.folder), 1); /* no temporary file left */
    assert_non_null(strstr(page, "<title>PRIVATE"));
    const char *first = strstr(page, "Made from the original graph");
    assert_non_null(first);
    assert_non_null(strstr(first + 1, "Made from the original graph")); /* at both ends */
    assert_non_null(strstr(page, "default-src 'none'"));
    assert_non_null(strstr(page, "no certificate was given"));
    free(page);
    pdpr_graph_free(g);
    desk_clear(&d);
}

static void identical_graphs_are_good_for_everything(void **state)
{
    (void)state;
    desk d = desk_make(1);
    pdpr_graph *g = NULL;
    assert_ok(pdpr_generate_social(d.ctx, 300, 900, 0.6, 2, &g, NULL));
    const pdpr_graph *synthetic[] = {g, g};
    char *page = page_of(&d, g, synthetic, 2, 2, &plain);
    assert_non_null(strstr(page, "<h1>Good for all 7 kinds of analysis</h1>"));
    assert_null(strstr(page, ">Rough</span>"));
    assert_null(strstr(page, ">Not for it</span>"));
    free(page);
    pdpr_graph_free(g);
    desk_clear(&d);
}

static void graph_without_edges_is_good_for_little(void **state)
{
    (void)state;
    desk d = desk_make(1);
    pdpr_graph *g = NULL, *none = test_graph_empty(d.ctx, 300);
    assert_ok(pdpr_generate_social(d.ctx, 300, 900, 0.6, 2, &g, NULL));
    const pdpr_graph *synthetic[] = {none};
    char *page = page_of(&d, g, synthetic, 1, 2, &plain);
    assert_non_null(strstr(page, "<h1>Not good for any kind of analysis</h1>"));
    free(page);
    pdpr_graph_free(g);
    pdpr_graph_free(none);
    desk_clear(&d);
}

static void hostile_names_do_not_become_markup(void **state)
{
    (void)state;
    desk d = desk_make(1);
    pdpr_graph *g = test_graph_cycle(d.ctx, 20);
    const pdpr_graph *synthetic[] = {g};
    const char *names[] = {"x/<script>alert('1')&\"\xff.edges"};
    pdpr_report_options o = plain;
    o.original_path = "</p><img src=x onerror=alert(1)>";
    o.synthetic_paths = names;
    char *page = page_of(&d, g, synthetic, 1, 0, &o);
    assert_non_null(strstr(page, "&lt;script&gt;alert(&#39;1&#39;)&amp;&quot;?.edges"));
    assert_non_null(strstr(page, "p&gt;&lt;img src=x onerror=alert(1)&gt;"));
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "<img"));
    free(page);
    pdpr_graph_free(g);
    desk_clear(&d);
}

static void several_samples_are_drawn_as_bands(void **state)
{
    (void)state;
    desk d = desk_make(1);
    pdpr_graph *g[4] = {NULL};
    for (uint64_t i = 0; i < 4; i++)
        assert_ok(pdpr_generate_social(d.ctx, 300, 800 + 50 * i, 0.6, i, &g[i], NULL));
    char *page = page_of(&d, g[0], (const pdpr_graph *const *)g + 1, 3, 1, &plain);
    assert_non_null(strstr(page, "<path class=\"band-area\" d=\"M"));
    assert_non_null(strstr(page, "mean of 3, band from least to most"));
    assert_non_null(strstr(page, "synthetic: 850 to 950"));
    free(page);
    page = page_of(&d, g[0], (const pdpr_graph *const *)g + 1, 1, 1, &plain);
    assert_null(strstr(page, "class=\"band-area\""));
    free(page);
    for (int i = 0; i < 4; i++)
        pdpr_graph_free(g[i]);
    desk_clear(&d);
}

static void page_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    char *pages[2];
    for (uint32_t k = 0; k < 2; k++) {
        desk d = desk_make(1 + 3 * k);
        pdpr_graph *g[2] = {NULL};
        assert_ok(pdpr_generate_social(d.ctx, 9000, 30000, 0.6, 2, &g[0], NULL));
        assert_ok(pdpr_generate_social(d.ctx, 9000, 30000, 0.2, 3, &g[1], NULL));
        pages[k] = page_of(&d, g[0], (const pdpr_graph *const *)g + 1, 1, 1, &plain);
        pdpr_graph_free(g[0]);
        pdpr_graph_free(g[1]);
        desk_clear(&d);
    }
    assert_string_equal(pages[0], pages[1]);
    free(pages[0]);
    free(pages[1]);
}

static void page_of_other_graphs_than_compared_is_refused(void **state)
{
    (void)state;
    desk d = desk_make(1);
    pdpr_graph *g = test_graph_cycle(d.ctx, 20);
    const pdpr_graph *synthetic[] = {g, g};
    pdpr_comparison *c = NULL;
    pdpr_error err = {0};
    assert_ok(pdpr_comparison_new(d.ctx, g, synthetic, 1, NULL, &c, NULL));
    assert_int_equal(pdpr_report_comparison_html(d.ctx, g, synthetic, 2, c, &plain, d.path, &err),
                     PDPR_EUSAGE);
    assert_string_equal(err.text, "report: expected the 1 synthetic graphs of the comparison, at "
                                  "least 1, found 2");
    assert_int_equal(pdpr_report_comparison_html(d.ctx, g, synthetic, 0, c, &plain, d.path, &err),
                     PDPR_EUSAGE);
    assert_int_equal(test_scratch_count(d.folder), 0);
    pdpr_comparison_free(c);
    pdpr_graph_free(g);
    desk_clear(&d);
}

static void page_that_cannot_be_written_fails_with_its_name(void **state)
{
    (void)state;
    desk d = desk_make(1);
    pdpr_graph *g = test_graph_cycle(d.ctx, 20);
    const pdpr_graph *synthetic[] = {g};
    pdpr_error err = {0};
    test_scratch_path(d.folder, "none/report.html", d.path);
    assert_int_equal(make_page(&d, g, synthetic, 1, 0, &plain, &err), PDPR_EFAILED);
    assert_non_null(strstr(err.text, "none/report.html: cannot create a file"));
    pdpr_graph_free(g);
    desk_clear(&d);
}

/* ---------------------------------------------------------------- certificates */

static const char *golden(const char *name, char path[SCRATCH_PATH])
{
    snprintf(path, SCRATCH_PATH, "%s/tests/golden/certificate/%s", TEST_SOURCE_DIR, name);
    return path;
}

static char *certificate_page(desk *d, const char *certificate, const char *output, bool *passed)
{
    pdpr_error err = {0};
    if (pdpr_report_certificate_html(d->ctx, certificate, output, d->path, passed, &err) != PDPR_OK)
        fail_msg("%s", err.text);
    return test_file_read(d->path, NULL);
}

static void certificate_page_says_what_was_promised(void **state)
{
    (void)state;
    desk d = desk_make(1);
    char path[SCRATCH_PATH], output[SCRATCH_PATH];
    bool passed = false;
    char *page =
        certificate_page(&d, golden("both.json", path), golden("out.edges", output), &passed);
    assert_true(passed);
    assert_clean(page);
    assert_non_null(strstr(page, "ε&nbsp;=&nbsp;3.2, δ&nbsp;=&nbsp;0.00001"));
    assert_non_null(strstr(page, "all the links of any one node"));
    assert_non_null(strstr(page, "e<sup>ε</sup>&nbsp;=&nbsp;24.54")); /* 24.5325.., never down */
    assert_non_null(strstr(page, "1 in 100,000"));
    assert_non_null(strstr(page, "at most 96.1&nbsp;%"));
    assert_non_null(strstr(page, "degree histogram"));
    assert_non_null(strstr(page, "12.5</td>")); /* sensitivity 25/2 */
    assert_non_null(strstr(page, "845&nbsp;×&nbsp;346,624"));
    assert_non_null(strstr(page, "Who is in the list"));
    assert_non_null(strstr(page, "out.edges is that file"));
    assert_null(strstr(page, "PRIVATE"));
    free(page);
    page = certificate_page(&d, golden("queries.json", path), NULL, &passed);
    assert_non_null(strstr(page, "no slack at all"));
    assert_non_null(strstr(page, "dropped test accounts"));
    free(page);
    page = certificate_page(&d, golden("embedding.json", path), NULL, NULL);
    assert_non_null(strstr(page, "the whole set of links"));
    free(page);
    desk_clear(&d);
}

/* A round: a row for each of its queries, and one share for all of them. */
static void certificate_page_shows_the_queries_of_a_round(void **state)
{
    (void)state;
    desk d = desk_make(1);
    char path[SCRATCH_PATH];
    certificate_example example;
    pdpr_error err;
    bool passed = false;
    certificate_example_make(EXAMPLE_BOTH, &example);
    test_scratch_path(d.folder, "round.certificate.json", path);
    assert_ok(pdpr_i_certificate_write(d.ctx, &example.certificate, path, &err));
    char *page = certificate_page(&d, path, NULL, &passed);
    assert_true(passed);
    assert_clean(page);
    assert_non_null(strstr(page, "<th scope=\"row\">edges<span"));
    assert_non_null(strstr(page, "<th scope=\"row\">triangles<span"));
    assert_null(strstr(page, "<th scope=\"row\">round"));
    assert_non_null(strstr(page, "noise for several answers at once"));
    const char *share = strstr(page, "rowspan=\"2\"");
    assert_non_null(share);
    assert_null(strstr(share + 1, "rowspan"));
    assert_non_null(strstr(share, "together ε&nbsp;=&nbsp;0.2500<span class=\"small\">20&nbsp;%"));
    assert_non_null(strstr(page, "135.8</td>")); /* 24 / (1/4) sqrt(2) */
    free(page);
    desk_clear(&d);
}

static void certificates_that_do_not_hold_promise_nothing(void **state)
{
    (void)state;
    desk d = desk_make(1);
    char path[SCRATCH_PATH], output[SCRATCH_PATH];
    bool passed = true;
    char *page = certificate_page(&d, golden("seeded.json", path), NULL, &passed);
    assert_false(passed);
    assert_non_null(strstr(page, "No guarantee: a seeded run"));
    assert_null(strstr(page, "Whatever anyone concludes"));
    free(page);

    /* right numbers, another file */
    page = certificate_page(&d, golden("both.json", path), golden("seeded.json", output), &passed);
    assert_false(passed);
    assert_non_null(strstr(page, "Take nothing for promised"));
    assert_null(strstr(page, "Whatever anyone concludes"));
    free(page);

    /* no certificate at all, with markup in it */
    test_scratch_path(d.folder, "bad.json", path);
    test_file_write(path, "<script>{}</script>\n", 20);
    page = certificate_page(&d, path, NULL, &passed);
    assert_false(passed);
    assert_null(strstr(page, "<script"));
    assert_non_null(strstr(page, "no valid certificate"));
    assert_null(strstr(page, "Published files"));
    free(page);
    desk_clear(&d);
}

static void report_puts_the_certificate_into_words(void **state)
{
    (void)state;
    desk d = desk_make(1);
    char certificate[SCRATCH_PATH], output[SCRATCH_PATH], other[SCRATCH_PATH];
    pdpr_graph *g = test_graph_cycle(d.ctx, 20);
    const pdpr_graph *synthetic[] = {g, g};
    const char *names[] = {golden("out.edges", output), golden("seeded.json", other)};
    pdpr_report_options o = plain;
    o.certificate_path = golden("both.json", certificate);
    o.synthetic_paths = names;
    char *page = page_of(&d, g, synthetic, 1, 0, &o);
    assert_non_null(strstr(page, "ε&nbsp;=&nbsp;3.2"));
    assert_non_null(strstr(page, "speaks of this file and passes its checks"));
    free(page);
    page = page_of(&d, g, synthetic, 2, 0, &o);
    assert_non_null(strstr(page, "1 of 2 files are not those that the certificate speaks of"));
    free(page);
    names[0] = "-"; /* nothing to hash */
    page = page_of(&d, g, synthetic, 1, 0, &o);
    assert_null(strstr(page, "are not those"));
    free(page);
    pdpr_error err = {0};
    o.certificate_path = "/none/at.all";
    assert_int_equal(make_page(&d, g, synthetic, 1, 0, &o, &err), PDPR_EFAILED);
    pdpr_graph_free(g);
    desk_clear(&d);
}

static void pages_survive_every_allocation_failure(void **state)
{
    (void)state;
    desk d = desk_make(1);
    char certificate[SCRATCH_PATH], output[SCRATCH_PATH];
    pdpr_graph *g = test_graph_cycle(d.ctx, 12);
    const pdpr_graph *synthetic[] = {g, g};
    const char *names[] = {golden("out.edges", output), output};
    pdpr_report_options o = plain;
    o.certificate_path = golden("both.json", certificate);
    o.synthetic_paths = names;
    pdpr_comparison *c = NULL;
    assert_ok(pdpr_comparison_new(d.ctx, g, synthetic, 2, NULL, &c, NULL));
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(d.ctx, status, {
        status = pdpr_report_comparison_html(d.ctx, g, synthetic, 2, c, &o, d.path, NULL);
        assert_int_equal(test_scratch_count(d.folder), status == PDPR_OK ? 1 : 0);
    });
    FOR_EACH_ALLOCATION_FAILURE(d.ctx, status, {
        status = pdpr_report_certificate_html(d.ctx, certificate, output, d.path, NULL, NULL);
    });
    pdpr_comparison_free(c);
    pdpr_graph_free(g);
    desk_clear(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_numbers_are_written_with_a_point_in_every_locale),
        cmocka_unit_test(long_formats_are_cut_and_failures_stick),
        cmocka_unit_test(markup_and_invisible_characters_are_disarmed),
        cmocka_unit_test(numbers_are_written_for_people),
        cmocka_unit_test(lights_follow_the_stated_thresholds),
        cmocka_unit_test(merits_are_what_a_random_graph_does_not_have),
        cmocka_unit_test(each_use_is_judged_by_its_own_figures),
        cmocka_unit_test(points_that_cannot_be_shown_are_left_out),
        cmocka_unit_test(axes_have_few_round_ticks),
        cmocka_unit_test(layout_is_finite_inside_the_square_and_fills_it),
        cmocka_unit_test(pages_of_odd_graphs_are_clean),
        cmocka_unit_test(page_says_private_and_is_closed_to_others),
        cmocka_unit_test(identical_graphs_are_good_for_everything),
        cmocka_unit_test(graph_without_edges_is_good_for_little),
        cmocka_unit_test(hostile_names_do_not_become_markup),
        cmocka_unit_test(several_samples_are_drawn_as_bands),
        cmocka_unit_test(page_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(page_of_other_graphs_than_compared_is_refused),
        cmocka_unit_test(page_that_cannot_be_written_fails_with_its_name),
        cmocka_unit_test(certificate_page_says_what_was_promised),
        cmocka_unit_test(certificate_page_shows_the_queries_of_a_round),
        cmocka_unit_test(certificates_that_do_not_hold_promise_nothing),
        cmocka_unit_test(report_puts_the_certificate_into_words),
        cmocka_unit_test(pages_survive_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("HTML report", tests, NULL, NULL);
}
