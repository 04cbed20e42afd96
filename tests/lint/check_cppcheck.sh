#!/bin/sh
# cppcheck finds nothing in the library, the program and the public header.
cd "$(dirname "$0")/../.." || exit 1
cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr -j 2 \
    --enable=warning,performance,portability \
    --suppress=missingIncludeSystem --suppress=unknownMacro \
    -Iinclude -Isrc -D__x86_64__ -DPDPR_COMMIT='""' -DPDPR_BUILD_TYPE='""' src tools
