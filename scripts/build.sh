#!/bin/sh
# Configures and builds a preset: scripts/build.sh PRESET [cmake options]. Quiet unless it fails.
set -eu
cd "$(dirname "$0")/.."
preset=$1
shift
log=build/$preset.log
mkdir -p build
if ! { cmake --preset "$preset" "$@" && cmake --build --preset "$preset"; } >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "The build of preset $preset failed; its whole output is in $log." >&2
    exit 1
fi
