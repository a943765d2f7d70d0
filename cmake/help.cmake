# Puts docs/commands/*.md into the binary, for `ichor COMMAND --help`, and docs/lint/*.md as
# lint/ID, for `ichor explain ID`.
#
# Included by CMakeLists.txt it makes the build rule; run as a script (cmake -P, with PAGES and
# OUTPUT) it writes the source file. A raw string keeps the text as it is, whatever it contains.

if(CMAKE_SCRIPT_MODE_FILE)
    set(text "#include \"cli/help.h\"\n\nnamespace ichor {\n\n")
    string(APPEND text "std::string_view help_page(std::string_view page) {\n")
    separate_arguments(PAGES UNIX_COMMAND "${PAGES}")
    foreach(page IN LISTS PAGES)
        get_filename_component(name ${page} NAME_WE)
        if(page MATCHES "/docs/lint/")
            set(name lint/${name})
        endif()
        file(READ ${page} content)
        string(APPEND text "  if (page == \"${name}\") return R\"_help_(${content})_help_\";\n")
    endforeach()
    string(APPEND text "  return {};\n}\n\n}  // namespace ichor\n")
    file(WRITE ${OUTPUT} "${text}")
    return()
endif()

file(GLOB help_pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/commands/*.md
    ${CMAKE_SOURCE_DIR}/docs/lint/*.md)
set(help_source ${CMAKE_BINARY_DIR}/help/help_pages.cc)
list(JOIN help_pages " " help_pages_joined)
add_custom_command(
    OUTPUT ${help_source}
    COMMAND ${CMAKE_COMMAND} "-DPAGES=${help_pages_joined}" -DOUTPUT=${help_source}
        -P ${CMAKE_SOURCE_DIR}/cmake/help.cmake
    DEPENDS ${help_pages} ${CMAKE_SOURCE_DIR}/cmake/help.cmake
    COMMENT "Embedding docs/commands and docs/lint"
    VERBATIM)
add_custom_target(help_pages DEPENDS ${help_source})
target_sources(ichor_cli PRIVATE ${help_source})
add_dependencies(ichor_cli help_pages)
