/* task --json: one object.
 *
 *   task, method, profile, epsilon, delta, seed, repeats   the setting
 *   score                                                  "auc" or "micro_f1"
 *   guarantee                                              always "none": scores are private
 *   train, test                                            examples of a split
 *   rows                                                   by name: scores, mean, sd
 *
 * What is not defined is null. */
#include "report/report.h"

#include <math.h>

static json_t *row_object(const pdpr_task_result *r, pdpr_task_row row)
{
    json_t *object = json_object(), *scores = json_array();
    bool ok = object && scores;
    for (uint32_t i = 0; ok && i < r->repeats; i++)
        ok = json_array_append_new(scores, isfinite(r->score[row][i]) ? json_real(r->score[row][i])
                                                                      : json_null()) == 0;
    if (!ok || !pdpr_i_json_put(object, "scores", scores)) {
        if (!ok)
            json_decref(scores);
        json_decref(object);
        return NULL;
    }
    if (pdpr_i_json_put_real(object, "mean", r->mean[row]) &&
        pdpr_i_json_put_real(object, "sd", r->sd[row]))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *rows_object(const pdpr_task_result *r)
{
    json_t *rows = json_object();
    for (pdpr_task_row row = 0; rows && row < PDPR_TASK_ROWS; row++) {
        if (row == PDPR_TASK_INNER && r->task != PDPR_TASK_LINK)
            continue;
        if (!pdpr_i_json_put(rows, pdpr_task_row_name(row), row_object(r, row))) {
            json_decref(rows);
            rows = NULL;
        }
    }
    return rows;
}

pdpr_status pdpr_report_task_json(pdpr_context *ctx, const pdpr_task_result *result,
                                  const pdpr_task_options *options, char **out, pdpr_error *err)
{
    bool link = result->task == PDPR_TASK_LINK;
    const pdpr_method_options *m = &options->method;
    json_t *root = json_object();
    bool ok =
        root && pdpr_i_json_put_text(root, "task", link ? "link" : "node") &&
        pdpr_i_json_put_text(root, "score", link ? "auc" : "micro_f1") &&
        pdpr_i_json_put_text(root, "guarantee", "none (scores of the private graph)") &&
        pdpr_i_json_put_text(root, "method", m->method) &&
        pdpr_i_json_put(root, "profile", m->profile ? json_string(m->profile) : json_null()) &&
        pdpr_i_json_put_real(root, "epsilon", m->epsilon) &&
        pdpr_i_json_put_real(root, "delta", m->delta >= 0 ? m->delta : NAN) &&
        pdpr_i_json_put_count(root, "seed", m->seed) &&
        pdpr_i_json_put_count(root, "repeats", result->repeats) &&
        pdpr_i_json_put_count(root, "train", result->train) &&
        pdpr_i_json_put_count(root, "test", result->test) &&
        pdpr_i_json_put(root, "rows", rows_object(result));
    if (!ok) {
        json_decref(root);
        root = NULL;
    }
    return pdpr_i_json_text(ctx, root, out, err);
}
