/* The fast path of rounded Gaussian noise for CPUs with AVX-512. */
#define KERNEL pdpr_i_gaussian_kernel_avx512
#include "dp/gaussian_rounded_kernel.h"
