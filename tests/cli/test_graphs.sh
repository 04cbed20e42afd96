#!/bin/sh
# Graphs in and out through the program: generate, metrics, convert, compare.
. "$(dirname "$0")/lib.sh"

expect generate_social_works 0 '' "$privdpr" generate social "$work/a.edges" --nodes 500 --edges 2000 --seed 3
expect generate_is_reproducible 0 '' "$privdpr" generate social "$work/b.edges" --nodes 500 --edges 2000 --seed 3 --threads 1
same generate_gives_the_same_bytes "$work/a.edges" "$work/b.edges"
expect generate_too_dense_is_refused 2 'expected at most N(N-1)/4' "$privdpr" generate social "$work/c.edges" --nodes 10 --edges 40
no_files refused_generate_writes_nothing 'c.edges*'
for kind in power_law lattice small_world blocks cliques hubs scattered geometric copying chains; do
    expect "generate_${kind}_works" 0 '' "$privdpr" generate $kind "$work/$kind.edges" --nodes 400
done
expect generate_unknown_kind_is_refused 2 'found "tree"' "$privdpr" generate tree "$work/c.edges"
expect generate_to_unknown_extension_is_refused 2 '' "$privdpr" generate gnm "$work/c.xyz"

expect metrics_table_has_all_rows 0 'largest component (lcc)' "$privdpr" metrics "$work/a.edges"
expect metrics_json_has_counts 0 '"edges": 2000' "$privdpr" metrics "$work/a.edges" --json
"$privdpr" metrics "$work/a.edges" --json --threads 1 >"$work/one.json"
"$privdpr" metrics "$work/a.edges" --json --threads 3 >"$work/three.json"
same metrics_do_not_depend_on_threads "$work/one.json" "$work/three.json"
"$privdpr" metrics "$work/a.edges" --json --cpu portable >"$work/portable.json"
same metrics_do_not_depend_on_kernels "$work/one.json" "$work/portable.json"
expect sampled_paths_have_their_own_name 0 '"cpl_estimate"' "$privdpr" metrics "$work/a.edges" --json --paths sample=100
if grep -q '"cpl":' "$work/out"; then
    not_ok sampled_paths_never_look_exact "$(cat "$work/out")"
else
    ok sampled_paths_never_look_exact
fi
expect metrics_of_standard_input 0 '"edges": 2' sh -c "printf '0 1\n1 2\n' | '$privdpr' metrics - --json"
expect memory_cap_is_kept 1 'above the memory cap' "$privdpr" metrics "$work/a.edges" --max-memory 5K

for to in tsv csv graph mtx bcsr edges.gz edges.zst mtx.gz bcsr.zst; do
    expect "convert_to_${to}_works" 0 '' "$privdpr" convert "$work/a.edges" "$work/x.$to" -q
    expect "convert_back_from_${to}_works" 0 '' "$privdpr" convert "$work/x.$to" "$work/back.edges" -u -q --force
    case $to in
    graph* | mtx*) # these number from 1, and the names of the nodes follow the file: compare in the format itself
        "$privdpr" convert "$work/back.edges" "$work/again.$to" -q
        same "convert_through_${to}_loses_nothing" "$work/x.$to" "$work/again.$to"
        ;;
    *) same "convert_through_${to}_loses_nothing" "$work/a.edges" "$work/back.edges" ;;
    esac
done
cp "$work/a.edges" "$work/back.edges"
expect convert_to_standard_output 0 '# nodes: 500' sh -c "'$privdpr' convert '$work/a.edges' - -q"
expect convert_same_file_in_place 0 '' "$privdpr" convert "$work/back.edges" "$work/back.edges" -q --force
same convert_in_place_keeps_content "$work/a.edges" "$work/back.edges"

# What not everybody may read stays so.
umask 022
for from in 600 640 604 644; do
    chmod $from "$work/a.edges"
    to=$([ $from = 644 ] && echo 644 || echo 600)
    for out in fresh.bcsr fresh.edges.gz; do
        expect "convert_of_mode_${from}_to_${out}_works" 0 '' "$privdpr" convert "$work/a.edges" "$work/$out" -q --force
        mode "convert_of_mode_${from}_to_${out}_gives_$to" "$work/$out" "$to"
    done
    expect "convert_of_a_stream_of_mode_${from}_works" 0 '' sh -c "'$privdpr' convert - '$work/fresh.edges' -q --force <'$work/a.edges'"
    mode "convert_of_a_stream_of_mode_${from}_gives_$to" "$work/fresh.edges" "$to"
done
chmod 600 "$work/a.edges"
expect convert_over_a_file_that_all_may_read_works 0 '' "$privdpr" convert "$work/a.edges" "$work/fresh.edges" -q --force
mode convert_over_a_file_that_all_may_read_takes_it_back "$work/fresh.edges" 600
chmod 644 "$work/a.edges"
expect convert_from_a_pipe_works 0 '' sh -c "cat '$work/a.edges' | '$privdpr' convert - '$work/fresh.edges' -q --force"
mode convert_from_a_pipe_gives_the_usual_mode "$work/fresh.edges" 644

# What is written declares its nodes, so these must be declared or accepted.
printf '0 1\n1 2\n' >"$work/open.txt"
expect convert_of_undeclared_nodes_is_refused 2 'accept the ids in the file with --nodes infer' "$privdpr" convert "$work/open.txt" "$work/open.bcsr" -q
no_files refused_convert_writes_nothing 'open.bcsr*'
expect convert_of_accepted_nodes_works 0 '' "$privdpr" convert "$work/open.txt" "$work/open.bcsr" --nodes infer -q
expect convert_of_counted_nodes_works 0 '4 nodes' "$privdpr" convert "$work/open.txt" "$work/open.bcsr" --nodes 4 --force

# Names that are lost make another dataset of it, which is said under -q too.
printf 'ann bob\nbob cy\n' >"$work/names.txt"
printf '0 1\n1 7\n' >"$work/gaps.txt"
printf '7 8\n8 007\n' >"$work/zeros.txt"
printf 'a\nb\n' >"$work/people"
printf 'a b\n' >"$work/links.txt"
chmod 600 "$work/people"
expect convert_with_private_nodes_works 0 '' "$privdpr" convert "$work/links.txt" "$work/people.edges" --vertices "$work/people" -q
mode convert_with_private_nodes_gives_600 "$work/people.edges" 600

for from in names gaps zeros; do
    for to in mtx graph.gz; do
        expect "convert_of_${from}_to_${to}_says_what_it_means" 0 'another dataset' \
            "$privdpr" convert "$work/$from.txt" "$work/$from.$to" --nodes infer -q -u
    done
    expect "convert_of_${from}_by_option_says_what_it_means" 0 'another dataset' \
        "$privdpr" convert "$work/$from.txt" "$work/$from-as-mtx.txt" --to mtx --nodes infer -q -u
    "$privdpr" convert "$work/$from.txt" "$work/$from.bcsr" --nodes infer -q >"$work/said" 2>&1
    same "convert_of_${from}_that_keeps_names_is_quiet" "$work/said" /dev/null
done
expect convert_keeps_leading_zeros 0 '8 007' "$privdpr" convert "$work/zeros.bcsr" -
printf '5 6\n6 7\n' >"$work/shifted.txt"
"$privdpr" convert "$work/shifted.txt" "$work/shifted.mtx" --nodes infer -q >"$work/said" 2>&1
same convert_of_numbers_without_gaps_is_quiet "$work/said" /dev/null

# A list of nodes is an input too.
printf '0\n1\n2\n' >"$work/list.edges"
cp "$work/list.edges" "$work/list.before"
expect convert_onto_its_vertices_is_refused 2 'would be replaced' "$privdpr" convert "$work/open.txt" "$work/list.edges" --vertices "$work/./list.edges"
expect page_onto_its_vertices_is_refused 2 'a file of its own' \
    "$privdpr" compare "$work/open.txt" "$work/open.txt" --vertices "$work/list.edges" --html "$work/list.edges"
expect synth_onto_its_vertices_is_refused 2 'would be replaced' \
    "$privdpr" synth "$work/open.txt" -o "$work/list.edges" --vertices "$work/./list.edges" --epsilon 1
expect report_onto_its_vertices_is_refused 2 'a file of its own' \
    "$privdpr" synth "$work/open.txt" -o "$work/s.edges" --vertices "$work/list.edges" --epsilon 1 --report "$work/list.edges"
same list_of_nodes_is_as_it_was "$work/list.edges" "$work/list.before"

"$privdpr" generate gnm "$work/n1.edges" --nodes 500 --edges 2000 --seed 1
"$privdpr" generate gnm "$work/n2.edges" --nodes 500 --edges 2000 --seed 2
expect compare_says_private 0 'Do not publish' "$privdpr" compare "$work/a.edges" "$work/n1.edges" "$work/n2.edges"
expect compare_shows_spread 0 '±' "$privdpr" compare "$work/a.edges" "$work/n1.edges" "$work/n2.edges"
expect compare_json_has_the_null_model 0 '"null"' "$privdpr" compare "$work/a.edges" "$work/n1.edges" --json
expect compare_with_itself_is_zero 0 '"triangles": 0.0' "$privdpr" compare "$work/a.edges" "$work/a.edges" --json

# Numbers and errors that are wider than their columns never run together.
awk 'BEGIN { print "# nodes: 12001"; for (u = 1; u <= 12000; u++) print 0, u }' >"$work/star.edges"
expect compare_shows_long_numbers 0 'claws                     287,928,004,000 287,928,004,000 ' \
    "$privdpr" compare "$work/star.edges" "$work/star.edges" --null-graphs 0
awk 'BEGIN { print "# nodes: 100"; print 0, 1; print 1, 2; print 0, 2 }' >"$work/triangle.edges"
awk 'BEGIN { print "# nodes: 100"; for (u = 0; u < 100; u++) for (v = 0; v < u; v++) print u, v }' >"$work/full.edges"
expect compare_shows_long_errors 0 ' 80,851 80849.500 ± 114338.' \
    "$privdpr" compare "$work/triangle.edges" "$work/triangle.edges" "$work/full.edges" --null-graphs 0
"$privdpr" generate gnm "$work/small.edges" --nodes 400 --edges 2000
expect compare_other_node_count_is_refused 2 '500' "$privdpr" compare "$work/a.edges" "$work/small.edges"
finish
