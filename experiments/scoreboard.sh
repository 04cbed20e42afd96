#!/bin/sh
# Blueprint on the paper's datasets: mean relative errors and KS over RUNS seeded runs, beside the null model and the paper's PrivDPR.
#   experiments/scoreboard.sh DATA [FIGURES.csv] [RUNS] > scoreboard.csv
# DATA holds cora.edges, citeseer.edges, p2p.edges, chicago.edges; a missing one is skipped with a word. FIGURES is the paper's
# figures as numbers (dataset,metric,algorithm,epsilon,value). Seeded runs: for research, without any guarantee.
set -eu
cd "$(dirname "$0")/.."
data=$1
figures=${2:-/dev/null}
runs=${3:-20}
privdpr=${PRIVDPR:-build/release/privdpr}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work/state"

echo "dataset,metric,epsilon,runs,mean,sd,null,paper"
for dataset in cora citeseer p2p chicago; do
    if [ ! -r "$data/$dataset.edges" ]; then
        echo "skipped: $data/$dataset.edges is not there" >&2
        continue
    fi
    for epsilon in 0.1 0.2 0.4 0.8 1.6 3.2; do
        seed=0
        while [ $seed -lt "$runs" ]; do
            seed=$((seed + 1))
            $privdpr synth "$data/$dataset.edges" -o "$work/graph$seed.edges" --epsilon $epsilon --seed $seed -q --force
        done
        $privdpr compare "$data/$dataset.edges" "$work"/graph*.edges --null-graphs 5 |
            awk -v dataset=$dataset -v epsilon=$epsilon -v runs="$runs" -v figures="$figures" '
            BEGIN {
                while ((getline line < figures) > 0) {
                    split(line, f, ",")
                    if (f[3] == "PrivDPR" && tolower(f[1]) == dataset && f[4] == epsilon) paper[f[2]] = f[5]
                }
                name["triangles"] = "TC"; name["wedges"] = "WC"; name["claws"] = "CC"; name["degree entropy"] = "REDE"
                name["path length"] = "CPL"; name["diameter"] = "diameter"; name["largest component"] = "LCC"
                name["degree distribution (KS)"] = "KS"
            }
            {
                head = substr($0, 1, 25); sub(/ +$/, "", head)
                if (!(head in name)) next
                n = 0
                for (i = 2; i < NF; i++) if ($i == "±") { mean[++n] = $(i - 1); sd[n] = $(i + 1) }
                print dataset "," name[head] "," epsilon "," runs "," mean[1] "," sd[1] "," mean[2] "," paper[name[head]]
            }'
        rm -f "$work"/graph*
    done
done
