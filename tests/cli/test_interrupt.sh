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
    "$privdpr" convert "$work/big.bcsr" "$work/target.edges" -q --force >"$work/out" 2>&1 &
    job=$!
    sleep $delay
    kill -TERM $job 2>/dev/null
    wait $job
    same "target_is_whole_after_$delay" "$work/whole.edges" "$work/target.edges"
    no_files "no_temporary_file_after_$delay" '*.tmp'
done

# Graphs that were finished before the interruption are there, and counted.
"$privdpr" fit "$work/whole.edges" -o "$work/big.release" --epsilon 1 --seed 1 --method null --edges 800000 -q
"$privdpr" sample "$work/big.release" -o "$work/s.edges" --samples 100 >"$work/out" 2>&1 &
job=$!
tries=0
while [ ! -e "$work/s-2.edges" ] && [ $tries -lt 1000 ]; do
    sleep 0.01
    tries=$((tries + 1))
done
kill -TERM $job
wait $job
if [ $? = 75 ] && grep -q 'of 100 graphs are there' "$work/out" && ! grep -q 'no file' "$work/out"; then
    ok interrupted_sample_says_what_is_there
else
    not_ok interrupted_sample_says_what_is_there "$(cat "$work/out")"
fi
no_files no_temporary_file_of_a_sample '*.tmp'

# A file that outgrows what the shell allows is a failure like a full disk, not a sudden death.
expect file_that_grows_too_large_is_a_failure 1 'File too large' sh -c "ulimit -f 16; exec '$privdpr' sample '$work/big.release' -o '$work/large.edges'"
no_files file_that_grew_too_large_is_gone '*large.edges*'
finish
