#!/bin/sh
# clang-tidy (.clang-tidy) finds nothing in the library and the program. Uses the compile commands of the clang preset.
cd "$(dirname "$0")/../.." || exit 1
cmake --preset clang >/dev/null || exit 1
find src tools -name '*.c' ! -name '*_avx512.c' -print0 |
    xargs -0 -P 2 -n 4 clang-tidy --quiet --warnings-as-errors='*' -p build/clang 2>/dev/null
