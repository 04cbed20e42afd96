# The command line. It sees the public header only.
file(GLOB program_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/privdpr/*.c)
add_executable(privdpr ${program_sources})
target_link_libraries(privdpr PRIVATE privdpr_static)
set_target_properties(privdpr PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
