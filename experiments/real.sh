#!/bin/sh
# Blueprint on real graphs of the machine: cells ahead of G(N, true m) over the eight metrics, at epsilon 3.2 and 1.
#   experiments/real.sh FOLDER [RUNS]
# FOLDER holds *.edges; without any, experiments/real_graphs.py makes them there (with --held-out it makes others, on which nothing
# was chosen). Each graph is scored by experiments/generalise,
# with RUNS seeds (3 unless told), 5 null graphs and, above 15,000 nodes, path lengths from 512 sources. Seeded runs: for research.
set -eu
cd "$(dirname "$0")/.."
folder=${1:?usage: experiments/real.sh FOLDER [RUNS]}
runs=${2:-3}
generalise=${GENERALISE:-build/release/experiments/generalise}
if [ ! -x "$generalise" ]; then
    echo "expected $generalise: cmake --preset release -DPRIVDPR_BENCH=ON && cmake --build --preset release --target generalise" >&2
    exit 2
fi
has_graphs() { for file in "$folder"/*.edges; do [ -r "$file" ] && return 0; done; return 1; }
has_graphs || python3 experiments/real_graphs.py "$folder"
for epsilon in 3.2 1; do
    "$generalise" -e $epsilon -r "$runs" -l none "$folder"/*.edges
done
