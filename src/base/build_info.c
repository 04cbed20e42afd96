/* What this library was built from and runs on. */
#include "base/base.h"

#include <jansson.h>
#include <mpfr.h>
#include <sodium.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define TEXT(x)           #x
#define VERSION3(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

void pdpr_build_info_get(const pdpr_context *ctx, pdpr_build_info *out)
{
    *out = (pdpr_build_info)
    {
        .version = VERSION3(PDPR_VERSION_MAJOR, PDPR_VERSION_MINOR, PDPR_VERSION_PATCH),
        .commit = PDPR_COMMIT, .build_type = PDPR_BUILD_TYPE,
#if defined(__clang__)
        .compiler = "clang " __clang_version__,
#else
        .compiler = "gcc " __VERSION__,
#endif
        .sodium = sodium_version_string(), .jansson = JANSSON_VERSION, .zlib = zlibVersion(),
        .zstd = ZSTD_versionString(), .mpfr = mpfr_get_version(),
        .cpu_found = pdpr_i_cpu_name(ctx->cpu_found), .cpu_used = pdpr_i_cpu_name(ctx->cpu_used),
        .threads = ctx->threads,
    };
}

void pdpr_i_build_identity(const pdpr_context *ctx, char out[PDPR_I_BUILD_IDENTITY])
{
    pdpr_build_info build;
    char library[64] = "";
#ifdef _CS_GNU_LIBC_VERSION
    confstr(_CS_GNU_LIBC_VERSION, library, sizeof library);
#endif
    pdpr_build_info_get(ctx, &build);
    snprintf(out, PDPR_I_BUILD_IDENTITY, "%s\n%s\n%s\n%s\n", build.commit, build.compiler, library,
             build.cpu_found);
}
