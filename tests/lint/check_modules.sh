#!/bin/sh
# A module includes only itself and modules before it in this list (docs/design/0001-architecture.md), and the
# program includes the public header only.
cd "$(dirname "$0")/../.." || exit 1
order='base graph dp generate dpr blueprint baselines method metrics tasks report'
for folder in src/*/; do
    module=$(basename "$folder")
    case " $order " in
    *" $module "*) ;;
    *) echo "src/$module: a module that the list in $0 does not know"; exit 1 ;;
    esac
done
find src -name '*.[ch]' | sort | xargs grep -n '^ *# *include *"' | awk -v order="$order" '
    BEGIN { n = split(order, o, " "); for (i = 1; i <= n; i++) rank[o[i]] = i }
    {
        split($0, part, "\""); included = part[2]
        split($1, where, ":"); split(where[1], path, "/"); module = path[2]
        split(included, target, "/")
        if (!(target[1] in rank)) { print $0 ": expected \"module/file.h\""; bad = 1 }
        else if (rank[target[1]] > rank[module]) { print $0 ": " module " comes before " target[1]; bad = 1 }
    }
    END { exit bad }' || exit 1
if grep -n '^ *# *include *"' tools/privdpr/*.[ch] | grep -v '"cli\.h"'; then
    echo "the program may include its own cli.h and <privdpr/privdpr.h> only"
    exit 1
fi
