#!/bin/sh
# Makes the pictures of the README and of docs/report.md, the same every time: scripts/pictures.sh [--new]
# Original: `privdpr generate social` (3,000 nodes). Synthetic: docs/images/example, published once with fresh noise, as a
# promise needs; --new publishes it again, after a change to the method. Needs the release build and chromium.
set -eu
cd "$(dirname "$0")/.."
privdpr=$PWD/build/release/privdpr
images=$PWD/docs/images
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
XDG_STATE_HOME=$work/state
export XDG_STATE_HOME

cd "$work"
"$privdpr" generate social friends.edges --nodes 3000 --edges 12000 -q
if [ "${1:-}" = --new ]; then
    mkdir -p "$images/example"
    rm -f "$images"/example/*
    "$privdpr" synth friends.edges -o public.edges.zst --epsilon 3.2 -q
    cp public.edges.zst public.edges.zst.certificate.json "$images/example/"
fi
cp "$images"/example/* .
"$privdpr" verify public.edges.zst.certificate.json public.edges.zst >/dev/null
"$privdpr" compare friends.edges public.edges.zst --html report.html --certificate public.edges.zst.certificate.json -q >compare.txt
sh "$OLDPWD/scripts/picture.sh" <compare.txt >"$images/compare.svg"
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
    --blink-settings=preferredColorScheme=1 --window-size=1280,1840 --screenshot="$images/report.png" \
    "file://$work/report.html" >chromium.log 2>&1 || {
    tail -n 5 chromium.log
    exit 1
}
ls -l "$images"/*
