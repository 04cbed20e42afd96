#!/bin/sh
# Makes sure that Debian's packages for a purpose are installed, and installs only what is missing.
#   scripts/install-packages.sh [--no-install] build|test|bench|deb ...
# Needs root, or sudo, only if something is missing. With --no-install it tells what is missing instead.
set -eu

packages_build='
gcc               compiler
libc6-dev         C library headers
cmake             build system
ninja-build       build runner
pkg-config        finds the libraries
libsodium-dev     random streams, hashes
libjansson-dev    JSON
zlib1g-dev        .gz files
libzstd-dev       .zst files
libmpfr-dev       exact arithmetic
libgmp-dev        exact arithmetic'
packages_test='
libcmocka-dev     unit tests
libigraph-dev     independent oracle for the metrics (tests only)
clang             second compiler
libclang-rt-14-dev sanitizers
clang-format      layout check
clang-tidy        static analysis
cppcheck          static analysis
zstd              makes test files
gzip              makes test files
patch             applies the mutants
chromium          looks at the HTML pages (tests only)'
packages_bench='
libigraph-dev     the peer that is timed beside us'
packages_deb='
dpkg-dev          package metadata
file              package metadata'

install=yes
wanted=
for word in "$@"; do
    case $word in
    --no-install) install=no ;;
    build) wanted="$wanted$packages_build" ;;
    test) wanted="$wanted$packages_test" ;;
    bench) wanted="$wanted$packages_bench" ;;
    deb) wanted="$wanted$packages_deb" ;;
    *) echo "install-packages: expected build, test, bench or deb, found \"$word\"" >&2; exit 2 ;;
    esac
done

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "This is not a Debian system, so packages are not checked. Needed:" >&2
    echo "$wanted" | sed '/^$/d; s/^/  /' >&2
    exit 0
fi

missing=
reasons=
while read -r package why; do
    [ -n "$package" ] || continue
    case $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true) in
    "install ok installed") ;;
    *) missing="$missing $package"; reasons="$reasons  $package: $why
" ;;
    esac
done <<END
$wanted
END

[ -n "$missing" ] || exit 0
echo "Missing Debian packages:"
printf '%s' "$reasons"
if [ "$install" = no ]; then
    echo "Install them with: apt-get install --no-install-recommends$missing"
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1; then
    as_root=sudo
else
    echo "Installing needs root, and there is no sudo. As root, run:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends$missing" >&2
    exit 1
fi
echo "Installing them${as_root:+ with sudo} (use --no-install to be told instead) ..."
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # words are meant to be split
{
    $as_root apt-get update -qq &&
        $as_root apt-get install -y -qq --no-install-recommends $missing
} >/tmp/privdpr-apt.$$ 2>&1 || {
    tail -n 20 /tmp/privdpr-apt.$$ >&2
    rm -f /tmp/privdpr-apt.$$
    echo "apt-get could not install the packages (its last lines stand above)." >&2
    exit 1
}
rm -f /tmp/privdpr-apt.$$
