#!/bin/sh
# Ctrl-C: exit code 75, one line, and nothing half-written.
. "$(dirname "$0")/lib.sh"

"$privdpr" generate social "$work/big.bcsr" --nodes 100000 --edges 800000
# sh starts background jobs with SIGINT ignored, so SIGTERM, which takes the same way
"$privdpr" metrics "$work/big.bcsr" >"$work/out" 2>&1 &
job=$!
sleep 1
kill -TERM $job
wait $job
code=$?
if [ $code = 75 ]; then
    ok interrupted_metrics_exit_75
else
    not_ok interrupted_metrics_exit_75 "found $code" "$(cat "$work/out")"
fi
if grep -q interrupted "$work/out"; then
    ok interrupted_metrics_say_so
else
    not_ok interrupted_metrics_say_so "$(cat "$work/out")"
fi

# A conversion that is stopped at any moment leaves the old file or the new one, and no other.
"$privdpr" convert "$work/big.bcsr" "$work/whole.edges" -q
cp "$work/whole.edges" "$work/target.edges"
for delay in 0.01 0.05 0.1 0.2 0.4; do
    "$privdpr" convert "$work/big.bcsr" "$work/target.edges" -q >"$work/out" 2>&1 &
    job=$!
    sleep $delay
    kill -TERM $job 2>/dev/null
    wait $job
    same "target_is_whole_after_$delay" "$work/whole.edges" "$work/target.edges"
    no_files "no_temporary_file_after_$delay" '*.tmp'
done
finish
