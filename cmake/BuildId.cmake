# What a build is made of, as a header of one line; run with `cmake -P` at every build (Library.cmake).
#
#   abcdef012345                  this commit, and nothing else
#   abcdef012345-dirty-01234567   this commit with changes; the digest of all that is built tells one change from another
#   source-01234567               no git, or no repository: the digest alone
#
# Changed or new files count where the library and the program come from; tests and documents do not. The header is
# rewritten only when the text is another, so that an unchanged tree builds nothing again. Cost: one `git status`.
#
# Usage: cmake -DSOURCE=folder -DHEADER=file -P BuildId.cmake
set(parts src include tools cmake CMakeLists.txt experiments/paper.csv)

find_program(GIT git)
set(commit "")
set(changes "")
if(GIT AND EXISTS ${SOURCE}/.git)
    execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    # without optional locks: a commit made at this moment is not disturbed
    execute_process(COMMAND ${GIT} --no-optional-locks -C ${SOURCE} status --porcelain -- ${parts}
                    RESULT_VARIABLE failed OUTPUT_VARIABLE changes ERROR_QUIET)
    if(failed)
        set(commit "")
    endif()
endif()

set(id "${commit}")
if(NOT commit OR changes)
    set(files "")
    foreach(part IN LISTS parts)
        if(IS_DIRECTORY ${SOURCE}/${part})
            file(GLOB_RECURSE found RELATIVE ${SOURCE} ${SOURCE}/${part}/*)
            list(APPEND files ${found})
        elseif(EXISTS ${SOURCE}/${part})
            list(APPEND files ${part})
        endif()
    endforeach()
    list(SORT files)
    set(digests "")
    foreach(file IN LISTS files)
        file(SHA256 ${SOURCE}/${file} digest)
        string(APPEND digests "${digest} ${file}\n")
    endforeach()
    string(SHA256 digest "${digests}")
    string(SUBSTRING ${digest} 0 8 digest)
    if(commit)
        set(id "${commit}-dirty-${digest}")
    else()
        set(id "source-${digest}")
    endif()
endif()

set(text "#define PDPR_COMMIT \"${id}\"\n")
set(before "")
if(EXISTS ${HEADER})
    file(READ ${HEADER} before)
endif()
if(NOT text STREQUAL before)
    file(WRITE ${HEADER} "${text}")
endif()
