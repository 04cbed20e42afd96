# What the command-line tests share. A test script sources this file and calls the checks below; each prints one line
# "ok - NAME" or "not ok - NAME". finish ends the script with the right exit code.
privdpr=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

ok() {
    echo "ok - $1"
}

not_ok() {
    echo "not ok - $1"
    shift
    printf '    %s\n' "$@"
    bad=1
}

# expect NAME CODE TEXT COMMAND...: the command exits with CODE and its output or message contains TEXT
expect() {
    name=$1
    want=$2
    text=$3
    shift 3
    "$@" >"$work/out" 2>&1 </dev/null
    code=$?
    if [ $code != "$want" ]; then
        not_ok "$name" "expected exit code $want, found $code" "$(head -n 5 "$work/out")"
    elif [ -n "$text" ] && ! grep -qF -- "$text" "$work/out"; then
        not_ok "$name" "expected: $text" "found: $(head -n 5 "$work/out")"
    else
        ok "$name"
    fi
}

# one_line NAME: the last command of `expect` said one line
one_line() {
    if [ "$(wc -l <"$work/out")" = 1 ]; then
        ok "$1"
    else
        not_ok "$1" "expected one line, found: $(cat "$work/out")"
    fi
}

# same NAME FILE FILE
same() {
    if cmp -s "$2" "$3"; then
        ok "$1"
    else
        not_ok "$1" "$2 and $3 differ"
    fi
}

# differ NAME FILE FILE: both are there and are not the same
differ() {
    if [ -s "$2" ] && [ -s "$3" ] && ! cmp -s "$2" "$3"; then
        ok "$1"
    else
        not_ok "$1" "$2 and $3 are the same, or one is missing"
    fi
}

# mode NAME FILE MODE
mode() {
    found=$(stat -c %a "$2")
    if [ "$found" = "$3" ]; then
        ok "$1"
    else
        not_ok "$1" "expected mode $3, found $found"
    fi
}

# no_files NAME PATTERN: nothing of that name lies in the work folder
no_files() {
    if [ -z "$(find "$work" -name "$2")" ]; then
        ok "$1"
    else
        not_ok "$1" "found $(find "$work" -name "$2")"
    fi
}

# runs: how many the user's ledger has
runs() {
    "$privdpr" ledger | grep -c 'run '
}

# checkpoint_of LEDGER OUT: the usual name of a run's checkpoint, with the FNV-1a digits of OUT's folder
checkpoint_of() {
    printf '%s.%s.%08x.checkpoint\n' "$1" "$(basename "$2")" "$(
        (cd "$(dirname "$2")" && pwd -P | tr -d '\n') | od -An -v -tu1 -w1 | awk '
            BEGIN { h = 2166136261 }
            { low = h % 256; x = 0; bit = 1; b = $1
              for (i = 0; i < 8; i++) { if (low % 2 != b % 2) x += bit; low = int(low / 2); b = int(b / 2); bit *= 2 }
              h = h - h % 256 + x
              # h * 16777619 = h * 2^24 + h * 403 modulo 2^32, in doubles
              h = ((h % 256) * 16777216 + h * 403) % 4294967296 }
            END { printf "%.0f", h }'
    )"
}

# kill_after SECONDS COMMAND...: kill -9 then
kill_after() {
    delay=$1
    shift
    "$@" >"$work/out" 2>&1 </dev/null &
    job=$!
    sleep "$delay"
    kill_job
}

# kill_job: kill -9 of what runs as $job
kill_job() {
    kill -9 $job 2>/dev/null
    wait $job 2>/dev/null
}

# start_until_checkpoint FILE BYTES COMMAND...: in the background as $job; comes back when FILE has at least so many bytes,
# or when the command has ended
start_until_checkpoint() {
    awaited=$1
    least=$2
    shift 2
    "$@" >"$work/out" 2>&1 </dev/null &
    job=$!
    tries=0
    while [ $tries -lt 3000 ] && kill -0 $job 2>/dev/null && [ "$(stat -c %s "$awaited" 2>/dev/null || echo 0)" -lt "$least" ]; do
        sleep 0.01
        tries=$((tries + 1))
    done
}

# interrupted NAME: $job, told to stop, exits with 75 and says how to go on
interrupted() {
    kill -TERM $job
    wait $job
    code=$?
    if [ $code = 75 ] && grep -q -- '--resume' "$work/out"; then
        ok "$1"
    else
        not_ok "$1" "exit $code" "$(cat "$work/out")"
    fi
}

finish() {
    exit $bad
}
