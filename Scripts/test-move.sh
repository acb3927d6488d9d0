#!/bin/sh
# Moves a store of 1,000,000 objects to a server and back with the tool, in a release build with the
# package trait. The file that comes back has the same rows. The move to the server takes at most
# 1.6 times as long as COPY of the same tables with all indexes and foreign keys (the median of
# three runs each). No move takes more than 100 MB of memory, and cambium check-store of either
# store neither. The store of the demo is also moved there and back.
#
#   Scripts/test-move.sh [OBJECTS]
#
# A build of the tool takes some minutes. CAMBIUM_MOVE_TOOL names one that was built before.
set -u
. "$(dirname "$0")/setup.sh"
root=$(pwd)
. Scripts/checks.sh
objects=${1:-1000000}
work=$(mktemp -d)
stop=:
# shellcheck disable=SC2154
trap 'status=$?; $stop; rm -rf "$work"; exit $status' EXIT
trap 'exit 1' HUP INT TERM
output=$work/output
command -v sqlite3 >/dev/null || { echo "not run: sqlite3 is missing"; exit 0; }

tool=${CAMBIUM_MOVE_TOOL:-}
if [ -z "$tool" ]; then
    scratch=.build/traits
    # shellcheck disable=SC2086
    swiftpm build $system -c release --traits PostgreSQL --product CambiumTool \
        --scratch-path $scratch >&2 || exit 1
    # shellcheck disable=SC2086
    tool=$(swift build $system -c release --traits PostgreSQL --scratch-path $scratch \
        --show-bin-path)/CambiumTool
fi

# Starts a server, unless one is already running.
if url=$(sh Scripts/postgres.sh url 2>/dev/null); then :; else
    status=0
    url=$(sh Scripts/postgres.sh start) || status=$?
    [ $status -ne 69 ] || { echo "not run: there is no server"; exit 0; }
    [ $status -eq 0 ] || exit 1
    stop="sh $root/Scripts/postgres.sh stop --version 15"
fi
schema=move_$$
psql() { command psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 "$url" "$@"; }

mkdir "$work/People.cambium"
cat > "$work/People.cambium/1.xml" <<'XML'
<model xmlns="urn:cambium:model:1" name="People" version="1">
  <entity name="Person">
    <attribute name="name" type="string"/>
    <attribute name="email" type="string" maxLength="200"/>
    <attribute name="age" type="int32" min="0" max="200"/>
    <attribute name="balance" type="decimal" scale="2"/>
    <attribute name="born" type="date"/>
    <attribute name="active" type="bool"/>
    <attribute name="score" type="double"/>
    <attribute name="token" type="uuid"/>
    <attribute name="note" type="string" optional="true"/>
    <attribute name="count" type="int64"/>
    <relationship name="team" to="Team" inverse="people" optional="true"/>
    <relationship name="tags" to="Tag" inverse="people" many="true"/>
    <unique by="email"/>
    <index by="name"/>
    <rule name="folded">name CONTAINS[cd] 'näme' OR name CONTAINS[c] 'NAME'</rule>
  </entity>
  <entity name="Team">
    <attribute name="title" type="string"/>
    <relationship name="people" to="Person" inverse="team" many="true" ordered="true"/>
  </entity>
  <entity name="Tag">
    <attribute name="title" type="string"/>
    <relationship name="people" to="Person" inverse="tags" many="true"/>
  </entity>
</model>
XML
"$tool" sql "$work/People.cambium" > "$work/schema.sql" 2>"$output"
result $? "the model compiles"
{
    cat "$work/schema.sql"
    cat <<SQL
BEGIN;
WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 1000)
INSERT INTO Team (_id, title) SELECT k, 'team ' || k FROM n;
WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 100)
INSERT INTO Tag (_id, title) SELECT k, 'tag ' || k FROM n;
WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < $objects)
INSERT INTO Person SELECT k, 1 + k % 3, 'Name ' || (k * 7919 % 1000003), 'user' || k || '@example.com',
    k % 100, k * 13 % 1000000, k * 1000.5, k % 2, k * 0.37, randomblob(16),
    CASE WHEN k % 3 = 0 THEN 'A note of some length for ' || k END, k * k, 1 + k % 1000,
    (k / 1000) * 1000 FROM n;
INSERT INTO Person_tags SELECT _id, 1 + _id % 100 FROM Person;
UPDATE _keys SET next = $objects + 1;
COMMIT;
SQL
} | sqlite3 "$work/people.sqlite" > "$output" 2>&1
result $? "there is a store of $objects objects"

# timed NAME COMMAND…: appends the seconds and the kilobytes of the command to the file.
timed() {
    name=$1
    shift
    command time -f "%e %M" -a -o "$work/$name" "$@" > "$output" 2>&1
}

copies() {
    set --
    for table in Team Tag Person Person_tags; do
        set -- "$@" -c "\\copy $schema.\"$table\" FROM '$work/$table.copy' (FORMAT binary)"
    done
    timed copy psql --no-psqlrc --quiet "$url" -c BEGIN "$@" -c COMMIT
}

for run in 1 2 3; do
    psql -c "DROP SCHEMA IF EXISTS $schema CASCADE" > "$output" 2>&1
    timed there "$tool" move "$work/people.sqlite" "$url#$schema" --model "$work/People.cambium"
    result $? "run $run: the store moves to the server"
    if [ $run -eq 1 ]; then
        timed back "$tool" move "$url#$schema" "$work/back.sqlite" --model "$work/People.cambium"
        result $? "the store moves back"
        timed check "$tool" check-store "$work/people.sqlite" --model "$work/People.cambium"
        result $? "the store in the file has no faults"
        timed check "$tool" check-store "$url#$schema" --model "$work/People.cambium"
        result $? "the store on the server has no faults"
        for table in Team Tag Person Person_tags; do
            psql -c "\\copy $schema.\"$table\" TO '$work/$table.copy' (FORMAT binary)"
        done
    fi
    psql -c "TRUNCATE $schema.\"Team\", $schema.\"Tag\", $schema.\"Person\", $schema.\"Person_tags\""
    copies
    result $? "run $run: COPY writes the same tables"
done
psql -c "DROP SCHEMA $schema CASCADE" > "$output" 2>&1

# Data that differs between all stores is excluded.
dump() { sqlite3 "$1" .dump | grep -v "INTO _metadata VALUES('\(uuid\|definition\)'" | sort; }
# shellcheck disable=SC2086
swiftpm build $strict --product package-index >&2 || exit 1
model=Models/Packages/Packages.cambium
"$(products)/package-index" --store "$work/demo.sqlite" > "$output" 2>&1
result $? "the demo makes a store"
"$tool" move "$work/demo.sqlite" "$url#${schema}_demo" --model $model > "$output" 2>&1 &&
    "$tool" move "$url#${schema}_demo" "$work/demo-back.sqlite" --model $model >> "$output" 2>&1
result $? "the demo's store moves to the server and back"
psql -c "DROP SCHEMA IF EXISTS ${schema}_demo CASCADE" > "$output" 2>&1
dump "$work/demo.sqlite" > "$work/before"
dump "$work/demo-back.sqlite" > "$work/after"
diff "$work/before" "$work/after" > "$output"
result $? "the demo's store that comes back has the same rows"

dump "$work/people.sqlite" > "$work/before"
dump "$work/back.sqlite" > "$work/after"
diff "$work/before" "$work/after" > "$output"
result $? "the file that comes back has the same rows"

median() { sort -n "$work/$1" | sed -n 2p | cut -d ' ' -f 1; }
awk -v there="$(median there)" -v copy="$(median copy)" 'BEGIN {
    printf "moved in %.1f s, copied in %.1f s: %.2f times as long\n", there, copy, there / copy
    exit there > 1.6 * copy }' > "$output"
result $? "moving takes at most 1.6 times as long as COPY"
cat "$output"
most=$(cat "$work/there" "$work/back" | cut -d ' ' -f 2 | sort -n | tail -n 1)
echo "$most KB of memory" > "$output"
[ "$most" -le 102400 ]
result $? "moving takes at most 100 MB of memory"
cat "$output"
most=$(cut -d ' ' -f 2 "$work/check" | sort -n | tail -n 1)
echo "$most KB of memory" > "$output"
[ "$most" -le 102400 ]
result $? "checking takes at most 100 MB of memory"
cat "$output"
end_of_checks
