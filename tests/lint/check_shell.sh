#!/bin/sh
# Every shell script parses as POSIX shell.
cd "$(dirname "$0")/../.." || exit 1
bad=0
for script in run test scripts/*.sh tests/*/*.sh; do
    sh -n "$script" || bad=1
done
bash -n .ci/run || bad=1
exit $bad
