/* What a synthetic graph is good for.
 *
 * A reader wants to know in ten seconds whether to use the graph for the work at hand. Each kind of
 * work stands and falls with one figure; its mean relative error decides. Two thresholds, 10 % and
 * 30 %, are stated on the page: they are conventions, not theorems, and one pair for all figures
 * keeps them from being fitted. The random graph of the same size is the yardstick of merit: an
 * error between the two that a random graph does not exceed is no use of the data, so it does not
 * count as rough. A good figure stays good, since it can be used, but the page says that a random
 * graph has it too. */
#include "report/verdict.h"

#include <math.h>

pdpr_i_judgement pdpr_i_judge(double error, double null_error)
{
    pdpr_i_judgement j = {.error = error, .null_error = null_error, .light = PDPR_I_LIGHT_UNKNOWN};
    if (isnan(error))
        return j;
    j.random_as_good = null_error <= error || null_error <= PDPR_I_ALIKE; /* false for NaN */
    if (error <= PDPR_I_GOOD_UP_TO)
        j.light = PDPR_I_LIGHT_GOOD;
    else if (error <= PDPR_I_ROUGH_UP_TO && !j.random_as_good)
        j.light = PDPR_I_LIGHT_ROUGH;
    else
        j.light = PDPR_I_LIGHT_NOT;
    return j;
}

/* The worse of two errors; one that is not measured does not hide the other. */
static double worse(double a, double b)
{
    return fmax(a, b);
}

void pdpr_i_verdict(const pdpr_comparison *c, pdpr_i_curve_errors synthetic,
                    pdpr_i_curve_errors null_model, pdpr_i_judgement out[PDPR_I_USES])
{
    static const pdpr_figure figure[PDPR_I_USES] = {
        [PDPR_I_USE_DEGREES] = PDPR_FIGURE_KS,    [PDPR_I_USE_TRIANGLES] = PDPR_FIGURE_TRIANGLES,
        [PDPR_I_USE_PATHS] = PDPR_FIGURE_CPL,     [PDPR_I_USE_DIAMETER] = PDPR_FIGURE_DIAMETER,
        [PDPR_I_USE_CONNECTED] = PDPR_FIGURE_LCC,
    };
    pdpr_comparison_summary own, random;
    pdpr_comparison_summarise(c, false, &own);
    pdpr_comparison_summarise(c, true, &random);
    for (int use = 0; use < PDPR_I_USES; use++)
        out[use] = pdpr_i_judge(own.mean[figure[use]], random.mean[figure[use]]);
    out[PDPR_I_USE_HUBS] =
        pdpr_i_judge(worse(own.mean[PDPR_FIGURE_WEDGES], own.mean[PDPR_FIGURE_CLAWS]),
                     worse(random.mean[PDPR_FIGURE_WEDGES], random.mean[PDPR_FIGURE_CLAWS]));
    out[PDPR_I_USE_TRIANGLES] =
        pdpr_i_judge(worse(own.mean[PDPR_FIGURE_TRIANGLES], synthetic.clustering),
                     worse(random.mean[PDPR_FIGURE_TRIANGLES], null_model.clustering));
    out[PDPR_I_USE_MIXING] = pdpr_i_judge(synthetic.mixing, null_model.mixing);
}

const char *pdpr_i_use_title(pdpr_i_use use)
{
    static const char *const titles[PDPR_I_USES] = {
        [PDPR_I_USE_DEGREES] = "How many links nodes have",
        [PDPR_I_USE_HUBS] = "Hubs and stars",
        [PDPR_I_USE_TRIANGLES] = "Triangles and clustering",
        [PDPR_I_USE_MIXING] = "Who links to whom, by degree",
        [PDPR_I_USE_PATHS] = "Typical path lengths",
        [PDPR_I_USE_DIAMETER] = "Longest path",
        [PDPR_I_USE_CONNECTED] = "Connectedness",
    };
    return titles[use];
}

const char *pdpr_i_use_figure(pdpr_i_use use)
{
    static const char *const figures[PDPR_I_USES] = {
        [PDPR_I_USE_DEGREES] = "degree distribution, KS distance",
        [PDPR_I_USE_HUBS] = "wedges and claws, the worse of both",
        [PDPR_I_USE_TRIANGLES] = "number of triangles and mean clustering, the worse of both",
        [PDPR_I_USE_MIXING] = "edges by the degrees of their ends, share that would have to move",
        [PDPR_I_USE_PATHS] = "mean distance in the largest component",
        [PDPR_I_USE_DIAMETER] = "diameter of the largest component",
        [PDPR_I_USE_CONNECTED] = "nodes of the largest component",
    };
    return figures[use];
}

const char *pdpr_i_light_name(pdpr_i_light light)
{
    static const char *const names[PDPR_I_LIGHTS] = {
        [PDPR_I_LIGHT_GOOD] = "Good",
        [PDPR_I_LIGHT_ROUGH] = "Rough",
        [PDPR_I_LIGHT_NOT] = "Not for it",
        [PDPR_I_LIGHT_UNKNOWN] = "Unknown",
    };
    return names[light];
}
