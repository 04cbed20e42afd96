#!/bin/sh
# privdpr verify: certificates that pass, that fail, and files that are none.
. "$(dirname "$0")/lib.sh"
golden=$(dirname "$0")/../golden/certificate

for kind in embedding queries both; do
    expect "${kind}_passes_with_its_output" 0 'out.edges is that file' \
        "$privdpr" verify "$golden/$kind.json" "$golden/out.edges"
    expect "${kind}_passes_alone" 0 "claim follows from its numbers" "$privdpr" verify "$golden/$kind.json"
done
example=$(dirname "$0")/../../docs/images/example
expect example_of_the_pictures_passes 0 'claim follows from its numbers' \
    "$privdpr" verify "$example/public.edges.zst.certificate.json" "$example/public.edges.zst"
expect seeded_fails_by_design 1 'guarantee: none (seeded run)' "$privdpr" verify "$golden/seeded.json"
expect quiet_shows_failures_only 1 'FAILED' "$privdpr" verify "$golden/seeded.json" -q
expect json_lists_the_checks 0 '"result": "pass"' "$privdpr" verify "$golden/both.json" --json
expect json_of_a_failure_fails_too 1 '"passed": false' "$privdpr" verify "$golden/seeded.json" --json
expect other_output_fails 1 'not the file that was certified' "$privdpr" verify "$golden/both.json" "$golden/seeded.json"
sed 's/"3.2"/"3.1"/' "$golden/embedding.json" >"$work/edited.json"
expect edited_claim_fails 1 'guarantee.epsilon: expected at least' "$privdpr" verify "$work/edited.json"
sed 's/{"accounting"/{"a_secret":"x","accounting"/' "$golden/embedding.json" >"$work/more.json"
expect unknown_field_fails 1 'a_secret: expected no such field' "$privdpr" verify "$work/more.json"
expect graph_is_no_certificate 1 'format: expected JSON' "$privdpr" verify "$golden/out.edges"
expect missing_file_is_refused 1 'cannot open' "$privdpr" verify "$work/none"
expect certificate_on_standard_input_is_refused 2 'CERTIFICATE: expected a file, found -' "$privdpr" verify -
expect output_on_standard_input_is_refused 2 'OUT: expected a file, found -' "$privdpr" verify "$golden/both.json" -
expect nothing_to_verify_is_refused 2 'expected CERTIFICATE' "$privdpr" verify
expect several_outputs_pass 0 'out.edges is that file' "$privdpr" verify "$golden/both.json" "$golden/out.edges" "$golden/out.edges"
expect file_that_is_not_there_hides_no_check 1 'guarantee: none (seeded run)' "$privdpr" verify "$golden/seeded.json" "$work/none" "$golden/out.edges"
expect one_wrong_output_of_several_fails 1 'not the file that was certified' "$privdpr" verify "$golden/both.json" "$golden/out.edges" "$golden/seeded.json"
finish
