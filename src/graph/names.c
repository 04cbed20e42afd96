/* Names of nodes: numbers from a first one, a table of numbers, or a table of texts. */
#include "graph/graph.h"

#include <string.h>

struct pdpr_i_names {
    pdpr_i_names_kind kind;
    atomic_uint holders;
    uint64_t first;  /* NUMBERED */
    uint64_t *id;    /* SPARSE */
    char *text;      /* TEXT */
    uint64_t *start; /* TEXT: [count + 1] */
};

static pdpr_status new_names(pdpr_context *ctx, pdpr_i_names_kind kind, pdpr_i_names **out,
                             pdpr_error *err)
{
    pdpr_i_names *n = NULL;
    pdpr_status s = pdpr_i_zalloc(ctx, 1, sizeof *n, "node names", &n, err);
    if (s == PDPR_OK) {
        n->kind = kind;
        atomic_init(&n->holders, 1);
        *out = n;
    }
    return s;
}

pdpr_status pdpr_i_names_numbered(pdpr_context *ctx, uint64_t first, pdpr_i_names **out,
                                  pdpr_error *err)
{
    pdpr_status s = new_names(ctx, PDPR_I_NAMES_NUMBERED, out, err);
    if (s == PDPR_OK)
        (*out)->first = first;
    return s;
}

pdpr_status pdpr_i_names_sparse(pdpr_context *ctx, uint64_t *id, uint32_t count, pdpr_i_names **out,
                                pdpr_error *err)
{
    uint32_t i = 0; /* consecutive ids need no table */
    while (i < count && i <= UINT64_MAX - id[0] && id[i] == id[0] + i)
        i++;
    if (i == count) {
        pdpr_status s = pdpr_i_names_numbered(ctx, count ? id[0] : 0, out, err);
        if (s == PDPR_OK)
            pdpr_free(id);
        return s;
    }
    pdpr_status s = new_names(ctx, PDPR_I_NAMES_SPARSE, out, err);
    if (s == PDPR_OK)
        (*out)->id = id;
    return s;
}

pdpr_status pdpr_i_names_text(pdpr_context *ctx, char *text, uint64_t *start, uint32_t count,
                              pdpr_i_names **out, pdpr_error *err)
{
    (void)count;
    pdpr_status s = new_names(ctx, PDPR_I_NAMES_TEXT, out, err);
    if (s == PDPR_OK) {
        (*out)->text = text;
        (*out)->start = start;
    }
    return s;
}

pdpr_i_names *pdpr_i_names_share(pdpr_i_names *names)
{
    atomic_fetch_add(&names->holders, 1);
    return names;
}

void pdpr_i_names_release(pdpr_i_names *names)
{
    if (!names || atomic_fetch_sub(&names->holders, 1) != 1)
        return;
    pdpr_free(names->id);
    pdpr_free(names->text);
    pdpr_free(names->start);
    pdpr_free(names);
}

bool pdpr_i_names_are_plain(const pdpr_i_names *names)
{
    return names->kind == PDPR_I_NAMES_NUMBERED && names->first == 0;
}

pdpr_i_names_view pdpr_i_names_look(const pdpr_i_names *names)
{
    return (pdpr_i_names_view){.kind = names->kind,
                               .first = names->first,
                               .id = names->id,
                               .text = names->text,
                               .start = names->start};
}

size_t pdpr_i_names_write(const pdpr_i_names *names, uint32_t u, char *text, size_t size)
{
    char digits[20];
    const char *from;
    size_t length;

    if (names->kind == PDPR_I_NAMES_TEXT) {
        from = names->text + names->start[u];
        length = (size_t)(names->start[u + 1] - names->start[u]);
    } else {
        uint64_t id = names->kind == PDPR_I_NAMES_SPARSE ? names->id[u] : names->first + u;
        char *at = digits + sizeof digits;
        do
            *--at = (char)('0' + id % 10);
        while ((id /= 10) != 0);
        from = at;
        length = (size_t)(digits + sizeof digits - at);
    }
    if (size) /* text may be NULL when only the length is asked for */
        memcpy(text, from, length < size ? length : size);
    return length;
}
