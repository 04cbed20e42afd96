#!/bin/sh
# privdpr ledger: the table, budgets, refunds, where the ledger is, and what is refused.
. "$(dirname "$0")/lib.sh"
unset XDG_STATE_HOME
export HOME="$work/home"
mkdir "$HOME"
golden=$(dirname "$0")/../golden/ledger/example.ledger
book=$work/book
cp "$golden" "$book"
chmod 600 "$book"
printf '# nodes: 5\n0 1\n1 2\n2 3\n' >"$work/a.edges"
printf '2,1\n3,2\n0,1\n' >"$work/same.csv"

expect table_names_the_dataset 0 'dataset 1b8f7d71a23ec927' "$privdpr" ledger "$book"
expect table_shows_what_is_spent 0 'spent   epsilon 2.74342 at delta 1e-05, 3 runs' "$privdpr" ledger "$book"
expect table_shows_what_is_left 0 'left 0.456584' "$privdpr" ledger "$book"
expect table_flags_seeded_runs 0 'seeded: no guarantee' "$privdpr" ledger "$book"
expect json_has_the_runs 0 '"state": "published"' "$privdpr" ledger "$book" --json
same looking_changes_nothing "$golden" "$book"

expect refund_of_a_reserved_run_is_given 0 '95601133b78d6280  2026-11-15  blueprint  refunded' \
    "$privdpr" ledger "$book" --refund 95601133b78d6280
expect refund_is_given_once 4 'refunded once' "$privdpr" ledger "$book" --refund 95601133b78d6280
expect refund_after_noise_is_refused 4 'only before its first noisy value' "$privdpr" ledger "$book" --refund 2f60953e
one_line refused_refund_is_one_line
expect refund_of_no_run_is_refused 2 'expected the first 8 digits or more of one run' "$privdpr" ledger "$book" --refund 12

expect budget_by_key 0 'budget  epsilon 4 at delta 1e-06' \
    "$privdpr" ledger "$book" --set-budget 4,1e-6 --dataset 1b8f7d71
expect budget_by_graph 0 'budget  epsilon 1.5 at delta 0; left 1.5' \
    "$privdpr" ledger "$book" --set-budget 1.5 --dataset "$work/a.edges" -q
expect same_edges_are_the_same_dataset 0 'budget  epsilon 1.5 at delta 0' \
    "$privdpr" ledger "$book" --dataset "$work/same.csv" -q
expect budget_without_dataset_is_refused 2 'expected --dataset KEY or GRAPH' "$privdpr" ledger "$book" --set-budget 1
expect budget_that_is_no_number_is_refused 2 '--set-budget: expected epsilon' \
    "$privdpr" ledger "$book" --set-budget x --dataset 1b8f7d71
expect budget_in_hexadecimal_is_refused 2 '--set-budget: expected epsilon' \
    "$privdpr" ledger "$book" --set-budget 0x10 --dataset 1b8f7d71
expect budget_with_a_blank_is_refused 2 '--set-budget: expected epsilon' \
    "$privdpr" ledger "$book" --set-budget '1, 1e-6' --dataset 1b8f7d71
expect budget_with_half_a_delta_is_refused 2 '--set-budget: expected epsilon' \
    "$privdpr" ledger "$book" --set-budget 1, --dataset 1b8f7d71
expect budget_of_nothing_is_refused 2 'above 0' "$privdpr" ledger "$book" --set-budget 0 --dataset 1b8f7d71
expect dataset_that_is_not_there_is_refused 2 'digits with which one key of this ledger begins' "$privdpr" ledger "$book" --dataset deadbeef00
expect graph_that_is_not_there_is_refused 1 'No such file' "$privdpr" ledger "$book" --dataset none.edges

expect missing_ledger_is_refused 1 'there is no ledger of that name' "$privdpr" ledger "$work/none"
no_files refused_ledger_is_not_made none
expect ledger_is_made_on_purpose 0 'nothing is recorded yet' "$privdpr" ledger "$work/new" --create
expect made_ledger_is_there 0 '1 line, all in order' "$privdpr" ledger "$work/new"

expect own_ledger_is_not_made_by_looking 0 'nothing is spent' "$privdpr" ledger
expect own_ledger_is_made_at_first_use 0 'made a new ledger' \
    "$privdpr" ledger --set-budget 1 --dataset "$work/a.edges"
if [ "$(stat -c %a "$HOME/.local/state/privdpr/ledger" "$HOME/.local/state/privdpr" | tr '\n' ' ')" = '600 700 ' ]; then
    ok own_ledger_is_private
else
    not_ok own_ledger_is_private "$(ls -laR "$HOME")"
fi
rm "$HOME/.local/state/privdpr/ledger"
expect own_ledger_that_is_gone_is_not_replaced 1 'there is no ledger of that name' \
    "$privdpr" ledger --set-budget 1 --dataset "$work/a.edges"
expect xdg_state_home_is_followed 0 "$work/state/privdpr/ledger" \
    env XDG_STATE_HOME="$work/state" "$privdpr" ledger --create
expect no_home_is_refused 2 'neither XDG_STATE_HOME nor HOME' env -u HOME "$privdpr" ledger

sed '2d' "$book" >"$work/cut"
sed '3s/845/844/' "$golden" >"$work/edited"
sed 's/ledger.1"/ledger\/9"/' "$golden" >"$work/newer"
chmod 600 "$work/cut" "$work/edited" "$work/newer"
expect missing_line_is_named 3 'cut:2: expected' "$privdpr" ledger "$work/cut"
one_line damage_is_one_line
expect edited_line_is_named 3 'edited:3: expected the hash of this line' "$privdpr" ledger "$work/edited"
expect newer_format_is_named 3 'a newer privdpr wrote it' "$privdpr" ledger "$work/newer"
chmod 644 "$work/new"
expect ledger_open_to_others_is_refused 1 'use chmod 600' "$privdpr" ledger "$work/new"
# The same people have one budget, whatever the file counts from.
"$privdpr" generate social "$work/zero.edges" --nodes 60 --edges 150
"$privdpr" convert "$work/zero.edges" "$work/one.graph" -q
"$privdpr" synth "$work/zero.edges" -o "$work/z.edges" --epsilon 1 --ledger "$work/formats" -q 2>/dev/null
"$privdpr" ledger "$work/formats" --create >/dev/null 2>&1
"$privdpr" synth "$work/zero.edges" -o "$work/z.edges" --epsilon 1 --ledger "$work/formats" -q
"$privdpr" synth "$work/one.graph" -o "$work/o.edges" --epsilon 1 --ledger "$work/formats" -q
if [ "$("$privdpr" ledger "$work/formats" | grep -c '^dataset')" = 1 ]; then
    ok formats_share_a_budget
else
    not_ok formats_share_a_budget "$("$privdpr" ledger "$work/formats")"
fi

# Data that changes has a name, and a budget under it before the first run.
"$privdpr" ledger "$work/formats" --set-budget 1 --dataset name:monthly >/dev/null 2>&1
expect named_budget_admits_a_run 0 '' "$privdpr" synth "$work/zero.edges" -o "$work/m.edges" --epsilon 0.7 --dataset monthly --ledger "$work/formats"
expect named_budget_refuses_the_next 4 '' "$privdpr" synth "$work/one.graph" -o "$work/m2.edges" --epsilon 0.7 --dataset monthly --ledger "$work/formats"
# --dataset means the same in all verbs.
expect named_budget_refuses_its_full_form 4 '' "$privdpr" synth "$work/one.graph" -o "$work/m2.edges" --epsilon 0.7 --dataset name:monthly --ledger "$work/formats"
if grep -q 'no dataset named' "$work/out"; then
    not_ok known_name_gets_no_note "$(cat "$work/out")"
else
    ok known_name_gets_no_note
fi
expect new_name_gets_a_note 0 'no dataset named "montly" yet' "$privdpr" synth "$work/one.graph" -o "$work/m3.edges" --epsilon 0.7 --dataset montly --ledger "$work/formats"
expect negative_delta_of_a_budget_is_refused 2 'found "1,-1"' "$privdpr" ledger "$work/formats" --set-budget 1,-1 --dataset name:monthly
expect new_name_gets_its_note_under_quiet 0 'no dataset named "mothly" yet' "$privdpr" synth "$work/one.graph" -o "$work/m5.edges" --epsilon 0.7 --dataset mothly --ledger "$work/formats" -q
"$privdpr" generate gnm "$work/own.edges" --nodes 40 --edges 90 -q
expect first_run_of_a_graph 0 '' "$privdpr" synth "$work/own.edges" -o "$work/own1.edges.gz" --epsilon 0.5 --ledger "$work/formats" -q
expect runs_outside_of_a_name_are_told 0 '1 run on this very graph stands in the ledger outside of "mothly"' "$privdpr" synth "$work/own.edges" -o "$work/own2.edges.gz" --epsilon 0.5 --dataset mothly --ledger "$work/formats" -q
"$privdpr" ledger "$work/formats" --set-budget 0.6 --dataset "$work/own.edges" >/dev/null 2>&1
expect name_does_not_get_round_the_graphs_budget 4 'this graph has a budget of its own' "$privdpr" synth "$work/own.edges" -o "$work/own3.edges.gz" --epsilon 0.5 --dataset mothly --ledger "$work/formats"
no_files refused_name_publishes_nothing 'own3*'
expect named_budget_counts_instead 0 'published' sh -c "'$privdpr' ledger '$work/formats' --set-budget 9 --dataset name:mothly >/dev/null 2>&1
    '$privdpr' synth '$work/own.edges' -o '$work/own4.edges.gz' --epsilon 0.5 --dataset mothly --ledger '$work/formats' -q && '$privdpr' ledger '$work/formats' --dataset name:mothly"
expect budget_without_delta_says_what_gaussian_noise_needs 4 'has one too, as 3.2,1e-5' "$privdpr" synth "$work/own.edges" -o "$work/own5.edges.gz" --epsilon 0.5 --dataset mothly --method privdpr --ledger "$work/formats"
expect key_is_no_name 2 'like a key' "$privdpr" synth "$work/one.graph" -o "$work/m2.edges" --epsilon 0.7 --dataset 1b8f7d71 --ledger "$work/formats"
expect file_is_no_name 2 'which is a file' "$privdpr" fit "$work/one.graph" -o "$work/m2.release" --epsilon 0.7 --dataset "$work/zero.edges" --ledger "$work/formats"
expect empty_name_is_refused 2 'found none' "$privdpr" synth "$work/one.graph" -o "$work/m2.edges" --epsilon 0.7 --dataset name: --ledger "$work/formats"
expect key_is_a_name_when_said 0 '"1b8f7d71"' "$privdpr" synth "$work/one.graph" -o "$work/m4.edges" --epsilon 0.7 --dataset name:1b8f7d71 --ledger "$work/formats"

cp "$work/formats" "$work/before"
expect report_onto_its_own_ledger_costs_nothing 2 'is the ledger' \
    "$privdpr" synth "$work/zero.edges" -o "$work/r.edges" --epsilon 1 --ledger "$work/formats" --report "$work/formats" --force
same ledger_is_as_it_was "$work/formats" "$work/before"
# No output replaces a ledger or a checkpoint, whatever it is called, with --force or without.
for kept in a_ledger a_checkpoint; do
    book2="$work/$kept.edges"
    case $kept in
    a_ledger) "$privdpr" ledger "$book2" --create >/dev/null 2>&1 ;;
    *) printf 'PDPRCKP1 of another run' >"$book2" ;;
    esac
    cp "$book2" "$work/before"
    said="is $(echo $kept | tr _ ' ')"
    expect "convert_onto_${kept}_is_refused" 2 "$said" "$privdpr" convert "$work/zero.edges" "$book2" --force
    expect "generate_onto_${kept}_is_refused" 2 "$said" "$privdpr" generate gnm "$book2" --nodes 9 --force
    expect "page_onto_${kept}_is_refused" 2 "$said" "$privdpr" compare "$work/zero.edges" "$work/z.edges" --html "$book2" --force
    expect "synth_onto_${kept}_is_refused" 2 "$said" "$privdpr" synth "$work/zero.edges" -o "$book2" --epsilon 1 --force --ledger "$work/formats"
    expect "report_onto_${kept}_is_refused" 2 "$said" \
        "$privdpr" synth "$work/zero.edges" -o "$work/r.edges" --epsilon 1 --ledger "$work/formats" --report "$book2" --force
    same "${kept}_is_as_it_was" "$book2" "$work/before"
done

# A certificate does not stay beside a graph that it does not speak of.
expect certificate_is_not_left_to_another_graph 2 'earlier graph' "$privdpr" synth "$work/zero.edges" -o "$work/m.edges" --method null --edges 9 --force
# What fails after the first noisy value says that it stays spent. (So large, the forest is not asked for, whose memory is tried before.)
"$privdpr" generate gnm "$work/large.edges" --nodes 510000 --edges 600000
expect failure_after_noise_says_so 1 'stays spent' "$privdpr" synth "$work/large.edges" -o "$work/l.edges" --epsilon 1 --ledger "$work/formats" --max-memory 28M

# A run that was stopped while it published: its files are drafts, known by their hashes.
for name in z.edges z.edges.certificate.json; do mv "$work/$name" "$work/.draft-$name"; done
expect recovery_puts_files_in_place 0 '2 files put in place; the run is published' \
    "$privdpr" ledger "$work/formats" --recover "$work/z.edges.certificate.json"
expect recovered_files_verify 0 '' "$privdpr" verify "$work/z.edges.certificate.json" "$work/z.edges"
expect recovery_again_changes_nothing 0 '0 files put in place' \
    "$privdpr" ledger "$work/formats" --recover "$work/z.edges.certificate.json"
rm "$work/z.edges"
expect recovery_names_what_is_lost 1 'neither under its name nor as a draft: z.edges' \
    "$privdpr" ledger "$work/formats" --recover "$work/z.edges.certificate.json"
one_line loss_is_one_line
expect recovery_of_another_ledger_is_refused 2 'nothing to finish' \
    "$privdpr" ledger "$book" --recover "$work/o.edges.certificate.json"
expect unused_ledger_has_nothing_spent 0 'nothing is spent' env XDG_STATE_HOME="$work/unused" "$privdpr" ledger
expect unused_ledger_is_json_too 0 '"runs": []' env XDG_STATE_HOME="$work/unused" "$privdpr" ledger --json
expect recovery_makes_no_ledger 1 'there is no ledger of that name' \
    env XDG_STATE_HOME="$work/unused" "$privdpr" ledger --recover "$work/o.edges.certificate.json"
if [ -e "$work/unused" ]; then not_ok recovery_leaves_nothing "$(ls -R "$work/unused")"; else ok recovery_leaves_nothing; fi
expect checkpoint_without_recovery_is_refused 2 'expected --recover' "$privdpr" ledger "$book" --checkpoint "$work/z"
expect folder_without_recovery_is_refused 2 'expected --recover' "$privdpr" ledger "$book" --folder "$work"
finish
