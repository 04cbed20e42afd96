#!/bin/sh
# Runs that measure a blueprint, alone or beside an embedding: killed at any moment, stopped, or out of disk, they are resumed to the bytes of a run
# that was left alone, and the ledger has one spend.
. "$(dirname "$0")/lib.sh"
export XDG_STATE_HOME="$work/state"
folder="$work/state/privdpr"

"$privdpr" generate social "$work/g.edges" --nodes 1500 --edges 6000 --seed 4 -q
"$privdpr" generate social "$work/h.edges" --nodes 1500 --edges 6000 --seed 5 -q
how="--epsilon 3.2 --threads 1 -q"
any=100 # bytes of a checkpoint without a state

for method in blueprint privdpr; do
    # shellcheck disable=SC2086
    expect "reference_$method" 0 '' "$privdpr" synth "$work/g.edges" -o "$work/ref-$method.edges" -k 2 --method $method --seed 7 $how
done
no_files published_runs_leave_no_checkpoint '*.checkpoint*'

# Each round kills a run several times, ever later; the last time it may end by itself.
killed=0
for method in blueprint privdpr; do
    resume=
    file="$(checkpoint_of "$folder/ledger" "$work/k-$method.edges")"
    for delay in 0.03 0.1 0.2 0.05 0.3 0.15 0.45; do
        # shellcheck disable=SC2086
        kill_after $delay "$privdpr" synth "$work/g.edges" -o "$work/k-$method.edges" -k 2 --method $method --seed 7 $how $resume
        if [ -e "$file" ] && [ ! -e "$work/k-$method.edges.certificate.json" ]; then
            resume=--resume
            killed=$((killed + 1))
        elif [ -e "$work/k-$method.edges.certificate.json" ]; then
            break
        fi
    done
    if "$privdpr" ledger | grep -q committed || [ -e "$work/k-$method.edges.certificate.json" ]; then
        expect "killed_run_of_${method}_is_recovered" 0 'the run is published' "$privdpr" ledger --recover "$work/k-$method.edges.certificate.json"
    else
        # shellcheck disable=SC2086
        expect "resumed_run_of_${method}_ends" 0 '' "$privdpr" synth "$work/g.edges" -o "$work/k-$method.edges" -k 2 --method $method --seed 7 $how $resume
    fi
    for i in 1 2; do
        same "killed_and_resumed_${method}_gives_the_same_graph_$i" "$work/ref-$method-$i.edges" "$work/k-$method-$i.edges"
    done
    rm -f "$file.new" # of a run killed before its first noise
done
if [ $killed -gt 0 ]; then
    ok some_run_was_killed_with_a_checkpoint
else
    not_ok some_run_was_killed_with_a_checkpoint "every run ended before it was killed"
fi
no_files resumed_runs_leave_no_checkpoint '*.checkpoint*'
no_files resumed_runs_leave_no_drafts '.draft-*'

# Without a seed: told to stop after its first noise, then taken up twice from copies of checkpoint and ledger.
checkpoint="$(checkpoint_of "$folder/ledger" "$work/u.edges")"
# shellcheck disable=SC2086
start_until_checkpoint "$checkpoint" $any "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $how
interrupted stopped_blueprint_exits_75_and_says_how_to_go_on
no_files stopped_blueprint_leaves_no_drafts '.draft-*'
cp "$checkpoint" "$work/kept.checkpoint"
cp "$folder/ledger" "$work/kept.ledger"
spent=$(runs)
# shellcheck disable=SC2086
{
    expect same_command_again_does_not_spend_again 2 'interrupted run left its checkpoint' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $how
    expect another_epsilon_is_refused 2 'other parameters' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" --epsilon 3.3 -q --resume
    expect another_method_is_refused 2 'other parameters' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" --method privdpr $how --resume
    expect a_seed_is_refused 2 'other parameters' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $how --seed 1 --resume
    expect another_input_is_refused 3 'another input' "$privdpr" synth "$work/h.edges" -o "$work/u.edges" $how --resume
    expect another_dataset_is_refused 3 'another input' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $how --dataset monthly --resume
    expect blueprint_has_one_checkpoint_only 2 'takes no --checkpoint-every' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $how --checkpoint-every 1
    expect null_keeps_no_checkpoint 2 'takes no --checkpoint' "$privdpr" synth "$work/g.edges" -o "$work/n.edges" --method null --edges 9 --checkpoint "$work/n.checkpoint"
    same refusals_leave_the_ledger_alone "$folder/ledger" "$work/kept.ledger"
    same refusals_leave_the_checkpoint_alone "$checkpoint" "$work/kept.checkpoint"

    expect stopped_blueprint_is_resumed 0 '' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $how --resume
    expect resumed_blueprint_verifies 0 '' "$privdpr" verify "$work/u.edges.certificate.json" "$work/u.edges"
    expect ledger_has_one_spend 0 "$spent" sh -c "'$privdpr' ledger | grep -c 'run '"
    no_files resumed_blueprint_leaves_no_checkpoint '*.u.edges.*checkpoint*'
    cp "$work/u.edges" "$work/u-first.edges"
    cp "$work/kept.checkpoint" "$checkpoint"
    expect published_run_is_not_published_twice 2 'published already' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $how --resume
    no_files published_run_keeps_no_checkpoint '*.u.edges.*checkpoint*'
    cp "$work/kept.checkpoint" "$checkpoint"
    expect recovery_removes_the_checkpoint 0 'removed, its run is published' "$privdpr" ledger --recover "$work/u.edges.certificate.json"
    cp "$work/kept.checkpoint" "$checkpoint"
    cp "$work/kept.ledger" "$folder/ledger"
    expect resumed_again_for_two_graphs_by_two_threads 0 '' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" -k 2 --epsilon 3.2 --threads 2 -q --resume --force
    same resumed_again_gives_the_same_bytes "$work/u-1.edges" "$work/u-first.edges"
}

# A disk that is full (here: a limit on the size of files) once the noise is drawn, and then is not.
# shellcheck disable=SC2086
{
    spent=$(runs)
    expect full_disk_stops_the_run 1 'stays spent unless it is resumed' sh -c "trap '' XFSZ; ulimit -f 64; '$privdpr' synth '$work/g.edges' -o '$work/full.edges' $how --seed 7"
    expect full_disk_says_how_to_go_on 1 '--resume' sh -c "trap '' XFSZ; ulimit -f 64; '$privdpr' synth '$work/g.edges' -o '$work/full.edges' $how --seed 7 --resume"
    no_files full_disk_publishes_nothing 'full.edges*'
    expect room_again_and_the_run_goes_on 0 '' "$privdpr" synth "$work/g.edges" -o "$work/full.edges" $how --seed 7 --resume
    same run_after_a_full_disk_gives_the_same_bytes "$work/full.edges" "$work/ref-blueprint-1.edges"
    expect run_after_a_full_disk_is_one_spend 0 "$((spent + 1))" sh -c "'$privdpr' ledger | grep -c 'run '"
}

# fit, and a checkpoint where it is told.
# shellcheck disable=SC2086
{
    start_until_checkpoint "$work/own.checkpoint" $any "$privdpr" fit "$work/g.edges" -o "$work/f.release" --checkpoint "$work/own.checkpoint" $how
    interrupted stopped_fit_exits_75
    expect fit_is_resumed_from_a_named_checkpoint 0 '' "$privdpr" fit "$work/g.edges" -o "$work/f.release" --checkpoint "$work/own.checkpoint" $how --resume
    no_files published_fit_leaves_no_checkpoint 'own.checkpoint*'
    no_files nothing_is_left '.draft-*'
    no_files no_lock_is_left '.lock-*'
}

# The folder of the output was moved: the checkpoint has another name, and is pointed at before anything is spent again.
mkdir "$work/here"
start_until_checkpoint "$(checkpoint_of "$folder/ledger" "$work/here/m.edges")" $any "$privdpr" synth "$work/g.edges" -o "$work/here/m.edges" --epsilon 1 --threads 1 -q
interrupted run_in_a_folder_is_interrupted
moved=$(checkpoint_of "$folder/ledger" "$work/here/m.edges")
mv "$work/here" "$work/there"
spent=$(runs)
expect checkpoint_of_a_moved_folder_is_named 2 "${moved##*/} is of a run whose output has the same name" "$privdpr" synth "$work/g.edges" -o "$work/there/m.edges" --epsilon 1 --threads 1 -q --resume
expect run_in_a_moved_folder_is_resumed 0 '' "$privdpr" synth "$work/g.edges" -o "$work/there/m.edges" --epsilon 1 --threads 1 -q --resume --checkpoint "$moved"
expect moved_run_is_spent_once 0 "$spent" runs
finish
