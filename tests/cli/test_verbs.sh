#!/bin/sh
# Verbs, help, options and their exit codes.
. "$(dirname "$0")/lib.sh"

expect no_verb_shows_the_overview 2 'Usage: privdpr VERB' "$privdpr"
expect help_lists_the_verbs 0 'compare' "$privdpr" help
expect help_option_is_the_same 0 'Usage: privdpr VERB' "$privdpr" --help
for verb in $("$privdpr" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    expect "help_of_${verb}_has_an_example" 0 'Example:' "$privdpr" "$verb" --help
    expect "help_of_${verb}_names_the_exit_codes" 0 'Exit codes: 0 done, 1 failed' "$privdpr" help "$verb"
done
expect unknown_verb_is_refused 2 'there is no verb "frobnicate"' "$privdpr" frobnicate
expect misspelt_verb_gets_a_hint 2 'did you mean "metrics"?' "$privdpr" metrisc
expect unknown_option_is_refused 2 'there is no option --frob' "$privdpr" metrics --frob x
expect misspelt_option_gets_a_hint 2 'there is no option --epsilom; did you mean --epsilon?' "$privdpr" synth x -o y --epsilom 1
expect misspelt_option_with_value_gets_a_hint 2 'no option --dleta; did you mean --delta?' "$privdpr" plan --dleta=1e-5
expect misspelt_common_option_gets_a_hint 2 'did you mean --json?' "$privdpr" version --jsn
expect far_option_gets_no_hint 2 'there is no option --frob (' "$privdpr" metrics --frob=1
expect overlong_option_gets_no_hint 2 'there is no option --epsilonepsilonepsilonepsilonepsilon (' \
    "$privdpr" plan --epsilonepsilonepsilonepsilonepsilon 1
expect argument_of_a_flag_is_refused 2 '--json=yes: expected no argument' "$privdpr" version --json=yes
expect help_of_a_misspelt_verb_gets_a_hint 2 'did you mean "metrics"?' "$privdpr" help metrisc
expect short_word_gets_no_far_hint 2 'privdpr help lists them' "$privdpr" xxt
expect unknown_letter_is_refused 2 'there is no option -z' "$privdpr" metrics -z x
expect missing_argument_is_refused 2 '--threads: expected an argument' "$privdpr" metrics x --threads
expect bad_number_is_refused 2 '--threads: expected a whole number, found "two"' "$privdpr" metrics x --threads two
expect negative_number_is_refused 2 '--threads: expected a whole number, found "-1"' "$privdpr" metrics x --threads=-1
for number in 0x10 ' 1' 1e400 nan inf 1+1 '1 '; do
    expect "real_like_$(echo "$number" | tr ' +' _p)_is_refused" 2 "--epsilon: expected a decimal number, found \"$number\"" \
        "$privdpr" plan --nodes 100 --epsilon "$number"
done
expect decimal_numbers_are_taken 0 '' "$privdpr" plan --nodes 100 --epsilon 12.5e-1 -q -q
expect option_given_twice_is_refused 2 '--epsilon: expected once, found "1" and "2"' "$privdpr" plan --nodes 100 -e 1 --epsilon 2
expect option_given_twice_alike_is_refused 2 '--threads: expected once, found "1" and "1"' "$privdpr" version -t 1 -t 1
expect bad_size_is_refused 2 '--max-memory: expected a size such as 500M or 8G, found "5X"' "$privdpr" metrics x --max-memory 5X
expect bad_cpu_is_refused 2 '--cpu: expected auto, portable, avx2 or avx512, found "sse"' "$privdpr" version --cpu sse
expect bad_paths_are_refused 2 '--paths: expected exact, sample, sample=K or none' "$privdpr" metrics x --paths half
expect bad_sample_is_refused 2 'expected a whole number K >= 2' "$privdpr" metrics x --paths sample=1
expect bad_nodes_are_refused 2 '--nodes: expected a number from 1 to 4294967294 or infer' "$privdpr" metrics x --nodes 0
expect metrics_without_graph_is_refused 2 'expected GRAPH... [options], found 0 operands' "$privdpr" metrics
expect compare_with_one_graph_is_refused 2 'expected ORIGINAL SYNTHETIC...' "$privdpr" compare x
expect convert_with_three_is_refused 2 'one operand too many: "c"' "$privdpr" convert a b c
expect version_names_the_kernels 0 'kernels' "$privdpr" version
expect version_json_has_libraries 0 '"libsodium": "1.' "$privdpr" version --json
expect portable_kernels_can_be_chosen 0 '"kernels": "portable"' "$privdpr" version --json --cpu portable
expect man_page_is_roff 0 '.SH "PRIVDPR METRICS"' "$privdpr" help --man

if [ -w /dev/full ]; then
    "$privdpr" help >/dev/full 2>"$work/err"
    if [ $? = 1 ] && grep -q 'cannot write to standard output' "$work/err"; then
        ok full_standard_output_is_a_failure
    else
        not_ok full_standard_output_is_a_failure "$(cat "$work/err")"
    fi
fi
finish
