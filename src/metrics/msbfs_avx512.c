/* The search kernels with AVX-512: a line of 512 lanes is one register. */
#include <immintrin.h>

#define VECTOR_BYTES 64
#define KERNEL       pdpr_i_search_avx512
#define NAME         "avx512"
#define is_zero(x)   (_mm512_test_epi64_mask((__m512i)(x), (__m512i)(x)) == 0)

#include "metrics/msbfs_kernel.h"
