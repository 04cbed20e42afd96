# make install, pkg-config, CMake package files, .deb.
include(CMakePackageConfigHelpers)

install(TARGETS privdpr_static privdpr_shared
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS privdpr RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/privdpr DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The manual page is printed by the program from its own option table.
add_custom_command(OUTPUT privdpr.1 COMMAND privdpr help --man > privdpr.1 DEPENDS privdpr VERBATIM)
add_custom_target(manual_page ALL DEPENDS privdpr.1)
install(FILES ${CMAKE_BINARY_DIR}/privdpr.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# pkg-config: prefix from the file's own place, so that `cmake --install --prefix` needs no second configuration.
file(WRITE ${CMAKE_BINARY_DIR}/privdpr.pc
"prefix=\${pcfiledir}/../..
libdir=\${prefix}/${CMAKE_INSTALL_LIBDIR}
includedir=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}

Name: privdpr
Description: ${PROJECT_DESCRIPTION}
Version: ${PROJECT_VERSION}
Cflags: -I\${includedir}
Libs: -L\${libdir} -lprivdpr
Libs.private: -lm -pthread
Requires.private: libsodium jansson zlib libzstd mpfr
")
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(CMAKE_INSTALL_LIBDIR MATCHES "/")      # lib/x86_64-linux-gnu lies one level deeper
    file(READ ${CMAKE_BINARY_DIR}/privdpr.pc pc)
    string(REPLACE "\${pcfiledir}/../.." "\${pcfiledir}/../../.." pc "${pc}")
    file(WRITE ${CMAKE_BINARY_DIR}/privdpr.pc "${pc}")
endif()
install(FILES ${CMAKE_BINARY_DIR}/privdpr.pc DESTINATION ${pkgconfig_dir})

# find_package(privdpr) gives privdpr::shared, for programs that link the shared library.
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/privdpr)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/privdprConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(WRITE ${CMAKE_BINARY_DIR}/privdprConfig.cmake.in
"@PACKAGE_INIT@
if(NOT TARGET privdpr::shared)
    add_library(privdpr::shared SHARED IMPORTED)
    set_target_properties(privdpr::shared PROPERTIES
        IMPORTED_LOCATION \"@PACKAGE_CMAKE_INSTALL_LIBDIR@/libprivdpr.so\"
        INTERFACE_INCLUDE_DIRECTORIES \"@PACKAGE_CMAKE_INSTALL_INCLUDEDIR@\")
endif()
")
configure_package_config_file(${CMAKE_BINARY_DIR}/privdprConfig.cmake.in ${CMAKE_BINARY_DIR}/privdprConfig.cmake
    INSTALL_DESTINATION ${config_dir} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
install(FILES ${CMAKE_BINARY_DIR}/privdprConfig.cmake ${CMAKE_BINARY_DIR}/privdprConfigVersion.cmake
        DESTINATION ${config_dir})

set(CPACK_PACKAGE_NAME privdpr)
set(CPACK_PACKAGE_CONTACT "PrivDPR maintainers <maintainers@users.noreply.a-seed-082d7538.example>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_STRIP_FILES ON)
include(CPack)
