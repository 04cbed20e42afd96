/* Panels of curves: what is drawn, what is left out, and that the text is one that a browser reads.
 */
#include "support/support.h"

#include <math.h>
#include <string.h>

static uint32_t count_of(const char *text, const char *word)
{
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        count++;
    return count;
}

/* Two panels, two curves, three steps; the second curve is a level. */
static const char *const steps[] = {"0.1", "<1&2>", "3"},
                         *const curves[] = {"one", "\"two\" & <b>"},
                         *const titles[] = {"a, TC", "b, <KS>"};
static const double means[] = {0.5, 0.25, 0.125, NAN, NAN, NAN, NAN, 0.75,
                               0.3, NAN,  0.1,   NAN, NAN, NAN, NAN, 0.2};

static pdpr_panels example(void)
{
    static const bool dashed[] = {false, true};
    return (pdpr_panels){.struct_size = sizeof(pdpr_panels),
                         .title = "table 7 < 8",
                         .step_name = "epsilon & more",
                         .step = steps,
                         .steps = 3,
                         .curve = curves,
                         .dashed = dashed,
                         .curves = 2,
                         .panel = titles,
                         .panels = 2,
                         .mean = means};
}

static char *draw(pdpr_context *ctx, const pdpr_panels *p)
{
    char *text = NULL;
    assert_ok(pdpr_report_panels_svg(ctx, p, &text, NULL));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    assert_null(strstr(text, "\"-\""));
    assert_int_equal(count_of(text, "<svg "), count_of(text, "</svg>"));
    assert_int_equal(count_of(text, "<text"), count_of(text, "</text>"));
    return text;
}

static void panels_have_a_dot_for_each_value_and_a_line_for_each_curve(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const pdpr_panels p = example();
    char *text = draw(ctx, &p);
    assert_int_equal(count_of(text, "<svg "), 1 + 2);
    assert_int_equal(count_of(text, "<circle class=\"k0\""), 3 + 2);
    assert_int_equal(count_of(text, "<circle"), 3 + 2);
    assert_int_equal(count_of(text, "<path class=\"k0\""), 2 + 1);        /* and the legend */
    assert_int_equal(count_of(text, "<path class=\"k1 dashed\""), 2 + 1); /* levels */
    assert_null(strstr(text, "standard deviation"));
    assert_null(strstr(text, "not shown"));
    pdpr_free(text);
    pdpr_context_free(ctx);
}

static void panels_escape_every_text(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const pdpr_panels p = example();
    char *text = draw(ctx, &p);
    assert_non_null(strstr(text, "table 7 &lt; 8"));
    assert_non_null(strstr(text, "epsilon &amp; more"));
    assert_non_null(strstr(text, "&lt;1&amp;2&gt;"));
    assert_non_null(strstr(text, "&amp; &lt;b&gt;"));
    assert_non_null(strstr(text, "b, &lt;KS&gt;"));
    assert_null(strstr(text, "<b>"));
    pdpr_free(text);
    pdpr_context_free(ctx);
}

static void panels_leave_out_what_is_far_off_and_say_so(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    double far[16];
    memcpy(far, means, sizeof far);
    far[1] = 1048; /* beside 0.5 and 0.125 */
    pdpr_panels p = example();
    p.mean = far;
    char *text = draw(ctx, &p);
    assert_int_equal(count_of(text, "<circle"), 2 + 2);
    assert_non_null(strstr(text, "Values above 2 are not shown."));
    pdpr_free(text);
    /* a panel of large values alone shows them */
    for (int i = 0; i < 16; i++)
        far[i] = 40 * means[i] + 30;
    text = draw(ctx, &p);
    assert_int_equal(count_of(text, "<circle"), 3 + 2);
    assert_null(strstr(text, "not shown"));
    pdpr_free(text);
    pdpr_context_free(ctx);
}

static void panels_with_deviations_have_strokes(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    double deviation[16];
    for (int i = 0; i < 16; i++)
        deviation[i] = i == 0 ? 0.1 : i == 2 ? 7 : NAN;
    pdpr_panels p = example();
    p.deviation = deviation;
    char *text = draw(ctx, &p);
    assert_int_equal(count_of(text, "class=\"whisker\""), 2); /* the long one is cut at the axis */
    assert_non_null(strstr(text, "one standard deviation"));
    pdpr_free(text);
    pdpr_context_free(ctx);
}

/* The x of the n-th dot, as it stands in the text. */
static void dot_place(const char *text, int n, char out[16])
{
    for (; n >= 0; n--) {
        text = strstr(text, " cx=\"");
        assert_non_null(text);
        text += 5;
    }
    snprintf(out, 16, "%.*s", (int)strcspn(text, "\""), text);
}

static void dots_of_a_single_step_stand_side_by_side(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    static const double alike[] = {0.5, NAN, 0.5, NAN, 0.5, NAN, 0.5, NAN};
    pdpr_panels p = example();
    char first[16], second[16];
    p.steps = 1;
    p.mean = alike;
    char *text = draw(ctx, &p);
    assert_int_equal(count_of(text, "<circle"), 4);
    dot_place(text, 0, first);
    dot_place(text, 1, second);
    assert_string_not_equal(first, second);
    pdpr_free(text);
    pdpr_context_free(ctx);
}

static void panel_without_a_value_is_left_out(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    double some[16];
    for (int i = 0; i < 16; i++)
        some[i] = i < 8 ? NAN : 0.5; /* all alike: the axis must not be empty */
    pdpr_panels p = example();
    p.mean = some;
    char *text = draw(ctx, &p);
    assert_int_equal(count_of(text, "<svg "), 1 + 1);
    assert_int_equal(count_of(text, "<circle"), 6);
    pdpr_free(text);
    p = (pdpr_panels){.struct_size = sizeof p, .title = "none", .step_name = ""};
    text = draw(ctx, &p);
    assert_int_equal(count_of(text, "<svg "), 1);
    pdpr_free(text);
    pdpr_context_free(ctx);
}

static void panels_survive_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const pdpr_panels p = example();
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        char *text = NULL;
        status = pdpr_report_panels_svg(ctx, &p, &text, NULL);
        assert_true((status == PDPR_OK) == (text != NULL));
        pdpr_free(text);
    });
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panels_have_a_dot_for_each_value_and_a_line_for_each_curve),
        cmocka_unit_test(panels_escape_every_text),
        cmocka_unit_test(panels_leave_out_what_is_far_off_and_say_so),
        cmocka_unit_test(panels_with_deviations_have_strokes),
        cmocka_unit_test(dots_of_a_single_step_stand_side_by_side),
        cmocka_unit_test(panel_without_a_value_is_left_out),
        cmocka_unit_test(panels_survive_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
