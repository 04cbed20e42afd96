/* A certificate put into words.
 *
 * The words say the definition and one consequence that needs no mathematics: how often somebody
 * who must tell two versions of a node's links apart is right at best. For (epsilon, delta) and
 * equal odds that is (e^epsilon + delta) / (1 + e^epsilon), whatever they know and compute
 * (Kairouz, Oh and Viswanath 2015, from the hypothesis-testing region). Only what the verifier
 * accepted is put into words. */
#include "report/certificate_facts.h"

#include <math.h>
#include <string.h>

#include "base/file_bytes.h"
#include "dp/canonical_json.h"
#include "report/html.h"

enum { MOST_BYTES = 16 << 20 }; /* as the verifier's */

const char *pdpr_i_fact(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static bool fields_passed(const pdpr_verification *v)
{
    for (uint64_t i = 0; i < v->num_checks; i++)
        if (strcmp(v->checks[i].name, "fields") == 0)
            return v->checks[i].result == PDPR_CHECK_PASS; /* the first failure, or the pass */
    return false;
}

static void read_facts(pdpr_i_certificate_facts *f)
{
    const json_t *guarantee = json_object_get(f->json, "guarantee");
    const json_t *method = json_object_get(f->json, "method");
    f->method = pdpr_i_fact(method, "name");
    f->profile = pdpr_i_fact(method, "profile");
    f->seeded = json_is_string(guarantee);
    f->epsilon_text = pdpr_i_fact(guarantee, "epsilon");
    f->delta_text = pdpr_i_fact(guarantee, "delta");
    f->whole_edge_set = strstr(pdpr_i_fact(guarantee, "unit"), "edge set") != NULL;
    f->epsilon = f->delta = 0;
    if (!f->seeded) { /* the verifier has read both */
        pdpr_i_real_parse(f->epsilon_text, &f->epsilon);
        pdpr_i_real_parse(f->delta_text, &f->delta);
    }
}

pdpr_status pdpr_i_certificate_facts_init(pdpr_context *ctx, const char *path, const char *output,
                                          pdpr_i_certificate_facts *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_certificate_facts f = {0};
    char *bytes = NULL;
    size_t length = 0;

    PDPR_TRY(pdpr_certificate_verify(ctx, path, output, &f.checks, err));
    if (fields_passed(f.checks)) {
        PDPR_TRY(pdpr_i_file_read(ctx, path, MOST_BYTES, &bytes, &length, err));
        PDPR_TRY(pdpr_i_canonical_parse(ctx, bytes, length - 1, path, &f.json, err));
        read_facts(&f);
    }
    *out = f;
    f = (pdpr_i_certificate_facts){0};
done:
    pdpr_free(bytes);
    pdpr_i_certificate_facts_clear(&f);
    return s;
}

void pdpr_i_certificate_facts_clear(pdpr_i_certificate_facts *facts)
{
    json_decref(facts->json);
    pdpr_verification_free(facts->checks);
    *facts = (pdpr_i_certificate_facts){0};
}

/* ---------------------------------------------------------------- words */

static void slack_words(pdpr_i_text *b, double delta)
{
    double one_in = 1 / delta;
    if (!(delta > 0)) {
        pdpr_i_text_put(b, "no slack at all");
    } else if (one_in >= 1e15) {
        pdpr_i_text_put(b, "a slack below 1 in 10<sup>15</sup>");
    } else {
        pdpr_i_text_put(b, "a slack of 1 in ");
        pdpr_i_html_quantity(b, floor(one_in * (1 + 1e-12)));
    }
}

void pdpr_i_html_promise(pdpr_i_text *b, const pdpr_i_certificate_facts *facts)
{
    if (!facts->json) {
        pdpr_i_text_put(b, "<p class=\"promise\">Nothing</p>\n<p>What was given is no valid "
                           "certificate.</p>\n");
        return;
    }
    if (facts->seeded) {
        pdpr_i_text_put(
            b, "<p class=\"promise\">Nothing</p>\n<p>The run was seeded, for research: whoever "
               "knows the seed can take the noise away. Its outputs are not protected.</p>\n");
        return;
    }
    if (!facts->checks->passed) {
        pdpr_i_text_put(b, "<p class=\"promise\">Not verified</p>\n<p>The certificate claims "
                           "ε&nbsp;=&nbsp;");
        pdpr_i_html_text(b, facts->epsilon_text);
        pdpr_i_text_put(b, ", but it fails a check. Take nothing for promised.</p>\n");
        return;
    }
    pdpr_i_text_put(b, "<p class=\"promise\">ε&nbsp;=&nbsp;");
    pdpr_i_html_text(b, facts->epsilon_text);
    pdpr_i_text_put(b, ", δ&nbsp;=&nbsp;");
    pdpr_i_html_text(b, facts->delta_text);
    pdpr_i_text_format(b,
                       "</p>\n<p>Whatever anyone concludes from the published files, they would "
                       "have concluded almost as likely if <strong>%s</strong> had been "
                       "different",
                       facts->whole_edge_set ? "the whole set of links"
                                             : "all the links of any one node");
    double factor = exp(facts->epsilon);
    pdpr_i_text_put(b, ": the probability of any result changes by a factor of at most e<sup>ε"
                       "</sup>&nbsp;=&nbsp;");
    if (factor < 1000)
        pdpr_i_text_fixed(b, ceil(100 * factor) / 100, 2); /* a bound is never rounded down */
    else
        pdpr_i_html_quantity(b, ceil(factor));
    pdpr_i_text_put(b, ", with ");
    slack_words(b, facts->delta);
    pdpr_i_text_put(b, ".</p>\n<p>Someone who must tell two versions of those links apart is right "
                       "at most ");
    double right = (factor + facts->delta) / (1 + factor); /* NaN once e^epsilon overflows */
    pdpr_i_text_fixed(b, isfinite(right) ? ceil(1000 * right - 1e-9) / 10 : 100, 1);
    pdpr_i_text_put(b, "&nbsp;% of the time, whatever else they know; a coin is right 50&nbsp;%."
                       "</p>\n");
}

void pdpr_i_html_check_light(pdpr_i_text *b, pdpr_check_result result)
{
    static const char *const words[] = {[PDPR_CHECK_PASS] = "good\">passed",
                                        [PDPR_CHECK_FAIL] = "not\">FAILED",
                                        [PDPR_CHECK_SKIPPED] = "none\">skipped"};
    pdpr_i_text_format(b, "<span class=\"light %s</span>", words[result]);
}
