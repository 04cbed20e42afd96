# make install, pkg-config, CMake package, .deb
