#!/bin/sh
# The paper's system beside a dense PyTorch port of it (bench/dense_port.py), same graph, same machine, two threads each:
#
#     sh bench/dense_port.sh build/release/privdpr ../shared/datasets/cora.edges [STEPS [ROUNDS]]
#
# privdpr runs end to end, twice a round: with --full-training, which does what the port does (network run), and as it is, where at
# these settings it proves that the network cannot matter (docs/design/0016-signal-below-the-grid.md). The port runs STEPS steps (default
# 20) and says what all T would take. ROUNDS (default 3) alternate, because the load of a machine changes; a JSON line for each, then the
# medians and their ratios. CPU time is the steadier figure on a machine that is busy with other work. Needs python3-torch, and
# libopenblas0 beside it: with the reference BLAS its product alone is 17 times slower, which would flatter us.
privdpr=$1
graph=$2
steps=${3:-20}
rounds=${4:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! /usr/bin/python3 -c 'import torch' 2>/dev/null; then
    echo "dense_port: skipped, python3-torch is not installed" >&2
    exit 77
fi
edges=$(grep -vc '^#' "$graph")
nodes=$(/usr/bin/python3 -c "
import sys
print(1 + max(int(x) for line in open(sys.argv[1]) if line[0] not in '#%' for x in line.split()[:2]))" "$graph")
"$privdpr" plan --method privdpr --profile paper --nodes "$nodes" --epsilon 3.2 --json >"$work/plan" || exit 1
plan() {
    /usr/bin/python3 -c "import json, sys; print(json.load(open('$work/plan'))['$1'])"
}
export XDG_STATE_HOME="$work"

# ours CASE OPTION...: one timed run, as a JSON line
ours() {
    case=$1
    shift
    rm -f "$work"/out.*
    /usr/bin/python3 - "$case/$(basename "$graph")/2" "$privdpr" synth "$graph" -o "$work/out.edges" --method privdpr --profile paper \
        --epsilon 3.2 --edges "$edges" --nodes infer --seed 1 --threads 2 -q "$@" <<'END' | tee -a "$work/$case"
import json, resource, subprocess, sys, time
begin = time.monotonic()
subprocess.run(sys.argv[2:], check=True)
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"case": sys.argv[1], "seconds_all": time.monotonic() - begin, "cpu_seconds_all": use.ru_utime + use.ru_stime,
                  "peak_mb": use.ru_maxrss / 1e3}))
END
    md5sum <"$work/out.edges" >>"$work/sums"
}

round=0
while [ "$round" -lt "$rounds" ]; do
    round=$((round + 1))
    ours network_run --full-training
    ours network_proved_away
    /usr/bin/python3 "$(dirname "$0")/dense_port.py" "$graph" --steps "$steps" --all-steps "$(plan steps)" --layers "$(plan layers)" \
        --edges "$edges" --threads 2 | tee -a "$work/dense_port"
done
if [ "$(sort -u "$work/sums" | wc -l)" -ne 1 ]; then
    echo "dense_port: runs with and without the network gave different graphs" >&2
    exit 1
fi
/usr/bin/python3 - "$work" <<'END'
import json, statistics, sys
def read(case):
    lines = [json.loads(line) for line in open(f"{sys.argv[1]}/{case}")]
    return {key: [line[key] for line in lines] for key in ("seconds_all", "cpu_seconds_all", "peak_mb")}
port = read("dense_port")
for case in "network_run", "network_proved_away":
    mine = read(case)
    line = {"case": case + "/ratio", "rounds": len(mine["peak_mb"])}
    for key in "seconds_all", "cpu_seconds_all":
        ratios = [a / b for a, b in zip(port[key], mine[key])]
        line[key] = [round(statistics.median(port[key]), 2), round(statistics.median(mine[key]), 2)]
        line["ratio_" + key] = round(statistics.median(ratios), 1)
        line["spread_" + key] = [round(min(ratios), 1), round(max(ratios), 1)]
    print(json.dumps(line))
END
