/* The fast path of rounded Gaussian noise for CPUs with AVX2. */
#define KERNEL pdpr_i_gaussian_kernel_avx2
#include "dp/gaussian_rounded_kernel.h"
