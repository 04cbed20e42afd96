#!/bin/sh
# Files that are there stay there: what each verb may write over, and what it says of what it wrote.
. "$(dirname "$0")/lib.sh"
export XDG_STATE_HOME="$work/state"

"$privdpr" generate social "$work/g.edges" --nodes 300 --edges 1200 -q
"$privdpr" synth "$work/g.edges" -o "$work/p.edges" --epsilon 1 -q
"$privdpr" fit "$work/g.edges" -o "$work/p.release" --epsilon 1 -q
certificate="$work/p.edges.certificate.json"
cp "$XDG_STATE_HOME/privdpr/ledger" "$work/ledger.before"
for kept in g.edges p.edges p.release p.edges.certificate.json; do cp "$work/$kept" "$work/$kept.before"; done

said='is there already and was published with a certificate'
expect synth_keeps_a_publication 2 "$said" "$privdpr" synth "$work/g.edges" -o "$work/p.edges" --epsilon 1
expect fit_keeps_a_release 2 'is there already' "$privdpr" fit "$work/g.edges" -o "$work/p.release" --epsilon 1
rm "$work/p.edges"
expect synth_keeps_a_certificate 2 'p.edges.certificate.json: is there already' "$privdpr" synth "$work/g.edges" -o "$work/p.edges" --epsilon 1
cp "$work/p.edges.before" "$work/p.edges"
expect report_keeps_a_certificate 2 'is there already' "$privdpr" synth "$work/g.edges" -o "$work/n.edges" --epsilon 1 --report "$certificate"
expect release_keeps_a_publication 2 "$said" "$privdpr" synth "$work/g.edges" -o "$work/n.edges" --epsilon 1 --release "$work/p.edges"
expect sample_keeps_a_publication 2 "$said" "$privdpr" sample "$work/p.release" -o "$work/p.edges"
cp "$work/p.release" "$work/r.edges"
expect sample_keeps_its_release 2 'the input would be replaced' "$privdpr" sample "$work/r.edges" -o "$work/./r.edges" --force
same release_is_as_it_was "$work/r.edges" "$work/p.release"
expect sample_looks_at_every_name 2 's-2.edges: is there already' sh -c \
    "echo kept >'$work/s-2.edges'; '$privdpr' sample '$work/p.release' -o '$work/s.edges' --samples 3"
no_files refused_sample_writes_nothing 's-1.edges'
expect convert_keeps_a_certificate 2 'is there already' "$privdpr" convert "$work/g.edges" "$certificate" --to edges
expect generate_keeps_an_original 2 'is there already' "$privdpr" generate gnm "$work/g.edges"
expect page_keeps_a_graph 2 "$said" "$privdpr" verify "$certificate" --html "$work/p.edges"
expect report_keeps_a_graph 2 'is there already' "$privdpr" compare "$work/g.edges" "$work/g.edges" --html "$work/p.edges"
for kept in g.edges p.edges p.release p.edges.certificate.json; do same "$kept is as it was" "$work/$kept" "$work/$kept.before"; done
same refusals_cost_nothing "$XDG_STATE_HOME/privdpr/ledger" "$work/ledger.before"

expect page_is_written 0 '' "$privdpr" verify "$certificate" "$work/p.edges" --html "$work/c.html"
expect page_replaces_a_page 0 '' "$privdpr" verify "$certificate" "$work/p.edges" --html "$work/c.html"
printf '<!DOCTYPE html>\n<p>mine</p>\n' >"$work/mine.html"
expect page_keeps_a_page_that_is_not_ours 2 'is there already' "$privdpr" verify "$certificate" "$work/p.edges" --html "$work/mine.html"
mkdir "$work/x-2.edges"
expect sample_looks_for_folders_too 2 'is a folder' "$privdpr" sample "$work/p.release" -o "$work/x.edges" -k 3
no_files sample_into_a_folder_writes_nothing 'x-1.edges'
: >"$work/made.edges"
expect empty_file_is_replaced 0 'made.edges' "$privdpr" generate gnm "$work/made.edges" --nodes 9
expect force_replaces 0 'made.edges' "$privdpr" generate gnm "$work/made.edges" --nodes 10 -f
expect force_replaces_a_publication 0 'p.edges' "$privdpr" synth "$work/g.edges" -o "$work/p.edges" --epsilon 1 --force
expect replaced_publication_verifies 0 'follows from' "$privdpr" verify "$certificate" "$work/p.edges"

expect generate_names_its_file_as_json 0 '{"graphs": ["' "$privdpr" generate gnm "$work/j.edges" --nodes 9 --json
expect sample_names_its_files 0 'd-2.edges' "$privdpr" sample "$work/p.release" -o "$work/d.edges" --samples 2
expect sample_names_its_files_as_json 0 'e-2.edges"], "release": null' "$privdpr" sample "$work/p.release" -o "$work/e.edges" --samples 2 --json
expect synth_names_its_files_as_json 0 'n.edges.certificate.json", "private_report": null}' \
    "$privdpr" synth "$work/g.edges" -o "$work/n.edges" --epsilon 1 --json
if command -v python3 >/dev/null; then
    expect names_of_another_encoding_are_json 0 'ok' sh -c "'$privdpr' generate gnm '$work/$(printf 'caf\351\303\251').edges' --json | python3 -c 'import json,sys; json.loads(sys.stdin.buffer.read().decode()); print(\"ok\")'"
    expect odd_names_are_json 0 'ok' sh -c "'$privdpr' generate gnm '$work/a\"b\\c.edges' --json | python3 -c 'import json,sys; json.load(sys.stdin); print(\"ok\")'"
fi
finish
