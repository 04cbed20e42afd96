# Libraries of the shipped product. All come from Debian 12; `./run` installs what is missing.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(MPFR REQUIRED IMPORTED_TARGET mpfr)

add_library(privdpr_dependencies INTERFACE)
target_link_libraries(privdpr_dependencies INTERFACE
    Threads::Threads PkgConfig::SODIUM PkgConfig::JANSSON PkgConfig::ZLIB PkgConfig::ZSTD
    PkgConfig::MPFR gmp m)
