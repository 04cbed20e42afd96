#!/bin/sh
# Long runs: killed at any moment and resumed, a run gives the bytes of one that was never killed, and the ledger has one spend.
. "$(dirname "$0")/lib.sh"
export XDG_STATE_HOME="$work/state"
folder="$work/state/privdpr"

"$privdpr" generate social "$work/g.edges" --nodes 300 --edges 900 --seed 4 -q
how="--method privdpr --epsilon 3.2 --edges 900 --columns 16 --width 16 --threads 1 -q"
later_step=10000 # bytes: one of step 0 is small

# The reference, and the ledger that it leaves behind.
for profile in paper tight head; do
    expect "reference_$profile" 0 '' "$privdpr" synth "$work/g.edges" -o "$work/ref-$profile.edges" --profile $profile --seed 7 $how
done
no_files published_runs_leave_no_checkpoint '*.checkpoint*'
before=$(runs)

often="--checkpoint-every 0"
# Each round kills a run several times, first when it has a checkpoint, then at any moment; the last time it may end by itself.
killed=0
for profile in paper tight head; do
    file="$(checkpoint_of "$folder/ledger" "$work/k-$profile.edges")"
    # shellcheck disable=SC2086
    start_until_checkpoint "$file" 1 "$privdpr" synth "$work/g.edges" -o "$work/k-$profile.edges" --profile $profile --seed 7 $how $often
    kill_job
    resume=
    if [ -e "$file" ]; then
        resume=--resume
        killed=$((killed + 1))
    fi
    for delay in 0.03 0.06 0.1 0.15 0.02 0.2; do
        [ ! -e "$work/k-$profile.edges" ] || break
        # shellcheck disable=SC2086
        kill_after $delay "$privdpr" synth "$work/g.edges" -o "$work/k-$profile.edges" --profile $profile --seed 7 $how $often $resume
        if [ -e "$file" ]; then
            resume=--resume
            killed=$((killed + 1))
        elif [ -e "$work/k-$profile.edges" ]; then
            break
        else # it had not come to its first noise: there is nothing to go on from
            rm -f "$work"/.draft-k-*
        fi
    done
    # A run killed after its commit has nothing to draw any more: it says so, and a recovery publishes it.
    # shellcheck disable=SC2086
    if [ ! -e "$work/k-$profile.edges" ] && ! "$privdpr" synth "$work/g.edges" -o "$work/k-$profile.edges" --profile $profile --seed 7 $how $often $resume >"$work/last" 2>&1; then
        expect "run_of_${profile}_that_does_not_resume_has_committed" 0 'ledger --recover' grep 'committed .*and not published' "$work/last"
    fi
    # It may have been killed when all was in place but its locks or its checkpoint.
    expect "killed_run_of_${profile}_is_recovered" 0 'the run is published' "$privdpr" ledger --recover "$work/k-$profile.edges.certificate.json"
    # The certificate names its output: compare graphs.
    same "killed_and_resumed_${profile}_gives_the_same_bytes" "$work/ref-$profile.edges" "$work/k-$profile.edges"
    rm -f "$file.new" # of a run killed before its first noise
done
if [ $killed -gt 0 ]; then
    ok "some_run_was_killed_with_a_checkpoint"
else
    not_ok "some_run_was_killed_with_a_checkpoint" "every run ended before it was killed"
fi
no_files resumed_runs_leave_no_checkpoint '*.checkpoint*'
no_files resumed_runs_leave_no_drafts '.draft-*'
no_files resumed_runs_leave_no_locks '.lock-*'

# A run without a seed: stopped, then taken up twice from copies of checkpoint and ledger, it gives the same bytes both times.
long="$how --checkpoint-every 0.05 --profile tight --epochs 300"
checkpoint="$(checkpoint_of "$folder/ledger" "$work/u.edges")"
# shellcheck disable=SC2086
start_until_checkpoint "$checkpoint" $later_step "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $long
# shellcheck disable=SC2086
{
    expect running_checkpoint_is_not_taken_over 2 'a running process uses' "$privdpr" synth "$work/g.edges" -o "$work/v.edges" $long --resume --checkpoint "$checkpoint"
    expect name_of_a_running_process_is_not_taken 2 'another process is publishing' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" --epsilon 1 -q
    expect name_is_not_taken_by_a_resumed_run 2 'another process is publishing' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $long --resume
    expect name_is_not_taken_by_a_recovery 2 'another process is publishing' "$privdpr" ledger --recover "$work/u.edges.certificate.json"
}
interrupted interrupted_run_exits_75_and_says_how_to_go_on
no_files interrupted_run_leaves_no_drafts '.draft-*'
no_files interrupted_run_leaves_no_locks '.lock-*'
if [ "$(stat -c %a "$checkpoint")" = 600 ]; then
    ok checkpoint_is_for_its_owner_only
else
    not_ok checkpoint_is_for_its_owner_only "$(stat -c %a "$checkpoint")"
fi
cp "$checkpoint" "$work/kept.checkpoint"
cp "$folder/ledger" "$work/kept.ledger"
spent=$(runs)

# What would spend twice, or go on with something else, is refused; nothing is lost by trying.
# shellcheck disable=SC2086
{
    expect same_command_again_does_not_spend_again 2 'interrupted run left its checkpoint' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $long
    expect other_parameters_are_refused 2 'other parameters' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $long --walks 3 --resume
    expect seeding_it_is_refused 2 'other parameters' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $long --seed 1 --resume
    "$privdpr" generate social "$work/h.edges" --nodes 300 --edges 900 --seed 5 -q
    expect another_input_is_refused 3 'another input' "$privdpr" synth "$work/h.edges" -o "$work/u.edges" $long --resume
    cp "$checkpoint" "$work/damaged.checkpoint"
    printf 'x' | dd of="$work/damaged.checkpoint" bs=1 seek=5000 conv=notrunc 2>/dev/null
    expect damaged_checkpoint_is_refused 3 'damaged' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $long --resume --checkpoint "$work/damaged.checkpoint"
    head -c 100 "$checkpoint" >"$work/damaged.checkpoint"
    expect cut_checkpoint_is_refused 3 'damaged' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $long --resume --checkpoint "$work/damaged.checkpoint"
    cp "$checkpoint" "$work/open.checkpoint"
    chmod 644 "$work/open.checkpoint"
    expect readable_checkpoint_is_refused 3 'only its owner' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $long --resume --checkpoint "$work/open.checkpoint"
    expect missing_checkpoint_is_refused 2 'no checkpoint to resume' "$privdpr" synth "$work/g.edges" -o "$work/v.edges" $long --resume
    expect method_without_checkpoints_is_refused 2 'takes no --resume' "$privdpr" synth "$work/g.edges" -o "$work/v.edges" --method null --edges 900 --resume
    same refusals_leave_the_ledger_alone "$folder/ledger" "$work/kept.ledger"
    same refusals_leave_the_checkpoint_alone "$checkpoint" "$work/kept.checkpoint"
    no_files refusals_leave_no_drafts '.draft-*'

    expect resumed_run_ends 0 '' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $long --resume
    expect resumed_run_verifies 0 '' "$privdpr" verify "$work/u.edges.certificate.json" "$work/u.edges"
    expect ledger_has_one_spend 0 "$spent" sh -c "'$privdpr' ledger | grep -c 'run '"
    cp "$work/u.edges" "$work/u-first.edges"
    cp "$work/kept.checkpoint" "$checkpoint"
    expect published_run_is_not_published_twice 2 'published already' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $long --resume
    no_files published_run_keeps_no_checkpoint 'ledger.u.edges.*checkpoint*'
    cp "$work/kept.checkpoint" "$checkpoint"
    expect recovery_removes_the_checkpoint 0 'removed, its run is published' "$privdpr" ledger --recover "$work/u.edges.certificate.json"
    no_files recovery_leaves_no_checkpoint 'ledger.u.edges.*checkpoint*'
    cp "$work/kept.checkpoint" "$checkpoint"
    cp "$work/kept.ledger" "$folder/ledger"
    expect file_that_came_meanwhile_is_kept 2 'u.edges: is there already' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $long --resume
    same file_that_came_meanwhile_is_as_it_was "$work/u.edges" "$work/u-first.edges"
    echo other >"$work/u.edges"
    expect resumed_again_from_the_copies 0 '' "$privdpr" synth "$work/g.edges" -o "$work/u.edges" $long --resume --force
    same resumed_again_gives_the_same_bytes "$work/u.edges" "$work/u-first.edges"
}

# A checkpoint of a run whose network was proved away has no weights for one that runs it, though the graphs would be the same.
proved="$how --checkpoint-every 0.05 --profile paper --epochs 3000"
# shellcheck disable=SC2086
{
    start_until_checkpoint "$(checkpoint_of "$folder/ledger" "$work/n.edges")" $later_step "$privdpr" synth "$work/g.edges" -o "$work/n.edges" $proved
    kill -TERM $job
    wait $job
    expect full_training_of_a_run_without_is_refused 2 'other parameters' "$privdpr" synth "$work/g.edges" -o "$work/n.edges" $proved --full-training --resume
    expect run_without_network_is_resumed 0 '' "$privdpr" synth "$work/g.edges" -o "$work/n.edges" $proved --resume
}

# dpr has no ledger: a checkpoint where it is told.
plain="--method dpr --edges 900 --epochs 60 --checkpoint-every 0 --threads 1 -q --checkpoint $work/plain.checkpoint"
# shellcheck disable=SC2086
{
    expect dpr_reference 0 '' "$privdpr" synth "$work/g.edges" -o "$work/d-ref.edges" $plain --seed 1
    start_until_checkpoint "$work/plain.checkpoint" $later_step "$privdpr" synth "$work/g.edges" -o "$work/d.edges" $plain --seed 1
    kill_job
    expect dpr_other_seed_is_refused 3 'another input or seed' "$privdpr" synth "$work/g.edges" -o "$work/d.edges" $plain --seed 2 --resume
    expect dpr_resumes 0 '' "$privdpr" synth "$work/g.edges" -o "$work/d.edges" $plain --seed 1 --resume
    same dpr_killed_and_resumed_gives_the_same_bytes "$work/d-ref.edges" "$work/d.edges"
}
no_files no_checkpoint_is_left 'plain.checkpoint*'
# A checkpoint is secret and removed in the end: it may not have the name of what is published.
expect checkpoint_has_a_name_of_its_own 2 'a name of its own' "$privdpr" synth "$work/g.edges" -o "$work/own.edges" --epsilon 1 --method privdpr --profile head \
    --edges 50 --columns 8 --width 4 --checkpoint "$work/own.edges"
finish
