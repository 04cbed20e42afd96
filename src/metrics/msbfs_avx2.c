/* The search kernels with AVX2: registers of 256 bits. */
#include <immintrin.h>

#define VECTOR_BYTES 32
#define KERNEL       pdpr_i_search_avx2
#define NAME         "avx2"
#define is_zero(x)   _mm256_testz_si256((__m256i)(x), (__m256i)(x))

#include "metrics/msbfs_kernel.h"
