# The command line. It sees the public header only.
file(GLOB program_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/privdpr/*.c)

# The paper's published values (experiments/paper.csv) go into the program line by line, so that `privdpr reproduce`
# needs no file beside itself.
set(paper_csv ${CMAKE_SOURCE_DIR}/experiments/paper.csv)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${paper_csv})
file(STRINGS ${paper_csv} paper_rows)
list(POP_FRONT paper_rows)
list(TRANSFORM paper_rows REPLACE "^(.+)$" "    \"\\1\",")
list(JOIN paper_rows "\n" paper_text)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/paper_values.c @ONLY CONTENT
"/* Made by cmake/Program.cmake from experiments/paper.csv. */
#include \"cli.h\"

const char *const cli_paper_rows[] = {
@paper_text@
    NULL,
};
")

add_executable(privdpr ${program_sources} ${CMAKE_BINARY_DIR}/paper_values.c)
target_include_directories(privdpr PRIVATE ${CMAKE_SOURCE_DIR}/tools/privdpr)
target_link_libraries(privdpr PRIVATE privdpr_static)
set_target_properties(privdpr PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
