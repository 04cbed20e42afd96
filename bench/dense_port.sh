#!/bin/sh
# The paper's system beside a dense PyTorch port of it (bench/dense_port.py), same graph, same machine, two threads each:
#
#     sh bench/dense_port.sh build/release/privdpr ../shared/datasets/cora.edges [STEPS]
#
# privdpr runs end to end; the port runs STEPS steps (default 20) and says what all T would take. Prints the port's JSON line, then one
# with both and their ratios. CPU time is the steady figure on a machine that is busy with other work. Needs python3-torch, and
# libopenblas0 beside it: with the reference BLAS its product alone is 17 times slower, which would flatter us.
privdpr=$1
graph=$2
steps=${3:-20}
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
/usr/bin/python3 - "$privdpr" synth "$graph" -o "$work/out.edges" --method privdpr --profile paper --epsilon 3.2 --edges "$edges" \
    --nodes infer --seed 1 --threads 2 -q >"$work/ours" <<'END' || exit 1
import json, resource, subprocess, sys, time
begin = time.monotonic()
subprocess.run(sys.argv[1:], check=True)
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"seconds": time.monotonic() - begin, "cpu_seconds": use.ru_utime + use.ru_stime, "peak_mb": use.ru_maxrss / 1e3}))
END
/usr/bin/python3 "$(dirname "$0")/dense_port.py" "$graph" --steps "$steps" --all-steps "$(plan steps)" --layers "$(plan layers)" \
    --edges "$edges" --threads 2 | tee "$work/theirs" || exit 1
/usr/bin/python3 - "$work/ours" "$work/theirs" <<'END'
import json, sys
ours, theirs = (json.load(open(path)) for path in sys.argv[1:])
print(json.dumps({"case": theirs["case"].replace("dense_port", "privdpr_paper"), **ours,
                  "ratio_seconds": theirs["seconds_all"] / ours["seconds"],
                  "ratio_cpu": theirs["cpu_seconds_all"] / ours["cpu_seconds"]}))
END
