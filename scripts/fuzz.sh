#!/bin/sh
# Fuzzes every target under ASan and UBSan: scripts/fuzz.sh [TARGET ...]
# FUZZ_SECONDS each (default 1800). New inputs go to build/fuzz-corpus, findings to build/fuzz-findings.
set -eu
cd "$(dirname "$0")/.."
sh scripts/install-packages.sh build test
sh scripts/build.sh fuzz -DPRIVDPR_TESTS=OFF
[ $# -gt 0 ] || set -- $(cd tests/fuzz && ls fuzz_*.c | sed 's/\.c$//')
for target in "$@"; do
    grown=build/fuzz-corpus/$target
    found=build/fuzz-findings/$target
    mkdir -p "$grown" "$found"
    echo "$target: ${FUZZ_SECONDS:-1800} s"
    build/fuzz/fuzz/"$target" "$grown" tests/fuzz/corpus/"$target" -artifact_prefix="$found/" \
        -max_total_time="${FUZZ_SECONDS:-1800}" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
        >"build/fuzz-$target.log" 2>&1 || {
        tail -n 30 "build/fuzz-$target.log"
        echo "$target: a finding, kept in $found"
        exit 1
    }
    grep -E 'stat::(number_of_executed_units|average_exec)' "build/fuzz-$target.log"
done
