#!/bin/sh
# Rules that a compiler does not know. Each line that breaks one is printed.
cd "$(dirname "$0")/../.." || exit 1
bad=0

# forbid PATTERN WHY FILES...: no line of the files may match
forbid() {
    pattern=$1
    why=$2
    shift 2
    if grep -nE "$pattern" "$@" /dev/null; then
        echo "^ $why"
        bad=1
    fi
}

library=$(find src -name '*.c')
# shellcheck disable=SC2086 # one word a file
{
    forbid '\b(s?rand|drand48|random|rand_r|arc4random|randombytes[a-z_]*|getrandom)[[:space:]]*\(' \
        'randomness comes from the streams of src/dp only' $(find src tools -name '*.c' ! -path 'src/dp/*')
    forbid '\b(exit|_exit|abort|puts|perror|printf|vprintf)[[:space:]]*\(|\bf(printf|puts)\((stderr|stdout)' \
        'the library neither prints nor exits' $library
    forbid '\bgetenv[[:space:]]*\(' 'the library reads no environment variables' $library
    forbid '(^|[^_a-z.>])(malloc|calloc|realloc|free|strdup)[[:space:]]*\(' \
        'memory comes from pdpr_i_alloc and its kin' $(find src -name '*.c' ! -path 'src/base/*')
    forbid '\b(TODO|FIXME|XXX|HACK)\b' 'finish it, or describe it in docs/design' \
        $(find src tools include tests bench -name '*.[ch]')
    forbid '\bfast-math\b' 'fast-math is forbidden' CMakeLists.txt cmake/*.cmake
}
exit $bad
