/* The private report of a comparison, from the verdict down to the drawings.
 *
 * A reader of ten seconds gets the heading and the list of lights; a reader of a minute the promise
 * and the table; the rest is for those who ask why. Everything on the page is computed from the
 * original, so the page says at its top and bottom that it is private, and its file is closed to
 * other users.
 *
 * Cost: the curves of each graph, of which the triangles are the largest part, and of one null
 * graph, made with the comparison's seed. Figures and drawings are small beside it. */
#include "report/report_page.h"

#include <math.h>
#include <string.h>

#include "report/certificate_facts.h"
#include "report/html.h"

enum { CORE_NODES = 200, MOST_NAMES = 4, PATH_SEED = 1 };

void pdpr_report_options_default(pdpr_report_options *options)
{
    *options = (pdpr_report_options){.struct_size = sizeof *options};
}

/* ---------------------------------------------------------------- what is shown */

static void data_clear(pdpr_i_report_data *d)
{
    for (uint32_t k = 0; d->synthetic && k < d->count; k++)
        pdpr_i_curves_clear(&d->synthetic[k]);
    pdpr_free(d->synthetic);
    pdpr_i_curves_clear(&d->original);
    pdpr_i_curves_clear(&d->null_model);
    pdpr_i_core_clear(&d->core_original);
    pdpr_i_core_clear(&d->core_synthetic);
    pdpr_i_core_clear(&d->core_null);
    *d = (pdpr_i_report_data){0};
}

static pdpr_status measure_null(pdpr_context *ctx, pdpr_i_report_data *d, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_graph *g = NULL;
    PDPR_TRY(pdpr_generate_gnm(ctx, (uint32_t)d->original.nodes, d->original.edges,
                               pdpr_i_comparison_null_seed(d->c), &g, err));
    PDPR_TRY(pdpr_i_curves_init(ctx, g, PATH_SEED, &d->null_model, err));
    PDPR_TRY(pdpr_i_core_init(ctx, g, CORE_NODES, &d->core_null, err));
done:
    pdpr_graph_free(g);
    return s;
}

static pdpr_i_curve_errors errors_of(const pdpr_i_curves *x, const pdpr_i_curves *original)
{
    double own = pdpr_i_curves_mean_clustering(x);
    double wanted = pdpr_i_curves_mean_clustering(original);
    return (pdpr_i_curve_errors){.mixing = pdpr_i_curves_mixing_distance(x, original),
                                 .clustering = wanted > 0 ? fabs(own - wanted) / wanted
                                               : own > 0  ? NAN
                                                          : 0};
}

static pdpr_status data_init(pdpr_context *ctx, const pdpr_graph *original,
                             const pdpr_graph *const *synthetic, uint32_t count,
                             const pdpr_comparison *c, pdpr_i_report_data *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_report_data d = {.c = c, .count = count};
    pdpr_i_curve_errors mean = {0}, null_model = {.mixing = NAN, .clustering = NAN};
    uint32_t null_count;

    pdpr_comparison_rows(c, true, &null_count);
    d.have_null = null_count > 0;
    PDPR_TRY(pdpr_i_zalloc(ctx, count, sizeof *d.synthetic, "curves", &d.synthetic, err));
    PDPR_TRY(pdpr_i_curves_init(ctx, original, PATH_SEED, &d.original, err));
    PDPR_TRY(pdpr_i_core_init(ctx, original, CORE_NODES, &d.core_original, err));
    for (uint32_t k = 0; k < count; k++) {
        PDPR_TRY(pdpr_i_curves_init(ctx, synthetic[k], PATH_SEED, &d.synthetic[k], err));
        pdpr_i_curve_errors one = errors_of(&d.synthetic[k], &d.original);
        mean.mixing += one.mixing / count;
        mean.clustering += one.clustering / count;
        pdpr_i_progress(ctx, "figures", k + 1, (uint64_t)count + 1);
    }
    PDPR_TRY(pdpr_i_core_init(ctx, synthetic[0], CORE_NODES, &d.core_synthetic, err));
    if (d.have_null) {
        PDPR_TRY(measure_null(ctx, &d, err));
        null_model = errors_of(&d.null_model, &d.original);
    }
    pdpr_i_progress(ctx, "figures", (uint64_t)count + 1, (uint64_t)count + 1);
    pdpr_i_verdict(c, mean, null_model, d.verdict);
    *out = d;
    d = (pdpr_i_report_data){0};
done:
    data_clear(&d);
    return s;
}

/* ---------------------------------------------------------------- heading and verdict */

static uint32_t lights_of(const pdpr_i_report_data *d, pdpr_i_light light)
{
    uint32_t count = 0;
    for (int use = 0; use < PDPR_I_USES; use++)
        count += d->verdict[use].light == light;
    return count;
}

static void put_names(pdpr_i_text *b, const pdpr_report_options *o, uint32_t count)
{
    for (uint32_t i = 0; i < count && i < MOST_NAMES; i++) {
        pdpr_i_text_put(b, i == 0 ? "" : ", ");
        pdpr_i_html_file(b, o->synthetic_paths[i]);
    }
    if (count > MOST_NAMES)
        pdpr_i_text_format(b, " and %" PRIu32 " more", count - MOST_NAMES);
}

static void put_heading(pdpr_i_text *b, const pdpr_i_report_data *d, const pdpr_report_options *o)
{
    uint32_t good = lights_of(d, PDPR_I_LIGHT_GOOD), rough = lights_of(d, PDPR_I_LIGHT_ROUGH);
    uint32_t known = PDPR_I_USES - lights_of(d, PDPR_I_LIGHT_UNKNOWN);
    pdpr_i_text_put(b, "<header><p class=\"over\">How good is the synthetic graph?</p>\n<h1>");
    if (good == 0 && rough == 0)
        pdpr_i_text_put(b, "Not good for any kind of analysis");
    else if (good == known)
        pdpr_i_text_format(b, "Good for all %" PRIu32 " kinds of analysis", known);
    else
        pdpr_i_text_format(b, "Good for %" PRIu32 " of %" PRIu32 " kinds of analysis", good, known);
    if (rough > 0)
        pdpr_i_text_format(b, ", rough for %" PRIu32, rough);
    if (good > 0 && pdpr_i_verdict_merits(d->verdict) == 0)
        pdpr_i_text_put(b, ", and so is a random graph");
    pdpr_i_text_put(b, "</h1>\n<p class=\"lead\">");
    put_names(b, o, d->count);
    pdpr_i_text_put(b, " against the original ");
    pdpr_i_html_file(b, o->original_path);
    pdpr_i_text_put(b, ": ");
    pdpr_i_html_count(b, d->original.nodes);
    pdpr_i_text_put(b, " nodes, ");
    pdpr_i_html_count(b, d->original.edges);
    pdpr_i_text_put(b, " edges (synthetic: ");
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t k = 0; k < d->count; k++) {
        least = d->synthetic[k].edges < least ? d->synthetic[k].edges : least;
        most = d->synthetic[k].edges > most ? d->synthetic[k].edges : most;
    }
    pdpr_i_html_count(b, least);
    if (most > least) {
        pdpr_i_text_put(b, " to ");
        pdpr_i_html_count(b, most);
    }
    pdpr_i_text_put(b, ").</p></header>\n");
}

/* Shape, colour and word all say the same. */
static void put_light(pdpr_i_text *b, pdpr_i_light light)
{
    static const struct {
        const char *class, *shape;
    } looks[PDPR_I_LIGHTS] = {
        [PDPR_I_LIGHT_GOOD] = {"good", "<circle cx=\"9\" cy=\"9\" r=\"8\" fill=\"currentColor\"/>"
                                       "<path d=\"M5.2 9.4 8 12l5-6\"/>"},
        [PDPR_I_LIGHT_ROUGH] = {"rough", "<path d=\"M9 1.5 17.3 16H.7Z\" fill=\"currentColor\" "
                                         "stroke=\"none\"/><path d=\"M9 6.6V11M9 13.1v.4\"/>"},
        [PDPR_I_LIGHT_NOT] = {"not", "<rect x=\"1.5\" y=\"1.5\" width=\"15\" height=\"15\" "
                                     "rx=\"2\" fill=\"currentColor\"/><path d=\"M6 6l6 6M12 6l-6 "
                                     "6\"/>"},
        [PDPR_I_LIGHT_UNKNOWN] = {"none", "<path d=\"M4 9h10\" style=\"stroke:currentColor\"/>"},
    };
    pdpr_i_text_format(b,
                       "<span class=\"light %s\"><svg viewBox=\"0 0 18 18\" aria-hidden=\"true\" "
                       "fill=\"none\" stroke=\"var(--card)\" stroke-width=\"2\" "
                       "stroke-linecap=\"round\">%s</svg>%s</span>",
                       looks[light].class, looks[light].shape, pdpr_i_light_name(light));
}

static void put_use(pdpr_i_text *b, pdpr_i_use use, const pdpr_i_judgement *j)
{
    pdpr_i_text_put(b, "<li>");
    put_light(b, j->light);
    pdpr_i_text_format(b,
                       "<span class=\"what\"><b>%s</b><span class=\"small\">%s%s</span></span>"
                       "<span class=\"off\">",
                       pdpr_i_use_title(use), pdpr_i_use_figure(use),
                       j->random_as_good ? " · a random graph does as well" : "");
    if (j->light == PDPR_I_LIGHT_UNKNOWN) {
        pdpr_i_text_put(b, "no figure");
    } else {
        pdpr_i_text_put(b, "off by <b style=\"display:inline\">");
        pdpr_i_html_percent(b, j->error);
        pdpr_i_text_put(b, "</b>");
    }
    if (!isnan(j->null_error)) {
        pdpr_i_text_put(b, "<span class=\"small\">random: ");
        pdpr_i_html_percent(b, j->null_error);
        pdpr_i_text_put(b, "</span>");
    }
    pdpr_i_text_put(b, "</span></li>\n");
}

static void put_verdict(pdpr_i_text *b, const pdpr_i_report_data *d)
{
    pdpr_i_text_put(b, "<section class=\"card\"><h2>What it is good for</h2>\n<ul "
                       "class=\"verdict\">\n");
    for (int light = 0; light < PDPR_I_LIGHTS; light++) /* the good ones first */
        for (int use = 0; use < PDPR_I_USES; use++)
            if (d->verdict[use].light == (pdpr_i_light)light)
                put_use(b, (pdpr_i_use)use, &d->verdict[use]);
    pdpr_i_text_put(
        b,
        "</ul>\n<p class=\"small\"><b>Good</b>: off by at most 10&nbsp;%. "
        "<b>Rough</b>: at most 30&nbsp;%, and closer (by more than 1&nbsp;%) than "
        "any of the random graphs with the same numbers of nodes and edges. <b>Not for it</b>: "
        "the rest. These are conventions: look at the figures for your own purpose.</p></section>\n");
}

/* ---------------------------------------------------------------- the promise */

/* Checks each synthetic file against the certificate; counts those that it speaks of. */
static pdpr_status count_certified(pdpr_context *ctx, const pdpr_report_options *o, uint32_t count,
                                   uint32_t *certified, uint32_t *looked_at, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    *certified = *looked_at = 0;
    for (uint32_t i = 0; i < count; i++) {
        pdpr_verification *v = NULL;
        if (strcmp(o->synthetic_paths[i], "-") == 0)
            continue;
        PDPR_TRY(pdpr_certificate_verify(ctx, o->certificate_path, o->synthetic_paths[i], &v, err));
        bool known = false, wrong = false;
        for (uint64_t k = 0; k < v->num_checks; k++) {
            bool of_file = strcmp(v->checks[k].name, "output") == 0;
            known |= of_file && v->checks[k].result == PDPR_CHECK_PASS;
            wrong |= of_file && v->checks[k].result == PDPR_CHECK_FAIL;
        }
        *certified += known && !wrong;
        ++*looked_at;
        pdpr_verification_free(v);
    }
done:
    return s;
}

static pdpr_status put_certified(pdpr_i_text *b, const pdpr_report_options *o, uint32_t count,
                                 const pdpr_i_certificate_facts *facts, pdpr_error *err)
{
    uint32_t certified, looked_at;
    pdpr_status s = count_certified(b->ctx, o, count, &certified, &looked_at, err);
    if (s != PDPR_OK)
        return s;
    if (!facts->json)
        pdpr_i_notice(b->ctx, "%s: no valid certificate: the page says that nothing is promised",
                      o->certificate_path);
    else if (certified < looked_at)
        pdpr_i_notice(b->ctx, "%s: does not speak of %" PRIu32 " of %" PRIu32 " synthetic files",
                      o->certificate_path, looked_at - certified, looked_at);
    pdpr_i_text_put(b, "<p class=\"small\">");
    if (facts->json) {
        pdpr_i_text_put(b, "Method ");
        pdpr_i_html_text(b, facts->method);
        pdpr_i_text_put(b, ", profile ");
        pdpr_i_html_text(b, facts->profile);
        pdpr_i_text_put(b, ". ");
    }
    if (certified == looked_at)
        pdpr_i_text_format(b, "The certificate speaks of %s%s.",
                           count == 1 ? "this file" : "these files",
                           facts->checks->passed ? " and passes its checks"
                                                 : ", but <code>privdpr verify</code> refuses it");
    else
        pdpr_i_text_format(b,
                           "<strong>%" PRIu32 " of %" PRIu32
                           " files are not those that the certificate speaks of: nothing is "
                           "promised for them.</strong>",
                           looked_at - certified, looked_at);
    pdpr_i_text_put(b, "</p>\n");
    return PDPR_OK;
}

static pdpr_status put_promise(pdpr_i_text *b, const pdpr_report_options *o, uint32_t count,
                               pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_certificate_facts facts = {0};

    pdpr_i_text_put(b, "<section class=\"card\"><h2>What was promised</h2>\n");
    if (o->certificate_path) {
        PDPR_TRY(pdpr_i_certificate_facts_init(b->ctx, o->certificate_path, NULL, &facts, err));
        pdpr_i_html_promise(b, &facts);
        PDPR_TRY(put_certified(b, o, count, &facts, err));
    } else {
        pdpr_i_text_put(b, "<p>Not known here: no certificate was given.</p>\n<p class=\"small\">"
                           "Add <code>--certificate FILE</code>, the .certificate.json that stands "
                           "beside a published graph.</p>\n");
    }
    pdpr_i_text_put(b, "<p class=\"small\">The promise is about the published files. It does not "
                       "cover this page, which shows exact figures of the original.</p>"
                       "</section>\n");
done:
    pdpr_i_certificate_facts_clear(&facts);
    return s;
}

/* ---------------------------------------------------------------- the page */

static void put_legend(pdpr_i_text *b, const pdpr_i_report_data *d)
{
    pdpr_i_text_put(b, "<section class=\"card\"><p class=\"legend\" aria-label=\"Legend of the "
                       "figures\"><b>In the figures</b><span><svg viewBox=\"0 0 34 14\" "
                       "aria-hidden=\"true\"><path class=\"original\" d=\"M2 7H32\"/></svg>"
                       "original</span><span><svg viewBox=\"0 0 34 14\" aria-hidden=\"true\">");
    if (d->count > 1)
        pdpr_i_text_put(b, "<path class=\"band-area\" d=\"M2 1H32V13H2Z\"/>");
    pdpr_i_text_put(b, "<path class=\"synthetic\" d=\"M2 7H32\"/></svg>");
    if (d->count > 1)
        pdpr_i_text_format(b, "synthetic: mean of %" PRIu32 ", band from least to most</span>",
                           d->count);
    else
        pdpr_i_text_put(b, "synthetic</span>");
    if (d->have_null)
        pdpr_i_text_put(b, "<span><svg viewBox=\"0 0 34 14\" aria-hidden=\"true\"><path "
                           "class=\"null\" d=\"M2 7H32\"/></svg>random graph G(N,&nbsp;m)</span>");
    pdpr_i_text_put(b, "</p></section>\n");
}

static pdpr_status write_page(pdpr_i_text *b, const pdpr_i_report_data *d,
                              const pdpr_report_options *o, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_html_begin(b, PDPR_I_PAGE_PRIVATE, "How good is the synthetic graph?");
    put_heading(b, d, o);
    pdpr_i_text_put(b, "<div class=\"two\">\n");
    put_verdict(b, d);
    PDPR_TRY(put_promise(b, o, d->count, err));
    pdpr_i_text_put(b, "</div>\n");
    pdpr_i_report_table(b, d);
    put_legend(b, d);
    PDPR_TRY(pdpr_i_report_figures(b, d, err));
    pdpr_i_html_end(b, b->ctx, PDPR_I_PAGE_PRIVATE);
done:
    return s;
}

pdpr_status pdpr_report_comparison_html(pdpr_context *ctx, const pdpr_graph *original,
                                        const pdpr_graph *const *synthetic, uint32_t count,
                                        const pdpr_comparison *c,
                                        const pdpr_report_options *options, const char *path,
                                        pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_report_options o;
    pdpr_i_report_data d = {0};
    pdpr_i_text page = {.ctx = ctx, .what = "HTML page", .err = err};
    uint32_t rows;

    pdpr_report_options_default(&o);
    memcpy(&o, options, options->struct_size < sizeof o ? options->struct_size : sizeof o);
    pdpr_comparison_rows(c, false, &rows);
    if (count == 0 || count != rows)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "report: expected the %" PRIu32
                           " synthetic graphs of the comparison, at least 1, found %" PRIu32,
                           rows, count);
    PDPR_TRY(data_init(ctx, original, synthetic, count, c, &d, err));
    PDPR_TRY(write_page(&page, &d, &o, err));
    s = pdpr_i_html_save(&page, PDPR_I_PAGE_PRIVATE, path, err);
done:
    pdpr_i_text_drop(&page);
    data_clear(&d);
    return s;
}
