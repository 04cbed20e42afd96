/* A certificate's own page: public, made from the certificate alone.
 *
 * It shows the promise in words, each measured query with its sensitivity, noise and share of the
 * budget, the verifier's checks, the published files with their hashes, and what is not protected.
 * Everything on it stands in the certificate, follows from it, or is the same on every such page:
 * whoever may read the one may read the other. A certificate of which the verifier does not accept
 * the fields shows its failed checks and nothing else. */
#include "report/certificate_facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/box_noise.h"
#include "dp/canonical_json.h"
#include "report/html.h"

/* ---------------------------------------------------------------- what was measured */

/* Blueprint's names of queries in words; a label that is none of them stands for itself. */
static const struct {
    const char *label, *words;
} query_words[] = {
    {"theta", "where to cut off large degrees"},
    {"histogram", "how many nodes have which degree"},
    {"edges", "number of edges, few per node"},
    {"edges_wide", "number of edges, more per node"},
    {"index_low", "hubs: how many nodes have many links"},
    {"index_high", "hubs: how many nodes have very many links"},
    {"triangles_1", "triangles, few per node"},
    {"triangles_2", "triangles, more per node"},
    {"forest", "links of a forest that joins what is joined, few per node"},
    {"components", "links of a forest that joins what is joined, few per node"}, /* its old name */
    {"paths_1", "path lengths, a rough look"},
    {"paths_2", "path lengths, a closer look"},
};

static const char *words_for(const char *label)
{
    for (size_t i = 0; i < sizeof query_words / sizeof *query_words; i++)
        if (strcmp(query_words[i].label, label) == 0)
            return query_words[i].words;
    return "";
}

static const char *mechanism_words(const char *name)
{
    if (strcmp(name, "discrete-laplace") == 0)
        return "discrete Laplace noise";
    if (strcmp(name, "permute-and-flip") == 0)
        return "random choice (permute and flip)";
    if (strcmp(name, "rounded-gaussian") == 0)
        return "rounded Gaussian noise";
    if (strcmp(name, "discrete-box") == 0)
        return "noise for several answers at once (box)";
    return name;
}

/* "7/2" as 3.5; the verifier has seen that it is a fraction. */
static double fraction(const char *text)
{
    char *end;
    double num = (double)strtoull(text, &end, 10);
    double den = *end == '/' ? (double)strtoull(end + 1, NULL, 10) : 1;
    return den > 0 ? num / den : 0;
}

/* A real number in the certificate's own form, which no locale changes. */
static double real_fact(const json_t *object, const char *key)
{
    double value = 0;
    pdpr_i_real_parse(pdpr_i_fact(object, key), &value);
    return value;
}

/* A positive number with three digits or more. */
static void put_number(pdpr_i_text *b, double value)
{
    if (value >= 1000 || (value >= 1 && value == floor(value)))
        pdpr_i_html_quantity(b, value);
    else
        pdpr_i_text_fixed(b, value, value >= 10 ? 1 : value >= 1 ? 2 : 4);
}

/* A row up to its noise, the cell of which is left open. */
static void begin_row(pdpr_i_text *b, const json_t *named, const char *mechanism, uint64_t values)
{
    const char *label = pdpr_i_fact(named, "label");
    pdpr_i_text_put(b, "<tr><th scope=\"row\">");
    pdpr_i_html_text(b, label);
    pdpr_i_text_put(b, "<span class=\"small\">");
    pdpr_i_html_text(b, words_for(label));
    pdpr_i_text_put(b, "</span></th><td class=\"wide\">");
    pdpr_i_html_text(b, mechanism_words(mechanism));
    pdpr_i_text_put(b, "</td><td class=\"wide\">");
    pdpr_i_html_count(b, values);
    pdpr_i_text_put(b, "</td><td>");
    put_number(b, fraction(pdpr_i_fact(named, "sensitivity")));
    pdpr_i_text_put(b, "</td><td>");
}

/* What is behind the equals sign of a share, and its part of the whole. */
static void put_share(pdpr_i_text *b, double share, double total)
{
    put_number(b, share);
    if (total > 0) {
        pdpr_i_text_put(b, "<span class=\"small\">");
        pdpr_i_html_percent(b, share / total);
        pdpr_i_text_put(b, "</span>");
    }
    pdpr_i_text_put(b, "</td>");
}

/* A row for each answer; the share is theirs together. */
static void put_box(pdpr_i_text *b, const json_t *q, double pure_total)
{
    const json_t *answers = json_object_get(q, "answers");
    size_t count = json_array_size(answers);
    double epsilon = fraction(pdpr_i_fact(q, "epsilon"));
    for (size_t i = 0; i < count; i++) {
        const json_t *answer = json_array_get(answers, i);
        begin_row(b, answer, pdpr_i_fact(q, "mechanism"), 1);
        put_number(b, fraction(pdpr_i_fact(answer, "sensitivity")) / epsilon *
                          pdpr_i_box_widening((uint32_t)count));
        pdpr_i_text_put(b, "</td>");
        if (i == 0) {
            pdpr_i_text_format(b, "<td rowspan=\"%zu\">%sε&nbsp;=&nbsp;", count,
                               count > 1 ? "together " : "");
            put_share(b, epsilon, pure_total);
        }
        pdpr_i_text_put(b, "</tr>\n");
    }
}

static void put_query(pdpr_i_text *b, const json_t *q, double pure_total)
{
    bool pure = json_object_get(q, "epsilon") != NULL;
    if (json_object_get(q, "answers")) {
        put_box(b, q, pure_total);
        return;
    }
    begin_row(b, q, pdpr_i_fact(q, "mechanism"),
              (uint64_t)json_integer_value(json_object_get(q, "values")));
    if (pure)
        put_number(b, fraction(pdpr_i_fact(q, "scale")));
    else
        put_number(b, real_fact(q, "sigma_int") * fraction(pdpr_i_fact(q, "grid")));
    pdpr_i_text_put(b, pure ? "</td><td>ε&nbsp;=&nbsp;" : "</td><td>μ&nbsp;=&nbsp;");
    if (pure)
        put_share(b, fraction(pdpr_i_fact(q, "epsilon")), pure_total);
    else
        put_share(b, real_fact(q, "mu"), 0);
    pdpr_i_text_put(b, "</tr>\n");
}

static void put_embedding(pdpr_i_text *b, const json_t *e)
{
    if (!json_is_object(e))
        return;
    pdpr_i_text_put(b, "<tr><th scope=\"row\">embedding<span class=\"small\">training steps, each "
                       "clipped and noised</span></th><td class=\"wide\">rounded Gaussian noise"
                       "</td><td class=\"wide\">");
    pdpr_i_html_count(b, (uint64_t)json_integer_value(json_object_get(e, "T")));
    pdpr_i_text_put(b, "&nbsp;×&nbsp;");
    pdpr_i_html_count(b, (uint64_t)json_integer_value(json_object_get(e, "coords")));
    pdpr_i_text_put(b, "</td><td>");
    put_number(b, real_fact(e, "Delta"));
    pdpr_i_text_put(b, "</td><td>");
    double grid = 1; /* 2^k */
    for (json_int_t k = json_integer_value(json_object_get(e, "k")); k < 0; k++)
        grid *= 0.5;
    put_number(b, real_fact(e, "sigma_int") * grid);
    pdpr_i_text_put(b, "</td><td>μ&nbsp;=&nbsp;");
    put_number(b, real_fact(e, "mu"));
    pdpr_i_text_put(b, "</td></tr>\n");
}

static void put_measured(pdpr_i_text *b, const json_t *json)
{
    const json_t *mechanisms = json_object_get(json, "mechanisms");
    const json_t *queries = json_object_get(mechanisms, "queries");
    const json_t *accounting = json_object_get(json, "accounting");
    double pure_total = real_fact(accounting, "pure_epsilon");

    pdpr_i_text_put(
        b,
        "<section class=\"card compact\"><h2 id=\"measured\">What was measured, and with which noise</h2>\n"
        "<p class=\"note\">This is all that was taken from the data. Sensitivity: by how much all the links of one node can change it. "
        "Noise: its scale, in the same units (of box noise, about that of Laplace noise as wide). Together, by exact joint accounting: "
        "ε&nbsp;=&nbsp;");
    pdpr_i_html_text(b, pdpr_i_fact(accounting, "epsilon"));
    pdpr_i_text_put(b, " at δ&nbsp;=&nbsp;");
    pdpr_i_html_text(b, pdpr_i_fact(accounting, "delta"));
    pdpr_i_text_put(
        b,
        ".</p>\n<div class=\"scroll\"><table aria-labelledby=\"measured\">\n<thead><tr><th scope=\"col\">Query</th><th scope=\"col\" "
        "class=\"wide\">Mechanism</th><th scope=\"col\" class=\"wide\">Values</th><th "
        "scope=\"col\">Sensitivity</th><th scope=\"col\">Noise</th><th "
        "scope=\"col\">Share</th></tr></thead>\n<tbody>\n");
    put_embedding(b, json_object_get(mechanisms, "embedding"));
    for (size_t i = 0; i < json_array_size(queries); i++)
        put_query(b, json_array_get(queries, i), pure_total);
    pdpr_i_text_put(b, "</tbody></table></div></section>\n");
}

/* ---------------------------------------------------------------- files, inputs, limits */

static void put_outputs(pdpr_i_text *b, const json_t *outputs)
{
    pdpr_i_text_put(
        b,
        "<section class=\"card\"><h2 id=\"files\">Published files</h2>\n<p class=\"note\">"
        "Compare the hash, or let <code>privdpr verify CERTIFICATE FILE</code> do it."
        "</p>\n<div class=\"scroll\"><table class=\"left\" aria-labelledby=\"files\">\n<thead><tr><th "
        "scope=\"col\">File</th><th scope=\"col\">Nodes</th><th "
        "scope=\"col\">Edges</th><th scope=\"col\">SHA-256</th></tr></thead>\n"
        "<tbody>\n");
    for (size_t i = 0; i < json_array_size(outputs); i++) {
        const json_t *o = json_array_get(outputs, i);
        pdpr_i_text_put(b, "<tr><th scope=\"row\">");
        pdpr_i_html_text(b, pdpr_i_fact(o, "file"));
        pdpr_i_text_put(b, "</th><td>");
        pdpr_i_html_count(b, (uint64_t)json_integer_value(json_object_get(o, "nodes")));
        pdpr_i_text_put(b, "</td><td>");
        json_int_t edges = json_integer_value(json_object_get(o, "edges"));
        if (edges > 0)
            pdpr_i_html_count(b, (uint64_t)edges);
        else /* a release or an embedding has none */
            pdpr_i_text_put(b, "–");
        pdpr_i_text_put(b, "</td><td class=\"hash\">");
        pdpr_i_html_text(b, pdpr_i_fact(o, "sha256"));
        pdpr_i_text_put(b, "</td></tr>\n");
    }
    pdpr_i_text_put(b, "</tbody></table></div></section>\n");
}

static void put_term(pdpr_i_text *b, const char *term, const char *text)
{
    pdpr_i_text_format(b, "<dt>%s</dt><dd>", term);
    pdpr_i_html_text(b, text);
    pdpr_i_text_put(b, "</dd>\n");
}

static void put_inputs(pdpr_i_text *b, const pdpr_i_certificate_facts *f)
{
    const json_t *inputs = json_object_get(f->json, "public_inputs");
    const json_t *tool = json_object_get(f->json, "tool");
    const char *name;
    json_t *value;

    pdpr_i_text_put(b, "<section class=\"card\"><h2>Known to all</h2>\n<dl>\n<dt>nodes</dt><dd>");
    pdpr_i_html_count(b, (uint64_t)json_integer_value(json_object_get(inputs, "nodes")));
    pdpr_i_text_put(b, "</dd>\n");
    put_term(b, "node list", pdpr_i_fact(inputs, "vertex_list"));
    put_term(b, "edge count", pdpr_i_fact(json_object_get(inputs, "edge_count"), "source"));
    put_term(b, "method", f->method);
    put_term(b, "profile", f->profile);
    json_object_foreach(json_object_get(inputs, "hyperparameters"), name, value)
    {
        pdpr_i_text_put(b, "<dt>");
        pdpr_i_html_text(b, name);
        pdpr_i_text_put(b, "</dt><dd>");
        pdpr_i_html_text(b, json_string_value(value) ? json_string_value(value) : "");
        pdpr_i_text_put(b, "</dd>\n");
    }
    put_term(b, "done to the data before", pdpr_i_fact(f->json, "preprocessing"));
    put_term(b, "made by", pdpr_i_fact(tool, "name"));
    put_term(b, "version", pdpr_i_fact(tool, "version"));
    put_term(b, "commit", pdpr_i_fact(tool, "commit"));
    pdpr_i_text_put(b, "</dl></section>\n");
}

static void put_list(pdpr_i_text *b, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        pdpr_i_text_put(b, "<li>");
        pdpr_i_html_text(b, text ? text : "");
        pdpr_i_text_put(b, "</li>\n");
    }
}

static void put_limits(pdpr_i_text *b, const pdpr_i_certificate_facts *f)
{
    pdpr_i_text_put(b,
                    "<section class=\"card\"><h2>Neighbours, and what is not protected</h2>\n<p>");
    pdpr_i_text_put(
        b, f->whole_edge_set
               ? "Two data sets count as neighbours if they have the same nodes, whatever their "
                 "links: the whole set of links is protected at once, and with it every node’s."
               : "Two data sets count as neighbours if they have the same nodes and differ in the "
                 "links of one node, all of which may be replaced by any others.");
    pdpr_i_text_put(b, "</p>\n<ul class=\"plain\">\n"
                       "<li><b>Who is in the list.</b> The number and the names of nodes are "
                       "public.</li>\n"
                       "<li><b>Facts about everybody.</b> What holds for the graph at large may "
                       "show, also about you.</li>\n"
                       "<li><b>Other publications</b> from the same or overlapping data: each adds "
                       "to what this one costs.</li>\n");
    put_list(b, json_object_get(f->json, "not_promised"));
    pdpr_i_text_put(b, "</ul>\n<p></p><p>It is assumed:</p>\n<ul class=\"plain\">\n");
    put_list(b, json_object_get(f->json, "assumptions"));
    pdpr_i_text_put(b, "</ul></section>\n");
}

static void put_checks(pdpr_i_text *b, const pdpr_verification *v)
{
    pdpr_i_text_put(
        b,
        "<section class=\"card\"><h2 id=\"checks\">Checks</h2>\n<p class=\"note\">Recomputed from the "
        "certificate’s own numbers, by code that shares nothing with the code that "
        "wrote it. That the run did what the certificate says rests on whoever ran "
        "it.</p>\n<div class=\"scroll\"><table class=\"left\" "
        "aria-labelledby=\"checks\">\n<thead><tr><th "
        "scope=\"col\">Check</th><th scope=\"col\">Result</th><th scope=\"col\">What "
        "was found</th></tr></thead>\n<tbody>\n");
    for (uint64_t i = 0; i < v->num_checks; i++) {
        pdpr_i_text_put(b, "<tr><th scope=\"row\">");
        pdpr_i_html_text(b, v->checks[i].name);
        pdpr_i_text_put(b, "</th><td>");
        pdpr_i_html_check_light(b, v->checks[i].result);
        pdpr_i_text_put(b, "</td><td>");
        pdpr_i_html_text(b, v->checks[i].text);
        pdpr_i_text_put(b, "</td></tr>\n");
    }
    pdpr_i_text_put(b, "</tbody></table></div></section>\n");
}

/* ---------------------------------------------------------------- the page */

static void write_page(pdpr_i_text *b, const pdpr_i_certificate_facts *f, const char *name)
{
    bool passed = f->checks->passed;
    pdpr_i_html_begin(b, PDPR_I_PAGE_PUBLIC, "Privacy certificate");
    pdpr_i_text_put(b, "<header><p class=\"over\">Privacy certificate · public · ");
    pdpr_i_html_file(b, name);
    pdpr_i_text_format(b, "</p>\n<h1>%s</h1>\n<p class=\"light lone %s</p></header>\n",
                       passed      ? "The certificate’s claim follows from its numbers"
                       : f->seeded ? "No guarantee: a seeded run"
                                   : "The certificate does not hold",
                       passed ? "good\">Verified" : "not\">Not verified");
    pdpr_i_text_put(b, "<div class=\"two\">\n<div><section class=\"card\"><h2>What is "
                       "promised</h2>\n");
    pdpr_i_html_promise(b, f);
    pdpr_i_text_put(b, "</section>\n");
    if (f->json)
        put_limits(b, f);
    pdpr_i_text_put(b, "</div>\n");
    if (f->json)
        put_inputs(b, f);
    pdpr_i_text_put(b, "</div>\n");
    if (f->json) {
        put_measured(b, f->json);
        put_outputs(b, json_object_get(f->json, "outputs"));
    }
    put_checks(b, f->checks);
    pdpr_i_html_end(b, b->ctx, PDPR_I_PAGE_PUBLIC);
}

pdpr_status pdpr_report_certificate_html(pdpr_context *ctx, const char *certificate_path,
                                         const char *output_path, const char *path, bool *passed,
                                         pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_certificate_facts facts = {0};
    pdpr_i_text page = {.ctx = ctx, .what = "HTML page", .err = err};

    PDPR_TRY(pdpr_i_certificate_facts_init(ctx, certificate_path, output_path, &facts, err));
    write_page(&page, &facts, certificate_path);
    PDPR_TRY(pdpr_i_html_save(&page, PDPR_I_PAGE_PUBLIC, path, err));
    if (passed)
        *passed = facts.checks->passed;
done:
    pdpr_i_text_drop(&page);
    pdpr_i_certificate_facts_clear(&facts);
    return s;
}
