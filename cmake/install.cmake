# What `make install` and the packages put where: the program, its completions, man pages and
# examples.

include(GNUInstallDirs)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY TRUE)  # an installation needs no tests

# The date in the man pages, and of every file of a package: that of the commit.
execute_process(
    COMMAND git log -1 --format=%cs WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    OUTPUT_VARIABLE commit_date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)

# Completions and man pages, in the folders that Debian has for them.
set(extras ${CMAKE_BINARY_DIR}/extras)
add_custom_command(
    OUTPUT ${extras}/.made
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${extras}
    COMMAND ${CMAKE_SOURCE_DIR}/tools/man-pages ${PROJECT_VERSION} "${commit_date}"
        ${extras}/man/man1
    COMMAND ${CMAKE_COMMAND} -E make_directory ${extras}/bash-completion/completions
        ${extras}/zsh/vendor-completions ${extras}/fish/vendor_completions.d
    COMMAND ichor completion bash > ${extras}/bash-completion/completions/ichor
    COMMAND ichor completion zsh > ${extras}/zsh/vendor-completions/_ichor
    COMMAND ichor completion fish > ${extras}/fish/vendor_completions.d/ichor.fish
    COMMAND ${CMAKE_COMMAND} -E touch ${extras}/.made
    DEPENDS ichor ${help_pages} ${CMAKE_SOURCE_DIR}/tools/man-pages
    COMMENT "Writing completions and man pages"
    VERBATIM)
add_custom_target(extras DEPENDS ${extras}/.made)

install(TARGETS ichor)
install(DIRECTORY ${extras}/ DESTINATION ${CMAKE_INSTALL_DATADIR} PATTERN .made EXCLUDE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES README.md CHANGELOG.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The same program for other distributions: it brings the C++ runtime and looks for libfmt beside
# itself, see tools/package.
ichor_add_executable(ichor-portable)
set_target_properties(ichor-portable PROPERTIES
    EXCLUDE_FROM_ALL TRUE BUILD_RPATH "\$ORIGIN/../lib/ichor")
target_link_options(ichor-portable PRIVATE -static-libstdc++ -static-libgcc)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The ichor authors <ichor@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "bring bare machines to a verified Talos Linux cluster")
set(CPACK_PACKAGE_DESCRIPTION
    "ichor takes one cluster profile and bare machines to a verified, GitOps-ready Talos Linux
Kubernetes cluster: discovery, preflight, machine configs, one etcd bootstrap, verification,
Kubernetes phases and day-2 operations. It resumes after a crash and reports only what it saw.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES FALSE)  # the program is stripped already, see ichor_add_executable()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS ca-certificates)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "git, bash-completion")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/same_times.cmake)
include(CPack)
