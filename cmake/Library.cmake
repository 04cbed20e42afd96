# libprivdpr, static and shared, from one set of objects.
file(GLOB_RECURSE library_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.c)

# Instruction-set variants are files of their own (x_avx2.c, x_avx512.c) and are chosen at run time.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    foreach(source IN LISTS library_sources)
        if(source MATCHES "_avx2\\.c$")
            set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma;-mbmi2;-mpopcnt")
        elseif(source MATCHES "_avx512\\.c$")
            set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
                "-mavx512f;-mavx512dq;-mavx512bw;-mavx512vl;-mbmi2;-mpopcnt;-mprefer-vector-width=512")
        endif()
    endforeach()
else()
    list(FILTER library_sources EXCLUDE REGEX "_avx(2|512)\\.c$")
endif()

# PDPR_COMMIT, looked up at every build, and once here for tools that read the compile commands without building. The
# header goes before the one source that uses it; the compiler notes it as a dependency, and only a changed one
# compiles again.
set(build_id_header ${CMAKE_BINARY_DIR}/build_id.h)
set(look_for_build_id ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DHEADER=${build_id_header}
    -P ${CMAKE_SOURCE_DIR}/cmake/BuildId.cmake)
execute_process(COMMAND ${look_for_build_id})
add_custom_target(build_id BYPRODUCTS ${build_id_header} VERBATIM COMMAND ${look_for_build_id}
    COMMENT "Looking what this build is made of")
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/base/build_info.c PROPERTIES COMPILE_OPTIONS "-include;${build_id_header}")

add_library(privdpr_objects OBJECT ${library_sources})
target_include_directories(privdpr_objects PUBLIC ${CMAKE_SOURCE_DIR}/include PRIVATE ${CMAKE_SOURCE_DIR}/src)
add_dependencies(privdpr_objects build_id)
target_compile_definitions(privdpr_objects PRIVATE PDPR_BUILDING PDPR_BUILD_TYPE="${CMAKE_BUILD_TYPE}")
target_link_libraries(privdpr_objects PUBLIC privdpr_dependencies)

foreach(kind static shared)
    string(TOUPPER ${kind} KIND)
    add_library(privdpr_${kind} ${KIND} $<TARGET_OBJECTS:privdpr_objects>)
    target_include_directories(privdpr_${kind} PUBLIC
        $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    set_target_properties(privdpr_${kind} PROPERTIES OUTPUT_NAME privdpr EXPORT_NAME ${kind}
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
        ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endforeach()
target_link_libraries(privdpr_static PUBLIC privdpr_dependencies)
target_link_libraries(privdpr_shared PRIVATE privdpr_dependencies)
