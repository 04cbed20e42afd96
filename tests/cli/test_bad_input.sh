#!/bin/sh
# Each bad input gets one line that says what to do, exit code 3 (or 1 where the system refuses), and no partial file.
. "$(dirname "$0")/lib.sh"

# bad NAME TEXT CONTENT: metrics on a file of this content exits 3 with one line that contains TEXT
bad_file() {
    printf "$3" >"$work/g.txt"
    expect "$1" 3 "$2" "$privdpr" metrics "$work/g.txt" -q
    one_line "$1_in_one_line"
    expect "$1_is_not_converted" 3 "$2" "$privdpr" convert "$work/g.txt" "$work/out.bcsr" -q
    no_files "$1_leaves_no_file" 'out.bcsr*'
}

bad_file one_id_on_a_line 'g.txt:2: expected two node ids' '0 1\n2\n'
bad_file word_among_numbers 'g.txt:3: expected' '0 1\n1 2\n1 x\n'
bad_file negative_id 'g.txt:2: expected' '0 1\n-1 5\n'
bad_file overflowing_id 'g.txt:1: expected' '99999999999999999999999 1\n'
bad_file nul_byte 'g.txt:2:' '0 1\n0 \0002\n'
bad_file id_beyond_declared_count 'g.txt:3: expected a node id below 3, found' '# nodes: 3\n0 1\n1 3\n'
bad_file count_in_words 'g.txt:1: expected the number of nodes in decimal digits, found "three"' '# nodes: three\n0 1\n'
bad_file count_with_a_sign 'g.txt:1: expected the number of nodes in decimal digits, found "-3"' '# nodes: -3\n0 1\n'
bad_file count_below_the_edges 'g.txt:2: expected declarations above' '0 1\n# nodes: 5\n'
bad_file zeros_before_a_declared_id 'g.txt:2: expected a node id without leading zeros' '# nodes: 3\n0 01\n'
bad_file empty_file 'g.txt' ''
bad_file only_comments 'g.txt' '# nothing here\n'

expect declared_file_without_edges_is_right 0 '"edges": 0' sh -c "printf '# nodes: 5\n' | '$privdpr' metrics - --json"
expect missing_file 1 'No such file' "$privdpr" metrics "$work/none.txt"
expect folder_instead_of_file 3 'expected a file, found a folder' "$privdpr" metrics "$work"
"$privdpr" generate social "$work/a.edges.gz" --nodes 300 --edges 900
head -c 900 "$work/a.edges.gz" >"$work/cut.edges.gz"
expect truncated_gzip 3 'cut.edges.gz' "$privdpr" metrics "$work/cut.edges.gz" -q
one_line truncated_gzip_in_one_line
{ head -c 500 "$work/a.edges.gz"; printf 'garbage'; tail -c +508 "$work/a.edges.gz"; } >"$work/corrupt.edges.gz"
expect corrupt_gzip 3 'corrupt.edges.gz' "$privdpr" metrics "$work/corrupt.edges.gz" -q
expect unwritable_folder 1 'cannot create' "$privdpr" convert "$work/a.edges.gz" /proc/none/x.edges -q
expect overlong_declared_count 2 '--nodes' "$privdpr" metrics "$work/a.edges.gz" --nodes 5000000000
finish
