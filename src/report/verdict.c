/* What a synthetic graph is good for.
 *
 * A reader wants to know in ten seconds whether to use the graph for the work at hand. Each kind of
 * work stands and falls with one figure; its mean relative error decides. Two thresholds, 10 % and
 * 30 %, are stated on the page: they are conventions, not theorems, and one pair for all figures
 * keeps them from being fitted. The random graph of the same size is the yardstick of merit: an
 * error between the two that one of the random graphs does not clearly exceed may be luck, so it
 * does not count as rough. A good figure stays good, since it can be used, but the page says that a
 * random graph has it too, in its heading if that holds for all that is good. */
#include "report/verdict.h"

#include <math.h>

pdpr_i_judgement pdpr_i_judge(double error, double null_error, double null_least)
{
    pdpr_i_judgement j = {.error = error, .null_error = null_error, .light = PDPR_I_LIGHT_UNKNOWN};
    if (isnan(error))
        return j;
    j.random_as_good = null_least <= error + PDPR_I_ALIKE; /* false for NaN */
    if (error <= PDPR_I_GOOD_UP_TO)
        j.light = PDPR_I_LIGHT_GOOD;
    else if (error <= PDPR_I_ROUGH_UP_TO && !j.random_as_good)
        j.light = PDPR_I_LIGHT_ROUGH;
    else
        j.light = PDPR_I_LIGHT_NOT;
    return j;
}

/* The worse of two figures, and of a third error that stands beside them; one that is not measured
 * does not hide the others. */
static double worst(const double *figure, const pdpr_figure pair[2], double beside)
{
    return fmax(fmax(figure[pair[0]], figure[pair[1]]), beside);
}

/* The judgement by one or two figures of the comparison and errors beside them (NaN: none). */
static pdpr_i_judgement judge_figures(const pdpr_comparison *c, const pdpr_figure pair[2],
                                      double beside, double null_beside)
{
    pdpr_comparison_summary own, random;
    uint32_t rows;
    const pdpr_comparison_row *row = pdpr_comparison_rows(c, true, &rows);
    double least = NAN;
    pdpr_comparison_summarise(c, false, &own);
    pdpr_comparison_summarise(c, true, &random);
    for (uint32_t i = 0; i < rows; i++)
        least = fmin(least, worst(row[i].figure, pair, null_beside));
    return pdpr_i_judge(worst(own.mean, pair, beside), worst(random.mean, pair, null_beside),
                        least);
}

void pdpr_i_verdict(const pdpr_comparison *c, pdpr_i_curve_errors synthetic,
                    pdpr_i_curve_errors null_model, pdpr_i_judgement out[PDPR_I_USES])
{
    static const pdpr_figure pair[PDPR_I_USES][2] = {
        [PDPR_I_USE_DEGREES] = {PDPR_FIGURE_KS, PDPR_FIGURE_KS},
        [PDPR_I_USE_HUBS] = {PDPR_FIGURE_WEDGES, PDPR_FIGURE_CLAWS},
        [PDPR_I_USE_TRIANGLES] = {PDPR_FIGURE_TRIANGLES, PDPR_FIGURE_TRIANGLES},
        [PDPR_I_USE_PATHS] = {PDPR_FIGURE_CPL, PDPR_FIGURE_CPL},
        [PDPR_I_USE_DIAMETER] = {PDPR_FIGURE_DIAMETER, PDPR_FIGURE_DIAMETER},
        [PDPR_I_USE_CONNECTED] = {PDPR_FIGURE_LCC, PDPR_FIGURE_LCC},
    };
    for (int use = 0; use < PDPR_I_USES; use++) {
        bool clustering = use == PDPR_I_USE_TRIANGLES;
        out[use] = judge_figures(c, pair[use], clustering ? synthetic.clustering : NAN,
                                 clustering ? null_model.clustering : NAN);
    }
    out[PDPR_I_USE_MIXING] = pdpr_i_judge(synthetic.mixing, null_model.mixing, null_model.mixing);
}

uint32_t pdpr_i_verdict_merits(const pdpr_i_judgement verdict[PDPR_I_USES])
{
    uint32_t count = 0;
    for (int use = 0; use < PDPR_I_USES; use++) {
        bool usable =
            verdict[use].light == PDPR_I_LIGHT_GOOD || verdict[use].light == PDPR_I_LIGHT_ROUGH;
        count += usable && !verdict[use].random_as_good;
    }
    return count;
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
