# experiments/*.c: one program each; built with the benchmarks, run by hand (experiments/README.md).
file(GLOB experiment_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/experiments/*.c)
foreach(source IN LISTS experiment_sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(${name} PRIVATE privdpr_static)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/experiments)
endforeach()
