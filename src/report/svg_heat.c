/* A table of shares as squares: the stronger the colour the more, by the logarithm.
 *
 * Colour is one hue at growing opacity over the card, so that it darkens on white and lights up on
 * black, and stays ordered for every eye and in grey print. Cost: O(classes^2). */
#include "report/svg_plot.h"

#include <math.h>

#include "report/html.h"

enum { LEFT = 66, TOP = 8, SIDE = 280 };

/* The largest number of class k; the classes begin where the one before ends. */
static void class_name(pdpr_i_text *b, uint32_t k)
{
    uint64_t high = UINT64_C(1) << k;
    if (k > 1)
        pdpr_i_text_put(b, "≤&#8202;");
    pdpr_i_html_count(b, high);
}

static void name_classes(pdpr_i_text *b, uint32_t classes)
{
    double cell = (double)SIDE / classes;
    uint32_t stride = classes > 8 ? 2 : 1; /* names do not touch */
    for (uint32_t k = 0; k < classes; k++) {
        if ((classes - 1 - k) % stride != 0 || k > 20)
            continue;
        double at = (k + 0.5) * cell;
        pdpr_i_text_format(b, "<text text-anchor=\"end\" x=\"%d\" y=\"", LEFT - 6);
        pdpr_i_text_fixed(b, TOP + SIDE - at + 4, 1);
        pdpr_i_text_put(b, "\">");
        class_name(b, k);
        pdpr_i_text_put(b, "</text><text text-anchor=\"middle\" y=\"");
        pdpr_i_text_format(b, "%d\" x=\"", TOP + SIDE + 17);
        pdpr_i_text_fixed(b, LEFT + at, 1);
        pdpr_i_text_put(b, "\">");
        class_name(b, k);
        pdpr_i_text_put(b, "</text>");
    }
}

void pdpr_i_svg_heat(pdpr_i_text *b, const char *class, const double *value, uint32_t stride,
                     uint32_t classes, double least, double most)
{
    double cell = (double)SIDE / classes, span = log(most / least);
    pdpr_i_text_format(b,
                       "<rect class=\"grid\" fill=\"none\" x=\"%d\" y=\"%d\" width=\"%d\" "
                       "height=\"%d\"/>\n<g class=\"%s\">",
                       LEFT, TOP, SIDE, SIDE, class);
    for (uint32_t i = 0; i < classes; i++)
        for (uint32_t j = 0; j < classes; j++) {
            double v = value[i * stride + j];
            if (!(v > 0))
                continue;
            double depth = span > 0 ? log(v / least) / span : 1;
            pdpr_i_text_put(b, "<rect x=\"");
            pdpr_i_text_fixed(b, LEFT + j * cell + 0.5, 2);
            pdpr_i_text_put(b, "\" y=\"");
            pdpr_i_text_fixed(b, TOP + SIDE - (i + 1) * cell + 0.5, 2);
            pdpr_i_text_put(b, "\" width=\"");
            pdpr_i_text_fixed(b, cell - 1, 2);
            pdpr_i_text_put(b, "\" height=\"");
            pdpr_i_text_fixed(b, cell - 1, 2);
            pdpr_i_text_put(b, "\" opacity=\"");
            pdpr_i_text_fixed(b, 0.07 + 0.93 * (depth < 0 ? 0 : depth > 1 ? 1 : depth), 2);
            pdpr_i_text_put(b, "\"/>");
        }
    pdpr_i_text_put(b, "</g>\n");
    name_classes(b, classes);
    pdpr_i_text_format(b,
                       "<text text-anchor=\"middle\" x=\"%d\" y=\"%d\">links of one end</text>"
                       "<text text-anchor=\"middle\" transform=\"rotate(-90)\" x=\"%d\" "
                       "y=\"11\">links of the other end</text>\n",
                       LEFT + SIDE / 2, TOP + SIDE + 38, -(TOP + SIDE / 2));
}
