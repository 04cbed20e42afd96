# Tests are found by name (CONTRIBUTING.md):
#   tests/unit/test_*.c     one module each            tests/check/check_*.c   slow oracles
#   tests/cli/test_*.sh     the program from outside   tests/fuzz/fuzz_*.c     corpus replayed here
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
pkg_check_modules(IGRAPH REQUIRED IMPORTED_TARGET igraph)     # GPL: an oracle in tests, never shipped

file(GLOB support_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/support/*.c)
add_library(test_support STATIC ${support_sources})
target_compile_definitions(test_support PUBLIC TEST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_include_directories(test_support PUBLIC ${CMAKE_SOURCE_DIR}/tests ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(test_support PUBLIC privdpr_static PkgConfig::CMOCKA)

if(PRIVDPR_TESTS)
    file(GLOB test_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/test_*.c
         ${CMAKE_SOURCE_DIR}/tests/check/check_*.c)
    foreach(source IN LISTS test_sources)
        get_filename_component(name ${source} NAME_WE)
        add_executable(${name} ${source})
        target_link_libraries(${name} PRIVATE test_support)
        set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
        if(name MATCHES "igraph")
            target_link_libraries(${name} PRIVATE PkgConfig::IGRAPH)
        endif()
        add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
        # Unit tests also run under the sanitizers; oracles run thousands of graphs, in the release build.
        if(source MATCHES "/unit/")
            set_tests_properties(${name} PROPERTIES TIMEOUT 600 LABELS threads)
        else()
            set_tests_properties(${name} PROPERTIES TIMEOUT 900 LABELS slow)
        endif()
    endforeach()

    file(GLOB cli_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/cli/test_*.sh)
    foreach(script IN LISTS cli_tests)
        get_filename_component(name ${script} NAME_WE)
        add_test(NAME cli_${name} COMMAND sh ${script} $<TARGET_FILE:privdpr>
                 WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
        set_tests_properties(cli_${name} PROPERTIES TIMEOUT 600)
        if(name MATCHES "browser")   # the pages are the same bytes in every build: one look is enough
            set_tests_properties(cli_${name} PROPERTIES LABELS slow)
        endif()
    endforeach()
endif()

# A fuzz target is one file with LLVMFuzzerTestOneInput. Under the fuzz preset it becomes a libFuzzer
# program; otherwise it is linked with a small driver that replays the corpus as an ordinary test.
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_sources)
    get_filename_component(name ${source} NAME_WE)
    if(PRIVDPR_FUZZ)
        add_executable(${name} ${source})
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    else()
        add_executable(${name} ${source} ${CMAKE_SOURCE_DIR}/tests/fuzz/replay_corpus.c)
        add_test(NAME ${name} COMMAND ${name} ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name}
                 WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    endif()
    target_link_libraries(${name} PRIVATE test_support)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
endforeach()

# examples/*.c are built against the shared library as a user would, and run on a small graph.
if(PRIVDPR_TESTS)
    file(GLOB example_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/*.c)
    foreach(source IN LISTS example_sources)
        get_filename_component(name ${source} NAME_WE)
        add_executable(example_${name} ${source})
        target_link_libraries(example_${name} PRIVATE privdpr_shared)
        set_target_properties(example_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples)
        add_test(NAME example_${name} COMMAND example_${name} ${CMAKE_SOURCE_DIR}/tests/golden/triangle.edges)
        set_tests_properties(example_${name} PROPERTIES LABELS threads)
    endforeach()
    set_tests_properties(example_count_triangles PROPERTIES PASS_REGULAR_EXPRESSION "4 nodes, 4 edges, 1 triangles")
endif()
