/* The two ways in which the joint conversion is computed, between the accountant's files.
 *
 * Pure charges enter as groups of equal ones. Lists of pure charges alone are composed exactly,
 * atom by atom (accountant_atoms.c), as long as the atoms are few; everything else goes through a
 * contour integral (accountant_contour.c). Both give upper bounds by construction and agree with
 * the exact answer to 1e-9 of epsilon. */
#ifndef PDPR_DP_ACCOUNTANT_JOINT_H
#define PDPR_DP_ACCOUNTANT_JOINT_H

#include "dp/gdp.h"

/* `times` responses of epsilon each. */
typedef struct {
    mpq_t epsilon;
    uint32_t times;
} pdpr_i_pure_group;

typedef struct {
    const pdpr_i_pure_group *group; /* [count], all different */
    uint32_t count, copies;         /* copies: sum of times */
} pdpr_i_pure_list;

/* ---------------------------------------------------------------- few atoms, no Gaussian part */

/* One value of the privacy loss of some of the charges: its probability in the two worlds. */
typedef struct {
    mpfr_t loss, here, there;
} pdpr_i_atom;

typedef struct {
    pdpr_i_pure_list list;
    pdpr_i_atom *atom[2];       /* [room] the charges in two parts, each composed by itself */
    uint32_t count[2], room[2]; /* ascending by loss */
    unsigned char *part;        /* [list.count] which one a group is in */
    mpfr_prec_t bits;
    mpfr_exp_t reach; /* of the largest loss */
    bool fit;         /* the atoms found room */
} pdpr_i_atoms;

/* Room for the atoms of a list, and a first composition; out->fit tells whether they found it.
 * Cost: at most 8192 atoms a part. Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_atoms_init(pdpr_context *ctx, pdpr_i_pure_list list, pdpr_i_atoms *out,
                              pdpr_error *err);
void pdpr_i_atoms_clear(pdpr_i_atoms *x);

/* out := an upper bound of delta(epsilon) of the charges; x->fit.
 * Proof: docs/proofs/joint_accounting.md, Theorem 3 (a). */
void pdpr_i_atoms_delta(pdpr_i_atoms *x, double epsilon, mpfr_t out);

/* ---------------------------------------------------------------- everything else */

typedef struct {
    long double re, im;
} pdpr_i_complex;

typedef struct {
    pdpr_i_pure_list list;
    double aimed_mu;       /* what it was aimed with; -1: not yet */
    double mu;             /* what it computes with: may be larger */
    double a, h;           /* the line Re z = a, and the step along it */
    uint32_t points, most; /* n = 1..points are used, of at most `most` */
    pdpr_i_complex *value; /* [most + 1] integrand / its value at n = 0, without e^(-z epsilon) */
    mpfr_t front;          /* h / 2 pi times the integrand at n = 0, up; without epsilon */
    mpfr_t slack;          /* what rounding and the points left out may add, of `front` */
} pdpr_i_contour;

/* list.count > 0. Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_contour_init(pdpr_context *ctx, pdpr_i_pure_list list, pdpr_i_contour *out,
                                pdpr_error *err);
void pdpr_i_contour_clear(pdpr_i_contour *c);

enum { PDPR_I_FEW_POINTS = 4096, PDPR_I_ALL_POINTS = 1 << 18 };

/* Prepares it for the charges and a mu-GDP part; accurate near `epsilon`, the more so the more
 * points it may use. Cost: groups * points, of which there are tens if mu is not small. */
void pdpr_i_contour_aim(pdpr_i_contour *c, double mu, double epsilon, uint32_t limit);

/* out := an upper bound of delta(epsilon), whatever it was aimed at.
 * Proof: docs/proofs/joint_accounting.md, Theorem 3 (b). */
void pdpr_i_contour_delta(const pdpr_i_contour *c, double epsilon, mpfr_t out);

#endif
