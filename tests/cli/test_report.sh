#!/bin/sh
# compare --html, synth --report and verify --html: what they write, where, and what they refuse.
. "$(dirname "$0")/lib.sh"
golden=$(dirname "$0")/../golden/certificate
XDG_STATE_HOME=$work/state
export XDG_STATE_HOME

# has NAME FILE TEXT, lacks NAME FILE TEXT
has() {
    if grep -qF -- "$3" "$2"; then ok "$1"; else not_ok "$1" "$2 lacks: $3"; fi
}
lacks() {
    if grep -qF -- "$3" "$2"; then not_ok "$1" "$2 has: $3"; else ok "$1"; fi
}

"$privdpr" generate social "$work/friends.edges" --nodes 400 --edges 1600 -q
mkdir "$work/share" "$work/mine"

# ---------------------------------------------------------------- compare
expect compare_writes_a_report 0 'Private: these figures' "$privdpr" compare "$work/friends.edges" "$work/friends.edges" \
    --html "$work/same.html"
has report_says_private "$work/same.html" 'Made from the original graph'
has same_graph_is_good_for_all "$work/same.html" 'Good for all 7 kinds of analysis'
lacks same_graph_is_not_called_random "$work/same.html" 'so is a random graph'
"$privdpr" generate gnm "$work/random.edges" --nodes 400 --edges 1600 --seed 3 -q
"$privdpr" compare "$work/friends.edges" "$work/random.edges" --html "$work/random.html" -q >/dev/null
has random_graph_is_called_so_in_the_heading "$work/random.html" 'kinds of analysis, and so is a random graph</h1>'
mode report_is_closed_to_others "$work/same.html" 600
expect json_and_report_go_together 0 '"original"' "$privdpr" compare "$work/friends.edges" "$work/friends.edges" --json \
    --html "$work/again.html"
same report_is_the_same_every_time "$work/same.html" "$work/again.html"
expect report_with_other_threads_works 0 '' "$privdpr" compare "$work/friends.edges" "$work/friends.edges" -t 1 \
    --html "$work/again.html"
same report_does_not_depend_on_threads "$work/same.html" "$work/again.html"
expect report_on_standard_output_is_refused 2 '--html: expected a file of its own' "$privdpr" compare \
    "$work/friends.edges" "$work/friends.edges" --html -
expect report_over_the_original_is_refused 2 '--html: expected a file of its own' "$privdpr" compare \
    "$work/friends.edges" "$work/friends.edges" --html "$work/./friends.edges"
expect certificate_without_report_is_refused 2 '--certificate goes with --html' "$privdpr" compare \
    "$work/friends.edges" "$work/friends.edges" --certificate "$golden/both.json"
expect report_without_folder_fails 1 'cannot create a file' "$privdpr" compare \
    "$work/friends.edges" "$work/friends.edges" --html "$work/none/x.html"
expect missing_certificate_fails 1 'cannot open' "$privdpr" compare "$work/friends.edges" "$work/friends.edges" \
    --html "$work/no.html" --certificate "$work/none.json"
no_files failed_report_leaves_nothing 'no.html*'
cp "$work/friends.edges" "$work/<b>&\"'.edges"
expect odd_file_name_is_accepted 0 '' "$privdpr" compare "$work/friends.edges" "$work/<b>&\"'.edges" --html "$work/odd.html"
has odd_file_name_is_escaped "$work/odd.html" '&lt;b&gt;&amp;&quot;&#39;.edges'

# ---------------------------------------------------------------- synth
expect synth_writes_a_report 0 'PRIVATE, made from the original, not covered by the guarantee, do not hand on:' \
    "$privdpr" synth "$work/friends.edges" -o "$work/share/public.edges" -e 2 --samples 2 --report "$work/mine/report.html"
has synth_report_names_the_promise "$work/mine/report.html" 'ε&nbsp;=&nbsp;2'
has synth_report_knows_its_files "$work/mine/report.html" 'speaks of these files and passes its checks'
mode synth_report_is_closed_to_others "$work/mine/report.html" 600
lacks certificate_does_not_mention_the_report "$work/share/public.edges.certificate.json" report
expect help_says_private 0 'PRIVATE: made from the' "$privdpr" synth --help
expect report_among_the_published_is_refused 2 'would lie among the published files' "$privdpr" synth \
    "$work/friends.edges" -o "$work/share/next.edges" -e 2 --report "$work/share/report.html"
expect report_as_published_file_is_refused 2 'is to be published' "$privdpr" synth \
    "$work/friends.edges" -o "$work/share/next.edges" -e 2 --report "$work/mine/../share/next.edges"
expect report_as_certificate_is_refused 2 'is to be published' "$privdpr" synth \
    "$work/friends.edges" -o "$work/next.edges" -e 2 --report "$work/next.edges.certificate.json"
expect report_over_the_input_is_refused 2 'expected a file of its own' "$privdpr" synth \
    "$work/friends.edges" -o "$work/share/next.edges" -e 2 --report "$work/friends.edges"
expect report_without_place_is_refused 2 'no file can be made in' "$privdpr" synth \
    "$work/friends.edges" -o "$work/share/next.edges" -e 2 --report "$work/none/report.html"
expect report_of_a_stream_is_refused 2 'expected --output to be a file' "$privdpr" synth \
    "$work/friends.edges" -o - -e 2 --report "$work/mine/report.html"
no_files refused_report_publishes_nothing 'next.edges*'
"$privdpr" ledger >"$work/ledger.txt" 2>&1
if [ "$(grep -c blueprint "$work/ledger.txt")" = 1 ]; then
    ok refused_report_spends_nothing
else
    not_ok refused_report_spends_nothing "$(cat "$work/ledger.txt")"
fi
expect report_beside_the_original_is_accepted 0 '' "$privdpr" synth "$work/friends.edges" -o "$work/beside.edges" -e 2 \
    --report "$work/beside.html"

# Nothing that is published depends on the report.
mkdir "$work/with" "$work/without"
expect seeded_run_with_report 0 '' "$privdpr" synth "$work/friends.edges" -o "$work/with/a.edges" -e 2 --seed 5 \
    --report "$work/mine/report.html"
expect seeded_run_without_report 0 '' "$privdpr" synth "$work/friends.edges" -o "$work/without/a.edges" -e 2 --seed 5
same report_changes_no_graph "$work/with/a.edges" "$work/without/a.edges"
same report_changes_no_certificate "$work/with/a.edges.certificate.json" "$work/without/a.edges.certificate.json"
has seeded_report_promises_nothing "$work/mine/report.html" 'The run was seeded'
has seeded_report_says_that_verify_refuses "$work/mine/report.html" 'but <code>privdpr verify</code> refuses it'
expect method_without_promise_has_a_report 0 'reads no edge' "$privdpr" synth "$work/friends.edges" -o "$work/share/null.edges" \
    --method null --edges 1600 --report "$work/mine/null.html"
has report_without_certificate_says_so "$work/mine/null.html" 'no certificate was given'

expect certificate_on_standard_input_is_refused 2 '--certificate: expected a file, found -' "$privdpr" compare \
    "$work/friends.edges" "$work/friends.edges" --html "$work/x.html" --certificate -

# ---------------------------------------------------------------- verify
expect verify_writes_a_page 0 'claim follows from its numbers' "$privdpr" verify \
    "$work/share/public.edges.certificate.json" "$work/share/public-1.edges" --html "$work/share/certificate.html"
has certificate_page_is_public "$work/share/certificate.html" 'PUBLIC'
lacks certificate_page_is_not_private "$work/share/certificate.html" 'Made from the original'
has certificate_page_names_the_queries "$work/share/certificate.html" 'how many nodes have which degree'
umask 022
expect failed_certificate_has_a_page_too 1 'not verified' "$privdpr" verify "$golden/seeded.json" --html "$work/seeded.html"
has failed_certificate_promises_nothing "$work/seeded.html" 'No guarantee: a seeded run'
mode certificate_page_can_be_read_by_all "$work/seeded.html" 644
expect page_over_the_certificate_is_refused 2 '--html: expected a file of its own' "$privdpr" verify \
    "$work/share/public.edges.certificate.json" --html "$work/share/public.edges.certificate.json"
expect page_on_standard_output_is_refused 2 '--html: expected a file of its own' "$privdpr" verify \
    "$golden/both.json" --html -
finish
