# Outside libraries, all from the Debian packages of tools/packages.txt.

find_package(Boost 1.81 REQUIRED CONFIG)
find_package(CLI11 REQUIRED CONFIG)
find_package(GTest REQUIRED CONFIG)
find_package(OpenSSL 3 REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Protobuf REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED CONFIG)
find_package(gRPC REQUIRED CONFIG)
find_package(nlohmann_json REQUIRED CONFIG)
find_package(rapidcheck REQUIRED CONFIG)
find_package(spdlog REQUIRED CONFIG)
find_package(tl-expected REQUIRED CONFIG)
# Only its headers are used: its target would link a library that throws.
find_package(tomlplusplus REQUIRED CONFIG)
pkg_check_modules(fyaml REQUIRED IMPORTED_TARGET libfyaml)
# Not by pkg-config, whose flags would reach everything that is built on it.
find_library(RE2_LIBRARY re2 REQUIRED)
