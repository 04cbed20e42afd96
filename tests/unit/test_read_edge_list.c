/* Edge lists: what is read, what is refused, and with which words. */
#include "support/load_cases.h"

#include <stdlib.h>
#include <string.h>

#define DROPPED(what) "f.txt: dropped " what
#define HEADING(line, text) \
    "f.txt:" #line ": the line \"" text "\" is taken for a heading and skipped"
#define NAMES(line)                                                                                \
    "f.txt:" #line ": the first line is taken for an edge between two names; if it is a heading, " \
    "put # before it"
#define COLUMNS "f.txt: columns after the second (weights, times) are ignored"

static void separators_are_found_on_the_first_line(void **state)
{
    (void)state;
    const test_load_case cases[] = {
        {"spaces", "0 1\n1 2\n", .graph = "0 1 2; 0>1 1>2;"},
        {"tabs", "0\t1\n1\t2\n", .graph = "0 1 2; 0>1 1>2;"},
        {"commas", "0,1\n1,2\n", .graph = "0 1 2; 0>1 1>2;"},
        {"semicolons", "0;1\n1;2\n", .graph = "0 1 2; 0>1 1>2;"},
        {"commas and blanks", "0 , 1\n 1,2 \n1,\t0\n", .graph = "0 1 2; 0>1 1>0 1>2;"},
        {"runs of blanks", "  0 \t 1  \n\t1   2\t\n", .graph = "0 1 2; 0>1 1>2;"},
        {"texts with spaces", "New York\tOslo\nOslo\tBonn\n",
         .graph = "Bonn New York Oslo; New York>Oslo Oslo>Bonn;", .message = NAMES(1)},
        {"quotes", "\"0\",\"1\"\n\"1\",2\n", .graph = "0 1 2; 0>1 1>2;"},
        {"quoted texts", "\"a \"\"b\"\"\",\"c, d\"\n\"c, d\",e\n",
         .graph = "a \"b\" c, d e; a \"b\">c, d c, d>e;", .message = NAMES(1)},
        {"quoted texts and blanks", "\"a b\" c\n", .graph = "a b c; a b>c;"},
        {"mixed", "1 2\n3,4\n", .message = "f.txt:2: expected two node ids, found \"3,4\""},
        {"missing comma", "1,2\n3 4\n",
         .message = "f.txt:2: expected two node ids separated by \",\", found \"3 4\""},
        {"missing tab", "a b\tc\nd e\n",
         .message = "f.txt:2: expected two node ids separated by \"\\t\", found \"d e\""},
        {"empty field", "1;2\n;3\n",
         .message = "f.txt:2: expected two node ids separated by \";\", found \";3\""},
        {"open quote", "\"a,b\n",
         .message = "f.txt:1: expected a closing quote and a separator, found none"},
        {"text behind quote", "\"a\"b,c\n",
         .message = "f.txt:1: expected a closing quote and a separator, found none"},
        {"text behind quote and blank", "\"a\" b,c\n",
         .message = "f.txt:1: expected a closing quote and a separator, found none"},
        {"text behind second quote", "a,\"b\" c\n",
         .message = "f.txt:1: expected a closing quote and a separator, found none"},
    };
    RUN_LOAD_CASES("f.txt", cases);
}

static void line_ends_and_comments_do_not_matter(void **state)
{
    (void)state;
    const test_load_case cases[] = {
        {"crlf", "0 1\r\n1 2\r\n", .graph = "0 1 2; 0>1 1>2;"},
        {"no last end", "0 1\n1 2", .graph = "0 1 2; 0>1 1>2;"},
        {"last end is cr", "0 1\r\n1 2\r", .graph = "0 1 2; 0>1 1>2;"},
        {"byte order mark",
         "\xef\xbb\xbf"
         "0 1\n",
         .graph = "0 1; 0>1;"},
        {"comments anywhere", "# c\n% d\n0 1\n# nodes are 9\n\n  \t\n  # e\n1 2\n#",
         .graph = "0 1 2; 0>1 1>2;"},
        {"comments among texts", "# c\na b\n% d\n\nb c\n", .graph = "a b c; a>b b>c;"},
    };
    RUN_LOAD_CASES("f.txt", cases);
}

static void ids_without_declaration_are_the_nodes_in_order(void **state)
{
    (void)state;
    const test_load_case cases[] = {
        {"gaps", "30 10\n10 20\n", .graph = "10 20 30; 10>20 30>10;"},
        {"from one", "3 1\n1 2\n", .graph = "1 2 3; 1>2 3>1;"},
        {"far apart", "1000000000 7\n7 4294967295\n",
         .graph = "7 1000000000 4294967295; 7>4294967295 1000000000>7;"},
        {"wide", "1 18446744073709551615\n4294967296 1\n",
         .graph = "1 4294967296 18446744073709551615; 1>18446744073709551615 4294967296>1;"},
        {"wide later", "2 1\n3 4\n# c\n4294967296 5\n1 4294967297\n",
         .graph = "1 2 3 4 5 4294967296 4294967297; 1>4294967297 2>1 3>4 4294967296>5;"},
        {"eight digits and more",
         "12345678 1\n123456789 1234567890\n12345678 9876543210987654321\n",
         .graph = "1 12345678 123456789 1234567890 9876543210987654321; 12345678>1 "
                  "12345678>9876543210987654321 123456789>1234567890;"},
        {"texts bytewise", "b aa\nB ab\na aa\n", .graph = "B a aa ab b; B>ab a>aa b>aa;"},
        {"number among texts", "a 10\n10 9\n", .graph = "10 9 a; 10>9 a>10;"},
        {"utf-8", "\xc3\xa5 z\n", .graph = "z \xc3\xa5; \xc3\xa5>z;"},
        {"addresses", "10.0.0.2 10.0.0.1\n", .graph = "10.0.0.1 10.0.0.2; 10.0.0.2>10.0.0.1;"},
        {"almost numbers", "1e 0xg\n+ .\n1e+ 1.2.3\n",
         .graph = "+ . 0xg 1.2.3 1e 1e+; +>. 1e>0xg 1e+>1.2.3;"},
        {"percent in quotes", "\"%a\" \"#b\"\n", .graph = "#b %a; %a>#b;"},
        {"loop makes a node", "5 5\n1 2\n", .graph = "1 2 5; 1>2;", .message = DROPPED("loops")},
        {"repeats", "0 1\n1 0\n0 1\n", .graph = "0 1; 0>1 1>0;", .message = DROPPED("repeats")},
        {"repeats undirected", "0 1\n1 0\n0 1\n", .graph = "0 1; 0-1;",
         .message = DROPPED("repeats"), .undirected = true},
    };
    RUN_LOAD_CASES("f.txt", cases);
}

static void ids_with_leading_zeros_are_texts(void **state)
{
    (void)state;
#define ZEROS "f.txt: some ids begin with a zero, so ids are texts: 007 and 7 are two nodes"
    const test_load_case cases[] = {
        {"at once", "007 00000000000000000000000000008\n8 7\n",
         .graph = "00000000000000000000000000008 007 7 8; 007>00000000000000000000000000008 8>7;",
         .message = ZEROS},
        {"second id", "7 08\n", .graph = "08 7; 7>08;", .message = ZEROS},
        {"later", "10 9\n9 7\n10 7\n# c\n7 010\n", .graph = "010 10 7 9; 10>7 10>9 7>010 9>7;",
         .message = ZEROS},
        {"later than wide", "5000000000 9\n9 5000000000\n9 7\n00 9\n",
         .graph = "00 5000000000 7 9; 00>9 5000000000>9 9>5000000000 9>7;", .message = ZEROS},
        {"below a heading", "buyer,shop\n007,08\n", .graph = "007 08; 007>08;",
         .message = HEADING(1, "buyer,shop") " | " ZEROS},
        {"beside a text", "007 x\n7 -1\n", .graph = "-1 007 7 x; 007>x 7>-1;"},
        {"zeros themselves", "0 1\n1 0\n", .graph = "0 1; 0>1 1>0;"},
        {"SNAP", "# Nodes: 9 Edges: 2\n1 2\n2 03\n", .graph = "03 1 2; 1>2 2>03;",
         .message = ZEROS},
        {"a text after", "1 02\n2 3\n3 x\n",
         .message = "f.txt:3: expected a node id (decimal digits only), found \"x\""},
        {"a text before", "1 2\n2 x\n3 04\n",
         .message = "f.txt:2: expected a node id (decimal digits only), found \"x\""},
        {"miswritten", "1 02\n2 -3\n",
         .message = "f.txt:2: expected a node id (decimal digits only), found \"-3\""},
        {"too large", "1 02\n2 18446744073709551616\n",
         .message = "f.txt:2: expected a node id below 18446744073709551616, found "
                    "\"18446744073709551616\""},
        {"declared", "# nodes: 9\n0 1\n1 02\n",
         .message = "f.txt:3: expected a node id without leading zeros, as the nodes are declared "
                    "as a range of numbers, found \"02\""},
        {"listed", "007 8\n7 8\n", .graph = "8 007 7; 007>8 7>8; declared",
         .vertices = "id\n8\n007\n7\n",
         .message = "v.txt:1: the line \"id\" is taken for a heading and skipped"},
        {"listed first", "007 8\n", .graph = "007 8; 007>8; declared", .vertices = "007\n8\n"},
        {"listed otherwise", "007 8\n", .vertices = "8\n7\n",
         .message = "f.txt:1: expected a node listed in v.txt, found \"007\""},
        {"listed with what is no id", "007 8\n", .vertices = "007\n-1\n",
         .message = "v.txt:2: expected a node id (decimal digits only), found \"-1\""},
    };
    RUN_LOAD_CASES("f.txt", cases);
}

static void declared_nodes_are_the_range(void **state)
{
    (void)state;
    const test_load_case cases[] = {
        {"header", "# nodes: 4\n0 1\n", .graph = "0 1 2 3; 0>1; declared"},
        {"header as ours",
         "# nodes: 3 (ids 0..2; 1 of them isolated)\n# directed: no - each once\n0 1\n",
         .graph = "0 1 2; 0-1; declared"},
        {"header with a range", "# nodes: 3 (ids 7..9)\n# directed: yes\n9 7\n",
         .graph = "7 8 9; 9>7; declared"},
        {"header with part of a range", "# nodes: 3 (ids 0..1 as in x)\n0 2\n",
         .graph = "0 1 2; 0>2; declared"},
        {"header with another part", "# nodes: 3 (ids 1..2 as in x)\n0 2\n",
         .graph = "0 1 2; 0>2; declared"},
        {"header in capitals", "%NODES:2\n0 1\n", .graph = "0 1; 0>1; declared"},
        {"header twice", "# nodes: 2\n# nodes: 2\n0 1\n", .graph = "0 1; 0>1; declared"},
        {"caller", "0 1\n", .graph = "0 1 2; 0>1; declared", .num_nodes = 3},
        {"caller and header", "# nodes: 3\n0 1\n", .graph = "0 1 2; 0>1; declared", .num_nodes = 3},
        {"no edges", "# nodes: 2\n", .graph = "0 1;; declared"},
        {"empty file", "", .graph = "0 1;; declared", .num_nodes = 2},
        {"prose", "# nodes: see below\n# directed: loaded so\n# node: x\n0 1\n",
         .graph = "0 1; 0>1;"},
        {"more prose",
         "# nodes are users\n# Nodes\n# nodes:\n# nodes: \n# num_nodes: x\n# directed:\n# Directed "
         "graph\n0 1\n",
         .graph = "0 1; 0>1;"},
        {"below, the same", "# nodes: 2\n# directed: no\n0 1\n# Nodes: 2\n# directed: no\n",
         .graph = "0 1; 0-1; declared"},
        {"below, as the caller said", "0 1\n# nodes: 2\n", .graph = "0 1; 0>1; declared",
         .num_nodes = 2},
        {"below, as listed", "a b\n# nodes: 2\n", .graph = "b a; a>b; declared",
         .vertices = "b\na\n"},
        {"below, prose",
         "0 1\n# nodes are users\n# nodes: see above\n# Nodes: 9 Edges: 9\n"
         "# node: x\n# Undirected graph\n",
         .graph = "0 1; 0>1;"},
        {"beyond", "# nodes: 2\n0 1\n# c\n1 2\n",
         .message = "f.txt:4: expected a node id below 2, found 2"},
        {"beyond what the caller said", "0 1\n0 2708\n",
         .message = "f.txt:2: expected a node id below 2708, found 2708", .num_nodes = 2708},
        {"below a range", "# nodes: 3 (ids 7..9)\n9 6\n",
         .message = "f.txt:2: expected a node id in 7..9, found 6"},
        {"text", "# nodes: 2\n0 1\n0 x\n",
         .message = "f.txt:3: expected a node id below 2, found \"x\""},
        {"only texts", "# nodes: 2\na b\n",
         .message = "f.txt:2: expected a node id below 2, found \"a\""},
        {"disagreement", "# nodes: 4\n0 1\n",
         .message = "f.txt:1: expected 3 nodes as declared, found 4", .num_nodes = 3},
        {"disagreement in the header", "# nodes: 4\n#\n# nodes: 5\n0 1\n",
         .message = "f.txt:3: expected 4 nodes as on line 1, found 5"},
        {"none", "# nodes: 0\n", .message = "f.txt:1: expected at least one node, found 0"},
        {"too many", "\n# nodes: 4294967295\n0 1\n",
         .message = "f.txt:2: expected at most 4294967294 nodes, found 4294967295"},
#define NO_NUMBER(text) "expected the number of nodes in decimal digits, found \"" text "\""
        {"a word", "# c\n# nodes: three\n0 1\n", .message = "f.txt:2: " NO_NUMBER("three")},
        {"a sign", "# nodes: -3\n0 1\n", .message = "f.txt:1: " NO_NUMBER("-3")},
        {"a sign before prose", "# Nodes: +5 of them\n0 1\n",
         .message = "f.txt:1: " NO_NUMBER("+5 of them")},
        {"quotes", "# nodes: \"5\"\n0 1\n", .message = "f.txt:1: " NO_NUMBER("\"5\"")},
        {"neither direction", "# directed: maybe\n0 1\n",
         .message = "f.txt:1: expected directed: yes or no, found \"maybe\""},
#define TOO_LATE(line, text) \
    "f.txt:" #line           \
    ": expected declarations above the first line that is no comment, found \"" text "\""
        {"below", "0 1\n1 2\n # nodes: 9\n2 3\n", .message = TOO_LATE(3, "# nodes: 9")},
        {"below, another", "# nodes: 3\n0 1\n%nodes: 2\n", .message = TOO_LATE(3, "%nodes: 2")},
        {"below, no number", "0 1\n# nodes: three\n", .message = "f.txt:2: " NO_NUMBER("three")},
        {"below, other ids", "# nodes: 3\n0 1\n# nodes: 3 (ids 1..3)\n",
         .message = TOO_LATE(3, "# nodes: 3 (ids 1..3)")},
        {"below, wide", "5000000000 1\n# nodes: 9\n", .message = TOO_LATE(2, "# nodes: 9")},
        {"below a heading", "source target\n# nodes: 9\n0 1\n",
         .message = TOO_LATE(2, "# nodes: 9")},
        {"below, directed", "0 1\n# directed: no\n", .message = TOO_LATE(2, "# directed: no")},
        {"below, directed otherwise", "# directed: yes\n0 1\n# directed: no\n",
         .message = TOO_LATE(3, "# directed: no")},
        {"grouped digits", "# nodes: 2,708\n0 1\n",
         .message = "f.txt:1: expected the number of nodes in decimal digits, found \"2,708\""},
        {"more than memory", "# nodes: 4294967294\n0 1\n",
         .message = "graph offsets: needs more, above the memory cap of 67.1 MB",
         .status = PDPR_ENOMEM},
        {"too many for the caller", "0 1\n",
         .message = "expected at most 4294967294 nodes, declared are 4294967295",
         .num_nodes = 4294967295, .status = PDPR_EUSAGE},
    };
    RUN_LOAD_CASES("f.txt", cases);
}

static void listed_nodes_keep_their_order(void **state)
{
    (void)state;
    const test_load_case cases[] = {
        {"numbers", "10 20\n", .graph = "30 10 20; 10>20; declared", .vertices = "30\n10\n20\n"},
        {"texts", "a,c d\n", .graph = "b a c d; a>c d; declared", .vertices = "b\na\nc d\n"},
        {"comments", "2 1\n", .graph = "1 2; 2>1; declared", .vertices = "# v\n1\r\n\n  2  \n% w"},
        {"numbers among texts", "1 -1\n", .graph = "a 1 -1; 1>-1; declared",
         .vertices = "a\n1\n-1\n"},
        {"quotes", "\"a b\" \"c \"\"d\"\"\"\n", .graph = "a b c \"d\"; a b>c \"d\"; declared",
         .vertices = "\"a b\"\n\"c \"\"d\"\"\"\n"},
        {"heading", "1 2\n", .graph = "1 2; 1>2; declared", .vertices = "id\n1\n2\n",
         .message = "v.txt:1: the line \"id\" is taken for a heading and skipped"},
        {"heading of the edges", "source,target\na,b\n", .graph = "a b; a>b; declared",
         .vertices = "a\nb\n", .message = HEADING(1, "source,target")},
        {"nodes like a heading", "source target\ntarget source\n",
         .graph = "source target; source>target target>source; declared",
         .vertices = "source\ntarget\n"},
        {"no edges", "", .graph = "1 2;; declared", .vertices = "1\n2\n"},
        {"agreement", "# nodes: 2\n1 2\n", .graph = "1 2; 1>2; declared", .vertices = "1\n2\n",
         .num_nodes = 2},
        {"in the header", "# nodes: 3\n# node: b\n# node: \"a 1\"\n# node: c\nb \"a 1\"\n",
         .graph = "b a 1 c; b>a 1; declared"},
        {"in the header, numbers", "# nodes: 2\n# node: 9\n# node: 4\n4 9\n",
         .graph = "9 4; 4>9; declared"},
        {"in the header, one text before numbers", "# nodes: 2\n# node: !x\n# node: 1\n1 !x\n",
         .graph = "!x 1; 1>!x; declared"},
        {"in the header, no edges", "# nodes: 2\n# node: 9\n# node: 4\n",
         .graph = "9 4;; declared"},
        {"widest", "0 18446744073709551615\n",
         .graph = "18446744073709551615 0; 0>18446744073709551615; declared",
         .vertices = "18446744073709551615\n0\n"},
        {"unknown", "1 2\n# c\n1 3\n", .vertices = "1\n2\n",
         .message = "f.txt:3: expected a node listed in v.txt, found \"3\""},
        {"unknown text", "a x\n", .vertices = "a\nb\n",
         .message = "f.txt:1: expected a node listed in v.txt, found \"x\""},
        {"unknown first line", "x y\na b\n", .vertices = "a\nb\n",
         .message = "f.txt:1: expected a node listed in v.txt, found \"x\""},
        {"unknown in the header", "# nodes: 1\n# node: a\na b\n",
         .message = "f.txt:3: expected a node listed in the header, found \"b\""},
        {"repeat", "1 2\n", .vertices = "1\n2\n\n1\n",
         .message = "v.txt:4: expected each id once, found \"1\" again"},
        {"repeat with a zero", "1 2\n", .vertices = "1\n02\n2\n02\n",
         .message = "v.txt:4: expected each id once, found \"02\" again"},
        {"repeated text", "a a\n", .vertices = "a\nb\na\n",
         .message = "v.txt:3: expected each id once, found \"a\" again"},
        {"no id", "1 2\n", .vertices = "1\n-1\n",
         .message = "v.txt:2: expected a node id (decimal digits only), found \"-1\""},
        {"none", "1 2\n", .vertices = "# none\n",
         .message = "v.txt: expected one node id a line, found none"},
        {"control character", "1 2\n", .vertices = "a\x02\n",
         .message = "v.txt:1: expected a node id of 1 to 4096 bytes without control characters, "
                    "found \"a\\x02\""},
        {"open quote", "1 2\n", .vertices = "\"a\n",
         .message = "v.txt:1: expected a closing quote and a separator, found none"},
        {"count differs", "1 2\n", .vertices = "1\n2\n", .num_nodes = 3,
         .message = "v.txt: expected 3 nodes as declared, found 2"},
        {"count differs from header", "# nodes: 3\n1 2\n", .vertices = "1\n2\n",
         .message = "f.txt:1: expected 2 nodes as listed in v.txt, found 3"},
        {"too few in the header", "# nodes: 3\n# node: a\na a\n",
         .message = "f.txt:1: expected 1 nodes as listed in the header, found 3"},
    };
    RUN_LOAD_CASES("f.txt", cases);
}

static void snap_headers_are_taken_when_the_ids_fit(void **state)
{
    (void)state;
    const test_load_case cases[] = {
        {"fits",
         "# Directed graph: x.txt\n# Nodes: 4 Edges: 2\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n",
         .graph = "0 1 2 3; 0>1 1>2;"},
        {"undirected", "# Undirected graph: y\n# Nodes: 3 Edges: 1\n0 1\n", .graph = "0 1 2; 0-1;"},
        {"beyond", "# Nodes: 3 Edges: 2\n0\t1\n1\t9\n", .graph = "0 1 9; 0>1 1>9;",
         .message =
             "f.txt: the header says 3 nodes, but ids go beyond; the nodes are the 3 ids seen"},
        {"just beyond", "# Nodes: 3 Edges: 2\n0\t1\n1\t3\n", .graph = "0 1 3; 0>1 1>3;",
         .message =
             "f.txt: the header says 3 nodes, but ids go beyond; the nodes are the 3 ids seen"},
        {"beyond, declared by the caller", "# Nodes: 3 Edges: 1\n0\t3\n",
         .graph = "0 1 2 3; 0>3; declared", .num_nodes = 4},
        {"lines missing", "# Nodes: 2 Edges: 3\n0 1\n", .graph = "0 1; 0>1;",
         .message = "f.txt: found another number of edges than its header says"},
        {"declared above", "# nodes: 4\n# Nodes: 2 Edges: 1\n0 1\n",
         .graph = "0 1 2 3; 0>1; declared"},
        {"no edges", "# Nodes: 2 Edges: 0\n", .graph = "0 1;;"},
    };
    RUN_LOAD_CASES("f.txt", cases);
}

static void konect_files_start_at_one(void **state)
{
    (void)state;
    const test_load_case cases[] = {
        {"sym", "% sym unweighted\n% 2 4 4\n1 2\n2 3\n", .graph = "1 2 3 4; 1-2 2-3;"},
        {"asym", "% asym positive\n% 2 3\n1 2 5\t99\n3 2 1\t98\n",
         .graph = "1 2 3; 1>2 3>2; weights", .message = COLUMNS},
        {"no sizes", "% sym unweighted\n3 1\n", .graph = "1 3; 1-3;"},
        {"no sizes, declared by the caller", "% sym unweighted\n3 1\n",
         .graph = "1 2 3; 1-3; declared", .num_nodes = 3},
        {"only lines", "% asym unweighted\n% 2\n1 2\n", .graph = "1 2; 1>2;",
         .message = "f.txt: found another number of edges than its header says"},
        {"zero", "% sym unweighted\n% 1 2 2\n0 1\n",
         .message = "f.txt:3: expected a node id in 1..2, found 0"},
        {"beyond", "% sym unweighted\n% 1 2 2\n1 3\n",
         .message = "f.txt:3: expected a node id in 1..2, found 3"},
        {"bip", "% bip unweighted\n% 2 3 4\n1 2\n",
         .message = "f.txt:1: expected a KONECT graph with one node set (sym or asym), found bip"},
        {"two sets", "% asym unweighted\n% 2 3 4\n1 2\n",
         .message = "f.txt:2: expected one node set, found two of 3 and 4 nodes"},
        {"disagreement", "% asym unweighted\n% 2 3 3\n1 2\n",
         .message = "f.txt:2: expected 4 nodes as declared, found 3", .num_nodes = 4},
        {"prose with digits", "% sym unweighted\n% 3 of 4\n1 2\n", .graph = "1 2; 1-2;"},
        {"another word", "% symmetric\n0 1\n", .graph = "0 1; 0>1;"},
    };
    RUN_LOAD_CASES("f.txt", cases);
}

static void headings_and_columns_are_passed_with_a_notice(void **state)
{
    (void)state;
    const test_load_case cases[] = {
        {"usual words", "Source,Target\n0,1\n", .graph = "0 1; 0>1;",
         .message = HEADING(1, "Source,Target")},
        {"usual words before texts", "from to\na b\n", .graph = "a b; a>b;",
         .message = HEADING(1, "from to")},
        {"other words", "# c\nperson;friend\n\n10;11\n", .graph = "10 11; 10>11;",
         .message = HEADING(2, "person;friend")},
        {"other words before declared", "person;friend\n1;0\n", .graph = "0 1; 1>0; declared",
         .message = HEADING(1, "person;friend"), .num_nodes = 2},
        {"quoted words", "\"source\",\"target\",\"weight\"\n1,2,3\n", .graph = "1 2; 1>2; weights",
         .message = "f.txt:1: the line \"\"source\",\"target\",\"weight\"\" is taken for a heading "
                    "and skipped | " COLUMNS},
        {"usual words of calls before texts", "Caller,callee\nann,bob\n",
         .graph = "ann bob; ann>bob;", .message = HEADING(1, "Caller,callee")},
        {"other words before texts", "# c\nbuyer,shop\nann,bob\n",
         .graph = "ann bob buyer shop; ann>bob buyer>shop;", .message = NAMES(2)},
        {"other words before a text", "buyer\tshop\n7\tbob\n",
         .graph = "7 bob buyer shop; 7>bob buyer>shop;", .message = NAMES(1)},
        {"texts in a table", "ann;bob\n", .graph = "ann bob; ann>bob;", .message = NAMES(1)},
        {"texts with a weight", "ann;bob;x;0.5\n", .graph = "ann bob; ann>bob; weights",
         .message = COLUMNS},
        {"texts listed", "# nodes: 2\n# node: ann\n# node: bob\nann,bob\n",
         .graph = "ann bob; ann>bob; declared"},
        {"usual words elsewhere", "id,source,target\n7,0,1\n",
         .message = "f.txt:1: expected the ends of an edge in the first two columns, found the "
                    "heading \"id,source,target\""},
        {"quoted words elsewhere", "\"weight\";\"from\";\"to\"\n7;0;1\n",
         .message = "f.txt:1: expected the ends of an edge in the first two columns, found the "
                    "heading \"\"weight\";\"from\";\"to\"\""},
        {"JSON", "[[0,1],[1,2]]\n",
         .message = "f.txt:1: expected an edge a line, two ids each, found \"[[0,1],[1,2]]\": is "
                    "it XML or JSON?"},
        {"XML", "<graphml xmlns=\"x\">\n<node/> <node/>\n",
         .message = "f.txt:1: expected an edge a line, two ids each, found \"<graphml "
                    "xmlns=\"x\">\": is it XML or JSON?"},
        {"Matrix Market", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n2 1\n",
         .message = "f.txt:1: expected an edge list, found a Matrix Market file: give it the "
                    "ending .mtx"},
        {"texts are edges", "ann bob\nbob cid\n", .graph = "ann bob cid; ann>bob bob>cid;"},
        {"one line of texts", "ann bob\n", .graph = "ann bob; ann>bob;"},
        {"one line of usual words", "source target\n", .graph = "source target; source>target;"},
        {"weights", "0 1 0.5\n1 2\n", .graph = "0 1 2; 0>1 1>2; weights", .message = COLUMNS},
        {"weights in csv", "0,1,0.5\n1,2,\n", .graph = "0 1 2; 0>1 1>2; weights",
         .message = COLUMNS},
        {"closing comma", "0,1,\n", .graph = "0 1; 0>1;"},
        {"mixed blanks", "1 2\t1 99\n", .graph = "1 2; 1>2; weights", .message = COLUMNS},
    };
    RUN_LOAD_CASES("f.txt", cases);
}

static void what_is_no_edge_list_is_refused(void **state)
{
    (void)state;
    const test_load_case cases[] = {
#define NO_ID(text) "expected a node id (decimal digits only), found \"" text "\""
        {"minus", "-1 2\n", .message = "f.txt:1: " NO_ID("-1")},
        {"plus", "2 +7\n", .message = "f.txt:1: " NO_ID("+7")},
        {"hexadecimal", "0x10 2\n", .message = "f.txt:1: " NO_ID("0x10")},
        {"exponent", "1e5 2\n", .message = "f.txt:1: " NO_ID("1e5")},
        {"fraction", "1.0 2\n", .message = "f.txt:1: " NO_ID("1.0")},
        {"bare fraction", "1 .5\n", .message = "f.txt:1: " NO_ID(".5")},
        {"minus later", "1 2\n\n-1 2\n", .message = "f.txt:3: " NO_ID("-1")},
        {"text later", "1 2\n2 3\nx 3\n4 y\n", .message = "f.txt:3: " NO_ID("x")},
        {"digits and text", "1 2\n2 3x\n", .message = "f.txt:2: " NO_ID("3x")},
        {"text after wide", "4294967296 1\n1 x\n", .message = "f.txt:2: " NO_ID("x")},
        {"text before wide", "1 2\n1 x\n4294967296 1\n", .message = "f.txt:2: " NO_ID("x")},
        {"overflow", "1 18446744073709551616\n",
         .message = "f.txt:1: expected a node id below 18446744073709551616, found "
                    "\"18446744073709551616\""},
        {"overflow to one", "1 2\n18446744073709551617 2\n",
         .message = "f.txt:2: expected a node id below 18446744073709551616, found "
                    "\"18446744073709551617\""},
        {"second overflow to one", "1 2\n2 18446744073709551617\n",
         .message = "f.txt:2: expected a node id below 18446744073709551616, found "
                    "\"18446744073709551617\""},
        {"long overflow", "1 2\n123456789012345678901234567890123456789012345 1\n",
         .message = "f.txt:2: expected a node id below 18446744073709551616, found "
                    "\"1234567890123456789012345678901234567890...\""},
        {"one token", "1 2\n12\n", .message = "f.txt:2: expected two node ids, found \"12\""},
        {"one token first", "12\n", .message = "f.txt:1: expected two node ids, found \"12\""},
        {"nul", "0 1\n1 \0002\n", 9, .message = "f.txt:2: expected text, found a NUL byte"},
        {"nul in a comment", "# a\0\n0 1\n", 9,
         .message = "f.txt:1: expected text, found a NUL byte"},
        {"nul in a late comment", "0 1\n# a\0\n", 9,
         .message = "f.txt:2: expected text, found a NUL byte"},
        {"control character", "a b\nb c\x01\x7f\xff\n",
         .message = "f.txt:2: expected a node id of 1 to 4096 bytes without control characters, "
                    "found \"c\\x01\\x7f\\xff\""},
        {"bare cr", "a b\rc d\r",
         .message = "f.txt:1: expected a node id of 1 to 4096 bytes without control characters, "
                    "found \"b\\rc\""},
        {"utf-16",
         "\xff\xfe"
         "0\0 \0",
         6, .message = "f.txt:1: expected UTF-8 or ASCII text, found UTF-16"},
        {"utf-16, other order", "\xfe\xff\0000", 4,
         .message = "f.txt:1: expected UTF-8 or ASCII text, found UTF-16"},
#define NO_EDGES \
    "f.txt: expected edges, or a line \"# nodes: N\" or a declared number of nodes, found "
        {"empty", "", .message = NO_EDGES "an empty file"},
        {"only comments", "# a\n\n", .message = NO_EDGES "no edge"},
    };
    RUN_LOAD_CASES("f.txt", cases);
}

static void line_of_a_megabyte_is_read_and_a_longer_one_refused(void **state)
{
    (void)state;
    enum { MOST = 1 << 20 };
    char *bytes = malloc(MOST + 64);
    assert_non_null(bytes);
    for (int over = 0; over < 2; over++) { /* a comment of that length, behind it an edge */
        memset(bytes, '#', MOST + 1);
        strcpy(bytes + MOST + over, "\r\n1 2\n");
        const test_load_case one = {
            "long comment", bytes, .graph = over ? NULL : "1 2; 1>2;",
            .message = over
                           ? "f.txt:1: expected a line of at most 1048576 bytes, found a longer one"
                           : NULL};
        test_run_load_cases("f.txt", &one, 1);
        memset(bytes, ' ', MOST + 1); /* a data line, last and without an end */
        memcpy(bytes, "1 2\n3 4", 7);
        memcpy(bytes + 4 + MOST + over, "", 1);
        const test_load_case last = {
            "long last line", bytes, .graph = over ? NULL : "1 2 3 4; 1>2 3>4;",
            .message = over
                           ? "f.txt:2: expected a line of at most 1048576 bytes, found a longer one"
                           : NULL};
        memset(bytes + 7, ' ', (size_t)(MOST + over - 3));
        test_run_load_cases("f.txt", &last, 1);
    }
    free(bytes);

    enum { LONG = 5 << 20 }; /* more than a block */
    bytes = malloc(LONG + 1);
    assert_non_null(bytes);
    memset(bytes, '7', LONG);
    memcpy(bytes, "1 2\n", 4);
    bytes[LONG] = '\0';
    const test_load_case block = {
        "line of several blocks", bytes,
        .message = "f.txt:2: expected a line of at most 1048576 bytes, found a longer one"};
    test_run_load_cases("f.txt", &block, 1);
    free(bytes);
}

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = NULL;
    pdpr_error err;
    assert_int_equal(pdpr_graph_load(ctx, "/tmp", NULL, &g, NULL, &err), PDPR_EINPUT);
    assert_string_equal(err.text, "/tmp: expected a file, found a folder");
    assert_int_equal(pdpr_graph_load(ctx, "missing.txt", NULL, &g, NULL, &err), PDPR_EFAILED);
    assert_string_equal(err.text, "missing.txt: cannot open: No such file or directory");
    pdpr_load_options o;
    pdpr_load_options_default(&o);
    o.format = "dot";
    assert_int_equal(pdpr_graph_load(ctx, "x", &o, &g, NULL, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "expected the format edges, metis, mtx or bcsr, found \"dot\"");
    o.format = "metis";
    o.vertices_path = "v";
    assert_int_equal(pdpr_graph_load(ctx, "x", &o, &g, NULL, &err), PDPR_EUSAGE);
    assert_string_equal(err.text,
                        "a vertex file goes with edge lists only; METIS files number their nodes");
    pdpr_load_options_default(&o);
    o.direction = (pdpr_direction)7;
    assert_int_equal(pdpr_graph_load(ctx, "x", &o, &g, NULL, &err), PDPR_EUSAGE);
    assert_null(g);
    pdpr_context_free(ctx);
}

/* The fast conversion of digits against the plain one, at every length and with every byte behind.
 */
static void digits_fast_and_plain_agree(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int round = 0; round < 20000; round++) {
        char text[40];
        size_t length = (size_t)(round % 20);
        for (size_t i = 0; i < length; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            text[i] = (char)('0' + (random >> 33) % 10);
        }
        char behind = (char)(round / 20 % 256);
        memset(text + length, behind >= '0' && behind <= '9' ? '\n' : behind, sizeof text - length);
        uint64_t fast = 0, plain = 0;
        assert_ptr_equal(pdpr_i_take_digits(text, &fast), text + length);
        if (length && pdpr_i_id_read((pdpr_i_token){text, length}, &plain) == PDPR_I_ID_NUMBER)
            assert_int_equal(fast, plain);
    }
}

static void load_fills_info(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    const char text[] = "# nodes: 4\n0 1 7\n\n1 1\n1 0\n1 0\n";
    pdpr_graph *g = NULL;
    pdpr_load_info info;
    test_write_file("f.unknown", text, sizeof text - 1);
    assert_ok(pdpr_graph_load(ctx, "f.unknown", NULL, &g, &info, NULL));
    assert_string_equal(info.format, "edge list");
    assert_int_equal(info.lines, 6);
    assert_int_equal(info.arcs_read, 4);
    assert_int_equal(info.loops_dropped, 1);
    assert_int_equal(info.repeats_dropped, 1);
    assert_true(info.weights_ignored);
    assert_true(info.nodes_declared);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* Counts of the README of ../shared/datasets, read there by other programs. */
static void datasets_have_the_counts_of_their_readme(void **state)
{
    (void)state;
    const struct {
        const char *file;
        uint32_t nodes;
        uint64_t arcs, edges;
    } sets[] = {
        {"cora.edges", 2708, 5278, 5278},
        {"cora_linqs.edges", 2708, 5429, 5278},
        {"citeseer.edges", 3327, 4552, 4552},
        {"citeseer_linqs.edges", 3327, 4608, 4552},
        {"p2p.edges", 6301, 20777, 20777},
        {"p2p_snap.edges", 6301, 20777, 20777},
        {"chicago.edges", 12979, 20627, 20627},
        {"chicago_tntp.edges", 12982, 39018, 20627},
        {"amazon0505_music.edges.gz", 62549, 128674, 92089},
        {"slashdot0902.edges.gz", 82168, 870161, 504230},
    };
    char path[512];
    for (uint32_t threads = 1; threads <= 2; threads++) {
        pdpr_context *ctx = test_context(threads);
        for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
            pdpr_graph *g = NULL;
            pdpr_load_options o;
            pdpr_load_info info;
            if (!test_dataset(sets[i].file, path, sizeof path))
                continue;
            pdpr_load_options_default(&o);
            assert_ok(pdpr_graph_load(ctx, path, &o, &g, &info, NULL));
            assert_int_equal(pdpr_graph_num_nodes(g), sets[i].nodes);
            assert_int_equal(pdpr_graph_num_edges(g), sets[i].arcs);
            assert_int_equal(info.arcs_read, sets[i].arcs);
            assert_true(info.nodes_declared);
            pdpr_graph_free(g);
            o.direction = PDPR_DIRECTION_UNDIRECTED;
            o.num_nodes = sets[i].nodes;
            assert_ok(pdpr_graph_load(ctx, path, &o, &g, NULL, NULL));
            assert_int_equal(pdpr_graph_num_edges(g), sets[i].edges);
            pdpr_graph_free(g);
        }
        pdpr_context_free(ctx);
    }
}

static void load_survives_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    static const char *const texts[] = {
        "# nodes: 3\n0 1\n1 2\n",
        "10 20 1\n20 30 1\n",
        "5000000000 1\n1 7\n",
        "1 2\n3 4\n5000000000 1\n",
        "1000000000 1\n",
        "ann bob\nbob cid\n# x\n",
        "1 2\n3 4\n01 2\n",
        "source,target\n1,2\n",
        "# nodes: 2\n# node: b\n# node: a\na b\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        pdpr_status status;
        test_write_file("f.txt", texts[i], strlen(texts[i]));
        FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
            pdpr_graph *g = NULL;
            pdpr_error err;
            status = pdpr_i_graph_load(ctx, "f.txt", NULL, &test_tiny_reading, &g, NULL, &err);
            assert_true(status == PDPR_OK || g == NULL);
            pdpr_graph_free(g);
        });
    }
    char many[2048] = "", line[32]; /* tables that grow */
    for (int i = 0; i < 150; i++) {
        snprintf(line, sizeof line, "n%d m\n", i);
        strcat(many, line);
    }
    pdpr_status status;
    test_write_file("f.txt", many, strlen(many));
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        pdpr_graph *g = NULL;
        status = pdpr_graph_load(ctx, "f.txt", NULL, &g, NULL, NULL);
        pdpr_graph_free(g);
    });
    pdpr_context_free(ctx);
}

static void load_cancelled_stops(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = NULL;
    test_write_file("f.txt", "0 1\n", 4);
    pdpr_context_cancel(ctx);
    assert_int_equal(pdpr_graph_load(ctx, "f.txt", NULL, &g, NULL, NULL), PDPR_ECANCELLED);
    assert_null(g);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separators_are_found_on_the_first_line),
        cmocka_unit_test(line_ends_and_comments_do_not_matter),
        cmocka_unit_test(ids_without_declaration_are_the_nodes_in_order),
        cmocka_unit_test(ids_with_leading_zeros_are_texts),
        cmocka_unit_test(declared_nodes_are_the_range),
        cmocka_unit_test(listed_nodes_keep_their_order),
        cmocka_unit_test(snap_headers_are_taken_when_the_ids_fit),
        cmocka_unit_test(konect_files_start_at_one),
        cmocka_unit_test(headings_and_columns_are_passed_with_a_notice),
        cmocka_unit_test(what_is_no_edge_list_is_refused),
        cmocka_unit_test(line_of_a_megabyte_is_read_and_a_longer_one_refused),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(digits_fast_and_plain_agree),
        cmocka_unit_test(load_fills_info),
        cmocka_unit_test(datasets_have_the_counts_of_their_readme),
        cmocka_unit_test(load_survives_every_allocation_failure),
        cmocka_unit_test(load_cancelled_stops),
    };
    return cmocka_run_group_tests_name("read edge list", tests, test_enter_folder,
                                       test_leave_folder);
}
