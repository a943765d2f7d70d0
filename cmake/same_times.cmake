# Gives every file of a package the time of the commit, so that two builds give the same bytes.
# CPack runs it before it packs; SOURCE_DATE_EPOCH comes from tools/package.

execute_process(
    COMMAND find ${CPACK_TEMPORARY_DIRECTORY} -exec touch -h -d @$ENV{SOURCE_DATE_EPOCH} {} +
    COMMAND_ERROR_IS_FATAL ANY)
execute_process(
    COMMAND chmod -R u=rwX,go=rX ${CPACK_TEMPORARY_DIRECTORY} COMMAND_ERROR_IS_FATAL ANY)
