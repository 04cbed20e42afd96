/* The sigmoid for any machine; the reference that other forms are compared with. */
#define SIGMOID pdpr_i_sigmoid_portable
#include "dpr/sigmoid_kernel.h"

pdpr_i_sigmoid *pdpr_i_sigmoid_choose(const pdpr_context *ctx)
{
#if defined(__x86_64__)
    if (ctx->cpu_used >= PDPR_CPU_AVX2)
        return pdpr_i_sigmoid_avx2;
#endif
    (void)ctx;
    return pdpr_i_sigmoid_portable;
}
