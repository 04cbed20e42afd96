#!/bin/sh
# What a build says it is made of (cmake/BuildId.cmake): a commit only if it is that commit, and nothing new if nothing is new.
. "$(dirname "$0")/lib.sh"
script=$(cd "$(dirname "$0")/../../cmake" && pwd)/BuildId.cmake
for need in git cmake; do
    command -v $need >/dev/null || { echo "skipped: no $need"; exit 0; }
done
tree="$work/tree"
id=

# look: the id of the tree as it is now
look() {
    cmake -DSOURCE="$tree" -DHEADER="$work/build_id.h" -P "$script" >/dev/null
    id=$(sed -n 's/^#define PDPR_COMMIT "\(.*\)"$/\1/p' "$work/build_id.h")
}

# is NAME PATTERN: the id matches all of the extended expression
is() {
    if echo "$id" | grep -qxE "$2"; then
        ok "$1"
    else
        not_ok "$1" "expected $2, found \"$id\""
    fi
}

# commit: everything in the tree, by nobody in particular
commit() {
    git -C "$tree" add -A
    git -C "$tree" -c user.name=t -c user.email=t@example.org commit -q -m x
}

mkdir -p "$tree/src" "$tree/docs"
echo 'int a;' >"$tree/src/a.c"
echo 'words' >"$tree/docs/a.md"
look
is tree_without_git_is_told_by_its_sources 'source-[0-9a-f]{8}'
loose=$id
git init -q "$tree"
look
is tree_without_a_commit_is_told_by_its_sources "$loose"
commit
look
head=$(git -C "$tree" rev-parse --short=12 HEAD)
is clean_tree_is_its_commit "$head"

touch -d '2001-01-01' "$work/build_id.h"
look
if [ "$(stat -c %Y "$work/build_id.h")" = "$(date -d 2001-01-01 +%s)" ]; then
    ok unchanged_id_is_not_written_again
else
    not_ok unchanged_id_is_not_written_again "the header is new"
fi

echo 'more' >>"$tree/docs/a.md"
look
is changed_document_is_no_change_of_the_program "$head"
echo 'int b;' >>"$tree/src/a.c"
look
is changed_source_is_dirty "$head-dirty-[0-9a-f]{8}"
first=$id
echo 'int c;' >>"$tree/src/a.c"
look
is another_change_is_another_build "$head-dirty-[0-9a-f]{8}"
if [ "$id" = "$first" ]; then
    not_ok two_changes_are_told_apart "$id"
else
    ok two_changes_are_told_apart
fi
git -C "$tree" checkout -q -- src
look
is change_taken_back_is_the_commit_again "$head"
echo 'int d;' >"$tree/src/d.c"
look
is new_source_is_dirty "$head-dirty-[0-9a-f]{8}"
commit
look
is next_commit_is_another "$(git -C "$tree" rev-parse --short=12 HEAD)"
expect program_says_what_it_is_made_of 0 'commit' "$privdpr" version
if "$privdpr" version | grep -qE '^ *commit +([0-9a-f]{12}(-dirty-[0-9a-f]{8})?|source-[0-9a-f]{8})$'; then
    ok program_has_an_id_of_this_form
else
    not_ok program_has_an_id_of_this_form "$("$privdpr" version | head -n 3)"
fi
finish
