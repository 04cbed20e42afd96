/* The joint cost of pure charges alone, atom by atom.
 *
 * With randomised responses for the charges, P the law of the answers in one world and Q in the
 * other, delta(epsilon) = P(A) - e^epsilon Q(A) with A the answers whose loss ln P/Q is above
 * epsilon. The charges are split in two parts; each part's answers are composed to a sorted list of
 * (loss, P, Q), equal losses joined, so that k charges need two lists of 2^(k/2) and not one of
 * 2^k. For each answer of the first part those of the second that bring it above epsilon are an end
 * of its list, whose sums are known.
 *
 * Weights P are rounded up, Q down. Losses carry errors of rounding, so an answer whose loss is
 * within 2^(30 - bits) of the largest loss from epsilon may be taken to the wrong side; what that
 * can hide is added. When that is not small beside the result, the precision is doubled.
 *
 * Cost: about 0.2 ms for 11 charges, 10 ms for 8192 atoms a part. Source: Kairouz, Oh, Viswanath
 * 2015; proof in docs/proofs/joint_accounting.md, Theorem 3 (a). */
#include "dp/accountant_joint.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_ATOMS = 8192, FIRST_BITS = 160, MOST_BITS = 2560 };

/* Bits at the end of a loss that rounding may change, and those that joining may, in units of the
 * largest loss: at most 1024 sums and joints (Theorem 3 a). */
enum { ROUNDED_BITS = 12, HIDDEN_BITS = 30 };

static int by_loss(const void *a, const void *b)
{
    return mpfr_cmp(((const pdpr_i_atom *)a)->loss, ((const pdpr_i_atom *)b)->loss);
}

/* Sorts a part and joins atoms of the same loss. */
static void join_equal(pdpr_i_atoms *x, int part)
{
    pdpr_i_atom *atom = x->atom[part];
    uint32_t made = 0;
    mpfr_t gap;
    mpfr_init2(gap, 53);
    qsort(atom, x->count[part], sizeof *atom, by_loss);
    for (uint32_t i = 1; i < x->count[part]; i++) {
        mpfr_sub(gap, atom[i].loss, atom[made].loss, MPFR_RNDU);
        if (mpfr_zero_p(gap) || mpfr_get_exp(gap) < x->reach + ROUNDED_BITS - x->bits) {
            mpfr_add(atom[made].here, atom[made].here, atom[i].here, MPFR_RNDU);
            mpfr_add(atom[made].there, atom[made].there, atom[i].there, MPFR_RNDD);
        } else if (++made < i) {
            mpfr_swap(atom[made].loss, atom[i].loss);
            mpfr_swap(atom[made].here, atom[i].here);
            mpfr_swap(atom[made].there, atom[i].there);
        }
    }
    x->count[part] = made + 1;
    mpfr_clear(gap);
}

/* What `times` equal responses can say: j times the truth, and the probability of that. */
typedef struct {
    mpfr_t epsilon, truth[2], lie[2]; /* up and down */
    mpfr_t shift, here, there, ways;
} responses;

static void responses_init(responses *r, mpfr_prec_t bits, const mpq_t epsilon)
{
    mpfr_inits2(bits, r->epsilon, r->truth[0], r->truth[1], r->lie[0], r->lie[1], r->shift, r->here,
                r->there, r->ways, (mpfr_ptr)0);
    mpfr_set_q(r->epsilon, epsilon, MPFR_RNDU); /* up: a larger charge costs more */
    for (int down = 0; down < 2; down++) {
        mpfr_rnd_t side = down ? MPFR_RNDD : MPFR_RNDU, other = down ? MPFR_RNDU : MPFR_RNDD;
        mpfr_neg(r->truth[down], r->epsilon, MPFR_RNDN);
        mpfr_exp(r->truth[down], r->truth[down], other);
        mpfr_add_ui(r->truth[down], r->truth[down], 1, other);
        mpfr_ui_div(r->truth[down], 1, r->truth[down], side); /* 1 / (1 + e^-epsilon) */
        mpfr_exp(r->lie[down], r->epsilon, other);
        mpfr_add_ui(r->lie[down], r->lie[down], 1, other);
        mpfr_ui_div(r->lie[down], 1, r->lie[down], side);
    }
}

static void responses_clear(responses *r)
{
    mpfr_clears(r->epsilon, r->truth[0], r->truth[1], r->lie[0], r->lie[1], r->shift, r->here,
                r->there, r->ways, (mpfr_ptr)0);
}

/* Loss and weights when j of `times` answers are true: (2 j - times) epsilon, and the binomial
 * probabilities, in the other world with truth and lie exchanged. */
static void responses_set(responses *r, uint32_t times, uint32_t j)
{
    mpz_t ways;
    mpz_init(ways);
    mpz_bin_uiui(ways, times, j);
    mpfr_mul_si(r->shift, r->epsilon, 2 * (long)j - (long)times, MPFR_RNDN);
    mpfr_pow_ui(r->here, r->truth[0], j, MPFR_RNDU);
    mpfr_pow_ui(r->ways, r->lie[0], times - j, MPFR_RNDU);
    mpfr_mul(r->here, r->here, r->ways, MPFR_RNDU);
    mpfr_mul_z(r->here, r->here, ways, MPFR_RNDU);
    mpfr_pow_ui(r->there, r->lie[1], j, MPFR_RNDD);
    mpfr_pow_ui(r->ways, r->truth[1], times - j, MPFR_RNDD);
    mpfr_mul(r->there, r->there, r->ways, MPFR_RNDD);
    mpfr_mul_z(r->there, r->there, ways, MPFR_RNDD);
    mpz_clear(ways);
}

/* Composes a part with one more group; false if there is no room. */
static bool respond(pdpr_i_atoms *x, int part, const pdpr_i_pure_group *group)
{
    pdpr_i_atom *atom = x->atom[part];
    uint32_t before = x->count[part];
    responses r;
    if ((uint64_t)before * (group->times + 1) > x->room[part])
        return false;
    responses_init(&r, x->bits, group->epsilon);
    for (uint32_t j = group->times; j != UINT32_MAX; j--) { /* 0 last: it overwrites the old ones */
        responses_set(&r, group->times, j);
        for (uint32_t i = 0; i < before; i++) {
            pdpr_i_atom *to = &atom[j * before + i];
            mpfr_add(to->loss, atom[i].loss, r.shift, MPFR_RNDN);
            mpfr_mul(to->here, atom[i].here, r.here, MPFR_RNDU);
            mpfr_mul(to->there, atom[i].there, r.there, MPFR_RNDD);
        }
    }
    responses_clear(&r);
    x->count[part] = before * (group->times + 1);
    join_equal(x, part);
    return true;
}

/* From atoms to the ends of the second list: here and there become sums over this atom and all
 * above it. */
static void sum_ends(pdpr_i_atoms *x)
{
    pdpr_i_atom *atom = x->atom[1];
    for (uint32_t i = x->count[1] - 1; i-- > 0;) {
        mpfr_add(atom[i].here, atom[i].here, atom[i + 1].here, MPFR_RNDU);
        mpfr_add(atom[i].there, atom[i].there, atom[i + 1].there, MPFR_RNDD);
    }
}

/* The exponent of the largest loss there is. */
static mpfr_exp_t reach_of(const pdpr_i_pure_list *list)
{
    double sum = 0;
    for (uint32_t g = 0; g < list->count; g++)
        sum += list->group[g].times * mpq_get_d(list->group[g].epsilon);
    return ilogb(sum) + 2;
}

/* Composes all charges; false if there is no room. */
static bool compose(pdpr_i_atoms *x, mpfr_prec_t bits)
{
    x->reach = reach_of(&x->list);
    for (int part = 0; part < 2; part++) {
        pdpr_i_atom *atom = x->atom[part];
        for (uint32_t i = 0; i < x->room[part] && bits != x->bits; i++) {
            mpfr_set_prec(atom[i].loss, bits);
            mpfr_set_prec(atom[i].here, bits);
            mpfr_set_prec(atom[i].there, bits);
        }
        mpfr_set_zero(atom[0].loss, 1);
        mpfr_set_ui(atom[0].here, 1, MPFR_RNDN);
        mpfr_set_ui(atom[0].there, 1, MPFR_RNDN);
        x->count[part] = 1;
    }
    x->bits = bits;
    for (uint32_t g = 0; g < x->list.count; g++)
        if (!respond(x, x->part[g], &x->list.group[g]))
            return false;
    sum_ends(x);
    return true;
}

/* Puts each group into the part that has fewer atoms so far, and tells how many each may get. */
static void divide(pdpr_i_atoms *x)
{
    uint64_t most[2] = {1, 1};
    for (uint32_t g = 0; g < x->list.count; g++) {
        int part = most[0] <= most[1] ? 0 : 1;
        x->part[g] = (unsigned char)part;
        most[part] *= (uint64_t)x->list.group[g].times + 1;
        if (most[part] > MOST_ATOMS)
            most[part] = MOST_ATOMS;
    }
    x->room[0] = (uint32_t)most[0];
    x->room[1] = (uint32_t)most[1];
}

pdpr_status pdpr_i_atoms_init(pdpr_context *ctx, pdpr_i_pure_list list, pdpr_i_atoms *out,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_atoms x = {.list = list, .bits = FIRST_BITS};

    PDPR_TRY(pdpr_i_alloc(ctx, list.count, 1, "pure charges", &x.part, err));
    divide(&x);
    for (int part = 0; part < 2; part++)
        PDPR_TRY(pdpr_i_alloc(ctx, x.room[part], sizeof *x.atom[part], "privacy losses",
                              &x.atom[part], err));
    for (int part = 0; part < 2; part++)
        for (uint32_t i = 0; i < x.room[part]; i++)
            mpfr_inits2(x.bits, x.atom[part][i].loss, x.atom[part][i].here, x.atom[part][i].there,
                        (mpfr_ptr)0);
    x.fit = compose(&x, x.bits);
    *out = x;
    return PDPR_OK;
done:
    pdpr_free(x.part);
    pdpr_free(x.atom[0]);
    return s;
}

void pdpr_i_atoms_clear(pdpr_i_atoms *x)
{
    for (int part = 0; part < 2; part++) {
        for (uint32_t i = 0; i < x->room[part]; i++)
            mpfr_clears(x->atom[part][i].loss, x->atom[part][i].here, x->atom[part][i].there,
                        (mpfr_ptr)0);
        pdpr_free(x->atom[part]);
    }
    pdpr_free(x->part);
}

/* P(A) - e^epsilon Q(A) and what wrong sides may hide; returns the exponent of the latter. */
static mpfr_exp_t outweigh(const pdpr_i_atoms *x, double epsilon, mpfr_t out)
{
    const pdpr_i_atom *first = x->atom[0], *second = x->atom[1];
    mpfr_t here, there, part, e;
    uint32_t from = x->count[1]; /* the second part's atoms from here on are above epsilon */
    mpfr_inits2(x->bits, here, there, part, e, (mpfr_ptr)0);
    mpfr_set_zero(here, 1);
    mpfr_set_zero(there, 1);
    for (uint32_t i = 0; i < x->count[0]; i++) {
        mpfr_d_sub(e, epsilon, first[i].loss, MPFR_RNDN);
        while (from > 0 && mpfr_cmp(second[from - 1].loss, e) > 0)
            from--;
        if (from == x->count[1])
            continue;
        mpfr_fma(here, first[i].here, second[from].here, here, MPFR_RNDU);
        mpfr_fma(there, first[i].there, second[from].there, there, MPFR_RNDD);
    }
    mpfr_set_d(e, epsilon, MPFR_RNDN);
    mpfr_exp(e, e, MPFR_RNDD);
    mpfr_mul(there, there, e, MPFR_RNDD);
    mpfr_sub(part, here, there, MPFR_RNDU);
    mpfr_exp_t hidden = x->reach + HIDDEN_BITS - x->bits;
    mpfr_set_ui_2exp(e, 1, hidden, MPFR_RNDU);
    mpfr_add(part, part, e, MPFR_RNDU);
    mpfr_set(out, part, MPFR_RNDU);
    mpfr_clears(here, there, part, e, (mpfr_ptr)0);
    return hidden;
}

void pdpr_i_atoms_delta(pdpr_i_atoms *x, double epsilon, mpfr_t out)
{
    for (mpfr_prec_t bits = x->bits;; bits *= 2) {
        if (x->bits != bits)
            x->fit = compose(x, bits);
        if (!x->fit) { /* rounding kept apart what was joined before: no less than this is safe */
            mpfr_set_ui(out, 1, MPFR_RNDN);
            break;
        }
        mpfr_exp_t hidden = outweigh(x, epsilon, out);
        if (mpfr_get_exp(out) > hidden + 50 || bits >= MOST_BITS)
            break;
    }
}
