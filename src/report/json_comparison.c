/* compare --json: one object.
 *
 *   original    the metrics, flat
 *   synthetic   an array: the metrics, flat, with `error` (relative errors under the names of the
 *               metrics) and `ks`
 *   mean, sd    of the errors and of ks over the synthetic graphs
 *   null        the same of the null model: graphs, seed, mean, sd; null if there was none
 *
 * If path lengths were sampled, their error is called `cpl_estimate`. */
#include "report/report.h"

/* The key of a figure in this comparison. */
static const char *figure_key(pdpr_figure figure, const pdpr_metrics *original)
{
    if (figure == PDPR_FIGURE_CPL && original->have_estimate)
        return "cpl_estimate";
    return pdpr_figure_name(figure);
}

/* Figures 0..to-1 as an object; NULL: out of memory. */
static json_t *figures(const double *value, int to, const pdpr_metrics *original)
{
    json_t *object = json_object();
    for (int f = 0; object && f < to; f++)
        if (!pdpr_i_json_put_real(object, figure_key((pdpr_figure)f, original), value[f])) {
            json_decref(object);
            object = NULL;
        }
    return object;
}

static json_t *synthetic_object(const pdpr_comparison_row *row, const char *name,
                                const pdpr_metrics *original)
{
    json_t *object = pdpr_i_json_metrics(&row->metrics, name);
    if (object &&
        pdpr_i_json_put(object, "error", figures(row->figure, PDPR_FIGURE_KS, original)) &&
        pdpr_i_json_put_real(object, "ks", row->figure[PDPR_FIGURE_KS]))
        return object;
    json_decref(object);
    return NULL;
}

static bool put_summary(json_t *object, const pdpr_comparison *c, bool null_model)
{
    pdpr_comparison_summary summary;
    const pdpr_metrics *original = pdpr_comparison_original(c);
    pdpr_comparison_summarise(c, null_model, &summary);
    return pdpr_i_json_put(object, "mean", figures(summary.mean, PDPR_FIGURES, original)) &&
           pdpr_i_json_put(object, "sd", figures(summary.sd, PDPR_FIGURES, original));
}

static bool put_null_model(json_t *root, const pdpr_comparison *c)
{
    uint32_t graphs;
    pdpr_comparison_rows(c, true, &graphs);
    if (graphs == 0)
        return pdpr_i_json_put(root, "null", json_null());
    json_t *object = json_object();
    if (object && pdpr_i_json_put_count(object, "graphs", graphs) &&
        pdpr_i_json_put_count(object, "seed", pdpr_i_comparison_null_seed(c)) &&
        put_summary(object, c, true))
        return pdpr_i_json_put(root, "null", object);
    json_decref(object);
    return false;
}

static bool put_synthetic(json_t *root, const pdpr_comparison *c, const char *const *names)
{
    uint32_t count;
    const pdpr_comparison_row *row = pdpr_comparison_rows(c, false, &count);
    json_t *array = json_array();
    for (uint32_t i = 0; array && i < count; i++)
        if (json_array_append_new(
                array, synthetic_object(&row[i], names[i], pdpr_comparison_original(c))) != 0) {
            json_decref(array);
            array = NULL;
        }
    return pdpr_i_json_put(root, "synthetic", array);
}

pdpr_status pdpr_report_comparison_json(pdpr_context *ctx, const pdpr_comparison *c,
                                        const char *original_name,
                                        const char *const *synthetic_names, char **out,
                                        pdpr_error *err)
{
    json_t *root = json_object();
    bool ok = root &&
              pdpr_i_json_put(root, "original",
                              pdpr_i_json_metrics(pdpr_comparison_original(c), original_name)) &&
              put_synthetic(root, c, synthetic_names) && put_summary(root, c, false) &&
              put_null_model(root, c);
    if (!ok) {
        json_decref(root);
        root = NULL;
    }
    return pdpr_i_json_text(ctx, root, out, err);
}
