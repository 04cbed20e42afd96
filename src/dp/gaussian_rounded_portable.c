/* The fast path of rounded Gaussian noise for any machine. */
#define KERNEL pdpr_i_gaussian_kernel_portable
#include "dp/gaussian_rounded_kernel.h"
