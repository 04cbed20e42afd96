/* What a synthetic graph is good for, by thresholds that the page states. */
#ifndef PDPR_REPORT_VERDICT_H
#define PDPR_REPORT_VERDICT_H

#include "base/base.h"

/* Kinds of analysis; each is judged by one error. */
typedef enum {
    PDPR_I_USE_DEGREES,   /* KS distance of the degrees */
    PDPR_I_USE_HUBS,      /* the worse of wedges and claws */
    PDPR_I_USE_TRIANGLES, /* the worse of triangles and mean clustering */
    PDPR_I_USE_MIXING,    /* distance of the tables of edges by degrees */
    PDPR_I_USE_PATHS,     /* mean path length */
    PDPR_I_USE_DIAMETER,  /* diameter */
    PDPR_I_USE_CONNECTED, /* largest component */
    PDPR_I_USES
} pdpr_i_use;

typedef enum {
    PDPR_I_LIGHT_GOOD,
    PDPR_I_LIGHT_ROUGH,
    PDPR_I_LIGHT_NOT,
    PDPR_I_LIGHT_UNKNOWN,
    PDPR_I_LIGHTS
} pdpr_i_light;

/* Off by at most this share of the original's value. */
#define PDPR_I_GOOD_UP_TO  0.10
#define PDPR_I_ROUGH_UP_TO 0.30
/* A random graph that is off by this much more is not told apart from the synthetic one: random
 * graphs scatter by about as much among themselves. */
#define PDPR_I_ALIKE 0.01

typedef struct {
    double error;      /* of the synthetic graphs, mean; NaN: not measured */
    double null_error; /* of the random graphs, mean; NaN: none */
    pdpr_i_light light;
    bool random_as_good; /* one of the random graphs is off by at most 1 % more */
} pdpr_i_judgement;

/* Good: error <= 0.10. Rough: <= 0.30, and better than each random graph. Not: the rest. The random
 * graphs have the errors null_error in the mean and null_least at the least. */
pdpr_i_judgement pdpr_i_judge(double error, double null_error, double null_least);

/* Errors that no comparison holds: mean over the synthetic graphs, or of the random one. */
typedef struct {
    double mixing;     /* pdpr_i_curves_mixing_distance to the original */
    double clustering; /* relative, of the mean clustering */
} pdpr_i_curve_errors;

/* All kinds. */
void pdpr_i_verdict(const pdpr_comparison *c, pdpr_i_curve_errors synthetic,
                    pdpr_i_curve_errors null_model, pdpr_i_judgement out[PDPR_I_USES]);

/* Kinds that are good or rough and where a random graph is not as good. */
uint32_t pdpr_i_verdict_merits(const pdpr_i_judgement verdict[PDPR_I_USES]);

/* For headings, and in the middle of a sentence. */
const char *pdpr_i_use_title(pdpr_i_use use);
const char *pdpr_i_use_figure(pdpr_i_use use); /* which error it is */
const char *pdpr_i_light_name(pdpr_i_light light);

#endif
