/* The sigmoid compiled for AVX2: the same body, wider registers, the same bits. */
#define SIGMOID pdpr_i_sigmoid_avx2
#include "dpr/sigmoid_kernel.h"
