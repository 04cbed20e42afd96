/* The ledger and a verification as JSON. The ledger's is for its owner: it is as private as the
 * ledger. An epsilon that has no bound is null. */
#include "report/report.h"

static json_t *dataset_json(const pdpr_ledger_dataset *d)
{
    json_t *o = json_object(), *budget = d->has_budget ? json_object() : json_null();
    bool ok = pdpr_i_json_put_text(o, "dataset", d->dataset) &&
              pdpr_i_json_put_count(o, "runs", d->runs) &&
              pdpr_i_json_put_real(o, "epsilon", d->epsilon) &&
              pdpr_i_json_put_real(o, "delta", d->delta);
    if (d->has_budget)
        ok = ok && pdpr_i_json_put_real(budget, "epsilon", d->budget_epsilon) &&
             pdpr_i_json_put_real(budget, "delta", d->budget_delta) &&
             pdpr_i_json_put_real(budget, "left", d->left);
    ok = pdpr_i_json_put(o, "budget", budget) && ok;
    if (ok)
        return o;
    json_decref(o);
    return NULL;
}

static json_t *run_json(const pdpr_ledger_run *r)
{
    json_t *o = json_object();
    if (pdpr_i_json_put_text(o, "run", r->run) && pdpr_i_json_put_text(o, "dataset", r->dataset) &&
        pdpr_i_json_put_text(o, "method", r->method) && pdpr_i_json_put_text(o, "day", r->day) &&
        pdpr_i_json_put_text(o, "state", pdpr_run_state_name(r->state)) &&
        pdpr_i_json_put(o, "seeded", json_boolean(r->seeded)) &&
        pdpr_i_json_put_real(o, "epsilon", r->epsilon) &&
        pdpr_i_json_put_text(o, "output", r->output[0] ? r->output : NULL))
        return o;
    json_decref(o);
    return NULL;
}

pdpr_status pdpr_report_ledger_json(pdpr_context *ctx, const pdpr_ledger_summary *summary,
                                    char **out, pdpr_error *err)
{
    json_t *root = json_object(), *datasets = json_array(), *runs = json_array();
    bool ok = true;
    for (uint64_t i = 0; i < summary->num_datasets; i++)
        ok = ok && json_array_append_new(datasets, dataset_json(&summary->datasets[i])) == 0;
    for (uint64_t i = 0; i < summary->num_runs; i++)
        ok = ok && json_array_append_new(runs, run_json(&summary->runs[i])) == 0;
    ok = pdpr_i_json_put_text(root, "ledger", summary->ledger) &&
         pdpr_i_json_put_count(root, "lines", summary->lines) &&
         pdpr_i_json_put_count(root, "incomplete_bytes", summary->incomplete_bytes) && ok;
    ok = pdpr_i_json_put(root, "datasets", datasets) && ok;
    ok = pdpr_i_json_put(root, "runs", runs) && ok;
    if (!ok) {
        json_decref(root);
        root = NULL;
    }
    return pdpr_i_json_text(ctx, root, out, err);
}

pdpr_status pdpr_report_verification_json(pdpr_context *ctx, const pdpr_verification *v, char **out,
                                          pdpr_error *err)
{
    static const char *const results[] = {
        [PDPR_CHECK_PASS] = "pass", [PDPR_CHECK_FAIL] = "fail", [PDPR_CHECK_SKIPPED] = "skipped"};
    json_t *root = json_object(), *checks = json_array();
    bool ok = true;
    for (uint64_t i = 0; i < v->num_checks && ok; i++) {
        json_t *o = json_object();
        ok = pdpr_i_json_put_text(o, "check", v->checks[i].name) &&
             pdpr_i_json_put_text(o, "result", results[v->checks[i].result]) &&
             pdpr_i_json_put_text(o, "text", v->checks[i].text);
        ok = json_array_append_new(checks, o) == 0 && ok;
    }
    ok = pdpr_i_json_put(root, "passed", json_boolean(v->passed)) && ok;
    ok = pdpr_i_json_put(root, "checks", checks) && ok;
    if (!ok) {
        json_decref(root);
        root = NULL;
    }
    return pdpr_i_json_text(ctx, root, out, err);
}
