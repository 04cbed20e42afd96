#!/bin/sh
# What the embedding of `privdpr` knows: rank correlation of its node scores with the true degrees, and with the scores of a
# run on the edgeless graph with the same seed. Mean and largest size over RUNS seeds.
#   experiments/steering.sh [GRAPH] [RUNS]      GRAPH: an edge list with a `# nodes:` line; without, the example of ./run
# Needs a build with -DPRIVDPR_BENCH=ON. Seeded runs: for research, without any guarantee.
set -eu
cd "$(dirname "$0")/.."
runs=${2:-10}
privdpr=${PRIVDPR:-build/release/privdpr}
steering=${STEERING:-build/release/experiments/steering}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work/state"
graph=${1:-}
if [ -z "$graph" ]; then
    graph=$work/example.edges
    $privdpr generate social "$graph" -q
fi
grep '^# nodes:' "$graph" >"$work/none.edges"

# shellcheck disable=SC2086 # options are words
row() { # NAME OPTIONS...
    name=$1
    shift
    seed=0
    while [ $seed -lt "$runs" ]; do
        seed=$((seed + 1))
        $privdpr fit "$graph" -o "$work/graph.release" --seed $seed -q --force "$@"
        $privdpr fit "$work/none.edges" -o "$work/none.release" --seed $seed -q --force "$@"
        $steering "$graph" "$work/graph.release" "$work/none.release"
    done | awk -v name="$name" -v runs="$runs" '
        { value = $0; sub(/.*degrees /, "", value); sub(/,.*/, "", value) }
        / with the degrees/ && /graph.release/ { sum += value; size = value < 0 ? -value : value; if (size > most) most = size }
        /none.release/ { edgeless += value; shared += $NF }
        END {
            printf "%-34s with degrees %7.4f (largest %.4f), edgeless input %7.4f, shared with edgeless %.4f\n",
                name, sum / runs, most, edgeless / runs, shared / runs
        }'
}
row "dpr, no noise (NOT PRIVATE)" --method dpr --edges 1000
row "steered, share 0.1, epsilon 3.2" --method privdpr --epsilon 3.2
row "steered, share 0.9, epsilon 3.2" --method privdpr --epsilon 3.2 --embedding-share 0.9
row "steered, share 0.1, epsilon 50" --method privdpr --epsilon 50
row "head, all of epsilon 3.2" --method privdpr --profile head --epsilon 3.2 --edges 1000
