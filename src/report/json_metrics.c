/* metrics --json: an array with one flat object per graph.
 *
 * An estimate never stands under the name of an exact value: sampled paths have `cpl_estimate`,
 * `cpl_standard_error` and `samples` and no `cpl`; a diameter that is only enclosed has
 * `diameter_lower` and `diameter_upper` and no `diameter`. `paths` says which: what was measured,
 * not what was asked for (a sample of all nodes is exact). */
#include "report/report.h"

static const char *paths_name(const pdpr_metrics *m)
{
    return m->have_cpl ? "exact" : m->have_estimate ? "sample" : "none";
}

static bool put_paths(json_t *object, const pdpr_metrics *m)
{
    bool ok = true;
    if (m->have_cpl)
        ok = pdpr_i_json_put_real(object, "cpl", m->cpl);
    else if (m->have_estimate)
        ok = pdpr_i_json_put_real(object, "cpl_estimate", m->cpl_estimate) &&
             pdpr_i_json_put_real(object, "cpl_standard_error", m->cpl_standard_error) &&
             pdpr_i_json_put_count(object, "samples", m->samples);
    if (m->have_diameter)
        ok = ok && pdpr_i_json_put_count(object, "diameter", m->diameter);
    else if (m->have_bounds)
        ok = ok && pdpr_i_json_put_count(object, "diameter_lower", m->diameter_lower) &&
             pdpr_i_json_put_count(object, "diameter_upper", m->diameter_upper);
    return ok;
}

json_t *pdpr_i_json_metrics(const pdpr_metrics *m, const char *name)
{
    json_t *object = json_object();
    bool ok = object && pdpr_i_json_put_text(object, "file", name) &&
              pdpr_i_json_put_count(object, "nodes", m->nodes) &&
              pdpr_i_json_put_count(object, "edges", m->edges) &&
              pdpr_i_json_put_count(object, "triangles", m->triangles) &&
              pdpr_i_json_put_wide(object, "wedges", m->wedges) &&
              pdpr_i_json_put_wide(object, "claws", m->claws) &&
              pdpr_i_json_put_real(object, "rede", m->rede) && put_paths(object, m) &&
              pdpr_i_json_put_count(object, "lcc", m->lcc) &&
              pdpr_i_json_put_count(object, "max_degree", m->max_degree) &&
              pdpr_i_json_put_count(object, "components", m->components) &&
              pdpr_i_json_put_text(object, "paths", paths_name(m));
    if (!ok) {
        json_decref(object);
        return NULL;
    }
    return object;
}

pdpr_status pdpr_report_metrics_json(pdpr_context *ctx, const pdpr_metrics *metrics,
                                     const char *const *names, uint32_t count, char **out,
                                     pdpr_error *err)
{
    json_t *root = json_array();
    for (uint32_t i = 0; root && i < count; i++)
        if (json_array_append_new(root, pdpr_i_json_metrics(&metrics[i], names[i])) != 0) {
            json_decref(root);
            root = NULL;
        }
    return pdpr_i_json_text(ctx, root, out, err);
}
