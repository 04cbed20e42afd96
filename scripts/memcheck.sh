#!/bin/sh
# Valgrind's memcheck over the tests of what is published: an uninitialised byte in an output is a leak (PRIVACY.md 10.8).
# It takes the place of MemorySanitizer, which would need libsodium, MPFR and jansson rebuilt with it. Long doubles have
# 64 bits under valgrind, so the accountant's own tests, which measure digits, are left out.
set -eu
cd "$(dirname "$0")/.."
sh scripts/install-packages.sh build test
command -v valgrind >/dev/null || { echo "memcheck needs Debian's package valgrind: apt-get install valgrind" >&2; exit 1; }
sh scripts/build.sh release
for name in barrier barrier_release barrier_rows checkpoint_faults drafts gaussian laplace meter private_run_faults random_stream select publish; do
    valgrind --quiet --error-exitcode=9 "build/release/tests/test_$name" >"build/memcheck-$name.log" 2>&1 ||
        { cat "build/memcheck-$name.log"; exit 1; }
    echo "test_$name: no error"
done
