/* The search kernels for any machine: registers of 128 bits, which every x86-64 and ARMv8 has and
 * which compilers split where they are missing. */
#define VECTOR_BYTES 16
#define KERNEL       pdpr_i_search_portable
#define NAME         "portable"
#define is_zero(x)   (((x)[0] | (x)[1]) == 0)

#include "metrics/msbfs_kernel.h"
