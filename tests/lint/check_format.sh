#!/bin/sh
# Every source file is laid out as .clang-format says; `make format` does it.
cd "$(dirname "$0")/../.." || exit 1
find include src tools tests bench examples -name '*.[ch]' -print0 | xargs -0 clang-format --dry-run -Werror
