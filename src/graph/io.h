/* Readers and writers of graph files, as their own files see each other.
 *
 * Reading:  source_bytes (plain, gzip, zstd) -> text_lines (blocks of whole lines)
 *           -> edge_header, edge_line (the grammar) -> collect_edges (pairs, in parallel)
 *           -> number_nodes (ids to 0..N-1) -> pdpr_i_graph_build.
 * Writing:  write_* -> sink_bytes (plain, gzip, zstd) -> pdpr_i_outfile.
 * formats.c holds the table of formats; a reader or writer is a row of it. */
#ifndef PDPR_GRAPH_IO_H
#define PDPR_GRAPH_IO_H

#include "graph/graph.h"

/* Largest N: the id after the last one must fit in 32 bits, and one value is left for "none". */
#define PDPR_I_MOST_NODES (UINT32_MAX - 1)

/* ---------------------------------------------------------------- source_bytes.c */

typedef enum { PDPR_I_PLAIN, PDPR_I_GZIP, PDPR_I_ZSTD } pdpr_i_compression;

/* A file or standard input ("-") as plain bytes, unpacked by its first bytes, not by its name. */
typedef struct pdpr_i_source pdpr_i_source;

pdpr_status pdpr_i_source_open(pdpr_context *ctx, const char *path, pdpr_i_source **out,
                               pdpr_error *err);
/* Reads up to `size` (> 0) bytes; *got is 0 at the end only. Errors: PDPR_EINPUT (truncated or
 * corrupt packing), PDPR_EFAILED, PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_source_read(pdpr_i_source *source, void *bytes, size_t size, size_t *got,
                               pdpr_error *err);
/* Bytes that the source will give in all, or UINT64_MAX if that is not known beforehand. */
uint64_t pdpr_i_source_length(const pdpr_i_source *source);
/* The name for messages. */
const char *pdpr_i_source_name(const pdpr_i_source *source);
void pdpr_i_source_close(pdpr_i_source *source);

/* ---------------------------------------------------------------- text_lines.c */

/* Sizes of the pieces in which text is read; tests take small ones so that every border is met. */
typedef struct {
    size_t block_bytes; /* read at a time */
    size_t piece_bytes; /* parsed at a time by one thread */
} pdpr_i_reading;

extern const pdpr_i_reading pdpr_i_reading_default;

/* Longest line of an edge list, without its end. */
enum { PDPR_I_MOST_LINE = 1 << 20 };
/* Readable bytes behind a block, for parsers that load words. */
enum { PDPR_I_TEXT_PADDING = 16 };

/* A run of whole lines; end stands behind the last '\n'. The bytes may be changed. */
typedef struct {
    char *start, *end;
    uint64_t first_line; /* number of its first line, from 1 */
} pdpr_i_lines;

/* One line without its end ("\n" or "\r\n"). */
typedef struct {
    char *start, *end;
    uint64_t number;
} pdpr_i_line;

typedef struct pdpr_i_text pdpr_i_text;

/* Takes the source over, also on failure. Lines longer than most_line are errors. */
pdpr_status pdpr_i_text_open(pdpr_context *ctx, pdpr_i_source *source,
                             const pdpr_i_reading *reading, size_t most_line, pdpr_i_text **out,
                             pdpr_error *err);
void pdpr_i_text_close(pdpr_i_text *text);
const char *pdpr_i_text_name(const pdpr_i_text *text);
uint64_t pdpr_i_text_length(const pdpr_i_text *text); /* as pdpr_i_source_length */
/* The next line; *more is false at the end. Refuses NUL bytes and overlong lines. Valid until the
 * next call. */
pdpr_status pdpr_i_text_line(pdpr_i_text *text, pdpr_i_line *out, bool *more, pdpr_error *err);
/* Gives the line read last once more. */
void pdpr_i_text_unread(pdpr_i_text *text, const pdpr_i_line *line);
/* All whole lines at hand, read anew if there are none; start == end at the end. The caller, who
 * counts lines in parallel, then tells with pdpr_i_text_passed how many they were. */
pdpr_status pdpr_i_text_block(pdpr_i_text *text, pdpr_i_lines *out, pdpr_error *err);
void pdpr_i_text_passed(pdpr_i_text *text, uint64_t lines);
uint64_t pdpr_i_count_lines(const char *start, const char *end);
/* Lines given out so far. */
uint64_t pdpr_i_text_lines_read(const pdpr_i_text *text);
/* Refuses NUL bytes and overlong lines. */
pdpr_status pdpr_i_check_line(const char *name, const pdpr_i_line *line, size_t most_line,
                              pdpr_error *err);

/* ---------------------------------------------------------------- edge_line.c */

/* One id on a line, without quotes. */
typedef struct {
    const char *start;
    size_t length;
} pdpr_i_token;

/* What a token is. "-1", "+7", "0x10", "1e5" and "1.0" are miswritten: numbers, but no ids. */
typedef enum {
    PDPR_I_ID_NUMBER,    /* decimal digits below 2^64 */
    PDPR_I_ID_TOO_LARGE, /* decimal digits from 2^64 */
    PDPR_I_ID_MISWRITTEN,
    PDPR_I_ID_TEXT
} pdpr_i_id_kind;

/* *number is written for PDPR_I_ID_NUMBER only. */
pdpr_i_id_kind pdpr_i_id_read(pdpr_i_token id, uint64_t *number);
/* True for digits behind a zero, as in "007": the zero belongs to the id, which is a text. */
bool pdpr_i_id_is_padded(pdpr_i_token id);
/* Fails with what is wrong with a token where a number was expected. */
pdpr_status pdpr_i_fail_id(const char *name, uint64_t line, pdpr_i_token id, pdpr_error *err);

/* True for lines of blanks and for comments (first character '#' or '%'). */
bool pdpr_i_line_is_comment(const pdpr_i_line *line);
/* The separator that a first line shows: ',', ';', '\t', or ' ' for runs of blanks. */
char pdpr_i_line_separator(const pdpr_i_line *line);
/* The first two fields of a line. Quotes are taken off inside the line, so it can be split once
 * only. *more is set, never cleared, if there are further fields. */
pdpr_status pdpr_i_line_split(const char *name, const pdpr_i_line *line, char separator,
                              pdpr_i_token out[2], bool *more, pdpr_error *err);
/* A whole line as one id: blanks around it and quotes taken off. */
pdpr_status pdpr_i_line_single(const char *name, const pdpr_i_line *line, pdpr_i_token *out,
                               pdpr_error *err);
/* True if the text must stand in quotes to be read back as one id. */
bool pdpr_i_id_needs_quotes(const char *text, size_t length);
/* True if a name can be kept in every format: 1..PDPR_I_MOST_ID bytes, no control characters but
 * tabs. */
enum { PDPR_I_MOST_ID = 4096 };
bool pdpr_i_id_is_writable(const char *text, size_t length);
pdpr_status pdpr_i_fail_text_id(const char *name, uint64_t line, pdpr_i_token id, pdpr_error *err);

/* ---------------------------------------------------------------- id_table.c */

enum { PDPR_I_NO_NODE = -1 };

/* Ids and their numbers 0, 1, … in order of insertion; all numbers or all texts. Reading from many
 * threads is fine while nothing is inserted. */
typedef struct {
    bool texts;
    uint32_t count;
    uint64_t *number; /* numbers: [capacity] */
    char *text;       /* texts: the bytes one behind another */
    uint64_t *start;  /* texts: [capacity + 1], start[count] is the length of text */
    uint64_t capacity, text_capacity;
    uint64_t *slot; /* [slots], a power of two: hash and index + 1, 0 if empty */
    uint64_t slots;
} pdpr_i_id_table;

pdpr_status pdpr_i_id_table_new(pdpr_context *ctx, bool texts, pdpr_i_id_table **out,
                                pdpr_error *err);
void pdpr_i_id_table_free(pdpr_i_id_table *table);
/* The number of an id, or PDPR_I_NO_NODE. */
int64_t pdpr_i_id_table_find_number(const pdpr_i_id_table *table, uint64_t id);
int64_t pdpr_i_id_table_find_text(const pdpr_i_id_table *table, pdpr_i_token id);
/* The number of an id, new or known; *added (may be NULL) tells which. */
pdpr_status pdpr_i_id_table_add_number(pdpr_context *ctx, pdpr_i_id_table *table, uint64_t id,
                                       uint32_t *out, bool *added, pdpr_error *err);
pdpr_status pdpr_i_id_table_add_text(pdpr_context *ctx, pdpr_i_id_table *table, pdpr_i_token id,
                                     uint32_t *out, bool *added, pdpr_error *err);
/* Sorts the ids ascending (texts bytewise); rank[old number] = new number. rank has room for
 * `count`. */
pdpr_status pdpr_i_id_table_sort(pdpr_context *ctx, pdpr_i_id_table *table, uint32_t *rank,
                                 pdpr_error *err);
/* The table as names; its arrays move to them. */
pdpr_status pdpr_i_id_table_to_names(pdpr_context *ctx, pdpr_i_id_table *table, pdpr_i_names **out,
                                     pdpr_error *err);

/* ---------------------------------------------------------------- vertex_list.c */

/* Ids in the order in which they are listed, with their lines, until it is known whether they are
 * numbers or texts. Zero-initialise. */
typedef struct {
    char *text;
    uint64_t *start; /* [capacity + 1] */
    uint64_t *line;  /* [capacity] */
    uint64_t count, capacity, text_capacity;
} pdpr_i_vertex_list;

void pdpr_i_vertex_list_clear(pdpr_i_vertex_list *list);
pdpr_status pdpr_i_vertex_list_add(pdpr_context *ctx, pdpr_i_vertex_list *list, pdpr_i_token id,
                                   uint64_t line, pdpr_error *err);
/* A table of the ids in their order: numbers if all are, else texts. Repeats are an error. `name`
 * is the file of the list; with `heading` its first line may be one. */
pdpr_status pdpr_i_vertex_list_finish(pdpr_context *ctx, const pdpr_i_vertex_list *list,
                                      const char *name, bool heading, pdpr_i_id_table **out,
                                      pdpr_error *err);
/* Reads a file with one id a line. */
pdpr_status pdpr_i_vertices_read(pdpr_context *ctx, const char *path, const pdpr_i_reading *reading,
                                 pdpr_i_id_table **out, pdpr_error *err);

/* ---------------------------------------------------------------- edge_header.c */

/* What the comments before the first edge say. Zero-initialise. */
typedef struct {
    uint64_t num_nodes;   /* declared N, or KONECT's count; 0: not declared */
    uint64_t nodes_line;  /* where */
    uint64_t first_id;    /* ids run first_id..first_id+N-1 */
    uint64_t said_nodes;  /* SNAP's count of nodes: N if the ids fit; 0: none */
    uint64_t said_edges;  /* SNAP's or KONECT's count of lines; 0: none */
    bool konect, counted; /* counted: N is KONECT's count of the nodes that occur, no declaration */
    bool directed_said, directed;
    pdpr_i_vertex_list list; /* "# node: NAME" lines */
} pdpr_i_edge_header;

void pdpr_i_edge_header_clear(pdpr_i_edge_header *header);
/* Takes in one comment line. */
pdpr_status pdpr_i_edge_header_add(pdpr_context *ctx, pdpr_i_edge_header *header, const char *name,
                                   const pdpr_i_line *line, pdpr_error *err);
/* Refuses a declaration behind the header that says anything but what the header said, where
 * num_nodes (0: none) were declared there or by the caller. */
pdpr_status pdpr_i_edge_header_check_late(const pdpr_i_edge_header *header, uint64_t num_nodes,
                                          const char *name, const pdpr_i_line *line,
                                          pdpr_error *err);
/* The checks of a declared N, for every format: 1..2^32-2, as the caller declared it (0: not), and
 * room for the graph's offsets. */
pdpr_status pdpr_i_check_num_nodes(pdpr_context *ctx, const char *name, uint64_t line,
                                   uint64_t num_nodes, uint64_t declared, pdpr_error *err);

/* ---------------------------------------------------------------- collect_edges.c */

/* How the ids of a file become node numbers. */
typedef enum {
    PDPR_I_IDS_RANGE,  /* id - first, below limit; all others are errors */
    PDPR_I_IDS_NARROW, /* numbers below 2^32 as they stand; numbered later */
    PDPR_I_IDS_WIDE,   /* any number, through a table of those seen; sorted later */
    PDPR_I_IDS_TEXT,   /* texts, through a table of those seen; sorted later */
    PDPR_I_IDS_LISTED  /* ids of a given table; all others are errors */
} pdpr_i_ids;

typedef struct {
    uint32_t *pairs; /* [2 * count] */
    uint64_t count;
} pdpr_i_pairs;

/* The edges of a file on their way from text to pairs. Zero-initialise, set the first part. */
typedef struct {
    pdpr_context *ctx;
    const char *name;
    pdpr_i_reading reading;
    pdpr_i_ids ids;
    bool only_digits; /* TEXT for the sake of leading zeros: what is no number is an error */
    char separator;
    uint64_t first, limit;  /* RANGE; NARROW has 0 and 2^32 */
    pdpr_i_id_table *table; /* WIDE, TEXT, LISTED */
    const char *list_name;  /* LISTED: whose list, for messages */
    const pdpr_i_edge_header
        *header; /* what later comments must agree with; NULL: any comment will do */

    pdpr_i_pairs *block; /* [num_blocks], what was collected */
    uint64_t num_blocks, block_capacity, num_pairs;
    uint64_t max_id;   /* NARROW */
    bool more_columns; /* some line had a third field */

    struct pdpr_i_piece *piece; /* work space */
    uint64_t num_pieces, piece_capacity;
} pdpr_i_edges;

void pdpr_i_edges_clear(pdpr_i_edges *edges);
/* Checks a comment behind the header. */
pdpr_status pdpr_i_edges_check_comment(const pdpr_i_edges *edges, const pdpr_i_line *line,
                                       pdpr_error *err);
/* Takes in a run of lines, in parallel; *num_lines is how many they are. */
pdpr_status pdpr_i_edges_add(pdpr_i_edges *edges, const pdpr_i_lines *block, uint64_t *num_lines,
                             pdpr_error *err);
/* Takes in the rest of a text. */
pdpr_status pdpr_i_edges_add_rest(pdpr_i_edges *edges, pdpr_i_text *text, pdpr_error *err);
/* Keeps `count` pairs in an array with room for `room`; takes the array over, also on failure. */
pdpr_status pdpr_i_edges_keep(pdpr_i_edges *edges, uint32_t *pairs, uint64_t count, uint64_t room,
                              pdpr_error *err);
/* Puts every collected id through a new table of numbers: from NARROW to WIDE. */
pdpr_status pdpr_i_edges_widen(pdpr_i_edges *edges, pdpr_error *err);
/* Digits at `at`; returns behind them. Right for up to 19 digits; 8 bytes must be readable. */
const char *pdpr_i_take_digits(const char *at, uint64_t *value);

/* ---------------------------------------------------------------- number_nodes.c */

/* Turns the collected ids into node numbers 0..N-1 and gives their names. said_nodes as in the
 * header. *declared is false if the nodes are the ids seen. */
pdpr_status pdpr_i_edges_number(pdpr_i_edges *edges, uint64_t said_nodes, uint32_t *num_nodes,
                                pdpr_i_names **names, bool *declared, pdpr_error *err);
/* The graph of the numbered edges; fills the counts of info. */
pdpr_status pdpr_i_edges_build(pdpr_i_edges *edges, uint32_t num_nodes, pdpr_i_names *names,
                               bool directed, pdpr_graph **out, pdpr_load_info *info,
                               pdpr_error *err);

/* ---------------------------------------------------------------- symmetry.c */

/* An arc *source -> *target without its other half, if *found. The rows must be sound. */
pdpr_status pdpr_i_graph_lone_arc(pdpr_context *ctx, const pdpr_graph *g, bool *found,
                                  uint32_t *source, uint32_t *target, pdpr_error *err);

/* ---------------------------------------------------------------- sink_bytes.c */

/* An output file, packed on the way, with a buffer for small writes. */
typedef struct pdpr_i_sink pdpr_i_sink;

pdpr_status pdpr_i_sink_open(pdpr_context *ctx, const char *path, pdpr_i_compression compression,
                             pdpr_i_sink **out, pdpr_error *err);
pdpr_status pdpr_i_sink_write(pdpr_i_sink *sink, const void *bytes, size_t length, pdpr_error *err);
/* Room for at least `length` bytes (at most some KB) to be filled by the caller, who then says with
 * pdpr_i_sink_put where he stopped. */
pdpr_status pdpr_i_sink_room(pdpr_i_sink *sink, size_t length, char **at, pdpr_error *err);
void pdpr_i_sink_put(pdpr_i_sink *sink, const char *end);
/* Completes the file and frees the sink, also on failure. */
pdpr_status pdpr_i_sink_commit(pdpr_i_sink *sink, pdpr_error *err);
/* Drops the file. NULL is fine. */
void pdpr_i_sink_abandon(pdpr_i_sink *sink);

/* ---------------------------------------------------------------- formats.c and its rows */

/* A reader takes the source over, also on failure. info is never NULL and starts as zero; the
 * reader fills all of it but `format`. options are complete. */
typedef pdpr_status (*pdpr_i_reader)(pdpr_context *ctx, pdpr_i_source *source,
                                     const pdpr_load_options *options,
                                     const pdpr_i_reading *reading, pdpr_graph **out,
                                     pdpr_load_info *info, pdpr_error *err);
/* `extension` is the path's, without packing ("csv"), or "". */
typedef pdpr_status (*pdpr_i_writer)(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_sink *sink,
                                     const char *extension, pdpr_error *err);

pdpr_status pdpr_i_read_edge_list(pdpr_context *ctx, pdpr_i_source *source,
                                  const pdpr_load_options *options, const pdpr_i_reading *reading,
                                  pdpr_graph **out, pdpr_load_info *info, pdpr_error *err);
pdpr_status pdpr_i_read_metis(pdpr_context *ctx, pdpr_i_source *source,
                              const pdpr_load_options *options, const pdpr_i_reading *reading,
                              pdpr_graph **out, pdpr_load_info *info, pdpr_error *err);
pdpr_status pdpr_i_read_matrix_market(pdpr_context *ctx, pdpr_i_source *source,
                                      const pdpr_load_options *options,
                                      const pdpr_i_reading *reading, pdpr_graph **out,
                                      pdpr_load_info *info, pdpr_error *err);
pdpr_status pdpr_i_read_binary_csr(pdpr_context *ctx, pdpr_i_source *source,
                                   const pdpr_load_options *options, const pdpr_i_reading *reading,
                                   pdpr_graph **out, pdpr_load_info *info, pdpr_error *err);

pdpr_status pdpr_i_write_edge_list(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_sink *sink,
                                   const char *extension, pdpr_error *err);
pdpr_status pdpr_i_write_metis(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_sink *sink,
                               const char *extension, pdpr_error *err);
pdpr_status pdpr_i_write_matrix_market(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_sink *sink,
                                       const char *extension, pdpr_error *err);
pdpr_status pdpr_i_write_binary_csr(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_sink *sink,
                                    const char *extension, pdpr_error *err);

/* pdpr_graph_load with other sizes of blocks and pieces, for tests. */
pdpr_status pdpr_i_graph_load(pdpr_context *ctx, const char *path, const pdpr_load_options *options,
                              const pdpr_i_reading *reading, pdpr_graph **out, pdpr_load_info *info,
                              pdpr_error *err);

#endif
