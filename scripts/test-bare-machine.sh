#!/bin/sh
# The newcomer's case: a Debian 12 with nothing but a shell and apt, a fresh clone, ./run and ./test --quick.
#   scripts/test-bare-machine.sh [FOLDER]     needs root and debootstrap; FOLDER (default /var/tmp/privdpr-bare) is kept
set -eu
cd "$(dirname "$0")/.."
root=${1:-/var/tmp/privdpr-bare}
if [ ! -x "$root/bin/sh" ]; then
    command -v debootstrap >/dev/null || { echo "needs Debian's package debootstrap" >&2; exit 1; }
    debootstrap --variant=minbase bookworm "$root" >/dev/null
fi
cp /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
for list in /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/apt.conf.d; do
    [ -e "$list" ] && cp -r "$list" "$root/etc/apt/"
done
rm -rf "$root/project"
git clone -q . "$root/project"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
mountpoint -q "$root/dev" || mount --bind /dev "$root/dev"
trap 'umount "$root/dev" "$root/proc"' EXIT
chroot "$root" /bin/sh -c 'cd /project && ./run --no-install; [ $? = 1 ]' # tells what is missing, installs nothing
chroot "$root" /bin/sh -c 'cd /project && ./run && ./test --quick'
