#!/bin/sh
# task and reproduce through the program: on generated graphs, and on the paper's data where it is at hand.
. "$(dirname "$0")/lib.sh"
export XDG_STATE_HOME="$work/state"
export TMPDIR="$work"

"$privdpr" generate blocks "$work/g.edges" --nodes 120 --seed 2
i=0
while [ $i -lt 120 ]; do
    echo "$i $((i % 3))"
    i=$((i + 1))
done >"$work/g.labels"
small="--columns 8 --width 4 --epochs 1 --repeats 2"

# shellcheck disable=SC2086 # options are words
{
    expect task_link_says_that_it_is_private 0 'Do not publish them' "$privdpr" task link "$work/g.edges" --method privdpr --profile paper --epsilon 3.2 $small
    cp "$work/out" "$work/link.txt"
    expect task_link_has_the_run_without_edges 0 'the same on a graph without edges' cat "$work/link.txt"
    expect task_link_has_random_vectors 0 'random vectors' "$privdpr" task link "$work/g.edges" --method dpr $small
    expect task_node_has_a_score 0 'Micro-F1' "$privdpr" task node "$work/g.edges" --labels "$work/g.labels" --method privdpr --profile head --epsilon 1 $small
    expect task_of_the_default_profile_needs_no_edges 0 'AUC' "$privdpr" task link "$work/g.edges" --method privdpr --epsilon 3.2 $small
    "$privdpr" task link "$work/g.edges" --method privdpr --profile paper --epsilon 3.2 $small --json --threads 1 >"$work/one.json"
    "$privdpr" task link "$work/g.edges" --method privdpr --profile paper --epsilon 3.2 $small --json --threads 2 >"$work/two.json"
    same task_does_not_depend_on_threads "$work/one.json" "$work/two.json"
    expect task_json_names_its_score 0 '"score": "auc"' cat "$work/one.json"
    expect task_json_carries_no_guarantee 0 '"guarantee": "none' cat "$work/one.json"
    no_files task_charges_no_ledger_of_the_user 'state'
    no_files task_leaves_no_scratch_folder 'privdpr-*'

    expect task_of_another_kind_is_refused 2 'expected link or node' "$privdpr" task edge "$work/g.edges" --method dpr
    one_line task_of_another_kind_gets_one_line
    expect task_node_needs_labels 2 'expected --labels' "$privdpr" task node "$work/g.edges" --method dpr
    expect task_link_takes_no_labels 2 'no --labels' "$privdpr" task link "$work/g.edges" --labels "$work/g.labels" --method dpr
    expect task_needs_a_method 2 'expected --method' "$privdpr" task link "$work/g.edges" --epsilon 1
    expect task_needs_an_epsilon 2 'expected --epsilon' "$privdpr" task link "$work/g.edges" --method privdpr
    expect task_of_a_method_without_embedding_is_refused 2 'no embedding' "$privdpr" task link "$work/g.edges" --method blueprint --epsilon 1
    expect task_repeats_are_limited 2 'from 1 to 100' "$privdpr" task link "$work/g.edges" --method dpr --repeats 0
    printf '0 0\n500 1\n' >"$work/bad.labels"
    expect task_bad_label_gets_file_and_line 3 'bad.labels:2: expected a node of the graph, found "500"' "$privdpr" task node "$work/g.edges" --labels "$work/bad.labels" --method dpr
    one_line task_bad_label_gets_one_line
    expect task_missing_labels_fail 1 'nowhere.labels' "$privdpr" task node "$work/g.edges" --labels "$work/nowhere.labels" --method dpr
    printf '# nodes: 9\n0 1\n' >"$work/few.edges"
    expect task_of_one_edge_is_refused 2 'at least 5 edges' "$privdpr" task link "$work/few.edges" --method dpr
    no_files refused_tasks_leave_no_scratch_folder 'privdpr-*'
}

# The paper's experiments, on a graph that stands in for Cora.
mkdir "$work/data"
"$privdpr" generate blocks "$work/data/cora.edges" --nodes 40 --seed 2
expect reproduce_runs 0 'privdpr/paper no edges' "$privdpr" reproduce table2 --quick --data "$work/data" --out "$work/r"
cp "$work/out" "$work/table2.txt"
expect reproduce_shows_the_papers_values 0 '0.9926' cat "$work/table2.txt"
expect reproduce_writes_csv 0 'paper,cora,TC,PrivDPR,2,,0.9926,' cat "$work/r/table2.csv"
expect reproduce_writes_json 0 '"item": "table2"' cat "$work/r/table2.json"
expect reproduce_writes_svg 0 '</svg>' cat "$work/r/table2.svg"
expect reproduce_shows_progress 0 '10 of 10' "$privdpr" reproduce table2 --quick --data "$work/data" --out "$work/r2"
same reproduce_gives_the_same_again "$work/r/table2.csv" "$work/r2/table2.csv"

# It goes on where it stopped: a run that is cut short is made again, the others are kept.
head -n 42 "$work/r/table2-runs.csv" >"$work/r2/table2-runs.csv"
printf 'cora,TC,privdpr/pa' >>"$work/r2/table2-runs.csv"
sed -i 's/^\(cora,TC,gnm,-,1,\)[^,]*/\10.125/' "$work/r2/table2-runs.csv"
expect reproduce_goes_on 0 'seed 2' "$privdpr" reproduce table2 --quick --data "$work/data" --out "$work/r2"
if grep -q 'gnm' "$work/out" && [ "$(grep -c 'gnm, s -' "$work/out")" = 0 ]; then
    ok reproduce_keeps_finished_runs
else
    not_ok reproduce_keeps_finished_runs "$(grep gnm "$work/out")"
fi
expect reproduce_uses_what_it_kept 0 'cora,TC,gnm,-,1,0.125' cat "$work/r2/table2-runs.csv"
grep -v gnm "$work/r/table2.csv" >"$work/whole.csv"
grep -v gnm "$work/r2/table2.csv" >"$work/resumed.csv"
same reproduce_completes_the_runs "$work/whole.csv" "$work/resumed.csv"

# A run is bound to its data and to the build that made it: others stay in the file, are not used, and it is said.
# values METHOD FILE: how many values of a method a file of runs holds
values() {
    grep -c ",$1," "$2"
}
mkdir "$work/r3"
again() {
    data=$1
    shift
    "$privdpr" reproduce table2 --quick --data "$data" --out "$work/r3" --methods dpr "$@"
}
sed 's/^\(cora,TC,gnm,-,1,\)[^,]*/\10.125/; s/ [0-9a-f]*$/ 0123456789abcdef/' "$work/r/table2-runs.csv" >"$work/r3/table2-runs.csv"
expect reproduce_says_that_runs_are_of_another_build 0 '80 values were made by another build: they stay there' again "$work/data"
expect reproduce_makes_runs_of_another_build_again 0 '32' values gnm "$work/r3/table2-runs.csv"
sed -n 's/^here,cora,TC,gnm,-,2,//p' "$work/r/table2.csv" >"$work/whole.csv"
sed -n 's/^here,cora,TC,gnm,-,2,//p' "$work/r3/table2.csv" >"$work/resumed.csv"
[ -s "$work/whole.csv" ] || not_ok reproduce_has_a_row_of_gnm
same reproduce_does_not_use_runs_of_another_build "$work/whole.csv" "$work/resumed.csv"
head -n 81 "$work/r3/table2-runs.csv" >"$work/r3/cut" && mv "$work/r3/cut" "$work/r3/table2-runs.csv"
expect reproduce_uses_runs_of_any_build_if_told 0 '80 values were made by another build; they are used' again "$work/data" --any-build
expect reproduce_names_the_other_build 0 ' 0123456789abcdef' cat "$work/r3/table2.csv"
differ reproduce_took_the_other_builds_value "$work/r/table2.csv" "$work/r3/table2.csv"
expect reproduce_makes_no_run_that_any_build_made 0 '16' values gnm "$work/r3/table2-runs.csv"
mkdir "$work/other"
"$privdpr" generate blocks "$work/other/cora.edges" --nodes 40 --seed 3
expect reproduce_says_that_runs_are_of_other_data 0 '80 values are of other data' again "$work/other" --any-build
expect reproduce_makes_runs_of_other_data_again 0 '32' values gnm "$work/r3/table2-runs.csv"
mkdir "$work/r4"
sed 's/,data,build$//; s/,[^,]*,[^,]*$//' "$work/r/table2-runs.csv" >"$work/r4/table2-runs.csv"
expect reproduce_refuses_a_file_without_origins 3 'move the file away or give another --out' "$privdpr" reproduce table2 --quick --data "$work/data" --out "$work/r4"

# Parts of an item, and what it takes.
expect reproduce_of_methods_runs_these 0 'here,cora,KS,dpr/paper,-,2' sh -c "'$privdpr' reproduce figure2 --quick -q --methods dpr/paper,blueprint --data '$work/data' --out '$work/r5' && cat '$work/r5/figure2.csv'"
expect reproduce_of_methods_has_the_other 0 'here,cora,KS,blueprint,3.2,2' cat "$work/r5/figure2.csv"
if command -v python3 >/dev/null; then
    tables=$(dirname "$0")/../../experiments/tables.py
    expect tables_of_the_documents_have_the_papers_values 0 '| Cora: the paper'"'"'s PrivDPR, s = 8 | 0.9893 | 0.0245 | 0.1162 | 0.5356 |' python3 "$tables" "$work/r"
    expect tables_join_equal_rows 0 '| Cora: privdpr paper, s = 2, 8, and on no edges | ' python3 "$tables" "$work/r"
    expect tables_of_the_scoreboard_count_cells 0 '| all | ' python3 "$(dirname "$tables")/scoreboard_tables.py"
    expect tables_of_figures_have_our_rows 0 '| Cora: blueprint | ' python3 "$tables" "$work/r5"
else
    echo "skipped: no python3 for experiments/tables.py"
fi
expect reproduce_of_methods_keeps_the_null_model 0 'here,cora,KS,gnm,-,2' cat "$work/r5/figure2.csv"
if grep -q 'here,cora,KS,\(privdpr\|dpr/learning\)' "$work/r5/figure2.csv"; then
    not_ok reproduce_of_methods_runs_no_others "$(grep here "$work/r5/figure2.csv")"
else
    ok reproduce_of_methods_runs_no_others
fi
cp "$work/g.edges" "$work/other/cora.edges"
cp "$work/g.labels" "$work/other/cora.labels"
expect reproduce_of_a_task_runs 0 'here,cora,Micro-F1,privdpr/head,3.2,2' sh -c "'$privdpr' reproduce table6 --quick -q --methods privdpr/head,dpr --data '$work/other' --out '$work/r5' && cat '$work/r5/table6.csv'"
expect reproduce_of_a_task_has_one_answer_beside_any_method 0 'here,cora,Micro-F1,one answer,3.2,2' cat "$work/r5/table6.csv"
expect reproduce_of_a_task_has_the_run_without_edges 0 'here,cora,Micro-F1,privdpr/head no edges,0.1,2' cat "$work/r5/table6.csv"
expect reproduce_of_a_task_takes_one_answer_down_once 0 '4' values 'one answer' "$work/r5/table6-runs.csv"
expect reproduce_of_no_such_method_is_refused 2 'expected METHOD or METHOD/PROFILE' "$privdpr" reproduce table2 --data "$work/data" --methods privdpr/papers
expect reproduce_of_no_such_dataset_is_refused 2 'expected cora, citeseer' "$privdpr" reproduce table2 --data "$work/data" --datasets cor
expect reproduce_estimates 0 'together: 210 runs to make, roughly' "$privdpr" reproduce table2 figure2 --estimate --data "$work/data" --out "$work/r6"
no_files reproduce_estimate_writes_nothing 'r6'
expect reproduce_estimate_counts_what_is_left 0 'table2: 0 runs to make, roughly 0 s' "$privdpr" reproduce table2 --quick --estimate --data "$work/data" --out "$work/r"
expect reproduce_without_labels_skips_with_a_word 0 'cora.labels is not there' "$privdpr" reproduce table6 --quick --data "$work/data" --out "$work/r"

echo 'something else' >"$work/r2/table3-runs.csv"
expect reproduce_refuses_a_foreign_file 3 'table3-runs.csv:1: expected' "$privdpr" reproduce table3 --quick --data "$work/data" --out "$work/r2"

expect reproduce_of_a_figure_runs_every_method 0 'here,cora,KS,dpr/paper,-,2' sh -c "'$privdpr' reproduce figure2 --quick -q --data '$work/data' --out '$work/r' && cat '$work/r/figure2.csv'"
for method in blueprint privdpr/paper privdpr/tight privdpr/head dpr/learning; do
    expect "reproduce_has_$method" 0 "here,cora,KS,$method," cat "$work/r/figure2.csv"
done
expect reproduce_skips_a_missing_dataset_with_a_word 0 'skipped: ' "$privdpr" reproduce figure3 --quick --data "$work/data" --out "$work/r"
expect reproduce_of_no_such_item_is_refused 2 'expected table2 to table6' "$privdpr" reproduce table1 --data "$work/data"
expect reproduce_needs_data 2 'expected --data' "$privdpr" reproduce table2
expect reproduce_needs_a_folder 2 'expected a folder' "$privdpr" reproduce table2 --data "$work/g.edges"
expect reproduce_needs_two_seeds 2 'from 2 to 100' "$privdpr" reproduce table2 --data "$work/data" --seeds 1
expect reproduce_without_room_fails 1 'cannot write' "$privdpr" reproduce table2 --quick --data "$work/data" --out "$work/no/where"
no_files reproduce_charges_no_ledger_of_the_user 'state'
no_files reproduce_leaves_no_scratch_folder 'privdpr-*'
no_files reproduce_leaves_no_drafts '*.draft'

# Labels of the paper's data.
shared=$(dirname "$0")/../../../shared/datasets
if [ -r "$shared/cora.labels" ]; then
    expect cora_has_2708_labels 0 '2438 training and 270 test nodes' "$privdpr" task node "$shared/cora.edges" --labels "$shared/cora.labels" --method dpr --profile paper --epochs 1 --columns 4 --width 4 --repeats 1
else
    echo "skipped: no ../shared/datasets"
fi

# At the paper's settings neither its s nor its d nor epsilon leaves a trace in the output, and without noise the edges do not either
# (docs/what-the-paper-does.md). These runs use a ledger, after the checks that the others do not.
net="--edges 300 --seed 5 --columns 16 --epochs 2 -q"
printf '# nodes: 120\n' >"$work/none.edges"
# shellcheck disable=SC2086 # options are words
{
    "$privdpr" synth "$work/g.edges" -o "$work/s8.edges" --method privdpr --profile paper --epsilon 3.2 $net
    "$privdpr" synth "$work/g.edges" -o "$work/s2.edges" --method privdpr --profile paper --epsilon 3.2 --spectral 2 $net
    "$privdpr" synth "$work/g.edges" -o "$work/d128.edges" --method privdpr --profile paper --epsilon 3.2 --width 128 $net
    "$privdpr" synth "$work/g.edges" -o "$work/small.edges" --method privdpr --profile paper --epsilon 0.1 $net
    "$privdpr" synth "$work/g.edges" -o "$work/with.edges" --method dpr --profile paper $net
    "$privdpr" synth "$work/none.edges" -o "$work/without.edges" --method dpr --profile paper $net
}
same papers_scale_does_not_matter "$work/s8.edges" "$work/s2.edges"
same papers_width_does_not_matter "$work/s8.edges" "$work/d128.edges"
same papers_budget_does_not_matter "$work/s8.edges" "$work/small.edges"
same papers_network_does_not_see_the_edges_without_noise_either "$work/with.edges" "$work/without.edges"
finish
