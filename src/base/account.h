/* The memory account, as the context sees it. */
#ifndef PDPR_BASE_ACCOUNT_H
#define PDPR_BASE_ACCOUNT_H

#include "base/base.h"

pdpr_i_account *pdpr_i_account_new(uint64_t cap); /* NULL: out of memory */
void pdpr_i_account_release(pdpr_i_account *a);
uint64_t pdpr_i_account_used(const pdpr_i_account *a, uint64_t *peak);

#endif
