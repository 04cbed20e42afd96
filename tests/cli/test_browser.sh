#!/bin/sh
# The HTML pages in a browser (Debian's chromium, headless): they render without a word on the console and without a
# request, fit 1280 and 390 pixels, light and dark, and can be read. What is looked at stands in browser_checks.js.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
if ! command -v chromium >/dev/null 2>&1; then
    echo "skipped: the pages were not looked at in a browser: chromium is missing (scripts/install-packages.sh test installs it)"
    exit 0
fi
XDG_STATE_HOME=$work/state
export XDG_STATE_HOME

# browse SCHEME FILE OPTIONS...: opens a file, its document on stdout, what the browser says on stderr
browse() {
    scheme=$1
    file=$2
    shift 2
    profile=$(mktemp -d "$work/profile.XXXXXX")
    colours=1
    [ "$scheme" = dark ] && colours=0
    timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
        --disable-background-networking --disable-features=NetworkTimeServiceQuerying --disable-component-update --disable-sync --disable-dev-shm-usage \
        --user-data-dir="$profile" --enable-logging=stderr --blink-settings=preferredColorScheme=$colours \
        --host-resolver-rules='MAP * ~NOTFOUND' "$@" "file://$file"
}

# frame WIDTH NAME FILE: the page in a frame of that width
frame() {
    printf '<iframe data-page="%s" style="border:0;width:%spx;height:900px" srcdoc="' "$2" "$1"
    sed 's/&/\&amp;/g; s/"/\&quot;/g' "$3"
    printf '"></iframe>\n'
}

"$privdpr" generate social "$work/friends.edges" --nodes 1500 --edges 6000 -q
"$privdpr" generate chains "$work/chains.edges" --nodes 1500 -q
"$privdpr" synth "$work/friends.edges" -o "$work/public.edges" -e 3.2 --samples 3 --report "$work/samples.html" -q
"$privdpr" verify "$work/public.edges.certificate.json" "$work/public-1.edges" --html "$work/certificate.html" -q >/dev/null
"$privdpr" compare "$work/chains.edges" "$work/chains.edges" --html "$work/chains.html" -q >/dev/null
for page in samples certificate chains; do
    if [ ! -s "$work/$page.html" ]; then
        not_ok "page_$page" "it was not made"
        finish
    fi
done

{
    printf '<!DOCTYPE html><html><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
    printf '<script>\n'
    cat "$here/browser_checks.js"
    printf '</script></head><body>\n'
    for page in samples certificate chains; do
        for width in 390 1280; do
            frame $width $page "$work/$page.html"
        done
    done
    printf '</body></html>\n'
} >"$work/frames.html"

for scheme in light dark; do
    browse $scheme "$work/frames.html" --dump-dom >"$work/dom" 2>"$work/said"
    sed 's/.*<pre>//; s/<\/pre>.*//' "$work/dom" | grep -E '^(not )?ok - ' >"$work/lines"
    cat "$work/lines"
    grep -q '^not ok' "$work/lines" && bad=1
    if [ "$(grep -c . "$work/lines")" = 73 ]; then # 12 checks of 3 pages in 2 widths, and one more
        ok "all_checks_were_made_$scheme"
    else
        not_ok "all_checks_were_made_$scheme" "found $(grep -c . "$work/lines") lines" "$(tail -n 5 "$work/said")"
    fi
done

# requests FILE: the hosts that a log of the browser names
requests() {
    grep -oE '"url":"(https?|wss?|ftp)://[^/"]*' "$1" | sort -u
}

# Each page by itself: nothing on the console, and no request but for the file and what the browser asks for by itself,
# which an empty page shows.
printf '<!DOCTYPE html><title>empty</title>\n' >"$work/empty.html"
browse light "$work/empty.html" --log-net-log="$work/net.json" --dump-dom >"$work/said" 2>&1
requests "$work/net.json" >"$work/own"
for page in samples certificate chains; do
    browse light "$work/$page.html" --log-net-log="$work/net.json" --screenshot="$work/$page.png" --window-size=1280,2400 \
        >"$work/said" 2>&1
    if grep -q CONSOLE "$work/said"; then
        not_ok "${page}_says_nothing_on_the_console" "$(grep CONSOLE "$work/said" | head -n 3)"
    else
        ok "${page}_says_nothing_on_the_console"
    fi
    if [ ! -s "$work/net.json" ]; then
        not_ok "${page}_makes_no_request" "the browser kept no log of requests"
    elif requests "$work/net.json" | grep -vxF -f "$work/own" >"$work/requests"; then
        not_ok "${page}_makes_no_request" "$(head -n 3 "$work/requests")"
    else
        ok "${page}_makes_no_request"
    fi
    # A page of text and pictures is a large picture; an empty one packs to a few thousand bytes.
    if [ "$(wc -c <"$work/$page.png")" -gt 60000 ]; then
        ok "${page}_is_painted"
    else
        not_ok "${page}_is_painted" "a picture of $(wc -c <"$work/$page.png") bytes"
    fi
done
if [ -n "${KEEP_PICTURES:-}" ]; then
    cp "$work"/*.png "$work"/*.html "$KEEP_PICTURES"
fi
finish
