#!/bin/sh
# Line and branch coverage of the library by the tests: a summary per file, and build/coverage/html.
set -eu
cd "$(dirname "$0")/.."
sh scripts/install-packages.sh build test
command -v gcovr >/dev/null || { echo "coverage needs Debian's package gcovr: apt-get install gcovr" >&2; exit 1; }
sh scripts/build.sh coverage
ctest --preset coverage >build/coverage-tests.log 2>&1 || { tail -n 20 build/coverage-tests.log; exit 1; }
mkdir -p build/coverage/html
gcovr --root . --filter 'src/' --object-directory build/coverage --exclude-unreachable-branches \
    --exclude-throw-branches --html-details build/coverage/html/index.html --print-summary
gcovr --root . --filter 'src/dp/' --object-directory build/coverage --branches --exclude-unreachable-branches
